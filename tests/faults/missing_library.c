/* Loaded before a program (LD_PRELOAD): libraries whose names hold FAULTS_MISSING, a list with
 * colons between, are not found when the program opens them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_missing(const char *file) {
  const char *list = getenv("FAULTS_MISSING");
  char names[200], *rest = NULL;
  if (file == NULL || list == NULL) return false;
  snprintf(names, sizeof names, "%s", list);
  for (char *name = strtok_r(names, ":", &rest); name != NULL; name = strtok_r(NULL, ":", &rest)) {
    if (strstr(file, name) != NULL) return true;
  }
  return false;
}

void *dlopen(const char *file, int mode) {
  typedef void *opens(const char *, int);
  opens *next = (opens *)dlsym(RTLD_NEXT, "dlopen");
  char nowhere[300];
  if (!is_missing(file)) return next(file, mode);
  snprintf(nowhere, sizeof nowhere, "/nowhere/%s", file); /* for the reason that dlerror gives */
  return next(nowhere, mode);
}
