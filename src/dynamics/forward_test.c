#include "dynamics/dynamics.h"

#include "allocations.h"
#include "dynamics/scratch.h"
#include "random_tree.h"

static const flg_vec3 GRAVITY = {1.5, -2, -9.81}, DOWN = {0, 0, -9.81}, NO_GRAVITY = {0, 0, 0};

static void inverse_gives_back_the_forces_of_forward(void **state) {
  (void)state;
  random_source source = {1};
  for (int k = 0; k < 10000; k++) {
    scene x = random_moving_scene(&source);
    double a[SCENE_SIZE], back[SCENE_SIZE];
    flg_dynamics_forward(x.s->dynamics, x.q, x.v, x.f, GRAVITY, x.external, NULL, a);
    flg_dynamics_inverse(x.s->dynamics, x.q, x.v, a, GRAVITY, x.external, back);
    assert_true(relative_difference(back, x.f, x.n) <= 1e-10);
    sample_release(x.s);
  }
}

static void external_forces_act_like_their_generalised_forces(void **state) {
  (void)state;
  random_source source = {2};
  for (int k = 0; k < 200; k++) {
    scene x = random_moving_scene(&source);
    double with[SCENE_SIZE], without[SCENE_SIZE];
    flg_dynamics_forward(x.s->dynamics, x.q, x.v, x.f, GRAVITY, x.external, NULL, with);
    for (int i = 0; i < x.s->robot.link_count; i++) {
      const flg_link_anchor origin = {i, flg_pose_identity()};
      flg_dynamics_frame_force(x.s->dynamics, &origin, x.external[i], x.f);
    }
    flg_dynamics_forward(x.s->dynamics, x.q, x.v, x.f, GRAVITY, NULL, NULL, without);
    assert_true(relative_difference(with, without, x.n) <= 1e-10);
    sample_release(x.s);
  }
}

/* --- closed forms ------------------------------------------------------------------------------
 */

/* a point mass on a massless rod, turning about x (horizontal) */
static sample *pendulum(int links, const double *mass, const double *length) {
  sample *s = sample_build(links);
  for (int k = 0; k < links; k++) {
    const flg_pose origin = k == 0 ? flg_pose_identity() : sample_shift(0, 0, -length[k - 1]);
    const int body = sample_add(s, k - 1, FLG_JOINT_CONTINUOUS, origin);
    s->model.joints[body].axis = (flg_vec3){1, 0, 0};
    s->model.bodies[body].mass = mass[k];
    s->model.bodies[body].centre = (flg_vec3){0, 0, -length[k]};
    s->model.bodies[body].inertia = (flg_sym3){0};
  }
  sample_finish(s);
  return s;
}

static void pendulum_accelerates_by_g_over_l_sine(void **state) {
  (void)state;
  const double mass = 3, length = 0.7;
  sample *s = pendulum(1, &mass, &length);
  for (int k = -12; k <= 12; k++) {
    const double q = 0.25 * k, v = 1.3, f = 0.4;
    double a;
    flg_dynamics_forward(s->dynamics, &q, &v, &f, DOWN, NULL, NULL, &a);
    assert_near(a, -9.81 / length * sin(q) + f / (mass * length * length), 1e-13);
  }
  sample_release(s);
}

static void double_pendulum_follows_lagrange(void **state) {
  (void)state;
  const double m[2] = {2, 1.5}, l[2] = {0.8, 1.1}, g = 9.81;
  const double q[2] = {0.4, -1.2}, v[2] = {1.7, -0.6}, none[2] = {0, 0};
  sample *s = pendulum(2, m, l);
  double M[4], bias[2];
  flg_dynamics_kinematics(s->dynamics, q, v);
  flg_dynamics_mass(s->dynamics, M);
  flg_dynamics_inverse(s->dynamics, q, v, none, DOWN, NULL, bias);
  const double c = cos(q[1]), sine = sin(q[1]);
  assert_near(M[0], m[0] * l[0] * l[0] + m[1] * (l[0] * l[0] + l[1] * l[1] + 2 * l[0] * l[1] * c),
              1e-13);
  assert_near(M[1], m[1] * (l[1] * l[1] + l[0] * l[1] * c), 1e-14);
  assert_near(M[2], M[1], 0);
  assert_near(M[3], m[1] * l[1] * l[1], 1e-14);
  const double k = m[1] * l[0] * l[1] * sine, outer = m[1] * g * l[1] * sin(q[0] + q[1]);
  assert_near(bias[0], -k * (2 * v[0] + v[1]) * v[1] + (m[0] + m[1]) * g * l[0] * sin(q[0]) + outer,
              1e-13);
  assert_near(bias[1], k * v[0] * v[0] + outer, 1e-13);
  sample_release(s);
}

/* a body that floats, its frame at the centre of mass */
static sample *free_body(flg_sym3 inertia, double mass) {
  sample *s = sample_build(1);
  sample_add(s, FLG_WORLD, FLG_JOINT_FLOATING, flg_pose_identity());
  s->model.bodies[0].mass = mass;
  s->model.bodies[0].inertia = inertia;
  sample_finish(s);
  return s;
}

static void free_body_obeys_euler(void **state) {
  (void)state;
  const double I[3] = {2, 3, 4.5}, mass = 5;
  sample *s = free_body((flg_sym3){I[0], I[1], I[2], 0, 0, 0}, mass);
  const double q[7] = {1, 2, 3, 0.5, 0.5, -0.5, 0.5}, v[6] = {1, -2, 3, 0.7, -1.1, 0.4};
  const double f[6] = {4, 5, 6, 0.3, 0.2, -0.1}, *w = v + 3;
  double a[6];
  flg_dynamics_forward(s->dynamics, q, v, f, DOWN, NULL, NULL, a);
  assert_near(a[0], f[0] / mass, 1e-14);
  assert_near(a[1], f[1] / mass, 1e-14);
  assert_near(a[2], f[2] / mass - 9.81, 1e-14);
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    assert_near(a[3 + k], (f[3 + k] + (I[i] - I[j]) * w[i] * w[j]) / I[k], 1e-14);
  }
  sample_release(s);
}

/* A symmetric top on a ball joint, leaning by theta, precesses steadily about the vertical at p if
 *     (C w3 - A p cos(theta)) p = m g l        A, C about the tip, w3 the spin about its axis */
static void leaning_top_precesses_steadily(void **state) {
  (void)state;
  const double mass = 0.8, l = 0.3, A0 = 0.02, C = 0.01, theta = 0.6, p = 2.5;
  sample *s = sample_build(1);
  sample_add(s, FLG_WORLD, FLG_JOINT_BALL, flg_pose_identity());
  s->model.bodies[0].mass = mass;
  s->model.bodies[0].centre = (flg_vec3){0, 0, l};
  s->model.bodies[0].inertia = (flg_sym3){A0, A0, C, 0, 0, 0};
  sample_finish(s);
  const double A = A0 + mass * l * l;
  const double w3 = (mass * 9.81 * l / p + A * p * cos(theta)) / C;
  /* leaning about x; the precession p z, seen in the body, plus what is missing to w3 */
  const double q[4] = {cos(theta / 2), sin(theta / 2), 0, 0};
  const double v[3] = {0, p * sin(theta), w3}, f[3] = {0, 0, 0};
  double a[3];
  flg_dynamics_forward(s->dynamics, q, v, f, DOWN, NULL, NULL, a);
  /* in the body's axes the precession turns by the spin that the body has about itself */
  const double own_spin = w3 - p * cos(theta);
  assert_near(a[0], own_spin * p * sin(theta), 4e-11);
  assert_near(a[1], 0, 1e-10);
  assert_near(a[2], 0, 1e-10);
  sample_release(s);
}

/* --- coordinates that are held ------------------------------------------------------------------
 */

/* (M + diag(added)) a + c = f by plain elimination; rows and columns of locked ones left out */
static void dense_forward(const scene *x, const double *added, double *a) {
  double M[SCENE_SIZE * SCENE_SIZE], bias[SCENE_SIZE], none[SCENE_SIZE] = {0};
  flg_dynamics_inverse(x->s->dynamics, x->q, x->v, none, GRAVITY, x->external, bias);
  flg_dynamics_mass(x->s->dynamics, M);
  const int n = x->n;
  for (int k = 0; k < n; k++) a[k] = isinf(added[k]) ? 0 : x->f[k] - bias[k];
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < n; j++) {
      if (isinf(added[k]) || isinf(added[j])) M[j + n * k] = j == k;
    }
    if (!isinf(added[k])) M[k + n * k] += added[k];
  }
  for (int k = 0; k < n; k++) { /* positive definite: no pivoting */
    for (int i = k + 1; i < n; i++) {
      const double factor = M[i + n * k] / M[k + n * k];
      for (int j = k; j < n; j++) M[i + n * j] -= factor * M[k + n * j];
      a[i] -= factor * a[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) a[k] -= M[k + n * j] * a[j];
    a[k] /= M[k + n * k];
  }
}

static void held_coordinates_resist_or_stay(void **state) {
  (void)state;
  random_source source = {3};
  for (int k = 0; k < 500; k++) {
    scene x = random_moving_scene(&source);
    double added[SCENE_SIZE], a[SCENE_SIZE], expected[SCENE_SIZE];
    for (int j = 0; j < x.n; j++) {
      const int choice = random_integer(&source, 0, 2);
      added[j] = choice == 0 ? 0 : choice == 1 ? random_uniform(&source, 0, 5) : (double)INFINITY;
    }
    flg_dynamics_forward(x.s->dynamics, x.q, x.v, x.f, GRAVITY, x.external, added, a);
    dense_forward(&x, added, expected);
    assert_near(max_difference(a, expected, x.n), 0, 1.3e-12 * (1 + largest_of(expected, x.n)));
    for (int j = 0; j < x.n; j++) assert_true(!isinf(added[j]) || a[j] == 0);
    sample_release(x.s);
  }
}

/* --- scratch -----------------------------------------------------------------------------------
 */

static void fill_with_nan(void *from, size_t bytes) {
  double *numbers = from;
  for (size_t k = 0; k < bytes / sizeof(double); k++) numbers[k] = NAN;
}

/* everything but the ground, which is part of the model */
static void spoil(flg_dynamics *d) {
  const size_t links = (size_t)d->robot->link_count;
  d->gravity = (flg_vec3){NAN, NAN, NAN};
  fill_with_nan(d->motions, links * sizeof *d->motions);
  fill_with_nan(d->biases, links * sizeof *d->biases);
  fill_with_nan(d->responses, links * sizeof *d->responses);
  fill_with_nan(d->coordinates, (size_t)d->robot->velocity_count * sizeof *d->coordinates);
  fill_with_nan(d->handles, (size_t)d->slot_count * sizeof *d->handles);
  fill_with_nan(d->factored, links * sizeof *d->factored);
  fill_with_nan(d->known.q, (size_t)d->robot->position_count * sizeof *d->known.q);
  fill_with_nan(d->known.v, (size_t)d->robot->velocity_count * sizeof *d->known.v);
  fill_with_nan(d->known.added, (size_t)d->robot->velocity_count * sizeof *d->known.added);
  fill_with_nan(d->known.f, (size_t)d->robot->velocity_count * sizeof *d->known.f);
  fill_with_nan(d->known.a, (size_t)d->robot->velocity_count * sizeof *d->known.a);
  fill_with_nan(d->sines, (size_t)d->robot->position_count * sizeof *d->sines);
  fill_with_nan(d->cosines, (size_t)d->robot->position_count * sizeof *d->cosines);
}

static void scratch_full_of_nan_changes_no_bit(void **state) {
  (void)state;
  random_source source = {4};
  for (int k = 0; k < 200; k++) {
    scene x = random_moving_scene(&source);
    flg_dynamics *d = x.s->dynamics;
    double out[2][4 * SCENE_SIZE + SCENE_SIZE * SCENE_SIZE] = {{0}};
    for (int run = 0; run < 2; run++) {
      double *to = out[run];
      spoil(d);
      flg_dynamics_forward(d, x.q, x.v, x.f, GRAVITY, x.external, NULL, to);
      flg_dynamics_solve(d, x.f, to + SCENE_SIZE);
      if (run == 1) spoil(d);
      flg_dynamics_inverse(d, x.q, x.v, x.a, GRAVITY, x.external, to + 2 * SCENE_SIZE);
      if (run == 1) spoil(d);
      flg_dynamics_kinematics(d, x.q, x.v);
      flg_dynamics_mass(d, to + 4 * SCENE_SIZE);
      flg_dynamics_factor(d, NULL);
      flg_dynamics_solve(d, x.f, to + 3 * SCENE_SIZE);
    }
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    assert_true(largest_of(out[0], 4 * SCENE_SIZE) < 1e300);
    sample_release(x.s);
  }
}

/* forward with the factors and the poses of before, against all anew */
static void what_is_known_changes_no_bit(void **state) {
  (void)state;
  random_source source = {8};
  for (int k = 0; k < 200; k++) {
    scene x = random_moving_scene(&source);
    flg_dynamics *d = x.s->dynamics;
    double added[SCENE_SIZE], other[SCENE_SIZE], a[2][SCENE_SIZE] = {{0}};
    const int n = d->robot->velocity_count;
    for (int i = 0; i < n; i++) added[i] = i % 3 == 0 ? (double)INFINITY : (double)(i % 3 - 1);
    for (int i = 0; i < n; i++) other[i] = random_uniform(&source, -1, 1);
    flg_dynamics_kinematics(d, x.q, other);
    flg_dynamics_factor(d, added);
    flg_dynamics_solve(d, x.f, a[0]);
    flg_dynamics_forward(d, x.q, x.v, x.f, GRAVITY, x.external, added, a[0]);
    spoil(d);
    flg_dynamics_forward(d, x.q, x.v, x.f, GRAVITY, x.external, added, a[1]);
    assert_memory_equal(a[0], a[1], sizeof a[0]);
    sample_release(x.s);
  }
}

/* Forces that the accelerations of forward dynamics need, those of given accelerations, and the
 * energy: by inverse dynamics in plain numbers, and in lanes. */
static void tell_forces(const scene *x, bool plain, const double *a, double *to) {
  flg_dynamics *d = x->s->dynamics;
  d->is_plain = plain;
  flg_dynamics_forget(d);
  flg_dynamics_inverse(d, x->q, x->v, a, GRAVITY, x->external, to);
  flg_dynamics_inverse(d, x->q, x->v, x->a, GRAVITY, NULL, to + SCENE_SIZE);
  to[2 * SCENE_SIZE] = flg_dynamics_kinetic_energy(d);
  d->is_plain = false;
}

static void rigid_links_need_forces_as_in_plain_numbers(void **state) {
  (void)state;
  enum { NUMBERS = 2 * SCENE_SIZE + 1 };
  random_source source = {10};
  double worst = 0, worst_back = 0;
  for (int k = 0; k < REPEATS(1000); k++) {
    const scene x = random_moving_scene(&source);
    double plain[NUMBERS] = {0}, wide[NUMBERS] = {0}, a[SCENE_SIZE] = {0};
    flg_dynamics_forward(x.s->dynamics, x.q, x.v, x.f, GRAVITY, x.external, NULL, a);
    tell_forces(&x, true, a, plain), tell_forces(&x, false, a, wide);
    worst = flg_larger(worst, relative_difference(wide, plain, NUMBERS));
    worst_back = flg_larger(worst_back, relative_difference(plain, x.f, x.n));
    sample_release(x.s);
  }
  assert_near(worst, 0, 1e-13);
  assert_near(worst_back, 0, 5e-12);
}

/* the acceleration of a frame after forward, under other forces if asked so */
static flg_spatial ask(const scene *x, const double *added, double factor, bool pushed, double *a) {
  double f[SCENE_SIZE];
  for (int i = 0; i < x->n; i++) f[i] = factor * x->f[i];
  flg_dynamics_forward(x->s->dynamics, x->q, x->v, f, GRAVITY, pushed ? x->external : NULL, added,
                       a);
  return flg_dynamics_frame_acceleration(x->s->dynamics, &x->frames[0]);
}

/* asked again, with other questions between or with none */
static void answers_that_are_known_are_those_of_the_question(void **state) {
  (void)state;
  random_source source = {9};
  for (int k = 0; k < 300; k++) {
    scene x = random_moving_scene(&source);
    flg_dynamics *d = x.s->dynamics;
    double added[SCENE_SIZE] = {0}, more[SCENE_SIZE], a[2][SCENE_SIZE] = {{0}}, other[SCENE_SIZE];
    for (int i = 0; i < x.n; i++) more[i] = 1 + i;
    const flg_spatial expected = ask(&x, added, 1, false, a[0]);
    flg_dynamics_solve(d, x.f, other);
    if (k % 6 == 1) ask(&x, added, 2, false, other);
    if (k % 6 == 2) ask(&x, added, 1, true, other);
    if (k % 6 == 3) flg_dynamics_inverse(d, x.q, x.v, x.a, GRAVITY, NULL, other);
    if (k % 6 == 4) ask(&x, more, 1, false, other);
    if (k % 6 == 5) flg_dynamics_factor(d, more);
    const flg_spatial actual = ask(&x, added, 1, false, a[1]);
    assert_memory_equal(a[0], a[1], sizeof a[0]);
    assert_memory_equal(&expected, &actual, sizeof expected);
    sample_release(x.s);
  }
}

static void factors_have_a_number_of_their_own(void **state) {
  (void)state;
  random_source source = {10};
  scene x = random_moving_scene(&source);
  flg_dynamics *d = x.s->dynamics;
  double added[SCENE_SIZE] = {0}, a[SCENE_SIZE];
  flg_dynamics_forward(d, x.q, x.v, x.f, GRAVITY, NULL, added, a);
  const uint64_t first = flg_dynamics_factor_number(d);
  flg_dynamics_kinematics(d, x.q, a); /* other velocities */
  flg_dynamics_factor(d, added);
  assert_true(flg_dynamics_factor_number(d) == first);
  added[0] = 1;
  flg_dynamics_factor(d, added);
  const uint64_t second = flg_dynamics_factor_number(d);
  assert_true(second != first);
  flg_robot_integrate(&x.s->robot, x.q, x.v, 1e-3, x.q);
  flg_dynamics_kinematics(d, x.q, x.v);
  flg_dynamics_factor(d, added);
  assert_true(flg_dynamics_factor_number(d) != second);
  sample_release(x.s);
}

static void steps_allocate_nothing(void **state) {
  (void)state;
  if (!allocations_counted()) skip();
  random_source source = {6};
  scene x = random_moving_scene(&source);
  flg_dynamics *d = x.s->dynamics;
  flg_port_way ways[SCENE_FRAMES];
  double a[SCENE_SIZE], D[36 * SCENE_FRAMES * SCENE_FRAMES];
  allocations_begin();
  flg_dynamics_forward(d, x.q, x.v, x.f, GRAVITY, x.external, NULL, a);
  flg_dynamics_admittance(d, x.frames, SCENE_FRAMES, ways, D, NULL);
  flg_dynamics_inverse(d, x.q, x.v, a, GRAVITY, x.external, x.f);
  flg_dynamics_kinematics(d, x.q, x.v);
  flg_dynamics_factor(d, NULL);
  flg_dynamics_solve(d, x.f, a);
  flg_robot_integrate(&x.s->robot, x.q, x.v, 1e-3, x.q);
  assert_int_equal(allocations_end(), 0);
  sample_release(x.s);
}

static void build_fails_cleanly_without_memory(void **state) {
  (void)state;
  random_source source = {5};
  scene x = random_moving_scene(&source);
  flg_region whole = {0};
  flg_dynamics *d = NULL;
  assert_int_equal(flg_dynamics_build(&d, &x.s->robot, &whole, NULL), FLG_OK);
  for (size_t limit = 1; limit < whole.bytes; limit += 64) {
    flg_region region = {.limit = limit};
    flg_error error = {0};
    d = NULL;
    assert_int_equal(flg_dynamics_build(&d, &x.s->robot, &region, &error), FLG_ERR_MEMORY);
    assert_true(d == NULL && error.message[0] != '\0');
    flg_region_release(&region);
  }
  flg_region_release(&whole);
  sample_release(x.s);
}

static void robot_without_links_is_allowed(void **state) {
  (void)state;
  sample *s = sample_build(1);
  sample_add(s, FLG_WORLD, FLG_JOINT_FIXED, sample_shift(1, 2, 3));
  sample_finish(s);
  double nothing[1] = {7};
  flg_dynamics_forward(s->dynamics, nothing, nothing, nothing, NO_GRAVITY, NULL, NULL, nothing);
  flg_dynamics_inverse(s->dynamics, nothing, nothing, nothing, NO_GRAVITY, NULL, nothing);
  assert_true(nothing[0] == 7);
  assert_true(flg_dynamics_frame_pose(s->dynamics, &s->robot.anchors[0]).position.z == 3);
  sample_release(s);
}

/* A long chain: errors of a link must not grow with the number of links further out. */
static void long_chain_keeps_its_digits(void **state) {
  (void)state;
  enum { LINKS = 3000 };
  static double q[LINKS], v[LINKS], a[LINKS], f[LINKS], back[LINKS];
  sample *s = sample_build(LINKS);
  for (int k = 0; k < LINKS; k++) {
    const int body = sample_add(s, k - 1, FLG_JOINT_REVOLUTE, sample_shift(0.1, 0, 0));
    if (k % 2) s->model.joints[body].axis = (flg_vec3){0, 1, 0};
    sample_cylinder(&s->model.bodies[body], (flg_vec3){0.1, 0, 0});
    q[k] = 0.2 * sin(k), v[k] = cos(3 * k), f[k] = 0;
  }
  sample_finish(s);
  flg_dynamics_forward(s->dynamics, q, v, f, DOWN, NULL, NULL, a);
  flg_dynamics_inverse(s->dynamics, q, v, a, DOWN, NULL, back);
  /* held without acceleration, its joints would need up to 2e8 N m */
  assert_true(largest_of(back, LINKS) < 1e-6);
  sample_release(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_gives_back_the_forces_of_forward),
      cmocka_unit_test(external_forces_act_like_their_generalised_forces),
      cmocka_unit_test(pendulum_accelerates_by_g_over_l_sine),
      cmocka_unit_test(double_pendulum_follows_lagrange),
      cmocka_unit_test(free_body_obeys_euler),
      cmocka_unit_test(leaning_top_precesses_steadily),
      cmocka_unit_test(held_coordinates_resist_or_stay),
      cmocka_unit_test(scratch_full_of_nan_changes_no_bit),
      cmocka_unit_test(what_is_known_changes_no_bit),
      cmocka_unit_test(rigid_links_need_forces_as_in_plain_numbers),
      cmocka_unit_test(answers_that_are_known_are_those_of_the_question),
      cmocka_unit_test(factors_have_a_number_of_their_own),
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(build_fails_cleanly_without_memory),
      cmocka_unit_test(robot_without_links_is_allowed),
      cmocka_unit_test(long_chain_keeps_its_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
