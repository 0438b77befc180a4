#include "dynamics/joint_rows.h"

#include "math/wide_vectors.h"

/* Most joints are hinges: for those the compiler knows what there is to do. */
enum { HINGE = FLG_HOLDS_ACROSS | FLG_HOLDS_ALONG | FLG_HOLDS_UPRIGHT };

FLG_WIDE_VECTORS
/* A constant argument lets the compiler drop the branches of rows that a hinge does not have. */
int flg_joint_rows_see(flg_constraint_kind kind, const flg_joint_anchor end[2],
                       flg_joint_sight *sight, double left[FLG_CONSTRAINT_ROWS_MAX]) {
  const unsigned holds = flg_constraint_kinds[kind].holds;
  return holds == HINGE ? flg_joint_see(HINGE, end, sight, left)
                        : flg_joint_see(holds, end, sight, left);
}

FLG_WIDE_VECTORS
void flg_joint_rows_write(flg_constraint_kind kind, const flg_joint_sight *sight,
                          double *const side[2], int leading) {
  const unsigned holds = flg_constraint_kinds[kind].holds;
  if (holds == HINGE) {
    flg_joint_write(HINGE, sight, side, leading);
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
  if (holds == HINGE) {
    flg_joint_drift(HINGE, sight, left, velocity, rate, bias);
  } else {
    flg_joint_drift(holds, sight, left, velocity, rate, bias);
  }
}
