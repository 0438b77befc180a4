/* component_yaml.h - components in YAML: bodies, robots and other components, joined by joints. */
#ifndef FLG_COMPONENT_YAML_H
#define FLG_COMPONENT_YAML_H

#include "flatten/component_builder.h"
#include "text/node.h"

/* Reads a component file with all files that it uses. Arrays and texts lie in the region; all that
 * is wrong with the files and with the component goes to mistakes. */
void flg_component_read(flg_component *component, const flg_component_use *use, flg_region *region,
                        flg_mistakes *mistakes);
/* The same from a tree that was read before; use->path names it. */
void flg_component_from_node(flg_component *component, const flg_component_use *use,
                             const flg_node *root, flg_region *region, flg_mistakes *mistakes);

#endif
