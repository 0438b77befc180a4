/* tree_terms.h - a component in joint coordinates in terms of a graph: accelerations under its
 * force elements, and its signals.
 *
 *     B^T M B y'' = B^T (f - c)       v = B y'
 *
 * B says how coordinates follow others by gears (dynamics/mimic.h); M and c are those of the tree
 * (forward_terms.h). Coordinates of the component are sums of joint coordinates, or distances.
 */
#ifndef FLG_COMPILE_TREE_TERMS_H
#define FLG_COMPILE_TREE_TERMS_H

#include "compile/element_terms.h"
#include "compile/signal_terms.h"

/* Arrays that generated functions are given, besides those of elements. */
enum {
  FLG_TREE_EFFORTS = FLG_INPUT_COUNT, /* of motors, then of efforts */
  FLG_TREE_SWITCHES,                  /* 0 or 1, of loads that events switch */
  FLG_TREE_STATES,                    /* those of signal_terms.h */
  FLG_TREE_SOURCES,
  FLG_TREE_HELD,
  FLG_TREE_CLOCK,
  FLG_TREE_INPUT_COUNT
};

typedef struct flg_tree_terms {
  const flg_assembly *assembly;
  const flg_parts *parts; /* the only set, of one tree */
  flg_terms graph;
  flg_elements elements;
  int velocities, positions;
  int *straight;   /* (velocities) the position that it is the rate of, -1: of a ball */
  double *factors; /* (coordinates x positions) of those that are sums, row by row ... */
  double *zeros;   /* (coordinates) ... and what is added; NaN: it is none */
  flg_term *a;     /* (velocities) accelerations */
  flg_signal_terms signals;
  int switch_count;
  int *switches; /* (switch_count) loads, as forces of the assembly */
} flg_tree_terms;

/* Set-up: of an assembly where it stands. False: it is no such component, it would be too much
 * code, or no memory (region->failed). */
bool flg_tree_terms_build(flg_tree_terms *of, flg_assembly *assembly, flg_region *region);

#endif
