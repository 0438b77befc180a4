/* frozen_rows_inner.h - what frozen_rows.c lays out, and frozen_rows_step.c works on. */
#ifndef FLG_INTERFACE_FROZEN_ROWS_INNER_H
#define FLG_INTERFACE_FROZEN_ROWS_INNER_H

#include "interface/frozen_rows.h"

/* A joint as one body sees it: columns of `room` numbers, one for each number of the body. */
typedef struct flg_frozen_side {
  int body;
  const double *from; /* of the joint; NULL: all rows are chosen, and G is that of the joint */
  double *G;          /* (room x 6) chosen rows */
  double *lever;      /* (room x 6) G W */
} flg_frozen_side;

typedef struct flg_frozen_block {
  const flg_frozen_joint *joint;
  int rows, room;               /* chosen, and the next even number */
  int pushes;                   /* rows after so many have no linear part */
  bool is_straight;             /* G_linear G_linear^T of those before is 1, on every side */
  int row[FLG_FROZEN_ROWS_MAX]; /* (rows) which of the joint's */
  int side_count;
  flg_frozen_side side[FLG_FROZEN_ENDS_MAX];
  double *diagonal; /* (room x rows) of S, then of what is left of it */
  double *inverse;  /* (room x rows) L^-1 of it */
  double *upper;    /* (room x rows) L^-T */
  double *x;        /* (room) right-hand side, then solution */
} flg_frozen_block;

/* Two joints on one body: a product of theirs is an entry of S, or is added to it. */
typedef struct flg_frozen_coupling {
  double *entry;
  const flg_frozen_side *later, *earlier;
  int room, rows, pushes; /* of the later; of the earlier */
  bool adds;
} flg_frozen_coupling;

/* Rows of a joint that were left out. */
typedef struct flg_frozen_spare {
  const flg_frozen_joint *joint;
  int count, row[FLG_FROZEN_ROWS_MAX];
} flg_frozen_spare;

/* An entry of the factor, a block below the diagonal. */
typedef struct flg_frozen_entry {
  double *numbers; /* (room of the later x rows of the earlier) */
  flg_frozen_block *later;
} flg_frozen_entry;

/* A block of the inverse, with room for the most rows in its columns. */
typedef struct flg_frozen_share {
  double numbers[FLG_FROZEN_ROWS_MAX * FLG_FROZEN_ROWS_MAX];
} flg_frozen_share;

struct flg_frozen_rows {
  int body_count, joint_count, block_count, coupling_count, spare_count, fill_count;
  flg_frozen_body *bodies;
  flg_frozen_joint *joints;
  flg_frozen_block *blocks; /* (block_count) by place */
  flg_sparse_pattern pattern;
  flg_frozen_entry *entries; /* (pattern.entry_count) */
  flg_frozen_coupling *couplings;
  int spare_joint_count; /* joints with rows that were left out, spare_count in all */
  flg_frozen_spare *spares;
  double **fills; /* (fill_count) entries that only elimination makes, ... */
  size_t *fill_sizes;
  int count, rank;
  int *place;                 /* (joint_count) of its block, -1: it has none */
  flg_frozen_share *diagonal; /* (block_count) of S^-1, ... */
  flg_frozen_share *shares;   /* (pattern.entry_count) ... and below, as entries */
  double flops, least;
};

#endif
