#include "interface/interface_model.h"

#include "check.h"

static flg_interface_model *model_of(void *memory, int capacity, int rows) {
  flg_interface_model *model = NULL;
  assert_int_equal(flg_interface_model_build(memory, capacity, rows, &model, NULL), FLG_OK);
  return model;
}

static _Alignas(64) unsigned char memory[1][4096];

static void a_new_model_is_fixed_ground(void **state) {
  (void)state;
  memset(memory[0], 0xff, sizeof memory[0]);
  flg_interface_model *model = model_of(memory[0], 3, 2);
  for (int k = 0; k < 4; k++) assert_true(flg_interface_model_admittance(model)[k] == 0);
  assert_int_equal(flg_interface_model_check(model, NULL), FLG_OK);
  assert_int_equal(memory[0][flg_interface_model_bytes(3)], 0xff);
}

static void sizes_out_of_range_are_refused(void **state) {
  (void)state;
  flg_interface_model *model = NULL;
  flg_error error = {0};
  assert_int_equal(flg_interface_model_bytes(-1), 0);
  assert_int_equal(flg_interface_model_bytes(FLG_INTERFACE_ROWS_MAX + 1), 0);
  assert_int_equal(flg_interface_model_build(memory[0], -1, 0, &model, &error), FLG_ERR_RANGE);
  assert_int_equal(flg_interface_model_build(memory[0], 2, 3, &model, &error), FLG_ERR_RANGE);
  assert_null(model);
  model = model_of(memory[0], 2, 1);
  assert_int_equal(flg_interface_model_resize(model, 3), FLG_ERR_RANGE);
  assert_int_equal(flg_interface_model_resize(model, 2), FLG_OK);
}

static void check_rejects_unphysical_values(void **state) {
  (void)state;
  const struct {
    double D[4], r[2];
    flg_status expected;
  } cases[] = {
      {{2, 1, 1, 2}, {0, 9.81}, FLG_OK},
      {{0, 0, 0, 0}, {0, 0}, FLG_OK},
      {{1, 1, 1, 1}, {0, 0}, FLG_OK},            /* rank 1 is a mechanical system */
      {{2, 1, 1.1, 2}, {0, 0}, FLG_ERR_PHYSICS}, /* asymmetric */
      {{1, 2, 2, 1}, {0, 0}, FLG_ERR_PHYSICS},   /* indefinite */
      {{-1, 0, 0, 1}, {0, 0}, FLG_ERR_PHYSICS},  /* negative mass */
      {{1, NAN, NAN, 1}, {0, 0}, FLG_ERR_PHYSICS},
      {{1, 0, 0, 1}, {NAN, 0}, FLG_ERR_PHYSICS},
      {{INFINITY, 0, 0, 1}, {0, 0}, FLG_ERR_PHYSICS},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    flg_interface_model *model = model_of(memory[0], 5, 2);
    memcpy(flg_interface_model_admittance(model), cases[k].D, sizeof cases[k].D);
    memcpy(flg_interface_model_bias(model), cases[k].r, sizeof cases[k].r);
    assert_int_equal(flg_interface_model_check(model, NULL), cases[k].expected);
  }
}

static void check_looks_at_velocities_and_sizes(void **state) {
  (void)state;
  flg_interface_model *model = model_of(memory[0], 2, 2);
  flg_interface_model_velocity(model)[1] = INFINITY;
  assert_int_equal(flg_interface_model_check(model, NULL), FLG_ERR_PHYSICS);
  flg_interface_model_velocity(model)[1] = 0, model->rows = 3;
  assert_int_equal(flg_interface_model_check(model, NULL), FLG_ERR_RANGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_new_model_is_fixed_ground),
      cmocka_unit_test(sizes_out_of_range_are_refused),
      cmocka_unit_test(check_rejects_unphysical_values),
      cmocka_unit_test(check_looks_at_velocities_and_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
