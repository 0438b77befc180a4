#define _XOPEN_SOURCE 700 /* realpath */
#include "results/results_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.h"
#include "results/results.h"

enum { REASON_BYTES = 100, NAMES_TRIED = 100, NUMBER_BYTES = 40, START_BYTES = 64 };

flg_status flg_results_fail(const char *path, int reason, flg_error *error) {
  char text[REASON_BYTES];
  strerror_r(reason, text, sizeof text);
  return flg_fail(error, FLG_ERR_OUTPUT, "The results file '%s' cannot be written: %s.", path,
                  text);
}

/* by the folder that it is in; where that cannot be synced, nothing is lost but that */
void flg_results_sync_name(const char *path) {
  char folder[4096] = ".";
  const char *slash = strrchr(path, '/');
  if (slash != NULL) snprintf(folder, sizeof folder, "%.*s", (int)(slash - path + 1), path);
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)fsync(descriptor);
  close(descriptor);
}

static bool is_standard(const flg_results_file *file) {
  return strcmp(file->path, "-") == 0;
}

/* ---- what is there already ---- */

/* results, nothing at all, or what begins with `own` */
static bool holds_results(int descriptor, const char *own) {
  static const char csv[] = "# flange", hdf5[] = "\211HDF\r\n\032\n";
  char start[START_BYTES] = "";
  const ssize_t count = pread(descriptor, start, sizeof start - 1, 0);
  if (count == 0) return true;
  return count > 0 && (strncmp(start, csv, strlen(csv)) == 0 || memcmp(start, hdf5, 8) == 0 ||
                       (own != NULL && strncmp(start, own, strlen(own)) == 0));
}

bool flg_results_may_replace(const char *path) {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat about;
  const bool was_read =
      descriptor >= 0 && fstat(descriptor, &about) == 0 && flg_inputs_have(&about);
  const bool may = descriptor < 0 || (holds_results(descriptor, NULL) && !was_read);
  if (descriptor >= 0) close(descriptor);
  return may;
}

/* until the file is closed; a file system without locks is taken as it is */
static bool is_written_elsewhere(int descriptor) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(descriptor, F_SETLK, &whole) != 0 && (errno == EACCES || errno == EAGAIN);
}

static const char written_elsewhere[] = "another run is writing it";

/* why an open file cannot be written over, NULL: it can */
static const char *objection_to(int descriptor, const char *own, bool writes_over) {
  struct stat about;
  if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) return NULL;
  if (is_written_elsewhere(descriptor)) return written_elsewhere;
  if (flg_inputs_have(&about)) return "it is an input, which was read just now";
  if (writes_over || holds_results(descriptor, own)) return NULL;
  return "it is there and holds no results; it is left as it is (--force writes over it)";
}

/* ---- a new one ---- */

/* A fresh file beside the path, in *name, with the mode of the one that it will replace; -1: none
 * can be made there. */
static int create_beside(const char *path, char **name) {
  struct stat there, link;
  const bool replaces = stat(path, &there) == 0;
  if (replaces ? !S_ISREG(there.st_mode) : lstat(path, &link) == 0) return -1;
  char *place = replaces ? realpath(path, NULL) : strdup(path); /* a link stays one */
  const size_t length = place == NULL ? 0 : strlen(place) + NUMBER_BYTES;
  char *made = place == NULL ? NULL : malloc(length);
  int descriptor = -1;
  for (int k = 0; made != NULL && descriptor < 0 && k < NAMES_TRIED; k++) {
    snprintf(made, length, "%s.%ld-%d", place, (long)getpid(), k);
    descriptor = open(made, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  if (descriptor >= 0 && replaces) (void)fchmod(descriptor, there.st_mode & 07777);
  free(place);
  if (descriptor < 0) free(made);
  if (descriptor >= 0) *name = made;
  return descriptor;
}

/* results that no process reads would be lost */
static int open_pipe(const char *path, const char **objection) {
  const int descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0 && errno == ENXIO) *objection = "it is a pipe that nothing reads";
  if (descriptor >= 0) (void)fcntl(descriptor, F_SETFL, 0); /* writes wait from now on */
  return descriptor;
}

/* the file itself, emptied: for devices, dangling links, folders that take no new files */
static int create_there(const char *path, const char **objection) {
  struct stat about;
  if (stat(path, &about) == 0 && S_ISFIFO(about.st_mode)) return open_pipe(path, objection);
  const int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0 || fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
    return descriptor;
  }
  if (is_written_elsewhere(descriptor)) *objection = written_elsewhere;
  if (*objection == NULL && ftruncate(descriptor, 0) != 0) *objection = "it cannot be emptied";
  if (*objection == NULL) return descriptor;
  close(descriptor);
  return -1;
}

/* what is there now may stay as it is */
static const char *look_before(const char *path, const char *own, bool writes_over) {
  struct stat about;
  if (stat(path, &about) != 0) return NULL;
  if (S_ISDIR(about.st_mode)) return "it is a folder";
  if (!S_ISREG(about.st_mode)) return NULL;
  const int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return NULL; /* told when it is opened to be written */
  const char *objection = objection_to(descriptor, own, writes_over);
  close(descriptor);
  return objection;
}

flg_status flg_results_file_open(flg_results_file *file, const char *path, const char *own,
                                 bool writes_over, flg_error *error) {
  char text[REASON_BYTES] = "its folder does not exist";
  *file = (flg_results_file){.descriptor = -1, .path = path};
  if (is_standard(file)) {
    file->descriptor = dup(STDOUT_FILENO);
    return file->descriptor >= 0 ? FLG_OK : flg_results_fail(path, errno, error);
  }
  const char *objection = look_before(path, own, writes_over);
  if (objection == NULL && access(path, F_OK) == 0 && access(path, W_OK) != 0) {
    strerror_r(errno, text, sizeof text);
    objection = text;
  }
  if (objection == NULL) file->descriptor = create_beside(path, &file->beside);
  if (objection == NULL && file->descriptor < 0) {
    file->descriptor = create_there(path, &objection);
    if (errno != ENOENT) strerror_r(errno, text, sizeof text);
  }
  if (file->descriptor >= 0) {
    (void)is_written_elsewhere(file->descriptor); /* from now on it is */
    return FLG_OK;
  }
  return flg_fail(error, FLG_ERR_OUTPUT, "The results file '%s' cannot be created: %s.", path,
                  objection == NULL ? text : objection);
}

flg_status flg_results_file_publish(flg_results_file *file, flg_error *error) {
  if (file->beside == NULL) return FLG_OK;
  char *place = realpath(file->path, NULL); /* where a link leads */
  const int there = open(file->path, O_RDWR | O_CLOEXEC);
  const bool is_taken = there >= 0 && is_written_elsewhere(there);
  if (there >= 0) close(there);
  flg_status status = FLG_OK;
  if (is_taken) {
    status = flg_fail(error, FLG_ERR_OUTPUT, "The results file '%s' cannot be created: %s.",
                      file->path, written_elsewhere);
  } else if (fsync(file->descriptor) != 0 ||
             rename(file->beside, place == NULL ? file->path : place) != 0) {
    status = flg_results_fail(file->path, errno, error);
  } else {
    free(file->beside);
    file->beside = NULL;
  }
  free(place);
  return status;
}

/* ---- while it is written ---- */

flg_status flg_results_file_look(const flg_results_file *file, flg_error *error) {
  struct stat own, named;
  if (file->beside != NULL || is_standard(file) || fstat(file->descriptor, &own) != 0 ||
      !S_ISREG(own.st_mode)) {
    return FLG_OK;
  }
  const bool is_short = file->was_shortened || own.st_size < file->written;
  const char *wrong = is_short ? "shortened" : NULL;
  if (stat(file->path, &named) != 0) {
    wrong = "removed";
  } else if (named.st_ino != own.st_ino || named.st_dev != own.st_dev) {
    wrong = "replaced";
  }
  if (wrong == NULL) return FLG_OK;
  return flg_fail(error, FLG_ERR_OUTPUT,
                  "The results file '%s' was %s by something else during the run: it is not whole.",
                  file->path, wrong);
}

flg_status flg_results_file_put(flg_results_file *file, const char *text, size_t count,
                                flg_error *error) {
  const flg_status status = flg_results_file_look(file, error);
  if (status != FLG_OK) return status;
  for (size_t done = 0; done < count;) {
    const ssize_t more = write(file->descriptor, text + done, count - done);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) { /* what is cut short by a full disk is taken back */
      const int reason = errno;
      const int taken_back = is_standard(file) ? 0 : ftruncate(file->descriptor, file->written);
      (void)taken_back;
      return flg_results_fail(file->path, reason, error);
    }
    done += (size_t)more;
  }
  file->written += (off_t)count;
  return FLG_OK;
}

flg_status flg_results_file_close(flg_results_file *file, bool ends, flg_error *error) {
  flg_status status = ends ? flg_results_file_look(file, error) : FLG_OK;
  struct stat own;
  const bool is_file = fstat(file->descriptor, &own) == 0 && S_ISREG(own.st_mode);
  if (file->beside != NULL) (void)unlink(file->beside);
  if (ends && is_file && status == FLG_OK) {
    if (fsync(file->descriptor) != 0) status = flg_results_fail(file->path, errno, error);
    flg_results_sync_name(file->path);
  }
  /* network and quota file systems report a full disk as late as in close */
  if (close(file->descriptor) != 0 && status == FLG_OK) {
    status = flg_results_fail(file->path, errno, error);
  }
  free(file->beside);
  *file = (flg_results_file){.descriptor = -1, .path = file->path};
  return status;
}
