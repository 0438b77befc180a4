/* Tables of comma-separated values as recordings: each column is a signal, the first is the time or
 * whatever the others go over. */
#include <string.h>

#include "results/recording.h"
#include "text/csv.h"

static flg_status read_rows_csv(const flg_recording *recording, int signal, int64_t first,
                                int64_t count, int64_t every, double *values, flg_error *error) {
  const flg_csv_table *table = recording->source;
  (void)error;
  for (int64_t k = 0; k < count; k++) {
    const size_t row = (size_t)(first + k * every);
    values[k] = table->values[row * table->columns + (size_t)(signal + 1)];
  }
  return FLG_OK;
}

static void release_table(void *table) {
  flg_csv_release(table);
}

/* "name: ..." among the comments, as results have it; "": none */
static const char *name_in(const char *comments, flg_region *region) {
  static const char key[] = "name: ";
  const char *at =
      strncmp(comments, key, strlen(key)) == 0 ? comments : strstr(comments, "\nname: ");
  if (at == NULL) return "";
  at += strlen(key) + (*at == '\n');
  const char *name = flg_region_text(region, at, strcspn(at, "\n"));
  return name == NULL ? "" : name;
}

flg_status flg_recording_open_csv(flg_recording *recording, const char *path, flg_error *error) {
  *recording = (flg_recording){.read = read_rows_csv};
  flg_region *region = &recording->region;
  flg_csv_table *table = flg_region_take(region, 1, sizeof *table);
  recording->path = flg_region_text(region, path, strlen(path));
  if (region->failed)
    return flg_fail(error, FLG_ERR_MEMORY, "There is no memory to read '%s'.", path);
  const flg_csv_options options = {
      .allow_nonfinite = true, .allow_no_rows = true, .drop_torn_line = true};
  const flg_status status = flg_csv_read(path, &options, table, error);
  if (status != FLG_OK) return status;
  flg_region_owe(region, release_table, table);
  recording->name = name_in(table->comments, region);
  recording->version = recording->status = recording->scene = recording->summary = "";
  recording->scenario = "";
  recording->rows = (int64_t)table->rows;
  recording->signal_count = (int)table->columns - 1;
  recording->signals = flg_region_take(region, table->columns, sizeof *recording->signals);
  recording->source = table;
  if (region->failed)
    return flg_fail(error, FLG_ERR_MEMORY, "There is no memory to read '%s'.", path);
  for (int k = 0; k < recording->signal_count; k++) {
    recording->signals[k] =
        (flg_signal){.name = table->names[k + 1], .unit = table->units[k + 1], .width = 1};
  }
  recording->x_name = table->names[0], recording->x_unit = table->units[0];
  return FLG_OK;
}
