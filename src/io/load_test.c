/* From a scenario file to a simulation: what is recorded, and what is refused. */
#include "files.h"
#include "flange/simulation.h"

static const char model_text[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  cart: {mass: 2, inertia: [1, 1, 1]}\n"
    "  arm: {mass: 1, centre: [0, 0, 1], inertia: [0.1, 0.1, 0.1]}\n"
    "  free: {mass: 3, inertia: [1, 2, 3]}\n"
    "joints:\n"
    "  rail: {kind: prismatic, child: cart, axis: [1, 0, 0]}\n"
    "  hinge: {kind: revolute, parent: cart, child: arm, at: [0, 0, 0.5], axis: [0, 1, 0]}\n"
    "  sky: {kind: floating, child: free}\n"
    "markers:\n"
    "  tip: {body: arm, at: [0, 0, 2]}\n";

static const char scenario_text[] =
    "flange: 1\n"
    "gravity: [0, 0, 0]\n"
    "time: {end: 1, macro: 0.5}\n"
    "subsystems:\n"
    "  a:\n"
    "    model: model.yaml\n"
    "    step: 0.25\n"
    "    initial: {rail: 3, hinge: 90 deg, sky: [1, 2, 3, 2, 0, 0, 0]}\n"
    "    initial_velocity: {rail: 5, sky: [0, 0, 1, 0, 0, 7]}\n"
    "record: [a/cart.position, a/cart.velocity, a/arm/tip.position, a/arm/tip.velocity,\n"
    "  a/free.orientation, a/free.angular_velocity, a/rail.position, a/rail.velocity,\n"
    "  a/sky.position, a/energy]\n";

static flg_mistakes mistakes;

static flg_simulation *load(const char *model, const char *scenario, const char *override) {
  test_folder folder = make_folder();
  make_file(&folder, "model.yaml", model);
  const char *path = make_file(&folder, "scenario.yaml", scenario);
  mistakes = (flg_mistakes){0};
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, &override, override == NULL ? 0 : 1, &mistakes);
  remove_folder(&folder);
  return simulation;
}

static void every_quantity_is_recorded_as_the_model_has_it(void **state) {
  (void)state;
  flg_simulation *simulation = load(model_text, scenario_text, NULL);
  assert_non_null(simulation);
  const double expected[] = {3,
                             0,
                             0, /* cart.position */
                             5,
                             0,
                             0, /* cart.velocity */
                             5,
                             0,
                             0.5, /* tip: turned by 90 degrees about y */
                             5,
                             0,
                             0, /* its velocity: that of the cart */
                             1,
                             0,
                             0,
                             0, /* orientation: normalised */
                             0,
                             0,
                             7, /* angular velocity */
                             3,
                             5, /* rail */
                             1,
                             2,
                             3,
                             1,
                             0,
                             0,
                             0,                          /* sky */
                             37.5 + 1.5 + 0.5 * 3 * 49}; /* energy: 3 kg at 5 m/s, 3 kg at 1 m/s */
  const int width = sizeof expected / sizeof expected[0];
  assert_int_equal(flg_simulation_width(simulation), width);
  double values[sizeof expected / sizeof expected[0]];
  flg_simulation_record(simulation, values);
  for (int k = 0; k < width; k++) assert_near(values[k], expected[k], 1e-13);
  const flg_signal *signals = flg_simulation_signals(simulation);
  assert_string_equal(signals[1].unit, "m/s");
  assert_string_equal(signals[6].unit, "m");
  assert_int_equal(signals[8].width, 7);
  flg_simulation_release(simulation);
}

static void steps_are_counted(void **state) {
  (void)state;
  flg_simulation *simulation = load(model_text, scenario_text, NULL);
  while (!flg_simulation_ended(simulation)) {
    assert_int_equal(flg_simulation_step(simulation, NULL), FLG_OK);
  }
  assert_int_equal(flg_simulation_macro_steps(simulation), 2);
  assert_int_equal(flg_simulation_micro_steps(simulation), 4);
  assert_true(flg_simulation_time(simulation) == 1);
  double values[64];
  flg_simulation_record(simulation, values);
  assert_near(values[0], 8, 1e-12); /* the cart coasts */
  flg_simulation_release(simulation);
}

/* the one mistake of a scenario with an override, or of another model */
static void assert_mistake(const char *model, const char *override, int line, const char *words) {
  assert_null(load(model, scenario_text, override));
  assert_int_equal(mistakes.count, 1);
  if (strstr(mistakes.list[0].message, words) == NULL) fail_msg("%s", mistakes.list[0].message);
  assert_int_equal(mistakes.list[0].line, line);
}

static void what_does_not_fit_the_model_is_refused(void **state) {
  (void)state;
  assert_mistake(model_text, "subsystems.a.initial.rial=1", 0, "did you mean 'rail'");
  assert_mistake(model_text, "subsystems.a.initial.sky=1", 0, "has 7 positions, found 1");
  assert_mistake(model_text, "subsystems.a.initial_velocity.sky=1", 0, "has 6 velocities, found 1");
  assert_mistake(model_text, "subsystems.a.initial=home", 0,
                 "'a' has no configuration 'home'; there is 'zero'. More are written as "
                 "'configurations: {home: {joint: position}}'");
  assert_mistake(model_text, "subsystems.a.initial=7", 0, "or the name of a configuration");
  assert_mistake(model_text, "subsystems.a.armature={raill: 1}", 0, "did you mean 'rail'");
  assert_mistake(model_text, "subsystems.a.armature={sky: 1}", 0, "one coordinate");
  assert_mistake(model_text, "record=[b/x.position]", 0, "no subsystem 'b'");
  assert_mistake(model_text, "record=[a]", 0, "is no signal");
  assert_mistake(model_text, "record=[a/crt.position]", 0, "did you mean 'cart'");
  assert_mistake(model_text, "record=[a/cart.postion]", 0, "did you mean 'position'");
  assert_mistake(model_text, "record=[a/cart.colour]", 0,
                 "it has position, orientation, velocity, angular_velocity");
  assert_mistake(model_text, "record=[a/cart]", 0, "a quantity is missing; 'cart' has position");
  assert_mistake(model_text, "record=[a/energy.position]", 0, "write 'a/energy'");
  assert_mistake(model_text, "record=['b/*']", 0, "'b/*' matches no signal");
  assert_mistake(model_text, "record=[a/arm/tap.position]", 0, "did you mean 'tip'");
  assert_mistake(model_text, "record=[a/cart/tip.position]", 0, "no marker 'tip'");
  assert_mistake(model_text, "time.end=0.7", 3, "does not divide");
  assert_mistake(model_text, "subsystems.a.step=0.3", 5, "0.5 and 0.25 s");
}

/* how many signals a record stands for, and whether the name is among them */
static int count_recorded(const char *record, const char *name, bool *has) {
  flg_simulation *simulation = load(model_text, scenario_text, record);
  assert_non_null(simulation);
  const int count = flg_simulation_signal_count(simulation);
  *has = false;
  for (int k = 0; k < count; k++) {
    *has |= strcmp(flg_simulation_signals(simulation)[k].name, name) == 0;
  }
  flg_simulation_release(simulation);
  return count;
}

static void patterns_stand_for_all_that_match_once(void **state) {
  (void)state;
  bool has;
  assert_int_equal(count_recorded("record=['*.energy']", "a/energy", &has), 1);
  assert_true(has);
  assert_int_equal(count_recorded("record=['a/e*y', a/energy, '*energy']", "a/energy", &has), 1);
  assert_true(has);
  /* the marker by its body alone, and nothing of the clock */
  const int positions = count_recorded("record=['*.position']", "a/arm/tip.position", &has);
  assert_true(has);
  assert_int_equal(count_recorded("record=['*.position']", "a/tip.position", &has), positions);
  assert_false(has);
  const int all = count_recorded("record=[all]", "macro.wall_time", &has);
  assert_false(has);
  assert_int_equal(count_recorded("record=['*']", "a/cart.velocity", &has), all);
  assert_true(has);
  assert_true(all > positions);
  assert_int_equal(count_recorded("record=[all, macro.wall_time]", "macro.wall_time", &has),
                   all + 1);
  assert_true(has);
}

static void a_model_with_a_mistake_is_refused_at_its_line(void **state) {
  (void)state;
  assert_mistake("flange-model: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1]}\n", NULL, 3, "inertia");
  assert_mistake("flange-model: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1, 3]}\n", NULL, 3,
                 "principal moments");
  assert_mistake(
      "flange-model: 1\nbodies:\n  b: {mass: 1}\njoints:\n  j: {kind: hinge, child: b}\n", NULL, 5,
      "'hinge' is not known");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_quantity_is_recorded_as_the_model_has_it),
      cmocka_unit_test(steps_are_counted),
      cmocka_unit_test(patterns_stand_for_all_that_match_once),
      cmocka_unit_test(what_does_not_fit_the_model_is_refused),
      cmocka_unit_test(a_model_with_a_mistake_is_refused_at_its_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
