/* recordings.h - results written to files, row by row, and read again.
 *
 *     flg_writer *writer;
 *     flg_writer_open(&writer, "pendulum.h5", simulation, &error);
 *     while (!flg_simulation_ended(simulation)) {
 *       if (flg_simulation_step(simulation, &error) != FLG_OK) break;
 *       flg_writer_record(writer, simulation, &error);
 *     }
 *     flg_writer_close(writer, "complete", &error);
 *
 * A row is a time and the values of all signals. The end of the path chooses the format, .h5 or .csv (docs/results.md).
 * A file is whole only if it says how it ended; rows that were written before a program is killed stay readable. All
 * writers and readers together are used by one thread at a time: HDF5 is not built for threads.
 */
#ifndef FLG_RECORDINGS_H
#define FLG_RECORDINGS_H

#include <stdint.h>

#include "flange/simulation.h"

/* A results file that is being written. */
typedef struct flg_writer flg_writer;
/* A results file that is read. */
typedef struct flg_reader flg_reader;

/* --- writers
 * Owns: the caller, who closes the writer. When: always, but for those that name the simulation. Fails: status,
 * FLG_ERR_OUTPUT for files. */

/* Set-up: creates a file for the signals that a simulation records, and writes its first row: now. Refuses a file that
 * is there and holds anything else than results. */
FLG_API flg_status flg_writer_open(flg_writer **writer, const char *path, flg_simulation *simulation, flg_error *error);
/* Set-up: the same with all that `flange report` and `flange view` show: poses, contacts, interfaces. For .h5 alone;
 * its rows are written by flg_writer_record. */
FLG_API flg_status flg_writer_open_view(flg_writer **writer, const char *path, flg_simulation *simulation,
                                        flg_error *error);
/* Set-up: the same for signals of the program's own. @param name for people; may be NULL @param signals (count),
 * borrowed during the call */
FLG_API flg_status flg_writer_open_signals(flg_writer **writer, const char *path, const char *name,
                                           const flg_signal *signals, int count, flg_error *error);
/* Writes a row: time and all that the simulation records. Of a writer of that simulation. */
FLG_API flg_status flg_writer_record(flg_writer *writer, flg_simulation *simulation, flg_error *error);
/* Writes a row. @param values (count) of all signals, in their order @param count sum of their widths */
FLG_API flg_status flg_writer_row(flg_writer *writer, double time, const double *values, int count, flg_error *error);
/* Ends the file and frees the writer, whatever it returns; NULL is allowed. @param status how the run ended:
 * "complete", "interrupted", "diverged"; NULL: the file is left without an end */
FLG_API flg_status flg_writer_close(flg_writer *writer, const char *status, flg_error *error);

/* --- readers
 * Owns: the caller the reader, which he closes; the reader all texts and signals. When: always. Fails: status,
 * FLG_ERR_MISSING and FLG_ERR_INPUT for files; NULL, 0. */

/* Opens results, .h5 or .csv. No size in the file is trusted. */
FLG_API flg_status flg_reader_open(flg_reader **reader, const char *path, flg_error *error);
FLG_API void flg_reader_close(flg_reader *reader);                 /* frees it; NULL is allowed */
FLG_API int64_t flg_reader_rows(const flg_reader *reader);         /* how many there are */
FLG_API const char *flg_reader_scenario(const flg_reader *reader); /* as text */
/* How the run ended: "complete", ..; "running" of one that was killed; "" of CSV, which is read as any table. */
FLG_API const char *flg_reader_status(const flg_reader *reader);
/* All signals but time. @param[out] count how many */
FLG_API const flg_signal *flg_reader_signals(const flg_reader *reader, int *count);
/* The number of a signal by its name, -1 for "time"; -2 if there is none. */
FLG_API int flg_reader_find(const flg_reader *reader, const char *name);
/* Reads rows of a signal, one after the other. @param signal number of it; -1: the times @param first row @param count
 * rows @param values (count x width of the signal) */
FLG_API flg_status flg_reader_read(const flg_reader *reader, int signal, int64_t first, int64_t count, double *values,
                                   flg_error *error);

#endif
