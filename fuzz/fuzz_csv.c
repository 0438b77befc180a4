/* Any bytes are a table or a mistake with its place, under the strictest and the laxest options. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds) {
  if (!holds) abort();
}

static void check_table(const flg_csv_table *table, const flg_csv_options *options) {
  demand(table->columns > 0 && (table->rows > 0 || options->allow_no_rows));
  for (size_t k = 0; k < table->columns; k++) {
    demand(table->names[k][0] != '\0' && strlen(table->units[k]) < SIZE_MAX);
  }
  for (size_t k = 0; k < table->rows * table->columns; k++) {
    demand(options->allow_nonfinite || isfinite(table->values[k]));
  }
  for (size_t k = 1; options->increasing && k < table->rows; k++) {
    demand(table->values[k * table->columns] > table->values[(k - 1) * table->columns]);
  }
  demand(strlen(table->comments) < SIZE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const flg_csv_options options[] = {
      {.increasing = true},
      {.allow_nonfinite = true, .allow_no_rows = true, .drop_torn_line = true},
      {.allow_nonfinite = true, .increasing = true}};
  for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
    flg_csv_table table = {0};
    flg_error error = {.status = FLG_OK};
    const flg_status status =
        flg_csv_parse("input", (const char *)data, size, &options[k], &table, &error);
    demand(status == error.status && (status == FLG_OK || status == FLG_ERR_INPUT));
    if (status == FLG_OK) {
      check_table(&table, &options[k]);
    } else {
      demand(table.memory == NULL && strncmp(error.message, "input:", 6) == 0);
    }
    flg_csv_release(&table);
  }
  return 0;
}
