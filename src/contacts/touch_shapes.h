/* touch_shapes.h - the collision shapes of a model or a component as input of a contact scene.
 *
 * Shapes that are only to be seen are left out. Meshes become the convex hull of their vertices
 * (flg_shape.values, x, y, z of each: whoever read the file put them there). Shapes without a group
 * are in bit 31 of groups; shapes that do not say what they touch touch all groups.
 */
#ifndef FLG_TOUCH_SHAPES_H
#define FLG_TOUCH_SHAPES_H

#include "contact/contact_scene.h"
#include "flange/mistakes.h"

/* Meshes are read where something can touch (compose/); one without vertices touches nothing. */
static inline bool flg_shape_can_touch(const flg_shape *shape) {
  return shape->collision && (shape->kind != FLG_SHAPE_MESH || shape->values != NULL);
}

typedef struct flg_touch_shapes {
  flg_scene_shape *shapes; /* (count) bodies are those of the model, FLG_WORLD: the ground */
  int *sources;            /* (count) their numbers among all shapes of the model */
  int count;
  int (*apart)[2]; /* (apart_count) pairs of shapes that never touch, by their numbers here */
  int apart_count;
  flg_material_table materials;
  flg_arena arena; /* holds all of it */
} flg_touch_shapes;

/* Set-up; shapes (shape_count) and surfaces are borrowed. What is wrong goes to mistakes, with its
 * place. Release with flg_touch_shapes_release. */
flg_status flg_touch_shapes_build(flg_touch_shapes *touch, const flg_shape *shapes, int shape_count,
                                  const flg_surfaces *surfaces, flg_mistakes *mistakes);
void flg_touch_shapes_release(flg_touch_shapes *touch);

#endif
