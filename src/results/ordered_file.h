/* ordered_file.h - an HDF5 file that is valid at every moment, whenever its writer is killed.
 *
 * HDF5 writes its metadata in an order of its own; a run killed in between leaves a file that
 * cannot be opened. This file driver holds back what would change the valid part of the file:
 *
 *     past the committed end, and raw data   written at once: no reader looks there yet
 *     metadata before the committed end      kept in memory until commit
 *     commit                                 first the size of the file and the superblock that
 *                                            tells it, then B-trees from the root to the leaves
 *                                            (which know the new chunks), then heaps, and object
 *                                            headers (which tell how many rows there are) last
 *
 * so that after each of the writes a reader sees the old rows or more. Raw data must only ever be
 * appended. Killing the process is survived. Loss of power is survived by files that are closed:
 * only close waits for the disk.
 *
 * A failed write (disk full) is remembered, and HDF5 gets success while everything from
 * then on stays in memory: HDF5 neither retries, prints nor hangs when it closes such a file.
 * The file keeps what was committed. The file itself is plain HDF5, for any reader.
 */
#ifndef FLG_ORDERED_FILE_H
#define FLG_ORDERED_FILE_H

#include <stdbool.h>

#include "flange/status.h"
#include "results/hdf5_library.h"

typedef struct flg_ordered_file flg_ordered_file;

/* Creates a regular file, or empties one, as flg_results_file_open does. */
flg_status flg_ordered_file_open(flg_ordered_file **file, const char *path, bool writes_over,
                                 flg_error *error);
/* A file access list for one H5Fcreate, to be closed by the caller; negative if HDF5 fails. */
hid_t flg_ordered_file_access(flg_ordered_file *file);
/* After H5Fflush: makes all that was written part of the file. FLG_ERR_OUTPUT if any write since
 * open has failed. */
flg_status flg_ordered_file_commit(flg_ordered_file *file, flg_error *error);
/* After the first commit: gives the file its name, as flg_results_file_publish does. */
flg_status flg_ordered_file_publish(flg_ordered_file *file, flg_error *error);
/* After H5Fclose; what was not committed is lost. FLG_ERR_OUTPUT if the system reports a failure
 * only now. ends: the file is whole; it is on the disk when this returns. file may be NULL. */
flg_status flg_ordered_file_close(flg_ordered_file *file, bool ends, flg_error *error);

#endif
