/* The model of a free body with ports on its axes, whose levers have two zeros: X diag(1/m, I^-1)
 * X^T. */
#include "cosim/simulation.h"
#include "interface/interface_model.h"
#include "math/larger.h"
#include "scenarios.h"

enum { PORTS = 4, ROWS = 6 * PORTS };
static const double MASS = 2, INERTIA[3] = {0.5, 0.8, 1.1};
static const flg_vec3 ARMS[PORTS] = {{0.3, 0, 0}, {0, 0.4, 0}, {0, 0, -0.5}, {0, 0, 0}};

static const char HUB[] =
    "flange-component: 1\n"
    "bodies: {hub: {mass: 2, inertia: [0.5, 0.8, 1.1]}}\n"
    "ports: {x: {body: hub, at: [0.3, 0, 0]}, y: {body: hub, at: [0, 0.4, 0]},\n"
    "  z: {body: hub, at: [0, 0, -0.5]}, o: {body: hub}}\n";
static const char LEAF[] =
    "flange-component: 1\n"
    "bodies: {leaf: {mass: 1, inertia: [1, 1, 1]}}\n"
    "ports: {p: {body: leaf}}\n";
static const char SCENARIO[] =
    "flange: 1\n"
    "gravity: [0, 0, 0]\n"
    "time: {end: 1, macro: 1/100}\n"
    "subsystems:\n"
    "  hub: {model: model.yaml}\n"
    "  a: {model: robot.yaml, at: [0.3, 0, 0]}\n"
    "  b: {model: robot.yaml, at: [0, 0.4, 0]}\n"
    "  c: {model: robot.yaml, at: [0, 0, -0.5]}\n"
    "  d: {model: robot.yaml}\n"
    "interfaces:\n"
    "  ax: {between: [hub/x, a/p], joint: spherical}\n"
    "  by: {between: [hub/y, b/p], joint: spherical}\n"
    "  cz: {between: [hub/z, c/p], joint: spherical}\n"
    "  do: {between: [hub/o, d/p], joint: spherical}\n"
    "coupling: {scheme: parallel}\n";

/* motion of port a at the unit push i on port b */
static flg_spatial answer(int a, int b, int i) {
  double unit[6] = {0};
  unit[i] = 1;
  const flg_spatial push = flg_spatial_load(unit);
  const flg_vec3 moment = flg_vec3_add(push.angular, flg_vec3_cross(ARMS[b], push.linear));
  const flg_vec3 spin = {moment.x / INERTIA[0], moment.y / INERTIA[1], moment.z / INERTIA[2]};
  return (flg_spatial){
      flg_vec3_add(flg_vec3_scale(push.linear, 1 / MASS), flg_vec3_cross(spin, ARMS[a])), spin};
}

static void ports_on_axes_yield_as_those_of_a_rigid_body(void **state) {
  (void)state;
  static char memory[65536] __attribute__((aligned(16)));
  flg_simulation *simulation = load_three_texts(SCENARIO, HUB, LEAF);
  const flg_subsystem *hub = &simulation->subsystems[0];
  flg_interface_model *model;
  assert_int_equal(flg_interface_model_build(memory, ROWS, ROWS, &model, NULL), FLG_OK);
  assert_int_equal(hub->ops->coupled->ports(hub->self), PORTS);
  assert_int_equal(hub->ops->coupled->reduce(hub->self, 0, 1e-3, model), FLG_OK);
  const double *D = flg_interface_model_admittance(model);
  double worst = 0;
  for (int column = 0; column < ROWS; column++) {
    for (int port = 0; port < PORTS; port++) {
      double exact[6];
      flg_spatial_store(answer(port, column / 6, column % 6), exact);
      for (int i = 0; i < 6; i++)
        worst = flg_larger(worst, fabs(D[6 * port + i + ROWS * column] - exact[i]));
    }
  }
  assert_near(worst, 0, 1e-15);
  flg_simulation_release(simulation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ports_on_axes_yield_as_those_of_a_rigid_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
