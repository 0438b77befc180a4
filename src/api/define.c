#include "flange/define.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_inner.h"
#include "api/define_inner.h"
#include "io/scenario.h"
#include "text/document.h"
#include "text/yaml.h"

/* --- trees ---------------------------------------------------------------------------------------
 */

static flg_status no_memory_for_tree(flg_error *error) {
  return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for a definition.");
}

static flg_node *make_node(flg_region *region, flg_node_kind kind, const char *key,
                           const char *place) {
  flg_node *node = flg_region_take(region, 1, sizeof *node);
  if (node == NULL) return NULL;
  *node = (flg_node){.kind = kind, .key = key, .place.file = place, .value_place.file = place};
  return node;
}

static flg_node *last_of(const flg_node *list) {
  flg_node *last = list->first;
  while (last != NULL && last->next != NULL) last = last->next;
  return last;
}

static bool is_item(const char *key) {
  return strcmp(key, "+") == 0 || strcmp(key, "-") == 0;
}

/* a node is a map until something else is found of it */
static bool becomes(flg_node *node, flg_node_kind kind) {
  if (node->kind == FLG_NODE_MAP && node->first == NULL) node->kind = kind;
  return node->kind == kind;
}

/* the child of a key, made where it is missing; NULL: there can be none, or no memory */
flg_node *flg_definition_child(flg_definition *definition, flg_node *parent, const char *key) {
  flg_region *region = &definition->region;
  const bool item = is_item(key);
  definition->source = NULL;
  if (!becomes(parent, item ? FLG_NODE_LIST : FLG_NODE_MAP)) return NULL;
  flg_node *found = strcmp(key, "+") == 0 ? NULL
                    : item                ? last_of(parent)
                                          : flg_node_find(parent, key);
  if (found != NULL || strcmp(key, "-") == 0) return found;
  const char *place =
      item ? flg_region_format(region, "%s[%d]", parent->place.file, flg_node_count(parent))
           : flg_region_format(region, "%s%s%s", parent->place.file,
                               parent == definition->root ? ": " : ".", key);
  const char *kept = item ? NULL : flg_region_text(region, key, strlen(key));
  if (place == NULL || (kept == NULL && !item)) return NULL;
  flg_node *made = make_node(region, FLG_NODE_MAP, kept, place);
  if (made != NULL) *flg_node_end(parent) = made;
  return made;
}

/* the node at the end of a path */
flg_node *flg_definition_node(flg_definition *definition, flg_node *from, const char *path,
                              flg_error *error) {
  flg_node *node = from;
  for (const char *at = path; node != NULL && at != NULL;) {
    const char *dot = strchr(at, '.');
    const size_t length = dot == NULL ? strlen(at) : (size_t)(dot - at);
    const char *key = flg_region_text(&definition->region, at, length);
    if (key == NULL) {
      no_memory_for_tree(error);
      return NULL;
    }
    node = length == 0 ? NULL : flg_definition_child(definition, node, key);
    at = dot == NULL ? NULL : dot + 1;
  }
  if (node != NULL) return node;
  if (definition->region.failed) {
    no_memory_for_tree(error);
  } else {
    flg_fail(error, FLG_ERR_USAGE,
             "The path '%s' leads nowhere: keys with dots between them are expected, '+' for a new "
             "item of a list, '-' for its last one.",
             path);
  }
  return NULL;
}

flg_status flg_define_status(const flg_definition *definition) {
  return definition->region.failed ? FLG_ERR_MEMORY : FLG_ERR_USAGE;
}

static void set_scalar(flg_node *node, const char *text) {
  node->kind = FLG_NODE_SCALAR, node->text = text, node->first = NULL, node->quoted = false;
}

/* a number that reads back as the same bits */
static const char *number_text(flg_region *region, double value) {
  return flg_region_format(region, "%.17g", value);
}

flg_status flg_define_check_number(double value, const char *path, flg_error *error) {
  if (isfinite(value)) return FLG_OK;
  return flg_fail(error, FLG_ERR_RANGE, "The number at '%s' is %g; it has to be finite.", path,
                  value);
}

/* --- definitions ---------------------------------------------------------------------------------
 */

static const char *const versions[] = {[FLG_DEFINE_SYSTEM] = "flange",
                                       [FLG_DEFINE_COMPONENT] = "flange-component",
                                       [FLG_DEFINE_ROBOT] = "flange-model"};

static flg_status check_made(flg_definition *const *definition, flg_definition_kind kind,
                             bool has_name, flg_error *error) {
  const flg_status status = flg_api_present(definition, "definition", error);
  if (status != FLG_OK) return status;
  if (has_name && (int)kind >= 0 && kind <= FLG_DEFINE_ROBOT) return FLG_OK;
  return flg_fail(error, FLG_ERR_USAGE,
                  "A definition is of a system, component or robot, and has a name.");
}

static flg_status check_build(flg_definition *const *definition, flg_definition_kind kind,
                              const char *name, flg_error *error) {
  const flg_status status = flg_api_present(name, "name", error);
  return status == FLG_OK ? check_made(definition, kind, name[0] != '\0', error) : status;
}

/* one without a root; NULL without memory */
static flg_definition *open_definition(flg_definition_kind kind, const char *name) {
  flg_definition *made = calloc(1, sizeof *made);
  if (made == NULL) return NULL;
  made->kind = kind;
  made->name = flg_region_text(&made->region, name, strlen(name));
  if (made->name != NULL) return made;
  flg_definition_release(made);
  return NULL;
}

flg_status flg_definition_build(flg_definition **definition, flg_definition_kind kind,
                                const char *name, flg_error *error) {
  const flg_status status = check_build(definition, kind, name, error);
  if (status != FLG_OK) return status;
  flg_definition *made = open_definition(kind, name);
  if (made == NULL) return no_memory_for_tree(error);
  made->root = make_node(&made->region, FLG_NODE_MAP, NULL, made->name);
  if (made->root == NULL || flg_define_number(made, versions[kind], 1, NULL) != FLG_OK) {
    flg_definition_release(made);
    return no_memory_for_tree(error);
  }
  *definition = made;
  return FLG_OK;
}

/* Fills it from a text, or from the file of its name. */
static void read_source(flg_definition *made, const char *text, flg_mistakes *mistakes) {
  size_t length = text == NULL ? 0 : strlen(text);
  made->source = text == NULL ? flg_file_read(&made->region, made->name, FLG_LIMIT_TEXT,
                                              (flg_place){0}, &length, mistakes)
                              : flg_region_text(&made->region, text, length);
  if (made->source != NULL) {
    made->root =
        flg_document_parse(&made->region, made->name, made->source, length, NULL, 0, mistakes);
  }
  if (made->region.failed) *mistakes = (flg_mistakes){0}; /* those of a text with holes */
  if (mistakes->count == 0 && (made->root == NULL || made->region.failed)) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){.file = made->name}, "no memory left");
  }
}

/* that it is what it is taken for; what else is in it is checked when a simulation is built */
static void check_kind(const flg_definition *made, flg_mistakes *mistakes) {
  const flg_node *root = made->root;
  const char *key = versions[made->kind];
  if (made->kind == FLG_DEFINE_SYSTEM) {
    flg_scenario_refuse(made->name, root, mistakes);
  } else if (root->kind != FLG_NODE_MAP || flg_node_find(root, key) == NULL) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, (flg_place){.file = made->name},
                    "expected a map with the key '%s'", key);
  }
}

static flg_status read_definition(flg_definition **definition, flg_definition_kind kind,
                                  const char *name, const char *text, flg_mistakes *mistakes) {
  flg_definition *made = open_definition(kind, name);
  if (made == NULL) {
    return flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){.file = name}, "no memory left");
  }
  read_source(made, text, mistakes);
  if (mistakes->count == 0) check_kind(made, mistakes);
  if (mistakes->count > 0) {
    flg_definition_release(made);
    return mistakes->status;
  }
  *definition = made;
  return FLG_OK;
}

flg_status flg_definition_read(flg_definition **definition, flg_definition_kind kind,
                               const char *name, const char *text, flg_mistakes *mistakes) {
  flg_error error;
  flg_mistakes unread;
  if (mistakes == NULL) mistakes = &unread;
  *mistakes = (flg_mistakes){0};
  flg_status status = check_build(definition, kind, name, &error);
  if (status == FLG_OK) status = flg_api_present(text, "text", &error);
  if (status == FLG_OK) return read_definition(definition, kind, name, text, mistakes);
  return flg_mistake_add(mistakes, status, (flg_place){0}, "%s", error.message);
}

/* a path may be empty: no file has it, which its reader says */
flg_status flg_definition_load(flg_definition **definition, flg_definition_kind kind,
                               const char *path, flg_mistakes *mistakes) {
  flg_error error;
  flg_mistakes unread;
  if (mistakes == NULL) mistakes = &unread;
  *mistakes = (flg_mistakes){0};
  flg_status status = flg_api_present(path, "path", &error);
  if (status == FLG_OK) status = check_made(definition, kind, true, &error);
  if (status == FLG_OK) return read_definition(definition, kind, path, NULL, mistakes);
  return flg_mistake_add(mistakes, status, (flg_place){0}, "%s", error.message);
}

void flg_definition_release(flg_definition *definition) {
  if (definition == NULL) return;
  flg_region_release(&definition->region);
  free(definition);
}

/* --- values --------------------------------------------------------------------------------------
 */

static flg_status check_path(const flg_definition *definition, const char *path, flg_error *error) {
  const flg_status status = flg_api_present(definition, "definition", error);
  return status == FLG_OK ? flg_api_present(path, "path", error) : status;
}

/* all of these: the node first, so that a failed call leaves at most an empty map behind */
flg_status flg_define_put_number(flg_definition *definition, flg_node *node, double value) {
  const char *text = number_text(&definition->region, value);
  if (text == NULL) return FLG_ERR_MEMORY;
  set_scalar(node, text);
  return FLG_OK;
}

flg_status flg_define_put_text(flg_definition *definition, flg_node *node, const char *text) {
  const char *kept = flg_region_text(&definition->region, text, strlen(text));
  if (kept == NULL) return FLG_ERR_MEMORY;
  set_scalar(node, kept);
  return FLG_OK;
}

/* as a list of so many empty scalars; NULL without memory */
flg_node *flg_define_put_list(flg_definition *definition, flg_node *node, int count) {
  flg_node *first = NULL, **end = &first;
  for (int k = 0; k < count; k++) {
    flg_node *item = make_node(&definition->region, FLG_NODE_SCALAR, NULL, node->place.file);
    if (item == NULL) return NULL;
    *end = item, end = &item->next;
  }
  node->kind = FLG_NODE_LIST, node->first = first, node->text = NULL;
  return node;
}

flg_status flg_define_put_numbers(flg_definition *definition, flg_node *node, const double *values,
                                  int count) {
  if (flg_define_put_list(definition, node, count) == NULL) return FLG_ERR_MEMORY;
  flg_node *item = node->first;
  for (int k = 0; k < count; k++, item = item->next) {
    if (flg_define_put_number(definition, item, values[k]) != FLG_OK) return FLG_ERR_MEMORY;
  }
  return FLG_OK;
}

flg_status flg_define_put_texts(flg_definition *definition, flg_node *node,
                                const char *const *texts, int count) {
  if (flg_define_put_list(definition, node, count) == NULL) return FLG_ERR_MEMORY;
  flg_node *item = node->first;
  for (int k = 0; k < count; k++, item = item->next) {
    if (flg_define_put_text(definition, item, texts[k]) != FLG_OK) return FLG_ERR_MEMORY;
  }
  return FLG_OK;
}

flg_status flg_define_ended(flg_status status, flg_error *error) {
  return status == FLG_OK ? FLG_OK : no_memory_for_tree(error);
}

flg_status flg_define_number(flg_definition *definition, const char *path, double value,
                             flg_error *error) {
  flg_status status = check_path(definition, path, error);
  if (status == FLG_OK) status = flg_define_check_number(value, path, error);
  if (status != FLG_OK) return status;
  flg_node *node = flg_definition_node(definition, definition->root, path, error);
  if (node == NULL) return flg_define_status(definition);
  return flg_define_ended(flg_define_put_number(definition, node, value), error);
}

flg_status flg_define_numbers(flg_definition *definition, const char *path, const double *values,
                              int count, flg_error *error) {
  flg_status status = check_path(definition, path, error);
  if (status != FLG_OK) return status;
  if (count < 0 || (count > 0 && values == NULL)) {
    return flg_fail(error, FLG_ERR_USAGE, "There are no %d numbers for '%s'.", count, path);
  }
  for (int k = 0; k < count && status == FLG_OK; k++)
    status = flg_define_check_number(values[k], path, error);
  if (status != FLG_OK) return status;
  flg_node *node = flg_definition_node(definition, definition->root, path, error);
  if (node == NULL) return flg_define_status(definition);
  return flg_define_ended(flg_define_put_numbers(definition, node, values, count), error);
}

flg_status flg_define_text(flg_definition *definition, const char *path, const char *text,
                           flg_error *error) {
  flg_status status = check_path(definition, path, error);
  if (status == FLG_OK) status = flg_api_present(text, "text", error);
  if (status != FLG_OK) return status;
  flg_node *node = flg_definition_node(definition, definition->root, path, error);
  if (node == NULL) return flg_define_status(definition);
  return flg_define_ended(flg_define_put_text(definition, node, text), error);
}

flg_status flg_define_texts(flg_definition *definition, const char *path, const char *const *texts,
                            int count, flg_error *error) {
  flg_status status = check_path(definition, path, error);
  if (status != FLG_OK) return status;
  if (count < 0 || (count > 0 && texts == NULL)) {
    return flg_fail(error, FLG_ERR_USAGE, "There are no %d texts for '%s'.", count, path);
  }
  for (int k = 0; k < count && status == FLG_OK; k++) {
    status = flg_api_present(texts[k], "texts", error);
  }
  if (status != FLG_OK) return status;
  flg_node *node = flg_definition_node(definition, definition->root, path, error);
  if (node == NULL) return flg_define_status(definition);
  return flg_define_ended(flg_define_put_texts(definition, node, texts, count), error);
}

flg_status flg_define_flag(flg_definition *definition, const char *path, bool value,
                           flg_error *error) {
  return flg_define_text(definition, path, value ? "true" : "false", error);
}

flg_status flg_define_yaml(flg_definition *definition, const char *path, const char *text,
                           flg_error *error) {
  flg_status status = check_path(definition, path, error);
  if (status == FLG_OK) status = flg_api_present(text, "text", error);
  if (status != FLG_OK) return status;
  flg_mistakes mistakes = {0};
  const char *kept = flg_region_text(&definition->region, text, strlen(text));
  if (kept == NULL) return no_memory_for_tree(error);
  flg_node *value = flg_yaml_parse(&definition->region, path, kept, strlen(kept), &mistakes);
  if (mistakes.count > 0) return flg_mistakes_error(&mistakes, error);
  if (value == NULL) return flg_fail(error, FLG_ERR_INPUT, "The text for '%s' is empty.", path);
  flg_node *node = flg_definition_node(definition, definition->root, path, error);
  if (node == NULL) return flg_define_status(definition);
  node->kind = value->kind, node->quoted = value->quoted;
  node->text = value->text, node->first = value->first;
  for (flg_node *child = node->first; child != NULL; child = child->next) {
    flg_node_put_at(child, (flg_place){.file = node->place.file});
  }
  return FLG_OK;
}

/* --- parts ---------------------------------------------------------------------------------------
 */

static flg_status add_file(flg_definition *definition, const char *name, const flg_node *root,
                           flg_error *error) {
  flg_region *region = &definition->region;
  const flg_file_node *files = definition->files.items;
  for (int k = 0; k < definition->files.count; k++) {
    if (strcmp(files[k].path, name) == 0) return FLG_ERR_USAGE;
  }
  flg_file_node made = {flg_region_text(region, name, strlen(name)), flg_node_own(region, root)};
  flg_file_node *kept = NULL;
  if (made.path != NULL && made.root != NULL) {
    kept = flg_growing_add(&definition->files, sizeof *kept, region);
  }
  if (kept == NULL) return no_memory_for_tree(error);
  *kept = made;
  return FLG_OK;
}

flg_status flg_define_part(flg_definition *definition, const flg_definition *part,
                           flg_error *error) {
  if (flg_api_present(definition, "definition", error) != FLG_OK ||
      flg_api_present(part, "part", error) != FLG_OK) {
    return FLG_ERR_USAGE;
  }
  if (part->kind == FLG_DEFINE_SYSTEM) {
    return flg_fail(error, FLG_ERR_USAGE, "A system, '%s', is no part of another definition.",
                    part->name);
  }
  if (definition == part || strcmp(definition->name, part->name) == 0) {
    return flg_fail(error, FLG_ERR_USAGE, "'%s' cannot be a part of itself.", part->name);
  }
  flg_status status = add_file(definition, part->name, part->root, error);
  if (status == FLG_ERR_USAGE) {
    return flg_fail(error, status, "There is a part '%s' already.", part->name);
  }
  /* several parts may use the same one */
  const flg_file_node *files = part->files.items;
  for (int k = 0; k < part->files.count && status == FLG_OK; k++) {
    status = add_file(definition, files[k].path, files[k].root, error);
    if (status == FLG_ERR_USAGE) status = FLG_OK;
  }
  return status;
}

/* --- simulations ---------------------------------------------------------------------------------
 */

flg_status flg_definition_source(const flg_definition *definition, flg_region *region,
                                 flg_load_options *options, flg_mistakes *mistakes) {
  if (definition->kind != FLG_DEFINE_SYSTEM) {
    return flg_mistake_add(mistakes, FLG_ERR_USAGE, (flg_place){.file = definition->name},
                           "a simulation is built of a system, which this is not");
  }
  const char *text = definition->source != NULL ? definition->source
                                                : flg_definition_write(definition->root, region);
  if (text == NULL) {
    return flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  }
  *options = (flg_load_options){.text = text,
                                .length = strlen(text),
                                .root = definition->root,
                                .files = definition->files.items,
                                .file_count = definition->files.count};
  return FLG_OK;
}

flg_status flg_definition_simulate(const flg_definition *definition, const char *const *overrides,
                                   int override_count, flg_simulation **simulation,
                                   flg_mistakes *mistakes) {
  flg_mistakes unread = {0};
  flg_error error;
  if (mistakes == NULL) mistakes = &unread;
  *mistakes = (flg_mistakes){0};
  if (flg_api_present(definition, "definition", &error) != FLG_OK ||
      flg_api_present(simulation, "simulation", &error) != FLG_OK) {
    return flg_mistake_add(mistakes, FLG_ERR_USAGE, (flg_place){0}, "%s", error.message);
  }
  flg_region region = {0};
  flg_load_options options = {0};
  flg_status status = flg_definition_source(definition, &region, &options, mistakes);
  if (status == FLG_OK) {
    status = flg_simulation_load_as(simulation, definition->name, overrides, override_count,
                                    options, mistakes);
  }
  flg_region_release(&region);
  return status;
}
