/* core.h - convex shapes as the algorithms see them: a core, and a ball that is swept over it.
 *
 * Inner to contact/. A pair is looked at in one frame, that of the first shape; each core has its
 * pose in it. Sphere: the point at its centre; capsule: its axis; others: themselves, radius 0.
 *
 * Signed distance of two cores, with the normal n from A to B:
 *
 *     gap = max over unit n of  -h_A(n) - h_B(-n)        h: support, h_A(n) = max of n.x over A
 *
 * positive: how far they are apart; negative: how far they have to be moved to be so.
 */
#ifndef FLG_CONTACT_CORE_H
#define FLG_CONTACT_CORE_H

#include <stdbool.h>

#include "contact/shape.h"

typedef enum flg_core_kind {
  FLG_CORE_POINT,
  FLG_CORE_SEGMENT,  /* -half.z .. half.z on z */
  FLG_CORE_TRIANGLE, /* corners */
  FLG_CORE_BOX,
  FLG_CORE_CYLINDER,
  FLG_CORE_HULL
} flg_core_kind;

typedef struct flg_core {
  flg_core_kind kind;
  flg_vec3 half;
  const flg_hull *hull;
  flg_vec3 corners[3]; /* triangle, in the frame of the pair */
  flg_pose pose;       /* in the frame of the pair */
  double radius;
  double size; /* scale for tolerances: half of its extent */
  int number;  /* of a triangle, or of a point in its set; otherwise 0 */
} flg_core;

/* How far two cores are apart, and where. */
typedef struct flg_approach {
  double gap;
  flg_vec3 normal;        /* unit, from A to B */
  flg_vec3 a, b;          /* the nearest or deepest points of the cores: b - a = gap normal */
  int vertex_a, vertex_b; /* of the cores, one that takes part */
} flg_approach;

enum { FLG_FEATURE_MOST = 64, FLG_RIM_POINTS = 16 };

/* The part of a core's surface that looks in some direction: a corner, a line or a polygon. */
typedef struct flg_feature {
  int count;       /* 1: corner, 2: line, from 3 on: polygon, counter-clockwise about the normal */
  int face;        /* number of the polygon */
  flg_vec3 normal; /* of a polygon, outward */
  flg_vec3 points[FLG_FEATURE_MOST];
  int vertices[FLG_FEATURE_MOST]; /* numbers of the points */
} flg_feature;

/* A core of a shape that has one (not of planes, fields and sets), at a pose in the pair's frame.
 */
flg_core flg_core_of(const flg_contact_shape *shape, const flg_pose *pose);
flg_core flg_core_point(flg_vec3 at, double radius);
flg_core flg_core_triangle(flg_vec3 p, flg_vec3 q, flg_vec3 r);

/* The point of the core that lies farthest in the direction, and its number (for cylinders: of the
 * cap). *vertex holds a guess before. */
flg_vec3 flg_core_support(const flg_core *core, flg_vec3 direction, int *vertex);
/* Its surface in the direction. */
void flg_core_feature(const flg_core *core, flg_vec3 direction, flg_feature *feature);
/* Its middle. */
flg_vec3 flg_core_centre(const flg_core *core);

/* Exact answers. Each fills *approach as said above. */
void flg_approach_point_box(const flg_core *point, const flg_core *box, flg_approach *approach);
/* Box on box: by their 15 axes where they overlap, otherwise as flg_approach_convex. */
bool flg_approach_boxes(const flg_core *a, const flg_core *b, double cutoff,
                        flg_approach *approach);
/* Any two cores, by GJK, and EPA where they overlap. False, with nothing filled, where they are
 * farther apart than the cutoff. */
bool flg_approach_convex(const flg_core *a, const flg_core *b, double cutoff,
                         flg_approach *approach);
/* The way for the kinds of the two. */
bool flg_approach_cores(const flg_core *a, const flg_core *b, double cutoff,
                        flg_approach *approach);

#endif
