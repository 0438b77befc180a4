#include "interface/body_model.h"

#include <string.h>

#include "math/dense.h"
#include "math/dense_small.h"

/* I = L L^T; 0 if it is not positive definite */
static int factor_inertia(flg_sym3 inertia, double L[9]) {
  const flg_mat3 full = flg_sym3_full(inertia);
  memcpy(L, full.m, sizeof full.m);
  return flg_small_cholesky3(L) == 3;
}

flg_status flg_body_model_root(double mass, flg_sym3 inertia, double Z[36]) {
  double L[9];
  if (!flg_small_is_pivot(mass) || !factor_inertia(inertia, L)) return FLG_ERR_PHYSICS;
  memset(Z, 0, 36 * sizeof(double));
  for (int i = 0; i < 3; i++) Z[7 * i] = 1 / sqrt(mass);
  /* I^-1 = L^-T L^-1, so that Z = L^-T: its columns solve L^T z = e */
  for (int j = 0; j < 3; j++) {
    double *column = Z + 3 + 6 * (3 + j);
    column[j] = 1;
    flg_small_solve_lower_transposed(3, L, 3, column);
  }
  return FLG_OK;
}

flg_status flg_body_model_admittance(double mass, flg_sym3 inertia, double H[36]) {
  double Z[36];
  const flg_status status = flg_body_model_root(mass, inertia, Z);
  if (status != FLG_OK) return status;
  memset(H, 0, 36 * sizeof(double));
  for (int i = 0; i < 3; i++) H[7 * i] = 1 / mass;
  for (int j = 3; j < 6; j++) {
    for (int i = 3; i < 6; i++) {
      for (int k = 3; k < 6; k++) H[i + 6 * j] += Z[i + 6 * k] * Z[j + 6 * k];
    }
  }
  return FLG_OK;
}

void flg_body_model_bias(const double H[36], flg_sym3 inertia, flg_vec3 spin, flg_spatial force,
                         double b[6]) {
  const flg_vec3 gyroscopic = flg_vec3_cross(spin, flg_sym3_apply(inertia, spin));
  double total[6] = {0};
  flg_spatial_store((flg_spatial){force.linear, flg_vec3_subtract(force.angular, gyroscopic)},
                    total);
  for (int i = 0; i < 6; i++) b[i] = 0;
  flg_dense_apply(6, 6, 1, H, 6, total, b);
}
