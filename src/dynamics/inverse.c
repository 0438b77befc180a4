/* Inverse dynamics (recursive Newton-Euler): rigid links in lanes, robots with flexible ones in
 * plain numbers. */
#include <string.h>

#include "dynamics/flex.h"
#include "dynamics/inertia.h"
#include "dynamics/joint.h"
#include "dynamics/wide.h"
#include "math/wide_vectors.h"

/* --- in plain numbers ---------------------------------------------------------------------------
 */

/* Newton and Euler at the link's origin:
 *     force = m a + alpha x h + w x (w x h)    moment = I alpha + h x a + w x (I w) */
static inline flg_spatial force_of_link(const flg_dynamics *dynamics, int i) {
  const flg_motion *motion = &dynamics->motions[i];
  const flg_inertia own = flg_dynamics_own_inertia(dynamics, i);
  return flg_spatial_add(flg_inertia_resist(&own, motion->acceleration),
                         flg_inertia_spin(&own, motion->velocity.angular));
}

static void plain_accelerate(flg_dynamics *dynamics, const double *a) {
  const flg_robot *robot = dynamics->robot;
  flg_motion *motions = dynamics->motions;
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    if (flg_flex_sleeps(dynamics, i)) continue;
    flg_spatial own = flg_motion_carried(&motions[i], motions[link->parent].acceleration);
    if (link->node >= 0) own = flg_spatial_add(own, flg_flex_carried(dynamics, i, a));
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      own = flg_spatial_add_scaled(own, a[k], dynamics->coordinates[k].direction);
    }
    motions[i].acceleration = own;
  }
}

/* Forces from the tips to the base: each joint takes its part, the rest goes to the parent. */
static void plain_gather(flg_dynamics *dynamics, const flg_spatial *external, const double *a,
                         double *f) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  for (int k = 0; k < dynamics->slot_count; k++) dynamics->handles[k].force = (flg_spatial){0};
  if (robot->flex_count > 0) flg_flex_forces_begin(dynamics, NULL, true);
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    if (external == NULL && flg_flex_is_idle(dynamics, i)) continue;
    flg_spatial force = force_of_link(dynamics, i);
    if (link->flex >= 0) {
      force = flg_spatial_add(force, flg_flex_need(dynamics, link->flex, a, f));
    }
    if (slots[i] >= 0) force = flg_spatial_add(force, dynamics->handles[slots[i]].force);
    if (external != NULL) force = flg_spatial_subtract(force, external[i]);
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      f[k] = flg_spatial_dot(dynamics->coordinates[k].direction, force) + link->armature * a[k];
    }
    if (link->node >= 0) flg_flex_hand_force(dynamics, i, force);
    if (link->parent != FLG_WORLD) flg_dynamics_hand_force(dynamics, i, force);
  }
}

/* --- rigid links in lanes -----------------------------------------------------------------------
 */

FLG_SMALL void accelerate_link(const flg_link *link, const flg_coordinate *coordinates,
                               const double *a, flg_wide_spatial *own) {
  int k = link->velocity;
  if (flg_joint_is_turn(link->kind)) {
    own->angular += flg_three_load(&coordinates[k].direction.angular.x) * a[k];
    return;
  }
  for (; k < link->velocity + link->velocity_count; k++) {
    const flg_wide_spatial S = flg_wide_load(&coordinates[k].direction);
    flg_wide_add_scaled(own, a[k], &S);
  }
}

/* The parent of most links comes just before them, and its acceleration is still in registers. */
FLG_WIDE_VECTORS static void wide_accelerate(flg_dynamics *dynamics, const double *a) {
  const flg_robot *robot = dynamics->robot;
  flg_motion *motions = dynamics->motions;
  flg_wide_spatial own = flg_wide_load(&motions[FLG_WORLD].acceleration);
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    if (link->parent != i - 1) own = flg_wide_load(&motions[link->parent].acceleration);
    flg_wide_carry(&own, &motions[i]);
    accelerate_link(link, dynamics->coordinates, a, &own);
    flg_wide_store(&own, &motions[i].acceleration);
  }
}

/* The generalised forces of a joint's coordinates by the force on its link. */
FLG_SMALL void take_forces(const flg_link *link, const flg_coordinate *coordinates,
                           const flg_wide_spatial *force, const double *a, double *f) {
  int k = link->velocity;
  if (flg_joint_is_turn(link->kind)) {
    const flg_three axis = flg_three_load(&coordinates[k].direction.angular.x);
    f[k] = flg_three_sum(axis * force->angular) + link->armature * a[k];
    return;
  }
  for (; k < link->velocity + link->velocity_count; k++) {
    const flg_wide_spatial S = flg_wide_load(&coordinates[k].direction);
    f[k] = flg_wide_dot(&S, force) + link->armature * a[k];
  }
}

/* The force of an only child stays in registers; others are gathered in slots. */
FLG_WIDE_VECTORS static void wide_gather(flg_dynamics *dynamics, const flg_spatial *external,
                                         const double *a, double *f) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  flg_wide_spatial none, force;
  memset(&none, 0, sizeof none);
  force = none;
  for (int k = 1; k < dynamics->slot_count; k++) dynamics->handles[k].wide.force = none;
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const flg_motion *motion = &dynamics->motions[i];
    if (slots[i] != FLG_CHAIN_SLOT) {
      force = slots[i] < 0 ? none : dynamics->handles[slots[i]].wide.force;
    }
    const flg_wide_inertia own = flg_wide_inertia_of_link(link, motion);
    const flg_wide_spatial acceleration = flg_wide_load(&motion->acceleration);
    const flg_wide_spatial needed = flg_wide_momentum(&own, link->inertia.mass, &acceleration);
    const flg_wide_spatial spin = flg_wide_spin(&own, flg_three_load(&motion->velocity.angular.x));
    flg_wide_add(&force, &needed);
    flg_wide_add(&force, &spin);
    if (external != NULL) flg_wide_subtract(&force, &external[i]);
    take_forces(link, dynamics->coordinates, &force, a, f);
    if (link->parent == FLG_WORLD) continue;
    flg_wide_shift_force(&force, flg_three_load(&motion->arm.x));
    if (slots[link->parent] == FLG_CHAIN_SLOT) continue;
    flg_wide_add(&dynamics->handles[slots[link->parent]].wide.force, &force);
  }
}

void flg_dynamics_inverse(flg_dynamics *dynamics, const double *q, const double *v, const double *a,
                          flg_vec3 gravity, const flg_spatial *external, double *f) {
  flg_dynamics_move(dynamics, q, v);
  dynamics->known.answers = false;
  memcpy(dynamics->known.a, a, (size_t)dynamics->robot->velocity_count * sizeof *a);
  flg_dynamics_set_gravity(dynamics, gravity);
  (dynamics->is_plain ? plain_accelerate : wide_accelerate)(dynamics, a);
  (dynamics->is_plain ? plain_gather : wide_gather)(dynamics, external, a, f);
}
