/* Runs that cannot be right are not called complete: what is not finite names what computed it, and
 * springs that steps cannot follow are told before the run. Limits of steps are closed forms. */
#include <math.h>

#include "scenarios.h"

static const char *const schemes[] = {"semi-implicit", "rattle", "rk4"};

static flg_simulation *load(const char *model, const char *scheme) {
  char text[500];
  snprintf(text, sizeof text,
           "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 1, macro: 0.01}\nsubsystems:\n"
           "  a: {model: model.yaml, step: 0.01, integrator: %s}\nrecord: [a/energy]\n",
           scheme);
  return load_texts(text, model);
}

/* ---- what computed it ---- */

static void run_into(const char *more, const char *sentence) {
  for (int k = 0; k < 3; k++) {
    char model[1000];
    snprintf(model, sizeof model,
             "flange-component: 1\nbodies: {m: {mass: 1, inertia: [1, 1, 1]}}\n"
             "joints: {rail: {kind: prismatic, between: [world, m], axis: [1, 0, 0]}}\n%s",
             more);
    flg_simulation *simulation = load(model, schemes[k]);
    flg_error error = {0};
    flg_status status = FLG_OK;
    while (status == FLG_OK && !flg_simulation_ended(simulation)) {
      status = flg_simulation_step(simulation, &error);
    }
    assert_int_equal(status, FLG_ERR_DIVERGED);
    if (strstr(error.message, sentence) == NULL) fail_msg("%s: '%s'", schemes[k], error.message);
    flg_simulation_release(simulation);
  }
}

/* nothing depends on them, and positions stay finite all along */
static void signals_without_a_value_end_the_run(void **state) {
  (void)state;
  run_into("signals: {s: {value: 1/(time - 0.5)}}\n", "Subsystem 'a': 's' has no value at t = 0.5");
  run_into("signals: {s: {value: \"min(1, sqrt(0.5 - time))\"}}\n", "'s' has no value at t = 0.5");
  run_into("signals: {s: {value: exp(2000*time)}}\n", "'s' has no value at t = 0.3");
  run_into("signals: {s: {value: log(0.5 - time), sample: 0.02}, t: {value: s + 1}}\n",
           "'s' has no value at t = 0.5");
}

static void motions_without_a_value_end_the_run(void **state) {
  (void)state;
  run_into("motions: {go: {on: rail, follows: sqrt(0.5 - time)}}\n",
           "motion 'go' has no finite value, rate or acceleration near t = 0.5");
  run_into("motions: {go: {on: rail, follows: 0.01/(time - 0.5)}}\n",
           "motion 'go' has no finite value, rate or acceleration near t = 0.5");
}

/* ---- energy that nothing explains ---- */

/* the status of a run to its end, and what is judged then */
static flg_status judge_run(const char *scenario, const char *model, flg_error *error) {
  flg_simulation *simulation = load_texts(scenario, model);
  const flg_status status = run_and_judge(simulation, error);
  flg_simulation_release(simulation);
  return status;
}

/* 1e308 rad/s about x, which the hinge would project away */
static void speeds_without_a_finite_energy_are_refused(void **state) {
  static flg_mistakes mistakes;
  (void)state;
  test_folder folder = make_folder();
  make_file(&folder, "model.yaml",
            "flange-component: 1\nbodies: {m: {mass: 1, inertia: [1, 1, 1], angular_velocity: "
            "[-1e308, 0, 1]}}\njoints: {j: {kind: revolute, between: [world, m]}}\n");
  const char *path = make_file(&folder, "scenario.yaml",
                               "flange: 1\ntime: {end: 1}\nsubsystems: {a: {model: model.yaml}}\n");
  flg_simulation *simulation = NULL;
  assert_int_equal(flg_simulation_load(&simulation, path, NULL, 0, &mistakes), FLG_ERR_INPUT);
  assert_non_null(strstr(mistakes.list[0].message, "the kinetic energy at the start is inf J"));
  remove_folder(&folder);
}

static void starts_with_infinite_energy_are_told(void **state) {
  flg_error error = {0};
  (void)state;
  flg_simulation *simulation = load_texts(
      "flange: 1\ntime: {end: 1}\nsubsystems: {a: {model: model.yaml, initial_velocity: {j: "
      "1e200}}}\n",
      "flange-model: 1\nbodies: {m: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {j: {kind: revolute, child: m}}\n");
  assert_int_equal(flg_simulation_step(simulation, &error), FLG_ERR_DIVERGED);
  assert_non_null(strstr(error.message, "Subsystem 'a' starts with an energy of inf J"));
  flg_simulation_release(simulation);
}

/* a body that swings round a hinge, by `turn` radians in a step */
static flg_status spin(double turn, const char *scheme, const char *more, flg_error *error) {
  char model[1000], scenario[500];
  snprintf(model, sizeof model,
           "flange-component: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], velocity: [%g, 0, 0], "
           "angular_velocity: [0, 0, %g]}}\njoints: {j: {kind: revolute, between: [world, a], at: "
           "[0, 1, 0], axis: [0, 0, 1]}}\n%s",
           100 * turn, 100 * turn, more);
  snprintf(scenario, sizeof scenario,
           "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 1, macro: 0.01}\nsubsystems:\n"
           "  a: {model: model.yaml, step: 0.01, integrator: %s}\nrecord: [a/energy]\n",
           scheme);
  return judge_run(scenario, model, error);
}

static void energy_that_goes_nowhere_is_told(void **state) {
  (void)state;
  flg_error error = {0};
  for (int k = 0; k < 3; k++) assert_int_equal(spin(0.002, schemes[k], "", &error), FLG_OK);
  for (double turn = 0.5; turn < 1e8; turn *= 1000) {
    assert_int_equal(spin(turn, "semi-implicit", "", &error), FLG_ERR_UNSOLVED);
    if (turn == 0.5) assert_non_null(strstr(error.message, "though nothing takes of it"));
  }
  /* where dampers take it, or loads do work, nothing is said */
  const char *damped = "springs: {d: {on: j, damping: 2}}\n";
  assert_int_equal(spin(0.002, "semi-implicit", damped, &error), FLG_OK);
  const char *driven = "forces: {f: {on: j, effort: 100}}\n";
  assert_int_equal(spin(0.002, "rattle", driven, &error), FLG_OK);
}

static flg_status swing_robot(const char *step, const char *damping, flg_error *error) {
  char text[400], model[400];
  snprintf(text, sizeof text,
           "flange: 1\ntime: {end: 3, macro: %s}\nsubsystems:\n"
           "  a: {model: model.yaml, step: %s, integrator: semi-implicit}\n",
           step, step);
  snprintf(model, sizeof model,
           "flange-model: 1\nbodies:\n"
           "  upper: {mass: 1, centre: [0.5, 0, 0], inertia: [1e-3, 0.0835, 0.0835]}\n"
           "  lower: {mass: 1, centre: [0.5, 0, 0], inertia: [1e-3, 0.0835, 0.0835]}\n"
           "joints:\n  one: {kind: revolute, child: upper, axis: [0, 1, 0]%s}\n"
           "  two: {kind: revolute, parent: upper, child: lower, at: [1, 0, 0], axis: [0, 1, 0]}\n",
           damping);
  return judge_run(text, model, error);
}

static void energy_that_robots_lose_in_long_steps_is_told(void **state) {
  (void)state;
  flg_error error = {0};
  assert_int_equal(swing_robot("1/100", "", &error), FLG_OK);
  assert_int_equal(swing_robot("1/10", "", &error), FLG_ERR_UNSOLVED);
  assert_non_null(strstr(error.message, "Energy fell"));
  assert_int_equal(swing_robot("1/100", ", damping: 3", &error), FLG_OK);
}

/* a step that turns by a takes a^2 of the energy of the body's centre, half of all that it has, and
 * a goes down with it: n steps take x / (1 + x) of all, x = n a^2 / 2: 0.11 and 0.67 here */
static void energy_that_semi_implicit_steps_take_is_told_beside_dampers(void **state) {
  (void)state;
  flg_error error = {0};
  static const char *const damped[] = {"springs: {d: {on: j, damping: 1e-6}}\n",
                                       "springs: {d: {on: j, damping: 1e-6, implicit: true}}\n"};
  for (int k = 0; k < 2; k++) {
    assert_int_equal(spin(0.05, "semi-implicit", damped[k], &error), FLG_OK);
    assert_int_equal(spin(0.2, "semi-implicit", damped[k], &error), FLG_ERR_UNSOLVED);
    assert_non_null(strstr(error.message, "J where its joints turn, 0.6"));
    assert_int_equal(spin(0.2, "rattle", damped[k], &error), FLG_OK);
  }
}

/* two masses of 1 kg, welded by an interface whose forces are held, one on a spring; a load makes
 * their energy a driven one */
static flg_status hold_masses(const char *scheme, double stiffness, double load, flg_error *error) {
  char model[500], scenario[500];
  snprintf(
      model, sizeof model,
      "flange-component: 1\nbodies: {m: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 1], velocity: "
      "[0, 0, 0.1]}}\nsprings: {s: {between: [world, m], stiffness: %g, length: 1}}\n"
      "forces: {f: {body: m, force: [0, 0, %g]}}\nports: {p: {body: m}}\n",
      stiffness, load);
  snprintf(scenario, sizeof scenario,
           "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 1, macro: 1/200}\nsubsystems:\n"
           "  a: {model: model.yaml, step: 1/200}\n  b: {model: robot.yaml, step: 1/200}\n"
           "interfaces: {j: {joint: weld, between: [a/p, b/p]}}\ncoupling: {scheme: %s}\n",
           scheme);
  flg_simulation *simulation = load_three_texts(
      scenario, model,
      "flange-component: 1\nbodies: {n: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 1], velocity: [0, "
      "0, 0.1]}}\nports: {p: {body: n}}\n");
  const flg_status status = run_and_judge(simulation, error);
  flg_simulation_release(simulation);
  return status;
}

static void interfaces_that_give_energy_are_told_in_driven_systems_too(void **state) {
  static const double loads[] = {1e-6, 0.1, -1e-6};
  flg_error error = {0};
  (void)state;
  for (int k = 0; k < 3; k++) {
    assert_int_equal(hold_masses("hold", 10, loads[k], &error), FLG_OK);
    assert_int_equal(hold_masses("hold", 3e3, loads[k], &error), FLG_ERR_UNSOLVED);
    assert_non_null(strstr(error.message, "Interfaces of coupling 'hold' gave"));
    assert_int_equal(hold_masses("hold", 1e6, loads[k], &error), FLG_ERR_DIVERGED);
    assert_int_equal(hold_masses("parallel", 3e3, loads[k], &error), FLG_OK);
  }
}

/* ---- shapes that nothing is said of ---- */

static bool tells_untouched(const char *shape, const char *ground) {
  char model[500], scenario[500];
  bool told = false;
  const char *text;
  snprintf(
      model, sizeof model,
      "flange-component: 1\nbodies: {box: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 1], shapes: "
      "[{kind: box, size: [1, 1, 1]%s}]}}\n",
      shape);
  snprintf(scenario, sizeof scenario,
           "flange: 1\ntime: {end: 0.1, macro: 0.01}\n%ssubsystems: {a: {model: model.yaml}}\n",
           ground);
  flg_simulation *simulation = load_texts(scenario, model);
  for (int k = 0; (text = flg_simulation_notice(simulation, k)) != NULL; k++) {
    told = told || strstr(text, "nothing that moves can touch the ground: shapes of 'box'") != NULL;
  }
  flg_simulation_release(simulation);
  return told;
}

/* where the lower of two links on hinges ends; the status of the run */
static flg_status hang_below(double mass, const char *scheme, double place[3]) {
  static const char link[] =
      "flange-component: 1\nparameters: {m: 1}\n"
      "bodies: {b: {mass: =m, inertia: [=m/10, =m/10, =m/10], at: [0.5, 0, 0]}}\n"
      "ports: {near: {body: b, at: [-0.5, 0, 0]}, far: {body: b, at: [0.5, 0, 0]}}\n";
  char text[800];
  snprintf(text, sizeof text,
           "flange: 1\ntime: {end: 1, macro: 1/100}\nsubsystems:\n"
           "  a: {model: model.yaml, step: 1/1000, parameters: {m: %g}}\n"
           "  b: {model: model.yaml, step: 1/1000, at: [1, 0, 0]}\n"
           "interfaces:\n  wall: {between: [world, a/near], joint: revolute, axis: [0, 1, 0]}\n"
           "  knee: {between: [a/far, b/near], joint: revolute, axis: [0, 1, 0]}\n"
           "coupling: {scheme: %s}\nrecord: [b/b.position]\n",
           mass, scheme);
  flg_error error = {0};
  flg_simulation *simulation = load_texts(text, link);
  const flg_status status = run_and_judge(simulation, &error);
  flg_simulation_record(simulation, place);
  flg_simulation_release(simulation);
  return status;
}

/* Models of a link that yields a billion times as much as the next one do not hold that. */
static void light_links_of_couplings_hold_or_are_told(void **state) {
  (void)state;
  static const char *const couplings[] = {"sequential", "parallel",    "neighbour",
                                          "jacobi",     "extrapolate", "hold"};
  static const double masses[] = {1, 1e-3, 1e-6, 1e-9, 1e-12};
  for (int m = 0; m < 5; m++) {
    double whole[3], place[3];
    assert_int_equal(hang_below(fmax(masses[m], 1e-6), "monolithic", whole), FLG_OK);
    for (int k = 0; k < 6; k++) {
      const flg_status status = hang_below(masses[m], couplings[k], place);
      const double off = hypot(place[0] - whole[0], place[2] - whole[2]);
      if (m == 0 && k < 2) assert_int_equal(status, FLG_OK);
      if (status == FLG_OK && !(off < 0.3)) fail_msg("%g, %s: %g", masses[m], couplings[k], off);
    }
  }
}

static void bodies_that_would_fall_through_the_ground_are_told(void **state) {
  (void)state;
  const char *ground = "ground: {shapes: [{kind: plane}]}\n";
  assert_true(tells_untouched("", ground));
  assert_false(tells_untouched("", ""));
  assert_false(tells_untouched(", collision: true", ground));
  assert_false(tells_untouched(", friction: 0.3", ground));
  assert_false(tells_untouched(", collision: false", ground));
}

/* ---- springs that are too stiff ---- */

static const char *const systems[] = {
    /* reduced mass 6/5 kg */
    "bodies: {m: {mass: 2, inertia: [1, 1, 1]},"
    " n: {mass: 3, inertia: [1, 1, 1], at: [1, 0, 0], velocity: [0.1, 0, 0]}}\n"
    "springs: {s: {between: [m, n], stiffness: =k, damping: =c}}\n",
    /* two of them in parallel on 1.5 kg */
    "bodies: {m: {mass: 1.5, inertia: [1, 1, 1], velocity: [0.1, 0, 0]}}\n"
    "joints: {s: {kind: prismatic, between: [world, m], axis: [1, 0, 0], stiffness: =k, damping: "
    "=c}}\nsprings: {t: {on: s, stiffness: =k, damping: =c}}\n",
    /* 0.2 + 1 kg m^2 about the hinge */
    "bodies: {m: {mass: 1, inertia: [1, 1, 0.2], at: [1, 0, 0], velocity: [0, 0.1, 0]}}\n"
    "joints: {s: {kind: revolute, between: [world, m], at: [0, 0, 0], axis: [0, 0, 1], stiffness: "
    "=k, damping: =c}}\n",
    ("bodies: {m: {mass: 1.7, inertia: [1, 1, 1], velocity: [0.1, 0, 0]}}\n"
     "bushings: {s: {between: [world, m], stiffness: [=k, =k, =k], damping: [=c, =c, =c]}}\n"),
};
static const double masses[] = {1.2, 0.75, 1.2, 1.7};

typedef struct outcome {
  int told, implicit; /* warnings: steps are not stable, springs are taken implicitly */
  flg_status judged;
  double growth; /* the most energy there was, over that of the start */
} outcome;

static outcome run_springs(int system, bool damping, double value, const char *scheme) {
  char model[1000];
  snprintf(model, sizeof model, "flange-component: 1\nparameters: {k: %.17g, c: %.17g}\n%s",
           damping ? 0 : value, damping ? value : 0, systems[system]);
  flg_simulation *simulation = load(model, scheme);
  flg_error error = {0};
  const char *text;
  outcome of = {0};
  for (int k = 0; (text = flg_simulation_notice(simulation, k)) != NULL; k++) {
    of.told += strstr(text, "is too large for steps of 0.01 s") != NULL;
    of.implicit += strstr(text, "which is taken implicitly") != NULL ||
                   strstr(text, "which are taken implicitly") != NULL;
  }
  of.judged = run_and_judge(simulation, &error);
  const flg_energy energy = flg_simulation_energy(simulation);
  of.growth = energy.most / energy.initial;
  flg_simulation_release(simulation);
  return of;
}

/* omega h, c h / m: the limit of steps that are explicit */
static double limit_of(int system, bool damping, double most) {
  const double h = 0.01;
  return masses[system] * (damping ? most / h : most * most / (h * h));
}

static void rk4_tells_springs_from_the_step_on_that_they_bound(void **state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    const bool damping = k % 2 == 1;
    const double limit = limit_of(k / 2, damping, damping ? 2.78 : 2.83);
    assert_int_equal(run_springs(k / 2, damping, limit, "rk4").told, 0);
    for (int i = 0; i < 2; i++) {
      const outcome of = run_springs(k / 2, damping, i == 0 ? 1.2 * limit : 1e9, "rk4");
      assert_int_equal(of.told, 1);
      assert_true(of.judged == FLG_ERR_UNSOLVED || of.judged == FLG_ERR_DIVERGED);
    }
  }
}

/* past the limit it is told, and near it done without a word; energy never grows */
static void other_schemes_take_stiff_springs_implicitly(void **state) {
  (void)state;
  static const double values[] = {0.01, 0.9, 1.02, 1.2, 100, 1e6};
  for (int k = 0; k < 16 * 6; k++) {
    const bool damping = k % 2 == 1;
    const int system = k / 2 % 4;
    const double share = values[k / 16];
    const outcome of =
        run_springs(system, damping, share * limit_of(system, damping, 2), schemes[k / 8 % 2]);
    assert_int_equal(of.told, 0);
    assert_int_equal(of.implicit, share > 1);
    assert_int_equal(of.judged, FLG_OK);
    /* explicit steps have the energy of a spring up to a share of about h w / 2 */
    if (share > 1 || damping) assert_true(of.growth < 1 + 1e-6);
    if (share == 0.01) assert_true(of.growth < 1.15);
  }
}

static void implicit_springs_are_not_told(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    flg_simulation *simulation = load(
        "flange-component: 1\nbodies: {m: {mass: 1, inertia: [1, 1, 1]}}\nsprings: {s: "
        "{between: [world, m], stiffness: 1e9, length: 0.1, implicit: true}}\n",
        schemes[k]);
    assert_null(flg_simulation_notice(simulation, 0));
    flg_simulation_release(simulation);
  }
}

/* Springs whose modes lie in seventeen ranges of sixteen, in one assembly: all are implicit. */
static void springs_of_all_sizes_are_implicit_side_by_side(void **state) {
  (void)state;
  enum { BODIES = 17 };
  char text[BODIES * 250];
  int length = sprintf(text, "flange-component: 1\nbodies:\n");
  for (int k = 0; k < BODIES; k++) {
    length += sprintf(
        text + length,
        "  b%d: {mass: 1, inertia: [1, 1, 1], at: [%d, 0, 0], velocity: [0.1, 0, 0]}\n", k, 3 * k);
  }
  length += sprintf(text + length, "bushings:\n");
  for (int k = 0; k < BODIES; k++) {
    length += sprintf(text + length,
                      "  s%d: {between: [world, b%d], at: [%d, 0, 0], stiffness: [%g, %g, %g]}\n",
                      k, k, 3 * k, pow(17, k), pow(17, k), pow(17, k));
  }
  for (int k = 0; k < 2; k++) {
    flg_simulation *simulation = load(text, schemes[k]);
    flg_error error;
    const char *notice = flg_simulation_notice(simulation, 0);
    assert_non_null(notice);
    assert_non_null(strstr(notice, "which are taken implicitly"));
    assert_null(flg_simulation_notice(simulation, 1));
    assert_int_equal(run_and_judge(simulation, &error), FLG_OK);
    const flg_energy energy = flg_simulation_energy(simulation);
    assert_true(energy.most < 1.15 * energy.initial);
    flg_simulation_release(simulation);
  }
}

/* ---- gains that are too large for a step ---- */

/* a wheel of 0.1 kg m^2 under a controller, h = 1/500 s, turning at 1 rad/s: told, and thrown about
 */
static void hold_wheel(const char *scheme, const char *more, double stiffness, double damping,
                       bool is_unstable) {
  char scenario[500];
  flg_error error = {0};
  snprintf(
      scenario, sizeof scenario,
      "flange: 1\ntime: {end: 1, macro: 1/100}\nsubsystems: {a: {model: model.yaml, step: "
      "1/500, integrator: %s, initial_velocity: {j: 1}, controllers: {c: {kind: pd, stiffness: "
      "%.17g, damping: %.17g%s}}}}\n",
      scheme, stiffness, damping, more);
  flg_simulation *simulation =
      load_texts(scenario,
                 "flange-model: 1\nbodies: {m: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
                 "joints: {j: {kind: revolute, child: m}}\n");
  const char *text = flg_simulation_notice(simulation, 0);
  if ((text != NULL) != is_unstable) fail_msg("%s %g %g: '%s'", scheme, stiffness, damping, text);
  const flg_status status = run_and_judge(simulation, &error);
  assert_int_equal(status == FLG_OK, !is_unstable);
  if (is_unstable) assert_non_null(strstr(text, "the gains of controller 'c' are too large"));
  flg_simulation_release(simulation);
}

static void gains_are_told_from_the_step_on_that_they_bound(void **state) {
  static const struct {
    const char *scheme;
    double stiffness, damping; /* limits of h^2 k/J, h c/J: the latter a little below in leapfrog */
  } limits[] = {{"semi-implicit", 4, 2}, {"rk4", 2.83 * 2.83, 2.78}, {"leapfrog", 4, 1.8}};
  const double h = 1. / 500, inertia = 0.1;
  (void)state;
  for (int k = 0; k < 3; k++) {
    const double stiffness = limits[k].stiffness * inertia / (h * h);
    const double damping = limits[k].damping * inertia / h;
    hold_wheel(limits[k].scheme, "", 0.9 * stiffness, 0, false);
    hold_wheel(limits[k].scheme, "", 1.1 * stiffness, 0, true);
    hold_wheel(limits[k].scheme, "", 0, 0.85 * damping, false);
    hold_wheel(limits[k].scheme, "", 0, 1.1 * damping, true);
  }
  /* held for 1/100 s: w+ = (1 - T c/J) w */
  hold_wheel("leapfrog", ", enabled: false", 0, 1.1 * 2 * inertia * 500, false);
  hold_wheel("adaptive", "", 0, 1.1 * 2.78 * inertia * 500, false);
  hold_wheel("leapfrog", ", sample: 1/100", 0, 0.9 * 2 * inertia * 100, false);
  hold_wheel("leapfrog", ", sample: 1/100", 0, 1.1 * 2 * inertia * 100, true);
}

/* ---- gains of signals that are too large for a step ---- */

/* 0.1 kg on a rail at 1 m/s, h = 1/500 s, by a signal that drives it: whether it is told, and
 * what is judged in the end */
static outcome drive_mass(const char *scheme, const char *signal) {
  char model[500], scenario[300];
  outcome of = {0};
  flg_error error = {0};
  const char *text;
  snprintf(
      model, sizeof model,
      "flange-component: 1\nbodies: {m: {mass: 0.1, inertia: [1, 1, 1], velocity: [1, 0, 0]}}\n"
      "joints: {j: {kind: prismatic, between: [world, m], axis: [1, 0, 0]}}\n"
      "signals: {c: {%s}}\nefforts: {f: {on: j, effort: c}}\n",
      signal);
  snprintf(scenario, sizeof scenario,
           "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 1, macro: 1/100}\nsubsystems: {a: {model: "
           "model.yaml, step: 1/500, integrator: %s}}\n",
           scheme);
  flg_simulation *simulation = load_texts(scenario, model);
  for (int k = 0; (text = flg_simulation_notice(simulation, k)) != NULL; k++) {
    of.told += strstr(text, "the gains of the signals that drive 'f' are too large") != NULL;
  }
  const uint64_t start = flg_simulation_hash(simulation);
  flg_simulation_rewind(simulation);
  assert_true(start == flg_simulation_hash(simulation));
  of.judged = run_and_judge(simulation, &error);
  flg_simulation_release(simulation);
  return of;
}

/* limits of h^2 k/m, and of h c/m; of a pid that is cut to a range, too: there it rattles for ever
 */
static void signals_are_told_from_the_step_on_that_they_bound(void **state) {
  static const double stiffness[] = {4, 4, 2.83 * 2.83}, damping[] = {2, NAN, 2.785};
  static const char *const ranges[] = {"", ", limit: 100"};
  const double h = 1. / 500, mass = 0.1;
  char signal[200];
  (void)state;
  for (int k = 0; k < 3 * 2 * 3; k++) {
    static const double shares[] = {0.98, 1.01, 1e4};
    const double share = shares[k % 3];
    const int scheme = k / 6;
    snprintf(signal, sizeof signal, "kind: pid, input: j, target: \"0\", kp: %.17g%s",
             share * stiffness[scheme] * mass / (h * h), ranges[k / 3 % 2]);
    const outcome of = drive_mass(schemes[scheme], signal);
    assert_int_equal(of.told, share > 1);
    if (share > 1) assert_true(of.judged == FLG_ERR_UNSOLVED || of.judged == FLG_ERR_DIVERGED);
    if (isnan(damping[scheme])) continue;
    snprintf(signal, sizeof signal, "kind: pid, input: j, target: \"0\", kd: %.17g%s",
             share * share * share * damping[scheme] * mass / h, ranges[k / 3 % 2]);
    assert_int_equal(drive_mass(schemes[scheme], signal).told, share > 1);
  }
}

/* The same mass in two halves, one of them a robot: its steps are looked at, too. */
static int drive_robot(const char *scheme, double gain) {
  char model[600], scenario[300];
  const char *text;
  int told = 0;
  snprintf(
      model, sizeof model,
      "flange-component: 1\nbodies: {m: {mass: 0.05, inertia: [1, 1, 1], velocity: [1, 0, 0]}}\n"
      "robots: {r: {model: robot.yaml, initial_velocity: {s: 1}}}\n"
      "joints: {w: {kind: weld, between: [r/p, m]}}\n"
      "sensors: {j: {measure: slide, between: [world, m], axis: [1, 0, 0]}}\n"
      "signals: {c: {kind: pid, input: j, target: \"0\", kp: %.17g}}\n"
      "efforts: {f: {on: j, effort: c}}\n",
      gain);
  snprintf(scenario, sizeof scenario,
           "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 1, macro: 1/100}\nsubsystems: {a: {model: "
           "model.yaml, step: 1/500, integrator: %s}}\n",
           scheme);
  flg_simulation *simulation = load_three_texts(
      scenario, model,
      "flange-model: 1\nbodies: {l: {mass: 0.05, inertia: [1, 1, 1]}}\njoints: {s: "
      "{kind: prismatic, child: l, axis: [1, 0, 0]}}\nports: {p: {body: l}}\n");
  for (int k = 0; (text = flg_simulation_notice(simulation, k)) != NULL; k++) {
    told += strstr(text, "the gains of the signals that drive 'f' are too large") != NULL;
  }
  const uint64_t start = flg_simulation_hash(simulation);
  flg_simulation_rewind(simulation);
  assert_true(start == flg_simulation_hash(simulation));
  flg_simulation_release(simulation);
  return told;
}

static void signals_are_told_in_components_with_robots(void **state) {
  static const double stiffness[] = {4, 4, 2.83 * 2.83};
  const double h = 1. / 500, mass = 0.1;
  (void)state;
  for (int k = 0; k < 3; k++) {
    const double limit = stiffness[k] * mass / (h * h);
    assert_int_equal(drive_robot(schemes[k], 0.98 * limit), 0);
    assert_int_equal(drive_robot(schemes[k], 1.02 * limit), 1);
  }
}

/* what repels, what jumps, and what is sampled is as unstable as it should be */
static void motions_that_are_unstable_are_not_told(void **state) {
  static const char *const signals[] = {
      "value: 0.1*50*j", "kind: pid, input: j, target: \"0\", kp: -40",
      "value: -3*tanh(1e12*j.velocity)",
      "kind: pid, input: j, target: \"0\", kp: 5000, sample: 1/100"};
  (void)state;
  for (int k = 0; k < 3 * 4; k++) {
    assert_int_equal(drive_mass(schemes[k / 4], signals[k % 4]).told, 0);
  }
}

/* ---- bodies that are too fast for their step ---- */

/* a ball of 1 m, 1.5 m over a plate, after a tenth of a second at 1/500 s: thrown back with half of
 * its speed, or told */
static void fall_fast(const char *model, const char *use, double speed) {
  char scenario[500];
  double values[6];
  flg_error error = {0};
  snprintf(scenario, sizeof scenario,
           "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 0.1, macro: 1/500}\nsubsystems:\n"
           "  a: {model: model.yaml, %s}\nrecord: [a/ball.position, a/ball.velocity]\n",
           use);
  flg_simulation *simulation = load_texts(scenario, model);
  flg_status status = FLG_OK;
  while (status == FLG_OK && !flg_simulation_ended(simulation)) {
    status = flg_simulation_step(simulation, &error);
  }
  if (status == FLG_OK) {
    flg_simulation_record(simulation, values);
    assert_true(fabs(values[5] - 0.5 * speed) < 1e-9 * speed);
  } else {
    assert_int_equal(status, FLG_ERR_UNSOLVED);
    assert_non_null(strstr(error.message, "would pass each other within half a step"));
  }
  assert_true(status == FLG_OK || speed > 1000);
  flg_simulation_release(simulation);
}

static void bodies_do_not_pass_shapes_unseen(void **state) {
  static const char body[] =
      "flange-component: 1\nparameters: {speed: 1}\nbodies: {ball: {mass: 1, inertia: [0.1, 0.1, "
      "0.1], at: [0, 0, 2.05], "
      "velocity: [0, 0, =-speed], shapes: [{kind: sphere, size: 0.5, restitution: 0.5}]}}\n"
      "shapes: [{kind: box, size: [4, 4, 0.1], restitution: 0.5}]\n";
  static const char robot[] =
      "flange-model: 1\nbodies: {ball: {mass: 1, inertia: [0.1, 0.1, 0.1], shapes: [{kind: sphere, "
      "size: 0.5, restitution: 0.5}]}}\njoints: {f: {kind: prismatic, child: ball, at: [0, 0, "
      "2.05]}}\nshapes: [{kind: box, size: [4, 4, 0.1], restitution: 0.5}]\n";
  (void)state;
  for (double speed = 100; speed < 1e14; speed *= 1.3) {
    char use[100];
    snprintf(use, sizeof use, "parameters: {speed: %.17g}", speed);
    fall_fast(body, use, speed);
    snprintf(use, sizeof use, "initial_velocity: {f: -%.17g}", speed);
    fall_fast(robot, use, speed);
  }
}

/* ---- mass ratios ---- */

/* for a second, the heavy box of 20 cm on one of 1 kg, `off` the middle; returns whether it stood
 */
static bool rest_on_light(double mass, double off, const char *use) {
  char model[1500], scenario[300];
  double at[6];
  flg_error error = {0};
  snprintf(model, sizeof model,
           "flange-component: 1\nmaterials: {r: {friction: 0.5, restitution: 0}}\nbodies:\n"
           "  light: {mass: 1, inertia: [=1/150, =1/150, =1/150], at: [0, 0, 0.1], shapes: [{kind: "
           "box, size: [0.2, 0.2, 0.2], material: r}]}\n"
           "  heavy: {mass: %g, inertia: [=%g/150, =%g/150, =%g/150], at: [%g, 0, 0.3], shapes: "
           "[{kind: box, size: [0.2, 0.2, 0.2], material: r}]}\n"
           "shapes: [{kind: plane, material: r}]\n",
           mass, mass, mass, mass, off);
  snprintf(scenario, sizeof scenario,
           "flange: 1\ntime: {end: 1, macro: 1/60}\nsubsystems: {a: {model: model.yaml, %s}}\n"
           "record: [a/light.position, a/heavy.position]\n",
           use);
  flg_simulation *simulation = load_texts(scenario, model);
  const flg_status status = run_and_judge(simulation, &error);
  flg_simulation_record(simulation, at);
  flg_simulation_release(simulation);
  if (status != FLG_OK) {
    assert_true(status == FLG_ERR_UNSOLVED || status == FLG_ERR_DIVERGED);
    return false;
  }
  const double expected[6] = {0, 0, 0.1, off, 0, 0.3};
  for (int k = 0; k < 6; k++) assert_near(at[k], expected[k], 1e-5);
  return true;
}

static void heavy_boxes_stand_on_light_ones_or_are_told(void **state) {
  (void)state;
  static const char *const uses[] = {"step: 1/60, integrator: rattle",
                                     "step: 1/60, integrator: semi-implicit", "step: 1/960"};
  for (int k = 0; k < 3; k++) {
    for (int m = 3; m <= 12; m++) {
      const double mass = m < 9 ? pow(10, m) : m == 9 ? 3e8 : pow(10, m - 1);
      for (int off = 0; off < 2; off++) {
        const bool stood = rest_on_light(mass, 0.05 * off, uses[k]);
        assert_true(stood || mass > 1e8);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(signals_without_a_value_end_the_run),
      cmocka_unit_test(motions_without_a_value_end_the_run),
      cmocka_unit_test(speeds_without_a_finite_energy_are_refused),
      cmocka_unit_test(starts_with_infinite_energy_are_told),
      cmocka_unit_test(energy_that_goes_nowhere_is_told),
      cmocka_unit_test(energy_that_robots_lose_in_long_steps_is_told),
      cmocka_unit_test(energy_that_semi_implicit_steps_take_is_told_beside_dampers),
      cmocka_unit_test(interfaces_that_give_energy_are_told_in_driven_systems_too),
      cmocka_unit_test(light_links_of_couplings_hold_or_are_told),
      cmocka_unit_test(bodies_that_would_fall_through_the_ground_are_told),
      cmocka_unit_test(rk4_tells_springs_from_the_step_on_that_they_bound),
      cmocka_unit_test(other_schemes_take_stiff_springs_implicitly),
      cmocka_unit_test(implicit_springs_are_not_told),
      cmocka_unit_test(springs_of_all_sizes_are_implicit_side_by_side),
      cmocka_unit_test(gains_are_told_from_the_step_on_that_they_bound),
      cmocka_unit_test(signals_are_told_from_the_step_on_that_they_bound),
      cmocka_unit_test(signals_are_told_in_components_with_robots),
      cmocka_unit_test(motions_that_are_unstable_are_not_told),
      cmocka_unit_test(bodies_do_not_pass_shapes_unseen),
      cmocka_unit_test(heavy_boxes_stand_on_light_ones_or_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
