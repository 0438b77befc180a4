/* Forward dynamics by articulated bodies (Featherstone), in two parts: factors of the mass matrix,
 * which depend on positions alone, and forces. One coordinate goes at a time: a joint with k
 * coordinates is eliminated as k joints with nothing between them, which is the Cholesky
 * factorisation of its k x k inertia without forming it. Accelerations that velocities make (drift)
 * go from link to link with the forces: summed up along the way first, they would cost long chains
 * their digits. */
#include <math.h>
#include <string.h>

#include "dynamics/flex.h"
#include "dynamics/inertia.h"
#include "dynamics/joint.h"
#include "math/dense.h"
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

/* The inertia of an only child stays in hand for its parent, which comes next; others are gathered
 * in slots. bends: known when compiled, so that rigid robots do not pay for flexible links. */
FLG_SMALL void factor_each(flg_dynamics *dynamics, const double *added, bool bends) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  const flg_articulated nothing = {0};
  flg_articulated inertia = nothing;
  for (int k = 1; k < dynamics->slot_count; k++) dynamics->handles[k].inertia = nothing;
  if (bends) flg_flex_factor_begin(dynamics);
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const int slot = slots[i];
    if (slot != FLG_CHAIN_SLOT) inertia = slot < 0 ? nothing : dynamics->handles[slot].inertia;
    flg_factored_link *factored = &dynamics->factored[i];
    if (bends && flg_flex_is_idle(dynamics, i)) {
      factored->free = nothing;
      continue;
    }
    if (!(bends && flg_flex_is_bare(link))) {
      factored->own = bends ? flg_dynamics_own_inertia(dynamics, i)
                            : flg_inertia_of_link(link, &dynamics->motions[i]);
      flg_articulated_join_rigid(&inertia, &factored->own);
    }
    if (bends && link->flex >= 0) flg_flex_free(dynamics, link->flex, added, &inertia);
    free_link(link, added, &inertia, dynamics->coordinates);
    if (link->parent == FLG_WORLD) continue;
    factored->free = inertia;
    if (bends && link->node >= 0) flg_flex_hand_inertia(dynamics, i, &inertia);
    inertia = flg_articulated_shift(&inertia, dynamics->motions[i].arm);
    const int upper = slots[link->parent];
    if (upper != FLG_CHAIN_SLOT) flg_articulated_join(&dynamics->handles[upper].inertia, &inertia);
  }
}

FLG_WIDE_VECTORS static void factor_links(flg_dynamics *dynamics, const double *added) {
  factor_each(dynamics, added, false);
}

FLG_WIDE_VECTORS static void factor_flexible(flg_dynamics *dynamics, const double *added) {
  factor_each(dynamics, added, true);
}

/* The mass matrix of links that bend is positive definite as long as they bend little. Where it is
 * not, there are no accelerations. */
static void find_indefinite(flg_dynamics *dynamics) {
  dynamics->is_indefinite = false;
  for (int k = 0; k < dynamics->robot->velocity_count; k++) {
    double *yield = &dynamics->coordinates[k].yield;
    if (!(*yield < 0)) continue;
    *yield = NAN;
    dynamics->is_indefinite = true;
  }
}

static bool knows_factors(const flg_dynamics *dynamics, const double *added) {
  const flg_dynamics_known *known = &dynamics->known;
  const size_t bytes = (size_t)dynamics->robot->velocity_count * sizeof *added;
  return added != NULL && known->factors && memcmp(known->added, added, bytes) == 0 &&
         known->elastic.damping == dynamics->elastic.damping &&
         known->elastic.stiffness == dynamics->elastic.stiffness;
}

static void keep_factors(flg_dynamics *dynamics, const double *added) {
  flg_dynamics_known *known = &dynamics->known;
  dynamics->factor_number++;
  known->answers = false;
  known->factors = added != NULL;
  if (added == NULL) return;
  memcpy(known->added, added, (size_t)dynamics->robot->velocity_count * sizeof *added);
  known->elastic = dynamics->elastic;
}

void flg_dynamics_factor(flg_dynamics *dynamics, const double *added) {
  if (knows_factors(dynamics, added)) return;
  if (dynamics->robot->flex_count > 0) {
    factor_flexible(dynamics, added);
    find_indefinite(dynamics);
  } else {
    factor_links(dynamics, added);
  }
  keep_factors(dynamics, added);
}

bool flg_dynamics_is_indefinite(const flg_dynamics *dynamics) {
  return dynamics->is_indefinite;
}

uint64_t flg_dynamics_factor_number(const flg_dynamics *dynamics) {
  return dynamics->factor_number;
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
FLG_SMALL void gather_each(flg_dynamics *dynamics, const double *f, const flg_spatial *external,
                           bool bends) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  const flg_spatial none = {{0}, {0}};
  flg_spatial p = none;
  for (int k = 1; k < dynamics->slot_count; k++) dynamics->handles[k].force = none;
  if (bends) flg_flex_forces_begin(dynamics, f, true);
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const flg_motion *motion = &dynamics->motions[i];
    const flg_factored_link *factored = &dynamics->factored[i];
    const int slot = slots[i];
    if (slot != FLG_CHAIN_SLOT) p = slot < 0 ? none : dynamics->handles[slot].force;
    if (bends && external == NULL && flg_flex_is_idle(dynamics, i)) continue;
    if (!(bends && flg_flex_is_bare(link))) {
      p = flg_spatial_add(p, flg_inertia_spin(&factored->own, motion->velocity.angular));
    }
    if (external != NULL) p = flg_spatial_subtract(p, external[i]);
    if (bends && link->flex >= 0) {
      p = flg_spatial_add(p, dynamics->flexes[link->flex].bias);
      p = flg_flex_drive(dynamics, link->flex, p);
    }
    p = drive_link(link, f, p, dynamics->coordinates);
    if (link->parent == FLG_WORLD) continue;
    p = felt_behind(&factored->free, motion, p);
    if (bends && link->node >= 0) flg_flex_hand_force(dynamics, i, p);
    p = flg_spatial_shift_force(p, flg_vec3_negate(motion->arm));
    flg_spatial *upper = &dynamics->handles[slots[link->parent]].force;
    if (slots[link->parent] != FLG_CHAIN_SLOT) *upper = flg_spatial_add(*upper, p);
  }
}

/* Factors and forces of rigid links in one pass, where neither are known: links of long chains come
 * from memory once, and the two recursions do not wait for each other. The same bits as
 * factor_links() and gather_forces(), one after the other. */
FLG_WIDE_VECTORS static void factor_and_gather(flg_dynamics *dynamics, const double *added,
                                               const double *f, const flg_spatial *external) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  const flg_handle nothing = {0};
  flg_handle felt = nothing;
  for (int k = 1; k < dynamics->slot_count; k++) dynamics->handles[k] = nothing;
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const flg_motion *motion = &dynamics->motions[i];
    flg_factored_link *factored = &dynamics->factored[i];
    const int slot = slots[i];
    if (slot != FLG_CHAIN_SLOT) felt = slot < 0 ? nothing : dynamics->handles[slot];
    const flg_inertia own = flg_inertia_of_link(link, motion);
    const flg_spatial spin = flg_inertia_spin(&own, motion->velocity.angular);
    flg_spatial p = flg_spatial_add(felt.force, spin);
    if (external != NULL) p = flg_spatial_subtract(p, external[i]);
    flg_articulated_join_rigid(&felt.inertia, &own);
    free_link(link, added, &felt.inertia, dynamics->coordinates);
    p = drive_link(link, f, p, dynamics->coordinates);
    factored->own = own;
    if (link->parent == FLG_WORLD) continue;
    factored->free = felt.inertia;
    p = felt_behind(&felt.inertia, motion, p);
    felt.force = flg_spatial_shift_force(p, flg_vec3_negate(motion->arm));
    felt.inertia = flg_articulated_shift(&felt.inertia, motion->arm);
    if (slots[link->parent] == FLG_CHAIN_SLOT) continue;
    flg_handle *upper = &dynamics->handles[slots[link->parent]];
    flg_articulated_join(&upper->inertia, &felt.inertia);
    upper->force = flg_spatial_add(upper->force, felt.force);
  }
}

/* From the base to the tips. */
FLG_SMALL void spread_each(flg_dynamics *dynamics, double *a, bool bends) {
  const flg_robot *robot = dynamics->robot;
  flg_motion *motions = dynamics->motions;
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    flg_spatial own = flg_motion_carried(&motions[i], motions[link->parent].acceleration);
    if (bends && link->node >= 0) own = flg_spatial_add(own, flg_flex_carried(dynamics, i, a));
    own = answer_link(link, dynamics->coordinates, own, a);
    if (bends && link->flex >= 0) flg_flex_answer(dynamics, link->flex, own, a);
    motions[i].acceleration = own;
  }
}

FLG_WIDE_VECTORS static void gather_forces(flg_dynamics *dynamics, const double *f,
                                           const flg_spatial *external) {
  gather_each(dynamics, f, external, false);
}

FLG_WIDE_VECTORS static void gather_flexible(flg_dynamics *dynamics, const double *f,
                                             const flg_spatial *external) {
  gather_each(dynamics, f, external, true);
}

FLG_WIDE_VECTORS static void spread(flg_dynamics *dynamics, double *a) {
  spread_each(dynamics, a, false);
}

FLG_WIDE_VECTORS static void spread_flexible(flg_dynamics *dynamics, double *a) {
  spread_each(dynamics, a, true);
}

/* Whether it was asked the same before; if not, what it is asked now is kept. Forces on links are
 * not compared. */
static bool knows_answers(flg_dynamics *dynamics, const double *f, flg_vec3 gravity,
                          const flg_spatial *external) {
  flg_dynamics_known *known = &dynamics->known;
  const flg_vec3 last = dynamics->gravity;
  const bool is_new = flg_dense_renew(known->f, f, (size_t)dynamics->robot->velocity_count);
  return !is_new && known->answers && external == NULL && last.x == gravity.x &&
         last.y == gravity.y && last.z == gravity.z;
}

bool flg_dynamics_has_answers(flg_dynamics *dynamics, const double *q, const double *v) {
  flg_dynamics_move(dynamics, q, v);
  return dynamics->known.answers;
}

void flg_dynamics_forward(flg_dynamics *dynamics, const double *q, const double *v, const double *f,
                          flg_vec3 gravity, const flg_spatial *external, const double *added,
                          double *a) {
  flg_dynamics_known *known = &dynamics->known;
  const size_t bytes = (size_t)dynamics->robot->velocity_count * sizeof *a;
  flg_dynamics_move(dynamics, q, v);
  const bool bends = dynamics->robot->flex_count > 0;
  const bool is_new = !bends && !knows_factors(dynamics, added);
  if (is_new) {
    keep_factors(dynamics, added);
  } else {
    flg_dynamics_factor(dynamics, added);
  }
  if (knows_answers(dynamics, f, gravity, external)) {
    memcpy(a, known->a, bytes);
    return;
  }
  flg_dynamics_set_gravity(dynamics, gravity);
  if (bends) {
    gather_flexible(dynamics, f, external);
    spread_flexible(dynamics, a);
  } else if (is_new) {
    factor_and_gather(dynamics, added, f, external);
    spread(dynamics, a);
  } else {
    gather_forces(dynamics, f, external);
    spread(dynamics, a);
  }
  known->answers = external == NULL;
  memcpy(known->a, a, bytes);
}
