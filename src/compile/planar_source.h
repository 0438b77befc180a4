/* planar_source.h - C of steps in the plane, for a mechanism that moves in one
 * (assembly/assembly_planar.h).
 *
 * The source is the structure as tables, and planar_runtime.h, which works by them: its length is
 * in proportion to the number of joints, and its code is the same for all.
 */
#ifndef FLG_COMPILE_PLANAR_SOURCE_H
#define FLG_COMPILE_PLANAR_SOURCE_H

#include <stdio.h>

#include "assembly/assembly_planar.h"
#include "compile/number_tables.h"
#include "compile/planar_code.h"

/* Numbers of a mechanism for its instances; arrays are in the region. False: no memory. */
bool flg_planar_numbers_fill(const flg_assembly *assembly, flg_region *region,
                             flg_planar_numbers *numbers);
/* Tables of its structure, and the steps. It follows flg_text_head. The region's `failed` says that
 * there was no memory: the source is then not to be used. */
void flg_planar_source_write(const flg_planar *planar, flg_region *region, FILE *out);
/* Tables of its numbers, but for masses and gravity. */
void flg_planar_numbers_add(const flg_planar *planar, const flg_planar_numbers *numbers,
                            flg_number_tables *to);
/* A whole source, whose library supplies steps in the plane and nothing else; region as above. */
void flg_planar_source_write_alone(const flg_planar *planar, const char *name, flg_region *region,
                                   FILE *out);

#endif
