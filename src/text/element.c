#include "text/element.h"

#include <math.h>
#include <string.h>

#include "base/given.h"
#include "base/number.h"

bool flg_element_is(const flg_element *element, const char *name) {
  return strcmp(element->name, name) == 0;
}

static const flg_element *element_find(const flg_element *from, const char *name) {
  while (from != NULL && !flg_element_is(from, name)) from = from->next;
  return from;
}

const flg_element *flg_element_child(const flg_element *parent, const char *name) {
  return element_find(parent->first, name);
}

const flg_element *flg_element_again(const flg_element *element) {
  return element_find(element->next, element->name);
}

const flg_element *flg_element_only(const flg_element *parent, const char *name,
                                    flg_mistakes *mistakes) {
  const flg_element *child = flg_element_child(parent, name);
  const flg_element *second = child == NULL ? NULL : flg_element_again(child);
  if (second != NULL) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, second->place,
                    "<%s> has a second <%s>, the first stands in line %d; keep one of them",
                    parent->name, name, child->place.line);
  }
  return child;
}

const flg_element *flg_element_need(const flg_element *parent, const char *name,
                                    flg_mistakes *mistakes) {
  const flg_element *child = flg_element_only(parent, name, mistakes);
  if (child == NULL) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, parent->place, "this <%s> has no <%s>", parent->name,
                    name);
  }
  return child;
}

const char *flg_element_text(const flg_element *element, const char *attribute) {
  const int k = FLG_FIND(element->attributes, element->attribute_count, attribute);
  return k < 0 ? NULL : element->attributes[k].value;
}

const char *flg_element_need_text(const flg_element *element, const char *attribute,
                                  flg_mistakes *mistakes) {
  const char *text = flg_element_text(element, attribute);
  if (text != NULL && text[0] != '\0') return text;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, element->place, "attribute '%s' of <%s> is %s",
                  attribute, element->name, text == NULL ? "missing" : "empty");
  return NULL;
}

static const char *element_skip_spaces(const char *text) {
  return text + strspn(text, " \t\r\n");
}

/* how many finite numbers the text holds, of which the first `count` are kept; -1 if something
 * else stands in it */
static int parse_numbers(const char *text, int count, double *numbers) {
  int found = 0;
  for (text = element_skip_spaces(text); *text != '\0'; text = element_skip_spaces(text)) {
    double number = NAN;
    text = flg_number_parse(text, &number);
    if (text == NULL || !isfinite(number)) return -1;
    if (*text != '\0' && element_skip_spaces(text) == text) return -1;
    if (found < count) numbers[found] = number;
    found++;
  }
  return found;
}

bool flg_element_numbers(const flg_element *element, const char *attribute, int count,
                         double *numbers, flg_mistakes *mistakes) {
  enum { MOST = 8 };
  double values[MOST];
  const char *text = flg_element_text(element, attribute);
  if (text == NULL || count > MOST) return false;
  const int found = parse_numbers(text, count, values);
  if (found == count) {
    memcpy(numbers, values, (size_t)count * sizeof *numbers);
    return true;
  }
  if (count == 1) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, element->place, "%s of <%s>: '%.80s' is not a number",
                    attribute, element->name, text);
  } else {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, element->place,
                    "%s of <%s>: '%.80s' is not %d numbers with spaces between them", attribute,
                    element->name, text, count);
  }
  return false;
}

bool flg_element_need_number(const flg_element *element, const char *attribute, double *number,
                             flg_mistakes *mistakes) {
  if (flg_element_need_text(element, attribute, mistakes) == NULL) return false;
  return flg_element_numbers(element, attribute, 1, number, mistakes);
}

bool flg_element_content(const flg_element *element, double *number) {
  const char *text = element->text == NULL ? flg_element_text(element, "value") : element->text;
  double found;
  if (text == NULL || parse_numbers(text, 1, &found) != 1) return false;
  *number = found;
  return true;
}
