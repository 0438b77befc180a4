#include "parts/bodies.h"

#include <math.h>
#include <string.h>

#include "base/for_each.h"
#include "math/dense.h"
#include "math/dense_small.h"
#include "math/larger.h"
#include "math/wide_vectors.h"
#include "parts/body_lanes.h"
#include "parts/kinds.h"

flg_bodies *flg_bodies_of(flg_parts *parts) {
  return (flg_bodies *)parts;
}

static const flg_bodies *bodies_in(const flg_parts *parts) {
  return (const flg_bodies *)parts;
}

/* --- set-up -------------------------------------------------------------------------------------
 */

/* I^-1 and a root of it, by Cholesky: I = L L^T, I^-1 = L^-T L^-1 */
static void invert_inertia(flg_rigid_body *rigid_body) {
  const flg_mat3 full = flg_sym3_full(rigid_body->inertia);
  double L[9];
  memcpy(L, &full, sizeof L);
  flg_small_cholesky3(L);
  flg_vec3 column[3];
  for (int k = 0; k < 3; k++) {
    double x[3] = {k == 0, k == 1, k == 2};
    flg_dense_solve_lower_transposed(3, L, 3, x);
    column[k] = flg_vec3_load(x);
  }
  rigid_body->root = flg_mat3_from_columns(column[0], column[1], column[2]);
  rigid_body->inverse =
      flg_sym3_add(flg_sym3_add(flg_sym3_outer(column[0]), flg_sym3_outer(column[1])),
                   flg_sym3_outer(column[2]));
}

static bool bodies_take(const flg_component_body *body) {
  (void)body;
  return true;
}

static const flg_part_ops bodies_ops;

static flg_parts *bodies_make(flg_region *region, int count) {
  flg_bodies *bodies = flg_region_take(region, 1, sizeof *bodies);
  if (bodies == NULL) return NULL;
  *bodies = (flg_bodies){
      .parts = {.ops = &bodies_ops,
                .count = count,
                .position_count = FLG_BODY_POSITIONS * count,
                .velocity_count = FLG_BODY_VELOCITIES * count},
      .rigid_bodies = flg_region_take(region, (size_t)count, sizeof *bodies->rigid_bodies),
      .motions = flg_region_take(region, (size_t)count, sizeof *bodies->motions),
      .spin_changes = flg_region_take(region, (size_t)count, sizeof *bodies->spin_changes)};
  return region->failed ? NULL : &bodies->parts;
}

static void bodies_add(flg_parts *parts, int part, const flg_component_body *body,
                       flg_vec3 gravity) {
  flg_rigid_body *rigid_body = &flg_bodies_of(parts)->rigid_bodies[part];
  *rigid_body = (flg_rigid_body){
      .source = body, .mass = body->mass, .inertia = body->inertia, .gravity = gravity};
  invert_inertia(rigid_body);
  /* with two equal moments the inertia follows from one axis, with fewer products in every step */
  rigid_body->is_axial = flg_axial_find(rigid_body->inertia, &rigid_body->resists);
  if (rigid_body->is_axial) rigid_body->yields = flg_axial_inverse(&rigid_body->resists);
}

const flg_part_kind flg_bodies_kind = {
    .takes = bodies_take, .make = bodies_make, .add = bodies_add};

/* A body has one port, at its centre of mass: there D is diagonal but for the inertia, and joints
 * anywhere on the body are rows over it. Frames are known from there, too. */
static flg_part_anchor bodies_anchor(flg_parts *parts, int part, int body, flg_pose pose) {
  (void)body;
  const flg_bodies *bodies = bodies_in(parts);
  flg_part_anchor made = {.on = &bodies->motions[part].at, .of = parts, .part = part, .pose = pose};
  made.pose.position = flg_vec3_subtract(pose.position, bodies->rigid_bodies[part].source->centre);
  return made;
}

static flg_part_slice bodies_slice(const flg_parts *parts, int part) {
  (void)parts;
  return (flg_part_slice){FLG_BODY_POSITIONS * part, FLG_BODY_POSITIONS, FLG_BODY_VELOCITIES * part,
                          FLG_BODY_VELOCITIES};
}

static flg_part_label bodies_label(const flg_parts *parts, int part) {
  const flg_component_body *body = bodies_in(parts)->rigid_bodies[part].source;
  return (flg_part_label){body->name, body->place, body->group};
}

static flg_quat load_turn(const double *q) {
  return (flg_quat){q[3], q[4], q[5], q[6]};
}

static void store_body_turn(flg_quat turn, double *q) {
  q[3] = turn.w, q[4] = turn.x, q[5] = turn.y, q[6] = turn.z;
}

static void start_one(const flg_component_body *body, double *q, double *v) {
  /* Files place the frame of a body, the state is that of its centre of mass, where D is
   * diagonal. */
  const flg_vec3 arm = flg_mat3_apply(&body->pose.rotation, body->centre);
  flg_vec3_store(flg_vec3_add(body->pose.position, arm), q);
  store_body_turn(flg_quat_from_matrix(&body->pose.rotation), q);
  flg_spatial_store(flg_spatial_shift_motion(body->velocity, arm), v);
}

static void bodies_start(flg_parts *parts, double *q, double *v, double *other) {
  (void)other;
  const flg_bodies *bodies = bodies_in(parts);
  for (int k = 0; k < parts->count; k++) {
    start_one(bodies->rigid_bodies[k].source, q + FLG_BODY_POSITIONS * k,
              v + FLG_BODY_VELOCITIES * k);
  }
}

static double bodies_extent(const flg_parts *parts, const double *q) {
  double most = 0;
  for (int k = 0; k < parts->count; k++) {
    most = flg_larger(most, flg_vec3_norm(flg_vec3_load(q + FLG_BODY_POSITIONS * k)));
  }
  return most;
}

static bool bodies_is_linear(const flg_parts *parts, int velocity) {
  (void)parts;
  return velocity % FLG_BODY_VELOCITIES < 3;
}

/* --- poses --------------------------------------------------------------------------------------
 */

typedef struct placing {
  const flg_bodies *bodies;
  const double *q, *v;
  flg_part_placing how;
} placing;

/* its inertia in world axes */
FLG_SMALL void turn_inertia(const flg_rigid_body *rigid_body, flg_rigid_motion *motion) {
  const flg_mat3 *rotation = &motion->at.pose.rotation;
  if (rigid_body->is_axial) {
    const flg_vec3 axis = flg_mat3_apply(rotation, rigid_body->resists.axis);
    motion->inertia = flg_axial_along(&rigid_body->resists, axis);
    motion->inverse = flg_axial_along(&rigid_body->yields, axis);
    return;
  }
  motion->inertia = flg_sym3_rotate(rigid_body->inertia, rotation);
  motion->inverse = flg_sym3_rotate(rigid_body->inverse, rotation);
}

FLG_SMALL void place_body(const placing *at, int index) {
  const flg_rigid_body *rigid_body = &at->bodies->rigid_bodies[index];
  flg_rigid_motion *motion = &at->bodies->motions[index];
  const double *q = at->q + FLG_BODY_POSITIONS * index;
  motion->at.velocity = flg_spatial_load(at->v + FLG_BODY_VELOCITIES * index);
  if (!at->how.is_still) { /* stages of a step often differ in velocities alone */
    motion->at.pose.rotation = flg_quat_to_matrix(flg_quat_normalise(load_turn(q)));
    motion->at.pose.position = flg_vec3_load(q);
  }
  if (at->how.weighs) turn_inertia(rigid_body, motion);
}

/* four at once, if all have axial inertias, as rods and discs do */
FLG_SMALL bool place_lanes(const placing *at, int first) {
  const flg_rigid_body *of = &at->bodies->rigid_bodies[first];
  if (at->how.is_still || !at->how.weighs) return false;
  if (!(of[0].is_axial && of[1].is_axial && of[2].is_axial && of[3].is_axial)) return false;
  flg_rigid_motion *motions = &at->bodies->motions[first];
  for (int k = 0; k < FLG_LANES; k++) {
    motions[k].at.velocity = flg_spatial_load(at->v + FLG_BODY_VELOCITIES * (first + k));
  }
  return flg_body_place_lanes(of, at->q + FLG_BODY_POSITIONS * first, motions);
}

FLG_WIDE_VECTORS
static void place_four(void *context, int index) {
  const placing *at = context;
  const int first = FLG_LANES * index, count = at->bodies->parts.count;
  const int end = first + FLG_LANES < count ? first + FLG_LANES : count;
  if (end == first + FLG_LANES && place_lanes(at, first)) return;
  for (int k = first; k < end; k++) place_body(at, k);
}

static void bodies_place(flg_parts *parts, const double *q, const double *v, flg_part_placing how) {
  placing at = {bodies_in(parts), q, v, how};
  /* The last placing was at the same q and v: nothing would change. */
  if (how.is_same && !how.weighs) return;
  flg_for_each(parts->mode->threads, (parts->count + FLG_LANES - 1) / FLG_LANES, place_four, &at);
}

/* By the exponential of h w, not by h times the rate of the quaternion: a constant spin is exact,
 * however long the step. */
static void bodies_displace(flg_parts *parts, const double *q, const double *v, double h,
                            double *q_next) {
  for (int k = 0; k < parts->count; k++) {
    const double *from = q + FLG_BODY_POSITIONS * k, *w = v + FLG_BODY_VELOCITIES * k;
    double *to = q_next + FLG_BODY_POSITIONS * k;
    for (int i = 0; i < 3; i++) to[i] = from[i] + h * w[i];
    store_body_turn(
        flg_quat_normalise(flg_quat_integrate_world(load_turn(from), flg_vec3_load(w + 3), h)), to);
  }
}

static void bodies_rate(const flg_parts *parts, const double *q, const double *v, double *rate_q) {
  for (int k = 0; k < parts->count; k++) {
    const double *w = v + FLG_BODY_VELOCITIES * k;
    double *to = rate_q + FLG_BODY_POSITIONS * k;
    memcpy(to, w, 3 * sizeof *to);
    store_body_turn(flg_quat_multiply((flg_quat){0, w[3] / 2, w[4] / 2, w[5] / 2},
                                      load_turn(q + FLG_BODY_POSITIONS * k)),
                    to);
  }
}

/* Quaternions of stages of rk4 are sums: their length is 1 only to the order of the step. */
static void bodies_normalise(const flg_parts *parts, double *q) {
  for (int k = 0; k < parts->count; k++) {
    double *of = q + FLG_BODY_POSITIONS * k;
    store_body_turn(flg_quat_normalise(load_turn(of)), of);
  }
}

/* --- forces -------------------------------------------------------------------------------------
 */

static void bodies_load(flg_parts *parts) {
  const flg_bodies *bodies = bodies_in(parts);
  const bool falls = !parts->mode->is_forceless;
  for (int k = 0; k < parts->count; k++) {
    const flg_rigid_body *rigid_body = &bodies->rigid_bodies[k];
    bodies->motions[k].force = (flg_spatial){{0}, {0}};
    if (falls)
      bodies->motions[k].force.linear = flg_vec3_scale(rigid_body->gravity, rigid_body->mass);
  }
}

static void bodies_push(flg_parts *parts, const flg_part_anchor *on, flg_spatial force) {
  flg_rigid_motion *motion = &bodies_in(parts)->motions[on->part];
  const flg_vec3 arm = flg_mat3_apply(&motion->at.pose.rotation, on->pose.position);
  motion->force =
      flg_spatial_add(motion->force, flg_spatial_shift_force(force, flg_vec3_negate(arm)));
}

/* f/m and I^-1 (n - w x I w); free steps of rattle turn the angular momentum themselves, which has
 * the gyroscopic moment in it */
static void bodies_accelerate(const flg_parts *parts, bool flies, double *a) {
  const flg_bodies *bodies = bodies_in(parts);
  for (int k = 0; k < parts->count; k++) {
    const flg_rigid_motion *motion = &bodies->motions[k];
    const flg_vec3 spin = motion->at.velocity.angular;
    flg_vec3 moment = motion->force.angular;
    if (!flies) {
      moment =
          flg_vec3_subtract(moment, flg_vec3_cross(spin, flg_sym3_apply(motion->inertia, spin)));
    }
    double *to = a + FLG_BODY_VELOCITIES * k;
    flg_vec3_store(flg_vec3_scale(motion->force.linear, 1 / bodies->rigid_bodies[k].mass), to);
    flg_vec3_store(flg_sym3_apply(motion->inverse, moment), to + 3);
  }
}

/* --- in the plan --------------------------------------------------------------------------------
 */

static void store_block(const flg_mat3 *block, double *to) {
  for (int j = 0; j < 3; j++) flg_vec3_store(flg_mat3_column(block, j), to + 6 * j);
}

/* a mass of 1 turns by this under a unit moment, by the root of it, or by 1 */
static double unit_turn(const flg_part_mode *mode) {
  if (mode->arm == 0) return 1;
  return mode->is_root ? 1 / mode->arm : 1 / (mode->arm * mode->arm);
}

/* D = diag(1/m, I^-1), a root of it, or that of a unit mass */
static void fill_one(void *context, int index) {
  const flg_bodies *bodies = context;
  const flg_part_mode *mode = bodies->parts.mode;
  const flg_rigid_body *rigid_body = &bodies->rigid_bodies[index];
  const flg_rigid_motion *motion = &bodies->motions[index];
  double *D = bodies->parts.views[index].matrix;
  double linear = mode->is_root ? 1 / sqrt(rigid_body->mass) : 1 / rigid_body->mass;
  flg_mat3 angular = mode->is_root ? flg_mat3_multiply(&motion->at.pose.rotation, &rigid_body->root)
                                   : flg_sym3_full(motion->inverse);
  if (mode->is_unit) linear = 1, angular = flg_sym3_full(flg_sym3_diagonal(unit_turn(mode)));
  memset(D, 0, 36 * sizeof *D);
  for (int k = 0; k < 3; k++) D[7 * k] = linear;
  store_block(&angular, D + 21);
}

static flg_status bodies_fill(flg_parts *parts) {
  flg_for_each(parts->mode->threads, parts->count, fill_one, flg_bodies_of(parts));
  return FLG_OK;
}

static void bodies_see(const flg_parts *parts, const double *y, double bias_share) {
  (void)bias_share; /* J is 1 */
  for (int k = 0; k < parts->count; k++) {
    double *bias = parts->views[k].bias;
    if (y == NULL) {
      memset(bias, 0, FLG_BODY_VELOCITIES * sizeof *bias);
    } else {
      memcpy(bias, y + FLG_BODY_VELOCITIES * k, FLG_BODY_VELOCITIES * sizeof *bias);
    }
  }
}

/* J is 1: the plan has found y as the motion of the port */
static void bodies_collect(const flg_parts *parts, const double *from, double *y) {
  (void)from;
  for (int k = 0; k < parts->count; k++) {
    memcpy(y + FLG_BODY_VELOCITIES * k, parts->views[k].motion, FLG_BODY_VELOCITIES * sizeof *y);
  }
}

static void bodies_pull_back(const flg_parts *parts, int part, int port, const double x[6],
                             double *to) {
  (void)parts, (void)port;
  for (int j = 0; j < FLG_PORT_NUMBERS; j++) to[FLG_BODY_VELOCITIES * part + j] += x[j];
}

static void bodies_weigh(const flg_parts *parts, int part, flg_plan_member *to) {
  const flg_rigid_motion *motion = &bodies_in(parts)->motions[part];
  to->mass = bodies_in(parts)->rigid_bodies[part].mass;
  to->gravity = bodies_in(parts)->rigid_bodies[part].gravity;
  to->inertia = motion->inertia, to->inverse = motion->inverse;
  to->centre = motion->at.pose.position, to->spin = motion->at.velocity.angular;
}

static double bodies_mobility(const flg_parts *parts, int part, int port, const double x[6]) {
  (void)port;
  const flg_bodies *bodies = bodies_in(parts);
  const flg_spatial side = flg_spatial_load(x);
  return flg_vec3_dot(side.linear, side.linear) / bodies->rigid_bodies[part].mass +
         flg_vec3_dot(side.angular, flg_sym3_apply(bodies->motions[part].inverse, side.angular));
}

/* --- energy -------------------------------------------------------------------------------------
 */

static double bodies_energy(const flg_parts *parts, int part) {
  const flg_rigid_body *rigid_body = &bodies_in(parts)->rigid_bodies[part];
  const flg_rigid_motion *motion = &bodies_in(parts)->motions[part];
  const flg_vec3 v = motion->at.velocity.linear, w = motion->at.velocity.angular;
  return rigid_body->mass * (flg_vec3_dot(v, v) / 2 -
                             flg_vec3_dot(rigid_body->gravity, motion->at.pose.position)) +
         flg_vec3_dot(w, flg_sym3_apply(motion->inertia, w)) / 2;
}

static double bodies_kinetic_energy(const flg_parts *parts, int part) {
  const flg_rigid_motion *motion = &bodies_in(parts)->motions[part];
  const flg_vec3 v = motion->at.velocity.linear, w = motion->at.velocity.angular;
  return bodies_in(parts)->rigid_bodies[part].mass * flg_vec3_dot(v, v) / 2 +
         flg_vec3_dot(w, flg_sym3_apply(motion->inertia, w)) / 2;
}

static flg_spatial bodies_momentum(const flg_parts *parts, int part) {
  const flg_rigid_motion *motion = &bodies_in(parts)->motions[part];
  const flg_vec3 linear =
      flg_vec3_scale(motion->at.velocity.linear, bodies_in(parts)->rigid_bodies[part].mass);
  const flg_vec3 own = flg_sym3_apply(motion->inertia, motion->at.velocity.angular);
  return (flg_spatial){linear, flg_vec3_add(own, flg_vec3_cross(motion->at.pose.position, linear))};
}

static const flg_part_ops bodies_ops = {.kind = "body",
                                        .floats = true,
                                        .anchor = bodies_anchor,
                                        .start = bodies_start,
                                        .slice = bodies_slice,
                                        .label = bodies_label,
                                        .extent = bodies_extent,
                                        .is_linear = bodies_is_linear,
                                        .place = bodies_place,
                                        .displace = bodies_displace,
                                        .rate = bodies_rate,
                                        .normalise = bodies_normalise,
                                        .load = bodies_load,
                                        .push = bodies_push,
                                        .accelerate = bodies_accelerate,
                                        .fill = bodies_fill,
                                        .see = bodies_see,
                                        .collect = bodies_collect,
                                        .pull_back = bodies_pull_back,
                                        .mobility = bodies_mobility,
                                        .energy = bodies_energy,
                                        .kinetic_energy = bodies_kinetic_energy,
                                        .momentum = bodies_momentum,
                                        .free_step = &flg_bodies_free_step,
                                        .fly = flg_bodies_fly,
                                        .shift = flg_bodies_shift,
                                        .weigh = bodies_weigh,
                                        .depart = flg_bodies_depart,
                                        .arrive = flg_bodies_arrive,
                                        .turn = flg_bodies_turn,
                                        .spin_changes = flg_bodies_spin_changes};
