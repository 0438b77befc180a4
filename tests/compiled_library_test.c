/* Libraries of `flange compile` as files: what is in them, and which of them are loaded. */
#include <elf.h>

#include "component_library.h"
#include "io/model_file.h"
#include "plugin/plugin_library.h"

/* names and numbers that no library has by chance */
static const char arm[] =
    "flange-model: 1\nname: secretarm\nbodies:\n"
    "  hiddenpost: {mass: 3.25, centre: [0, 0, 0.2], inertia: [0.1, 0.1, 0.05]}\n"
    "  hiddenboom: {mass: 2.75, centre: [0.5, 0, 0.1], inertia: [0.02, 0.2, 0.2]}\n"
    "joints:\n"
    "  quietyaw: {kind: revolute, child: hiddenpost, axis: [0, 0, 1], damping: 0.375}\n"
    "  shownlift: {kind: revolute, parent: hiddenpost, child: hiddenboom, at: [0, 0, 0.4],\n"
    "    axis: [0, 1, 0]}\n"
    "ports: {openport: {body: hiddenboom, at: [0.5, 0, 0]}}\n";
static const char bars[] =
    "flange-component: 1\nname: secretbars\nbodies:\n"
    "  hiddencrank: {mass: 3.25, inertia: [0.1, 0.1, 0.05], at: [0.5, 0, 0]}\n"
    "  hiddenrod: {mass: 2.75, inertia: [0.1, 0.1, 0.05], at: [1.5, 0, 0]}\n"
    "joints:\n"
    "  quietpin: {kind: revolute, between: [world, hiddencrank], at: [0, 0, 0]}\n"
    "  quietknee: {kind: revolute, between: [hiddencrank, hiddenrod], at: [1, 0, 0]}\n"
    "springs:\n"
    "  quietcoil: {on: quietpin, stiffness: 41.375, damping: 0.375, rest: 0.125}\n"
    "  hiddenwire: {between: [world, hiddenrod], stiffness: 7.375, length: 1}\n"
    "bushings: {hiddenpad: {between: [world, hiddenrod], stiffness: [1, 2, 41.375]}}\n"
    "forces: {quietpush: {body: hiddencrank, force: [0, 41.375, 0]}}\n"
    "ports: {openport: {body: hiddenrod, at: [0.5, 0, 0]}}\n";

static void compile_arm(test_folder *folder, const char *library) {
  static flg_mistakes mistakes;
  static flg_robot_library_made made;
  static const char *const signals[] = {"shownlift.position"};
  flg_region region = {0};
  flg_model model;
  mistakes = (flg_mistakes){0};
  const char *path = make_file(folder, "arm.yaml", arm);
  flg_model_read(&model, path, (flg_reading){.inertia = FLG_INERTIA_AUTO}, (flg_place){0}, &region,
                 &mistakes);
  const flg_robot_library made_of = {
      .source = {.model = &model, .signals = signals, .signal_count = 1},
      .library = {.output = library}};
  assert_int_equal(mistakes.count, 0);
  assert_int_equal(flg_robot_library_build(&made_of, &made, &mistakes), FLG_OK);
  flg_region_release(&region);
}

/* a lift with a motor, which steps by rk4 */
static const char lift[] =
    "flange-component: 1\nname: secretlift\nbodies:\n"
    "  hiddenrotor: {mass: 3.25, inertia: [0.1, 0.1, 0.05]}\n"
    "  hiddenbar: {mass: 2.75, inertia: [0.1, 0.1, 0.05], at: [0, 0.5, 0]}\n"
    "joints:\n"
    "  quietshaft: {kind: revolute, between: [world, hiddenrotor], at: [0, 0, 0]}\n"
    "  shownlift: {kind: prismatic, between: [world, hiddenbar], at: [0, 0.5, 0]}\n"
    "  quietteeth: {kind: rack, drive: quietshaft, driven: shownlift, radius: 0.125}\n"
    "springs: {quietcoil: {on: shownlift, stiffness: 41.375, damping: 0.375}}\n"
    "motors:\n"
    "  quietcoils: {on: quietshaft, voltage: hiddensignal, resistance: 7.375, inductance: 0.01,\n"
    "    torque_constant: 0.375}\n"
    "signals:\n"
    "  hiddenpath: {kind: sine, amplitude: 41.375, frequency: 3}\n"
    "  hiddensignal: {kind: filter, input: hiddenpath, time_constant: 0.01, sample: 0.005}\n"
    "ports: {openport: {body: hiddenbar, at: [0.5, 0, 0]}}\n";

static void compile_lift(const char *library) {
  static const char *const signals[] = {"shownlift.position"};
  must_make_component_library(
      lift, (flg_mechanism_source){.signals = signals, .signal_count = 1, .is_staged = true},
      library);
}

/* a file in memory */
typedef struct bytes {
  char *at;
  size_t count;
} bytes;

static bytes read_bytes(const char *path) {
  bytes of = {calloc(1, 1 << 20), 0};
  FILE *file = fopen(path, "rb");
  assert_non_null(of.at);
  assert_non_null(file);
  of.count = fread(of.at, 1, 1 << 20, file);
  fclose(file);
  return of;
}

static void write_bytes(const char *path, bytes of) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(of.at, 1, of.count, file), of.count);
  assert_int_equal(fclose(file), 0);
}

static bool holds(bytes of, const char *text) {
  const size_t length = strlen(text);
  for (size_t k = 0; k + length <= of.count; k++) {
    if (memcmp(of.at + k, text, length) == 0) return true;
  }
  return false;
}

/* --- what is in it ------------------------------------------------------------------------------
 */

static void check_closed(bytes of) {
  static const char *const hidden[] = {
      "hidden",       "quiet",          "secret",         "3.25",        "2.75",       "0.375",
      "robot.",       "find_",          "accelerate_",    "/tmp/flange", "masses",     "arm.yaml",
      "find_columns", "factor_general", "signal_sources", "bars.yaml",   "port_names", "41.375",
      "7.375",        "spring_",        "bushing",        "stiffness",   "voltage",    "held_",
      "gear_",        "sine",           "curve",          "decay"};
  for (size_t k = 0; k < sizeof hidden / sizeof hidden[0]; k++) {
    if (holds(of, hidden[k])) fail_msg("'%s' stands in the library", hidden[k]);
  }
  assert_true(holds(of, "openport"));
  assert_true(holds(of, "flg_plugin_v1"));
  /* libraries that it needs */
  for (size_t k = 0; k + 8 < of.count; k++) {
    if (memcmp(of.at + k, "lib", 3) != 0 || strstr(of.at + k, ".so") == NULL) continue;
    const bool known = strcmp(of.at + k, "libm.so.6") == 0 || strcmp(of.at + k, "libc.so.6") == 0;
    if (!known) fail_msg("it needs '%s'", of.at + k);
  }
}

static void names_and_numbers_of_the_model_are_not_in_it(void **state) {
  (void)state;
  test_folder folder = make_folder();
  const char *path = make_file(&folder, "part.so", "");
  compile_arm(&folder, path);
  bytes of = read_bytes(path);
  check_closed(of);
  assert_true(holds(of, "shownlift")); /* a signal that was chosen */
  free(of.at);
  must_make_component_library(bars, (flg_mechanism_source){0}, path);
  of = read_bytes(path);
  check_closed(of);
  free(of.at);
  compile_lift(path);
  of = read_bytes(path);
  check_closed(of);
  assert_true(holds(of, "shownlift"));
  free(of.at);
  remove_folder(&folder);
}

/* --- which are loaded ---------------------------------------------------------------------------
 */

static void refuse(const char *path, bytes of, const char *why) {
  flg_plugin_library plugin = {0};
  flg_error error = {0};
  write_bytes(path, of);
  assert_int_equal(flg_plugin_open(&plugin, path, &error), FLG_ERR_INPUT);
  if (strstr(error.message, why) == NULL) fail_msg("%s", error.message);
  flg_plugin_close(&plugin);
}

static void damaged_and_foreign_libraries_are_refused(void **state) {
  (void)state;
  test_folder folder = make_folder();
  const char *path = make_file(&folder, "part.so", "");
  compile_arm(&folder, path);
  bytes of = read_bytes(path);
  Elf64_Ehdr head, foreign;
  memcpy(&head, of.at, sizeof head);
  foreign = head;
  foreign.e_machine = head.e_machine == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;
  memcpy(of.at, &foreign, sizeof head);
  refuse(path, of, "was made for processors of ");
  foreign = head;
  foreign.e_ident[EI_CLASS] = ELFCLASS32;
  memcpy(of.at, &foreign, sizeof head);
  refuse(path, of, "was made for processors of ");
  foreign = head;
  foreign.e_type = ET_EXEC;
  memcpy(of.at, &foreign, sizeof head);
  refuse(path, of, "no shared library");
  memcpy(of.at, &head, sizeof head);
  for (size_t k = sizeof head; k + 100 < of.count; k += of.count / 97) {
    of.at[k] ^= 0x10;
    refuse(path, of, k < sizeof head + head.e_phnum * sizeof(Elf64_Phdr) ? "'" : "was changed");
    of.at[k] ^= 0x10;
  }
  free(of.at);
  remove_folder(&folder);
}

static size_t farther(size_t a, size_t b) {
  return a < b ? b : a;
}

/* at no length does the loader crash; what is cut off in code or tables is said to be */
static void cut_off_libraries_are_refused(void **state) {
  (void)state;
  test_folder folder = make_folder();
  const char *path = make_file(&folder, "part.so", "");
  compile_arm(&folder, path);
  const bytes of = read_bytes(path);
  Elf64_Ehdr head;
  memcpy(&head, of.at, sizeof head);
  size_t loaded = 0; /* bytes that a loader maps */
  for (int k = 0; k < head.e_phnum; k++) {
    Elf64_Phdr at;
    memcpy(&at, of.at + head.e_phoff + (size_t)k * sizeof at, sizeof at);
    loaded = farther(loaded, at.p_offset + at.p_filesz);
  }
  for (size_t length = 10; length < loaded; length += loaded / 53) {
    refuse(path, (bytes){of.at, length}, "was cut off");
  }
  refuse(path, (bytes){of.at, 0}, "no shared library that can be loaded");
  free(of.at);
  remove_folder(&folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_and_numbers_of_the_model_are_not_in_it),
                                     cmocka_unit_test(damaged_and_foreign_libraries_are_refused),
                                     cmocka_unit_test(cut_off_libraries_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
