#include "math/spatial.h"

/* [p]x^T [p]x = |p|^2 1 - p p^T: inertia of a unit mass at p */
static flg_sym3 unit_mass_at(flg_vec3 p) {
  return flg_sym3_add_scaled(flg_sym3_diagonal(flg_vec3_dot(p, p)), -1, flg_sym3_outer(p));
}

/* 2 p.h 1 - p h^T - h p^T: what moving the origin by -p adds, besides the mass at p */
static flg_sym3 cross_inertia(flg_vec3 p, flg_vec3 h) {
  const double x = p.x * h.x, y = p.y * h.y, z = p.z * h.z;
  return (flg_sym3){2 * (y + z),
                    2 * (x + z),
                    2 * (x + y),
                    -(p.x * h.y + p.y * h.x),
                    -(p.x * h.z + p.z * h.x),
                    -(p.y * h.z + p.z * h.y)};
}

/* About the frame's origin, not the centre: inertias about one point just add up. */
flg_inertia flg_inertia_from_centre(double mass, flg_vec3 centre, flg_sym3 central) {
  return (flg_inertia){.mass = mass,
                       .moment = flg_vec3_scale(centre, mass),
                       .rotation = flg_sym3_add_scaled(central, mass, unit_mass_at(centre))};
}

flg_inertia flg_inertia_add(const flg_inertia *a, const flg_inertia *b) {
  return (flg_inertia){.mass = a->mass + b->mass,
                       .moment = flg_vec3_add(a->moment, b->moment),
                       .rotation = flg_sym3_add(a->rotation, b->rotation)};
}

flg_spatial flg_inertia_apply(const flg_inertia *inertia, flg_spatial motion) {
  const flg_vec3 h = inertia->moment;
  return (flg_spatial){flg_vec3_subtract(flg_vec3_scale(motion.linear, inertia->mass),
                                         flg_vec3_cross(h, motion.angular)),
                       flg_vec3_add(flg_vec3_cross(h, motion.linear),
                                    flg_sym3_apply(inertia->rotation, motion.angular))};
}

double flg_inertia_energy(const flg_inertia *inertia, flg_spatial motion) {
  return 0.5 * flg_spatial_dot(motion, flg_inertia_apply(inertia, motion));
}

flg_inertia flg_inertia_to_parent(const flg_inertia *inertia, const flg_pose *pose) {
  const flg_vec3 p = pose->position, h = flg_mat3_apply(&pose->rotation, inertia->moment);
  const flg_sym3 turned = flg_sym3_rotate(inertia->rotation, &pose->rotation);
  const flg_sym3 moved = flg_sym3_add(turned, cross_inertia(p, h));
  return (flg_inertia){.mass = inertia->mass,
                       .moment = flg_vec3_add_scaled(h, inertia->mass, p),
                       .rotation = flg_sym3_add_scaled(moved, inertia->mass, unit_mass_at(p))};
}

flg_articulated flg_articulated_from_inertia(const flg_inertia *inertia) {
  return (flg_articulated){.linear = flg_sym3_diagonal(inertia->mass),
                           .coupling = flg_mat3_skew(flg_vec3_negate(inertia->moment)),
                           .angular = inertia->rotation};
}

flg_spatial flg_articulated_apply(const flg_articulated *inertia, flg_spatial motion) {
  return (flg_spatial){flg_vec3_add(flg_sym3_apply(inertia->linear, motion.linear),
                                    flg_mat3_apply(&inertia->coupling, motion.angular)),
                       flg_vec3_add(flg_mat3_apply_transposed(&inertia->coupling, motion.linear),
                                    flg_sym3_apply(inertia->angular, motion.angular))};
}

/* Written out for rank one, in the inner loop of forward dynamics: a product of 6 x 6 matrices
 * would compute zeros and both triangles. */
flg_articulated flg_articulated_downdate(const flg_articulated *inertia, flg_spatial u,
                                         double factor) {
  const flg_vec3 f = u.linear, n = u.angular;
  const flg_mat3 product =
      flg_mat3_from_columns(flg_vec3_scale(f, n.x), flg_vec3_scale(f, n.y), flg_vec3_scale(f, n.z));
  return (flg_articulated){
      .linear = flg_sym3_add_scaled(inertia->linear, -factor, flg_sym3_outer(f)),
      .coupling = flg_mat3_add_scaled(&inertia->coupling, -factor, &product),
      .angular = flg_sym3_add_scaled(inertia->angular, -factor, flg_sym3_outer(n))};
}
