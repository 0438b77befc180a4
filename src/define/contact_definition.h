/* contact_definition.h - what files say of contacts: materials, their pairs, pairs that stay apart,
 * and how contacts are solved.
 */
#ifndef FLG_CONTACT_DEFINITION_H
#define FLG_CONTACT_DEFINITION_H

#include "define/model_definition.h"

typedef struct flg_material_keys {
  flg_origin origin; /* name: of the material */
  double friction, restitution;
} flg_material_keys;

typedef struct flg_material_pair_keys {
  flg_origin origin;
  flg_texts between;
  double friction, restitution; /* NaN: not given */
  bool met;                     /* set when a subsystem has both materials */
} flg_material_pair_keys;

/* In models and components. */
typedef struct flg_touching_keys {
  flg_origin origin;
  flg_items pairs; /* of flg_material_pair_keys */
  flg_pairs apart; /* shapes, bodies or components */
} flg_touching_keys;

/* In scenarios and subsystems. */
typedef struct flg_contacts_keys {
  flg_origin origin;
  flg_items pairs; /* of flg_material_pair_keys; not in subsystems */
  int friction;    /* 0: not said; else flg_friction_shape + 1 */
  int restitution; /* 0: not said; else flg_impact_law + 1 */
  int capacity;    /* 0: not said */
  double correction;
  const char *material; /* of shapes that have none; NULL: not said */
} flg_contacts_keys;

typedef struct flg_ground_keys {
  flg_origin origin;
  flg_items shapes; /* of flg_shape_keys */
} flg_ground_keys;

/* Shapes of a scenario that all shapes of a subsystem can touch: filled in by its loader. */
typedef struct flg_surroundings {
  const flg_items *materials; /* of flg_material_keys */
  const flg_items *ground;    /* of flg_shape_keys */
  const flg_items *pairs;     /* of flg_material_pair_keys; names that are unknown are left out */
  const char *material;       /* of shapes that have none; NULL: the usual one */
  flg_place place;            /* where that is said */
} flg_surroundings;

#endif
