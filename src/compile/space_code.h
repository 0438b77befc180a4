/* space_code.h - generated steps of a mechanism in space, as their callers see them: text of
 * generated files, and a header of this project.
 *
 * A library holds the structure of a mechanism: kinds of its joints, which of their rows are frozen
 * (interface/frozen_rows.h), and how S is factored. Numbers are handed over when an instance is
 * made, so that one library serves all mechanisms of that structure.
 */
#ifndef FLG_COMPILE_SPACE_CODE_H
#define FLG_COMPILE_SPACE_CODE_H

/* All forces on bodies, about their centres, where bodies are at q with velocities v, at the start
 * of a step or at its end: (bodies) x 6. */
typedef void flg_space_push(void *context, int is_end, const double *q, const double *v,
                            double *forces);

typedef struct flg_space_numbers {
  const double *masses;              /* (bodies) */
  const double *inertias, *inverses; /* (bodies) x 6: xx yy zz xy xz yz, in the body's axes */
  const double *axials;              /* (bodies) x 8: 1 if the inertia has an axis of symmetry; its
                                        numbers a and d (math/axial.h), those of its inverse; n */
  const double *gravities;           /* (bodies) x 3 */
  const double *normals;             /* (bodies) x 3, of flat ones; zeros of others */
  const double *frames;              /* (joints) x 24: poses of A and of B on their bodies; NULL:
                                        they are filled in later */
  const double *angle_frames;        /* (angles) x 24: the same */
  double length;                     /* of the system */
  flg_space_push *push;              /* NULL: gravity is all that pushes */
  void *context;                     /* of that */
  double *impulses; /* (joints) x 2 x 6: reactions in the first half of a step and in the second,
                       0 of rows that were left out; NULL: they are not asked for, ... */
  const int *asks;  /* ... or only while this is not 0 */
} flg_space_numbers;

/* One step of h, from and to the state: 7 numbers of q and 6 of v a body. work: of joints, kinetic
 * energy before and after, and `least` (parts/part_work.h). 0: the step is not for it, and the
 * state is as it was. */
typedef int flg_space_code_step(void *instance, double h, double *q, double *v, double *angles,
                                double work[4]);

typedef struct flg_space_code_table {
  int bodies, joints, angles;
  void *(*create)(const flg_space_numbers *numbers); /* NULL: no memory */
  void (*destroy)(void *instance);
  flg_space_code_step *step;
} flg_space_code_table;

#define FLG_SPACE_CODE_SYMBOL "flg_space_code_v1" /* a flg_space_code_table */

#endif
