/* Sources, controllers and filters inside components, in all schemes. */
#include "signals.h"
#include "allocations.h"
#include "component/assembly_contract.h"
#include "files.h"

static double bounded(double value, double most) {
  return fmax(-most, fmin(most, value));
}

/* --- filters -----------------------------------------------------------------------------------
 */

static double step_of_order_two(double time, double T, double damping) {
  const double a = damping / T, r = sqrt(fabs(1 - damping * damping)) / T;
  if (damping == 1) return 1 - exp(-time / T) * (1 + time / T);
  if (damping < 1) return 1 - exp(-a * time) * (cos(r * time) + a / r * sin(r * time));
  const double fast = a + r, slow = a - r; /* no overflow of cosh */
  return 1 - (fast * exp(-slow * time) - slow * exp(-fast * time)) / (2 * r);
}

static void filters_answer_a_step_exactly(void **state) {
  (void)state;
  static const double constants[] = {0.3, 0.01, 1e-4, 1e-9};
  static const double dampings[] = {0, 0.3, 1, 2.5};
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    for (int c = 0; c < 4; c++) {
      for (int d = 0; d < 4; d++) {
        char text[1000];
        const double T = constants[c], damping = dampings[d];
        if (damping == 0 && T < 1e-3) continue; /* rings for ever: no step resolves it */
        snprintf(text, sizeof text,
                 CART
                 "signals:\n"
                 "  one: {kind: filter, input: 1, time_constant: %g}\n"
                 "  two: {kind: filter, input: 1, time_constant: %g, order: 2, damping: %g}\n"
                 "  slope: {value: 3*two.rate}\n",
                 T, T, damping);
        plant p;
        plant_build(&p, text, (flg_scheme)s, 1e-3);
        for (int k = 0; k < 30; k++) {
          plant_run(&p, 1);
          const double t = p.steps * p.h;
          assert_near(plant_signal(&p, "one"), 1 - exp(-t / T), 1e-13);
          assert_near(plant_signal(&p, "two"), step_of_order_two(t, T, damping), 1e-12);
        }
        plant_drop(&p);
      }
    }
  }
}

static void a_sampled_filter_is_a_recursion(void **state) {
  (void)state;
  plant p;
  plant_build(&p,
              CART
              "signals:\n"
              "  in: {kind: sine, frequency: 3}\n"
              "  f: {kind: filter, input: in, time_constant: 0.05, sample: 0.02, initial: 0.5}\n"
              "  g: {kind: filter, input: in, time_constant: 0.05, order: 2, sample: 0.02}\n",
              FLG_SCHEME_RATTLE, 0.005);
  const double a = exp(-0.02 / 0.05), T = 0.05, S = 0.02;
  double y = 0.5, x = 0, v = 0; /* of order 2, critically damped: x = (A + B t) e^(-t/T) + u */
  for (int k = 0; k < 60; k++) {
    if (k % 4 == 0) {
      const double u = sin(6 * 3.14159265358979323846 * k * 0.005);
      y = a * y + (1 - a) * u;
      const double A = x - u, B = v + A / T;
      x = (A + B * S) * exp(-S / T) + u;
      v = (B - (A + B * S) / T) * exp(-S / T);
    }
    plant_run(&p, 1);
    assert_near(plant_signal(&p, "f"), y, 1e-13);
    assert_near(plant_signal(&p, "g"), x, 1e-13);
  }
  plant_drop(&p);
}

/* --- sources -----------------------------------------------------------------------------------
 */

/* momentum is the integral of the effort, also where that jumps between two steps */
static void jumps_between_steps_cost_nothing(void **state) {
  (void)state;
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    plant p;
    plant_build(&p,
                CART
                "signals:\n"
                "  a: {kind: step, at: 0.3, from: 1, to: 5}\n"
                "  b: {kind: table, interpolation: hold, points: [{at: 0, value: 2},\n"
                "      {at: 0.1, value: -1}, {at: 0.7, value: 4}]}\n"
                "  c: {kind: ramp, at: 0.2, until: 0.6, to: 8}\n"
                "efforts: {e: {on: rail, effort: a + b + c.rate}}\n",
                (flg_scheme)s, 0.1);
    plant_run_until(&p, 1);
    const double momentum = 0.3 * 1 + 0.7 * 5 + 0.1 * 2 - 0.6 + 0.3 * 4 + 0.4 * 20;
    assert_near(2 * plant_rate(&p, 0), momentum, 1e-12);
    assert_true(plant_signal(&p, "a") == 5);
    assert_near(plant_signal(&p, "c"), 8, 1e-14);
    plant_drop(&p);
  }
}

static void tables_come_from_files(void **state) {
  (void)state;
  test_folder folder = make_folder();
  make_file(&folder, "drive.csv", "time [s],x [m],y [N]\n0,0,1\n1,1,2\n2,4,4\n3,9,8\n");
  const char *path =
      make_file(&folder, "cart.yaml",
                CART
                "signals:\n"
                "  x: {kind: table, file: drive.csv, interpolation: spline}\n"
                "  z: {kind: table, file: drive.csv, column: y}\n"
                "  q: {kind: quintic, points: [{at: 0, value: 0}, {at: 2, value: 1}]}\n"
                "  sum: {value: x.rate + 0*z.rate}\n");
  plant p;
  plant_read_file(&p, path);
  plant_start(&p, FLG_SCHEME_RK4, 0.25);
  for (int k = 0; k < 8; k++) {
    plant_run(&p, 1);
    const double t = p.steps * p.h, s = t / 2;
    assert_near(plant_signal(&p, "x"), t * t, 1e-13); /* free ends: a cubic is met */
    assert_near(plant_signal(&p, "sum"), 2 * t, 1e-13);
    assert_near(plant_signal(&p, "z"), t < 1 ? 1 + t : 2 + 2 * (t - 1), 1e-13);
    assert_near(plant_signal(&p, "q"), s * s * s * (10 - 15 * s + 6 * s * s), 1e-13);
  }
  plant_drop(&p);
  remove_folder(&folder);
}

/* --- sampled controllers -----------------------------------------------------------------------
 */

/* x+ = x + T v + T^2/(2m) u, v+ = v + T/m u: rk4 is exact under a force that is held */
static void a_held_force_moves_a_mass_as_its_z_transform_says(void **state) {
  (void)state;
  plant p;
  plant_build(&p,
              CART
              "signals: {u: {value: \"-(30*(rail - 1) + 12*rail.velocity)\", sample: 1/50}}\n"
              "efforts: {e: {on: rail, effort: u}}\n",
              FLG_SCHEME_RK4, 1. / 400);
  double x = 0, v = 0;
  for (int k = 0; k < 100; k++) {
    const double T = 1. / 50, u = -(30 * (x - 1) + 12 * v);
    x += T * v + T * T / 4 * u, v += T / 2 * u;
    plant_run(&p, 8);
    assert_near(plant_position(&p, 0), x, 1e-12);
    assert_near(plant_rate(&p, 0), v, 1e-12);
    assert_near(plant_signal(&p, "u"), u, 1e-11);
  }
  plant_drop(&p);
}

typedef struct hand {
  double integral, slope, last;
  bool started;
} hand;

/* kp 40, ki 30, kd 8, filter 0.01, sample 0.02 */
static double pid_by_hand(hand *of, double e, double feed, double most, bool clamping) {
  if (!of->started) of->last = e, of->started = true;
  of->slope = (0.01 * of->slope + 8 * (e - of->last)) / (0.01 + 0.02);
  of->last = e;
  const double u = 40 * e + of->integral + of->slope + feed, v = bounded(u, most);
  const bool is_winding = (u > most && e > 0) || (u < -most && e < 0);
  if (!clamping) {
    of->integral += 0.02 * (30 * e + (v - u) / 0.1);
  } else if (!is_winding) {
    of->integral += 0.02 * 30 * e;
  }
  return v;
}

static void a_sampled_pid_is_its_recursion(void **state) {
  (void)state;
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    for (int clamping = 0; clamping < 2; clamping++) {
      char text[1000];
      snprintf(text, sizeof text,
               CART
               "signals:\n"
               "  goal: {kind: step, at: 0.1, to: 1}\n"
               "  c: {kind: pid, input: rail, target: goal, kp: 40, ki: 30, kd: 8, filter: 0.01,\n"
               "      feed_forward: 0.5*sin(time), limit: 25, sample: 0.02, windup: %s%s}\n"
               "efforts: {e: {on: rail, effort: c}}\n",
               clamping ? "clamping" : "back-calculation", clamping ? "" : ", tracking: 0.1");
      plant p;
      hand own = {0};
      double u = 0;
      plant_build(&p, text, (flg_scheme)s, 0.005);
      for (int k = 0; k < 200; k++) {
        const double t = k * 0.005;
        if (k % 4 == 0) {
          const double goal = t >= 0.1 - 1e-9 ? 1 : 0;
          u = pid_by_hand(&own, goal - plant_position(&p, 0), 0.5 * sin(t), 25, clamping);
        }
        plant_run(&p, 1);
        assert_near(plant_signal(&p, "c"), u, 1e-12);
      }
      plant_drop(&p);
    }
  }
}

/* the inner one, which is written first, sees what the outer one did at the same sample */
static void a_cascade_is_sampled_in_the_order_of_its_data(void **state) {
  (void)state;
  plant p;
  plant_build(&p,
              CART
              "signals:\n"
              "  inner: {kind: pid, input: rail.velocity, target: outer, kp: 20, sample: 0.01}\n"
              "  outer: {kind: pid, input: rail, target: 1, kp: 3, sample: 0.01}\n"
              "efforts: {e: {on: rail, effort: inner}}\n",
              FLG_SCHEME_RK4, 0.005);
  double x = 0, v = 0;
  for (int k = 0; k < 100; k++) {
    const double T = 0.01, u = 20 * (3 * (1 - x) - v);
    x += T * v + T * T / 4 * u, v += T / 2 * u;
    plant_run(&p, 2);
    assert_near(plant_signal(&p, "inner"), u, 1e-11);
    assert_near(plant_position(&p, 0), x, 1e-12);
  }
  plant_drop(&p);
}

/* the first in the file begins, with what the others held */
static void in_a_circle_of_samples_the_first_begins(void **state) {
  (void)state;
  plant p;
  plant_build(&p, CART "signals: {a: {value: b + 1, sample: 1}, b: {value: 2*a, sample: 1}}\n",
              FLG_SCHEME_RK4, 0.5);
  double a = 0, b = 0;
  for (int k = 0; k < 5; k++) {
    a = b + 1, b = 2 * a;
    plant_run(&p, 2);
    assert_true(plant_signal(&p, "a") == a && plant_signal(&p, "b") == b);
  }
  plant_drop(&p);
}

/* --- continuous controllers --------------------------------------------------------------------
 */

/* mass, kd and kp of a damped oscillator, ki = 0: x = 1 - e^(-at) (cos wt + a/w sin wt) */
static void a_continuous_pid_knows_the_rates_of_what_it_compares(void **state) {
  (void)state;
  static const double most[FLG_SCHEME_COUNT] = {3e-6, 1e-10, 1e-2};
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    plant p;
    plant_build(&p,
                CART
                "signals: {c: {kind: pid, input: rail, target: 1, kp: 50, kd: 4}}\n"
                "efforts: {e: {on: rail, effort: c}}\n",
                (flg_scheme)s, 1e-3);
    plant_run_until(&p, 0.7);
    const double t = 0.7, a = 1, w = sqrt(24);
    const double x = 1 - exp(-a * t) * (cos(w * t) + a / w * sin(w * t));
    assert_near(plant_position(&p, 0), x, most[s]);
    plant_drop(&p);
  }
}

/* e = 1 for a second, then -1; the output is at its limit 3 from 0.2 s on */
static double wound_up(const char *windup, double time) {
  char text[1000];
  snprintf(text, sizeof text,
           CART
           "signals:\n"
           "  goal: {kind: step, at: 1, from: 1, to: -1}\n"
           "  c: {kind: pid, input: 0, target: goal, kp: 2, ki: 5, limit: 3, windup: %s}\n",
           windup);
  plant p;
  plant_build(&p, text, FLG_SCHEME_RK4, 1e-3);
  plant_run_until(&p, time);
  const double output = plant_signal(&p, "c");
  plant_drop(&p);
  return output;
}

static void limits_do_not_wind_integrals_up(void **state) {
  (void)state;
  assert_near(wound_up("clamping", 0.1), 2.5, 1e-12);
  assert_near(wound_up("clamping", 0.9), 3, 0);
  /* the integral stands at 1 */
  assert_near(wound_up("clamping", 1.2), -2 + 1 - 5 * 0.2, 6e-3);
  /* the integral rests where 5 + (3 - 2 - I)/0.05 = 0, I = 1.25 */
  assert_near(wound_up("back-calculation, tracking: 0.05", 0.9), 3, 0);
  assert_near(wound_up("back-calculation, tracking: 0.05", 1.2), -2 + 1.25 - 5 * 0.2, 3e-7);
}

/* d = kd (e - x)/T, x' = (e - x)/T: e = t gives kd (1 - exp(-t/T)), e at the start gives nothing */
static void derivatives_are_filtered_and_start_from_rest(void **state) {
  (void)state;
  static const double filters[] = {0.05, 1e-3, 1e-7};
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    for (int k = 0; k < 3; k++) {
      char text[600];
      snprintf(text, sizeof text,
               CART "signals: {c: {kind: pid, input: 7, target: 7 + time, kd: 2, filter: %g}}\n",
               filters[k]);
      plant p;
      plant_build(&p, text, (flg_scheme)s, 1e-2);
      plant_run_until(&p, 0.1);
      /* semi-implicit: a step behind */
      const double tolerance = s == FLG_SCHEME_SEMI_IMPLICIT ? 2e-2 / filters[k] : 1e-7;
      assert_near(plant_signal(&p, "c"), 2 * (1 - exp(-0.1 / filters[k])), tolerance);
      plant_drop(&p);
    }
  }
}

/* --- behind the contract -----------------------------------------------------------------------
 */

/* two drives as in a parallel robot: a motor, a gear and a controller each */
static const char *drive_of_a_robot =
    "flange-component: 1\n"
    "name: drive\n"
    "parameters: {ratio: 59, kp: 590, kd: 0.22, kw: 0.4}\n"
    "bodies: {rotor: {mass: 0.3, inertia: [1e-4, 1e-4, 1e-4]},\n"
    "         arm: {mass: 2, inertia: [0.1, 0.1, 0.2]}}\n"
    "joints:\n"
    "  shaft: {kind: revolute, between: [world, rotor]}\n"
    "  q: {kind: revolute, between: [world, arm]}\n"
    "  gear: {kind: gear, drive: shaft, driven: q, ratio: =-ratio}\n"
    "signals:\n"
    "  p: {kind: quintic, points: [{at: 0, value: 0}, {at: 0.5, value: 1}]}\n"
    "motors:\n"
    "  m:\n"
    "    on: shaft\n"
    "    voltage: -(kp*(p - q) + kd*ratio*p.rate + kw*(ratio*p.rate + shaft.velocity))\n"
    "    limit: 90\n"
    "    resistance: 1.2\n"
    "    inductance: 2e-3\n"
    "    torque_constant: 0.3\n";

static double read_object(const flg_subsystem *part, const char *path, const char *word,
                          const char **unit) {
  int count;
  const flg_object *list = part->ops->objects(part->self, &count);
  for (int k = 0; k < count; k++) {
    for (int j = 0; strcmp(list[k].path, path) == 0 && j < list[k].quantity_count; j++) {
      const char *own = list[k].quantities[j].word;
      if (own != word && (own == NULL || word == NULL || strcmp(own, word) != 0)) continue;
      double value = NAN;
      part->ops->read(part->self, k, j, &value);
      *unit = list[k].quantities[j].unit;
      return value;
    }
  }
  fail_msg("no %s", path);
  return NAN;
}

static void a_drive_follows_and_can_be_recorded(void **state) {
  (void)state;
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    plant p;
    flg_subsystem part;
    flg_error error;
    const char *unit;
    plant_build(&p, drive_of_a_robot, (flg_scheme)s, 1e-3);
    assert_int_equal(flg_assembly_register(p.assembly, "drive", &part, &error), FLG_OK);
    for (int k = 0; k < 100; k++) {
      plant_run(&p, 10);
      const double q = plant_position(&p, 1), w = plant_rate(&p, 0);
      const double t = fmin(p.steps * p.h / 0.5, 1), goal = t * t * t * (10 + t * (6 * t - 15));
      const double rate = 60 * t * t * (1 - t) * (1 - t);
      const double wish = -(590 * (goal - q) + 0.22 * 59 * rate + 0.4 * (59 * rate + w));
      assert_near(read_object(&part, "m", "voltage", &unit), bounded(wish, 90), 1e-9);
      assert_string_equal(unit, "V");
      assert_near(read_object(&part, "p", NULL, &unit), goal, 1e-12);
      assert_near(read_object(&part, "m", "torque", &unit),
                  0.3 * read_object(&part, "m", "current", &unit), 1e-14);
    }
    assert_near(plant_position(&p, 1), 1, 5e-5);
    assert_near(plant_position(&p, 0), -59 * plant_position(&p, 1), 2e-11);
    plant_drop(&p);
  }
}

static uint64_t identity_of(const char *text) {
  plant p;
  flg_subsystem part;
  flg_error error;
  plant_build(&p, text, FLG_SCHEME_RATTLE, 1e-3);
  assert_int_equal(flg_assembly_register(p.assembly, "part", &part, &error), FLG_OK);
  const uint64_t identity = part.ops->identity(part.self, 1);
  plant_drop(&p);
  return identity;
}

static void every_number_of_a_signal_is_part_of_the_identity(void **state) {
  (void)state;
  static const char *const texts[] = {
      CART "signals: {a: {value: 2*time}}\n",
      CART "signals: {a: {value: 3*time}}\n",
      CART "signals: {a: {value: 2+time}}\n",
      CART "signals: {a: {value: 2*time, sample: 1}}\n",
      CART "signals: {a: {kind: sine, frequency: 1}}\n",
      CART "signals: {a: {kind: sine, frequency: 2}}\n",
      CART "signals: {a: {kind: quintic, points: [{at: 0, value: 1}]}}\n",
      CART "signals: {a: {kind: quintic, points: [{at: 0, value: 2}]}}\n",
      CART "efforts: {a: {on: rail, effort: 1}}\n",
      CART "efforts: {a: {on: rail, effort: 1, limit: 3}}\n",
      CART "motors: {a: {on: rail, voltage: 1, resistance: 1, torque_constant: 1}}\n",
      CART "motors: {a: {on: rail, voltage: 1, resistance: 2, torque_constant: 1}}\n"};
  enum { COUNT = sizeof texts / sizeof texts[0] };
  uint64_t seen[COUNT];
  for (int k = 0; k < COUNT; k++) {
    seen[k] = identity_of(texts[k]);
    for (int j = 0; j < k; j++) assert_true(seen[j] != seen[k]);
    assert_true(identity_of(texts[k]) == seen[k]);
  }
}

static void what_diverges_is_named(void **state) {
  (void)state;
  plant p;
  flg_subsystem part;
  flg_error error = {0};
  plant_build(&p, CART "signals: {f: {kind: filter, input: 1/(1 - time), time_constant: 1}}\n",
              FLG_SCHEME_RK4, 0.5);
  assert_int_equal(flg_assembly_register(p.assembly, "part", &part, &error), FLG_OK);
  assert_int_equal(part.ops->advance(part.self, 0, 0.5, 0, 4, &error), FLG_ERR_DIVERGED);
  assert_non_null(strstr(error.message, "the state of 'f' is no longer finite"));
  plant_drop(&p);
}

/* the one whose formula has no value, not what it drives nor the body that is pushed by it */
static void formulas_without_a_value_are_named(void **state) {
  (void)state;
  static const char *const texts[][2] = {
      {CART "signals: {arc: {kind: formula, value: asin(2*time)}, sum: {kind: formula, value: 1 + "
            "arc}}\nefforts: {push: {on: rail, effort: sum}}\n",
       "'arc' has no value"},
      {CART "signals: {arc: {kind: formula, value: acos(2*time), sample: 1/100}}\n"
            "efforts: {push: {on: rail, effort: \"max(arc, 1)\"}}\n",
       "'arc' has no value"},
      {CART "efforts: {push: {on: rail, effort: log10(0.5 - time)}}\n", "'push' has no value"},
      {CART "motors: {m: {on: rail, voltage: sqrt(0.5 - time), resistance: 1, torque_constant: "
            "1}}\n",
       "'m' has no value"}};
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
    for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
      plant p;
      flg_subsystem part;
      flg_error error = {0};
      plant_build(&p, texts[k][0], (flg_scheme)scheme, 0.01);
      assert_int_equal(flg_assembly_register(p.assembly, "part", &part, &error), FLG_OK);
      assert_int_equal(part.ops->advance(part.self, 0, 0.01, 0, 45, &error), FLG_OK);
      assert_int_equal(part.ops->advance(part.self, 0, 0.01, 45, 20, &error), FLG_ERR_DIVERGED);
      if (strstr(error.message, texts[k][1]) == NULL) fail_msg("%s", error.message);
      assert_non_null(strstr(error.message, "at t = 0.5"));
      plant_drop(&p);
    }
  }
}

/* --- snapshots and memory ----------------------------------------------------------------------
 */

static const char *mixed_text =
    "flange-component: 1\n"
    "bodies: {rod: {mass: 0.5, inertia: [0.01, 0.01, 0.01], at: [0.3, 0.1, 0]}}\n"
    "joints: {hinge: {kind: revolute, between: [world, rod], at: [0, 0, 0]}}\n"
    "signals:\n"
    "  goal: {kind: sine, frequency: 1}\n"
    "  smooth: {kind: filter, input: goal, order: 2, time_constant: 0.02, damping: 0.5}\n"
    "  slow: {kind: pid, input: hinge, target: smooth, kp: 4, ki: 3, kd: 0.5, sample: 1/70}\n"
    "  held: {kind: filter, input: hinge, time_constant: 0.1, sample: 1/30}\n"
    "  fast: {kind: pid, input: m.current, target: slow + held, kp: 2, ki: 100, limit: 24}\n"
    "motors: {m: {on: hinge, voltage: fast, resistance: 1, inductance: 1e-3,\n"
    "             torque_constant: 0.5}}\n";

static void snapshots_repeat_to_the_last_bit(void **state) {
  (void)state;
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    plant p, other;
    int count;
    plant_build(&p, mixed_text, (flg_scheme)s, 1e-3);
    plant_build(&other, mixed_text, (flg_scheme)s, 1e-3);
    plant_run(&p, 123);
    double *now = flg_assembly_state(p.assembly, &count);
    const size_t bytes = (size_t)count * sizeof *now;
    double *saved = malloc(bytes), *later = malloc(bytes);
    assert_true(saved != NULL && later != NULL);
    memcpy(saved, now, bytes);
    plant_run(&p, 200);
    memcpy(later, now, bytes);
    memcpy(now, saved, bytes);
    p.steps = 123;
    flg_assembly_refresh(p.assembly, p.steps * p.h);
    plant_run(&p, 200);
    assert_memory_equal(now, later, bytes);
    /* and in an assembly that has a past of its own */
    plant_run(&other, 7);
    memcpy(flg_assembly_state(other.assembly, &count), saved, bytes);
    other.steps = 123;
    flg_assembly_refresh(other.assembly, other.steps * other.h);
    plant_run(&other, 200);
    assert_memory_equal(flg_assembly_state(other.assembly, &count), later, bytes);
    free(saved), free(later);
    plant_drop(&p);
    plant_drop(&other);
  }
}

static void memory_may_end_anywhere_while_reading(void **state) {
  (void)state;
  size_t needed = 1;
  for (size_t limit = 0; limit < needed; limit += limit < 20000 ? 97 : 1009) {
    plant p = {.region = {.limit = limit}};
    const flg_component_use use = {.path = "text.yaml", .pose = flg_pose_identity()};
    flg_node *root = flg_yaml_parse(&p.region, "text.yaml", drive_of_a_robot,
                                    strlen(drive_of_a_robot), &p.mistakes);
    if (root != NULL) component_read(&p.component, &use, root, &p.region, &p.mistakes);
    const bool failed = root == NULL || p.region.failed;
    assert_true(!failed || p.mistakes.count > 0);
    if (failed || limit == 0) needed = limit + 2018; /* once more, at least */
    flg_region_release(&p.region);
  }
}

static void steps_allocate_nothing(void **state) {
  (void)state;
  if (!allocations_counted()) skip();
  for (int s = 0; s < FLG_SCHEME_COUNT; s++) {
    plant p;
    plant_build(&p, mixed_text, (flg_scheme)s, 1e-3);
    allocations_begin();
    plant_run(&p, 50);
    assert_int_equal(allocations_end(), 0);
    plant_drop(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(filters_answer_a_step_exactly),
      cmocka_unit_test(a_sampled_filter_is_a_recursion),
      cmocka_unit_test(jumps_between_steps_cost_nothing),
      cmocka_unit_test(tables_come_from_files),
      cmocka_unit_test(a_held_force_moves_a_mass_as_its_z_transform_says),
      cmocka_unit_test(a_sampled_pid_is_its_recursion),
      cmocka_unit_test(a_cascade_is_sampled_in_the_order_of_its_data),
      cmocka_unit_test(in_a_circle_of_samples_the_first_begins),
      cmocka_unit_test(a_continuous_pid_knows_the_rates_of_what_it_compares),
      cmocka_unit_test(limits_do_not_wind_integrals_up),
      cmocka_unit_test(derivatives_are_filtered_and_start_from_rest),
      cmocka_unit_test(snapshots_repeat_to_the_last_bit),
      cmocka_unit_test(memory_may_end_anywhere_while_reading),
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(a_drive_follows_and_can_be_recorded),
      cmocka_unit_test(every_number_of_a_signal_is_part_of_the_identity),
      cmocka_unit_test(what_diverges_is_named),
      cmocka_unit_test(formulas_without_a_value_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
