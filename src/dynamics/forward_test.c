#include "dynamics/dynamics.h"

#include "random_tree.h"

enum { MOST = 6 * 40 + 1 };

static const flg_vec3 GRAVITY = {1.5, -2, -9.81};

static double largest(const double *a, int count) {
  const double none[MOST] = {0};
  return max_difference(a, none, count);
}

static void inverse_gives_back_the_forces_of_forward(void **state) {
  (void)state;
  random_source source = {1};
  for (int k = 0; k < 10000; k++) {
    sample *s = random_tree(&source, random_integer(&source, 1, 12), ALL_KINDS, ALL_KIND_COUNT);
    const int n = s->robot.velocity_count;
    double q[MOST], v[MOST], f[MOST], a[MOST], back[MOST];
    random_position(&source, &s->robot, q);
    random_numbers(&source, 2, v, n);
    random_numbers(&source, 50, f, n);
    flg_spatial external[40];
    random_numbers(&source, 10, &external[0].linear.x, 6 * s->robot.link_count);
    flg_dynamics_forward(s->dynamics, q, v, f, GRAVITY, external, a);
    flg_dynamics_inverse(s->dynamics, q, v, a, GRAVITY, external, back);
    assert_true(max_difference(f, back, n) <= 1e-10 * (1 + largest(f, n)));
    sample_release(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_gives_back_the_forces_of_forward),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
