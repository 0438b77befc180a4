/* Solving with the articulated factors of the mass matrix that forward and factor leave behind. */
#include "dynamics/flex.h"
#include "math/dense_small.h"
#include "math/wide_vectors.h"

/* Forces from the tips to the base, each coordinate keeping what drives it: generalised ones, or
 * those on links (f NULL), of rigid robots. */
FLG_SMALL void gather_each(flg_dynamics *dynamics, const double *f, const flg_spatial *on_links,
                           bool bends) {
  const flg_robot *robot = dynamics->robot;
  flg_handle *handles = dynamics->handles;
  for (int k = 0; k < dynamics->slot_count; k++) handles[k].force = (flg_spatial){0};
  if (bends) flg_flex_forces_begin(dynamics, f, false);
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const int slot = dynamics->slots[i];
    if (bends && flg_flex_is_idle(dynamics, i)) continue;
    flg_spatial p = slot >= 0 ? handles[slot].force : (flg_spatial){0};
    if (f == NULL) p = flg_spatial_subtract(p, on_links[i]);
    if (bends && link->flex >= 0) p = flg_flex_drive(dynamics, link->flex, p);
    for (int k = link->velocity + link->velocity_count - 1; k >= link->velocity; k--) {
      p = flg_coordinate_drive(&dynamics->coordinates[k], f == NULL ? 0 : f[k], p);
    }
    if (bends && link->node >= 0) flg_flex_hand_force(dynamics, i, p);
    if (link->parent != FLG_WORLD) flg_dynamics_hand_force(dynamics, i, p);
  }
}

/* Accelerations from the base to the tips. */
FLG_SMALL void spread_each(flg_dynamics *dynamics, double *a, bool bends) {
  const flg_robot *robot = dynamics->robot;
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    const flg_spatial parent = dynamics->responses[link->parent];
    flg_spatial own = flg_spatial_shift_motion(parent, dynamics->motions[i].arm);
    if (bends && link->node >= 0) own = flg_spatial_add(own, flg_flex_carried(dynamics, i, a));
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      own = flg_coordinate_answer(&dynamics->coordinates[k], own, &a[k]);
    }
    if (bends && link->flex >= 0) flg_flex_answer(dynamics, link->flex, own, a);
    dynamics->responses[i] = own;
  }
}

FLG_WIDE_VECTORS static void solve_rigid(flg_dynamics *dynamics, const double *f, double *a) {
  if (f != NULL) gather_each(dynamics, f, NULL, false);
  spread_each(dynamics, a, false);
}

FLG_WIDE_VECTORS static void solve_flexible(flg_dynamics *dynamics, const double *f, double *a) {
  if (f != NULL) gather_each(dynamics, f, NULL, true);
  spread_each(dynamics, a, true);
}

FLG_WIDE_VECTORS void flg_dynamics_solve_links(flg_dynamics *dynamics, const flg_spatial *forces,
                                               double *a) {
  gather_each(dynamics, NULL, forces, false);
  spread_each(dynamics, a, false);
}

/* f NULL: what drives the coordinates is there */
static void rows_solve(flg_dynamics *dynamics, const double *f, double *a) {
  (dynamics->robot->flex_count > 0 ? solve_flexible : solve_rigid)(dynamics, f, a);
}

void flg_dynamics_solve(flg_dynamics *dynamics, const double *f, double *a) {
  rows_solve(dynamics, f, a);
}

void flg_dynamics_respond(flg_dynamics *dynamics, const double *shares, int port_count,
                          const double *x, double *a) {
  for (int k = 0; k < dynamics->robot->velocity_count; k++) {
    double drive = 0;
    for (int p = 0; p < port_count; p++, shares += 6) {
      const double *X = x + 6 * (size_t)p;
      drive += (shares[0] * X[0] + shares[1] * X[1] + shares[2] * X[2]) +
               (shares[3] * X[3] + shares[4] * X[4] + shares[5] * X[5]);
    }
    dynamics->coordinates[k].drive = drive;
  }
  rows_solve(dynamics, NULL, a);
}

/* What a force on a port drives the coordinates with on its way to the base, added to what does. */
FLG_WIDE_VECTORS static void drive_from(flg_dynamics *dynamics, const flg_link_anchor *port,
                                        flg_spatial force) {
  const flg_vec3 offset =
      flg_mat3_apply(&dynamics->motions[port->link].rotation, port->pose.position);
  flg_spatial p = flg_spatial_shift_force(flg_spatial_scale(force, -1), flg_vec3_negate(offset));
  for (int i = port->link; i != FLG_WORLD; i = dynamics->robot->links[i].parent) {
    const flg_link *link = &dynamics->robot->links[i];
    for (int k = link->velocity + link->velocity_count - 1; k >= link->velocity; k--) {
      flg_coordinate *coordinate = &dynamics->coordinates[k];
      const double others = coordinate->drive;
      p = flg_coordinate_drive(coordinate, 0, p);
      coordinate->drive += others;
    }
    p = flg_spatial_shift_force(p, flg_vec3_negate(dynamics->motions[i].arm));
  }
}

void flg_dynamics_respond_rigid(flg_dynamics *dynamics, const flg_link_anchor *ports,
                                int port_count, const double *x, double *a) {
  for (int k = 0; k < dynamics->robot->velocity_count; k++) dynamics->coordinates[k].drive = 0;
  for (int p = 0; p < port_count; p++) {
    drive_from(dynamics, &ports[p], flg_spatial_load(x + 6 * (size_t)p));
  }
  solve_rigid(dynamics, NULL, a);
}
