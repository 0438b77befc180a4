/* Point masses: bodies that do not turn. */
#include "cosim/simulation.h"
#include "plugins.h"
#include "scenarios.h"

#define RUN(integrator)                                                             \
  "flange: 1\ngravity: [0.5, 0, -9.81]\ntime: {end: 1, macro: 0.02}\nsubsystems:\n" \
  "  a: {model: model.yaml, step: 0.001, integrator: " integrator                   \
  "}\nrecord: [a/bob.position, a/bob.velocity, a/energy, a/momentum.linear]\n"
#define ROPE(bob)                                                                           \
  "flange-component: 1\nbodies:\n  anchor: {fixed: true}\n  bob: {mass: 2, at: [1, 0, 0], " \
  "velocity: [0, 1, 0], " bob                                                               \
  "}\njoints:\n  rope: {kind: distance, between: [anchor, bob], "                           \
  "length: 1}\n"

static const char *const RUNS[] = {RUN("rattle"), RUN("rk4"), RUN("semi-implicit")};

/* A rope through the centre does not turn a body: it is a point to the last bit. */
static void a_bob_on_a_rope_is_a_point(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    double point[10], body[10];
    final_values(RUNS[k], ROPE("point: true"), point);
    final_values(RUNS[k], ROPE("inertia: [0.1, 0.2, 0.25]"), body);
    for (int i = 0; i < 10; i++) assert_near(point[i], body[i], 1e-12);
  }
}

#define HINGED(rod, joints)                                                                \
  "flange-component: 1\nbodies:\n" rod                                                     \
  "joints:\n  hinge: {kind: revolute, between: [world, rod], at: [0, 0, 0], axis: [0, 1, " \
  "0]}\n" joints

/* At the end of a rod it is mass of the rod: 3 kg in the middle of 1 m, 2 kg at its end. */
static void a_point_on_a_rod_is_part_of_it(void **state) {
  (void)state;
  static const char apart[] = HINGED(
      "  rod: {mass: 3, at: [0.5, 0, 0], inertia: [0.01, 0.25, 0.25]}\n"
      "  bob: {mass: 2, point: true, at: [1, 0, 0]}\n",
      "  tip: {kind: spherical, between: [rod, bob], at: [1, 0, 0]}\n");
  /* centre at 0.7 m; 0.25 + 3 0.2^2 + 2 0.3^2 = 0.55 */
  static const char whole[] =
      HINGED("  rod: {mass: 5, at: [0.7, 0, 0], inertia: [0.01, 0.55, 0.55]}\n",
             "") "markers: {bob: {body: rod, at: [0.3, 0, 0]}}\n";
  const double tolerance[2] = {1e-4, 1e-9}; /* of order 2 and 4 */
  for (int k = 0; k < 2; k++) {
    double two[10], one[10];
    final_values(RUNS[k], apart, two);
    final_values(RUNS[k], whole, one);
    for (int i = 0; i < 10; i++) assert_near(two[i], one[i], tolerance[k]);
  }
}

static void joints_that_need_axes_are_refused(void **state) {
  (void)state;
  static const char *const kinds[] = {"weld", "revolute", "prismatic", "universal", "planar"};
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    char model[500];
    snprintf(model, sizeof model,
             "flange-component: 1\nbodies: {bob: {mass: 2, point: true}}\njoints:\n"
             "  hold: {kind: %s, between: [world, bob], at: [0, 0, 0]}\n",
             kinds[k]);
    assert_non_null(
        strstr(mistakes_of(RUNS[0], model), "joint 'hold' needs axes that turn with point 'bob'"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bob_on_a_rope_is_a_point),
      cmocka_unit_test(a_point_on_a_rod_is_part_of_it),
      cmocka_unit_test(joints_that_need_axes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
