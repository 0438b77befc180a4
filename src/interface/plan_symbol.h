/* plan_symbol.h - what each merge of a plan closes, touches and keeps, before there is memory for
 * it. Set-up only; everything is in the region.
 *
 * The rows of a part come in slots: one for each port (6 rows), and one for its contacts. An open
 * slot belongs to exactly one piece at a time, the one that has taken it over last.
 */
#ifndef FLG_INTERFACE_PLAN_SYMBOL_H
#define FLG_INTERFACE_PLAN_SYMBOL_H

#include "interface/plan_order.h"

typedef struct flg_plan_slot {
  int part, row, rows; /* which rows of which part */
  int is_open_always;  /* contacts and outer ports */
  int open;            /* joints on it that are not closed yet */
  int offset;          /* its first row in the piece that holds it */
  int side, holder;    /* side of the merge `holder` that it comes in by */
  int column, toucher; /* its first column in G_side of the merge `toucher` */
} flg_plan_slot;

typedef struct flg_plan_symbol {
  flg_elimination_shape shape;
  int small;
  const int *touched[2], *kept[2]; /* as in eliminate.h */
  const int *slots;                /* that stay open, in the order of their rows */
  int slot_count;
  const int *joints; /* that are closed, in ascending order */
  int joint_count;
} flg_plan_symbol;

/* Where a joint stands in the merge that closes it. */
typedef struct flg_plan_place {
  int merge, row;
  int ends;
  int slot[FLG_JOINT_ENDS_MAX];                             /* FLG_PLAN_NONE for the ground */
  int side[FLG_JOINT_ENDS_MAX], column[FLG_JOINT_ENDS_MAX]; /* of each end that has a slot */
} flg_plan_place;

typedef struct flg_plan_symbols {
  int slot_count;
  int *first_slot;         /* (parts + 1) */
  flg_plan_slot *slots;    /* (slot_count) */
  int *first_joint;        /* (slot_count + 1) */
  int *joints;             /* joints by slot */
  flg_plan_symbol *merges; /* (merge_count) */
  flg_plan_place *places;  /* (joint_count) */
} flg_plan_symbols;

/* FLG_ERR_RANGE for graphs that cannot be: an index, a size or a joint with a port twice. */
flg_status flg_graph_check(const flg_graph *graph, flg_error *error);
/* 0 if the region has no memory. The graph must be valid. */
int flg_plan_symbols_build(flg_plan_symbols *symbols, const flg_graph *graph,
                           const flg_plan_options *options, const flg_plan_merge *merges,
                           int merge_count, flg_region *region);

#endif
