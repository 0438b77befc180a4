/* Bushings: six springs and dampers between two frames (src/forces/bushing.c). */
#include <stdio.h>

#include "scenarios.h"

enum { TEXT = 4000, VALUES = 64 };

/* last values of a run of one component `c` */
static void run(const char *component, const char *integrator, double h, double end,
                const char *record, double values[VALUES]) {
  char scenario[TEXT];
  snprintf(scenario, sizeof scenario,
           "flange: 1\n"
           "gravity: [0, 0, 0]\n"
           "time: {end: %.17g, macro: %.17g}\n"
           "subsystems:\n"
           "  c: {model: model.yaml, integrator: %s, step: %.17g}\n"
           "record: [%s]\n",
           end, h, integrator, h, record);
  final_values(scenario, component, values);
}

#define HEAD "flange-component: 1\nbodies:\n"

/* --- one body on the ground ------------------------------------------------------------------ */

static void each_direction_swings_with_its_own_frequency(void **state) {
  (void)state;
  const char *model = HEAD
      "  b: {mass: 2, inertia: [0.1, 0.2, 0.3], velocity: [0.3, -0.4, 0.5]}\n"
      "bushings:\n"
      "  r: {between: [world, b], stiffness: [200, 800, 50], angular_stiffness: [1, 2, 3]}\n";
  double v[VALUES];
  run(model, "rk4", 1e-3, 1, "c/b.position, c/r.displacement, c/r.force", v);
  const double k[3] = {200, 800, 50}, u[3] = {0.3, -0.4, 0.5};
  for (int i = 0; i < 3; i++) {
    const double w = sqrt(k[i] / 2);
    assert_near(v[i], u[i] / w * sin(w), 1e-9);
    assert_near(v[3 + i], v[i], 1e-15);
    assert_near(v[6 + i], -k[i] * v[i], 1e-12);
  }
}

/* the rotation vector of a turn about one axis is its angle: harmonic up to half a turn */
static void turns_swing_harmonically_at_any_angle(void **state) {
  (void)state;
  for (int axis = 0; axis < 3; axis++) {
    const double inertia[3] = {0.25, 0.2, 0.3}, k[3] = {1, 2, 3};
    const double w = sqrt(k[axis] / inertia[axis]), spin = 3.0 * w; /* 3 rad: nearly half a turn */
    char model[TEXT];
    snprintf(model, sizeof model,
             HEAD
             "  b: {mass: 2, inertia: [0.25, 0.2, 0.3], angular_velocity: [%.17g, %.17g, %.17g]}\n"
             "bushings:\n"
             "  r: {between: [world, b], angular_stiffness: [1, 2, 3]}\n",
             axis == 0 ? spin : 0, axis == 1 ? spin : 0, axis == 2 ? spin : 0);
    double v[VALUES];
    run(model, "rk4", 1e-3, 1, "c/r.rotation, c/r.moment, c/energy", v);
    assert_near(v[axis], 3 * sin(w), 3e-10);
    assert_near(v[3 + axis], -k[axis] * v[axis], 1e-12);
    assert_near(v[6], 4.5 * k[axis], 2e-10);
  }
}

static void dampers_slow_down_by_their_own_law(void **state) {
  (void)state;
  const char *model = HEAD
      "  b: {mass: 2, inertia: [0.2, 0.3, 0.4], velocity: [1, 0, 0], angular_velocity: [0, 0, 1]}\n"
      "bushings:\n"
      "  r: {between: [world, b], damping: [3, 0, 0], angular_damping: [0, 0, 0.5]}\n";
  double v[VALUES];
  run(model, "rk4", 1e-3, 1, "c/b.velocity, c/b.angular_velocity, c/r.rotation", v);
  assert_near(v[0], exp(-1.5), 1e-11);
  assert_near(v[5], exp(-1.25), 1e-12);
  assert_near(v[8], 0.4 / 0.5 * (1 - exp(-1.25)), 1e-12);
}

/* --- two bodies in space --------------------------------------------------------------------- */

#define FIRST \
  "mass: 1.5, centre: [0.1, -0.05, 0.02], inertia: [0.02, 0.03, 0.025, 0.002, -0.001, 0.003]"
#define SECOND "mass: 0.8, centre: [-0.1, 0.03, 0.02], inertia: [0.01, 0.008, 0.012]"

static void two_bodies(char model[TEXT], const char *ends, const char *numbers) {
  snprintf(model, TEXT,
           HEAD "  a: {" FIRST
                ", velocity: [0.5, 0, -0.2], angular_velocity: [2, -3, 1]}\n"
                "  b: {" SECOND
                ", at: [0.4, 0, 0], angular_velocity: [-1, 4, 2]}\n"
                "bushings:\n"
                "  r: {between: [%s], at: [0.2, 0.1, 0], turn: [0.3, -0.5, 0.7], %s}\n",
           ends, numbers);
}

#define ANISOTROPIC  "stiffness: [300, 50, 900], angular_stiffness: [0.3, 0.1, 0.9]"
#define ISOTROPIC    "stiffness: [300, 300, 300], angular_stiffness: [3, 1, 9]"
#define TURNS_DAMPED ", angular_damping: [0.1, 0.2, 0.05]"
#define DAMPED       ", damping: [2, 2, 2], angular_damping: [0.1, 0.2, 0.05]"

static void energy_and_momentum_are_kept(void **state) {
  (void)state;
  char model[TEXT];
  double start[VALUES], end[VALUES], damped[VALUES];
  const char *record = "c/momentum.linear, c/momentum.angular, c/energy, c/r.rotation";
  two_bodies(model, "a, b", ANISOTROPIC);
  run(model, "rk4", 5e-4, 5e-4, record, start);
  run(model, "rk4", 5e-4, 2, record, end);
  assert_true(hypot(end[7], hypot(end[8], end[9])) > 0.3); /* it turns far */
  for (int i = 0; i < 6; i++) assert_near(end[i], start[i], 4e-11);
  assert_near(end[6] / start[6], 1, 1e-8);
  run(model, "rattle", 1e-3, 2, record, end);
  for (int i = 0; i < 6; i++) assert_near(end[i], start[i], 1e-11);
  assert_near(end[6] / start[6], 1, 7e-4);
  two_bodies(model, "a, b", ANISOTROPIC DAMPED);
  run(model, "rk4", 1e-3, 2, record, damped);
  for (int i = 0; i < 6; i++) assert_near(damped[i], start[i], 6e-10);
  assert_true(damped[6] < 0.9 * start[6]);
}

/* with one stiffness for all displacements, and no damping of them, it does not matter which end is
 * the first */
static void ends_can_be_exchanged(void **state) {
  (void)state;
  char model[TEXT];
  double one[VALUES], other[VALUES];
  const char *record = "c/a.position, c/b.position, c/r.rotation, c/r.force";
  static const char *const integrators[] = {"rk4", "rattle", "semi-implicit"};
  for (int k = 0; k < 3; k++) {
    two_bodies(model, "a, b", ISOTROPIC TURNS_DAMPED);
    run(model, integrators[k], 1e-3, 1, record, one);
    two_bodies(model, "b, a", ISOTROPIC TURNS_DAMPED);
    run(model, integrators[k], 1e-3, 1, record, other);
    for (int i = 0; i < 6; i++) assert_near(one[i], other[i], 1e-13);
    for (int i = 6; i < 12; i++) assert_near(one[i], -other[i], 1e-11);
  }
}

#define MIRROR                                                                        \
  HEAD "  a: {mass: 1, inertia: [0.02, 0.03, 0.025], velocity: [0, %s0.3, 0.1],"      \
       " angular_velocity: [%s2, 1, %s0.5]}\n"                                        \
       "bushings:\n"                                                                  \
       "  r: {between: [world, a], at: [0.1, %s0.2, 0.3], turn: [%s0.3, 0.5, %s0.7]," \
       " stiffness: [300, 50, 90], angular_stiffness: [3, 1, 9], damping: [1, 2, 3]}\n"

/* y -> -y: turns and moments are axial vectors */
static void mirrored_systems_move_mirrored(void **state) {
  (void)state;
  char text[TEXT];
  double one[VALUES], other[VALUES];
  const char *record = "c/a.position, c/a.angular_velocity";
  snprintf(text, sizeof text, MIRROR, "", "", "", "", "", "");
  run(text, "rk4", 1e-3, 1, record, one);
  snprintf(text, sizeof text, MIRROR, "-", "-", "-", "-", "-", "-");
  run(text, "rk4", 1e-3, 1, record, other);
  static const double sign[6] = {1, -1, 1, -1, 1, -1};
  for (int i = 0; i < 6; i++) assert_near(one[i], sign[i] * other[i], 1e-12);
}

/* --- implicit --------------------------------------------------------------------------------- */

static double distance(const double *a, const double *b, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

static void implicit_bushings_converge_with_the_order_of_the_scheme(void **state) {
  (void)state;
  static const char *const integrators[] = {"rattle", "semi-implicit"};
  static const double orders[] = {2, 1};
  char model[TEXT];
  double exact[VALUES], coarse[VALUES], fine[VALUES];
  const char *record = "c/a.position, c/b.position";
  two_bodies(model, "a, b", ANISOTROPIC DAMPED);
  run(model, "rk4", 2.5e-4, 1, record, exact);
  two_bodies(model, "a, b", ANISOTROPIC DAMPED ", implicit: true");
  for (int k = 0; k < 2; k++) {
    run(model, integrators[k], 5e-4, 1, record, coarse);
    run(model, integrators[k], 2.5e-4, 1, record, fine);
    assert_true(distance(fine, exact, 6) < 5e-3);
    assert_near(log2(distance(coarse, exact, 6) / distance(fine, exact, 6)), orders[k], 0.1);
  }
}

static void a_stiff_bushing_is_a_weld(void **state) {
  (void)state;
  static const char *const integrators[] = {"rattle", "semi-implicit"};
  char model[TEXT];
  double weld[VALUES], stiff[2][VALUES];
  const char *record = "c/a.position, c/b.position";
  snprintf(model, sizeof model,
           HEAD "  a: {" FIRST
                ", velocity: [0.5, 0, -0.2], angular_velocity: [2, -3, 1]}\n"
                "  b: {" SECOND
                ", at: [0.4, 0, 0], velocity: [0.5, 0.4, 1.0],"
                " angular_velocity: [2, -3, 1]}\n"
                "joints:\n  r: {kind: weld, between: [a, b]}\n");
  run(model, "rk4", 1e-3, 1, record, weld);
  snprintf(model, sizeof model,
           HEAD "  a: {" FIRST
                ", velocity: [0.5, 0, -0.2], angular_velocity: [2, -3, 1]}\n"
                "  b: {" SECOND
                ", at: [0.4, 0, 0], velocity: [0.5, 0.4, 1.0],"
                " angular_velocity: [2, -3, 1]}\n"
                "bushings:\n  r: {between: [a, b], stiffness: [1e9, 1e9, 1e9],"
                " angular_stiffness: [1e8, 1e8, 1e8], implicit: true}\n");
  for (int k = 0; k < 2; k++) {
    run(model, integrators[k], 2e-3, 1, record, stiff[0]);
    run(model, integrators[k], 1e-3, 1, record, stiff[1]);
    assert_true(distance(stiff[1], weld, 6) < 0.02);
    assert_true(distance(stiff[1], weld, 6) < 0.7 * distance(stiff[0], weld, 6));
  }
}

/* --- robots ----------------------------------------------------------------------------------- */

#define ARM "mass: 1.5, centre: [0.4, 0.1, -0.2], inertia: [0.2, 0.3, 0.25, 0.02, -0.01, 0.03]"

#define SCENARIO                                             \
  "flange: 1\n"                                              \
  "time: {end: 1, macro: 0.001}\n"                           \
  "subsystems:\n"                                            \
  "  c: {model: model.yaml, integrator: rk4, step: 0.001}\n" \
  "record: [%s]\n"

static void robots_feel_it_like_bodies(void **state) {
  (void)state;
  const char *robot =
      "flange-model: 1\n"
      "bodies:\n  arm: {" ARM
      "}\n"
      "joints:\n  hinge: {kind: revolute, child: arm, axis: [0, 1, 0.2]}\n";
  const char *rest = "at: [1, 0, 0], turn: [0.1, 0.2, 0.3], " ANISOTROPIC DAMPED;
  char text[TEXT], model[TEXT];
  double one[VALUES], other[VALUES];
  snprintf(text, sizeof text, SCENARIO, "c/arm/arm.position, c/arm/arm.angular_velocity");
  snprintf(model, sizeof model,
           "flange-component: 1\nrobots:\n  arm: {model: robot.yaml}\n"
           "bushings:\n  r: {between: [world, arm/arm], %s}\n",
           rest);
  flg_simulation *simulation = load_three_texts(text, model, robot);
  run_to_end(simulation);
  flg_simulation_record(simulation, one);
  flg_simulation_release(simulation);
  snprintf(text, sizeof text, SCENARIO, "c/arm.position, c/arm.angular_velocity");
  snprintf(model, sizeof model,
           HEAD "  arm: {" ARM
                "}\n"
                "joints:\n  hinge: {kind: revolute, between: [world, arm], axis: [0, 1, 0.2]}\n"
                "bushings:\n  r: {between: [world, arm], %s}\n",
           rest);
  final_values(text, model, other);
  for (int i = 0; i < 6; i++) assert_near(one[i], other[i], 1e-13);
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void expect_mistake(const char *bushing, const char *message) {
  static flg_mistakes mistakes;
  char model[TEXT];
  mistakes = (flg_mistakes){0};
  snprintf(model, sizeof model, HEAD "  a: {" FIRST "}\nbushings:\n  r: {between: [%s}\n", bushing);
  test_folder folder = make_folder();
  make_file(&folder, "model.yaml", model);
  const char *path = make_file(&folder, "scenario.yaml",
                               "flange: 1\ntime: {end: 1, macro: 1}\n"
                               "subsystems:\n  c: {model: model.yaml, integrator: rk4}\n");
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, NULL, 0, &mistakes);
  remove_folder(&folder);
  assert_null(simulation);
  if (strstr(mistakes.list[0].message, message) == NULL) fail_msg("%s", mistakes.list[0].message);
  assert_int_equal(mistakes.list[0].line, 5);
}

static void what_cannot_be_is_told(void **state) {
  (void)state;
  expect_mistake("a, a], stiffness: [1, 1, 1]", "bushing 'r' is between body 'a' and itself");
  expect_mistake("a, world], stiffness: [1, -1, 1]", "stiffness: '-1' is out of range");
  expect_mistake("a, world], stiffness: [1, 1]", "stiffness");
  expect_mistake("a, b], stiffness: [1, 1, 1]", "'b'");
  expect_mistake("a, world], stiffness: [1, 1, 1], implicit: true",
                 "bushing 'r' is implicit, which rk4 cannot do");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_direction_swings_with_its_own_frequency),
      cmocka_unit_test(turns_swing_harmonically_at_any_angle),
      cmocka_unit_test(dampers_slow_down_by_their_own_law),
      cmocka_unit_test(energy_and_momentum_are_kept),
      cmocka_unit_test(ends_can_be_exchanged),
      cmocka_unit_test(mirrored_systems_move_mirrored),
      cmocka_unit_test(implicit_bushings_converge_with_the_order_of_the_scheme),
      cmocka_unit_test(a_stiff_bushing_is_a_weld),
      cmocka_unit_test(robots_feel_it_like_bodies),
      cmocka_unit_test(what_cannot_be_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
