#include "interface/body_model.h"

#include "check.h"

static const flg_sym3 INERTIA = {2, 3, 4, 0.1, -0.2, 0.3};

static void the_root_squares_to_the_admittance(void **state) {
  (void)state;
  double H[36], Z[36];
  assert_int_equal(flg_body_model_admittance(5, INERTIA, H), FLG_OK);
  assert_int_equal(flg_body_model_root(5, INERTIA, Z), FLG_OK);
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += Z[i + 6 * k] * Z[j + 6 * k];
      assert_near(sum, H[i + 6 * j], 1e-16);
      assert_true(H[i + 6 * j] == H[j + 6 * i]);
    }
  }
}

static void a_body_without_forces_keeps_its_momentum(void **state) {
  (void)state;
  const flg_vec3 spin = {1, -2, 0.5};
  double H[36], b[6];
  assert_int_equal(flg_body_model_admittance(5, INERTIA, H), FLG_OK);
  flg_body_model_bias(H, INERTIA, spin, (flg_spatial){{10, 0, 0}, {0, 0, 0}}, b);
  assert_near(b[0], 2, 1e-15);
  /* d(I w)/dt = I wdot + w x I w = 0 */
  const flg_vec3 rate = flg_vec3_add(flg_sym3_apply(INERTIA, flg_vec3_load(b + 3)),
                                     flg_vec3_cross(spin, flg_sym3_apply(INERTIA, spin)));
  assert_near(flg_vec3_norm(rate), 0, 1e-14);
}

static void bodies_that_cannot_be_are_refused(void **state) {
  (void)state;
  double H[36];
  assert_int_equal(flg_body_model_admittance(0, INERTIA, H), FLG_ERR_PHYSICS);
  assert_int_equal(flg_body_model_admittance(NAN, INERTIA, H), FLG_ERR_PHYSICS);
  assert_int_equal(flg_body_model_root(1, flg_sym3_diagonal(-1), H), FLG_ERR_PHYSICS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_root_squares_to_the_admittance),
      cmocka_unit_test(a_body_without_forces_keeps_its_momentum),
      cmocka_unit_test(bodies_that_cannot_be_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
