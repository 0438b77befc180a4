/* A block slides along a rail that a motion drives across it. Joints hold the contact across the
 * rail, so that no friction changes that velocity; but friction is against the whole of the
 * sliding, v' = -a v / sqrt(v^2 + u^2), a = mu g (all that weighs on the contact) / (what moves
 * along the rail). */
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

/* the direction of friction is that before the step: order 1 */
static void friction_is_against_what_joints_move_along_it_too(void **state) {
  (void)state;
  double x, v, off[2];
  integrate_block(&x, &v);
  for (int k = 0; k < 2; k++) {
    double end[NUMBERS];
    run_block("monolithic", "", k == 0 ? 1000 : 4000, 0, end);
    off[k] = flg_larger(fabs(end[0] - x), fabs(end[3] - v));
  }
  print_message("block on a driven rail: off by %.2g, %.2g\n", off[0], off[1]);
  assert_true(off[0] < 2e-3 && off[1] < off[0] / 3.5);
}

/* other schemes, steps and tangents: the same to rounding */
static void all_schemes_agree_on_held_tangents(void **state) {
  (void)state;
  static const char *const schemes[] = {"sequential", "parallel", "neighbour", "monolithic"};
  static const char *const integrators[] = {"", ", integrator: semi-implicit"};
  double most = 0;
  for (int k = 0; k < 16; k++) {
    double as_one[NUMBERS], other[NUMBERS];
    run_block("monolithic", integrators[k / 4 % 2], 1000, 0, as_one);
    run_block(schemes[k % 4], integrators[k / 4 % 2], 1000, k < 8 ? 0 : 0.7, other);
    most = flg_larger(most, max_difference(other, as_one, NUMBERS));
  }
  print_message("16 ways to run it: apart by %.2g\n", most);
  assert_true(most < 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_is_against_what_joints_move_along_it_too),
      cmocka_unit_test(all_schemes_agree_on_held_tangents)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
