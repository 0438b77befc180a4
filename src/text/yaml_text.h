/* yaml_text.h - a text as a YAML scalar that reads back as the same text, in keys and in flow maps.
 */
#ifndef FLG_YAML_TEXT_H
#define FLG_YAML_TEXT_H

#include "base/region.h"

/* Plain where it cannot be read as anything else (a word, a path), else in double quotes. The
 * text is UTF-8; NULL if the region is exhausted. */
const char *flg_yaml_text(flg_region *region, const char *text);

#endif
