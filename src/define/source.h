/* source.h - where a composition takes models, components and tables from, by the names that
 * definitions give them.
 *
 * io/file_source.h reads them from disk, each file once. Mistakes go where the source was set to
 * put them when it was made, each once: an answer NULL that was given before comes without a new
 * mistake. What a source hands out stays until the source is released. Set-up only.
 */
#ifndef FLG_SOURCE_H
#define FLG_SOURCE_H

#include <stddef.h>

#include "define/component_definition.h"
#include "model/mass_properties.h"

/* A component file. The source has one for each file, however often it is used. */
typedef struct flg_component_file {
  const char *path;
  bool broken; /* set by the builder: what is wrong inside has been reported */
} flg_component_file;

/* Numbers over time, the times in the first column, increasing. */
typedef struct flg_table {
  size_t rows, columns;
  const double *values;     /* (rows x columns) row-major */
  const char *const *names; /* (columns) */
  flg_name_index by_name;   /* of all columns, or empty */
} flg_table;

typedef struct flg_source_ops {
  /* True if a name means a component; false: a robot, or something that cannot be read. */
  bool (*is_component)(void *self, const char *path);
  /* The model of a robot; NULL with a mistake. */
  const flg_model *(*model)(void *self, const char *path, flg_reading reading, flg_place asked_at);
  /* A component file; NULL with a mistake. */
  flg_component_file *(*file)(void *self, const char *path, flg_place asked_at);
  /* The component of the file with the parameters (of flg_value) of one use; NULL without memory.
   */
  const flg_component_keys *(*component)(void *self, flg_component_file *file,
                                         const flg_items *parameters, flg_place asked_at);
  /* A table; NULL with a mistake. */
  const flg_table *(*table)(void *self, const char *path, flg_place asked_at);
  /* Gives shapes for contact that are meshes their vertices; those that cannot be read are
   * mistakes.
   */
  void (*read_meshes)(void *self, flg_shape *shapes, int count);
} flg_source_ops;

typedef struct flg_source {
  const flg_source_ops *ops;
  void *self;
} flg_source;

/* The column of that name, or -1. */
ptrdiff_t flg_table_column(const flg_table *table, const char *name);

#endif
