#include <math.h>

#include "flatten/component_build.h"

/* cosine of the angle between the axes of a universal joint: closer to a right angle than people
 * write decimals */
static const double SQUARE = 1e-6;

static bool tell_of_pair(const flg_component_builder *build, const flg_pair *pair,
                         const char *what) {
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, pair->of->place, "'%s': %s", pair->of->name,
                  what);
  return false;
}

static bool has_two_ends(const flg_component_builder *build, const flg_pair *pair) {
  const int count = pair->ends->count;
  if (count == 2) return true;
  if (count == 0) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, pair->of->place, "'%s': key '%s' is missing",
                    pair->of->name, pair->key);
  } else if (count > 2) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, pair->ends->items[2].place,
                    "%s: expected two ends, found %d", pair->key, count);
  }
  return false; /* one alone is reported by the schema */
}

static bool are_numbers_given(const double numbers[3]) {
  return !isnan(numbers[0]);
}

/* --- where the frame is -------------------------------------------------------------------- */

/* a body brings its own frame, the ground that of the component */
static void bring_frame(const flg_scope *scope, flg_end *end) {
  const bool ground = end->anchor.robot < 0 && end->anchor.body == FLG_WORLD;
  if (!end->brings_frame && ground) end->anchor.pose = scope->pose;
  end->brings_frame = true;
}

/* the frame for ends that bring none, in the world; `other`: an end that brings one, or NULL */
static bool common_frame(const flg_component_builder *build, const flg_scope *scope,
                         const flg_pair *pair, const flg_end *other, flg_pose *frame) {
  static const flg_placement_keys nowhere = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
  const flg_placement_keys *keys = pair->placement == NULL ? &nowhere : pair->placement;
  if (!are_numbers_given(keys->at) && other != NULL) {
    if (are_numbers_given(keys->turn)) {
      return tell_of_pair(
          build, pair,
          "its frame is the one that an end brings; leave 'turn' away, or give 'at', too");
    }
    *frame = flg_build_anchor_pose(build, &other->anchor);
    return true;
  }
  const flg_pose own = flg_placement_pose(keys);
  *frame = flg_pose_compose(&scope->pose, &own);
  if (pair->used != NULL) *pair->used = true;
  return true;
}

static bool place_ends(const flg_component_builder *build, const flg_scope *scope,
                       const flg_pair *pair, flg_end ends[2]) {
  if (pair->points) bring_frame(scope, &ends[0]), bring_frame(scope, &ends[1]);
  const bool first = ends[0].brings_frame, second = ends[1].brings_frame;
  if (first && second) {
    const flg_placement_keys *keys = pair->placement;
    const bool placed =
        keys != NULL && (are_numbers_given(keys->at) || are_numbers_given(keys->turn));
    if (!placed || pair->used != NULL) return true;
    return tell_of_pair(build, pair,
                        pair->points
                            ? "a distance is between the origins of its ends; leave 'at' and "
                              "'turn' away and name markers"
                            : "both ends bring their own frames; leave 'at' and 'turn' away");
  }
  flg_pose frame;
  const flg_end *other = first ? &ends[0] : second ? &ends[1] : NULL;
  if (!common_frame(build, scope, pair, other, &frame)) return false;
  for (int k = 0; k < 2; k++) {
    if (ends[k].brings_frame) continue;
    ends[k].anchor.pose = flg_build_pose_on(build, &ends[k].anchor, &frame);
  }
  return true;
}

/* --- which way it points ------------------------------------------------------------------- */

static bool pair_direction(const flg_component_builder *build, const flg_pair *pair,
                           const char *key, const double numbers[3], flg_vec3 *unit) {
  const flg_vec3 axis = flg_vec3_load(numbers);
  const double length = flg_vec3_norm(axis);
  *unit = flg_vec3_normalise(axis);
  if (!are_numbers_given(numbers)) *unit = (flg_vec3){0, 0, 1}; /* wrong, and told */
  if (!are_numbers_given(numbers) || (length > 0 && isfinite(length))) return true;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, pair->of->place, "'%s': %s has no direction",
                  pair->of->name, key);
  return false;
}

/* z of both frames to the axis, the same way */
static bool turn_to_axis(const flg_component_builder *build, const flg_pair *pair,
                         flg_end ends[2]) {
  flg_vec3 axis;
  if (!pair_direction(build, pair, "axis", pair->axis, &axis)) return false;
  const flg_mat3 turn = flg_mat3_from_z_to(axis);
  for (int k = 0; k < 2; k++) {
    flg_mat3 *rotation = &ends[k].anchor.pose.rotation;
    *rotation = flg_mat3_multiply(rotation, &turn);
  }
  return true;
}

/* The cross of a universal joint: x of A and y of B are its axes, z of both is perpendicular to
 * them at the start. */
static bool turn_to_cross(const flg_component_builder *build, const flg_pair *pair,
                          flg_end ends[2]) {
  flg_vec3 first, second;
  const bool have_first = pair_direction(build, pair, "axis", pair->axis, &first);
  if (!pair_direction(build, pair, "axis2", pair->axis2, &second) || !have_first) return false;
  const flg_pose a = flg_build_anchor_pose(build, &ends[0].anchor);
  const flg_pose b = flg_build_anchor_pose(build, &ends[1].anchor);
  const flg_vec3 x = flg_mat3_apply(&a.rotation, first), y = flg_mat3_apply(&b.rotation, second);
  const double cosine = flg_vec3_dot(x, y);
  if (fabs(cosine) > SQUARE) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, pair->of->place,
                    "'%s': axis and axis2 are perpendicular at the start of a universal joint, "
                    "here they are %.6g deg apart",
                    pair->of->name, acos(fmax(-1, fmin(1, cosine))) * 180 / 3.14159265358979323846);
    return false;
  }
  const flg_vec3 z = flg_vec3_normalise(flg_vec3_cross(x, y));
  const flg_mat3 turns[2] = {flg_mat3_from_columns(x, flg_vec3_cross(z, x), z),
                             flg_mat3_from_columns(flg_vec3_cross(y, z), y, z)};
  for (int k = 0; k < 2; k++) {
    const flg_pose frame = {turns[k], (k == 0 ? a : b).position};
    ends[k].anchor.pose = flg_build_pose_on(build, &ends[k].anchor, &frame);
  }
  return true;
}

bool flg_build_pair(const flg_component_builder *build, const flg_scope *scope,
                    const flg_pair *pair, flg_anchor anchors[2]) {
  flg_end ends[2];
  if (!has_two_ends(build, pair)) return false;
  const bool first = flg_build_end(build, scope, &pair->ends->items[0], FLG_END_ANY, &ends[0]);
  const bool second = flg_build_end(build, scope, &pair->ends->items[1], FLG_END_ANY, &ends[1]);
  if (!first || !second || !place_ends(build, scope, pair, ends)) return false;
  if (pair->axis2 != NULL) {
    if (!turn_to_cross(build, pair, ends)) return false;
  } else if (pair->axis != NULL && !turn_to_axis(build, pair, ends)) {
    return false;
  }
  anchors[0] = ends[0].anchor;
  anchors[1] = ends[1].anchor;
  return true;
}
