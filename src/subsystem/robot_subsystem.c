#include "subsystem/robot_subsystem.h"

static flg_status lay_out(flg_robot_subsystem *subsystem, flg_error *error) {
  const flg_robot *robot = &subsystem->robot;
  const size_t state = (size_t)flg_robot_subsystem_state_count(subsystem);
  const size_t efforts = (size_t)robot->velocity_count, scratch = flg_integrator_scratch(robot);
  const size_t bytes = flg_dynamics_bytes(robot) + flg_arena_bytes(state, sizeof(double)) +
                       flg_arena_bytes(efforts, sizeof(double)) +
                       flg_arena_bytes(scratch, sizeof(double));
  const flg_status status = flg_arena_build(&subsystem->running, bytes, error);
  if (status != FLG_OK) return status;
  flg_arena *arena = &subsystem->running;
  subsystem->state = flg_arena_take(arena, state, sizeof(double));
  subsystem->effort = flg_arena_take(arena, efforts, sizeof(double));
  subsystem->scratch = flg_arena_take(arena, scratch, sizeof(double));
  return flg_dynamics_build(&subsystem->dynamics, robot, arena, error);
}

/* built in place: the dynamics keep the address of the robot */
static flg_status build(flg_robot_subsystem *subsystem, flg_mistakes *mistakes, flg_error *error) {
  const flg_model *model = subsystem->model;
  flg_status status = flg_arena_build(&subsystem->compiled, flg_robot_bytes(model), error);
  if (status != FLG_OK) return status;
  status = flg_robot_build(&subsystem->robot, model, &subsystem->compiled, mistakes);
  if (status != FLG_OK) return status;
  status = lay_out(subsystem, error);
  if (status == FLG_OK) flg_robot_zero(&subsystem->robot, subsystem->state);
  return status;
}

flg_status flg_robot_subsystem_build(flg_robot_subsystem *subsystem, const flg_model *model,
                                     const flg_robot_options *options, flg_mistakes *mistakes) {
  flg_error error = {0};
  *subsystem = (flg_robot_subsystem){.options = *options, .model = model};
  const flg_status status = build(subsystem, mistakes, &error);
  if (status == FLG_OK) return FLG_OK;
  if (error.status != FLG_OK) {
    flg_mistake_add(mistakes, status, (flg_place){.file = model->file}, "%s", error.message);
  }
  flg_robot_subsystem_release(subsystem);
  return status;
}

void flg_robot_subsystem_release(flg_robot_subsystem *subsystem) {
  flg_arena_release(&subsystem->compiled);
  flg_arena_release(&subsystem->running);
  *subsystem = (flg_robot_subsystem){0};
}

double *flg_robot_subsystem_positions(const flg_robot_subsystem *subsystem) {
  return subsystem->state;
}

double *flg_robot_subsystem_velocities(const flg_robot_subsystem *subsystem) {
  return subsystem->state + subsystem->robot.position_count;
}

int flg_robot_subsystem_state_count(const flg_robot_subsystem *subsystem) {
  return subsystem->robot.position_count + subsystem->robot.velocity_count;
}

static void acceleration(void *system, double time, const double *q, const double *v, double *a) {
  (void)time;
  flg_robot_subsystem *subsystem = system;
  const flg_robot *robot = &subsystem->robot;
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      subsystem->effort[k] = -link->damping * v[k];
    }
  }
  flg_dynamics_forward(subsystem->dynamics, q, v, subsystem->effort, subsystem->options.gravity,
                       NULL, a);
}

void flg_robot_subsystem_advance(flg_robot_subsystem *subsystem, double time, double h, int count) {
  double *q = flg_robot_subsystem_positions(subsystem);
  double *v = flg_robot_subsystem_velocities(subsystem);
  for (int k = 0; k < count; k++) {
    subsystem->options.integrator->step(&subsystem->robot, acceleration, subsystem, time + k * h, h,
                                        q, v, subsystem->scratch);
  }
}

void flg_robot_subsystem_refresh(flg_robot_subsystem *subsystem) {
  flg_dynamics_kinematics(subsystem->dynamics, flg_robot_subsystem_positions(subsystem),
                          flg_robot_subsystem_velocities(subsystem));
}

double flg_robot_subsystem_energy(const flg_robot_subsystem *subsystem) {
  return flg_dynamics_kinetic_energy(subsystem->dynamics) +
         flg_dynamics_potential_energy(subsystem->dynamics, subsystem->options.gravity);
}
