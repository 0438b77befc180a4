/* scenario.h - scenarios from files. */
#ifndef FLG_SCENARIO_FILE_H
#define FLG_SCENARIO_FILE_H

#include "define/scenario.h"
#include "io/component_keys.h"

/* The keys of a scenario file. */
extern const flg_section flg_scenario_section;
extern const flg_section flg_coupling_section; /* a part of it */

/* Reads a scenario with overrides `key.key=value`; texts and arrays lie in the region. */
void flg_scenario_read(flg_scenario *scenario, const char *path, const char *const *overrides,
                       int override_count, flg_region *region, flg_mistakes *mistakes);
/* The same from a tree that was read; path: of the file that it stands for. */
void flg_scenario_from_node(flg_scenario *scenario, const char *path, const flg_node *root,
                            flg_region *region, flg_mistakes *mistakes);
/* True, with a mistake, if the tree is that of a model or component. */
bool flg_scenario_refuse(const char *path, const flg_node *root, flg_mistakes *mistakes);

#endif
