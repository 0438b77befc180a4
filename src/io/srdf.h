/* srdf.h - what a semantic description (SRDF) beside a URDF file says of the same robot.
 *
 * Looked for under the name of the URDF file, as arm.srdf beside arm.urdf, in ../srdf/ and in
 * ../config/. Read are the configurations of <group_state>, those of one name together, and
 * <rotor_params> with the inertia (`mass`) and the gear ratio of rotors. A configuration gives
 * seven numbers to a base that floats: x y z, then a quaternion x y z w. Joints that the robot does
 * not have are passed over.
 */
#ifndef FLG_SRDF_H
#define FLG_SRDF_H

#include "base/notices.h"
#include "model/model.h"

/* Adds what the file says to the model that was read from `path`. Nothing of it is a mistake: a
 * file that cannot be read is reported as a notice. */
void flg_srdf_read(const char *path, flg_model *model, flg_notices *notices);

#endif
