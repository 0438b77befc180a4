/* Forces that are recorded at contacts have the impulses of hits in them, whoever closes these:
 * over a run they are what momentum changed by, less the weight. */
#include "check.h"
#include "math/larger.h"
#include "scenarios.h"

static const char ball_of_bodies[] =
    "flange-component: 1\nbodies: {ball: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0, 0, 0.7], "
    "velocity: [0.5, 0, 0], shapes: [{kind: sphere, size: 0.5, restitution: 0.5, friction: "
    "0.3}]}}\n"
    "ports: {top: {body: ball}}\n";
static const char ball_of_robot[] =
    "flange-model: 1\nbodies: {ball: {mass: 1, inertia: [0.1, 0.1, 0.1], shapes: [{kind: sphere, "
    "size: 0.5, restitution: 0.5, friction: 0.3}]}}\n"
    "joints: {f: {kind: floating, child: ball, at: [0, 0, 0.7]}}\nports: {top: {body: ball}}\n";
static const char rider[] =
    "flange-component: 1\nbodies: {rider: {mass: 2, inertia: [1, 1, 1], at: [0, 0, 1.2], velocity: "
    "[0.5, 0, 0]}}\nports: {tip: {body: rider, at: [0, 0, -0.5]}}\n";

/* a rider on a ball that falls and bounces; order: which of them comes first */
static void bounce(const char *scheme, bool is_robot, bool ball_first) {
  const double h = 1. / 200, masses[2] = {1, 2}, gravity = 9.81;
  char scenario[800], ball[200];
  snprintf(ball, sizeof ball, "  ball: {model: model.yaml, step: 1/200%s}\n",
           is_robot ? ", initial_velocity: {f: [0, 0, 0, 0.5, 0, 0]}" : "");
  snprintf(scenario, sizeof scenario,
           "flange: 1\ntime: {end: 0.6, macro: 1/200}\n"
           "ground: {shapes: [{kind: plane, restitution: 0.5, friction: 0.3}]}\nsubsystems:\n"
           "%s  rider: {model: robot.yaml, step: 1/200}\n%s"
           "interfaces: {j: {joint: spherical, between: [rider/tip, ball/top]}}\n"
           "coupling: {scheme: %s}\n"
           "record: [ball/ball.contact_force, ball/ball.velocity, rider/rider.velocity]\n",
           ball_first ? ball : "", ball_first ? "" : ball, scheme);
  flg_simulation *simulation =
      load_three_texts(scenario, is_robot ? ball_of_robot : ball_of_bodies, rider);
  double start[9], now[9] = {0}, impulse[3] = {0}, peak = 0;
  flg_simulation_record(simulation, start);
  while (!flg_simulation_ended(simulation)) {
    flg_error error;
    assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
    flg_simulation_record(simulation, now);
    for (int i = 0; i < 3; i++) impulse[i] += h * now[i];
    peak = flg_larger(peak, now[2]);
  }
  impulse[2] -= (masses[0] + masses[1]) * gravity * 0.6;
  for (int i = 0; i < 3; i++) {
    const double gained =
        masses[0] * (now[3 + i] - start[3 + i]) + masses[1] * (now[6 + i] - start[6 + i]);
    assert_near(impulse[i], gained, 1e-13);
  }
  assert_true(peak > 1000); /* a hit in one step */
  flg_simulation_release(simulation);
}

static void forces_of_contacts_are_what_momentum_changes_by(void **state) {
  static const char *const schemes[] = {"monolithic", "sequential", "parallel", "neighbour"};
  (void)state;
  for (int k = 0; k < 16; k++) bounce(schemes[k / 4], k / 2 % 2 == 1, k % 2 == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_of_contacts_are_what_momentum_changes_by),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
