#include "control/tool_path.h"

#include <stdio.h>
#include <string.h>

#include "base/tolerances.h"
#include "dynamics/mimic.h"
#include "math/larger.h"
#include "model/curve.h"

void flg_tool_path_begin(flg_tool_path *path, const double *q) {
  path->leg = 0;
  path->begun = 0;
  path->start = path->here = flg_inverse_kinematics_pose(path->kinematics, q);
  path->worst = (flg_reach){.limit = -1};
  memcpy(path->from, q, (size_t)path->robot->position_count * sizeof *q);
}

/* how much of the leg is done */
/* A quintic from rest to rest: velocities and accelerations are continuous from leg to leg. */
static double share_at(const flg_tool_path *path, double time) {
  const double times[] = {path->begun, path->legs[path->leg].arrival}, values[] = {0, 1};
  const flg_curve curve = {
      .kind = FLG_CURVE_QUINTIC, .knots = 2, .width = 1, .times = times, .values = values};
  double share;
  if (times[1] <= times[0]) return 1;
  flg_curve_evaluate(&curve, time, &share, NULL, NULL);
  return share;
}

/* from, turned by a share of a rotation vector in world axes */
static flg_mat3 turned_by_share(const flg_mat3 *from, flg_vec3 rotation, double share) {
  const flg_mat3 turn = flg_quat_to_matrix(flg_quat_exp(flg_vec3_scale(rotation, share)));
  return flg_mat3_multiply(&turn, from);
}

/* Turned about one fixed axis, by equal shares: the shortest way between two orientations. */
static flg_pose pose_on_line(const flg_tool_path *path, const flg_leg *leg, double share) {
  const flg_pose *here = &path->here;
  flg_vec3 end = leg->moves ? leg->position : here->position;
  flg_mat3 rotation = leg->turns ? leg->rotation : here->rotation;
  if (leg->relative && leg->moves) end = flg_vec3_add(path->start.position, end);
  if (leg->relative && leg->turns) rotation = flg_mat3_multiply(&rotation, &path->start.rotation);
  const flg_mat3 back = flg_mat3_transpose(&here->rotation);
  const flg_mat3 turn = flg_mat3_multiply(&rotation, &back);
  const flg_vec3 way = flg_vec3_subtract(end, here->position);
  return (flg_pose){
      turned_by_share(&here->rotation, flg_quat_log(flg_quat_from_matrix(&turn)), share),
      flg_vec3_add_scaled(here->position, share, way)};
}

/* The tool turns with the arc: its orientation to the pivot stays. */
static flg_pose pose_on_arc(const flg_tool_path *path, const flg_leg *leg, double share) {
  const flg_vec3 rotation = flg_vec3_scale(flg_vec3_normalise(leg->axis), leg->angle);
  const flg_mat3 identity = flg_mat3_identity(), turn = turned_by_share(&identity, rotation, share);
  const flg_vec3 arm = flg_vec3_subtract(path->here.position, leg->pivot);
  return (flg_pose){flg_mat3_multiply(&turn, &path->here.rotation),
                    flg_vec3_add(leg->pivot, flg_mat3_apply(&turn, arm))};
}

static flg_pose pose_at(const flg_tool_path *path, double share) {
  const flg_leg *leg = &path->legs[path->leg];
  return leg->kind == FLG_LEG_ARC ? pose_on_arc(path, leg, share) : pose_on_line(path, leg, share);
}

static void blame_limit(const flg_tool_path *path, int joint, char text[100]) {
  text[0] = '\0';
  if (joint < 0) return;
  snprintf(text, 100, "; joint '%.40s' stands at its limit", path->model->joints[joint].name);
}

/* The first miss is small, since the way leads out of reach: what counts is how far the end is. */
static flg_status tell_miss(const flg_tool_path *path, double time, const flg_reach *reach,
                            double *q, flg_error *error) {
  const double arrival = path->legs[path->leg].arrival;
  const flg_pose end = pose_at(path, 1);
  flg_reach last;
  char limit[100];
  flg_inverse_kinematics_solve(path->kinematics, &end, q, &last);
  blame_limit(path, reach->limit, limit);
  return flg_fail(error, FLG_ERR_RANGE,
                  "'%s' cannot be reached at t = %.6g s: %.3g m and %.3g rad are missing%s. At the "
                  "end of this move, t = %.6g s, it is %.3g m and %.3g rad.",
                  path->name, time, reach->position, reach->turn, limit, arrival, last.position,
                  last.turn);
}

/* From the last q on: the solution stays on the same branch (elbow up or down) along the whole
 * way. */
static flg_status follow_path(flg_tool_path *path, double time, double *q, flg_error *error) {
  const flg_leg *leg = &path->legs[path->leg];
  const double share = share_at(path, time);
  if (leg->kind == FLG_LEG_JOINTS) {
    for (int k = 0; k < path->count; k++) {
      const double from = path->from[path->positions[k]];
      q[path->positions[k]] = from + share * (leg->targets[k] - from);
    }
    flg_mimics_place(path->model, path->robot, q);
    return FLG_OK;
  }
  const flg_pose target = pose_at(path, share);
  flg_reach reach;
  const flg_status status = flg_inverse_kinematics_solve(path->kinematics, &target, q, &reach);
  if (status != FLG_OK) return tell_miss(path, time, &reach, q, error);
  path->worst.position = flg_larger(path->worst.position, reach.position);
  path->worst.turn = flg_larger(path->worst.turn, reach.turn);
  path->worst.steps = reach.steps > path->worst.steps ? reach.steps : path->worst.steps;
  return FLG_OK;
}

/* Each leg ends exactly at its arrival, whatever times are asked for: the next one starts from
 * there. */
static flg_status arrive_at_leg(flg_tool_path *path, double *q, flg_error *error) {
  const double arrival = path->legs[path->leg].arrival;
  const flg_status status = follow_path(path, arrival, q, error);
  if (status != FLG_OK) return status;
  path->leg++;
  path->begun = arrival;
  path->here = flg_inverse_kinematics_pose(path->kinematics, q);
  memcpy(path->from, q, (size_t)path->robot->position_count * sizeof *q);
  return FLG_OK;
}

/* a rounded time meets the arrival of a leg [s] */
static double time_slack(const flg_tool_path *path) {
  return FLG_TIME_SLACK * (path->legs[path->leg].arrival - path->begun);
}

flg_status flg_tool_path_go(flg_tool_path *path, double time, double *q, flg_error *error) {
  flg_status status = FLG_OK;
  while (status == FLG_OK && path->leg < path->leg_count &&
         time >= path->legs[path->leg].arrival - time_slack(path)) {
    status = arrive_at_leg(path, q, error);
  }
  if (status != FLG_OK || path->leg == path->leg_count) return status;
  if (time - path->begun <= time_slack(path)) return FLG_OK; /* has just arrived here */
  return follow_path(path, time, q, error);
}
