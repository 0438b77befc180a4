/* Whatever a file says, code says: scenarios of examples/ and systems of tests/generate are read,
 * walked and said again by option structs (said_again.h). What comes of it starts and steps as the
 * file does, to the last bit. */
#include <glob.h>

#include "generate/mechanism.h"
#include "generate/write.h"
#include "plugins.h"
#include "said_again.h"
#include "scenarios.h"

/* the simulation of the file, and that of code; changed: an override, NULL: none */
static void compare(const char *path, const char *changed, int steps) {
  static flg_mistakes mistakes;
  flg_simulation *file = NULL, *code = NULL;
  const flg_status status = flg_simulation_load(&file, path, &changed, changed != NULL, &mistakes);
  flg_definition *system = said_again(path, BY_STRUCTS);
  assert_int_equal(flg_definition_simulate(system, &changed, changed != NULL, &code, &mistakes),
                   status);
  if (status == FLG_OK) step_alike(file, code, steps);
  flg_simulation_release(file);
  flg_simulation_release(code);
  flg_definition_release(system);
}

static bool is_scenario(const char *path) {
  flg_mistakes mistakes = {0};
  flg_region region = {0};
  const flg_node *root = flg_document_read(&region, path, (flg_place){0}, NULL, 0, &mistakes);
  const bool is_one = root != NULL && flg_node_find(root, "flange") != NULL;
  flg_region_release(&region);
  return is_one;
}

/* those with a library of their own, which the tests have built elsewhere */
static const char *change_of(const char *path) {
  static const char *const changes[][2] = {
      {"own-subsystem/own-subsystem.yaml", "subsystems.chain.plugin=" PLUGIN("mass_spring")},
      {"own-subsystem/bounce.yaml", "subsystems.ball.plugin=" PLUGIN("body")}};
  for (int k = 0; k < 2; k++) {
    if (strstr(path, changes[k][0]) != NULL) return changes[k][1];
  }
  return NULL;
}

static void every_example_is_the_same_in_code(void **state) {
  (void)state;
  glob_t found;
  int scenarios = 0;
  said = (said_count){0};
  assert_int_equal(glob("examples/*/*.yaml", 0, NULL, &found), 0);
  for (size_t k = 0; k < found.gl_pathc; k++) {
    if (!is_scenario(found.gl_pathv[k])) continue;
    compare(found.gl_pathv[k], change_of(found.gl_pathv[k]), 3);
    scenarios++;
  }
  globfree(&found);
  print_message("%d scenarios: %d values by structs, %d by keys\n", scenarios, said.by_structs,
                said.by_keys);
  assert_true(scenarios >= 35);
}

/* half of them with all that there is */
static void generated_systems_are_the_same_in_code(void **state) {
  (void)state;
  static mechanism machine;
  static text_files files;
  said = (said_count){0};
  for (int k = 0; k < REPEATS(200); k++) {
    test_folder folder = make_folder();
    char path[100];
    draw_mechanism(&machine, (uint64_t)(k % 2 == 0 ? 1 + k : 1000000 + k));
    write_files(&machine, &files);
    assert_true(keep_files(&files, folder.path));
    snprintf(path, sizeof path, "%s/%s", folder.path, files.list[0].name);
    compare(path, NULL, 3);
    for (int i = 0; i < files.count; i++) {
      snprintf(path, sizeof path, "%s/%s", folder.path, files.list[i].name);
      unlink(path);
    }
    remove_folder(&folder);
  }
  print_message("%d values by structs, %d by keys\n", said.by_structs, said.by_keys);
  assert_true(said.by_structs > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_example_is_the_same_in_code),
      cmocka_unit_test(generated_systems_are_the_same_in_code),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
