/* manifold.h - the points of a pair, before they are thinned out.
 *
 * Inner to contact/. Points are in the frame of the pair, and on the surfaces with their radius.
 *
 * A key names what meets: 28 bits for A, 28 for B. A corner, edge or face has the code
 * 8 index + type; a triangle of a height field has its index, and which of its corners, edges as
 * the type. The one point that is the nearest and none of these has the code FLG_CODE_NEAREST.
 */
#ifndef FLG_CONTACT_MANIFOLD_H
#define FLG_CONTACT_MANIFOLD_H

#include "contact/core.h"
#include "contact/distance.h"

enum { FLG_MANIFOLD_MOST = 128 };

enum { FLG_CODE_FACE = 0, FLG_CODE_VERTEX = 1, FLG_CODE_EDGE = 4, FLG_CODE_NEAREST = 7 };

typedef struct flg_manifold {
  int count;
  flg_contact_point points[FLG_MANIFOLD_MOST];
} flg_manifold;

static inline uint64_t flg_contact_key(uint32_t code_a, uint32_t code_b) {
  return (uint64_t)code_a << 28 | code_b;
}

static inline uint64_t flg_contact_key_swapped(uint64_t key) {
  const uint64_t mask = (UINT64_C(1) << 28) - 1;
  return (key & mask) << 28 | (key >> 28 & mask);
}

/* The points of a core above a height field, under the margin. The bounds are those of the core
 * with its radius. */
void flg_manifold_field(flg_manifold *manifold, const flg_height_field *field, const flg_core *core,
                        flg_vec3 lower, flg_vec3 upper, double margin);

/* Adds a point, if there is room; the surfaces are the radii away from a and b. */
void flg_manifold_add(flg_manifold *manifold, const flg_core *a, const flg_core *b,
                      flg_contact_point point);
/* Adds the points of two cores whose nearest ones are known, with gaps under the margin. */
void flg_manifold_build(flg_manifold *manifold, const flg_core *a, const flg_core *b,
                        const flg_approach *approach, double margin);
/* Adds what is left of the incident feature between the edges of the reference face (of A if by_a,
 * otherwise of B), seen in the direction `sight` (outward), with gaps along `normal`. */
void flg_manifold_clip(flg_manifold *manifold, const flg_core *a, const flg_core *b, bool by_a,
                       const flg_feature *reference, const flg_feature *incident, flg_vec3 sight,
                       flg_vec3 normal, double margin);
/* Keeps at most `most` well-spread points and the deepest. has_faces: corners of faces are points
 * of their surfaces, and one that lies flat to 1e-8 of the size has no deepest point besides. */
void flg_manifold_thin(flg_manifold *manifold, int most, double size, bool has_faces);
/* Adds the nearest points of the cores, unless one that was added since `first` is as near. */
void flg_manifold_add_nearest(flg_manifold *manifold, int first, const flg_core *a,
                              const flg_core *b, const flg_approach *approach, double margin);
/* Sorts by key. */
void flg_manifold_sort(flg_manifold *manifold);

#endif
