/* Chains, stars and rings of pinned subsystems against the exact solution with the same steps of
 * 0.5 ms: the root mean square of the tip's error over its amplitude. Set FLANGE_MARKS in the
 * environment to see whole tables over H. */
#include "check.h"
#include "coupling_chains.h"
#include "coupling_marks.h"

static const double uniform[] = {1, 1, 1, 1, 1}, heavy_tip[] = {1, 1, 20};
static const double light_middle[] = {10, 0.5, 0.5, 0.5, 10};

/* infinite if it diverged */
static double error_of(const chain_spec *spec, const char *macro, const char *scheme,
                       const char *end) {
  char first[OVERRIDE_TEXT], second[OVERRIDE_TEXT], third[OVERRIDE_TEXT];
  test_folder folder = make_folder();
  const char *path = make_chain(&folder, spec);
  snprintf(first, sizeof first, "time={macro: %s, end: %s}", macro, end);
  snprintf(second, sizeof second, "coupling.scheme=%s", scheme);
  snprintf(third, sizeof third, "coupling.scheme=monolithic");
  marked_run run = run_marked(path, (const char *[]){first, second, NULL});
  marked_run exact = run_marked(path, (const char *[]){first, third, NULL});
  const mark off = compare_marked(&run, &exact, 0, 3);
  remove_folder(&folder);
  free(run.values), free(exact.values);
  return run.diverged_at >= 0 ? (double)INFINITY : off.rms / off.amplitude;
}

static void stays_below(const char *what, const chain_spec *spec, const char *macro,
                        const char *scheme, double bound) {
  const double error = error_of(spec, macro, scheme, "3");
  print_message("%-14s %d %s H %-6s %-10s %.2e (%.1e)\n", what, spec->count,
                spec->is_robots ? "robots    " : "components", macro, scheme, error, bound);
  assert_true(error <= bound);
}

static void chains_meet_their_marks(void **state) {
  (void)state;
  for (int r = 0; r < 2; r++) {
    const chain_spec five = {5, uniform, r == 1, CHAIN_LINE};
    const chain_spec heavy = {3, heavy_tip, r == 1, CHAIN_LINE};
    const chain_spec light = {5, light_middle, r == 1, CHAIN_LINE};
    stays_below("uniform", &five, "0.005", "parallel", 6e-5);
    stays_below("uniform", &five, "0.005", "sequential", r == 1 ? 6e-5 : 3e-5);
    stays_below("uniform", &five, "0.02", "sequential", 1.2e-3);
    stays_below("heavy tip", &heavy, "0.002", "parallel", 1e-5);
    stays_below("heavy tip", &heavy, "0.002", "sequential", 1.5e-5);
    stays_below("light middle", &light, "0.005", "parallel", 6e-5);
    stays_below("light middle", &light, "0.005", "sequential", 6e-5);
  }
}

static void models_of_neighbours_alone_fail(void **state) {
  (void)state;
  const chain_spec five = {5, uniform, false, CHAIN_LINE},
                   heavy = {3, heavy_tip, false, CHAIN_LINE};
  const double error = error_of(&five, "0.005", "neighbour", "3");
  print_message("uniform, H 5 ms, neighbour %.2e\n", error);
  assert_true(error > 3e-3);
  assert_true(isinf(error_of(&heavy, "0.02", "neighbour", "3")));
}

/* A ring whips: after 1.5 s small differences grow tenfold in half a second. */
static void stars_and_rings_hold(void **state) {
  (void)state;
  for (int r = 0; r < 2; r++) {
    const chain_spec star = {4, uniform, r == 1, CHAIN_STAR},
                     ring = {3, uniform, r == 1, CHAIN_RING};
    stays_below("star", &star, "0.005", "parallel", 3e-4);
    stays_below("star", &star, "0.005", "sequential", 3e-4);
    static const char *const schemes[] = {"parallel", "sequential"};
    for (int k = 0; k < 2; k++) {
      const double early = error_of(&ring, "0.005", schemes[k], "1");
      const double late = error_of(&ring, "0.005", schemes[k], "3");
      print_message("ring           3 %s H 0.005  %-10s %.2e after 1 s, %.2e after 3 s\n",
                    r == 1 ? "robots    " : "components", schemes[k], early, late);
      assert_true(early < 4e-3 && isfinite(late));
    }
  }
}

/* From H = 20 ms down to the micro step, errors only shrink. */
static void errors_shrink_down_to_the_micro_step(void **state) {
  (void)state;
  static const char *const macros[] = {"0.02", "0.01", "0.005", "0.0025", "0.001", "0.0005"};
  static const char *const schemes[] = {"parallel", "sequential"};
  for (int r = 0; r < 2; r++) {
    const chain_spec three = {3, uniform, r == 1, CHAIN_LINE};
    for (int s = 0; s < 2; s++) {
      double before = INFINITY;
      print_message("orders, %s, %-10s", r == 1 ? "robots    " : "components", schemes[s]);
      for (int k = 0; k < 6; k++) {
        const double error = error_of(&three, macros[k], schemes[s], "1.5");
        print_message(" %.2e", error);
        assert_true(error < before);
        if (k == 1) assert_true(before / error > 3.4);
        before = error;
      }
      print_message("\n");
      assert_true(before < (r == 1 ? 2e-6 : 1e-6));
    }
  }
}

static void tables_over_the_macro_step(void **state) {
  (void)state;
  if (getenv("FLANGE_MARKS") == NULL) skip();
  static const char *const macros[] = {"0.0005", "0.001", "0.002", "0.005", "0.01", "0.02"};
  static const char *const schemes[] = {"parallel", "sequential", "neighbour"};
  const chain_spec specs[] = {
      {3, uniform, false, CHAIN_LINE},   {5, uniform, false, CHAIN_LINE},
      {3, heavy_tip, false, CHAIN_LINE}, {5, light_middle, false, CHAIN_LINE},
      {4, uniform, false, CHAIN_STAR},   {3, uniform, false, CHAIN_RING}};
  static const char *const names[] = {"uniform",      "uniform", "heavy tip",
                                      "light middle", "star",    "ring"};
  for (int k = 0; k < 12; k++) {
    chain_spec spec = specs[k / 2];
    spec.is_robots = k % 2 == 1;
    for (int s = 0; s < 3; s++) {
      print_message("| %s %d, %s | %s |", names[k / 2], spec.count,
                    spec.is_robots ? "robots" : "components", schemes[s]);
      for (int m = 0; m < 6; m++) {
        print_message(" %.1e |", error_of(&spec, macros[m], schemes[s], "3"));
      }
      print_message("\n");
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_meet_their_marks),
      cmocka_unit_test(models_of_neighbours_alone_fail),
      cmocka_unit_test(stars_and_rings_hold),
      cmocka_unit_test(errors_shrink_down_to_the_micro_step),
      cmocka_unit_test(tables_over_the_macro_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
