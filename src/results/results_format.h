/* results_format.h - what a file format has to do for results.c; one table each. */
#ifndef FLG_RESULTS_FORMAT_H
#define FLG_RESULTS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

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
/* Opens path for reading and writing, empty, for one writer; -1 with a message that says why not. A
 * file that is there and holds no results is left as it is, unless it may be written over. */
int flg_results_create(const char *path, bool writes_over, flg_error *error);
/* FLG_ERR_OUTPUT: "path cannot be written: reason." */
flg_status flg_results_fail(const char *path, int reason, flg_error *error);
/* FLG_ERR_OUTPUT if the file of that path is no longer the open one, or is shorter than the bytes
 * that were written to it. Pipes and standard output ("-") are taken as they are. */
flg_status flg_results_look(int descriptor, const char *path, off_t written, flg_error *error);
/* Appends text that ends with its line, whole or not at all, after flg_results_look; *written
 * grows.
 */
flg_status flg_results_put(int descriptor, const char *path, const char *text, size_t count,
                           off_t *written, flg_error *error);
/* Waits until the name of a file is on the disk. */
void flg_results_sync_name(const char *path);
/* Looks once more, waits until the file and its name are on the disk, and closes it; `ends` is
 * false for a run that failed: nothing is looked at or waited for. */
flg_status flg_results_end(int descriptor, const char *path, off_t written, bool ends,
                           flg_error *error);

#endif
