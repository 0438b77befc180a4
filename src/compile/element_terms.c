#include "compile/element_terms.h"

enum { FEW = 5 }; /* numbers of a constant rotation that are not zero: worth to be applied alone */

static int nonzeros(const flg_mat3 *rotation) {
  int count = 0;
  for (int k = 0; k < 9; k++) count += rotation->m[k] != 0;
  return count;
}

/* A Rz */
static flg_term9 turn_columns(flg_terms *graph, const flg_term9 *a, flg_term s, flg_term c) {
  const flg_term3 x = a->column[0], y = a->column[1];
  flg_term9 made = *a;
  made.column[0] = flg_term3_add(graph, flg_term3_scale(graph, c, x), flg_term3_scale(graph, s, y));
  made.column[1] =
      flg_term3_subtract(graph, flg_term3_scale(graph, c, y), flg_term3_scale(graph, s, x));
  return made;
}

/* by the unit quaternion in direction of q */
/* Normalised in the formula: an integrator's stages leave the unit sphere by rounding and by
 * more. */
static flg_term9 ball_rotation(flg_terms *graph, int position) {
  flg_term q[4], square = 0;
  for (int k = 0; k < 4; k++) {
    q[k] = flg_terms_input(graph, FLG_INPUT_POSITIONS, position + k);
    square = flg_terms_add(graph, square, flg_terms_multiply(graph, q[k], q[k]));
  }
  const flg_term norm = flg_terms_root(graph, square);
  for (int k = 0; k < 4; k++) q[k] = flg_terms_divide(graph, q[k], norm);
  return flg_term9_from_quaternion(graph, q);
}

flg_element_terms flg_element_terms_of(flg_terms *graph, const flg_element *element) {
  const int p = element->position;
  flg_element_terms of = {.element = element};
  of.placement = flg_term9_constant(graph, &element->placement.rotation);
  of.position = flg_term3_constant(graph, element->placement.position);
  if (element->kind == FLG_ELEMENT_BALL) {
    of.rotation = ball_rotation(graph, p);
  } else if (element->kind == FLG_ELEMENT_SLIDE) {
    of.travel = flg_terms_input(graph, FLG_INPUT_POSITIONS, p);
  } else {
    of.sine = flg_terms_input(graph, FLG_INPUT_SINES, p);
    of.cosine = flg_terms_input(graph, FLG_INPUT_COSINES, p);
    of.travel = flg_terms_multiply(graph, flg_terms_constant(graph, element->pitch),
                                   flg_terms_input(graph, FLG_INPUT_POSITIONS, p));
    /* A placement with few numbers is applied before the turn: its zeros and ones cost nothing. One
     * with many is multiplied into the turn once, as this takes fewer operations than applying both
     * to every vector. */
    of.is_whole = nonzeros(&element->placement.rotation) > FEW;
    if (of.is_whole) of.rotation = turn_columns(graph, &of.placement, of.sine, of.cosine);
  }
  return of;
}

/* Rz a */
static flg_term3 turn_forth(flg_terms *graph, const flg_element_terms *of, flg_term3 a) {
  const flg_term s = of->sine, c = of->cosine;
  const flg_term x = flg_terms_subtract(graph, flg_terms_multiply(graph, c, a.x),
                                        flg_terms_multiply(graph, s, a.y));
  const flg_term y =
      flg_terms_add(graph, flg_terms_multiply(graph, s, a.x), flg_terms_multiply(graph, c, a.y));
  return (flg_term3){x, y, a.z};
}

static flg_term3 turn_back(flg_terms *graph, const flg_element_terms *of, flg_term3 a) {
  const flg_term s = of->sine, c = of->cosine;
  const flg_term x =
      flg_terms_add(graph, flg_terms_multiply(graph, c, a.x), flg_terms_multiply(graph, s, a.y));
  const flg_term y = flg_terms_subtract(graph, flg_terms_multiply(graph, c, a.y),
                                        flg_terms_multiply(graph, s, a.x));
  return (flg_term3){x, y, a.z};
}

/* first the placement, then the joint, both transposed */
flg_term3 flg_element_down(flg_terms *graph, const flg_element_terms *of, flg_term3 a) {
  if (of->is_whole) return flg_term9_apply_transposed(graph, &of->rotation, a);
  const flg_term3 seated = flg_term9_apply_transposed(graph, &of->placement, a);
  switch (of->element->kind) {
    case FLG_ELEMENT_TURN:
      return turn_back(graph, of, seated);
    case FLG_ELEMENT_BALL:
      return flg_term9_apply_transposed(graph, &of->rotation, seated);
    case FLG_ELEMENT_SLIDE:
    default:
      return seated;
  }
}

static flg_term3 up_through(flg_terms *graph, const flg_element_terms *of, flg_term3 a) {
  if (of->is_whole) return flg_term9_apply(graph, &of->rotation, a);
  flg_term3 seated = a;
  if (of->element->kind == FLG_ELEMENT_TURN) seated = turn_forth(graph, of, a);
  if (of->element->kind == FLG_ELEMENT_BALL) seated = flg_term9_apply(graph, &of->rotation, a);
  return flg_term9_apply(graph, &of->placement, seated);
}

/* The product with the parent's rotation is needed as a matrix: a turn changes two of its
 * columns. */
flg_term9 flg_element_orient(flg_terms *graph, const flg_element_terms *of,
                             const flg_term9 *parent) {
  const flg_term9 anchor = flg_term9_multiply(graph, parent, &of->placement);
  switch (of->element->kind) {
    case FLG_ELEMENT_TURN:
      return turn_columns(graph, &anchor, of->sine, of->cosine);
    case FLG_ELEMENT_BALL:
      return flg_term9_multiply(graph, &anchor, &of->rotation);
    case FLG_ELEMENT_SLIDE:
    default:
      return anchor;
  }
}

flg_term3 flg_element_arm(flg_terms *graph, const flg_element_terms *of) {
  const flg_term3 travel = flg_term3_scale(graph, of->travel, of->placement.column[2]);
  return flg_term3_add(graph, of->position, travel);
}

/* Moved to the joint's origin along z first, where the lever has one number, then rotated, then
 * moved by the placement, whose numbers are constants. */
flg_term_force flg_element_hand_force(flg_terms *graph, const flg_element_terms *of,
                                      flg_term_force force) {
  const flg_term3 lever = {0, 0, of->travel};
  const flg_term3 own =
      flg_term3_add(graph, force.moment, flg_term3_cross(graph, lever, force.force));
  const flg_term3 moved = up_through(graph, of, force.force);
  const flg_term3 moment = up_through(graph, of, own);
  return (flg_term_force){
      moved, flg_term3_add(graph, moment, flg_term3_cross(graph, of->position, moved))};
}

/* In the same order, each step with as many known zeros as there can be. */
flg_term_inertia flg_element_hand_inertia(flg_terms *graph, const flg_element_terms *of,
                                          const flg_term_inertia *inertia) {
  const flg_term3 travel = {0, 0, of->travel};
  flg_term_inertia made = *inertia;
  if (of->element->kind == FLG_ELEMENT_TURN) {
    made = flg_term_inertia_turn(graph, &made, of->sine, of->cosine);
  } else if (of->element->kind == FLG_ELEMENT_BALL) {
    made = flg_term_inertia_rotate(graph, &made, &of->rotation);
  }
  made = flg_term_inertia_shift(graph, &made, travel);
  made = flg_term_inertia_rotate(graph, &made, &of->placement);
  return flg_term_inertia_shift(graph, &made, of->position);
}

flg_term flg_element_feel(flg_terms *graph, const flg_element *element, int index,
                          const flg_term_force *force) {
  if (element->kind == FLG_ELEMENT_SLIDE) return force->force.z;
  if (element->kind == FLG_ELEMENT_BALL) {
    const flg_term all[3] = {force->moment.x, force->moment.y, force->moment.z};
    return all[index];
  }
  const flg_term advance = flg_terms_constant(graph, element->pitch);
  return flg_terms_add(graph, force->moment.z, flg_terms_multiply(graph, advance, force->force.z));
}
