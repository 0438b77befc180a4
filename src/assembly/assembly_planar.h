/* assembly_planar.h - an assembly that moves in a plane, stepped with three numbers a body.
 *
 * Axes of all joints are parallel to a normal n, or lie across it; n is a principal axis of every
 * body; and rigid joints hold every body flat: it is connected to the ground by joints of which
 * each takes the displacement along n and both tilts. Then motions stay in the plane whatever
 * pushes, and
 *
 *     x, y, angle     of a body, mass and inertia about n: constant
 *     meet   2 rows   two points stay together                   revolute, spherical, weld, ...
 *     slide  1 row    a point of B stays on a line of A          prismatic, ...
 *     turn   1 row    no turn of B against A                     prismatic, weld, ...
 *
 * Rows along n, and those of tilts, ask for nothing: they are gone, and with them what was
 * redundant in loops. S = G M^-1 G^T is sparse and factored without pivots
 * (interface/sparse_pairs.h).
 *
 * Steps are those of assembly_rattle.c, from the state of the assembly to its state: which of both
 * ways a step takes is a function of the state and the model alone. It is the other way wherever
 * this one is not sure of itself: rows nearly dependent (a singular pose, true redundancy), steps
 * that turn too far or do not converge, a state that is not flat, contacts that are near; and where
 * reactions are asked for, interfaces, force elements, limits or signals take part.
 */
#ifndef FLG_ASSEMBLY_PLANAR_H
#define FLG_ASSEMBLY_PLANAR_H

#include "assembly/assembly_inner.h"
#include "interface/sparse_pairs.h"
#include "math/six.h"

typedef flg_two flg_planar_point; /* x and y */

/* what moves with three numbers: velocities, momenta, rows */
typedef struct flg_planar_motion {
  flg_planar_point line;
  double turn;
} flg_planar_motion;

/* where a body is: its centre, half its angle, and its angle */
typedef struct flg_planar_pose {
  flg_planar_point at;
  double half_cos, half_sin, cos, sin;
} flg_planar_pose;

typedef struct flg_planar_body {
  double mass, inertia;                 /* about n */
  double inverse_mass, inverse_inertia; /* zeros: the ground */
  flg_planar_point gravity;             /* in the plane [m/s^2] */
  double height;                        /* along n */
  bool is_plain;                        /* angles count from where it has the axes of the world, */
  flg_quat zero;                        /* or from here: its turn at the start */
  flg_planar_pose pose, next;
  flg_planar_motion from; /* velocity at the start of the step */
  flg_planar_motion velocity, momentum;
  double turned; /* in this step [rad]; its sine, until the step stands */
} flg_planar_body;

/* Two rows between two bodies: they meet; or B stays on a line of A, does not turn, or both. Points
 * and directions are in the axes of their bodies. */
typedef enum flg_planar_kind { FLG_PLANAR_MEET, FLG_PLANAR_HOLD } flg_planar_kind;

/* Two rows as one body sees them: what its velocity along x, along y and its turn do to both. Of a
 * meeting, x and y are the sign of the body alone. */
typedef struct flg_planar_side {
  flg_planar_point x, y, turn;
} flg_planar_side;

typedef struct flg_planar_pair {
  flg_planar_kind kind;
  bool slides, turns; /* which rows a hold has; others are filled up */
  int body[2];        /* the last of all bodies is the ground */
  int place;          /* in S */
  flg_planar_body *on[2];
  flg_planar_point *impulse; /* right-hand side, then solution */
  double *diagonal;          /* of S */
  flg_planar_point point[2];
  flg_planar_point across;    /* normal of the line, on A */
  flg_planar_point facing[2]; /* directions that stay parallel */
  /* at the pose that S is factored for */
  flg_planar_point arm[2];   /* from centres to points */
  flg_planar_side side[2];   /* of A and of B */
  flg_planar_point ahead[2]; /* arms at the end of the free step */
} flg_planar_pair;

/* Two pairs on one body: a product of theirs is an entry of S, or is added to it. */
typedef struct flg_planar_coupling {
  flg_planar_point *entry; /* by columns */
  const flg_planar_body *body;
  const flg_planar_side *later, *earlier; /* as their places are in S */
  double sign; /* of two meetings: 1 at the same end, -1 at different ones; 0: other pairs */
  bool adds;
} flg_planar_coupling;

typedef struct flg_planar {
  flg_vec3 axis[3]; /* x and y of the plane, and n */
  bool is_aligned;  /* they are those of the world: numbers ... */
  int number[3];    /* ... of vectors that are x, y and n */
  int body_count, pair_count, coupling_count, fill_count, angle_count;
  flg_planar_body *bodies; /* (body_count + 1) then the ground */
  flg_planar_pair *pairs;  /* (pair_count) */
  flg_planar_coupling *couplings;
  int *fills;          /* (fill_count) entries that only elimination makes */
  int *angle_bodies;   /* (angle_count) times two: that a coordinate is between */
  double *angle_sense; /* (angle_count) of n about the axis of the coordinate */
  flg_sparse_pairs S;
  flg_planar_point *impulses; /* (pair_count) by place */
  double *factored_q;         /* (positions) that S is factored for, and rows are placed at */
  bool is_factored;
  int rows;     /* of all pairs */
  double least; /* sum of |f|^2 / m over bodies, f twice the weight (flg_part_work) */
} flg_planar;

/* The result of the analysis, for `flange check`. */
typedef struct flg_planar_facts {
  bool is_planar;
  int rows;     /* in the plane */
  int left_out; /* rows along n and of tilts */
  double flops; /* of one factorisation of S */
} flg_planar_facts;

/* Set-up, when the state is at the start: NULL if the assembly is not planar. Memory is the
 * assembly's; the region has failed if there is none. */
flg_planar *flg_planar_build(flg_assembly *assembly);
flg_planar_facts flg_planar_find_facts(const flg_assembly *assembly);

/* Set-up, where rigid bodies are all there is: which of them are held flat by joints, whatever
 * others do: normals[k] of body k, zeros if it is not. One plane, with the most bodies. Returns how
 * many. */
int flg_planar_find_flat(flg_assembly *assembly, flg_vec3 *normals, flg_region *work);

/* Step: a step of rattle in the plane, where there is no code for it. False if it is not for it;
 * the state is then as it was. */
bool flg_planar_step(flg_assembly *assembly, double time, double h);
/* The same, whether there is code for it or not; nothing is noted of its work. */
bool flg_planar_interpret(flg_assembly *assembly, double h, flg_part_work *work);

#endif
