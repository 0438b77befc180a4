/* test_law.h - a law of contact with room for a few rows, for the tests. */
#ifndef FLG_SUBSYSTEM_TEST_LAW_H
#define FLG_SUBSYSTEM_TEST_LAW_H

#include "check.h"
#include "contacts/contact_law.h"

enum { ROWS_MAX = 60 };

typedef struct bench {
  flg_contact_law *law;
  flg_region region;
  double admittance[ROWS_MAX * ROWS_MAX], before[ROWS_MAX], free[ROWS_MAX];
  double impulses[ROWS_MAX], moves[ROWS_MAX], after[ROWS_MAX];
  unsigned char states[ROWS_MAX];
  flg_touch touches[ROWS_MAX];
  flg_touch_problem problem;
  flg_contact_law_report report;
} bench;

static inline bench *bench_new(const flg_contact_law_options *options) {
  bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->region = (flg_region){0};
  assert_int_equal(flg_contact_law_build(&b->law, ROWS_MAX, options, &b->region, NULL), FLG_OK);
  b->problem = (flg_touch_problem){.touches = b->touches,
                                   .admittance = b->admittance,
                                   .before = b->before,
                                   .free = b->free,
                                   .states = b->states,
                                   .impulses = b->impulses,
                                   .moves = b->moves,
                                   .after = b->after};
  return b;
}

static inline void bench_drop(bench *b) {
  flg_region_release(&b->region);
  free(b);
}

static inline void bench_solve(bench *b, int touches, int rows, double h) {
  b->problem.touch_count = touches, b->problem.row_count = rows, b->problem.h = h;
  assert_int_equal(flg_contact_law_solve(b->law, &b->problem, &b->report), FLG_OK);
  flg_contact_law_lift(b->law, &b->problem, &b->report);
}

#endif
