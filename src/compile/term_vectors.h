/* term_vectors.h - 3-vectors, rotations and inertias whose numbers are terms of a graph. */
#ifndef FLG_COMPILE_TERM_VECTORS_H
#define FLG_COMPILE_TERM_VECTORS_H

#include "compile/graph.h"
#include "math/spatial.h"

typedef struct flg_term3 {
  flg_term x, y, z;
} flg_term3;

typedef struct flg_term9 {
  flg_term3 column[3];
} flg_term9;

/* Mass, moment of mass, inertia about the origin; force and moment about the origin. */
typedef struct flg_term_inertia {
  flg_term mass;
  flg_term3 moment;
  flg_term xx, yy, zz, xy, xz, yz;
} flg_term_inertia;

typedef struct flg_term_force {
  flg_term3 force, moment;
} flg_term_force;

static const flg_term3 FLG_TERM3_ZERO = {0, 0, 0};

flg_term3 flg_term3_constant(flg_terms *graph, flg_vec3 value);
flg_term3 flg_term3_add(flg_terms *graph, flg_term3 a, flg_term3 b);
flg_term3 flg_term3_subtract(flg_terms *graph, flg_term3 a, flg_term3 b);
flg_term3 flg_term3_scale(flg_terms *graph, flg_term factor, flg_term3 a);
flg_term3 flg_term3_cross(flg_terms *graph, flg_term3 a, flg_term3 b);
flg_term flg_term3_dot(flg_terms *graph, flg_term3 a, flg_term3 b);
/* A v, A^T v, A B */
flg_term3 flg_term9_apply(flg_terms *graph, const flg_term9 *a, flg_term3 v);
flg_term3 flg_term9_apply_transposed(flg_terms *graph, const flg_term9 *a, flg_term3 v);
flg_term9 flg_term9_multiply(flg_terms *graph, const flg_term9 *a, const flg_term9 *b);
flg_term9 flg_term9_constant(flg_terms *graph, const flg_mat3 *value);
/* From a unit quaternion w, x, y, z. */
flg_term9 flg_term9_from_quaternion(flg_terms *graph, const flg_term q[4]);

flg_term_inertia flg_term_inertia_constant(flg_terms *graph, const flg_inertia *value);
flg_term_inertia flg_term_inertia_add(flg_terms *graph, const flg_term_inertia *a,
                                      const flg_term_inertia *b);
/* The same inertia in axes against which its own are turned by R, or about z by an angle. */
flg_term_inertia flg_term_inertia_rotate(flg_terms *graph, const flg_term_inertia *a,
                                         const flg_term9 *R);
flg_term_inertia flg_term_inertia_turn(flg_terms *graph, const flg_term_inertia *a, flg_term sine,
                                       flg_term cosine);
/* About an origin from which its own lies at p. */
flg_term_inertia flg_term_inertia_shift(flg_terms *graph, const flg_term_inertia *a, flg_term3 p);
/* I w of its rotational part. */
flg_term3 flg_term_inertia_spin(flg_terms *graph, const flg_term_inertia *a, flg_term3 w);

#endif
