/* What can be recorded has the same name, unit and value whatever solves the whole: every name that
 * one scheme knows is known to all others. */
#include "check.h"
#include "cosim/signals.h"
#include "cosim/simulation.h"
#include "scenarios.h"

static const char *const SCHEMES[] = {"monolithic", "sequential", "parallel",
                                      "neighbour",  "hold",       "extrapolate"};
enum { SCHEME_COUNT = 6, NAME_BYTES = 160, NAMES = 4000 };

typedef struct name_table {
  int count;
  char names[NAMES][NAME_BYTES];
} name_table;

static void add_name(name_table *to, const char *part, const char *path, const char *quantity) {
  assert_true(to->count < NAMES);
  snprintf(to->names[to->count++], NAME_BYTES, "%s/%s%s%s", part, path, quantity == NULL ? "" : ".",
           quantity == NULL ? "" : quantity);
}

/* what follows the prefix of a part; NULL: it is of another part */
static const char *path_in(const char *path, const char *prefix) {
  const size_t length = strlen(prefix);
  if (length == 0) return path;
  return strncmp(path, prefix, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

static void list_names(const flg_simulation *simulation, name_table *to) {
  for (int p = 0; p < simulation->part_count; p++) {
    const flg_part *part = &simulation->parts[p];
    const flg_subsystem *of = flg_part_subsystem(simulation, part);
    int count;
    const flg_object *objects = of->ops->objects(of->self, &count);
    for (int k = 0; k < count; k++) {
      const char *path = path_in(objects[k].path, part->prefix);
      for (int j = 0; path != NULL && j < objects[k].quantity_count; j++) {
        add_name(to, part->name, path, objects[k].quantities[j].word);
      }
    }
  }
}

static bool knows(flg_simulation *simulation, const char *name, flg_signal *signal,
                  double *values) {
  flg_region region = {0};
  flg_recorded recorded;
  const flg_status status =
      flg_recorded_find(&recorded, signal, name, (flg_place){0}, simulation, &region, NULL);
  if (status == FLG_OK) flg_recorded_read(&recorded, values);
  flg_region_release(&region);
  return status == FLG_OK;
}

/* the same name, the same unit and width, and at the start the same value */
static void compare_name(flg_simulation *const *all, const char *name) {
  flg_signal first, other;
  double values[8], others[8];
  if (!knows(all[0], name, &first, values)) fail_msg("'%s' is not known to monolithic", name);
  for (int s = 1; s < SCHEME_COUNT; s++) {
    if (all[s] == NULL) continue;
    if (!knows(all[s], name, &other, others)) fail_msg("'%s' is not known to %s", name, SCHEMES[s]);
    assert_string_equal(first.unit, other.unit);
    assert_int_equal(first.width, other.width);
    const double size = 1 + fabs(values[0]);
    if (!(max_difference(values, others, first.width) <= 1e-9 * size))
      fail_msg("'%s' is %g with monolithic and %g with %s", name, values[0], others[0], SCHEMES[s]);
  }
}

static void compare_schemes(const char *path, int least) {
  static name_table table;
  static flg_mistakes mistakes;
  flg_simulation *all[SCHEME_COUNT] = {NULL};
  table.count = 0;
  for (int s = 0; s < SCHEME_COUNT; s++) {
    char text[60];
    const char *const overrides[] = {text};
    snprintf(text, sizeof text, "coupling={scheme: %s}", SCHEMES[s]);
    mistakes = (flg_mistakes){0};
    if (flg_simulation_load(&all[s], path, overrides, 1, &mistakes) != FLG_OK)
      fail_msg("%s: %s", SCHEMES[s], mistakes.list[0].message);
    double values[200];
    assert_true(flg_simulation_width(all[s]) < 200);
    flg_simulation_record(all[s], values); /* refreshes what is read below */
    list_names(all[s], &table);
  }
  for (int k = 0; k < table.count; k++) compare_name(all, table.names[k]);
  print_message("%s: %d names of %d schemes\n", path, table.count, SCHEME_COUNT);
  assert_true(table.count >= least * SCHEME_COUNT);
  for (int s = 0; s < SCHEME_COUNT; s++) flg_simulation_release(all[s]);
}

static void examples_have_the_same_names_in_every_scheme(void **state) {
  (void)state;
  compare_schemes("examples/wrist/wrist.yaml", 60);
  compare_schemes("examples/capture/capture.yaml", 60);
  compare_schemes("examples/oscillator/oscillator.yaml", 10);
}

static const char robot[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  foot: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
    "  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], shapes: [{kind: sphere, size: [0.1], name: tip,\n"
    "    at: [1, 0, 0], friction: 0.5}, {kind: points, name: feet, points: {p: [0, 0, -0.4], "
    "q: [0.5, 0, -0.4]}}]}\n"
    "joints:\n"
    "  base: {kind: fixed, child: foot}\n"
    "  hinge: {kind: revolute, parent: foot, child: arm, axis: [0, 1, 0], limits: {lower: -1, "
    "upper: 1}}\n"
    "markers: {tip: {body: arm, at: [1, 0, 0]}, heel: {body: foot, at: [0, 0, 1]}}\n"
    "ports: {end: {body: arm, at: [0.5, 0, 0]}}\n";
static const char hand[] =
    "flange-component: 1\n"
    "bodies: {palm: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0.5, 0, 0.5], "
    "shapes: [{kind: box, size: [0.1, 0.1, 0.1], name: pad, friction: 0.5}]}}\n"
    "markers: {mark: {body: palm, at: [0, 0, 0.1]}, home: {body: world, at: [1, 2, 3]}}\n"
    "ports: {wrist: {body: palm}}\n";
static const char third[] =
    "flange-component: 1\n"
    "bodies: {bob: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0.5, 0, 0.8]}}\n"
    "ports: {low: {body: bob, at: [0, 0, -0.3]}}\n";

/* markers with and without their body, ports, shapes and points with names, contacts of those that
 * can touch and of those that cannot, on ground that all share */
static void robots_are_named_as_in_assemblies(void **state) {
  (void)state;
  test_folder folder = make_folder();
  make_file(&folder, "robot.yaml", robot);
  make_file(&folder, "hand.yaml", hand);
  make_file(&folder, "third.yaml", third);
  const char *path = make_file(&folder, "scenario.yaml",
                               "flange: 1\n"
                               "time: {end: 0.1, macro: 1/100}\n"
                               "ground: {shapes: [{kind: plane, friction: 0.5, at: [0, 0, -1]}]}\n"
                               "subsystems:\n"
                               "  robot: {model: robot.yaml, step: 1/1000, at: [0, 0, 0.5]}\n"
                               "  hand: {model: hand.yaml, step: 1/1000}\n"
                               "  third: {model: third.yaml, step: 1/1000}\n"
                               "interfaces:\n"
                               "  grip: {between: [robot/end, hand/wrist]}\n"
                               "  pin: {between: [hand/wrist, third/low], joint: spherical}\n"
                               "record: [robot/tip.position]\n");
  compare_schemes(path, 60);
  remove_folder(&folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(examples_have_the_same_names_in_every_scheme),
      cmocka_unit_test(robots_are_named_as_in_assemblies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
