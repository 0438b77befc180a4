/* Systems put together in code (flange/define.h, mechanism.h, system.h): they are those of the
 * files that say the same, to the last bit, and mistakes are all told at once. */
#include "flange/define.h"

#include "flange/flexible.h"
#include "flange/system.h"
#include "plugins.h"
#include "said_again.h"
#include "scenarios.h"

/* changed: an override, NULL: none */
static flg_simulation *simulate_with(const flg_definition *system, const char *changed) {
  static flg_mistakes mistakes;
  flg_simulation *simulation = NULL;
  flg_definition_simulate(system, &changed, changed != NULL, &simulation, &mistakes);
  if (simulation == NULL) {
    fail_msg("%s: %s", mistakes.list[0].file, mistakes.list[0].message);
  }
  return simulation;
}

static flg_simulation *simulate(const flg_definition *system) {
  return simulate_with(system, NULL);
}

static flg_simulation *load_with(const char *path, const char *changed) {
  static flg_mistakes mistakes;
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, &changed, changed != NULL, &mistakes);
  if (simulation == NULL) {
    fail_msg("%s:%d: %s", mistakes.list[0].file, mistakes.list[0].line, mistakes.list[0].message);
  }
  return simulation;
}

static flg_simulation *load(const char *path) {
  return load_with(path, NULL);
}

static void compare_and_release(flg_simulation *one, flg_simulation *other, int steps) {
  step_alike(one, other, steps);
  flg_simulation_release(one);
  flg_simulation_release(other);
}

/* --- by hand ------------------------------------------------------------------------------------
 */

#define NUMBERS(...)                                                            \
  {                                                                             \
    (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (const double[]) { \
      __VA_ARGS__                                                               \
    }                                                                           \
  }
#define TEXTS(...)                                                                         \
  {                                                                                        \
    (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), (const char *const[]) { \
      __VA_ARGS__                                                                          \
    }                                                                                      \
  }

static flg_definition *double_pendulum(void) {
  flg_definition *robot = NULL;
  flg_error error;
  must(flg_definition_build(&robot, FLG_DEFINE_ROBOT, "double pendulum", &error), &error);
  static const char *const names[] = {"upper", "lower"};
  for (int k = 0; k < 2; k++) {
    flg_body_options body = flg_body_default();
    body.mass = 1;
    body.centre[0] = 0.5, body.centre[1] = 0, body.centre[2] = 0;
    body.inertia =
        (flg_number_list)NUMBERS(4.1666666666666667e-4, 8.354166666666667e-2, 8.354166666666667e-2);
    must(flg_define_body(robot, names[k], &body, &error), &error);
    flg_shape_options shape = flg_shape_default();
    shape.kind = "cylinder";
    shape.lengths = (flg_number_list)NUMBERS(0.02, 1);
    must(flg_define_shape(robot, names[k], &shape, &error), &error);
  }
  flg_joint_options shoulder = flg_joint_default();
  shoulder.kind = "revolute", shoulder.child = "upper";
  shoulder.axis[0] = 0, shoulder.axis[1] = 1, shoulder.axis[2] = 0;
  must(flg_define_joint(robot, "shoulder", &shoulder, &error), &error);
  flg_joint_options elbow = shoulder;
  elbow.parent = "upper", elbow.child = "lower";
  elbow.at[0] = 1, elbow.at[1] = 0, elbow.at[2] = 0;
  must(flg_define_joint(robot, "elbow", &elbow, &error), &error);
  flg_frame_options tip = flg_frame_default();
  tip.body = "lower";
  tip.at[0] = 1, tip.at[1] = 0, tip.at[2] = 0;
  must(flg_define_marker(robot, "tip", &tip, &error), &error);
  return robot;
}

static void double_pendulum_is_that_of_the_example(void **state) {
  (void)state;
  flg_definition *robot = double_pendulum(), *system = NULL;
  flg_error error;
  must(flg_definition_build(&system, FLG_DEFINE_SYSTEM, "swing", &error), &error);
  must(flg_define_part(system, robot, &error), &error);
  flg_definition_release(robot);
  flg_system_options whole = flg_system_default();
  whole.end = 3, whole.macro = 0.01;
  whole.record = (flg_text_list)TEXTS("pendulum/shoulder.position", "pendulum/elbow.position",
                                      "pendulum/lower/tip.position", "pendulum/energy");
  must(flg_define_system(system, &whole, &error), &error);
  flg_subsystem_options subsystem = flg_subsystem_default();
  subsystem.model = "double pendulum", subsystem.integrator = "rk4", subsystem.step = 0.001;
  must(flg_define_subsystem(system, "pendulum", &subsystem, &error), &error);
  must(flg_define_number(system, "subsystems.pendulum.initial.shoulder", 0, &error), &error);
  must(flg_define_number(system, "subsystems.pendulum.initial.elbow", 0, &error), &error);
  flg_simulation *made = simulate(system);
  flg_definition_release(system);
  compare_and_release(made, load("examples/pendulum/pendulum.yaml"), 300);
}

static void add_soft_rod(flg_definition *plate) {
  flg_error error;
  flg_body_options body = flg_body_default();
  body.at[0] = 0, body.at[1] = 2, body.at[2] = 0;
  must(flg_define_body(plate, "rod", &body, &error), &error);
  flg_flexible_options beam = flg_flexible_default();
  beam.end[0] = 1, beam.end[1] = beam.end[2] = 0;
  beam.young = 70e9, beam.density = 2700, beam.bending = (flg_number_list)NUMBERS(1);
  must(flg_define_flexible(plate, "rod", &beam, &error), &error);
  flg_piece_options piece = flg_piece_default();
  piece.length = 0.5, piece.section_diameter = 0.03;
  must(flg_define_piece(plate, "rod", &piece, &error), &error);
  piece = flg_piece_default();
  piece.length = 0.5, piece.section_kind = "rectangle";
  piece.section_size[0] = 0.02, piece.section_size[1] = 0.03;
  must(flg_define_piece(plate, "rod", &piece, &error), &error);
  flg_mode_options mode = flg_mode_default();
  mode.motion = "axial", mode.polynomial = (flg_number_list)NUMBERS(0, 1);
  must(flg_define_mode(plate, "rod", &mode, &error), &error);
  flg_joint_options pin = flg_joint_default();
  pin.kind = "revolute", pin.between[0] = "world", pin.between[1] = "rod";
  pin.at[0] = 0, pin.at[1] = 2, pin.at[2] = 0, pin.axis[0] = pin.axis[2] = 0, pin.axis[1] = 1;
  must(flg_define_joint(plate, "pin", &pin, &error), &error);
}

static flg_definition *soft_plate(void) {
  flg_definition *plate = NULL;
  flg_error error;
  must(flg_definition_build(&plate, FLG_DEFINE_COMPONENT, "plate", &error), &error);
  const flg_named load[] = {{.name = "load", .numbers = NUMBERS(2)}};
  flg_model_options model = flg_model_default();
  model.parameters = (flg_named_list){1, load};
  must(flg_define_model(plate, &model, &error), &error);
  flg_body_options body = flg_body_default();
  body.mass = 2, body.inertia = (flg_number_list)NUMBERS(0.1, 0.1, 0.1);
  body.elastic = (flg_number_list)NUMBERS(0.01);
  must(flg_define_body(plate, "plate", &body, &error), &error);
  for (int k = 0; k < 2; k++) {
    flg_node_options node = flg_node_default();
    node.at[0] = k, node.at[1] = node.at[2] = 0, node.mass = 1;
    node.shapes = (flg_number_list)NUMBERS(0, 0, k, 0, 0, 0);
    must(flg_define_node(plate, "plate", &node, &error), &error);
  }
  flg_flexible_options soft = flg_flexible_default();
  soft.stiffness = (flg_number_list)NUMBERS(100);
  must(flg_define_flexible(plate, "plate", &soft, &error), &error);
  add_soft_rod(plate);
  flg_signal_options push = flg_signal_default();
  push.kind = "table";
  push.points = (flg_point_list){2, 1, (const double[]){0, 1}, (const double[]){0, 2}};
  must(flg_define_signal(plate, "push", &push, &error), &error);
  flg_effort_options drive = flg_effort_default();
  drive.on = "pin", drive.effort = "push*load";
  must(flg_define_effort(plate, "drive", &drive, &error), &error);
  return plate;
}

static flg_definition *soft_system(void) {
  flg_definition *robot = double_pendulum(), *plate = soft_plate(), *system = NULL;
  flg_error error;
  must(flg_definition_build(&system, FLG_DEFINE_SYSTEM, "soft", &error), &error);
  must(flg_define_part(system, robot, &error), &error);
  must(flg_define_part(system, plate, &error), &error);
  flg_definition_release(robot);
  flg_definition_release(plate);
  flg_system_options whole = flg_system_default();
  whole.end = 1, whole.macro = 0.02;
  must(flg_define_system(system, &whole, &error), &error);
  flg_subsystem_options arm = flg_subsystem_default();
  const flg_named start[] = {{.name = "elbow", .numbers = NUMBERS(0.5)},
                             {.name = "shoulder", .numbers = NUMBERS(0.25)}};
  arm.model = "double pendulum", arm.step = 0.005, arm.initial = (flg_named_list){2, start};
  must(flg_define_subsystem(system, "arm", &arm, &error), &error);
  flg_controller_options move = flg_controller_default();
  move.kind = "pd", move.stiffness = (flg_number_list)NUMBERS(30, 20);
  move.damping = (flg_number_list)NUMBERS(3);
  move.points = (flg_point_list){2, 2, (const double[]){0, 1}, (const double[]){0.25, 0.5, 0, 1}};
  must(flg_define_controller(system, "arm/move", &move, &error), &error);
  flg_flexible_options tube = flg_flexible_default();
  tube.end[0] = 1, tube.end[1] = tube.end[2] = 0, tube.section_kind = "tube";
  tube.section_diameter = 0.04, tube.section_wall = 0.002, tube.young = 70e9;
  tube.bending = (flg_number_list)NUMBERS(2, 1), tube.twist = 1, tube.damping = 0.01;
  must(flg_define_flexible(system, "arm/upper", &tube, &error), &error);
  flg_subsystem_options other = flg_subsystem_default();
  const flg_named heavier[] = {{.name = "load", .numbers = NUMBERS(3)}};
  other.model = "plate", other.step = 0.005, other.parameters = (flg_named_list){1, heavier};
  must(flg_define_subsystem(system, "plate", &other, &error), &error);
  flg_event_options kick = flg_event_default();
  const flg_named speed[] = {{.name = "arm/elbow", .numbers = NUMBERS(1)}};
  kick.at = 0.5, kick.set_velocity = (flg_named_list){1, speed};
  must(flg_define_event(system, &kick, &error), &error);
  return system;
}

/* a beam of pieces with a function of its own, a link of a robot that a scenario makes flexible,
 * and a reduced finite-element model; tables of points, start positions, parameters */
static void flexible_system_is_that_of_the_text(void **state) {
  (void)state;
  static const char scenario[] =
      "flange: 1\ntime: {end: 1, macro: 1/50}\n"
      "subsystems: {arm: {model: robot.yaml, step: 1/200, initial: {elbow: 0.5, shoulder: 0.25},\n"
      "  controllers: {move: {kind: pd, stiffness: [30, 20], damping: 3, points:\n"
      "    [{at: 0, position: [0.25, 0.5]}, {at: 1, position: [0, 1]}]}},\n"
      "  flexible: {upper: {end: [1, 0, 0], section: {kind: tube, diameter: 0.04, wall: 0.002},\n"
      "    young: 70e9, bending: [2, 1], twist: 1, damping: 0.01}}},\n"
      "  plate: {model: plate.yaml, step: 1/200, parameters: {load: 3}}}\n"
      "events: [{at: 0.5, set_velocity: {arm/elbow: 1}}]\n";
  static const char plate_text[] =
      "flange-component: 1\nparameters: {load: 2}\n"
      "bodies: {plate: {mass: 2, inertia: [0.1, 0.1, 0.1], elastic: [0.01], flexible: {nodes:\n"
      "    [{at: [0, 0, 0], mass: 1, shapes: [0, 0, 0, 0, 0, 0]},\n"
      "     {at: [1, 0, 0], mass: 1, shapes: [0, 0, 1, 0, 0, 0]}], stiffness: [100]}},\n"
      "  rod: {at: [0, 2, 0], flexible: {end: [1, 0, 0], young: 70e9, density: 2700, bending: 1,\n"
      "    pieces: [{length: 0.5, section: {diameter: 0.03}}, {length: 0.5, section: {kind: "
      "rectangle,\n"
      "      size: [0.02, 0.03]}}], shapes: [{motion: axial, polynomial: [0, 1]}]}}}\n"
      "joints: {pin: {kind: revolute, between: [world, rod], at: [0, 2, 0], axis: [0, 1, 0]}}\n"
      "signals: {push: {kind: table, points: [{at: 0, value: 0}, {at: 1, value: 2}]}}\n"
      "efforts: {drive: {on: pin, effort: push*load}}\n";
  test_folder folder = make_folder();
  flg_definition *robot = double_pendulum(), *system = soft_system();
  make_file(&folder, "plate.yaml", plate_text);
  make_file(&folder, "robot.yaml", flg_definition_text(robot));
  const char *path = make_file(&folder, "scenario.yaml", scenario);
  compare_and_release(simulate(system), load(path), 50);
  remove_folder(&folder);
  flg_definition_release(robot);
  flg_definition_release(system);
}

/* a component with a marker, a spring, shapes, a material, a port; an interface; an event */
static void coupled_system_is_that_of_the_text(void **state) {
  (void)state;
  static const char scenario[] =
      "flange: 1\ntime: {end: 1, macro: 1/50}\n"
      "subsystems: {arm: {model: robot.yaml, step: 1/200, controllers: {hold: {kind: pd,\n"
      "  stiffness: 30, damping: 3, joints: [shoulder]}}},\n"
      "  bell: {model: model.yaml, at: [2, 0, 0], step: 1/200}}\n"
      "interfaces: {hook: {between: [arm/tip, bell/top], joint: spherical}}\n"
      "coupling: {scheme: sequential, order: [arm, bell]}\n"
      "events: [{at: 0.5, lock: [arm/elbow]}]\n"
      "ground: {shapes: [{kind: plane, at: [0, 0, -3]}]}\nmaterials: {clay: {friction: 0.7}}\n"
      "contacts: {material: clay}\n";
  static const char bell_text[] =
      "flange-component: 1\n"
      "bodies: {bell: {mass: 0.5, inertia: [0.01, 0.01, 0.005], at: [0, 0, -0.3]},\n"
      "  clapper: {mass: 0.1, point: true, at: [0, 0, -0.5]}}\n"
      "joints: {string: {kind: distance, between: [bell, clapper]}}\n"
      "springs: {pull: {between: [bell, clapper], stiffness: 20, length: 0.1}}\n"
      "ports: {top: {body: bell, at: [0, 0, 0.3]}}\n";
  flg_definition *robot = double_pendulum(), *bell = NULL, *system = NULL;
  flg_error error;
  static flg_mistakes mistakes;
  must(flg_definition_build(&bell, FLG_DEFINE_COMPONENT, "bell", &error), &error);
  flg_body_options body = flg_body_default();
  body.mass = 0.5, body.at[0] = 0, body.at[1] = 0, body.at[2] = -0.3;
  body.inertia = (flg_number_list)NUMBERS(0.01, 0.01, 0.005);
  must(flg_define_body(bell, "bell", &body, &error), &error);
  body = flg_body_default();
  body.mass = 0.1, body.at[0] = 0, body.at[1] = 0, body.at[2] = -0.5, body.point = FLG_ON;
  must(flg_define_body(bell, "clapper", &body, &error), &error);
  flg_joint_options string = flg_joint_default();
  string.kind = "distance", string.between[0] = "bell", string.between[1] = "clapper";
  must(flg_define_joint(bell, "string", &string, &error), &error);
  flg_spring_options pull = flg_spring_default();
  pull.between[0] = "bell", pull.between[1] = "clapper", pull.stiffness = 20, pull.length = 0.1;
  must(flg_define_spring(bell, "pull", &pull, &error), &error);
  flg_frame_options top = flg_frame_default();
  top.body = "bell", top.at[0] = 0, top.at[1] = 0, top.at[2] = 0.3;
  must(flg_define_port(bell, "top", &top, &error), &error);

  must(flg_definition_build(&system, FLG_DEFINE_SYSTEM, "ringing", &error), &error);
  must(flg_define_part(system, robot, &error), &error);
  must(flg_define_part(system, bell, &error), &error);
  flg_system_options whole = flg_system_default();
  whole.end = 1, whole.macro = 0.02;
  must(flg_define_system(system, &whole, &error), &error);
  flg_subsystem_options arm = flg_subsystem_default();
  arm.model = "double pendulum", arm.step = 0.005;
  must(flg_define_subsystem(system, "arm", &arm, &error), &error);
  flg_controller_options hold = flg_controller_default();
  hold.kind = "pd", hold.joints = (flg_text_list)TEXTS("shoulder");
  hold.stiffness = (flg_number_list)NUMBERS(30), hold.damping = (flg_number_list)NUMBERS(3);
  must(flg_define_controller(system, "arm/hold", &hold, &error), &error);
  flg_subsystem_options hung = flg_subsystem_default();
  hung.model = "bell", hung.step = 0.005;
  hung.at[0] = 2, hung.at[1] = 0, hung.at[2] = 0;
  must(flg_define_subsystem(system, "bell", &hung, &error), &error);
  flg_joint_options hook = flg_joint_default();
  hook.between[0] = "arm/tip", hook.between[1] = "bell/top", hook.kind = "spherical";
  must(flg_define_interface(system, "hook", &hook, &error), &error);
  flg_scheme_options coupling = flg_scheme_default();
  coupling.scheme = "sequential", coupling.order = (flg_text_list)TEXTS("arm", "bell");
  must(flg_define_coupling(system, &coupling, &error), &error);
  flg_event_options event = flg_event_default();
  event.at = 0.5, event.lock = (flg_text_list)TEXTS("arm/elbow");
  must(flg_define_event(system, &event, &error), &error);
  flg_shape_options floor = flg_shape_default();
  floor.kind = "plane", floor.at[0] = 0, floor.at[1] = 0, floor.at[2] = -3;
  must(flg_define_shape(system, NULL, &floor, &error), &error);
  flg_surface_options clay = flg_surface_default();
  clay.friction = 0.7;
  must(flg_define_material(system, "clay", &clay, &error), &error);
  flg_touch_options contacts = flg_touch_default();
  contacts.material = "clay";
  must(flg_define_contacts(system, NULL, &contacts, &error), &error);

  test_folder folder = make_folder();
  make_file(&folder, "model.yaml", bell_text);
  make_file(&folder, "robot.yaml", flg_definition_text(robot));
  const char *path = make_file(&folder, "scenario.yaml", scenario);
  compare_and_release(simulate(system), load(path), 50);

  /* a file is a definition, too, and can be changed: its text is then written anew */
  flg_definition *file = NULL;
  flg_definition_load(&file, FLG_DEFINE_SYSTEM, path, &mistakes);
  assert_non_null(file);
  flg_simulation *as_it_is = simulate(file);
  assert_string_equal(flg_simulation_text(as_it_is), scenario);
  compare_and_release(as_it_is, load(path), 50);
  must(flg_define_number(file, "subsystems.bell.step", 0.0025, &error), &error);
  must(flg_define_number(system, "subsystems.bell.step", 0.0025, &error), &error);
  flg_simulation *changed = simulate(file);
  assert_non_null(strstr(flg_simulation_text(changed), "0.0025"));
  compare_and_release(changed, simulate(system), 50);
  flg_definition_release(file);
  remove_folder(&folder);

  /* and as text, which reads back as the same system */
  flg_definition *again = NULL;
  flg_definition_read(&again, FLG_DEFINE_SYSTEM, "ringing", flg_definition_text(system), &mistakes);
  assert_non_null(again);
  must(flg_define_part(again, robot, &error), &error);
  must(flg_define_part(again, bell, &error), &error);
  compare_and_release(simulate(system), simulate(again), 50);
  flg_definition_release(again);
  flg_definition_release(robot);
  flg_definition_release(bell);
  flg_definition_release(system);
}

/* --- all examples, key by key --------------------------------------------------------------------
 */

static void examples_are_the_same_in_code(void **state) {
  (void)state;
  static const char *const paths[] = {"examples/bouncing/bouncing.yaml",
                                      "examples/capture/capture.yaml",
                                      "examples/capture/friction.yaml",
                                      "examples/capture/hop.yaml",
                                      "examples/flexible-arm/cantilever.yaml",
                                      "examples/flexible-arm/flexible-arm.yaml",
                                      "examples/flexible-arm/wrist.yaml",
                                      "examples/four-bars/four-bars.yaml",
                                      "examples/governor/governor.yaml",
                                      "examples/incline/incline.yaml",
                                      "examples/oscillator/oscillator.yaml",
                                      "examples/pendulum/pendulum.yaml",
                                      "examples/pendulum/friction.yaml",
                                      "examples/pendulum/modelica.yaml",
                                      "examples/pendulum/simple.yaml",
                                      "examples/slider-crank/slider-crank.yaml",
                                      "examples/spbot/spbot.yaml",
                                      "examples/squeezer/squeezer.yaml",
                                      "examples/tower/tower.yaml",
                                      "examples/wrist/wrist.yaml",
                                      "examples/ssrms/poses.yaml",
                                      "examples/ssrms/reach.yaml",
                                      "examples/table-ii/table-ii.yaml",
                                      "examples/own-subsystem/twin.yaml",
                                      "examples/own-subsystem/bounce-twin.yaml",
                                      "examples/wall-push/manoeuvre1-rigid.yaml",
                                      "examples/wall-push/manoeuvre1-rigid-locked.yaml",
                                      "examples/wall-push/manoeuvre1-flexible.yaml",
                                      "examples/wall-push/manoeuvre1-flexible-locked.yaml",
                                      "examples/wall-push/manoeuvre2-rigid.yaml",
                                      "examples/wall-push/manoeuvre2-rigid-locked.yaml",
                                      "examples/wall-push/manoeuvre2-flexible.yaml",
                                      "examples/wall-push/manoeuvre2-flexible-locked.yaml"};
  for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
    flg_definition *system = said_again(paths[k], BY_KEYS);
    compare_and_release(simulate(system), load(paths[k]), 3);
    flg_definition_release(system);
  }
}

/* those with a library of their own, which the tests have built elsewhere */
static void examples_with_plug_ins_are_the_same_in_code(void **state) {
  (void)state;
  static const char *const examples[][2] = {
      {"examples/own-subsystem/own-subsystem.yaml",
       "subsystems.chain.plugin=" PLUGIN("mass_spring")},
      {"examples/own-subsystem/bounce.yaml", "subsystems.ball.plugin=" PLUGIN("body")}};
  for (int k = 0; k < 2; k++) {
    flg_definition *system = said_again(examples[k][0], BY_KEYS);
    compare_and_release(simulate_with(system, examples[k][1]),
                        load_with(examples[k][0], examples[k][1]), 30);
    flg_definition_release(system);
  }
}

/* --- mistakes ------------------------------------------------------------------------------------
 */

static bool is_told(const flg_mistakes *mistakes, const char *place, const char *text) {
  for (int k = 0; k < mistakes->count; k++) {
    if (strstr(mistakes->list[k].file, place) != NULL &&
        strstr(mistakes->list[k].message, text) != NULL) {
      return true;
    }
  }
  return false;
}

static void mistakes_are_told_at_once_with_their_paths(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  flg_definition *system = NULL, *bell = NULL;
  flg_simulation *simulation = NULL;
  flg_error error;
  must(flg_definition_build(&system, FLG_DEFINE_SYSTEM, "wrong", &error), &error);
  must(flg_define_number(system, "time.end", -1, &error), &error);
  must(flg_define_number(system, "time.makro", 1, &error), &error);
  must(flg_define_text(system, "subsystems.arm.integrator", "rk5", &error), &error);
  must(flg_define_text(system, "events.+.lock", "arm/elbow", &error), &error);
  assert_int_equal(flg_definition_simulate(system, NULL, 0, &simulation, &mistakes), FLG_ERR_INPUT);
  assert_null(simulation);
  assert_int_equal(mistakes.count, 4);
  assert_true(is_told(&mistakes, "wrong: time.end", "'-1' is out of range"));
  assert_true(is_told(&mistakes, "wrong: time.makro", "did you mean 'macro'"));
  assert_true(is_told(&mistakes, "wrong: subsystems.arm.integrator", "'rk5' is not known"));
  assert_true(is_told(&mistakes, "wrong: events[0]", "key 'at' is missing"));
  /* in parts, and of names between them */
  must(flg_definition_build(&bell, FLG_DEFINE_COMPONENT, "bell", &error), &error);
  must(flg_define_number(bell, "bodies.bell.mass", -3, &error), &error);
  must(flg_define_text(bell, "joints.hinge.kind", "revolut", &error), &error);
  flg_definition_release(system);
  must(flg_definition_build(&system, FLG_DEFINE_SYSTEM, "right", &error), &error);
  must(flg_define_part(system, bell, &error), &error);
  must(flg_define_number(system, "time.end", 1, &error), &error);
  must(flg_define_text(system, "subsystems.bell.model", "bell", &error), &error);
  assert_int_equal(flg_definition_simulate(system, NULL, 0, &simulation, &mistakes), FLG_ERR_INPUT);
  assert_true(is_told(&mistakes, "bell: bodies.bell.mass", "'-3' is out of range"));
  assert_true(is_told(&mistakes, "bell: joints.hinge.kind", "did you mean 'revolute'"));
  flg_definition_release(bell);
  flg_definition_release(system);
}

/* one free mass on a spring to the origin, as a subsystem of the program itself */
typedef struct bob {
  flg_plugin_state leading; /* where flg_plugin_state_of looks */
  double state[2];          /* position along x, velocity */
  double stiffness;
} bob;

static void *create_bob(const flg_plugin_setup *setup, char *text) {
  (void)text;
  bob *made = calloc(1, sizeof *made);
  made->state[0] = 1;
  made->leading = (flg_plugin_state){made->state, 2, 2};
  made->stiffness = setup->parameter_count > 0 ? setup->parameters[0].values[0] : 1;
  return made;
}

static double energy_of_bob(void *instance) {
  const bob *of = instance;
  return (of->state[1] * of->state[1] + of->stiffness * of->state[0] * of->state[0]) / 2;
}

static int step_bob(void *instance, double time, double h, const double *impulses, char *text) {
  bob *of = instance;
  (void)time, (void)impulses, (void)text;
  of->state[1] -= h * of->stiffness * of->state[0];
  of->state[0] += h * of->state[1];
  return 0;
}

static void subsystem_of_the_program_runs(void **state) {
  (void)state;
  static const flg_plugin_subsystem subsystem = {.size = sizeof subsystem,
                                                 .create = create_bob,
                                                 .destroy = free,
                                                 .state = flg_plugin_state_of,
                                                 .energy = energy_of_bob,
                                                 .step = step_bob};
  static const flg_plugin table = {
      .abi = FLG_PLUGIN_ABI, .size = sizeof table, .name = "bob", .subsystem = &subsystem};
  static flg_mistakes mistakes;
  flg_error error;
  flg_simulation *one = NULL;
  must(flg_plugin_provide("bob", &table, &error), &error);
  flg_definition *system = NULL;
  must(flg_definition_build(&system, FLG_DEFINE_SYSTEM, "spring", &error), &error);
  flg_system_options whole = flg_system_default();
  whole.end = 6.28, whole.macro = 0.01;
  must(flg_define_system(system, &whole, &error), &error);
  flg_subsystem_options own = flg_subsystem_default();
  own.plugin = "bob", own.step = 0.001;
  must(flg_define_subsystem(system, "bob", &own, &error), &error);
  one = simulate(system);
  run_to_end(one);
  assert_near(flg_simulation_energy(one).final, 0.5, 1e-5);
  flg_simulation_release(one);
  /* files name it, too; without the table they do not find it */
  static const char text[] = "flange: 1\ntime: {end: 1}\nsubsystems: {bob: {plugin: bob}}\n";
  assert_int_equal(flg_simulation_load_text(&one, text, "/nowhere/x.yaml", NULL, 0, &mistakes),
                   FLG_OK);
  flg_simulation_release(one);
  assert_int_equal(flg_plugin_state_of(NULL).count, 0);
  must(flg_plugin_provide("bob", NULL, &error), &error);
  assert_int_equal(flg_simulation_load_text(&one, text, "/nowhere/x.yaml", NULL, 0, &mistakes),
                   FLG_ERR_MISSING);
  flg_definition_release(system);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(double_pendulum_is_that_of_the_example),
      cmocka_unit_test(coupled_system_is_that_of_the_text),
      cmocka_unit_test(flexible_system_is_that_of_the_text),
      cmocka_unit_test(examples_are_the_same_in_code),
      cmocka_unit_test(examples_with_plug_ins_are_the_same_in_code),
      cmocka_unit_test(mistakes_are_told_at_once_with_their_paths),
      cmocka_unit_test(subsystem_of_the_program_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
