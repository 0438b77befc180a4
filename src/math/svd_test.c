#include "math/svd.h"

#include "math/dense.h"
#include "math/test_matrices.h"

static int smaller(int a, int b) {
  return a < b ? a : b;
}

static void vectors_reconstruct_the_matrix(void **state) {
  (void)state;
  random_source source = {41};
  for (int k = 0; k < 800; k++) {
    const int rows = random_integer(&source, 0, 30), columns = random_integer(&source, 0, 30);
    const int count = smaller(rows, columns);
    matrix a = random_matrix(&source, rows, columns), spent = copy_of(a);
    matrix u = matrix_of(rows, count, 1), vt = matrix_of(count, columns, 2);
    matrix singular = matrix_of(count, 1, 0), values = matrix_of(count, 1, 0);
    matrix work = matrix_of(flg_svd_workspace(rows, columns), 1, 0);
    assert_int_equal(flg_svd_factor(rows, columns, spent.data, spent.ld, singular.data, u.data,
                                    u.ld, vt.data, vt.ld, work.data),
                     FLG_OK);
    drop(spent);
    spent = copy_of(a);
    assert_int_equal(flg_svd_factor(rows, columns, spent.data, spent.ld, values.data, NULL, 0, NULL,
                                    0, work.data),
                     FLG_OK);
    assert_near(matrix_difference(singular, values), 0, 1e-13);
    for (int j = 0; j < count; j++) {
      for (int i = 0; i < rows; i++) *element(u, i, j) *= singular.data[j];
    }
    flg_dense_multiply(rows, columns, count, -1, u.data, u.ld, vt.data, vt.ld, a.data, a.ld);
    matrix zero = matrix_of(rows, columns, 0);
    assert_near(matrix_difference(a, zero), 0, 1e-13);
    drop(a), drop(spent), drop(u), drop(vt), drop(singular), drop(values), drop(work), drop(zero);
  }
}

static void rank_and_condition_of_known_matrices(void **state) {
  (void)state;
  double a[9] = {0, 3, 0, 5e-9, 0, 0, 0, 0, 0}, singular[3], work[32];
  assert_in_range(flg_svd_workspace(3, 3), 1, 32);
  assert_int_equal(flg_svd_factor(3, 3, a, 3, singular, NULL, 0, NULL, 0, work), FLG_OK);
  assert_near(singular[0], 3, 1e-15);
  assert_near(singular[1], 5e-9, 1e-15);
  assert_int_equal(flg_svd_rank(3, singular, 1e-8), 1);
  assert_int_equal(flg_svd_rank(3, singular, 1e-9), 2);
  assert_true(flg_svd_condition(3, singular) == HUGE_VAL);
  /* the smaller one is known to 1e-15, 2e-7 of itself */
  assert_near(flg_svd_condition(2, singular), 6e8, 1e2);
  assert_int_equal(flg_svd_rank(0, singular, 1e-9), 0);
  assert_true(flg_svd_condition(0, singular) == 1);
  const double zeros[2] = {0, 0};
  assert_int_equal(flg_svd_rank(2, zeros, 0), 0);
}

static void not_a_number_fails_and_changes_nothing(void **state) {
  (void)state;
  random_source source = {42};
  for (int k = 0; k < 100; k++) {
    matrix a = random_matrix(&source, 4, 6), work = matrix_of(flg_svd_workspace(4, 6), 1, 0);
    *element(a, k % 4, k % 6) = k % 2 == 0 ? (double)NAN : -HUGE_VAL;
    matrix before = copy_of(a), singular = matrix_of(4, 1, 0);
    assert_int_equal(flg_svd_factor(4, 6, a.data, a.ld, singular.data, NULL, 0, NULL, 0, work.data),
                     FLG_ERR_DIVERGED);
    assert_true(matrix_is_same(a, before));
    drop(a), drop(work), drop(before), drop(singular);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_reconstruct_the_matrix),
      cmocka_unit_test(rank_and_condition_of_known_matrices),
      cmocka_unit_test(not_a_number_fails_and_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
