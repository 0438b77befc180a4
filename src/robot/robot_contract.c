/* robot_contract.c - a robot behind the contract of subsystem.h. */
#include "robot/robot_actions.h"
#include "robot/robot_contacts.h"
#include "robot/robot_coupled.h"
#include "robot/robot_identity.h"

static flg_status robot_contract_advance(void *self, double time, double h, int first, int count,
                                         flg_error *error) {
  return flg_robot_subsystem_advance(self, time, h, first, count, error);
}

static void robot_contract_refresh(void *self, double time) {
  flg_robot_subsystem_refresh(self, time);
}

static double robot_contract_energy(const void *self) {
  return flg_robot_subsystem_energy(self);
}

static const char *robot_integrator(const void *self) {
  static const char *const words[FLG_INTEGRATOR_KIND_COUNT] = {
      [FLG_INTEGRATOR_SEMI_IMPLICIT] = "semi-implicit",
      [FLG_INTEGRATOR_RK4] = "rk4",
      [FLG_INTEGRATOR_ADAPTIVE] = "adaptive",
      [FLG_INTEGRATOR_LEAPFROG] = "leapfrog"};
  const flg_robot_subsystem *robot = self;
  return words[robot->options.integrator.kind];
}

static flg_status robot_contract_check(const void *self, double time, flg_error *error) {
  const flg_robot_subsystem *robot = self;
  /* Asked first: with an indefinite mass matrix every later symptom misleads. */
  if (flg_dynamics_is_indefinite(robot->dynamics)) {
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "links of '%s' bend so far by t = %.6g s that their mass matrix is no longer "
                    "positive definite: deformations have to be small, slopes up to about 0.1",
                    robot->options.name, time);
  }
  if (robot->lost == NULL) return FLG_OK;
  /* a plug-in that changes the rounding mode or traps makes wrong numbers without an error of its
   * own */
  if (robot->spoilt[0] != '\0') {
    return flg_fail(error, FLG_ERR_DIVERGED, "the plug-in of controller '%s' at t = %.6g s: %s",
                    robot->lost->name, robot->lost_at, robot->spoilt);
  }
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "controller '%s' gives a force of %g at t = %.6g s, where the state is finite",
                  robot->lost->name, robot->lost_force, robot->lost_at);
}

static double robot_kinetic_energy(const void *self) {
  return flg_dynamics_kinetic_energy(((const flg_robot_subsystem *)self)->dynamics);
}

static flg_subsystem_state robot_state(const void *self) {
  const flg_robot_subsystem *subsystem = self;
  return (flg_subsystem_state){
      .values = subsystem->state,
      .count = subsystem->state_count,
      /* Only positions and velocities are compared between runs; memories of contacts follow
       * them. */
      .motion = subsystem->robot.position_count + subsystem->robot.velocity_count};
}

static const flg_object *robot_object_list(const void *self, int *count) {
  const flg_robot_subsystem *subsystem = self;
  *count = subsystem->objects.count;
  return subsystem->objects.list;
}

static void robot_release(void *self) {
  flg_robot_subsystem_release(self);
}

/* damping and friction, contacts and ends of joints, flexible bodies */
static bool takes_energy(const flg_robot_subsystem *robot) {
  const flg_model *model = robot->model;
  bool takes = robot->touch != NULL;
  for (int k = 0; k < model->joint_count; k++) {
    takes = takes || model->joints[k].damping != 0 || model->joints[k].friction != 0;
  }
  for (int k = 0; k < model->body_count; k++) takes = takes || model->bodies[k].flexible != NULL;
  return takes;
}

static flg_energy_law robot_energy_law(const void *self) {
  const flg_robot_subsystem *robot = self;
  const bool is_driven =
      robot->controller_count > 0 || robot->push_count > 0 || robot->applied != NULL;
  if (is_driven) return FLG_ENERGY_DRIVEN;
  return takes_energy(robot) ? FLG_ENERGY_FALLS : FLG_ENERGY_STAYS;
}

/* Only the adaptive integrator may take long within one step, and has to look at the flag. */
static void watch(void *self, const volatile int *stop) {
  flg_robot_subsystem *robot = self;
  flg_integrator_watch(robot->integrator, stop);
}

static const flg_subsystem_ops robot_ops = {.kind = "robot",
                                            .advance = robot_contract_advance,
                                            .refresh = robot_contract_refresh,
                                            .energy = robot_contract_energy,
                                            .integrator = robot_integrator,
                                            .check = robot_contract_check,
                                            .kinetic_energy = robot_kinetic_energy,
                                            .energy_law = robot_energy_law,
                                            .state = robot_state,
                                            .identity = flg_robot_identity,
                                            .objects = robot_object_list,
                                            .read = flg_robot_objects_read,
                                            .locate = flg_robot_objects_locate,
                                            .release = robot_release,
                                            /* All actions before WELD; robots alone have no
                                             * welds that could come and go. */
                                            .actions = (1u << FLG_ACTION_WELD) - 1,
                                            .aim = flg_robot_aim,
                                            .act = flg_robot_act,
                                            .pin = flg_robot_pin,
                                            .open_input = flg_robot_open_input,
                                            .write_input = flg_robot_write_input,
                                            .open_probe = flg_robot_open_probe,
                                            .probe = flg_robot_probe,
                                            .watch = watch,
                                            .contacts = flg_robot_contacts_view,
                                            .touched = flg_robot_touched,
                                            .coupled = &flg_robot_coupled_ops};

flg_status flg_robot_subsystem_register(flg_robot_subsystem *robot, const char *name,
                                        flg_subsystem *subsystem, flg_error *error) {
  return flg_subsystem_build(subsystem, name, &robot_ops, robot, error);
}

flg_robot_subsystem *flg_subsystem_robot(const flg_subsystem *subsystem) {
  return subsystem->ops == &robot_ops ? subsystem->self : NULL;
}
