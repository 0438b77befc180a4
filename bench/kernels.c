/* kernels - the work that most runs spend their time in, for scripts/bench-check, which counts its
 * instructions by callgrind.
 *
 * Each kernel is warmed up first, so that nothing is counted that happens once. No kernel calls
 * OpenBLAS, whose instructions depend on the processor.
 */
#include <valgrind/callgrind.h>

#include "assembly/assembly.h"
#include "complementarity/test_problems.h"
#include "component/assembly_start.h"
#include "driven_arm.h"
#include "heaps.h"
#include "ladder.h"
#include "robot/robot_subsystem.h"
#include "sample.h"

static const flg_vec3 GRAVITY = {0, 0, -9.81};
static const double STEP = 1e-3;

/* --- robots -------------------------------------------------------------------------------------
 */

enum { CHAIN_LINKS = 1000 };

typedef struct robot_work {
  sample *of;
  double q[CHAIN_LINKS], v[CHAIN_LINKS], f[CHAIN_LINKS], a[CHAIN_LINKS];
} robot_work;

static robot_work arm, chain;

static void set_joints(robot_work *work) {
  for (int k = 0; k < work->of->model.joint_count; k++) {
    work->q[k] = 0.3 * sin(1 + k), work->v[k] = 0.5 * cos(k), work->f[k] = 10 * sin(k);
  }
}

static sample *chain_of(int links) {
  sample *s = sample_build(links);
  for (int k = 0; k < links; k++) {
    const int body = sample_add(s, k - 1, FLG_JOINT_REVOLUTE, sample_shift(0.1, 0, 0));
    if (k % 2) s->model.joints[body].axis = (flg_vec3){0, 1, 0};
    sample_cylinder(&s->model.bodies[body], (flg_vec3){0.1, 0, 0});
  }
  sample_finish(s);
  return s;
}

/* of states that are new: what is known of one would not be computed again */
static void arm_forward(void) {
  flg_dynamics_forget(arm.of->dynamics);
  flg_dynamics_forward(arm.of->dynamics, arm.q, arm.v, arm.f, GRAVITY, NULL, NULL, arm.a);
}

static void arm_inverse(void) {
  flg_dynamics_forget(arm.of->dynamics);
  flg_dynamics_inverse(arm.of->dynamics, arm.q, arm.v, arm.a, GRAVITY, NULL, arm.f);
}

static double arm_matrix[ARM_LINKS * ARM_LINKS];

static void arm_mass(void) {
  flg_dynamics_forget(arm.of->dynamics);
  flg_dynamics_move(arm.of->dynamics, arm.q, arm.v);
  flg_dynamics_mass(arm.of->dynamics, arm_matrix);
}

static void chain_forward(void) {
  flg_dynamics_forget(chain.of->dynamics);
  flg_dynamics_forward(chain.of->dynamics, chain.q, chain.v, chain.f, GRAVITY, NULL, NULL, chain.a);
}

static flg_robot_subsystem stepped;

static void build_stepped(void) {
  static flg_mistakes mistakes;
  flg_error error = {0};
  const flg_robot_options options = {
      .name = "arm", .integrator = flg_integrator_default(), .gravity = GRAVITY};
  sample_require(
      flg_robot_subsystem_build(&stepped, &arm.of->model, &options, &mistakes) == FLG_OK &&
          flg_robot_subsystem_equip(&stepped, NULL, 0, NULL, 0, &error) == FLG_OK,
      "the arm cannot be built");
}

static void arm_step(void) {
  flg_robot_subsystem_advance(&stepped, 0, STEP, 0, 1, NULL);
}

/* --- components
 * ----------------------------------------------------------------------------------- */

static flg_assembly *flat, *spatial, *heap;

static flg_assembly *assemble(parts *p, flg_assembly_options options) {
  static flg_mistakes mistakes;
  flg_assembly *made = NULL;
  flg_assembly_build(&made, &p->component, NULL, &options, &mistakes);
  sample_require(made != NULL, mistakes.list[0].message);
  sample_require(flg_assembly_settle(made) == FLG_OK && flg_assembly_freeze(made) == FLG_OK,
                 "velocities do not fit the joints");
  return made;
}

static flg_assembly *assemble_ladder(bool reduces) {
  flg_assembly_options options = flg_assembly_default();
  options.gravity = vec(0, -9.81, 0);
  options.scheme = FLG_SCHEME_RATTLE, options.reduces = reduces;
  return assemble(ladder(40), options);
}

static void advance(flg_assembly *assembly, double h) {
  sample_require(flg_assembly_advance(assembly, 0, h, 0, 1) == FLG_OK, "a step failed");
}

static void flat_step(void) {
  advance(flat, STEP);
}

static void spatial_step(void) {
  advance(spatial, STEP);
}

static void heap_step(void) {
  advance(heap, 1. / 240);
}

/* --- complementarity
 * ------------------------------------------------------------------------------ */

enum { PROBLEMS = 20, ROWS = 16 };

static random_problem problems[PROBLEMS];
static test_solver solver;

static void make_problems(void) {
  const flg_complementarity_options options = flg_complementarity_default();
  random_source source = {ROWS};
  solver = solver_for(LARGEST, &options);
  for (int k = 0; k < PROBLEMS; k++) make_problem(&source, FULL_RANK, ROWS, &problems[k]);
}

static void solve_problems(void) {
  double z[LARGEST], w[LARGEST];
  for (int k = 0; k < PROBLEMS; k++) {
    const flg_complementarity_matrix matrix = matrix_of_problem(&problems[k]);
    flg_complementarity_linear(solver.solver, &matrix, problems[k].q, NULL, z, w, NULL);
  }
}

/* --- scenarios
 * -------------------------------------------------------------------------------------- */

static flg_simulation *wrist, *capture;

static flg_simulation *load_scenario(const char *path) {
  static flg_mistakes mistakes;
  flg_simulation *loaded = NULL;
  flg_simulation_load(&loaded, path, NULL, 0, &mistakes);
  sample_require(loaded != NULL, path);
  return loaded;
}

static flg_simulation *load_wrist(void) {
  return load_scenario("examples/wrist/wrist.yaml");
}

static void scenario_step(flg_simulation *simulation) {
  flg_error error = {0};
  sample_require(flg_simulation_step(simulation, &error) == FLG_OK, error.message);
}

static void wrist_step(void) {
  scenario_step(wrist);
}

static void wrist_load(void) {
  flg_simulation_release(load_wrist());
}

/* warm: up to 5 s, where the box has been grasped and turns about its edge */
static void capture_step(void) {
  scenario_step(capture);
}

static driven_arm driven;

static void arm_drive(void) {
  driven_arm_drive(&driven);
}

static void arm_advance(void) {
  driven_arm_advance(&driven);
}

/* --- all of them
 * -------------------------------------------------------------------------------------- */

typedef struct kernel {
  const char *letter; /* of the case that it belongs to */
  const char *name;
  void (*run)(void);
  int warm, calls;
} kernel;

static const kernel kernels[] = {
    {"a", "arm-forward", arm_forward, 10, 1000},
    {"a", "arm-inverse", arm_inverse, 10, 1000},
    {"a", "arm-mass", arm_mass, 10, 1000},
    {"a", "arm-step", arm_step, 10, 1000},
    {"c", "chain-1000-forward", chain_forward, 1, 5},
    {"d", "ladder-40-step", flat_step, 5, 50},
    {"d", "ladder-40-step-in-space", spatial_step, 5, 10},
    {"f", "heap-10-falling", heap_step, 20, 40},
    {"e", "lcp-16-twenty", solve_problems, 2, 20},
    {"g", "wrist-macro-step", wrist_step, 5, 20},
    {"g", "capture-macro-step", capture_step, 300, 60},
    {"j", "wrist-load", wrist_load, 1, 2},
    {"g", "driven-arm", arm_drive, 10, 500},
    {"g", "driven-arm-alone", arm_advance, 10, 500},
};

static void build_all(void) {
  arm.of = sample_arm();
  chain.of = chain_of(CHAIN_LINKS);
  set_joints(&arm), set_joints(&chain);
  build_stepped();
  flat = assemble_ladder(true), spatial = assemble_ladder(false);
  heap = assemble(heap_of(10, 2), touching_options());
  make_problems();
  wrist = load_wrist();
  capture = load_scenario("examples/capture/capture.yaml");
  driven = driven_arm_load(10);
}

int main(void) {
  build_all();
  for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
    for (int i = 0; i < kernels[k].warm; i++) kernels[k].run();
    CALLGRIND_ZERO_STATS;
    for (int i = 0; i < kernels[k].calls; i++) kernels[k].run();
    CALLGRIND_DUMP_STATS_AT(kernels[k].name);
    printf("%s %d %s\n", kernels[k].name, kernels[k].calls, kernels[k].letter);
  }
  return 0;
}
