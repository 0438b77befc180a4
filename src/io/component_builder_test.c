/* What is wrong with component files, and where. */
#include "flatten/component_builder.h"

#include "base/input_limits.h"
#include "component_read.h"
#include "files.h"
#include "flatten/component_build.h"
#include "io/file_source.h"
#include "text/yaml.h"

static flg_mistakes mistakes;
static flg_region region;
static flg_component component;

static void start(void) {
  flg_region_release(&region);
  mistakes = (flg_mistakes){0};
}

static void read_text(const char *text) {
  start();
  const flg_component_use use = {.path = "text.yaml", .pose = flg_pose_identity()};
  flg_node *root = flg_yaml_parse(&region, "text.yaml", text, strlen(text), &mistakes);
  assert_non_null(root);
  component_read(&component, &use, root, &region, &mistakes);
}

static void read_file(const char *path) {
  start();
  const flg_component_use use = {.path = path, .pose = flg_pose_identity()};
  component_read(&component, &use, NULL, &region, &mistakes);
}

static void show_all(void) {
  for (int k = 0; k < mistakes.count && k < FLG_MISTAKES_LISTED; k++) {
    print_error("%s:%d:%d: %s\n", mistakes.list[k].file, mistakes.list[k].line,
                mistakes.list[k].column, mistakes.list[k].message);
  }
}

static bool is_told(int line, int column, const char *message) {
  for (int k = 0; k < mistakes.count && k < FLG_MISTAKES_LISTED; k++) {
    const flg_mistake *told = &mistakes.list[k];
    const bool there = told->line == line && (column == 0 || told->column == column);
    if (there && strstr(told->message, message) != NULL) return true;
  }
  return false;
}

/* that one mistake and no other; column 0: any */
static void expect_only(int line, int column, const char *message) {
  if (mistakes.count == 1 && is_told(line, column, message)) return;
  show_all();
  fail_msg("expected at %d:%d: %s", line, column, message);
}

#define BODIES                             \
  "flange-component: 1\n"                  \
  "bodies:\n"                              \
  "  rod: {mass: 1, inertia: [1, 1, 1]}\n" \
  "  disc: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]}\n"

/* a mistake in line 5, column 3, after two bodies */
static void expect(const char *text, const char *message) {
  char whole[2000];
  snprintf(whole, sizeof whole, BODIES "%s\n", text);
  read_text(whole);
  expect_only(5, 0, message);
}

/* --- names --------------------------------------------------------------------------------- */

static void keys_are_checked_with_hints(void **state) {
  (void)state;
  expect("jonts: {}", "a component has no key 'jonts'; did you mean 'joints'?");
  expect("joints: {a: {kind: hinge, between: [rod, disc]}}", "'hinge' is not known");
  expect("joints: {a: {between: [rod, disc]}}", "key 'kind' is missing in this component joint");
  expect("joints: {a: {kind: weld, between: [rod]}}", "between: found a list of 1; expected");
  expect("springs: {a: {betwen: 1, between: [rod, disc]}}", "a spring has no key 'betwen'");
  expect("sensors: {a: {measure: speed, between: [rod, disc]}}", "expected one of distance");
  expect("bodies2: 1", "has no key 'bodies2'; did you mean 'bodies'?");
  read_text("bodies: {}\n");
  assert_true(is_told(1, 1, "key 'flange-component' is missing"));
  read_text("flange-component: 2\n");
  expect_only(1, 19, "'2' is out of range");
}

static void names_are_words(void **state) {
  (void)state;
  expect("markers: {a/b: {body: rod}}", "'a/b': names have no '/' and no '.'");
  expect("ports: {a.b: {body: rod}}", "names have no '/' and no '.'");
  expect("markers: {world: {body: rod}}", "'world' is the ground");
  expect("joints: {a.b: {kind: weld, between: [rod, disc]}}", "names have no '/'");
  expect("springs: {\"\": {between: [rod, disc]}}", "a name cannot be empty");
  expect("forces: {a.b: {body: rod}}", "names have no '/'");
  expect("sensors: {a.b: {measure: angle, between: [rod, disc]}}", "names have no '/'");
  expect("components: {a.b: {file: x.yaml}}", "names have no '/'");
  expect("robots: {a.b: {model: x.urdf}}", "names have no '/'");
  read_text("flange-component: 1\nbodies:\n  world: {fixed: true}\n");
  expect_only(3, 3, "'world' is the ground; choose another name");
}

static void a_name_stands_for_one_thing(void **state) {
  (void)state;
  expect("markers: {rod: {body: disc}}",
         "'rod' stands twice: bodies, ports and markers have different names");
  expect("robots: {rod: {model: examples/pendulum/models/double-pendulum.yaml}}",
         "bodies, robots and components have different names");
}

static void two_things_that_act_have_different_names(void **state) {
  (void)state;
  read_text(BODIES "joints: {a: {kind: revolute, between: [rod, disc]}}\nsprings: {a: {on: a}}\n");
  expect_only(6, 11, "joints, springs, forces, sensors, motors and signals have different names");
}

static void ends_that_lead_nowhere_are_told_with_hints(void **state) {
  (void)state;
  expect("joints: {a: {kind: weld, between: [rdo, disc]}}",
         "there is no body, port or marker 'rdo'; did you mean 'rod'?");
  expect("joints: {a: {kind: weld, between: [x/y, disc]}}", "there is no component or robot 'x'");
  expect("joints: {a: {kind: weld, between: [rod/y, disc]}}",
         "there is no component or robot 'rod'");
  expect("joints: {a: {kind: weld, between: [rod, disc, rod]}}", "expected two ends, found 3");
  expect("joints: {a: {kind: weld}}", "key 'between' is missing");
  expect("markers: {a: {body: dics}}", "there is no body 'dics'; did you mean 'disc'?");
  expect("forces: {a: {body: dics}}", "there is no body, port or marker 'dics'; did you mean");
  expect("ports: {a: {of: rod}}", "'rod' is no port of a part; expected component/port");
  expect("ports: {a: {of: x/y}}", "there is no component or robot 'x'");
  read_text(BODIES "joints:\n  a: {kind: weld, between: [rod, dsic]}\n");
  expect_only(6, 34, "there is no body, port or marker 'dsic'");
}

static void robots_have_bodies_and_frames(void **state) {
  (void)state;
#define ARMED(more) \
  BODIES "robots: {arm: {model: examples/pendulum/models/double-pendulum.yaml}}\n" more
  read_text(ARMED("joints: {a: {kind: weld, between: [arm, rod]}}\n"));
  expect_only(6, 0, "'arm' is a part with ports; name one of them, as in arm/port");
  read_text(ARMED("joints: {a: {kind: weld, between: [arm/tpi, rod]}}\n"));
  expect_only(6, 0, "'arm/tpi': the robot has no body, port or marker 'tpi'; did you mean 'tip'?");
  read_text(ARMED("joints: {a: {kind: weld, between: [amr/tip, rod]}}\n"));
  expect_only(6, 0, "there is no component or robot 'amr'; did you mean 'arm'?");
  read_text(ARMED("markers: {a: {body: arm/tip}}\n"));
  expect_only(6, 0, "'arm/tip': the robot has no body");
  expect("robots: {arm: {model: nowhere.urdf}}\nports: {p: {of: arm/x}}",
         "cannot read 'nowhere.urdf'");
  expect("robots: {arm: {model: nowhere.txt}}", "is not a model file by its name");
  expect("robots: {arm: {at: [0, 0, 0]}}", "key 'model' is missing");
  read_text(BODIES "robots: {arm: {model: tests/components/four-bar.yaml}}\n");
  expect_only(0, 0, "this is a component, not a model");
  expect(
      "robots: {arm: {model: examples/pendulum/models/double-pendulum.yaml, "
      "initial: {shoulder: [1, 2]}}}",
      "joint 'shoulder' has 1 positions, found 2");
  expect(
      "robots: {arm: {model: examples/pendulum/models/double-pendulum.yaml, "
      "initial_velocity: {sholder: 1}}}",
      "'arm' has no moving joint 'sholder'; did you mean 'shoulder'?");
}

/* --- joints -------------------------------------------------------------------------------- */

static void frames_are_given_once(void **state) {
  (void)state;
  expect(
      "joints: {a: {kind: weld, between: [m, n], at: [0, 0, 0]}}\n"
      "markers: {m: {body: rod}, n: {body: disc}}",
      "'a': both ends bring their own frames; leave 'at' and 'turn' away");
  expect(
      "joints: {a: {kind: weld, between: [m, disc], turn: [0, 0, 0]}}\n"
      "markers: {m: {body: rod}}",
      "'a': its frame is the one that an end brings; leave 'turn' away, or give 'at', too");
  expect("joints: {a: {kind: distance, between: [rod, disc], at: [0, 0, 0]}}",
         "'a': a distance is between the origins of its ends");
  expect("joints: {a: {kind: revolute, between: [rod, disc], axis: [0, 0, 0]}}",
         "'a': axis has no direction");
  expect("joints: {a: {kind: revolute, between: [rod, disc], axis: [0, 0, 1e300]}}",
         "'a': axis has no direction");
  expect("joints: {a: {kind: universal, between: [rod, disc], axis2: [0, 0, 0]}}",
         "'a': axis2 has no direction");
  expect("joints: {a: {kind: universal, between: [rod, disc], axis2: [0, 1, 1]}}",
         "'a': axis and axis2 are perpendicular at the start of a universal joint, here they are "
         "45 deg apart");
}

static void kinds_have_their_own_keys(void **state) {
  (void)state;
  expect("joints: {a: {kind: screw, between: [rod, disc]}}",
         "'a': key 'pitch' is missing; the kind screw needs it");
  expect("joints: {a: {kind: weld, between: [rod, disc], pitch: 1}}",
         "'a': key 'pitch' is not for the kind weld");
  expect("joints: {a: {kind: weld, between: [rod, disc], length: 1}}", "key 'length' is not for");
  expect("joints: {a: {kind: weld, between: [rod, disc], ratio: 1}}", "key 'ratio' is not for");
  expect("joints: {a: {kind: weld, between: [rod, disc], drive: x}}", "key 'drive' is not for");
  expect("joints: {a: {kind: screw, between: [rod, disc], pitch: 1, damping: 1}}",
         "'a': key 'damping' is not for the kind screw");
  expect("joints: {a: {kind: spherical, between: [rod, disc], stiffness: 1}}",
         "'a': key 'stiffness' is not for the kind spherical");
  expect("joints: {a: {kind: distance, between: [rod, world]}}",
         "'a': its ends are at the same place, there is no distance to keep");
  expect("joints: {a: {kind: weld, between: [rod, rod]}}", "is between body 'rod' and itself");
}

static void gears_need_angles(void **state) {
  (void)state;
#define GEAR(more) "joints: {g: {kind: gear, ratio: 2, drive: [world, rod], " more "}}"
  expect(GEAR("driven: [world, rdo]"), "there is no body, port or marker 'rdo'");
  expect(GEAR("driven: x"), "there is no joint, sensor or spring 'x'");
  expect(GEAR("driven: x/y"), "'x/y' is inside another part");
  expect(GEAR("driven: [world, disc], between: [rod, disc]"), "key 'between' is not for the kind");
  expect(GEAR("driven: [world, disc, rod]"), "driven: expected two ends, found 3");
  expect(GEAR("damping: 1, driven: [world, disc]"), "key 'damping' needs 'stiffness'");
  expect("joints: {g: {kind: gear, drive: [world, rod], driven: [world, disc]}}",
         "key 'ratio' is missing; the kind gear needs it");
  expect("joints: {g: {kind: gear, ratio: 0, drive: [world, rod], driven: [world, disc]}}",
         "'g': ratio cannot be 0");
  expect("joints: {g: {kind: gear, ratio: 1, driven: [world, disc]}}", "key 'drive' is missing");
  expect("joints: {g: {kind: rack, radius: 1, drive: [world, rod], driven: [world, disc]}}",
         "key 'driven_axis' is missing; the kind rack needs it");
  expect(
      "joints: {g: {kind: gear, ratio: 1, drive: h, driven: k, at: [0, 0, 0]}, "
      "h: {kind: revolute, between: [world, rod]}, k: {kind: revolute, between: [rod, disc]}}",
      "'g': all that it couples has its own frame; leave 'at' and 'turn' away");
  expect(
      "joints: {g: {kind: gear, ratio: 1, drive: [world, rod], driven: k}, "
      "k: {kind: prismatic, between: [rod, disc]}}",
      "'k' has no angle to act on");
  expect(
      "joints: {g: {kind: gear, ratio: 1, drive: [world, rod], driven: k.slide}, "
      "k: {kind: cylindrical, between: [rod, disc]}}",
      "'k.slide' has no angle to act on");
  expect(
      "joints: {g: {kind: gear, ratio: 1, drive: k, driven: k}, "
      "k: {kind: revolute, between: [rod, disc]}}",
      "couples the angle of 'k' with itself");
}

/* --- springs, forces, ports ---------------------------------------------------------------- */

static void springs_are_between_or_on(void **state) {
  (void)state;
  expect("springs: {s: {stiffness: 1}}",
         "spring 's': it needs either the key 'between' or the key 'on'");
  expect("springs: {s: {between: [rod, disc], on: x}}", "it needs either the key");
  expect("springs: {s: {between: [rod, disc], rest: 1}}", "between two ends it is 'length'");
  expect("springs: {s: {on: x, length: 1}}", "on a coordinate it is 'rest'");
  expect("springs: {s: {on: x}}", "there is no joint, sensor or spring 'x'");
  expect("springs: {s: {on: j}}\njoints: {jj: {kind: revolute, between: [rod, disc]}}",
         "there is no joint, sensor or spring 'j'; did you mean 'jj'?");
  expect("springs: {s: {on: j}}\njoints: {j: {kind: weld, between: [rod, disc]}}",
         "'j' has no coordinate to act on");
  expect("springs: {s: {on: j.slide}}\njoints: {j: {kind: revolute, between: [rod, disc]}}",
         "'j.slide' has no slide to act on");
  expect("springs: {s: {on: j.turn}}\njoints: {j: {kind: revolute, between: [rod, disc]}}",
         "'j.turn': there is no 'turn'; expected .angle, .slide or .distance");
  expect("springs: {s: {between: [rod, disc], stiffness: -1}}", "'-1' is out of range");
  expect("springs: {s: {between: [rod, rdo]}}", "there is no body, port or marker 'rdo'");
}

static void forces_are_on_bodies_or_coordinates(void **state) {
  (void)state;
  expect("forces: {f: {force: [1, 0, 0]}}",
         "force 'f': it needs either the key 'body' or the key 'on'");
  expect("forces: {f: {body: rod, on: x}}", "it needs either the key");
  expect("forces: {f: {on: x}}", "force 'f': key 'effort' is missing");
  expect("forces: {f: {on: x, effort: 1, force: [0, 0, 0]}}", "and no other keys");
  expect("forces: {f: {body: rod, effort: 1}}", "on a body it is 'force' and 'moment'");
  expect("forces: {f: {on: x, effort: 1}}", "there is no joint, sensor or spring 'x'");
}

static void ports_are_on_a_body_or_handed_on(void **state) {
  (void)state;
  expect("ports: {p: {at: [0, 0, 0]}}", "port 'p' needs either the key 'body' or the key 'of'");
  expect("ports: {p: {body: rod, of: a/b}}", "needs either the key");
}

/* what is wrong with one thing is not told again of all that build on it */
static void one_mistake_is_told_once(void **state) {
  (void)state;
  expect(
      "joints: {j: {kind: revolute, between: [rod, rdo]}}\n"
      "springs: {s: {on: j}}\nforces: {f: {on: j, effort: 1}}",
      "there is no body, port or marker 'rdo'");
  expect(
      "markers: {m: {body: rdo}}\n"
      "joints: {j: {kind: weld, between: [rod, m]}}\nforces: {f: {body: m}}",
      "there is no body 'rdo'");
  expect(
      "components: {c: {file: nowhere.yaml}}\n"
      "joints: {j: {kind: weld, between: [rod, c/port]}}\nports: {p: {of: c/x}}",
      "cannot read 'nowhere.yaml'");
}

static void all_mistakes_come_at_once(void **state) {
  (void)state;
  read_text(
      "flange-component: 1\n"
      "bodies:\n"
      "  rod: {mas: 1, inertia: [1, 1]}\n"
      "joints:\n"
      "  a: {kind: revolute, between: [rod, x]}\n"
      "  b: {kind: rigid, between: [rod, world]}\n"
      "springs:\n"
      "  s: {on: z}\n"
      "ports:\n"
      "  p: {body: y}\n");
  assert_true(is_told(3, 9, "has no key 'mas'; did you mean 'mass'?"));
  assert_true(is_told(3, 3, "expected 3 (xx, yy, zz) or 6"));
  assert_true(is_told(5, 38, "'x'"));
  assert_true(is_told(6, 13, "'rigid' is not known"));
  assert_true(is_told(8, 3, "'z'"));
  assert_true(is_told(10, 3, "'y'"));
  assert_int_equal(mistakes.count, 6);
}

static void the_physics_is_checked_at_the_end(void **state) {
  (void)state;
  read_text("flange-component: 1\nbodies:\n  rod: {mass: 1, inertia: [1, 1, 3]}\n");
  assert_true(is_told(3, 3, "rod"));
  assert_int_equal(mistakes.status, FLG_ERR_PHYSICS);
  expect("joints: {j: {kind: weld, between: [world, world]}}", "neither of which can move");
}

static void meshes_to_touch_with_must_be_there(void **state) {
  (void)state;
  read_text(
      "flange-component: 1\nbodies:\n  rod:\n    mass: 1\n    inertia: [1, 1, 1]\n"
      "    shapes:\n      - {kind: mesh, mesh: nowhere.stl, collision: true}\n"
      "shapes: [{kind: plane}]\n");
  expect_only(7, 9, "the mesh 'nowhere.stl' is missing, and something can touch it");
}

static void meshes_that_nothing_touches_may_be_missing(void **state) {
  (void)state;
  read_text(
      "flange-component: 1\nbodies:\n  rod:\n    mass: 1\n    inertia: [1, 1, 1]\n"
      "    shapes:\n      - {kind: mesh, mesh: nowhere.stl, collision: true}\n");
  assert_int_equal(mistakes.count, 0);
}

/* --- parameters ---------------------------------------------------------------------------- */

static void parameters_are_words_and_numbers(void **state) {
  (void)state;
  expect("parameters: {2a: 1}", "'2a' cannot be the name of a parameter");
  expect("parameters: {pi: 3}", "'pi' cannot be the name of a parameter");
  expect("parameters: {a: [1, 2]}", "parameter 'a' is one number, found a list");
  expect("parameters: {a: word}", "'word' is not a number");
  expect("parameters: {a: =b, b: 1}", "in '=b': there is no parameter 'b'");
  expect("parameters: 3", "parameters: '3'");
}

static void computed_numbers_are_checked_like_others(void **state) {
  (void)state;
  read_text("flange-component: 1\nparameters: {m: -1}\nbodies:\n  rod: {mass: =2*m}\n");
  expect_only(4, 15, "mass: '-2' is out of range");
  read_text(
      "flange-component: 1\nparameters: {length: 1}\nbodies:\n  rod: {mass: =2*lenght, fixed: "
      "true}\n");
  expect_only(4, 18, "there is no parameter 'lenght'; did you mean 'length'?");
}

/* --- files in files ------------------------------------------------------------------------ */

static test_folder folder;

static const char *file(const char *name, const char *text) {
  return make_file(&folder, name, text);
}

static void inner_parameters_are_checked(void **state) {
  (void)state;
  folder = make_folder();
  file("rod.yaml",
       "flange-component: 1\nparameters: {length: ~, mass: 1}\n"
       "bodies: {rod: {mass: =mass, inertia: [1, 1, 1], at: [=length, 0, 0]}}\n");
  const char *path = file("outer.yaml",
                          "flange-component: 1\n"
                          "components:\n"
                          "  a: {file: rod.yaml}\n"
                          "  b: {file: rod.yaml, parameters: {lenght: 1, length: 2}}\n"
                          "  c: {file: rod.yaml, parameters: {length: [1, 2]}}\n"
                          "  d: {file: rod.yaml, parameters: {length: 1}}\n");
  read_file(path);
  if (!is_told(3, 3, "rod.yaml' has no default; give it a value")) show_all(), fail();
  assert_true(is_told(4, 36, "has no parameter 'lenght'; did you mean 'length'?"));
  assert_true(is_told(5, 36, "parameter 'length' is one number, found 2"));
  assert_int_equal(mistakes.count, 3);
  remove_folder(&folder);
}

static void a_component_hides_its_inside(void **state) {
  (void)state;
  folder = make_folder();
  file("gear.yaml",
       BODIES "ports: {in: {body: rod}, out: {body: disc}}\nmarkers: {m: {body: rod}}\n");
  file("deep.yaml", "flange-component: 1\ncomponents: {gear: {file: gear.yaml}}\n");
  const char *path = file("outer.yaml",
                          "flange-component: 1\n"
                          "components: {gear: {file: gear.yaml}, deep: {file: deep.yaml}}\n"
                          "joints:\n"
                          "  a: {kind: weld, between: [gear/disc, world]}\n"
                          "  b: {kind: weld, between: [gear/m, world]}\n"
                          "  c: {kind: weld, between: [deep/gear/in, world]}\n"
                          "  d: {kind: weld, between: [gear, world]}\n"
                          "markers:\n"
                          "  e: {body: gear/in}\n"
                          "ports:\n"
                          "  f: {of: gear/in, at: [0, 0, 0]}\n");
  read_file(path);
  const bool listed =
      is_told(4, 29, "'gear/disc': the component has no port 'disc'; its ports are in and out");
  if (!listed) show_all(), fail();
  assert_true(is_told(5, 29, "has no port 'm'"));
  assert_true(
      is_told(6, 29, "'deep/gear/in': the component has no port 'gear/in'; it has no ports"));
  assert_true(is_told(7, 29, "'gear' is a part with ports"));
  assert_true(is_told(9, 3, "'gear/in' is inside of a component"));
  assert_true(is_told(11, 3, "port 'f' is handed on as it is; leave 'at' and 'turn' away"));
  assert_int_equal(mistakes.count, 6);
  remove_folder(&folder);
}

static void names_of_parts_have_hints_and_long_lists_are_cut(void **state) {
  (void)state;
  folder = make_folder();
  char text[4000] = "flange-component: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\nports:\n";
  for (int k = 0; k < 50; k++) {
    char line[60];
    snprintf(line, sizeof line, "  port_number_%d: {body: b}\n", k);
    strcat(text, line);
  }
  file("many.yaml", text);
  read_file(file("outer.yaml",
                 "flange-component: 1\ncomponents: {many: {file: many.yaml}}\n"
                 "ports:\n  p: {of: mnay/port_number_1}\n  q: {of: many/none}\n"));
  assert_true(is_told(4, 3, "there is no component or robot 'mnay'; did you mean 'many'?"));
  assert_true(is_told(5, 3, ", ..."));
  assert_int_equal(mistakes.count, 2);
  remove_folder(&folder);
}

static void the_mistakes_of_a_file_are_told_once(void **state) {
  (void)state;
  folder = make_folder();
  file("bad.yaml",
       "flange-component: 1\nparameters: {a: 1}\nbodies: {rod: {mas: 1, fixed: true}}\n"
       "ports: {p: {body: rdo}}\n");
  const char *path =
      file("outer.yaml",
           "flange-component: 1\n"
           "components: {a: {file: bad.yaml}, b: {file: bad.yaml, parameters: {a: 2}}}\n"
           "joints: {j: {kind: weld, between: [a/p, b/q]}}\n");
  read_file(path);
  assert_true(is_told(3, 0, "did you mean 'mass'?"));
  assert_true(is_told(4, 0, "there is no body 'rdo'"));
  assert_int_equal(mistakes.count, 2);
  assert_non_null(strstr(mistakes.list[0].file, "bad.yaml"));
  remove_folder(&folder);
}

static void files_that_use_themselves_are_told_with_the_way(void **state) {
  (void)state;
  folder = make_folder();
  const char *path = file("a.yaml", "flange-component: 1\ncomponents: {b: {file: b.yaml}}\n");
  file("b.yaml", "flange-component: 1\ncomponents: {c: {file: ./c.yaml}}\n");
  char text[200];
  snprintf(text, sizeof text, "flange-component: 1\ncomponents:\n  again: {file: ../%s/b.yaml}\n",
           strrchr(folder.path, '/') + 1);
  file("c.yaml", text);
  read_file(path);
  expect_only(3, 3, "uses itself: b.yaml -> c.yaml -> b.yaml; break the loop");
  assert_non_null(strstr(mistakes.list[0].file, "c.yaml"));
  remove_folder(&folder);
}

/* a chain of files, of which each holds the next a few times */
static const char *make_chain(int depth, int width, const char *last) {
  const char *first = NULL;
  for (int k = 0; k < depth; k++) {
    char name[20], text[400] = "flange-component: 1\ncomponents:\n";
    snprintf(name, sizeof name, "f%d.yaml", k);
    for (int j = 0; j < width; j++) {
      char line[60];
      snprintf(line, sizeof line, "  c%d: {file: f%d.yaml}\n", j, k + 1);
      strcat(text, line);
    }
    const char *path = file(name, k + 1 == depth ? last : text);
    if (k == 0) first = path;
  }
  return first;
}

static const char *const one_body =
    "flange-component: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n";

static void depth_is_bounded(void **state) {
  (void)state;
  test_folder inner = folder = make_folder();
  char text[200];
  const char *path = make_chain(20, 1, one_body);
  snprintf(text, sizeof text, "flange-component: 1\ncomponents: {far: {file: %s}}\n", path);
  inner = folder;
  for (int depth = 13; depth < 15; depth++) { /* files in all: 33 are 32 deep */
    folder = make_folder();
    read_file(make_chain(depth, 1, text));
    remove_folder(&folder);
    if (depth == 13) {
      assert_int_equal(mistakes.count, 0);
      assert_int_equal(component.body_count, 1);
    } else {
      expect_only(3, 3, "components are nested more than 32 deep");
    }
  }
  remove_folder(&inner);
}

static void numbers_are_bounded(void **state) {
  (void)state;
  flg_error error;
  folder = make_folder();
  const char *path = make_chain(25, 2, one_body); /* 2^24 bodies, if nobody stops it */
  assert_int_equal(flg_input_limit_set("objects=2000", &error), FLG_OK);
  read_file(path);
  assert_int_equal(mistakes.count, 1);
  assert_non_null(strstr(mistakes.list[0].message, "there are more than 2000 objects in all"));
  assert_non_null(strstr(mistakes.list[0].message, "--limit objects=4000"));
  remove_folder(&folder);
  folder = make_folder();
  path = make_chain(10, 2, one_body); /* 512 bodies in 1022 components */
  read_file(path);
  assert_int_equal(mistakes.count, 0);
  assert_int_equal(component.body_count, 512);
  assert_int_equal(flg_input_limit_set("objects=1500", &error), FLG_OK);
  read_file(path);
  assert_int_equal(mistakes.count, 1);
  assert_int_equal(flg_input_limit_set("objects=300000", &error), FLG_OK);
  remove_folder(&folder);
}

static void memory_is_bounded(void **state) {
  (void)state;
  start();
  folder = make_folder();
  const char *first = make_chain(5, 5, one_body);
  for (size_t limit = 1 << 6; limit < 1 << 22; limit += limit / 3) {
    flg_region_release(&region);
    region.limit = limit;
    mistakes = (flg_mistakes){0};
    const flg_component_use use = {.path = first, .pose = flg_pose_identity()};
    component_read(&component, &use, NULL, &region, &mistakes);
    if (region.failed) assert_true(mistakes.count > 0);
  }
  region.limit = 0;
  remove_folder(&folder);
}

static void files_are_components(void **state) {
  (void)state;
  expect("components: {a: {file: x.urdf}}", "'x.urdf' is not a component file by its name");
  expect("components: {a: {at: [0, 0, 0]}}", "key 'file' is missing");
  read_text(BODIES "components: {a: {file: examples/pendulum/models/double-pendulum.yaml}}\n");
  expect_only(0, 0, "this is a model, not a component");
  read_file("examples/pendulum/models/double-pendulum.yaml");
  expect_only(0, 0, "this is a model, not a component");
  read_file("nowhere.yaml");
  expect_only(0, 0, "cannot read 'nowhere.yaml'");
  read_file("tests/components/rod.yaml");
  expect_only(0, 0, "parameter 'length' of 'tests/components/rod.yaml' has no default");
}

static int release(void **state) {
  (void)state;
  flg_region_release(&region);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_are_checked_with_hints),
      cmocka_unit_test(names_are_words),
      cmocka_unit_test(a_name_stands_for_one_thing),
      cmocka_unit_test(two_things_that_act_have_different_names),
      cmocka_unit_test(ends_that_lead_nowhere_are_told_with_hints),
      cmocka_unit_test(robots_have_bodies_and_frames),
      cmocka_unit_test(frames_are_given_once),
      cmocka_unit_test(kinds_have_their_own_keys),
      cmocka_unit_test(gears_need_angles),
      cmocka_unit_test(springs_are_between_or_on),
      cmocka_unit_test(forces_are_on_bodies_or_coordinates),
      cmocka_unit_test(ports_are_on_a_body_or_handed_on),
      cmocka_unit_test(one_mistake_is_told_once),
      cmocka_unit_test(all_mistakes_come_at_once),
      cmocka_unit_test(the_physics_is_checked_at_the_end),
      cmocka_unit_test(meshes_to_touch_with_must_be_there),
      cmocka_unit_test(meshes_that_nothing_touches_may_be_missing),
      cmocka_unit_test(parameters_are_words_and_numbers),
      cmocka_unit_test(computed_numbers_are_checked_like_others),
      cmocka_unit_test(inner_parameters_are_checked),
      cmocka_unit_test(a_component_hides_its_inside),
      cmocka_unit_test(names_of_parts_have_hints_and_long_lists_are_cut),
      cmocka_unit_test(the_mistakes_of_a_file_are_told_once),
      cmocka_unit_test(files_that_use_themselves_are_told_with_the_way),
      cmocka_unit_test(depth_is_bounded),
      cmocka_unit_test(numbers_are_bounded),
      cmocka_unit_test(memory_is_bounded),
      cmocka_unit_test(files_are_components),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
