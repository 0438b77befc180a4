/* generate - random mechanisms, and what must hold of them.
 *
 *   generate [--first S] [--count N]  N seeds from S on: 1000 from 1, or as the environment says
 *   generate --with co-sim          seeds alone that have this (features.c)
 *   generate --check NAME           this check alone
 *   generate SEED                   all checks of one seed, told one by one
 *   generate SEED CHECK             one of them; its files are printed
 *   generate SEED [CHECK] -w DIR    the files into DIR/plain and DIR/other
 *   generate --strict SEED CHECK    pairs agree to rounding: no more experiments where they do not
 *
 * FLANGE_GENERATE_START and FLANGE_GENERATE_COUNT say which seeds; a long run can be split so.
 * Exit code 0: all holds; 1: something does not. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "checks.h"
#include "math/larger.h"

enum { CLASSES = 400, PRINTED = 3, RULES = 60, BEAM_BIT = 29 /* of HAS_BEAM */ };
/* of all systems: more that end early are a failure, too, even if they say so */
static const double MOST_TOLD = 0.01;
/* of those with beams, which are drawn as soft as they come: more that bend too far */
static const double MOST_BENT = 0.05;
enum { LEAST_SYSTEMS = 1000 };

typedef struct tally {
  int64_t tried, failed, skipped, told, left_out;
  int64_t silent;        /* of those that failed: no run says that something is wrong */
  int64_t bent;          /* of those told: a beam that bends beyond its model */
  double worst, seconds; /* largest share of what is allowed, of those that passed */
  uint64_t worst_seed;
} tally;

/* failures of one check with one set of features */
typedef struct class_of_failures {
  int check;
  unsigned features;
  int64_t count, silent;
  uint64_t seed;
  char text[160];
} class_of_failures;

typedef struct report {
  tally tallies[64];
  int class_count;
  class_of_failures classes[CLASSES];
  int64_t known[64]; /* lines of SEEDS */
  int64_t systems, has[FEATURES], parts[PARTS + 1];
  struct {
    const char *name;
    int check;
    int64_t count;
  } rules[RULES]; /* what decided where a plain bound did not */
  bool told;      /* one by one */
  const char *folder;
} report;

bool strict;
static const char *wanted; /* a feature, or NULL: all seeds */
static experiment now;
static mechanism drawn;
static outcome plain;

/* of processors, whatever else they do */
static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_meant(const char *name, const check *of) {
  return name == NULL || strcmp(name, of->name) == 0;
}

/* the line of the table that leaves it out, -1: none */
static int known_index(const check *of, uint64_t seed) {
  for (int k = 0; k < SEED_COUNT; k++) {
    if (is_meant(SEEDS[k].check, of) && seed == SEEDS[k].seed) return k;
  }
  return -1;
}

static class_of_failures *class_of(report *to, int index, unsigned features) {
  for (int k = 0; k < to->class_count; k++) {
    if (to->classes[k].check == index && to->classes[k].features == features)
      return &to->classes[k];
  }
  if (to->class_count == CLASSES) return &to->classes[CLASSES - 1];
  to->classes[to->class_count] = (class_of_failures){.check = index, .features = features};
  return &to->classes[to->class_count++];
}

static void keep(const mechanism *machine, const char *folder, const char *name) {
  static text_files files;
  char path[300];
  write_files(machine, &files);
  if (folder == NULL) {
    printf("# ===== %s\n", name);
    print_files(&files, stdout);
    return;
  }
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if ((mkdir(folder, 0777) != 0 && errno != EEXIST) ||
      (mkdir(path, 0777) != 0 && errno != EEXIST) || !keep_files(&files, path)) {
    fprintf(stderr, "generate: cannot write to '%s'\n", path);
  }
}

/* the files of the pair that was judged last */
static void keep_pair(const char *folder) {
  keep(now.has_first ? &now.first : &drawn, folder, "plain");
  if (now.has_other) keep(&now.other, folder, "other");
}

static void tell_failure(report *to, int index, const verdict *v, bool silent) {
  char names[400];
  class_of_failures *class = class_of(to, index, now.features);
  class->silent += silent;
  if (class->count++ == 0) {
    class->seed = drawn.seed;
    snprintf(class->text, sizeof class->text, "%.150s", v->text);
  }
  feature_names(now.features, names);
  if (class->count <= 1 && to->tallies[index].failed <= PRINTED) {
    printf("# FAILED seed %llu, %s, %s: %s\n# (%s)\n", (unsigned long long)drawn.seed,
           CHECKS[index].name, silent ? "silent" : "told", v->text, names);
    keep_pair(NULL);
  }
}

/* by its name: checks may come and go */
chance chance_of(const mechanism *machine, const char *name) {
  uint64_t mixed = 100;
  for (const char *c = name; *c != 0; c++) mixed = 31 * mixed + (unsigned char)*c;
  return chance_for(machine->seed, mixed);
}

static bool bends_too_far(const verdict *of) {
  return strstr(of->text, "bend so far") != NULL;
}

static void count_rule(report *to, int index, const char *name) {
  int k = 0;
  while (k < RULES - 1 && to->rules[k].name != NULL &&
         (to->rules[k].check != index || strcmp(to->rules[k].name, name) != 0))
    k++;
  to->rules[k].name = name, to->rules[k].check = index, to->rules[k].count++;
}

static void judge(report *to, int index) {
  tally *t = &to->tallies[index];
  const int known = known_index(&CHECKS[index], drawn.seed);
  if (known >= 0 && !to->told) {
    t->left_out++, to->known[known]++;
    return;
  }
  const double start = seconds();
  now.has_first = now.has_other = false, now.said = says(&plain);
  now.from = chance_of(&drawn, CHECKS[index].name);
  const verdict v = CHECKS[index].judge(&now);
  t->seconds += seconds() - start;
  t->tried++, t->failed += v.judgement == FAILED, t->skipped += v.judgement == SKIPPED;
  t->told += v.judgement == TOLD, t->bent += v.judgement == TOLD && bends_too_far(&v);
  const bool silent = v.judgement == FAILED && !now.said;
  if (v.rule != NULL) count_rule(to, index, v.rule);
  t->silent += silent;
  if (v.judgement == PASSED && v.allowed > 0 && v.off / v.allowed > t->worst) {
    t->worst = v.off / v.allowed, t->worst_seed = drawn.seed;
  }
  if (to->told) {
    static const char *const WORDS[] = {"passed", "FAILED", "skipped", "told"};
    printf("%-10s %-8s %.3g of %.3g %s%s%s\n", CHECKS[index].name, WORDS[v.judgement], v.off,
           v.allowed, v.text, v.rule != NULL ? " by: " : "", v.rule != NULL ? v.rule : "");
    if (to->folder != NULL) keep_pair(to->folder);
  } else if (v.judgement == FAILED) {
    tell_failure(to, index, &v, silent);
  }
}

static bool is_wanted(const mechanism *machine) {
  char names[400];
  feature_names(features_of(machine), names);
  for (const char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " ")) {
    if (strcmp(name, wanted) == 0) return true;
  }
  return false;
}

static void try_seed(report *to, uint64_t seed, const char *only) {
  draw_mechanism(&drawn, seed);
  if (wanted != NULL && !is_wanted(&drawn)) return;
  run_mechanism(&drawn, (manner){0}, &plain);
  now.machine = &drawn, now.features = features_of(&drawn), now.plain = &plain;
  now.one_by_one = to->told, now.has_exact = false;
  now.same_bits = now.alike = (shared_answer){0};
  to->systems++, to->parts[drawn.part_count]++;
  for (int k = 0; k < FEATURES; k++) to->has[k] += (now.features >> k) & 1u;
  for (int k = 0; k < CHECK_COUNT; k++) {
    if (only != NULL && strcmp(only, CHECKS[k].name) != 0) continue;
    judge(to, k);
    if (k == 0 && plain.load != FLG_OK && only == NULL) return; /* nothing runs */
  }
}

/* how many of them have what */
static void print_features(const report *of) {
  for (int k = 0; k < FEATURES; k++) {
    char name[400];
    feature_names(1u << k, name);
    printf("has %-14s %9lld\n", name, (long long)of->has[k]);
  }
  for (int k = 1; k <= PARTS; k++)
    printf("has %d-subsystems   %9lld\n", k, (long long)of->parts[k]);
}

/* How many were decided by what besides plain bounds. */
static void print_rules(const report *of) {
  for (int k = 0; k < RULES && of->rules[k].name != NULL; k++) {
    char name[40];
    snprintf(name, sizeof name, "%s/%s", CHECKS[of->rules[k].check].name, of->rules[k].name);
    for (char *c = name; *c != 0; c++) *c = *c == ' ' ? '-' : *c;
    printf("by %-24s %9lld\n", name, (long long)of->rules[k].count);
  }
}

/* What did not hold, in a line: told by a run itself (message, status, exit code), or silent. */
static void print_sum(const report *of) {
  int64_t checks = 0, told = 0, silent = 0;
  for (int k = 0; k < CHECK_COUNT; k++) {
    const tally *t = &of->tallies[k];
    checks += t->tried, told += t->told + t->failed - t->silent, silent += t->silent;
  }
  printf("%lld systems, %lld checks, %lld failed: %lld told, %lld silent\n", (long long)of->systems,
         (long long)checks, (long long)(told + silent), (long long)told, (long long)silent);
}

/* those that are told */
static bool are_few(const report *of, const tally *t) {
  return (double)(t->told - t->bent) <= MOST_TOLD * (double)of->systems &&
         (double)t->bent <= MOST_BENT * (double)of->has[BEAM_BIT];
}

static int64_t print_report(const report *of) {
  int64_t all = 0;
  printf("systems %lld\n", (long long)of->systems);
  printf("%-10s %9s %8s %8s %8s %8s %8s %9s  %s\n", "check", "tried", "failed", "skipped", "told",
         "left out", "worst", "seconds", "what holds");
  for (int k = 0; k < CHECK_COUNT; k++) {
    const tally *t = &of->tallies[k];
    printf("%-10s %9lld %8lld %8lld %8lld %8lld %8.2g %9.1f  %s\n", CHECKS[k].name,
           (long long)t->tried, (long long)t->failed, (long long)t->skipped, (long long)t->told,
           (long long)t->left_out, t->worst, t->seconds, CHECKS[k].meaning);
    all += t->failed;
    if (of->systems < LEAST_SYSTEMS || are_few(of, t)) continue;
    printf("%s: too many end early, and say so\n", CHECKS[k].name);
    all++;
  }
  print_features(of), print_rules(of);
  for (int k = 0; k < SEED_COUNT; k++) {
    if (of->known[k] == 0) continue;
    printf("left out: seed %llu, %s: %s\n", (unsigned long long)SEEDS[k].seed,
           SEEDS[k].check == NULL ? "all" : SEEDS[k].check, SEEDS[k].defect);
  }
  for (int k = 0; k < of->class_count; k++) {
    char names[400];
    feature_names(of->classes[k].features, names);
    printf("%s: %lld x [%s], %lld silent, first with seed %llu: %s\n",
           CHECKS[of->classes[k].check].name, (long long)of->classes[k].count, names,
           (long long)of->classes[k].silent, (unsigned long long)of->classes[k].seed,
           of->classes[k].text);
  }
  print_sum(of);
  return all;
}

static uint64_t number_from(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

int main(int argc, char **argv) {
  static report all;
  /* thousands of systems are loaded: keep the pages of the last for the next */
  mallopt(M_MMAP_THRESHOLD, 1 << 28), mallopt(M_TRIM_THRESHOLD, 1 << 28);
  const char *only = NULL;
  uint64_t first = number_from("FLANGE_GENERATE_START", 1),
           count = number_from("FLANGE_GENERATE_COUNT", 1000);
  for (int k = 1; k < argc; k++) {
    if (strcmp(argv[k], "-w") == 0 && k + 1 < argc) {
      all.folder = argv[++k];
    } else if (strcmp(argv[k], "--count") == 0 && k + 1 < argc) {
      count = number_from("FLANGE_GENERATE_COUNT", strtoull(argv[++k], NULL, 10));
    } else if (strcmp(argv[k], "--first") == 0 && k + 1 < argc) {
      first = strtoull(argv[++k], NULL, 10);
    } else if (strcmp(argv[k], "--with") == 0 && k + 1 < argc) {
      wanted = argv[++k];
    } else if (strcmp(argv[k], "--check") == 0 && k + 1 < argc) {
      only = argv[++k];
    } else if (strcmp(argv[k], "--strict") == 0) {
      strict = true;
    } else if (!all.told) {
      first = strtoull(argv[k], NULL, 10), count = 1, all.told = true;
    } else {
      only = argv[k];
    }
  }
  for (uint64_t k = 0; k < count; k++) try_seed(&all, first + k, only);
  if (all.told && only != NULL && all.folder == NULL) {
    keep_pair(NULL);
  }
  forget_runs();
  if (all.told) {
    char names[400];
    feature_names(now.features, names);
    printf("# %s\n", names);
    int64_t bad = 0;
    for (int k = 0; k < CHECK_COUNT; k++) bad += all.tallies[k].failed;
    return bad > 0;
  }
  return print_report(&all) > 0;
}
