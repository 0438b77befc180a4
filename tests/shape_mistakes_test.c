/* A number, a word or a list where files must have a map gives one sentence with an example, and no
 * complaints about keys that are not in the file. */
#include "check.h"
#include "component_read.h"
#include "io/component_keys.h"
#include "io/model_yaml.h"
#include "io/scenario.h"
#include "io/trajectory_keys.h"
#include "text/yaml.h"

enum { SECTIONS = 100, TEXT = 500 };

static flg_mistakes mistakes;
static flg_region region;

static flg_node *parse(const char *text) {
  flg_region_release(&region);
  mistakes = (flg_mistakes){0};
  flg_node *root = flg_yaml_parse(&region, "text.yaml", text, strlen(text), &mistakes);
  assert_non_null(root);
  return root;
}

static void read_component(const char *text) {
  const flg_component_use use = {.path = "text.yaml", .pose = flg_pose_identity()};
  flg_component component;
  component_read(&component, &use, parse(text), &region, &mistakes);
}

static void read_model(const char *text) {
  flg_model model;
  flg_model_from_node(&model, "text.yaml", false, parse(text), &region, &mistakes);
}

static void expect_one(const char *text, const char *message) {
  for (int k = 0; k < mistakes.count; k++) {
    if (mistakes.count == 1 && strstr(mistakes.list[k].message, message) != NULL) return;
    print_error("%s\n", mistakes.list[k].message);
  }
  fail_msg("expected one mistake with '%s' in:\n%s", message, text);
}

static void a_number_in_place_of_a_signal_is_one_mistake(void **state) {
  (void)state;
  const char *text =
      "flange-component: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\nsignals: {p: 0.5}\n";
  read_component(text);
  expect_one(text, "a signal must be a map, as in p: {value: 0.5}; found '0.5'");
}

static bool is_of_sections(const flg_field *field) {
  return field->kind == FLG_FIELD_MAP || field->kind == FLG_FIELD_LIST ||
         field->kind == FLG_FIELD_SECTION;
}

#define BODIES "bodies: {arm: {mass: 2, inertia: [0.1, 0.1, 0.2]}}\n"

/* each of the keys in turn with a scalar where a map or a list belongs */
static void try_keys(const flg_section *section, const char *head, void (*read)(const char *)) {
  for (int k = 0; k < section->field_count; k++) {
    const flg_field *field = &section->fields[k];
    static const char *const forms[] = {
        [FLG_FIELD_MAP] = "{x: 3}", [FLG_FIELD_LIST] = "[3]", [FLG_FIELD_SECTION] = "3"};
    char text[TEXT];
    if (!is_of_sections(field)) continue;
    const char *others = strcmp(field->key, "bodies") == 0 ? "" : BODIES;
    snprintf(text, sizeof text, "%s%s%s: %s\n", head, others, field->key, forms[field->kind]);
    read(text);
    expect_one(text, "must be a map, as in");
    if (field->kind == FLG_FIELD_SECTION) continue;
    snprintf(text, sizeof text, "%s%s%s: 3\n", head, others, field->key);
    read(text);
    expect_one(text, "as in");
  }
}

static void every_key_of_components_and_models_is_told_once(void **state) {
  (void)state;
  try_keys(&flg_component_section, "flange-component: 1\n", read_component);
  try_keys(&flg_model_section, "flange-model: 1\n", read_model);
}

/* what is said of a thing that could not be read is not told as well */
static void names_of_things_that_were_not_read_are_no_mistakes(void **state) {
  (void)state;
  const char *text =
      "flange-component: 1\nbodies: [{mass: 1, inertia: [1, 1, 1]}]\n"
      "joints: {q: {kind: revolute, between: [world, arm]}}\n";
  read_component(text);
  expect_one(text, "bodies: found a list of 1; expected a map of names to component bodies, as in");
}

static int gather(const flg_section *found[SECTIONS]) {
  static const flg_section *const roots[] = {&flg_scenario_section, &flg_component_section,
                                             &flg_model_section, &flg_trajectory_section};
  int count = 0;
  for (int k = 0; k < 4; k++) found[count++] = roots[k];
  for (int k = 0; k < count; k++) {
    for (int f = 0; f < found[k]->field_count; f++) {
      const flg_section *inner = found[k]->fields[f].section;
      bool is_known = inner == NULL;
      for (int j = 0; j < count && !is_known; j++) is_known = found[j] == inner;
      assert_in_range(count, 0, SECTIONS - 1);
      if (!is_known) found[count++] = inner;
    }
  }
  return count;
}

static void examples_of_messages_are_read(void **state) {
  (void)state;
  const flg_section *sections[SECTIONS];
  const int count = gather(sections);
  assert_true(count > 40);
  for (int k = 0; k < count; k++) {
    if (sections[k]->example == NULL) fail_msg("'%s' has no example", sections[k]->name);
    const flg_node *root = parse(sections[k]->example);
    void *keys = flg_region_take(&region, 1, sections[k]->bytes);
    assert_true(flg_schema_read(sections[k], root, keys, &region, &mistakes));
    if (mistakes.count > 0) fail_msg("%s: %s", sections[k]->name, mistakes.list[0].message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_number_in_place_of_a_signal_is_one_mistake),
      cmocka_unit_test(every_key_of_components_and_models_is_told_once),
      cmocka_unit_test(names_of_things_that_were_not_read_are_no_mistakes),
      cmocka_unit_test(examples_of_messages_are_read),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  flg_region_release(&region);
  return failed;
}
