/* memory_reserve.h - asks for memory before a library is called that crashes without it. */
#ifndef FLG_MEMORY_RESERVE_H
#define FLG_MEMORY_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

/* True if the system has `bytes` more now, in one piece; they are given back at once. Where it has
 * them, a library that takes less does not run short, unless another thread takes them first. */
bool flg_memory_reserve(size_t bytes);

#endif
