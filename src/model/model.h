/* model.h - what a mechanical system is made of, as its author wrote it.
 *
 * Bodies and joints by name, in the order of the file, whether that was YAML or URDF. Nothing here
 * is compiled for speed: robot.h turns a model without loops into flat arrays to compute on.
 *
 * Frames: a body's frame is where its file says. A joint's frame sits on the parent body (origin)
 * and, while all its coordinates are zero, coincides with the child body's frame.
 * Memory: the arrays and texts belong to the reader of the model (a region); the model borrows
 * them.
 */
#ifndef FLG_MODEL_H
#define FLG_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/given.h"
#include "base/name_index.h"
#include "math/spatial.h"
#include "model/modal.h"

enum { FLG_WORLD = -1 }; /* the index of the ground, in place of a body */

/* X(enum, name in files, velocities, positions). Angles in rad, lengths in m.
 * fixed        -
 * revolute     angle about axis, with limits
 * continuous   the same, without limits
 * prismatic    displacement along axis
 * cylindrical  displacement along, then angle about axis
 * screw        angle about axis; it advances by pitch metres a radian
 * universal    angle about axis, then about axis2 (both in the joint's frame at zero)
 * planar       two displacements perpendicular to axis, then the angle about it
 * ball         unit quaternion w, x, y, z; velocities: angular velocity in the child's axes
 * floating     position x, y, z in the joint's frame, quaternion; velocities: linear in the joint's
 *              frame, angular in the child's axes */
#define FLG_JOINT_KIND_LIST(X)                     \
  X(FLG_JOINT_FIXED, "fixed", 0, 0, 0)             \
  X(FLG_JOINT_REVOLUTE, "revolute", 1, 1, 0)       \
  X(FLG_JOINT_CONTINUOUS, "continuous", 1, 1, 0)   \
  X(FLG_JOINT_PRISMATIC, "prismatic", 1, 1, 1)     \
  X(FLG_JOINT_CYLINDRICAL, "cylindrical", 2, 2, 1) \
  X(FLG_JOINT_SCREW, "screw", 1, 1, 0)             \
  X(FLG_JOINT_UNIVERSAL, "universal", 2, 2, 0)     \
  X(FLG_JOINT_PLANAR, "planar", 3, 3, 2)           \
  X(FLG_JOINT_BALL, "ball", 3, 4, 0)               \
  X(FLG_JOINT_FLOATING, "floating", 6, 7, 3)

#define FLG_JOINT_KIND_ENUM(kind, name, velocities, positions, displacements) kind,
typedef enum flg_joint_kind {
  FLG_JOINT_KIND_LIST(FLG_JOINT_KIND_ENUM) FLG_JOINT_KIND_COUNT
} flg_joint_kind;

typedef struct flg_body {
  const char *name;
  flg_place place;
  double mass;                    /* [kg], may be 0 if something with mass is fixed to it */
  flg_vec3 centre;                /* of mass, in the body's frame [m] */
  flg_sym3 inertia;               /* about the centre of mass, in the body's axes [kg m^2] */
  const flg_modal_body *flexible; /* its modes, in the body's frame; NULL: rigid */
  const struct flg_flexible_keys
      *said; /* what they came from (define/flexible_definition.h), or NULL */
} flg_body;

typedef struct flg_mimic {
  int joint; /* that it follows, -1: none */
  double multiplier, offset;
} flg_mimic;

typedef struct flg_joint {
  const char *name;
  flg_place place;
  flg_joint_kind kind;
  int parent, child;                /* bodies; the parent may be FLG_WORLD */
  flg_pose origin;                  /* of the joint's frame in the parent body's frame */
  flg_vec3 axis, axis2;             /* unit vectors in the joint's frame */
  double pitch;                     /* of a screw [m/rad] */
  double damping;                   /* [N m s/rad or N s/m] */
  double friction;                  /* static, [N m or N] */
  double armature;                  /* rotor inertia, as the joint feels it [kg m^2 or kg] */
  double lower, upper;              /* of the position, -inf and inf without limits */
  double effort_limit, speed_limit; /* inf without limits */
  flg_mimic mimic;
} flg_joint;

/* X(enum, name in files, numbers in size, whether it is given by values).
 * box       full lengths x, y, z
 * cylinder  radius, length along z
 * sphere    radius
 * capsule   radius, length of the cylindrical part along z
 * mesh      scale x, y, z
 * plane     -; the half-space under z = 0
 * points    -; values: x, y, z of each. They touch one by one
 * height-field  spacing in x, in y; values: heights, `columns` of them along x in each row */
#define FLG_SHAPE_KIND_LIST(X)                \
  X(FLG_SHAPE_BOX, "box", 3, false)           \
  X(FLG_SHAPE_CYLINDER, "cylinder", 2, false) \
  X(FLG_SHAPE_SPHERE, "sphere", 1, false)     \
  X(FLG_SHAPE_CAPSULE, "capsule", 2, false)   \
  X(FLG_SHAPE_MESH, "mesh", 3, false)         \
  X(FLG_SHAPE_PLANE, "plane", 0, false)       \
  X(FLG_SHAPE_POINTS, "points", 0, true)      \
  X(FLG_SHAPE_HEIGHT_FIELD, "height-field", 2, true)

#define FLG_SHAPE_KIND_ENUM(kind, name, sizes, has_values) kind,
typedef enum flg_shape_kind {
  FLG_SHAPE_KIND_LIST(FLG_SHAPE_KIND_ENUM) FLG_SHAPE_KIND_COUNT
} flg_shape_kind;

typedef struct flg_shape {
  const char *name; /* may be NULL */
  flg_place place;
  int body;
  int robot;      /* in a component: the robot whose body it is, from 1 on; 0: a body of its own */
  bool collision; /* for contact; otherwise only to be seen */
  bool is_undecided; /* only to be seen because nothing is said of it */
  flg_shape_kind kind;
  double size[3];       /* as the kind says; 1 where it says nothing */
  flg_pose pose;        /* in the body's frame */
  const char *mesh;     /* file, resolved; NULL unless a mesh */
  double colour[4];     /* red, green, blue, alpha; 0..1; NaN: none given */
  const double *values; /* (value_count) of points and height fields; of meshes for contact: x, y,
                           z of each vertex, scaled; otherwise NULL */
  int value_count, columns;
  const char *const *point_names; /* (value_count / 3) of points; NULL: they have no names */
  int surface;                    /* of the model's surfaces, from 1 on; 0: the usual one */
  uint32_t group, collides;       /* bits: its kind, the kinds it touches; 0, 0: all */
  int family;                     /* shapes of different families never touch */
} flg_shape;

/* Friction and restitution of what shapes are made of; pairs that were measured as such; pairs of
 * shapes that never touch (besides those of bodies that a joint connects); what the bits of groups
 * are called, from the lowest on (bit 31 is for shapes without a group). */
typedef struct flg_surface {
  const char *name;
  flg_place place;
  double friction, restitution;
} flg_surface;

typedef struct flg_surface_pair {
  flg_place place;
  int first, second; /* surfaces, as those of shapes */
  double friction, restitution;
} flg_surface_pair;

typedef struct flg_surfaces {
  flg_surface *surfaces;
  flg_surface_pair *pairs;
  int (*apart)[2]; /* numbers of shapes */
  const char **groups;
  int surface_count, pair_count, apart_count, group_count;
} flg_surfaces;

enum { FLG_SHAPE_GROUPS = 31 }; /* that have names, at most */

/* A named frame on a body: a port, where the model is joined to others, or a marker to look at. */
typedef struct flg_frame {
  const char *name;
  flg_place place;
  int body;
  bool port;
  flg_pose pose; /* in the body's frame */
} flg_frame;

/* A place on a flexible body that something outside of the model is fixed to. */
typedef struct flg_station {
  int body;
  flg_vec3 at; /* in the body's frame, at rest */
} flg_station;

typedef struct flg_model {
  const char *name;
  const char *file; /* where it was read from */
  flg_body *bodies;
  flg_joint *joints;
  flg_shape *shapes;
  flg_frame *frames;
  const flg_station *stations;
  int body_count, joint_count, shape_count, frame_count, station_count;
  flg_surfaces surfaces;
  flg_items configurations;   /* of flg_value_map: named positions by joint */
  bool trusts_inertia;        /* inertias are not checked: the user has asked for it */
  const char *const *notices; /* (notice_count) what the reader has changed or passed over */
  int notice_count;
  flg_name_index body_names, joint_names,
      frame_names; /* of all, or empty: then names are searched */
} flg_model;

/* True for FLG_WORLD and the index of a body. */
static inline bool flg_model_has_body(const flg_model *model, int body) {
  return body >= FLG_WORLD && body < model->body_count;
}

/* Makes the names quick to find; to be called when all are known. Without memory the region has
 * failed. */
void flg_model_index(flg_model *model, flg_region *region);
/* Index by name, or -1 (bodies: FLG_WORLD for "world", -2 if unknown). */
int flg_model_body(const flg_model *model, const char *name);
int flg_model_joint(const flg_model *model, const char *name);
int flg_model_frame(const flg_model *model, const char *name);

/* The word for a kind in files, how many velocities and positions it has. */
const char *flg_joint_kind_name(flg_joint_kind kind);
int flg_joint_kind_velocities(flg_joint_kind kind);
/* How many of its velocities, the first ones, are of displacements [m/s]; the others turn. */
int flg_joint_kind_displacements(flg_joint_kind kind);
int flg_joint_kind_positions(flg_joint_kind kind);

/* The word for a kind in files, how many numbers its size has. */
const char *flg_shape_kind_name(flg_shape_kind kind);
int flg_shape_kind_sizes(flg_shape_kind kind);
bool flg_shape_kind_has_values(flg_shape_kind kind);

/* Set-up: gives joints with one coordinate a rotor, if they have none. */
void flg_model_give_armature(flg_model *model, double armature);
/* Set-up: lets what is fixed to the world float: the first body that is becomes the child of a
 * floating joint `base` (`base2`, .. if a joint has that name), at rest where it was, and carries
 * all that else hangs on the world but for what floats. A mistake if no body is fixed. */
void flg_model_float(flg_model *model, flg_mistakes *mistakes);

/* Finds what no mechanical system has: negative masses, inertias that are not positive or break the
 * triangle inequality, duplicate names, axes of zero length, limits the wrong way round. All of it,
 * each with its place and name. */
void flg_model_check(const flg_model *model, flg_mistakes *mistakes);
/* The part of it that is about flexible bodies: modes that move the section which a joint carries.
 */
void flg_model_check_flexible(const flg_model *model, flg_mistakes *mistakes);

#endif
