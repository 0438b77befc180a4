/* Stops and dry frictions in steps with contacts, which are kicks between halves of free motion.
 *
 * On a wheel that turns with w, heavy beside what rides on it, a bead comes to a stop at the radius
 * r and flies off again, r cosh(w t) from then on; a rider that friction F would hold leaves with
 * (r - F/(m w^2)) cosh(w t) + F/(m w^2). No force acts along the rails: what throws out both are
 * the joints that turn, in free motion. A ball lies on the floor beside the wheel. */
#include "check.h"
#include "scenarios.h"

enum { NUMBERS = 2 };

static const double RADIUS = 0.2, SPIN = 5, END = 0.2, HELD = 0.03, MASS = 0.01;

static const char wheel[] =
    "flange-component: 1\nbodies:\n"
    "  wheel: {mass: 1e3, inertia: [1e3, 1e3, 1e3], angular_velocity: [0, 0, 5]}\n"
    "  bead: {mass: 0.01, inertia: [1e-5, 1e-5, 1e-5], at: [0.21, 0, 0], velocity: [-0.5, 1.05, "
    "0],\n"
    "    angular_velocity: [0, 0, 5]}\n"
    "  rider: {mass: 0.01, inertia: [1e-5, 1e-5, 1e-5], at: [0, 0.2, 0], velocity: [-1, 0, 0],\n"
    "    angular_velocity: [0, 0, 5]}\n"
    "  ball: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], at: [3, 0, 0.05],\n"
    "    shapes: [{kind: sphere, size: [0.05], friction: 0}]}\n"
    "joints:\n"
    "  axle: {kind: revolute, between: [world, wheel], axis: [0, 0, 1]}\n"
    "  rail: {kind: prismatic, between: [wheel, bead], at: [0.21, 0, 0], axis: [1, 0, 0],\n"
    "    stops: {lower: -0.01, upper: 1}}\n"
    "  rod: {kind: prismatic, between: [wheel, rider], at: [0, 0.2, 0], axis: [0, 1, 0],\n"
    "    friction: {coulomb: 0.03}}\n"
    "ports: {p: {body: wheel}}\n";
static const char load[] =
    "flange-component: 1\nbodies: {load: {mass: 1, inertia: [1, 1, 1],\n"
    "  angular_velocity: [0, 0, 5]}}\nports: {p: {body: load}}\n";

static void run_wheel(const char *scheme, const char *coordinates, int frequency, double *end) {
  char text[1000];
  snprintf(text, sizeof text,
           "flange: 1\ntime: {end: %g, macro: 5/%d}\ngravity: [0, 0, -9.81]\n"
           "ground: {shapes: [{kind: plane, friction: 0}]}\nsubsystems:\n"
           "  w: {model: model.yaml, step: 1/%d, coordinates: %s}\n"
           "  l: {model: robot.yaml, step: 1/%d}\n"
           "interfaces: {i: {between: [w/p, l/p], joint: weld}}\ncoupling: {scheme: %s}\n"
           "record: [w/rail.position, w/rod.position]\n",
           END, frequency, frequency, coordinates, frequency, scheme);
  flg_simulation *simulation = load_three_texts(text, wheel, load);
  run_to_end(simulation);
  flg_simulation_record(simulation, end);
  flg_simulation_release(simulation);
}

/* when the bead, thrown inwards, is at the stop: by halving */
static double time_of_stop(void) {
  double early = 0, late = 0.05;
  for (int k = 0; k < 60; k++) {
    const double t = (early + late) / 2;
    const double radius = 0.21 * cosh(SPIN * t) - 0.5 / SPIN * sinh(SPIN * t);
    *(radius > RADIUS ? &early : &late) = t;
  }
  return early;
}

/* of bead and rider, of order 1: the bead leaves at the end of the step in which it has landed */
static void what_free_motion_throws_out_is_not_held(void **state) {
  (void)state;
  static const char *const schemes[] = {"monolithic", "sequential", "parallel", "neighbour"};
  const double rest = HELD / (MASS * SPIN * SPIN);
  const double exact[NUMBERS] = {RADIUS * cosh(SPIN * (END - time_of_stop())) - 0.21,
                                 (RADIUS - rest) * cosh(SPIN * END) + rest - RADIUS};
  for (int k = 0; k < 5; k++) {
    double off[2][NUMBERS];
    for (int fine = 0; fine < 2; fine++) {
      double end[NUMBERS];
      run_wheel(schemes[k % 4], k < 4 ? "absolute" : "joint", fine == 0 ? 1000 : 8000, end);
      for (int i = 0; i < NUMBERS; i++) off[fine][i] = fabs(end[i] - exact[i]);
    }
    print_message("%s: bead off by %.2g, %.2g m; rider by %.2g, %.2g m\n", schemes[k % 4],
                  off[0][0], off[1][0], off[0][1], off[1][1]);
    assert_true(off[0][0] < 2e-3 && off[1][0] < 1e-4);
    assert_true(off[0][1] < 3e-4 && off[1][1] < off[0][1] / 6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_free_motion_throws_out_is_not_held)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
