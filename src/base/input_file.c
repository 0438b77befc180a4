#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct input_identity {
  dev_t device;
  ino_t number;
} input_identity;

/* files that were read; files may be read by several threads */
static struct {
  pthread_mutex_t lock;
  bool is_on;
  int count, room;
  input_identity *list;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool input_is_kept(const struct stat *about) {
  for (int k = 0; k < kept.count; k++) {
    if (kept.list[k].device == about->st_dev && kept.list[k].number == about->st_ino) return true;
  }
  return false;
}

static bool input_make_room(void) {
  if (kept.count < kept.room) return true;
  const int room = kept.room == 0 ? 16 : 2 * kept.room;
  input_identity *list = realloc(kept.list, (size_t)room * sizeof *list);
  if (list == NULL) return false;
  kept.list = list, kept.room = room;
  return true;
}

/* false: there is no memory */
static bool keep_input(const struct stat *about) {
  bool done = true;
  pthread_mutex_lock(&kept.lock);
  if (kept.is_on && !input_is_kept(about)) {
    done = input_make_room();
    if (done) kept.list[kept.count++] = (input_identity){about->st_dev, about->st_ino};
  }
  pthread_mutex_unlock(&kept.lock);
  return done;
}

bool flg_inputs_keep(void) {
  pthread_mutex_lock(&kept.lock);
  kept.is_on = input_make_room();
  pthread_mutex_unlock(&kept.lock);
  return kept.is_on;
}

bool flg_inputs_have(const struct stat *about) {
  pthread_mutex_lock(&kept.lock);
  const bool have = input_is_kept(about);
  pthread_mutex_unlock(&kept.lock);
  return have;
}

const char *flg_file_objection(const struct stat *about) {
  const mode_t mode = about->st_mode;
  if (S_ISREG(mode)) return NULL;
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
  FILE *file = is_file && keep_input(&about) ? fdopen(descriptor, "rb") : NULL;
  if (file != NULL) return file;
  *reason = is_open && !is_file ? flg_file_objection(&about) : strerror(errno);
  if (descriptor >= 0) close(descriptor);
  return NULL;
}
