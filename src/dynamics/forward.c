/* Forward dynamics by articulated bodies (Featherstone), in two parts: factors of the mass matrix,
 * which depend on positions alone, and forces. One coordinate goes at a time: a joint with k
 * coordinates is eliminated as k joints with nothing between them, which is the Cholesky
 * factorisation of its k x k inertia without forming it. Accelerations that velocities make (drift)
 * go from link to link with the forces: summed up along the way first, they would cost long chains
 * their digits. */
#include <string.h>

#include "dynamics/inertia.h"
#include "dynamics/joint.h"
#include "math/dense.h"
#include "math/wide_vectors.h"

/* --- factors: from the tips to the base --------------------------------------------------------
 */

/* Frees a coordinate, which has met the resistance U: what it yields to no longer resists. The
 * inertia D, with what is added, may be infinite. */
FLG_SMALL void let_go(flg_columns *inertia, flg_coordinate *coordinate, const flg_quad U[2],
                      double D) {
  coordinate->load = (flg_spatial){flg_quad_get(&U[0]), flg_quad_get(&U[1])};
  coordinate->yield = 1 / D;
  flg_columns_yield(inertia, &U[0], &U[1], coordinate->yield);
}

FLG_SMALL void free_coordinate(flg_columns *inertia, flg_coordinate *coordinate, double added) {
  flg_quad U[2];
  flg_columns_resist(inertia, coordinate->direction, &U[0], &U[1]);
  const flg_spatial met = {flg_quad_get(&U[0]), flg_quad_get(&U[1])};
  let_go(inertia, coordinate, U, flg_spatial_dot(coordinate->direction, met) + added);
}

/* The same for S = [0; axis], which leaves half of the products out. */
FLG_SMALL void free_turn(flg_columns *inertia, flg_coordinate *coordinate, double added) {
  const flg_vec3 axis = coordinate->direction.angular;
  flg_quad U[2];
  flg_quad_apply(inertia->coupling, axis, &U[0]);
  flg_quad_apply(inertia->angular, axis, &U[1]);
  let_go(inertia, coordinate, U, flg_vec3_dot(axis, flg_quad_get(&U[1])) + added);
}

FLG_SMALL void free_link(const flg_link *link, const double *added, flg_columns *inertia,
                         flg_coordinate *coordinates) {
  int k = link->velocity + link->velocity_count - 1;
  if (flg_joint_is_turn(link->kind)) {
    free_turn(inertia, &coordinates[k], added == NULL ? 0 : added[k]);
    return;
  }
  for (; k >= link->velocity; k--) {
    free_coordinate(inertia, &coordinates[k], added == NULL ? 0 : added[k]);
  }
}

/* The inertia of an only child stays in hand for its parent, which comes next; others are gathered
 * in slots. */
FLG_WIDE_VECTORS static void factor_links(flg_dynamics *dynamics, const double *added) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  const flg_columns nothing = {{{0}}};
  flg_columns inertia = nothing;
  for (int k = 1; k < dynamics->slot_count; k++) dynamics->handles[k].inertia = nothing;
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    flg_factored_link *factored = &dynamics->factored[i];
    const int slot = slots[i];
    if (slot != FLG_CHAIN_SLOT) inertia = slot < 0 ? nothing : dynamics->handles[slot].inertia;
    flg_columns_of_link(link, &dynamics->motions[i], &factored->own);
    flg_columns_join_rigid(&inertia, link->inertia.mass, &factored->own);
    free_link(link, added, &inertia, dynamics->coordinates);
    if (link->parent == FLG_WORLD) continue;
    factored->free = inertia;
    flg_columns_shift(&inertia, dynamics->motions[i].arm);
    const int upper = slots[link->parent];
    if (upper != FLG_CHAIN_SLOT) flg_columns_join(&dynamics->handles[upper].inertia, &inertia);
  }
}

static bool knows_factors(const flg_dynamics *dynamics, const double *added) {
  const flg_dynamics_known *known = &dynamics->known;
  const size_t bytes = (size_t)dynamics->robot->velocity_count * sizeof *added;
  return added != NULL && known->factors && memcmp(known->added, added, bytes) == 0;
}

void flg_dynamics_factor(flg_dynamics *dynamics, const double *added) {
  flg_dynamics_known *known = &dynamics->known;
  if (knows_factors(dynamics, added)) return;
  factor_links(dynamics, added);
  dynamics->factor_number++;
  known->answers = false;
  known->factors = added != NULL;
  if (added == NULL) return;
  memcpy(known->added, added, (size_t)dynamics->robot->velocity_count * sizeof *added);
}

uint64_t flg_dynamics_factor_number(const flg_dynamics *dynamics) {
  return dynamics->factor_number;
}

/* --- forces ------------------------------------------------------------------------------------
 */

/* The force that the link's spin alone needs: w x (w x h), w x (I w). */
FLG_SMALL flg_spatial spin_of(const flg_own_columns *own, flg_vec3 spin) {
  flg_quad w, turning, momentum, force, moment;
  flg_quad_load(spin, &w);
  flg_quad_cross(&w, &own->moment, &turning);
  flg_quad_apply(own->angular, spin, &momentum);
  flg_quad_cross(&w, &turning, &force);
  flg_quad_cross(&w, &momentum, &moment);
  return (flg_spatial){flg_quad_get(&force), flg_quad_get(&moment)};
}

/* What the parent feels of a link that the force p acts on. */
FLG_SMALL flg_spatial felt_by_parent(const flg_columns *free, const flg_motion *motion,
                                     flg_spatial p) {
  flg_quad force, moment;
  flg_columns_resist(free, motion->drift, &force, &moment);
  p = flg_spatial_add(p, (flg_spatial){flg_quad_get(&force), flg_quad_get(&moment)});
  return flg_spatial_shift_force(p, flg_vec3_negate(motion->arm));
}

/* From the tips to the base, each coordinate keeping what drives it. As with inertias, the force of
 * an only child stays in hand. */
FLG_WIDE_VECTORS static void gather_forces(flg_dynamics *dynamics, const double *f,
                                           const flg_spatial *external) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  flg_spatial p = {0};
  for (int k = 1; k < dynamics->slot_count; k++) dynamics->handles[k].force = (flg_spatial){0};
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const flg_motion *motion = &dynamics->motions[i];
    const flg_factored_link *factored = &dynamics->factored[i];
    const int slot = slots[i];
    if (slot != FLG_CHAIN_SLOT) p = slot < 0 ? (flg_spatial){0} : dynamics->handles[slot].force;
    p = flg_spatial_add(p, spin_of(&factored->own, motion->velocity.angular));
    if (external != NULL) p = flg_spatial_subtract(p, external[i]);
    for (int k = link->velocity + link->velocity_count - 1; k >= link->velocity; k--) {
      p = flg_coordinate_drive(&dynamics->coordinates[k], f[k], p);
    }
    if (link->parent == FLG_WORLD) continue;
    p = felt_by_parent(&factored->free, motion, p);
    flg_spatial *upper = &dynamics->handles[slots[link->parent]].force;
    if (slots[link->parent] != FLG_CHAIN_SLOT) *upper = flg_spatial_add(*upper, p);
  }
}

/* From the base to the tips. */
FLG_WIDE_VECTORS static void spread(flg_dynamics *dynamics, double *a) {
  const flg_robot *robot = dynamics->robot;
  flg_motion *motions = dynamics->motions;
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    flg_spatial own = flg_motion_carried(&motions[i], motions[link->parent].acceleration);
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      own = flg_coordinate_answer(&dynamics->coordinates[k], own, &a[k]);
    }
    motions[i].acceleration = own;
  }
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

void flg_dynamics_forward_held(flg_dynamics *dynamics, const double *q, const double *v,
                               const double *f, flg_vec3 gravity, const flg_spatial *external,
                               const double *added, double *a) {
  flg_dynamics_known *known = &dynamics->known;
  const size_t bytes = (size_t)dynamics->robot->velocity_count * sizeof *a;
  flg_dynamics_move(dynamics, q, v);
  flg_dynamics_factor(dynamics, added);
  if (knows_answers(dynamics, f, gravity, external)) {
    memcpy(a, known->a, bytes);
    return;
  }
  gather_forces(dynamics, f, external);
  flg_dynamics_set_gravity(dynamics, gravity);
  spread(dynamics, a);
  known->answers = external == NULL;
  memcpy(known->a, a, bytes);
}

void flg_dynamics_forward(flg_dynamics *dynamics, const double *q, const double *v, const double *f,
                          flg_vec3 gravity, const flg_spatial *external, double *a) {
  flg_dynamics_forward_held(dynamics, q, v, f, gravity, external, NULL, a);
}
