#include "compile/number_tables.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compile/source_text.h"

/* Numbers are told apart by their bits: -0 and NaN keep theirs. */
typedef struct distinct_numbers {
  uint64_t *bits; /* (count) sorted */
  size_t count;
} distinct_numbers;

static int compare_bits(const void *a, const void *b) {
  uint64_t one, other;
  memcpy(&one, a, sizeof one);
  memcpy(&other, b, sizeof other);
  return (one > other) - (one < other);
}

double *flg_number_tables_add(flg_number_tables *of, const char *name, int rows, int columns) {
  assert(of->count < FLG_NUMBER_TABLES_MAX);
  double *values = flg_region_take(of->region, (size_t)rows * (size_t)columns + 1, sizeof *values);
  of->list[of->count++] = (flg_number_table){name, rows, columns, values};
  return values;
}

void flg_number_tables_put(flg_number_tables *of, const char *name, int rows, int columns,
                           const double *values) {
  double *to = flg_number_tables_add(of, name, rows, columns);
  if (to != NULL) memcpy(to, values, (size_t)rows * (size_t)columns * sizeof *to);
}

static bool find_distinct(const flg_number_tables *of, distinct_numbers *found) {
  size_t all = 0;
  for (int t = 0; t < of->count; t++) all += (size_t)of->list[t].rows * (size_t)of->list[t].columns;
  found->bits = flg_region_take(of->region, all + 1, sizeof *found->bits);
  if (of->region->failed) return false;
  uint64_t *to = found->bits;
  for (int t = 0; t < of->count; t++) {
    const size_t count = (size_t)of->list[t].rows * (size_t)of->list[t].columns;
    memcpy(to, of->list[t].values, count * sizeof *to);
    to += count;
  }
  qsort(found->bits, all, sizeof *found->bits, compare_bits);
  found->count = all == 0 ? 0 : 1;
  for (size_t k = 1; k < all; k++) {
    if (found->bits[k] != found->bits[k - 1]) found->bits[found->count++] = found->bits[k];
  }
  return true;
}

static int place_of(const distinct_numbers *of, const double *value) {
  const uint64_t *at = bsearch(value, of->bits, of->count, sizeof *of->bits, compare_bits);
  return (int)(at - of->bits);
}

static bool is_constant(const flg_number_table *table, int column) {
  for (int r = 1; r < table->rows; r++) {
    const double *at = table->values + (size_t)r * (size_t)table->columns + column;
    if (compare_bits(at, table->values + column) != 0) return false;
  }
  return true;
}

/* C has no empty arrays: a column without rows has a place that is never read. */
static void write_places(const flg_number_tables *of, const distinct_numbers *found, FILE *out) {
  for (int t = 0; t < of->count; t++) {
    const flg_number_table *table = &of->list[t];
    for (int c = 0; c < table->columns; c++) {
      const int rows = table->rows > 1 && is_constant(table, c) ? 1 : table->rows;
      fprintf(out, "static const number_place places_%d_%d[] = {", t, c);
      for (int r = 0; r < rows; r++) {
        const double *at = table->values + (size_t)r * (size_t)table->columns + c;
        fprintf(out, "%d,", place_of(found, at));
      }
      fputs(rows == 0 ? "0};\n" : "};\n", out);
    }
  }
}

static void write_unpacking(const flg_number_tables *of, FILE *out) {
  fputs("__attribute__((constructor)) static void unpack_tables(void) {\n", out);
  for (int t = 0; t < of->count; t++) {
    const flg_number_table *table = &of->list[t];
    for (int c = 0; c < table->columns; c++) {
      fprintf(out, "  unpack((double *)%s + %d, %d, %d, places_%d_%d, %d);\n", table->name, c,
              table->rows, table->columns, t, c, !is_constant(table, c));
    }
  }
  fputs("}\n\n", out);
}

void flg_number_tables_write(const flg_number_tables *of, FILE *out) {
  distinct_numbers found;
  if (of->region->failed || !find_distinct(of, &found)) return;
  fprintf(out, "typedef unsigned %s number_place;\n", found.count <= UINT16_MAX ? "short" : "int");
  fputs("static const double distinct_numbers[] = {", out);
  for (size_t k = 0; k < found.count; k++) {
    double value;
    memcpy(&value, &found.bits[k], sizeof value);
    flg_text_values(&value, 1, out);
  }
  fputs("0};\n", out);
  write_places(of, &found, out);
  for (int t = 0; t < of->count; t++) {
    const flg_number_table *table = &of->list[t];
    fprintf(out, "static double %s[%d]", table->name, table->rows > 0 ? table->rows : 1);
    if (table->columns > 1) fprintf(out, "[%d]", table->columns);
    fputs(";\n", out);
  }
  fputs(
      "static void unpack(double *to, int rows, int columns, const number_place *from, int step) "
      "{\n"
      "  for (int k = 0; k < rows; k++) to[k * columns] = distinct_numbers[from[k * step]];\n}\n\n",
      out);
  write_unpacking(of, out);
}
