/* The walks of a step. Each body writes only what belongs to its own node on the way up; on the way
 * down the forces on its children, which no other node writes. */
#include <string.h>

#include "base/for_each.h"
#include "interface/eliminate_inner.h"
#include "interface/plan_inner.h"
#include "math/dense.h"
#include "math/dense_small.h"
#include "math/wide_vectors.h"

typedef struct walk {
  flg_plan *plan;
  flg_pivots pivots;
  int is_refresh; /* only new right-hand sides */
  int is_factor;  /* only factors */
} walk;

/* --- memory ------------------------------------------------------------------------------------
 */

enum { NEAR = 16 }; /* so few nodes are at hand anyway */

/* Trees of many small nodes are limited by memory, not by arithmetic. */
static void ask_for(const double *from, int count) {
  enum { LINE = 8 }; /* doubles in a cache line */
  for (int k = 0; k < count; k += LINE) __builtin_prefetch(from + k);
}

/* Nodes lie in memory in the order of the walk up, and their neighbours are about as large as they
 * are: the next one is asked for while this one is worked on. A wrong guess costs nothing but time.
 * direction: 1 up, -1 down. */
static void ask_for_next(const flg_plan *plan, const flg_plan_node *node, const double *matrix,
                         int direction) {
  if (plan->node_count < NEAR || !node->elimination.small) return;
  const flg_elimination_shape *shape = &node->elimination.shape;
  const int m = shape->constraints, k = flg_shape_kept(shape);
  const int inputs = m * (flg_shape_touched(shape) + 2) + 6 * FLG_PORT_ROWS;
  const int results = k * (k + 2) + m * (m + k + 4);
  ask_for(node->elimination.G[0] + direction * inputs, inputs);
  ask_for(matrix + direction * results, results);
}

/* --- up ----------------------------------------------------------------------------------------
 */

/* by the elimination above it */
static flg_status check_part(const walk *w, int part) {
  const flg_plan_model *model = &w->plan->models[part];
  const int n = model->rows;
  const int is_finite = (w->is_factor || flg_are_finite((size_t)n, model->bias)) &&
                        (w->is_refresh || flg_are_finite((size_t)n * (size_t)n, model->matrix));
  return is_finite ? FLG_OK : FLG_ERR_DIVERGED;
}

/* the models of both children; a missing one has no rows to read */
typedef struct children {
  const double *matrix[2], *bias[2];
} children;

static children children_of(const flg_plan *plan, const flg_plan_node *node) {
  children both = {0};
  for (int c = 0; c < 2; c++) {
    if (node->child[c] < 0) continue;
    both.matrix[c] = plan->models[node->child[c]].matrix;
    both.bias[c] = plan->models[node->child[c]].bias;
  }
  return both;
}

/* Factors depend on matrices, right-hand sides on biases: a step that solves several times factors
 * once. */
static flg_status eliminate_node(const walk *w, flg_plan_node *node, const flg_plan_model *model) {
  const children from = children_of(w->plan, node);
  if (!w->is_refresh) {
    const flg_status status =
        flg_elimination_factor(&node->elimination, w->pivots, from.matrix, model->matrix);
    if (status != FLG_OK || w->is_factor) return status;
  }
  return flg_elimination_refresh(&node->elimination, from.bias, model->bias);
}

/* sums are taken by the parent, so that their order does not depend on threads */
static flg_plan_tally tally_children(const walk *w, const flg_plan_node *node) {
  flg_plan_tally tally = {.status = FLG_OK};
  for (int c = 0; c < 2; c++) {
    if (node->child[c] < 0) continue;
    if (node->child[c] < w->plan->part_count) {
      const flg_status status = check_part(w, node->child[c]);
      if (tally.status == FLG_OK) tally.status = status;
      continue;
    }
    const flg_plan_tally *below = &w->plan->tallies[node->child[c]];
    if (tally.status == FLG_OK) tally.status = below->status;
    tally.totals.rows += below->totals.rows;
    tally.totals.rank += below->totals.rank;
    tally.totals.rechosen += below->totals.rechosen;
  }
  return tally;
}

/* of right-hand sides alone: totals are those of the factors */
static void refresh_node(const walk *w, flg_plan_node *node, int index) {
  flg_status status = FLG_OK;
  for (int c = 0; c < 2 && node->child[c] >= 0 && status == FLG_OK; c++) {
    const int child = node->child[c];
    status = child < w->plan->part_count ? check_part(w, child) : w->plan->tallies[child].status;
  }
  if (status == FLG_OK) status = eliminate_node(w, node, &w->plan->models[index]);
  w->plan->tallies[index].status = status;
}

static void go_up(void *context, int index) {
  const walk *w = context;
  const int parts = w->plan->part_count;
  if (index < parts) return;
  flg_plan_node *node = &w->plan->nodes[index - parts];
  ask_for_next(w->plan, node, w->plan->models[index].matrix, 1);
  if (w->is_refresh) {
    refresh_node(w, node, index);
    return;
  }
  flg_plan_tally tally = tally_children(w, node);
  if (tally.status == FLG_OK) tally.status = eliminate_node(w, node, &w->plan->models[index]);
  tally.totals.rows += node->elimination.shape.constraints;
  tally.totals.rank += node->elimination.rank;
  tally.totals.rechosen += node->elimination.rechosen;
  w->plan->tallies[index] = tally;
}

/* H = Z Z^T, for the code that closes the root */
/* A root's H is made from Z once, at the top: products on the way up would square the condition
 * number. */
static void square_root(const flg_plan_model *model, double *admittance) {
  const int n = model->rows;
  memset(admittance, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < n; k++) {
      const double *column = model->matrix + (size_t)k * (size_t)n;
      for (int i = 0; i < n; i++) admittance[i + (size_t)j * (size_t)n] += column[i] * column[j];
    }
  }
}

static flg_status finish_root(const walk *w, const flg_plan_top *root) {
  const flg_plan_model *model = &w->plan->models[root->node];
  const int n = model->rows;
  if (w->plan->tallies[root->node].status != FLG_OK) return w->plan->tallies[root->node].status;
  if (!w->is_refresh && !flg_are_finite((size_t)n * (size_t)n, model->matrix)) {
    return FLG_ERR_DIVERGED;
  }
  if (!w->is_factor && !flg_are_finite((size_t)n, model->bias)) return FLG_ERR_DIVERGED;
  if (!w->is_refresh && root->admittance != model->matrix) square_root(model, root->admittance);
  return FLG_OK;
}

/* Eliminations are numbered children first. The order of a tree matters to memory alone, where
 * there are many. */
static void walk_nodes(walk *w, flg_threads *threads) {
  const flg_plan *plan = w->plan;
  if (threads != NULL || plan->node_count >= NEAR) {
    flg_threads_walk_up(threads, &plan->tree, go_up, w);
    return;
  }
  for (int k = plan->part_count; k < plan->part_count + plan->node_count; k++) go_up(w, k);
}

static flg_status walk_up(walk *w, flg_threads *threads) {
  w->plan->is_frozen = 0, w->plan->members = NULL;
  if (!w->is_refresh) flg_plan_take_rows(w->plan);
  walk_nodes(w, threads);
  flg_status status = FLG_OK;
  for (int k = 0; k < w->plan->root_count; k++) {
    const flg_plan_top *root = &w->plan->roots[k];
    const flg_status own = finish_root(w, root);
    const flg_plan_model *model = &w->plan->models[root->node];
    /* forces are the caller's from here on, and none if it writes none */
    memset(model->force, 0, (size_t)model->rows * sizeof(double));
    if (status == FLG_OK) status = own;
  }
  return status;
}

flg_status flg_plan_factor(flg_plan *plan, flg_pivots pivots, flg_threads *threads) {
  walk w = {.plan = plan, .pivots = pivots};
  return walk_up(&w, threads);
}

flg_status flg_plan_factor_alone(flg_plan *plan, flg_pivots pivots, flg_threads *threads) {
  walk w = {.plan = plan, .pivots = pivots, .is_factor = 1};
  return walk_up(&w, threads);
}

flg_status flg_plan_refresh(flg_plan *plan, flg_threads *threads) {
  if (plan->is_frozen) return FLG_OK; /* all is done by the solve */
  if (plan->members != NULL) return flg_plan_refresh_wholes(plan);
  walk w = {.plan = plan, .is_refresh = 1};
  return walk_up(&w, threads);
}

/* --- down --------------------------------------------------------------------------------------
 */

/* of a part with one port: a body */
FLG_WIDE_VECTORS
static void move_body(const flg_plan_model *model, double *motion) {
  flg_six sum;
  flg_six_load(model->bias, &sum);
#pragma GCC unroll 6
  for (int j = 0; j < FLG_PORT_ROWS; j++) {
    flg_six_add(model->force[j], model->matrix + j * FLG_PORT_ROWS, &sum);
  }
  flg_six_store(&sum, motion);
}

/* a = H x + b, or Z (Z^T x) + b */
static void move_part(const flg_plan *plan, int part) {
  const flg_plan_model *model = &plan->models[part];
  const int n = model->rows;
  double *motion = plan->motion[part];
  if (n == FLG_PORT_ROWS && plan->options.form == FLG_FORM_ADMITTANCE) {
    move_body(model, motion);
    return;
  }
  const double *x = model->force;
  memcpy(motion, model->bias, (size_t)n * sizeof(double));
  if (plan->options.form == FLG_FORM_ROOT) {
    double *inner = plan->part_work[part];
    memset(inner, 0, (size_t)n * sizeof(double));
    flg_dense_apply_transposed(n, n, 1, model->matrix, n, x, inner);
    x = inner;
  }
  flg_dense_apply(n, n, 1, model->matrix, n, x, motion);
}

/* The parent has written the forces on this node; its reactions follow, and the forces on both
 * children. */
static void go_down(void *context, int index) {
  const flg_plan *plan = context;
  const int parts = plan->part_count;
  if (index < parts) {
    move_part(plan, index);
    return;
  }
  const flg_plan_node *node = &plan->nodes[index - parts];
  ask_for_next(plan, node, plan->models[index].matrix, -1);
  double *const x[2] = {plan->models[node->child[0]].force,
                        node->child[1] < 0 ? NULL : plan->models[node->child[1]].force};
  flg_elimination_back(&node->elimination, plan->models[index].force, node->reactions, x);
}

/* checked at the roots alone: below, NaN could come only of factors, which were checked on the way
 * up */
static int are_forces_finite(const flg_plan *plan) {
  for (int k = 0; k < plan->root_count; k++) {
    const flg_plan_model *model = &plan->models[plan->roots[k].node];
    if (!flg_are_finite((size_t)model->rows, model->force)) return 0;
  }
  return 1;
}

flg_status flg_plan_solve(flg_plan *plan, flg_threads *threads) {
  if (plan->is_frozen) return flg_plan_solve_frozen(plan, threads);
  if (!are_forces_finite(plan)) return FLG_ERR_DIVERGED;
  flg_threads_walk_down(threads, &plan->tree, go_down, plan);
  return FLG_OK;
}

flg_status flg_plan_solve_on_way(flg_plan *plan, int node) {
  walk w = {.plan = plan, .is_refresh = 1};
  int count = 0, top = 0;
  for (int k = plan->part_count + node; k >= 0; k = plan->parent[k]) {
    go_up(&w, k);
    plan->way[count++] = top = k;
  }
  memset(plan->models[top].force, 0, (size_t)plan->models[top].rows * sizeof(double));
  while (count > 0) go_down(plan, plan->way[--count]);
  return plan->tallies[top].status;
}

/* six rows of a root that are a port */
FLG_SMALL void move_port(const flg_plan *plan, const flg_plan_top *root, int pushed, int first) {
  const flg_plan_model *model = &plan->models[root->node];
  const double *H = root->admittance + first;
  flg_six sum;
  flg_six_load(model->bias + first, &sum);
  for (int j = 0; j < pushed; j++) {
    flg_six_add(model->force[j], H + (size_t)j * (size_t)model->rows, &sum);
  }
  flg_six_store(&sum, plan->motion[root->part[first]] + root->row[first]);
}

static void move_top_row(const flg_plan *plan, const flg_plan_top *root, int pushed, int i) {
  const flg_plan_model *model = &plan->models[root->node];
  double sum = model->bias[i];
  for (int j = 0; j < pushed; j++) {
    sum += root->admittance[i + (size_t)j * (size_t)model->rows] * model->force[j];
  }
  plan->motion[root->part[i]][root->row[i]] = sum;
}

static int is_top_port(const flg_plan_top *root, int first, int rows) {
  const int last = first + FLG_PORT_ROWS - 1;
  return last < rows && root->row[first] % FLG_PORT_ROWS == 0 &&
         root->part[last] == root->part[first] &&
         root->row[last] == root->row[first] + last - first;
}

FLG_WIDE_VECTORS
static void move_root(const flg_plan *plan, const flg_plan_top *root) {
  const flg_plan_model *model = &plan->models[root->node];
  int pushed = model->rows, i = 0; /* most are not pushed at all */
  while (pushed > 0 && model->force[pushed - 1] == 0) pushed--;
  while (i < model->rows) {
    if (is_top_port(root, i, model->rows)) {
      move_port(plan, root, pushed, i);
      i += FLG_PORT_ROWS;
    } else {
      move_top_row(plan, root, pushed, i++);
    }
  }
}

static void move_by_root(void *context, int index) {
  const flg_plan *plan = context;
  move_root(plan, &plan->roots[index]);
}

/* Where all rows are open at the root, its model is that of all parts: no walk down is needed. */
flg_status flg_plan_move(flg_plan *plan, flg_threads *threads) {
  if (!plan->is_whole || plan->is_frozen) return flg_plan_solve(plan, threads);
  if (!are_forces_finite(plan)) return FLG_ERR_DIVERGED;
  flg_for_each(threads, plan->root_count, move_by_root, plan);
  return FLG_OK;
}

/* --- scale -------------------------------------------------------------------------------------
 */

/* scale += diag(G H G^T), G (rows x 6) of one side: all rows at once */
FLG_SMALL void add_free(int rows, const double *G, int leading, const double *H, int n,
                        double *scale) {
  double sum[FLG_SMALL_CONSTRAINTS] = {0};
  for (int j = 0; j < FLG_PORT_ROWS; j++) {
    double moved[FLG_SMALL_CONSTRAINTS] = {0};
#pragma GCC unroll 6
    for (int r = 0; r < FLG_PORT_ROWS; r++) {
#pragma GCC unroll 6
      for (int i = 0; i < rows; i++) moved[i] += H[r + j * n] * G[i + r * leading];
    }
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++) sum[i] += moved[i] * G[i + j * leading];
  }
  for (int i = 0; i < rows; i++) scale[i] += sum[i];
}

/* H is that of a body: a mass, and an inertia apart from it */
static int has_body_pattern(const double *H, int n) {
  if (n != FLG_PORT_ROWS) return 0;
  for (int j = 0; j < 3; j++) {
    for (int i = j + 1; i < FLG_PORT_ROWS; i++) {
      if (H[i + j * FLG_PORT_ROWS] != 0) return 0;
    }
  }
  return 1;
}

/* the same of a body, without its zeros: H is symmetric */
FLG_SMALL void add_free_body(int rows, const double *G, int leading, const double *H,
                             double *scale) {
  double sum[FLG_SMALL_CONSTRAINTS] = {0};
#pragma GCC unroll 3
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < rows; i++) {
      sum[i] += H[j * (FLG_PORT_ROWS + 1)] * G[i + j * leading] * G[i + j * leading];
    }
  }
#pragma GCC unroll 3
  for (int j = 3; j < FLG_PORT_ROWS; j++) {
    const double *column = H + j * FLG_PORT_ROWS;
    for (int i = 0; i < rows; i++) {
      const double moved = column[3] * G[i + 3 * leading] + column[4] * G[i + 4 * leading] +
                           column[5] * G[i + 5 * leading];
      sum[i] += moved * G[i + j * leading];
    }
  }
  for (int i = 0; i < rows; i++) scale[i] += sum[i];
}

/* the same of Z: sums of squares */
static void add_free_root(int rows, const double *G, int leading, const double *Z, int n,
                          double *scale) {
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) {
      double moved = 0;
      for (int r = 0; r < FLG_PORT_ROWS; r++) {
        moved += Z[r + (size_t)j * (size_t)n] * G[i + (size_t)r * (size_t)leading];
      }
      sum += moved * moved;
    }
    scale[i] += sum;
  }
}

/* joints of many rows by so many at a time as the compiler knows */
FLG_WIDE_VECTORS
static void add_free_port(int rows, const double *G, int leading, const double *H, int n,
                          double *scale) {
  enum { MOST = FLG_SMALL_CONSTRAINTS };
  int i = 0;
  if (rows <= MOST && has_body_pattern(H, n)) {
    add_free_body(rows, G, leading, H, scale);
    return;
  }
  for (; i + MOST <= rows; i += MOST) add_free(MOST, G + i, leading, H, n, scale + i);
  if (i < rows) add_free(rows - i, G + i, leading, H, n, scale + i);
}

/* of a weld: rows have a 1 on one side, and up to three numbers on the other */
static void scale_weld(const flg_plan *plan, const flg_plan_placed *joint, double *scale) {
  const double *H[2], *G = joint->side[1 - joint->first];
  size_t n[2];
  for (int s = 0; s < 2; s++) {
    const flg_plan_model *model = &plan->models[joint->part[s]];
    n[s] = (size_t)model->rows;
    H[s] = model->matrix + (size_t)joint->part_row[s] * (n[s] + 1);
  }
  memset(scale, 0, FLG_PORT_ROWS * sizeof *scale);
  if (joint->side[joint->first][0] == 0) return; /* it is open */
  const double *own = H[joint->first], *other = H[1 - joint->first];
  const size_t own_n = n[joint->first], other_n = n[1 - joint->first];
  for (size_t i = 0; i < FLG_PORT_ROWS; i++) {
    scale[i] = own[i * (own_n + 1)] + other[i * (other_n + 1)];
    const size_t at[3] = {i, 3 + (i + 1) % 3, 3 + (i + 2) % 3};
    for (size_t a = 1; a < 3 && i < 3; a++) {
      const double g = G[i + FLG_PORT_ROWS * at[a]];
      scale[i] -= 2 * g * other[at[a] + i * other_n];
      for (size_t b = 1; b < 3; b++) {
        scale[i] += g * other[at[a] + at[b] * other_n] * G[i + FLG_PORT_ROWS * at[b]];
      }
    }
  }
}

static void scale_joint(void *context, int index) {
  const flg_plan *plan = context;
  const flg_plan_placed *joint = &plan->joints[index];
  if (joint->rows == 0) return;
  const flg_elimination *e = &plan->nodes[joint->node].elimination;
  double *scale = e->scale + joint->row;
  if (e->shape.weld && plan->options.form == FLG_FORM_ADMITTANCE) {
    scale_weld(plan, joint, scale);
    return;
  }
  for (int i = 0; i < joint->rows; i++) {
    scale[i] = joint->compliance == NULL ? 0 : joint->compliance[i];
  }
  for (int s = 0; s < joint->ends; s++) {
    if (joint->part[s] == FLG_GROUND) continue;
    const flg_plan_model *model = &plan->models[joint->part[s]];
    const size_t n = (size_t)model->rows, row = (size_t)joint->part_row[s];
    const int leading = e->shape.constraints;
    if (plan->options.form == FLG_FORM_ROOT) {
      add_free_root(joint->rows, joint->side[s], leading, model->matrix + row, (int)n, scale);
    } else {
      add_free_port(joint->rows, joint->side[s], leading, model->matrix + row * (n + 1), (int)n,
                    scale);
    }
  }
}

void flg_plan_scale(flg_plan *plan, flg_threads *threads) {
  flg_plan_take_rows(plan);
  flg_for_each(threads, plan->joint_count, scale_joint, plan);
}
