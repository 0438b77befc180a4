/* The fastest lane: linear problems of up to 32 rows with a dense matrix that is symmetric to the
 * last bit. Principal pivoting on a tableau of the scaled rows, F active and N not,
 *
 *     [x_F; y_N] = T [y_F; x_N] + t        y = S A S x + S q,  x = z / s,  y = w s
 *
 * in columns of 4 to 32, sizes that the compiler knows. A row changes sides by one exchange,
 * all rows that violate theirs at once; where that stops to help, only the last of them. A row that
 * depends on the active ones has no pivot: if it must come in, the active row that it drives out
 * first leaves before it. States of the last time are tried first, in the columns that they need.
 * Anything unusual is left to the other methods, which say what it is. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "complementarity/solver.h"
#include "math/dense_small.h"
#include "math/wide_vectors.h"

enum { MOST = FLG_COMPLEMENTARITY_TABLEAU, PATIENCE = 3, ROUNDS = 30 };

static const double SLACK = 0.01;     /* of the tolerance */
static const double RUNAWAY = 1e12;   /* as in complementarity.c */
static const double NO_PIVOT = 1e-10; /* of rows with a diagonal of 1 */
static const double NO_CHANGE = 1e-9;

typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

typedef struct lane {
  double t[MOST * (MOST + 1)]; /* columns of T, then t */
  double s[MOST], root[MOST], z[MOST], w[MOST];
  double sign[MOST]; /* -1 of active rows */
  double sigma;      /* largest |q_i| s_i */
  unsigned active;
} lane;

FLG_SMALL uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

FLG_SMALL int is_symmetric(int size, const double *a, int lda) {
  uint64_t differences = 0;
#pragma GCC unroll 8
  for (int j = 1; j < size; j++) {
#pragma GCC unroll 8
    for (int i = 0; i < j; i++) differences |= bits_of(a[i + j * lda]) ^ bits_of(a[j + i * lda]);
  }
  return differences == 0;
}

/* Scales and the tableau with no row active. 0 unless the diagonal is positive; NaN and infinity
 * come out in sigma, or in w at the end. */
FLG_SMALL int load(int size, const double *a, int lda, const double *q, lane *ln) {
  double least = HUGE_VAL, largest = 0;
  for (int i = 0; i < size; i += 4) {
    const double *d = a + i * (lda + 1), *e = d + 2 * (lda + 1);
    *(quad *)(ln->root + i) = (quad){d[0], d[lda + 1], e[0], e[lda + 1]};
    *(quad *)(ln->sign + i) = (quad){1, 1, 1, 1};
  }
  for (int i = 0; i < size; i++) least = ln->root[i] < least ? ln->root[i] : least;
  for (int i = 0; i < size; i++) {
    ln->root[i] = sqrt(ln->root[i]);
    ln->s[i] = 1 / ln->root[i];
  }
  const quad *s = (const quad *)ln->s;
#pragma GCC unroll 1
  for (int j = 0; j <= size; j++) {
    const quad *source = (const quad *)(j < size ? a + j * lda : q);
    quad *target = (quad *)(ln->t + j * size);
    const double scale = j < size ? ln->s[j] : 1;
    for (int i = 0; i < size / 4; i++) target[i] = source[i] * s[i] * scale;
  }
  for (int i = 0; i < size; i++) {
    const double force = fabs(ln->t[i + size * size]);
    largest = force > largest ? force : largest;
  }
  ln->sigma = largest, ln->active = 0;
  return least >= DBL_MIN && largest <= DBL_MAX;
}

FLG_SMALL void add_column(int size, double *column, const quad *keep, const quad *pivot,
                          double factor) {
  quad *target = (quad *)column;
  for (int i = 0; i < size / 4; i++) target[i] = keep[i] * target[i] + pivot[i] * factor;
}

/* Row k changes sides in t and in all columns, or in those of the set `wanted` alone; its pivot
 * must not be zero. T is symmetric between rows of one side and skew between the two, so that row k
 * can be read from column k. Where row k is written, the old values count 0 times. */
FLG_SMALL void exchange(int size, lane *ln, int k, int all, unsigned wanted) {
  static const double window[2 * MOST] = {[MOST] = 1};
  const quad *unit = (const quad *)(window + MOST - k); /* unit vector k */
  quad *own = (quad *)(ln->t + k * size), *sign = (quad *)ln->sign;
  quad pivot[MOST / 4], keep[MOST / 4];
  double row[MOST + 1]; /* k of T and t, but for the sign of k */
  const double before = ln->sign[k], turn = -before / ln->t[k + k * size];
  row[size] = before * ln->t[k + size * size];
  for (int i = 0; i < size / 4; i++) {
    keep[i] = 1 - unit[i];
    ((quad *)row)[i] = sign[i] * own[i];
    pivot[i] = keep[i] * own[i] + unit[i];
    pivot[i] *= turn;
    sign[i] *= keep[i] - unit[i];
  }
  if (all) {
#pragma GCC unroll 3
    for (int j = 0; j <= size; j++) add_column(size, ln->t + j * size, keep, pivot, row[j]);
    for (int i = 0; i < size / 4; i++) own[i] = -before * pivot[i];
  } else {
    for (; wanted != 0; wanted &= wanted - 1) {
      const int j = __builtin_ctz(wanted);
      add_column(size, ln->t + j * size, keep, pivot, row[j]);
    }
    add_column(size, ln->t + size * size, keep, pivot, row[size]);
  }
  ln->active ^= 1U << k;
}

/* t of the set of active rows, at the price of T; 0 if one of them has no pivot. */
FLG_SMALL int look_ahead(int size, lane *ln, unsigned set) {
  for (; set != 0; set &= set - 1) {
    const int k = __builtin_ctz(set);
    if (!(ln->t[k + k * size] > NO_PIVOT)) return 0;
    exchange(size, ln, k, 0, set & (set - 1));
  }
  return 1;
}

/* Exchanges the rows of the set that have a pivot; returns the others. */
FLG_SMALL unsigned exchange_set(int size, lane *ln, unsigned set) {
  unsigned stuck = 0;
  for (; set != 0; set &= set - 1) {
    const int k = __builtin_ctz(set);
    if (ln->t[k + k * size] > NO_PIVOT) {
      exchange(size, ln, k, 1, 0);
    } else {
      stuck |= 1U << k;
    }
  }
  return stuck;
}

/* Row k comes in for the active row that it brings to zero first; 0 if there is none. */
FLG_SMALL int replace(int size, lane *ln, int k) {
  double shortest = HUGE_VAL;
  int out = -1;
  for (unsigned left = ln->active; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    const double change = ln->t[i + k * size], room = ln->t[i + size * size];
    if (!(change < -NO_CHANGE) || room > -change * shortest) continue;
    shortest = -room / change, out = i;
  }
  if (out < 0) return 0;
  exchange(size, ln, out, 1, 0);
  if (!(ln->t[k + k * size] > NO_PIVOT)) return 0;
  exchange(size, ln, k, 1, 0);
  return 1;
}

FLG_SMALL unsigned violations(int size, const lane *ln, double slack) {
  unsigned set = 0;
  for (int i = 0; i < size; i++) set |= (unsigned)!(ln->t[i + size * size] >= -slack) << i;
  return set;
}

FLG_SMALL int pivot(int size, double slack, unsigned start, lane *ln, int *rounds) {
  int best = MOST + 1, patience = PATIENCE;
  exchange_set(size, ln, start);
  for (*rounds = 1; *rounds <= ROUNDS; ++*rounds) {
    unsigned set = violations(size, ln, slack);
    if (set == 0) return 1;
    const int count = __builtin_popcount(set);
    if (count < best) {
      best = count, patience = PATIENCE;
    } else if (patience-- <= 0) {
      set = 1U << (31 - __builtin_clz(set));
    }
    const unsigned stuck = exchange_set(size, ln, set);
    if (stuck == set && !replace(size, ln, __builtin_ctz(stuck))) return 0;
  }
  return 0;
}

/* z from the tableau, w from the caller's A and q */
FLG_SMALL void read_solution(int size, const double *a, int lda, const double *q, lane *ln) {
  for (int i = 0; i < size; i++) {
    const double x = ln->t[i + size * size];
    ln->z[i] = (ln->active & 1U << i) != 0 && x > 0 ? x * ln->s[i] : 0;
  }
  for (int i = 0; i < size; i += 4) {
    quad sum = *(const quad *)(q + i);
    for (int j = 0; j < size; j++) sum += *(const quad *)(a + i + j * lda) * ln->z[j];
    *(quad *)(ln->w + i) = sum;
  }
}

/* by the definition in the header; sigma becomes the one of z */
FLG_SMALL double residual_of(int size, lane *ln) {
  double natural = 0, product = 0, answer = 0, poison = 0;
  for (int i = 0; i < size; i++) {
    const double x = ln->z[i] * ln->root[i], y = ln->w[i] * ln->s[i];
    const double off = fabs(x < y ? x : y), both = x * fabs(y);
    natural = off > natural ? off : natural;
    product = both > product ? both : product;
    answer = x > answer ? x : answer;
    poison += 0 * y;
  }
  if (!(answer <= RUNAWAY * ln->sigma) || poison != 0) return HUGE_VAL;
  ln->sigma = answer > ln->sigma ? answer : ln->sigma;
  if (!(ln->sigma >= DBL_MIN)) return natural == 0 ? 0 : HUGE_VAL;
  const double unit = 1 / ln->sigma;
  natural *= unit, product = product * unit * unit;
  return product > natural ? product : natural;
}

FLG_SMALL void classify(int n, const lane *ln, double near, unsigned char *states) {
  for (int i = 0; i < n; i++) {
    const int active = (ln->active & 1U << i) != 0;
    const double room = active ? ln->z[i] * ln->root[i] : fabs(ln->w[i]) * ln->s[i];
    const int position = active ? FLG_ROW_ACTIVE : FLG_ROW_LOWER;
    states[i] = (unsigned char)(position | (room <= near ? FLG_ROW_POTENTIAL : 0));
  }
}

/* a and q of full size */
FLG_SMALL int solve(int size, const flg_complementarity_options *options, const double *a, int lda,
                    const double *q, unsigned start, lane *ln,
                    flg_complementarity_statistics *statistics) {
  int rounds = 1;
  if (!is_symmetric(size, a, lda) || !load(size, a, lda, q, ln)) return 0;
  const double slack = SLACK * options->tolerance * ln->sigma;
  if (start == 0 || !look_ahead(size, ln, start) || violations(size, ln, slack) != 0) {
    if (start != 0) load(size, a, lda, q, ln);
    if (!pivot(size, slack, start, ln, &rounds)) return 0;
  }
  read_solution(size, a, lda, q, ln);
  const double residual = residual_of(size, ln);
  if (!(residual <= options->tolerance)) return 0;
  *statistics = (flg_complementarity_statistics){.outcome = FLG_OUTCOME_SOLVED,
                                                 .method = FLG_METHOD_SMALL,
                                                 .iterations = rounds,
                                                 .residual = residual};
  return 1;
}

/* Rows that nothing pushes fill it up to a whole size. */
FLG_SMALL int solve_padded(int n, int size, const flg_complementarity_options *options,
                           const double *a, int lda, const double *q, unsigned start, lane *ln,
                           flg_complementarity_statistics *statistics) {
  double whole[MOST * MOST], force[MOST];
  if (n < size) {
    memset(whole, 0, (size_t)(size * size) * sizeof *whole);
    for (int j = 0; j < n; j++) {
      memcpy(whole + j * size, a + j * lda, (size_t)n * sizeof *whole);
      force[j] = q[j];
    }
    for (int j = n; j < size; j++) whole[j + j * size] = 1, force[j] = 0;
    a = whole, lda = size, q = force;
  }
  return solve(size, options, a, lda, q, start, ln, statistics);
}

FLG_WIDE_VECTORS
int flg_small_linear(const flg_complementarity_options *options,
                     const flg_complementarity_matrix *matrix, const double *q,
                     unsigned char *states, double *z, double *w,
                     flg_complementarity_statistics *statistics) {
  const double *a = matrix->dense;
  const int n = matrix->n, lda = matrix->leading;
  flg_complementarity_statistics told;
  lane ln;
  unsigned start = 0;
  int solved;
  for (int i = 0; i < n && states != NULL; i++) {
    start |= (unsigned)((states[i] & FLG_ROW_POSITION) == FLG_ROW_ACTIVE) << i;
  }
  if (n <= 4) {
    solved = solve_padded(n, 4, options, a, lda, q, start, &ln, &told);
  } else if (n <= 8) {
    solved = solve_padded(n, 8, options, a, lda, q, start, &ln, &told);
  } else if (n <= 16) {
    solved = solve_padded(n, 16, options, a, lda, q, start, &ln, &told);
  } else if (n <= 24) {
    solved = solve_padded(n, 24, options, a, lda, q, start, &ln, &told);
  } else {
    solved = solve_padded(n, 32, options, a, lda, q, start, &ln, &told);
  }
  if (!solved) return 0;
  for (int i = 0; i < n; i++) z[i] = ln.z[i], w[i] = ln.w[i];
  if (states != NULL) classify(n, &ln, options->potential_tolerance * ln.sigma, states);
  if (statistics != NULL) *statistics = told;
  return 1;
}
