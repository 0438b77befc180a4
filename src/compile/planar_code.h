/* planar_code.h - generated steps in the plane, as their callers see them: text of generated files,
 * and a header of this project.
 *
 * A library holds the structure of a mechanism: which bodies its pairs of rows join, and how S is
 * factored. Numbers (masses, points, gravity) are handed over when an instance is made, so that one
 * library serves all mechanisms of that structure.
 */
#ifndef FLG_COMPILE_PLANAR_CODE_H
#define FLG_COMPILE_PLANAR_CODE_H

typedef struct flg_planar_numbers {
  const double *masses, *inverse_masses;     /* (bodies) */
  const double *inertias, *inverse_inertias; /* (bodies) about the normal */
  const double *gravities;                   /* (bodies) x 2, in the plane */
  const double *heights;                     /* (bodies) along the normal */
  const double *zeros;                       /* (bodies) x 4 quaternions of angle zero */
  const double *points;                      /* (pairs) x 4: on A, on B, in their axes */
  const double *lines;  /* (holds) x 6: across on A, facing on A, facing on B */
  const double *senses; /* (angles) of the normal about their axes */
  double axes[9];       /* x, y and normal of the plane */
  double length;        /* of the system */
  double least;         /* of the work of all bodies (parts/part_work.h) */
} flg_planar_numbers;

/* One step of h, from and to the state: 7 numbers of q and 6 of v a body. work: of joints, kinetic
 * energy before and after, and `least`. 0: the step is not for it, and the state is as it was. */
typedef int flg_planar_code_step(void *instance, double h, double *q, double *v, double *angles,
                                 double work[4]);

typedef struct flg_planar_code_table {
  int bodies, pairs, holds, angles;
  void *(*create)(const flg_planar_numbers *numbers); /* NULL: no memory */
  void (*destroy)(void *instance);
  flg_planar_code_step *step;
} flg_planar_code_table;

#define FLG_PLANAR_CODE_SYMBOL "flg_planar_code_v1" /* a flg_planar_code_table */

#endif
