/* said_again.h - a scenario file read as a tree, walked, and said again by the public functions of
 * flange/define.h, mechanism.h, flexible.h and system.h, with all robots and components that it
 * names. */
#ifndef FLG_TESTS_SAID_AGAIN_H
#define FLG_TESTS_SAID_AGAIN_H

#include "api/define_inner.h"
#include "check.h"
#include "text/document.h"
#include "text/quantity.h"

typedef enum manner_of_saying {
  BY_KEYS,   /* flg_define_number and the like, leaf by leaf */
  BY_STRUCTS /* option structs; by keys formulas of parameters, which structs cannot hold */
} manner_of_saying;

enum { SAID_PATH = 1000, SAID_MOST = 4000 };

/* How many values option structs said so far, of all files, and how many were left to keys. */
typedef struct said_count {
  int by_structs, by_keys;
} said_count;
static said_count said;

static inline void must(flg_status status, const flg_error *error) {
  if (status != FLG_OK) fail_msg("%s", error->message);
}

/* --- by keys ------------------------------------------------------------------------------------
 */

/* keys whose text is a file beside the one that names it */
static inline bool names_file(const char *key) {
  static const char *const keys[] = {"model", "file", "mesh", "plugin"};
  for (int k = 0; k < 4; k++) {
    if (key != NULL && strcmp(key, keys[k]) == 0) return true;
  }
  return false;
}

static inline flg_definition *define_file(const char *path, flg_definition_kind kind,
                                          manner_of_saying how);

static inline bool is_yaml(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot != NULL && strcmp(dot, ".yaml") == 0;
}

/* where a definition goes, and how */
typedef struct saying {
  flg_definition *to;
  const char *folder; /* of the file */
  manner_of_saying how;
  flg_region *region;
} saying;

/* the text of a scalar; that of a file from the working folder on, which is defined, too */
static inline const char *text_of(const saying *of, const flg_node *node) {
  if (!names_file(node->key) || strstr(node->text, "://") != NULL) return node->text;
  flg_error error;
  const char *path = flg_region_format(of->region, "%s/%s", of->folder, node->text);
  assert_non_null(path);
  if (is_yaml(path) && (strcmp(node->key, "model") == 0 || strcmp(node->key, "file") == 0)) {
    flg_definition *part = define_file(path, FLG_DEFINE_COMPONENT, of->how);
    (void)flg_define_part(of->to, part, &error); /* there already: it is used twice */
    flg_definition_release(part);
  }
  return path;
}

static inline void say_scalar(const saying *of, const char *path, const flg_node *node) {
  char *end;
  flg_error error;
  const double value = strtod(node->text, &end);
  if (end != node->text && *end == '\0') {
    must(flg_define_number(of->to, path, value, &error), &error);
  } else if (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0) {
    must(flg_define_flag(of->to, path, node->text[0] == 't', &error), &error);
  } else {
    must(flg_define_text(of->to, path, text_of(of, node), &error), &error);
  }
}

static inline void say_node(const saying *of, const char *path, const flg_node *node) {
  if (node->kind == FLG_NODE_SCALAR) {
    say_scalar(of, path, node);
    return;
  }
  flg_error error;
  const bool is_list = node->kind == FLG_NODE_LIST;
  if (is_list) must(flg_define_numbers(of->to, path, NULL, 0, &error), &error);
  for (const flg_node *child = node->first; child != NULL; child = child->next) {
    char inner[SAID_PATH];
    if (is_list && child->kind == FLG_NODE_MAP && child->first != NULL) {
      /* the first key makes the item, others are said of the last one */
      for (const flg_node *key = child->first; key != NULL; key = key->next) {
        snprintf(inner, sizeof inner, "%s.%s.%s", path, key == child->first ? "+" : "-", key->key);
        say_node(of, inner, key);
      }
      continue;
    }
    snprintf(inner, sizeof inner, "%s%s%s", path, path[0] == '\0' ? "" : ".",
             is_list ? "+" : child->key);
    say_node(of, inner, child);
  }
}

/* --- by structs ---------------------------------------------------------------------------------
 */

/* a number as it is, with its unit or a fraction; what is computed of parameters is none */
static inline bool number_of_node(const flg_node *node, double *value) {
  if (node->kind != FLG_NODE_SCALAR || node->quoted) return false;
  if (flg_quantity_parse(node->text, NULL, value) == NULL) return true;
  const char *unit = strchr(node->text, ' ');
  return unit != NULL && flg_quantity_parse(node->text, unit + 1, value) == NULL;
}

static inline bool has_formula(const flg_node *node) {
  if (node->kind == FLG_NODE_SCALAR) return node->text[0] == '=';
  for (const flg_node *child = node->first; child != NULL; child = child->next) {
    if (has_formula(child)) return true;
  }
  return false;
}

/* only formulas may be left to keys; and versions, and 0 of a count, which means that it is not
 * given */
static inline void check_left(const flg_node *node, const char *file) {
  for (const flg_node *child = node->first; child != NULL && node->kind == FLG_NODE_MAP;
       child = child->next) {
    check_left(child, file);
  }
  if (node->kind == FLG_NODE_MAP || strncmp(node->key, "flange", 6) == 0) return;
  said.by_keys++;
  const bool is_zero = node->kind == FLG_NODE_SCALAR && strcmp(node->text, "0") == 0;
  if (!is_zero && !has_formula(node)) fail_msg("%s: no option struct says '%s'", file, node->key);
}

/* numbers of a list of scalars, or of one; count: -1 if there is another thing among them */
static inline flg_number_list numbers_of(const saying *of, const flg_node *node) {
  const bool is_list = node->kind == FLG_NODE_LIST;
  const int count = is_list ? flg_node_count(node) : 1;
  double *values = flg_region_take(of->region, (size_t)count + 1, sizeof *values);
  int k = 0;
  for (const flg_node *at = is_list ? node->first : node; k < count; at = at->next) {
    if (!number_of_node(at, &values[k++])) return (flg_number_list){-1, NULL};
  }
  return (flg_number_list){count, values};
}

/* texts of a list of scalars, or of one, or of pairs of them; count: -1 if they are something else
 */
static inline flg_text_list texts_of(const saying *of, const flg_node *node, bool pairs) {
  const char **items = flg_region_take(of->region, SAID_MOST, sizeof *items);
  const flg_text_list none = {-1, NULL};
  int count = 0;
  if (node->kind == FLG_NODE_SCALAR) {
    if (pairs) return none;
    items[0] = node->text;
    return (flg_text_list){1, items};
  }
  for (const flg_node *at = node->first; at != NULL; at = at->next) {
    if (node->kind != FLG_NODE_LIST || count + 2 > SAID_MOST) return none;
    if (pairs && (at->kind != FLG_NODE_LIST || flg_node_count(at) != 2)) return none;
    const flg_node *first = pairs ? at->first : at, *second = pairs ? first->next : NULL;
    if (first->kind != FLG_NODE_SCALAR) return none;
    items[count++] = first->text;
    if (second != NULL) items[count++] = second->text;
  }
  return (flg_text_list){count, items};
}

static inline bool fill_named(const saying *of, const flg_node *node, flg_named_list *to) {
  if (node->kind != FLG_NODE_MAP || node->first == NULL) return false;
  flg_named *items = flg_region_take(of->region, (size_t)flg_node_count(node), sizeof *items);
  int count = 0;
  for (const flg_node *at = node->first; at != NULL; at = at->next) {
    if (at->kind == FLG_NODE_MAP) return false;
    const flg_number_list numbers = numbers_of(of, at);
    if (numbers.count < 0 && at->kind != FLG_NODE_SCALAR) return false;
    items[count++] = numbers.count > 0 ? (flg_named){.name = at->key, .numbers = numbers}
                                       : (flg_named){.name = at->key, .text = at->text};
  }
  *to = (flg_named_list){count, items};
  return true;
}

/* a list of maps {at: time, KEY: numbers} */
static inline bool fill_points(const saying *of, const flg_node *list, const char *key,
                               flg_point_list *to) {
  if (list->kind != FLG_NODE_LIST || list->first == NULL) return false;
  const size_t count = (size_t)flg_node_count(list);
  double *times = flg_region_take(of->region, count, sizeof *times), *values = NULL;
  size_t k = 0, width = 0;
  for (const flg_node *point = list->first; point != NULL; point = point->next, k++) {
    const flg_node *at = flg_node_find(point, "at"), *value = flg_node_find(point, key);
    if (at == NULL || value == NULL || flg_node_count(point) != 2) return false;
    const flg_number_list numbers = numbers_of(of, value);
    if (numbers.count < 1 || !number_of_node(at, &times[k])) return false;
    if (k == 0) width = (size_t)numbers.count;
    if (k == 0) values = flg_region_take(of->region, count * width, sizeof *values);
    if (values == NULL || (size_t)numbers.count != width) return false;
    memcpy(values + k * width, numbers.values, width * sizeof *values);
  }
  *to = (flg_point_list){(int)count, (int)width, times, values};
  return true;
}

/* fills a member from a node; false: it cannot hold that */
static inline bool fill_member(const saying *of, const flg_option *option, const flg_node *node,
                               void *member) {
  const bool is_scalar = node->kind == FLG_NODE_SCALAR;
  flg_number_list numbers = {-1, NULL};
  flg_text_list texts = {-1, NULL};
  double number = NAN;
  switch (option->kind) {
    case FLG_OPTION_NUMBER:
      return number_of_node(node, member);
    case FLG_OPTION_VECTOR:
      numbers = node->kind == FLG_NODE_LIST ? numbers_of(of, node) : numbers;
      if (numbers.count != option->size) return false;
      memcpy(member, numbers.values, (size_t)numbers.count * sizeof(double));
      return true;
    case FLG_OPTION_NUMBERS:
      numbers = numbers_of(of, node);
      if (numbers.count < 1) return false;
      memcpy(member, &numbers, sizeof numbers);
      return true;
    case FLG_OPTION_TEXT:
      if (is_scalar) *(const char **)member = text_of(of, node);
      return is_scalar;
    case FLG_OPTION_PAIR:
      texts = is_scalar ? texts : texts_of(of, node, false);
      if (texts.count != 2) return false;
      memcpy(member, texts.items, 2 * sizeof *texts.items);
      return true;
    case FLG_OPTION_TEXTS:
    case FLG_OPTION_PAIRS:
      texts = texts_of(of, node, option->kind == FLG_OPTION_PAIRS);
      if (texts.count < 1) return false;
      memcpy(member, &texts, sizeof texts);
      return true;
    case FLG_OPTION_SWITCH:
      if (!is_scalar) return false;
      *(flg_switch *)member = strcmp(node->text, "true") == 0    ? FLG_ON
                              : strcmp(node->text, "false") == 0 ? FLG_OFF
                                                                 : FLG_USUAL;
      return *(flg_switch *)member != FLG_USUAL;
    case FLG_OPTION_COUNT:
      if (!number_of_node(node, &number) || number < 1) return false;
      *(int *)member = (int)number;
      return true;
    case FLG_OPTION_NAMED:
      return fill_named(of, node, member);
    case FLG_OPTION_POINTS:
      return fill_points(of, node, strrchr(option->key, '.') + 1, member);
  }
  return false;
}

/* the link that leads to a node below another one, by `length` characters of keys with dots between
 * them; NULL: there is none */
static inline flg_node **link_to(flg_node **from, const char *path, size_t length) {
  const char *end = path + length;
  while (path < end) {
    size_t part = strcspn(path, ".");
    if (path + part > end) part = (size_t)(end - path);
    if ((*from)->kind != FLG_NODE_MAP) return NULL;
    flg_node **child = &(*from)->first;
    while (*child != NULL &&
           (strlen((*child)->key) != part || strncmp((*child)->key, path, part) != 0)) {
      child = &(*child)->next;
    }
    if (*child == NULL) return NULL;
    from = child;
    path += part + 1;
  }
  return from;
}

/* fills what options can hold of a node, which is taken out of the tree */
static inline void fill_from(const saying *of, const flg_layout *layout, flg_node **at,
                             void *options) {
  for (int k = 0; k < layout->option_count; k++) {
    const flg_option *option = &layout->options[k];
    const size_t whole = strlen(option->key);
    const size_t length = option->kind == FLG_OPTION_POINTS
                              ? (size_t)(strrchr(option->key, '.') - option->key)
                              : whole;
    flg_node **found = link_to(at, option->key, length);
    if (found == NULL || *found == NULL) continue;
    if (!fill_member(of, option, *found, (char *)options + option->offset)) continue;
    said.by_structs++;
    if (found == at) {
      (*at)->first = NULL;
    } else {
      *found = (*found)->next;
    }
  }
}

/* says a node by a struct; `path`: by keys where it is, its list included */
static inline void say_struct(const saying *of, const flg_layout *layout, flg_node **at,
                              const char *name, const char *path, bool is_item) {
  max_align_t options[256];
  flg_error error;
  assert_true(layout->bytes <= sizeof options);
  flg_options_clear(layout->type, options, layout->bytes);
  fill_from(of, layout, at, options);
  must(flg_layout_define(layout, of->to, name, options, &error), &error);
  /* the rest of an item, while it is the last one of its list */
  for (const flg_node *left = is_item ? (*at)->first : NULL; left != NULL; left = left->next) {
    char inner[SAID_PATH];
    check_left(left, of->to->name);
    snprintf(inner, sizeof inner, "%s.-.%s", path, left->key);
    say_node(of, inner, left);
  }
}

/* every node that the rest of a place's path leads to; name and path: of the way so far */
static inline void say_place(const saying *of, const flg_layout *layout, const char *rest,
                             flg_node **at, const char *name, const char *path) {
  if (rest[0] == '\0') {
    if ((*at)->kind == FLG_NODE_MAP) {
      say_struct(of, layout, at, name[0] == '\0' ? NULL : name, path, false);
    }
    return;
  }
  const size_t length = strcspn(rest, ".");
  const char *next = rest[length] == '.' ? rest + length + 1 : rest + length;
  char there[SAID_PATH], named[SAID_PATH];
  if (rest[0] == '+') {
    assert_true(next[0] == '\0');
    for (;
         (*at)->kind == FLG_NODE_LIST && (*at)->first != NULL && (*at)->first->kind == FLG_NODE_MAP;
         (*at)->first = (*at)->first->next) {
      say_struct(of, layout, &(*at)->first, name[0] == '\0' ? NULL : name, path, true);
    }
  } else if (rest[0] == '*') {
    for (flg_node **child = &(*at)->first; (*at)->kind == FLG_NODE_MAP && *child != NULL;
         child = &(*child)->next) {
      snprintf(named, sizeof named, "%s%s%s", name, name[0] == '\0' ? "" : "/", (*child)->key);
      snprintf(there, sizeof there, "%s.%s", path, (*child)->key);
      say_place(of, layout, next, child, named, there);
    }
  } else {
    flg_node **child = link_to(at, rest, length);
    if (child == NULL) return;
    snprintf(there, sizeof there, "%s%s%.*s", path, path[0] == '\0' ? "" : ".", (int)length, rest);
    say_place(of, layout, next, child, name, there);
  }
}

static inline int depth_of(const char *path) {
  int depth = path[0] != '\0';
  for (; *path != '\0'; path++) depth += *path == '.';
  return depth;
}

/* outer ones first: they make the maps of those inside in the order of the file */
static inline void say_structs(const saying *of, flg_node **root) {
  for (int depth = 0; depth < 8; depth++) {
    for (const flg_layout *const *layout = flg_layouts; *layout != NULL; layout++) {
      for (int p = 0; p < FLG_LAYOUT_PLACES && (*layout)->places[p].path != NULL; p++) {
        const flg_layout_place *place = &(*layout)->places[p];
        if (place->kind != of->to->kind || depth_of(place->path) != depth) continue;
        say_place(of, *layout, place->path, root, "", "");
      }
    }
  }
}

/* takes maps and lists without anything in them out of a tree */
static inline void prune(flg_node *node) {
  for (flg_node **child = &node->first; *child != NULL;) {
    prune(*child);
    const bool is_empty = (*child)->kind != FLG_NODE_SCALAR && (*child)->first == NULL;
    if (is_empty) {
      *child = (*child)->next;
    } else {
      child = &(*child)->next;
    }
  }
}

static inline flg_definition *define_file(const char *path, flg_definition_kind kind,
                                          manner_of_saying how) {
  flg_mistakes mistakes = {0};
  flg_region region = {0};
  flg_definition *made = NULL;
  flg_error error;
  const char *folder = flg_region_text(&region, path, (size_t)(strrchr(path, '/') - path));
  flg_node *root = flg_document_read(&region, path, (flg_place){0}, NULL, 0, &mistakes);
  assert_non_null(root);
  if (flg_node_find(root, "flange-model") != NULL) kind = FLG_DEFINE_ROBOT;
  must(flg_definition_build(&made, kind, path, &error), &error);
  const saying of = {made, folder, how, &region};
  if (how == BY_STRUCTS) {
    say_structs(&of, &root);
    prune(root);
    check_left(root, path);
  }
  say_node(&of, "", root);
  flg_region_release(&region);
  return made;
}

/* The system of a scenario file. */
static inline flg_definition *said_again(const char *path, manner_of_saying how) {
  return define_file(path, FLG_DEFINE_SYSTEM, how);
}

/* Both start and step alike: the same bits. */
static inline void step_alike(flg_simulation *one, flg_simulation *other, int steps) {
  flg_error error;
  assert_int_equal(flg_simulation_hash(one), flg_simulation_hash(other));
  assert_int_equal(flg_simulation_identity(one), flg_simulation_identity(other));
  for (int k = 0; k < steps && !flg_simulation_ended(one); k++) {
    const flg_status status = flg_simulation_step(one, &error);
    assert_int_equal(flg_simulation_step(other, &error), status);
    if (status != FLG_OK) break;
  }
  assert_int_equal(flg_simulation_hash(one), flg_simulation_hash(other));
}

#endif
