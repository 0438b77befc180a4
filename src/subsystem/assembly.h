/* assembly.h - bodies in absolute coordinates, robots in joint coordinates, and joints between
 * them, solved exactly through the hierarchy of components: a part that runs.
 *
 *     q' = T(q) v                                                 (vsd-components, Eq. 2)
 *     ( M  G^T ) ( v' )   ( f(q, v) )
 *     ( G   0  ) (-l  ) = ( -G' v   )        g(q) = 0             (Eq. 3)
 *
 * never as one matrix: every part is an interface model, the joints are eliminated up the tree of
 * components and the reactions handed down (interface/plan.h). A body is a part with one port at
 * its centre of mass, a robot a part with a port on every link that something is joined to, reduced
 * by its own recursion. Its loops are joints like others.
 *
 * Three schemes; in all of them positions and velocities fulfil all joints after every step:
 *     rattle         symplectic, order 2: impulses at both ends of the step, such that positions
 *                    close at its end (SHAKE) and velocities, too (RATTLE). Rotations by the
 * discrete rigid body of Moser and Veselov: momentum is kept exactly, no gyroscopic term rk4
 * classical Runge-Kutta, then positions and velocities are projected (Eq. 6 - 8) semi-implicit  v+
 * = P(v + h M^-1 f), q+ = q (+) h v+, then positions are projected Projections are taken in the
 * mass norm with the factors of the step, or in the Euclidean norm with factors of their own.
 *
 * Springs that are `implicit` are soft rows of the plan: (w+, the rate of their coordinate)
 *     effort = preload - k (c + h w+ - rest) - d w+         linearly implicit, order 1, any
 * stiffness
 *
 * State: one flat block without pointers, a snapshot is a memcpy.
 *     q       of each moving body: centre of mass, quaternion w x y z (Euler parameters); of robots
 *     v       of each moving body: of its centre of mass, angular, in world axes; of robots
 *     angles  of every angle between two frames, unwrapped
 *     flags   of every load: 1 while it acts
 *     rest    of robots: locks, controllers, pushes
 *     limits  of every friction and stop: mode, where it is held, load (assembly_limits.h)
 */
#ifndef FLG_ASSEMBLY_H
#define FLG_ASSEMBLY_H

#include "flange/threads.h"
#include "interface/eliminate.h"
#include "model/component.h"
#include "subsystem/robot_subsystem.h"

typedef enum flg_scheme {
  FLG_SCHEME_RATTLE,
  FLG_SCHEME_RK4,
  FLG_SCHEME_SEMI_IMPLICIT,
  FLG_SCHEME_COUNT
} flg_scheme;

typedef enum flg_norm { FLG_NORM_MASS, FLG_NORM_EUCLIDEAN } flg_norm;

typedef struct flg_assembly_options {
  const char *name; /* in messages; borrowed */
  flg_scheme scheme;
  flg_norm norm;             /* of projections; rattle knows only the mass norm */
  flg_elimination_form form; /* of the plan: FLG_FORM_ROOT near singular poses */
  flg_vec3 gravity;          /* [m/s^2] */
  flg_threads *threads;      /* borrowed; NULL: none */
} flg_assembly_options;

typedef struct flg_assembly flg_assembly;

/* How well the joints are closed. */
typedef struct flg_closure {
  double position; /* largest |g| [m or rad] */
  double velocity; /* largest |G v| [m/s or rad/s] */
  int joint;       /* of the component, where |g| is largest; -1: there are none */
  flg_vec3 where;  /* of that joint, in the world [m] */
} flg_closure;

/* rattle, mass norm, admittance form, no gravity, one thread. */
flg_assembly_options flg_assembly_default(void);

/* Set-up: from a component that flg_component_check found no fault with, and one robot for each of
 * its robots, equipped; both are borrowed and stay where they are, and the robots' states move into
 * the assembly's. Joints need not be closed. What is wrong goes to mistakes. */
flg_status flg_assembly_build(flg_assembly **assembly, const flg_component *component,
                              flg_robot_subsystem *robots, const flg_assembly_options *options,
                              flg_mistakes *mistakes);
void flg_assembly_release(flg_assembly *assembly); /* NULL is allowed; not the robots */

const flg_component *flg_assembly_component(const flg_assembly *assembly);
const flg_assembly_options *flg_assembly_settings(const flg_assembly *assembly);
double *flg_assembly_state(const flg_assembly *assembly, int *count);

/* Set-up: moves positions by as little as possible until all joints are closed, then velocities.
 * FLG_ERR_INPUT with a sentence if they cannot be: which joint, and what is left. */
flg_status flg_assembly_close(flg_assembly *assembly, flg_error *error);
/* Set-up or step, after a refresh. */
flg_closure flg_assembly_closure(const flg_assembly *assembly);

/* Step: of the micro steps of h from time on, those from number `first`, count of them.
 * FLG_ERR_DIVERGED: a number is no longer finite, or joints could not be closed. */
flg_status flg_assembly_advance(flg_assembly *assembly, double time, double h, int first,
                                int count);
/* Step: brings poses, coordinates and robots up to date with the state. */
void flg_assembly_refresh(flg_assembly *assembly, double time);
/* Step: after the state was written from outside: unit quaternions, velocities on the joints. */
flg_status flg_assembly_settle(flg_assembly *assembly, double time);
/* Step: switches a load of the component. */
void flg_assembly_enable_load(flg_assembly *assembly, int load, bool enabled);

/* After refresh. Pose and velocity of a body's frame, or of any anchor; a coordinate and its rate;
 * kinetic and potential energy, springs included [J]. */
flg_pose flg_assembly_pose(const flg_assembly *assembly, const flg_anchor *anchor);
flg_spatial flg_assembly_velocity(const flg_assembly *assembly, const flg_anchor *anchor);
double flg_assembly_coordinate(const flg_assembly *assembly, int coordinate, double *rate);
double flg_assembly_energy(const flg_assembly *assembly);

/* What the joints do to the freedom to move, in the pose of the last refresh. */
typedef struct flg_freedom {
  int velocities; /* of bodies and robots */
  int rows;       /* of all joints */
  int rank;       /* of them independent */
} flg_freedom;
flg_status flg_assembly_freedom(flg_assembly *assembly, flg_freedom *freedom);
/* After freedom: rows of a joint that others already fix. */
int flg_assembly_redundant_rows(const flg_assembly *assembly, int joint);

#endif
