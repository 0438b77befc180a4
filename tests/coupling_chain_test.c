#include "check.h"
#include "coupling_chains.h"
#include "coupling_marks.h"
static void table(const char *what, const chain_spec *spec) {
  test_folder folder = make_folder();
  const char *path = make_chain(&folder, spec);
  static const char *const macros[] = {"0.0005", "0.001", "0.002", "0.005", "0.01", "0.02"};
  static const char *const schemes[] = {"parallel", "sequential", "neighbour"};
  const int used = getenv("MARKS_ALL") ? 3 : 2;
  for (int m = 0; m < 6; m++) {
    char macro[64];
    snprintf(macro, sizeof macro, "time.macro=%s", macros[m]);
    const char *mono[] = {macro, "coupling.scheme=monolithic", "coupling.step=0.0005", NULL};
    marked_run reference = run_marked(path, mono);
    printf("%-24s %s H %-7s", what, spec->is_robots ? "robots    " : "components", macros[m]);
    for (int s = 0; s < used; s++) {
      char scheme[64];
      snprintf(scheme, sizeof scheme, "coupling.scheme=%s", schemes[s]);
      const char *overrides[] = {macro, scheme, NULL};
      marked_run run = run_marked(path, overrides);
      const mark off = compare_marked(&run, &reference, 0, 3);
      printf("  %s %.2e", schemes[s], off.rms / off.amplitude);
      if (run.diverged_at >= 0) printf(" DIV %g", run.diverged_at);
      free(run.values);
    }
    printf("\n");
    fflush(stdout);
    free(reference.values);
  }
  remove_folder(&folder);
}
static void tables(void **state) {
  (void)state;
  const double uniform[] = {1, 1, 1, 1, 1}, heavy[] = {1, 1, 20}, light[] = {10, .5, .5, .5, 10};
  for (int r = 0; r < 2; r++) {
    const bool is_robots = r == 1;
    table("uniform 3", &(chain_spec){3, uniform, is_robots, ""});
    table("uniform 5", &(chain_spec){5, uniform, is_robots, ""});
    table("heavy tip 3", &(chain_spec){3, heavy, is_robots, ""});
    table("light middle 5", &(chain_spec){5, light, is_robots, ""});
  }
}
int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
