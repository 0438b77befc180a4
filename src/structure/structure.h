/* structure.h - what of a component need not be computed: rigid clusters and repeated joints.
 *
 * A cluster is a set of bodies that no motion of the component moves relative to each other,
 * whatever joints do that: a weld, three planes on three planes, a triangle of bars. One body takes
 * the place of all of them. A repeated joint asks for nothing that other joints between the same
 * two clusters do not ask for already, such as a second bearing on one axis.
 *
 * Bodies are left as they are where one body would not be the same as several: see
 * flg_structure_question. Of a block (blocks.h) with more than FLG_STRUCTURE_PIECES_MAX pieces only
 * what two pieces alone decide is found. All calls are set-up.
 */
#ifndef FLG_STRUCTURE_H
#define FLG_STRUCTURE_H

#include "base/region.h"
#include "model/component.h"

enum { FLG_STRUCTURE_PIECES_MAX = 48 };

typedef struct flg_structure_question {
  const flg_component *component;
  flg_vec3 gravity;     /* of bodies that have none of their own [m/s^2] */
  const bool *is_asked; /* (joints) its force is recorded; NULL: none. It makes no cluster, one that
                           holds both of its ends is left as it is, and no joint is left out as
                           repeated */
  const int (*apart)[2]; /* (apart_count) bodies that may not become one; FLG_WORLD: the ground */
  int apart_count;
} flg_structure_question;

typedef enum flg_joint_role {
  FLG_JOINT_KEPT,
  FLG_JOINT_INNER,    /* within a cluster: it has nothing to hold */
  FLG_JOINT_REPEATED, /* others block the same motions */
  FLG_JOINT_MOVES,    /* its coordinates are those of a tree (trees.h): it has no rows */
  FLG_JOINT_FOLDED    /* a gear or rack that coordinates of a tree fulfil by themselves */
} flg_joint_role;

typedef struct flg_structure {
  int *lead; /* (bodies) the first body of its cluster, itself if it is alone; FLG_WORLD:
                it is fixed, or the ground holds it */
  flg_joint_role *roles;           /* (joints) */
  int merged_count;                /* bodies that became part of others or of the ground */
  int cluster_count;               /* of two moving bodies or more */
  int inner_count, repeated_count; /* joints */
} flg_structure;

/* In the region. FLG_ERR_MEMORY. */
flg_status flg_structure_find(const flg_structure_question *question, flg_structure *structure,
                              flg_region *region);
/* The same if every body is on its own: nothing is merged or left out. */
flg_status flg_structure_plain(const flg_component *component, flg_structure *structure,
                               flg_region *region);

#endif
