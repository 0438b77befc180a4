/* Save, three macro steps, restore, step: the same bits, in every example and every coupling. The
 * last of the three starts from NaN, so that what stays in scratch memory cannot pass unnoticed. */
#include "check.h"
#include "cosim/simulation.h"
#include "coupling/scheme.h"
#include "coupling_marks.h"
#include "files.h"

enum { STEPS = 6 };

static const char *const examples[] = {
    "examples/bouncing/bouncing.yaml",
    "examples/capture/capture.yaml",
    "examples/capture/friction.yaml",
    "examples/flexible-arm/cantilever.yaml",
    "examples/flexible-arm/wrist.yaml",
    "examples/four-bars/four-bars.yaml",
    "examples/governor/governor.yaml",
    "examples/incline/incline.yaml",
    "examples/oscillator/oscillator.yaml",
    "examples/pendulum/friction.yaml",
    "examples/slider-crank/slider-crank.yaml",
    "examples/spbot/spbot.yaml",
    "examples/squeezer/squeezer.yaml",
    "examples/tower/tower.yaml",
    "examples/wall-push/manoeuvre1-flexible.yaml",
    "examples/wall-push/manoeuvre2-rigid.yaml",
    "examples/wrist/wrist.yaml",
};

/* NULL if the example has no such coupling */
static flg_simulation *load(const char *path, int scheme) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  char override[OVERRIDE_TEXT];
  snprintf(override, sizeof override, "coupling.scheme=%s", flg_coupling_words[scheme]);
  const char *const overrides[] = {override};
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, overrides, scheme == 0 ? 0 : 1, &mistakes);
  if (scheme == 0 || simulation == NULL || simulation->interface_count > 0) return simulation;
  flg_simulation_release(simulation);
  return NULL;
}

static void poison(flg_simulation *simulation) {
  flg_error error;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *of = &simulation->subsystems[k];
    const flg_subsystem_state state = of->ops->state(of->self);
    for (int i = 0; i < state.motion; i++) state.values[i] = NAN;
  }
  (void)flg_simulation_step(simulation, &error);
}

/* what steps of it lead to after they were undone is what they led to; the status of the last */
static flg_status step_twice(flg_simulation *simulation, const char *path, int scheme, int number) {
  flg_error error;
  void *before = malloc(flg_simulation_state_bytes(simulation));
  assert_non_null(before);
  flg_simulation_save(simulation, before);
  const flg_status status = flg_simulation_step(simulation, &error);
  const uint64_t hash = flg_simulation_hash(simulation);
  (void)flg_simulation_step(simulation, &error);
  poison(simulation);
  /* with the checks of a state from a file */
  if (flg_simulation_adopt(simulation, before, &error) != FLG_OK) fail_msg("%s", error.message);
  assert_int_equal(flg_simulation_step(simulation, &error), status);
  if (flg_simulation_hash(simulation) != hash) {
    fail_msg("%s, %s: other bits in macro step %d", path, flg_coupling_words[scheme], number);
  }
  free(before);
  return status;
}

static void steps_that_were_undone_are_made_again_bit_for_bit(void **state) {
  (void)state;
  int cases = 0;
  for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e++) {
    for (int s = 0; s < FLG_COUPLING_COUNT; s++) {
      flg_simulation *simulation = load(examples[e], s);
      flg_status status = simulation == NULL ? FLG_ERR_INPUT : FLG_OK;
      for (int k = 0; k < STEPS && status == FLG_OK; k++) {
        status = step_twice(simulation, examples[e], s, k);
      }
      cases += simulation != NULL;
      flg_simulation_release(simulation);
    }
  }
  print_message("%d examples and couplings\n", cases);
  assert_true(cases > 50);
}

/* springs that steps take implicitly, on both sides of an interface that is a bushing */
static const char side[] =
    "flange-component: 1\nbodies:\n"
    "  a: {mass: 5, inertia: [0.1, 0.1, 0.1], velocity: [1, 0, 0], angular_velocity: [0, 1, 2]}\n"
    "  b: {mass: 0.01, inertia: [0.1, 0.1, 0.1], at: [0.2, 0, 0]}\n"
    "joints: {ball: {kind: spherical, between: [world, a], at: [-0.5, 0, 0]}}\n"
    "bushings: {hard: {between: [a, b], stiffness: [1e7, 1e6, 1e8], damping: [10, 0, 1e5],\n"
    "  angular_stiffness: [1e4, 1e5, 1e6]}}\n"
    "springs: {strut: {between: [world, b], stiffness: 1e8}}\nports: {p: {body: b}}\n";

static void steps_with_stiff_springs_are_made_again_bit_for_bit(void **state) {
  (void)state;
  static const char *const integrators[] = {"rattle", "semi-implicit"};
  int cases = 0;
  for (int k = 0; k < 2 * FLG_COUPLING_COUNT; k++) {
    char text[800];
    test_folder folder = make_folder();
    make_file(&folder, "side.yaml", side);
    snprintf(
        text, sizeof text,
        "flange: 1\ntime: {end: 1, macro: 1/100}\nsubsystems:\n"
        "  l: {model: side.yaml, step: 1/200, integrator: %s, assemble: true}\n"
        "  r: {model: side.yaml, step: 1/200, integrator: %s, at: [0.1, 0, 0], assemble: true}\n"
        "interfaces: {cut: {between: [l/p, r/p], bushing: {stiffness: [1e6, 1e5, 1e4]}}}\n",
        integrators[k % 2], integrators[k % 2]);
    const char *path = make_file(&folder, "scenario.yaml", text);
    flg_simulation *simulation = load(path, k / 2);
    flg_status status = simulation == NULL ? FLG_ERR_INPUT : FLG_OK;
    for (int i = 0; i < STEPS && status == FLG_OK; i++) {
      status = step_twice(simulation, path, k / 2, i);
    }
    cases += simulation != NULL;
    flg_simulation_release(simulation);
    remove_folder(&folder);
  }
  print_message("%d couplings and integrators\n", cases);
  assert_true(cases > 12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_that_were_undone_are_made_again_bit_for_bit),
      cmocka_unit_test(steps_with_stiff_springs_are_made_again_bit_for_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
