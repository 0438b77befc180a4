/* plain_mass.h - the mass matrix of a robot, rigid or flexible, by composite bodies in plain
 * numbers: an answer to compare the passes of dynamics/ with. Needs no cmocka. */
#ifndef FLG_TESTS_PLAIN_MASS_H
#define FLG_TESTS_PLAIN_MASS_H

#include <stdlib.h>
#include <string.h>

#include "dynamics/flex.h"
#include "dynamics/inertia.h"

/* Elements of column k and the elastic coordinates that node i rides on: the force on the node. */
static inline void plain_mass_elastic(const flg_dynamics *dynamics, int i, int k, flg_spatial force,
                                      double *M) {
  const flg_robot *robot = dynamics->robot;
  const flg_flex_node *node = &robot->nodes[robot->links[i].node];
  const size_t n = (size_t)robot->velocity_count;
  for (int m = 0; m < robot->flexes[node->flex].body.modes; m++) {
    const int j = robot->flexes[node->flex].velocity + m;
    const double element = flg_spatial_dot(dynamics->directions[node->first + m], force);
    M[(size_t)j + n * (size_t)k] = M[(size_t)k + n * (size_t)j] = element;
  }
}

/* Column of coordinate k: the force on link i that moves the branch, felt by the link's own
 * coordinates up to `last`, and by all ancestors. */
static inline void plain_mass_column(const flg_dynamics *dynamics, int i, int k, int last,
                                     flg_spatial force, double *M) {
  const flg_robot *robot = dynamics->robot;
  const size_t n = (size_t)robot->velocity_count;
  while (i != FLG_WORLD) {
    const flg_link *link = &robot->links[i];
    for (int j = link->velocity; j <= last; j++) {
      const double element = flg_spatial_dot(dynamics->coordinates[j].direction, force);
      M[(size_t)j + n * (size_t)k] = M[(size_t)k + n * (size_t)j] = element;
    }
    if (link->node >= 0) plain_mass_elastic(dynamics, i, k, force, M);
    force = flg_spatial_shift_force(force, flg_vec3_negate(dynamics->motions[i].arm));
    i = link->parent;
    if (i != FLG_WORLD) last = robot->links[i].velocity + robot->links[i].velocity_count - 1;
  }
}

/* The rigid branch on node i, as the elastic coordinates feel it: among each other, into M, and
 * against the motion of the flexible link, into loads (velocities). */
static inline void plain_mass_node(const flg_dynamics *dynamics, int i, const flg_inertia *branch,
                                   flg_spatial *loads, double *M) {
  const flg_robot *robot = dynamics->robot;
  const flg_flex_node *node = &robot->nodes[robot->links[i].node];
  const flg_flex *flex = &robot->flexes[node->flex];
  const flg_spatial *directions = dynamics->directions + node->first;
  const size_t n = (size_t)robot->velocity_count;
  const flg_vec3 back = flg_vec3_negate(dynamics->motions[i].arm);
  for (int k = 0; k < flex->body.modes; k++) {
    const flg_spatial force = flg_inertia_resist(branch, directions[k]);
    flg_spatial *load = &loads[flex->velocity + k];
    *load = flg_spatial_add(*load, flg_spatial_shift_force(force, back));
    double *column = M + (size_t)flex->velocity + n * (size_t)(flex->velocity + k);
    for (int j = 0; j < flex->body.modes; j++) {
      column[j] += flg_spatial_dot(directions[j], force);
    }
  }
}

/* The elastic coordinates of link i, after its nodes. */
static inline void plain_mass_flex(const flg_dynamics *dynamics, int i, const flg_spatial *loads,
                                   double *M) {
  const flg_robot *robot = dynamics->robot;
  const flg_flex *flex = &robot->flexes[robot->links[i].flex];
  const flg_flex_motion *at = &dynamics->flexes[robot->links[i].flex];
  const size_t n = (size_t)robot->velocity_count;
  const int modes = flex->body.modes;
  for (int k = 0; k < modes; k++) {
    double *column = M + (size_t)flex->velocity + n * (size_t)(flex->velocity + k);
    for (int j = 0; j < modes; j++) column[j] += flex->body.mass[j + modes * k];
    const int last = robot->links[i].velocity + robot->links[i].velocity_count - 1;
    plain_mass_column(dynamics, i, flex->velocity + k, last,
                      flg_spatial_add(loads[flex->velocity + k], at->momentum[k]), M);
  }
}

static inline void plain_mass_join(flg_inertia *sum, const flg_inertia *more) {
  sum->mass += more->mass;
  sum->moment = flg_vec3_add(sum->moment, more->moment);
  sum->rotation = flg_sym3_add(sum->rotation, more->rotation);
}

/* The same inertia about an origin r before: with k = 2 h + m r,
 *     h' = h + m r        I' = I + r.k 1 - (r k^T + k r^T)/2 */
static inline flg_inertia plain_mass_shift(const flg_inertia *inertia, flg_vec3 r) {
  const double m = inertia->mass;
  const flg_vec3 h = flg_vec3_add_scaled(inertia->moment, m, r);
  const flg_vec3 k = flg_vec3_add(inertia->moment, h), half = flg_vec3_scale(r, 0.5);
  const double x = r.x * k.x, y = r.y * k.y, z = r.z * k.z;
  const flg_sym3 I = inertia->rotation;
  return (flg_inertia){
      .mass = m,
      .moment = h,
      .rotation = {I.xx + (y + z), I.yy + (x + z), I.zz + (x + y),
                   I.xy - (half.x * k.y + half.y * k.x), I.xz - (half.x * k.z + half.z * k.x),
                   I.yz - (half.y * k.z + half.z * k.y)}};
}

/* After kinematics, move, forward or inverse, as flg_dynamics_mass. loads: of what rides on elastic
 * coordinates */
static inline void plain_mass(const flg_dynamics *dynamics, double *M) {
  const flg_robot *robot = dynamics->robot;
  const size_t n = (size_t)robot->velocity_count;
  flg_spatial *loads = calloc(n + 1, sizeof *loads);
  flg_inertia *composites = calloc((size_t)robot->link_count + 1, sizeof *composites);
  if (loads == NULL || composites == NULL) abort();
  memset(M, 0, n * n * sizeof *M);
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const flg_inertia own = flg_dynamics_own_inertia(dynamics, i);
    plain_mass_join(&composites[i], &own);
    if (link->flex >= 0) plain_mass_flex(dynamics, i, loads, M);
    if (link->node >= 0) plain_mass_node(dynamics, i, &composites[i], loads, M);
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      plain_mass_column(dynamics, i, k, k,
                        flg_inertia_resist(&composites[i], dynamics->coordinates[k].direction), M);
      M[(n + 1) * (size_t)k] += link->armature;
    }
    if (link->parent == FLG_WORLD) continue;
    const flg_inertia felt = plain_mass_shift(&composites[i], dynamics->motions[i].arm);
    plain_mass_join(&composites[link->parent], &felt);
  }
  free(loads);
  free(composites);
}

#endif
