/* compare.h - how far a run is from a reference, at its communication points.
 *
 *     e(t_k) = | y(t_k) - y_reference(t_k) |      Euclidean norm of a recorded vector
 *     max e, sqrt(mean e^2), e at the last point
 *     order  = log(e_coarse / e_fine) / log(H_coarse / H_fine)      observed, of macro steps H
 *
 * The reference is recorded at intervals that divide those of all runs evenly. A unit quaternion
 * and its negative are the same orientation: the closer one counts. A run has diverged when a
 * number is no longer finite, or when its energy is off its first one by more than 1000 times the
 * largest energy of the reference, total or kinetic. Where the reference rests, the energy that is
 * usual for a coupling of one of them counts, too; without a coupling a run is then not judged by
 * its energy. Errors are those up to then, with none at the end, and NaN where there was none yet:
 * 0 is no figure of a run that diverged. A value that is not a number makes an error that is none.
 */
#ifndef FLG_COMPARE_H
#define FLG_COMPARE_H

#include "flange/simulation.h"

/* The record of a run: a row at the start, and one at each communication point. */
typedef struct flg_trace {
  double macro;     /* interval of rows [s] */
  int64_t rows;     /* so far */
  int64_t capacity; /* rows there is room for: all of the run */
  int width;        /* numbers in a row: all signals */
  double *values;   /* (rows x width), row by row */
  double *energies; /* (rows) [J] */
  double kinetic;   /* largest kinetic energy, of those that know it [J] */
  double usual;     /* energy that is usual for its coupling [J]; 0: it has none */
  double wall;      /* seconds that it took */
  flg_status status;
  flg_error error; /* if it did not come to its end */
} flg_trace;

typedef struct flg_deviation {
  double max, rms, final; /* NaN: there is no point to compare */
} flg_deviation;

/* Set-up: room for all rows of a simulation that has not begun. Release with flg_trace_release. */
flg_status flg_trace_build(flg_trace *trace, const flg_simulation *simulation, flg_error *error);
void flg_trace_release(flg_trace *trace);
/* Runs the simulation to its end; status and error are in the trace. `tick`, if not NULL, is called
 * after every macro step by the thread that runs it; false ends the run as interrupted. */
typedef bool flg_trace_tick(void *context, const flg_simulation *simulation);
void flg_trace_run(flg_trace *trace, flg_simulation *simulation, flg_trace_tick *tick,
                   void *context);

/* True if runs can be compared by a signal: all but those that describe the run itself, such as
 * wrist.rank and macro.wall_time. The second function: true if it is a mean over the macro step, at
 * most FLG_COMPARE_WIDTH_MAX numbers wide: the force of an interface. */
enum { FLG_COMPARE_WIDTH_MAX = 6 };
bool flg_compare_is_told(const flg_signal *signal);
/* Rows up to which a run has not diverged; all of them if it never does. */
int64_t flg_compare_sound_rows(const flg_trace *run, const flg_trace *reference);
/* When it diverged [s]; NaN if it did not. */
double flg_compare_diverged_at(const flg_trace *run, const flg_trace *reference);
/* Of the signal whose first number is `column` of a row. The macro step of the run is a whole
 * multiple of that of the reference. */
flg_deviation flg_compare_signal(const flg_trace *run, const flg_trace *reference,
                                 const flg_signal *signal, int column);
/* The observed order between two macro steps; NaN where an error is not a positive number. */
double flg_compare_order(double coarse_error, double fine_error, double coarse, double fine);

#endif
