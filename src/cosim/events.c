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

void flg_event_apply(const flg_event *event) {
  const flg_subsystem *subsystem = event->subsystem;
  subsystem->ops->act(subsystem->self, event->action, event->target, event->values);
}
