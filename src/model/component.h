/* component.h - a system of bodies in absolute coordinates, as its author wrote it.
 *
 * Files nest: a component holds bodies, robots and other components, and shows its ports. Here the
 * nesting is laid flat, as a run needs it: every array holds what all levels have, names are paths
 * ("gearbox/disc1"), and `groups` remembers the hierarchy, along which the system will be solved.
 *
 * Where things are: at the start, in the world. A joint knows its frame on each of its two bodies;
 * a coordinate is one number between two frames: how far, how turned. Springs, efforts, gears and
 * sensors all work on coordinates.
 *
 * Memory: arrays and texts belong to the reader of the component (a region).
 */
#ifndef FLG_COMPONENT_H
#define FLG_COMPONENT_H

#include "model/block.h"
#include "model/constraint_kind.h"
#include "model/model.h"

enum { FLG_TOP = -1 }; /* group of what belongs to no inner component */

/* A frame on something that moves, or on the ground. */
typedef struct flg_anchor {
  int robot;     /* of the component, -1: the body is the component's own */
  int body;      /* of the component or of the robot's model; FLG_WORLD: the ground */
  flg_pose pose; /* of the frame, in the body's frame */
} flg_anchor;

typedef struct flg_component_group {
  const char *name; /* path */
  flg_place place;
  int parent; /* group around it, less than its own index; FLG_TOP */
} flg_component_group;

typedef struct flg_component_body {
  const char *name;
  flg_place place;
  int group;
  bool fixed;           /* to the ground: no velocities, mass of no consequence */
  bool is_point;        /* a mass without inertia that does not turn */
  bool is_port;         /* it stands in for a port of a part whose mass is not known */
  double mass;          /* [kg] */
  flg_vec3 centre;      /* of mass, in the body's frame [m] */
  flg_sym3 inertia;     /* about the centre of mass, in the body's axes [kg m^2] */
  flg_vec3 gravity;     /* [m/s^2]; NaNs: that of the subsystem */
  flg_pose pose;        /* of the body's frame in the world, at the start */
  flg_spatial velocity; /* of its origin, in world axes, at the start */
} flg_component_body;

/* An articulated robot in joint coordinates, used as a part. A flexible body of the component is
 * one, too: of one body, which has its name, on a floating joint. */
typedef struct flg_component_robot {
  const char *name;
  flg_place place;
  int group;
  const flg_model *model;
  flg_pose pose;           /* of the model's world in the world */
  bool self_collision;     /* its bodies touch each other, but for those that joints connect */
  bool ignores_limits;     /* its joints go on where their range ends */
  bool is_body;            /* a flexible body */
  const flg_vec3 *gravity; /* its own [m/s^2]; NULL: that of the subsystem */
  struct flg_robot_setup *setup; /* data of its reader for the code that builds it */
} flg_component_robot;

/* A number between two frames: of a joint, a sensor, or a spring. */
typedef struct flg_component_coordinate {
  const char *name; /* that of the joint, spring or sensor */
  flg_place place;
  int group;
  flg_coordinate_kind kind;
  flg_anchor end[2]; /* not of a sum */
  int of[2];         /* of a sum: the coordinates, which are no sums */
  double factor[2];  /* of a sum */
} flg_component_coordinate;

typedef struct flg_component_joint {
  const char *name;
  flg_place place;
  int group; /* the innermost component that holds both ends, where it is closed */
  flg_constraint_kind kind;
  flg_anchor end[2]; /* A and B; not of gear and rack */
  int coordinate[2]; /* its own, in the order above; of gear and rack: those it couples; else -1 */
  double factor[2];  /* of gear and rack */
  double constant;   /* distance [m]; pitch of a screw [m/rad] */
} flg_component_joint;

/* effort = preload - stiffness (c - rest) - damping dc/dt on a coordinate c. With slack, stiffness
 * and damping only act further than that from the rest, and the stretch counts from there. */
typedef struct flg_component_spring {
  const char *name;
  flg_place place;
  int group;
  int coordinate;
  double stiffness; /* [N/m or N m/rad] */
  double damping;   /* [N s/m or N m s/rad] */
  double rest;      /* [m or rad]; NaN: as at the start */
  double preload;   /* [N or N m], constant: a motor, a weight on a rope */
  double slack;     /* [m or rad], 0: none */
  bool implicit;    /* in time, in any step; else where steps are too long for it */
} flg_component_spring;

/* The carrier of the load of a gear, on which its losses depend. */
typedef enum flg_carrier {
  FLG_CARRIER_NONE,
  FLG_CARRIER_JOINT,
  FLG_CARRIER_SPRING,
  FLG_CARRIER_STOP
} flg_carrier;

/* Dry friction on a coordinate c with rate w, which sticks:
 *     w = 0     |effort| <= stiction + losses
 *     w != 0    effort = - sign(w) (coulomb + (stiction - coulomb) exp(-(w / stribeck)^2) + losses)
 *                        - viscous w
 * Losses of a gear, from the effort x with which its carrier works on c, such that power out =
 * efficiency * power in: (1/efficiency - 1) |x| while c drives the gear, (1 - efficiency) |x| while
 * the gear drives c. */
typedef struct flg_component_friction {
  const char *name;
  flg_place place;
  int group;
  int coordinate;
  double coulomb;      /* [N or N m] */
  double stiction;     /* as coulomb, and not less */
  double stribeck;     /* [m/s or rad/s]; 0: stiction is lost at once */
  double viscous;      /* [N s/m or N m s/rad] */
  double efficiency;   /* over 0, up to 1; of no consequence without a carrier */
  flg_carrier carrier; /* works on c, or on a sum with c in it */
  int carrier_index;   /* joint, spring or stop of the component */
} flg_component_friction;

/* lower <= c <= upper, either of which may be infinite. What hits an end comes back with
 * restitution times its rate. */
typedef struct flg_component_stop {
  const char *name;
  flg_place place;
  int group;
  int coordinate;
  double lower, upper; /* [m or rad] */
  double restitution;  /* 0 to 1 */
} flg_component_stop;

/* A force and a moment on a point of a body. */
typedef struct flg_component_load {
  const char *name;
  flg_place place;
  int group;
  flg_anchor at;
  bool follows;      /* in the axes of the frame, turning with it; otherwise in world axes */
  bool enabled;      /* at the start */
  flg_spatial force; /* [N], [N m] */
} flg_component_load;

/* A force element between two frames, or on a coordinate (forces/force.h). */
typedef struct flg_component_element {
  const char *name;
  flg_place place;
  int group;
  flg_anchor end[2];  /* of one between frames */
  int coordinate;     /* of one on a coordinate */
  flg_formula signal; /* that drives it */
  const struct flg_force_kind *kind;
  const void *keys; /* its numbers: the struct that the keys of the kind fill */
} flg_component_element;

/* A port or a marker. */
typedef struct flg_component_frame {
  const char *name; /* path: of the component that declares it, then its name */
  flg_place place;
  int group;
  bool port;
  flg_anchor anchor;
} flg_component_frame;

typedef struct flg_component {
  const char *name;
  const char *file;
  flg_component_group *groups;
  flg_component_body *bodies;
  flg_component_robot *robots;
  flg_component_coordinate *coordinates;
  flg_component_joint *joints;
  flg_component_spring *springs;
  flg_component_load *loads;
  flg_component_frame *frames;
  flg_shape *shapes; /* also those of robots, of their bodies; of the ground: where in the world */
  int group_count, body_count, robot_count, coordinate_count, joint_count, spring_count, load_count,
      frame_count, shape_count;
  flg_block *blocks;
  flg_motor *motors;
  flg_effort *efforts;
  int block_count, motor_count, effort_count;
  flg_component_friction *frictions;
  flg_component_stop *stops;
  flg_component_element *elements;
  int friction_count, stop_count, element_count;
  flg_surfaces surfaces;
  /* of all, or empty: then names are searched */
  flg_name_index robot_names, joint_names, load_names;
} flg_component;

/* The words for kinds in files, and their sizes. */
/* Factors of the coordinates in the last row of a joint whose kind sums them. */
void flg_component_joint_factors(const flg_component_joint *joint, double factor[2]);

/* Makes the names quick to find; to be called when all are known. Without memory the region has
 * failed. */
void flg_component_index(flg_component *component, flg_region *region);
/* Index by path, or -1. */
int flg_component_find_joint(const flg_component *component, const char *path);
int flg_component_find_robot(const flg_component *component, const char *path);
int flg_component_find_load(const flg_component *component, const char *path);

/* Finds what no mechanical system has: bodies that move without mass or inertia, springs with
 * negative stiffness, joints of a body with itself, two fixed ends, signals that need each other in
 * a circle. All of it, each with its place. */
void flg_component_check(const flg_component *component, flg_mistakes *mistakes);

#endif
