/* The cyclo-drive of examples/spbot: ratio, inertia and losses against closed forms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembly/assembly.h"
#include "assembly/assembly_limits.h"
#include "assembly_views.h"
#include "check.h"
#include "component/assembly_freedom.h"
#include "component_read.h"
#include "text/yaml.h"

/* of rates; discs that go around are seen one step late by semi-implicit */
static const double tolerances[FLG_SCHEME_COUNT] = {1e-8, 1e-8, 1e-4};

typedef struct drive {
  flg_region region;
  flg_mistakes mistakes;
  flg_component component;
  flg_assembly *assembly;
} drive;

static int coordinate_named(const drive *of, const char *name) {
  for (int k = 0; k < of->component.coordinate_count; k++) {
    if (strcmp(of->component.coordinates[k].name, name) == 0) return k;
  }
  fail_msg("no coordinate %s", name);
  return -1;
}

static void expect_no_mistake(const drive *of) {
  if (of->mistakes.count > 0) fail_msg("%s", of->mistakes.list[0].message);
}

/* the drive with its housing welded to the ground, torques on both shafts and some parameters */
static drive *make(flg_scheme scheme, double input, double output, const char *parameters) {
  char text[1200];
  snprintf(text, sizeof text,
           "flange-component: 1\n"
           "components: {d: {file: examples/spbot/models/cyclo_drive.yaml, parameters: {%s}}}\n"
           "joints: {base: {kind: weld, between: [world, d/housing]}}\n"
           "sensors: {fast: {measure: angle, between: [world, d/fast]},\n"
           "          slow: {measure: angle, between: [world, d/slow]}}\n"
           "forces: {in: {on: fast, effort: %g}, out: {on: slow, effort: %g}}\n",
           parameters, input, output);
  drive *made = calloc(1, sizeof *made);
  const flg_component_use use = {.path = "cyclo.yaml", .pose = flg_pose_identity()};
  flg_node *root = flg_yaml_parse(&made->region, "cyclo.yaml", text, strlen(text), &made->mistakes);
  component_read(&made->component, &use, root, &made->region, &made->mistakes);
  expect_no_mistake(made);
  flg_assembly_options options = flg_assembly_default();
  options.scheme = scheme;
  flg_assembly_build(&made->assembly, &made->component, NULL, &options, &made->mistakes);
  expect_no_mistake(made);
  return made;
}

static void drop(drive *of) {
  flg_assembly_release(of->assembly);
  flg_region_release(&of->region);
  free(of);
}

static double advance(drive *of, double h, int count, const char *name) {
  assert_int_equal(flg_assembly_advance(of->assembly, 0, h, 0, count), FLG_OK);
  flg_assembly_refresh(of->assembly, 0);
  double rate;
  flg_assembly_coordinate(of->assembly, coordinate_named(of, name), &rate);
  return rate;
}

/* seen from the fast shaft: what turns with it, its discs going around and turning slowly */
static double fast_inertia(double ratio, double eccentricity) {
  return 9e-5 + 2 * (0.85 * eccentricity * eccentricity + 1.5e-3 / (ratio * ratio));
}

static void it_turns_as_one_inertia(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    drive *d = make((flg_scheme)scheme, 1, 20, "ratio: 59");
    flg_freedom freedom;
    assert_int_equal(flg_assembly_freedom(d->assembly, &freedom), FLG_OK);
    assert_int_equal(freedom.velocities, 30);
    assert_int_equal(freedom.rows, 29);
    assert_int_equal(freedom.rank, 29);
    assert_int_equal(flg_assembly_switches(d->assembly, &(long){0}), 0);
    const double fast = advance(d, 1e-4, 100, "fast");
    double slow;
    flg_assembly_coordinate(d->assembly, coordinate_named(d, "slow"), &slow);
    const double a = (1 - 20. / 59) / (fast_inertia(59, 0.0015) + 0.014 / (59 * 59));
    assert_near(slow, -fast / 59, 1e-12);
    assert_near(fast, 0.01 * a, tolerances[scheme] * fast);
    drop(d);
  }
}

static void it_loses_power(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    drive *d = make((flg_scheme)scheme, 1, 20, "efficiency: 0.8");
    const double before = advance(d, 1e-5, 1000, "fast"), after = advance(d, 1e-5, 1000, "fast");
    const double a = (1 - 20 / (59 * 0.8)) / (fast_inertia(59, 0.0015) + 0.014 / (59 * 59 * 0.8));
    assert_near((after - before) / 0.01, a, tolerances[scheme] * a);
    drop(d);
  }
}

/* 0.4 N m at the fast shaft hold against 20 N m / 59 = 0.339 N m, give or take */
static void friction_holds_it(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    drive *d = make((flg_scheme)scheme, 0, 20, "coulomb: 0.4");
    assert_near(advance(d, 1e-3, 5000, "slow"), 0, 1e-12);
    const int slow = coordinate_named(d, "slow");
    assert_true(fabs(flg_assembly_coordinate(d->assembly, slow, NULL)) < 1e-9);
    assert_near(flg_assembly_friction(d->assembly, 0).effort, 20. / 59, 1e-13);
    drop(d);
    d = make((flg_scheme)scheme, 0, 24, "coulomb: 0.4"); /* 0.407 N m */
    assert_true(advance(d, 1e-3, 100, "slow") > 0.01);
    drop(d);
  }
}

/* a load on the slow shaft takes up half the play, and what the spring yields */
static void it_gives_way_by_choice(void **state) {
  (void)state;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    drive *d = make((flg_scheme)scheme, 0, 20, "coulomb: 0.4, backlash: 0.002");
    assert_near(advance(d, 1e-4, 2000, "slow"), 0, 1e-12);
    const int pins = coordinate_named(d, "d/pins");
    assert_near(flg_assembly_coordinate(d->assembly, pins, NULL), -0.001, 1e-12);
    drop(d);
    if (scheme == FLG_SCHEME_RK4) continue; /* its spring is implicit */
    d = make((flg_scheme)scheme, 0, 20, "coulomb: 2, backlash: 0.002, stiffness: 1e4, damping: 20");
    assert_near(advance(d, 1e-4, 10000, "slow"), 0, 1e-12);
    assert_near(flg_assembly_coordinate(d->assembly, pins, NULL), -0.001 - 20 / 1e4, 1e-14);
    drop(d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_turns_as_one_inertia),
      cmocka_unit_test(it_loses_power),
      cmocka_unit_test(friction_holds_it),
      cmocka_unit_test(it_gives_way_by_choice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
