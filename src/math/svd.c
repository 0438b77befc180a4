#include "math/svd.h"

#include <math.h>
#include <stddef.h>

#include "math/dense.h"
#include "math/lapack.h"

/* the least that dgesvd asks for, plus one: more would save little on matrices of this size */
int flg_svd_workspace(int rows, int columns) {
  const int small = rows < columns ? rows : columns, large = rows < columns ? columns : rows;
  const int first = 3 * small + large, second = 5 * small;
  return (first > second ? first : second) + 1;
}

flg_status flg_svd_factor(int rows, int columns, double *a, int lda, double *singular, double *u,
                          int ldu, double *vt, int ldvt, double *work) {
  if (rows == 0 || columns == 0) return FLG_OK;
  if (!flg_dense_is_finite(rows, columns, a, lda)) return FLG_ERR_DIVERGED;
  /* Vectors take most of the time, and ranks and condition numbers do not need them. */
  const int values_only = u == NULL || vt == NULL;
  const flg_status status = flg_lapack_open(NULL);
  if (status != FLG_OK) return status;
  const char *job = values_only ? "N" : "S";
  const int work_count = flg_svd_workspace(rows, columns);
  if (values_only) ldu = ldvt = 1;
  int info = 0;
  flg_lapack.dgesvd_(job, job, &rows, &columns, a, &lda, singular, u, &ldu, vt, &ldvt, work,
                     &work_count, &info, 1, 1);
  return info == 0 ? FLG_OK : FLG_ERR_DIVERGED;
}

int flg_svd_rank(int count, const double *singular, double tolerance) {
  int rank = 0;
  while (rank < count && singular[rank] > tolerance * singular[0]) rank++;
  return rank;
}

double flg_svd_condition(int count, const double *singular) {
  /* A matrix without rows loses no digits. */
  if (count == 0) return 1;
  return singular[count - 1] > 0 ? singular[0] / singular[count - 1] : HUGE_VAL;
}
