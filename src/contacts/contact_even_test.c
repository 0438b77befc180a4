/* Loads that contacts can share in many ways are shared in one way, whatever their order and the
 * past: a box on its corners. */
#include "contacts/test_law.h"

enum { CORNERS = 4, NUMBERS = 3 * CORNERS };

/* A box of 1 kg, its centre over the floor, on four corners; rows [normal, x, y] at each. */
typedef struct box {
  double half[2], height, inertia[3];
  double velocity[3], spin[3]; /* without contacts, at the end of the step */
  double friction, restitution;
} box;

static const double STEP = 1e-3;

static box any_box(random_source *source) {
  box made = {.half = {random_uniform(source, 0.05, 0.5), random_uniform(source, 0.05, 0.5)},
              .height = random_uniform(source, 0.05, 0.3),
              .friction = random_uniform(source, 0.05, 0.8)};
  for (int i = 0; i < 3; i++) {
    made.inertia[i] = random_uniform(source, 0.02, 0.1);
    made.velocity[i] = random_uniform(source, -0.1, 0.1);
    made.spin[i] = random_uniform(source, -0.1, 0.1);
  }
  made.velocity[2] = -random_uniform(source, 0.05, 0.5);
  return made;
}

/* J of corner k: rows of [velocity, spin] */
static void corner_rows(const box *of, int k, double rows[3][6]) {
  const double x = (k & 1 ? 1 : -1) * of->half[0], y = (k & 2 ? 1 : -1) * of->half[1];
  const double z = -of->height;
  const double made[3][6] = {{0, 0, 1, y, -x, 0}, {1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}};
  memcpy(rows, made, sizeof made);
}

/* The same rows, of a body that stands on the ground. */
typedef struct box_rows {
  int body[2 * NUMBERS];
  double jacobian[12 * NUMBERS], inverse_mass[36];
  flg_sparse_rows sparse;
} box_rows;

static void load_body(bench *b, const box *of, int n, double rows[][3][6], int each) {
  static box_rows made;
  made = (box_rows){.sparse = {.body_count = 1,
                               .body = made.body,
                               .jacobian = made.jacobian,
                               .inverse_mass = made.inverse_mass}};
  for (int i = 0; i < n; i++) {
    made.body[2 * i + 1] = -1;
    memcpy(made.jacobian + (ptrdiff_t)12 * i, rows[i / each][i % each], 6 * sizeof(double));
  }
  for (int c = 0; c < 6; c++) made.inverse_mass[7 * c] = c < 3 ? 1 : 1 / of->inertia[c - 3];
  b->problem.sparse = &made.sparse;
}

/* contacts in the given order, with so many rows each */
static void load_box(bench *b, const box *of, const int order[CORNERS], int each) {
  double rows[CORNERS][3][6];
  const int n = each * CORNERS;
  for (int k = 0; k < CORNERS; k++) corner_rows(of, order[k], rows[k]);
  if (b->problem.in_heap) load_body(b, of, n, rows, each);
  for (int i = 0; i < n; i++) {
    const double *a = rows[i / each][i % each];
    b->free[i] = 0;
    for (int c = 0; c < 3; c++) b->free[i] += a[c] * of->velocity[c] + a[3 + c] * of->spin[c];
    b->before[i] = of->restitution > 0 ? b->free[i] : 0;
    for (int j = 0; j < n; j++) {
      const double *other = rows[j / each][j % each];
      double sum = 0;
      for (int c = 0; c < 3; c++) sum += a[c] * other[c] + a[3 + c] * other[3 + c] / of->inertia[c];
      b->admittance[i + j * n] = sum;
    }
  }
  for (int k = 0; k < CORNERS; k++) {
    b->touches[k] = (flg_touch){
        .row = each * k, .rows = each, .friction = of->friction, .restitution = of->restitution};
  }
}

/* Impulses by corner, from whatever states and impulses of the last time there are. */
static void push_corners(bench *b, const box *of, const int order[CORNERS], int each,
                         double impulses[NUMBERS]) {
  load_box(b, of, order, each);
  bench_solve(b, CORNERS, each * CORNERS, STEP);
  memset(impulses, 0, NUMBERS * sizeof *impulses);
  for (int k = 0; k < CORNERS; k++)
    memcpy(impulses + 3 * order[k], b->impulses + each * k, (size_t)each * sizeof *impulses);
}

static void forget(bench *b) {
  memset(b->states, 0, sizeof b->states), memset(b->impulses, 0, sizeof b->impulses);
}

static double apart(const double *a, const double *b) {
  double most = 0, size = 0;
  for (int i = 0; i < NUMBERS; i++) {
    most = flg_larger(most, fabs(a[i] - b[i])), size = flg_larger(size, fabs(a[i]));
  }
  return size > 0 ? most / size : most;
}

static void shuffle(random_source *source, int order[CORNERS]) {
  for (int k = 0; k < CORNERS; k++) order[k] = k;
  for (int k = CORNERS - 1; k > 0; k--) {
    const int other = random_integer(source, 0, k), kept = order[k];
    order[k] = order[other], order[other] = kept;
  }
}

/* How far apart impulses are in another order, and after a step of another box. */
static double worst_in(bool in_heap, flg_friction_shape shape, int each, double restitution) {
  static const int plain[CORNERS] = {0, 1, 2, 3};
  flg_contact_law_options options = flg_contact_law_default();
  options.friction = shape;
  bench *b = bench_new(&options);
  random_source source = {7};
  double worst = 0;
  b->problem.in_heap = in_heap;
  for (int trial = 0; trial < REPEATS(400); trial++) {
    box of = any_box(&source), other = any_box(&source);
    int order[CORNERS];
    double first[NUMBERS], second[NUMBERS], third[NUMBERS], ignored[NUMBERS];
    of.restitution = restitution;
    shuffle(&source, order);
    forget(b), push_corners(b, &of, plain, each, first);
    forget(b), push_corners(b, &of, order, each, second);
    push_corners(b, &other, plain, each, ignored), push_corners(b, &of, plain, each, third);
    worst = flg_larger(worst, apart(first, second)), worst = flg_larger(worst, apart(first, third));
  }
  bench_drop(b);
  printf("impulses in other orders and after other steps are %.1g apart\n", worst);
  return worst;
}

static double worst_of(flg_friction_shape shape, int each, double restitution) {
  return worst_in(false, shape, each, restitution);
}

static void forces_in_heaps_do_not_depend_on_the_order(void **state) {
  (void)state;
  assert_near(worst_in(true, FLG_FRICTION_CONE, 3, 0), 0, 3e-7);
}

/* In fewer digits, and the same answer. */
static void pieces_of_heaps_share_as_others_do(void **state) {
  (void)state;
  static const int plain[CORNERS] = {0, 1, 2, 3};
  const flg_contact_law_options options = flg_contact_law_default();
  bench *b = bench_new(&options);
  random_source source = {11};
  double worst = 0;
  for (int trial = 0; trial < REPEATS(400); trial++) {
    const box of = any_box(&source);
    double alone[NUMBERS], in_heap[NUMBERS];
    b->problem.in_heap = false;
    forget(b), push_corners(b, &of, plain, 3, alone);
    b->problem.in_heap = true;
    forget(b), push_corners(b, &of, plain, 3, in_heap);
    worst = flg_larger(worst, apart(alone, in_heap));
  }
  bench_drop(b);
  printf("impulses in heaps are %.1g apart from those of others\n", worst);
  assert_near(worst, 0, 1.5e-6);
}

static void forces_with_friction_do_not_depend_on_the_order(void **state) {
  (void)state;
  assert_near(worst_of(FLG_FRICTION_CONE, 3, 0), 0, 1e-9);
}

static void forces_with_friction_in_boxes_do_not_depend_on_the_order(void **state) {
  (void)state;
  assert_near(worst_of(FLG_FRICTION_BOX, 3, 0), 0, 1e-9);
}

static void forces_without_friction_do_not_depend_on_the_order(void **state) {
  (void)state;
  assert_near(worst_of(FLG_FRICTION_CONE, 1, 0), 0, 1e-9);
}

static void hits_do_not_depend_on_the_order(void **state) {
  (void)state;
  assert_near(worst_of(FLG_FRICTION_CONE, 3, 0.5), 0, 1e-9);
  assert_near(worst_of(FLG_FRICTION_CONE, 1, 0.5), 0, 1e-9);
}

/* A box that comes straight down, and one that slides along x: corners side by side carry alike. */
static void what_is_symmetric_is_shared_symmetrically(void **state) {
  (void)state;
  static const int order[CORNERS] = {2, 0, 3, 1};
  const flg_contact_law_options options = flg_contact_law_default();
  bench *b = bench_new(&options);
  double found[NUMBERS];
  for (int each = 1; each <= 3; each += 2) {
    box of = {.half = {0.3, 0.2},
              .height = 0.1,
              .inertia = {0.02, 0.05, 0.07},
              .velocity = {0, 0, -0.01},
              .friction = 0.3};
    forget(b), push_corners(b, &of, order, each, found);
    for (int k = 0; k < CORNERS; k++) assert_near(found[3 * k], 0.0025, 2e-13);
    of.velocity[0] = 0.1;
    forget(b), push_corners(b, &of, order, each, found);
    for (int k = 0; k < CORNERS; k++) assert_near(found[3 * k], found[3 * (k ^ 2)], 2e-13);
    for (int k = 0; k < CORNERS && each == 3; k++) {
      assert_near(found[3 * k + 1], -0.3 * found[3 * k], 2e-13);
      assert_near(found[3 * k + 2], 0, 2e-13);
    }
    assert_near(found[0] + found[3] + found[6] + found[9], 0.01, 1e-14);
  }
  bench_drop(b);
}

/* --- what stands -------------------------------------------------------------------------------
 */

static const int IN_ORDER[CORNERS] = {0, 1, 2, 3};

static box standing_box(void) {
  return (box){.half = {0.3, 0.2},
               .height = 0.1,
               .inertia = {0.02, 0.05, 0.07},
               .velocity = {0.001, 0, -0.01},
               .friction = 0.3};
}

/* the same load again: the same bits, and nothing is solved; another one: as if from the start */
static void what_stands_goes_on_with_its_impulses(void **state) {
  (void)state;
  const flg_contact_law_options options = flg_contact_law_default();
  bench *b = bench_new(&options);
  double first[NUMBERS], again[NUMBERS], other[NUMBERS], anew[NUMBERS];
  for (int each = 1; each <= 3; each += 2) {
    box of = standing_box();
    forget(b), push_corners(b, &of, IN_ORDER, each, first);
    assert_true(b->report.statistics.iterations > 1);
    push_corners(b, &of, IN_ORDER, each, again);
    assert_int_equal(b->report.statistics.iterations, 1);
    assert_memory_equal(first, again, sizeof first);
    for (int i = 0; i < each * CORNERS; i++) assert_near(b->after[i], 0, 1e-14);
    of.spin[0] = 1e-6;
    push_corners(b, &of, IN_ORDER, each, other);
    forget(b), push_corners(b, &of, IN_ORDER, each, anew);
    assert_true(apart(first, other) > 1e-7);
    assert_true(apart(anew, other) < 6e-10);
  }
  bench_drop(b);
}

/* Speeds that rounding has added up are taken out again, and impulses come back to the load. */
static void what_stands_does_not_drift(void **state) {
  (void)state;
  const flg_contact_law_options options = flg_contact_law_default();
  bench *b = bench_new(&options);
  const box of = standing_box();
  double speed = 0, found[NUMBERS], most = 0; /* of the box, upwards */
  forget(b);
  for (int step = 0; step < 2000; step++) {
    load_box(b, &of, IN_ORDER, 1);
    for (int i = 0; i < CORNERS; i++) b->free[i] += b->before[i] = speed;
    bench_solve(b, CORNERS, CORNERS, STEP);
    speed = (b->after[0] + b->after[1] + b->after[2] + b->after[3]) / CORNERS;
    most = flg_larger(most, fabs(speed));
  }
  assert_true(most <= 1e-11 * 0.01);
  push_corners(b, &of, IN_ORDER, 1, found);
  for (int k = 0; k < CORNERS; k++) assert_near(found[3 * k], 0.0025, 1e-13);
  bench_drop(b);
}

/* a corner that touches and carries nothing takes its share, whatever the past */
static void what_touches_takes_its_share(void **state) {
  (void)state;
  const flg_contact_law_options options = flg_contact_law_default();
  bench *b = bench_new(&options);
  const box of = standing_box();
  double found[NUMBERS];
  for (int k = 0; k < CORNERS; k++) {
    const bool carries = k == 0 || k == 3; /* across: they hold all by themselves */
    b->impulses[k] = carries ? 0.005 : 0;
    b->states[k] = carries ? FLG_ROW_ACTIVE : FLG_ROW_LOWER;
  }
  push_corners(b, &of, IN_ORDER, 1, found);
  for (int k = 0; k < CORNERS; k++) assert_near(found[3 * k], 0.0025, 2e-13);
  bench_drop(b);
}

/* a face that leans by a part of the slop carries with all of its corners, whatever rounding made
 * of its tilt */
static void a_face_that_hardly_leans_is_level(void **state) {
  (void)state;
  const flg_contact_law_options options = flg_contact_law_default();
  bench *b = bench_new(&options);
  const box of = standing_box();
  load_box(b, &of, IN_ORDER, 1);
  for (int k = 0; k < CORNERS; k++) {
    b->touches[k].gap = (k & 1 ? 0.15 : -0.15) * options.slop;
    b->touches[k].pair = 1;
  }
  bench_solve(b, CORNERS, CORNERS, STEP);
  for (int k = 0; k < CORNERS; k++) assert_near(b->impulses[k], 0.0025, 2e-13);
  bench_drop(b);
}

/* what slides at the bound of its friction is solved in each step */
static void what_slides_is_solved_again(void **state) {
  (void)state;
  const flg_contact_law_options options = flg_contact_law_default();
  bench *b = bench_new(&options);
  box of = standing_box();
  double found[NUMBERS], again[NUMBERS];
  of.velocity[0] = 0.1;
  forget(b), push_corners(b, &of, IN_ORDER, 3, found);
  push_corners(b, &of, IN_ORDER, 3, again);
  assert_true(apart(found, again) < 6e-10);
  of.velocity[1] = 1e-9; /* friction turns with the slip */
  push_corners(b, &of, IN_ORDER, 3, again);
  assert_true(apart(found, again) > 1e-9);
  bench_drop(b);
}

/* Of a body that cannot turn, two points have the same rows: what they approach
 * with differs by rounding, which no impulse takes away, and must not shift the load between them.
 */
static void rounding_of_rows_that_repeat_each_other_shifts_no_load(void **state) {
  (void)state;
  const flg_contact_law_options options = flg_contact_law_default();
  bench *b = bench_new(&options);
  double worst = 0;
  for (int each = 1; each <= 3; each += 2) {
    forget(b);
    for (int i = 0; i < 2 * each; i++) {
      b->free[i] = i % each > 0 ? 0.02 * (i % each) - 0.05 : -0.1 * (1 + (i > 0 ? 4e-12 : 0));
      b->before[i] = 0;
      for (int j = 0; j < 2 * each; j++) b->admittance[i + 2 * each * j] = i % each == j % each;
    }
    for (int k = 0; k < 2; k++)
      b->touches[k] = (flg_touch){.row = each * k, .rows = each, .friction = 0.2};
    bench_solve(b, 2, 2 * each, STEP);
    for (int k = 0; k < 2; k++) worst = flg_larger(worst, fabs(b->impulses[each * k] / 0.05 - 1));
  }
  printf("loads are %.1g apart\n", worst);
  assert_true(worst < 8e-6);
  bench_drop(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_with_friction_do_not_depend_on_the_order),
      cmocka_unit_test(forces_with_friction_in_boxes_do_not_depend_on_the_order),
      cmocka_unit_test(forces_without_friction_do_not_depend_on_the_order),
      cmocka_unit_test(forces_in_heaps_do_not_depend_on_the_order),
      cmocka_unit_test(pieces_of_heaps_share_as_others_do),
      cmocka_unit_test(hits_do_not_depend_on_the_order),
      cmocka_unit_test(what_is_symmetric_is_shared_symmetrically),
      cmocka_unit_test(what_stands_goes_on_with_its_impulses),
      cmocka_unit_test(what_stands_does_not_drift),
      cmocka_unit_test(what_touches_takes_its_share),
      cmocka_unit_test(a_face_that_hardly_leans_is_level),
      cmocka_unit_test(what_slides_is_solved_again),
      cmocka_unit_test(rounding_of_rows_that_repeat_each_other_shifts_no_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
