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
  const flg_robot *robot;
  flg_dynamics *dynamics;
  flg_part_slice slice;
  flg_mimics *mimics;   /* joints that follow others; NULL: none do */
  const double *locked; /* (count) infinite where a velocity is locked; NULL: none is */
  int count;            /* velocities */
  double length;        /* of the robot [m] */
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

/* The common beginning of sets of such parts. */
typedef struct flg_articulated_set {
  flg_parts parts;
  flg_articulated_part **ports; /* (count) */
} flg_articulated_set;

/* Set-up: once all ports are known. Before there is room for a port on each link. */
void flg_articulated_equip(flg_articulated_part *part, bool is_root, flg_region *region);
/* After factors of M at this q: J, M^-1 J^T and D; D, or a root of it, to the view. */
void flg_articulated_fill(const flg_articulated_part *part, const flg_part_mode *mode,
                          const flg_plan_part *view);

/* Operations of part.h. */
int flg_articulated_open(flg_parts *parts, int part, int link);
int flg_articulated_ports(const flg_parts *parts, int part);
flg_part_slice flg_articulated_slice(const flg_parts *parts, int part);
void flg_articulated_displace(flg_parts *parts, const double *q, const double *v, double h,
                              double *q_next);
void flg_articulated_rate(const flg_parts *parts, const double *q, const double *v, double *rate_q);
void flg_articulated_normalise(const flg_parts *parts, double *q);
void flg_articulated_see(const flg_parts *parts, const double *y, double bias_share);
void flg_articulated_collect(const flg_parts *parts, const double *from, double *y);
void flg_articulated_pull_back(const flg_parts *parts, int part, int port, const double x[6],
                               double *to);
double flg_articulated_mobility(const flg_parts *parts, int part, int port, const double x[6]);
flg_yield flg_articulated_yield(const flg_parts *parts, int part, int port);
double flg_articulated_kinetic_energy(const flg_parts *parts, int part);
flg_spatial flg_articulated_momentum(const flg_parts *parts, int part);

#endif
