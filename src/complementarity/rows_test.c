#include "complementarity/solver.h"

#include "complementarity/test_linear.h"

enum { ROWS = 12 };

/* a row of which nothing is known, or a state of another step, with bounds of any kind */
static void draw_row(random_source *source, double *low, double *high, unsigned char *state) {
  static const unsigned char STATES[] = {FLG_ROW_NEW, FLG_ROW_ACTIVE, FLG_ROW_LOWER, FLG_ROW_UPPER};
  const double a = random_uniform(source, -1, 1), b = a + random_uniform(source, 0, 1);
  const int kind = random_integer(source, 0, 4);
  *low = kind == 1 || kind == 3 ? -HUGE_VAL : a;
  *high = kind == 2 || kind == 3 ? HUGE_VAL : kind == 4 ? a : b;
  *state = STATES[random_integer(source, 0, 3)];
  if (*state != FLG_ROW_NEW && random_integer(source, 0, 1) > 0) *state |= FLG_ROW_POTENTIAL;
}

/* at a bound that there is, or between two that differ; without any bound there is nothing else */
static int is_place(unsigned char position, double low, double high) {
  if (position == FLG_ROW_LOWER) return low > -HUGE_VAL;
  if (position == FLG_ROW_UPPER) return high < HUGE_VAL;
  return position == FLG_ROW_ACTIVE && low < high;
}

static void rows_begin_where_they_were_or_at_the_first_bound_there_is(void **state) {
  (void)state;
  random_source source = {41};
  for (int repeat = 0; repeat < REPEATS(2000); repeat++) {
    double lower[ROWS], upper[ROWS];
    unsigned char states[ROWS], position[ROWS];
    int known = 0;
    for (int i = 0; i < ROWS; i++) {
      draw_row(&source, &lower[i], &upper[i], &states[i]);
      if (repeat % 10 == 0) states[i] = FLG_ROW_NEW;
      known += states[i] != FLG_ROW_NEW;
    }
    const flg_rows rows = {.n = ROWS, .lower = lower, .upper = upper};
    flg_run run = {.position = position};
    flg_run_start(&rows, repeat % 7 == 0 ? NULL : states, &run);
    assert_int_equal(run.keep, repeat % 7 != 0 && known > 0);
    for (int i = 0; i < ROWS; i++) {
      const unsigned char was = repeat % 7 == 0 ? FLG_ROW_NEW : states[i] & FLG_ROW_POSITION;
      const unsigned char choices[] = {was, FLG_ROW_LOWER, FLG_ROW_UPPER, FLG_ROW_ACTIVE};
      int k = 0;
      while (!is_place(choices[k], lower[i], upper[i])) k++;
      assert_int_equal(position[i], choices[k]);
    }
  }
}

/* impulses of the last step where a row has one, else at the lower bound, or as near to 0 as may
 * be without one */
static void impulses_begin_where_they_were_or_at_rest(void **state) {
  (void)state;
  random_source source = {42};
  for (int repeat = 0; repeat < REPEATS(2000); repeat++) {
    double lower[ROWS], upper[ROWS], start[ROWS], z[ROWS];
    unsigned char states[ROWS];
    int known = 0;
    for (int i = 0; i < ROWS; i++) {
      draw_row(&source, &lower[i], &upper[i], &states[i]);
      start[i] = random_integer(&source, 0, 5) > 0 ? random_uniform(&source, -1, 1) : (double)NAN;
      if (repeat % 10 == 0) states[i] = FLG_ROW_NEW;
      known += states[i] != FLG_ROW_NEW && start[i] == start[i];
    }
    const flg_rows rows = {.n = ROWS, .lower = lower, .upper = upper};
    assert_int_equal(flg_run_place(&rows, states, start, z), known > 0);
    for (int i = 0; i < ROWS; i++) {
      const int is_known = states[i] != FLG_ROW_NEW && start[i] == start[i];
      const double bound = lower[i] > -HUGE_VAL ? lower[i] : upper[i] < HUGE_VAL ? upper[i] : 0;
      assert_true(z[i] == (is_known ? start[i] : bound));
    }
  }
}

/* A problem of full rank and its answer, of which every row is well away from a change: pressed,
 * at its lower bound, or at its upper one. */
static void draw_solved(random_source *source, random_problem *p, double *z, double *w) {
  make_problem(source, FULL_RANK, random_integer(source, 1, ROWS), p);
  for (int i = 0; i < p->n; i++) {
    const int side = random_integer(source, -1, 1);
    p->lower[i] = -1, p->upper[i] = 2;
    z[i] = side < 0 ? -1 : side > 0 ? 2 : random_uniform(source, 0, 1);
    w[i] = -side * random_uniform(source, 0.5, 1);
    p->q[i] = w[i];
  }
  for (int j = 0; j < p->n; j++) {
    for (int i = 0; i < p->n; i++) p->q[i] -= *entry(p, i, j) * z[j];
  }
}

/* A row that still moves by a little, where it should not, is off by as much; one that moves away
 * from its bound is not. */
static void a_row_that_moves_is_as_far_off_as_it_moves(void **state) {
  (void)state;
  static random_problem p;
  const flg_complementarity_options options = flg_complementarity_default();
  test_solver made = solver_for(ROWS, &options);
  random_source source = {43};
  for (int repeat = 0; repeat < REPEATS(2000); repeat++) {
    double z[ROWS], w[ROWS], moved[ROWS];
    flg_rows rows;
    draw_solved(&source, &p, z, w);
    const flg_complementarity_matrix matrix = matrix_of_problem(&p);
    const int row = random_integer(&source, 0, p.n - 1);
    const double speed = random_uniform(&source, -1, 1) * 1e-3 * *entry(&p, row, row);
    const int is_active = z[row] > -1 && z[row] < 2;
    p.q[row] += speed;
    assert_int_equal(flg_rows_load(made.solver, &matrix, p.q, p.lower, p.upper, &rows),
                     FLG_OUTCOME_SOLVED);
    flg_rows_apply(&rows, z, moved);
    for (int i = 0; i < p.n; i++) assert_near(moved[i], w[i] + (i == row ? speed : 0), 5e-14);
    const flg_speeds speeds = flg_rows_speeds(&rows, z, moved);
    assert_near(speeds.all, is_active ? fabs(speed) : 0, 5e-14);
    assert_near(speeds.beyond, is_active ? fabs(speed) : 0, 5e-14);
    double size = 0;
    for (int i = 0; i < p.n; i++) {
      const double root = sqrt(*entry(&p, i, i));
      size = flg_larger(size, flg_larger(fabs(z[i]) * root, fabs(p.q[i]) / root));
    }
    assert_near(flg_rows_magnitude(&rows, z), size, 1e-14 * size);
    const double root = sqrt(*entry(&p, row, row)), off = is_active ? fabs(speed) / root / size : 0;
    assert_near(flg_rows_residual(&rows, z, moved), off, 1e-14);
  }
  drop_solver(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_begin_where_they_were_or_at_the_first_bound_there_is),
      cmocka_unit_test(impulses_begin_where_they_were_or_at_rest),
      cmocka_unit_test(a_row_that_moves_is_as_far_off_as_it_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
