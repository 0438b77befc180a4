/* Stacks at rest stay at rest, and every contact carries what lies on it: with masses that are far
 * apart, and on joints that hold some of its rows. */
#include "math/larger.h"
#include "scenarios.h"
#include "touching_runs.h"

static const double G = 9.81;
enum { MOST = 5, RATE = 240 };
static const double SIDE = 0.2;

/* cubes on each other, on a floor */
static parts *stack_of(int count, const double *masses, double friction) {
  parts *p = parts_new(count + 1);
  shapes_new(p, count + 1, friction, 0);
  add_floor(p);
  for (int k = 0; k < count; k++) {
    add_box(p, masses[k], vec(SIDE, SIDE, SIDE), vec(0, 0, SIDE * (k + 0.5)), flg_quat_identity());
  }
  return p;
}

/* how far any of them is from its place */
static double drift_of(const flg_assembly *assembly, int count) {
  double worst = 0;
  for (int k = 0; k < count; k++) {
    const double place[7] = {0, 0, SIDE * (k + 0.5), 1};
    worst = flg_larger(worst, max_difference(assembly->state.q + 7 * k, place, 7));
  }
  return worst;
}

/* --- masses that are far apart ---------------------------------------------------------------- */

typedef struct rest {
  double drift, energy, weight; /* [m]; what is gained; worst net force, by the weight of its box */
  long unsolved;
} rest;

static rest let_rest(int count, const double *masses, double friction, double h, int steps) {
  parts *p = stack_of(count, masses, friction);
  flg_assembly *assembly = touching(p);
  const double before = flg_assembly_energy(assembly);
  advance_or_fail(assembly, h, steps);
  rest found = {.drift = drift_of(assembly, count),
                .energy = flg_assembly_energy(assembly) / before - 1,
                .unsolved = flg_contacts_take_totals(assembly->model.touch->contacts).unsolved};
  for (int k = 0; k < count; k++) {
    const double off = flg_assembly_contact_force(assembly, flg_assembly_owner(assembly, -1, k)).z /
                           (masses[k] * G) -
                       1;
    found.weight = flg_larger(found.weight, fabs(off));
  }
  drop(assembly, p);
  return found;
}

/* light and heavy in turns, or heavier and heavier, from below or from above */
static void fill_masses(int kind, int count, double ratio, double *masses) {
  for (int k = 0; k < count; k++) {
    const int place = kind % 2 == 0 ? k : count - 1 - k;
    masses[k] = kind < 2 ? (place % 2 == 0 ? 1 : ratio) : pow(ratio, (double)place / (count - 1));
  }
}

static void stacks_of_any_masses_stay_at_rest(void **state) {
  (void)state;
  static const double ratios[] = {1, 1e2, 1e4, 1e6, 3e8, 1e9};
  double masses[MOST];
  for (int r = 0; r < 6; r++) {
    for (int count = 2; count <= MOST; count++) {
      for (int kind = 0; kind < 4; kind++) {
        fill_masses(kind, count, ratios[r], masses);
        const rest found = let_rest(count, masses, 0.5, 1. / 60, REPEATS(20));
        /* what rounding leaves of a light box between heavy ones grows with the ratio */
        assert_true(found.drift < 1e-8 + 1e-14 * ratios[r]);
        assert_true(found.weight < 1e-6 + 3e-11 * ratios[r]);
        assert_true(found.energy < 1e-9);
        if (ratios[r] <= 1e6) assert_int_equal(found.unsolved, 0);
      }
    }
  }
}

/* without friction a light box is squeezed out by any tilt: 1e-11 rad under 1e6 kg are 0.1 N */
static void smooth_stacks_stay_at_rest(void **state) {
  (void)state;
  double masses[MOST];
  for (double ratio = 1; ratio < 2e4; ratio *= 10) {
    for (int count = 2; count <= MOST; count++) {
      for (int kind = 0; kind < 4; kind++) {
        fill_masses(kind, count, ratio, masses);
        const rest found = let_rest(count, masses, 0, 1. / 60, REPEATS(20));
        assert_true(found.drift < 1e-7 + 1e-9 * ratio);
        /* corners that leave the edge of what they lie on are other contacts in the next step */
        if (ratio <= 10) assert_true(found.weight < 1e-6);
        assert_true(found.energy < 1e-9);
        assert_int_equal(found.unsolved, 0);
      }
    }
  }
}

/* --- joints that hold rows of contacts ------------------------------------------------------- */

typedef struct holding {
  flg_constraint_kind kind;
  flg_vec3 axis;
} holding;

static const holding holdings[] = {
    {FLG_CONSTRAINT_PRISMATIC, {1, 0, 0}},   {FLG_CONSTRAINT_PRISMATIC, {0, 1, 0}},
    {FLG_CONSTRAINT_PRISMATIC, {0, 0, 1}},   {FLG_CONSTRAINT_PRISMATIC, {0.6, 0, 0.8}},
    {FLG_CONSTRAINT_PRISMATIC, {1, 1, 1}},   {FLG_CONSTRAINT_PRISMATIC, {1, 1e-7, 0}},
    {FLG_CONSTRAINT_REVOLUTE, {0, 0, 1}},    {FLG_CONSTRAINT_REVOLUTE, {1, 0, 0}},
    {FLG_CONSTRAINT_REVOLUTE, {1, 2, 3}},    {FLG_CONSTRAINT_PLANAR, {0, 0, 1}},
    {FLG_CONSTRAINT_PLANAR, {1, 0, 0}},      {FLG_CONSTRAINT_WELD, {0, 0, 1}},
    {FLG_CONSTRAINT_SPHERICAL, {0, 0, 1}},   {FLG_CONSTRAINT_CYLINDRICAL, {0, 0, 1}},
    {FLG_CONSTRAINT_CYLINDRICAL, {3, 5, 8}},
};
enum { HOLDINGS = sizeof holdings / sizeof holdings[0] };

/* the lowest box, or another one, on a joint to the ground */
static void check_held_stack(const holding *by, int count, int held, double friction) {
  const double masses[MOST] = {1, 1, 1, 1, 1};
  parts *p = stack_of(count, masses, friction);
  add_joint(p, by->kind, FLG_WORLD, held, vec(0, 0, SIDE * (held + 0.5)), by->axis);
  flg_assembly *assembly = touching(p);
  advance_or_fail(assembly, 1. / RATE, RATE / 8);
  assert_true(drift_of(assembly, count) < 1e-7);
  assert_int_equal(report_of(assembly).unsolved, 0);
  /* what lies on the held one is carried: all boxes above it are in balance */
  for (int k = held + 1; k < count; k++)
    assert_near(flg_assembly_contact_force(assembly, flg_assembly_owner(assembly, -1, k)).z,
                masses[k] * G, 1e-8);
  drop(assembly, p);
}

static void stacks_rest_on_boxes_that_joints_hold(void **state) {
  (void)state;
  for (int k = 0; k < HOLDINGS; k++) {
    for (int count = 1; count <= MOST; count++) {
      check_held_stack(&holdings[k], count, 0, 0.5);
      check_held_stack(&holdings[k], count, 0, 0);
    }
    check_held_stack(&holdings[k], MOST, 2, 0.5);
    check_held_stack(&holdings[k], MOST, MOST - 1, 0.5);
  }
}

/* every box on a joint of its own: contacts carry nothing, and rounding pushes them */
static void boxes_that_joints_carry_rest_on_each_other(void **state) {
  (void)state;
  const double masses[MOST] = {1, 1, 1, 1, 1};
  for (int k = 0; k < HOLDINGS; k++) {
    for (int count = 2; count <= 4; count++) {
      parts *p = stack_of(count, masses, 0.5);
      for (int j = 0; j < count; j++)
        add_joint(p, holdings[k].kind, FLG_WORLD, j, vec(0, 0, SIDE * (j + 0.5)), holdings[k].axis);
      flg_assembly *assembly = touching(p);
      advance_or_fail(assembly, 1. / RATE, RATE / 8);
      assert_true(drift_of(assembly, count) < 1e-7);
      assert_int_equal(flg_contacts_take_totals(assembly->model.touch->contacts).unsolved, 0);
      drop(assembly, p);
    }
  }
}

/* --- robots whose joint holds rows of their contacts ------------------------------------------ */

/* a box on the floor on one joint, pushed along it; the normal may be held, and what moves dies out
 */
static void check_robot(const char *kind, flg_vec3 axis, double friction) {
  static const char scenario[] =
      "flange: 1\ntime: {end: 0.5, macro: 1/60}\n"
      "subsystems: {r: {model: model.yaml, step: 1/240}}\n"
      "events: [{at: 0, set_velocity: {r/j: 0.5}}]\nrecord: [r/bob.position]\n";
  char model[1024];
  snprintf(model, sizeof model,
           "flange-model: 1\nmaterials: {m: {friction: %g}}\n"
           "bodies: {bob: {mass: 1, inertia: [0.01, 0.01, 0.01], shapes: "
           "[{kind: box, size: [0.2, 0.2, 0.2], material: m}]}}\n"
           "joints: {j: {kind: %s, child: bob, axis: [%.17g, %.17g, %.17g], at: [0, 0, 0.1]}}\n"
           "shapes: [{kind: plane, material: m}]\n",
           friction, kind, axis.x, axis.y, axis.z);
  double position[3];
  final_values(scenario, model, position);
  const double height = position[2];
  assert_true(height > 0.1 - 1e-5 && height < 0.14);
}

static void robots_touch_along_rows_that_their_joint_holds(void **state) {
  (void)state;
  static const flg_vec3 axes[] = {{1, 0, 0},       {0, 0, 1}, {0.6, 0, 0.8}, {1, 1, 1},
                                  {1, 1e-9, 1e-9}, {1, 2, 3}, {0, 1, 1e-5}};
  for (int k = 0; k < 7; k++) {
    for (int smooth = 0; smooth < 2; smooth++) {
      check_robot("prismatic", axes[k], smooth ? 0 : 0.5);
      check_robot("revolute", axes[k], smooth ? 0 : 0.5);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stacks_of_any_masses_stay_at_rest),
      cmocka_unit_test(smooth_stacks_stay_at_rest),
      cmocka_unit_test(stacks_rest_on_boxes_that_joints_hold),
      cmocka_unit_test(boxes_that_joints_carry_rest_on_each_other),
      cmocka_unit_test(robots_touch_along_rows_that_their_joint_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
