/* long_runs.h - what is run for many steps: a four-bar with redundant rows, a tumbling body. */
#ifndef FLG_TESTS_LONG_RUNS_H
#define FLG_TESTS_LONG_RUNS_H

#include "assembly_views.h"
#include "component/assembly_freedom.h"
#include "parts.h"

/* Grashof's crank and rocker in the plane xy, in space: 3 of its 20 rows are redundant. */
static inline parts *four_bar(void) {
  parts *p = parts_new(4);
  const flg_vec3 a = {0, 0, 0}, b = {0, 0.4, 0}, c = {0.9, 0.8, 0}, d = {1, 0, 0}, z = {0, 0, 1};
  const int crank = add_rod(p, 0.4, a, b), coupler = add_rod(p, 1.1, b, c);
  const int rocker = add_rod(p, 0.8, d, c);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, crank, a, z);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, crank, coupler, b, z);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, coupler, rocker, c, z);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, rocker, d, z);
  return p;
}

static inline flg_assembly_options long_options(flg_scheme scheme) {
  flg_assembly_options options = flg_assembly_default();
  options.scheme = scheme;
  options.gravity = vec(0, -9.81, 0);
  return options;
}

/* steps of 1 ms: closed to 1e-10 throughout, energy no farther off at the end than at first */
static inline void run_four_bar(int steps) {
  parts *p = four_bar();
  const flg_assembly_options options = long_options(FLG_SCHEME_RATTLE);
  flg_assembly *assembly = assemble(p, &options);
  flg_freedom freedom;
  assert_int_equal(flg_assembly_freedom(assembly, &freedom), FLG_OK);
  assert_int_equal(freedom.rows, 20);
  assert_int_equal(freedom.rank, 17);
  const double energy = flg_assembly_energy(assembly);
  double open[3] = {0}, off[3] = {0};
  for (int k = 0; k < steps; k++) {
    assert_int_equal(flg_assembly_advance(assembly, 0, 1e-3, k, 1), FLG_OK);
    flg_assembly_refresh(assembly, 0);
    const int third = (int)(3 * (int64_t)k / steps);
    const flg_closure closure = flg_assembly_closure(assembly);
    open[third] = flg_larger(open[third], flg_larger(closure.position, closure.velocity));
    off[third] = flg_larger(off[third], fabs(flg_assembly_energy(assembly) - energy));
  }
  assert_true(open[0] < 1e-10 && open[1] < 1e-10 && open[2] < 1e-10);
  assert_true(open[2] <= 2 * open[0]);
  assert_true(off[2] <= 1.1 * off[0]);
  flg_assembly_release(assembly);
  parts_drop(p);
}

/* about the axis in the middle, where it turns over */
static inline parts *tumbler(void) {
  parts *p = parts_new(2);
  add_body(p, 2, (flg_sym3){0.3, 0.5, 0.7, 0, 0, 0}, vec(0, 0, 0), flg_quat_identity());
  p->component.bodies[0].velocity = (flg_spatial){{0.1, 0.2, 0.3}, {0.05, 2, 0.1}};
  p->component.bodies[0].gravity = vec(0, 0, 0);
  return p;
}

static inline flg_vec3 tumbler_momentum(const flg_assembly *assembly) {
  const flg_component_body *body = &flg_assembly_component(assembly)->bodies[0];
  const flg_anchor anchor = {-1, 0, flg_pose_identity()};
  const flg_pose pose = flg_assembly_pose(assembly, &anchor);
  const flg_sym3 inertia = flg_sym3_rotate(body->inertia, &pose.rotation);
  return flg_sym3_apply(inertia, flg_assembly_velocity(assembly, &anchor).angular);
}

#endif
