#include "text/document.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input_file.h"
#include "text/yaml.h"

/* files that are being read, from the first to the innermost */
typedef struct reading {
  const char *path;
  dev_t device;
  ino_t inode;
  int depth;
  const struct reading *includer;
  struct document_size *size; /* of the whole document */
} reading;

typedef struct document_size {
  double values, files;
} document_size;

/* what stands for a file, NULL: nothing does */
static struct {
  const char *path, *text;
  size_t length;
} provided;

void flg_file_provide(const char *path, const char *text, size_t length) {
  provided.path = path, provided.text = text, provided.length = length;
}

static bool is_provided(const char *path) {
  return provided.path != NULL && strcmp(path, provided.path) == 0;
}

const char *flg_file_read(flg_region *region, const char *path, flg_input_limit limit,
                          flg_place asked_at, size_t *length, flg_mistakes *mistakes) {
  if (is_provided(path)) {
    *length = provided.length;
    return flg_region_text(region, provided.text, provided.length);
  }
  const char *reason = NULL;
  FILE *file = flg_input_open(path, &reason);
  if (file == NULL) {
    flg_mistake_add(mistakes, FLG_ERR_MISSING, asked_at, "cannot read '%s': %s", path, reason);
    return NULL;
  }
  struct stat about = {0};
  fstat(fileno(file), &about);
  const double size = (double)about.st_size / FLG_MIB, most = flg_input_limit_value(limit);
  char *text = NULL;
  if (size > most) {
    const char *name = flg_input_limit_name(limit);
    flg_mistake_add(mistakes, FLG_ERR_INPUT, asked_at,
                    "'%s' has %.0f MiB; files of at most %g MiB are read, or more with --limit "
                    "%s=%.0f",
                    path, size, most, name, ceil(size));
  } else if ((text = flg_region_take(region, (size_t)about.st_size + 1, 1)) == NULL) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, asked_at, "no memory left to read '%s'", path);
  } else if (*length = fread(text, 1, (size_t)about.st_size, file), ferror(file)) {
    flg_mistake_add(mistakes, FLG_ERR_MISSING, asked_at, "cannot read '%s' to its end", path);
    text = NULL;
  }
  fclose(file);
  return text;
}

const char *flg_path_beside(flg_region *region, const char *from, const char *path) {
  const char *slash = from == NULL ? NULL : strrchr(from, '/');
  const bool stays = path[0] == '/' || strstr(path, "://") != NULL;
  if (stays || slash == NULL) return flg_region_text(region, path, strlen(path));
  return flg_region_format(region, "%.*s/%s", (int)(slash - from), from, path);
}

static flg_node *read_with_includes(flg_region *region, const char *path, flg_place asked_at,
                                    const reading *includer, document_size *size,
                                    flg_mistakes *mistakes);

static void include_one(flg_region *region, flg_node *root, const flg_node *name,
                        const reading *here, flg_mistakes *mistakes) {
  if (name->kind != FLG_NODE_SCALAR || name->text[0] == '\0') {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, name->place, "include: expected a file name, found %s",
                    flg_node_kind_text(name->kind));
    return;
  }
  const char *path = flg_path_beside(region, here->path, name->text);
  if (path == NULL) return;
  const flg_node *addition =
      read_with_includes(region, path, name->value_place, here, here->size, mistakes);
  if (addition != NULL && addition->kind == FLG_NODE_MAP) flg_node_merge(region, root, addition);
}

/* takes the key `include` out of the top map and merges what it names */
static void follow_includes(flg_region *region, flg_node *root, const reading *here,
                            flg_mistakes *mistakes) {
  for (flg_node **link = &root->first; *link != NULL; link = &(*link)->next) {
    const flg_node *node = *link;
    if (strcmp(node->key, "include") != 0) continue;
    *link = node->next;
    if (node->kind == FLG_NODE_LIST) {
      for (const flg_node *name = node->first; name != NULL; name = name->next) {
        include_one(region, root, name, here, mistakes);
      }
    } else {
      include_one(region, root, node, here, mistakes);
    }
    return;
  }
}

static bool is_include_loop(const reading *here, flg_place asked_at, flg_mistakes *mistakes) {
  for (const reading *outer = here->includer; outer != NULL; outer = outer->includer) {
    if (here->inode == 0 || outer->inode != here->inode || outer->device != here->device) continue;
    flg_mistake_add(mistakes, FLG_ERR_INPUT, asked_at,
                    "'%s' includes itself, through '%s'; break the loop", here->path,
                    here->includer->path);
    return true;
  }
  if (here->depth <= FLG_INCLUDE_MAX_DEPTH) return false;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, asked_at, "includes are nested more than %d deep",
                  FLG_INCLUDE_MAX_DEPTH);
  return true;
}

/* the first file that is one too many is reported, and none is read after it */
static bool counts_as_too_many(document_size *size, flg_place asked_at, flg_mistakes *mistakes) {
  const double most = flg_input_limit_value(FLG_LIMIT_INCLUDES);
  if (size->files++ <= most) return false;
  if (size->files > most + 2) return true;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, asked_at,
                  "more than %g files are included, the same ones counted each time; --limit "
                  "includes=%g reads more",
                  most, 10 * most);
  return true;
}

static flg_node *parse_with_includes(flg_region *region, const reading *here, const char *text,
                                     size_t length, flg_mistakes *mistakes) {
  const int before = mistakes->count;
  flg_node *root =
      flg_yaml_parse_more(region, here->path, text, length, &here->size->values, mistakes);
  if (root == NULL && mistakes->count == before) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, (flg_place){.file = here->path}, "the file is empty");
  }
  if (root != NULL && root->kind == FLG_NODE_MAP) follow_includes(region, root, here, mistakes);
  /* of a tree that lacks something, missing keys would be told that stand in the lost part */
  return mistakes->count > before ? NULL : root;
}

static flg_node *read_with_includes(flg_region *region, const char *path, flg_place asked_at,
                                    const reading *includer, document_size *size,
                                    flg_mistakes *mistakes) {
  struct stat about = {0};
  if (stat(path, &about) != 0) about.st_ino = 0; /* told in a moment, by flg_file_read */
  const reading here = {.path = path,
                        .device = about.st_dev,
                        .inode = about.st_ino,
                        .depth = includer == NULL ? 0 : includer->depth + 1,
                        .includer = includer,
                        .size = size};
  if (counts_as_too_many(size, asked_at, mistakes)) return NULL;
  if (is_include_loop(&here, asked_at, mistakes)) return NULL;
  size_t length = 0;
  const char *text = flg_file_read(region, path, FLG_LIMIT_TEXT, asked_at, &length, mistakes);
  return text == NULL ? NULL : parse_with_includes(region, &here, text, length, mistakes);
}

/* the node at the end of a dotted key, made where it is missing; NULL if something is in the way */
static flg_node *document_node_at(flg_region *region, flg_node *map, const char *keys,
                                  size_t length, flg_place place) {
  const char *dot = memchr(keys, '.', length);
  const size_t head = dot == NULL ? length : (size_t)(dot - keys);
  const char *key = flg_region_text(region, keys, head);
  if (key == NULL || head == 0 || map->kind != FLG_NODE_MAP) return NULL;
  flg_node *child = flg_node_find(map, key);
  if (child == NULL) {
    child = flg_region_take(region, 1, sizeof *child);
    if (child == NULL) return NULL;
    *child = (flg_node){.kind = FLG_NODE_MAP, .key = key, .place = place, .value_place = place};
    *flg_node_end(map) = child;
  }
  if (dot == NULL) return child;
  return document_node_at(region, child, dot + 1, length - head - 1, place);
}

const char *flg_override_text(flg_region *region, const char *assignment) {
  return flg_region_format(region, "%s%s", strncmp(assignment, "--", 2) == 0 ? "" : "--set ",
                           assignment);
}

/* Puts one `key.key=value` into a tree; the value is YAML. Mistakes name `--set
 * key=value`, or of the option in front of it, as in `--macro time.macro=1/60`. */
static void override(flg_region *region, flg_node *root, const char *assignment,
                     flg_mistakes *mistakes) {
  const char *option_end = strncmp(assignment, "--", 2) == 0 ? strchr(assignment, ' ') : NULL;
  flg_place place = {.file = flg_override_text(region, assignment)};
  if (option_end != NULL) {
    place.file = flg_region_text(region, assignment, (size_t)(option_end - assignment));
    assignment = option_end + 1;
  }
  const char *equals = strchr(assignment, '=');
  if (equals == NULL || equals == assignment) {
    flg_mistake_add(mistakes, FLG_ERR_USAGE, place, "expected key=value, as in time.end=5");
    return;
  }
  const flg_node *value =
      flg_yaml_parse(region, place.file, equals + 1, strlen(equals + 1), mistakes);
  flg_node *target =
      document_node_at(region, root, assignment, (size_t)(equals - assignment), place);
  if (target == NULL || value == NULL) {
    flg_mistake_add(mistakes, FLG_ERR_USAGE, place,
                    target == NULL ? "the key leads through something that is not a map"
                                   : "the value is empty");
    return;
  }
  target->kind = value->kind, target->quoted = value->quoted;
  target->text = value->text, target->first = value->first;
  flg_node_put_at(target, place);
}

void flg_document_override(flg_region *region, flg_node *root, const char *const *overrides,
                           int override_count, flg_mistakes *mistakes) {
  for (int k = 0; k < override_count; k++) override(region, root, overrides[k], mistakes);
}

flg_node *flg_document_read(flg_region *region, const char *path, flg_place asked_at,
                            const char *const *overrides, int override_count,
                            flg_mistakes *mistakes) {
  document_size size = {0};
  flg_node *root = read_with_includes(region, path, asked_at, NULL, &size, mistakes);
  if (root != NULL) flg_document_override(region, root, overrides, override_count, mistakes);
  return root;
}

flg_node *flg_document_parse(flg_region *region, const char *path, const char *text, size_t length,
                             const char *const *overrides, int override_count,
                             flg_mistakes *mistakes) {
  document_size size = {0};
  const reading here = {.path = path, .size = &size};
  flg_node *root = parse_with_includes(region, &here, text, length, mistakes);
  if (root != NULL) flg_document_override(region, root, overrides, override_count, mistakes);
  return root;
}
