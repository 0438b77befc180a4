/* What kinds share. */
#include "parts/part.h"

/* --- rattle with velocities alone ---------------------------------------------------------------
 *     v* = v + h/2 a(q, v)      q+ = q (+) h v*      v+ = v* + h/2 a(q+, v* + (v* - v))
 */

/* h/2 a, which joints are no part of */
static void set_off(flg_parts *parts, double h, const double *v, double *v_mean) {
  parts->ops->accelerate(parts, false, v_mean);
  for (int k = 0; k < parts->velocity_count; k++) v_mean[k] = v[k] + h / 2 * v_mean[k];
}

static void push(flg_parts *parts, const double *change, double *v_mean) {
  for (int k = 0; k < parts->velocity_count && change != NULL; k++) v_mean[k] += change[k];
}

static void remember(flg_parts *parts) {
  (void)parts; /* v_mean is kept by the scheme */
}

static int fly(flg_parts *parts, double h, const double *q, const double *v_mean, double *q_next) {
  parts->ops->displace(parts, q, v_mean, h, q_next);
  return -1;
}

static void follow(flg_parts *parts, const double *moved, double h, double *v_mean) {
  for (int k = 0; k < parts->velocity_count; k++) v_mean[k] += moved[k] / h;
}

static void look_ahead(const flg_parts *parts, const double *v, double *ahead) {
  for (int k = 0; k < parts->velocity_count; k++) ahead[k] = 2 * ahead[k] - v[k];
}

static void arrive(flg_parts *parts, double h, const double *v_mean, double *v) {
  parts->ops->accelerate(parts, false, v);
  for (int k = 0; k < parts->velocity_count; k++) v[k] = v_mean[k] + h / 2 * v[k];
}

const flg_part_flight flg_plain_flight = {.set_off = set_off,
                                          .push = push,
                                          .remember = remember,
                                          .fly = fly,
                                          .follow = follow,
                                          .look_ahead = look_ahead,
                                          .arrive = arrive};
