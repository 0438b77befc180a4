/* Links of robots touch the ground, and each other where they are asked to. */
#include "touching_robot.h"

enum { MOST = 12 };

/* --- a ball that slides and then rolls ----------------------------------------------------------
 */

static const double RADIUS = 0.2, MU = 0.3, SPEED = 2;

static void add_ball(touching_robot *to, flg_joint_kind kind) {
  const int ball = sample_add(to->s, FLG_WORLD, kind, flg_pose_identity());
  const double inertia = 0.4 * RADIUS * RADIUS;
  to->s->model.bodies[ball].inertia = flg_sym3_diagonal(inertia);
  to->s->model.joints[ball].axis = (flg_vec3){0, 1, 0};
  add_floor(to);
  add_shape(to, ball, FLG_SHAPE_SPHERE, RADIUS, 1, 1);
}

/* 5/7 of its speed after 2 v/(7 mu g), and from then on */
static void check_rolling(touching_robot *of) {
  const double h = 1e-4, time = 2 * SPEED / (7 * MU * 9.81);
  const flg_link_anchor *ball = &of->robot.robot.anchors[0];
  const int slides = (int)floor(time / h) - 1;
  touching_step(of, h, slides);
  assert_int_equal(touching_report(of).sliding, 1);
  flg_robot_subsystem_refresh(&of->robot, 0);
  flg_spatial velocity = flg_dynamics_frame_velocity(of->robot.dynamics, ball);
  assert_near(velocity.linear.x, SPEED - MU * 9.81 * slides * h, 1e-12);
  touching_step(of, h, 4);
  for (int k = 0; k < 3; k++) {
    touching_step(of, h, 5000);
    assert_int_equal(touching_report(of).sliding, 0);
    assert_int_equal(touching_report(of).closed, 1);
    flg_robot_subsystem_refresh(&of->robot, 0);
    velocity = flg_dynamics_frame_velocity(of->robot.dynamics, ball);
    assert_near(velocity.linear.x, 5. / 7 * SPEED, 1e-12);
    assert_near(velocity.angular.y, 5. / 7 * SPEED / RADIUS, 1e-11);
    assert_near(body_point(of, 0, WEIGHTLESS).z, RADIUS, 1e-12);
    const flg_vec3 force = flg_robot_contact_force(&of->robot, 0);
    assert_near(force.z, 9.81, 1e-9);
    assert_near(force.x, 0, 5e-10);
  }
  touching_drop(of);
}

static void free_ball_slides_and_then_rolls(void **state) {
  (void)state;
  touching_robot *of = touching_new(1, MU, 0, DOWN);
  add_ball(of, FLG_JOINT_FLOATING);
  touching_start(of);
  of->robot.q[2] = RADIUS, of->robot.v[0] = SPEED;
  touching_finish(of);
  check_rolling(of);
}

/* a planar joint about y slides along x and -z (robot.h) */
static void ball_on_a_planar_joint_rolls_alike(void **state) {
  (void)state;
  touching_robot *of = touching_new(1, MU, 0, DOWN);
  add_ball(of, FLG_JOINT_PLANAR);
  touching_start(of);
  of->robot.q[1] = -RADIUS, of->robot.v[0] = SPEED;
  touching_finish(of);
  check_rolling(of);
}

/* --- a pendulum against a wall ------------------------------------------------------------------
 */

static const double TIP[] = {0, 0, -1};

/* the wall stands at x = 0.5 and faces -x; the tip of the rod is at x = -sin q */
static touching_robot *pendulum_at_wall(bool points_on_wall, double restitution) {
  static const double wall_point[] = {0.5, 0, -0.8660254037844386};
  touching_robot *of = touching_new(1, 0, restitution, DOWN);
  const int rod = hang_rod(of, FLG_WORLD, flg_pose_identity());
  if (points_on_wall) { /* the rod's end is a plane across it */
    flg_shape *pad = add_shape(of, rod, FLG_SHAPE_BOX, 0.1, 0.1, 1);
    pad->pose = sample_shift(-0.05, 0, -0.5);
    add_points(of, FLG_WORLD, wall_point, 1);
  } else {
    flg_shape *wall = add_floor(of);
    wall->pose = (flg_pose){flg_mat3_from_axis((flg_vec3){0, 1, 0}, -1, 0), {0.5, 0, 0}};
    add_points(of, rod, TIP, 1);
  }
  touching_start(of);
  of->robot.q[0] = 0.5;
  of->robot.v[0] = -6;
  touching_finish(of);
  return of;
}

static void pendulum_stops_at_a_wall_and_swings_back(void **state) {
  (void)state;
  for (int points = 0; points < 2; points++) {
    touching_robot *of = pendulum_at_wall(points, 0);
    const double far = asin(-0.5);
    double least = 0, at_least = 1;
    for (int k = 0; k < 20000; k++) {
      touching_step(of, 1e-4, 1);
      if (of->robot.q[0] >= least) continue;
      least = of->robot.q[0], at_least = of->robot.v[0];
    }
    assert_near(least, far, 4e-7);
    assert_true(fabs(at_least) < 6);
    assert_true(touching_report(of).switches >= 2);
    touching_drop(of);
  }
}

/* with e = 1 the speed at the wall comes back; the plane meets the tip under an angle, which is
 * the same before and after */
static void pendulum_bounces_with_the_restitution_of_the_pair(void **state) {
  (void)state;
  for (int k = 1; k < 3; k++) {
    const double e = 0.5 * k;
    touching_robot *of = pendulum_at_wall(false, e);
    double before = 0;
    for (int step = 0; step < 20000 && of->robot.v[0] <= 0; step++) {
      if (of->robot.v[0] < 0) before = of->robot.v[0];
      touching_step(of, 1e-5, 1);
    }
    assert_near(of->robot.v[0] / -before, e, 2e-5);
    touching_drop(of);
  }
}

/* --- impulses against a dense solve -------------------------------------------------------------
 */

/* solves A x = b, small and regular, in place */
static void solve(int n, double *A, double *b) {
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      const double factor = A[i + k * n] / A[k + k * n];
      for (int j = k; j < n; j++) A[i + j * n] -= factor * A[k + j * n];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= A[k + j * n] * b[j];
    b[k] /= A[k + k * n];
  }
}

/* [M -J^T; J 0] [v+; L] = [M free; target] */
static void dense_step(int n, const double *M, int rows, const double *J, const double *free,
                       const double *target, double *v, double *L) {
  const int m = n + rows;
  double A[(MOST + 3) * (MOST + 3)] = {0}, b[MOST + 3] = {0};
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) A[i + j * m] = M[i + j * n], b[i] += M[i + j * n] * free[j];
    for (int r = 0; r < rows; r++)
      A[n + r + j * m] = J[r + j * 3], A[j + (n + r) * m] = -J[r + j * 3];
  }
  for (int r = 0; r < rows; r++) b[n + r] = target[r];
  solve(m, A, b);
  memcpy(v, b, (size_t)n * sizeof *v);
  memcpy(L, b + n, (size_t)rows * sizeof *L);
}

/* rows z, x, y of a point on the last link, and by so much under it: contacts push half way between
 * the surfaces */
static void point_jacobian(touching_robot *of, flg_vec3 point, double under, double *J) {
  const int n = of->robot.robot.velocity_count, last = of->s->model.body_count - 1;
  flg_link_anchor anchor = of->robot.robot.anchors[last];
  const flg_pose pose = flg_dynamics_frame_pose(of->robot.dynamics, &anchor);
  flg_vec3 place = flg_pose_apply(&pose, point);
  place.z -= under;
  point = flg_pose_apply_inverse(&pose, place);
  anchor.pose.position = flg_pose_apply(&anchor.pose, point);
  double all[6 * MOST];
  flg_dynamics_frame_jacobian(of->robot.dynamics, &anchor, all);
  for (int j = 0; j < n; j++) {
    J[0 + 3 * j] = all[2 + 6 * j], J[1 + 3 * j] = all[0 + 6 * j], J[2 + 3 * j] = all[1 + 6 * j];
  }
}

/* the seven-joint arm with a point at the end of its tool, over a floor that is `gap` under it */
static touching_robot *pressed_arm(double friction, double gap, const double *tool, bool locked) {
  touching_robot *of = touching_new(1, friction, 0, DOWN);
  flg_shape *const shapes = of->s->model.shapes;
  const flg_surfaces surfaces = of->s->model.surfaces;
  sample_release(of->s);
  of->s = sample_arm();
  of->s->model.shapes = shapes;
  of->s->model.surfaces = surfaces;
  flg_shape *floor = add_floor(of);
  add_points(of, ARM_LINKS - 1, tool, 1);
  touching_start(of);
  for (int k = 0; k < ARM_LINKS; k++) {
    of->robot.q[k] = 0.3 * (k + 1);
  }
  if (locked) of->robot.locked[2] = of->robot.locked[5] = INFINITY;
  flg_robot_subsystem_settle(&of->robot);
  flg_robot_subsystem_refresh(&of->robot, 0);
  const flg_vec3 tip = body_point(of, ARM_LINKS - 1, flg_vec3_load(tool));
  floor->pose = sample_shift(0, 0, tip.z - gap);
  double J[3 * MOST];
  point_jacobian(of, flg_vec3_load(tool), 0, J); /* it moves down, and sideways */
  for (int k = 0; k < ARM_LINKS; k++) of->robot.v[k] = -0.02 * J[3 * k] + 0.003 * (3 - k);
  flg_robot_subsystem_settle(&of->robot);
  touching_finish(of);
  return of;
}

static void check_pressed(double friction, double gap, bool locked) {
  static const double tool[] = {0.05, 0.1, 0.6};
  const double h = 1e-3;
  touching_robot *of = pressed_arm(friction, gap, tool, locked);
  const int n = ARM_LINKS, rows = friction > 0 ? 3 : 1;
  double M[MOST * MOST], J[3 * MOST], free[MOST], a[MOST], zero[MOST] = {0}, v[MOST], L[3];
  flg_dynamics *dynamics = of->robot.dynamics;
  flg_dynamics_forward(dynamics, of->robot.q, of->robot.v, zero, DOWN, NULL, of->robot.locked, a);
  for (int k = 0; k < n; k++) free[k] = of->robot.v[k] + h * a[k];
  flg_dynamics_mass(dynamics, M);
  if (locked) M[2 + 2 * n] += 1e15, M[5 + 5 * n] += 1e15;
  point_jacobian(of, flg_vec3_load(tool), gap / 2, J);
  const double target[3] = {0, 0, 0}; /* it lands, and stops at once */
  dense_step(n, M, rows, J, free, target, v, L);
  assert_true(L[0] > 0); /* it does press */
  touching_step(of, h, 1);
  /* the solver stops at 1e-10 */
  for (int k = 0; k < n; k++) assert_near(of->robot.v[k], v[k], 1e-10 * (1 + fabs(v[k])));
  flg_robot_subsystem_refresh(&of->robot, h);
  const flg_vec3 force = flg_robot_contact_force(&of->robot, n - 1);
  assert_near(force.z * h, L[0], 3.7e-10 * fabs(L[0]));
  if (rows == 3) assert_near(force.x * h, L[1], 2.5e-10 * fabs(L[0]));
  touching_drop(of);
}

static void tool_pressed_on_the_ground_gets_the_impulses_of_a_dense_solve(void **state) {
  (void)state;
  for (int locked = 0; locked < 2; locked++) {
    check_pressed(0, 0, locked);
    check_pressed(0, 1e-5, locked);
    check_pressed(50, 0, locked); /* sticks whatever pulls */
    check_pressed(50, 1e-5, locked);
  }
}

/* --- damping, gears, limits and contacts together -----------------------------------------------
 */

/* A slider geared to another, with a damped one: the row of the contact sees the gear's mass.
 *     masses 1 and 3, z2 = 2 z1: M = 1 + 4 * 3 = 13 on z1; falls at (1 + 2 * 3) g / 13 */
static void geared_sliders_rest_on_the_floor(void **state) {
  (void)state;
  static const double origin[] = {0, 0, 0};
  touching_robot *of = touching_new(2, 0, 0, DOWN);
  const int leader = sample_add(of->s, FLG_WORLD, FLG_JOINT_PRISMATIC, flg_pose_identity());
  const int follower = sample_add(of->s, FLG_WORLD, FLG_JOINT_PRISMATIC, sample_shift(1, 0, 0));
  of->s->model.bodies[follower].mass = 3;
  of->s->model.joints[follower].mimic = (flg_mimic){leader, 2, 0};
  add_floor(of)->pose = sample_shift(0, 0, -0.2);
  add_points(of, follower, origin, 1);
  touching_start(of);
  touching_finish(of);
  const double h = 1e-3, a = 7 * 9.81 / 13;
  touching_step(of, h, 50);
  assert_near(of->robot.v[leader], -50 * h * a, 1e-12);
  touching_step(of, h, 2000);
  assert_near(of->robot.q[follower], -0.2, 1e-12);
  assert_near(of->robot.q[leader], -0.1, 1e-12);
  flg_robot_subsystem_refresh(&of->robot, 0);
  /* the floor carries the follower, and half of the leader through the gear */
  assert_near(flg_robot_contact_force(&of->robot, follower).z, 3.5 * 9.81, 1e-12);
  touching_drop(of);
}

/* A rod that leans on the floor while its joint is at its end: both carry, none moves. */
static void contacts_and_limits_are_closed_together(void **state) {
  (void)state;
  touching_robot *of = touching_new(2, 0, 0, DOWN);
  const int cart = sample_add(of->s, FLG_WORLD, FLG_JOINT_PRISMATIC, sample_shift(0, 0, 2));
  const int rod = hang_rod(of, cart, flg_pose_identity());
  limit(of, rod, 0.5, 1.2);
  add_floor(of);
  add_points(of, rod, TIP, 1);
  touching_start(of);
  of->robot.q[rod] = 1;
  touching_finish(of);
  touching_step(of, 1e-3, 6000);
  assert_near(of->robot.q[rod], 1.2, 1e-10);
  assert_near(of->robot.q[cart], cos(1.2) - 2, 1e-9); /* gaps up to 1e-8 count as closed */
  flg_robot_subsystem_refresh(&of->robot, 0);
  assert_near(flg_robot_contact_force(&of->robot, rod).z, 2 * 9.81, 1e-12);
  touching_drop(of);
}

/* (M + h d) v+ = M v + h f: the damping resists the impulse that stops it, too. Two steps after it
 * landed nothing moves. */
static void damped_slider_lands_on_the_floor(void **state) {
  (void)state;
  static const double origin[] = {0, 0, 0};
  touching_robot *of = touching_new(1, 0, 0, DOWN);
  const int slider = sample_add(of->s, FLG_WORLD, FLG_JOINT_PRISMATIC, flg_pose_identity());
  of->s->model.joints[slider].damping = 5;
  add_floor(of)->pose = sample_shift(0, 0, -0.3);
  add_points(of, slider, origin, 1);
  touching_start(of);
  touching_finish(of);
  touching_step(of, 1e-3, 3000);
  assert_near(of->robot.q[0], -0.3, 1e-13);
  flg_robot_subsystem_refresh(&of->robot, 0);
  assert_near(flg_robot_contact_force(&of->robot, 0).z, 9.81, 1e-9);
  touching_drop(of);
}

/* --- who touches whom ---------------------------------------------------------------------------
 */

/* three balls on one rail: the second sits on the first's slide, the third is free */
static touching_robot *balls_on_a_rail(bool self_collision) {
  touching_robot *of = touching_new(3, 0, 1, WEIGHTLESS);
  of->options.self_collision = self_collision;
  const flg_pose along = {flg_mat3_from_axis((flg_vec3){0, 1, 0}, 1, 0), {0, 0, 0}}; /* z on x */
  for (int k = 0; k < 3; k++) {
    const int body = sample_add(of->s, k == 1 ? 0 : FLG_WORLD, FLG_JOINT_PRISMATIC,
                                k == 1 ? flg_pose_identity() : along);
    add_shape(of, body, FLG_SHAPE_SPHERE, 0.1, 1, 1);
  }
  touching_start(of);
  of->robot.q[1] = 0.05; /* within the first, to which a joint connects it */
  of->robot.q[2] = 1, of->robot.v[2] = -1;
  return of;
}

static void links_touch_each_other_where_they_are_asked_to(void **state) {
  (void)state;
  touching_robot *of = balls_on_a_rail(false);
  touching_finish(of);
  assert_null(of->robot.touch);
  touching_drop(of);
  of = balls_on_a_rail(true);
  touching_finish(of);
  touching_step(of, 1e-3, 1);
  assert_true(of->robot.v[0] == 0 && of->robot.v[1] == 0);
  touching_step(of, 1e-3, 999);
  /* the third met the second: equal masses with e = 1 swap speeds, the first stays */
  assert_near(of->robot.v[2], 0, 1e-12);
  assert_near(of->robot.v[0], 0, 1e-12);
  assert_near(of->robot.v[1], -1, 1e-12);
  touching_drop(of);
}

static void other_integrators_are_refused(void **state) {
  (void)state;
  flg_mistakes mistakes = {0};
  touching_robot *of = touching_new(1, MU, 0, DOWN);
  add_ball(of, FLG_JOINT_FLOATING);
  of->options.integrator.kind = FLG_INTEGRATOR_RK4;
  touching_start(of);
  assert_int_equal(flg_robot_contacts_build(&of->robot, NULL, &mistakes), FLG_ERR_INPUT);
  assert_int_equal(mistakes.count, 1);
  assert_string_equal(mistakes.list[0].message,
                      "'b0' can touch the ground, and contacts need 'integrator: leapfrog' or "
                      "'semi-implicit'; "
                      "write that, or let their shapes not collide");
  touching_drop(of);
}

static void shapes_that_touch_nothing_change_no_bit(void **state) {
  (void)state;
  double ends[2][2];
  for (int shapes = 0; shapes < 2; shapes++) {
    touching_robot *of = touching_new(2, MU, 0, DOWN);
    const int upper = hang_rod(of, FLG_WORLD, flg_pose_identity());
    const int lower = hang_rod(of, upper, sample_shift(0, 0, -1));
    if (shapes) {
      add_floor(of)->pose = sample_shift(0, 0, -5);
      add_points(of, lower, TIP, 1);
    }
    touching_start(of);
    of->robot.q[0] = 1, of->robot.v[1] = 2;
    touching_finish(of);
    assert_true((of->robot.touch != NULL) == shapes);
    touching_step(of, 1e-3, 2000);
    memcpy(ends[shapes], of->robot.q, sizeof ends[shapes]);
    touching_drop(of);
  }
  assert_memory_equal(ends[0], ends[1], sizeof ends[0]);
}

/* The ground of a model goes where the model is placed. */
static void ground_moves_with_its_model(void **state) {
  (void)state;
  touching_robot *of = touching_new(1, MU, 0, DOWN);
  add_ball(of, FLG_JOINT_FLOATING);
  touching_start(of);
  const flg_pose pose = sample_shift(1, 2, 3);
  flg_robot_subsystem_place(&of->robot, &pose);
  of->robot.q[2] = RADIUS + 0.1;
  touching_finish(of);
  touching_step(of, 1e-3, 2000);
  flg_robot_subsystem_refresh(&of->robot, 0);
  assert_near(body_point(of, 0, WEIGHTLESS).z, 3 + RADIUS, 1e-12);
  touching_drop(of);
}

/* --- what joints hold ---------------------------------------------------------------------------
 */

/* An arm in a horizontal plane, its hinges upside down in turn; a capsule on it reaches to 0.02 m
 * under it. */
static touching_robot *plane_arm(double floor, double restitution) {
  touching_robot *of = touching_new(2, 0, restitution, DOWN);
  flg_pose over = flg_pose_identity();
  over.rotation = flg_mat3_from_roll_pitch_yaw((double[3]){PI, 0, .7}); /* sin(PI): 1.2e-16 */
  for (int k = 0; k < 2; k++) {
    over.position = (flg_vec3){.5 * k, .1 * k, 0};
    const int body = sample_add(of->s, k - 1, FLG_JOINT_REVOLUTE, over);
    of->s->model.joints[body].axis = (flg_vec3){0, 0, 1};
    of->s->model.bodies[body].centre = (flg_vec3){.2, .01, .02};
    of->s->model.bodies[body].inertia = (flg_sym3){.25, .2, .3, .01, .02, .03};
  }
  flg_shape *shape = add_shape(of, 0, FLG_SHAPE_CAPSULE, .02, .2, 1);
  shape->pose.rotation = flg_mat3_from_axis((flg_vec3){0, 1, 0}, 1, 0);
  shape->pose.position = (flg_vec3){.3, .1, 0};
  add_floor(of)->pose = sample_shift(0, 0, floor);
  touching_start(of);
  of->robot.v[0] = 1, of->robot.v[1] = -.5;
  touching_finish(of);
  return of;
}

/* Hinges hold what a floor pushes: without friction it does nothing, touched, hit or overlapped.
 * What normals yield is rounding. */
static void arm_in_a_plane_slides_as_if_there_were_no_floor(void **state) {
  (void)state;
  static const double floors[] = {-.02, -.02 + 1e-9, -.01};
  double alone[4];
  for (int k = 0; k < 7; k++) {
    touching_robot *of = plane_arm(k == 0 ? -1 : floors[k % 3], k > 3 ? .5 : 0);
    touching_step(of, 1e-3, 200);
    if (k > 0) assert_true(touching_report(of).found > 0);
    for (int i = 0; i < 2; i++) {
      if (k == 0) alone[i] = of->robot.q[i], alone[2 + i] = of->robot.v[i];
      assert_near(of->robot.q[i], alone[i], 1e-15);
      assert_near(of->robot.v[i], alone[2 + i], 1e-15);
    }
    assert_int_equal(touching_report(of).unsolved, 0);
    touching_drop(of);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_ball_slides_and_then_rolls),
      cmocka_unit_test(ball_on_a_planar_joint_rolls_alike),
      cmocka_unit_test(pendulum_stops_at_a_wall_and_swings_back),
      cmocka_unit_test(pendulum_bounces_with_the_restitution_of_the_pair),
      cmocka_unit_test(tool_pressed_on_the_ground_gets_the_impulses_of_a_dense_solve),
      cmocka_unit_test(geared_sliders_rest_on_the_floor),
      cmocka_unit_test(contacts_and_limits_are_closed_together),
      cmocka_unit_test(damped_slider_lands_on_the_floor),
      cmocka_unit_test(links_touch_each_other_where_they_are_asked_to),
      cmocka_unit_test(other_integrators_are_refused),
      cmocka_unit_test(shapes_that_touch_nothing_change_no_bit),
      cmocka_unit_test(ground_moves_with_its_model),
      cmocka_unit_test(arm_in_a_plane_slides_as_if_there_were_no_floor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
