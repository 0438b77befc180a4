/* identity.h - pieces of identities: numbers are hashed one by one, since structs have padding.
 *
 * Each chains a hash with what it is given; NULL leaves it as it is.
 */
#ifndef FLG_IDENTITY_H
#define FLG_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

#include "math/spatial.h"

uint64_t flg_identity_reals(uint64_t hash, const double *values, size_t count);
uint64_t flg_identity_integers(uint64_t hash, const int *values, size_t count);
uint64_t flg_identity_bits(uint64_t hash, uint64_t bits);
uint64_t flg_identity_text(uint64_t hash, const char *text);
uint64_t flg_identity_vector(uint64_t hash, flg_vec3 vector);
uint64_t flg_identity_sym3(uint64_t hash, const flg_sym3 *matrix);
uint64_t flg_identity_pose(uint64_t hash, const flg_pose *pose);
uint64_t flg_identity_spatial(uint64_t hash, flg_spatial vector);

#endif
