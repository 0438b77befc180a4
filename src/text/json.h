/* json.h - writes JSON as it goes, indented; commas and nesting take care of themselves. */
#ifndef FLG_JSON_H
#define FLG_JSON_H

#include <stdio.h>

enum { FLG_JSON_MAX_DEPTH = 16 };

typedef struct flg_json {
  FILE *out;
  int depth;
  char closing[FLG_JSON_MAX_DEPTH]; /* of each open object or list */
  int members[FLG_JSON_MAX_DEPTH];  /* so far in each */
} flg_json;

/* Starts an object. */
flg_json flg_json_begin(FILE *out);
/* Puts members by a layout such as "name:s size{ rows:d scale:g } list[": words with a space
 * between, each KEY and what it holds. The values stand in their order after it:
 *
 *     :s   const char *, null for NULL        {   an object opens         [   a list opens
 *     :d   int                                }   it closes               ]   it closes
 *     :g   double, null if not finite
 *     :b   bool                               Members of lists have no key. The key * is not in the
 *     :v   const double *, int: a list        layout: it is given as a text before its value.
 */
void flg_json_put(flg_json *json, const char *layout, ...);
/* Closes the outermost object and ends the line. */
void flg_json_end(flg_json *json);

#endif
