/* A million random complementarity problems. */
#include "complementarity/test_linear.h"

static void a_million_problems_are_solved_or_told_unsolvable(void **state) {
  (void)state;
  solve_random_problems(1000000, 77, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_million_problems_are_solved_or_told_unsolvable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
