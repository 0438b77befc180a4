#define _XOPEN_SOURCE 700 /* realpath */
#include "io/file_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/name_index.h"
#include "io/component_keys.h"
#include "io/flexible_keys.h"
#include "io/mesh_read.h"
#include "io/model_file.h"
#include "io/model_yaml.h"
#include "io/parameters.h"
#include "text/csv.h"
#include "text/document.h"

enum { RULES = FLG_INERTIA_FROM_SHAPES + 1 };

/* A file, whatever is in it. */
typedef struct file {
  flg_component_file component; /* first: handed out */
  const flg_node *root;         /* of YAML, as written; NULL: not read, or it could not be */
  bool was_asked;               /* as a component: mistakes have been reported */
  struct read_model {
    flg_model *model;       /* NULL: not read */
    bool is_good;           /* it has no mistakes */
  } models[RULES][2];       /* by flg_reading */
  double *values;           /* of its parameters when it was used last; NULL: not yet */
  flg_component_keys *keys; /* with these values */
  flg_csv_table read;       /* what the table consists of */
  flg_table table;
  bool was_table; /* it was read as one */
} file;

struct flg_file_source {
  flg_region *region;
  flg_mistakes *mistakes;
  flg_notices *notices;
  flg_growing list;       /* file * */
  flg_name_index by_name; /* as written, and as it is */
};

/* the number of a file that may go by several names; FLG_NAME_UNKNOWN: it is new and has `number`
 */
static int enter_file(flg_file_source *files, const char *path, int number) {
  const int known = flg_name_index_find(&files->by_name, path);
  if (known != FLG_NAME_UNKNOWN) return known;
  char *real = realpath(path, NULL);
  const char *kept = real == NULL ? path : flg_region_text(files->region, real, strlen(real));
  free(real);
  if (kept == NULL) return FLG_NAME_UNKNOWN;
  const int same = flg_name_index_add(&files->by_name, kept, number, files->region);
  flg_name_index_add(&files->by_name, path, same == FLG_NAME_UNKNOWN ? number : same,
                     files->region);
  return same;
}

/* NULL without memory */
static file *file_source_find(flg_file_source *files, const char *path) {
  const int known = enter_file(files, path, files->list.count);
  if (files->region->failed) return NULL; /* a name may be known without its file */
  if (known != FLG_NAME_UNKNOWN) return ((file **)files->list.items)[known];
  file *made = flg_region_take(files->region, 1, sizeof *made);
  file **entry = made == NULL ? NULL : flg_growing_add(&files->list, sizeof *entry, files->region);
  if (entry == NULL) return NULL;
  made->component.path = path;
  return *entry = made;
}

static bool has_key(const flg_node *root, const char *key) {
  return root != NULL && root->kind == FLG_NODE_MAP && flg_node_find(root, key) != NULL;
}

static const flg_node *root_of(flg_file_source *files, file *of, const char *path,
                               flg_place asked_at, flg_mistakes *mistakes) {
  if (of->root == NULL) {
    of->root = flg_document_read(files->region, path, asked_at, NULL, 0, mistakes);
  }
  return of->root;
}

/* a tree that was put, under any name, or a file with an ending of YAML */
static bool is_yaml(const flg_file_source *files, const char *path) {
  const int known = flg_name_index_find(&files->by_name, path);
  if (flg_path_is_yaml(path)) return true;
  return known != FLG_NAME_UNKNOWN && ((file **)files->list.items)[known]->root != NULL;
}

static bool is_component_file(void *self, const char *path) {
  flg_file_source *files = self;
  flg_mistakes unread = {0}; /* told by the reader of its kind */
  if (!is_yaml(files, path)) return false;
  file *of = file_source_find(files, path);
  const flg_node *root = of == NULL ? NULL : root_of(files, of, path, (flg_place){0}, &unread);
  if (of == NULL || (unread.count > 0 && unread.status == FLG_ERR_MEMORY)) {
    flg_mistake_add(files->mistakes, FLG_ERR_MEMORY, (flg_place){.file = path},
                    "no memory left to read the file");
  }
  return has_key(root, "flange-component");
}

/* --- models of robots ------------------------------------------------------------------------ */

static void read_model(flg_file_source *files, file *of, const char *path, flg_reading reading,
                       flg_place asked_at, flg_model *model) {
  if (!is_yaml(files, path)) {
    flg_model_read(model, path, reading, asked_at, files->region, files->mistakes);
    return;
  }
  *model = (flg_model){.file = path};
  const flg_node *root = root_of(files, of, path, asked_at, files->mistakes);
  if (root == NULL || !flg_model_rule_fits(reading, path, asked_at, files->mistakes)) return;
  flg_model_from_node(model, path, reading.floats, root, files->region, files->mistakes);
}

static const flg_model *model(void *self, const char *path, flg_reading reading,
                              flg_place asked_at) {
  flg_file_source *files = self;
  file *of = file_source_find(files, path);
  if (of == NULL) return NULL;
  struct read_model *read = &of->models[reading.inertia][reading.floats];
  if (read->model == NULL) {
    const int before = files->mistakes->count;
    flg_model *made = flg_region_take(files->region, 1, sizeof *made);
    if (made == NULL) return NULL;
    read_model(files, of, path, reading, asked_at, made);
    read->model = made;
    read->is_good = files->mistakes->count == before;
    if (read->is_good) flg_model_index(made, files->region);
    flg_notices_take(files->notices, made->notices, made->notice_count);
  }
  return read->is_good ? read->model : NULL;
}

/* --- components ------------------------------------------------------------------------------ */

static void check_component(flg_file_source *files, file *of, const char *path,
                            flg_place asked_at) {
  if (of->root == NULL && !flg_path_is_yaml(path)) {
    flg_mistake_add(files->mistakes, FLG_ERR_INPUT, asked_at,
                    "'%s' is not a component file by its name; expected .yaml at its end", path);
  } else if (has_key(root_of(files, of, path, asked_at, files->mistakes), "flange-model")) {
    flg_mistake_add(files->mistakes, FLG_ERR_INPUT, (flg_place){.file = path},
                    "this is a model, not a component; a component names it as the model of a "
                    "robot");
  }
}

static flg_component_file *component_file(void *self, const char *path, flg_place asked_at) {
  flg_file_source *files = self;
  file *of = file_source_find(files, path);
  if (of == NULL) return NULL;
  const int before = files->mistakes->count;
  if (!of->was_asked) check_component(files, of, path, asked_at);
  of->was_asked = true;
  if (files->mistakes->count > before) of->component.broken = true;
  return of->root == NULL || of->component.broken ? NULL : &of->component;
}

static bool are_same_files(const file *of, flg_parameters parameters) {
  for (int k = 0; k < parameters.count; k++) {
    if (of->values[k] != parameters.items[k].value) return false;
  }
  return true;
}

/* often the parameters are the same as the last time */
static const flg_component_keys *component(void *self, flg_component_file *handed,
                                           const flg_items *given, flg_place asked_at) {
  flg_file_source *files = self;
  file *of = (file *)handed;
  const flg_parameter_use use = {.path = handed->path,
                                 .asked_at = asked_at,
                                 .given = given,
                                 .is_first = of->values == NULL,
                                 .region = files->region,
                                 .mistakes = files->mistakes};
  const flg_parameters parameters = flg_parameters_of(&use, of->root);
  if (files->region->failed) return NULL;
  if (of->values != NULL && are_same_files(of, parameters)) return of->keys;
  const int before = files->mistakes->count;
  const flg_node *root = flg_parameters_apply(&use, of->root, parameters);
  double *values = flg_region_take(files->region, (size_t)parameters.count, sizeof *values);
  flg_component_keys *keys = flg_region_take(files->region, 1, sizeof *keys);
  if (root == NULL || values == NULL || keys == NULL) return NULL;
  for (int k = 0; k < parameters.count; k++) values[k] = parameters.items[k].value;
  of->values = values;
  of->keys = NULL;
  if (flg_schema_read(&flg_component_section, root, keys, files->region, files->mistakes)) {
    flg_flexible_resolve_all(keys, files->region, files->mistakes);
    of->keys = keys;
  }
  if (files->mistakes->count > before) handed->broken = true;
  return of->keys;
}

/* --- tables and meshes ----------------------------------------------------------------------- */

static const flg_table *table(void *self, const char *path, flg_place asked_at) {
  flg_file_source *files = self;
  file *of = file_source_find(files, path);
  if (of == NULL) return NULL;
  if (!of->was_table) {
    flg_csv_options options = flg_csv_default();
    options.increasing = true;
    flg_error error;
    const flg_status status = flg_csv_read(path, &options, &of->read, &error);
    if (status != FLG_OK) flg_mistake_add(files->mistakes, status, asked_at, "%s", error.message);
    of->was_table = true;
    of->table =
        (flg_table){.rows = of->read.rows,
                    .columns = of->read.columns,
                    .values = of->read.values,
                    .names = of->read.names,
                    .by_name = FLG_INDEX(of->read.names, (int)of->read.columns, files->region)};
  }
  return of->read.memory == NULL ? NULL : &of->table;
}

static void read_mesh_files(void *self, flg_shape *shapes, int count) {
  const flg_file_source *files = self;
  flg_meshes_read(shapes, count, files->region, files->mistakes);
}

/* --- the source ------------------------------------------------------------------------------ */

flg_file_source *flg_file_source_build(flg_region *region, flg_mistakes *mistakes,
                                       flg_notices *notices) {
  flg_file_source *files = flg_region_take(region, 1, sizeof *files);
  if (files != NULL) {
    *files = (flg_file_source){.region = region, .mistakes = mistakes, .notices = notices};
  }
  return files;
}

flg_source flg_file_source_view(flg_file_source *files) {
  static const flg_source_ops ops = {.is_component = is_component_file,
                                     .model = model,
                                     .file = component_file,
                                     .component = component,
                                     .table = table,
                                     .read_meshes = read_mesh_files};
  return (flg_source){&ops, files};
}

void flg_file_source_put(flg_file_source *files, const char *path, const flg_node *root) {
  file *of = file_source_find(files, path);
  if (of != NULL) of->root = root;
}

void flg_file_source_release(flg_file_source *files) {
  if (files == NULL) return;
  for (int k = 0; k < files->list.count; k++) {
    flg_csv_release(&((file **)files->list.items)[k]->read);
  }
}
