/* space_source.h - C of steps in space, for a mechanism of rigid bodies and joints whose rows are
 * frozen (interface/frozen_rows.h).
 *
 * Joints are sorted by shape: kind, frozen rows, ends. Code is a loop over each shape, whose
 * constants leave only operations that count; S is factored by loops over columns that repeat
 * (pattern_source.h). space_rows.h and space_step.h are what all mechanisms share.
 */
#ifndef FLG_COMPILE_SPACE_SOURCE_H
#define FLG_COMPILE_SPACE_SOURCE_H

#include <stdio.h>

#include "assembly/assembly_inner.h"
#include "compile/space_code.h"

typedef struct flg_space_source flg_space_source;

/* Set-up: of an assembly at its start, with frozen rows. is_pushed: something besides gravity
 * pushes: steps ask for forces (flg_space_push), and have no angles. Rows of stops and
 * frictions stay open. NULL: it is not one of rigid bodies and plain joints, of these, and of
 * elements that are no rows, that steps by rattle, or there is no memory (region->failed). */
flg_space_source *flg_space_source_build(const flg_assembly *assembly, bool is_pushed,
                                         flg_region *region);
/* Of its joints and angles, as the library counts them. */
int flg_space_source_joints(const flg_space_source *of);
int flg_space_source_angles(const flg_space_source *of);
/* The row set of a joint. */
int flg_space_source_row_set(const flg_space_source *of, int joint);
/* Numbers of the mechanism for its instances; arrays are in the region. False: no memory. */
bool flg_space_numbers_fill(const flg_space_source *of, flg_region *region,
                            flg_space_numbers *numbers);
/* Tables of its structure, and the steps, without angles. It follows flg_text_head. */
void flg_space_source_write(const flg_space_source *of, FILE *out);
/* A whole source, whose library supplies steps in space and nothing else. */
void flg_space_source_write_alone(const flg_space_source *of, const char *name, FILE *out);

#endif
