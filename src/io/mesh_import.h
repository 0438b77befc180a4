/* mesh_import.h - triangles of meshes in any format that the library assimp reads: COLLADA, STL,
 * OBJ, PLY, glTF and others.
 *
 * The library is opened when the first mesh is read, and is not needed otherwise. COLLADA files
 * keep their axes (up_axis is not turned, as in other readers of URDF) and are scaled to metres.
 */
#ifndef FLG_MESH_IMPORT_H
#define FLG_MESH_IMPORT_H

#include "base/region.h"
#include "flange/status.h"

typedef struct flg_mesh_triangles {
  double *corners; /* (9 count) three corners each; in the region */
  size_t count;
} flg_mesh_triangles;

/* Set-up: FLG_ERR_MISSING without the library; FLG_ERR_INPUT with its words if the file cannot be
 * read. */
flg_status flg_mesh_import(flg_mesh_triangles *triangles, const char *path, flg_region *region,
                           flg_error *error);

#endif
