/* eliminate.h - the one operation: close rows of one or two interface models, keep the others.
 *
 *     y = H x + b           the models, one under the other: H = diag(H_0, H_1)        n rows
 *     G y + C l = gamma     rows that are to be closed; C = 0 but for soft rows        m rows
 *     x = x_keep + G^T l    forces from outside on the rows that stay, and reactions   k rows
 *
 * becomes one model y_keep = H_out x_keep + b_out (vsd-components, Eq. 4 and 5):
 *
 *     S = G H G^T + C ~ L L^T on the selected rows p (pivoted)
 *     V = L^-1 (H G^T)_(keep,p)^T            t = L^-1 (gamma - G b)_p
 *     H_out = H_keep - V^T V                 b_out = b_keep + V^T t
 *     back:  l_p = L^-T (t - V x_keep), other l = 0;   x = x_keep + G^T l
 *
 * With one model this is `reduce` (a part with its inner joints, a loop that closes), with two it
 * is `join` (two parts and the joints between them). m = 0 only drops rows.
 *
 * The factors (L, V) depend on H and G, so new right-hand sides cost little:
 *     accelerations         b = free accelerations, gamma = - Gdot v          y = accelerations
 *     velocity projection   b = velocities,         gamma = 0                 y = velocities on the
 *                                                                                 constraints
 *     position projection   b = 0,                  gamma = - g               y = displacement
 * All three are flg_elimination_refresh, on the same factors.
 *
 * Soft rows. A stiff spring or damper, taken at the end of the step, yields to its own effort: C is
 * diagonal, its compliance. With rate w = G y, stretch c and impulse l = - h k (c + h w) - h d w
 *     w + l / (h^2 k + h d) = - k c / (h k + d)        C = 1 / (h^2 k + h d), gamma on the right
 * H_out stays semidefinite, since S only grows. C -> 0 is the hard row, C -> infinity none at all.
 * A soft row is no constraint: projections need factors without it (scale 0 leaves a row out).
 *
 * Redundant rows. Row i is judged against scale[i], its free admittance: what S_ii would be if
 * nothing blocked the bodies it acts on, sum g_i M^-1 g_i^T + C_ii. (S_ii itself is rounding where
 * a model already blocks the row.) It is selected while more than tolerance * scale[i] is left of
 * its pivot, and with scale 0 never. At least C_ii is left of a soft row, so that it is not
 * redundant unless C_ii is nothing against the rest. Motion is the same whichever rows are dropped;
 * reactions of redundant rows are not unique. Choose the rows only at states that fulfil the
 * constraints, and freeze them in between: off these states redundant rows look independent. A
 * frozen set that fails is chosen again, and counted.
 *
 * Two forms. FLG_FORM_ADMITTANCE carries H. FLG_FORM_ROOT carries Z with H = Z Z^T (n x n, columns
 * may be zero) and eliminates by QR with column pivoting,
 *     (G Z)^T P = Q R,   L = R^T,   [V^T, Z_out] = Z_keep Q          (vsd-components, Eq. 9)
 * so that S is never formed: near singular poses five more digits are left. Each soft row adds a
 * coordinate that is not kept: (G Z)^T stands on top of sqrt(C), Z_keep beside 0. The tolerance
 * then applies to the square root of the pivot: 1e-8 keeps rows up to 1e-8 rad from a singular
 * pose, where the other form keeps them up to 1e-4 rad.
 *
 * Welds. All of a port moves with all of the other, so that any six rows will do. Those that are
 * simplest are in axes of the world, d from the origin of the port of model 1 to that of model 0:
 *     v_0 - v_1 - w_1 x d = 0,  w_0 - w_1 = 0          G_0 = 1,  G_1 = -[1 -[d]x; 0 1]
 * Where the shape says that G is of this kind, flg_elimination_select and keep leave out the
 * products with it.
 *
 * Matrices are column-major without gaps; H_out is symmetric to the last bit if H is. Contact rows
 * are kept rows like others. Set-up calls can fail and say why; step calls neither allocate nor
 * lock, and fail only with FLG_ERR_DIVERGED: NaN or infinity. No array may overlap another.
 */
#ifndef FLG_INTERFACE_ELIMINATE_H
#define FLG_INTERFACE_ELIMINATE_H

#include "base/region.h"
#include "flange/status.h"
#include "math/pivoted_cholesky.h" /* FLG_PIVOT_TOLERANCE, the usual one */

typedef enum flg_elimination_form { FLG_FORM_ADMITTANCE, FLG_FORM_ROOT } flg_elimination_form;
/* Rows are chosen; those of the last factor are used again; or all are, in their order. A set that
 * has become redundant is chosen again. */
typedef enum flg_pivots { FLG_PIVOTS_CHOOSE, FLG_PIVOTS_FROZEN, FLG_PIVOTS_ALL } flg_pivots;

/* Sizes. Side 1 is all zero in a reduction. */
typedef struct flg_elimination_shape {
  int constraints;  /* m */
  int rows[2];      /* n_c: rows of each model, n = n_0 + n_1 */
  int touched[2];   /* q_c: rows of each that G reaches */
  int kept[2];      /* k_c: rows of each that stay, k = k_0 + k_1; they may be touched too */
  int soft;         /* 1: there is a compliance for each row; 0: none, and no cost */
  int weld;         /* 1: a port of each is welded, in axes of the world: see below */
  int form;         /* a flg_elimination_form */
  double tolerance; /* of a scaled pivot, over 0 and under 1 */
} flg_elimination_shape;

typedef struct flg_elimination {
  flg_elimination_shape shape;
  int small;             /* 1: the path for joints of bodies, with loops of constant length */
  int rank;              /* rows selected by the last factor */
  int rechosen;          /* 1: the last factor was to use certain rows, and had to choose */
  const int *touched[2]; /* (q_c) rows of model c, in the order of the columns of G_c */
  const int *kept[2];    /* (k_c) rows of model c, in the order in which they come out */
  int *order;            /* (m) the selected rows, then the others */
  /* inputs, written by the caller, zero at first */
  double *G[2];       /* (m x q_c) */
  double *gamma;      /* (m) */
  double *scale;      /* (m) free admittance of each row */
  double *compliance; /* (m) diagonal of C, not negative; NULL unless shape.soft */
  /* factors and results */
  double *lower;    /* L   (m x m), lower triangle of the leading rank rows */
  double *outward;  /* V^T (k x m), the leading rank columns */
  double *shift;    /* t   (m) */
  double *selected; /* l_p (m), of the last back */
  double *work;
  int *index_work;
} flg_elimination;

/* Set-up: touched[c] (q_c) and kept[c] (k_c) are copied; each lists rows of model c without
 * repetition. FLG_ERR_RANGE, FLG_ERR_MEMORY; a failed call changes nothing but *error. */
flg_status flg_elimination_build(flg_elimination *elimination, const flg_elimination_shape *shape,
                                 const int *const touched[2], const int *const kept[2],
                                 flg_region *region, flg_error *error);
/* Multiplications and additions of one factor, refresh and back. */
double flg_elimination_flops(const flg_elimination_shape *shape, int small);

/* Step: L and V, and H_out (k x k); with FLG_FORM_ROOT the matrices are Z and Z_out. matrix[1] is
 * not read in a reduction. After FLG_ERR_DIVERGED the factors are spoilt. */
flg_status flg_elimination_factor(flg_elimination *elimination, flg_pivots pivots,
                                  const double *const matrix[2], double *matrix_out);
/* Step: the same in two parts, in admittance form and of an elimination that was built by itself.
 * First L; no row stays. Then V and H_out of rows that do: of each model count[c] <= the k_c of the
 * build, whole ports if those were. The lists are borrowed until the next select. */
flg_status flg_elimination_select(flg_elimination *elimination, flg_pivots pivots,
                                  const double *const matrix[2]);
void flg_elimination_keep(flg_elimination *elimination, const int *const kept[2],
                          const int count[2], const double *const matrix[2], double *matrix_out);
/* The least pivot of the last factor in proportion to the scale of its row; 1 without rows. */
double flg_elimination_least(const flg_elimination *elimination);
/* Step: t from gamma, and b_out (k). */
flg_status flg_elimination_refresh(flg_elimination *elimination, const double *const bias[2],
                                   double *bias_out);
/* Step: the reactions l (m) and the forces x_c (n_c) on each model from x_keep (k; NULL: zero). */
void flg_elimination_back(const flg_elimination *elimination, const double *x_keep,
                          double *reactions, double *const x[2]);

#endif
