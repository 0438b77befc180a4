/* contact_law_inner.h - what the phases of the law share: hits, forces, positions.
 *
 * Inner to contact_law.c and contact_matrix.c, _even.c, _hits.c and _lift.c. Arrays are by row,
 * up to the capacity.
 */
#ifndef FLG_CONTACT_LAW_INNER_H
#define FLG_CONTACT_LAW_INNER_H

#include "contacts/contact_law.h"

typedef struct flg_hit_impulse {
  double part;                /* of the restitution that it has */
  double *impulses, *changes; /* P, W P */
} flg_hit_impulse;

struct flg_contact_law {
  flg_contact_law_options options;
  int capacity;
  flg_complementarity *solver, *iterative;
  double *q, *z, *w;              /* of the problem that is being solved */
  int *rows;                      /* which rows it has */
  unsigned char *states;          /* of them */
  flg_friction_contact *contacts; /* (capacity/3 + 1) contacts with three rows */
  double *part;                   /* (capacity^2) W of these rows, if there are no bodies */
  flg_sparse_rows sparse;         /* the same, if there are; it points at what follows: */
  int *body;                      /* (2 capacity) */
  double *jacobian;               /* (12 capacity) */
  double *softness;               /* (capacity) */
  double *motion;                 /* (12 bodies) impulses on them, and velocities */
  double *hits;                   /* P: impulses of hits, tangents included */
  double *speeds;                 /* w + W P */
  double *lags;                   /* W tau P: what a gap is short of when P acts at tau only */
  int *hit;                       /* touches that are hit together */
  double *times;                  /* tau of each */
  double *bounces;                /* restitution of each, 0 where its bounce would be none */
  double *met;                    /* speeds of their rows when they are hit */
  /* impulses that the hit may have: with less and more of the bounce, and in between; of the first
   * phase of Poisson's law */
  flg_hit_impulse low, high, trial, stopped;
  double *kept_z, *kept_w;   /* an answer, while another one is tried */
  double *kept_q, *yields;   /* of what is shared evenly: q as it was, and Y (contact_even.c) */
  double *first_z, *first_w; /* the answer before it */
  double *leans;             /* velocities that tangents have besides (contact_turn.c) */
  double standing;           /* approaches that are rounding [m/s, rad/s] */
  bool was_generous;
};

/* The overlap of a touch that is left alone [m, rad]. */
static inline double flg_touch_slop(const flg_contact_law *law, const flg_touch *touch) {
  return law->options.slop * (touch->length > 0 ? touch->length : law->options.length);
}
/* of the slop: gaps that are rounding */
#define FLG_TOUCH_CLOSED 1e-3
/* True if a gap of the touch is more than rounding. */
static inline bool flg_touch_is_open(const flg_contact_law *law, const flg_touch *touch,
                                     double gap) {
  return gap > FLG_TOUCH_CLOSED * flg_touch_slop(law, touch);
}
/* of the slop, in a step: ways that are rounding */
#define FLG_TOUCH_STANDS 1e-9
/* A speed of the touch that is rounding [m/s, rad/s]; h > 0. */
static inline double flg_touch_standing(const flg_contact_law *law, const flg_touch *touch,
                                        double h) {
  return FLG_TOUCH_STANDS * flg_touch_slop(law, touch) / h;
}
/* y += W x, over all rows of the problem. */
void flg_touch_apply(flg_contact_law *law, const flg_touch_problem *problem, const double *x,
                     double *y);
/* W of the first `count` rows in law->rows, as the solver has it; it lasts until the next call.
 * normals_apart: rows come in threes, the first of which does not see the others. */
flg_complementarity_matrix flg_touch_part(flg_contact_law *law, const flg_touch_problem *problem,
                                          int count, bool normals_apart);
/* Adds yields (n) to the diagonal of such a part; what was added is not negative in the end. */
void flg_touch_soften(flg_contact_law *law, const flg_complementarity_matrix *part,
                      const double *yields);
/* W_ii of a row. */
double flg_touch_own(const flg_touch_problem *problem, int row);
/* All of W. */
flg_complementarity_matrix flg_touch_all(const flg_touch_problem *problem);

/* For linear problems of so many rows. */
flg_complementarity *flg_contact_law_solver(const flg_contact_law *law, int rows);
/* The first contacts in law->contacts, as the options have it, or rows that push alone, if there is
 * none: law->q to z, w. */
flg_status flg_contact_law_answer(flg_contact_law *law, const flg_complementarity_matrix *matrix,
                                  int contact_count, unsigned char *states,
                                  flg_complementarity_statistics *statistics);
/* Solved, or as near as large problems are taken. */
bool flg_contact_law_is_near(const flg_contact_law *law, flg_status status,
                             const flg_complementarity_statistics *statistics);
/* True if the first `count` rows in law->rows depend on each other; W is not sparse. */
bool flg_contact_rows_depend(flg_contact_law *law, const flg_touch_problem *problem, int count);
/* True if rows that stand, by problem->states, can share what they carry in other ways, too. */
bool flg_contact_is_shared(flg_contact_law *law, const flg_touch_problem *problem,
                           const flg_complementarity_statistics *statistics);
/* Of all solutions the even one: law->q to z, from law->states and z on. `part` has the rows in
 * law->rows, and is softened. False: it is not reached. */
bool flg_contact_even(flg_contact_law *law, const flg_touch_problem *problem,
                      const flg_complementarity_matrix *part, int contact_count,
                      flg_complementarity_statistics *statistics);
/* Near the even solution, in law->z, from z on: as if contacts were springs between bodies, of
 * problem->sparse. How fast these yield, of what moves on by less than `left`; negative: not
 * reached, z is anything. */
double flg_contact_start_evenly(flg_contact_law *law, const flg_touch_problem *problem,
                                int contact_count, double left);
/* Hits of the step: fills hits, speeds, lags, and problem->moves. generous: one that is alone may
 * take back what energy the step loses anyhow. */
void flg_contact_hit(flg_contact_law *law, const flg_touch_problem *problem, bool generous,
                     flg_contact_law_report *report);
/* After a kick is solved (contact_turn.c): adds their velocities before it to the tangents in
 * law->q of contacts that slide on and turn; false: there are none. Then, solved with that: they
 * do. */
bool flg_contact_lean(flg_contact_law *law, const flg_touch_problem *problem);
bool flg_contact_slides_on(const flg_contact_law *law, const flg_touch_problem *problem);
#endif
