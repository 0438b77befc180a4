/* plot_columns.h - columns of recordings by the names that users write, for flange plot.
 *
 *     signal              all its components
 *     signal.component    one of them
 *     signal.norm         the Euclidean norm of all
 *
 * In tables each column is a signal by its whole name; what follows the last point is the
 * component.
 */
#ifndef FLG_PLOT_COLUMNS_H
#define FLG_PLOT_COLUMNS_H

#include "base/growing.h"
#include "results/recording.h"

typedef struct flg_plot_column {
  const char *name; /* with its component */
  const char *unit; /* "": none */
  double *values;   /* (rows of the recording) */
} flg_plot_column;

/* A recording that is drawn. */
typedef struct flg_plot_file {
  flg_recording recording;
  const char *label;
  bool is_reference;
  double *x; /* (rows) what it is drawn over */
} flg_plot_file;

/* Set-up: opens results (.h5) or a table (.csv), and reads its times. */
bool flg_plot_is_file(const char *word);
flg_status flg_plot_file_open(flg_plot_file *file, const char *path, flg_region *region,
                              flg_error *error);
/* Set-up: what a name stands for, as columns (flg_plot_column); `is_norm`: of all of them the norm
 * is meant. FLG_ERR_USAGE if there is nothing of that name. */
flg_status flg_plot_columns_find(const flg_plot_file *file, const char *name, flg_growing *columns,
                                 bool *is_norm, flg_region *region, flg_error *error);
/* Set-up: the norm of columns takes their place. */
flg_status flg_plot_columns_join(flg_growing *columns, const char *name, int64_t rows,
                                 flg_region *region, flg_error *error);

#endif
