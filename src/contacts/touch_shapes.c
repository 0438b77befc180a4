#include "contacts/touch_shapes.h"

#include <math.h>
#include <stdlib.h>

#define UNNAMED_GROUP (UINT32_C(1) << 31) /* what shapes without a group are in */

/* what is being built, and from what */
typedef struct builder {
  flg_touch_shapes *touch;
  const flg_shape *from;
  int from_count;
  const flg_surfaces *surfaces;
  flg_contact_shape *kinds; /* (count) in the region */
  int *number;              /* (from_count) of each shape here, -1: left out */
  flg_region scratch;
  flg_mistakes *mistakes;
  flg_status status; /* of the first mistake */
} builder;

/* All shapes are looked at, so that users see every mistake; the first one gives the status. */
static void touch_shapes_blame(builder *b, flg_status status, flg_place place,
                               const char *message) {
  flg_mistake_add(b->mistakes, status, place, "%s", message);
  if (b->status == FLG_OK) b->status = status;
}

static flg_status take_shape_memory(builder *b, flg_error *error) {
  flg_touch_shapes *touch = b->touch;
  b->number = flg_region_take(&b->scratch, (size_t)b->from_count, sizeof *b->number);
  if (b->scratch.failed) return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for shapes.");
  for (int k = 0; k < b->from_count; k++) {
    b->number[k] = flg_shape_can_touch(&b->from[k]) ? touch->count++ : -1;
  }
  const size_t count = (size_t)touch->count;
  touch->shapes = flg_region_take(&touch->region, count, sizeof *touch->shapes);
  touch->sources = flg_region_take(&touch->region, count, sizeof *touch->sources);
  b->kinds = flg_region_take(&touch->region, count, sizeof *b->kinds);
  touch->apart =
      flg_region_take(&touch->region, (size_t)b->surfaces->apart_count, sizeof *touch->apart);
  return flg_region_check(&touch->region, "shapes", error);
}

/* --- shapes ---------------------------------------------------------------------------------- */

/* A mesh touches by its convex hull: contact points between convex shapes are found exactly, and a
 * concave one is made of several meshes. */
static flg_status hull_of(builder *b, const flg_shape *from, flg_contact_shape *shape,
                          flg_error *error) {
  flg_region *region = &b->touch->region;
  const int count = from->value_count / 3;
  flg_hull *hull = flg_region_take(region, 1, sizeof *hull);
  flg_vec3 *points = flg_region_take(&b->scratch, (size_t)count, sizeof *points);
  if (hull == NULL || points == NULL) {
    return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for a mesh of %d vertices.", count);
  }
  for (int k = 0; k < count; k++) points[k] = flg_vec3_load(from->values + 3 * (size_t)k);
  const flg_status status = flg_hull_build(hull, points, count, region, error);
  if (status == FLG_OK) flg_contact_shape_convex(shape, hull);
  return status;
}

static void touch_shapes_add_shape(builder *b, int source) {
  const flg_shape *from = &b->from[source];
  const int at = b->number[source];
  flg_contact_shape *kind = &b->kinds[at];
  flg_error error = {0};
  const flg_status status = from->kind == FLG_SHAPE_MESH
                                ? hull_of(b, from, kind, &error)
                                : flg_contact_shape_of_model(kind, from, &b->touch->region, &error);
  if (status != FLG_OK) touch_shapes_blame(b, status, from->place, error.message);
  b->touch->sources[at] = source;
  b->touch->shapes[at] = (flg_scene_shape){
      .shape = kind,
      .body = from->body,
      .pose = from->pose,
      .material = from->surface,
      .group = from->group != 0 ? from->group : UNNAMED_GROUP,
      .collides = from->collides != 0 ? from->collides : UINT32_MAX,
      .family = from->family,
  };
  if (from->surface < 0 || from->surface > b->surfaces->surface_count) {
    touch_shapes_blame(b, FLG_ERR_RANGE, from->place,
                       "The shape is of a surface that is not there.");
  }
}

static int compare_apart(const void *a, const void *b) {
  const int *first = a, *second = b;
  const int k = first[0] == second[0];
  return (first[k] > second[k]) - (first[k] < second[k]);
}

/* pairs that never touch, by the numbers of shapes here; those that are only drawn have none */
static void add_pairs_apart(builder *b) {
  for (int k = 0; k < b->surfaces->apart_count; k++) {
    const int first = b->number[b->surfaces->apart[k][0]];
    const int second = b->number[b->surfaces->apart[k][1]];
    if (first < 0 || second < 0) continue;
    int *pair = b->touch->apart[b->touch->apart_count++];
    pair[0] = first < second ? first : second, pair[1] = first < second ? second : first;
  }
  if (b->touch->apart_count == 0) return;
  qsort(b->touch->apart, (size_t)b->touch->apart_count, sizeof *b->touch->apart, compare_apart);
}

/* --- surfaces -------------------------------------------------------------------------------- */

static void touch_shapes_check_values(builder *b, flg_place place, double friction,
                                      double restitution) {
  if (!(friction >= 0) || !isfinite(friction)) {
    touch_shapes_blame(b, FLG_ERR_RANGE, place, "Friction must be a number that is not negative.");
  }
  if (!(restitution >= 0 && restitution <= 1)) {
    touch_shapes_blame(b, FLG_ERR_RANGE, place, "Restitution must be between 0 and 1.");
  }
}

/* surface 0 is that of shapes without one */
static void add_materials(builder *b) {
  const flg_surfaces *from = b->surfaces;
  const size_t count = (size_t)from->surface_count + 1, pair_count = (size_t)from->pair_count;
  flg_material *materials = flg_region_take(&b->scratch, count, sizeof *materials);
  flg_material_pair *pairs = flg_region_take(&b->scratch, pair_count, sizeof *pairs);
  flg_error error = {0};
  if (b->scratch.failed) {
    touch_shapes_blame(b, FLG_ERR_MEMORY, (flg_place){0}, "There is no memory for surfaces.");
    return;
  }
  materials[0] = flg_material_default();
  for (int k = 0; k < from->surface_count; k++) {
    const flg_surface *surface = &from->surfaces[k];
    touch_shapes_check_values(b, surface->place, surface->friction, surface->restitution);
    materials[k + 1] = (flg_material){surface->friction, surface->restitution};
  }
  for (int k = 0; k < from->pair_count; k++) {
    const flg_surface_pair *pair = &from->pairs[k];
    touch_shapes_check_values(b, pair->place, pair->friction, pair->restitution);
    pairs[k] = (flg_material_pair){pair->first, pair->second, {pair->friction, pair->restitution}};
  }
  if (b->status != FLG_OK) return; /* said already, with its place */
  const flg_status status =
      flg_material_table_build(&b->touch->materials, materials, (int)count, pairs, from->pair_count,
                               &b->touch->region, &error);
  if (status != FLG_OK) touch_shapes_blame(b, status, (flg_place){0}, error.message);
}

flg_status flg_touch_shapes_build(flg_touch_shapes *touch, const flg_shape *shapes, int shape_count,
                                  const flg_surfaces *surfaces, flg_mistakes *mistakes) {
  flg_touch_shapes made = {0};
  builder b = {.touch = &made,
               .from = shapes,
               .from_count = shape_count,
               .surfaces = surfaces,
               .mistakes = mistakes};
  flg_error error = {0};
  const flg_status status = take_shape_memory(&b, &error);
  if (status != FLG_OK) touch_shapes_blame(&b, status, (flg_place){0}, error.message);
  if (status == FLG_OK) {
    for (int k = 0; k < shape_count; k++) {
      if (flg_shape_can_touch(&shapes[k])) touch_shapes_add_shape(&b, k);
    }
    add_pairs_apart(&b);
    add_materials(&b);
  }
  flg_region_release(&b.scratch);
  if (b.status != FLG_OK) {
    flg_touch_shapes_release(&made);
    return b.status;
  }
  *touch = made;
  return FLG_OK;
}

/* --- which shapes can touch ---------------------------------------------------------------------
 */

bool flg_touch_kinds_meet(flg_contact_kind a, flg_contact_kind b) {
  if (a <= FLG_CONTACT_HEIGHT_FIELD && b <= FLG_CONTACT_HEIGHT_FIELD) return false;
  return !(a == FLG_CONTACT_POINTS && b == FLG_CONTACT_POINTS);
}

bool flg_touch_shapes_are_listed(const flg_touch_shapes *touch, int i, int j) {
  if (touch->apart_count == 0) return false;
  const int pair[2] = {i < j ? i : j, i < j ? j : i};
  return bsearch(pair, touch->apart, (size_t)touch->apart_count, sizeof *touch->apart,
                 compare_apart) != NULL;
}

static bool are_pieces_apart(const flg_touch_shapes *touch, const flg_scene_shape *a,
                             const flg_scene_shape *b) {
  if (a->owner != 0 && a->owner == b->owner) return true;
  if (a->piece == 0 || b->piece == 0) return false;
  return a->piece == b->piece || flg_pair_set_has(&touch->pieces_apart, a->piece, b->piece);
}

/* The same rules as in a step (contact_scene.c), asked at set-up for messages. */
static bool can_meet(const flg_touch_shapes *touch, const int *movers, int i, int j) {
  const flg_scene_shape *a = &touch->shapes[i], *b = &touch->shapes[j];
  return movers[i] != movers[j] && (movers[i] >= 0 || movers[j] >= 0) && a->family == b->family &&
         (a->group & b->collides) != 0 && (b->group & a->collides) != 0 &&
         flg_touch_kinds_meet(a->shape->kind, b->shape->kind) && !are_pieces_apart(touch, a, b) &&
         !flg_touch_shapes_are_listed(touch, i, j);
}

int flg_touch_shapes_partner(const flg_touch_shapes *touch, const int *movers, int shape) {
  for (int k = 0; k < touch->count; k++) {
    if (can_meet(touch, movers, shape, k)) return k;
  }
  return -1;
}

/* by the numbers that shapes will have; -1: left out */
static void renumber_apart(flg_touch_shapes *touch, const int *numbers) {
  int count = 0;
  for (int k = 0; k < touch->apart_count; k++) {
    const int first = numbers[touch->apart[k][0]], second = numbers[touch->apart[k][1]];
    if (first < 0 || second < 0) continue;
    touch->apart[count][0] = first, touch->apart[count++][1] = second;
  }
  touch->apart_count = count;
}

void flg_touch_shapes_keep(flg_touch_shapes *touch, int *movers, flg_region *region) {
  flg_region scratch = {0};
  const bool *meets = flg_touch_partners_find(touch, movers, &scratch);
  int *numbers = flg_region_take(&scratch, (size_t)touch->count, sizeof *numbers), count = 0;
  region->failed |= scratch.failed;
  if (!scratch.failed) {
    for (int k = 0; k < touch->count; k++) {
      numbers[k] = meets[k] ? count : -1;
      if (!meets[k]) continue;
      touch->shapes[count] = touch->shapes[k];
      touch->sources[count] = touch->sources[k];
      movers[count++] = movers[k];
    }
    renumber_apart(touch, numbers);
    touch->count = count;
  }
  flg_region_release(&scratch);
}

flg_scene_input flg_touch_shapes_scene(const flg_touch_shapes *touch, int port_count,
                                       flg_threads *threads) {
  return (flg_scene_input){.shapes = touch->shapes,
                           .materials = &touch->materials,
                           .shapes_apart = (const int(*)[2])touch->apart,
                           .pieces_apart = &touch->pieces_apart,
                           .shape_count = touch->count,
                           .shapes_apart_count = touch->apart_count,
                           .body_count = port_count,
                           .threads = threads};
}

void flg_touch_shapes_release(flg_touch_shapes *touch) {
  flg_region_release(&touch->region);
  *touch = (flg_touch_shapes){0};
}
