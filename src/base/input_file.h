/* input_file.h - files that are read: regular ones alone.
 *
 * Reading a pipe or a device may wait, or go on, for ever; a folder has nothing to read.
 */
#ifndef FLG_INPUT_FILE_H
#define FLG_INPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

/* Opened for reading, without waiting; NULL with the reason, which goes on after "cannot be read:
 * ".
 */
FILE *flg_input_open(const char *path, const char **reason);

/* What a path leads to if it is no regular file, in a sentence; NULL: it is one. */
const char *flg_file_objection(const struct stat *about);

/* From now on it is kept which files are opened, so that none of them is written over: for the
 * tool, whose process has one task. false: there is no memory. */
bool flg_inputs_keep(void);
/* True if a file was opened since; false where that is not kept. */
bool flg_inputs_have(const struct stat *about);

#endif
