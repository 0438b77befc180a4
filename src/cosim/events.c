#include "cosim/events.h"

#include <string.h>

/* insertion: lists are short, and mostly in order */
void flg_events_sort(flg_event *events, int count) {
  for (int k = 1; k < count; k++) {
    const flg_event event = events[k];
    int at = k;
    for (; at > 0 && events[at - 1].at > event.at; at--) events[at] = events[at - 1];
    events[at] = event;
  }
}

static void set(const flg_event *event, bool positions) {
  flg_robot_subsystem *subsystem = event->subsystem;
  const flg_robot *robot = &subsystem->robot;
  const flg_link *link = &robot->links[robot->joint_links[event->joint]];
  double *to = positions ? subsystem->q + link->position : subsystem->v + link->velocity;
  const int count =
      positions ? flg_joint_kind_positions(link->kind) : flg_joint_kind_velocities(link->kind);
  memcpy(to, event->values, (size_t)count * sizeof *to);
  flg_robot_subsystem_settle(subsystem);
}

static void enable(const flg_event *event, bool enabled) {
  if (event->controller >= 0) {
    flg_robot_subsystem_enable_controller(event->subsystem, event->controller, enabled);
  } else {
    flg_robot_subsystem_enable_push(event->subsystem, event->push, enabled);
  }
}

void flg_event_apply(const flg_event *event) {
  switch (event->kind) {
    case FLG_EVENT_LOCK:
    case FLG_EVENT_UNLOCK:
      flg_robot_subsystem_lock(event->subsystem, event->joint, event->kind == FLG_EVENT_LOCK);
      break;
    case FLG_EVENT_ENABLE:
    case FLG_EVENT_DISABLE:
      enable(event, event->kind == FLG_EVENT_ENABLE);
      break;
    case FLG_EVENT_SET:
    case FLG_EVENT_SET_VELOCITY:
    default:
      set(event, event->kind == FLG_EVENT_SET);
      break;
  }
  flg_robot_subsystem_resample(event->subsystem);
}
