/* source_text.h - pieces of generated sources that robots and mechanisms share. */
#ifndef FLG_COMPILE_SOURCE_TEXT_H
#define FLG_COMPILE_SOURCE_TEXT_H

#include <stdio.h>

#include "compile/texts.h"
#include "math/vec3.h"

/* Includes, sines, the header of plug-ins: what a source begins with. */
void flg_text_head(FILE *out);
/* A file of this project as it is, but for its includes of others. */
void flg_text_embed(const flg_text *text, FILE *out);
/* LIBRARY_NAME and LIBRARY_VERSION. */
void flg_text_names(const char *name, FILE *out);
/* A string literal. */
void flg_text_string(const char *text, FILE *out);
/* Numbers, each with a comma after it. */
void flg_text_values(const double *values, int count, FILE *out);
/* Tables of at least one number; integers of the smallest type that holds them all. */
void flg_text_numbers(const char *name, const double *values, int count, FILE *out);
void flg_text_integers(const char *name, const int *values, int count, FILE *out);

#endif
