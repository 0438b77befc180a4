/* flexible_keys.h - the keys of flexible bodies. */
#ifndef FLG_FLEXIBLE_SECTIONS_H
#define FLG_FLEXIBLE_SECTIONS_H

#include "define/component_definition.h"
#include "text/schema.h"

extern const flg_section flg_flexible_section;

/* False if the section is absent. */
bool flg_flexible_is_given(const flg_flexible_keys *keys);
/* Reads the file that keys name, if they do, in their place: it has the same keys. */
void flg_flexible_resolve(flg_flexible_keys *keys, flg_region *region, flg_mistakes *mistakes);
/* Set-up: the same of all bodies and robots of a component; rigid bodies lose the name of theirs.
 */
void flg_flexible_resolve_all(const flg_component_keys *keys, flg_region *region,
                              flg_mistakes *mistakes);

#endif
