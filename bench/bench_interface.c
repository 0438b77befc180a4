/* bench_interface - what eliminations cost: chains of bodies with hinges, large parts, and the
 * plan.
 *
 * Times are CPU times unless said, the smallest of many runs, since other programs share the
 * machine. A step is factor (with frozen pivots unless said), refresh and solve of all bodies and
 * joints, all from inputs that are already there. Flops are counted by the plan: multiplications
 * and additions.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interface/plan.h"
#include "interface/test_body_model.h"
#include "math/larger.h"

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void) {
  return seconds(CLOCK_MONOTONIC);
}

static void fail(const char *what) {
  fprintf(stderr, "bench_interface: %s\n", what);
  exit(1);
}

static void *memory_of(size_t count, size_t bytes) {
  void *memory = calloc(count + 1, bytes);
  if (memory == NULL) fail("no memory");
  return memory;
}

/* --- a chain of bodies with hinges, hanging from the ground -------------------------------------
 */

static void fill_body(int i, flg_elimination_form form, const flg_plan_part *view) {
  const double mass = 1 + 0.5 * sin(i);
  flg_sym3 inertia = flg_sym3_diagonal(0.1 * mass);
  inertia.xx *= 1.5, inertia.xy = 0.01 * mass;
  double H[36];
  if (body_model_admittance(mass, inertia, H) != FLG_OK) fail("a bad body");
  memcpy(view->matrix, H, sizeof H);
  if (form == FLG_FORM_ROOT) body_model_root(mass, inertia, view->matrix);
  const flg_spatial force = {{0, 0, -9.81 * mass}, {0, 0, 0.1 * cos(i)}};
  body_model_bias(H, inertia, (flg_vec3){0.1, 0.2, 0.3}, force, view->bias);
}

/* rows at the lever arm, child minus parent: 3 for the point, 2 across the axis */
static void fill_side(const flg_plan_joint *view, int s, flg_vec3 arm, flg_vec3 axis) {
  const flg_vec3 u = flg_vec3_perpendicular(axis), v = flg_vec3_cross(axis, u);
  const flg_vec3 unit[5] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, u, v};
  const double sign = s == 0 ? 1 : -1;
  for (int i = 0; i < view->rows; i++) {
    double row[6] = {0};
    if (i < 3) flg_vec3_store(flg_vec3_scale(unit[i], sign), row);
    const flg_vec3 turn = i < 3 ? flg_vec3_cross(arm, unit[i]) : unit[i];
    flg_vec3_store(flg_vec3_scale(turn, sign), row + 3);
    for (int k = 0; k < 6; k++) view->side[s][i + k * view->leading] = row[k];
  }
}

static void fill_hinge(int j, const flg_plan_joint *view) {
  const flg_vec3 axis = flg_vec3_normalise((flg_vec3){1, sin(0.7 * j), cos(1.3 * j)});
  fill_side(view, 0, (flg_vec3){-0.5, 0.1 * sin(j), 0}, axis);
  if (view->side[1] != NULL) fill_side(view, 1, (flg_vec3){0.5, 0, 0.1 * cos(j)}, axis);
  for (int i = 0; i < view->rows; i++) view->gamma[i] = 0.1 * sin(i + j);
}

static flg_plan *chain_plan(int bodies, flg_plan_order order, flg_elimination_form form,
                            double *build_seconds) {
  flg_graph_part *parts = memory_of((size_t)bodies, sizeof *parts);
  flg_graph_joint *joints = memory_of((size_t)bodies, sizeof *joints);
  for (int i = 0; i < bodies; i++) {
    parts[i] = (flg_graph_part){.ports = 1, .group = FLG_NO_GROUP};
    joints[i] = (flg_graph_joint){5, 2, {{i, 0}, {i == 0 ? FLG_GROUND : i - 1, 0}}};
  }
  const flg_graph graph = {
      .part_count = bodies, .joint_count = bodies, .parts = parts, .joints = joints};
  flg_plan_options options = flg_plan_default();
  options.order = order;
  options.form = form;
  flg_plan *plan = NULL;
  flg_error error;
  const double start = now();
  if (flg_plan_build(&plan, &graph, &options, &error) != FLG_OK) fail(error.message);
  *build_seconds = now() - start;
  for (int i = 0; i < bodies; i++) {
    const flg_plan_part part = flg_plan_part_view(plan, i);
    const flg_plan_joint joint = flg_plan_joint_view(plan, i);
    fill_body(i, form, &part);
    fill_hinge(i, &joint);
  }
  flg_plan_scale(plan, NULL);
  free(parts), free(joints);
  return plan;
}

static void step(flg_plan *plan, flg_pivots pivots, flg_threads *threads) {
  if (flg_plan_factor(plan, pivots, threads) != FLG_OK) fail("factor");
  if (flg_plan_solve(plan, threads) != FLG_OK) fail("solve");
}

typedef struct timing {
  double wall, cpu;
} timing;

static timing time_of(flg_plan *plan, flg_pivots pivots, flg_threads *threads, int runs) {
  timing best = {INFINITY, INFINITY};
  for (int k = 0; k < runs; k++) {
    const double wall = now(), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    step(plan, pivots, threads);
    best.wall = flg_smaller(best.wall, now() - wall);
    best.cpu = flg_smaller(best.cpu, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
  }
  return best;
}

static void show_chain(int bodies, flg_plan_order order, double *cpu) {
  double build = 0, again = 0;
  flg_plan_release(chain_plan(bodies, order, FLG_FORM_ADMITTANCE, &again));
  flg_plan *plan = chain_plan(bodies, order, FLG_FORM_ADMITTANCE, &build);
  step(plan, FLG_PIVOTS_CHOOSE, NULL);
  const int runs = bodies > 20000 ? 10 : 400000 / bodies + 10;
  const timing chosen = time_of(plan, FLG_PIVOTS_CHOOSE, NULL, runs / 2);
  const timing frozen = time_of(plan, FLG_PIVOTS_FROZEN, NULL, runs);
  double refresh = INFINITY;
  for (int k = 0; k < runs; k++) {
    const double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (flg_plan_refresh(plan, NULL) != FLG_OK) fail("refresh");
    if (flg_plan_solve(plan, NULL) != FLG_OK) fail("solve");
    refresh = flg_smaller(refresh, seconds(CLOCK_PROCESS_CPUTIME_ID) - start);
  }
  const double n = bodies, per = 1e9 / n;
  printf("%8d %6d %10.0f %9.0f %9.0f %9.0f %9.0f %8.2f %9.0f\n", bodies, flg_plan_depth(plan),
         flg_plan_flops(plan) / n, per * frozen.cpu, per * chosen.cpu, per * refresh,
         (double)flg_plan_bytes(plan) / n, flg_plan_flops(plan) / frozen.cpu * 1e-9,
         per * fmin(build, again));
  *cpu = frozen.cpu;
  flg_plan_release(plan);
}

static void show_chains(flg_plan_order order) {
  const int sizes[] = {10, 100, 1000, 10000, 100000};
  double cpu[5];
  printf("\nchain of hinges, %s, one thread\n",
         order == FLG_PLAN_BALANCED ? "balanced" : "sequential");
  printf("%8s %6s %10s %9s %9s %9s %9s %8s %9s\n", "bodies", "depth", "flops/body", "frozen ns",
         "choose ns", "rhs ns", "bytes", "Gflop/s", "build ns");
  for (int k = 0; k < 5; k++) show_chain(sizes[k], order, &cpu[k]);
  printf("exponent of CPU time, 1000 to 100000 bodies: %.3f; 10000 to 100000: %.3f\n",
         log(cpu[4] / cpu[2]) / log(100), log(cpu[4] / cpu[3]) / log(10));
}

static void show_forms(void) {
  printf("\n1000 bodies, balanced, both forms:");
  for (int form = 0; form < 2; form++) {
    double build;
    flg_plan *plan = chain_plan(1000, FLG_PLAN_BALANCED, (flg_elimination_form)form, &build);
    step(plan, FLG_PIVOTS_CHOOSE, NULL);
    const timing t = time_of(plan, FLG_PIVOTS_FROZEN, NULL, 200);
    printf("  %s %.0f ns a body", form == 0 ? "admittance" : "root", 1e6 * t.cpu);
    flg_plan_release(plan);
  }
  printf("\n");
}

static void show_threads(void) {
  double build;
  flg_plan *plan = chain_plan(10000, FLG_PLAN_BALANCED, FLG_FORM_ADMITTANCE, &build);
  flg_threads *two = NULL;
  if (flg_threads_build(&two, 2, NULL) != FLG_OK) fail("threads");
  step(plan, FLG_PIVOTS_CHOOSE, two);
  timing one = {INFINITY, INFINITY}, both = one;
  for (int k = 0; k < 20; k++) { /* in turns, so that both see the same neighbours */
    const timing a = time_of(plan, FLG_PIVOTS_FROZEN, NULL, 10);
    const timing b = time_of(plan, FLG_PIVOTS_FROZEN, two, 10);
    one.wall = flg_smaller(one.wall, a.wall), one.cpu = flg_smaller(one.cpu, a.cpu);
    both.wall = flg_smaller(both.wall, b.wall), both.cpu = flg_smaller(both.cpu, b.cpu);
  }
  printf("\n10000 bodies, balanced: one thread %.2f ms, two threads %.2f ms: %.2f times as fast\n",
         1e3 * one.wall, 1e3 * both.wall, one.wall / both.wall);
  printf(
      "CPU time: one thread %.2f ms, both threads together %.2f ms: %.2f times as fast at best\n",
      1e3 * one.cpu, 1e3 * both.cpu, 2 * one.cpu / both.cpu);
  flg_threads_release(two);
  flg_plan_release(plan);
}

/* --- large parts ---------------------------------------------------------------------------------
 */

static double random_number(void) {
  static unsigned state = 1;
  state = state * 1664525u + 1013904223u;
  return (double)state / 4294967296.0 - 0.5;
}

/* H = 1 + B B^T / n: no structure */
static void fill_dense(const flg_plan_part *view) {
  const int n = view->rows;
  double *B = memory_of((size_t)n * (size_t)n, sizeof *B);
  for (int k = 0; k < n * n; k++) B[k] = random_number();
  for (int j = 0; j < n; j++) {
    for (int i = 0; i <= j; i++) {
      double sum = i == j;
      for (int k = 0; k < n; k++) sum += B[i + k * n] * B[j + k * n] / n;
      view->matrix[i + j * n] = view->matrix[j + i * n] = sum;
    }
    view->bias[j] = random_number();
  }
  free(B);
}

/* One part whose `closed` joints of random rows go to the ground; `outer` ports stay open. */
static void show_part(const char *name, int ports, int rows, int outer) {
  const flg_graph_part part = {.ports = ports, .group = FLG_NO_GROUP};
  flg_graph_joint *joints = memory_of((size_t)ports, sizeof *joints);
  flg_graph_port *outers = memory_of((size_t)ports, sizeof *outers);
  for (int p = 0; p < ports; p++) joints[p] = (flg_graph_joint){1, 2, {{0, p}, {FLG_GROUND, 0}}};
  for (int r = 0; r < rows - ports; r++) joints[r % ports].rows++;
  for (int p = 0; p < outer; p++) outers[p] = (flg_graph_port){0, p};
  const flg_graph graph = {.part_count = 1,
                           .joint_count = ports < rows ? ports : rows,
                           .outer_count = outer,
                           .parts = &part,
                           .joints = joints,
                           .outers = outers};
  flg_plan *plan = NULL;
  flg_error error;
  if (flg_plan_build(&plan, &graph, NULL, &error) != FLG_OK) fail(error.message);
  const flg_plan_part view = flg_plan_part_view(plan, 0);
  fill_dense(&view);
  for (int j = 0; j < graph.joint_count; j++) {
    const flg_plan_joint joint = flg_plan_joint_view(plan, j);
    for (int k = 0; k < 6; k++) {
      for (int i = 0; i < joint.rows; i++) joint.side[0][i + k * joint.leading] = random_number();
    }
  }
  flg_plan_scale(plan, NULL);
  step(plan, FLG_PIVOTS_CHOOSE, NULL);
  const timing chosen = time_of(plan, FLG_PIVOTS_CHOOSE, NULL, 300);
  const timing frozen = time_of(plan, FLG_PIVOTS_FROZEN, NULL, 300);
  printf("%-42s rank %2d  %8.1f us frozen  %8.1f us chosen  %5.2f Gflop/s\n", name,
         flg_plan_totals_view(plan).rank, 1e6 * frozen.cpu, 1e6 * chosen.cpu,
         1e-9 * flg_plan_flops(plan) / frozen.cpu);
  flg_plan_release(plan);
  free(joints), free(outers);
}

static void show_parts(void) {
  printf("\nlarge parts, one thread\n");
  show_part("gearbox: 30 ports, 23 rows, 4 ports stay", 30, 23, 4);
  show_part("robot root: 72 rows of 12 ports, 62 closed", 12, 62, 0);
}

int main(void) {
  show_chains(FLG_PLAN_SEQUENTIAL);
  show_chains(FLG_PLAN_BALANCED);
  show_forms();
  show_parts();
  show_threads();
  return 0;
}
