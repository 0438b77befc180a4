/* assembly_limits_inner.h - what assembly_limits.c and assembly_pivot.c share. */
#ifndef FLG_ASSEMBLY_LIMITS_INNER_H
#define FLG_ASSEMBLY_LIMITS_INNER_H

#include "assembly/assembly_limits.h"

/* True if its row is closed in a mode. */
bool flg_limit_closes(const flg_limit *limit, int mode);
/* c, as it was placed last; of a stop: where it ends on a side (-1, 1), and how far that is. */
double flg_limit_value(const flg_assembly *assembly, const flg_limit *limit);
double flg_limit_end(const flg_assembly *assembly, const flg_limit *limit, int side);
double flg_limit_gap(const flg_assembly *assembly, const flg_limit *limit, int side);
/* The unit by which rounding of c is judged: the length of the system [m], or 1 of an angle. */
double flg_limit_unit(const flg_assembly *assembly, const flg_limit *limit);
/* Step: the fastest of all velocities, those of displacements over that length [1/s]. */
double flg_limits_fastest(const flg_assembly *assembly);

#endif
