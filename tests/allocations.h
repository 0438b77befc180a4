/* allocations.h - counts what the whole process asks of the system's heap, to show that a step
 * allocates and frees nothing.
 *
 *     if (!allocations_counted()) skip();
 *     allocations_begin();
 *     step(...);
 *     assert_int_equal(allocations_end(), 0);
 *
 * Linking allocations.c replaces malloc, calloc, realloc, free, aligned_alloc, posix_memalign and
 * memalign, for all threads and all libraries of the process. Not where a sanitizer has replaced
 * them already, nor without glibc: there allocations_counted() is false, and all counts are 0.
 */
#ifndef FLG_TESTS_ALLOCATIONS_H
#define FLG_TESTS_ALLOCATIONS_H

#include <stdbool.h>

/* Whether this build counts. */
bool allocations_counted(void);
/* Starts from zero. */
void allocations_begin(void);
/* Calls since begin, of all threads; freeing NULL does not count. */
long allocations_end(void);

#endif
