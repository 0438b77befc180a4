#include "cosim/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cosim/simulation.h"
#include "math/larger.h"

/* an energy so many times that of the reference is no longer that of the scenario */
static const double RUNAWAY = 1e3;
/* of the energy: a reference with less kinetic energy rests */
static const double RESTS = 1e-10;

/* --- traces -------------------------------------------------------------------------------------
 */

flg_status flg_trace_build(flg_trace *trace, const flg_simulation *simulation, flg_error *error) {
  const int64_t rows = simulation->macro_steps + 1;
  const size_t width = (size_t)simulation->width, most = SIZE_MAX / sizeof(double) / (width + 1);
  *trace = (flg_trace){.macro = simulation->macro, .capacity = rows, .width = simulation->width};
  if ((uint64_t)rows < most) {
    trace->values = malloc(((size_t)rows * width + 1) * sizeof(double));
    trace->energies = malloc((size_t)rows * sizeof(double));
  }
  if (trace->values != NULL && trace->energies != NULL) return FLG_OK;
  flg_trace_release(trace);
  return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for %.0f rows of %d numbers.",
                  (double)rows, simulation->width);
}

void flg_trace_release(flg_trace *trace) {
  free(trace->values);
  free(trace->energies);
  *trace = (flg_trace){0};
}

static void record_trace(flg_trace *trace, flg_simulation *simulation) {
  if (simulation->coupling != NULL) trace->usual = flg_coupling_usual_energy(simulation->coupling);
  trace->kinetic = fmax(trace->kinetic, flg_simulation_kinetic_energy(simulation));
  flg_simulation_record(simulation, trace->values + trace->rows * trace->width);
  trace->energies[trace->rows++] = flg_simulation_energy(simulation).final;
}

void flg_trace_run(flg_trace *trace, flg_simulation *simulation, flg_trace_tick *tick,
                   void *context) {
  const double start = flg_clock();
  record_trace(trace, simulation);
  while (trace->status == FLG_OK && !flg_simulation_ended(simulation)) {
    trace->status = flg_simulation_step(simulation, &trace->error);
    if (trace->status == FLG_OK) record_trace(trace, simulation);
    if (tick != NULL && !tick(context, simulation) && trace->status == FLG_OK) {
      trace->status = flg_fail(&trace->error, FLG_ERR_INTERRUPTED, "Stopped at t = %.6g s.",
                               flg_simulation_time(simulation));
    }
  }
  trace->wall = flg_clock() - start;
}

/* --- divergence ---------------------------------------------------------------------------------
 */

/* Where the reference rests its energies may be rounding about 0: then that which is usual for a
 * coupling counts, and without one there is no scale. */
static double energy_scale(const flg_trace *run, const flg_trace *reference) {
  double least = INFINITY, most = -INFINITY;
  for (int64_t k = 0; k < reference->rows; k++) {
    least = fmin(least, reference->energies[k]);
    most = fmax(most, reference->energies[k]);
  }
  const double total = fmax(fabs(least), fabs(most)), usual = fmax(run->usual, reference->usual);
  if (reference->kinetic > RESTS * total) return fmax(total, reference->kinetic);
  return usual > 0 ? fmax(total, usual) : (double)INFINITY;
}

int64_t flg_compare_sound_rows(const flg_trace *run, const flg_trace *reference) {
  const double bound = RUNAWAY * energy_scale(run, reference);
  for (int64_t k = 0; k < run->rows; k++) {
    if (!(fabs(run->energies[k] - run->energies[0]) <= bound)) return k;
  }
  return run->rows;
}

double flg_compare_diverged_at(const flg_trace *run, const flg_trace *reference) {
  const int64_t rows = flg_compare_sound_rows(run, reference);
  const bool is_whole = rows == run->rows && run->status != FLG_ERR_DIVERGED;
  return is_whole ? (double)NAN : (double)rows * run->macro;
}

/* --- errors -------------------------------------------------------------------------------------
 */

static bool is_of_interface(const flg_signal *signal) {
  return strchr(signal->name, '/') == NULL;
}

static bool is_mean(const flg_signal *signal) {
  const char *dot = strrchr(signal->name, '.');
  return is_of_interface(signal) && dot != NULL && strcmp(dot, ".force") == 0;
}

bool flg_compare_is_told(const flg_signal *signal) {
  return !is_of_interface(signal) || is_mean(signal);
}

static bool is_orientation(const flg_signal *signal) {
  const char *dot = strrchr(signal->name, '.');
  return dot != NULL && strcmp(dot, ".orientation") == 0;
}

/* Where a signal is a mean over the macro step, that of a reference with shorter ones is the mean
 * of its rows; the first row comes before all steps. */
static const double *mean_of(const flg_trace *reference, const flg_signal *signal, int column,
                             int64_t row, int64_t every, double mean[FLG_COMPARE_WIDTH_MAX]) {
  const double *last = reference->values + row * reference->width + column;
  if (!is_mean(signal) || row == 0 || every == 1) return last;
  for (int i = 0; i < signal->width; i++) {
    mean[i] = 0;
    for (int64_t k = 0; k < every; k++) mean[i] += (last - k * reference->width)[i];
    mean[i] /= (double)every;
  }
  return mean;
}

static double distance(const double *a, const double *b, int width, double sign) {
  double sum = 0;
  for (int k = 0; k < width; k++) sum += (a[k] - sign * b[k]) * (a[k] - sign * b[k]);
  return sqrt(sum);
}

flg_deviation flg_compare_signal(const flg_trace *run, const flg_trace *reference,
                                 const flg_signal *signal, int column) {
  const int64_t every = llround(run->macro / reference->macro);
  const int64_t rows = flg_compare_sound_rows(run, reference);
  flg_deviation deviation = {NAN, NAN, NAN};
  double sum = 0, most = 0;
  int64_t count = 0;
  for (; count < rows && count * every < reference->rows; count++) {
    const double *a = run->values + count * run->width + column;
    double mean[FLG_COMPARE_WIDTH_MAX];
    const double *b = mean_of(reference, signal, column, count * every, every, mean);
    double error = distance(a, b, signal->width, 1);
    if (is_orientation(signal)) error = flg_smaller(error, distance(a, b, signal->width, -1));
    most = flg_larger(most, error);
    deviation.final = error;
    sum += error * error;
  }
  const bool is_whole = isnan(flg_compare_diverged_at(run, reference));
  if (!is_whole) deviation.final = NAN;
  /* what had no error yet when the run diverged, as at the start, says nothing of it */
  if (count == 0 || (!is_whole && most == 0)) return deviation;
  deviation.max = most, deviation.rms = sqrt(sum / (double)count);
  return deviation;
}

double flg_compare_order(double coarse_error, double fine_error, double coarse, double fine) {
  if (!(coarse_error > 0) || !(fine_error > 0) || !(coarse > fine)) return NAN;
  return log(coarse_error / fine_error) / log(coarse / fine);
}
