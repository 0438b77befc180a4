#include "cosim/events.h"

/* insertion: lists are short, and mostly in order */
void flg_events_sort(flg_event *events, int count) {
  for (int k = 1; k < count; k++) {
    const flg_event event = events[k];
    int at = k;
    for (; at > 0 && events[at - 1].at > event.at; at--) events[at] = events[at - 1];
    events[at] = event;
  }
}

/* Joints that keep their positions while others are set. */
typedef enum pins {
  PINS_ROBOTS, /* all joints of robots whose positions are set */
  PINS_VALUES, /* joints that are set */
  PINS_NONE,
  PINS_COUNT
} pins;

/* whether there is anything to pin */
static bool set_pins(const flg_event *events, int count, pins what) {
  bool any = false;
  for (int k = 0; k < count; k++) {
    const flg_subsystem *subsystem = events[k].subsystem;
    if (subsystem->ops->pin != NULL) subsystem->ops->pin(subsystem->self, -1, false);
  }
  for (int k = 0; k < count; k++) {
    const flg_subsystem *subsystem = events[k].subsystem;
    if (subsystem->ops->pin == NULL || events[k].value_count == 0) continue;
    const bool is_whole = what == PINS_ROBOTS && events[k].action == FLG_ACTION_SET;
    any = true;
    if (what != PINS_NONE)
      subsystem->ops->pin(subsystem->self, is_whole ? -1 : events[k].target, true);
  }
  return any;
}

static bool sets_positions(const flg_event *events, int count) {
  for (int k = 0; k < count; k++) {
    if (events[k].action == FLG_ACTION_SET) return true;
  }
  return false;
}

flg_status flg_events_apply(const flg_event *events, int count, flg_coupling *coupling, double time,
                            flg_error *error) {
  const bool moves = sets_positions(events, count);
  const bool is_pinned = set_pins(events, count, PINS_ROBOTS);
  for (int k = 0; k < count; k++) {
    const flg_subsystem *subsystem = events[k].subsystem;
    subsystem->ops->act(subsystem->self, events[k].action, events[k].target, events[k].values);
  }
  flg_status status = FLG_OK;
  /* Interfaces feel whatever an event does to one subsystem. What cannot be closed with pins is
   * closed with fewer; else the later rounds have nothing left to do. */
  for (int what = is_pinned ? PINS_ROBOTS : PINS_NONE; what < PINS_COUNT; what++) {
    if (is_pinned) set_pins(events, count, (pins)what);
    if (coupling != NULL) status = flg_coupling_settle(coupling, time, moves, error);
  }
  return status;
}
