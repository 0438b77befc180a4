/* The mass matrix by composite bodies. */
#include <string.h>

#include "dynamics/flex.h"
#include "dynamics/inertia.h"

/* Elements of column k and the elastic coordinates that node i rides on: the force on the node. */
static void fill_elastic(const flg_dynamics *dynamics, int i, int k, flg_spatial force, double *M) {
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
static void fill_column(const flg_dynamics *dynamics, int i, int k, int last, flg_spatial force,
                        double *M) {
  const flg_robot *robot = dynamics->robot;
  const size_t n = (size_t)robot->velocity_count;
  while (i != FLG_WORLD) {
    const flg_link *link = &robot->links[i];
    for (int j = link->velocity; j <= last; j++) {
      const double element = flg_spatial_dot(dynamics->coordinates[j].direction, force);
      M[(size_t)j + n * (size_t)k] = M[(size_t)k + n * (size_t)j] = element;
    }
    if (link->node >= 0) fill_elastic(dynamics, i, k, force, M);
    force = flg_spatial_shift_force(force, flg_vec3_negate(dynamics->motions[i].arm));
    i = link->parent;
    if (i != FLG_WORLD) last = robot->links[i].velocity + robot->links[i].velocity_count - 1;
  }
}

/* The rigid branch on node i, as the elastic coordinates feel it: among each other, into M, and
 * against the motion of the flexible link, into the loads. */
static void gather_node(flg_dynamics *dynamics, int i, const flg_inertia *branch, double *M) {
  const flg_robot *robot = dynamics->robot;
  const flg_flex_node *node = &robot->nodes[robot->links[i].node];
  const flg_flex *flex = &robot->flexes[node->flex];
  const flg_spatial *directions = dynamics->directions + node->first;
  const size_t n = (size_t)robot->velocity_count;
  const flg_vec3 back = flg_vec3_negate(dynamics->motions[i].arm);
  for (int k = 0; k < flex->body.modes; k++) {
    const flg_spatial force = flg_inertia_resist(branch, directions[k]);
    flg_spatial *load = &dynamics->flexes[node->flex].loads[k];
    *load = flg_spatial_add(*load, flg_spatial_shift_force(force, back));
    double *column = M + (size_t)flex->velocity + n * (size_t)(flex->velocity + k);
    for (int j = 0; j < flex->body.modes; j++) {
      column[j] += flg_spatial_dot(directions[j], force);
    }
  }
}

/* The elastic coordinates of link i, after its nodes. */
static void fill_flex(flg_dynamics *dynamics, int i, double *M) {
  const flg_robot *robot = dynamics->robot;
  const flg_flex *flex = &robot->flexes[robot->links[i].flex];
  const flg_flex_motion *at = &dynamics->flexes[robot->links[i].flex];
  const size_t n = (size_t)robot->velocity_count;
  const int modes = flex->body.modes;
  for (int k = 0; k < modes; k++) {
    double *column = M + (size_t)flex->velocity + n * (size_t)(flex->velocity + k);
    for (int j = 0; j < modes; j++) column[j] += flex->body.mass[j + modes * k];
    const int last = robot->links[i].velocity + robot->links[i].velocity_count - 1;
    fill_column(dynamics, i, flex->velocity + k, last,
                flg_spatial_add(at->loads[k], at->momentum[k]), M);
  }
}

void flg_dynamics_mass_matrix(flg_dynamics *dynamics, double *M) {
  const flg_robot *robot = dynamics->robot;
  const size_t n = (size_t)robot->velocity_count;
  for (size_t k = 0; k < n * n; k++) M[k] = 0;
  for (int k = 0; k < dynamics->slot_count; k++) dynamics->composites[k] = (flg_inertia){0};
  for (int k = 0; k < robot->flex_count; k++) {
    const size_t modes = (size_t)robot->flexes[k].body.modes;
    memset(dynamics->flexes[k].loads, 0, modes * sizeof(flg_spatial));
  }
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const int slot = dynamics->slots[i];
    flg_inertia composite = flg_dynamics_own_inertia(dynamics, i);
    if (slot >= 0) flg_inertia_join(&composite, &dynamics->composites[slot]);
    if (link->flex >= 0) fill_flex(dynamics, i, M);
    if (link->node >= 0) gather_node(dynamics, i, &composite, M);
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      fill_column(dynamics, i, k, k,
                  flg_inertia_resist(&composite, dynamics->coordinates[k].direction), M);
      M[(n + 1) * (size_t)k] += link->armature;
    }
    if (link->parent == FLG_WORLD) continue;
    flg_inertia *parent = &dynamics->composites[dynamics->slots[link->parent]];
    const flg_inertia felt = flg_inertia_shift(&composite, dynamics->motions[i].arm);
    if (parent == dynamics->composites) {
      *parent = felt;
    } else {
      flg_inertia_join(parent, &felt);
    }
  }
}

/* --- factors on the tree -----------------------------------------------------------------------
 * Row k of L has elements only at the coordinates between k and the base (Featherstone 2005). They
 * are kept above the diagonal, in column k, where they lie together.
 */

void flg_dynamics_factor_mass(const flg_dynamics *dynamics, double *M) {
  const int *parents = dynamics->parents;
  const size_t n = (size_t)dynamics->robot->velocity_count;
  for (int k = (int)n - 1; k >= 0; k--) {
    double *row = M + n * (size_t)k;
    const double inverse = 1 / row[k];
    for (int i = parents[k]; i >= 0; i = parents[i]) {
      const double weight = row[i] * inverse;
      double *other = M + n * (size_t)i;
      for (int j = i; j >= 0; j = parents[j]) other[j] -= weight * row[j];
      row[i] = weight;
    }
  }
}

void flg_dynamics_solve_mass(const flg_dynamics *dynamics, const double *factors, double *x) {
  const int *parents = dynamics->parents;
  const size_t n = (size_t)dynamics->robot->velocity_count;
  for (int k = (int)n - 1; k >= 0; k--) {
    const double *row = factors + n * (size_t)k;
    for (int i = parents[k]; i >= 0; i = parents[i]) x[i] -= row[i] * x[k];
  }
  for (int k = 0; k < (int)n; k++) {
    const double *row = factors + n * (size_t)k;
    x[k] /= row[k];
    for (int i = parents[k]; i >= 0; i = parents[i]) x[k] -= row[i] * x[i];
  }
}
