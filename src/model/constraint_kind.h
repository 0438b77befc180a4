/* constraint_kind.h - the kinds of coordinates and of joints of components, one row of a table
 * each.
 *
 * All that others ask of a joint kind stands in its row: a new kind of known rows is a line of the
 * list and a row (constraint_kind.c). What a new sort of row computes is in dynamics/constraint.c.
 */
#ifndef FLG_CONSTRAINT_KIND_H
#define FLG_CONSTRAINT_KIND_H

#include <stdbool.h>

/* X(enum, name in files, what it measures between its two frames, the first being the reference).
 * distance  between their origins                                                      [m]
 * slide     of the second origin along z of the first frame                            [m]
 * angle     of the second frame about z of the first, from x to x: unwrapped, any number of turns;
 *           meant for frames whose z stay close to parallel                            [rad]
 * sum       factor0 * c0 + factor1 * c1 of two others, less what it is at the start: what the teeth
 *           of a gear are apart                                                        [m or rad]
 */
#define FLG_COORDINATE_KIND_LIST(X)      \
  X(FLG_COORDINATE_DISTANCE, "distance") \
  X(FLG_COORDINATE_SLIDE, "slide")       \
  X(FLG_COORDINATE_ANGLE, "angle")       \
  X(FLG_COORDINATE_SUM, "sum")

#define FLG_COORDINATE_KIND_ENUM(kind, name) kind,
typedef enum flg_coordinate_kind {
  FLG_COORDINATE_KIND_LIST(FLG_COORDINATE_KIND_ENUM) FLG_COORDINATE_KIND_COUNT
} flg_coordinate_kind;

/* X(enum, name in files). Frames A (first end) and B, z the axis:
 * weld           A = B
 * revolute       B turns about z of A                                       angle
 * prismatic      B slides along z of A                                      slide
 * cylindrical    both                                                       slide, angle
 * spherical      origins meet
 * universal      origins meet, x of A stays perpendicular to y of B  (A's x and B's y carry the
 *                cross)
 * planar         the xy planes of A and B are one: plane on plane
 * point-on-line  the origin of B is on the z axis of A
 * distance       origins stay `constant` apart                              distance
 * screw          cylindrical, and slide = pitch * angle                     slide, angle
 * gear           factor0 * angle0 + factor1 * angle1 stays as it is at the start
 * rack           the same of a slide and an angle
 * The last two act on given coordinates and have no frames of their own. */
#define FLG_CONSTRAINT_KIND_LIST(X)                \
  X(FLG_CONSTRAINT_WELD, "weld")                   \
  X(FLG_CONSTRAINT_REVOLUTE, "revolute")           \
  X(FLG_CONSTRAINT_PRISMATIC, "prismatic")         \
  X(FLG_CONSTRAINT_CYLINDRICAL, "cylindrical")     \
  X(FLG_CONSTRAINT_SPHERICAL, "spherical")         \
  X(FLG_CONSTRAINT_UNIVERSAL, "universal")         \
  X(FLG_CONSTRAINT_PLANAR, "planar")               \
  X(FLG_CONSTRAINT_POINT_ON_LINE, "point-on-line") \
  X(FLG_CONSTRAINT_DISTANCE, "distance")           \
  X(FLG_CONSTRAINT_SCREW, "screw")                 \
  X(FLG_CONSTRAINT_GEAR, "gear")                   \
  X(FLG_CONSTRAINT_RACK, "rack")

#define FLG_CONSTRAINT_KIND_ENUM(kind, name) kind,
typedef enum flg_constraint_kind {
  FLG_CONSTRAINT_KIND_LIST(FLG_CONSTRAINT_KIND_ENUM) FLG_CONSTRAINT_KIND_COUNT
} flg_constraint_kind;

/* Rows between its frames that a joint has, in the order of these bits. */
enum {
  FLG_HOLDS_POINT = 1,   /* displacement along x, y, z of the world */
  FLG_HOLDS_ACROSS = 2,  /* displacement along x and y of A */
  FLG_HOLDS_ALONG = 4,   /* displacement along z of A */
  FLG_HOLDS_UPRIGHT = 8, /* x_A.z_B, y_A.z_B: z axes parallel */
  FLG_HOLDS_TWIST = 16,  /* y_A.x_B: no turn about them */
  FLG_HOLDS_CROSS = 32   /* x_A.y_B */
};

typedef struct flg_constraint_traits {
  int rows;             /* of all */
  unsigned holds;       /* rows between its frames, sum of FLG_HOLDS_x; the last one may be of: */
  bool sums;            /* sum of factor * coordinate stays constant */
  int coordinate_count; /* that it has by itself, ... */
  flg_coordinate_kind coordinates[2]; /* ... in this order */
  bool couples;                   /* it sums coordinates of other joints, and has no frames ... */
  flg_coordinate_kind coupled[2]; /* ... of these kinds: of what drives, and of what is driven */
  unsigned axes;                  /* bit e: it needs axes that turn with its end e */
  bool is_of_points;              /* its ends are points: files give no axis */
  bool has_axis2;                 /* files give a second axis */
  const char *key;                /* of a number that only this kind has in files, NULL: none ... */
  bool needs_key;                 /* ... and it has to be given */
} flg_constraint_traits;

extern const flg_constraint_traits flg_constraint_kinds[FLG_CONSTRAINT_KIND_COUNT];

const char *flg_constraint_kind_name(flg_constraint_kind kind);
const char *flg_coordinate_kind_name(flg_coordinate_kind kind);

#endif
