#include "dynamics/joint_rows.h"

#include "math/wide_vectors.h"

FLG_WIDE_VECTORS
int flg_joint_rows_see(flg_constraint_kind kind, const flg_joint_anchor end[2],
                       flg_joint_sight *sight, double left[FLG_CONSTRAINT_ROWS_MAX]) {
  return flg_joint_see(flg_constraint_kinds[kind].holds, end, sight, left);
}

FLG_WIDE_VECTORS
void flg_joint_rows_write(flg_constraint_kind kind, const flg_joint_sight *sight,
                          double *const side[2], int leading) {
  flg_joint_write(flg_constraint_kinds[kind].holds, sight, side, leading);
}

FLG_WIDE_VECTORS
void flg_joint_rows_drift(flg_constraint_kind kind, const flg_joint_sight *sight,
                          const double left[FLG_CONSTRAINT_ROWS_MAX], const flg_spatial velocity[2],
                          double rate[FLG_CONSTRAINT_ROWS_MAX],
                          double bias[FLG_CONSTRAINT_ROWS_MAX]) {
  flg_joint_drift(flg_constraint_kinds[kind].holds, sight, left, velocity, rate, bias);
}
