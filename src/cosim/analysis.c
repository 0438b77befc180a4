#include "cosim/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "macro/smooth.h"
#include "math/dense.h"
#include "math/lapack.h"
#include "math/larger.h"
#include "math/svd.h"

enum { N = FLG_ANALYSIS_ROWS, WORK = 2000 };
/* singular values below this of the largest are zero: a locked direction is 1e-16 of it */
static const double ZERO = 1e-12;

/* singular values and rank of an n x n block of D */
static flg_status measure_block(const double *D, int first, int n, double *singular, int *rank,
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

/* the axes of D_tt are those of the ellipsoid; it moves most easily where the mass is least */
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

static void analysis_invert(flg_side_analysis *analysis) {
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

static flg_status look_at_side(flg_side_analysis *analysis) {
  const double *D = analysis->admittance;
  double unread[3];
  flg_status status =
      measure_block(D, 0, N, analysis->singular, &analysis->rank, &analysis->condition);
  if (status == FLG_OK) {
    status = measure_block(D, 0, 3, unread, &analysis->rank_linear, &analysis->condition_linear);
  }
  if (status == FLG_OK) {
    status = measure_block(D, 3, 3, unread, &analysis->rank_angular, &analysis->condition_angular);
  }
  if (status == FLG_OK) status = find_ellipsoid(analysis);
  if (status == FLG_OK) analysis_invert(analysis);
  return status;
}

static flg_status count_closed(const flg_subsystem *subsystem, int *closed, flg_error *error) {
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  const flg_contact *list;
  int count = 0;
  if (flg_touch_ports(subsystem) == 0) return FLG_OK;
  const flg_status status = ops->contacts(subsystem->self, 0, &list, &count, error);
  for (int k = 0; k < count && status == FLG_OK; k++) {
    *closed += flg_contact_state_of(subsystem, k) != FLG_CONTACT_OPEN;
  }
  return status;
}

static flg_status analysis_close_contacts(const flg_subsystem *subsystem, flg_reduced *reduced,
                                          flg_error *error) {
  flg_smooth *smooth = NULL;
  flg_status status =
      flg_smooth_build(&smooth, subsystem, (flg_smooth_scope){0}, (flg_softness){0}, error);
  if (status == FLG_OK) status = flg_smooth_apply(smooth, subsystem, reduced, error);
  flg_smooth_release(smooth);
  return status;
}

static flg_status reduce_side(const flg_subsystem *subsystem, bool is_smooth, flg_reduced *reduced,
                              flg_side_analysis *analysis, flg_error *error) {
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  subsystem->ops->refresh(subsystem->self, 0);
  flg_status status = ops->reduce(subsystem->self, 0, 0, reduced->model);
  if (status != FLG_OK) {
    return flg_fail(error, status, "the model of '%s' is not finite", subsystem->name);
  }
  status = count_closed(subsystem, &analysis->closed, error);
  return status == FLG_OK && is_smooth ? analysis_close_contacts(subsystem, reduced, error)
                                       : status;
}

/* the block of a port, out of a matrix over all ports */
static void take_block(const double *matrix, int rows, int port, double block[N * N]) {
  const size_t first = N * (size_t)port;
  for (size_t j = 0; j < N; j++) {
    memcpy(block + N * j, matrix + (first + j) * (size_t)rows + first, N * sizeof(double));
  }
}

/* M S M, into S */
static void weigh_by_metric(const double M[N * N], double S[N * N]) {
  double half[N * N] = {0};
  flg_dense_multiply(N, N, N, 1, M, N, S, N, half, N);
  memset(S, 0, N * N * sizeof *S);
  flg_dense_multiply(N, N, N, 1, half, N, M, N, S, N);
}

/* K_eff and C_eff, after the effective mass (flexible-rim, Eq. 11 and 12) */
static void find_elastic(const flg_subsystem *subsystem, int port, double *numbers,
                         flg_side_analysis *analysis) {
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  const int rows = N * ops->ports(subsystem->self);
  double *damping = numbers + (size_t)rows * (size_t)rows;
  analysis->bends = ops->elastic != NULL && ops->elastic(subsystem->self, numbers, damping);
  if (!analysis->bends || analysis->rank < N) return;
  take_block(numbers, rows, port, analysis->stiffness);
  take_block(damping, rows, port, analysis->damping);
  weigh_by_metric(analysis->effective_mass, analysis->stiffness);
  weigh_by_metric(analysis->effective_mass, analysis->damping);
}

static flg_status look_at_port(const flg_subsystem *subsystem, int port, bool is_smooth,
                               flg_reduced *reduced, double *numbers, flg_side_analysis *analysis,
                               flg_error *error) {
  flg_status status = reduce_side(subsystem, is_smooth, reduced, analysis, error);
  if (status != FLG_OK) return status;
  take_block(flg_interface_model_admittance(reduced->model), reduced->model->rows, port,
             analysis->admittance);
  status = look_at_side(analysis);
  if (status != FLG_OK) {
    return flg_fail(error, status, "the model of '%s' is not finite", subsystem->name);
  }
  find_elastic(subsystem, port, numbers, analysis);
  return FLG_OK;
}

flg_status flg_side_analyse(const flg_interface *interface, int end,
                            const flg_subsystem *subsystems, bool is_smooth,
                            flg_side_analysis *analysis, flg_error *error) {
  const flg_interface_end *at = &interface->end[end];
  const flg_subsystem *subsystem = &subsystems[at->subsystem];
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  const int rows = N * ops->ports(subsystem->self);
  const size_t square = (size_t)rows * (size_t)rows;
  void *memory = malloc(flg_interface_model_bytes(rows));
  double *numbers = calloc((size_t)rows + 2 * square, sizeof *numbers);
  flg_reduced reduced = {.velocity_bias = numbers};
  flg_status status = flg_lapack_open(error);
  *analysis = (flg_side_analysis){0};
  if (status == FLG_OK && (memory == NULL || numbers == NULL)) {
    status = flg_fail(error, FLG_ERR_MEMORY, "there is no memory for a model");
  }
  if (status == FLG_OK) {
    status = flg_interface_model_build(memory, rows, rows, &reduced.model, error);
  }
  if (status == FLG_OK) {
    status =
        look_at_port(subsystem, at->port, is_smooth, &reduced, numbers + rows, analysis, error);
  }
  free(memory), free(numbers);
  if (status == FLG_OK) analysis->place = ops->frame(subsystem->self, at->port).pose.position;
  return status;
}

double flg_side_mass(const flg_side_analysis *analysis, flg_vec3 direction) {
  const double u[3] = {direction.x, direction.y, direction.z};
  double yield = 0, most = 0;
  for (int j = 0; j < 3; j++) {
    most = flg_larger(most, analysis->admittance[j + N * j]);
    for (int i = 0; i < 3; i++) yield += u[i] * analysis->admittance[i + N * j] * u[j];
  }
  return yield > ZERO * most ? 1 / yield : (double)INFINITY;
}
