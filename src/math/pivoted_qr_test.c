#include "math/pivoted_qr.h"

#include <lapacke.h>

#include "math/dense.h"
#include "math/test_matrices.h"

/* a factorisation with the arrays it needs */
typedef struct factor {
  matrix a, tau, work;
  int *order;
  int rank;
} factor;

static int smaller(int a, int b) {
  return a < b ? a : b;
}

static factor factor_of(matrix a, double tolerance) {
  factor f = {.a = copy_of(a)};
  f.tau = matrix_of(smaller(a.rows, a.columns), 1, 0);
  f.work = matrix_of(flg_pivoted_qr_workspace(a.rows, a.columns), 1, 0);
  f.order = malloc(((size_t)a.columns + 1) * sizeof(int));
  assert_non_null(f.order);
  f.rank = flg_pivoted_qr_factor(a.rows, a.columns, f.a.data, f.a.ld, tolerance, f.tau.data,
                                 f.order, f.work.data);
  return f;
}

static void drop_factor(factor f) {
  drop(f.a), drop(f.tau), drop(f.work);
  free(f.order);
}

/* B (rows x rank) C (rank x columns) */
static matrix random_of_rank(random_source *source, int rows, int columns, int rank) {
  matrix b = random_matrix(source, rows, rank), c = random_matrix(source, rank, columns);
  matrix a = matrix_of(rows, columns, random_integer(source, 0, 2));
  flg_dense_multiply(rows, columns, rank, 1, b.data, b.ld, c.data, c.ld, a.data, a.ld);
  drop(b), drop(c);
  return a;
}

static double largest_element(matrix a) {
  matrix zero = matrix_of(a.rows, a.columns, 0);
  const double size = matrix_difference(a, zero);
  drop(zero);
  return size;
}

/* Q R, with the reflectors applied to the upper triangle, against the permuted A */
static void assert_reconstructs(factor f, matrix a) {
  const int count = smaller(a.rows, a.columns);
  matrix product = matrix_of(a.rows, a.columns, 0), permuted = matrix_of(a.rows, a.columns, 0);
  for (int j = 0; j < a.columns; j++) {
    for (int i = 0; i < a.rows; i++) {
      if (i <= j) *element(product, i, j) = *element(f.a, i, j);
      *element(permuted, i, j) = *element(a, i, f.order[j]);
    }
  }
  flg_pivoted_qr_apply(a.rows, count, f.a.data, f.a.ld, f.tau.data, a.columns, product.data,
                       product.ld);
  const double tolerance = 20 * DBL_EPSILON * (a.rows + 1) * (largest_element(a) + DBL_MIN);
  assert_near(matrix_difference(product, permuted), 0, tolerance);
  flg_pivoted_qr_apply_transposed(a.rows, count, f.a.data, f.a.ld, f.tau.data, a.columns,
                                  permuted.data, permuted.ld);
  for (int j = 0; j < a.columns; j++) {
    for (int i = 0; i < a.rows; i++) {
      assert_near(*element(permuted, i, j), i <= j ? *element(f.a, i, j) : 0, tolerance);
    }
  }
  drop(product), drop(permuted);
}

static void factor_reconstructs_and_has_the_rank_of_the_matrix(void **state) {
  (void)state;
  random_source source = {31};
  for (int k = 0; k < 3000; k++) {
    const int rows = random_integer(&source, 0, 30), columns = random_integer(&source, 0, 30);
    const int rank = random_integer(&source, 0, smaller(rows, columns));
    matrix a = random_of_rank(&source, rows, columns, rank);
    factor f = factor_of(a, 1e-12);
    assert_int_equal(f.rank, rank);
    assert_reconstructs(f, a);
    drop_factor(f), drop(a);
  }
}

static void diagonal_agrees_with_lapack(void **state) {
  (void)state;
  random_source source = {32};
  for (int k = 0; k < 1000; k++) {
    const int rows = random_integer(&source, 1, 40), columns = random_integer(&source, 1, 40);
    matrix a = random_matrix(&source, rows, columns), expected = copy_of(a);
    if (k % 2 == 1) {
      for (int i = 0; i < rows; i++) {
        const double scale = pow(10, random_uniform(&source, -6, 6));
        for (int j = 0; j < columns; j++) {
          *element(a, i, j) = *element(expected, i, j) = scale * *element(a, i, j);
        }
      }
    }
    factor f = factor_of(a, 0);
    int order[40] = {0};
    double tau[40];
    LAPACKE_dgeqp3(LAPACK_COL_MAJOR, rows, columns, expected.data, expected.ld, order, tau);
    for (int i = 0; i < smaller(rows, columns); i++) {
      assert_int_equal(f.order[i], order[i] - 1);
      assert_near(fabs(*element(f.a, i, i)), fabs(*element(expected, i, i)),
                  1e-14 * fabs(*element(expected, 0, 0)));
    }
    drop_factor(f), drop(a), drop(expected);
  }
}

static void large_matrices_go_to_lapack_and_reconstruct(void **state) {
  (void)state;
  random_source source = {33};
  const int sizes[][3] = {{150, 140, 90}, {200, 150, 150}, {120, 300, 60}};
  for (int k = 0; k < 3; k++) {
    matrix a = random_of_rank(&source, sizes[k][0], sizes[k][1], sizes[k][2]);
    factor f = factor_of(a, 1e-11);
    assert_int_equal(f.rank, sizes[k][2]);
    assert_reconstructs(f, a);
    drop_factor(f), drop(a);
  }
}

static void solution_is_one_of_least_squares(void **state) {
  (void)state;
  random_source source = {34};
  for (int k = 0; k < 2000; k++) {
    const int rows = random_integer(&source, 1, 25), columns = random_integer(&source, 1, 25);
    const int rank = random_integer(&source, 0, smaller(rows, columns));
    matrix a = random_of_rank(&source, rows, columns, rank), b = random_matrix(&source, rows, 1);
    matrix spent = copy_of(b), x = matrix_of(columns, 1, 0), gradient = matrix_of(columns, 1, 0);
    factor f = factor_of(a, 1e-11);
    flg_pivoted_qr_solve(rows, columns, f.rank, f.a.data, f.a.ld, f.tau.data, f.order, spent.data,
                         x.data);
    flg_dense_apply(rows, columns, -1, a.data, a.ld, x.data, b.data);
    flg_dense_apply_transposed(rows, columns, 1, a.data, a.ld, b.data, gradient.data);
    assert_near(largest_element(gradient), 0, 1e-11 * (1 + largest_element(x)));
    drop_factor(f);
    drop(a), drop(b), drop(spent), drop(x), drop(gradient);
  }
}

/* S = J J^T = R^T R: what the square-root form of an elimination rests on */
static void triangle_of_the_transpose_is_a_cholesky_factor(void **state) {
  (void)state;
  random_source source = {35};
  matrix jt = random_matrix(&source, 9, 5);
  factor f = factor_of(jt, 1e-12);
  double x[5] = {1, 2, 3, 4, 5}, image[9] = {0}, back[5] = {0};
  for (int k = 0; k < 5; k++) {
    flg_dense_apply(9, 1, x[k], element(jt, 0, f.order[k]), jt.ld, &(double){1}, image);
  }
  for (int k = 0; k < 5; k++) {
    flg_dense_apply_transposed(9, 1, 1, element(jt, 0, f.order[k]), jt.ld, image, &back[k]);
  }
  flg_dense_solve_upper_transposed(5, f.a.data, f.a.ld, back);
  flg_dense_solve_upper(5, f.a.data, f.a.ld, back);
  assert_near(max_difference(back, x, 5), 0, 1e-13);
  drop_factor(f), drop(jt);
}

static void not_a_number_fails_and_changes_nothing(void **state) {
  (void)state;
  random_source source = {36};
  for (int k = 0; k < 100; k++) {
    matrix a = random_matrix(&source, 5, 4);
    *element(a, k % 5, k % 4) = k % 2 == 0 ? (double)NAN : HUGE_VAL;
    factor f = factor_of(a, 1e-12);
    assert_int_equal(f.rank, FLG_QR_FAILED);
    assert_true(matrix_is_same(f.a, a));
    drop_factor(f), drop(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factor_reconstructs_and_has_the_rank_of_the_matrix),
      cmocka_unit_test(diagonal_agrees_with_lapack),
      cmocka_unit_test(large_matrices_go_to_lapack_and_reconstruct),
      cmocka_unit_test(solution_is_one_of_least_squares),
      cmocka_unit_test(triangle_of_the_transpose_is_a_cholesky_factor),
      cmocka_unit_test(not_a_number_fails_and_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
