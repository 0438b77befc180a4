/* output_file.h - a file that a verb writes as a whole, or standard output for "-". */
#ifndef FLG_OUTPUT_FILE_H
#define FLG_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/replaced_file.h"

/* outputs of verbs */
#define FLG_KIND_PAGE    ((flg_file_kind){"page", "<!doctype html>"})
#define FLG_KIND_PICTURE ((flg_file_kind){"picture", "<svg"})

/* NULL with FLG_ERR_OUTPUT if it cannot be created, or may not be replaced. */
FILE *flg_output_open(const char *path, flg_file_kind kind, flg_error *error);
/* FLG_ERR_OUTPUT if something could not be written: a file is then removed. */
flg_status flg_output_close(FILE *file, const char *path, flg_error *error);

/* Prints "what: path"; nothing of what went to standard output. */
void flg_output_tell(const char *what, const char *path);
/* True if the path means standard output: NULL, or "-". */
bool flg_output_is_standard(const char *path);

#endif
