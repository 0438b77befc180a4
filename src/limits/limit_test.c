/* The laws of frictions and stops, case by case, mirrored, and a stop that throws back against
 * free fall. */
#include "limits/limit.h"

#include "check.h"
#include "limits/joint_range.h"

static const double H = 1e-3;

static void friction_starts_the_way_it_moves(void **state) {
  (void)state;
  const flg_component_friction law = {.coulomb = 2, .stiction = 3}, viscous = {.viscous = 1};
  assert_int_equal(flg_friction_start(&law, 0.1, 1), 1);
  assert_int_equal(flg_friction_start(&law, -0.1, 1), -1);
  assert_int_equal(flg_friction_start(&law, 0, 1), 0);
  assert_int_equal(flg_friction_start(&law, 0.5e-9, 1), 0); /* rounding of what is fastest */
  assert_int_equal(flg_friction_start(&law, 0.5e-9, 0.1), 1);
  assert_int_equal(flg_friction_start(&viscous, -1, 1), 1); /* it has no modes */
}

static flg_limit_seen stuck_with(double impulse) {
  return (flg_limit_seen){.impulse = impulse, .kick = H, .rounding = {1e-9, 1e-9}};
}

/* up to what it holds at rest; one that was let slip alone, up to what it holds in motion */
static void friction_that_sticks_holds_up_to_its_bound(void **state) {
  (void)state;
  const flg_component_friction law = {.coulomb = 2, .stiction = 3};
  for (int side = -1; side <= 1; side += 2) {
    flg_limit_seen seen = stuck_with(side * 2.99 * H);
    assert_int_equal(flg_friction_judge(&law, &seen), 0);
    seen.is_broken = true;
    assert_int_equal(flg_friction_judge(&law, &seen), -side);
    seen = stuck_with(side * 1.99 * H), seen.is_broken = true;
    assert_int_equal(flg_friction_judge(&law, &seen), 0);
    seen = stuck_with(side * 3.01 * H);
    assert_int_equal(flg_friction_judge(&law, &seen), -side);
    seen = stuck_with(side * (3 * H + 0.5e-9)); /* rounding */
    assert_int_equal(flg_friction_judge(&law, &seen), 0);
  }
}

static void friction_that_slips_goes_on_until_it_turns(void **state) {
  (void)state;
  const flg_component_friction law = {.coulomb = 2, .stiction = 3}, viscous = {.viscous = 1};
  for (int way = -1; way <= 1; way += 2) {
    flg_limit_seen seen = {.mode = way, .after = way * 0.1, .rounding = {1e-9, 1e-9}};
    assert_int_equal(flg_friction_judge(&law, &seen), way);
    seen.after = -way * 0.5e-9;
    assert_int_equal(flg_friction_judge(&law, &seen), way);
    seen.after = -way * 2e-9;
    assert_int_equal(flg_friction_judge(&law, &seen), 0);
    assert_int_equal(flg_friction_judge(&viscous, &seen), way);
  }
}

/* A gear of efficiency 0.8: it holds 20 % of a load that lifts, and a quarter of one that sinks. */
static void gears_resist_by_their_losses(void **state) {
  (void)state;
  const flg_component_friction gear = {.carrier = FLG_CARRIER_JOINT, .efficiency = 0.8};
  flg_limit_seen seen = {.load = 10, .kick = H};
  seen.impulse = -1.99 * H; /* it would move with the load: 1 - 0.8 */
  assert_int_equal(flg_friction_judge(&gear, &seen), 0);
  seen.impulse = -2.01 * H;
  assert_int_equal(flg_friction_judge(&gear, &seen), 1);
  seen.impulse = 2.49 * H; /* against it: 1/0.8 - 1 */
  assert_int_equal(flg_friction_judge(&gear, &seen), 0);
  seen.impulse = 2.51 * H;
  assert_int_equal(flg_friction_judge(&gear, &seen), -1);
}

/* the state of a coordinate between -1 and 2, seen from one end or its mirror image */
static flg_limit_seen near_end(int side, double gap, double speed) {
  return (flg_limit_seen){.value = side > 0 ? 2 - gap : -1 + gap,
                          .before = side * speed,
                          .after = side * speed,
                          .travel = side * speed,
                          .kick = H,
                          .duration = H,
                          .near = 1e-6,
                          .rounding = {1e-9, 1e-9}};
}

static const flg_component_stop STOP = {.lower = -1, .upper = 2, .restitution = 0.5};

static void stops_are_hit_when_an_end_is_passed(void **state) {
  (void)state;
  for (int side = -1; side <= 1; side += 2) {
    flg_limit_seen seen = near_end(side, 1e-3, 0.9); /* 0.9 mm of 1 mm */
    assert_int_equal(flg_stop_judge(&STOP, &seen), 0);
    seen = near_end(side, 1e-3, 1.1);
    assert_int_equal(flg_stop_judge(&STOP, &seen), side);
    seen.duration = 0; /* not looked at in this step */
    assert_int_equal(flg_stop_judge(&STOP, &seen), 0);
    seen = near_end(side, 0.5e-6, 1e-8); /* it touches: any rate towards it counts */
    assert_int_equal(flg_stop_judge(&STOP, &seen), side);
    seen.after = side * 0.5e-9;
    assert_int_equal(flg_stop_judge(&STOP, &seen), 0);
    seen = near_end(side, -1e-3, -1); /* past its end, on its way back */
    assert_int_equal(flg_stop_judge(&STOP, &seen), 0);
  }
}

static void stops_push_and_do_not_pull(void **state) {
  (void)state;
  for (int side = -1; side <= 1; side += 2) {
    flg_limit_seen seen = near_end(side, 0, 0);
    seen.mode = side, seen.impulse = -side * 0.1;
    assert_int_equal(flg_stop_judge(&STOP, &seen), side);
    seen.impulse = side * 0.5e-9;
    assert_int_equal(flg_stop_judge(&STOP, &seen), side);
    seen.impulse = side * 2e-9;
    assert_int_equal(flg_stop_judge(&STOP, &seen), 0);
  }
}

/* A ball that falls, x'' = g, from `gap` above a stop with speed u: it hits with v^2 = u^2 + 2 g
 * gap, leaves with e v, and would be back where it was with w^2 = (e v)^2 - 2 g gap. */
static void stops_throw_back_as_from_their_end(void **state) {
  (void)state;
  const double g = 9.81, landing = 0.125;
  for (int side = -1; side <= 1; side += 2) {
    for (int k = 0; k < 4; k++) {
      const double gap = k % 2 == 0 ? 0 : 0.5e-3, u = k < 2 ? 2 : 0.01;
      flg_limit_seen seen = near_end(side, gap, u);
      seen.after = side * (u + g * H);
      const double hit = u * u + 2 * g * gap, back = 0.25 * hit - 2 * g * gap;
      const flg_stop_response found = flg_stop_meet(&STOP, &seen, side, landing);
      assert_int_equal(found.bounces, k < 2); /* slower than g h it would chatter */
      assert_near(found.target, k < 2 ? -side * sqrt(back) : landing, 1e-12);
    }
    flg_limit_seen leaving = near_end(side, 0, -2);
    assert_false(flg_stop_meet(&STOP, &leaving, side, landing).bounces);
  }
}

/* Both ends of a joint, one, or none, with what the contacts have to know of them. */
static void joint_ends_that_are_near_become_stops(void **state) {
  (void)state;
  const flg_joint_range range = {.joint = 3, .lower = -1, .upper = 2, .length = 3};
  const flg_touch_stop at = {.block = 4, .row = 5, .number = 6};
  flg_touch_stop stops[2];
  const double travel = flg_joint_range_travel(&range, H, -0.5, 1.5);
  assert_near(travel, 0.001 * 3 + 2 * H * 2, 1e-15);
  assert_int_equal(flg_joint_range_stops(&range, 0, travel, &at, stops), 0);
  for (int upper = 0; upper < 2; upper++) {
    const double q = upper ? 2 - 0.9 * travel : -1 + 0.9 * travel;
    assert_int_equal(flg_joint_range_stops(&range, q, travel, &at, stops), 1);
    assert_near(stops[0].gap, 0.9 * travel, 1e-15);
    assert_near(stops[0].sign, upper ? -1 : 1, 0);
    assert_int_equal(stops[0].number, 6 + upper);
    assert_true(stops[0].block == 4 && stops[0].row == 5 && stops[0].length == 3);
  }
  assert_int_equal(flg_joint_range_stops(&range, 0.25, 2, &at, stops), 2);
  assert_near(stops[0].gap, 1.25, 1e-15);
  assert_near(stops[1].gap, 1.75, 1e-15);
  assert_true(stops[0].number == 6 && stops[1].number == 7);
}

static void identities_know_joints_and_both_ends(void **state) {
  (void)state;
  flg_joint_range ranges[2] = {{.joint = 1, .lower = -1, .upper = 2},
                               {.joint = 3, .lower = 0, .upper = 1}};
  const uint64_t identity = flg_joint_ranges_identity(ranges, 2, 9);
  assert_true(identity != flg_joint_ranges_identity(ranges, 2, 8));
  assert_true(identity != flg_joint_ranges_identity(ranges, 1, 9));
  for (int k = 0; k < 6; k++) {
    flg_joint_range other[2] = {ranges[0], ranges[1]};
    if (k % 3 == 0) other[k / 3].joint++;
    if (k % 3 == 1) other[k / 3].lower = nextafter(other[k / 3].lower, -9);
    if (k % 3 == 2) other[k / 3].upper = nextafter(other[k / 3].upper, 9);
    assert_true(identity != flg_joint_ranges_identity(other, 2, 9));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_starts_the_way_it_moves),
      cmocka_unit_test(friction_that_sticks_holds_up_to_its_bound),
      cmocka_unit_test(friction_that_slips_goes_on_until_it_turns),
      cmocka_unit_test(gears_resist_by_their_losses),
      cmocka_unit_test(stops_are_hit_when_an_end_is_passed),
      cmocka_unit_test(stops_push_and_do_not_pull),
      cmocka_unit_test(stops_throw_back_as_from_their_end),
      cmocka_unit_test(joint_ends_that_are_near_become_stops),
      cmocka_unit_test(identities_know_joints_and_both_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
