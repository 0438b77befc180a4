#include "contact/material.h"

#include "check.h"

static void pairs_without_values_are_mixed_by_rule(void **state) {
  (void)state;
  const flg_material materials[] = {{0.9, 0}, {0.4, 0.8}, {0, 0.1}};
  flg_region region = {0};
  flg_material_table table;
  assert_int_equal(flg_material_table_build(&table, materials, 3, NULL, 0, &region, NULL), FLG_OK);
  assert_near(flg_material_between(&table, 0, 1).friction, 0.6, 1e-15);
  assert_near(flg_material_between(&table, 1, 0).restitution, 0.8, 0);
  assert_near(flg_material_between(&table, 0, 2).friction, 0, 0);
  for (int k = 0; k < 3; k++) {
    assert_true(flg_material_between(&table, k, k).friction == materials[k].friction);
  }
  flg_region_release(&region);
}

static void listed_pairs_have_their_values_both_ways(void **state) {
  (void)state;
  const flg_material materials[] = {{0.9, 0}, {0.4, 0.8}};
  const flg_material_pair pairs[] = {{1, 0, {0.05, 0.3}}, {1, 1, {0.7, 0}}};
  flg_region region = {0};
  flg_material_table table;
  assert_int_equal(flg_material_table_build(&table, materials, 2, pairs, 2, &region, NULL), FLG_OK);
  assert_true(flg_material_between(&table, 0, 1).friction == 0.05);
  assert_true(flg_material_between(&table, 1, 0).restitution == 0.3);
  assert_true(flg_material_between(&table, 1, 1).friction == 0.7);
  flg_region_release(&region);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_without_values_are_mixed_by_rule),
      cmocka_unit_test(listed_pairs_have_their_values_both_ways),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
