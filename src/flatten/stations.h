/* stations.h - sections of flexible bodies that something outside of their robot is fixed to.
 *
 * A frame on a flexible body rides on a node of its robot (model/robot.h). Nodes are laid out when
 * the robot is built: what will be fixed to it has to be known then.
 */
#ifndef FLG_STATIONS_H
#define FLG_STATIONS_H

#include "base/region.h"
#include "model/component.h"

/* Set-up: stations for those anchors that are on flexible bodies of the model of this robot. */
void flg_model_add_stations(flg_model *model, int robot, const flg_anchor *anchors, int count,
                            flg_region *region);
/* Set-up: the same for all robots of a component; their models are copied where that is needed. */
void flg_component_add_stations(flg_component *component, const flg_anchor *anchors, int count,
                                flg_region *region);
/* Set-up: and for all that a component itself fixes to its robots. */
void flg_component_find_stations(flg_component *component, flg_region *region);

#endif
