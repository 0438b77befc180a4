/* schema_text.h - the schema in words: what a field expects, and the reference of all keys. */
#ifndef FLG_SCHEMA_TEXT_H
#define FLG_SCHEMA_TEXT_H

#include <stdio.h>

#include "text/json.h"
#include "text/schema.h"

/* "a number in s, greater than 0". */
void flg_field_expectation(const flg_field *field, char *text, size_t capacity);
/* "its keys are a, b and c". */
void flg_section_keys(const flg_section *section, char *text, size_t capacity);
/* The sections and all below them as Markdown tables, each section once. */
void flg_schema_markdown(const flg_section *const *sections, int section_count, FILE *out);
/* The same as members of an open JSON object: section -> {help, keys -> {..}}. */
void flg_schema_json(const flg_section *const *sections, int section_count, flg_json *json);

#endif
