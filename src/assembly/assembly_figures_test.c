/* Mechanisms with published answers: the IFToMM library of multibody benchmarks (A02, A05), and
 * Andrews' squeezer (Hairer and Wanner, Solving Ordinary Differential Equations II, section VII.7).
 */
#include "four_bars.h"

static const double PI = 3.14159265358979323846;
static const flg_vec3 Z = {0, 0, 1};

/* --- A02: N four-bars ---------------------------------------------------------------------------
 */

static void one_degree_of_freedom_gives_the_published_figure(void **state) {
  (void)state;
  double angle[2];
  turn_cranks(40, 10, angle);
  assert_near(sin(angle[0]), 0.180513, 1e-6);
  assert_near(cos(angle[0]), 0.983573, 1e-6);
}

static void four_bars_pass_singular_poses(void **state) {
  (void)state;
  static const bars_case cases[] = {
      {10, FLG_SCHEME_RATTLE, FLG_FORM_ADMITTANCE, 5e-3, 2e-3},
      {1, FLG_SCHEME_RK4, FLG_FORM_ADMITTANCE, 1e-3, 1e-6},
      {40, FLG_SCHEME_RK4, FLG_FORM_ADMITTANCE, 5e-3, 1e-5},
      {1, FLG_SCHEME_RATTLE, FLG_FORM_ROOT, 1e-3, 1e-4},
      {2, FLG_SCHEME_RK4, FLG_FORM_ROOT, 2e-3, 1e-5},
      {2, FLG_SCHEME_RATTLE, FLG_FORM_ADMITTANCE, 1e-3, 1e-4},
      {10, FLG_SCHEME_RATTLE, FLG_FORM_ADMITTANCE, 1e-3, 1e-4},
      {40, FLG_SCHEME_RATTLE, FLG_FORM_ROOT, 5e-3, 2e-3},
      {40, FLG_SCHEME_RATTLE, FLG_FORM_ADMITTANCE, 1e-3, 2e-5},
  };
  const int count = (int)(sizeof cases / sizeof cases[0]);
  for (int k = 0; k < REPEATS(count); k++) run_bars(&cases[k]);
}

/* --- A05: flyball governor ----------------------------------------------------------------------
 */

static flg_sym3 box_inertia(double mass, double x, double y, double z) {
  return (flg_sym3){.xx = mass * (y * y + z * z) / 12,
                    .yy = mass * (x * x + z * z) / 12,
                    .zz = mass * (x * x + y * y) / 12};
}

/* two bodies as one, about their common centre; axes as in the world */
static int add_arm(parts *p, double side, bool implicit) {
  const double rod = 0.3, ball = 5, mass = rod + ball, slope = -PI / 6;
  const flg_vec3 pivot = vec(side * 0.05, 0, 1), along = vec(side * cos(slope), 0, sin(slope));
  const flg_vec3 middle = flg_vec3_add_scaled(pivot, 0.5, along);
  const flg_vec3 centre = flg_vec3_add_scaled(pivot, (rod * 0.5 + ball) / mass, along);
  const double apart = 0.5, reduced = rod * ball / mass * apart * apart;
  const flg_mat3 turn = flg_quat_to_matrix(flg_quat_from_axis_angle(vec(0, 1, 0), -side * slope));
  flg_sym3 inertia = flg_sym3_rotate(box_inertia(rod, 1, 0.01, 0.01), &turn);
  inertia = flg_sym3_add_scaled(inertia, reduced, flg_sym3_diagonal(1));
  inertia = flg_sym3_add_scaled(inertia, -reduced, flg_sym3_outer(along));
  const int arm = add_body(p, mass, inertia, centre, flg_quat_identity());
  const flg_vec3 spin = vec(0, 0, 2 * PI);
  p->component.bodies[arm].velocity = (flg_spatial){flg_vec3_cross(spin, centre), spin};
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, 0, arm, pivot, vec(0, 1, 0));
  add_strut(p, 1, vec(side * 0.05, 0, 0.5), arm, middle, 8e5, 4e4, 0.5)->implicit = implicit;
  return arm;
}

static parts *governor(bool implicit) {
  parts *p = parts_new(8);
  const flg_spatial spin = {{0, 0, 0}, {0, 0, 2 * PI}};
  add_body(p, 0.3, box_inertia(0.3, 0.01, 0.01, 1), vec(0, 0, 0.5), flg_quat_identity());
  add_body(p, 3, box_inertia(3, 0.1, 0.1, 0.1), vec(0, 0, 0.5), flg_quat_identity());
  p->component.bodies[0].velocity = p->component.bodies[1].velocity = spin;
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, 0, vec(0, 0, 0), Z);
  add_joint(p, FLG_CONSTRAINT_PRISMATIC, 0, 1, vec(0, 0, 0.5), Z);
  add_arm(p, 1, implicit);
  add_arm(p, -1, implicit);
  return p;
}

static const double HEIGHTS[6] = {0.743249, 0.501420, 0.740684, 0.505909, 0.735602, 0.513246};

/* largest error of the published heights, at 0.5, 1, ... 3 s */
static double governor_error(flg_scheme scheme, bool implicit, double h) {
  parts *p = governor(implicit);
  flg_assembly_options options = flg_assembly_default();
  options.gravity = vec(0, 0, -9.81);
  options.scheme = scheme;
  flg_assembly *assembly = assemble(p, &options);
  double most = 0;
  for (int k = 0; k < 6; k++) {
    const int steps = (int)lround(0.5 / h);
    assert_int_equal(flg_assembly_advance(assembly, 0, h, k * steps, steps), FLG_OK);
    flg_assembly_refresh(assembly, 0);
    most = flg_larger(most, fabs(point_of(assembly, p, 1, vec(0, 0, 0.5)).z - HEIGHTS[k]));
  }
  flg_assembly_release(assembly);
  parts_drop(p);
  return most;
}

static void the_governor_lifts_its_slider(void **state) {
  (void)state;
  assert_true(governor_error(FLG_SCHEME_RK4, false, 2e-4) < 2e-6);
  assert_true(governor_error(FLG_SCHEME_RATTLE, false, 2e-4) < 1e-5);
}

static void the_governor_converges_with_order_1_and_any_step_with_implicit_springs(void **state) {
  (void)state;
  const flg_scheme schemes[2] = {FLG_SCHEME_RATTLE, FLG_SCHEME_SEMI_IMPLICIT};
  for (int k = 0; k < 2; k++) {
    const double coarse = governor_error(schemes[k], true, 5e-4);
    const double fine = governor_error(schemes[k], true, 2.5e-4);
    assert_true(fine < 1e-2);
    assert_near(log2(coarse / fine), 1, 0.2);
    assert_true(governor_error(schemes[k], true, 5e-3) <
                0.1); /* explicit springs: 0.5 ms at most */
    assert_true(governor_error(schemes[k], true, 1e-2) < 0.2);
  }
}

/* --- Andrews' squeezer --------------------------------------------------------------------------
 */

static flg_vec3 polar(flg_vec3 from, double length, double angle) {
  return vec(from.x + length * cos(angle), from.y + length * sin(angle), 0);
}

/* a body with its centre `along` and `across` from a point, in axes turned by an angle */
static int add_plate(parts *p, int number, flg_vec3 point, double angle, double along,
                     double across) {
  static const double mass[7] = {.04325, .00365, .02373, .00706, .0705, .00706, .05498};
  static const double inertia[7] = {2.194e-6, 4.41e-7,  5.255e-6, 5.667e-7,
                                    1.169e-5, 5.667e-7, 1.912e-5};
  const double I = inertia[number];
  const flg_vec3 centre = polar(polar(point, along, angle), across, angle + PI / 2);
  return add_body(p, mass[number], (flg_sym3){.xx = 0.6 * I, .yy = 0.6 * I, .zz = I}, centre,
                  flg_quat_from_axis_angle(Z, angle));
}

static const double squeezer_start[7] = {
    -.0617138900142765, 0, .455279819163070, .222668390165886, .487364979543843, -.222668390165886,
    1.23054744454982};

static parts *squeezer(void) {
  enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON };
  const double *q = squeezer_start;
  const flg_vec3 O = vec(0, 0, 0), A = vec(-.06934, -.00227, 0), B = vec(-.03635, .03273, 0);
  const flg_vec3 C = vec(.014, .072, 0), elbow = polar(O, .007, q[BETA]);
  const flg_vec3 P = polar(elbow, -.028, q[BETA] + q[THETA]);
  const flg_vec3 low = polar(A, .04, q[DELTA]), high = polar(A, .04, q[EPSILON] - PI / 2);
  parts *p = parts_new(16);
  const int k1 = add_plate(p, 0, O, q[BETA], .00092, 0);
  const int k2 = add_plate(p, 1, elbow, q[BETA] + q[THETA], -.0115, 0);
  const int k3 = add_plate(p, 2, B, q[GAMMA], .01043, -.01874);
  const int k4 = add_plate(p, 3, low, q[PHI] + q[DELTA], 0, -(.02 - .01421));
  const int k5 = add_plate(p, 4, A, q[DELTA], .02308, .00916);
  const int k6 = add_plate(p, 5, high, q[OMEGA] + q[EPSILON], .02 - .01421, 0);
  const int k7 = add_plate(p, 6, A, q[EPSILON], -.00449, -.01228);
  const int order[10][2] = {{FLG_WORLD, k1}, {k1, k2}, {FLG_WORLD, k3}, {k5, k4},
                            {FLG_WORLD, k5}, {k7, k6}, {FLG_WORLD, k7}, {k2, k3},
                            {k2, k4},        {k2, k6}};
  const flg_vec3 points[10] = {O, elbow, B, low, A, high, A, P, P, P};
  for (int k = 0; k < 10; k++) {
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, order[k][0], order[k][1], points[k], Z);
  }
  add_spring(p, p->component.joints[0].coordinate[0], 0, 0, 0)->preload = .033;
  const flg_vec3 D = polar(polar(B, .02, q[GAMMA]), -.018, q[GAMMA] + PI / 2);
  add_strut(p, FLG_WORLD, C, k3, D, 4530, 0, .07785);
  return p;
}

/* error of the seven angles at 0.03 s */
static double squeezer_error(flg_scheme scheme, double h) {
  static const double expected[7] = {15.81077119629904,   -15.75637105984298, 0.04082224013073101,
                                     -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
                                     1.048080741042263};
  parts *p = squeezer();
  flg_assembly_options options = flg_assembly_default();
  options.scheme = scheme;
  flg_assembly *assembly = assemble(p, &options);
  flg_error error;
  assert_int_equal(flg_assembly_close(assembly, &error), FLG_OK);
  assert_int_equal(flg_assembly_advance(assembly, 0, h, 0, (int)lround(0.03 / h)), FLG_OK);
  flg_assembly_refresh(assembly, 0);
  double most = 0;
  for (int k = 0; k < 7; k++) {
    const int coordinate = p->component.joints[k].coordinate[0];
    const double angle = squeezer_start[k] + flg_assembly_coordinate(assembly, coordinate, NULL);
    most = flg_larger(most, fabs(angle - expected[k]));
  }
  flg_assembly_release(assembly);
  parts_drop(p);
  return most;
}

static void the_squeezer_turns_as_published(void **state) {
  (void)state;
  assert_true(squeezer_error(FLG_SCHEME_RK4, 1e-5) < 1e-7);
  const double coarse = squeezer_error(FLG_SCHEME_RATTLE, 1e-5);
  const double fine = squeezer_error(FLG_SCHEME_RATTLE, 5e-6);
  assert_true(fine < 1e-4);
  assert_near(log2(coarse / fine), 2, 7e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_degree_of_freedom_gives_the_published_figure),
      cmocka_unit_test(four_bars_pass_singular_poses),
      cmocka_unit_test(the_governor_lifts_its_slider),
      cmocka_unit_test(the_governor_converges_with_order_1_and_any_step_with_implicit_springs),
      cmocka_unit_test(the_squeezer_turns_as_published),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
