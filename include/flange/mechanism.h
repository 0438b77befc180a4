/* mechanism.h - bodies, joints and forces of components and robots, by structs of options.
 *
 *     flg_body_options rod = flg_body_default();
 *     rod.mass = 1;
 *     rod.inertia = (flg_number_list){3, (double[]){0.01, 0.1, 0.1}};
 *     flg_define_body(component, "rod", &rod, &error);
 *
 * Options start from flg_..._default(): no member is given; one that is not given is as in a file without its key
 * (docs/reference.md). Numbers and vectors are then NaN (of a vector the first number counts), texts NULL, lists empty,
 * counts 0, switches FLG_USUAL. There is a member for every key. Its name is the key; those of nested maps stand
 * together, as friction_coulomb for `friction: {coulomb: ..}`. What a number cannot say, such as a formula of
 * parameters, is said by key: flange/define.h.
 *
 * SI units; frames are placed by `at` [m] and `turn`: roll, pitch, yaw about the fixed axes x, y, z [rad]. Structs may
 * grow at their end with later versions: their size says which one a program was compiled with.
 */
#ifndef FLG_MECHANISM_H
#define FLG_MECHANISM_H

#include <stddef.h>

#include "flange/define.h"

/* Numbers of the caller's, as all lists below. */
typedef struct flg_number_list {
  int count;            /* 0: not given */
  const double *values; /* (count) */
} flg_number_list;

/* Texts. */
typedef struct flg_text_list {
  int count;                /* 0: not given */
  const char *const *items; /* (count) */
} flg_text_list;

/* Numbers, or a formula, under a name: of a joint, a parameter, an input. */
typedef struct flg_named {
  const char *name;        /* NULL: the numbers are for all */
  flg_number_list numbers; /* one, or several: a quaternion */
  const char *text;        /* in place of numbers */
} flg_named;

/* Several of them. */
typedef struct flg_named_list {
  int count;              /* 0: not given */
  const flg_named *items; /* (count) */
} flg_named_list;

/* Points of a table. */
typedef struct flg_point_list {
  int count, width;     /* 0: not given; numbers of each point, 0 counts as 1 */
  const double *times;  /* (count) [s] */
  const double *values; /* (count x width) */
} flg_point_list;

/* A flag that need not be given. */
typedef enum flg_switch {
  FLG_USUAL, /* as if the key were absent */
  FLG_ON,    /* true */
  FLG_OFF    /* false */
} flg_switch;

/* A body. In a robot: mass, centre and inertia alone. It bends by flange/flexible.h. */
typedef struct flg_body_options {
  size_t size;                               /* of this struct */
  double mass, centre[3];                    /* [kg]; of mass, in its frame [m] */
  flg_number_list inertia;                   /* about the centre: xx, yy, zz, or xy, xz, yz besides [kg m^2] */
  double at[3], turn[3];                     /* its frame in that of the component, at the start */
  double velocity[3], angular_velocity[3];   /* at the start, in the component's axes [m/s, rad/s] */
  flg_switch fixed, point;                   /* to the ground; a point mass, which does not turn */
  double gravity[3];                         /* its own, in world axes [m/s^2] */
  flg_number_list elastic, elastic_velocity; /* coordinates of a flexible body at the start */
} flg_body_options;

/* A joint. In a component, or between subsystems (flg_define_interface): kind, between, and the keys of its kind. In a
 * robot: kind, parent, child, at, turn, axis, axis2, pitch, damping, dry_friction, armature, limits and mimic. */
typedef struct flg_joint_options {
  size_t size;      /* of this struct */
  const char *kind; /* "revolute", "weld", "spherical", "gear", ...; key `joint` of an interface, "weld" if not given */
  const char *between[2];                     /* two ends: bodies, markers, ports, "world"; subsystem/port */
  const char *parent, *child;                 /* of a robot: bodies; the parent may be "world" */
  double at[3], turn[3];                      /* its frame */
  double axis[3], axis2[3];                   /* in its frame, of any length; the second of a universal joint */
  double pitch, length;                       /* of a screw [m/rad]; of a distance [m] */
  flg_text_list drive, driven;                /* of gear and rack: two ends, or a joint or sensor, each */
  double driven_axis[3];                      /* of the driven ends, if it differs */
  double ratio, radius;                       /* of a gear; of a rack [m] */
  double stiffness, damping;                  /* on its coordinate [N/m or N m/rad, N s/m or N m s/rad] */
  flg_switch implicit;                        /* both are implicit in time */
  double backlash, restitution;               /* of gear and rack [rad or m]; when it is taken up */
  double efficiency;                          /* of gear and rack */
  double friction_coulomb, friction_stiction; /* on its coordinate; to break loose [N or N m] */
  double friction_stribeck, friction_viscous; /* speed over which stiction fades [m/s or rad/s]; [N s/m or N m s/rad] */
  double stops_lower, stops_upper, stops_restitution; /* ends of its coordinate [m or rad] */
  double dry_friction, armature; /* of a robot: key `friction` [N or N m]; rotor inertia [kg m^2 or kg] */
  double limits_lower, limits_upper, limits_effort, limits_speed; /* of a robot: range; largest effort, speed */
  const char *mimic_joint;                                        /* of a robot: the joint that it follows, by ... */
  double mimic_multiplier, mimic_offset;                          /* ... multiplier times its position plus offset */
} flg_joint_options;

/* A shape, to be seen or to touch. */
typedef struct flg_shape_options {
  size_t size;             /* of this struct */
  const char *kind;        /* "box", "cylinder", "sphere", "capsule", "mesh", "plane", "points", "height-field" */
  flg_number_list lengths; /* key `size`: lengths, radius and length, radius, scale, spacing [m] */
  flg_number_list values;  /* x, y, z of points; heights [m] */
  int columns;             /* heights in a row */
  flg_named_list points;   /* points with names, x, y, z each [m] */
  double at[3], turn[3];   /* its frame on the body */
  const char *name, *mesh; /* to refer to it; file of a mesh */
  const char *collision, *material; /* "true": for contact, "false": only to be seen, "auto"; one of the materials */
  double friction, restitution;     /* of its own */
  const char *group;                /* any word, for `collides` of others */
  flg_text_list collides;           /* groups that it touches, and no others */
  flg_number_list colour;           /* red, green, blue, opacity, from 0 to 1 */
} flg_shape_options;

/* The material of shapes; or the laws between two materials (flg_define_material_pair). */
typedef struct flg_surface_options {
  size_t size;                  /* of this struct */
  double friction, restitution; /* coefficients */
  const char *between[2];       /* of a pair: two materials */
} flg_surface_options;

/* A spring with a damper, along a line or on a coordinate. */
typedef struct flg_spring_options {
  size_t size;                  /* of this struct */
  const char *between[2];       /* two ends; or ... */
  const char *on;               /* ... a joint or sensor */
  double stiffness, damping;    /* [N/m or N m/rad, N s/m or N m s/rad] */
  double length, rest, preload; /* at rest: along a line [m]; on a coordinate [m or rad]; then [N or N m] */
  flg_switch implicit;          /* in time: it does not bound the step */
} flg_spring_options;

/* A constant force on a body, or effort on a coordinate. */
typedef struct flg_force_options {
  size_t size;                       /* of this struct */
  const char *body, *on;             /* that it acts on; or a joint or sensor, in components */
  double at[3], force[3], moment[3]; /* where on the body; [m, N, N m] */
  const char *axes;                  /* "world" or "body", in components */
  double effort;                     /* on the coordinate [N or N m] */
  flg_switch enabled;                /* from the start; events switch it */
} flg_force_options;

/* Springs and dampers in six directions between two frames. */
typedef struct flg_bushing_options {
  size_t size;                               /* of this struct */
  const char *between[2];                    /* two ends */
  double at[3], turn[3], axis[3];            /* its frame; direction that becomes its z */
  double stiffness[3], angular_stiffness[3]; /* along and about x, y, z [N/m, N m/rad] */
  double damping[3], angular_damping[3];     /* likewise [N s/m, N m s/rad] */
  flg_switch implicit;                       /* in time */
} flg_bushing_options;

/* A number between two ends. */
typedef struct flg_sensor_options {
  size_t size;                    /* of this struct */
  const char *measure;            /* "distance", "slide", "angle" */
  const char *between[2];         /* two ends */
  double at[3], turn[3], axis[3]; /* its frame; direction that becomes z of both ends */
} flg_sensor_options;

/* A frame on a body: a port, where others are joined, or a marker, to look at. */
typedef struct flg_frame_options {
  size_t size;           /* of this struct */
  const char *body, *of; /* that it is fixed to; or, of a port: component/port or robot/port, handed on */
  double at[3], turn[3]; /* where on the body */
} flg_frame_options;

/* A signal: source, formula, controller or filter. Texts may be formulas. */
typedef struct flg_signal_options {
  size_t size;            /* of this struct */
  const char *kind;       /* "constant", "step", "ramp", "sine", "table", "quintic", "formula", "pid", "filter" */
  const char *value;      /* of a formula or constant */
  double at, until;       /* when a step or ramp starts, and a ramp ends [s] */
  double from, to, slope; /* before a step or ramp, and after it; of a ramp, per second */
  double amplitude, frequency, phase, offset; /* of a sine; [Hz, rad] */
  flg_point_list points;                      /* of a table or a quintic */
  const char *file, *column, *interpolation;  /* of a table: CSV, its column; "hold", "linear", "spline" */
  const char *input, *target, *feed_forward;  /* of a pid; a filter has the first alone */
  double kp, ki, kd, filter;                  /* of a pid [1, 1/s, s]; time constant of its derivative [s] */
  const char *windup;                         /* "clamping" or "back-calculation" */
  double tracking, time_constant;             /* of back-calculation; of a filter [s] */
  int order;                                  /* of a filter: 1 or 2 */
  double damping, initial;                    /* of a filter of order 2; value of a filter, integral of a pid */
  flg_number_list limit;                      /* one number for both sides, or lower and upper */
  double sample;                              /* period [s] */
} flg_signal_options;

/* A motor on a coordinate. */
typedef struct flg_motor_options {
  size_t size;                               /* of this struct */
  const char *on, *voltage;                  /* the joint or sensor; a signal [V] */
  double resistance, inductance;             /* [Ohm, H] */
  double torque_constant, back_emf, current; /* [N m/A or N/A, V s/rad or V s/m]; at the start [A] */
  flg_number_list limit;                     /* of the voltage [V] */
} flg_motor_options;

/* An effort that a signal drives, or a coordinate that follows one (flg_define_motion). */
typedef struct flg_effort_options {
  size_t size;                       /* of this struct */
  const char *on, *effort, *follows; /* joint or sensor; signals: of an effort [N or N m], of a motion [m or rad] */
  flg_number_list limit;             /* of the effort */
} flg_effort_options;

/* Options of a component or a robot as a whole. */
typedef struct flg_model_options {
  size_t size;               /* of this struct */
  const char *name;          /* for people */
  flg_named_list parameters; /* of a component: numbers of its formulas that a file which uses it can set */
  flg_text_list outputs;     /* of a component: signals that a file which uses it can name */
  flg_text_list apart;       /* key `contacts.apart`: bodies that never touch, two by two */
} flg_model_options;

/* A signal that the user of a component connects. */
typedef struct flg_input_options {
  size_t size;          /* of this struct */
  double default_value; /* key `default`: where nothing is connected */
} flg_input_options;

/* Positions of a robot's joints under a name. */
typedef struct flg_configuration_options {
  size_t size;              /* of this struct */
  flg_named_list positions; /* by joint [rad or m] */
} flg_configuration_options;

/* A robot or another component as a part of a component. */
typedef struct flg_part_options {
  size_t size;                             /* of this struct */
  const char *model, *file;                /* of a robot; of a component: file, or name of a definition */
  double at[3], turn[3];                   /* where its world is in the component's frame */
  const char *base;                        /* of a robot: "fixed" or "floating" */
  double velocity[3], angular_velocity[3]; /* of a floating base at the start [m/s, rad/s] */
  flg_switch self_collision;               /* of a robot: its bodies touch each other */
  const char *inertia, *limits; /* of a URDF robot: "strict", "repair", "trust", "from-shapes"; "enforced", "ignored" */
  const char *configuration;    /* of a robot: key `initial`, name of a configuration; or ... */
  flg_named_list initial;       /* ... positions at the start by joint [rad or m] */
  flg_named_list initial_velocity, armature; /* of a robot, by joint [rad/s or m/s]; rotor inertia [kg m^2 or kg] */
  flg_named_list parameters, inputs;         /* of a component; of one: formulas of signals, by input */
} flg_part_options;

/* --- options with nothing given: flg_body_default() and so on
 * Owns: the caller. When: always; nothing is allocated. Fails: never. */

/* Makes a struct flg_NAME_options as if nothing were given; nothing for NULL or an unknown name. @param size of the
 * caller's struct */
FLG_API void flg_options_clear(const char *name, void *options, size_t size);

/* Defines flg_NAME_default(): a struct flg_NAME_options with nothing given. */
#define FLG_OPTIONS_DEFAULT(name)                                 \
  static inline flg_##name##_options flg_##name##_default(void) { \
    flg_##name##_options options;                                 \
    flg_options_clear(#name, &options, sizeof options);           \
    return options;                                               \
  }
/* clang-format off */
/* All structs of this header. */
#define FLG_MECHANISM_OPTIONS(X) \
  X(body) X(joint) X(shape) X(surface) X(spring) X(force) X(bushing) X(sensor) X(frame) X(signal) X(motor) X(effort) \
  X(model) X(input) X(configuration) X(part)
/* clang-format on */
FLG_MECHANISM_OPTIONS(FLG_OPTIONS_DEFAULT)

/* --- added to a component or a robot under a name, or more keys to the object of that name
 * Owns: the definition copies. When: always. Fails: status, FLG_ERR_USAGE also for keys that definitions of its kind
 * lack and for options not from flg_NAME_default(), FLG_ERR_RANGE for infinite numbers. */

/* Options of a component or a robot as a whole. */
FLG_API flg_status flg_define_model(flg_definition *, const flg_model_options *, flg_error *);
FLG_API flg_status flg_define_body(flg_definition *, const char *name, const flg_body_options *, flg_error *);
FLG_API flg_status flg_define_joint(flg_definition *, const char *name, const flg_joint_options *, flg_error *);
/* A shape. @param body that it is on; NULL: it stands on the ground */
FLG_API flg_status flg_define_shape(flg_definition *, const char *body, const flg_shape_options *, flg_error *);
/* A material, or a pair of materials; in systems, too. */
FLG_API flg_status flg_define_material(flg_definition *, const char *name, const flg_surface_options *, flg_error *);
FLG_API flg_status flg_define_material_pair(flg_definition *, const flg_surface_options *, flg_error *);
FLG_API flg_status flg_define_port(flg_definition *, const char *name, const flg_frame_options *, flg_error *);
FLG_API flg_status flg_define_marker(flg_definition *, const char *name, const flg_frame_options *, flg_error *);
/* A pose of a robot; ROBOT/NAME in a component, SUBSYSTEM/NAME in a system. */
FLG_API flg_status flg_define_configuration(flg_definition *, const char *name, const flg_configuration_options *,
                                            flg_error *);

/* --- added to a component */

FLG_API flg_status flg_define_spring(flg_definition *, const char *name, const flg_spring_options *, flg_error *);
/* A force; to a system with the name SUBSYSTEM/FORCE. */
FLG_API flg_status flg_define_force(flg_definition *, const char *name, const flg_force_options *, flg_error *);
/* A bushing; to a system as an interface. */
FLG_API flg_status flg_define_bushing(flg_definition *, const char *name, const flg_bushing_options *, flg_error *);
FLG_API flg_status flg_define_sensor(flg_definition *, const char *name, const flg_sensor_options *, flg_error *);
FLG_API flg_status flg_define_signal(flg_definition *, const char *name, const flg_signal_options *, flg_error *);
/* A signal that the user of the component connects. */
FLG_API flg_status flg_define_input(flg_definition *, const char *name, const flg_input_options *, flg_error *);
FLG_API flg_status flg_define_motor(flg_definition *, const char *name, const flg_motor_options *, flg_error *);
FLG_API flg_status flg_define_effort(flg_definition *, const char *name, const flg_effort_options *, flg_error *);
/* A motion: a coordinate that follows a signal. */
FLG_API flg_status flg_define_motion(flg_definition *, const char *name, const flg_effort_options *, flg_error *);
FLG_API flg_status flg_define_robot(flg_definition *, const char *name, const flg_part_options *, flg_error *);
FLG_API flg_status flg_define_component(flg_definition *, const char *name, const flg_part_options *, flg_error *);

#endif
