/* coupling_marks.h - runs of one scenario under several couplings, and how far they are apart. */
#ifndef FLG_TESTS_COUPLING_MARKS_H
#define FLG_TESTS_COUPLING_MARKS_H

#include "cosim/simulation.h"
#include "files.h"

enum { OVERRIDES_MAX = 8, OVERRIDE_TEXT = 128 };

/* What a run recorded at its communication points. */
typedef struct marked_run {
  int rows, width;
  double *values;     /* (width x rows) */
  double diverged_at; /* [s], -1: it did not */
  bool is_unsolved;   /* it came to its end, and its results are in doubt */
  flg_error error;    /* if one of both */
  flg_energy energy;
} marked_run;

typedef struct mark {
  double max, rms;  /* Euclidean norms of the three numbers from `first` on, at points of both */
  double amplitude; /* largest distance of the reference from where it starts */
} mark;

static inline flg_simulation *load_with(const char *path, const char *const *overrides) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  flg_simulation *simulation = NULL;
  int count = 0;
  while (overrides != NULL && overrides[count] != NULL) count++;
  flg_simulation_load(&simulation, path, overrides, count, &mistakes);
  if (simulation == NULL) {
    fail_msg("%s:%d: %s", mistakes.list[0].file, mistakes.list[0].line, mistakes.list[0].message);
  }
  return simulation;
}

/* To the end, or to where it diverges. overrides: NULL at the end. Free the values. */
static inline marked_run run_marked(const char *path, const char *const *overrides) {
  flg_simulation *simulation = load_with(path, overrides);
  marked_run run = {.width = flg_simulation_width(simulation), .diverged_at = -1};
  size_t room = 1024;
  run.values = malloc(room * (size_t)run.width * sizeof(double));
  for (;;) {
    if ((size_t)run.rows == room) {
      room *= 2;
      run.values = realloc(run.values, room * (size_t)run.width * sizeof(double));
    }
    assert_non_null(run.values);
    flg_simulation_record(simulation, run.values + (size_t)run.rows * (size_t)run.width);
    run.rows++;
    if (flg_simulation_ended(simulation)) break;
    const flg_status status = flg_simulation_step(simulation, &run.error);
    if (status == FLG_OK) continue;
    assert_int_equal(status, FLG_ERR_DIVERGED);
    run.diverged_at = flg_simulation_time(simulation);
    break;
  }
  run.is_unsolved =
      run.diverged_at < 0 && flg_simulation_judge(simulation, &run.error) == FLG_ERR_UNSOLVED;
  run.energy = flg_simulation_energy(simulation);
  flg_simulation_release(simulation);
  return run;
}

static inline double distance_of(const double *a, const double *b, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

/* A run against a reference with as many points, or with a whole multiple of them. */
static inline mark compare_marked(const marked_run *run, const marked_run *reference, int first,
                                  int count) {
  mark result = {0};
  double sum = 0;
  for (int k = 0; k < run->rows && k < reference->rows; k++) {
    const size_t at = (size_t)k * (size_t)run->width + (size_t)first;
    const double error = distance_of(run->values + at, reference->values + at, count);
    result.max = flg_larger(result.max, error);
    result.amplitude = flg_larger(
        result.amplitude, distance_of(reference->values + at, reference->values + first, count));
    sum += error * error;
  }
  result.rms = sqrt(sum / run->rows);
  return result;
}

#endif
