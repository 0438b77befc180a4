/* Boxes on hinges that slide on the ground: every step is solved, whatever else there is, and is
 * the same in any units. Rows of balls that bounce keep momentum and energy. */
#include "random.h"
#include "touching_runs.h"

enum { BOXES = 20, STEPS = 100 };

typedef struct units {
  double length, mass, time;
} units;

static const units METRES = {1, 1, 1};

static flg_vec3 axis_of(int kind, int k) {
  switch (kind) {
    case 0:
      return vec(0, 0, 1);
    case 1:
      return vec(0, 1, 0);
    case 2:
      return k % 2 == 0 ? vec(0, 0, 1) : vec(0, 1, 0);
    default:
      return flg_vec3_normalise(vec(sin(k), cos(2 * k), 0.5));
  }
}

/* a row of boxes on hinges, moving along x and y, and loose boxes beside it */
static parts *row_of(int count, int loose, int kind, units by) {
  const double side = 0.2 * by.length, speed = by.length / by.time;
  parts *p = parts_new(count + loose + 1);
  shapes_new(p, count + loose + 1, 0.5, 0);
  add_floor(p);
  for (int k = 0; k < count + loose; k++) {
    const flg_vec3 at = k < count ? vec(1.1 * side * k, 0, side / 2)
                                  : vec(2 * side * (k - count), 5 * side, side / 2);
    add_box(p, by.mass, vec(side, side, side), at, flg_quat_identity());
    p->component.bodies[k].velocity.linear = vec(2 * speed, speed, 0);
  }
  for (int k = 0; k + 1 < count; k++) {
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, k, k + 1, vec(1.1 * side * (k + 0.5), 0, side / 2),
              axis_of(kind, k));
  }
  return p;
}

static void boxes_on_hinges_slide_beside_loose_ones(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    for (int loose = 0; loose < 3; loose += 2) {
      parts *p = row_of(BOXES, loose, kind, METRES);
      flg_assembly *assembly = touching(p);
      const double before = flg_assembly_energy(assembly);
      advance_or_fail(assembly, 1e-3, STEPS);
      const flg_contacts_totals totals = flg_contacts_take_totals(assembly->model.touch->contacts);
      assert_int_equal(totals.unsolved, 0);
      assert_true(totals.penetration < 1e-7);
      assert_true(flg_assembly_energy(assembly) < before);
      drop(assembly, p);
    }
  }
}

/* powers of two: rounding is the same in all units */
static void units_change_nothing(void **state) {
  (void)state;
  const units others[] = {{1. / 1024, 1, 1}, {64, 1. / 8, 1}, {1, 256, 4}, {16, 4, 1. / 4}};
  enum { FEW = 4, LOOSE = 2, NUMBERS = 7 * (FEW + LOOSE) };
  double seen[NUMBERS];
  for (int k = -1; k < 4; k++) {
    const units by = k < 0 ? METRES : others[k];
    parts *p = row_of(FEW, LOOSE, 3, by);
    flg_assembly_options options = touching_options();
    options.gravity = flg_vec3_scale(options.gravity, by.length / (by.time * by.time));
    flg_assembly *assembly = assemble(p, &options);
    advance_or_fail(assembly, by.time / 256, STEPS);
    for (int i = 0; i < NUMBERS; i++) {
      const double unit = i % 7 < 3 ? by.length : 1;
      if (k < 0) seen[i] = assembly->state.q[i];
      assert_near(assembly->state.q[i] / unit, seen[i], 1e-12);
    }
    drop(assembly, p);
  }
}

/* Balls in a row along x, the first of which moves. Several are hit more than once in a step. */
static void rows_of_unequal_balls_keep_energy(void **state) {
  (void)state;
  random_source source = {5};
  const double radius = 0.05;
  for (int k = 0; k < REPEATS(60); k++) {
    const int count = 2 + k % 9;
    double at = 0, momentum = 0;
    parts *p = parts_new(count);
    shapes_new(p, count, 0, 1);
    for (int j = 0; j < count; j++) {
      const double mass = pow(10, random_uniform(&source, -1, 1)), i = 0.4 * mass * radius * radius;
      add_body(p, mass, flg_sym3_diagonal(i), vec(at, 0, 0), flg_quat_identity());
      add_shape(p, j, FLG_SHAPE_SPHERE, radius, 1, 1);
      at += 2 * radius + random_uniform(&source, 0, 0.05);
    }
    p->component.bodies[0].velocity.linear.x = 3;
    flg_assembly_options options = touching_options();
    options.gravity = vec(0, 0, 0);
    options.scheme = k % 2 == 0 ? FLG_SCHEME_RATTLE : FLG_SCHEME_SEMI_IMPLICIT;
    flg_assembly *assembly = assemble(p, &options);
    const double before = flg_assembly_energy(assembly);
    advance_or_fail(assembly, 1. / (k % 3 == 0 ? 60 : 200), STEPS);
    for (int j = 0; j < count; j++)
      momentum += p->component.bodies[j].mass * assembly->state.v[6 * j];
    assert_near(momentum / (3 * p->component.bodies[0].mass), 1, 1e-12);
    assert_near(flg_assembly_energy(assembly) / before, 1, 1e-12);
    drop(assembly, p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_on_hinges_slide_beside_loose_ones),
      cmocka_unit_test(units_change_nothing),
      cmocka_unit_test(rows_of_unequal_balls_keep_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
