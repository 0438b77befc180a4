/* A checkpoint with any of its numbers changed is refused with a sentence, and the simulation stays
 * as it was; or it is taken, and a step from there ends in a status. The first byte: whether the
 * hash is made to fit, and by how many bytes the file is too short. Then numbers of ten bytes:
 * where, and what. */
#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "cosim/simulation.h"
#include "files.h"
#include "results/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 loses some bytes of its own on a few syntax errors */
const char *__lsan_default_suppressions(void) {
  return "leak:libfyaml.so";
}

enum { HASH_AT = 32, HEADER = 40, CHANGE = 10, FILE_MOST = 1 << 16 };

static const char model[] =
    "flange-component: 1\n"
    "bodies:\n"
    "  rod: {mass: 1, inertia: [1, 1, 1], at: [0.5, 0, 2]}\n"
    "  ball: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0.1],\n"
    "    shapes: [{kind: sphere, size: 0.1, friction: 0.5}]}\n"
    "shapes: [{kind: plane, friction: 0.5}]\n"
    "joints: {hinge: {kind: revolute, between: [world, rod], at: [0, 0, 2], axis: [0, 1, 0]}}\n";
static const char scenario[] =
    "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 1, macro: 1/100}\n"
    "subsystems: {a: {model: model.yaml, step: 1/200}}\n";

static flg_simulation *simulation;
static const char *path;
static unsigned char file[FILE_MOST], state[FILE_MOST];
static size_t bytes;

static void demand(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

static void start(void) {
  static flg_mistakes mistakes;
  flg_error error;
  write_file(name_file("model.yaml"), model, sizeof model - 1);
  const char *run = name_file("run.yaml");
  write_file(run, scenario, sizeof scenario - 1);
  path = name_file("state.checkpoint");
  const flg_status loaded = flg_simulation_load(&simulation, run, NULL, 0, &mistakes);
  demand(loaded == FLG_OK, mistakes.count > 0 ? mistakes.list[0].message : "not loaded");
  for (int k = 0; k < 3; k++) {
    demand(flg_simulation_step(simulation, &error) == FLG_OK, error.message);
  }
  demand(flg_checkpoint_write(simulation, path, &error) == FLG_OK, error.message);
  demand(flg_simulation_state_bytes(simulation) < FILE_MOST - HEADER, "the state is too long");
  flg_simulation_save(simulation, state);
  FILE *written = fopen(path, "rb");
  demand(written != NULL, "no checkpoint");
  bytes = fread(file, 1, FILE_MOST, written);
  fclose(written);
}

static void forge(unsigned char *forged, const uint8_t *data, size_t size) {
  for (; size >= CHANGE; data += CHANGE, size -= CHANGE) {
    const size_t at = ((size_t)data[0] << 8 | data[1]) % (bytes - 8);
    memcpy(forged + at, data + 2, 8);
  }
}

static void make_hash_fit(unsigned char *forged) {
  memset(forged + HASH_AT, 0, sizeof(uint64_t));
  const uint64_t head = flg_hash(FLG_HASH_SEED, forged, HEADER);
  const uint64_t hash = flg_hash(head, forged + HEADER, bytes - HEADER);
  memcpy(forged + HASH_AT, &hash, sizeof hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static unsigned char forged[FILE_MOST];
  flg_error error = {.status = FLG_OK};
  if (simulation == NULL) start();
  if (size == 0) return 0;
  memcpy(forged, file, bytes);
  forge(forged, data + 1, size - 1);
  if (data[0] & 1) make_hash_fit(forged);
  const size_t missing = data[0] / 2;
  write_file(path, forged, missing < bytes ? bytes - missing : 0);
  const uint64_t before = flg_simulation_hash(simulation);
  const flg_status status = flg_checkpoint_read(simulation, path, &error);
  if (status == FLG_OK) {
    demand(missing == 0, "a short file was taken");
    (void)flg_simulation_step(simulation, &error);
    flg_simulation_restore(simulation, state);
  } else {
    demand(status == FLG_ERR_INPUT && error.message[0] != '\0', "no sentence");
  }
  demand(flg_simulation_hash(simulation) == before, "the state is another one");
  return 0;
}
