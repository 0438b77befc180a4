/* hull_inner.h - what the two halves of the hull's build share. Set-up only. */
#ifndef FLG_CONTACT_HULL_INNER_H
#define FLG_CONTACT_HULL_INNER_H

#include "contact/hull.h"
#include "contact/polytope.h"

typedef struct hull_builder {
  const flg_vec3 *points;
  int count;
  double extent, tolerance;
  flg_polytope grown; /* lists of faces: points over them, linked by `next` */
  int *next;          /* (count) */
  double *highest;    /* (triangles) of the points on the list, over its plane; or more */
  /* polygons */
  int *face_of;            /* (triangles) */
  int *loop_next;          /* (count) */
  int *loops, *loop_start; /* (6 count), (2 count + 1) */
  flg_vec3 *normals;       /* (2 count) */
  int face_count;
  int *uses; /* (count) how many faces have the point as a corner */
} hull_builder;

/* How far a point is over the plane of a triangle. */
static inline double hull_height(const hull_builder *b, const flg_face *t, int point) {
  return flg_vec3_dot(t->normal, b->points[point]) - t->offset;
}

/* Joins the triangles into polygons, and these into the hull. */
flg_status flg_hull_finish(flg_hull *hull, hull_builder *b, flg_region *region, flg_error *error);

#endif
