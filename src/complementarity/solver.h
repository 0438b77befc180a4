/* solver.h - what the methods of this folder share: the checked problem, the workspace, a run. */
#ifndef FLG_COMPLEMENTARITY_SOLVER_H
#define FLG_COMPLEMENTARITY_SOLVER_H

#include <math.h>

#include "complementarity/complementarity.h"

/* Checked input. Arrays of n, the caller's or in the workspace. */
typedef struct flg_rows {
  int n;
  const double *a; /* (n x n), or NULL: iterative, with sparse rows */
  int lda;
  int motions;                    /* 6 bodies + 6, of sparse rows */
  double *u;                      /* (motions) M^-1 J^T z, of sparse rows */
  double *u_before, *u_direction; /* the same, for sweeps */
  const double *blocks;   /* (24 n) of sparse rows: J_i (12), then M^-1 J_i^T (12); or NULL. Each as
                           * four of the first body, four of the second, two of the first, two */
  const int *slots;       /* (2 n) where the bodies of row i begin in u */
  const double *softness; /* (n) of sparse rows, or NULL */
  const flg_sparse_link *links; /* of sparse rows, or NULL */
  const double *q, *lower, *upper;
  int is_linear;           /* the bounds are 0 and infinity */
  const double *s, *root;  /* z_i/s_i = z_i root_i and w_i s_i are compared */
  const double *reference; /* what the pivot of row i is judged against */
  double moving;           /* largest |before_i| s_i; HUGE_VAL: not given */
  double left;             /* speeds that may be left over; 0: not given */
  int is_brief;            /* iterations end soon */
} flg_rows;

/* Friction as Lemke's method sees it: row i is bounded by slope[i] z[normal[i]]. */
typedef struct flg_coupling {
  const int *normal; /* (n) -1: not a tangent */
  const double *slope;
} flg_coupling;

/* A nonnegative variable of Lemke's method: sign times z of the row, or the multiplier (sign 0) of
 * the row's upper bound. */
typedef struct flg_lemke_variable {
  int row, sign;
} flg_lemke_variable;

struct flg_complementarity {
  struct flg_interior_part *parts; /* (capacity), if within the direct limit */
  int capacity, tableau_size;
  flg_complementarity_options options;
  double *a, *l;                                 /* (capacity^2), if within the direct limit */
  double *s, *root, *reference, *lower, *upper;  /* (capacity) from here on */
  double *z, *w, *step, *trial, *work, *product; /* of the methods */
  double *best_z, *best_w, *last, *normals;
  double *curvature; /* (2 capacity) of a contact, four: see flg_sweep_prepare */
  int *order, *pivots, *owner;
  unsigned char *position, *mark; /* mark (2 capacity) */
  unsigned char *best_position, *side;
  double *tableau;               /* (tableau_size x (2 tableau_size + 2)) */
  flg_lemke_variable *variables; /* (tableau_size) */
  int *normal;                   /* (capacity) */
  double *newton;                /* (capacity^2) */
  double *blocks, *motion;       /* (24 capacity), (3 (6 bodies + 6)), if there may be bodies */
  int *slots;                    /* (2 capacity) */
  flg_friction_contact *single;  /* (capacity) contacts with one tangent each, of a box */
};

/* Contacts of a problem with friction. */
typedef struct flg_friction {
  int count, is_cone;
  const flg_friction_contact *contacts;
  int in_blocks; /* found by flg_sweep_prepare */
} flg_friction;

/* How fast rows still move that should not, in their own units: the largest, and the largest of
 * those that rounding does not explain. */
typedef struct flg_speeds {
  double all, beyond;
} flg_speeds;

/* Of the interior-point method: a cone of up to three rows, T x in it; W c = W^-1 a = lambda. */
typedef struct flg_interior_part {
  int rows[3], count;
  double slope; /* T = diag(slope, 1, 1) */
  double v[3], eta, lambda[3];
  double slip[2]; /* d(slope |y_t|)/dy_t */
  double lift;    /* slope |y_t|, where it is given */
} flg_interior_part;

/* A solve under way, from method to method. position: FLG_ROW_ACTIVE, LOWER, UPPER. */
typedef struct flg_run {
  double *z, *w;           /* (n) */
  unsigned char *position; /* (n) */
  int iterations, dependent_rows;
  int indefinite; /* a direction was found that A pushes along */
  int keep;       /* z is a good start for flg_descend */
  double residual;
  flg_speeds speeds;   /* in the end */
  double change, beta; /* |change of the last sweep|^2, scaled; and by the one before */
} flg_run;

/* Checks the input and fills *rows. FLG_OUTCOME_SOLVED if it is sound. */
flg_complementarity_outcome flg_rows_load(flg_complementarity *solver,
                                          const flg_complementarity_matrix *matrix, const double *q,
                                          const double *lower, const double *upper, flg_rows *rows);
/* w = A z + q */
void flg_rows_apply(const flg_rows *rows, const double *z, double *w);
double flg_rows_magnitude(const flg_rows *rows, const double *z);
double flg_rows_residual(const flg_rows *rows, const double *z, const double *w);
/* The rounding error of x - (x - y) in any row, in scaled variables. */
double flg_rows_rounding(const flg_rows *rows, const double *z);
flg_speeds flg_rows_speeds(const flg_rows *rows, const double *z, const double *w);
/* 1 if d proves that there is no solution: the bounds leave it open, A does not resist it, and q
 * pushes along it by more than the tolerance; product (n) is scratch. */
int flg_rows_is_ray(const flg_rows *rows, const double *d, double tolerance, double *product);
/* Where z_i rests while row i is not active: the bound that the position names, or the only one. */
static inline double flg_rows_rest(const flg_rows *rows, int i, unsigned char position) {
  const double low = rows->lower[i], high = rows->upper[i];
  if (position == FLG_ROW_UPPER && high < HUGE_VAL) return high;
  if (low > -HUGE_VAL) return low;
  return high < HUGE_VAL ? high : 0;
}
/* a repeatable sequence without a pattern, for starts */
static inline unsigned flg_draw(unsigned *seed) {
  *seed = *seed * 1664525U + 1013904223U;
  return *seed >> 16;
}
static inline double flg_clip(double value, double lower, double upper) {
  if (value < lower) return lower;
  return value > upper ? upper : value;
}
/* z to start with: from `start` in rows that have a state of the last time, else at rest. 1 if
 * there is such a row. */
int flg_run_place(const flg_rows *rows, const unsigned char *states, const double *start,
                  double *z);
/* Positions to start with; rows that cannot have the position of the last time get another. */
void flg_run_start(const flg_rows *rows, const unsigned char *states, flg_run *run);

/* A dense linear problem of up to FLG_COMPLEMENTARITY_TABLEAU rows in one piece, with sizes
 * checked; 0: left to the others, nothing written. */
int flg_small_linear(const flg_complementarity_options *options,
                     const flg_complementarity_matrix *matrix, const double *q,
                     unsigned char *states, double *z, double *w,
                     flg_complementarity_statistics *statistics);
/* The methods. All start from run->position and leave z, w, position, residual. Each returns
 * FLG_OUTCOME_SOLVED, UNSOLVABLE or STALLED. */
/* single: least index only, from the first iteration on; *singles tells whether it came to that */
flg_complementarity_outcome flg_block_pivot(flg_complementarity *solver, const flg_rows *rows,
                                            int single, flg_run *run, int *singles);
/* starts from run->z, moved inside the bounds, if run->keep, else from the bounds */
flg_complementarity_outcome flg_descend(flg_complementarity *solver, const flg_rows *rows,
                                        flg_run *run);
/* SOLVED: a z in run, all else left alone, as a start for flg_descend, or a candidate for friction
 * (coupling not NULL). UNSOLVABLE: proven by a ray. path: 0, or another number for another way. */
flg_complementarity_outcome flg_lemke(flg_complementarity *solver, const flg_rows *rows,
                                      const flg_coupling *coupling, int path, flg_run *run);
/* starts from run->z; friction: NULL, or contacts whose tangents have bounds in the workspace */
flg_complementarity_outcome flg_iterate(flg_complementarity *solver, const flg_rows *rows,
                                        flg_friction *friction, flg_run *run);
/* 1 if the problem is for flg_iterate alone */
static inline int flg_rows_are_iterated(const flg_complementarity *solver, const flg_rows *rows) {
  return rows->a == NULL || solver->options.method == FLG_METHOD_ITERATIVE ||
         rows->n > solver->options.direct_limit;
}
/* Sweeps of projected Gauss-Seidel: prepare once, start wherever z was changed by others. Prepare
 * leaves 1/A_nn, A_tn of both tangents and 1 over the larger eigenvalue of their block. */
void flg_sweep_prepare(const flg_complementarity *solver, const flg_rows *rows,
                       flg_friction *friction);
void flg_sweep_start(const flg_rows *rows, const double *z, double *w);
void flg_sweep(flg_complementarity *solver, const flg_rows *rows, const flg_friction *friction,
               double *z, double *w);
/* 1 if all rows are of contacts that have three of the same two bodies each, one after the other.
 * Then, all of a contact at once: u of z; and with u up to date a sweep from z + beta step (step
 * becomes that and the change of the sweep before, solver->trial the change of this one, the sum of
 * whose squares, scaled, is returned); and w, the residual and the speeds of z. */
int flg_cones_are_in_blocks(const flg_rows *rows, const flg_friction *friction);
void flg_cones_gather(const flg_rows *rows, const flg_friction *friction, const double *z);
double flg_sweep_cones(const flg_complementarity *solver, const flg_rows *rows,
                       const flg_friction *friction, double beta, double *z);
double flg_cones_measure(const flg_rows *rows, const flg_friction *friction, const double *z,
                         double *w, flg_speeds *speeds);
/* Sparse rows: checks and loads the blocks; A (n x n) of them; M^-1 J^T z into rows->u. */
int flg_sparse_load(flg_complementarity *solver, const flg_complementarity_matrix *matrix,
                    flg_rows *rows);
void flg_sparse_form(const flg_rows *rows, double *a);
void flg_sparse_gather(const flg_rows *rows, const double *z);
void flg_sparse_apply(const flg_rows *rows, const double *z, double *w);
/* The rest of a push: what it does to others in the groups of both bodies. */
void flg_sparse_push_groups(const flg_rows *rows, int i, double change);
/* w_i of sparse rows, u up to date; what a change of z_i does to u */
static inline double flg_sparse_see(const flg_rows *rows, int i, double z) {
  const double *j = rows->blocks + (size_t)24 * (size_t)i;
  const double *x = rows->u + rows->slots[2 * i], *y = rows->u + rows->slots[2 * i + 1];
  double first = rows->q[i], second = rows->softness == NULL ? 0 : rows->softness[i] * z;
  for (int k = 0; k < 4; k++) first += j[k] * x[k], second += j[4 + k] * y[k];
  for (int k = 0; k < 2; k++) first += j[8 + k] * x[4 + k], second += j[10 + k] * y[4 + k];
  return first + second;
}
static inline void flg_sparse_push(const flg_rows *rows, int i, double change) {
  const double *b = rows->blocks + (size_t)24 * (size_t)i + 12;
  double *x = rows->u + rows->slots[2 * i], *y = rows->u + rows->slots[2 * i + 1];
  for (int k = 0; k < 4; k++) x[k] += b[k] * change;
  for (int k = 0; k < 4; k++) y[k] += b[4 + k] * change;
  for (int k = 0; k < 2; k++) x[4 + k] += b[8 + k] * change, y[4 + k] += b[10 + k] * change;
  if (rows->links != NULL) flg_sparse_push_groups(rows, i, change);
}
/* A_ij in any form */
double flg_rows_element(const flg_rows *rows, int i, int j);
/* 1 if a row between its bounds carries 1e12 times more than what pushes: A does not resist there.
 */
int flg_runs_away(const flg_rows *rows, const double *z);
/* The chain of methods that the options ask for. */
flg_complementarity_outcome flg_solve_rows(flg_complementarity *solver, const flg_rows *rows,
                                           flg_run *run, flg_complementarity_method *method);

/* Friction: checks the contacts, loads the rows with bounds that can be moved (solver->lower and
 * upper; 0 for tangents) and marks in solver->owner which contact a row belongs to, or -1. */
flg_complementarity_outcome flg_friction_load(flg_complementarity *solver,
                                              const flg_complementarity_matrix *matrix,
                                              const double *q, int contact_count,
                                              const flg_friction_contact *contacts, flg_rows *rows);
/* Just loaded: 1 if all rows that push open by themselves. Then no impulses at all are a solution,
 * and the one that is taken: where bodies are wedged there may be others, in which friction holds
 * what would part, and which of them is found would depend on the axes. */
int flg_friction_opens(const flg_complementarity_matrix *matrix, const flg_rows *rows);
/* Bounds of the tangents from the normals in z; friction = 0 closes them. */
void flg_friction_bound(flg_complementarity *solver, int contact_count,
                        const flg_friction_contact *contacts, const double *z, int friction);
/* Fills solver->normal and solver->normals for Lemke's method, coefficients times part. */
void flg_friction_couple(flg_complementarity *solver, int n, int contact_count,
                         const flg_friction_contact *contacts, double part);
/* The residual of a problem with cones: the largest scaled change of the projections in cone.h. */
double flg_cone_residual(flg_complementarity *solver, const flg_rows *rows,
                         const flg_friction *friction, const double *z, const double *w);
/* How fast rows still move that should not: see flg_complementarity_statistics. */
flg_speeds flg_cone_speeds_of(flg_complementarity *solver, const flg_rows *rows,
                              const flg_friction *friction, const double *z, const double *w);
/* Cones whose contacts stick or are open as states says of the last time, from the last z on. 1: z,
 * w, states and statistics are those of the solution; 0: left to others, nothing written. */
int flg_cone_stick(const flg_complementarity_options *options,
                   const flg_complementarity_matrix *matrix, const double *q, int contact_count,
                   const flg_friction_contact *contacts, unsigned char *states, double *z,
                   double *w, flg_complementarity_statistics *statistics);
/* One contact alone: w = A z + q, A (3 x 3) column-major, rows [normal, tangent, tangent]. 1 if
 * a solution was found, in z (3). */
int flg_cone_local(const double a[9], const double q[3], double mu, double z[3]);
/* A x = b in place in x (n), A (n x n) row-major is spoilt: partial pivoting; unknowns without a
 * pivot become 0. */
void flg_lu_solve(int n, double *a, double *x);

flg_status flg_outcome_status(flg_complementarity_outcome outcome);
/* Hands results to the caller: the state of each row, and the statistics (may be NULL). */
void flg_run_classify(const flg_complementarity *solver, const flg_rows *rows, const flg_run *run,
                      unsigned char *states);
void flg_run_report(const flg_run *run, flg_complementarity_outcome outcome,
                    flg_complementarity_method method, flg_complementarity_statistics *statistics);

#endif
