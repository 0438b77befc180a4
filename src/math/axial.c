#include "math/axial.h"

#include <float.h>
#include <math.h>

/* Two moments of inertia are the same if they differ by no more than this share of the largest:
 * what shifting a centre of mass to and fro leaves of equal ones. */
static const double SAME = 32 * DBL_EPSILON;

/* n of d n n^T: its longest column */
static flg_vec3 longest_column(flg_sym3 outer) {
  const flg_mat3 full = flg_sym3_full(outer);
  flg_vec3 best = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    const flg_vec3 column = flg_mat3_column(&full, k);
    if (flg_vec3_dot(column, column) > flg_vec3_dot(best, best)) best = column;
  }
  return flg_vec3_scale(best, 1 / flg_vec3_norm(best));
}

bool flg_axial_find(flg_sym3 s, flg_axial *axial) {
  double of[3];
  flg_sym3_eigenvalues(s, of);
  const double same = SAME * of[2];
  const bool low = of[1] - of[0] <= same, high = of[2] - of[1] <= same;
  /* Cubes and balls have no axis. The general way serves them: with exactly equal moments the
   * contact solver stops short of its tolerance in stacks of cubes 1e4 apart in mass. */
  if (!(of[0] > 0) || low == high) return false;
  const double across = low ? (of[0] + of[1]) / 2 : (of[1] + of[2]) / 2;
  axial->across = across, axial->more = (low ? of[2] : of[0]) - across;
  axial->axis = longest_column(flg_sym3_add_scaled(s, -across, flg_sym3_diagonal(1)));
  return true;
}

flg_axial flg_axial_inverse(const flg_axial *axial) {
  const double across = 1 / axial->across;
  return (flg_axial){across, 1 / (axial->across + axial->more) - across, axial->axis};
}
