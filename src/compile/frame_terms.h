/* frame_terms.h - where elements and frames on them are and how they move, in terms of a graph.
 *
 * In the axes of the model's ground, velocities [linear; angular] at the frame's origin.
 */
#ifndef FLG_COMPILE_FRAME_TERMS_H
#define FLG_COMPILE_FRAME_TERMS_H

#include "compile/element_terms.h"

/* A frame: 3 numbers of position, 9 of rotation (columns), 6 of velocity, 6 of its turning, the
 * acceleration J' v that velocities alone make. */
enum { FLG_FRAME_TERMS = 24, FLG_FRAME_ROTATION = 3, FLG_FRAME_VELOCITY = 12, FLG_FRAME_BIAS = 18 };

typedef struct flg_moving_terms {
  flg_term9 rotation;
  flg_term3 position, velocity, spin, acceleration, turn; /* the last two: of its turning */
} flg_moving_terms;

typedef struct flg_frame_terms {
  const flg_elements *elements;
  flg_moving_terms *motions; /* (elements) */
} flg_frame_terms;

/* Of all elements. False: no memory. */
bool flg_frame_terms_build(flg_frame_terms *frames, flg_terms *graph, const flg_elements *elements,
                           flg_region *region);
/* The numbers of a frame on an element. */
void flg_frame_terms_of(const flg_frame_terms *frames, flg_terms *graph,
                        const flg_link_anchor *anchor, flg_term to[FLG_FRAME_TERMS]);
/* Kinetic energy, and the moment of mass (3): the sum of mass times position. */
flg_term flg_frame_terms_kinetic(const flg_frame_terms *frames, flg_terms *graph);
flg_term3 flg_frame_terms_moment(const flg_frame_terms *frames, flg_terms *graph);

#endif
