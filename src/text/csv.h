/* csv.h - a table of numbers from a text file: torques, trajectories, results.
 *
 *     # a comment                        lines that start with # and blank lines are skipped
 *     time [s],joint1 [N m],"a, b"       names, each with its unit in brackets or without one
 *     0,1.5,2                            one number for each name
 *
 * The names are separated by commas, semicolons or tabs, whichever there are most of; the numbers
 * have to follow them. Numbers have a decimal point, whatever the locale, and are rounded
 * correctly. Lines end in LF or CRLF; a UTF-8 byte order mark is skipped. A mistake is reported as
 * `file:line:column: sentence`, the column in bytes from 1.
 */
#ifndef FLG_CSV_H
#define FLG_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "flange/status.h"

enum { FLG_CSV_MAX_COLUMNS = 1 << 20 };

typedef struct flg_csv_options {
  bool increasing;      /* each number in the first column has to be larger than the one before */
  bool allow_nonfinite; /* nan and inf are numbers too */
  bool allow_no_rows;   /* names alone are a table */
  bool drop_torn_line;  /* a last line without a line end is what a killed run left: skip it */
} flg_csv_options;

typedef struct flg_csv_table {
  size_t rows, columns;
  const double *values;     /* (rows x columns) row-major: row k starts at values + k*columns */
  const char *const *names; /* (columns) unique, not empty, without the unit */
  const char *const *units; /* (columns) "" if there is none */
  const char *comments;     /* text of the comment lines without "#" and one blank, each with \n */
  void *memory;             /* all of the above; freed by release */
} flg_csv_table;

/* All false. */
flg_csv_options flg_csv_default(void);
/* Set-up: reads a whole file of at most FLG_LIMIT_TABLE MiB. FLG_ERR_MISSING if it cannot be read,
 * FLG_ERR_INPUT for a mistake in it. */
flg_status flg_csv_read(const char *path, const flg_csv_options *options, flg_csv_table *table,
                        flg_error *error);
/* Set-up: the same for a text in memory (size bytes, no terminator needed); name stands for the
 * file in messages. */
flg_status flg_csv_parse(const char *name, const char *text, size_t size,
                         const flg_csv_options *options, flg_csv_table *table, flg_error *error);
void flg_csv_release(flg_csv_table *table);

#endif
