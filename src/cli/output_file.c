#include "cli/output_file.h"

#include <errno.h>
#include <string.h>

bool flg_output_is_standard(const char *path) {
  return path == NULL || strcmp(path, "-") == 0;
}

static flg_status refuse_output(const char *path, flg_error *error) {
  return flg_fail(error, FLG_ERR_OUTPUT, "The file '%s' cannot be written: %s.", path,
                  strerror(errno));
}

FILE *flg_output_open(const char *path, flg_file_kind kind, flg_error *error) {
  if (flg_output_is_standard(path)) return stdout;
  if (!flg_file_may_replace(path, kind, error)) return NULL;
  FILE *file = fopen(path, "w");
  if (file == NULL) refuse_output(path, error);
  return file;
}

flg_status flg_output_close(FILE *file, const char *path, flg_error *error) {
  if (flg_output_is_standard(path)) return FLG_OK; /* checked when the tool ends */
  const bool is_written = !ferror(file);
  if (fclose(file) == 0 && is_written) return FLG_OK;
  const flg_status status = refuse_output(path, error);
  (void)remove(path); /* of what could not be written nothing is left */
  return status;
}

void flg_output_tell(const char *what, const char *path) {
  if (!flg_output_is_standard(path)) printf("%s: %s\n", what, path);
}
