/* Compiled robots against the interpreter: two independent ways to the same numbers. */
#include "compiled.h"

enum { STEPS = 20 };

static const flg_vec3 GRAVITY = {1, -2, -9.81};

/* random frames on the bodies as ports, damping and dry friction on some joints */
static void add_ports(random_source *source, sample *s, flg_frame *frames) {
  static const char *const names[TWIN_PORTS] = {"tool", "elbow", "hand"};
  for (int k = 0; k < TWIN_PORTS; k++) {
    frames[k] = (flg_frame){.name = names[k],
                            .body = random_integer(source, 0, s->model.body_count - 1),
                            .port = true,
                            .pose = random_pose(source)};
  }
  s->model.frames = frames, s->model.frame_count = TWIN_PORTS;
}

static void resist(random_source *source, sample *s, bool rubs) {
  for (int k = 0; k < s->model.joint_count; k++) {
    flg_joint *joint = &s->model.joints[k];
    if (random_integer(source, 0, 1)) joint->damping = random_uniform(source, 0, 2);
    if (rubs && random_integer(source, 0, 2) == 0) joint->friction = random_uniform(source, 0, 1);
  }
}

static void start_alike(random_source *source, compiled_twins *twins) {
  const flg_robot *robot = &twins->robot->robot;
  const int nq = robot->position_count, nv = robot->velocity_count;
  double *first = twin_state(twins, 0), *second = twin_state(twins, 1);
  random_position(source, robot, first);
  random_numbers(source, 2, first + nq, nv);
  flg_robot_subsystem_settle(twins->robot);
  memcpy(second, first, (size_t)(nq + nv) * sizeof *first);
}

static double state_difference(const compiled_twins *twins) {
  const flg_robot *robot = &twins->robot->robot;
  const int count = robot->position_count + robot->velocity_count;
  return relative_difference(twin_state(twins, 1), twin_state(twins, 0), count);
}

static void check_models(compiled_twins *twins, double tau) {
  const int n = twins->rows;
  double turning[2][TWIN_ROWS];
  for (int k = 0; k < 2; k++) {
    flg_subsystem *of = twin_of(twins, k);
    const flg_coupled_ops *ops = of->ops->coupled;
    ops->set_impulse_step(of->self, tau == 0 ? 1e-2 : 0);
    assert_int_equal(ops->reduce(of->self, 0, tau, twins->models[k]), FLG_OK);
    assert_int_equal(ops->velocity_bias(of->self, turning[k]), FLG_OK);
  }
  flg_interface_model *a = twins->models[1], *b = twins->models[0];
  /* other orders of sums: some units in the last place, and what the condition of M makes of them
   */
  assert_near(relative_difference(flg_interface_model_admittance(a),
                                  flg_interface_model_admittance(b), n * n),
              0, 4e-14);
  assert_near(
      relative_difference(flg_interface_model_velocity(a), flg_interface_model_velocity(b), n), 0,
      6e-15);
  assert_near(relative_difference(turning[1], turning[0], n), 0, 1e-14);
  if (tau == 0) return;
  assert_near(relative_difference(flg_interface_model_bias(a), flg_interface_model_bias(b), n), 0,
              1e-13);
}

static void check_frames(compiled_twins *twins) {
  for (int p = 0; p < twins->rows / 6; p++) {
    flg_moving_frame at[2];
    for (int k = 0; k < 2; k++) {
      flg_subsystem *of = twin_of(twins, k);
      of->ops->refresh(of->self, 0);
      at[k] = of->ops->coupled->frame(of->self, p);
    }
    assert_near(max_difference(at[1].pose.rotation.m, at[0].pose.rotation.m, 9), 0, 3e-15);
    const flg_vec3 off = flg_vec3_subtract(at[1].pose.position, at[0].pose.position);
    assert_near(flg_vec3_norm(off), 0, 1e-14);
  }
  const double first = twins->interpreted.ops->energy(twins->interpreted.self);
  const double second = twins->compiled.ops->energy(twins->compiled.self);
  assert_near(second, first, 7e-15 * (1 + fabs(first)));
}

/* five states at once, each as the interpreter has it alone; damping is the caller's */
static void check_batch(random_source *source, const compiled_twins *twins) {
  enum { STATES = 5, MOST = 64 };
  const flg_plugged_subsystem *plugged = flg_subsystem_plugin(&twins->compiled);
  const flg_plugin_subsystem *table = &flg_plugged_subsystem_library(plugged)->subsystem;
  void *instance = flg_plugged_subsystem_instance(plugged);
  const flg_robot *robot = &twins->robot->robot;
  const int nq = robot->position_count, nv = robot->velocity_count;
  double q[STATES * MOST], v[STATES * MOST], f[STATES * MOST], a[STATES * MOST], alone[MOST],
      one[MOST];
  double added[MOST] = {0};
  int positions, velocities;
  table->coordinates(instance, &positions, &velocities);
  assert_int_equal(positions, nq);
  assert_int_equal(velocities, nv);
  for (int k = 0; k < STATES; k++) random_position(source, robot, q + k * nq);
  random_numbers(source, 2, v, STATES * nv);
  random_numbers(source, 50, f, STATES * nv);
  table->accelerate(instance, STATES, q, v, f, a);
  for (int k = 0; k < STATES; k++) {
    flg_dynamics_forward(twins->robot->dynamics, q + k * nq, v + k * nv, f + k * nv, GRAVITY, NULL,
                         added, alone);
    flg_mimics_project(&twins->robot->mimics, twins->robot->dynamics, alone);
    assert_near(relative_difference(a + k * nv, alone, nv), 0, 1.5e-13);
    table->accelerate(instance, 1, q + k * nq, v + k * nv, f + k * nv, one);
    assert_near(relative_difference(one, alone, nv), 0, 1.5e-13);
  }
}

static void check_steps(random_source *source, compiled_twins *twins) {
  double impulses[TWIN_ROWS];
  for (int s = 0; s < STEPS; s++) {
    random_numbers(source, s % 2 == 0 ? 0.01 : 0, impulses, twins->rows);
    /* libraries are not asked again where friction comes loose: they have secants */
    twins->robot->has_secants = true;
    for (int k = 0; k < 2; k++) {
      flg_subsystem *of = twin_of(twins, k);
      assert_int_equal(of->ops->coupled->push(of->self, 0, 1e-3, s, impulses, NULL), FLG_OK);
    }
  }
  assert_near(state_difference(twins), 0, 1e-14);
}

static void check_jumps(random_source *source, compiled_twins *twins) {
  double jumps[TWIN_ROWS];
  random_numbers(source, 0.1, jumps, twins->rows);
  for (int k = 0; k < 2; k++) {
    flg_subsystem *of = twin_of(twins, k);
    of->ops->coupled->set_impulse_step(of->self, 1e-2);
    assert_int_equal(of->ops->coupled->impulse(of->self, jumps), FLG_OK);
    assert_int_equal(of->ops->coupled->displace(of->self, jumps), FLG_OK);
  }
  assert_near(state_difference(twins), 0, 1e-14);
}

static void check_twins(random_source *source, const flg_model *model,
                        flg_compiled_integrator integrator, const flg_pose *pose) {
  compiled_twins *twins = compiled_twins_build(model, integrator, GRAVITY, pose);
  start_alike(source, twins);
  check_frames(twins);
  check_models(twins, 0);
  check_models(twins, 1e-3);
  check_jumps(source, twins);
  check_steps(source, twins);
  check_batch(source, twins);
  compiled_twins_release(twins);
}

static void random_trees_move_as_interpreted(void **state) {
  (void)state;
  random_source source = {7};
  for (int k = 0; k < 6; k++) {
    flg_frame frames[TWIN_PORTS];
    sample *s = NULL;
    do {
      if (s != NULL) sample_release(s);
      s = random_tree(&source, 2 + k, ALL_KINDS, ALL_KIND_COUNT);
    } while (s->robot.velocity_count == 0);
    const flg_pose pose = k % 2 == 0 ? flg_pose_identity() : random_pose(&source);
    add_ports(&source, s, frames);
    resist(&source, s, k % 2 == 1);
    check_twins(&source, &s->model, k % 2 == 0 ? FLG_COMPILED_RK4 : FLG_COMPILED_SEMI_IMPLICIT,
                &pose);
    sample_release(s);
  }
}

/* two joints after each other, and one beside them, with a joint that leads both */
static void joints_that_follow_others_move_as_interpreted(void **state) {
  (void)state;
  static const flg_joint_kind kinds[] = {FLG_JOINT_REVOLUTE, FLG_JOINT_PRISMATIC, FLG_JOINT_SCREW};
  random_source source = {11};
  for (int k = 0; k < 6; k++) {
    flg_frame frames[TWIN_PORTS];
    sample *s = random_tree(&source, 5 + k, kinds, 3);
    const flg_pose pose = k % 2 == 0 ? flg_pose_identity() : random_pose(&source);
    flg_joint *joints = s->model.joints;
    joints[3].mimic = (flg_mimic){1, -1.5, 0.2};
    joints[k % 3 == 0 ? 0 : 4].mimic = (flg_mimic){k % 3 == 1 ? 2 : 1, 0.3, 0};
    add_ports(&source, s, frames);
    resist(&source, s, k % 2 == 1);
    check_twins(&source, &s->model, k % 2 == 0 ? FLG_COMPILED_RK4 : FLG_COMPILED_SEMI_IMPLICIT,
                &pose);
    sample_release(s);
  }
}

static void arm_moves_as_interpreted(void **state) {
  (void)state;
  random_source source = {3};
  flg_frame frames[1] = {
      {.name = "tool", .body = ARM_LINKS - 1, .port = true, .pose = sample_shift(0, 0, 0.38)}};
  sample *s = sample_arm_model();
  s->model.frames = frames, s->model.frame_count = 1;
  const flg_pose pose = flg_pose_identity();
  check_twins(&source, &s->model, FLG_COMPILED_SEMI_IMPLICIT, &pose);
  sample_release(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_trees_move_as_interpreted),
      cmocka_unit_test(joints_that_follow_others_move_as_interpreted),
      cmocka_unit_test(arm_moves_as_interpreted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
