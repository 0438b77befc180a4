#include "cli/memory_watch.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "cli/console.h"
#include "flange/version.h"

/* made before: nothing can be formatted where there is no memory */
static char said[100] = "flange: out of memory\n", object[300];

static bool is_needed;

void flg_memory_need(void) {
  is_needed = true;
}

void flg_memory_watch(const char *verb, bool json) {
  if (verb != NULL) snprintf(said, sizeof said, "flange %s: out of memory\n", verb);
  if (!json) return;
  snprintf(object, sizeof object,
           "{\"flange\": {\"version\": \"%s\", \"json\": %d, \"verb\": \"%s\"}, "
           "\"status\": \"error\", \"error\": \"out of memory\", \"message\": \"out of memory\"}\n",
           FLG_VERSION, FLG_CONSOLE_JSON_VERSION, verb == NULL ? "" : verb);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)

/* visible, so that the libraries of the process find these before those of glibc */
#define REPLACES __attribute__((visibility("default")))

/* glibc's own, under the names that it keeps for this purpose */
// NOLINTBEGIN(bugprone-reserved-identifier)
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t element_bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
extern const char __executable_start, etext; /* by the linker: where our own code is */
// NOLINTEND(bugprone-reserved-identifier)

static void memory_say(int stream, const char *text) {
  const ssize_t written = write(stream, text, strlen(text));
  (void)written; /* there is no other place to tell */
}

static void *watch_memory(void *block, const void *caller) {
  const uintptr_t at = (uintptr_t)caller;
  const bool is_ours = at >= (uintptr_t)&__executable_start && at < (uintptr_t)&etext;
  if (block != NULL || (is_ours && !is_needed)) return block;
  memory_say(STDERR_FILENO, said);
  memory_say(STDOUT_FILENO, object);
  _exit(EX_OSERR);
}

REPLACES void *malloc(size_t bytes) {
  return watch_memory(__libc_malloc(bytes), __builtin_return_address(0));
}

REPLACES void *calloc(size_t count, size_t element_bytes) {
  return watch_memory(__libc_calloc(count, element_bytes), __builtin_return_address(0));
}

REPLACES void *realloc(void *block, size_t bytes) {
  void *moved = __libc_realloc(block, bytes);
  return bytes == 0 ? moved
                    : watch_memory(moved, __builtin_return_address(0)); /* 0 frees the block */
}

REPLACES void *aligned_alloc(size_t alignment, size_t bytes) {
  return watch_memory(__libc_memalign(alignment, bytes), __builtin_return_address(0));
}

REPLACES int posix_memalign(void **block, size_t alignment, size_t bytes) {
  void *taken = watch_memory(__libc_memalign(alignment, bytes), __builtin_return_address(0));
  if (taken == NULL) return ENOMEM;
  *block = taken;
  return 0;
}

#endif
