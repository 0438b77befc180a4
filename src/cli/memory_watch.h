/* memory_watch.h - the tool says 'out of memory' when a library that it calls gets none.
 *
 * libfyaml, libhdf5 and assimp use in some places what an allocation returns without a
 * look at it, or go on without a part of the file. The tool owns its process, so it puts itself
 * between these libraries and the C library: an allocation that fails outside of Flange's own code
 * ends the process at once, and leaves outputs as a kill does. Flange's own allocations that fail
 * are reported by a status as ever. Works with glibc, and not with sanitizers, which have
 * allocators of their own.
 */
#ifndef FLG_MEMORY_WATCH_H
#define FLG_MEMORY_WATCH_H

#include <stdbool.h>

/* Says for which verb (NULL: none) it speaks; with `json` also as an object on stdout. */
void flg_memory_watch(const char *verb, bool json);
/* From now on an allocation that fails in the tool's own code ends it, too: for verbs that print
 * what they have found, of which nothing may be left out. */
void flg_memory_need(void);

#endif
