#include "flatten/stations.h"

#include <string.h>

#include "base/growing.h"
#include "forces/force.h"

static bool station_is_on(const flg_model *model, int robot, const flg_anchor *anchor) {
  return anchor->robot == robot && anchor->body >= 0 && anchor->body < model->body_count &&
         model->bodies[anchor->body].flexible != NULL;
}

static int count_on(const flg_model *model, int robot, const flg_anchor *anchors, int count) {
  int found = 0;
  for (int k = 0; k < count; k++) found += station_is_on(model, robot, &anchors[k]);
  return found;
}

void flg_model_add_stations(flg_model *model, int robot, const flg_anchor *anchors, int count,
                            flg_region *region) {
  const int before = model->station_count, more = count_on(model, robot, anchors, count);
  if (more == 0) return;
  flg_station *list = flg_region_take(region, (size_t)before + (size_t)more, sizeof *list);
  if (list == NULL) return;
  if (before > 0) memcpy(list, model->stations, (size_t)before * sizeof *list);
  model->stations = list;
  for (int k = 0; k < count; k++) {
    if (!station_is_on(model, robot, &anchors[k])) continue;
    list[model->station_count++] = (flg_station){anchors[k].body, anchors[k].pose.position};
  }
}

void flg_component_add_stations(flg_component *component, const flg_anchor *anchors, int count,
                                flg_region *region) {
  for (int k = 0; k < component->robot_count; k++) {
    flg_component_robot *robot = &component->robots[k];
    if (count_on(robot->model, k, anchors, count) == 0) continue;
    flg_model *model = flg_region_take(region, 1, sizeof *model);
    if (model == NULL) return;
    *model = *robot->model;
    flg_model_add_stations(model, k, anchors, count, region);
    robot->model = model;
  }
}

static void note_anchors(flg_growing *list, const flg_anchor *anchors, int count,
                         flg_region *region) {
  for (int k = 0; k < count; k++) {
    if (anchors[k].robot < 0) continue;
    flg_anchor *added = flg_growing_add(list, sizeof *added, region);
    if (added != NULL) *added = anchors[k];
  }
}

void flg_component_find_stations(flg_component *component, flg_region *region) {
  flg_growing list = {0};
  if (component->robot_count == 0) return;
  for (int k = 0; k < component->coordinate_count; k++) {
    if (component->coordinates[k].kind == FLG_COORDINATE_SUM) continue;
    note_anchors(&list, component->coordinates[k].end, 2, region);
  }
  for (int k = 0; k < component->joint_count; k++) {
    const flg_constraint_kind kind = component->joints[k].kind;
    if (kind == FLG_CONSTRAINT_GEAR || kind == FLG_CONSTRAINT_RACK) continue;
    note_anchors(&list, component->joints[k].end, 2, region);
  }
  for (int k = 0; k < component->load_count; k++)
    note_anchors(&list, &component->loads[k].at, 1, region);
  for (int k = 0; k < component->element_count; k++) {
    if (component->elements[k].kind->ends == 2)
      note_anchors(&list, component->elements[k].end, 2, region);
  }
  for (int k = 0; k < component->frame_count; k++) {
    note_anchors(&list, &component->frames[k].anchor, 1, region);
  }
  flg_component_add_stations(component, list.items, list.count, region);
}
