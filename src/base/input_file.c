#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *name_of(mode_t mode) {
  if (S_ISDIR(mode)) return "it is a folder, not a file";
  if (S_ISFIFO(mode)) return "it is a pipe, not a file";
  if (S_ISSOCK(mode)) return "it is a socket, not a file";
  return "it is a device, not a file";
}

FILE *flg_input_open(const char *path, const char **reason) {
  struct stat about;
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  const bool is_open = descriptor >= 0 && fstat(descriptor, &about) == 0;
  const bool is_file = is_open && S_ISREG(about.st_mode);
  FILE *file = is_file ? fdopen(descriptor, "rb") : NULL;
  if (file != NULL) return file;
  *reason = is_open && !is_file ? name_of(about.st_mode) : strerror(errno);
  if (descriptor >= 0) close(descriptor);
  return NULL;
}
