/* help.h - the tables of verbs and options as help texts, a man page and a bash completion. */
#ifndef FLG_HELP_H
#define FLG_HELP_H

#include <stdio.h>

#include "cli/arguments.h"

void flg_help_overview(FILE *out);
void flg_help_verb(const flg_verb *verb, FILE *out);
/* flange(1) in troff. */
void flg_help_man(FILE *out);
/* A bash completion script. */
void flg_help_completion(FILE *out);

#endif
