/* articulated.h - what kinds of parts in joint coordinates share: how they answer at their ports.
 *
 *     w = J v        D = J M^-1 J^T        M^-1 J^T, what unit forces on the ports do
 *
 * dense, with a port at the origin of every link that something is joined to.
 */
#ifndef FLG_ARTICULATED_H
#define FLG_ARTICULATED_H

#include "dynamics/dynamics.h"
#include "dynamics/mimic.h"
#include "parts/part.h"

typedef struct flg_articulated_part {
  flg_dynamics *dynamics;
  flg_mimics *mimics;   /* joints that follow others; NULL: none do */
  const double *locked; /* (count) infinite where a velocity is locked; NULL: none is */
  int count;            /* velocities */
  int port_count;
  flg_link_anchor *ports; /* (ports) links that something is joined to */
  double *jacobian;       /* J (6 ports x count) */
  double *response;       /* M^-1 J^T (count x 6 ports), at the last factor */
  double *shares;         /* (6 ports x count) and ... */
  double *unit;           /* ... (6 ports) work space of it */
  double *admittance;     /* J M^-1 J^T (6 ports x 6 ports) */
  double *lower;          /* (6 ports x 6 ports) and ... */
  int *order;             /* ... (6 ports) work space of its root, in root form */
  flg_port_way *ways;     /* (ports) */
} flg_articulated_part;

static inline int flg_articulated_rows(const flg_articulated_part *part) {
  return FLG_PORT_NUMBERS * part->port_count;
}

/* Set-up: the port on a link, which is made if there is none. Room for a port on each link. */
int flg_articulated_open(flg_articulated_part *part, int link);
/* Set-up: once all ports are known. */
void flg_articulated_equip(flg_articulated_part *part, bool is_root, flg_region *region);

/* After factors of M at this q: J, M^-1 J^T and D; D, or a root of it, to the view. */
void flg_articulated_fill(const flg_articulated_part *part, const flg_part_mode *mode,
                          const flg_plan_part *view);
/* J y + bias_share J' v to the bias of the view; y NULL: zeros. */
void flg_articulated_see(const flg_articulated_part *part, const double *y, double bias_share,
                         const flg_plan_part *view);
/* y += M^-1 J^T x, x the forces in the view. */
void flg_articulated_collect(const flg_articulated_part *part, const flg_plan_part *view,
                             double *y);
/* to += J^T x of a port. */
void flg_articulated_pull_back(const flg_articulated_part *part, int port, const double x[6],
                               double *to);

#endif
