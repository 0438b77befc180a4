/* input_file.h - files that are read: regular ones alone.
 *
 * Reading a pipe or a device may wait, or go on, for ever; a folder has nothing to read.
 */
#ifndef FLG_INPUT_FILE_H
#define FLG_INPUT_FILE_H

#include <stdio.h>

/* Opened for reading, without waiting; NULL with the reason, which goes on after "cannot be read:
 * ".
 */
FILE *flg_input_open(const char *path, const char **reason);

#endif
