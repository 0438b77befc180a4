/* What joints leave free is a matter of geometry: it depends neither on masses and inertias nor on
 * the units they are given in. */
#include "component/assembly_freedom.h"
#include "parts.h"

typedef struct chain {
  const char *what;
  flg_constraint_kind kinds[2]; /* in turns */
  bool is_closed;               /* to the ground at both ends */
  int velocities, rank;
} chain;

enum { RODS = 3 };

static const chain chains[] = {
    {"a four-bar", {FLG_CONSTRAINT_REVOLUTE, FLG_CONSTRAINT_REVOLUTE}, true, 18, 17},
    {"three hinges", {FLG_CONSTRAINT_REVOLUTE, FLG_CONSTRAINT_REVOLUTE}, false, 18, 15},
    {"balls", {FLG_CONSTRAINT_SPHERICAL, FLG_CONSTRAINT_SPHERICAL}, true, 18, 12},
    {"three balls", {FLG_CONSTRAINT_SPHERICAL, FLG_CONSTRAINT_SPHERICAL}, false, 18, 9},
    {"hinges and balls", {FLG_CONSTRAINT_REVOLUTE, FLG_CONSTRAINT_SPHERICAL}, true, 18, 16},
    {"sliders and hinges", {FLG_CONSTRAINT_PRISMATIC, FLG_CONSTRAINT_REVOLUTE}, false, 18, 15},
    {"sleeves", {FLG_CONSTRAINT_CYLINDRICAL, FLG_CONSTRAINT_REVOLUTE}, false, 18, 13},
};
enum { CHAINS = sizeof chains / sizeof chains[0] };

/* a rod along `along`, whose inertia about itself is a part of that across */
static int add_thin_rod(parts *to, double mass, flg_vec3 from, flg_vec3 end, double axial) {
  const flg_vec3 along = flg_vec3_subtract(end, from);
  const double length = flg_vec3_norm(along), across = mass * length * length / 12;
  const flg_vec3 x = flg_vec3_scale(along, 1 / length);
  const flg_sym3 inertia =
      flg_sym3_add_scaled(flg_sym3_diagonal(across), across * (axial - 1), flg_sym3_outer(x));
  const flg_vec3 middle = flg_vec3_scale(flg_vec3_add(from, end), 0.5);
  return add_body(to, mass, inertia, middle, flg_quat_identity());
}

/* rods in a plane, the hinges across it; size: of a metre, mass: of the first rod, ratio: of one to
 * the next */
static flg_freedom freedom_of(const chain *c, double size, double mass, double ratio,
                              double axial) {
  static const double slopes[RODS] = {1, 0.2, -0.9};
  parts *p = parts_new(RODS + 1);
  flg_vec3 at = vec(0.3 * size, 0, 0.1 * size), joints[RODS + 1] = {at};
  for (int k = 0; k < RODS; k++) {
    at = flg_vec3_add(at, vec(size * cos(slopes[k]), 0, size * sin(slopes[k])));
    joints[k + 1] = at;
    add_thin_rod(p, mass * pow(ratio, k), joints[k], at, axial);
  }
  for (int k = 0; k < RODS + c->is_closed; k++)
    add_joint(p, c->kinds[k % 2], k == 0 ? FLG_WORLD : k - 1, k == RODS ? FLG_WORLD : k, joints[k],
              vec(0, 1, 0));
  const flg_assembly_options options = flg_assembly_default();
  flg_assembly *assembly = assemble(p, &options);
  flg_freedom freedom;
  assert_int_equal(flg_assembly_freedom(assembly, &freedom), FLG_OK);
  flg_assembly_release(assembly);
  parts_drop(p);
  return freedom;
}

static void freedoms_depend_neither_on_masses_nor_on_units(void **state) {
  (void)state;
  static const double axials[] = {1, 1e-3, 1e-6, 1e-8, 1e-9, 1e-10};
  static const double sizes[] = {1e-3, 1, 1e3}, masses[] = {1e-6, 1, 1e6},
                      ratios[] = {1, 1e3, 1e-3};
  for (int k = 0; k < CHAINS * 6 * 27; k++) {
    const chain *c = &chains[k % CHAINS];
    const int a = k / CHAINS % 6, s = k / CHAINS / 6 % 3, m = k / CHAINS / 18 % 3,
              r = k / CHAINS / 54;
    const flg_freedom found = freedom_of(c, sizes[s], masses[m], ratios[r], axials[a]);
    if (found.velocities == c->velocities && found.rank == c->rank) continue;
    fail_msg("%s of %g m and %g kg, by %g, axial inertias %g: rank %d of %d, not %d", c->what,
             sizes[s], masses[m], ratios[r], axials[a], found.rank, found.velocities, c->rank);
  }
}

/* a chain whose fifth joint is there twice: one of the two is redundant, for the sake of the other
 */
static void double_a_joint(int links) {
  enum { ROWS = 5, FIFTH = 4 };
  const bool is_large = 5 * links > 1500;
  parts *p = parts_new(links + 1);
  for (int k = 0; k < links; k++) {
    add_rod(p, 1, vec(k, 0, 0), vec(k + 1, 0, 0));
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, k - 1, k, vec(k, 0, 0), vec(0, k % 2, 1));
  }
  const int twin = add_joint(p, FLG_CONSTRAINT_REVOLUTE, 3, 4, vec(4, 0, 0), vec(0, 0, 1));
  const flg_assembly_options options = flg_assembly_default();
  flg_assembly *assembly = assemble(p, &options);
  flg_freedom freedom;
  flg_redundancies found;
  assert_int_equal(flg_assembly_freedom(assembly, &freedom), FLG_OK);
  assert_int_equal(freedom.velocities - freedom.rank, links);
  assert_int_equal(flg_assembly_redundancies(assembly, &found), FLG_OK);
  assert_int_equal(found.count, 1);
  const flg_redundancy *one = &found.list[0];
  assert_true(one->joint == twin || one->joint == FIFTH);
  assert_int_equal(one->rows, ROWS);
  assert_int_equal(one->is_unknown, is_large);
  assert_int_equal(one->other_count, !is_large);
  if (!is_large) assert_int_equal(one->others[0], twin + FIFTH - one->joint);
  flg_region_release(&found.region);
  flg_assembly_release(assembly);
  parts_drop(p);
}

static void a_redundant_joint_is_told_with_the_other(void **state) {
  (void)state;
  double_a_joint(5);
  double_a_joint(20);
}

/* past 1,500 rows redundant ones are not looked for, and no robot is blamed for them */
static void redundant_joints_of_large_systems_are_told_without_the_others(void **state) {
  (void)state;
  double_a_joint(320);
}

enum { LOOSE_BODIES = 9 };

/* spread from the ground along ties, body by body, until nothing changes */
static void spread_from_ground(bool joined[LOOSE_BODIES + 1][LOOSE_BODIES + 1],
                               bool held[LOOSE_BODIES + 1]) {
  memset(held, 0, LOOSE_BODIES + 1), held[LOOSE_BODIES] = true;
  for (int round = 0; round < LOOSE_BODIES; round++) {
    for (int a = 0; a <= LOOSE_BODIES; a++) {
      for (int b = 0; b <= LOOSE_BODIES; b++) held[a] |= joined[a][b] && held[b];
    }
  }
}

/* forests and loops of joints of any kind and of springs, of which some hang on the ground */
static void bodies_that_nothing_connects_with_the_ground_are_loose(void **state) {
  (void)state;
  static const flg_constraint_kind kinds[8] = {
      FLG_CONSTRAINT_WELD,        FLG_CONSTRAINT_REVOLUTE,     FLG_CONSTRAINT_PRISMATIC,
      FLG_CONSTRAINT_CYLINDRICAL, FLG_CONSTRAINT_SPHERICAL,    FLG_CONSTRAINT_UNIVERSAL,
      FLG_CONSTRAINT_PLANAR,      FLG_CONSTRAINT_POINT_ON_LINE};
  random_source source = {3};
  for (int repeat = 0; repeat < REPEATS(200); repeat++) {
    bool joined[LOOSE_BODIES + 1][LOOSE_BODIES + 1] = {{false}}, held[LOOSE_BODIES + 1];
    bool loose[LOOSE_BODIES];
    parts *p = parts_new(2 * LOOSE_BODIES);
    for (int k = 0; k < LOOSE_BODIES; k++) add_rod(p, 1, vec(k, 0, 0), vec(k + 1, 0, 0));
    for (int k = random_integer(&source, 0, LOOSE_BODIES); k > 0; k--) {
      const int a = random_integer(&source, 0, LOOSE_BODIES - 1);
      const int b = random_integer(&source, -1, LOOSE_BODIES - 1), end = b < 0 ? FLG_WORLD : b;
      if (a == b) continue;
      const flg_vec3 at = vec(random_uniform(&source, 0, 9), random_uniform(&source, -1, 1), 0);
      if (k % 3 == 0) {
        add_strut(p, a, vec(a, 1, 0), end, vec(b, 2, 0), 10, 1, 1);
      } else {
        add_joint(p, kinds[random_integer(&source, 0, 7)], end, a, at, vec(0, 0, 1));
      }
      joined[a][b < 0 ? LOOSE_BODIES : b] = joined[b < 0 ? LOOSE_BODIES : b][a] = true;
    }
    spread_from_ground(joined, held);
    const flg_assembly_options options = flg_assembly_default();
    flg_assembly *assembly = assemble(p, &options);
    flg_region region = {0};
    int count = 0;
    const int found = flg_assembly_loose(assembly, loose, &region);
    for (int k = 0; k < LOOSE_BODIES; k++) {
      assert_int_equal(loose[k], !held[k]);
      count += !held[k];
    }
    assert_int_equal(found, count);
    flg_region_release(&region);
    flg_assembly_release(assembly);
    parts_drop(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(freedoms_depend_neither_on_masses_nor_on_units),
      cmocka_unit_test(a_redundant_joint_is_told_with_the_other),
      cmocka_unit_test(bodies_that_nothing_connects_with_the_ground_are_loose),
      cmocka_unit_test(redundant_joints_of_large_systems_are_told_without_the_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
