#include "compile/compiled_robot.h"

#include <math.h>
#include <string.h>

#include "compile/cache.h"
#include "compile/robot_source.h"
#include "math/larger.h"
#include "plugin/plugin_library.h"

/* of the largest acceleration: the two ways of computing it round differently */
static const double AGREED = 1e-10;
/* velocities, forces and time of the second pose: of the size of one, and none alike */
static const double SPEED = 0.3, FORCE = 0.7, WAY = 0.5;

/* Operations of generated code that take as long as the interpreter does for a link, and for each
 * further coordinate of its joint: chains of 8 to 12 joints with oblique axes, 430 to 570 a link,
 * step as fast in both. Longer ones are slower compiled, because the mass matrix is formed. */
enum { LINK_OPERATIONS = 450, COORDINATE_OPERATIONS = 150 };

typedef struct compiled_robot {
  flg_plugin_library library;
  void *instance;
} compiled_robot;

static void compiled_robot_release(void *what) {
  compiled_robot *of = what;
  if (of->instance != NULL) of->library.subsystem.destroy(of->instance);
  flg_plugin_close(&of->library);
}

/* --- making -------------------------------------------------------------------------------------
 */

static flg_status compiled_robot_write_source(void *context, const char *name, FILE *out,
                                              flg_mistakes *mistakes) {
  flg_robot_source *source = context;
  flg_source_size size;
  source->name = name;
  const flg_status status = flg_robot_source_write(source, out, &size, mistakes);
  const flg_robot *robot = source->robot;
  const int interpreted = LINK_OPERATIONS * robot->link_count +
                          COORDINATE_OPERATIONS * (robot->velocity_count - robot->link_count);
  if (status != FLG_OK || size.forward <= interpreted) return status;
  return flg_mistake_add(
      mistakes, FLG_ERR_INPUT, (flg_place){.file = source->model->file},
      "that would not be faster: its chains are long, and the mass matrix takes %d "
      "operations, more than %d",
      size.forward, interpreted);
}

/* The source is that of the model, wherever the robot stands: one library does for all places. */
static flg_status find_library(const flg_robot_subsystem *robot,
                               const flg_compiler_options *compiler, flg_cached_library *found,
                               flg_notices *notices, flg_mistakes *mistakes) {
  flg_robot unplaced;
  flg_region scratch = {0};
  flg_status status = flg_robot_build(&unplaced, robot->model, &scratch, mistakes);
  flg_robot_source source = {
      .model = robot->model, .robot = &unplaced, .ignores_limits = true, .is_bare = true};
  if (status == FLG_OK) {
    status = flg_cache_find(compiler, robot->options.name, compiled_robot_write_source, &source,
                            found, notices, mistakes);
  }
  flg_region_release(&scratch);
  return status;
}

/* Where the robot stands and the gravity it sees are given to the instance: the library has
 * neither. */
static flg_status open_compiled_robot(const flg_robot_subsystem *robot, const char *path,
                                      compiled_robot *of, flg_error *error) {
  const flg_status status = flg_plugin_open(&of->library, path, error);
  if (status != FLG_OK) return status;
  const flg_plugin_subsystem *table = &of->library.subsystem;
  int positions = 0, velocities = 0;
  flg_plugin_setup setup = {.size = sizeof setup, .name = robot->options.name};
  /* public headers have matrices row by row */
  const flg_mat3 rows = flg_mat3_transpose(&robot->ground.rotation);
  memcpy(setup.rotation, rows.m, sizeof setup.rotation);
  flg_vec3_store(robot->options.gravity, setup.gravity);
  flg_vec3_store(robot->ground.position, setup.position);
  if (!of->library.has_subsystem || table->coordinates == NULL ||
      table->accelerate_resisted == NULL) {
    return flg_fail(error, FLG_ERR_INPUT, "'%s' is no compiled robot", path);
  }
  of->instance = flg_plugin_create(&of->library, table->create, &setup, error);
  if (of->instance == NULL) return FLG_ERR_INPUT;
  table->coordinates(of->instance, &positions, &velocities);
  if (positions == robot->robot.position_count && velocities == robot->robot.velocity_count) {
    return FLG_OK;
  }
  return flg_fail(error, FLG_ERR_INPUT, "'%s' is the library of another robot", path);
}

/* --- against the interpreter --------------------------------------------------------------------
 */

/* work space of the comparison, all of it from the region */
typedef struct trial {
  double *q, *v, *f, *added, *ours, *theirs;
} trial;

static bool compiled_robot_prepare(trial *of, const flg_robot_subsystem *robot,
                                   flg_region *region) {
  const flg_robot *model = &robot->robot;
  const size_t nq = (size_t)model->position_count, nv = (size_t)model->velocity_count;
  of->q = flg_region_take(region, nq + 5 * nv, sizeof(double));
  if (of->q == NULL) return false;
  of->v = of->q + nq, of->f = of->v + nv, of->added = of->f + nv;
  of->ours = of->added + nv, of->theirs = of->ours + nv;
  memcpy(of->q, robot->q, nq * sizeof(double));
  for (size_t k = 0; k < nv; k++) {
    of->v[k] = SPEED * sin(1 + (double)k), of->f[k] = FORCE * cos(2 * (double)k);
  }
  for (int i = 0; i < model->link_count; i++) {
    const flg_link *link = &model->links[i];
    const bool resists = link->damping > 0 || robot->model->joints[link->joint].friction > 0;
    for (int k = 0; resists && k < link->velocity_count; k++) of->added[link->velocity + k] = 0.1;
  }
  return true;
}

/* the largest difference, of the largest acceleration */
static double robots_differ(const trial *of, flg_robot_subsystem *robot,
                            const compiled_robot *compiled) {
  double off = 0, size = 0;
  flg_dynamics_forward(robot->dynamics, of->q, of->v, of->f, robot->options.gravity, NULL,
                       of->added, of->theirs);
  flg_mimics_project(&robot->mimics, robot->dynamics, of->theirs);
  compiled->library.subsystem.accelerate_resisted(compiled->instance, of->q, of->v, of->f,
                                                  of->added, of->ours);
  for (int k = 0; k < robot->robot.velocity_count; k++) {
    off = flg_larger(off, fabs(of->ours[k] - of->theirs[k]));
    size = flg_larger(size, fabs(of->theirs[k]));
  }
  return size > 0 ? off / size : off;
}

static flg_status compiled_robot_compare(flg_robot_subsystem *robot, const compiled_robot *compiled,
                                         const char *path, flg_region *region, flg_error *error) {
  trial of;
  char spoilt[FLG_PLUGIN_TEXT] = "";
  if (!compiled_robot_prepare(&of, robot, region))
    return flg_fail(error, FLG_ERR_MEMORY, "no memory left");
  double off = robots_differ(&of, robot, compiled);
  /* a second pose: at the first one, many sines are zero and would hide a wrong factor */
  flg_robot_integrate(&robot->robot, of.q, of.v, WAY, of.q);
  off = flg_larger(off, robots_differ(&of, robot, compiled));
  if (flg_plugin_spoils_arithmetic(spoilt)) {
    return flg_fail(error, FLG_ERR_INPUT, "'%s': %s", path, spoilt);
  }
  if (off <= AGREED) return FLG_OK;
  return flg_fail(error, FLG_ERR_INPUT,
                  "the library '%s' and the interpreter differ by %.2g of the largest "
                  "acceleration, and may by %.0e",
                  path, off, AGREED);
}

/* --- all of it ----------------------------------------------------------------------------------
 */

static flg_status compiled_robot_load(flg_robot_subsystem *robot, const flg_cached_library *found,
                                      flg_region *region, flg_error *error) {
  compiled_robot *of = flg_region_take(region, 1, sizeof *of);
  if (of == NULL) return flg_fail(error, FLG_ERR_MEMORY, "no memory left");
  flg_region_owe(region, compiled_robot_release, of);
  if (region->failed) return flg_fail(error, FLG_ERR_MEMORY, "no memory left");
  flg_status status = open_compiled_robot(robot, found->path, of, error);
  if (status == FLG_OK) status = compiled_robot_compare(robot, of, found->path, region, error);
  if (status != FLG_OK) return status;
  robot->accelerator.accelerate = of->library.subsystem.accelerate_resisted;
  robot->accelerator.instance = of->instance;
  return FLG_OK;
}

flg_status flg_compiled_robot_equip(flg_robot_subsystem *robot,
                                    const flg_compiler_options *compiler, flg_region *region,
                                    flg_notices *notices, flg_mistakes *mistakes) {
  flg_cached_library found = {.was_there = false};
  flg_error error;
  flg_status status = find_library(robot, compiler, &found, notices, mistakes);
  if (status != FLG_OK) return status;
  status = compiled_robot_load(robot, &found, region, &error);
  flg_cache_leave(&found);
  if (status == FLG_OK) return FLG_OK;
  return flg_mistake_add(mistakes, status, (flg_place){0}, "%s", error.message);
}
