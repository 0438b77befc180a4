/* mimic.h - coordinates that follow others: q_i = sum of m q_j, + o. No leader follows another.
 *
 * The rows G v = v_i - sum of m v_j = 0 are closed by forces between the joints,
 *     a+ = a - M^-1 G^T (G M^-1 G^T)^+ G a
 * which is the projection of a in the mass norm, and of velocities likewise. G is constant:
 * positions that fulfil it at the start fulfil it after any step of any integrator.
 */
#ifndef FLG_MIMIC_H
#define FLG_MIMIC_H

#include "base/region.h"
#include "dynamics/dynamics.h"

typedef struct flg_mimics {
  int count;           /* coordinates that follow */
  int velocity_count;  /* of the robot */
  int *followers;      /* (count) velocity that follows */
  int *first;          /* (count + 1) where its leaders begin in the next two */
  int *leaders;        /* velocities that lead */
  double *multipliers; /* m of each */
  double *responses;   /* (velocity_count x count) M^-1 G^T, scratch */
  double *gram;        /* (count x count) G M^-1 G^T, scratch */
  double *factor;      /* (count x count), scratch */
  double *forces;      /* (count), scratch */
  int *order;          /* (count), scratch */
} flg_mimics;

/* Set-up: how many joints of the model follow another. */
int flg_mimics_count(const flg_model *model);
/* Set-up: without memory the region has failed. */
void flg_mimics_build(flg_mimics *mimics, const flg_model *model, const flg_robot *robot,
                      flg_region *region);
/* Set-up, from a region: of rows G v = 0 (count x velocities, row by row, with constant numbers,
 * overwritten) between velocities of joints that slide or turn. Rows that depend on others are left
 * out; multipliers are at most 1. False: no memory. */
bool flg_mimics_of_rows(flg_mimics *mimics, int count, int velocities, double *G,
                        flg_region *region);
/* Set-up: puts the positions q of the followers where their leaders say. */
void flg_mimics_place(const flg_model *model, const flg_robot *robot, double *q);
/* Step: the motion x (velocities) of the followers from that of their leaders. */
void flg_mimics_follow(const flg_mimics *mimics, double *x);
/* Step: forces f (velocities) on followers as forces on their leaders that do the same work. */
void flg_mimics_gather(const flg_mimics *mimics, double *f);
/* Step: projects accelerations or velocities x; after forward or factor. */
void flg_mimics_project(flg_mimics *mimics, flg_dynamics *dynamics, double *x);
/* Step: the same for what forces on ports do: answers M^-1 J^T (velocity_count x rows), and
 * D = J M^-1 J^T (rows x rows), become those of joints that follow; after factor. */
void flg_mimics_reduce(flg_mimics *mimics, flg_dynamics *dynamics, int rows, double *answers,
                       double *D);

#endif
