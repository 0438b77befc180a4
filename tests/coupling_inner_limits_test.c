/* Frictions, stops and contacts that change in a step which several subsystems share: closed forms,
 * and the same system solved as one. */
#include <math.h>

#include "check.h"
#include "coupling_marks.h"

static const char *const schemes[] = {"monolithic", "sequential", "parallel", "neighbour"};
enum { SCHEMES = sizeof schemes / sizeof schemes[0], TEXT = 2000 };
static const char *const integrators[] = {"semi-implicit", "rattle", "rk4"};
enum { ORDERS = 4, ORDER = 100 };
enum { JOINED = SCHEMES - 1 }; /* neighbour leaves out how others are joined */

/* Runs a scenario with files a.yaml, b.yaml, c.yaml beside it; its last values. */
static void run_texts(const char *scenario, const char *const *models, const char *const *overrides,
                      double *last) {
  static const char *const names[] = {"a.yaml", "b.yaml", "c.yaml"};
  test_folder folder = make_folder();
  for (int k = 0; models[k] != NULL; k++) make_file(&folder, names[k], models[k]);
  marked_run run = run_marked(make_file(&folder, "scenario.yaml", scenario), overrides);
  remove_folder(&folder);
  if (run.diverged_at >= 0 || run.is_unsolved) fail_msg("%s", run.error.message);
  memcpy(last, run.values + (size_t)(run.rows - 1) * (size_t)run.width,
         (size_t)run.width * sizeof *last);
  free(run.values);
}

static void run_scheme(const char *scenario, const char *const *models, const char *scheme,
                       double *last) {
  char override[OVERRIDE_TEXT];
  snprintf(override, sizeof override, "coupling.scheme=%s", scheme);
  run_texts(scenario, models, (const char *[]){override, NULL}, last);
}

/* One of the schemes that join all, and an order of x, y, z for a sequence; 0 <= k < ORDERS JOINED.
 */
static const char *choose(int k, char order[ORDER]) {
  static const char *const orders[ORDERS] = {"x, y, z", "z, y, x", "y, z, x", "x, z, y"};
  const char *scheme = schemes[k % JOINED];
  order[0] = '\0';
  if (strcmp(scheme, "sequential") == 0) {
    snprintf(order, ORDER, ", order: [%s]", orders[k / JOINED]);
  }
  return scheme;
}

/* A mass on a rail along x, with keys of its joint besides. */
static void write_mass(char text[TEXT], double mass, double speed, const char *joint) {
  snprintf(text, TEXT,
           "flange-component: 1\nbodies: {a: {mass: %.9g, inertia: [0.1, 0.1, 0.1],\n"
           "  velocity: [%.9g, 0, 0]}}\n"
           "joints: {rail: {kind: prismatic, between: [world, a], axis: [1, 0, 0]%s}}\n"
           "ports: {p: {body: a}}\n",
           mass, speed, joint);
}

/* A light body with friction turns back with a heavy one. Alone, the friction would hold the light
 * one: h F/m is more than what it moves by in a step. */
static void friction_of_a_light_body_does_not_hold_the_heavy_one(void **state) {
  (void)state;
  const double masses[][2] = {{0.1, 20}, {0.01, 3}, {0.5, 4}};
  const double friction = 3, pull = 4, speed = 0.5, time = 0.3;
  for (int k = 0; k < 3 * SCHEMES * 2; k++) {
    const double *m = masses[k / SCHEMES % 3], whole = m[0] + m[1];
    char light[TEXT], heavy[TEXT], scenario[TEXT];
    const bool is_swapped = k >= 3 * SCHEMES;
    write_mass(light, m[0], speed, ", friction: {coulomb: 3}");
    write_mass(heavy, m[1], speed, "");
    snprintf(scenario, sizeof scenario,
             "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 0.3, macro: 0.002}\nsubsystems:\n"
             "  l: {model: a.yaml, step: 0.001, integrator: semi-implicit}\n"
             "  r: {model: b.yaml, step: 0.001, integrator: semi-implicit, gravity: [-4, 0, 0]}\n"
             "interfaces: {cut: {between: [%s], joint: weld}}\n"
             "coupling: {integrator: semi-implicit}\nrecord: [l/a.velocity, r/a.velocity]\n",
             is_swapped ? "r/p, l/p" : "l/p, r/p");
    double last[6];
    run_scheme(scenario, (const char *[]){light, heavy, NULL}, schemes[k % SCHEMES], last);
    const double there = (pull * m[1] + friction) / whole, back = (pull * m[1] - friction) / whole;
    const double expected = -back * (time - speed / there);
    assert_near(last[0], expected, 2e-3 * pull);
    assert_near(last[3], expected, 2e-3 * pull);
  }
}

/* A slider on an arm that turns, pressed inwards against a stop: it leaves when the arm turns fast
 * enough for it. Semi-implicit steps have that force in their projection alone. */
static void a_slider_leaves_its_stop_when_it_turns_too_fast(void **state) {
  (void)state;
  static const char arm[] =
      "flange-component: 1\nbodies: {arm: {mass: 1, inertia: [1e6, 1e6, 1e6],\n"
      "  angular_velocity: [0, 0, 3]}}\n"
      "joints: {hub: {kind: revolute, between: [world, arm], axis: [0, 0, 1]}}\n"
      "ports: {out: {body: arm, at: [0.5, 0, 0]}}\n";
  static const char slider[] =
      "flange-component: 1\nbodies: {bead: {mass: 2, inertia: [1e-3, 1e-3, 1e-3],\n"
      "  at: [0.5, 0, 0], velocity: [0, 1.5, 0], angular_velocity: [0, 0, 3]}}\n"
      "markers: {hub: {body: world}, eye: {body: bead}}\n"
      "springs: {pull: {between: [hub, eye], stiffness: 16, length: 0.0625}}\n"
      "ports: {in: {body: bead}}\n";
  for (int k = 0; k < 3 * SCHEMES; k++) {
    char scenario[TEXT];
    const char *integrator = integrators[k / SCHEMES];
    /* pulled inwards with 7 N at the stop, where 9 N are needed: r'' = r + 0.5 */
    snprintf(scenario, sizeof scenario,
             "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 0.4, macro: 0.002}\nsubsystems:\n"
             "  s: {model: a.yaml, step: 0.002, integrator: %s}\n"
             "  t: {model: b.yaml, step: 0.002, integrator: %s}\n"
             "interfaces: {cut: {between: [s/out, t/in], joint: prismatic, axis: [1, 0, 0],\n"
             "  stops: {lower: 0, upper: 1}}}\n"
             "coupling: {integrator: %s}\nrecord: [t/bead.position]\n",
             integrator, integrator, integrator);
    double last[3];
    run_scheme(scenario, (const char *[]){arm, slider, NULL}, schemes[k % SCHEMES], last);
    assert_near(hypot(last[0], last[1]), cosh(0.4) - 0.5, 3e-3);
  }
}

/* A bead on an arm that a wheel of another subsystem turns: the friction holds it up to m r w^2.
 * What turns the arm are impulses of the interface. */
static void a_bead_slides_on_an_arm_that_is_turned_too_fast(void **state) {
  (void)state;
  static const char wheel[] =
      "flange-component: 1\nbodies: {wheel: {mass: 1, inertia: [1e6, 1e6, 1e6],\n"
      "  angular_velocity: [0, 0, 3]}}\n"
      "joints: {hub: {kind: revolute, between: [world, wheel], axis: [0, 0, 1]}}\n"
      "ports: {p: {body: wheel}}\n";
  for (int k = 0; k < 2 * 3 * SCHEMES; k++) {
    char arm[TEXT], scenario[TEXT];
    const char *integrator = integrators[k / SCHEMES % 3];
    const double friction = k < 3 * SCHEMES ? 8 : 10; /* 9 N hold it */
    snprintf(arm, sizeof arm,
             "flange-component: 1\nbodies:\n"
             "  arm: {mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 3]}\n"
             "  bead: {mass: 2, inertia: [1e-3, 1e-3, 1e-3], at: [0.5, 0, 0],\n"
             "    velocity: [0, 1.5, 0], angular_velocity: [0, 0, 3]}\n"
             "joints: {slide: {kind: prismatic, between: [arm, bead], at: [0.5, 0, 0],\n"
             "  axis: [1, 0, 0], friction: {coulomb: %g}}}\nports: {p: {body: arm}}\n",
             friction);
    snprintf(scenario, sizeof scenario,
             "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 0.4, macro: 0.004}\nsubsystems:\n"
             "  x: {model: a.yaml, step: 0.002, integrator: %s}\n"
             "  y: {model: b.yaml, step: 0.002, integrator: %s}\n"
             "interfaces: {cut: {between: [x/p, y/p], joint: weld}}\n"
             "coupling: {integrator: %s}\nrecord: [x/bead.position]\n",
             integrator, integrator, integrator);
    double last[3];
    run_scheme(scenario, (const char *[]){arm, wheel, NULL}, schemes[k % SCHEMES], last);
    /* r'' = 9 r - 4 */
    const double r = friction < 9 ? 4. / 9 + (0.5 - 4. / 9) * cosh(1.2) : 0.5;
    assert_near(hypot(last[0], last[1]), r, 3e-3);
  }
}

/* Two masses that are one hit a third at a stop of the interface to it. In a sequence the first
 * subsystem sees a hit between others; these have to see the same. */
static void a_hit_between_others_is_the_same_for_all(void **state) {
  (void)state;
  const double m[] = {2, 1, 4}, e = 0.6, speed = 1;
  char models[3][TEXT];
  for (int k = 0; k < 3; k++) write_mass(models[k], m[k], k < 2 ? speed : 0, "");
  for (int k = 0; k < ORDERS * JOINED; k++) {
    char scenario[TEXT], order[ORDER];
    const char *scheme = choose(k, order);
    snprintf(scenario, sizeof scenario,
             "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 0.1, macro: 0.002}\nsubsystems:\n"
             "  x: {model: a.yaml, step: 0.001, integrator: rattle}\n"
             "  y: {model: b.yaml, step: 0.001, integrator: rattle}\n"
             "  z: {model: c.yaml, step: 0.001, integrator: rattle}\n"
             "interfaces:\n  one: {between: [x/p, y/p], joint: weld}\n"
             "  two: {between: [y/p, z/p], joint: prismatic, axis: [1, 0, 0],\n"
             "    stops: {lower: -0.0303, upper: 1, restitution: 0.6}}\n"
             "coupling: {scheme: %s, integrator: rattle%s}\n"
             "record: [x/a.velocity, y/a.velocity, z/a.velocity]\n",
             scheme, order);
    double last[9];
    run_texts(scenario, (const char *[]){models[0], models[1], models[2], NULL}, NULL, last);
    const double reduced = (m[0] + m[1]) * m[2] / (m[0] + m[1] + m[2]);
    const double impulse = (1 + e) * reduced * speed;
    assert_near(last[0], speed - impulse / (m[0] + m[1]), 1e-13);
    assert_near(last[3], speed - impulse / (m[0] + m[1]), 1e-13);
    assert_near(last[6], impulse / m[2], 1e-13);
  }
}

/* A mass catches up with another one at a stop of their interface, which throws back, and rubs on
 * it: the friction, which turns around in the hit, takes F h of it and no more. */
static void friction_beside_a_stop_does_not_hold_what_it_throws_back(void **state) {
  (void)state;
  const double m[] = {2, 3}, e = 0.6, friction = 0.02, way = 0.0303, speed = 1, time = 0.1;
  char models[2][TEXT];
  for (int k = 0; k < 2; k++) write_mass(models[k], m[k], k == 0 ? speed : 0, "");
  for (int k = 0; k < 3 * SCHEMES; k++) {
    char scenario[TEXT];
    const char *integrator = integrators[k / SCHEMES];
    snprintf(scenario, sizeof scenario,
             "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 0.1, macro: 0.001}\nsubsystems:\n"
             "  x: {model: a.yaml, step: 0.001, integrator: %s}\n"
             "  y: {model: b.yaml, step: 0.001, integrator: %s}\n"
             "interfaces: {cut: {between: [x/p, y/p], joint: prismatic, axis: [1, 0, 0],\n"
             "  friction: {coulomb: 0.02}, stops: {lower: -0.0303, upper: 1, restitution: 0.6}}}\n"
             "coupling: {integrator: %s}\nrecord: [x/a.velocity, y/a.velocity]\n",
             integrator, integrator, integrator);
    double last[6];
    run_scheme(scenario, (const char *[]){models[0], models[1], NULL}, schemes[k % SCHEMES], last);
    const double whole = m[0] + m[1], slows = friction * whole / (m[0] * m[1]), hit = way / speed;
    const double apart = e * (speed - slows * hit) - slows * (time - hit);
    const double mean = m[0] * speed / whole;
    assert_near(last[3] - last[0], apart, 2e-4);
    assert_near(last[0], mean - m[1] / whole * apart, 1e-4);
  }
}

/* A mass with a stop of its own carries another one to it: both turn around. The stop alone would
 * throw the first back, and the other one push it on at the end of the macro step. */
static void check_stop_inside(const double m[2], double e, const char *cut, const char *integrator,
                              int micro, const char *scheme) {
  const double speed = 1, way = 0.0303, time = 0.08;
  char stopped[TEXT], carried[TEXT], scenario[TEXT], joint[100];
  snprintf(joint, sizeof joint, ", stops: {lower: -1, upper: 0.0303, restitution: %g}", e);
  write_mass(stopped, m[0], speed, joint);
  write_mass(carried, m[1], speed, "");
  snprintf(scenario, sizeof scenario,
           "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 0.08, macro: %d/1000}\nsubsystems:\n"
           "  x: {model: a.yaml, step: 0.001, integrator: %s}\n"
           "  y: {model: b.yaml, step: 0.001, integrator: %s}\n"
           "interfaces: {cut: {between: [x/p, y/p], joint: %s}}\n"
           "coupling: {integrator: %s}\nrecord: [x/a.velocity, y/a.velocity, y/a.position]\n",
           micro, integrator, integrator, cut, integrator);
  double last[9];
  run_scheme(scenario, (const char *[]){stopped, carried, NULL}, scheme, last);
  assert_near(last[0], -e * speed, 1e-13);
  assert_near(last[3], -e * speed, 1e-13);
  assert_near(last[6], way - e * (speed * time - way), 1e-3 * speed);
}

static void a_stop_inside_of_a_subsystem_throws_back_all_that_is_joined(void **state) {
  (void)state;
  static const int micros[] = {1, 5, 8};
  static const double masses[][2] = {{0.5, 4}, {4, 0.5}, {4, 0.02}};
  static const char *const cuts[] = {"weld",
                                     "prismatic, axis: [0, 1, 0], friction: {coulomb: 0.1}"};
  for (int k = 0; k < 2 * 2 * 27 * JOINED; k++) {
    const int of = k / JOINED;
    check_stop_inside(masses[of / 9 % 3], of / 27 % 2 == 0 ? 0.6 : 0, cuts[of / 54],
                      integrators[of % 3], micros[of / 3 % 3], schemes[k % JOINED]);
  }
}

/* A weld by an event is a blow, too: what stands at a stop of another interface is thrown off. */
static void a_stop_throws_back_what_an_event_does(void **state) {
  (void)state;
  static const char pair[] =
      "flange-component: 1\nbodies:\n"
      "  a: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
      "  b: {mass: 3, inertia: [0.1, 0.1, 0.1], velocity: [1, 0, 0]}\n"
      "joints:\n  one: {kind: prismatic, between: [world, a], axis: [1, 0, 0]}\n"
      "  two: {kind: prismatic, between: [world, b], axis: [1, 0, 0]}\n"
      "ports: {p: {body: a}}\n";
  const double e = 0.6, joined = 4, other = 2, speed = 3. / 4;
  char third[TEXT];
  write_mass(third, other, 0, "");
  for (int k = 0; k < 3 * SCHEMES; k++) {
    char scenario[TEXT];
    const char *integrator = integrators[k / SCHEMES];
    snprintf(scenario, sizeof scenario,
             "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 0.1, macro: 0.001}\nsubsystems:\n"
             "  x: {model: a.yaml, step: 0.001, integrator: %s}\n"
             "  y: {model: b.yaml, step: 0.001, integrator: %s, gravity: [-0.01, 0, 0]}\n"
             "interfaces: {cut: {between: [x/p, y/p], joint: prismatic, axis: [1, 0, 0],\n"
             "  stops: {lower: 0, upper: 1, restitution: 0.6}}}\n"
             "events: [{at: 0.05, weld: [x/a, x/b]}]\n"
             "coupling: {integrator: %s}\nrecord: [x/a.velocity, y/a.velocity]\n",
             integrator, integrator, integrator);
    double last[6];
    run_scheme(scenario, (const char *[]){pair, third, NULL}, schemes[k % SCHEMES], last);
    const double impulse = (1 + e) * joined * other / (joined + other) * speed;
    assert_near(last[0], speed - impulse / joined, 2e-3);
    assert_near(last[3], impulse / other, 2e-3);
  }
}

/* A ball that another mass is welded to bounces; a third one sticks to that by a weak friction, and
 * flies on. In a sequence the first subsystem finds the hit, and the others take it over. */
static void a_hit_lets_go_a_friction_between_others(void **state) {
  (void)state;
  static const char ball[] =
      "flange-component: 1\nbodies: {a: {mass: 2, inertia: [0.1, 0.1, 0.1],\n"
      "  at: [0, 0, 0.13], velocity: [0, 0, -1],\n"
      "  shapes: [{kind: sphere, size: 0.1, collision: true, restitution: 0.5}]}}\n"
      "ports: {p: {body: a}}\n";
  static const char mass[] =
      "flange-component: 1\nbodies: {a: {mass: 1, inertia: [0.1, 0.1, 0.1],\n"
      "  at: [0, 0, 0.13], velocity: [0, 0, -1]}}\nports: {p: {body: a}}\n";
  for (int k = 0; k < ORDERS * JOINED; k++) {
    char scenario[TEXT], order[ORDER];
    const char *scheme = choose(k, order);
    snprintf(scenario, sizeof scenario,
             "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 0.05, macro: 0.001}\n"
             "ground: {shapes: [{kind: plane, restitution: 0.5}]}\nsubsystems:\n"
             "  x: {model: a.yaml, step: 0.001, integrator: semi-implicit}\n"
             "  y: {model: b.yaml, step: 0.001, integrator: semi-implicit}\n"
             "  z: {model: b.yaml, step: 0.001, integrator: semi-implicit}\n"
             "interfaces:\n  one: {between: [x/p, y/p], joint: weld}\n"
             "  two: {between: [y/p, z/p], joint: prismatic, axis: [0, 0, 1],\n"
             "    friction: {coulomb: 0.01}}\n"
             "coupling: {scheme: %s, integrator: semi-implicit%s}\n"
             "record: [x/a.velocity, y/a.velocity, z/a.velocity]\n",
             scheme, order);
    double last[9];
    run_texts(scenario, (const char *[]){ball, mass, NULL}, NULL, last);
    assert_near(last[2], 0.5, 5e-4);
    assert_near(last[5], 0.5, 5e-4);
    assert_near(last[8], -1, 1e-3);
  }
}

/* A box slides on the ground, guided by an arm whose hinge sticks: the hinge holds the way of the
 * contact's normal, but not its load. The friction on the ground acts all the same. */
static void a_contact_under_a_joint_that_sticks_carries_its_load(void **state) {
  (void)state;
  static const char arm[] =
      "flange-component: 1\nbodies: {arm: {mass: 1e-3, inertia: [1e-4, 1e-4, 1e-4]}}\n"
      "joints: {hinge: {kind: revolute, between: [world, arm], axis: [0, 1, 0],\n"
      "  friction: {coulomb: 0.01}}}\n"
      "ports: {out: {body: arm, at: [0, 0, 0.1]}}\n";
  static const char box[] =
      "flange-component: 1\nbodies: {box: {mass: 2, inertia: [0.1, 0.1, 0.1],\n"
      "  at: [1, 0, 0.1], velocity: [1, 0, 0],\n"
      "  shapes: [{kind: sphere, size: 0.1, collision: true, friction: 0.4}]}}\n"
      "ports: {in: {body: box}}\n";
  static const char scenario[] =
      "flange: 1\ngravity: [0, 0, -10]\ntime: {end: 0.2, macro: 0.002}\n"
      "ground: {shapes: [{kind: plane, friction: 0.4}]}\nsubsystems:\n"
      "  s: {model: a.yaml, step: 0.002, integrator: semi-implicit}\n"
      "  t: {model: b.yaml, step: 0.002, integrator: semi-implicit}\n"
      "interfaces: {cut: {between: [s/out, t/in], joint: prismatic, axis: [1, 0, 0]}}\n"
      "coupling: {integrator: semi-implicit}\nrecord: [t/box.velocity, t/box.contact_force]\n";
  /* the centre of mass is 0.1 m above the hinge: N x = m g x + 0.1 mu N */
  double x = 1, v = 1;
  for (int k = 0; k < 20000; k++) v -= 1e-5 * 4 / (1 - 0.04 / x), x += 1e-5 * v;
  for (int k = 0; k < SCHEMES; k++) {
    double last[6];
    run_scheme(scenario, (const char *[]){arm, box, NULL}, schemes[k], last);
    assert_near(last[0], v, 2e-3);
    assert_near(last[3], -0.4 * last[5], 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_of_a_light_body_does_not_hold_the_heavy_one),
      cmocka_unit_test(a_slider_leaves_its_stop_when_it_turns_too_fast),
      cmocka_unit_test(a_bead_slides_on_an_arm_that_is_turned_too_fast),
      cmocka_unit_test(a_hit_between_others_is_the_same_for_all),
      cmocka_unit_test(friction_beside_a_stop_does_not_hold_what_it_throws_back),
      cmocka_unit_test(a_stop_inside_of_a_subsystem_throws_back_all_that_is_joined),
      cmocka_unit_test(a_stop_throws_back_what_an_event_does),
      cmocka_unit_test(a_hit_lets_go_a_friction_between_others),
      cmocka_unit_test(a_contact_under_a_joint_that_sticks_carries_its_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
