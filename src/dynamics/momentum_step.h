/* momentum_step.h - steps of a rigid robot by the momenta of its links.
 *
 *     J(q)^T p = J(q)^T p*(q, u)        q+ = q (+) h u
 *
 * p: momentum of each link at the start of a step, linear, and angular about its centre of mass, in
 * world axes. p*: the momentum with which a free rigid body gets in a time h from where its link is
 * at q to where it is at q+: linear m (c+ - c) / h, angular 2/h (s I e + e x I e) with the unit
 * quaternion (s, e) of its turn (Moser and Veselov 1991). Forces of joints do not appear: they are
 * what J^T takes away. Steps by rattle of the same bodies in absolute coordinates (parts/bodies.h)
 * are the same steps: symplectic, and momentum stays as it is.
 *
 * Turns and ways are found from joint to joint, never as differences of poses: what is far from the
 * origin loses no digits. All are step calls.
 */
#ifndef FLG_DYNAMICS_LEAP_H
#define FLG_DYNAMICS_LEAP_H

#include "dynamics/dynamics.h"
#include "math/axial.h"

/* A link: its mass in its own axes, and in world axes where it was weighed. */
typedef struct flg_momentum_link {
  double mass;
  flg_vec3 centre;      /* of mass, in the link's inner frame [m] */
  flg_sym3 inertia;     /* about it, in the link's axes [kg m^2] */
  bool is_axial;        /* it has an axis of symmetry: only that is turned */
  flg_axial resists;    /* the same inertia, then */
  flg_vec3 arm;         /* from the link's origin to the centre of mass, in world axes */
  flg_sym3 turned;      /* the inertia in world axes */
  flg_spatial momentum; /* about the centre of mass */
} flg_momentum_link;

/* Work space for one link: how it gets to the end of the step. */
typedef struct flg_momentum_path {
  flg_quat turn;  /* in world axes */
  flg_vec3 shift; /* of its origin */
} flg_momentum_path;

/* Set-up: masses of the links (links). */
void flg_momentum_step_build(const flg_robot *robot, flg_momentum_link *links);
/* After kinematics: arms and inertias in world axes. */
void flg_momentum_step_weigh(const flg_dynamics *dynamics, flg_momentum_link *links);
/* After weigh at the same q: momenta of links with the velocities of the last kinematics. */
void flg_momentum_step_take_momenta(const flg_dynamics *dynamics, flg_momentum_link *links);
/* After weigh at the same q: p* of u, and what it lacks of targets (links), both about the origins
 * of links. ways (links): work space. False if a link turns by more than half a turn, or a number
 * is not finite. */
bool flg_momentum_step_miss(const flg_dynamics *dynamics, flg_momentum_link *links, const double *u,
                            double h, flg_momentum_path *ways, const flg_spatial *targets,
                            flg_spatial *lacks);
/* After solve_links at the same q: momenta change with the answer as if nothing turned. */
void flg_momentum_step_add_answer(const flg_dynamics *dynamics, flg_momentum_link *links);
/* A momentum about the centre of mass, about the origin of its link. */
static inline flg_spatial flg_momentum_step_at_origin(const flg_momentum_link *link,
                                                      flg_spatial momentum) {
  return flg_spatial_shift_force(momentum, flg_vec3_negate(link->arm));
}

#endif
