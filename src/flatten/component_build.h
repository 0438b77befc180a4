/* component_build.h - the inside of the builder: what is there so far, and where names lead.
 *
 * Everything is known by its path from the top. A scope is the component that is being read: names
 * in its file mean prefix + name.
 */
#ifndef FLG_COMPONENT_BUILD_H
#define FLG_COMPONENT_BUILD_H

#include "base/growing.h"
#include "base/name_index.h"
#include "flatten/component_builder.h"
#include "flatten/surface_table.h"

typedef enum flg_mover_kind {
  FLG_MOVER_COORDINATES, /* a joint, sensor, spring or force */
  FLG_MOVER_BLOCK,
  FLG_MOVER_MOTOR,
  FLG_MOVER_EFFORT
} flg_mover_kind;

/* An object that forces and formulas name: a coordinate or a signal. */
typedef struct flg_component_mover {
  const char *name;
  int group;
  int coordinate[2]; /* -1: none */
  bool told;         /* what is wrong with it */
  flg_mover_kind kind;
  int number; /* of the block, motor or effort */
} flg_component_mover;

typedef enum flg_part_kind { FLG_PART_BODY, FLG_PART_ROBOT, FLG_PART_GROUP } flg_part_kind;

/* A thing with its number in its list; -1: it could not be read, which was reported. */
typedef struct flg_named_part {
  flg_part_kind kind;
  int index;
} flg_named_part;

/* A body, port or marker that can be named as an end. */
typedef struct flg_point {
  int body, frame; /* the other is -1; both: it could not be read, which was reported */
  int robot;       /* from 1 on: the flexible body is this robot; 0: none */
} flg_point;

/* Where the bodies of a robot are at the start. */
typedef struct flg_robot_start {
  flg_pose *poses;        /* (bodies) in the world */
  const double **elastic; /* (bodies) elastic coordinates; NULL: rigid */
} flg_robot_start;

typedef struct flg_scope {
  const struct flg_scope *outer;
  const char *prefix; /* "" or "path/" */
  int group;
  int depth;
  flg_pose pose;            /* of its frame in the world */
  flg_component_file *file; /* NULL: a top without file */
  flg_items parameters;     /* of flg_value: those of the file, with their values in this use */
  flg_name_index by_parameter;
} flg_scope;

struct flg_component_builder {
  const char *name, *file;
  flg_source source;
  flg_region *region;
  flg_mistakes *mistakes;
  int mistakes_before;
  int object_count; /* bodies, joints, springs, signals, components, ... in all */
  flg_growing groups, bodies, robots, coordinates, joints, springs, frictions, stops, loads,
      elements, frames, shapes;
  flg_growing blocks, motors, efforts;
  flg_surface_table surfaces;
  flg_growing shape_paths;  /* const char *, by shape: path of its body, or prefix + world */
  int family, family_first; /* of the shapes from that number on */
  flg_growing outputs;      /* flg_variable */
  flg_name_index by_output; /* by path */
  flg_growing starts;       /* flg_robot_start, by robot */
  flg_growing told;         /* bool, by group: its file has mistakes, ports may be missing */
  flg_growing parts;        /* flg_named_part */
  flg_growing points;       /* flg_point */
  flg_growing movers;       /* flg_component_mover */
  flg_name_index by_part;   /* bodies, robots and groups by path */
  flg_name_index by_point;  /* bodies, ports and markers by path */
  flg_name_index by_mover;  /* joints, sensors, springs, forces, signals by path */
  flg_scope top;
  bool full; /* more than fits, and reported */
};

/* An end of a joint. */
typedef struct flg_end {
  flg_anchor anchor; /* pose: of the frame that it brings, else identity */
  bool brings_frame;
} flg_end;

/* --- component_builder.c --- */

/* A new element of a list, or NULL: no memory, or too many of `what`. */
void *flg_build_add(flg_component_builder *build, flg_growing *list, size_t bytes, const char *what,
                    flg_place place);
/* prefix + name; "" without memory. */
const char *flg_build_path(const flg_component_builder *build, const flg_scope *scope,
                           const char *name);
/* True if it can be a name in a component; a mistake if not. */
bool flg_build_name_check(const flg_component_builder *build, const flg_origin *name);
/* Enters names under their paths; a mistake if they are taken. */
void flg_build_enter_part(flg_component_builder *build, const flg_origin *name, const char *path,
                          flg_named_part part);
void flg_build_enter_point(flg_component_builder *build, const flg_origin *name, const char *path,
                           flg_point point);
void flg_build_enter_mover(flg_component_builder *build, const flg_origin *name, const char *path,
                           const flg_component_mover *mover);

/* --- component_parts.c --- */

/* Of a body at the start, in world axes. */
flg_spatial flg_build_velocity(const flg_scope *scope, const flg_component_body_keys *keys);
void flg_build_body(flg_component_builder *build, const flg_scope *scope,
                    const flg_component_body_keys *keys);
void flg_build_frame(flg_component_builder *build, const flg_scope *scope,
                     const flg_component_frame_keys *keys, bool port);

/* --- component_robot.c --- */

void flg_build_robot(flg_component_builder *build, const flg_scope *scope,
                     const flg_component_robot_keys *keys);
/* Adds a robot; its number, or -1 with mistakes. */
int flg_build_add_robot(flg_component_builder *build, const flg_component_robot *robot);

/* --- component_flexible.c --- */

/* A flexible body. */
void flg_build_flexible(flg_component_builder *build, const flg_scope *scope,
                        const flg_component_body_keys *keys);

/* --- component_shapes.c --- */

/* Shapes of a body of the component, or of the ground (FLG_WORLD); of the body of robot - 1, if
 * that is not 0. */
void flg_build_shapes(flg_component_builder *build, const flg_scope *scope, const flg_items *items,
                      int body, int robot);
/* A shape of a body that stands in for a port. */
void flg_build_port_shape(flg_component_builder *build, const flg_scope *scope,
                          const flg_port_shape *of, int body);
/* Shapes of a robot's model, with all that they are made of. */
void flg_build_robot_shapes(flg_component_builder *build, int robot);
/* Pairs of materials and of shapes, when all that is in the file is there. */
void flg_build_contacts(flg_component_builder *build, const flg_scope *scope,
                        const flg_touching_keys *keys);

/* --- component_ends.c --- */

typedef enum flg_end_want {
  FLG_END_ANY,
  FLG_END_BODY, /* a body or world */
  FLG_END_PORT  /* of a part: component/port, robot/port, robot/body */
} flg_end_want;

/* Whatever a name in a file means; false with a mistake, or silently if one was reported before. */
bool flg_build_end(const flg_component_builder *build, const flg_scope *scope,
                   const flg_origin *text, flg_end_want want, flg_end *end);
/* The frame of an anchor in the world, at the start; and the pose that gives it such a frame. */
flg_pose flg_build_anchor_pose(const flg_component_builder *build, const flg_anchor *anchor);
flg_pose flg_build_pose_on(const flg_component_builder *build, const flg_anchor *anchor,
                           const flg_pose *frame);

/* --- component_hints.c --- */

/* Mistakes on names that lead nowhere, with what is there instead. */
void flg_build_no_point(const flg_component_builder *build, const flg_scope *scope,
                        const flg_origin *text, flg_end_want want);
void flg_build_no_part(const flg_component_builder *build, const flg_scope *scope, const char *part,
                       flg_place place);
void flg_build_no_port(const flg_component_builder *build, int group, const char *part,
                       const char *port, flg_place place);
void flg_build_no_robot_frame(const flg_component_builder *build, int robot, const char *part,
                              const char *frame, flg_place place);
void flg_build_no_mover(const flg_component_builder *build, const flg_scope *scope,
                        const char *name, flg_place place);

/* --- component_pair.c --- */

typedef struct flg_pair {
  const flg_origin *of; /* joint, spring or sensor, for messages */
  const char *key;      /* of the ends */
  const flg_texts *ends;
  const flg_placement_keys *placement; /* NULL: none can be given */
  const double *axis;                  /* z of the result; NULL: z as it is */
  const double *axis2;                 /* universal: axis is x of A, axis2 is y of B; else NULL */
  bool points;                         /* only origins count: bodies bring their own */
  bool *used; /* set if the placement was used; NULL: a mistake if it could not be */
} flg_pair;

/* The anchors of both ends; false with mistakes. */
bool flg_build_pair(const flg_component_builder *build, const flg_scope *scope,
                    const flg_pair *pair, flg_anchor anchors[2]);

/* --- component_coordinates.c --- */

/* A new coordinate: its number, or -1 without memory. */
int flg_build_coordinate(flg_component_builder *build, const flg_scope *scope,
                         const flg_origin *origin, const char *path, flg_coordinate_kind kind,
                         const flg_anchor anchors[2]);
enum { FLG_ANY_COORDINATE = -1 };
/* The coordinate that `name` or `name.kind` means; of any kind: the angle if there are several.
 * -1 with a mistake, or silently if one was reported before. */
int flg_build_find_coordinate(const flg_component_builder *build, const flg_scope *scope,
                              const char *text, flg_place place, int kind);
void flg_build_sensor(flg_component_builder *build, const flg_scope *scope,
                      const flg_component_sensor_keys *keys);

/* --- component_joints.c, component_gears.c --- */

enum { FLG_LOOSE_GEAR = -2 }; /* a gear or rack with play or stiffness is no joint */
/* The number of the joint, FLG_LOOSE_GEAR, or -1 with mistakes. */
int flg_build_joint(flg_component_builder *build, const flg_scope *scope,
                    const flg_component_joint_keys *keys);
/* An interface with a bushing: no joint, but an element of its name. */
void flg_build_interface_bushing(flg_component_builder *build, const flg_scope *scope,
                                 const flg_component_joint_keys *keys);
bool flg_bushing_is_given(const flg_interface_bushing_keys *keys);
/* An element between two frames, of a kind that has such keys. */
void flg_build_framed(flg_component_builder *build, const flg_scope *scope,
                      const flg_force_kind *kind, const flg_framed_keys *keys);
/* Gives a gear or rack its coordinates, when all joints and sensors are there. */
void flg_build_gear(flg_component_builder *build, const flg_scope *scope,
                    const flg_component_joint_keys *keys, int joint);

/* --- component_springs.c --- */

/* Springs between points first, then those on coordinates. */
/* Elements of a kind that is listed. */
void flg_build_listed(flg_component_builder *build, const flg_scope *scope,
                      const flg_force_kind *kind, const flg_items *items);
void flg_build_springs(flg_component_builder *build, const flg_scope *scope,
                       const flg_items *items);
/* stiffness and damping of a joint, on its only coordinate */
void flg_build_joint_spring(flg_component_builder *build, const flg_scope *scope,
                            const flg_component_joint_keys *keys, const char *path, int coordinate);
void flg_build_force(flg_component_builder *build, const flg_scope *scope,
                     const flg_component_force_keys *keys);

/* --- component_blocks.c, component_signals.c --- */

/* All of a block but its name, place and formulas. */
flg_block flg_build_block_numbers(const flg_component_builder *build, const flg_signal_keys *keys);
/* One number for both sides, or two; infinite if absent. */
bool flg_build_limit(const flg_component_builder *build, const flg_origin *origin,
                     const flg_numbers *given, double limit[2]);
/* Signals, motors, efforts, inputs and outputs of a file, when all else of it is there;
 * first_element: of the file. */
void flg_build_signals(flg_component_builder *build, const flg_scope *scope,
                       const flg_component_keys *keys, int first_element);
/* Adds a spring; its number, or -1. */
int flg_build_add_spring(flg_component_builder *build, const flg_component_spring *spring);

/* --- component_limits.c --- */

bool flg_friction_is_given(const flg_friction_keys *keys);
bool flg_stops_are_given(const flg_stops_keys *keys);
/* Friction and stops of a joint, on its only coordinate. */
void flg_build_joint_limits(flg_component_builder *build, const flg_scope *scope,
                            const flg_component_joint_keys *keys, const char *path, int coordinate);
/* True if a gear or rack has play or stiffness between its teeth. */
bool flg_gear_is_loose(const flg_component_joint_keys *keys);
/* Keys of the teeth that need others; false with mistakes. */
bool flg_build_check_teeth(const flg_component_builder *build,
                           const flg_component_joint_keys *keys);
/* Play and stiffness between the teeth of a gear or rack, and its losses; sum: its coordinates and
 * factors, joint: its number or FLG_LOOSE_GEAR. */
void flg_build_teeth(flg_component_builder *build, const flg_scope *scope,
                     const flg_component_joint_keys *keys, int joint,
                     const flg_component_coordinate *sum);

#endif
