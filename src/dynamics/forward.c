/* Forward dynamics by articulated bodies (Featherstone), one coordinate at a time: a joint with k
 * coordinates is eliminated as k joints with nothing between them, which is the Cholesky
 * factorisation of its k x k inertia without forming it. */
#include <string.h>

#include "dynamics/inertia.h"
#include "dynamics/joint.h"

/* --- from the tips to the base -----------------------------------------------------------------
 */

/* What goes into the gathering, besides the motions; forces are left out if f is NULL. */
typedef struct loads {
  const double *f;
  const flg_spatial *external;
  const double *added;
} loads;

/* Frees coordinate k, which has met the resistance U: what it yields to no longer resists. The
 * inertia that is added may be infinite. */
static inline void let_go(flg_handle *handle, flg_coordinate *coordinate, flg_spatial U, double D,
                          double drive) {
  const double yield = 1 / D;
  coordinate->load = U;
  coordinate->yield = yield;
  coordinate->drive = drive;
  flg_articulated_yield(&handle->inertia, U, yield);
  handle->force = flg_spatial_add_scaled(handle->force, yield * drive, U);
}

static inline void free_coordinate(flg_handle *handle, flg_coordinate *coordinate, double force,
                                   double added) {
  const flg_spatial S = coordinate->direction;
  const flg_spatial U = flg_articulated_resist(&handle->inertia, S);
  let_go(handle, coordinate, U, flg_spatial_dot(S, U) + added,
         force - flg_spatial_dot(S, handle->force));
}

/* The same for S = [0; axis], which leaves half of the products out. */
static inline void free_turn(flg_handle *handle, flg_coordinate *coordinate, double force,
                             double added) {
  const flg_vec3 axis = coordinate->direction.angular;
  const flg_spatial U = flg_articulated_resist_turn(&handle->inertia, axis);
  let_go(handle, coordinate, U, flg_vec3_dot(axis, U.angular) + added,
         force - flg_vec3_dot(axis, handle->force.angular));
}

static inline void free_link(const flg_link *link, const loads *given, flg_handle *handle,
                             flg_coordinate *coordinates) {
  const double *f = given->f, *added = given->added;
  int k = link->velocity + link->velocity_count - 1;
  if (flg_joint_is_turn(link->kind)) {
    free_turn(handle, &coordinates[k], f == NULL ? 0 : f[k], added == NULL ? 0 : added[k]);
    return;
  }
  for (; k >= link->velocity; k--) {
    free_coordinate(handle, &coordinates[k], f == NULL ? 0 : f[k], added == NULL ? 0 : added[k]);
  }
}

/* Adds the forces on a link to those on its children. */
static inline void add_load(const flg_dynamics *dynamics, int i, const loads *given,
                            const flg_inertia *own, flg_spatial *force) {
  *force = flg_spatial_add(*force, flg_inertia_spin(own, dynamics->motions[i].velocity.angular));
  if (given->external != NULL) *force = flg_spatial_subtract(*force, given->external[i]);
}

/* Adds the link and the forces on it to what its children have handed over. */
static inline void add_link(const flg_dynamics *dynamics, int i, const loads *given,
                            flg_handle *handle) {
  const flg_inertia own = flg_inertia_of_link(&dynamics->robot->links[i], &dynamics->motions[i]);
  flg_articulated_join_rigid(&handle->inertia, &own);
  if (given->f == NULL) {
    dynamics->factored[i].own = own;
  } else {
    add_load(dynamics, i, given, &own, &handle->force);
  }
}

static inline flg_spatial force_on_parent(const flg_articulated *free, flg_spatial force,
                                          const flg_motion *motion) {
  const flg_spatial p = flg_spatial_add(force, flg_articulated_resist(free, motion->drift));
  return flg_spatial_shift_force(p, flg_vec3_negate(motion->arm));
}

/* What the parent feels of a link whose coordinates are free. */
static inline flg_handle felt_by_parent(const flg_handle *handle, const flg_motion *motion,
                                        const loads *given) {
  flg_handle felt = {.inertia = flg_articulated_shift(&handle->inertia, motion->arm)};
  if (given->f != NULL) felt.force = force_on_parent(&handle->inertia, handle->force, motion);
  return felt;
}

static void add_handle(flg_handle *sum, const flg_handle *more) {
  flg_articulated_join(&sum->inertia, &more->inertia);
  sum->force = flg_spatial_add(sum->force, more->force);
}

/* The handle of an only child stays in hand for its parent, which comes next; others are gathered
 * in slots. */
static void gather(flg_dynamics *dynamics, const loads *given) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  const flg_handle nothing = {0};
  flg_handle handle = nothing;
  for (int k = 1; k < dynamics->slot_count; k++) dynamics->handles[k] = nothing;
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    if (slots[i] != FLG_CHAIN_SLOT) handle = slots[i] < 0 ? nothing : dynamics->handles[slots[i]];
    add_link(dynamics, i, given, &handle);
    free_link(link, given, &handle, dynamics->coordinates);
    if (given->f == NULL) dynamics->factored[i].free = handle.inertia;
    if (link->parent == FLG_WORLD) continue;
    handle = felt_by_parent(&handle, &dynamics->motions[i], given);
    const int slot = slots[link->parent];
    if (slot != FLG_CHAIN_SLOT) add_handle(&dynamics->handles[slot], &handle);
  }
}

/* The same for forces alone, where links are factored: the same operations, the same bits. */
static void gather_forces(flg_dynamics *dynamics, const loads *given) {
  const flg_robot *robot = dynamics->robot;
  flg_handle *handles = dynamics->handles;
  for (int k = 0; k < dynamics->slot_count; k++) handles[k].force = (flg_spatial){0};
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const flg_factored_link *factored = &dynamics->factored[i];
    const int slot = dynamics->slots[i];
    flg_spatial p = slot >= 0 ? handles[slot].force : (flg_spatial){0};
    add_load(dynamics, i, given, &factored->own, &p);
    for (int k = link->velocity + link->velocity_count - 1; k >= link->velocity; k--) {
      flg_coordinate *coordinate = &dynamics->coordinates[k];
      coordinate->drive = given->f[k] - flg_spatial_dot(coordinate->direction, p);
      p = flg_spatial_add_scaled(p, coordinate->yield * coordinate->drive, coordinate->load);
    }
    if (link->parent == FLG_WORLD) continue;
    const flg_spatial felt = force_on_parent(&factored->free, p, &dynamics->motions[i]);
    flg_spatial *parent = &handles[dynamics->slots[link->parent]].force;
    *parent = parent == &handles[FLG_CHAIN_SLOT].force ? felt : flg_spatial_add(*parent, felt);
  }
}

/* --- factors that are known --------------------------------------------------------------------
 */

static bool knows_factors(const flg_dynamics *dynamics, const double *added) {
  const flg_dynamics_known *known = &dynamics->known;
  const size_t bytes = (size_t)dynamics->robot->velocity_count * sizeof *added;
  return known->factors && memcmp(known->added, added, bytes) == 0;
}

/* links: whether they are factored, too */
static void keep_factors(flg_dynamics *dynamics, const double *added, bool links) {
  flg_dynamics_known *known = &dynamics->known;
  known->factors = added != NULL;
  known->links = links;
  if (added == NULL) return;
  memcpy(known->added, added, (size_t)dynamics->robot->velocity_count * sizeof *added);
}

void flg_dynamics_factor(flg_dynamics *dynamics, const double *added) {
  const loads given = {.added = added};
  if (added != NULL && dynamics->known.links && knows_factors(dynamics, added)) return;
  gather(dynamics, &given);
  keep_factors(dynamics, added, true);
}

/* --- from the base to the tips -----------------------------------------------------------------
 */

static void spread(flg_dynamics *dynamics, double *a) {
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

void flg_dynamics_forward_held(flg_dynamics *dynamics, const double *q, const double *v,
                               const double *f, flg_vec3 gravity, const flg_spatial *external,
                               const double *added, double *a) {
  flg_dynamics_move(dynamics, q, v);
  const loads given = {f, external, added};
  if (added != NULL && dynamics->known.links && knows_factors(dynamics, added)) {
    gather_forces(dynamics, &given);
  } else {
    gather(dynamics, &given);
    keep_factors(dynamics, added, false);
  }
  flg_dynamics_set_gravity(dynamics, gravity);
  spread(dynamics, a);
}

void flg_dynamics_forward(flg_dynamics *dynamics, const double *q, const double *v, const double *f,
                          flg_vec3 gravity, const flg_spatial *external, double *a) {
  flg_dynamics_forward_held(dynamics, q, v, f, gravity, external, NULL, a);
}
