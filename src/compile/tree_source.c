#include "compile/tree_source.h"

#include "compile/joint_source.h"
#include "compile/source_text.h"
#include "compile/texts.h"

/* Sizes are constants of the generated file: compilers can unroll its loops, and it allocates
 * nothing. */
static void write_tree_counts(const flg_tree_terms *of, FILE *out) {
  const flg_signals *signals = of->assembly->model.signals;
  const int motors = signals == NULL ? 0 : signals->motor_count;
  const int efforts = signals == NULL ? 0 : signals->effort_count;
  const int states = signals == NULL ? 0 : signals->state_count;
  const int decays = signals == NULL ? 0 : signals->decay_count;
  fprintf(out,
          "enum { STATES = %d, MOTORS = %d, EFFORTS = %d, DECAYS = %d, SOURCES = %d, HELD = %d,\n"
          "  GIVEN = %d };\n",
          states, motors, motors + efforts, decays, of->signals.source_count,
          of->signals.held_count, of->given_count);
}

static void write_decays(const flg_signals *signals, FILE *out) {
  fputs("static const int decay_first[] = {", out);
  for (int k = 0; k < signals->decay_count; k++) fprintf(out, "%d, ", signals->decays[k].first);
  fputs("0};\nstatic const int decay_count[] = {", out);
  for (int k = 0; k < signals->decay_count; k++) fprintf(out, "%d, ", signals->decays[k].count);
  fputs("0};\n", out);
}

/* Of a motor with inductance, R/L is the rate at which its current decays: the last stage of a step
 * makes up the exact impulse of the current from it (tree_step.h). */
static void write_motors(const flg_signals *signals, FILE *out) {
  fputs("static const int motor_states[] = {", out);
  for (int k = 0; k < signals->motor_count; k++) fprintf(out, "%d, ", signals->motors[k].state);
  fputs("0};\nstatic const double motor_rates[] = {", out);
  for (int k = 0; k < signals->motor_count; k++) {
    const flg_running_motor *own = &signals->motors[k];
    flg_emit_number(own->state < 0 ? 0 : own->motor->resistance / own->motor->inductance, out);
    fputs(", ", out);
  }
  fputs("0};\nstatic const double motor_constants[] = {", out);
  for (int k = 0; k < signals->motor_count; k++) {
    flg_emit_number(signals->motors[k].motor->torque_constant, out);
    fputs(", ", out);
  }
  fputs("0};\n", out);
}

static void write_tables(const flg_tree_terms *of, flg_region *region, FILE *out) {
  static const flg_signals none = {0};
  const flg_signals *signals = of->assembly->model.signals;
  flg_joint_source_coordinates(
      &(flg_joint_source){.elements = &of->elements, .region = region, .out = out});
  write_tree_counts(of, out);
  write_decays(signals == NULL ? &none : signals, out);
  write_motors(signals == NULL ? &none : signals, out);
}

void flg_tree_source_emit(const flg_tree_terms *of, flg_emit_function function, int input_count,
                          flg_region *region, FILE *out) {
  static const char *const inputs[FLG_TREE_INPUT_COUNT] = {
      [FLG_INPUT_POSITIONS] = "q",  [FLG_INPUT_SINES] = "s", [FLG_INPUT_COSINES] = "c",
      [FLG_INPUT_VELOCITIES] = "v", [FLG_TREE_STATES] = "x", [FLG_TREE_SOURCES] = "f",
      [FLG_TREE_HELD] = "z",        [FLG_TREE_CLOCK] = "d",  [FLG_TREE_MEMORY] = "m",
      [FLG_TREE_DUE] = "u"};
  function.type = "double";
  if (function.inputs == NULL) function.inputs = inputs;
  function.input_count = input_count;
  flg_emit(&of->graph, &function, region, out);
}

/* Signals and accelerations are two functions: between them the steps find the efforts of motors,
 * which at the last stage depend on the currents of all stages (tree_step.h). */
static void write_signals(const flg_tree_terms *of, flg_region *region, FILE *out) {
  static const char *const outputs[] = {"r", "i"};
  const flg_signals *signals = of->assembly->model.signals;
  const int states = signals == NULL ? 0 : signals->state_count;
  const int flows = signals == NULL ? 0 : signals->motor_count + signals->effort_count;
  flg_emit_output *results =
      flg_region_take(region, (size_t)states + (size_t)flows, sizeof *results);
  if (region->failed) return;
  for (int k = 0; k < states; k++) results[k] = (flg_emit_output){of->signals.rest[k], 0, k};
  for (int k = 0; k < flows; k++) {
    results[states + k] = (flg_emit_output){of->signals.flows[k], 1, k};
  }
  const flg_emit_function function = {.name = "find_signals",
                                      .outputs = outputs,
                                      .output_count = 2,
                                      .results = results,
                                      .result_count = states + flows};
  /* also where there is no signal: the text of the steps calls it */
  flg_tree_source_emit(of, function, FLG_TREE_CLOCK + 1, region, out);
}

static void write_accelerations(const flg_tree_terms *of, flg_region *region, FILE *out) {
  static const char *const inputs[FLG_TREE_INPUT_COUNT] = {
      [FLG_INPUT_POSITIONS] = "q",  [FLG_INPUT_SINES] = "s",  [FLG_INPUT_COSINES] = "c",
      [FLG_INPUT_VELOCITIES] = "v", [FLG_TREE_EFFORTS] = "f", [FLG_TREE_GIVEN] = "k"};
  static const char *const outputs[] = {"a"};
  flg_emit_output *results = flg_region_take(region, (size_t)of->velocities, sizeof *results);
  if (region->failed) return;
  for (int k = 0; k < of->velocities; k++) results[k] = (flg_emit_output){of->motion.a[k], 0, k};
  const flg_emit_function function = {.name = "find_accelerations",
                                      .inputs = inputs,
                                      .outputs = outputs,
                                      .output_count = 1,
                                      .results = results,
                                      .result_count = of->velocities};
  flg_tree_source_emit(of, function, FLG_TREE_INPUT_COUNT, region, out);
}

void flg_tree_source_write_steps(const flg_tree_terms *of, flg_region *region, FILE *out) {
  flg_text_embed(&flg_text_tree_code, out);
  flg_text_embed(&flg_text_signal_calls, out);
  write_tables(of, region, out);
  write_signals(of, region, out);
  write_accelerations(of, region, out);
  flg_text_embed(&flg_text_tree_step, out);
}

/* The table of the library has its sizes: a library of another mechanism is noticed when it is
 * loaded (compiled_tree.c). */
void flg_tree_source_write(const flg_tree_terms *of, const char *name, flg_region *region,
                           FILE *out) {
  flg_text_head(out);
  flg_text_names(name, out);
  flg_tree_source_write_steps(of, region, out);
  fputs(
      "FLG_PLUGIN_EXPORT const flg_tree_code_table flg_tree_code_v1 = {\n"
      "  POSITIONS, VELOCITIES, STATES, SOURCES, HELD, GIVEN, tree_step};\n\n"
      "static const flg_plugin library = {.abi = FLG_PLUGIN_ABI, .size = sizeof library,\n"
      "  .name = LIBRARY_NAME, .version = LIBRARY_VERSION};\n\n"
      "FLG_PLUGIN_EXPORT const flg_plugin *flg_plugin_v1(void) {\n  return &library;\n}\n",
      out);
}
