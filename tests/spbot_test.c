/* SPBot, the robot of vsd-components, section 6: its figures, its motion by all schemes, and the
 * same motion by a dense run (dense_run.h). */
#include "check.h"
#include "component/assembly_contract.h"
#include "component/assembly_freedom.h"
#include "cosim/simulation.h"
#include "dense_run.h"

static const char *const PATH = "examples/spbot/spbot.yaml";
static const flg_vec3 GRAVITY = {0, 0, -9.81};

/* what the scenario records, in its order */
enum { WAIST, SHOULDER, VERTICAL_CURRENT, HORIZONTAL_CURRENT, TIP, ENERGY = TIP + 3, WIDTH };

/* --- runs ---------------------------------------------------------------------------------------
 */

static flg_simulation *load_with(const char *integrator, int steps_a_second, const char *reduce) {
  static flg_mistakes mistakes;
  char scheme[80], step[80], reduced[80];
  mistakes = (flg_mistakes){0};
  snprintf(scheme, sizeof scheme, "subsystems.spbot.integrator=%s", integrator);
  snprintf(step, sizeof step, "subsystems.spbot.step=1/%d", steps_a_second);
  snprintf(reduced, sizeof reduced, "subsystems.spbot.reduce=%s", reduce);
  const char *const overrides[] = {scheme, step, reduced};
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, PATH, overrides, 3, &mistakes);
  if (simulation == NULL) fail_msg("%s", mistakes.list[0].message);
  assert_int_equal(flg_simulation_width(simulation), WIDTH);
  return simulation;
}

static flg_simulation *load(const char *integrator, int steps_a_second) {
  return load_with(integrator, steps_a_second, "auto");
}

static flg_assembly *assembly_of(const flg_simulation *simulation) {
  flg_assembly *assembly = flg_subsystem_assembly(&simulation->subsystems[0]);
  assert_non_null(assembly);
  return assembly;
}

static void step(flg_simulation *simulation) {
  flg_error error;
  if (flg_simulation_step(simulation, &error) != FLG_OK) fail_msg("%s", error.message);
}

static flg_freedom freedom_of(flg_assembly *assembly) {
  flg_freedom freedom;
  assert_int_equal(flg_assembly_freedom(assembly, &freedom), FLG_OK);
  return freedom;
}

/* --- figures ------------------------------------------------------------------------------------
 */

static void it_has_the_figures_of_the_paper(void **state) {
  (void)state;
  flg_simulation *simulation = load_with("rk4", 1000, "none");
  flg_assembly *assembly = assembly_of(simulation);
  const flg_component *component = flg_assembly_component(assembly);
  const flg_freedom freedom = freedom_of(assembly);
  assert_int_equal(component->body_count, 17);
  assert_int_equal(component->joint_count, 32);
  assert_int_equal(freedom.rows, 118);
  assert_int_equal(freedom.rank, 94);
  assert_int_equal(freedom.velocities - freedom.rank, 2);
  flg_simulation_release(simulation);
}

/* 17 bodies, of which 8 are left to compute, with rows that are all independent */
static void bodies_that_joints_fix_to_each_other_are_one(void **state) {
  (void)state;
  flg_simulation *simulation = load("rattle", 1000);
  const flg_freedom freedom = freedom_of(assembly_of(simulation));
  assert_int_equal(freedom.velocities, 48);
  assert_int_equal(freedom.rows, 46);
  assert_int_equal(freedom.rank, 46);
  flg_simulation_release(simulation);
}

/* in joint coordinates no loop is left, and six of eight angles follow by gears */
static void stages_have_two_coordinates_and_no_rows(void **state) {
  (void)state;
  flg_simulation *simulation = load("rk4", 1000);
  const flg_freedom freedom = freedom_of(assembly_of(simulation));
  assert_int_equal(freedom.velocities, 2);
  assert_int_equal(freedom.rows, 0);
  flg_simulation_release(simulation);
}

typedef struct redundant {
  const char *joint;
  int rows;
} redundant;

/* In each drive: of three planes the second repeats one turn and the third two. Next to a bolt that
 * is a hinge, a parallel pin has one row to add. Shafts that turn in bearings about one axis need
 * one row to turn together. */
static const redundant REDUNDANT[] = {
    {"vertical_face_x", 1},   {"vertical_face_y", 2}, {"vertical_pin", 3},
    {"vertical_coupling", 3}, {"vertical_driver", 3}, {"horizontal_face_x", 1},
    {"horizontal_face_y", 2}, {"horizontal_pin", 3},  {"horizontal_coupling", 3},
    {"horizontal_driver", 3},
};
enum { REDUNDANT_COUNT = sizeof REDUNDANT / sizeof *REDUNDANT };

static void joints_that_others_replace_are_known_by_name(void **state) {
  (void)state;
  flg_simulation *simulation = load_with("rk4", 1000, "none");
  flg_assembly *assembly = assembly_of(simulation);
  const flg_component *component = flg_assembly_component(assembly);
  freedom_of(assembly);
  flg_redundancies found;
  assert_int_equal(flg_assembly_redundancies(assembly, &found), FLG_OK);
  assert_int_equal(found.count, REDUNDANT_COUNT);
  for (int k = 0; k < found.count; k++) {
    assert_string_equal(component->joints[found.list[k].joint].name, REDUNDANT[k].joint);
    assert_int_equal(found.list[k].rows, REDUNDANT[k].rows);
  }
  /* the pin is parallel to the bolt, which does all that the pin does but for the turn */
  assert_int_equal(found.list[2].other_count, 1);
  assert_string_equal(component->joints[found.list[2].others[0]].name, "vertical_bolt");
  flg_region_release(&found.region);
  flg_simulation_release(simulation);
}

/* --- a run --------------------------------------------------------------------------------------
 */

static void joints_stay_closed_and_the_motors_bring_it_where_they_should(void **state) {
  (void)state;
  flg_simulation *simulation = load_with("rk4", 1000, "none");
  flg_assembly *assembly = assembly_of(simulation);
  double open[3] = {0}, values[WIDTH];
  for (int k = 0; !flg_simulation_ended(simulation); k++) {
    step(simulation);
    const flg_closure closure = flg_assembly_closure(assembly);
    assert_true(closure.position < 1e-10 && closure.velocity < 1e-10);
    open[k / 40] = flg_larger(open[k / 40], flg_larger(closure.position, closure.velocity));
    if (k % 10 == 9) assert_int_equal(freedom_of(assembly).rank, 94);
  }
  print_message("open by %.1e %.1e %.1e\n", open[0], open[1], open[2]);
  assert_true(open[2] <= 10 * open[0]);
  flg_simulation_record(simulation, values);
  assert_near(values[WAIST], 1.1995, 1e-4);
  assert_near(values[SHOULDER], 0.8126, 1e-4);
  assert_near(values[HORIZONTAL_CURRENT], 12.5, 0.015 * 12.5);
  flg_simulation_release(simulation);
}

/* --- the dense run ------------------------------------------------------------------------------
 */

typedef struct axis {
  const char *motor, *joint; /* the joint of the motor, and that of the robot */
  double target;             /* in a second */
} axis;

static const axis AXES[2] = {{"vertical_motor/bearing", "waist", 1.2},
                             {"horizontal_motor/bearing", "shoulder", 0.8}};

static int coordinate_of(const dense_run *run, const char *joint) {
  const int index = flg_component_find_joint(run->component, joint);
  assert_true(index >= 0);
  return run->component->joints[index].coordinate[0];
}

static double voltage_of(const axis *of, double time, double position, double speed) {
  const double s = fmin(time, 1);
  const double path = of->target * s * s * s * (10 - 15 * s + 6 * s * s);
  const double rate = of->target * 30 * s * s * (1 - s) * (1 - s);
  const double voltage = -(590 * (path - position) + 0.22 * 59 * rate + 0.4 * (59 * rate + speed));
  return fmax(-90, fmin(90, voltage));
}

/* motors: L i' = V - R i - k w, torque k i */
static void drive(dense_run *run, double time, const double *y, double *current_rates) {
  for (int k = 0; k < 2; k++) {
    const double current = y[DENSE_BODY * run->body_count + k];
    dense_frame end[2];
    double speed;
    const double position = dense_angle(run, coordinate_of(run, AXES[k].joint), y, end, &speed);
    dense_angle(run, coordinate_of(run, AXES[k].motor), y, end, &speed);
    const double voltage = voltage_of(&AXES[k], time, position, speed);
    current_rates[k] = (voltage - 0.6 * current - 0.22 * speed) / 2e-3;
    dense_twist(run, end, 0.22 * current);
  }
}

static dense_run *dense_spbot(const flg_component *component) {
  dense_run *run = dense_build(component, GRAVITY);
  run->extra_count = 2;
  run->push = drive;
  return run;
}

/* largest difference of both angles at every 0.1 s; and that at the end */
static double difference_from_dense(int steps_a_second, double *at_end) {
  flg_simulation *simulation = load("rk4", steps_a_second);
  dense_run *run = dense_spbot(flg_assembly_component(assembly_of(simulation)));
  double largest = 0, ours[WIDTH], theirs[2];
  assert_int_equal(run->row_count, 118);
  assert_int_equal(run->rank, 94);
  for (int k = 1; k <= steps_a_second * 12 / 10; k++) {
    dense_step(run, (k - 1.) / steps_a_second, 1. / steps_a_second);
    if (k % (steps_a_second / 100) == 0) step(simulation);
    if (k % (steps_a_second / 10) != 0) continue;
    flg_simulation_record(simulation, ours);
    for (int i = 0; i < 2; i++) theirs[i] = run->near[coordinate_of(run, AXES[i].joint)];
    *at_end = max_difference(ours, theirs, 2);
    largest = flg_larger(largest, *at_end);
  }
  assert_true(flg_simulation_ended(simulation));
  free(run);
  flg_simulation_release(simulation);
  print_message("h = 1/%d s: %.1e rad, at the end %.1e\n", steps_a_second, largest, *at_end);
  return largest;
}

/* Both are of order 4 but not alike: currents by exponentials here, by plain Runge-Kutta there, and
 * stages off the joints go by other rows. At 1 ms that is to be seen while it moves, not where it
 * comes to rest; at half of it both agree throughout. */
static void a_dense_run_moves_alike(void **state) {
  (void)state;
  double at_end = NAN;
  const double coarse = difference_from_dense(1000, &at_end);
  assert_true(at_end < 1e-8);
  assert_true(coarse < 1e-7);
  if (REPEATS(2) < 2) return;
  const double fine = difference_from_dense(2000, &at_end);
  assert_true(fine < 1e-8 && at_end < 1e-10);
  assert_true(fine < coarse / 12); /* 16 */
}

/* --- other schemes, and threads -----------------------------------------------------------------
 */

/* largest difference of both angles from those of rk4, at all macro steps */
static double difference_from_rk4(const char *integrator) {
  flg_simulation *one = load("rk4", 1000), *other = load(integrator, 1000);
  double largest = 0, a[WIDTH], b[WIDTH];
  while (!flg_simulation_ended(one)) {
    step(one), step(other);
    flg_simulation_record(one, a), flg_simulation_record(other, b);
    largest = flg_larger(largest, max_difference(a, b, 2));
  }
  flg_simulation_release(one), flg_simulation_release(other);
  print_message("%s: %.1e rad from rk4\n", integrator, largest);
  return largest;
}

static void all_schemes_move_it_alike(void **state) {
  (void)state;
  assert_true(difference_from_rk4("rattle") < 1e-4);
  assert_true(difference_from_rk4("semi-implicit") < 1e-2);
}

static void threads_change_no_bit(void **state) {
  (void)state;
  static const char *const integrators[] = {"rk4", "rattle", "semi-implicit"};
  flg_threads *two = NULL;
  assert_int_equal(flg_threads_build(&two, 2, NULL), FLG_OK);
  for (int k = 0; k < 3; k++) {
    flg_simulation *alone = load(integrators[k], 1000), *shared = load(integrators[k], 1000);
    flg_simulation_share(shared, two);
    for (int i = 0; i < REPEATS(120); i++) {
      step(alone), step(shared);
      assert_true(flg_simulation_hash(alone) == flg_simulation_hash(shared));
    }
    flg_simulation_release(alone), flg_simulation_release(shared);
  }
  flg_threads_release(two);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_has_the_figures_of_the_paper),
      cmocka_unit_test(bodies_that_joints_fix_to_each_other_are_one),
      cmocka_unit_test(stages_have_two_coordinates_and_no_rows),
      cmocka_unit_test(joints_that_others_replace_are_known_by_name),
      cmocka_unit_test(joints_stay_closed_and_the_motors_bring_it_where_they_should),
      cmocka_unit_test(a_dense_run_moves_alike),
      cmocka_unit_test(all_schemes_move_it_alike),
      cmocka_unit_test(threads_change_no_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
