#include <stdio.h>
#include <string.h>

#include "base/closest.h"
#include "flatten/component_build.h"

/* names to choose from, gathered only while mistakes are still listed */
typedef struct words {
  const flg_component_builder *build;
  flg_growing list; /* const char * */
} words;

static void hint_word(words *to, const char *word) {
  const char **entry = flg_growing_add(&to->list, sizeof *entry, to->build->region);
  if (entry != NULL) *entry = word;
}

static bool are_listed(const flg_component_builder *build) {
  return build->mistakes->count < FLG_MISTAKES_LISTED;
}

static const char *own_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static const char *hint_of(const words *from, const char *name, char text[FLG_HINT_TEXT]) {
  return flg_closest_hint(name, from->list.items, from->list.count, text);
}

/* "; its ports are a, b and c", cut where there is no more room */
static void list_words(const words *from, const char *before, const char *none, char *text,
                       size_t capacity) {
  const char *const *items = from->list.items;
  size_t length = (size_t)snprintf(text, capacity, "; %s", from->list.count == 0 ? none : before);
  for (int k = 0; k < from->list.count && length < capacity; k++) {
    const char *comma = k == 0 ? " " : k == from->list.count - 1 ? " and " : ", ";
    if (length + strlen(comma) + strlen(items[k]) + 5 > capacity) {
      snprintf(text + length, capacity - length, ", ...");
      return;
    }
    length += (size_t)snprintf(text + length, capacity - length, "%s%s", comma, items[k]);
  }
}

static void hint_bodies(words *to, int group) {
  const flg_component_body *bodies = to->build->bodies.items;
  for (int k = 0; k < to->build->bodies.count; k++) {
    if (bodies[k].group == group) hint_word(to, own_name(bodies[k].name));
  }
  const flg_component_robot *robots = to->build->robots.items;
  for (int k = 0; k < to->build->robots.count; k++) {
    if (robots[k].is_body && robots[k].group == group) hint_word(to, own_name(robots[k].name));
  }
}

static void hint_frames(words *to, int group, bool ports_only) {
  const flg_component_frame *frames = to->build->frames.items;
  for (int k = 0; k < to->build->frames.count; k++) {
    const bool wanted = frames[k].port || !ports_only;
    if (frames[k].group == group && wanted) hint_word(to, own_name(frames[k].name));
  }
}

/* what may stand before the '/' */
static void hint_parts(words *to, int group) {
  const flg_component_group *groups = to->build->groups.items;
  const flg_component_robot *robots = to->build->robots.items;
  for (int k = 0; k < to->build->groups.count; k++) {
    if (groups[k].parent == group) hint_word(to, own_name(groups[k].name));
  }
  for (int k = 0; k < to->build->robots.count; k++) {
    if (robots[k].group == group && !robots[k].is_body) hint_word(to, own_name(robots[k].name));
  }
}

static bool is_hinted_part(const flg_component_builder *build, const flg_scope *scope,
                           const char *name) {
  const int number = flg_name_index_find(&build->by_part, flg_build_path(build, scope, name));
  return number >= 0 && ((const flg_named_part *)build->parts.items)[number].kind != FLG_PART_BODY;
}

/* names that others have for it */
static bool means_ground(const char *name) {
  static const char *const names[] = {"ground", "fixed", "origin", "inertial", "static"};
  return FLG_FIND(names, sizeof names / sizeof names[0], name) >= 0;
}

void flg_build_no_point(const flg_component_builder *build, const flg_scope *scope,
                        const flg_origin *text, flg_end_want want) {
  words known = {.build = build};
  char hint[FLG_HINT_TEXT] = "";
  const char *what = want == FLG_END_BODY ? "body" : "body, port or marker";
  if (want == FLG_END_BODY && strchr(text->name, '/') != NULL) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, text->place,
                    "'%s' is inside of a component, which shows only its ports; a port with 'of' "
                    "in place of 'body' hands one of them on",
                    text->name);
    return;
  }
  if (want == FLG_END_PORT && !is_hinted_part(build, scope, text->name)) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, text->place,
                    "'%s' is no port of a part; expected component/port or robot/port", text->name);
    return;
  }
  if (is_hinted_part(build, scope, text->name)) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, text->place,
                    "'%s' is a part with ports; name one of them, as in %s/port", text->name,
                    text->name);
    return;
  }
  if (scope->file == NULL) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, text->place,
                    "'%s' is no end of an interface; expected subsystem/port, subsystem/body of a "
                    "robot, or world",
                    text->name);
    return;
  }
  if (are_listed(build)) {
    hint_bodies(&known, scope->group);
    if (want == FLG_END_ANY) hint_frames(&known, scope->group, false);
    hint_of(&known, text->name, hint);
  }
  if (means_ground(text->name)) snprintf(hint, sizeof hint, "; what does not move is 'world'");
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, text->place, "there is no %s '%s'%s", what,
                  text->name, hint);
}

void flg_build_no_part(const flg_component_builder *build, const flg_scope *scope, const char *part,
                       flg_place place) {
  words known = {.build = build};
  char hint[FLG_HINT_TEXT] = "";
  if (are_listed(build)) {
    hint_parts(&known, scope->group);
    hint_of(&known, part, hint);
  }
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place, "there is no component or robot '%s'%s",
                  part, hint);
}

void flg_build_no_port(const flg_component_builder *build, int group, const char *text,
                       const char *port, flg_place place) {
  words known = {.build = build};
  char ports[240] = "";
  if (are_listed(build)) {
    hint_frames(&known, group, true);
    list_words(&known, "its ports are", "it has no ports", ports, sizeof ports);
  }
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place, "'%s': the component has no port '%s'%s",
                  text, port, ports);
}

void flg_build_no_robot_frame(const flg_component_builder *build, int robot, const char *text,
                              const char *frame, flg_place place) {
  const flg_model *model = ((const flg_component_robot *)build->robots.items)[robot].model;
  words known = {.build = build};
  char hint[FLG_HINT_TEXT] = "";
  if (are_listed(build)) {
    for (int k = 0; k < model->body_count; k++) hint_word(&known, model->bodies[k].name);
    for (int k = 0; k < model->frame_count; k++) hint_word(&known, model->frames[k].name);
    hint_of(&known, frame, hint);
  }
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place,
                  "'%s': the robot has no body, port or marker '%s'%s", text, frame, hint);
}

void flg_build_no_mover(const flg_component_builder *build, const flg_scope *scope,
                        const char *name, flg_place place) {
  words known = {.build = build};
  char hint[FLG_HINT_TEXT] = "";
  const flg_component_mover *movers = build->movers.items;
  if (strchr(name, '/') != NULL) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place,
                    "'%s' is inside another part; expected a joint, sensor or spring of this file",
                    name);
    return;
  }
  for (int k = 0; k < build->movers.count && are_listed(build); k++) {
    if (movers[k].group == scope->group) hint_word(&known, movers[k].name);
  }
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place,
                  "there is no joint, sensor or spring '%s'%s", name, hint_of(&known, name, hint));
}
