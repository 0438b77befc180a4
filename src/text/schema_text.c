#include "text/schema_text.h"

#include <stdarg.h>
#include <string.h>

/* text that grows in a fixed room and is cut where that ends */
typedef struct writer {
  char *text;
  size_t capacity, length;
} writer;

static void schema_put(writer *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void schema_put(writer *to, const char *format, ...) {
  if (to->length >= to->capacity) return;
  va_list arguments;
  va_start(arguments, format);
  const int added = vsnprintf(to->text + to->length, to->capacity - to->length, format, arguments);
  va_end(arguments);
  if (added > 0) to->length += (size_t)added;
}

static const char *kind_text(const flg_field *field) {
  static const char *const texts[FLG_FIELD_KIND_COUNT] = {
      [FLG_FIELD_FLAG] = "true or false",
      [FLG_FIELD_INTEGER] = "a whole number",
      [FLG_FIELD_NUMBER] = "a number",
      [FLG_FIELD_TEXT] = "a text",
      [FLG_FIELD_FILE] = "a file name",
      [FLG_FIELD_CHOICE] = "one of",
      [FLG_FIELD_VECTOR] = "a list of",
      [FLG_FIELD_NUMBERS] = "a number or a list of numbers",
      [FLG_FIELD_TEXTS] = "a text or a list of texts",
      [FLG_FIELD_PAIRS] = "a list of pairs of texts",
      [FLG_FIELD_SECTION] = "a map",
      [FLG_FIELD_MAP] = "a map of names to",
      [FLG_FIELD_LIST] = "a list of",
      [FLG_FIELD_VALUES] = "a map of names to numbers",
      [FLG_FIELD_VALUE_MAPS] = "a map of names to maps of names to numbers",
      [FLG_FIELD_SIGNAL] = "a signal",
      [FLG_FIELD_SIGNALS] = "a map of names to signals",
  };
  return texts[field->kind];
}

static void put_choices(writer *to, const flg_field *field) {
  for (const char *const *word = field->choices; *word != NULL; word++) {
    schema_put(to, "%s%s", word == field->choices ? " " : word[1] == NULL ? " or " : ", ", *word);
  }
}

static bool is_choice(const flg_field *field, const char *word) {
  for (const char *const *known = field->choices; *known != NULL; known++) {
    if (strcmp(*known, word) == 0) return true;
  }
  return false;
}

static void put_aliases(writer *to, const flg_field *field) {
  for (int k = 0; field->aliases != NULL && field->aliases[k][0] != NULL; k++) {
    const char *const *alias = field->aliases[k];
    if (is_choice(field, alias[0]) || !is_choice(field, alias[1])) continue;
    schema_put(to, "; %s is %s", alias[0], alias[1]);
  }
}

static void put_range(writer *to, const flg_field *field) {
  if (field->range == FLG_RANGE_POSITIVE) schema_put(to, ", greater than 0");
  if (field->range == FLG_RANGE_NOT_NEGATIVE) schema_put(to, ", 0 or more");
  if (field->range != FLG_RANGE_BETWEEN) return;
  if (field->least == field->most) {
    schema_put(to, ", namely %g", field->least);
  } else {
    schema_put(to, ", from %g to %g", field->least, field->most);
  }
}

static bool holds_numbers(const flg_field *field) {
  return field->kind == FLG_FIELD_INTEGER || field->kind == FLG_FIELD_NUMBER ||
         field->kind == FLG_FIELD_VECTOR || field->kind == FLG_FIELD_NUMBERS ||
         field->kind == FLG_FIELD_VALUES;
}

/* one alone is not enough */
static bool of_many(const flg_field *field) {
  return field->size > 1 && (field->kind == FLG_FIELD_TEXTS || field->kind == FLG_FIELD_NUMBERS);
}

void flg_field_expectation(const flg_field *field, char *text, size_t capacity) {
  writer to = {.text = text, .capacity = capacity};
  if (of_many(field)) {
    const bool texts = field->kind == FLG_FIELD_TEXTS;
    schema_put(&to, "a list of at least %d %s", field->size, texts ? "texts" : "numbers");
  } else {
    schema_put(&to, "%s", kind_text(field));
  }
  if (field->kind == FLG_FIELD_CHOICE) put_choices(&to, field), put_aliases(&to, field);
  if (field->kind == FLG_FIELD_VECTOR) schema_put(&to, " %d numbers", field->size);
  if (field->kind == FLG_FIELD_MAP || field->kind == FLG_FIELD_LIST) {
    const char *name = field->section->name;
    const int stem = (int)strlen(name) - 1;
    if (name[stem] == 'y') {
      schema_put(&to, " %.*sies", stem, name);
    } else {
      schema_put(&to, " %ss", name);
    }
  }
  if (holds_numbers(field)) {
    if (field->unit != NULL) schema_put(&to, " in %s", field->unit);
    put_range(&to, field);
  }
  if (field->word != NULL) schema_put(&to, " or %s", field->word);
  if (field->number != NULL) schema_put(&to, " or %s", field->number);
  if (field->size > 0 && field->kind != FLG_FIELD_VECTOR && !of_many(field)) {
    schema_put(&to, ", at least %d", field->size);
  }
}

void flg_section_keys(const flg_section *section, char *text, size_t capacity) {
  writer to = {.text = text, .capacity = capacity};
  schema_put(&to, "its keys are");
  for (int k = 0; k < section->field_count; k++) {
    const bool last = k == section->field_count - 1;
    schema_put(&to, "%s%s", k == 0 ? " " : last ? " and " : ", ", section->fields[k].key);
  }
}

/* help, and then what each word of a choice means */
static void put_meaning(writer *to, const flg_field *field) {
  schema_put(to, "%s", field->help);
  for (int k = 0; field->meanings != NULL && field->choices[k] != NULL; k++) {
    schema_put(to, "%s%s: %s", k == 0 ? ". " : "; ", field->choices[k], field->meanings[k]);
  }
}

enum { MEANING_TEXT = 2000 };

static void write_field_row(const flg_field *field, FILE *out) {
  char expected[400], meaning[MEANING_TEXT] = "";
  flg_field_expectation(field, expected, sizeof expected);
  put_meaning(&(writer){.text = meaning, .capacity = sizeof meaning}, field);
  fprintf(out, "| `%s` | %s | ", field->key, expected);
  if (field->required) {
    fprintf(out, "required");
  } else if (field->fallback != NULL) {
    fprintf(out, "`%s`", field->fallback);
  }
  fprintf(out, " | %s |\n", meaning);
}

static void write_table(const flg_section *section, FILE *out) {
  fprintf(out, "## %s\n\n%s\n\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n",
          section->name, section->help);
  for (int k = 0; k < section->field_count; k++) write_field_row(&section->fields[k], out);
  fprintf(out, "\n");
}

enum { MOST_SECTIONS = 100 };

static int schema_add_section(const flg_section *section, const flg_section *found[MOST_SECTIONS],
                              int count) {
  bool known = section == NULL || count == MOST_SECTIONS;
  for (int k = 0; k < count && !known; k++) known = found[k] == section;
  if (!known) found[count++] = section;
  return count;
}

/* the sections and all below them, each once; returns how many */
static int gather_sections(const flg_section *const *sections, int section_count,
                           const flg_section *found[MOST_SECTIONS]) {
  int count = 0, looked_at = 0;
  for (int k = 0; k < section_count; k++) {
    count = schema_add_section(sections[k], found, count);
    for (; looked_at < count; looked_at++) {
      for (int f = 0; f < found[looked_at]->field_count; f++) {
        count = schema_add_section(found[looked_at]->fields[f].section, found, count);
      }
    }
  }
  return count;
}

void flg_schema_markdown(const flg_section *const *sections, int section_count, FILE *out) {
  const flg_section *found[MOST_SECTIONS];
  const int count = gather_sections(sections, section_count, found);
  for (int k = 0; k < count; k++) write_table(found[k], out);
}

static void write_field_key(const flg_field *field, flg_json *json) {
  char expected[400], meaning[MEANING_TEXT] = "";
  flg_field_expectation(field, expected, sizeof expected);
  put_meaning(&(writer){.text = meaning, .capacity = sizeof meaning}, field);
  flg_json_put(json, "*{ value:s default:s", field->key, expected,
               field->required ? "required" : field->fallback);
  if (field->unit != NULL) flg_json_put(json, "unit:s", field->unit);
  if (field->section != NULL) flg_json_put(json, "section:s", field->section->name);
  flg_json_put(json, "meaning:s }", meaning);
}

void flg_schema_json(const flg_section *const *sections, int section_count, flg_json *json) {
  const flg_section *found[MOST_SECTIONS];
  const int count = gather_sections(sections, section_count, found);
  for (int k = 0; k < count; k++) {
    flg_json_put(json, "*{ help:s keys{", found[k]->name, found[k]->help);
    for (int f = 0; f < found[k]->field_count; f++) write_field_key(&found[k]->fields[f], json);
    flg_json_put(json, "} }");
  }
}
