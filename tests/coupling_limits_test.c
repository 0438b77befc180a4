/* Joints of a robot that rest on their end, while a load hangs on it that is modelled apart; and
 * chains whose interfaces end. */
#include <math.h>

#include "check.h"
#include "coupling_marks.h"
#include "scenarios.h"

static const char arm[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  link: {mass: 1, centre: [0.3, 0, 0], inertia: [0.01, 0.03, 0.03]}\n"
    "  tip: {}\n"
    "joints:\n"
    "  hinge: {kind: revolute, child: link, axis: [0, 1, 0], at: [0, 0, 1],\n"
    "          limits: {lower: -1, upper: 0.7}}\n"
    "  end: {kind: fixed, parent: link, child: tip, at: [0.6, 0, 0]}\n";
static const char load[] =
    "flange-component: 1\n"
    "bodies: {mass: {mass: 2, inertia: [0.01, 0.01, 0.01], at: [0.6, 0, 1]}}\n"
    "ports: {grip: {body: mass}}\n";
static const char scenario[] =
    "flange: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "time: {end: 2, macro: 1/100}\n"
    "subsystems:\n"
    "  arm: {model: arm.yaml, step: 1/500, integrator: semi-implicit}\n"
    "  load: {model: load.yaml, step: 1/500, integrator: semi-implicit}\n"
    "interfaces: {wrist: {between: [arm/tip, load/grip], joint: weld}}\n"
    "record: [arm/hinge.position, arm/hinge.velocity, load/mass.position]\n";

static marked_run fall_with(const char *coupling) {
  test_folder folder = make_folder();
  char override[OVERRIDE_TEXT];
  snprintf(override, sizeof override, "coupling.scheme=%s", coupling);
  make_file(&folder, "arm.yaml", arm);
  make_file(&folder, "load.yaml", load);
  const char *path = make_file(&folder, "scenario.yaml", scenario);
  marked_run run = run_marked(path, (const char *[]){override, NULL});
  remove_folder(&folder);
  assert_true(run.diverged_at < 0);
  return run;
}

static void a_load_comes_to_rest_where_the_joint_ends(void **state) {
  (void)state;
  static const char *const couplings[] = {"parallel", "sequential"};
  marked_run whole = fall_with("monolithic");
  const double *there = whole.values + (size_t)(whole.rows - 1) * (size_t)whole.width;
  assert_near(there[0], 0.7, 1e-6);
  for (int k = 0; k < 2; k++) {
    marked_run run = fall_with(couplings[k]);
    const double *end = run.values + (size_t)(run.rows - 1) * (size_t)run.width;
    print_message("%s: %.9f rad, %.1e rad/s\n", couplings[k], end[0], end[1]);
    assert_near(end[0], 0.7, 1e-13);
    assert_near(end[1], 0, 1e-12);
    for (int i = 2; i < 5; i++) assert_near(end[i], there[i], 5e-7);
    free(run.values);
  }
  free(whole.values);
}

/* Rods on hinges that end at 0.2 rad fall onto their stops, which bring hinges back by much in a
 * step, and hang there: each is turned by 0.2 rad more than the one before. */
static void chains_come_to_rest_on_stops_of_their_hinges(void **state) {
  (void)state;
  static const char rod[] =
      "flange-component: 1\n"
      "parameters: {m: 1}\n"
      "bodies: {b: {mass: =m, inertia: [=m/1000, =m/12, =m/12], at: [0.5, 0, 0]}}\n"
      "ports: {l: {body: b, at: [-0.5, 0, 0]}, r: {body: b, at: [0.5, 0, 0]}}\n";
  static const char *const chain_schemes[] = {"sequential", "parallel"};
  static const char *const macros[] = {"1/1000", "1/500", "1/100"};
  for (int k = 0; k < 2 * 3 * 3; k++) {
    const int count = 2 + k % 3;
    char text[2000];
    int length = snprintf(text, sizeof text,
                          "flange: 1\ntime: {end: 1, macro: %s}\ncoupling: {scheme: %s}\n"
                          "record: [s%d/b.position]\nsubsystems:\n",
                          macros[k / 3 % 3], chain_schemes[k / 9], count - 1);
    for (int i = 0; i < count; i++) {
      length += snprintf(text + length, sizeof text - (size_t)length,
                         "  s%d: {model: model.yaml, step: 1/1000, at: [%d, 0, 0], "
                         "parameters: {m: %d}}\n",
                         i, i, 1 + i % 3);
    }
    length += snprintf(text + length, sizeof text - (size_t)length, "interfaces:\n");
    for (int i = 0; i < count; i++) {
      char before[16] = "world";
      if (i > 0) snprintf(before, sizeof before, "s%d/r", i - 1);
      length += snprintf(text + length, sizeof text - (size_t)length,
                         "  j%d: {between: [%s, s%d/l], joint: revolute, axis: [0, 1, 0], "
                         "stops: {lower: -0.5, upper: 0.2}}\n",
                         i, before, i);
    }
    flg_simulation *simulation = load_texts(text, rod);
    double place[3], x = 0, z = 0;
    run_to_end(simulation);
    flg_simulation_record(simulation, place);
    flg_simulation_release(simulation);
    for (int i = 0; i < count; i++) {
      const double half = i == count - 1 ? 0.5 : 1, angle = 0.2 * (i + 1);
      x += half * cos(angle), z -= half * sin(angle);
    }
    assert_near(place[0], x, 1e-9);
    assert_near(place[2], z, 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_load_comes_to_rest_where_the_joint_ends),
      cmocka_unit_test(chains_come_to_rest_on_stops_of_their_hinges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
