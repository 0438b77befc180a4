#include "text/schema.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/closest.h"
#include "text/document.h"
#include "text/mesh_file.h"
#include "text/quantity.h"
#include "text/schema_text.h"

enum { FALLBACKS = 128 };

typedef struct reader {
  flg_region *region;
  flg_mistakes *mistakes;
  bool is_shapeless; /* something else stands where a map, or a list of numbers, must be */
  struct {
    const flg_field *field;
    const flg_node *node;
  } fallbacks[FALLBACKS]; /* defaults that were read already: files have thousands of bodies */
} reader;

static void read_section(reader *read, const flg_section *section, const flg_node *node, void *out);
static void read_field(reader *read, const flg_field *field, const flg_node *node, void *member);

enum { EXPECTATION = 300 };

/* what a field expects, with an example of maps and lists of sections */
static void expectation(const flg_field *field, char text[EXPECTATION]) {
  flg_field_expectation(field, text, EXPECTATION);
  const bool is_map = field->kind == FLG_FIELD_MAP, is_list = field->kind == FLG_FIELD_LIST;
  if ((!is_map && !is_list) || field->section->example == NULL) return;
  const size_t length = strlen(text);
  snprintf(text + length, EXPECTATION - length,
           is_map ? ", as in %s: {NAME: %s}" : ", as in %s: [%s]", field->key,
           field->section->example);
}

static void schema_report(const reader *read, const flg_field *field, const flg_node *node,
                          const char *wrong) {
  char expected[EXPECTATION];
  expectation(field, expected);
  if (node->kind == FLG_NODE_SCALAR && node->text[0] == '\0' && !node->quoted) {
    flg_mistake_add(read->mistakes, FLG_ERR_INPUT, node->value_place,
                    "%s: found nothing; expected %s", field->key, expected);
  } else if (node->kind == FLG_NODE_SCALAR) {
    flg_mistake_add(read->mistakes, FLG_ERR_INPUT, node->value_place, "%s: '%.80s' %s; expected %s",
                    field->key, node->text, wrong, expected);
  } else if (node->kind == FLG_NODE_LIST) {
    const bool nested = node->first != NULL && node->first->kind == FLG_NODE_LIST;
    flg_mistake_add(read->mistakes, FLG_ERR_INPUT, node->value_place,
                    "%s: found a list of %d%s; expected %s", field->key, flg_node_count(node),
                    nested ? " lists" : "", expected);
  } else {
    flg_mistake_add(read->mistakes, FLG_ERR_INPUT, node->value_place, "%s: found %s; expected %s",
                    field->key, flg_node_kind_text(node->kind), expected);
  }
}

static bool in_range(const flg_field *field, double value) {
  switch (field->range) {
    case FLG_RANGE_POSITIVE:
      return value > 0;
    case FLG_RANGE_NOT_NEGATIVE:
      return value >= 0;
    case FLG_RANGE_BETWEEN:
      return value >= field->least && value <= field->most;
    default:
      return true;
  }
}

static void read_number(reader *read, const flg_field *field, const flg_node *node, double *out) {
  if (node->kind != FLG_NODE_SCALAR) {
    schema_report(read, field, node, "");
    return;
  }
  double value = NAN;
  const char *wrong = flg_quantity_parse(node->text, field->unit, &value);
  if (wrong == NULL && !in_range(field, value)) wrong = "is out of range";
  if (wrong != NULL) {
    schema_report(read, field, node, wrong);
  } else {
    *out = value;
  }
}

static void read_integer(reader *read, const flg_field *field, const flg_node *node, int *out) {
  double value = *out;
  const int before = read->mistakes->count;
  read_number(read, field, node, &value);
  if (read->mistakes->count > before) return;
  if (value != floor(value) || fabs(value) > INT_MAX) {
    schema_report(read, field, node, "is not a whole number");
  } else {
    *out = (int)value;
  }
}

static void read_flag(reader *read, const flg_field *field, const flg_node *node, bool *out) {
  const bool scalar = node->kind == FLG_NODE_SCALAR && !node->quoted;
  if (scalar && strcmp(node->text, "true") == 0) {
    *out = true;
  } else if (scalar && strcmp(node->text, "false") == 0) {
    *out = false;
  } else {
    schema_report(read, field, node, "is neither");
  }
}

static const char *read_field_text(reader *read, const flg_field *field, const flg_node *node) {
  if (node->kind == FLG_NODE_SCALAR && node->text[0] != '\0') return node->text;
  schema_report(read, field, node, "is empty");
  return NULL;
}

/* its number among the choices, -1: it is none */
static int schema_choice_of(const flg_field *field, const char *word) {
  for (int k = 0; field->choices[k] != NULL; k++) {
    if (strcmp(word, field->choices[k]) == 0) return k;
  }
  return -1;
}

/* the same of another word for it */
static int choice_by_alias(const flg_field *field, const char *word) {
  for (int k = 0; field->aliases != NULL && field->aliases[k][0] != NULL; k++) {
    if (strcmp(word, field->aliases[k][0]) != 0) continue;
    const int choice = schema_choice_of(field, field->aliases[k][1]);
    if (choice >= 0) return choice;
  }
  return -1;
}

static const char *closest_choice(const flg_field *field, const char *word) {
  flg_closest closest = flg_closest_begin(word);
  for (int k = 0; field->choices[k] != NULL; k++) flg_closest_offer(&closest, field->choices[k]);
  for (int k = 0; field->aliases != NULL && field->aliases[k][0] != NULL; k++) {
    if (schema_choice_of(field, field->aliases[k][1]) < 0) continue;
    flg_closest_offer(&closest, field->aliases[k][0]);
  }
  return closest.word;
}

static void read_choice(reader *read, const flg_field *field, const flg_node *node, int *out) {
  const bool is_word = node->kind == FLG_NODE_SCALAR;
  int choice = is_word ? schema_choice_of(field, node->text) : -1;
  if (is_word && choice < 0) choice = choice_by_alias(field, node->text);
  if (choice >= 0) {
    *out = choice;
    return;
  }
  const char *close = is_word ? closest_choice(field, node->text) : NULL;
  char wrong[120] = "is not known";
  if (close != NULL) snprintf(wrong, sizeof wrong, "is not known, did you mean '%s'", close);
  schema_report(read, field, node, wrong);
}

/* whether a list has lists or maps in it, and no numbers */
static bool holds_others(const flg_node *node) {
  bool others = node->kind == FLG_NODE_LIST && node->first != NULL;
  for (const flg_node *item = node->first; item != NULL && others; item = item->next) {
    others = item->kind != FLG_NODE_SCALAR;
  }
  return others;
}

/* a list of numbers, or one number where a list may be */
static void read_numbers(reader *read, const flg_field *field, const flg_node *node,
                         flg_numbers *out) {
  if (node->kind == FLG_NODE_MAP || holds_others(node)) {
    schema_report(read, field, node, "");
    read->is_shapeless = true;
    return;
  }
  const bool list = node->kind == FLG_NODE_LIST;
  const int count = list ? flg_node_count(node) : 1;
  double *values = flg_region_take(read->region, (size_t)count, sizeof *values);
  if (values == NULL) return;
  const flg_node *item = list ? node->first : node;
  for (int k = 0; k < count; k++, item = item->next) {
    values[k] = NAN;
    read_number(read, field, item, &values[k]);
  }
  if (count < field->size) schema_report(read, field, node, "is too short");
  *out = (flg_numbers){.count = count, .values = values};
}

static void read_vector(reader *read, const flg_field *field, const flg_node *node, double *out) {
  flg_numbers numbers = {0};
  if (node->kind != FLG_NODE_LIST || flg_node_count(node) != field->size) {
    schema_report(read, field, node, "is no vector");
    return;
  }
  const int before = read->mistakes->count;
  read_numbers(read, field, node, &numbers);
  if (read->mistakes->count > before || numbers.values == NULL) return;
  memcpy(out, numbers.values, (size_t)field->size * sizeof *out);
}

static void schema_read_texts(reader *read, const flg_field *field, const flg_node *node,
                              flg_texts *out) {
  if (node->kind == FLG_NODE_MAP) {
    schema_report(read, field, node, "");
    return;
  }
  const bool list = node->kind == FLG_NODE_LIST;
  const int count = list ? flg_node_count(node) : 1;
  flg_origin *items = flg_region_take(read->region, (size_t)count, sizeof *items);
  if (items == NULL) return;
  int kept = 0;
  const flg_node *item = list ? node->first : node;
  for (int k = 0; k < count; k++, item = item->next) {
    const char *text = read_field_text(read, field, item);
    if (text != NULL) items[kept++] = (flg_origin){text, item->value_place};
  }
  if (count < field->size) schema_report(read, field, node, "is too short");
  *out = (flg_texts){.count = kept, .items = items};
}

/* a list of lists of two texts */
static void read_pairs(reader *read, const flg_field *field, const flg_node *node, flg_pairs *out) {
  if (node->kind != FLG_NODE_LIST) {
    schema_report(read, field, node, "is no list");
    return;
  }
  flg_origin(*items)[2] =
      flg_region_take(read->region, (size_t)flg_node_count(node), sizeof *items);
  if (items == NULL) return;
  int kept = 0;
  for (const flg_node *item = node->first; item != NULL; item = item->next) {
    flg_texts pair = {0};
    if (item->kind == FLG_NODE_LIST) schema_read_texts(read, field, item, &pair);
    if (pair.count == 2) {
      memcpy(items[kept++], pair.items, sizeof *items);
    } else {
      schema_report(read, field, item, "is no pair");
    }
  }
  *out = (flg_pairs){.count = kept, .items = items};
}

static void read_value(reader *read, const flg_field *field, const flg_node *node, void *out) {
  flg_value *value = out;
  flg_field numbers = *field; /* as messages tell what one of the map is */
  numbers.kind = FLG_FIELD_NUMBERS, numbers.key = node->key, numbers.size = 0;
  numbers.word = numbers.number = NULL;
  value->origin = (flg_origin){node->key, node->place};
  read_numbers(read, &numbers, node, &value->numbers);
}

static void schema_read_signal(reader *read, const flg_field *field, const flg_node *node,
                               flg_origin *out) {
  *out = (flg_origin){read_field_text(read, field, node), node->value_place};
}

static void read_wire(reader *read, const flg_field *field, const flg_node *node, void *out) {
  flg_wire *wire = out;
  wire->origin = (flg_origin){node->key, node->place};
  schema_read_signal(read, field, node, &wire->signal);
}

static void read_item(reader *read, const flg_field *field, const flg_node *node, void *out) {
  read_section(read, field->section, node, out);
}

/* `initial: home` or `armature: 0.1` in place of a map; false: the field has no such form */
static bool read_short_value(reader *read, const flg_field *field, const flg_node *node,
                             flg_items *out) {
  double unused;
  if (field->kind != FLG_FIELD_VALUES || node->kind == FLG_NODE_MAP) return false;
  const bool is_scalar = node->kind == FLG_NODE_SCALAR && node->text[0] != '\0';
  const bool is_number = is_scalar && flg_quantity_parse(node->text, field->unit, &unused) == NULL;
  if (!is_scalar || (is_number ? field->number : field->word) == NULL) return false;
  flg_value *value = flg_region_take(read->region, 1, sizeof *value);
  if (value == NULL) return true;
  value->origin = (flg_origin){is_number ? NULL : node->text, node->value_place};
  if (is_number) read_numbers(read, field, node, &value->numbers);
  *out = (flg_items){.count = 1, .items = value};
  return true;
}

static void read_value_map(reader *read, const flg_field *field, const flg_node *node, void *out) {
  flg_value_map *map = out;
  map->origin = (flg_origin){node->key, node->place};
  flg_field values = *field;
  values.kind = FLG_FIELD_VALUES;
  read_field(read, &values, node, &map->values);
}

/* maps and lists of structs differ only in the shape of the YAML and in what one item is */
static void read_items(reader *read, const flg_field *field, const flg_node *node, flg_items *out) {
  const flg_node_kind shape = field->kind == FLG_FIELD_LIST ? FLG_NODE_LIST : FLG_NODE_MAP;
  if (read_short_value(read, field, node, out)) return;
  if (node->kind != shape || flg_node_count(node) < field->size) {
    schema_report(read, field, node, "is not that");
    if (node->kind != shape) read->is_shapeless = true;
    return;
  }
  const bool values = field->kind == FLG_FIELD_VALUES, wires = field->kind == FLG_FIELD_SIGNALS;
  const bool maps = field->kind == FLG_FIELD_VALUE_MAPS;
  const size_t bytes = values  ? sizeof(flg_value)
                       : wires ? sizeof(flg_wire)
                       : maps  ? sizeof(flg_value_map)
                               : field->section->bytes;
  const int count = flg_node_count(node);
  unsigned char *items = flg_region_take(read->region, (size_t)count, bytes);
  if (items == NULL) return;
  const flg_node *child = node->first;
  for (int k = 0; k < count; k++, child = child->next) {
    (values  ? read_value
     : wires ? read_wire
     : maps  ? read_value_map
             : read_item)(read, field, child, items + (size_t)k * bytes);
  }
  *out = (flg_items){.count = count, .items = items};
}

static void read_file(reader *read, const flg_field *field, const flg_node *node,
                      const char **out) {
  const char *text = read_field_text(read, field, node);
  if (text == NULL) return;
  const bool in_file = node->value_place.line > 0; /* not from the command line */
  const char *from = in_file ? node->value_place.file : NULL;
  const bool is_address = strstr(text, "://") != NULL; /* of a package */
  *out = is_address ? flg_mesh_path(read->region, node->value_place.file, text)
                    : flg_path_beside(read->region, from, text);
}

static void read_field(reader *read, const flg_field *field, const flg_node *node, void *member) {
  switch (field->kind) {
    case FLG_FIELD_FLAG:
      read_flag(read, field, node, member);
      break;
    case FLG_FIELD_INTEGER:
      read_integer(read, field, node, member);
      break;
    case FLG_FIELD_NUMBER:
      read_number(read, field, node, member);
      break;
    case FLG_FIELD_TEXT:
      *(const char **)member = read_field_text(read, field, node);
      break;
    case FLG_FIELD_FILE:
      read_file(read, field, node, member);
      break;
    case FLG_FIELD_CHOICE:
      read_choice(read, field, node, member);
      break;
    case FLG_FIELD_VECTOR:
      read_vector(read, field, node, member);
      break;
    case FLG_FIELD_NUMBERS:
      read_numbers(read, field, node, member);
      break;
    case FLG_FIELD_TEXTS:
      schema_read_texts(read, field, node, member);
      break;
    case FLG_FIELD_PAIRS:
      read_pairs(read, field, node, member);
      break;
    case FLG_FIELD_SIGNAL:
      schema_read_signal(read, field, node, member);
      break;
    case FLG_FIELD_SECTION:
      read_section(read, field->section, node, member);
      break;
    case FLG_FIELD_MAP:
    case FLG_FIELD_LIST:
    case FLG_FIELD_VALUES:
    case FLG_FIELD_VALUE_MAPS:
    case FLG_FIELD_SIGNALS:
      read_items(read, field, node, member);
      break;
    default:
      break;
  }
}

static const char *article(const char *word) {
  return strchr("aeiou", word[0]) == NULL ? "a" : "an";
}

/* `end:1` is a key in YAML, and so is the 5 of `end: 1,5` */
static bool report_slip(reader *read, const flg_section *section, const flg_node *node) {
  const size_t length = strcspn(node->key, ":");
  double number;
  if (node->key[length] == ':' && node->key[length + 1] != '\0') {
    flg_mistake_add(read->mistakes, FLG_ERR_INPUT, node->place,
                    "%s %s has no key '%.60s'; a blank is missing after the colon: '%.*s: %.40s'",
                    article(section->name), section->name, node->key, (int)length, node->key,
                    node->key + length + 1);
    return true;
  }
  const bool is_empty = node->kind == FLG_NODE_SCALAR && node->text[0] == '\0';
  if (!is_empty || flg_quantity_parse(node->key, NULL, &number) != NULL) return false;
  flg_mistake_add(read->mistakes, FLG_ERR_INPUT, node->place,
                  "%s %s has no key '%.60s'; decimals are written with a point, as in 1.5",
                  article(section->name), section->name, node->key);
  return true;
}

static void report_unknown(reader *read, const flg_section *section, const flg_node *node) {
  if (report_slip(read, section, node)) return;
  const char *words[64];
  int count = 0;
  for (; count < section->field_count && count < 64; count++)
    words[count] = section->fields[count].key;
  const char *close = flg_closest_word(node->key, words, count);
  char hint[200];
  if (close != NULL) {
    snprintf(hint, sizeof hint, "did you mean '%s'?", close);
  } else {
    flg_section_keys(section, hint, sizeof hint);
  }
  flg_mistake_add(read->mistakes, FLG_ERR_INPUT, node->place, "%s %s has no key '%.60s'; %s",
                  article(section->name), section->name, node->key, hint);
}

static const flg_field *field_of(const flg_section *section, const char *key) {
  for (int k = 0; k < section->field_count; k++) {
    if (strcmp(section->fields[k].key, key) == 0) return &section->fields[k];
  }
  return NULL;
}

static flg_node *default_word(reader *read, const char *text, size_t length) {
  flg_node *word = flg_region_take(read->region, 1, sizeof *word);
  const char *kept = flg_region_text(read->region, text, length);
  if (word == NULL || kept == NULL) return NULL;
  const flg_place place = {.file = "default"};
  *word = (flg_node){.kind = FLG_NODE_SCALAR, .text = kept, .place = place, .value_place = place};
  return word;
}

/* Defaults are words or flat lists of words. A YAML parser for each of them would be a third of
 * what reading a short file costs. */
static flg_node *read_default(reader *read, const char *text) {
  if (text[0] != '[') return default_word(read, text, strlen(text));
  flg_node *list = default_word(read, "", 0), **end = list == NULL ? NULL : &list->first;
  if (list == NULL) return NULL;
  list->kind = FLG_NODE_LIST, list->text = NULL;
  for (const char *at = text + 1; *at != ']' && *at != '\0';) {
    const size_t length = strcspn(at, ",]");
    *end = default_word(read, at, length);
    if (*end == NULL) return NULL;
    end = &(*end)->next;
    at += length + strspn(at + length, ", ");
  }
  return list;
}

static const flg_node *fallback_of(reader *read, const flg_field *field) {
  const size_t slot = (uintptr_t)field / sizeof *field % FALLBACKS;
  if (read->fallbacks[slot].field == field) return read->fallbacks[slot].node;
  const flg_node *node = read_default(read, field->fallback);
  read->fallbacks[slot].field = field;
  read->fallbacks[slot].node = node;
  return node;
}

/* a key that stands there without a blank after its colon, which is reported */
static bool is_slip_of(const flg_node *node, const char *key) {
  const size_t length = strlen(key);
  for (const flg_node *child = node->first; child != NULL; child = child->next) {
    if (strncmp(child->key, key, length) == 0 && child->key[length] == ':') return true;
  }
  return false;
}

/* what a member holds while its key is absent */
static void read_absent(reader *read, const flg_section *section, const flg_field *field,
                        const flg_node *node, void *member) {
  if (field->required && is_slip_of(node, field->key)) return;
  if (field->required) {
    flg_mistake_add(read->mistakes, FLG_ERR_INPUT, node->place, "key '%s' is missing in this %s",
                    field->key, section->name);
  } else if (field->kind == FLG_FIELD_SECTION) {
    const flg_node empty = {.kind = FLG_NODE_MAP, .place = node->place};
    read_section(read, field->section, &empty, member);
  } else if (field->fallback != NULL) {
    const flg_node *fallback = fallback_of(read, field);
    if (fallback != NULL) read_field(read, field, fallback, member);
  }
}

static void clear_member(const flg_field *field, double *member) {
  const int numbers = field->kind == FLG_FIELD_VECTOR ? field->size : 1;
  if (field->kind != FLG_FIELD_VECTOR && field->kind != FLG_FIELD_NUMBER) return;
  for (int k = 0; k < numbers; k++) member[k] = NAN;
}

/* something else stands where a section must be a map */
static void report_shape(reader *read, const flg_section *section, const flg_node *node) {
  char expected[EXPECTATION], found[60];
  snprintf(found, sizeof found, "%s", flg_node_kind_text(node->kind));
  if (node->kind == FLG_NODE_SCALAR) {
    snprintf(found, sizeof found, node->text[0] == '\0' ? "nothing" : "'%.50s'", node->text);
  }
  if (section->example == NULL) {
    flg_section_keys(section, expected, sizeof expected);
  } else {
    snprintf(expected, sizeof expected, "as in %s%s%s", node->key == NULL ? "" : node->key,
             node->key == NULL ? "" : ": ", section->example);
  }
  flg_mistake_add(read->mistakes, FLG_ERR_INPUT, node->value_place,
                  "%s %s must be a map, %s; found %s", article(section->name), section->name,
                  expected, found);
  read->is_shapeless = true;
}

static void read_section(reader *read, const flg_section *section, const flg_node *node,
                         void *out) {
  memset(out, 0, section->bytes);
  const char *name = node->key == NULL ? section->name : node->key;
  *(flg_origin *)out = (flg_origin){name, node->place};
  if (strlen(name) > FLG_NAME_MOST) {
    flg_mistake_add(read->mistakes, FLG_ERR_INPUT, node->place,
                    "the name of this %s has %zu bytes; at most %d are read", section->name,
                    strlen(name), FLG_NAME_MOST);
    return;
  }
  if (node->kind != FLG_NODE_MAP) {
    report_shape(read, section, node);
    return;
  }
  for (const flg_node *child = node->first; child != NULL; child = child->next) {
    if (field_of(section, child->key) == NULL) report_unknown(read, section, child);
  }
  for (int k = 0; k < section->field_count; k++) {
    const flg_field *field = &section->fields[k];
    void *member = (unsigned char *)out + field->offset;
    clear_member(field, member);
    const flg_node *child = flg_node_find(node, field->key);
    if (child != NULL) {
      read_field(read, field, child, member);
    } else {
      read_absent(read, section, field, node, member);
    }
  }
}

bool flg_schema_read(const flg_section *section, const flg_node *node, void *out,
                     flg_region *region, flg_mistakes *mistakes) {
  reader read = {.region = region, .mistakes = mistakes};
  read_section(&read, section, node, out);
  if (region->failed) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, node->place, "no memory left to read the file");
  }
  return !read.is_shapeless;
}
