/* library.h - a shared library from a source that a writer makes. */
#ifndef FLG_COMPILE_LIBRARY_H
#define FLG_COMPILE_LIBRARY_H

#include <stdint.h>
#include <stdio.h>

#include "compile/compiler.h"
#include "flange/mistakes.h"

typedef struct flg_library {
  const char *output;      /* the file to write */
  const char *keep_source; /* folder that the generated source is left in; NULL: it is removed */
  const char *name;        /* for people; NULL: that of the file */
  flg_compiler_options compiler;
  uint64_t key; /* for its mark (plugin/library_mark.h) */
} flg_library;

/* Writes a source for a library of that name; what is wrong goes to mistakes. */
typedef flg_status flg_source_writer(void *context, const char *name, FILE *out,
                                     flg_mistakes *mistakes);

enum { FLG_SOURCE_PATH = 4096 };
/* Set-up: writes the source and calls the compiler. kept: the path of the source, or "". */
flg_status flg_library_make(const flg_library *library, flg_source_writer *write, void *context,
                            char kept[FLG_SOURCE_PATH], flg_mistakes *mistakes);

#endif
