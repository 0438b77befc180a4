#include "compile/tree_library.h"

#include <math.h>
#include <string.h>

#include "assembly/assembly_signals.h"
#include "base/tolerances.h"
#include "compile/component_signals.h"
#include "compile/joint_source.h"
#include "compile/source_text.h"
#include "compile/tree_source.h"
#include "component/assembly_start.h"
#include "parts/trees.h"

/* as in joint_space.h: frames have these quantities, in their order */
enum { OF_FRAMES = 4, POSITION = 0, EFFORT = 2 };

/* [s]: no step is longer */
static const double HUGE_STEP = 1e300;
/* of a stable step: rounded steps are taken, as by the interpreter, which warns from there on */
static const double SLACK = 1.01;

typedef struct writer {
  const flg_mechanism_source *source;
  flg_mistakes *mistakes;
  FILE *out;
  flg_region region;
  flg_assembly *assembly;
  flg_tree_terms terms;
  flg_forward_terms factors; /* of the mass matrix without gears */
  flg_link_anchor *frames;   /* (frame_count) ports, then those of signals */
  int port_count, frame_count;
  flg_term *told; /* (told_count) numbers of signals */
  int told_count;
  double longest; /* step that its springs are stable in [s] */
  flg_component_signals signals;
  flg_mechanism_size *size;
} writer;

static void tree_library_refuse(const writer *of, const char *why) {
  const flg_component *component = of->source->component;
  flg_mistake_add(of->mistakes, FLG_ERR_INPUT, (flg_place){.file = component->file},
                  "'%s' cannot be compiled with --integrator rk4: %s", component->name, why);
}

/* --- the machine --------------------------------------------------------------------------------
 */

/* The generated code asks the scenario for gravity, once for all bodies. */
static bool has_own_gravity(const flg_component *component) {
  for (int k = 0; k < component->body_count; k++) {
    if (!component->bodies[k].is_port && !isnan(component->bodies[k].gravity.x)) return true;
  }
  return false;
}

/* built as for a run in joint coordinates, and closed */
static bool lay_out_tree(writer *of) {
  flg_error error;
  flg_assembly_options options = flg_assembly_default();
  options.name = of->source->component->name;
  options.scheme = FLG_SCHEME_RK4;
  options.reduces = options.has_trees = true;
  flg_status status =
      flg_assembly_build(&of->assembly, of->source->component, NULL, &options, of->mistakes);
  if (status != FLG_OK) return false;
  status = flg_assembly_close(of->assembly, &error);
  if (status == FLG_OK) return true;
  flg_mistake_add(of->mistakes, status, (flg_place){.file = of->source->component->file}, "%s",
                  error.message);
  return false;
}

/* As for a run, which keeps what floats in absolute coordinates (compose/making.c). */
static bool floats(const flg_assembly *assembly) {
  const flg_trees *trees = &assembly->model.trees;
  for (int k = 0; trees->count > 0 && k < trees->first[trees->count]; k++) {
    if (trees->links[k].joint == FLG_NO_JOINT) return true;
  }
  return false;
}

/* Before terms are made: they leave the assembly where it stands. */
static bool find_longest(writer *of) {
  of->longest = flg_assembly_longest_stage_step(of->assembly);
  of->region.failed = of->region.failed || isnan(of->longest);
  return !of->region.failed;
}

static bool find_terms(writer *of) {
  if (of->source->component->robot_count > 0) {
    tree_library_refuse(of, "it has robots in it");
  } else if (has_own_gravity(of->source->component)) {
    tree_library_refuse(of, "bodies in it have a gravity of their own");
  } else if (lay_out_tree(of) && find_longest(of)) {
    if (!floats(of->assembly) && flg_tree_terms_build(&of->terms, of->assembly, true, &of->region))
      return flg_tree_terms_factor(&of->terms, &of->factors, &of->region);
    if (!of->region.failed) {
      tree_library_refuse(of,
                          "only bodies on joints without loops are, with springs, loads, motors, "
                          "efforts and signals, and gears on parallel axes; no dry friction, "
                          "stops, bushings, prescribed motions, or shapes that can touch");
    }
  }
  return false;
}

/* --- what it tells ------------------------------------------------------------------------------
 */

static bool tell(writer *of, flg_component_signal *to, flg_term term) {
  if (term < 0) return false;
  if (to->what < 0) to->second = of->told_count;
  to->what = 0, to->first = -1;
  of->told[of->told_count++] = term;
  return true;
}

/* a signal, or one of a motor's three: current, torque, voltage */
static flg_term signal_of(const writer *of, int number) {
  const flg_signals *signals = of->assembly->model.signals;
  const int motor = number - signals->block_count;
  const flg_term *values = of->terms.signals.values;
  if (motor < 0) return values[signals->first_block + 2 * number];
  if (motor < 3 * signals->motor_count) return values[signals->first_motor + motor];
  return values[signals->first_effort + motor - 3 * signals->motor_count];
}

static bool tell_coordinate(writer *of, flg_component_signal *to, int coordinate, int quantity) {
  if (quantity >= EFFORT) return false;
  const flg_term *from = quantity == POSITION ? of->terms.value : of->terms.rate;
  return tell(of, to, from[coordinate]);
}

static bool tell_joint(writer *of, flg_component_signal *to, int index, int quantity) {
  const flg_component_joint *joint = &of->source->component->joints[index];
  const int count = flg_constraint_kinds[joint->kind].coordinate_count;
  bool is_known = count > 0;
  for (int k = 0; k < count && is_known; k++) {
    is_known = tell_coordinate(of, to, joint->coordinate[k], quantity);
  }
  return is_known;
}

static bool tell_spring(writer *of, flg_component_signal *to, int force, int quantity) {
  const flg_running_force *own = &of->assembly->model.forces[force];
  if (own->force.kind != &flg_spring_kind) return false;
  if (quantity == EFFORT) return tell(of, to, of->terms.springs[force]);
  return tell_coordinate(of, to, own->coordinate, quantity);
}

/* what: -1 until it has its first number; first: its frame, -1: numbers, from `second` on */
static bool take_tree_signal(void *context, flg_component_signal *to, const flg_source *source,
                             int quantity) {
  writer *of = context;
  to->what = -1;
  switch (source->kind) {
    case FLG_SOURCE_FRAME:
      if (quantity >= OF_FRAMES) return false;
      to->first = of->frame_count - of->port_count, to->second = quantity;
      of->frames[of->frame_count++] = flg_tree_terms_anchor(&of->terms, &source->anchor);
      return true;
    case FLG_SOURCE_JOINT:
      return tell_joint(of, to, source->first, quantity);
    case FLG_SOURCE_COORDINATES:
      return tell_coordinate(of, to, source->first, quantity);
    case FLG_SOURCE_SPRING:
      return tell_spring(of, to, source->first, quantity);
    case FLG_SOURCE_SIGNAL:
      return tell(of, to, signal_of(of, source->first + quantity));
    default:
      return false;
  }
}

static bool is_own_port(const flg_component_frame *frame) {
  return frame->port && frame->group == FLG_TOP;
}

static bool collect_told(writer *of) {
  const flg_component *component = of->source->component;
  const size_t signals = (size_t)of->source->signal_count;
  const int before = of->mistakes->count;
  of->frames =
      flg_region_take(&of->region, (size_t)component->frame_count + signals, sizeof *of->frames);
  of->told = flg_region_take(&of->region, 2 * signals, sizeof *of->told);
  if (of->region.failed) return false;
  for (int k = 0; k < component->frame_count; k++) {
    if (!is_own_port(&component->frames[k])) continue;
    const flg_part_anchor anchor = flg_assembly_anchor(of->assembly, &component->frames[k].anchor);
    of->frames[of->frame_count++] = flg_tree_terms_anchor(&of->terms, &anchor);
  }
  of->port_count = of->frame_count;
  flg_component_signals_find(&of->signals, of->source->signals, of->source->signal_count,
                             of->assembly, take_tree_signal, of, &of->region, of->mistakes);
  return !of->region.failed && of->mistakes->count == before;
}

/* --- tables -------------------------------------------------------------------------------------
 */

static void write_tree_start(const writer *of) {
  const struct flg_assembly_model *model = &of->assembly->model;
  const flg_signals *signals = model->signals;
  fputs("static const double starts[] = {", of->out);
  flg_text_values(of->assembly->state.q, model->position_count, of->out);
  flg_text_values(of->assembly->state.v, model->velocity_count, of->out);
  if (signals != NULL) {
    flg_text_values(signals->state, signals->state_count + signals->held_count, of->out);
  }
  fputs("0};\n", of->out);
}

static void write_curve(const flg_curve *curve, const char *name, int number, FILE *out) {
  const int count = curve->knots * curve->width;
  if (count == 0) return;
  fprintf(out, "static const double %s_times_%d[] = {", name, number);
  flg_text_values(curve->times, curve->knots, out);
  fprintf(out, "};\nstatic const double %s_values_%d[] = {", name, number);
  flg_text_values(curve->values, count, out);
  fputs("};\n", out);
  if (curve->curvatures == NULL) return;
  fprintf(out, "static const double %s_bends_%d[] = {", name, number);
  flg_text_values(curve->curvatures, count, out);
  fputs("};\n", out);
}

/* in the order of the fields of source_kernels.h */
static void write_source(const flg_block *block, const char *name, int number, FILE *out) {
  const double numbers[] = {block->at,        block->until, block->from,
                            block->to,        block->slope, block->amplitude,
                            block->frequency, block->phase, block->offset};
  const flg_curve *curve = &block->curve;
  fprintf(out, "  {%d, ", (int)block->kind);
  flg_text_values(numbers, sizeof numbers / sizeof *numbers, out);
  if (curve->knots * curve->width == 0) {
    fputs("{0}},\n", out);
    return;
  }
  fprintf(out, "{%d, %d, %d, %s_times_%d, %s_values_%d, ", (int)curve->kind, curve->knots,
          curve->width, name, number, name, number);
  if (curve->curvatures == NULL) fputs("0}},\n", out);
  if (curve->curvatures != NULL) fprintf(out, "%s_bends_%d}},\n", name, number);
}

static void write_sources(const writer *of, const char *name, const int *blocks, int count) {
  const flg_block *all = of->source->component->blocks;
  for (int k = 0; k < count; k++) {
    write_curve(&all[blocks[k]].curve, name, k, of->out);
  }
  fprintf(of->out, "static const flg_block %s_blocks[] = {\n", name);
  for (int k = 0; k < count; k++) {
    write_source(&all[blocks[k]], name, k, of->out);
  }
  fputs("  {0}};\n", of->out);
}

static void write_source_kinds(FILE *out) {
  fprintf(out,
          "enum { FLG_BLOCK_CONSTANT = %d, FLG_BLOCK_STEP = %d, FLG_BLOCK_RAMP = %d, "
          "FLG_BLOCK_SINE = %d };\n"
          "typedef struct flg_block {\n  int kind;\n"
          "  double at, until, from, to, slope, amplitude, frequency, phase, offset;\n"
          "  flg_curve curve;\n} flg_block;\n",
          FLG_BLOCK_CONSTANT, FLG_BLOCK_STEP, FLG_BLOCK_RAMP, FLG_BLOCK_SINE);
}

static void write_held(writer *of) {
  const flg_signal_terms *made = &of->terms.signals;
  const size_t n = (size_t)made->held_count;
  double *periods = flg_region_take(&of->region, n, sizeof *periods);
  int *sources = flg_region_take(&of->region, n, sizeof *sources), count = 0;
  int *sampled = flg_region_take(&of->region, n, sizeof *sampled);
  if (of->region.failed) return;
  for (int k = 0; k < made->held_count; k++) {
    const flg_block *block = &of->source->component->blocks[made->held[k]];
    periods[k] = block->sample, sources[k] = -1;
    if (!flg_block_is_source(block)) continue;
    sources[k] = count;
    sampled[count++] = made->held[k];
  }
  write_sources(of, "sampled", sampled, count);
  flg_text_numbers("held_periods", periods, made->held_count, of->out);
  flg_text_integers("held_sources", sources, made->held_count, of->out);
  fputs("#define SAMPLE_SLACK ", of->out);
  flg_emit_number(FLG_SAMPLE_SLACK, of->out);
  fputs("\n", of->out);
}

static void write_signal_tables(writer *of) {
  const flg_signals *signals = of->assembly->model.signals;
  const int decays = signals == NULL ? 0 : signals->decay_count;
  flg_text_embed(&flg_text_curve, of->out);
  flg_text_embed(&flg_text_curve_code, of->out);
  write_source_kinds(of->out);
  flg_text_embed(&flg_text_source_kernels, of->out);
  flg_text_embed(&flg_text_larger, of->out);
  flg_text_embed(&flg_text_exponential, of->out);
  flg_text_embed(&flg_text_exponential_code, of->out);
  flg_text_embed(&flg_text_signal_kernels, of->out);
  write_sources(of, "source", of->terms.signals.sources, of->terms.signals.source_count);
  write_held(of);
  fputs("static const double decay_matrices[][4] = {", of->out);
  for (int k = 0; k < decays; k++) {
    fputs("{", of->out);
    flg_text_values(signals->decays[k].A, 4, of->out);
    fputs("}, ", of->out);
  }
  fputs("{0}};\n", of->out);
}

/* in the order of the inputs of tree_terms.c; what is switched off stays off */
static void write_tree_loads(writer *of) {
  const struct flg_assembly_model *model = &of->assembly->model;
  int count = 0, *turns = flg_region_take(&of->region, (size_t)model->force_count, sizeof *turns);
  if (of->region.failed) return;
  fputs("static const double load_numbers[] = {", of->out);
  for (int k = 0; k < model->force_count; k++) {
    const flg_component_load *load = model->forces[k].force.of;
    if (model->forces[k].force.kind != &flg_load_kind) continue;
    double numbers[6] = {0};
    if (load->enabled) flg_spatial_store(load->force, numbers);
    flg_text_values(numbers, 6, of->out);
    turns[count++] = load->follows;
  }
  fprintf(of->out, "0};\nenum { LOADS = %d };\n", count);
  flg_text_integers("load_turns", turns, count, of->out);
}

static void write_tree_names(const writer *of) {
  const flg_component *component = of->source->component;
  fputs("static const char *const port_names[] = {", of->out);
  for (int k = 0; k < component->frame_count; k++) {
    if (!is_own_port(&component->frames[k])) continue;
    flg_text_string(component->frames[k].name, of->out);
    fputs(", ", of->out);
  }
  fputs("0};\n", of->out);
}

static void write_tree_signals(writer *of) {
  const size_t n = (size_t)of->signals.count;
  int *frames = flg_region_take(&of->region, n, sizeof *frames);
  int *places = flg_region_take(&of->region, n, sizeof *places);
  if (of->region.failed) return;
  for (int k = 0; k < of->signals.count; k++) {
    frames[k] = of->signals.list[k].first, places[k] = of->signals.list[k].second;
  }
  fprintf(of->out, "enum { SIGNALS = %d, TOLD = %d };\n", of->signals.count, of->told_count);
  flg_component_signals_write_table(&of->signals, "", of->out);
  flg_text_integers("signal_frames", frames, of->signals.count, of->out);
  flg_text_integers("signal_places", places, of->signals.count, of->out);
}

/* Mass of bodies that joints fix to the ground: part of the energy, in gravity. */
static double mass_on_ground(const flg_assembly *assembly, flg_vec3 *moment) {
  double sum = 0;
  *moment = (flg_vec3){0, 0, 0};
  for (int k = 0; k < assembly->model.member_count; k++) {
    const flg_member *member = &assembly->model.members[k];
    const double mass = assembly->model.component->bodies[member->body].mass;
    if (member->centre.of != NULL) continue;
    *moment = flg_vec3_add(*moment, flg_vec3_scale(member->centre.pose.position, mass));
    sum += mass;
  }
  return sum;
}

/* energy of springs, and of what stands on the ground */
static flg_term find_stored(writer *of) {
  flg_terms *graph = &of->terms.graph;
  flg_vec3 moment;
  flg_term g[3];
  (void)mass_on_ground(of->assembly, &moment);
  for (int k = 0; k < 3; k++) g[k] = flg_terms_input(graph, FLG_INPUT_GRAVITY, k);
  const flg_term falls =
      flg_term3_dot(graph, (flg_term3){g[0], g[1], g[2]}, flg_term3_constant(graph, moment));
  return flg_terms_subtract(graph, of->terms.stored, falls);
}

static double find_mass(const writer *of) {
  flg_vec3 moment;
  double sum = mass_on_ground(of->assembly, &moment);
  for (int k = 0; k < of->terms.elements.count; k++) {
    sum += of->terms.elements.list[k].inertia.mass;
  }
  return sum;
}

/* --- functions ----------------------------------------------------------------------------------
 */

static void emit_from(writer *of, const char *name, const char *output,
                      const flg_emit_outputs *from, int input_count) {
  const char *const outputs[] = {output};
  if (of->region.failed) return;
  flg_tree_source_emit(&of->terms,
                       (flg_emit_function){.name = name,
                                           .outputs = outputs,
                                           .output_count = 1,
                                           .results = from->list,
                                           .result_count = from->count},
                       input_count, &of->region, of->out);
}

static void write_factors(writer *of) {
  static const char *const inputs[] = {"q", "s", "c"}, *const outputs[] = {"yields", "factors"};
  const int n = of->factors.count;
  flg_emit_outputs both = flg_emit_outputs_take(&of->region, n + of->factors.factor_count);
  flg_emit_outputs_put(&both, of->factors.yields, n, 0);
  flg_emit_outputs_put(&both, of->factors.factors, of->factors.factor_count, 1);
  if (of->region.failed) return;
  flg_tree_source_emit(&of->terms,
                       (flg_emit_function){.name = "find_factors",
                                           .inputs = inputs,
                                           .outputs = outputs,
                                           .output_count = 2,
                                           .results = both.list,
                                           .result_count = both.count},
                       FLG_INPUT_VELOCITIES, &of->region, of->out);
}

static void write_samples(writer *of) {
  const int count = 5 * of->terms.signals.held_count;
  const flg_term *samples = flg_tree_terms_samples(&of->terms, &of->region);
  flg_emit_outputs all = flg_emit_outputs_take(&of->region, count);
  if (samples == NULL) {
    if (!of->region.failed) tree_library_refuse(of, "a signal that is sampled cannot be written");
    return;
  }
  flg_emit_outputs_put(&all, samples, count, 0);
  emit_from(of, "find_samples", "h", &all, FLG_TREE_INPUT_COUNT);
}

static void write_told(writer *of) {
  flg_emit_outputs all = flg_emit_outputs_take(&of->region, of->told_count);
  flg_emit_outputs_put(&all, of->told, of->told_count, 0);
  emit_from(of, "find_told", "t", &all, FLG_TREE_CLOCK + 1);
}

static void tree_library_write_all(writer *of) {
  const flg_joint_source joints = {&of->terms.elements,
                                   of->frames,
                                   of->port_count,
                                   of->frame_count,
                                   flg_trees_coupled(of->terms.parts, 0),
                                   &of->region,
                                   of->out};
  flg_text_head(of->out);
  flg_text_names(of->source->name, of->out);
  flg_tree_source_write_steps(&of->terms, &of->region, of->out);
  write_signal_tables(of);
  flg_joint_source_tables(&joints, &of->factors);
  write_factors(of);
  flg_joint_source_functions(&joints, &of->terms.graph, &of->terms.frames, find_stored(of));
  write_samples(of);
  write_told(of);
  write_tree_start(of);
  write_tree_loads(of);
  write_tree_names(of);
  write_tree_signals(of);
  fputs("#define LONGEST_STEP ", of->out);
  flg_emit_number(isinf(of->longest) ? HUGE_STEP : SLACK * of->longest, of->out);
  fputs("\n#define TOTAL_MASS ", of->out);
  flg_emit_number(find_mass(of), of->out);
  fputs("\n", of->out);
  flg_text_embed(&flg_text_joint_space, of->out);
  flg_text_embed(&flg_text_tree_ports, of->out);
  flg_text_embed(&flg_text_plugin_table, of->out);
}

flg_status flg_tree_library_write(const flg_mechanism_source *source, FILE *out,
                                  flg_mechanism_size *size, flg_mistakes *mistakes) {
  writer of = {.source = source, .mistakes = mistakes, .out = out};
  const int before = mistakes->count;
  if (find_terms(&of) && collect_told(&of)) tree_library_write_all(&of);
  if (of.region.failed) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "there is no memory to compile with");
  }
  if (size != NULL && mistakes->count == before) {
    *size = (flg_mechanism_size){.bodies = source->component->body_count,
                                 .joints = source->component->joint_count,
                                 .coordinates = of.terms.velocities,
                                 .signals = of.signals.count};
  }
  flg_assembly_release(of.assembly);
  flg_region_release(&of.region);
  return mistakes->count > before ? mistakes->status : FLG_OK;
}
