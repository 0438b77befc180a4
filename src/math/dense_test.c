#include "math/dense.h"

#include <cblas.h>
#include <lapacke.h>

#include "math/dense_small.h"
#include "math/test_matrices.h"

static const int large_sizes[] = {100, 193, 301}; /* the last ones beyond the crossover */
enum { LARGE_COUNT = 3, SMALL_COUNT = REPEATS(3000) };

/* size number k of a run: thousands of small ones, then a few large ones */
static int size_of_case(random_source *source, int k) {
  return k < SMALL_COUNT ? random_size(source) : large_sizes[k - SMALL_COUNT];
}

/* ---- products ---- */

typedef void product(int rows, int columns, int inner, double alpha, const double *a, int lda,
                     const double *b, int ldb, double *c, int ldc);

static void compare_product(product *ours, CBLAS_TRANSPOSE left, CBLAS_TRANSPOSE right) {
  random_source source = {1};
  for (int k = 0; k < SMALL_COUNT + LARGE_COUNT; k++) {
    const int rows = size_of_case(&source, k), columns = size_of_case(&source, k);
    const int inner = size_of_case(&source, k);
    const double alpha = random_uniform(&source, -2, 2);
    matrix a = left == CblasTrans ? random_matrix(&source, inner, rows)
                                  : random_matrix(&source, rows, inner);
    matrix b = right == CblasTrans ? random_matrix(&source, columns, inner)
                                   : random_matrix(&source, inner, columns);
    matrix c = random_matrix(&source, rows, columns), expected = copy_of(c);
    ours(rows, columns, inner, alpha, a.data, a.ld, b.data, b.ld, c.data, c.ld);
    cblas_dgemm(CblasColMajor, left, right, rows, columns, inner, alpha, a.data, a.ld, b.data, b.ld,
                1, expected.data, expected.ld);
    assert_near(matrix_difference(c, expected), 0, 4 * DBL_EPSILON * (inner + 1));
    drop(a), drop(b), drop(c), drop(expected);
  }
}

static void products_agree_with_blas(void **state) {
  (void)state;
  compare_product(flg_dense_multiply, CblasNoTrans, CblasNoTrans);
  compare_product(flg_dense_multiply_left_transposed, CblasTrans, CblasNoTrans);
  compare_product(flg_dense_multiply_right_transposed, CblasNoTrans, CblasTrans);
}

static void matrix_times_vector_agrees_with_blas(void **state) {
  (void)state;
  random_source source = {2};
  for (int k = 0; k < SMALL_COUNT + LARGE_COUNT; k++) {
    const int rows = size_of_case(&source, k), columns = size_of_case(&source, k);
    matrix a = random_matrix(&source, rows, columns), x = random_matrix(&source, columns, 1);
    matrix y = random_matrix(&source, rows, 1), expected = copy_of(y), back = copy_of(x);
    cblas_dgemv(CblasColMajor, CblasNoTrans, rows, columns, 0.7, a.data, a.ld, x.data, 1, 1,
                expected.data, 1);
    flg_dense_apply(rows, columns, 0.7, a.data, a.ld, x.data, y.data);
    assert_near(matrix_difference(y, expected), 0, 4 * DBL_EPSILON * (columns + 1));
    cblas_dgemv(CblasColMajor, CblasTrans, rows, columns, -0.3, a.data, a.ld, expected.data, 1, 1,
                x.data, 1);
    flg_dense_apply_transposed(rows, columns, -0.3, a.data, a.ld, expected.data, back.data);
    assert_near(matrix_difference(x, back), 0, 4 * DBL_EPSILON * (rows + 1) * (columns + 1));
    drop(a), drop(x), drop(y), drop(expected), drop(back);
  }
}

static void columns_that_are_given_make_the_same_product_as_all(void **state) {
  (void)state;
  random_source source = {3};
  for (int k = 0; k < SMALL_COUNT; k++) {
    const int rows = size_of_case(&source, k), columns = size_of_case(&source, k);
    matrix a = random_matrix(&source, rows, columns), x = random_matrix(&source, columns, 1);
    matrix y = random_matrix(&source, rows, 1), expected = copy_of(y);
    int *given = test_calloc((size_t)columns + 1, sizeof *given), count = 0;
    for (int j = 0; j < columns; j++) {
      if (random_integer(&source, 0, 1) > 0) x.data[j] = 0;
      given[count] = j;
      count += x.data[j] != 0;
    }
    flg_dense_apply(rows, columns, 1, a.data, a.ld, x.data, expected.data);
    flg_dense_apply_some(rows, count, given, a.data, a.ld, x.data, y.data);
    assert_memory_equal(y.data, expected.data, (size_t)rows * sizeof(double));
    test_free(given);
    drop(a), drop(x), drop(y), drop(expected);
  }
}

static void assert_symmetric(matrix a) {
  for (int j = 0; j < a.columns; j++) {
    for (int i = 0; i < j; i++) assert_true(*element(a, i, j) == *element(a, j, i));
  }
}

static void downdates_are_symmetric_to_the_last_bit_and_agree_with_blas(void **state) {
  (void)state;
  random_source source = {4};
  for (int k = 0; k < SMALL_COUNT + LARGE_COUNT; k++) {
    const int n = size_of_case(&source, k), inner = size_of_case(&source, k);
    matrix w = random_matrix(&source, n, inner);
    matrix c = random_matrix(&source, n, n), expected = copy_of(c);
    flg_dense_downdate_outer(n, inner, w.data, w.ld, c.data, c.ld);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, inner, -1, w.data, w.ld, 1,
                expected.data, expected.ld);
    flg_dense_mirror(n, expected.data, expected.ld);
    assert_symmetric(c);
    assert_near(matrix_difference(c, expected), 0, 8 * DBL_EPSILON * (inner + 1));
    drop(w), drop(c), drop(expected);
  }
}

/* ---- factorisations ---- */

/* |L L^T - A|_ij in units of rounding of sqrt(a_ii a_jj): independent of scaling */
static void assert_factor_of(matrix l, matrix a) {
  for (int j = 0; j < a.rows; j++) {
    for (int i = j; i < a.rows; i++) {
      double sum = 0;
      for (int k = 0; k <= j; k++) sum += *element(l, i, k) * *element(l, j, k);
      const double scale = sqrt(*element(a, i, i) * *element(a, j, j));
      assert_near(sum, *element(a, i, j), 4 * (a.rows + 2) * DBL_EPSILON * scale);
    }
  }
}

static void assert_upper_is(matrix a, matrix original) {
  for (int j = 0; j < a.columns; j++) {
    for (int i = 0; i < j; i++) assert_true(*element(a, i, j) == *element(original, i, j));
  }
}

static void cholesky_agrees_with_lapack(void **state) {
  (void)state;
  random_source source = {5};
  for (int k = 0; k < SMALL_COUNT + LARGE_COUNT; k++) {
    const int n = size_of_case(&source, k);
    matrix a = random_definite(&source, n), l = copy_of(a), expected = copy_of(a);
    assert_int_equal(flg_dense_cholesky(n, l.data, l.ld), n);
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, expected.data, expected.ld), 0);
    assert_near(matrix_difference(l, expected), 0, 4 * DBL_EPSILON * (n + 2) * sqrt(n + 1));
    assert_upper_is(l, a);
    assert_factor_of(l, a);
    drop(a), drop(l), drop(expected);
  }
}

static void cholesky_stays_accurate_under_bad_scaling(void **state) {
  (void)state;
  random_source source = {6};
  for (int k = 0; k < SMALL_COUNT + LARGE_COUNT; k++) {
    const int n = size_of_case(&source, k);
    matrix a = random_definite(&source, n);
    scale_badly(&source, a);
    matrix l = copy_of(a);
    assert_int_equal(flg_dense_cholesky(n, l.data, l.ld), n);
    assert_factor_of(l, a);
    drop(a), drop(l);
  }
}

static void cholesky_of_nearly_singular_matrices_factorises_or_reports(void **state) {
  (void)state;
  random_source source = {7};
  int failures = 0;
  for (int k = 0; k < SMALL_COUNT; k++) {
    const int n = random_integer(&source, 2, 40);
    matrix a = random_semidefinite(&source, n, n - 1);
    for (int i = 0; i < n; i++) *element(a, i, i) *= 1 + random_integer(&source, 0, 4) * 1e-16 * n;
    matrix l = copy_of(a);
    const int finished = flg_dense_cholesky(n, l.data, l.ld);
    assert_true(flg_dense_lower_is_finite(n, l.data, l.ld));
    if (finished == n) assert_factor_of(l, a);
    failures += finished < n;
    drop(a), drop(l);
  }
  assert_in_range(failures, 1, SMALL_COUNT - 1);
}

static void cholesky_fails_at_the_column_that_lapack_names(void **state) {
  (void)state;
  random_source source = {8};
  for (int k = 0; k < SMALL_COUNT + LARGE_COUNT; k++) {
    int n = size_of_case(&source, k);
    if (n == 0) n = 1;
    matrix a = random_definite(&source, n);
    const int bad = random_integer(&source, 0, n - 1);
    *element(a, bad, bad) = random_uniform(&source, -1, 0);
    matrix expected = copy_of(a);
    const int info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, expected.data, expected.ld);
    assert_int_equal(flg_dense_cholesky(n, a.data, a.ld), info - 1);
    assert_true(flg_dense_lower_is_finite(n, a.data, a.ld));
    drop(a), drop(expected);
  }
}

static void factorisations_of_zero_and_of_nothing(void **state) {
  (void)state;
  double zeros[144] = {0}, work[12];
  for (int n = 1; n <= 12; n++) {
    assert_int_equal(flg_dense_cholesky(n, zeros, n), 0);
    assert_int_equal(flg_dense_ldlt(n, zeros, n, work), 0);
  }
  assert_int_equal(flg_dense_cholesky(0, zeros, 1), 0);
  assert_int_equal(flg_dense_ldlt(0, zeros, 1, work), 0);
  flg_dense_cholesky_solve(0, zeros, 1, zeros);
  double one = 9;
  assert_int_equal(flg_dense_cholesky(1, &one, 1), 1);
  assert_true(one == 3);
}

static void not_a_number_anywhere_makes_factorisations_fail(void **state) {
  (void)state;
  random_source source = {9};
  const double bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < 600 + LARGE_COUNT; k++) {
    const int n = k < 600 ? random_integer(&source, 1, 20) : large_sizes[k - 600];
    matrix a = random_definite(&source, n), b = copy_of(a), work = matrix_of(n, 1, 0);
    const int j = random_integer(&source, 0, n - 1), i = random_integer(&source, j, n - 1);
    *element(a, i, j) = *element(b, i, j) = bad[k % 3];
    assert_false(flg_dense_lower_is_finite(n, a.data, a.ld));
    assert_false(flg_dense_is_finite(n, n, a.data, a.ld));
    assert_in_range(flg_dense_cholesky(n, a.data, a.ld), j, i);
    assert_in_range(flg_dense_ldlt(n, b.data, b.ld, work.data), j, i);
    drop(a), drop(b), drop(work);
  }
}

static void ldlt_solves_indefinite_systems_like_lapack(void **state) {
  (void)state;
  random_source source = {10};
  for (int k = 0; k < SMALL_COUNT + LARGE_COUNT; k++) {
    const int n = size_of_case(&source, k);
    matrix a = random_definite(&source, n), work = matrix_of(n, 1, 0);
    /* a saddle point, [A B; B^T -C]: regular without pivoting (quasi-definite) */
    for (int i = n / 2; i < n; i++) {
      for (int j = n / 2; j < n; j++) *element(a, i, j) *= -1;
    }
    matrix factor = copy_of(a), x = random_matrix(&source, n, 1), expected = copy_of(x);
    int *pivots = malloc(((size_t)n + 1) * sizeof(int));
    assert_int_equal(flg_dense_ldlt(n, factor.data, factor.ld, work.data), n);
    assert_upper_is(factor, a);
    flg_dense_ldlt_solve(n, factor.data, factor.ld, x.data);
    assert_int_equal(
        LAPACKE_dgesv(LAPACK_COL_MAJOR, n, 1, a.data, a.ld, pivots, expected.data, expected.ld), 0);
    assert_near(matrix_difference(x, expected), 0, 1e-14 * (n + 1));
    free(pivots);
    drop(a), drop(work), drop(factor), drop(x), drop(expected);
  }
}

/* ---- solves ---- */

typedef void solve(int n, const double *l, int ldl, double *x);

/* componentwise backward error of op(T) x = b, where T is one triangle of A */
static void assert_solves(matrix a, char triangle, char transposed, const double *x,
                          const double *b) {
  const int n = a.rows;
  for (int i = 0; i < n; i++) {
    double sum = 0, size = fabs(b[i]);
    for (int j = 0; j < n; j++) {
      const int row = transposed == 'T' ? j : i, column = transposed == 'T' ? i : j;
      if (triangle == 'L' ? row < column : row > column) continue;
      sum += *element(a, row, column) * x[j];
      size += fabs(*element(a, row, column) * x[j]);
    }
    assert_near(sum, b[i], (n + 4) * DBL_EPSILON * size);
  }
}

static void compare_solve(solve *ours, char triangle, char transposed) {
  random_source source = {11};
  for (int k = 0; k < SMALL_COUNT + LARGE_COUNT; k++) {
    const int n = size_of_case(&source, k);
    matrix a = random_definite(&source, n), b = random_matrix(&source, n, 1);
    if (k % 2 == 1) scale_badly(&source, a);
    matrix x = copy_of(b), expected = copy_of(b);
    ours(n, a.data, a.ld, x.data);
    assert_solves(a, triangle, transposed, x.data, b.data);
    if (n > 0) {
      const int info = LAPACKE_dtrtrs(LAPACK_COL_MAJOR, triangle, transposed, 'N', n, 1, a.data,
                                      a.ld, expected.data, expected.ld);
      assert_int_equal(info, 0);
    }
    if (k % 2 == 0) assert_near(matrix_difference(x, expected), 0, 4 * DBL_EPSILON * (n + 1));
    drop(a), drop(b), drop(x), drop(expected);
  }
}

static void triangular_solves_agree_with_lapack(void **state) {
  (void)state;
  compare_solve(flg_dense_solve_lower, 'L', 'N');
  compare_solve(flg_dense_solve_lower_transposed, 'L', 'T');
  compare_solve(flg_dense_solve_upper, 'U', 'N');
  compare_solve(flg_dense_solve_upper_transposed, 'U', 'T');
}

static void solves_of_many_columns_agree_with_blas(void **state) {
  (void)state;
  random_source source = {12};
  for (int k = 0; k < SMALL_COUNT + LARGE_COUNT; k++) {
    const int n = size_of_case(&source, k), columns = size_of_case(&source, k);
    matrix l = random_definite(&source, n), x = random_matrix(&source, columns, n);
    matrix expected = copy_of(x);
    flg_dense_solve_right(columns, n, l.data, l.ld, x.data, x.ld);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, columns, n, 1,
                l.data, l.ld, expected.data, expected.ld);
    assert_near(matrix_difference(x, expected), 0, 8 * DBL_EPSILON * (n + 1));
    drop(l), drop(x), drop(expected);
  }
}

static void cholesky_solve_solves(void **state) {
  (void)state;
  random_source source = {13};
  for (int k = 0; k < SMALL_COUNT; k++) {
    const int n = random_size(&source);
    matrix a = random_definite(&source, n), l = copy_of(a), x = random_matrix(&source, n, 1);
    matrix b = matrix_of(n, 1, x.ld - n);
    cblas_dsymv(CblasColMajor, CblasLower, n, 1, a.data, a.ld, x.data, 1, 0, b.data, 1);
    assert_int_equal(flg_dense_cholesky(n, l.data, l.ld), n);
    flg_dense_cholesky_solve(n, l.data, l.ld, b.data);
    assert_near(matrix_difference(b, x), 0, 1e-14 * (n + 1));
    drop(a), drop(l), drop(x), drop(b);
  }
}

/* ---- repeatability ---- */

static void small_kernels_give_the_bits_of_the_general_loops(void **state) {
  (void)state;
  random_source source = {14};
  for (int k = 0; k < 1000; k++) {
    matrix a = random_definite(&source, 7), l = copy_of(a);
    double small[36];
    const matrix view = {6, 6, 6, small};
    for (int j = 0; j < 6; j++) memcpy(element(view, 0, j), element(a, 0, j), 6 * sizeof(double));
    assert_int_equal(flg_dense_cholesky(7, l.data, l.ld), 7);
    assert_int_equal(flg_small_cholesky6(small), 6);
    for (int j = 0; j < 6; j++) {
      assert_memory_equal(element(view, j, j), element(l, j, j), (6 - (size_t)j) * sizeof(double));
    }
    drop(a), drop(l);
  }
}

/* whichever vectors the processor has */
static void sums_are_taken_from_left_to_right(void **state) {
  (void)state;
  random_source source = {16};
  for (int k = 0; k < 1000; k++) {
    const int rows = random_size(&source), columns = random_size(&source);
    matrix a = random_matrix(&source, rows, columns), x = random_matrix(&source, columns, 1);
    matrix y = random_matrix(&source, rows, 1), expected = copy_of(y);
    flg_dense_apply(rows, columns, 0.3, a.data, a.ld, x.data, y.data);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) expected.data[i] += *element(a, i, j) * (0.3 * x.data[j]);
    }
    assert_true(matrix_is_same(y, expected));
    drop(a), drop(x), drop(y), drop(expected);
  }
}

static void three_by_three_kernels_solve(void **state) {
  (void)state;
  double a[9] = {4, 2, -2, 2, 10, 2, -2, 2, 6}, x[3] = {4, 14, 6}; /* A (1, 1, 1) */
  assert_int_equal(flg_small_cholesky3(a), 3);
  flg_dense_cholesky_solve(3, a, 3, x);
  for (int i = 0; i < 3; i++) assert_near(x[i], 1, 1e-15);
}

static void results_do_not_depend_on_alignment_or_leading_dimension(void **state) {
  (void)state;
  random_source source = {15};
  for (int n = 1; n <= 64; n++) {
    matrix a = random_definite(&source, n), first = copy_of(a);
    flg_dense_cholesky(n, first.data, first.ld);
    for (int spare = 0; spare < 4; spare++) {
      matrix other = matrix_of(n + 1, n, spare);
      for (int j = 0; j < n; j++) {
        memcpy(element(other, 1, j), element(a, 0, j), (size_t)n * sizeof(double));
      }
      flg_dense_cholesky(n, other.data + 1, other.ld);
      const matrix shifted = {n, n, other.ld, other.data + 1};
      assert_true(matrix_is_same(shifted, first));
      drop(other);
    }
    drop(a), drop(first);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_agree_with_blas),
      cmocka_unit_test(matrix_times_vector_agrees_with_blas),
      cmocka_unit_test(columns_that_are_given_make_the_same_product_as_all),
      cmocka_unit_test(downdates_are_symmetric_to_the_last_bit_and_agree_with_blas),
      cmocka_unit_test(cholesky_agrees_with_lapack),
      cmocka_unit_test(cholesky_stays_accurate_under_bad_scaling),
      cmocka_unit_test(cholesky_of_nearly_singular_matrices_factorises_or_reports),
      cmocka_unit_test(cholesky_fails_at_the_column_that_lapack_names),
      cmocka_unit_test(factorisations_of_zero_and_of_nothing),
      cmocka_unit_test(not_a_number_anywhere_makes_factorisations_fail),
      cmocka_unit_test(ldlt_solves_indefinite_systems_like_lapack),
      cmocka_unit_test(triangular_solves_agree_with_lapack),
      cmocka_unit_test(solves_of_many_columns_agree_with_blas),
      cmocka_unit_test(cholesky_solve_solves),
      cmocka_unit_test(small_kernels_give_the_bits_of_the_general_loops),
      cmocka_unit_test(sums_are_taken_from_left_to_right),
      cmocka_unit_test(three_by_three_kernels_solve),
      cmocka_unit_test(results_do_not_depend_on_alignment_or_leading_dimension),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
