/* Robots that touch move as the same bodies, joined by joints, do in an assembly. */
#include "twins.h"

#include "touching_robot.h"

enum { MOST_SHAPES = 8 };

/* the robot as it is now, as bodies with the same shapes */
typedef struct twin_pair {
  touching_robot *of;
  parts *p;
  flg_shape shapes[MOST_SHAPES];
  flg_assembly *assembly;
  int first;
} twin_pair;

static void make_twin(twin_pair *pair, touching_robot *of) {
  const flg_model *model = &of->s->model;
  flg_robot_subsystem_refresh(&of->robot, 0);
  pair->of = of;
  pair->p = parts_new(model->body_count);
  pair->first = add_twin(pair->p, &of->robot);
  for (int k = 0; k < model->shape_count; k++) {
    pair->shapes[k] = model->shapes[k];
    if (pair->shapes[k].body != FLG_WORLD) pair->shapes[k].body += pair->first;
  }
  pair->p->component.shapes = pair->shapes;
  pair->p->component.shape_count = model->shape_count;
  pair->p->component.surfaces = model->surfaces;
  flg_assembly_options options = flg_assembly_default();
  options.scheme = FLG_SCHEME_SEMI_IMPLICIT;
  options.gravity = of->options.gravity;
  pair->assembly = assemble(pair->p, &options);
}

static void drop_twin(twin_pair *pair) {
  flg_assembly_release(pair->assembly);
  parts_drop(pair->p);
  touching_drop(pair->of);
}

/* largest difference on the way */
static double run_both(twin_pair *pair, double h, int steps) {
  double most = 0;
  for (int k = 0; k < steps; k++) {
    touching_step(pair->of, h, 1);
    assert_int_equal(flg_assembly_advance(pair->assembly, 0, h, k, 1), FLG_OK);
    if (k % 10 != 0) continue;
    flg_robot_subsystem_refresh(&pair->of->robot, 0);
    flg_assembly_refresh(pair->assembly, 0);
    most = flg_larger(most, twin_difference(&pair->of->robot, pair->assembly, pair->first));
  }
  return most;
}

/* --- the same steps ----------------------------------------------------------------------------
 * Where nothing turns about changing axes, both schemes do the same sums. */

static void ball_rolls_as_a_free_body(void **state) {
  (void)state;
  touching_robot *of = touching_new(1, 0.3, 0.5, DOWN);
  const int ball = sample_add(of->s, FLG_WORLD, FLG_JOINT_FLOATING, flg_pose_identity());
  of->s->model.bodies[ball].inertia = flg_sym3_diagonal(0.016);
  add_floor(of);
  add_shape(of, ball, FLG_SHAPE_SPHERE, 0.2, 1, 1);
  touching_start(of);
  of->robot.q[2] = 0.5, of->robot.v[0] = 2;
  touching_finish(of);
  twin_pair pair;
  make_twin(&pair, of);
  assert_true(run_both(&pair, 1e-3, 3000) < 1e-9);
  drop_twin(&pair);
}

/* a carriage on a rail that carries a second one downwards, onto the floor, with friction */
static void carriages_land_and_brake_as_bodies_on_slides(void **state) {
  (void)state;
  static const double foot[] = {0, 0, 0, 0.2, 0, 0};
  touching_robot *of = touching_new(2, 0.4, 0, DOWN);
  const flg_pose along = {flg_mat3_from_axis((flg_vec3){0, 1, 0}, 1, 0), {0, 0, 1}}; /* z on x */
  const flg_pose up = {flg_mat3_from_axis((flg_vec3){0, 1, 0}, -1, 0), {0, 0, 0}};
  const int cart = sample_add(of->s, FLG_WORLD, FLG_JOINT_PRISMATIC, along);
  const int leg = sample_add(of->s, cart, FLG_JOINT_PRISMATIC, up);
  of->s->model.bodies[cart].mass = 2;
  add_floor(of);
  add_points(of, leg, foot, 2);
  touching_start(of);
  of->robot.v[0] = 3;
  touching_finish(of);
  twin_pair pair;
  make_twin(&pair, of);
  const double difference = run_both(&pair, 1e-3, 3000);
  print_message("carriages differ by %.2g\n", difference);
  assert_true(difference < 1e-9);
  assert_near(of->robot.v[0], 0, 1e-12); /* it came to rest */
  drop_twin(&pair);
}

/* --- the same motion ---------------------------------------------------------------------------
 * Joint coordinates and those of bodies make different errors, of order h. */

static double pendulums_apart(double h) {
  static const double tip[] = {0, 0, -1};
  touching_robot *of = touching_new(2, 0.2, 0, DOWN);
  const int upper = hang_rod(of, FLG_WORLD, flg_pose_identity());
  const int lower = hang_rod(of, upper, sample_shift(0, 0, -1));
  add_floor(of)->pose = sample_shift(0, 0, -1.6);
  add_points(of, lower, tip, 1);
  touching_start(of);
  of->robot.q[0] = 1.2, of->robot.q[1] = -0.6;
  touching_finish(of);
  twin_pair pair;
  make_twin(&pair, of);
  run_both(&pair, h, (int)lround(0.8 / h));
  flg_robot_subsystem_refresh(&of->robot, 0);
  flg_assembly_refresh(pair.assembly, 0);
  const double apart = twin_difference(&of->robot, pair.assembly, pair.first);
  assert_true(touching_report(of).switches > 0);
  drop_twin(&pair);
  return apart;
}

static void double_pendulum_drags_over_the_floor_as_bodies_on_hinges(void **state) {
  (void)state;
  const double coarse = pendulums_apart(4e-4), fine = pendulums_apart(1e-4);
  print_message("pendulums differ by %.2g, %.2g\n", coarse, fine);
  assert_true(fine < 2e-3);
  assert_true(coarse / fine > 2.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ball_rolls_as_a_free_body),
      cmocka_unit_test(carriages_land_and_brake_as_bodies_on_slides),
      cmocka_unit_test(double_pendulum_drags_over_the_floor_as_bodies_on_hinges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
