/* bodies.h - rigid bodies as parts: a port at the centre of mass, J = 1.
 *
 *     q  centre of mass, quaternion w x y z (Euler parameters)
 *     v  of the centre of mass, angular, in world axes
 */
#ifndef FLG_BODIES_H
#define FLG_BODIES_H

#include "math/axial.h"
#include "parts/part.h"

enum { FLG_BODY_POSITIONS = 7, FLG_BODY_VELOCITIES = 6 };

typedef struct flg_rigid_body {
  const flg_component_body *source;
  double mass;
  flg_vec3 gravity;
  flg_sym3 inertia, inverse; /* about the centre of mass, in the body's axes */
  flg_mat3 root;             /* of the inverse: root root^T */
  bool is_axial;             /* its inertia has an axis of symmetry: only that is turned, ... */
  flg_axial resists, yields; /* ... and the inertia is this, and its inverse */
} flg_rigid_body;

/* Of a body: recomputed from q and v. */
typedef struct flg_rigid_motion {
  flg_moving_frame at;       /* of the centre of mass, in the body's axes */
  flg_sym3 inertia, inverse; /* in world axes */
  flg_spatial force;         /* on the centre of mass, gravity included, without joints */
  flg_spatial left;          /* velocity and ... */
  flg_spatial pushed;        /* ... force at the start of the step */
  flg_spatial start;         /* momentum at the start of the step: linear, and angular ... */
  flg_spatial aimed;         /* ... about the centre of mass; after the first impulse; */
  flg_spatial momentum;      /* and while the body flies */
  flg_quat turn;             /* in the last step, of the whole that it is the first of */
} flg_rigid_motion;

typedef struct flg_bodies {
  flg_parts parts;
  flg_rigid_body *rigid_bodies;   /* (count) */
  flg_rigid_motion *motions;      /* (count) */
  flg_spin_changes *spin_changes; /* (count) */
} flg_bodies;

/* The bodies of a set of this kind. */
flg_bodies *flg_bodies_of(flg_parts *parts);

/* --- bodies_free_step.c --- */

extern const flg_part_free_step flg_bodies_free_step;
void flg_bodies_fly(flg_parts *parts, double h, double *q, double *v);
void flg_bodies_shift(flg_parts *parts, const double *by, double *q, double *v);
void flg_bodies_depart(flg_parts *parts, const double *v);
void flg_bodies_arrive(const flg_parts *parts, const double *v, double h, flg_part_work *work);
void flg_bodies_turn(flg_parts *parts, double time, double h, const double *before,
                     const double *v);
const flg_spin_changes *flg_bodies_spin_changes(const flg_parts *parts, int part);

#endif
