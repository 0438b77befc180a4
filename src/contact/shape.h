/* shape.h - what touches: collision shapes, compiled and const.
 *
 * plane         the half-space z <= 0 of its frame; the normal is z
 * sphere        radius, around the origin
 * capsule       radius, around the segment -half.z .. half.z on z
 * box           half lengths
 * cylinder      around z: half = {radius, radius, half length}
 * convex        the convex hull of points
 * height field  heights over a grid in x and y, solid below; see flg_height_field
 * points        a set of points, each of which touches by itself (nonsmooth-rim: vertices of a box)
 *
 * A shape borrows its hull, field and points; they must live as long as it does.
 * Frames: that of the shape. All lengths in m. Set-up calls, but for the bounds.
 */
#ifndef FLG_CONTACT_SHAPE_H
#define FLG_CONTACT_SHAPE_H

#include "contact/hull.h"
#include "math/rotation.h"
#include "model/model.h"

#define FLG_CONTACT_KIND_LIST(X)              \
  X(FLG_CONTACT_PLANE, "plane")               \
  X(FLG_CONTACT_HEIGHT_FIELD, "height field") \
  X(FLG_CONTACT_SPHERE, "sphere")             \
  X(FLG_CONTACT_CAPSULE, "capsule")           \
  X(FLG_CONTACT_BOX, "box")                   \
  X(FLG_CONTACT_CYLINDER, "cylinder")         \
  X(FLG_CONTACT_CONVEX, "convex")             \
  X(FLG_CONTACT_POINTS, "points")

#define FLG_CONTACT_KIND_ENUM(kind, name) kind,
typedef enum flg_contact_kind {
  FLG_CONTACT_KIND_LIST(FLG_CONTACT_KIND_ENUM) FLG_CONTACT_KIND_COUNT
} flg_contact_kind;

enum { FLG_CONTACT_SET_MAX = 4096, FLG_HEIGHT_FIELD_MAX = 4000 };

/* Heights at x = column * spacing_x, y = row * spacing_y. Each cell is two triangles, cut from its
 * corner (column, row) to (column + 1, row + 1). Outside of the grid there is nothing. */
typedef struct flg_height_field {
  int columns, rows;           /* points, 2..FLG_HEIGHT_FIELD_MAX each */
  double spacing_x, spacing_y; /* > 0 */
  double lowest, highest;
  const double *heights; /* (columns * rows), heights[column + columns * row] */
} flg_height_field;

typedef struct flg_contact_shape {
  flg_contact_kind kind;
  flg_vec3 half;         /* as the kind says */
  double radius;         /* of the ball that is swept over point or segment, otherwise 0 */
  flg_vec3 lower, upper; /* bounds in its own frame, without the radius */
  const flg_hull *hull;  /* convex */
  const flg_height_field *field;
  const flg_vec3 *points; /* (point_count) */
  int point_count;
} flg_contact_shape;

/* The word for a kind. */
const char *flg_contact_kind_name(flg_contact_kind kind);

/* Each fails with FLG_ERR_RANGE where a size is not positive and finite. */
void flg_contact_shape_plane(flg_contact_shape *shape);
flg_status flg_contact_shape_sphere(flg_contact_shape *shape, double radius, flg_error *error);
/* length of the cylindrical part, 0 for a sphere */
flg_status flg_contact_shape_capsule(flg_contact_shape *shape, double radius, double length,
                                     flg_error *error);
flg_status flg_contact_shape_box(flg_contact_shape *shape, flg_vec3 lengths, flg_error *error);
flg_status flg_contact_shape_cylinder(flg_contact_shape *shape, double radius, double length,
                                      flg_error *error);
void flg_contact_shape_convex(flg_contact_shape *shape, const flg_hull *hull);
flg_status flg_contact_shape_points(flg_contact_shape *shape, const flg_vec3 *points, int count,
                                    flg_error *error);
/* Checks the field and finds its lowest and highest point. */
flg_status flg_contact_shape_height_field(flg_contact_shape *shape, flg_height_field *field,
                                          flg_error *error);
/* The shape of a model. Heights are borrowed from it, points copied into the region. Meshes are
 * refused: their hull is built from the vertices of the file, scaled (flg_hull_build). */
flg_status flg_contact_shape_of_model(flg_contact_shape *shape, const flg_shape *from,
                                      flg_region *region, flg_error *error);

/* Step: the box around a placed shape, in the axes of the pose's parent; infinite for planes. */
void flg_contact_shape_bounds(const flg_contact_shape *shape, const flg_pose *pose, flg_vec3 *lower,
                              flg_vec3 *upper);

#endif
