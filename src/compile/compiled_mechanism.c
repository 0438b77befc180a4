#include "compile/compiled_mechanism.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "compile/cache.h"
#include "compile/compiled_tree.h"
#include "compile/planar_source.h"
#include "compile/smooth_part.h"
#include "compile/space_source.h"
#include "math/larger.h"
#include "parts/bodies.h"
#include "plugin/plugin_library.h"

/* steps of the comparison: enough for the mechanism to move, and to use factors of a step before */
enum { TRIED = 8 };
/* Of the largest number of the state. The same operations leave the same bits; a compiler that
 * takes them in another order is off by rounding. */
static const double AGREED = 1e-12;

typedef int step_function(void *instance, double h, double *q, double *v, double *angles,
                          double work[4]);

typedef struct compiled_mechanism {
  flg_assembly *assembly;
  const flg_assembly *smooth; /* what there is code for: itself, or less (smooth_part.h) */
  bool is_pushed;             /* by more than gravity */
  double *kept, *impulses;    /* of flg_step_code */
  int *row_sets, joint_count;
  const flg_space_source *space; /* NULL: it moves in a plane */
  flg_region *region;
  flg_plugin_library library;
  void *instance;
  void (*destroy)(void *instance);
  step_function *step;
} compiled_mechanism;

static void compiled_mechanism_release(void *what) {
  compiled_mechanism *of = what;
  if (of->instance != NULL) of->destroy(of->instance);
  flg_plugin_close(&of->library);
}

/* --- making -------------------------------------------------------------------------------------
 */

static flg_status compiled_mechanism_write_source(void *context, const char *name, FILE *out,
                                                  flg_mistakes *mistakes) {
  const compiled_mechanism *of = context;
  if (of->space != NULL) {
    flg_space_source_write_alone(of->space, name, out);
  } else {
    flg_planar_source_write_alone(of->assembly->model.planar, name, of->region, out);
  }
  if (!of->region->failed) return FLG_OK;
  return flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
}

/* Sizes are compared before the first call: a step of another mechanism would write past the
 * state. */
/* false: it is the library of another mechanism */
static bool open_planar(compiled_mechanism *of, flg_region *region) {
  const flg_planar *planar = of->assembly->model.planar;
  const flg_planar_code_table *table = dlsym(of->library.handle, FLG_PLANAR_CODE_SYMBOL);
  flg_planar_numbers numbers;
  if (table == NULL || table->bodies != planar->body_count || table->pairs != planar->pair_count ||
      table->angles != planar->angle_count) {
    return false;
  }
  of->step = table->step, of->destroy = table->destroy;
  if (flg_planar_numbers_fill(of->assembly, region, &numbers)) {
    of->instance = table->create(&numbers);
  }
  return true;
}

/* forces on bodies, by the assembly's elements and signals; not finite: steps decline them */
static void push_bodies(void *context, int is_end, const double *q, const double *v,
                        double *forces) {
  const compiled_mechanism *of = context;
  const flg_bodies *bodies = flg_bodies_of(of->assembly->model.sets[0]);
  const flg_status status = flg_assembly_code_forces(of->assembly, is_end != 0, q, v);
  for (int k = 0; k < bodies->parts.count; k++) {
    flg_spatial_store(bodies->motions[k].force, forces + 6 * (size_t)k);
    if (status != FLG_OK) forces[6 * (size_t)k] = NAN;
  }
}

static bool open_space(compiled_mechanism *of, flg_region *region) {
  const flg_space_code_table *table = dlsym(of->library.handle, FLG_SPACE_CODE_SYMBOL);
  flg_space_numbers numbers;
  if (table == NULL || table->bodies != of->assembly->model.part_count ||
      table->joints != flg_space_source_joints(of->space) ||
      table->angles != flg_space_source_angles(of->space)) {
    return false;
  }
  of->step = table->step, of->destroy = table->destroy;
  if (!flg_space_numbers_fill(of->space, region, &numbers)) return true;
  if (of->is_pushed) numbers.push = push_bodies, numbers.context = of;
  numbers.impulses = of->impulses, numbers.asks = &of->assembly->model.watch_count;
  of->instance = table->create(&numbers);
  return true;
}

static flg_status open_mechanism(compiled_mechanism *of, const char *path, flg_region *region,
                                 flg_error *error) {
  const flg_status status = flg_plugin_open(&of->library, path, error);
  if (status != FLG_OK) return status;
  const bool fits = of->space != NULL ? open_space(of, region) : open_planar(of, region);
  if (!fits) {
    return flg_fail(error, FLG_ERR_INPUT, "'%s' is the library of another mechanism", path);
  }
  return of->instance != NULL ? FLG_OK : flg_fail(error, FLG_ERR_MEMORY, "no memory left");
}

/* --- against the interpreter --------------------------------------------------------------------
 */

/* States of both: whole blocks of the assembly. */
typedef struct trial {
  size_t count;
  size_t angle, others;          /* of the numbers: the first angle, and what comes after them */
  double *start, *before, *ours; /* (count) before all steps, before one, after it by the library */
  bool parted;                   /* one takes a step that the other leaves */
} trial;

static void copy_numbers(const trial *of, const double *from, double *to) {
  memcpy(to, from, of->count * sizeof *to);
}

/* relative to the largest number of the whole state: single ones may be zero but for rounding */
static double mechanisms_differ(const trial *of, const double *theirs) {
  double off = 0, size = 0;
  for (size_t k = 0; k < of->count; k++) {
    if (k >= of->angle && k < of->others) continue;
    off = flg_larger(off, fabs(of->ours[k] - theirs[k]));
    size = flg_larger(size, fabs(theirs[k]));
  }
  return size > 0 ? off / size : off;
}

/* By the same operations: both take the same steps, and leave the same bits. */
static bool is_exact(const compiled_mechanism *compiled) {
  return compiled->space == NULL;
}

/* one step by the interpreter; false: it did not get there */
static bool interpret(const compiled_mechanism *compiled, double time, double h) {
  flg_part_work work;
  return is_exact(compiled) ? flg_planar_interpret(compiled->assembly, h, &work)
                            : flg_assembly_try(compiled->assembly, time, h) == FLG_OK;
}

/* no rows of flat bodies were left out */
static bool has_all_forces(const compiled_mechanism *compiled) {
  return compiled->space != NULL && !compiled->smooth->scratch.has_flat;
}

static flg_step_code code_of(const compiled_mechanism *compiled) {
  return (flg_step_code){.step = compiled->step,
                         .instance = compiled->instance,
                         .is_pushed = compiled->is_pushed,
                         .kept = compiled->kept,
                         .impulses = compiled->impulses,
                         .row_sets = has_all_forces(compiled) ? compiled->row_sets : NULL,
                         .joint_count = compiled->joint_count};
}

/* one step by the library, with the assembly's forces */
static bool step_by_library(const compiled_mechanism *compiled, double time, double h) {
  flg_assembly *assembly = compiled->assembly;
  bool is_near = false;
  flg_status status = FLG_OK;
  if (!is_exact(compiled)) status = flg_assembly_touch_near(assembly, h, &is_near);
  if (status != FLG_OK || is_near) return false;
  assembly->model.code = code_of(compiled);
  const bool is_taken = flg_assembly_step_by_code(assembly, time, h, &status);
  assembly->model.code.step =
      NULL; /* until it has proved itself, all other steps are interpreted */
  return is_taken;
}

/* The largest difference over some steps, of the largest number. The interpreter takes all steps,
 * and the library the smooth ones; in the plane alone each leaves those that the other does. */
static double run_both(const compiled_mechanism *compiled, double h, trial *of) {
  double off = 0, *state = compiled->assembly->state.numbers;
  for (int k = 0; k < TRIED; k++) {
    copy_numbers(of, state, of->before);
    const bool taken = step_by_library(compiled, k * h, h);
    copy_numbers(of, state, of->ours);
    copy_numbers(of, of->before, state);
    if (!taken && !is_exact(compiled)) break;
    const bool interpreted = interpret(compiled, k * h, h);
    of->parted = of->parted || interpreted != taken;
    off = flg_larger(off, mechanisms_differ(of, state));
    if (!interpreted) break;
  }
  return off;
}

/* Numbers of a trial, for states of that assembly. */
static bool begin_trial(const compiled_mechanism *compiled, flg_region *region, trial *of) {
  const struct flg_assembly_model *model = &compiled->assembly->model;
  const int angle = model->position_count + model->velocity_count;
  *of = (trial){.count = (size_t)model->state_count, .angle = (size_t)angle};
  of->start = flg_region_take(region, 3 * of->count, sizeof(double));
  if (of->start == NULL) return false;
  of->before = of->start + of->count, of->ours = of->before + of->count;
  /* Those that no step reads are known within half a turn: each way of stepping has its own. */
  const int skipped = compiled->smooth == compiled->assembly ? 0 : model->angle_count;
  of->others = of->angle + (size_t)skipped;
  copy_numbers(of, compiled->assembly->state.numbers, of->start);
  return true;
}

/* The largest difference of some steps, as if there had been none: the next run starts where this
 * one did. False: no memory. */
static bool try_both(const compiled_mechanism *compiled, double h, flg_region *region, trial *of,
                     double *off) {
  flg_assembly *assembly = compiled->assembly;
  const flg_passages passages = assembly->scratch.passages;
  const flg_limits limits = assembly->state.limits;
  const size_t bytes = (size_t)limits.count * sizeof *limits.list;
  flg_limit *list = flg_region_take(region, (size_t)limits.count + 1, sizeof *list);
  if (list == NULL || !begin_trial(compiled, region, of)) return false;
  memcpy(list, limits.list, bytes);
  *off = run_both(compiled, h, of);
  copy_numbers(of, of->start, assembly->state.numbers);
  assembly->state.limits = limits;
  memcpy(limits.list, list, bytes);
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  assembly->scratch.passages = passages;
  return true;
}

static flg_status compiled_mechanism_compare(const compiled_mechanism *compiled, double h,
                                             const char *path, flg_region *region,
                                             flg_error *error) {
  char spoilt[FLG_PLUGIN_TEXT] = "";
  trial of;
  double off;
  if (!try_both(compiled, h, region, &of, &off)) {
    return flg_fail(error, FLG_ERR_MEMORY, "no memory left");
  }
  if (flg_plugin_spoils_arithmetic(spoilt)) {
    return flg_fail(error, FLG_ERR_INPUT, "'%s': %s", path, spoilt);
  }
  if (off <= AGREED && !of.parted) return FLG_OK;
  return flg_fail(error, FLG_ERR_INPUT,
                  "the library '%s' and the interpreter differ by %.2g of the largest number of "
                  "the state, and may by %.0e",
                  path, of.parted ? (double)INFINITY : off, AGREED);
}

/* --- all of it ----------------------------------------------------------------------------------
 */

static flg_status compiled_mechanism_load(compiled_mechanism *of, double step,
                                          const flg_cached_library *found, flg_region *region,
                                          flg_error *error) {
  flg_region_owe(region, compiled_mechanism_release, of);
  if (region->failed) return flg_fail(error, FLG_ERR_MEMORY, "no memory left");
  flg_status status = open_mechanism(of, found->path, region, error);
  if (status == FLG_OK) status = compiled_mechanism_compare(of, step, found->path, region, error);
  return status;
}

static flg_status refuse_mechanism(flg_mistakes *mistakes, const flg_region *region) {
  if (region->failed) {
    return flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  }
  return flg_mistake_add(mistakes, FLG_ERR_INPUT, (flg_place){0},
                         "components are only if they are bodies, joints and elements that are not "
                         "stiff for the step, without gears, motions and viscous friction, "
                         "and step by rattle");
}

/* forces of joints that it was laid out for: the plane has none of them */
static bool is_to_be_asked(const flg_assembly *assembly) {
  const bool *is_asked = assembly->model.options.is_asked;
  for (int k = 0; is_asked != NULL && k < assembly->model.joint_count; k++) {
    if (is_asked[k]) return true;
  }
  return false;
}

static bool find_space(compiled_mechanism *of, flg_region *region) {
  of->space = flg_space_source_build(of->smooth, of->is_pushed, region);
  if (of->space == NULL) return false;
  of->joint_count = flg_space_source_joints(of->space);
  of->row_sets = flg_region_take(region, (size_t)of->joint_count + 1, sizeof *of->row_sets);
  of->impulses = flg_region_take(region, 12 * (size_t)of->joint_count + 1, sizeof *of->impulses);
  for (int k = 0; k < of->joint_count && !region->failed; k++) {
    of->row_sets[k] = flg_space_source_row_set(of->space, k);
  }
  return !region->failed;
}

/* Stops and frictions have idle blocks in the order of the interpreter's rows: steps in which none
 * of them closes then have its bits, but for what slips. */
static bool find_idle(compiled_mechanism *of, bool is_asked, flg_region *region) {
  const flg_assembly *assembly = of->assembly;
  of->smooth = assembly, of->is_pushed = true;
  return assembly->state.limits.count > 0 && !(is_asked && assembly->scratch.has_flat) &&
         find_space(of, region);
}

/* the part of it that code can be made for, and its forces; false: there is none */
static bool find_smooth(compiled_mechanism *of, flg_region *region) {
  const flg_assembly *assembly = of->assembly;
  const struct flg_assembly_model *model = &assembly->model;
  const int numbers = model->position_count + model->velocity_count + model->angle_count;
  const bool is_asked = is_to_be_asked(assembly);
  of->kept = flg_region_take(region, (size_t)numbers + 1, sizeof *of->kept);
  if (region->failed) return false;
  if (find_idle(of, is_asked, region)) return true;
  of->smooth = flg_smooth_part_of(assembly, is_asked, region);
  if (of->smooth == NULL) return false;
  of->is_pushed = of->smooth->model.force_count > 0 || model->signals != NULL ||
                  model->component->friction_count > 0 || model->options.outer_port_count > 0;
  /* Where the interpreter has rows for more, its steps are those in space. */
  const bool is_planar = of->smooth == assembly && model->planar != NULL;
  return (is_planar && !is_asked) || find_space(of, region);
}

flg_status flg_compiled_mechanism_equip(flg_assembly *assembly, double step,
                                        const flg_compiler_options *compiler, flg_region *region,
                                        flg_notices *notices, flg_mistakes *mistakes) {
  flg_cached_library found = {.was_there = false};
  flg_error error;
  if (assembly->model.options.scheme == FLG_SCHEME_RK4)
    return flg_compiled_tree_equip(assembly, step, compiler, region, notices, mistakes);
  compiled_mechanism *of = flg_region_take(region, 1, sizeof *of);
  if (of == NULL) return refuse_mechanism(mistakes, region);
  *of = (compiled_mechanism){.assembly = assembly, .region = region};
  if (!find_smooth(of, region)) return refuse_mechanism(mistakes, region);
  flg_status status =
      flg_cache_find(compiler, assembly->model.options.name, compiled_mechanism_write_source, of,
                     &found, notices, mistakes);
  if (status != FLG_OK) return status;
  status = compiled_mechanism_load(of, step, &found, region, &error);
  flg_cache_leave(&found);
  if (status != FLG_OK) {
    return flg_mistake_add(mistakes, status, (flg_place){0}, "%s", error.message);
  }
  /* only now: until then all steps were interpreted */
  assembly->model.code = code_of(of);
  return FLG_OK;
}

bool flg_compiled_mechanism_steps(const flg_assembly *assembly, int64_t *taken, int64_t *declined) {
  const flg_step_code *code = &assembly->model.code;
  if (code->step == NULL && assembly->model.stages == NULL) return false;
  *taken = code->taken, *declined = code->declined;
  return true;
}
