/* trees_inner.h - a tree from inside: for trees.c and trees_free_step.c. */
#ifndef FLG_TREES_INNER_H
#define FLG_TREES_INNER_H

#include "parts/trees.h"

/* Changes of mean velocities in the last three free steps; in the state,
 * since how close a free step starts to where it ends up decides on its last digits. */
typedef struct flg_tree_past {
  double *step; /* 1 number: of the last free step [s]; 0: there was none */
  double *rate; /* 1 number: what a step of its search left, over the step times the
  largest velocity */
  double *last, *before, *first; /* (velocities) */
} flg_tree_past;

/* Two dynamics: the one that is placed, and that of the start of a free step. Anchors are on frames
 * of neither, which stay where they are. */
typedef struct flg_tree_part {
  const flg_tree_body *bodies; /* of the model, by link's body */
  int body_count, group;
  flg_robot robot;
  flg_dynamics *start;
  flg_articulated_part ports; /* its dynamics are those that are placed */
  flg_moving_frame *frames;   /* (links) */
  flg_spatial *weights;       /* (links) gravity on each, at its centre of mass */
  flg_spatial *forces;        /* (links) on each, at its origin */
  flg_spatial *targets; /* (links) momenta that the free step has to start with, at the origins */
  flg_spatial *lacks;   /* (links) work space */
  flg_momentum_link *links;  /* (links) as placed, ... */
  flg_momentum_link *flying; /* ... and where the free step starts, with the momenta of it */
  flg_momentum_path *ways;   /* (links) work space */
  flg_tree_past past;
  flg_part_motion *left;          /* (links) at the start of the step */
  flg_spin_changes *spin_changes; /* (links) */
  flg_vec3 *spins;                /* (links) at the end of the last step */
  double *q, *v;                  /* as placed */
  double *none;                   /* (velocities) zeros */
  double *mean;                   /* (velocities) of the free step */
  double *aimed;                  /* (velocities) the same, before corrections */
  double *change;                 /* (velocities) work space */
  flg_moving_frame *given;        /* (links) where their bodies are to start, and how fast */
  double lost;                    /* kinetic energy of velocities that did not fit its joints [J] */
  bool departs;                   /* the next free step is the first of the step, ... */
  bool aims;                      /* ... or the first since impulses were remembered */
  bool is_elsewhere;              /* the dynamics that are placed are not where the frames are */
} flg_tree_part;

typedef struct flg_tree_parts {
  flg_articulated_set all;
  flg_tree_part *list;      /* (count) */
  flg_link_anchor *anchors; /* (bodies of the component) their frames on links */
} flg_tree_parts;

static inline flg_tree_part *flg_tree_of(const flg_parts *set, int part) {
  return &((const flg_tree_parts *)set)->list[part];
}

/* --- trees.c --- */

/* Accelerations under the forces that are pushed, with what velocities do. */
void flg_tree_accelerate(flg_tree_part *part, double *a);

/* --- trees_free_step.c --- */

extern const flg_part_free_step flg_trees_free_step;

/* --- trees_watch.c: work of joints, and turns --- */

void flg_trees_depart(flg_parts *parts, const double *v);
void flg_trees_arrive(const flg_parts *parts, const double *v, double h, flg_part_work *work);
void flg_trees_turn(flg_parts *parts, double time, double h, const double *before, const double *v);
const flg_spin_changes *flg_trees_spin_changes(const flg_parts *parts, int part);

#endif
