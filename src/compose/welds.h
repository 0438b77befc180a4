/* welds.h - which bodies the events of a scenario weld: known before anything runs.
 *
 * `weld: [hand/effector, hand/box]` names two bodies or frames of one subsystem. All events that
 * weld or release the same two, in either order, mean the same weld. It is called by the `name` of
 * the first of them, or effector+box.
 */
#ifndef FLG_COMPOSE_WELDS_H
#define FLG_COMPOSE_WELDS_H

#include "assembly/assembly.h"
#include "compose/robots.h"

/* Fills the welds of the options of an assembly. subsystem: the component is that subsystem; NULL:
 * it holds all subsystems, each under its name. */
void flg_compose_welds(const flg_loader *loader, const flg_component *component,
                       const char *subsystem, flg_assembly_options *options);
/* What an event welds or releases, as subsystem/name; NULL with a mistake. */
const flg_origin *flg_compose_weld_name(const flg_loader *loader, const flg_event_keys *keys,
                                        const flg_texts *ends);

#endif
