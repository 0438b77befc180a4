#include "compose/anchors.h"

#include <string.h>

static flg_anchor whole_body(int robot, int body) {
  return (flg_anchor){.robot = robot, .body = body, .pose = flg_pose_identity()};
}

/* the first of several with one path stays */
static void add_anchor(flg_anchors *anchors, const char *path, flg_anchor anchor,
                       flg_region *region) {
  if (path == NULL) return;
  if (flg_name_index_add(&anchors->paths, path, anchors->list.count, region) >= 0) return;
  flg_anchor *added = flg_growing_add(&anchors->list, sizeof *added, region);
  if (added != NULL) *added = anchor;
}

/* body/marker */
static void add_marker(flg_anchors *anchors, const flg_component_frame *frame, flg_region *region) {
  const flg_component *component = anchors->component;
  const flg_component_robot *robot =
      frame->anchor.robot < 0 ? NULL : &component->robots[frame->anchor.robot];
  if (frame->anchor.body == FLG_WORLD || (robot != NULL && !robot->is_body)) return;
  const char *slash = strrchr(frame->name, '/');
  const char *body = robot != NULL ? robot->name : component->bodies[frame->anchor.body].name;
  add_anchor(anchors,
             flg_region_format(region, "%s/%s", body, slash == NULL ? frame->name : slash + 1),
             frame->anchor, region);
}

static void add_robot(flg_anchors *anchors, int k, flg_region *region) {
  const flg_component_robot *robot = &anchors->component->robots[k];
  const flg_model *model = robot->model;
  if (robot->is_body) add_anchor(anchors, robot->name, whole_body(k, 0), region);
  for (int i = 0; i < model->body_count; i++) {
    add_anchor(anchors, flg_region_format(region, "%s/%s", robot->name, model->bodies[i].name),
               whole_body(k, i), region);
  }
  for (int i = 0; i < model->frame_count; i++) {
    const flg_frame *frame = &model->frames[i];
    add_anchor(anchors, flg_region_format(region, "%s/%s", robot->name, frame->name),
               (flg_anchor){.robot = k, .body = frame->body, .pose = frame->pose}, region);
  }
}

flg_anchors flg_anchors_of(const flg_component *component, flg_region *region) {
  flg_anchors anchors = {.component = component};
  for (int k = 0; k < component->body_count; k++) {
    add_anchor(&anchors, component->bodies[k].name, whole_body(-1, k), region);
  }
  for (int k = 0; k < component->frame_count; k++) {
    add_anchor(&anchors, component->frames[k].name, component->frames[k].anchor, region);
  }
  for (int k = 0; k < component->frame_count; k++) {
    add_marker(&anchors, &component->frames[k], region);
  }
  for (int k = 0; k < component->robot_count; k++) add_robot(&anchors, k, region);
  return anchors;
}

bool flg_anchors_find(const flg_anchors *anchors, const char *path, flg_anchor *anchor) {
  const int k = flg_name_index_find(&anchors->paths, path);
  if (k < 0) return false;
  *anchor = ((const flg_anchor *)anchors->list.items)[k];
  return true;
}

const char *flg_anchors_hint(const flg_anchors *anchors, const char *path,
                             const flg_mistakes *mistakes, char text[FLG_HINT_TEXT]) {
  const flg_component *component = anchors->component;
  flg_closest closest = flg_closest_while_listed(path, mistakes);
  FLG_OFFER(&closest, component->bodies, component->body_count);
  for (int k = 0; k < component->robot_count && closest.written != NULL; k++) {
    if (component->robots[k].is_body) flg_closest_offer(&closest, component->robots[k].name);
  }
  FLG_OFFER(&closest, component->frames, component->frame_count);
  return flg_closest_text(&closest, text);
}
