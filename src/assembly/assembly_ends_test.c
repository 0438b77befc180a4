/* Joints of robots that are parts of an assembly end as they do on their own. */
#include "touching_part.h"

/* --- the same robot, alone and as a part --------------------------------------------------------
 */

/* both step by step; how many steps one of the alone robot's joints rests on or hits an end */
static int compare(touching_robot *alone, touching_part *part, double h, int steps, double off,
                   double *worst) {
  const flg_parts *robots = flg_assembly_owner(part->assembly, 0, 0).of;
  int met = 0;
  *worst = 0;
  for (int k = 0; k < steps; k++) {
    touching_step(alone, h, 1);
    part_step(part, h, k, 1);
    for (int i = 0; i < robots->velocity_count; i++) {
      const flg_joint *joint = &alone->s->model.joints[i];
      const double q = alone->robot.q[i], v = alone->robot.v[i];
      *worst = flg_larger(*worst, fabs(part->assembly->state.q[robots->position + i] - q));
      *worst = flg_larger(*worst, fabs(part->assembly->state.v[robots->velocity + i] - v));
      met += q - joint->lower < 1e-9 || joint->upper - q < 1e-9;
    }
    assert_true(*worst < off);
  }
  return met;
}

static touching_robot *arm(bool limited, flg_vec3 gravity) {
  touching_robot *of = limited_arm(limited, gravity);
  of->robot.v[0] = 3, of->robot.v[1] = -6;
  return of;
}

static void an_arm_ends_as_on_its_own(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    touching_robot *alone = arm(true, k ? DOWN : WEIGHTLESS);
    touching_part *part = part_new(arm(true, k ? DOWN : WEIGHTLESS));
    touching_finish(alone);
    part_finish(part);
    double worst;
    const int met = compare(alone, part, 1e-3, 4000, 1e-9, &worst);
    printf("%s: off by %.1e, %d steps at an end\n", k ? "with weight" : "weightless", worst, met);
    assert_true(met > 1);
    touching_drop(alone), part_drop(part);
  }
}

/* --- with a mass on it --------------------------------------------------------------------------
 */

/* Two slides, across and down: bodies on it move along straight lines, so that both coordinates,
 * those of joints and of bodies, take the same steps. */
static touching_robot *gantry(double mass) {
  touching_robot *of = touching_new(2, 0, 0, DOWN);
  for (int k = 0; k < 2; k++) sample_add(of->s, k - 1, FLG_JOINT_PRISMATIC, flg_pose_identity());
  of->s->model.joints[0].axis = (flg_vec3){1, 0, 0};
  of->s->model.bodies[1].mass += mass;
  limit(of, 0, -0.4, 0.5), limit(of, 1, -0.3, 1);
  touching_start(of);
  of->robot.v[0] = 1.5, of->robot.v[1] = 0.7;
  return of;
}

static void a_mass_that_is_welded_to_a_gantry_ends_with_it(void **state) {
  (void)state;
  touching_robot *alone = gantry(3);
  touching_part *part = part_new(gantry(0));
  part_weld(part, 1, (flg_vec3){0.2, 0.1, -0.3}, 3, (flg_sym3){1, 1, 1, 0, 0, 0});
  touching_finish(alone);
  part_finish(part);
  double worst;
  const int met = compare(alone, part, 1e-3, 2000, 1e-10, &worst);
  printf("gantry: off by %.1e, %d steps at an end\n", worst, met);
  assert_true(met > 1000);
  assert_near(part->assembly->state.q[flg_assembly_owner(part->assembly, 0, 0).of->position + 1],
              -0.3, 1e-12);
  touching_drop(alone), part_drop(part);
}

/* a wheel on the axle of a pendulum */
static touching_robot *pendulum(double wheel) {
  touching_robot *of = touching_new(1, 0, 0, DOWN);
  hang_rod(of, FLG_WORLD, flg_pose_identity());
  flg_body *body = &of->s->model.bodies[0];
  body->mass += wheel, body->centre.z *= 1 / body->mass; /* the wheel's centre is the origin */
  if (wheel > 0) {                                       /* 1/12 + 1/4 + wheel about the axle */
    const double about = 1. / 3 + wheel - body->mass * body->centre.z * body->centre.z;
    body->inertia = (flg_sym3){about, about, 1e-3 + wheel, 0, 0, 0};
  }
  limit(of, 0, 0.3, 2);
  touching_start(of);
  of->robot.q[0] = 1;
  return of;
}

static void a_wheel_on_the_axle_of_a_pendulum_ends_with_it(void **state) {
  (void)state;
  touching_robot *alone = pendulum(2);
  touching_part *part = part_new(pendulum(0));
  part_weld(part, 0, (flg_vec3){0, 0, 0}, 2, (flg_sym3){2, 2, 2, 0, 0, 0});
  touching_finish(alone);
  part_finish(part);
  double worst;
  const int met = compare(alone, part, 1e-3, 3000, 1e-10, &worst);
  printf("wheel: off by %.1e, %d steps at an end\n", worst, met);
  assert_true(met > 1000);
  touching_drop(alone), part_drop(part);
}

/* a load at the end of the arm */
static touching_part *loaded_arm(bool limited, flg_vec3 gravity) {
  touching_part *part = part_new(arm(limited, gravity));
  part_weld(part, 1, (flg_vec3){0, 0, -1.2}, 2, (flg_sym3){0.02, 0.02, 0.02, 0, 0, 0});
  part_finish(part);
  return part;
}

static void a_loaded_arm_rests_on_both_ends(void **state) {
  (void)state;
  touching_part *part = part_new(lifted_arm(DOWN));
  part_weld(part, 1, (flg_vec3){0, 0, -1}, 2, (flg_sym3){0.02, 0.02, 0.02, 0, 0, 0});
  const flg_assembly *assembly = part_finish(part);
  part_step(part, 1e-3, 0, 6000);
  const double *q = assembly->state.q + flg_assembly_owner(assembly, 0, 0).of->position;
  const double *v = assembly->state.v + flg_assembly_owner(assembly, 0, 0).of->velocity;
  assert_near(q[0], PI / 2, 1e-12);
  assert_near(q[1], 0, 0.5 * part->of->contacts.law.slop); /* closing the weld moved it a little */
  /* rounding adds up to 1.4e-13 in what stands, and is then taken out (contact_even_test.c) */
  assert_near(v[0], 0, 1e-12);
  assert_near(v[1], 0, 1e-12);
  part_drop(part);
}

/* --- energy, state ------------------------------------------------------------------------------
 */

/* of velocities, at a place */
static double kinetic(flg_assembly *assembly, const double *q, const double *v) {
  flg_assembly_place(assembly, q, v);
  return flg_assembly_kinetic_energy(assembly);
}

/* A step with ends has no more energy, at the place where it starts, than the step without. */
static void check_energy(touching_part *of, touching_part *free, int steps, double h) {
  const size_t nq = (size_t)of->assembly->model.position_count,
               nv = (size_t)of->assembly->model.velocity_count;
  double q[32], largest = 0;
  assert_true(nq <= 32);
  for (int k = 0; k < steps; k++) {
    memcpy(q, of->assembly->state.q, nq * sizeof *q);
    memcpy(free->assembly->state.q, q, nq * sizeof *q);
    memcpy(free->assembly->state.v, of->assembly->state.v, nv * sizeof *q);
    part_step(free, h, k, 1);
    part_step(of, h, k, 1);
    const double allowed = kinetic(free->assembly, q, free->assembly->state.v);
    const double there = kinetic(free->assembly, q, of->assembly->state.v);
    /* joints are closed at the end of the step, where the load is a little elsewhere */
    assert_true(there <= allowed * (1 + 2 * h) + 1e-15);
    largest = flg_larger(largest, allowed - there);
  }
  printf("a hit takes up to %.2g J\n", largest);
  assert_true(largest > 0.05);
}

static void ends_give_no_energy(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    touching_part *of = loaded_arm(true, k ? DOWN : WEIGHTLESS);
    touching_part *free = loaded_arm(false, k ? DOWN : WEIGHTLESS);
    check_energy(of, free, 20000, 1e-4);
    part_drop(of), part_drop(free);
  }
}

static void a_snapshot_at_an_end_goes_on_bitwise(void **state) {
  (void)state;
  touching_part *part = loaded_arm(true, DOWN);
  int count;
  double *numbers = flg_assembly_state(part->assembly, &count);
  const size_t bytes = (size_t)count * sizeof *numbers;
  double *start = malloc(bytes), *end = malloc(bytes);
  for (int from = 0; from < 1000; from += 250) {
    memcpy(start, numbers, bytes);
    part_step(part, 1e-3, from, 250);
    memcpy(end, numbers, bytes);
    part_step(part, 1e-3, from, 100); /* leaves other scratch behind */
    memcpy(numbers, start, bytes);
    part_step(part, 1e-3, from, 250);
    assert_memory_equal(numbers, end, bytes);
  }
  free(start), free(end);
  part_drop(part);
}

/* --- others -------------------------------------------------------------------------------------
 */

/* Far from its ends a joint moves to the last bit as one that has none. */
static void ends_that_are_far_change_no_bit(void **state) {
  (void)state;
  double q[2][16];
  size_t bytes = 0;
  for (int limited = 0; limited < 2; limited++) {
    touching_robot *of = arm(true, DOWN);
    for (int k = 0; k < 2; k++) limit(of, k, limited ? -9 : -INFINITY, limited ? 9 : INFINITY);
    touching_part *part = part_new(of);
    part_weld(part, 1, (flg_vec3){0, 0, -1.2}, 2, (flg_sym3){0.02, 0.03, 0.02, 0, 0, 0});
    part_finish(part);
    assert_int_equal(part->assembly->model.touch != NULL, limited);
    part_step(part, 1e-3, 0, 1000);
    bytes = (size_t)part->assembly->model.position_count * sizeof(double);
    memcpy(q[limited], part->assembly->state.q, bytes);
    part_drop(part);
  }
  assert_memory_equal(q[0], q[1], bytes);
}

/* The end of a joint that the rest of the assembly holds does nothing. */
static void ends_of_joints_that_are_held_do_nothing(void **state) {
  (void)state;
  touching_robot *of = touching_new(1, 0, 0, DOWN);
  hang_rod(of, FLG_WORLD, flg_pose_identity());
  limit(of, 0, 0.3, 2);
  touching_start(of);
  of->robot.q[0] = 0.3;
  touching_part *part = part_new(of);
  part_weld(part, 0, (flg_vec3){0, 0, -1}, 1, (flg_sym3){1, 1, 1, 0, 0, 0});
  part->bodies[0].fixed = true, part->bodies[0].velocity = (flg_spatial){{0}, {0}};
  const flg_assembly *assembly = part_finish(part);
  part_step(part, 1e-3, 0, 1000);
  assert_near(assembly->state.q[0], 0.3, 1e-12);
  assert_near(assembly->state.v[0], 0, 1e-12);
  part_drop(part);
}

/* Locked joints stay, and come back when they are let go. */
static void locked_joints_stay_outside_of_their_range(void **state) {
  (void)state;
  touching_part *part = part_new(pendulum(0));
  part->of->robot.q[0] = 0.31;
  flg_assembly *assembly = part_finish(part);
  flg_robot_subsystem_lock(flg_subsystem_robot(flg_assembly_guest(assembly, 0)), 0, true);
  assembly->state.q[0] = 0.1;
  part_step(part, 1e-3, 0, 100);
  assert_true(assembly->state.q[0] == 0.1);
  flg_robot_subsystem_lock(flg_subsystem_robot(flg_assembly_guest(assembly, 0)), 0, false);
  part_step(part, 1e-3, 100, 200);
  assert_near(assembly->state.q[0], 0.3, 1e-6 + 1e-9);
  part_drop(part);
}

/* rods whose balls reach the floor before or after their joints end */
static touching_robot *swing(double friction) {
  touching_robot *of = touching_new(2, friction, 0, DOWN);
  hang_rod(of, FLG_WORLD, sample_shift(0, 0, 1.2));
  hang_rod(of, 0, sample_shift(0, 0, -1));
  for (int k = 0; k < 2; k++) {
    add_shape(of, k, FLG_SHAPE_SPHERE, 0.1, 1, 1)->pose.position = (flg_vec3){0, 0, -1};
  }
  add_floor(of);
  limit(of, 0, -2, 1.25), limit(of, 1, -0.2, 0.8);
  touching_start(of);
  of->robot.q[0] = 1.2, of->robot.q[1] = 0.5;
  return of;
}

static void ends_and_contacts_are_closed_together(void **state) {
  (void)state;
  const double frictions[] = {0, 0.3, 1};
  for (int trial = 0; trial < 3; trial++) {
    touching_robot *alone = swing(frictions[trial]);
    touching_part *part = part_new(swing(frictions[trial]));
    touching_finish(alone);
    part_finish(part);
    double worst;
    const int met = compare(alone, part, 2e-3, 1000, 1e-6, &worst);
    printf("friction %g: off by %.1e, %d steps at an end\n", frictions[trial], worst, met);
    assert_true(met > 10);
    touching_drop(alone), part_drop(part);
  }
}

static void a_start_outside_of_the_range_is_refused(void **state) {
  (void)state;
  touching_part *part = part_new(pendulum(0));
  flg_mistakes mistakes = {0};
  part->of->robot.q[0] = 0;
  const flg_part_guests guests = flg_robot_guests(&part->of->robot);
  flg_assembly_build(&part->assembly, &part->component, &guests, &part->options, &mistakes);
  assert_int_equal(mistakes.count, 1);
  assert_string_equal(mistakes.list[0].message,
                      "joint 'j0' of 'robot' starts at 0, outside of its limits 0.3 .. 2; give "
                      "another 'initial:', or write 'limits: ignored'");
  assert_null(part->assembly);
  flg_robot_subsystem_release(&part->of->robot);
  part_drop(part);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_arm_ends_as_on_its_own),
      cmocka_unit_test(a_mass_that_is_welded_to_a_gantry_ends_with_it),
      cmocka_unit_test(a_wheel_on_the_axle_of_a_pendulum_ends_with_it),
      cmocka_unit_test(a_loaded_arm_rests_on_both_ends),
      cmocka_unit_test(ends_give_no_energy),
      cmocka_unit_test(a_snapshot_at_an_end_goes_on_bitwise),
      cmocka_unit_test(ends_that_are_far_change_no_bit),
      cmocka_unit_test(ends_of_joints_that_are_held_do_nothing),
      cmocka_unit_test(locked_joints_stay_outside_of_their_range),
      cmocka_unit_test(ends_and_contacts_are_closed_together),
      cmocka_unit_test(a_start_outside_of_the_range_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
