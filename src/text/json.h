/* json.h - writes JSON as it goes, indented; commas and nesting take care of themselves. */
#ifndef FLG_JSON_H
#define FLG_JSON_H

#include <stdbool.h>
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
/* Starts an object '{' or list '[' inside; key NULL inside a list. */
void flg_json_open(flg_json *json, const char *key, char bracket);
void flg_json_close(flg_json *json);
void flg_json_text(flg_json *json, const char *key, const char *text); /* null for NULL */
void flg_json_number(flg_json *json, const char *key, double value);   /* null if not finite */
void flg_json_flag(flg_json *json, const char *key, bool value);
/* A list of numbers on one line. */
void flg_json_numbers(flg_json *json, const char *key, const double *values, int count);
/* Closes the outermost object and ends the line. */
void flg_json_end(flg_json *json);

#endif
