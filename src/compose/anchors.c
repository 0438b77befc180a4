#include "compose/anchors.h"

#include <string.h>

static bool find_on_robot(const flg_component *component, const char *path, flg_anchor *anchor) {
  for (int k = 0; k < component->robot_count; k++) {
    const flg_component_robot *robot = &component->robots[k];
    const size_t length = strlen(robot->name);
    *anchor = (flg_anchor){.robot = k, .body = 0, .pose = flg_pose_identity()};
    if (robot->is_body && strcmp(path, robot->name) == 0) return true;
    if (strncmp(path, robot->name, length) != 0 || path[length] != '/') continue;
    const char *rest = path + length + 1;
    const int body = flg_model_body(robot->model, rest);
    const int frame = flg_model_frame(robot->model, rest);
    *anchor = (flg_anchor){.robot = k, .body = body, .pose = flg_pose_identity()};
    if (body >= 0) return true;
    if (frame < 0) continue;
    anchor->body = robot->model->frames[frame].body;
    anchor->pose = robot->model->frames[frame].pose;
    return true;
  }
  return false;
}

/* body/marker */
static int find_marker(const flg_component *component, const char *path) {
  const char *slash = strrchr(path, '/');
  for (int k = 0; k < component->frame_count && slash != NULL; k++) {
    const flg_component_frame *frame = &component->frames[k];
    const flg_component_robot *robot =
        frame->anchor.robot < 0 ? NULL : &component->robots[frame->anchor.robot];
    if (frame->anchor.body == FLG_WORLD || (robot != NULL && !robot->is_body)) continue;
    const char *inner = strrchr(frame->name, '/'), *name = inner == NULL ? frame->name : inner + 1;
    const char *body = robot != NULL ? robot->name : component->bodies[frame->anchor.body].name;
    const size_t length = (size_t)(slash - path);
    if (strcmp(slash + 1, name) == 0 && strlen(body) == length &&
        strncmp(path, body, length) == 0) {
      return k;
    }
  }
  return -1;
}

bool flg_compose_anchor(const flg_component *component, const char *path, flg_anchor *anchor) {
  const int body = flg_component_find_body(component, path);
  int frame = flg_component_find_frame(component, path);
  *anchor = (flg_anchor){.robot = -1, .body = body, .pose = flg_pose_identity()};
  if (body >= 0) return true;
  if (frame < 0) frame = find_marker(component, path);
  if (frame >= 0) *anchor = component->frames[frame].anchor;
  return frame >= 0 || find_on_robot(component, path, anchor);
}

const char *flg_compose_anchor_hint(const flg_component *component, const char *path,
                                    const flg_mistakes *mistakes, char text[FLG_HINT_TEXT]) {
  flg_closest closest = flg_closest_while_listed(path, mistakes);
  for (int k = 0; k < component->body_count; k++) {
    flg_closest_offer(&closest, component->bodies[k].name);
  }
  for (int k = 0; k < component->robot_count; k++) {
    if (component->robots[k].is_body) flg_closest_offer(&closest, component->robots[k].name);
  }
  for (int k = 0; k < component->frame_count; k++) {
    flg_closest_offer(&closest, component->frames[k].name);
  }
  return flg_closest_text(&closest, text);
}
