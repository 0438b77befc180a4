#include "interface/plan.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_limits.h"
#include "interface/eliminate_inner.h"
#include "interface/interface_model.h"
#include "interface/plan_inner.h"
#include "interface/plan_symbol.h"
#include "math/larger.h"

flg_plan_options flg_plan_default(void) {
  return (flg_plan_options){
      .order = FLG_PLAN_BALANCED, .form = FLG_FORM_ADMITTANCE, .tolerance = FLG_PIVOT_TOLERANCE};
}

/* what is known while a plan is built, and forgotten after */
typedef struct draft {
  const flg_graph *graph;
  const flg_plan_options *options;
  flg_region region;
  flg_plan_merge *merges;
  int merge_count;
  int *parent; /* (tree nodes) */
  int *depth;  /* (tree nodes) */
  flg_plan_symbols symbols;
} draft;

static size_t square_of_count(int n) {
  return (size_t)n * (size_t)n;
}

static int rows_of_part(const flg_graph_part *part) {
  return FLG_PORT_ROWS * part->ports + part->contacts;
}

/* --- sizes -------------------------------------------------------------------------------------
 */

/* doubles of a part: H and b are inputs; x, a, and Z^T x in root form are computed */
/* Sizes are summed before anything is laid out: all of a plan lies in four arrays, of which each is
 * taken once, and the walks run through them from start to end. */
static void add_part_doubles(flg_plan *plan, int rows) {
  const int is_root_form = plan->options.form == FLG_FORM_ROOT;
  plan->input_count += square_of_count(rows) + (size_t)rows;
  plan->scratch_count += (size_t)rows * (is_root_form ? 3 : 2);
  plan->flops += (is_root_form ? 4.0 : 2.0) * (double)square_of_count(rows);
}

/* the result's H, b, x, the reactions, and what the elimination needs */
static size_t scratch_of_merge(const flg_plan_symbol *symbol) {
  const int k = flg_shape_kept(&symbol->shape);
  return square_of_count(k) + 2 * (size_t)k + (size_t)symbol->shape.constraints +
         flg_elimination_measure(&symbol->shape, symbol->small).factors;
}

static void add_merge(flg_plan *plan, const flg_plan_symbol *symbol) {
  const flg_elimination_sizes sizes = flg_elimination_measure(&symbol->shape, symbol->small);
  plan->index_count += sizes.indices;
  plan->input_count += sizes.inputs;
  plan->scratch_count += scratch_of_merge(symbol);
  plan->flops += flg_elimination_flops(&symbol->shape, symbol->small);
}

/* the rows of a root have a name each; in root form H is made from Z there */
static void add_root(flg_plan *plan, const flg_plan_symbol *symbol) {
  const int k = flg_shape_kept(&symbol->shape);
  plan->root_count++;
  plan->index_count += 2 * (size_t)k;
  if (plan->options.form == FLG_FORM_ROOT) plan->scratch_count += square_of_count(k);
}

static void count_all(flg_plan *plan, const draft *d) {
  for (int p = 0; p < plan->part_count; p++)
    add_part_doubles(plan, rows_of_part(&d->graph->parts[p]));
  for (int e = 0; e < plan->node_count; e++) {
    add_merge(plan, &d->symbols.merges[e]);
    if (d->parent[plan->part_count + e] < 0) add_root(plan, &d->symbols.merges[e]);
  }
}

/* Inputs and scratch apart: a test may fill scratch with NaN between steps, and no step may
 * notice. */
static void take_arrays(flg_plan *plan, flg_region *region) {
  const size_t parts = (size_t)plan->part_count, nodes = (size_t)plan->node_count;
  const size_t joints = (size_t)plan->joint_count;
  plan->models = flg_region_take(region, parts + nodes, sizeof *plan->models);
  plan->motion = flg_region_take(region, parts, sizeof *plan->motion);
  plan->part_work = flg_region_take(region, parts, sizeof *plan->part_work);
  plan->nodes = flg_region_take(region, nodes, sizeof *plan->nodes);
  plan->tallies = flg_region_take(region, parts + nodes, sizeof *plan->tallies);
  plan->joints = flg_region_take(region, joints, sizeof *plan->joints);
  plan->roots = flg_region_take(region, (size_t)plan->root_count, sizeof *plan->roots);
  plan->joint_list = flg_region_take(region, joints, sizeof *plan->joint_list);
  plan->parent = flg_region_take(region, parts + nodes, sizeof *plan->parent);
  plan->way = flg_region_take(region, (size_t)plan->depth + 1, sizeof *plan->way);
  plan->indices = flg_region_take(region, plan->index_count, sizeof *plan->indices);
  plan->inputs = flg_region_take(region, plan->input_count, sizeof *plan->inputs);
  plan->scratch = flg_region_take(region, plan->scratch_count, sizeof *plan->scratch);
}

/* --- layout ------------------------------------------------------------------------------------
 */

/* where the next piece of each pool begins */
typedef struct cursor {
  int *indices, *joints;
  double *inputs, *scratch;
} cursor;

static double *next(double **at, size_t count) {
  double *piece = *at;
  *at += count;
  return piece;
}

static void lay_out_plan_part(flg_plan *plan, const draft *d, int part, cursor *at) {
  const int n = rows_of_part(&d->graph->parts[part]);
  flg_plan_model *model = &plan->models[part];
  model->rows = n;
  model->matrix = next(&at->inputs, square_of_count(n));
  model->bias = next(&at->inputs, (size_t)n);
  model->force = next(&at->scratch, (size_t)n);
  plan->motion[part] = next(&at->scratch, (size_t)n);
  if (plan->options.form == FLG_FORM_ROOT) plan->part_work[part] = next(&at->scratch, (size_t)n);
}

static void lay_out_node(flg_plan *plan, const draft *d, int e, cursor *at) {
  const flg_plan_symbol *symbol = &d->symbols.merges[e];
  const flg_elimination_sizes sizes = flg_elimination_measure(&symbol->shape, symbol->small);
  const int k = flg_shape_kept(&symbol->shape);
  flg_plan_node *node = &plan->nodes[e];
  flg_plan_model *model = &plan->models[plan->part_count + e];
  model->rows = k;
  model->matrix = next(&at->scratch, square_of_count(k));
  model->bias = next(&at->scratch, (size_t)k);
  model->force = next(&at->scratch, (size_t)k);
  memcpy(node->child, d->merges[e].child, sizeof node->child);
  node->reactions = next(&at->scratch, (size_t)symbol->shape.constraints);
  node->joints = at->joints;
  node->joint_count = symbol->joint_count;
  for (int j = 0; j < symbol->joint_count; j++) *at->joints++ = symbol->joints[j];
  flg_elimination_attach(&node->elimination, &symbol->shape, symbol->small, symbol->touched,
                         symbol->kept, at->indices, at->inputs, at->scratch);
  at->indices += sizes.indices;
  at->inputs += sizes.inputs;
  at->scratch += sizes.factors;
}

static void lay_out_root(flg_plan *plan, const draft *d, int e, cursor *at, int index) {
  const flg_plan_symbol *symbol = &d->symbols.merges[e];
  const int k = flg_shape_kept(&symbol->shape);
  flg_plan_top *root = &plan->roots[index];
  root->node = plan->part_count + e;
  root->part = at->indices, root->row = at->indices + k;
  at->indices += 2 * k;
  /* the node's own, where it is H already: no copy */
  root->admittance = plan->models[root->node].matrix;
  if (plan->options.form == FLG_FORM_ROOT)
    root->admittance = next(&at->scratch, square_of_count(k));
  for (int s = 0, i = 0; s < symbol->slot_count; s++) {
    const flg_plan_slot *slot = &d->symbols.slots[symbol->slots[s]];
    for (int r = 0; r < slot->rows; r++, i++) {
      root->part[i] = slot->part, root->row[i] = slot->row + r;
    }
  }
}

/* Where the rows of a joint are among those of its elimination: callers write G, gamma and scale
 * straight into the inputs of the node. */
static void place_joint(flg_plan *plan, const draft *d, int joint) {
  const flg_plan_place *place = &d->symbols.places[joint];
  flg_plan_placed *placed = &plan->joints[joint];
  if (d->graph->joints[joint].ends == 0) return; /* zeros */
  const flg_elimination *e = &plan->nodes[place->merge].elimination;
  const flg_graph_joint *drawn = &d->graph->joints[joint];
  *placed = (flg_plan_placed){.node = place->merge,
                              .row = place->row,
                              .rows = drawn->rows,
                              .ends = drawn->ends,
                              .turns = drawn->turns,
                              .straight = drawn->straight};
  if (drawn->soft) placed->compliance = e->compliance + place->row;
  for (int s = 0; s < drawn->ends; s++) {
    placed->part[s] = drawn->end[s].part;
    placed->part_row[s] = FLG_PORT_ROWS * drawn->end[s].port;
    if (placed->part[s] == FLG_GROUND) continue;
    if (place->side[s] == 0) placed->first = s;
    placed->side[s] =
        e->G[place->side[s]] + place->row + (size_t)place->column[s] * (size_t)e->shape.constraints;
  }
}

/* a row of a part is at the roots once, or not at all */
static int keeps_all(const flg_plan *plan) {
  long rows = 0;
  for (int p = 0; p < plan->part_count; p++) rows += plan->models[p].rows;
  for (int k = 0; k < plan->root_count; k++) rows -= plan->models[plan->roots[k].node].rows;
  return rows == 0;
}

/* In the order of the walk up: what a thread needs next lies beside what it has. */
static void plan_lay_out(flg_plan *plan, const draft *d) {
  cursor at = {plan->indices, plan->joint_list, plan->inputs, plan->scratch};
  int roots = 0;
  for (int k = plan->tree.count - 1; k >= 0; k--) {
    const int node = plan->tree.order[k];
    if (node < plan->part_count) {
      lay_out_plan_part(plan, d, node, &at);
    } else {
      lay_out_node(plan, d, node - plan->part_count, &at);
    }
  }
  for (int e = 0; e < plan->node_count; e++) {
    if (d->parent[plan->part_count + e] < 0) lay_out_root(plan, d, e, &at, roots++);
  }
  for (int j = 0; j < plan->joint_count; j++) place_joint(plan, d, j);
  memcpy(plan->parent, d->parent, (size_t)plan->tree.count * sizeof *plan->parent);
  plan->is_whole = keeps_all(plan);
  assert(at.inputs == plan->inputs + plan->input_count);
  assert(at.scratch == plan->scratch + plan->scratch_count);
  assert(at.indices == plan->indices + plan->index_count);
}

/* --- build -------------------------------------------------------------------------------------
 */

static flg_status out_of_memory(flg_error *error) {
  return flg_fail(error, FLG_ERR_MEMORY, "there is no memory to plan the joints");
}

/* parents and depths; merges come children first */
static void link_tree(draft *d) {
  const int parts = d->graph->part_count;
  for (int node = 0; node < parts + d->merge_count; node++) d->parent[node] = FLG_PLAN_NONE;
  for (int e = 0; e < d->merge_count; e++) {
    for (int c = 0; c < 2; c++) {
      const int child = d->merges[e].child[c];
      if (child == FLG_PLAN_NONE) continue;
      d->parent[child] = parts + e;
      if (d->depth[child] >= d->depth[parts + e]) d->depth[parts + e] = d->depth[child] + 1;
    }
  }
}

/* D of a merge grows with the square of its rows, and the time with the cube of those it closes: a
 * graph that is joined all to all would ask for gigabytes or hours, which is reported here and not
 * found out when they are taken. */
static flg_status check_sizes(const draft *d, flg_error *error) {
  const int most = FLG_INTERFACE_ROWS_MAX;
  const double usual = flg_input_limit_value(FLG_LIMIT_ROWS);
  for (int e = 0; e < d->merge_count; e++) {
    const flg_elimination_shape *shape = &d->symbols.merges[e].shape;
    const int closed = shape->constraints, rows = flg_shape_rows(shape);
    if (rows > 2 * most || closed > most) {
      return flg_fail(error, FLG_ERR_RANGE, "joining parts leaves %d rows and closes %d, over %d",
                      rows, closed, most);
    }
    if (rows > FLG_KEPT_ROWS * usual) {
      return flg_fail(error, FLG_ERR_RANGE,
                      "joining two parts leaves %d rows, over %.0f: six for each body of both that "
                      "can touch or is joined to others; raise it with --limit %s=%d",
                      rows, FLG_KEPT_ROWS * usual, flg_input_limit_name(FLG_LIMIT_ROWS),
                      (rows + FLG_KEPT_ROWS - 1) / FLG_KEPT_ROWS);
    }
    if (closed <= usual) continue;
    return flg_fail(error, FLG_ERR_RANGE,
                    "joining two parts closes %d rows at once, over %.0f: joints, motors, and "
                    "springs that are stiff for the step; raise it with --limit %s=%d",
                    closed, usual, flg_input_limit_name(FLG_LIMIT_ROWS), closed);
  }
  return FLG_OK;
}

/* A tree over n parts has fewer than 2 n merges: n - 1 that join two, and one a part whose joints
 * lead to itself or to the ground. */
/* Order, then symbols, then sizes: each works on what the one before has found; the draft is thrown
 * away. */
static flg_status make_draft(draft *d, flg_error *error) {
  const size_t parts = (size_t)d->graph->part_count;
  d->merges = flg_region_take(&d->region, 2 * parts, sizeof *d->merges);
  d->parent = flg_region_take(&d->region, 3 * parts, sizeof(int));
  d->depth = flg_region_take(&d->region, 3 * parts, sizeof(int));
  if (d->region.failed) return out_of_memory(error);
  d->merge_count = flg_plan_order_merges(d->graph, d->options->order, &d->region, d->merges);
  if (d->merge_count < 0) return out_of_memory(error);
  link_tree(d);
  if (!flg_plan_symbols_build(&d->symbols, d->graph, d->options, d->merges, d->merge_count,
                              &d->region)) {
    return out_of_memory(error);
  }
  return check_sizes(d, error);
}

/* the plan itself is the first piece of its region */
static flg_status lay_out_plan(flg_plan **plan, const draft *d, flg_error *error) {
  const int tree_nodes = d->graph->part_count + d->merge_count;
  flg_plan sketch = {.options = *d->options,
                     .part_count = d->graph->part_count,
                     .joint_count = d->graph->joint_count,
                     .node_count = d->merge_count};
  /* into a sketch on the stack: the plan has no memory yet, whose size is what is counted */
  count_all(&sketch, d);
  for (int node = 0; node < tree_nodes; node++) {
    if (d->depth[node] > sketch.depth) sketch.depth = d->depth[node];
  }
  flg_plan *made = flg_region_take(&sketch.region, 1, sizeof sketch);
  take_arrays(&sketch, &sketch.region);
  const flg_status status =
      flg_tree_build(&sketch.tree, d->parent, tree_nodes, &sketch.region, error);
  if (status != FLG_OK) {
    flg_region_release(&sketch.region);
    return status;
  }
  *made = sketch;
  plan_lay_out(made, d);
  *plan = made;
  return FLG_OK;
}

flg_status flg_plan_build(flg_plan **plan, const flg_graph *graph, const flg_plan_options *options,
                          flg_error *error) {
  const flg_plan_options usual = flg_plan_default();
  draft d = {.graph = graph, .options = options == NULL ? &usual : options};
  flg_status status = flg_graph_check(graph, error);
  if (status == FLG_OK) status = make_draft(&d, error);
  if (status == FLG_OK) status = lay_out_plan(plan, &d, error);
  flg_region_release(&d.region);
  return status;
}

void flg_plan_release(flg_plan *plan) {
  if (plan == NULL) return;
  flg_region_release(&plan->frozen_region);
  flg_region region = plan->region; /* which holds the plan itself */
  flg_region_release(&region);
}

/* --- views -------------------------------------------------------------------------------------
 */

size_t flg_plan_bytes(const flg_plan *plan) {
  return plan->region.bytes + plan->frozen_region.bytes;
}

double flg_plan_flops(const flg_plan *plan) {
  return plan->frozen != NULL ? flg_frozen_rows_flops(plan->frozen) : plan->flops;
}

int flg_plan_node_count(const flg_plan *plan) {
  return plan->node_count;
}

int flg_plan_depth(const flg_plan *plan) {
  return plan->depth;
}

int flg_plan_root_count(const flg_plan *plan) {
  return plan->root_count;
}

flg_plan_node_info flg_plan_node_view(const flg_plan *plan, int node) {
  const flg_plan_node *n = &plan->nodes[node];
  const flg_elimination_shape *shape = &n->elimination.shape;
  const flg_elimination_sizes sizes = flg_elimination_measure(shape, n->elimination.small);
  const int k = flg_shape_kept(shape), parts = plan->part_count;
  flg_plan_node_info info = {.constraints = shape->constraints, .kept = k};
  for (int c = 0; c < 2; c++) {
    const int child = n->child[c];
    info.child[c] = child < 0 ? INT_MIN : child < parts ? ~child : child - parts;
  }
  info.bytes = sizes.indices * sizeof(int) + (sizes.inputs + sizes.factors + square_of_count(k) +
                                              2 * (size_t)k + (size_t)shape->constraints) *
                                                 sizeof(double);
  info.flops = flg_elimination_flops(shape, n->elimination.small);
  return info;
}

flg_plan_part flg_plan_part_view(const flg_plan *plan, int part) {
  const flg_plan_model *model = &plan->models[part];
  return (flg_plan_part){.rows = model->rows,
                         .matrix = model->matrix,
                         .bias = model->bias,
                         .force = model->force,
                         .motion = plan->motion[part]};
}

flg_plan_joint flg_plan_joint_view(const flg_plan *plan, int joint) {
  const flg_plan_placed *placed = &plan->joints[joint];
  if (placed->rows == 0) return (flg_plan_joint){0};
  const flg_plan_node *node = &plan->nodes[placed->node];
  flg_plan_joint view = {.rows = placed->rows,
                         .leading = node->elimination.shape.constraints,
                         .gamma = node->elimination.gamma + placed->row,
                         .scale = node->elimination.scale + placed->row,
                         .compliance = placed->compliance,
                         .reactions = node->reactions + placed->row,
                         .first = placed->first};
  memcpy(view.side, placed->side, sizeof view.side);
  /* frozen rows have G in arrays of their own (frozen_rows.h) */
  if (plan->frozen != NULL) {
    const flg_frozen_joint *frozen = flg_frozen_rows_joint(plan->frozen, joint);
    memcpy(view.side, frozen->side, sizeof view.side);
    view.leading = frozen->leading;
  }
  return view;
}

flg_plan_root flg_plan_root_view(const flg_plan *plan, int index) {
  const flg_plan_top *root = &plan->roots[index];
  const flg_plan_model *model = &plan->models[root->node];
  return (flg_plan_root){.rows = model->rows,
                         .admittance = root->admittance,
                         .bias = model->bias,
                         .force = model->force,
                         .part = root->part,
                         .row = root->row};
}

/* eliminations come after those below them: one pass leads to the top */
int flg_plan_root_of(const flg_plan *plan, int part) {
  int node = part, index = 0;
  for (int e = 0; e < plan->node_count; e++) {
    const int *child = plan->nodes[e].child;
    if (child[0] == node || child[1] == node) node = plan->part_count + e;
  }
  while (index < plan->root_count && plan->roots[index].node != node) index++;
  return index;
}

flg_plan_totals flg_plan_totals_view(const flg_plan *plan) {
  flg_plan_totals sum = {0};
  if (plan->is_frozen) {
    sum.rows = flg_frozen_rows_count(plan->frozen), sum.rank = flg_frozen_rows_rank(plan->frozen);
    return sum;
  }
  for (int k = 0; k < plan->root_count; k++) {
    const flg_plan_totals *totals = &plan->tallies[plan->roots[k].node].totals;
    sum.rows += totals->rows;
    sum.rank += totals->rank;
    sum.rechosen += totals->rechosen;
  }
  return sum;
}

double flg_plan_least(const flg_plan *plan) {
  double least = 1;
  if (plan->is_frozen) return flg_frozen_rows_least(plan->frozen);
  for (int k = 0; k < plan->node_count; k++) {
    least = flg_smaller(least, flg_elimination_least(&plan->nodes[k].elimination));
  }
  return least;
}

void flg_plan_tolerate(flg_plan *plan, double tolerance) {
  double least = plan->options.tolerance;
  if (tolerance > 0) least = plan->options.form == FLG_FORM_ROOT ? sqrt(tolerance) : tolerance;
  for (int k = 0; k < plan->node_count; k++) plan->nodes[k].elimination.shape.tolerance = least;
}

int flg_plan_is_redundant(const flg_plan *plan, int joint, int row) {
  const flg_plan_placed *placed = &plan->joints[joint];
  const flg_elimination *e = &plan->nodes[placed->node].elimination;
  if (plan->is_frozen) return (plan->chosen[joint] >> row & 1) == 0;
  for (int i = 0; i < e->rank; i++) {
    if (e->order[i] == placed->row + row) return 0;
  }
  return 1;
}

double *flg_plan_scratch(const flg_plan *plan, size_t *count) {
  *count = plan->scratch_count;
  return plan->scratch;
}
