/* assembly_views.h - coordinates, frictions, stops and signals of an assembly by number, for tests
 * that compare them with closed forms. */
#ifndef FLG_TESTS_ASSEMBLY_VIEWS_H
#define FLG_TESTS_ASSEMBLY_VIEWS_H

#include "assembly/assembly_inner.h"
#include "assembly/assembly_signals.h"

static inline double flg_assembly_coordinate(const flg_assembly *assembly, int coordinate,
                                             double *rate) {
  const flg_coordinate_row *row = flg_assembly_read(assembly, coordinate);
  if (rate != NULL) *rate = row->rate;
  return row->value;
}

typedef struct flg_limit_view {
  int mode;      /* see flg_limit_state */
  double effort; /* on the coordinate, in the last step [N or N m] */
  long switches; /* of the mode, since the assembly was built */
} flg_limit_view;

/* number `index` of frictions, then of stops */
static inline flg_limit_view flg_assembly_limit(const flg_assembly *assembly, int index) {
  const flg_limits *limits = &assembly->state.limits;
  const flg_limit *limit = &limits->list[index];
  return (flg_limit_view){(int)limits->states[index].mode, limit->effort, limit->switches};
}

static inline flg_limit_view flg_assembly_friction(const flg_assembly *assembly, int friction) {
  return flg_assembly_limit(assembly, friction);
}

static inline flg_limit_view flg_assembly_stop(const flg_assembly *assembly, int stop) {
  return flg_assembly_limit(assembly, assembly->model.component->friction_count + stop);
}

/* Switches of all limits, and solves in which no set was found that fulfils all laws. */
static inline long flg_assembly_switches(const flg_assembly *assembly, long *unsolved) {
  long sum = 0;
  for (int k = 0; k < assembly->state.limits.count; k++)
    sum += flg_assembly_limit(assembly, k).switches;
  *unsolved = assembly->state.limits.unsolved;
  return sum;
}

static inline int flg_assembly_signal_count(const flg_assembly *assembly) {
  const flg_signals *signals = assembly->model.signals;
  if (signals == NULL) return 0;
  return signals->block_count + 3 * signals->motor_count + signals->effort_count;
}

#endif
