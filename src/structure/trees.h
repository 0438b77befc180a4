/* trees.h - stretches of a component that can be computed in joint coordinates.
 *
 * A tree is a set of bodies (or clusters, by their first body) that joints connect without a loop,
 * on the ground or floating. Joints along it have coordinates in place of rows; joints that close
 * loops, and those that lead from one tree to another, are *cut*: they keep their rows.
 *
 * Every body of a tree at which something is joined by rows is a port of it, and what a tree costs
 * in the plan grows with the square of its ports. Trees therefore start at all joints with the
 * ground at once and end where they would have more than FLG_TREE_PORTS_MAX ports. What else is
 * joined there begins a tree of its own.
 *
 * Where steps have stages, gears and racks are *folded* if their rows are constant in the
 * coordinates of a tree without ports: some coordinates then follow others. What stands on the
 * ground is one tree in that case. Either all gears of a component are folded, or none is: they
 * are closed at once, in a time that grows with the cube of their number, and more than
 * FLG_TREE_GEARS_MAX keep their rows.
 *
 * Left to absolute coordinates: point masses, bodies that stand in for ports, and joints whose
 * force is asked for. Where a joint is open at the start there are no trees: how little bodies move
 * to close it is a matter of absolute coordinates. Set-up.
 */
#ifndef FLG_STRUCTURE_TREES_H
#define FLG_STRUCTURE_TREES_H

#include "structure/structure.h"

enum { FLG_TREE_PORTS_MAX = 4, FLG_TREE_GEARS_MAX = 300 };

/* A body that moves relative to another one, or to the ground, by a joint. */
typedef struct flg_tree_link {
  int body;   /* of the component: the first of its cluster */
  int parent; /* the same of what carries it; FLG_WORLD: the ground */
  int joint;  /* of the component, FLG_NO_JOINT: it floats */
} flg_tree_link;

enum { FLG_NO_JOINT = -1 };

typedef struct flg_trees {
  int count;
  int *first;           /* (count + 1) of each tree in `links` */
  flg_tree_link *links; /* parents before children */
  int *of_body;         /* (bodies) the tree of a cluster's first body, -1: none */
  int joint_count;      /* that have coordinates */
  int folded_count;     /* gears and racks that are folded; all are on one tree: */
  int folded_tree;
} flg_trees;

typedef struct flg_trees_question {
  const flg_component *component;
  const bool *is_asked; /* (joints) its force is recorded; NULL: none */
  const bool *has_port; /* (bodies) something else is joined to it; NULL: to none */
  bool is_staged;       /* steps have stages: gears and racks are folded, motors have no rows */
} flg_trees_question;

/* In the region; joints that have coordinates get that role in the structure. FLG_ERR_MEMORY. */
flg_status flg_trees_find(const flg_trees_question *question, flg_structure *structure,
                          flg_trees *trees, flg_region *region);

#endif
