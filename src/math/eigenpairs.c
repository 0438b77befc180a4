#include "math/eigenpairs.h"

#include <stdlib.h>

#include "math/dense.h"
#include "math/lapack.h"

/* work_count -1: only says in work[0] how much work memory is best */
static flg_status solve_pencil(int n, double *K, double *M, double *values, double *work,
                               int work_count) {
  const int type = 1; /* K x = lambda M x */
  int info = 0;
  flg_lapack.dsygv_(&type, "V", "L", &n, K, &n, M, &n, values, work, &work_count, &info, 1, 1);
  return info == 0 ? FLG_OK : FLG_ERR_DIVERGED;
}

flg_status flg_eigenpairs(int n, double *K, double *M, double *values) {
  if (n == 0) return FLG_OK;
  /* LAPACK may loop without end on NaN. */
  if (!flg_dense_is_finite(n, n, K, n) || !flg_dense_is_finite(n, n, M, n)) {
    return FLG_ERR_DIVERGED;
  }
  double best = 0;
  flg_status status = flg_lapack_open(NULL);
  if (status == FLG_OK) status = solve_pencil(n, K, M, values, &best, -1);
  if (status != FLG_OK) return status;
  double *work = malloc((size_t)best * sizeof *work);
  status = work == NULL ? FLG_ERR_MEMORY : solve_pencil(n, K, M, values, work, (int)best);
  free(work);
  return status;
}
