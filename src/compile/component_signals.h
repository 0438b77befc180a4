/* component_signals.h - quantities of a component that the user of `flange compile` has chosen:
 * found by their names (component/assembly_objects.h), and written as tables of a generated source
 * (mechanism_signals.h).
 */
#ifndef FLG_COMPILE_COMPONENT_SIGNALS_H
#define FLG_COMPILE_COMPONENT_SIGNALS_H

#include "compile/force_tables.h"
#include "component/assembly_objects.h"

typedef struct flg_component_signal {
  const char *path;
  const flg_quantity *quantity;
  int what, first, second; /* as of mechanism_signals.h or tree_ports.h */
  double pose[12];         /* of a frame */
} flg_component_signal;

typedef struct flg_component_signals {
  int count;
  flg_component_signal *list; /* (count) those of one path together */
} flg_component_signals;

/* What a signal is in a kind of library: fills `what` and those after it from where an object has
 * its values; quantity: its number among those of the object. False: no such library tells it. */
typedef bool flg_signal_taker(void *context, flg_component_signal *to, const flg_source *source,
                              int quantity);

/* Set-up: names like "elbow.position"; those that are not there are mistakes. No memory:
 * region->failed. */
void flg_component_signals_find(flg_component_signals *of, const char *const *names, int count,
                                flg_assembly *assembly, flg_signal_taker *take, void *context,
                                flg_region *region, flg_mistakes *mistakes);
/* The table of a plug-in's signals; first: entries before them, in C. */
void flg_component_signals_write_table(const flg_component_signals *of, const char *first,
                                       FILE *out);

/* A taker of libraries of mechanisms; context: their tables, which coordinates join that it needs.
 */
flg_signal_taker flg_mechanism_signal_take;
/* The tables of mechanism_signals.h. */
void flg_component_signals_write(const flg_component_signals *of, flg_number_tables *numbers,
                                 FILE *out);

#endif
