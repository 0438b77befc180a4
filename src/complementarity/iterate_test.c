/* The method for very large problems, on beds of bodies that lie on each other, against pivoting.
 */
#include "complementarity/test_problems.h"

enum { LAYERS = 5 };

/* n contacts of bodies that do not turn, in five layers: each presses on one of the next layer
 * below or, in the lowest, on the ground. Column j of V is what contact j sees of the freedoms. */
typedef struct bed {
  int n, freedom;
  double *v, *a, *q, *z, *w, *reference;
  int *body;
  double *jacobian, *inverse_mass; /* the same as sparse rows */
} bed;

static double *numbers(int rows, int columns) {
  double *made = calloc((size_t)rows * (size_t)columns, sizeof *made);
  assert_non_null(made);
  return made;
}

static void place_contact(random_source *source, const bed *b, int width, int j) {
  const int upper = j % (b->freedom / 3), side = upper % width + random_integer(source, -1, 1);
  const int lower = (upper / width - 1) * width + (side + width) % width;
  double *column = b->v + (size_t)j * (size_t)b->freedom;
  for (int k = 0; k < 3; k++) {
    const double normal = k == 2 ? 1 : random_uniform(source, -0.7, 0.7);
    column[3 * upper + k] = normal;
    if (lower >= 0) column[3 * lower + k] = -normal;
    b->jacobian[12 * j + k] = normal, b->jacobian[12 * j + 6 + k] = -normal;
  }
  b->body[2 * j] = upper, b->body[2 * j + 1] = lower >= 0 ? lower : -1;
}

/* What pushes is a fall of all bodies, not quite alike: there is a solution. */
static bed make_bed(random_source *source, int n, int width) {
  bed b = {.n = n, .freedom = 3 * LAYERS * width};
  b.v = numbers(b.freedom, n), b.a = numbers(n, n), b.q = numbers(n, 1);
  b.z = numbers(n, 1), b.w = numbers(n, 1), b.reference = numbers(n, 1);
  b.body = calloc(2 * (size_t)n, sizeof *b.body), b.jacobian = numbers(12, n);
  b.inverse_mass = numbers(36, b.freedom / 3);
  for (int k = 0; k < b.freedom; k++) b.inverse_mass[36 * (k / 3) + 7 * (k % 3)] = 1;
  double *fall = numbers(b.freedom, 1);
  for (int k = 0; k < b.freedom; k++) fall[k] = random_uniform(source, -0.2, 0.2) - (k % 3 == 2);
  for (int j = 0; j < n; j++) place_contact(source, &b, width, j);
  for (int j = 0; j < n; j++) {
    const double *column = b.v + (size_t)j * (size_t)b.freedom;
    for (int k = 0; k < b.freedom; k++) {
      if (column[k] == 0) continue;
      b.q[j] += column[k] * fall[k];
      for (int i = 0; i < n; i++) {
        b.a[i + (size_t)j * (size_t)n] += column[k] * b.v[k + (size_t)i * (size_t)b.freedom];
      }
    }
  }
  free(fall);
  return b;
}

static void drop_bed(bed *b) {
  double *const all[] = {b->v, b->a, b->q, b->z, b->w, b->reference, b->jacobian, b->inverse_mass};
  for (int k = 0; k < 8; k++) free(all[k]);
  free(b->body);
}

static flg_complementarity_statistics solve_bed(bed *b, int iterations, int dense, double *w) {
  flg_complementarity_statistics statistics;
  flg_complementarity_options options = flg_complementarity_default();
  if (iterations > 0) {
    options.method = FLG_METHOD_ITERATIVE;
    options.tolerance = 1e-8, options.iterations = iterations;
  }
  options.bodies = b->freedom / 3;
  test_solver made = solver_for(b->n, &options);
  const flg_sparse_rows rows = {options.bodies, b->body, b->jacobian, b->inverse_mass, NULL, NULL};
  const flg_complementarity_matrix whole = {.n = b->n, .dense = b->a, .leading = b->n};
  const flg_complementarity_matrix sparse = {.n = b->n, .sparse = &rows};
  flg_complementarity_linear(made.solver, dense ? &whole : &sparse, b->q, NULL, b->z, w,
                             &statistics);
  drop_solver(&made);
  return statistics;
}

static void beds_of_contacts_end_where_pivoting_does(void **state) {
  (void)state;
  static const int sizes[][2] = {{200, 20}, {200, 10}, {400, 40}, {800, 80}, {2000, 260}};
  random_source source = {61};
  for (int k = 0; k < (int)REPEATS(5); k++) {
    bed b = make_bed(&source, sizes[k][0], sizes[k][1]);
    assert_int_equal(solve_bed(&b, 0, 1, b.reference).outcome, FLG_OUTCOME_SOLVED);
    for (int dense = 0; dense < (b.n > 800 ? 1 : 2); dense++) {
      const flg_complementarity_statistics told = solve_bed(&b, 20000, dense, b.w);
      print_message("n = %d on %d freedoms: %d iterations, residual %.1e, w off by %.1e\n", b.n,
                    b.freedom, told.iterations, told.residual,
                    max_difference(b.w, b.reference, b.n));
      assert_int_equal(told.outcome, FLG_OUTCOME_SOLVED);
      assert_int_equal(told.method, FLG_METHOD_ITERATIVE);
      assert_true(max_difference(b.w, b.reference, b.n) < 1e-5);
    }
    drop_bed(&b);
  }
}

/* too few iterations: the residual is told as it is */
static void what_has_not_converged_is_told_with_its_residual(void **state) {
  (void)state;
  random_source source = {62};
  bed b = make_bed(&source, 300, 20);
  double before = HUGE_VAL;
  for (int iterations = 10; iterations <= 1000; iterations *= 10) {
    const flg_complementarity_statistics told = solve_bed(&b, iterations, 0, b.w);
    double worst = 0;
    for (int i = 0; i < b.n; i++) {
      double w = b.q[i];
      for (int j = 0; j < b.n; j++) w += b.a[i + (size_t)j * (size_t)b.n] * b.z[j];
      worst = flg_larger(worst, fabs(flg_smaller(w, b.z[i])));
    }
    assert_true(told.residual <= before);
    assert_int_equal(told.outcome == FLG_OUTCOME_SOLVED, told.residual <= 1e-8);
    assert_true(worst < 100 * told.residual + 1e-12); /* sigma is of the order of the falls */
    before = told.residual;
  }
  drop_bed(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beds_of_contacts_end_where_pivoting_does),
      cmocka_unit_test(what_has_not_converged_is_told_with_its_residual),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
