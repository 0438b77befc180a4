#include "component/assembly_freedom.h"

#include <math.h>
#include <string.h>

#include "assembly/assembly_inner.h"
#include "assembly/assembly_planar.h"
#include "math/pivoted_qr.h"
#include "parts/trees.h"

/* --- rank ---------------------------------------------------------------------------------------
 */

static int locked_velocities(const flg_assembly *assembly) {
  int locked = 0;
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    for (int i = 0; i < parts->count && parts->ops->locked != NULL; i++) {
      int count;
      const double *numbers = parts->ops->locked(parts, i, &count);
      for (int j = 0; j < count; j++) locked += isinf(numbers[j]) ? 1 : 0;
    }
  }
  return locked;
}

/* coordinates of trees that follow others by gears */
static int folded_velocities(const flg_assembly *assembly) {
  const flg_trees *trees = &assembly->model.trees;
  if (trees->folded_count == 0) return 0;
  const flg_owner *owner =
      &assembly->model.owners[trees->links[trees->first[trees->folded_tree]].body];
  return flg_trees_coupled(owner->of, owner->part)->count;
}

/* The rank of all rows, with masses, or without: what joints leave free has nothing to do with
 * masses, nor with units. */
static flg_status find_rank(flg_assembly *assembly, bool with_masses, int *rank) {
  assembly->scratch.mode.is_unit = !with_masses,
  assembly->scratch.mode.arm = with_masses ? 0 : assembly->model.length;
  const flg_status status = flg_assembly_factor_anew(assembly, assembly->state.q);
  assembly->scratch.mode.is_unit = false, assembly->scratch.mode.arm = 0;
  *rank = flg_plan_totals_view(assembly->scratch.plan).rank;
  return status;
}

flg_status flg_assembly_freedom(flg_assembly *assembly, flg_freedom *freedom) {
  int seen, rank;
  assembly->scratch.kick = assembly->scratch.horizon = assembly->scratch.elapsed = 0;
  assembly->state.limits.idle = true;
  flg_assembly_place_rows(assembly, assembly->state.q, assembly->state.v);
  flg_status status = find_rank(assembly, true, &seen);
  if (status == FLG_OK) status = find_rank(assembly, false, &rank);
  /* which rows are called redundant is as in a run, unless masses are too far apart to tell */
  if (status == FLG_OK && seen == rank) status = find_rank(assembly, true, &seen);
  assembly->state.limits.idle = false;
  const flg_plan_totals totals = flg_plan_totals_view(assembly->scratch.plan);
  const int soft = assembly->model.row_set_count - assembly->model.rigid_count;
  *freedom = (flg_freedom){.velocities = assembly->model.velocity_count -
                                         locked_velocities(assembly) - folded_velocities(assembly),
                           .rows = totals.rows - soft - flg_welds_open_rows(assembly),
                           .rank = totals.rank - soft};
  return status;
}

/* After freedom: rows of a joint that others already fix. */
static int redundant_rows(const flg_assembly *assembly, int joint) {
  int count = 0;
  for (int i = 0; i < assembly->model.row_sets[joint].rows; i++) {
    count += flg_plan_is_redundant(assembly->scratch.plan, joint, i);
  }
  return count;
}

/* --- which joints repeat which ------------------------------------------------------------------
 * A redundant row is a sum of rows that were selected, g = A c with these as the columns of A. c is
 * unique, since they are independent; the joints of rows with c != 0 are the others.
 */

enum { ROWS_MAX = 1500 }; /* A is dense: past this it takes too long */
/* of a sum: shares under this are rounding of rows that are nearly dependent; and of rows, that
 * they are selected already */
static const double NEGLIGIBLE = 1e-6, DEPENDENT = 1e-12;

typedef struct sums {
  const flg_assembly *assembly;
  int rows, columns; /* of A: velocities, selected rows */
  double *A, *tau, *right, *sum;
  int *order, *owner; /* of a column: as factored, its joint */
  int rank;
} sums;

void flg_assembly_write_row(const flg_assembly *assembly, const flg_row_set *row_set, int i,
                            double *to) {
  const size_t leading = (size_t)row_set->view.leading;
  memset(to, 0, (size_t)assembly->model.velocity_count * sizeof *to);
  for (int e = 0; e < row_set->ends; e++) {
    const flg_graph_port port = row_set->port[e];
    const double *side = row_set->view.side[e] + i;
    double x[FLG_PORT_NUMBERS];
    for (size_t j = 0; j < FLG_PORT_NUMBERS; j++) x[j] = side[j * leading];
    int part = port.part;
    const flg_parts *parts = flg_assembly_set_of(assembly, &part);
    parts->ops->pull_back(parts, part, port.port, x, to + parts->velocity);
  }
}

/* a row of a joint over all velocities, of length 1 */
static void write_unit_row(const flg_assembly *assembly, const flg_row_set *row_set, int i,
                           double *to) {
  double length = 0;
  flg_assembly_write_row(assembly, row_set, i, to);
  for (int k = 0; k < assembly->model.velocity_count; k++) length += to[k] * to[k];
  length = length > 0 ? 1 / sqrt(length) : 0;
  for (int k = 0; k < assembly->model.velocity_count; k++) to[k] *= length;
}

static bool freedom_factor(sums *s, flg_region *region) {
  const flg_assembly *assembly = s->assembly;
  const size_t n = (size_t)s->rows, m = (size_t)s->columns;
  s->A = flg_region_take(region, n * m, sizeof(double));
  s->tau = flg_region_take(region, m, sizeof(double));
  s->right = flg_region_take(region, n > m ? n : m, sizeof(double));
  s->sum = flg_region_take(region, m, sizeof(double));
  s->order = flg_region_take(region, m, sizeof(int));
  s->owner = flg_region_take(region, m, sizeof(int));
  double *work = flg_region_take(region, (size_t)flg_pivoted_qr_workspace(s->rows, s->columns),
                                 sizeof(double));
  if (region->failed) return false;
  int column = 0;
  for (int k = 0; k < assembly->model.joint_count; k++) {
    for (int i = 0; i < assembly->model.row_sets[k].rows; i++) {
      if (flg_plan_is_redundant(assembly->scratch.plan, k, i)) continue;
      s->owner[column] = k;
      write_unit_row(assembly, &assembly->model.row_sets[k], i, s->A + n * (size_t)column++);
    }
  }
  s->rank =
      flg_pivoted_qr_factor(s->rows, s->columns, s->A, s->rows, DEPENDENT, s->tau, s->order, work);
  return true;
}

/* the joints whose rows add up to those of this one that are redundant */
static void find_others(const sums *s, flg_redundancy *of, bool *marked, int *others) {
  const flg_assembly *assembly = s->assembly;
  const flg_row_set *row_set = &assembly->model.row_sets[of->joint];
  memset(marked, 0, (size_t)assembly->model.joint_count * sizeof *marked);
  for (int i = 0; i < row_set->rows; i++) {
    if (!flg_plan_is_redundant(assembly->scratch.plan, of->joint, i)) continue;
    write_unit_row(assembly, row_set, i, s->right);
    flg_pivoted_qr_solve(s->rows, s->columns, s->rank, s->A, s->rows, s->tau, s->order, s->right,
                         s->sum);
    for (int k = 0; k < s->columns; k++) {
      if (fabs(s->sum[k]) > NEGLIGIBLE) marked[s->owner[k]] = true;
    }
  }
  of->others = others;
  for (int k = 0; k < assembly->model.joint_count; k++) {
    if (marked[k] && k != of->joint) others[of->other_count++] = k;
  }
}

static int list_redundant(const flg_assembly *assembly, flg_redundancy *list) {
  int count = 0;
  for (int k = 0; k < assembly->model.joint_count; k++) {
    const int rows = redundant_rows(assembly, k);
    if (rows > 0) list[count++] = (flg_redundancy){.joint = k, .rows = rows};
  }
  return count;
}

flg_status flg_assembly_redundancies(const flg_assembly *assembly, flg_redundancies *found) {
  const size_t joints = (size_t)assembly->model.joint_count;
  *found = (flg_redundancies){0};
  flg_region *region = &found->region;
  found->list = flg_region_take(region, joints, sizeof *found->list);
  if (region->failed) return FLG_ERR_MEMORY;
  found->count = list_redundant(assembly, found->list);
  sums s = {.assembly = assembly, .rows = assembly->model.velocity_count};
  for (int k = 0; k < assembly->model.joint_count; k++) {
    s.columns += assembly->model.row_sets[k].rows - redundant_rows(assembly, k);
  }
  const bool is_large = s.rows > ROWS_MAX || s.columns > ROWS_MAX;
  for (int k = 0; k < found->count; k++) found->list[k].is_unknown = is_large;
  if (found->count == 0 || is_large) return FLG_OK;
  bool *marked = flg_region_take(region, joints, sizeof *marked);
  if (marked == NULL || !freedom_factor(&s, region)) return FLG_ERR_MEMORY;
  for (int k = 0; k < found->count; k++) {
    int *others = flg_region_take(region, joints, sizeof *others);
    if (others == NULL) return FLG_ERR_MEMORY;
    find_others(&s, &found->list[k], marked, others);
  }
  return FLG_OK;
}

/* --- bodies that nothing holds ------------------------------------------------------------------
 */

/* sets of parts by their representative; the ground and what is held by itself are the last one */
static int set_of_part(int *parent, int k) {
  while (parent[k] != k) k = parent[k] = parent[parent[k]]; /* the way is shorter next time */
  return k;
}

static void unite_sets(int *parent, int a, int b) {
  const int first = set_of_part(parent, a), second = set_of_part(parent, b);
  parent[first < second ? first : second] = first < second ? second : first;
}

static int node_of_anchor(const flg_assembly *assembly, const flg_part_anchor *anchor) {
  return anchor->of != NULL && anchor->of->ops->floats ? anchor->of->first + anchor->part
                                                       : assembly->model.part_count;
}

static void unite_coordinate(const flg_assembly *assembly, int running, int *parent) {
  if (running < 0) return;
  const flg_part_anchor *anchor = assembly->model.coordinates[running].anchor;
  unite_sets(parent, node_of_anchor(assembly, &anchor[0]), node_of_anchor(assembly, &anchor[1]));
}

int flg_assembly_loose(const flg_assembly *assembly, bool *loose, flg_region *region) {
  int *parent = flg_region_take(region, (size_t)assembly->model.part_count + 1, sizeof *parent);
  int count = 0;
  if (parent == NULL) return 0;
  for (int k = 0; k <= assembly->model.part_count; k++) parent[k] = k;
  for (int k = 0; k < assembly->model.joint_count; k++) {
    const flg_row_set *row_set = &assembly->model.row_sets[k];
    const bool has_frames = row_set->rows > 1; /* the others are rows of coordinates alone */
    if (has_frames) {
      unite_sets(parent, node_of_anchor(assembly, &row_set->anchor[0]),
                 node_of_anchor(assembly, &row_set->anchor[1]));
    }
    for (int s = 0; s < 2; s++) unite_coordinate(assembly, row_set->coordinate[s], parent);
  }
  for (int k = 0; k < assembly->model.force_count; k++) {
    const flg_running_force *own = &assembly->model.forces[k];
    if (own->force.kind->energy == NULL) continue; /* it holds nothing */
    unite_coordinate(assembly, own->coordinate, parent);
    if (own->coordinate >= 0) continue;
    unite_sets(parent, node_of_anchor(assembly, &own->anchor[0]),
               node_of_anchor(assembly, &own->anchor[1]));
  }
  for (int k = 0; k < assembly->model.component->body_count; k++) {
    const flg_owner *owner = &assembly->model.owners[k];
    loose[k] = owner->of != NULL && owner->of->ops->floats &&
               set_of_part(parent, owner->of->first + owner->part) != assembly->model.part_count;
    count += loose[k];
  }
  return count;
}

/* --- what was left out --------------------------------------------------------------------------
 */

const struct flg_structure *flg_assembly_structure(const flg_assembly *assembly) {
  return &assembly->model.structure;
}

const struct flg_trees *flg_assembly_trees(const flg_assembly *assembly) {
  return &assembly->model.trees;
}

bool flg_assembly_was_fitted(const flg_assembly *assembly) {
  return assembly->model.was_fitted;
}

/* by count: a body is placed, pushed and moved twice a step, in space and in the plane; a row of a
 * joint is evaluated three times */
enum { BODY_FLOPS = 900, PLANAR_FLOPS = 150, ROW_FLOPS = 60 };

bool flg_assembly_has_rows(const flg_assembly *assembly) {
  return assembly->model.row_count > 0;
}

double flg_assembly_flops(const flg_assembly *assembly) {
  const flg_planar_facts planar = flg_planar_find_facts(assembly);
  double sum = planar.is_planar ? planar.flops : flg_plan_flops(assembly->scratch.plan);
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    sum += flg_parts_are_trees(parts)
               ? flg_trees_flops(parts)
               : parts->count * (planar.is_planar ? PLANAR_FLOPS : BODY_FLOPS);
  }
  for (int k = 0; k < assembly->model.row_set_count && !planar.is_planar; k++) {
    sum += ROW_FLOPS * assembly->model.row_sets[k].rows;
  }
  return sum;
}
