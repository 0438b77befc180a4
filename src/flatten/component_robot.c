#include "dynamics/dynamics.h"
#include "flatten/component_build.h"
#include "flatten/joint_values.h"

/* --- where its bodies are at the start ----------------------------------------------------- */

static void robot_keep_elastic(const flg_model *model, const flg_robot *compiled, const double *q,
                               const flg_robot_start *start) {
  for (int k = 0; k < model->body_count; k++) {
    if (model->bodies[k].flexible == NULL) continue;
    const flg_link *link = &compiled->links[compiled->anchors[k].link];
    start->elastic[k] = q + compiled->flexes[link->flex].position;
  }
}

static flg_status place_bodies(const flg_component_builder *build, const flg_component_robot *robot,
                               const flg_robot *compiled, const flg_robot_start *start) {
  const struct flg_robot_setup *setup = robot->setup;
  const flg_jointed jointed = {.name = setup->name,
                               .place = setup->place,
                               .model = robot->model,
                               .robot = compiled,
                               .region = build->region,
                               .mistakes = build->mistakes,
                               .ignores_limits = robot->ignores_limits};
  double *q = flg_region_take(build->region, (size_t)compiled->position_count, sizeof *q);
  double *v = flg_region_take(build->region, (size_t)compiled->velocity_count, sizeof *v);
  if (q == NULL || v == NULL) return FLG_ERR_MEMORY;
  flg_jointed_start(&jointed, &setup->robot, q, v, NULL);
  robot_keep_elastic(robot->model, compiled, q, start);
  flg_region scratch = {0};
  flg_dynamics *dynamics = NULL;
  const flg_status status = flg_dynamics_build(&dynamics, compiled, &scratch, NULL);
  if (status == FLG_OK) flg_dynamics_kinematics(dynamics, q, v);
  for (int k = 0; k < compiled->body_count && status == FLG_OK; k++) {
    const flg_pose in_model = flg_dynamics_frame_pose(dynamics, &compiled->anchors[k]);
    start->poses[k] = flg_pose_compose(&robot->pose, &in_model);
  }
  flg_region_release(&scratch);
  return status;
}

/* false with mistakes */
static bool find_start(const flg_component_builder *build, const flg_component_robot *robot,
                       flg_robot_start *start) {
  const flg_model *model = robot->model;
  const size_t count = (size_t)model->body_count;
  start->poses = flg_region_take(build->region, count, sizeof *start->poses);
  start->elastic = flg_region_take(build->region, count, sizeof *start->elastic);
  flg_region scratch = {0};
  flg_robot compiled;
  if (start->poses == NULL || start->elastic == NULL) return false;
  flg_status status = flg_robot_build(&compiled, model, &scratch, build->mistakes);
  if (status == FLG_OK) status = place_bodies(build, robot, &compiled, start);
  flg_region_release(&scratch);
  if (status == FLG_ERR_MEMORY) {
    flg_mistake_add(build->mistakes, status, robot->place, "no memory left for robot '%s'",
                    robot->name);
  }
  return status == FLG_OK;
}

/* --- the robot ----------------------------------------------------------------------------- */

static struct flg_robot_setup *setup_of_robot(flg_component_builder *build, const char *path,
                                              const flg_component_robot_keys *keys) {
  struct flg_robot_setup *setup = flg_region_take(build->region, 1, sizeof *setup);
  if (setup == NULL) return NULL;
  *setup =
      (struct flg_robot_setup){.name = path, .place = keys->origin.place, .robot = keys->robot};
  return setup;
}

/* NULL with a mistake */
static const flg_model *model_of_robot(flg_component_builder *build,
                                       const flg_component_robot_keys *keys) {
  const flg_source *from = &build->source;
  const flg_model *read = from->ops->model(from->self, keys->model, flg_robot_reading(&keys->robot),
                                           keys->origin.place);
  return read == NULL ? NULL
                      : flg_robot_overlay(&keys->robot, read, build->region, build->mistakes);
}

int flg_build_add_robot(flg_component_builder *build, const flg_component_robot *robot) {
  flg_component_robot *added =
      flg_build_add(build, &build->robots, sizeof *added, "robots", robot->place);
  flg_robot_start *start = flg_growing_add(&build->starts, sizeof *start, build->region);
  if (added == NULL || start == NULL) return -1;
  *added = *robot;
  return find_start(build, robot, start) ? build->robots.count - 1 : -1;
}

/* its number, or -1 */
static int add_robot(flg_component_builder *build, const flg_scope *scope, const char *path,
                     const flg_component_robot_keys *keys) {
  const flg_model *model = model_of_robot(build, keys);
  struct flg_robot_setup *setup = setup_of_robot(build, path, keys);
  if (model == NULL || setup == NULL) return -1;
  const flg_pose placement = flg_placement_pose(&keys->placement);
  const flg_component_robot robot = {.name = path,
                                     .place = keys->origin.place,
                                     .group = scope->group,
                                     .model = model,
                                     .pose = flg_pose_compose(&scope->pose, &placement),
                                     .self_collision = keys->robot.self_collision,
                                     .ignores_limits = keys->robot.limits == FLG_LIMITS_IGNORED,
                                     .setup = setup};
  return flg_build_add_robot(build, &robot);
}

void flg_build_robot(flg_component_builder *build, const flg_scope *scope,
                     const flg_component_robot_keys *keys) {
  if (!flg_build_name_check(build, &keys->origin)) return;
  const char *path = flg_build_path(build, scope, keys->origin.name);
  const int robot = keys->model == NULL ? -1 : add_robot(build, scope, path, keys);
  if (robot >= 0) flg_build_robot_shapes(build, robot);
  flg_build_enter_part(build, &keys->origin, path, (flg_named_part){FLG_PART_ROBOT, robot});
}
