/* robot_subsystem.h - a robot with its state, its forces and its integrator: a part that runs.
 *
 *     (M + diag(locked)) a + c = f      f: controllers, damping, friction, forces on bodies
 *
 * State: one flat block without pointers; everything else can be recomputed from it. A snapshot is
 * a memcpy of state_count numbers.
 *
 *     q, v            positions and velocities
 *     locked          0, or infinite where a joint is locked (velocities)
 *     a controller    enabled (0 or 1), number of its last sample, the forces that it holds
 *     a push          enabled (0 or 1)
 *     leapfrog        how its last step ended (robot_step.h), if that is its integrator
 *     contacts        what they remember (contacts.h), if there can be any
 */
#ifndef FLG_ROBOT_SUBSYSTEM_H
#define FLG_ROBOT_SUBSYSTEM_H

#include "contract/subsystem.h"
#include "control/controller.h"
#include "dynamics/integrator.h"
#include "dynamics/mimic.h"
#include "robot/robot_inputs.h"
#include "robot/robot_objects.h"

/* A force and a moment in world axes on a point of a body, while it is enabled. */
typedef struct flg_push {
  const char *name;
  bool enabled; /* at the start */
  flg_link_anchor frame;
  flg_spatial force; /* [N], [N m] */
} flg_push;

/* Frames at which it is joined to others (robot_coupled.h). */
typedef struct flg_robot_ports {
  int count;
  int touch_count;          /* the last so many are there to touch */
  flg_link_anchor *anchors; /* (count) */
  bool is_pushed;           /* by ... */
  double *forces;           /* (6 count) that act on them now [N], [N m], scratch */
  flg_spatial *on_links;    /* (links) the same on the links of ports, at their origins; scratch */
  flg_port_way *ways;       /* (count) work space */
  double *free;             /* (velocities) work space */
  double impulse_step;      /* step that impulses are part of, 0: none [s] */
  double length;            /* of the robot [m] */
  /* how they yield, scratch: */
  uint64_t factor_number;  /* of the factors (dynamics.h) that both are for */
  double *admittance;      /* (6 count x 6 count) */
  double *shares;          /* (6 count x velocities) */
  double *answers;         /* (velocities x (6 count + elastic ones)) to unit forces on ports, then
                              on elastic coordinates; NULL: nothing bends or follows others */
  double *drive;           /* (velocities) work space */
  double *unit, *jacobian; /* (6 count), (6 x velocities) work space */
  double *start;  /* (positions) where a step begins, while a model of its middle is made */
  double *before; /* (state_count) where a step begins that is tried, and work space */
  flg_region region;
} flg_robot_ports;

typedef struct flg_robot_options {
  const char *name; /* in messages and signals; borrowed */
  flg_integrator_options integrator;
  flg_vec3 gravity;    /* [m/s^2] */
  bool self_collision; /* links of the robot touch each other, too (robot_contacts.h) */
  bool ignores_limits; /* joints go on where their range ends */
} flg_robot_options;

/* Momentum and work of forces on a tree in a step: all but gravity do work. */
typedef struct flg_tree_gain {
  double work;
  flg_vec3 impulse; /* on what floats */
} flg_tree_gain;

/* Trees of links, each with an energy of its own (robot_step.h). */
typedef struct flg_robot_trees {
  int count;
  int *of_link;   /* (links) */
  int *floating;  /* (count) the link that floats, and carries all others; -1: there is none */
  double *masses; /* (count) */
  /* scratch: */
  flg_tree_sum *sums;   /* (count) */
  flg_tree_gain *gains; /* (count) */
  double *free;         /* (velocities) */
  flg_kick_guess guess;
} flg_robot_trees;

typedef struct flg_robot_touch flg_robot_touch; /* robot_contacts.h */

/* Accelerations of steps by generated code (compile/compiled_robot.h), where nothing is locked:
 *     (M + diag(added)) a + c = f */
typedef struct flg_robot_accelerator {
  void (*accelerate)(void *instance, const double *q, const double *v, const double *f,
                     const double *added, double *a); /* NULL: there is none */
  void *instance;
  double *forces;          /* (velocities) work space */
  int64_t taken, declined; /* accelerations that it has made, and that it could not make */
} flg_robot_accelerator;

typedef struct flg_robot_subsystem {
  flg_robot_options options;
  const flg_model *model; /* borrowed */
  flg_robot robot;
  flg_dynamics *dynamics;
  flg_integrator *integrator;
  flg_mimics mimics;
  flg_robot_objects objects;
  const flg_controller *controllers; /* (controller_count), borrowed */
  const flg_push *pushes;            /* (push_count), borrowed */
  int controller_count, push_count;
  flg_name_index controller_names, push_names;
  double *state; /* as above (state_count) */
  int state_count;
  double *q, *v, *locked, *drives, *push_flags, *past; /* its parts */
  const double *applied; /* forces on top of those of the controllers, without limits (velocities),
                            borrowed; NULL: none */
  flg_robot_inputs inputs; /* what a program writes */
  double *actuation;       /* forces of all controllers, within limits, and applied ones, scratch */
  double *effort;          /* all generalised forces, scratch */
  double *effort_limits;   /* (velocities) of actuation */
  double *added;           /* what is added to the diagonal of M, scratch */
  double *rubbing;         /* secants of dry friction, scratch */
  double *frictions;       /* (velocities) dry friction [N or N m], ... */
  double *creeps;          /* ... what sticks creeps at that at most, times the step, ... */
  double *slips;           /* ... and the way in which it slips in this step, 0: sticks; scratch */
  double *pinned;          /* (velocities) 1: locked for events of this time alone, scratch */
  double *held;            /* (velocities) ... or how it is held, 0 where others do not ask */
  bool knows_slips;        /* that is known (robot_friction.h), else friction is a secant */
  double *wanted;          /* (velocities) ... in which it should, after a step that was tried */
  double *let_go;          /* (velocities) ... in which it has slipped since a model for longer */
  double *loose;           /* (velocities) ... in which it slips in that model, 0: a secant */
  double model_time, model_tau, loose_time, loose_tau; /* of that model, and of `loose` [s] */
  bool has_loose;                                      /* ... and that is being made */
  double *rubbed;    /* (velocities) impulses of friction in the last step [N s, N m s] */
  bool has_open;     /* what slips, or `wanted` lets slip, does not resist impulses */
  bool has_slips;    /* the model of a step has it: the step has the same */
  double slips_time; /* ... which begins then [s] */
  bool has_secants;  /* its model has secants instead */
  bool is_tried;     /* the step will be taken back */
  bool rests;        /* it was found in this step: what sticks is at rest */
  double *scratch;   /* of a controller */
  double foresight;  /* how long a model that is being made will be used, else 0 [s] */
  double *inertias;  /* (velocities) of each link alone, against its own coordinates */
  double implicit;   /* step over which damping is taken implicitly, 0: explicit [s] */
  bool is_midway;    /* that is a step of mean velocities: the part of it that is stable */
  bool is_halved;    /* ... and it is taken in halves: damping acts by the mean velocities */
  flg_elastic_hold elastic_hold; /* what models do with elastic forces (coupled.h) */
  double elastic_lead;           /* elastic forces are those after this time [s] */
  flg_robot_ports ports;
  flg_robot_trees trees;
  flg_pose ground; /* where the world of its model is */
  flg_robot_accelerator accelerator;
  flg_robot_touch *touch;     /* NULL: nothing can touch, no joint ends */
  const flg_controller *lost; /* whose last force is NaN or infinite at a finite state; else NULL */
  double lost_force, lost_at; /* [N m or N], [s] */
  char spoilt[FLG_PLUGIN_TEXT]; /* why a plug-in's controller cannot be used further; else "" */
  bool rubs;                    /* some joint has dry friction */
  bool resists;                 /* some joint has that, or damping */
  flg_region region;            /* holds the robot, and what it runs with */
} flg_robot_subsystem;

/* Set-up: compiles the model; then gives it what drives it, and lays the state out: at rest, all
 * joints at zero. What is wrong with the model goes to mistakes. It stays where it was built: it
 * must not be moved or copied. */
flg_status flg_robot_subsystem_build(flg_robot_subsystem *subsystem, const flg_model *model,
                                     const flg_robot_options *options, flg_mistakes *mistakes);
flg_status flg_robot_subsystem_equip(flg_robot_subsystem *subsystem,
                                     const flg_controller *controllers, int controller_count,
                                     const flg_push *pushes, int push_count, flg_error *error);
void flg_robot_subsystem_release(flg_robot_subsystem *subsystem);

/* Set-up: moves the world that its model stands on by a pose; after equip. */
void flg_robot_subsystem_place(flg_robot_subsystem *subsystem, const flg_pose *pose);
/* Set-up: takes its state elsewhere: q, v, and all else that it has (rest). */
void flg_robot_subsystem_move(flg_robot_subsystem *subsystem, double *q, double *v, double *rest);
/* Set-up: the robot behind the contract, under the name of its options; it may be registered before
 * it is built (all zero), and is released as a subsystem from then on. */
flg_status flg_robot_subsystem_register(flg_robot_subsystem *robot, const char *name,
                                        flg_subsystem *subsystem, flg_error *error);
/* The robot that it is, or NULL if it is something else. */
flg_robot_subsystem *flg_subsystem_robot(const flg_subsystem *subsystem);

/* Step: of the micro steps of h from time on, those from number `first`, count of them.
 * FLG_ERR_DIVERGED, FLG_ERR_CAPACITY with a sentence as advance of subsystem.h gives it: an
 * adaptive integrator gives up, contacts cannot be closed or are too many. */
flg_status flg_robot_subsystem_advance(flg_robot_subsystem *subsystem, double time, double h,
                                       int first, int count, flg_error *error);
/* Step: brings kinematics and actuation up to date with the state, for energies and signals. */
void flg_robot_subsystem_refresh(flg_robot_subsystem *subsystem, double time);
/* Kinetic plus potential, after refresh [J]. */
double flg_robot_subsystem_energy(const flg_robot_subsystem *subsystem);

/* Step: after q or v were written from outside: unit quaternions, joints that follow others where
 * those lead them, locked joints at rest. */
void flg_robot_subsystem_settle(flg_robot_subsystem *subsystem);
/* Step: all controllers sample at the next step, as after an event. */
void flg_robot_subsystem_resample(flg_robot_subsystem *subsystem);
/* Step: holds a joint where it is, or lets it go. Locking takes the velocities to the nearest that
 * the joint allows, in the mass norm: what a rigid brake would do. */
void flg_robot_subsystem_lock(flg_robot_subsystem *subsystem, int joint, bool locked);
/* Step: switches a controller or a push; -1 if there is none of that name. */
int flg_robot_subsystem_controller(const flg_robot_subsystem *subsystem, const char *name);
int flg_robot_subsystem_push(const flg_robot_subsystem *subsystem, const char *name);
void flg_robot_subsystem_enable_controller(flg_robot_subsystem *subsystem, int index, bool enabled);
void flg_robot_subsystem_enable_push(flg_robot_subsystem *subsystem, int index, bool enabled);

#endif
