#include "model/constraint_kind.h"

#include <stddef.h>

enum {
  FIRST = 1,
  BOTH = 3, /* ends that need axes */
  MEET = FLG_HOLDS_ACROSS | FLG_HOLDS_ALONG
};

/* One table instead of a switch in each user: rows, coordinates, keys of files and what a joint
 * holds are all read from here, so a kind that is added cannot be forgotten in one of them. */
const flg_constraint_traits flg_constraint_kinds[FLG_CONSTRAINT_KIND_COUNT] = {
    [FLG_CONSTRAINT_WELD] = {.rows = 6,
                             .holds = MEET | FLG_HOLDS_UPRIGHT | FLG_HOLDS_TWIST,
                             .axes = BOTH},
    [FLG_CONSTRAINT_REVOLUTE] = {.rows = 5,
                                 .holds = MEET | FLG_HOLDS_UPRIGHT,
                                 .coordinate_count = 1,
                                 .coordinates = {FLG_COORDINATE_ANGLE},
                                 .axes = BOTH},
    [FLG_CONSTRAINT_PRISMATIC] = {.rows = 5,
                                  .holds = FLG_HOLDS_ACROSS | FLG_HOLDS_UPRIGHT | FLG_HOLDS_TWIST,
                                  .coordinate_count = 1,
                                  .coordinates = {FLG_COORDINATE_SLIDE},
                                  .axes = BOTH},
    [FLG_CONSTRAINT_CYLINDRICAL] = {.rows = 4,
                                    .holds = FLG_HOLDS_ACROSS | FLG_HOLDS_UPRIGHT,
                                    .coordinate_count = 2,
                                    .coordinates = {FLG_COORDINATE_SLIDE, FLG_COORDINATE_ANGLE},
                                    .axes = BOTH},
    /* in the axes of the world: a ball has none of its own that matter, and rows that do not turn
     * need no bias */
    [FLG_CONSTRAINT_SPHERICAL] = {.rows = 3, .holds = FLG_HOLDS_POINT},
    [FLG_CONSTRAINT_UNIVERSAL] = {.rows = 4,
                                  .holds = MEET | FLG_HOLDS_CROSS,
                                  .axes = BOTH,
                                  .has_axis2 = true},
    [FLG_CONSTRAINT_PLANAR] = {.rows = 3,
                               .holds = FLG_HOLDS_ALONG | FLG_HOLDS_UPRIGHT,
                               .axes = BOTH},
    /* the point has no axes, the line has */
    [FLG_CONSTRAINT_POINT_ON_LINE] = {.rows = 2,
                                      .holds = FLG_HOLDS_ACROSS,
                                      .coordinate_count = 1,
                                      .coordinates = {FLG_COORDINATE_SLIDE},
                                      .axes = FIRST},
    [FLG_CONSTRAINT_DISTANCE] = {.rows = 1,
                                 .sums = true,
                                 .coordinate_count = 1,
                                 .coordinates = {FLG_COORDINATE_DISTANCE},
                                 .is_of_points = true,
                                 .key = "length"},
    [FLG_CONSTRAINT_SCREW] = {.rows = 5,
                              .holds = FLG_HOLDS_ACROSS | FLG_HOLDS_UPRIGHT,
                              .sums = true,
                              .coordinate_count = 2,
                              .coordinates = {FLG_COORDINATE_SLIDE, FLG_COORDINATE_ANGLE},
                              .axes = BOTH,
                              .key = "pitch",
                              .needs_key = true},
    [FLG_CONSTRAINT_GEAR] = {.rows = 1,
                             .sums = true,
                             .couples = true,
                             .coupled = {FLG_COORDINATE_ANGLE, FLG_COORDINATE_ANGLE},
                             .key = "ratio",
                             .needs_key = true},
    [FLG_CONSTRAINT_RACK] = {.rows = 1,
                             .sums = true,
                             .couples = true,
                             .coupled = {FLG_COORDINATE_ANGLE, FLG_COORDINATE_SLIDE},
                             .key = "radius",
                             .needs_key = true},
};

#define NAME(kind, name) [kind] = (name),

const char *flg_constraint_kind_name(flg_constraint_kind kind) {
  static const char *const names[] = {FLG_CONSTRAINT_KIND_LIST(NAME)};
  return names[kind];
}

const char *flg_coordinate_kind_name(flg_coordinate_kind kind) {
  static const char *const names[] = {FLG_COORDINATE_KIND_LIST(NAME)};
  return names[kind];
}
