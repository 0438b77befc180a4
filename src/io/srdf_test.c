#include "io/srdf.h"

#include "check.h"
#include "files.h"
#include "io/model_file.h"

#define LINK(name)    \
  "<link name='" name \
  "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
#define JOINT(name, from, to)                                                          \
  "<joint name='" name "' type='continuous'><parent link='" from "'/><child link='" to \
  "'/></"                                                                              \
  "joint>"
static const char urdf[] = "<robot name='r'>" LINK("a") LINK("b") LINK("c") JOINT("p", "a", "b")
    JOINT("q", "b", "c") "</robot>";
static const char srdf[] =
    "<robot name='r'>"
    "<group_state name='home' group='arm'><joint name='p' value='0.5'/>"
    "<joint name='root_joint' value='1 2 3 0.1 0.2 0.3 0.9'/><joint name='gone' value='1'/>"
    "</group_state>"
    "<group_state name='rest' group='arm'><joint name='p' value='-1'/></group_state>"
    "<group_state name='home' group='hand'><joint name='q' value='0.25'/></group_state>"
    "<rotor_params><joint name='q' mass='2e-5' gear_ratio='100.'/><joint name='x' mass='1'/>"
    "</rotor_params></robot>";

static flg_model read_pair(const char *beside, flg_reading reading, flg_region *region) {
  test_folder folder = make_folder();
  flg_mistakes mistakes = {0};
  flg_model model;
  make_file(&folder, "a.srdf", beside);
  flg_model_read(&model, make_file(&folder, "a.urdf", urdf), reading, (flg_place){0}, region,
                 &mistakes);
  assert_int_equal(mistakes.count, 0);
  remove_folder(&folder);
  return model;
}

static const flg_value *value_of(const flg_model *model, int configuration, int k, int count) {
  const flg_value_map *maps = model->configurations.items;
  const flg_value *values = maps[configuration].values.items;
  assert_true(k < maps[configuration].values.count);
  assert_int_equal(values[k].numbers.count, count);
  return &values[k];
}

static void states_of_one_name_are_one_configuration(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_model model = read_pair(srdf, (flg_reading){0}, &region);
  const flg_value_map *maps = model.configurations.items;
  assert_int_equal(model.configurations.count, 2);
  assert_string_equal(maps[0].origin.name, "home");
  assert_int_equal(maps[0].values.count, 2); /* the base is fixed */
  assert_near(value_of(&model, 0, 0, 1)->numbers.values[0], 0.5, 0);
  assert_string_equal(value_of(&model, 0, 1, 1)->origin.name, "q");
  assert_near(value_of(&model, 1, 0, 1)->numbers.values[0], -1, 0);
  flg_region_release(&region);
}

/* x y z w in the file, w x y z here */
static void a_base_that_floats_has_its_pose(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_model model = read_pair(srdf, (flg_reading){.floats = true}, &region);
  const flg_value *base = value_of(&model, 0, 1, 7);
  const double expected[7] = {1, 2, 3, 0.9, 0.1, 0.2, 0.3};
  assert_string_equal(base->origin.name, "base");
  assert_near(max_difference(base->numbers.values, expected, 7), 0, 0);
  flg_region_release(&region);
}

static void rotors_are_felt_by_the_square_of_their_gears(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_model model = read_pair(srdf, (flg_reading){0}, &region);
  assert_near(model.joints[0].armature, 0, 0);
  assert_near(model.joints[1].armature, 0.2, 1e-15);
  assert_int_equal(model.notice_count, 1);
  assert_non_null(strstr(model.notices[0], "1 joint ('q'): inertia of the rotor from"));
  flg_region_release(&region);
}

static void a_file_that_cannot_be_read_is_passed_over(void **state) {
  (void)state;
  flg_region region = {0};
  const flg_model model = read_pair("<robot>", (flg_reading){0}, &region);
  assert_int_equal(model.configurations.count, 0);
  assert_int_equal(model.notice_count, 1);
  assert_non_null(strstr(model.notices[0], "is passed over: this is not XML"));
  flg_region_release(&region);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_of_one_name_are_one_configuration),
      cmocka_unit_test(a_base_that_floats_has_its_pose),
      cmocka_unit_test(rotors_are_felt_by_the_square_of_their_gears),
      cmocka_unit_test(a_file_that_cannot_be_read_is_passed_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
