/* opened_library.h - shared libraries of others that are opened when they are first needed.
 *
 * Linked, they would bring forty libraries along, which cost every program 30 million instructions
 * and 10 MB at its start. So nothing links them: a list of names says what is used of a library,
 * and the pointers of a table are found by these names when a caller first asks for them.
 *
 *     #define NAMES(NAME) NAME(ERKStepCreate) NAME(ERKStepFree)
 *     static struct { NAMES(FLG_OPENED_POINTER) } solver;
 *     static const char *const solver_names[] = {NAMES(FLG_OPENED_NAME)};
 *     static flg_opened_library library = {.file = "libx.so.5", ..., FLG_OPENED_TABLE(solver)};
 *
 *     status = flg_opened_library_open(&library, error);
 *     if (status == FLG_OK) solver.ERKStepFree(&memory);
 *
 * The names of files come from CMake (cmake/dependencies.cmake), which reads them from the
 * libraries that it finds. A library stays open until the process ends.
 */
#ifndef FLG_OPENED_LIBRARY_H
#define FLG_OPENED_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "flange/status.h"

typedef struct flg_opened_library {
  const char *file;         /* as the dynamic linker looks for it */
  const char *package;      /* of Debian 12, for the message */
  const char *use;          /* begins the message: "A results file of HDF5" */
  const char *const *names; /* (count) of functions and variables */
  void *table;              /* (count) pointers to them, in the same order */
  int count;
  atomic_bool is_open;
} flg_opened_library;

/* For lists of names: a pointer to what the library's header declares, and its name as text. */
#define FLG_OPENED_POINTER(name) __typeof__(name) *(name);
#define FLG_OPENED_NAME(name)    #name,
/* For `table` and `table_names`. */
#define FLG_OPENED_TABLE(of) \
  .names = of##_names, .table = &(of), .count = (int)(sizeof of##_names / sizeof of##_names[0])

/* Opens the library and fills its table, at the first call that succeeds; later calls cost one
 * load. Any thread may call it, and use the table after it. FLG_ERR_MISSING: there is no such
 * library, or it lacks a name; FLG_ERR_MEMORY. The table is unchanged then. error may be NULL. */
flg_status flg_opened_library_open(flg_opened_library *library, flg_error *error);

#endif
