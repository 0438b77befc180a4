/* urdf_inertia.h - inertias of URDF links that no body can have, and links without any.
 *
 * Exporters of CAD systems round small moments, swap signs, or leave links without mass: such files
 * are common, and other readers take them. What was done is reported in one sentence for each kind.
 */
#ifndef FLG_URDF_INERTIA_H
#define FLG_URDF_INERTIA_H

#include "base/notices.h"
#include "model/mass_properties.h"

enum { FLG_SHAPE_DENSITY = 1000 }; /* of shapes that give links their mass [kg/m^3]: water */

/* Changes bodies as the rule says. */
void flg_urdf_mend_inertia(flg_model *model, flg_reading reading, flg_notices *notices);

#endif
