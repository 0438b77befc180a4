#include "dynamics/mimic.h"

#include <string.h>

#include "math/dense.h"
#include "math/pivoted_cholesky.h"

int flg_mimics_count(const flg_model *model) {
  int count = 0;
  for (int k = 0; k < model->joint_count; k++) count += model->joints[k].mimic.joint >= 0;
  return count;
}

size_t flg_mimics_bytes(const flg_model *model, const flg_robot *robot) {
  const size_t n = (size_t)flg_mimics_count(model), nv = (size_t)robot->velocity_count;
  return 3 * flg_arena_bytes(n, sizeof(int)) + 2 * flg_arena_bytes(n, sizeof(double)) +
         flg_arena_bytes(nv * n, sizeof(double)) + 2 * flg_arena_bytes(n * n, sizeof(double));
}

static const flg_link *link_of(const flg_robot *robot, int joint) {
  return &robot->links[robot->joint_links[joint]];
}

void flg_mimics_build(flg_mimics *mimics, const flg_model *model, const flg_robot *robot,
                      flg_arena *arena) {
  const size_t n = (size_t)flg_mimics_count(model), nv = (size_t)robot->velocity_count;
  *mimics = (flg_mimics){.count = 0,
                         .velocity_count = robot->velocity_count,
                         .followers = flg_arena_take(arena, n, sizeof(int)),
                         .leaders = flg_arena_take(arena, n, sizeof(int)),
                         .order = flg_arena_take(arena, n, sizeof(int)),
                         .multipliers = flg_arena_take(arena, n, sizeof(double)),
                         .forces = flg_arena_take(arena, n, sizeof(double)),
                         .responses = flg_arena_take(arena, nv * n, sizeof(double)),
                         .gram = flg_arena_take(arena, n * n, sizeof(double)),
                         .factor = flg_arena_take(arena, n * n, sizeof(double))};
  for (int k = 0; k < model->joint_count; k++) {
    const flg_mimic *mimic = &model->joints[k].mimic;
    if (mimic->joint < 0) continue;
    mimics->followers[mimics->count] = link_of(robot, k)->velocity;
    mimics->leaders[mimics->count] = link_of(robot, mimic->joint)->velocity;
    mimics->multipliers[mimics->count++] = mimic->multiplier;
  }
}

/* no leader follows another: flg_model_check sees to it */
void flg_mimics_place(const flg_model *model, const flg_robot *robot, double *q) {
  for (int k = 0; k < model->joint_count; k++) {
    const flg_mimic *mimic = &model->joints[k].mimic;
    if (mimic->joint < 0) continue;
    q[link_of(robot, k)->position] =
        mimic->multiplier * q[link_of(robot, mimic->joint)->position] + mimic->offset;
  }
}

/* As many rounds as rows: the result does not depend on the order of the rows. */
void flg_mimics_follow(const flg_mimics *mimics, double *x) {
  for (int round = mimics->count; round > 0; round--) {
    for (int r = 0; r < mimics->count; r++) {
      x[mimics->followers[r]] = mimics->multipliers[r] * x[mimics->leaders[r]];
    }
  }
}

/* the transposed: what acts on a follower acts on its leader, times the multiplier */
void flg_mimics_gather(const flg_mimics *mimics, double *f) {
  for (int round = mimics->count; round > 0; round--) {
    for (int r = 0; r < mimics->count; r++) {
      f[mimics->leaders[r]] += mimics->multipliers[r] * f[mimics->followers[r]];
      f[mimics->followers[r]] = 0;
    }
  }
}

/* row r of G times x */
static double row_times(const flg_mimics *mimics, int r, const double *x) {
  return x[mimics->followers[r]] - mimics->multipliers[r] * x[mimics->leaders[r]];
}

/* M^-1 G^T column by column, by the recursions of the robot: M is not formed */
static void mimic_respond(flg_mimics *mimics, flg_dynamics *dynamics) {
  const int n = mimics->count, nv = mimics->velocity_count;
  for (int r = 0; r < n; r++) {
    double *response = mimics->responses + (size_t)r * nv;
    memset(response, 0, (size_t)nv * sizeof *response);
    response[mimics->followers[r]] += 1;
    response[mimics->leaders[r]] -= mimics->multipliers[r];
    flg_dynamics_solve(dynamics, response, response);
  }
  for (int c = 0; c < n; c++) {
    const double *response = mimics->responses + (size_t)c * nv;
    for (int r = c; r < n; r++) mimics->gram[r + c * n] = row_times(mimics, r, response);
  }
}

/* Factors of G M^-1 G^T; its rank. Rows between locked joints cannot yield: the pivoting leaves
 * them out. */
static int mimic_factor(flg_mimics *mimics, flg_dynamics *dynamics) {
  const int n = mimics->count;
  mimic_respond(mimics, dynamics);
  return flg_pivoted_cholesky_factor(n, mimics->gram, n, NULL, FLG_PIVOT_TOLERANCE, mimics->order,
                                     mimics->factor, n);
}

/* The forces that close all rows of x, in the order of the pivots. */
static void close(flg_mimics *mimics, int rank, const double *x) {
  double *forces = mimics->forces;
  for (int k = 0; k < rank; k++) forces[k] = -row_times(mimics, mimics->order[k], x);
  if (rank > 0) flg_dense_cholesky_solve(rank, mimics->factor, mimics->count, forces);
}

static void add_responses(const flg_mimics *mimics, int rank, double *x) {
  const int nv = mimics->velocity_count;
  for (int k = 0; k < rank; k++) {
    const double *response = mimics->responses + (size_t)mimics->order[k] * (size_t)nv;
    for (int i = 0; i < nv; i++) x[i] += mimics->forces[k] * response[i];
  }
}

/* x - M^-1 G^T (G M^-1 G^T)^+ G x: the nearest in the mass norm that fulfils all rows */
void flg_mimics_project(flg_mimics *mimics, flg_dynamics *dynamics, double *x) {
  if (mimics->count == 0) return;
  const int rank = mimic_factor(mimics, dynamics);
  close(mimics, rank, x);
  add_responses(mimics, rank, x);
}

/* D falls by (J M^-1 G^T) (G M^-1 G^T)^+ (G M^-1 J^T), where G M^-1 J^T are the rows of the
 * answers: all columns of D before any answer changes. */
void flg_mimics_reduce(flg_mimics *mimics, flg_dynamics *dynamics, int rows, double *answers,
                       double *D) {
  const size_t nv = (size_t)mimics->velocity_count;
  if (mimics->count == 0) return;
  const int rank = mimic_factor(mimics, dynamics);
  for (int j = 0; j < rows; j++) {
    close(mimics, rank, answers + (size_t)j * nv);
    for (int i = j; i < rows; i++) {
      double *element = &D[(size_t)i + (size_t)j * (size_t)rows];
      for (int k = 0; k < rank; k++) {
        *element +=
            row_times(mimics, mimics->order[k], answers + (size_t)i * nv) * mimics->forces[k];
      }
      D[(size_t)j + (size_t)i * (size_t)rows] = *element;
    }
  }
  for (int j = 0; j < rows; j++) {
    close(mimics, rank, answers + (size_t)j * nv);
    add_responses(mimics, rank, answers + (size_t)j * nv);
  }
}
