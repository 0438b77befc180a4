#include "math/eigenpairs.h"

#include <lapacke.h>

#include "math/dense.h"

flg_status flg_eigenpairs(int n, double *K, double *M, double *values) {
  if (n == 0) return FLG_OK;
  if (!flg_dense_is_finite(n, n, K, n) || !flg_dense_is_finite(n, n, M, n)) {
    return FLG_ERR_DIVERGED;
  }
  const lapack_int info = LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'L', n, K, n, M, n, values);
  return info == 0 ? FLG_OK : FLG_ERR_DIVERGED;
}
