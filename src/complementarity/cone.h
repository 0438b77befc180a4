/* cone.h - what the files on Coulomb's cone share: the problem and its projections
 *
 *     z_n = max(0, y_n)     z_t = disk(mu z_n, y_t)     y = z - rho w
 *
 * of Alart and Curnier, with rho = weight s^2, and z_i = mid(lower, y_i, upper) on other rows.
 */
#ifndef FLG_COMPLEMENTARITY_CONE_H
#define FLG_COMPLEMENTARITY_CONE_H

#include "complementarity/solver.h"

typedef struct flg_cone {
  flg_complementarity *solver;
  flg_rows rows;
  int contact_count;
  const flg_friction_contact *contacts;
  double weight;   /* of rho; 1 but in some Newton rounds */
  double softness; /* that Newton steps add to A_ii, by the scale of the row */
  int by_squares;  /* Newton steps lower the sum of squares, not the largest row */
  int is_brief;    /* where Newton steps are caught, they are not begun again */
} flg_cone;

/* y_t of a contact, its length, and mu z_n; open: y_n is not positive */
typedef struct flg_sliding {
  double y[2], length, radius;
  int open;
} flg_sliding;

static inline double flg_cone_rho(const flg_cone *cone, int i) {
  return cone->weight * cone->rows.s[i] * cone->rows.s[i];
}

/* squares below, or over its inverse, may leave the range of doubles */
#define FLG_LEAST_SQUARE 1e-280

/* sqrt(x^2 + y^2), by hypot only where the squares could leave the range */
static inline double flg_length(double x, double y) {
  const double squares = x * x + y * y;
  return squares > FLG_LEAST_SQUARE && squares < 1 / FLG_LEAST_SQUARE ? sqrt(squares) : hypot(x, y);
}

flg_sliding flg_cone_slide(const flg_cone *cone, const flg_friction_contact *contact,
                           const double *z, const double *w);
/* change (n) = projection of y, minus z; returns the largest scaled one, by sigma */
double flg_cone_deviation(const flg_cone *cone, const double *z, const double *w, double *change);
/* Both tangents of a contact are measured alike, so that no direction is preferred. */
void flg_cone_share_scales(const flg_cone *cone);
/* How fast rows still move that should not: see flg_complementarity_statistics. */
flg_speeds flg_cone_speeds(const flg_cone *cone, const double *z, const double *w);
/* Hands the results of a run to the caller: states, z, w, statistics; the status of the outcome. */
flg_status flg_cone_answer(const flg_cone *cone, flg_run *run, flg_complementarity_outcome outcome,
                           flg_complementarity_method method, unsigned char *states, double *z,
                           double *w, flg_complementarity_statistics *statistics);
/* `sweeps` times every contact alone, all others held; exact: by its solution. w = A z + q before
 * and after. */
void flg_cone_sweep(const flg_cone *cone, int sweeps, int exact, double *z, double *w);
/* One Newton step from run->z, halved until it reduces the deviation, run->residual, or the sum of
 * squares; what each row would change by is in solver->step before and after. 0: no step does. */
int flg_cone_newton(const flg_cone *cone, flg_run *run);

/* From run->z: Newton steps at once (warm), then rounds of sweeps and Newton steps. 1: solved, by
 * *method; the best z is in solver->best_z, *best its deviation. */
int flg_cone_approach(flg_cone *cone, int warm, flg_run *run, double *best,
                      flg_complementarity_method *method);
/* The same from many other starts, as long as the options allow. */
int flg_cone_search(flg_cone *cone, flg_run *run, double *best);

#endif
