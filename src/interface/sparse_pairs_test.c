/* Random graphs against dense solutions, and what is refused. */
#include "interface/sparse_pairs.h"

#include "check.h"
#include "math/dense.h"
#include "random.h"

enum { MOST = 24, ROWS = 2 * MOST };

/* a tree of blocks with some loops: A = sum of B B^T over its pairs, plus the identity */
typedef struct sample {
  int count, pair_count, pairs[4 * MOST];
  double dense[ROWS * ROWS]; /* by blocks of the caller */
} sample;

static void couple(sample *s, int a, int b, random_source *source) {
  const int block[2] = {a, b}, n = 2 * s->count;
  double B[4][2];
  for (int i = 0; i < 8; i++) B[i / 2][i % 2] = random_uniform(source, -1, 1);
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      const int row = 2 * block[i / 2] + i % 2, column = 2 * block[j / 2] + j % 2;
      s->dense[row + column * n] += B[i][0] * B[j][0] + B[i][1] * B[j][1];
    }
  }
  s->pairs[2 * s->pair_count] = a, s->pairs[2 * s->pair_count++ + 1] = b;
}

static sample random_sample(random_source *source) {
  sample s = {.count = random_integer(source, 1, MOST)};
  for (int i = 0; i < 2 * s.count; i++) s.dense[i * (2 * s.count + 1)] = 1;
  for (int k = 1; k < s.count; k++) couple(&s, random_integer(source, 0, k - 1), k, source);
  for (int k = random_integer(source, 0, s.count / 2); k > 0 && s.count > 1; k--) {
    const int a = random_integer(source, 0, s.count - 2);
    couple(&s, a, random_integer(source, a + 1, s.count - 1), source);
  }
  return s;
}

static void fill(const sample *s, flg_sparse_pairs *matrix) {
  const int n = 2 * s->count;
  for (int e = 0; e < 4 * matrix->pattern.entry_count; e++) matrix->entry[e] = 0;
  for (int a = 0; a < s->count; a++) {
    double *d = matrix->diagonal + 3 * matrix->pattern.place[a];
    d[0] = s->dense[2 * a * (n + 1)], d[1] = s->dense[2 * a + 1 + 2 * a * n];
    d[2] = s->dense[(2 * a + 1) * (n + 1)];
    for (int b = 0; b < s->count; b++) {
      const int entry = flg_sparse_pattern_find(&matrix->pattern, matrix->pattern.place[a],
                                                matrix->pattern.place[b]);
      if (a == b || entry < 0 || matrix->pattern.place[a] < matrix->pattern.place[b]) continue;
      for (int i = 0; i < 4; i++) {
        matrix->entry[4 * entry + i] = s->dense[2 * a + i % 2 + (2 * b + i / 2) * n];
      }
    }
  }
}

static void solutions_are_those_of_dense_matrices(void **state) {
  (void)state;
  random_source source = {1};
  for (int k = 0; k < REPEATS(300); k++) {
    const sample s = random_sample(&source);
    const int n = 2 * s.count;
    flg_region region = {0};
    flg_sparse_pairs matrix;
    double x[ROWS], placed[ROWS];
    assert_true(flg_sparse_pairs_build(&matrix, s.count, s.pair_count, s.pairs, &region));
    fill(&s, &matrix);
    assert_true(flg_sparse_pairs_factor(&matrix, 1e-10));
    for (int i = 0; i < n; i++) x[i] = random_uniform(&source, -1, 1);
    for (int i = 0; i < n; i++) placed[2 * matrix.pattern.place[i / 2] + i % 2] = x[i];
    flg_sparse_pairs_solve(&matrix, placed);
    for (int i = 0; i < n; i++) { /* A y - x */
      double left = -x[i];
      for (int j = 0; j < n; j++)
        left += s.dense[i + j * n] * placed[2 * matrix.pattern.place[j / 2] + j % 2];
      assert_near(left, 0, 1e-12);
    }
    flg_region_release(&region);
  }
}

static void chains_have_an_entry_a_link_and_no_products(void **state) {
  (void)state;
  enum { COUNT = 1000 };
  int pairs[2 * COUNT];
  for (int k = 0; k < COUNT - 1; k++) pairs[2 * k] = k, pairs[2 * k + 1] = k + 1;
  flg_region region = {0};
  flg_sparse_pairs matrix;
  assert_true(flg_sparse_pairs_build(&matrix, COUNT, COUNT - 1, pairs, &region));
  assert_int_equal(matrix.pattern.entry_count, COUNT - 1);
  assert_int_equal(matrix.pattern.target_count, 0);
  flg_region_release(&region);
}

/* blocks that go on and on: one that everything is coupled with, and all with all */
static void matrices_that_fill_up_are_refused(void **state) {
  (void)state;
  enum { COUNT = FLG_SPARSE_DEGREE_MAX + 2 };
  int pairs[COUNT * COUNT], count = 0;
  for (int a = 0; a < COUNT; a++) {
    for (int b = 0; b < a; b++) pairs[2 * count] = a, pairs[2 * count++ + 1] = b;
  }
  flg_region region = {0};
  flg_sparse_pairs matrix;
  assert_false(flg_sparse_pairs_build(&matrix, COUNT, count, pairs, &region));
  assert_false(region.failed);
  flg_region_release(&region);
}

static void rows_that_depend_on_others_or_are_no_numbers_fail(void **state) {
  (void)state;
  flg_region region = {0};
  flg_sparse_pairs matrix;
  assert_true(flg_sparse_pairs_build(&matrix, 1, 0, NULL, &region));
  const double cases[][3] = {{1, 1, 1},        {0, 0, 1},       {1, 0, 0},   {-1, 0, 1},
                             {1, 1, 1 + 1e-9}, {NAN, 0, 1},     {1, NAN, 1}, {1, 0, NAN},
                             {INFINITY, 0, 1}, {1, 0, INFINITY}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    memcpy(matrix.diagonal, cases[k], sizeof cases[k]);
    assert_false(flg_sparse_pairs_factor(&matrix, 1e-8));
  }
  const double good[3] = {2, 1, 1};
  memcpy(matrix.diagonal, good, sizeof good);
  assert_true(flg_sparse_pairs_factor(&matrix, 1e-8));
  flg_region_release(&region);
}

/* two pairs of rows that nearly depend on each other: how nearly does not depend on axes */
static void soundness_is_the_same_in_all_axes(void **state) {
  (void)state;
  flg_region region = {0};
  flg_sparse_pairs matrix;
  const int pairs[2] = {1, 0};
  assert_true(flg_sparse_pairs_build(&matrix, 2, 1, pairs, &region));
  for (int k = 0; k < 20; k++) {
    /* both blocks are diag(1, 2), and so is the entry, but for 1e-5: turned by an angle */
    const double angle = 0.1 * k, c = cos(angle), s = sin(angle), left = k % 2 == 0 ? 2e-5 : 5e-6;
    const double xx = c * c + 2 * s * s, xy = -c * s, yy = s * s + 2 * c * c, near = sqrt(1 - left);
    const double block[3] = {xx, xy, yy};
    memcpy(matrix.diagonal, block, sizeof block);
    memcpy(matrix.diagonal + 3, block, sizeof block);
    /* along the first axis it depends, along the other it does not */
    matrix.entry[0] = near * c * c, matrix.entry[3] = near * s * s;
    matrix.entry[1] = matrix.entry[2] = near * c * s;
    assert_true(flg_sparse_pairs_factor(&matrix, 1e-5) == (k % 2 == 0));
  }
  flg_region_release(&region);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_are_those_of_dense_matrices),
      cmocka_unit_test(chains_have_an_entry_a_link_and_no_products),
      cmocka_unit_test(matrices_that_fill_up_are_refused),
      cmocka_unit_test(rows_that_depend_on_others_or_are_no_numbers_fail),
      cmocka_unit_test(soundness_is_the_same_in_all_axes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
