/* lapack.h - what is used of OpenBLAS, for work past small sizes. It is opened when it is first
 * needed (base/opened_library.h); where there is none, products and factorisations fall back to
 * the kernels of ours, which give the same to rounding and take longer.
 *
 * Functions of LAPACK are called as Fortran has them: all by address, and the lengths of texts
 * behind the other arguments.
 */
#ifndef FLG_MATH_LAPACK_H
#define FLG_MATH_LAPACK_H

#include <cblas.h>
#include <stddef.h>

#include "base/opened_library.h"

/* A = L L^T */
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
/* A P = Q R */
void dgeqp3_(const int *rows, const int *columns, double *a, const int *lda, int *order,
             double *tau, double *work, const int *work_count, int *info);
/* A = U S V^T */
void dgesvd_(const char *job_u, const char *job_vt, const int *rows, const int *columns, double *a,
             const int *lda, double *singular, double *u, const int *ldu, double *vt,
             const int *ldvt, double *work, const int *work_count, int *info, size_t, size_t);
/* K x = lambda M x */
void dsygv_(const int *type, const char *job, const char *uplo, const int *n, double *k,
            const int *ldk, double *m, const int *ldm, double *values, double *work,
            const int *work_count, int *info, size_t, size_t);

#define FLG_LAPACK_NAMES(NAME) \
  NAME(cblas_dgemm)            \
  NAME(cblas_dsyrk)            \
  NAME(cblas_dtrsm)            \
  NAME(dpotrf_)                \
  NAME(dgeqp3_)                \
  NAME(dgesvd_)                \
  NAME(dsygv_)

typedef struct flg_lapack_table {
  FLG_LAPACK_NAMES(FLG_OPENED_POINTER)
} flg_lapack_table;

/* Filled by the first flg_lapack_open that succeeds. */
extern flg_lapack_table flg_lapack;

/* FLG_ERR_MISSING, FLG_ERR_MEMORY. error may be NULL. */
flg_status flg_lapack_open(flg_error *error);

#endif
