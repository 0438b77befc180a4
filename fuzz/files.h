/* files.h - a folder of its own for a target that needs files; gone when the target ends. */
#ifndef FLG_FUZZ_FILES_H
#define FLG_FUZZ_FILES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILES_MAX = 8, FILE_PATH = 64 };

static char files_folder[] = "/tmp/flange-fuzz-XXXXXX";
static char files_paths[FILES_MAX][FILE_PATH];
static int files_count;

static void remove_files(void) {
  for (int k = 0; k < files_count; k++) unlink(files_paths[k]);
  rmdir(files_folder);
}

/* A name in the folder, whose file is removed at the end. */
static const char *name_file(const char *name) {
  if (files_count == 0) {
    if (mkdtemp(files_folder) == NULL) abort();
    atexit(remove_files);
  }
  if (files_count == FILES_MAX) abort();
  char *path = files_paths[files_count++];
  snprintf(path, FILE_PATH, "%s/%s", files_folder, name);
  return path;
}

static void write_file(const char *path, const void *bytes, size_t count) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || (count > 0 && fwrite(bytes, count, 1, file) != 1) || fclose(file) != 0)
    abort();
}

#endif
