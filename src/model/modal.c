#include "model/modal.h"

#include <math.h>
#include <string.h>

#include "math/eigenpairs.h"
#include "model/beam.h"

bool flg_modal_build(flg_modal_body *body, int modes, flg_region *region) {
  const size_t n = (size_t)modes;
  *body = (flg_modal_body){.modes = modes,
                           .mass = flg_region_take(region, n * n, sizeof(double)),
                           .stiffness = flg_region_take(region, n * n, sizeof(double)),
                           .damping = flg_region_take(region, n * n, sizeof(double)),
                           .travel = flg_region_take(region, n, sizeof(flg_vec3)),
                           .swing = flg_region_take(region, n, sizeof(flg_vec3)),
                           .travel_pairs = flg_region_take(region, n * n, sizeof(flg_vec3)),
                           .swing_pairs = flg_region_take(region, n * n, sizeof(flg_vec3)),
                           .inertias = flg_region_take(region, n, sizeof(flg_sym3)),
                           .inertia_pairs = flg_region_take(region, n * n, sizeof(flg_sym3))};
  return !region->failed;
}

/* --- sums over points ---------------------------------------------------------------------------
 */

/* of a and b: the inertia tr(J) - J of J = (a b^T + b a^T)/2 */
static flg_sym3 inertia_of_pair(flg_vec3 a, flg_vec3 b) {
  const double x = a.x * b.x, y = a.y * b.y, z = a.z * b.z;
  return (flg_sym3){.xx = y + z,
                    .yy = x + z,
                    .zz = x + y,
                    .xy = -0.5 * (a.x * b.y + a.y * b.x),
                    .xz = -0.5 * (a.x * b.z + a.z * b.x),
                    .yz = -0.5 * (a.y * b.z + a.z * b.y)};
}

static void add_sym3(flg_sym3 *sum, double factor, flg_sym3 more) {
  sum->xx += factor * more.xx, sum->yy += factor * more.yy, sum->zz += factor * more.zz;
  sum->xy += factor * more.xy, sum->xz += factor * more.xz, sum->yz += factor * more.yz;
}

static void add_vec3(flg_vec3 *sum, double factor, flg_vec3 more) {
  *sum = flg_vec3_add_scaled(*sum, factor, more);
}

void flg_modal_add_point(flg_modal_body *body, double mass, flg_vec3 s, const flg_vec3 *shapes,
                         const flg_vec3 *pairs) {
  const int n = body->modes;
  body->rigid.mass += mass;
  /* Sums over mass points of the integrals over the volume; each name is explained in modal.h. */
  add_vec3(&body->rigid.moment, mass, s);
  add_sym3(&body->rigid.rotation, mass, inertia_of_pair(s, s));
  for (int k = 0; k < n; k++) {
    add_vec3(&body->travel[k], mass, shapes[k]);
    add_vec3(&body->swing[k], mass, flg_vec3_cross(s, shapes[k]));
    add_sym3(&body->inertias[k], 2 * mass, inertia_of_pair(s, shapes[k]));
    for (int j = 0; j < n; j++) {
      const int at = k + n * j;
      body->mass[at] += mass * flg_vec3_dot(shapes[k], shapes[j]);
      add_vec3(&body->swing_pairs[at], mass, flg_vec3_cross(shapes[j], shapes[k]));
      add_sym3(&body->inertia_pairs[at], mass, inertia_of_pair(shapes[k], shapes[j]));
      /* Second-order displacements of bent sections: without them a turning beam would soften,
       * not stiffen. */
      if (pairs == NULL) continue;
      add_vec3(&body->travel_pairs[at], mass, pairs[at]);
      add_vec3(&body->swing_pairs[at], mass, flg_vec3_cross(s, pairs[at]));
      add_sym3(&body->inertia_pairs[at], mass, inertia_of_pair(s, pairs[at]));
    }
  }
}

/* --- modes of the body --------------------------------------------------------------------------
 */

/* frequencies squared, and the vectors (modes x modes) if asked for; X^T M X = 1 */
static flg_status find_modes(const flg_modal_body *body, double *squares, double **vectors,
                             flg_region *region) {
  const size_t n = (size_t)body->modes;
  double *K = flg_region_take(region, n * n, sizeof *K);
  double *M = flg_region_take(region, n * n, sizeof *M);
  if (K == NULL || M == NULL) return FLG_ERR_MEMORY;
  memcpy(K, body->stiffness, n * n * sizeof *K);
  memcpy(M, body->mass, n * n * sizeof *M);
  const flg_status status = flg_eigenpairs(body->modes, K, M, squares);
  if (status != FLG_OK) return status == FLG_ERR_DIVERGED ? FLG_ERR_PHYSICS : status;
  if (vectors != NULL) *vectors = K;
  return FLG_OK;
}

flg_status flg_modal_frequencies(const flg_modal_body *body, double *frequencies,
                                 flg_region *region) {
  const flg_status status = find_modes(body, frequencies, NULL, region);
  /* Rounding can leave a rigid mode slightly below zero, whose root would be NaN. */
  for (int k = 0; status == FLG_OK && k < body->modes; k++) {
    frequencies[k] = sqrt(fmax(0, frequencies[k]));
  }
  return status;
}

/* C = sum over modes of 2 share w (M x)(M x)^T */
flg_status flg_modal_damp(flg_modal_body *body, double share, flg_region *region) {
  const int n = body->modes;
  double *squares = flg_region_take(region, (size_t)n, sizeof *squares);
  double *momentum = flg_region_take(region, (size_t)n, sizeof *momentum);
  double *vectors = NULL;
  if (squares == NULL || momentum == NULL) return FLG_ERR_MEMORY;
  const flg_status status = find_modes(body, squares, &vectors, region);
  if (status != FLG_OK) return status;
  for (int i = 0; i < n; i++) {
    const double *x = vectors + (size_t)i * (size_t)n;
    const double factor = 2 * share * sqrt(fmax(0, squares[i]));
    for (int k = 0; k < n; k++) {
      momentum[k] = 0;
      for (int j = 0; j < n; j++) momentum[k] += body->mass[k + n * j] * x[j];
    }
    for (int k = 0; k < n; k++) {
      for (int j = 0; j < n; j++) body->damping[k + n * j] += factor * momentum[k] * momentum[j];
    }
  }
  return FLG_OK;
}

/* Rayleigh damping is proportional to M and K: no eigenvectors are needed. */
void flg_modal_damp_rayleigh(flg_modal_body *body, double by_mass, double by_stiffness) {
  for (int k = 0; k < body->modes * body->modes; k++) {
    body->damping[k] += by_mass * body->mass[k] + by_stiffness * body->stiffness[k];
  }
}

/* --- frames -------------------------------------------------------------------------------------
 */

void flg_modal_turn(flg_modal_body *body, const flg_mat3 *turn) {
  const int n = body->modes;
  body->rigid.moment = flg_mat3_apply(turn, body->rigid.moment);
  body->rigid.rotation = flg_sym3_rotate(body->rigid.rotation, turn);
  for (int k = 0; k < n; k++) {
    body->travel[k] = flg_mat3_apply(turn, body->travel[k]);
    body->swing[k] = flg_mat3_apply(turn, body->swing[k]);
    body->inertias[k] = flg_sym3_rotate(body->inertias[k], turn);
  }
  for (int k = 0; k < n * n; k++) {
    body->travel_pairs[k] = flg_mat3_apply(turn, body->travel_pairs[k]);
    body->swing_pairs[k] = flg_mat3_apply(turn, body->swing_pairs[k]);
    body->inertia_pairs[k] = flg_sym3_rotate(body->inertia_pairs[k], turn);
  }
}

/* Bodies from files know their shapes at nodes alone: a point in between takes those of the
 * nearest. */
static const flg_modal_node *nearest_modal_node(const flg_modal_body *body, flg_vec3 point) {
  const flg_modal_node *nearest = body->nodes;
  for (int k = 1; k < body->node_count; k++) {
    const flg_modal_node *node = &body->nodes[k];
    if (flg_vec3_norm(flg_vec3_subtract(node->position, point)) <
        flg_vec3_norm(flg_vec3_subtract(nearest->position, point))) {
      nearest = node;
    }
  }
  return nearest;
}

flg_vec3 flg_modal_station(const flg_modal_body *body, flg_vec3 point) {
  if (body->line != NULL) return flg_beam_station(body->line, point);
  return nearest_modal_node(body, point)->position;
}

void flg_modal_shapes(const flg_modal_body *body, flg_vec3 station, flg_spatial *shapes,
                      flg_vec3 *pairs) {
  const size_t n = (size_t)body->modes;
  memset(pairs, 0, n * n * sizeof *pairs);
  if (body->line != NULL) {
    flg_beam_shapes(body->line, station, shapes, pairs);
  } else {
    memcpy(shapes, nearest_modal_node(body, station)->shapes, n * sizeof *shapes);
  }
}

/* as flg_flex_ride has it */
static bool is_straight(const double *e, int modes) {
  for (int k = 0; k < modes; k++)
    if (e[k] != 0) return false;
  return true;
}

flg_pose flg_modal_place(const flg_modal_body *body, flg_vec3 station, const double *e,
                         flg_region *region) {
  const int n = body->modes;
  flg_pose at = {flg_mat3_identity(), station};
  /* Without deflection, the exact place: sums with zeros would round it. */
  if (is_straight(e, n)) return at;
  flg_spatial *shapes = flg_region_take(region, (size_t)n, sizeof *shapes);
  flg_vec3 *pairs = flg_region_take(region, (size_t)n * (size_t)n, sizeof *pairs);
  if (shapes == NULL || pairs == NULL) return at;
  flg_modal_shapes(body, station, shapes, pairs);
  flg_vec3 slope = {0, 0, 0};
  for (int k = 0; k < n; k++) {
    at.position = flg_vec3_add_scaled(at.position, e[k], shapes[k].linear);
    slope = flg_vec3_add_scaled(slope, e[k], shapes[k].angular);
    for (int j = 0; j < n && body->stiffens; j++) {
      at.position = flg_vec3_add_scaled(at.position, 0.5 * e[k] * e[j], pairs[k + n * j]);
    }
  }
  /* half of the slopes are a Rodrigues vector */
  const double tangent = 0.5 * flg_vec3_norm(slope);
  if (tangent > 0) {
    const flg_vec3 turn = flg_vec3_scale(slope, atan(tangent) / tangent);
    at.rotation = flg_quat_to_matrix(flg_quat_exp(turn));
  }
  return at;
}
