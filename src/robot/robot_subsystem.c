#include "robot/robot_subsystem.h"

#include <math.h>
#include <string.h>

#include "robot/robot_contacts.h"
#include "robot/robot_coupled.h"
#include "robot/robot_ends.h"
#include "robot/robot_forces.h"
#include "robot/robot_friction.h"
#include "robot/robot_stages.h"
#include "robot/robot_step.h"

flg_status flg_robot_subsystem_build(flg_robot_subsystem *subsystem, const flg_model *model,
                                     const flg_robot_options *options, flg_mistakes *mistakes) {
  *subsystem =
      (flg_robot_subsystem){.options = *options, .model = model, .ground = flg_pose_identity()};
  const flg_status status = flg_robot_build(&subsystem->robot, model, &subsystem->region, mistakes);
  /* A robot that cannot be compiled leaves no memory behind: callers need not know how far it
   * got. */
  if (status != FLG_OK) flg_robot_subsystem_release(subsystem);
  return status;
}

/* how many numbers each piece of memory has */
typedef struct sizes {
  size_t state, velocities, scratch;
} sizes;

static sizes sizes_of(const flg_robot_subsystem *subsystem) {
  const flg_robot *robot = &subsystem->robot;
  const size_t nq = (size_t)robot->position_count, nv = (size_t)robot->velocity_count;
  const size_t drives = (size_t)subsystem->controller_count * flg_robot_drive_numbers(robot);
  return (sizes){.state = nq + 2 * nv + drives + (size_t)subsystem->push_count +
                          flg_robot_past_numbers(subsystem),
                 .velocities = nv,
                 .scratch = flg_controller_scratch(robot, subsystem->controllers,
                                                   subsystem->controller_count)};
}

static double *robot_subsystem_take(flg_region *region, size_t count) {
  return flg_region_take(region, count, sizeof(double));
}

/* All that a checkpoint has to keep is one block of numbers, in this order: q, v, locks, drives,
 * flags, past. The rest is found again from it. */
static void robot_subsystem_lay_out(flg_robot_subsystem *subsystem, sizes count) {
  flg_region *region = &subsystem->region;
  subsystem->state = robot_subsystem_take(region, count.state);
  subsystem->state_count = (int)count.state;
  subsystem->actuation = robot_subsystem_take(region, count.velocities);
  subsystem->effort = robot_subsystem_take(region, count.velocities);
  subsystem->added = robot_subsystem_take(region, count.velocities);
  subsystem->rubbing = robot_subsystem_take(region, count.velocities);
  subsystem->frictions = robot_subsystem_take(region, count.velocities);
  subsystem->creeps = robot_subsystem_take(region, count.velocities);
  subsystem->slips = robot_subsystem_take(region, count.velocities);
  subsystem->wanted = robot_subsystem_take(region, count.velocities);
  subsystem->pinned = robot_subsystem_take(region, count.velocities);
  subsystem->held = robot_subsystem_take(region, count.velocities);
  subsystem->let_go = robot_subsystem_take(region, count.velocities);
  subsystem->loose = robot_subsystem_take(region, count.velocities);
  subsystem->rubbed = robot_subsystem_take(region, count.velocities);
  subsystem->effort_limits = robot_subsystem_take(region, count.velocities);
  subsystem->inertias = robot_subsystem_take(region, count.velocities);
  subsystem->accelerator.forces = robot_subsystem_take(region, count.velocities);
  subsystem->scratch = robot_subsystem_take(region, count.scratch);
  if (region->failed) return;
  const flg_robot *robot = &subsystem->robot;
  subsystem->q = subsystem->state;
  subsystem->v = subsystem->q + robot->position_count;
  subsystem->locked = subsystem->v + robot->velocity_count;
  subsystem->drives = subsystem->locked + robot->velocity_count;
  subsystem->push_flags = flg_robot_drive(subsystem, subsystem->controller_count);
  subsystem->past = subsystem->push_flags + subsystem->push_count;
}

/* S^T I S of a link and its own coordinates; of an axis of a universal joint the smallest that it
 * can be */
static void weigh_link(const flg_link *link, double *inertias) {
  const flg_inertia *own = &link->inertia;
  const double turn[3] = {own->rotation.xx, own->rotation.yy, own->rotation.zz};
  /* The first axis of a universal joint turns against the link with the second: its inertia depends
   * on the pose, and a controller that is stable with the least is stable in all. */
  const double least = fmin(fmin(turn[0], turn[1]), turn[2]);
  const int n = link->velocity_count;
  const bool is_turned = link->kind == FLG_JOINT_BALL || link->kind == FLG_JOINT_FLOATING;
  for (int k = 0; k < n; k++) {
    const bool slides = k < link->displacement_count;
    inertias[k] = slides ? own->mass : is_turned ? turn[k % 3] : n == 2 && k == 0 ? least : turn[2];
    if (link->kind == FLG_JOINT_SCREW) inertias[k] += link->pitch * link->pitch * own->mass;
    inertias[k] += link->armature;
  }
}

static void start_robot(flg_robot_subsystem *subsystem) {
  for (int k = 0; k < subsystem->model->joint_count; k++) {
    if (subsystem->model->joints[k].friction > 0) subsystem->rubs = true;
  }
  subsystem->resists = subsystem->rubs;
  flg_robot_friction_build(subsystem);
  for (int i = 0; i < subsystem->robot.link_count; i++) {
    const flg_link *link = &subsystem->robot.links[i];
    if (link->damping > 0) subsystem->resists = true;
    weigh_link(link, subsystem->inertias + link->velocity);
    for (int k = 0; k < link->elastic_count; k++) {
      /* No motor is behind a mode: nothing limits it. */
      subsystem->effort_limits[link->velocity + link->velocity_count + k] = INFINITY;
    }
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      subsystem->effort_limits[k] = subsystem->model->joints[link->joint].effort_limit;
    }
  }
  flg_robot_zero(&subsystem->robot, subsystem->q);
  for (int k = 0; k < subsystem->controller_count; k++) {
    double *drive = flg_robot_drive(subsystem, k);
    drive[FLG_DRIVE_ENABLED] = subsystem->controllers[k].enabled;
    /* Before the first sample, so that the first step takes one. */
    drive[FLG_DRIVE_SAMPLE] = -1;
  }
  for (int k = 0; k < subsystem->push_count; k++) {
    subsystem->push_flags[k] = subsystem->pushes[k].enabled;
  }
}

/* [s] of a pendulum as long as the robot; 0: without gravity there is no such time */
static double time_of_swing(const flg_robot *robot, flg_vec3 gravity) {
  const double g = flg_vec3_norm(gravity);
  return g > 0 ? 2 * 3.14159265358979323846 * sqrt(flg_robot_length(robot) / g) : 0;
}

flg_status flg_robot_subsystem_equip(flg_robot_subsystem *subsystem,
                                     const flg_controller *controllers, int controller_count,
                                     const flg_push *pushes, int push_count, flg_error *error) {
  subsystem->controllers = controllers, subsystem->controller_count = controller_count;
  subsystem->pushes = pushes, subsystem->push_count = push_count;
  const flg_robot *robot = &subsystem->robot;
  flg_region *region = &subsystem->region;
  flg_status status = flg_robot_objects_build(&subsystem->objects, subsystem->model, robot, error);
  if (status != FLG_OK) return status;
  robot_subsystem_lay_out(subsystem, sizes_of(subsystem));
  subsystem->controller_names = FLG_INDEX(controllers, controller_count, region);
  subsystem->push_names = FLG_INDEX(pushes, push_count, region);
  if (region->failed) return flg_region_check(region, "controllers", error);
  flg_mimics_build(&subsystem->mimics, subsystem->model, robot, region);
  flg_robot_past_build(subsystem, region);
  status = flg_dynamics_build(&subsystem->dynamics, robot, region, error);
  if (status != FLG_OK) return status;
  start_robot(subsystem);
  const flg_integrated system = {robot, flg_robot_step_acceleration, subsystem,
                                 time_of_swing(robot, subsystem->options.gravity)};
  return flg_integrator_build(&subsystem->integrator, &subsystem->options.integrator, &system,
                              region, error);
}

void flg_robot_subsystem_place(flg_robot_subsystem *subsystem, const flg_pose *pose) {
  subsystem->ground = flg_pose_compose(pose, &subsystem->ground);
  flg_robot_place(&subsystem->robot, pose);
  /* Factors and poses are kept from call to call, for the same q: here the world moved instead. */
  flg_dynamics_forget(subsystem->dynamics);
  flg_robot_objects_place(&subsystem->objects, pose);
}

void flg_robot_subsystem_move(flg_robot_subsystem *subsystem, double *q, double *v, double *rest) {
  const size_t nq = (size_t)subsystem->robot.position_count;
  const size_t nv = (size_t)subsystem->robot.velocity_count;
  memcpy(q, subsystem->q, nq * sizeof *q);
  memcpy(v, subsystem->v, nv * sizeof *v);
  memcpy(rest, subsystem->locked, ((size_t)subsystem->state_count - nq - nv) * sizeof *rest);
  /* As part of an assembly the robot lives in the state of the whole: it takes its numbers along,
   * so that one block is saved and restored. */
  const ptrdiff_t drives = subsystem->drives - subsystem->locked;
  const ptrdiff_t flags = subsystem->push_flags - subsystem->locked;
  subsystem->q = q, subsystem->v = v, subsystem->locked = rest;
  subsystem->drives = rest + drives, subsystem->push_flags = rest + flags;
  subsystem->past = subsystem->push_flags + subsystem->push_count;
}

void flg_robot_subsystem_release(flg_robot_subsystem *subsystem) {
  flg_integrator_release(subsystem->integrator);
  flg_robot_ports_release(subsystem);
  flg_robot_inputs_release(subsystem);
  flg_robot_contacts_release(subsystem);
  flg_region_release(&subsystem->objects.region);
  flg_region_release(&subsystem->region);
  *subsystem = (flg_robot_subsystem){0};
}

flg_status flg_robot_subsystem_advance(flg_robot_subsystem *subsystem, double time, double h,
                                       int first, int count, flg_error *error) {
  flg_robot_set_impulse_step(subsystem, h);
  for (int k = first; k < first + count; k++) {
    /* Times are products, not sums of steps: after a million steps a controller still samples on
     * time.
     * */
    flg_robot_sample(subsystem, time + k * h);
    const flg_status status = flg_integrator_kicks(subsystem->integrator)
                                  ? flg_robot_step(subsystem, time + k * h, h, error)
                                  : flg_robot_stages(subsystem, time + k * h, h, error);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}

void flg_robot_subsystem_refresh(flg_robot_subsystem *subsystem, double time) {
  flg_robot_sample(subsystem, time);
  flg_robot_actuate(subsystem, time, subsystem->q, subsystem->v);
  flg_dynamics_kinematics(subsystem->dynamics, subsystem->q, subsystem->v);
  /* Ends that a tried step has found belong to another state. */
  if (subsystem->touch == NULL) return;
  flg_robot_forget_ends(subsystem);
  flg_robot_contacts_recall(subsystem);
}

double flg_robot_subsystem_energy(const flg_robot_subsystem *subsystem) {
  return flg_dynamics_kinetic_energy(subsystem->dynamics) +
         flg_dynamics_potential_energy(subsystem->dynamics, subsystem->options.gravity);
}

void flg_robot_subsystem_lock(flg_robot_subsystem *subsystem, int joint, bool locked) {
  const flg_link *link = &subsystem->robot.links[subsystem->robot.joint_links[joint]];
  for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
    /* An added inertia that is infinite holds a joint with the same factor: no row, no other size
     * of the problem. */
    subsystem->locked[k] = locked ? INFINITY : 0;
  }
  /* Locking takes the rate away at once, as a hit does: by an impulse on the whole robot, not by
   * writing a zero, which would leave the momentum of the other links as it was. */
  if (locked) flg_robot_project(subsystem, subsystem->locked);
}

void flg_robot_subsystem_settle(flg_robot_subsystem *subsystem) {
  flg_robot_normalise(&subsystem->robot, subsystem->q);
  /* Files give angles of joints that follow others, too; the rule counts, not the file. */
  flg_mimics_place(subsystem->model, &subsystem->robot, subsystem->q);
  flg_mimics_follow(&subsystem->mimics, subsystem->v);
  for (int k = 0; k < subsystem->robot.velocity_count; k++) {
    /* A start velocity of a locked joint would never decay: its acceleration is always zero. */
    const bool is_locked = isinf(subsystem->locked[k]) && subsystem->pinned[k] == 0;
    if (is_locked) subsystem->v[k] = 0;
  }
}

void flg_robot_subsystem_resample(flg_robot_subsystem *subsystem) {
  for (int k = 0; k < subsystem->controller_count; k++) {
    flg_robot_drive(subsystem, k)[FLG_DRIVE_SAMPLE] = -1;
  }
}

int flg_robot_subsystem_controller(const flg_robot_subsystem *subsystem, const char *name) {
  return FLG_SEEK(&subsystem->controller_names, subsystem->controllers, subsystem->controller_count,
                  name);
}

int flg_robot_subsystem_push(const flg_robot_subsystem *subsystem, const char *name) {
  return FLG_SEEK(&subsystem->push_names, subsystem->pushes, subsystem->push_count, name);
}

void flg_robot_subsystem_enable_controller(flg_robot_subsystem *subsystem, int index,
                                           bool enabled) {
  double *drive = flg_robot_drive(subsystem, index);
  drive[FLG_DRIVE_ENABLED] = enabled;
}

void flg_robot_subsystem_enable_push(flg_robot_subsystem *subsystem, int index, bool enabled) {
  subsystem->push_flags[index] = enabled;
}
