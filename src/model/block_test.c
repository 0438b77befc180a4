#include "model/block.h"

#include "check.h"
#include "model/component.h"

static flg_region region;

static int drop(void **state) {
  (void)state;
  flg_region_release(&region);
  return 0;
}

/* --- sources ------------------------------------------------------------------------------- */

static void expect(const flg_block *block, double time, double edge, double value, double rate) {
  double found = NAN;
  assert_near(flg_block_source(block, time, edge, &found), value, 1e-14);
  assert_near(found, rate, 1e-14);
  assert_near(flg_block_source(block, time, edge, NULL), value, 1e-14);
}

static void sources_jump_where_the_edge_says(void **state) {
  (void)state;
  const flg_block step = {.kind = FLG_BLOCK_STEP, .at = 2, .from = -1, .to = 3};
  expect(&step, 1.999, 0, -1, 0);
  expect(&step, 2, 0, 3, 0);
  expect(&step, 2, -1e-6, -1, 0);
  expect(&step, 2 - 1e-9, 1e-6, 3, 0);
  const flg_block ramp = {.kind = FLG_BLOCK_RAMP, .at = 1, .until = 3, .from = 5, .slope = 2};
  expect(&ramp, 0, 0, 5, 0);
  expect(&ramp, 1, 0, 5, 2);
  expect(&ramp, 1, -1e-6, 5, 0);
  expect(&ramp, 2.5, 0, 8, 2);
  expect(&ramp, 3, -1e-6, 9, 2);
  expect(&ramp, 3, 0, 9, 0);
  expect(&ramp, 99, 0, 9, 0);
  const flg_block endless = {.kind = FLG_BLOCK_RAMP, .until = INFINITY, .slope = -1};
  expect(&endless, 1e6, 0, -1e6, -1);
}

static void tables_jump_at_their_knots(void **state) {
  (void)state;
  static const double times[] = {0, 1, 3}, values[] = {2, 4, 1};
  flg_block table = {
      .kind = FLG_BLOCK_TABLE,
      .curve = {.kind = FLG_CURVE_HELD, .knots = 3, .width = 1, .times = times, .values = values}};
  expect(&table, 1, 1e-3, 4, 0);
  expect(&table, 1, -1e-3, 2, 0);
  table.curve.kind = FLG_CURVE_LINEAR;
  expect(&table, 1, -1e-3, 4, 2);
  expect(&table, 1, 1e-3, 4, -1.5);
  expect(&table, 2, 1e-3, 2.5, -1.5);
}

static void a_sine_has_its_slope(void **state) {
  (void)state;
  const flg_block sine = {
      .kind = FLG_BLOCK_SINE, .amplitude = 3, .frequency = 0.25, .phase = 0.5, .offset = 1};
  const double omega = 1.57079632679489661923;
  for (double t = 0; t < 5; t += 0.3) {
    expect(&sine, t, 0, 1 + 3 * sin(omega * t + 0.5), 3 * omega * cos(omega * t + 0.5));
  }
}

/* --- variables, rates, order --------------------------------------------------------------- */

static flg_formula of(flg_variable_kind kind, int index) {
  return flg_formula_of_variable(flg_variable_pack((flg_variable){kind, index}), &region);
}

static void variables_pack_and_unpack(void **state) {
  (void)state;
  for (int kind = 0; kind < FLG_VARIABLE_KIND_COUNT; kind++) {
    for (int index = 0; index < 40; index += 13) {
      const flg_variable there = {(flg_variable_kind)kind, index};
      const flg_variable back = flg_variable_unpack(flg_variable_pack(there));
      assert_true(back.kind == there.kind && back.index == there.index);
    }
  }
}

static int pack(flg_variable_kind kind, int index) {
  return flg_variable_pack((flg_variable){kind, index});
}

static void rates_are_found_through_inputs(void **state) {
  (void)state;
  flg_block blocks[] = {
      {.kind = FLG_BLOCK_SINE},
      {.kind = FLG_BLOCK_INPUT, .input = of(FLG_VARIABLE_VALUE, 0)},
      {.kind = FLG_BLOCK_INPUT, .input = of(FLG_VARIABLE_VALUE, 1)},
      {.kind = FLG_BLOCK_FORMULA, .input = of(FLG_VARIABLE_TIME, 0)},
      {.kind = FLG_BLOCK_INPUT, .input = flg_formula_of_number(4, &region)},
      {.kind = FLG_BLOCK_INPUT, .input = of(FLG_VARIABLE_VALUE, 5)}, /* of itself */
  };
  const flg_component component = {.blocks = blocks, .block_count = 6};
  const flg_formula twice = of(FLG_VARIABLE_VALUE, 2), place = of(FLG_VARIABLE_POSITION, 3);
  const flg_formula formula = of(FLG_VARIABLE_VALUE, 3), constant = of(FLG_VARIABLE_VALUE, 4);
  const flg_formula itself = of(FLG_VARIABLE_VALUE, 5), speed = of(FLG_VARIABLE_VELOCITY, 3);
  assert_int_equal(flg_formula_rate(&component, &twice), pack(FLG_VARIABLE_RATE, 0));
  assert_int_equal(flg_formula_rate(&component, &place), pack(FLG_VARIABLE_VELOCITY, 3));
  assert_int_equal(flg_formula_rate(&component, &formula), FLG_RATE_UNKNOWN);
  assert_int_equal(flg_formula_rate(&component, &speed), FLG_RATE_UNKNOWN);
  assert_int_equal(flg_formula_rate(&component, &constant), FLG_RATE_ZERO);
  assert_int_equal(flg_formula_rate(&component, &itself), FLG_RATE_UNKNOWN);
  assert_int_equal(flg_variable_source(&component, pack(FLG_VARIABLE_RATE, 2)),
                   pack(FLG_VARIABLE_RATE, 0));
}

/* a chain that is written backwards comes out forwards; the motor and the effort come last */
static void needs_come_first(void **state) {
  (void)state;
  enum { COUNT = 50 };
  flg_block blocks[COUNT] = {{0}};
  for (int k = 0; k < COUNT; k++) {
    blocks[k] = (flg_block){.name = "a", .kind = FLG_BLOCK_FORMULA};
    blocks[k].input = k + 1 < COUNT ? of(FLG_VARIABLE_VALUE, k + 1) : of(FLG_VARIABLE_TIME, 0);
  }
  flg_motor motor = {.name = "m", .voltage = of(FLG_VARIABLE_EFFORT, 0)};
  flg_effort effort = {.name = "e", .effort = of(FLG_VARIABLE_VALUE, 0)};
  flg_component component = {.blocks = blocks,
                             .block_count = COUNT,
                             .motors = &motor,
                             .motor_count = 1,
                             .efforts = &effort,
                             .effort_count = 1};
  int order[COUNT + 2];
  flg_mistakes mistakes = {0};
  assert_int_equal(flg_signal_node_count(&component), COUNT + 2);
  assert_true(flg_signal_sort(&component, order, &region, &mistakes));
  for (int k = 0; k < COUNT; k++) assert_int_equal(order[k], COUNT - 1 - k);
  assert_int_equal(order[COUNT], COUNT + 1);
  assert_int_equal(order[COUNT + 1], COUNT);
  /* the current of a coil is a state, that of a resistor is not */
  blocks[COUNT - 1].input = of(FLG_VARIABLE_CURRENT, 0);
  motor.inductance = 1;
  assert_true(flg_signal_sort(&component, order, &region, &mistakes));
  motor.inductance = 0;
  assert_false(flg_signal_sort(&component, order, &region, &mistakes));
  assert_int_equal(mistakes.count, 1);
}

/* as the header says it, by looking again and again; false: a circle */
static bool sort_slowly(const flg_block *blocks, const int (*needs)[2], int count, int *order) {
  bool placed[64] = {false};
  int done = 0, before = -1;
  while (done < count) {
    const bool takes_wishes = done > before;
    before = done;
    for (int k = 0; k < count && (takes_wishes || done == before); k++) {
      bool waits = placed[k];
      for (int e = 0; e < 2; e++) {
        waits |= !placed[needs[k][e]] && (takes_wishes || blocks[needs[k][e]].sample == 0);
      }
      if (waits) continue;
      placed[k] = true;
      order[done++] = k;
    }
    if (!takes_wishes && done == before) return false;
  }
  return true;
}

static void the_order_is_that_of_going_through_again_and_again(void **state) {
  (void)state;
  random_source source = {23};
  int circles = 0;
  for (int trial = 0; trial < 2000; trial++) {
    enum { MOST = 40 };
    flg_block blocks[MOST] = {{0}};
    int needs[MOST][2], order[MOST], slow[MOST];
    const int count = 1 + random_integer(&source, 0, MOST - 1);
    for (int k = 0; k < count; k++) {
      blocks[k] = (flg_block){.name = "a", .kind = FLG_BLOCK_PID, .kp = 1};
      if (k == 0 || random_integer(&source, 0, 2) == 0) blocks[k].sample = 0.1;
      for (int e = 0; e < 2; e++)
        needs[k][e] =
            random_integer(&source, 0, 3) == 0 ? random_integer(&source, 0, count - 1) : 0;
      blocks[k].input = of(FLG_VARIABLE_VALUE, needs[k][0]);
      blocks[k].target = of(FLG_VARIABLE_VALUE, needs[k][1]);
    }
    const flg_component component = {.blocks = blocks, .block_count = count};
    flg_mistakes mistakes = {0};
    const bool is_sorted = flg_signal_sort(&component, order, &region, &mistakes);
    assert_int_equal(is_sorted, sort_slowly(blocks, (const int(*)[2])needs, count, slow));
    circles += !is_sorted;
    for (int k = 0; k < count && is_sorted; k++) assert_int_equal(order[k], slow[k]);
    drop(NULL);
  }
  assert_in_range(circles, 20, 1980);
}

/* --- what is told ---------------------------------------------------------------------------- */

static void blocks_without_points_or_input_are_refused(void **state) {
  (void)state;
  flg_block blocks[] = {{.name = "d", .kind = FLG_BLOCK_TABLE},
                        {.name = "e", .kind = FLG_BLOCK_FILTER}};
  const flg_component component = {.blocks = blocks, .block_count = 2};
  static const char *const expected[] = {"signal 'd' has no points", "signal 'e' has no input"};
  flg_mistakes mistakes = {0};
  flg_component_check_signals(&component, &mistakes);
  assert_int_equal(mistakes.count, sizeof expected / sizeof expected[0]);
  for (int k = 0; k < mistakes.count; k++) {
    if (strstr(mistakes.list[k].message, expected[k]) == NULL) {
      fail_msg("%s, not %s", mistakes.list[k].message, expected[k]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sources_jump_where_the_edge_says),
      cmocka_unit_test(tables_jump_at_their_knots),
      cmocka_unit_test(a_sine_has_its_slope),
      cmocka_unit_test(variables_pack_and_unpack),
      cmocka_unit_test(rates_are_found_through_inputs),
      cmocka_unit_test(needs_come_first),
      cmocka_unit_test(the_order_is_that_of_going_through_again_and_again),
      cmocka_unit_test(blocks_without_points_or_input_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, drop);
}
