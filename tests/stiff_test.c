/* Springs that are too stiff for steps, without a word about them in files: slow motions are those
 * of rigid joints, energy does not grow, or the run says that it failed. By closed forms and pairs
 * that must agree, over stiffness, mass, step, integrators and couplings. */
#include <math.h>

#include "scenarios.h"

enum { TEXT = 4000, VALUES = 16 };

typedef struct outcome {
  flg_status status; /* of the run, or of what is judged at its end */
  flg_energy energy;
  double values[VALUES];
} outcome;

static outcome run(const char *scenario, const char *model, const char *other) {
  flg_simulation *simulation = load_three_texts(scenario, model, other);
  flg_error error = {0};
  outcome of = {0};
  of.status = run_and_judge(simulation, &error);
  of.energy = flg_simulation_energy(simulation);
  flg_simulation_record(simulation, of.values);
  flg_simulation_release(simulation);
  return of;
}

static const char *const integrators[] = {"rattle", "semi-implicit"};

/* --- one mass -----------------------------------------------------------------------------------
 */

/* vibrations that steps do not resolve keep their energy in rattle, and lose it in semi-implicit */
static void a_mass_on_a_spring_never_gains_energy(void **state) {
  (void)state;
  static const double masses[] = {1e-3, 1, 1e3};
  for (int k = 0; k < 3 * 4 * 3 * 2; k++) {
    char scenario[TEXT], model[TEXT];
    const double m = masses[k % 3], stiffness = pow(10, 3 + 2 * (k / 3 % 4));
    const int rate = (int[]){50, 200, 5000}[k / 12 % 3], scheme = k / 36;
    const double z = sqrt(stiffness / m) / rate;
    snprintf(model, sizeof model,
             "flange-component: 1\nbodies: {a: {mass: %g, inertia: [0.1, 0.1, 0.1]}}\n"
             "joints: {j: {kind: prismatic, between: [world, a], axis: [1, 0, 0]}}\n"
             "springs: {s: {on: j, stiffness: %g, rest: 0.1}}\n",
             m, stiffness);
    snprintf(scenario, sizeof scenario,
             "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 1, macro: 1/50}\nsubsystems: {m: {model: "
             "model.yaml, step: 1/%d, integrator: %s}}\nrecord: [m/a.position]\n",
             rate, integrators[scheme]);
    const outcome of = run(scenario, model, NULL);
    assert_int_equal(of.status, FLG_OK);
    const double growth = of.energy.most / of.energy.initial,
                 left = of.energy.final / of.energy.initial;
    if (z > 2 || (scheme == 0 && z > 1)) { /* it is implicit */
      assert_true(growth < 1 + 1e-9);
      if (scheme == 0) assert_near(left, 1, 1e-10);
    }
    assert_true(fabs(of.values[0] - 0.1) < 0.1 * 1.3);
  }
}

/* --- chains -------------------------------------------------------------------------------------
 */

enum { LINKS = 5 };
static const double LOAD = 10, SOFT = 400;

/* a load on a chain of small masses and stiff springs that hangs on a soft one */
static void write_chain(char *model, double stiffness, double mass) {
  int n = snprintf(model, TEXT, "flange-component: 1\nbodies: {");
  for (int i = 0; i <= LINKS; i++) {
    n += snprintf(model + n, TEXT - (size_t)n,
                  " b%d: {mass: %g, inertia: [1, 1, 1], at: [0, 0, %g]},", i,
                  i < LINKS ? mass : LOAD, -0.1 * i);
  }
  n += snprintf(model + n, TEXT - (size_t)n, "}\njoints: {");
  for (int i = 0; i <= LINKS; i++) {
    n += snprintf(model + n, TEXT - (size_t)n,
                  " j%d: {kind: prismatic, between: [world, b%d], axis: [0, 0, 1]},", i, i);
  }
  n += snprintf(model + n, TEXT - (size_t)n, "}\nsprings: { s: {on: j0, stiffness: %g, rest: 0},",
                SOFT);
  for (int i = 0; i < LINKS; i++) {
    n += snprintf(model + n, TEXT - (size_t)n, " s%d: {between: [b%d, b%d], stiffness: %g},", i, i,
                  i + 1, stiffness);
  }
  snprintf(model + n, TEXT - (size_t)n, "}\n");
}

static void chains_of_stiff_springs_swing_as_one_mass(void **state) {
  (void)state;
  for (int k = 0; k < 3 * 3 * 2 * 2; k++) {
    char scenario[TEXT], model[TEXT];
    const double stiffness = pow(10, 7 + 2.5 * (k % 3)), mass = k / 9 % 2 == 0 ? 1e-3 : 1;
    const int rate = (int[]){50, 200, 1000}[k / 3 % 3], scheme = k / 18;
    write_chain(model, stiffness, mass);
    snprintf(scenario, sizeof scenario,
             "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 1, macro: 1/50}\nsubsystems: {m: "
             "{model: model.yaml, step: 1/%d, integrator: %s}}\nrecord: [m/b5.position]\n",
             rate, integrators[scheme]);
    const outcome of = run(scenario, model, NULL);
    const double total = LOAD + LINKS * mass, h = 1. / rate;
    const double exact = -0.1 * LINKS - 9.81 * total / SOFT * (1 - cos(sqrt(SOFT / total)));
    const double stretch = 2 * LINKS * 9.81 * total / stiffness;
    assert_int_equal(of.status, FLG_OK);
    assert_near(of.values[2], exact, stretch + (scheme == 0 ? 3 * h * h : 1.5 * h));
  }
}

/* --- interfaces ---------------------------------------------------------------------------------
 */

/* a load on a soft spring, with a light end on a stiff one */
static void write_side(char *model, double speed, double stiffness, double mass) {
  snprintf(model, TEXT,
           "flange-component: 1\nbodies:\n"
           "  a: {mass: 5, inertia: [0.1, 0.1, 0.1], velocity: [%g, 0, 0]}\n"
           "  b: {mass: %g, inertia: [0.1, 0.1, 0.1], at: [0.2, 0, 0], velocity: [%g, 0, 0]}\n"
           "joints:\n  rail: {kind: prismatic, between: [world, a], axis: [1, 0, 0]}\n"
           "  other: {kind: prismatic, between: [world, b], axis: [1, 0, 0]}\n"
           "springs:\n  soft: {on: rail, stiffness: 100}\n"
           "  hard: {between: [a, b], stiffness: %g}\nports: {p: {body: b}}\n",
           speed, mass, speed, stiffness);
}

static outcome run_sides(const char *scheme, const char *integrator, int rate, int macro,
                         double stiffness, double mass, double between) {
  char scenario[TEXT], left[TEXT], right[TEXT];
  write_side(left, 1, stiffness, mass);
  write_side(right, 0.2, stiffness, mass);
  snprintf(scenario, sizeof scenario,
           "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 1, macro: 1/%d}\ncoupling: {scheme: %s}\n"
           "subsystems:\n  l: {model: model.yaml, step: 1/%d, integrator: %s}\n"
           "  r: {model: robot.yaml, step: 1/%d, integrator: %s}\n"
           "interfaces: {cut: {between: [l/p, r/p], joint: prismatic, axis: [1, 0, 0], stiffness: "
           "%g}}\nrecord: [l/a.position, r/a.position]\n",
           macro, scheme, rate, integrator, rate, integrator, between);
  return run(scenario, left, right);
}

/* The mean of both loads knows nothing of what is between them: two loads and their ends on two
 * soft springs, at the mean of their speeds. */
static void springs_of_interfaces_and_inside_of_subsystems_keep_the_slow_motion(void **state) {
  (void)state;
  static const char *const schemes[] = {"monolithic", "sequential",   "parallel",
                                        "neighbour",  "paper-smooth", "paper-nonsmooth"};
  int told = 0, count = 0;
  for (int k = 0; k < 6 * 2 * 3 * 2 * 3; k++) {
    const double stiffness = pow(10, 4 + 2 * (k / 12 % 3)), mass = k / 36 % 2 == 0 ? 0.01 : 1;
    const double between = pow(10, 1 + 3.5 * (k / 72)), w = sqrt(100 / (5 + mass));
    const char *scheme = schemes[k % 6], *integrator = integrators[k / 6 % 2];
    const outcome of = run_sides(scheme, integrator, 200, 200, stiffness, mass, between);
    const double mean = (of.values[0] + of.values[3]) / 2, exact = 0.6 / w * sin(w);
    count++, told += of.status != FLG_OK;
    if (of.status == FLG_OK) assert_near(mean, exact, 5e-4);
    if (strcmp(scheme, "monolithic") == 0) assert_int_equal(of.status, FLG_OK);
  }
  print_message("           %d runs, %d of them told that they failed\n", count, told);
  assert_true(told * 4 < count);
}

/* Schemes that hold motions, and macro steps that are too long for what is joined: where energy
 * comes out of nothing, the run says so. */
static void what_is_not_told_is_right(void **state) {
  (void)state;
  static const char *const schemes[] = {"hold", "extrapolate", "sequential", "parallel"};
  int told = 0, count = 0;
  for (int k = 0; k < 4 * 2 * 3 * 2; k++) {
    const double stiffness = 1e4, between = pow(10, 2 + 2 * (k / 8 % 3));
    const double mass = k / 24 == 0 ? 0.01 : 1; /* stiffer springs are implicit in semi-implicit
                                                   subsystems, whose energy is not judged */
    const char *integrator = integrators[k / 4 % 2];
    const outcome exact = run_sides("monolithic", "rattle", 5000, 100, stiffness, mass, between);
    const outcome of = run_sides(schemes[k % 4], integrator, 1000, 100, stiffness, mass, between);
    count++, told += of.status != FLG_OK;
    assert_int_equal(exact.status, FLG_OK);
    for (int i = 0; i < 4 && of.status == FLG_OK; i += 3) {
      assert_near(of.values[i], exact.values[i], 0.02);
    }
  }
  print_message("           %d runs, %d of them told that they failed\n", count, told);
  assert_true(told < count);
}

/* --- robots -------------------------------------------------------------------------------------
 */

static const char arm[] =
    "flange-model: 1\nbodies:\n"
    "  upper: {mass: 1, centre: [0.5, 0, 0], inertia: [4e-4, 0.08, 0.08]}\n"
    "  lower: {mass: 1, centre: [0.5, 0, 0], inertia: [4e-4, 0.08, 0.08]}\n"
    "joints:\n  shoulder: {kind: revolute, child: upper, axis: [0, 1, 0]}\n"
    "  elbow: {kind: revolute, parent: upper, child: lower, at: [1, 0, 0], axis: [0, 1, 0]}\n"
    "ports: {tip: {body: lower, at: [1, 0, 0]}}\n";

static outcome run_arms(const char *scheme, const char *integrator, int rate, const char *joined) {
  char scenario[TEXT];
  snprintf(
      scenario, sizeof scenario,
      "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 1, macro: 1/%d}\n"
      "coupling: {scheme: %s, integrator: %s}\nsubsystems:\n"
      "  l: {model: robot.yaml, step: 1/%d, integrator: %s, initial: {shoulder: 20 deg, elbow: "
      "30 deg}}\n"
      "  r: {model: robot.yaml, step: 1/%d, integrator: %s, at: [%.15g, 0, 0], initial: "
      "{shoulder: 160 deg, elbow: -30 deg}}\n"
      "interfaces: {cut: {between: [l/tip, r/tip], %s}}\n"
      "record: [l/lower.position, r/lower.position]\n",
      rate, scheme, integrator, rate, strcmp(integrator, "rattle") == 0 ? "leapfrog" : integrator,
      rate, strcmp(integrator, "rattle") == 0 ? "leapfrog" : integrator,
      2 * (0.93969262078590838 + 0.64278760968653933), joined);
  return run(scenario, NULL, arm);
}

static void stiff_springs_between_robots_are_joints(void **state) {
  (void)state;
  static const char *const schemes[] = {"monolithic", "sequential", "parallel", "neighbour"};
  const outcome exact = run_arms("monolithic", "rattle", 5000, "joint: spherical");
  assert_int_equal(exact.status, FLG_OK);
  for (int k = 0; k < 4 * 2 * 2 * 2; k++) {
    char joined[200];
    const double stiffness = k / 8 % 2 == 0 ? 1e7 : 1e9;
    const int rate = k / 16 == 0 ? 200 : 1000, scheme = k / 4 % 2;
    snprintf(joined, sizeof joined, "bushing: {stiffness: [%g, %g, %g]}", stiffness, stiffness,
             stiffness);
    const outcome of = run_arms(schemes[k % 4], integrators[scheme], rate, joined);
    const double h = 1. / rate;
    if (k % 4 == 0) assert_int_equal(of.status, FLG_OK);
    for (int i = 0; i < 6 && of.status == FLG_OK; i++) {
      assert_near(of.values[i], exact.values[i], scheme == 0 ? 100 * h * h : 10 * h);
    }
  }
}

/* --- contacts -----------------------------------------------------------------------------------
 */

/* a load on a light foot, by a stiff spring, dropped by 0.1 m; it stands at 0.6 m in the end */
static void legs_of_stiff_springs_land_and_stand(void **state) {
  (void)state;
  for (int k = 0; k < 3 * 3 * 3 * 2; k++) {
    char scenario[TEXT], model[TEXT];
    const double mass = pow(10, 2 * (k % 3) - 2), stiffness = k / 3 % 3 == 0 ? 1e6 : 1e9;
    const double damping = k / 3 % 3 == 2 ? 0 : 1e-3 * stiffness;
    const int rate = (int[]){50, 200, 1000}[k / 9 % 3];
    snprintf(
        model, sizeof model,
        "flange-component: 1\nbodies:\n"
        "  load: {mass: 10, inertia: [1, 1, 1], at: [0, 0, 0.7]}\n"
        "  foot: {mass: %g, inertia: [0.1, 0.1, 0.1], at: [0, 0, 0.2], shapes: [{kind: sphere, "
        "size: 0.1, collision: true}]}\n"
        "joints:\n  a: {kind: prismatic, between: [world, load], axis: [0, 0, 1]}\n"
        "  b: {kind: prismatic, between: [world, foot], axis: [0, 0, 1]}\n"
        "springs: {s: {between: [load, foot], stiffness: %g, damping: %g}}\n",
        mass, stiffness, damping);
    snprintf(scenario, sizeof scenario,
             "flange: 1\ntime: {end: 1, macro: 1/50}\nground: {shapes: [{kind: plane}]}\n"
             "materials: {m: {restitution: %g}}\ncontacts: {material: m}\n"
             "subsystems: {m: {model: model.yaml, step: 1/%d, integrator: %s}}\n"
             "record: [m/load.position, m/foot.position]\n",
             k % 2 == 0 ? 0 : 0.5, rate, integrators[k / 27]);
    const outcome of = run(scenario, model, NULL);
    assert_int_equal(of.status, FLG_OK);
    assert_true(of.energy.most < of.energy.initial * 1.001);
    assert_near(of.values[2], 0.6, 1e-3);
    assert_near(of.values[5], 0.1, 1e-11);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mass_on_a_spring_never_gains_energy),
      cmocka_unit_test(chains_of_stiff_springs_swing_as_one_mass),
      cmocka_unit_test(springs_of_interfaces_and_inside_of_subsystems_keep_the_slow_motion),
      cmocka_unit_test(what_is_not_told_is_right),
      cmocka_unit_test(stiff_springs_between_robots_are_joints),
      cmocka_unit_test(legs_of_stiff_springs_land_and_stand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
