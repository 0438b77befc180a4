/* forward_terms.h - forward dynamics of a robot in terms of a graph.
 *
 *     (M + diag(armature + added)) a = f - c          M = L^T D L on the tree's sparsity
 *
 * c by the recursion of Newton and Euler, M by composite bodies, both in the axes of each element,
 * where most numbers of a machine are zero. L has a one on its diagonal and elements where one
 * coordinate carries the other; row k holds those of the coordinates that carry k, nearest first.
 */
#ifndef FLG_COMPILE_FORWARD_TERMS_H
#define FLG_COMPILE_FORWARD_TERMS_H

#include "compile/element_terms.h"

typedef struct flg_forward_terms {
  int count;         /* velocities */
  int *before;       /* (count) the coordinate that carries it, -1: none */
  int *first;        /* (count) number of its row's first element of L */
  int factor_count;  /* elements of L */
  flg_term *a;       /* (count) accelerations */
  flg_term *yields;  /* (count) 1/D */
  flg_term *factors; /* (factor_count) */
  flg_term *mass;    /* row k: M_kk, then those with the coordinates that carry k, nearest first */
  int *rows;         /* (count) where row k of it begins */
} flg_forward_terms;

/* is_added (velocities): something is added to the diagonal. False: no memory. */
bool flg_forward_terms_build(flg_forward_terms *forward, flg_terms *graph,
                             const flg_elements *elements, const bool *is_added,
                             flg_region *region);

/* Parts of a machine in joint coordinates besides its elements. */
typedef struct flg_motion_terms {
  flg_term3 gravity;
  const flg_term *efforts;      /* (velocities) */
  const flg_term_force *pushed; /* (elements) forces on each at its origin, in its axes */
} flg_motion_terms;

/* The equations of motion alone: M, and f - c in place of a. False: no memory. */
bool flg_motion_terms_build(flg_forward_terms *forward, flg_terms *graph,
                            const flg_elements *elements, const flg_motion_terms *given,
                            flg_region *region);
/* After that: accelerations a. False: no memory. */
bool flg_motion_terms_solve(flg_forward_terms *forward, flg_terms *graph, flg_region *region);

#endif
