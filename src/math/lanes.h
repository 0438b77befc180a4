/* lanes.h - four of the same at once: lane k of every vector belongs to number k of them.
 *
 * Each lane sees the operations of vec3.h, mat3.h and rotation.h in their order, so that it has
 * the bits that these give one at a time. For functions that are compiled for wide vectors
 * (wide_vectors.h).
 */
#ifndef FLG_MATH_LANES_H
#define FLG_MATH_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "math/rotation.h"
#include "math/six.h"

/* Vectors are passed by value to functions that are always in line, where no convention matters. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

enum { FLG_LANES = 4 };

/* which lanes: all bits of those, as comparisons of flg_four give them */
typedef int64_t flg_lanes_mask __attribute__((vector_size(32), aligned(8), may_alias));

typedef struct flg_lanes_vec3 {
  flg_four x, y, z;
} flg_lanes_vec3;

typedef struct flg_lanes_sym3 {
  flg_four xx, xy, xz, yy, yz, zz;
} flg_lanes_sym3;

typedef struct flg_lanes_quat {
  flg_four w, x, y, z;
} flg_lanes_quat;

/* --- to and from memory -------------------------------------------------------------------------
 */

/* Addresses of a member of four structs, one after the other: for the functions below. */
#define FLG_LANES_OF(of, member) &(of)[0].member, &(of)[1].member, &(of)[2].member, &(of)[3].member

FLG_SMALL flg_four flg_lanes_numbers(const double *a, const double *b, const double *c,
                                     const double *d) {
  return (flg_four){*a, *b, *c, *d};
}

FLG_SMALL flg_lanes_vec3 flg_lanes_vectors(const flg_vec3 *a, const flg_vec3 *b, const flg_vec3 *c,
                                           const flg_vec3 *d) {
  return (flg_lanes_vec3){
      {a->x, b->x, c->x, d->x}, {a->y, b->y, c->y, d->y}, {a->z, b->z, c->z, d->z}};
}

FLG_SMALL flg_lanes_sym3 flg_lanes_matrices(const flg_sym3 *a, const flg_sym3 *b, const flg_sym3 *c,
                                            const flg_sym3 *d) {
  return (flg_lanes_sym3){{a->xx, b->xx, c->xx, d->xx}, {a->xy, b->xy, c->xy, d->xy},
                          {a->xz, b->xz, c->xz, d->xz}, {a->yy, b->yy, c->yy, d->yy},
                          {a->yz, b->yz, c->yz, d->yz}, {a->zz, b->zz, c->zz, d->zz}};
}

/* Lane k of them, k a constant. */
FLG_SMALL flg_sym3 flg_lanes_matrix_of(const flg_lanes_sym3 *s, int k) {
  return (flg_sym3){.xx = s->xx[k],
                    .yy = s->yy[k],
                    .zz = s->zz[k],
                    .xy = s->xy[k],
                    .xz = s->xz[k],
                    .yz = s->yz[k]};
}

FLG_SMALL flg_vec3 flg_lanes_vector_of(const flg_lanes_vec3 *v, int k) {
  return (flg_vec3){v->x[k], v->y[k], v->z[k]};
}

/* Numbers that are `apart` from each other. */
FLG_SMALL flg_four flg_lanes_load(const double *from, int apart) {
  return (flg_four){from[0], from[apart], from[2 * apart], from[3 * apart]};
}

FLG_SMALL void flg_lanes_store(flg_four v, double *to, int apart) {
  to[0] = v[0], to[apart] = v[1], to[2 * apart] = v[2], to[3 * apart] = v[3];
}

FLG_SMALL flg_lanes_vec3 flg_lanes_load_vec3(const double *from, int apart) {
  return (flg_lanes_vec3){flg_lanes_load(from, apart), flg_lanes_load(from + 1, apart),
                          flg_lanes_load(from + 2, apart)};
}

/* --- numbers ------------------------------------------------------------------------------------
 */

FLG_SMALL flg_four flg_lanes_sqrt(flg_four v) {
  return (flg_four){sqrt(v[0]), sqrt(v[1]), sqrt(v[2]), sqrt(v[3])};
}

/* |v| */
FLG_SMALL flg_four flg_lanes_size(flg_four v) {
  return (flg_four)((flg_lanes_mask)v & INT64_MAX);
}

/* `then` in lanes of the mask, `otherwise` in the others */
FLG_SMALL flg_four flg_lanes_choose(flg_lanes_mask mask, flg_four then, flg_four otherwise) {
  return (flg_four)((mask & (flg_lanes_mask)then) | (~mask & (flg_lanes_mask)otherwise));
}

FLG_SMALL bool flg_lanes_all(flg_lanes_mask mask) {
  return (mask[0] & mask[1] & mask[2] & mask[3]) != 0;
}

/* --- vectors ------------------------------------------------------------------------------------
 */

FLG_SMALL flg_lanes_vec3 flg_lanes_add(flg_lanes_vec3 a, flg_lanes_vec3 b) {
  return (flg_lanes_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

FLG_SMALL flg_lanes_vec3 flg_lanes_subtract(flg_lanes_vec3 a, flg_lanes_vec3 b) {
  return (flg_lanes_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

FLG_SMALL flg_lanes_vec3 flg_lanes_scale(flg_lanes_vec3 a, flg_four factor) {
  return (flg_lanes_vec3){a.x * factor, a.y * factor, a.z * factor};
}

/* a + factor b */
FLG_SMALL flg_lanes_vec3 flg_lanes_add_scaled(flg_lanes_vec3 a, flg_four factor, flg_lanes_vec3 b) {
  return (flg_lanes_vec3){a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
}

FLG_SMALL flg_four flg_lanes_dot(flg_lanes_vec3 a, flg_lanes_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

FLG_SMALL flg_lanes_vec3 flg_lanes_cross(flg_lanes_vec3 a, flg_lanes_vec3 b) {
  return (flg_lanes_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

FLG_SMALL flg_lanes_vec3 flg_lanes_choose_vec3(flg_lanes_mask mask, flg_lanes_vec3 then,
                                               flg_lanes_vec3 otherwise) {
  return (flg_lanes_vec3){flg_lanes_choose(mask, then.x, otherwise.x),
                          flg_lanes_choose(mask, then.y, otherwise.y),
                          flg_lanes_choose(mask, then.z, otherwise.z)};
}

/* --- matrices and rotations ---------------------------------------------------------------------
 */

/* S v */
FLG_SMALL flg_lanes_vec3 flg_lanes_sym3_apply(const flg_lanes_sym3 *s, flg_lanes_vec3 v) {
  return (flg_lanes_vec3){s->xx * v.x + s->xy * v.y + s->xz * v.z,
                          s->xy * v.x + s->yy * v.y + s->yz * v.z,
                          s->xz * v.x + s->yz * v.y + s->zz * v.z};
}

/* p q */
FLG_SMALL flg_lanes_quat flg_lanes_quat_multiply(flg_lanes_quat p, flg_lanes_quat q) {
  return (flg_lanes_quat){
      p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
      p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
}

/* q / |q|; false if one of them is zero */
FLG_SMALL bool flg_lanes_quat_normalise(flg_lanes_quat *q) {
  const flg_four norm = flg_lanes_sqrt(q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z);
  if (!flg_lanes_all(norm > 0)) return false;
  *q = (flg_lanes_quat){q->w / norm, q->x / norm, q->y / norm, q->z / norm};
  return true;
}

/* R of unit quaternions, by columns */
FLG_SMALL void flg_lanes_quat_to_matrix(flg_lanes_quat q, flg_lanes_vec3 column[3]) {
  const flg_four xx = 2 * q.x * q.x, yy = 2 * q.y * q.y, zz = 2 * q.z * q.z;
  const flg_four xy = 2 * q.x * q.y, xz = 2 * q.x * q.z, yz = 2 * q.y * q.z;
  const flg_four wx = 2 * q.w * q.x, wy = 2 * q.w * q.y, wz = 2 * q.w * q.z;
  column[0] = (flg_lanes_vec3){1 - (yy + zz), xy + wz, xz - wy};
  column[1] = (flg_lanes_vec3){xy - wz, 1 - (xx + zz), yz + wx};
  column[2] = (flg_lanes_vec3){xz + wy, yz - wx, 1 - (xx + yy)};
}

/* R v */
FLG_SMALL flg_lanes_vec3 flg_lanes_mat3_apply(const flg_lanes_vec3 column[3], flg_lanes_vec3 v) {
  return (flg_lanes_vec3){column[0].x * v.x + column[1].x * v.y + column[2].x * v.z,
                          column[0].y * v.x + column[1].y * v.y + column[2].y * v.z,
                          column[0].z * v.x + column[1].z * v.y + column[2].z * v.z};
}

/* q* v q: the inverse of a rotation by a unit quaternion */
FLG_SMALL flg_lanes_vec3 flg_lanes_quat_rotate_back(flg_lanes_quat q, flg_lanes_vec3 v) {
  const flg_lanes_vec3 u = {-q.x, -q.y, -q.z}, across = flg_lanes_cross(u, v);
  const flg_lanes_vec3 t = {across.x * 2, across.y * 2, across.z * 2};
  return flg_lanes_add(flg_lanes_add_scaled(v, q.w, t), flg_lanes_cross(u, t));
}

#endif
