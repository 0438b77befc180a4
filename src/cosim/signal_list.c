#include "cosim/signal_list.h"

#include <string.h>

#include "base/name_index.h"
#include "cosim/parts.h"
#include "cosim/simulation.h"
#include "cosim/telemetry.h"

static void add_listed_signal(flg_growing *list, const char *name, const flg_quantity *quantity,
                              flg_region *region) {
  flg_signal *signal = flg_growing_add(list, sizeof *signal, region);
  if (signal == NULL) return;
  *signal = (flg_signal){name, quantity->unit, quantity->width, quantity->components};
}

/* Objects of the same path, one after another. */
typedef struct same_paths {
  flg_name_index first;
  int *before; /* (objects) the last one before it, -1: none */
} same_paths;

static bool find_same_paths(same_paths *same, const flg_object *objects, int count,
                            flg_region *region) {
  same->before = flg_region_take(region, (size_t)count, sizeof(int));
  int *last = flg_region_take(region, (size_t)count, sizeof *last);
  if (region->failed) return false;
  for (int k = 0; k < count; k++) {
    const int first = flg_name_index_add(&same->first, objects[k].path, k, region);
    same->before[k] = first < 0 ? -1 : last[first];
    last[first < 0 ? k : first] = k;
  }
  return !region->failed;
}

/* a name means the first object that has it with that quantity */
static bool is_hidden(const flg_object *objects, const same_paths *same, int index,
                      const flg_quantity *quantity) {
  for (int k = same->before[index]; k >= 0; k = same->before[k]) {
    for (int j = 0; j < objects[k].quantity_count; j++) {
      const char *word = objects[k].quantities[j].word;
      if (word == quantity->word) return true;
      if (word != NULL && quantity->word != NULL && strcmp(word, quantity->word) == 0) return true;
    }
  }
  return false;
}

/* the path of an object as seen from its part; NULL: it belongs to another */
static const char *seen_from(const flg_part *part, const flg_object *object) {
  const size_t length = strlen(part->prefix);
  if (length == 0) return object->path;
  const bool below =
      strncmp(object->path, part->prefix, length) == 0 && object->path[length] == '/';
  return below ? object->path + length + 1 : NULL;
}

static void add_part_signals(flg_growing *list, const flg_simulation *simulation,
                             const flg_part *part, flg_region *region) {
  same_paths same = {.before = NULL};
  const flg_subsystem *subsystem = flg_part_subsystem(simulation, part);
  int count;
  const flg_object *objects = subsystem->ops->objects(subsystem->self, &count);
  if (!find_same_paths(&same, objects, count, region)) return;
  for (int k = 0; k < count; k++) {
    const char *path = seen_from(part, &objects[k]);
    if (path == NULL || objects[k].is_alias) continue;
    for (int j = 0; j < objects[k].quantity_count; j++) {
      const flg_quantity *quantity = &objects[k].quantities[j];
      if (is_hidden(objects, &same, k, quantity)) continue;
      const char *word = quantity->word;
      add_listed_signal(list,
                        flg_region_format(region, "%s/%s%s%s", part->name, path,
                                          word == NULL ? "" : ".", word == NULL ? "" : word),
                        quantity, region);
    }
  }
}

flg_growing flg_signal_list(const flg_simulation *simulation, flg_region *region) {
  flg_growing list = {0};
  for (int k = 0; k < simulation->part_count; k++) {
    add_part_signals(&list, simulation, &simulation->parts[k], region);
  }
  for (int k = 0; k < simulation->interface_name_count; k++) {
    const flg_quantity *quantity;
    for (int j = 0; (quantity = flg_telemetry_quantity(j)) != NULL; j++) {
      add_listed_signal(
          &list, flg_region_format(region, "%s.%s", simulation->interface_names[k], quantity->word),
          quantity, region);
    }
  }
  add_listed_signal(&list, FLG_WALL_TIME, &(flg_quantity){NULL, "s", 1, NULL}, region);
  return list;
}

/* --- patterns -------------------------------------------------------------------------------- */

bool flg_signal_is_pattern(const char *name) {
  return strchr(name, '*') != NULL || strcmp(name, "all") == 0;
}

/* Letters match as they are; where they do not, the last '*' takes one letter more. `dot`: a slash
 * of the name that a dot matches, too. */
static bool matches(const char *pattern, const char *name, const char *dot) {
  const char *star = NULL, *taken = NULL;
  while (*name != '\0') {
    if (*pattern == '*') {
      star = pattern++, taken = name;
    } else if (*pattern == *name || (name == dot && *pattern == '.')) {
      pattern++, name++;
    } else if (star != NULL) {
      pattern = star + 1, name = ++taken;
    } else {
      return false;
    }
  }
  while (*pattern == '*') pattern++;
  return *pattern == '\0';
}

bool flg_signal_matches(const char *pattern, const char *name) {
  const char *slash = strrchr(name, '/');
  if (strcmp(name, FLG_WALL_TIME) == 0) return false;
  if (strcmp(pattern, "all") == 0) return true;
  const bool is_whole = slash != NULL && strchr(slash, '.') == NULL;
  return matches(pattern, name, is_whole ? slash : NULL);
}
