/* results.h - recorded signals into a file, row by row while the simulation runs.
 *
 * A row is a time [s] and the values of all signals in their order, w = sum of their widths. The
 * extension of the path chooses the format: .csv, or .h5 and .hdf5; the path - is CSV on standard
 * output.
 *
 * Rows gather in a buffer laid out at open; a full buffer, or one older than about a second when
 * the next row comes, goes to the operating system as a whole. A killed run leaves a readable file
 * with all rows up to the last time that happened. It is whole only if it says how it ended:
 *
 *     CSV   `# flange ..`, `# name: ..` and the scenario as comments, then `time [s],a.x [m],..`,
 *           rows that read back bitwise, and `# status: complete` as the last line
 *     HDF5  /time (N), each signal at its name as a path (N x width, or N for a scalar) with the
 *           attributes unit and components; root attributes flange_version, name, scenario,
 *           created, legend, scene, summary and status, which is "running" until the end; all text
 *           is UTF-8. /time grows last: after a kill the signals have its N rows, or more. A list
 *           (M x width) has any number of entries a row, such as the contacts of that time; CSV
 *           leaves it out, with scene and summary
 *
 * After a failed write every call fails with the first reason. HDF5 is not built for
 * threads: no two threads may write, or use HDF5 otherwise, at once.
 */
#ifndef FLG_RESULTS_H
#define FLG_RESULTS_H

#include <stdbool.h>

#include "flange/signal.h"
#include "flange/status.h"

/* The widest are the poses of all bodies: 7 numbers of each of a million. */
enum { FLG_SIGNAL_MAX_WIDTH = 1 << 23, FLG_RESULTS_MAX_SIGNALS = 1 << 20 };

typedef struct flg_results_header {
  const char *name;          /* of the scenario; NULL: none */
  const char *scenario;      /* its whole text; NULL: none */
  const char *created;       /* when, as text; NULL leaves it out, so that files can be compared */
  const char *legend;        /* what numbers in it stand for, a line each; NULL: nothing */
  const char *scene;         /* what the system looks like, as JSON (docs/view.md); NULL: nothing */
  const flg_signal *signals; /* (signal_count), borrowed during open only */
  int signal_count;
  const flg_signal *list; /* name and components of the list, borrowed during open; NULL: none */
  bool writes_over;       /* a file that is there, also if it holds something else */
} flg_results_header;

typedef struct flg_results flg_results;

/* True if a file of that name may be replaced: it is not there, is empty, or holds results. */
bool flg_results_may_replace(const char *path);

/* Set-up: creates the file, or empties the results that are there, unless another process writes
 * them. What is wrong with path, folder,
 * permission or signals shows here, before anything is simulated. */
flg_status flg_results_open(flg_results **results, const char *path,
                            const flg_results_header *header, flg_error *error);
/* Step: takes a row, values (w). Allocates nothing of its own, also when the buffer goes out,
 * once the first ones have. */
flg_status flg_results_write(flg_results *results, double time, const double *values,
                             flg_error *error);
/* Step: takes an entry of the list, values (its width): before the row that it belongs to. */
flg_status flg_results_add(flg_results *results, const double *values, flg_error *error);
/* How the run went, as JSON; before close. Formats without a place for it leave it out. */
flg_status flg_results_summarise(flg_results *results, const char *summary, flg_error *error);
/* Hands all rows so far to the operating system: before a long pause. */
flg_status flg_results_flush(flg_results *results, flg_error *error);
/* Writes what is left and how the run ended ("complete", "interrupted", "diverged"), and releases
 * everything, whatever it returns. A NULL status, for a run that failed, leaves the file without
 * an end. results may be NULL. */
flg_status flg_results_close(flg_results *results, const char *status, flg_error *error);

#endif
