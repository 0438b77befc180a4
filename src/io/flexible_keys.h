/* flexible_keys.h - the keys of flexible bodies. */
#ifndef FLG_FLEXIBLE_SECTIONS_H
#define FLG_FLEXIBLE_SECTIONS_H

#include "compose/flexible_keys.h"
#include "text/schema.h"

extern const flg_section flg_flexible_section;

/* False if the section is absent. */
bool flg_flexible_is_given(const flg_flexible_keys *keys);
/* Reads the file that keys name, if they do, in their place: it has the same keys. */
void flg_flexible_resolve(flg_flexible_keys *keys, flg_region *region, flg_mistakes *mistakes);

#endif
