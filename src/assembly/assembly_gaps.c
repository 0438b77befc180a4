/* How far the joints of an assembly are from closed. */
#include <math.h>

#include "assembly/assembly_inner.h"
#include "dynamics/hinge_rows.h"
#include "math/lanes.h"
#include "math/larger.h"
#include "math/wide_vectors.h"

/* of those that are no joints: closed limits do, unless others fix them already */
static bool counts(const flg_assembly *assembly, int index) {
  if (index < assembly->state.limits.first) return false;
  return flg_limit_is_closed(assembly, index) &&
         !flg_plan_is_redundant(assembly->scratch.plan, index, 0);
}

/* the largest of a displacement and of a turn; NaN stays in the sum */
typedef struct gap {
  double apart, turned, sum;
} gap;

FLG_SMALL void add_gap(double size, double *most, double *sum) {
  *most = size > *most ? size : *most;
  *sum += size;
}

static void add_gaps(const flg_row_set *row_set, gap *to) {
  for (int i = 0; i < row_set->rows; i++) {
    const bool slides = row_set->displacements >> i & 1;
    add_gap(fabs(row_set->left[i]), slides ? &to->apart : &to->turned, &to->sum);
  }
}

/* of all joints: hinges, which most are, have their first four rows in lanes */
FLG_WIDE_VECTORS
static gap gap_of_joints(const flg_assembly *assembly) {
  gap most = {0};
  flg_four largest = {0, 0, 0, 0}, sum = largest;
  for (int k = 0; k < assembly->model.rigid_count; k++) {
    const flg_row_set *row_set = &assembly->model.row_sets[k];
    if (row_set->rows != FLG_HINGE_ROWS || row_set->displacements != 7) {
      add_gaps(row_set, &most);
      continue;
    }
    const flg_four left = flg_lanes_size(*(const flg_four *)row_set->left);
    largest = flg_lanes_choose(left > largest, left, largest), sum += left;
    add_gap(fabs(row_set->left[4]), &most.turned, &most.sum);
  }
  for (int i = 0; i < 3; i++) add_gap(largest[i], &most.apart, &most.sum);
  add_gap(largest[3], &most.turned, &most.sum);
  most.sum += (sum[0] + sum[1]) + (sum[2] + sum[3]);
  return most;
}

double flg_assembly_left(const flg_assembly *assembly) {
  if (assembly->model.row_count == 0) return 0;
  gap most = gap_of_joints(assembly);
  for (int k = assembly->model.rigid_count; k < assembly->model.row_set_count; k++) {
    if (counts(assembly, k)) add_gaps(&assembly->model.row_sets[k], &most);
  }
  if (isnan(most.sum)) return NAN;
  return flg_larger(most.apart / assembly->model.length, most.turned);
}
