/* What is known of interfaces, against closed forms. */
#include "cosim/telemetry.h"

#include <math.h>
#include <stdlib.h>

#include "allocations.h"
#include "cosim/simulation.h"
#include "files.h"
#include "math/svd.h"

/* 2 kg that slide along x, pushed with 10 N, and a free body of 3 kg welded to it */
static const char cart_text[] =
    "flange-model: 1\n"
    "bodies: {cart: {mass: 2, inertia: [1, 1, 1]}}\n"
    "joints: {rail: {kind: prismatic, child: cart, axis: [1, 0, 0]}}\n"
    "ports: {tool: {body: cart}}\n";
static const char load_text[] =
    "flange-component: 1\n"
    "bodies: {box: {mass: 3, inertia: [0.01, 0.02, 0.025]}}\n"
    "ports: {centre: {body: box}, side: {body: box, at: [-0.2, 0, 0]}}\n";
#define SCENARIO                                                         \
  "flange: 1\n"                                                          \
  "time: {end: 0.5, macro: 1/50}\n"                                      \
  "subsystems:\n"                                                        \
  "  cart: {model: cart.yaml, step: 1/200, integrator: semi-implicit,\n" \
  "    forces: {push: {body: cart, force: [10, 0, 0]}}}\n"               \
  "  load: {model: load.yaml, step: 1/200, at: [%s, 0, 0]}\n"            \
  "interfaces: {wrist: {between: [cart/tool, load/%s]}}\n"               \
  "coupling: {scheme: parallel}\n"                                       \
  "record: [wrist.force, wrist.pose_error, wrist.energy_residual, wrist.rank, wrist.condition]\n"
enum { FORCE = 0, POSE = 6, ENERGY = 8, RANK = 9, CONDITION = 10, WIDTH = 11 };

static flg_simulation *load(const char *load_model, const char *at, const char *port,
                            const char *override) {
  static flg_mistakes mistakes;
  char text[1000];
  mistakes = (flg_mistakes){0};
  snprintf(text, sizeof text, SCENARIO, at, port);
  test_folder folder = make_folder();
  make_file(&folder, "cart.yaml", cart_text);
  make_file(&folder, "load.yaml", load_model);
  const char *path = make_file(&folder, "scenario.yaml", text);
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, &override, override == NULL ? 0 : 1, &mistakes);
  remove_folder(&folder);
  if (simulation == NULL) fail_msg("%s", mistakes.list[0].message);
  return simulation;
}

static void advance(flg_simulation *simulation, int steps) {
  flg_error error;
  for (int k = 0; k < steps; k++) {
    if (flg_simulation_step(simulation, &error) != FLG_OK) fail_msg("%s", error.message);
  }
}

/* a = 2 m/s^2: 6 N along x; the weight of the load; and, held at its side, c x F. In a macro step
 * the semi-implicit cart moves by a h H / 2 farther than the load, which takes means; as one they
 * do not come apart. */
static void force_and_moment_are_those_that_move_the_load(void **state) {
  (void)state;
  static const char *const schemes[] = {"coupling.scheme=parallel", "coupling.scheme=sequential",
                                        "coupling.scheme=monolithic"};
  const double expected[6] = {6, 0, 3 * 9.81, 0, -0.2 * 3 * 9.81, 0};
  for (int k = 0; k < 3; k++) {
    flg_simulation *simulation = load(load_text, "0.2", "side", schemes[k]);
    double values[WIDTH];
    assert_int_equal(flg_simulation_width(simulation), WIDTH);
    advance(simulation, 10);
    flg_simulation_record(simulation, values);
    for (int i = 0; i < 6; i++) assert_near(values[FORCE + i], expected[i], 8e-13);
    assert_near(values[POSE], k == 2 ? 0 : 2 * (1. / 200) * (1. / 50) / 2, 1e-14);
    assert_near(values[POSE + 1], 0, 1e-14);
    assert_near(values[RANK], 6, 0);
    flg_simulation_release(simulation);
  }
}

/* at its centre: S = diag(1/2 + 1/3, 1/3, 1/3, 1/0.01, 1/0.02, 1/0.025) in some order */
static void condition_is_that_of_both_sides_together(void **state) {
  (void)state;
  static const char *const schemes[] = {"coupling.scheme=parallel", "coupling.scheme=monolithic"};
  for (int k = 0; k < 2; k++) {
    flg_simulation *simulation = load(load_text, "0", "centre", schemes[k]);
    double values[WIDTH];
    flg_simulation_record(simulation, values);
    assert_true(isnan(values[CONDITION]));
    advance(simulation, 3);
    flg_simulation_record(simulation, values);
    assert_near(values[CONDITION], 300, 1e-9);
    const flg_interface_outcome outcome = flg_simulation_interface(simulation, 0);
    assert_string_equal(outcome.name, "wrist");
    assert_near(outcome.condition, 300, 1e-9);
    assert_near(outcome.rank, 6, 0);
    flg_simulation_release(simulation);
  }
}

/* two carts on the same rail yield along it alone */
static void rows_that_both_sides_block_are_told_by_the_rank(void **state) {
  (void)state;
  static const char *const schemes[] = {"coupling.scheme=parallel", "coupling.scheme=monolithic"};
  for (int k = 0; k < 2; k++) {
    flg_simulation *simulation = load(cart_text, "0", "tool", schemes[k]);
    double values[WIDTH];
    advance(simulation, 2);
    flg_simulation_record(simulation, values);
    assert_near(values[RANK], 1, 0);
    assert_true(isinf(values[CONDITION]));
    assert_near(values[FORCE], 5, 1e-9);
    assert_false(flg_simulation_interface(simulation, 0).is_unique);
    flg_simulation_release(simulation);
  }
}

/* Jacobi's subsystems meet no models: there is no S whose rank could be told. Those of hold do: one
 * side moves as is prescribed, S = G D_own G^T. */
static void schemes_without_models_have_no_rank(void **state) {
  (void)state;
  flg_simulation *simulation = load(load_text, "0", "centre", "coupling.scheme=jacobi");
  double values[WIDTH];
  advance(simulation, 2);
  flg_simulation_record(simulation, values);
  assert_true(isnan(values[RANK]) && isnan(values[CONDITION]));
  assert_true(isnan(flg_simulation_interface(simulation, 0).rank));
  flg_simulation_release(simulation);
  static const char *const schemes[] = {"coupling.scheme=hold", "coupling.scheme=extrapolate"};
  for (int k = 0; k < 2; k++) {
    simulation = load(load_text, "0", "centre", schemes[k]);
    advance(simulation, 2);
    flg_simulation_record(simulation, values);
    assert_near(values[RANK], 1, 0);
    flg_simulation_release(simulation);
  }
}

static void condition_is_that_of_the_singular_values(void **state) {
  (void)state;
  for (int n = 1; n <= 6; n++) {
    double root[36], S[36] = {0}, copy[36], singular[6];
    for (int k = 0; k < n * n; k++) root[k] = sin(7 * k + n) + (k % (n + 1) == 0 ? 2 : 0);
    for (int k = 0; k < n * n * n; k++) {
      S[k / n] += root[k / n % n + k % n * n] * root[k / n / n + k % n * n];
    }
    memcpy(copy, S, sizeof copy);
    double *work = malloc((size_t)flg_svd_workspace(n, n) * sizeof *work);
    assert_int_equal(flg_svd_factor(n, n, copy, n, singular, NULL, 0, NULL, 0, work), FLG_OK);
    free(work);
    const double expected = flg_svd_condition(n, singular);
    assert_near(flg_telemetry_condition(n, S) / expected, 1, 3e-13);
  }
}

static void a_snapshot_holds_what_is_known(void **state) {
  (void)state;
  static const char *const schemes[] = {"coupling.scheme=parallel", "coupling.scheme=monolithic"};
  for (int k = 0; k < 2; k++) {
    flg_simulation *one = load(load_text, "0.2", "side", schemes[k]);
    flg_simulation *two = load(load_text, "0.2", "side", schemes[k]);
    advance(one, 7);
    unsigned char *bytes = malloc(flg_simulation_state_bytes(one));
    flg_simulation_save(one, bytes);
    flg_simulation_restore(two, bytes);
    free(bytes);
    double a[WIDTH], b[WIDTH];
    flg_simulation_record(one, a);
    flg_simulation_record(two, b);
    assert_memory_equal(a, b, sizeof a);
    assert_true(flg_simulation_interface(one, 0).condition ==
                flg_simulation_interface(two, 0).condition);
    flg_simulation_release(one);
    flg_simulation_release(two);
  }
}

static void time_on_the_clock_is_no_part_of_the_state(void **state) {
  (void)state;
  flg_simulation *plain = load(load_text, "0.2", "side", NULL);
  flg_simulation *timed = load(load_text, "0.2", "side", "record=[macro.wall_time]");
  double seconds;
  advance(plain, 4);
  advance(timed, 4);
  flg_simulation_record(timed, &seconds);
  assert_true(seconds > 0 && seconds < 60);
  assert_true(flg_simulation_hash(plain) == flg_simulation_hash(timed));
  assert_int_equal(flg_simulation_state_bytes(plain), flg_simulation_state_bytes(timed));
  flg_simulation_release(plain);
  flg_simulation_release(timed);
}

static void a_step_allocates_nothing(void **state) {
  (void)state;
  static const char record[] = "record=[wrist.force, wrist.condition, macro.wall_time]";
  if (!allocations_counted()) skip();
  flg_simulation *simulation = load(load_text, "0.2", "side", record);
  double values[8];
  advance(simulation, 1);
  allocations_begin();
  advance(simulation, 5);
  flg_simulation_record(simulation, values);
  assert_int_equal(allocations_end(), 0);
  flg_simulation_release(simulation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(force_and_moment_are_those_that_move_the_load),
      cmocka_unit_test(condition_is_that_of_both_sides_together),
      cmocka_unit_test(rows_that_both_sides_block_are_told_by_the_rank),
      cmocka_unit_test(schemes_without_models_have_no_rank),
      cmocka_unit_test(condition_is_that_of_the_singular_values),
      cmocka_unit_test(a_snapshot_holds_what_is_known),
      cmocka_unit_test(time_on_the_clock_is_no_part_of_the_state),
      cmocka_unit_test(a_step_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
