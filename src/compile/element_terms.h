/* element_terms.h - how elements move and push, in terms of a graph: the one place that knows them.
 *
 * Vectors are written in the axes of the element that they belong to. `down` takes them from the
 * parent's axes to the element's, `up` the other way.
 */
#ifndef FLG_COMPILE_ELEMENT_TERMS_H
#define FLG_COMPILE_ELEMENT_TERMS_H

#include "compile/elements.h"
#include "compile/term_vectors.h"

/* Arrays that generated functions are given, by number. */
enum {
  FLG_INPUT_POSITIONS,  /* q */
  FLG_INPUT_SINES,      /* of all q */
  FLG_INPUT_COSINES,    /* likewise */
  FLG_INPUT_VELOCITIES, /* v */
  FLG_INPUT_FORCES,     /* f, on the coordinates */
  FLG_INPUT_ADDED,      /* to the diagonal of the mass matrix */
  FLG_INPUT_GRAVITY,    /* in the model's axes */
  FLG_INPUT_COUNT
};

/* The terms of one element that all of its formulas share. */
typedef struct flg_element_terms {
  const flg_element *element;
  flg_term9 placement; /* constant rotation */
  flg_term3 position;  /* of the placement, constant */
  flg_term9 rotation;  /* of a ball alone */
  bool is_whole;       /* turns: rotation is placement Rz(q), which has many constants */
  flg_term sine, cosine;
  flg_term travel; /* along its own z */
} flg_element_terms;

flg_element_terms flg_element_terms_of(flg_terms *graph, const flg_element *element);
flg_term3 flg_element_down(flg_terms *graph, const flg_element_terms *of, flg_term3 a);
/* R_parent times the element's own rotation. */
flg_term9 flg_element_orient(flg_terms *graph, const flg_element_terms *of,
                             const flg_term9 *parent);
/* Where the element's origin is, in the parent's axes from the parent's origin. */
flg_term3 flg_element_arm(flg_terms *graph, const flg_element_terms *of);
/* A force on the element, felt by its parent; an inertia of it likewise. */
flg_term_force flg_element_hand_force(flg_terms *graph, const flg_element_terms *of,
                                      flg_term_force force);
flg_term_inertia flg_element_hand_inertia(flg_terms *graph, const flg_element_terms *of,
                                          const flg_term_inertia *inertia);
/* The generalised force on coordinate `index` of the element, of a force on the element. */
flg_term flg_element_feel(flg_terms *graph, const flg_element *element, int index,
                          const flg_term_force *force);

#endif
