/* hull.h - the convex hull of points, as polygons.
 *
 * Quickhull on triangles; triangles that lie in one plane are then joined into polygons, so that a
 * box of any mesh has its 8 corners and 6 faces again. Points that are within FLG_HULL_TOLERANCE of
 * the largest extent under the surface count as inside. Duplicates, points inside of faces and on
 * edges are ordinary input.
 *
 * Set-up only. A hull is const once it is built; its arrays lie in the region.
 */
#ifndef FLG_HULL_H
#define FLG_HULL_H

#include "base/region.h"
#include "math/vec3.h"

#define FLG_HULL_TOLERANCE 1e-10 /* of the largest extent: points nearer to a face are on it */
#define FLG_HULL_FLATNESS  1e-8  /* of the largest extent: triangles nearer to a plane are in it */

enum { FLG_HULL_POINTS_MAX = 1 << 20 };

typedef struct flg_hull {
  int vertex_count, face_count;
  flg_vec3 centre;    /* mean of the vertices */
  double extent;      /* largest side of the box around it */
  flg_vec3 *vertices; /* (vertex_count) */
  flg_vec3 *normals;  /* (face_count) unit, outward */
  double *offsets;    /* (face_count) normal . x = offset on the face; no vertex beyond it */
  int *face_start;    /* (face_count + 1) where its corners begin in face_vertices */
  int *face_vertices; /* corners of the faces, counter-clockwise seen from outside */
  int *near_start;    /* (vertex_count + 1) where its neighbours begin in near */
  int *near_vertices; /* vertices that share an edge */
} flg_hull;

/* FLG_ERR_RANGE: too few or too many points, or one that is not finite; FLG_ERR_PHYSICS: all of
 * them lie in a plane. */
flg_status flg_hull_build(flg_hull *hull, const flg_vec3 *points, int count, flg_region *region,
                          flg_error *error);
/* The vertex that lies farthest in the direction: a walk uphill from `start` (any vertex). */
int flg_hull_support(const flg_hull *hull, flg_vec3 direction, int start);

#endif
