/* mesh_triangles.h - meshes to be drawn: STL, as text or binary, and OBJ (Wavefront), as triangles.
 *
 * Vertices are read by io/mesh_read.h. A file that is no mesh gives no triangles here, and faces
 * that name missing vertices are left out: a picture is not worth an error.
 */
#ifndef FLG_MESH_TRIANGLES_H
#define FLG_MESH_TRIANGLES_H

#include "base/region.h"

enum { FLG_MESH_TRIANGLES_MAX = 200000 };

/* Nine numbers a triangle, x y z of three corners. */
typedef struct flg_triangles {
  float *corners; /* (9 count) in the region */
  int count;
} flg_triangles;

/* From the bytes of a file, text[length] being 0; path says by its end what it is. False where
 * there are no triangles, too many, or no memory. */
bool flg_triangles_parse(flg_triangles *triangles, const char *path, const char *text,
                         size_t length, flg_region *region);

#endif
