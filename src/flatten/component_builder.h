/* component_builder.h - puts a flat component together from files, robots and joints.
 *
 *     begin  { fill | add_file | add_robot | add_joint | surround }  finish
 *
 * What is added becomes part of the top of the component; a file that is added becomes a group,
 * of which only the ports are seen. Joints name what was added before them. Files and models are
 * read once, however often they are used. All that is wrong goes to the mistakes; nothing stops at
 * the first.
 *
 * Order of the result: depth first, own bodies before robots before inner components, joints of
 * inner components before those around them.
 */
#ifndef FLG_COMPONENT_BUILDER_H
#define FLG_COMPONENT_BUILDER_H

#include "define/source.h"

enum { FLG_COMPONENT_MAX_DEPTH = 32 /* of components in components */ };

/* How a robot inside a component starts, for the code that builds it: applied by joint_values.h. */
struct flg_robot_setup {
  const char *name; /* path of the robot */
  flg_place place;
  flg_robot_keys robot;
};

/* A file, and how it is used. */
typedef struct flg_component_use {
  const char *path;
  flg_place asked_at;             /* where the file is asked for */
  flg_pose pose;                  /* of its frame in the world */
  flg_items parameters;           /* of flg_value */
  const flg_surroundings *around; /* where it is read alone; NULL: none */
} flg_component_use;

/* A shape on a port; its pose in the port's frame takes the place of the keys' placement. */
typedef struct flg_port_shape {
  flg_shape_keys keys;
  int port;
  flg_pose pose;
} flg_port_shape;

/* Ports that something has which is no component. */
typedef struct flg_port_list {
  const char *const *names; /* (count) */
  const flg_pose *poses;    /* (count) in the world, at the start */
  int count;
  const flg_port_shape *shapes; /* (shape_count) */
  int shape_count;
  const flg_items *materials; /* of flg_material_keys, which shapes may name */
} flg_port_list;

typedef struct flg_component_builder flg_component_builder;

/* Set-up: a builder in the region, or NULL without memory. `name` and `file` are those of the
 * result and of mistakes that have no other place; the source has the files. */
flg_component_builder *flg_component_builder_begin(const char *name, const char *file,
                                                   flg_source source, flg_region *region,
                                                   flg_mistakes *mistakes);
/* Reads a file as the top itself: names without a prefix, no group; the component takes its name.
 */
void flg_component_builder_fill(flg_component_builder *builder, const flg_component_use *use);
/* Reads a file as a group of that name. */
void flg_component_builder_add_file(flg_component_builder *builder, const flg_origin *name,
                                    const flg_component_use *use);
/* A robot of that name; the pose is that of keys->placement. */
void flg_component_builder_add_robot(flg_component_builder *builder,
                                     const flg_component_robot_keys *keys);
/* A group of that name with ports and their shapes alone, each port on a body of its own, in their
 * order: something that moves, of which no more is known. */
void flg_component_builder_add_ports(flg_component_builder *builder, const flg_origin *name,
                                     const flg_port_list *ports);
/* A joint between what was added; ends are paths from the top, as in files. */
void flg_component_builder_add_joint(flg_component_builder *builder,
                                     const flg_component_joint_keys *keys);
/* Sets what else the shapes meet that were added since the last call, or since the beginning.
 * Shapes of different calls never touch each other. */
void flg_component_builder_surround(flg_component_builder *builder,
                                    const flg_surroundings *surroundings);
/* The result, checked by flg_component_check if nothing was wrong so far; it lies in the region. */
void flg_component_builder_finish(flg_component_builder *builder, flg_component *component);

#endif
