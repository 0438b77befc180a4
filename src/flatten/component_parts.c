#include <math.h>

#include "flatten/component_build.h"

/* --- bodies -------------------------------------------------------------------------------- */

flg_spatial flg_build_velocity(const flg_scope *scope, const flg_component_body_keys *keys) {
  const flg_spatial own = {flg_vec3_load(keys->velocity), flg_vec3_load(keys->angular_velocity)};
  return flg_spatial_rotate(own, &scope->pose.rotation);
}

void flg_build_body(flg_component_builder *build, const flg_scope *scope,
                    const flg_component_body_keys *keys) {
  const flg_origin *origin = &keys->origin;
  if (!flg_build_name_check(build, origin)) return;
  if (keys->flexible.origin.name != NULL) {
    flg_build_flexible(build, scope, keys);
    return;
  }
  flg_component_body *body =
      flg_build_add(build, &build->bodies, sizeof *body, "bodies", origin->place);
  if (body == NULL) return;
  const flg_pose placement = flg_placement_pose(&keys->placement);
  *body =
      (flg_component_body){.name = flg_build_path(build, scope, origin->name),
                           .place = origin->place,
                           .group = scope->group,
                           .fixed = keys->fixed,
                           .is_point = keys->point,
                           .mass = keys->mass,
                           .centre = flg_vec3_load(keys->centre),
                           .inertia = flg_inertia_of_keys(&keys->inertia, origin, build->mistakes),
                           .gravity = flg_vec3_load(keys->gravity),
                           .pose = flg_pose_compose(&scope->pose, &placement),
                           .velocity = flg_build_velocity(scope, keys)};
  const int index = build->bodies.count - 1;
  flg_build_enter_part(build, origin, body->name, (flg_named_part){FLG_PART_BODY, index});
  flg_build_enter_point(build, origin, body->name, (flg_point){.body = index, .frame = -1});
  flg_build_shapes(build, scope, &keys->shapes, index, 0);
}

/* --- ports and markers --------------------------------------------------------------------- */

static bool is_placed(const flg_placement_keys *keys) {
  return !isnan(keys->at[0]) || !isnan(keys->turn[0]);
}

static bool find_anchor(const flg_component_builder *build, const flg_scope *scope,
                        const flg_component_frame_keys *keys, flg_anchor *anchor) {
  const flg_origin *origin = &keys->origin;
  const bool handed_on = keys->of != NULL;
  if (handed_on == (keys->body != NULL)) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, origin->place,
                    "port '%s' needs either the key 'body' or the key 'of'", origin->name);
    return false;
  }
  if (handed_on && is_placed(&keys->placement)) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, origin->place,
                    "port '%s' is handed on as it is; leave 'at' and 'turn' away", origin->name);
  }
  const flg_origin text = {handed_on ? keys->of : keys->body, origin->place};
  flg_end end;
  if (!flg_build_end(build, scope, &text, handed_on ? FLG_END_PORT : FLG_END_BODY, &end)) {
    return false;
  }
  *anchor = end.anchor;
  if (!handed_on) {
    /* the ground that a component stands on moves with its frame */
    const bool ground = anchor->robot < 0 && anchor->body == FLG_WORLD;
    const flg_pose placement = flg_placement_pose(&keys->placement);
    anchor->pose = flg_pose_compose(ground ? &scope->pose : &anchor->pose, &placement);
  }
  return true;
}

void flg_build_frame(flg_component_builder *build, const flg_scope *scope,
                     const flg_component_frame_keys *keys, bool port) {
  const flg_origin *origin = &keys->origin;
  flg_point point = {.body = -1, .frame = -1}; /* neither: known, but wrong */
  flg_anchor anchor;
  if (!flg_build_name_check(build, origin)) return;
  const char *path = flg_build_path(build, scope, origin->name);
  if (find_anchor(build, scope, keys, &anchor)) {
    flg_component_frame *frame =
        flg_build_add(build, &build->frames, sizeof *frame, "ports and markers", origin->place);
    if (frame == NULL) return;
    *frame = (flg_component_frame){.name = path,
                                   .place = origin->place,
                                   .group = scope->group,
                                   .port = port,
                                   .anchor = anchor};
    point.frame = build->frames.count - 1;
  }
  flg_build_enter_point(build, origin, path, point);
}
