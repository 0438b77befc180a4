/* bench_assembly - what a step of an assembly costs: one four-bar by scheme and by what it does,
 * and ladders of unequal four-bars, which have redundant rows, by their length. case_ladders.c
 * races them with MuJoCo.
 *
 * Times are CPU times unless said, the smallest of several runs, since other programs share the
 * machine. For a profiler:
 *
 *     bench_assembly N STEPS SCHEME     a ladder of N four-bars, 0 rattle, 1 rk4, 2 semi-implicit
 *     bench_assembly N STEPS SCHEME x   the same as `reduce: none` has it, in space
 *     bench_assembly N STEPS SCHEME t   with a pendulum on a tilted axis, which pushes out of the
 *                                     plane
 *     bench_assembly N STEPS SCHEME c   by generated code (`compiled: true`); xc, tc: as above
 *     valgrind --tool=callgrind bench_assembly 1000 7 0
 *
 * counts instructions, which other programs do not change.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "assembly/assembly_inner.h"
#include "compile/compiled_mechanism.h"
#include "component/assembly_freedom.h"
#include "component/assembly_start.h"
#include "ladder.h"
#include "math/larger.h"

static const double STEP = 1e-3;
static const char *const SCHEMES[] = {"rattle", "rk4", "semi-implicit"};

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void give_up(const char *what) {
  fprintf(stderr, "bench_assembly: %s\n", what);
  exit(1);
}

static flg_assembly *build_as(parts *p, flg_scheme scheme, flg_threads *threads, bool reduces) {
  flg_assembly_options options = flg_assembly_default();
  options.gravity = vec(0, -9.81, 0);
  options.scheme = scheme, options.threads = threads, options.reduces = reduces;
  flg_assembly *assembly = NULL;
  flg_mistakes mistakes = {0};
  if (flg_assembly_build(&assembly, &p->component, NULL, &options, &mistakes) != FLG_OK) {
    give_up(mistakes.list[0].message);
  }
  if (flg_assembly_settle(assembly) != FLG_OK) give_up("velocities do not fit the joints");
  if (flg_assembly_freeze(assembly) != FLG_OK) give_up("no memory");
  return assembly;
}

static flg_assembly *build(parts *p, flg_scheme scheme, flg_threads *threads) {
  return build_as(p, scheme, threads, true);
}

static void advance(flg_assembly *assembly, int steps) {
  if (flg_assembly_advance(assembly, 0, STEP, 0, steps) != FLG_OK) give_up("a step failed");
}

/* the smallest time of a step among several runs, always from the same state */
static double time_of_step(flg_assembly *assembly, int steps, clockid_t clock) {
  int count;
  double *state = flg_assembly_state(assembly, &count), best = INFINITY;
  double *start = malloc((size_t)count * sizeof *start);
  if (start == NULL) give_up("no memory");
  memcpy(start, state, (size_t)count * sizeof *start);
  for (int k = 0; k < 5; k++) {
    memcpy(state, start, (size_t)count * sizeof *start);
    flg_assembly_refresh(assembly, 0);
    advance(assembly, 1);
    const double begin = seconds(clock);
    advance(assembly, steps);
    best = flg_smaller(best, (seconds(clock) - begin) / steps);
  }
  memcpy(state, start, (size_t)count * sizeof *start);
  free(start);
  return best;
}

/* --- where the time of a four-bar goes ----------------------------------------------------------
 */

typedef enum piece { PLACE, PLACE_ROWS, FORCES, FACTOR, SOLVE, PIECES } piece;

static void do_piece(flg_assembly *assembly, piece which) {
  switch (which) {
    case PLACE:
      flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
      break;
    case PLACE_ROWS:
      flg_assembly_place_rows(assembly, assembly->state.q, assembly->state.v);
      break;
    case FORCES:
      flg_assembly_forces(assembly, 0, assembly->state.q, assembly->state.v);
      break;
    case FACTOR:
      assembly->scratch.factors.last = false;
      flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE);
      break;
    default:
      flg_assembly_solve(assembly, assembly->state.v, (flg_aim){0}, assembly->scratch.change);
      break;
  }
}

static void show_pieces(int count) {
  static const char *const names[PIECES] = {"place", "place with rows", "forces", "factor",
                                            "solve"};
  parts *p = ladder(count);
  flg_assembly *assembly = build(p, FLG_SCHEME_RATTLE, NULL);
  const int bodies = 2 * count + 1, repeats = 200000 / bodies;
  flg_assembly_begin(assembly);
  printf("%d four-bars, %d bodies: ns a body\n", count, bodies);
  for (piece k = PLACE; k < PIECES; k++) {
    double best = INFINITY;
    for (int run = 0; run < 5; run++) {
      const double begin = seconds(CLOCK_PROCESS_CPUTIME_ID);
      for (int i = 0; i < repeats; i++) do_piece(assembly, k);
      best = flg_smaller(best, (seconds(CLOCK_PROCESS_CPUTIME_ID) - begin) / repeats);
    }
    printf("  %-16s %6.0f\n", names[k], best / bodies * 1e9);
  }
  flg_assembly_release(assembly);
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    assembly = build(p, (flg_scheme)scheme, NULL);
    const double time = time_of_step(assembly, 20000 / bodies + 1, CLOCK_PROCESS_CPUTIME_ID);
    printf("  step of %-13s %6.0f\n", SCHEMES[scheme], time / bodies * 1e9);
    flg_assembly_release(assembly);
  }
  parts_drop(p);
}

/* --- ladders by length --------------------------------------------------------------------------
 */

enum { SIZES = 7 };
static const int LENGTHS[SIZES] = {10, 30, 100, 300, 1000, 3000, 10000};

/* slope of log y over log x, by least squares */
static double exponent(const double *y, int first) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0, n = SIZES - first;
  for (int k = first; k < SIZES; k++) {
    const double x = log(LENGTHS[k]), z = log(y[k]);
    sx += x, sy += z, sxx += x * x, sxy += x * z;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void show_ladders(flg_threads *two) {
  double alone[SIZES], shared[SIZES], bytes[SIZES];
  printf("\nladders of N unequal four-bars, rattle at 1 ms\n");
  printf("%8s %8s %8s %12s %14s %14s %10s\n", "N", "rows", "rank", "us a step", "us, 2 threads",
         "bytes", "build s");
  for (int k = 0; k < SIZES; k++) {
    parts *p = ladder(LENGTHS[k]);
    const double begin = seconds(CLOCK_PROCESS_CPUTIME_ID);
    flg_assembly *assembly = build(p, FLG_SCHEME_RATTLE, NULL);
    const double built = seconds(CLOCK_PROCESS_CPUTIME_ID) - begin;
    const int steps = 3000 / LENGTHS[k] + 2;
    flg_freedom freedom;
    if (flg_assembly_freedom(assembly, &freedom) != FLG_OK) give_up("no rank");
    alone[k] = time_of_step(assembly, steps, CLOCK_PROCESS_CPUTIME_ID);
    assembly->model.options.threads = two;
    shared[k] = time_of_step(assembly, steps, CLOCK_MONOTONIC);
    bytes[k] =
        (double)assembly->model.region.bytes + (double)flg_plan_bytes(assembly->scratch.plan);
    printf("%8d %8d %8d %12.1f %14.1f %14.0f %10.3f\n", LENGTHS[k], freedom.rows, freedom.rank,
           alone[k] * 1e6, shared[k] * 1e6, bytes[k], built);
    flg_assembly_release(assembly);
    parts_drop(p);
  }
  /* in between, the arrays outgrow the caches */
  const int firsts[3] = {0, 2, 4};
  for (int k = 0; k < 3; k++) {
    printf("exponents from N = %d on: time %.3f, with 2 threads (wall) %.3f, bytes %.3f\n",
           LENGTHS[firsts[k]], exponent(alone, firsts[k]), exponent(shared, firsts[k]),
           exponent(bytes, firsts[k]));
  }
}

/* --- for a profiler -----------------------------------------------------------------------------
 */

/* on the first crank; its axis lies in no plane with the others */
static void hang_pendulum(parts *p) {
  const flg_vec3 axis = {0.3, 0.2, 0.9327379053088815}, end = {0.2, 0.5, 0.1};
  const int rod = add_rod(p, 0.4, top(0), flg_vec3_add(top(0), end));
  p->component.bodies[rod].velocity = (flg_spatial){.linear = {0.1, 0, 0}};
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, 0, rod, top(0), axis);
}

static void compile_steps(flg_assembly *assembly) {
  static flg_region region; /* until the program ends: it holds the library */
  static flg_mistakes mistakes;
  const flg_compiler_options compiler = {.command = NULL};
  if (flg_compiled_mechanism_equip(assembly, 1e-3, &compiler, &region, NULL, &mistakes) != FLG_OK) {
    give_up(mistakes.list[0].message);
  }
}

static void run_for_profiler(int count, char **arguments) {
  parts *p = ladder(atoi(arguments[0]));
  const char *how = count > 3 ? arguments[3] : "";
  if (strchr(how, 't') != NULL) hang_pendulum(p);
  const bool is_compiled = strchr(how, 'c') != NULL;
  flg_assembly *assembly =
      build_as(p, (flg_scheme)atoi(arguments[2]), NULL, strchr(how, 'x') == NULL);
  if (is_compiled) compile_steps(assembly);
  advance(assembly, atoi(arguments[1]));
  const double *q = assembly->state.q + 7 * (atoi(arguments[0]) / 2);
  printf("%.16g %.16g %.16g %.16g\n", q[0], q[1], q[3], q[6]);
  flg_assembly_release(assembly);
  parts_drop(p);
}

int main(int count, char **arguments) {
  if (count >= 4) {
    run_for_profiler(count - 1, arguments + 1);
    return 0;
  }
  flg_threads *two = NULL;
  if (flg_threads_build(&two, 2, NULL) != FLG_OK) give_up("no threads");
  show_pieces(1);
  show_pieces(100);
  show_ladders(two);
  flg_threads_release(two);
  return 0;
}
