#include "allocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)
#define COUNTED 1
#endif

static atomic_long calls;

void allocations_begin(void) {
  atomic_store(&calls, 0);
}

long allocations_end(void) {
  return atomic_load(&calls);
}

bool allocations_counted(void) {
#ifdef COUNTED
  return true;
#else
  return false;
#endif
}

#ifdef COUNTED

/* visible, so that the shared libraries of the process find these before those of glibc */
#define REPLACES __attribute__((visibility("default")))

/* glibc's own, under the names that it keeps for this purpose */
// NOLINTBEGIN(bugprone-reserved-identifier)
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t element_bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *block);
// NOLINTEND(bugprone-reserved-identifier)

void *memalign(size_t alignment, size_t bytes); /* <malloc.h>, which POSIX lacks */

static void count_call(void) {
  atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
}

REPLACES void *malloc(size_t bytes) {
  count_call();
  return __libc_malloc(bytes);
}

REPLACES void *calloc(size_t count, size_t element_bytes) {
  count_call();
  return __libc_calloc(count, element_bytes);
}

REPLACES void *realloc(void *block, size_t bytes) {
  count_call();
  return __libc_realloc(block, bytes);
}

REPLACES void free(void *block) {
  if (block != NULL) count_call();
  __libc_free(block);
}

REPLACES void *memalign(size_t alignment, size_t bytes) {
  count_call();
  return __libc_memalign(alignment, bytes);
}

REPLACES void *aligned_alloc(size_t alignment, size_t bytes) {
  count_call();
  return __libc_memalign(alignment, bytes);
}

REPLACES int posix_memalign(void **block, size_t alignment, size_t bytes) {
  const bool power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!power_of_two || alignment % sizeof(void *) != 0) return EINVAL;
  count_call();
  void *fresh = __libc_memalign(alignment, bytes);
  if (fresh == NULL) return ENOMEM;
  *block = fresh;
  return 0;
}

#endif
