#include "cosim/parts.h"

#include <string.h>

#include "base/closest.h"
#include "cosim/simulation.h"

const flg_part *flg_part_find(const flg_simulation *simulation, const char *name, size_t length) {
  const int part = flg_name_index_find_begin(&simulation->part_names, name, length);
  return part < 0 ? NULL : &simulation->parts[part];
}

const char *flg_part_hint(const flg_simulation *simulation, const char *name,
                          const flg_mistakes *mistakes, char *text) {
  flg_closest closest = flg_closest_while_listed(name, mistakes);
  FLG_OFFER(&closest, simulation->parts, simulation->part_count);
  return flg_closest_text(&closest, text);
}

flg_subsystem *flg_part_subsystem(const flg_simulation *simulation, const flg_part *part) {
  return &simulation->subsystems[part->subsystem];
}

const char *flg_part_path(const flg_part *part, const char *rest, flg_region *region) {
  if (part->prefix[0] == '\0') return rest;
  return flg_region_format(region, "%s/%s", part->prefix, rest);
}
