#include "math/three.h"

#include "check.h"
#include "math/mat3.h"

enum { ROUNDS = 100 };

/* Three numbers and one behind them that must not matter. */
typedef struct followed {
  flg_vec3 v;
  double behind;
} followed;

static followed random_followed(random_source *source) {
  const double x = random_uniform(source, -2, 2), y = random_uniform(source, -2, 2);
  return (followed){{x, y, random_uniform(source, -2, 2)}, (double)NAN};
}

static flg_three three_of(const followed *from) {
  return flg_three_load(&from->v.x);
}

static void assert_same(flg_vec3 actual, flg_vec3 expected) {
  assert_near(actual.x, expected.x, 1e-14);
  assert_near(actual.y, expected.y, 1e-14);
  assert_near(actual.z, expected.z, 1e-14);
}

static void lanes_go_round(void **state) {
  (void)state;
  const flg_three v = {1, 2, 3, (double)NAN};
  assert_same(flg_three_vector(flg_three_next(v)), (flg_vec3){2, 3, 1});
  assert_same(flg_three_vector(flg_three_last(v)), (flg_vec3){3, 1, 2});
}

static void sum_and_cross_are_those_of_vectors(void **state) {
  (void)state;
  random_source source = {1};
  for (int k = 0; k < ROUNDS; k++) {
    const followed a = random_followed(&source), b = random_followed(&source);
    assert_near(flg_three_sum(three_of(&a) * three_of(&b)), flg_vec3_dot(a.v, b.v), 1e-14);
    assert_same(flg_three_vector(flg_three_cross(three_of(&a), three_of(&b))),
                flg_vec3_cross(a.v, b.v));
  }
}

static void matrices_by_cyclic_diagonals_are_matrices(void **state) {
  (void)state;
  random_source source = {2};
  for (int k = 0; k < ROUNDS; k++) {
    const followed x = random_followed(&source), y = random_followed(&source),
                   z = random_followed(&source), of = random_followed(&source);
    const flg_mat3 A = flg_mat3_from_columns(x.v, y.v, z.v);
    const double *m = A.m, none = (double)NAN;
    const flg_three_mat lanes = {
        {m[0], m[4], m[8], none}, {m[3], m[7], m[2], none}, {m[6], m[1], m[5], none}};
    const flg_sym3 S = flg_sym3_from_lower(&A);
    const flg_three_sym sym = {{S.xx, S.yy, S.zz, none}, {S.xy, S.yz, S.xz, none}};
    const flg_three v = three_of(&of);
    assert_same(flg_three_vector(flg_three_combine(three_of(&x), three_of(&y), three_of(&z), of.v)),
                flg_mat3_apply(&A, of.v));
    assert_same(flg_three_vector(flg_three_mat_apply(&lanes, v)), flg_mat3_apply(&A, of.v));
    assert_same(flg_three_vector(flg_three_mat_apply_transposed(&lanes, v)),
                flg_mat3_apply_transposed(&A, of.v));
    assert_same(flg_three_vector(flg_three_sym_apply(&sym, v)), flg_sym3_apply(S, of.v));
  }
}

static void stores_in_order_leave_all_vectors(void **state) {
  (void)state;
  double to[8] = {0, 0, 0, 0, 0, 0, 0, 9};
  flg_three_store_over((flg_three){1, 2, 3, (double)NAN}, to);
  flg_three_store_over((flg_three){4, 5, 6, 7}, to + 3);
  for (int k = 0; k < 7; k++) assert_true(to[k] == k + 1);
  assert_true(to[7] == 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_go_round),
      cmocka_unit_test(sum_and_cross_are_those_of_vectors),
      cmocka_unit_test(matrices_by_cyclic_diagonals_are_matrices),
      cmocka_unit_test(stores_in_order_leave_all_vectors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
