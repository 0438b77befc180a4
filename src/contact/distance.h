/* distance.h - where two placed shapes touch: a few points, with gap and normal.
 *
 * For each point: a on A's surface, b on B's, n the unit normal from A to B, all in world axes, and
 *
 *     b = a + gap n          gap > 0: apart, gap < 0: overlapping by so much
 *
 * The smallest gap of a pair is its signed distance: how far the shapes are apart, or how far one
 * has to be moved, along that point's normal, until they only touch. Polytopes to rounding, round
 * shapes to 1e-9 of their size or better. Where faces or lines lie (nearly) on each other, further
 * points say how they do: at most FLG_CONTACT_SPREAD well-spread ones and the deepest.
 * Only points with gap < margin are given.
 *
 * Overlap with a height field is measured triangle by triangle; docs/contact.md says how.
 *
 * Swapping the shapes swaps a and b and turns n around: to the last bit for two different kinds,
 * to rounding for two of one kind. Step calls: nothing here fails, allocates or keeps a state. What
 * has no answer (plane and plane, field and field, points and points) has no points; NaN in a pose
 * gives none either.
 */
#ifndef FLG_CONTACT_DISTANCE_H
#define FLG_CONTACT_DISTANCE_H

#include <stdint.h>

#include "contact/shape.h"

enum {
  FLG_CONTACT_SPREAD = 4,     /* points for the extent of a contact, besides the deepest */
  FLG_CONTACT_SPREAD_MAX = 7, /* the same for one that may change within a step */
  FLG_CONTACT_POINTS_MAX = 8, /* of a pair without a point set */
};

typedef struct flg_contact_point {
  flg_vec3 a, b;   /* on the surface of A, of B */
  flg_vec3 normal; /* unit, from A to B */
  double gap;      /* [m] */
  uint64_t key;    /* which corners, edges and faces: the same from step to step while they meet */
} flg_contact_point;

/* How many points the pair can have at most: FLG_CONTACT_POINTS_MAX, or one for each of a set; a
 * sphere has one with anything else but a height field. */
int flg_contact_points_most(const flg_contact_shape *a, const flg_contact_shape *b);

/* The points of the pair, in the order of their keys; returns how many there are.
 * points (flg_contact_points_most). */
int flg_contact_distance(const flg_contact_shape *a, const flg_pose *pose_a,
                         const flg_contact_shape *b, const flg_pose *pose_b, double margin,
                         flg_contact_point *points);
/* The same with so many points for the extent, 4 .. FLG_CONTACT_SPREAD_MAX: what comes fast or
 * turns may hit with corners that do not matter at rest. */
int flg_contact_distance_spread(const flg_contact_shape *a, const flg_pose *pose_a,
                                const flg_contact_shape *b, const flg_pose *pose_b, double margin,
                                int spread, flg_contact_point *points);

#endif
