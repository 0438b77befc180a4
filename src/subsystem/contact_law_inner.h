/* contact_law_inner.h - what the phases of the law share: hits, forces, positions.
 *
 * Inner to contact_law.c, contact_hits.c and contact_lift.c. Arrays are by row, up to the capacity.
 */
#ifndef FLG_CONTACT_LAW_INNER_H
#define FLG_CONTACT_LAW_INNER_H

#include "subsystem/contact_law.h"

struct flg_contact_law {
  flg_contact_law_options options;
  int capacity;
  flg_complementarity *solver;
  double *q, *z, *w;              /* of the problem that is being solved */
  double *part;                   /* (capacity^2) W of some of the rows */
  int *rows;                      /* which these are */
  unsigned char *states;          /* of them */
  flg_friction_contact *contacts; /* (capacity/3 + 1) contacts with three rows */
};

/* y += W x, over all rows of the problem; zeros in x cost nothing. */
void flg_touch_apply(const flg_touch_problem *problem, const double *x, double *y);
/* Position pass: adds to problem->moves; gaps at the end of the step come of w+ and the moves that
 * are there. */
flg_status flg_contact_lift(flg_contact_law *law, const flg_touch_problem *problem, bool *moves);

#endif
