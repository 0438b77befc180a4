/* test_body_model.h - the interface model of a rigid body, seen at its centre of mass.
 *
 *     H = diag(1/m 1, I^-1)      b = [f/m ; I^-1 (n - omega x I omega)]
 *
 * m [kg], I about the centre of mass in world axes [kg m^2], f [N] and n [N m] what acts on the
 * body besides joints and contacts, omega its spin [rad/s]. Rows are [linear; angular] in world
 * axes. Lever arms belong to the joints: a row at the point c + d is [e, d x e] for the direction
 * e. FLG_ERR_PHYSICS if the mass or the inertia is not positive.
 */
#ifndef FLG_INTERFACE_TEST_BODY_MODEL_H
#define FLG_INTERFACE_TEST_BODY_MODEL_H

#include <math.h>
#include <string.h>

#include "flange/status.h"
#include "math/dense.h"
#include "math/dense_small.h"
#include "math/spatial.h"

/* I = L L^T; 0 if it is not positive definite */
static inline int factor_inertia(flg_sym3 inertia, double L[9]) {
  const flg_mat3 full = flg_sym3_full(inertia);
  memcpy(L, full.m, sizeof full.m);
  return flg_small_cholesky3(L) == 3;
}

/* Z (6 x 6) with Z Z^T = H, for FLG_FORM_ROOT. */
static inline flg_status body_model_root(double mass, flg_sym3 inertia, double Z[36]) {
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

/* H (6 x 6), column-major. */
static inline flg_status body_model_admittance(double mass, flg_sym3 inertia, double H[36]) {
  double Z[36];
  const flg_status status = body_model_root(mass, inertia, Z);
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

/* b (6), from an H as above. */
static inline void body_model_bias(const double H[36], flg_sym3 inertia, flg_vec3 spin,
                                   flg_spatial force, double b[6]) {
  const flg_vec3 gyroscopic = flg_vec3_cross(spin, flg_sym3_apply(inertia, spin));
  double total[6] = {0};
  flg_spatial_store((flg_spatial){force.linear, flg_vec3_subtract(force.angular, gyroscopic)},
                    total);
  for (int i = 0; i < 6; i++) b[i] = 0;
  flg_dense_apply(6, 6, 1, H, 6, total, b);
}

#endif
