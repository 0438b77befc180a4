#include "io/joint_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "results/results.h"

static const double MOST_NUMBERS = 1 << 27; /* a gigabyte */
static const char EXTENSION[] = ".csv";

flg_status flg_joint_table_build(flg_joint_table *table, flg_error *error) {
  const double numbers = (double)table->rows * table->count;
  if (numbers > MOST_NUMBERS) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "%.4g samples of %d joints are too many to be held; choose a longer sample.",
                    (double)table->rows, table->count);
  }
  table->values = calloc((size_t)numbers + 1, sizeof *table->values);
  if (table->values == NULL) {
    return flg_fail(error, FLG_ERR_MEMORY, "No memory is left for %.4g samples of %d joints.",
                    (double)table->rows, table->count);
  }
  return FLG_OK;
}

void flg_joint_table_release(flg_joint_table *table) {
  free(table->values);
  table->values = NULL;
}

double *flg_joint_table_row(const flg_joint_table *table, int64_t row) {
  return table->values + row * table->count;
}

static const flg_joint *joint_of_table_column(const flg_joint_table *table, int column) {
  const flg_robot *robot = &table->subsystem->robot;
  int link = 0;
  while (robot->links[link].velocity != table->velocities[column]) link++;
  return &table->subsystem->model->joints[robot->links[link].joint];
}

flg_joint_rate flg_joint_table_rate(const flg_joint_table *table) {
  flg_joint_rate found = {.joint = -1};
  for (int k = 0; k < table->count; k++) {
    const flg_joint *joint = joint_of_table_column(table, k);
    const double *value = table->values + k;
    for (int64_t row = 1; row < table->rows; row++, value += table->count) {
      const double rate = fabs(value[table->count] - value[0]) / table->sample;
      found.rate = fmax(found.rate, rate);
      if (!(rate > found.excess * joint->speed_limit)) continue;
      found.excess = rate / joint->speed_limit;
      found.joint = (int)(joint - table->subsystem->model->joints);
      found.time = (double)row * table->sample;
    }
  }
  return found;
}

/* ---- writing ---- */

static void joint_table_describe(const flg_joint_table *table, flg_signal *signals) {
  static const char *const turns[] = {"rad", "N m"}, *const slides[] = {"m", "N"};
  for (int k = 0; k < table->count; k++) {
    const flg_joint *joint = joint_of_table_column(table, k);
    const bool slides_along = joint->kind == FLG_JOINT_PRISMATIC;
    signals[k] = (flg_signal){
        .name = joint->name, .unit = (slides_along ? slides : turns)[table->quantity], .width = 1};
  }
}

static flg_status write_table_rows(const flg_joint_table *table, const char *path, const char *name,
                                   const flg_signal *signals, flg_error *error) {
  const flg_results_header header = {
      .name = name, .signals = signals, .signal_count = table->count};
  flg_results *results = NULL;
  flg_status status = flg_results_open(&results, path, &header, error);
  for (int64_t row = 0; row < table->rows && status == FLG_OK; row++) {
    status = flg_results_write(results, (double)row * table->sample,
                               flg_joint_table_row(table, row), error);
  }
  const flg_status closed = flg_results_close(results, status == FLG_OK ? "complete" : NULL,
                                              status == FLG_OK ? error : NULL);
  return status == FLG_OK ? closed : status;
}

/* table.csv from table.part.csv */
static flg_status write_beside(const flg_joint_table *table, const char *path, const char *name,
                               char *beside, size_t bytes, flg_signal *signals, flg_error *error) {
  joint_table_describe(table, signals);
  snprintf(beside, bytes, "%.*s.part%s", (int)(strlen(path) - strlen(EXTENSION)), path, EXTENSION);
  const flg_status status = write_table_rows(table, beside, name, signals, error);
  if (status == FLG_OK && rename(beside, path) == 0) return FLG_OK;
  const int reason = errno;
  if (remove(beside) != 0) errno = reason; /* it may not be there */
  if (status != FLG_OK) return status;
  return flg_fail(error, FLG_ERR_OUTPUT, "'%s' cannot be written: %s.", path, strerror(reason));
}

flg_status flg_joint_table_write(const flg_joint_table *table, const char *path, const char *name,
                                 flg_error *error) {
  const size_t length = strlen(path), tail = strlen(EXTENSION), bytes = length + 6;
  if (length <= tail || strcasecmp(path + length - tail, EXTENSION) != 0) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "'%s' is no name for a table of joints; expected one that ends in .csv.", path);
  }
  if (!flg_results_may_replace(path)) {
    return flg_fail(error, FLG_ERR_OUTPUT,
                    "'%s' is an input, or was not written by Flange; it is left as it is.", path);
  }
  char *beside = malloc(bytes);
  flg_signal *signals = calloc((size_t)table->count + 1, sizeof *signals);
  flg_status status = FLG_ERR_MEMORY;
  if (beside == NULL || signals == NULL) {
    flg_fail(error, status, "No memory is left to write '%s'.", path);
  } else {
    status = write_beside(table, path, name, beside, bytes, signals, error);
  }
  free(beside);
  free(signals);
  return status;
}
