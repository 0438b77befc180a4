#include "dynamics/joint_rows.h"

#include "dynamics/hinge_rows.h"
#include "math/wide_vectors.h"

FLG_WIDE_VECTORS
/* A constant argument lets the compiler drop the branches of rows that a hinge does not have. */
int flg_joint_rows_see(flg_constraint_kind kind, const flg_joint_anchor end[2],
                       flg_joint_sight *sight, double left[FLG_CONSTRAINT_ROWS_MAX]) {
  const unsigned holds = flg_constraint_kinds[kind].holds;
  if (holds != FLG_HINGE) return flg_joint_see(holds, end, sight, left);
  flg_hinge_see(end, sight, left);
  return FLG_HINGE_ROWS;
}

FLG_WIDE_VECTORS
void flg_joint_rows_write(flg_constraint_kind kind, const flg_joint_sight *sight,
                          double *const side[2], int leading) {
  const unsigned holds = flg_constraint_kinds[kind].holds;
  if (holds == FLG_HINGE) {
    flg_hinge_write(sight, side, leading);
  } else {
    flg_joint_write(holds, sight, side, leading);
  }
}

FLG_WIDE_VECTORS
void flg_joint_rows_drift(flg_constraint_kind kind, const flg_joint_sight *sight,
                          const double left[FLG_CONSTRAINT_ROWS_MAX], const flg_spatial velocity[2],
                          double rate[FLG_CONSTRAINT_ROWS_MAX],
                          double bias[FLG_CONSTRAINT_ROWS_MAX]) {
  const unsigned holds = flg_constraint_kinds[kind].holds;
  if (holds == FLG_HINGE) {
    flg_hinge_drift(sight, left, &velocity[0], &velocity[1], rate, bias);
  } else {
    flg_joint_drift(holds, sight, left, velocity, rate, bias);
  }
}
