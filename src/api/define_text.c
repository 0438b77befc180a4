/* define_text.c - a definition written as YAML. */
#include <stdlib.h>
#include <string.h>

#include "api/define_inner.h"
#include "text/yaml_text.h"

typedef struct writer {
  flg_region *region;
  char *text;
  size_t length, capacity;
} writer;

static void append(writer *to, const char *text) {
  const size_t more = strlen(text);
  if (to->length + more + 1 > to->capacity) {
    const size_t capacity = 2 * (to->length + more + 1);
    char *larger = flg_region_take(to->region, capacity, 1);
    if (larger == NULL) return;
    if (to->length > 0) memcpy(larger, to->text, to->length);
    to->text = larger, to->capacity = capacity;
  }
  memcpy(to->text + to->length, text, more + 1);
  to->length += more;
}

/* numbers, words and formulas as they are, all else in quotes where it needs them */
static void write_scalar(writer *to, const char *text) {
  char *end;
  (void)strtod(text, &end);
  const bool is_number = end != text && *end == '\0';
  const char *written = is_number ? text : flg_yaml_text(to->region, text);
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) written = text;
  if (written != NULL) append(to, written);
}

static void write_yaml_key(writer *to, const char *key) {
  const char *written = flg_yaml_text(to->region, key);
  if (written != NULL) append(to, written);
  append(to, ": ");
}

static void write_flow(writer *to, const flg_node *node) {
  if (node->kind == FLG_NODE_SCALAR) {
    write_scalar(to, node->text);
    return;
  }
  const bool map = node->kind == FLG_NODE_MAP;
  append(to, map ? "{" : "[");
  for (const flg_node *child = node->first; child != NULL; child = child->next) {
    if (map) write_yaml_key(to, child->key);
    write_flow(to, child);
    if (child->next != NULL) append(to, ", ");
  }
  append(to, map ? "}" : "]");
}

/* two levels of maps have lines of their own */
static void write_block(writer *to, const flg_node *map, int depth) {
  for (const flg_node *child = map->first; child != NULL; child = child->next) {
    for (int k = 0; k < depth; k++) append(to, "  ");
    const bool opens = depth == 0 && child->kind == FLG_NODE_MAP && child->first != NULL;
    write_yaml_key(to, child->key);
    if (opens) {
      append(to, "\n");
      write_block(to, child, depth + 1);
    } else {
      write_flow(to, child);
      append(to, "\n");
    }
  }
}

const char *flg_definition_write(const flg_node *root, flg_region *region) {
  writer to = {.region = region};
  if (root->kind == FLG_NODE_MAP) {
    write_block(&to, root, 0);
  } else {
    write_flow(&to,
               root); /* of a text that is no system: it is reported when a simulation is built */
  }
  return region->failed ? NULL : to.text;
}

const char *flg_definition_text(flg_definition *definition) {
  return definition == NULL ? NULL : flg_definition_write(definition->root, &definition->region);
}
