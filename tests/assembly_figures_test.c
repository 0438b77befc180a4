/* Mechanisms with published answers: the IFToMM library of multibody benchmarks (A02, A05), and
 * Andrews' squeezer (Hairer and Wanner, Solving Ordinary Differential Equations II, section VII.7).
 */
#include "parts.h"

static const double PI = 3.14159265358979323846;
static const flg_vec3 Z = {0, 0, 1};

/* --- A02: N four-bars ---------------------------------------------------------------------------
 */

/* all links 1 m and 1 kg, in the plane xy, upright; the tops move with 1 m/s to the right */
static parts *four_bars(int count) {
  parts *p = parts_new(2 * count + 2);
  for (int k = 0; k <= count; k++) {
    const int rod = add_rod(p, 1, vec(k, 0, 0), vec(k, 1, 0));
    p->component.bodies[rod].velocity = (flg_spatial){{0.5, 0, 0}, {0, 0, -1}};
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, rod, vec(k, 0, 0), Z);
  }
  for (int k = 0; k < count; k++) {
    const int rod = add_rod(p, 1, vec(k, 1, 0), vec(k + 1, 1, 0));
    p->component.bodies[rod].velocity = (flg_spatial){{1, 0, 0}, {0}};
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, k, rod, vec(k, 1, 0), Z);
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, k + 1, rod, vec(k + 1, 1, 0), Z);
  }
  return p;
}

static void forty_four_bars_pass_singular_poses(void **state) {
  (void)state;
  parts *p = four_bars(40);
  flg_assembly_options options = flg_assembly_default();
  options.gravity = vec(0, -9.81, 0);
  const char *scheme = getenv("SCHEME"), *step = getenv("STEP"), *form = getenv("FORM");
  options.scheme = scheme == NULL ? FLG_SCHEME_RATTLE : (flg_scheme)atoi(scheme);
  options.form = form == NULL ? FLG_FORM_ADMITTANCE : (flg_elimination_form)atoi(form);
  flg_assembly *assembly = assemble(p, &options);
  flg_freedom freedom;
  assert_int_equal(flg_assembly_freedom(assembly, &freedom), FLG_OK);
  printf("velocities %d rows %d rank %d\n", freedom.velocities, freedom.rows, freedom.rank);
  const double h = step == NULL ? 1e-3 : atof(step);
  const int steps = (int)lround(10 / h);
  double worst = 0, e0 = flg_assembly_energy(assembly), drift = 0;
  for (int k = 0; k < steps; k++) {
    const flg_status status = flg_assembly_advance(assembly, 0, h, k, 1);
    if (status != FLG_OK) {
      printf("failed at %g\n", k * h);
      break;
    }
    flg_assembly_refresh(assembly, 0);
    worst = fmax(worst, flg_assembly_closure(assembly).position);
    drift = fmax(drift, fabs(flg_assembly_energy(assembly) - e0));
  }
  const flg_vec3 b0 = point_of(assembly, p, 0, vec(0, 1, 0));
  printf("B0 %.6f %.6f (0.180513 0.983573) closure %g velocity %g energy %g\n", b0.x, b0.y, worst,
         flg_assembly_closure(assembly).velocity, drift);
  flg_assembly_release(assembly);
  parts_drop(p);
}

/* --- A05: flyball governor ----------------------------------------------------------------------
 */

static flg_sym3 box_inertia(double mass, double x, double y, double z) {
  return (flg_sym3){.xx = mass * (y * y + z * z) / 12,
                    .yy = mass * (x * x + z * z) / 12,
                    .zz = mass * (x * x + y * y) / 12};
}

/* two bodies as one, about their common centre; axes as in the world */
static int add_arm(parts *p, double side) {
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
  const char *implicit = getenv("IMPLICIT");
  add_strut(p, 1, vec(side * 0.05, 0, 0.5), arm, middle, 8e5, 4e4, 0.5)->implicit =
      implicit != NULL;
  return arm;
}

static parts *governor(void) {
  parts *p = parts_new(8);
  const flg_spatial spin = {{0, 0, 0}, {0, 0, 2 * PI}};
  add_body(p, 0.3, box_inertia(0.3, 0.01, 0.01, 1), vec(0, 0, 0.5), flg_quat_identity());
  add_body(p, 3, box_inertia(3, 0.1, 0.1, 0.1), vec(0, 0, 0.5), flg_quat_identity());
  p->component.bodies[0].velocity = p->component.bodies[1].velocity = spin;
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, 0, vec(0, 0, 0), Z);
  add_joint(p, FLG_CONSTRAINT_PRISMATIC, 0, 1, vec(0, 0, 0.5), Z);
  add_arm(p, 1);
  add_arm(p, -1);
  return p;
}

static void the_governor_lifts_its_slider(void **state) {
  (void)state;
  static const double heights[6] = {0.743249, 0.501420, 0.740684, 0.505909, 0.735602, 0.513246};
  parts *p = governor();
  flg_assembly_options options = flg_assembly_default();
  options.gravity = vec(0, 0, -9.81);
  const char *scheme = getenv("SCHEME"), *step = getenv("STEP");
  options.scheme = scheme == NULL ? FLG_SCHEME_RK4 : (flg_scheme)atoi(scheme);
  flg_assembly *assembly = assemble(p, &options);
  const double h = step == NULL ? 2e-4 : atof(step);
  for (int k = 0; k < 6; k++) {
    const int steps = (int)lround(0.5 / h);
    const flg_status status = flg_assembly_advance(assembly, 0, h, k * steps, steps);
    if (status != FLG_OK) {
      printf("failed\n");
      break;
    }
    flg_assembly_refresh(assembly, 0);
    const flg_vec3 slider = point_of(assembly, p, 1, vec(0, 0, 0.5));
    printf("%.6f (%.6f) %g\n", slider.z, heights[k], slider.z - heights[k]);
  }
  flg_assembly_release(assembly);
  parts_drop(p);
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

static void the_squeezer_turns_as_published(void **state) {
  (void)state;
  static const double expected[7] = {15.81077119629904,   -15.75637105984298, 0.04082224013073101,
                                     -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
                                     1.048080741042263};
  parts *p = squeezer();
  flg_assembly_options options = flg_assembly_default();
  const char *scheme = getenv("SCHEME"), *step = getenv("STEP");
  options.scheme = scheme == NULL ? FLG_SCHEME_RK4 : (flg_scheme)atoi(scheme);
  flg_assembly *assembly = assemble(p, &options);
  flg_freedom freedom;
  flg_assembly_freedom(assembly, &freedom);
  printf("%d %d %d closure %g\n", freedom.velocities, freedom.rows, freedom.rank,
         flg_assembly_closure(assembly).position);
  flg_error error;
  assert_int_equal(flg_assembly_close(assembly, &error), FLG_OK);
  const double h = step == NULL ? 1e-5 : atof(step);
  const int steps = (int)lround(0.03 / h);
  const flg_status status = flg_assembly_advance(assembly, 0, h, 0, steps);
  printf("status %d\n", status);
  flg_assembly_refresh(assembly, 0);
  for (int k = 0; k < 7; k++) {
    const double angle =
        squeezer_start[k] +
        flg_assembly_coordinate(assembly, p->component.joints[k].coordinate[0], NULL);
    printf("%.12f %g\n", angle, angle - expected[k]);
  }
  flg_assembly_release(assembly);
  parts_drop(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forty_four_bars_pass_singular_poses),
      cmocka_unit_test(the_governor_lifts_its_slider),
      cmocka_unit_test(the_squeezer_turns_as_published),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
