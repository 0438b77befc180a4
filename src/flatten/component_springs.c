#include <math.h>

#include "flatten/component_build.h"

int flg_build_add_spring(flg_component_builder *build, const flg_component_spring *spring) {
  flg_component_spring *added =
      flg_build_add(build, &build->springs, sizeof *added, "springs", spring->place);
  if (added == NULL || spring->coordinate < 0) return -1;
  *added = *spring;
  return build->springs.count - 1;
}

/* where there is no stiffness, where it would be at rest is of no consequence */
static double rest_of(double stiffness, double rest) {
  return stiffness == 0 && isnan(rest) ? 0 : rest;
}

void flg_build_joint_spring(flg_component_builder *build, const flg_scope *scope,
                            const flg_component_joint_keys *keys, const char *path,
                            int coordinate) {
  const double stiffness = isnan(keys->stiffness) ? 0 : keys->stiffness;
  if (isnan(keys->stiffness) && isnan(keys->damping)) return;
  flg_build_add_spring(build,
                       &(flg_component_spring){.name = path,
                                               .place = keys->origin.place,
                                               .group = scope->group,
                                               .coordinate = coordinate,
                                               .stiffness = stiffness,
                                               .damping = isnan(keys->damping) ? 0 : keys->damping,
                                               .rest = rest_of(stiffness, NAN),
                                               .implicit = keys->implicit});
}

/* --- springs ------------------------------------------------------------------------------- */

/* one of two keys, and only numbers that belong to it */
static bool check_spring_keys(const flg_component_builder *build,
                              const flg_component_spring_keys *keys) {
  const bool between = keys->between.count > 0;
  const char *wrong = NULL;
  if (between == (keys->on != NULL)) wrong = "it needs either the key 'between' or the key 'on'";
  if (wrong == NULL && between && !isnan(keys->rest)) {
    wrong = "key 'rest' is for springs on a coordinate; between two ends it is 'length'";
  }
  if (wrong == NULL && !between && !isnan(keys->length)) {
    wrong = "key 'length' is for springs between two ends; on a coordinate it is 'rest'";
  }
  if (wrong == NULL) return true;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, keys->origin.place, "spring '%s': %s",
                  keys->origin.name, wrong);
  return false;
}

/* the coordinate between its ends, or the one that it is on; -1 with mistakes */
static int find_coordinate(flg_component_builder *build, const flg_scope *scope, const char *path,
                           const flg_component_spring_keys *keys) {
  const flg_origin *origin = &keys->origin;
  if (!check_spring_keys(build, keys)) return -1;
  if (keys->on != NULL) {
    return flg_build_find_coordinate(build, scope, keys->on, origin->place, FLG_ANY_COORDINATE);
  }
  const flg_pair pair = {.of = origin, .key = "between", .ends = &keys->between, .points = true};
  flg_anchor anchors[2];
  if (!flg_build_pair(build, scope, &pair, anchors)) return -1;
  return flg_build_coordinate(build, scope, origin, path, FLG_COORDINATE_DISTANCE, anchors);
}

static void build_spring(flg_component_builder *build, const flg_scope *scope,
                         const flg_component_spring_keys *keys) {
  const flg_origin *origin = &keys->origin;
  const char *path = flg_build_path(build, scope, origin->name);
  const int coordinate = find_coordinate(build, scope, path, keys);
  const bool own = keys->between.count > 0;
  const flg_component_mover mover = {.name = origin->name,
                                     .group = scope->group,
                                     .coordinate = {coordinate, -1},
                                     .told = coordinate < 0};
  flg_build_enter_mover(build, origin, path, &mover);
  if (coordinate < 0) return;
  const double rest = own ? keys->length : keys->rest;
  flg_build_add_spring(build, &(flg_component_spring){.name = path,
                                                      .place = origin->place,
                                                      .group = scope->group,
                                                      .coordinate = coordinate,
                                                      .stiffness = keys->stiffness,
                                                      .damping = keys->damping,
                                                      .rest = rest_of(keys->stiffness, rest),
                                                      .preload = keys->preload,
                                                      .implicit = keys->implicit});
}

void flg_build_springs(flg_component_builder *build, const flg_scope *scope,
                       const flg_items *items) {
  const flg_component_spring_keys *keys = items->items;
  for (int k = 0; k < items->count; k++) {
    if (keys[k].on == NULL) build_spring(build, scope, &keys[k]);
  }
  for (int k = 0; k < items->count; k++) {
    if (keys[k].on != NULL) build_spring(build, scope, &keys[k]);
  }
}

/* --- forces -------------------------------------------------------------------------------- */

static bool is_vector_given(const double numbers[3]) {
  return !isnan(numbers[0]);
}

static flg_vec3 or_zero(const double numbers[3]) {
  return is_vector_given(numbers) ? flg_vec3_load(numbers) : (flg_vec3){0, 0, 0};
}

static bool check_force(const flg_component_builder *build, const flg_component_force_keys *keys) {
  const bool on = keys->on != NULL;
  const bool pushes =
      is_vector_given(keys->at) || is_vector_given(keys->force) || is_vector_given(keys->moment);
  const char *wrong = NULL;
  if (on == (keys->body != NULL)) {
    wrong = "it needs either the key 'body' or the key 'on'";
  } else if (on && (pushes || !keys->enabled || keys->axes != 0)) {
    wrong = "on a coordinate it has an 'effort', which is always there, and no other keys";
  } else if (on && isnan(keys->effort)) {
    wrong = "key 'effort' is missing";
  } else if (!on && !isnan(keys->effort)) {
    wrong = "key 'effort' is for a coordinate; on a body it is 'force' and 'moment'";
  }
  if (wrong == NULL) return true;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, keys->origin.place, "force '%s': %s",
                  keys->origin.name, wrong);
  return false;
}

static void add_effort(flg_component_builder *build, const flg_scope *scope, const char *path,
                       const flg_component_force_keys *keys) {
  const flg_place place = keys->origin.place;
  const int coordinate =
      flg_build_find_coordinate(build, scope, keys->on, place, FLG_ANY_COORDINATE);
  if (coordinate < 0) return;
  flg_build_add_spring(build, &(flg_component_spring){.name = path,
                                                      .place = place,
                                                      .group = scope->group,
                                                      .coordinate = coordinate,
                                                      .preload = keys->effort});
}

static void add_load(flg_component_builder *build, const flg_scope *scope, const char *path,
                     const flg_component_force_keys *keys) {
  const flg_origin text = {keys->body, keys->origin.place};
  flg_end end;
  if (!flg_build_end(build, scope, &text, FLG_END_ANY, &end)) return;
  flg_component_load *load =
      flg_build_add(build, &build->loads, sizeof *load, "forces", keys->origin.place);
  if (load == NULL) return;
  *load = (flg_component_load){.name = path,
                               .place = keys->origin.place,
                               .group = scope->group,
                               .at = end.anchor,
                               .follows = keys->axes == 1,
                               .enabled = keys->enabled,
                               .force = {or_zero(keys->force), or_zero(keys->moment)}};
  load->at.pose.position = flg_pose_apply(&end.anchor.pose, or_zero(keys->at));
}

void flg_build_force(flg_component_builder *build, const flg_scope *scope,
                     const flg_component_force_keys *keys) {
  const char *path = flg_build_path(build, scope, keys->origin.name);
  const flg_component_mover mover = {
      .name = keys->origin.name, .group = scope->group, .coordinate = {-1, -1}};
  flg_build_enter_mover(build, &keys->origin, path, &mover);
  if (!check_force(build, keys)) return;
  (keys->on != NULL ? add_effort : add_load)(build, scope, path, keys);
}

/* --- elements between frames ---------------------------------------------------------------- */

static void add_element(flg_component_builder *build, const flg_scope *scope,
                        const flg_force_kind *kind, const flg_component_element *element) {
  flg_component_element *added =
      flg_build_add(build, &build->elements, sizeof *added, kind->keys->name, element->place);
  if (added == NULL) return;
  *added = *element;
  added->group = scope->group, added->kind = kind;
}

void flg_build_framed(flg_component_builder *build, const flg_scope *scope,
                      const flg_force_kind *kind, const flg_framed_keys *keys) {
  const flg_origin *origin = &keys->origin;
  const char *path = flg_build_path(build, scope, origin->name);
  const flg_pair pair = {.of = origin,
                         .key = "between",
                         .ends = &keys->pair.between,
                         .placement = &keys->pair.placement,
                         .axis = keys->pair.axis};
  const flg_component_mover mover = {
      .name = origin->name, .group = scope->group, .coordinate = {-1, -1}};
  flg_build_enter_mover(build, origin, path, &mover);
  flg_anchor anchors[2];
  if (!flg_build_pair(build, scope, &pair, anchors)) return;
  add_element(build, scope, kind,
              &(flg_component_element){.name = path,
                                       .place = origin->place,
                                       .end = {anchors[0], anchors[1]},
                                       .coordinate = -1,
                                       .keys = keys});
}

/* its signal is read when all signals are there (flg_build_signals) */
static void build_driven(flg_component_builder *build, const flg_scope *scope,
                         const flg_force_kind *kind, const flg_driven_keys *keys) {
  const flg_origin *origin = &keys->origin;
  const char *path = flg_build_path(build, scope, origin->name);
  const flg_component_mover mover = {
      .name = origin->name, .group = scope->group, .coordinate = {-1, -1}};
  flg_build_enter_mover(build, origin, path, &mover);
  if (keys->on == NULL) return;
  const int coordinate =
      flg_build_find_coordinate(build, scope, keys->on, origin->place, FLG_ANY_COORDINATE);
  if (coordinate < 0) return;
  add_element(build, scope, kind,
              &(flg_component_element){
                  .name = path, .place = origin->place, .coordinate = coordinate, .keys = keys});
}

void flg_build_listed(flg_component_builder *build, const flg_scope *scope,
                      const flg_force_kind *kind, const flg_items *items) {
  for (int k = 0; k < items->count; k++) {
    const char *keys = (const char *)items->items + (size_t)k * kind->keys->bytes;
    if (kind->ends > 0) flg_build_framed(build, scope, kind, (const flg_framed_keys *)keys);
    if (kind->ends == 0) build_driven(build, scope, kind, (const flg_driven_keys *)keys);
  }
}
