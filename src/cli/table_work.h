/* table_work.h - what verbs that make tables of joints have in common: row by row, with progress,
 * into the file of --output.
 */
#ifndef FLG_TABLE_WORK_H
#define FLG_TABLE_WORK_H

#include "cli/arguments.h"
#include "io/joint_table.h"

/* Makes the next row (count of the table). */
typedef flg_status flg_row_maker(void *maker, double *row, flg_error *error);

/* Builds the table, which is released by the caller, fills it and writes it; nothing is written
 * unless all rows are there. `name` is written to it. */
flg_status flg_table_work(const flg_arguments *arguments, flg_joint_table *table,
                          flg_row_maker *make_row, void *maker, const char *name, flg_error *error);

#endif
