/* Flexible bodies of components: 6 rigid and n elastic coordinates in the floating frame, which is
 * what a robot of one body on a floating joint has. */
#include <math.h>
#include <string.h>

#include "define/flexible_definition.h"
#include "flatten/component_build.h"

/* no name of a file has a dot */
static const char FLOATING[] = ".floating";

static bool tell_of_flexible(const flg_component_builder *build, const flg_origin *origin,
                             const char *what) {
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, origin->place, "body '%s': %s", origin->name,
                  what);
  return false;
}

static bool component_flexible_check(const flg_component_builder *build,
                                     const flg_component_body_keys *keys) {
  if (keys->fixed) {
    return tell_of_flexible(
        build, &keys->origin,
        "a flexible body cannot be fixed; weld it to world, by a joint at the section that "
        "is held");
  }
  if (keys->point) return tell_of_flexible(build, &keys->origin, "a point mass cannot be flexible");
  return true;
}

/* one body on a floating joint in the world; NULL with mistakes */
static flg_model *model_of_flexible(const flg_component_builder *build,
                                    const flg_component_body_keys *keys) {
  const flg_origin *origin = &keys->origin;
  flg_region *region = build->region;
  const int before = build->mistakes->count;
  flg_model *model = flg_region_take(region, 1, sizeof *model);
  flg_body *body = flg_region_take(region, 1, sizeof *body);
  flg_joint *joint = flg_region_take(region, 1, sizeof *joint);
  if (region->failed) return NULL;
  *body = (flg_body){.name = origin->name,
                     .place = origin->place,
                     .mass = keys->mass,
                     .centre = flg_vec3_load(keys->centre),
                     .inertia = flg_inertia_of_keys(&keys->inertia, origin, build->mistakes)};
  *joint = (flg_joint){.name = FLOATING,
                       .place = origin->place,
                       .kind = FLG_JOINT_FLOATING,
                       .parent = FLG_WORLD,
                       .origin = flg_pose_identity(),
                       .axis = {0, 0, 1},
                       .lower = -INFINITY,
                       .upper = INFINITY,
                       .effort_limit = INFINITY,
                       .speed_limit = INFINITY,
                       .mimic = {.joint = -1}};
  flg_flexible_apply(&keys->flexible, body, region, build->mistakes);
  *model = (flg_model){.name = origin->name,
                       .file = origin->place.file,
                       .bodies = body,
                       .body_count = 1,
                       .joints = joint,
                       .joint_count = 1};
  if (build->mistakes->count == before) flg_model_check(model, build->mistakes);
  return build->mistakes->count > before || region->failed ? NULL : model;
}

/* the numbers of the joint, then those of the body if there are any */
static flg_items values_of(const flg_component_builder *build, const flg_origin *origin,
                           const double *rigid, int count, const flg_numbers *elastic) {
  flg_value *values = flg_region_take(build->region, 2, sizeof *values);
  double *numbers = flg_region_take(build->region, (size_t)count, sizeof *numbers);
  if (values == NULL || numbers == NULL) return (flg_items){0};
  memcpy(numbers, rigid, (size_t)count * sizeof *numbers);
  values[0] = (flg_value){{FLOATING, origin->place}, {.values = numbers, .count = count}};
  values[1] = (flg_value){*origin, *elastic};
  return (flg_items){.items = values, .count = elastic->count > 0 ? 2 : 1};
}

static struct flg_robot_setup *setup_of_flexible(const flg_component_builder *build,
                                                 const flg_scope *scope, const char *path,
                                                 const flg_component_body_keys *keys) {
  struct flg_robot_setup *setup = flg_region_take(build->region, 1, sizeof *setup);
  if (setup == NULL) return NULL;
  const flg_pose placement = flg_placement_pose(&keys->placement);
  const flg_pose pose = flg_pose_compose(&scope->pose, &placement);
  const flg_quat turn = flg_quat_from_matrix(&pose.rotation);
  const flg_spatial velocity = flg_build_velocity(scope, keys);
  const flg_vec3 spin = flg_mat3_apply_transposed(&pose.rotation, velocity.angular);
  const double q[7] = {pose.position.x, pose.position.y, pose.position.z, turn.w,
                       turn.x,          turn.y,          turn.z};
  const double v[6] = {
      velocity.linear.x, velocity.linear.y, velocity.linear.z, spin.x, spin.y, spin.z};
  *setup = (struct flg_robot_setup){
      .name = path,
      .place = keys->origin.place,
      .robot = {.initial = values_of(build, &keys->origin, q, 7, &keys->elastic),
                .initial_velocity = values_of(build, &keys->origin, v, 6, &keys->elastic_velocity),
                .velocity = {NAN, NAN, NAN},
                .angular_velocity = {NAN, NAN, NAN}}};
  return setup;
}

/* Nodes that shapes ride on come with the model; what they are made of is in the component. */
static void take_shapes(flg_component_builder *build, const flg_scope *scope,
                        const flg_component_body_keys *keys, int robot, flg_model *model) {
  const int first = build->shapes.count;
  flg_build_shapes(build, scope, &keys->shapes, 0, robot + 1);
  model->shape_count = build->shapes.count - first;
  model->shapes = flg_region_take(build->region, (size_t)model->shape_count, sizeof *model->shapes);
  for (int k = 0; k < model->shape_count && model->shapes != NULL; k++) {
    model->shapes[k] = ((const flg_shape *)build->shapes.items)[first + k];
    model->shapes[k].robot = model->shapes[k].surface = 0;
  }
}

/* its number, or -1 */
static int add_flexible_body(flg_component_builder *build, const flg_scope *scope, const char *path,
                             const flg_component_body_keys *keys) {
  if (!component_flexible_check(build, keys)) return -1;
  flg_model *model = model_of_flexible(build, keys);
  struct flg_robot_setup *setup = setup_of_flexible(build, scope, path, keys);
  flg_vec3 *gravity = flg_region_take(build->region, 1, sizeof *gravity);
  if (model == NULL || setup == NULL || gravity == NULL) return -1;
  *gravity = flg_vec3_load(keys->gravity);
  const flg_component_robot robot = {.name = path,
                                     .place = keys->origin.place,
                                     .group = scope->group,
                                     .model = model,
                                     .pose = flg_pose_identity(),
                                     .is_body = true,
                                     .gravity = isnan(gravity->x) ? NULL : gravity,
                                     .setup = setup};
  const int number = flg_build_add_robot(build, &robot);
  if (number >= 0) take_shapes(build, scope, keys, number, model);
  return number;
}

void flg_build_flexible(flg_component_builder *build, const flg_scope *scope,
                        const flg_component_body_keys *keys) {
  const char *path = flg_build_path(build, scope, keys->origin.name);
  const int robot = add_flexible_body(build, scope, path, keys);
  flg_build_enter_part(build, &keys->origin, path, (flg_named_part){FLG_PART_BODY, robot});
  const flg_point point = {.body = robot < 0 ? -1 : 0, .frame = -1, .robot = robot + 1};
  flg_build_enter_point(build, &keys->origin, path, point);
}
