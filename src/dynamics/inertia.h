/* inertia.h - inertias in world axes, as kernels to inline: of a link alone, of what is rigidly
 * one with it (composite), and of what yields where its joints are free (articulated).
 *
 *     rigid        [ m 1     -[h]x ]        articulated    [ M    H ]
 *                  [ [h]x     I    ]                       [ H^T  I ]
 */
#ifndef FLG_DYNAMICS_INERTIA_H
#define FLG_DYNAMICS_INERTIA_H

#include "dynamics/scratch.h"
#include "math/quad.h"

/* R S R^T. Two rows of R give five elements, the trace gives the sixth. */
FLG_SMALL flg_sym3 flg_inertia_turn(flg_sym3 s, const flg_mat3 *rotation) {
  const double *m = rotation->m;
  const flg_vec3 x = {m[0], m[3], m[6]}, y = {m[1], m[4], m[7]}, z = {m[2], m[5], m[8]};
  const flg_vec3 sx = flg_sym3_apply(s, x), sy = flg_sym3_apply(s, y);
  const double xx = flg_vec3_dot(x, sx), yy = flg_vec3_dot(y, sy);
  return (flg_sym3){.xx = xx,
                    .yy = yy,
                    .zz = (s.xx + s.yy + s.zz) - (xx + yy),
                    .xy = flg_vec3_dot(x, sy),
                    .xz = flg_vec3_dot(z, sx),
                    .yz = flg_vec3_dot(z, sy)};
}

/* The inertia of the link alone. */
FLG_SMALL flg_inertia flg_inertia_of_link(const flg_link *link, const flg_motion *motion) {
  return (flg_inertia){.mass = link->inertia.mass,
                       .moment = flg_mat3_apply(&motion->rotation, link->inertia.moment),
                       .rotation = flg_inertia_turn(link->inertia.rotation, &motion->rotation)};
}

/* The force that the link's spin alone needs: w x (w x h), w x (I w). */
FLG_SMALL flg_spatial flg_inertia_spin(const flg_inertia *inertia, flg_vec3 w) {
  return (flg_spatial){flg_vec3_cross(w, flg_vec3_cross(w, inertia->moment)),
                       flg_vec3_cross(w, flg_sym3_apply(inertia->rotation, w))};
}

/* inertia * motion */
FLG_SMALL flg_spatial flg_inertia_resist(const flg_inertia *inertia, flg_spatial motion) {
  const flg_vec3 h = inertia->moment;
  return (flg_spatial){
      flg_vec3_add_scaled(flg_vec3_cross(motion.angular, h), inertia->mass, motion.linear),
      flg_vec3_add(flg_vec3_cross(h, motion.linear),
                   flg_sym3_apply(inertia->rotation, motion.angular))};
}

FLG_SMALL void flg_inertia_join(flg_inertia *sum, const flg_inertia *more) {
  sum->mass += more->mass;
  sum->moment = flg_vec3_add(sum->moment, more->moment);
  sum->rotation = flg_sym3_add(sum->rotation, more->rotation);
}

/* The same inertia about an origin r before: with k = 2 h + m r,
 *     h' = h + m r        I' = I + r.k 1 - (r k^T + k r^T)/2 */
FLG_SMALL flg_inertia flg_inertia_shift(const flg_inertia *inertia, flg_vec3 r) {
  const double m = inertia->mass;
  const flg_vec3 h = flg_vec3_add_scaled(inertia->moment, m, r);
  const flg_vec3 k = flg_vec3_add(inertia->moment, h), half = flg_vec3_scale(r, 0.5);
  const double x = r.x * k.x, y = r.y * k.y, z = r.z * k.z;
  const flg_sym3 I = inertia->rotation;
  return (flg_inertia){
      .mass = m,
      .moment = h,
      .rotation = {I.xx + (y + z), I.yy + (x + z), I.zz + (x + y),
                   I.xy - (half.x * k.y + half.y * k.x), I.xz - (half.x * k.z + half.z * k.x),
                   I.yz - (half.y * k.z + half.z * k.y)}};
}

/* --- articulated -------------------------------------------------------------------------------
 * By columns, in vectors.
 */

/* The inertia of the link alone; I by its six numbers first, which are as good as they can be. */
FLG_SMALL void flg_columns_of_link(const flg_link *link, const flg_motion *motion,
                                   flg_own_columns *own) {
  const flg_sym3 I = flg_inertia_turn(link->inertia.rotation, &motion->rotation);
  flg_quad_load(flg_mat3_apply(&motion->rotation, link->inertia.moment), &own->moment);
  own->angular[0] = (flg_quad){I.xx, I.xy, I.xz, 0};
  own->angular[1] = (flg_quad){I.xy, I.yy, I.yz, 0};
  own->angular[2] = (flg_quad){I.xz, I.yz, I.zz, 0};
}

FLG_SMALL void flg_columns_join(flg_columns *sum, const flg_columns *more) {
  for (int k = 0; k < 3; k++) {
    sum->linear[k] += more->linear[k];
    sum->coupling[k] += more->coupling[k];
    sum->angular[k] += more->angular[k];
  }
}

/* Adds a rigid inertia, which fills but a part. */
FLG_SMALL void flg_columns_join_rigid(flg_columns *sum, double mass, const flg_own_columns *own) {
  const flg_vec3 h = flg_quad_get(&own->moment);
  sum->linear[0] += (flg_quad){mass, 0, 0, 0};
  sum->linear[1] += (flg_quad){0, mass, 0, 0};
  sum->linear[2] += (flg_quad){0, 0, mass, 0};
  sum->coupling[0] += (flg_quad){0, -h.z, h.y, 0};
  sum->coupling[1] += (flg_quad){h.z, 0, -h.x, 0};
  sum->coupling[2] += (flg_quad){-h.y, h.x, 0, 0};
  for (int k = 0; k < 3; k++) sum->angular[k] += own->angular[k];
}

/* A * motion */
FLG_SMALL void flg_columns_resist(const flg_columns *A, flg_spatial motion, flg_quad *linear,
                                  flg_quad *angular) {
  flg_quad transposed[3], turned, pushed;
  flg_quad_apply(A->linear, motion.linear, linear);
  flg_quad_apply(A->coupling, motion.angular, &turned);
  *linear += turned;
  flg_quad_transpose(A->coupling, transposed);
  flg_quad_apply(transposed, motion.linear, &pushed);
  flg_quad_apply(A->angular, motion.angular, angular);
  *angular += pushed;
}

/* A - factor u u^T */
FLG_SMALL void flg_columns_yield(flg_columns *A, const flg_quad *linear, const flg_quad *angular,
                                 double factor) {
  const flg_quad f = *linear * factor, n = *angular * factor;
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) {
    A->linear[k] -= f * (*linear)[k];
    A->coupling[k] -= f * (*angular)[k];
    A->angular[k] -= n * (*angular)[k];
  }
}

/* The same inertia about an origin r before. With P = [r]x:
 *     H' = H - M P        I' = I + Z + Z^T, Z = P (H + H')/2 */
FLG_SMALL void flg_columns_shift(flg_columns *A, flg_vec3 r) {
  const flg_quad *M = A->linear;
  flg_quad *H = A->coupling, Z[3], turned[3], arm;
  const flg_quad before[3] = {H[0], H[1], H[2]};
  flg_quad_load(r, &arm);
  H[0] -= M[1] * r.z - M[2] * r.y;
  H[1] -= M[2] * r.x - M[0] * r.z;
  H[2] -= M[0] * r.y - M[1] * r.x;
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) {
    const flg_quad mean = (H[k] + before[k]) * 0.5;
    flg_quad_cross(&arm, &mean, &Z[k]);
  }
  flg_quad_transpose(Z, turned);
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) A->angular[k] += Z[k] + turned[k];
}

#endif
