/* model_keys.h - what files of models and of components have in common: placements, masses and
 * shapes.
 */
#ifndef FLG_MODEL_KEYS_H
#define FLG_MODEL_KEYS_H

#include "io/schema.h"
#include "model/model.h"

/* Where a frame is: [m], and roll, pitch, yaw [rad]. NaNs where keys without a default are absent.
 */
typedef struct flg_placement_keys {
  double at[3], turn[3];
} flg_placement_keys;

/* Fields of a struct `type` with a member `placement`; `where`: help on the key `at`. */
#define FLG_PLACEMENT_FIELDS(type, where)                                              \
  {"at",      FLG_FIELD_VECTOR, offsetof(type, placement.at), where,                   \
   .size = 3, .unit = "m",      .fallback = "[0, 0, 0]"},                              \
  {                                                                                    \
    "turn", FLG_FIELD_VECTOR, offsetof(type, placement.turn),                          \
        "roll, pitch, yaw of its frame: turns about the fixed axes x, then y, then z", \
        .size = 3, .unit = "rad", .fallback = "[0, 0, 0]"                              \
  }

/* Fields of a struct `type` with the members mass, centre and inertia. */
#define FLG_MASS_FIELDS(type, about)                                                               \
  {"mass",         FLG_FIELD_NUMBER, offsetof(type, mass),                                         \
   about,          .unit = "kg",     .range = FLG_RANGE_NOT_NEGATIVE,                              \
   .fallback = "0"},                                                                               \
      {"centre",  FLG_FIELD_VECTOR, offsetof(type, centre), "centre of mass, in the body's frame", \
       .size = 3, .unit = "m",      .fallback = "[0, 0, 0]"},                                      \
  {                                                                                                \
    "inertia", FLG_FIELD_NUMBERS, offsetof(type, inertia),                                         \
        "about the centre of mass, in the body's axes: xx, yy, zz, and if wanted xy, xz, yz "      \
        "(elements of the matrix)",                                                                \
        .unit = "kg m^2", .fallback = "[0, 0, 0]"                                                  \
  }

typedef struct flg_shape_keys {
  flg_origin origin;
  int kind;
  flg_numbers size, values;
  int columns;
  flg_placement_keys placement;
  const char *name, *mesh;
  int collision; /* 0: as the other keys say, 1: true, 2: false */
  flg_numbers colour;
  flg_items points; /* of flg_value: points with names */
  const char *material, *group;
  flg_texts collides;
  double friction, restitution; /* NaN: not given */
} flg_shape_keys;

extern const flg_section flg_shape_section;

/* The frame; keys that are absent count as zeros. */
flg_pose flg_placement_pose(const flg_placement_keys *keys);
/* From 3 or 6 numbers; any other count is a mistake of the body `of`. */
flg_sym3 flg_inertia_of_keys(const flg_numbers *numbers, const flg_origin *of,
                             flg_mistakes *mistakes);
/* The shape of a body. */
flg_shape flg_shape_of_keys(const flg_shape_keys *keys, int body, flg_region *region,
                            flg_mistakes *mistakes);

#endif
