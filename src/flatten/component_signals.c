/* Signals of a component: first all names, then what they need, which may be any of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/closest.h"
#include "flatten/component_build.h"

/* --- names --------------------------------------------------------------------------------- */

/* where names in formulas are looked up */
typedef struct lookup {
  const flg_component_builder *build;
  const flg_scope *scope;
  bool is_a_try; /* the message is not read: no hint is looked for */
} lookup;

static const flg_component_mover *mover_at(const flg_component_builder *build,
                                           const flg_scope *scope, const char *name) {
  const int number = flg_name_index_find(&build->by_mover, flg_build_path(build, scope, name));
  return number < 0 ? NULL : &((const flg_component_mover *)build->movers.items)[number];
}

static bool component_find_parameter(const flg_scope *scope, const char *name, double *value) {
  const int found = flg_name_index_find(&scope->by_parameter, name);
  if (found < 0) return false;
  const flg_value *known = (const flg_value *)scope->parameters.items + found;
  if (known->numbers.count == 0) return false;
  *value = known->numbers.values[0];
  return true;
}

static void signal_tell_unknown(const lookup *in, const char *name,
                                char message[FLG_FORMULA_MESSAGE]) {
  const flg_component_mover *movers = in->build->movers.items;
  if (in->build->mistakes->count >= FLG_MISTAKES_LISTED) { /* only counted */
    snprintf(message, FLG_FORMULA_MESSAGE, "there is no '%.60s'", name);
    return;
  }
  flg_closest closest = flg_closest_begin(name);
  flg_closest_offer(&closest, "time");
  for (int k = 0; k < in->build->movers.count; k++) {
    const bool is_near = movers[k].group == in->scope->group && movers[k].name != NULL;
    if (is_near) flg_closest_offer(&closest, movers[k].name);
  }
  const flg_value *known = in->scope->parameters.items;
  for (int k = 0; k < in->scope->parameters.count; k++) {
    flg_closest_offer(&closest, known[k].origin.name);
  }
  const char *word;
  for (int k = 0; (word = flg_formula_word(k)) != NULL; k++) flg_closest_offer(&closest, word);
  char hint[FLG_HINT_TEXT];
  snprintf(message, FLG_FORMULA_MESSAGE, "there is no signal or parameter '%.60s'%s", name,
           flg_closest_text(&closest, hint));
}

/* --- what a name means --------------------------------------------------------------------- */

static bool make_signal_step(flg_variable_kind kind, int index, flg_formula_step *step) {
  *step = (flg_formula_step){.operation = FLG_FORMULA_VARIABLE,
                             .count = flg_variable_pack((flg_variable){kind, index})};
  return true;
}

static int coordinate_of(const flg_component_builder *build, const flg_component_mover *mover,
                         const char *word, size_t length) {
  const flg_component_coordinate *known = build->coordinates.items;
  const bool both = mover->coordinate[1] >= 0;
  for (int k = 0; k < 2; k++) {
    const int at = mover->coordinate[k];
    if (at < 0) continue;
    const char *kind = flg_coordinate_kind_name(known[at].kind);
    if (length == 0 && (!both || known[at].kind == FLG_COORDINATE_ANGLE)) return at;
    if (length == strlen(kind) && strncmp(word, kind, length) == 0) return at;
  }
  return -1;
}

/* [.angle|.slide|.distance][.position|.velocity] */
static bool find_measure(const flg_component_builder *build, const flg_component_mover *mover,
                         const char *rest, flg_formula_step *step) {
  const char *last = strrchr(rest, '.');
  const bool velocity = last != NULL && strcmp(last, ".velocity") == 0;
  const bool position = last != NULL && strcmp(last, ".position") == 0;
  const size_t length = velocity || position ? (size_t)(last - rest) : strlen(rest);
  const int coordinate =
      coordinate_of(build, mover, length == 0 ? "" : rest + 1, length == 0 ? 0 : length - 1);
  if (coordinate < 0) return false;
  return make_signal_step(velocity ? FLG_VARIABLE_VELOCITY : FLG_VARIABLE_POSITION, coordinate,
                          step);
}

static bool has_rate(const flg_component_builder *build, int index) {
  const flg_block *block = &((const flg_block *)build->blocks.items)[index];
  return flg_block_is_source(block) || block->kind == FLG_BLOCK_FILTER ||
         block->kind == FLG_BLOCK_INPUT;
}

/* of a mover: what comes after its name */
static bool component_find_quantity(const flg_component_builder *build,
                                    const flg_component_mover *mover, const char *rest,
                                    flg_formula_step *step) {
  static const char *const of_motor[] = {".current", ".torque", ".voltage"};
  switch (mover->kind) {
    case FLG_MOVER_BLOCK:
      if (rest[0] == '\0') return make_signal_step(FLG_VARIABLE_VALUE, mover->number, step);
      return strcmp(rest, ".rate") == 0 && has_rate(build, mover->number) &&
             make_signal_step(FLG_VARIABLE_RATE, mover->number, step);
    case FLG_MOVER_MOTOR:
      for (int k = 0; k < 3; k++) {
        if (strcmp(rest, of_motor[k]) != 0) continue;
        return make_signal_step((flg_variable_kind)(FLG_VARIABLE_CURRENT + k), mover->number, step);
      }
      return false;
    case FLG_MOVER_EFFORT:
      return rest[0] == '\0' && make_signal_step(FLG_VARIABLE_EFFORT, mover->number, step);
    default:
      return find_measure(build, mover, rest, step);
  }
}

static void tell_quantity(const flg_component_mover *mover, const char *name,
                          char message[FLG_FORMULA_MESSAGE]) {
  static const char *const offers[] = {
      [FLG_MOVER_COORDINATES] =
          "a coordinate has .position and .velocity, and .angle or .slide before it",
      [FLG_MOVER_BLOCK] = "sources and filters have a .rate",
      [FLG_MOVER_MOTOR] = "a motor has .current, .torque and .voltage",
      [FLG_MOVER_EFFORT] = "an effort is its own signal"};
  snprintf(message, FLG_FORMULA_MESSAGE, "'%.60s' is not known; %s", name, offers[mover->kind]);
}

/* the inner component of that name, -1: there is none */
static int signal_group_of(const lookup *in, const char *name) {
  const flg_component_builder *build = in->build;
  const int number = flg_name_index_find(&build->by_part, flg_build_path(build, in->scope, name));
  if (number < 0) return -1;
  const flg_named_part *part = &((const flg_named_part *)build->parts.items)[number];
  return part->kind == FLG_PART_GROUP ? part->index : -1;
}

/* its file has mistakes, and what is missing in it need not be reported as well */
static bool is_told(const flg_component_builder *build, int group) {
  return group >= 0 && ((const bool *)build->told.items)[group];
}

static bool component_find_output(const lookup *in, const char *name, flg_formula_step *step,
                                  char message[FLG_FORMULA_MESSAGE]) {
  const flg_component_builder *build = in->build;
  const int number = flg_name_index_find(&build->by_output, flg_build_path(build, in->scope, name));
  if (number >= 0) {
    const flg_variable signal = ((const flg_variable *)build->outputs.items)[number];
    return make_signal_step(signal.kind, signal.index, step);
  }
  const char *part = flg_region_text(build->region, name, strcspn(name, "/"));
  *step = (flg_formula_step){.operation = FLG_FORMULA_NUMBER};
  if (part == NULL || is_told(build, signal_group_of(in, part))) return true;
  snprintf(message, FLG_FORMULA_MESSAGE, "'%.80s' is no output of an inner component", name);
  return false;
}

static bool find_own_signal(const lookup *in, const char *name, flg_formula_step *step,
                            char message[FLG_FORMULA_MESSAGE]) {
  const flg_component_builder *build = in->build;
  const size_t length = strcspn(name, ".");
  const char *base = flg_region_text(build->region, name, length);
  double value;
  if (base == NULL) return true; /* told when the region is looked at */
  const flg_component_mover *mover = mover_at(build, in->scope, base);
  const bool is_parameter =
      name[length] == '\0' && component_find_parameter(in->scope, name, &value);
  if (mover != NULL && is_parameter) {
    snprintf(message, FLG_FORMULA_MESSAGE,
             "'%.60s' is a parameter, and something else as well; rename one of them", name);
    return false;
  }
  if (is_parameter) {
    *step = (flg_formula_step){.operation = FLG_FORMULA_NUMBER, .number = value};
    return true;
  }
  if (mover == NULL) {
    if (!in->is_a_try) signal_tell_unknown(in, name, message);
    return false;
  }
  *step = (flg_formula_step){.operation = FLG_FORMULA_NUMBER};
  if (mover->told || component_find_quantity(build, mover, name + length, step)) return true;
  tell_quantity(mover, name, message);
  return false;
}

static bool find_name(const void *context, const char *name, flg_formula_step *step,
                      char message[FLG_FORMULA_MESSAGE]) {
  const lookup *in = context;
  if (strcmp(name, "time") == 0) return make_signal_step(FLG_VARIABLE_TIME, 0, step);
  return (strchr(name, '/') != NULL ? component_find_output : find_own_signal)(in, name, step,
                                                                               message);
}

static bool signal_is_part(const void *context, const char *path) {
  return signal_group_of(context, path) >= 0;
}

/* --- formulas ------------------------------------------------------------------------------ */

/* a name as it is, whatever its letters; else an expression */
static flg_formula read_formula(const flg_component_builder *build, const flg_scope *scope,
                                const flg_origin *text) {
  const lookup in = {.build = build, .scope = scope};
  const flg_formula_names names = {&in, find_name, signal_is_part};
  flg_formula formula = {0};
  flg_formula_step step = {0};
  flg_formula_fault fault;
  if (text->name == NULL) return formula;
  const lookup quietly = {.build = build, .scope = scope, .is_a_try = true};
  if (find_name(&quietly, text->name, &step, fault.message) &&
      step.operation == FLG_FORMULA_VARIABLE) {
    return flg_formula_of_variable(step.count, build->region);
  }
  if (flg_formula_compile(&formula, text->name, &names, build->region, &fault)) return formula;
  flg_place place = text->place;
  if (place.column > 0 && strchr(text->name, '\n') == NULL) place.column += fault.offset;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place, "in '%.80s': %s", text->name,
                  fault.message);
  return flg_formula_of_number(0, build->region);
}

/* --- declarations -------------------------------------------------------------------------- */

static bool check_name(const flg_component_builder *build, const flg_scope *scope,
                       const flg_origin *origin) {
  double unused;
  const char *wrong = NULL;
  if (!flg_formula_allows_name(origin->name)) {
    wrong = "signals are called by letters, digits and '_', and not as functions are";
  } else if (strcmp(origin->name, "time") == 0) {
    wrong = "that is the time itself; choose another name";
  } else if (component_find_parameter(scope, origin->name, &unused)) {
    wrong = "that is a parameter; choose another name";
  }
  if (wrong == NULL) return true;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, origin->place, "'%s': %s", origin->name, wrong);
  return false;
}

static void enter_signal(flg_component_builder *build, const flg_scope *scope,
                         const flg_origin *origin, const char *path, flg_mover_kind kind,
                         int number) {
  const flg_component_mover mover = {.name = origin->name,
                                     .group = scope->group,
                                     .coordinate = {-1, -1},
                                     .kind = kind,
                                     .number = number};
  flg_build_enter_mover(build, origin, path, &mover);
}

static void declare_block(flg_component_builder *build, const flg_scope *scope,
                          const flg_origin *origin, flg_block block) {
  flg_block *added = flg_build_add(build, &build->blocks, sizeof *added, "signals", origin->place);
  if (added == NULL) return;
  check_name(build, scope, origin);
  *added = block;
  added->name = flg_build_path(build, scope, origin->name);
  added->place = origin->place;
  added->group = scope->group;
  enter_signal(build, scope, origin, added->name, FLG_MOVER_BLOCK, build->blocks.count - 1);
}

static void declare_input(flg_component_builder *build, const flg_scope *scope,
                          const flg_input_keys *keys) {
  flg_block block = {.kind = FLG_BLOCK_INPUT, .limit = {-INFINITY, INFINITY}};
  if (!isnan(keys->value)) block.input = flg_formula_of_number(keys->value, build->region);
  declare_block(build, scope, &keys->origin, block);
}

static void declare_motor(flg_component_builder *build, const flg_scope *scope,
                          const flg_motor_keys *keys) {
  const flg_origin *origin = &keys->origin;
  flg_motor *motor = flg_build_add(build, &build->motors, sizeof *motor, "motors", origin->place);
  if (motor == NULL) return;
  const bool own_emf = !isnan(keys->back_emf);
  *motor = (flg_motor){.name = flg_build_path(build, scope, origin->name),
                       .place = origin->place,
                       .group = scope->group,
                       .resistance = keys->resistance,
                       .inductance = keys->inductance,
                       .torque_constant = keys->torque_constant,
                       .back_emf = own_emf ? keys->back_emf : keys->torque_constant,
                       .current = keys->current,
                       .coordinate = -1};
  flg_build_limit(build, origin, &keys->limit, motor->limit);
  if (keys->on != NULL) {
    motor->coordinate =
        flg_build_find_coordinate(build, scope, keys->on, origin->place, FLG_ANY_COORDINATE);
  }
  enter_signal(build, scope, origin, motor->name, FLG_MOVER_MOTOR, build->motors.count - 1);
}

static void declare_effort(flg_component_builder *build, const flg_scope *scope,
                           const flg_effort_keys *keys) {
  const flg_origin *origin = &keys->origin;
  flg_effort *effort =
      flg_build_add(build, &build->efforts, sizeof *effort, "efforts", origin->place);
  if (effort == NULL) return;
  *effort = (flg_effort){.name = flg_build_path(build, scope, origin->name),
                         .place = origin->place,
                         .group = scope->group,
                         .coordinate = -1};
  flg_build_limit(build, origin, &keys->limit, effort->limit);
  if (keys->on != NULL) {
    effort->coordinate =
        flg_build_find_coordinate(build, scope, keys->on, origin->place, FLG_ANY_COORDINATE);
  }
  enter_signal(build, scope, origin, effort->name, FLG_MOVER_EFFORT, build->efforts.count - 1);
}

/* --- what they need ------------------------------------------------------------------------ */

static void resolve_block(const flg_component_builder *build, const flg_scope *scope,
                          const flg_signal_keys *keys, flg_block *block) {
  const bool said = block->kind == FLG_BLOCK_FORMULA || block->kind == FLG_BLOCK_CONSTANT;
  block->input = read_formula(build, scope, said ? &keys->value : &keys->input);
  block->target = read_formula(build, scope, &keys->target);
  block->feed_forward = read_formula(build, scope, &keys->feed_forward);
  if (block->kind != FLG_BLOCK_CONSTANT || block->input.count == 0) return;
  if (block->input.count == 1 && block->input.steps[0].operation == FLG_FORMULA_NUMBER) {
    block->from = block->input.steps[0].number;
  } else {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, keys->value.place,
                    "signal '%s' is a constant, but '%.80s' changes; its kind is formula",
                    keys->origin.name, keys->value.name);
  }
}

static void resolve(const flg_component_builder *build, const flg_scope *scope,
                    const flg_component_keys *keys, int first_block, int first_motor,
                    int first_effort, int first_element) {
  const flg_signal_keys *signals = keys->signals.items;
  const flg_motor_keys *motors = keys->motors.items;
  const flg_effort_keys *efforts = keys->efforts.items;
  for (int k = 0; k < keys->signals.count; k++) {
    resolve_block(build, scope, &signals[k], &((flg_block *)build->blocks.items)[first_block + k]);
  }
  for (int k = 0; k < keys->motors.count; k++) {
    ((flg_motor *)build->motors.items)[first_motor + k].voltage =
        read_formula(build, scope, &motors[k].voltage);
  }
  for (int k = 0; k < keys->efforts.count; k++) {
    ((flg_effort *)build->efforts.items)[first_effort + k].effort =
        read_formula(build, scope, &efforts[k].effort);
  }
  flg_component_element *elements = build->elements.items;
  for (int k = first_element; k < build->elements.count; k++) {
    if (elements[k].kind->ends > 0) continue;
    const flg_driven_keys *driven = elements[k].keys;
    elements[k].signal = read_formula(build, scope, &driven->signal);
  }
}

/* --- through the border of a component ----------------------------------------------------- */

static void connect_signal(const flg_component_builder *build, const flg_scope *scope,
                           const char *part, const flg_wire *wire) {
  const char *name = flg_region_format(build->region, "%s/%s", part, wire->origin.name);
  const flg_component_mover *mover = name == NULL ? NULL : mover_at(build, scope, name);
  flg_block *blocks = build->blocks.items;
  const bool is_input = mover != NULL && mover->kind == FLG_MOVER_BLOCK &&
                        blocks[mover->number].kind == FLG_BLOCK_INPUT;
  const flg_formula formula = read_formula(build, scope, &wire->signal);
  if (is_input) {
    blocks[mover->number].input = formula;
    return;
  }
  const int group = signal_group_of(&(lookup){.build = build, .scope = scope}, part);
  if (group < 0 || is_told(build, group)) return;
  flg_closest closest = flg_closest_while_listed(wire->origin.name, build->mistakes);
  for (int k = 0; k < build->blocks.count; k++) {
    if (blocks[k].kind != FLG_BLOCK_INPUT || blocks[k].group != group) continue;
    const char *slash = strrchr(blocks[k].name, '/');
    flg_closest_offer(&closest, slash == NULL ? blocks[k].name : slash + 1);
  }
  char hint[FLG_HINT_TEXT];
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, wire->origin.place,
                  "component '%s' has no input '%s'%s", part, wire->origin.name,
                  flg_closest_text(&closest, hint));
}

static void declare_output(flg_component_builder *build, const flg_scope *scope,
                           const flg_origin *text) {
  const int before = build->mistakes->count;
  const flg_formula formula = read_formula(build, scope, text);
  const int variable = flg_formula_variable(&formula);
  if (variable < 0) {
    if (build->mistakes->count > before || build->region->failed) return;
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, text->place,
                    "output '%s' is an expression; make it a signal, and name that", text->name);
    return;
  }
  flg_variable *output = flg_growing_add(&build->outputs, sizeof *output, build->region);
  if (output == NULL) return;
  *output = flg_variable_unpack(variable);
  flg_name_index_add(&build->by_output, flg_build_path(build, scope, text->name),
                     build->outputs.count - 1, build->region);
}

/* --- all of it ----------------------------------------------------------------------------- */

void flg_build_signals(flg_component_builder *build, const flg_scope *scope,
                       const flg_component_keys *keys, int first_element) {
  const flg_input_keys *inputs = keys->inputs.items;
  const flg_signal_keys *signals = keys->signals.items;
  const flg_motor_keys *motors = keys->motors.items;
  const flg_effort_keys *efforts = keys->efforts.items;
  for (int k = 0; k < keys->inputs.count; k++) declare_input(build, scope, &inputs[k]);
  const int block = build->blocks.count, motor = build->motors.count;
  const int effort = build->efforts.count;
  for (int k = 0; k < keys->signals.count; k++) {
    declare_block(build, scope, &signals[k].origin, flg_build_block_numbers(build, &signals[k]));
  }
  for (int k = 0; k < keys->motors.count; k++) declare_motor(build, scope, &motors[k]);
  for (int k = 0; k < keys->efforts.count; k++) declare_effort(build, scope, &efforts[k]);
  if (build->full || build->region->failed) return;
  resolve(build, scope, keys, block, motor, effort, first_element);
  const flg_inner_component_keys *inner = keys->components.items;
  for (int k = 0; k < keys->components.count; k++) {
    const flg_wire *wires = inner[k].inputs.items;
    for (int w = 0; w < inner[k].inputs.count; w++) {
      connect_signal(build, scope, inner[k].origin.name, &wires[w]);
    }
  }
  for (int k = 0; k < keys->outputs.count; k++) {
    declare_output(build, scope, &keys->outputs.items[k]);
  }
}
