#include "compile/compiled_mechanism.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "compile/cache.h"
#include "compile/planar_source.h"
#include "math/larger.h"
#include "plugin/plugin_library.h"

/* steps of the comparison: enough for the mechanism to move, and to use factors of a step before */
enum { TRIED = 8 };
/* Of the largest number of the state. The same operations leave the same bits; a compiler that
 * takes them in another order is off by rounding. */
static const double AGREED = 1e-12;

typedef struct compiled_mechanism {
  flg_plugin_library library;
  const flg_planar_code_table *table;
  void *instance;
} compiled_mechanism;

static void compiled_mechanism_release(void *what) {
  compiled_mechanism *of = what;
  if (of->instance != NULL) of->table->destroy(of->instance);
  flg_plugin_close(&of->library);
}

/* --- making -------------------------------------------------------------------------------------
 */

static flg_status compiled_mechanism_write_source(void *context, const char *name, FILE *out,
                                                  flg_mistakes *mistakes) {
  (void)mistakes;
  flg_planar_source_write_alone(context, name, out);
  return FLG_OK;
}

static bool fits(const flg_planar_code_table *table, const flg_planar *planar) {
  return table != NULL && table->bodies == planar->body_count &&
         table->pairs == planar->pair_count && table->angles == planar->angle_count;
}

static flg_status open_instance(const flg_assembly *assembly, const char *path, flg_region *region,
                                compiled_mechanism *of, flg_error *error) {
  flg_planar_numbers numbers;
  const flg_status status = flg_plugin_open(&of->library, path, error);
  if (status != FLG_OK) return status;
  of->table = dlsym(of->library.handle, FLG_PLANAR_CODE_SYMBOL);
  if (!fits(of->table, assembly->model.planar)) {
    return flg_fail(error, FLG_ERR_INPUT, "'%s' is the library of another mechanism", path);
  }
  if (flg_planar_numbers_fill(assembly, region, &numbers)) {
    of->instance = of->table->create(&numbers);
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

static void copy_state(const flg_assembly *assembly, const trial *of, double *to) {
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

static double differ(const flg_assembly *assembly, const trial *of, const double *ours,
                     double *theirs) {
  double off = 0, size = 0;
  copy_state(assembly, of, theirs);
  for (int k = 0; k < of->count; k++) {
    off = flg_larger(off, fabs(ours[k] - theirs[k]));
    size = flg_larger(size, fabs(theirs[k]));
  }
  return size > 0 ? off / size : off;
}

/* the largest difference over some steps, of the largest number */
static double run_both(flg_assembly *assembly, double h, const compiled_mechanism *compiled,
                       trial *of, double *theirs) {
  double off = 0, *q = of->ours, *v = q + of->positions, *angles = v + of->velocities;
  for (int k = 0; k < TRIED; k++) {
    flg_part_work work;
    double done[3];
    const bool interpreted = flg_planar_interpret(assembly, h, &work);
    const bool taken = compiled->table->step(compiled->instance, h, q, v, angles, done) != 0;
    of->parted = of->parted || interpreted != taken;
    off = flg_larger(off, differ(assembly, of, of->ours, theirs));
    if (!interpreted) break;
  }
  return off;
}

static flg_status compiled_mechanism_compare(flg_assembly *assembly, double h,
                                             const compiled_mechanism *compiled, const char *path,
                                             flg_region *region, flg_error *error) {
  const struct flg_assembly_model *model = &assembly->model;
  char spoilt[FLG_PLUGIN_TEXT] = "";
  trial of = {model->position_count, model->velocity_count, model->angle_count};
  of.count = of.positions + of.velocities + of.angles;
  of.start = flg_region_take(region, 3 * (size_t)of.count, sizeof(double));
  if (of.start == NULL) return flg_fail(error, FLG_ERR_MEMORY, "no memory left");
  of.ours = of.start + of.count;
  copy_state(assembly, &of, of.start);
  copy_state(assembly, &of, of.ours);
  const double off = run_both(assembly, h, compiled, &of, of.ours + of.count);
  write_state(of.start, &of, assembly);
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

static flg_status compiled_mechanism_load(flg_assembly *assembly, double step,
                                          const flg_cached_library *found, flg_region *region,
                                          flg_error *error) {
  compiled_mechanism *of = flg_region_take(region, 1, sizeof *of);
  if (of == NULL) return flg_fail(error, FLG_ERR_MEMORY, "no memory left");
  flg_region_owe(region, compiled_mechanism_release, of);
  if (region->failed) return flg_fail(error, FLG_ERR_MEMORY, "no memory left");
  flg_status status = open_instance(assembly, found->path, region, of, error);
  if (status == FLG_OK)
    status = compiled_mechanism_compare(assembly, step, of, found->path, region, error);
  if (status != FLG_OK) return status;
  assembly->model.planar->code = (flg_planar_code){of->table->step, of->instance, 0, 0};
  return FLG_OK;
}

flg_status flg_compiled_mechanism_equip(flg_assembly *assembly, double step,
                                        const flg_compiler_options *compiler, flg_region *region,
                                        flg_notices *notices, flg_mistakes *mistakes) {
  flg_cached_library found = {.was_there = false};
  flg_error error;
  if (assembly->model.planar == NULL) {
    return flg_mistake_add(mistakes, FLG_ERR_INPUT, (flg_place){0},
                           "components are only if they are bodies and joints that move in a plane "
                           "and step by rattle");
  }
  flg_status status =
      flg_cache_find(compiler, assembly->model.options.name, compiled_mechanism_write_source,
                     assembly->model.planar, &found, notices, mistakes);
  if (status != FLG_OK) return status;
  status = compiled_mechanism_load(assembly, step, &found, region, &error);
  flg_cache_leave(&found);
  if (status == FLG_OK) return FLG_OK;
  return flg_mistake_add(mistakes, status, (flg_place){0}, "%s", error.message);
}

bool flg_compiled_mechanism_steps(const flg_assembly *assembly, int64_t *taken, int64_t *declined) {
  const flg_planar *planar = assembly->model.planar;
  if (planar == NULL || planar->code.step == NULL) return false;
  *taken = planar->code.taken, *declined = planar->code.declined;
  return true;
}
