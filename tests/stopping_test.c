/* Steps that take long end when they are stopped, also inside of a macro step, and those that would
 * take for ever have a bound. */
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "scenarios.h"

static volatile int stopped;

static void stop(int number) {
  (void)number;
  stopped = 1;
}

/* Seconds of CPU that a first step takes that is stopped after 20 ms of them. */
static double stop_first_step(const char *scenario, const char *model) {
  const struct sigaction action = {.sa_handler = stop};
  const struct itimerval soon = {.it_value.tv_usec = 20000};
  flg_error error = {0};
  flg_simulation *simulation = load_texts(scenario, model);
  stopped = 0;
  flg_simulation_watch(simulation, &stopped);
  sigaction(SIGVTALRM, &action, NULL);
  setitimer(ITIMER_VIRTUAL, &soon, NULL);
  const clock_t start = clock();
  assert_int_equal(flg_simulation_step(simulation, &error), FLG_ERR_INTERRUPTED);
  assert_non_null(strstr(error.message, "Stopped after t = 0 s"));
  flg_simulation_release(simulation);
  return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* 100,000 micro steps of two pendulums take seconds */
static void a_stop_ends_coupled_macro_steps_early(void **state) {
  static const char *const schemes[] = {"sequential", "parallel", "hold", "jacobi"};
  static const char model[] =
      "flange-component: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]}}\n"
      "joints: {j: {kind: revolute, between: [world, a], axis: [0, 1, 0]}}\nports: {p: {body: "
      "a}}\n";
  (void)state;
  for (int k = 0; k < 4; k++) {
    char scenario[500];
    snprintf(scenario, sizeof scenario,
             "flange: 1\ntime: {end: 1, macro: 1}\nsubsystems:\n"
             "  a: {model: model.yaml, step: 1/100000}\n  b: {model: model.yaml, step: 1/100000}\n"
             "interfaces: {w: {between: [a/p, b/p], joint: spherical}}\ncoupling: {scheme: %s}\n",
             schemes[k]);
    assert_true(stop_first_step(scenario, model) < 0.2);
  }
}

static const char arm[] =
    "flange-model: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
    "joints: {j: {kind: revolute, child: a}}\n";

static void hold_stiffly(char *scenario, size_t size, const char *stiffness) {
  snprintf(scenario, size,
           "flange: 1\ntime: {end: 10, macro: 10}\nsubsystems:\n  a:\n    model: model.yaml\n"
           "    integrator: adaptive\n    initial_velocity: {j: 1}\n"
           "    controllers: {c: {kind: pd, stiffness: %s, damping: 1e3}}\n",
           stiffness);
}

static void a_stop_ends_adaptive_steps_early(void **state) {
  char scenario[500];
  (void)state;
  hold_stiffly(scenario, sizeof scenario, "1e14");
  assert_true(stop_first_step(scenario, arm) < 0.2);
}

static void adaptive_steps_that_need_too_many_of_their_own_are_told(void **state) {
  char scenario[500];
  flg_error error = {0};
  (void)state;
  hold_stiffly(scenario, sizeof scenario, "1e14");
  flg_simulation *simulation = load_texts(scenario, arm);
  assert_int_equal(flg_simulation_step(simulation, &error), FLG_ERR_DIVERGED);
  assert_non_null(strstr(error.message, "needs more than 100000 steps of its own for the 10 s"));
  flg_simulation_release(simulation);
}

/* The first instant alone would take some 100,000 steps of its own, which nothing can stop: 0.23 s
 * of CPU for this arm, 10 s for beams with many functions. */
static void systems_that_are_far_too_stiff_for_adaptive_are_built_at_once(void **state) {
  static const char scenario[] =
      "flange: 1\ntime: {end: 1, macro: 1}\nsubsystems:\n  a:\n    model: model.yaml\n"
      "    integrator: adaptive\n    controllers:\n      c: {kind: pd, stiffness: 1e30, damping: "
      "1,\n"
      "          points: [{at: 0, position: 1}, {at: 1, position: 1}]}\n";
  (void)state;
  const clock_t start = clock();
  flg_simulation_release(load_texts(scenario, arm));
  assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stop_ends_coupled_macro_steps_early),
      cmocka_unit_test(a_stop_ends_adaptive_steps_early),
      cmocka_unit_test(adaptive_steps_that_need_too_many_of_their_own_are_told),
      cmocka_unit_test(systems_that_are_far_too_stiff_for_adaptive_are_built_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
