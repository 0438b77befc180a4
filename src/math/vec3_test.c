#include "math/vec3.h"

#include "check.h"

static flg_vec3 random_vector(random_source *source) {
  return (flg_vec3){random_uniform(source, -1, 1), random_uniform(source, -1, 1),
                    random_uniform(source, -1, 1)};
}

static void cross_product_is_perpendicular_and_right_handed(void **state) {
  (void)state;
  random_source source = {51};
  const flg_vec3 z = flg_vec3_cross((flg_vec3){1, 0, 0}, (flg_vec3){0, 1, 0});
  assert_true(z.x == 0 && z.y == 0 && z.z == 1);
  for (int k = 0; k < 1000; k++) {
    const flg_vec3 a = random_vector(&source), b = random_vector(&source);
    const flg_vec3 c = flg_vec3_cross(a, b);
    assert_near(flg_vec3_dot(a, c), 0, 1e-15);
    assert_near(flg_vec3_dot(b, c), 0, 1e-15);
    /* Lagrange: |a x b|^2 + (a.b)^2 = |a|^2 |b|^2 */
    const double ab = flg_vec3_dot(a, b);
    assert_near(flg_vec3_dot(c, c) + ab * ab, flg_vec3_dot(a, a) * flg_vec3_dot(b, b), 1e-14);
  }
}

static void sums_and_multiples_go_by_components(void **state) {
  (void)state;
  const double from[3] = {1, 2, 3};
  const flg_vec3 a = flg_vec3_load(from), b = {10, 20, 30};
  double to[3];
  flg_vec3_store(flg_vec3_subtract(flg_vec3_add(a, b), flg_vec3_negate(a)), to);
  assert_true(to[0] == 12 && to[1] == 24 && to[2] == 36);
  flg_vec3_store(flg_vec3_add_scaled(flg_vec3_scale(a, 2), 3, b), to);
  assert_true(to[0] == 32 && to[1] == 64 && to[2] == 96);
}

static void normalised_vectors_have_length_one_and_zero_stays_zero(void **state) {
  (void)state;
  random_source source = {52};
  for (int k = 0; k < 1000; k++) {
    const double factor = pow(10, random_uniform(&source, -100, 100));
    const flg_vec3 a = flg_vec3_scale(random_vector(&source), factor);
    assert_near(flg_vec3_norm(flg_vec3_normalise(a)), 1, 1e-15);
  }
  const flg_vec3 zero = flg_vec3_normalise((flg_vec3){0, 0, 0});
  assert_true(zero.x == 0 && zero.y == 0 && zero.z == 0);
}

static void perpendicular_is_a_unit_vector_for_every_direction(void **state) {
  (void)state;
  random_source source = {53};
  for (int k = 0; k < 1000; k++) {
    flg_vec3 a = random_vector(&source);
    if (k % 3 == 0) a.x = 0;
    if (k % 5 == 0) a.y = 0;
    if (k % 7 == 0) a.z = 0;
    const flg_vec3 b = flg_vec3_perpendicular(a);
    assert_near(flg_vec3_dot(a, b), 0, 1e-15);
    assert_near(flg_vec3_norm(b), 1, 1e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cross_product_is_perpendicular_and_right_handed),
      cmocka_unit_test(sums_and_multiples_go_by_components),
      cmocka_unit_test(normalised_vectors_have_length_one_and_zero_stays_zero),
      cmocka_unit_test(perpendicular_is_a_unit_vector_for_every_direction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
