/* results_format.h - what a file format has to do for results.c; one table each. */
#ifndef FLG_RESULTS_FORMAT_H
#define FLG_RESULTS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "results/results.h"

typedef struct flg_results_format {
  /* Creates the file with all that is known before the first row. The header is checked. */
  flg_status (*open)(void **file, const char *path, const flg_results_header *header,
                     flg_error *error);
  /* Appends rows (count x (1 + w)), row-major, time first, and hands them to the system. */
  flg_status (*append)(void *file, const double *rows, size_t count, flg_error *error);
  /* Optional. Appends entries (count x width) to the list, and hands them to the system. */
  flg_status (*append_list)(void *file, const double *entries, size_t count, flg_error *error);
  /* Optional. Stores the summary. */
  flg_status (*summarise)(void *file, const char *summary, flg_error *error);
  /* Writes the status unless it is NULL, and releases the file in any case. */
  flg_status (*close)(void *file, const char *status, flg_error *error);
} flg_results_format;

extern const flg_results_format flg_results_csv;
extern const flg_results_format flg_results_hdf5;

/* The name of component k of a signal, "x" or "2"; number (12) is used if it has no names. */
const char *flg_signal_component(const flg_signal *signal, int k, char *number);
/* Columns of a row: 1 + w. */
size_t flg_results_columns(const flg_results_header *header);

#endif
