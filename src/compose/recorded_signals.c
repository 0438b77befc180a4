#include "compose/recorded_signals.h"

#include "base/growing.h"
#include "cosim/signal_list.h"
#include "cosim/signals.h"
#include "cosim/telemetry.h"

/* A name that is there is not repeated. */
static void add_signal_name(flg_growing *names, const flg_origin *name, flg_region *region) {
  const flg_origin *known = names->items;
  if (FLG_FIND(known, names->count, name->name) >= 0) return;
  flg_origin *place = flg_growing_add(names, sizeof *place, region);
  if (place != NULL) *place = *name;
}

static void add_matching(flg_growing *names, const flg_origin *pattern, const flg_growing *all,
                         flg_region *region, flg_mistakes *mistakes) {
  const flg_signal *signals = all->items;
  int count = 0;
  for (int k = 0; k < all->count; k++) {
    if (!flg_signal_matches(pattern->name, signals[k].name)) continue;
    count++;
    add_signal_name(names, &(flg_origin){signals[k].name, pattern->place}, region);
  }
  if (count > 0) return;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, pattern->place,
                  "record: '%s' matches no signal; 'flange check --signals FILE' lists those there "
                  "are",
                  pattern->name);
}

/* flg_origin of each signal */
static flg_growing expand_signals(const flg_simulation *simulation, const flg_texts *record,
                                  flg_region *region, flg_mistakes *mistakes) {
  flg_growing names = {0}, all = {0};
  for (int k = 0; k < record->count; k++) {
    const flg_origin *name = &record->items[k];
    if (!flg_signal_is_pattern(name->name)) {
      add_signal_name(&names, name, region);
      continue;
    }
    if (all.count == 0) all = flg_signal_list(simulation, region);
    add_matching(&names, name, &all, region, mistakes);
  }
  return names;
}

void flg_compose_signals(flg_simulation *simulation, const flg_scenario *scenario,
                         flg_mistakes *mistakes) {
  flg_region *region = &simulation->region;
  const flg_growing names = expand_signals(simulation, &scenario->record, region, mistakes);
  const size_t count = (size_t)names.count;
  simulation->signals = flg_region_take(region, count, sizeof *simulation->signals);
  simulation->recorded = flg_region_take(region, count, sizeof *simulation->recorded);
  if (region->failed) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
    return;
  }
  for (int k = 0; k < names.count; k++) {
    const flg_origin *name = (const flg_origin *)names.items + k;
    flg_signal *signal = &simulation->signals[k];
    const flg_status status = flg_recorded_find(&simulation->recorded[k], signal, name->name,
                                                name->place, simulation, region, mistakes);
    if (status != FLG_OK) continue;
    simulation->width += signal->width;
    flg_telemetry_ask(simulation, simulation->recorded[k].values);
    simulation->is_timed |= simulation->recorded[k].values == &simulation->wall_time;
  }
  simulation->signal_count = names.count;
}

static bool is_recorded(const flg_texts *record, const char *name) {
  for (int k = 0; k < record->count; k++) {
    if (flg_signal_matches(record->items[k].name, name)) return true;
  }
  return false;
}

bool *flg_compose_asked(const flg_scenario *scenario, const flg_component *component,
                        const char *prefix, flg_region *region) {
  const size_t count = (size_t)component->joint_count;
  bool *is_asked = flg_region_take(region, count, sizeof *is_asked);
  flg_region scratch = {0};
  for (int k = 0; k < component->joint_count && is_asked != NULL && !scratch.failed; k++) {
    const char *joint = component->joints[k].name;
    const char *force = flg_region_format(&scratch, "%s%s.force", prefix, joint);
    const char *moment = flg_region_format(&scratch, "%s%s.moment", prefix, joint);
    if (scratch.failed) break;
    is_asked[k] = is_recorded(&scenario->record, force) || is_recorded(&scenario->record, moment);
  }
  if (scratch.failed) region->failed = true;
  flg_region_release(&scratch);
  return is_asked;
}
