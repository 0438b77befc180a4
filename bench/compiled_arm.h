/* compiled_arm.h - the arm as `flange compile --march native` makes it: alone, and four and
 * eight states in one call, both through the table of functions that programs use
 * (flange/plugin.h). */
#ifndef FLG_BENCH_COMPILED_ARM_H
#define FLG_BENCH_COMPILED_ARM_H

#include "compile/robot_library.h"
#include "plugin/plugin_subsystem.h"
#include "trees.h"

enum { FOUR = 4, LANES = 8 };

typedef struct compiled_arm {
  flg_subsystem subsystem;
  const flg_plugin_subsystem *table;
  void *instance;
  const tree_state *first;
  double q[LANES * ARM_LINKS], v[LANES * ARM_LINKS], f[LANES * ARM_LINKS], a[LANES * ARM_LINKS];
} compiled_arm;

static inline void compile_arm(const flg_model *model, const char *path) {
  static flg_mistakes mistakes;
  const flg_robot_library library = {
      .source = {.model = model, .integrator = FLG_COMPILED_SEMI_IMPLICIT, .ignores_limits = true},
      .library = {.output = path, .compiler = {.march = "native"}}};
  flg_robot_library_made made;
  sample_require(flg_robot_library_build(&library, &made, &mistakes) == FLG_OK,
                 mistakes.list[0].message);
}

/* the state of the interpreted arm, and others near it */
static inline void set_lanes(compiled_arm *arm, const tree_state *state) {
  for (int k = 0; k < LANES * ARM_LINKS; k++) {
    const int joint = k % ARM_LINKS, lane = k / ARM_LINKS;
    arm->q[k] = state->q[joint] + 0.1 * lane, arm->v[k] = state->v[joint] * (1 + lane);
    arm->f[k] = state->f[joint];
  }
}

static inline void compiled_arm_build(compiled_arm *arm, const flange_tree *ours) {
  char path[] = "/tmp/flange-bench-XXXXXX";
  flg_error error = {0};
  const int file = mkstemp(path);
  sample_require(file >= 0 && close(file) == 0, "no temporary file");
  compile_arm(&ours->of->model, path);
  flg_plugin_setup setup = {
      .size = sizeof setup, .name = "arm", .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  flg_vec3_store(GRAVITY, setup.gravity);
  sample_require(flg_plugged_subsystem_build(&arm->subsystem, path, &setup, &error) == FLG_OK,
                 error.message);
  unlink(path);
  const flg_plugged_subsystem *plugged = flg_subsystem_plugin(&arm->subsystem);
  arm->table = &flg_plugged_subsystem_library(plugged)->subsystem;
  arm->instance = flg_plugged_subsystem_instance(plugged);
  arm->first = &ours->state;
  set_lanes(arm, &ours->state);
}

static inline void compiled_forward(void *of) {
  compiled_arm *arm = (compiled_arm *)of;
  arm->table->accelerate(arm->instance, 1, arm->q, arm->v, arm->f, arm->a);
}

static inline void compiled_forward_four(void *of) {
  compiled_arm *arm = (compiled_arm *)of;
  arm->table->accelerate(arm->instance, FOUR, arm->q, arm->v, arm->f, arm->a);
}

static inline void compiled_forward_eight(void *of) {
  compiled_arm *arm = (compiled_arm *)of;
  arm->table->accelerate(arm->instance, LANES, arm->q, arm->v, arm->f, arm->a);
}

/* Ends the program unless all states find what the interpreter finds for each. */
static inline void require_same_lanes(compiled_arm *arm, const flange_tree *ours) {
  for (int lanes = 1; lanes <= LANES; lanes++) {
    arm->table->accelerate(arm->instance, lanes, arm->q, arm->v, arm->f, arm->a);
    for (int k = 0; k < lanes; k++) {
      double a[ARM_LINKS];
      const int at = k * ARM_LINKS;
      flg_dynamics_forward(ours->of->dynamics, arm->q + at, arm->v + at, arm->f + at, GRAVITY, NULL,
                           NULL, a);
      race_same("forward dynamics", "the compiled arm", a, arm->a + at, ARM_LINKS, 1e-9);
    }
  }
}

static inline void compiled_start(void *of) {
  compiled_arm *arm = (compiled_arm *)of;
  double *state = arm->subsystem.ops->state(arm->subsystem.self).values;
  memcpy(state, arm->first->q, ARM_LINKS * sizeof *state);
  memcpy(state + ARM_LINKS, arm->first->v, ARM_LINKS * sizeof *state);
}

static inline void compiled_step(void *of) {
  compiled_arm *arm = (compiled_arm *)of;
  flg_error error;
  sample_require(arm->subsystem.ops->advance(arm->subsystem.self, 0, 1e-3, 0, 1, &error) == FLG_OK,
                 "a step of the compiled arm failed");
}

#endif
