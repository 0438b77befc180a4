/* component_signals.h - quantities of a component that the user of `flange compile` has chosen:
 * found by their names (component/assembly_objects.h), and written as tables of a generated source
 * (mechanism_signals.h).
 */
#ifndef FLG_COMPILE_COMPONENT_SIGNALS_H
#define FLG_COMPILE_COMPONENT_SIGNALS_H

#include "compile/force_tables.h"
#include "contract/subsystem.h"

typedef struct flg_component_signal {
  const char *path;
  const flg_quantity *quantity;
  int what, first, second; /* as of mechanism_signals.h */
  double pose[12];         /* of a frame */
} flg_component_signal;

typedef struct flg_component_signals {
  int count;
  flg_component_signal *list; /* (count) those of one path together */
} flg_component_signals;

/* Set-up: names like "elbow.position"; those that are not there are mistakes. Coordinates that they
 * ask for join the tables. No memory: region->failed. */
void flg_component_signals_find(flg_component_signals *of, const char *const *names, int count,
                                flg_force_tables *tables, flg_mistakes *mistakes);
void flg_component_signals_write(const flg_component_signals *of, flg_number_tables *numbers,
                                 FILE *out);

#endif
