/* flexible.h - bodies that bend, twist and stretch, in small deformations (docs/flexible.md).
 *
 *     flg_flexible_options beam = flg_flexible_default();
 *     beam.end[0] = 1, beam.end[1] = beam.end[2] = 0;
 *     beam.section_kind = "tube", beam.section_diameter = 0.04, beam.section_wall = 0.002;
 *     beam.young = 70e9, beam.bending = (flg_number_list){2, (double[]){2, 2}};
 *     flg_define_flexible(robot, "upper", &beam, &error);
 *
 * A flexible body is a beam of one section or of pieces, with the modes of its ends or functions of your own; or nodes
 * of a reduced finite-element model. In all functions `body` is the name of a body; ROBOT/BODY for a robot inside of a
 * component, SUBSYSTEM/BODY in a system. How options work: flange/mechanism.h.
 */
#ifndef FLG_FLEXIBLE_H
#define FLG_FLEXIBLE_H

#include "flange/mechanism.h"

/* A body that deforms. */
typedef struct flg_flexible_options {
  size_t size;                           /* of this struct */
  const char *file;                      /* with the other keys, in their place */
  double start[3], end[3];               /* the axis of the beam, in the body's frame [m] */
  double side[3];                        /* direction of y of its section */
  const char *section_kind;              /* "circle", "tube", "rectangle", "given" */
  double section_diameter, section_wall; /* of a circle or tube, outside; of a tube [m] */
  double section_size[2], section_area;  /* of a rectangle, along y and z [m]; of a given one [m^2] */
  double section_along_y, section_along_z, section_torsion; /* of a given one [m^4] */
  double young, shear, density;                             /* moduli [Pa]; [kg/m^3] */
  const char *ends;                     /* of the modes: "clamped-free", "pinned-pinned", "free-free", ... */
  flg_number_list bending;              /* modes along y and z, or one number for both */
  int twist, axial;                     /* modes */
  double damping, rayleigh[2];          /* share of critical damping, of every mode; by mass and stiffness [1/s, s] */
  flg_switch stiffening, rotary;        /* a bent beam draws its end in; sections resist being turned */
  flg_number_list stiffness;            /* of modes of nodes: a diagonal, or the symmetric matrix */
  flg_number_list mass, damping_matrix; /* likewise; the mass: a sum over the nodes if not given */
} flg_flexible_options;

/* A piece of a beam with one section, as those of flg_flexible_options. */
typedef struct flg_piece_options {
  size_t size;                                                          /* of this struct */
  double length;                                                        /* along the beam [m] */
  const char *section_kind;                                             /* "circle", "tube", "rectangle", "given" */
  double section_diameter, section_wall, section_size[2], section_area; /* [m, m, m, m^2] */
  double section_along_y, section_along_z, section_torsion;             /* [m^4] */
  double young, shear, density; /* those of the beam if not given [Pa, Pa, kg/m^3] */
} flg_piece_options;

/* A function that a beam deforms by. */
typedef struct flg_mode_options {
  size_t size;                /* of this struct */
  const char *motion;         /* "y", "z", "twist", "axial" */
  flg_number_list polynomial; /* coefficients of 1, x, x^2, ..., x from 0 to 1; or ... */
  const char *ends;           /* ... a function of these ends ... */
  int number;                 /* ... and its number, from 1 on */
} flg_mode_options;

/* A node of a reduced finite-element model. */
typedef struct flg_node_options {
  size_t size;            /* of this struct */
  double at[3], mass;     /* at rest, in the body's frame [m]; lumped there [kg] */
  flg_number_list shapes; /* six numbers of each mode: displacement [m] and turn [rad] */
} flg_node_options;

/* --- flexible bodies
 * Owns: the definition copies. When: always. Fails: status, FLG_ERR_USAGE also for keys that definitions of its kind
 * lack and for options not from flg_NAME_default(), FLG_ERR_RANGE for infinite numbers. */

/* All structs of this header. */
#define FLG_FLEXIBLE_OPTIONS(X) X(flexible) X(piece) X(mode) X(node)
FLG_FLEXIBLE_OPTIONS(FLG_OPTIONS_DEFAULT)

/* Makes a body flexible. */
FLG_API flg_status flg_define_flexible(flg_definition *, const char *body, const flg_flexible_options *, flg_error *);
/* Adds a piece to its beam. */
FLG_API flg_status flg_define_piece(flg_definition *, const char *body, const flg_piece_options *, flg_error *);
/* Adds a function to its beam, after the modes of its ends. */
FLG_API flg_status flg_define_mode(flg_definition *, const char *body, const flg_mode_options *, flg_error *);
/* Adds a node. */
FLG_API flg_status flg_define_node(flg_definition *, const char *body, const flg_node_options *, flg_error *);

#endif
