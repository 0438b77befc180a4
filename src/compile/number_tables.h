/* number_tables.h - tables of numbers of a generated source, each number written once.
 *
 * Frames of joints, inertias and starts of large mechanisms repeat: identities, zeros, the turn of
 * a body in all of its joints. The library has the distinct numbers, and for each column of a table
 * their places, in 16 bits where these suffice; a column whose numbers are all equal has one place.
 * When it is loaded it lays out
 *
 *     static double name[rows][columns];      (name[rows], if there is one column)
 *
 * before anyone calls it; nothing writes to them later.
 */
#ifndef FLG_COMPILE_NUMBER_TABLES_H
#define FLG_COMPILE_NUMBER_TABLES_H

#include <stdio.h>

#include "base/region.h"

enum { FLG_NUMBER_TABLES_MAX = 32 };

typedef struct flg_number_table {
  const char *name;
  int rows, columns;
  double *values; /* (rows x columns) by rows */
} flg_number_table;

typedef struct flg_number_tables {
  flg_region *region;
  int count;
  flg_number_table list[FLG_NUMBER_TABLES_MAX];
} flg_number_tables;

/* Adds a table, of zeros so far, and returns its values for the caller to fill; NULL: no memory
 * (region->failed). name: a literal. */
double *flg_number_tables_add(flg_number_tables *of, const char *name, int rows, int columns);
/* Adds a table with these values. */
void flg_number_tables_put(flg_number_tables *of, const char *name, int rows, int columns,
                           const double *values);
/* Writes all of them. */
void flg_number_tables_write(const flg_number_tables *of, FILE *out);

#endif
