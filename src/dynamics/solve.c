/* Solving with the articulated factors of the mass matrix that forward and factor leave behind. */
#include <string.h>

#include "dynamics/flex.h"
#include "dynamics/wide.h"
#include "math/wide_vectors.h"

/* --- forces on flexible robots, in plain numbers ------------------------------------------------
 */

/* Forces from the tips to the base, each coordinate keeping what drives it. */
FLG_WIDE_VECTORS static void plain_gather(flg_dynamics *dynamics, const double *f) {
  const flg_robot *robot = dynamics->robot;
  flg_handle *handles = dynamics->handles;
  for (int k = 0; k < dynamics->slot_count; k++) handles[k].force = (flg_spatial){0};
  flg_flex_forces_begin(dynamics, f, false);
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const int slot = dynamics->slots[i];
    if (flg_flex_is_idle(dynamics, i)) continue;
    flg_spatial p = slot >= 0 ? handles[slot].force : (flg_spatial){0};
    if (link->flex >= 0) p = flg_flex_drive(dynamics, link->flex, p);
    for (int k = link->velocity + link->velocity_count - 1; k >= link->velocity; k--) {
      p = flg_coordinate_drive(&dynamics->coordinates[k], f[k], p);
    }
    if (link->node >= 0) flg_flex_hand_force(dynamics, i, p);
    if (link->parent != FLG_WORLD) flg_dynamics_hand_force(dynamics, i, p);
  }
}

/* --- rigid links in lanes -----------------------------------------------------------------------
 */

/* Forces from the tips to the base; generalised ones, or those on links (f NULL). What an only
 * child hands on stays in registers. */
FLG_SMALL void wide_gather(flg_dynamics *dynamics, const double *f, const flg_spatial *on_links) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  flg_wide_spatial none, p;
  memset(&none, 0, sizeof none);
  p = none;
  for (int k = 1; k < dynamics->slot_count; k++) dynamics->handles[k].wide.force = none;
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    if (slots[i] != FLG_CHAIN_SLOT) {
      p = slots[i] < 0 ? none : dynamics->handles[slots[i]].wide.force;
    }
    if (f == NULL) flg_wide_subtract(&p, &on_links[i]);
    flg_wide_drive_link(link, f, dynamics->coordinates, &p);
    if (link->parent == FLG_WORLD) continue;
    flg_wide_shift_force(&p, flg_three_load(&dynamics->motions[i].arm.x));
    if (slots[link->parent] == FLG_CHAIN_SLOT) continue;
    flg_wide_add(&dynamics->handles[slots[link->parent]].wide.force, &p);
  }
}

/* bends: some links are flexible, which is known when it is compiled */
FLG_SMALL void wide_spread(flg_dynamics *dynamics, double *a, bool bends) {
  const flg_robot *robot = dynamics->robot;
  flg_spatial *responses = dynamics->responses;
  flg_wide_spatial own = flg_wide_load(&responses[FLG_WORLD]);
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    if (bends && flg_flex_sleeps(dynamics, i)) continue;
    if (link->parent != i - 1) own = flg_wide_load(&responses[link->parent]);
    own.linear += flg_three_cross(own.angular, flg_three_load(&dynamics->motions[i].arm.x));
    if (bends && link->node >= 0) flg_flex_carry_node(dynamics, i, a, &own);
    flg_wide_answer_link(link, dynamics->coordinates, &own, a);
    flg_wide_store(&own, &responses[i]);
    if (bends && link->flex >= 0) flg_flex_answer_wide(dynamics, link->flex, &own, a);
  }
}

/* f NULL: what drives the coordinates is there */
FLG_WIDE_VECTORS static void solve_rigid(flg_dynamics *dynamics, const double *f, double *a) {
  if (f != NULL) wide_gather(dynamics, f, NULL);
  wide_spread(dynamics, a, false);
}

FLG_WIDE_VECTORS static void spread_bending(flg_dynamics *dynamics, double *a) {
  wide_spread(dynamics, a, true);
}

/* forces in plain numbers */
static void solve_bending(flg_dynamics *dynamics, const double *f, double *a) {
  if (f != NULL) plain_gather(dynamics, f);
  spread_bending(dynamics, a);
}

FLG_WIDE_VECTORS void flg_dynamics_solve_links(flg_dynamics *dynamics, const flg_spatial *forces,
                                               double *a) {
  wide_gather(dynamics, NULL, forces);
  wide_spread(dynamics, a, false);
}

static void rows_solve(flg_dynamics *dynamics, const double *f, double *a) {
  const bool bends = dynamics->robot->flex_count > 0;
  (bends ? solve_bending : solve_rigid)(dynamics, f, a);
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

/* Adds the generalised forces of a force on a port, on its way to the base. */
FLG_WIDE_VECTORS static void drive_from(flg_dynamics *dynamics, const flg_link_anchor *port,
                                        flg_spatial force) {
  const flg_vec3 offset =
      flg_mat3_apply(&dynamics->motions[port->link].rotation, port->pose.position);
  const flg_spatial felt =
      flg_spatial_shift_force(flg_spatial_scale(force, -1), flg_vec3_negate(offset));
  flg_wide_spatial p = {flg_three_from(felt.linear), flg_three_from(felt.angular)};
  for (int i = port->link; i != FLG_WORLD; i = dynamics->robot->links[i].parent) {
    const flg_link *link = &dynamics->robot->links[i];
    for (int k = link->velocity + link->velocity_count - 1; k >= link->velocity; k--) {
      flg_coordinate *coordinate = &dynamics->coordinates[k];
      const double others = coordinate->drive;
      flg_wide_drive_coordinate(coordinate, 0, &p);
      coordinate->drive += others;
    }
    flg_wide_shift_force(&p, flg_three_load(&dynamics->motions[i].arm.x));
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
