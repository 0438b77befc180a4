/* Sums over the links: energies, mass, centre of mass, momentum. */
#include "dynamics/scratch.h"

/* the link's velocity in its own axes, where its inertia is known */
static flg_spatial own_velocity(const flg_motion *motion) {
  return flg_spatial_rotate_transposed(motion->velocity, &motion->rotation);
}

double flg_dynamics_kinetic_energy(const flg_dynamics *dynamics) {
  double energy = 0;
  for (int i = 0; i < dynamics->robot->link_count; i++) {
    const flg_inertia *inertia = &dynamics->robot->links[i].inertia;
    energy += flg_inertia_energy(inertia, own_velocity(&dynamics->motions[i]));
  }
  return energy;
}

double flg_dynamics_mass(const flg_dynamics *dynamics) {
  double mass = 0;
  for (int i = 0; i < dynamics->robot->link_count; i++) {
    mass += dynamics->robot->links[i].inertia.mass;
  }
  return mass;
}

/* sum of mass times centre of mass, from the world's origin */
static flg_vec3 moment_of_mass(const flg_dynamics *dynamics) {
  flg_vec3 sum = {0, 0, 0};
  for (int i = 0; i < dynamics->robot->link_count; i++) {
    const flg_inertia *inertia = &dynamics->robot->links[i].inertia;
    const flg_motion *motion = &dynamics->motions[i];
    const flg_vec3 h = flg_mat3_apply(&motion->rotation, inertia->moment);
    sum = flg_vec3_add(sum, flg_vec3_add_scaled(h, inertia->mass, motion->position));
  }
  return sum;
}

double flg_dynamics_potential_energy(const flg_dynamics *dynamics, flg_vec3 gravity) {
  return -flg_vec3_dot(gravity, moment_of_mass(dynamics));
}

void flg_dynamics_sum_trees(const flg_dynamics *dynamics, flg_vec3 gravity, const int *trees,
                            int count, flg_tree_sum *sums) {
  for (int k = 0; k < count; k++) sums[k] = (flg_tree_sum){0};
  for (int i = 0; i < dynamics->robot->link_count; i++) {
    const flg_inertia *inertia = &dynamics->robot->links[i].inertia;
    const flg_motion *motion = &dynamics->motions[i];
    const flg_vec3 h = flg_mat3_apply(&motion->rotation, inertia->moment);
    const flg_vec3 v = motion->velocity.linear, w = motion->velocity.angular;
    const flg_vec3 own = flg_mat3_apply_transposed(&motion->rotation, w),
                   swing = flg_vec3_cross(w, h);
    flg_tree_sum *sum = &sums[trees[i]];
    sum->mass += inertia->mass;
    sum->kinetic += 0.5 * (inertia->mass * flg_vec3_dot(v, v) +
                           flg_vec3_dot(own, flg_sym3_apply(inertia->rotation, own))) +
                    flg_vec3_dot(v, swing);
    sum->potential -=
        flg_vec3_dot(gravity, flg_vec3_add_scaled(h, inertia->mass, motion->position));
    sum->momentum = flg_vec3_add(sum->momentum, flg_vec3_add_scaled(swing, inertia->mass, v));
  }
}

flg_vec3 flg_dynamics_centre(const flg_dynamics *dynamics) {
  return flg_vec3_scale(moment_of_mass(dynamics), 1 / flg_dynamics_mass(dynamics));
}

flg_spatial flg_dynamics_momentum(const flg_dynamics *dynamics) {
  flg_spatial sum = {0};
  for (int i = 0; i < dynamics->robot->link_count; i++) {
    const flg_motion *motion = &dynamics->motions[i];
    const flg_inertia *inertia = &dynamics->robot->links[i].inertia;
    const flg_spatial own =
        flg_spatial_rotate(flg_inertia_apply(inertia, own_velocity(motion)), &motion->rotation);
    sum = flg_spatial_add(sum, flg_spatial_shift_force(own, flg_vec3_negate(motion->position)));
  }
  return sum;
}
