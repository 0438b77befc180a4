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

#include "compile/forward_terms.h"
#include "compile/frame_terms.h"
#include "compile/signal_terms.h"

/* Arrays that generated functions are given, besides those of elements. */
enum {
  FLG_TREE_EFFORTS = FLG_INPUT_COUNT, /* of motors, then of efforts */
  FLG_TREE_GIVEN,  /* 0 or 1 of loads that events switch; in libraries gravity (3), and force and
                      moment of loads (6) in the axes of the model, or of what they act on */
  FLG_TREE_STATES, /* those of signal_terms.h */
  FLG_TREE_SOURCES,
  FLG_TREE_HELD,
  FLG_TREE_CLOCK,
  FLG_TREE_MEMORY,
  FLG_TREE_DUE,
  FLG_TREE_INPUT_COUNT
};

typedef struct flg_tree_terms {
  flg_assembly *assembly;
  const flg_parts *parts; /* the only set, of one tree */
  bool is_library;        /* users put it where they like: it knows no gravity, no events */
  flg_terms graph;
  flg_elements elements;
  flg_frame_terms frames;
  int velocities, positions;
  int *straight;            /* (velocities) the position that it is the rate of, -1: of a ball */
  double *factors;          /* (coordinates x positions) of those that are sums, row by row ... */
  double *zeros;            /* (coordinates) ... and what is added; NaN: it is none */
  flg_term *value, *rate;   /* (coordinates) -1: not known */
  flg_forward_terms motion; /* accelerations; factors of a tree without gears alone */
  flg_term *springs;        /* (forces of the assembly) what a spring pushes with; 0: it is none */
  flg_term stored;          /* energy of all springs */
  flg_signal_terms signals;
  int given_count; /* loads that events switch, or numbers of a library */
  int *switches;   /* (loads) as forces of the assembly */
} flg_tree_terms;

/* Set-up: of an assembly where it stands. False: it is no such component, it would be too much
 * code, or no memory (region->failed). */
bool flg_tree_terms_build(flg_tree_terms *of, flg_assembly *assembly, bool is_library,
                          flg_region *region);
/* A frame of the component, as one on an element. */
flg_link_anchor flg_tree_terms_anchor(const flg_tree_terms *of, const flg_part_anchor *anchor);
/* Factors of M alone, for the admittance of ports. False: no memory. */
bool flg_tree_terms_factor(flg_tree_terms *of, flg_forward_terms *forward, flg_region *region);
/* What a sampled block holds once its sample is taken, 5 numbers each (signal_terms.h). NULL: a
 * signal cannot be said in terms, or no memory. */
flg_term *flg_tree_terms_samples(flg_tree_terms *of, flg_region *region);

#endif
