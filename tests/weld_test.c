/* Events that weld bodies together and let them go: against momentum, against joints that were
 * there from the start, and against one body in place of two. */
#include "base/hash.h"
#include "scenarios.h"

enum { VALUES = 64 };

/* --- two bodies in free flight ------------------------------------------------------------------
 */

static const char two_bodies[] =
    "flange-component: 1\n"
    "bodies:\n"
    "  ball: {mass: 3, at: [-1, 0.2, 0.1], inertia: [0.4, 0.5, 0.6], velocity: [2, 0, 0.3],\n"
    "    angular_velocity: [0.5, -1, 2]}\n"
    "  bat: {mass: 5, at: [1, -0.3, 0], turn: [0.3, 0.2, 0.1], inertia: [1, 1.2, 0.7],\n"
    "    velocity: [-1, 0.5, 0], angular_velocity: [-1, 0.2, 0.4]}\n"
    "  wall: {fixed: true}\n"
    "  floor: {fixed: true}\n"
    "markers:\n"
    "  grip: {body: bat, at: [0.1, 0.2, 0.3], turn: [1, 0.5, 0.2]}\n";

#define FREE_FLIGHT(integrator, events)                                                       \
  "flange: 1\n"                                                                               \
  "gravity: [0, 0, 0]\n"                                                                      \
  "time: {end: 0.5, macro: 1/100}\n"                                                          \
  "subsystems: {a: {model: model.yaml, step: 1/1000, integrator: " integrator                 \
  "}}\n"                                                                                      \
  "events: [" events                                                                          \
  "]\n"                                                                                       \
  "record: [a/ball.position, a/ball.velocity, a/ball.angular_velocity, a/ball.orientation,\n" \
  "  a/bat.position, a/bat.velocity, a/bat.angular_velocity, a/bat.orientation, a/energy]\n"

enum { POSITION = 0, VELOCITY = 3, SPIN = 6, TURN = 9, BODY = 13, ENERGY = 26 };
static const double masses[2] = {3, 5};

static void step_to(flg_simulation *simulation, double time, double values[VALUES]) {
  flg_error error;
  while (flg_simulation_time(simulation) < time - 1e-9) {
    if (flg_simulation_step(simulation, &error) != FLG_OK) fail_msg("%s", error.message);
  }
  assert_true(flg_simulation_width(simulation) <= VALUES);
  flg_simulation_record(simulation, values);
}

/* linear momentum and, about the origin, angular momentum; inertias in the order of the file */
static void momentum_of(const double *values, double p[3], double l[3]) {
  static const double inertia[2][3] = {{0.4, 0.5, 0.6}, {1, 1.2, 0.7}};
  memset(p, 0, 3 * sizeof *p), memset(l, 0, 3 * sizeof *l);
  for (int b = 0; b < 2; b++) {
    const double *x = values + BODY * b + POSITION, *v = values + BODY * b + VELOCITY;
    const double *w = values + BODY * b + SPIN, *q = values + BODY * b + TURN;
    const double R[3][3] = {{1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]),
                             2 * (q[1] * q[3] + q[0] * q[2])},
                            {2 * (q[1] * q[2] + q[0] * q[3]), 1 - 2 * (q[1] * q[1] + q[3] * q[3]),
                             2 * (q[2] * q[3] - q[0] * q[1])},
                            {2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]),
                             1 - 2 * (q[1] * q[1] + q[2] * q[2])}};
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      p[i] += masses[b] * v[i];
      l[i] += masses[b] * (x[j] * v[k] - x[k] * v[j]);
      for (int axis = 0; axis < 3; axis++) {
        double along = 0;
        for (int n = 0; n < 3; n++) along += R[n][axis] * w[n];
        l[i] += R[i][axis] * inertia[b][axis] * along;
      }
    }
  }
}

/* how fast two points that are one now, on both bodies, part: zero all over a rigid body */
static double parting(const double *values) {
  const double *x = values + POSITION, *v = values + VELOCITY, *w = values + SPIN;
  double most = 0;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double arm_j = x[BODY + j] - x[j], arm_k = x[BODY + k] - x[k];
    const double carried = v[i] + w[j] * arm_k - w[k] * arm_j;
    most = flg_larger(most, fabs(v[BODY + i] - carried));
    most = flg_larger(most, fabs(w[BODY + i] - w[i]));
  }
  return most;
}

static const char *const schemes[] = {"rattle", "rk4", "semi-implicit"};
enum { SCHEMES = sizeof schemes / sizeof schemes[0] };

static flg_simulation *load_flight(int scheme, const char *events) {
  static const char *const starts[SCHEMES] = {FREE_FLIGHT("rattle", "%s"), FREE_FLIGHT("rk4", "%s"),
                                              FREE_FLIGHT("semi-implicit", "%s")};
  char text[1200];
  const char *mark = strstr(starts[scheme], "%s");
  snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - starts[scheme]), starts[scheme], events,
           mark + 2);
  return load_texts(text, two_bodies);
}

static void welding_keeps_momentum_and_makes_one_body_of_two(void **state) {
  (void)state;
  for (int s = 0; s < SCHEMES; s++) {
    flg_simulation *simulation = load_flight(s, "{at: 0.2, weld: [a/ball, a/bat/grip]}");
    double before[VALUES], after[VALUES], p[2][3], l[2][3];
    step_to(simulation, 0.2, before);
    assert_true(parting(before) > 0.1);
    step_to(simulation, 0.5, after);
    assert_true(parting(after) < 1e-12);
    momentum_of(before, p[0], l[0]), momentum_of(after, p[1], l[1]);
    assert_true(max_difference(p[0], p[1], 3) < 1e-12);
    assert_true(max_difference(l[0], l[1], 3) < (s == 0 ? 1e-11 : s == 1 ? 1e-9 : 0.05));
    assert_true(after[ENERGY] < before[ENERGY] - 1);
    flg_simulation_release(simulation);
  }
}

/* The nearest velocities in the mass norm under given momenta are those of the rigid whole: the
 * energy is least, p^2 / 2m + (l - c x p)^2 / 2I along any one axis. Here: two points on one line.
 */
static void two_masses_on_a_line_lose_what_their_reduced_mass_has(void **state) {
  (void)state;
  double values[VALUES];
  final_values(
      "flange: 1\n"
      "gravity: [0, 0, 0]\n"
      "time: {end: 0.3, macro: 1/10}\n"
      "subsystems: {a: {model: model.yaml, step: 1/100}}\n"
      "events: [{at: 0.1, weld: [a/left, a/right], name: hook}, {at: 0.2, release: a/hook}]\n"
      "record: [a/left.velocity, a/right.velocity, a/energy]\n",
      "flange-component: 1\n"
      "bodies:\n"
      "  left: {mass: 2, at: [-1, 0, 0], inertia: [1, 1, 1], velocity: [3, 0, 0]}\n"
      "  right: {mass: 4, at: [1, 0, 0], inertia: [1, 1, 1]}\n",
      values);
  assert_near(values[0], 1, 1e-14);
  assert_near(values[3], 1, 1e-14);
  assert_near(values[6], 9 - 0.5 * (2. * 4 / 6) * 9, 1e-13);
}

/* --- letting go ---------------------------------------------------------------------------------
 */

static void released_bodies_fly_on_with_what_they_have(void **state) {
  (void)state;
  for (int s = 0; s < SCHEMES; s++) {
    flg_simulation *simulation =
        load_flight(s, "{at: 0.1, weld: [a/ball, a/bat]}, {at: 0.3, release: [a/bat, a/ball]}");
    double before[VALUES], after[VALUES];
    step_to(simulation, 0.3, before);
    step_to(simulation, 0.5, after);
    for (int b = 0; b < 2; b++) {
      const double *x = before + BODY * b, *y = after + BODY * b;
      assert_true(max_difference(x + VELOCITY, y + VELOCITY, 3) < 1e-13);
      for (int i = 0; i < 3; i++) assert_near(y[i], x[i] + 0.2 * x[VELOCITY + i], 1e-12);
    }
    assert_true(parting(after) > 0.01); /* the spins of free bodies are not alike */
    flg_simulation_release(simulation);
  }
}

/* --- the same as a joint ------------------------------------------------------------------------
 * A pendulum of two rods whose elbow stiffens while it swings, in a loop with the ground; welded at
 * once by an event, and by a joint of the file. */

#define RODS                                                                 \
  "flange-component: 1\n"                                                    \
  "bodies:\n"                                                                \
  "  upper: {mass: 1, at: [0.5, 0, 0], inertia: [0.01, 0.09, 0.09]}\n"       \
  "  lower: {mass: 2, at: [1.5, 0, 0], inertia: [0.02, 0.18, 0.18]}\n"       \
  "joints:\n"                                                                \
  "  shoulder: {kind: revolute, between: [world, upper], axis: [0, 1, 0]}\n" \
  "  elbow: {kind: revolute, between: [upper, lower], at: [1, 0, 0], axis: [0, 1, 0]}\n"

#define SWING(integrator, events)                                                           \
  "flange: 1\n"                                                                             \
  "time: {end: 0.6, macro: 1/100}\n"                                                        \
  "subsystems: {a: {model: model.yaml, step: 1/1000, reduce: none, integrator: " integrator \
  ", " events                                                                               \
  "record: [a/lower.position, a/lower.velocity, a/shoulder.position, a/elbow.position]\n"

#define AT_ONCE "gravity: [0, 0, -9.81]}}\nevents: [{at: 0, weld: [a/upper, a/lower]}]\n"
#define NEVER   "gravity: [0, 0, -9.81]}}\n"

static void a_weld_moves_like_a_joint_of_the_file(void **state) {
  (void)state;
  static const char *const welded[SCHEMES] = {SWING("rattle", AT_ONCE), SWING("rk4", AT_ONCE),
                                              SWING("semi-implicit", AT_ONCE)};
  static const char *const joined[SCHEMES] = {SWING("rattle", NEVER), SWING("rk4", NEVER),
                                              SWING("semi-implicit", NEVER)};
  for (int s = 0; s < SCHEMES; s++) {
    double one[VALUES], two[VALUES];
    final_values(welded[s], RODS, one);
    final_values(joined[s], RODS "  stiff: {kind: weld, between: [upper, lower]}\n", two);
    assert_true(fabs(one[6]) > 0.5);
    assert_true(max_difference(one, two, 8) < 1e-11);
  }
}

/* a second and a third weld ask for nothing that is not there already */
static void welds_that_repeat_others_change_nothing(void **state) {
  (void)state;
  static const char model[] = RODS "markers: {knob: {body: lower, at: [0.1, 0.2, 0.3]}}\n";
  double one[VALUES], two[VALUES];
  final_values(SWING("rattle", NEVER "events: [{at: 0.2, weld: [a/upper, a/lower]}]\n"), model,
               one);
  final_values(SWING("rattle", NEVER "events: [{at: 0.2, weld: [a/upper, a/lower]},\n"
                                     "  {at: 0.2, weld: [a/upper, a/knob]},\n"
                                     "  {at: 0.3, weld: [a/lower, a/upper]}]\n"),
               model, two);
  assert_true(fabs(one[7]) > 0.01); /* the elbow had bent by then */
  assert_true(max_difference(one, two, 8) < 1e-11);
}

/* --- snapshots ----------------------------------------------------------------------------------
 */

static void a_run_goes_on_bit_for_bit_from_any_snapshot(void **state) {
  (void)state;
  static const char events[] =
      "{at: 0.1, weld: [a/ball, a/bat]}, {at: 0.3, release: [a/ball, a/bat]}, "
      "{at: 0.4, weld: [a/ball, a/bat]}";
  for (int s = 0; s < SCHEMES; s++) {
    flg_simulation *through = load_flight(s, events), *resumed = load_flight(s, events);
    assert_true(flg_simulation_identity(through) == flg_simulation_identity(resumed));
    void *kept = malloc(flg_simulation_state_bytes(through));
    double values[VALUES];
    for (int k = 1; k <= 10; k++) {
      step_to(through, 0.05 * k, values);
      flg_simulation_save(through, kept);
      flg_simulation_restore(resumed, kept);
      if (k == 10) break;
      flg_error error;
      assert_int_equal(flg_simulation_step(resumed, &error), FLG_OK);
      step_to(through, 0.05 * k + 0.01, values);
      assert_true(flg_simulation_hash(through) == flg_simulation_hash(resumed));
    }
    free(kept);
    flg_simulation_release(through), flg_simulation_release(resumed);
  }
}

static void what_events_weld_belongs_to_the_identity(void **state) {
  (void)state;
  flg_simulation *one = load_flight(0, "{at: 0.1, weld: [a/ball, a/bat]}");
  flg_simulation *two = load_flight(0, "{at: 0.1, weld: [a/ball, a/bat/grip]}");
  assert_true(flg_simulation_identity(one) != flg_simulation_identity(two));
  flg_simulation_release(one), flg_simulation_release(two);
}

/* --- subsystems ---------------------------------------------------------------------------------
 * A rod on a hinge carries a plate; a crate floats nearby and is caught on the way. */

static const char catch_scenario[] =
    "flange: 1\n"
    "gravity: [0, 0, 0]\n"
    "time: {end: 1, macro: 1/%d}\n"
    "subsystems:\n"
    "  arm: {model: arm.yaml, step: 1/%d, integrator: semi-implicit,\n"
    "    initial_velocity: {hinge: 0.8}}\n"
    "  hand: {model: model.yaml, step: 1/%d, integrator: semi-implicit}\n"
    "interfaces: {wrist: {between: [arm/tip, hand/mount], joint: weld}}\n"
    "events: [{at: 0.3, weld: [hand/plate, hand/crate]}]\n"
    "coupling: {scheme: %s}\n"
    "record: [hand/crate.position, hand/crate.velocity, arm/hinge.velocity]\n";

static const char arm_file[] =
    "flange-model: 1\n"
    "bodies: {rod: {mass: 2, centre: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}}\n"
    "joints: {hinge: {kind: revolute, child: rod, axis: [0, 0, 1]}}\n"
    "ports: {tip: {body: rod, at: [1, 0, 0]}}\n";

static const char hand_file[] =
    "flange-component: 1\n"
    "bodies:\n"
    "  plate: {mass: 1, at: [1.1, 0, 0], inertia: [0.1, 0.1, 0.1], velocity: [0, 0.88, 0],\n"
    "    angular_velocity: [0, 0, 0.8]}\n"
    "  crate: {mass: 3, at: [0.8, 0.9, 0], inertia: [0.2, 0.2, 0.2]}\n"
    "ports: {mount: {body: plate, at: [-0.1, 0, 0]}}\n";

static void catch_with(const char *coupling, int macro, int micro, double values[VALUES]) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  char text[1000];
  snprintf(text, sizeof text, catch_scenario, macro, micro, micro, coupling);
  test_folder folder = make_folder();
  make_file(&folder, "arm.yaml", arm_file), make_file(&folder, "model.yaml", hand_file);
  const char *path = make_file(&folder, "scenario.yaml", text);
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, NULL, 0, &mistakes);
  remove_folder(&folder);
  if (simulation == NULL) fail_msg("%s", mistakes.list[0].message);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

/* I w stays about the hinge: of rod and plate before, and of the crate, too, from then on */
static void a_crate_is_caught_in_any_coupling(void **state) {
  (void)state;
  double whole[VALUES], apart[VALUES];
  const double own = 0.2 + 2 * 0.25 + 0.1 + 1.1 * 1.1;
  const double crate = 0.2 + 3 * (0.8 * 0.8 + 0.9 * 0.9);
  catch_with("monolithic, integrator: rattle", 100, 2000, whole);
  assert_near(whole[6], 0.8 * own / (own + crate), 1e-12);
  static const char *const couplings[] = {"sequential", "parallel"};
  for (int k = 0; k < 2; k++) {
    catch_with(couplings[k], 100, 2000, apart);
    assert_near(apart[6], 0.8 * own / (own + crate), 1e-4);
    assert_true(max_difference(whole, apart, 7) < 2e-4);
  }
}

/* --- mistakes -----------------------------------------------------------------------------------
 */

static void assert_refused(const char *events, const char *reason) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  test_folder folder = make_folder();
  char text[700];
  snprintf(text, sizeof text,
           "flange: 1\ntime: {end: 1, macro: 1/10}\n"
           "subsystems: {a: {model: model.yaml}, b: {model: model.yaml}, r: {model: arm.yaml}}\n"
           "events: [%s]\n",
           events);
  make_file(&folder, "model.yaml", two_bodies), make_file(&folder, "arm.yaml", arm_file);
  const char *path = make_file(&folder, "scenario.yaml", text);
  flg_simulation *simulation = NULL;
  assert_int_not_equal(flg_simulation_load(&simulation, path, NULL, 0, &mistakes), FLG_OK);
  remove_folder(&folder);
  if (strstr(mistakes.list[0].message, reason) == NULL) {
    fail_msg("'%s' does not say '%s'", mistakes.list[0].message, reason);
  }
  assert_int_equal(mistakes.list[0].line, 4);
}

static void what_cannot_be_welded_is_told_with_its_place(void **state) {
  (void)state;
  assert_refused("{at: 0, weld: [a/ball, b/bat]}", "in different subsystems");
  assert_refused("{at: 0, weld: [a/ball, a/bet]}", "no body, marker or port 'bet'");
  assert_refused("{at: 0, weld: [a/ball]}", "expected two bodies");
  assert_refused("{at: 0, weld: [ball, bat]}", "subsystem/body");
  assert_refused("{at: 0, weld: [a/bat, a/bat/grip]}", "on the same body");
  assert_refused("{at: 0, weld: [a/wall, a/floor]}", "neither 'a/wall' nor 'a/floor' moves");
  assert_refused("{at: 0, weld: [r/rod, r/tip]}", "'r' cannot weld bodies");
  assert_refused("{at: 0, release: [a/ball, a/bat]}", "nothing to release");
  assert_refused("{at: 0, release: a/hook}", "no event welds 'a/hook'");
  assert_refused(
      "{at: 0, weld: [a/ball, a/bat], name: x}, {at: 1, weld: [a/ball, a/grip], name: x}",
      "another weld is called 'x'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(welding_keeps_momentum_and_makes_one_body_of_two),
      cmocka_unit_test(two_masses_on_a_line_lose_what_their_reduced_mass_has),
      cmocka_unit_test(released_bodies_fly_on_with_what_they_have),
      cmocka_unit_test(a_weld_moves_like_a_joint_of_the_file),
      cmocka_unit_test(welds_that_repeat_others_change_nothing),
      cmocka_unit_test(a_run_goes_on_bit_for_bit_from_any_snapshot),
      cmocka_unit_test(what_events_weld_belongs_to_the_identity),
      cmocka_unit_test(a_crate_is_caught_in_any_coupling),
      cmocka_unit_test(what_cannot_be_welded_is_told_with_its_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
