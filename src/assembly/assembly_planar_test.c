/* Mechanisms that move in a plane take their steps there: the same motion as in space. */
#include "assembly/assembly_planar.h"

#include "assembly/assembly_watch.h"
#include "check.h"
#include "flat_mechanisms.h"

static const double STEP = 1e-3;

static flg_assembly *build(parts *p, flg_vec3 gravity, bool is_planar) {
  flg_assembly_options options = flg_assembly_default();
  flg_mistakes mistakes = {0};
  flg_assembly *assembly = NULL;
  options.gravity = gravity, options.reduces = true;
  assert_int_equal(flg_assembly_build(&assembly, &p->component, NULL, &options, &mistakes), FLG_OK);
  if (!is_planar) assembly->model.planar = NULL;
  assert_int_equal(flg_assembly_settle(assembly), FLG_OK);
  return assembly;
}

static void advance(flg_assembly *assembly, int steps) {
  assert_int_equal(flg_assembly_advance(assembly, 0, STEP, 0, steps), FLG_OK);
}

/* whether the last step was one in the plane */
static bool was_planar(const flg_assembly *assembly) {
  const flg_planar *planar = assembly->model.planar;
  return planar != NULL && planar->is_factored &&
         memcmp(planar->factored_q, assembly->state.q,
                (size_t)assembly->model.position_count * sizeof(double)) == 0;
}

/* --- random mechanisms --------------------------------------------------------------------------
 */

/* of positions, velocities and coordinates; those of the state may be turns behind */
static double difference(flg_assembly *a, flg_assembly *b) {
  double most = 0;
  const double *of[2] = {a->state.numbers, b->state.numbers};
  const int count = a->model.position_count + a->model.velocity_count;
  for (int k = 0; k < count; k++) most = flg_larger(most, fabs(of[0][k] - of[1][k]));
  flg_assembly_refresh(a, 0), flg_assembly_refresh(b, 0);
  for (int k = 0; k < a->model.coordinate_count; k++) {
    const double one = flg_assembly_coordinate(a, k, NULL);
    most = flg_larger(most, fabs(one - flg_assembly_coordinate(b, k, NULL)));
  }
  return most;
}

static void random_mechanisms_move_as_they_do_in_space(void **state) {
  (void)state;
  random_source source = {1};
  int served = 0, count = REPEATS(400);
  double worst = 0;
  for (int k = 0; k < count; k++) {
    const flat_plane in = random_flat_plane(&source);
    parts *p = random_flat_mechanism(&source, &in);
    const flg_vec3 gravity = flg_vec3_scale(random_vector(&source), 9.81); /* out of it, too */
    flg_assembly *flat = build(p, gravity, true), *spatial = build(p, gravity, false);
    advance(flat, 20), advance(spatial, 20);
    served += was_planar(flat);
    worst = flg_larger(worst, difference(flat, spatial));
    if (difference(flat, spatial) > 1e-9)
      fail_msg("mechanism %d: %g", k, difference(flat, spatial));
    flg_assembly_release(flat), flg_assembly_release(spatial);
    parts_drop(p);
  }
  print_message("%d of %d in the plane, at most %.1e apart\n", served, count, worst);
  assert_true(served > count * 8 / 10);
}

/* --- when ---------------------------------------------------------------------------------------
 */

static const flg_vec3 Z = {0, 0, 1}, DOWN = {0, -9.81, 0};

/* a crank of 0.3 m, a coupler and a rocker */
static parts *four_bar(flg_vec3 axis) {
  parts *p = parts_new(4);
  const flg_vec3 at[4] = {vec(0, 0, 0), vec(0.3, 0.1, 0), vec(1.1, 0.6, 0), vec(0.9, 0, 0)};
  for (int k = 0; k < 3; k++) add_rod(p, 1 + k, at[k], at[k + 1]);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, 0, at[0], axis);
  for (int k = 1; k < 3; k++) add_joint(p, FLG_CONSTRAINT_REVOLUTE, k - 1, k, at[k], axis);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, 2, FLG_WORLD, at[3], axis);
  return p;
}

static void facts_tell_rows_of_the_plane_and_those_left_out(void **state) {
  (void)state;
  parts *p = four_bar(Z);
  flg_assembly *assembly = build(p, DOWN, true);
  const flg_planar_facts facts = flg_planar_find_facts(assembly);
  assert_true(facts.is_planar && facts.flops > 0);
  assert_int_equal(facts.rows, 8);
  assert_int_equal(facts.left_out, 12);
  flg_assembly_release(assembly);
  parts_drop(p);
}

/* Which way a step takes, and what it makes of a state, is known by the state alone: steps of one
 * run, and of another that goes on from its state. How many were in the plane. */
static int compare_resumed(parts *p, flg_vec3 gravity, int times) {
  flg_assembly *run = build(p, gravity, true), *other = build(p, gravity, true);
  const size_t bytes = (size_t)run->model.state_count * sizeof(double);
  int served = 0;
  for (int k = 0; k < times; k++) {
    advance(run, 7);
    memcpy(other->state.numbers, run->state.numbers, bytes);
    advance(run, 1), advance(other, 1);
    assert_memory_equal(run->state.numbers, other->state.numbers, bytes);
    served += was_planar(run);
  }
  flg_assembly_release(run), flg_assembly_release(other);
  return served;
}

static void steps_from_a_state_are_bit_for_bit_those_of_another_run(void **state) {
  (void)state;
  parts *p = four_bar(Z);
  assert_int_equal(compare_resumed(p, DOWN, 100), 100);
  parts_drop(p);
}

static void steps_in_oblique_planes_are_bit_for_bit_those_of_another_run(void **state) {
  (void)state;
  random_source source = {17};
  int served = 0;
  for (int k = 0; k < 40; k++) {
    const flat_plane in = random_flat_plane(&source);
    parts *p = random_flat_mechanism(&source, &in);
    served += compare_resumed(p, flg_vec3_scale(random_vector(&source), 9.81), 10);
    parts_drop(p);
  }
  print_message("%d of 400 in the plane\n", served);
  assert_true(served > 200);
}

/* angles count turns, as they do in space */
static void angles_of_many_turns_are_those_of_the_poses(void **state) {
  (void)state;
  parts *p = four_bar(Z);
  p->component.bodies[0].velocity.angular = vec(0, 0, 400); /* joints leave a part of it */
  flg_assembly *flat = build(p, vec(0, 0, 0), true), *spatial = build(p, vec(0, 0, 0), false);
  advance(flat, 1000), advance(spatial, 1000);
  print_message("turned by %.3g rad\n", flat->state.angles[0]);
  assert_true(was_planar(flat) && fabs(flat->state.angles[0]) > 7);
  flg_assembly_refresh(flat, 1), flg_assembly_refresh(spatial, 1);
  for (int k = 0; k < flat->model.angle_count; k++) {
    assert_near(flat->state.angles[k], flg_assembly_coordinate(spatial, k, NULL), 1e-9);
    assert_near(flat->state.angles[k], flg_assembly_coordinate(flat, k, NULL), 1e-11);
  }
  flg_assembly_release(flat), flg_assembly_release(spatial);
  parts_drop(p);
}

/* A pendulum in space is not planar, nor what only points hold, which tilts. */
static void what_is_not_held_flat_moves_in_space(void **state) {
  (void)state;
  parts *p = four_bar(Z);
  p->component.joints[0].kind = FLG_CONSTRAINT_SPHERICAL;
  p->component.joints[3].kind = FLG_CONSTRAINT_SPHERICAL;
  flg_assembly *assembly = build(p, DOWN, true);
  assert_null(assembly->model.planar);
  flg_assembly_release(assembly);
  parts_drop(p);
  p = four_bar(vec(0, 0, 1));
  p->component.bodies[1].inertia.xz += 1e-6 * p->component.bodies[1].inertia.zz;
  assembly = build(p, DOWN, true);
  assert_null(assembly->model.planar);
  flg_assembly_release(assembly);
  parts_drop(p);
}

/* where reactions are asked for, and where a state is not flat, steps are those of space */
static void steps_fall_back_to_space(void **state) {
  (void)state;
  parts *p = four_bar(Z);
  flg_assembly *assembly = build(p, DOWN, true);
  advance(assembly, 1);
  assert_true(was_planar(assembly));
  assembly->state.q[2] += 1e-6, assembly->state.v[2] += 1e-6;
  advance(assembly, 1);
  assert_false(was_planar(assembly));
  advance(assembly, 2);
  const int joint = 0;
  assert_int_equal(flg_assembly_watch(assembly, &joint, 1), FLG_OK);
  advance(assembly, 1);
  assert_false(was_planar(assembly));
  flg_assembly_release(assembly);
  parts_drop(p);
}

/* --- singular poses -----------------------------------------------------------------------------
 * A slider-crank with arms of one length: where the crank stands across, the rod lies on it, and
 * may go on along the line or turn with it.
 */

static flg_spatial moving(double x, double y, double turn) {
  return (flg_spatial){{x, y, 0}, {0, 0, turn}};
}

/* the crank at an angle, and turning with 4 rad/s; the slider on the line */
static parts *equal_arms(double angle) {
  const double w = 4, c = cos(angle), s = sin(angle);
  parts *p = parts_new(4);
  const flg_vec3 pin = vec(c, s, 0), end = vec(2 * c, 0, 0);
  add_rod(p, 1, vec(0, 0, 0), pin), add_rod(p, 1.5, pin, end);
  add_body(p, 0.7, flg_sym3_diagonal(0.1), end, flg_quat_identity());
  p->component.bodies[0].velocity = moving(-w * s / 2, w * c / 2, w);
  p->component.bodies[1].velocity = moving(-1.5 * w * s, w * c / 2, -w);
  p->component.bodies[2].velocity = moving(-2 * w * s, 0, 0);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, 0, vec(0, 0, 0), Z);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, 0, 1, pin, Z);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, 1, 2, end, Z);
  add_joint(p, FLG_CONSTRAINT_PRISMATIC, FLG_WORLD, 2, end, vec(1, 0, 0));
  return p;
}

/* the largest change of energy in two seconds, as a share; *flat: steps in the plane */
static double energy_change(double angle, double step, bool is_planar, int *flat) {
  parts *p = equal_arms(angle);
  flg_assembly *assembly = build(p, vec(0, 0, 0), is_planar);
  flg_assembly_refresh(assembly, 0);
  const double start = flg_assembly_kinetic_energy(assembly);
  double most = 0;
  *flat = 0;
  for (int k = 0; k < (int)(2 / step); k++) {
    assert_int_equal(flg_assembly_advance(assembly, 0, step, 0, 1), FLG_OK);
    *flat += was_planar(assembly);
    flg_assembly_refresh(assembly, 0);
    most = flg_larger(most, fabs(flg_assembly_kinetic_energy(assembly) - start) / start);
    assert_true(flg_assembly_closure(assembly).position < 1e-11);
  }
  flg_assembly_release(assembly);
  parts_drop(p);
  return most;
}

/* Steps that come near, and those that begin in the very pose, are left to space: order 2 stays. */
static void equal_arms_keep_their_energy_across_singular_poses(void **state) {
  (void)state;
  const double quarter = 1.57079632679489661923;
  const double angles[] = {1.2, quarter - 0.4, quarter - 0.004, quarter, 0.3};
  for (int k = 0; k < 5; k++) {
    for (int half = 0; half < 2; half++) {
      const double step = half ? STEP / 2 : STEP, bound = 12 * (8 * step) * (8 * step);
      int flat, none;
      const double flat_change = energy_change(angles[k], step, true, &flat);
      const double space = energy_change(angles[k], step, false, &none);
      print_message("from %.3f rad: %.1e, in space %.1e, bound %.1e; %d steps in the plane\n",
                    angles[k], flat_change, space, bound, flat);
      assert_true(flat_change < bound && space < bound);
      assert_true(flat > 1000 && flat < (int)(2 / step) && none == 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_mechanisms_move_as_they_do_in_space),
      cmocka_unit_test(facts_tell_rows_of_the_plane_and_those_left_out),
      cmocka_unit_test(steps_from_a_state_are_bit_for_bit_those_of_another_run),
      cmocka_unit_test(steps_in_oblique_planes_are_bit_for_bit_those_of_another_run),
      cmocka_unit_test(angles_of_many_turns_are_those_of_the_poses),
      cmocka_unit_test(what_is_not_held_flat_moves_in_space),
      cmocka_unit_test(steps_fall_back_to_space),
      cmocka_unit_test(equal_arms_keep_their_energy_across_singular_poses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
