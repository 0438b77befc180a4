/* Inverse dynamics (recursive Newton-Euler). */
#include "dynamics/flex.h"
#include "dynamics/inertia.h"

/* Newton and Euler at the link's origin:
 *     force = m a + alpha x h + w x (w x h)    moment = I alpha + h x a + w x (I w) */
static inline flg_spatial force_of_link(const flg_dynamics *dynamics, int i) {
  const flg_motion *motion = &dynamics->motions[i];
  const flg_inertia own = flg_dynamics_own_inertia(dynamics, i);
  return flg_spatial_add(flg_inertia_resist(&own, motion->acceleration),
                         flg_inertia_spin(&own, motion->velocity.angular));
}

static void inverse_accelerate(flg_dynamics *dynamics, const double *a) {
  const flg_robot *robot = dynamics->robot;
  flg_motion *motions = dynamics->motions;
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    flg_spatial own = flg_motion_carried(&motions[i], motions[link->parent].acceleration);
    if (link->node >= 0) own = flg_spatial_add(own, flg_flex_carried(dynamics, i, a));
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      own = flg_spatial_add_scaled(own, a[k], dynamics->coordinates[k].direction);
    }
    motions[i].acceleration = own;
  }
}

/* Forces from the tips to the base: each joint takes its part, the rest goes to the parent. */
static void gather(flg_dynamics *dynamics, const flg_spatial *external, const double *a,
                   double *f) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  for (int k = 0; k < dynamics->slot_count; k++) dynamics->handles[k].force = (flg_spatial){0};
  if (robot->flex_count > 0) flg_flex_forces_begin(dynamics, NULL, true);
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
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

void flg_dynamics_inverse(flg_dynamics *dynamics, const double *q, const double *v, const double *a,
                          flg_vec3 gravity, const flg_spatial *external, double *f) {
  flg_dynamics_move(dynamics, q, v);
  dynamics->known.answers = false;
  flg_dynamics_set_gravity(dynamics, gravity);
  inverse_accelerate(dynamics, a);
  gather(dynamics, external, a, f);
}
