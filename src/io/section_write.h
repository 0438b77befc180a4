/* section_write.h - writes what was read by a schema (text/schema.h). */
#ifndef FLG_SECTION_WRITE_H
#define FLG_SECTION_WRITE_H

#include "base/fields.h"
#include "base/region.h"

/* The struct of a section as `{key: value, ...}`, without keys that are absent or have their
 * defaults. Its members are numbers, vectors, choices, integers, flags, lists of numbers, sections
 * and lists of sections, and each struct begins with its origin. NULL without memory. */
const char *flg_section_write(const flg_section *section, const void *values, flg_region *region);

#endif
