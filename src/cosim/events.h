/* events.h - what happens at a given time: joints lock, controllers switch, forces set in.
 *
 * An event takes place at the first communication point at or after its time, after the results of
 * that point are recorded and before the next step.
 */
#ifndef FLG_EVENTS_H
#define FLG_EVENTS_H

#include "subsystem/robot_subsystem.h"

typedef enum flg_event_kind {
  FLG_EVENT_LOCK,
  FLG_EVENT_UNLOCK,
  FLG_EVENT_ENABLE, /* a controller or a force */
  FLG_EVENT_DISABLE,
  FLG_EVENT_SET,          /* positions of a joint */
  FLG_EVENT_SET_VELOCITY, /* velocities of a joint */
} flg_event_kind;

typedef struct flg_event {
  double at; /* [s] */
  flg_event_kind kind;
  flg_robot_subsystem *subsystem;
  int joint, controller, push; /* what it is about, -1 for the others */
  const double *values;        /* to set (as many as the joint has) */
} flg_event;

/* Set-up: by time; those of one time keep their order. */
void flg_events_sort(flg_event *events, int count);
/* Step: makes it happen. */
void flg_event_apply(const flg_event *event);

#endif
