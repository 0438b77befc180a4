/* The mass matrix by composite bodies. */
#include "dynamics/inertia.h"

/* Column of coordinate k of a link: the force that moves the branch, felt by all ancestors. */
static void fill_column(const flg_dynamics *dynamics, int i, int k, flg_spatial force, double *M) {
  const flg_robot *robot = dynamics->robot;
  const size_t n = (size_t)robot->velocity_count;
  for (int last = k; i != FLG_WORLD;) {
    const flg_link *link = &robot->links[i];
    for (int j = link->velocity; j <= last; j++) {
      const double element = flg_spatial_dot(dynamics->coordinates[j].direction, force);
      M[(size_t)j + n * (size_t)k] = M[(size_t)k + n * (size_t)j] = element;
    }
    force = flg_spatial_shift_force(force, flg_vec3_negate(dynamics->motions[i].arm));
    i = link->parent;
    if (i != FLG_WORLD) last = robot->links[i].velocity + robot->links[i].velocity_count - 1;
  }
}

void flg_dynamics_mass_matrix(flg_dynamics *dynamics, double *M) {
  const flg_robot *robot = dynamics->robot;
  const size_t n = (size_t)robot->velocity_count;
  for (size_t k = 0; k < n * n; k++) M[k] = 0;
  for (int k = 0; k < dynamics->slot_count; k++) dynamics->composites[k] = (flg_inertia){0};
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const int slot = dynamics->slots[i];
    flg_inertia composite = flg_inertia_of_link(link, &dynamics->motions[i]);
    if (slot >= 0) flg_inertia_join(&composite, &dynamics->composites[slot]);
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      fill_column(dynamics, i, k,
                  flg_inertia_resist(&composite, dynamics->coordinates[k].direction), M);
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
