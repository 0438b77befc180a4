/* Loaded before a program (LD_PRELOAD): allocation number FAULTS_ALLOCATION fails, counted from 1
 * over malloc, calloc and realloc. With FAULTS_COUNT set to a file, their number is written there
 * when the program ends. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_long counted;
static long failing = -1;

static int fails(void) {
  const long number = atomic_fetch_add(&counted, 1) + 1;
  if (number != failing) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) {
  return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return fails() ? NULL : __libc_realloc(old, size);
}

/* what the loader and libraries take before main is not the program's */
__attribute__((constructor)) static void begin(void) {
  const char *number = getenv("FAULTS_ALLOCATION");
  atomic_store(&counted, 0);
  if (number != NULL) failing = atol(number);
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("FAULTS_COUNT");
  char text[32];
  if (path == NULL) return;
  const int length = snprintf(text, sizeof text, "%ld\n", (long)atomic_load(&counted));
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file >= 0 && write(file, text, (size_t)length) == length) close(file);
}
