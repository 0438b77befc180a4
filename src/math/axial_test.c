#include "math/axial.h"

#include <float.h>

#include "math/larger.h"
#include "math/rotation.h"
#include "math/test_matrices.h"

static flg_mat3 random_turn(random_source *source) {
  const flg_vec3 by = {random_uniform(source, -3, 3), random_uniform(source, -3, 3),
                       random_uniform(source, -3, 3)};
  return flg_quat_to_matrix(flg_quat_exp(by));
}

static double apart(flg_sym3 a, flg_sym3 b) {
  const flg_mat3 one = flg_sym3_full(a), other = flg_sym3_full(b);
  return max_difference(one.m, other.m, 9);
}

/* rods and discs of all shapes and sizes, in axes of any direction */
static void axial_matrices_turn_with_their_axis(void **state) {
  (void)state;
  random_source source = {3};
  double most = 0, inverse = 0;
  for (int k = 0; k < 2000; k++) {
    const double size = pow(10, random_uniform(&source, -9, 9));
    const double ratio = pow(10, random_uniform(&source, -4, 4));
    const flg_mat3 first = random_turn(&source), second = random_turn(&source);
    const flg_sym3 own = {.xx = size, .yy = size * ratio, .zz = size};
    const flg_sym3 given = flg_sym3_rotate(own, &first);
    const double largest = size * fmax(1, ratio);
    flg_axial axial;
    assert_true(flg_axial_find(given, &axial));
    const flg_vec3 n = flg_mat3_apply(&second, axial.axis);
    const flg_sym3 turned = flg_axial_along(&axial, n);
    most = flg_larger(most, apart(turned, flg_sym3_rotate(given, &second)) / largest);
    const flg_axial yields = flg_axial_inverse(&axial);
    const flg_mat3 one = flg_sym3_full(turned), other = flg_sym3_full(flg_axial_along(&yields, n));
    const flg_mat3 unit = flg_mat3_multiply(&one, &other), exact = flg_mat3_identity();
    inverse = flg_larger(inverse, max_difference(unit.m, exact.m, 9) / fmax(ratio, 1 / ratio));
  }
  assert_true(most < 100 * DBL_EPSILON);
  assert_true(inverse < 100 * DBL_EPSILON);
}

static void others_are_none(void **state) {
  (void)state;
  flg_axial axial;
  assert_false(flg_axial_find((flg_sym3){.xx = 1, .yy = 1 + 1e-13, .zz = 2}, &axial));
  assert_false(flg_axial_find((flg_sym3){.xx = 1, .yy = 2, .zz = 3}, &axial));
  assert_false(flg_axial_find((flg_sym3){.xx = 1, .yy = 1, .zz = 1}, &axial));
  assert_false(flg_axial_find((flg_sym3){.xx = 0, .yy = 0, .zz = 0}, &axial));
  assert_false(flg_axial_find((flg_sym3){.xx = NAN, .yy = 1, .zz = 1}, &axial));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(axial_matrices_turn_with_their_axis),
      cmocka_unit_test(others_are_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
