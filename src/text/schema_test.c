#include "text/schema.h"

#include "check.h"
#include "text/schema_text.h"
#include "text/yaml.h"

typedef struct wheel_keys {
  flg_origin origin;
  double radius;
} wheel_keys;

typedef struct cart_keys {
  flg_origin origin;
  int doors, colour;
  bool open;
  double mass, speed, size[3];
  const char *name, *file;
  flg_numbers weights;
  flg_texts tags;
  flg_items wheels, list, values;
  wheel_keys spare;
} cart_keys;

static const char *const colours[] = {"red", "green", "blue", NULL};
static const char *const paints[][2] = {{"azure", "blue"}, {"snow", "white"}, {NULL, NULL}};
static const flg_field wheel_fields[] = {
    FLG_KEY(wheel_keys, radius, NUMBER, "half its size", .unit = "m", .range = FLG_RANGE_POSITIVE,
            .fallback = "1/4"),
};
static const flg_section wheel = {"wheel",      "It turns.", sizeof(wheel_keys),
                                  wheel_fields, 1,           .example = "{radius: 0.3}"};
static const flg_field cart_fields[] = {
    FLG_KEY(cart_keys, doors, INTEGER, "how many", .fallback = "2", .range = FLG_RANGE_BETWEEN,
            .least = 0, .most = 5),
    FLG_KEY(cart_keys, colour, CHOICE, "paint", .choices = colours, .aliases = paints,
            .fallback = "green"),
    FLG_KEY(cart_keys, open, FLAG, "no roof", .fallback = "false"),
    FLG_KEY(cart_keys, mass, NUMBER, "weight", true, .unit = "kg", .range = FLG_RANGE_POSITIVE),
    FLG_KEY(cart_keys, speed, NUMBER, "velocity", .unit = "m/s"),
    FLG_KEY(cart_keys, size, VECTOR, "lengths", .size = 3, .fallback = "[1, 1/2, 3]"),
    FLG_KEY(cart_keys, name, TEXT, "for people"),
    FLG_KEY(cart_keys, file, FILE, "picture"),
    FLG_KEY(cart_keys, weights, NUMBERS, "some", .size = 2),
    FLG_KEY(cart_keys, tags, TEXTS, "words"),
    FLG_KEY(cart_keys, wheels, MAP, "by name", .section = &wheel),
    FLG_KEY(cart_keys, list, LIST, "more of them", .section = &wheel),
    FLG_KEY(cart_keys, values, VALUES, "numbers by name"),
    FLG_KEY(cart_keys, spare, SECTION, "one more", .section = &wheel),
};
static const flg_section cart = {"cart", "It rolls.", sizeof(cart_keys), cart_fields, 14};

static flg_mistakes mistakes;
static flg_region region;

static cart_keys read_cart(const char *text) {
  flg_region_release(&region);
  mistakes = (flg_mistakes){0};
  cart_keys keys;
  const flg_node *root = flg_yaml_parse(&region, "dir/a.yaml", text, strlen(text), &mistakes);
  assert_non_null(root);
  flg_schema_read(&cart, root, &keys, &region, &mistakes);
  return keys;
}

static void assert_mistake(const char *text, int line, int column, const char *message) {
  read_cart(text);
  assert_int_equal(mistakes.count, 1);
  assert_string_equal(mistakes.list[0].message, message);
  assert_int_equal(mistakes.list[0].line, line);
  assert_int_equal(mistakes.list[0].column, column);
}

static void defaults_fill_what_is_absent(void **state) {
  (void)state;
  const cart_keys keys = read_cart("mass: 3/2 kg\n");
  assert_int_equal(mistakes.count, 0);
  assert_true(keys.mass == 1.5 && keys.doors == 2 && keys.colour == 1 && !keys.open);
  assert_true(keys.size[0] == 1 && keys.size[1] == 0.5 && keys.size[2] == 3);
  assert_true(isnan(keys.speed) && keys.name == NULL && keys.weights.count == 0);
  assert_true(keys.spare.radius == 0.25);
}

static void words_of_others_are_taken_for_choices(void **state) {
  (void)state;
  assert_true(read_cart("mass: 1\ncolour: azure\n").colour == 2);
  assert_int_equal(mistakes.count, 0);
  assert_mistake(
      "mass: 1\ncolour: azzure\n", 2, 9,
      "colour: 'azzure' is not known, did you mean 'azure'; expected one of red, green or "
      "blue; azure is blue");
  read_cart("mass: 1\ncolour: snow\n"); /* another word for what is no choice here */
  assert_int_equal(mistakes.count, 1);
}

static void every_kind_of_field_is_filled(void **state) {
  (void)state;
  const cart_keys keys = read_cart(
      "mass: 1\ndoors: 4\ncolour: blue\nopen: true\nname: a b\nfile: p.png\nweights: [1, 2, 1/8]\n"
      "tags: one\nsize: [4, 5, 6]\nwheels: {left: {radius: 1}, right: {}}\nlist: [{}, {radius: "
      "2}]\n"
      "values: {a: 1, b: [2, 90 deg]}\nspare: {radius: 9}\n");
  assert_int_equal(mistakes.count, 0);
  assert_true(keys.doors == 4 && keys.colour == 2 && keys.open && keys.size[2] == 6);
  assert_string_equal(keys.file, "dir/p.png");
  assert_true(keys.weights.count == 3 && keys.weights.values[2] == 0.125);
  assert_true(keys.tags.count == 1 && strcmp(keys.tags.items[0].name, "one") == 0);
  const wheel_keys *wheels = keys.wheels.items, *list = keys.list.items;
  assert_true(keys.wheels.count == 2 && wheels[0].radius == 1 && wheels[1].radius == 0.25);
  assert_string_equal(wheels[1].origin.name, "right");
  assert_true(keys.list.count == 2 && list[1].radius == 2 && keys.spare.radius == 9);
  const flg_value *values = keys.values.items;
  assert_true(keys.values.count == 2 && values[1].numbers.count == 2);
  assert_near(values[1].numbers.values[1], 1.5707963267948966, 1e-15);
}

static void mistakes_say_where_and_what_was_expected(void **state) {
  (void)state;
  assert_mistake("doors: 1\n", 1, 1, "key 'mass' is missing in this cart");
  assert_mistake("doors: 1\nmass:\n", 2, 1,
                 "mass: found nothing; expected a number in kg, greater than 0");
  assert_mistake("mass: heavy\n", 1, 7,
                 "mass: 'heavy' is not a number; expected a number in kg, greater than 0");
  assert_mistake("mass: -1\n", 1, 7,
                 "mass: '-1' is out of range; expected a number in kg, greater than 0");
  assert_mistake("mass: [1]\n", 1, 7,
                 "mass: found a list of 1; expected a number in kg, greater than 0");
  assert_mistake("mass: 1\ndoors: 2.5\n", 2, 8,
                 "doors: '2.5' is not a whole number; expected a whole number, from 0 to 5");
  assert_mistake("mass: 1\ncolour: gren\n", 2, 9,
                 "colour: 'gren' is not known, did you mean 'green'; expected one of red, green "
                 "or blue; azure is blue");
  assert_mistake("mass: 1\nopen: maybe\n", 2, 7,
                 "open: 'maybe' is neither; expected true or false");
  assert_mistake("mass: 1\nsize: [1, 2]\n", 2, 7,
                 "size: found a list of 2; expected a list of 3 numbers");
  assert_mistake("mass: 1\nspeeed: 2\n", 2, 1, "a cart has no key 'speeed'; did you mean 'speed'?");
  assert_mistake("mass: 1\nwheels: {left: 3}\n", 2, 16,
                 "a wheel must be a map, as in left: {radius: 0.3}; found '3'");
  assert_mistake("mass: 1\nlist: [3]\n", 2, 8,
                 "a wheel must be a map, as in {radius: 0.3}; found '3'");
  assert_mistake("mass: 1\nspare:\n", 2, 1,
                 "a wheel must be a map, as in spare: {radius: 0.3}; found nothing");
  assert_mistake("mass: 1\nwheels: [{radius: 1}]\n", 2, 9,
                 "wheels: found a list of 1; expected a map of names to wheels, as in wheels: "
                 "{NAME: {radius: 0.3}}");
  assert_mistake("mass: 1\nlist: {radius: 1}\n", 2, 7,
                 "list: found a map; expected a list of wheels, as in list: [{radius: 0.3}]");
}

/* what people write who know other files */
static void slips_are_told_with_what_to_write(void **state) {
  (void)state;
  assert_mistake("{mass:1}\n", 1, 2,
                 "a cart has no key 'mass:1'; a blank is missing after the colon: 'mass: 1'");
  assert_mistake("{mass: 1,5}\n", 1, 10,
                 "a cart has no key '5'; decimals are written with a point, as in 1.5");
  assert_mistake(
      "mass: 1\nvalues: {a: 45 degrees}\n", 2, 13,
      "a: '45 degrees' has a unit that is not known: degrees are written 'deg'; expected "
      "a number or a list of numbers");
  assert_mistake("mass: 1\nweights: [[1, 2], [3, 4]]\n", 2, 10,
                 "weights: found a list of 2 lists; expected a list of at least 2 numbers");
  assert_mistake("mass: 1\nweights: 3\n", 2, 10,
                 "weights: '3' is too short; expected a list of at least 2 numbers");
}

static void all_mistakes_come_at_once(void **state) {
  (void)state;
  read_cart("doors: x\ncolour: x\nopen: x\nunknown_key: 1\nwheels: {a: {radius: 0}}\n");
  assert_int_equal(mistakes.count, 6); /* and the missing mass */
}

static void the_reference_lists_every_key_once(void **state) {
  (void)state;
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  const flg_section *const sections[] = {&wheel, &cart};
  flg_schema_markdown(sections, 2, out);
  fclose(out);
  assert_non_null(strstr(text, "| `mass` | a number in kg, greater than 0 | required | weight |"));
  assert_non_null(strstr(text, "| `radius` | a number in m, greater than 0 | `1/4` |"));
  const char *once = strstr(text, "## wheel");
  assert_non_null(once);
  assert_null(strstr(once + 1, "## wheel"));
  free(text);
}

static int release(void **state) {
  (void)state;
  flg_region_release(&region);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_fill_what_is_absent),
      cmocka_unit_test(words_of_others_are_taken_for_choices),
      cmocka_unit_test(every_kind_of_field_is_filled),
      cmocka_unit_test(mistakes_say_where_and_what_was_expected),
      cmocka_unit_test(slips_are_told_with_what_to_write),
      cmocka_unit_test(all_mistakes_come_at_once),
      cmocka_unit_test(the_reference_lists_every_key_once),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
