/* beam.h - straight Euler-Bernoulli beams, made into flexible bodies.
 *
 * The axis runs from start to end in the body's frame; y is the direction of `side` perpendicular
 * to it, z completes them. The beam bends along y and along z, twists, and stretches, each in as
 * many modes as asked for. Pieces of constant section follow each other from start to end.
 *
 *     uniform beam        its modes are those of beam_shape.h, exactly
 *     several pieces      the lowest modes that twelve more functions of beam_shape.h can form
 *                         (Ritz): frequencies come out a little too high, never too low
 *     own functions       are taken as they are
 *
 * The rotary inertia of sections counts in the motion of the frame and in twist, and where it is
 * asked for in bending (Rayleigh): frequencies are then a little lower than those of Euler and
 * Bernoulli, by about (w r/c)^2/2 with the radius of gyration r and the speed of sound c.
 */
#ifndef FLG_BEAM_H
#define FLG_BEAM_H

#include "model/beam_shape.h"
#include "model/modal.h"

/* Of a section, about its centre. */
typedef struct flg_beam_section {
  double area;    /* [m^2] */
  double along_y; /* integral of y^2 dA: resists bending along y [m^4] */
  double along_z; /* of z^2 dA [m^4] */
  double torsion; /* torsion constant [m^4] */
} flg_beam_section;

typedef struct flg_beam_piece {
  double length; /* [m] */
  flg_beam_section section;
  double young, shear; /* moduli [Pa] */
  double density;      /* [kg/m^3] */
} flg_beam_piece;

typedef enum flg_beam_motion {
  FLG_BEAM_ALONG_Y,
  FLG_BEAM_ALONG_Z,
  FLG_BEAM_TWIST,
  FLG_BEAM_AXIAL,
  FLG_BEAM_MOTION_COUNT
} flg_beam_motion;

/* A mode: one function of its family, or a sum of the first `count` with weights. */
typedef struct flg_beam_mode {
  flg_beam_motion motion;
  flg_beam_ends family;
  int number;            /* without weights */
  const double *weights; /* NULL: none; of x^0, x^1, .. if a polynomial */
  int count;
} flg_beam_mode;

typedef struct flg_beam {
  flg_vec3 start, end, side;
  const flg_beam_piece *pieces; /* (piece_count); their lengths add up to that of the axis */
  int piece_count;
  flg_beam_ends ends;                /* not polynomial */
  int counts[FLG_BEAM_MOTION_COUNT]; /* of modes */
  const flg_beam_mode *own;          /* (own_count) in addition, after these; borrowed */
  int own_count;
  bool stiffens; /* bending draws the sections in */
  bool rotary;   /* sections resist being turned by bending */
} flg_beam;

/* The data of its beam in a built body. */
struct flg_beam_line {
  flg_vec3 start;
  flg_mat3 axes; /* columns: along, y, z */
  double length;
  int mode_count;
  const flg_beam_mode *modes; /* (mode_count) */
  bool stiffens, rotary;
};

/* The frame at the end of the beam, while it is straight: axes of its body. */
static inline flg_pose flg_beam_line_end(const flg_beam_line *line) {
  const flg_vec3 along = flg_mat3_column(&line->axes, 0);
  return (flg_pose){flg_mat3_identity(), flg_vec3_add_scaled(line->start, line->length, along)};
}

/* The second moments of usual sections; a tube of the given wall. A rectangle is y by z. */
flg_beam_section flg_beam_circle(double diameter);
flg_beam_section flg_beam_tube(double diameter, double wall);
flg_beam_section flg_beam_rectangle(double y, double z);

/* Set-up: the flexible body of a beam, without damping. FLG_ERR_PHYSICS if its modes are not
 * independent. */
flg_status flg_beam_build(const flg_beam *beam, flg_modal_body *body, flg_region *region);

/* Set-up: for modal.h. */
flg_vec3 flg_beam_station(const flg_beam_line *line, flg_vec3 point);
void flg_beam_shapes(const flg_beam_line *line, flg_vec3 station, flg_spatial *shapes,
                     flg_vec3 *pairs);

#endif
