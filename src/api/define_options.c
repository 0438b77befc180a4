/* define_options.c - option structs put into a definition, by tables of their members. */
#include <math.h>
#include <string.h>

#include "api/api_inner.h"
#include "api/define_inner.h"

/* a clear struct is zeros, but for numbers, which are NaN */
void flg_layout_clear(const flg_layout *layout, void *options, size_t size) {
  unsigned char *bytes = options;
  memset(options, 0, size);
  memcpy(options, &size, sizeof size);
  for (int k = 0; k < layout->option_count; k++) {
    const flg_option *member = &layout->options[k];
    const bool is_vector = member->kind == FLG_OPTION_VECTOR;
    if (member->kind != FLG_OPTION_NUMBER && !is_vector) continue;
    const size_t count = is_vector ? (size_t)member->size : 1;
    double *numbers = (double *)(void *)(bytes + member->offset);
    if (member->offset + count * sizeof(double) > size) continue;
    for (size_t i = 0; i < count; i++) numbers[i] = NAN;
  }
}

/* The value of a member of an option struct; count 0: nothing is given. */
typedef struct held {
  int count;
  const double *numbers;    /* (count); NULL: it holds texts */
  const char *const *texts; /* (count) */
  bool is_list;
} held;

static held number_held(const double *numbers, int count, bool is_list) {
  return (held){isnan(numbers[0]) ? 0 : count, numbers, NULL, is_list};
}

/* word: what a switch says as text; number: a count as a number */
static held define_value_of(const flg_option *member, const void *value, const char **word,
                            double *number) {
  const flg_number_list *numbers = value;
  const flg_text_list *texts = value;
  const char *const *pair = value;
  const int *whole = value;
  switch (member->kind) {
    case FLG_OPTION_NUMBER:
      return number_held(value, 1, false);
    case FLG_OPTION_VECTOR:
      return number_held(value, member->size, true);
    case FLG_OPTION_NUMBERS:
      return (held){numbers->values == NULL ? 0 : numbers->count, numbers->values, NULL, true};
    case FLG_OPTION_TEXT:
      return (held){pair[0] != NULL, NULL, pair, false};
    case FLG_OPTION_PAIR:
      return (held){pair[0] == NULL || pair[1] == NULL ? 0 : 2, NULL, pair, true};
    case FLG_OPTION_TEXTS:
    case FLG_OPTION_PAIRS:
      return (held){texts->items == NULL ? 0 : texts->count, NULL, texts->items, true};
    case FLG_OPTION_SWITCH:
      *word = *whole == FLG_ON ? "true" : "false";
      return (held){*whole != FLG_USUAL, NULL, word, false};
    default:
      *number = *whole;
      return (held){*whole != 0, number, NULL, false};
  }
}

static flg_status check_held(const held *given, const char *key, flg_error *error) {
  for (int k = 0; k < given->count; k++) {
    const flg_status status = given->numbers != NULL
                                  ? flg_define_check_number(given->numbers[k], key, error)
                                  : flg_api_present(given->texts[k], key, error);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}

/* the numbers or the text of one name */
static held held_of(const flg_named *item) {
  if (item->text != NULL) return (held){1, NULL, &item->text, false};
  const flg_number_list numbers = item->numbers;
  return (held){numbers.values == NULL ? 0 : numbers.count, numbers.values, NULL,
                numbers.count > 1};
}

static held point_held(const flg_point_list *points, int k) {
  const int width = points->width < 1 ? 1 : points->width;
  return (held){width, points->values + (size_t)k * (size_t)width, NULL, width > 1};
}

/* --- checked, before anything is put ------------------------------------------------------------
 */

static flg_status check_named(const flg_named_list *list, const char *key, flg_error *error) {
  flg_status status = FLG_OK;
  for (int k = 0; k < list->count && list->items != NULL && status == FLG_OK; k++) {
    const held given = held_of(&list->items[k]);
    if (given.count <= 0) {
      status = flg_fail(error, FLG_ERR_USAGE, "Item %d of '%s' has no value.", k, key);
    } else {
      status = check_held(&given, key, error);
    }
  }
  return status;
}

static flg_status check_points(const flg_point_list *points, const char *key, flg_error *error) {
  if (points->count > 0 && (points->times == NULL || points->values == NULL)) {
    return flg_fail(error, FLG_ERR_USAGE, "The %d points have no times or no values.",
                    points->count);
  }
  flg_status status = FLG_OK;
  for (int k = 0; k < points->count && status == FLG_OK; k++) {
    const held value = point_held(points, k);
    status = flg_define_check_number(points->times[k], key, error);
    if (status == FLG_OK) status = check_held(&value, key, error);
  }
  return status;
}

/* FLG_ERR_RANGE for infinite numbers */
static flg_status check_member(const flg_option *member, const void *value, flg_error *error) {
  if (member->kind == FLG_OPTION_POINTS) return check_points(value, member->key, error);
  if (member->kind == FLG_OPTION_NAMED) return check_named(value, member->key, error);
  const char *word = NULL;
  double number = 0;
  const held given = define_value_of(member, value, &word, &number);
  if (member->kind == FLG_OPTION_PAIRS && given.count % 2 != 0) {
    return flg_fail(error, FLG_ERR_USAGE, "The %d texts of '%s' are no pairs.", given.count,
                    member->key);
  }
  return check_held(&given, member->key, error);
}

/* --- put into a definition -----------------------------------------------------------------------
 */

static flg_status put_held(flg_definition *definition, flg_node *node, const held *given) {
  if (given->numbers != NULL) {
    return given->is_list ? flg_define_put_numbers(definition, node, given->numbers, given->count)
                          : flg_define_put_number(definition, node, given->numbers[0]);
  }
  if (given->texts == NULL) return FLG_OK;
  return given->is_list ? flg_define_put_texts(definition, node, given->texts, given->count)
                        : flg_define_put_text(definition, node, given->texts[0]);
}

/* texts two by two as a list of lists */
static flg_status put_pairs(flg_definition *definition, flg_node *node, const held *given) {
  flg_node *list = flg_define_put_list(definition, node, given->count / 2);
  if (list == NULL) return FLG_ERR_MEMORY;
  int k = 0;
  for (flg_node *pair = list->first; pair != NULL; pair = pair->next, k += 2) {
    if (flg_define_put_texts(definition, pair, given->texts + k, 2) != FLG_OK) {
      return FLG_ERR_MEMORY;
    }
  }
  return FLG_OK;
}

/* names are keys as they are, dots included */
static flg_status define_put_named(flg_definition *definition, flg_node *node,
                                   const flg_named_list *list) {
  for (int k = 0; k < list->count; k++) {
    const flg_named *item = &list->items[k];
    const held given = held_of(item);
    flg_node *at = item->name == NULL ? node : flg_definition_child(definition, node, item->name);
    if (at == NULL) return flg_define_status(definition);
    if (put_held(definition, at, &given) != FLG_OK) return FLG_ERR_MEMORY;
  }
  return FLG_OK;
}

/* a map {at: time, KEY: values} as an item of a list */
static flg_status define_put_point(flg_definition *definition, flg_node *list,
                                   const flg_point_list *points, int k, const char *key) {
  flg_node *point = flg_definition_child(definition, list, "+");
  flg_node *time = point == NULL ? NULL : flg_definition_child(definition, point, "at");
  flg_node *value = time == NULL ? NULL : flg_definition_child(definition, point, key);
  if (value == NULL) return flg_define_status(definition);
  const held given = point_held(points, k);
  const flg_status status = flg_define_put_number(definition, time, points->times[k]);
  return status == FLG_OK ? put_held(definition, value, &given) : status;
}

/* the key of points is LIST.KEY; those that were there before are gone */
static flg_status put_points(flg_definition *definition, flg_node *at, const char *path,
                             const flg_point_list *points, flg_error *error) {
  const char *dot = strrchr(path, '.');
  const char *key = flg_region_text(&definition->region, path, (size_t)(dot - path));
  flg_node *list = key == NULL ? NULL : flg_definition_node(definition, at, key, error);
  if (list == NULL || flg_define_put_list(definition, list, 0) == NULL) {
    return flg_define_status(definition);
  }
  flg_status status = FLG_OK;
  for (int k = 0; k < points->count && status == FLG_OK; k++) {
    status = define_put_point(definition, list, points, k, dot + 1);
  }
  return status;
}

static flg_status put_member(flg_definition *definition, flg_node *at, const flg_option *member,
                             const void *value, flg_error *error) {
  const flg_named_list *named = value;
  const flg_point_list *points = value;
  if (member->kind == FLG_OPTION_POINTS) {
    return points->count <= 0 ? FLG_OK : put_points(definition, at, member->key, points, error);
  }
  const char *word = NULL;
  double number = 0;
  const bool is_named = member->kind == FLG_OPTION_NAMED;
  const held given = is_named ? (held){.count = named->items == NULL ? 0 : named->count}
                              : define_value_of(member, value, &word, &number);
  if (given.count <= 0) return FLG_OK;
  flg_node *node =
      member->key[0] == '\0' ? at : flg_definition_node(definition, at, member->key, error);
  if (node == NULL) return flg_define_status(definition);
  if (is_named) return define_put_named(definition, node, named);
  return member->kind == FLG_OPTION_PAIRS ? put_pairs(definition, node, &given)
                                          : put_held(definition, node, &given);
}

/* --- where it goes -------------------------------------------------------------------------------
 */

static int names_in(const char *path) {
  int count = 0;
  for (; *path != '\0'; path++) count += *path == '*';
  return count;
}

/* how many names are given: none, NAME, OWNER/NAME; -1 if one of them is empty */
static int names_given(const char *name) {
  if (name == NULL) return 0;
  const char *slash = strchr(name, '/');
  if (slash == NULL) return name[0] == '\0' ? -1 : 1;
  return slash == name || slash[1] == '\0' ? -1 : 2;
}

static const char *const name_words[] = {"no name", "NAME", "OWNER/NAME"};
static const char *const kind_words[] = {[FLG_DEFINE_SYSTEM] = "system",
                                         [FLG_DEFINE_COMPONENT] = "component",
                                         [FLG_DEFINE_ROBOT] = "robot"};

/* the path of a struct in this kind of definition; NULL with a sentence */
static const char *path_of_struct(const flg_layout *layout, const flg_definition *definition,
                                  const char *name, flg_error *error) {
  const int given = names_given(name);
  const char *expected = NULL;
  for (int k = 0; k < FLG_LAYOUT_PLACES && layout->places[k].path != NULL; k++) {
    const flg_layout_place *place = &layout->places[k];
    if (place->kind != definition->kind) continue;
    if (names_in(place->path) == given) return place->path;
    if (expected == NULL) expected = name_words[names_in(place->path)];
  }
  if (expected == NULL) {
    flg_fail(error, FLG_ERR_USAGE, "A %s, as '%s', takes no flg_%s_options here.",
             kind_words[definition->kind], definition->name, layout->type);
  } else {
    flg_fail(error, FLG_ERR_USAGE, "Of flg_%s_options '%s' is given as the name; expected %s.",
             layout->type, name == NULL ? "" : name, expected);
  }
  return NULL;
}

/* the next key of a path; NULL without memory */
static const char *next_key(flg_region *region, const char **path) {
  const char *dot = strchr(*path, '.');
  const size_t length = dot == NULL ? strlen(*path) : (size_t)(dot - *path);
  const char *key = flg_region_text(region, *path, length);
  *path += dot == NULL ? length : length + 1;
  return key;
}

/* the next part of OWNER/NAME; the last one is all that is left */
static const char *next_name(flg_region *region, const char **name, bool is_last) {
  const char *slash = is_last ? NULL : strchr(*name, '/');
  const size_t length = slash == NULL ? strlen(*name) : (size_t)(slash - *name);
  const char *part = flg_region_text(region, *name, length);
  *name += slash == NULL ? length : length + 1;
  return part;
}

/* where a struct of that name goes; NULL with a sentence */
static flg_node *target_of(flg_definition *definition, const flg_layout *layout, const char *name,
                           flg_error *error) {
  const char *path = path_of_struct(layout, definition, name, error),
             *rest = name == NULL ? "" : name;
  flg_node *at = path == NULL ? NULL : definition->root;
  while (at != NULL && path[0] != '\0') {
    const bool is_last = names_in(path) == 1;
    const char *key = next_key(&definition->region, &path);
    if (key != NULL && key[0] == '*') key = next_name(&definition->region, &rest, is_last);
    at = key == NULL ? NULL : flg_definition_child(definition, at, key);
    if (at == NULL) {
      flg_fail(error, flg_define_status(definition),
               "'%s' holds something else than %s_options take.", key == NULL ? "" : key,
               layout->type);
    }
  }
  return at;
}

flg_status flg_layout_define(const flg_layout *layout, flg_definition *definition, const char *name,
                             const void *options, flg_error *error) {
  if (flg_api_present(definition, "definition", error) != FLG_OK ||
      flg_api_present(options, "options", error) != FLG_OK) {
    return FLG_ERR_USAGE;
  }
  size_t size;
  memcpy(&size, options, sizeof size);
  if (size < sizeof size || size > layout->bytes) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "These flg_%s_options do not begin as flg_%s_default: their size is %zu.",
                    layout->type, layout->type, size);
  }
  const unsigned char *bytes = options;
  flg_status status = FLG_OK;
  for (int k = 0; k < layout->option_count && status == FLG_OK; k++) {
    const flg_option *member = &layout->options[k];
    if (member->offset < size) status = check_member(member, bytes + member->offset, error);
  }
  flg_node *at = status == FLG_OK ? target_of(definition, layout, name, error) : NULL;
  if (at == NULL) return status == FLG_OK ? flg_define_status(definition) : status;
  for (int k = 0; k < layout->option_count && status == FLG_OK; k++) {
    const flg_option *member = &layout->options[k];
    if (member->offset >= size) continue;
    status = put_member(definition, at, member, bytes + member->offset, error);
  }
  if (status == FLG_ERR_USAGE) {
    return flg_fail(error, status, "'%s' already holds something else than flg_%s_options say.",
                    name == NULL ? definition->name : name, layout->type);
  }
  return flg_define_ended(status, error);
}
