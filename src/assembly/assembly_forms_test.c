/* Mechanisms whose motion has a closed form, with every kind of joint. */
#include "parts.h"

static const double PI = 3.14159265358979323846;
static const flg_vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1}, ORIGIN = {0, 0, 0};
static const double G = 9.81;

static flg_assembly_options options_of(flg_scheme scheme) {
  flg_assembly_options options = flg_assembly_default();
  options.scheme = scheme;
  options.gravity = vec(0, 0, -G);
  return options;
}

static flg_assembly *run_with(parts *p, flg_scheme scheme, double end, double h) {
  const flg_assembly_options options = options_of(scheme);
  flg_assembly *assembly = assemble(p, &options);
  assert_int_equal(flg_assembly_advance(assembly, 0, h, 0, (int)lround(end / h)), FLG_OK);
  flg_assembly_refresh(assembly, end);
  assert_true(flg_assembly_closure(assembly).position < 1e-11);
  return assembly;
}

static flg_assembly *run(parts *p, double end) {
  return run_with(p, FLG_SCHEME_RK4, end, 1e-3);
}

static void drop(flg_assembly *assembly, parts *p) {
  flg_assembly_release(assembly);
  parts_drop(p);
}

static int add_ball(parts *p, double mass, double inertia, flg_vec3 at) {
  return add_body(p, mass, flg_sym3_diagonal(inertia), at, flg_quat_identity());
}

/* --- falling: constant accelerations, which every scheme of order 2 gets right ------------------
 */

/* a = g / (1 + I / (m p^2)) along an upright axis */
static void a_nut_falls_down_its_screw(void **state) {
  (void)state;
  const double mass = 2, inertia = 0.3, pitch = 0.2, end = 1;
  const flg_scheme schemes[2] = {FLG_SCHEME_RK4, FLG_SCHEME_RATTLE};
  for (int k = 0; k < 2; k++) {
    parts *p = parts_new(2);
    const int nut = add_ball(p, mass, inertia, vec(0, 0, 1));
    const int screw = add_joint(p, FLG_CONSTRAINT_SCREW, FLG_WORLD, nut, ORIGIN, Z);
    p->component.joints[screw].constant = pitch;
    flg_assembly *assembly = run_with(p, schemes[k], end, 1e-3);
    const double fall = G / (1 + inertia / (mass * pitch * pitch)) * end * end / 2;
    const int *coordinate = p->component.joints[screw].coordinate;
    /* rattle turns by the sine of a step's angle in place of the angle */
    const double tolerance = schemes[k] == FLG_SCHEME_RK4 ? 1e-10 : 1e-5;
    assert_near(flg_assembly_coordinate(assembly, coordinate[0], NULL), -fall, tolerance);
    assert_near(flg_assembly_coordinate(assembly, coordinate[1], NULL), -fall / pitch,
                10 * tolerance);
    drop(assembly, p);
  }
}

/* a = g / (1 + I / (m r^2)) */
static void a_rack_turns_its_pinion(void **state) {
  (void)state;
  const double mass = 1.5, inertia = 0.02, radius = 0.1, end = 0.7;
  parts *p = parts_new(3);
  const int rack = add_ball(p, mass, 0.1, vec(radius, 0, 0));
  const int pinion = add_ball(p, 3, inertia, ORIGIN);
  const int slide = add_joint(p, FLG_CONSTRAINT_PRISMATIC, FLG_WORLD, rack, vec(radius, 0, 0), Z);
  const int hinge = add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, pinion, ORIGIN, Y);
  const int c0 = p->component.joints[slide].coordinate[0];
  const int c1 = p->component.joints[hinge].coordinate[0];
  p->component.joints[add_gear(p, c0, 1, c1, radius)].kind = FLG_CONSTRAINT_RACK;
  flg_assembly *assembly = run(p, end);
  const double fall = G / (1 + inertia / (mass * radius * radius)) * end * end / 2;
  double rate;
  assert_near(flg_assembly_coordinate(assembly, c0, NULL), -fall, 1e-10);
  assert_near(flg_assembly_coordinate(assembly, c1, &rate), fall / radius, 1e-9);
  assert_near(rate, 2 * fall / end / radius, 3e-11);
  drop(assembly, p);
}

/* torque T on the first wheel: a = T / (I_1 + r^2 I_2), turned many times round */
static void a_motor_speeds_up_two_gears(void **state) {
  (void)state;
  const double first = 0.02, second = 0.3, ratio = -0.25, torque = 1.5, end = 1;
  parts *p = parts_new(3);
  const int wheels[2] = {add_ball(p, 1, first, ORIGIN), add_ball(p, 4, second, vec(1, 0, 0))};
  int c[2];
  for (int k = 0; k < 2; k++) {
    const int hinge = add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, wheels[k], vec(k, 0, 0), Y);
    c[k] = p->component.joints[hinge].coordinate[0];
  }
  add_gear(p, c[0], ratio, c[1], -1);
  add_spring(p, c[0], 0, 0, 0)->preload = torque;
  flg_assembly *assembly = run(p, end);
  const double turned = torque / (first + ratio * ratio * second) * end * end / 2;
  assert_true(turned > 2 * PI);
  assert_near(flg_assembly_coordinate(assembly, c[0], NULL), turned, 1e-8);
  assert_near(flg_assembly_coordinate(assembly, c[1], NULL), ratio * turned, 1e-8);
  drop(assembly, p);
}

/* on a slope of 30 degrees; the bead turns as it likes */
static void a_bead_slides_down_its_wire(void **state) {
  (void)state;
  const flg_vec3 wire = vec(cos(PI / 6), 0, -sin(PI / 6));
  parts *p = parts_new(2);
  const int bead = add_ball(p, 0.2, 0.01, ORIGIN);
  p->component.bodies[bead].velocity = (flg_spatial){flg_vec3_scale(wire, 0.5), vec(1, 2, 3)};
  const int line = add_joint(p, FLG_CONSTRAINT_POINT_ON_LINE, FLG_WORLD, bead, ORIGIN, wire);
  flg_assembly *assembly = run(p, 1);
  const double slide = 0.5 + G / 4;
  assert_near(flg_assembly_coordinate(assembly, p->component.joints[line].coordinate[0], NULL),
              slide, 2e-12);
  const flg_anchor anchor = {-1, bead, flg_pose_identity()};
  const flg_mat3 turned =
      flg_quat_to_matrix(flg_quat_integrate_world(flg_quat_identity(), vec(1, 2, 3), 1));
  const flg_pose pose = flg_assembly_pose(assembly, &anchor);
  assert_near(max_difference((const double *)&pose.rotation, (const double *)&turned, 9), 0, 3e-11);
  drop(assembly, p);
}

static void a_sleeve_slides_and_turns_at_its_own_rate(void **state) {
  (void)state;
  const flg_vec3 axis = flg_vec3_normalise(vec(1, 1, -1));
  parts *p = parts_new(2);
  const int sleeve = add_ball(p, 1, 0.1, ORIGIN);
  p->component.bodies[sleeve].velocity.angular = flg_vec3_scale(axis, 4);
  const int joint = add_joint(p, FLG_CONSTRAINT_CYLINDRICAL, FLG_WORLD, sleeve, ORIGIN, axis);
  flg_assembly *assembly = run(p, 2);
  const int *c = p->component.joints[joint].coordinate;
  assert_near(flg_assembly_coordinate(assembly, c[0], NULL), G / sqrt(3) * 2, 9e-12);
  assert_near(flg_assembly_coordinate(assembly, c[1], NULL), 8, 2e-10);
  drop(assembly, p);
}

/* a parabola on a slope */
static void a_puck_flies_over_its_plane(void **state) {
  (void)state;
  const double slope = 0.4;
  const flg_vec3 up = vec(sin(slope), 0, cos(slope)), down = vec(cos(slope), 0, -sin(slope));
  parts *p = parts_new(2);
  const int puck = add_ball(p, 0.3, 0.01, ORIGIN);
  p->component.bodies[puck].velocity = (flg_spatial){vec(0, 2, 0), flg_vec3_scale(up, 5)};
  add_joint(p, FLG_CONSTRAINT_PLANAR, FLG_WORLD, puck, ORIGIN, up);
  flg_assembly *assembly = run(p, 1);
  const flg_vec3 at = point_of(assembly, p, puck, ORIGIN);
  assert_near(flg_vec3_dot(at, down), G * sin(slope) / 2, 2e-12);
  assert_near(at.y, 2, 2e-13);
  assert_near(flg_vec3_dot(at, up), 0, 1e-11);
  drop(assembly, p);
}

/* --- pendulums and tops -------------------------------------------------------------------------
 */

/* period of a pendulum by the arithmetic-geometric mean */
static double period_of(double length, double swing) {
  double a = 1, g = cos(swing / 2);
  while (fabs(a - g) > 1e-15) {
    const double mean = (a + g) / 2;
    g = sqrt(a * g), a = mean;
  }
  return 2 * PI * sqrt(length / G) / a;
}

/* a weight on a rod without mass is back after a period; a quarter of it is the lowest point */
static void a_distance_makes_a_pendulum(void **state) {
  (void)state;
  const double length = 0.8, swing = 1.2, period = period_of(length, swing);
  parts *p = parts_new(2);
  const flg_vec3 start = vec(length * sin(swing), 0, -length * cos(swing));
  const int weight = add_ball(p, 0.7, 0.01, start);
  const int rod = add_joint(p, FLG_CONSTRAINT_DISTANCE, FLG_WORLD, weight, start, Z);
  flg_component_joint *joint = &p->component.joints[rod];
  joint->constant = length, joint->end[0].pose.position = ORIGIN;
  p->component.coordinates[joint->coordinate[0]].end[0] = joint->end[0];
  flg_assembly *assembly = run_with(p, FLG_SCHEME_RK4, period, period / 2000);
  assert_near(flg_vec3_norm(flg_vec3_subtract(point_of(assembly, p, weight, start), start)), 0,
              1e-10);
  flg_assembly_release(assembly);
  assembly = run_with(p, FLG_SCHEME_RK4, period / 4, period / 2000);
  assert_near(point_of(assembly, p, weight, start).x, 0, 4e-11);
  drop(assembly, p);
}

/* steady precession W of a top at the angle a from upright with the spin s about its axis:
 * m g l = W (I s - (J - I) W cos a), s: along the axis, W cos a left out; J about the tip */
static void a_top_precesses_steadily(void **state) {
  (void)state;
  const double mass = 1, length = 0.3, along = 0.02, across = 0.03, tilt = 0.7, rate = 2;
  const double about_tip = across + mass * length * length;
  const double spin = (mass * G * length / rate + (about_tip - along) * rate * cos(tilt)) / along;
  parts *p = parts_new(2);
  const flg_quat turn = flg_quat_from_axis_angle(Y, tilt);
  const flg_vec3 axis = flg_quat_rotate(turn, Z), centre = flg_vec3_scale(axis, length);
  const int top = add_body(p, mass, (flg_sym3){across, across, along, 0, 0, 0}, centre, turn);
  const flg_vec3 w = flg_vec3_add_scaled(flg_vec3_scale(axis, spin), rate, Z);
  p->component.bodies[top].velocity = (flg_spatial){flg_vec3_cross(w, centre), w};
  add_joint(p, FLG_CONSTRAINT_SPHERICAL, FLG_WORLD, top, ORIGIN, Z);
  flg_assembly *assembly = run_with(p, FLG_SCHEME_RK4, 1, 2e-4);
  const flg_vec3 now = point_of(assembly, p, top, centre);
  const flg_vec3 expected = flg_quat_rotate(flg_quat_from_axis_angle(Z, rate), centre);
  assert_near(flg_vec3_norm(flg_vec3_subtract(now, expected)), 0, 2e-10);
  drop(assembly, p);
}

/* --- two shafts at an angle b: tan(out) = tan(in) cos b where the arm of the input starts upright
 * ---
 */

static void a_universal_joint_leads_one_shaft_and_the_other(void **state) {
  (void)state;
  const double bend = 0.6, speed = 3;
  const flg_vec3 second = vec(cos(bend), sin(bend), 0);
  parts *p = parts_new(4);
  const int in = add_ball(p, 1, 0.05, vec(-1, 0, 0)), out = add_ball(p, 1, 0.02, second);
  const int first = add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, in, vec(-1, 0, 0), X);
  const int last = add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, out, second, second);
  /* the input carries the arm of the cross that is upright, the output the one across */
  const flg_vec3 across = flg_vec3_cross(Z, second);
  const flg_pose cross = {flg_mat3_from_columns(Z, across, flg_vec3_cross(Z, across)), ORIGIN};
  add_joint_frame(p, FLG_CONSTRAINT_UNIVERSAL, in, out, &cross);
  p->component.bodies[in].velocity.angular = vec(speed, 0, 0);
  p->component.bodies[out].velocity.angular = flg_vec3_scale(second, speed * cos(bend));
  flg_assembly *assembly = run(p, 2);
  const double a =
      flg_assembly_coordinate(assembly, p->component.joints[first].coordinate[0], NULL);
  const double b = flg_assembly_coordinate(assembly, p->component.joints[last].coordinate[0], NULL);
  assert_true(a > 2);
  assert_near(tan(b), tan(a) * cos(bend), 1e-10);
  drop(assembly, p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_nut_falls_down_its_screw),
      cmocka_unit_test(a_rack_turns_its_pinion),
      cmocka_unit_test(a_motor_speeds_up_two_gears),
      cmocka_unit_test(a_bead_slides_down_its_wire),
      cmocka_unit_test(a_sleeve_slides_and_turns_at_its_own_rate),
      cmocka_unit_test(a_puck_flies_over_its_plane),
      cmocka_unit_test(a_distance_makes_a_pendulum),
      cmocka_unit_test(a_top_precesses_steadily),
      cmocka_unit_test(a_universal_joint_leads_one_shaft_and_the_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
