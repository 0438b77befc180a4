/* Friction where the direction of sliding turns.
 *
 * A block slides along a rail that a motion drives across it. Joints hold the contact across the
 * rail, so that no friction changes that velocity; but friction is against the whole of the
 * sliding, v' = -a v / sqrt(v^2 + u^2), a = mu g (all that weighs on the contact) / (what moves
 * along the rail). And a ball whose
 * moments of inertia differ, spinning: its friction turns with its axes. */
#include "check.h"
#include "math/larger.h"
#include "scenarios.h"

enum { NUMBERS = 6 };

static const char block[] =
    "flange-component: 1\nbodies:\n"
    "  car: {mass: 2, inertia: [1, 1, 1], velocity: [0, 1, 0]}\n"
    "  lift: {mass: 1, inertia: [1, 1, 1], velocity: [0, 1, 0], at: [0, 0, 0.1]}\n"
    "  block: {mass: 1, inertia: [1, 1, 1], velocity: [1, 1, 0], at: [0, 0, 0.1],\n"
    "    shapes: [{kind: sphere, size: [0.1], friction: 0.3}]}\n"
    "joints:\n"
    "  across: {kind: prismatic, between: [world, car], axis: [0, 1, 0]}\n"
    "  up: {kind: prismatic, between: [car, lift], at: [0, 0, 0.1], axis: [0, 0, 1]}\n"
    "  rail: {kind: prismatic, between: [lift, block], at: [0, 0, 0.1], axis: [1, 0, 0]}\n"
    "motions: {drive: {on: across, follows: time}}\nports: {p: {body: block}}\n";
static const char load[] =
    "flange-component: 1\nbodies: {load: {mass: 1, inertia: [0.1, 0.1, 0.1],\n"
    "  velocity: [1, 1, 0], at: [0, 0, 0.1]}}\nports: {p: {body: load}}\n";

static void run_block(const char *scheme, const char *integrator, int frequency, double turn,
                      double *end) {
  char text[1000];
  snprintf(text, sizeof text,
           "flange: 1\ntime: {end: 0.2, macro: 5/%d}\ngravity: [0, 0, -9.81]\n"
           "ground: {shapes: [{kind: plane, friction: 0.3, turn: [0, 0, %g]}]}\nsubsystems:\n"
           "  b: {model: model.yaml, step: 1/%d%s}\n  l: {model: robot.yaml, step: 1/%d%s}\n"
           "interfaces: {i: {between: [b/p, l/p], joint: weld}}\ncoupling: {scheme: %s}\n"
           "record: [b/block.position, b/block.velocity]\n",
           frequency, turn, frequency, integrator, frequency, integrator, scheme);
  flg_simulation *simulation = load_three_texts(text, block, load);
  run_to_end(simulation);
  flg_simulation_record(simulation, end);
  flg_simulation_release(simulation);
}

static double slow_down(double v) {
  const double most = 0.3 * 9.81 * 3 / 2; /* block, lift and load weigh; block and load slide */
  return -most * v / hypot(v, 1);
}

/* by Runge-Kutta steps of 1e-4 s: to 1e-14 */
static void integrate_block(double *x, double *v) {
  const double h = 1e-4;
  *x = 0, *v = 1;
  for (int k = 0; k < 2000; k++) {
    const double a = slow_down(*v), b = slow_down(*v + h / 2 * a), c = slow_down(*v + h / 2 * b);
    const double d = slow_down(*v + h * c);
    *x += h * (*v + h / 6 * (a + b + c));
    *v += h / 6 * (a + 2 * b + 2 * c + d);
  }
}

/* the direction of friction is that in the middle of the step: order 2 */
static void friction_is_against_what_joints_move_along_it_too(void **state) {
  (void)state;
  double x, v, off[2];
  integrate_block(&x, &v);
  for (int k = 0; k < 2; k++) {
    double end[NUMBERS];
    run_block("monolithic", "", k == 0 ? 1000 : 2000, 0, end);
    off[k] = flg_larger(fabs(end[0] - x), fabs(end[3] - v));
  }
  print_message("block on a driven rail: off by %.2g, %.2g\n", off[0], off[1]);
  assert_true(off[0] < 3e-6 && off[1] < off[0] / 3.9);
}

/* Other schemes and tangents: the same to rounding, but that what parallel schemes give back at
 * communication points turns with them, by order 2. */
static void all_schemes_agree_on_held_tangents(void **state) {
  (void)state;
  static const char *const schemes[] = {"sequential", "parallel", "neighbour", "monolithic"};
  static const char *const integrators[] = {"", ", integrator: semi-implicit"};
  double most[2] = {0, 0};
  for (int k = 0; k < 16; k++) {
    double as_one[NUMBERS], other[NUMBERS];
    const int gives_back = k / 4 % 2 == 0 && (k % 4 == 1 || k % 4 == 2);
    run_block("monolithic", integrators[k / 4 % 2], 1000, 0, as_one);
    run_block(schemes[k % 4], integrators[k / 4 % 2], 1000, k < 8 ? 0 : 0.7, other);
    most[gives_back] = flg_larger(most[gives_back], max_difference(other, as_one, NUMBERS));
  }
  print_message("16 ways to run it: apart by %.2g, and %.2g\n", most[0], most[1]);
  assert_true(most[0] < 4e-12 && most[1] < 2.7e-6);
}

static const char ball[] =
    "flange-component: 1\nbodies: {ball: {mass: 1, inertia: [0.002, 0.004, 0.005], at: [0, 0, "
    "0.1],\n"
    "  velocity: [1, 0, 0], angular_velocity: [8, 3, 5],\n"
    "  shapes: [{kind: sphere, size: [0.1], friction: 0.3}]}}\n";
static const char ball_robot[] =
    "flange-model: 1\nbodies: {ball: {mass: 1, inertia: [0.002, 0.004, 0.005],\n"
    "  shapes: [{kind: sphere, size: [0.1], friction: 0.3}]}}\n"
    "joints: {j: {kind: floating, parent: world, child: ball, at: [0, 0, 0.1]}}\n";

static void roll_ball(bool is_robot, int frequency, double *end) {
  char text[600];
  snprintf(text, sizeof text,
           "flange: 1\ntime: {end: 0.05, macro: 1/500}\ngravity: [0, 0, -9.81]\n"
           "ground: {shapes: [{kind: plane, friction: 0.3}]}\n"
           "subsystems: {s: {model: model.yaml, step: 1/%d%s}}\n"
           "record: [s/ball.position, s/ball.velocity]\n",
           frequency, is_robot ? ", initial_velocity: {j: [1, 0, 0, 8, 3, 5]}" : "");
  flg_simulation *simulation = load_texts(text, is_robot ? ball_robot : ball);
  run_to_end(simulation);
  flg_simulation_record(simulation, end);
  flg_simulation_release(simulation);
}

static void balls_that_slide_and_spin_are_of_order_two(void **state) {
  (void)state;
  double limit[2][NUMBERS];
  for (int r = 0; r < 2; r++) {
    double rough[NUMBERS], fine[NUMBERS];
    roll_ball(r == 1, 1000, rough);
    roll_ball(r == 1, 2000, fine);
    roll_ball(r == 1, 32000, limit[r]);
    const double off[2] = {max_difference(rough, limit[r], NUMBERS),
                           max_difference(fine, limit[r], NUMBERS)};
    print_message("%s: off by %.2g, %.2g\n", r == 0 ? "body" : "robot", off[0], off[1]);
    assert_true(off[0] < 3e-5 && off[1] < off[0] / 3.8);
  }
  assert_near(max_difference(limit[0], limit[1], NUMBERS), 0, 6e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_is_against_what_joints_move_along_it_too),
      cmocka_unit_test(all_schemes_agree_on_held_tangents),
      cmocka_unit_test(balls_that_slide_and_spin_are_of_order_two)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
