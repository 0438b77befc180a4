/* Accelerations of many states at once: four or eight in a register, on any thread, the same bits
 * as one by one. */
#include "compile/robot_library.h"
#include "files.h"
#include "flange/threads.h"
#include "io/model_file.h"
#include "plugin/plugin_library.h"

enum { JOINTS = 7, STATES = 43, NUMBERS = JOINTS * STATES, INSTANCES = 4 };

typedef struct arm {
  flg_plugin_library library;
  void *instances[INSTANCES];
} arm;

static double positions[NUMBERS], velocities[NUMBERS], forces[NUMBERS], alone[NUMBERS];

static void make_states(void) {
  for (int k = 0; k < NUMBERS; k++) {
    positions[k] = 3 * sin(1 + 2.3 * k), velocities[k] = 2 * cos(1.7 * k);
    forces[k] = 100 * sin(0.9 * k * k);
  }
}

static arm open_arm(const char *command, const char *march) {
  static flg_mistakes mistakes;
  static flg_robot_library_made made;
  arm of = {.library = {.handle = NULL}};
  flg_region region = {0};
  flg_model model;
  flg_error error;
  test_folder folder = make_folder();
  const char *path = make_file(&folder, "arm.so", "");
  mistakes = (flg_mistakes){0};
  flg_model_read(&model, "examples/ssrms/models/ssrms.urdf",
                 (flg_reading){.inertia = FLG_INERTIA_AUTO}, (flg_place){0}, &region, &mistakes);
  const flg_robot_library library = {
      .source = {.model = &model},
      .library = {.output = path, .compiler = {.command = command, .march = march}}};
  assert_int_equal(flg_robot_library_build(&library, &made, &mistakes), FLG_OK);
  flg_region_release(&region);
  assert_int_equal(flg_plugin_open(&of.library, path, &error), FLG_OK);
  remove_folder(&folder);
  const flg_plugin_setup setup = {.size = sizeof setup,
                                  .name = "arm",
                                  .gravity = {0, 0, -9.81},
                                  .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int k = 0; k < INSTANCES; k++) {
    of.instances[k] = flg_plugin_create(&of.library, of.library.subsystem.create, &setup, &error);
    assert_non_null(of.instances[k]);
  }
  return of;
}

static void close_arm(arm *of) {
  for (int k = 0; k < INSTANCES; k++) of->library.subsystem.destroy(of->instances[k]);
  flg_plugin_close(&of->library);
}

static void accelerate_alone(const arm *of) {
  const double added[JOINTS] = {0};
  for (int k = 0; k < STATES; k++) {
    const int at = JOINTS * k;
    of->library.subsystem.accelerate_resisted(of->instances[0], positions + at, velocities + at,
                                              forces + at, added, alone + at);
  }
}

/* of any number of states, to the last bit */
static void check_counts(const arm *of) {
  double many[NUMBERS];
  for (int count = 1; count <= STATES; count += count < 18 ? 1 : 25) {
    memset(many, 0, sizeof many);
    of->library.subsystem.accelerate(of->instances[1], count, positions, velocities, forces, many);
    assert_memory_equal(many, alone, (size_t)count * JOINTS * sizeof(double));
    for (int k = count * JOINTS; k < NUMBERS; k++) assert_true(many[k] == 0);
  }
}

static void four_or_eight_at_once_have_the_bits_of_one(void **state) {
  (void)state;
  static const char *const commands[] = {NULL, "cc -DLANES=4", "cc -DLANES=8"};
  make_states();
  for (size_t k = 0; k < sizeof commands / sizeof commands[0]; k++) {
    arm of = open_arm(commands[k], NULL);
    accelerate_alone(&of);
    check_counts(&of);
    close_arm(&of);
  }
}

/* processors that have wide registers are told to use them, and none fuses operations */
static void for_this_processor_bits_are_the_same(void **state) {
  (void)state;
  make_states();
  arm of = open_arm(NULL, NULL);
  accelerate_alone(&of);
  close_arm(&of);
  of = open_arm(NULL, "native");
  check_counts(&of);
  close_arm(&of);
}

typedef struct job {
  const arm *of;
  double many[INSTANCES][NUMBERS];
} job;

static void run_instance(void *context, int index) {
  job *at = context;
  for (int k = 0; k < 20; k++) {
    at->of->library.subsystem.accelerate(at->of->instances[index], STATES, positions, velocities,
                                         forces, at->many[index]);
  }
}

static void instances_on_several_threads_do_not_meet(void **state) {
  (void)state;
  static job at;
  flg_threads *threads = NULL;
  flg_error error;
  make_states();
  arm of = open_arm(NULL, NULL);
  at.of = &of;
  accelerate_alone(&of);
  assert_int_equal(flg_threads_build(&threads, 4, &error), FLG_OK);
  flg_threads_for(threads, INSTANCES, run_instance, &at);
  for (int k = 0; k < INSTANCES; k++) assert_memory_equal(at.many[k], alone, sizeof alone);
  flg_threads_release(threads);
  close_arm(&of);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(four_or_eight_at_once_have_the_bits_of_one),
                                     cmocka_unit_test(for_this_processor_bits_are_the_same),
                                     cmocka_unit_test(instances_on_several_threads_do_not_meet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
