#include "io/parameters.h"

#include <math.h>
#include <string.h>

#include "base/closest.h"
#include "base/number.h"
#include "text/quantity.h"

static const char *const PARAMETERS = "parameters";

/* how many there are, and the map of them (NULL: none) */
static int declared(const flg_node *root, const flg_node **map) {
  *map = root->kind == FLG_NODE_MAP ? flg_node_find(root, PARAMETERS) : NULL;
  if (*map != NULL && (*map)->kind != FLG_NODE_MAP) *map = NULL;
  return *map == NULL ? 0 : flg_node_count(*map);
}

static bool is_null(const flg_node *node) {
  if (node->kind != FLG_NODE_SCALAR || node->quoted) return false;
  return node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0;
}

static const flg_value *given_value(const flg_items *given, const char *name) {
  const flg_value *values = given->items;
  const int k = FLG_FIND(values, given->count, name);
  return k < 0 ? NULL : &values[k];
}

static double given_number(const flg_parameter_use *use, const flg_value *value) {
  if (value->numbers.count == 1)
    return isnan(value->numbers.values[0]) ? 1 : *value->numbers.values;
  flg_mistake_add(use->mistakes, FLG_ERR_INPUT, value->origin.place,
                  "parameter '%s' is one number, found %d", value->origin.name,
                  value->numbers.count);
  return 1;
}

/* what is no number at all is reported by the schema */
static double default_number(const flg_parameter_use *use, const flg_node *node,
                             flg_parameters earlier) {
  double value = 1;
  if (is_null(node)) {
    flg_mistake_add(use->mistakes, FLG_ERR_INPUT, use->asked_at,
                    "parameter '%s' of '%s' has no default; give it a value", node->key, use->path);
  } else if (flg_node_is_expression(node)) {
    flg_node_evaluate(node, earlier, &value, use->mistakes);
  } else if (node->kind == FLG_NODE_SCALAR &&
             flg_quantity_parse(node->text, NULL, &value) != NULL) {
    value = 1;
  }
  return value;
}

static void check_given(const flg_parameter_use *use, const flg_parameter *known, int count) {
  const flg_items *given = use->given;
  const flg_value *values = given->items;
  const char **words = flg_region_take(use->region, (size_t)count, sizeof *words);
  if (words == NULL) return;
  for (int k = 0; k < count; k++) words[k] = known[k].name;
  for (int k = 0; k < given->count; k++) {
    bool found = false;
    const char *name = values[k].origin.name;
    for (int j = 0; j < count && !found; j++) found = strcmp(words[j], name) == 0;
    char hint[FLG_HINT_TEXT];
    if (found) continue;
    flg_mistake_add(use->mistakes, FLG_ERR_INPUT, values[k].origin.place,
                    "'%s' has no parameter '%s'%s", use->path, name,
                    flg_closest_hint(name, words, count, hint));
  }
}

/* of the file itself, told once */
static void check_declared(const flg_parameter_use *use, const flg_node *node) {
  if (!flg_formula_allows_name(node->key)) {
    flg_mistake_add(use->mistakes, FLG_ERR_INPUT, node->place,
                    "'%s' cannot be the name of a parameter: letters, digits and '_' make one, "
                    "and pi and the functions have their names",
                    node->key);
  }
  if (node->kind != FLG_NODE_SCALAR) {
    flg_mistake_add(use->mistakes, FLG_ERR_INPUT, node->value_place,
                    "parameter '%s' is one number, found %s", node->key,
                    flg_node_kind_text(node->kind));
  }
}

flg_parameters flg_parameters_of(const flg_parameter_use *use, const flg_node *root) {
  const flg_node *map;
  const int count = declared(root, &map);
  flg_parameter *parameters = flg_region_take(use->region, (size_t)count, sizeof *parameters);
  if (parameters == NULL) return (flg_parameters){0};
  const flg_node *node = map == NULL ? NULL : map->first;
  for (int k = 0; k < count; k++, node = node->next) {
    if (use->is_first) check_declared(use, node);
    const flg_value *given = given_value(use->given, node->key);
    const flg_parameters earlier = {parameters, k};
    parameters[k] = (flg_parameter){
        .name = node->key,
        .value = given != NULL ? given_number(use, given) : default_number(use, node, earlier)};
  }
  if (use->given->count > 0) check_given(use, parameters, count);
  return (flg_parameters){parameters, count};
}

static void write_value(const flg_parameter_use *use, flg_node *node, double value) {
  char text[FLG_NUMBER_TEXT];
  flg_number_write(value, text);
  const char *kept = flg_region_text(use->region, text, strlen(text));
  if (kept != NULL) node->text = kept;
  node->quoted = false;
}

/* whether the schema has nothing to say to it that is not said already */
static bool is_number(const flg_node *node) {
  double unused;
  if (node->kind != FLG_NODE_SCALAR) return false;
  return is_null(node) || flg_node_is_expression(node) ||
         flg_quantity_parse(node->text, NULL, &unused) == NULL;
}

flg_node *flg_parameters_apply(const flg_parameter_use *use, const flg_node *written,
                               flg_parameters parameters) {
  flg_node *root = flg_node_copy(use->region, written);
  if (root == NULL) return NULL;
  flg_node *map = root->kind == FLG_NODE_MAP ? flg_node_find(root, PARAMETERS) : NULL;
  flg_node *node = map == NULL || map->kind != FLG_NODE_MAP ? NULL : map->first;
  for (int k = 0; k < parameters.count && node != NULL; k++, node = node->next) {
    if (is_number(node)) write_value(use, node, parameters.items[k].value);
  }
  flg_node_compute(root, parameters, use->region, use->mistakes);
  return root;
}
