/* pendulum.c - a pendulum built in code: its period is that of the books.
 *
 *     cc pendulum.c $(pkg-config --cflags --libs flange) -lm -o pendulum && ./pendulum
 */
#include <flange/access.h>
#include <flange/system.h>
#include <math.h>
#include <stdio.h>

static flg_error error;

static int fail(void) {
  fprintf(stderr, "%s\n", error.message);
  return 1;
}

/* a rod of 1 m and 1 kg on a hinge at its end */
static flg_definition *rod_on_a_hinge(void) {
  flg_definition *robot = NULL;
  if (flg_definition_build(&robot, FLG_DEFINE_ROBOT, "rod on a hinge", &error) != FLG_OK) {
    return NULL;
  }
  const double inertia[] = {0, 1. / 12, 1. / 12}, centre[] = {0.5, 0, 0}, axis[] = {0, 1, 0};
  flg_body_options rod = flg_body_default();
  flg_joint_options hinge = flg_joint_default();
  rod.mass = 1;
  rod.inertia.count = 3, rod.inertia.values = inertia;
  hinge.kind = "revolute", hinge.child = "rod";
  for (int k = 0; k < 3; k++) rod.centre[k] = centre[k], hinge.axis[k] = axis[k];
  if (flg_define_body(robot, "rod", &rod, &error) != FLG_OK ||
      flg_define_joint(robot, "hinge", &hinge, &error) != FLG_OK) {
    return NULL;
  }
  return robot;
}

/* the rod hangs down at pi/2; it starts 0.1 rad from there */
static flg_simulation *build(const flg_definition *robot) {
  flg_definition *system = NULL;
  flg_simulation *simulation = NULL;
  flg_mistakes mistakes;
  flg_system_options whole = flg_system_default();
  flg_subsystem_options clock = flg_subsystem_default();
  whole.end = 10, whole.macro = 0.01;
  clock.model = "rod on a hinge", clock.integrator = "rk4", clock.step = 0.001;
  if (flg_definition_build(&system, FLG_DEFINE_SYSTEM, "clock", &error) != FLG_OK ||
      flg_define_part(system, robot, &error) != FLG_OK ||
      flg_define_system(system, &whole, &error) != FLG_OK ||
      flg_define_subsystem(system, "clock", &clock, &error) != FLG_OK ||
      flg_define_number(system, "subsystems.clock.initial.hinge", acos(-1) / 2 - 0.1, &error) !=
          FLG_OK) {
    return NULL;
  }
  if (flg_definition_simulate(system, NULL, 0, &simulation, &mistakes) != FLG_OK) {
    flg_mistakes_error(&mistakes, &error);
  }
  flg_definition_release(system);
  return simulation;
}

int main(void) {
  flg_definition *robot = rod_on_a_hinge();
  flg_simulation *simulation = robot == NULL ? NULL : build(robot);
  flg_output angle;
  flg_definition_release(robot);
  if (simulation == NULL || flg_output_find(simulation, "clock/hinge.position", &angle, &error)) {
    return fail();
  }
  double before = -1, first = 0, last = 0;
  int swings = 0;
  while (!flg_simulation_ended(simulation)) {
    double q;
    if (flg_simulation_step(simulation, &error) != FLG_OK ||
        flg_output_read(simulation, angle, &q, 1, &error) != FLG_OK) {
      return fail();
    }
    q -= acos(-1) / 2;
    if (before < 0 && q >= 0) { /* passes the middle upwards: when, between two steps */
      last = flg_simulation_time(simulation) - 0.01 * q / (q - before);
      if (swings++ == 0) first = last;
    }
    before = q;
  }
  const double small = 2 * acos(-1) * sqrt(2. / 3 / 9.81), exact = small * (1 + 0.1 * 0.1 / 16);
  const double period = (last - first) / (swings - 1);
  printf("period %.5f s, by the books %.5f s\n", period, exact);
  flg_simulation_release(simulation);
  return fabs(period - exact) < 1e-4 ? 0 : 1;
}
