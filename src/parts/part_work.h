/* part_work.h - the work of joints on bodies in a step. Also text of generated files (compile/). */
#ifndef FLG_PARTS_PART_WORK_H
#define FLG_PARTS_PART_WORK_H

#include "math/spatial.h"

/* A rigid body in a step. */
typedef struct flg_part_motion {
  flg_spatial velocity, momentum, force; /* about its centre of mass */
} flg_part_motion;

/* Work of joints in a step, from changes of momentum; added up over all parts. */
typedef struct flg_part_work {
  double joints;        /* that joints did [J] */
  double before, after; /* kinetic energy [J] */
  double least;         /* sum of |f|^2 / m */
} flg_part_work;

/* Step: of h, what joints did to a body of that mass between its start and its end. */
static inline void flg_part_work_add(flg_part_work *work, double mass, double h,
                                     const flg_part_motion *start, const flg_part_motion *end) {
  const flg_spatial forces = flg_spatial_add(start->force, end->force);
  const flg_spatial gained = flg_spatial_subtract(end->momentum, start->momentum);
  const flg_spatial impulse = flg_spatial_add_scaled(gained, -h / 2, forces);
  work->joints += flg_spatial_dot(impulse, flg_spatial_add(start->velocity, end->velocity)) / 2;
  work->least += flg_vec3_dot(forces.linear, forces.linear) / mass;
  work->before += flg_spatial_dot(start->momentum, start->velocity) / 2;
  work->after += flg_spatial_dot(end->momentum, end->velocity) / 2;
}

#endif
