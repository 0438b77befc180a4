#include "contact/broad_phase.h"

#include "check.h"

enum { BOXES = 600, PAIRS = BOXES * BOXES / 2 };

static flg_bounds boxes[BOXES];
static flg_pair pairs[PAIRS];

static bool overlap(const flg_bounds *p, const flg_bounds *q) {
  return p->lower.x <= q->upper.x && q->lower.x <= p->upper.x && p->lower.y <= q->upper.y &&
         q->lower.y <= p->upper.y && p->lower.z <= q->upper.z && q->lower.z <= p->upper.z;
}

static flg_bounds random_box(random_source *source, double size) {
  flg_bounds box;
  double low[3], high[3];
  for (int k = 0; k < 3; k++) {
    low[k] = random_uniform(source, -1, 1);
    high[k] = low[k] + random_uniform(source, 0, size);
  }
  box.lower = flg_vec3_load(low), box.upper = flg_vec3_load(high);
  const int kind = random_integer(source, 0, 60);
  if (kind == 0) box.lower.z = -HUGE_VAL;
  if (kind == 1) box.upper = (flg_vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL};
  if (kind == 2) box.lower = box.upper;
  if (kind == 3) box.upper.y = NAN;
  if (kind == 4) box = (flg_bounds){{-1, -1, -1}, {1, 1, 1}};
  return box;
}

static flg_broad_phase phase_for(int count, flg_region *region) {
  flg_broad_phase phase;
  *region = (flg_region){0};
  assert_int_equal(flg_broad_phase_build(&phase, count, region, NULL), FLG_OK);
  return phase;
}

static bool odd_sum(const void *context, int a, int b) {
  (void)context;
  return (a + b) % 2 == 1;
}

static bool is_endless(const flg_bounds *box) {
  return isinf(box->lower.z) || isinf(box->upper.z);
}

static bool not_both_endless(const void *context, int a, int b) {
  (void)context;
  return !(is_endless(&boxes[a]) && is_endless(&boxes[b]));
}

static void pairs_are_those_of_comparing_all_in_their_order(void **state) {
  (void)state;
  random_source source = {1};
  flg_region region;
  flg_broad_phase phase = phase_for(BOXES, &region);
  for (int repeat = 0; repeat < REPEATS(200); repeat++) {
    const int count = repeat < 8 ? repeat : random_integer(&source, 1, BOXES);
    const double size = repeat % 3 == 0 ? 0.05 : repeat % 3 == 1 ? 0.3 : 2;
    flg_pair_filter *const filters[] = {NULL, odd_sum, not_both_endless};
    flg_pair_filter *filter = filters[random_integer(&source, 0, 2)];
    phase.endless_apart = filter == not_both_endless;
    for (int k = 0; k < count; k++) boxes[k] = random_box(&source, size);
    if (repeat % 10 == 0) {
      for (int k = 0; k < count; k++) boxes[k] = boxes[0]; /* all in one place */
    }
    int found;
    assert_int_equal(
        flg_broad_phase_pairs(&phase, boxes, count, filter, NULL, pairs, PAIRS, &found), FLG_OK);
    int at = 0;
    for (int a = 0; a < count; a++) {
      for (int b = a + 1; b < count; b++) {
        if (!overlap(&boxes[a], &boxes[b]) || (filter != NULL && !filter(NULL, a, b))) continue;
        assert_true(at < found);
        assert_int_equal(pairs[at].a, a);
        assert_int_equal(pairs[at].b, b);
        at++;
      }
    }
    assert_int_equal(at, found);
  }
  flg_region_release(&region);
}

static void more_pairs_than_there_is_room_for_are_counted(void **state) {
  (void)state;
  flg_region region;
  flg_broad_phase phase = phase_for(100, &region);
  flg_pair few[11];
  for (int k = 0; k < 100; k++) boxes[k] = (flg_bounds){{0, 0, 0}, {1, 1, 1}};
  few[10] = (flg_pair){-7, -7};
  int found;
  assert_int_equal(flg_broad_phase_pairs(&phase, boxes, 100, NULL, NULL, few, 10, &found),
                   FLG_ERR_CAPACITY);
  assert_int_equal(found, 4950);
  assert_int_equal(few[10].a, -7);
  assert_int_equal(flg_broad_phase_pairs(&phase, boxes, 101, NULL, NULL, few, 10, &found),
                   FLG_ERR_RANGE);
  flg_region_release(&region);
}

static void impossible_sizes_are_refused(void **state) {
  (void)state;
  flg_region region = {.limit = 100};
  flg_broad_phase phase;
  flg_error error;
  assert_int_equal(flg_broad_phase_build(&phase, 0, &region, &error), FLG_ERR_RANGE);
  assert_int_equal(flg_broad_phase_build(&phase, 8, &region, &error), FLG_ERR_MEMORY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_are_those_of_comparing_all_in_their_order),
      cmocka_unit_test(more_pairs_than_there_is_room_for_are_counted),
      cmocka_unit_test(impossible_sizes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
