#include "compile/elements.h"

#include <math.h>

enum { MOST_IN_JOINT = 4 }; /* a floating joint: three slides, a ball */

/* entries of rotations below this are rounding of right angles */
static const double ROUNDED = 1e-15;

/* Right angles come from cosines of pi/2 in files, 6e-17 instead of 0. Each such number would cost
 * operations in generated code, and moves nothing by more than rounding. */
static flg_mat3 cleaned(flg_mat3 rotation) {
  for (int k = 0; k < 9; k++) {
    const double size = fabs(rotation.m[k]);
    if (size < ROUNDED) rotation.m[k] = 0;
    if (fabs(size - 1) < ROUNDED) rotation.m[k] = rotation.m[k] > 0 ? 1 : -1;
  }
  return rotation;
}

/* at the origin */
static flg_pose turned_pose(flg_mat3 rotation) {
  return (flg_pose){.rotation = rotation, .position = {0, 0, 0}};
}

/* --- joints -------------------------------------------------------------------------------------
 */

/* z to x, z to y: even permutations of the axes */
static const flg_mat3 ALONG_X = {{0, 1, 0, 0, 0, 1, 1, 0, 0}};
static const flg_mat3 ALONG_Y = {{0, 0, 1, 1, 0, 0, 0, 1, 0}};

typedef struct builder {
  flg_elements *made;
  const flg_link *link;
  int carrier;    /* the element that the next one stands on */
  flg_pose place; /* and where */
  int position, velocity;
} builder;

/* The next element of the joint, its z turned by `axes` against the joint's own. */
static void elements_add(builder *of, flg_element_kind kind, const flg_mat3 *axes) {
  const flg_pose turn = turned_pose(*axes);
  flg_element *element = &of->made->list[of->made->count];
  *element = (flg_element){.kind = kind,
                           .parent = of->carrier,
                           .placement = flg_pose_compose(&of->place, &turn),
                           .position = of->position,
                           .velocity = of->velocity,
                           .armature = of->link->armature};
  element->placement.rotation = cleaned(element->placement.rotation);
  of->position += kind == FLG_ELEMENT_BALL ? 4 : 1;
  of->velocity += flg_element_velocities(element);
  of->carrier = of->made->count++;
  /* what comes next is placed in the joint's own axes again */
  of->place = turned_pose(flg_mat3_transpose(axes));
}

/* along x, y and z in the order of the coordinates of planar and floating joints */
static void add_slides(builder *of, int count) {
  const flg_mat3 along_z = flg_mat3_identity();
  elements_add(of, FLG_ELEMENT_SLIDE, &ALONG_X);
  elements_add(of, FLG_ELEMENT_SLIDE, &ALONG_Y);
  if (count == 3) elements_add(of, FLG_ELEMENT_SLIDE, &along_z);
}

/* The order of elements is that of the joint's coordinates in q and v (dynamics/joint.h): generated
 * code and the interpreter read the same numbers. */
static void elements_add_joint(builder *of) {
  const flg_mat3 z = flg_mat3_identity();
  switch (of->link->kind) {
    case FLG_JOINT_PRISMATIC:
      elements_add(of, FLG_ELEMENT_SLIDE, &z);
      break;
    case FLG_JOINT_CYLINDRICAL:
      elements_add(of, FLG_ELEMENT_SLIDE, &z);
      elements_add(of, FLG_ELEMENT_TURN, &z);
      break;
    case FLG_JOINT_UNIVERSAL: {
      const flg_mat3 second = cleaned(flg_mat3_from_z_to(of->link->axis2));
      elements_add(of, FLG_ELEMENT_TURN, &z);
      elements_add(of, FLG_ELEMENT_TURN, &second);
      break;
    }
    case FLG_JOINT_PLANAR:
      add_slides(of, 2);
      elements_add(of, FLG_ELEMENT_TURN, &z);
      break;
    case FLG_JOINT_BALL:
      elements_add(of, FLG_ELEMENT_BALL, &z);
      break;
    case FLG_JOINT_FLOATING:
      add_slides(of, 3);
      elements_add(of, FLG_ELEMENT_BALL, &z);
      break;
    case FLG_JOINT_SCREW:
      elements_add(of, FLG_ELEMENT_TURN, &z);
      of->made->list[of->carrier].pitch = of->link->pitch;
      break;
    case FLG_JOINT_FIXED: /* bodies behind fixed joints are part of their link */
    case FLG_JOINT_REVOLUTE:
    case FLG_JOINT_CONTINUOUS:
    case FLG_JOINT_KIND_COUNT:
    default:
      elements_add(of, FLG_ELEMENT_TURN, &z);
      break;
  }
}

/* The inertia belongs to the last element of the joint; those before it have none. */
static void elements_add_link(flg_elements *made, int i) {
  const flg_link *link = &made->robot->links[i];
  const flg_link_anchor at = {link->parent, link->placement};
  const flg_link_anchor on = flg_elements_anchor(made, &at);
  builder of = {made, link, on.link, on.pose, link->position, link->velocity};
  elements_add_joint(&of);
  made->carriers[i] = of.carrier;
  made->places[i] = of.place;
  made->list[of.carrier].inertia = flg_inertia_to_parent(&link->inertia, &of.place);
}

/* --- regrouping ---------------------------------------------------------------------------------
 */

/* what its own coordinate does not feel, taken from an inertia */
static flg_inertia take_unfelt(flg_element_kind kind, flg_inertia *own) {
  flg_inertia unfelt = {0};
  if (kind == FLG_ELEMENT_SLIDE) {
    unfelt.rotation = own->rotation;
    own->rotation = (flg_sym3){0};
    return unfelt;
  }
  unfelt.mass = own->mass;
  own->mass = 0;
  if (kind == FLG_ELEMENT_BALL) return unfelt;
  unfelt.moment.z = own->moment.z;
  /* A turn about z feels xx and yy only by their difference: yy goes to the parent, together with
   * as much of xx (Khalil and Kleinfinger 1987). So zz, xy, xz, yz, the difference and two moments
   * are left: 7 of 10. */
  unfelt.rotation.xx = unfelt.rotation.yy = own->rotation.yy;
  own->moment.z = own->rotation.yy = 0;
  own->rotation.xx -= unfelt.rotation.xx;
  return unfelt;
}

/* From the tips: what a parent is handed, it regroups in turn. A screw feels its mass, and is left
 * alone. */
static void regroup(flg_elements *made) {
  for (int i = 0; i < made->count; i++) made->list[i].regrouped = made->list[i].inertia;
  for (int i = made->count - 1; i >= 0; i--) {
    flg_element *element = &made->list[i];
    if (element->pitch != 0) continue;
    const flg_inertia unfelt = take_unfelt(element->kind, &element->regrouped);
    if (element->parent == FLG_WORLD) continue;
    flg_element *parent = &made->list[element->parent];
    const flg_inertia moved = flg_inertia_to_parent(&unfelt, &element->placement);
    parent->regrouped = flg_inertia_add(&parent->regrouped, &moved);
  }
}

bool flg_elements_build(flg_elements *elements, const flg_robot *robot, flg_region *region) {
  const size_t links = (size_t)robot->link_count;
  *elements = (flg_elements){.robot = robot};
  elements->list = flg_region_take(region, MOST_IN_JOINT * links, sizeof *elements->list);
  elements->carriers = flg_region_take(region, links, sizeof *elements->carriers);
  elements->places = flg_region_take(region, links, sizeof *elements->places);
  if (region->failed) return false;
  for (int i = 0; i < robot->link_count; i++) elements_add_link(elements, i);
  regroup(elements);
  return true;
}

flg_link_anchor flg_elements_anchor(const flg_elements *elements, const flg_link_anchor *anchor) {
  if (anchor->link == FLG_WORLD) return *anchor;
  const flg_pose *place = &elements->places[anchor->link];
  return (flg_link_anchor){elements->carriers[anchor->link],
                           flg_pose_compose(place, &anchor->pose)};
}
