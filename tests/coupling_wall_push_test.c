/* The wall push, examples/wall-push: how far co-simulated runs are from the monolithic solution. */
#include "check.h"
#include "cosim/analysis.h"
#include "cosim/simulation.h"
#include "coupling_marks.h"

enum { CENTRE = 9, CONTACT = 6 }; /* columns of the interface and of the contact force */

typedef struct push {
  const char *name; /* of the scenario */
  const char *near; /* by how much the wall is closer [m] */
  const char *macro;
  const char *scheme;
  const char *options; /* of the coupling, NULL: none */
  const char *step;    /* of the end-effector, NULL: its own */
} push;

static marked_run go(const push *of, const char *whole_step) {
  char path[100], text[6][OVERRIDE_TEXT];
  const char *overrides[8] = {text[0], text[1], text[2], text[3]};
  int count = 4;
  snprintf(path, sizeof path, "examples/wall-push/%s.yaml", of->name);
  snprintf(text[0], sizeof text[0], "subsystems.effector.parameters.near=%s", of->near);
  snprintf(text[1], sizeof text[1], "time.macro=%s", of->macro);
  snprintf(text[2], sizeof text[2], "coupling.scheme=%s",
           whole_step != NULL ? "monolithic" : of->scheme);
  snprintf(text[3], sizeof text[3], "time.end=6.6"); /* all macro steps divide it */
  if (whole_step != NULL) {
    snprintf(text[4], sizeof text[4], "coupling.step=%s", whole_step);
    overrides[count++] = text[4];
  } else {
    if (of->options != NULL) {
      snprintf(text[4], sizeof text[4], "coupling.%s", of->options);
      overrides[count++] = text[4];
    }
    if (of->step != NULL) {
      snprintf(text[5], sizeof text[5], "subsystems.effector.step=%s", of->step);
      overrides[count++] = text[5];
    }
  }
  overrides[count] = NULL;
  return run_marked(path, overrides);
}

/* largest error of the interface's position [mm] against the monolithic solution */
static double miss(const push *of, const char *whole_step, double *diverged_at) {
  marked_run run = go(of, NULL), reference = go(of, whole_step);
  const mark off = compare_marked(&run, &reference, CENTRE, 3);
  *diverged_at = run.diverged_at;
  free(run.values), free(reference.values);
  return 1e3 * off.max;
}

static void stay_within(push of, const char *whole_step, double most) {
  double diverged_at;
  const double off = miss(&of, whole_step, &diverged_at);
  print_message("%s near=%s H %s %s%s%s of %s: %.3f mm\n", of.name, of.near, of.macro, of.scheme,
                of.options != NULL ? " " : "", of.options != NULL ? of.options : "", whole_step,
                off);
  assert_true(diverged_at < 0);
  assert_true(off <= most);
}

/* --- what the coupling alone does: the same steps as the monolithic solution --------------------
 */

enum { MACROS = 4, SCHEMES = 2 };
static const char *const macros[MACROS] = {"1/120", "1/60", "1/30", "1/15"};
static const char *const schemes[SCHEMES] = {"sequential", "parallel"};

typedef struct table_row {
  const char *name, *near;
  double most[SCHEMES][MACROS]; /* [mm] */
} table_row;

static void fill_row(const table_row *of) {
  for (int m = 0; m < MACROS; m++) {
    push at = {of->name, of->near, macros[m], "monolithic", NULL, "1/600"};
    marked_run reference = go(&at, "1/600");
    for (int k = 0; k < SCHEMES; k++) {
      at.scheme = schemes[k];
      marked_run run = go(&at, NULL);
      const double off = 1e3 * compare_marked(&run, &reference, CENTRE, 3).max;
      print_message("%s near=%s H %s %s of 1/600: %.3f mm\n", of->name, of->near, macros[m],
                    schemes[k], off);
      assert_true(run.diverged_at < 0);
      assert_true(off <= of->most[k][m]);
      free(run.values);
    }
    free(reference.values);
  }
}

/* The wall at its place is only grazed: 10 um there are 0.4 mm later. */
static void couplings_add_tenths_of_a_millimetre(void **state) {
  (void)state;
  static const table_row rows[] = {
      {"manoeuvre1-rigid", "0", {{0.05, 0.05, 0.05, 1.5}, {0.05, 0.05, 0.15, 0.5}}},
      {"manoeuvre1-rigid", "0.02", {{0.25, 0.25, 0.25, 0.25}, {0.25, 0.25, 0.25, 1}}},
      {"manoeuvre1-flexible", "0", {{0.15, 0.15, 0.15, 0.5}, {0.15, 0.15, 2, 2}}},
      {"manoeuvre1-flexible", "0.02", {{0.25, 0.25, 0.25, 0.5}, {0.5, 0.5, 2, 2}}},
      {"manoeuvre2-flexible", "0.02", {{0.25, 0.25, 0.25, 0.5}, {0.5, 0.5, 2, 3}}},
      {"manoeuvre1-flexible-locked", "0.02", {{0.25, 0.25, 0.5, 0.5}, {0.5, 0.5, 2, 4}}}};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) fill_row(&rows[k]);
}

/* without a wall, or with one that does not rub, nothing is left to chance */
static void free_flight_and_sliding_are_smooth(void **state) {
  (void)state;
  static const char *const cases[2] = {"near=-1", "friction=0"};
  for (int c = 0; c < 2; c++) {
    for (int m = 1; m < MACROS; m += 2) {
      char text[3][OVERRIDE_TEXT];
      const char *overrides[] = {text[0], text[1], "time.end=6.6", "subsystems.effector.step=1/600",
                                 text[2], NULL};
      snprintf(text[0], sizeof text[0], "subsystems.effector.parameters.%s", cases[c]);
      snprintf(text[1], sizeof text[1], "time.macro=%s", macros[m]);
      snprintf(text[2], sizeof text[2], "coupling.scheme=sequential");
      marked_run run = run_marked("examples/wall-push/manoeuvre1-flexible.yaml", overrides);
      snprintf(text[2], sizeof text[2],
               "coupling={scheme: monolithic, step: 1/600, integrator: "
               "semi-implicit}");
      marked_run reference = run_marked("examples/wall-push/manoeuvre1-flexible.yaml", overrides);
      const double off = 1e3 * compare_marked(&run, &reference, CENTRE, 3).max;
      print_message("manoeuvre1-flexible %s H %s: %.3f mm\n", cases[c], macros[m], off);
      assert_true(off <= 0.15);
      free(run.values), free(reference.values);
    }
  }
}

/* Neighbours of the case above: what is set, H, the steps of both subsystems. */
typedef struct neighbour {
  const char *set[2], *macro, *step;
  double most; /* [mm] */
} neighbour;

static marked_run go_near(const neighbour *of, const char *coupling) {
  char text[4][OVERRIDE_TEXT];
  const char *overrides[] = {text[0],    text[1],        text[2],
                             text[3],    "time.end=6.6", "subsystems.effector.parameters.near=0.02",
                             of->set[0], of->set[1],     NULL};
  snprintf(text[0], sizeof text[0], "coupling=%s", coupling);
  snprintf(text[1], sizeof text[1], "time.macro=%s", of->macro);
  snprintf(text[2], sizeof text[2], "subsystems.arm.step=%s", of->step);
  snprintf(text[3], sizeof text[3], "subsystems.effector.step=%s", of->step);
  return run_marked("examples/wall-push/manoeuvre1-flexible.yaml", overrides);
}

static void neighbours_are_as_good(void **state) {
  (void)state;
  static const neighbour list[] = {
      {{NULL}, "1/45", "1/900", 0.25},
      {{NULL}, "1/30", "1/300", 0.25},
      {{NULL}, "1/60", "1/300", 0.25},
      {{NULL}, "1/60", "1/1200", 0.25},
      {{"interfaces.wrist.between=[effector/mount, arm/centre]"}, "1/60", "1/600", 0.25},
      {{"subsystems.effector.parameters.mass=80",
        "subsystems.arm.controllers.joints.payload.mass=80"},
       "1/60",
       "1/600",
       0.25},
      {{"subsystems.arm.controllers.joints.payload.mass=60"}, "1/60", "1/600", 0.25},
      {{"subsystems.arm.flexible.link3.young=69e12", "subsystems.arm.flexible.link4.young=69e12"},
       "1/60",
       "1/600",
       0.25},
      {{"subsystems.arm.flexible.link3.young=20e9", "subsystems.arm.flexible.link4.young=20e9"},
       "1/60",
       "1/600",
       0.25},
      {{"subsystems.arm.flexible.link3.bending=3", "subsystems.arm.flexible.link4.bending=1"},
       "1/60",
       "1/600",
       0.25}};
  for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
    char whole[OVERRIDE_TEXT];
    snprintf(whole, sizeof whole, "{scheme: monolithic, step: %s, integrator: semi-implicit}",
             list[k].step);
    marked_run reference = go_near(&list[k], whole);
    for (int s = 0; s < SCHEMES; s++) {
      char scheme[OVERRIDE_TEXT];
      snprintf(scheme, sizeof scheme, "{scheme: %s}", schemes[s]);
      marked_run run = go_near(&list[k], scheme);
      const double off = 1e3 * compare_marked(&run, &reference, CENTRE, 3).max;
      print_message("%s H %s h %s %s: %.3f mm\n", list[k].set[0] != NULL ? list[k].set[0] : "",
                    list[k].macro, list[k].step, schemes[s], off);
      assert_true(run.diverged_at < 0);
      assert_true(off <= list[k].most);
      free(run.values);
    }
    free(reference.values);
  }
}

/* the arm first, as it is by default, against the end-effector first */
static void flexible_arms_run_first(void **state) {
  (void)state;
  double off[2], diverged_at;
  for (int m = 1; m < 3; m++) {
    push of = {"manoeuvre1-flexible", "0.02", macros[m], "sequential", NULL, "1/600"};
    off[0] = miss(&of, "1/600", &diverged_at);
    of.options = "order=[effector, arm]";
    off[1] = miss(&of, "1/600", &diverged_at);
    print_message("manoeuvre1-flexible near=0.02 H %s: arm first %.3f mm, effector first %.3f mm\n",
                  macros[m], off[0], off[1]);
    assert_true(off[0] < 1.1 * off[1]);
  }
}

/* with the steps of the paper: 1/600 s for the arm, 1/120 s for the end-effector */
static void totals_are_those_of_the_steps(void **state) {
  (void)state;
  stay_within((push){"manoeuvre1-rigid", "0", "1/60", "sequential", NULL, NULL}, "1/6000", 1);
  stay_within((push){"manoeuvre2-rigid", "0", "1/60", "sequential", NULL, NULL}, "1/6000", 1);
  stay_within((push){"manoeuvre1-rigid-locked", "0", "1/60", "sequential", NULL, NULL}, "1/6000",
              1);
  stay_within((push){"manoeuvre1-flexible", "0", "1/60", "sequential", NULL, NULL}, "1/6000", 2);
  stay_within((push){"manoeuvre2-flexible", "0", "1/60", "sequential", NULL, NULL}, "1/6000", 2.2);
  stay_within((push){"manoeuvre1-flexible-locked", "0", "1/60", "sequential", NULL, NULL}, "1/6000",
              2);
  stay_within((push){"manoeuvre2-flexible-locked", "0", "1/60", "sequential", NULL, NULL}, "1/6000",
              2);
}

static void signals_are_lost(void **state) {
  (void)state;
  static const char *const signals[] = {"hold", "extrapolate"};
  for (int k = 0; k < 2; k++) {
    const push of = {"manoeuvre1-flexible", "0.02", "1/60", signals[k], NULL, "1/600"};
    marked_run run = go(&of, NULL);
    print_message("manoeuvre1-flexible %s: diverged at %.3f s\n", signals[k], run.diverged_at);
    assert_true(run.diverged_at > 0 && run.diverged_at < 1);
    free(run.values);
  }
}

/* elastic forces of the arm's model as others have them */
static void simpler_models_are_worse(void **state) {
  (void)state;
  static const struct {
    const char *scheme, *options;
    double least; /* [mm] */
  } others[] = {{"parallel", "elastic=implicit", 0.3},
                {"parallel", "elastic=constant", 0.5},
                {"parallel", "elastic=paper", 5},
                {"paper-flexible", NULL, 1000},
                {"paper-flexible", "elastic=literal", 1000}};
  for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
    const push of = {"manoeuvre1-flexible", "0.02", "1/60", others[k].scheme,
                     others[k].options,     "1/600"};
    double diverged_at;
    const double off = miss(&of, "1/600", &diverged_at);
    print_message(
        "manoeuvre1-flexible near=0.02 H 1/60 %s%s%s of 1/600: %.3f mm, diverged at %g s\n",
        of.scheme, of.options != NULL ? " " : "", of.options != NULL ? of.options : "", off,
        diverged_at);
    assert_true(off >= others[k].least || diverged_at > 0);
  }
}

/* --- the force ----------------------------------------------------------------------------------
 */

static const double wall[3] = {0.21241086574217616, 0.4523370374606937, 0.8661829071598806};

static double force_along(const marked_run *run, int row) {
  const double *force = run->values + (size_t)row * (size_t)run->width + CONTACT;
  return -(force[0] * wall[0] + force[1] * wall[1] + force[2] * wall[2]);
}

static marked_run push_on(const char *name, const char *near, const char *scheme) {
  char path[100], text[2][OVERRIDE_TEXT];
  const char *overrides[] = {text[0], text[1], "time.end=12", NULL};
  snprintf(path, sizeof path, "examples/wall-push/%s.yaml", name);
  snprintf(text[0], sizeof text[0], "subsystems.effector.parameters.near=%s", near);
  snprintf(text[1], sizeof text[1], "coupling.scheme=%s", scheme);
  return run_marked(path, overrides);
}

/* In the steady push the wall bears 150 N. A flexible arm comes to rest slowly: from 8 s on its
 * force swings as that of the monolithic solution does, and the mean of the last second is there.
 */
static void the_wall_bears_the_push(void **state) {
  (void)state;
  static const char *const names[] = {"manoeuvre1-rigid", "manoeuvre1-flexible",
                                      "manoeuvre2-flexible", "manoeuvre1-flexible-locked"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    marked_run run = push_on(names[k], "0", "sequential");
    marked_run reference = push_on(names[k], "0", "monolithic");
    double off = 0, mean = 0;
    for (int row = 8 * 60; row < run.rows; row++) {
      off = flg_larger(off, fabs(force_along(&run, row) - force_along(&reference, row)));
      if (row >= 11 * 60) mean += force_along(&run, row) / (run.rows - 11 * 60);
    }
    print_message("%s: the wall bears %.2f N, from 8 s on within %.2f N of monolithic\n", names[k],
                  mean, off);
    assert_near(mean, 150, 1.5);
    assert_near(off, 0, 1.5);
    free(run.values), free(reference.values);
  }
}

/* --- condition numbers: Fig. 7b -----------------------------------------------------------------
 */

typedef struct conditions {
  double most, least; /* of the effective mass of the arm at the interface, full rank or not */
} conditions;

static conditions go_along(const char *name) {
  char path[100];
  snprintf(path, sizeof path, "examples/wall-push/%s.yaml", name);
  flg_simulation *simulation = load_with(path, NULL);
  conditions seen = {0, HUGE_VAL};
  flg_error error;
  while (!flg_simulation_ended(simulation)) {
    flg_side_analysis side;
    assert_int_equal(flg_side_analyse(&simulation->interfaces[0], 0, simulation->subsystems, false,
                                      &side, &error),
                     FLG_OK);
    seen.most = flg_larger(seen.most, side.condition);
    seen.least = flg_smaller(seen.least, side.condition);
    assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
  }
  flg_simulation_release(simulation);
  return seen;
}

static void only_rigid_arms_become_singular(void **state) {
  (void)state;
  for (int manoeuvre = 1; manoeuvre <= 2; manoeuvre++) {
    char name[40];
    snprintf(name, sizeof name, "manoeuvre%d-rigid", manoeuvre);
    const conditions rigid = go_along(name);
    snprintf(name, sizeof name, "manoeuvre%d-flexible", manoeuvre);
    const conditions flexible = go_along(name);
    print_message(
        "manoeuvre %d: condition of the rigid arm %.3g to %.3g, of the flexible one %.3g to "
        "%.3g\n",
        manoeuvre, rigid.least, rigid.most, flexible.least, flexible.most);
    assert_true(rigid.most > 1e11);
    assert_true(flexible.least > 1e3 && flexible.most < 1e4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(couplings_add_tenths_of_a_millimetre),
      cmocka_unit_test(free_flight_and_sliding_are_smooth),
      cmocka_unit_test(neighbours_are_as_good),
      cmocka_unit_test(flexible_arms_run_first),
      cmocka_unit_test(totals_are_those_of_the_steps),
      cmocka_unit_test(signals_are_lost),
      cmocka_unit_test(simpler_models_are_worse),
      cmocka_unit_test(the_wall_bears_the_push),
      cmocka_unit_test(only_rigid_arms_become_singular),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
