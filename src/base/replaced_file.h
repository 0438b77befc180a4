/* replaced_file.h - which files a command may write over: those that it wrote itself.
 *
 * Pipes, devices and folders are none. A slip of the hand costs no scenario and no results.
 */
#ifndef FLG_REPLACED_FILE_H
#define FLG_REPLACED_FILE_H

#include <stdbool.h>

#include "flange/status.h"

typedef struct flg_file_kind {
  const char *name, *start; /* for people; how all files of the kind begin */
} flg_file_kind;

/* True if nothing is there, or a file that is empty or of that kind, and was not read before
 * (flg_inputs_keep). FLG_ERR_OUTPUT in the error. */
bool flg_file_may_replace(const char *path, flg_file_kind kind, flg_error *error);

#endif
