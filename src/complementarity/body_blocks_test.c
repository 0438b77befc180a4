/* Equations over bodies, against a dense solve. */
#include "complementarity/body_blocks.h"

#include "complementarity/solver.h"
#include "complementarity/test_problems.h"

enum { MOST_TRIED = 20, UNKNOWNS = 6 * MOST_TRIED };

static flg_body_blocks blocks;

static void tie(uint64_t *touching, int a, int b) {
  touching[a] |= (uint64_t)1 << b, touching[b] |= (uint64_t)1 << a;
}

/* a tree of bodies, and some more that touch */
static void draw_ties(random_source *source, int bodies, uint64_t *touching) {
  memset(touching, 0, sizeof *touching * MOST_TRIED);
  for (int b = 1; b < bodies; b++) tie(touching, b, random_integer(source, 0, b - 1));
  for (int k = random_integer(source, 0, bodies); bodies > 1 && k > 0; k--) {
    const int b = random_integer(source, 1, bodies - 1);
    tie(touching, b, random_integer(source, 0, b - 1));
  }
}

/* Any numbers in the blocks of those that touch, smaller where they are not of one body, since rows
 * of two do not change places; the same in a dense matrix, row-major. */
static void draw_matrix(random_source *source, int bodies, const uint64_t *touching, double *a) {
  const int n = 6 * bodies;
  memset(a, 0, sizeof *a * (size_t)(n * n));
  flg_body_blocks_reset(&blocks);
  for (int r = 0; r < bodies; r++) {
    for (int c = 0; c < bodies; c++) {
      if (r != c && (touching[r] >> c & 1) == 0) continue;
      double *block = flg_body_block(&blocks, r, c);
      for (int k = 0; k < 36; k++) {
        block[k] += (r == c ? 1 : 0.05) * random_uniform(source, -1, 1);
        a[(6 * r + k / 6) * n + 6 * c + k % 6] = block[k];
      }
    }
  }
}

static void the_answer_is_that_of_the_whole_matrix(void **state) {
  (void)state;
  random_source source = {7};
  static double a[UNKNOWNS * UNKNOWNS], x[UNKNOWNS], whole[UNKNOWNS];
  uint64_t touching[MOST_TRIED];
  double worst = 0;
  for (int trial = 0; trial < REPEATS(1000); trial++) {
    const int bodies = random_integer(&source, 1, MOST_TRIED);
    double size = 0, off = 0;
    draw_ties(&source, bodies, touching);
    assert_true(flg_body_blocks_plan(&blocks, bodies, touching));
    draw_matrix(&source, bodies, touching, a);
    fill_random(&source, 6 * bodies, x);
    memcpy(whole, x, sizeof x);
    flg_body_blocks_solve(&blocks, x);
    flg_lu_solve(6 * bodies, a, whole);
    for (int i = 0; i < 6 * bodies; i++) {
      size = flg_larger(size, fabs(whole[i])), off = flg_larger(off, fabs(x[i] - whole[i]));
    }
    worst = flg_larger(worst, off / size);
  }
  printf("%.1g off\n", worst);
  assert_near(worst, 0, 1e-10); /* blocks of random numbers may be nearly singular */
}

/* A tower takes one product of blocks and one of a column a floor, from either end. */
static void a_tower_adds_no_blocks(void **state) {
  (void)state;
  enum { FLOORS = FLG_BLOCKS_BODIES };
  uint64_t touching[FLOORS] = {0};
  for (int b = 1; b < FLOORS; b++) tie(touching, b * 5 % FLOORS, (b * 5 + 59) % FLOORS);
  assert_true(flg_body_blocks_plan(&blocks, FLOORS, touching));
  assert_int_equal(blocks.block_count, FLOORS + 2 * (FLOORS - 1));
  assert_int_equal(blocks.products, 2 * (FLOORS - 1));
}

static void where_nothing_resists_nothing_moves(void **state) {
  (void)state;
  const uint64_t touching[1] = {0};
  double x[6] = {1, 2, 3, 4, 5, 6};
  assert_true(flg_body_blocks_plan(&blocks, 1, touching));
  flg_body_blocks_reset(&blocks);
  flg_body_block(&blocks, 0, 0)[7 * 2] = 0;
  flg_body_blocks_solve(&blocks, x);
  for (int i = 0; i < 6; i++) assert_near(x[i], i == 2 ? 0 : i + 1, 0);
}

static void too_many_are_refused(void **state) {
  (void)state;
  uint64_t touching[FLG_BLOCKS_BODIES + 1] = {0};
  assert_false(flg_body_blocks_plan(&blocks, FLG_BLOCKS_BODIES + 1, touching));
  for (int b = 0; b < 32; b++) touching[b] = ((uint64_t)1 << 32) - 1;
  assert_true(flg_body_blocks_plan(&blocks, 32, touching));
  assert_int_equal(blocks.block_count, 32 * 32);
  for (int b = 0; b < 33; b++) touching[b] = ((uint64_t)1 << 33) - 1;
  assert_false(flg_body_blocks_plan(&blocks, 33, touching));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_answer_is_that_of_the_whole_matrix),
      cmocka_unit_test(a_tower_adds_no_blocks),
      cmocka_unit_test(where_nothing_resists_nothing_moves),
      cmocka_unit_test(too_many_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
