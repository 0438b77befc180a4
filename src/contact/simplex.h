/* simplex.h - corners of B - A, and the simplex of them that is nearest to the origin.
 *
 * Inner to contact/. GJK walks with it; EPA starts from where GJK ends.
 */
#ifndef FLG_CONTACT_SIMPLEX_H
#define FLG_CONTACT_SIMPLEX_H

#include "contact/core.h"

/* A point w = b - a of B - A. */
typedef struct flg_corner {
  flg_vec3 w, a, b;
  int vertex_a, vertex_b;
} flg_corner;

typedef struct flg_simplex {
  int count; /* 1..4 */
  flg_corner corners[4];
  double weights[4]; /* of the corners; their sum, weighted, is the nearest point */
} flg_simplex;

/* The corner of B - A that lies farthest in the direction. *guess helps to find it. */
flg_corner flg_corner_in(const flg_core *a, const flg_core *b, flg_vec3 direction,
                         const flg_corner *guess);
bool flg_corner_equal(const flg_corner *p, const flg_corner *q);
/* Keeps of the corners those whose simplex holds the point nearest to the origin, and returns it.
 * The last corner has just been added. All four are kept only if the origin is inside. */
flg_vec3 flg_simplex_reduce(flg_simplex *simplex);

/* How deep the origin lies in B - A, starting from a simplex that has it inside or nearly so. */
void flg_approach_overlap(const flg_core *a, const flg_core *b, const flg_simplex *simplex,
                          flg_approach *approach);

#endif
