/* urdf_drive.h - rotors in URDF files, and the tags of such files that are passed over.
 *
 * The inertia of a rotor, as its joint feels it, is read from
 *     <dynamics armature="..."/> of a joint
 *     <transmission> with a <joint>, and in it or its <actuator> the inertia of the rotor
 *         (rotor_inertia, rotorInertia or motorInertia, with any prefix such as drake:) and the
 *         gear ratio (mechanicalReduction, gear_ratio; 1 if there is none), as text or `value`
 */
#ifndef FLG_URDF_DRIVE_H
#define FLG_URDF_DRIVE_H

#include "base/name_index.h"
#include "base/notices.h"
#include "model/model.h"
#include "text/element.h"

/* Gives joints their armature; names the tags of the file that have no effect, in one notice. */
void flg_urdf_read_drives(const flg_element *robot, const flg_name_index *joints, flg_model *model,
                          flg_notices *notices, flg_mistakes *mistakes);

#endif
