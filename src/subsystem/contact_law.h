/* contact_law.h - what contacts do in one micro step: impulses of rows that push and rub.
 *
 *     w+ = f + W L          f: velocities at the end if nobody touches, W = J M^-1 J^T
 *
 * A contact has one row (its normal, positive when it opens) or three (normal, two tangents); a
 * stop of a joint is a contact with one row. Its law, in a step of h (DESIGN: impulse level):
 *
 *     gap > 0     0 <= w+ + gap/h  ⟂  n >= 0            it lands on the surface, and not under it
 *     gap <= 0    0 <= w+          ⟂  n >= 0
 *     friction    |t_i| <= mu n each (box), or |t| <= mu n together (cone), against the sliding
 *
 * Restitution. Rows that would be reached in the step (w < 0, gap + h f < 0) and whose bounce
 * outlasts it (e |w| > h |a|, a = (f - w)/h) are hit first, before forces act: w -> -e w, only rows
 * that approach, again and again until none does (reflections one after the other: a row of equal
 * balls hands on the speed of the first to the last). The impulses P of this phase act at the time
 * tau in the step at which the gap is used up:
 *     - positions move under them for h - tau only: the law hands out -tau P (`moves`);
 *     - a first hit rebounds with -e w + (1 + e)|a| (tau + h/2): velocities of semi-implicit
 *       steps are those of half a step before, on both sides of the hit. Less, where kinetic plus
 *       potential energy (|a| times the way) would grow.
 * Energy does not grow, for e <= 1.
 *
 * Position pass. Rows with gap < 0 are moved out by at most `correction` (0.2) of it in a step:
 * 0 <= W x + 0.2 min(gap, 0) ⟂ x >= 0 over the normals, into `moves`, too. Velocities do not know.
 *
 * W is dense, or W = J H J^T with H in blocks, never formed, where there are many contacts; which
 * it is is the caller's choice (flg_touch_admittance). Steps allocate, lock and print nothing.
 */
#ifndef FLG_CONTACT_LAW_H
#define FLG_CONTACT_LAW_H

#include <stdbool.h>

#include "complementarity/complementarity.h"

typedef enum flg_friction_shape { FLG_FRICTION_CONE, FLG_FRICTION_BOX } flg_friction_shape;

typedef struct flg_contact_law_options {
  flg_friction_shape friction;
  double correction; /* part of a penetration that is taken out in a step, 0..1 */
  double slop;       /* penetration that is left alone [m] */
  flg_complementarity_options solver;
} flg_contact_law_options;

/* One contact. */
typedef struct flg_touch {
  int row;            /* its first */
  int rows;           /* 1: smooth, or a stop; 3 */
  double gap;         /* [m, rad] < 0: overlap */
  double friction;    /* mu >= 0 */
  double restitution; /* 0..1 */
} flg_touch;

/* Contacts that are solved together. Arrays are by row (row_count). */
typedef struct flg_touch_problem {
  int touch_count, row_count;
  const flg_touch *touches;
  const double *admittance; /* W (rows x rows), column-major, both triangles */
  const double *before;     /* w: velocities at the start of the step */
  const double *free;       /* f */
  double h;                 /* [s] */
  unsigned char *states;    /* in: of the last step, 0: new; out (FLG_ROW_ACTIVE ...) */
  double *impulses;         /* in: of the last step (warm start); out: L, P included */
  double *moves;            /* out: x, displacements are W x [kg m]; all zero but where needed */
  double *after;            /* out: w+ */
} flg_touch_problem;

typedef struct flg_contact_law_report {
  flg_complementarity_statistics statistics; /* of the solve with forces */
  int hits;                                  /* contacts that bounced */
  int reflections;                           /* solves that took */
  bool moves;                                /* some number of moves is not zero */
} flg_contact_law_report;

typedef struct flg_contact_law flg_contact_law;

/* cone, 0.2, 1e-10 m, flg_complementarity_default */
flg_contact_law_options flg_contact_law_default(void);
/* Set-up: for problems up to so many rows. */
size_t flg_contact_law_bytes(int row_capacity, const flg_contact_law_options *options);
flg_status flg_contact_law_build(flg_contact_law **law, int row_capacity,
                                 const flg_contact_law_options *options, flg_arena *arena,
                                 flg_error *error);
/* Step. FLG_ERR_DIVERGED, FLG_ERR_RANGE as the solvers have it; impulses are then the best that was
 * found, and may be used where the residual is small. */
flg_status flg_contact_law_solve(flg_contact_law *law, const flg_touch_problem *problem,
                                 flg_contact_law_report *report);

#endif
