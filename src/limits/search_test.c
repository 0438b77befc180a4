/* The search against projected Gauss-Seidel, on dense rows w = b + W l of frictions and stops. */
#include "limits/search.h"

#include "check.h"
#include "limits/limit.h"
#include "math/dense.h"

enum { ROWS = 7, SYSTEMS = 300 };

/* Rows k < frictions are frictions, the others stops at their upper end. */
typedef struct host {
  int frictions, solves;
  bool yields;
  double W[ROWS * ROWS], b[ROWS], l[ROWS], w[ROWS];
  flg_component_friction friction[ROWS];
  flg_component_stop stop;
  int modes[ROWS];
  bool broken[ROWS];
} host;

static bool is_closed(const host *of, int k) {
  return (of->modes[k] == 0) == (k < of->frictions);
}

static flg_status solve(void *self) {
  host *of = self;
  int closed[ROWS], count = 0;
  double A[ROWS * ROWS], x[ROWS];
  for (int k = 0; k < ROWS; k++) {
    of->l[k] = k < of->frictions ? -of->modes[k] * of->friction[k].coulomb : 0;
    if (is_closed(of, k)) closed[count++] = k;
  }
  for (int i = 0; i < count; i++) {
    x[i] = -of->b[closed[i]];
    for (int k = 0; k < ROWS; k++) {
      if (!is_closed(of, k)) x[i] -= of->W[closed[i] + ROWS * k] * of->l[k];
    }
    for (int j = 0; j < count; j++) A[i + count * j] = of->W[closed[i] + ROWS * closed[j]];
    if (of->yields) A[i + count * i] *= 1 + FLG_LIMIT_YIELD;
  }
  assert_int_equal(flg_dense_cholesky(count, A, count), count);
  flg_dense_cholesky_solve(count, A, count, x);
  for (int i = 0; i < count; i++) of->l[closed[i]] = x[i];
  for (int i = 0; i < ROWS; i++) {
    of->w[i] = of->b[i];
    for (int k = 0; k < ROWS; k++) of->w[i] += of->W[i + ROWS * k] * of->l[k];
  }
  of->solves++;
  return FLG_OK;
}

static int mode_of(const void *self, int k) {
  return ((const host *)self)->modes[k];
}

static int judge(const void *self, int k) {
  const host *of = self;
  const flg_limit_seen seen = {.mode = of->modes[k],
                               .after = of->w[k],
                               .travel = of->w[k],
                               .impulse = of->l[k],
                               .is_broken = of->broken[k],
                               .kick = 1,
                               .duration = 1,
                               .rounding = {1e-12, 1e-12}};
  return k < of->frictions ? flg_friction_judge(&of->friction[k], &seen)
                           : flg_stop_judge(&of->stop, &seen);
}

static void change(void *self, int k, int mode, bool is_alone) {
  host *of = self;
  of->modes[k] = mode;
  of->broken[k] |= is_alone && mode != 0;
}

static void yield(void *self, bool yields) {
  ((host *)self)->yields = yields;
}

static const flg_limit_ops ops = {solve, mode_of, judge, change, yield};

/* W = A A^T of A (ROWS x rank), and a little of 1 */
static void fill(host *of, random_source *random, int rank) {
  double A[ROWS * ROWS];
  *of = (host){.frictions = random_integer(random, 0, ROWS),
               .stop = {.lower = -INFINITY, .upper = 0}};
  for (int k = 0; k < ROWS * rank; k++) A[k] = random_uniform(random, -1, 1);
  for (int i = 0; i < ROWS; i++) {
    of->b[i] = random_uniform(random, -1, 1);
    of->friction[i].coulomb = of->friction[i].stiction = random_uniform(random, 0.01, 1);
    for (int j = 0; j < ROWS; j++) {
      of->W[i + ROWS * j] = i == j ? 0.01 : 0;
      for (int k = 0; k < rank; k++) of->W[i + ROWS * j] += A[i + ROWS * k] * A[j + ROWS * k];
    }
  }
}

/* w of the box-constrained problem, by sweeps */
static void sweep(const host *of, double *w) {
  double l[ROWS] = {0};
  for (int n = 0; n < 20000; n++) {
    for (int i = 0; i < ROWS; i++) {
      const double most = i < of->frictions ? of->friction[i].coulomb : 0;
      const double least = i < of->frictions ? -most : -(double)INFINITY;
      w[i] = of->b[i];
      for (int k = 0; k < ROWS; k++) w[i] += of->W[i + ROWS * k] * l[k];
      l[i] = fmin(most, fmax(least, l[i] - w[i] / of->W[i + ROWS * i]));
    }
  }
  for (int i = 0; i < ROWS; i++) {
    w[i] = of->b[i];
    for (int k = 0; k < ROWS; k++) w[i] += of->W[i + ROWS * k] * l[k];
  }
}

static void the_set_is_that_of_gauss_seidel(void **state) {
  (void)state;
  random_source random = {18};
  for (int n = 0; n < SYSTEMS; n++) {
    host of;
    double w[ROWS];
    bool is_solved;
    fill(&of, &random, random_integer(&random, 2, ROWS));
    assert_int_equal(flg_limits_search(&ops, &of, ROWS, &is_solved), FLG_OK);
    assert_true(is_solved);
    assert_false(of.yields);
    sweep(&of, w);
    for (int i = 0; i < ROWS; i++) assert_near(of.w[i], w[i], 1e-12);
  }
}

static void a_set_that_holds_takes_one_solve(void **state) {
  (void)state;
  random_source random = {19};
  for (int n = 0; n < SYSTEMS; n++) {
    host of;
    bool is_solved;
    fill(&of, &random, ROWS);
    assert_int_equal(flg_limits_search(&ops, &of, ROWS, &is_solved), FLG_OK);
    of.solves = 0;
    memset(of.broken, 0, sizeof of.broken);
    assert_int_equal(flg_limits_search(&ops, &of, ROWS, &is_solved), FLG_OK);
    assert_int_equal(of.solves, 1);
  }
}

/* A law that no mode fulfils. */
static int never(const void *self, int k) {
  return mode_of(self, k) == 0 ? 1 : 0;
}

static void a_law_that_never_holds_is_told(void **state) {
  (void)state;
  random_source random = {20};
  const flg_limit_ops broken = {solve, mode_of, never, change, yield};
  host of;
  bool is_solved = true;
  fill(&of, &random, ROWS);
  assert_int_equal(flg_limits_search(&broken, &of, ROWS, &is_solved), FLG_OK);
  assert_false(is_solved);
  assert_false(of.yields);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_set_is_that_of_gauss_seidel),
      cmocka_unit_test(a_set_that_holds_takes_one_solve),
      cmocka_unit_test(a_law_that_never_holds_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
