/* contact_log.h - what 'flange run' tells of contacts: a table of all points that are near at every
 * recorded time, and what changed in between. As CSV shapes have names; in a file of results
 * (results/results.h, HDF5) they are numbers, which the legend names.
 *
 *     a, b        shapes; point: of a set of points, its name or number from 0 on, else -1
 *     position    m    half way between the surfaces; normal: unit, from a to b
 *     gap         m    press: along the normal, force: on b, mean over the last micro step [N]
 *     state       0 open, 1 sliding, 2 sticking
 */
#ifndef FLG_CONTACT_LOG_H
#define FLG_CONTACT_LOG_H

#include <stdio.h>

#include "base/log.h"
#include "cosim/touching.h"
#include "results/results.h"
#include "results/results_file.h"
#include "text/json.h"

enum { FLG_CONTACT_EVENTS = 200 }; /* that are kept; all are counted */

typedef struct flg_contact_log {
  const flg_simulation *simulation;
  const flg_log *log;
  const char *path; /* NULL: no table */
  FILE *table;      /* as CSV: lines on their way, in memory ... */
  char *text;       /* ... here ... */
  size_t text_bytes;
  flg_results_file on_disk; /* ... to this file, or ... */
  flg_results *results;     /* ... as HDF5 */
  int *first_shapes;        /* (subsystems) there: number of its first shape */
  flg_touching_watch watch;
  long event_count;
  struct flg_contact_note {
    double time;
    int subsystem, shapes[2];
    const char *what, *point;
  } events[FLG_CONTACT_EVENTS];
} flg_contact_log;

/* Set-up; path: of the table, NULL: none. A file that is there and is no such table is left alone,
 * unless it may be written over. Nothing is done where nothing can touch. */
flg_status flg_contact_log_open(flg_contact_log *log, const flg_simulation *simulation,
                                const char *path, bool writes_over, const flg_log *to,
                                flg_error *error);
/* At a recorded time. */
flg_status flg_contact_log_take(flg_contact_log *log, flg_error *error);
/* status: how the run ended, as in results/results.h. */
flg_status flg_contact_log_close(flg_contact_log *log, const char *status, flg_error *error);
/* The key `contacts` of a run. */
void flg_contact_log_json(const flg_contact_log *log, flg_json *json);
/* For people; complete: the run came to its end. */
void flg_contact_log_text(const flg_contact_log *log, bool complete);

#endif
