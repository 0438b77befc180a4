/* trees.h - bodies of a component in joint coordinates as parts: stretches without loops
 * (structure/trees.h).
 *
 *     q  of each joint what has changed since the start: displacements, angles, quaternions
 *     v  of each joint, as robots have them (model/model.h)
 *
 * Bodies keep their numbers in the component: anchors are on these. The assembly says which bodies
 * make a tree and by which joints; what they do together is the dynamics of a robot. Steps of
 * rattle go by the momenta of the bodies (dynamics/momentum_step.h) and are those that the same
 * bodies take in absolute coordinates.
 */
#ifndef FLG_TREES_PART_H
#define FLG_TREES_PART_H

#include "dynamics/mimic.h"
#include "dynamics/momentum_step.h"
#include "parts/articulated.h"

/* A body of a tree, at the start, in the world. */
typedef struct flg_tree_body {
  const flg_component_body *body; /* all of its cluster, in the frame of its first; borrowed */
  int number;                     /* of that first body in the component */
  int parent;                     /* in the tree, FLG_WORLD: the ground */
  flg_vec3 gravity;
  flg_joint_kind kind;
  flg_vec3 at;          /* where its joint is */
  flg_vec3 axis, axis2; /* unit vectors */
  double pitch;
} flg_tree_body;

typedef struct flg_stretch {
  int count;
  const flg_tree_body *bodies; /* (count) parents before children */
  int group;                   /* the innermost component that holds all of them */
} flg_stretch;

/* Set-up: all trees of an assembly; anchors name bodies by the number that their cluster's first
 * has in the component, less than body_count. NULL without memory. */
flg_parts *flg_trees_make(const flg_stretch *trees, int count, int body_count, flg_region *region);
/* Set-up: where the angle of the joint of a body is in q and v of the set: of a turn, a cylindrical
 * joint or a screw; its slide. */
void flg_trees_find_angle(const flg_parts *parts, int part, int body, int *position, int *velocity);
void flg_trees_find_slide(const flg_parts *parts, int part, int body, int *position, int *velocity);
/* Set-up: velocities of a tree without ports fulfil rows G v = 0 (count x velocities of the tree,
 * row by row, overwritten): steps of stages alone. */
void flg_trees_couple(flg_parts *parts, int part, int count, double *G, flg_region *region);
/* A tree as a robot. */
const flg_robot *flg_trees_robot(const flg_parts *parts, int part);
/* True if all bodies of a tree have the same gravity. */
bool flg_trees_have_gravity(const flg_parts *parts, int part, flg_vec3 *gravity);
/* The coordinates of a tree that follow others; NULL: none do. */
const flg_mimics *flg_trees_coupled(const flg_parts *parts, int part);
/* Set-up: poses on a body of the component are given in the frame of another one that is in a tree.
 */
void flg_trees_share(flg_parts *parts, int body, int with);
/* Set-up: where a body of a tree is to be, and how fast; the frame of its cluster's first body.
 * When all are known: q and v of the set that follow from it. */
void flg_trees_put(flg_parts *parts, int part, int body, const flg_moving_frame *at);
void flg_trees_follow(flg_parts *parts, double *q, double *v);
/* Set-up: kinetic energy of the velocities of the file that did not fit the joints [J]. */
double flg_trees_lost_energy(const flg_parts *parts);
/* Floating-point operations of a step, by count: factors, momenta, answers at ports. */
double flg_trees_flops(const flg_parts *parts);
/* True if a set is one of trees. */
bool flg_parts_are_trees(const flg_parts *parts);

#endif
