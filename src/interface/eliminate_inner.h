/* eliminate_inner.h - what the files of eliminate share: the three ways to factor, and how the
 * arrays of an elimination are laid out (the plan packs many of them together). */
#ifndef FLG_INTERFACE_ELIMINATE_INNER_H
#define FLG_INTERFACE_ELIMINATE_INNER_H

#include <stddef.h>

#include "interface/eliminate.h"
#include "math/six.h"

enum {
  FLG_PORT_ROWS = 6,
  FLG_SMALL_CONSTRAINTS = 6, /* the small path takes joints of up to so many rows */
  FLG_SMALL_ROWS = 48        /* and models of up to so many rows in all */
};

static inline int flg_shape_rows(const flg_elimination_shape *shape) {
  return shape->rows[0] + shape->rows[1];
}

static inline int flg_shape_touched(const flg_elimination_shape *shape) {
  return shape->touched[0] + shape->touched[1];
}

/* rows of a column of J in the root form: one more for each row that may be soft */
static inline int flg_shape_coordinates(const flg_elimination_shape *shape) {
  return flg_shape_rows(shape) + (shape->soft ? shape->constraints : 0);
}

static inline int flg_shape_kept(const flg_elimination_shape *shape) {
  return shape->kept[0] + shape->kept[1];
}

/* 1 if all are finite, and so is their sum: three sums of two, so that they do not wait for each
 * other. */
static inline int flg_are_finite(size_t count, const double *values) {
  flg_two sum[3] = {{0}, {0}, {0}};
  double rest = 0;
  size_t k = 0;
  for (; k + 6 <= count; k += 6) {
    for (int i = 0; i < 3; i++) sum[i] += *(const flg_two *)(values + k + 2 * i);
  }
  for (; k < count; k++) rest += values[k];
  const flg_two all = sum[0] + sum[1] + sum[2];
  return 0 * (all[0] + all[1] + rest) == 0;
}

/* The blocks of ports above the diagonal, from those below; k is a multiple of 6. */
FLG_SMALL void flg_mirror_blocks(int k, double *H) {
  for (int top = FLG_PORT_ROWS; top < k; top += FLG_PORT_ROWS) {
    for (int j = 0; j < top; j++) {
#pragma GCC unroll 6
      for (int i = 0; i < FLG_PORT_ROWS; i++) H[j + (top + i) * k] = H[top + i + j * k];
    }
  }
}

/* Numbers an elimination needs, by what happens to them. */
typedef struct flg_elimination_sizes {
  size_t indices; /* int:    touched, kept, order, index_work */
  size_t inputs;  /* double: G, gamma, scale, compliance */
  size_t factors; /* double: lower, outward, shift, work */
} flg_elimination_sizes;

/* 1 if the small path can take it: whole ports of 6 rows, few constraints. */
int flg_elimination_is_small(const flg_elimination_shape *shape, const int *const touched[2],
                             const int *const kept[2]);
flg_elimination_sizes flg_elimination_measure(const flg_elimination_shape *shape, int small);
/* Points the elimination at its arrays, and copies the lists. */
void flg_elimination_attach(flg_elimination *elimination, const flg_elimination_shape *shape,
                            int small, const int *const touched[2], const int *const kept[2],
                            int *indices, double *inputs, double *factors);

/* The ways to factor: any size; whole ports; square root. They set rank, order, lower, outward. */
flg_status flg_eliminate_dense(flg_elimination *e, flg_pivots pivots, const double *const H[2],
                               double *H_out);
flg_status flg_eliminate_small(flg_elimination *e, flg_pivots pivots, const double *const H[2],
                               double *H_out);
flg_status flg_eliminate_root(flg_elimination *e, flg_pivots pivots, const double *const Z[2],
                              double *Z_out);
/* The first way and welds in two parts. A weld needs whole ports, as the second way. */
flg_status flg_eliminate_dense_select(flg_elimination *e, flg_pivots pivots,
                                      const double *const H[2]);
void flg_eliminate_dense_keep(flg_elimination *e, const double *const H[2], double *H_out);
/* 1 if all rows of a weld are independent, in their order. */
int flg_eliminate_weld_all(flg_elimination *e, const double *const H[2]);
flg_status flg_eliminate_weld_select(flg_elimination *e, flg_pivots pivots,
                                     const double *const H[2]);
void flg_eliminate_weld_keep(flg_elimination *e, const double *const H[2], double *H_out);
/* L of S (m x m, both triangles) for up to FLG_SMALL_CONSTRAINTS rows. */
flg_status flg_eliminate_small_schur(flg_elimination *e, flg_pivots pivots, const double *S);
/* Right-hand sides and back-substitution, where models are made of whole ports. */
flg_status flg_eliminate_small_refresh(flg_elimination *e, const double *const bias[2],
                                       double *bias_out);
void flg_eliminate_small_back(const flg_elimination *e, const double *x_keep, double *reactions,
                              double *const x[2]);
/* The same of a weld. */
flg_status flg_eliminate_weld_refresh(flg_elimination *e, const double *const bias[2],
                                      double *bias_out);
void flg_eliminate_weld_back(const flg_elimination *e, const double *x_keep, double *reactions,
                             double *const x[2]);
/* S (m x m) += C, where the shape is soft. */
void flg_eliminate_soften(const flg_elimination *e, double *S);

#endif
