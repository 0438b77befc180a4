#include "interface/plan_probe.h"

#include <math.h>
#include <string.h>

#include "interface/plan_inner.h"
#include "interface/port_yield.h"
#include "math/larger.h"
#include "math/pivoted_cholesky.h"

/* of a row that is left out, the part of another that counts: squared */
static const double COUNTS = 1e-12;

int flg_plan_probe_work(const flg_plan *plan) {
  int rows = 0;
  for (int k = 0; k < plan->joint_count; k++) rows += plan->joints[k].rows;
  return FLG_PROBE_ROWS_MAX * rows;
}

static int rows_left_out(const flg_plan *plan) {
  const flg_plan_totals totals = flg_plan_totals_view(plan);
  return totals.rows - totals.rank;
}

/* nothing moves of itself, and all joints are to stay closed */
/* Unit right-hand sides then give columns of the answer, undisturbed by gravity and velocities. */
static void come_to_rest(const flg_plan *plan) {
  for (int k = 0; k < plan->part_count; k++) {
    const flg_plan_part view = flg_plan_part_view(plan, k);
    memset(view.bias, 0, (size_t)view.rows * sizeof *view.bias);
  }
  for (int k = 0; k < plan->joint_count; k++) {
    const flg_plan_joint view = flg_plan_joint_view(plan, k);
    for (int i = 0; i < view.rows; i++) view.gamma[i] = 0;
  }
}

/* g y - gamma of a row */
static double residual(const flg_plan *plan, int joint, int row) {
  const flg_plan_placed *placed = &plan->joints[joint];
  const flg_plan_joint view = flg_plan_joint_view(plan, joint);
  double sum = -view.gamma[row];
  for (int e = 0; e < placed->ends; e++) {
    if (view.side[e] == NULL) continue;
    const double *motion = plan->motion[placed->part[e]] + placed->part_row[e];
    for (int j = 0; j < 6; j++) sum += view.side[e][row + j * view.leading] * motion[j];
  }
  return sum;
}

/* H of row i with itself; in root form H = Z Z^T */
static double diagonal_of(const flg_plan *plan, const flg_plan_model *model, size_t i) {
  const size_t n = (size_t)model->rows;
  if (plan->options.form != FLG_FORM_ROOT) return model->matrix[i + i * n];
  double sum = 0;
  for (size_t j = 0; j < n; j++) sum += model->matrix[i + j * n] * model->matrix[i + j * n];
  return sum;
}

/* Most that a port yields in any direction; turns count by what they do to a point one length away,
 * and so in any unit. What a part blocks it blocks but for rounding, and a row on its own would be
 * measured by that. */
static flg_yield most_yield_of_port(const flg_plan *plan, int part, int first, double length) {
  const flg_plan_model *model = &plan->models[part];
  const double square = length * length;
  double most = 0;
  for (int i = 0; i < 6; i++) {
    const double yield = diagonal_of(plan, model, (size_t)first + (size_t)i);
    most = flg_larger(most, i < 3 ? yield : yield * square);
  }
  return (flg_yield){most, most / square};
}

/* what a row could yield if nothing blocked its direction */
static double free_yield_of_row(const flg_plan *plan, int joint, int row, double length) {
  const flg_plan_placed *placed = &plan->joints[joint];
  const flg_plan_joint view = flg_plan_joint_view(plan, joint);
  double sum = 0;
  for (int e = 0; e < placed->ends; e++) {
    if (view.side[e] == NULL) continue;
    const flg_yield most = most_yield_of_port(plan, placed->part[e], placed->part_row[e], length);
    for (int j = 0; j < 6; j++) {
      const double number = view.side[e][row + j * view.leading];
      sum += number * number * (j < 3 ? most.linear : most.angular);
    }
  }
  return sum > 0 ? sum : 1; /* nothing yields at all: any number will do */
}

/* column k of R, over the rows that are left out; returns how many there are */
static int collect_left_out(const flg_plan *plan, double length, double *column) {
  int count = 0;
  for (int joint = 0; joint < plan->joint_count; joint++) {
    const flg_plan_joint view = flg_plan_joint_view(plan, joint);
    for (int i = 0; i < view.rows; i++) {
      if (!flg_plan_is_redundant(plan, joint, i)) continue;
      column[count++] = residual(plan, joint, i) / sqrt(free_yield_of_row(plan, joint, i, length));
    }
  }
  return count;
}

/* loose = R^T R: its null space are the combinations of reactions that are unique. */
static void square_of_rows(flg_plan_probe *probe, const double *R, int count) {
  const int m = probe->rows;
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int k = 0; k < count; k++) sum += R[k + i * count] * R[k + j * count];
      probe->loose[i + j * m] = sum;
    }
  }
}

/* A pivoted Cholesky of R^T R in the scale of each row: as many pivots as directions that are not
 * unique. */
static int rank_of_probe(const flg_plan_probe *probe) {
  const int m = probe->rows;
  double L[FLG_PROBE_ROWS_MAX * FLG_PROBE_ROWS_MAX], inverse[FLG_PROBE_ROWS_MAX];
  int order[FLG_PROBE_ROWS_MAX];
  for (int i = 0; i < m; i++) inverse[i] = 1 / probe->scale[i];
  const int loose = flg_pivoted_cholesky_factor(m, probe->loose, m, inverse, COUNTS, order, L, m);
  return loose == FLG_PIVOT_FAILED ? loose : m - loose;
}

flg_status flg_plan_probe_begin(flg_plan *plan, flg_threads *threads) {
  come_to_rest(plan);
  if (plan->is_frozen && rows_left_out(plan) == 0) flg_frozen_rows_invert(plan->frozen);
  return flg_plan_refresh(plan, threads);
}

bool flg_plan_probe_is_short(const flg_plan *plan) {
  return plan->is_frozen && plan->members == NULL && rows_left_out(plan) == 0;
}

/* Where no row is redundant reactions are all that is asked for, and only the eliminations above
 * that of the joint see its right-hand sides: those of chains are few. */
static flg_status probe_on_way(flg_plan *plan, int joint, flg_plan_probe *probe) {
  const flg_plan_joint view = flg_plan_joint_view(plan, joint);
  const int node = plan->joints[joint].node;
  for (int k = 0; k < view.rows; k++) {
    view.gamma[k] = 1;
    const flg_status status = flg_plan_solve_on_way(plan, node);
    if (status != FLG_OK) return status;
    memcpy(probe->inverse + k * view.rows, view.reactions, (size_t)view.rows * sizeof(double));
    view.gamma[k] = 0;
  }
  return flg_plan_solve_on_way(plan, node); /* at rest again */
}

/* work: of the part R of each row that is left out */
static flg_status probe_whole(flg_plan *plan, int joint, double length, flg_plan_probe *probe,
                              double *work, flg_threads *threads) {
  const flg_plan_joint view = flg_plan_joint_view(plan, joint);
  const int left_out = rows_left_out(plan);
  for (int k = 0; k < view.rows; k++) {
    view.gamma[k] = 1;
    flg_status status = flg_plan_refresh(plan, threads);
    if (status == FLG_OK) status = flg_plan_solve(plan, threads);
    if (status != FLG_OK) return status;
    memcpy(probe->inverse + k * view.rows, view.reactions, (size_t)view.rows * sizeof(double));
    if (left_out > 0) collect_left_out(plan, length, work + k * left_out);
    view.gamma[k] = 0;
  }
  if (left_out == 0) return flg_plan_refresh(plan, threads); /* at rest again */
  square_of_rows(probe, work, left_out);
  probe->rank = rank_of_probe(probe);
  return probe->rank == FLG_PIVOT_FAILED ? FLG_ERR_DIVERGED : FLG_OK;
}

flg_status flg_plan_probe_joint(flg_plan *plan, int joint, double length, flg_plan_probe *probe,
                                double *work, flg_threads *threads) {
  const int rows = plan->joints[joint].rows;
  *probe = (flg_plan_probe){.rows = rows, .rank = rows};
  for (int k = 0; k < rows; k++) probe->scale[k] = free_yield_of_row(plan, joint, k, length);
  if (rows == 0) return FLG_OK;
  if (rows_left_out(plan) > 0 || plan->members != NULL) {
    return probe_whole(plan, joint, length, probe, work, threads);
  }
  if (!plan->is_frozen) return probe_on_way(plan, joint, probe);
  if (flg_frozen_rows_inverse(plan->frozen, joint, probe->inverse)) return FLG_OK;
  return probe_whole(plan, joint, length, probe, work, threads);
}

int flg_plan_probe_is_unique(const flg_plan_probe *probe, const double *c, double scale) {
  double sum = 0;
  for (int j = 0; j < probe->rows; j++) {
    for (int i = 0; i < probe->rows; i++) sum += c[i] * probe->loose[i + j * probe->rows] * c[j];
  }
  return probe->rank == probe->rows || sum * scale <= COUNTS;
}
