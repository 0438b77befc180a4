/* model_keys.h - keys that files of models and of components have in common: placements, masses and
 * shapes.
 */
#ifndef FLG_MODEL_SECTIONS_H
#define FLG_MODEL_SECTIONS_H

#include "define/model_definition.h"
#include "text/schema.h"

/* Fields of a struct `type` with a member `placement`; `where`: help on the key `at`. */
#define FLG_PLACEMENT_FIELDS(type, where)                                                       \
  FLG_KEY_AT(type, placement.at, "at", VECTOR, where, .size = 3, .unit = "m",                   \
             .fallback = "[0, 0, 0]"),                                                          \
      FLG_KEY_AT(type, placement.turn, "turn", VECTOR,                                          \
                 "roll, pitch, yaw of its frame: turns about the fixed axes x, then y, then z", \
                 .size = 3, .unit = "rad", .fallback = "[0, 0, 0]")

/* Fields of a struct `type` with the members mass, centre and inertia. */
#define FLG_MASS_FIELDS(type, about)                                                               \
  FLG_KEY(type, mass, NUMBER, about, .unit = "kg", .range = FLG_RANGE_NOT_NEGATIVE,                \
          .fallback = "0"),                                                                        \
      FLG_KEY(type, centre, VECTOR, "centre of mass, in the body's frame", .size = 3, .unit = "m", \
              .fallback = "[0, 0, 0]"),                                                            \
      FLG_KEY(type, inertia, NUMBERS,                                                              \
              "about the centre of mass, in the body's axes: xx, yy, zz, and if wanted xy, xz, "   \
              "yz (elements of the matrix)",                                                       \
              .unit = "kg m^2", .fallback = "[0, 0, 0]")

extern const flg_section flg_shape_section;

#endif
