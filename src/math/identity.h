/* identity.h - pieces of identities: numbers are hashed one by one, since structs have padding. */
#ifndef FLG_IDENTITY_H
#define FLG_IDENTITY_H

#include <stdint.h>

#include "math/spatial.h"

/* Chains a hash with values, by a layout such as "t ii r": a letter for each, and blanks for
 * readers. The values stand in their order after it:
 *
 *     i   int                         v   flg_vec3
 *     r   double                      w   flg_spatial
 *     u   uint64_t                    s   const flg_sym3 *
 *     t   const char *                p   const flg_pose *
 *     I   const int *, int: so many   R   const double *, int: so many
 *
 * Texts and arrays that are NULL leave the hash as it is. */
uint64_t flg_identity(uint64_t hash, const char *layout, ...);

#endif
