#include "compile/frame_terms.h"

/* the ground */
static flg_moving_terms still(flg_terms *graph) {
  const flg_mat3 identity = flg_mat3_identity();
  return (flg_moving_terms){.rotation = flg_term9_constant(graph, &identity)};
}

static flg_moving_terms parent_of(const flg_frame_terms *frames, flg_terms *graph, int parent) {
  return parent == FLG_WORLD ? still(graph) : frames->motions[parent];
}

/* A turn and a slide move along their own z, the third column of the rotation; a ball turns about
 * all three of its axes. A screw does both at once, in the proportion of its pitch. */
/* S v: displacement and turn, in the ground's axes */
static void find_frame_speed(flg_terms *graph, const flg_element *element,
                             const flg_term9 *rotation, flg_term3 *u, flg_term3 *w) {
  *u = *w = FLG_TERM3_ZERO;
  for (int k = 0; k < flg_element_velocities(element); k++) {
    const flg_term v = flg_terms_input(graph, FLG_INPUT_VELOCITIES, element->velocity + k);
    const bool is_ball = element->kind == FLG_ELEMENT_BALL;
    const flg_term3 along = flg_term3_scale(graph, v, rotation->column[is_ball ? k : 2]);
    if (element->kind == FLG_ELEMENT_SLIDE) {
      *u = along;
    } else {
      *w = flg_term3_add(graph, *w, along);
      *u = flg_term3_scale(graph, flg_terms_constant(graph, element->pitch), along);
    }
  }
}

/* Kinematics from parent to child in the ground's axes, accelerations with all joint accelerations
 * zero: what is left is J' v, the velocity bias that models of ports need (docs/theory.md). */
static void frame_terms_move(flg_frame_terms *frames, flg_terms *graph, int i) {
  const flg_element *element = &frames->elements->list[i];
  const flg_element_terms terms = flg_element_terms_of(graph, element);
  const flg_moving_terms from = parent_of(frames, graph, element->parent);
  flg_moving_terms *own = &frames->motions[i];
  flg_term3 u, w;
  own->rotation = flg_element_orient(graph, &terms, &from.rotation);
  const flg_term3 arm = flg_term9_apply(graph, &from.rotation, flg_element_arm(graph, &terms));
  own->position = flg_term3_add(graph, from.position, arm);
  find_frame_speed(graph, element, &own->rotation, &u, &w);
  const flg_term3 relative = flg_term3_add(graph, flg_term3_cross(graph, from.spin, arm), u);
  own->velocity = flg_term3_add(graph, from.velocity, relative);
  own->spin = flg_term3_add(graph, from.spin, w);
  /* w x (w x arm + 2 u): the centripetal part of the arm, and Coriolis of the joint's own speed */
  const flg_term3 drift = flg_term3_cross(graph, from.spin, flg_term3_add(graph, relative, u));
  const flg_term3 carried =
      flg_term3_add(graph, from.acceleration, flg_term3_cross(graph, from.turn, arm));
  own->acceleration = flg_term3_add(graph, carried, drift);
  /* the joint's axis is carried along by the parent: its turn w changes direction by spin x w */
  own->turn = flg_term3_add(graph, from.turn, flg_term3_cross(graph, from.spin, w));
}

bool flg_frame_terms_build(flg_frame_terms *frames, flg_terms *graph, const flg_elements *elements,
                           flg_region *region) {
  *frames = (flg_frame_terms){.elements = elements};
  frames->motions = flg_region_take(region, (size_t)elements->count, sizeof *frames->motions);
  if (frames->motions == NULL) return false;
  for (int i = 0; i < elements->count; i++) frame_terms_move(frames, graph, i);
  return !region->failed;
}

static void frame_terms_store(flg_term3 from, flg_term *to) {
  to[0] = from.x, to[1] = from.y, to[2] = from.z;
}

/* The frame is fixed on the element, so only the offset is added: no Coriolis part. */
void flg_frame_terms_of(const flg_frame_terms *frames, flg_terms *graph,
                        const flg_link_anchor *anchor, flg_term to[FLG_FRAME_TERMS]) {
  const flg_moving_terms on = parent_of(frames, graph, anchor->link);
  const flg_term9 turn = flg_term9_constant(graph, &anchor->pose.rotation);
  const flg_term3 offset =
      flg_term9_apply(graph, &on.rotation, flg_term3_constant(graph, anchor->pose.position));
  const flg_term9 rotation = flg_term9_multiply(graph, &on.rotation, &turn);
  const flg_term3 swing = flg_term3_cross(graph, on.spin, offset);
  frame_terms_store(flg_term3_add(graph, on.position, offset), to);
  for (int k = 0; k < 3; k++)
    frame_terms_store(rotation.column[k], to + FLG_FRAME_ROTATION + 3 * k);
  frame_terms_store(flg_term3_add(graph, on.velocity, swing), to + FLG_FRAME_VELOCITY);
  frame_terms_store(on.spin, to + FLG_FRAME_VELOCITY + 3);
  const flg_term3 carried =
      flg_term3_add(graph, on.acceleration, flg_term3_cross(graph, on.turn, offset));
  frame_terms_store(flg_term3_add(graph, carried, flg_term3_cross(graph, on.spin, swing)),
                    to + FLG_FRAME_BIAS);
  frame_terms_store(on.turn, to + FLG_FRAME_BIAS + 3);
}

/* --- sums ---------------------------------------------------------------------------------------
 */

/* 1/2 (m v.v + w.I w) + v.(w x h), in the axes of the element */
static flg_term kinetic_of(flg_terms *graph, const flg_element *element,
                           const flg_moving_terms *on) {
  const flg_term_inertia I = flg_term_inertia_constant(graph, &element->inertia);
  const flg_term half = flg_terms_constant(graph, 0.5);
  const flg_term3 v = flg_term9_apply_transposed(graph, &on->rotation, on->velocity);
  const flg_term3 w = flg_term9_apply_transposed(graph, &on->rotation, on->spin);
  const flg_term3 swing = flg_term3_cross(graph, w, I.moment);
  const flg_term straight = flg_terms_multiply(graph, I.mass, flg_term3_dot(graph, v, v));
  const flg_term turning = flg_term3_dot(graph, w, flg_term_inertia_spin(graph, &I, w));
  const flg_term halves = flg_terms_multiply(graph, half, flg_terms_add(graph, straight, turning));
  return flg_terms_add(graph, halves, flg_term3_dot(graph, v, swing));
}

/* With the whole inertias: regrouping drops what belongs to the ground, a constant of the
 * energy. */
flg_term flg_frame_terms_kinetic(const flg_frame_terms *frames, flg_terms *graph) {
  flg_term sum = 0;
  for (int i = 0; i < frames->elements->count; i++) {
    const flg_element *element = &frames->elements->list[i];
    sum = flg_terms_add(graph, sum, kinetic_of(graph, element, &frames->motions[i]));
    /* the inertia of a motor's rotor turns with the joint's own velocity, whatever carries the
     * joint */
    const flg_term rotor = flg_terms_constant(graph, 0.5 * element->armature);
    for (int k = 0; k < flg_element_velocities(element); k++) {
      const flg_term v = flg_terms_input(graph, FLG_INPUT_VELOCITIES, element->velocity + k);
      const flg_term square = flg_terms_multiply(graph, v, v);
      sum = flg_terms_add(graph, sum, flg_terms_multiply(graph, rotor, square));
    }
  }
  return sum;
}

/* The potential energy is -g . moment: gravity is known only to the generated code. */
flg_term3 flg_frame_terms_moment(const flg_frame_terms *frames, flg_terms *graph) {
  flg_term3 sum = FLG_TERM3_ZERO;
  for (int i = 0; i < frames->elements->count; i++) {
    const flg_moving_terms *on = &frames->motions[i];
    const flg_term_inertia I = flg_term_inertia_constant(graph, &frames->elements->list[i].inertia);
    const flg_term3 own = flg_term9_apply(graph, &on->rotation, I.moment);
    const flg_term3 placed = flg_term3_scale(graph, I.mass, on->position);
    sum = flg_term3_add(graph, sum, flg_term3_add(graph, own, placed));
  }
  return sum;
}
