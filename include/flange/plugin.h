/* plugin.h - subsystems and controllers of your own, in a shared library that Flange loads.
 *
 * A plug-in exports one function, flg_plugin_v1, which returns a table; the table names what the library supplies: a
 * subsystem, a controller, or both. Scenarios name the library:
 *
 *     subsystems: {chain: {plugin: ./mine.so, parameters: {stiffness: 100}}}
 *     controllers: {servo: {kind: plugin, plugin: ./mine.so, sample: 1/100}}
 *
 * This header stands alone: a plug-in needs nothing else of Flange, and links nothing of it.
 *
 * Rules for all functions
 * - Units are SI, vectors are in world axes, matrices row by row.
 * - Functions that return int return 0, or anything else if they failed, with a sentence in `text` (FLG_PLUGIN_TEXT
 *   bytes, empty before the call) that goes on after "plug-in 'x': ".
 * - Only create and destroy may allocate, open files or print.
 * - An answer depends on the arguments, the set-up and the state as it is at the call, on nothing else: Flange copies
 *   the state away and puts it back as it likes. Two instances may be called at the same time by different threads:
 *   they share nothing that changes.
 * - Numbers that are not finite end the simulation.
 *
 * Versions: the first two members of each table never change. A table may be longer or shorter than Flange's own by
 * members at its end; those that are missing count as NULL. The same holds for what Flange hands over with a `size`,
 * and for shapes. Other structs stay as they are within a version.
 */
#ifndef FLG_PLUGIN_H
#define FLG_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface. */
#define FLG_PLUGIN_ABI 1
/* The function that a library exports. */
#define FLG_PLUGIN_SYMBOL "flg_plugin_v1"
/* bytes of a sentence; rows of a port */
enum { FLG_PLUGIN_TEXT = 256, FLG_PLUGIN_PORT_ROWS = 6 };

#if defined(__GNUC__)
/* In front of that function. */
#define FLG_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define FLG_PLUGIN_EXPORT
#endif

/* A key below `parameters` of the scenario: one number or several. */
typedef struct flg_plugin_parameter {
  const char *name;     /* its key */
  const double *values; /* (count) */
  int count;            /* of the numbers */
} flg_plugin_parameter;

/* The inputs of `create`. Valid during create only: copy what you keep. */
typedef struct flg_plugin_setup {
  uint32_t size;                          /* of this struct */
  const char *name;                       /* of the subsystem or controller in the scenario */
  const flg_plugin_parameter *parameters; /* (parameter_count) */
  int parameter_count;                    /* how many there are */
  double gravity[3];                      /* [m/s^2] */
  double position[3], rotation[9];        /* where the scenario puts it: `at` and `turn` */
  int joint_count;                        /* controllers: how many joints it drives; else 0 */
} flg_plugin_setup;

/* All that changes from step to step, in the instance's own memory: always at the same place. */
typedef struct flg_plugin_state {
  double *values;    /* (count) */
  int count, motion; /* numbers; the first so many are positions and velocities */
} flg_plugin_state;

/* Where a port is and how it moves. */
typedef struct flg_plugin_frame {
  double position[3]; /* of its origin [m] */
  double rotation[9]; /* its columns are the axes of the port */
  double velocity[6]; /* linear of its origin, then angular */
} flg_plugin_frame;

/* How the ports answer to forces, n = 6 rows a port: [linear; angular] at its origin.
 *
 *     acceleration = bias + admittance * force
 *     velocity+    = velocity + tau * bias + admittance * impulse
 *
 * All arrays are zero before the call. The admittance is symmetric and semidefinite. Rows that stay zero do not yield:
 * a point has no rotation to give, and is joined by joints that leave it free. */
typedef struct flg_plugin_model {
  uint32_t size;      /* of this struct */
  double *admittance; /* (n x n) [1/kg, 1/(kg m), 1/(kg m^2)] */
  double *bias;       /* (n) accelerations without forces on the rows [m/s^2, rad/s^2] */
  double *velocity;   /* (n) [m/s, rad/s] */
  double *turning;    /* (n) the part of the bias that comes of velocities alone, J' v; 0 of a point */
} flg_plugin_model;

/* Something to record: `record: [sub/path.quantity]`. */
typedef struct flg_plugin_signal {
  const char *path;     /* "mass3"; signals of one path follow each other */
  const char *quantity; /* "position"; NULL: the path alone is the signal */
  const char *unit;     /* "m"; "" if it has none or several */
  int width;            /* numbers */
} flg_plugin_signal;

enum {
  FLG_PLUGIN_BOX,      /* lengths: full, along x, y, z */
  FLG_PLUGIN_CYLINDER, /* radius, length along z */
  FLG_PLUGIN_SPHERE,   /* radius */
  FLG_PLUGIN_CAPSULE,  /* radius, length of its cylinder along z */
  FLG_PLUGIN_POINTS    /* none; points that touch one by one */
};

/* A shape that is fixed to a port. It touches the ground of the scenario and the shapes on other ports: Flange finds
 * the contacts, closes them with the model of `reduce`, and hands the contact impulses to `step` as impulses on the
 * port. */
typedef struct flg_plugin_shape {
  uint32_t size;                   /* sizeof(flg_plugin_shape): the next shape of a list lies so far on */
  int kind, port;                  /* one of FLG_PLUGIN_BOX and the others above; number of the port */
  const char *name;                /* in signals `sub/port/name`; NULL: it has none */
  double position[3], rotation[9]; /* in the frame of the port; all zero: not turned */
  double lengths[3];               /* [m] */
  const double *points;            /* (point_count x 3) of FLG_PLUGIN_POINTS; else NULL */
  int point_count, has_surface;    /* of the points; not 0: friction and restitution are those below */
  double friction, restitution;    /* of a surface of its own */
  const char *material;            /* of the scenario's `materials`; NULL: the one for shapes without any */
} flg_plugin_shape;

/* Properties of a subsystem, for `flags`. */
enum {
  /* Its steps are of semi-implicit Euler, and where its ports turn with its joints, its model means the rows J of the
   * start of the step: J_k v+ = velocity + tau (bias - turning) + D impulse. */
  FLG_PLUGIN_LOOKS_BACK = 1,
  /* It is one free rigid body, ports and all: its admittance turns with it. */
  FLG_PLUGIN_RIGID = 2
};

/* Functions of a subsystem; those in the second part may be NULL. */
typedef struct flg_plugin_subsystem {
  uint32_t size, flags; /* sizeof(flg_plugin_subsystem); FLG_PLUGIN_x, or 0 */

  /* An instance, at its start (t = 0); NULL with a sentence if it cannot be made. */
  void *(*create)(const flg_plugin_setup *setup, char *text);
  void (*destroy)(void *instance);           /* frees an instance */
  flg_plugin_state (*state)(void *instance); /* where its state is */
  double (*energy)(void *instance);          /* kinetic plus potential [J] */
  /* From time to time + h, under the impulses (6 a port) on its ports: the constant forces impulses / h. The velocities
   * at its end should be those that the model of `reduce` over h foretells. */
  int (*step)(void *instance, double time, double h, const double *impulses, char *text);

  /* Ports, to be joined to others at interfaces `sub/name`: their names, the same all along. All three or none. */
  const char *const *(*ports)(void *instance, int *count);
  void (*frame)(void *instance, int port, flg_plugin_frame *frame); /* where it is now */
  /* The model now, for use over tau; tau is 0 where only the admittance and the velocities count. */
  int (*reduce)(void *instance, double time, double tau, flg_plugin_model *model, char *text);
  /* At once, both or neither: velocities += W A^T impulses, and positions += W A^T x for small x, W the inverse mass
   * and A the rows of the ports: what the admittance at tau = 0 is made of. Without them it can be joined, but poses at
   * its interfaces are brought together by the other side alone, and schemes that give impulses back are refused. */
  void (*impulse)(void *instance, const double *impulses);
  void (*displace)(void *instance, const double *x); /* see impulse */
  /* Signals, the same table every time, and their values. Both or neither. The energy and the frames of ports can be
   * recorded without them. */
  const flg_plugin_signal *(*signals)(void *instance, int *count);
  void (*read)(void *instance, int signal, double *values); /* of a signal now */
  /* Shapes that touch, asked for once, and as they are for good; with ports, impulse and displace. */
  const flg_plugin_shape *(*shapes)(void *instance, int *count);
  /* The time h that the impulses and displacements to come, and models for tau = 0, are a part of, or 0 of none: its
   * own step if it looks back, a third of the macro step if not. Its damping resists them for so long. Without it: 0.
   */
  void (*set_impulse_step)(void *instance, double h);
  /* Forward dynamics of many states at once, for planning and learning, both or neither: how many positions and
   * velocities a state has, ... */
  void (*coordinates)(void *instance, int *positions, int *velocities);
  /* ... and accelerations (count x velocities) from positions (count x positions), velocities and all forces on the
   * coordinates but gravity and those of inertia (count x velocities), state by state. The state of the instance has no
   * part in it. */
  void (*accelerate)(void *instance, int count, const double *positions, const double *velocities, const double *forces,
                     double *accelerations);
  /* The same of one state, with numbers (velocities), none negative, added to the diagonal of the mass matrix:
   * (M + diag(added)) a + c = forces. Flange's own steps of a compiled model call it. */
  void (*accelerate_resisted)(void *instance, const double *positions, const double *velocities, const double *forces,
                              const double *added, double *accelerations);
} flg_plugin_subsystem;

/* Functions of a controller. */
typedef struct flg_plugin_controller {
  uint32_t size, flags; /* sizeof(flg_plugin_controller); 0 */

  /* An instance; NULL with a sentence if it cannot be made. */
  void *(*create)(const flg_plugin_setup *setup, char *text);
  void (*destroy)(void *instance); /* frees an instance */
  /* Forces on the joints that it drives, from their positions and velocities (joint_count, in the order of the
   * scenario's `joints`) [rad or m, N m or N]. Called at multiples of the sample period, or with period 0 whenever
   * forces are asked for, also several times at a time. */
  void (*evaluate)(void *instance, double time, const double *positions, const double *velocities, double *efforts);
} flg_plugin_controller;

/* The functions that a library supplies. */
typedef struct flg_plugin {
  uint32_t abi, size;                      /* FLG_PLUGIN_ABI, sizeof(flg_plugin) */
  const char *name, *version;              /* of the library, for people: "mass-spring", "1.0" */
  const flg_plugin_subsystem *subsystem;   /* NULL: it supplies none */
  const flg_plugin_controller *controller; /* NULL: it supplies none */
} flg_plugin;

/* The one function that the library exports. */
FLG_PLUGIN_EXPORT const flg_plugin *flg_plugin_v1(void);

#ifdef __cplusplus
}
#endif

#endif
