/* The cache of compiled libraries: what lies in it is used once it was seen to be whole, and
 * whatever is wrong with it, or with the compiler, is told and does not stand in the way of a run.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include "cache_folder.h"
#include "robot/robot_subsystem.h"
#include "scenarios.h"

static const char arm[] =
    "flange-model: 1\nbodies:\n"
    "  upper: {mass: 3, centre: [0.3, 0, 0.1], inertia: [0.1, 0.1, 0.05]}\n"
    "  lower: {mass: 2, centre: [0.5, 0, 0], inertia: [0.02, 0.2, 0.2]}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, child: upper, axis: [0, 1, 0]}\n"
    "  elbow: {kind: revolute, parent: upper, child: lower, at: [0.6, 0, 0], axis: [0, 1, 0]}\n";
static const char other_arm[] =
    "flange-model: 1\nbodies: {rod: {mass: 3, centre: [0.3, 0, 0.1], inertia: [0.1, 0.1, 0.05]}}\n"
    "joints: {hinge: {kind: revolute, child: rod, axis: [0, 1, 0]}}\n";
static const char boom[] =
    "flange-model: 1\nbodies:\n"
    "  post: {mass: 3, centre: [0.3, 0, 0.1], inertia: [0.1, 0.1, 0.05]}\n"
    "  boom:\n    flexible: {end: [3, 0, 0], section: {kind: circle, diameter: 0.1}, young: 69e9,\n"
    "      density: 2700, bending: 2, damping: 0.5}\n"
    "joints:\n"
    "  turn: {kind: revolute, child: post, axis: [0, 0, 1]}\n"
    "  lift: {kind: revolute, parent: post, child: boom, axis: [0, 1, 0]}\n";
static const char box[] =
    "flange-component: 1\nbodies: {box: {mass: 2, inertia: [0.2, 0.1, 0.3]}}\n";

#define SCENARIO(keys)                                                              \
  "flange: 1\ntime: {end: 0.2, macro: 0.01}\ngravity: [0, 0, -9.81]\nsubsystems:\n" \
  "  arm: {" keys "}\nrecord: [arm/energy]\n"
#define COMPILED SCENARIO("model: robot.yaml, step: 0.001, compiled: true")

typedef struct outcome {
  uint64_t hash;
  bool is_compiled;
  char told[1000];
} outcome;

static outcome run(const char *scenario, const char *robot) {
  flg_simulation *simulation = load_three_texts(scenario, box, robot);
  const flg_robot_subsystem *subject = flg_subsystem_robot(&simulation->subsystems[0]);
  const char *notice = flg_simulation_notice(simulation, 0);
  outcome of = {.is_compiled = subject != NULL && subject->accelerator.accelerate != NULL};
  snprintf(of.told, sizeof of.told, "%s", notice == NULL ? "" : notice);
  if (notice != NULL) print_message("%s\n", notice);
  run_to_end(simulation);
  of.hash = flg_simulation_hash(simulation);
  flg_simulation_release(simulation);
  return of;
}

/* a scenario that is compiled, with nothing to tell */
static uint64_t run_compiled(void) {
  const outcome of = run(COMPILED, arm);
  assert_true(of.is_compiled);
  assert_string_equal(of.told, "");
  return of.hash;
}

static ino_t file_number(const char *name) {
  struct stat info;
  assert_int_equal(stat(cache_path(name), &info), 0);
  return info.st_ino;
}

static void a_model_is_compiled_once(void **state) {
  (void)state;
  char first[256], again[256];
  empty_cache();
  const uint64_t hash = run_compiled();
  assert_int_equal(count_cached(first), 1);
  const ino_t number = file_number(first);
  assert_true(run_compiled() == hash);
  assert_int_equal(count_cached(again), 1);
  assert_string_equal(first, again);
  assert_true(file_number(again) == number);
}

static void another_model_or_compiler_has_a_library_of_its_own(void **state) {
  (void)state;
  empty_cache();
  const uint64_t hash = run_compiled();
  assert_true(run(COMPILED, other_arm).is_compiled);
  assert_int_equal(count_cached(NULL), 2);
  setenv("CC", "cc -fno-inline", 1);
  assert_true(run_compiled() == hash); /* flags change no bits */
  unsetenv("CC");
  assert_int_equal(count_cached(NULL), 3);
}

/* --- libraries that are not what they seem ------------------------------------------------------
 */

typedef void spoil_file(const char *path);

static void cut_off(const char *path) {
  assert_int_equal(truncate(path, 2000), 0);
}

static void empty(const char *path) {
  assert_int_equal(truncate(path, 0), 0);
}

static void flip_a_bit(const char *path) {
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  fseek(file, 5000, SEEK_SET);
  const int byte = fgetc(file);
  fseek(file, 5000, SEEK_SET);
  fputc(byte ^ 4, file);
  fclose(file);
}

static void write_text(const char *path) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs("this is no library\n", file);
  fclose(file);
}

static void damaged_libraries_are_made_again(void **state) {
  (void)state;
  static spoil_file *const ways[] = {cut_off, empty, flip_a_bit, write_text};
  empty_cache();
  const uint64_t hash = run_compiled();
  char name[256];
  assert_int_equal(count_cached(name), 1);
  for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
    ways[k](cache_path(name));
    assert_true(run_compiled() == hash);
    assert_int_equal(count_cached(NULL), 1);
  }
}

static void a_whole_library_under_the_name_of_another_is_not_taken(void **state) {
  (void)state;
  char ours[256], theirs[256], moved[400];
  empty_cache();
  const uint64_t hash = run_compiled();
  assert_int_equal(count_cached(ours), 1);
  empty_cache();
  assert_true(run(COMPILED, other_arm).is_compiled);
  assert_int_equal(count_cached(theirs), 1);
  snprintf(moved, sizeof moved, "%s", cache_path(theirs));
  assert_int_equal(rename(moved, cache_path(ours)), 0);
  assert_true(run_compiled() == hash);
}

/* --- what is not there --------------------------------------------------------------------------
 */

static void without_a_compiler_it_is_interpreted_and_told(void **state) {
  (void)state;
  empty_cache();
  setenv("CC", "no-such-compiler", 1);
  const outcome of = run(COMPILED, arm);
  unsetenv("CC");
  assert_false(of.is_compiled);
  assert_non_null(strstr(of.told,
                         "arm: it is interpreted, not compiled: the compiler "
                         "'no-such-compiler' cannot be called"));
  assert_true(of.hash == run(SCENARIO("model: robot.yaml, step: 0.001"), arm).hash);
  assert_int_equal(count_cached(NULL), 0);
}

static void where_no_cache_can_be_made_libraries_are_not_kept(void **state) {
  (void)state;
  const uint64_t hash = run_compiled();
  test_folder folder = make_folder();
  const char *file = make_file(&folder, "file", "");
  char inside[200];
  snprintf(inside, sizeof inside, "%s/below", file);
  setenv("XDG_CACHE_HOME", inside, 1);
  const outcome of = run(COMPILED, arm);
  setenv("XDG_CACHE_HOME", cache.path, 1);
  remove_folder(&folder);
  assert_true(of.is_compiled);
  assert_true(of.hash == hash);
  assert_non_null(strstr(of.told, "is not kept"));
  assert_non_null(strstr(of.told, "cannot be made: Not a directory"));
}

static void a_folder_that_others_can_write_to_is_no_cache(void **state) {
  (void)state;
  empty_cache();
  const uint64_t hash = run_compiled();
  empty_cache();
  assert_int_equal(chmod(cache_path(""), 0777), 0);
  const outcome of = run(COMPILED, arm);
  assert_int_equal(chmod(cache_path(""), 0700), 0);
  assert_true(of.is_compiled);
  assert_true(of.hash == hash);
  assert_non_null(strstr(of.told, "others can write to"));
  assert_int_equal(count_cached(NULL), 0);
}

/* a compiler for which one folder, or every one, is on a full disk */
static const char *full_disk(test_folder *folder, const char *where) {
  char text[400];
  snprintf(text, sizeof text,
           "#!/bin/sh\ncase \"$*\" in *%s*) echo 'ld: final link failed: No space left on device' "
           ">&2; exit 1;; esac\nexec cc \"$@\"\n",
           where);
  const char *path = make_file(folder, "full-cc", text);
  assert_int_equal(chmod(path, 0755), 0);
  return path;
}

static void on_a_full_cache_disk_libraries_are_not_kept(void **state) {
  (void)state;
  empty_cache();
  test_folder folder = make_folder();
  setenv("CC", full_disk(&folder, cache.path), 1);
  const outcome of = run(COMPILED, arm);
  setenv("CC", full_disk(&folder, ".so"), 1);
  const outcome nowhere = run(COMPILED, arm);
  unsetenv("CC");
  remove_folder(&folder);
  assert_true(of.is_compiled);
  assert_non_null(strstr(of.told, "is not kept"));
  assert_non_null(strstr(of.told, "No space left on device"));
  assert_false(nowhere.is_compiled);
  assert_non_null(strstr(nowhere.told, "No space left on device"));
  assert_int_equal(count_cached(NULL), 0); /* nothing unfinished either */
}

/* --- two at once --------------------------------------------------------------------------------
 */

static void two_processes_compile_one_model_at_once(void **state) {
  (void)state;
  enum { PROCESSES = 4 };
  pid_t children[PROCESSES];
  empty_cache();
  for (int k = 0; k < PROCESSES; k++) {
    children[k] = fork();
    if (children[k] == 0) {
      const outcome of = run(COMPILED, arm);
      _exit(of.is_compiled && of.told[0] == '\0' ? 0 : 1);
    }
  }
  for (int k = 0; k < PROCESSES; k++) {
    int status = 1;
    assert_int_equal(waitpid(children[k], &status, 0), children[k]);
    assert_int_equal(status, 0);
  }
  assert_int_equal(count_cached(NULL), 1);
  (void)run_compiled();
}

/* --- what cannot be compiled --------------------------------------------------------------------
 */

static void what_cannot_be_compiled_is_told_with_its_place(void **state) {
  (void)state;
  const outcome bends = run(COMPILED, boom);
  assert_false(bends.is_compiled);
  assert_non_null(strstr(bends.told, "robot.yaml:4"));
  assert_non_null(strstr(bends.told, "'boom' cannot be compiled: it is flexible"));
  const outcome component = run(SCENARIO("model: model.yaml, step: 0.001, compiled: true"), NULL);
  assert_non_null(strstr(component.told, "arm: it is interpreted, not compiled: components"));
}

/* each link hangs on the one before it, turned and moved */
static const char *chain(int count) {
  static char text[20000];
  size_t at = (size_t)snprintf(text, sizeof text, "flange-model: 1\nbodies:\n");
  for (int k = 0; k < count; k++) {
    at += (size_t)snprintf(text + at, sizeof text - at,
                           "  b%d: {mass: 1, centre: [0.1, 0.2, 0.3], inertia: [0.1, 0.2, 0.15]}\n",
                           k);
  }
  at += (size_t)snprintf(text + at, sizeof text - at,
                         "joints:\n  j0: {kind: revolute, child: b0, axis: [0, 1, 0]}\n");
  for (int k = 1; k < count; k++) {
    at += (size_t)snprintf(text + at, sizeof text - at,
                           "  j%d: {kind: revolute, parent: b%d, child: b%d, at: [0.3, 0.1, 0.2], "
                           "turn: [0.%d, 1, 0.3], axis: [0.1, 0.2, 1]}\n",
                           k, k - 1, k, k);
  }
  return text;
}

static void what_would_not_be_faster_is_not_compiled(void **state) {
  (void)state;
  empty_cache();
  const outcome of = run(COMPILED, chain(40));
  assert_false(of.is_compiled);
  assert_non_null(strstr(of.told, "robot.yaml: that would not be faster"));
  assert_int_equal(count_cached(NULL), 0);
  assert_true(run(COMPILED, chain(5)).is_compiled);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_is_compiled_once),
      cmocka_unit_test(another_model_or_compiler_has_a_library_of_its_own),
      cmocka_unit_test(damaged_libraries_are_made_again),
      cmocka_unit_test(a_whole_library_under_the_name_of_another_is_not_taken),
      cmocka_unit_test(without_a_compiler_it_is_interpreted_and_told),
      cmocka_unit_test(where_no_cache_can_be_made_libraries_are_not_kept),
      cmocka_unit_test(a_folder_that_others_can_write_to_is_no_cache),
      cmocka_unit_test(on_a_full_cache_disk_libraries_are_not_kept),
      cmocka_unit_test(two_processes_compile_one_model_at_once),
      cmocka_unit_test(what_cannot_be_compiled_is_told_with_its_place),
      cmocka_unit_test(what_would_not_be_faster_is_not_compiled)};
  return cmocka_run_group_tests(tests, open_cache, close_cache);
}
