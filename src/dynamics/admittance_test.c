#include "dynamics/dynamics.h"

#include "dynamics/scratch.h"
#include "random_tree.h"

enum { PORT_ROWS = 6 * SCENE_FRAMES, ARM_ROWS = 6 };

static const flg_vec3 GRAVITY = {1, -2, 9.81};

/* --- J M^-1 J^T in long double, from the same poses and directions -----------------------------
 * M is the sum of J^T I J over the links: in double, it would lose more digits than the recursion.
 */

typedef long double precise;
typedef precise precise_columns[6][SCENE_SIZE];

/* J of a point on a link, at offset from its origin; the offset grows on the way to the base. */
static void precise_jacobian(const flg_dynamics *d, int link, precise offset[3],
                             precise_columns J) {
  memset(J, 0, sizeof(precise_columns));
  for (int i = link; i != FLG_WORLD; i = d->robot->links[i].parent) {
    const flg_link *of = &d->robot->links[i];
    for (int k = of->velocity; k < of->velocity + of->velocity_count; k++) {
      const double *S = flg_spatial_numbers(&d->coordinates[k].direction);
      for (int c = 0; c < 3; c++) {
        const int next = (c + 1) % 3, last = (c + 2) % 3;
        J[c][k] = S[c] + S[3 + next] * offset[last] - S[3 + last] * offset[next];
        J[3 + c][k] = S[3 + c];
      }
    }
    const double arm[3] = {d->motions[i].arm.x, d->motions[i].arm.y, d->motions[i].arm.z};
    for (int c = 0; c < 3; c++) offset[c] += arm[c];
  }
}

/* R v */
static void precise_turn(const flg_mat3 *R, const precise v[3], precise to[3]) {
  for (int r = 0; r < 3; r++) {
    to[r] = R->m[r] * v[0] + R->m[r + 3] * v[1] + R->m[r + 6] * v[2];
  }
}

/* The inertia of link i in world axes. */
static void precise_inertia(const flg_dynamics *d, int i, precise I[6][6]) {
  const flg_inertia *own = &d->robot->links[i].inertia;
  const flg_mat3 *R = &d->motions[i].rotation, inner = flg_sym3_full(own->rotation);
  const precise moment[3] = {own->moment.x, own->moment.y, own->moment.z};
  precise half[3][3], turned[3], h[3]; /* half: rows of R I */
  memset(I, 0, 36 * sizeof(precise));
  precise_turn(R, moment, h);
  for (int c = 0; c < 3; c++) {
    const precise column[3] = {inner.m[3 * c], inner.m[3 * c + 1], inner.m[3 * c + 2]};
    precise_turn(R, column, turned);
    for (int r = 0; r < 3; r++) half[r][c] = turned[r];
  }
  for (int r = 0; r < 3; r++) {
    const int next = (r + 1) % 3, last = (r + 2) % 3;
    precise_turn(R, half[r], &I[3 + r][3]);
    I[r][r] = own->mass;
    I[3 + r][next] = I[next][3 + r] = -h[last];
    I[3 + r][last] = I[last][3 + r] = h[next];
  }
}

static void add_link_mass(const flg_dynamics *d, int i, precise M[SCENE_SIZE][SCENE_SIZE]) {
  const flg_link *link = &d->robot->links[i];
  const int n = d->robot->velocity_count;
  precise_columns J;
  precise I[6][6], at_origin[3] = {0};
  precise_jacobian(d, i, at_origin, J);
  precise_inertia(d, i, I);
  for (int k = 0; k < n; k++) {
    for (int r = 0; r < 6; r++) {
      precise force = 0;
      for (int c = 0; c < 6; c++) force += I[r][c] * J[c][k];
      for (int j = 0; j < n; j++) M[j][k] += J[r][j] * force;
    }
  }
  for (int k = link->velocity; k < link->velocity + link->velocity_count; k++) {
    M[k][k] += link->armature;
  }
}

/* M = L L^T, in place */
static void precise_factor(int n, precise M[SCENE_SIZE][SCENE_SIZE]) {
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++) M[j][j] -= M[j][k] * M[j][k];
    M[j][j] = sqrtl(M[j][j]);
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++) M[i][j] -= M[i][k] * M[j][k];
      M[i][j] /= M[j][j];
    }
  }
}

/* Rows L^-1 J^T of one port. */
static void precise_rows(const scene *x, const flg_link_anchor *port, const double *added,
                         precise L[SCENE_SIZE][SCENE_SIZE], precise rows[6][SCENE_SIZE]) {
  precise_columns J;
  precise offset[3] = {0};
  const flg_vec3 at = port->pose.position;
  const flg_dynamics *d = x->s->dynamics;
  precise_turn(&d->motions[port->link].rotation, (const precise[3]){at.x, at.y, at.z}, offset);
  precise_jacobian(d, port->link, offset, J);
  for (int r = 0; r < 6; r++) {
    for (int i = 0; i < x->n; i++) {
      precise left = isinf(added[i]) ? 0 : J[r][i];
      for (int k = 0; k < i; k++) left -= L[i][k] * rows[r][k];
      rows[r][i] = left / L[i][i];
    }
  }
}

/* Rows and columns of locked coordinates are left out. */
static void dense_admittance(const scene *x, const double *added, double *D) {
  static precise M[SCENE_SIZE][SCENE_SIZE], rows[PORT_ROWS][SCENE_SIZE];
  const int n = x->n;
  memset(M, 0, sizeof M);
  for (int i = 0; i < x->s->robot.link_count; i++) add_link_mass(x->s->dynamics, i, M);
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < n; j++) {
      if (isinf(added[k]) || isinf(added[j])) M[j][k] = j == k;
    }
    if (!isinf(added[k])) M[k][k] += added[k];
  }
  precise_factor(n, M);
  for (int p = 0; p < SCENE_FRAMES; p++) {
    precise_rows(x, &x->frames[p], added, M, &rows[6 * p]);
  }
  for (int c = 0; c < PORT_ROWS; c++) {
    for (int r = 0; r < PORT_ROWS; r++) {
      precise sum = 0;
      for (int k = 0; k < n; k++) sum += rows[r][k] * rows[c][k];
      D[r + PORT_ROWS * c] = (double)sum;
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
  assert_near(worst, 0, 1e-13);
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
                2e-13 * (1 + largest_of(expected, PORT_ROWS)));
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
                2e-14 * (1 + largest_of(D, PORT_ROWS * PORT_ROWS)));
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
/* against one solve for each coordinate, joints locked and resisting here and there */
static void diagonal_of_the_inverse_mass_comes_in_one_pass(void **state) {
  (void)state;
  enum { NUMBERS = 36 * SCENE_SIZE };
  random_source source = {5};
  for (int k = 0; k < 200; k++) {
    scene x = random_moving_scene(&source);
    flg_dynamics *d = x.s->dynamics;
    double added[SCENE_SIZE], scatters[NUMBERS], diagonal[SCENE_SIZE], expected[SCENE_SIZE];
    assert_true(d->robot->link_count <= SCENE_SIZE);
    for (int i = 0; i < x.n; i++) {
      const int choice = random_integer(&source, 0, 4);
      added[i] = choice == 0 ? (double)INFINITY : choice == 1 ? random_uniform(&source, 0, 5) : 0;
    }
    flg_dynamics_kinematics(d, x.q, x.v);
    flg_dynamics_factor(d, added);
    flg_dynamics_diagonal(d, scatters, diagonal);
    for (int i = 0; i < x.n; i++) {
      double column[SCENE_SIZE] = {0};
      column[i] = 1;
      flg_dynamics_solve(d, column, column);
      expected[i] = column[i];
    }
    assert_near(max_difference(diagonal, expected, x.n), 0,
                1e-13 * (1 + largest_of(expected, x.n)));
    sample_release(x.s);
  }
}

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
      cmocka_unit_test(diagonal_of_the_inverse_mass_comes_in_one_pass),
      cmocka_unit_test(locked_joints_of_the_arm_lower_the_rank),
      cmocka_unit_test(ground_does_not_yield),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
