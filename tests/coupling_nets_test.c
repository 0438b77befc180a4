/* Large rings and nets of subsystems: interfaces of hundreds of rows, of which some repeat others.
 * As many are left out as repeat others, whatever their number, and the whole moves as the exact
 * one does.
 */
#include <math.h>
#include <stdarg.h>

#include "check.h"
#include "coupling/coupling_inner.h"
#include "coupling_marks.h"

enum { TEXT = 1 << 17 };
static const double PI = 3.14159265358979323846;

typedef struct text {
  char bytes[TEXT];
  size_t length;
} text;

static void put(text *to, const char *format, ...) FLG_PRINTF(2, 3);
static void put(text *to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  to->length += (size_t)vsnprintf(to->bytes + to->length, TEXT - to->length, format, list);
  va_end(list);
  assert_true(to->length < TEXT);
}

/* subsystems and interfaces are written side by side */
typedef struct scenario {
  text subsystems, interfaces;
  test_folder folder;
} scenario;

static scenario system_text;

static scenario *start_scenario(const char *model) {
  scenario *of = &system_text;
  *of = (scenario){.folder = make_folder()};
  make_file(&of->folder, "bar.yaml", model);
  return of;
}

static const char *finish_scenario(scenario *of, double macro, double end, const char *record) {
  static text all;
  all.length = 0;
  put(&all,
      "flange: 1\ntime: {end: %g, macro: %g}\ngravity: [1, 0, "
      "-9.81]\nsubsystems:\n%sinterfaces:\n%s"
      "record: [%s]\n",
      end, macro, of->subsystems.bytes, of->interfaces.bytes, record);
  return make_file(&of->folder, "scenario.yaml", all.bytes);
}

/* Bars of 0.2 m around a circle, hinged to each other and to the ground; all axes are along y. */
static const char *write_ring(int bars, double macro, double end) {
  const double half = 0.1, radius = half / tan(PI / bars), corner = half / sin(PI / bars);
  scenario *of = start_scenario(
      "flange-component: 1\n"
      "bodies: {bar: {mass: 1, inertia: [.001, .004, .004]}}\n"
      "ports:\n"
      "  l: {body: bar, at: [-.1, 0, 0], turn: [-90 deg, 0, 0]}\n"
      "  r: {body: bar, at: [.1, 0, 0], turn: [-90 deg, 0, 0]}\n");
  for (int k = 0; k < bars; k++) {
    const double at = 2 * PI * (k + 0.5) / bars;
    put(&of->subsystems,
        "  s%d: {model: bar.yaml, step: 1/1000, at: [%.17g, 0, %.17g], turn: [0, %.17g, 0]}\n", k,
        radius * cos(at), radius * sin(at), -at - PI / 2);
    put(&of->interfaces, "  i%d: {joint: revolute, between: [s%d/r, s%d/l]}\n", k, k,
        (k + 1) % bars);
  }
  put(&of->interfaces,
      "  hang: {joint: revolute, between: [world, s0/l], at: [%.17g, 0, 0],\n"
      "    turn: [-90 deg, 0, 0]}\n",
      corner);
  return finish_scenario(of, macro, end, "s0/bar.position, s9/bar.position, s50/bar.position");
}

/* Bodies in a grid, each joined to those beside it; the first hangs on a ball. */
static const char *write_net(int rows, int columns, double end) {
  char record[100];
  scenario *of = start_scenario(
      "flange-component: 1\n"
      "bodies: {bar: {mass: 1, inertia: [.01, .01, .01]}}\n"
      "ports: {e: {body: bar, at: [.1, 0, 0]}, w: {body: bar, at: [-.1, 0, 0]},\n"
      "  n: {body: bar, at: [0, .1, 0]}, s: {body: bar, at: [0, -.1, 0]}}\n");
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) {
      put(&of->subsystems, "  s%d_%d: {model: bar.yaml, step: 1/1000, at: [%.17g, %.17g, 0]}\n", i,
          j, 0.2 * i, 0.2 * j);
      if (i + 1 < rows) {
        put(&of->interfaces, "  e%d_%d: {joint: weld, between: [s%d_%d/e, s%d_%d/w]}\n", i, j, i, j,
            i + 1, j);
      }
      if (j + 1 < columns) {
        put(&of->interfaces, "  n%d_%d: {joint: weld, between: [s%d_%d/n, s%d_%d/s]}\n", i, j, i, j,
            i, j + 1);
      }
    }
  }
  put(&of->interfaces, "  hang: {joint: spherical, between: [world, s0_0/w], at: [-.1, 0, 0]}\n");
  snprintf(record, sizeof record, "s0_0/bar.position, s%d_%d/bar.position", rows - 1, columns - 1);
  return finish_scenario(of, 0.005, end, record);
}

/* left out in the last macro step */
static int count_left(const flg_simulation *simulation) {
  const flg_repeated_rows *repeated = &simulation->coupling->repeated;
  int count = 0;
  for (int i = 0; i < repeated->count; i++) count += repeated->are_left[i];
  return count;
}

static void assert_left(const char *path, int rows, int left) {
  flg_error error;
  flg_simulation *simulation = load_with(path, (const char *[]){"coupling.scheme=parallel", NULL});
  assert_int_equal(simulation->coupling->repeated.count, rows);
  if (flg_simulation_step(simulation, &error) != FLG_OK) fail_msg("%s", error.message);
  assert_int_equal(count_left(simulation), left);
  flg_simulation_release(simulation);
}

static void compare_schemes(const char *path, const double bounds[2]) {
  static const char *const schemes[] = {"coupling.scheme=sequential", "coupling.scheme=parallel"};
  marked_run whole = run_marked(path, (const char *[]){"coupling.scheme=monolithic", NULL});
  for (int s = 0; s < 2; s++) {
    marked_run run = run_marked(path, (const char *[]){schemes[s], NULL});
    if (run.diverged_at >= 0) fail_msg("%s", run.error.message);
    double most = 0, moved = 0;
    for (int first = 0; first < run.width; first += 3) {
      const mark apart = compare_marked(&run, &whole, first, 3);
      most = flg_larger(most, apart.max), moved = flg_larger(moved, apart.amplitude);
    }
    print_message("%s: %.1e m off, moved by %.1e m\n", schemes[s], most, moved);
    assert_true(most <= bounds[s] && moved > 1e-3);
    free(run.values);
  }
  free(whole.values);
}

/* 505 rows; three of a plane ring's repeat others: one displacement and two turns. */
static void a_ring_of_100_hinges_moves_as_the_whole(void **state) {
  (void)state;
  const char *path = write_ring(100, 0.005, 0.05);
  assert_left(path, 505, 3);
  compare_schemes(path, (const double[]){1e-5, 1e-5});
  remove_folder(&system_text.folder);
}

/* Six rows of each mesh repeat others. */
static void nets_of_welds_move_as_the_whole(void **state) {
  (void)state;
  static const struct {
    int rows, columns;
    double bounds[2];
  } nets[] = {{30, 2, {3e-7, 1e-6}}, {6, 7, {3e-7, 3e-6}}};
  for (size_t k = 0; k < sizeof nets / sizeof *nets; k++) {
    const int m = nets[k].rows, n = nets[k].columns;
    const char *path = write_net(m, n, 0.05);
    assert_left(path, 6 * ((m - 1) * n + m * (n - 1)) + 3, 6 * (m - 1) * (n - 1));
    compare_schemes(path, nets[k].bounds);
    remove_folder(&system_text.folder);
  }
}

/* A ring beside bodies that are in no ring is looked at, too. */
static void a_ring_beside_chains_is_found(void **state) {
  (void)state;
  scenario *of = start_scenario(
      "flange-component: 1\n"
      "bodies: {bar: {mass: 1, inertia: [.01, .01, .01]}}\n"
      "ports: {e: {body: bar, at: [.1, 0, 0]}, w: {body: bar, at: [-.1, 0, 0]},\n"
      "  n: {body: bar, at: [0, .1, 0]}, s: {body: bar, at: [0, -.1, 0]}}\n");
  for (int k = 0; k < 4; k++) {
    put(&of->subsystems, "  a%d: {model: bar.yaml, step: 1/1000, at: [%g, %g, 0]}\n", k,
        0.2 * (k % 2), 0.2 * (k / 2));
    put(&of->subsystems, "  b%d: {model: bar.yaml, step: 1/1000, at: [%g, 3, 0]}\n", k, 0.2 * k);
    if (k < 3) put(&of->interfaces, "  b%d: {joint: weld, between: [b%d/e, b%d/w]}\n", k, k, k + 1);
  }
  put(&of->subsystems,
      "  c0: {model: bar.yaml, step: 1/1000, at: [0, 6, 0]}\n"
      "  c1: {model: bar.yaml, step: 1/1000, at: [.2, 6, 0]}\n");
  put(&of->interfaces,
      "  c: {joint: weld, between: [c0/e, c1/w]}\n"
      "  a0: {joint: weld, between: [a0/e, a1/w]}\n"
      "  a1: {joint: weld, between: [a2/e, a3/w]}\n"
      "  a2: {joint: weld, between: [a0/n, a2/s]}\n"
      "  a3: {joint: weld, between: [a1/n, a3/s]}\n");
  assert_left(finish_scenario(of, 0.005, 0.05, "a0/bar.position"), 48, 6);
  remove_folder(&of->folder);
}

/* Memory grows with the square of the rows, so there is an end; what to take instead is told. */
static void rings_of_too_many_rows_are_refused(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  flg_simulation *simulation = NULL;
  const char *path = write_net(19, 20, 0.05), *const overrides[] = {"coupling.scheme=parallel"};
  flg_simulation_load(&simulation, path, overrides, 1, &mistakes);
  assert_null(simulation);
  assert_non_null(strstr(mistakes.list[0].message,
                         "interfaces make rings and have 4329 rows: 'parallel' finds those that "
                         "repeat others among 4096 at most; take 'scheme: sequential'"));
  remove_folder(&system_text.folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ring_of_100_hinges_moves_as_the_whole),
      cmocka_unit_test(nets_of_welds_move_as_the_whole),
      cmocka_unit_test(a_ring_beside_chains_is_found),
      cmocka_unit_test(rings_of_too_many_rows_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
