/* mesh_read.h - vertices of meshes: STL, as text or binary, and OBJ (Wavefront).
 *
 * Only vertices are read: a mesh touches by the convex hull of them, and each is kept once. What is
 * drawn has triangles of them (viewer/mesh_triangles.h).
 */
#ifndef FLG_MESH_READ_H
#define FLG_MESH_READ_H

#include "base/region.h"
#include "model/model.h"

typedef struct flg_mesh_vertices {
  double *values; /* (3 count) x, y, z of each; in the region */
  int count;
} flg_mesh_vertices;

/* The line after it, NULL: it is the last; where a line has anything but blanks. */
const char *flg_mesh_next_line(const char *line);
const char *flg_mesh_skip_blanks(const char *line);
/* The text of a line after its first word; NULL: it begins with another. */
const char *flg_mesh_after_word(const char *line, const char *word);
bool flg_mesh_is(const char *path, const char *ending); /* ".stl" */

/* All vertices in the order of the file; those of STL are the corners of its triangles. Text and
 * mistakes as below. */
bool flg_mesh_vertices_parse(flg_mesh_vertices *vertices, const char *path, const char *text,
                             size_t length, flg_region *region, flg_mistakes *mistakes);
/* Each vertex once, in the order of x, then y, then z. From the bytes of a file, text[length] being
 * 0. `path` says by its end what it is, and stands in mistakes. False with a mistake. */
bool flg_mesh_parse(flg_mesh_vertices *vertices, const char *path, const char *text, size_t length,
                    flg_region *region, flg_mistakes *mistakes);
/* Gives all shapes for contact that are meshes their values: vertices, scaled by their size. Files
 * are read once. */
void flg_meshes_read(flg_shape *shapes, int count, flg_region *region, flg_mistakes *mistakes);

#endif
