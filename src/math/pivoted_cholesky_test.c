#include "math/pivoted_cholesky.h"

#include "math/dense.h"
#include "math/test_matrices.h"

enum { MAX = 64 };

static int is_permutation(int n, const int *order) {
  int seen[MAX] = {0};
  for (int i = 0; i < n; i++) {
    if (order[i] < 0 || order[i] >= n || seen[order[i]]++) return 0;
  }
  return 1;
}

static matrix diagonal_of(matrix s) {
  matrix d = matrix_of(s.rows, 1, 0);
  for (int i = 0; i < s.rows; i++) d.data[i] = *element(s, i, i);
  return d;
}

/* |S(order, order) - L L^T| in units of the scale, over all rows, L having `rank` columns */
static void assert_factor_of(matrix s, matrix l, const int *order, int rank, double tolerance) {
  for (int j = 0; j < s.rows; j++) {
    for (int i = j; i < s.rows; i++) {
      double sum = 0;
      for (int k = 0; k < rank && k <= j; k++) sum += *element(l, i, k) * *element(l, j, k);
      const double scale = sqrt(*element(s, order[i], order[i]) * *element(s, order[j], order[j]));
      assert_near(sum, *element(s, order[i], order[j]), tolerance * scale);
    }
  }
}

static void rank_is_found_for_every_rank_and_scaling(void **state) {
  (void)state;
  random_source source = {21};
  int order[MAX];
  for (int n = 1; n <= 40; n++) {
    for (int rank = 0; rank <= n; rank++) {
      matrix s = random_semidefinite(&source, n, rank);
      /* a random B has singular values down to 1/n^1.5: well over the tolerance, if lifted */
      if (rank == n) {
        for (int i = 0; i < n; i++) *element(s, i, i) += 0.01;
      }
      if (rank % 2 == 1) scale_badly(&source, s);
      matrix l = matrix_of(n, n, 2), d = diagonal_of(s);
      const int found =
          flg_pivoted_cholesky_factor(n, s.data, s.ld, d.data, 1e-11, order, l.data, l.ld);
      assert_int_equal(found, rank);
      assert_true(is_permutation(n, order));
      assert_factor_of(s, l, order, found, 1e-12 * n);
      drop(s), drop(l), drop(d);
    }
  }
}

static void no_scale_means_the_diagonal(void **state) {
  (void)state;
  random_source source = {22};
  int order[MAX], other[MAX];
  for (int k = 0; k < 300; k++) {
    const int n = random_integer(&source, 0, 20);
    matrix s = random_semidefinite(&source, n, random_integer(&source, 0, n));
    matrix l = matrix_of(n, n, 0), m = matrix_of(n, n, 0), d = diagonal_of(s);
    const int rank = flg_pivoted_cholesky_factor(n, s.data, s.ld, d.data, FLG_PIVOT_TOLERANCE,
                                                 order, l.data, l.ld);
    assert_int_equal(rank, flg_pivoted_cholesky_factor(n, s.data, s.ld, NULL, FLG_PIVOT_TOLERANCE,
                                                       other, m.data, m.ld));
    assert_memory_equal(order, other, (size_t)n * sizeof(int));
    assert_true(matrix_is_same(l, m));
    drop(s), drop(l), drop(m), drop(d);
  }
}

static void duplicated_rows_count_once_and_the_first_is_kept(void **state) {
  (void)state;
  random_source source = {23};
  int order[2 * 12];
  for (int n = 1; n <= 12; n++) {
    matrix a = random_definite(&source, n), s = matrix_of(2 * n, 2 * n, 1);
    for (int j = 0; j < 2 * n; j++) {
      for (int i = 0; i < 2 * n; i++) *element(s, i, j) = *element(a, i % n, j % n);
    }
    matrix l = matrix_of(2 * n, 2 * n, 1);
    assert_int_equal(flg_pivoted_cholesky_factor(2 * n, s.data, s.ld, NULL, FLG_PIVOT_TOLERANCE,
                                                 order, l.data, l.ld),
                     n);
    for (int k = 0; k < n; k++) assert_true(order[k] < n);
    drop(a), drop(s), drop(l);
  }
}

static void rows_that_others_block_are_judged_by_their_free_admittance(void **state) {
  (void)state;
  /* row 1 is round-off of a blocked direction: its own diagonal would let it pass */
  const double s[4] = {2, 0, 0, 1e-17}, free_admittance[2] = {2, 3};
  int order[2];
  double l[4] = {0};
  assert_int_equal(flg_pivoted_cholesky_factor(2, s, 2, NULL, 1e-8, order, l, 2), 2);
  assert_int_equal(flg_pivoted_cholesky_factor(2, s, 2, free_admittance, 1e-8, order, l, 2), 1);
  assert_int_equal(order[0], 0);
  const double immovable[2] = {0, 1e-17};
  assert_int_equal(flg_pivoted_cholesky_factor(2, s, 2, immovable, 1e-8, order, l, 2), 1);
  assert_int_equal(order[0], 1);
}

static void zero_matrix_and_no_matrix_have_rank_zero(void **state) {
  (void)state;
  const double zeros[9] = {0}, scale[3] = {1, 1, 1};
  double l[9];
  int order[3];
  assert_int_equal(flg_pivoted_cholesky_factor(3, zeros, 3, scale, 1e-8, order, l, 3), 0);
  assert_int_equal(flg_pivoted_cholesky_factor(3, zeros, 3, NULL, 1e-8, order, l, 3), 0);
  assert_int_equal(flg_pivoted_cholesky_factor(0, zeros, 1, scale, 1e-8, order, l, 1), 0);
  assert_int_equal(flg_pivoted_cholesky_refactor(0, order, zeros, 1, scale, 1e-8, l, 1), 0);
  assert_int_equal(flg_pivoted_cholesky_factor(1, scale, 1, scale, 1e-8, order, l, 1), 1);
}

static void frozen_rows_give_the_bits_of_the_free_factor(void **state) {
  (void)state;
  random_source source = {24};
  int order[MAX];
  for (int k = 0; k < 2000; k++) {
    const int n = random_integer(&source, 1, 40), rank = random_integer(&source, 0, n);
    matrix s = random_semidefinite(&source, n, rank), d = diagonal_of(s);
    matrix l = matrix_of(n, n, 1), m = matrix_of(n, n, 0);
    const int found =
        flg_pivoted_cholesky_factor(n, s.data, s.ld, d.data, 1e-8, order, l.data, l.ld);
    m.rows = m.columns = found;
    assert_int_equal(
        flg_pivoted_cholesky_refactor(found, order, s.data, s.ld, d.data, 1e-8, m.data, m.ld),
        found);
    for (int j = 0; j < found; j++) {
      assert_memory_equal(element(m, j, j), element(l, j, j), (size_t)(found - j) * sizeof(double));
    }
    drop(s), drop(d), drop(l);
    free(m.data);
  }
}

static void frozen_rows_agree_with_plain_cholesky(void **state) {
  (void)state;
  random_source source = {25};
  int order[MAX];
  for (int n = 1; n <= MAX; n++) {
    matrix s = random_definite(&source, n), l = matrix_of(n, n, 1);
    for (int i = 0; i < n; i++) order[i] = i;
    assert_int_equal(
        flg_pivoted_cholesky_refactor(n, order, s.data, s.ld, NULL, 1e-8, l.data, l.ld), n);
    assert_int_equal(flg_dense_cholesky(n, s.data, s.ld), n);
    for (int j = 0; j < n; j++) {
      assert_memory_equal(element(l, j, j), element(s, j, j), (size_t)(n - j) * sizeof(double));
    }
    drop(s), drop(l);
  }
}

static void frozen_rows_that_became_dependent_are_reported(void **state) {
  (void)state;
  random_source source = {26};
  int order[MAX];
  for (int n = 2; n <= 30; n++) {
    matrix s = random_definite(&source, n), d = diagonal_of(s), l = matrix_of(n, n, 0);
    assert_int_equal(
        flg_pivoted_cholesky_factor(n, s.data, s.ld, d.data, 1e-8, order, l.data, l.ld), n);
    /* the row of the last pivot becomes a copy of the first pivot's */
    const int first = order[0], last = order[n - 1];
    for (int j = 0; j < n; j++) {
      *element(s, last, j) = *element(s, j, last) = *element(s, first, j);
    }
    *element(s, last, last) = *element(s, last, first) = *element(s, first, last) =
        *element(s, first, first);
    assert_int_equal(
        flg_pivoted_cholesky_refactor(n, order, s.data, s.ld, d.data, 1e-8, l.data, l.ld), n - 1);
    assert_int_equal(
        flg_pivoted_cholesky_factor(n, s.data, s.ld, d.data, 1e-8, order, l.data, l.ld), n - 1);
    drop(s), drop(d), drop(l);
  }
}

static void not_a_number_fails_and_changes_nothing(void **state) {
  (void)state;
  random_source source = {27};
  const double bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < 300; k++) {
    const int n = random_integer(&source, 1, 12);
    matrix s = random_definite(&source, n), d = diagonal_of(s), l = matrix_of(n, n, 1);
    matrix before = copy_of(l);
    const int j = random_integer(&source, 0, n - 1), i = random_integer(&source, j, n - 1);
    int order[12] = {0}, natural[12];
    if (k % 2 == 0) {
      *element(s, i, j) = bad[k % 3];
    } else {
      d.data[i] = k % 4 == 1 ? -1 : bad[k % 3];
    }
    assert_int_equal(
        flg_pivoted_cholesky_factor(n, s.data, s.ld, d.data, 1e-8, order, l.data, l.ld),
        FLG_PIVOT_FAILED);
    assert_true(matrix_is_same(l, before));
    for (int p = 0; p < n; p++) natural[p] = p;
    if (k % 2 == 0) {
      assert_in_range(
          flg_pivoted_cholesky_refactor(n, natural, s.data, s.ld, d.data, 1e-8, l.data, l.ld), 0,
          n - 1);
    }
    drop(s), drop(d), drop(l), drop(before);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rank_is_found_for_every_rank_and_scaling),
      cmocka_unit_test(no_scale_means_the_diagonal),
      cmocka_unit_test(duplicated_rows_count_once_and_the_first_is_kept),
      cmocka_unit_test(rows_that_others_block_are_judged_by_their_free_admittance),
      cmocka_unit_test(zero_matrix_and_no_matrix_have_rank_zero),
      cmocka_unit_test(frozen_rows_give_the_bits_of_the_free_factor),
      cmocka_unit_test(frozen_rows_agree_with_plain_cholesky),
      cmocka_unit_test(frozen_rows_that_became_dependent_are_reported),
      cmocka_unit_test(not_a_number_fails_and_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
