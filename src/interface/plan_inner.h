/* plan_inner.h - a plan from inside: what plan.c lays out and plan_step.c walks over.
 *
 * Tree nodes: 0 .. part_count - 1 are the parts, part_count + e is elimination e.
 */
#ifndef FLG_INTERFACE_PLAN_INNER_H
#define FLG_INTERFACE_PLAN_INNER_H

#include "base/walk.h"
#include "interface/frozen_rows.h"
#include "interface/plan.h"
#include "interface/plan_wholes.h"

/* The model of a tree node. Those of parts are inputs, the others are computed. */
typedef struct flg_plan_model {
  int rows;
  double *matrix; /* H or Z (n x n) */
  double *bias;   /* b (n) */
  double *force;  /* x (n) */
} flg_plan_model;

typedef struct flg_plan_node {
  flg_elimination elimination;
  int child[2];      /* tree nodes; child[1] is -1 in a reduction */
  double *reactions; /* l (m) */
  const int *joints; /* that it closes */
  int joint_count;
} flg_plan_node;

/* Counts of an elimination and all below it; kept apart, so that they are not scratch. */
typedef struct flg_plan_tally {
  flg_status status;
  flg_plan_totals totals;
} flg_plan_tally;

typedef struct flg_plan_placed {
  int node, row; /* its elimination, and its first row there */
  int first;     /* end that is of the elimination's first model */
  int rows, ends;
  unsigned turns;                   /* as in the graph */
  int straight;                     /* as in the graph */
  double *side[FLG_JOINT_ENDS_MAX]; /* in G of the elimination; NULL for the ground */
  double *compliance;               /* NULL if it is not soft */
  int part[FLG_JOINT_ENDS_MAX];     /* may be FLG_GROUND */
  int part_row[FLG_JOINT_ENDS_MAX]; /* first row of the port in its part */
} flg_plan_placed;

typedef struct flg_plan_top {
  int node; /* tree node */
  int *part, *row;
  double *admittance; /* (n x n): with FLG_FORM_ROOT made from Z, else the node's matrix */
} flg_plan_top;

struct flg_plan {
  flg_region region;
  flg_plan_options options;
  int part_count, joint_count, node_count, root_count, depth;
  int is_whole; /* all rows of all parts are open at the roots */
  double flops;
  flg_plan_model *models;  /* (part_count + node_count) */
  double **motion;         /* (part_count) a */
  double **part_work;      /* (part_count) with FLG_FORM_ROOT: Z^T x */
  flg_plan_node *nodes;    /* (node_count) */
  flg_plan_tally *tallies; /* (part_count + node_count) */
  flg_plan_placed *joints; /* (joint_count) */
  flg_plan_top *roots;     /* (root_count) */
  int *joint_list;         /* (joint_count) by elimination */
  int *indices;            /* of all eliminations */
  int *parent;             /* (part_count + node_count) tree nodes, -1 of roots */
  int *way;        /* (depth + 1) scratch of plan_probe.c: tree nodes on the way to a root */
  double *inputs;  /* of parts and eliminations: written by the caller */
  double *scratch; /* all that is computed */
  size_t input_count, scratch_count, index_count;
  flg_tree tree;
  flg_region frozen_region;
  flg_frozen_rows *frozen;  /* NULL: rows are not frozen (plan_frozen.c) */
  unsigned *chosen;         /* (joint_count) rows of each joint that are, if they are */
  int is_frozen;            /* the last factors are by these */
  int frozen_rank;          /* of all rows where they were chosen */
  double steep;             /* pivots below this are close to a singular pose */
  flg_plan_member *members; /* the last factors are by these (plan_wholes.c); NULL: they are not */
  int swings;    /* of such factors: right-hand sides are of accelerations of what turns */
  double judged; /* length by which rows that were left out are judged; 0: not */
};

/* plan_frozen.c: rows of joints, which the caller writes elsewhere where some are frozen; and a
 * solve by these. */
void flg_plan_take_rows(flg_plan *plan);
flg_status flg_plan_solve_frozen(flg_plan *plan, flg_threads *threads);
/* plan_step.c: up with new right-hand sides, and down, on the way between an elimination and its
 * root alone: for reactions there, where only its own right-hand sides have changed. */
flg_status flg_plan_solve_on_way(flg_plan *plan, int node);
/* plan_wholes.c: up, with factors of that kind. */
flg_status flg_plan_refresh_wholes(flg_plan *plan);

#endif
