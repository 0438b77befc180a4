/* results_file.h - a file of results on the disk: one writer, whole lines, and a name of its own
 * only when it can be read.
 */
#ifndef FLG_RESULTS_FILE_H
#define FLG_RESULTS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "flange/status.h"

typedef struct flg_results_file {
  int descriptor;
  const char *path;   /* as the user calls it, of the caller; "-": standard output */
  char *beside;       /* where it is until flg_results_file_publish; NULL: at its path */
  off_t written;      /* bytes that have to be in it */
  bool was_shortened; /* what was written had gone when more was */
} flg_results_file;

/* Opens an empty file for reading and writing. It lies beside `path`, so that a kill leaves what
 * was there before; devices, and files in folders that take no new ones, are opened as they are. A
 * file that is there and holds no results is left alone, unless it may be written over or begins
 * with `own` (may be NULL). FLG_ERR_OUTPUT says why not. */
flg_status flg_results_file_open(flg_results_file *file, const char *path, const char *own,
                                 bool writes_over, flg_error *error);
/* Makes the file readable: waits until it is on the disk and gives it its name. */
flg_status flg_results_file_publish(flg_results_file *file, flg_error *error);
/* FLG_ERR_OUTPUT if the file of that path is no longer the open one, or is shorter than the bytes
 * that were written to it. Pipes and standard output are taken as they are. */
flg_status flg_results_file_look(const flg_results_file *file, flg_error *error);
/* Looks, and appends text that ends with its line, whole or not at all. */
flg_status flg_results_file_put(flg_results_file *file, const char *text, size_t count,
                                flg_error *error);
/* Closes it; a file that was not published is gone. `ends`: looks once more, and waits until the
 * file and its name are on the disk; false for a run that failed. */
flg_status flg_results_file_close(flg_results_file *file, bool ends, flg_error *error);

/* FLG_ERR_OUTPUT: "path cannot be written: reason." */
flg_status flg_results_fail(const char *path, int reason, flg_error *error);
/* Waits until the name of a file is on the disk. */
void flg_results_sync_name(const char *path);

#endif
