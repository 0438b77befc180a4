/* code_twins.h - the same mechanism twice: interpreted, and with its library. */
#ifndef FLG_TESTS_CODE_TWINS_H
#define FLG_TESTS_CODE_TWINS_H

#include "check.h"
#include "compile/compiled_mechanism.h"
#include "component/assembly_start.h"
#include "parts.h"

static const double STEP = 1e-3;

typedef struct code_twins {
  flg_assembly *interpreted, *compiled;
  flg_region region;
} code_twins;

static inline flg_assembly *build_twin(parts *p, flg_vec3 gravity, bool reduces) {
  flg_assembly_options options = flg_assembly_default();
  flg_mistakes mistakes = {0};
  flg_assembly *assembly = NULL;
  options.gravity = gravity, options.reduces = reduces;
  assert_int_equal(flg_assembly_build(&assembly, &p->component, NULL, &options, &mistakes), FLG_OK);
  assert_int_equal(flg_assembly_settle(assembly), FLG_OK);
  assert_int_equal(flg_assembly_freeze(assembly), FLG_OK);
  return assembly;
}

static inline code_twins make_twins(parts *p, flg_vec3 gravity, bool reduces) {
  static flg_mistakes mistakes;
  code_twins twins = {build_twin(p, gravity, reduces), build_twin(p, gravity, reduces), {0}};
  const flg_compiler_options compiler = {.command = NULL};
  mistakes = (flg_mistakes){0};
  if (flg_compiled_mechanism_equip(twins.compiled, STEP, &compiler, &twins.region, NULL,
                                   &mistakes) != FLG_OK) {
    fail_msg("%s", mistakes.list[0].message);
  }
  return twins;
}

static inline void drop_twins(code_twins *twins) {
  flg_assembly_release(twins->interpreted), flg_assembly_release(twins->compiled);
  flg_region_release(&twins->region);
}

/* fails at the first step that leaves another bit */
static inline void run_twins(code_twins *twins, int steps) {
  const size_t bytes = (size_t)twins->interpreted->model.state_count * sizeof(double);
  for (int k = 0; k < steps; k++) {
    assert_int_equal(flg_assembly_advance(twins->interpreted, 0, STEP, k, 1), FLG_OK);
    assert_int_equal(flg_assembly_advance(twins->compiled, 0, STEP, k, 1), FLG_OK);
    if (memcmp(twins->interpreted->state.numbers, twins->compiled->state.numbers, bytes) != 0) {
      fail_msg("another state after step %d", k);
    }
  }
}

/* back to a state of before, with the factors of elsewhere */
static inline void put_twins_back(code_twins *twins, int steps) {
  const size_t bytes = (size_t)twins->compiled->model.state_count * sizeof(double);
  double *kept = malloc(bytes);
  assert_non_null(kept);
  memcpy(kept, twins->compiled->state.numbers, bytes);
  run_twins(twins, steps);
  memcpy(twins->compiled->state.numbers, kept, bytes);
  memcpy(twins->interpreted->state.numbers, kept, bytes);
  free(kept);
}

static inline flg_step_code counts_of(const code_twins *twins) {
  return twins->compiled->model.code;
}

/* Steps of several pairs of twins. */
typedef struct step_sums {
  int64_t taken, declined;
} step_sums;

/* Runs a pair, adds up its steps, and drops it. */
static inline void run_and_count(code_twins *twins, int steps, step_sums *sums) {
  run_twins(twins, steps);
  sums->taken += counts_of(twins).taken, sums->declined += counts_of(twins).declined;
  drop_twins(twins);
}

static inline void tell_sums(const step_sums *sums) {
  print_message("%d steps compiled, %d interpreted\n", (int)sums->taken, (int)sums->declined);
}

#endif
