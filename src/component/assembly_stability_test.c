/* Growth of differences under signals, against eigenvalues of the step: two carts on rails, each
 * pushed against its rate. A semi-implicit step takes the rate v of a cart of mass m to (1 - c h/m)
 * v, which grows from c h/m = 2 on. */
#include "component/assembly_start.h"

#include "base/notices.h"
#include "signals.h"

static const double H = 0.01;

typedef struct told {
  double grown;
  char text[400]; /* of the notice, "" if there is none */
} told;

/* shares: c h/m of each cart, of 2 and 5 kg */
static told look(const double shares[2], double slack) {
  char text[1000];
  plant of;
  told found = {0};
  snprintf(text, sizeof text,
           "flange-component: 1\n"
           "bodies: {cart: {mass: 2, inertia: [1, 1, 1]}, van: {mass: 5, inertia: [1, 1, 1], at: "
           "[0, 1, 0]}}\n"
           "joints:\n  rail: {kind: prismatic, between: [world, cart], axis: [1, 0, 0]}\n"
           "  road: {kind: prismatic, between: [world, van], at: [0, 1, 0], axis: [1, 0, 0]}\n"
           "efforts:\n  pull: {on: rail, effort: -%.17g*rail.velocity}\n"
           "  push: {on: road, effort: -%.17g*road.velocity}\n",
           shares[0] * 2 / H, shares[1] * 5 / H);
  plant_build(&of, text, FLG_SCHEME_SEMI_IMPLICIT, H);
  flg_notices notices = {.region = &of.region};
  const int count = of.assembly->model.state_count;
  double *before = calloc((size_t)count, sizeof *before);
  assert_non_null(before);
  memcpy(before, of.assembly->state.numbers, (size_t)count * sizeof *before);
  assert_int_equal(flg_assembly_tell_signals(of.assembly, slack * H, slack, &notices, &found.grown),
                   FLG_OK);
  assert_memory_equal(before, of.assembly->state.numbers, (size_t)count * sizeof *before);
  assert_true(notices.texts.count <= 1);
  const char *const *texts = notices.texts.items;
  if (notices.texts.count == 1) snprintf(found.text, sizeof found.text, "%s", texts[0]);
  free(before);
  plant_drop(&of);
  return found;
}

/* log of the growth in a step, or in 2^n steps of h/2^n */
static double growth_of(double share, int halvings) {
  return ldexp(log(fabs(1 - ldexp(share, -halvings))), halvings);
}

static void growth_is_that_of_the_fastest_mode(void **state) {
  (void)state;
  static const double shares[][2] = {{2.3, 0.5}, {0.5, 2.3}, {3, 2.5}, {2.5, 3},
                                     {6, 0.1},   {0.2, 9},   {20, 1}};
  for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++) {
    const double most = fmax(shares[k][0], shares[k][1]);
    const told found = look(shares[k], 1);
    assert_near(found.grown, growth_of(most, 0), 1e-6);
    /* the first that halves it or more */
    int halvings = 1;
    while (growth_of(most, halvings) >= growth_of(most, 0) / 2) halvings++;
    char step[60];
    snprintf(step, sizeof step, "or steps of %.2g s", ldexp(H, -halvings));
    assert_non_null(strstr(found.text, shares[k][0] > shares[k][1] ? "'pull'" : "'push'"));
    assert_non_null(strstr(found.text, "too large for steps of 0.01 s"));
    if (strstr(found.text, step) == NULL) fail_msg("%s, not: %s", step, found.text);
  }
}

/* six halvings are tried */
static void vast_growth_is_told_with_the_shortest_step_that_was_tried(void **state) {
  (void)state;
  const double last[2] = {100, 1}, beyond[2] = {1, 200};
  assert_true(growth_of(100, 5) > growth_of(100, 0) / 2 && growth_of(100, 6) < 0);
  assert_true(growth_of(200, 6) > growth_of(200, 0) / 2);
  assert_non_null(strstr(look(last, 1).text, "or steps of 0.00016 s"));
  const told found = look(beyond, 1);
  assert_non_null(strstr(found.text, "or steps of less than 0.00016 s"));
  assert_near(found.grown, growth_of(200, 0), 1e-12);
}

static void what_is_stable_is_not_told(void **state) {
  (void)state;
  static const double shares[][2] = {{0.1, 0.2}, {1.9, 1}, {0.3, 1.97}, {-0.05, 0.1}};
  for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++) {
    const told found = look(shares[k], 1);
    assert_true(found.grown == 0 && found.text[0] == '\0');
  }
}

/* steps of a coupling are longer than those that have to be stable, and told as they are */
static void slack_allows_longer_steps(void **state) {
  (void)state;
  const double shares[2] = {0.1, 3};
  const told found = look(shares, 1.25);
  assert_near(found.grown, growth_of(3, 0), 5e-11);
  assert_non_null(strstr(found.text, "too large for steps of 0.0125 s"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(growth_is_that_of_the_fastest_mode),
      cmocka_unit_test(vast_growth_is_told_with_the_shortest_step_that_was_tried),
      cmocka_unit_test(what_is_stable_is_not_told),
      cmocka_unit_test(slack_allows_longer_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
