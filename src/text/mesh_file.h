/* mesh_file.h - where the files of meshes are.
 *
 *     meshes/a.stl               beside the file that names it
 *     file:///home/a.stl         as it says
 *     package://arm/meshes/a.stl in the package `arm` (model:// alike): a folder of that name
 * beside the file or above it, or in one of the folders of the environment variables
 * FLANGE_PACKAGE_PATH and ROS_PACKAGE_PATH (apart by colons); failing that, meshes/a.stl in a
 * folder above the file anything://...             not looked for
 *
 * Names that lead nowhere are kept as they are.
 */
#ifndef FLG_MESH_FILE_H
#define FLG_MESH_FILE_H

#include "base/region.h"
#include "model/model.h"

/* The path of the mesh that the file `from` names; NULL only if the region is exhausted. */
const char *flg_mesh_path(flg_region *region, const char *from, const char *name);
/* The name under which a file `from` (NULL: one in the current folder) should mention the mesh, so
 * that flg_mesh_path leads back to it: relative where both lie below the same folder. */
const char *flg_mesh_name(flg_region *region, const char *from, const char *path);
/* False for shapes with a mesh whose file cannot be read; true for all other shapes. */
bool flg_mesh_is_there(const flg_shape *shape);
/* Adds a mistake for each shape whose mesh is not there, of those for collision or of the others.
 */
void flg_meshes_check(const flg_model *model, bool collision, flg_mistakes *mistakes);

#endif
