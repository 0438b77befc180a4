/* Frictions and stops between a robot and a body: as between bodies. */
#include "joint_limits.h"
#include "robot/robot_part.h"
#include "sample.h"

static const flg_vec3 DOWN = {0, -9.81, 0};
static const flg_vec3 Z = {0, 0, 1};

/* an arm of two links of 1 m along x, about z, and a tool that turns at its end */
typedef struct arm {
  sample *model;
  flg_robot_subsystem robot;
  parts *parts;
  limits *limits;
  flg_assembly *assembly;
  int wrist; /* coordinate of the tool */
} arm;

static void build_robot(arm *of) {
  sample *s = of->model = sample_build(2);
  sample_add(s, FLG_WORLD, FLG_JOINT_REVOLUTE, flg_pose_identity());
  sample_add(s, 0, FLG_JOINT_REVOLUTE, (flg_pose){flg_mat3_identity(), vec(1, 0, 0)});
  for (int k = 0; k < 2; k++) s->model.bodies[k].centre = vec(0.5, 0, 0);
  flg_mistakes mistakes = {0};
  flg_error error;
  const flg_robot_options options = {
      .name = "arm", .gravity = DOWN, .integrator = flg_integrator_default()};
  flg_robot_subsystem_build(&of->robot, &s->model, &options, &mistakes);
  assert_int_equal(mistakes.count, 0);
  assert_int_equal(flg_robot_subsystem_equip(&of->robot, NULL, 0, NULL, 0, &error), FLG_OK);
  of->parts->component.robots[0] = (flg_component_robot){
      .name = "arm", .group = FLG_TOP, .model = &s->model, .pose = flg_pose_identity()};
  of->parts->component.robot_count = 1;
}

static void build_links(arm *of) {
  for (int k = 0; k < 2; k++) {
    add_body(of->parts, 1, flg_sym3_diagonal(1), vec(0.5 + k, 0, 0), flg_quat_identity());
    add_joint(of->parts, FLG_CONSTRAINT_REVOLUTE, k - 1, k, vec(k, 0, 0), Z);
  }
}

/* the tool, 0.2 m out, on the robot's second link or on its twin */
static void build_tool(arm *of, bool is_robot) {
  parts *p = of->parts;
  const int tool = add_body(p, 0.5, flg_sym3_diagonal(0.02), vec(2.2, 0, 0), flg_quat_identity());
  const int joint =
      add_joint(p, FLG_CONSTRAINT_REVOLUTE, is_robot ? FLG_WORLD : 1, tool, vec(2, 0, 0), Z);
  of->wrist = coordinate_of(p, joint);
  if (!is_robot) return;
  flg_anchor *ends[2] = {p->component.joints[joint].end, p->component.coordinates[of->wrist].end};
  for (int k = 0; k < 2; k++) {
    ends[k][0].robot = 0, ends[k][0].body = 1;
    ends[k][0].pose.position = vec(1, 0, 0);
  }
}

static arm *build(flg_scheme scheme, bool is_robot, double coulomb, double upper) {
  arm *made = calloc(1, sizeof *made);
  made->parts = parts_new(8);
  made->limits = limits_new(made->parts);
  if (is_robot) build_robot(made);
  if (!is_robot) build_links(made);
  build_tool(made, is_robot);
  add_friction(made->parts, made->wrist, coulomb)->stiction = 1.5 * coulomb;
  add_stop(made->parts, made->wrist, -(double)INFINITY, upper)->restitution = 0.5;
  flg_assembly_options options = flg_assembly_default();
  options.scheme = scheme, options.gravity = DOWN;
  flg_mistakes mistakes = {0};
  const flg_part_guests guests = flg_robot_guests(&made->robot);
  flg_assembly_build(&made->assembly, &made->parts->component, &guests, &options, &mistakes);
  if (mistakes.count > 0) fail_msg("%s", mistakes.list[0].message);
  return made;
}

static void drop(arm *of) {
  flg_assembly_release(of->assembly);
  if (of->model != NULL) {
    flg_robot_subsystem_release(&of->robot);
    sample_release(of->model);
  }
  parts_drop(of->parts), free(of->limits), free(of);
}

static void a_robot_holds_a_tool_by_friction(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    arm *of = build((flg_scheme)scheme, true, 200, 0.5);
    double worst = 0;
    for (int k = 0; k < 100; k++) {
      advance(of->assembly, 1e-3, 100 * k, 100);
      worst = flg_larger(worst, fabs(flg_assembly_coordinate(of->assembly, of->wrist, NULL)));
    }
    printf("%s: the tool creeps %g rad in ten seconds\n", scheme_names[scheme], worst);
    assert_true(worst < 1e-11);
    drop(of);
  }
}

/* the same mechanism in other coordinates: it sticks, slips and hits at the same time */
static void a_robot_is_like_bodies(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    arm *robot = build((flg_scheme)scheme, true, 0.05, 0.1);
    arm *bodies = build((flg_scheme)scheme, false, 0.05, 0.1);
    double worst = 0;
    for (int k = 0; k < 40; k++) {
      advance(robot->assembly, 1e-4, 500 * k, 500);
      advance(bodies->assembly, 1e-4, 500 * k, 500);
      worst =
          flg_larger(worst, fabs(flg_assembly_coordinate(robot->assembly, robot->wrist, NULL) -
                                 flg_assembly_coordinate(bodies->assembly, bodies->wrist, NULL)));
    }
    long unsolved;
    printf("%s: off by %.2e rad, %ld and %ld switches\n", scheme_names[scheme], worst,
           flg_assembly_switches(robot->assembly, &unsolved),
           flg_assembly_switches(bodies->assembly, &unsolved));
    assert_true(worst < 2e-3);
    assert_true(flg_assembly_switches(robot->assembly, &unsolved) > 3);
    drop(robot), drop(bodies);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_robot_holds_a_tool_by_friction),
      cmocka_unit_test(a_robot_is_like_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
