/* urdf.h - robots in the Unified Robot Description Format (URDF), as ROS and others write it.
 *
 * All that has mechanical meaning is read: links with their inertias, visual and collision shapes
 * with colours, joints with axes, limits, damping, friction and mimic; rotors (urdf_drive.h), and
 * configurations in a file beside it (srdf.h). Sensors, simulator tags, calibration, safety
 * controllers and unknown elements have no effect, and one notice names them.
 *
 * Where URDF leaves room:
 *   - The root link is fixed to the ground by a joint `ground`. A root link of the name `world` is
 *     the ground itself.
 *   - A revolute or prismatic joint without limits, or whose limit gives neither lower nor upper,
 *     may go anywhere; if it gives one of them, the other is 0. A continuous joint has none.
 *   - A link without mass, shapes and joints of its own that is fixed to its parent (tool0 and the
 *     like) is a body and also a port of the same name.
 *   - Meshes are looked for as mesh_file.h says.
 *   - What can only be a slip is taken as other readers take it, and told in flg_model.notices:
 * shapes of size 0 and mimic joints whose leader is missing move freely, limits below zero are
 * none, an axis without numbers is 1 0 0, of two materials the first counts, a robot without a name
 * has that of its file. Inertias: urdf_inertia.h.
 */
#ifndef FLG_URDF_H
#define FLG_URDF_H

#include "model/mass_properties.h"
#include "text/element.h"

/* Reads a model file of at most 16 MiB. Its arrays and texts lie in the region; all that is wrong
 * with the file and with the model goes to mistakes. `asked_at` is where the file is asked for. */
void flg_model_read_urdf(flg_model *model, const char *path, flg_reading reading,
                         flg_place asked_at, flg_region *region, flg_mistakes *mistakes);
/* The same from a tree that was read before; `file` names it. */
void flg_model_from_element(flg_model *model, const char *file, flg_reading reading,
                            const flg_element *root, flg_region *region, flg_mistakes *mistakes);

#endif
