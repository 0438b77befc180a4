/* Loaded before a program (LD_PRELOAD): allocation number FAULTS_ALLOCATION fails, counted from 1
 * over malloc and its kin; with FAULTS_LASTING set all after it fail, too. With FAULTS_COUNT set to
 * a file, their number is written there when the program ends. It stands where glibc's allocator
 * is, behind programs that replace malloc themselves. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long counted;
static long failing = -1;
static int lasting;

static int fails(void) {
  const long number = atomic_fetch_add(&counted, 1) + 1;
  if (failing < 0 || (lasting ? number < failing : number != failing)) return 0;
  errno = ENOMEM;
  return 1;
}

/* the next of that name, which is glibc's: found without an allocation */
#define NEXT(name, type) ((type)dlsym(RTLD_NEXT, name))
typedef void *allocate(size_t);
typedef void *allocate_two(size_t, size_t);
typedef void *reallocate(void *, size_t);

void *__libc_malloc(size_t size) {
  static allocate *next;
  if (next == NULL) next = NEXT("__libc_malloc", allocate *);
  return fails() ? NULL : next(size);
}

void *__libc_calloc(size_t count, size_t size) {
  static allocate_two *next;
  if (next == NULL) next = NEXT("__libc_calloc", allocate_two *);
  return fails() ? NULL : next(count, size);
}

void *__libc_realloc(void *old, size_t size) {
  static reallocate *next;
  if (next == NULL) next = NEXT("__libc_realloc", reallocate *);
  return fails() ? NULL : next(old, size);
}

void *__libc_memalign(size_t alignment, size_t size) {
  static allocate_two *next;
  if (next == NULL) next = NEXT("__libc_memalign", allocate_two *);
  return fails() ? NULL : next(alignment, size);
}

void *malloc(size_t size) {
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  void *taken = __libc_memalign(alignment, size);
  if (taken == NULL) return ENOMEM;
  *block = taken;
  return 0;
}

/* what the loader and libraries take before main is not the program's */
__attribute__((constructor)) static void begin(void) {
  const char *number = getenv("FAULTS_ALLOCATION");
  atomic_store(&counted, 0);
  if (number != NULL) failing = atol(number);
  lasting = getenv("FAULTS_LASTING") != NULL;
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("FAULTS_COUNT");
  char text[32];
  if (path == NULL) return;
  const int length = snprintf(text, sizeof text, "%ld\n", (long)atomic_load(&counted));
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file >= 0 && write(file, text, (size_t)length) == length) close(file);
}
