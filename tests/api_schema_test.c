/* Whatever a file can say, code can say: the test walks all keys of scenarios, components and
 * models, sets each by an option struct (flange/mechanism.h, flexible.h, system.h), and has the
 * reader of files check it. A new key fails here until there is a member for it; so does a member
 * that is no key. */
#include "api/define_inner.h"
#include "check.h"
#include "io/component_keys.h"
#include "io/model_yaml.h"
#include "io/scenario.h"
#include "text/schema.h"

enum { PATH = 200 };

static const flg_section *const roots[] = {[FLG_DEFINE_SYSTEM] = &flg_scenario_section,
                                           [FLG_DEFINE_COMPONENT] = &flg_component_section,
                                           [FLG_DEFINE_ROBOT] = &flg_model_section};
/* what flg_definition_build writes itself */
static const char *const versions[] = {"flange", "flange-component", "flange-model"};

/* which kinds of members can hold which kinds of keys */
static bool fits(flg_option_kind member, const flg_option *option, const flg_field *field) {
  switch (field->kind) {
    case FLG_FIELD_FLAG:
      return member == FLG_OPTION_SWITCH;
    case FLG_FIELD_INTEGER: /* 0 is what is not given */
      return member == FLG_OPTION_COUNT &&
             (field->fallback == NULL || strcmp(field->fallback, "0") == 0);
    case FLG_FIELD_NUMBER:
      return member == FLG_OPTION_NUMBER || member == FLG_OPTION_POINTS;
    case FLG_FIELD_TEXT:
    case FLG_FIELD_FILE:
    case FLG_FIELD_CHOICE:
    case FLG_FIELD_SIGNAL:
      return member == FLG_OPTION_TEXT;
    case FLG_FIELD_VECTOR:
      return member == FLG_OPTION_VECTOR && option->size == field->size;
    case FLG_FIELD_NUMBERS:
      return member == FLG_OPTION_NUMBERS || member == FLG_OPTION_POINTS;
    case FLG_FIELD_TEXTS:
      return member == FLG_OPTION_TEXTS || member == FLG_OPTION_PAIR;
    case FLG_FIELD_PAIRS:
      return member == FLG_OPTION_PAIRS;
    case FLG_FIELD_VALUES:
    case FLG_FIELD_VALUE_MAPS:
    case FLG_FIELD_SIGNALS:
      return member == FLG_OPTION_NAMED;
    default:
      return false;
  }
}

static void join(char to[PATH], const char *path, const char *key) {
  const bool both = path[0] != '\0' && key[0] != '\0';
  assert_true(snprintf(to, PATH, "%s%s%s", path, both ? "." : "", key) < PATH);
}

/* the paths that a member says, as `bodies.*.mass`; points say two */
static void said_by(const flg_layout_place *place, const flg_option *option, char paths[2][PATH]) {
  char list[PATH], values[PATH];
  join(paths[0], place->path, option->key);
  paths[1][0] = '\0';
  if (option->kind != FLG_OPTION_POINTS) return;
  char *dot = strrchr(paths[0], '.');
  assert_true(snprintf(values, PATH, "+%s", dot) < PATH);
  *dot = '\0';
  join(list, paths[0], values);
  join(paths[1], paths[0], "+.at");
  memcpy(paths[0], list, PATH);
}

/* one key, and the member that says it */
typedef struct match {
  const flg_layout *layout;
  const flg_layout_place *place;
  const flg_option *option;
} match;

static bool says(const flg_layout_place *place, const flg_option *option, const char *path) {
  char paths[2][PATH];
  said_by(place, option, paths);
  return strcmp(paths[0], path) == 0 || strcmp(paths[1], path) == 0;
}

static match find(flg_definition_kind kind, const char *path, const flg_field *field) {
  for (const flg_layout *const *layout = flg_layouts; *layout != NULL; layout++) {
    for (int p = 0; p < FLG_LAYOUT_PLACES && (*layout)->places[p].path != NULL; p++) {
      const flg_layout_place *place = &(*layout)->places[p];
      for (int k = 0; k < (*layout)->option_count && place->kind == kind; k++) {
        const flg_option *option = &(*layout)->options[k];
        if (says(place, option, path) && fits(option->kind, option, field)) {
          return (match){*layout, place, option};
        }
      }
    }
  }
  return (match){0};
}

/* --- a value for each ---------------------------------------------------------------------------
 */

static double number_of(const flg_field *field) {
  return field->range == FLG_RANGE_BETWEEN ? 0.5 * (field->least + field->most) : 1;
}

/* fills the member so that the reader takes it */
static void fill(void *options, const match *found, const flg_field *field) {
  static double numbers[6];
  static const char *texts[2] = {"one", "two"};
  static flg_named named;
  void *member = (char *)options + found->option->offset;
  for (int k = 0; k < 6; k++) numbers[k] = number_of(field);
  named = (flg_named){.name = "one", .numbers = {1, numbers}};
  if (field->kind == FLG_FIELD_SIGNALS) named = (flg_named){.name = "one", .text = "2*p"};
  const char *word = field->kind == FLG_FIELD_CHOICE ? field->choices[0] : "one";
  switch (found->option->kind) {
    case FLG_OPTION_NUMBER:
      memcpy(member, numbers, sizeof(double));
      break;
    case FLG_OPTION_VECTOR:
      memcpy(member, numbers, (size_t)found->option->size * sizeof(double));
      break;
    case FLG_OPTION_NUMBERS:
      *(flg_number_list *)member = (flg_number_list){field->size > 3 ? field->size : 3, numbers};
      break;
    case FLG_OPTION_TEXT:
      *(const char **)member = word;
      break;
    case FLG_OPTION_PAIR:
      memcpy(member, texts, sizeof texts);
      break;
    case FLG_OPTION_TEXTS:
    case FLG_OPTION_PAIRS:
      *(flg_text_list *)member = (flg_text_list){2, texts};
      break;
    case FLG_OPTION_SWITCH:
      *(flg_switch *)member = FLG_OFF;
      break;
    case FLG_OPTION_COUNT:
      *(int *)member = (int)number_of(field);
      break;
    case FLG_OPTION_NAMED:
      *(flg_named_list *)member = (flg_named_list){1, &named};
      break;
    case FLG_OPTION_POINTS:
      *(flg_point_list *)member = (flg_point_list){2, 3, numbers, numbers};
      if (field->kind == FLG_FIELD_NUMBER) ((flg_point_list *)member)->width = 1;
      break;
  }
}

/* the node of a path, where all names are `n` or `m`; NULL: nothing is there */
static const flg_node *node_of(const flg_node *root, const char *path) {
  const flg_node *at = root;
  bool again = false;
  while (at != NULL && path[0] != '\0') {
    char key[PATH];
    const size_t length = strcspn(path, ".");
    memcpy(key, path, length), key[length] = '\0';
    path += path[length] == '.' ? length + 1 : length;
    if (strcmp(key, "*") == 0) strcpy(key, again ? "m" : "n"), again = true;
    at = strcmp(key, "+") == 0 ? at->first : flg_node_find(at, key);
  }
  return at;
}

/* mistakes of the reader that are about this node */
static void check_read(flg_definition *definition, const flg_node *node, const char *path) {
  static flg_mistakes mistakes;
  static max_align_t keys[4096];
  flg_region region = {0};
  const flg_section *section = roots[definition->kind];
  assert_true(section->bytes <= sizeof keys);
  mistakes = (flg_mistakes){0};
  flg_schema_read(section, definition->root, keys, &region, &mistakes);
  for (int k = 0; k < mistakes.count && k < FLG_MISTAKES_LISTED; k++) {
    if (strcmp(mistakes.list[k].file, node->place.file) != 0 ||
        strstr(mistakes.list[k].message, "missing") != NULL) {
      continue;
    }
    fail_msg("%s: %s: %s", path, mistakes.list[k].file, mistakes.list[k].message);
  }
  flg_region_release(&region);
}

static int leaves;

static void check_key(flg_definition_kind kind, const char *path, const flg_field *field) {
  char sought[PATH];
  static const char *const names[] = {NULL, "n", "n/m"};
  join(sought, path, field->kind == FLG_FIELD_VALUE_MAPS ? "*" : "");
  const match found = find(kind, sought, field);
  if (found.option == NULL) {
    fail_msg("'%s' of a %s can be said in a file; no option struct has a member for it", sought,
             roots[kind]->name);
    return;
  }
  max_align_t options[256];
  int stars = 0;
  for (const char *at = found.place->path; *at != '\0'; at++) stars += *at == '*';
  assert_true(found.layout->bytes <= sizeof options);
  flg_options_clear(found.layout->type, options, found.layout->bytes);
  fill(options, &found, field);
  flg_definition *definition = NULL;
  flg_error error;
  assert_int_equal(flg_definition_build(&definition, kind, "x", &error), FLG_OK);
  if (flg_layout_define(found.layout, definition, names[stars], options, &error) != FLG_OK) {
    fail_msg("%s: %s", sought, error.message);
  }
  const flg_node *node = node_of(definition->root, sought);
  if (node == NULL) fail_msg("%s was set, and is not there", sought);
  check_read(definition, node, sought);
  flg_definition_release(definition);
  leaves++;
}

static void walk(flg_definition_kind kind, const char *path, const flg_section *section) {
  for (int k = 0; k < section->field_count; k++) {
    const flg_field *field = &section->fields[k];
    char at[PATH], inside[PATH];
    if (strcmp(field->key, versions[kind]) == 0) continue;
    join(at, path, field->key);
    const bool is_map = field->kind == FLG_FIELD_MAP, is_list = field->kind == FLG_FIELD_LIST;
    if (is_map || is_list || field->kind == FLG_FIELD_SECTION) {
      join(inside, at, is_map ? "*" : is_list ? "+" : "");
      walk(kind, inside, field->section);
    } else {
      check_key(kind, at, field);
    }
  }
}

static void code_says_every_key_of_files(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) walk((flg_definition_kind)k, "", roots[k]);
  assert_true(leaves > 500); /* keys there are; more come */
}

/* --- the other way round ------------------------------------------------------------------------
 */

/* whether a path is a key of a section, or a map of names below one */
static bool is_key(const flg_section *section, const char *path) {
  for (int k = 0; k < section->field_count; k++) {
    const flg_field *field = &section->fields[k];
    const size_t length = strlen(field->key);
    if (strncmp(path, field->key, length) != 0) continue;
    const char *rest = path + length;
    if (rest[0] == '\0') return field->section == NULL;
    if (rest[0] != '.') continue;
    if (field->kind == FLG_FIELD_VALUE_MAPS && strcmp(rest, ".*") == 0) return true;
    if (field->section == NULL) continue;
    rest += field->kind == FLG_FIELD_SECTION ? 1 : 3;
    if (is_key(field->section, rest)) return true;
  }
  return false;
}

static bool is_said_anywhere(const flg_layout *layout, const flg_option *option) {
  for (int p = 0; p < FLG_LAYOUT_PLACES && layout->places[p].path != NULL; p++) {
    char paths[2][PATH];
    said_by(&layout->places[p], option, paths);
    if (is_key(roots[layout->places[p].kind], paths[0])) return true;
  }
  return false;
}

/* a struct serves several layouts: of flg_part_options robots have some, components others */
static bool is_shared(const flg_layout *layout, const flg_option *option) {
  for (const flg_layout *const *other = flg_layouts; *other != NULL; other++) {
    if (strcmp((*other)->type, layout->type) == 0 && is_said_anywhere(*other, option)) return true;
  }
  return false;
}

static void members_of_options_are_keys_of_files(void **state) {
  (void)state;
  for (const flg_layout *const *layout = flg_layouts; *layout != NULL; layout++) {
    for (int k = 0; k < (*layout)->option_count; k++) {
      const flg_option *option = &(*layout)->options[k];
      if (!is_shared(*layout, option)) {
        fail_msg("no file has the key '%s' of flg_%s_options", option->key, (*layout)->type);
      }
    }
  }
}

/* no member is forgotten in the tables: those there fill the struct without gaps but for padding */
static void tables_list_all_members(void **state) {
  (void)state;
  static const size_t bytes[] = {[FLG_OPTION_NUMBER] = sizeof(double),
                                 [FLG_OPTION_NUMBERS] = sizeof(flg_number_list),
                                 [FLG_OPTION_TEXT] = sizeof(char *),
                                 [FLG_OPTION_PAIR] = 2 * sizeof(char *),
                                 [FLG_OPTION_TEXTS] = sizeof(flg_text_list),
                                 [FLG_OPTION_SWITCH] = sizeof(flg_switch),
                                 [FLG_OPTION_COUNT] = sizeof(int),
                                 [FLG_OPTION_PAIRS] = sizeof(flg_text_list),
                                 [FLG_OPTION_NAMED] = sizeof(flg_named_list),
                                 [FLG_OPTION_POINTS] = sizeof(flg_point_list)};
  for (const flg_layout *const *layout = flg_layouts; *layout != NULL; layout++) {
    size_t sum = sizeof(size_t), padding = 0;
    for (int k = 0; k < (*layout)->option_count; k++) {
      const flg_option *option = &(*layout)->options[k];
      const bool is_vector = option->kind == FLG_OPTION_VECTOR;
      sum += is_vector ? (size_t)option->size * sizeof(double) : bytes[option->kind];
      padding += option->kind == FLG_OPTION_SWITCH || option->kind == FLG_OPTION_COUNT
                     ? sizeof(double) - sizeof(int)
                     : 0;
    }
    const bool is_interface = strcmp((*layout)->type, "joint") == 0; /* has some of them */
    if (is_interface && sum + padding < (*layout)->bytes) continue;
    assert_in_range((*layout)->bytes, sum, sum + padding);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(code_says_every_key_of_files),
      cmocka_unit_test(members_of_options_are_keys_of_files),
      cmocka_unit_test(tables_list_all_members),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
