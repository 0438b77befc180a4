/* system.h - systems by structs of options: subsystems, interfaces, coupling, events; and
 * subsystems of a program's own.
 *
 *     flg_subsystem_options arm = flg_subsystem_default();
 *     arm.model = "arm.urdf";
 *     arm.step = 1e-3;
 *     flg_define_subsystem(system, "arm", &arm, &error);
 *
 * How options work, who owns what, and what is returned on failure: flange/mechanism.h.
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
  double end;           /* when the simulation ends; a must [s] */
  double macro;         /* interval of communication and output [s] */
  flg_text_list record; /* quantities that flg_simulation_record and results have */
} flg_system_options;

/* A subsystem: a part with a model, a state and a step of its own. */
typedef struct flg_subsystem_options {
  size_t size;                /* of this struct */
  const char *model;          /* file of a robot or component, or name of a definition; or ... */
  const char *plugin;         /* ... shared library, or name of flg_plugin_provide */
  double at[3];               /* where its world is */
  double turn[3];             /* likewise */
  double step;                /* its micro step; the macro step if not given [s] */
  const char *integrator;     /* "auto", "semi-implicit", "rk4", "adaptive", "rattle", "leapfrog" */
  double relative_tolerance;  /* of the adaptive one */
  double absolute_tolerance;  /* likewise */
  double gravity[3];          /* its own [m/s^2] */
  const char *base;           /* of a robot: "fixed" or "floating" */
  double velocity[3];         /* of a floating base at the start [m/s] */
  double angular_velocity[3]; /* likewise [rad/s] */
  const char *configuration;  /* key `initial`: name of a pose of the robot */
  flg_switch self_collision;  /* of a robot: its bodies touch each other */
  const char *inertia;        /* of a URDF robot: "strict", "repair", "trust", "from-shapes" */
  const char *limits;         /* of a robot: "enforced" or "ignored" */
  flg_switch assemble;        /* open joints of a component are closed at the start */
  double geometry_tolerance;  /* by how much frames of joints may be changed for that */
  flg_switch strict;          /* nothing may be changed */
  const char *projection;     /* "mass" or "euclidean" */
  const char *elimination;    /* "admittance" or "root" */
  const char *reduce;         /* "auto" or "none" */
} flg_subsystem_options;

/* A controller of a subsystem. */
typedef struct flg_controller_options {
  size_t size;                     /* of this struct */
  const char *kind;                /* "table", "pd", "computed-torque", "gravity", "plugin",
                                      "feed-forward", "force" */
  flg_switch enabled;              /* from the start; events switch it */
  double sample;                   /* period [s] */
  flg_text_list joints;            /* that it drives; all that it can if not given */
  const char *file;                /* of forces or positions */
  const char *interpolation;       /* "held", "linear", "spline" */
  flg_number_list stiffness;       /* of pd: one, or one for each joint */
  flg_number_list damping;         /* likewise */
  flg_number_list frequency;       /* of computed-torque and feed-forward [rad/s] */
  flg_number_list damping_ratio;   /* likewise */
  const char *payload_body;        /* what the robot carries: on which body ... */
  double payload_mass;             /* ... [kg] */
  double payload_centre[3];        /* ... [m] */
  flg_number_list payload_inertia; /* ... [kg m^2] */
  const char *body;                /* of force: that it pushes with */
  double at[3];                    /* of force: where on the body [m] */
  double force[3];                 /* of force [N] */
  double moment[3];                /* of force [N m] */
  const char *plugin;              /* of plugin: library, or name of flg_plugin_provide */
} flg_controller_options;

/* A joint between two subsystems: as joints of components, `joint` for their kind. */
typedef struct flg_interface_options {
  size_t size;                         /* of this struct */
  const char *between[2];              /* subsystem/port, subsystem/body of a robot, "world" */
  const char *joint;                   /* "weld" if not given */
  double at[3];                        /* where, in the world, if an end brings no frame */
  double turn[3];                      /* likewise */
  double axis[3];                      /* in its frame */
  double axis2[3];                     /* of a universal joint */
  double pitch;                        /* of a screw [m/rad] */
  double length;                       /* of a distance [m] */
  flg_text_list drive;                 /* of gear and rack */
  flg_text_list driven;                /* likewise */
  double driven_axis[3];               /* likewise */
  double ratio;                        /* of a gear */
  double radius;                       /* of a rack [m] */
  double stiffness;                    /* on its coordinate */
  double damping;                      /* on its coordinate */
  flg_switch implicit;                 /* both are implicit in time */
  double friction_coulomb;             /* on its coordinate */
  double friction_stiction;            /* likewise */
  double friction_stribeck;            /* likewise */
  double friction_viscous;             /* likewise */
  double stops_lower;                  /* ends of its coordinate */
  double stops_upper;                  /* likewise */
  double stops_restitution;            /* at the ends */
  double backlash;                     /* of gear and rack */
  double restitution;                  /* of a backlash */
  double efficiency;                   /* of gear and rack */
  double bushing_stiffness[3];         /* in place of a joint: springs along x, y, z [N/m] */
  double bushing_angular_stiffness[3]; /* about them [N m/rad] */
  double bushing_damping[3];           /* [N s/m] */
  double bushing_angular_damping[3];   /* [N m s/rad] */
  flg_switch bushing_implicit;         /* in time */
} flg_interface_options;

/* How subsystems that interfaces join are brought together. */
typedef struct flg_scheme_options {
  size_t size;             /* of this struct */
  const char *scheme;      /* "monolithic", "sequential", "parallel", ...: docs/coupling.md */
  const char *form;        /* "auto", "admittance", "mass" */
  const char *reconcile;   /* "auto", "none", "one", "both" */
  const char *pose;        /* "auto", "none", "resynchronise", "feedback" */
  double feedback;         /* share of the drift that is taken back */
  const char *causality;   /* "first" or "second" */
  flg_text_list order;     /* subsystems, first to last */
  const char *contacts;    /* "nonsmooth", "smooth", "opening", "regularised" */
  const char *elastic;     /* "modal", "implicit", "constant", "paper", "literal" */
  flg_text_list potential; /* what may touch: subsystem/body */
  double stiffness;        /* of regularised contacts [N/m] */
  double damping;          /* likewise [N s/m] */
  double step;             /* of all that is solved as one [s] */
  const char *integrator;  /* likewise */
} flg_scheme_options;

/* Something that happens at a time. What sets joints is said by key: "events.-.set". */
typedef struct flg_event_options {
  size_t size;           /* of this struct */
  double at;             /* when; past the end: only by flg_trigger_fire [s] */
  flg_text_list lock;    /* subsystem/joint */
  flg_text_list unlock;  /* subsystem/joint */
  flg_text_list enable;  /* subsystem/controller or subsystem/force */
  flg_text_list disable; /* likewise */
  const char *weld[2];   /* two of subsystem/body, of one component */
  flg_text_list release; /* the same two, or subsystem/name of the weld */
  const char *name;      /* of the weld */
} flg_event_options;

/* How contacts are solved. */
typedef struct flg_touch_options {
  size_t size;             /* of this struct */
  const char *friction;    /* "cone" or "box" */
  const char *restitution; /* "newton" or "poisson" */
  int capacity;            /* contact points of a subsystem at one time, at most */
  double correction;       /* part of a penetration that is taken out in a step */
  const char *material;    /* of shapes that have none */
} flg_touch_options;

FLG_OPTIONS_DEFAULT(system, SYSTEM)
FLG_OPTIONS_DEFAULT(subsystem, SUBSYSTEM)
FLG_OPTIONS_DEFAULT(controller, CONTROLLER)
FLG_OPTIONS_DEFAULT(interface, INTERFACE)
FLG_OPTIONS_DEFAULT(scheme, SCHEME)
FLG_OPTIONS_DEFAULT(event, EVENT)
FLG_OPTIONS_DEFAULT(touch, TOUCH)

/* Says how long the system runs, under which gravity, and what is recorded. */
FLG_API flg_status flg_define_system(flg_definition *definition, const flg_system_options *options,
                                     flg_error *error);
/* Adds a subsystem, or more keys to one. */
FLG_API flg_status flg_define_subsystem(flg_definition *definition, const char *name,
                                        const flg_subsystem_options *options, flg_error *error);
/* Adds a controller. @param name SUBSYSTEM/CONTROLLER */
FLG_API flg_status flg_define_controller(flg_definition *definition, const char *name,
                                         const flg_controller_options *options, flg_error *error);
/* Adds an interface. */
FLG_API flg_status flg_define_interface(flg_definition *definition, const char *name,
                                        const flg_interface_options *options, flg_error *error);
/* Says how interfaces are coupled. */
FLG_API flg_status flg_define_coupling(flg_definition *definition,
                                       const flg_scheme_options *options, flg_error *error);
/* Adds an event. */
FLG_API flg_status flg_define_event(flg_definition *definition, const flg_event_options *options,
                                    flg_error *error);
/* Says how contacts are solved. */
FLG_API flg_status flg_define_contacts(flg_definition *definition, const flg_touch_options *options,
                                       flg_error *error);

/* Makes a table of flange/plugin.h known in this process: a subsystem or controller with `plugin:
 * name` is then an instance of it, as if a library of that name had been loaded; so it is in files
 * that name it. The table stays the caller's and has to outlive all simulations with it; NULL: the
 * name is forgotten. Set-up, from one thread at a time. FLG_ERR_USAGE for NULL or an empty name,
 * FLG_ERR_CAPACITY if there are 64 already; FLG_ERR_INPUT, when a simulation is built, for a table
 * that lacks a function. */
FLG_API flg_status flg_plugin_provide(const char *name, const flg_plugin *table, flg_error *error);

/* A `state` function of flange/plugin.h for instances that begin with a flg_plugin_state: for
 * languages whose functions cannot return structs. Callable at any time; NULL: no state. */
FLG_API flg_plugin_state flg_plugin_state_of(void *instance);

#endif
