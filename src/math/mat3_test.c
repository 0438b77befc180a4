#include "math/mat3.h"

#include <lapacke.h>

#include "math/dense.h"
#include "math/test_matrices.h"

static flg_mat3 random_mat3(random_source *source) {
  flg_mat3 a;
  for (int k = 0; k < 9; k++) a.m[k] = random_uniform(source, -1, 1);
  return a;
}

static flg_vec3 random_vector(random_source *source) {
  return (flg_vec3){random_uniform(source, -1, 1), random_uniform(source, -1, 1),
                    random_uniform(source, -1, 1)};
}

static flg_sym3 random_sym3(random_source *source) {
  const flg_mat3 a = random_mat3(source);
  return flg_sym3_from_lower(&a);
}

static void assert_same_vector(flg_vec3 a, const double b[3]) {
  double stored[3];
  flg_vec3_store(a, stored);
  assert_near(max_difference(stored, b, 3), 0, 1e-15);
}

static void products_agree_with_the_dense_kernels(void **state) {
  (void)state;
  random_source source = {61};
  for (int k = 0; k < 1000; k++) {
    const flg_mat3 a = random_mat3(&source), b = random_mat3(&source);
    double v[3], expected[9] = {0};
    flg_vec3_store(random_vector(&source), v);
    flg_dense_apply(3, 3, 1, a.m, 3, v, expected);
    assert_same_vector(flg_mat3_apply(&a, flg_vec3_load(v)), expected);
    memset(expected, 0, sizeof expected);
    flg_dense_apply_transposed(3, 3, 1, a.m, 3, v, expected);
    assert_same_vector(flg_mat3_apply_transposed(&a, flg_vec3_load(v)), expected);
    memset(expected, 0, sizeof expected);
    flg_dense_multiply(3, 3, 3, 1, a.m, 3, b.m, 3, expected, 3);
    assert_near(max_difference(flg_mat3_multiply(&a, &b).m, expected, 9), 0, 1e-15);
    memset(expected, 0, sizeof expected);
    flg_dense_multiply_left_transposed(3, 3, 3, 1, a.m, 3, b.m, 3, expected, 3);
    assert_near(max_difference(flg_mat3_multiply_transposed(&a, &b).m, expected, 9), 0, 1e-15);
    const flg_mat3 at = flg_mat3_transpose(&a);
    assert_near(max_difference(flg_mat3_multiply(&at, &b).m, expected, 9), 0, 1e-15);
  }
}

static void skew_matrix_is_the_cross_product(void **state) {
  (void)state;
  random_source source = {62};
  for (int k = 0; k < 100; k++) {
    const flg_vec3 a = random_vector(&source), b = random_vector(&source);
    const flg_mat3 skew = flg_mat3_skew(a);
    double expected[3];
    flg_vec3_store(flg_vec3_cross(a, b), expected);
    assert_same_vector(flg_mat3_apply(&skew, b), expected);
  }
}

static void symmetric_products_agree_with_full_ones(void **state) {
  (void)state;
  random_source source = {63};
  for (int k = 0; k < 1000; k++) {
    const flg_sym3 s = random_sym3(&source);
    const flg_mat3 full = flg_sym3_full(s), r = random_mat3(&source), rt = flg_mat3_transpose(&r);
    const flg_vec3 v = random_vector(&source);
    double expected[3];
    flg_vec3_store(flg_mat3_apply(&full, v), expected);
    assert_same_vector(flg_sym3_apply(s, v), expected);
    const flg_mat3 left = flg_mat3_multiply(&r, &full), product = flg_mat3_multiply(&left, &rt);
    const flg_mat3 rotated = flg_sym3_full(flg_sym3_rotate(s, &r));
    assert_near(max_difference(rotated.m, product.m, 9), 0, 1e-14);
    const flg_mat3 twice = flg_sym3_full(flg_sym3_add(s, s));
    assert_near(max_difference(twice.m, flg_mat3_add_scaled(&full, 1, &full).m, 9), 0, 0);
  }
}

static void eigenvalues_agree_with_lapack(void **state) {
  (void)state;
  random_source source = {64};
  for (int k = 0; k < 5000; k++) {
    flg_sym3 s = random_sym3(&source);
    if (k % 5 == 1) s = flg_sym3_outer(random_vector(&source));            /* rank 1 */
    if (k % 5 == 2) s = flg_sym3_diagonal(random_uniform(&source, -1, 1)); /* triple */
    if (k % 5 == 3) s = (flg_sym3){.xx = 1e6 * s.xx, .yy = s.yy, .zz = 1e-6 * s.zz, .xy = s.xy};
    flg_mat3 full = flg_sym3_full(s);
    double eigenvalues[3], expected[3];
    flg_sym3_eigenvalues(s, eigenvalues);
    LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', 3, full.m, 3, expected);
    const double size = fabs(expected[0]) + fabs(expected[2]);
    assert_near(max_difference(eigenvalues, expected, 3), 0, 4e-15 * size);
  }
}

static void eigenvalues_of_zero_are_zero_and_of_nan_are_nan(void **state) {
  (void)state;
  double eigenvalues[3] = {1, 1, 1};
  flg_sym3_eigenvalues((flg_sym3){0}, eigenvalues);
  assert_true(eigenvalues[0] == 0 && eigenvalues[1] == 0 && eigenvalues[2] == 0);
  for (int k = 0; k < 6; k++) {
    double values[6] = {1, 2, 3, 0.1, 0.2, 0.3};
    values[k] = (double)NAN;
    flg_sym3_eigenvalues(
        (flg_sym3){values[0], values[1], values[2], values[3], values[4], values[5]}, eigenvalues);
    for (int i = 0; i < 3; i++) assert_true(isnan(eigenvalues[i]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_agree_with_the_dense_kernels),
      cmocka_unit_test(skew_matrix_is_the_cross_product),
      cmocka_unit_test(symmetric_products_agree_with_full_ones),
      cmocka_unit_test(eigenvalues_agree_with_lapack),
      cmocka_unit_test(eigenvalues_of_zero_are_zero_and_of_nan_are_nan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
