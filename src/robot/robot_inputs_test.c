/* What a program writes into a robot: efforts that add up, targets of which the last counts,
 * wrenches on bodies. */
#include "robot/robot_inputs.h"

#include "check.h"
#include "robot/robot_forces.h"
#include "sample.h"

static const double PERIOD = 0.1;

typedef struct world {
  sample *s;
  flg_robot_subsystem robot;
  flg_controller controllers[2];
  int position[1], velocity[1];
  double gain[1], time[1], value[1];
} world;

/* a ball joint in the world, and a hinge about z at (1, 0, 0) of its body */
static world *world_new(void) {
  world *made = calloc(1, sizeof *made);
  assert_non_null(made);
  made->s = sample_build(2);
  sample_add(made->s, FLG_WORLD, FLG_JOINT_BALL, flg_pose_identity());
  sample_add(made->s, 0, FLG_JOINT_REVOLUTE, sample_shift(1, 0, 0));
  const flg_robot_options options = {.name = "arm", .integrator = flg_integrator_default()};
  flg_mistakes mistakes = {0};
  flg_error error = {.status = FLG_OK};
  assert_int_equal(flg_robot_subsystem_build(&made->robot, &made->s->model, &options, &mistakes),
                   FLG_OK);
  const flg_link *hinge = &made->robot.robot.links[made->robot.robot.joint_links[1]];
  made->position[0] = hinge->position, made->velocity[0] = hinge->velocity;
  made->gain[0] = 3, made->value[0] = 0.5;
  for (int k = 0; k < 2; k++) {
    made->controllers[k] =
        (flg_controller){.name = k ? "table" : "holds",
                         .kind = k ? FLG_CONTROLLER_TABLE : FLG_CONTROLLER_PD,
                         .enabled = true,
                         .sample = k ? 0 : PERIOD,
                         .count = 1,
                         .positions = made->position,
                         .velocities = made->velocity,
                         .curve = {FLG_CURVE_HELD, 1, 1, made->time, made->value, NULL},
                         .stiffness = made->gain,
                         .damping = made->gain};
  }
  assert_int_equal(flg_robot_subsystem_equip(&made->robot, made->controllers, 2, NULL, 0, &error),
                   FLG_OK);
  return made;
}

static void world_drop(world *of) {
  flg_robot_subsystem_release(&of->robot);
  sample_release(of->s);
  free(of);
}

static int open_input(world *of, flg_input_kind kind, const char *path, int expected_width) {
  int number = -1, width = -1;
  flg_error error = {.status = FLG_OK};
  assert_int_equal(flg_robot_open_input(&of->robot, kind, path, &number, &width, &error), FLG_OK);
  assert_int_equal(width, expected_width);
  return number;
}

static void efforts_on_one_joint_add_up(void **state) {
  (void)state;
  world *of = world_new();
  assert_null(flg_robot_efforts(&of->robot)); /* none was opened */
  const int ball = open_input(of, FLG_INPUT_EFFORT, "j0", 3);
  const int again = open_input(of, FLG_INPUT_EFFORT, "j0", 3);
  const int hinge = open_input(of, FLG_INPUT_EFFORT, "j1", 1);
  const int aim = open_input(of, FLG_INPUT_TARGET, "holds", 1);
  const double first[3] = {1, 2, 4}, second[3] = {8, 16, 32}, third[1] = {64}, away[1] = {128};
  const struct step {
    int number;
    const double *values;
    double sum[4];
  } steps[] = {{ball, first, {1, 2, 4, 0}},      {hinge, third, {1, 2, 4, 64}},
               {again, second, {9, 18, 36, 64}}, {aim, away, {9, 18, 36, 64}},
               {ball, NULL, {8, 16, 32, 64}},    {hinge, first, {8, 16, 32, 1}},
               {again, NULL, {0, 0, 0, 1}},      {hinge, NULL, {0}}};
  for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
    flg_robot_write_input(&of->robot, steps[k].number, 0, steps[k].values);
    const double *sum = flg_robot_efforts(&of->robot);
    for (int i = 0; i < 4; i++) assert_true(sum[i] == steps[k].sum[i]);
  }
  world_drop(of);
}

/* they accelerate it like forces of the same size: M a = f from rest, without gravity */
static void efforts_accelerate(void **state) {
  (void)state;
  world *of = world_new();
  const int hinge = open_input(of, FLG_INPUT_EFFORT, "j1", 1);
  const double force[1] = {2};
  double a[4];
  for (int k = 0; k < 2; k++) flg_robot_subsystem_enable_controller(&of->robot, k, false);
  flg_robot_write_input(&of->robot, hinge, 0, force);
  flg_robot_acceleration(&of->robot, 0, of->robot.q, of->robot.v, of->robot.v, a);
  /* both about z: the first body with the mass of the second at 1 m, the second alone */
  assert_near(a[2], -force[0] / 2, 1e-14);
  assert_near(a[2] + a[3], force[0], 1e-14);
  world_drop(of);
}

static void the_target_that_was_opened_last_counts(void **state) {
  (void)state;
  world *of = world_new();
  const int first = open_input(of, FLG_INPUT_TARGET, "holds", 1);
  const int last = open_input(of, FLG_INPUT_TARGET, "holds", 1);
  const int ball = open_input(of, FLG_INPUT_EFFORT, "j0", 3);
  const double one[3] = {1, 1, 1}, two[1] = {2};
  flg_controller made;
  assert_ptr_equal(flg_robot_aimed(&of->robot, 0, &made), &of->controllers[0]);
  flg_robot_write_input(&of->robot, ball, 0, one);
  assert_ptr_equal(flg_robot_aimed(&of->robot, 0, &made), &of->controllers[0]);
  flg_robot_write_input(&of->robot, first, 0, one);
  const flg_controller *aimed = flg_robot_aimed(&of->robot, 0, &made);
  assert_true(aimed->curve.values[0] == 1 && aimed->curve.knots == 1 && aimed->curve.width == 1);
  assert_true(aimed->stiffness == of->gain && aimed->kind == FLG_CONTROLLER_PD);
  flg_robot_write_input(&of->robot, last, 0, two);
  assert_true(flg_robot_aimed(&of->robot, 0, &made)->curve.values[0] == 2);
  assert_ptr_equal(flg_robot_aimed(&of->robot, 1, &made), &of->controllers[1]);
  flg_robot_write_input(&of->robot, last, 0, NULL);
  assert_true(flg_robot_aimed(&of->robot, 0, &made)->curve.values[0] == 1);
  flg_robot_write_input(&of->robot, first, 0, NULL);
  assert_ptr_equal(flg_robot_aimed(&of->robot, 0, &made), &of->controllers[0]);
  world_drop(of);
}

/* the sample of this very time is taken again with the new target, an older one stays until the
 * next is due */
static void a_target_is_sampled_at_once_where_a_sample_is_due(void **state) {
  (void)state;
  world *of = world_new();
  const int aim = open_input(of, FLG_INPUT_TARGET, "holds", 1);
  const double now[1] = {0.2};
  double *drive = flg_robot_drive(&of->robot, 0);
  for (int k = 0; k < 4; k++) {
    const double off[4] = {0, 0.4, -0.4, 1e-13}, time = (3 + off[k]) * PERIOD;
    drive[FLG_DRIVE_SAMPLE] = 3;
    flg_robot_write_input(&of->robot, aim, time, now);
    assert_true(drive[FLG_DRIVE_SAMPLE] == (fabs(off[k]) > 0.1 ? 3 : -1));
  }
  /* kp (target - q) at rest, as it is held */
  flg_robot_sample(&of->robot, 3 * PERIOD);
  flg_robot_subsystem_enable_controller(&of->robot, 1, false);
  flg_robot_actuate(&of->robot, 3 * PERIOD, of->robot.q, of->robot.v);
  assert_near(of->robot.actuation[of->velocity[0]], 3 * now[0], 1e-15);
  world_drop(of);
}

/* On the second body: its own moment about z at the hinge, and about the ball with the arm (1, 0,
 * 0). */
static void wrenches_push_through_all_joints(void **state) {
  (void)state;
  world *of = world_new();
  const int push = open_input(of, FLG_INPUT_WRENCH, "b1", 6);
  const int again = open_input(of, FLG_INPUT_WRENCH, "b0", 6);
  const int ball = open_input(of, FLG_INPUT_EFFORT, "j0", 3);
  const double wrench[6] = {1, 2, 3, 4, 5, 6}, other[6] = {7, 8, 9, 10, 20, 30};
  const double exact[4] = {4, 5 - 3, 6 + 2, 6};
  double f[4] = {0}, both[4] = {100, 100, 100, 100};
  assert_int_equal(of->robot.inputs.wrench_count, 0);
  flg_robot_write_input(&of->robot, ball, 0, other);
  assert_int_equal(of->robot.inputs.wrench_count, 0);
  flg_robot_write_input(&of->robot, push, 0, wrench);
  flg_robot_write_input(&of->robot, push, 0, wrench);
  assert_int_equal(of->robot.inputs.wrench_count, 1);
  flg_robot_subsystem_refresh(&of->robot, 0);
  flg_robot_add_wrenches(&of->robot, f);
  for (int i = 0; i < 4; i++) assert_near(f[i], exact[i], 1e-14);
  flg_robot_write_input(&of->robot, again, 0, other);
  assert_int_equal(of->robot.inputs.wrench_count, 2);
  flg_robot_add_wrenches(&of->robot, both);
  for (int i = 0; i < 4; i++)
    assert_near(both[i], 100 + exact[i] + (i < 3 ? other[3 + i] : 0), 1e-13);
  flg_robot_write_input(&of->robot, push, 0, NULL);
  assert_int_equal(of->robot.inputs.wrench_count, 1);
  memset(f, 0, sizeof f);
  flg_robot_add_wrenches(&of->robot, f);
  for (int i = 0; i < 4; i++) assert_near(f[i], i < 3 ? other[3 + i] : 0, 1e-14);
  world_drop(of);
}

static void what_cannot_be_written_is_told(void **state) {
  (void)state;
  world *of = world_new();
  int number, width;
  flg_error error = {.status = FLG_OK};
  const struct wrong {
    flg_input_kind kind;
    const char *path;
  } wrongs[] = {{FLG_INPUT_EFFORT, "j2"},
                {FLG_INPUT_TARGET, "table"},
                {FLG_INPUT_TARGET, "hold"},
                {FLG_INPUT_WRENCH, "j1"},
                {FLG_INPUT_SIGNAL, "j1"}};
  for (size_t k = 0; k < sizeof wrongs / sizeof wrongs[0]; k++) {
    assert_int_equal(
        flg_robot_open_input(&of->robot, wrongs[k].kind, wrongs[k].path, &number, &width, &error),
        FLG_ERR_INPUT);
  }
  assert_int_equal(of->robot.inputs.list.count, 0);
  world_drop(of);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(efforts_on_one_joint_add_up),
      cmocka_unit_test(efforts_accelerate),
      cmocka_unit_test(the_target_that_was_opened_last_counts),
      cmocka_unit_test(a_target_is_sampled_at_once_where_a_sample_is_due),
      cmocka_unit_test(wrenches_push_through_all_joints),
      cmocka_unit_test(what_cannot_be_written_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
