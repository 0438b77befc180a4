/* Controllers that know the dynamics of their robot: feed-forward, force, payload. */
#include "check.h"
#include "scenarios.h"

/* Two rods of 1 m in the plane, a load of 3 kg on the outer one: a body of the robot, or not. */
#define RODS                                                              \
  "flange-model: 1\n"                                                     \
  "bodies:\n"                                                             \
  "  upper: {mass: 2, centre: [0, 0, -0.5], inertia: [0.2, 0.2, 0.01]}\n" \
  "  lower: {mass: 1, centre: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01]}\n"
#define JOINTS                                                                   \
  "joints:\n"                                                                    \
  "  shoulder: {kind: revolute, parent: world, child: upper, axis: [0, 1, 0]}\n" \
  "  elbow: {kind: revolute, parent: upper, child: lower, axis: [0, 1, 0],\n"    \
  "          at: [0, 0, -1]}\n"
static const char bare[] = RODS JOINTS;
static const char loaded[] =
    RODS "  load: {mass: 3, centre: [0.1, 0, -0.2], inertia: [0.3, 0.2, 0.1]}\n" JOINTS
         "  grip: {kind: fixed, parent: lower, child: load, at: [0, 0, -1]}\n";

enum { NUMBERS = 4 };

static void run(const char *model, const char *controllers, const char *forces, double *values) {
  char text[2000];
  snprintf(text, sizeof text,
           "flange: 1\n"
           "name: rods\n"
           "gravity: [0, 0, -9.81]\n"
           "time: {end: 1, macro: 1/50}\n"
           "subsystems:\n"
           "  rods:\n"
           "    model: model.yaml\n"
           "    step: 1/1000\n"
           "    initial: {shoulder: 0.3, elbow: -0.5}\n"
           "    controllers: {%s}\n"
           "    forces: {%s}\n"
           "record: [rods/shoulder.position, rods/elbow.position, rods/shoulder.effort,\n"
           "         rods/elbow.effort]\n",
           controllers, forces);
  final_values(text, model, values);
}

static void assert_alike(const double *a, const double *b, double tolerance) {
  for (int k = 0; k < NUMBERS; k++) assert_near(a[k], b[k], tolerance);
}

#define POINTS "points: [{at: 0, position: [0.3, -0.5]}, {at: 1, position: [1.1, 0.4]}]"

static void drives_that_push_move_a_rigid_robot_as_the_force_does(void **state) {
  (void)state;
  double pushed[NUMBERS], driven[NUMBERS];
  run(bare, "", "tip: {body: lower, at: [0, 0, -1], force: [5, 0, 12], moment: [0, 2, 0]}", pushed);
  run(bare, "tip: {kind: force, body: lower, at: [0, 0, -1], force: [5, 0, 12], moment: [0, 2, 0]}",
      "", driven);
  for (int k = 0; k < 2; k++) assert_near(driven[k], pushed[k], 1e-9);
}

/* What is told of a load holds it: a payload adds to the effort of a bare robot what the body adds
 * to that of a robot which has it. */
static void a_payload_is_a_body_that_the_model_lacks(void **state) {
  (void)state;
  double with[NUMBERS], told[NUMBERS];
  run(loaded, "hold: {kind: gravity}", "", with);
  /* weights that pull as the load does */
  run(bare,
      "hold: {kind: gravity, payload: {body: lower, mass: 3, centre: [0.1, 0, -1.2], inertia: "
      "[0.3, 0.2, 0.1]}}",
      "weight: {body: lower, at: [0.1, 0, -1.2], force: [0, 0, -29.43]}", told);
  assert_alike(told, with, 1e-9);
}

/* a rigid robot that starts on its way follows it, with either */
static void feed_forward_follows_as_computed_torque_does(void **state) {
  (void)state;
  double computed[NUMBERS], fed[NUMBERS];
  run(bare, "hold: {kind: computed-torque, frequency: 5, " POINTS "}", "", computed);
  run(bare, "hold: {kind: feed-forward, frequency: 5, " POINTS "}", "", fed);
  assert_near(computed[0], 1.1, 5e-7);
  assert_near(computed[1], 0.4, 5e-7);
  assert_alike(fed, computed, 4e-5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(drives_that_push_move_a_rigid_robot_as_the_force_does),
      cmocka_unit_test(a_payload_is_a_body_that_the_model_lacks),
      cmocka_unit_test(feed_forward_follows_as_computed_torque_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
