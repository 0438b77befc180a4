/* system.h - systems by structs of options: subsystems, interfaces, coupling, events; and subsystems of a program's
 * own.
 *
 *     flg_subsystem_options arm = flg_subsystem_default();
 *     arm.model = "arm.urdf";
 *     arm.step = 1e-3;
 *     flg_define_subsystem(system, "arm", &arm, &error);
 *
 * How options work: flange/mechanism.h.
 */
#ifndef FLG_SYSTEM_H
#define FLG_SYSTEM_H

#include "flange/mechanism.h"
#include "flange/plugin.h"

/* The system as a whole. */
typedef struct flg_system_options {
  size_t size;          /* of this struct */
  const char *name;     /* for people */
  double gravity[3];    /* [m/s^2] */
  double end, macro;    /* when the simulation ends, a must; interval of communication and output [s] */
  flg_text_list record; /* quantities that flg_simulation_record and results have */
} flg_system_options;

/* A subsystem: a part with a model, a state and a step of its own. */
typedef struct flg_subsystem_options {
  size_t size;                /* of this struct */
  const char *model, *plugin; /* file of a robot or component, or name of a definition; or as of flg_plugin_provide */
  double at[3], turn[3];      /* where its world is */
  double step;                /* its micro step; the macro step if not given [s] */
  const char *integrator;     /* "auto", "semi-implicit", "rk4", "adaptive", "rattle", "leapfrog" */
  double relative_tolerance, absolute_tolerance; /* of the adaptive one */
  double gravity[3];                             /* its own [m/s^2] */
  const char *base;                              /* of a robot: "fixed" or "floating" */
  double velocity[3], angular_velocity[3];       /* of a floating base at the start [m/s, rad/s] */
  const char *configuration;                     /* of a robot: key `initial`, name of a configuration; or ... */
  flg_named_list initial;                        /* ... positions at the start by joint [rad or m] */
  flg_named_list initial_velocity, armature;     /* of a robot, by joint [rad/s or m/s]; rotor inertia [kg m^2 or kg] */
  flg_named_list parameters;                     /* of a component or plug-in */
  const char *coordinates;                       /* of a component: "absolute", "joint", "auto" */
  flg_switch self_collision;                     /* of a robot: its bodies touch each other */
  const char *inertia, *limits; /* of a URDF robot: "strict", "repair", "trust", "from-shapes"; "enforced", "ignored" */
  flg_switch compiled;          /* of a model: stepped by generated code, where it can be */
  flg_switch assemble;          /* open joints of a component are closed at the start */
  double geometry_tolerance;    /* by how much frames of joints may be changed for that */
  flg_switch strict;            /* nothing may be changed */
  const char *projection, *elimination, *reduce; /* "mass", "euclidean"; "admittance", "root"; "auto", "none" */
} flg_subsystem_options;

/* A controller of a subsystem. */
typedef struct flg_controller_options {
  size_t size;                      /* of this struct */
  const char *kind;                 /* "table", "pd", "computed-torque", "gravity", "plugin", "feed-forward", "force" */
  flg_switch enabled;               /* from the start; events switch it */
  double sample;                    /* period [s] */
  flg_text_list joints;             /* that it drives; all that it can if not given */
  flg_point_list points;            /* forces or positions of all joints; or ... */
  const char *file, *interpolation; /* ... a file of them; "held", "linear", "spline" */
  flg_number_list stiffness, damping;       /* of pd: one, or one for each joint */
  flg_number_list frequency, damping_ratio; /* of computed-torque, feed-forward [rad/s, 1] */
  const char *payload_body;                 /* a load of the robot: on which body ... */
  double payload_mass, payload_centre[3];   /* ... [kg, m] */
  flg_number_list payload_inertia;          /* ... [kg m^2] */
  const char *body;                         /* of force: that it pushes with */
  double at[3], force[3], moment[3];        /* of force: where on the body; [m, N, N m] */
  const char *plugin;                       /* of plugin: library, or name of flg_plugin_provide */
  flg_named_list parameters;                /* of plugin */
} flg_controller_options;

/* How subsystems that interfaces join are brought together. */
typedef struct flg_scheme_options {
  size_t size;                  /* of this struct */
  const char *scheme;           /* "monolithic", "sequential", "parallel", ...: docs/coupling.md */
  const char *form, *reconcile; /* "auto", "admittance", "mass"; "auto", "none", "one", "both" */
  const char *pose;             /* "auto", "none", "resynchronise", "feedback" */
  double feedback;              /* share of the drift that is taken back */
  const char *causality;        /* "first" or "second" */
  flg_text_list order;          /* subsystems, first to last */
  const char *contacts;         /* "nonsmooth", "smooth", "opening", "regularised" */
  const char *elastic;          /* "modal", "implicit", "constant", "paper", "literal" */
  flg_text_list potential;      /* may touch: subsystem/body */
  double stiffness, damping;    /* of regularised contacts [N/m, N s/m] */
  double step;                  /* of all that is solved as one [s] */
  const char *integrator;       /* likewise */
  int capacity;                 /* contact points of subsystems that meet, at one time at most */
} flg_scheme_options;

/* Something that happens at a time. */
typedef struct flg_event_options {
  size_t size;                      /* of this struct */
  double at;                        /* when; past the end: only by flg_trigger_fire [s] */
  flg_text_list lock, unlock;       /* subsystem/joint */
  flg_text_list enable, disable;    /* subsystem/controller or subsystem/force */
  flg_named_list set, set_velocity; /* positions; velocities by subsystem/joint */
  const char *weld[2];              /* two of subsystem/body, of one component */
  flg_text_list release;            /* the same two, or subsystem/name of the weld */
  const char *name;                 /* of the weld */
} flg_event_options;

/* The runs of flg_study_build and `flange compare`. */
typedef struct flg_compare_options {
  size_t size;                      /* of this struct */
  double reference_step;            /* of the reference, solved as one [s] */
  const char *reference_integrator; /* likewise */
  flg_text_list couplings;          /* "sequential", "parallel contacts=smooth", ... */
  flg_number_list macro;            /* macro steps [s] */
  const char *micro;                /* "own", or "same": that of the reference for all */
} flg_compare_options;

/* How contacts are solved. */
typedef struct flg_touch_options {
  size_t size;                        /* of this struct */
  const char *friction, *restitution; /* "cone" or "box"; "newton" or "poisson" */
  int capacity;                       /* contact points of a subsystem at one time, at most */
  double correction;                  /* part of a penetration that is taken out in a step */
  const char *material;               /* of shapes that have none */
} flg_touch_options;

/* --- systems: subsystems, interfaces and events are added; how they are coupled and compared is said
 * Owns: the definition copies. When: always. Fails: status, FLG_ERR_USAGE also for keys that definitions of its kind
 * lack and for options not from flg_NAME_default(), FLG_ERR_RANGE for infinite numbers. */

/* All structs of this header. */
#define FLG_SYSTEM_OPTIONS(X) X(system) X(subsystem) X(controller) X(scheme) X(event) X(compare) X(touch)
FLG_SYSTEM_OPTIONS(FLG_OPTIONS_DEFAULT)

/* Sets duration, gravity and recorded signals. */
FLG_API flg_status flg_define_system(flg_definition *, const flg_system_options *, flg_error *);
/* Adds a subsystem, or more keys to one. */
FLG_API flg_status flg_define_subsystem(flg_definition *, const char *name, const flg_subsystem_options *, flg_error *);
/* Adds a controller. @param name SUBSYSTEM/CONTROLLER */
FLG_API flg_status flg_define_controller(flg_definition *, const char *name, const flg_controller_options *,
                                         flg_error *);
/* Adds an interface: a joint between two subsystems. flg_define_bushing adds a soft one. */
FLG_API flg_status flg_define_interface(flg_definition *, const char *name, const flg_joint_options *, flg_error *);
FLG_API flg_status flg_define_coupling(flg_definition *, const flg_scheme_options *, flg_error *);
FLG_API flg_status flg_define_event(flg_definition *, const flg_event_options *, flg_error *);
FLG_API flg_status flg_define_compare(flg_definition *, const flg_compare_options *, flg_error *);
/* Says how contacts are solved. @param subsystem whose; NULL: all */
FLG_API flg_status flg_define_contacts(flg_definition *, const char *subsystem, const flg_touch_options *, flg_error *);

/* --- subsystems of a program's own
 * Owns: the caller the table, which has to outlive all simulations with it. When: set-up, from one thread at a time.
 * Fails: status. */

/* Makes a table of flange/plugin.h known in this process: a subsystem or controller with `plugin: name` is then an
 * instance of it, as if a library of that name had been loaded; so it is in files that name it. NULL: the name is
 * forgotten. FLG_ERR_CAPACITY if there are 64 already; FLG_ERR_INPUT, when a simulation is built, for a table that
 * lacks a function. */
FLG_API flg_status flg_plugin_provide(const char *name, const flg_plugin *table, flg_error *error);

/* A `state` function of flange/plugin.h for instances that begin with a flg_plugin_state: for languages whose functions
 * cannot return structs. When: always. NULL: no state. */
FLG_API flg_plugin_state flg_plugin_state_of(void *instance);

#endif
