/* smooth_part.h - the part of a component that code is generated for, where it steps by rattle: its
 * bodies and joints, without frictions, stops, shapes, welds of events and ports.
 *
 * Steps in which no weld is closed and nothing sticks, turns back, or comes near an end or near
 * something to touch are those of the smooth part; the others are the interpreter's
 * (assembly/assembly_smooth.c). What pushes at ports is among the forces.
 */
#ifndef FLG_COMPILE_SMOOTH_PART_H
#define FLG_COMPILE_SMOOTH_PART_H

#include "assembly/assembly_inner.h"

/* Set-up: of an assembly at its start. The assembly itself, where it has nothing of this or moves
 * in a plane all the same; else one that goes with the region. is_asked: for forces of joints,
 * which rows that hold bodies flat have a share in. NULL: other rows come and go in its steps, or
 * there is no memory (region->failed). */
const flg_assembly *flg_smooth_part_of(const flg_assembly *assembly, bool is_asked,
                                       flg_region *region);

#endif
