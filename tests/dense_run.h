/* dense_run.h - a component of bodies and joints, run by the book: one dense system, for tests.
 *
 *     min |v' - M^-1 f|_M   subject to   G v' = -G' v       (Gauss)
 *
 * by least squares of LAPACK on all rows at once, redundant ones included. It takes masses, frames
 * and joints from the component, and shares no formula with assemblies: rows, their derivatives,
 * forces and Runge-Kutta are its own. Bodies with principal axes along their frames; revolute,
 * cylindrical and planar joints, and gears between angles whose axes stay parallel.
 */
#ifndef FLG_TESTS_DENSE_RUN_H
#define FLG_TESTS_DENSE_RUN_H

#include <lapacke.h>

#include "check.h"
#include "model/component.h"

enum {
  DENSE_ROWS = 160,
  DENSE_BODIES = 20,
  DENSE_BODY = 13, /* numbers of a body: centre, quaternion, velocity, angular velocity */
  DENSE_COLUMNS = 6 * DENSE_BODIES,
  DENSE_EXTRAS = 4,
  DENSE_STATE = DENSE_BODY * DENSE_BODIES + DENSE_EXTRAS,
  DENSE_COORDINATES = 64
};

/* Of rows of length 1, independent ones have singular values above this share of the largest,
 * redundant ones below: off the joints, in stages, they are not quite redundant. */
static const double DENSE_RANK = 1e-3;

typedef struct dense_run {
  const flg_component *component;
  flg_vec3 gravity;
  int body_count, row_count, rank;
  int extra_count;                      /* states besides those of bodies */
  int number[DENSE_BODIES];             /* of a body among those that move, -1: it is fixed */
  int body[DENSE_BODIES];               /* and back */
  double state[DENSE_STATE];            /* bodies, then extras */
  double near[DENSE_COORDINATES];       /* angles a step ago, to unwrap them */
  double start[DENSE_ROWS];             /* what gears were at the start */
  double A[DENSE_ROWS * DENSE_COLUMNS]; /* G M^-1/2, column-major (rows x columns) */
  double left[DENSE_ROWS];              /* g */
  double bias[DENSE_ROWS];              /* G' v */
  flg_spatial force[DENSE_BODIES];      /* that the user adds, at centres of mass */
  /* User: forces, and rates of extras, at a state. */
  void (*push)(struct dense_run *run, double time, const double *y, double *extra_rates);
} dense_run;

/* --- bodies and frames --------------------------------------------------------------------------
 */

static inline int dense_size(const dense_run *run) {
  return DENSE_BODY * run->body_count + run->extra_count;
}

static inline flg_mat3 dense_rotation(const double *body) {
  return flg_quat_to_matrix(flg_quat_normalise((flg_quat){body[3], body[4], body[5], body[6]}));
}

/* M^(power/2) x of a moving body, x [linear; angular] in world axes */
static inline flg_spatial dense_weigh(const dense_run *run, int k, const double *y, double power,
                                      flg_spatial x) {
  const flg_component_body *body = &run->component->bodies[run->body[k]];
  const flg_mat3 R = dense_rotation(y + DENSE_BODY * k);
  flg_vec3 turn = flg_mat3_apply_transposed(&R, x.angular);
  turn.x *= pow(body->inertia.xx, power / 2);
  turn.y *= pow(body->inertia.yy, power / 2);
  turn.z *= pow(body->inertia.zz, power / 2);
  return (flg_spatial){flg_vec3_scale(x.linear, pow(body->mass, power / 2)),
                       flg_mat3_apply(&R, turn)};
}

/* A frame, how it moves, and how it accelerates while its body does not. */
typedef struct dense_frame {
  int number; /* of the moving body, -1: none */
  flg_mat3 rotation;
  flg_vec3 position, velocity, acceleration, spin;
  flg_vec3 arm; /* from the centre of mass */
} dense_frame;

static inline dense_frame dense_frame_of(const dense_run *run, const flg_anchor *anchor,
                                         const double *y) {
  if (anchor->body == FLG_WORLD) {
    return (dense_frame){-1, anchor->pose.rotation, anchor->pose.position};
  }
  const flg_component_body *body = &run->component->bodies[anchor->body];
  const int k = run->number[anchor->body];
  if (k < 0) {
    const flg_pose pose = flg_pose_compose(&body->pose, &anchor->pose);
    return (dense_frame){-1, pose.rotation, pose.position};
  }
  const double *own = y + DENSE_BODY * k;
  const flg_mat3 R = dense_rotation(own);
  const flg_vec3 r = flg_mat3_apply(&R, flg_vec3_subtract(anchor->pose.position, body->centre));
  const flg_vec3 v = flg_vec3_load(own + 7), w = flg_vec3_load(own + 10);
  return (dense_frame){k,
                       flg_mat3_multiply(&R, &anchor->pose.rotation),
                       flg_vec3_add(flg_vec3_load(own), r),
                       flg_vec3_add(v, flg_vec3_cross(w, r)),
                       flg_vec3_cross(w, flg_vec3_cross(w, r)),
                       w,
                       r};
}

/* A direction that is fixed in a frame, with its first two derivatives. */
typedef struct dense_axis {
  flg_vec3 at, rate, bias;
} dense_axis;

static inline dense_axis dense_axis_of(const dense_frame *frame, int column) {
  const flg_vec3 at = flg_mat3_column(&frame->rotation, column);
  const flg_vec3 rate = flg_vec3_cross(frame->spin, at);
  return (dense_axis){at, rate, flg_vec3_cross(frame->spin, rate)};
}

/* --- rows ---------------------------------------------------------------------------------------
 */

/* to the row that is being written */
static inline void dense_add(dense_run *run, int number, const double *y, flg_spatial gradient) {
  if (number < 0) return;
  double values[6];
  flg_spatial_store(dense_weigh(run, number, y, -1, gradient), values);
  for (int i = 0; i < 6; i++) {
    run->A[run->row_count + (6 * number + i) * DENSE_ROWS] += values[i];
  }
}

/* g = e.(p_B - p_A), e an axis of A */
static inline void dense_displace(dense_run *run, const dense_frame end[2], int column,
                                  const double *y) {
  const dense_axis e = dense_axis_of(&end[0], column);
  const flg_vec3 d = flg_vec3_subtract(end[1].position, end[0].position);
  const flg_vec3 u = flg_vec3_subtract(end[1].velocity, end[0].velocity);
  const flg_vec3 a = flg_vec3_subtract(end[1].acceleration, end[0].acceleration);
  const flg_vec3 lever = flg_vec3_add(end[0].arm, d); /* A pushes where B is */
  run->left[run->row_count] = flg_vec3_dot(e.at, d);
  run->bias[run->row_count] =
      flg_vec3_dot(e.bias, d) + 2 * flg_vec3_dot(e.rate, u) + flg_vec3_dot(e.at, a);
  dense_add(run, end[1].number, y, (flg_spatial){e.at, flg_vec3_cross(end[1].arm, e.at)});
  dense_add(run, end[0].number, y,
            (flg_spatial){flg_vec3_negate(e.at), flg_vec3_cross(e.at, lever)});
  run->row_count++;
}

/* g = a.b, an axis of A and one of B */
static inline void dense_align(dense_run *run, const dense_frame end[2], int first, int second,
                               const double *y) {
  const dense_axis a = dense_axis_of(&end[0], first), b = dense_axis_of(&end[1], second);
  run->left[run->row_count] = flg_vec3_dot(a.at, b.at);
  run->bias[run->row_count] =
      flg_vec3_dot(a.bias, b.at) + 2 * flg_vec3_dot(a.rate, b.rate) + flg_vec3_dot(a.at, b.bias);
  dense_add(run, end[0].number, y, (flg_spatial){.angular = flg_vec3_cross(a.at, b.at)});
  dense_add(run, end[1].number, y, (flg_spatial){.angular = flg_vec3_cross(b.at, a.at)});
  run->row_count++;
}

/* An angle of B about z of A, which is also that of B; its rate; and the ends. */
static inline double dense_angle(const dense_run *run, int coordinate, const double *y,
                                 dense_frame end[2], double *rate) {
  const double turn = 2 * acos(-1);
  for (int i = 0; i < 2; i++) {
    end[i] = dense_frame_of(run, &run->component->coordinates[coordinate].end[i], y);
  }
  const flg_vec3 x = flg_mat3_column(&end[1].rotation, 0);
  const double angle = atan2(flg_vec3_dot(x, flg_mat3_column(&end[0].rotation, 1)),
                             flg_vec3_dot(x, flg_mat3_column(&end[0].rotation, 0)));
  const flg_vec3 w = flg_vec3_subtract(end[1].spin, end[0].spin);
  *rate = flg_vec3_dot(flg_mat3_column(&end[0].rotation, 2), w);
  return angle + turn * rint((run->near[coordinate] - angle) / turn);
}

/* a moment about z of A, on B and back on A, which both move */
static inline void dense_twist(dense_run *run, const dense_frame end[2], double moment) {
  const flg_vec3 z = flg_mat3_column(&end[0].rotation, 2);
  flg_vec3 *a = &run->force[end[0].number].angular, *b = &run->force[end[1].number].angular;
  *a = flg_vec3_add_scaled(*a, -moment, z);
  *b = flg_vec3_add_scaled(*b, moment, z);
}

/* g = f0 c0 + f1 c1 - start */
static inline void dense_gear(dense_run *run, const flg_component_joint *joint, const double *y) {
  const int row = run->row_count;
  run->left[row] = -run->start[row];
  for (int i = 0; i < 2; i++) {
    dense_frame end[2];
    double rate;
    const double f = joint->factor[i];
    run->left[row] += f * dense_angle(run, joint->coordinate[i], y, end, &rate);
    const dense_axis z = dense_axis_of(&end[0], 2);
    run->bias[row] += f * flg_vec3_dot(z.rate, flg_vec3_subtract(end[1].spin, end[0].spin));
    dense_add(run, end[1].number, y, (flg_spatial){.angular = flg_vec3_scale(z.at, f)});
    dense_add(run, end[0].number, y, (flg_spatial){.angular = flg_vec3_scale(z.at, -f)});
  }
  run->row_count++;
}

static inline void dense_joint(dense_run *run, const flg_component_joint *joint, const double *y) {
  const flg_constraint_kind kind = joint->kind;
  assert_true(run->row_count + flg_constraint_kinds[kind].rows <= DENSE_ROWS);
  if (kind == FLG_CONSTRAINT_GEAR) {
    dense_gear(run, joint, y);
    return;
  }
  const unsigned holds = flg_constraint_kinds[kind].holds;
  assert_true(holds != 0);
  const dense_frame end[2] = {dense_frame_of(run, &joint->end[0], y),
                              dense_frame_of(run, &joint->end[1], y)};
  const unsigned across = FLG_HOLDS_ACROSS | FLG_HOLDS_POINT;
  for (int i = 0; i < 2 && (holds & across) != 0; i++) dense_displace(run, end, i, y);
  if ((holds & (FLG_HOLDS_ALONG | FLG_HOLDS_POINT)) != 0) dense_displace(run, end, 2, y);
  for (int i = 0; i < 2 && (holds & FLG_HOLDS_UPRIGHT) != 0; i++) dense_align(run, end, i, 2, y);
  if ((holds & FLG_HOLDS_TWIST) != 0) dense_align(run, end, 1, 0, y);
  if ((holds & FLG_HOLDS_CROSS) != 0) dense_align(run, end, 0, 1, y);
}

static inline void dense_rows(dense_run *run, const double *y) {
  memset(run->A, 0, sizeof run->A);
  memset(run->bias, 0, sizeof run->bias);
  run->row_count = 0;
  for (int k = 0; k < run->component->joint_count; k++) {
    dense_joint(run, &run->component->joints[k], y);
  }
}

/* --- solving ------------------------------------------------------------------------------------
 */

static inline double dense_length(const double *row, int n) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum += row[j * DENSE_ROWS] * row[j * DENSE_ROWS];
  return sqrt(sum);
}

/* z += A^+ (aim - A z), aim NULL: 0 */
static inline void dense_meet(dense_run *run, const double *aim, double *z) {
  static double copy[DENSE_ROWS * DENSE_COLUMNS], x[DENSE_ROWS];
  const int m = run->row_count, n = 6 * run->body_count;
  lapack_int pivots[DENSE_COLUMNS] = {0}, rank = 0;
  for (int i = 0; i < m; i++) {
    const double *row = run->A + i, scale = 1 / dense_length(row, n); /* heavy and light alike */
    x[i] = aim != NULL ? aim[i] : 0;
    for (int j = 0; j < n; j++) x[i] -= row[j * DENSE_ROWS] * z[j];
    for (int j = 0; j < n; j++) copy[i + j * DENSE_ROWS] = scale * row[j * DENSE_ROWS];
    x[i] *= scale;
  }
  assert_int_equal(LAPACKE_dgelsy(LAPACK_COL_MAJOR, m, n, 1, copy, DENSE_ROWS, x, DENSE_ROWS,
                                  pivots, DENSE_RANK, &rank),
                   0);
  if (run->rank == 0) run->rank = rank;
  assert_int_equal(rank, run->rank);
  for (int j = 0; j < n; j++) z[j] += x[j];
}

/* from and to weighed numbers of all bodies */
static inline void dense_weigh_all(const dense_run *run, const double *y, double power, double *x) {
  for (int k = 0; k < run->body_count; k++) {
    flg_spatial_store(dense_weigh(run, k, y, power, flg_spatial_load(x + 6 * k)), x + 6 * k);
  }
}

static inline void dense_forces(const dense_run *run, const double *y, double *f) {
  for (int k = 0; k < run->body_count; k++) {
    const flg_vec3 w = flg_vec3_load(y + DENSE_BODY * k + 10);
    const flg_vec3 moment = dense_weigh(run, k, y, 2, (flg_spatial){.angular = w}).angular;
    flg_spatial force = run->force[k];
    const double mass = run->component->bodies[run->body[k]].mass;
    force.linear = flg_vec3_add_scaled(force.linear, mass, run->gravity);
    force.angular = flg_vec3_subtract(force.angular, flg_vec3_cross(w, moment));
    flg_spatial_store(force, f + 6 * k);
  }
}

/* y' */
static inline void dense_rate(dense_run *run, double time, const double *y, double *rate) {
  double z[DENSE_COLUMNS], aim[DENSE_ROWS];
  memset(run->force, 0, sizeof run->force);
  run->push(run, time, y, rate + DENSE_BODY * run->body_count);
  dense_forces(run, y, z);
  dense_weigh_all(run, y, -1, z);
  dense_rows(run, y);
  for (int i = 0; i < run->row_count; i++) aim[i] = -run->bias[i];
  dense_meet(run, aim, z);
  dense_weigh_all(run, y, -1, z);
  for (int k = 0; k < run->body_count; k++) {
    const double *own = y + DENSE_BODY * k;
    double *to = rate + DENSE_BODY * k;
    const flg_quat turn = flg_quat_multiply((flg_quat){0, own[10], own[11], own[12]},
                                            (flg_quat){own[3], own[4], own[5], own[6]});
    memcpy(to, own + 7, 3 * sizeof *to);
    to[3] = turn.w / 2, to[4] = turn.x / 2, to[5] = turn.y / 2, to[6] = turn.z / 2;
    memcpy(to + 7, z + 6 * k, 6 * sizeof *to);
  }
}

/* --- projection ---------------------------------------------------------------------------------
 */

static inline void dense_shift(double *body, flg_spatial by) {
  const flg_quat turn = flg_quat_normalise((flg_quat){body[3], body[4], body[5], body[6]});
  const flg_quat to = flg_quat_multiply(flg_quat_exp(by.angular), turn);
  flg_vec3_store(flg_vec3_add(flg_vec3_load(body), by.linear), body);
  body[3] = to.w, body[4] = to.x, body[5] = to.y, body[6] = to.z;
}

/* positions by Gauss-Newton until they are closed; leaves the rows there */
static inline void dense_close(dense_run *run, double *y) {
  double z[DENSE_COLUMNS], aim[DENSE_ROWS], open = INFINITY;
  for (int round = 0; round < 8; round++) {
    dense_rows(run, y);
    open = 0;
    for (int i = 0; i < run->row_count; i++) {
      open = flg_larger(open, fabs(run->left[i]));
      aim[i] = -run->left[i];
    }
    if (open < 1e-12) return;
    memset(z, 0, sizeof z);
    dense_meet(run, aim, z);
    dense_weigh_all(run, y, -1, z);
    for (int k = 0; k < run->body_count; k++) {
      dense_shift(y + DENSE_BODY * k, flg_spatial_load(z + 6 * k));
    }
  }
  fail_msg("the dense run stays open by %g", open);
}

static inline void dense_project(dense_run *run, double *y) {
  double z[DENSE_COLUMNS];
  dense_close(run, y);
  for (int k = 0; k < run->body_count; k++) {
    memcpy(z + 6 * k, y + DENSE_BODY * k + 7, 6 * sizeof *z);
  }
  dense_weigh_all(run, y, 1, z);
  dense_meet(run, NULL, z);
  dense_weigh_all(run, y, -1, z);
  for (int k = 0; k < run->body_count; k++) {
    memcpy(y + DENSE_BODY * k + 7, z + 6 * k, 6 * sizeof *z);
  }
}

/* --- running ------------------------------------------------------------------------------------
 */

static inline void dense_keep_angles(dense_run *run) {
  for (int k = 0; k < run->component->coordinate_count; k++) {
    dense_frame end[2];
    double rate;
    if (run->component->coordinates[k].kind != FLG_COORDINATE_ANGLE) continue;
    run->near[k] = dense_angle(run, k, run->state, end, &rate);
  }
}

static inline void dense_add_body(dense_run *run, int index) {
  const flg_component_body *body = &run->component->bodies[index];
  run->number[index] = -1;
  if (body->fixed) return;
  assert_true(body->inertia.xy == 0 && body->inertia.xz == 0 && body->inertia.yz == 0);
  assert_true(flg_spatial_dot(body->velocity, body->velocity) == 0);
  double *own = run->state + DENSE_BODY * run->body_count;
  const flg_quat turn = flg_quat_from_matrix(&body->pose.rotation);
  flg_vec3_store(flg_pose_apply(&body->pose, body->centre), own);
  own[3] = turn.w, own[4] = turn.x, own[5] = turn.y, own[6] = turn.z;
  run->body[run->body_count] = index;
  run->number[index] = run->body_count++;
}

/* At rest, extras at 0. Free it. */
static inline dense_run *dense_build(const flg_component *component, flg_vec3 gravity) {
  dense_run *run = calloc(1, sizeof *run);
  assert_non_null(run);
  assert_true(component->body_count <= DENSE_BODIES && component->robot_count == 0);
  assert_true(component->coordinate_count <= DENSE_COORDINATES && component->spring_count == 0);
  assert_true(component->friction_count == 0 && component->stop_count == 0);
  assert_true(component->load_count == 0 && component->effort_count == 0);
  run->component = component, run->gravity = gravity;
  for (int k = 0; k < component->body_count; k++) dense_add_body(run, k);
  dense_keep_angles(run);
  dense_rows(run, run->state);
  for (int k = 0, row = 0; k < component->joint_count; k++) {
    const flg_constraint_kind kind = component->joints[k].kind;
    if (kind == FLG_CONSTRAINT_GEAR) run->start[row] = run->left[row];
    row += flg_constraint_kinds[kind].rows;
  }
  dense_project(run, run->state);
  return run;
}

/* one step of classical Runge-Kutta, then back onto the joints */
static inline void dense_step(dense_run *run, double time, double h) {
  static const double nodes[4] = {0, 0.5, 0.5, 1}, weights[4] = {1, 2, 2, 1};
  double stage[DENSE_STATE], rate[DENSE_STATE], sum[DENSE_STATE] = {0};
  const int size = dense_size(run);
  memcpy(stage, run->state, sizeof stage);
  for (int k = 0; k < 4; k++) {
    dense_rate(run, time + nodes[k] * h, stage, rate);
    for (int i = 0; i < size; i++) {
      sum[i] += h / 6 * weights[k] * rate[i];
      stage[i] = run->state[i] + (k < 3 ? nodes[k + 1] * h : 0) * rate[i];
    }
  }
  for (int i = 0; i < size; i++) run->state[i] += sum[i];
  dense_project(run, run->state);
  dense_keep_angles(run);
}

#endif
