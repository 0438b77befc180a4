#include "subsystem/assembly.h"

#include <math.h>

#include "subsystem/assembly_inner.h"
#include "subsystem/robot_forces.h"

const flg_component *flg_assembly_component(const flg_assembly *assembly) {
  return assembly->component;
}

const flg_assembly_options *flg_assembly_settings(const flg_assembly *assembly) {
  return &assembly->options;
}

double *flg_assembly_state(const flg_assembly *assembly, int *count) {
  *count = assembly->state_count;
  return assembly->state;
}

/* --- stepping -----------------------------------------------------------------------------------
 */

static void sample_robots(flg_assembly *assembly, double time, double h) {
  for (int k = 0; k < assembly->robot_count; k++) {
    flg_robot_subsystem *robot = assembly->robots[k].robot;
    robot->implicit = assembly->options.scheme == FLG_SCHEME_SEMI_IMPLICIT ? h : 0;
    flg_robot_sample(robot, time);
  }
}

flg_status flg_assembly_advance(flg_assembly *assembly, double time, double h, int first,
                                int count) {
  static flg_status (*const step[FLG_SCHEME_COUNT])(flg_assembly *, double, double) = {
      flg_assembly_rattle, flg_assembly_rk4, flg_assembly_semi_implicit};
  for (int k = first; k < first + count; k++) {
    sample_robots(assembly, time + k * h, h);
    flg_status status = flg_limits_begin(assembly);
    if (status == FLG_OK) status = step[assembly->options.scheme](assembly, time + k * h, h);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}

void flg_assembly_refresh(flg_assembly *assembly, double time) {
  assembly->elapsed = 0;
  assembly->is_factored = false;
  for (int k = 0; k < assembly->robot_count; k++) {
    flg_robot_subsystem_refresh(assembly->robots[k].robot, time);
  }
  flg_assembly_place(assembly, assembly->q, assembly->v);
}

/* velocities onto the joints where they are; implicit springs give way */
static flg_status project_velocities(flg_assembly *assembly) {
  assembly->kick = assembly->horizon = 0;
  assembly->is_factored = false;
  assembly->limits.idle = true;
  flg_assembly_place_rows(assembly, assembly->q, assembly->v);
  flg_status status = flg_assembly_factor(assembly, assembly->q, FLG_PIVOTS_CHOOSE);
  if (status == FLG_OK) {
    status = flg_assembly_solve(assembly, assembly->v, (flg_aim){0}, assembly->v);
  }
  assembly->is_factored = false;
  assembly->limits.idle = false;
  flg_assembly_place(assembly, assembly->q, assembly->v);
  flg_limits_start(assembly);
  return status;
}

flg_status flg_assembly_settle(flg_assembly *assembly, double time) {
  flg_assembly_normalise(assembly, assembly->q);
  for (int k = 0; k < assembly->robot_count; k++) {
    flg_robot_subsystem_settle(assembly->robots[k].robot);
  }
  flg_assembly_refresh(assembly, time);
  return project_velocities(assembly);
}

flg_status flg_assembly_close(flg_assembly *assembly, flg_error *error) {
  assembly->kick = assembly->horizon = 0;
  assembly->is_factored = false;
  assembly->limits.idle = true;
  flg_assembly_place_rows(assembly, assembly->q, assembly->v);
  flg_status status = flg_assembly_factor(assembly, assembly->q, FLG_PIVOTS_CHOOSE);
  if (status == FLG_OK) status = flg_assembly_project(assembly, assembly->q, assembly->v, NULL);
  assembly->limits.idle = false;
  if (status != FLG_OK) {
    const flg_closure left = flg_assembly_closure(assembly);
    return flg_fail(error, FLG_ERR_INPUT,
                    "the joints of '%s' cannot be closed: %.3g (m or rad) is left at joint '%s'",
                    assembly->options.name, left.position,
                    left.joint < 0 ? "" : assembly->component->joints[left.joint].name);
  }
  flg_assembly_keep_angles(assembly);
  return project_velocities(assembly);
}

void flg_assembly_enable_load(flg_assembly *assembly, int load, bool enabled) {
  assembly->flags[load] = enabled;
}

/* --- looking ------------------------------------------------------------------------------------
 */

flg_pose flg_assembly_pose(const flg_assembly *assembly, const flg_anchor *anchor) {
  const flg_seat seat = flg_assembly_seat(assembly, anchor);
  return flg_assembly_frame(assembly, &seat).pose;
}

flg_spatial flg_assembly_velocity(const flg_assembly *assembly, const flg_anchor *anchor) {
  const flg_seat seat = flg_assembly_seat(assembly, anchor);
  return flg_assembly_frame(assembly, &seat).velocity;
}

double flg_assembly_coordinate(const flg_assembly *assembly, int coordinate, double *rate) {
  const flg_coordinate_row *row = &assembly->measures[coordinate].row;
  if (rate != NULL) *rate = row->rate;
  return row->value;
}

flg_closure flg_assembly_closure(const flg_assembly *assembly) {
  flg_closure closure = {.joint = -1};
  for (int k = 0; k < assembly->joint_count; k++) {
    const flg_closing *closing = &assembly->closings[k];
    for (int i = 0; i < closing->rows; i++) {
      closure.velocity = fmax(closure.velocity, fabs(closing->rate[i]));
      if (closure.joint >= 0 && !(fabs(closing->left[i]) > closure.position)) continue;
      closure.position = fabs(closing->left[i]), closure.joint = k;
    }
  }
  if (closure.joint >= 0) {
    const flg_closing *closing = &assembly->closings[closure.joint];
    const flg_seat *seat = closing->coordinate[0] >= 0
                               ? &assembly->measures[closing->coordinate[0]].seat[1]
                               : &closing->seat[1];
    closure.where = flg_assembly_frame(assembly, seat).pose.position;
  }
  return closure;
}

static double energy_of_solid(const flg_assembly *assembly, int index) {
  const flg_solid *solid = &assembly->solids[index];
  const flg_solid_motion *motion = &assembly->motions[index];
  const flg_vec3 v = motion->velocity.linear, w = motion->velocity.angular;
  return solid->mass *
             (flg_vec3_dot(v, v) / 2 - flg_vec3_dot(solid->gravity, motion->pose.position)) +
         flg_vec3_dot(w, flg_sym3_apply(motion->inertia, w)) / 2;
}

double flg_assembly_energy(const flg_assembly *assembly) {
  double sum = 0;
  for (int k = 0; k < assembly->solid_count; k++) sum += energy_of_solid(assembly, k);
  for (int k = 0; k < assembly->spring_count; k++) {
    const flg_component_spring *spring = &assembly->component->springs[k];
    const double c = assembly->measures[spring->coordinate].row.value;
    const double stretch = flg_assembly_stretch(assembly, k, c);
    sum += spring->stiffness * stretch * stretch / 2 - spring->preload * c;
  }
  for (int k = 0; k < assembly->robot_count; k++) {
    sum += flg_robot_subsystem_energy(assembly->robots[k].robot);
  }
  return sum;
}

/* --- freedom ------------------------------------------------------------------------------------
 */

flg_status flg_assembly_freedom(flg_assembly *assembly, flg_freedom *freedom) {
  assembly->kick = assembly->horizon = 0;
  assembly->is_factored = false;
  assembly->limits.idle = true;
  flg_assembly_place_rows(assembly, assembly->q, assembly->v);
  const flg_status status = flg_assembly_factor(assembly, assembly->q, FLG_PIVOTS_CHOOSE);
  assembly->limits.idle = false;
  const flg_plan_totals totals = flg_plan_totals_view(assembly->plan);
  const int soft = assembly->closing_count - assembly->joint_count;
  *freedom = (flg_freedom){.velocities = assembly->velocity_count,
                           .rows = totals.rows - soft,
                           .rank = totals.rank - soft};
  assembly->is_factored = false;
  return status;
}

int flg_assembly_redundant_rows(const flg_assembly *assembly, int joint) {
  int count = 0;
  for (int i = 0; i < assembly->closings[joint].rows; i++) {
    count += flg_plan_is_redundant(assembly->plan, joint, i);
  }
  return count;
}
