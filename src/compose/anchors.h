/* anchors.h - frames of a component by the paths that scenarios use. */
#ifndef FLG_COMPOSE_ANCHORS_H
#define FLG_COMPOSE_ANCHORS_H

#include "base/closest.h"
#include "model/component.h"

/* A body, a port or marker (name, or body/name), or one of a robot (robot/name). */
bool flg_compose_anchor(const flg_component *component, const char *path, flg_anchor *anchor);
/* The end of a message on a path that is not there, as in base/closest.h. */
const char *flg_compose_anchor_hint(const flg_component *component, const char *path,
                                    const flg_mistakes *mistakes, char text[FLG_HINT_TEXT]);

#endif
