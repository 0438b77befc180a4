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
 *                    close at its end (SHAKE) and velocities, too (RATTLE). Bodies turn by the
 *                    discrete equations of Moser and Veselov: momentum is kept exactly. With
 *                    contacts: assembly_kick.c
 *     rk4            classical Runge-Kutta, then both are projected (Eq. 6 - 8)
 *     semi-implicit  v+ = P(v + h M^-1 f), q+ = q (+) h v+, then both are projected
 * Projections are taken in the mass norm with the factors of the step, or in the Euclidean norm
 * with factors of their own.
 *
 * Springs that are `implicit`, or stiff for the step, are soft rows of the plan (assembly_soft.c):
 * of any stiffness, order 2 in rattle and order 1 in semi-implicit.
 *
 * State: one flat block without pointers, a snapshot is a memcpy.
 *     q       of each moving body: centre of mass, quaternion w x y z (Euler parameters); of robots
 *     v       of each moving body: of its centre of mass, angular, in world axes; of robots
 *     angles  of every angle between two frames, unwrapped
 *     flags   of every load: 1 while it acts
 *     rest    of robots: locks, controllers, pushes
 *     signals currents, integrals and filters, then what is sampled (assembly_signals.h)
 *     welds   of every weld that events make: whether it is closed, and at which relative pose
 *             (assembly_welds.h)
 *     limits  of every friction and stop: mode, where it is held, load (assembly_limits.h)
 *     contacts  what they remember (contacts.h), if there can be any
 */
#ifndef FLG_ASSEMBLY_H
#define FLG_ASSEMBLY_H

#include "contract/coupled_part.h"
#include "contract/subsystem.h"
#include "flange/threads.h"
#include "interface/eliminate.h"
#include "model/component.h"
#include "parts/part.h"

typedef enum flg_norm { FLG_NORM_MASS, FLG_NORM_EUCLIDEAN } flg_norm;

/* Two frames that events weld together and let go; apart at the start. */
typedef struct flg_weld {
  const char *name; /* that events call it by */
  flg_anchor end[2];
} flg_weld;

typedef struct flg_assembly_options {
  const char *name; /* in messages; borrowed */
  flg_scheme scheme;
  bool adapts;               /* semi-implicit takes its place where it cannot close contacts */
  bool leaps;                /* rattle can, also where others are joined to it from outside */
  flg_norm norm;             /* of projections; rattle knows only the mass norm */
  flg_elimination_form form; /* of the plan: FLG_FORM_ROOT near singular poses */
  flg_vec3 gravity;          /* [m/s^2] */
  flg_threads *threads;      /* borrowed; NULL: none */
  const flg_anchor
      *outer_ports; /* (outer_port_count) frames that are to be joined to others; borrowed */
  int outer_port_count;
  const struct flg_contacts_options *contacts; /* copied; NULL: flg_contacts_default */
  const flg_weld *welds;                       /* (weld_count) borrowed */
  flg_name_index weld_names;                   /* of all welds, or empty */
  int weld_count;
  const flg_subsystem_insert *inserts; /* (insert_count) borrowed */
  int insert_count;
  bool reduces;         /* clusters become one body, steps of flat mechanisms are planar */
  bool has_trees;       /* stretches without loops are in joint coordinates (structure/trees.h) */
  const bool *stiff;    /* (force elements) to be taken implicitly; borrowed while it is built;
                           NULL: those that say so alone (flg_assembly_find_stiff) */
  const bool *is_asked; /* (joints) forces will be asked for, if it reduces or has trees; NULL: none
                         */
} flg_assembly_options;

typedef struct flg_assembly flg_assembly;

/* How well the joints are closed. */
typedef struct flg_closure {
  double position; /* largest |g| [m or rad] */
  double velocity; /* largest |G v| [m/s or rad/s] */
  double share;    /* largest |g|, displacements over the length of the system */
  int joint;       /* where |g| is largest: of the component, then welds; -1: there are none */
  flg_vec3 where;  /* of that joint, in the world [m] */
} flg_closure;

/* rattle, mass norm, admittance form, no gravity, one thread. */
flg_assembly_options flg_assembly_default(void);

/* Set-up: from a component that flg_component_check found no fault with, which is borrowed, and
 * guests: the parts that it has besides bodies (robot/robot_part.h), NULL: it has none. Guests are
 * handed over: their states move into the assembly's, and they are released with it. If the build
 * fails, they are good for nothing but to be released by the caller. Joints need not be closed.
 * What is wrong goes to mistakes. */
flg_status flg_assembly_build(flg_assembly **assembly, const flg_component *component,
                              const flg_part_guests *guests, const flg_assembly_options *options,
                              flg_mistakes *mistakes);
void flg_assembly_release(flg_assembly *assembly); /* and its guests; NULL is allowed */

const flg_component *flg_assembly_component(const flg_assembly *assembly);
const flg_assembly_options *flg_assembly_settings(const flg_assembly *assembly);
double *flg_assembly_state(const flg_assembly *assembly, int *count);

/* Set-up: moves positions by as little as possible until all joints are closed, then velocities.
 * FLG_ERR_INPUT with a sentence if they cannot be: which joint is open, and how far. Positions and
 * velocities are then as they were. */
flg_status flg_assembly_close(flg_assembly *assembly, flg_error *error);
/* Set-up: takes positions and velocities of all its bodies and robots from a larger assembly, in
 * which they follow each other from these numbers on. The same of a robot that is alone. */
void flg_assembly_follow(flg_assembly *assembly, const flg_assembly *larger, int first_body,
                         int first_robot);
void flg_assembly_lead(const flg_assembly *larger, int robot, double *q, double *v);
/* A sentence on steps in which rigid joints did work; NULL: there were none. */
const char *flg_assembly_warning(const flg_assembly *assembly);
/* FLG_ERR_UNSOLVED with a sentence if steps did not resolve a motion: rigid joints did work, or the
 * spin of a part turned back from one step to the next. */
flg_status flg_assembly_judge(const flg_assembly *assembly, flg_error *error);
/* Set-up or step, after a refresh. */
flg_closure flg_assembly_closure(const flg_assembly *assembly);
flg_closure flg_assembly_joint_closure(const flg_assembly *assembly, int joint); /* of one joint */
/* Largest |G v| as a share of the fastest velocity, displacements over the length of the system; 0
 * at rest. */
double flg_assembly_slip(const flg_assembly *assembly);
/* Of the system [m]: what displacements are compared with. */
double flg_assembly_length(const flg_assembly *assembly);
/* The name of a joint of a closure; "": -1. */
const char *flg_assembly_joint_name(const flg_assembly *assembly, int joint);

/* Step: of the micro steps of h from time on, those from number `first`, count of them.
 * FLG_ERR_DIVERGED: a number is no longer finite, or joints or contacts could not be closed.
 * FLG_ERR_CAPACITY: there are more contacts than there is room for. */
flg_status flg_assembly_advance(flg_assembly *assembly, double time, double h, int first,
                                int count);
/* Step: brings poses, coordinates and robots up to date with the state. */
void flg_assembly_refresh(flg_assembly *assembly, double time);
/* Step: after the state was written from outside: unit quaternions, locked joints at rest,
 * velocities on the joints. Controllers take no sample. */
flg_status flg_assembly_settle(flg_assembly *assembly);
/* Step: switches a load of the component. */
void flg_assembly_enable_load(flg_assembly *assembly, int load, bool enabled);
/* Set-up: the subsystem that a robot of the component is. */
const flg_subsystem *flg_assembly_guest(const flg_assembly *assembly, int robot);
/* Set-up: frames (count) on which forces from outside will act: what contacts would do, which are
 * no longer found. Step: such a force in world axes [N], until it changes. They are no part of the
 * state. */
flg_status flg_assembly_press(flg_assembly *assembly, const flg_anchor *frames, int count);
void flg_assembly_set_pressure(flg_assembly *assembly, int index, flg_vec3 force);

/* After refresh. Pose and velocity of a body's frame, or of any anchor; kinetic and potential
 * energy, springs included [J]; kinetic energy alone. */
flg_pose flg_assembly_pose(const flg_assembly *assembly, const flg_anchor *anchor);
flg_spatial flg_assembly_velocity(const flg_assembly *assembly, const flg_anchor *anchor);
double flg_assembly_energy(const flg_assembly *assembly);
double flg_assembly_kinetic_energy(const flg_assembly *assembly);
/* The same of the bodies, robots and springs inside of a group of the component. */
double flg_assembly_group_energy(const flg_assembly *assembly, int group);
/* Linear, and angular about the world's origin, of the same [kg m/s, kg m^2/s]. */
flg_spatial flg_assembly_group_momentum(const flg_assembly *assembly, int group);

/* After refresh: what blocks, motors and efforts of the component have to show, by number. */
typedef struct flg_assembly_signal {
  const char *name;     /* path of the block, motor or effort */
  const char *quantity; /* value; current, torque, voltage; effort */
  const char *unit;     /* "": not known */
  double value;
} flg_assembly_signal;
flg_assembly_signal flg_assembly_signal_view(const flg_assembly *assembly, int index);

#endif
