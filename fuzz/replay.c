/* replay FOLDER COUNT - a fuzz target on fixed inputs: the seeds in a folder, then COUNT mutations
 * of them.
 *
 * Linked with fuzz/fuzz_x.c in place of libFuzzer, with any compiler. Inputs are drawn by their
 * number, so that all runs try the same. A copy of the process runs them; where it ends early, this
 * one knows at which input, and leaves that as `replay-NUMBER` in the working folder. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tests/faults/mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SEEDS_MOST = 1000, SECONDS_MOST = 100, PATH_MOST = 4096 };

typedef struct seed {
  size_t length;
  char *bytes;
} seed;

static seed seeds[SEEDS_MOST];
static int seed_count;

_Noreturn static void fail(const char *why, const char *what) {
  fprintf(stderr, "replay: %s %s\n", why, what);
  exit(EXIT_FAILURE);
}

static seed read_seed(const char *path) {
  static char bytes[MUTATED_MOST];
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail("cannot open", path);
  const size_t length = fread(bytes, 1, sizeof bytes, file);
  if (ferror(file) || fclose(file) != 0) fail("cannot read", path);
  if (length == sizeof bytes) fail("there is no room for", path);
  seed read = {.length = length, .bytes = malloc(length + 1)};
  if (read.bytes == NULL) fail("out of memory at", path);
  memcpy(read.bytes, bytes, length);
  return read;
}

/* by name: folders list their files in any order */
static void read_seeds(const char *folder) {
  struct dirent **entries;
  const int count = scandir(folder, &entries, NULL, alphasort);
  if (count < 0) fail("cannot list", folder);
  for (int k = 0; k < count; k++) {
    char path[PATH_MOST];
    if (entries[k]->d_name[0] != '.') {
      if (seed_count == SEEDS_MOST) fail("there are too many seeds in", folder);
      snprintf(path, sizeof path, "%s/%s", folder, entries[k]->d_name);
      seeds[seed_count++] = read_seed(path);
    }
    free(entries[k]);
  }
  free(entries);
  if (seed_count == 0) fail("there are no seeds in", folder);
}

/* The seeds themselves come first. */
static void make_input(int number, mutated *input) {
  chance from = {.state = (uint64_t)number};
  const seed *own = &seeds[number % seed_count];
  memcpy(input->text, own->bytes, own->length);
  input->length = own->length;
  if (number < seed_count) return;
  const seed *other = &seeds[draw(&from, (uint64_t)seed_count)];
  mutate(input, other->bytes, other->length, &from);
}

/* from memory of just that size, so that reading past its end is noticed */
static void try_input(int number) {
  static mutated input;
  make_input(number, &input);
  uint8_t *bytes = malloc(input.length > 0 ? input.length : 1);
  if (bytes == NULL) fail("out of memory", "");
  memcpy(bytes, input.text, input.length);
  alarm(SECONDS_MOST);
  LLVMFuzzerTestOneInput(bytes, input.length);
  free(bytes);
}

static void keep_input(int number) {
  static mutated input;
  char path[PATH_MOST];
  make_input(number, &input);
  snprintf(path, sizeof path, "replay-%d", number);
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(input.text, 1, input.length, file) != input.length ||
      fclose(file) != 0)
    fail("cannot write", path);
  fail("an input breaks it; see", path);
}

int main(int count, char **words) {
  if (count != 3) fail("usage: replay", "FOLDER COUNT");
  read_seeds(words[1]);
  const int most = seed_count + (int)strtol(words[2], NULL, 10);
  volatile int *number =
      mmap(NULL, sizeof *number, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (number == MAP_FAILED) fail("out of memory", "");
  const pid_t child = fork();
  if (child == 0) {
    for (; *number < most; ++*number) try_input(*number);
    exit(EXIT_SUCCESS);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child) fail("cannot copy", "the process");
  if (status != 0 && *number < most) keep_input(*number);
  if (status != 0) fail("the process ends badly", "after all inputs");
  printf("%d inputs\n", most);
  return EXIT_SUCCESS;
}
