/* Robots that are parts of an assembly touch as they do on their own. */
#include "subsystem/assembly_contacts.h"
#include "touching_robot.h"

/* two rods that swing over a floor, with a ball at the end of each */
static touching_robot *swing(double friction) {
  const flg_pose high = {flg_mat3_identity(), {0, 0, 1.2}};
  const flg_pose end = {flg_mat3_identity(), {0, 0, -1}};
  touching_robot *of = touching_new(2, friction, 0, DOWN);
  hang_rod(of, FLG_WORLD, high);
  hang_rod(of, 0, end);
  for (int k = 0; k < 2; k++) {
    add_shape(of, k, FLG_SHAPE_SPHERE, 0.1, 1, 1)->pose.position = (flg_vec3){0, 0, -1};
  }
  add_floor(of);
  touching_start(of);
  of->robot.q[0] = 1.2, of->robot.q[1] = 0.5;
  return of;
}

/* the shapes of the robot become the component's */
static flg_assembly *as_part(touching_robot *of, flg_component *component,
                             flg_component_robot *robot) {
  static flg_mistakes mistakes;
  flg_assembly *assembly = NULL;
  mistakes = (flg_mistakes){0};
  *robot = (flg_component_robot){
      .name = "robot", .group = FLG_TOP, .model = &of->s->model, .pose = flg_pose_identity()};
  *component =
      (flg_component){.name = "one", .file = "one.yaml", .robots = robot, .robot_count = 1};
  component->shapes = of->shapes, component->shape_count = of->s->model.shape_count;
  component->surfaces = of->s->model.surfaces;
  for (int k = 0; k < component->shape_count; k++) {
    of->shapes[k].robot = of->shapes[k].body == FLG_WORLD ? 0 : 1;
  }
  flg_assembly_options options = flg_assembly_default();
  options.scheme = FLG_SCHEME_SEMI_IMPLICIT;
  options.gravity = DOWN;
  flg_assembly_build(&assembly, component, &of->robot, &options, &mistakes);
  if (assembly == NULL) fail_msg("%s", mistakes.list[0].message);
  return assembly;
}

static void robots_of_assemblies_touch_as_on_their_own(void **state) {
  (void)state;
  const double frictions[] = {0, 0.3, 1};
  for (int trial = 0; trial < 3; trial++) {
    touching_robot *alone = swing(frictions[trial]), *part = swing(frictions[trial]);
    flg_component component;
    flg_component_robot robot;
    touching_finish(alone);
    flg_assembly *assembly = as_part(part, &component, &robot);
    assert_int_equal(assembly->touch->port_count, 2);
    int closed = 0;
    for (int k = 0; k < 500; k++) {
      touching_step(alone, 2e-3, 1);
      assert_int_equal(flg_assembly_advance(assembly, 0, 2e-3, k, 1), FLG_OK);
      closed += touching_report(alone).closed > 0;
      for (int i = 0; i < 2; i++) {
        assert_near(assembly->q[i], alone->robot.q[i], 1e-8);
        assert_near(assembly->v[i], alone->robot.v[i], 1e-6);
      }
    }
    printf("friction %g: %d steps with contacts\n", frictions[trial], closed);
    assert_true(closed > 10);
    flg_assembly_release(assembly);
    part->s->model.shapes = NULL;
    sample_release(part->s);
    free(part);
    touching_drop(alone);
  }
}

/* links do not touch each other, unless they are asked to */
static void links_touch_each_other_only_if_asked(void **state) {
  (void)state;
  for (int asked = 0; asked < 2; asked++) {
    touching_robot *of = touching_new(3, 0.3, 0, DOWN);
    for (int k = 0; k < 3; k++) {
      hang_rod(of, k - 1, flg_pose_identity());
      add_shape(of, k, FLG_SHAPE_SPHERE, 0.1, 1, 1);
    }
    of->options.self_collision = asked;
    touching_start(of);
    flg_component component;
    flg_component_robot robot;
    flg_assembly *assembly = as_part(of, &component, &robot);
    /* of three links in a row the outer ones are not connected */
    assert_int_equal(assembly->touch == NULL ? 0 : assembly->touch->port_count, asked ? 2 : 0);
    flg_assembly_release(assembly);
    of->s->model.shapes = NULL;
    sample_release(of->s);
    free(of);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(robots_of_assemblies_touch_as_on_their_own),
      cmocka_unit_test(links_touch_each_other_only_if_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
