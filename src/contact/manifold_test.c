/* Which points of a pair are kept, against a choice that is written out here: the one farthest from
 * the middle, then always the one farthest from all that were chosen, and the deepest. */
#include "contact/manifold.h"

#include "check.h"

enum { MOST = 4, POINTS = 12 };

static const double SIZE = 1;

static flg_vec3 random_place(random_source *source) {
  return (flg_vec3){random_uniform(source, -1, 1), random_uniform(source, -1, 1),
                    random_uniform(source, -0.1, 0.1)};
}

/* corners with keys in rising order; the last may be the nearest point, which is no feature */
static flg_manifold random_points(random_source *source, int count, bool has_nearest) {
  flg_manifold made = {.count = count};
  for (int k = 0; k < count; k++) {
    const bool is_last = k == count - 1;
    made.points[k].a = random_place(source);
    made.points[k].normal = (flg_vec3){0, 0, 1};
    made.points[k].gap = random_uniform(source, 0, 0.1);
    made.points[k].b =
        flg_vec3_add_scaled(made.points[k].a, made.points[k].gap, made.points[k].normal);
    const int type = is_last && has_nearest ? FLG_CODE_NEAREST : FLG_CODE_VERTEX;
    made.points[k].key = flg_contact_key((uint32_t)(8 * k), (uint32_t)(8 * k + type));
  }
  return made;
}

static double apart(flg_vec3 a, flg_vec3 b) {
  return flg_vec3_norm(flg_vec3_subtract(a, b));
}

/* the distance to the nearest of the chosen points, or to the middle if there is none */
static double lonely(const flg_manifold *of, const bool *chosen, flg_vec3 middle, int k) {
  double least = HUGE_VAL;
  for (int j = 0; j < of->count; j++) {
    if (chosen[j]) least = flg_smaller(least, apart(of->points[j].a, of->points[k].a));
  }
  return least < HUGE_VAL ? least : apart(middle, of->points[k].a);
}

/* False: two points are nearly as far, and either may be chosen. */
static bool choose(const flg_manifold *of, int features, bool *chosen) {
  flg_vec3 middle = {0, 0, 0};
  for (int k = 0; k < features; k++) middle = flg_vec3_add(middle, of->points[k].a);
  middle = flg_vec3_scale(middle, 1.0 / features);
  for (int n = 0; n < MOST; n++) {
    int best = 0;
    double second = 0;
    for (int k = 1; k < features; k++) {
      if (lonely(of, chosen, middle, k) > lonely(of, chosen, middle, best)) best = k;
    }
    for (int k = 0; k < features; k++) {
      if (k != best) second = flg_larger(second, lonely(of, chosen, middle, k));
    }
    if (lonely(of, chosen, middle, best) < 1.001 * second) return false;
    chosen[best] = true;
  }
  return true;
}

static void points_that_are_far_apart_are_kept(void **state) {
  (void)state;
  random_source source = {1};
  int seen = 0;
  for (int trial = 0; trial < 500; trial++) {
    const bool has_nearest = trial % 2 == 1;
    const int count = random_integer(&source, MOST + 1 + has_nearest, POINTS);
    const int features = count - has_nearest;
    flg_manifold made = random_points(&source, count, has_nearest);
    const flg_manifold all = made;
    bool chosen[FLG_MANIFOLD_MOST] = {false};
    if (!choose(&all, features, chosen)) continue;
    int deepest = 0;
    for (int k = 1; k < count; k++) {
      if (all.points[k].gap < all.points[deepest].gap) deepest = k;
    }
    chosen[deepest] = true;
    flg_manifold_thin(&made, MOST, SIZE, false);
    int next = 0;
    for (int k = 0; k < count; k++) {
      if (!chosen[k]) continue;
      assert_true(next < made.count);
      assert_true(made.points[next].key == all.points[k].key);
      assert_true(made.points[next++].gap == all.points[k].gap);
    }
    assert_int_equal(made.count, next);
    seen++;
  }
  assert_in_range(seen, 400, 500);
}

/* Pairs have frames of their own; a choice must not depend on where their origin is. */
static void the_choice_is_the_same_anywhere(void **state) {
  (void)state;
  random_source source = {2};
  for (int trial = 0; trial < 100; trial++) {
    flg_manifold here = random_points(&source, POINTS, false), there = here;
    const flg_vec3 shift = {random_uniform(&source, -9, 9), random_uniform(&source, -9, 9), 3};
    bool chosen[FLG_MANIFOLD_MOST] = {false};
    if (!choose(&here, POINTS, chosen)) continue;
    for (int k = 0; k < POINTS; k++) {
      there.points[k].a = flg_vec3_add(there.points[k].a, shift);
      there.points[k].b = flg_vec3_add(there.points[k].b, shift);
    }
    flg_manifold_thin(&here, MOST, SIZE, false);
    flg_manifold_thin(&there, MOST, SIZE, false);
    assert_int_equal(here.count, there.count);
    for (int k = 0; k < here.count; k++) assert_true(here.points[k].key == there.points[k].key);
  }
}

/* A square that leans by less than laws see stands on its four corners: no fifth point. Its lowest
 * point gives its gap to the corner beside it. One that leans more has its lowest point besides. */
static void a_flat_face_has_no_deepest_point_besides(void **state) {
  (void)state;
  static const double leans[2] = {1e-9, 1e-7};
  for (int k = 0; k < 2; k++) {
    flg_manifold made = {.count = MOST + 1};
    for (int c = 0; c <= MOST; c++) {
      const double x = c % 2 ? 1 : -1, y = c / 2 % 2 ? 1 : -1;
      const bool is_lowest = c == MOST;
      made.points[c] = (flg_contact_point){.a = {is_lowest ? 0.7 : x, is_lowest ? 0.6 : y, 0},
                                           .normal = {0, 0, 1},
                                           .gap = is_lowest ? -leans[k] : 0,
                                           .key = (uint64_t)(8 * c + FLG_CODE_VERTEX)};
    }
    flg_manifold_thin(&made, MOST, SIZE, true);
    assert_int_equal(made.count, k == 0 ? MOST : MOST + 1);
    for (int c = 0; c < MOST; c++) {
      const bool is_beside = k == 0 && c == 3;
      assert_int_equal(made.points[c].key, 8 * c + FLG_CODE_VERTEX);
      assert_true(made.points[c].gap == (is_beside ? -leans[k] : 0));
      if (is_beside) assert_true(made.points[c].b.z == -leans[k]);
    }
  }
}

static void few_points_stay_and_points_in_one_place_count_once(void **state) {
  (void)state;
  random_source source = {3};
  flg_manifold few = random_points(&source, MOST, true);
  flg_manifold_thin(&few, MOST, SIZE, false);
  assert_int_equal(few.count, MOST);
  flg_manifold same = random_points(&source, POINTS, false);
  for (int k = 0; k < POINTS; k++) {
    same.points[k].a = (flg_vec3){k % 2, 1e-8 * k, 0};
    same.points[k].gap = 0;
  }
  flg_manifold_thin(&same, MOST, SIZE, false);
  assert_int_equal(same.count, 2);
}

static void points_are_sorted_by_their_keys(void **state) {
  (void)state;
  random_source source = {4};
  for (int trial = 0; trial < 50; trial++) {
    flg_manifold made = random_points(&source, POINTS, false);
    const flg_manifold all = made;
    for (int k = POINTS - 1; k > 0; k--) {
      const int other = random_integer(&source, 0, k);
      const flg_contact_point kept = made.points[k];
      made.points[k] = made.points[other], made.points[other] = kept;
    }
    flg_manifold_sort(&made);
    for (int k = 0; k < POINTS; k++) {
      assert_true(made.points[k].key == all.points[k].key);
      assert_true(made.points[k].gap == all.points[k].gap);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_that_are_far_apart_are_kept),
      cmocka_unit_test(the_choice_is_the_same_anywhere),
      cmocka_unit_test(a_flat_face_has_no_deepest_point_besides),
      cmocka_unit_test(few_points_stay_and_points_in_one_place_count_once),
      cmocka_unit_test(points_are_sorted_by_their_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
