/* mechanism_source.h - C source of a component as a plug-in: rigid bodies, joints and
 * what pushes them: gravity, springs, dampers, bushings, loads.
 *
 * Tables of this mechanism and the text of mechanism_rows.h and those after it, which walk over
 * them. Bodies that joints fix to each other are one (structure/structure.h). Rows of joints are
 * chosen at the start, by pivots, and joints are put in an order in which S = G M^-1 G^T has a
 * narrow profile.
 */
#ifndef FLG_COMPILE_MECHANISM_SOURCE_H
#define FLG_COMPILE_MECHANISM_SOURCE_H

#include <stdbool.h>
#include <stdio.h>

#include "flange/mistakes.h"
#include "model/component.h"

typedef struct flg_mechanism_source {
  const flg_component *component; /* that flg_component_check found no fault with */
  const char *name;               /* of the library, for people */
  const char *const *signals;     /* (signal_count) chosen, as in "elbow.position" */
  int signal_count;
  bool is_staged; /* it steps by rk4, in joint coordinates (tree_library.h) */
} flg_mechanism_source;

/* The size of the text that was written. */
typedef struct flg_mechanism_size {
  int bodies, joints, rows;
  int chosen;      /* rows that do not depend on others */
  int profile;     /* numbers of the factor of S */
  int signals;     /* that it tells besides its own */
  bool is_planar;  /* steps are taken in a plane where they can be */
  int coordinates; /* of one in joint coordinates, which has no rows */
} flg_mechanism_size;

/* Writes the source. What cannot be compiled (robots, implicit elements, frictions, stops, motions,
 * motors, signals, gears, screws, distances, shapes that touch) is a mistake that names it. */
flg_status flg_mechanism_source_write(const flg_mechanism_source *source, FILE *out,
                                      flg_mechanism_size *size, flg_mistakes *mistakes);

#endif
