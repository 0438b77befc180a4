/* joint_table.h - numbers for joints over time, gathered row by row, then written as a CSV that
 * controllers read: `time [s],joint1 [rad],..`, a row for each sample from time 0 on.
 *
 * All or nothing: the file appears, under its name, when it is whole.
 */
#ifndef FLG_JOINT_TABLE_H
#define FLG_JOINT_TABLE_H

#include <stdint.h>

#include "robot/robot_subsystem.h"

typedef enum flg_joint_quantity { FLG_JOINT_POSITIONS, FLG_JOINT_FORCES } flg_joint_quantity;

typedef struct flg_joint_table {
  const flg_robot_subsystem *subsystem;
  int count;             /* joints */
  const int *velocities; /* (count) where they stand in v, one coordinate each */
  flg_joint_quantity quantity;
  double sample; /* [s] */
  int64_t rows;
  double *values; /* (rows x count), row by row */
} flg_joint_table;

/* The largest rate of change from row to row, and where. */
typedef struct flg_joint_rate {
  double rate;   /* [rad/s or m/s] */
  double excess; /* the largest rate over its joint's speed limit; 0: none has one */
  int joint;     /* of the model, that has the largest excess; -1 if none has a limit */
  double time;   /* of it [s] */
} flg_joint_rate;

/* Set-up: room for the rows; all but values is set by the caller. FLG_ERR_USAGE if they are too
 * many. Release with flg_joint_table_release. */
flg_status flg_joint_table_build(flg_joint_table *table, flg_error *error);
void flg_joint_table_release(flg_joint_table *table);
/* Where a row goes. */
double *flg_joint_table_row(const flg_joint_table *table, int64_t row);
flg_joint_rate flg_joint_table_rate(const flg_joint_table *table);
/* Writes the file, whose name must end in .csv; `name` is written to it. */
flg_status flg_joint_table_write(const flg_joint_table *table, const char *path, const char *name,
                                 flg_error *error);

#endif
