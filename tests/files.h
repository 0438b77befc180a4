/* files.h - throw-away folders and files for tests that need real ones. */
#ifndef FLG_TESTS_FILES_H
#define FLG_TESTS_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

typedef struct test_folder {
  char path[64];
  int count;
  char names[32][96]; /* of the files made in it */
} test_folder;

static inline test_folder make_folder(void) {
  test_folder folder = {.path = "/tmp/flange-test-XXXXXX"};
  assert_non_null(mkdtemp(folder.path));
  return folder;
}

/* Writes length bytes and returns the path, which lives as long as the folder. */
static inline const char *make_file_of(test_folder *folder, const char *name, const char *bytes,
                                       size_t length) {
  char full[96];
  snprintf(full, sizeof full, "%s/%s", folder->path, name);
  char *path = memcpy(folder->names[folder->count++], full, sizeof full);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
  return path;
}

static inline const char *make_file(test_folder *folder, const char *name, const char *text) {
  return make_file_of(folder, name, text, strlen(text));
}

static inline void remove_folder(test_folder *folder) {
  for (int k = 0; k < folder->count; k++) unlink(folder->names[k]);
  assert_int_equal(rmdir(folder->path), 0);
}

#endif
