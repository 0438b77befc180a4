#include "forces/force.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "forces/force_keys.h"

/* a component with one element of each kind, on coordinates between a body and the ground */
typedef struct sample {
  flg_component_body bodies[2];
  flg_component_coordinate coordinates[3];
  flg_component_joint joint;
  flg_component_spring spring;
  flg_component_friction friction;
  flg_component_stop stop;
  flg_component_load load;
  flg_motor motor;
  flg_effort effort;
  flg_component component;
  flg_mistakes mistakes;
} sample;

static flg_anchor on(int body) {
  return (flg_anchor){-1, body, flg_pose_identity()};
}

static flg_component_coordinate angle(const char *name) {
  return (flg_component_coordinate){
      .name = name, .group = FLG_TOP, .kind = FLG_COORDINATE_ANGLE, .end = {on(FLG_WORLD), on(0)}};
}

static sample *good(void) {
  static sample made;
  made = (sample){
      .bodies = {{.name = "disc"}, {.name = "base", .fixed = true}},
      .coordinates = {angle("a"),
                      angle("b"),
                      {.name = "s",
                       .group = FLG_TOP,
                       .kind = FLG_COORDINATE_SUM,
                       .of = {0, 1},
                       .factor = {1, -2}}},
      .joint = {.name = "g", .coordinate = {0, 1}},
      .spring = {.name = "k", .group = FLG_TOP, .coordinate = 2, .rest = (double)NAN},
      .friction = {.name = "f", .group = FLG_TOP, .coulomb = 1, .stiction = 2, .efficiency = 0.5},
      .stop = {.name = "e", .group = FLG_TOP, .coordinate = 2, .lower = -1, .upper = 1},
      .load = {.name = "w", .group = FLG_TOP, .at = on(0)},
      .motor = {.name = "m", .group = FLG_TOP, .resistance = 1, .torque_constant = 1},
      .effort = {.name = "u", .group = FLG_TOP, .limit = {-1, 1}}};
  made.component = (flg_component){.bodies = made.bodies,
                                   .body_count = 2,
                                   .loads = &made.load,
                                   .load_count = 1,
                                   .motors = &made.motor,
                                   .motor_count = 1,
                                   .efforts = &made.effort,
                                   .effort_count = 1,
                                   .coordinates = made.coordinates,
                                   .coordinate_count = 3,
                                   .joints = &made.joint,
                                   .joint_count = 1,
                                   .springs = &made.spring,
                                   .spring_count = 1,
                                   .frictions = &made.friction,
                                   .friction_count = 1,
                                   .stops = &made.stop,
                                   .stop_count = 1};
  return &made;
}

/* the one mistake, or none */
static void expect(sample *of, const char *message) {
  of->mistakes = (flg_mistakes){0};
  flg_forces_check(&of->component, &of->mistakes);
  assert_int_equal(of->mistakes.count, message == NULL ? 0 : 1);
  if (message == NULL) return;
  if (strstr(of->mistakes.list[0].message, message) == NULL) {
    fail_msg("%s, not %s", of->mistakes.list[0].message, message);
  }
}

static void what_is_right_passes(void **state) {
  (void)state;
  for (int carrier = FLG_CARRIER_NONE; carrier <= FLG_CARRIER_STOP; carrier++) {
    sample *s = good();
    s->friction.carrier = (flg_carrier)carrier;
    expect(s, NULL);
  }
  sample *s = good();
  s->stop.upper = (double)INFINITY;
  expect(s, NULL);
}

static void frictions_are_checked(void **state) {
  (void)state;
  sample *s = good();
  s->friction.stiction = 0.5;
  expect(s, "must be at least the Coulomb effort");
}

static void stops_are_checked(void **state) {
  (void)state;
  sample *s = good();
  s->stop.lower = 1;
  expect(s, "stop 'e' is from 1 to 1");
  s = good(), s->stop.lower = -(double)INFINITY, s->stop.upper = (double)INFINITY;
  expect(s, "stops nothing");
  s = good(), s->stop.lower = NAN;
  expect(s, "its lower end must be less");
}

static void springs_are_checked(void **state) {
  (void)state;
  sample *s = good();
  s->spring.coordinate = 0, s->coordinates[0].end[0] = on(0);
  expect(s, "spring 'k' is between body 'disc' and itself");
  s->coordinates[0].end[1] = on(FLG_WORLD), s->coordinates[0].end[0] = on(1);
  expect(s, "spring 'k' is between 'base' and 'world', neither of which can move");
}

static void loads_are_checked(void **state) {
  (void)state;
  sample *s = good();
  s->load.name = NULL;
  expect(s, "a load has no name");
  s = good(), s->load.at.pose.position.x = NAN;
  expect(s, "the frame of load 'w' is not a place in space");
}

static void motors_and_efforts_are_checked(void **state) {
  (void)state;
  sample *s = good();
  s->motor.resistance = 0;
  expect(s, "has no resistance and no inductance");
  s = good(), s->motor.back_emf = -1;
  expect(s, "would drive itself");
  s = good(), s->effort.limit[0] = NAN;
  expect(s, "the limits of effort 'u' are nan and 1");
}

static void elements_stand_in_one_order(void **state) {
  (void)state;
  static const flg_force_kind *const kinds[] = {&flg_spring_kind,   &flg_load_kind,
                                                &flg_motor_kind,    &flg_effort_kind,
                                                &flg_friction_kind, &flg_stop_kind};
  const sample *s = good();
  assert_int_equal(flg_forces_count(&s->component), FLG_COUNT(kinds));
  for (int k = 0; k < FLG_COUNT(kinds); k++) {
    const flg_force force = flg_forces_at(&s->component, k);
    assert_ptr_equal(force.kind, kinds[k]);
    assert_int_equal(flg_forces_first(&s->component, kinds[k]), k);
  }
  const flg_force stop = flg_forces_at(&s->component, 5), load = flg_forces_at(&s->component, 1);
  assert_int_equal(flg_force_coordinate(&stop), 2);
  assert_int_equal(flg_force_coordinate(&load), -1);
  assert_ptr_equal(flg_force_ends(&load), &s->load.at);
}

static void check_nothing(const flg_checked *own, const void *of) {
  (void)own, (void)of;
}

/* what is said of the table of a component's only element; NULL: it is whole */
static const char *refusal_of(const flg_force_kind *kind) {
  static flg_mistakes mistakes;
  flg_component_element element = {.kind = kind, .name = "odd", .group = FLG_TOP};
  flg_component component = {.elements = &element, .element_count = 1};
  flg_force_kind plain = *kind;
  if (plain.check != NULL) plain.check = check_nothing;
  element.kind = &plain;
  mistakes = (flg_mistakes){0};
  flg_forces_check(&component, &mistakes);
  return mistakes.count == 0 ? NULL : mistakes.list[0].message;
}

/* what an assembly calls without asking */
static void tables_are_whole(void **state) {
  (void)state;
  const flg_force_kind *kinds[6 + FLG_LISTED_COUNT] = {&flg_spring_kind,   &flg_load_kind,
                                                       &flg_motor_kind,    &flg_effort_kind,
                                                       &flg_friction_kind, &flg_stop_kind};
  for (int k = 0; k < FLG_LISTED_COUNT; k++) kinds[6 + k] = flg_listed_kinds[k];
  for (int k = 0; k < FLG_COUNT(kinds); k++) {
    const flg_force_kind *kind = kinds[k];
    assert_null(refusal_of(kind));
    assert_true(kind->ends > 0 || kind->rows == 1);
    assert_true(k < 6 || kind->keys != NULL);
  }
}

static void tables_with_gaps_are_refused(void **state) {
  (void)state;
  flg_force_kind lacking[] = {flg_spring_kind,  flg_spring_kind,  flg_load_kind,
                              flg_bushing_kind, flg_bushing_kind, flg_bushing_kind,
                              flg_motor_kind,   flg_motion_kind,  flg_stop_kind};
  static const char *const entries[] = {"'check'",   "'identity'",  "'push'",
                                        "'measure'", "'law'",       "'rows'",
                                        "'law'",     "'own_count'", "'name'"};
  lacking[0].check = NULL, lacking[1].identity = NULL, lacking[2].push = NULL;
  lacking[3].measure = NULL, lacking[4].law = NULL, lacking[5].rows = FLG_FORCE_ROWS_MAX + 1;
  lacking[6].law = NULL, lacking[7].own_count = 1, lacking[8].name = NULL;
  for (int k = 0; k < FLG_COUNT(lacking); k++) {
    const char *refusal = refusal_of(&lacking[k]);
    assert_non_null(refusal);
    assert_non_null(strstr(refusal, entries[k]));
  }
}

/* numbers beside the first are those of other elements: nothing of them is read or written */
static void a_spring_rests_where_it_starts_or_where_its_file_says(void **state) {
  (void)state;
  const double value[2] = {0.3, 0.7}, rests[2] = {(double)NAN, 0.1};
  for (int k = 0; k < 2; k++) {
    flg_component_spring spring = {.stiffness = 20, .rest = rests[k]};
    double own[2] = {5, 6};
    const flg_force force = {.kind = &flg_spring_kind, .of = &spring, .own = own};
    flg_law law;
    flg_spring_kind.start(&force, value);
    const double rest = k == 0 ? 0.3 : 0.1;
    assert_near(own[0], rest, 0);
    assert_near(own[1], 6, 0);
    const double moved[2] = {0.8, -1};
    flg_spring_kind.law(&force, moved, &law);
    assert_near(law.effort, -20 * (0.8 - rest), 1e-14);
    assert_near(law.stiffness, 20, 0);
    assert_near(flg_spring_kind.energy(&force, moved), 10 * (0.8 - rest) * (0.8 - rest), 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spring_rests_where_it_starts_or_where_its_file_says),
      cmocka_unit_test(what_is_right_passes),
      cmocka_unit_test(springs_are_checked),
      cmocka_unit_test(frictions_are_checked),
      cmocka_unit_test(stops_are_checked),
      cmocka_unit_test(loads_are_checked),
      cmocka_unit_test(motors_and_efforts_are_checked),
      cmocka_unit_test(elements_stand_in_one_order),
      cmocka_unit_test(tables_are_whole),
      cmocka_unit_test(tables_with_gaps_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
