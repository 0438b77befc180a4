#include "compose/pressures.h"

#include <string.h>

#include "compose/anchors.h"

/* a table on its way to pressures */
typedef struct reading {
  const flg_loader *loader;
  const char *path;
  flg_anchors anchors;
  const flg_table *table;
  flg_name_index names; /* of the points so far */
  flg_anchor *points;   /* (points) */
  int *target;          /* (columns) which number of a row a column is */
  int count;
} reading;

static void complain_of_column(const reading *read, const char *column, const char *what,
                               const char *hint) {
  flg_mistake_add(read->loader->mistakes, FLG_ERR_INPUT,
                  (flg_place){.file = read->path, .line = 1, .column = 1}, "column '%s': %s%s",
                  column, what, hint);
}

/* the number of a point of that name, which is a new one or known; -1 with a mistake */
static int pressure_find_point(reading *read, const char *column, const char *name) {
  const int known = flg_name_index_find(&read->names, name);
  if (known >= 0) return known;
  char hint[FLG_HINT_TEXT];
  if (!flg_anchors_find(&read->anchors, name, &read->points[read->count])) {
    complain_of_column(read, column, "there is no such body, marker or port",
                       flg_anchors_hint(&read->anchors, name, read->loader->mistakes, hint));
    return -1;
  }
  flg_name_index_add(&read->names, name, read->count, read->loader->region);
  return read->count++;
}

/* "hand/U.z" */
static void pressure_find_column(reading *read, size_t index) {
  const char *column = read->table->names[index], *dot = strrchr(column, '.');
  const size_t length = dot == NULL ? 0 : (size_t)(dot - column);
  if (length == 0 || dot[1] < 'x' || dot[1] > 'z' || dot[2] != '\0') {
    complain_of_column(read, column, "expected a point and an axis, as in hand/U.z", "");
    return;
  }
  const char *name = flg_region_text(read->loader->region, column, length);
  const int point = name == NULL ? -1 : pressure_find_point(read, column, name);
  if (point >= 0) read->target[index] = 3 * point + (dot[1] - 'x');
}

static void fill_curve(const reading *read, flg_curve *curve) {
  const flg_table *table = read->table;
  const size_t width = 3 * (size_t)read->count;
  double *times = flg_region_take(read->loader->region, table->rows, sizeof *times);
  double *values = flg_region_take(read->loader->region, table->rows * width, sizeof *values);
  if (times == NULL || values == NULL) return;
  memset(values, 0, table->rows * width * sizeof *values);
  for (size_t row = 0; row < table->rows; row++) {
    const double *from = table->values + row * table->columns;
    times[row] = from[0];
    for (size_t k = 1; k < table->columns; k++) {
      values[row * width + (size_t)read->target[k]] = from[k];
    }
  }
  *curve = (flg_curve){.kind = FLG_CURVE_LINEAR,
                       .knots = (int)table->rows,
                       .width = (int)width,
                       .times = times,
                       .values = values};
}

static bool pressure_read_table(reading *read) {
  const flg_source *from = &read->loader->source;
  read->table = from->ops->table(from->self, read->path, (flg_place){0});
  if (read->table != NULL && strcmp(read->table->names[0], "time") != 0) {
    complain_of_column(read, read->table->names[0], "the first column is expected to be time", "");
  }
  return read->table != NULL && read->loader->mistakes->count == 0;
}

void flg_compose_pressures(const flg_loader *loader, const char *path, const flg_assembly *assembly,
                           flg_pressures *pressures) {
  reading read = {.loader = loader,
                  .path = path,
                  .anchors = flg_anchors_of(flg_assembly_component(assembly), loader->region)};
  if (pressure_read_table(&read)) {
    const size_t most = read.table->columns;
    read.points = flg_region_take(loader->region, most, sizeof *read.points);
    read.target = flg_region_take(loader->region, most, sizeof *read.target);
    for (size_t k = 1; k < most && !loader->region->failed; k++) pressure_find_column(&read, k);
    if (loader->mistakes->count == 0 && !loader->region->failed) {
      fill_curve(&read, &pressures->curve);
    }
    pressures->count = read.count, pressures->points = read.points;
  }
}
