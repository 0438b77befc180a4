/* Rows that are frozen at the start lead to the same motion as rows that each step chooses; where
 * the choice does not hold, steps choose for themselves. */
#include "assembly/assembly_inner.h"
#include "check.h"
#include "component/assembly_start.h"
#include "pieces.h"
#include "random.h"

static const double STEP = 1e-3;
static const flg_vec3 DOWN = {0.3, -9.81, 0.2}, Z = {0, 0, 1};
static const char *const NAMES[] = {"rattle", "rk4", "semi-implicit"};

typedef enum way { CHOSEN, FROZEN, FLAT } way; /* the last with bodies that joints hold flat */

static flg_assembly *build(parts *p, flg_scheme scheme, way by) {
  flg_assembly_options options = flg_assembly_default();
  flg_mistakes mistakes = {0};
  flg_assembly *assembly = NULL;
  options.gravity = DOWN, options.scheme = scheme, options.reduces = by == FLAT;
  assert_int_equal(flg_assembly_build(&assembly, &p->component, NULL, &options, &mistakes), FLG_OK);
  assert_int_equal(flg_assembly_settle(assembly), FLG_OK);
  assembly->model.planar = NULL; /* its steps are those of other tests */
  if (by != CHOSEN) assert_int_equal(flg_assembly_freeze(assembly), FLG_OK);
  return assembly;
}

static void advance(flg_assembly *assembly, int steps) {
  assert_int_equal(flg_assembly_advance(assembly, 0, STEP, 0, steps), FLG_OK);
}

static bool is_frozen(const flg_assembly *assembly) {
  return flg_plan_is_frozen(assembly->scratch.plan);
}

static double difference(const flg_assembly *a, const flg_assembly *b) {
  double most = 0;
  const int count = a->model.position_count + a->model.velocity_count;
  for (int k = 0; k < count; k++) {
    most = flg_larger(most, fabs(a->state.numbers[k] - b->state.numbers[k]));
  }
  return most;
}

/* four-bars side by side, each crank on the ground */
static parts *ladder(int count) {
  parts *p = parts_new(2 * count + 4);
  for (int k = 0; k <= count; k++) {
    const flg_vec3 foot = vec(k + 0.2 * sin(k), 0, 0), top = vec(foot.x, 1 + 0.1 * sin(1.7 * k), 0);
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, add_rod(p, 1, foot, top), foot, Z);
  }
  for (int k = 0; k < count; k++) {
    const flg_vec3 a = vec(k + 0.2 * sin(k), 1 + 0.1 * sin(1.7 * k), 0);
    const flg_vec3 b = vec(k + 1 + 0.2 * sin(k + 1), 1 + 0.1 * sin(1.7 * (k + 1)), 0);
    const int rod = add_rod(p, 1.3, a, b);
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, k, rod, a, Z);
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, rod, k + 1, b, Z);
  }
  return p;
}

/* with a pendulum on its last crank, about an axis that is not in its plane */
static parts *tilted_ladder(int count) {
  parts *p = ladder(count);
  const flg_vec3 at = vec(count + 0.2 * sin(count), 0.5, 0);
  const int rod = add_rod(p, 0.5, at, vec(at.x, 0.2, 0.4));
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, count, rod, at, vec(0.3, 0.2, 1));
  return p;
}

static void motions_are_those_of_rows_that_are_chosen(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    for (int k = 0; k < 4; k++) {
      const bool tilts = k % 2, is_flat = k / 2;
      parts *p = tilts ? tilted_ladder(6) : ladder(6);
      flg_assembly *frozen = build(p, (flg_scheme)scheme, is_flat ? FLAT : FROZEN);
      flg_assembly *chosen = build(p, (flg_scheme)scheme, CHOSEN);
      int served = 0;
      for (int i = 0; i < 400; i++) {
        advance(frozen, 1), advance(chosen, 1);
        served += is_frozen(frozen);
        assert_false(is_frozen(chosen));
      }
      print_message("%s%s%s: %d steps with %d frozen rows, %.1e apart\n", NAMES[scheme],
                    tilts ? ", tilted" : "", is_flat ? ", flat" : "", served,
                    flg_plan_totals_view(frozen->scratch.plan).rank, difference(frozen, chosen));
      assert_true(served > 350);
      assert_true(difference(frozen, chosen) < 1e-9);
      flg_assembly_release(frozen), flg_assembly_release(chosen);
      parts_drop(p);
    }
  }
}

/* a run that goes on from a state elsewhere takes the same steps to the last bit */
static void steps_depend_on_the_state_alone(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    parts *p = tilted_ladder(4);
    flg_assembly *run = build(p, (flg_scheme)scheme, FLAT);
    for (int k = 0; k < 10; k++) {
      flg_assembly *other = build(p, (flg_scheme)scheme, FLAT);
      const size_t bytes = (size_t)run->model.state_count * sizeof(double);
      advance(run, 37);
      memcpy(other->state.numbers, run->state.numbers, bytes);
      advance(run, 2), advance(other, 2);
      assert_memory_equal(run->state.numbers, other->state.numbers, bytes);
      flg_assembly_release(other);
    }
    flg_assembly_release(run);
    parts_drop(p);
  }
}

/* --- singular poses -----------------------------------------------------------------------------
 */

/* Crank and rocker of equal length, coupler as long as the ground: it lies flat where the crank
 * does. */
static parts *parallelogram(double angle) {
  parts *p = parts_new(6);
  const flg_vec3 top = vec(cos(angle), sin(angle), 0), far = vec(2, 0, 0);
  const flg_vec3 end = flg_vec3_add(top, far);
  const double w = 3;
  add_rod(p, 1, vec(0, 0, 0), top), add_rod(p, 1.2, top, end), add_rod(p, 0.8, far, end);
  for (int k = 0; k < 3; k++) {
    const double share = k == 1 ? 1 : 0.5;
    p->component.bodies[k].velocity =
        (flg_spatial){{-w * share * top.y, w * share * top.x, 0}, {0, 0, k == 1 ? 0 : w}};
  }
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, 0, vec(0, 0, 0), Z);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, 0, 1, top, Z);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, 1, 2, end, Z);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, 2, far, Z);
  return p;
}

/* the largest change of energy in two seconds, as a share of the kinetic energy at the start */
static double energy_change(double angle, flg_scheme scheme, double step, way by, int *served) {
  parts *p = parallelogram(angle);
  flg_assembly *assembly = build(p, scheme, by);
  flg_assembly_refresh(assembly, 0);
  const double start = flg_assembly_energy(assembly), scale = flg_assembly_kinetic_energy(assembly);
  double most = 0;
  *served = 0;
  for (int k = 0; k < (int)(2 / step); k++) {
    assert_int_equal(flg_assembly_advance(assembly, 0, step, 0, 1), FLG_OK);
    *served += is_frozen(assembly);
    flg_assembly_refresh(assembly, 0);
    most = flg_larger(most, fabs(flg_assembly_energy(assembly) - start) / scale);
    assert_true(flg_assembly_closure(assembly).position < 1e-11);
  }
  flg_assembly_release(assembly);
  parts_drop(p);
  return most;
}

/* Steps that come near choose their rows, also where all begins in the very pose. */
static void energy_is_kept_across_singular_poses(void **state) {
  (void)state;
  static const double angles[] = {1.2, 0.004, 0, -0.3, 2};
  for (int k = 0; k < 5; k++) {
    for (int scheme = FLG_SCHEME_RATTLE; scheme <= FLG_SCHEME_RK4; scheme++) {
      int served, none;
      const double frozen = energy_change(angles[k], (flg_scheme)scheme, STEP, FROZEN, &served);
      const double chosen = energy_change(angles[k], (flg_scheme)scheme, STEP, CHOSEN, &none);
      const double half = energy_change(angles[k], (flg_scheme)scheme, STEP / 2, FROZEN, &none);
      const double flat = energy_change(angles[k], (flg_scheme)scheme, STEP, FLAT, &none);
      print_message("from %.3f rad, %s: %.1e, chosen %.1e, half a step %.1e; %d steps frozen\n",
                    angles[k], NAMES[scheme], frozen, chosen, half, served);
      /* a step at a singular pose loses digits, whatever its rows */
      assert_true(frozen < 2 * chosen + 5e-9);
      assert_true(half < frozen / 2.5 + 5e-9);
      assert_true(flat < 2 * chosen + 5e-9 && none > 1500);
      assert_true(served > 1500);
    }
  }
}

/* the choice is that of a pose in general, not that of a start where rows repeat each other */
static void a_start_that_is_singular_does_not_decide(void **state) {
  (void)state;
  parts *p = parallelogram(0);
  flg_assembly *assembly = build(p, FLG_SCHEME_RATTLE, FROZEN);
  advance(assembly, 300);
  assert_true(is_frozen(assembly));
  assert_int_equal(flg_plan_totals_view(assembly->scratch.plan).rank, 17);
  flg_assembly_release(assembly);
  parts_drop(p);
}

/* a row that was left out and counts again is seen by its residual */
static void rows_that_count_again_are_found(void **state) {
  (void)state;
  parts *p = ladder(3);
  flg_assembly *assembly = build(p, FLG_SCHEME_RK4, FROZEN);
  flg_assembly *chosen = build(p, FLG_SCHEME_RK4, CHOSEN);
  advance(assembly, 1), advance(chosen, 1);
  assert_true(is_frozen(assembly));
  /* one hinge has a tilted axis now: what others did for it they do not */
  for (int k = 0; k < 2; k++) {
    flg_assembly *of = k == 0 ? assembly : chosen;
    flg_row_set *last = &of->model.row_sets[of->model.joint_count - 1];
    const flg_mat3 tilt = flg_quat_to_matrix(flg_quat_exp(vec(0.2, 0.1, 0)));
    for (int s = 0; s < 2; s++) {
      last->anchor[s].pose.rotation = flg_mat3_multiply(&tilt, &last->anchor[s].pose.rotation);
    }
    flg_assembly_note_anchors(of);
    flg_assembly_begin(of);
  }
  static double a[2][6 * 16];
  for (int k = 0; k < 2; k++) {
    flg_assembly *of = k == 0 ? assembly : chosen;
    assert_int_equal(flg_assembly_forces(of, 0, of->state.q, of->state.v), FLG_OK);
    assert_int_equal(flg_assembly_factor(of, of->state.q, FLG_PIVOTS_CHOOSE), FLG_OK);
    assert_int_equal(flg_assembly_accelerate(of, a[k]), FLG_OK);
  }
  assert_false(is_frozen(assembly));
  for (int k = 0; k < assembly->model.velocity_count; k++) assert_near(a[0][k], a[1][k], 3e-10);
  flg_assembly_release(assembly), flg_assembly_release(chosen);
  parts_drop(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motions_are_those_of_rows_that_are_chosen),
      cmocka_unit_test(steps_depend_on_the_state_alone),
      cmocka_unit_test(energy_is_kept_across_singular_poses),
      cmocka_unit_test(a_start_that_is_singular_does_not_decide),
      cmocka_unit_test(rows_that_count_again_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
