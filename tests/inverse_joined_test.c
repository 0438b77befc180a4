/* Inverse dynamics of robots that are joined to others: what hangs on them, is welded to them on
 * the way and pressed by given forces counts; against closed forms, and the path of the capture. */
#include "cosim/inverse.h"

#include "compose/pressures.h"
#include "files.h"
#include "io/load.h"
#include "io/trajectory.h"

typedef struct bench {
  flg_simulation *simulation;
  flg_follower robot;
  flg_controller followed;
  flg_pressures pressures;
  flg_inverse *inverse;
  flg_mistakes mistakes;
} bench;

static void say(const bench *b) {
  if (b->mistakes.count > 0) fail_msg("%s", b->mistakes.list[0].message);
}

static bench *bench_load(const char *scenario, const char *subsystem, const char *const *overrides,
                         int count) {
  bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  const flg_load_options options = {.compose.undriven = true};
  flg_simulation_load_as(&b->simulation, scenario, overrides, count, options, &b->mistakes);
  say(b);
  flg_compose_follower(b->simulation, subsystem, (flg_place){0}, &b->robot, &b->mistakes);
  say(b);
  return b;
}

static void begin(bench *b, const char *trajectory, const char *forces, double sample) {
  flg_followed_load(&b->followed, b->simulation, trajectory, b->robot.subject, &b->mistakes);
  if (forces != NULL) {
    flg_pressures_load(&b->pressures, b->simulation, forces, b->robot.assembly, &b->mistakes);
  }
  say(b);
  const flg_inverse_options options = {.subsystem = b->robot.subsystem,
                                       .robot = b->robot.robot,
                                       .followed = &b->followed,
                                       .discrete = true,
                                       .sample = sample,
                                       .pressures = forces == NULL ? NULL : &b->pressures};
  flg_inverse_build(&b->inverse, b->simulation, &options, &b->mistakes);
  say(b);
}

static void step(bench *b, double *forces) {
  flg_error error;
  if (flg_inverse_step(b->inverse, forces, &error) != FLG_OK) fail_msg("%s", error.message);
}

static void bench_close(bench *b) {
  flg_inverse_release(b->inverse);
  flg_simulation_release(b->simulation);
  free(b);
}

/* --- a cart with a load that gets heavier -------------------------------------------------------
 */

static const char cart[] =
    "flange-model: 1\n"
    "bodies: {cart: {mass: 2, inertia: [1, 1, 1]}}\n"
    "joints: {rail: {kind: prismatic, child: cart, axis: [1, 0, 0]}}\n"
    "ports: {top: {body: cart, at: [0, 0, 0.1]}}\n";

static const char cargo[] =
    "flange-component: 1\n"
    "bodies:\n"
    "  crate: {mass: 3, at: [0, 0, 0.1], inertia: [1, 1, 1]}\n"
    "  stone: {mass: 5, at: [1, 1, 0], inertia: [1, 2, 1]}\n"
    "ports: {bottom: {body: crate}}\n"
    "markers: {handle: {body: crate, at: [0, 0, 0.3]}}\n";

static const char carry[] =
    "flange: 1\n"
    "gravity: [0, 0, 0]\n"
    "time: {end: 1, macro: 1/20}\n"
    "subsystems:\n"
    "  cart: {model: cart.yaml, integrator: semi-implicit}\n"
    "  cargo: {model: cargo.yaml, integrator: semi-implicit}\n"
    "interfaces: {fixing: {between: [cart/top, cargo/bottom], joint: weld}}\n"
    "events: [{at: 0.5, weld: [cargo/crate, cargo/stone]}]\n";

/* knots of a trajectory that all but rests at 0.5, where a stone at rest is welded on */
static double knot(int k) {
  const double s = k < 10 ? k / 10.0 : k / 10.0 - 1;
  const double smooth = s * s * s * (10 - 15 * s + 6 * s * s);
  return k < 10 ? 0.2 * smooth : k < 20 ? 0.2 + 0.3 * smooth : 0.5;
}

static void all_that_is_welded_on_is_moved_against_given_forces(void **state) {
  (void)state;
  test_folder folder = make_folder();
  char text[1000] = "time,rail\n";
  for (int k = 0; k <= 20; k++) {
    snprintf(text + strlen(text), 60, "%.17g,%.17g\n", k / 20.0, knot(k));
  }
  make_file(&folder, "cart.yaml", cart), make_file(&folder, "cargo.yaml", cargo);
  const char *scenario = make_file(&folder, "carry.yaml", carry);
  const char *trajectory = make_file(&folder, "trajectory.csv", text);
  const char *forces =
      make_file(&folder, "forces.csv", "time,cargo/handle.x [N],cargo/crate.y [N]\n0,0,7\n1,4,7\n");
  bench *b = bench_load(scenario, "cart", NULL, 0);
  begin(b, trajectory, forces, 1.0 / 20);
  const double h = 1.0 / 20;
  for (int k = 0; k < 20; k++) {
    double force;
    step(b, &force);
    const double mass = k < 10 ? 5 : 10;
    double before = k == 0 ? 0 : (knot(k) - knot(k - 1)) / h;
    if (k == 10) before *= 5.0 / 10; /* momentum is kept */
    const double after = (knot(k + 1) - knot(k)) / h;
    assert_near(force, mass * (after - before) / h - 4.0 * k / 20, 1e-10);
  }
  bench_close(b);
  remove_folder(&folder);
}

static void robots_that_are_joined_need_discrete_forces_in_one_whole(void **state) {
  (void)state;
  test_folder folder = make_folder();
  make_file(&folder, "cart.yaml", cart), make_file(&folder, "cargo.yaml", cargo);
  const char *scenario = make_file(&folder, "carry.yaml", carry);
  static const char *const apart[] = {"coupling.scheme=sequential"};
  for (int k = 0; k < 2; k++) {
    bench *b = bench_load(scenario, "cart", apart, k);
    flg_controller followed = {0};
    const flg_inverse_options options = {
        .subsystem = b->robot.subsystem, .followed = &followed, .discrete = k == 1, .sample = 0.05};
    assert_int_equal(flg_inverse_build(&b->inverse, b->simulation, &options, &b->mistakes),
                     FLG_ERR_INPUT);
    assert_non_null(strstr(b->mistakes.list[0].message, k == 0 ? "discrete" : "monolithic"));
    bench_close(b);
  }
  remove_folder(&folder);
}

/* --- the capture --------------------------------------------------------------------------------
 */

static const char *const CAPTURE = "examples/capture/capture.yaml";
static const char *const TARGETS = "examples/capture/targets.yaml";
static const char *const FORCES = "examples/capture/contact-forces.csv";

static void write_path(const char *to) {
  bench *b = bench_load(CAPTURE, "arm", NULL, 0);
  flg_trajectory made;
  flg_trajectory_read(&made, b->simulation, TARGETS, NULL, 0, &b->mistakes);
  say(b);
  FILE *file = fopen(to, "w");
  assert_non_null(file);
  fprintf(file, "time,joint1,joint2,joint3,joint4,joint5,joint6,joint7\n");
  for (int64_t k = 0; k < made.samples; k++) {
    double row[7];
    flg_error error;
    if (flg_trajectory_step(&made, row, &error) != FLG_OK) fail_msg("%s", error.message);
    fprintf(file, "%.17g", (double)k / 60);
    for (int i = 0; i < 7; i++) fprintf(file, ",%.17g", row[i]);
    fprintf(file, "\n");
  }
  assert_int_equal(fclose(file), 0);
  bench_close(b);
}

static double smooth(double from, double to, double time) {
  const double s = fmin(fmax((time - from) / (to - from), 0), 1);
  return s * s * s * (10 - 15 * s + 6 * s * s);
}

/* the box stands still, turns about its edge, and slides on it: U never leaves the ground */
static void the_box_moves_on_its_edge_under_the_torques_of_the_capture(void **state) {
  (void)state;
  static const char *const overrides[] = {"coupling.scheme=monolithic", "coupling.step=1/60"};
  test_folder folder = make_folder();
  const char *path = make_file(&folder, "trajectory.csv", "");
  write_path(path);
  bench *b = bench_load(CAPTURE, "arm", overrides, 2);
  begin(b, path, FORCES, 1.0 / 60);
  const flg_component *component = flg_assembly_component(b->robot.assembly);
  const int u = FLG_FIND(component->frames, component->frame_count, "hand/U");
  assert_true(u >= 0);
  for (int k = 1; k <= 720; k++) {
    double torques[7];
    step(b, torques);
    flg_assembly_refresh(b->robot.assembly, k / 60.0);
    const flg_pose at = flg_assembly_pose(b->robot.assembly, &component->frames[u].anchor);
    assert_near(at.position.x, 8 - 2 * smooth(8, 12, k / 60.0), 3e-10);
    assert_near(at.position.y, 2, 1e-10);
    assert_near(at.position.z, 0, 3e-10);
    const double angle = acos(-1) / 4 * smooth(4.5, 8, k / 60.0);
    assert_near(at.rotation.m[2], sin(angle), 1e-11); /* z of its x axis */
  }
  assert_true(flg_inverse_result(b->inverse).position < 1e-12);
  bench_close(b);
  remove_folder(&folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_that_is_welded_on_is_moved_against_given_forces),
      cmocka_unit_test(robots_that_are_joined_need_discrete_forces_in_one_whole),
      cmocka_unit_test(the_box_moves_on_its_edge_under_the_torques_of_the_capture),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
