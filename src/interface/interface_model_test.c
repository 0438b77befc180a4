#include "interface/interface_model.h"

#include "check.h"

static flg_interface_model *model_of(void *memory, int capacity, int rows) {
  flg_interface_model *model = NULL;
  assert_int_equal(flg_interface_model_build(memory, capacity, rows, &model, NULL), FLG_OK);
  return model;
}

static _Alignas(64) unsigned char memory[4][4096];

static void a_new_model_is_fixed_ground(void **state) {
  (void)state;
  memset(memory[0], 0xff, sizeof memory[0]);
  flg_interface_model *model = model_of(memory[0], 3, 2);
  double a[2] = {NAN, NAN};
  flg_interface_model_accelerate(model, (const double[]){5, -7}, a);
  assert_true(a[0] == 0 && a[1] == 0);
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

static void check_looks_at_velocities_gaps_and_kinds(void **state) {
  (void)state;
  flg_interface_model *model = model_of(memory[0], 2, 2);
  flg_interface_model_velocity(model)[1] = INFINITY;
  assert_int_equal(flg_interface_model_check(model, NULL), FLG_ERR_PHYSICS);
  flg_interface_model_velocity(model)[1] = 0, flg_interface_model_gap(model)[0] = NAN;
  assert_int_equal(flg_interface_model_check(model, NULL), FLG_ERR_PHYSICS);
  flg_interface_model_gap(model)[0] = 0, flg_interface_model_kind(model)[0] = 3;
  assert_int_equal(flg_interface_model_check(model, NULL), FLG_ERR_RANGE);
  flg_interface_model_kind(model)[0] = 0, model->rows = 3;
  assert_int_equal(flg_interface_model_check(model, NULL), FLG_ERR_RANGE);
}

/* a mass of 2 kg falls on the ground: 4 m/s down, 0.1 m above it */
static void only_contact_rows_carry_a_gap_along(void **state) {
  (void)state;
  flg_interface_model *model = model_of(memory[0], 2, 2);
  const double D[4] = {0.5, 0.5, 0.5, 0.5};
  memcpy(flg_interface_model_admittance(model), D, sizeof D);
  flg_interface_model_kind(model)[1] = FLG_ROW_CONTACT;
  for (int i = 0; i < 2; i++) {
    flg_interface_model_bias(model)[i] = -10;
    flg_interface_model_velocity(model)[i] = -4;
  }
  flg_interface_model_gap(model)[1] = 0.1;
  flg_interface_model_advance(model, 0.01, NULL);
  assert_near(flg_interface_model_velocity(model)[1], -4.1, 1e-15);
  assert_near(flg_interface_model_gap(model)[1], 0.1 - 0.041, 1e-16);
  flg_interface_model_advance(model, 0.01, (const double[]){0, 8.4}); /* 8.4 N s stop it */
  assert_near(flg_interface_model_velocity(model)[0], 0, 1e-15);
  assert_near(flg_interface_model_velocity(model)[1], 0, 1e-15);
  assert_true(flg_interface_model_gap(model)[0] == 0);
}

static void the_bytes_in_use_can_be_sent_as_they_are(void **state) {
  (void)state;
  flg_interface_model *model = model_of(memory[0], 7, 3), *other = model_of(memory[1], 3, 0);
  for (int k = 0; k < 9; k++) flg_interface_model_admittance(model)[k] = k;
  for (int k = 0; k < 3; k++) {
    flg_interface_model_bias(model)[k] = 10 + k;
    flg_interface_model_velocity(model)[k] = 20 + k;
    flg_interface_model_gap(model)[k] = 30 + k;
    flg_interface_model_kind(model)[k] = (unsigned char)k;
  }
  memset(memory[2], 0xee, sizeof memory[2]);
  memcpy(memory[2], model, flg_interface_model_used(model));
  flg_interface_model *sent = (void *)memory[2];
  assert_true(flg_interface_model_used(model) < flg_interface_model_bytes(7));
  assert_int_equal(flg_interface_model_copy(other, sent), FLG_OK); /* other capacity */
  assert_memory_equal(flg_interface_model_admittance(other), flg_interface_model_admittance(model),
                      9 * sizeof(double));
  assert_true(flg_interface_model_bias(other)[2] == 12);
  assert_true(flg_interface_model_velocity(other)[1] == 21);
  assert_true(flg_interface_model_gap(other)[0] == 30);
  assert_int_equal(flg_interface_model_kind(other)[2], FLG_ROW_CONTACT);
  flg_interface_model *small = model_of(memory[3], 2, 1);
  assert_int_equal(flg_interface_model_copy(small, model), FLG_ERR_RANGE);
  assert_int_equal(small->rows, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_new_model_is_fixed_ground),
      cmocka_unit_test(sizes_out_of_range_are_refused),
      cmocka_unit_test(check_rejects_unphysical_values),
      cmocka_unit_test(check_looks_at_velocities_gaps_and_kinds),
      cmocka_unit_test(only_contact_rows_carry_a_gap_along),
      cmocka_unit_test(the_bytes_in_use_can_be_sent_as_they_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
