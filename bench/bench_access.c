/* bench_access - the space station arm driven by a program, step by step: seven efforts are written
 * and fourteen numbers read each time (flange/access.h). To be counted by callgrind:
 *
 *     valgrind --tool=callgrind bench_access driven|singly|step|inner MACRO COUNT
 *
 * driven: read, write, step;   singly: with a call for each number;   step: flg_simulation_step
 * alone;   inner: the micro steps alone, as the simulation makes them. MACRO: micro steps of 1/600
 * s in a step. Without arguments: times. */
#include <string.h>

#include "driven_arm.h"
#include "stopwatch.h"

static void run(const driven_arm *of, const char *how, int count) {
  static const struct {
    const char *word;
    void (*once)(const driven_arm *of);
  } ways[] = {{"driven", driven_arm_drive},
              {"singly", driven_arm_drive_singly},
              {"step", driven_arm_step},
              {"inner", driven_arm_advance}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    for (int k = 0; k < count && strcmp(how, ways[i].word) == 0; k++) ways[i].once(of);
  }
}

int main(int count, char **words) {
  if (count == 4) {
    const driven_arm of = driven_arm_load(atoi(words[2]));
    run(&of, words[1], atoi(words[3]));
    flg_simulation_release(of.simulation);
    return 0;
  }
  for (int macro = 1; macro <= 10; macro += 9) {
    const driven_arm of = driven_arm_load(macro);
    double best[2] = {INFINITY, INFINITY};
    static const char *const ways[2] = {"driven", "step"};
    for (int k = 0; k < 20; k++) {
      const double start = now();
      run(&of, ways[k % 2], 2000);
      best[k % 2] = fmin(best[k % 2], (now() - start) / 2000);
    }
    printf("%d micro steps a step: driven %.3f us, step alone %.3f us\n", macro, 1e6 * best[0],
           1e6 * best[1]);
    flg_simulation_release(of.simulation);
  }
  return 0;
}
