/* signals.h - names such as arm/tool.position, resolved once and read at every macro step.
 *
 *     sub/path.quantity     the first element names a part of the scenario, the last '.' splits off
 *     sub/path              the quantity, and what is between is an object of the subsystem
 *
 *     interface.quantity    without a slash: of an interface, or of the clock (telemetry.h)
 *
 * Which objects and quantities there are is up to the subsystem (contract/subsystem.h).
 */
#ifndef FLG_SIGNALS_H
#define FLG_SIGNALS_H

#include "cosim/parts.h"

/* The object and the quantity of a signal. */
typedef struct flg_recorded {
  const flg_subsystem *subsystem; /* NULL: of an interface, or of the clock */
  int object, quantity;           /* in its tables */
  const double *values; /* where they stand; NULL: computed by the subsystem, or unknown */
  int width;            /* how many they are */
} flg_recorded;

/* Set-up: finds what the name means; FLG_ERR_INPUT with a mistake that tells what there is. The
 * region is that of the simulation, in which names of objects are kept once they were looked for.
 */
flg_status flg_recorded_find(flg_recorded *recorded, flg_signal *signal, const char *name,
                             flg_place place, const flg_simulation *simulation, flg_region *region,
                             flg_mistakes *mistakes);
/* Step: its values now (the signal's width), NaN where they are not known; the subsystem is
 * refreshed. */
void flg_recorded_compute(const flg_recorded *recorded, double *values);
/* Step: the same, without a call where a value stands in memory. */
static inline void flg_recorded_read(const flg_recorded *recorded, double *values) {
  if (recorded->values != NULL && recorded->width == 1) {
    values[0] = recorded->values[0];
  } else {
    flg_recorded_compute(recorded, values);
  }
}

#endif
