#include "compile/compiled_tree.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "compile/cache.h"
#include "compile/tree_source.h"
#include "math/larger.h"
#include "plugin/plugin_library.h"

/* steps of the comparison with the interpreter */
enum { TRIED_STEPS = 8 };
/* Of the largest number of the state: both do the same operations in another order. */
static const double AGREED_STATE = 1e-12;

typedef struct compiled_tree {
  flg_tree_terms terms;
  flg_region *region;
  flg_plugin_library library;
} compiled_tree;

static void release_compiled_tree(void *what) {
  flg_plugin_close(&((compiled_tree *)what)->library);
}

static flg_status write_compiled_tree(void *context, const char *name, FILE *out,
                                      flg_mistakes *mistakes) {
  const compiled_tree *of = context;
  flg_tree_source_write(&of->terms, name, of->region, out);
  if (!of->region->failed) return FLG_OK;
  return flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
}

/* --- what a step is given -----------------------------------------------------------------------
 */

static void fill_decays(const flg_signals *signals, flg_tree_decay *to) {
  for (int k = 0; k < signals->decay_count; k++) {
    const flg_decay *from = &signals->decays[k];
    to[k] = (flg_tree_decay){from->whole[0], from->half[0], from->weight[0]};
  }
}

/* a coordinate that is a sum, without its zeros */
static void fill_angle(const flg_tree_terms *of, int coordinate, flg_region *region,
                       flg_stage_angle *angle) {
  const double *from = of->factors + (size_t)coordinate * (size_t)of->positions;
  int *positions = flg_region_take(region, (size_t)of->positions, sizeof *positions);
  double *factors = flg_region_take(region, (size_t)of->positions, sizeof *factors);
  if (region->failed) return;
  angle->zero = of->zeros[coordinate];
  angle->positions = positions, angle->factors = factors;
  for (int k = 0; k < of->positions; k++) {
    if (from[k] == 0) continue;
    positions[angle->count] = k, factors[angle->count++] = from[k];
  }
}

/* angles that steps of the interpreter keep (assembly_motion.c): exactly if something reads them */
static int list_angles(const flg_tree_terms *of, flg_region *region, flg_stage_angle *to) {
  int count = 0;
  for (int k = 0; k < of->assembly->model.coordinate_count; k++) {
    const flg_running_coordinate *own = &of->assembly->model.coordinates[k];
    if (own->angle < 0 || (own->joint.position >= 0 && !own->is_used)) continue;
    to[count] = (flg_stage_angle){.angle = own->angle, .is_exact = own->is_used};
    fill_angle(of, k, region, &to[count++]);
  }
  return count;
}

/* Everything that changes from step to step is written to these arrays; the library holds no state,
 * so one of it serves any number of assemblies. */
static flg_stage_code *make_stage_code(const flg_tree_terms *of, flg_region *region) {
  const flg_signals *signals = of->assembly->model.signals;
  const size_t decays = signals == NULL ? 0 : (size_t)signals->decay_count;
  const size_t coordinates = (size_t)of->assembly->model.coordinate_count;
  flg_stage_code *code = flg_region_take(region, 1, sizeof *code);
  flg_stage_angle *angles = flg_region_take(region, coordinates, sizeof *angles);
  if (region->failed) return NULL;
  *code = (flg_stage_code){.source_count = of->signals.source_count,
                           .held_count = of->signals.held_count,
                           .switch_count = of->given_count,
                           .sources = of->signals.sources,
                           .held = of->signals.held,
                           .switches = of->switches,
                           .angles = angles};
  code->source_numbers = flg_region_take(region, 6 * (size_t)code->source_count, sizeof(double));
  code->held_numbers = flg_region_take(region, 2 * (size_t)code->held_count, sizeof(double));
  code->switched = flg_region_take(region, (size_t)code->switch_count, sizeof(double));
  code->decays = flg_region_take(region, decays, sizeof *code->decays);
  if (region->failed) return NULL;
  code->angle_count = list_angles(of, region, angles);
  if (signals != NULL) fill_decays(signals, code->decays);
  return region->failed ? NULL : code;
}

/* Another mechanism has other sizes. Where they agree by chance, the comparison below finds out. */
static bool fits_tree(const flg_tree_code_table *table, const flg_tree_terms *of) {
  const flg_signals *signals = of->assembly->model.signals;
  return table != NULL && table->positions == of->positions &&
         table->velocities == of->velocities &&
         table->states == (signals == NULL ? 0 : signals->state_count) &&
         table->sources == of->signals.source_count && table->held == of->signals.held_count &&
         table->given == of->given_count;
}

/* --- against the interpreter --------------------------------------------------------------------
 */

/* Several steps: one alone would not use what a step leaves for the next, such as states of
 * signals. */
static bool run_some(flg_assembly *assembly, double h) {
  for (int k = 0; k < TRIED_STEPS; k++) {
    if (flg_assembly_try(assembly, k * h, h) != FLG_OK) return false;
  }
  return true;
}

/* positions, velocities and states of signals: angles follow from positions */
static int copy_tree_state(const flg_assembly *assembly, double *to) {
  const int positions = assembly->model.position_count, velocities = assembly->model.velocity_count;
  const flg_signals *signals = assembly->model.signals;
  const int states = signals == NULL ? 0 : signals->state_count;
  memcpy(to, assembly->state.q, (size_t)positions * sizeof *to);
  memcpy(to + positions, assembly->state.v, (size_t)velocities * sizeof *to);
  if (states > 0) memcpy(to + positions + velocities, signals->state, (size_t)states * sizeof *to);
  return positions + velocities + states;
}

/* The largest difference of the states after some steps, of the largest number; numbers: room for
 * three states. */
static double compare_states(flg_assembly *assembly, double h, flg_stage_code *code,
                             double *numbers) {
  const size_t count = (size_t)assembly->model.state_count, bytes = count * sizeof(double);
  double *start = numbers, *ours = numbers + count, *theirs = ours + count;
  /* Both start at the same numbers. The state is written back before and after: users do not see
   * the trial. */
  double off = 0, size = 0;
  memcpy(start, assembly->state.numbers, bytes);
  assembly->model.stages = code;
  const bool taken = run_some(assembly, h) && assembly->model.code.declined == 0;
  copy_tree_state(assembly, ours);
  memcpy(assembly->state.numbers, start, bytes);
  assembly->model.stages = NULL;
  const bool interpreted = run_some(assembly, h);
  const int compared = copy_tree_state(assembly, theirs);
  for (int k = 0; k < compared; k++) {
    off = flg_larger(off, fabs(ours[k] - theirs[k]));
    size = flg_larger(size, fabs(theirs[k]));
  }
  memcpy(assembly->state.numbers, start, bytes);
  assembly->model.code.taken = assembly->model.code.declined = 0;
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  /* A step that neither can take is no difference: it is reported where it happens in the run. */
  if (!taken || !interpreted) return taken == interpreted ? 0 : (double)INFINITY;
  return size > 0 ? off / size : off;
}

static flg_status check_compiled_tree(flg_assembly *assembly, double step, flg_stage_code *code,
                                      const char *path, flg_region *region, flg_error *error) {
  char spoilt[FLG_PLUGIN_TEXT] = "";
  const flg_passages passages = assembly->scratch.passages; /* nothing is noted of the trial */
  double *numbers =
      flg_region_take(region, 3 * (size_t)assembly->model.state_count, sizeof *numbers);
  if (numbers == NULL) return flg_fail(error, FLG_ERR_MEMORY, "no memory left");
  const double off = compare_states(assembly, step, code, numbers);
  assembly->scratch.passages = passages;
  if (flg_plugin_spoils_arithmetic(spoilt))
    return flg_fail(error, FLG_ERR_INPUT, "'%s': %s", path, spoilt);
  if (off <= AGREED_STATE) return FLG_OK;
  return flg_fail(error, FLG_ERR_INPUT,
                  "the library '%s' and the interpreter differ by %.2g of the largest number of "
                  "the state, and may by %.0e",
                  path, off, AGREED_STATE);
}

/* --- all of it ----------------------------------------------------------------------------------
 */

static flg_status load_compiled_tree(compiled_tree *of, flg_assembly *assembly, double step,
                                     const char *path, flg_error *error) {
  flg_region_owe(of->region, release_compiled_tree, of);
  flg_stage_code *code = make_stage_code(&of->terms, of->region);
  if (code == NULL || of->region->failed) return flg_fail(error, FLG_ERR_MEMORY, "no memory left");
  flg_status status = flg_plugin_open(&of->library, path, error);
  if (status != FLG_OK) return status;
  const flg_tree_code_table *table = dlsym(of->library.handle, FLG_TREE_CODE_SYMBOL);
  if (!fits_tree(table, &of->terms))
    return flg_fail(error, FLG_ERR_INPUT, "'%s' is the library of another mechanism", path);
  code->step = table->step;
  status = check_compiled_tree(assembly, step, code, path, of->region, error);
  if (status == FLG_OK) assembly->model.stages = code;
  return status;
}

static flg_status refuse_tree(flg_mistakes *mistakes, const flg_region *region) {
  if (region->failed) {
    return flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  }
  return flg_mistake_add(mistakes, FLG_ERR_INPUT, (flg_place){0},
                         "components that step by rk4 are only if they are bodies on joints "
                         "without loops, with springs, loads, motors, efforts and signals, and "
                         "gears on parallel axes");
}

flg_status flg_compiled_tree_equip(flg_assembly *assembly, double step,
                                   const flg_compiler_options *compiler, flg_region *region,
                                   flg_notices *notices, flg_mistakes *mistakes) {
  flg_cached_library found = {.was_there = false};
  flg_error error;
  compiled_tree *of = flg_region_take(region, 1, sizeof *of);
  if (of == NULL) return refuse_tree(mistakes, region);
  *of = (compiled_tree){.region = region};
  if (!flg_tree_terms_build(&of->terms, assembly, false, region))
    return refuse_tree(mistakes, region);
  flg_status status = flg_cache_find(compiler, assembly->model.options.name, write_compiled_tree,
                                     of, &found, notices, mistakes);
  if (status != FLG_OK) return status;
  status = load_compiled_tree(of, assembly, step, found.path, &error);
  flg_cache_leave(&found);
  if (status != FLG_OK) {
    return flg_mistake_add(mistakes, status, (flg_place){0}, "%s", error.message);
  }
  return FLG_OK;
}
