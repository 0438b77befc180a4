#include "dynamics/flex.h"

#include "flexible_tree.h"
#include "mass_matrix.h"
#include "math/dense.h"
#include "plain_mass.h"

static const flg_vec3 NO_GRAVITY = {0, 0, 0}, GRAVITY = {1, -2, 9.81};

/* --- energy -------------------------------------------------------------------------------------
 */

enum { PANELS = 60, POINTS = 5 };
static const double AT[POINTS] = {0.046910077030668, 0.230765344947158, 0.5, 0.769234655052842,
                                  0.953089922969332};
static const double WEIGHT[POINTS] = {0.118463442528095, 0.239314335249683, 0.284444444444444,
                                      0.239314335249683, 0.118463442528095};

/* Of a beam, by the velocities of its points; in the axes of the flexible body. */
static double energy_by_points(const flexible_scene *x, int k) {
  const flg_robot *robot = &x->s->robot;
  const flg_link_anchor *anchor = &robot->anchors[k];
  const flg_flex *flex = &robot->flexes[robot->links[anchor->link].flex];
  const double *e = x->q + flex->position, *u = x->v + flex->velocity;
  const flg_pose pose = flg_dynamics_frame_pose(x->s->dynamics, anchor);
  const flg_spatial velocity = flg_spatial_rotate_transposed(
      flg_dynamics_frame_velocity(x->s->dynamics, anchor), &pose.rotation);
  const flg_beam *beam = &x->beams[k];
  const flg_beam_piece *piece = beam->pieces;
  const int n = flex->body.modes;
  flg_spatial shapes[8];
  flg_vec3 pairs[64];
  double sum = 0;
  for (int i = 0; i < PANELS * POINTS; i++) {
    const double part = (i / POINTS + AT[i % POINTS]) / PANELS;
    const flg_vec3 s =
        flg_vec3_add_scaled(beam->start, part, flg_vec3_subtract(beam->end, beam->start));
    flg_modal_shapes(&x->bodies[k], s, shapes, pairs);
    flg_vec3 r = s, rate = {0, 0, 0}, twist = {0, 0, 0};
    for (int a = 0; a < n; a++) {
      flg_vec3 shape = shapes[a].linear;
      r = flg_vec3_add_scaled(r, e[a], shape);
      for (int b = 0; b < n; b++) {
        r = flg_vec3_add_scaled(r, e[a] * e[b] / 2, pairs[a + n * b]);
        shape = flg_vec3_add_scaled(shape, e[b], pairs[a + n * b]);
      }
      rate = flg_vec3_add_scaled(rate, u[a], shape);
      if (flg_vec3_norm(shapes[a].linear) == 0) {
        twist = flg_vec3_add_scaled(twist, u[a], shapes[a].angular);
      }
    }
    const flg_vec3 v =
        flg_vec3_add(velocity.linear, flg_vec3_add(flg_vec3_cross(velocity.angular, r), rate));
    const double length = WEIGHT[i % POINTS] / PANELS * piece->length;
    sum += 0.5 * length * piece->density * piece->section.area * flg_vec3_dot(v, v);
    /* sections turn with the frame, and twist about the axis at rest */
    const flg_mat3 *axes = &x->bodies[k].line->axes;
    const flg_vec3 w = flg_mat3_apply_transposed(axes, velocity.angular),
                   t = flg_mat3_apply_transposed(axes, twist);
    const double y = piece->section.along_y, z = piece->section.along_z;
    sum += 0.5 * length * piece->density *
           ((y + z) * (w.x + t.x) * (w.x + t.x) + z * w.y * w.y + y * w.z * w.z);
  }
  return sum;
}

static double energy_of_rigid(const flexible_scene *x, int k) {
  const flg_body *body = &x->s->model.bodies[k];
  const flg_link_anchor *anchor = &x->s->robot.anchors[k];
  if (anchor->link == FLG_WORLD) return 0;
  const flg_pose pose = flg_dynamics_frame_pose(x->s->dynamics, anchor);
  const flg_inertia own = flg_inertia_from_centre(body->mass, body->centre, body->inertia);
  return flg_inertia_energy(
      &own, flg_spatial_rotate_transposed(flg_dynamics_frame_velocity(x->s->dynamics, anchor),
                                          &pose.rotation));
}

static double energy_by_quadrature(const flexible_scene *x) {
  double sum = 0;
  for (int k = 0; k < x->s->model.body_count; k++) {
    sum += x->s->model.bodies[k].flexible != NULL ? energy_by_points(x, k) : energy_of_rigid(x, k);
  }
  return sum;
}

static double energy_by_mass(const flexible_scene *x) {
  double *M = calloc((size_t)(x->n * x->n) + 1, sizeof *M), sum = 0;
  plain_mass(x->s->dynamics, M);
  for (int i = 0; i < x->n * x->n; i++) sum += 0.5 * M[i] * x->v[i % x->n] * x->v[i / x->n];
  free(M);
  return sum;
}

static void energy_is_that_of_all_points(void **state) {
  (void)state;
  random_source source = {1};
  for (int k = 0; k < REPEATS(200); k++) {
    flexible_scene *x = flexible_scene_build(&source, false, ALL_KINDS, ALL_KIND_COUNT);
    flg_dynamics_kinematics(x->s->dynamics, x->q, x->v);
    const double expected = energy_by_quadrature(x);
    assert_near(flg_dynamics_kinetic_energy(x->s->dynamics), expected, 1e-13 * expected);
    assert_near(energy_by_mass(x), expected, 1e-13 * expected);
    flexible_scene_release(x);
  }
}

/* With second-order shapes the energy is that of all points up to the third order in e and u. */
static void stiffening_beams_have_the_energy_of_all_points_to_second_order(void **state) {
  (void)state;
  random_source source = {2};
  for (int k = 0; k < REPEATS(100); k++) {
    flexible_scene *x = flexible_scene_build(&source, true, ALL_KINDS, ALL_KIND_COUNT);
    for (int i = 0; i < x->s->robot.flex_count; i++) {
      const flg_flex *flex = &x->s->robot.flexes[i];
      for (int j = 0; j < flex->body.modes; j++) {
        x->q[flex->position + j] *= 0.02;
        x->v[flex->velocity + j] *= 0.001;
      }
    }
    flg_dynamics_kinematics(x->s->dynamics, x->q, x->v);
    /* without second-order shapes 1e-6 of it would be missing */
    const double expected = energy_by_quadrature(x), found = energy_by_mass(x);
    assert_near(flg_dynamics_kinetic_energy(x->s->dynamics), expected, 1e-8 * (1 + expected));
    assert_near(flg_dynamics_kinetic_energy(x->s->dynamics), found, 1e-13 * found);
    flexible_scene_release(x);
  }
}

/* Second-order shapes have the energy of points where links bend little: far from that it may be
 * negative. The factors find out where a dense Cholesky factorisation does. */
static void links_that_bend_too_far_have_no_accelerations(void **state) {
  (void)state;
  random_source source = {3};
  int found[2] = {0, 0};
  for (int k = 0; k < REPEATS(200); k++) {
    flexible_scene *x = flexible_scene_build(&source, true, ALL_KINDS, ALL_KIND_COUNT);
    double *M = calloc((size_t)(x->n * x->n) + 1, sizeof *M);
    for (int i = 0; i < x->s->robot.flex_count; i++) {
      const flg_flex *flex = &x->s->robot.flexes[i];
      for (int j = 0; j < flex->body.modes; j++) x->q[flex->position + j] *= k % 2 == 0 ? 1 : 200;
    }
    flg_dynamics_kinematics(x->s->dynamics, x->q, x->v);
    plain_mass(x->s->dynamics, M);
    flg_dynamics_factor(x->s->dynamics, NULL);
    const bool is_indefinite = flg_dense_cholesky(x->n, M, x->n) < x->n;
    assert_int_equal(flg_dynamics_is_indefinite(x->s->dynamics), is_indefinite);
    found[is_indefinite]++;
    free(M);
    flexible_scene_release(x);
  }
  assert_true(found[false] >= REPEATS(200) / 2 && found[true] > 0);
}

/* --- equations of motion ------------------------------------------------------------------------
 */

static void mass_at(flexible_scene *x, int k, double step, double *M) {
  double q[FLEXIBLE_SIZE];
  memcpy(q, x->q, sizeof q);
  q[k] += step;
  flg_dynamics_kinematics(x->s->dynamics, q, x->v);
  plain_mass(x->s->dynamics, M);
}

/* Lagrange: c_i = sum_jk (dM_ij/dq_k - dM_jk/dq_i / 2) v_j v_k, by differences of fourth order. */
static void bias_by_differences(flexible_scene *x, double *c) {
  const size_t n = (size_t)x->n;
  const double h = 1e-3;
  double *M = calloc(n * n + 1, sizeof *M), *slope = calloc(n * n + 1, sizeof *slope);
  memset(c, 0, n * sizeof *c);
  for (int k = 0; k < x->n; k++) {
    memset(slope, 0, n * n * sizeof *slope);
    static const double steps[4] = {-2, -1, 1, 2},
                        weights[4] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};
    for (int s = 0; s < 4; s++) {
      mass_at(x, k, steps[s] * h, M);
      for (size_t i = 0; i < n * n; i++) slope[i] += weights[s] / h * M[i];
    }
    for (int i = 0; i < x->n; i++) {
      for (int j = 0; j < x->n; j++) {
        const double element = slope[(size_t)i + n * (size_t)j];
        c[i] += element * x->v[j] * x->v[k];
        c[k] -= 0.5 * element * x->v[i] * x->v[j];
      }
    }
  }
  free(M);
  free(slope);
}

static void forces_of_velocities_are_those_of_lagrange(void **state) {
  (void)state;
  random_source source = {3};
  double worst = 0;
  for (int k = 0; k < REPEATS(200); k++) {
    flexible_scene *x = flexible_scene_build(&source, k % 2 == 1, PLAIN_KINDS, PLAIN_KIND_COUNT);
    double expected[FLEXIBLE_SIZE], found[FLEXIBLE_SIZE], zero[FLEXIBLE_SIZE] = {0};
    bias_by_differences(x, expected);
    flg_dynamics_inverse(x->s->dynamics, x->q, x->v, zero, NO_GRAVITY, NULL, found);
    const double scale = largest_of(expected, x->n) + energy_by_mass(x);
    worst = flg_larger(worst, max_difference(found, expected, x->n) / scale);
    flexible_scene_release(x);
  }
  assert_near(worst, 0, 1e-7);
}

static void gravity_pulls_down_the_slope_of_its_potential(void **state) {
  (void)state;
  random_source source = {4};
  for (int k = 0; k < REPEATS(100); k++) {
    flexible_scene *x = flexible_scene_build(&source, true, PLAIN_KINDS, PLAIN_KIND_COUNT);
    double found[FLEXIBLE_SIZE], zero[FLEXIBLE_SIZE] = {0}, expected[FLEXIBLE_SIZE];
    flg_dynamics_inverse(x->s->dynamics, x->q, zero, zero, GRAVITY, NULL, found);
    flg_robot_elastic_force(&x->s->robot, x->q, zero, found);
    for (int i = 0; i < x->n; i++) {
      const double step = 1e-5, at = x->q[i];
      double energy[2];
      for (int side = 0; side < 2; side++) {
        x->q[i] = at + (side ? step : -step);
        flg_dynamics_kinematics(x->s->dynamics, x->q, x->v);
        energy[side] = flg_dynamics_potential_energy(x->s->dynamics, GRAVITY) -
                       2 * flg_robot_elastic_energy(&x->s->robot, x->q);
      }
      x->q[i] = at;
      expected[i] = (energy[1] - energy[0]) / (2 * step);
    }
    assert_near(relative_difference(found, expected, x->n), 0, 5e-8);
    flexible_scene_release(x);
  }
}

/* M a + c = f, with what is added and the share of elastic forces */
static void forward_dynamics_are_the_inverse_of_inverse_dynamics(void **state) {
  (void)state;
  random_source source = {5};
  double worst = 0;
  for (int k = 0; k < REPEATS(500); k++) {
    flexible_scene *x = flexible_scene_build(&source, k % 2 == 0, ALL_KINDS, ALL_KIND_COUNT);
    const flg_robot *robot = &x->s->robot;
    double added[FLEXIBLE_SIZE], a[FLEXIBLE_SIZE], f[FLEXIBLE_SIZE];
    for (int i = 0; i < x->n; i++) added[i] = random_uniform(&source, 0, 1);
    const flg_elastic_share share = {random_uniform(&source, 0, 1e-3),
                                     random_uniform(&source, 0, 1e-6)};
    flg_dynamics_set_elastic(x->s->dynamics, share);
    flg_dynamics_forward(x->s->dynamics, x->q, x->v, x->f, GRAVITY, NULL, added, a);
    flg_dynamics_inverse(x->s->dynamics, x->q, x->v, a, GRAVITY, NULL, f);
    for (int i = 0; i < x->n; i++) f[i] += added[i] * a[i];
    for (int i = 0; i < robot->flex_count; i++) {
      const flg_flex *flex = &robot->flexes[i];
      for (int r = 0; r < flex->body.modes; r++) {
        for (int c = 0; c < flex->body.modes; c++) {
          const int at = r + flex->body.modes * c;
          f[flex->velocity + r] += (share.damping * flex->body.damping[at] +
                                    share.stiffness * flex->body.stiffness[at]) *
                                   a[flex->velocity + c];
        }
      }
    }
    worst = flg_larger(worst, relative_difference(f, x->f, x->n));
    flexible_scene_release(x);
  }
  assert_near(worst, 0, 2e-11);
}

static void solving_with_factors_is_solving_with_the_matrix(void **state) {
  (void)state;
  random_source source = {6};
  double worst = 0;
  for (int k = 0; k < REPEATS(500); k++) {
    flexible_scene *x = flexible_scene_build(&source, true, ALL_KINDS, ALL_KIND_COUNT);
    double a[FLEXIBLE_SIZE], b[FLEXIBLE_SIZE], c[FLEXIBLE_SIZE], zero[FLEXIBLE_SIZE] = {0};
    double *M = calloc((size_t)(x->n * x->n) + 1, sizeof *M);
    flg_dynamics_kinematics(x->s->dynamics, x->q, x->v);
    flg_dynamics_factor(x->s->dynamics, NULL);
    flg_dynamics_solve(x->s->dynamics, x->f, a);
    plain_mass(x->s->dynamics, M);
    memset(b, 0, sizeof b);
    double terms = 0; /* M a is a sum of these: light links of heavy ones make them large */
    for (int i = 0; i < x->n * x->n; i++) {
      b[i % x->n] += M[i] * a[i / x->n];
      terms = flg_larger(terms, fabs(M[i] * a[i / x->n]));
    }
    worst = flg_larger(worst, max_difference(b, x->f, x->n) / terms);
    /* columns of M are inverse dynamics of unit accelerations */
    flg_dynamics_inverse(x->s->dynamics, x->q, zero, a, NO_GRAVITY, NULL, c);
    worst = flg_larger(worst, max_difference(c, x->f, x->n) / terms);
    mass_factor(x->s->dynamics, M);
    memcpy(c, x->f, sizeof c);
    mass_solve(x->s->dynamics, M, c);
    assert_near(relative_difference(c, a, x->n), 0, 2e-8);
    free(M);
    flexible_scene_release(x);
  }
  assert_near(worst, 0, 2e-14);
}

/* --- frames -------------------------------------------------------------------------------------
 */

static void jacobians_and_their_rates_are_exact(void **state) {
  (void)state;
  random_source source = {7};
  for (int k = 0; k < REPEATS(300); k++) {
    flexible_scene *x = flexible_scene_build(&source, k % 2 == 0, ALL_KINDS, ALL_KIND_COUNT);
    flg_dynamics *d = x->s->dynamics;
    const flg_link_anchor frame = random_frame(&source, &x->s->robot);
    double J[6 * FLEXIBLE_SIZE], velocity[6], found[6], f[FLEXIBLE_SIZE] = {0};
    flg_dynamics_kinematics(d, x->q, x->v);
    flg_spatial_store(flg_dynamics_frame_velocity(d, &frame), velocity);
    flg_spatial_store(flg_dynamics_frame_motion(d, &frame, x->v), found);
    assert_near(relative_difference(found, velocity, 6), 0, 1e-12);
    flg_dynamics_frame_jacobian(d, &frame, J);
    memset(found, 0, sizeof found);
    for (int i = 0; i < 6 * x->n; i++) found[i % 6] += J[i] * x->v[i / 6];
    assert_near(relative_difference(found, velocity, 6), 0, 1e-12);
    const flg_spatial push = {random_vector(&source, 1), random_vector(&source, 1)};
    flg_dynamics_frame_force(d, &frame, push, f);
    for (int i = 0; i < x->n; i++) {
      assert_near(f[i], flg_spatial_dot(flg_spatial_load(J + 6 * i), push), 1e-12);
    }
    /* the pose moves with the velocity, the velocity with the bias */
    const double h = 1e-5;
    double bias[6], ends[2][6];
    flg_spatial_store(flg_dynamics_frame_bias(d, &frame), bias);
    flg_pose poses[2];
    for (int side = 0; side < 2; side++) {
      double q[FLEXIBLE_SIZE];
      flg_robot_integrate(&x->s->robot, x->q, x->v, side ? h : -h, q);
      flg_dynamics_kinematics(d, q, x->v);
      poses[side] = flg_dynamics_frame_pose(d, &frame);
      flg_spatial_store(flg_dynamics_frame_velocity(d, &frame), ends[side]);
    }
    for (int i = 0; i < 6; i++) found[i] = (ends[1][i] - ends[0][i]) / (2 * h);
    assert_near(max_difference(found, bias, 6), 0, 2e-7 * (1 + largest_of(bias, 6)));
    const flg_vec3 moved =
        flg_vec3_scale(flg_vec3_subtract(poses[1].position, poses[0].position), 1 / (2 * h));
    assert_near(flg_vec3_norm(flg_vec3_subtract(moved, flg_vec3_load(velocity))), 0, 1e-5);
    const flg_mat3 turned = flg_mat3_multiply_transposed(&poses[0].rotation, &poses[1].rotation);
    const flg_vec3 turn = {turned.m[5] - turned.m[7], turned.m[6] - turned.m[2],
                           turned.m[1] - turned.m[3]};
    const flg_vec3 w = flg_mat3_apply(&poses[0].rotation, flg_vec3_scale(turn, 1 / (4 * h)));
    assert_near(flg_vec3_norm(flg_vec3_subtract(w, flg_vec3_load(velocity + 3))), 0, 3e-5);
    flexible_scene_release(x);
  }
}

enum { PORTS = 3, ROWS = 6 * PORTS };

/* what a node has when it wakes is what it has when it was awake all along */
static void nodes_that_carry_nothing_wake_when_they_are_asked_for(void **state) {
  (void)state;
  random_source source = {17};
  int woken = 0;
  for (int k = 0; k < REPEATS(100); k++) {
    flexible_scene *x = flexible_scene_build(&source, k % 2 == 0, ALL_KINDS, ALL_KIND_COUNT);
    flg_dynamics *d = x->s->dynamics;
    double a[FLEXIBLE_SIZE];
    for (int i = 0; i < x->s->robot.link_count; i++) {
      if (!flg_flex_sleeps(d, i)) continue;
      const flg_link_anchor frame = {i, flg_pose_identity()};
      flg_pose poses[2];
      double found[2][18];
      for (int time = 0; time < 2; time++) {
        flg_dynamics_forget(d);
        flg_dynamics_kinematics(d, x->q, x->v);
        flg_dynamics_forward(d, x->q, x->v, x->f, GRAVITY, NULL, NULL, a);
        assert_int_equal(flg_flex_sleeps(d, i), time == 0);
        flg_spatial_store(flg_dynamics_frame_acceleration(d, &frame), found[time]);
        flg_spatial_store(flg_dynamics_frame_bias(d, &frame), found[time] + 6);
        flg_spatial_store(flg_dynamics_frame_velocity(d, &frame), found[time] + 12);
        poses[time] = flg_dynamics_frame_pose(d, &frame);
      }
      assert_near(relative_difference(found[0], found[1], 18), 0, 1e-14);
      assert_memory_equal(&poses[0], &poses[1], sizeof poses[0]);
      woken++;
    }
    flexible_scene_release(x);
  }
  assert_true(woken > REPEATS(100) / 8);
}

static void admittance_of_ports_is_j_m_inverse_j(void **state) {
  (void)state;
  random_source source = {8};
  for (int k = 0; k < REPEATS(300); k++) {
    flexible_scene *x = flexible_scene_build(&source, true, ALL_KINDS, ALL_KIND_COUNT);
    flg_dynamics *d = x->s->dynamics;
    const int ports = 1 + k % PORTS, rows = 6 * ports;
    flg_link_anchor frames[PORTS];
    flg_port_way ways[PORTS];
    double D[ROWS * ROWS], shares[ROWS * FLEXIBLE_SIZE], added[FLEXIBLE_SIZE], X[ROWS];
    for (int p = 0; p < ports; p++) frames[p] = random_frame(&source, &x->s->robot);
    random_numbers(&source, 1, X, rows);
    for (int i = 0; i < x->n; i++) {
      added[i] = random_integer(&source, 0, 5) == 0 ? (double)INFINITY : 0;
    }
    flg_dynamics_kinematics(d, x->q, x->v);
    flg_dynamics_factor(d, added);
    flg_dynamics_admittance(d, frames, ports, ways, D, shares);
    double f[FLEXIBLE_SIZE] = {0}, expected[FLEXIBLE_SIZE], a[FLEXIBLE_SIZE];
    for (int p = 0; p < ports; p++) {
      flg_dynamics_frame_force(d, &frames[p], flg_spatial_load(X + 6 * p), f);
    }
    flg_dynamics_solve(d, f, expected);
    double answer[ROWS] = {0}, found[ROWS] = {0}, J[6 * SCENE_SIZE];
    for (int p = 0; p < ports; p++) {
      flg_dynamics_frame_jacobian(d, &frames[p], J);
      for (int i = 0; i < 6 * x->n; i++) answer[6 * p + i % 6] += J[i] * expected[i / 6];
    }
    for (int i = 0; i < rows * rows; i++) found[i % rows] += D[i] * X[i / rows];
    assert_near(relative_difference(found, answer, rows), 0, 1e-12);
    flg_dynamics_respond(d, shares, ports, X, a);
    assert_near(relative_difference(a, expected, x->n), 0, 1e-11);
    flexible_scene_release(x);
  }
}

/* Nothing pushes a tree that floats: its momentum stays, d(momentum)/dt = 0. */
static void momentum_of_what_floats_stays(void **state) {
  (void)state;
  static const flg_joint_kind kinds[] = {FLG_JOINT_FLOATING};
  random_source source = {9};
  for (int k = 0; k < REPEATS(100); k++) {
    flexible_scene *x = flexible_scene_build(&source, true, kinds, 1);
    flg_dynamics *d = x->s->dynamics;
    double a[FLEXIBLE_SIZE], ends[2][6], f[FLEXIBLE_SIZE] = {0};
    flg_dynamics_forward(d, x->q, x->v, f, NO_GRAVITY, NULL, NULL, a);
    const double h = 1e-6;
    for (int side = 0; side < 2; side++) {
      double q[FLEXIBLE_SIZE], v[FLEXIBLE_SIZE];
      const double t = side ? h : -h;
      for (int i = 0; i < x->n; i++) v[i] = x->v[i] + t / 2 * a[i];
      flg_robot_integrate(&x->s->robot, x->q, v, t, q);
      for (int i = 0; i < x->n; i++) v[i] = x->v[i] + t * a[i];
      flg_dynamics_kinematics(d, q, v);
      flg_spatial_store(flg_dynamics_momentum(d), ends[side]);
    }
    assert_near(max_difference(ends[0], ends[1], 6) / (2 * h), 0,
                6e-8 * largest_of(a, x->n) + 6e-7 * largest_of(ends[0], 6));
    flexible_scene_release(x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_is_that_of_all_points),
      cmocka_unit_test(stiffening_beams_have_the_energy_of_all_points_to_second_order),
      cmocka_unit_test(links_that_bend_too_far_have_no_accelerations),
      cmocka_unit_test(forces_of_velocities_are_those_of_lagrange),
      cmocka_unit_test(gravity_pulls_down_the_slope_of_its_potential),
      cmocka_unit_test(forward_dynamics_are_the_inverse_of_inverse_dynamics),
      cmocka_unit_test(solving_with_factors_is_solving_with_the_matrix),
      cmocka_unit_test(jacobians_and_their_rates_are_exact),
      cmocka_unit_test(nodes_that_carry_nothing_wake_when_they_are_asked_for),
      cmocka_unit_test(admittance_of_ports_is_j_m_inverse_j),
      cmocka_unit_test(momentum_of_what_floats_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
