/* compiler.h - shared libraries from C sources, by the system's compiler. */
#ifndef FLG_COMPILE_COMPILER_H
#define FLG_COMPILE_COMPILER_H

#include <stdint.h>

#include "flange/status.h"

typedef struct flg_compiler_options {
  const char *command; /* NULL: the environment's CC, or cc; may hold arguments */
  const char *march;   /* processor to compile for, "native"; NULL: any */
} flg_compiler_options;

/* The command that would be called. */
const char *flg_compiler_command(const flg_compiler_options *options);
/* The flags that every library is made with, in one text. */
const char *flg_compiler_flags(void);
/* Makes the library from one source file. It appears under its name at once, complete, or not at
 * all: it is written beside it, marked with the key (plugin/library_mark.h) and renamed.
 * FLG_ERR_MISSING without a compiler; FLG_ERR_OUTPUT with the compiler's first words if it fails.
 */
flg_status flg_compiler_run(const flg_compiler_options *options, const char *source,
                            const char *library, uint64_t key, flg_error *error);

#endif
