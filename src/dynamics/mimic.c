#include "dynamics/mimic.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/pivoted_cholesky.h"

int flg_mimics_count(const flg_model *model) {
  int count = 0;
  for (int k = 0; k < model->joint_count; k++) count += model->joints[k].mimic.joint >= 0;
  return count;
}

static const flg_link *link_of(const flg_robot *robot, int joint) {
  return &robot->links[robot->joint_links[joint]];
}

/* One leader each here; chains of gears of components have several (from rows, below). */
void flg_mimics_build(flg_mimics *mimics, const flg_model *model, const flg_robot *robot,
                      flg_region *region) {
  const size_t n = (size_t)flg_mimics_count(model), nv = (size_t)robot->velocity_count;
  *mimics = (flg_mimics){.count = 0,
                         .velocity_count = robot->velocity_count,
                         .followers = flg_region_take(region, n, sizeof(int)),
                         .first = flg_region_take(region, n + 1, sizeof(int)),
                         .leaders = flg_region_take(region, n, sizeof(int)),
                         .order = flg_region_take(region, n, sizeof(int)),
                         .multipliers = flg_region_take(region, n, sizeof(double)),
                         .forces = flg_region_take(region, n, sizeof(double)),
                         .responses = flg_region_take(region, nv * n, sizeof(double)),
                         .gram = flg_region_take(region, n * n, sizeof(double)),
                         .factor = flg_region_take(region, n * n, sizeof(double))};
  for (int k = 0; k < model->joint_count && !region->failed; k++) {
    const flg_mimic *mimic = &model->joints[k].mimic;
    if (mimic->joint < 0) continue;
    mimics->followers[mimics->count] = link_of(robot, k)->velocity;
    mimics->leaders[mimics->count] = link_of(robot, mimic->joint)->velocity;
    mimics->multipliers[mimics->count++] = mimic->multiplier;
    mimics->first[mimics->count] = mimics->count;
  }
}

/* --- from rows ----------------------------------------------------------------------------------
 */

/* of the largest number of a row: what is left of those that depend on others */
static const double DEPENDENT = 1e-9;

/* the largest number of the rows from `done` on, which becomes the next pivot; 0: there is none */
static double mimic_find_pivot(int count, int velocities, const double *G, int done, int *row,
                               int *column) {
  double most = 0;
  *row = done, *column = 0;
  for (int r = done; r < count; r++) {
    for (int k = 0; k < velocities; k++) {
      const double size = fabs(G[r * velocities + k]);
      if (size > most) most = size, *row = r, *column = k;
    }
  }
  return most;
}

static void mimic_swap_rows(int velocities, double *a, double *b) {
  for (int k = 0; k < velocities; k++) {
    const double kept = a[k];
    a[k] = b[k], b[k] = kept;
  }
}

/* Gauss and Jordan: row r has a 1 where its follower is, and no other follower. Returns how many
 * rows are independent. Rows may depend on each other: pivots are sought in rows and columns. */
static int mimic_reduce_rows(int count, int velocities, double *G, int *followers) {
  int done = 0, row, column;
  for (int r = 0; r < count; r++) { /* no row counts more than another */
    double most = 0;
    for (int k = 0; k < velocities; k++) most = fmax(most, fabs(G[r * velocities + k]));
    for (int k = 0; k < velocities && most > 0; k++) G[r * velocities + k] /= most;
  }
  while (done < count && mimic_find_pivot(count, velocities, G, done, &row, &column) > DEPENDENT) {
    double *own = G + (size_t)done * velocities;
    mimic_swap_rows(velocities, own, G + (size_t)row * velocities);
    const double pivot = own[column];
    for (int k = 0; k < velocities; k++) own[k] /= pivot;
    for (int r = 0; r < count; r++) {
      double *other = G + (size_t)r * velocities;
      const double share = other[column];
      for (int k = 0; k < velocities && r != done; k++) other[k] -= share * own[k];
      if (r != done) other[column] = 0;
    }
    followers[done++] = column;
  }
  return done;
}

bool flg_mimics_of_rows(flg_mimics *mimics, int count, int velocities, double *G,
                        flg_region *region) {
  const size_t n = (size_t)count, nv = (size_t)velocities;
  *mimics = (flg_mimics){.velocity_count = velocities,
                         .followers = flg_region_take(region, n, sizeof(int)),
                         .first = flg_region_take(region, n + 1, sizeof(int)),
                         .leaders = flg_region_take(region, n * nv, sizeof(int)),
                         .order = flg_region_take(region, n, sizeof(int)),
                         .multipliers = flg_region_take(region, n * nv, sizeof(double)),
                         .forces = flg_region_take(region, n, sizeof(double)),
                         .responses = flg_region_take(region, nv * n, sizeof(double)),
                         .gram = flg_region_take(region, n * n, sizeof(double)),
                         .factor = flg_region_take(region, n * n, sizeof(double))};
  if (region->failed) return false;
  mimics->count = mimic_reduce_rows(count, velocities, G, mimics->followers);
  for (int r = 0; r < mimics->count; r++) {
    int next = mimics->first[r];
    for (int k = 0; k < velocities; k++) {
      const double factor = G[r * velocities + k];
      if (k == mimics->followers[r] || factor == 0) continue;
      mimics->leaders[next] = k;
      mimics->multipliers[next++] = -factor;
    }
    mimics->first[r + 1] = next;
  }
  return true;
}

/* --- steps --------------------------------------------------------------------------------------
 */

/* no leader follows another: flg_model_check sees to it */
void flg_mimics_place(const flg_model *model, const flg_robot *robot, double *q) {
  for (int k = 0; k < model->joint_count; k++) {
    const flg_mimic *mimic = &model->joints[k].mimic;
    if (mimic->joint < 0) continue;
    q[link_of(robot, k)->position] =
        mimic->multiplier * q[link_of(robot, mimic->joint)->position] + mimic->offset;
  }
}

void flg_mimics_follow(const flg_mimics *mimics, double *x) {
  for (int r = 0; r < mimics->count; r++) {
    double sum = 0;
    for (int k = mimics->first[r]; k < mimics->first[r + 1]; k++) {
      sum += mimics->multipliers[k] * x[mimics->leaders[k]];
    }
    x[mimics->followers[r]] = sum;
  }
}

/* the transposed: what acts on a follower acts on its leaders, times their multipliers */
void flg_mimics_gather(const flg_mimics *mimics, double *f) {
  for (int r = 0; r < mimics->count; r++) {
    for (int k = mimics->first[r]; k < mimics->first[r + 1]; k++) {
      f[mimics->leaders[k]] += mimics->multipliers[k] * f[mimics->followers[r]];
    }
    f[mimics->followers[r]] = 0;
  }
}

/* row r of G times x */
static double row_times(const flg_mimics *mimics, int r, const double *x) {
  double sum = x[mimics->followers[r]];
  for (int k = mimics->first[r]; k < mimics->first[r + 1]; k++) {
    sum -= mimics->multipliers[k] * x[mimics->leaders[k]];
  }
  return sum;
}

/* M^-1 G^T column by column, by the recursions of the robot: M is not formed */
static void mimic_respond(flg_mimics *mimics, flg_dynamics *dynamics) {
  const int n = mimics->count, nv = mimics->velocity_count;
  for (int r = 0; r < n; r++) {
    double *response = mimics->responses + (size_t)r * nv;
    memset(response, 0, (size_t)nv * sizeof *response);
    response[mimics->followers[r]] += 1;
    for (int k = mimics->first[r]; k < mimics->first[r + 1]; k++) {
      response[mimics->leaders[k]] -= mimics->multipliers[k];
    }
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
