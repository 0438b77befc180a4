#include "dynamics/dynamics.h"

#include "mass_matrix.h"
#include "plain_mass.h"
#include "random_tree.h"

static const flg_vec3 NO_GRAVITY = {0, 0, 0};

static void mass_matrix_has_the_columns_of_inverse_dynamics(void **state) {
  (void)state;
  random_source source = {1};
  for (int k = 0; k < 500; k++) {
    scene x = random_moving_scene(&source);
    const double rest[SCENE_SIZE] = {0};
    double M[SCENE_SIZE * SCENE_SIZE], columns[SCENE_SIZE * SCENE_SIZE] = {0};
    for (int j = 0; j < x.n; j++) {
      double unit[SCENE_SIZE] = {0};
      unit[j] = 1;
      flg_dynamics_inverse(x.s->dynamics, x.q, rest, unit, NO_GRAVITY, NULL, columns + x.n * j);
    }
    flg_dynamics_kinematics(x.s->dynamics, x.q, x.v);
    flg_dynamics_mass(x.s->dynamics, M);
    assert_true(relative_difference(M, columns, x.n * x.n) <= 1e-13);
    for (int j = 0; j < x.n; j++) {
      for (int i = 0; i < x.n; i++) assert_true(M[i + x.n * j] == M[j + x.n * i]);
    }
    sample_release(x.s);
  }
}

static void rigid_links_have_the_mass_of_plain_numbers(void **state) {
  (void)state;
  random_source source = {6};
  double worst = 0;
  for (int k = 0; k < REPEATS(500); k++) {
    scene x = random_moving_scene(&source);
    double wide[SCENE_SIZE * SCENE_SIZE], plain[SCENE_SIZE * SCENE_SIZE];
    flg_dynamics_move(x.s->dynamics, x.q, x.v);
    flg_dynamics_mass(x.s->dynamics, wide);
    plain_mass(x.s->dynamics, plain);
    worst = flg_larger(worst, relative_difference(wide, plain, x.n * x.n));
    sample_release(x.s);
  }
  assert_near(worst, 0, 1e-14);
}

static void kinetic_energy_is_half_v_m_v(void **state) {
  (void)state;
  random_source source = {2};
  for (int k = 0; k < 500; k++) {
    scene x = random_moving_scene(&source);
    double M[SCENE_SIZE * SCENE_SIZE], energy = 0;
    flg_dynamics_kinematics(x.s->dynamics, x.q, x.v);
    flg_dynamics_mass(x.s->dynamics, M);
    for (int j = 0; j < x.n; j++) {
      for (int i = 0; i < x.n; i++) energy += 0.5 * x.v[i] * M[i + x.n * j] * x.v[j];
    }
    assert_near(flg_dynamics_kinetic_energy(x.s->dynamics), energy, 4e-13 * energy);
    sample_release(x.s);
  }
}

/* |M a - f| over |f|, both ways of solving */
static void factors_on_the_tree_solve_with_the_mass_matrix(void **state) {
  (void)state;
  random_source source = {3};
  for (int k = 0; k < 500; k++) {
    scene x = random_moving_scene(&source);
    double M[SCENE_SIZE * SCENE_SIZE], factors[SCENE_SIZE * SCENE_SIZE];
    flg_dynamics_kinematics(x.s->dynamics, x.q, x.v);
    flg_dynamics_mass(x.s->dynamics, M);
    memcpy(factors, M, sizeof M);
    double a[SCENE_SIZE], b[SCENE_SIZE], product[2][SCENE_SIZE] = {{0}};
    memcpy(a, x.f, sizeof a);
    mass_factor(x.s->dynamics, factors);
    mass_solve(x.s->dynamics, factors, a);
    flg_dynamics_factor(x.s->dynamics, NULL);
    flg_dynamics_solve(x.s->dynamics, x.f, b);
    for (int j = 0; j < x.n; j++) {
      for (int i = 0; i < x.n; i++) {
        product[0][i] += M[i + x.n * j] * a[j];
        product[1][i] += M[i + x.n * j] * b[j];
      }
    }
    assert_true(relative_difference(product[0], x.f, x.n) <= 1e-10);
    assert_true(relative_difference(product[1], x.f, x.n) <= 1e-10);
    sample_release(x.s);
  }
}

static void factors_have_no_elements_between_branches(void **state) {
  (void)state;
  sample *s = sample_build(3); /* two arms on one base */
  sample_add(s, FLG_WORLD, FLG_JOINT_PLANAR, sample_shift(1, 0, 0));
  sample_add(s, 0, FLG_JOINT_REVOLUTE, sample_shift(0, 1, 0));
  sample_add(s, 0, FLG_JOINT_PRISMATIC, sample_shift(0, -1, 0));
  sample_finish(s);
  const double q[5] = {1, 2, 3, 4, 5}, v[5] = {0};
  double M[25];
  flg_dynamics_kinematics(s->dynamics, q, v);
  flg_dynamics_mass(s->dynamics, M);
  assert_true(M[3 + 5 * 4] == 0 && M[4 + 5 * 3] == 0);
  mass_factor(s->dynamics, M);
  assert_true(M[3 + 5 * 4] == 0);
  sample_release(s);
}

static void solve_may_run_in_place_and_leaves_the_acceleration(void **state) {
  (void)state;
  random_source source = {4};
  scene x = random_moving_scene(&source);
  double a[SCENE_SIZE], apart[SCENE_SIZE];
  flg_dynamics_forward(x.s->dynamics, x.q, x.v, x.f, NO_GRAVITY, NULL, NULL, a);
  const flg_spatial before = flg_dynamics_frame_acceleration(x.s->dynamics, &x.frames[0]);
  flg_dynamics_solve(x.s->dynamics, x.f, apart);
  flg_dynamics_solve(x.s->dynamics, x.f, x.f);
  const flg_spatial after = flg_dynamics_frame_acceleration(x.s->dynamics, &x.frames[0]);
  assert_memory_equal(apart, x.f, (size_t)x.n * sizeof(double));
  assert_memory_equal(&before, &after, sizeof before);
  sample_release(x.s);
}

/* Friction creeps by what a joint moves at most: M_kk of joints that turn, in any pose, is no more
 * than that; of slides it is that, but for the rotor of a screw */
static void a_link_knows_the_most_that_its_joint_moves(void **state) {
  (void)state;
  random_source source = {5};
  double nearest = 0;
  for (int k = 0; k < 500; k++) {
    scene x = random_moving_scene(&source);
    const flg_robot *robot = &x.s->robot;
    for (int i = 0; i < robot->link_count; i++) {
      const flg_link *link = &robot->links[i];
      const int slides = link->kind == FLG_JOINT_SCREW ? 1 : link->displacement_count;
      for (int d = 0; d < slides; d++) x.q[link->position + d] = 0;
    }
    double M[SCENE_SIZE * SCENE_SIZE];
    flg_dynamics_kinematics(x.s->dynamics, x.q, x.v);
    flg_dynamics_mass(x.s->dynamics, M);
    for (int i = 0; i < robot->link_count; i++) {
      const flg_link *link = &robot->links[i];
      for (int d = 0; d < link->velocity_count; d++) {
        const int at = link->velocity + d;
        const double load = 3e-5 / flg_robot_creep(link, d, 1), share = M[at * (x.n + 1)] / load;
        assert_true(share <= 1 + 1e-14);
        if (d < link->displacement_count) assert_near(share, 1, 1e-13);
        nearest = flg_larger(nearest, share);
      }
    }
    sample_release(x.s);
  }
  assert_near(nearest, 1, 1e-13);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_matrix_has_the_columns_of_inverse_dynamics),
      cmocka_unit_test(rigid_links_have_the_mass_of_plain_numbers),
      cmocka_unit_test(kinetic_energy_is_half_v_m_v),
      cmocka_unit_test(factors_on_the_tree_solve_with_the_mass_matrix),
      cmocka_unit_test(factors_have_no_elements_between_branches),
      cmocka_unit_test(a_link_knows_the_most_that_its_joint_moves),
      cmocka_unit_test(solve_may_run_in_place_and_leaves_the_acceleration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
