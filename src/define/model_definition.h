/* model_definition.h - what files of models and of components have in common: placements, masses
 * and shapes.
 */
#ifndef FLG_MODEL_DEFINITION_H
#define FLG_MODEL_DEFINITION_H

#include "base/region.h"
#include "forces/force_keys.h"
#include "model/model.h"

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

/* {also, word}: words for kinds of joints that other files and programs use; {NULL, NULL} at the
 * end.
 */
extern const char *const flg_joint_aliases[][2];
/* The words for the kinds of shapes, NULL at the end. */
extern const char *const flg_shape_words[];

/* The frame; keys that are absent count as zeros. */
flg_pose flg_placement_pose(const flg_placement_keys *keys);
/* From 3 or 6 numbers; any other count is a mistake of the body `of`. */
flg_sym3 flg_inertia_of_keys(const flg_numbers *numbers, const flg_origin *of,
                             flg_mistakes *mistakes);
/* The shape of a body. */
flg_shape flg_shape_of_keys(const flg_shape_keys *keys, int body, flg_region *region,
                            flg_mistakes *mistakes);

#endif
