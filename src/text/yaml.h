/* yaml.h - YAML text into a tree of nodes, on libfyaml.
 *
 * One document a text; keys are plain scalars and unique in their map; aliases are expanded;
 * nesting and size are bounded, aliases included, so that no input can exhaust the stack or the
 * memory (base/input_limits.h).
 */
#ifndef FLG_YAML_H
#define FLG_YAML_H

#include <stddef.h>

#include "text/node.h"

enum { FLG_YAML_MAX_DEPTH = 64 };

/* The root of the tree, in the region, or NULL if the text has no document. What is wrong goes to
 * mistakes; `file` names the text in them and is borrowed by the nodes. */
flg_node *flg_yaml_parse(flg_region *region, const char *file, const char *text, size_t length,
                         flg_mistakes *mistakes);
/* The same; *values is how many nodes there are of this text and of those it belongs to, which
 * FLG_LIMIT_VALUES bounds. */
flg_node *flg_yaml_parse_more(flg_region *region, const char *file, const char *text, size_t length,
                              double *values, flg_mistakes *mistakes);

#endif
