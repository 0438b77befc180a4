/* Every public function used wrongly: NULL, handles of nothing and of another simulation, wrong
 * sizes, the wrong order. It answers by a status and a sentence, or by nothing, and all else stays
 * as it was. tests/outside/check sees to it that no function is left out. */
#include "flange/access.h"
#include "flange/define.h"
#include "flange/flexible.h"
#include "flange/mechanism.h"
#include "flange/ports.h"
#include "flange/recordings.h"
#include "flange/state.h"
#include "flange/study.h"
#include "flange/system.h"
#include "flange/version.h"
#include "scenarios.h"

static const char robot[] =
    "flange-model: 1\nbodies: {rod: {mass: 1, centre: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
    "joints: {swing: {kind: revolute, child: rod, axis: [0, 1, 0]}}\n";
static const char scenario[] =
    "flange: 1\ntime: {end: 1, macro: 1/10}\nsubsystems: {a: {model: robot.yaml}}\n"
    "record: [a/swing.position]\n";

static flg_simulation *one, *other;
static flg_error error;

static int set_up(void **state) {
  (void)state;
  one = load_three_texts(scenario, NULL, robot);
  other = load_three_texts(scenario, NULL, robot);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  flg_simulation_release(one);
  flg_simulation_release(other);
  return 0;
}

/* a status of wrong use, and a sentence; also without a place for it */
#define REFUSED(call)                                                   \
  do {                                                                  \
    error = (flg_error){0};                                             \
    assert_int_equal((call), FLG_ERR_USAGE);                            \
    if (strlen(error.message) < 10) fail_msg("%s says nothing", #call); \
  } while (0)

static void outputs(void **state) {
  (void)state;
  flg_output output = {0}, good, strange;
  double value;
  int count = 7;
  REFUSED(flg_output_find(NULL, "a/energy", &output, &error));
  REFUSED(flg_output_find(one, NULL, &output, &error));
  REFUSED(flg_output_find(one, "a/energy", NULL, &error));
  assert_int_equal(flg_output_find(NULL, "a/energy", &output, NULL), FLG_ERR_USAGE);
  REFUSED(flg_output_read(one, output, &value, 1, &error)); /* nothing was found yet */
  assert_int_equal(flg_output_find(one, "a/energy", &good, &error), FLG_OK);
  assert_int_equal(flg_output_find(other, "a/energy", &strange, &error), FLG_OK);
  REFUSED(flg_output_read(NULL, good, &value, 1, &error));
  REFUSED(flg_output_read(one, good, NULL, 1, &error));
  REFUSED(flg_output_read(one, good, &value, 2, &error));
  REFUSED(flg_output_read(one, good, &value, -1, &error));
  REFUSED(flg_output_read(one, strange, &value, 1, &error));
  REFUSED(flg_output_read(one, (flg_output){good.simulation, 1}, &value, 1, &error));
  REFUSED(flg_output_read(one, (flg_output){good.simulation, -1}, &value, 1, &error));
  double values[2] = {5, 5};
  const flg_output mixed[2] = {good, strange}, twice[2] = {good, good};
  REFUSED(flg_output_read_many(NULL, twice, 2, values, 2, &error));
  REFUSED(flg_output_read_many(one, NULL, 2, values, 2, &error));
  REFUSED(flg_output_read_many(one, twice, -1, values, 2, &error));
  REFUSED(flg_output_read_many(one, twice, 2, NULL, 2, &error));
  REFUSED(flg_output_read_many(one, twice, 2, values, 1, &error));
  REFUSED(flg_output_read_many(one, twice, 0, values, 1, &error));
  REFUSED(flg_output_read_many(one, mixed, 2, values, 2, &error));
  assert_int_equal(flg_output_read_many(one, NULL, 0, NULL, 0, &error), FLG_OK);
  assert_true(values[0] == 5 && values[1] == 5);
  assert_null(flg_output_signal(NULL, good));
  assert_null(flg_output_signal(one, strange));
  assert_null(flg_output_list(NULL, &count));
  assert_int_equal(count, 0);
  assert_null(flg_output_list(one, NULL));
}

static void inputs(void **state) {
  (void)state;
  flg_input input = {0}, good, strange;
  const double torque = 1, endless = INFINITY;
  double read = 5;
  REFUSED(flg_input_find(NULL, "a/swing.effort", &input, &error));
  REFUSED(flg_input_find(one, NULL, &input, &error));
  REFUSED(flg_input_find(one, "a/swing.effort", NULL, &error));
  assert_int_equal(flg_input_find(one, "a/swing.effort", &good, &error), FLG_OK);
  assert_int_equal(flg_input_find(other, "a/swing.effort", &strange, &error), FLG_OK);
  REFUSED(flg_input_write(NULL, good, &torque, 1, &error));
  REFUSED(flg_input_write(one, input, &torque, 1, &error));
  REFUSED(flg_input_write(one, strange, &torque, 1, &error));
  REFUSED(flg_input_write(one, good, NULL, 1, &error));
  REFUSED(flg_input_write(one, good, &torque, 3, &error));
  assert_int_equal(flg_input_write(one, good, &endless, 1, &error), FLG_ERR_RANGE);
  const flg_input mixed[2] = {good, strange}, twice[2] = {good, good};
  const double torques[2] = {1, 2}, half[2] = {1, INFINITY};
  REFUSED(flg_input_write_many(NULL, twice, 2, torques, 2, &error));
  REFUSED(flg_input_write_many(one, NULL, 2, torques, 2, &error));
  REFUSED(flg_input_write_many(one, twice, -1, torques, 2, &error));
  REFUSED(flg_input_write_many(one, twice, 2, NULL, 2, &error));
  REFUSED(flg_input_write_many(one, twice, 2, torques, 3, &error));
  REFUSED(flg_input_write_many(one, mixed, 2, torques, 2, &error));
  assert_int_equal(flg_input_write_many(one, twice, 2, half, 2, &error), FLG_ERR_RANGE);
  assert_int_equal(flg_input_write_many(one, NULL, 0, NULL, 0, &error), FLG_OK);
  assert_int_equal(flg_input_read(one, good, &read, 1, &error), FLG_OK);
  assert_true(isnan(read)); /* none was written */
  read = 5;
  REFUSED(flg_input_read(one, strange, &read, 1, &error));
  REFUSED(flg_input_read(NULL, good, &read, 1, &error));
  REFUSED(flg_input_read(one, good, NULL, 1, &error));
  REFUSED(flg_input_read(one, good, &read, 0, &error));
  assert_near(read, 5, 0);
  REFUSED(flg_input_clear(NULL, good, &error));
  REFUSED(flg_input_clear(one, strange, &error));
  assert_int_equal(flg_input_width(NULL, good), 0);
  assert_int_equal(flg_input_width(one, strange), 0);
}

static void triggers(void **state) {
  (void)state;
  flg_trigger trigger = {0}, good, strange;
  const double position = 1, nothing = NAN;
  REFUSED(flg_trigger_find(NULL, "lock", "a/swing", 0, &trigger, &error));
  REFUSED(flg_trigger_find(one, NULL, "a/swing", 0, &trigger, &error));
  REFUSED(flg_trigger_find(one, "lock", NULL, 0, &trigger, &error));
  REFUSED(flg_trigger_find(one, "lock", "a/swing", 0, NULL, &error));
  REFUSED(flg_trigger_find(one, "lock", "a/swing", 1, &trigger, &error));
  REFUSED(flg_trigger_find(one, "set", "a/swing", 0, &trigger, &error));
  assert_int_equal(flg_trigger_find(one, "set", "a/swing", 2, &trigger, &error), FLG_ERR_INPUT);
  REFUSED(flg_trigger_fire(one, trigger, NULL, 0, &error));
  assert_int_equal(flg_trigger_find(one, "set", "a/swing", 1, &good, &error), FLG_OK);
  assert_int_equal(flg_trigger_find(other, "lock", "a/swing", 0, &strange, &error), FLG_OK);
  REFUSED(flg_trigger_fire(NULL, good, &position, 1, &error));
  REFUSED(flg_trigger_fire(one, good, NULL, 1, &error));
  REFUSED(flg_trigger_fire(one, good, &position, 0, &error));
  REFUSED(flg_trigger_fire(one, strange, NULL, 0, &error));
  assert_int_equal(flg_trigger_fire(one, good, &nothing, 1, &error), FLG_ERR_RANGE);
}

static void touches(void **state) {
  (void)state;
  flg_touch_point point;
  char text[FLG_SHAPE_TEXT] = "x";
  int count = 3;
  assert_int_equal(flg_touch_most(NULL), 0);
  assert_int_equal(flg_touch_most(one), 0); /* nothing can touch */
  REFUSED(flg_touch_list(NULL, &point, 1, &count, &error));
  REFUSED(flg_touch_list(one, &point, 1, NULL, &error));
  assert_int_equal(flg_touch_list(one, NULL, 0, &count, &error), FLG_OK);
  assert_int_equal(count, 0);
  REFUSED(flg_touch_shape(NULL, 0, text, &error));
  REFUSED(flg_touch_shape(one, 0, NULL, &error));
  REFUSED(flg_touch_shape(one, 0, text, &error));
  REFUSED(flg_touch_shape(one, -1, text, &error));
  assert_string_equal(text, "");
}

static void states(void **state) {
  (void)state;
  flg_simulation *third = load_three_texts(
      "flange: 1\ntime: {end: 1, macro: 1/20}\nsubsystems: {a: {model: robot.yaml}}\n", NULL,
      robot);
  const size_t bytes = flg_state_bytes(one);
  unsigned char *block = calloc(1, bytes + 8), *later = calloc(1, bytes + 8);
  flg_input input;
  assert_int_equal(flg_state_bytes(NULL), 0);
  REFUSED(flg_state_get(NULL, block, bytes, &error));
  REFUSED(flg_state_get(one, NULL, bytes, &error));
  REFUSED(flg_state_get(one, block, bytes - 1, &error));
  REFUSED(flg_state_set(NULL, block, bytes, &error));
  REFUSED(flg_state_set(one, NULL, bytes, &error));
  assert_int_equal(flg_state_set(one, block, bytes, &error), FLG_ERR_INPUT); /* never written */
  assert_int_equal(flg_state_get(one, block, bytes, &error), FLG_OK);
  assert_int_equal(flg_state_set(other, block, bytes, &error), FLG_OK); /* an equal system */
  assert_int_equal(flg_state_set(third, block, bytes, &error), FLG_ERR_INPUT);
  memcpy(later, block, bytes);
  later[bytes - 3] ^= 1;
  assert_int_equal(flg_state_set(one, later, bytes, &error), FLG_ERR_INPUT);
  assert_int_equal(flg_input_find(one, "a/swing.effort", &input, &error), FLG_OK);
  REFUSED(flg_state_set(one, block, bytes, &error)); /* inputs came in between */
  REFUSED(flg_state_reset(NULL, &error));
  REFUSED(flg_state_save(NULL, "x", &error));
  REFUSED(flg_state_save(one, NULL, &error));
  REFUSED(flg_state_restore(NULL, "x", &error));
  REFUSED(flg_state_restore(one, NULL, &error));
  assert_int_equal(flg_state_save(one, "/nowhere/at/all", &error), FLG_ERR_OUTPUT);
  assert_int_equal(flg_state_restore(one, "/nowhere/at/all", &error), FLG_ERR_MISSING);
  free(block);
  free(later);
  flg_simulation_release(third);
}

static void ports(void **state) {
  (void)state;
  const char *const name = "a/rod", *const none = NULL, *const wrong = "a/rood";
  flg_ports set = {0}, strange;
  double D[36] = {1}, r[6], w[6];
  REFUSED(flg_ports_find(NULL, &name, 1, &set, &error));
  REFUSED(flg_ports_find(one, NULL, 1, &set, &error));
  REFUSED(flg_ports_find(one, &none, 1, &set, &error));
  REFUSED(flg_ports_find(one, &name, 0, &set, &error));
  REFUSED(flg_ports_find(one, &name, 1, NULL, &error));
  assert_int_equal(flg_ports_find(one, &wrong, 1, &set, &error), FLG_ERR_INPUT);
  REFUSED(flg_ports_reduce(one, set, 0.1, 6, D, r, w, &error));
  assert_int_equal(flg_ports_find(one, &name, 1, &set, &error), FLG_OK);
  assert_int_equal(flg_ports_find(other, &name, 1, &strange, &error), FLG_OK);
  REFUSED(flg_ports_reduce(NULL, set, 0.1, 6, D, r, w, &error));
  REFUSED(flg_ports_reduce(one, strange, 0.1, 6, D, r, w, &error));
  REFUSED(flg_ports_reduce(one, set, 0, 6, D, r, w, &error));
  REFUSED(flg_ports_reduce(one, set, NAN, 6, D, r, w, &error));
  REFUSED(flg_ports_reduce(one, set, 0.1, 5, D, r, w, &error));
  assert_int_equal(flg_ports_reduce(one, set, 0.1, 6, NULL, NULL, NULL, &error), FLG_OK);
  assert_int_equal(flg_ports_rows(NULL, set), 0);
  assert_int_equal(flg_ports_rows(one, strange), 0);
}

static void admittances(void **state) {
  (void)state;
  const double D[4] = {1, 0, 0, NAN}, good[4] = {1, 0, 0, 1}, u[2] = {0, 0};
  double mass[4];
  flg_admittance_figures figures;
  assert_int_equal(flg_admittance_numbers(0), 0);
  assert_int_equal(flg_admittance_numbers(-3), 0);
  double *work = calloc(flg_admittance_numbers(2), sizeof *work);
  REFUSED(flg_admittance_measure(2, NULL, work, &figures, &error));
  REFUSED(flg_admittance_measure(2, good, NULL, &figures, &error));
  REFUSED(flg_admittance_measure(2, good, work, NULL, &error));
  REFUSED(flg_admittance_measure(0, good, work, &figures, &error));
  assert_int_equal(flg_admittance_measure(2, D, work, &figures, &error), FLG_ERR_DIVERGED);
  REFUSED(flg_admittance_mass(2, good, work, NULL, &error));
  REFUSED(flg_admittance_mass(2, NULL, work, mass, &error));
  assert_true(isnan(flg_admittance_along(2, NULL, u)));
  assert_true(isnan(flg_admittance_along(2, good, NULL)));
  assert_true(isnan(flg_admittance_along(2, good, u)));
  assert_true(isnan(flg_admittance_along(0, good, u)));
  free(work);
}

static void eliminations(void **state) {
  (void)state;
  const double D[4] = {1, 0, 0, 1};
  const int pair[1][2] = {{0, 5}}, keep[2] = {0, 0};
  double memory[500] = {0}, out[4], bias[2], l;
  flg_stack stack = flg_stack_default();
  flg_stack_clear(NULL, 8);
  assert_int_equal(flg_eliminate_bytes(NULL), 0);
  assert_int_equal(flg_eliminate_bytes(&stack), 0); /* no model */
  REFUSED(flg_eliminate(NULL, memory, 100, out, bias, NULL, &error));
  REFUSED(flg_eliminate(&stack, memory, 100, out, bias, NULL, &error));
  stack.rows[0] = 2, stack.admittance[0] = D;
  stack.kept = 2, stack.keep = keep;
  REFUSED(flg_eliminate(&stack, memory, 100, out, bias, NULL, &error)); /* a row twice */
  stack.kept = 1;
  REFUSED(flg_eliminate(&stack, memory, 100, out, bias, NULL, &error)); /* other memory */
  const size_t bytes = flg_eliminate_bytes(&stack);
  assert_true(bytes > 0 && bytes <= sizeof memory);
  REFUSED(flg_eliminate(&stack, NULL, bytes, out, bias, NULL, &error));
  REFUSED(flg_eliminate(&stack, memory, bytes, NULL, bias, NULL, &error));
  REFUSED(flg_eliminate(&stack, memory, bytes, out, NULL, NULL, &error));
  REFUSED(flg_eliminate_back(memory, NULL, &l, NULL, &error)); /* nothing was eliminated */
  REFUSED(flg_eliminate_back(NULL, NULL, &l, NULL, &error));
  stack.constraints = 1;
  REFUSED(flg_eliminate(&stack, memory, bytes, out, bias, NULL, &error)); /* no rows of it */
  stack.pairs = pair;
  REFUSED(flg_eliminate(&stack, memory, bytes, out, bias, NULL, &error)); /* no second model */
  stack.tolerance = 2;
  REFUSED(flg_eliminate(&stack, memory, bytes, out, bias, NULL, &error));
}

static void definitions(void **state) {
  (void)state;
  flg_definition *system = NULL, *part = NULL, *none = NULL;
  static flg_mistakes mistakes;
  flg_simulation *made = NULL;
  const double numbers[2] = {1, NAN};
  const char *const texts[2] = {"a", NULL};
  REFUSED(flg_definition_build(NULL, FLG_DEFINE_SYSTEM, "x", &error));
  REFUSED(flg_definition_build(&none, FLG_DEFINE_SYSTEM, NULL, &error));
  REFUSED(flg_definition_build(&none, FLG_DEFINE_SYSTEM, "", &error));
  REFUSED(flg_definition_build(&none, (flg_definition_kind)9, "x", &error));
  assert_int_equal(flg_definition_read(NULL, FLG_DEFINE_ROBOT, "x", robot, &mistakes),
                   FLG_ERR_USAGE);
  assert_int_equal(flg_definition_read(&none, FLG_DEFINE_ROBOT, "x", NULL, NULL), FLG_ERR_USAGE);
  assert_int_equal(flg_definition_read(&none, FLG_DEFINE_ROBOT, "x", "a: [", &mistakes),
                   FLG_ERR_INPUT);
  assert_int_equal(flg_definition_read(&none, FLG_DEFINE_SYSTEM, "x", robot, &mistakes),
                   FLG_ERR_INPUT);
  assert_int_equal(flg_definition_load(NULL, FLG_DEFINE_ROBOT, "x", &mistakes), FLG_ERR_USAGE);
  assert_int_equal(flg_definition_load(&none, FLG_DEFINE_ROBOT, NULL, NULL), FLG_ERR_USAGE);
  assert_int_equal(flg_definition_load(&none, (flg_definition_kind)9, "x", NULL), FLG_ERR_USAGE);
  assert_int_equal(flg_definition_load(&none, FLG_DEFINE_ROBOT, "/nowhere", NULL), FLG_ERR_MISSING);
  assert_int_equal(flg_definition_load(&none, FLG_DEFINE_ROBOT, "", NULL), FLG_ERR_MISSING);
  assert_null(none);
  assert_int_equal(flg_definition_build(&system, FLG_DEFINE_SYSTEM, "whole", &error), FLG_OK);
  assert_int_equal(flg_definition_read(&part, FLG_DEFINE_ROBOT, "part", robot, &mistakes), FLG_OK);
  REFUSED(flg_define_number(NULL, "time.end", 1, &error));
  REFUSED(flg_define_number(system, NULL, 1, &error));
  REFUSED(flg_define_number(system, "", 1, &error));
  REFUSED(flg_define_number(system, "time..end", 1, &error));
  REFUSED(flg_define_number(system, "events.-.at", 1, &error)); /* there is no last one */
  assert_int_equal(flg_define_number(system, "time.end", NAN, &error), FLG_ERR_RANGE);
  assert_int_equal(flg_define_number(system, "time.end", 1, &error), FLG_OK);
  REFUSED(flg_define_number(system, "time.end.more", 1, &error)); /* below a number */
  REFUSED(flg_define_numbers(system, "gravity", NULL, 3, &error));
  REFUSED(flg_define_numbers(system, "gravity", numbers, -1, &error));
  assert_int_equal(flg_define_numbers(system, "gravity", numbers, 2, &error), FLG_ERR_RANGE);
  REFUSED(flg_define_text(system, "name", NULL, &error));
  REFUSED(flg_define_text(NULL, "name", "x", &error));
  REFUSED(flg_define_texts(system, "record", texts, 2, &error));
  REFUSED(flg_define_texts(system, "record", NULL, 1, &error));
  REFUSED(flg_define_flag(NULL, "x", true, &error));
  REFUSED(flg_define_yaml(system, "x", NULL, &error));
  assert_int_equal(flg_define_yaml(system, "x", "{a: ", &error), FLG_ERR_INPUT);
  assert_int_equal(flg_define_yaml(system, "x", "", &error), FLG_ERR_INPUT);
  REFUSED(flg_define_part(NULL, part, &error));
  REFUSED(flg_define_part(system, NULL, &error));
  REFUSED(flg_define_part(part, system, &error));
  REFUSED(flg_define_part(part, part, &error));
  assert_int_equal(flg_define_part(system, part, &error), FLG_OK);
  REFUSED(flg_define_part(system, part, &error)); /* twice */
  assert_null(flg_definition_text(NULL));
  assert_int_equal(flg_definition_simulate(NULL, NULL, 0, &made, &mistakes), FLG_ERR_USAGE);
  assert_int_equal(flg_definition_simulate(system, NULL, 0, NULL, &mistakes), FLG_ERR_USAGE);
  assert_int_equal(flg_definition_simulate(system, NULL, 2, &made, &mistakes), FLG_ERR_USAGE);
  assert_int_equal(flg_definition_simulate(part, NULL, 0, &made, NULL), FLG_ERR_USAGE);
  assert_int_equal(flg_definition_simulate(system, NULL, 0, &made, &mistakes), FLG_ERR_INPUT);
  assert_null(made);
  flg_definition_release(NULL);
  flg_definition_release(system);
  flg_definition_release(part);
}

/* of each kind: no definition, no options, no name, options that nobody has begun; then the right
 * use, so that none of these is refused for another reason */
#define NAMED_AS(function, type, to, name)                          \
  do {                                                              \
    flg_##type##_options options = flg_##type##_default();          \
    REFUSED(function(NULL, name, &options, &error));                \
    REFUSED(function(to, name, NULL, &error));                      \
    REFUSED(function(to, "", &options, &error));                    \
    REFUSED(function(to, "/x", &options, &error));                  \
    options.size = 0;                                               \
    REFUSED(function(to, name, &options, &error));                  \
    options.size = 2 * sizeof options;                              \
    REFUSED(function(to, name, &options, &error));                  \
    options.size = sizeof options;                                  \
    assert_int_equal(function(to, name, &options, &error), FLG_OK); \
  } while (0)
#define NAMED(function, type, to) NAMED_AS(function, type, to, "x")
#define NAMELESS(function, type, to)                          \
  do {                                                        \
    flg_##type##_options options = flg_##type##_default();    \
    REFUSED(function(NULL, &options, &error));                \
    REFUSED(function(to, NULL, &error));                      \
    options.size = 3;                                         \
    REFUSED(function(to, &options, &error));                  \
    options.size = sizeof options;                            \
    assert_int_equal(function(to, &options, &error), FLG_OK); \
  } while (0)

static void options_of_components(flg_definition *to) {
  NAMELESS(flg_define_model, model, to);
  NAMED(flg_define_body, body, to);
  NAMED(flg_define_joint, joint, to);
  NAMED(flg_define_shape, shape, to);
  NAMED(flg_define_material, surface, to);
  NAMELESS(flg_define_material_pair, surface, to);
  NAMED(flg_define_spring, spring, to);
  NAMED(flg_define_force, force, to);
  NAMED(flg_define_bushing, bushing, to);
  NAMED(flg_define_sensor, sensor, to);
  NAMED(flg_define_port, frame, to);
  NAMED(flg_define_marker, frame, to);
  NAMED(flg_define_signal, signal, to);
  NAMED(flg_define_input, input, to);
  NAMED(flg_define_motor, motor, to);
  NAMED(flg_define_effort, effort, to);
  NAMED(flg_define_motion, effort, to);
  NAMED(flg_define_robot, part, to);
  NAMED(flg_define_component, part, to);
  NAMED_AS(flg_define_configuration, configuration, to, "x/y");
  NAMED(flg_define_flexible, flexible, to);
  NAMED(flg_define_piece, piece, to);
  NAMED(flg_define_mode, mode, to);
  NAMED(flg_define_node, node, to);
}

static void options_of_systems(flg_definition *to) {
  NAMED(flg_define_subsystem, subsystem, to);
  NAMED_AS(flg_define_controller, controller, to, "x/y");
  NAMED(flg_define_interface, joint, to);
  NAMED(flg_define_contacts, touch, to);
  NAMELESS(flg_define_system, system, to);
  NAMELESS(flg_define_coupling, scheme, to);
  NAMELESS(flg_define_event, event, to);
  NAMELESS(flg_define_compare, compare, to);
}

/* members that cannot be said leave the definition as it was */
static void values_of_options(flg_definition *to) {
  static const double infinite[] = {1, INFINITY};
  static const char *const three[] = {"a", "b", "c"};
  const flg_named nothing = {.name = "p"};
  char before[400];
  snprintf(before, sizeof before, "%s", flg_definition_text(to));
  flg_body_options body = flg_body_default();
  body.centre[0] = 0, body.centre[1] = INFINITY, body.mass = 2;
  assert_int_equal(flg_define_body(to, "bad", &body, &error), FLG_ERR_RANGE);
  flg_model_options model = flg_model_default();
  model.apart = (flg_text_list){3, three};
  REFUSED(flg_define_model(to, &model, &error));
  model.apart.count = 0, model.parameters = (flg_named_list){1, &nothing};
  REFUSED(flg_define_model(to, &model, &error));
  flg_signal_options signal = flg_signal_default();
  signal.points = (flg_point_list){2, 1, infinite, infinite};
  assert_int_equal(flg_define_signal(to, "bad", &signal, &error), FLG_ERR_RANGE);
  signal.points.values = NULL;
  REFUSED(flg_define_signal(to, "bad", &signal, &error));
  flg_scheme_options scheme = flg_scheme_default();
  REFUSED(flg_define_coupling(to, &scheme, &error)); /* of systems alone */
  body.centre[1] = body.centre[2] = 0;
  REFUSED(flg_define_body(to, "a/b", &body, &error));
  assert_string_equal(flg_definition_text(to), before);
}

static void options(void **state) {
  (void)state;
  flg_definition *to = NULL, *system = NULL, *plain = NULL;
  assert_int_equal(flg_definition_build(&to, FLG_DEFINE_COMPONENT, "x", &error), FLG_OK);
  assert_int_equal(flg_definition_build(&system, FLG_DEFINE_SYSTEM, "x", &error), FLG_OK);
  assert_int_equal(flg_definition_build(&plain, FLG_DEFINE_COMPONENT, "x", &error), FLG_OK);
  options_of_components(to);
  options_of_systems(system);
  values_of_options(plain);
  flg_definition_release(plain);
  flg_definition_release(system);
  flg_shape_options shape = flg_shape_default();
  REFUSED(flg_define_shape(NULL, NULL, &shape, &error));
  assert_int_equal(flg_define_shape(to, NULL, &shape, &error), FLG_OK); /* on the ground */
  flg_body_options body = flg_body_default();
  body.mass = INFINITY;
  assert_int_equal(flg_define_body(to, "x", &body, &error), FLG_ERR_RANGE);
  flg_controller_options controller = flg_controller_default();
  REFUSED(flg_define_controller(to, "nobody", &controller, &error)); /* no owner */
  flg_options_clear("body", NULL, 8);
  flg_options_clear("nobody", &body, sizeof body);
  flg_options_clear("body", &body, 1);
  flg_options_clear(NULL, &body, sizeof body);
  flg_definition_release(to);
  REFUSED(flg_plugin_provide(NULL, NULL, &error));
  REFUSED(flg_plugin_provide("", NULL, &error));
  REFUSED(flg_plugin_provide("a/b", NULL, &error));
  assert_int_equal(flg_plugin_provide("unknown", NULL, &error), FLG_OK);
  assert_null(flg_plugin_state_of(NULL).values);
}

/* a struct of an earlier version is shorter, and what it does not have is not read */
static void shorter_options_are_taken(void **state) {
  (void)state;
  flg_definition *to = NULL;
  struct {
    flg_body_options body;
    double guard;
  } earlier = {.guard = 7};
  const size_t size = offsetof(flg_body_options, velocity);
  flg_options_clear("body", &earlier.body, size);
  earlier.body.mass = 3;
  assert_int_equal(flg_definition_build(&to, FLG_DEFINE_COMPONENT, "x", &error), FLG_OK);
  memset((char *)&earlier.body + size, 1, sizeof earlier.body - size); /* is of the caller */
  assert_int_equal(flg_define_body(to, "x", &earlier.body, &error), FLG_OK);
  assert_non_null(strstr(flg_definition_text(to), "x: {mass: 3}"));
  assert_near(earlier.guard, 7, 0);
  flg_definition_release(to);
}

static void recordings(void **state) {
  (void)state;
  test_folder folder = make_folder();
  const char *path = make_file(&folder, "run.csv", ""), *text = make_file(&folder, "x.h5", "no");
  flg_writer *writer = NULL;
  flg_reader *reader = NULL;
  const flg_signal signal = {"a", "", 1, NULL}, nameless = {NULL, "", 1, NULL};
  double values[2] = {0};
  int count = 4;
  REFUSED(flg_writer_open(NULL, path, one, &error));
  REFUSED(flg_writer_open(&writer, NULL, one, &error));
  REFUSED(flg_writer_open(&writer, path, NULL, &error));
  assert_int_equal(flg_writer_open(&writer, "/nowhere/a.csv", one, &error), FLG_ERR_OUTPUT);
  REFUSED(flg_writer_open_view(NULL, path, one, &error));
  REFUSED(flg_writer_open_view(&writer, NULL, one, &error));
  REFUSED(flg_writer_open_view(&writer, path, NULL, &error));
  REFUSED(flg_writer_open_view(&writer, "a.csv", one, &error));
  assert_int_equal(flg_writer_open_view(&writer, "/nowhere/a.h5", one, &error), FLG_ERR_OUTPUT);
  REFUSED(flg_writer_open_signals(NULL, path, NULL, &signal, 1, &error));
  REFUSED(flg_writer_open_signals(&writer, path, NULL, NULL, 1, &error));
  REFUSED(flg_writer_open_signals(&writer, path, NULL, &signal, 0, &error));
  REFUSED(flg_writer_open_signals(&writer, path, NULL, &nameless, 1, &error));
  REFUSED(flg_writer_record(NULL, one, &error));
  REFUSED(flg_writer_row(NULL, 0, values, 1, &error));
  assert_int_equal(flg_writer_close(NULL, "complete", &error), FLG_OK);
  assert_int_equal(flg_writer_open(&writer, path, one, &error), FLG_OK);
  REFUSED(flg_writer_record(writer, NULL, &error));
  REFUSED(flg_writer_record(writer, other, &error));
  REFUSED(flg_writer_row(writer, 0, NULL, 1, &error));
  REFUSED(flg_writer_row(writer, 0, values, 2, &error));
  assert_int_equal(flg_writer_close(writer, "complete", &error), FLG_OK);
  REFUSED(flg_reader_open(NULL, path, &error));
  REFUSED(flg_reader_open(&reader, NULL, &error));
  assert_int_equal(flg_reader_open(&reader, "/nowhere/a.h5", &error), FLG_ERR_MISSING);
  assert_int_equal(flg_reader_open(&reader, text, &error), FLG_ERR_INPUT);
  assert_null(reader);
  REFUSED(flg_reader_read(NULL, 0, 0, 1, values, &error));
  assert_int_equal(flg_reader_open(&reader, path, &error), FLG_OK);
  REFUSED(flg_reader_read(reader, 0, 0, 1, NULL, &error));
  REFUSED(flg_reader_read(reader, 9, 0, 1, values, &error));
  REFUSED(flg_reader_read(reader, -2, 0, 1, values, &error));
  REFUSED(flg_reader_read(reader, 0, 0, 2, values, &error));
  REFUSED(flg_reader_read(reader, 0, -1, 1, values, &error));
  REFUSED(flg_reader_read(reader, 0, 1, INT64_MAX, values, &error));
  assert_int_equal(flg_reader_find(reader, NULL), -2);
  assert_int_equal(flg_reader_find(NULL, "a"), -2);
  assert_null(flg_reader_signals(NULL, &count));
  assert_null(flg_reader_signals(reader, NULL));
  assert_int_equal(count, 0);
  assert_int_equal(flg_reader_rows(NULL), 0);
  assert_null(flg_reader_status(NULL));
  assert_null(flg_reader_scenario(NULL));
  flg_reader_close(reader);
  flg_reader_close(NULL);
  remove_folder(&folder);
}

static void loading(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  flg_simulation *made = NULL;
  assert_int_equal(flg_simulation_load(NULL, "x.yaml", NULL, 0, &mistakes), FLG_ERR_USAGE);
  assert_int_equal(mistakes.count, 1);
  assert_int_equal(flg_simulation_load(&made, NULL, NULL, 0, &mistakes), FLG_ERR_USAGE);
  assert_int_equal(flg_simulation_load(&made, "x.yaml", NULL, 3, &mistakes), FLG_ERR_USAGE);
  assert_int_equal(flg_simulation_load(&made, "/nowhere/x.yaml", NULL, 0, NULL), FLG_ERR_MISSING);
  assert_int_equal(flg_simulation_load_text(&made, NULL, NULL, NULL, 0, &mistakes), FLG_ERR_USAGE);
  assert_int_equal(flg_simulation_load_text(NULL, "a: b", NULL, NULL, 0, &mistakes), FLG_ERR_USAGE);
  assert_int_equal(flg_simulation_load_text(&made, "", NULL, NULL, 0, NULL), FLG_ERR_INPUT);
  assert_null(made);
}

static void looking_at_nothing(void **state) {
  (void)state;
  double position, velocity;
  flg_contact_outcome outcome;
  int most = 0;
  REFUSED(flg_simulation_step(NULL, &error));
  REFUSED(flg_simulation_judge(NULL, &error));
  flg_simulation_release(NULL);
  flg_simulation_share(NULL, NULL);
  flg_simulation_watch(NULL, NULL);
  flg_simulation_record(NULL, &position);
  flg_simulation_record(one, NULL);
  assert_null(flg_simulation_name(NULL));
  assert_null(flg_simulation_text(NULL));
  assert_null(flg_simulation_coupling(NULL));
  assert_null(flg_simulation_notice(NULL, 0));
  assert_null(flg_simulation_notice(one, -1));
  assert_int_equal(flg_simulation_stepper_count(NULL), 0);
  assert_null(flg_simulation_stepper(NULL, 0));
  assert_null(flg_simulation_stepper(one, 1));
  assert_null(flg_simulation_integrator(one, -1));
  assert_true(isnan(flg_simulation_time(NULL)) && isnan(flg_simulation_end(NULL)));
  assert_true(isnan(flg_simulation_macro(NULL)) && flg_simulation_ended(NULL));
  assert_int_equal(flg_simulation_macro_steps(NULL) + flg_simulation_micro_steps(NULL), 0);
  assert_int_equal(flg_simulation_divided_steps(NULL, &most), 0);
  assert_int_equal(flg_simulation_divided_steps(one, NULL), 0);
  assert_near(flg_simulation_energy(NULL).most, 0, 0);
  assert_false(flg_simulation_constraints(NULL, &position, &velocity));
  assert_false(flg_simulation_constraints(one, NULL, &velocity));
  assert_false(flg_simulation_contacts(NULL, &outcome));
  assert_false(flg_simulation_contacts(one, NULL));
  assert_int_equal(flg_simulation_interface_count(NULL), 0);
  assert_null(flg_simulation_interface(one, 0).name);
  assert_int_equal(flg_simulation_signal_count(NULL) + flg_simulation_width(NULL), 0);
  assert_null(flg_simulation_signals(NULL));
  assert_int_equal(flg_simulation_hash(NULL) | flg_simulation_identity(NULL), 0);
}

static void studies(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  static const char wrist[] = "examples/wrist/wrist.yaml";
  static const char *const shorter[] = {"time.end=0.05"};
  flg_study *study = NULL;
  flg_study_outcome outcome;
  flg_difference difference;
  flg_definition *part = NULL;
  assert_int_equal(flg_study_load(NULL, wrist, NULL, NULL, NULL, 0, &mistakes), FLG_ERR_USAGE);
  assert_int_equal(flg_study_load(&study, NULL, NULL, NULL, NULL, 0, &mistakes), FLG_ERR_USAGE);
  assert_int_equal(flg_study_load(&study, wrist, NULL, NULL, NULL, 1, &mistakes), FLG_ERR_USAGE);
  assert_int_equal(flg_study_load(&study, "/no", NULL, NULL, NULL, 0, NULL), FLG_ERR_MISSING);
  assert_int_equal(flg_study_load(&study, wrist, "no", NULL, NULL, 0, &mistakes), FLG_ERR_INPUT);
  assert_int_equal(flg_study_load(&study, wrist, NULL, "-1", NULL, 0, &mistakes), FLG_ERR_INPUT);
  assert_int_equal(flg_study_build(&study, NULL, NULL, NULL, NULL, 0, &mistakes), FLG_ERR_USAGE);
  assert_int_equal(flg_definition_build(&part, FLG_DEFINE_ROBOT, "x", &error), FLG_OK);
  assert_int_equal(flg_study_build(&study, part, NULL, NULL, NULL, 0, &mistakes), FLG_ERR_USAGE);
  flg_definition_release(part);
  assert_null(study);
  REFUSED(flg_study_run(NULL, NULL, &error));
  flg_study_watch(NULL, NULL);
  flg_study_release(NULL);
  assert_int_equal(flg_study_count(NULL), 0);
  assert_null(flg_study_simulation(NULL, -1));
  assert_int_equal(flg_study_load(&study, wrist, "sequential", NULL, shorter, 1, &mistakes),
                   FLG_OK);
  REFUSED(flg_study_look(study, 0, &outcome, &error)); /* it has not been run */
  assert_int_equal(flg_study_run(study, NULL, &error), FLG_OK);
  REFUSED(flg_study_run(study, NULL, &error)); /* again */
  REFUSED(flg_study_look(NULL, 0, &outcome, &error));
  REFUSED(flg_study_look(study, 1, &outcome, &error));
  REFUSED(flg_study_look(study, -2, &outcome, &error));
  REFUSED(flg_study_look(study, 0, NULL, &error));
  REFUSED(flg_study_difference(study, 0, NULL, &difference, &error));
  REFUSED(flg_study_difference(study, 0, "arm/energy", NULL, &error));
  REFUSED(flg_study_difference(NULL, 0, "arm/energy", &difference, &error));
  assert_int_equal(flg_study_difference(study, 0, "no", &difference, &error), FLG_ERR_INPUT);
  assert_null(flg_study_simulation(study, 1));
  assert_int_equal(flg_study_look(study, 0, &outcome, &error), FLG_OK);
  assert_string_equal(outcome.coupling, "sequential");
  flg_study_release(study);
}

static void sides(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  static const char wrist[] = "examples/wrist/wrist.yaml";
  flg_simulation *apart = NULL;
  flg_side side = {.size = sizeof side};
  assert_int_equal(flg_simulation_load_apart(NULL, wrist, NULL, 0, &mistakes), FLG_ERR_USAGE);
  assert_int_equal(flg_simulation_load_apart(&apart, NULL, NULL, 0, &mistakes), FLG_ERR_USAGE);
  assert_int_equal(flg_simulation_load_apart(&apart, wrist, NULL, 0, NULL), FLG_OK);
  REFUSED(flg_side_look(NULL, NULL, 0, false, &side, &error));
  REFUSED(flg_side_look(apart, NULL, 0, false, NULL, &error));
  REFUSED(flg_side_look(apart, NULL, 2, false, &side, &error));
  REFUSED(flg_side_look(apart, NULL, -1, false, &side, &error));
  side.size = 2 * sizeof side;
  REFUSED(flg_side_look(apart, NULL, 0, false, &side, &error));
  side.size = offsetof(flg_side, position); /* of an earlier version */
  side.rank = 17;
  assert_int_equal(flg_side_look(apart, NULL, 0, false, &side, &error), FLG_OK);
  assert_string_equal(side.subsystem, "arm");
  assert_int_equal(side.rank, 17);
  assert_int_equal(flg_side_look(apart, "no", 0, false, &side, &error), FLG_ERR_INPUT);
  assert_int_equal(flg_side_look(one, NULL, 0, false, &side, &error), FLG_ERR_INPUT);
  flg_simulation_release(apart);
}

/* --- while it steps: by a controller of its own --------------------------------------------------
 */

static struct {
  flg_simulation *of; /* NULL: nothing is tried */
  flg_input effort;
  flg_trigger lock;
  flg_ports rod;
  void *block;
  int calls;
} meddler;

static void *create_meddler(const flg_plugin_setup *setup, char *text) {
  (void)setup, (void)text;
  return &meddler;
}

static void destroy_meddler(void *instance) {
  (void)instance;
}

static void meddle(void *instance, double time, const double *positions, const double *velocities,
                   double *efforts) {
  (void)instance, (void)time, (void)positions, (void)velocities;
  const double torque = 1;
  double rows[36];
  flg_output output;
  flg_input input;
  flg_trigger trigger;
  flg_ports ports;
  const char *const names[] = {"a/rod"};
  flg_simulation *of = meddler.of;
  const size_t bytes = of == NULL ? 0 : flg_state_bytes(of);
  efforts[0] = 0;
  if (of == NULL) return;
  meddler.calls++;
  REFUSED(flg_simulation_step(of, &error));
  REFUSED(flg_output_find(of, "a/energy", &output, &error));
  REFUSED(flg_input_find(of, "a/swing.effort", &input, &error));
  REFUSED(flg_trigger_find(of, "unlock", "a/swing", 0, &trigger, &error));
  REFUSED(flg_ports_find(of, names, 1, &ports, &error));
  REFUSED(flg_input_write(of, meddler.effort, &torque, 1, &error));
  REFUSED(flg_input_write_many(of, &meddler.effort, 1, &torque, 1, &error));
  REFUSED(flg_input_clear(of, meddler.effort, &error));
  REFUSED(flg_trigger_fire(of, meddler.lock, NULL, 0, &error));
  REFUSED(flg_ports_reduce(of, meddler.rod, 0.1, 6, rows, NULL, NULL, &error));
  REFUSED(flg_state_get(of, meddler.block, bytes, &error));
  REFUSED(flg_state_set(of, meddler.block, bytes, &error));
  REFUSED(flg_state_reset(of, &error));
  REFUSED(flg_state_save(of, "/nowhere/x", &error));
  REFUSED(flg_state_restore(of, "/nowhere/x", &error));
  flg_simulation_release(of); /* does nothing */
}

static void calls_inside_of_a_step(void **state) {
  (void)state;
  static const flg_plugin_controller controller = {sizeof controller, 0, create_meddler,
                                                   destroy_meddler, meddle};
  static const flg_plugin table = {FLG_PLUGIN_ABI, sizeof table, "meddler", "1", NULL, &controller};
  static const char meddled[] =
      "flange: 1\ntime: {end: 1, macro: 1/10}\nsubsystems: {a: {model: robot.yaml, controllers:\n"
      "  {m: {kind: plugin, plugin: meddler, sample: 1/10}}}}\nrecord: [a/swing.position]\n";
  const char *const names[] = {"a/rod"};
  assert_int_equal(flg_plugin_provide("meddler", &table, &error), FLG_OK);
  flg_simulation *of = load_three_texts(meddled, NULL, robot);
  assert_int_equal(flg_input_find(of, "a/swing.effort", &meddler.effort, &error), FLG_OK);
  assert_int_equal(flg_trigger_find(of, "lock", "a/swing", 0, &meddler.lock, &error), FLG_OK);
  assert_int_equal(flg_ports_find(of, names, 1, &meddler.rod, &error), FLG_OK);
  meddler.block = malloc(flg_state_bytes(of));
  assert_int_equal(flg_state_get(of, meddler.block, flg_state_bytes(of), &error), FLG_OK);
  meddler.of = of;
  for (int k = 0; k < 3; k++) assert_int_equal(flg_simulation_step(of, &error), FLG_OK);
  assert_true(meddler.calls >= 3);
  meddler.of = NULL;
  assert_int_equal(flg_state_set(of, meddler.block, flg_state_bytes(of), &error), FLG_OK);
  flg_simulation_release(of);
  free(meddler.block);
  assert_int_equal(flg_plugin_provide("meddler", NULL, &error), FLG_OK);
}

static void foundations(void **state) {
  (void)state;
  char text[20] = "x";
  assert_int_equal(flg_mistake_add(NULL, FLG_ERR_INPUT, (flg_place){0}, "x"), FLG_ERR_INPUT);
  flg_mistake_text(NULL, text, 20);
  assert_string_equal(text, "");
  flg_mistake_text(NULL, NULL, 20);
  assert_int_equal(flg_mistakes_error(NULL, &error), FLG_OK);
  assert_int_equal(flg_fail(NULL, FLG_ERR_INPUT, "x"), FLG_ERR_INPUT);
  assert_non_null(flg_status_text((flg_status)999));
  REFUSED(flg_threads_build(NULL, 1, &error));
  flg_threads_release(NULL);
  assert_int_equal(flg_threads_count(NULL), 1);
  flg_threads_for(NULL, 3, NULL, NULL);
  assert_string_equal(flg_version(), FLG_VERSION);
  assert_int_equal(flg_version_number(), FLG_VERSION_NUMBER);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(outputs, set_up, tear_down),
      cmocka_unit_test_setup_teardown(inputs, set_up, tear_down),
      cmocka_unit_test_setup_teardown(triggers, set_up, tear_down),
      cmocka_unit_test_setup_teardown(touches, set_up, tear_down),
      cmocka_unit_test_setup_teardown(states, set_up, tear_down),
      cmocka_unit_test_setup_teardown(ports, set_up, tear_down),
      cmocka_unit_test(admittances),
      cmocka_unit_test(eliminations),
      cmocka_unit_test(definitions),
      cmocka_unit_test(options),
      cmocka_unit_test(shorter_options_are_taken),
      cmocka_unit_test_setup_teardown(recordings, set_up, tear_down),
      cmocka_unit_test(loading),
      cmocka_unit_test_setup_teardown(looking_at_nothing, set_up, tear_down),
      cmocka_unit_test(studies),
      cmocka_unit_test_setup_teardown(sides, set_up, tear_down),
      cmocka_unit_test(calls_inside_of_a_step),
      cmocka_unit_test(foundations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
