/* Robots that are parts of an assembly touch as they do on their own. */
#include "component/assembly_objects.h"
#include "contract/frame_quantities.h"
#include "touching_part.h"

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

/* the robot's bodies come first among the objects of both */
static void assert_same_forces(touching_robot *alone, flg_assembly *assembly) {
  flg_robot_subsystem_refresh(&alone->robot, 0);
  flg_assembly_refresh(assembly, 0);
  for (int body = 0; body < 2; body++) {
    double own[3], part[3];
    assert_int_equal(assembly->model.objects->list[body].quantity_count, FLG_TOUCHED_QUANTITIES);
    flg_robot_objects_read(&alone->robot, body, FLG_CONTACT_FORCE, own);
    flg_assembly_objects_read(assembly, body, FLG_CONTACT_FORCE, part);
    for (int i = 0; i < 3; i++) assert_near(part[i], own[i], 1e-10 * (1 + fabs(own[i])));
  }
}

static void robots_of_assemblies_touch_as_on_their_own(void **state) {
  (void)state;
  const double frictions[] = {0, 0.3, 1};
  for (int trial = 0; trial < 3; trial++) {
    touching_robot *alone = swing(frictions[trial]), *part = swing(frictions[trial]);
    touching_part *whole = part_new(part);
    touching_finish(alone);
    flg_assembly *assembly = part_finish(whole);
    flg_error error = {0};
    assert_int_equal(flg_assembly_objects_build(assembly, &error), FLG_OK);
    assert_int_equal(assembly->model.touch->port_count, 2);
    int closed = 0;
    for (int k = 0; k < 500; k++) {
      touching_step(alone, 2e-3, 1);
      assert_int_equal(flg_assembly_advance(assembly, 0, 2e-3, k, 1), FLG_OK);
      closed += touching_report(alone).closed > 0;
      assert_same_forces(alone, assembly);
      for (int i = 0; i < 2; i++) {
        assert_near(assembly->state.q[i], alone->robot.q[i], 3e-13);
        assert_near(assembly->state.v[i], alone->robot.v[i], 3e-11);
      }
    }
    printf("friction %g: %d steps with contacts\n", frictions[trial], closed);
    assert_true(closed > 10);
    part_drop(whole);
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
    touching_part *whole = part_new(of);
    const flg_assembly *assembly = part_finish(whole);
    /* of three links in a row the outer ones are not connected */
    assert_int_equal(assembly->model.touch == NULL ? 0 : assembly->model.touch->port_count,
                     asked ? 2 : 0);
    part_drop(whole);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(robots_of_assemblies_touch_as_on_their_own),
      cmocka_unit_test(links_touch_each_other_only_if_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
