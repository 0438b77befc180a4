/* What pushes on the bodies and robots of an assembly, besides its joints. */
#include <string.h>

#include "assembly/assembly_inner.h"
#include "assembly/assembly_signals.h"
#include "robot/robot_forces.h"

/* a force at a frame, in world axes */
static void push(flg_assembly *assembly, const flg_seat *seat, flg_spatial force) {
  if (seat->body >= 0) {
    flg_solid_motion *motion = &assembly->motions[seat->body];
    const flg_vec3 arm = flg_mat3_apply(&motion->pose.rotation, seat->pose.position);
    motion->force =
        flg_spatial_add(motion->force, flg_spatial_shift_force(force, flg_vec3_negate(arm)));
  }
  if (seat->robot >= 0) {
    const flg_robot_part *part = &assembly->robots[seat->robot];
    const flg_mount mount = {seat->link, seat->pose};
    flg_dynamics_frame_force(part->robot->dynamics, &mount, force, part->load);
  }
}

double flg_assembly_spring_away(const flg_assembly *assembly, int index) {
  const flg_component_spring *spring = &assembly->component->springs[index];
  return assembly->measures[spring->coordinate].row.value - assembly->rests[index];
}

double flg_assembly_spring_effort(const flg_assembly *assembly, int index) {
  const flg_component_spring *spring = &assembly->component->springs[index];
  return flg_spring_effort(spring, flg_assembly_spring_away(assembly, index),
                           assembly->measures[spring->coordinate].row.rate);
}

static void pull(flg_assembly *assembly, int coordinate, double effort) {
  const flg_measure *measure = &assembly->measures[coordinate];
  for (int s = 0; s < 2; s++) {
    push(assembly, &measure->seat[s], flg_spatial_scale(measure->row.side[s], effort));
  }
}

void flg_assembly_pull(flg_assembly *assembly, int coordinate, double effort) {
  int of[2];
  double factor[2];
  flg_limits_couple(assembly->component, coordinate, of, factor);
  for (int s = 0; s < 2; s++) {
    if (of[s] >= 0) pull(assembly, of[s], factor[s] * effort);
  }
}

static void pull_springs(flg_assembly *assembly) {
  for (int k = 0; k < assembly->spring_count; k++) {
    if (assembly->spring_closings[k] >= 0) continue; /* a row of the plan */
    flg_assembly_pull(assembly, assembly->component->springs[k].coordinate,
                      flg_assembly_spring_effort(assembly, k));
  }
}

static void push_loads(flg_assembly *assembly) {
  const flg_component *component = assembly->component;
  for (int k = 0; k < component->load_count; k++) {
    if (assembly->flags[k] == 0) continue;
    const flg_seat *seat = &assembly->load_seats[k];
    flg_spatial force = component->loads[k].force;
    if (component->loads[k].follows) {
      const flg_moving_frame frame = flg_assembly_frame(assembly, seat);
      force = flg_spatial_rotate(force, &frame.pose.rotation);
    }
    push(assembly, seat, force);
  }
}

/* the robots' own forces, and the accelerations that all of them together make */
static void push_robots(flg_assembly *assembly, double time, const double *q, const double *v) {
  for (int k = 0; k < assembly->robot_count; k++) {
    const flg_robot_part *part = &assembly->robots[k];
    flg_robot_subsystem *robot = part->robot;
    const double *own_q = q + part->position, *own_v = v + part->velocity;
    flg_robot_effort(robot, time, own_q, own_v, own_v);
    for (int i = 0; i < part->count; i++) robot->effort[i] += part->load[i];
    const double *seen_v = own_v;
    if (assembly->is_coasting) {
      seen_v = memset(part->change, 0, (size_t)part->count * sizeof(double));
    }
    flg_dynamics_forward_held(robot->dynamics, own_q, seen_v, robot->effort, robot->options.gravity,
                              NULL, robot->added, part->free);
    flg_mimics_project(&robot->mimics, robot->dynamics, part->free);
    if (assembly->is_coasting) flg_dynamics_kinematics(robot->dynamics, own_q, own_v);
  }
}

void flg_assembly_forces(flg_assembly *assembly, double time, const double *q, const double *v) {
  for (int k = 0; k < assembly->solid_count; k++) {
    const flg_solid *solid = &assembly->solids[k];
    assembly->motions[k].force =
        (flg_spatial){.linear = flg_vec3_scale(solid->gravity, solid->mass)};
  }
  for (int k = 0; k < assembly->robot_count; k++) {
    const flg_robot_part *part = &assembly->robots[k];
    memset(part->load, 0, (size_t)part->count * sizeof(double));
  }
  pull_springs(assembly);
  push_loads(assembly);
  flg_signals_push(assembly, time);
  for (int k = 0; k < assembly->outlet_count; k++) {
    push(assembly, &assembly->outlets[k].seat, assembly->outlets[k].force);
  }
  for (int k = 0; k < assembly->pressure_count; k++) {
    push(assembly, &assembly->pressures[k].seat,
         (flg_spatial){.linear = assembly->pressures[k].force});
  }
  push_robots(assembly, time, q, v);
}
