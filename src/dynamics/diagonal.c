/* The diagonal of M^-1. Forces on all coordinates that scatter with the covariance M make
 * accelerations that scatter with M^-1. By the articulated factors these are, from the base to the
 * tips, independent shares of the coordinates: that of coordinate k scatters by its yield. So the
 * scatter B of the acceleration of each link goes from its parent's to its own:
 *     a_k = e_k - yield_k U_k . a     var a_k = yield_k + yield_k^2 U_k . B U_k
 *     a += S_k a_k                    B += S_k S_k^T var a_k - yield_k (S_k (B U_k)^T + ...)
 */
#include <string.h>

#include "dynamics/scratch.h"

enum { SIX = 6 };

/* B <- X B X^T, X: of a motion that is seen at the point arm: linear + angular x arm */
static void shift_scatter(double *B, flg_vec3 arm) {
  double half[SIX * SIX], column[SIX];
  for (int c = 0; c < SIX; c++) { /* X B, by columns of B; its transpose is kept */
    flg_spatial_store(flg_spatial_shift_motion(flg_spatial_load(B + SIX * c), arm), column);
    for (int r = 0; r < SIX; r++) half[c + SIX * r] = column[r];
  }
  for (int c = 0; c < SIX; c++) {
    flg_spatial_store(flg_spatial_shift_motion(flg_spatial_load(half + SIX * c), arm), B + SIX * c);
  }
}

/* The link moves with one coordinate more. Returns the scatter of that coordinate. */
static double add_coordinate(const flg_coordinate *coordinate, double *B) {
  const double *S = flg_spatial_numbers(&coordinate->direction),
               *U = flg_spatial_numbers(&coordinate->load), yield = coordinate->yield;
  double loaded[SIX] = {0}, both = 0;
  for (int c = 0; c < SIX; c++) {
    for (int r = 0; r < SIX; r++) loaded[r] += B[r + SIX * c] * U[c];
  }
  for (int r = 0; r < SIX; r++) both += U[r] * loaded[r];
  const double scatter = yield + yield * yield * both;
  for (int c = 0; c < SIX; c++) {
    for (int r = 0; r < SIX; r++) {
      B[r + SIX * c] += scatter * S[r] * S[c] - yield * (S[r] * loaded[c] + loaded[r] * S[c]);
    }
  }
  return scatter;
}

void flg_dynamics_diagonal(const flg_dynamics *dynamics, double *scatters, double *diagonal) {
  const flg_robot *robot = dynamics->robot;
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    double *B = scatters + (size_t)(SIX * SIX) * (size_t)i;
    memset(B, 0, SIX * SIX * sizeof *B);
    if (link->parent != FLG_WORLD) {
      memcpy(B, scatters + (size_t)(SIX * SIX) * (size_t)link->parent, SIX * SIX * sizeof *B);
      shift_scatter(B, dynamics->motions[i].arm);
    }
    for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
      diagonal[k] = add_coordinate(&dynamics->coordinates[k], B);
    }
  }
}
