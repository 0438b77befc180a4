/* Eigenvalues of small symmetric matrices, against closed forms and the singular values of LAPACK.
 */
#include "math/eigenvalues.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "math/svd.h"

enum { MOST = FLG_EIGENVALUES_MAX };

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void eigenvalues(int n, const double *matrix, double *values) {
  double copy[MOST * MOST];
  memcpy(copy, matrix, (size_t)(n * n) * sizeof *copy);
  assert_int_equal(flg_eigenvalues_symmetric(n, copy, values), FLG_OK);
  qsort(values, (size_t)n, sizeof *values, by_size);
}

/* B B^T, columns of B scaled such that the condition grows by 100^(2 spread) */
static void random_semidefinite(random_source *source, int n, double spread, double *matrix) {
  double root[MOST * MOST];
  for (int k = 0; k < n * n; k++) {
    root[k] = random_uniform(source, -1, 1) * pow(100, -spread * (k / n) / n);
  }
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += root[i + k * n] * root[j + k * n];
      matrix[i + j * n] = sum;
    }
  }
}

static void semidefinite_matrices_have_their_singular_values(void **state) {
  (void)state;
  random_source source = {1};
  double *work = malloc((size_t)flg_svd_workspace(MOST, MOST) * sizeof *work);
  for (int round = 0; round < 600; round++) {
    const int n = 1 + round % MOST;
    double matrix[MOST * MOST], copy[MOST * MOST], values[MOST], singular[MOST];
    random_semidefinite(&source, n, round % 3, matrix);
    memcpy(copy, matrix, sizeof copy);
    assert_int_equal(flg_svd_factor(n, n, copy, n, singular, NULL, 0, NULL, 0, work), FLG_OK);
    eigenvalues(n, matrix, values);
    for (int k = 0; k < n; k++) assert_near(values[k], singular[n - 1 - k], 1e-14 * singular[0]);
  }
  free(work);
}

/* 2 on the diagonal and -1 beside it: 2 - 2 cos(k pi/(n + 1)) */
static void chain_of_springs_has_its_frequencies(void **state) {
  (void)state;
  for (int n = 1; n <= MOST; n++) {
    double matrix[MOST * MOST] = {0}, values[MOST];
    for (int k = 0; k < n; k++) {
      matrix[k * (n + 1)] = 2;
      if (k > 0) matrix[k * (n + 1) - 1] = matrix[k * (n + 1) - n] = -1;
    }
    eigenvalues(n, matrix, values);
    for (int k = 0; k < n; k++) {
      assert_near(values[k], 2 - 2 * cos((k + 1) * acos(-1) / (n + 1)), 1e-14);
    }
  }
}

static void signs_and_repeated_values_are_kept(void **state) {
  (void)state;
  /* a reflection of 1 .. 1, -1, and a diagonal with a zero */
  double mirror[25], values[5];
  const double diagonal[9] = {3, 0, 0, 0, -2, 0, 0, 0, 0};
  for (int k = 0; k < 25; k++) mirror[k] = (k % 6 == 0) - 2. / 5;
  eigenvalues(5, mirror, values);
  assert_near(values[0], -1, 1e-15);
  for (int k = 1; k < 5; k++) assert_near(values[k], 1, 2e-15);
  eigenvalues(3, diagonal, values);
  assert_true(values[0] == -2 && values[1] == 0 && values[2] == 3);
}

static void what_is_not_finite_or_too_large_is_refused(void **state) {
  (void)state;
  double matrix[4] = {1, NAN, NAN, 1}, values[2];
  assert_int_equal(flg_eigenvalues_symmetric(2, matrix, values), FLG_ERR_DIVERGED);
  double endless[4] = {INFINITY, 0, 0, 1};
  assert_int_equal(flg_eigenvalues_symmetric(2, endless, values), FLG_ERR_DIVERGED);
  assert_int_equal(flg_eigenvalues_symmetric(MOST + 1, matrix, values), FLG_ERR_RANGE);
  assert_int_equal(flg_eigenvalues_symmetric(0, matrix, values), FLG_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(semidefinite_matrices_have_their_singular_values),
      cmocka_unit_test(chain_of_springs_has_its_frequencies),
      cmocka_unit_test(signs_and_repeated_values_are_kept),
      cmocka_unit_test(what_is_not_finite_or_too_large_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
