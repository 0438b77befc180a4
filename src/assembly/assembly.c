#include "assembly/assembly.h"

#include <math.h>
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_signals.h"
#include "robot/robot_forces.h"

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

void flg_assembly_sample(flg_assembly *assembly, double time, double h) {
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
  assembly->spun = -1;
  if (first == 0) flg_watch_begin(assembly);
  for (int k = first; k < first + count; k++) {
    flg_assembly_sample(assembly, time + k * h, h);
    flg_status status = flg_limits_begin(assembly);
    if (status == FLG_OK) status = step[assembly->options.scheme](assembly, time + k * h, h);
    if (status != FLG_OK) return status;
  }
  assembly->watched_time += count * h;
  flg_assembly_tell_passages(assembly);
  return FLG_OK;
}

void flg_assembly_refresh(flg_assembly *assembly, double time) {
  assembly->elapsed = 0;
  for (int k = 0; k < assembly->robot_count; k++) {
    flg_robot_subsystem_refresh(assembly->robots[k].robot, time);
  }
  flg_watch_refresh(assembly);
  flg_assembly_place(assembly, assembly->q, assembly->v);
  flg_assembly_touch_recall(assembly);
  flg_signals_look(assembly, time);
}

flg_status flg_assembly_project_velocities(flg_assembly *assembly) {
  assembly->kick = assembly->horizon = assembly->elapsed = 0;
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

flg_status flg_assembly_settle(flg_assembly *assembly) {
  flg_assembly_normalise(assembly, assembly->q);
  for (int k = 0; k < assembly->robot_count; k++) {
    flg_robot_subsystem_settle(assembly->robots[k].robot);
  }
  return flg_assembly_project_velocities(assembly);
}

/* positions as they were: what is left there says more than where the search got lost */
static flg_status refuse_to_close(flg_assembly *assembly, flg_error *error) {
  memcpy(assembly->q, assembly->stage_q, (size_t)assembly->position_count * sizeof(double));
  flg_assembly_place(assembly, assembly->q, assembly->v);
  const flg_closure left = flg_assembly_closure(assembly);
  return flg_fail(error, FLG_ERR_INPUT,
                  "the joints of '%s' cannot be closed; joint '%s' is open widest, by %.3g (m or "
                  "rad)",
                  assembly->options.name, flg_assembly_joint_name(assembly, left.joint),
                  left.position);
}

flg_status flg_assembly_close(flg_assembly *assembly, flg_error *error) {
  assembly->kick = assembly->horizon = assembly->elapsed = 0;
  assembly->is_factored = false;
  memcpy(assembly->stage_q, assembly->q, (size_t)assembly->position_count * sizeof(double));
  assembly->limits.idle = true;
  flg_assembly_place_rows(assembly, assembly->q, assembly->v);
  flg_status status = flg_assembly_factor(assembly, assembly->q, FLG_PIVOTS_CHOOSE);
  if (status == FLG_OK) status = flg_assembly_project(assembly, assembly->q, assembly->v, NULL);
  assembly->limits.idle = false;
  if (status == FLG_OK) {
    flg_assembly_place(assembly, assembly->q, assembly->v);
    assembly->start_energy = flg_assembly_kinetic_energy(assembly);
    status = flg_assembly_project_velocities(assembly);
  }
  if (status != FLG_OK) return refuse_to_close(assembly, error);
  flg_assembly_keep_angles(assembly);
  flg_signals_start(assembly, NULL);
  return FLG_OK;
}

static void copy(double *to, const double *from, int count) {
  memcpy(to, from, (size_t)count * sizeof *to);
}

void flg_assembly_follow(flg_assembly *assembly, const flg_assembly *larger, int first_body,
                         int first_robot) {
  for (int k = 0; k < assembly->solid_count; k++) {
    const int there = larger->solid_of[first_body + assembly->solids[k].source];
    copy(assembly->q + FLG_BODY_POSITIONS * k, larger->q + FLG_BODY_POSITIONS * there,
         FLG_BODY_POSITIONS);
    copy(assembly->v + FLG_BODY_VELOCITIES * k, larger->v + FLG_BODY_VELOCITIES * there,
         FLG_BODY_VELOCITIES);
  }
  for (int k = 0; k < assembly->robot_count; k++) {
    flg_assembly_lead(larger, first_robot + k, assembly->robots[k].robot);
  }
  flg_assembly_begin(assembly);
  flg_signals_start(assembly, NULL);
}

void flg_assembly_lead(const flg_assembly *larger, int number, flg_robot_subsystem *robot) {
  const flg_robot_part *part = &larger->robots[number];
  copy(robot->q, larger->q + part->position, robot->robot.position_count);
  copy(robot->v, larger->v + part->velocity, robot->robot.velocity_count);
}

void flg_assembly_enable_load(flg_assembly *assembly, int load, bool enabled) {
  const int first = flg_forces_first(assembly->component, &flg_load_kind);
  assembly->forces[first + load].force.state[0] = enabled;
}

int flg_assembly_find_robot(const flg_assembly *assembly, const char *name) {
  for (int k = 0; k < assembly->robot_count; k++) {
    if (strcmp(assembly->component->robots[k].name, name) == 0) return k;
  }
  return -1;
}

flg_robot_subsystem *flg_assembly_robot(const flg_assembly *assembly, int index) {
  return assembly->robots[index].robot;
}

flg_status flg_assembly_press(flg_assembly *assembly, const flg_anchor *frames, int count) {
  flg_pressure *made = flg_region_take(&assembly->region, (size_t)count, sizeof *made);
  if (made == NULL) return FLG_ERR_MEMORY;
  for (int k = 0; k < count; k++) {
    made[k] = (flg_pressure){.seat = flg_assembly_seat(assembly, &frames[k])};
  }
  assembly->pressures = made, assembly->pressure_count = count;
  return FLG_OK;
}

void flg_assembly_set_pressure(flg_assembly *assembly, int index, flg_vec3 force) {
  assembly->pressures[index].force = force;
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

static double energy_of_solid(const flg_assembly *assembly, int index) {
  const flg_solid *solid = &assembly->solids[index];
  const flg_solid_motion *motion = &assembly->motions[index];
  const flg_vec3 v = motion->velocity.linear, w = motion->velocity.angular;
  return solid->mass *
             (flg_vec3_dot(v, v) / 2 - flg_vec3_dot(solid->gravity, motion->pose.position)) +
         flg_vec3_dot(w, flg_sym3_apply(motion->inertia, w)) / 2;
}

double flg_assembly_kinetic_energy(const flg_assembly *assembly) {
  double sum = 0;
  for (int k = 0; k < assembly->solid_count; k++) {
    const flg_solid_motion *motion = &assembly->motions[k];
    const flg_vec3 v = motion->velocity.linear, w = motion->velocity.angular;
    sum += assembly->solids[k].mass * flg_vec3_dot(v, v) / 2 +
           flg_vec3_dot(w, flg_sym3_apply(motion->inertia, w)) / 2;
  }
  for (int k = 0; k < assembly->robot_count; k++) {
    sum += flg_dynamics_kinetic_energy(assembly->robots[k].robot->dynamics);
  }
  return sum;
}

/* groups come after those around them, and all after FLG_TOP */
static bool is_within(const flg_component *component, int group, int around) {
  while (group > around) group = component->groups[group].parent;
  return group == around;
}

double flg_assembly_group_energy(const flg_assembly *assembly, int group) {
  const flg_component *component = assembly->component;
  double sum = 0;
  for (int k = 0; k < assembly->solid_count; k++) {
    const int own = component->bodies[assembly->solids[k].source].group;
    if (is_within(component, own, group)) sum += energy_of_solid(assembly, k);
  }
  for (int k = 0; k < assembly->force_count; k++) {
    const int own = flg_force_head_of(&assembly->forces[k].force)->group;
    if (is_within(component, own, group)) sum += flg_assembly_force_energy(assembly, k);
  }
  for (int k = 0; k < assembly->robot_count; k++) {
    if (!is_within(component, component->robots[k].group, group)) continue;
    sum += flg_robot_subsystem_energy(assembly->robots[k].robot);
  }
  return sum;
}

flg_spatial flg_assembly_group_momentum(const flg_assembly *assembly, int group) {
  const flg_component *component = assembly->component;
  flg_spatial sum = {{0, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < assembly->solid_count; k++) {
    const flg_solid *solid = &assembly->solids[k];
    const flg_solid_motion *motion = &assembly->motions[k];
    if (!is_within(component, component->bodies[solid->source].group, group)) continue;
    const flg_vec3 linear = flg_vec3_scale(motion->velocity.linear, solid->mass);
    const flg_vec3 own = flg_sym3_apply(motion->inertia, motion->velocity.angular);
    const flg_vec3 moment = flg_vec3_cross(motion->pose.position, linear);
    sum = flg_spatial_add(sum, (flg_spatial){linear, flg_vec3_add(own, moment)});
  }
  for (int k = 0; k < assembly->robot_count; k++) {
    if (!is_within(component, component->robots[k].group, group)) continue;
    sum = flg_spatial_add(sum, flg_dynamics_momentum(assembly->robots[k].robot->dynamics));
  }
  return sum;
}

double flg_assembly_energy(const flg_assembly *assembly) {
  return flg_assembly_group_energy(assembly, FLG_TOP);
}
