#include "cli/table_work.h"

#include <stdio.h>

#include "cli/console.h"
#include "cli/progress.h"

static flg_status table_work_fill(const flg_arguments *arguments, const flg_joint_table *table,
                                  flg_row_maker *make_row, void *maker, flg_error *error) {
  const bool machine = flg_arguments_has(arguments, "machine-progress");
  const double end = (double)(table->rows - 1) * table->sample;
  flg_progress progress = flg_progress_begin(end, machine);
  flg_status status = FLG_OK;
  double time = 0;
  for (int64_t row = 0; row < table->rows && status == FLG_OK; row++) {
    time = (double)row * table->sample;
    status = make_row(maker, flg_joint_table_row(table, row), error);
    flg_progress_show(&progress, time);
  }
  flg_progress_end(&progress, time);
  return status;
}

flg_status flg_table_work(const flg_arguments *arguments, flg_joint_table *table,
                          flg_row_maker *make_row, void *maker, const char *name,
                          flg_error *error) {
  const char *output = flg_arguments_value(arguments, "output");
  flg_status status = flg_joint_table_build(table, error);
  if (status == FLG_OK) status = table_work_fill(arguments, table, make_row, maker, error);
  if (status != FLG_OK || output == NULL) return status;
  return flg_joint_table_write(table, output, name, error);
}
