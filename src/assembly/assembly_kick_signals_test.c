/* Components with signals, motors, efforts, dampers and friction that can touch step by rattle:
 * order 2, samples and jumps seen once, energy that stays, states that resume bit for bit. */
#include "math/larger.h"
#include "scenarios.h"

/* a double pendulum of rods in the plane y = 0; its outer rod carries a ball of 0.1 m */
#define PENDULUM                                                                               \
  "flange-component: 1\nbodies:\n"                                                             \
  "  a: {mass: 1, at: [0.5, 0, 0], inertia: [0.01, 0.09, 0.09]}\n"                             \
  "  b: {mass: 1, at: [1.5, 0, 0], inertia: [0.01, 0.09, 0.09],\n"                             \
  "    shapes: [{kind: sphere, size: 0.1, at: [0.5, 0, 0], collision: true, restitution: 1,\n" \
  "      friction: 0}]}\njoints:\n"                                                            \
  "  j: {kind: revolute, between: [world, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"               \
  "  k: {kind: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 1, 0]}\n"

/* a wall beside its plane, so near that a contact is looked at in every step */
#define WALL          "ground: {shapes: [{kind: plane, at: [0, -0.1001, 0], turn: [-90 deg, 0, 0]}]}\n"
#define FLOOR(height) "ground: {shapes: [{kind: plane, at: [0, 0, " height "]}]}\n"

static void run_for(const char *model, const char *step, const char *more, double *values) {
  char text[700];
  snprintf(text, sizeof text,
           "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 0.5, macro: 0.5}\n"
           "subsystems: {m: {model: model.yaml, step: %s}}\n%s",
           step, more);
  final_values(text, model, values);
}

static double largest_difference(const double *a, const double *b, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) most = flg_larger(most, fabs(a[k] - b[k]));
  return most;
}

/* --- the order --------------------------------------------------------------------------------*/

static const char *const drives[] = {
    PENDULUM "efforts: {e: {on: j, effort: 20*sin(3*time) - 30*j}}\n",
    PENDULUM "efforts: {e: {on: j, effort: 5 - 3*j.velocity}}\n",
    PENDULUM "motors: {m: {on: j, voltage: 12, resistance: 2, torque_constant: 1}}\n",
    PENDULUM
    "motors: {m: {on: j, voltage: 12, resistance: 0.5, inductance: 5e-3,\n"
    "  torque_constant: 1}}\n",
    PENDULUM
    "motors: {m: {on: j, voltage: 9 - 4*j - k.velocity, resistance: 0.5,\n"
    "  inductance: 0.02, torque_constant: 1}}\n",
    PENDULUM
    "signals: {u: {kind: pid, input: j, target: 0.5, kp: 40, ki: 5, kd: 4}}\n"
    "efforts: {e: {on: j, effort: u}}\n",
    PENDULUM
    "signals: {f: {kind: filter, input: j, time_constant: 0.02, order: 2}}\n"
    "efforts: {e: {on: j, effort: -30*f}}\n",
    PENDULUM "springs: {s: {on: j, damping: 5}}\n",
    PENDULUM "springs: {s: {on: k, stiffness: 20, damping: 5}}\n",
};

/* against rk4 without anything to touch */
static void drives_beside_a_wall_are_of_order_two(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof drives / sizeof drives[0]; k++) {
    double exact[6], near[6], error[3];
    static const char *const steps[3] = {"1/500", "1/1000", "1/2000"};
    run_for(drives[k], "1/8000, integrator: rk4", "record: [m/a.position, m/b.position]\n", exact);
    for (int s = 0; s < 3; s++) {
      run_for(drives[k], steps[s], "record: [m/a.position, m/b.position]\n" WALL, near);
      error[s] = largest_difference(near, exact, 6);
    }
    print_message("off by %.2g, %.2g, %.2g m: orders %.2f, %.2f\n", error[0], error[1], error[2],
                  log2(error[0] / error[1]), log2(error[1] / error[2]));
    assert_true(error[0] < 5e-5);
    assert_near(log2(error[1] / error[2]), 2, 0.15);
  }
}

/* m x'' = kt (V - ke x') / R - mu m g: it never stops */
static void driven_sled_slides_as_the_closed_form_says(void **state) {
  (void)state;
  static const char sled[] =
      "flange-component: 1\nbodies:\n"
      "  s: {mass: 1, inertia: [0.01, 0.01, 0.01], velocity: [1, 0, 0]}\n"
      "  b: {mass: 2, inertia: [0.02, 0.02, 0.02], velocity: [1, 0, 0],\n"
      "    shapes: [{kind: sphere, size: 0.1, collision: true, friction: 0.3}]}\njoints:\n"
      "  x: {kind: prismatic, between: [world, s], axis: [1, 0, 0]}\n"
      "  z: {kind: prismatic, between: [s, b], axis: [0, 0, 1]}\n"
      "motors: {m: {on: x, voltage: 12, resistance: 0.5, torque_constant: 2}}\n";
  const double rate = 2. * 2 / 0.5 / 3, goal = (2 * 12 / 0.5 - 0.3 * 2 * 9.81) / 8;
  const double exact = goal * 0.5 + (1 - goal) * (1 - exp(-rate * 0.5)) / rate;
  static const char *const steps[3] = {"1/250", "1/500", "1/1000"};
  double error[3];
  for (int s = 0; s < 3; s++) {
    double end[3];
    run_for(sled, steps[s],
            "record: [m/b.position]\n"
            "ground: {shapes: [{kind: plane, at: [0, 0, -0.1], friction: 0.3}]}\n",
            end);
    error[s] = fabs(end[0] - exact);
    assert_near(end[2], 0, 1e-12);
  }
  print_message("off by %.2g, %.2g, %.2g of %.4g m\n", error[0], error[1], error[2], exact);
  assert_true(error[2] < 1e-6);
  assert_near(log2(error[1] / error[2]), 2, 0.3);
}

/* m x'' = -c x' - f, near a floor and away from it */
static void joint_friction_is_of_order_two(void **state) {
  (void)state;
  static const char slide[] =
      "flange-component: 1\nbodies:\n"
      "  s: {mass: 2, inertia: [0.01, 0.01, 0.01], velocity: [1, 0, 0],\n"
      "    shapes: [{kind: sphere, size: 0.1, collision: true, friction: 0}]}\njoints:\n"
      "  x: {kind: prismatic, between: [world, s], axis: [1, 0, 0],\n"
      "    friction: {coulomb: 0.5, viscous: 3}}\n";
  static const char *const floors[] = {"", FLOOR("-0.1001")};
  static const char *const steps[2] = {"1/250", "1/500"};
  const double rate = 3. / 2, goal = -0.5 / 3;
  const double exact = goal * 0.5 + (1 - goal) * (1 - exp(-rate * 0.5)) / rate;
  for (int f = 0; f < 2; f++) {
    double error[2];
    for (int s = 0; s < 2; s++) {
      double end[3];
      char more[300];
      snprintf(more, sizeof more, "record: [m/s.position]\n%s", floors[f]);
      run_for(slide, steps[s], more, end);
      error[s] = fabs(end[0] - exact);
    }
    print_message("off by %.2g, %.2g of %.4g m\n", error[0], error[1], exact);
    assert_true(error[1] < 5e-7 && error[0] > 3.5 * error[1]);
  }
}

/* fingers squeeze a ball and lift it: a filter, a feedback of velocity, friction */
static const char gripper[] =
    "flange-component: 1\nbodies:\n"
    "  l: {mass: 0.3, at: [-0.05, 0, 0], inertia: [1e-3, 1e-3, 1e-3],\n"
    "    shapes: [{kind: box, size: [0.02, 0.05, 0.05], collision: true, friction: 0.6}]}\n"
    "  r: {mass: 0.3, at: [0.05, 0, 0], inertia: [1e-3, 1e-3, 1e-3],\n"
    "    shapes: [{kind: box, size: [0.02, 0.05, 0.05], collision: true, friction: 0.6}]}\n"
    "  hand: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
    "  ball: {mass: 0.4, inertia: [1e-3, 1e-3, 1e-3],\n"
    "    shapes: [{kind: sphere, size: 0.04, collision: true, friction: 0.6}]}\n"
    "joints:\n"
    "  h: {kind: prismatic, between: [world, hand], axis: [0, 0, 1]}\n"
    "  a: {kind: prismatic, between: [hand, l], axis: [1, 0, 0]}\n"
    "  b: {kind: prismatic, between: [hand, r], axis: [-1, 0, 0]}\n"
    "signals: {f: {kind: filter, input: 20, time_constant: 0.01, initial: 20}}\n"
    "efforts:\n"
    "  e: {on: a, effort: f}\n"
    "  g: {on: b, effort: f}\n"
    "  lift: {on: h, effort: 19.62 + 6*(sin(5*time) - h) - 3*h.velocity}\n";

static void gripper_lifts_with_order_two(void **state) {
  (void)state;
  static const char *const steps[4] = {"1/250", "1/500", "1/1000",
                                       "1/20000, integrator: semi-implicit"};
  double end[4][6];
  for (int s = 0; s < 4; s++) {
    run_for(gripper, steps[s], "record: [m/ball.position, m/hand.position]\n", end[s]);
  }
  const double first = largest_difference(end[0], end[1], 6);
  const double second = largest_difference(end[1], end[2], 6);
  const double other = largest_difference(end[2], end[3], 6);
  print_message("lifts to %.6f m; halving steps: %.2g, %.2g; semi-implicit, 1/20000 s: %.2g m\n",
                end[2][2], first, second, other);
  assert_near(first / second, 4, 0.05);
  assert_true(other < 2e-5);
}

/* --- steps that are kicks, and steps that are not, by turns ------------------------------------*/

/* a ball on a rail bounces: it is near the floor and away from it */
#define BOUNCING                                                                             \
  "flange-component: 1\nbodies:\n"                                                           \
  "  ball: {mass: 1, inertia: [0.01, 0.01, 0.01],\n"                                         \
  "    shapes: [{kind: sphere, size: 0.1, collision: true, restitution: 1, friction: 0}]}\n" \
  "  crank: {mass: 1, at: [1.3, 0, 0], inertia: [0.01, 0.03, 0.03]}\n"                       \
  "joints:\n"                                                                                \
  "  z: {kind: prismatic, between: [world, ball], axis: [0, 0, 1]}\n"                        \
  "  c: {kind: revolute, between: [world, crank], at: [1, 0, 0], axis: [0, 1, 0]}\n"

/* Integrals of what is 1 from a sample or a jump on count the time since. */
static void bouncing_ball_sees_samples_and_jumps_once(void **state) {
  (void)state;
  static const char counting[] = BOUNCING
      "signals:\n"
      "  jump: {kind: step, at: 0.3, from: 0, to: 1}\n"
      "  since: {kind: pid, input: 0, target: jump, kp: 0, ki: 1}\n"
      "  held: {kind: formula, value: jump + time, sample: 1/50}\n"
      "  count: {kind: pid, input: 0, target: 1, kp: 0, ki: 1, sample: 1/100}\n";
  double end[3];
  flg_simulation *simulation = load_texts(
      "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 2, macro: 1/100}\n"
      "subsystems: {m: {model: model.yaml, step: 1/1000}}\n" FLOOR(
          "-0.4") "record: [m/since, m/held, m/count]\n",
      counting);
  run_to_end(simulation);
  flg_simulation_record(simulation, end);
  flg_simulation_release(simulation);
  print_message("%.15g, %.15g, %.15g\n", end[0], end[1], end[2]);
  assert_near(end[0], 1.7, 1e-12);
  assert_near(end[1], 1 + 1.98, 1e-12);
  assert_near(end[2], 1.99, 1e-12);
}

static const char busy[] = BOUNCING
    "signals:\n"
    "  goal: {kind: sine, amplitude: 0.3, frequency: 1.3}\n"
    "  u: {kind: pid, input: c, target: goal, kp: 40, ki: 30, kd: 4}\n"
    "  s: {kind: pid, input: z, target: 0, kp: 4, ki: 1, kd: 1, sample: 1/300}\n"
    "motors: {m: {on: c, voltage: u, resistance: 0.5, inductance: 1e-3, torque_constant: 1}}\n"
    "efforts: {e: {on: z, effort: s}}\n";
static const char busy_run[] =
    "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 1, macro: 1/100}\n"
    "subsystems: {m: {model: model.yaml, step: 1/1000}}\n" FLOOR("-0.4");

static void bouncing_ball_resumes_bit_for_bit(void **state) {
  (void)state;
  resume_bit_for_bit(load_texts(busy_run, busy), load_texts(busy_run, busy));
}

/* an effort that is a spring: with its energy, all stays */
static void effort_that_is_a_spring_keeps_energy(void **state) {
  (void)state;
  flg_simulation *simulation = load_texts(
      "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 20, macro: 1/100}\n"
      "subsystems: {m: {model: model.yaml, step: 1/1000}}\n" WALL "record: [m/j.position]\n",
      PENDULUM "efforts: {e: {on: j, effort: -30*j}}\n");
  flg_error error;
  double most = 0, angle;
  const double first = flg_simulation_energy(simulation).initial;
  while (!flg_simulation_ended(simulation)) {
    if (flg_simulation_step(simulation, &error) != FLG_OK) fail_msg("%s", error.message);
    flg_simulation_record(simulation, &angle);
    const double now = flg_simulation_energy(simulation).final + 15 * angle * angle;
    most = flg_larger(most, fabs(now - first));
  }
  flg_simulation_release(simulation);
  print_message("energy stays to %.2g J\n", most);
  assert_true(most < 2e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(drives_beside_a_wall_are_of_order_two),
      cmocka_unit_test(driven_sled_slides_as_the_closed_form_says),
      cmocka_unit_test(joint_friction_is_of_order_two),
      cmocka_unit_test(gripper_lifts_with_order_two),
      cmocka_unit_test(bouncing_ball_sees_samples_and_jumps_once),
      cmocka_unit_test(bouncing_ball_resumes_bit_for_bit),
      cmocka_unit_test(effort_that_is_a_spring_keeps_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
