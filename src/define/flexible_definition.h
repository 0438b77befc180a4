/* flexible_definition.h - what is said of a flexible body, and the modal body that comes of it.
 *
 * A body is flexible by a beam (start, end, section, ...) or by nodes of a reduced finite-element
 * model (docs/flexible.md).
 */
#ifndef FLG_FLEXIBLE_DEFINITION_H
#define FLG_FLEXIBLE_DEFINITION_H

#include "base/given.h"
#include "base/region.h"
#include "model/beam.h"
#include "model/model.h"

enum { FLG_SECTION_CIRCLE, FLG_SECTION_TUBE, FLG_SECTION_RECTANGLE, FLG_SECTION_GIVEN };

typedef struct flg_beam_section_keys {
  flg_origin origin;
  int kind;              /* FLG_SECTION_CIRCLE .. */
  double diameter, wall; /* NaN: absent, as all below */
  double size[2];
  double area, along_y, along_z, torsion;
} flg_beam_section_keys;

typedef struct flg_beam_piece_keys {
  flg_origin origin;
  double length;
  flg_beam_section_keys section;
  double young, shear, density; /* NaN: those of the beam */
} flg_beam_piece_keys;

typedef struct flg_beam_mode_keys {
  flg_origin origin;
  int motion; /* flg_beam_motion */
  int family; /* flg_beam_ends, polynomial: by coefficients */
  int number;
  flg_numbers polynomial; /* of x^0, x^1, .. */
} flg_beam_mode_keys;

typedef struct flg_modal_node_keys {
  flg_origin origin;
  double at[3], mass;
  flg_numbers shapes; /* 6 a mode */
} flg_modal_node_keys;

typedef struct flg_flexible_keys {
  flg_origin origin; /* name: of the body, in an overlay */
  const char *file;  /* that says the rest; NULL: none */
  double start[3], end[3], side[3];
  flg_beam_section_keys section;
  double young, shear, density;
  flg_items pieces; /* of flg_beam_piece_keys */
  int ends;         /* flg_beam_ends */
  flg_numbers bending;
  int twist, axial;
  flg_items shapes; /* of flg_beam_mode_keys */
  double damping;
  double rayleigh[2];
  bool stiffening, rotary;
  flg_items nodes; /* of flg_modal_node_keys */
  flg_numbers stiffness_matrix, mass_matrix, damping_matrix;
} flg_flexible_keys;

/* The words for ends and motions, NULL at the end. */
extern const char *const flg_beam_ends_words[], *const flg_beam_motion_words[];

/* Set-up: makes a body flexible as the keys say. A body without mass gets that of the beam; of one
 * with mass the beam takes its density, if it has none of its own. All that is wrong goes to
 * mistakes. */
void flg_flexible_apply(const flg_flexible_keys *keys, flg_body *body, flg_region *region,
                        flg_mistakes *mistakes);
/* Set-up: the same for bodies of a model by name (items of flg_flexible_keys); the bodies are
 * copied first. */
void flg_flexible_overlay(const flg_items *items, flg_model *model, flg_region *region,
                          flg_mistakes *mistakes);

#endif
