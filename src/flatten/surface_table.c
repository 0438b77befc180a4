#include "flatten/surface_table.h"

#include <math.h>
#include <string.h>

#include "base/closest.h"
#include "base/input_limits.h"
#include "contact/material.h"

/* --- surfaces -------------------------------------------------------------------------------- */

/* a surface without a name is known by its values, which no name looks like */
static const char *surface_key_of(const flg_surface_table *table, const flg_surface *surface) {
  if (surface->name != NULL) return surface->name;
  return flg_region_format(table->region, "/%a/%a", surface->friction, surface->restitution);
}

/* two numbers in any order */
static const char *key_of_two(const flg_surface_table *table, int first, int second) {
  const bool swapped = second < first;
  return flg_region_format(table->region, "%d %d", swapped ? second : first,
                           swapped ? first : second);
}

/* its number; one that is there already is not added again */
static int add_surface(flg_surface_table *table, const flg_surface *surface) {
  if (table->region->failed) return 0; /* the index may name a surface that was not added */
  const char *key = surface_key_of(table, surface);
  if (key == NULL) return 0;
  const int found =
      flg_name_index_add(&table->by_surface, key, table->surfaces.count, table->region);
  if (found == FLG_NAME_UNKNOWN) {
    flg_surface *added = flg_growing_add(&table->surfaces, sizeof *added, table->region);
    if (added == NULL) return 0;
    *added = *surface;
    return table->surfaces.count;
  }
  const flg_surface *known = (const flg_surface *)table->surfaces.items + found;
  if (known->friction != surface->friction || known->restitution != surface->restitution) {
    flg_mistake_add(table->mistakes, FLG_ERR_INPUT, surface->place,
                    "the material '%s' has friction %g and restitution %g here, but %g and %g in "
                    "%s:%d; give one of them another name",
                    surface->name, surface->friction, surface->restitution, known->friction,
                    known->restitution, known->place.file, known->place.line);
  }
  return found + 1;
}

void flg_surface_table_materials(flg_surface_table *table, const flg_items *items) {
  const flg_material_keys *keys = items->items;
  for (int k = 0; k < items->count; k++) {
    add_surface(table, &(flg_surface){keys[k].origin.name, keys[k].origin.place, keys[k].friction,
                                      keys[k].restitution});
  }
}

/* The number of a name, as shapes have it; 0: unknown. */
static int surface_table_find(const flg_surface_table *table, const char *name) {
  if (table->region->failed) return 0;
  return flg_name_index_find(&table->by_surface, name) + 1; /* unknown is -1 */
}

static void surface_tell_unknown(const flg_surface_table *table, const flg_origin *name) {
  const flg_surface *known = table->surfaces.items;
  const char *words[FLG_MISTAKES_LISTED];
  int count = 0;
  for (int k = 0; k < table->surfaces.count && count < FLG_MISTAKES_LISTED; k++) {
    if (known[k].name != NULL) words[count++] = known[k].name;
  }
  char hint[FLG_HINT_TEXT];
  flg_closest_hint(name->name, words, count, hint);
  flg_mistake_add(table->mistakes, FLG_ERR_INPUT, name->place, "there is no material '%s'%s",
                  name->name, hint[0] != '\0' ? hint : "; they stand under the key 'materials'");
}

int flg_surface_table_need(const flg_surface_table *table, const flg_origin *name) {
  const int number = surface_table_find(table, name->name);
  if (number == 0) surface_tell_unknown(table, name);
  return number;
}

/* --- pairs ----------------------------------------------------------------------------------- */

/* the usual one is not among the surfaces */
static flg_surface surface_at(const flg_surface_table *table, int number) {
  const flg_material usual = flg_material_default();
  if (number == 0) return (flg_surface){NULL, {0}, usual.friction, usual.restitution};
  return ((const flg_surface *)table->surfaces.items)[number - 1];
}

static void surface_add_pair(flg_surface_table *table, const flg_surface_pair *pair) {
  const char *key = key_of_two(table, pair->first, pair->second);
  if (key == NULL || table->region->failed) return;
  const int found = flg_name_index_add(&table->by_pair, key, table->pairs.count, table->region);
  if (found == FLG_NAME_UNKNOWN) {
    flg_surface_pair *added = flg_growing_add(&table->pairs, sizeof *added, table->region);
    if (added != NULL) *added = *pair;
    return;
  }
  const flg_surface_pair *known = (const flg_surface_pair *)table->pairs.items + found;
  if (known->friction == pair->friction && known->restitution == pair->restitution) return;
  flg_mistake_add(table->mistakes, FLG_ERR_INPUT, pair->place,
                  "the pair of '%s' and '%s' has friction %g and restitution %g here, but %g and "
                  "%g in %s:%d",
                  surface_at(table, pair->first).name, surface_at(table, pair->second).name,
                  pair->friction, pair->restitution, known->friction, known->restitution,
                  known->place.file, known->place.line);
}

static void add_pair_keys(flg_surface_table *table, flg_material_pair_keys *keys, bool leave_out) {
  int number[2];
  if (keys->between.count != 2) {
    flg_mistake_add(table->mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "between: a pair has two materials, found %d", keys->between.count);
    return;
  }
  for (int e = 0; e < 2; e++) {
    const flg_origin *name = &keys->between.items[e];
    number[e] =
        leave_out ? surface_table_find(table, name->name) : flg_surface_table_need(table, name);
    if (number[e] == 0) return;
  }
  keys->met = true;
  const flg_surface a = surface_at(table, number[0]), b = surface_at(table, number[1]);
  const bool same = number[0] == number[1];
  const double friction = same ? a.friction : sqrt(a.friction * b.friction);
  const flg_surface_pair pair = {.place = keys->origin.place,
                                 .first = number[0],
                                 .second = number[1],
                                 .friction = isnan(keys->friction) ? friction : keys->friction,
                                 .restitution = isnan(keys->restitution)
                                                    ? fmax(a.restitution, b.restitution)
                                                    : keys->restitution};
  surface_add_pair(table, &pair);
}

void flg_surface_table_pairs(flg_surface_table *table, const flg_items *items, bool leave_out) {
  flg_material_pair_keys *keys = items->items;
  for (int k = 0; k < items->count; k++) add_pair_keys(table, &keys[k], leave_out);
}

/* Two bodies with many shapes have many pairs. False if they are too many; the first time that is a
 * mistake. */
static bool can_ask_apart(flg_surface_table *table, double pairs, flg_place place) {
  const double most = flg_input_limit_value(FLG_LIMIT_APART), before = table->apart_asked;
  table->apart_asked += pairs;
  if (table->apart_asked <= most) return true;
  if (before > most) return false;
  flg_mistake_add(table->mistakes, FLG_ERR_INPUT, place,
                  "apart: there are more than %.0f pairs of shapes that never touch; give shapes a "
                  "'group' and 'collides', or raise it with --limit %s=%.0f",
                  most, flg_input_limit_name(FLG_LIMIT_APART), 4 * table->apart_asked);
  return false;
}

static void keep_apart(flg_surface_table *table, int first, int second) {
  const char *key = key_of_two(table, first, second);
  const bool is_known = key == NULL || flg_name_index_add(&table->by_apart, key, table->apart.count,
                                                          table->region) != FLG_NAME_UNKNOWN;
  if (is_known) return;
  int(*added)[2] = flg_growing_add(&table->apart, sizeof *added, table->region);
  if (added == NULL) return;
  (*added)[0] = first, (*added)[1] = second;
}

/* --- groups ---------------------------------------------------------------------------------- */

/* its bit */
static uint32_t group_named(flg_surface_table *table, const char *name, flg_place place) {
  const char **known = table->groups.items;
  const int index = FLG_FIND(known, table->groups.count, name);
  if (index >= 0) return UINT32_C(1) << index;
  if (table->groups.count == FLG_SHAPE_GROUPS) {
    flg_mistake_add(table->mistakes, FLG_ERR_INPUT, place,
                    "group: '%s' is one too many; there are at most %d", name, FLG_SHAPE_GROUPS);
    return 0;
  }
  const char **added = flg_growing_add(&table->groups, sizeof *added, table->region);
  if (added == NULL) return 0;
  *added = name;
  return UINT32_C(1) << (table->groups.count - 1);
}

/* --- shapes ---------------------------------------------------------------------------------- */

static int surface_of(flg_surface_table *table, const flg_shape_keys *keys) {
  const bool own = !isnan(keys->friction) || !isnan(keys->restitution);
  const flg_place place = keys->origin.place;
  if (own && keys->material != NULL) {
    flg_mistake_add(table->mistakes, FLG_ERR_INPUT, place,
                    "a shape has either a material or friction and restitution of its own");
    return 0;
  }
  if (keys->material != NULL) {
    return flg_surface_table_need(table, &(flg_origin){keys->material, place});
  }
  if (!own) return 0;
  const flg_material usual = flg_material_default();
  return add_surface(
      table, &(flg_surface){
                 .place = place,
                 .friction = isnan(keys->friction) ? usual.friction : keys->friction,
                 .restitution = isnan(keys->restitution) ? usual.restitution : keys->restitution});
}

void flg_surface_table_shape(flg_surface_table *table, const flg_shape_keys *keys,
                             flg_shape *shape) {
  const flg_place place = keys->origin.place;
  shape->surface = surface_of(table, keys);
  if (keys->group != NULL) shape->group = group_named(table, keys->group, place);
  for (int k = 0; k < keys->collides.count; k++) {
    const flg_origin *name = &keys->collides.items[k];
    shape->collides |= group_named(table, name->name, name->place);
  }
}

/* --- from one table to another --------------------------------------------------------------- */

static uint32_t translate(const uint32_t *bits, int count, uint32_t from) {
  uint32_t to = from & (UINT32_C(1) << FLG_SHAPE_GROUPS);
  for (int k = 0; k < count; k++) {
    if ((from >> k & 1) != 0) to |= bits[k];
  }
  return to;
}

void flg_surface_table_merge(flg_surface_table *table, const flg_surfaces *from, flg_shape *shapes,
                             int count, int first) {
  uint32_t bits[FLG_SHAPE_GROUPS] = {0};
  const size_t surface_count = (size_t)from->surface_count + 1;
  int *numbers = flg_region_take(table->region, surface_count, sizeof *numbers);
  if (numbers == NULL) return;
  for (int k = 0; k < from->surface_count; k++) {
    numbers[k + 1] = add_surface(table, &from->surfaces[k]);
  }
  for (int k = 0; k < from->pair_count; k++) {
    flg_surface_pair pair = from->pairs[k];
    pair.first = numbers[pair.first], pair.second = numbers[pair.second];
    surface_add_pair(table, &pair);
  }
  const flg_place at = count > 0 ? shapes[0].place : (flg_place){0};
  const bool fits = can_ask_apart(table, from->apart_count, at);
  for (int k = 0; k < from->apart_count && fits; k++) {
    keep_apart(table, first + from->apart[k][0], first + from->apart[k][1]);
  }
  for (int k = 0; k < from->group_count; k++) {
    bits[k] = group_named(table, from->groups[k], at);
  }
  for (int k = 0; k < count; k++) {
    shapes[k].surface = numbers[shapes[k].surface];
    shapes[k].group = translate(bits, from->group_count, shapes[k].group);
    shapes[k].collides = translate(bits, from->group_count, shapes[k].collides);
  }
}

flg_surfaces flg_surface_table_view(const flg_surface_table *table) {
  return (flg_surfaces){.surfaces = table->surfaces.items,
                        .surface_count = table->surfaces.count,
                        .pairs = table->pairs.items,
                        .pair_count = table->pairs.count,
                        .apart = table->apart.items,
                        .apart_count = table->apart.count,
                        .groups = table->groups.items,
                        .group_count = table->groups.count};
}

/* --- names of shapes ------------------------------------------------------------------------- */

/* Names of shapes in texts, each with the shapes that it stands for. */
typedef struct called_shapes {
  flg_name_index names;
  flg_growing lists; /* flg_growing of int */
  flg_region region;
} called_shapes;

/* A shape under a name: the first letters of a text. */
static void add_called(called_shapes *called, const char *text, size_t length, int shape) {
  int number = flg_name_index_find_begin(&called->names, text, length);
  if (number == FLG_NAME_UNKNOWN) {
    const char *name = flg_region_format(&called->region, "%.*s", (int)length, text);
    number = called->lists.count;
    if (name == NULL ||
        flg_growing_add(&called->lists, sizeof(flg_growing), &called->region) == NULL)
      return;
    flg_name_index_add(&called->names, name, number, &called->region);
  }
  flg_growing *lists = called->lists.items;
  if (lists == NULL) return;
  flg_growing *list = lists + number;
  const int *known = list->items;
  if (list->count > 0 && known[list->count - 1] == shape) return;
  int *added = flg_growing_add(list, sizeof *added, &called->region);
  if (added != NULL) *added = shape;
}

/* its body, and all components around it: a/b/c, a/b, a; its own name; body/shape */
static void call_shape(called_shapes *called, const flg_named_shapes *among, int shape) {
  const size_t prefix = strlen(among->prefix);
  if (strncmp(among->paths[shape], among->prefix, prefix) != 0) return;
  const char *body = among->paths[shape] + prefix, *name = among->shapes[shape].name;
  for (size_t k = 0; k == 0 || body[k - 1] != '\0'; k++) {
    if (k > 0 && (body[k] == '/' || body[k] == '\0')) add_called(called, body, k, shape);
  }
  if (name == NULL) return;
  add_called(called, name, strlen(name), shape);
  const char *path = flg_region_format(&called->region, "%s/%s", body, name);
  if (path != NULL) add_called(called, path, strlen(path), shape);
}

static flg_growing shapes_called(const called_shapes *called, const char *text) {
  const int number = flg_name_index_find(&called->names, text);
  const flg_growing none = {0}, *lists = called->lists.items;
  return lists == NULL || number == FLG_NAME_UNKNOWN ? none : lists[number];
}

static void keep_called_apart(flg_surface_table *table, const called_shapes *called,
                              const flg_origin pair[2]) {
  flg_growing lists[2];
  for (int e = 0; e < 2; e++) {
    lists[e] = shapes_called(called, pair[e].name);
    if (lists[e].count > 0) continue;
    flg_mistake_add(table->mistakes, FLG_ERR_INPUT, pair[e].place,
                    "apart: there is no shape '%s', and no body of that name with shapes",
                    pair[e].name);
  }
  if (!can_ask_apart(table, (double)lists[0].count * lists[1].count, pair[0].place)) return;
  const int *first = lists[0].items, *second = lists[1].items;
  for (int i = 0; i < lists[0].count; i++) {
    for (int j = 0; j < lists[1].count; j++) {
      if (first[i] != second[j]) keep_apart(table, first[i], second[j]);
    }
  }
}

void flg_surface_table_touching(flg_surface_table *table, const flg_touching_keys *keys,
                                const flg_named_shapes *among) {
  flg_surface_table_pairs(table, &keys->pairs, false);
  if (keys->apart.count == 0) return;
  called_shapes called = {.region = {0}};
  for (int k = 0; k < among->count; k++) call_shape(&called, among, k);
  table->region->failed |= called.region.failed;
  for (int k = 0; k < keys->apart.count && !called.region.failed; k++) {
    keep_called_apart(table, &called, keys->apart.items[k]);
  }
  flg_region_release(&called.region);
}
