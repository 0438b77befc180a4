#include <math.h>
#include <string.h>

#include "flatten/component_build.h"

/* --- which keys a kind has ----------------------------------------------------------------- */

typedef struct key_use {
  const char *key;
  bool given, allowed, needed;
} key_use;

static bool check_key(const flg_component_builder *build, const flg_component_joint_keys *keys,
                      key_use use) {
  const char *kind = flg_constraint_kind_name((flg_constraint_kind)keys->kind);
  if (use.given && !use.allowed) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "'%s': key '%s' is not for the kind %s", keys->origin.name, use.key, kind);
    return false;
  }
  if (use.given || !use.needed) return true;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, keys->origin.place,
                  "'%s': key '%s' is missing; the kind %s needs it", keys->origin.name, use.key,
                  kind);
  return false;
}

/* a number that one kind has */
static key_use own_key(const flg_constraint_traits *kind, const char *key, double value) {
  const bool is_own = kind->key != NULL && strcmp(kind->key, key) == 0;
  return (key_use){key, !isnan(value), is_own, is_own && kind->needs_key};
}

static bool check_joint_keys(const flg_component_builder *build,
                             const flg_component_joint_keys *keys) {
  const flg_constraint_traits *kind = &flg_constraint_kinds[keys->kind];
  const bool coupled = kind->couples, springy = kind->coordinate_count == 1;
  const bool slides = kind->coupled[1] == FLG_COORDINATE_SLIDE && keys->driven.count > 1;
  const key_use uses[] = {
      {"between", keys->pair.between.count > 0, !coupled, false},
      {"drive", keys->drive.count > 0, coupled, coupled},
      {"driven", keys->driven.count > 0, coupled, coupled},
      {"driven_axis", !isnan(keys->driven_axis[0]), coupled, coupled && slides},
      own_key(kind, "pitch", keys->pitch),
      own_key(kind, "length", keys->length),
      own_key(kind, "ratio", keys->ratio),
      own_key(kind, "radius", keys->radius),
      {"stiffness", !isnan(keys->stiffness), springy || coupled, false},
      {"damping", !isnan(keys->damping), springy || coupled, false},
      {"friction", flg_friction_is_given(&keys->friction), springy, false},
      {"stops", flg_stops_are_given(&keys->stops), springy, false},
      {"backlash", !isnan(keys->backlash), coupled, false},
      {"restitution", !isnan(keys->restitution), coupled, false},
      {"efficiency", !isnan(keys->efficiency), coupled, false},
  };
  bool right = flg_build_check_teeth(build, keys);
  for (size_t k = 0; k < sizeof uses / sizeof uses[0]; k++) {
    right = check_key(build, keys, uses[k]) && right;
  }
  return right;
}

/* --- the joint ----------------------------------------------------------------------------- */

static bool joint_find_ends(const flg_component_builder *build, const flg_scope *scope,
                            const flg_component_joint_keys *keys, flg_anchor anchors[2]) {
  const flg_constraint_traits *kind = &flg_constraint_kinds[keys->kind];
  const flg_pair pair = {.of = &keys->origin,
                         .key = "between",
                         .ends = &keys->pair.between,
                         .placement = &keys->pair.placement,
                         .axis = kind->is_of_points ? NULL : keys->pair.axis,
                         .axis2 = kind->has_axis2 ? keys->axis2 : NULL,
                         .points = kind->is_of_points};
  anchors[0] = anchors[1] = (flg_anchor){-1, FLG_WORLD, flg_pose_identity()};
  return kind->couples || flg_build_pair(build, scope, &pair, anchors);
}

/* distance or pitch */
static bool find_constant(const flg_component_builder *build, const flg_component_joint_keys *keys,
                          const flg_anchor anchors[2], double *constant) {
  *constant = keys->kind == FLG_CONSTRAINT_SCREW ? keys->pitch : 0;
  if (keys->kind != FLG_CONSTRAINT_DISTANCE) return true;
  const flg_vec3 from = flg_build_anchor_pose(build, &anchors[0]).position;
  const flg_vec3 to = flg_build_anchor_pose(build, &anchors[1]).position;
  *constant = isnan(keys->length) ? flg_vec3_norm(flg_vec3_subtract(to, from)) : keys->length;
  if (*constant > 0) return true;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, keys->origin.place,
                  "'%s': its ends are at the same place, there is no distance to keep",
                  keys->origin.name);
  return false;
}

static void add_coordinates(flg_component_builder *build, const flg_scope *scope,
                            const flg_component_joint_keys *keys, flg_component_joint *joint) {
  const flg_constraint_traits *kind = &flg_constraint_kinds[keys->kind];
  joint->coordinate[0] = joint->coordinate[1] = -1;
  for (int k = 0; k < kind->coordinate_count; k++) {
    joint->coordinate[k] = flg_build_coordinate(build, scope, &keys->origin, joint->name,
                                                kind->coordinates[k], joint->end);
  }
}

/* its number, or -1 */
static int component_add_joint(flg_component_builder *build, const flg_scope *scope,
                               const char *path, const flg_component_joint_keys *keys) {
  flg_component_joint joint = {.name = path,
                               .place = keys->origin.place,
                               .group = scope->group,
                               .kind = (flg_constraint_kind)keys->kind};
  const bool right = check_joint_keys(build, keys);
  if (!joint_find_ends(build, scope, keys, joint.end) || !right) return -1;
  if (!find_constant(build, keys, joint.end, &joint.constant)) return -1;
  if (flg_gear_is_loose(keys)) return FLG_LOOSE_GEAR;
  flg_component_joint *added =
      flg_build_add(build, &build->joints, sizeof *added, "joints", keys->origin.place);
  if (added == NULL) return -1;
  add_coordinates(build, scope, keys, &joint);
  *added = joint;
  if (flg_constraint_kinds[keys->kind].couples) return build->joints.count - 1;
  flg_build_joint_spring(build, scope, keys, path, joint.coordinate[0]);
  flg_build_joint_limits(build, scope, keys, path, joint.coordinate[0]);
  return build->joints.count - 1;
}

int flg_build_joint(flg_component_builder *build, const flg_scope *scope,
                    const flg_component_joint_keys *keys) {
  const char *path = flg_build_path(build, scope, keys->origin.name);
  const int index = component_add_joint(build, scope, path, keys);
  flg_component_mover mover = {.name = keys->origin.name,
                               .group = scope->group,
                               .coordinate = {-1, -1},
                               .told = index == -1};
  if (index >= 0) {
    const flg_component_joint *joint = &((const flg_component_joint *)build->joints.items)[index];
    mover.coordinate[0] = joint->coordinate[0], mover.coordinate[1] = joint->coordinate[1];
  }
  flg_build_enter_mover(build, &keys->origin, path, &mover);
  return index;
}

bool flg_bushing_is_given(const flg_interface_bushing_keys *keys) {
  for (int k = 0; k < 6; k++) {
    if (!isnan(keys->numbers.stiffness[k / 3][k % 3])) return true;
    if (!isnan(keys->numbers.damping[k / 3][k % 3])) return true;
  }
  return false;
}

/* 0 where nothing is given */
static void fill_up(double numbers[2][3]) {
  for (int k = 0; k < 6; k++) {
    if (isnan(numbers[k / 3][k % 3])) numbers[k / 3][k % 3] = 0;
  }
}

void flg_build_interface_bushing(flg_component_builder *build, const flg_scope *scope,
                                 const flg_component_joint_keys *keys) {
  if (keys->kind != FLG_CONSTRAINT_WELD) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "'%s' has a bushing, which is in place of a joint; leave out 'joint: %s'",
                    keys->origin.name, flg_constraint_kind_name((flg_constraint_kind)keys->kind));
    return;
  }
  flg_bushing_keys *made = flg_region_take(build->region, 1, sizeof *made);
  if (!check_joint_keys(build, keys) || made == NULL) return;
  *made = (flg_bushing_keys){keys->origin, keys->pair, keys->bushing.numbers};
  fill_up(made->numbers.stiffness), fill_up(made->numbers.damping);
  flg_build_framed(build, scope, &flg_bushing_kind, (const flg_framed_keys *)made);
}
