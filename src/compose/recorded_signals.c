#include "compose/recorded_signals.h"

#include <string.h>

#include "base/growing.h"
#include "base/input_limits.h"
#include "base/name_index.h"
#include "cosim/signal_list.h"
#include "cosim/signals.h"
#include "cosim/telemetry.h"

/* letters of a name or pattern: 32 components in each other, and their names */
enum { PATTERN_MOST = 34 * FLG_NAME_MOST };

/* what is recorded: flg_origin, each name once */
typedef struct name_list {
  flg_growing names;
  flg_name_index index;
} name_list;

static void add_signal_name(name_list *list, const flg_origin *name, flg_region *region) {
  const int number = list->names.count;
  if (flg_name_index_add(&list->index, name->name, number, region) >= 0) return;
  flg_origin *place = flg_growing_add(&list->names, sizeof *place, region);
  if (place != NULL) *place = *name;
}

static void add_matching(name_list *names, const flg_origin *pattern, const flg_growing *all,
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

static flg_growing expand_signals(const flg_simulation *simulation, const flg_texts *record,
                                  flg_region *region, flg_mistakes *mistakes) {
  name_list names = {.names = {0}};
  flg_growing all = {0};
  for (int k = 0; k < record->count; k++) {
    const flg_origin *name = &record->items[k];
    if (!flg_signal_is_pattern(name->name)) {
      add_signal_name(&names, name, region);
      continue;
    }
    if (all.count == 0) all = flg_signal_list(simulation, region);
    add_matching(&names, name, &all, region, mistakes);
  }
  return names.names;
}

void flg_compose_signals(flg_simulation *simulation, const flg_scenario *scenario,
                         flg_mistakes *mistakes) {
  flg_region *region = &simulation->region;
  const flg_growing names = expand_signals(simulation, &scenario->record, region, mistakes);
  const size_t count = (size_t)names.count;
  simulation->signals = flg_region_take(region, count, sizeof *simulation->signals);
  simulation->recorded = flg_region_take(region, count, sizeof *simulation->recorded);
  simulation->object_names = flg_region_take(region, (size_t)simulation->subsystem_count,
                                             sizeof *simulation->object_names);
  if (region->failed) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
    return;
  }
  for (int k = 0; k < simulation->subsystem_count; k++) simulation->object_names[k].region = region;
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

bool flg_compose_check_record(const flg_scenario *scenario, flg_mistakes *mistakes) {
  const double most = flg_input_limit_value(FLG_LIMIT_PATTERNS);
  const flg_texts *record = &scenario->record;
  int count = 0, before = mistakes->count;
  for (int k = 0; k < record->count; k++) {
    const size_t length = strlen(record->items[k].name);
    count += flg_signal_is_pattern(record->items[k].name);
    if (length <= PATTERN_MOST) continue;
    flg_mistake_add(mistakes, FLG_ERR_INPUT, record->items[k].place,
                    "record: this has %zu letters; names and patterns have at most %d", length,
                    PATTERN_MOST);
  }
  if (mistakes->count > before) return false;
  if (count <= most) return true;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, record->items[0].place,
                  "record: there are %d patterns, each of which is tried on all signals; %.0f are "
                  "read, or more with --limit %s=%d",
                  count, most, flg_input_limit_name(FLG_LIMIT_PATTERNS), count);
  return false;
}

/* names and patterns of a scenario, to look in */
typedef struct asked_names {
  flg_name_index names;
  flg_growing patterns; /* const char * */
} asked_names;

static asked_names list_asked(const flg_texts *record, flg_region *region) {
  asked_names asked = {.patterns = {0}};
  for (int k = 0; k < record->count; k++) {
    const char *name = record->items[k].name;
    if (!flg_signal_is_pattern(name)) {
      flg_name_index_add(&asked.names, name, k, region);
      continue;
    }
    const char **pattern = flg_growing_add(&asked.patterns, sizeof *pattern, region);
    if (pattern != NULL) *pattern = name;
  }
  return asked;
}

static bool is_recorded(const asked_names *asked, const char *name) {
  const char *const *patterns = asked->patterns.items;
  for (int k = 0; k < asked->patterns.count; k++) {
    if (flg_signal_matches(patterns[k], name)) return true;
  }
  return flg_name_index_find(&asked->names, name) >= 0;
}

bool *flg_compose_asked(const flg_scenario *scenario, const flg_component *component,
                        const char *prefix, flg_region *region) {
  const size_t count = (size_t)component->joint_count;
  bool *is_asked = flg_region_take(region, count, sizeof *is_asked);
  flg_region scratch = {0};
  const asked_names asked = list_asked(&scenario->record, &scratch);
  for (int k = 0; k < component->joint_count && is_asked != NULL && !scratch.failed; k++) {
    const char *joint = component->joints[k].name;
    const char *force = flg_region_format(&scratch, "%s%s.force", prefix, joint);
    const char *moment = flg_region_format(&scratch, "%s%s.moment", prefix, joint);
    if (scratch.failed) break;
    is_asked[k] = is_recorded(&asked, force) || is_recorded(&asked, moment);
  }
  if (scratch.failed) region->failed = true;
  flg_region_release(&scratch);
  return is_asked;
}
