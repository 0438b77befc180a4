/* stiffness_pieces.h - parts of an assembly that joints and force elements connect, but for the
 * ground: what one piece does no other one feels. Modes of pieces are found for all at once.
 */
#ifndef FLG_STIFFNESS_PIECES_H
#define FLG_STIFFNESS_PIECES_H

#include "assembly/assembly_inner.h"

typedef struct flg_stiffness_pieces {
  int count;
  int *of_velocity; /* (velocities) */
  int *of_force;    /* (elements) -1: it acts on the ground alone */
} flg_stiffness_pieces;

/* Set-up: false without memory. */
bool flg_stiffness_pieces_find(flg_stiffness_pieces *pieces, const flg_assembly *assembly,
                               flg_region *region);

#endif
