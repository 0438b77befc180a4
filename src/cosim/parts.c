#include "cosim/parts.h"

#include <string.h>

#include "base/closest.h"
#include "cosim/simulation.h"

const flg_part *flg_part_find(const flg_simulation *simulation, const char *name, size_t length) {
  for (int k = 0; k < simulation->part_count; k++) {
    const char *known = simulation->parts[k].name;
    if (strlen(known) == length && strncmp(known, name, length) == 0) return &simulation->parts[k];
  }
  return NULL;
}

const char *flg_part_hint(const flg_simulation *simulation, const char *name, char *text) {
  flg_closest closest = flg_closest_begin(name);
  for (int k = 0; k < simulation->part_count; k++) {
    flg_closest_offer(&closest, simulation->parts[k].name);
  }
  return flg_closest_text(&closest, text);
}

flg_subsystem *flg_part_subsystem(const flg_simulation *simulation, const flg_part *part) {
  return &simulation->subsystems[part->subsystem];
}

const char *flg_part_path(const flg_part *part, const char *rest, flg_region *region) {
  if (part->prefix[0] == '\0') return rest;
  return flg_region_format(region, "%s/%s", part->prefix, rest);
}
