/* standard_input.h - `-` in place of a file: standard input, read once and known as <stdin>. */
#ifndef FLG_STANDARD_INPUT_H
#define FLG_STANDARD_INPUT_H

#include "cli/arguments.h"

/* Puts the name of what was read in place of each positional `-`. False with a sentence. */
bool flg_standard_input(flg_arguments *arguments, flg_error *error);

#endif
