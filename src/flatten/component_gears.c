#include <math.h>
#include <string.h>

#include "flatten/component_build.h"

/* One side of a gear: what is driven, or what drives. */
typedef struct side {
  const char *key;
  const flg_texts *names;
  flg_coordinate_kind kind;
  const double *axis;
} side;

/* the coordinate of a joint or sensor, or a new one between two ends; -1 with mistakes */
static int find_side(flg_component_builder *build, const flg_scope *scope,
                     const flg_component_joint_keys *keys, const side *of, bool *used) {
  if (of->names->count == 1) {
    const flg_origin *name = &of->names->items[0];
    return flg_build_find_coordinate(build, scope, name->name, name->place, (int)of->kind);
  }
  const flg_pair pair = {.of = &keys->origin,
                         .key = of->key,
                         .ends = of->names,
                         .placement = &keys->pair.placement,
                         .axis = of->axis,
                         .used = used};
  flg_anchor anchors[2];
  if (!flg_build_pair(build, scope, &pair, anchors)) return -1;
  const char *name = flg_region_format(build->region, "%s.%s", keys->origin.name, of->key);
  if (name == NULL) return -1;
  return flg_build_coordinate(build, scope, &keys->origin, flg_build_path(build, scope, name),
                              of->kind, anchors);
}

static bool gear_is_placed(const flg_placement_keys *keys) {
  return !isnan(keys->at[0]) || !isnan(keys->turn[0]);
}

static void check_use(const flg_component_builder *build, const flg_component_joint_keys *keys,
                      bool used) {
  if (keys->ratio == 0 || keys->radius == 0) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, keys->origin.place, "'%s': %s cannot be 0",
                    keys->origin.name, keys->ratio == 0 ? "ratio" : "radius");
  }
  if (used || !gear_is_placed(&keys->pair.placement)) return;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, keys->origin.place,
                  "'%s': all that it couples has its own frame; leave 'at' and 'turn' away",
                  keys->origin.name);
}

void flg_build_gear(flg_component_builder *build, const flg_scope *scope,
                    const flg_component_joint_keys *keys, int index) {
  if (!flg_constraint_kinds[keys->kind].couples) return;
  const flg_coordinate_kind *of = flg_constraint_kinds[keys->kind].coupled;
  const bool rack = of[1] == FLG_COORDINATE_SLIDE, own_axis = !isnan(keys->driven_axis[0]);
  const side drive = {"drive", &keys->drive, of[0], keys->pair.axis};
  const side driven = {"driven", &keys->driven, of[1],
                       own_axis ? keys->driven_axis : keys->pair.axis};
  const int before = build->mistakes->count;
  bool used = false;
  const int first = find_side(build, scope, keys, &drive, &used);
  const int second = find_side(build, scope, keys, &driven, &used);
  if (build->mistakes->count == before) check_use(build, keys, used);
  const flg_component_coordinate sum = {
      .of = {first, second}, .factor = {rack ? keys->radius : 1, rack ? -1 : -keys->ratio}};
  if (index >= 0) { /* found now, for the list may have moved */
    flg_component_joint *joint = &((flg_component_joint *)build->joints.items)[index];
    memcpy(joint->coordinate, sum.of, sizeof sum.of);
    memcpy(joint->factor, sum.factor, sizeof sum.factor);
  }
  if (first >= 0 && second >= 0) flg_build_teeth(build, scope, keys, index, &sum);
}
