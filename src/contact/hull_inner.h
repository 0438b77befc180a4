/* hull_inner.h - what the two halves of the hull's build share. Set-up only. */
#ifndef FLG_CONTACT_HULL_INNER_H
#define FLG_CONTACT_HULL_INNER_H

#include <stdbool.h>

#include "contact/hull.h"

enum { HULL_NONE = -1 };

/* A triangle of the growing hull. neighbours[k] lies beyond the edge corners[k], corners[k+1]. */
typedef struct hull_triangle {
  int corners[3], neighbours[3];
  flg_vec3 normal;
  double offset;
  int outside; /* list of the points over it, linked by `next` */
  bool alive, seen;
} hull_triangle;

typedef struct horizon_edge {
  int from, to, beyond; /* the triangle on the far side */
} horizon_edge;

typedef struct hull_builder {
  const flg_vec3 *points;
  int count;
  double extent, tolerance;
  hull_triangle *triangles;
  int triangle_count, free_triangle;
  int *next;             /* (count) of the lists of outside points */
  int *stack, *region;   /* (triangles) */
  horizon_edge *horizon; /* (triangles) */
  int horizon_count;
  int *starts; /* (count) the new triangle whose horizon edge starts at a point */
  /* polygons */
  int *face_of;            /* (triangles) */
  int *loop_next;          /* (count) */
  int *loops, *loop_start; /* (6 count), (2 count + 1) */
  flg_vec3 *normals;       /* (2 count) */
  int face_count;
  int *uses; /* (count) how many faces have the point as a corner */
} hull_builder;

/* How far a point is over the plane of a triangle. */
static inline double hull_height(const hull_builder *b, const hull_triangle *t, int point) {
  return flg_vec3_dot(t->normal, b->points[point]) - t->offset;
}

/* Joins the triangles into polygons, and these into the hull. */
flg_status flg_hull_finish(flg_hull *hull, hull_builder *b, flg_region *region, flg_error *error);

#endif
