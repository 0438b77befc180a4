/* The wall push, examples/wall-push: how far co-simulated runs are from the monolithic solution. */
#include "check.h"
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

/* what the coupling alone does: the same steps as the monolithic solution */
static void sequential_adds_tenths_of_a_millimetre(void **state) {
  (void)state;
  stay_within((push){"manoeuvre1-rigid", "0", "1/60", "sequential", NULL, "1/600"}, "1/600", 0.05);
  stay_within((push){"manoeuvre1-rigid", "0.02", "1/60", "sequential", NULL, "1/600"}, "1/600",
              0.25);
  stay_within((push){"manoeuvre1-flexible", "0", "1/60", "sequential", NULL, "1/600"}, "1/600",
              0.15);
  stay_within((push){"manoeuvre1-flexible", "0.02", "1/120", "sequential", NULL, "1/600"}, "1/600",
              0.25);
  stay_within((push){"manoeuvre1-flexible", "0.02", "1/60", "sequential", NULL, "1/600"}, "1/600",
              0.25);
}

/* with the steps of the paper: 1/600 s for the arm, 1/120 s for the end-effector */
static void totals_are_those_of_the_steps(void **state) {
  (void)state;
  stay_within((push){"manoeuvre1-rigid", "0", "1/60", "sequential", NULL, NULL}, "1/6000", 1);
  stay_within((push){"manoeuvre2-rigid", "0", "1/60", "sequential", NULL, NULL}, "1/6000", 1);
  stay_within((push){"manoeuvre1-rigid-locked", "0", "1/60", "sequential", NULL, NULL}, "1/6000",
              1);
  stay_within((push){"manoeuvre1-flexible", "0", "1/60", "sequential", NULL, NULL}, "1/6000", 2);
}

/* signals, and models as the papers have them */
static void others_are_lost(void **state) {
  (void)state;
  static const char *const signals[] = {"hold", "extrapolate"};
  for (int k = 0; k < 2; k++) {
    const push of = {"manoeuvre1-flexible", "0.02", "1/60", signals[k], NULL, "1/600"};
    marked_run run = go(&of, NULL);
    print_message("manoeuvre1-flexible %s: diverged at %.3f s\n", signals[k], run.diverged_at);
    assert_true(run.diverged_at > 0 && run.diverged_at < 1);
    free(run.values);
  }
  const push paper = {"manoeuvre1-flexible", "0.02", "1/60", "paper-flexible", NULL, "1/600"};
  double diverged_at;
  const double off = miss(&paper, "1/600", &diverged_at);
  print_message("manoeuvre1-flexible paper-flexible: %.0f mm\n", off);
  assert_true(off > 100 || diverged_at > 0);
}

/* in the steady push the wall bears 150 N, less what feedback holds */
static void the_wall_bears_the_push(void **state) {
  (void)state;
  static const double wall[3] = {0.21241086574217616, 0.4523370374606937, 0.8661829071598806};
  const push of = {"manoeuvre1-rigid", "0", "1/60", "sequential", NULL, NULL};
  marked_run run = go(&of, NULL);
  const double *force = run.values + (size_t)(run.rows - 1) * (size_t)run.width + CONTACT;
  const double along = -(force[0] * wall[0] + force[1] * wall[1] + force[2] * wall[2]);
  print_message("manoeuvre1-rigid: the wall bears %.2f N\n", along);
  assert_near(along, 150, 1.5);
  free(run.values);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sequential_adds_tenths_of_a_millimetre),
      cmocka_unit_test(totals_are_those_of_the_steps),
      cmocka_unit_test(others_are_lost),
      cmocka_unit_test(the_wall_bears_the_push),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
