#include "dynamics/momentum_step.h"

#include <math.h>

#include "dynamics/inertia.h"
#include "dynamics/joint.h"
#include "math/wide_vectors.h"

/* About centres of mass, where linear and angular momentum are decoupled. */
void flg_momentum_step_build(const flg_robot *robot, flg_momentum_link *links) {
  for (int i = 0; i < robot->link_count; i++) {
    const flg_inertia *own = &robot->links[i].inertia;
    const flg_vec3 centre = flg_vec3_scale(own->moment, 1 / own->mass);
    const flg_inertia point = flg_inertia_from_centre(own->mass, centre, (flg_sym3){0});
    links[i] =
        (flg_momentum_link){.mass = own->mass,
                            .centre = centre,
                            .inertia = flg_sym3_add_scaled(own->rotation, -1, point.rotation)};
    links[i].is_axial = flg_axial_find(links[i].inertia, &links[i].resists);
  }
}

/* Axial links (most motors, wheels and rods) need their axis turned, not the whole tensor. */
FLG_WIDE_VECTORS void flg_momentum_step_weigh(const flg_dynamics *dynamics,
                                              flg_momentum_link *links) {
  for (int i = 0; i < dynamics->robot->link_count; i++) {
    const flg_mat3 *rotation = &dynamics->motions[i].rotation;
    links[i].arm = flg_mat3_apply(rotation, links[i].centre);
    if (links[i].is_axial) {
      const flg_vec3 axis = flg_mat3_apply(rotation, links[i].resists.axis);
      links[i].turned = flg_axial_along(&links[i].resists, axis);
    } else {
      links[i].turned = flg_inertia_turn(links[i].inertia, rotation);
    }
  }
}

FLG_WIDE_VECTORS void flg_momentum_step_take_momenta(const flg_dynamics *dynamics,
                                                     flg_momentum_link *links) {
  for (int i = 0; i < dynamics->robot->link_count; i++) {
    flg_momentum_link *link = &links[i];
    const flg_spatial at = flg_spatial_shift_motion(dynamics->motions[i].velocity, link->arm);
    link->momentum = (flg_spatial){flg_vec3_scale(at.linear, link->mass),
                                   flg_sym3_apply(link->turned, at.angular)};
  }
}

/* --- ways ---------------------------------------------------------------------------------------
 */

/* exp of a rotation vector; short ones by their series */
FLG_SMALL flg_quat turn_by(flg_vec3 by) {
  const double SHORT = 0.04; /* square of an angle: what is left out is less than rounding */
  const double x = flg_vec3_dot(by, by);
  if (!(x < SHORT)) return flg_quat_exp(by);
  const double sine =
      0.5 + x * (-1.0 / 48 + x * (1.0 / 3840 + x * (-1.0 / 645120 + x * (1.0 / 185794560))));
  const double cosine =
      1 + x * (-1.0 / 8 + x * (1.0 / 384 + x * (-1.0 / 46080 + x * (1.0 / 10321920))));
  return (flg_quat){cosine, sine * by.x, sine * by.y, sine * by.z};
}

/* how far a turn takes the end of an arm, without a difference of large numbers */
FLG_SMALL flg_vec3 swing(flg_quat turn, flg_vec3 arm) {
  const flg_vec3 e = {turn.x, turn.y, turn.z};
  const flg_vec3 twice = flg_vec3_scale(flg_vec3_cross(e, arm), 2);
  return flg_vec3_add_scaled(flg_vec3_cross(e, twice), turn.w, twice);
}

/* what the joint of a link does after its parent has moved */
FLG_SMALL flg_momentum_path add_joint(const flg_dynamics *dynamics, const flg_link *link,
                                      const double *u, double h, flg_momentum_path carried) {
  flg_vec3 slide = {0, 0, 0}, turn = {0, 0, 0};
  const bool at_once = link->kind == FLG_JOINT_BALL || link->kind == FLG_JOINT_FLOATING;
  flg_quat own = flg_quat_identity();
  for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
    const flg_spatial direction = dynamics->coordinates[k].direction;
    slide = flg_vec3_add_scaled(slide, h * u[k], direction.linear);
    turn = flg_vec3_add_scaled(turn, h * u[k], direction.angular);
    if (at_once) continue;
    own = flg_quat_multiply(own, turn_by(turn)); /* axes one after the other */
    turn = (flg_vec3){0, 0, 0};
  }
  if (at_once) own = turn_by(turn);
  const flg_vec3 turned = flg_vec3_add(slide, swing(carried.turn, slide));
  return (flg_momentum_path){flg_quat_multiply(carried.turn, own),
                             flg_vec3_add(carried.shift, turned)};
}

FLG_SMALL flg_momentum_path go(const flg_dynamics *dynamics, int i, const double *u, double h,
                               const flg_momentum_path *ways) {
  const flg_link *link = &dynamics->robot->links[i];
  flg_momentum_path carried = {flg_quat_identity(), {0, 0, 0}};
  if (link->parent != FLG_WORLD) {
    carried = ways[link->parent];
    carried.shift = flg_vec3_add(carried.shift, swing(carried.turn, dynamics->motions[i].arm));
  }
  if (!flg_joint_is_turn(link->kind)) return add_joint(dynamics, link, u, h, carried);
  const flg_vec3 axis = dynamics->coordinates[link->velocity].direction.angular;
  const flg_quat own = turn_by(flg_vec3_scale(axis, h * u[link->velocity]));
  return (flg_momentum_path){flg_quat_multiply(carried.turn, own), carried.shift};
}

/* --- momenta ------------------------------------------------------------------------------------
 */

/* The mean angular momentum of a turn by the quaternion (w, e): 2/h (w I e + e x I e), the momentum
 * of a discrete rigid body (Moser and Veselov 1991) as in parts/bodies_free_step.c. */
FLG_SMALL flg_spatial momentum_of(const flg_momentum_link *link, const flg_momentum_path *way,
                                  double h) {
  const flg_vec3 e = {way->turn.x, way->turn.y, way->turn.z};
  const flg_vec3 Ie = flg_sym3_apply(link->turned, e);
  const flg_vec3 sum = flg_vec3_add_scaled(flg_vec3_cross(e, Ie), way->turn.w, Ie);
  const flg_vec3 shift = flg_vec3_add(way->shift, swing(way->turn, link->arm));
  return (flg_spatial){flg_vec3_scale(shift, link->mass / h), flg_vec3_scale(sum, 2 / h)};
}

/* The error of the momenta, from which a Newton step finds better velocities. */
FLG_WIDE_VECTORS bool flg_momentum_step_miss(const flg_dynamics *dynamics, flg_momentum_link *links,
                                             const double *u, double h, flg_momentum_path *ways,
                                             const flg_spatial *targets, flg_spatial *lacks) {
  /* near half a turn a step, its sense is no longer clear: callers take a shorter one */
  const double LEAST = 0.1; /* cosine of half the turn, as of bodies (parts/bodies_free_step.c) */
  bool is_fine = true;
  for (int i = 0; i < dynamics->robot->link_count; i++) {
    ways[i] = go(dynamics, i, u, h, ways);
    links[i].momentum = momentum_of(&links[i], &ways[i], h);
    lacks[i] =
        flg_spatial_subtract(targets[i], flg_momentum_step_at_origin(&links[i], links[i].momentum));
    if (!(ways[i].turn.w > LEAST)) is_fine = false;
  }
  return is_fine;
}

FLG_WIDE_VECTORS void flg_momentum_step_add_answer(const flg_dynamics *dynamics,
                                                   flg_momentum_link *links) {
  for (int i = 0; i < dynamics->robot->link_count; i++) {
    flg_momentum_link *link = &links[i];
    const flg_spatial at = flg_spatial_shift_motion(dynamics->responses[i], link->arm);
    link->momentum.linear = flg_vec3_add_scaled(link->momentum.linear, link->mass, at.linear);
    link->momentum.angular =
        flg_vec3_add(link->momentum.angular, flg_sym3_apply(link->turned, at.angular));
  }
}
