#include "compose/events.h"

#include <string.h>

#include "base/closest.h"
#include "compose/welds.h"

/* one key of one event: what happens, and whether its names come with values */
typedef struct action {
  const flg_loader *loader;
  flg_simulation *simulation;
  double at;
  flg_action kind;
} action;

/* "arm/joint2": the part, and what stands after the slash; NULL with a mistake */
static const flg_part *split_event_name(const action *act, const flg_origin *name,
                                        const char **rest) {
  const char *slash = strchr(name->name, '/');
  const flg_part *part =
      slash == NULL ? NULL
                    : flg_part_find(act->simulation, name->name, (size_t)(slash - name->name));
  if (part != NULL) {
    *rest = slash + 1;
    return part;
  }
  flg_mistake_add(act->loader->mistakes, FLG_ERR_INPUT, name->place,
                  "'%s' names no subsystem; expected subsystem/name, as in arm/joint2", name->name);
  return NULL;
}

/* numbers: what an event sets, NULL if it sets nothing */
static void add_action(const action *act, const flg_origin *name, const flg_numbers *numbers) {
  const char *rest;
  const flg_part *part = split_event_name(act, name, &rest);
  const char *path = part == NULL ? NULL : flg_part_path(part, rest, act->loader->region);
  if (path == NULL) return;
  flg_event event = {.at = act->at,
                     .action = act->kind,
                     .subsystem = flg_part_subsystem(act->simulation, part),
                     .value_count = numbers == NULL ? 0 : numbers->count,
                     .values = numbers == NULL ? NULL : numbers->values};
  flg_error error = {.status = FLG_OK};
  const flg_status status =
      flg_subsystem_aim(event.subsystem, event.action, path, event.value_count, &event.target,
                        flg_error_if_listed(&error, act->loader->mistakes));
  if (status == FLG_OK) {
    act->simulation->events[act->simulation->event_count++] = event;
  } else {
    flg_mistake_add(act->loader->mistakes, status, name->place, "%s", error.message);
  }
}

static void add_names(action act, flg_action kind, const flg_texts *names) {
  act.kind = kind;
  for (int k = 0; k < names->count; k++) add_action(&act, &names->items[k], NULL);
}

static void add_values(action act, flg_action kind, const flg_items *items) {
  act.kind = kind;
  const flg_value *values = items->items;
  for (int k = 0; k < items->count; k++) add_action(&act, &values[k].origin, &values[k].numbers);
}

static void event_add_weld(action act, flg_action kind, const flg_event_keys *keys,
                           const flg_texts *ends) {
  act.kind = kind;
  const flg_origin *name = ends->count == 0 ? NULL : flg_compose_weld_name(act.loader, keys, ends);
  if (name != NULL) add_action(&act, name, NULL);
}

static int actions_of(const flg_event_keys *keys) {
  return keys->lock.count + keys->unlock.count + keys->enable.count + keys->disable.count +
         keys->set.count + keys->set_velocity.count + (keys->weld.count > 0) +
         (keys->release.count > 0);
}

void flg_compose_events(const flg_loader *loader, flg_simulation *simulation) {
  const flg_event_keys *keys = loader->scenario->events.items;
  const int count = loader->scenario->events.count;
  size_t most = 0;
  for (int k = 0; k < count; k++) {
    most += (size_t)actions_of(&keys[k]);
    if (actions_of(&keys[k]) > 0) continue;
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys[k].origin.place,
                    "nothing happens in this event; give it lock, unlock, enable, disable, set, "
                    "set_velocity, weld or release");
  }
  simulation->events = flg_region_take(loader->region, most, sizeof *simulation->events);
  if (simulation->events == NULL) return;
  for (int k = 0; k < count; k++) {
    const action act = {.loader = loader, .simulation = simulation, .at = keys[k].at};
    add_values(act, FLG_ACTION_SET, &keys[k].set);
    add_values(act, FLG_ACTION_SET_VELOCITY, &keys[k].set_velocity);
    add_names(act, FLG_ACTION_UNLOCK, &keys[k].unlock);
    event_add_weld(act, FLG_ACTION_RELEASE, &keys[k], &keys[k].release);
    add_names(act, FLG_ACTION_LOCK, &keys[k].lock);
    event_add_weld(act, FLG_ACTION_WELD, &keys[k], &keys[k].weld);
    add_names(act, FLG_ACTION_DISABLE, &keys[k].disable);
    add_names(act, FLG_ACTION_ENABLE, &keys[k].enable);
  }
  flg_events_sort(simulation->events, simulation->event_count);
}
