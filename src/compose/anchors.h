/* anchors.h - frames of a component by the paths that scenarios use. */
#ifndef FLG_COMPOSE_ANCHORS_H
#define FLG_COMPOSE_ANCHORS_H

#include "base/closest.h"
#include "base/growing.h"
#include "model/component.h"

/* All bodies, all ports and markers (name, or body/name), and those of robots (robot/name). */
typedef struct flg_anchors {
  const flg_component *component;
  flg_name_index paths;
  flg_growing list; /* of flg_anchor */
} flg_anchors;

/* Without memory the region has failed. */
flg_anchors flg_anchors_of(const flg_component *component, flg_region *region);
/* The one that a path leads to; false: there is none. */
bool flg_anchors_find(const flg_anchors *anchors, const char *path, flg_anchor *anchor);
/* The end of a message on a path that is not there, as in base/closest.h. */
const char *flg_anchors_hint(const flg_anchors *anchors, const char *path,
                             const flg_mistakes *mistakes, char text[FLG_HINT_TEXT]);

#endif
