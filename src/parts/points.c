/* points.c - point masses as parts: 3 velocities, and a port that does not turn.
 *
 *     q  position                   w = (v, 0)             D = diag(1/m, 1/m, 1/m, 0, 0, 0)
 *     v  its rate, in world axes
 *
 * Frames on a point keep the axes that they start with. Moments do nothing to it: joints that ask
 * for axes are refused (flg_part_ops.has_no_axes).
 */
#include <math.h>
#include <string.h>

#include "math/larger.h"
#include "parts/kinds.h"

enum { NUMBERS = 3 }; /* of positions and of velocities */

typedef struct point {
  const flg_component_body *source;
  flg_vec3 gravity;
  flg_moving_frame at;
  flg_vec3 force;
} point;

typedef struct points {
  flg_parts parts;
  point *list; /* (count) */
} points;

static point *point_of(const flg_parts *parts, int part) {
  return &((const points *)parts)->list[part];
}

/* --- set-up -------------------------------------------------------------------------------------
 */

static const flg_part_ops points_ops;

static bool points_take(const flg_component_body *body) {
  return body->is_point;
}

static flg_parts *points_make(flg_region *region, int count) {
  points *set = flg_region_take(region, 1, sizeof *set);
  if (set == NULL) return NULL;
  *set = (points){.parts = {.ops = &points_ops,
                            .count = count,
                            .position_count = NUMBERS * count,
                            .velocity_count = NUMBERS * count},
                  .list = flg_region_take(region, (size_t)count, sizeof *set->list)};
  return region->failed ? NULL : &set->parts;
}

static void points_add(flg_parts *parts, int part, const flg_component_body *body,
                       flg_vec3 gravity) {
  *point_of(parts, part) =
      (point){.source = body, .gravity = gravity, .at.pose.rotation = body->pose.rotation};
}

const flg_part_kind flg_points_kind = {
    .takes = points_take, .make = points_make, .add = points_add};

/* the mass is where its centre is said to be */
static flg_part_anchor points_anchor(flg_parts *parts, int part, int body, flg_pose pose) {
  (void)body;
  const point *of = point_of(parts, part);
  flg_part_anchor made = {.on = &of->at, .of = parts, .part = part, .pose = pose};
  made.pose.position = flg_vec3_subtract(pose.position, of->source->centre);
  return made;
}

static flg_part_slice points_slice(const flg_parts *parts, int part) {
  (void)parts;
  return (flg_part_slice){NUMBERS * part, NUMBERS, NUMBERS * part, NUMBERS};
}

static const flg_component_body *source(const flg_parts *parts, int part) {
  return point_of(parts, part)->source;
}

static flg_part_label points_label(const flg_parts *parts, int part) {
  const flg_component_body *body = source(parts, part);
  return (flg_part_label){body->name, body->place, body->group};
}

static void points_start(flg_parts *parts, double *q, double *v, double *other) {
  (void)other;
  for (int k = 0; k < parts->count; k++) {
    const flg_component_body *body = source(parts, k);
    flg_vec3_store(flg_pose_apply(&body->pose, body->centre), q + NUMBERS * k);
    flg_vec3_store(body->velocity.linear, v + NUMBERS * k);
  }
}

static double points_extent(const flg_parts *parts, const double *q) {
  double most = 0;
  for (int k = 0; k < parts->count; k++) {
    most = flg_larger(most, flg_vec3_norm(flg_vec3_load(q + NUMBERS * k)));
  }
  return most;
}

static bool points_is_linear(const flg_parts *parts, int velocity) {
  (void)parts, (void)velocity;
  return true;
}

/* --- where they are -----------------------------------------------------------------------------
 */

static void points_place(flg_parts *parts, const double *q, const double *v, flg_part_placing how) {
  (void)how;
  for (int k = 0; k < parts->count; k++) {
    point_of(parts, k)->at.pose.position = flg_vec3_load(q + NUMBERS * k);
    point_of(parts, k)->at.velocity.linear = flg_vec3_load(v + NUMBERS * k);
  }
}

static void points_displace(flg_parts *parts, const double *q, const double *v, double h,
                            double *q_next) {
  for (int k = 0; k < parts->position_count; k++) q_next[k] = q[k] + h * v[k];
}

static void points_rate(const flg_parts *parts, const double *q, const double *v, double *rate_q) {
  (void)q;
  memcpy(rate_q, v, (size_t)parts->velocity_count * sizeof *v);
}

/* --- forces -------------------------------------------------------------------------------------
 */

static void points_load(flg_parts *parts) {
  for (int k = 0; k < parts->count; k++) {
    point *of = point_of(parts, k);
    of->force = flg_vec3_scale(of->gravity, parts->mode->is_forceless ? 0 : of->source->mass);
  }
}

static void points_push(flg_parts *parts, const flg_part_anchor *on, flg_spatial force) {
  point *of = point_of(parts, on->part);
  of->force = flg_vec3_add(of->force, force.linear);
}

static void points_accelerate(const flg_parts *parts, bool flies, double *a) {
  (void)flies;
  for (int k = 0; k < parts->count; k++) {
    const point *of = point_of(parts, k);
    flg_vec3_store(flg_vec3_scale(of->force, 1 / of->source->mass), a + NUMBERS * k);
  }
}

/* --- in the plan --------------------------------------------------------------------------------
 */

static flg_status points_fill(flg_parts *parts) {
  for (int k = 0; k < parts->count; k++) {
    const double mass = parts->mode->is_unit ? 1 : source(parts, k)->mass;
    double *D = parts->views[k].matrix;
    memset(D, 0, 36 * sizeof *D);
    for (int i = 0; i < NUMBERS; i++) D[7 * i] = parts->mode->is_root ? 1 / sqrt(mass) : 1 / mass;
  }
  return FLG_OK;
}

static void points_see(const flg_parts *parts, const double *y, double bias_share) {
  (void)bias_share;
  for (int k = 0; k < parts->count; k++) {
    double *bias = parts->views[k].bias;
    memset(bias, 0, FLG_PORT_NUMBERS * sizeof *bias);
    if (y != NULL) memcpy(bias, y + NUMBERS * k, NUMBERS * sizeof *bias);
  }
}

static void points_collect(const flg_parts *parts, const double *from, double *y) {
  (void)from;
  for (int k = 0; k < parts->count; k++) {
    memcpy(y + NUMBERS * k, parts->views[k].motion, NUMBERS * sizeof *y);
  }
}

static void points_pull_back(const flg_parts *parts, int part, int port, const double x[6],
                             double *to) {
  (void)parts, (void)port;
  for (int i = 0; i < NUMBERS; i++) to[NUMBERS * part + i] += x[i];
}

static double points_mobility(const flg_parts *parts, int part, int port, const double x[6]) {
  (void)port;
  return (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) / source(parts, part)->mass;
}

/* --- energy -------------------------------------------------------------------------------------
 */

static double points_kinetic_energy(const flg_parts *parts, int part) {
  const flg_vec3 v = point_of(parts, part)->at.velocity.linear;
  return source(parts, part)->mass * flg_vec3_dot(v, v) / 2;
}

static double points_energy(const flg_parts *parts, int part) {
  const point *of = point_of(parts, part);
  return points_kinetic_energy(parts, part) -
         of->source->mass * flg_vec3_dot(of->gravity, of->at.pose.position);
}

static flg_spatial points_momentum(const flg_parts *parts, int part) {
  const point *of = point_of(parts, part);
  const flg_vec3 linear = flg_vec3_scale(of->at.velocity.linear, of->source->mass);
  return (flg_spatial){linear, flg_vec3_cross(of->at.pose.position, linear)};
}

static const flg_part_ops points_ops = {.kind = "point",
                                        .floats = true,
                                        .has_no_axes = true,
                                        .anchor = points_anchor,
                                        .start = points_start,
                                        .slice = points_slice,
                                        .label = points_label,
                                        .extent = points_extent,
                                        .is_linear = points_is_linear,
                                        .place = points_place,
                                        .displace = points_displace,
                                        .rate = points_rate,
                                        .load = points_load,
                                        .push = points_push,
                                        .accelerate = points_accelerate,
                                        .fill = points_fill,
                                        .see = points_see,
                                        .collect = points_collect,
                                        .pull_back = points_pull_back,
                                        .mobility = points_mobility,
                                        .energy = points_energy,
                                        .kinetic_energy = points_kinetic_energy,
                                        .momentum = points_momentum,
                                        .free_step = &flg_plain_free_step};
