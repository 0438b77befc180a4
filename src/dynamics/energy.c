/* Sums over the links: energies, momentum. */
#include "dynamics/flex.h"
#include "dynamics/wide.h"
#include "math/wide_vectors.h"

/* the link's velocity in its own axes, where its inertia is known */
static flg_spatial own_velocity(const flg_motion *motion) {
  return flg_spatial_rotate_transposed(motion->velocity, &motion->rotation);
}

/* of the rotors that the joint of a link turns */
static double rotor_energy(const flg_dynamics *dynamics, const flg_link *link) {
  if (link->armature == 0) return 0;
  const double v = dynamics->known.v[link->velocity];
  return 0.5 * link->armature * v * v;
}

static double flexible_energy(const flg_dynamics *dynamics) {
  double energy = 0;
  for (int i = 0; i < dynamics->robot->link_count; i++) {
    const flg_link *link = &dynamics->robot->links[i];
    energy += link->flex >= 0
                  ? flg_flex_kinetic_energy(dynamics, link->flex)
                  : flg_inertia_energy(&link->inertia, own_velocity(&dynamics->motions[i]));
    energy += rotor_energy(dynamics, link);
  }
  return energy;
}

/* half of velocity times momentum, lane by lane until the end */
FLG_WIDE_VECTORS static double rigid_energy(const flg_dynamics *dynamics) {
  flg_three sum = {0, 0, 0, 0};
  double rotors = 0;
  for (int i = 0; i < dynamics->robot->link_count; i++) {
    const flg_link *link = &dynamics->robot->links[i];
    const flg_motion *motion = &dynamics->motions[i];
    const flg_wide_inertia own = flg_wide_inertia_of_link(link, motion);
    const flg_wide_spatial v = flg_wide_load(&motion->velocity),
                           p = flg_wide_momentum(&own, link->inertia.mass, &v);
    sum += v.linear * p.linear + v.angular * p.angular;
    rotors += rotor_energy(dynamics, link);
  }
  return 0.5 * flg_three_sum(sum) + rotors;
}

double flg_dynamics_kinetic_energy(const flg_dynamics *dynamics) {
  return dynamics->is_plain ? flexible_energy(dynamics) : rigid_energy(dynamics);
}

/* mass times centre of mass from the link's origin, in world axes */
static flg_vec3 own_moment(const flg_dynamics *dynamics, int i) {
  const flg_link *link = &dynamics->robot->links[i];
  if (link->flex >= 0) return dynamics->flexes[link->flex].own.moment;
  return flg_mat3_apply(&dynamics->motions[i].rotation, link->inertia.moment);
}

/* sum of mass times centre of mass, from the world's origin */
static flg_vec3 moment_of_mass(const flg_dynamics *dynamics) {
  flg_vec3 sum = {0, 0, 0};
  for (int i = 0; i < dynamics->robot->link_count; i++) {
    const flg_inertia *inertia = &dynamics->robot->links[i].inertia;
    const flg_motion *motion = &dynamics->motions[i];
    const flg_vec3 h = own_moment(dynamics, i);
    sum = flg_vec3_add(sum, flg_vec3_add_scaled(h, inertia->mass, motion->position));
  }
  return sum;
}

double flg_dynamics_potential_energy(const flg_dynamics *dynamics, flg_vec3 gravity) {
  const double elastic = flg_robot_elastic_energy(dynamics->robot, dynamics->known.q);
  /* Without gravity, positions far away must not turn 0 times infinity into NaN. */
  if (gravity.x == 0 && gravity.y == 0 && gravity.z == 0) return elastic;
  return elastic - flg_vec3_dot(gravity, moment_of_mass(dynamics));
}

/* of a flexible link, which stores energy */
static void add_flex_energy(const flg_dynamics *dynamics, int i, flg_vec3 gravity,
                            flg_tree_sum *sum) {
  const int flex = dynamics->robot->links[i].flex;
  const flg_inertia *own = &dynamics->flexes[flex].own;
  const flg_vec3 lever = flg_vec3_add_scaled(own->moment, own->mass, dynamics->motions[i].position);
  sum->mass += own->mass;
  sum->kinetic += flg_flex_kinetic_energy(dynamics, flex);
  sum->potential += flg_flex_stored_energy(dynamics, flex) - flg_vec3_dot(gravity, lever);
  sum->momentum = flg_vec3_add(sum->momentum, flg_flex_momentum(dynamics, flex).linear);
}

void flg_dynamics_sum_trees(const flg_dynamics *dynamics, flg_vec3 gravity, const int *trees,
                            int count, flg_tree_sum *sums) {
  for (int k = 0; k < count; k++) sums[k] = (flg_tree_sum){0};
  for (int i = 0; i < dynamics->robot->link_count; i++) {
    sums[trees[i]].kinetic += rotor_energy(dynamics, &dynamics->robot->links[i]);
    if (dynamics->robot->links[i].flex >= 0) {
      add_flex_energy(dynamics, i, gravity, &sums[trees[i]]);
      continue;
    }
    const flg_inertia *inertia = &dynamics->robot->links[i].inertia;
    const flg_motion *motion = &dynamics->motions[i];
    const flg_vec3 h = flg_mat3_apply(&motion->rotation, inertia->moment);
    const flg_vec3 v = motion->velocity.linear, w = motion->velocity.angular;
    const flg_vec3 own = flg_mat3_apply_transposed(&motion->rotation, w),
                   swing = flg_vec3_cross(w, h);
    flg_tree_sum *sum = &sums[trees[i]];
    sum->mass += inertia->mass;
    /* In the link's axes, where the inertia is constant: turning it would cost more than turning
     * w. */
    sum->kinetic += 0.5 * (inertia->mass * flg_vec3_dot(v, v) +
                           flg_vec3_dot(own, flg_sym3_apply(inertia->rotation, own))) +
                    flg_vec3_dot(v, swing);
    sum->potential -=
        flg_vec3_dot(gravity, flg_vec3_add_scaled(h, inertia->mass, motion->position));
    sum->momentum = flg_vec3_add(sum->momentum, flg_vec3_add_scaled(swing, inertia->mass, v));
  }
}

flg_spatial flg_dynamics_momentum(const flg_dynamics *dynamics) {
  flg_spatial sum = {0};
  for (int i = 0; i < dynamics->robot->link_count; i++) {
    const flg_motion *motion = &dynamics->motions[i];
    const flg_link *link = &dynamics->robot->links[i];
    const flg_spatial own =
        link->flex >= 0
            ? flg_flex_momentum(dynamics, link->flex)
            : flg_spatial_rotate(flg_inertia_apply(&link->inertia, own_velocity(motion)),
                                 &motion->rotation);
    sum = flg_spatial_add(sum, flg_spatial_shift_force(own, flg_vec3_negate(motion->position)));
  }
  return sum;
}
