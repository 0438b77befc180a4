#include "io/load_events.h"

#include <string.h>

/* one key of one event: its kind, and whether its names come with values */
typedef struct action {
  const flg_loader *loader;
  flg_simulation *simulation;
  double at;
  flg_event_kind kind;
} action;

/* "arm/joint2": the subsystem, and what stands after the slash; NULL with a mistake */
static flg_robot_subsystem *split(const action *act, const flg_origin *name, const char **rest) {
  const char *slash = strchr(name->name, '/');
  const size_t length = slash == NULL ? 0 : (size_t)(slash - name->name);
  for (int k = 0; slash != NULL && k < act->simulation->subsystem_count; k++) {
    flg_robot_subsystem *subsystem = &act->simulation->subsystems[k];
    const char *known = subsystem->options.name;
    if (strlen(known) != length || strncmp(known, name->name, length) != 0) continue;
    *rest = slash + 1;
    return subsystem;
  }
  flg_mistake_add(act->loader->mistakes, FLG_ERR_INPUT, name->place,
                  "'%s' names no subsystem; expected subsystem/name, as in arm/joint2", name->name);
  return NULL;
}

static flg_event *add(const action *act, flg_robot_subsystem *subsystem) {
  flg_event *event = &act->simulation->events[act->simulation->event_count++];
  *event = (flg_event){.at = act->at,
                       .kind = act->kind,
                       .subsystem = subsystem,
                       .joint = -1,
                       .controller = -1,
                       .push = -1};
  return event;
}

static void add_joint(const action *act, const flg_origin *name, const flg_numbers *numbers) {
  const char *rest;
  flg_robot_subsystem *subsystem = split(act, name, &rest);
  if (subsystem == NULL) return;
  const int joint = flg_load_joint(act->loader, subsystem, rest, name->place);
  const bool positions = act->kind == FLG_EVENT_SET;
  if (joint < 0) return;
  if (numbers != NULL &&
      !flg_load_fits(act->loader, subsystem, joint, positions, numbers, name->place)) {
    return;
  }
  flg_event *event = add(act, subsystem);
  event->joint = joint;
  event->values = numbers == NULL ? NULL : numbers->values;
}

static void add_switch(const action *act, const flg_origin *name) {
  const char *rest;
  flg_robot_subsystem *subsystem = split(act, name, &rest);
  if (subsystem == NULL) return;
  const int controller = flg_robot_subsystem_controller(subsystem, rest);
  const int push = flg_robot_subsystem_push(subsystem, rest);
  if (controller < 0 && push < 0) {
    flg_mistake_add(act->loader->mistakes, FLG_ERR_INPUT, name->place,
                    "'%s' has no controller or force '%s'", subsystem->options.name, rest);
    return;
  }
  flg_event *event = add(act, subsystem);
  event->controller = controller, event->push = push;
}

static void add_names(action act, flg_event_kind kind, const flg_texts *names) {
  act.kind = kind;
  const bool joints = kind == FLG_EVENT_LOCK || kind == FLG_EVENT_UNLOCK;
  for (int k = 0; k < names->count; k++) {
    if (joints) {
      add_joint(&act, &names->items[k], NULL);
    } else {
      add_switch(&act, &names->items[k]);
    }
  }
}

static void add_values(action act, flg_event_kind kind, const flg_items *items) {
  act.kind = kind;
  const flg_value *values = items->items;
  for (int k = 0; k < items->count; k++) {
    add_joint(&act, &values[k].origin, &values[k].numbers);
  }
}

static int actions_of(const flg_event_keys *keys) {
  return keys->lock.count + keys->unlock.count + keys->enable.count + keys->disable.count +
         keys->set.count + keys->set_velocity.count;
}

void flg_load_events(const flg_loader *loader, flg_simulation *simulation) {
  const flg_event_keys *keys = loader->scenario->events.items;
  const int count = loader->scenario->events.count;
  size_t most = 0;
  for (int k = 0; k < count; k++) {
    most += (size_t)actions_of(&keys[k]);
    if (actions_of(&keys[k]) > 0) continue;
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys[k].origin.place,
                    "nothing happens in this event; give it lock, unlock, enable, disable, set or "
                    "set_velocity");
  }
  simulation->events = flg_region_take(loader->region, most, sizeof *simulation->events);
  if (simulation->events == NULL) return;
  for (int k = 0; k < count; k++) {
    const action act = {.loader = loader, .simulation = simulation, .at = keys[k].at};
    add_values(act, FLG_EVENT_SET, &keys[k].set);
    add_values(act, FLG_EVENT_SET_VELOCITY, &keys[k].set_velocity);
    add_names(act, FLG_EVENT_UNLOCK, &keys[k].unlock);
    add_names(act, FLG_EVENT_LOCK, &keys[k].lock);
    add_names(act, FLG_EVENT_DISABLE, &keys[k].disable);
    add_names(act, FLG_EVENT_ENABLE, &keys[k].enable);
  }
  flg_events_sort(simulation->events, simulation->event_count);
}
