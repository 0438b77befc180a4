/* Springs, friction, stops and gears of interfaces act in every coupling: against closed forms,
 * rigid joints, and the same system solved as one. */
#include "coupling_elements.h"

/* --- springs ------------------------------------------------------------------------------------
 */

/* positions of both masses on a spring, with damping, after t */
static void swing(const double masses[2], double k, double d, double t, double x[2]) {
  const double reduced = masses[0] * masses[1] / (masses[0] + masses[1]);
  const double decay = d / reduced / 2, w = sqrt(k / reduced - decay * decay);
  const double apart = exp(-decay * t) * sin(w * t) / w; /* of a rate of 1 m/s */
  const double centre = masses[0] * t / (masses[0] + masses[1]);
  x[0] = centre + masses[1] / (masses[0] + masses[1]) * apart;
  x[1] = centre - masses[0] / (masses[0] + masses[1]) * apart;
}

static void masses_on_a_spring_swing_as_they_should(void **state) {
  (void)state;
  const double masses[2][2] = {{1, 1}, {0.2, 3}};
  for (int k = 0; k < 2 * ELEMENT_INTEGRATORS * EXACT_SCHEMES; k++) {
    const int scheme = k % EXACT_SCHEMES, rest = k / EXACT_SCHEMES;
    const double *m = masses[(rest + scheme) % 2];
    const bool is_damped = rest % 2 == 1;
    const char *integrator = element_integrators[rest / 2];
    const two_masses of = {.masses = {m[0], m[1]},
                           .joint = is_damped ? "joint: prismatic, stiffness: 10, damping: 0.5"
                                              : "joint: prismatic, stiffness: 10",
                           .between = k % 2 == 0 ? "l/p, r/p" : "r/p, l/p",
                           .scheme = exact_schemes[scheme],
                           .integrator = integrator,
                           .end = 1,
                           .macro = 0.01};
    double values[6], expected[2];
    const flg_energy energy = finish_run(load_masses(&of), values);
    swing(m, 10, is_damped ? 0.5 : 0, 1, expected);
    const bool is_euler = strcmp(integrator, "semi-implicit") == 0;
    const double bound = is_euler ? 5e-4 : 3e-6;
    assert_near(values[0], expected[0], bound);
    assert_near(values[3], expected[1], bound);
    if (is_damped) continue;
    assert_near(energy.final, energy.initial, is_euler ? 5e-3 * m[0] : 1e-6);
    assert_near(energy.most, energy.initial, is_euler ? 5e-3 * m[0] : 1e-6);
    assert_near(energy.least, energy.initial, is_euler ? 5e-3 * m[0] : 1e-6);
  }
}

/* with half the step a quarter of the error, or half of it with Euler's */
static void springs_converge_with_the_order_of_the_step(void **state) {
  (void)state;
  for (int k = 0; k < ELEMENT_INTEGRATORS; k++) {
    double errors[2];
    for (int i = 0; i < 2; i++) {
      const two_masses of = {.masses = {1, 2},
                             .joint = "joint: prismatic, stiffness: 40, damping: 2",
                             .scheme = exact_schemes[k % 2],
                             .integrator = element_integrators[k],
                             .end = 1,
                             .macro = 0.05 / (1 << i)};
      double values[6], expected[2];
      finish_run(load_masses(&of), values);
      swing(of.masses, 40, 2, 1, expected);
      errors[i] = fabs(values[0] - expected[0]);
    }
    assert_near(log2(errors[0] / errors[1]), k == 2 ? 1 : 2, 0.2);
  }
}

/* those who see motion and forces of the last macro step are only near */
static void signals_feel_the_spring(void **state) {
  (void)state;
  static const char *const schemes[] = {"hold", "extrapolate"};
  for (int k = 0; k < 4; k++) {
    const two_masses of = {.masses = {1, 1},
                           .joint = "joint: prismatic, stiffness: 10",
                           .between = k / 2 == 0 ? "l/p, r/p" : "r/p, l/p",
                           .scheme = schemes[k % 2],
                           .integrator = "rattle",
                           .end = 1,
                           .macro = 0.002};
    double values[6], expected[2];
    finish_run(load_masses(&of), values);
    swing(of.masses, 10, 0, 1, expected);
    assert_near(values[0], expected[0], 4e-3);
    assert_near(values[3], expected[1], 4e-3);
  }
}

/* the mean of its force over the macro step, on the second end */
static void the_force_of_an_interface_is_that_of_its_spring(void **state) {
  (void)state;
  for (int k = 0; k < 2 * EXACT_SCHEMES; k++) {
    const two_masses of = {.masses = {1, 1},
                           .joint = "joint: prismatic, stiffness: 10, damping: 0.2",
                           .between = k % 2 == 0 ? "l/p, r/p" : "r/p, l/p",
                           .scheme = exact_schemes[k / 2],
                           .integrator = "rk4",
                           .end = 0.8,
                           .macro = 0.01,
                           .record = "l/a.velocity, r/a.velocity, cut.force"};
    check_force_of_cut(&of, k % 2 == 1);
  }
}

/* a spring so stiff that it is a joint: both move as one, pulled by gravity on one of them */
static void stiff_springs_tend_to_a_joint(void **state) {
  (void)state;
  static const char *const stiffness[] = {"1e5", "1e7", "1e9"};
  for (int k = 0; k < ELEMENT_INTEGRATORS * 2 * 3; k++) {
    char joint[100];
    const char *K = stiffness[k / 2 % 3];
    snprintf(joint, sizeof joint, "joint: prismatic, stiffness: %s", K);
    const two_masses of = {.masses = {1, 3},
                           .joint = joint,
                           .scheme = exact_schemes[k % 2],
                           .integrator = element_integrators[k / 6],
                           .end = 1,
                           .macro = 0.01,
                           .pull = 4};
    double values[6];
    const flg_energy energy = finish_run(load_masses(&of), values);
    const double t = 1, x = t / 4 + 3 * t * t / 2; /* from a quarter of the speed, 3 m/s^2 */
    assert_near(values[0], x, 2e-3);
    /* the spring is stretched by the force on the first, 3 N; both hit it with 1 m/s, and it rings
     * unless the step damps that */
    const double stretch = 3 / atof(K), ringing = sqrt(0.75 / atof(K));
    assert_near(values[3] - values[0], stretch, stretch + ringing);
    const bool is_euler = strcmp(of.integrator, "semi-implicit") == 0; /* its energy swings */
    assert_true(energy.most < (is_euler ? 0.7 : 0.5 + 1e-4));
  }
}

/* --- friction and stops -------------------------------------------------------------------------
 */

static void friction_slides_to_rest(void **state) {
  (void)state;
  const double force = 0.8, masses[2] = {0.5, 2}, reduced = 0.4;
  for (int k = 0; k < ELEMENT_INTEGRATORS * EXACT_SCHEMES; k++) {
    const two_masses of = {.masses = {masses[0], masses[1]},
                           .joint = "joint: prismatic, friction: {coulomb: 0.8}",
                           .between = k % 2 == 0 ? "l/p, r/p" : "r/p, l/p",
                           .scheme = exact_schemes[k % EXACT_SCHEMES],
                           .integrator = element_integrators[k / EXACT_SCHEMES],
                           .end = 1,
                           .macro = 0.01};
    double values[6];
    const flg_energy energy = finish_run(load_masses(&of), values);
    /* it rests after reduced / force = 0.5 s, half of that apart */
    const double apart = reduced / force / 2, centre = masses[0] / (masses[0] + masses[1]);
    assert_near(values[0] - values[3], apart, 1e-3);
    assert_near((masses[0] * values[0] + masses[1] * values[3]) / 2.5, centre, 1e-12);
    assert_near(energy.final, centre * centre * 2.5 / 2, 1e-13);
    assert_true(energy.most < energy.initial + 1e-12);
  }
}

/* the second is pulled with less than friction holds, and then with more */
static void friction_sticks_up_to_its_bound(void **state) {
  (void)state;
  for (int k = 0; k < 2 * EXACT_SCHEMES; k++) {
    const bool slips = k % 2 == 1;
    const two_masses of = {.masses = {1, 1},
                           .joint = "joint: prismatic, friction: {coulomb: 1, stiction: 2}",
                           .scheme = exact_schemes[k / 2],
                           .integrator = "rattle",
                           .end = 1,
                           .macro = 0.01,
                           .pull = slips ? 5 : 3.9,
                           .record = "l/a.velocity, r/a.velocity"};
    double values[6];
    finish_run(load_masses(&of), values);
    /* the first comes with 1 m/s, and is caught; 5 m/s^2: 1 of it is then friction's */
    if (slips) {
      assert_true(values[3] - values[0] > 1);
    } else {
      assert_near(values[3] - values[0], 0, 1e-9);
      assert_near(values[0], 0.5 + 3.9 / 2, 1e-11);
    }
  }
}

static void stops_are_hit_and_throw_back(void **state) {
  (void)state;
  for (int k = 0; k < 2 * ELEMENT_INTEGRATORS * EXACT_SCHEMES; k++) {
    const double e = k % 2 == 0 ? 0 : 0.5;
    const int rest = k / 2;
    const two_masses of = {.masses = {1, 1},
                           .joint = k % 2 == 0
                                        ? "joint: prismatic, stops: {lower: -0.1, upper: 0.2}"
                                        : "joint: prismatic, stops: {lower: -0.1, upper: 0.2, "
                                          "restitution: 0.5}",
                           .between = rest % 2 == 0 ? "r/p, l/p" : "l/p, r/p",
                           .scheme = exact_schemes[rest % EXACT_SCHEMES],
                           .integrator = element_integrators[rest / EXACT_SCHEMES],
                           .end = 0.6,
                           .macro = 0.01};
    double values[6];
    const flg_energy energy = finish_run(load_masses(&of), values);
    /* the rate of c is -1 if left stands first: it goes to the lower end, else to the upper, and
     * back with half the speed, less far than the other end */
    const double way = rest % 2 == 0 ? 0.2 : 0.1;
    assert_near(values[0] - values[3], way - e * (0.6 - way), 2e-3);
    assert_near(energy.final, e == 0 ? 0.25 : 0.25 + 0.25 * e * e, 1e-13);
    assert_near(values[0] + values[3], 0.6, 1e-12);
  }
}

/* a mass that leans on a stop by its weight stays there, and its interface carries the weight */
static void stops_carry_a_load(void **state) {
  (void)state;
  for (int k = 0; k < ELEMENT_INTEGRATORS * EXACT_SCHEMES; k++) {
    const two_masses of = {.masses = {1, 2},
                           .joint = "joint: prismatic, stops: {lower: -0.1, upper: 0.05}",
                           .scheme = exact_schemes[k % EXACT_SCHEMES],
                           .integrator = element_integrators[k / EXACT_SCHEMES],
                           .end = 1.2,
                           .macro = 0.02,
                           .pull = 3,
                           .record = "l/a.position, r/a.position, cut.force"};
    double values[12];
    finish_run(load_masses(&of), values);
    const bool drifts = strcmp(of.scheme, "paper-nonsmooth") == 0; /* it lets positions be */
    assert_near(values[3] - values[0], 0.05, drifts ? 2e-3 : 1e-6);
    assert_near(values[6], -2, 1e-11); /* 6 N on 3 kg: 2 N move the first */
  }
}

/* --- gears --------------------------------------------------------------------------------------
 */

/* teeth push with x on the one and -2 x on the other: 2 w_0 + w_1 stays; without play and spring
 * w_0 = 2 w_1 at once, with play when it is used up */
static void gears_mesh(void **state) {
  (void)state;
  static const char *const teeth[] = {"joint: gear, ratio: 2",
                                      "joint: gear, ratio: 2, stiffness: 1e9",
                                      "joint: gear, ratio: 2, backlash: 0.05",
                                      "joint: gear, ratio: 2, stiffness: 1e6, damping: 1e3"};
  for (int k = 0; k < 4 * EXACT_SCHEMES * 2; k++) {
    const int scheme = k % EXACT_SCHEMES, kind = k / EXACT_SCHEMES % 4;
    const bool are_swapped = k / EXACT_SCHEMES / 4 == 1;
    const two_discs of = {.teeth = teeth[kind],
                          .scheme = exact_schemes[scheme],
                          .integrator = element_integrators[k % ELEMENT_INTEGRATORS],
                          .end = 0.3,
                          .macro = 0.01,
                          .are_swapped = are_swapped};
    double values[6];
    finish_run(load_discs(&of), values);
    const double drives = values[are_swapped ? 5 : 2], driven = values[are_swapped ? 2 : 5];
    assert_near(2 * drives + driven, 3, 1e-11);
    assert_near(drives, 1.2, 5e-9);
  }
}

/* Ports on axles only turn: motions at rest have a scale of energy all the same. */
static void gears_start_from_rest(void **state) {
  (void)state;
  static const char wheel[] =
      "flange-component: 1\n"
      "parameters: {push: 0}\n"
      "bodies: {a: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {h: {kind: revolute, between: [world, a]}}\n"
      "forces: {f: {on: h, effort: =push}}\n"
      "ports: {p: {body: a}}\n";
  for (int k = 0; k < EXACT_SCHEMES; k++) {
    char text[ELEMENTS_TEXT];
    snprintf(
        text, sizeof text,
        "flange: 1\n"
        "gravity: [0, 0, 0]\n"
        "time: {end: 0.5, macro: 0.01}\n"
        "subsystems:\n"
        "  l: {model: model.yaml, step: 0.001, parameters: {push: 2}}\n"
        "  r: {model: model.yaml, step: 0.001}\n"
        "interfaces: {cut: {drive: [world, l/p], driven: [world, r/p], joint: gear, ratio: 2}}\n"
        "coupling: {scheme: %s}\n"
        "record: [l/h.velocity, r/h.velocity]\n",
        exact_schemes[k]);
    double values[2];
    flg_simulation *simulation = load_texts(text, wheel);
    run_to_end(simulation);
    flg_simulation_record(simulation, values);
    flg_simulation_release(simulation);
    assert_near(values[0], 0.5 * 2 / (0.1 + 0.1 / 4), 1e-11); /* of the wheel that it drives, 1/4 */
    assert_near(values[1], values[0] / 2, 1e-11);
  }
}

static void elastic_and_loose_gears_move_as_in_one(void **state) {
  (void)state;
  static const char *const teeth[] = {"joint: gear, ratio: -2, stiffness: 10",
                                      "joint: gear, ratio: 2, stiffness: 50, backlash: 0.05",
                                      "joint: gear, ratio: 2, stiffness: 10, efficiency: 0.8",
                                      "joint: gear, ratio: 2, backlash: 0.05, restitution: 0.5"};
  for (int kind = 0; kind < 4; kind++) {
    two_discs of = {.teeth = teeth[kind], .integrator = "rattle", .end = 0.5, .macro = 0.005};
    double exact[6], values[6];
    of.scheme = "monolithic";
    finish_run(load_discs(&of), exact);
    for (int k = 0; k < EXACT_SCHEMES; k++) {
      of.scheme = exact_schemes[k];
      finish_run(load_discs(&of), values);
      assert_near(max_difference(values, exact, 6), 0, 1e-3);
      assert_true(fabs(values[2] - 1) > 0.05);
    }
  }
}

/* --- several of them ----------------------------------------------------------------------------
 */

static const char *const carrying[][3] = {
    {"joint: revolute, axis: [0, 1, 0], stiffness: 20, damping: 0.1",
     "joint: revolute, axis: [0, 1, 0.3], friction: {coulomb: 0.5}, stiffness: 5",
     "joint: prismatic, axis: [1, 0, 1], stiffness: 200, damping: 5"},
    {"joint: spherical", "joint: revolute, axis: [0, 1, 0.3], stiffness: 8",
     "joint: prismatic, axis: [1, 0, 1], friction: {coulomb: 20}, stiffness: 100"},
    {"joint: revolute, axis: [0, 1, 0], damping: 0.5",
     "joint: point-on-line, axis: [1, 0, 0.2], stiffness: 300, damping: 3", "joint: spherical"},
    {"joint: revolute, axis: [0, 1, 0], stiffness: 10",
     "joint: screw, axis: [0, 1, 0.5], pitch: 0.1", "joint: weld"},
};
enum { CARRYING = sizeof carrying / sizeof carrying[0] };

/* all kinds, ends and names in any order, at the ground and elsewhere */
static void chains_move_as_in_one(void **state) {
  (void)state;
  for (int kind = 0; kind < CARRYING; kind++) {
    three_boxes of = {.joints = {carrying[kind][0], carrying[kind][1], carrying[kind][2]},
                      .scheme = "monolithic",
                      .integrator = "rk4",
                      .end = 0.15,
                      .macro = 0.005,
                      .steps = 20};
    double exact[2][9], values[9]; /* the other way round, a line is on the other body */
    finish_run(load_boxes(&of), exact[0]);
    of.are_swapped = true;
    finish_run(load_boxes(&of), exact[1]);
    of.steps = 10;
    for (int k = 0; k < 2 * 2 * ELEMENT_INTEGRATORS; k++) {
      of.scheme = exact_schemes[k % 2];
      of.are_swapped = k / 2 % 2;
      of.integrator = element_integrators[k / 4];
      of.names[0] = k % 3 == 0 ? "three" : "one";
      of.names[1] = k % 3 == 0 ? "one" : "two", of.names[2] = k % 3 == 0 ? "two" : "three";
      finish_run(load_boxes(&of), values);
      assert_near(max_difference(values, exact[of.are_swapped], 9), 0, k / 4 == 2 ? 1.5e-3 : 1e-4);
    }
  }
}

/* m (v+ - v) = H (F_above - F_below + m g) in each macro step, and moments about each centre that
 * ends which are apart leave no momentum behind */
static void forces_account_for_all_momentum(void **state) {
  (void)state;
  const double m = 3, g[3] = {9, 5, -2};
  for (int k = 0; k < 2 * CARRYING; k++) {
    const three_boxes of = {
        .joints = {carrying[k / 2][0], carrying[k / 2][1], carrying[k / 2][2]},
        .scheme = exact_schemes[k % 2],
        .integrator = "rk4",
        .end = 0.2,
        .macro = 0.01,
        .steps = 5,
        .record =
            "ball.force, hinge.force, slide.force, one/box.velocity, two/box.velocity, "
            "three/box.velocity"};
    flg_simulation *simulation = load_boxes(&of);
    double before[27], values[27];
    flg_error error;
    flg_simulation_record(simulation, before);
    for (int step = 0; step < 20; step++) {
      assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
      flg_simulation_record(simulation, values);
      for (int i = 0; i < 9; i++) {
        const int above = 6 * (i / 3) + i % 3;
        const double below = i < 6 ? values[above + 6] : 0;
        const double gained = m * (values[18 + i] - before[18 + i]) / of.macro;
        assert_near(values[above] - below + m * g[i % 3], gained, 2e-11);
      }
      memcpy(before, values, sizeof before);
    }
    flg_simulation_release(simulation);
  }
}

/* What springs store is part of the energy: it stays what it is where nothing damps. */
static void energy_has_that_of_springs(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    const three_boxes of = {.joints = {"joint: revolute, axis: [0, 1, 0], stiffness: 30",
                                       "joint: revolute, axis: [0.3, 1, 0], stiffness: 10",
                                       "joint: prismatic, axis: [1, 0, 1], stiffness: 300"},
                            .scheme = exact_schemes[k],
                            .integrator = "rk4",
                            .end = 0.3,
                            .macro = 0.002,
                            .steps = 4};
    double values[9];
    const flg_energy energy = finish_run(load_boxes(&of), values);
    assert_near(energy.most, energy.initial, 1e-2);
    assert_near(energy.least, energy.initial, 1e-12); /* the start is the least */
  }
}

/* --- friction inside ----------------------------------------------------------------------------
 */

/* 1 kg on a rail that rubs with 0.5 N and 1 N s/m, and 3 kg welded to it, which run first */
static flg_simulation *load_rubbing_with(const char *scheme, const char *integrator) {
  char text[ELEMENTS_TEXT];
  test_folder folder = make_folder();
  make_file(&folder, "l.yaml",
            "flange-component: 1\n"
            "bodies: {a: {mass: 1, inertia: [0.1, 0.1, 0.1], velocity: [1, 0, 0]}}\n"
            "joints: {rail: {kind: prismatic, between: [world, a], axis: [1, 0, 0], friction: "
            "{coulomb: 0.5, viscous: 1}}}\n"
            "ports: {p: {body: a}}\n");
  make_file(&folder, "r.yaml",
            "flange-component: 1\n"
            "bodies: {a: {mass: 3, inertia: [0.1, 0.1, 0.1], velocity: [1, 0, 0]}}\n"
            "ports: {p: {body: a}}\n");
  snprintf(text, sizeof text,
           "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 1, macro: 1/50}\n"
           "subsystems:\n"
           "  l: {model: l.yaml, step: 1/1000, integrator: %s}\n"
           "  r: {model: r.yaml, step: 1/1000, integrator: %s}\n"
           "interfaces: {cut: {between: [l/p, r/p], joint: weld}}\n"
           "coupling: {scheme: %s, order: [r, l]}\nrecord: [l/a.position, l/a.velocity]\n",
           integrator, integrator, scheme);
  flg_simulation *simulation = load_with(make_file(&folder, "scenario.yaml", text), NULL);
  remove_folder(&folder);
  return simulation;
}

static flg_simulation *load_rubbing(const char *scheme) {
  return load_rubbing_with(scheme, "rattle");
}

/* 4 v' = -0.5 - v */
static void friction_inside_of_a_subsystem_is_part_of_its_model(void **state) {
  (void)state;
  for (int k = 0; k < 2 * ELEMENT_INTEGRATORS; k++) {
    double values[6];
    finish_run(load_rubbing_with(exact_schemes[k % 2], element_integrators[k / 2]), values);
    const bool is_euler = k / 2 == 2;
    assert_near(values[0], 6 * (1 - exp(-0.25)) - 0.5, is_euler ? 2e-4 : 2e-5);
    assert_near(values[3], 1.5 * exp(-0.25) - 0.5, is_euler ? 1e-4 : 5e-5);
  }
}

/* --- bits ---------------------------------------------------------------------------------------
 */

static flg_simulation *load_stops(const char *scheme) {
  return load_boxes(&(three_boxes){
      .joints = {"joint: spherical", "joint: revolute, axis: [0, 1, 0.3], stops: {upper: 0.05}",
                 "joint: prismatic, axis: [1, 0, 1], friction: {coulomb: 8}, stiffness: 50"},
      .scheme = scheme,
      .integrator = "semi-implicit",
      .end = 0.2,
      .macro = 0.01,
      .steps = 4});
}

static flg_simulation *load_teeth(const char *scheme) {
  return load_discs(&(two_discs){.teeth = "joint: gear, ratio: 2, backlash: 0.05, efficiency: 0.7, "
                                          "stiffness: 100",
                                 .scheme = scheme,
                                 .integrator = "rattle",
                                 .end = 0.2,
                                 .macro = 0.01});
}

static void elements_resume_bit_for_bit(void **state) {
  (void)state;
  static const char *const schemes[] = {"monolithic", "sequential",  "parallel",
                                        "neighbour",  "extrapolate", "paper-nonsmooth"};
  for (int k = 0; k < 6; k++) {
    if (strcmp(schemes[k], "extrapolate") != 0) resume_every_step(load_stops, schemes[k]);
    resume_every_step(load_teeth, schemes[k]);
    if (k > 0 && k < 3) resume_every_step(load_rubbing, schemes[k]);
  }
}

/* What a scheme cannot solve, it says; the rest act. */
static void schemes_refuse_elements_that_they_cannot_solve(void **state) {
  (void)state;
  static const struct {
    const char *scheme, *keys, *sentence;
  } cases[] = {
      {"hold", "axis: [1, 0, 0], joint: prismatic, stops: {upper: 0.2}",
       "scheme hold cannot solve stops"},
      {"extrapolate", "axis: [1, 0, 0], joint: prismatic, stops: {lower: -1}",
       "cannot solve stops"},
      {"jacobi", "axis: [1, 0, 0], joint: prismatic, stops: {upper: 0.2}",
       "scheme jacobi cannot solve stops"},
      {"jacobi", "axis: [1, 0, 0], joint: prismatic, stiffness: 10", "springs and dampers"},
      {"jacobi", "axis: [1, 0, 0], joint: prismatic, damping: 10", "springs and dampers"},
      {"jacobi", "axis: [1, 0, 0], joint: prismatic, friction: {coulomb: 1}",
       "friction of an interface, as 'cut'"},
      {"jacobi", "axis: [1, 0, 0], joint: screw, pitch: 0.1", "the ratio"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    assert_refused(cases[k].keys, cases[k].scheme, cases[k].sentence, 5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masses_on_a_spring_swing_as_they_should),
      cmocka_unit_test(springs_converge_with_the_order_of_the_step),
      cmocka_unit_test(signals_feel_the_spring),
      cmocka_unit_test(the_force_of_an_interface_is_that_of_its_spring),
      cmocka_unit_test(stiff_springs_tend_to_a_joint),
      cmocka_unit_test(friction_slides_to_rest),
      cmocka_unit_test(friction_sticks_up_to_its_bound),
      cmocka_unit_test(stops_are_hit_and_throw_back),
      cmocka_unit_test(stops_carry_a_load),
      cmocka_unit_test(gears_mesh),
      cmocka_unit_test(gears_start_from_rest),
      cmocka_unit_test(elastic_and_loose_gears_move_as_in_one),
      cmocka_unit_test(chains_move_as_in_one),
      cmocka_unit_test(forces_account_for_all_momentum),
      cmocka_unit_test(energy_has_that_of_springs),
      cmocka_unit_test(friction_inside_of_a_subsystem_is_part_of_its_model),
      cmocka_unit_test(elements_resume_bit_for_bit),
      cmocka_unit_test(schemes_refuse_elements_that_they_cannot_solve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
