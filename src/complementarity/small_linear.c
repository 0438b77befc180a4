/* The fastest lane: linear problems of up to 32 rows with a dense matrix that is symmetric to the
 * last bit. Principal pivoting on a tableau of the scaled rows, F active and N not,
 *
 *     [x_F; y_N] = T [y_F; x_N] + t        y = S A S x + S q,  x = z / s,  y = w s
 *
 * in columns of 4 to 32, sizes that the compiler knows. A row changes sides by one exchange,
 * all rows that violate theirs at once; where that stops to help, only the last of them. A row that
 * depends on the active ones has no pivot: if it must come in, the active row that it drives out
 * first leaves before it. The active rows of the last time are tried first, by their equations
 * alone. Anything unusual is left to the other methods, which say what it is. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "complementarity/small_active.h"
#include "complementarity/solver.h"
#include "complementarity/tile.h"
#include "math/dense_small.h"
#include "math/wide_vectors.h"

enum { MOST = FLG_COMPLEMENTARITY_TABLEAU, PATIENCE = 3, ROUNDS = 30 };

static const double SLACK = 0.01;     /* of the tolerance */
static const double RUNAWAY = 1e12;   /* as in complementarity.c */
static const double NO_PIVOT = 1e-10; /* of rows with a diagonal of 1 */
static const double NO_CHANGE = 1e-9; /* of a step: what shrinks by less is no obstacle */

typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t quad_bits __attribute__((vector_size(32), aligned(8), may_alias));

typedef struct lane {
  double t[MOST * (MOST + 1)]; /* columns of T, then t */
  double s[MOST], root[MOST], z[MOST], w[MOST];
  double sign[MOST]; /* -1 of active rows */
  double push;       /* largest |q_i| s_i */
  double sigma;      /* the same, or the largest z_i / s_i */
  double residual;
  double fastest; /* the speed that is left */
  unsigned active;
} lane;

/* element by element, as the scalar choice a > b ? a : b, also for NaN */
FLG_SMALL void raise_to(const quad *value, quad *most) {
  const quad_bits first = *value > *most;
  *most = (quad)((first & (quad_bits)*value) | (~first & (quad_bits)*most));
}

FLG_SMALL void drop_to(const quad *value, quad *least) {
  const quad_bits first = *value < *least;
  *least = (quad)((first & (quad_bits)*value) | (~first & (quad_bits)*least));
}

FLG_SMALL void drop_sign(quad *value) {
  *value = (quad)((quad_bits)*value & INT64_MAX);
}

FLG_SMALL double largest_of(const quad *value) {
  const quad a = *value;
  const double x = a[0] > a[1] ? a[0] : a[1], y = a[2] > a[3] ? a[2] : a[3];
  return x > y ? x : y;
}

FLG_SMALL unsigned active_of(int n, const unsigned char *states) {
  unsigned set = 0;
  for (int i = 0; i < n; i++) {
    set |= (unsigned)((states[i] & FLG_ROW_POSITION) == FLG_ROW_ACTIVE) << i;
  }
  return set;
}

/* to the last bit */
FLG_SMALL int is_symmetric(int size, const double *a) {
  flg_tile_bits differences = {0, 0, 0, 0};
  for (int j = 0; j < size; j += 4) {
    for (int i = 0; i <= j; i += 4) {
      flg_tile_compare(size, a + i + j * size, a + j + i * size, &differences);
    }
  }
  return (differences[0] | differences[1] | differences[2] | differences[3]) == 0;
}

/* 0 unless the diagonal is positive; NaN and infinity come out in push, or in w at the end. */
FLG_SMALL int load_scales(int size, const double *a, const double *q, lane *ln) {
  quad least = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL}, largest = {0, 0, 0, 0};
  for (int i = 0; i < size; i += 4) {
    const double *d = a + i * (size + 1), *e = d + 2 * (size + 1);
    const quad diagonal = {d[0], d[size + 1], e[0], e[size + 1]};
    quad root = {0, 0, 0, 0};
    for (int k = 0; k < 4; k++) root[k] = sqrt(diagonal[k]);
    const quad s = 1 / root;
    quad force = *(const quad *)(q + i) * s;
    *(quad *)(ln->root + i) = root;
    *(quad *)(ln->s + i) = s;
    drop_sign(&force);
    raise_to(&force, &largest);
    drop_to(&diagonal, &least);
  }
  least = -least;
  ln->push = largest_of(&largest);
  return -largest_of(&least) >= DBL_MIN && ln->push <= DBL_MAX;
}

/* The tableau with no row active. */
FLG_SMALL void load_tableau(int size, const double *a, const double *q, lane *ln) {
  const quad *s = (const quad *)ln->s;
  for (int i = 0; i < size; i += 4) *(quad *)(ln->sign + i) = (quad){1, 1, 1, 1};
#pragma GCC unroll 1
  for (int j = 0; j <= size; j++) {
    const quad *source = (const quad *)(j < size ? a + j * size : q);
    quad *target = (quad *)(ln->t + j * size);
    const double scale = j < size ? ln->s[j] : 1;
    for (int i = 0; i < size / 4; i++) target[i] = source[i] * s[i] * scale;
  }
  ln->active = 0;
}

FLG_SMALL void add_column(int size, double *column, const quad *keep, const quad *pivot,
                          double factor) {
  quad *target = (quad *)column;
  for (int i = 0; i < size / 4; i++) target[i] = keep[i] * target[i] + pivot[i] * factor;
}

/* Row k changes sides; its pivot must not be zero. T is symmetric between rows of one side and skew
 * between the two, so that row k can be read from column k. Where row k is written, the old values
 * count 0 times. */
FLG_SMALL void exchange(int size, lane *ln, int k) {
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
#pragma GCC unroll 3
  for (int j = 0; j <= size; j++) add_column(size, ln->t + j * size, keep, pivot, row[j]);
  for (int i = 0; i < size / 4; i++) own[i] = -before * pivot[i];
  ln->active ^= 1U << k;
}

/* Exchanges the rows of the set that have a pivot; returns the others. */
FLG_SMALL unsigned exchange_set(int size, lane *ln, unsigned set) {
  unsigned stuck = 0;
  for (; set != 0; set &= set - 1) {
    const int k = __builtin_ctz(set);
    if (ln->t[k + k * size] > NO_PIVOT) {
      exchange(size, ln, k);
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
  exchange(size, ln, out);
  if (!(ln->t[k + k * size] > NO_PIVOT)) return 0;
  exchange(size, ln, k);
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

/* w from z and the caller's A and q; the residual by the definition in the header */
FLG_SMALL int is_solved(int size, const double *a, const double *q, double tolerance, lane *ln) {
  quad natural = {0, 0, 0, 0}, product = natural, answer = natural, poison = natural;
  quad fastest = natural;
  for (int i = 0; i < size; i += 4) {
    quad w = *(const quad *)(q + i);
    for (int j = 0; j < size; j++) w += *(const quad *)(a + i + j * size) * ln->z[j];
    const quad x = *(quad *)(ln->z + i) * *(quad *)(ln->root + i);
    quad y = w * *(quad *)(ln->s + i), off = x;
    drop_to(&y, &off);
    drop_sign(&off);
    drop_sign(&y);
    const quad both = x * y, speed = off * *(quad *)(ln->root + i);
    raise_to(&off, &natural);
    raise_to(&both, &product);
    raise_to(&speed, &fastest);
    raise_to(&x, &answer);
    poison += 0 * y;
    *(quad *)(ln->w + i) = w;
  }
  const double load = largest_of(&answer), off = largest_of(&natural);
  ln->sigma = load > ln->push ? load : ln->push;
  ln->fastest = largest_of(&fastest);
  const double unit = 1 / ln->sigma, both = largest_of(&product) * unit;
  if (!(load <= RUNAWAY * ln->push) || poison[0] + poison[1] + poison[2] + poison[3] != 0) return 0;
  ln->residual = (off > both ? off : both) * unit;
  if (!(ln->sigma >= DBL_MIN)) ln->residual = off == 0 ? 0 : HUGE_VAL;
  return ln->residual <= tolerance;
}

FLG_SMALL void read_tableau(int size, lane *ln) {
  for (int i = 0; i < size; i++) {
    const double x = ln->t[i + size * size];
    ln->z[i] = (ln->active & 1U << i) != 0 && x > 0 ? x * ln->s[i] : 0;
  }
}

/* Not in line: twelve copies of it, six sizes for two kinds of processors, would take as long to
 * compile as a tenth of the library, and gain nothing: it does not use the size. */
__attribute__((noinline)) FLG_WIDE_VECTORS static int solve_rows(int m, const double *a, int lda,
                                                                 const int *order, const double *q,
                                                                 double *x) {
  return flg_small_active(m, a, lda, order, q, NO_PIVOT, x);
}

/* z of the given active rows, those of the last time, from their equations; 0: not independent */
FLG_SMALL int solve_active(int size, const double *a, const double *q, unsigned set, lane *ln) {
  int order[MOST], m = 0;
  double x[MOST];
  ln->active = set;
  for (; set != 0; set &= set - 1) order[m++] = __builtin_ctz(set);
  if (!solve_rows(m, a, size, order, q, x)) return 0;
  for (int i = 0; i < size; i += 4) *(quad *)(ln->z + i) = (quad){0, 0, 0, 0};
  for (int k = 0; k < m; k++) ln->z[order[k]] = x[k] > 0 ? x[k] : 0;
  return 1;
}

/* a (size x size) and q of full size */
FLG_SMALL int small_linear_solve(int size, const flg_complementarity_options *options,
                                 const double *a, const double *q, unsigned start, lane *ln,
                                 int *rounds) {
  *rounds = 1;
  if (!is_symmetric(size, a) || !load_scales(size, a, q, ln)) return 0;
  if (start != 0 && solve_active(size, a, q, start, ln) &&
      is_solved(size, a, q, options->tolerance, ln))
    return 1;
  load_tableau(size, a, q, ln);
  if (!pivot(size, SLACK * options->tolerance * ln->push, start, ln, rounds)) return 0;
  read_tableau(size, ln);
  return is_solved(size, a, q, options->tolerance, ln);
}

FLG_SMALL void classify(int size, const lane *ln, double near, unsigned char *states) {
  const quad_bits bit = {1, 2, 4, 8}, place = {0, 8, 16, 24};
  for (int i = 0; i < size; i += 4) {
    const quad x = *(const quad *)(ln->z + i) * *(const quad *)(ln->root + i);
    quad y = *(const quad *)(ln->w + i) * *(const quad *)(ln->s + i);
    drop_sign(&y);
    const quad_bits active = (((int64_t)ln->active >> i) & bit) != 0;
    const quad room = (quad)((active & (quad_bits)x) | (~active & (quad_bits)y));
    const quad_bits potential = room <= near;
    const quad_bits state = (FLG_ROW_LOWER + active) | (potential & FLG_ROW_POTENTIAL);
    const quad_bits byte = state << place;
    const int64_t four = (byte[0] | byte[1]) | (byte[2] | byte[3]);
    for (int k = 0; k < 4; k++) states[i + k] = (unsigned char)(four >> (8 * k));
  }
}

/* in line: calls of memcpy would cost more than the copy */
FLG_SMALL void copy_column(int n, const double *source, double *target) {
  int i = 0;
  for (; i + 4 <= n; i += 4) *(quad *)(target + i) = *(const quad *)(source + i);
#pragma GCC unroll 1
  for (; i < n; i++) target[i] = source[i];
}

/* n rows of the answer, all at once where that is the whole size */
FLG_SMALL void copy_out(int n, int size, const void *source, size_t element, void *target) {
  if (n == size) {
    memcpy(target, source, (size_t)size * element);
  } else {
    memcpy(target, source, (size_t)n * element);
  }
}

/* Columns of just the size that the compiler knows; rows that nothing pushes fill them up. */
FLG_SMALL int solve_padded(int size, const flg_complementarity_options *options,
                           const flg_complementarity_matrix *matrix, const double *q,
                           unsigned char *states, double *z, double *w,
                           flg_complementarity_statistics *statistics) {
  const int n = matrix->n;
  const double *a = matrix->dense;
  double whole[MOST * MOST], force[MOST];
  unsigned char found[MOST];
  int rounds;
  lane ln;
  if (n < size || matrix->leading != size) {
    memset(whole, 0, (size_t)(size * size) * sizeof *whole);
    for (int j = 0; j < n; j++)
      copy_column(n, a + (size_t)j * (size_t)matrix->leading, whole + j * size);
    copy_column(n, q, force);
    for (int j = n; j < size; j++) whole[j + j * size] = 1, force[j] = 0;
    a = whole, q = force;
  }
  const unsigned start = states == NULL ? 0 : active_of(n, states);
  if (!small_linear_solve(size, options, a, q, start, &ln, &rounds)) return 0;
  copy_out(n, size, ln.z, sizeof *z, z);
  copy_out(n, size, ln.w, sizeof *w, w);
  if (states != NULL) {
    classify(size, &ln, options->potential_tolerance * ln.sigma, found);
    copy_out(n, size, found, 1, states);
  }
  if (statistics != NULL) {
    *statistics = (flg_complementarity_statistics){.outcome = FLG_OUTCOME_SOLVED,
                                                   .method = FLG_METHOD_SMALL,
                                                   .iterations = rounds,
                                                   .residual = ln.residual,
                                                   .speed = ln.fastest,
                                                   .excess = ln.fastest};
  }
  return 1;
}

FLG_WIDE_VECTORS
int flg_small_linear(const flg_complementarity_options *options,
                     const flg_complementarity_matrix *matrix, const double *q,
                     unsigned char *states, double *z, double *w,
                     flg_complementarity_statistics *statistics) {
  const int n = matrix->n;
  if (n <= 4) return solve_padded(4, options, matrix, q, states, z, w, statistics);
  if (n <= 8) return solve_padded(8, options, matrix, q, states, z, w, statistics);
  if (n <= 12) return solve_padded(12, options, matrix, q, states, z, w, statistics);
  if (n <= 16) return solve_padded(16, options, matrix, q, states, z, w, statistics);
  if (n <= 24) return solve_padded(24, options, matrix, q, states, z, w, statistics);
  return solve_padded(32, options, matrix, q, states, z, w, statistics);
}
