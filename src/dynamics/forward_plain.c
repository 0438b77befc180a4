/* The passes of forward dynamics in plain numbers, one coordinate at a time: forces of robots with
 * flexible links, and the plain twin of what forward.c does for rigid ones. */
#include "dynamics/forward_plain.h"
#include "dynamics/flex.h"
#include "dynamics/inertia.h"
#include "dynamics/joint.h"
#include "math/wide_vectors.h"

/* --- factors: from the tips to the base --------------------------------------------------------
 */

/* Frees a coordinate, which has met the resistance U: what it yields to no longer resists. The
 * inertia D, with what is added, may be infinite. */
FLG_SMALL void let_go(flg_articulated *inertia, flg_coordinate *coordinate, flg_spatial U,
                      double D) {
  coordinate->load = U;
  coordinate->yield = 1 / D;
  flg_articulated_yield(inertia, U, coordinate->yield);
}

FLG_SMALL void free_coordinate(flg_articulated *inertia, flg_coordinate *coordinate, double added) {
  const flg_spatial S = coordinate->direction, U = flg_articulated_resist(inertia, S);
  let_go(inertia, coordinate, U, flg_spatial_dot(S, U) + added);
}

/* The same for S = [0; axis], which leaves half of the products out. */
FLG_SMALL void free_turn(flg_articulated *inertia, flg_coordinate *coordinate, double added) {
  const flg_vec3 axis = coordinate->direction.angular;
  const flg_spatial U = flg_articulated_resist_turn(inertia, axis);
  let_go(inertia, coordinate, U, flg_vec3_dot(axis, U.angular) + added);
}

FLG_SMALL void free_link(const flg_link *link, const double *added, flg_articulated *inertia,
                         flg_coordinate *coordinates) {
  const double rotor = link->armature;
  int k = link->velocity + link->velocity_count - 1;
  if (flg_joint_is_turn(link->kind)) {
    free_turn(inertia, &coordinates[k], added == NULL ? rotor : rotor + added[k]);
    return;
  }
  for (; k >= link->velocity; k--) {
    free_coordinate(inertia, &coordinates[k], added == NULL ? rotor : rotor + added[k]);
  }
}

/* Of rigid robots. The inertia of an only child stays in hand for its parent, which comes next;
 * others are gathered in slots. */
FLG_WIDE_VECTORS void flg_forward_plain_factor(flg_dynamics *dynamics, const double *added) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  const flg_articulated nothing = {0};
  flg_articulated inertia = nothing;
  for (int k = 1; k < dynamics->slot_count; k++) dynamics->handles[k].inertia = nothing;
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const int slot = slots[i];
    if (slot != FLG_CHAIN_SLOT) inertia = slot < 0 ? nothing : dynamics->handles[slot].inertia;
    flg_factored_link *factored = &dynamics->factored[i];
    factored->own = flg_dynamics_own_inertia(dynamics, i);
    flg_articulated_join_rigid(&inertia, &factored->own);
    free_link(link, added, &inertia, dynamics->coordinates);
    if (link->parent == FLG_WORLD) continue;
    factored->free = inertia;
    inertia = flg_articulated_shift(&inertia, dynamics->motions[i].arm);
    const int upper = slots[link->parent];
    if (upper != FLG_CHAIN_SLOT) flg_articulated_join(&dynamics->handles[upper].inertia, &inertia);
  }
}

/* --- forces ------------------------------------------------------------------------------------
 */

/* What is felt behind a link that the force p acts on, at the link's origin. */
FLG_SMALL flg_spatial felt_behind(const flg_articulated *free, const flg_motion *motion,
                                  flg_spatial p) {
  return flg_spatial_add(p, flg_articulated_resist(free, motion->drift));
}

/* The coordinates of a joint, from the last one on, under the force p on their link. */
FLG_SMALL flg_spatial drive_link(const flg_link *link, const double *f, flg_spatial p,
                                 flg_coordinate *coordinates) {
  int k = link->velocity + link->velocity_count - 1;
  if (flg_joint_is_turn(link->kind)) return flg_coordinate_drive_turn(&coordinates[k], f[k], p);
  for (; k >= link->velocity; k--) p = flg_coordinate_drive(&coordinates[k], f[k], p);
  return p;
}

/* The same on the way back; returns how the link accelerates that they would hold. */
FLG_SMALL flg_spatial answer_link(const flg_link *link, const flg_coordinate *coordinates,
                                  flg_spatial held, double *a) {
  int k = link->velocity;
  if (flg_joint_is_turn(link->kind)) {
    return flg_coordinate_answer_turn(&coordinates[k], held, &a[k]);
  }
  for (; k < link->velocity + link->velocity_count; k++) {
    held = flg_coordinate_answer(&coordinates[k], held, &a[k]);
  }
  return held;
}

/* From the tips to the base, each coordinate keeping what drives it. As with inertias, the force of
 * an only child stays in hand. */
FLG_WIDE_VECTORS void flg_forward_plain_gather(flg_dynamics *dynamics, const double *f,
                                               const flg_spatial *external) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  const flg_spatial none = {{0}, {0}};
  flg_spatial p = none;
  for (int k = 1; k < dynamics->slot_count; k++) dynamics->handles[k].force = none;
  flg_flex_forces_begin(dynamics, f, true);
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const flg_motion *motion = &dynamics->motions[i];
    const flg_factored_link *factored = &dynamics->factored[i];
    const int slot = slots[i];
    if (slot != FLG_CHAIN_SLOT) p = slot < 0 ? none : dynamics->handles[slot].force;
    if (external == NULL && flg_flex_is_idle(dynamics, i)) continue;
    if (!flg_flex_is_bare(link)) {
      p = flg_spatial_add(p, flg_inertia_spin(&factored->own, motion->velocity.angular));
    }
    if (external != NULL) p = flg_spatial_subtract(p, external[i]);
    if (link->flex >= 0) {
      p = flg_spatial_add(p, dynamics->flexes[link->flex].bias);
      p = flg_flex_drive(dynamics, link->flex, p);
    }
    p = drive_link(link, f, p, dynamics->coordinates);
    if (link->parent == FLG_WORLD) continue;
    p = felt_behind(&factored->free, motion, p);
    if (link->node >= 0) flg_flex_hand_force(dynamics, i, p);
    p = flg_spatial_shift_force(p, flg_vec3_negate(motion->arm));
    flg_spatial *upper = &dynamics->handles[slots[link->parent]].force;
    if (slots[link->parent] != FLG_CHAIN_SLOT) *upper = flg_spatial_add(*upper, p);
  }
}

/* From the base to the tips, of rigid robots. */
FLG_WIDE_VECTORS void flg_forward_plain_spread(flg_dynamics *dynamics, double *a) {
  const flg_robot *robot = dynamics->robot;
  flg_motion *motions = dynamics->motions;
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    flg_spatial own = flg_motion_carried(&motions[i], motions[link->parent].acceleration);
    own = answer_link(link, dynamics->coordinates, own, a);
    motions[i].acceleration = own;
  }
}
