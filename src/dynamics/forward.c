/* Forward dynamics by articulated bodies (Featherstone), one coordinate at a time: a joint with k
 * coordinates is eliminated as k joints with nothing between them, which is the Cholesky
 * factorisation of its k x k inertia without forming it. */
#include "dynamics/scratch.h"

/* --- from the tips to the base -----------------------------------------------------------------
 */

/* The link alone: its inertia in world axes, and the forces that its spin needs,
 *     force = w x (w x h)    moment = w x (I w) */
static inline flg_handle handle_of_link(const flg_link *link, const flg_motion *motion) {
  const flg_vec3 w = motion->velocity.angular;
  const flg_vec3 h = flg_mat3_apply(&motion->rotation, link->inertia.moment);
  const flg_sym3 I = flg_sym3_rotate(link->inertia.rotation, &motion->rotation);
  return (flg_handle){.inertia = {.linear = flg_sym3_diagonal(link->inertia.mass),
                                  .coupling = flg_mat3_skew(flg_vec3_negate(h)),
                                  .angular = I},
                      .force = {.linear = flg_vec3_cross(w, flg_vec3_cross(w, h)),
                                .angular = flg_vec3_cross(w, flg_sym3_apply(I, w))}};
}

static inline void add_handle(flg_handle *sum, const flg_handle *more) {
  sum->inertia.linear = flg_sym3_add(sum->inertia.linear, more->inertia.linear);
  sum->inertia.coupling = flg_mat3_add_scaled(&sum->inertia.coupling, 1, &more->inertia.coupling);
  sum->inertia.angular = flg_sym3_add(sum->inertia.angular, more->inertia.angular);
  sum->force = flg_spatial_add(sum->force, more->force);
}

static inline flg_spatial apply(const flg_articulated *A, flg_spatial motion) {
  return (flg_spatial){flg_vec3_add(flg_sym3_apply(A->linear, motion.linear),
                                    flg_mat3_apply(&A->coupling, motion.angular)),
                       flg_vec3_add(flg_mat3_apply_transposed(&A->coupling, motion.linear),
                                    flg_sym3_apply(A->angular, motion.angular))};
}

/* A - factor u u^T */
static inline void downdate(flg_articulated *A, flg_spatial u, double factor) {
  const flg_vec3 f = flg_vec3_scale(u.linear, factor), n = flg_vec3_scale(u.angular, factor);
  const flg_vec3 a = u.linear, b = u.angular;
  A->linear.xx -= f.x * a.x;
  A->linear.yy -= f.y * a.y;
  A->linear.zz -= f.z * a.z;
  A->linear.xy -= f.x * a.y;
  A->linear.xz -= f.x * a.z;
  A->linear.yz -= f.y * a.z;
  double *H = A->coupling.m;
  H[0] -= f.x * b.x, H[1] -= f.y * b.x, H[2] -= f.z * b.x;
  H[3] -= f.x * b.y, H[4] -= f.y * b.y, H[5] -= f.z * b.y;
  H[6] -= f.x * b.z, H[7] -= f.y * b.z, H[8] -= f.z * b.z;
  A->angular.xx -= n.x * b.x;
  A->angular.yy -= n.y * b.y;
  A->angular.zz -= n.z * b.z;
  A->angular.xy -= n.x * b.y;
  A->angular.xz -= n.x * b.z;
  A->angular.yz -= n.y * b.z;
}

/* The same inertia felt at the parent's origin, r before the link's. With P = [r]x:
 *     H' = H - M P        I' = I + P H' + (P H)^T */
static inline flg_articulated shift(const flg_articulated *A, flg_vec3 r) {
  const flg_sym3 M = A->linear;
  const double *H = A->coupling.m;
  const flg_mat3 K = {{H[0] - (M.xy * r.z - M.xz * r.y), H[1] - (M.yy * r.z - M.yz * r.y),
                       H[2] - (M.yz * r.z - M.zz * r.y), H[3] - (M.xz * r.x - M.xx * r.z),
                       H[4] - (M.yz * r.x - M.xy * r.z), H[5] - (M.zz * r.x - M.xz * r.z),
                       H[6] - (M.xx * r.y - M.xy * r.x), H[7] - (M.xy * r.y - M.yy * r.x),
                       H[8] - (M.xz * r.y - M.yz * r.x)}};
  const double *k = K.m;
  return (flg_articulated){
      .linear = M,
      .coupling = K,
      .angular = {
          A->angular.xx + (r.y * (k[2] + H[2]) - r.z * (k[1] + H[1])),
          A->angular.yy + (r.z * (k[3] + H[3]) - r.x * (k[5] + H[5])),
          A->angular.zz + (r.x * (k[7] + H[7]) - r.y * (k[6] + H[6])),
          A->angular.xy + (r.z * k[0] - r.x * k[2]) + (r.y * H[5] - r.z * H[4]),
          A->angular.xz + (r.x * k[1] - r.y * k[0]) + (r.y * H[8] - r.z * H[7]),
          A->angular.yz + (r.x * k[4] - r.y * k[3]) + (r.z * H[6] - r.x * H[8]),
      }};
}

/* Frees one coordinate: what it yields to no longer resists. `added` to S.U may be infinite. */
static inline void free_coordinate(flg_handle *handle, flg_coordinate *coordinate, double force,
                                   double added) {
  const flg_spatial S = coordinate->direction, U = apply(&handle->inertia, S);
  const double yield = 1 / (flg_spatial_dot(S, U) + added);
  const double drive = force - flg_spatial_dot(S, handle->force);
  coordinate->load = U;
  coordinate->yield = yield;
  coordinate->drive = drive;
  downdate(&handle->inertia, U, yield);
  handle->force = flg_spatial_add_scaled(handle->force, yield * drive, U);
}

/* A turn about a: S = [0; a] leaves half of the products out. */
static inline void free_turn(flg_handle *handle, flg_coordinate *coordinate, double force,
                             double added) {
  const flg_vec3 a = coordinate->direction.angular;
  const flg_spatial U = {flg_mat3_apply(&handle->inertia.coupling, a),
                         flg_sym3_apply(handle->inertia.angular, a)};
  const double yield = 1 / (flg_vec3_dot(a, U.angular) + added);
  const double drive = force - flg_vec3_dot(a, handle->force.angular);
  coordinate->load = U;
  coordinate->yield = yield;
  coordinate->drive = drive;
  downdate(&handle->inertia, U, yield);
  handle->force = flg_spatial_add_scaled(handle->force, yield * drive, U);
}

/* What the parent feels of a link whose coordinates are free. */
static inline flg_handle hand_on(const flg_handle *handle, const flg_motion *motion) {
  const flg_spatial p = flg_spatial_add(handle->force, apply(&handle->inertia, motion->drift));
  return (flg_handle){.inertia = shift(&handle->inertia, motion->arm),
                      .force = flg_spatial_shift_force(p, flg_vec3_negate(motion->arm))};
}

static inline void free_link(const flg_link *link, flg_handle *handle, flg_coordinate *coordinates,
                             const double *f, const double *added) {
  if (link->kind == FLG_JOINT_REVOLUTE || link->kind == FLG_JOINT_CONTINUOUS) {
    free_turn(handle, coordinates, f[0], added == NULL ? 0 : added[0]);
    return;
  }
  for (int k = link->velocity_count - 1; k >= 0; k--) {
    free_coordinate(handle, &coordinates[k], f[k], added == NULL ? 0 : added[k]);
  }
}

static void gather(flg_dynamics *dynamics, const double *f, const flg_spatial *external,
                   const double *added) {
  const flg_robot *robot = dynamics->robot;
  const int *slots = dynamics->slots;
  for (int k = 1; k < dynamics->slot_count; k++) dynamics->handles[k] = (flg_handle){0};
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const flg_motion *motion = &dynamics->motions[i];
    flg_handle handle = handle_of_link(link, motion);
    if (slots[i] >= 0) add_handle(&handle, &dynamics->handles[slots[i]]);
    if (external != NULL) handle.force = flg_spatial_subtract(handle.force, external[i]);
    free_link(link, &handle, dynamics->coordinates + link->velocity, f + link->velocity,
              added == NULL ? NULL : added + link->velocity);
    if (link->parent == FLG_WORLD) continue;
    const flg_handle felt = hand_on(&handle, motion);
    flg_handle *parent = &dynamics->handles[slots[link->parent]];
    if (slots[link->parent] == 0) {
      *parent = felt;
    } else {
      add_handle(parent, &felt);
    }
  }
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
      const flg_coordinate *coordinate = &dynamics->coordinates[k];
      a[k] = coordinate->yield * (coordinate->drive - flg_spatial_dot(coordinate->load, own));
      own = flg_spatial_add_scaled(own, a[k], coordinate->direction);
    }
    motions[i].acceleration = own;
  }
}

void flg_dynamics_forward_held(flg_dynamics *dynamics, const double *q, const double *v,
                               const double *f, flg_vec3 gravity, const flg_spatial *external,
                               const double *added, double *a) {
  flg_dynamics_move(dynamics, q, v);
  gather(dynamics, f, external, added);
  flg_dynamics_set_gravity(dynamics, gravity);
  spread(dynamics, a);
}

void flg_dynamics_forward(flg_dynamics *dynamics, const double *q, const double *v, const double *f,
                          flg_vec3 gravity, const flg_spatial *external, double *a) {
  flg_dynamics_forward_held(dynamics, q, v, f, gravity, external, NULL, a);
}
