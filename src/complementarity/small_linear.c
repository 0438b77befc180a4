/* The fastest lane: linear problems of up to 16 rows with a dense matrix that is symmetric to the
 * last bit. The same as small_pivot.c with bounds 0 and infinity, in one function, since calls and
 * copies would cost as much as the work. Anything unusual is left to the others, which say what it
 * is. */
#include <float.h>
#include <math.h>

#include "complementarity/small_factor.h"

static const double SLACK = 0.01;   /* of the tolerance */
static const double RUNAWAY = 1e12; /* as in complementarity.c */

typedef struct lane {
  double diagonal[MOST], s[MOST], root[MOST];
  double sigma; /* largest |q_i| s_i */
  small sm;
} lane;

FLG_SMALL int load(const flg_rows *rows, lane *ln) {
  double poison = 0, least = HUGE_VAL, largest = 0, differences = 0;
  const int n = rows->n;
  for (int j = 0; j < n; j++) {
    const double *column = rows->a + (size_t)j * (size_t)rows->lda, *row = rows->a + j;
    double difference = 0;
    for (int i = 0; i < j; i++) difference += fabs(column[i] - row[(size_t)i * (size_t)rows->lda]);
    differences += difference;
    ln->diagonal[j] = column[j];
    least = column[j] < least ? column[j] : least;
    poison += 0 * column[j] + 0 * rows->q[j];
  }
  if (!(poison == 0 && differences == 0 && least >= DBL_MIN)) return 0;
  for (int i = 0; i < n; i++) {
    ln->root[i] = sqrt(ln->diagonal[i]);
    ln->s[i] = 1 / ln->root[i];
  }
  for (int i = 0; i < n; i++) {
    const double size = fabs(rows->q[i]) * ln->s[i];
    largest = size > largest ? size : largest;
  }
  ln->sigma = largest;
  return 1;
}

FLG_SMALL int pivot(const flg_rows *rows, double slack, double tolerance, lane *ln, int *rounds) {
  small *sm = &ln->sm;
  int best = MOST + 1, patience = PATIENCE;
  for (*rounds = 1; *rounds <= ROUNDS; ++*rounds) {
    for (int i = 0; i < rows->n; i++) sm->z[i] = 0;
    const int m = gather(rows, sm, rows->q);
    if (!eliminate(rows, sm, m, tolerance)) return 0;
    substitute_back(sm, m);
    apply(rows, sm);
    unsigned set = 0;
    for (int i = 0; i < rows->n; i++) {
      const int active = (sm->active & bit(i)) != 0;
      const double value = active ? sm->z[i] * ln->root[i] : sm->w[i] * ln->s[i];
      set |= (unsigned)!(value >= -slack) << i;
    }
    if (set == 0) return 1;
    sm->active ^= rows_to_change(set, &best, &patience);
  }
  return 0;
}

/* by the definition in the header; *sigma becomes the one of z */
FLG_SMALL double residual_of(const flg_rows *rows, const lane *ln, double *sigma) {
  double natural = 0, product = 0, answer = 0;
  for (int i = 0; i < rows->n; i++) {
    const double x = ln->sm.z[i] * ln->root[i], y = ln->sm.w[i] * ln->s[i];
    const double off = fabs(x < y ? x : y), both = x * fabs(y);
    natural = off > natural ? off : natural;
    product = both > product ? both : product;
    answer = x > answer ? x : answer;
  }
  if (!(answer <= RUNAWAY * *sigma)) return HUGE_VAL;
  *sigma = answer > *sigma ? answer : *sigma;
  if (!(*sigma >= DBL_MIN)) return natural == 0 ? 0 : HUGE_VAL;
  natural /= *sigma, product = product / *sigma / *sigma;
  return product > natural ? product : natural;
}

FLG_SMALL void classify(const flg_rows *rows, const lane *ln, double near, unsigned char *states) {
  for (int i = 0; i < rows->n; i++) {
    const int active = (ln->sm.active & bit(i)) != 0;
    const double room = active ? ln->sm.z[i] * ln->root[i] : fabs(ln->sm.w[i]) * ln->s[i];
    const int position = active ? FLG_ROW_ACTIVE : FLG_ROW_LOWER;
    states[i] = (unsigned char)(position | (room <= near ? FLG_ROW_POTENTIAL : 0));
  }
}

FLG_WIDE_VECTORS
int flg_small_linear(const flg_complementarity_options *options,
                     const flg_complementarity_matrix *matrix, const double *q,
                     unsigned char *states, double *z, double *w,
                     flg_complementarity_statistics *statistics) {
  lane ln;
  const flg_rows rows = {
      .n = matrix->n, .a = matrix->dense, .lda = matrix->leading, .q = q, .reference = ln.diagonal};
  int rounds, outside = 0;
  if (!load(&rows, &ln)) return 0;
  ln.sm.active = 0;
  for (int i = 0; i < rows.n && states != NULL; i++) {
    ln.sm.active |= (unsigned)((states[i] & FLG_ROW_POSITION) == FLG_ROW_ACTIVE) << i;
  }
  const double slack = SLACK * options->tolerance * ln.sigma;
  if (!pivot(&rows, slack, options->pivot_tolerance, &ln, &rounds)) return 0;
  for (int i = 0; i < rows.n; i++) {
    outside |= ln.sm.z[i] < 0;
    ln.sm.z[i] = ln.sm.z[i] > 0 ? ln.sm.z[i] : 0;
  }
  if (outside) apply(&rows, &ln.sm);
  const double residual = residual_of(&rows, &ln, &ln.sigma);
  if (!(residual <= options->tolerance)) return 0;
  for (int i = 0; i < rows.n; i++) z[i] = ln.sm.z[i], w[i] = ln.sm.w[i];
  if (states != NULL) classify(&rows, &ln, options->potential_tolerance * ln.sigma, states);
  if (statistics != NULL) {
    *statistics = (flg_complementarity_statistics){.outcome = FLG_OUTCOME_SOLVED,
                                                   .method = FLG_METHOD_SMALL,
                                                   .iterations = rounds,
                                                   .residual = residual};
  }
  return 1;
}
