/* elf_file.h - a shared library before it is loaded: the system's loader crashes on files that were
 * cut off, and says little of those for other processors. */
#ifndef FLG_PLUGIN_ELF_FILE_H
#define FLG_PLUGIN_ELF_FILE_H

#include "flange/status.h"

/* Set-up: FLG_ERR_INPUT with a sentence if the file is an ELF library that cannot be loaded here:
 * for another processor, no shared library, or shorter than its own tables say. What is no ELF
 * file, or no file, is left to the loader. */
flg_status flg_elf_check(const char *path, flg_error *error);

#endif
