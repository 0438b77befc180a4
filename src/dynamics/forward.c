/* Forward dynamics by articulated bodies (Featherstone), in two parts: factors of the mass matrix,
 * which depend on positions alone, and forces. One coordinate goes at a time: a joint with k
 * coordinates is eliminated as k joints with nothing between them, which is the Cholesky
 * factorisation of its k x k inertia without forming it. Accelerations that velocities make (drift)
 * go from link to link with the forces: summed up along the way first, they would cost long chains
 * their digits.
 *
 * Links go in wide vectors; forces on robots with flexible ones in plain numbers. */
#include <math.h>
#include <string.h>

#include "dynamics/flex.h"
#include "dynamics/inertia.h"
#include "dynamics/joint.h"
#include "dynamics/wide.h"
#include "math/dense.h"
#include "math/wide_vectors.h"

/* --- rigid links: from the tips to the base -----------------------------------------------------
 */

/* Stores of a link: its own inertia, and the articulated one behind its joint. */
FLG_SMALL void keep_own(const flg_wide_inertia *own, double *to) {
  flg_three_store_over(own->moment, to);
  flg_three_store_over(own->rotation.diagonal, to + 3);
  flg_three_store_over(own->rotation.next, to + 6);
}

FLG_SMALL void keep_free(const flg_wide_articulated *A, double *to) {
  flg_three_store_over(A->linear.diagonal, to);
  flg_three_store_over(A->linear.next, to + 3);
  flg_three_store_over(A->coupling.diagonal, to + 6);
  flg_three_store_over(A->coupling.next, to + 9);
  flg_three_store_over(A->coupling.last, to + 12);
  flg_three_store_over(A->angular.diagonal, to + 15);
  flg_three_store_over(A->angular.next, to + 18);
}

FLG_SMALL flg_wide_inertia kept_own(const double *from) {
  return (flg_wide_inertia){flg_three_load(from),
                            {flg_three_load(from + 3), flg_three_load(from + 6)}};
}

FLG_SMALL flg_wide_articulated kept_free(const double *from) {
  return (flg_wide_articulated){
      {flg_three_load(from), flg_three_load(from + 3)},
      {flg_three_load(from + 6), flg_three_load(from + 9), flg_three_load(from + 12)},
      {flg_three_load(from + 15), flg_three_load(from + 18)}};
}

/* Frees a coordinate, which has met the resistance U: what it yields to no longer resists. The
 * inertia D, with what is added, may be infinite. */
FLG_SMALL void let_go(flg_wide_articulated *inertia, flg_coordinate *coordinate,
                      const flg_wide_spatial *U, double D) {
  coordinate->yield = 1 / D;
  flg_wide_store(U, &coordinate->load);
  flg_wide_yield(inertia, U, coordinate->yield);
}

FLG_SMALL void free_coordinate(flg_wide_articulated *inertia, flg_coordinate *coordinate,
                               double added) {
  const flg_wide_spatial S = flg_wide_load(&coordinate->direction);
  const flg_wide_spatial U = flg_wide_resist(inertia, &S);
  let_go(inertia, coordinate, &U, flg_wide_dot(&S, &U) + added);
}

/* The same for S = [0; axis], which leaves half of the products out. */
FLG_SMALL void free_turn(flg_wide_articulated *inertia, flg_coordinate *coordinate, double added) {
  const flg_three axis = flg_three_load(&coordinate->direction.angular.x);
  const flg_wide_spatial U = flg_wide_resist_turn(inertia, axis);
  let_go(inertia, coordinate, &U, flg_three_sum(axis * U.angular) + added);
}

FLG_SMALL void free_link(const flg_link *link, const double *added, flg_wide_articulated *inertia,
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

/* Factors, forces, or both in one pass, which links of long chains come from memory once for: known
 * when compiled. All leave the same bits. What an only child hands on stays in registers for its
 * parent, which comes next; what others hand on is gathered in slots. */
FLG_SMALL void pass_inwards(flg_dynamics *dynamics, const double *added, const double *f,
                            const flg_spatial *external, bool factors, bool forces) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  flg_wide_handle nothing, felt;
  memset(&nothing, 0, sizeof nothing);
  felt = nothing;
  for (int k = 1; k < dynamics->slot_count; k++) dynamics->handles[k].wide = nothing;
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const flg_motion *motion = &dynamics->motions[i];
    double *kept = dynamics->factored[i].wide;
    const int slot = slots[i];
    if (slot != FLG_CHAIN_SLOT) felt = slot < 0 ? nothing : dynamics->handles[slot].wide;
    const flg_wide_inertia own = factors ? flg_wide_inertia_of_link(link, motion) : kept_own(kept);
    if (forces) {
      const flg_wide_spatial spin =
          flg_wide_spin(&own, flg_three_load(&motion->velocity.angular.x));
      flg_wide_add(&felt.force, &spin);
      if (external != NULL) flg_wide_subtract(&felt.force, &external[i]);
    }
    if (factors) {
      keep_own(&own, kept);
      flg_wide_join_rigid(&felt.inertia, link->inertia.mass, &own);
      free_link(link, added, &felt.inertia, dynamics->coordinates);
    }
    if (forces) flg_wide_drive_link(link, f, dynamics->coordinates, &felt.force);
    if (link->parent == FLG_WORLD) continue;
    const flg_three arm = flg_three_load(&motion->arm.x);
    if (factors) {
      keep_free(&felt.inertia, kept + FLG_WIDE_FREE);
    } else {
      felt.inertia = kept_free(kept + FLG_WIDE_FREE);
    }
    if (forces) {
      const flg_wide_spatial drift = flg_wide_load(&motion->drift),
                             more = flg_wide_resist(&felt.inertia, &drift);
      flg_wide_add(&felt.force, &more);
      flg_wide_shift_force(&felt.force, arm);
    }
    if (factors) flg_wide_shift(&felt.inertia, arm);
    if (slots[link->parent] == FLG_CHAIN_SLOT) continue;
    flg_wide_handle *upper = &dynamics->handles[slots[link->parent]].wide;
    if (factors) flg_wide_join(&upper->inertia, &felt.inertia);
    if (forces) flg_wide_add(&upper->force, &felt.force);
  }
}

FLG_WIDE_VECTORS static void factor_links(flg_dynamics *dynamics, const double *added) {
  pass_inwards(dynamics, added, NULL, NULL, true, false);
}

FLG_WIDE_VECTORS static void gather_forces(flg_dynamics *dynamics, const double *f,
                                           const flg_spatial *external) {
  pass_inwards(dynamics, NULL, f, external, false, true);
}

FLG_WIDE_VECTORS static void factor_and_gather(flg_dynamics *dynamics, const double *added,
                                               const double *f, const flg_spatial *external) {
  pass_inwards(dynamics, added, f, external, true, true);
}

/* --- flexible robots: factors in lanes, forces in plain numbers ----------------------------------
 */

/* the inertia of a link, kept in plain numbers for the passes of forces */
FLG_SMALL flg_wide_inertia own_of(const flg_dynamics *dynamics, int i, flg_inertia *kept) {
  const flg_link *link = &dynamics->robot->links[i];
  if (link->flex >= 0) { /* as it is deformed */
    *kept = dynamics->flexes[link->flex].own;
    return (flg_wide_inertia){flg_three_from(kept->moment), flg_wide_sym(&kept->rotation)};
  }
  const flg_wide_inertia own = flg_wide_inertia_of_link(link, &dynamics->motions[i]);
  *kept =
      (flg_inertia){link->inertia.mass, flg_three_vector(own.moment), flg_plain_sym(&own.rotation)};
  return own;
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

/* Elastic coordinates are freed in plain numbers, and all is kept so. */
FLG_WIDE_VECTORS static void factor_bending(flg_dynamics *dynamics, const double *added) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  flg_wide_articulated nothing, inertia;
  memset(&nothing, 0, sizeof nothing);
  inertia = nothing;
  for (int k = 1; k < dynamics->slot_count; k++) dynamics->handles[k].wide.inertia = nothing;
  flg_flex_factor_begin(dynamics);
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    flg_factored_link *factored = &dynamics->factored[i];
    const int slot = slots[i];
    if (slot != FLG_CHAIN_SLOT) inertia = slot < 0 ? nothing : dynamics->handles[slot].wide.inertia;
    if (flg_flex_is_idle(dynamics, i)) {
      factored->free = (flg_articulated){0};
      continue;
    }
    if (!flg_flex_is_bare(link)) {
      const flg_wide_inertia own = own_of(dynamics, i, &factored->own);
      flg_wide_join_rigid(&inertia, factored->own.mass, &own);
    }
    if (link->flex >= 0) {
      flg_articulated plain = flg_plain_of_wide(&inertia);
      flg_flex_free(dynamics, link->flex, added, &plain);
      inertia = flg_wide_of_plain(&plain);
    }
    free_link(link, added, &inertia, dynamics->coordinates);
    if (link->parent == FLG_WORLD) continue;
    factored->free = flg_plain_of_wide(&inertia);
    if (link->node >= 0) flg_flex_hand_inertia(dynamics, i, &factored->free);
    flg_wide_shift(&inertia, flg_three_load(&dynamics->motions[i].arm.x));
    if (slots[link->parent] == FLG_CHAIN_SLOT) continue;
    flg_wide_join(&dynamics->handles[slots[link->parent]].wide.inertia, &inertia);
  }
  find_indefinite(dynamics);
}

/* The force on the parent of a link that the force p acts on, at the link's origin. */
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

/* From the tips to the base, each coordinate keeping what drives it. The force of an
 * only child stays in hand. */
FLG_WIDE_VECTORS static void gather_bending(flg_dynamics *dynamics, const double *f,
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

/* --- from the base to the tips ------------------------------------------------------------------
 */

/* The parent of most links comes just before them, and its acceleration is still in registers.
 * bends: some are flexible. */
FLG_SMALL void pass_outwards(flg_dynamics *dynamics, double *a, bool bends) {
  const flg_robot *robot = dynamics->robot;
  flg_motion *motions = dynamics->motions;
  flg_wide_spatial own = flg_wide_load(&motions[FLG_WORLD].acceleration);
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    if (bends && flg_flex_sleeps(dynamics, i)) continue;
    if (link->parent != i - 1) own = flg_wide_load(&motions[link->parent].acceleration);
    flg_wide_carry(&own, &motions[i]);
    if (bends && link->node >= 0) flg_flex_carry_node(dynamics, i, a, &own);
    flg_wide_answer_link(link, dynamics->coordinates, &own, a);
    flg_wide_store(&own, &motions[i].acceleration);
    if (bends && link->flex >= 0) flg_flex_answer_wide(dynamics, link->flex, &own, a);
  }
}

FLG_WIDE_VECTORS static void spread(flg_dynamics *dynamics, double *a) {
  pass_outwards(dynamics, a, false);
}

FLG_WIDE_VECTORS static void spread_bending(flg_dynamics *dynamics, double *a) {
  pass_outwards(dynamics, a, true);
}

/* --- what is known ------------------------------------------------------------------------------
 */

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
  const bool bends = dynamics->robot->flex_count > 0;
  (bends ? factor_bending : factor_links)(dynamics, added);
  keep_factors(dynamics, added);
}

bool flg_dynamics_is_indefinite(const flg_dynamics *dynamics) {
  return dynamics->is_indefinite;
}

uint64_t flg_dynamics_factor_number(const flg_dynamics *dynamics) {
  return dynamics->factor_number;
}

/* True if it was asked the same before; if not, what it is asked now is kept. Forces on links are
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
    gather_bending(dynamics, f, external);
    spread_bending(dynamics, a);
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
