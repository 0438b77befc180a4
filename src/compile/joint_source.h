/* joint_source.h - what generated sources of machines in joint coordinates share, robots and
 * components: tables of coordinates, frames, gears, and the functions that joint_space.h calls.
 */
#ifndef FLG_COMPILE_JOINT_SOURCE_H
#define FLG_COMPILE_JOINT_SOURCE_H

#include <stdio.h>

#include "compile/emit.h"
#include "compile/forward_terms.h"
#include "compile/frame_terms.h"
#include "dynamics/mimic.h"

typedef struct flg_joint_source {
  const flg_elements *elements;
  const flg_link_anchor *frames; /* (frame_count) on elements: ports, then those of signals */
  int port_count, frame_count;
  const flg_mimics *gears; /* coordinates that follow others; NULL: none */
  flg_region *region;
  FILE *out;
} flg_joint_source;

/* Results of a function to be written; list: NULL without memory. */
typedef struct flg_emit_outputs {
  flg_emit_output *list;
  int count;
} flg_emit_outputs;

flg_emit_outputs flg_emit_outputs_take(flg_region *region, int most);
/* Terms as elements of an output array, from its first one on. */
void flg_emit_outputs_put(flg_emit_outputs *to, const flg_term *terms, int count, int array);

/* Kinds of coordinates, pitches, and which positions are quaternions; elements alone are needed. */
void flg_joint_source_coordinates(const flg_joint_source *of);
/* The other tables of joint_space.h. */
void flg_joint_source_tables(const flg_joint_source *of, const flg_forward_terms *forward);
/* find_frames, find_axes, and find_energy: kinetic, of gravity that is an input, and `stored`.
 * Returns how many statements they have. */
int flg_joint_source_functions(const flg_joint_source *of, flg_terms *graph,
                               const flg_frame_terms *frames, flg_term stored);

#endif
