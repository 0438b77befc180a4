/* A million steps of a four-bar, and forty of them with short steps through their singular poses.
 */
#include "four_bars.h"
#include "long_runs.h"

static void a_four_bar_stays_closed_for_a_million_steps(void **state) {
  (void)state;
  run_four_bar(1000000);
}

static void forty_four_bars_pass_singular_poses_in_steps_of_any_length(void **state) {
  (void)state;
  static const bars_case cases[] = {
      {40, FLG_SCHEME_RATTLE, FLG_FORM_ADMITTANCE, 5e-4, 1e-5},
      {40, FLG_SCHEME_RATTLE, FLG_FORM_ADMITTANCE, 2e-3, 2e-4},
      {40, FLG_SCHEME_RATTLE, FLG_FORM_ROOT, 1e-3, 2e-5},
      {40, FLG_SCHEME_RK4, FLG_FORM_ADMITTANCE, 5e-4, 1e-5},
      {40, FLG_SCHEME_RK4, FLG_FORM_ADMITTANCE, 1e-3, 1e-5},
      {40, FLG_SCHEME_RK4, FLG_FORM_ADMITTANCE, 2e-3, 1e-5},
      {40, FLG_SCHEME_RK4, FLG_FORM_ROOT, 1e-3, 1e-4},
      {40, FLG_SCHEME_RK4, FLG_FORM_ROOT, 5e-3, 1e-4},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) run_bars(&cases[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_four_bar_stays_closed_for_a_million_steps),
      cmocka_unit_test(forty_four_bars_pass_singular_poses_in_steps_of_any_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
