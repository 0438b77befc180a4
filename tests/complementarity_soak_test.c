/* A million random complementarity problems, and as many with friction. */
#include "complementarity/test_friction.h"
#include "complementarity/test_linear.h"

static void a_million_problems_are_solved_or_told_unsolvable(void **state) {
  (void)state;
  solve_random_problems(1000000, 77);
}

static void half_a_million_boxes_are_solved(void **state) {
  (void)state;
  solve_random_contacts(0, 500000, 78);
}

static void half_a_million_cones_are_solved(void **state) {
  (void)state;
  solve_random_contacts(1, 500000, 79);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_million_problems_are_solved_or_told_unsolvable),
      cmocka_unit_test(half_a_million_boxes_are_solved),
      cmocka_unit_test(half_a_million_cones_are_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
