#include <string.h>

#include "flatten/component_build.h"

static flg_pose body_pose(const flg_component_builder *build, const flg_anchor *anchor) {
  const flg_component_body *bodies = build->bodies.items;
  const flg_robot_start *starts = build->starts.items;
  if (anchor->body == FLG_WORLD) return flg_pose_identity();
  return anchor->robot < 0 ? bodies[anchor->body].pose : starts[anchor->robot].poses[anchor->body];
}

/* The displacement, by deformation at the start, of places on the body near a point at rest: where
 * a frame there is, less where it would be. */
static flg_pose bent(const flg_component_builder *build, const flg_anchor *anchor, flg_vec3 point) {
  if (anchor->robot < 0 || anchor->body == FLG_WORLD) return flg_pose_identity();
  const flg_component_robot *robot =
      &((const flg_component_robot *)build->robots.items)[anchor->robot];
  const flg_robot_start *start = &((const flg_robot_start *)build->starts.items)[anchor->robot];
  const flg_modal_body *flexible = robot->model->bodies[anchor->body].flexible;
  if (flexible == NULL) return flg_pose_identity();
  const flg_vec3 station = flg_modal_station(flexible, point);
  const flg_pose there =
      flg_modal_place(flexible, station, start->elastic[anchor->body], build->region);
  const flg_pose back = {flg_mat3_identity(), flg_vec3_negate(station)};
  return flg_pose_compose(&there, &back);
}

flg_pose flg_build_anchor_pose(const flg_component_builder *build, const flg_anchor *anchor) {
  const flg_pose body = body_pose(build, anchor), by = bent(build, anchor, anchor->pose.position);
  const flg_pose place = flg_pose_compose(&body, &by);
  return flg_pose_compose(&place, &anchor->pose);
}

/* the section that a frame is on is found by where it would be at rest: in some steps, since
 * deformations are small */
flg_pose flg_build_pose_on(const flg_component_builder *build, const flg_anchor *anchor,
                           const flg_pose *frame) {
  enum { STEPS = 10 };
  const flg_pose body = body_pose(build, anchor), to_body = flg_pose_inverse(&body);
  const flg_pose in_body = flg_pose_compose(&to_body, frame);
  flg_pose pose = in_body;
  for (int k = 0; k < STEPS; k++) {
    const flg_pose by = bent(build, anchor, pose.position), back = flg_pose_inverse(&by);
    pose = flg_pose_compose(&back, &in_body);
  }
  return pose;
}

static bool set_body(flg_end *end, int robot, int body) {
  end->anchor = (flg_anchor){.robot = robot, .body = body, .pose = flg_pose_identity()};
  end->brings_frame = false;
  return true;
}

static bool set_frame(flg_end *end, flg_anchor anchor) {
  end->anchor = anchor;
  end->brings_frame = true;
  return true;
}

/* a name without '/' */
static bool find_own_end(const flg_component_builder *build, const flg_scope *scope,
                         const flg_origin *text, flg_end_want want, flg_end *end) {
  if (want != FLG_END_PORT && strcmp(text->name, "world") == 0) return set_body(end, -1, FLG_WORLD);
  const char *path = flg_build_path(build, scope, text->name);
  const int number = flg_name_index_find(&build->by_point, path);
  const flg_point point = number < 0 ? (flg_point){.body = -1, .frame = -1}
                                     : ((const flg_point *)build->points.items)[number];
  if (point.body >= 0 && want != FLG_END_PORT) return set_body(end, point.robot - 1, point.body);
  if (point.frame >= 0 && want == FLG_END_ANY) {
    return set_frame(end, ((const flg_component_frame *)build->frames.items)[point.frame].anchor);
  }
  const bool told = number >= 0 && point.body < 0 && point.frame < 0;
  if (!told) flg_build_no_point(build, scope, text, want);
  return false;
}

/* what stands on the ground of the model stands on the ground of the component */
static flg_anchor robot_anchor(const flg_component_robot *robot, int index,
                               const flg_frame *frame) {
  const bool ground = frame->body == FLG_WORLD;
  return (flg_anchor){.robot = ground ? -1 : index,
                      .body = frame->body,
                      .pose = ground ? flg_pose_compose(&robot->pose, &frame->pose) : frame->pose};
}

static bool end_find_on_robot(const flg_component_builder *build, const flg_origin *text,
                              const char *name, int index, flg_end_want want, flg_end *end) {
  if (index < 0) return false;
  const flg_component_robot *robot = &((const flg_component_robot *)build->robots.items)[index];
  const int frame = want == FLG_END_BODY ? -1 : flg_model_frame(robot->model, name);
  if (frame >= 0) return set_frame(end, robot_anchor(robot, index, &robot->model->frames[frame]));
  const int body = flg_model_body(robot->model, name);
  if (body >= 0) return set_body(end, index, body);
  flg_build_no_robot_frame(build, index, text->name, name, text->place);
  return false;
}

static bool find_port(const flg_component_builder *build, const flg_origin *text, const char *name,
                      int group, flg_end *end) {
  const flg_component_group *groups = build->groups.items;
  const char *path = flg_region_format(build->region, "%s/%s", groups[group].name, name);
  if (path == NULL) return false;
  /* a component hides what is inside, and so does one inside of it */
  const int number = strchr(name, '/') != NULL ? -1 : flg_name_index_find(&build->by_point, path);
  const int index = number < 0 ? -1 : ((const flg_point *)build->points.items)[number].frame;
  const flg_component_frame *frames = build->frames.items;
  if (index >= 0 && frames[index].port) return set_frame(end, frames[index].anchor);
  const bool told = ((const bool *)build->told.items)[group];
  if (!told) flg_build_no_port(build, group, text->name, name, text->place);
  return false;
}

/* part/name */
static bool end_find_inner(const flg_component_builder *build, const flg_scope *scope,
                           const flg_origin *text, flg_end_want want, flg_end *end) {
  const char *slash = strchr(text->name, '/');
  const char *part = flg_region_text(build->region, text->name, (size_t)(slash - text->name));
  if (part == NULL) return false;
  const int number = flg_name_index_find(&build->by_part, flg_build_path(build, scope, part));
  const flg_named_part *found =
      number < 0 ? NULL : &((const flg_named_part *)build->parts.items)[number];
  if (found != NULL && found->kind == FLG_PART_ROBOT) {
    return end_find_on_robot(build, text, slash + 1, found->index, want, end);
  }
  if (found == NULL || found->kind == FLG_PART_BODY) {
    flg_build_no_part(build, scope, part, text->place);
    return false;
  }
  if (want == FLG_END_BODY) {
    flg_build_no_point(build, scope, text, want);
    return false;
  }
  return find_port(build, text, slash + 1, found->index, end);
}

bool flg_build_end(const flg_component_builder *build, const flg_scope *scope,
                   const flg_origin *text, flg_end_want want, flg_end *end) {
  const bool own = strchr(text->name, '/') == NULL;
  return (own ? find_own_end : end_find_inner)(build, scope, text, want, end);
}
