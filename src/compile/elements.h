/* elements.h - a robot taken apart into links with the simplest joints there are.
 *
 *     turn     about z, advancing by pitch metres a radian     R = placement Rz(q)
 *     slide    along z
 *     ball     unit quaternion; angular velocity in the link's own axes
 *
 * A joint with several coordinates becomes a row of elements without mass between them: a floating
 * joint is three slides and a ball. Generated code then knows three joints, and what is zero or one
 * in a placement costs nothing there.
 *
 * Inertias are *regrouped*: what of a link's inertia its own coordinate cannot feel goes to its
 * parent, where it moves in the same way. Of a turn these are the mass, its moment along the axis
 * and the part of the inertia that a turn about z leaves as it is. The equations of motion stay the
 * same, and many numbers in them become zero.
 */
#ifndef FLG_COMPILE_ELEMENTS_H
#define FLG_COMPILE_ELEMENTS_H

#include "base/region.h"
#include "model/robot.h"

typedef enum flg_element_kind {
  FLG_ELEMENT_TURN,
  FLG_ELEMENT_SLIDE,
  FLG_ELEMENT_BALL
} flg_element_kind;

typedef struct flg_element {
  flg_element_kind kind;
  int parent; /* element before it, FLG_WORLD: the ground */
  flg_pose placement;
  double pitch;          /* of a turn [m/rad] */
  int position;          /* its first number in q */
  int velocity;          /* its first number in v; a ball has three */
  double armature;       /* on each of its velocities */
  flg_inertia inertia;   /* of its bodies, in its own frame */
  flg_inertia regrouped; /* what is left of it for the equations of motion */
} flg_element;

typedef struct flg_elements {
  const flg_robot *robot;
  flg_element *list; /* (count) parents before children */
  int count;
  int *carriers;    /* (links) the element that carries a link's inner frame */
  flg_pose *places; /* (links) where that frame is in the element's */
} flg_elements;

/* How many velocities an element has. */
static inline int flg_element_velocities(const flg_element *element) {
  return element->kind == FLG_ELEMENT_BALL ? 3 : 1;
}

/* Set-up: of a robot without flexible links, in the frame of its model. False: no memory. */
bool flg_elements_build(flg_elements *elements, const flg_robot *robot, flg_region *region);
/* A frame on a link, as one on an element; FLG_WORLD in link stays. */
flg_link_anchor flg_elements_anchor(const flg_elements *elements, const flg_link_anchor *anchor);

#endif
