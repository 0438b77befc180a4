/* touch_shapes.h - the collision shapes of a model or a component as input of a contact scene.
 *
 * Shapes that are only to be seen are left out. Meshes become the convex hull of their vertices
 * (flg_shape.values, x, y, z of each: the reader of the file put them there). Shapes without a
 * group are in bit 31 of groups; shapes that do not say what they touch touch all groups.
 */
#ifndef FLG_TOUCH_SHAPES_H
#define FLG_TOUCH_SHAPES_H

#include "base/region.h"
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
  int (*apart)[2]; /* (apart_count) pairs of shapes that never touch, by their numbers here; sorted
                    */
  int apart_count;
  flg_pair_set pieces_apart; /* that joints connect, by the numbers of pieces of shapes */
  flg_material_table materials;
  flg_region region; /* holds all of it */
} flg_touch_shapes;

/* Set-up; shapes (shape_count) and surfaces are borrowed. What is wrong goes to mistakes, with its
 * place. Release with flg_touch_shapes_release. */
flg_status flg_touch_shapes_build(flg_touch_shapes *touch, const flg_shape *shapes, int shape_count,
                                  const flg_surfaces *surfaces, flg_mistakes *mistakes);
/* Hosts say which shapes are of one piece or owner, and which pieces are apart, before they ask
 * what follows. movers (count): what each shape moves with, by any numbering; less than 0: it does
 * not move. */
/* Set-up: the first shape that one of them can touch, by a look at all; -1: there is none. */
int flg_touch_shapes_partner(const flg_touch_shapes *touch, const int *movers, int shape);
/* Set-up: leaves out shapes that can touch nothing, the others keep their order, as do their
 * movers. Without memory the region has failed, and all stay. */
void flg_touch_shapes_keep(flg_touch_shapes *touch, int *movers, flg_region *region);
/* Set-up, of `keep` (touch_partners.c): (count) whether each can touch something; in n log n. */
bool *flg_touch_partners_find(const flg_touch_shapes *touch, const int *movers, flg_region *region);
/* True if two kinds can touch: planes and fields do not meet, nor do points. */
bool flg_touch_kinds_meet(flg_contact_kind a, flg_contact_kind b);
/* True if two shapes are listed as apart. */
bool flg_touch_shapes_are_listed(const flg_touch_shapes *touch, int i, int j);
/* Set-up: the scene of shapes whose bodies are touch ports. */
flg_scene_input flg_touch_shapes_scene(const flg_touch_shapes *touch, int port_count,
                                       flg_threads *threads);
void flg_touch_shapes_release(flg_touch_shapes *touch);

#endif
