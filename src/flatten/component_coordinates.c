#include <stdio.h>
#include <string.h>

#include "base/closest.h"
#include "flatten/component_build.h"

int flg_build_coordinate(flg_component_builder *build, const flg_scope *scope,
                         const flg_origin *origin, const char *path, flg_coordinate_kind kind,
                         const flg_anchor anchors[2]) {
  flg_component_coordinate *coordinate =
      flg_build_add(build, &build->coordinates, sizeof *coordinate, "coordinates", origin->place);
  if (coordinate == NULL) return -1;
  *coordinate = (flg_component_coordinate){.name = path,
                                           .place = origin->place,
                                           .group = scope->group,
                                           .kind = kind,
                                           .end = {anchors[0], anchors[1]}};
  return build->coordinates.count - 1;
}

/* --- by name ------------------------------------------------------------------------------- */

static int kind_named(const char *word) {
  for (int kind = 0; kind < FLG_COORDINATE_KIND_COUNT; kind++) {
    if (strcmp(word, flg_coordinate_kind_name((flg_coordinate_kind)kind)) == 0) return kind;
  }
  return FLG_ANY_COORDINATE;
}

/* `name.kind` into its parts; false if the kind is not known */
static bool split_coordinate_name(const flg_component_builder *build, const char *text,
                                  flg_place place, const char **name, int *kind) {
  const char *dot = strrchr(text, '.');
  *name = text;
  *kind = FLG_ANY_COORDINATE;
  if (dot == NULL) return true;
  *name = flg_region_text(build->region, text, (size_t)(dot - text));
  *kind = kind_named(dot + 1);
  if (*name != NULL && *kind != FLG_ANY_COORDINATE) return true;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place,
                  "'%s': there is no '%s'; expected .angle, .slide or .distance", text, dot + 1);
  return false;
}

/* of the kind; of any kind: the only one, or else the angle */
static int choose_coordinate(const flg_component_builder *build, const flg_component_mover *mover,
                             int kind) {
  const flg_component_coordinate *known = build->coordinates.items;
  const int first = mover->coordinate[0], second = mover->coordinate[1];
  if (kind == FLG_ANY_COORDINATE && second < 0) return first;
  if (kind == FLG_ANY_COORDINATE) kind = FLG_COORDINATE_ANGLE;
  if (first >= 0 && (int)known[first].kind == kind) return first;
  return second >= 0 && (int)known[second].kind == kind ? second : -1;
}

int flg_build_find_coordinate(const flg_component_builder *build, const flg_scope *scope,
                              const char *text, flg_place place, int kind) {
  const char *name;
  int said;
  if (!split_coordinate_name(build, text, place, &name, &said)) return -1;
  const int number = flg_name_index_find(&build->by_mover, flg_build_path(build, scope, name));
  if (number < 0) {
    flg_build_no_mover(build, scope, name, place);
    return -1;
  }
  const flg_component_mover *mover = &((const flg_component_mover *)build->movers.items)[number];
  if (mover->told) return -1;
  const int wanted = said == FLG_ANY_COORDINATE ? kind : said;
  const int found = choose_coordinate(build, mover, wanted);
  const bool fits = kind == FLG_ANY_COORDINATE || wanted == kind;
  if (found >= 0 && fits) return found;
  const int missing = fits ? wanted : kind;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place, "'%s' has no %s to act on", text,
                  missing == FLG_ANY_COORDINATE
                      ? "coordinate"
                      : flg_coordinate_kind_name((flg_coordinate_kind)missing));
  return -1;
}

/* --- sensors ------------------------------------------------------------------------------- */

void flg_build_sensor(flg_component_builder *build, const flg_scope *scope,
                      const flg_component_sensor_keys *keys) {
  const flg_origin *origin = &keys->origin;
  const flg_coordinate_kind kind = (flg_coordinate_kind)keys->measure;
  const bool points = kind == FLG_COORDINATE_DISTANCE;
  const char *path = flg_build_path(build, scope, origin->name);
  const flg_pair pair = {.of = origin,
                         .key = "between",
                         .ends = &keys->pair.between,
                         .placement = &keys->pair.placement,
                         .axis = points ? NULL : keys->pair.axis,
                         .points = points};
  flg_component_mover mover = {
      .name = origin->name, .group = scope->group, .coordinate = {-1, -1}, .told = true};
  flg_anchor anchors[2];
  if (flg_build_pair(build, scope, &pair, anchors)) {
    mover.coordinate[0] = flg_build_coordinate(build, scope, origin, path, kind, anchors);
    mover.told = false;
  }
  flg_build_enter_mover(build, origin, path, &mover);
}
