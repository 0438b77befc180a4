/* dynamics.h - motion and forces of a robot in joint coordinates.
 *
 *     M(q) a + c(q, v) = f            c: bias (velocity, gravity), f: generalised forces
 *
 * Everything is written in world axes, each link's quantities at its own origin, with ordinary
 * (not spatial) accelerations: the inertia of a link is turned once, shifted once, and never
 * transformed between tilted frames again. Cost is linear in the number of links.
 *
 * The functions below fill a scratch that the caller owns; those further down need those further up
 * to have run for the same q (and v), as each says. Step calls: they neither fail, allocate nor
 * lock.
 */
#ifndef FLG_DYNAMICS_H
#define FLG_DYNAMICS_H

#include <stdint.h>

#include "model/robot.h"

typedef struct flg_dynamics flg_dynamics; /* the scratch: everything in it can be recomputed */

flg_status flg_dynamics_build(flg_dynamics **dynamics, const flg_robot *robot, flg_region *region,
                              flg_error *error);
/* Set-up: after the robot itself was changed. What was computed last for the same numbers is not
 * computed again, and those are all that steps look at. */
void flg_dynamics_forget(flg_dynamics *dynamics);

/* Mass that elastic coordinates of flexible links add: damping C + stiffness K, for steps
 * that take elastic forces implicitly [s, s^2]. */
typedef struct flg_elastic_share {
  double damping, stiffness;
} flg_elastic_share;
/* Step: of all factors from now on; at first none. In what is said below, M includes it. */
void flg_dynamics_set_elastic(flg_dynamics *dynamics, flg_elastic_share share);

/* --- kinematics: poses, velocities and bias accelerations of all links ------------------------ */

void flg_dynamics_kinematics(flg_dynamics *dynamics, const double *q, const double *v);
/* poses and velocities alone, as forward and inverse run it */
void flg_dynamics_move(flg_dynamics *dynamics, const double *q, const double *v);
/* after kinematics, move, forward or inverse; link may be FLG_WORLD: */
flg_pose flg_dynamics_link_pose(const flg_dynamics *dynamics, int link);
flg_spatial flg_dynamics_link_velocity(const flg_dynamics *dynamics, int link);
/* both, always at the same address (coordinate.h) */
const struct flg_moving_frame *flg_dynamics_link_frame(const flg_dynamics *dynamics, int link);
/* pose and velocity of a frame fixed to a link, at its origin */
flg_pose flg_dynamics_frame_pose(const flg_dynamics *dynamics, const flg_link_anchor *frame);
flg_spatial flg_dynamics_frame_velocity(const flg_dynamics *dynamics, const flg_link_anchor *frame);
/* its bias acceleration Jdot v; after kinematics alone: forward and inverse leave it as it was */
flg_spatial flg_dynamics_frame_bias(const flg_dynamics *dynamics, const flg_link_anchor *frame);
/* J, column-major (6 x velocities), rows [linear; angular] in world axes at the frame's origin */
void flg_dynamics_frame_jacobian(const flg_dynamics *dynamics, const flg_link_anchor *frame,
                                 double *J);
/* J x, without forming J; x (velocities) */
flg_spatial flg_dynamics_frame_motion(const flg_dynamics *dynamics, const flg_link_anchor *frame,
                                      const double *x);
/* f += J^T force, without forming J */
void flg_dynamics_frame_force(const flg_dynamics *dynamics, const flg_link_anchor *frame,
                              flg_spatial force, double *f);
/* A force on a frame as a force at the origin of its link, which moves. */
flg_spatial flg_dynamics_link_force(const flg_dynamics *dynamics, const flg_link_anchor *frame,
                                    flg_spatial force);

/* --- forces and accelerations; gravity in world axes [m/s^2] -----------------------------------
 */

/* Forward dynamics (articulated bodies): a from q, v, f; a and f may be the same array. Runs the
 * kinematics itself, all but the bias. `external` (6 x links, [force; moment] in world axes at each
 * link's origin) may be NULL. Damping, friction and elastic forces of the model are the caller's,
 * as part of f. Coordinates may resist by themselves or be locked:
 *     (M + diag(added)) a + c = f      a_k = 0 where added_k is infinite
 * added (velocities) [kg or kg m^2], not negative: rotor inertia, implicit damping; NULL: none. */
void flg_dynamics_forward(flg_dynamics *dynamics, const double *q, const double *v, const double *f,
                          flg_vec3 gravity, const flg_spatial *external, const double *added,
                          double *a);
/* True if forward has answered at q and v, without forces on links, since they came: the same
 * question again costs little. */
bool flg_dynamics_has_answers(flg_dynamics *dynamics, const double *q, const double *v);
/* After forward or inverse: acceleration J a + Jdot v of a frame at its origin. */
flg_spatial flg_dynamics_frame_acceleration(const flg_dynamics *dynamics,
                                            const flg_link_anchor *frame);
/* Inverse dynamics (Newton-Euler): f that gives a; the rest as for forward. */
void flg_dynamics_inverse(flg_dynamics *dynamics, const double *q, const double *v, const double *a,
                          flg_vec3 gravity, const flg_spatial *external, double *f);
/* Of rigid robots, after kinematics, move, forward or inverse: M, column-major (velocities x
 * velocities), both triangles, with rotors. Cost: depth * velocities. */
void flg_dynamics_mass(flg_dynamics *dynamics, double *M);

/* --- solving with the mass matrix, not forming it -----------------------------------------------
 * By articulated factors of M + diag(added), which are linear in the number of links to compute and
 * to use. forward leaves them behind, for its q and added.
 */

/* After kinematics, forward or inverse: the factors alone; added as for forward. */
void flg_dynamics_factor(flg_dynamics *dynamics, const double *added);
/* After forward or factor: tells factors apart. As long as it is the same, so are they, bit for
 * bit, and the positions and added that they are for; 0: there have been none. */
uint64_t flg_dynamics_factor_number(const flg_dynamics *dynamics);
/* After forward or factor: links bend so far that M is not positive definite; accelerations are
 * NaN. */
bool flg_dynamics_is_indefinite(const flg_dynamics *dynamics);
/* After forward or factor: (M + diag(added)) a = f, a_k = 0 where locked. In place allowed. */
void flg_dynamics_solve(flg_dynamics *dynamics, const double *f, double *a);
/* The same of a rigid robot with f = J^T forces (links), [force; moment] in world axes at each
 * link's origin, which are never summed up along the way: long chains keep their digits. */
void flg_dynamics_solve_links(flg_dynamics *dynamics, const flg_spatial *forces, double *a);

/* After forward or factor, of a rigid robot: the diagonal of (M + diag(added))^-1 (velocities).
 * scatters (36 x links): work space. Linear in the number of links. */
void flg_dynamics_diagonal(const flg_dynamics *dynamics, double *scatters, double *diagonal);

/* Work space for one port: six unit forces on it, on their way to the base. */
typedef struct flg_port_way {
  int link;
  double forces[6][6]; /* by component, then by unit force */
  double shares[6];
} flg_port_way;

/* After forward or factor: the admittance of ports, frames on links,
 *     D = J (M + diag(added))^-1 J^T       a_ports = D x + r
 * J the Jacobians of all ports on top of each other; locked coordinates do not yield. D, column-
 * major (6 ports x 6 ports), is a sum of squares: symmetric to the last bit, semidefinite but for
 * rounding, of any rank. r, after forward: flg_dynamics_frame_acceleration.
 * ways (ports): work space. Cost: depth * ports^2. shares (6 ports x velocities): what each of the
 * unit forces drives each coordinate with, once those further out have yielded, for respond; NULL:
 * they are not asked for, which does for rigid links alone. */
void flg_dynamics_admittance(const flg_dynamics *dynamics, const flg_link_anchor *ports,
                             int port_count, flg_port_way *ways, double *D, double *shares);
/* After it, with the same factors: (M + diag(added)) a = J^T x (6 ports). */
void flg_dynamics_respond(flg_dynamics *dynamics, const double *shares, int port_count,
                          const double *x, double *a);
/* The same of a rigid robot, after forward or factor: without shares, for forces that come once. */
void flg_dynamics_respond_rigid(flg_dynamics *dynamics, const flg_link_anchor *ports,
                                int port_count, const double *x, double *a);

/* --- sums; after kinematics, forward or inverse ----------------------------------------------- */

double flg_dynamics_kinetic_energy(const flg_dynamics *dynamics);
double flg_dynamics_potential_energy(const flg_dynamics *dynamics, flg_vec3 gravity);
/* Of the links of one tree, or of several that count as one. */
typedef struct flg_tree_sum {
  double mass, kinetic, potential;
  flg_vec3 momentum;
} flg_tree_sum;
/* trees (links): to which of the count sums a link belongs. */
void flg_dynamics_sum_trees(const flg_dynamics *dynamics, flg_vec3 gravity, const int *trees,
                            int count, flg_tree_sum *sums);
/* momentum of all links: linear, and angular about the world's origin */
flg_spatial flg_dynamics_momentum(const flg_dynamics *dynamics);

#endif
