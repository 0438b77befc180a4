/* space_loops.h - closed mechanisms in space, for tests of generated steps. */
#ifndef FLG_TESTS_SPACE_LOOPS_H
#define FLG_TESTS_SPACE_LOOPS_H

#include "flat_mechanisms.h"

static inline int add_random_body(parts *p, random_source *source) {
  const flg_vec3 moments = {random_uniform(source, 0.1, 0.2), random_uniform(source, 0.1, 0.2),
                            random_uniform(source, 0.1, 0.2)};
  return add_body(p, random_uniform(source, 0.5, 2),
                  (flg_sym3){moments.x, moments.y, moments.z, 0.01, -0.02, 0.005},
                  random_vector(source), flg_quat_exp(random_vector(source)));
}

/* a chain with both ends on the ground; every third has bodies of revolution */
static inline void add_random_loop(parts *p, random_source *source, int bodies) {
  static const flg_constraint_kind kinds[] = {
      FLG_CONSTRAINT_REVOLUTE,  FLG_CONSTRAINT_SPHERICAL,     FLG_CONSTRAINT_UNIVERSAL,
      FLG_CONSTRAINT_SPHERICAL, FLG_CONSTRAINT_CYLINDRICAL,   FLG_CONSTRAINT_PLANAR,
      FLG_CONSTRAINT_REVOLUTE,  FLG_CONSTRAINT_POINT_ON_LINE, FLG_CONSTRAINT_PRISMATIC};
  const int first = p->component.body_count;
  const bool are_rods = random_integer(source, 0, 2) == 0;
  for (int k = 0; k <= bodies; k++) {
    if (k < bodies && are_rods) {
      add_rod(p, 1, random_vector(source), random_vector(source));
    } else if (k < bodies) {
      add_random_body(p, source);
    }
    const flg_constraint_kind kind = kinds[random_integer(source, 0, 8)];
    const int a = k == 0 ? FLG_WORLD : first + k - 1;
    const int b = k == bodies ? FLG_WORLD : first + k;
    const bool swaps = random_integer(source, 0, 1) == 1;
    add_joint(p, kind, swaps ? b : a, swaps ? a : b, random_vector(source),
              flg_vec3_normalise(random_vector(source)));
  }
}

/* crank, rod and rocker about crossed axes */
static inline parts *spatial_crank(double speed) {
  const flg_vec3 foot = {1.5, 0, 0.4}, top = {0, 0.3, 0}, end = {1.5, 0.9, 0.4};
  parts *p = parts_new(5);
  const int crank = add_rod(p, 1, vec(0, 0, 0), top), rod = add_rod(p, 0.5, top, end);
  const int rocker = add_rod(p, 2, foot, end);
  p->component.bodies[crank].velocity.angular = vec(0, 0, speed);
  p->component.bodies[crank].velocity.linear = vec(-0.15 * speed, 0, 0);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, crank, vec(0, 0, 0), vec(0, 0, 1));
  add_joint(p, FLG_CONSTRAINT_SPHERICAL, crank, rod, top, vec(0, 0, 1));
  add_joint(p, FLG_CONSTRAINT_UNIVERSAL, rod, rocker, end, vec(0, 1, 0));
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, rocker, FLG_WORLD, foot,
            flg_vec3_normalise(vec(0.2, 0.1, 1)));
  return p;
}

#endif
