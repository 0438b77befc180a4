/* events.h - what happens at a given time: joints lock, controllers switch, forces set in.
 *
 * An event takes place at the first communication point at or after its time, after the results of
 * that point are recorded and before the next step.
 */
#ifndef FLG_EVENTS_H
#define FLG_EVENTS_H

#include "contract/subsystem.h"
#include "coupling/coupling.h"

typedef struct flg_event {
  double at; /* [s] */
  flg_action action;
  const flg_subsystem *subsystem;
  int target;           /* what it is about, as the subsystem numbers it */
  int value_count;      /* 0: it sets nothing */
  const double *values; /* (value_count) to set */
} flg_event;

/* Set-up: by time; those of one time keep their order. */
void flg_events_sort(flg_event *events, int count);
/* Step: makes those happen that belong to one time. Joints keep the values that are set, and all
 * else follows them, in other subsystems of the coupling (NULL: none), too; where that cannot be,
 * their values change. FLG_ERR_DIVERGED where interfaces cannot be closed. */
flg_status flg_events_apply(const flg_event *events, int count, flg_coupling *coupling, double time,
                            flg_error *error);

#endif
