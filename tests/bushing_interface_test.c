/* Interfaces with a bushing in place of a joint (src/forces/bushing.c): against closed forms, the
 * same system solved as one, and welds. */
#include "coupling_elements.h"
#include "dynamics/test_frames.h"
#include "forces/force.h"
#include "math/larger.h"

/* --- rows ------------------------------------------------------------------------------------ */

/* sides and bias against differences of the rates, on frames that accelerate */
static void rates_change_by_sides_and_bias(void **state) {
  (void)state;
  random_source source = {7};
  for (int k = 0; k < 200; k++) {
    test_motion motion = random_motion(&source);
    if (k % 4 == 0) { /* nearly together: the series */
      const flg_mat3 small = flg_quat_to_matrix(
          flg_quat_exp(flg_vec3_scale(random_vector(&source), k % 8 == 0 ? 0 : 0.02)));
      motion.start[1].pose.rotation = flg_mat3_multiply(&motion.start[0].pose.rotation, &small);
    }
    flg_moving_frame end[2];
    flg_constraint_row now[FLG_FORCE_ROWS_MAX], before[FLG_FORCE_ROWS_MAX],
        after[FLG_FORCE_ROWS_MAX];
    const double dt = 1e-5;
    motion_at(&motion, 0, end), flg_bushing_kind.measure(end, now);
    motion_at(&motion, -dt, end), flg_bushing_kind.measure(end, before);
    motion_at(&motion, dt, end), flg_bushing_kind.measure(end, after);
    const double angle =
        sqrt(now[3].left * now[3].left + now[4].left * now[4].left + now[5].left * now[5].left);
    if (angle > 2.8) continue; /* next to half a turn the rotation vector jumps */
    for (int i = 0; i < 6; i++) {
      double expected = now[i].bias;
      for (int s = 0; s < 2; s++) {
        expected += flg_spatial_dot(now[i].side[s], motion.acceleration[s]);
      }
      assert_near((after[i].left - before[i].left) / (2 * dt), now[i].rate, 2e-9);
      assert_near((after[i].rate - before[i].rate) / (2 * dt), expected, 5e-9);
    }
  }
}

/* --- masses on rails: closed forms ------------------------------------------------------------ */

/* z of the ends is along the rails */
static void masses_swing_as_on_a_spring(void **state) {
  (void)state;
  const double m[2] = {0.7, 2}, reduced = m[0] * m[1] / (m[0] + m[1]);
  const double decay = 0.5 / reduced / 2, w = sqrt(10 / reduced - decay * decay);
  const double apart = exp(-decay) * sin(w) / w, centre = m[0] / (m[0] + m[1]);
  for (int k = 0; k < 2 * ELEMENT_INTEGRATORS * EXACT_SCHEMES; k++) {
    const int integrator = k / EXACT_SCHEMES % ELEMENT_INTEGRATORS;
    const two_masses of = {.masses = {m[0], m[1]},
                           .joint = "bushing: {stiffness: [3, 4, 10], damping: [1, 2, 0.5]}",
                           .between = k % 2 == 0 ? "l/p, r/p" : "r/p, l/p",
                           .scheme = exact_schemes[k % EXACT_SCHEMES],
                           .integrator = element_integrators[integrator],
                           .end = 1,
                           .macro = 0.01,
                           .has_trees = k >= ELEMENT_INTEGRATORS * EXACT_SCHEMES};
    double values[6];
    finish_run(load_masses(&of), values);
    const double bound = integrator == 2 ? 5e-4 : 3e-6;
    assert_near(values[0], centre + m[1] / (m[0] + m[1]) * apart, bound);
    assert_near(values[3], centre - m[0] / (m[0] + m[1]) * apart, bound);
  }
}

static void the_force_is_what_the_second_end_gains(void **state) {
  (void)state;
  static const char *const schemes[] = {"monolithic", "sequential", "parallel", "paper-nonsmooth"};
  static const char *const keys[] = {"bushing: {stiffness: [1, 2, 10], damping: [0, 0, 0.2]}",
                                     "bushing: {stiffness: [1, 2, 10], implicit: true}"};
  for (int k = 0; k < 16; k++) {
    const two_masses of = {.masses = {1, 1},
                           .joint = keys[k / 8],
                           .between = k % 2 == 0 ? "l/p, r/p" : "r/p, l/p",
                           .scheme = schemes[k / 2 % 4],
                           .integrator = k < 8 ? "rk4" : "rattle",
                           .end = 0.8,
                           .macro = 0.01,
                           .record = "l/a.velocity, r/a.velocity, cut.force"};
    check_force_of_cut(&of, k % 2 == 1);
  }
}

/* --- bodies in space: as one ------------------------------------------------------------------ */

enum { TEXT = 3000, NUMBERS = 9 };

typedef struct mounted {
  const char *scheme, *keys, *between, *step;
  bool is_robot; /* the first is one, in joint coordinates */
} mounted;

static flg_simulation *load_mounted(const mounted *of) {
  static const char *const component =
      "flange-component: 1\n"
      "bodies: {b: {mass: 2, inertia: [0.2, 0.3, 0.4], at: [0.1, 0, 0]}}\n"
      "joints: {hang: {kind: revolute, between: [world, b], axis: [0.2, 1, 0]}}\n"
      "ports: {p: {body: b, at: [0.2, 0.1, 0]}}\n";
  static const char *const robot =
      "flange-model: 1\n"
      "bodies: {b: {mass: 2, inertia: [0.2, 0.3, 0.4], centre: [0.1, 0, 0]}}\n"
      "joints: {hang: {kind: revolute, child: b, axis: [0.2, 1, 0]}}\n"
      "ports: {p: {body: b, at: [0.3, 0.1, 0]}}\n";
  static const char *const free_body =
      "flange-component: 1\n"
      "bodies: {b: {mass: 1, inertia: [0.1, 0.2, 0.15], angular_velocity: [0, 1, 2]}}\n"
      "ports: {p: {body: b, at: [-0.1, 0, 0.05]}}\n";
  char text[TEXT];
  test_folder folder = make_folder();
  make_file(&folder, "a.yaml", of->is_robot ? robot : component);
  make_file(&folder, "b.yaml", free_body);
  snprintf(text, sizeof text,
           "flange: 1\n"
           "gravity: [0, 0, -9.81]\n"
           "time: {end: 0.5, macro: 1/100}\n"
           "subsystems:\n"
           "  a: {model: a.yaml, step: %s}\n"
           "  b: {model: b.yaml, step: %s, at: [0.4, 0.1, -0.05]}\n"
           "interfaces: {mount: {between: [%s], bushing: {%s}}}\n"
           "coupling: {scheme: %s, step: %s}\n"
           "record: [a/b.position, b/b.position, b/b.velocity, mount.force]\n",
           of->step, of->step, of->between == NULL ? "a/p, b/p" : of->between, of->keys, of->scheme,
           of->step);
  flg_simulation *simulation = load_with(make_file(&folder, "scenario.yaml", text), NULL);
  remove_folder(&folder);
  return simulation;
}

static const char RUBBER[] =
    "stiffness: [1000, 2000, 1500], angular_stiffness: [20, 10, 30], damping: [5, 6, 7], "
    "angular_damping: [0.1, 0.2, 0.3]";

static double apart_from(const double *a, const double *b) {
  double most = 0;
  for (int k = 0; k < NUMBERS; k++) most = flg_larger(most, fabs(a[k] - b[k]));
  return most;
}

static void bodies_and_robots_move_as_in_one(void **state) {
  (void)state;
  for (int k = 0; k < 2 * EXACT_SCHEMES; k++) {
    const bool is_robot = k % 2 == 1;
    double exact[NUMBERS + 6], errors[2];
    finish_run(load_mounted(&(mounted){"monolithic", RUBBER, NULL, "1/8000", is_robot}), exact);
    for (int i = 0; i < 2; i++) {
      double values[NUMBERS + 6];
      finish_run(load_mounted(&(mounted){exact_schemes[k / 2], RUBBER, NULL,
                                         i == 0 ? "1/1000" : "1/4000", is_robot}),
                 values);
      errors[i] = apart_from(values, exact);
    }
    if (!(errors[0] < 0.02 && errors[1] < 0.35 * errors[0])) {
      fail_msg("%s, robot %d: %g, %g", exact_schemes[k / 2], is_robot, errors[0], errors[1]);
    }
  }
}

/* One stiffness for all displacements: either end may be the first. Couplings take rows in axes of
 * the first end by their own stiffness, so that it shows in errors of the step. */
static void ends_can_be_exchanged(void **state) {
  (void)state;
  static const char keys[] = "stiffness: [900, 900, 900], angular_stiffness: [20, 10, 30]";
  static const char *const schemes[] = {"monolithic", "sequential", "parallel"};
  static const char *const steps[] = {"1/1000", "1/4000"};
  for (int k = 0; k < 3; k++) {
    double apart[2];
    for (int i = 0; i < 2; i++) {
      double one[NUMBERS + 6], other[NUMBERS + 6];
      finish_run(load_mounted(&(mounted){schemes[k], keys, "a/p, b/p", steps[i], false}), one);
      finish_run(load_mounted(&(mounted){schemes[k], keys, "b/p, a/p", steps[i], false}), other);
      apart[i] = apart_from(one, other);
      assert_true(one[NUMBERS] * other[NUMBERS] < 0);
    }
    assert_true(k == 0 ? apart[0] < 1e-12 : apart[1] < 0.35 * apart[0] && apart[0] < 1e-3);
  }
}

static void stiff_bushings_tend_to_a_weld(void **state) {
  (void)state;
  static const char stiff[] =
      "stiffness: [1e9, 1e9, 1e9], angular_stiffness: [1e8, 1e8, 1e8], damping: [1e6, 1e6, 1e6], "
      "angular_damping: [1e5, 1e5, 1e5], implicit: true";
  static const char *const schemes[] = {"monolithic", "sequential", "parallel"};
  for (int k = 0; k < 3; k++) {
    flg_simulation *simulation = load_mounted(&(mounted){schemes[k], stiff, NULL, "1/1000", false});
    double values[NUMBERS + 6];
    finish_run(simulation, values);
    double way[3], length = 0; /* of both centres of mass, as on one rigid body */
    for (int i = 0; i < 3; i++) way[i] = values[3 + i] - values[i], length += way[i] * way[i];
    assert_near(sqrt(length), sqrt(0.3 * 0.3 + 0.1 * 0.1 + 0.05 * 0.05), 2e-7);
  }
}

static flg_simulation *load_scheme(const char *scheme) {
  return load_mounted(&(mounted){scheme, RUBBER, NULL, "1/1000", false});
}

static void runs_resume_bit_for_bit(void **state) {
  (void)state;
  static const char *const schemes[] = {"monolithic", "sequential", "parallel", "extrapolate"};
  for (int k = 0; k < 4; k++) resume_every_step(load_scheme, schemes[k]);
}

/* --- what cannot be --------------------------------------------------------------------------- */

static void mistakes_are_told(void **state) {
  (void)state;
  static const struct {
    const char *keys, *sentence;
  } cases[] = {
      {"joint: revolute, bushing: {stiffness: [1, 1, 1]}", "leave out 'joint: revolute'"},
      {"stiffness: 3, bushing: {stiffness: [1, 1, 1]}", "'stiffness' is not for the kind"},
      {"bushing: {stiffness: [1, -1, 1]}", "-1"},
      {"bushing: {stiffness: [1, 1]}", "3"},
      {"bushing: {stifness: [1, 1, 1]}", "stiffness"},
  };
  static const char *const schemes[] = {"monolithic", "sequential"};
  for (size_t k = 0; k < 2 * sizeof cases / sizeof cases[0]; k++) {
    assert_refused(cases[k / 2].keys, schemes[k % 2], cases[k / 2].sentence, 4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_change_by_sides_and_bias),
      cmocka_unit_test(masses_swing_as_on_a_spring),
      cmocka_unit_test(the_force_is_what_the_second_end_gains),
      cmocka_unit_test(bodies_and_robots_move_as_in_one),
      cmocka_unit_test(ends_can_be_exchanged),
      cmocka_unit_test(stiff_bushings_tend_to_a_weld),
      cmocka_unit_test(runs_resume_bit_for_bit),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
