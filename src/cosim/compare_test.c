/* Errors, orders and divergence: on traces whose answers are known, and on a coupled run. */
#include "cosim/compare.h"

#include <math.h>

#include "files.h"

enum { ROWS = 9 };

/* a reference with rows every 0.25 s, a run with one every 0.5 s, each with a scalar and a vector
 */
typedef struct pair {
  double reference_values[ROWS][5], run_values[ROWS][5], energies[2][ROWS];
  flg_trace reference, run;
} pair;

static const flg_signal scalar = {"a/x.position", "m", 1, NULL};
static const flg_signal vector = {"a/body.orientation", "", 4, NULL};

static pair make_pair(void) {
  pair made = {0};
  for (int k = 0; k < ROWS; k++) {
    made.reference_values[k][0] = k;
    made.reference_values[k][1] = 1;
    made.energies[0][k] = made.energies[1][k] = 2;
  }
  for (int k = 0; k < 5; k++) {
    made.run_values[k][0] = 2 * k + (k == 3 ? -4 : 1); /* off by 1 1 1 4 1 */
    made.run_values[k][1] = k == 2 ? -1 : 1;           /* the same turn */
  }
  return made;
}

static void lay_out(pair *made) {
  made->reference = (flg_trace){.macro = 0.25,
                                .rows = ROWS,
                                .width = 5,
                                .values = made->reference_values[0],
                                .energies = made->energies[0],
                                .kinetic = 1};
  made->run = (flg_trace){.macro = 0.5,
                          .rows = 5,
                          .width = 5,
                          .values = made->run_values[0],
                          .energies = made->energies[1]};
}

static void errors_are_taken_at_the_points_of_the_run(void **state) {
  (void)state;
  pair made = make_pair();
  lay_out(&made);
  const flg_deviation error = flg_compare_signal(&made.run, &made.reference, &scalar, 0);
  assert_near(error.max, 4, 0);
  assert_near(error.rms, sqrt((1 + 1 + 1 + 16 + 1) / 5.0), 1e-15);
  assert_near(error.final, 1, 0);
  assert_true(isnan(flg_compare_diverged_at(&made.run, &made.reference)));
}

static void a_quaternion_and_its_negative_are_the_same(void **state) {
  (void)state;
  pair made = make_pair();
  lay_out(&made);
  assert_near(flg_compare_signal(&made.run, &made.reference, &vector, 1).max, 0, 0);
  const flg_signal plain = {"a/body.position", "m", 4, NULL};
  assert_near(flg_compare_signal(&made.run, &made.reference, &plain, 1).max, 2, 0);
}

/* the reference has rows 0, 1, 2, ...: over two of its steps the mean is 1.5, 3.5, ... */
static void forces_of_interfaces_are_compared_as_means(void **state) {
  (void)state;
  pair made = make_pair();
  lay_out(&made);
  for (int k = 0; k < 5; k++) made.run_values[k][0] = k == 0 ? 0 : 2 * k - 0.5;
  made.run_values[3][0] += 3;
  const flg_signal force = {"wrist.force", "", 1, NULL}, rank = {"wrist.rank", "", 1, NULL};
  const flg_deviation error = flg_compare_signal(&made.run, &made.reference, &force, 0);
  assert_near(error.max, 3, 1e-15);
  assert_near(error.rms, sqrt(9 / 5.0), 1e-15);
  assert_true(flg_compare_is_told(&force) && flg_compare_is_told(&scalar));
  assert_false(flg_compare_is_told(&rank));
}

static void a_run_is_judged_until_its_energy_runs_away(void **state) {
  (void)state;
  pair made = make_pair();
  lay_out(&made);
  made.energies[1][3] = 2 + 1999;
  assert_int_equal(flg_compare_sound_rows(&made.run, &made.reference), 5);
  made.energies[1][3] = 2 + 2001; /* over 1000 times 2 J */
  assert_int_equal(flg_compare_sound_rows(&made.run, &made.reference), 3);
  assert_near(flg_compare_diverged_at(&made.run, &made.reference), 1.5, 0);
  assert_near(flg_compare_signal(&made.run, &made.reference, &scalar, 0).max, 1, 0);
  made.reference.kinetic = 3; /* energy may be 2 J above the ground, and more in motion */
  assert_int_equal(flg_compare_sound_rows(&made.run, &made.reference), 5);
}

/* about 0 J, where it rests: 1e-17 J are no scale, in any unit */
static void a_reference_that_rests_is_no_scale_of_energy(void **state) {
  (void)state;
  pair made = make_pair();
  lay_out(&made);
  for (int k = 0; k < ROWS; k++) made.energies[0][k] = 1e-17, made.energies[1][k] = k * 1e-9;
  made.reference.kinetic = 1e-30;
  assert_int_equal(flg_compare_sound_rows(&made.run, &made.reference), 5);
  made.run.usual = 1e-12; /* of its coupling: more than 1e-9 J is too much */
  assert_int_equal(flg_compare_sound_rows(&made.run, &made.reference), 2);
  made.reference.kinetic = 1e-15;
  assert_int_equal(flg_compare_sound_rows(&made.run, &made.reference), 1);
}

static void a_run_that_ends_early_diverged_in_the_next_step(void **state) {
  (void)state;
  pair made = make_pair();
  lay_out(&made);
  made.run.rows = 2, made.run.status = FLG_ERR_DIVERGED;
  assert_near(flg_compare_diverged_at(&made.run, &made.reference), 1, 0);
  assert_near(flg_compare_signal(&made.run, &made.reference, &scalar, 0).rms, 1, 0);
  assert_true(isnan(flg_compare_signal(&made.run, &made.reference, &scalar, 0).final));
  made.run.rows = 1; /* the start, where all runs are alike */
  made.run_values[0][0] = 0;
  assert_near(flg_compare_diverged_at(&made.run, &made.reference), 0.5, 0);
  const flg_deviation none = flg_compare_signal(&made.run, &made.reference, &scalar, 0);
  assert_true(isnan(none.max) && isnan(none.rms) && isnan(none.final));
  made.run.rows = 0;
  assert_true(isnan(flg_compare_signal(&made.run, &made.reference, &scalar, 0).max));
}

static void energies_that_run_away_at_once_leave_no_error(void **state) {
  (void)state;
  pair made = make_pair();
  lay_out(&made);
  made.energies[1][1] = INFINITY;
  made.run_values[0][0] = 0;
  const flg_deviation none = flg_compare_signal(&made.run, &made.reference, &scalar, 0);
  assert_true(isnan(none.max) && isnan(none.rms) && isnan(none.final));
}

static void what_is_not_a_number_has_no_error(void **state) {
  (void)state;
  for (int row = 0; row < 5; row++) {
    pair made = make_pair();
    lay_out(&made);
    made.run_values[row][0] = NAN;
    const flg_deviation error = flg_compare_signal(&made.run, &made.reference, &scalar, 0);
    assert_true(isnan(error.max) && isnan(error.rms));
    assert_true(isnan(error.final) == (row == 4));
  }
}

static void orders_are_the_slope_of_errors(void **state) {
  (void)state;
  assert_near(flg_compare_order(4e-4, 1e-4, 0.02, 0.01), 2, 1e-12);
  assert_near(flg_compare_order(3e-4, 1e-4, 0.03, 0.01), 1, 3e-14);
  assert_true(isnan(flg_compare_order(0, 1e-4, 0.02, 0.01)));
  assert_true(isnan(flg_compare_order(1e-4, NAN, 0.02, 0.01)));
  assert_true(isnan(flg_compare_order(2e-4, 1e-4, 0.01, 0.01)));
}

/* --- a run --- */

static const char arm_text[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  upper: {mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, child: upper, axis: [0, 1, 0]}\n"
    "ports: {tool: {body: upper, at: [1, 0, 0]}}\n";
static const char hand_text[] =
    "flange-component: 1\n"
    "bodies: {rod: {mass: 0.5, inertia: [0.01, 0.04, 0.04], at: [0.5, 0, 0]}}\n"
    "ports: {end: {body: rod, at: [-0.5, 0, 0]}}\n";
static const char scenario_text[] =
    "flange: 1\n"
    "time: {end: 0.8, macro: 1/50}\n"
    "subsystems:\n"
    "  arm: {model: arm.yaml, step: 1/4000, integrator: semi-implicit}\n"
    "  hand: {model: hand.yaml, at: [1, 0, 0], step: 1/4000, integrator: semi-implicit}\n"
    "interfaces: {elbow: {between: [arm/tool, hand/end], joint: revolute, axis: [0, 1, 0]}}\n"
    "record: [hand/rod.position]\n";

static flg_trace run_with(const char *scheme, const char *macro) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  test_folder folder = make_folder();
  make_file(&folder, "arm.yaml", arm_text);
  make_file(&folder, "hand.yaml", hand_text);
  const char *path = make_file(&folder, "scenario.yaml", scenario_text);
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, (const char *const[]){scheme, macro}, 2, &mistakes);
  remove_folder(&folder);
  if (simulation == NULL) fail_msg("%s", mistakes.list[0].message);
  flg_trace trace;
  flg_error error;
  assert_int_equal(flg_trace_build(&trace, simulation, &error), FLG_OK);
  flg_trace_run(&trace, simulation, NULL, NULL);
  assert_int_equal(trace.status, FLG_OK);
  flg_simulation_release(simulation);
  return trace;
}

static double error_of(const char *scheme, const char *macro, const flg_trace *reference) {
  static const flg_signal position = {"hand/rod.position", "m", 3, NULL};
  flg_trace run = run_with(scheme, macro);
  const double error = flg_compare_signal(&run, reference, &position, 0).max;
  flg_trace_release(&run);
  return error;
}

/* the frozen rest is right to the first order in H: errors shrink at least as H does */
static void couplings_converge_to_the_whole(void **state) {
  (void)state;
  static const char *const schemes[] = {"coupling.scheme=parallel", "coupling.scheme=sequential"};
  flg_trace reference = run_with("coupling.scheme=monolithic", "time.macro=1/100");
  assert_int_equal(reference.rows, 81);
  assert_true(reference.kinetic > 1 && reference.kinetic < 20); /* 7.4 J fall by 1 m */
  for (int k = 0; k < 2; k++) {
    const double coarse = error_of(schemes[k], "time.macro=1/25", &reference);
    const double fine = error_of(schemes[k], "time.macro=1/100", &reference);
    assert_true(coarse < 0.1);
    assert_true(flg_compare_order(coarse, fine, 1. / 25, 1. / 100) > 0.9);
  }
  flg_trace_release(&reference);
}

static bool stop_at_once(void *context, const flg_simulation *simulation) {
  (void)simulation;
  return ++*(int *)context < 3;
}

static void a_tick_can_stop_a_run(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  test_folder folder = make_folder();
  make_file(&folder, "arm.yaml", arm_text);
  make_file(&folder, "hand.yaml", hand_text);
  const char *path = make_file(&folder, "scenario.yaml", scenario_text);
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, NULL, 0, &mistakes);
  remove_folder(&folder);
  assert_non_null(simulation);
  flg_trace trace;
  flg_error error;
  int ticks = 0;
  assert_int_equal(flg_trace_build(&trace, simulation, &error), FLG_OK);
  flg_trace_run(&trace, simulation, stop_at_once, &ticks);
  assert_int_equal(trace.status, FLG_ERR_INTERRUPTED);
  assert_int_equal(trace.rows, 4);
  flg_trace_release(&trace);
  flg_simulation_release(simulation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_taken_at_the_points_of_the_run),
      cmocka_unit_test(a_quaternion_and_its_negative_are_the_same),
      cmocka_unit_test(forces_of_interfaces_are_compared_as_means),
      cmocka_unit_test(a_run_is_judged_until_its_energy_runs_away),
      cmocka_unit_test(a_reference_that_rests_is_no_scale_of_energy),
      cmocka_unit_test(a_run_that_ends_early_diverged_in_the_next_step),
      cmocka_unit_test(energies_that_run_away_at_once_leave_no_error),
      cmocka_unit_test(what_is_not_a_number_has_no_error),
      cmocka_unit_test(orders_are_the_slope_of_errors),
      cmocka_unit_test(couplings_converge_to_the_whole),
      cmocka_unit_test(a_tick_can_stop_a_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
