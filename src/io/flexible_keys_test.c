#include "io/flexible_keys.h"

#include "check.h"
#include "io/model_yaml.h"
#include "text/yaml.h"

/* A model with one body of the given keys on a joint at its start. */
static flg_model model_of(const char *body, flg_region *region, flg_mistakes *mistakes) {
  char text[2000];
  snprintf(
      text, sizeof text,
      "flange-model: 1\nbodies:\n  boom: {%s}\njoints:\n  hinge: {kind: revolute, child: boom}\n",
      body);
  flg_model model = {0};
  const flg_node *root = flg_yaml_parse(region, "test", text, strlen(text), mistakes);
  assert_non_null(root);
  flg_model_from_node(&model, "test", false, root, region, mistakes);
  return model;
}

static void a_beam_without_mass_gives_its_body_mass(void **state) {
  (void)state;
  flg_region region = {0};
  flg_mistakes mistakes = {0};
  const flg_model model = model_of(
      "flexible: {end: [2, 0, 0], section: {kind: rectangle, size: [0.02, 0.01]}, young: 7e10,"
      " density: 2700, bending: [2, 1], twist: 1, axial: 1, damping: 0.01}",
      &region, &mistakes);
  if (mistakes.count > 0) fail_msg("%s", mistakes.list[0].message);
  const flg_body *boom = &model.bodies[0];
  assert_non_null(boom->flexible);
  assert_int_equal(boom->flexible->modes, 5);
  assert_near(boom->mass, 2700 * 2 * 2e-4, 1e-12);
  assert_near(boom->centre.x, 1, 1e-12);
  assert_near(boom->inertia.zz, boom->mass * (4 / 12. + 4e-4 / 12), 1e-12);
  double found[5];
  assert_int_equal(flg_modal_frequencies(boom->flexible, found, &region), FLG_OK);
  const double unit = sqrt(7e10 / 2700 / 12) / 4, b = 1.87510406871196;
  assert_near(found[0], b * b * unit * 0.01, 1e-13 * found[0]); /* along z, the thin side */
  flg_region_release(&region);
}

static void a_beam_takes_its_density_from_the_mass_of_its_body(void **state) {
  (void)state;
  flg_region region = {0};
  flg_mistakes mistakes = {0};
  const flg_model model = model_of(
      "mass: 3, centre: [1, 0, 0], inertia: [0.1, 1, 1],"
      " flexible: {end: [2, 0, 0], section: {diameter: 0.1},"
      " young: 7e10, bending: 1}",
      &region, &mistakes);
  if (mistakes.count > 0) fail_msg("%s", mistakes.list[0].message);
  assert_near(model.bodies[0].flexible->rigid.mass, 3, 1e-12);
  assert_near(model.bodies[0].inertia.xx, 0.1, 0); /* its own stays */
  flg_region_release(&region);
}

static void nodes_are_a_reduced_model(void **state) {
  (void)state;
  flg_region region = {0};
  flg_mistakes mistakes = {0};
  const flg_model model = model_of(
      "flexible: {nodes: [{at: [0, 0, 0], mass: 1, shapes: [0, 0, 0, 0, 0, 0]},"
      " {at: [1, 0, 0], mass: 2, shapes: [0, 1, 0, 0, 0, 1.5]}], stiffness: [800]}",
      &region, &mistakes);
  if (mistakes.count > 0) fail_msg("%s", mistakes.list[0].message);
  const flg_modal_body *flexible = model.bodies[0].flexible;
  double found[1];
  assert_int_equal(flg_modal_frequencies(flexible, found, &region), FLG_OK);
  assert_near(found[0], 20, 1e-12);
  assert_near(model.bodies[0].mass, 3, 0);
  flg_spatial shapes[1];
  flg_vec3 pairs[1];
  flg_modal_shapes(flexible, flg_modal_station(flexible, (flg_vec3){0.9, 0, 0}), shapes, pairs);
  assert_near(shapes[0].angular.z, 1.5, 0);
  flg_region_release(&region);
}

static void mistakes_say_what_to_do(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"flexible: {section: {diameter: 0.1}, young: 1e9, density: 1, bending: 1}", "needs its end"},
      {"flexible: {end: [1, 0, 0], young: 1e9, density: 1, bending: 1}", "needs its diameter"},
      {"flexible: {end: [1, 0, 0], section: {diameter: 0.1}, density: 1, bending: 1}",
       "needs young"},
      {"flexible: {end: [1, 0, 0], section: {diameter: 0.1}, young: 1e9, bending: 1}",
       "needs a density"},
      {"flexible: {end: [1, 0, 0], section: {diameter: 0.1}, young: 1e9, density: 1}",
       "needs modes"},
      {"mass: 5, inertia: [1, 1, 1], flexible: {end: [1, 0, 0], section: {diameter: 0.1},"
       " young: 1e9, density: 1000, bending: 1}",
       "its beam weighs"},
      {"flexible: {end: [1, 0, 0], side: [2, 0, 0], section: {diameter: 0.1}, young: 1e9,"
       " density: 1, bending: 1}",
       "side has to point away"},
      {"flexible: {end: [1, 0, 0], section: {diameter: 0.1}, young: 1e9, density: 1,"
       " shapes: [{motion: y, polynomial: [0, 0, 1]}, {motion: y, polynomial: [0, 0, 2]}]}",
       "not independent"},
      {"flexible: {end: [1, 0, 0], section: {diameter: 0.1}, young: 1e9, density: 1,"
       " bending: -3e9}",
       "bending"},
      {"flexible: {end: [1, 0, 0], section: {diameter: 0.1}, young: 1e9, density: 1,"
       " bending: [1, 1.5]}",
       "bending is a whole number of modes, and not 1.5"},
      {"flexible: {end: [1, 0, 0], section: {diameter: 0.1}, young: 1e9, density: 1,"
       " bending: 1, axial: -2147483647}",
       "axial"},
      {"flexible: {end: [1, 0, 0], section: {diameter: 0.1}, young: 1e9, density: 1,"
       " shapes: [{motion: y, ends: clamped-free, number: 2000000}]}",
       "at most 1000"},
      {"flexible: {end: [1, 0, 0], young: 1e9, density: 1, bending: 1,"
       " pieces: [{length: 0.4, section: {diameter: 0.1}}, {length: 0.4, section: {diameter: "
       "0.2}}]}",
       "its pieces are 0.8 m long"},
      {"flexible: {nodes: [{at: [0, 0, 0], mass: 1, shapes: [0, 1, 0, 0, 0, 0]}],"
       " stiffness: [1, 2, 3]}",
       "expected 1 (a diagonal)"},
      {"flexible: {end: [1, 0, 0], section: {diameter: 0.1}, young: 1e9, density: 1, bending: 1,"
       " ends: free-free}",
       "moves the place where joint 'hinge' (revolute) carries it"},
      {"flexible: {end: [1, 0, 0], sektion: {diameter: 0.1}}", "did you mean 'section'"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    flg_region region = {0};
    flg_mistakes mistakes = {0};
    (void)model_of(cases[k][0], &region, &mistakes);
    assert_true(mistakes.count > 0);
    if (strstr(mistakes.list[0].message, cases[k][1]) == NULL) {
      fail_msg("'%s' is not in '%s'", cases[k][1], mistakes.list[0].message);
    }
    assert_int_equal(mistakes.list[0].line, 3);
    flg_region_release(&region);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_beam_without_mass_gives_its_body_mass),
      cmocka_unit_test(a_beam_takes_its_density_from_the_mass_of_its_body),
      cmocka_unit_test(nodes_are_a_reduced_model),
      cmocka_unit_test(mistakes_say_what_to_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
