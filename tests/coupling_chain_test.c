/* Chains, stars and rings of pinned subsystems against the exact solution with the same steps of
 * 0.5 ms: the root mean square of the tip's error over its amplitude. Set FLANGE_MARKS in the
 * environment to see tables over H: all of them, or `brief` for H = 5 ms. */
#include "check.h"
#include "coupling_chains.h"
#include "coupling_marks.h"

static const double uniform[] = {1, 1, 1, 1, 1}, heavy_tip[] = {1, 1, 20};
static const double light_middle[] = {10, 0.5, 0.5, 0.5, 10};

/* All runs are kept: several tests look at the same ones, and most time goes into them. */
typedef struct chain_run {
  chain_spec spec;
  const char *macro, *scheme, *end;
  marked_run run;
} chain_run;

enum { RUNS_MAX = 256 };
static chain_run runs[RUNS_MAX];
static int run_count;

static bool is_same_run(const chain_run *a, const chain_run *b) {
  return a->spec.count == b->spec.count && a->spec.masses == b->spec.masses &&
         a->spec.is_robots == b->spec.is_robots && a->spec.layout == b->spec.layout &&
         strcmp(a->macro, b->macro) == 0 && strcmp(a->scheme, b->scheme) == 0 &&
         strcmp(a->end, b->end) == 0;
}

static marked_run make_run(const chain_run *asked) {
  char first[OVERRIDE_TEXT], second[OVERRIDE_TEXT];
  test_folder folder = make_folder();
  const char *path = make_chain(&folder, &asked->spec);
  snprintf(first, sizeof first, "time={macro: %s, end: %s}", asked->macro, asked->end);
  snprintf(second, sizeof second, "coupling.scheme=%s", asked->scheme);
  const marked_run run = run_marked(path, (const char *[]){first, second, NULL});
  remove_folder(&folder);
  return run;
}

static const marked_run *run_chain(const chain_spec *spec, const char *macro, const char *scheme,
                                   const char *end) {
  chain_run asked = {*spec, macro, scheme, end, {0}};
  for (int k = 0; k < run_count; k++)
    if (is_same_run(&runs[k], &asked)) return &runs[k].run;
  assert_true(run_count < RUNS_MAX);
  asked.run = make_run(&asked);
  runs[run_count] = asked;
  return &runs[run_count++].run;
}

static int free_runs(void **state) {
  (void)state;
  for (int k = 0; k < run_count; k++) free(runs[k].run.values);
  return 0;
}

/* infinite if it diverged */
static double error_of(const chain_spec *spec, const char *macro, const char *scheme,
                       const char *end) {
  const marked_run *exact = run_chain(spec, macro, "monolithic", end);
  const marked_run *run = run_chain(spec, macro, scheme, end);
  const mark off = compare_marked(run, exact, 0, 3);
  return run->diverged_at >= 0 ? (double)INFINITY : off.rms / off.amplitude;
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
    stays_below("uniform", &five, "0.005", "parallel", 1.2e-5);
    stays_below("uniform", &five, "0.005", "sequential", 2e-5);
    stays_below("uniform", &five, "0.02", "parallel", 5e-4);
    stays_below("uniform", &five, "0.02", "sequential", 5e-4);
    stays_below("heavy tip", &heavy, "0.002", "parallel", 2e-6);
    stays_below("heavy tip", &heavy, "0.002", "sequential", 2e-6);
    stays_below("heavy tip", &heavy, "0.0125", "parallel", 5e-4);
    stays_below("heavy tip", &heavy, "0.02", "sequential", 2e-3);
    stays_below("light middle", &light, "0.005", "parallel", 2e-5);
    stays_below("light middle", &light, "0.005", "sequential", 3e-5);
    stays_below("light middle", &light, "0.0125", "parallel", 4e-4);
    stays_below("light middle", &light, "0.0125", "sequential", 7e-4);
  }
}

static void models_of_neighbours_alone_fail(void **state) {
  (void)state;
  const chain_spec five = {5, uniform, false, CHAIN_LINE},
                   heavy = {3, heavy_tip, false, CHAIN_LINE};
  const double error = error_of(&five, "0.005", "neighbour", "3");
  print_message("uniform, H 5 ms, neighbour %.2e\n", error);
  assert_true(error > 3e-3); /* parallel: 1e-5 */
  assert_true(isinf(error_of(&heavy, "0.02", "neighbour", "3")));
}

/* A ring whips after 1.4 s; whips_multiply_what_they_meet shows what that does to errors. */
static void stars_and_rings_hold(void **state) {
  (void)state;
  for (int r = 0; r < 2; r++) {
    const chain_spec star = {4, uniform, r == 1, CHAIN_STAR},
                     ring = {3, uniform, r == 1, CHAIN_RING};
    stays_below("star", &star, "0.005", "parallel", 4e-5);
    stays_below("star", &star, "0.005", "sequential", 2.5e-4);
    static const char *const schemes[] = {"parallel", "sequential"};
    for (int k = 0; k < 2; k++) {
      const double early = error_of(&ring, "0.005", schemes[k], "1.4");
      const double late = error_of(&ring, "0.005", schemes[k], "3");
      print_message("ring           3 %s H 0.005  %-10s %.2e after 1.4 s, %.2e after 3 s\n",
                    r == 1 ? "robots    " : "components", schemes[k], early, late);
      assert_true(early < 5e-4 && isfinite(late));
    }
  }
}

/* How far a billionth of gravity, sideways, moves the exact solution, from 1.5 s to 3 s. */
static double growth_of(const chain_spec *spec) {
  test_folder folder = make_folder();
  const char *path = make_chain(&folder, spec);
  static const char *const gravities[] = {"gravity=[0, -9.81, 0]", "gravity=[1e-8, -9.81, 0]"};
  marked_run run[2];
  for (int k = 0; k < 2; k++) {
    const char *overrides[] = {gravities[k], "coupling.scheme=monolithic", NULL};
    run[k] = run_marked(path, overrides);
  }
  double moved[2] = {0, 0}; /* at most, before and after 1.5 s */
  for (int k = 0; k < run[0].rows; k++) {
    const size_t at = (size_t)k * (size_t)run[0].width;
    double *most = &moved[2 * k >= run[0].rows];
    *most = flg_larger(*most, distance_of(run[0].values + at, run[1].values + at, 3));
  }
  remove_folder(&folder);
  free(run[0].values), free(run[1].values);
  return moved[1] / moved[0];
}

static void whips_multiply_what_they_meet(void **state) {
  (void)state;
  const chain_spec star = {4, uniform, true, CHAIN_STAR}, ring = {3, uniform, true, CHAIN_RING};
  const double of_star = growth_of(&star), of_ring = growth_of(&ring);
  print_message("exact, robots: a change grows %.1f times in a star, %.0f in a ring\n", of_star,
                of_ring);
  assert_true(of_star < 3 && of_ring > 100);
}

/* From H = 20 ms down to the micro step, errors only shrink; where they meet what exact steps and
 * communication points do not share, of order h^2, they need not. */
static void shrinks(const char *what, const chain_spec *spec, const char *scheme, const char *end,
                    double floor) {
  static const char *const macros[] = {"0.02", "0.01", "0.005", "0.0025", "0.001", "0.0005"};
  double before = INFINITY;
  print_message("orders, %s, %s, %-10s", what, spec->is_robots ? "robots    " : "components",
                scheme);
  for (int k = 0; k < 6; k++) {
    const double error = error_of(spec, macros[k], scheme, end);
    print_message(" %.2e", error);
    assert_true(error < before || error < floor);
    if (k == 1) assert_true(before / error > 3.4);
    before = error;
  }
  print_message("\n");
  assert_true(before < floor);
}

static void errors_shrink_down_to_the_micro_step(void **state) {
  (void)state;
  static const char *const schemes[] = {"parallel", "sequential"};
  for (int k = 0; k < 4; k++) {
    const chain_spec three = {3, uniform, k / 2 == 1, CHAIN_LINE};
    const chain_spec ring = {3, uniform, k / 2 == 1, CHAIN_RING};
    shrinks("chain", &three, schemes[k % 2], "1.5", 5e-7);
    shrinks("ring ", &ring, schemes[k % 2], "1", 1e-5);
  }
}

enum { TABLE_SCHEMES = 3, TABLE_MACROS = 6, BRIEF = 3 /* the fourth, 5 ms */ };

/* rows of the table of docs/coupling.md, for scripts/check-figures; "-": not looked at */
static void print_rows(const char *name, const chain_spec *spec, bool is_brief) {
  static const char *const macros[] = {"0.0005", "0.001", "0.002", "0.005", "0.01", "0.02"};
  static const char *const schemes[] = {"parallel", "sequential", "neighbour"};
  double errors[TABLE_SCHEMES][TABLE_MACROS];
  for (int m = 0; m < TABLE_MACROS; m++) {
    if (is_brief && m != BRIEF) continue;
    for (int s = 0; s < TABLE_SCHEMES; s++)
      errors[s][m] = error_of(spec, macros[m], schemes[s], "3");
  }
  for (int s = 0; s < TABLE_SCHEMES; s++) {
    print_message("| %s %d, %s | %s |", name, spec->count,
                  spec->is_robots ? "robots" : "components", schemes[s]);
    for (int m = 0; m < TABLE_MACROS; m++) {
      if (is_brief && m != BRIEF) {
        print_message(" - |");
      } else {
        print_message(" %.1e |", errors[s][m]);
      }
    }
    print_message("\n");
  }
}

static void tables_over_the_macro_step(void **state) {
  (void)state;
  const char *marks = getenv("FLANGE_MARKS");
  if (marks == NULL) skip();
  const chain_spec specs[] = {
      {3, uniform, false, CHAIN_LINE},   {5, uniform, false, CHAIN_LINE},
      {3, heavy_tip, false, CHAIN_LINE}, {5, light_middle, false, CHAIN_LINE},
      {4, uniform, false, CHAIN_STAR},   {3, uniform, false, CHAIN_RING}};
  static const char *const names[] = {"uniform",      "uniform", "heavy tip",
                                      "light middle", "star",    "ring"};
  for (int k = 0; k < 12; k++) {
    chain_spec spec = specs[k / 2];
    spec.is_robots = k % 2 == 1;
    print_rows(names[k / 2], &spec, strcmp(marks, "brief") == 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_meet_their_marks),
      cmocka_unit_test(models_of_neighbours_alone_fail),
      cmocka_unit_test(stars_and_rings_hold),
      cmocka_unit_test(whips_multiply_what_they_meet),
      cmocka_unit_test(errors_shrink_down_to_the_micro_step),
      cmocka_unit_test(tables_over_the_macro_step),
  };
  return cmocka_run_group_tests(tests, NULL, free_runs);
}
