/* assembly_build.h - the steps of building an assembly, in their order; the region tells if memory
 * is short. */
#ifndef FLG_ASSEMBLY_BUILD_H
#define FLG_ASSEMBLY_BUILD_H

#include "assembly/assembly_inner.h"

/* --- assembly_parts.c --- */

/* Sets of parts, and who owns the bodies of the component. */
void flg_assembly_make_parts(flg_assembly *assembly, const flg_part_guests *guests);
/* Settles the scheme. Mistakes: schemes, force elements and joints that parts cannot do. */
flg_status flg_assembly_check_parts(flg_assembly *assembly, flg_mistakes *mistakes);
/* Once all ports are known. */
void flg_assembly_equip_parts(flg_assembly *assembly);

/* --- assembly_closings.c --- */

/* Coordinates; joints, welds, force elements and limits as rows. */
void flg_assembly_make_closings(flg_assembly *assembly);
flg_status flg_assembly_make_plan(flg_assembly *assembly, flg_error *error);
void flg_assembly_take_views(flg_assembly *assembly);

#endif
