#include "model/beam.h"

#include <math.h>
#include <string.h>

#include "math/eigenpairs.h"

static const double PI = 3.14159265358979323846;

/* --- sections -----------------------------------------------------------------------------------
 */

flg_beam_section flg_beam_circle(double diameter) {
  return flg_beam_tube(diameter, 0.5 * diameter);
}

flg_beam_section flg_beam_tube(double diameter, double wall) {
  const double inner = diameter - 2 * wall;
  /* A round section has the same second moment about every diameter; torsion is twice that. */
  const double second = PI / 64 * (pow(diameter, 4) - pow(inner, 4));
  return (flg_beam_section){.area = PI / 4 * (diameter * diameter - inner * inner),
                            .along_y = second,
                            .along_z = second,
                            .torsion = 2 * second};
}

/* Torsion of a rectangle a by b, a the longer (Roark): within 0.5 %. */
flg_beam_section flg_beam_rectangle(double y, double z) {
  const double a = fmax(y, z), b = fmin(y, z), slim = b / a;
  return (flg_beam_section){
      .area = y * z,
      .along_y = y * y * y * z / 12,
      .along_z = y * z * z * z / 12,
      .torsion = a * b * b * b * (1. / 3 - 0.21 * slim * (1 - slim * slim * slim * slim / 12))};
}

/* --- modes along the axis -----------------------------------------------------------------------
 */

static bool motion_bends(flg_beam_motion motion) {
  return motion == FLG_BEAM_ALONG_Y || motion == FLG_BEAM_ALONG_Z;
}

/* at x [m], derivatives by x */
static flg_beam_value beam_value_of(const flg_beam_mode *mode, double length, double x) {
  const bool is_bent = motion_bends(mode->motion);
  flg_beam_value sum = {0};
  if (mode->weights == NULL) {
    sum = flg_beam_function(mode->family, mode->number, is_bent, x / length);
  }
  /* Polynomials are numbered from x^0 on, vibration shapes from the first. */
  const int first = mode->family == FLG_BEAM_POLYNOMIAL ? 0 : 1;
  for (int k = 0; mode->weights != NULL && k < mode->count; k++) {
    const flg_beam_value part = flg_beam_function(mode->family, first + k, is_bent, x / length);
    sum.value += mode->weights[k] * part.value;
    sum.slope += mode->weights[k] * part.slope;
    sum.curvature += mode->weights[k] * part.curvature;
  }
  return (flg_beam_value){sum.value, sum.slope / length, sum.curvature / (length * length)};
}

/* The displacement and turn of a section, in the body's axes: a slope along y turns about z, one
 * along z about -y. */
static flg_spatial beam_shape_of(const flg_beam_line *line, const flg_beam_mode *mode,
                                 flg_beam_value at) {
  const flg_vec3 x = flg_mat3_column(&line->axes, 0), y = flg_mat3_column(&line->axes, 1),
                 z = flg_mat3_column(&line->axes, 2);
  switch (mode->motion) {
    case FLG_BEAM_ALONG_Y:
      return (flg_spatial){flg_vec3_scale(y, at.value), flg_vec3_scale(z, at.slope)};
    case FLG_BEAM_ALONG_Z:
      return (flg_spatial){flg_vec3_scale(z, at.value), flg_vec3_scale(y, -at.slope)};
    case FLG_BEAM_TWIST:
      return (flg_spatial){.angular = flg_vec3_scale(x, at.value)};
    case FLG_BEAM_AXIAL:
    case FLG_BEAM_MOTION_COUNT:
    default:
      return (flg_spatial){.linear = flg_vec3_scale(x, at.value)};
  }
}

/* --- sums along the axis ------------------------------------------------------------------------
 * Gauss points in panels, so many that the fastest function has several of them to a wave.
 */

enum { GAUSS_POINTS = 8, EXTRA_FUNCTIONS = 12 };
static const double GAUSS_AT[GAUSS_POINTS] = {
    0.019855071751231884, 0.10166676129318663, 0.2372337950418355, 0.4082826787521751,
    0.5917173212478249,   0.7627662049581645,  0.8983332387068134, 0.9801449282487681};
static const double GAUSS_WEIGHT[GAUSS_POINTS] = {
    0.05061426814518813, 0.11119051722668724, 0.15685332293894363, 0.1813418916891810,
    0.1813418916891810,  0.15685332293894363, 0.11119051722668724, 0.05061426814518813};

/* in a length [m] of the axis */
static int panels_in(const flg_beam_line *line, double length) {
  int fastest = 1;
  for (int k = 0; k < line->mode_count; k++) {
    const flg_beam_mode *mode = &line->modes[k];
    const int number = mode->weights != NULL ? mode->count : mode->number;
    if (number > fastest) fastest = number;
  }
  /* Two panels of eight points to a half wave: products of two such functions are summed to
   * rounding. */
  return 1 + (int)(length / line->length * 2 * (2 + fastest));
}

flg_vec3 flg_beam_station(const flg_beam_line *line, flg_vec3 point) {
  const flg_vec3 along = flg_mat3_column(&line->axes, 0);
  const double x = flg_vec3_dot(along, flg_vec3_subtract(point, line->start));
  return flg_vec3_add_scaled(line->start, fmin(fmax(x, 0), line->length), along);
}

/* Slopes of a mode at the Gauss points between two places. */
static void slopes_of(const flg_beam_line *line, const flg_beam_mode *mode, double from, double to,
                      double slopes[GAUSS_POINTS]) {
  for (int g = 0; g < GAUSS_POINTS; g++) {
    const double x = from + (to - from) * GAUSS_AT[g];
    slopes[g] = beam_value_of(mode, line->length, x).slope;
  }
}

static double sum_of_products(const double a[GAUSS_POINTS], const double b[GAUSS_POINTS]) {
  double sum = 0;
  for (int g = 0; g < GAUSS_POINTS; g++) sum += GAUSS_WEIGHT[g] * a[g] * b[g];
  return sum;
}

/* How far the sections are drawn in from one place to another, -integral of the slopes' products
 * along the axis, added to pairs (modes x modes). */
static void draw_in(const flg_beam_line *line, double from, double to, flg_vec3 *pairs) {
  const int n = line->mode_count;
  const flg_vec3 along = flg_mat3_column(&line->axes, 0);
  double a[GAUSS_POINTS], b[GAUSS_POINTS];
  for (int k = 0; k < n; k++) {
    if (!motion_bends(line->modes[k].motion)) continue;
    slopes_of(line, &line->modes[k], from, to, a);
    for (int j = 0; j <= k; j++) {
      flg_vec3 *pair = &pairs[k + n * j], *swapped = &pairs[j + n * k];
      /* Bending along y and z is orthogonal: products of their slopes draw no section in. */
      if (line->modes[j].motion != line->modes[k].motion) continue;
      if (j < k) slopes_of(line, &line->modes[j], from, to, b);
      const double *other = j < k ? b : a;
      *pair = flg_vec3_add_scaled(*pair, -sum_of_products(a, other) * (to - from), along);
      if (j == k) continue;
      *swapped = flg_vec3_add_scaled(*swapped, -sum_of_products(b, a) * (to - from), along);
    }
  }
}

void flg_beam_shapes(const flg_beam_line *line, flg_vec3 station, flg_spatial *shapes,
                     flg_vec3 *pairs) {
  const flg_vec3 along = flg_mat3_column(&line->axes, 0);
  const double x = flg_vec3_dot(along, flg_vec3_subtract(station, line->start));
  const int panels = panels_in(line, x);
  for (int k = 0; k < line->mode_count; k++) {
    shapes[k] =
        beam_shape_of(line, &line->modes[k], beam_value_of(&line->modes[k], line->length, x));
  }
  /* pairs add up from the start of the beam: sections further out are drawn in by all before
   * them. */
  for (int p = 0; line->stiffens && p < panels; p++) {
    draw_in(line, x * p / panels, x * (p + 1) / panels, pairs);
  }
}

/* --- the body -----------------------------------------------------------------------------------
 */

/* Work space of the sums at one place. */
typedef struct place {
  flg_beam_value *values;  /* (modes) */
  flg_vec3 *shapes;        /* (modes) */
  flg_vec3 *drawn, *pairs; /* (modes x modes) drawn in up to the panel, and up to the place */
} place;

/* How a mode turns a section against its own inertia. */
static flg_vec3 section_turn(const flg_beam_line *line, const flg_beam_mode *mode,
                             flg_beam_value at) {
  const bool counts =
      mode->motion == FLG_BEAM_TWIST || (line->rotary && motion_bends(mode->motion));
  return counts ? beam_shape_of(line, mode, at).angular : (flg_vec3){0};
}

/* The section's own inertia while it turns with the frame and by its modes. */
static void add_section(const flg_beam_line *line, const flg_beam_piece *piece, double length,
                        const place *at, flg_modal_body *body) {
  const int n = line->mode_count;
  const double y = piece->density * piece->section.along_y * length,
               z = piece->density * piece->section.along_z * length;
  /* A thin slice: about its own axis the polar moment, about the others the moments of area. */
  const flg_sym3 own = flg_sym3_rotate((flg_sym3){.xx = y + z, .yy = z, .zz = y}, &line->axes);
  body->rigid.rotation = flg_sym3_add(body->rigid.rotation, own);
  for (int k = 0; k < n; k++) {
    const flg_vec3 spin = flg_sym3_apply(own, section_turn(line, &line->modes[k], at->values[k]));
    body->swing[k] = flg_vec3_add(body->swing[k], spin);
    for (int j = 0; j < n; j++) {
      body->mass[k + n * j] +=
          flg_vec3_dot(spin, section_turn(line, &line->modes[j], at->values[j]));
    }
  }
}

static void add_stiffness(const flg_beam_line *line, const flg_beam_piece *piece, double length,
                          const place *at, flg_modal_body *body) {
  const flg_beam_section *section = &piece->section;
  const double stiffness[FLG_BEAM_MOTION_COUNT] = {
      [FLG_BEAM_ALONG_Y] = piece->young * section->along_y,
      [FLG_BEAM_ALONG_Z] = piece->young * section->along_z,
      [FLG_BEAM_TWIST] = piece->shear * section->torsion,
      [FLG_BEAM_AXIAL] = piece->young * section->area};
  const int n = line->mode_count;
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < n; j++) {
      const flg_beam_motion motion = line->modes[k].motion;
      if (line->modes[j].motion != motion || motion >= FLG_BEAM_MOTION_COUNT) continue;
      const flg_beam_value *a = &at->values[k], *b = &at->values[j];
      /* Bending stores energy by its curvature, torsion and stretch by their slope. */
      const double product =
          motion_bends(motion) ? a->curvature * b->curvature : a->slope * b->slope;
      body->stiffness[k + n * j] += length * stiffness[motion] * product;
    }
  }
}

static void add_place(const flg_beam_line *line, const flg_beam_piece *piece, double x,
                      double length, place *at, flg_modal_body *body) {
  for (int k = 0; k < line->mode_count; k++) {
    at->values[k] = beam_value_of(&line->modes[k], line->length, x);
    at->shapes[k] = beam_shape_of(line, &line->modes[k], at->values[k]).linear;
  }
  const flg_vec3 s = flg_vec3_add_scaled(line->start, x, flg_mat3_column(&line->axes, 0));
  const double mass = piece->density * piece->section.area * length;
  flg_modal_add_point(body, mass, s, at->shapes, line->stiffens ? at->pairs : NULL);
  add_section(line, piece, length, at, body);
  add_stiffness(line, piece, length, at, body);
}

static void add_panel(const flg_beam_line *line, const flg_beam_piece *piece, double from,
                      double to, place *at, flg_modal_body *body) {
  const size_t n = (size_t)line->mode_count;
  for (int g = 0; g < GAUSS_POINTS; g++) {
    const double x = from + (to - from) * GAUSS_AT[g];
    memcpy(at->pairs, at->drawn, n * n * sizeof *at->pairs);
    if (line->stiffens) draw_in(line, from, x, at->pairs);
    add_place(line, piece, x, (to - from) * GAUSS_WEIGHT[g], at, body);
  }
  if (line->stiffens) draw_in(line, from, to, at->drawn);
}

static bool sum_up(const flg_beam_line *line, const flg_beam *beam, flg_modal_body *body,
                   flg_region *region) {
  const size_t n = (size_t)line->mode_count;
  place at = {.values = flg_region_take(region, n, sizeof *at.values),
              .shapes = flg_region_take(region, n, sizeof *at.shapes),
              .pairs = flg_region_take(region, n * n, sizeof *at.pairs),
              .drawn = flg_region_take(region, n * n, sizeof *at.drawn)};
  if (region->failed) return false;
  double start = 0;
  for (int k = 0; k < beam->piece_count; k++) {
    const flg_beam_piece *piece = &beam->pieces[k];
    const int panels = panels_in(line, piece->length);
    for (int p = 0; p < panels; p++) {
      const double from = start + piece->length * p / panels,
                   to = start + piece->length * (p + 1) / panels;
      add_panel(line, piece, from, to, &at, body);
    }
    start += piece->length;
  }
  return true;
}

/* --- which modes --------------------------------------------------------------------------------
 */

static flg_beam_line line_of_beam(const flg_beam *beam) {
  const flg_vec3 span = flg_vec3_subtract(beam->end, beam->start);
  const flg_vec3 x = flg_vec3_normalise(span);
  /* Only the part of `side` across the beam counts: users need not give it perpendicular. */
  const flg_vec3 y =
      flg_vec3_normalise(flg_vec3_add_scaled(beam->side, -flg_vec3_dot(beam->side, x), x));
  return (flg_beam_line){.start = beam->start,
                         .axes = flg_mat3_from_columns(x, y, flg_vec3_cross(x, y)),
                         .length = flg_vec3_norm(span),
                         .stiffens = beam->stiffens,
                         .rotary = beam->rotary};
}

static int mode_count(const flg_beam *beam) {
  int count = beam->own_count;
  for (int m = 0; m < FLG_BEAM_MOTION_COUNT; m++) count += beam->counts[m];
  return count;
}

/* x times the inverse of its largest element in size */
static void scale_to_one(int count, double *x) {
  double largest = 0;
  for (int k = 0; k < count; k++) {
    if (fabs(x[k]) > fabs(largest)) largest = x[k];
  }
  for (int k = 0; k < count; k++) x[k] /= largest;
}

/* The lowest modes of one motion that the first functions of the family can form. */
static flg_status form_modes(const flg_beam *beam, flg_beam_motion motion, flg_beam_mode *modes,
                             flg_region *region) {
  const int count = beam->counts[motion], n = count + EXTRA_FUNCTIONS;
  flg_beam_mode *functions = flg_region_take(region, (size_t)n, sizeof *functions);
  double *squares = flg_region_take(region, (size_t)n, sizeof *squares);
  flg_beam_line line = line_of_beam(beam);
  flg_modal_body body;
  if (!flg_modal_build(&body, n, region)) return FLG_ERR_MEMORY;
  for (int k = 0; k < n; k++) {
    functions[k] = (flg_beam_mode){.motion = motion, .family = beam->ends, .number = k + 1};
  }
  /* Frequencies are those of small vibrations, in which sections are not drawn in. */
  line.modes = functions, line.mode_count = n, line.stiffens = false;
  if (!sum_up(&line, beam, &body, region)) return FLG_ERR_MEMORY;
  const flg_status status = flg_eigenpairs(n, body.stiffness, body.mass, squares);
  if (status != FLG_OK) return status == FLG_ERR_DIVERGED ? FLG_ERR_PHYSICS : status;
  for (int k = 0; k < count; k++) {
    double *weights = body.stiffness + (size_t)k * (size_t)n;
    scale_to_one(n, weights);
    modes[k] = (flg_beam_mode){
        .motion = motion, .family = beam->ends, .number = k + 1, .weights = weights, .count = n};
  }
  return FLG_OK;
}

static flg_status choose_modes(const flg_beam *beam, flg_beam_mode *modes, flg_region *region) {
  for (int m = 0; m < FLG_BEAM_MOTION_COUNT; m++) {
    const flg_beam_motion motion = (flg_beam_motion)m;
    /* A uniform beam vibrates in the functions of its family themselves. */
    if (beam->counts[m] > 0 && beam->piece_count > 1) {
      const flg_status status = form_modes(beam, motion, modes, region);
      if (status != FLG_OK) return status;
    } else {
      for (int k = 0; k < beam->counts[m]; k++) {
        modes[k] = (flg_beam_mode){.motion = motion, .family = beam->ends, .number = k + 1};
      }
    }
    modes += beam->counts[m];
  }
  for (int k = 0; k < beam->own_count; k++) modes[k] = beam->own[k];
  return FLG_OK;
}

/* M has to be positive definite: modes that say the same twice are not. */
static flg_status check_modes(const flg_modal_body *body, flg_region *region) {
  double *frequencies = flg_region_take(region, (size_t)body->modes, sizeof *frequencies);
  if (frequencies == NULL) return FLG_ERR_MEMORY;
  return flg_modal_frequencies(body, frequencies, region);
}

flg_status flg_beam_build(const flg_beam *beam, flg_modal_body *body, flg_region *region) {
  const int n = mode_count(beam);
  flg_beam_line *line = flg_region_take(region, 1, sizeof *line);
  flg_beam_mode *modes = flg_region_take(region, (size_t)n, sizeof *modes);
  if (line == NULL || modes == NULL || !flg_modal_build(body, n, region)) return FLG_ERR_MEMORY;
  const flg_status status = choose_modes(beam, modes, region);
  if (status != FLG_OK) return status;
  *line = line_of_beam(beam);
  line->modes = modes, line->mode_count = n;
  if (!sum_up(line, beam, body, region)) return FLG_ERR_MEMORY;
  body->line = line;
  body->stiffens = beam->stiffens;
  return check_modes(body, region);
}
