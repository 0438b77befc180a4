#include "dynamics/dynamics.h"

#include "mass_matrix.h"
#include "random_tree.h"

enum { PORT_ROWS = 6 * SCENE_FRAMES, ARM_ROWS = 6 };

static const flg_vec3 GRAVITY = {1, -2, 9.81};

/* J (rows x n) of all frames, row-major by rows of 6 a port */
static void stack_jacobians(const scene *x, double J[PORT_ROWS][SCENE_SIZE]) {
  for (int p = 0; p < SCENE_FRAMES; p++) {
    double own[6 * SCENE_SIZE];
    flg_dynamics_frame_jacobian(x->s->dynamics, &x->frames[p], own);
    for (int k = 0; k < x->n; k++) {
      for (int i = 0; i < 6; i++) J[6 * p + i][k] = own[i + 6 * k];
    }
  }
}

/* J M^-1 J^T with the mass matrix, rows and columns of locked coordinates left out */
static void dense_admittance(const scene *x, const double *added, double *D) {
  double M[SCENE_SIZE * SCENE_SIZE], J[PORT_ROWS][SCENE_SIZE];
  const int n = x->n;
  mass_matrix(x->s->dynamics, M);
  stack_jacobians(x, J);
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < n; j++) {
      if (isinf(added[k]) || isinf(added[j])) M[j + n * k] = j == k;
    }
    if (!isinf(added[k])) M[k + n * k] += added[k];
  }
  mass_factor(x->s->dynamics, M);
  for (int c = 0; c < PORT_ROWS; c++) {
    double y[SCENE_SIZE];
    for (int k = 0; k < n; k++) y[k] = isinf(added[k]) ? 0 : J[c][k];
    mass_solve(x->s->dynamics, M, y);
    for (int r = 0; r < PORT_ROWS; r++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += isinf(added[k]) ? 0 : J[r][k] * y[k];
      D[r + PORT_ROWS * c] = sum;
    }
  }
}

static void admittance_of_ports_is_j_m_inverse_j(void **state) {
  (void)state;
  random_source source = {1};
  double worst = 0;
  for (int k = 0; k < 1000; k++) {
    scene x = random_moving_scene(&source);
    double added[SCENE_SIZE], D[PORT_ROWS * PORT_ROWS], expected[PORT_ROWS * PORT_ROWS];
    for (int j = 0; j < x.n; j++) {
      const int choice = random_integer(&source, 0, 4);
      added[j] = choice == 0 ? (double)INFINITY : choice == 1 ? random_uniform(&source, 0, 5) : 0;
    }
    flg_port_way ways[SCENE_FRAMES];
    flg_dynamics_kinematics(x.s->dynamics, x.q, x.v);
    flg_dynamics_factor(x.s->dynamics, added);
    flg_dynamics_admittance(x.s->dynamics, x.frames, SCENE_FRAMES, ways, D, NULL);
    dense_admittance(&x, added, expected);
    const double difference = relative_difference(D, expected, PORT_ROWS * PORT_ROWS);
    worst = flg_larger(worst, difference);
    for (int j = 0; j < PORT_ROWS; j++) {
      for (int i = 0; i < j; i++) assert_true(D[i + PORT_ROWS * j] == D[j + PORT_ROWS * i]);
      assert_true(D[j + PORT_ROWS * j] >= 0);
    }
    sample_release(x.s);
  }
  assert_true(worst <= 1e-13);
}

/* a = D x + r: forces on the ports by hand, against the forward dynamics under them */
static void ports_accelerate_by_admittance_and_free_acceleration(void **state) {
  (void)state;
  random_source source = {2};
  for (int k = 0; k < 500; k++) {
    scene x = random_moving_scene(&source);
    flg_dynamics *d = x.s->dynamics;
    flg_port_way ways[SCENE_FRAMES];
    double D[PORT_ROWS * PORT_ROWS], a[SCENE_SIZE], push[PORT_ROWS], expected[PORT_ROWS];
    double pushed[PORT_ROWS];
    random_numbers(&source, 20, push, PORT_ROWS);
    flg_dynamics_forward(d, x.q, x.v, x.f, GRAVITY, NULL, NULL, a);
    flg_dynamics_admittance(d, x.frames, SCENE_FRAMES, ways, D, NULL);
    for (int p = 0; p < SCENE_FRAMES; p++) {
      flg_spatial_store(flg_dynamics_frame_acceleration(d, &x.frames[p]), expected + 6 * p);
      flg_dynamics_frame_force(d, &x.frames[p], flg_spatial_load(push + 6 * p), x.f);
    }
    for (int j = 0; j < PORT_ROWS; j++) {
      for (int i = 0; i < PORT_ROWS; i++) expected[i] += D[i + PORT_ROWS * j] * push[j];
    }
    flg_dynamics_forward(d, x.q, x.v, x.f, GRAVITY, NULL, NULL, a);
    for (int p = 0; p < SCENE_FRAMES; p++) {
      flg_spatial_store(flg_dynamics_frame_acceleration(d, &x.frames[p]), pushed + 6 * p);
    }
    assert_near(max_difference(pushed, expected, PORT_ROWS), 0,
                1e-11 * (1 + largest_of(expected, PORT_ROWS)));
    sample_release(x.s);
  }
}

/* the change of velocity after an impulse on one port, seen at another */
static void impulse_answers_at_every_port(void **state) {
  (void)state;
  random_source source = {3};
  for (int k = 0; k < 200; k++) {
    scene x = random_moving_scene(&source);
    flg_dynamics *d = x.s->dynamics;
    flg_port_way ways[SCENE_FRAMES];
    double D[PORT_ROWS * PORT_ROWS], f[SCENE_SIZE] = {0}, a[SCENE_SIZE], actual[6], expected[6];
    flg_dynamics_kinematics(d, x.q, x.v);
    flg_dynamics_factor(d, NULL);
    flg_dynamics_admittance(d, x.frames, SCENE_FRAMES, ways, D, NULL);
    flg_dynamics_frame_force(d, &x.frames[0], (flg_spatial){.linear = {0, 1, 0}}, f);
    flg_dynamics_solve(d, f, a);
    double J[6 * SCENE_SIZE];
    flg_dynamics_frame_jacobian(d, &x.frames[1], J);
    for (int i = 0; i < 6; i++) {
      actual[i] = 0;
      for (int j = 0; j < x.n; j++) actual[i] += J[i + 6 * j] * a[j];
    }
    for (int i = 0; i < 6; i++) expected[i] = D[6 + i + PORT_ROWS * 1];
    assert_near(max_difference(actual, expected, 6), 0,
                1e-12 * (1 + largest_of(D, PORT_ROWS * PORT_ROWS)));
    sample_release(x.s);
  }
}

/* forces on all ports at once, joints locked here and there, against J^T x summed up first */
static void forces_on_ports_are_answered_without_shares(void **state) {
  (void)state;
  random_source source = {4};
  for (int k = 0; k < 200; k++) {
    scene x = random_moving_scene(&source);
    flg_dynamics *d = x.s->dynamics;
    double push[PORT_ROWS], added[SCENE_SIZE], f[SCENE_SIZE] = {0}, a[SCENE_SIZE],
                                               expected[SCENE_SIZE];
    random_numbers(&source, 1, push, PORT_ROWS);
    for (int i = 0; i < x.n; i++) {
      added[i] = random_integer(&source, 0, 5) == 0 ? (double)INFINITY : 0;
    }
    flg_dynamics_kinematics(d, x.q, x.v);
    flg_dynamics_factor(d, added);
    for (int p = 0; p < SCENE_FRAMES; p++) {
      flg_dynamics_frame_force(d, &x.frames[p], flg_spatial_load(push + 6 * p), f);
    }
    flg_dynamics_solve(d, f, expected);
    flg_dynamics_respond_rigid(d, x.frames, SCENE_FRAMES, push, a);
    assert_near(max_difference(a, expected, x.n), 0, 1e-12 * (1 + largest_of(expected, x.n)));
    sample_release(x.s);
  }
}

/* by pivoted Cholesky, which stops there */
static int rank_of(double *D, int n, double tolerance) {
  for (int rank = 0; rank < n; rank++) {
    int pivot = -1;
    double most = tolerance;
    for (int k = 0; k < n; k++) {
      if (D[k + n * k] > most) most = D[k + n * k], pivot = k;
    }
    if (pivot < 0) return rank;
    double column[6];
    for (int i = 0; i < n; i++) column[i] = D[i + n * pivot] / sqrt(most);
    for (int j = 0; j < n; j++) {
      for (int i = 0; i < n; i++) D[i + n * j] -= column[i] * column[j];
    }
  }
  return n;
}

/* The poses of Table II: in the third the booms are in line, and joints 3, 4, 5 count for two. */
static void locked_joints_of_the_arm_lower_the_rank(void **state) {
  (void)state;
  const double degree = 3.14159265358979323846 / 180;
  const double poses[3][ARM_LINKS] = {{0, -45.71, 134.43, 88.36, 2.96, 88.79, 0},
                                      {0, -28.34, -29.43, 28.59, -117.82, 60.24, 0},
                                      {0, 90.34, 4.46, 0, 91.35, 18.31, 0}};
  const double locked[ARM_LINKS] = {INFINITY, INFINITY}, rest[ARM_LINKS] = {0};
  sample *s = sample_arm();
  const flg_link_anchor port = {6, sample_shift(0, 0, .19)};
  for (int k = 0; k < 3; k++) {
    double q[ARM_LINKS], D[ARM_ROWS * ARM_ROWS];
    flg_port_way way;
    for (int j = 0; j < ARM_LINKS; j++) q[j] = degree * poses[k][j];
    flg_dynamics_kinematics(s->dynamics, q, rest);
    flg_dynamics_factor(s->dynamics, locked);
    flg_dynamics_admittance(s->dynamics, &port, 1, &way, D, NULL);
    assert_int_equal(rank_of(D, ARM_ROWS, 1e-12 * largest_of(D, ARM_ROWS * ARM_ROWS)),
                     k == 2 ? 4 : 5);
    flg_dynamics_factor(s->dynamics, NULL);
    flg_dynamics_admittance(s->dynamics, &port, 1, &way, D, NULL);
    assert_int_equal(rank_of(D, ARM_ROWS, 1e-12 * largest_of(D, ARM_ROWS * ARM_ROWS)), 6);
  }
  sample_release(s);
}

static void ground_does_not_yield(void **state) {
  (void)state;
  sample *s = sample_arm();
  const double q[ARM_LINKS] = {0}, v[ARM_LINKS] = {0};
  const flg_link_anchor port = {FLG_WORLD, sample_shift(1, 2, 3)};
  double D[ARM_ROWS * ARM_ROWS] = {1};
  flg_port_way way;
  flg_dynamics_kinematics(s->dynamics, q, v);
  flg_dynamics_factor(s->dynamics, NULL);
  flg_dynamics_admittance(s->dynamics, &port, 1, &way, D, NULL);
  assert_true(largest_of(D, ARM_ROWS * ARM_ROWS) == 0);
  sample_release(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(admittance_of_ports_is_j_m_inverse_j),
      cmocka_unit_test(ports_accelerate_by_admittance_and_free_acceleration),
      cmocka_unit_test(impulse_answers_at_every_port),
      cmocka_unit_test(forces_on_ports_are_answered_without_shares),
      cmocka_unit_test(locked_joints_of_the_arm_lower_the_rank),
      cmocka_unit_test(ground_does_not_yield),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
