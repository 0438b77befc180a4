/* complementarity.h - contact and friction impulses of rows that push but do not pull.
 *
 *     w = A z + q          A (n x n) symmetric, positive semidefinite; often singular
 *
 * linear      0 <= z_i  ⟂  w_i >= 0                          (nonsmooth-rim, Eq. 7)
 * mixed       lower_i <= z_i <= upper_i, and w_i >= 0 at the lower bound, <= 0 at the upper one,
 *             = 0 between them; free rows have bounds -inf and inf     (flexible-rim, Eq. 19)
 * box         mixed, where tangent rows are bounded by -mu z_normal and mu z_normal
 * cone        mixed, where the tangents of a contact fulfil Coulomb's law: |z_t| <= mu z_normal,
 * and z_t = -mu z_normal w_t / |w_t| where it slides
 *
 * Residual. With s_i = 1/sqrt(A_ii) rows are compared as z_i/s_i and w_i s_i, and with
 * sigma = max_i(|q_i| s_i, |z_i|/s_i) as pure numbers. The residual is the largest of
 *     |z - mid(lower, z - w, upper)| / sigma      violation of the bounds, of the sign of w, of
 * both (distance of z_i to the bound that w_i holds it to, at most sigma) * |w_i| / sigma^2 over
 * all rows; tangents with the bounds that belong to z, of a cone with the projection on the disk of
 * radius mu z_normal, and the larger A_ii of the two for both. It is always calculated from z and
 * the caller's A and q, whichever method found z.
 *
 * Memory is the caller's: build in a region, then any number of solves up to the capacity.
 * Solves are step calls: they allocate, lock and print nothing and end after a capped number of
 * iterations. They return
 *     FLG_OK            solved: residual <= tolerance
 *     FLG_ERR_RANGE     sizes, NaN, infinity, crossed bounds, a negative friction coefficient; A
 *                       asymmetric or seen to be indefinite; z, w and states are as they were
 *     FLG_ERR_PHYSICS   no solution exists: there is a direction that the bounds leave open, that
 *                       A does not resist and that q pushes along; z, w: as far as it went
 *     FLG_ERR_DIVERGED  the residual stayed over the tolerance; z, w: the best that was found
 */
#ifndef FLG_COMPLEMENTARITY_H
#define FLG_COMPLEMENTARITY_H

#include <stddef.h>

#include "base/region.h"
#include "flange/status.h"

enum {
  FLG_COMPLEMENTARITY_MAX = 30000,  /* largest capacity */
  FLG_COMPLEMENTARITY_TABLEAU = 32, /* largest n of linear problems on the stack */
  FLG_COMPLEMENTARITY_LEMKE = 480,  /* most variables of Lemke's method */
};

typedef enum flg_complementarity_method {
  FLG_METHOD_AUTOMATIC,   /* small, block, descent, lemke; iterative over the direct limit */
  FLG_METHOD_SMALL,       /* block principal pivoting on the stack, linear, n <= 32 */
  FLG_METHOD_BLOCK,       /* block principal pivoting on an updated Cholesky */
  FLG_METHOD_SINGLE,      /* least-index principal pivoting on the same */
  FLG_METHOD_DESCENT,     /* active set with null directions: never leaves the bounds */
  FLG_METHOD_LEMKE,       /* lexicographic Lemke on a tableau */
  FLG_METHOD_ITERATIVE,   /* projected Gauss-Seidel and conjugate gradients */
  FLG_METHOD_FIXED_POINT, /* friction: mixed problems with the last normals */
  FLG_METHOD_NEWTON,      /* friction: the sets or the cones of all contacts at once */
  FLG_METHOD_INTERIOR,    /* interior points, for badly scaled problems */
  FLG_METHOD_COUNT
} flg_complementarity_method;

typedef enum flg_complementarity_outcome {
  FLG_OUTCOME_SOLVED,
  FLG_OUTCOME_UNSOLVABLE, /* FLG_ERR_PHYSICS */
  FLG_OUTCOME_STALLED,    /* FLG_ERR_DIVERGED */
  FLG_OUTCOME_BAD_INPUT,  /* FLG_ERR_RANGE */
  FLG_OUTCOME_INDEFINITE  /* FLG_ERR_RANGE */
} flg_complementarity_outcome;

/* What a solve leaves in states[i]: the position, plus FLG_ROW_POTENTIAL where the row is near to a
 * change of it (within the potential tolerance). Handed back, it is where the next solve starts;
 * FLG_ROW_NEW, which is 0, starts cold. */
enum {
  FLG_ROW_NEW = 0,
  FLG_ROW_ACTIVE = 1, /* w = 0: closed contact, sticking, bilateral */
  FLG_ROW_LOWER = 2,  /* tight: z at its lower bound: open contact, sliding */
  FLG_ROW_UPPER = 3,  /* tight: z at its upper bound: sliding */
  FLG_ROW_POSITION = 7,
  FLG_ROW_POTENTIAL = 8
};

typedef struct flg_complementarity_options {
  flg_complementarity_method method; /* automatic, or one of small .. iterative to begin with */
  double tolerance;                  /* on the residual */
  double enough;              /* where the tolerance takes long, this will do; 0: it will not */
  double pivot_tolerance;     /* a row whose pivot is under this part of A_ii is dependent */
  double potential_tolerance; /* relative to sigma, for FLG_ROW_POTENTIAL */
  int direct_limit;           /* larger problems are solved iteratively */
  int iterations;             /* cap of iterative and friction sweeps */
  int effort; /* rows times iterations of the iterative method, fifty of them at least; 0: no cap */
  int bodies; /* most bodies of a sparse matrix; 0: there is none */
} flg_complementarity_options;

/* Bodies that joints hold together are a group: a force on one moves all, by a common D. */
typedef struct flg_sparse_link {
  int next;        /* the next body of its group, in a ring; itself: it is alone */
  int row, width;  /* of its freedoms in D; the first `width` of six, others are not there */
  const double *D; /* of the group, column-major; the same for all of it */
  int leading;
} flg_sparse_link;

/* A = J M^-1 J^T + diag(softness): row i touches one or two bodies of six freedoms each. Arrays are
 * the caller's and stay as they are during a solve. */
typedef struct flg_sparse_rows {
  int body_count;
  const int *body;        /* (2 n) of row i: 2 i and 2 i + 1, not the same; -1: the ground */
  const double *jacobian; /* (12 n) of row i: six numbers for each of the two; not read for -1 */
  const double *inverse_mass; /* (36 body_count) M^-1 of each body, symmetric, semidefinite */
  const double *softness;     /* (n) >= 0; NULL: none */
  const flg_sparse_link
      *links; /* (body_count) M^-1 are then the D's; NULL: no body is in a group */
} flg_sparse_rows;

/* u (6 body_count) += M^-1 f of the others in a body's group, under a force f (6) on it. */
void flg_sparse_follow(const flg_sparse_link *links, int body, const double *f, double *u);
/* e M^-1 f for a force f (6) on one body, and numbers e (6) of another one. */
double flg_sparse_between(const flg_sparse_link *links, int seen, const double *e, int pushed,
                          const double *f);

/* A, in one of two forms: the first that is not NULL. Both triangles of a dense one are read. */
typedef struct flg_complementarity_matrix {
  int n;
  const double *dense; /* A (n x n), column-major */
  int leading;
  const flg_sparse_rows *sparse;
  const double *scale; /* (n) what A_ii would be if nothing blocked row i; NULL: A_ii itself */
  /* (n) speeds of the rows before: iterations are near enough by these, so that what rests is
   * solved; NULL: by sigma */
  const double *before;
  /* speeds of rows that may be left over: iterations on cones end there, in place of `enough`, and
   * interior points do not start over for less; 0: not told */
  double left;
  /* cones: a few Newton steps from the start, after sweeps if there is none, and no more where they
   * are caught; interior points end at `left` */
  int brief;
  /* of several solutions of friction the one at the start is meant; 0: contacts part where all do
   * so by themselves */
  int stays;
} flg_complementarity_matrix;

/* Rows of one contact. Every row belongs to one contact at most. */
typedef struct flg_friction_contact {
  int normal;
  int tangent[2]; /* the second may be -1: planar */
  double coefficient;
} flg_friction_contact;

typedef struct flg_complementarity_statistics {
  flg_complementarity_outcome outcome;
  flg_complementarity_method method; /* that finished */
  int iterations;                    /* of all methods that ran */
  int dependent_rows;                /* left out as dependent on others, at the end */
  int even;                          /* of many answers it is the shortest */
  double residual;                   /* scaled, see above; infinite if there is none */
  double speed;  /* largest |z - mid(lower, z - w/A_ii, upper)| A_ii: how fast any row still moves
                  * that should not, in its own units */
  double excess; /* the same of rows in which rounding of A z + q does not explain it */
} flg_complementarity_statistics;

/* Workspace; its fields are inner. */
typedef struct flg_complementarity flg_complementarity;

/* automatic, 1e-10, 0, 1e-11, 1e-6, 2000, 2000, 0, 0 */
flg_complementarity_options flg_complementarity_default(void);
const char *flg_complementarity_method_name(flg_complementarity_method method);
const char *flg_complementarity_outcome_text(flg_complementarity_outcome outcome);

/* Set-up: *solver for problems up to n = capacity. Direct methods take 24 bytes times
 * min(capacity, direct_limit)^2. A failed call leaves *solver as it was. */
flg_status flg_complementarity_build(flg_complementarity **solver, int capacity,
                                     const flg_complementarity_options *options, flg_region *region,
                                     flg_error *error);

/* Step: q (n), bounds (n), states (n) in and out, z (n) in and out, w (n). NULL is allowed for
 * lower (0), upper (infinity), states (cold) and statistics. Inputs and outputs must not overlap. z
 * is read only in rows whose state is not FLG_ROW_NEW, by the iterative method and for friction:
 * where they start. n = 0 is solved. */
flg_status flg_complementarity_linear(flg_complementarity *solver,
                                      const flg_complementarity_matrix *matrix, const double *q,
                                      unsigned char *states, double *z, double *w,
                                      flg_complementarity_statistics *statistics);
flg_status flg_complementarity_mixed(flg_complementarity *solver,
                                     const flg_complementarity_matrix *matrix, const double *q,
                                     const double *lower, const double *upper,
                                     unsigned char *states, double *z, double *w,
                                     flg_complementarity_statistics *statistics);
/* Friction, on any form of the matrix. Rows that are no tangents push: 0 <= z. */
flg_status flg_complementarity_box(flg_complementarity *solver,
                                   const flg_complementarity_matrix *matrix, const double *q,
                                   int contact_count, const flg_friction_contact *contacts,
                                   unsigned char *states, double *z, double *w,
                                   flg_complementarity_statistics *statistics);
flg_status flg_complementarity_cone(flg_complementarity *solver,
                                    const flg_complementarity_matrix *matrix, const double *q,
                                    int contact_count, const flg_friction_contact *contacts,
                                    unsigned char *states, double *z, double *w,
                                    flg_complementarity_statistics *statistics);

/* Judges impulses z (n) from elsewhere as an answer of cone: w, states (out) and
 * statistics; z stays. FLG_OK or FLG_ERR_DIVERGED, by the residual. */
flg_status flg_complementarity_judge(flg_complementarity *solver,
                                     const flg_complementarity_matrix *matrix, const double *q,
                                     int contact_count, const flg_friction_contact *contacts,
                                     unsigned char *states, double *z, double *w,
                                     flg_complementarity_statistics *statistics);

/* The same as cone, with no contacts as linear, for problems that are badly scaled, as where a
 * heavy body lies on a light one: an interior-point method on a dense matrix, until `excess` is a
 * tenth of the tolerance, by the largest |q|, or no more than `left` and hard to lower. It takes no
 * start, and of many answers finds the one in the middle. Slower than the others: 10 to 30
 * factorisations of the size of A's rank. */
flg_status flg_complementarity_interior(flg_complementarity *solver,
                                        const flg_complementarity_matrix *matrix, const double *q,
                                        int contact_count, const flg_friction_contact *contacts,
                                        unsigned char *states, double *z, double *w,
                                        flg_complementarity_statistics *statistics);

#endif
