/* fields.h - what a file may say, as tables: they check it, fill C structs from it, and print the
 * reference of all keys (text/schema.h). There is no other place where a key is spelled.
 *
 * A section describes a C struct whose first member is a flg_origin. Every field names its key, the
 * member that takes it (by offset), its range, unit and default, and one sentence of help.
 *
 *     kind       member                    YAML
 *     FLAG       bool                      true, false
 *     INTEGER    int                       3
 *     NUMBER     double                    0.5, 1/60, 45 deg        NaN if absent without a default
 *     TEXT       const char *              a word or "a sentence"   NULL if absent
 *     FILE       const char *              a path, relative to the file that names it
 *     CHOICE     int                       one of the words; the index of it
 *     VECTOR     double[size]              [1, 2, 3]                NaNs if absent
 *     NUMBERS    flg_numbers               [1, 2, ...] or 1
 *     TEXTS      flg_texts                 [a, b, ...] or a
 *     PAIRS      flg_pairs                 [[a, b], ...]
 *     SECTION    the struct itself         {...}                    defaults if absent
 *     MAP        flg_items of the struct   {name: {...}, ...}
 *     LIST       flg_items of the struct   [{...}, ...]
 *     VALUES     flg_items of flg_value    {name: 1, other: [1, 2]}
 *     VALUE_MAPS flg_items of flg_value_map  {name: {other: 1}}
 *     SIGNAL     flg_origin                2*p - q                  as `name`, NULL if absent
 *     SIGNALS    flg_items of flg_wire     {name: 2*p - q}
 */
#ifndef FLG_FIELDS_H
#define FLG_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/given.h"

typedef enum flg_field_kind {
  FLG_FIELD_FLAG,
  FLG_FIELD_INTEGER,
  FLG_FIELD_NUMBER,
  FLG_FIELD_TEXT,
  FLG_FIELD_FILE,
  FLG_FIELD_CHOICE,
  FLG_FIELD_VECTOR,
  FLG_FIELD_NUMBERS,
  FLG_FIELD_TEXTS,
  FLG_FIELD_PAIRS,
  FLG_FIELD_SECTION,
  FLG_FIELD_MAP,
  FLG_FIELD_LIST,
  FLG_FIELD_VALUES,
  FLG_FIELD_VALUE_MAPS,
  FLG_FIELD_SIGNAL,
  FLG_FIELD_SIGNALS,
  FLG_FIELD_KIND_COUNT
} flg_field_kind;

typedef enum flg_range {
  FLG_RANGE_ANY,
  FLG_RANGE_POSITIVE,
  FLG_RANGE_NOT_NEGATIVE,
  FLG_RANGE_BETWEEN /* least .. most, both included */
} flg_range;

struct flg_section;

typedef struct flg_field {
  const char *key;
  flg_field_kind kind;
  size_t offset; /* of the member, by offsetof */
  const char *help;
  bool required;
  int size;                   /* VECTOR: numbers; NUMBERS, TEXTS, MAP: at least so many */
  flg_range range;            /* of every number in it */
  double least, most;         /* for FLG_RANGE_BETWEEN */
  const char *unit;           /* of every number in it; NULL: none, or it depends */
  const char *fallback;       /* as a user would write it; NULL: nothing */
  const char *const *choices; /* CHOICE: words, NULL at the end */
  /* CHOICE: {also, word}: words that others use, where `word` is a choice; {NULL, NULL} at the end
   */
  const char *const (*aliases)[2];
  const char *const *meanings;       /* of these words, one each; NULL: `help` tells */
  const struct flg_section *section; /* SECTION, MAP, LIST */
  /* VALUES: what may stand in place of the map, as messages say it; NULL: nothing. A word becomes
   * the name of a value without numbers, numbers a value without a name. */
  const char *word, *number;
} flg_field;

typedef struct flg_section {
  const char *name; /* singular, as in messages: "joint" */
  const char *help; /* one sentence */
  size_t bytes;     /* of the struct */
  const flg_field *fields;
  int field_count;
  const char *example; /* a short map that a user may write; shown where something else stands */
} flg_section;

#define FLG_COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

/* A field of the struct `type`, under the name of its member or under another key. Its help, and
 * whatever else there is to say of it, follow as in an initialiser. */
#define FLG_KEY_AT(type, member, key, kind, ...) \
  { key, FLG_FIELD_##kind, offsetof(type, member), __VA_ARGS__ }
#define FLG_KEY(type, member, kind, ...) FLG_KEY_AT(type, member, #member, kind, __VA_ARGS__)

/* The section of the struct `type` with a table of fields. */
#define FLG_SECTION(name, type, table, help, example) \
  { name, help, sizeof(type), table, FLG_COUNT(table), example }

#endif
