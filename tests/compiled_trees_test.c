/* Components in joint coordinates, with gears, springs, motors and signals: steps of rk4 by
 * generated code are those of the interpreter but for rounding. */
#include <math.h>

#include "allocations.h"
#include "assembly/assembly_inner.h"
#include "cache_folder.h"
#include "check.h"
#include "component/assembly_contract.h"
#include "geared_models.h"
#include "math/larger.h"
#include "scenarios.h"

static flg_simulation *load_model(const geared_model *model, int rate, bool compiled) {
  char text[800];
  geared_scenario(model, rate, compiled ? ", compiled: true" : "", text);
  return load_texts(text, model->text);
}

static flg_assembly *assembly_in(const flg_simulation *simulation) {
  return flg_subsystem_assembly(&simulation->subsystems[0]);
}

/* of the largest number, positions, velocities and signals apart */
static double part_of_states(const flg_assembly *a, const flg_assembly *b) {
  double off = 0, size = 1e-300;
  const int numbers = a->model.position_count + a->model.velocity_count;
  for (int k = 0; k < numbers; k++) {
    off = flg_larger(off, fabs(a->state.numbers[k] - b->state.numbers[k]));
    size = flg_larger(size, fabs(b->state.numbers[k]));
  }
  return off / size;
}

static void run_beside(const geared_model *model, int rate) {
  flg_simulation *compiled = load_model(model, rate, true),
                 *interpreted = load_model(model, rate, false);
  flg_error error;
  double ours[GEARED_VALUES], theirs[GEARED_VALUES], off = 0;
  assert_null(flg_simulation_notice(compiled, 0));
  while (!flg_simulation_ended(compiled)) {
    assert_int_equal(flg_simulation_step(compiled, &error), FLG_OK);
    assert_int_equal(flg_simulation_step(interpreted, &error), FLG_OK);
    off = flg_larger(off, part_of_states(assembly_in(compiled), assembly_in(interpreted)));
  }
  flg_simulation_record(compiled, ours);
  flg_simulation_record(interpreted, theirs);
  for (int k = 0; k < flg_simulation_width(compiled); k++) {
    assert_near(ours[k], theirs[k], 1e-11 * (1 + fabs(theirs[k])));
  }
  const flg_step_code counts = assembly_in(compiled)->model.code;
  print_message("%s, 1/%d s: %.1e apart over %d steps\n", model->name, rate, off,
                (int)counts.taken);
  assert_true(off < 1e-12);
  assert_int_equal(counts.taken, rate / 2);
  assert_int_equal(counts.declined, 0);
  flg_simulation_release(compiled), flg_simulation_release(interpreted);
}

static void compiled_stages_are_those_of_the_interpreter(void **state) {
  (void)state;
  for (int k = 0; k < GEARED_MODEL_COUNT; k++) {
    if (!GEARED_MODELS[k].compiles) continue;
    run_beside(&GEARED_MODELS[k], 200);
    run_beside(&GEARED_MODELS[k], 2000);
  }
}

static void what_cannot_be_said_is_interpreted_and_told(void **state) {
  (void)state;
  for (int k = 0; k < GEARED_MODEL_COUNT; k++) {
    if (GEARED_MODELS[k].compiles) continue;
    flg_simulation *simulation = load_model(&GEARED_MODELS[k], 500, true);
    const char *notice = flg_simulation_notice(simulation, 0);
    assert_non_null(notice);
    assert_non_null(strstr(notice, "it is interpreted, not compiled"));
    assert_null(assembly_in(simulation)->model.stages);
    run_to_end(simulation);
    flg_simulation_release(simulation);
  }
}

static void compiled_stages_allocate_nothing(void **state) {
  (void)state;
  flg_error error;
  if (!allocations_counted()) skip();
  for (int k = 0; k < GEARED_MODEL_COUNT; k++) {
    if (!GEARED_MODELS[k].compiles) continue;
    flg_simulation *simulation = load_model(&GEARED_MODELS[k], 500, true);
    assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
    allocations_begin();
    assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
    assert_int_equal(allocations_end(), 0);
    flg_simulation_release(simulation);
  }
}

static void a_resumed_run_has_the_same_bits(void **state) {
  (void)state;
  for (int k = 0; k < GEARED_MODEL_COUNT; k++) {
    if (!GEARED_MODELS[k].compiles) continue;
    resume_bit_for_bit(load_model(&GEARED_MODELS[k], 500, true),
                       load_model(&GEARED_MODELS[k], 500, true));
  }
}

/* the root of a negative number: the library declines, and the interpreter says what has no value
 */
static void a_step_that_diverges_is_the_interpreters(void **state) {
  (void)state;
  static const geared_model spun = {
      "spun",
      "flange-component: 1\nbodies: {wheel: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {axle: {kind: revolute, between: [world, wheel], at: [0, 0, 0]}}\n"
      "efforts: {push: {on: axle, effort: sqrt(0.1 - time)}}\n",
      "[s/axle.position]", 1, true};
  flg_simulation *simulation = load_model(&spun, 500, true);
  flg_error error;
  flg_status status = FLG_OK;
  while (status == FLG_OK && !flg_simulation_ended(simulation)) {
    status = flg_simulation_step(simulation, &error);
  }
  assert_int_equal(status, FLG_ERR_DIVERGED);
  assert_true(assembly_in(simulation)->model.code.declined > 0);
  flg_simulation_release(simulation);
}

static flg_simulation *load_spbot(const char *compiled) {
  static flg_mistakes mistakes;
  flg_simulation *simulation = NULL;
  mistakes = (flg_mistakes){0};
  char set[60];
  snprintf(set, sizeof set, "subsystems.spbot.compiled=%s", compiled);
  const char *const settings[] = {set};
  flg_simulation_load(&simulation, "examples/spbot/spbot.yaml", settings, 1, &mistakes);
  assert_non_null(simulation);
  assert_null(flg_simulation_notice(simulation, 0));
  return simulation;
}

static const char *memmem_of(const char *in, size_t length, const void *what, size_t size) {
  for (size_t k = 0; k + size <= length; k++) {
    if (memcmp(in + k, what, size) == 0) return in + k;
  }
  return NULL;
}

static void the_spbot_is_compiled(void **state) {
  (void)state;
  double ours[GEARED_VALUES], theirs[GEARED_VALUES];
  flg_simulation *compiled = load_spbot("true"), *interpreted = load_spbot("false");
  run_to_end(compiled), run_to_end(interpreted);
  flg_simulation_record(compiled, ours), flg_simulation_record(interpreted, theirs);
  assert_int_equal(assembly_in(compiled)->model.code.taken, 1200);
  assert_int_equal(assembly_in(compiled)->model.code.declined, 0);
  const double off = part_of_states(assembly_in(compiled), assembly_in(interpreted));
  print_message("SPBot: %.1e apart at the end\n", off);
  for (int k = 0; k < flg_simulation_width(compiled); k++) {
    assert_near(ours[k], theirs[k], 1e-10 * (1 + fabs(theirs[k])));
  }
  assert_true(off < 1e-12);
  flg_simulation_release(compiled), flg_simulation_release(interpreted);
}

/* names and masses of the model are not in the only library of the cache */
static void names_and_masses_are_not_in_the_library(void **state) {
  (void)state;
  static const char *const words[] = {"spbot.yaml", "upper_arm", "ring1",
                                      "coil",       "voltage",   "waist"};
  static const double masses[] = {278.9, 45, 7.5};
  char name[256];
  empty_cache();
  flg_simulation_release(load_spbot("true"));
  assert_int_equal(count_cached(name), 1);
  FILE *file = fopen(cache_path(name), "rb");
  assert_non_null(file);
  static char bytes[1 << 20];
  const size_t length = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  print_message("a library of %d bytes\n", (int)length);
  assert_true(length > 1000 && length < 100000);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    assert_null(memmem_of(bytes, length, words[k], strlen(words[k])));
  }
  for (size_t k = 0; k < sizeof masses / sizeof *masses; k++) {
    assert_null(memmem_of(bytes, length, &masses[k], sizeof masses[k]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compiled_stages_are_those_of_the_interpreter),
      cmocka_unit_test(what_cannot_be_said_is_interpreted_and_told),
      cmocka_unit_test(compiled_stages_allocate_nothing),
      cmocka_unit_test(a_resumed_run_has_the_same_bits),
      cmocka_unit_test(a_step_that_diverges_is_the_interpreters),
      cmocka_unit_test(the_spbot_is_compiled),
      cmocka_unit_test(names_and_masses_are_not_in_the_library),
  };
  return cmocka_run_group_tests(tests, open_cache, close_cache);
}
