/* Functions that kinds of parts share. */
#include "parts/part.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/larger.h"
#include "math/pivoted_cholesky.h"

/* --- D as a matrix ------------------------------------------------------------------------------
 */

void flg_part_root(int n, const double *D, int *order, double *lower, double *Z) {
  const size_t size = (size_t)n;
  const int rank = flg_pivoted_cholesky_factor(n, D, n, NULL, DBL_EPSILON, order, lower, n);
  memset(Z, 0, size * size * sizeof *Z); /* columns past the rank are zero */
  for (size_t j = 0; (int)j < rank; j++) {
    for (size_t i = j; i < size; i++) Z[(size_t)order[i] + j * size] = lower[i + j * size];
  }
  if (rank == FLG_PIVOT_FAILED) Z[0] = NAN; /* the plan will tell */
}

double flg_part_mobility(int n, const double *D, int port, const double x[6]) {
  const size_t size = (size_t)n;
  const double *block = D + (size + 1) * (size_t)(FLG_PORT_NUMBERS * port);
  double sum = 0;
  for (size_t i = 0; i < FLG_PORT_NUMBERS; i++) {
    for (size_t j = 0; j < FLG_PORT_NUMBERS; j++) sum += x[i] * block[i + size * j] * x[j];
  }
  return sum;
}

/* --- work of joints -----------------------------------------------------------------------------
 *     x = p+ - p - h (f + f+) / 2         impulse of the joints on a body
 *     E = sum of x . (v + v+) / 2         their work
 */

/* The share of the change in one step that the other step takes back; 0 if none. */
static double taken_back(flg_vec3 first, flg_vec3 second) {
  const double along = flg_vec3_dot(first, second);
  if (!(along < 0)) return 0;
  const double most = flg_larger(flg_vec3_dot(first, first), flg_vec3_dot(second, second));
  return -along / sqrt(most);
}

void flg_spin_changes_add(flg_spin_changes *changes, double time, double h, flg_vec3 change,
                          flg_vec3 spin) {
  /* a peak between two steps: the change before the last is then twice that on a peak */
  const double back =
      flg_larger(taken_back(changes->last[0], change), taken_back(changes->last[1], change) / 2);
  if (back > changes->back) changes->back = back, changes->angle = h * back, changes->at = time;
  const double fast = flg_vec3_dot(spin, spin);
  if (fast > changes->most * changes->most) changes->most = sqrt(fast);
  changes->last[1] = changes->last[0], changes->last[0] = change;
}

/* --- rattle with velocities alone ---------------------------------------------------------------
 *     v* = v + h/2 a(q, v)      q+ = q (+) h v*      v+ = v* + h/2 a(q+, v* + (v* - v))
 */

/* h/2 a, which joints are no part of */
static void explicit_set_off(flg_parts *parts, double h, const double *v, double *v_mean) {
  parts->ops->accelerate(parts, false, v_mean);
  for (int k = 0; k < parts->velocity_count; k++) v_mean[k] = v[k] + h / 2 * v_mean[k];
}

static void part_push(flg_parts *parts, const double *change, double *v_mean) {
  for (int k = 0; k < parts->velocity_count && change != NULL; k++) v_mean[k] += change[k];
}

static void explicit_remember(flg_parts *parts) {
  (void)parts; /* v_mean is kept by the scheme */
}

static int explicit_fly(flg_parts *parts, double h, const double *q, const double *v_mean,
                        double *q_next) {
  parts->ops->displace(parts, q, v_mean, h, q_next);
  return -1;
}

static void explicit_follow(flg_parts *parts, const double *moved, double h, double *v_mean) {
  for (int k = 0; k < parts->velocity_count; k++) v_mean[k] += moved[k] / h;
}

static void explicit_look_ahead(const flg_parts *parts, const double *v, double *ahead) {
  for (int k = 0; k < parts->velocity_count; k++) ahead[k] = 2 * ahead[k] - v[k];
}

static void explicit_arrive(flg_parts *parts, double h, const double *v_mean, double *v) {
  parts->ops->accelerate(parts, false, v);
  for (int k = 0; k < parts->velocity_count; k++) v[k] = v_mean[k] + h / 2 * v[k];
}

const flg_part_free_step flg_plain_free_step = {.set_off = explicit_set_off,
                                                .push = part_push,
                                                .remember = explicit_remember,
                                                .fly = explicit_fly,
                                                .follow = explicit_follow,
                                                .look_ahead = explicit_look_ahead,
                                                .arrive = explicit_arrive};
