/* mesh_read.h - vertices of meshes: STL, as text or binary, and OBJ (Wavefront).
 *
 * Only vertices are read: a mesh touches by the convex hull of them. Each is kept once.
 */
#ifndef FLG_MESH_READ_H
#define FLG_MESH_READ_H

#include "base/region.h"
#include "model/model.h"

typedef struct flg_mesh_vertices {
  double *values; /* (3 count) x, y, z of each, in the order of x, then y, then z; in the region */
  int count;
} flg_mesh_vertices;

/* From the bytes of a file, text[length] being 0. `path` says by its end what it is, and stands in
 * mistakes. False with a mistake. */
bool flg_mesh_parse(flg_mesh_vertices *vertices, const char *path, const char *text, size_t length,
                    flg_region *region, flg_mistakes *mistakes);
/* Gives all shapes for contact that are meshes their values: vertices, scaled by their size. Files
 * are read once. */
void flg_meshes_read(flg_shape *shapes, int count, flg_region *region, flg_mistakes *mistakes);

#endif
