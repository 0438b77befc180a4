/* States from files whose hash is right and whose content is not: each number is forged in turn.
 * What no run can have left is refused, and leaves everything as it was; what is taken is stepped,
 * and ends in a status. */
#include "base/hash.h"
#include "check.h"
#include "cosim/simulation.h"
#include "coupling_marks.h"
#include "files.h"
#include "results/checkpoint.h"

enum { STEPS = 3, FORGERIES = 6 };

static const char *const examples[] = {
    "examples/pendulum/friction.yaml",   "examples/bouncing/bouncing.yaml",
    "examples/four-bars/four-bars.yaml", "examples/wrist/wrist.yaml",
    "examples/incline/incline.yaml",     "examples/capture/capture.yaml",
};

static const double forged[FORGERIES] = {NAN, INFINITY, -1, 1e300, 0.5, -7e18};

static flg_simulation *load_and_run(const char *path) {
  flg_simulation *simulation = load_with(path, NULL);
  flg_error error;
  for (int k = 0; k < STEPS; k++) {
    assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
  }
  return simulation;
}

/* of one number: as a double, and its bytes as a counter */
static bool try_one(flg_simulation *simulation, unsigned char *state, size_t at, double value) {
  flg_error error = {0};
  const uint64_t before = flg_simulation_hash(simulation);
  double kept;
  memcpy(&kept, state + at, sizeof kept);
  memcpy(state + at, &value, sizeof value);
  const flg_status status = flg_simulation_adopt(simulation, state, &error);
  memcpy(state + at, &kept, sizeof kept);
  if (status == FLG_OK) {
    (void)flg_simulation_step(simulation, &error);
    flg_simulation_restore(simulation, state);
  }
  assert_true(status == FLG_OK || status == FLG_ERR_INPUT);
  assert_true(flg_simulation_hash(simulation) == before);
  return status != FLG_OK;
}

static void numbers_that_are_forged_are_refused_or_end_in_a_status(void **unused) {
  (void)unused;
  long refused = 0, all = 0;
  for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e++) {
    flg_simulation *simulation = load_and_run(examples[e]);
    const size_t bytes = flg_simulation_state_bytes(simulation);
    unsigned char *state = malloc(bytes);
    assert_non_null(state);
    flg_simulation_save(simulation, state);
    /* of long states some of the numbers, another each time */
    const size_t stride = sizeof(double) * (1 + bytes / 4000);
    for (int k = 0; k < FORGERIES; k++) {
      for (size_t at = (size_t)k % (stride / 8) * 8; at < bytes; at += stride) {
        refused += try_one(simulation, state, at, forged[k]);
        all++;
      }
    }
    free(state);
    flg_simulation_release(simulation);
  }
  print_message("%ld of %ld forged states refused\n", refused, all);
}

/* ---- whole files ---- */

enum { HASH_AT = 32, HEADER = 40, FILE_MOST = 1 << 16, FLIPS_MOST = 1000 };

typedef struct checkpoint_file {
  const char *path;
  size_t count;
  unsigned char bytes[FILE_MOST];
} checkpoint_file;

static void write_with_valid_hash(checkpoint_file *file) {
  memset(file->bytes + HASH_AT, 0, sizeof(uint64_t));
  const uint64_t head = flg_hash(FLG_HASH_SEED, file->bytes, HEADER);
  const uint64_t hash = flg_hash(head, file->bytes + HEADER, file->count - HEADER);
  memcpy(file->bytes + HASH_AT, &hash, sizeof hash);
  FILE *opened = fopen(file->path, "wb");
  assert_non_null(opened);
  assert_int_equal(fwrite(file->bytes, file->count, 1, opened), 1);
  assert_int_equal(fclose(opened), 0);
}

static void read_file(checkpoint_file *file) {
  FILE *opened = fopen(file->path, "rb");
  assert_non_null(opened);
  file->count = fread(file->bytes, 1, FILE_MOST, opened);
  fclose(opened);
  assert_true(file->count > HEADER && file->count < FILE_MOST);
}

/* whether it is refused; the simulation is then as it was, else it goes on and is put back */
static bool flip(flg_simulation *simulation, const void *state, checkpoint_file *file, size_t bit) {
  flg_error error = {0};
  const uint64_t before = flg_simulation_hash(simulation);
  file->bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
  write_with_valid_hash(file);
  const flg_status status = flg_checkpoint_read(simulation, file->path, &error);
  file->bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
  if (status == FLG_OK) {
    (void)flg_simulation_step(simulation, &error);
    flg_simulation_restore(simulation, state);
  } else {
    assert_int_equal(status, FLG_ERR_INPUT);
    assert_true(error.message[0] != '\0');
  }
  assert_true(flg_simulation_hash(simulation) == before);
  return status != FLG_OK;
}

/* bits of the header each, but those of the hash; of the state as many as there is time for */
static void flip_all(const char *example, long *refused, long *all) {
  static checkpoint_file file;
  test_folder folder = make_folder();
  flg_simulation *simulation = load_and_run(example);
  flg_error error;
  void *state = malloc(flg_simulation_state_bytes(simulation));
  assert_non_null(state);
  flg_simulation_save(simulation, state);
  file.path = make_file(&folder, "state.checkpoint", "");
  assert_int_equal(flg_checkpoint_write(simulation, file.path, &error), FLG_OK);
  read_file(&file);
  for (size_t bit = 0; bit < (size_t)8 * HASH_AT; bit++) {
    assert_true(flip(simulation, state, &file, bit));
    ++*refused, ++*all;
  }
  const size_t bits = 8 * (file.count - HEADER), stride = (bits / FLIPS_MOST) | 1;
  for (size_t bit = 0; bit < bits; bit += stride) {
    *refused += flip(simulation, state, &file, 8 * HEADER + bit);
    ++*all;
  }
  free(state);
  flg_simulation_release(simulation);
  remove_folder(&folder);
}

static void checkpoints_with_a_flipped_bit_and_a_valid_hash_do_no_harm(void **unused) {
  (void)unused;
  long refused = 0, all = 0;
  for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e++) {
    flip_all(examples[e], &refused, &all);
  }
  print_message("%ld of %ld checkpoints with a flipped bit refused\n", refused, all);
}

#define CLOCK(member) offsetof(flg_simulation_clock, member)

static void clocks_that_cannot_be_are_refused_by_name(void **unused) {
  (void)unused;
  static const struct {
    size_t at;
    int64_t value;
    const char *sentence;
  } forgeries[] = {
      {CLOCK(done), -1, "macro steps"},           {CLOCK(done), INT64_MAX, "macro steps"},
      {CLOCK(done), STEPS + 1, "micro steps"},    {CLOCK(micro_done), 0, "micro steps"},
      {CLOCK(next_event), 7, "next event"},       {CLOCK(next_event), -1, "next event"},
      {CLOCK(divided), STEPS + 1, "divided"},     {CLOCK(energy), -1, "energies"},
      {CLOCK(constraints), -1, "joints"},         {CLOCK(contacts.hits), -1, "contacts"},
      {CLOCK(contacts.method), 1000, "contacts"},
  };
  flg_simulation *simulation = load_and_run("examples/wrist/wrist.yaml");
  unsigned char *state = malloc(flg_simulation_state_bytes(simulation));
  assert_non_null(state);
  for (size_t k = 0; k < sizeof forgeries / sizeof forgeries[0]; k++) {
    flg_error error = {0};
    flg_simulation_save(simulation, state);
    memcpy(state + forgeries[k].at, &forgeries[k].value, sizeof forgeries[k].value);
    assert_int_equal(flg_simulation_adopt(simulation, state, &error), FLG_ERR_INPUT);
    if (strstr(error.message, forgeries[k].sentence) == NULL) fail_msg("%s", error.message);
  }
  free(state);
  flg_simulation_release(simulation);
}

static void states_off_their_joints_are_told(void **unused) {
  (void)unused;
  flg_simulation *simulation = load_and_run("examples/four-bars/four-bars.yaml");
  unsigned char *state = malloc(flg_simulation_state_bytes(simulation));
  flg_error error;
  assert_non_null(state);
  const flg_subsystem *of = &simulation->subsystems[0];
  of->ops->state(of->self).values[0] += 1e-5; /* m; steps leave some 1e-12 */
  flg_simulation_save(simulation, state);
  assert_null(flg_simulation_notice(simulation, 0));
  assert_int_equal(flg_simulation_adopt(simulation, state, &error), FLG_OK);
  assert_non_null(strstr(flg_simulation_notice(simulation, 0), "does not fulfil its joints"));
  free(state);
  flg_simulation_release(simulation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_that_are_forged_are_refused_or_end_in_a_status),
      cmocka_unit_test(checkpoints_with_a_flipped_bit_and_a_valid_hash_do_no_harm),
      cmocka_unit_test(clocks_that_cannot_be_are_refused_by_name),
      cmocka_unit_test(states_off_their_joints_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
