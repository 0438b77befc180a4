/* plan.h - from a graph of parts and joints to a binary tree of eliminations, and its walks.
 *
 *     parts      models with ports of 6 rows [linear; angular], and contact rows
 *     joints     sum G_s y_s + C l = gamma over 2 to 4 ports, or a port and the ground
 *
 *               root              up:    each node eliminates the joints whose ends are now all
 *              /    \                    inside (eliminate.h), and hands on the rows of ports that
 *          join      join                have other joints, are outer ports, or contacts
 *         /    \    /    \        root:  forces on what is still open: none, given, or an LCP
 *      part reduce part  part     down:  reactions of each joint, forces on each part; at the
 *              |                         parts a = H x + b
 *             part
 *
 * This is the component method of vsd-components, section 3 (up 3.1, root 3.2, down 3.3). Joints to
 * the ground and between ports of one part are closed by a `reduce` on that part, all others by the
 * lowest `join` that holds all ends. Most joints have two; a gear turns three or four bodies,
 * w_fast - w_housing + 59 (w_disc - w_housing) = 0. A part may be anything with such rows: a rigid
 * body is one port at its centre of mass (lever arms are in G), a robot has a port
 * for each tool.
 *
 * Two orders. Balanced: rounds of matching along joints, each of which at least halves the number
 * of pieces: a chain of N bodies is log2 N deep. Sequential: every piece is joined to its neighbour
 * on the way to the first part: the fewest operations, but a chain is N deep. Either stays within
 * the groups that the user gives. Both take linear time on chains and trees. A joint between three
 * pieces or more only decides where no other joint does.
 *
 * All memory is in regions that belong to the plan. Steps allocate, lock and print nothing. Each
 * node writes only what is its own: results are bitwise the same for any number of threads.
 * Nothing is recursive; chains may be as long as memory.
 *
 * A step
 *     flg_plan_factor     H of parts, G and scale of joints, then as refresh
 *     flg_plan_refresh    b of parts and gamma of joints, for new right-hand sides
 *     flg_plan_solve      root and down
 */
#ifndef FLG_INTERFACE_PLAN_H
#define FLG_INTERFACE_PLAN_H

#include "flange/status.h"
#include "flange/threads.h"
#include "interface/eliminate.h"

enum { FLG_GROUND = -1, FLG_NO_GROUP = -1, FLG_JOINT_ENDS_MAX = 4 };

typedef struct flg_graph_part {
  int ports;    /* of 6 rows each */
  int contacts; /* contact rows, after those of the ports */
  int group;    /* or FLG_NO_GROUP */
} flg_graph_part;

typedef struct flg_graph_port {
  int part; /* or FLG_GROUND, but not as the first end of a joint */
  int port;
} flg_graph_port;

typedef struct flg_graph_joint {
  int rows;                               /* of G; 0, without ends: it is left out */
  int ends;                               /* 1 to FLG_JOINT_ENDS_MAX, most have 2 */
  flg_graph_port end[FLG_JOINT_ENDS_MAX]; /* the first `ends` count; no port twice */
  int soft;                               /* 1: its rows may have compliance (eliminate.h) */
  int weld;       /* 1: they are those of a weld in axes of the world (eliminate.h), or zero */
  unsigned turns; /* bit i: row i has no linear part at any end; 0: not known */
  int straight;   /* 1: linear parts of the other rows are unit vectors at right angles */
} flg_graph_joint;

/* All arrays are the caller's, and not needed after the build. */
typedef struct flg_graph {
  int part_count, joint_count, outer_count, group_count;
  const flg_graph_part *parts;
  const flg_graph_joint *joints;
  const flg_graph_port *outers; /* ports that stay open at the root */
  const int *group_parent;      /* the group around group i: less than i, or FLG_NO_GROUP */
} flg_graph;

typedef enum flg_plan_order { FLG_PLAN_BALANCED, FLG_PLAN_SEQUENTIAL } flg_plan_order;

typedef struct flg_plan_options {
  flg_plan_order order;
  flg_elimination_form form;
  double tolerance; /* of pivots, see eliminate.h */
} flg_plan_options;

typedef struct flg_plan flg_plan;

/* A part. The first two are written by the caller before flg_plan_factor; with FLG_FORM_ROOT the
 * matrix is Z. The others hold the result of flg_plan_solve. */
typedef struct flg_plan_part {
  int rows;             /* n: 6 a port, then the contacts */
  double *matrix;       /* H (n x n), or Z */
  double *bias;         /* b (n) */
  const double *force;  /* x (n): what joints, contacts and outer forces do to the part */
  const double *motion; /* a (n) = H x + b */
} flg_plan_part;

/* A joint. Its rows stand in the matrix of the elimination that closes it: element (i, j) of side s
 * is side[s][i + j * leading]. */
typedef struct flg_plan_joint {
  int rows;                         /* m */
  int leading;                      /* leading dimension of all sides */
  double *side[FLG_JOINT_ENDS_MAX]; /* G_s (m x 6) of each end; NULL for the ground, and no end */
  double *gamma;                    /* (m) */
  double *scale;                    /* (m) free admittance; flg_plan_scale can set it */
  double *compliance;      /* (m) diagonal of C, zero at first; NULL if the joint is not soft */
  const double *reactions; /* l (m), result; not unique where rows are redundant */
  int first;               /* end that is of the first model: where G of a weld is 1 */
} flg_plan_joint;

/* One connected piece of the system, as it comes out at the top. */
typedef struct flg_plan_root {
  int rows;                 /* n: of outer ports and contacts */
  const double *admittance; /* H (n x n) */
  const double *bias;       /* b (n) */
  double *force;            /* x (n), zero after factor and refresh */
  const int *part;          /* (n) the part that each row belongs to */
  const int *row;           /* (n) and which of its rows it is */
} flg_plan_root;

typedef struct flg_plan_totals {
  int rows;     /* of all joints */
  int rank;     /* of them independent */
  int rechosen; /* eliminations whose frozen rows had to be chosen again */
} flg_plan_totals;

/* Balanced, admittance form, tolerance 1e-8. */
flg_plan_options flg_plan_default(void);
/* Set-up. FLG_ERR_RANGE names the part or joint that is wrong; FLG_ERR_MEMORY. Release the plan
 * with flg_plan_release. */
flg_status flg_plan_build(flg_plan **plan, const flg_graph *graph, const flg_plan_options *options,
                          flg_error *error);
void flg_plan_release(flg_plan *plan);

/* Known before stepping: all memory; multiplications and additions of factor and solve, with frozen
 * rows where there are any. */
size_t flg_plan_bytes(const flg_plan *plan);
double flg_plan_flops(const flg_plan *plan);
/* Eliminations, and the longest way from a part to a root. */
int flg_plan_node_count(const flg_plan *plan);
int flg_plan_depth(const flg_plan *plan);
/* One elimination: rows of its result, flops; node from 0 to node count - 1. */
typedef struct flg_plan_node_info {
  int child[2]; /* node, or ~part (the complement); INT_MIN: none */
  int constraints, kept;
  size_t bytes; /* of its arrays */
  double flops;
} flg_plan_node_info;
flg_plan_node_info flg_plan_node_view(const flg_plan *plan, int node);

flg_plan_part flg_plan_part_view(const flg_plan *plan, int part);
flg_plan_joint flg_plan_joint_view(const flg_plan *plan, int joint);
int flg_plan_root_count(const flg_plan *plan);
flg_plan_root flg_plan_root_view(const flg_plan *plan, int index);
/* Set-up: the root that a part is in. */
int flg_plan_root_of(const flg_plan *plan, int part);
flg_plan_totals flg_plan_totals_view(const flg_plan *plan);
/* The least pivot of the last factor, in proportion to the scale of its row: how far it is to a
 * singular pose, squared. 1 without rows. */
double flg_plan_least(const flg_plan *plan);
/* Step: what pivots have to exceed from now on, in proportion as above; 0: the tolerance of the
 * options again. */
void flg_plan_tolerate(flg_plan *plan, double tolerance);
/* 1 if the last choice left that row of the joint out: others already fix what it asks for. */
int flg_plan_is_redundant(const flg_plan *plan, int joint, int row);
/* The scratch of a step, without pivots: a test may fill it with NaN between steps. */
double *flg_plan_scratch(const flg_plan *plan, size_t *count);

/* Step: scale of all joint rows from the parts as they are, sum g H_port g^T + C. */
void flg_plan_scale(flg_plan *plan, flg_threads *threads);
/* Step: up, with factors. FLG_ERR_DIVERGED if a value is not finite. threads may be NULL. */
flg_status flg_plan_factor(flg_plan *plan, flg_pivots pivots, flg_threads *threads);
/* Step: the factors alone; flg_plan_refresh has to follow before a solve. */
flg_status flg_plan_factor_alone(flg_plan *plan, flg_pivots pivots, flg_threads *threads);
/* Set-up, after a factor that has chosen rows: this choice is kept for flg_plan_factor_frozen,
 * where parts are rigid bodies, no row stays open and so many fewer operations are needed
 * (frozen_rows.h). normals: three numbers a part, not zero for those that joints hold flat; rows
 * were chosen with matrices of the plane for these; NULL: there are none. Sides of joints are
 * elsewhere then: views have to be taken again, and G to be written. FLG_ERR_MEMORY. */
flg_status flg_plan_freeze(flg_plan *plan, const double *normals);
/* Step: factors by the rows that were frozen; they need no scale. 0 if none are, or they are too
 * close to dependent: then flg_plan_factor is to choose. */
int flg_plan_factor_frozen(flg_plan *plan);
/* Step, after flg_plan_factor has chosen: by frozen rows all the same, where no other rows are
 * farther from dependent: close to a singular pose. How a step goes on there depends on rounding,
 * and these have the same bits in generated code (compile/mechanism_space.h). 0: not, and the
 * factors are those that there were. */
int flg_plan_factor_steep(flg_plan *plan);
/* The least pivot below which flg_plan_factor_steep takes a pose for close to a singular one. */
double flg_plan_steep(const flg_plan *plan);
/* True if the last factors are by frozen rows. A solve that finds that rows which were left out
 * count again, chooses rows and factors by itself. */
int flg_plan_is_frozen(const flg_plan *plan);
/* Right-hand sides of the next solves are such that all rows can be fulfilled to rounding: those
 * that were left out are judged, by the largest number in y and b, displacements over the length of
 * the system [m]. length 0, and at first: they are not. */
void flg_plan_judge(flg_plan *plan, double length);
/* Step: up, with the factors there are. */
flg_status flg_plan_refresh(flg_plan *plan, flg_threads *threads);
/* Step: root and down, with what the caller has written to root->force. */
flg_status flg_plan_solve(flg_plan *plan, flg_threads *threads);
/* Step: the same for callers that need motions alone: forces on parts and reactions of joints are
 * not known after it. Where all rows are open at the roots, a = H x + b is there already. */
flg_status flg_plan_move(flg_plan *plan, flg_threads *threads);

#endif
