#include "model/component_limits.h"

#include <math.h>
#include <string.h>

#include "check.h"

/* a component of coordinates that nobody looks at, with one of each */
typedef struct sample {
  flg_component_coordinate coordinates[3];
  flg_component_joint joint;
  flg_component_spring spring;
  flg_component_friction friction;
  flg_component_stop stop;
  flg_component component;
  flg_mistakes mistakes;
} sample;

static sample *good(void) {
  static sample made;
  made = (sample){
      .coordinates = {{.name = "a", .group = FLG_TOP, .kind = FLG_COORDINATE_ANGLE},
                      {.name = "b", .group = FLG_TOP, .kind = FLG_COORDINATE_ANGLE},
                      {.name = "s",
                       .group = FLG_TOP,
                       .kind = FLG_COORDINATE_SUM,
                       .of = {0, 1},
                       .factor = {1, -2}}},
      .joint = {.name = "g", .coordinate = {0, 1}},
      .spring = {.name = "k", .coordinate = 2},
      .friction = {.name = "f", .group = FLG_TOP, .coulomb = 1, .stiction = 2, .efficiency = 0.5},
      .stop = {.name = "e", .group = FLG_TOP, .coordinate = 2, .lower = -1, .upper = 1}};
  made.component = (flg_component){.coordinates = made.coordinates,
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
  flg_component_check_sum(&of->component, 2, &of->mistakes);
  flg_component_check_friction(&of->component, 0, &of->mistakes);
  flg_component_check_stop(&of->component, 0, &of->mistakes);
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

static void sums_are_checked(void **state) {
  (void)state;
  sample *s = good();
  s->coordinates[2].of[1] = 2;
  expect(s, "sum 's' is one of sums");
  s = good(), s->coordinates[2].of[0] = 3;
  expect(s, "needs a coordinate that the component does not have (number 3 of 3)");
  s = good(), s->coordinates[2].factor[0] = 0;
  expect(s, "the first factor of sum 's' is 0");
  s = good(), s->coordinates[2].factor[1] = NAN;
  expect(s, "the second factor of sum 's' is nan");
}

static void frictions_are_checked(void **state) {
  (void)state;
  sample *s = good();
  s->friction.coulomb = -1;
  expect(s, "the Coulomb effort of friction 'f' is -1, but must be zero or positive");
  s = good(), s->friction.stiction = 0.5;
  expect(s, "must be at least the Coulomb effort");
  s = good(), s->friction.stribeck = (double)INFINITY;
  expect(s, "the Stribeck rate");
  s = good(), s->friction.viscous = NAN;
  expect(s, "the viscous damping");
  s = good(), s->friction.coordinate = -1;
  expect(s, "needs a coordinate");
  s = good(), s->friction.group = 1;
  expect(s, "belongs to inner component 1, which does not exist");
}

static void carriers_are_checked(void **state) {
  (void)state;
  sample *s = good();
  s->friction.carrier = FLG_CARRIER_JOINT, s->friction.efficiency = 0;
  expect(s, "the efficiency of friction 'f' is 0, but must be over 0 and at most 1");
  for (int carrier = FLG_CARRIER_JOINT; carrier <= FLG_CARRIER_STOP; carrier++) {
    s = good(), s->friction.carrier = (flg_carrier)carrier, s->friction.carrier_index = 1;
    expect(s, "a gear which does not work on its coordinate");
  }
  s = good(), s->friction.carrier = FLG_CARRIER_SPRING, s->spring.coordinate = 1;
  expect(s, "a gear which does not work on its coordinate");
}

static void stops_are_checked(void **state) {
  (void)state;
  sample *s = good();
  s->stop.restitution = 1.1;
  expect(s, "the restitution of stop 'e' is 1.1, but must be between 0 and 1");
  s = good(), s->stop.lower = 1;
  expect(s, "stop 'e' is from 1 to 1");
  s = good(), s->stop.lower = -(double)INFINITY, s->stop.upper = (double)INFINITY;
  expect(s, "stops nothing");
  s = good(), s->stop.lower = NAN;
  expect(s, "its lower end must be less");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_right_passes),  cmocka_unit_test(sums_are_checked),
      cmocka_unit_test(frictions_are_checked), cmocka_unit_test(carriers_are_checked),
      cmocka_unit_test(stops_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
