/* welds.h - which bodies the events of a scenario weld: known before anything runs.
 *
 * `weld: [hand/effector, hand/box]` names two bodies or frames of one subsystem. All events that
 * weld or release the same two, in either order, mean the same weld. It is called by the `name` of
 * the first of them, or effector+box.
 */
#ifndef FLG_COMPOSE_WELDS_H
#define FLG_COMPOSE_WELDS_H

#include "assembly/assembly.h"
#include "base/growing.h"
#include "compose/robots.h"

/* A weld, by the first event that makes it. */
typedef struct flg_listed_weld {
  const flg_event_keys *event;
  const char *name; /* hand/effector+box */
  int next;         /* of the same subsystem; FLG_NAME_UNKNOWN: none */
  int last;         /* of the first of a subsystem: the last one */
} flg_listed_weld;

/* All that events of a scenario weld. */
typedef struct flg_weld_list {
  flg_growing welds;         /* of flg_listed_weld, in the order of events */
  flg_name_index pairs;      /* by both ends */
  flg_name_index names;      /* by name */
  flg_name_index subsystems; /* the first of each subsystem */
} flg_weld_list;

/* Without memory the region has failed. */
flg_weld_list flg_compose_list_welds(const flg_scenario *scenario, flg_region *region);
/* Fills the welds of the options of an assembly. subsystem: the component is that subsystem; NULL:
 * it holds all subsystems, each under its name. */
void flg_compose_welds(const flg_loader *loader, const flg_component *component,
                       const char *subsystem, flg_assembly_options *options);
/* The weld that an event closes or releases, as subsystem/name; NULL with a mistake. */
const flg_origin *flg_compose_weld_name(const flg_loader *loader, const flg_event_keys *keys,
                                        const flg_texts *ends);

#endif
