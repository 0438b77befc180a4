/* given.h - what a definition is made of: names, numbers and lists, each with the place in the
 * input that it comes from.
 *
 * A definition is a C struct whose first member is a flg_origin. Readers of files fill it from text
 * (text/schema.h); a program that builds a system in code fills it directly, with empty
 * places.
 */
#ifndef FLG_GIVEN_H
#define FLG_GIVEN_H

#include <stddef.h>
#include <string.h>

#include "flange/mistakes.h"

/* The name of a definition, and where it is written. */
typedef struct flg_origin {
  const char *name; /* the key in a map, else the name of the section */
  flg_place place;
} flg_origin;

typedef struct flg_numbers {
  int count;
  const double *values;
} flg_numbers;

typedef struct flg_texts {
  int count;
  flg_origin *items; /* name: the text */
} flg_texts;

typedef struct flg_pairs {
  int count;
  flg_origin (*items)[2]; /* name: the text */
} flg_pairs;

typedef struct flg_items {
  int count;
  void *items; /* array of definitions of one type */
} flg_items;

typedef struct flg_value {
  flg_origin origin;
  flg_numbers numbers;
} flg_value;

/* Letters of a name. Paths have names of all components around, in front of each name inside. */
enum { FLG_NAME_MOST = 500 };

/* Values under a name of their own. */
typedef struct flg_value_map {
  flg_origin origin;
  flg_items values; /* of flg_value */
} flg_value_map;

typedef struct flg_wire {
  flg_origin origin;
  flg_origin signal;
} flg_wire;

/* The number of the first item with that name, -1: there is none. Items begin with their names:
 * definitions, parts of models, names themselves. For short lists; name_index.h is for long ones.
 */
static inline int flg_find_named(const void *items, size_t bytes, int count, const char *name) {
  const char *at = items, *own;
  for (int k = 0; k < count; k++, at += bytes) {
    memcpy(&own, at, sizeof own);
    if (strcmp(own, name) == 0) return k;
  }
  return -1;
}
#define FLG_FIND(items, count, name) flg_find_named(items, sizeof *(items), count, name)

#endif
