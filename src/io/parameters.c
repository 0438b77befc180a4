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

/* names of what a file declares, and of what its user gives */
typedef struct both_names {
  flg_name_index declared, given;
} both_names;

static both_names *find_both(const flg_parameter_use *use, const flg_node *map) {
  both_names *names = flg_region_take(use->region, 1, sizeof *names);
  if (names == NULL) return NULL;
  int count = 0;
  for (const flg_node *node = map == NULL ? NULL : map->first; node != NULL; node = node->next) {
    flg_name_index_add(&names->declared, node->key, count++, use->region);
  }
  const flg_value *values = use->given->items;
  for (int k = 0; k < use->given->count; k++) {
    flg_name_index_add(&names->given, values[k].origin.name, k, use->region);
  }
  return use->region->failed ? NULL : names;
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

static void check_given(const flg_parameter_use *use, const flg_parameters *known) {
  const flg_items *given = use->given;
  const flg_value *values = given->items;
  for (int k = 0; k < given->count; k++) {
    const char *name = values[k].origin.name;
    char hint[FLG_HINT_TEXT];
    if (flg_name_index_find(known->index, name) >= 0) continue;
    flg_closest closest = flg_closest_while_listed(name, use->mistakes);
    for (int j = 0; j < known->count && closest.written != NULL; j++) {
      flg_closest_offer(&closest, known->items[j].name);
    }
    flg_mistake_add(use->mistakes, FLG_ERR_INPUT, values[k].origin.place,
                    "'%s' has no parameter '%s'%s", use->path, name,
                    flg_closest_text(&closest, hint));
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
  const both_names *names = find_both(use, map);
  if (parameters == NULL || names == NULL) return (flg_parameters){0};
  const flg_value *values = use->given->items;
  const flg_node *node = map == NULL ? NULL : map->first;
  for (int k = 0; k < count; k++, node = node->next) {
    if (use->is_first) check_declared(use, node);
    const int given = flg_name_index_find(&names->given, node->key);
    const flg_parameters earlier = {parameters, k, &names->declared};
    parameters[k] = (flg_parameter){.name = node->key,
                                    .value = given >= 0 ? given_number(use, &values[given])
                                                        : default_number(use, node, earlier)};
  }
  const flg_parameters all = {parameters, count, &names->declared};
  check_given(use, &all);
  return all;
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
