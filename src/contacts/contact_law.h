/* contact_law.h - what contacts do in one micro step: impulses of rows that push and rub.
 *
 *     w+ = f + W L          f: velocities at the end without contacts, W = J M^-1 J^T
 *
 * A contact has one row (its normal, positive when it opens) or three (normal, two tangents); a
 * stop of a joint is a contact with one row. Its law, in a step of h, between impulses:
 *
 *     gap > 0     0 <= w+ + gap/h  ⟂  n >= 0            it lands on the surface, and not under it
 *     gap <= 0    0 <= w+          ⟂  n >= 0
 *     friction    |t_i| <= mu n each (box), or |t| <= mu n together (cone), against the sliding
 *
 * Restitution: hits come first, before forces act. Of the rows that would be reached in the step
 * (w < 0, gap + h f < 0) and whose bounce outlasts half of it (e |w| > h max|a| / 2 with the
 * largest a = (f - w)/h of all rows) those that are reached first are hit at once; then those that
 * are reached now, and so on until none is: a row of equal balls hands on the speed of the first to
 * the last (generalised reflections: Smith, Kaufman, Vouga, Tamstorf, Grinspun). A hit is one
 * problem in normals and tangents, P = (n, t):
 *
 *     Newton      0 <= w_n + W_n P + e w_n  ⟂  n >= 0       friction as above, against the slip
 *                                                            after the hit
 *     Poisson     the same with e = 0, which has n_0; then e n_0 more, with what friction it allows
 *
 * With Newton's law the normal speed after a single hit is -e times that before, however it slips;
 * where this would give energy (or rows that rub cannot all be turned around), with the largest
 * part of e that does not. The impulses P act at the time tau in the step at which the gap of their
 * row is used up:
 *     - positions move under them for h - tau only: the law hands out -tau P (`moves`);
 *     - rows are met with w + a (tau + h/2), if it is their first hit: velocities of semi-implicit
 *       steps are those of half a step before, on both sides of the hit. A ball in free flight is
 *       then exact;
 *     - less is given back where kinetic plus potential energy would grow,
 *           P W P / 2 + (w + tau a) P > (h a P)^2 / (2 P W P)       (right: 0, if others push, too)
 *       which is so in bounces of less than 20 steps for e = 0.9, and in all for e = 1.
 * What approaches then still does not bounce in this step. A contact that late hits close keeps the
 * way that is left to it, and its hit is that of the next step.
 *
 * Landings. On the ground (`lands`) a hit without a bounce is a hit, too, if it is faster than what
 * falls for two steps: rows stop at once, together with those that are closed to the slop and are
 * no landing themselves, and end the step on the surface, tau = gap / (W P). Rows that are no more
 * than two slops above those that are reached first are reached with them: so much edges that rest
 * may lean. Stopped in part by w+ + gap/h >= 0 and in part in the next step, a body that turns or
 * rubs would go on another way for each place of the hit in the step, and steps of any length would
 * not agree. Between two bodies that are free it stays so: moves of -tau P shift points of attack,
 * and angular momentum has to be kept to rounding. So it does in heaps.
 *
 * Where rows depend on each other, as on four corners of a box, forces and hits are shared evenly
 * (contact_even.c), so that the order of rows and the past do not matter; gaps under a hundredth of
 * the slop are closed for that.
 *
 * Where the impulses of the last step hold all that touches, to rounding, they are kept: what
 * stands under loads that stay costs no solve.
 *
 * Energy does not grow: forces have L w+ <= 0, and lose (h a L)^2 / (2 L W L) at least by being
 * taken at the end of the step.
 *
 * Lengths. What counts as small is a part of the length of a touch, the size of what touches: the
 * slop is 1e-6 of it. No length is in metres.
 *
 * Position pass. Rows whose gap is below -slop at the end of the step, gap + h w+ - W tau P, are
 * moved out by `correction` (0.2) of what is below: 0 <= W x + 0.2 min(gap + slop, 0) ⟂ x >= 0 over
 * the normals, into `moves`, too; rows that are open have their gap for room. Velocities do not
 * know. What hits of the step have put below is moved out whole. Tall stacks would be shaken by all
 * this, since what is lifted falls again: where friction is iterated (over 36 rows) and impulses
 * may be off a little, the slop is h^2 max|a| / 2 at least, and
 * what is deeper than 1e-4 of the length is moved out at once.
 *
 * W is dense, or W = J M^-1 J^T with M^-1 in blocks, never formed, where there are many contacts.
 * Steps allocate, lock and print nothing.
 */
#ifndef FLG_CONTACT_LAW_H
#define FLG_CONTACT_LAW_H

#include <stdbool.h>

#include "complementarity/complementarity.h"

/* Friction of more rows than these is iterated: stacks have many more rows than ways to move, where
 * direct methods go from set to set. */
enum { FLG_CONTACT_MANY = 36 };
/* Of the largest speed before the step: what iterations may leave of heaps while they move. */
#define FLG_CONTACT_MOVING 3e-4

typedef enum flg_friction_shape { FLG_FRICTION_CONE, FLG_FRICTION_BOX } flg_friction_shape;

/* The quantity whose ratio restitution is: speeds, or impulses (see above). */
typedef enum flg_impact_law { FLG_IMPACT_NEWTON, FLG_IMPACT_POISSON } flg_impact_law;

typedef struct flg_contact_law_options {
  flg_friction_shape friction;
  flg_impact_law impact;
  double correction; /* part of a penetration that is taken out in a step, 0..1 */
  double slop;       /* penetration that is left alone, of the length of a touch */
  double length;     /* of touches that have none of their own [m] */
  bool hurries;      /* one of many: what is hard is left over its tolerance sooner */
  flg_complementarity_options solver;
} flg_contact_law_options;

/* One contact. */
typedef struct flg_touch {
  int row;            /* its first */
  int rows;           /* 1: smooth, or a stop; 3 */
  double gap;         /* [m, rad] < 0: overlap */
  double friction;    /* mu >= 0 */
  double restitution; /* 0..1 */
  double length;      /* the size of what touches [m, rad]; 0: that of the law */
  bool lands;         /* on the ground: a hit without a bounce is a hit, too */
  int pair;           /* the same for all points of two shapes, which follow each other; 0: one of
                         its own */
} flg_touch;

/* Along a tangent (row 1 or 2 of three) that joints hold no impulse changes the velocity `free` of
 * a contact. True if it slides along it, so that friction is against that, too; else what is there
 * is rounding, beside what forces do to the others in the step. */
bool flg_touch_slides_along(const double *free, int row);

/* Contacts that are solved together. Arrays are by row (row_count). */
typedef struct flg_touch_problem {
  int touch_count, row_count;
  const flg_touch *touches;
  const double *admittance; /* W (rows x rows), column-major, both triangles; or NULL: */
  const flg_sparse_rows *sparse;
  const double *before;  /* w: velocities at the start of the step */
  const double *free;    /* f */
  double h;              /* [s] */
  unsigned char *states; /* in: of the last step, 0: new; out (FLG_ROW_ACTIVE ...) */
  double *impulses;      /* in: of the last step (warm start); out: L, P included */
  double *moves;         /* out: x, displacements are W x [kg m]; all zero but where needed */
  double *hits;          /* out: P alone; NULL: not asked for */
  double *after;         /* out: w+; NULL: not asked for, and there is no position pass */
  const double *bends;   /* (touch_count) for lift: gaps open by this besides h w+ and moves, since
                            points go round in arcs [m]; NULL: nowhere */
  bool is_kick;          /* the middle of a step: friction of what slides on is against the mean of
                            `before` and w+ (contact_turn.c) */
  bool in_heap;          /* of many bodies: the even answer is found in fewer digits */
  bool moves_on;         /* ... and on its way: what is not found soon is iterated */
  bool
      stays; /* others reckon with these states and impulses: of several solutions they are meant */
} flg_touch_problem;

typedef struct flg_contact_law_report {
  flg_complementarity_statistics statistics; /* of the solve with forces */
  int hits;                                  /* contacts that bounced or landed */
  int reflections;                           /* solves that took */
  bool is_near;                              /* solved, as far as heaps that move are */
  bool moves;                                /* some number of moves is not zero */
} flg_contact_law_report;

typedef struct flg_contact_law flg_contact_law;

/* cone, 0.2, 1e-6, 1 m, no hurry, flg_complementarity_default */
flg_contact_law_options flg_contact_law_default(void);
/* Set-up: for problems up to so many rows; for sparse ones if options->solver.bodies > 0. */
flg_status flg_contact_law_build(flg_contact_law **law, int row_capacity,
                                 const flg_contact_law_options *options, flg_region *region,
                                 flg_error *error);
/* Step. FLG_ERR_DIVERGED, FLG_ERR_RANGE as the solvers have it; impulses are then the best that was
 * found, and may be used where the residual is small. */
flg_status flg_contact_law_solve(flg_contact_law *law, const flg_touch_problem *problem,
                                 flg_contact_law_report *report);
/* Step, in place of solve: whether the impulses that come with the problem are its answer, to
 * rounding. For contacts without friction and restitution alone; `after` is f + W L, W is not read.
 */
bool flg_contact_law_accepts(const flg_contact_law *law, const flg_touch_problem *problem,
                             flg_contact_law_report *report);
/* Step, after solve without hits, or accepts: whether the position pass has anything to move. W is
 * not read. */
bool flg_contact_law_overlaps(flg_contact_law *law, const flg_touch_problem *problem);
/* Step, after solve: the position pass, into moves. True if it moved anything. */
bool flg_contact_law_lift(flg_contact_law *law, const flg_touch_problem *problem,
                          flg_contact_law_report *report);

#endif
