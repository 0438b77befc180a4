/* What must hold with every scheme of the table in coupling/scheme.h, so that a new one is covered
 * by itself: elements of interfaces, contacts, forces, names and resuming agree with `monolithic`.
 * A scheme may refuse a system with a sentence; it may not give another answer. */
#include <math.h>

#include "check.h"
#include "coupling/scheme.h"
#include "coupling_marks.h"

enum { TEXT = 2000, WIDTH = 12 };

/* One that meets models; others continue signals, or leave out what papers leave out. */
static bool is_exact(const flg_coupling_scheme *scheme) {
  return scheme->sees != NULL && !scheme->is_literal;
}

typedef struct trial {
  const char *name, *joint; /* keys of the interface besides its ends */
  double place, force;      /* what schemes that meet models may be off by [m, N] */
} trial;

/* three times what the worst of them measures, or rounding */
static const trial trials[] = {
    {"stiffness", "joint: prismatic, axis: [1, 0, 0], stiffness: 40", 3e-6, 2e-4},
    {"damping", "joint: prismatic, axis: [1, 0, 0], damping: 2", 1e-6, 1e-6},
    {"friction", "joint: prismatic, axis: [1, 0, 0], friction: {coulomb: 1, viscous: 0.2}", 4e-5,
     1e-4},
    {"stops", "joint: prismatic, axis: [1, 0, 0], stops: {lower: -0.051, upper: 0.02}", 1e-12,
     1e-10},
    {"hits",
     "joint: prismatic, axis: [1, 0, 0], stops: {lower: -0.051, upper: 1, restitution: 0.7}", 2e-3,
     1e-9},
    {"weld", "joint: weld", 1e-12, 1e-10},
};
/* the same of all others, where they come to the end */
static const double ROUGH_PLACE = 4e-3, ROUGH_FORCE = 0.3;
enum { TRIALS = sizeof trials / sizeof trials[0] };

static const char mass[] =
    "flange-component: 1\nparameters: {m: 1, v: 0}\n"
    "bodies: {a: {mass: =m, inertia: [0.1, 0.1, 0.1], velocity: [=v, 0, 0]}}\n"
    "joints: {rail: {kind: prismatic, between: [world, a], axis: [1, 0, 0]}}\n"
    "ports: {p: {body: a}}\n";

/* what it recorded last; false: it is refused, with a sentence */
static bool run_pair(const trial *of, const char *scheme, bool is_swapped, double *last) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  char text[TEXT];
  test_folder folder = make_folder();
  make_file(&folder, "mass.yaml", mass);
  snprintf(text, sizeof text,
           "flange: 1\ngravity: [0, 0, 0]\ntime: {end: 0.3, macro: 0.002}\nsubsystems:\n"
           "  l: {model: mass.yaml, step: 0.001, integrator: rattle, parameters: {v: 1}}\n"
           "  r: {model: mass.yaml, step: 0.001, integrator: rattle, gravity: [2, 0, 0],\n"
           "    parameters: {m: 2, v: %s}}\n"
           "interfaces: {cut: {between: [%s], %s}}\ncoupling: {scheme: %s, integrator: rattle}\n"
           "record: [l/a.position, r/a.position, cut.force]\n",
           strcmp(of->joint, "joint: weld") == 0 ? "1" : "0", is_swapped ? "r/p, l/p" : "l/p, r/p",
           of->joint, scheme);
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, make_file(&folder, "scenario.yaml", text), NULL, 0, &mistakes);
  remove_folder(&folder);
  if (simulation == NULL) {
    assert_true(strlen(mistakes.list[0].message) > 20);
    return false;
  }
  flg_error error;
  flg_status status = FLG_OK;
  while (status == FLG_OK && !flg_simulation_ended(simulation)) {
    status = flg_simulation_step(simulation, &error);
  }
  if (status != FLG_OK) print_message("%s, %s: %s\n", of->name, scheme, error.message);
  flg_simulation_record(simulation, last);
  flg_simulation_release(simulation);
  return status == FLG_OK;
}

/* stiffness, damping, friction, stops act; forces do not depend on which end is named first */
static void interfaces_carry_the_same_with_every_scheme(void **state) {
  (void)state;
  for (int k = 0; k < TRIALS * (FLG_COUPLING_COUNT - 1) * 2; k++) {
    const trial *of = &trials[k / 2 % TRIALS];
    const flg_coupling_scheme *scheme = flg_coupling_schemes[1 + k / 2 / TRIALS];
    double exact[WIDTH], last[WIDTH];
    assert_true(run_pair(of, "monolithic", k % 2 == 1, exact));
    if (!run_pair(of, scheme->name, k % 2 == 1, last)) {
      assert_false(is_exact(scheme));
      continue;
    }
    const double place = is_exact(scheme) ? of->place : ROUGH_PLACE;
    assert_near(last[0], exact[0], place);
    assert_near(last[3], exact[3], place);
    assert_near(last[6], exact[6], is_exact(scheme) ? of->force : ROUGH_FORCE);
  }
}

/* --- a ball at the tip of an arm that falls on a plane ------------------------------------------
 */

static const char hinge[] =
    "flange-model: 1\nbodies: {rod: {mass: 1, centre: [0.5, 0, 0], inertia: [1e-3, 1/12, 1/12]}}\n"
    "joints: {hinge: {kind: revolute, child: rod, axis: [0, 1, 0]}}\n"
    "ports: {hand: {body: rod, at: [1, 0, 0]}}\n";
static const char elbow[] =
    "flange-model: 1\nbodies:\n"
    "  upper: {mass: 1, centre: [0.25, 0, 0], inertia: [1e-3, 0.02, 0.02]}\n"
    "  lower: {mass: 0.5, centre: [0.25, 0, 0], inertia: [1e-3, 0.01, 0.01]}\n"
    "joints:\n  shoulder: {kind: revolute, child: upper, axis: [0, 1, 0]}\n"
    "  elbow: {kind: revolute, parent: upper, child: lower, at: [0.5, 0, 0], axis: [0, 1, 0]}\n"
    "ports: {hand: {body: lower, at: [0.5, 0, 0]}}\n";

typedef struct landing {
  const char *arm;
  double mass;         /* of the ball [kg] */
  const char *surface; /* keys of the plane */
  const char *of_ball; /* keys of the ball's shape */
  double bound;        /* three times what the worst scheme with models measures, or rounding [m] */
} landing;

static const landing landings[] = {
    /* overlaps up to the slop, 1e-7 m, are left as they are */
    {hinge, 0.5, "", "", 2e-7},
    {hinge, 0.01, ", friction: 0.5", ", friction: 0.5", 2e-6},
    {hinge, 50, ", turn: [0, 0.2, 0], friction: 0.8", ", friction: 0.8", 2e-7},
    {hinge, 0.5, ", turn: [0.3, 0, 0], friction: 0.3", ", friction: 0.3", 4e-7},
    {hinge, 2, ", restitution: 0.4", ", restitution: 0.4", 2e-7},
    {elbow, 0.5, "", "", 1.6e-3},
    {elbow, 0.2, ", friction: 0.9", ", friction: 0.9", 1.1e-3},
    {elbow, 3, ", turn: [0, -0.1, 0], friction: 0.6, restitution: 0.3",
     ", friction: 0.6, restitution: 0.3", 5e-3},
};
/* the same of others that bring velocities together, where they do not tell that they failed */
static const double ROUGH_LANDING = 6e-2;
enum { LANDINGS = sizeof landings / sizeof landings[0] };

static marked_run run_landing(const landing *of, const char *scheme) {
  char ball[TEXT], scenario[TEXT];
  test_folder folder = make_folder();
  make_file(&folder, "arm.yaml", of->arm);
  snprintf(
      ball, sizeof ball,
      "flange-component: 1\nbodies: {ball: {mass: %g, inertia: [%g, %g, %g],\n"
      "  shapes: [{kind: sphere, size: 0.1, collision: true%s}]}}\nports: {top: {body: ball}}\n",
      of->mass, of->mass / 50, of->mass / 50, of->mass / 50, of->of_ball);
  make_file(&folder, "ball.yaml", ball);
  snprintf(scenario, sizeof scenario,
           "flange: 1\ntime: {end: 0.6, macro: 1/120}\n"
           "ground: {shapes: [{kind: plane, at: [1, 0, -0.2]%s}]}\nsubsystems:\n"
           "  arm: {model: arm.yaml, step: 1/600}\n"
           "  ball: {model: ball.yaml, step: 1/600, at: [1, 0, 0]}\n"
           "interfaces: {hook: {between: [arm/hand, ball/top], joint: weld}}\n"
           "coupling: {scheme: %s}\nrecord: [ball/ball.position]\n",
           of->surface, scheme);
  marked_run run = run_marked(make_file(&folder, "scenario.yaml", scenario), NULL);
  remove_folder(&folder);
  return run;
}

/* false: it ended early or is in doubt, and said so */
static bool land(const landing *of, const char *scheme, double *last) {
  marked_run run = run_landing(of, scheme);
  memcpy(last, run.values + (size_t)(run.rows - 1) * (size_t)run.width, 3 * sizeof *last);
  free(run.values);
  return run.diverged_at < 0 && !run.is_unsolved;
}

/* the interface has rank 1 or 2 on the side of the arm */
static void a_ball_at_the_tip_of_an_arm_lands_with_every_scheme(void **state) {
  (void)state;
  for (int k = 0; k < LANDINGS; k++) {
    double exact[3];
    assert_true(land(&landings[k], "monolithic", exact));
    for (int s = 1; s < FLG_COUPLING_COUNT; s++) {
      const flg_coupling_scheme *scheme = flg_coupling_schemes[s];
      double last[3];
      const bool ends = land(&landings[k], scheme->name, last);
      print_message("landing %d, %s: %s %.2e %.2e\n", k, scheme->name, ends ? "ends" : "told",
                    last[0] - exact[0], last[2] - exact[2]);
      if (is_exact(scheme)) assert_true(ends);
      if (!ends || scheme->reconciles != FLG_RECONCILE_BOTH) continue;
      const double bound = is_exact(scheme) ? landings[k].bound : ROUGH_LANDING;
      for (int i = 0; i < 3; i++) assert_near(last[i], exact[i], bound);
    }
  }
}

/* Models of an arm are those of its pose at the communication point: a ball that bounces after the
 * arm has turned on is off its circle, and what brings it back there changes its bounce. */
static void a_ball_at_the_tip_of_an_arm_bounces_inside_of_macro_steps(void **state) {
  (void)state;
  const landing *of = &landings[4];
  const char *const schemes[] = {"parallel", "sequential"};
  marked_run whole = run_landing(of, "monolithic");
  for (int s = 0; s < 2; s++) {
    marked_run run = run_landing(of, schemes[s]);
    const mark off = compare_marked(&run, &whole, 0, 3);
    print_message("%s: %.1e m\n", schemes[s], off.max);
    assert_true(off.max <= 3e-4);
    free(run.values);
  }
  free(whole.values);
}

/* --- options ------------------------------------------------------------------------------------
 */

static bool is_told(const flg_simulation *simulation, const char *words) {
  const char *notice;
  for (int k = 0; (notice = flg_simulation_notice(simulation, k)) != NULL; k++) {
    if (strstr(notice, words) != NULL) return true;
  }
  return false;
}

static void options_that_a_scheme_does_not_use_are_told(void **state) {
  (void)state;
  test_folder folder = make_folder();
  make_file(&folder, "mass.yaml", mass);
  const char *path = make_file(
      &folder, "scenario.yaml",
      "flange: 1\ntime: {end: 0.1, macro: 0.01}\nsubsystems:\n  l: {model: mass.yaml, step: 0.01}\n"
      "  r: {model: mass.yaml, step: 0.01}\ninterfaces: {cut: {between: [l/p, r/p], joint: weld}}\n"
      "coupling: {order: [r, l]}\n");
  static const char told[] = "does not use 'order'; schemes that do: sequential";
  for (int s = 0; s < FLG_COUPLING_COUNT; s++) {
    char override[OVERRIDE_TEXT];
    snprintf(override, sizeof override, "coupling.scheme=%s", flg_coupling_schemes[s]->name);
    flg_simulation *simulation = load_with(path, (const char *[]){override, NULL});
    assert_int_equal(is_told(simulation, told), !flg_coupling_schemes[s]->runs_in_order);
    flg_simulation_release(simulation);
  }
  remove_folder(&folder);
}

/* an option, the schemes that use it and those that do not, and what is told of these */
typedef struct unused_case {
  const char *option, *used[3], *unused[3], *told;
} unused_case;

static void options_that_depend_on_others_are_told(void **state) {
  (void)state;
  static const unused_case cases[] = {
      {"step=0.005",
       {"monolithic"},
       {"parallel", "sequential", "hold"},
       "does not use 'step'; schemes that do: monolithic, the reference of 'flange compare'"},
      {"integrator=rk4",
       {"monolithic"},
       {"parallel", "jacobi"},
       "does not use 'integrator'; schemes that do: monolithic, the reference"},
      {"feedback=0.5",
       {"parallel pose=feedback", "sequential pose=feedback"},
       {"parallel", "parallel pose=none", "monolithic"},
       "does not use 'feedback'; schemes that do: any but monolithic with 'pose: feedback'"},
      {"stiffness=1e5",
       {"paper-regularised", "parallel contacts=regularised"},
       {"parallel", "paper-smooth", "monolithic"},
       "does not use 'stiffness'; schemes that do: paper-regularised, any with"},
      {"damping=10", {"paper-regularised"}, {"sequential"}, "does not use 'damping'"},
      {"pose=none", {"parallel", "jacobi"}, {"monolithic"}, "does not use 'pose'"},
      {"form=mass", {"parallel"}, {"monolithic", "jacobi"}, "does not use 'form'"},
      {"reconcile=one", {"parallel"}, {"monolithic"}, "does not use 'reconcile'"},
      {"elastic=implicit", {"parallel"}, {"monolithic"}, "does not use 'elastic'"},
      {"capacity=100", {"parallel", "hold"}, {"monolithic"}, "does not use 'capacity'"},
      {"contacts=smooth", {"parallel"}, {"monolithic"}, "does not use 'contacts'"},
      {"causality=second", {"hold"}, {"monolithic"}, "does not use 'causality'"}};
  test_folder folder = make_folder();
  make_file(&folder, "mass.yaml", mass);
  const char *path = make_file(
      &folder, "scenario.yaml",
      "flange: 1\ntime: {end: 0.1, macro: 0.01}\nsubsystems:\n  l: {model: mass.yaml, step: 0.01}\n"
      "  r: {model: mass.yaml, step: 0.01}\ninterfaces: {cut: {between: [l/p, r/p], joint: "
      "weld}}\n");
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    for (int n = 0; n < 6; n++) {
      const char *words = n < 3 ? cases[k].used[n] : cases[k].unused[n - 3];
      char texts[3][OVERRIDE_TEXT] = {"", "", ""};
      if (words == NULL) continue;
      const int length = (int)strcspn(words, " ");
      snprintf(texts[0], OVERRIDE_TEXT, "coupling.scheme=%.*s", length, words);
      snprintf(texts[1], OVERRIDE_TEXT, "coupling.%s", cases[k].option);
      if (words[length] != 0) snprintf(texts[2], OVERRIDE_TEXT, "coupling.%s", words + length + 1);
      flg_simulation *simulation = load_with(
          path, (const char *[]){texts[0], texts[1], texts[2][0] == 0 ? NULL : texts[2], NULL});
      if (is_told(simulation, cases[k].told) != (n >= 3)) {
        fail_msg("%s with %s", words, cases[k].option);
      }
      flg_simulation_release(simulation);
    }
  }
  /* a scenario with a section `compare` means the reference */
  flg_simulation *simulation = load_with(
      path,
      (const char *[]){"coupling.scheme=parallel", "coupling.step=0.005", "compare={}", NULL});
  assert_false(is_told(simulation, "does not use"));
  flg_simulation_release(simulation);
  remove_folder(&folder);
}

/* --- a cart on a ball that rolls ----------------------------------------------------------------
 */

/* closed contacts are joints of the model: of the point that touches, not of one that turns away */
static void a_ball_that_rolls_keeps_its_height_in_smooth_models(void **state) {
  (void)state;
  static const char *const schemes[] = {"parallel", "sequential"};
  test_folder folder = make_folder();
  make_file(&folder, "ball.yaml",
            "flange-component: 1\nbodies: {ball: {mass: 1, inertia: [0.01, 0.01, 0.01],\n"
            "  at: [0, 0, 0.2], velocity: [2, 0, 0], angular_velocity: [0, 10, 0],\n"
            "  shapes: [{kind: sphere, size: 0.2, collision: true, friction: 0.9}]}}\n"
            "ports: {p: {body: ball}}\n");
  make_file(&folder, "cart.yaml",
            "flange-component: 1\nbodies: {cart: {mass: 1, inertia: [0.01, 0.01, 0.01],\n"
            "  at: [0, 0, 0.2], velocity: [2, 0, 0]}}\nports: {p: {body: cart}}\n");
  const char *path = make_file(
      &folder, "scenario.yaml",
      "flange: 1\ntime: {end: 0.5, macro: 1/60}\nground: {shapes: [{kind: plane, friction: 0.9}]}\n"
      "subsystems:\n  ball: {model: ball.yaml, step: 1/600, integrator: semi-implicit}\n"
      "  cart: {model: cart.yaml, step: 1/600, integrator: semi-implicit}\n"
      "interfaces: {axle: {between: [cart/p, ball/p], joint: revolute, axis: [0, 1, 0]}}\n"
      "coupling: {contacts: smooth}\nrecord: [ball/ball.position]\n");
  for (int k = 0; k < 2; k++) {
    char override[OVERRIDE_TEXT];
    snprintf(override, sizeof override, "coupling.scheme=%s", schemes[k]);
    marked_run run = run_marked(path, (const char *[]){override, NULL});
    const double *last = run.values + (size_t)(run.rows - 1) * (size_t)run.width;
    assert_near(last[0], 1, 2e-6);
    assert_near(last[2], 0.2, 6e-6);
    free(run.values);
  }
  remove_folder(&folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(interfaces_carry_the_same_with_every_scheme),
      cmocka_unit_test(a_ball_at_the_tip_of_an_arm_lands_with_every_scheme),
      cmocka_unit_test(a_ball_at_the_tip_of_an_arm_bounces_inside_of_macro_steps),
      cmocka_unit_test(options_that_a_scheme_does_not_use_are_told),
      cmocka_unit_test(options_that_depend_on_others_are_told),
      cmocka_unit_test(a_ball_that_rolls_keeps_its_height_in_smooth_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
