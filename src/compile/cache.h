/* cache.h - compiled libraries in the user's cache, so that a model is compiled once.
 *
 *     $XDG_CACHE_HOME/flange, or ~/.cache/flange
 *
 * A library is called by a hash of its source (which holds the model and the version of Flange), of
 * the compiler (its command, and the size and time of its program) and of the flags. The mark
 * at its end (plugin/library_mark.h) repeats that hash: a file that was cut off, changed or put
 * under another name is not loaded, and is made again. Libraries are made under names of their own
 * and renamed: two processes that compile one model end with the same file, whole.
 *
 * A cache that cannot be written, is full, or belongs to another user or is writable by others is
 * not used: the library is made in a temporary folder, for this process.
 */
#ifndef FLG_COMPILE_CACHE_H
#define FLG_COMPILE_CACHE_H

#include "base/notices.h"
#include "compile/library.h"

typedef struct flg_cached_library {
  char path[FLG_SOURCE_PATH];
  bool was_there;                  /* nothing was compiled */
  char temporary[FLG_SOURCE_PATH]; /* folder that goes with `leave`; "": it is in the cache */
} flg_cached_library;

/* Set-up: the library of a source, compiled if it is not in the cache. What stands in the way of
 * the cache, and not of the library, is reported in notices, which may be NULL; `about` names whose
 * library it is. FLG_ERR_MISSING without a compiler. Leave it once it is loaded. */
flg_status flg_cache_find(const flg_compiler_options *compiler, const char *about,
                          flg_source_writer *write, void *context, flg_cached_library *found,
                          flg_notices *notices, flg_mistakes *mistakes);
/* Removes what was made for this process alone; again it does nothing. */
void flg_cache_leave(flg_cached_library *found);

#endif
