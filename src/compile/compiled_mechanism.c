#include "compile/compiled_mechanism.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "compile/cache.h"
#include "compile/compiled_tree.h"
#include "compile/planar_source.h"
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
                          double work[3]);

typedef struct compiled_mechanism {
  flg_assembly *assembly;
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

static bool open_space(compiled_mechanism *of, flg_region *region) {
  const flg_space_code_table *table = dlsym(of->library.handle, FLG_SPACE_CODE_SYMBOL);
  flg_space_numbers numbers;
  if (table == NULL || table->bodies != of->assembly->model.part_count ||
      table->joints != flg_space_source_joints(of->space) ||
      table->angles != flg_space_source_angles(of->space)) {
    return false;
  }
  of->step = table->step, of->destroy = table->destroy;
  if (flg_space_numbers_fill(of->space, region, &numbers)) of->instance = table->create(&numbers);
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

/* States of both, one block each: q, v, angles. */
typedef struct trial {
  int positions, velocities, angles, count;
  double *start, *ours; /* the assembly has the interpreter's */
  bool parted;          /* one takes a step that the other leaves */
} trial;

static void copy_mechanism_state(const flg_assembly *assembly, const trial *of, double *to) {
  memcpy(to, assembly->state.q, (size_t)of->positions * sizeof *to);
  memcpy(to + of->positions, assembly->state.v, (size_t)of->velocities * sizeof *to);
  memcpy(to + of->positions + of->velocities, assembly->state.angles,
         (size_t)of->angles * sizeof *to);
}

static void write_state(const double *from, const trial *of, flg_assembly *assembly) {
  memcpy(assembly->state.q, from, (size_t)of->positions * sizeof *from);
  memcpy(assembly->state.v, from + of->positions, (size_t)of->velocities * sizeof *from);
  memcpy(assembly->state.angles, from + of->positions + of->velocities,
         (size_t)of->angles * sizeof *from);
}

/* relative to the largest number of the whole state: single ones may be zero but for rounding */
static double mechanisms_differ(const flg_assembly *assembly, const trial *of, const double *ours,
                                double *theirs) {
  double off = 0, size = 0;
  copy_mechanism_state(assembly, of, theirs);
  for (int k = 0; k < of->count; k++) {
    off = flg_larger(off, fabs(ours[k] - theirs[k]));
    size = flg_larger(size, fabs(theirs[k]));
  }
  return size > 0 ? off / size : off;
}

/* one step by the interpreter; false: it did not get there */
static bool interpret(const compiled_mechanism *compiled, double h) {
  flg_part_work work;
  return compiled->space == NULL ? flg_planar_interpret(compiled->assembly, h, &work)
                                 : flg_assembly_try(compiled->assembly, 0, h) == FLG_OK;
}

/* The largest difference over some steps, of the largest number. In space the interpreter takes all
 * steps, and the library those of frozen rows; in the plane each leaves those that the other does.
 */
static double run_both(const compiled_mechanism *compiled, double h, trial *of, double *theirs) {
  double off = 0, *q = of->ours, *v = q + of->positions, *angles = v + of->velocities;
  for (int k = 0; k < TRIED; k++) {
    double done[3];
    const bool taken = compiled->step(compiled->instance, h, q, v, angles, done) != 0;
    if (!taken && compiled->space != NULL) break;
    const bool interpreted = interpret(compiled, h);
    of->parted = of->parted || interpreted != taken;
    off = flg_larger(off, mechanisms_differ(compiled->assembly, of, of->ours, theirs));
    if (!interpreted) break;
  }
  return off;
}

static flg_status compiled_mechanism_compare(const compiled_mechanism *compiled, double h,
                                             const char *path, flg_region *region,
                                             flg_error *error) {
  flg_assembly *assembly = compiled->assembly;
  const struct flg_assembly_model *model = &assembly->model;
  const flg_passages passages = assembly->scratch.passages; /* nothing is noted of the trial */
  char spoilt[FLG_PLUGIN_TEXT] = "";
  trial of = {model->position_count, model->velocity_count, model->angle_count};
  of.count = of.positions + of.velocities + of.angles;
  of.start = flg_region_take(region, 3 * (size_t)of.count, sizeof(double));
  if (of.start == NULL) return flg_fail(error, FLG_ERR_MEMORY, "no memory left");
  of.ours = of.start + of.count;
  copy_mechanism_state(assembly, &of, of.start);
  copy_mechanism_state(assembly, &of, of.ours);
  const double off = run_both(compiled, h, &of, of.ours + of.count);
  /* as if no trial had been: the next run starts where this one did */
  write_state(of.start, &of, assembly);
  flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
  assembly->scratch.passages = passages;
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

/* |f|^2 / m of all bodies, as flg_part_work_add has it: gravity is all that pushes */
static double least_work(const flg_assembly *assembly) {
  if (assembly->model.planar != NULL) return assembly->model.planar->least;
  const flg_bodies *bodies = flg_bodies_of(assembly->model.sets[0]);
  double least = 0;
  for (int k = 0; k < bodies->parts.count; k++) {
    const flg_rigid_body *body = &bodies->rigid_bodies[k];
    const flg_vec3 force = flg_vec3_scale(body->gravity, body->mass);
    const flg_vec3 both = flg_vec3_add(force, force);
    least += flg_vec3_dot(both, both) / body->mass;
  }
  return least;
}

static flg_status refuse_mechanism(flg_mistakes *mistakes, const flg_region *region) {
  if (region->failed) {
    return flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  }
  return flg_mistake_add(mistakes, FLG_ERR_INPUT, (flg_place){0},
                         "components are only if they are bodies and joints, without forces, gears "
                         "and interfaces, and step by rattle");
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
  if (assembly->model.planar == NULL) of->space = flg_space_source_build(assembly, region);
  if (assembly->model.planar == NULL && of->space == NULL)
    return refuse_mechanism(mistakes, region);
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
  assembly->model.code =
      (flg_step_code){.step = of->step, .instance = of->instance, .least = least_work(assembly)};
  return FLG_OK;
}

bool flg_compiled_mechanism_steps(const flg_assembly *assembly, int64_t *taken, int64_t *declined) {
  const flg_step_code *code = &assembly->model.code;
  if (code->step == NULL && assembly->model.stages == NULL) return false;
  *taken = code->taken, *declined = code->declined;
  return true;
}
