#include "flange/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_inner.h"
#include "api/define_inner.h"
#include "cosim/compare.h"
#include "io/load_compare.h"

struct flg_study {
  flg_comparison comparison;
  flg_trace *traces;        /* (runs + 1) the last is that of the reference */
  const volatile int *stop; /* what flg_study_watch was given; NULL: nothing */
  bool has_begun, has_run;
};

/* --- built ---------------------------------------------------------------------------------------
 */

/* room for what all runs record */
static flg_status prepare_study(flg_study *study, flg_error *error) {
  const int count = study->comparison.count + 1;
  study->traces = calloc((size_t)count, sizeof *study->traces);
  flg_status status = FLG_OK;
  if (study->traces == NULL) {
    status = flg_fail(error, FLG_ERR_MEMORY, "There is no memory for %d runs.", count);
  }
  for (int k = 0; k < count && status == FLG_OK; k++) {
    const flg_simulation *simulation = flg_study_simulation(study, k < count - 1 ? k : -1);
    status = flg_trace_build(&study->traces[k], simulation, error);
  }
  return status;
}

static flg_status build_study(flg_study **to, const char *path, const flg_comparison_choice *choice,
                              flg_mistakes *mistakes) {
  flg_study *study = calloc(1, sizeof *study);
  flg_error error;
  if (study == NULL) {
    return flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  }
  flg_status status = flg_comparison_load(&study->comparison, path, choice, mistakes);
  if (status == FLG_OK) {
    status = prepare_study(study, &error);
    if (status != FLG_OK) flg_mistake_add(mistakes, status, (flg_place){0}, "%s", error.message);
  }
  if (status == FLG_OK) {
    *to = study;
  } else {
    flg_study_release(study);
  }
  return status;
}

static flg_status study_check(flg_study *const *study, const void *source, const char *source_name,
                              const flg_comparison_choice *choice, flg_mistakes *mistakes) {
  flg_error error;
  if (flg_api_present(study, "study", &error) != FLG_OK ||
      flg_api_present(source, source_name, &error) != FLG_OK) {
    return flg_mistake_add(mistakes, FLG_ERR_USAGE, (flg_place){0}, "%s", error.message);
  }
  if (choice->override_count < 0 || (choice->override_count > 0 && choice->overrides == NULL)) {
    return flg_mistake_add(mistakes, FLG_ERR_USAGE, (flg_place){0}, "there are no %d overrides",
                           choice->override_count);
  }
  return FLG_OK;
}

flg_status flg_study_load(flg_study **study, const char *path, const char *couplings,
                          const char *macros, const char *const *overrides, int override_count,
                          flg_mistakes *mistakes) {
  flg_mistakes unread = {0};
  if (mistakes == NULL) mistakes = &unread;
  *mistakes = (flg_mistakes){0};
  const flg_comparison_choice choice = {.couplings = couplings,
                                        .macros = macros,
                                        .overrides = overrides,
                                        .override_count = override_count};
  const flg_status status = study_check(study, path, "path", &choice, mistakes);
  return status == FLG_OK ? build_study(study, path, &choice, mistakes) : status;
}

flg_status flg_study_build(flg_study **study, const flg_definition *definition,
                           const char *couplings, const char *macros, const char *const *overrides,
                           int override_count, flg_mistakes *mistakes) {
  flg_mistakes unread = {0};
  if (mistakes == NULL) mistakes = &unread;
  *mistakes = (flg_mistakes){0};
  flg_comparison_choice choice = {.couplings = couplings,
                                  .macros = macros,
                                  .overrides = overrides,
                                  .override_count = override_count};
  flg_status status = study_check(study, definition, "definition", &choice, mistakes);
  if (status != FLG_OK) return status;
  flg_region region = {0};
  status = flg_definition_source(definition, &region, &choice.source, mistakes);
  if (status == FLG_OK) status = build_study(study, definition->name, &choice, mistakes);
  flg_region_release(&region);
  return status;
}

void flg_study_release(flg_study *study) {
  if (study == NULL) return;
  for (int k = 0; k <= study->comparison.count && study->traces != NULL; k++) {
    flg_trace_release(&study->traces[k]);
  }
  free(study->traces);
  flg_comparison_release(&study->comparison);
  free(study);
}

/* --- run -----------------------------------------------------------------------------------------
 */

static const flg_compared *study_compared_at(const flg_study *study, int run) {
  const flg_comparison *comparison = &study->comparison;
  if (run == -1) return &comparison->reference;
  return run < -1 || run >= comparison->count ? NULL : &comparison->runs[run];
}

static const flg_trace *trace_at(const flg_study *study, int run) {
  return &study->traces[run < 0 ? study->comparison.count : run];
}

flg_simulation *flg_study_simulation(flg_study *study, int run) {
  const flg_compared *compared = study == NULL ? NULL : study_compared_at(study, run);
  return compared == NULL ? NULL : compared->simulation;
}

int flg_study_count(const flg_study *study) {
  return study == NULL ? 0 : study->comparison.count;
}

void flg_study_watch(flg_study *study, const volatile int *stop) {
  if (study == NULL) return;
  study->stop = stop;
  for (int k = -1; k < study->comparison.count; k++) {
    flg_simulation_watch(flg_study_simulation(study, k), stop);
  }
}

/* after each macro step: couplings do not look at it inside of one */
static bool goes_on(void *context, const flg_simulation *simulation) {
  const flg_study *study = context;
  (void)simulation;
  return study->stop == NULL || *study->stop == 0;
}

/* the reference first: it takes longest */
static void study_run_one(void *context, int index) {
  flg_study *study = context;
  const int run = index - 1;
  flg_trace *trace = &study->traces[run < 0 ? study->comparison.count : run];
  flg_trace_run(trace, flg_study_simulation(study, run), goes_on, study);
}

flg_status flg_study_run(flg_study *study, flg_threads *threads, flg_error *error) {
  flg_status status = flg_api_present(study, "study", error);
  if (status != FLG_OK) return status;
  if (study->has_begun) {
    return flg_fail(error, FLG_ERR_USAGE, "The study was run already; build another one.");
  }
  study->has_begun = true;
  flg_threads_for(threads, study->comparison.count + 1, study_run_one, study);
  for (int k = -1; k < study->comparison.count; k++) {
    const flg_trace *trace = trace_at(study, k);
    if (trace->status == FLG_OK || (trace->status == FLG_ERR_DIVERGED && k >= 0)) continue;
    return flg_fail(error, trace->status, "%s%s", k < 0 ? "The reference: " : "",
                    trace->error.message);
  }
  study->has_run = true;
  return FLG_OK;
}

/* --- told ----------------------------------------------------------------------------------------
 */

static flg_status check_run(const flg_study *study, int run, flg_error *error) {
  const flg_status status = flg_api_present(study, "study", error);
  if (status != FLG_OK) return status;
  if (!study->has_run) {
    return flg_fail(error, FLG_ERR_USAGE, "The study has not been run to its end.");
  }
  if (study_compared_at(study, run) != NULL) return FLG_OK;
  return flg_fail(error, FLG_ERR_USAGE, "There is no run %d; runs are 0 to %d, -1 the reference.",
                  run, study->comparison.count - 1);
}

flg_status flg_study_look(const flg_study *study, int run, flg_study_outcome *outcome,
                          flg_error *error) {
  flg_status status = check_run(study, run, error);
  if (status == FLG_OK) status = flg_api_present(outcome, "outcome", error);
  if (status != FLG_OK) return status;
  const flg_compared *compared = study_compared_at(study, run);
  const flg_trace *trace = trace_at(study, run);
  const double diverged =
      run < 0 ? (double)NAN : flg_compare_diverged_at(trace, trace_at(study, -1));
  *outcome = (flg_study_outcome){compared->coupling,
                                 compared->macro,
                                 compared->integrator,
                                 isnan(diverged) ? trace->status : FLG_ERR_DIVERGED,
                                 diverged,
                                 trace->wall};
  return FLG_OK;
}

/* its first column of a row; NULL: it is not recorded, or not told */
static const flg_signal *study_find_signal(const flg_study *study, const char *name, int *column) {
  const flg_simulation *reference = study->comparison.reference.simulation;
  const flg_signal *signals = flg_simulation_signals(reference);
  *column = 0;
  for (int k = 0; k < flg_simulation_signal_count(reference); k++) {
    if (strcmp(signals[k].name, name) == 0) {
      return flg_compare_is_told(&signals[k]) ? &signals[k] : NULL;
    }
    *column += signals[k].width;
  }
  return NULL;
}

flg_status flg_study_difference(const flg_study *study, int run, const char *signal,
                                flg_difference *difference, flg_error *error) {
  flg_status status = check_run(study, run, error);
  if (status == FLG_OK) status = flg_api_present(signal, "signal", error);
  if (status == FLG_OK) status = flg_api_present(difference, "difference", error);
  if (status != FLG_OK) return status;
  int column;
  const flg_signal *found = study_find_signal(study, signal, &column);
  if (found == NULL) {
    return flg_fail(error, FLG_ERR_INPUT, "Runs are not compared by a signal '%s'.", signal);
  }
  const flg_deviation of =
      flg_compare_signal(trace_at(study, run), trace_at(study, -1), found, column);
  *difference = (flg_difference){of.max, of.rms, of.final};
  return FLG_OK;
}
