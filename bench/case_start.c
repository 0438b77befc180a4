/* case_start - (h) from the command line to the end of the first step: `flange run` of the
 * seven-joint arm, and a small program that loads the same URDF into MuJoCo. CPU time and the
 * largest memory of the process, as the system counts them. */
#define _DEFAULT_SOURCE /* wait4 */
#include <sys/resource.h>
#include <sys/wait.h>

#include "race.h"

enum { ROUNDS = 41 };

typedef struct program {
  char *const *words;
  double times[ROUNDS], memory; /* [s], [MB] */
} program;

static double seconds(struct timeval t) {
  return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static void start(program *of, int round) {
  const pid_t child = fork();
  struct rusage used;
  int status = 0;
  if (child == 0) {
    if (freopen("/dev/null", "w", stdout) == NULL) _exit(127);
    execv(of->words[0], of->words);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0) {
    fprintf(stderr, "%s failed\n", of->words[0]), exit(1);
  }
  of->times[round] = seconds(used.ru_utime) + seconds(used.ru_stime);
  of->memory = 1e-3 * (double)used.ru_maxrss;
}

int main(void) {
  static char tool[] = FLANGE_TOOL, mujoco[] = FLANGE_START_MUJOCO, run[] = "run",
              scenario[] = "bench/scenarios/arm.yaml", urdf[] = "examples/ssrms/models/ssrms.urdf";
  static char *const ours[] = {tool, run, scenario, NULL}, *const theirs[] = {mujoco, urdf, NULL};
  static program programs[2] = {{ours}, {theirs}};
  static racer racers[2] = {{.name = "Flange", .remark = "wanted: under 3 ms"}, {.name = "MuJoCo"}};
  for (int round = 0; round < ROUNDS; round++) {
    for (int k = 0; k < 2; k++) start(&programs[k], round);
  }
  for (int k = 0; k < 2; k++) {
    race_tell("h", "arm, start and one step", &racers[k], programs[k].times, ROUNDS);
  }
  for (int k = 0; k < 2; k++) {
    race_figure("h", "arm, largest memory", racers[k].name, "MB", programs[k].memory,
                k == 0 ? 8 : 0, "");
  }
  return 0;
}
