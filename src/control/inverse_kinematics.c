#include "control/inverse_kinematics.h"

#include <string.h>

#include "dynamics/mimic.h"
#include "math/dense.h"

/* Lengths count by that of the robot, beside which angles in rad are of the same size. */
static const double GOAL = 2e-14;         /* of |e|: some ten times what rounding leaves */
static const double ENOUGH = 1e-10;       /* what is accepted where rounding is coarser */
static const double FULL_STEP = 0.5;      /* most that a joint moves in a step */
static const double FAR = 100;            /* lengths: positions of farther targets are rounded */
static const double LEAST_DAMPING = 1e-3; /* d^2 / |e|^2 */
static const double MOST_DAMPING = 1e12;
static const double FLOOR = 1e-13;  /* of the trace of J J^T: it can always be factored */
static const double STALLED = 1e-7; /* a step that gains less leads nowhere */
static const double NUDGE = 1e-3;   /* out of a singular pose */
enum { MOST_STEPS = 500, MOST_STALLED = 5, ROWS = 6 };

/* where a velocity of the robot stands in q, and how far it may go */
typedef struct travel {
  int position, joint;
  double lower, upper;
  double unit;  /* 1 of an angle [rad], the length of the robot of a displacement [m] */
  bool free;    /* it may move by itself */
  int leader;   /* the velocity that it goes with: its own, unless its joint mimics another */
  double ratio; /* by how much */
} travel;

struct flg_inverse_kinematics {
  const flg_model *model;
  const flg_robot *robot;
  flg_dynamics *dynamics;
  flg_link_anchor frame;
  double length;    /* of the robot [m] */
  int rows;         /* 6, or 3 if only the position matters */
  travel *ranges;   /* (velocities) */
  bool *active;     /* (velocities) takes part in a step */
  double *rest;     /* (velocities) zeros */
  double *step;     /* (velocities) in units */
  double *trial;    /* (positions) */
  double *jacobian; /* (6 x velocities) of e by units */
};

static void inverse_kinematics_lay_out(flg_inverse_kinematics *built, const flg_robot *robot,
                                       flg_region *region) {
  const size_t nv = (size_t)robot->velocity_count;
  built->ranges = flg_region_take(region, nv, sizeof *built->ranges);
  built->active = flg_region_take(region, nv, sizeof *built->active);
  built->rest = flg_region_take(region, nv, sizeof *built->rest);
  built->step = flg_region_take(region, nv, sizeof *built->step);
  built->trial = flg_region_take(region, (size_t)robot->position_count, sizeof *built->trial);
  built->jacobian = flg_region_take(region, ROWS * nv, sizeof *built->jacobian);
}

/* Joints with several coordinates keep their pose: targets of tools are for arms of hinges and
 * slides. */
static void set_range(flg_inverse_kinematics *kinematics, const flg_link *link,
                      const flg_reach_options *options) {
  const flg_joint *joint = &kinematics->model->joints[link->joint];
  const bool locked = options->locked != NULL && options->locked[link->joint];
  for (int k = 0; k < link->velocity_count; k++) {
    kinematics->ranges[link->velocity + k] =
        (travel){.position = link->position,
                 .joint = link->joint,
                 .lower = joint->lower,
                 .upper = joint->upper,
                 .unit = k < link->displacement_count ? kinematics->length : 1,
                 .free = link->velocity_count == 1 && !locked,
                 .leader = link->velocity + k,
                 .ratio = 1};
  }
}

/* a joint that mimics another, q = m q_leader + o: its leader, which mimics none, takes over its
 * limits, and stays if it is locked */
static void set_follower(flg_inverse_kinematics *kinematics, const flg_link *link) {
  const flg_mimic *mimic = &kinematics->model->joints[link->joint].mimic;
  const flg_robot *robot = kinematics->robot;
  travel *range = &kinematics->ranges[link->velocity];
  if (mimic->joint < 0) return;
  range->leader = robot->links[robot->joint_links[mimic->joint]].velocity;
  range->ratio = mimic->multiplier;
  travel *leader = &kinematics->ranges[range->leader];
  leader->free = leader->free && range->free;
  range->free = false;
  if (mimic->multiplier == 0) return;
  const double one = (range->lower - mimic->offset) / mimic->multiplier;
  const double other = (range->upper - mimic->offset) / mimic->multiplier;
  leader->lower = fmax(leader->lower, fmin(one, other));
  leader->upper = fmin(leader->upper, fmax(one, other));
}

static void set_ranges(flg_inverse_kinematics *kinematics, const flg_reach_options *options) {
  const flg_robot *robot = kinematics->robot;
  for (int i = 0; i < robot->link_count; i++) set_range(kinematics, &robot->links[i], options);
  for (int i = 0; i < robot->link_count; i++) set_follower(kinematics, &robot->links[i]);
}

flg_status flg_inverse_kinematics_build(flg_inverse_kinematics **kinematics, const flg_model *model,
                                        const flg_robot *robot, flg_dynamics *dynamics,
                                        const flg_reach_options *options, flg_region *region,
                                        flg_error *error) {
  flg_inverse_kinematics *built = flg_region_take(region, 1, sizeof *built);
  if (built == NULL) return flg_region_check(region, "inverse kinematics", error);
  *built = (flg_inverse_kinematics){.model = model,
                                    .robot = robot,
                                    .dynamics = dynamics,
                                    .frame = options->frame,
                                    .length = flg_robot_length(robot),
                                    .rows = options->position_only ? 3 : ROWS};
  inverse_kinematics_lay_out(built, robot, region);
  if (region->failed) return flg_region_check(region, "inverse kinematics", error);
  set_ranges(built, options);
  *kinematics = built;
  return FLG_OK;
}

flg_pose flg_inverse_kinematics_pose(flg_inverse_kinematics *kinematics, const double *q) {
  flg_dynamics_kinematics(kinematics->dynamics, q, kinematics->rest);
  return flg_dynamics_frame_pose(kinematics->dynamics, &kinematics->frame);
}

/* what is missing at q; returns its length. Leaves the kinematics at q. */
/* Displacements by the length of the robot, angles in rad: one norm, in any unit of length. */
static double measure_pose_error(flg_inverse_kinematics *kinematics, const flg_pose *target,
                                 const double *q, double error[ROWS]) {
  const flg_pose pose = flg_inverse_kinematics_pose(kinematics, q);
  const flg_mat3 back = flg_mat3_transpose(&pose.rotation);
  const flg_mat3 turn = flg_mat3_multiply(&target->rotation, &back);
  const flg_vec3 way = flg_vec3_subtract(target->position, pose.position);
  const flg_spatial missing = {flg_vec3_scale(way, 1 / kinematics->length),
                               flg_quat_log(flg_quat_from_matrix(&turn))};
  flg_spatial_store(missing, error);
  double sum = 0;
  for (int i = 0; i < kinematics->rows; i++) sum += error[i] * error[i];
  return sqrt(sum);
}

/* after kinematics: J, with the columns of followers in those of their leaders */
/* a follower adds its share to the column of its leader, which is the unknown */
static void differentiate(flg_inverse_kinematics *kinematics) {
  double *J = kinematics->jacobian;
  flg_dynamics_frame_jacobian(kinematics->dynamics, &kinematics->frame, J);
  for (int k = 0; k < kinematics->robot->velocity_count; k++) {
    const travel *range = &kinematics->ranges[k];
    if (range->leader == k) continue;
    for (int i = 0; i < ROWS; i++) J[i + ROWS * range->leader] += range->ratio * J[i + ROWS * k];
  }
  for (int k = 0; k < kinematics->robot->velocity_count; k++) {
    const double unit = kinematics->ranges[k].unit;
    for (int i = 0; i < ROWS; i++) J[i + ROWS * k] *= i < 3 ? unit / kinematics->length : unit;
  }
}

/* dq over the active joints, into step */
/* Levenberg and Marquardt in the form J^T (J J^T + d)^-1 e: a system of six rows, however many
 * joints there are, and of redundant joints the least motion. */
static void solve_damped(flg_inverse_kinematics *kinematics, const double error[ROWS],
                         double damping) {
  const int rows = kinematics->rows, nv = kinematics->robot->velocity_count;
  double A[ROWS * ROWS] = {0}, y[ROWS];
  for (int k = 0; k < nv; k++) {
    const double *column = kinematics->jacobian + ROWS * k;
    if (!kinematics->active[k]) continue;
    flg_dense_multiply_right_transposed(rows, rows, 1, 1, column, ROWS, column, ROWS, A, rows);
  }
  double trace = 0;
  for (int i = 0; i < rows; i++) trace += A[i + i * rows];
  for (int i = 0; i < rows; i++) A[i + i * rows] += damping + FLOOR * (trace + 1);
  memcpy(y, error, sizeof y);
  flg_dense_cholesky(rows, A, rows); /* positive definite by the floor */
  flg_dense_cholesky_solve(rows, A, rows, y);
  memset(kinematics->step, 0, (size_t)nv * sizeof *kinematics->step);
  for (int k = 0; k < nv; k++) {
    if (!kinematics->active[k]) continue;
    flg_dense_apply_transposed(rows, 1, 1, kinematics->jacobian + ROWS * k, ROWS, y,
                               kinematics->step + k);
  }
}

static bool would_leave(const travel *range, const double *q, double step) {
  const double at = q[range->position];
  return (at >= range->upper && step > 0) || (at <= range->lower && step < 0);
}

/* a step in which no joint at its limit leaves it */
/* Joints that would leave their range are taken out, and the step is found again with the others: a
 * step that is only cut off would miss the target. */
static void find_joint_step(flg_inverse_kinematics *kinematics, const double *q,
                            const double error[ROWS], double damping) {
  const int nv = kinematics->robot->velocity_count;
  for (int k = 0; k < nv; k++) kinematics->active[k] = kinematics->ranges[k].free;
  bool settled = false;
  while (!settled) {
    solve_damped(kinematics, error, damping);
    settled = true;
    for (int k = 0; k < nv; k++) {
      if (!kinematics->active[k]) continue;
      if (!would_leave(&kinematics->ranges[k], q, kinematics->step[k])) continue;
      kinematics->active[k] = settled = false;
    }
  }
}

/* q with the step, shortened and within limits, into trial */
/* Shortened as a whole, so that its direction stays: J is good for half a radian, no more. */
static void take_joint_step(flg_inverse_kinematics *kinematics, const double *q) {
  const int nv = kinematics->robot->velocity_count;
  double most = FULL_STEP;
  for (int k = 0; k < nv; k++) most = fmax(most, fabs(kinematics->step[k]));
  memcpy(kinematics->trial, q, (size_t)kinematics->robot->position_count * sizeof *q);
  for (int k = 0; k < nv; k++) {
    const travel *range = &kinematics->ranges[k];
    if (!kinematics->active[k]) continue;
    const double step = range->unit * kinematics->step[k] * (FULL_STEP / most);
    const double at = q[range->position] + step;
    kinematics->trial[range->position] = fmin(fmax(at, range->lower), range->upper);
  }
  flg_mimics_place(kinematics->model, kinematics->robot, kinematics->trial);
}

static int joint_at_limit(const flg_inverse_kinematics *kinematics, const double *q) {
  for (int k = 0; k < kinematics->robot->velocity_count; k++) {
    const travel *range = &kinematics->ranges[k];
    const double at = range->free ? q[range->position] : 0;
    if (range->free && (at >= range->upper || at <= range->lower)) return range->joint;
  }
  return -1;
}

/* steps down from q until the goal or a place from which no step leads on; returns |e| there */
/* The damping shrinks with the error: quadratic convergence at the end, small safe steps far
 * away. */
static double descend_to_target(flg_inverse_kinematics *kinematics, const flg_pose *target,
                                double goal, double *q, double error[ROWS], int *steps) {
  double size = measure_pose_error(kinematics, target, q, error), damping = 1, next[ROWS];
  int stalled = 0;
  differentiate(kinematics);
  for (*steps = 0; *steps < MOST_STEPS && size > goal && stalled < MOST_STALLED; ++*steps) {
    find_joint_step(kinematics, q, error, damping * size * size);
    take_joint_step(kinematics, q);
    const double reached = measure_pose_error(kinematics, target, kinematics->trial, next);
    if (reached < size) {
      stalled = size - reached < STALLED * size ? stalled + 1 : 0;
      size = reached;
      memcpy(q, kinematics->trial, (size_t)kinematics->robot->position_count * sizeof *q);
      memcpy(error, next, sizeof next);
      differentiate(kinematics);
      damping = fmax(damping / 8, LEAST_DAMPING);
    } else {
      damping *= 8;
      if (damping > MOST_DAMPING) break;
    }
  }
  return size;
}

/* In a singular pose the way may lead where no joint can begin to go, as from a stretched arm
 * straight inwards: a little out of the pose it can. */
static void leave_pose(const flg_inverse_kinematics *kinematics, double *q) {
  for (int k = 0; k < kinematics->robot->velocity_count; k++) {
    const travel *range = &kinematics->ranges[k];
    const double room = range->free ? range->upper - q[range->position] : 0;
    const double nudge = NUDGE * range->unit;
    if (range->free) q[range->position] += (room > nudge ? nudge : -nudge) / (1 + k);
  }
  flg_mimics_place(kinematics->model, kinematics->robot, q);
}

/* Twice at most: from the given pose, then from a nudge out of what may be a singular one. */
flg_status flg_inverse_kinematics_solve(flg_inverse_kinematics *kinematics, const flg_pose *target,
                                        double *q, flg_reach *reach) {
  const double scale = fmax(1, flg_vec3_norm(target->position) / (FAR * kinematics->length));
  double error[ROWS];
  double size = descend_to_target(kinematics, target, GOAL * scale, q, error, &reach->steps);
  if (size > ENOUGH * scale) {
    leave_pose(kinematics, q);
    size = descend_to_target(kinematics, target, GOAL * scale, q, error, &reach->steps);
  }
  reach->position = kinematics->length * flg_vec3_norm(flg_vec3_load(error));
  reach->turn = kinematics->rows == ROWS ? flg_vec3_norm(flg_vec3_load(error + 3)) : 0;
  reach->limit = joint_at_limit(kinematics, q);
  return size <= ENOUGH * scale ? FLG_OK : FLG_ERR_RANGE;
}
