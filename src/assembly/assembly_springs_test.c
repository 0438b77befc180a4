/* Implicit springs: of order 2 in rattle and 1 in semi-implicit, of any stiffness, and joints in
 * the limit. */
#include "leaves.h"

static const flg_vec3 ORIGIN = {0, 0, 0};

/* a rigid rod on a strut of the given stiffness (0: a distance joint), swinging in space */
static parts *pendulum(double stiffness, bool implicit) {
  const flg_vec3 near = {0.6, 0.2, -0.3}, far = {1.4, 0.1, -0.8};
  const double length = flg_vec3_norm(near);
  parts *p = parts_new(4);
  const int rod = add_rod(p, 2, near, far);
  const flg_vec3 spin = {0.3, -0.8, 0.5};
  p->component.bodies[rod].velocity =
      (flg_spatial){flg_vec3_cross(spin, p->component.bodies[rod].pose.position), spin};
  if (stiffness > 0) {
    add_strut(p, FLG_WORLD, ORIGIN, rod, near, stiffness, 0.01 * stiffness, length)->implicit =
        implicit;
    return p;
  }
  const int joint = add_joint(p, FLG_CONSTRAINT_DISTANCE, FLG_WORLD, rod, near, vec(0, 0, 1));
  flg_component_joint *distance = &p->component.joints[joint];
  distance->constant = length, distance->end[0].pose.position = ORIGIN;
  p->component.coordinates[distance->coordinate[0]].end[0] = distance->end[0];
  return p;
}

static flg_pose swing(double stiffness, bool implicit, flg_scheme scheme, double h) {
  parts *p = pendulum(stiffness, implicit);
  flg_assembly_options options = rk4_options();
  options.scheme = scheme;
  flg_assembly *assembly = assemble(p, &options);
  advance_to(assembly, 1, h);
  const flg_pose pose = body_pose(assembly, -1, 0);
  flg_assembly_release(assembly);
  parts_drop(p);
  return pose;
}

static const flg_scheme SCHEMES[2] = {FLG_SCHEME_RATTLE, FLG_SCHEME_SEMI_IMPLICIT};
static const double ORDERS[2] = {2, 1};

static void soft_springs_converge_with_the_order_of_the_scheme(void **state) {
  (void)state;
  const flg_pose exact = swing(500, false, FLG_SCHEME_RK4, 1e-4);
  for (int k = 0; k < 2; k++) {
    const double coarse = pose_difference(swing(500, true, SCHEMES[k], 1e-3), exact);
    const double fine = pose_difference(swing(500, true, SCHEMES[k], 5e-4), exact);
    assert_true(fine < 1e-2);
    assert_near(log2(coarse / fine), ORDERS[k], 5e-3);
  }
}

/* its damper asks for velocities at the end of the step, which inertias there tell from momenta */
static void explicit_dampers_on_bodies_without_joints_are_of_order_two(void **state) {
  (void)state;
  const flg_pose exact = swing(500, false, FLG_SCHEME_RK4, 1e-4);
  const double coarse = pose_difference(swing(500, false, FLG_SCHEME_RATTLE, 1e-3), exact);
  const double fine = pose_difference(swing(500, false, FLG_SCHEME_RATTLE, 5e-4), exact);
  print_message("%.3g, %.3g of half the step\n", coarse, fine);
  assert_near(log2(coarse / fine), 2, 1e-2);
}

/* explicitly it would need steps of 1e-8 s */
static void a_spring_of_any_stiffness_takes_long_steps_and_is_a_joint(void **state) {
  (void)state;
  const flg_pose rigid = swing(0, false, FLG_SCHEME_RK4, 1e-3);
  for (int k = 0; k < 2; k++) {
    double errors[3];
    for (int i = 0; i < 3; i++) {
      errors[i] = pose_difference(swing(1e9, true, SCHEMES[k], 4e-3 / (1 << i)), rigid);
    }
    assert_true(errors[0] < 0.1);
    assert_near(log2(errors[1] / errors[2]), ORDERS[k], 0.08);
    const flg_pose long_step = swing(1e9, true, SCHEMES[k], 2e-2);
    assert_true(pose_difference(long_step, rigid) < 0.5);
  }
}

/* the stiffer, the closer to what no stiffness can exceed */
static void stiffness_tends_to_a_limit(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    const flg_pose limit = swing(1e13, true, SCHEMES[k], 2e-3);
    const double soft = pose_difference(swing(1e8, true, SCHEMES[k], 2e-3), limit);
    const double stiff = pose_difference(swing(1e10, true, SCHEMES[k], 2e-3), limit);
    assert_true(stiff < 1e-4);
    assert_near(soft / stiff, 100, 1.5);
  }
}

/* A body on a strut, along it, with w h = step: the energy after 100 periods, as a share. */
static double ring(flg_scheme scheme, double step) {
  parts *p = parts_new(4);
  const int body = add_rod(p, 2, vec(0.8, 0, 0), vec(1.2, 0, 0));
  const double mass = p->component.bodies[body].mass, stiffness = 800, w = sqrt(stiffness / mass);
  p->component.bodies[body].velocity.linear = vec(0.1, 0, 0);
  add_strut(p, FLG_WORLD, ORIGIN, body, vec(1, 0, 0), stiffness, 0, 1)->implicit = true;
  flg_assembly_options options = rk4_options();
  options.scheme = scheme, options.gravity = vec(0, 0, 0);
  flg_assembly *assembly = assemble(p, &options);
  const double before = flg_assembly_energy(assembly), pi = 3.14159265358979323846;
  advance_to(assembly, step * floor(200 * pi / step) / w, step / w);
  flg_assembly_refresh(assembly, 0);
  const double after = flg_assembly_energy(assembly);
  flg_assembly_release(assembly);
  parts_drop(p);
  return after / before;
}

/* In semi-implicit steps the damping ratio is step^3 / 2, and energy swings by step / 2 besides. */
static void vibrations_that_steps_resolve_keep_their_energy(void **state) {
  (void)state;
  for (double step = 0.02; step < 0.15; step *= 2) {
    const double left = exp(-400 * 3.14159265358979323846 * step * step * step / 2);
    assert_near(ring(FLG_SCHEME_RATTLE, step), 1, 1e-10);
    assert_near(ring(FLG_SCHEME_SEMI_IMPLICIT, step), left, 0.6 * step);
  }
  assert_true(ring(FLG_SCHEME_SEMI_IMPLICIT, 4) < 1e-6); /* what is not resolved dies out */
}

/* --- springs on robots --------------------------------------------------------------------------
 */

static double tied_error(flg_scheme scheme, double h) {
  random_source source = {41};
  leaves *of = leaves_new();
  leaves *same = leaves_new();
  add_leaf(&source, of, FLG_JOINT_REVOLUTE, FLG_JOINT_REVOLUTE, 3, -1);
  source = (random_source){41};
  add_leaf(&source, same, FLG_JOINT_REVOLUTE, FLG_JOINT_REVOLUTE, 3, -1);
  tie_leaves(of, ON_WORLD, (leaf_end){0, 2}, 300, true);
  tie_leaves(same, ON_WORLD, (leaf_end){0, 2}, 300, false);
  flg_assembly_options options = rk4_options();
  flg_assembly *exact = assemble_leaves(same, &options, true);
  options.scheme = scheme;
  flg_assembly *assembly = assemble_leaves(of, &options, false);
  advance_to(exact, 0.5, 1e-3);
  advance_to(assembly, 0.5, h);
  const double error = leaves_difference(of, assembly, exact);
  flg_assembly_release(exact);
  flg_assembly_release(assembly);
  leaves_drop(of);
  leaves_drop(same);
  return error;
}

static void robots_on_implicit_springs_converge_with_the_order_of_the_scheme(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    const double coarse = tied_error(SCHEMES[k], 5e-4), fine = tied_error(SCHEMES[k], 2.5e-4);
    assert_true(fine < 1e-2);
    assert_near(log2(coarse / fine), ORDERS[k], 0.01);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(soft_springs_converge_with_the_order_of_the_scheme),
      cmocka_unit_test(explicit_dampers_on_bodies_without_joints_are_of_order_two),
      cmocka_unit_test(a_spring_of_any_stiffness_takes_long_steps_and_is_a_joint),
      cmocka_unit_test(stiffness_tends_to_a_limit),
      cmocka_unit_test(vibrations_that_steps_resolve_keep_their_energy),
      cmocka_unit_test(robots_on_implicit_springs_converge_with_the_order_of_the_scheme),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
