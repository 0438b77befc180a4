#include "math/identity.h"

#include <string.h>

#include "base/hash.h"

/* NULL: an array that only some models have. */
uint64_t flg_identity_reals(uint64_t hash, const double *values, size_t count) {
  return values == NULL ? hash : flg_hash(hash, values, count * sizeof *values);
}

uint64_t flg_identity_integers(uint64_t hash, const int *values, size_t count) {
  return values == NULL ? hash : flg_hash(hash, values, count * sizeof *values);
}

uint64_t flg_identity_bits(uint64_t hash, uint64_t bits) {
  return flg_hash(hash, &bits, sizeof bits);
}

uint64_t flg_identity_text(uint64_t hash, const char *text) {
  return text == NULL ? hash : flg_hash(hash, text, strlen(text) + 1);
}

uint64_t flg_identity_vector(uint64_t hash, flg_vec3 vector) {
  const double reals[] = {vector.x, vector.y, vector.z};
  return flg_identity_reals(hash, reals, 3);
}

uint64_t flg_identity_sym3(uint64_t hash, const flg_sym3 *matrix) {
  const double reals[] = {matrix->xx, matrix->yy, matrix->zz, matrix->xy, matrix->xz, matrix->yz};
  return flg_identity_reals(hash, reals, 6);
}

uint64_t flg_identity_pose(uint64_t hash, const flg_pose *pose) {
  return flg_identity_vector(flg_identity_reals(hash, pose->rotation.m, 9), pose->position);
}

uint64_t flg_identity_spatial(uint64_t hash, flg_spatial vector) {
  return flg_identity_vector(flg_identity_vector(hash, vector.linear), vector.angular);
}
