#include "cosim/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"
#include "math/svd.h"

enum { N = FLG_ANALYSIS_ROWS, WORK = 2000 };
/* singular values below this of the largest are zero: a locked direction is 1e-16 of it */
static const double ZERO = 1e-12;

/* singular values and rank of an n x n block of D */
static flg_status measure(const double *D, int first, int n, double *singular, int *rank,
                          double *condition) {
  double block[N * N], work[WORK];
  for (int j = 0; j < n; j++) {
    memcpy(block + (size_t)j * (size_t)n, D + first + (size_t)(first + j) * N,
           (size_t)n * sizeof *block);
  }
  if (flg_svd_workspace(n, n) > WORK) return FLG_ERR_RANGE;
  const flg_status status = flg_svd_factor(n, n, block, n, singular, NULL, 1, NULL, 1, work);
  if (status != FLG_OK) return status;
  *rank = flg_svd_rank(n, singular, ZERO);
  *condition = *rank < n ? (double)INFINITY : flg_svd_condition(n, singular);
  return FLG_OK;
}

/* the axes of D_tt are those of the ellipsoid; it gives way most where the mass is least */
static flg_status find_ellipsoid(flg_side_analysis *analysis) {
  double block[9], singular[3], u[9], vt[9], work[WORK];
  for (int j = 0; j < 3; j++)
    memcpy(block + 3 * j, analysis->admittance + N * j, 3 * sizeof *block);
  const flg_status status = flg_svd_factor(3, 3, block, 3, singular, u, 3, vt, 3, work);
  for (int k = 0; k < 3 && status == FLG_OK; k++) {
    analysis->masses[k] = singular[k] > ZERO * singular[0] ? 1 / singular[k] : (double)INFINITY;
    analysis->axes[k] = flg_vec3_load(u + 3 * k);
  }
  return status;
}

static void invert(flg_side_analysis *analysis) {
  double L[N * N];
  memcpy(L, analysis->admittance, sizeof L);
  memset(analysis->effective_mass, 0, sizeof analysis->effective_mass);
  if (analysis->rank < N || !flg_dense_cholesky(N, L, N)) return;
  for (int j = 0; j < N; j++) {
    double *column = analysis->effective_mass + (size_t)N * (size_t)j;
    column[j] = 1;
    flg_dense_cholesky_solve(N, L, N, column);
  }
}

static flg_status look(flg_side_analysis *analysis) {
  const double *D = analysis->admittance;
  double unread[3];
  flg_status status = measure(D, 0, N, analysis->singular, &analysis->rank, &analysis->condition);
  if (status == FLG_OK) {
    status = measure(D, 0, 3, unread, &analysis->rank_linear, &analysis->condition_linear);
  }
  if (status == FLG_OK) {
    status = measure(D, 3, 3, unread, &analysis->rank_angular, &analysis->condition_angular);
  }
  if (status == FLG_OK) status = find_ellipsoid(analysis);
  if (status == FLG_OK) invert(analysis);
  return status;
}

flg_status flg_side_analyse(const flg_interface *interface, int end,
                            const flg_subsystem *subsystems, flg_side_analysis *analysis,
                            flg_error *error) {
  const flg_interface_end *at = &interface->end[end];
  const flg_subsystem *subsystem = &subsystems[at->subsystem];
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  const int rows = N * ops->ports(subsystem->self);
  void *memory = malloc(flg_interface_model_bytes(rows));
  if (memory == NULL) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for a model");
  flg_interface_model *model;
  *analysis = (flg_side_analysis){0};
  flg_status status = flg_interface_model_build(memory, rows, rows, &model, error);
  if (status == FLG_OK) {
    subsystem->ops->refresh(subsystem->self, 0);
    status = ops->reduce(subsystem->self, 0, 0, model);
  }
  for (int j = 0; j < N && status == FLG_OK; j++) {
    const size_t column = (size_t)(N * at->port + j) * (size_t)rows;
    memcpy(analysis->admittance + (size_t)N * (size_t)j,
           flg_interface_model_admittance(model) + column + (size_t)(N * at->port),
           N * sizeof(double));
  }
  analysis->place = ops->frame(subsystem->self, at->port).pose.position;
  free(memory);
  if (status == FLG_OK) status = look(analysis);
  if (status == FLG_OK) return FLG_OK;
  return flg_fail(error, status, "the model of '%s' at '%s' is not finite", subsystem->name,
                  interface->name);
}

double flg_side_mass(const flg_side_analysis *analysis, flg_vec3 direction) {
  const double u[3] = {direction.x, direction.y, direction.z};
  double yield = 0, most = 0;
  for (int j = 0; j < 3; j++) {
    most = fmax(most, analysis->admittance[j + N * j]);
    for (int i = 0; i < 3; i++) yield += u[i] * analysis->admittance[i + N * j] * u[j];
  }
  return yield > ZERO * most ? 1 / yield : (double)INFINITY;
}
