/* inputs - systems of the examples with mutated files: each is refused with a sentence, or runs to
 * a status, and what ends as complete has numbers.
 *
 *   inputs FOLDER FIRST COUNT     cases FIRST to FIRST + COUNT - 1, in copies of examples/ in
 * FOLDER inputs FOLDER FIRST COUNT -k  and the files of the last case stay there
 *
 * A crash, 10 s of CPU or an answer without a sentence is told with the number of its case, which
 * makes the same files again. The last line is `inputs: N tried, N failed`, before it what became
 * of them. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cosim/simulation.h"
#include "mutate.h"

enum { FILES = 6, STEPS = 40, WORK_MICROSECONDS = 15000, HANG_SECONDS = 10, CASES_A_CHILD = 2000 };
enum { ADDRESS_BYTES_IN_MIB = 4096, KEPT_BYTES = 1 << 30 };

/* a scenario, for how long it runs, one of its subsystems, whether interfaces join it to others,
 * and the files that it is made of, itself first */
typedef struct system_of_files {
  const char *end, *subsystem;
  bool is_coupled;
  const char *files[FILES];
} system_of_files;

static const system_of_files SYSTEMS[] = {
    {"0.05", "pendulum", false, {"pendulum/pendulum.yaml", "pendulum/models/double-pendulum.yaml"}},
    {"0.05", "pendulum", false, {"pendulum/friction.yaml", "pendulum/models/dry-pendulum.yaml"}},
    {"0.1", "ball", false, {"bouncing/bouncing.yaml", "bouncing/models/ball.yaml"}},
    {"0.05", "slope", false, {"incline/incline.yaml", "incline/models/block.yaml"}},
    {"0.02",
     "tower",
     false,
     {"tower/tower.yaml", "tower/models/tower.yaml", "tower/models/cube.yaml"}},
    {"0.1",
     "ladder",
     false,
     {"four-bars/four-bars.yaml", "four-bars/models/ladder.yaml", "four-bars/models/cell.yaml"}},
    {"0.1",
     "governor",
     false,
     {"governor/governor.yaml", "governor/models/governor.yaml", "governor/models/arm.yaml"}},
    {"0.1",
     "left",
     true,
     {"oscillator/oscillator.yaml", "oscillator/models/left.yaml", "oscillator/models/right.yaml"}},
    {"0.02",
     "crank",
     false,
     {"slider-crank/slider-crank.yaml", "slider-crank/models/slider-crank.yaml"}},
    {"0.002",
     "spbot",
     false,
     {"spbot/spbot.yaml", "spbot/models/spbot.yaml", "spbot/models/motor.yaml",
      "spbot/models/cyclo_drive.yaml"}},
    {"0.001", "squeezer", false, {"squeezer/squeezer.yaml", "squeezer/models/squeezer.yaml"}},
    {"0.05",
     "arm",
     false,
     {"ssrms/poses.yaml", "ssrms/models/ssrms.urdf", "ssrms/models/ssrms.yaml"}},
    {"0.05",
     "arm",
     true,
     {"wrist/wrist.yaml", "wrist/models/effector.yaml", "ssrms/models/ssrms.urdf"}},
    {"0.05",
     "arm",
     true,
     {"capture/capture.yaml", "capture/models/hand.yaml", "capture/torques.csv"}},
    {"0.05",
     "boom",
     false,
     {"flexible-arm/cantilever.yaml", "flexible-arm/models/cantilever.yaml"}},
    {"0.02", "chain", false, {"own-subsystem/twin.yaml", "own-subsystem/models/chain.yaml"}},
    {"0.05",
     "machine",
     false,
     {"faults/machine.yaml", "faults/machine-component.yaml", "faults/machine.csv"}},
    {"0.05",
     "robot",
     false,
     {"faults/robot.yaml", "faults/robot.urdf", "faults/robot.srdf", "faults/trunk.stl",
      "faults/foot.obj", "faults/robot.csv"}},
    {"0.02",
     "arm",
     true,
     {"faults/flexible.yaml", "faults/flexible-arm.yaml", "faults/flexible-tool.yaml"}},
};
enum { SYSTEM_COUNT = sizeof SYSTEMS / sizeof SYSTEMS[0] };

typedef enum outcome {
  REFUSED,   /* with mistakes */
  EXHAUSTED, /* out of memory */
  COMPLETE,
  UNSOLVED,
  DIVERGED,
  STOPPED, /* it asked for more work than the test gives it */
  OUTCOMES
} outcome;
static const char *const NAMES[OUTCOMES] = {"refused",  "out of memory", "complete",
                                            "unsolved", "diverged",      "stopped"};

/* seen by the parent when its child has crashed */
typedef struct ledger {
  long current;
  long outcomes[OUTCOMES];
  long failed;
} ledger;

typedef struct original {
  char *bytes;
  size_t length;
} original;

static original originals[SYSTEM_COUNT][FILES];
static const char *folder;
static ledger *shared;
static volatile int stopped;

static void give_up(const char *what) {
  fprintf(stderr, "inputs: %s: %s\n", what, strerror(errno));
  exit(2);
}

static void fail(const char *what) {
  printf("FAILED: case %ld: %s\n", shared->current, what);
  shared->failed++;
}

/* ---- files ---- */

static const char *path_of(const char *file) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return path;
}

static void read_original(const char *file, original *to) {
  static char text[MUTATED_MOST];
  FILE *opened = fopen(path_of(file), "rb");
  if (opened == NULL) give_up(path_of(file));
  to->length = fread(text, 1, sizeof text, opened);
  fclose(opened);
  to->bytes = malloc(to->length + 1);
  if (to->bytes == NULL) give_up(file);
  memcpy(to->bytes, text, to->length);
}

static void write_text(const char *file, const char *bytes, size_t length) {
  FILE *opened = fopen(path_of(file), "wb");
  if (opened == NULL || (length > 0 && fwrite(bytes, length, 1, opened) != 1) ||
      fclose(opened) != 0) {
    give_up(path_of(file));
  }
}

static void for_each_file(void (*act)(int system, int file)) {
  for (int s = 0; s < SYSTEM_COUNT; s++) {
    for (int k = 0; k < FILES && SYSTEMS[s].files[k] != NULL; k++) act(s, k);
  }
}

static void keep(int system, int file) {
  read_original(SYSTEMS[system].files[file], &originals[system][file]);
}

static void put_back(int system, int file) {
  const original *of = &originals[system][file];
  write_text(SYSTEMS[system].files[file], of->bytes, of->length);
}

static int count_files(int system) {
  int count = 0;
  while (count < FILES && SYSTEMS[system].files[count] != NULL) count++;
  return count;
}

/* ---- one case ---- */

static void stop(int number) {
  (void)number;
  stopped = 1;
}

/* of CPU, from now on: `stopped` is set, and the process ends */
static void set_timers(void) {
  const struct itimerval work = {.it_value.tv_usec = WORK_MICROSECONDS},
                         hang = {.it_value.tv_sec = HANG_SECONDS};
  stopped = 0;
  setitimer(ITIMER_VIRTUAL, &work, NULL);
  setitimer(ITIMER_PROF, &hang, NULL);
}

static outcome named(flg_status status) {
  if (status == FLG_ERR_INTERRUPTED) return STOPPED;
  if (status == FLG_ERR_MEMORY) return EXHAUSTED;
  return status == FLG_ERR_UNSOLVED ? UNSOLVED : DIVERGED;
}

/* Forces that redundant joints leave open are NaN by their definition. */
static bool may_be_open(const flg_signal *signal) {
  const char *quantity = strrchr(signal->name, '.');
  return quantity != NULL && (strcmp(quantity, ".force") == 0 || strcmp(quantity, ".moment") == 0);
}

static bool has_numbers(flg_simulation *simulation, const double *values) {
  const flg_signal *signals = flg_simulation_signals(simulation);
  for (int k = 0; k < flg_simulation_signal_count(simulation); k++) {
    for (int j = 0; j < signals[k].width; j++, values++) {
      if (!isfinite(*values) && !(isnan(*values) && may_be_open(&signals[k]))) return false;
    }
  }
  return true;
}

static void check_values(flg_simulation *simulation) {
  const flg_energy energy = flg_simulation_energy(simulation);
  double *values = calloc((size_t)flg_simulation_width(simulation) + 1, sizeof *values);
  if (values == NULL) return;
  flg_simulation_record(simulation, values);
  if (!isfinite(energy.final) || !isfinite(energy.most) || !isfinite(energy.least) ||
      !has_numbers(simulation, values)) {
    fail("complete with numbers that are not finite");
  }
  free(values);
}

/* a state that is saved and restored goes on the same way */
static void check_rollback(flg_simulation *simulation) {
  flg_error error;
  void *state = malloc(flg_simulation_state_bytes(simulation));
  if (state == NULL || flg_simulation_ended(simulation)) {
    free(state);
    return;
  }
  uint64_t hashes[2] = {0};
  flg_status statuses[2];
  flg_simulation_save(simulation, state);
  for (int k = 0; k < 2; k++) {
    statuses[k] = flg_simulation_step(simulation, &error);
    hashes[k] = flg_simulation_hash(simulation);
    flg_simulation_restore(simulation, state);
  }
  if (statuses[0] == FLG_OK && statuses[1] == FLG_OK && hashes[0] != hashes[1]) {
    fail("a restored state goes on in another way");
  }
  free(state);
}

static outcome run(flg_simulation *simulation) {
  flg_error error = {.message = ""};
  flg_status status = FLG_OK;
  flg_simulation_watch(simulation, &stopped);
  if (shared->current % 8 == 0) check_rollback(simulation);
  for (int k = 0; k < STEPS && status == FLG_OK && !flg_simulation_ended(simulation); k++) {
    status = flg_simulation_step(simulation, &error);
  }
  if (status == FLG_OK && !flg_simulation_ended(simulation)) return STOPPED;
  if (status == FLG_OK) status = flg_simulation_judge(simulation, &error);
  if (status != FLG_OK && error.message[0] == '\0') fail("a status without a sentence");
  if (status != FLG_OK) return named(status);
  check_values(simulation);
  return COMPLETE;
}

typedef struct changes {
  char texts[3][100];
  const char *list[3];
  int count;
} changes;

/* It ends early; one in four runs with another integrator or coupling. */
static changes draw_changes(const system_of_files *of, chance *from) {
  static const char *const integrators[] = {"semi-implicit", "rk4", "adaptive", "rattle",
                                            "leapfrog"};
  static const char *const schemes[] = {"monolithic", "sequential",  "parallel", "neighbour",
                                        "hold",       "extrapolate", "jacobi",   "paper-nonsmooth"};
  changes made = {.count = 1};
  snprintf(made.texts[0], sizeof made.texts[0], "time.end=%s", of->end);
  if (draw(from, 4) == 0) {
    const char *name = integrators[draw(from, sizeof integrators / sizeof integrators[0])];
    snprintf(made.texts[made.count++], sizeof made.texts[0], "subsystems.%s.integrator=%s",
             of->subsystem, name);
  }
  if (of->is_coupled && draw(from, 4) == 0) {
    const char *name = schemes[draw(from, sizeof schemes / sizeof schemes[0])];
    snprintf(made.texts[made.count++], sizeof made.texts[0], "coupling.scheme=%s", name);
  }
  return made;
}

static outcome load_and_run(const system_of_files *of, chance *from) {
  static flg_mistakes mistakes;
  flg_simulation *simulation = NULL;
  changes made = draw_changes(of, from);
  for (int k = 0; k < made.count; k++) made.list[k] = made.texts[k];
  mistakes = (flg_mistakes){0};
  const flg_status status =
      flg_simulation_load(&simulation, path_of(of->files[0]), made.list, made.count, &mistakes);
  if (status != FLG_OK && (mistakes.count == 0 || mistakes.list[0].message[0] == '\0')) {
    fail("refused without a sentence");
  }
  if (status != FLG_OK) return status == FLG_ERR_MEMORY ? EXHAUSTED : REFUSED;
  const outcome result = run(simulation);
  flg_simulation_release(simulation);
  return result;
}

/* one of its files is mutated, with words of any other */
static void try_case(long number, bool stays) {
  static mutated text;
  chance from = {(uint64_t)number};
  const int system = (int)draw(&from, SYSTEM_COUNT), other = (int)draw(&from, SYSTEM_COUNT);
  const int file = (int)draw(&from, (uint64_t)count_files(system));
  const original *of = &originals[system][file],
                 *lender = &originals[other][draw(&from, (uint64_t)count_files(other))];
  memcpy(text.text, of->bytes, of->length);
  text.length = of->length;
  mutate(&text, lender->bytes, lender->length, &from);
  write_text(SYSTEMS[system].files[file], text.text, text.length);
  chance again = from;
  set_timers();
  shared->outcomes[load_and_run(&SYSTEMS[system], &from)]++;
  if (stays) {
    changes made = draw_changes(&SYSTEMS[system], &again);
    printf("case %ld: %s of %s", number, SYSTEMS[system].files[file], SYSTEMS[system].files[0]);
    for (int k = 0; k < made.count; k++) printf(" --set %s", made.texts[k]);
    printf("\n");
  } else {
    put_back(system, file);
  }
}

/* ---- many ---- */

/* AddressSanitizer takes terabytes of addresses for itself. */
static void bound_memory(void) {
#if !defined(__SANITIZE_ADDRESS__)
  const rlim_t bytes = (rlim_t)ADDRESS_BYTES_IN_MIB << 20;
  setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
#endif
}

/* Memory stays with the process, as earlier cases have left it: that is cheaper, and whatever reads
 * what it has not written meets no zeros. */
static void keep_memory(void) {
  mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
  mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
}

static void try_cases(long first, long end, bool stays) {
  const struct sigaction action = {.sa_handler = stop};
  sigaction(SIGVTALRM, &action, NULL);
  bound_memory();
  keep_memory();
  for_each_file(put_back);
  for (long number = first; number < end; number++) {
    shared->current = number;
    try_case(number, stays);
  }
  fflush(stdout);
  _exit(0);
}

/* returns the first case that is left to do */
static long try_in_child(long first, long end, bool stays) {
  int status = 0;
  fflush(stdout);
  const pid_t child = fork();
  if (child < 0) give_up("fork");
  if (child == 0) try_cases(first, end, stays);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return end;
  char what[80];
  const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  snprintf(what, sizeof what, number == SIGPROF ? "10 s of CPU" : "ended by signal %d", number);
  fail(what);
  return shared->current + 1;
}

int main(int count, char **words) {
  if (count < 4) {
    fprintf(stderr, "usage: inputs FOLDER FIRST COUNT [-k]\n");
    return 64;
  }
  folder = words[1];
  const long first = atol(words[2]), cases = atol(words[3]), end = first + cases;
  const bool stays = count > 4 && strcmp(words[4], "-k") == 0;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) give_up("mmap");
  for_each_file(keep);
  for (long next = first; next < end;) {
    next = try_in_child(next, next + CASES_A_CHILD < end ? next + CASES_A_CHILD : end, stays);
  }
  for (int k = 0; k < OUTCOMES; k++) printf("%s %ld\n", NAMES[k], shared->outcomes[k]);
  printf("inputs: %ld tried, %ld failed\n", cases, shared->failed);
  return shared->failed > 0;
}
