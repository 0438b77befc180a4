/* tree_code.h - generated steps of rk4 of a mechanism in joint coordinates, as their callers see
 * them: text of generated files, and a header of this project.
 *
 * A library holds one machine: forward dynamics, force elements, signals and motors as straight
 * lines of code. What depends on time alone, and what is sampled, is handed to it.
 */
#ifndef FLG_ASSEMBLY_TREE_CODE_H
#define FLG_ASSEMBLY_TREE_CODE_H

/* Coefficients of one or two continuous states of signals in a step of h (assembly_signals.h). */
typedef struct flg_tree_decay {
  const double *whole, *half; /* 4 x 4: phi_k(hA) and phi_k(hA/2) */
  const double *weight;       /* 3 x 4 */
} flg_tree_decay;

typedef struct flg_tree_call {
  double time, h;
  double *q, *v;                /* from and to the state */
  double *states;               /* of signals, from and to */
  const double *sources[3];     /* at the start, in the middle, at the end: value and rate each */
  const double *held;           /* of what is sampled: value and rate each */
  const double *given;          /* of force elements that events switch; of libraries more */
  const flg_tree_decay *decays; /* (decays of the signals) */
  /* At each stage: adds accelerations of what pushes at ports. NULL: nothing does. */
  void (*push)(void *machine, const double *q, const double *sines, const double *cosines,
               const double *v, double *a);
  void *machine;
} flg_tree_call;

typedef struct flg_tree_code_table {
  int positions, velocities, states, sources, held, given;
  int (*step)(const flg_tree_call *call); /* 0: a number is not finite, and all is as it was */
} flg_tree_code_table;

#define FLG_TREE_CODE_SYMBOL "flg_tree_code_v1" /* a flg_tree_code_table */

#endif
