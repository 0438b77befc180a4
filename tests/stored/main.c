/* stored - results of many systems, compared with those that are stored in
 * tests/stored/results.txt.
 *
 *   stored                        compares all; tells those that have changed, and by how much
 *   stored --first K --count N    N of them from the Kth on; with --every E each Eth of these
 *   stored NAME...                these: generate/42, "examples/wrist/wrist.yaml jacobi"
 *   stored --write                renews the file (scripts/stored --write builds first)
 *
 * Exit code 0: all are the same; 1: some have changed. README.md says what that means. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generate/run.h"
#include "math/larger.h"
#include "stored/digest.h"
#include "stored/kernels.h"
#include "stored/rounding.h"
#include "stored/systems.h"

enum { STEPS = 48, ROUNDINGS = 2, TOLD_MOST = 20 };
static const char FILE_NAME[] = "tests/stored/results.txt";
/* Where the C library rounds otherwise: of what other rounding was measured to make, and at least.
 */
static const double ALLOWED = 10, LEAST = 1e-11;
/* Systems in which rounding makes more than that within these steps are compared by their bits or
 * not at all. */
static const double AMPLIFIES = 1e-7;

typedef struct stored_result {
  system_name name;
  digest digest;
  double amplified; /* the change that other rounding of sines makes */
} stored_result;

typedef struct report {
  bool same_rounding;
  int compared, changed, left_out;
} report;

static stored_result stored[SYSTEMS_MOST];
static system_name names[SYSTEMS_MOST];

/* what cannot be loaded has no numbers */
static digest run_system(const char *name) {
  char message[MESSAGE_BYTES];
  digest found = digest_begin();
  if (run_kernel(name, &found)) return found;
  found.status = FLG_ERR_INPUT;
  flg_simulation *simulation = load_system(name, message);
  if (simulation != NULL) follow(simulation, STEPS, is_pushed(name), &found);
  flg_simulation_release(simulation);
  return found;
}

/* --- the file: a line for each system, after the bits of sines
 * ------------------------------------------------- */

static double amplification(const char *name, const digest *plain) {
  double largest = 0;
  kind in;
  for (rounding = 1; rounding <= ROUNDINGS; rounding++) {
    const digest other = run_system(name);
    largest = flg_larger(largest, change(&other, plain, &in));
  }
  rounding = 0;
  return largest;
}

static bool read_line(const char *line, stored_result *to) {
  const char *colon = strstr(line, ": ");
  if (colon == NULL || colon - line >= NAME_BYTES) return false;
  char *rest;
  snprintf(to->name, sizeof to->name, "%.*s", (int)(colon - line), line);
  to->digest.bits = strtoull(colon + 2, &rest, 16);
  for (int i = 0; i < DIGEST_KINDS; i++) to->digest.sums[i] = strtod(rest, &rest);
  to->amplified = strtod(rest, &rest);
  return *rest == '\n';
}

/* How many results there are; -1: the file is not as it should be. */
static int read_results(uint64_t *sines) {
  char line[400];
  int count = 0;
  unsigned long long bits = 0;
  FILE *from = fopen(FILE_NAME, "r");
  if (from == NULL || fgets(line, sizeof line, from) == NULL) return -1;
  const char *colon = strrchr(line, ':');
  if (colon != NULL) bits = strtoull(colon + 1, NULL, 16);
  while (count >= 0 && fgets(line, sizeof line, from) != NULL)
    count = count < SYSTEMS_MOST && read_line(line, &stored[count]) ? count + 1 : -1;
  *sines = bits;
  fclose(from);
  return count;
}

/* What other rounding makes of a system whose bits have not changed is as it was. */
static double amplification_of(const char *name, const digest *plain, int known) {
  for (int k = 0; k < known; k++) {
    if (strcmp(stored[k].name, name) == 0 && stored[k].digest.bits == plain->bits)
      return stored[k].amplified;
  }
  return amplification(name, plain);
}

static bool write_results(int count, int known) {
  FILE *to = fopen(FILE_NAME, "w");
  if (to == NULL) return false;
  fprintf(to, "# scripts/stored --write; README.md says what these are. Sines: %016llx\n",
          (unsigned long long)rounding_bits());
  for (int k = 0; k < count; k++) {
    const digest of = run_system(names[k]);
    fprintf(to, "%s: %016llx", names[k], (unsigned long long)of.bits);
    for (int i = 0; i < DIGEST_KINDS; i++) fprintf(to, " %.13g", of.sums[i]);
    fprintf(to, " %.1g\n", amplification_of(names[k], &of, known));
  }
  return fclose(to) == 0;
}

/* --- comparing
 * --------------------------------------------------------------------------------------------------
 */

static void tell(report *to, const char *name, const digest *now, double share, kind in) {
  if (to->changed++ >= TOLD_MOST) return;
  if (now->status == FLG_ERR_INPUT) {
    printf("%s: cannot be loaded\n", name);
  } else if (share == 0) {
    printf("%s: last bits, or how it was solved; sums are the same to 13 digits\n", name);
  } else {
    printf("%s: %s by %.2g of their size\n", name, KIND_NAMES[in], share);
  }
}

static void compare(report *to, const stored_result *with) {
  if (!to->same_rounding && !(with->amplified <= AMPLIFIES)) {
    to->left_out++;
    return;
  }
  const digest now = run_system(with->name);
  kind in;
  const double share = change(&now, &with->digest, &in);
  to->compared++;
  if (to->same_rounding ? now.bits == with->digest.bits
                        : share <= flg_larger(LEAST, ALLOWED * with->amplified))
    return;
  tell(to, with->name, &now, share, in);
}

static int conclude(const report *of) {
  if (!of->same_rounding) {
    printf(
        "the C library or the processor rounds sines otherwise than where results were stored: "
        "compared within %g "
        "of what that was measured to make; %d systems that amplify it are left out\n",
        ALLOWED, of->left_out);
  }
  printf("%d of %d systems give other numbers than are stored\n", of->changed, of->compared);
  if (of->changed == 0) return 0;
  printf(
      "Stored results are no right answers, but what came out before. If numbers are meant to "
      "change, renew them by\n"
      "scripts/stored --write, and say why in the commit; if not, something that no other test "
      "looks at is wrong.\n");
  return 1;
}

static int number_after(const char *option, int otherwise, int argc, char **argv) {
  for (int k = 1; k + 1 < argc; k++)
    if (strcmp(argv[k], option) == 0) return (int)strtol(argv[k + 1], NULL, 10);
  return otherwise;
}

static bool is_named(const char *name, int argc, char **argv) {
  for (int k = 1; k < argc; k++)
    if (strcmp(argv[k], name) == 0) return true;
  return false;
}

static int list_all(void) {
  const int kernels = list_kernels(names);
  return kernels + list_systems(names + kernels);
}

/* The names in the file are those that there are, in their order. */
static bool is_whole(int count) {
  const int systems = list_all();
  for (int k = 0; k < systems && k < count; k++)
    if (strcmp(names[k], stored[k].name) != 0) return false;
  return systems == count;
}

int main(int argc, char **argv) {
  uint64_t sines = 0;
  report all = {0};
  if (is_named("--write", argc, argv)) {
    const bool written = write_results(list_all(), read_results(&sines));
    forget_runs();
    return !written;
  }
  const int count = read_results(&sines);
  if (count < 0 || !is_whole(count)) {
    printf("%s has not the systems of systems.c: run scripts/stored --write\n", FILE_NAME);
    return 1;
  }
  const bool some = argc > 1 && strncmp(argv[1], "--", 2) != 0;
  const int first = number_after("--first", 1, argc, argv) - 1,
            every = number_after("--every", 1, argc, argv);
  const int end = first + number_after("--count", count, argc, argv);
  all.same_rounding = sines == rounding_bits();
  for (int k = some ? 0 : first; k < count && (some || k < end); k += some ? 1 : every) {
    if (!some || is_named(stored[k].name, argc, argv)) compare(&all, &stored[k]);
  }
  forget_runs();
  return conclude(&all);
}
