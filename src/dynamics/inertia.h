/* inertia.h - inertias in world axes, as kernels to inline: of a link alone, of what is rigidly
 * one with it (composite), and of what yields where its joints are free (articulated).
 *
 *     rigid        [ m 1     -[h]x ]        articulated    [ M    H ]
 *                  [ [h]x     I    ]                       [ H^T  I ]
 */
#ifndef FLG_DYNAMICS_INERTIA_H
#define FLG_DYNAMICS_INERTIA_H

#include "dynamics/scratch.h"
#include "math/dense_small.h"

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

/* The same of any link: a flexible one as it is deformed. */
FLG_SMALL flg_inertia flg_dynamics_own_inertia(const flg_dynamics *dynamics, int i) {
  const flg_link *link = &dynamics->robot->links[i];
  if (link->flex >= 0) return dynamics->flexes[link->flex].own;
  return flg_inertia_of_link(link, &dynamics->motions[i]);
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

/* --- articulated -------------------------------------------------------------------------------
 */

/* A * motion */
FLG_SMALL flg_spatial flg_articulated_resist(const flg_articulated *A, flg_spatial motion) {
  return (flg_spatial){flg_vec3_add(flg_sym3_apply(A->linear, motion.linear),
                                    flg_mat3_apply(&A->coupling, motion.angular)),
                       flg_vec3_add(flg_mat3_apply_transposed(&A->coupling, motion.linear),
                                    flg_sym3_apply(A->angular, motion.angular))};
}

/* S - a b^T for parallel a, b */
FLG_SMALL void flg_sym3_downdate(flg_sym3 *s, flg_vec3 a, flg_vec3 b) {
  s->xx -= a.x * b.x;
  s->yy -= a.y * b.y;
  s->zz -= a.z * b.z;
  s->xy -= a.x * b.y;
  s->xz -= a.x * b.z;
  s->yz -= a.y * b.z;
}

/* A - factor u u^T */
FLG_SMALL void flg_articulated_yield(flg_articulated *A, flg_spatial u, double factor) {
  const flg_vec3 f = flg_vec3_scale(u.linear, factor), n = flg_vec3_scale(u.angular, factor);
  const flg_vec3 b = u.angular;
  double *H = A->coupling.m;
  flg_sym3_downdate(&A->linear, f, u.linear);
  H[0] -= f.x * b.x, H[1] -= f.y * b.x, H[2] -= f.z * b.x;
  H[3] -= f.x * b.y, H[4] -= f.y * b.y, H[5] -= f.z * b.y;
  H[6] -= f.x * b.z, H[7] -= f.y * b.z, H[8] -= f.z * b.z;
  flg_sym3_downdate(&A->angular, n, b);
}

#endif
