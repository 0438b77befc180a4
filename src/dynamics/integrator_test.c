#include "dynamics/integrator.h"

#include <string.h>

#include "check.h"
#include "sample.h"

static const double STEP = 1. / 600;

/* One joint accelerates, whatever the velocities are. */
typedef struct pull {
  int joint, calls;
  double acceleration;
} pull;

static void accelerate(void *system, double time, const double *q, const double *v,
                       const double *mean, double *a) {
  pull *of = system;
  (void)time, (void)q, (void)v, (void)mean;
  memset(a, 0, ARM_LINKS * sizeof *a);
  a[of->joint] = of->acceleration;
  of->calls++;
}

/* How often a kick asks for accelerations of an arm. Joint 0 turns with `spin`; of joint `pulled`,
 * the mean velocity comes out larger than was guessed by `error`. */
static int calls_of_kick(double spin, int pulled, double error, bool is_inertial) {
  sample *s = sample_arm();
  pull of = {.joint = pulled, .acceleration = 2 * error / STEP};
  flg_integrator_options options = flg_integrator_default();
  options.kind = FLG_INTEGRATOR_LEAPFROG;
  flg_region region = {0};
  flg_error failure = {0};
  flg_integrator *integrator;
  assert_int_equal(
      flg_integrator_build(&integrator, &options, &(flg_integrated){&s->robot, accelerate, &of},
                           &region, &failure),
      FLG_OK);
  const double q[ARM_LINKS] = {0}, v[ARM_LINKS] = {spin}, none[ARM_LINKS] = {0};
  double free[ARM_LINKS];
  const flg_kick_guess guess = {true, is_inertial, none, none};
  flg_integrator_kick(integrator, 0, STEP, q, v, &guess, free);
  assert_near(free[pulled], v[pulled] + 2 * error, 1e-12 * (spin + error));
  flg_region_release(&region);
  sample_release(s);
  return of.calls;
}

static void a_joint_at_rest_is_measured_by_the_spin_of_others(void **state) {
  (void)state;
  for (int k = 1; k < ARM_LINKS; k++) {
    assert_int_equal(calls_of_kick(1, k, 1e-4, true), 1);
    assert_int_equal(calls_of_kick(1, k, -1e-4, true), 1);
    assert_int_equal(calls_of_kick(1, k, 1e-2, true), 2);
  }
}

static void a_spin_of_many_turns_a_step_does_not_hide_errors(void **state) {
  (void)state;
  for (double spin = 1; spin < 1e7; spin *= 10) {
    assert_int_equal(calls_of_kick(spin, 1, 1e-4, true), 1);
    assert_int_equal(calls_of_kick(spin, 1, 1e-2, true), 2);
  }
}

/* as controllers and dry friction are: they may depend on that joint alone */
static void other_forces_measure_a_joint_by_itself(void **state) {
  (void)state;
  for (int k = 1; k < ARM_LINKS; k++) assert_int_equal(calls_of_kick(1, k, 1e-4, false), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_joint_at_rest_is_measured_by_the_spin_of_others),
      cmocka_unit_test(a_spin_of_many_turns_a_step_does_not_hide_errors),
      cmocka_unit_test(other_forces_measure_a_joint_by_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
