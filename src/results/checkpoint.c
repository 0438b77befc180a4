#define _DEFAULT_SOURCE /* flock */
#include "results/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/input_file.h"
#include "cosim/simulation.h"
#include "flange/version.h"
#include "results/results_file.h"

/* no padding: it is hashed and written as it is */
typedef struct header {
  char magic[8];
  uint32_t format, version;
  uint64_t identity, bytes, hash; /* of the system; of the state; over header and state */
} header;

static const char MAGIC[8] = "FLANGE\1\n";
enum { FORMAT = 3 };

/* the hash with its own place in the header left out */
static uint64_t hash_of(header head, const void *state) {
  head.hash = 0;
  return flg_hash(flg_hash(FLG_HASH_SEED, &head, sizeof head), state, (size_t)head.bytes);
}

static flg_status cannot(flg_error *error, flg_status status, const char *verb, const char *path) {
  return flg_fail(error, status, "The checkpoint '%s' cannot be %s: %s.", path, verb,
                  strerror(errno));
}

/* into a new file beside it, named by XXXXXX; on the disk before it takes the place of the old one,
 * so that a loss of power leaves one of the two; locked by *claim, NULL: by nothing */
static bool checkpoint_write_file(char *beside, const header *head, const void *state, int *claim) {
  const int descriptor = mkstemp(beside);
  if (claim != NULL && descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    *claim = fcntl(descriptor, F_DUPFD_CLOEXEC, 0); /* the lock outlives the stream */
  }
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
  if (file == NULL) {
    if (descriptor >= 0) close(descriptor);
    return false;
  }
  const mode_t usual = umask(0);
  umask(usual);
  const bool written = fwrite(head, sizeof *head, 1, file) == 1 &&
                       (head->bytes == 0 || fwrite(state, (size_t)head->bytes, 1, file) == 1) &&
                       fflush(file) == 0 && fsync(descriptor) == 0 &&
                       fchmod(descriptor, 0666 & ~usual) == 0;
  return (fclose(file) == 0) && written;
}

/* whether the file may be written over: it is not there, or is a checkpoint */
static bool checkpoint_is_ours(const char *path) {
  struct stat about;
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return false; /* a pipe waits for ever */
  FILE *file = fopen(path, "rb");
  if (file == NULL) return true;
  char magic[sizeof MAGIC];
  const size_t count = fread(magic, 1, sizeof magic, file);
  fclose(file);
  return count == 0 || (count == sizeof magic && memcmp(magic, MAGIC, sizeof magic) == 0);
}

static flg_status write_locked(const flg_simulation *simulation, const char *path, int *claim,
                               flg_error *error) {
  if (!checkpoint_is_ours(path)) {
    return flg_fail(error, FLG_ERR_OUTPUT,
                    "'%s' is there and is not a checkpoint; it is left as it is.", path);
  }
  const size_t bytes = flg_simulation_state_bytes(simulation),
               length = strlen(path) + sizeof ".XXXXXX";
  void *state = malloc(bytes);
  char *beside = malloc(length);
  flg_status status = FLG_ERR_MEMORY;
  if (state == NULL || beside == NULL) {
    flg_fail(error, status, "No memory left to write the checkpoint '%s'.", path);
  } else {
    flg_simulation_save(simulation, state);
    header head = {.format = FORMAT,
                   .version = FLG_VERSION_NUMBER,
                   .identity = flg_simulation_identity(simulation),
                   .bytes = bytes};
    memcpy(head.magic, MAGIC, sizeof MAGIC);
    head.hash = hash_of(head, state);
    snprintf(beside, length, "%s.XXXXXX", path);
    const bool done =
        checkpoint_write_file(beside, &head, state, claim) && rename(beside, path) == 0;
    status = done ? FLG_OK : cannot(error, FLG_ERR_OUTPUT, "written", path);
    if (!done) (void)remove(beside); /* what is left of it */
    if (done) flg_results_sync_name(path);
  }
  free(state);
  free(beside);
  return status;
}

flg_status flg_checkpoint_write(const flg_simulation *simulation, const char *path,
                                flg_error *error) {
  return write_locked(simulation, path, NULL, error);
}

/* ---- one writer ---- */

static bool is_same_file(int descriptor, const char *path) {
  struct stat own, named;
  return descriptor >= 0 && fstat(descriptor, &own) == 0 && stat(path, &named) == 0 &&
         own.st_ino == named.st_ino && own.st_dev == named.st_dev;
}

/* The file under that name, locked, or -1 if none is there. Another run may put its next one there
 * between the two: then that counts. */
static int claim_checkpoint(const char *path, bool *is_taken) {
  int descriptor;
  *is_taken = false;
  do {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return -1;
    *is_taken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!*is_taken && is_same_file(descriptor, path)) return descriptor;
    close(descriptor);
  } while (!*is_taken);
  return -1;
}

/* A checkpoint takes the place of the one before, and has its own lock by then. */
flg_status flg_checkpoint_keep(const flg_simulation *simulation, const char *path, int *claim,
                               flg_error *error) {
  bool is_taken = false;
  int now = -1;
  const int before = is_same_file(*claim, path) ? -1 : claim_checkpoint(path, &is_taken);
  const flg_status status =
      is_taken ? flg_fail(error, FLG_ERR_OUTPUT,
                          "The checkpoint '%s' cannot be written: another run is writing it.", path)
               : write_locked(simulation, path, &now, error);
  if (before >= 0) close(before);
  const int after = status == FLG_OK ? *claim : now;
  if (after >= 0) close(after);
  if (status == FLG_OK) *claim = now;
  return status;
}

/* ---- going on from it ---- */

static flg_status checkpoint_check(const header *head, const flg_simulation *simulation,
                                   const char *path, flg_error *error) {
  if (memcmp(head->magic, MAGIC, sizeof MAGIC) != 0) {
    return flg_fail(error, FLG_ERR_INPUT, "'%s' is not a checkpoint.", path);
  }
  if (head->format != FORMAT || head->version != FLG_VERSION_NUMBER) {
    return flg_fail(error, FLG_ERR_INPUT,
                    "The checkpoint '%s' was written by another version of Flange (%u.%u.%u); this "
                    "is %s.",
                    path, head->version / 10000, head->version / 100 % 100, head->version % 100,
                    FLG_VERSION);
  }
  if (head->identity != flg_simulation_identity(simulation) ||
      head->bytes != flg_simulation_state_bytes(simulation)) {
    return flg_fail(error, FLG_ERR_INPUT,
                    "The checkpoint '%s' belongs to another system: models, steps, controllers, "
                    "gravity or events differ from '%s'.",
                    path, flg_simulation_name(simulation));
  }
  return FLG_OK;
}

static flg_status read_state(flg_simulation *simulation, FILE *file, const char *path,
                             flg_error *error) {
  header head;
  if (fread(&head, sizeof head, 1, file) != 1) {
    return flg_fail(error, FLG_ERR_INPUT, "'%s' is not a checkpoint.", path);
  }
  const flg_status status = checkpoint_check(&head, simulation, path, error);
  if (status != FLG_OK) return status;
  void *state = malloc((size_t)head.bytes);
  if (state == NULL) return flg_fail(error, FLG_ERR_MEMORY, "No memory left to read '%s'.", path);
  const bool whole =
      fread(state, (size_t)head.bytes, 1, file) == 1 && hash_of(head, state) == head.hash;
  flg_error wrong = {0};
  const flg_status taken = whole ? flg_simulation_adopt(simulation, state, &wrong) : FLG_OK;
  free(state);
  if (!whole) return flg_fail(error, FLG_ERR_INPUT, "The checkpoint '%s' is damaged.", path);
  if (taken == FLG_OK) return FLG_OK;
  return flg_fail(error, taken, "The checkpoint '%s' was not left by a run: %s.", path,
                  wrong.message);
}

flg_status flg_checkpoint_read(flg_simulation *simulation, const char *path, flg_error *error) {
  const char *reason = NULL;
  FILE *file = flg_input_open(path, &reason);
  if (file == NULL) {
    return flg_fail(error, FLG_ERR_MISSING, "The checkpoint '%s' cannot be read: %s.", path,
                    reason);
  }
  const flg_status status = read_state(simulation, file, path, error);
  fclose(file);
  return status;
}
