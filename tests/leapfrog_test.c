/* The leapfrog of robots: order 2, energy as work says over long runs, with damping, friction,
 * contacts and limits. */
#include "random_tree.h"
#include "touching_robot.h"

enum { COORDINATES = 400 };

/* A robot of a sample that steps by an integrator. */
typedef struct runner {
  sample *s;
  flg_robot_subsystem robot;
} runner;

static double mass_of(const flg_robot *robot) {
  double mass = 0;
  for (int k = 0; k < robot->link_count; k++) mass += robot->links[k].inertia.mass;
  return mass;
}

static runner *runner_new(sample *s, flg_integrator_kind kind, flg_vec3 gravity) {
  runner *made = calloc(1, sizeof *made);
  assert_non_null(made);
  made->s = s;
  flg_mistakes mistakes = {0};
  flg_error error = {0};
  flg_robot_options options = {
      .name = "r", .integrator = flg_integrator_default(), .gravity = gravity};
  options.integrator.kind = kind;
  flg_robot_subsystem_build(&made->robot, &s->model, &options, &mistakes);
  if (mistakes.count > 0) fail_msg("%s", mistakes.list[0].message);
  assert_int_equal(flg_robot_subsystem_equip(&made->robot, NULL, 0, NULL, 0, &error), FLG_OK);
  return made;
}

static void runner_drop(runner *of) {
  flg_robot_subsystem_release(&of->robot);
  free(of);
}

static void set_off(runner *of, const double *q, const double *v) {
  if (q != NULL) memcpy(of->robot.q, q, (size_t)of->robot.robot.position_count * sizeof *q);
  memcpy(of->robot.v, v, (size_t)of->robot.robot.velocity_count * sizeof *v);
  flg_robot_subsystem_settle(&of->robot);
}

static void go(runner *of, double h, int steps) {
  flg_error error = {0};
  assert_int_equal(flg_robot_subsystem_advance(&of->robot, 0, h, 0, steps, &error), FLG_OK);
}

static double energy_of(runner *of) {
  flg_robot_subsystem_refresh(&of->robot, 0);
  return flg_robot_subsystem_energy(&of->robot);
}

/* --- order --------------------------------------------------------------------------------------
 */

/* where it ends: positions and velocities */
static int end_of(sample *s, flg_integrator_kind kind, const double *q, const double *v, double h,
                  int steps, double *to) {
  runner *of = runner_new(s, kind, DOWN);
  const int nq = of->robot.robot.position_count, nv = of->robot.robot.velocity_count;
  set_off(of, q, v);
  go(of, h, steps);
  memcpy(to, of->robot.q, (size_t)nq * sizeof *to);
  memcpy(to + nq, of->robot.v, (size_t)nv * sizeof *to);
  runner_drop(of);
  return nq + nv;
}

static double order_of(sample *s, const double *q, const double *v, int steps, double time) {
  double exact[COORDINATES], coarse[COORDINATES], fine[COORDINATES];
  const int n = end_of(s, FLG_INTEGRATOR_RK4, q, v, time / (8 * steps), 8 * steps, exact);
  end_of(s, FLG_INTEGRATOR_LEAPFROG, q, v, time / steps, steps, coarse);
  end_of(s, FLG_INTEGRATOR_LEAPFROG, q, v, time / (2 * steps), 2 * steps, fine);
  const double first = max_difference(coarse, exact, n), second = max_difference(fine, exact, n);
  print_message("off by %.2g, %.2g: order %.2f\n", first, second, log2(first / second));
  return log2(first / second);
}

/* ball, floating, universal, screw and all others, any axes; some of them damped */
static void trees_of_all_joints_converge_with_order_two(void **state) {
  (void)state;
  random_source source = {11};
  for (int k = 0; k < 12; k++) {
    scene x = random_moving_scene(&source);
    for (int i = 0; i < x.s->model.joint_count; i += 2) x.s->model.joints[i].damping = 0.3;
    assert_near(order_of(x.s, x.q, x.v, 800, 0.1), 2, 5e-2);
    sample_release(x.s);
  }
}

/* --- energy -------------------------------------------------------------------------------------
 */

/* largest deviation from the start, of steps that are looked at now and then */
static double drift_of(runner *of, double h, int looks, int steps) {
  const double start = energy_of(of);
  double worst = 0;
  for (int k = 0; k < looks; k++) {
    go(of, h, steps);
    worst = flg_larger(worst, fabs(energy_of(of) - start));
  }
  return worst;
}

static sample *heavy_top(void) {
  sample *s = sample_build(1);
  sample_add(s, FLG_WORLD, FLG_JOINT_BALL, flg_pose_identity());
  s->model.bodies[0].mass = 15;
  s->model.bodies[0].centre = (flg_vec3){0, 1, 0};
  s->model.bodies[0].inertia = (flg_sym3){.234375, .46875, .234375, 0, 0, 0};
  sample_finish(s);
  return s;
}

/* It tripled within 0.2 s. */
static void heavy_top_keeps_its_energy(void **state) {
  (void)state;
  const double v[3] = {0, 150, -4.61538}, steps[] = {1. / 500, 1. / 1000, 1. / 1730};
  for (int k = 0; k < 3; k++) {
    sample *s = heavy_top();
    runner *of = runner_new(s, FLG_INTEGRATOR_LEAPFROG, DOWN);
    set_off(of, NULL, v);
    const double drift = drift_of(of, steps[k], 400, 37);
    print_message("heavy top, %.0f Hz: off by %.2g of 5436 J\n", 1 / steps[k], drift);
    assert_true(drift < 5e-5 * 5436);
    assert_true(drift_of(of, steps[k], 100, 4) < 1e-10 * 5436); /* where it is balanced */
    runner_drop(of), sample_release(s);
  }
}

static void heavy_top_converges_with_order_two(void **state) {
  (void)state;
  const double v[3] = {0, 150, -4.61538};
  sample *s = heavy_top();
  double q[4] = {1, 0, 0, 0};
  assert_near(order_of(s, q, v, 800, 0.2), 2, 1e-2);
  sample_release(s);
}

/* ball and revolute joints on a base that floats */
static sample *floating_tree(random_source *source, int bodies) {
  static const flg_joint_kind kinds[] = {FLG_JOINT_CONTINUOUS, FLG_JOINT_BALL};
  sample *s = sample_build(bodies);
  for (int i = 0; i < bodies; i++) {
    const flg_joint_kind kind = i == 0 ? FLG_JOINT_FLOATING : kinds[random_integer(source, 0, 1)];
    const int parent = i == 0 ? FLG_WORLD : random_integer(source, i > 4 ? i - 4 : 0, i - 1);
    sample_add(s, parent, kind, random_pose(source));
    s->model.joints[i].axis = random_direction(source);
    random_body(source, &s->model.bodies[i]);
  }
  sample_finish(s);
  return s;
}

/* A tree of 20 gained 9.5 %. Also in a frame that moves, and while it falls. */
static void floating_trees_keep_energy_and_momentum(void **state) {
  (void)state;
  static const int sizes[] = {1, 2, 5, 20, 50};
  random_source source = {5};
  for (int k = 0; k < 5; k++) {
    sample *s = floating_tree(&source, sizes[k]);
    const flg_vec3 gravity = k % 2 ? DOWN : WEIGHTLESS;
    runner *of = runner_new(s, FLG_INTEGRATOR_LEAPFROG, gravity);
    double v[COORDINATES];
    random_numbers(&source, 2, v, of->robot.robot.velocity_count);
    v[0] += 10 * (k % 3);
    set_off(of, NULL, v);
    const double start = energy_of(of), mass = mass_of(&of->robot.robot);
    const flg_vec3 before = flg_dynamics_momentum(of->robot.dynamics).linear;
    const double drift = drift_of(of, 1e-3, 30, 64);
    const double size = fabs(start) + flg_dynamics_kinetic_energy(of->robot.dynamics);
    const flg_vec3 after = flg_dynamics_momentum(of->robot.dynamics).linear;
    const flg_vec3 fallen = flg_vec3_add_scaled(before, 1.92 * mass, gravity);
    const double lost = flg_vec3_norm(flg_vec3_subtract(after, fallen));
    print_message("tree of %d: energy off by %.2g of %.3g, momentum by %.2g of %.3g\n", sizes[k],
                  drift, size, lost, sqrt(2 * mass * size));
    assert_true(drift < 1e-12 * size);
    assert_true(lost < 1e-13 * sqrt(2 * mass * size));
    runner_drop(of), sample_release(s);
  }
}

/* about the axis that is not stable; the angular momentum follows from equations alone */
static void tumbling_body_keeps_its_spin(void **state) {
  (void)state;
  sample *s = sample_build(1);
  sample_add(s, FLG_WORLD, FLG_JOINT_FLOATING, flg_pose_identity());
  s->model.bodies[0].inertia = (flg_sym3){0.1, 0.2, 0.3, 0, 0, 0};
  sample_finish(s);
  runner *of = runner_new(s, FLG_INTEGRATOR_LEAPFROG, WEIGHTLESS);
  const double v[6] = {1, 2, 3, 0.01, 10, 0.02};
  set_off(of, NULL, v);
  assert_true(drift_of(of, 1e-3, 100, 200) < 1e-11);
  const flg_vec3 spin =
      flg_vec3_subtract(flg_dynamics_momentum(of->robot.dynamics).angular,
                        flg_vec3_cross(flg_vec3_load(of->robot.q), (flg_vec3){1, 2, 3}));
  assert_near(spin.x, 0.001, 1e-5);
  assert_near(spin.y, 2, 2e-8);
  assert_near(spin.z, 0.006, 1e-5);
  runner_drop(of), sample_release(s);
}

/* joints that follow others, across two trees: energy passes between them */
static void geared_trees_keep_their_energy(void **state) {
  (void)state;
  sample *s = sample_build(3);
  for (int k = 0; k < 3; k++) {
    sample_add(s, k == 2 ? 1 : FLG_WORLD, FLG_JOINT_CONTINUOUS, sample_shift(k, 0, 0));
    s->model.joints[k].axis = (flg_vec3){0, 1, 0};
    s->model.bodies[k].centre = (flg_vec3){0.3, 0, 0.1};
  }
  s->model.joints[1].mimic = (flg_mimic){0, -2, 0};
  sample_finish(s);
  runner *of = runner_new(s, FLG_INTEGRATOR_LEAPFROG, DOWN);
  const double v[3] = {3, -6, 5};
  set_off(of, NULL, v);
  assert_true(drift_of(of, 1e-3, 100, 40) < 1e-10);
  assert_near(of->robot.v[1], -2 * of->robot.v[0], 1e-12);
  runner_drop(of), sample_release(s);
}

/* of constant forces, damping and all: what the arm has is what it was given */
static void energy_follows_work(void **state) {
  (void)state;
  sample *s = sample_arm();
  runner *of = runner_new(s, FLG_INTEGRATOR_LEAPFROG, DOWN);
  double v[ARM_LINKS], q[ARM_LINKS], force[ARM_LINKS];
  for (int k = 0; k < ARM_LINKS; k++) v[k] = 0.2 * (3 - k), force[k] = 100 * (k - 2);
  set_off(of, NULL, v);
  of->robot.applied = force;
  const double start = energy_of(of);
  memcpy(q, of->robot.q, sizeof q);
  go(of, 1e-3, 2000);
  double work = 0;
  for (int k = 0; k < ARM_LINKS; k++) work += force[k] * (of->robot.q[k] - q[k]);
  print_message("work %.6g J\n", work);
  assert_near(energy_of(of) - start, work, 2e-14 * fabs(work));
  runner_drop(of), sample_release(s);
}

/* --- what resists -------------------------------------------------------------------------------
 */

static runner *slider(sample *s, double damping, double friction, double speed) {
  sample_add(s, FLG_WORLD, FLG_JOINT_PRISMATIC, flg_pose_identity());
  s->model.bodies[0].mass = 2;
  s->model.joints[0].damping = damping, s->model.joints[0].friction = friction;
  sample_finish(s);
  runner *of = runner_new(s, FLG_INTEGRATOR_LEAPFROG, WEIGHTLESS);
  set_off(of, NULL, &speed);
  return of;
}

static double damped_speed(double damping, double h, int steps) {
  sample *s = sample_build(1);
  runner *of = slider(s, damping, 0, 1);
  go(of, h, steps);
  const double v = of->robot.v[0];
  runner_drop(of), sample_release(s);
  return v;
}

static void damping_is_of_order_two_and_never_turns_around(void **state) {
  (void)state;
  const double exact = exp(-1), coarse = damped_speed(4, 1e-2, 50) - exact,
               fine = damped_speed(4, 5e-3, 100) - exact;
  print_message("damped speed off by %.2g, %.2g\n", coarse, fine);
  assert_true(fabs(coarse) < 1e-4);
  assert_near(log2(coarse / fine), 2, 0.1);
  double last = 1;
  for (double c = 1; c < 1e12; c *= 10) {
    const double v = damped_speed(c, 1e-3, 1);
    assert_true(v >= 0 && v < last);
    last = v;
  }
  assert_true(last < 1e-9);
}

/* m v^2/(2 F), whatever the step */
static void friction_brakes_where_it_should(void **state) {
  (void)state;
  const double exact = 2 * 1.5 * 1.5 / (2 * 3.);
  for (int k = 0; k < 3; k++) {
    sample *s = sample_build(1);
    runner *of = slider(s, 0, 3, 1.5);
    const double h = 1e-3 / (1 << k);
    go(of, h, 2000 << k);
    print_message("braked after %.9f m, %.2g off\n", of->robot.q[0], of->robot.q[0] - exact);
    assert_near(of->robot.q[0], exact, 1e-13);
    assert_true(fabs(of->robot.v[0]) < 1e-6);
    runner_drop(of), sample_release(s);
  }
}

/* --- contacts and limits ------------------------------------------------------------------------
 */

static const double RADIUS = 0.2;

static touching_robot *ball_over_floor(double height, double friction, double restitution) {
  touching_robot *of = touching_new(1, friction, restitution, DOWN);
  of->options.integrator.kind = FLG_INTEGRATOR_LEAPFROG;
  sample_add(of->s, FLG_WORLD, FLG_JOINT_FLOATING, flg_pose_identity());
  of->s->model.bodies[0].inertia = flg_sym3_diagonal(0.4 * RADIUS * RADIUS);
  add_floor(of);
  add_shape(of, 0, FLG_SHAPE_SPHERE, RADIUS, 1, 1);
  touching_start(of);
  of->robot.q[2] = RADIUS + height;
  return of;
}

static void ball_at_rest_stays_at_rest(void **state) {
  (void)state;
  touching_robot *of = ball_over_floor(0, 0.5, 0.5);
  touching_finish(of);
  touching_step(of, 1e-3, 1000);
  assert_true(of->robot.q[2] == RADIUS);
  for (int k = 0; k < 6; k++) assert_near(of->robot.v[k], 0, 1e-15);
  flg_robot_subsystem_refresh(&of->robot, 0);
  assert_near(flg_robot_contact_force(&of->robot, 0).z, 9.81, 1e-9);
  touching_drop(of);
}

/* Parabolas are exact; hits with e = 1 may lose by the rules of contact_law.h, and never gain. */
static void ball_bounces_without_gain(void **state) {
  (void)state;
  static const double steps[] = {1e-3, 1.3e-3, 7e-4};
  for (int k = 0; k < 3; k++) {
    touching_robot *of = ball_over_floor(1, 0, 1);
    touching_finish(of);
    const double start = touching_energy(of);
    double most = 0, least = INFINITY, highest = 0;
    for (int i = 0; i < 4000; i++) {
      touching_step(of, steps[k], 1);
      const double energy = touching_energy(of);
      most = flg_larger(most, energy), least = flg_smaller(least, energy);
      if (i > 2000) highest = flg_larger(highest, of->robot.q[2]);
    }
    print_message("energy %.12g: %.3g .. %.3g; height %.6f\n", start, least - start, most - start,
                  highest);
    assert_true(most <= start * (1 + 1e-12));
    assert_true(least > 0.97 * start && highest > RADIUS + 0.95);
    touching_drop(of);
  }
}

/* slides, rolls after 2 v/(7 mu g), and goes on with 5/7 of its speed */
static void ball_slides_and_rolls_as_it_should(void **state) {
  (void)state;
  const double mu = 0.3, speed = 2, time = 2 * speed / (7 * mu * 9.81);
  touching_robot *of = ball_over_floor(0, mu, 0);
  of->robot.v[0] = speed;
  touching_finish(of);
  const int slides = (int)floor(time / 1e-3) - 1;
  touching_step(of, 1e-3, slides);
  const double t = slides * 1e-3;
  assert_near(of->robot.v[0], speed - mu * 9.81 * t, 1e-11);
  assert_near(of->robot.q[0], speed * t - 0.5 * mu * 9.81 * t * t, 1e-13); /* of order 2: exact */
  touching_step(of, 1e-3, 2000);
  assert_near(of->robot.v[0], 5. / 7 * speed, 1e-11);
  assert_near(of->robot.q[2], RADIUS, 1e-12);
  touching_drop(of);
}

/* a rod that falls on its end again and again: no energy comes of it, and in the end it rests */
static void rod_falls_on_its_limit(void **state) {
  (void)state;
  touching_robot *of = touching_new(1, 0, 0, DOWN);
  of->options.integrator.kind = FLG_INTEGRATOR_LEAPFROG;
  hang_rod(of, FLG_WORLD, flg_pose_identity());
  of->s->model.joints[0].lower = 0.25, of->s->model.joints[0].upper = 3;
  touching_start(of);
  of->robot.q[0] = 1;
  touching_finish(of);
  double before = touching_energy(of), fastest = 0;
  for (int k = 0; k < 2000; k++) {
    touching_step(of, 1e-3, 1);
    const double energy = touching_energy(of);
    assert_true(energy <= before + 1e-6);
    fastest = flg_larger(fastest, fabs(of->robot.v[0])), before = energy;
    assert_true(of->robot.q[0] >= 0.25 - 1e-12);
  }
  const double speed = sqrt(3 * 9.81 * (cos(0.25) - cos(1)));
  assert_near(fastest, speed, 0.005 * speed);
  assert_near(of->robot.q[0], 0.25, 1e-12);
  assert_near(of->robot.v[0], 0, 1e-12);
  touching_drop(of);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_of_all_joints_converge_with_order_two),
      cmocka_unit_test(heavy_top_keeps_its_energy),
      cmocka_unit_test(heavy_top_converges_with_order_two),
      cmocka_unit_test(floating_trees_keep_energy_and_momentum),
      cmocka_unit_test(tumbling_body_keeps_its_spin),
      cmocka_unit_test(geared_trees_keep_their_energy),
      cmocka_unit_test(energy_follows_work),
      cmocka_unit_test(damping_is_of_order_two_and_never_turns_around),
      cmocka_unit_test(friction_brakes_where_it_should),
      cmocka_unit_test(ball_at_rest_stays_at_rest),
      cmocka_unit_test(ball_bounces_without_gain),
      cmocka_unit_test(ball_slides_and_rolls_as_it_should),
      cmocka_unit_test(rod_falls_on_its_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
