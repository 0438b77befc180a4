#include "text/expression.h"

#include <stdio.h>
#include <string.h>

#include "base/closest.h"
#include "base/number.h"

enum { MOST_WORDS = 256 };

static bool find_parameter(const void *context, const char *name, flg_formula_step *step,
                           char message[FLG_FORMULA_MESSAGE]) {
  const flg_parameters *known = context;
  const int found = known->index == NULL ? -1 : flg_name_index_find(known->index, name);
  if (found >= 0 && found < known->count) {
    const double value = known->items[found].value;
    *step = (flg_formula_step){.operation = FLG_FORMULA_NUMBER, .number = value};
    return true;
  }
  flg_closest closest = flg_closest_begin(name);
  for (int k = 0; k < known->count && k < MOST_WORDS; k++) {
    flg_closest_offer(&closest, known->items[k].name);
  }
  const char *word;
  for (int k = 0; (word = flg_formula_word(k)) != NULL; k++) flg_closest_offer(&closest, word);
  char hint[FLG_HINT_TEXT];
  snprintf(message, FLG_FORMULA_MESSAGE, "there is no parameter '%.40s'%s", name,
           flg_closest_text(&closest, hint));
  return false;
}

bool flg_expression_evaluate(const char *text, flg_parameters parameters, double *value,
                             flg_formula_fault *fault) {
  const flg_formula_names names = {.context = &parameters, .find = find_parameter};
  return flg_formula_compute(text, &names, value, fault);
}

/* --- in a tree ----------------------------------------------------------------------------- */

bool flg_node_is_expression(const flg_node *node) {
  return node->kind == FLG_NODE_SCALAR && node->text[0] == '=';
}

bool flg_node_evaluate(const flg_node *node, flg_parameters parameters, double *value,
                       flg_mistakes *mistakes) {
  flg_formula_fault fault;
  if (flg_expression_evaluate(node->text + 1, parameters, value, &fault)) return true;
  flg_place place = node->value_place;
  /* after the '='; not known in text that goes over lines */
  if (place.column > 0 && strchr(node->text, '\n') == NULL) place.column += fault.offset + 1;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, place, "in '%.80s': %s", node->text, fault.message);
  return false;
}

/* recursion is as deep as the document, which the YAML reader bounds */
void flg_node_compute(flg_node *root, flg_parameters parameters, flg_region *region,
                      flg_mistakes *mistakes) {
  if (flg_node_is_expression(root)) {
    double value = 1;
    char text[FLG_NUMBER_TEXT];
    flg_node_evaluate(root, parameters, &value, mistakes);
    flg_number_write(value, text);
    const char *kept = flg_region_text(region, text, strlen(text));
    if (kept != NULL) root->text = kept;
    root->quoted = false;
  }
  for (flg_node *child = root->first; child != NULL; child = child->next) {
    flg_node_compute(child, parameters, region, mistakes);
  }
}
