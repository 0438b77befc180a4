/* 3-vectors in registers, against those of vec3.h and mat3.h: the same operations, the same bits.
 */
#include "math/quad.h"

#include "check.h"

static flg_vec3 random_vector(random_source *source) {
  return (flg_vec3){random_uniform(source, -2, 2), random_uniform(source, -2, 2),
                    random_uniform(source, -2, 2)};
}

static void assert_same(flg_vec3 expected, const flg_quad *actual) {
  const flg_vec3 got = flg_quad_get(actual);
  assert_memory_equal(&expected, &got, sizeof got);
}

static void products_are_those_of_plain_vectors(void **state) {
  (void)state;
  random_source source = {1};
  for (int k = 0; k < 100; k++) {
    const flg_vec3 a = random_vector(&source), b = random_vector(&source);
    flg_quad x, y, product;
    flg_quad_load(a, &x);
    flg_quad_load(b, &y);
    flg_quad_cross(&x, &y, &product);
    assert_same(flg_vec3_cross(a, b), &product);
  }
}

static void matrices_by_columns_are_those_of_mat3(void **state) {
  (void)state;
  random_source source = {2};
  for (int k = 0; k < 100; k++) {
    flg_mat3 matrix;
    flg_quad columns[3], turned[3], product;
    for (int i = 0; i < 9; i++) matrix.m[i] = random_uniform(&source, -2, 2);
    for (int j = 0; j < 3; j++) flg_quad_load(flg_mat3_column(&matrix, j), &columns[j]);
    const flg_vec3 v = random_vector(&source);
    flg_quad_apply(columns, v, &product);
    assert_same(flg_mat3_apply(&matrix, v), &product);
    flg_quad_transpose(columns, turned);
    const flg_mat3 expected = flg_mat3_transpose(&matrix);
    for (int j = 0; j < 3; j++) assert_same(flg_mat3_column(&expected, j), &turned[j]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_those_of_plain_vectors),
      cmocka_unit_test(matrices_by_columns_are_those_of_mat3),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
