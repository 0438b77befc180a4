/* recording.h - results that were written before, to be read again: rows of signals, the list that
 * goes with them, and what the file says of the run.
 *
 * Values are read in pieces, so that a recording may be larger than memory. Where it comes from is
 * behind `read`: a file (flg_recording_open), or memory (viewer/capture.h).
 *
 * Files may come from anywhere: what is not a results file of ours is refused with a sentence, and
 * no size in it is trusted. HDF5 is not built for threads: one thread at a time.
 */
#ifndef FLG_RECORDING_H
#define FLG_RECORDING_H

#include <stdint.h>

#include "base/region.h"
#include "flange/signal.h"

/* In place of the number of a signal. */
enum { FLG_RECORDING_TIME = -1, FLG_RECORDING_LIST = -2 };

typedef struct flg_recording {
  const char *path;            /* of the file; NULL: in memory */
  const char *name;            /* of the scenario */
  const char *version;         /* of Flange that wrote it */
  const char *status;          /* "complete", "running": it was killed, .. */
  const char *scene;           /* JSON; "": there is none */
  const char *summary;         /* JSON; "": there is none */
  const char *scenario;        /* its text */
  const char *x_name, *x_unit; /* of a table: what rows go over; NULL: time, in seconds */
  int64_t rows;
  flg_signal *signals; /* (signal_count) without time and list, by name */
  int signal_count;
  flg_signal list;   /* width 0: there is none */
  int64_t list_rows; /* entries */
  /* Rows first, first + every, .. of a signal, count of them, row by row. */
  flg_status (*read)(const struct flg_recording *recording, int signal, int64_t first,
                     int64_t count, int64_t every, double *values, flg_error *error);
  const void *source; /* of read */
  flg_region region;
} flg_recording;

/* Set-up: opens a results file (.h5) to read. FLG_ERR_INPUT: it is none. Release in any case. */
flg_status flg_recording_open(flg_recording *recording, const char *path, flg_error *error);
/* Set-up: the same of a table of comma-separated values (text/csv.h), which results may be, too. */
flg_status flg_recording_open_csv(flg_recording *recording, const char *path, flg_error *error);
void flg_recording_release(flg_recording *recording);
/* The number of a signal by its name; -1 if there is none. */
int flg_recording_find(const flg_recording *recording, const char *name);

#endif
