/* What every implementation of contract/coupled.h owes to those who join it to others. Each check
 * runs on a robot and on assemblies with each of their schemes, all of them with two ports but the
 * arm, moving in space. */
#include "check.h"
#include "cosim/simulation.h"
#include "coupling_chains.h"
#include "coupling_marks.h"
#include "plugins.h"

enum { PORT_ROWS = 6, ROWS_MAX = 18, STATE_MAX = 2048 };

typedef struct subject {
  const char *name;
  flg_simulation *simulation;
  const flg_subsystem *subsystem;
  double time;
  int rows;
  double state[STATE_MAX];
  char memory[65536] __attribute__((aligned(16)));
  flg_interface_model *model;
} subject;

static const flg_coupled_ops *ops_of(const subject *of) {
  return of->subsystem->ops->coupled;
}

static flg_subsystem_state state_of(const subject *of) {
  return of->subsystem->ops->state(of->subsystem->self);
}

static void keep(subject *of) {
  const flg_subsystem_state state = state_of(of);
  assert_true(state.count <= STATE_MAX);
  memcpy(of->state, state.values, (size_t)state.count * sizeof(double));
}

static void go_back(const subject *of) {
  const flg_subsystem_state state = state_of(of);
  memcpy(state.values, of->state, (size_t)state.count * sizeof(double));
  of->subsystem->ops->refresh(of->subsystem->self, of->time);
}

static void reduce(subject *of, double tau) {
  assert_int_equal(ops_of(of)->reduce(of->subsystem->self, of->time, tau, of->model), FLG_OK);
  assert_int_equal(of->model->rows, of->rows);
}

static void velocities(const subject *of, double *w) {
  for (int k = 0; k < of->rows / PORT_ROWS; k++) {
    flg_spatial_store(ops_of(of)->frame(of->subsystem->self, k).velocity, w + PORT_ROWS * k);
  }
}

/* how a frame moved, in world axes */
static void way_between(const flg_pose *from, const flg_pose *to, double moved[PORT_ROWS]) {
  const flg_mat3 turn = flg_mat3_multiply_transposed(&from->rotation, &to->rotation);
  flg_vec3_store(flg_vec3_subtract(to->position, from->position), moved);
  flg_vec3_store(flg_mat3_apply(&from->rotation, flg_quat_log(flg_quat_from_matrix(&turn))),
                 moved + 3);
}

/* D x */
static void yield_to(const subject *of, const double *x, double *y) {
  const double *D = flg_interface_model_admittance(of->model);
  for (int i = 0; i < of->rows; i++) {
    y[i] = 0;
    for (int j = 0; j < of->rows; j++) y[i] += D[i + j * of->rows] * x[j];
  }
}

static void random_numbers(random_source *source, double size, double *to, int count) {
  for (int k = 0; k < count; k++) to[k] = random_uniform(source, -size, size);
}

/* runs for a while, and is then pushed out of its plane */
static void set_off(subject *of, const char *name, flg_simulation *simulation, int index) {
  flg_error error;
  random_source source = {7};
  double impulses[ROWS_MAX];
  *of = (subject){.name = name, .simulation = simulation};
  of->subsystem = &simulation->subsystems[index];
  for (int k = 0; k < 40; k++) assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
  of->time = flg_simulation_time(simulation);
  of->rows = PORT_ROWS * ops_of(of)->ports(of->subsystem->self);
  assert_true(flg_interface_model_bytes(of->rows) <= sizeof of->memory);
  assert_int_equal(flg_interface_model_build(of->memory, of->rows, of->rows, &of->model, &error),
                   FLG_OK);
  random_numbers(&source, 0.3, impulses, of->rows);
  assert_int_equal(ops_of(of)->impulse(of->subsystem->self, impulses), FLG_OK);
  of->subsystem->ops->refresh(of->subsystem->self, of->time);
  keep(of);
}

/* --- the checks ---------------------------------------------------------------------------------
 */

static void reduce_leaves_motion_as_it_is(subject *of) {
  const double taus[] = {0.01, 0};
  for (int k = 0; k < 2; k++) {
    reduce(of, taus[k]);
    const flg_subsystem_state state = state_of(of);
    assert_memory_equal(state.values, of->state, (size_t)state.motion * sizeof(double));
    assert_int_equal(flg_interface_model_check(of->model, NULL), FLG_OK);
  }
}

/* D and r - t at one go are those of reduce and velocity_bias, whatever was asked for before */
static void plain_model_is_the_model_less_its_velocity_bias(subject *of) {
  const double tau = 0.01;
  const int n = of->rows;
  double D[ROWS_MAX * ROWS_MAX], plain[ROWS_MAX], velocity_bias[ROWS_MAX];
  if (ops_of(of)->reduce_plain == NULL) return;
  reduce(of, tau);
  memcpy(D, flg_interface_model_admittance(of->model), sizeof *D * (size_t)(n * n));
  memcpy(plain, flg_interface_model_bias(of->model), sizeof *plain * (size_t)n);
  assert_int_equal(ops_of(of)->velocity_bias(of->subsystem->self, velocity_bias), FLG_OK);
  for (int i = 0; i < n; i++) plain[i] -= velocity_bias[i];
  for (int k = 0; k < 2; k++) {
    if (k == 1) reduce(of, 0);
    assert_int_equal(ops_of(of)->reduce_plain(of->subsystem->self, of->time, tau, of->model),
                     FLG_OK);
    assert_true(max_difference(flg_interface_model_admittance(of->model), D, n * n) <= 1e-13);
    assert_true(max_difference(flg_interface_model_bias(of->model), plain, n) <= 1e-9);
    go_back(of);
  }
}

/* from now on impulses are part of a step of h, or take no time */
static void set_impulse_step(const subject *of, double h) {
  if (ops_of(of)->set_impulse_step != NULL) ops_of(of)->set_impulse_step(of->subsystem->self, h);
}

static void admittance_is_the_answer_to_impulses(subject *of) {
  double before[ROWS_MAX], after[ROWS_MAX], unit[ROWS_MAX] = {0}, expected[ROWS_MAX];
  for (int j = 0; j < of->rows; j++) {
    go_back(of);
    reduce(of, 0);
    velocities(of, before);
    unit[j] = 1;
    yield_to(of, unit, expected);
    assert_int_equal(ops_of(of)->impulse(of->subsystem->self, unit), FLG_OK);
    velocities(of, after);
    unit[j] = 0;
    for (int i = 0; i < of->rows; i++) {
      assert_near(after[i] - before[i], expected[i], 1e-12 * (1 + fabs(expected[i])));
    }
  }
  go_back(of);
  const double *D = flg_interface_model_admittance(of->model);
  for (int i = 0; i < of->rows; i++) {
    for (int j = 0; j < i; j++) assert_true(D[i + j * of->rows] == D[j + i * of->rows]);
  }
}

/* The work of an impulse is L.(w + D L / 2), and goes into kinetic energy: the mass matrix says. */
static void impulses_do_the_work_that_energy_shows(subject *of) {
  random_source source = {3};
  for (int trial = 0; trial < 5; trial++) {
    double L[ROWS_MAX], w[ROWS_MAX], change[ROWS_MAX], work = 0;
    go_back(of);
    reduce(of, 0);
    velocities(of, w);
    random_numbers(&source, 1, L, of->rows);
    yield_to(of, L, change);
    for (int i = 0; i < of->rows; i++) work += L[i] * (w[i] + change[i] / 2);
    const double before = of->subsystem->ops->energy(of->subsystem->self);
    assert_int_equal(ops_of(of)->impulse(of->subsystem->self, L), FLG_OK);
    of->subsystem->ops->refresh(of->subsystem->self, of->time);
    const double after = of->subsystem->ops->energy(of->subsystem->self);
    assert_near(after - before, work, 1e-13 * (1 + fabs(work) + fabs(before)));
  }
  go_back(of);
}

static bool leaps(const subject *of) {
  return ops_of(of)->leaps != NULL && ops_of(of)->leaps(of->subsystem->self);
}

/* a whole step, from where it is */
static void push(subject *of, double h, const double *L) {
  flg_error error;
  void *self = of->subsystem->self;
  if (leaps(of)) assert_int_equal(ops_of(of)->leap(self, of->time, h, 0, &error), FLG_OK);
  assert_int_equal(ops_of(of)->push(self, of->time, h, 0, L, &error), FLG_OK);
}

static void push_with_nothing_is_advance(subject *of) {
  const double none[ROWS_MAX] = {0};
  double pushed[STATE_MAX];
  flg_error error;
  go_back(of);
  const flg_subsystem_state state = state_of(of);
  const size_t bytes = (size_t)state.count * sizeof(double);
  push(of, 1e-3, none);
  memcpy(pushed, state.values, bytes);
  go_back(of);
  assert_int_equal(of->subsystem->ops->advance(of->subsystem->self, of->time, 1e-3, 0, 1, &error),
                   FLG_OK);
  if (leaps(of) && !ops_of(of)->has_joint_coordinates) {
    /* rattle kicks by itself only where something is near */
    const double off = max_difference(state.values, pushed, state.motion);
    print_message("  %-24s kicks and steps without one are %.2e apart\n", of->name, off);
    assert_near(off, 0, 1e-5);
  } else {
    assert_memory_equal(state.values, pushed, bytes);
  }
  go_back(of);
}

/* w at the kick, the kick, and free motion after it, against the step */
static double kick_miss_of(subject *of, const double *forces, double h) {
  double L[ROWS_MAX], t[ROWS_MAX], expected[ROWS_MAX], w[ROWS_MAX];
  flg_error error;
  void *self = of->subsystem->self;
  go_back(of);
  assert_int_equal(ops_of(of)->leap(self, of->time, h, 0, &error), FLG_OK);
  assert_int_equal(ops_of(of)->reduce_kick(self, of->time, h, of->model, t), FLG_OK);
  for (int i = 0; i < of->rows; i++) L[i] = h * forces[i];
  yield_to(of, L, expected);
  const double *r = flg_interface_model_bias(of->model);
  const double *start = flg_interface_model_velocity(of->model);
  for (int i = 0; i < of->rows; i++) expected[i] += start[i] + h * r[i] + h / 2 * t[i];
  assert_int_equal(ops_of(of)->push(self, of->time, h, 0, L, &error), FLG_OK);
  velocities(of, w);
  return max_difference(w, expected, of->rows);
}

static void kick_predicts_a_step_to_second_order(subject *of) {
  random_source source = {11};
  double forces[ROWS_MAX];
  if (!leaps(of)) return;
  random_numbers(&source, 2, forces, of->rows);
  const double coarse = kick_miss_of(of, forces, 2e-4), fine = kick_miss_of(of, forces, 1e-4);
  print_message("  %-24s its kick misses by %.2e, %.2e\n", of->name, coarse, fine);
  assert_true(coarse < 1e-10 || coarse / fine > 3.5);
  go_back(of);
}

/* |w + tau r + D L - (what a step makes of it)| under constant forces */
static double miss_of(subject *of, const double *forces, double tau) {
  double L[ROWS_MAX], expected[ROWS_MAX], w[ROWS_MAX];
  go_back(of);
  reduce(of, tau);
  for (int i = 0; i < of->rows; i++) L[i] = tau * forces[i];
  yield_to(of, L, expected);
  const double *r = flg_interface_model_bias(of->model);
  const double *start = flg_interface_model_velocity(of->model);
  for (int i = 0; i < of->rows; i++) expected[i] += start[i] + tau * r[i];
  push(of, tau, L);
  velocities(of, w);
  return max_difference(w, expected, of->rows);
}

static void model_predicts_a_step_to_second_order(subject *of) {
  random_source source = {11};
  double forces[ROWS_MAX];
  random_numbers(&source, 2, forces, of->rows);
  const double coarse = miss_of(of, forces, 2e-4), fine = miss_of(of, forces, 1e-4);
  print_message("  %-24s prediction misses by %.2e, %.2e\n", of->name, coarse, fine);
  assert_true(coarse < 1e-10 || (coarse / fine > 3.5 && coarse / fine < 4.5));
  go_back(of);
}

/* The frames move as their velocities say. */
static void frames_move_with_their_velocities(subject *of) {
  const double tau = 1e-6, none[ROWS_MAX] = {0};
  double w[ROWS_MAX];
  go_back(of);
  velocities(of, w);
  for (int k = 0; k < of->rows / PORT_ROWS; k++) {
    const flg_pose before = ops_of(of)->frame(of->subsystem->self, k).pose;
    push(of, tau, none);
    const flg_pose after = ops_of(of)->frame(of->subsystem->self, k).pose;
    double moved[PORT_ROWS];
    way_between(&before, &after, moved);
    for (int i = 0; i < PORT_ROWS; i++) {
      assert_near(moved[i] / tau, w[PORT_ROWS * k + i], 2e-4 * (1 + fabs(w[PORT_ROWS * k + i])));
    }
    go_back(of);
  }
}

/* |how ports moved - D x| */
static double displacement_error(subject *of, const double *direction, double size) {
  double x[ROWS_MAX], expected[ROWS_MAX], largest = 0;
  flg_pose before[ROWS_MAX / PORT_ROWS];
  go_back(of);
  reduce(of, 0);
  for (int i = 0; i < of->rows; i++) x[i] = size * direction[i];
  yield_to(of, x, expected);
  for (int k = 0; k < of->rows / PORT_ROWS; k++) {
    before[k] = ops_of(of)->frame(of->subsystem->self, k).pose;
  }
  assert_int_equal(ops_of(of)->displace(of->subsystem->self, x), FLG_OK);
  for (int k = 0; k < of->rows / PORT_ROWS; k++) {
    const flg_pose after = ops_of(of)->frame(of->subsystem->self, k).pose;
    double moved[PORT_ROWS];
    way_between(&before[k], &after, moved);
    largest = flg_larger(largest, max_difference(moved, expected + PORT_ROWS * k, PORT_ROWS));
  }
  return largest;
}

static void displacements_follow_the_admittance(subject *of) {
  random_source source = {5};
  double direction[ROWS_MAX];
  random_numbers(&source, 1, direction, of->rows);
  const double coarse = displacement_error(of, direction, 2e-5);
  const double fine = displacement_error(of, direction, 1e-5);
  print_message("  %-24s displacement misses by %.2e, %.2e\n", of->name, coarse, fine);
  assert_true(coarse < 1e-11 || coarse / fine > 3);
  of->subsystem->ops->refresh(of->subsystem->self, of->time);
  if (of->subsystem->ops->constraints != NULL) {
    assert_true(of->subsystem->ops->constraints(of->subsystem->self).position < 1e-9);
  }
  go_back(of);
}

/* Positions and velocities are the same whether impulses P act before the step or as part of it.
 * False: it does not coast. */
static bool kicks_may_be_part_of_the_push(subject *of) {
  const double h = 1e-3;
  double kick[ROWS_MAX], L[ROWS_MAX], apart[STATE_MAX];
  random_source source = {13};
  void *self = of->subsystem->self;
  if (leaps(of) || ops_of(of)->coasts == NULL || !ops_of(of)->coasts(self)) return false;
  random_numbers(&source, 0.1, kick, of->rows);
  random_numbers(&source, 0.1, L, of->rows);
  go_back(of);
  const flg_subsystem_state state = state_of(of);
  assert_int_equal(ops_of(of)->impulse(self, kick), FLG_OK);
  push(of, h, L);
  memcpy(apart, state.values, (size_t)state.motion * sizeof *apart);
  go_back(of);
  for (int i = 0; i < of->rows; i++) L[i] += kick[i];
  push(of, h, L);
  const double off = max_difference(state.values, apart, state.motion);
  print_message("  %-24s kick and push at once miss by %.2e\n", of->name, off);
  assert_true(off < 5e-16);
  go_back(of);
  return true;
}

static void check_all(subject *of) {
  reduce_leaves_motion_as_it_is(of);
  plain_model_is_the_model_less_its_velocity_bias(of);
  set_impulse_step(of, 0.01);
  admittance_is_the_answer_to_impulses(of);
  set_impulse_step(of, 0);
  admittance_is_the_answer_to_impulses(of);
  impulses_do_the_work_that_energy_shows(of);
  push_with_nothing_is_advance(of);
  model_predicts_a_step_to_second_order(of);
  kick_predicts_a_step_to_second_order(of);
  frames_move_with_their_velocities(of);
  displacements_follow_the_admittance(of);
  kicks_may_be_part_of_the_push(of);
}

/* --- the implementations ------------------------------------------------------------------------
 */

/* over a ground that is far away, with a touch port */
static void check_rods(const char *name, bool is_robots, const char *integrator, bool touches) {
  const double masses[] = {1, 2, 1};
  char override[OVERRIDE_TEXT];
  snprintf(override, sizeof override, "subsystems.s1.integrator=%s", integrator);
  test_folder folder = make_folder();
  const char *path =
      make_chain(&folder, &(chain_spec){3, masses, is_robots, CHAIN_LINE, .touches = touches});
  const char *const overrides[] = {
      override, "coupling.scheme=sequential",
      touches ? "ground={shapes: [{kind: plane, at: [0, 0, -90]}]}" : NULL, NULL};
  flg_simulation *simulation = load_with(path, overrides);
  remove_folder(&folder);
  static subject of;
  set_off(&of, name, simulation, 1);
  check_all(&of);
  flg_simulation_release(simulation);
}

static void robots_keep_the_contract(void **state) {
  (void)state;
  check_rods("robot, semi-implicit", true, "semi-implicit", false);
  check_rods("robot that can touch", true, "semi-implicit", true);
  check_rods("robot, leapfrog", true, "leapfrog", false);
  check_rods("robot that can touch, leapfrog", true, "leapfrog", true);
  check_rods("robot, rk4", true, "rk4", false);
}

static void assemblies_keep_the_contract(void **state) {
  (void)state;
  check_rods("assembly, semi-implicit", false, "semi-implicit", false);
  check_rods("assembly that can touch", false, "semi-implicit", true);
  check_rods("assembly, rk4", false, "rk4", false);
  check_rods("assembly, rattle", false, "rattle", false);
  check_rods("assembly that can touch, rattle", false, "rattle", true);
}

static void arm_keeps_the_contract_with_locked_joints(void **state) {
  (void)state;
  const char *const overrides[] = {"events=[{at: 0.3, lock: [arm/joint1, arm/joint2]}]", NULL};
  flg_simulation *simulation = load_with("examples/wrist/wrist.yaml", overrides);
  static subject of;
  set_off(&of, "arm", simulation, 0);
  check_all(&of);
  set_off(&of, "effector", simulation, 1);
  check_all(&of);
  flg_simulation_release(simulation);
}

/* on the ground, with the box apart and welded to the end-effector */
static void a_hand_takes_kicks_with_the_push(void **state) {
  (void)state;
  static const char *const events[] = {"events=[]",
                                       "events=[{at: 0.3, weld: [hand/effector, hand/box]}]"};
  for (int k = 0; k < 2; k++) {
    const char *const overrides[] = {events[k], NULL};
    flg_simulation *simulation = load_with("examples/capture/capture.yaml", overrides);
    static subject of;
    set_off(&of, "hand", simulation, 1);
    assert_true(kicks_may_be_part_of_the_push(&of));
    flg_simulation_release(simulation);
  }
}

static void flexible_arm_keeps_the_contract(void **state) {
  (void)state;
  static const char *const integrators[] = {"leapfrog", "semi-implicit"};
  for (int k = 0; k < 2; k++) {
    char integrator[64];
    snprintf(integrator, sizeof integrator, "subsystems.arm.integrator=%s", integrators[k]);
    const char *const overrides[] = {integrator, NULL};
    flg_simulation *simulation = load_with("examples/flexible-arm/wrist.yaml", overrides);
    static subject of;
    set_off(&of, "flexible arm", simulation, 0);
    check_all(&of);
    flg_simulation_release(simulation);
  }
}

static void plug_ins_keep_the_contract(void **state) {
  (void)state;
  const char *const overrides[] = {"subsystems.chain.plugin=" PLUGIN("mass_spring"), NULL};
  flg_simulation *simulation = load_with("examples/own-subsystem/own-subsystem.yaml", overrides);
  static subject of;
  const flg_part *part = flg_part_find(simulation, "chain", strlen("chain"));
  set_off(&of, "plug-in", simulation, part->subsystem);
  check_all(&of);
  flg_simulation_release(simulation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(robots_keep_the_contract),
      cmocka_unit_test(assemblies_keep_the_contract),
      cmocka_unit_test(arm_keeps_the_contract_with_locked_joints),
      cmocka_unit_test(a_hand_takes_kicks_with_the_push),
      cmocka_unit_test(flexible_arm_keeps_the_contract),
      cmocka_unit_test(plug_ins_keep_the_contract),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
