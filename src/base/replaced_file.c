#include "base/replaced_file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"

/* an empty file is of any kind, and one that cannot be read of none */
static bool is_of_kind(const char *path, flg_file_kind kind) {
  enum { START_BYTES = 64 };
  char found[START_BYTES] = "";
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  const ssize_t count = descriptor < 0 ? -1 : read(descriptor, found, sizeof found - 1);
  if (descriptor >= 0) close(descriptor);
  return count == 0 || (count > 0 && strncmp(found, kind.start, strlen(kind.start)) == 0);
}

bool flg_file_may_replace(const char *path, flg_file_kind kind, flg_error *error) {
  struct stat about;
  if (stat(path, &about) != 0) return true; /* why it cannot be made is reported when it is */
  const char *objection = flg_file_objection(&about);
  if (objection == NULL && flg_inputs_have(&about)) {
    objection = "it is an input, which was read just now";
  }
  if (objection != NULL) {
    flg_fail(error, FLG_ERR_OUTPUT, "The file '%s' cannot be written: %s.", path, objection);
    return false;
  }
  if (is_of_kind(path, kind)) return true;
  flg_fail(error, FLG_ERR_OUTPUT,
           "The file '%s' is there and was not written by this command: it is no %s. It is left as "
           "it is; remove it or choose another name.",
           path, kind.name);
  return false;
}
