#include "cosim/signals.h"

#include <math.h>
#include <string.h>

#include "base/closest.h"
#include "cosim/simulation.h"

/* the name that is looked for, in pieces, where its objects are, and where to complain */
typedef struct search {
  const char *name;
  const char *part, *rest, *quantity; /* quantity: NULL if absent */
  const char *path;                   /* of the object in its subsystem */
  const char *prefix;                 /* of all paths that belong to the part */
  const flg_object *objects;
  int object_count;
  flg_place place;
  flg_region *region;
  flg_mistakes *mistakes;
} search;

/* a dot before the last slash belongs to the path; false if it is no such name */
static bool split_signal_name(search *look) {
  const char *slash = strchr(look->name, '/');
  if (slash == NULL) return false;
  const char *rest = slash + 1, *dot = strrchr(rest, '.');
  if (dot != NULL && strchr(dot, '/') == NULL) look->quantity = dot + 1;
  const size_t length = look->quantity == NULL ? strlen(rest) : (size_t)(dot - rest);
  look->part = flg_region_text(look->region, look->name, (size_t)(slash - look->name));
  look->rest = flg_region_text(look->region, rest, length);
  return look->part != NULL && look->rest != NULL;
}

static flg_status signal_unknown(const search *look, const char *what, const char *written,
                                 const char *where, const char *hint) {
  flg_mistake_add(look->mistakes, FLG_ERR_INPUT, look->place,
                  "record: '%s': there is no %s '%s' in %s%s", look->name, what, written, where,
                  hint);
  return FLG_ERR_INPUT;
}

/* ---- objects ---- */

/* what stands after "above/" in a path; NULL if something else stands before it */
static const char *rest_below_path(const char *path, const char *above) {
  const size_t length = strlen(above);
  if (length == 0) return path;
  return strncmp(path, above, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

/* the closest to what was written among the objects below a path */
static flg_closest closest_below(const search *look, const char *above, const char *written) {
  flg_closest closest = flg_closest_begin(written);
  for (int k = 0; k < look->object_count; k++) {
    const char *rest = rest_below_path(look->objects[k].path, above);
    if (rest != NULL) flg_closest_offer(&closest, rest);
  }
  return closest;
}

static bool is_object(const search *look, const char *path) {
  for (int k = 0; k < look->object_count; k++) {
    if (strcmp(look->objects[k].path, path) == 0) return true;
  }
  return false;
}

/* of crt/tip, what stands before the last slash: it may be right, or almost right */
static flg_status unknown_below(const search *look, const char *slash) {
  char hint[FLG_HINT_TEXT];
  const char *marker = slash + 1;
  const char *above = flg_region_text(look->region, look->path, strlen(look->path) - strlen(slash));
  const char *written = flg_region_text(look->region, look->rest, (size_t)(slash - look->rest));
  if (above == NULL || written == NULL) return FLG_ERR_MEMORY;
  if (is_object(look, above)) {
    const flg_closest closest = closest_below(look, above, marker);
    return signal_unknown(look, "marker", marker, "this body", flg_closest_text(&closest, hint));
  }
  const flg_closest closest = closest_below(look, look->prefix, written);
  if (closest.word == NULL) return FLG_OK;
  return signal_unknown(look, "body or joint", written, look->part,
                        flg_closest_text(&closest, hint));
}

static flg_status unknown_object(const search *look) {
  const char *slash = strrchr(look->rest, '/');
  const flg_status told = slash == NULL ? FLG_OK : unknown_below(look, slash);
  if (told != FLG_OK) return told;
  char hint[FLG_HINT_TEXT];
  const flg_closest closest = closest_below(look, look->prefix, look->rest);
  return signal_unknown(look, "body or joint", look->rest, look->part,
                        flg_closest_text(&closest, hint));
}

/* ---- quantities ---- */

static bool is_quantity(const flg_quantity *quantity, const char *word) {
  if (word == NULL || quantity->word == NULL) return word == quantity->word;
  return strcmp(quantity->word, word) == 0;
}

/* "position, velocity" of all objects of the path, NULL: none; `closest` is offered each */
static const char *list_quantities(const search *look, flg_closest *closest) {
  const char *text = NULL;
  for (int k = 0; k < look->object_count; k++) {
    const flg_object *object = &look->objects[k];
    if (strcmp(object->path, look->path) != 0) continue;
    for (int j = 0; j < object->quantity_count; j++) {
      const char *word = object->quantities[j].word;
      if (word == NULL) word = "";
      flg_closest_offer(closest, word);
      text = text == NULL ? word : flg_region_format(look->region, "%s, %s", text, word);
      if (text == NULL) return NULL;
    }
  }
  return text;
}

static flg_status refuse_signal(const search *look, const char *text) {
  return flg_mistake_add(look->mistakes, FLG_ERR_INPUT, look->place, "record: '%s': %s", look->name,
                         text == NULL ? "no memory left" : text);
}

static flg_status unknown_quantity(const search *look) {
  const char *written = look->quantity == NULL ? "" : look->quantity;
  flg_closest closest = flg_closest_begin(written);
  const char *list = list_quantities(look, &closest);
  flg_region *region = look->region;
  if (list == NULL) {
    return refuse_signal(
        look, flg_region_format(region, "joint '%s' is fixed, or has no coordinate: it has no %s",
                                look->rest, look->quantity == NULL ? "quantities" : written));
  }
  if (list[0] == '\0') {
    return refuse_signal(look, flg_region_format(region, "'%s' has no quantities; write '%s/%s'",
                                                 look->rest, look->part, look->rest));
  }
  if (look->quantity == NULL) {
    return refuse_signal(
        look, flg_region_format(region, "a quantity is missing; '%s' has %s", look->rest, list));
  }
  char hint[FLG_HINT_TEXT];
  return refuse_signal(
      look, flg_region_format(region, "'%s' has no quantity '%s'%s; it has %s", look->rest, written,
                              flg_closest_text(&closest, hint), list));
}

static bool name_objects(const search *look, flg_object_names *known) {
  const size_t count = (size_t)look->object_count;
  flg_region *region = known->region;
  if (known->next != NULL) return true;
  known->next = flg_region_take(region, count, sizeof(int));
  int *last = flg_region_take(region, count, sizeof *last);
  if (region->failed) return false;
  for (int k = 0; k < look->object_count; k++) {
    const int first = flg_name_index_add(&known->first, look->objects[k].path, k, region);
    if (first >= 0) known->next[last[first]] = k;
    last[first >= 0 ? first : k] = k;
  }
  return !region->failed;
}

/* the first object of that path that has the quantity */
static flg_status signal_find_quantity(const search *look, flg_object_names *known,
                                       flg_recorded *recorded) {
  if (!name_objects(look, known)) {
    return flg_mistake_add(look->mistakes, FLG_ERR_MEMORY, look->place, "no memory left");
  }
  const int first = flg_name_index_find(&known->first, look->path);
  for (int k = first; k >= 0; k = known->next[k] > 0 ? known->next[k] : -1) {
    const flg_object *object = &look->objects[k];
    for (int j = 0; j < object->quantity_count; j++) {
      if (!is_quantity(&object->quantities[j], look->quantity)) continue;
      recorded->object = k, recorded->quantity = j;
      return FLG_OK;
    }
  }
  if (look->mistakes->count >= FLG_MISTAKES_LISTED)
    return signal_unknown(look, "signal", look->rest, look->part, ""); /* only counted */
  return first >= 0 ? unknown_quantity(look) : unknown_object(look);
}

/* ---- signals ---- */

/* whether the part has anything that contacts push on */
static bool signal_can_touch(const search *look) {
  for (int k = 0; k < look->object_count; k++) {
    const flg_object *object = &look->objects[k];
    if (rest_below_path(object->path, look->prefix) == NULL) continue;
    for (int j = 0; j < object->quantity_count; j++) {
      const char *word = object->quantities[j].word;
      if (word != NULL && strcmp(word, "contact_force") == 0) return true;
    }
  }
  return false;
}

static flg_status find_signal_part(search *look, const flg_simulation *simulation,
                                   flg_recorded *recorded) {
  const flg_part *part = flg_part_find(simulation, look->part, strlen(look->part));
  if (part == NULL) {
    char hint[FLG_HINT_TEXT];
    if (flg_name_index_find(&simulation->interface_index, look->part) >= 0) {
      return signal_unknown(look, "subsystem", look->part, "the scenario",
                            "; it is an interface, whose signals have a dot, as in name.force");
    }
    return signal_unknown(look, "subsystem", look->part, "the scenario",
                          flg_part_hint(simulation, look->part, look->mistakes, hint));
  }
  const flg_subsystem *subsystem = flg_part_subsystem(simulation, part);
  recorded->subsystem = subsystem;
  look->objects = subsystem->ops->objects(subsystem->self, &look->object_count);
  look->prefix = part->prefix;
  /* subsystems that are solved as one have their contacts together, those that can touch */
  const bool shared = strcmp(look->rest, "contacts") == 0 && signal_can_touch(look);
  look->path = shared ? look->rest : flg_part_path(part, look->rest, look->region);
  return look->path == NULL ? FLG_ERR_MEMORY : FLG_OK;
}

/* where there are no interfaces, a name without a slash is rather one that lacks it */
static bool is_telemetry(const char *name, const flg_simulation *simulation) {
  return strchr(name, '.') != NULL &&
         (simulation->interface_name_count > 0 || strncmp(name, "macro.", 6) == 0);
}

flg_status flg_recorded_find(flg_recorded *recorded, flg_signal *signal, const char *name,
                             flg_place place, const flg_simulation *simulation, flg_region *region,
                             flg_mistakes *mistakes) {
  search look = {.name = name, .place = place, .region = region, .mistakes = mistakes};
  *recorded = (flg_recorded){0};
  if (strchr(name, '/') == NULL && is_telemetry(name, simulation)) {
    const flg_status status =
        flg_telemetry_find(&recorded->values, signal, name, place, simulation, region, mistakes);
    if (status == FLG_OK) recorded->width = signal->width;
    return status;
  }
  if (!split_signal_name(&look)) {
    return flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                           "record: '%s' is no signal; expected a name such as "
                           "subsystem/body.position, subsystem/energy or interface.force",
                           name);
  }
  flg_status status = find_signal_part(&look, simulation, recorded);
  if (status == FLG_OK) {
    const size_t number = (size_t)(recorded->subsystem - simulation->subsystems);
    status = signal_find_quantity(&look, &simulation->object_names[number], recorded);
  }
  if (status != FLG_OK) return status;
  const flg_subsystem *subsystem = recorded->subsystem;
  if (subsystem->ops->ask != NULL) {
    status = subsystem->ops->ask(subsystem->self, recorded->object, recorded->quantity);
    if (status != FLG_OK) return flg_mistake_add(mistakes, status, place, "no memory left");
  }
  const flg_quantity *quantity = &look.objects[recorded->object].quantities[recorded->quantity];
  *signal = (flg_signal){name, quantity->unit, quantity->width, quantity->components};
  recorded->width = quantity->width;
  if (subsystem->ops->locate != NULL) {
    recorded->values =
        subsystem->ops->locate(subsystem->self, recorded->object, recorded->quantity);
  }
  return FLG_OK;
}

void flg_recorded_compute(const flg_recorded *recorded, double *values) {
  const flg_subsystem *subsystem = recorded->subsystem;
  if (recorded->values != NULL) {
    for (int k = 0; k < recorded->width; k++) values[k] = recorded->values[k];
  } else if (subsystem != NULL) {
    subsystem->ops->read(subsystem->self, recorded->object, recorded->quantity, values);
  } else {
    for (int k = 0; k < recorded->width; k++) values[k] = (double)NAN;
  }
}
