/* interface_elements.h - what an interface carries (macro/interface.h), from the component of
 * the whole, where it stands under the name of the interface and belongs to no subsystem.
 */
#ifndef FLG_COMPOSE_INTERFACE_ELEMENTS_H
#define FLG_COMPOSE_INTERFACE_ELEMENTS_H

#include "base/region.h"
#include "macro/interface.h"

/* The joint of an interface; NULL: elastic or loose teeth, which are none. */
const flg_component_joint *flg_compose_interface_joint(const flg_component *whole,
                                                       const char *name);
/* The bushing of an interface, NULL: it is none. */
const flg_component_element *flg_compose_interface_bushing(const flg_component *whole,
                                                           const char *name);
/* The two coordinates of a gear or a rack. */
const int *flg_compose_interface_teeth(const flg_component *whole, const char *name);
/* Set-up, when its anchors are known: its elements, in the region, without their numbers. */
void flg_compose_elements(const flg_component *whole, flg_interface *interface, flg_region *region);

#endif
