#include <math.h>
#include <string.h>

#include "base/closest.h"
#include "define/flexible_definition.h"
#include "define/given.h"
#include "math/lapack.h"
#include "math/larger.h"

const char *const flg_beam_ends_words[] = {"clamped-free", "pinned-pinned", "free-free", NULL};
const char *const flg_beam_motion_words[] = {"y", "z", "twist", "axial", NULL};

/* of the mass of a body: a beam that differs by more is another one */
static const double SAME_MASS = 0.01;
/* of the largest element: a matrix is symmetric, shapes are zero */
static const double ROUNDING = 1e-9;
/* of shear: steel and aluminium */
static const double POISSON = 0.3;

enum { MODES_MOST = 64 };

typedef struct making {
  const flg_flexible_keys *keys;
  flg_body *body;
  flg_region *region;
  flg_mistakes *mistakes;
  flg_modal_body *modal;
} making;

/* a mistake, with the name of the body in front */
static void complain_of_body(const making *make, flg_place place, const char *text) {
  flg_mistake_add(make->mistakes, FLG_ERR_INPUT, place, "flexible body '%s': %s", make->body->name,
                  text);
}

/* --- beams --------------------------------------------------------------------------------------
 */

static flg_beam_section section_of(const making *make, const flg_beam_section_keys *keys) {
  const flg_place place = keys->origin.place;
  switch (keys->kind) {
    case FLG_SECTION_CIRCLE:
      if (!(keys->diameter > 0)) complain_of_body(make, place, "a circle needs its diameter");
      return flg_beam_circle(keys->diameter);
    case FLG_SECTION_TUBE:
      if (!(keys->diameter > 0) || !(keys->wall > 0) || keys->wall > keys->diameter / 2) {
        complain_of_body(make, place,
                         "a tube needs its diameter, and a wall of at most half of it");
      }
      return flg_beam_tube(keys->diameter, keys->wall);
    case FLG_SECTION_RECTANGLE:
      if (!(keys->size[0] > 0) || !(keys->size[1] > 0)) {
        complain_of_body(make, place, "a rectangle needs its size, along y and along z");
      }
      return flg_beam_rectangle(keys->size[0], keys->size[1]);
    default:
      if (!(keys->area > 0) || !(keys->along_y > 0) || !(keys->along_z > 0)) {
        complain_of_body(make, place, "a given section needs area, along_y and along_z");
      }
      return (flg_beam_section){
          keys->area, keys->along_y, keys->along_z,
          isnan(keys->torsion) ? keys->along_y + keys->along_z : keys->torsion};
  }
}

static flg_beam_piece piece_of(const making *make, const flg_beam_section_keys *section,
                               double length, double young, double shear, double density) {
  if (!(young > 0))
    complain_of_body(make, make->keys->origin.place, "a beam needs young, its modulus");
  return (flg_beam_piece){.length = length,
                          .section = section_of(make, section),
                          .young = young,
                          .shear = flg_given_or(shear, young / (2 * (1 + POISSON))),
                          .density = density};
}

static double span_of(const flg_flexible_keys *keys) {
  return flg_vec3_norm(flg_vec3_subtract(flg_vec3_load(keys->end), flg_vec3_load(keys->start)));
}

/* the pieces of the beam, densities still NaN where they are not given */
static flg_beam_piece *flexible_pieces_of(const making *make, int *count) {
  const flg_flexible_keys *keys = make->keys;
  const flg_beam_piece_keys *parts = keys->pieces.items;
  *count = keys->pieces.count > 0 ? keys->pieces.count : 1;
  flg_beam_piece *pieces = flg_region_take(make->region, (size_t)*count, sizeof *pieces);
  if (pieces == NULL) return NULL;
  if (keys->pieces.count == 0) {
    pieces[0] =
        piece_of(make, &keys->section, span_of(keys), keys->young, keys->shear, keys->density);
    return pieces;
  }
  double sum = 0;
  for (int k = 0; k < *count; k++) {
    const flg_beam_piece_keys *part = &parts[k];
    pieces[k] = piece_of(make, &part->section, part->length, flg_given_or(part->young, keys->young),
                         flg_given_or(part->shear, keys->shear),
                         flg_given_or(part->density, keys->density));
    sum += part->length;
  }
  if (!(fabs(sum - span_of(keys)) <= 1e-6 * span_of(keys))) {
    flg_mistake_add(make->mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "flexible body '%s': its pieces are %g m long together, but start and end are "
                    "%g m apart",
                    make->body->name, sum, span_of(keys));
  }
  for (int k = 0; k < *count; k++) pieces[k].length *= span_of(keys) / sum;
  return pieces;
}

/* Densities that are not given make up the mass of the body. */
static void fit_density(const making *make, flg_beam_piece *pieces, int count) {
  double known = 0, volume = 0;
  for (int k = 0; k < count; k++) {
    const double own = pieces[k].section.area * pieces[k].length;
    if (isnan(pieces[k].density)) {
      volume += own;
    } else {
      known += pieces[k].density * own;
    }
  }
  const double mass = make->body->mass;
  if (volume > 0 && !(mass > known)) {
    complain_of_body(make, make->keys->origin.place, "a beam needs a density, or the body a mass");
  }
  for (int k = 0; k < count; k++) {
    if (isnan(pieces[k].density)) pieces[k].density = (mass - known) / volume;
  }
  const double sum = volume > 0 ? mass : known;
  if (mass > 0 && !(fabs(sum - mass) <= SAME_MASS * mass)) {
    flg_mistake_add(make->mistakes, FLG_ERR_PHYSICS, make->keys->origin.place,
                    "flexible body '%s': its beam weighs %g kg, but the body %g kg; leave out the "
                    "density, or make them agree",
                    make->body->name, sum, mass);
  }
}

/* x, y or z, that is least along the axis */
static flg_vec3 any_side(flg_vec3 axis) {
  const double x = fabs(axis.x), y = fabs(axis.y), z = fabs(axis.z);
  if (y <= x && y <= z) return (flg_vec3){0, 1, 0};
  return z <= x ? (flg_vec3){0, 0, 1} : (flg_vec3){1, 0, 0};
}

enum { NUMBER_MOST = 1000 }; /* integrals take time by it */

static flg_beam_mode *modes_of(const making *make) {
  const flg_items *items = &make->keys->shapes;
  const flg_beam_mode_keys *keys = items->items;
  flg_beam_mode *modes = flg_region_take(make->region, (size_t)items->count, sizeof *modes);
  for (int k = 0; modes != NULL && k < items->count; k++) {
    const bool is_own = keys[k].polynomial.count > 0;
    if (!is_own && keys[k].number < 1) {
      complain_of_body(make, keys[k].origin.place,
                       "a shape needs its polynomial, or the number (from 1 on) of a function");
    } else if (!is_own && keys[k].number > NUMBER_MOST) {
      complain_of_body(make, keys[k].origin.place, "the number of a function is at most 1000");
    }
    modes[k] =
        (flg_beam_mode){.motion = (flg_beam_motion)keys[k].motion,
                        .family = is_own ? FLG_BEAM_POLYNOMIAL : (flg_beam_ends)keys[k].family,
                        .number = keys[k].number,
                        .weights = is_own ? keys[k].polynomial.values : NULL,
                        .count = keys[k].polynomial.count};
  }
  return modes;
}

/* Numbers out of range have been reported when the key was read; their sum would overflow. */
static int take_count(const making *make, const char *what, double value) {
  if (!(value >= 0 && value <= MODES_MOST)) return 0;
  if (value != floor(value)) {
    flg_mistake_add(make->mistakes, FLG_ERR_RANGE, make->keys->origin.place,
                    "flexible body '%s': %s is a whole number of modes, and not %g",
                    make->body->name, what, value);
  }
  return (int)value;
}

static void count_motions(const making *make, int counts[FLG_BEAM_MOTION_COUNT]) {
  const flg_flexible_keys *keys = make->keys;
  const flg_numbers *bending = &keys->bending;
  if (bending->count > 2) {
    complain_of_body(make, keys->origin.place,
                     "bending takes modes along y, and along z if they differ");
  } else if (bending->count > 0) {
    counts[FLG_BEAM_ALONG_Y] = take_count(make, "bending", bending->values[0]);
    counts[FLG_BEAM_ALONG_Z] = bending->count < 2 ? counts[FLG_BEAM_ALONG_Y]
                                                  : take_count(make, "bending", bending->values[1]);
  }
  counts[FLG_BEAM_TWIST] = take_count(make, "twist", keys->twist);
  counts[FLG_BEAM_AXIAL] = take_count(make, "axial", keys->axial);
}

static flg_beam beam_of(const making *make) {
  const flg_flexible_keys *keys = make->keys;
  flg_beam beam = {.start = flg_vec3_load(keys->start),
                   .end = flg_vec3_load(keys->end),
                   .ends = (flg_beam_ends)keys->ends,
                   .own_count = keys->shapes.count,
                   .own = modes_of(make),
                   .stiffens = keys->stiffening,
                   .rotary = keys->rotary};
  const flg_vec3 span = flg_vec3_subtract(beam.end, beam.start);
  beam.side = isnan(keys->side[0]) ? any_side(span) : flg_vec3_load(keys->side);
  if (!(flg_vec3_norm(span) > 0)) {
    complain_of_body(make, keys->origin.place, "a beam needs its end, away from its start");
  } else if (!(flg_vec3_norm(flg_vec3_cross(span, beam.side)) >
               1e-6 * flg_vec3_norm(span) * flg_vec3_norm(beam.side))) {
    complain_of_body(make, keys->origin.place, "side has to point away from the axis of the beam");
  }
  count_motions(make, beam.counts);
  return beam;
}

static int count_modes(const flg_beam *beam) {
  int count = beam->own_count;
  for (int k = 0; k < FLG_BEAM_MOTION_COUNT; k++) count += beam->counts[k];
  return count;
}

static void make_beam(const making *make) {
  const int before = make->mistakes->count;
  flg_beam beam = beam_of(make);
  flg_beam_piece *pieces = flexible_pieces_of(make, &beam.piece_count);
  if (pieces == NULL || make->mistakes->count > before) return;
  fit_density(make, pieces, beam.piece_count);
  beam.pieces = pieces;
  const int modes = count_modes(&beam);
  if (modes < 1 || modes > MODES_MOST) {
    complain_of_body(make, make->keys->origin.place,
                     "it needs modes, 64 at most: bending, twist, axial or "
                     "shapes");
  }
  if (make->mistakes->count > before) return;
  if (flg_beam_build(&beam, make->modal, make->region) == FLG_ERR_PHYSICS) {
    complain_of_body(make, make->keys->origin.place,
                     "its modes are not independent: two of them are the same motion");
  }
}

/* --- nodes --------------------------------------------------------------------------------------
 */

/* n numbers for a diagonal, or n x n */
static bool take_matrix(const making *make, const char *what, const flg_numbers *from, double *to) {
  const int n = make->modal->modes;
  if (from->count != n && from->count != n * n) {
    flg_mistake_add(make->mistakes, FLG_ERR_INPUT, make->keys->origin.place,
                    "flexible body '%s': %s has %d numbers, expected %d (a diagonal) or %d, since "
                    "its nodes have %d modes",
                    make->body->name, what, from->count, n, n * n, n);
    return false;
  }
  const bool is_full = from->count == n * n && n > 1;
  double largest = 0, skew = 0;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      to[i + n * j] = is_full ? from->values[i + n * j] : i == j ? from->values[i] : 0;
      largest = flg_larger(largest, fabs(to[i + n * j]));
      if (i < j) continue;
      if (is_full) skew = flg_larger(skew, fabs(from->values[i + n * j] - from->values[j + n * i]));
    }
  }
  if (skew <= ROUNDING * largest) return true;
  flg_mistake_add(make->mistakes, FLG_ERR_PHYSICS, make->keys->origin.place,
                  "flexible body '%s': %s is not symmetric", make->body->name, what);
  return false;
}

static void add_nodes(const making *make, flg_modal_node *nodes) {
  const flg_modal_node_keys *keys = make->keys->nodes.items;
  const int n = make->modal->modes;
  flg_vec3 *linear = flg_region_take(make->region, (size_t)n, sizeof *linear);
  for (int k = 0; linear != NULL && k < make->keys->nodes.count; k++) {
    if (keys[k].shapes.count != 6 * n) {
      flg_mistake_add(make->mistakes, FLG_ERR_INPUT, keys[k].origin.place,
                      "shapes: this node has %d numbers, the first %d; each mode has six: a "
                      "displacement and a turn",
                      keys[k].shapes.count, 6 * n);
      return;
    }
    flg_spatial *shapes = flg_region_take(make->region, (size_t)n, sizeof *shapes);
    if (shapes == NULL) return;
    for (int m = 0; m < n; m++) {
      shapes[m] = flg_spatial_load(keys[k].shapes.values + 6 * (size_t)m);
      linear[m] = shapes[m].linear;
    }
    nodes[k] = (flg_modal_node){flg_vec3_load(keys[k].at), keys[k].mass, shapes};
    flg_modal_add_point(make->modal, keys[k].mass, nodes[k].position, linear, NULL);
  }
}

static void flexible_make_nodes(const making *make) {
  const flg_flexible_keys *keys = make->keys;
  const flg_modal_node_keys *first = keys->nodes.items;
  const int count = keys->nodes.count, modes = first->shapes.count / 6,
            before = make->mistakes->count;
  if (modes < 1 || modes > MODES_MOST) {
    complain_of_body(
        make, first->origin.place,
        "shapes of a node need six numbers a mode, a displacement and a turn; 64 modes at most");
    return;
  }
  flg_modal_node *nodes = flg_region_take(make->region, (size_t)count, sizeof *nodes);
  if (nodes == NULL || !flg_modal_build(make->modal, modes, make->region)) return;
  add_nodes(make, nodes);
  if (make->mistakes->count > before) return;
  make->modal->nodes = nodes, make->modal->node_count = count;
  if (!take_matrix(make, "stiffness", &keys->stiffness_matrix, make->modal->stiffness)) return;
  if (keys->mass_matrix.count > 0) {
    (void)take_matrix(make, "mass", &keys->mass_matrix, make->modal->mass);
  }
  if (keys->damping_matrix.count > 0) {
    (void)take_matrix(make, "damping_matrix", &keys->damping_matrix, make->modal->damping);
  }
  double *frequencies = flg_region_take(make->region, (size_t)modes, sizeof *frequencies);
  if (frequencies == NULL || make->mistakes->count > before) return;
  if (flg_modal_frequencies(make->modal, frequencies, make->region) == FLG_ERR_PHYSICS) {
    complain_of_body(make, keys->origin.place, "its mass matrix is not positive definite");
  }
}

/* --- the body -----------------------------------------------------------------------------------
 */

/* A body without mass gets that of its beam or nodes. */
static void take_mass(const making *make) {
  const flg_inertia *rigid = &make->modal->rigid;
  flg_body *body = make->body;
  if (body->mass > 0) return;
  body->mass = rigid->mass;
  body->centre = flg_vec3_scale(rigid->moment, 1 / rigid->mass);
  const flg_inertia point = flg_inertia_from_centre(body->mass, body->centre, (flg_sym3){0});
  body->inertia = flg_sym3_add_scaled(rigid->rotation, -1, point.rotation);
}

static void damp(const making *make) {
  const flg_flexible_keys *keys = make->keys;
  if (keys->damping > 0) (void)flg_modal_damp(make->modal, keys->damping, make->region);
  if (!isnan(keys->rayleigh[0])) {
    flg_modal_damp_rayleigh(make->modal, keys->rayleigh[0], keys->rayleigh[1]);
  }
}

/* its modes are found by LAPACK */
static bool has_lapack(const making *make) {
  flg_error error;
  const flg_status status = flg_lapack_open(&error);
  if (status == FLG_OK) return true;
  flg_mistake_add(make->mistakes, status, make->keys->origin.place, "flexible body '%s': %s",
                  make->body->name, error.message);
  return false;
}

void flg_flexible_apply(const flg_flexible_keys *keys, flg_body *body, flg_region *region,
                        flg_mistakes *mistakes) {
  const int before = mistakes->count;
  const making make = {keys, body, region, mistakes,
                       flg_region_take(region, 1, sizeof(flg_modal_body))};
  if (make.modal == NULL || !has_lapack(&make)) return;
  if (keys->file != NULL) {
    complain_of_body(&make, keys->origin.place,
                     "file: it can be named in the model of the robot and in a scenario, not here");
    return;
  }
  if (keys->nodes.count > 0) {
    flexible_make_nodes(&make);
  } else {
    make_beam(&make);
  }
  if (mistakes->count > before || region->failed) return;
  damp(&make);
  take_mass(&make);
  body->flexible = make.modal;
  flg_flexible_keys *said = flg_region_take(region, 1, sizeof *said);
  if (said != NULL) *said = *keys;
  body->said = said;
}

static int flexible_find_body(const flg_model *model, const flg_origin *name,
                              flg_mistakes *mistakes) {
  const int body = FLG_SEEK(&model->body_names, model->bodies, model->body_count, name->name);
  if (body >= 0) return body;
  flg_closest closest = flg_closest_while_listed(name->name, mistakes);
  FLG_OFFER(&closest, model->bodies, model->body_count);
  char hint[FLG_HINT_TEXT];
  flg_mistake_add(mistakes, FLG_ERR_INPUT, name->place, "flexible: the model has no body '%s'%s",
                  name->name, flg_closest_text(&closest, hint));
  return -1;
}

void flg_flexible_overlay(const flg_items *items, flg_model *model, flg_region *region,
                          flg_mistakes *mistakes) {
  if (items->count == 0) return;
  const flg_flexible_keys *keys = items->items;
  flg_body *bodies = flg_region_take(region, (size_t)model->body_count, sizeof *bodies);
  if (bodies == NULL) return;
  memcpy(bodies, model->bodies, (size_t)model->body_count * sizeof *bodies);
  model->bodies = bodies;
  for (int k = 0; k < items->count; k++) {
    const int body = flexible_find_body(model, &keys[k].origin, mistakes);
    if (body >= 0) flg_flexible_apply(&keys[k], &bodies[body], region, mistakes);
  }
  flg_model_check_flexible(model, mistakes);
}
