#include "allocations.h"
#include "complementarity/test_friction.h"

static void no_solve_allocates(void **state) {
  (void)state;
  if (!allocations_counted()) skip();
  static random_problem p;
  static contact_problem c;
  random_source source = {41};
  for (int method = FLG_METHOD_AUTOMATIC; method <= FLG_METHOD_ITERATIVE; method++) {
    flg_complementarity_options options = flg_complementarity_default();
    options.method = (flg_complementarity_method)method;
    test_solver made = solver_for(LARGEST, &options);
    for (int k = 0; k < 10 * KIND_COUNT; k++) {
      double z[LARGEST], w[LARGEST];
      unsigned char states[LARGEST] = {0};
      make_problem(&source, (problem_kind)(k % KIND_COUNT), random_integer(&source, 1, LARGEST),
                   &p);
      make_contacts(&source, random_integer(&source, 1, 8), random_integer(&source, 3, 20), &c);
      const flg_complementarity_matrix matrix = matrix_of_problem(&p);
      const flg_complementarity_matrix contacts = matrix_of_problem(&c.p);
      allocations_begin();
      flg_complementarity_linear(made.solver, &matrix, p.q, states, z, w, NULL);
      flg_complementarity_mixed(made.solver, &matrix, p.q, p.lower, p.upper, states, z, w, NULL);
      memset(states, 0, sizeof states);
      flg_complementarity_box(made.solver, &contacts, c.p.q, c.count, c.contacts, states, z, w,
                              NULL);
      flg_complementarity_cone(made.solver, &contacts, c.p.q, c.count, c.contacts, states, z, w,
                               NULL);
      assert_int_equal(allocations_end(), 0);
    }
    drop_solver(&made);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_solve_allocates)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
