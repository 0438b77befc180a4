/* The capture of a box, examples/capture, with arm and hand coupled: against the whole, solved as
 * one with the same micro steps. The vertex U of the box stands for all. */
#include "check.h"
#include "coupling_marks.h"

static const char capture[] = "examples/capture/capture.yaml";
static const char hop[] = "examples/capture/hop.yaml";
static const char friction[] = "examples/capture/friction.yaml";

enum { TEXTS = 6 };

/* overrides of a run: a coupling in the words of its section, a macro step, micro steps */
typedef struct words {
  char text[TEXTS][OVERRIDE_TEXT];
  const char *list[TEXTS + 1];
} words;

static void say(words *to, const char *coupling, const char *macro, const char *micro) {
  snprintf(to->text[0], OVERRIDE_TEXT, "coupling={%s}", coupling);
  snprintf(to->text[1], OVERRIDE_TEXT, "time.macro=%s", macro);
  snprintf(to->text[2], OVERRIDE_TEXT, "subsystems.arm.step=%s", micro);
  snprintf(to->text[3], OVERRIDE_TEXT, "subsystems.hand.step=%s", micro);
  snprintf(to->text[4], OVERRIDE_TEXT, "record=[hand/box/U.position, hand/box/U.velocity]");
  for (int k = 0; k < 5; k++) to->list[k] = to->text[k];
  to->list[5] = NULL;
}

static marked_run simulate(const char *scenario, const char *coupling, const char *macro,
                           const char *micro) {
  words all;
  say(&all, coupling, macro, micro);
  return run_marked(scenario, all.list);
}

static marked_run exact(const char *scenario, const char *macro, const char *micro) {
  return simulate(scenario, "scheme: monolithic", macro, micro);
}

/* largest error of U [m]; the reference has so many points for one of the run */
static double miss(const marked_run *run, const marked_run *reference, int every) {
  double most = 0;
  assert_int_equal((run->rows - 1) * every, reference->rows - 1);
  for (size_t k = 0; k < (size_t)run->rows; k++) {
    const double *u = run->values + k * (size_t)run->width;
    const double *v = reference->values + k * (size_t)every * (size_t)reference->width;
    most = flg_larger(most, distance_of(u, v, 3));
  }
  return most;
}

/* error of U with a coupling [m]; it must come to its end */
static double miss_with(const char *scenario, const char *coupling, const char *macro,
                        const char *micro, const marked_run *reference, int every) {
  marked_run run = simulate(scenario, coupling, macro, micro);
  assert_true(run.diverged_at < 0);
  const double error = miss(&run, reference, every);
  print_message("%s, H %s, %s: %.4f cm\n", scenario, macro, coupling, 100 * error);
  free(run.values);
  return error;
}

static void stays_within(const char *scenario) {
  marked_run reference = exact(scenario, "1/60", "1/600");
  assert_true(miss_with(scenario, "scheme: parallel", "1/60", "1/600", &reference, 1) <= 0.15e-2);
  /* measured: 0.0049, 0.0047 and 0.0083 cm */
  assert_true(miss_with(scenario, "scheme: sequential", "1/60", "1/600", &reference, 1) <=
              0.015e-2);
  free(reference.values);
}

static void a_captured_box_is_where_the_whole_has_it(void **state) {
  (void)state;
  stays_within(capture);
}

static void a_box_that_hops_lands_where_the_whole_does(void **state) {
  (void)state;
  stays_within(hop);
}

static void a_box_sticks_and_slips_as_the_whole_does(void **state) {
  (void)state;
  stays_within(friction);
}

/* Bounds are twice what is measured: parallel 0.0096, 0.068, 0.11, 0.17, 0.24 cm, sequential
 * 0.0018, 0.0031, 0.0049, 0.032, 0.039 cm. */
static void errors_stay_small_over_macro_steps(void **state) {
  (void)state;
  static const double bounds[2][5] = {{0.02e-2, 0.14e-2, 0.22e-2, 0.34e-2, 0.49e-2},
                                      {0.004e-2, 0.007e-2, 0.01e-2, 0.064e-2, 0.08e-2}};
  static const char *const couplings[] = {"scheme: parallel", "scheme: sequential"};
  static const char *const macros[] = {"1/120", "1/60", "1/30", "1/20"};
  static const int every[] = {1, 2, 4, 6};
  marked_run reference = exact(capture, "1/120", "1/600");
  marked_run finer = exact(capture, "1/240", "1/720"); /* 1/600 s does not divide 1/240 s */
  for (int c = 0; c < 2; c++) {
    double before = miss_with(capture, couplings[c], "1/240", "1/720", &finer, 1);
    assert_true(before <= bounds[c][0]);
    for (int k = 0; k < 4; k++) {
      const double error =
          miss_with(capture, couplings[c], macros[k], "1/600", &reference, every[k]);
      assert_true(error <= bounds[c][k + 1]);
      assert_true(before <= error); /* none grows as H tends to h */
      before = error;
    }
  }
  free(reference.values), free(finer.values);
}

/* Closed contacts as joints: the admittance form can use the model that has no inverse. */
static void smooth_models_are_usable_as_admittances_only(void **state) {
  (void)state;
  marked_run reference = exact(capture, "1/60", "1/600");
  assert_true(miss_with(capture, "scheme: parallel, contacts: smooth", "1/60", "1/600", &reference,
                        1) <= 1.5e-2); /* measured: 0.998 cm */
  marked_run mass = simulate(capture, "scheme: paper-smooth", "1/60", "1/600");
  print_message("paper-smooth: diverged at %g s\n", mass.diverged_at);
  if (mass.diverged_at < 0) assert_true(miss(&mass, &reference, 1) > 1);
  free(mass.values), free(reference.values);
}

/* Up to K = 1e15 N/m springs come closer to rigid contacts; their compliance is then lost to
 * rounding, and with it the effective mass (nonsmooth-rim, Fig. 9). */
static void springs_may_not_be_soft_and_may_not_be_too_stiff(void **state) {
  (void)state;
  static const char *const couplings[] = {
      "scheme: paper-nonsmooth", "scheme: paper-regularised, stiffness: 1e15",
      "scheme: paper-regularised, stiffness: 1e5", "scheme: paper-regularised, stiffness: 1e25"};
  double errors[4];
  marked_run reference = exact(capture, "1/60", "1/600");
  for (int k = 0; k < 4; k++) {
    marked_run run = simulate(capture, couplings[k], "1/60", "1/600");
    errors[k] = run.diverged_at < 0 ? miss(&run, &reference, 1) : (double)INFINITY;
    print_message("%s: %.3f cm\n", couplings[k], 100 * errors[k]);
    free(run.values);
  }
  assert_true(errors[0] < 0.04 && errors[0] < errors[1]);
  assert_true(errors[1] < 1 && errors[1] < errors[2]);
  assert_true(errors[3] > 1);
  free(reference.values);
}

/* The box and the ground ask for short steps; the arm, which is driven, goes along. */
static void who_is_driven_goes_along_while_contacts_are_near(void **state) {
  (void)state;
  words all;
  marked_run reference = exact(friction, "1/60", "1/600");
  say(&all, "scheme: sequential", "1/60", "1/600");
  snprintf(all.text[2], OVERRIDE_TEXT, "subsystems.arm.step=1/60");
  marked_run run = run_marked(friction, all.list);
  const double error = miss(&run, &reference, 1);
  print_message("friction, arm with steps of 1/60 s: %.4f cm\n", 100 * error);
  assert_true(error <= 0.03e-2);
  free(run.values), free(reference.values);
}

/* The two edge vertices are those that matter, and a choice of all is none. */
static void who_may_change_can_be_chosen(void **state) {
  (void)state;
  marked_run reference = exact(capture, "1/60", "1/600");
  const double all = miss_with(capture, "scheme: parallel", "1/60", "1/600", &reference, 1);
  const double named =
      miss_with(capture, "scheme: parallel, potential: [hand/box]", "1/60", "1/600", &reference, 1);
  const double edge =
      miss_with(capture, "scheme: parallel, potential: [hand/box/bottom/U, hand/box/bottom/V]",
                "1/60", "1/600", &reference, 1);
  const double one = miss_with(capture, "scheme: parallel, potential: [hand/box/bottom/far_left]",
                               "1/60", "1/600", &reference, 1);
  const double none =
      miss_with(capture, "scheme: parallel, contacts: smooth", "1/60", "1/600", &reference, 1);
  assert_true(fabs(named - all) < 1e-12);
  assert_true(edge <= 0.15e-2);
  assert_true(fabs(one - none) < 0.3e-2); /* the edge stays where it is */
  free(reference.values);
}

static void effective_masses_with_open_contacts_are_refused(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  flg_simulation *simulation = NULL;
  const char *const overrides[] = {"coupling={scheme: parallel, form: mass}"};
  flg_simulation_load(&simulation, capture, overrides, 1, &mistakes);
  assert_null(simulation);
  assert_non_null(strstr(mistakes.list[0].message, "'form: admittance'"));
}

/* A v+ of one side and w + h w' of the other are not the same: momentum comes in at each
 * communication point, and more of it the more there are. The paper prints 2.42 cm. */
static void the_papers_models_get_worse_as_macro_steps_get_shorter(void **state) {
  (void)state;
  static const char *const macros[] = {"1/60", "1/120"};
  double errors[2];
  for (int k = 0; k < 2; k++) {
    marked_run reference = exact(capture, macros[k], "1/600");
    errors[k] = miss_with(capture, "scheme: paper-nonsmooth", macros[k], "1/600", &reference, 1);
    free(reference.values);
  }
  assert_true(errors[0] > 1e-2 && errors[0] < 4e-2);
  assert_true(errors[1] > errors[0]);
}

static void signals_blow_up_before_the_box_is_reached(void **state) {
  (void)state;
  static const char *const couplings[] = {"scheme: hold", "scheme: extrapolate"};
  for (int k = 0; k < 2; k++) {
    marked_run run = simulate(capture, couplings[k], "1/60", "1/600");
    assert_true(run.diverged_at > 0 && run.diverged_at < 4);
    free(run.values);
  }
}

/* hash after ten seconds, in which the edge has been lifted and has landed */
static uint64_t hash_of(const char *coupling, int threads) {
  flg_threads *shared = NULL;
  flg_error error;
  words all;
  say(&all, coupling, "1/60", "1/600");
  if (threads > 0) assert_int_equal(flg_threads_build(&shared, threads, &error), FLG_OK);
  flg_simulation *simulation = load_with(hop, all.list);
  flg_simulation_share(simulation, shared);
  for (int k = 0; k < 600; k++) {
    assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
  }
  const uint64_t hash = flg_simulation_hash(simulation);
  flg_simulation_release(simulation);
  flg_threads_release(shared);
  return hash;
}

static void every_run_and_number_of_threads_gives_the_same_bits(void **state) {
  (void)state;
  static const char *const couplings[] = {"scheme: parallel", "scheme: sequential"};
  for (int k = 0; k < 2; k++) {
    const uint64_t once = hash_of(couplings[k], 0);
    assert_true(hash_of(couplings[k], 0) == once);
    assert_true(hash_of(couplings[k], 2) == once);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_captured_box_is_where_the_whole_has_it),
      cmocka_unit_test(a_box_that_hops_lands_where_the_whole_does),
      cmocka_unit_test(a_box_sticks_and_slips_as_the_whole_does),
      cmocka_unit_test(errors_stay_small_over_macro_steps),
      cmocka_unit_test(smooth_models_are_usable_as_admittances_only),
      cmocka_unit_test(springs_may_not_be_soft_and_may_not_be_too_stiff),
      cmocka_unit_test(who_is_driven_goes_along_while_contacts_are_near),
      cmocka_unit_test(who_may_change_can_be_chosen),
      cmocka_unit_test(effective_masses_with_open_contacts_are_refused),
      cmocka_unit_test(the_papers_models_get_worse_as_macro_steps_get_shorter),
      cmocka_unit_test(signals_blow_up_before_the_box_is_reached),
      cmocka_unit_test(every_run_and_number_of_threads_gives_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
