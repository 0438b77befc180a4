/* Inverse dynamics: forces against closed forms, and there and back: a run with the forces that
 * were found returns the trajectory. */
#include "cosim/inverse.h"

#include "compose/robots.h"
#include "files.h"
#include "io/joint_table.h"
#include "io/load.h"
#include "io/trajectory.h"

static const char *const REACH = "examples/ssrms/reach.yaml";
static const char *const TARGETS = "examples/ssrms/targets.yaml";
enum { MOST = 8, ROWS = 2000 };

/* a scenario, a trajectory for it and the forces that follow from it, as files */
typedef struct bench {
  test_folder folder;
  const char *scenario, *trajectory, *forces;
  const char *overrides[MOST]; /* for both ways */
  int override_count;
  flg_simulation *simulation;
  flg_controller followed;
  flg_inverse_outcome outcome;
  double sample;
  int64_t samples;
  double force[ROWS][7];
  double end[14]; /* q and v where the inverse ended */
  flg_mistakes mistakes;
} bench;

static bench *bench_open(const char *scenario) {
  bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->folder = make_folder();
  b->scenario = scenario;
  b->trajectory = make_file(&b->folder, "trajectory.csv", "");
  b->forces = make_file(&b->folder, "forces.csv", "");
  return b;
}

static bench *bench_of_texts(const char *model, const char *scenario, const char *trajectory) {
  bench *b = bench_open(NULL);
  make_file(&b->folder, "model.yaml", model);
  b->scenario = make_file(&b->folder, "scenario.yaml", scenario);
  b->trajectory = make_file(&b->folder, "given.csv", trajectory);
  return b;
}

static void bench_close(bench *b) {
  flg_simulation_release(b->simulation);
  remove_folder(&b->folder);
  free(b);
}

static void override(bench *b, const char *text) {
  b->overrides[b->override_count++] = text;
}

static void load(bench *b) {
  flg_simulation_release(b->simulation);
  b->simulation = NULL;
  if (flg_simulation_load_as(&b->simulation, b->scenario, b->overrides, b->override_count,
                             (flg_load_options){.compose.undriven = true},
                             &b->mistakes) != FLG_OK) {
    fail_msg("%s", b->mistakes.list[0].message);
  }
}

static void write_table(const flg_joint_table *table, const char *path) {
  flg_error error = {0};
  if (flg_joint_table_write(table, path, "test", &error) != FLG_OK) fail_msg("%s", error.message);
}

/* the tool of the seven-joint arm along its path */
static void make_trajectory(bench *b) {
  flg_trajectory made;
  flg_error error = {0};
  load(b);
  if (flg_trajectory_read(&made, b->simulation, TARGETS, NULL, 0, &b->mistakes) != FLG_OK) {
    fail_msg("%s", b->mistakes.list[0].message);
  }
  flg_joint_table table = {.subsystem = made.subsystem,
                           .count = made.count,
                           .velocities = made.velocities,
                           .sample = made.sample,
                           .rows = made.samples};
  assert_int_equal(flg_joint_table_build(&table, NULL), FLG_OK);
  for (int64_t k = 0; k < made.samples; k++) {
    if (flg_trajectory_step(&made, flg_joint_table_row(&table, k), &error) != FLG_OK) {
      fail_msg("%s", error.message);
    }
  }
  assert_true(made.path.worst.position < 1e-10 && made.path.worst.turn < 1e-10);
  write_table(&table, b->trajectory);
  flg_joint_table_release(&table);
}

/* loads, and prepares the inverse; NULL with mistakes */
static flg_inverse *prepare(bench *b, bool discrete, double sample) {
  load(b);
  flg_followed_load(&b->followed, b->simulation, b->trajectory,
                    flg_subsystem_robot(&b->simulation->subsystems[0]), &b->mistakes);
  if (b->mistakes.count > 0) return NULL;
  const flg_inverse_options options = {
      .followed = &b->followed, .discrete = discrete, .sample = sample};
  flg_inverse *inverse = NULL;
  flg_inverse_build(&inverse, b->simulation, &options, &b->mistakes);
  return inverse;
}

static void find_forces(bench *b, bool discrete, double sample) {
  flg_inverse *inverse = prepare(b, discrete, sample);
  if (inverse == NULL) fail_msg("%s", b->mistakes.list[0].message);
  const flg_robot_subsystem *subsystem = flg_subsystem_robot(&b->simulation->subsystems[0]);
  flg_joint_table table = {.subsystem = subsystem,
                           .count = b->followed.count,
                           .velocities = b->followed.velocities,
                           .quantity = FLG_JOINT_FORCES,
                           .sample = sample,
                           .rows = flg_inverse_samples(inverse)};
  assert_true(table.rows <= ROWS);
  assert_int_equal(flg_joint_table_build(&table, NULL), FLG_OK);
  b->sample = sample, b->samples = table.rows;
  for (int64_t k = 0; k < table.rows; k++) {
    flg_error error = {0};
    double *row = flg_joint_table_row(&table, k);
    if (flg_inverse_step(inverse, row, &error) != FLG_OK) fail_msg("%s", error.message);
    memcpy(b->force[k], row, (size_t)table.count * sizeof *row);
    /* the last sample is one beyond the end of the run */
    if (k == table.rows - 2) {
      memcpy(b->end, subsystem->q, (size_t)table.count * sizeof *b->end);
      memcpy(b->end + table.count, subsystem->v, (size_t)table.count * sizeof *b->end);
    }
  }
  b->outcome = flg_inverse_result(inverse);
  write_table(&table, b->forces);
  flg_joint_table_release(&table);
  flg_inverse_release(inverse);
}

static flg_simulation *load_driven(bench *b, bool spline) {
  char driven[300];
  const char *overrides[MOST + 1];
  flg_simulation *run = NULL;
  snprintf(driven, sizeof driven,
           "subsystems.%s.controllers={joints: {kind: table, file: %s, sample: %.17g%s}}",
           b->simulation->subsystems[0].name, b->forces, spline ? 0 : b->sample,
           spline ? ", interpolation: spline" : "");
  memcpy(overrides, b->overrides, sizeof b->overrides);
  overrides[b->override_count] = driven;
  if (flg_simulation_load(&run, b->scenario, overrides, b->override_count + 1, &b->mistakes)) {
    fail_msg("%s", b->mistakes.list[0].message);
  }
  return run;
}

/* how far a run with the forces strays from the trajectory at its communication points; joints that
 * are locked are left out */
static double stray(bench *b, bool spline) {
  flg_simulation *run = load_driven(b, spline);
  const flg_robot_subsystem *arm = flg_subsystem_robot(&run->subsystems[0]);
  double largest = 0, value[7];
  while (!flg_simulation_ended(run)) {
    flg_error error = {0};
    if (flg_simulation_step(run, &error) != FLG_OK) fail_msg("%s", error.message);
    flg_curve_evaluate(&b->followed.curve, flg_simulation_time(run), value, NULL, NULL);
    for (int k = 0; k < b->followed.count; k++) {
      if (arm->locked[b->followed.velocities[k]] > 0) continue;
      const double off = fabs(arm->q[b->followed.positions[k]] - value[k]);
      largest = flg_larger(largest, off);
    }
  }
  flg_simulation_release(run);
  return largest;
}

/* ---- there and back ---- */

static void discrete_forces_return_the_trajectory_to_rounding(void **state) {
  (void)state;
  bench *b = bench_open(REACH);
  make_trajectory(b);
  find_forces(b, true, 1. / 60);
  assert_int_equal(b->samples, 721);
  assert_true(b->outcome.trials <= 3); /* the step is linear in the forces */
  const double off = stray(b, false);
  print_message("semi-implicit 1/60: off by %.2g rad in 12 s\n", off);
  assert_true(off < 1e-13);
  bench_close(b);
}

static void a_run_with_discrete_forces_repeats_every_bit(void **state) {
  (void)state;
  bench *b = bench_open(REACH);
  override(b, "subsystems.arm.step=1/600");
  override(b, "gravity=[0.3, -1, -2]");
  make_trajectory(b);
  find_forces(b, true, 1. / 60);
  flg_simulation *run = load_driven(b, false);
  while (!flg_simulation_ended(run)) assert_int_equal(flg_simulation_step(run, NULL), FLG_OK);
  const flg_robot_subsystem *arm = flg_subsystem_robot(&run->subsystems[0]);
  assert_memory_equal(arm->q, b->end, 7 * sizeof(double));
  assert_memory_equal(arm->v, b->end + 7, 7 * sizeof(double));
  flg_simulation_release(run);
  const double off = stray(b, false);
  print_message("semi-implicit 1/600: off by %.2g rad in 12 s\n", off);
  assert_true(off < 1e-13);
  bench_close(b);
}

/* how much the forces jump back and forth */
static double ringing(const bench *b, int64_t from, int64_t to) {
  double largest = 0;
  for (int64_t k = from; k < to; k++) {
    for (int j = 0; j < b->followed.count; j++) {
      const double bend = b->force[k - 1][j] - 2 * b->force[k][j] + b->force[k + 1][j];
      largest = flg_larger(largest, fabs(bend) / 4);
    }
  }
  return largest;
}

static void forces_for_accurate_integrators_do_not_ring(void **state) {
  (void)state;
  bench *b = bench_open(REACH);
  make_trajectory(b);
  find_forces(b, false, 1. / 60);
  const double smooth = ringing(b, 600, 719);
  override(b, "subsystems.arm.integrator=rk4");
  find_forces(b, true, 1. / 60);
  assert_true(ringing(b, 600, 719) < 1.5 * smooth);
  const double off = stray(b, false);
  print_message("rk4 1/60: off by %.2g rad in 12 s\n", off);
  assert_true(off < 1e-7);
  bench_close(b);
}

static void continuous_forces_return_it_with_the_order_of_euler(void **state) {
  (void)state;
  bench *b = bench_open(REACH);
  make_trajectory(b);
  override(b, "subsystems.arm.step=1/60");
  find_forces(b, false, 1. / 60);
  const double coarse = stray(b, false);
  b->overrides[0] = "subsystems.arm.step=1/120";
  find_forces(b, false, 1. / 120);
  const double fine = stray(b, false);
  assert_near(log2(coarse / fine), 1, 0.05);
  bench_close(b);
}

/* x^4 (35 - 84 x + 70 x^2 - 20 x^3): smooth enough at its ends for a force that is a spline */
static void write_smooth(const bench *b, double end, int rows) {
  FILE *file = fopen(b->trajectory, "w");
  assert_non_null(file);
  fprintf(file, "time,shoulder,elbow\n");
  for (int k = 0; k <= rows; k++) {
    const double x = (double)k / rows, s = x * x * x * x * (35 + x * (-84 + x * (70 - 20 * x)));
    fprintf(file, "%.17g,%.17g,%.17g\n", end * x, s, -2 * s);
  }
  assert_int_equal(fclose(file), 0);
}

static void continuous_forces_return_it_with_the_order_of_runge_kutta(void **state) {
  (void)state;
  bench *b = bench_open("examples/pendulum/pendulum.yaml");
  write_smooth(b, 2, 20000);
  override(b, "time={end: 2, macro: 1/10}");
  override(b, "subsystems.pendulum.step=1/20");
  find_forces(b, false, 1. / 20);
  const double coarse = stray(b, true);
  b->overrides[1] = "subsystems.pendulum.step=1/40";
  find_forces(b, false, 1. / 40);
  const double fine = stray(b, true);
  print_message("rk4, continuous: order %.2f\n", log2(coarse / fine));
  assert_near(log2(coarse / fine), 4, 0.4);
  bench_close(b);
}

/* ---- what acts ---- */

static const char pendulum[] =
    "flange-model: 1\n"
    "bodies: {bob: {mass: 2, centre: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
    "joints: {hinge: {kind: revolute, child: bob, axis: [0, 1, 0], damping: 0.7, friction: 0.4,\n"
    "  limits: {effort: 3}}}\n";
static const char pushed[] =
    "flange: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "time: {end: 1, macro: 0.1}\n"
    "subsystems:\n"
    "  a:\n"
    "    model: model.yaml\n"
    "    integrator: rk4\n"
    "    step: 0.01\n"
    "    initial: {hinge: 0.2}\n"
    "    controllers: {c: {kind: table, file: not-there-yet.csv}}\n"
    "    forces: {wind: {body: bob, at: [1, 0, 0], force: [3, 0, 1], enabled: false}}\n"
    "events: [{at: 0.45, enable: a/wind}, {at: 0, enable: a/c}]\n";
static const char swing[] = "time,hinge\n0,0.2\n0.3,0.5\n0.7,1.1\n1,1.2\n";

static void continuous_forces_are_those_of_the_equation_of_motion(void **state) {
  (void)state;
  bench *b = bench_of_texts(pendulum, pushed, swing);
  find_forces(b, false, 0.05);
  assert_int_equal(b->samples, 21);
  for (int64_t k = 1; k < b->samples - 1; k++) { /* it rests at the ends, where friction is any */
    double q, v, a;
    flg_curve_evaluate(&b->followed.curve, (double)k * 0.05, &q, &v, &a);
    const double wind = k >= 10 ? -sin(q) * 3 - cos(q) : 0; /* from the macro step at 0.5 s on */
    const double force = 0.6 * a - 2 * 9.81 * 0.5 * cos(q) + 0.7 * v + copysign(0.4, v) - wind;
    assert_near(b->force[k][0], force, 1e-12);
  }
  assert_int_equal(b->outcome.excess_joint, 0);
  assert_true(b->outcome.excess > 2 && b->outcome.force > 6); /* the limit is told, not kept */
  bench_close(b);
}

static void discrete_forces_overcome_friction_damping_and_wind(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    bench *b = bench_of_texts(pendulum, pushed, swing);
    override(b, k == 0 ? "subsystems.a.step=0.05" : "subsystems.a.step=0.01");
    override(b, "subsystems.a.integrator=semi-implicit");
    find_forces(b, true, 0.05);
    assert_true(b->outcome.position < 1e-10);
    bench_close(b);
  }
}

static void a_locked_joint_has_no_force_and_stays(void **state) {
  (void)state;
  for (int discrete = 0; discrete < 2; discrete++) {
    bench *b = bench_open(REACH);
    make_trajectory(b);
    override(b, "events=[{at: 1.5, lock: arm/joint2}]");
    find_forces(b, discrete, 1. / 60);
    for (int64_t k = 0; k < b->samples - 1; k++) {
      assert_true(k < 90 ? b->force[k][1] != 0 : b->force[k][1] == 0);
      assert_true(b->force[k][2] != 0 || b->force[k][3] != 0);
    }
    double value[7];
    flg_curve_evaluate(&b->followed.curve, 1.5, value, NULL, NULL);
    assert_near(b->end[1], value[1], 1e-13);
    if (discrete) assert_true(stray(b, false) < 1e-12);
    bench_close(b);
  }
}

static void a_lock_in_the_middle_of_a_sample_is_honoured(void **state) {
  (void)state;
  bench *b = bench_open(REACH);
  make_trajectory(b);
  override(b, "time={end: 12, macro: 1/120}");
  override(b, "events=[{at: 1.508, lock: arm/joint2}]");
  find_forces(b, true, 1. / 60);
  assert_true(b->force[89][1] != 0 && b->force[90][1] == 0 && b->force[91][1] == 0);
  assert_true(b->outcome.position < 1e-10);
  bench_close(b);
}

/* ---- joints that are not driven ---- */

static const char cart[] =
    "flange-model: 1\n"
    "bodies: {cart: {mass: 2}, pole: {mass: 1, centre: [0, 0, -1]}}\n"
    "joints:\n"
    "  rail: {kind: prismatic, child: cart, axis: [1, 0, 0]}\n"
    "  hinge: {kind: revolute, parent: cart, child: pole, axis: [0, 1, 0]}\n";
static const char free_cart[] =
    "flange: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "time: {end: 1, macro: 0.05}\n"
    "subsystems: {a: {model: model.yaml, step: 0.01, integrator: semi-implicit, initial: {hinge: "
    "0.3}}}\n";
static const char drive[] = "time,rail\n0,0\n0.5,0.2\n1,1\n";

static void joints_without_a_column_move_freely(void **state) {
  (void)state;
  bench *b = bench_of_texts(cart, free_cart, drive);
  find_forces(b, true, 0.05);
  assert_true(stray(b, false) < 1e-12);
  bench_close(b);
}

static void continuous_forces_need_all_joints(void **state) {
  (void)state;
  bench *b = bench_of_texts(cart, free_cart, drive);
  assert_null(prepare(b, false, 0.05));
  assert_non_null(strstr(b->mistakes.list[0].message, "'hinge' of 'a' is not in the trajectory"));
  bench_close(b);
}

static const char gripper[] =
    "flange-model: 1\n"
    "bodies: {left: {mass: 2}, right: {mass: 3}}\n"
    "joints:\n"
    "  one: {kind: prismatic, child: left, axis: [1, 0, 0]}\n"
    "  two: {kind: prismatic, child: right, axis: [1, 0, 0], mimic: {joint: one, multiplier: "
    "-2}}\n";
static const char grip[] =
    "flange: 1\n"
    "time: {end: 1, macro: 0.05}\n"
    "subsystems: {a: {model: model.yaml, step: 0.01, integrator: semi-implicit}}\n";

static void a_joint_that_mimics_another_loads_it(void **state) {
  (void)state;
  bench *b = bench_of_texts(gripper, grip, "time,one\n0,0\n0.5,0.2\n1,1\n");
  find_forces(b, false, 0.05);
  for (int64_t k = 0; k < b->samples - 1; k++) {
    double q, v, a;
    flg_curve_evaluate(&b->followed.curve, (double)k * 0.05, &q, &v, &a);
    assert_near(b->force[k][0], (2 + 3 * 2 * 2) * a, 1e-12);
  }
  find_forces(b, true, 0.05);
  assert_true(stray(b, false) < 1e-12);
  bench_close(b);
}

/* ---- what is refused ---- */

static void a_trajectory_that_starts_elsewhere_is_refused(void **state) {
  (void)state;
  bench *b = bench_of_texts(pendulum, pushed, "time,hinge\n0,0.3\n1,0.2\n");
  assert_null(prepare(b, true, 0.05));
  assert_non_null(strstr(b->mistakes.list[0].message,
                         "'hinge' of 'a' starts at 0.2 with velocity 0, its trajectory at 0.3"));
  bench_close(b);
}

static void a_sample_that_steps_do_not_make_up_is_refused(void **state) {
  (void)state;
  bench *b = bench_of_texts(pendulum, pushed, swing);
  assert_null(prepare(b, true, 0.025));
  assert_non_null(strstr(b->mistakes.list[0].message, "does not divide the sample"));
  bench_close(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(discrete_forces_return_the_trajectory_to_rounding),
      cmocka_unit_test(a_run_with_discrete_forces_repeats_every_bit),
      cmocka_unit_test(forces_for_accurate_integrators_do_not_ring),
      cmocka_unit_test(continuous_forces_return_it_with_the_order_of_euler),
      cmocka_unit_test(continuous_forces_return_it_with_the_order_of_runge_kutta),
      cmocka_unit_test(continuous_forces_are_those_of_the_equation_of_motion),
      cmocka_unit_test(discrete_forces_overcome_friction_damping_and_wind),
      cmocka_unit_test(a_locked_joint_has_no_force_and_stays),
      cmocka_unit_test(a_lock_in_the_middle_of_a_sample_is_honoured),
      cmocka_unit_test(joints_without_a_column_move_freely),
      cmocka_unit_test(continuous_forces_need_all_joints),
      cmocka_unit_test(a_joint_that_mimics_another_loads_it),
      cmocka_unit_test(a_trajectory_that_starts_elsewhere_is_refused),
      cmocka_unit_test(a_sample_that_steps_do_not_make_up_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
