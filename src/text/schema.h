/* schema.h - reads trees by tables of keys (base/fields.h): checks what a file says, and fills C
 * structs from it.
 */
#ifndef FLG_SCHEMA_H
#define FLG_SCHEMA_H

#include "base/fields.h"
#include "text/node.h"

/* Checks a tree against a section and fills the struct `out`. Texts and arrays lie in the region.
 * All mistakes are collected; members with mistakes hold their defaults. Returns false, with a
 * mistake, if something else stands where a section, a map or list of sections, or a list of
 * numbers must be: what it should say is unknown, and later checks would complain about keys that
 * are not in the file. */
bool flg_schema_read(const flg_section *section, const flg_node *node, void *out,
                     flg_region *region, flg_mistakes *mistakes);

#endif
