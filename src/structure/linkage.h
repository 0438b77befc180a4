/* linkage.h - a few rigid pieces and the joints between them, with dense matrices.
 *
 *     rows     G x = 0     x: motions of all pieces but the first, which stands still
 *     closed   g = 0       of all joints
 *
 * A motion of a piece is six numbers without units: velocity of the linkage's centre over its
 * length, and spin. Rows have length 1. Gears and racks do not count, nor what couples slide and
 * angle of a screw: the linkage is then freer than the component. All calls are set-up.
 */
#ifndef FLG_STRUCTURE_LINKAGE_H
#define FLG_STRUCTURE_LINKAGE_H

#include "base/region.h"
#include "dynamics/constraint.h"

typedef struct flg_linkage_joint {
  flg_constraint_kind kind;
  double constant;   /* of a distance [m] */
  int piece[2];      /* of its two ends */
  flg_pose frame[2]; /* of its ends in the world, at the start */
} flg_linkage_joint;

typedef struct flg_linkage {
  int piece_count, joint_count;
  const flg_linkage_joint *joints; /* (joint_count) borrowed */
  int velocities, rows, rank;      /* rank: of the last factor */
  double least;                    /* its least pivot; 1 without rows */
  int rank_most;                   /* rows that repeat others are not used to close joints: this is
                                      the rank where all are closed */
  flg_vec3 centre;                 /* of the frames of all joints [m] */
  double length;                   /* the largest distance of a frame from it [m] */
  flg_pose *moved;                 /* (pieces) from where they were at the start */
  double *A;                       /* (velocities x rows) a row of G in each column, factored */
  double *left;                    /* (rows) g, in proportion to the rows */
  double *tau, *work, *change;
  int *order;
} flg_linkage;

/* True if a joint has rows here. */
bool flg_linkage_counts(flg_constraint_kind kind);
/* In the region; false without memory. */
bool flg_linkage_make(flg_linkage *linkage, int piece_count, const flg_linkage_joint *joints,
                      int joint_count, flg_region *region);
/* Rows and their factor where the pieces are; false if a number is not finite. */
bool flg_linkage_factor(flg_linkage *linkage);
/* The largest |g| there: of displacements over the length, and of turns. */
double flg_linkage_left(const flg_linkage *linkage);
/* After factor: free motions (velocities x (velocities - rank)), orthonormal. */
void flg_linkage_motions(const flg_linkage *linkage, double *motions);
/* Moves the pieces by a motion times a factor. */
void flg_linkage_move(flg_linkage *linkage, const double *motion, double factor);
/* Moves the pieces by as little as possible until all joints are closed, factored there; false if
 * that fails. */
bool flg_linkage_close(flg_linkage *linkage);

#endif
