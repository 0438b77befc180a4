/* Active-set descent on 1/2 z'Az + q'z within the bounds, which is the same problem. Every move
 * lowers it, along a Newton direction of the active rows or along a direction that A does not
 * resist; where nothing stops the latter, there is no solution. */
#include <math.h>
#include <string.h>

#include "complementarity/active_factor.h"
#include "math/larger.h"

static const double SLACK = 0.1;           /* of the tolerance, for a row to enter */
static const double NO_RESISTANCE = 1e-12; /* d'Ad / d'd, scaled, of a direction without end */
static const double NO_STEP = 1e-11;       /* of a direction: entries that are rounding */
static const double FAR = 1e4;             /* a start this many times farther than q is forgotten */

typedef struct descent {
  flg_complementarity *solver;
  const flg_rows *rows;
  flg_run *run;
  flg_active_factor factor;
  unsigned char *inside, *barred;
  double *step; /* (n) */
  int idle;     /* moves of length zero in a row */
} descent;

/* how far along step from z, at most `most`; *stop: the row that stops it, or -1 */
/* The ratio test: z may go as far as the first bound. Bounds that are already passed by rounding
 * count as reached, not as a way back. */
static double free_way(const descent *d, double most, int *stop) {
  const flg_rows *rows = d->rows;
  const double *z = d->run->z;
  *stop = -1;
  for (int i = 0; i < rows->n; i++) {
    const double move = d->step[i];
    if (move == 0) continue;
    const double bound = move < 0 ? rows->lower[i] : rows->upper[i];
    const double way = (bound - z[i]) / move;
    if (way < most) most = way > 0 ? way : 0, *stop = i;
  }
  return most;
}

static void descent_take(descent *d, double way, int stop) {
  const flg_rows *rows = d->rows;
  double *z = d->run->z;
  for (int i = 0; i < rows->n; i++) {
    z[i] = flg_clip(z[i] + way * d->step[i], rows->lower[i], rows->upper[i]);
  }
  if (stop >= 0) z[stop] = d->step[stop] < 0 ? rows->lower[stop] : rows->upper[stop];
  d->idle = way > 0 ? 0 : d->idle + 1;
  if (way > 0) memset(d->barred, 0, (size_t)rows->n);
  flg_rows_apply(rows, z, d->run->w);
}

/* stopped by a bound: out of the active set, at exactly that bound */
static void leave_row(descent *d, int i) {
  for (int k = 0; k < d->factor.count; k++) {
    if (d->factor.order[k] != i) continue;
    flg_active_factor_remove(&d->factor, k);
    break;
  }
  d->inside[i] = 0;
  d->run->position[i] = d->run->z[i] == d->rows->lower[i] ? FLG_ROW_LOWER : FLG_ROW_UPPER;
}

/* Newton steps on the active rows until none of them is stopped by a bound */
static void settle_active(descent *d) {
  double *x = d->solver->work;
  int stop, full = 0;
  const int limit = 2 * d->rows->n + 8;
  for (int k = 0; k < limit && d->factor.count > 0; k++) {
    for (int j = 0; j < d->factor.count; j++) x[j] = -d->run->w[d->factor.order[j]];
    flg_active_factor_solve(&d->factor, x);
    memset(d->step, 0, (size_t)d->rows->n * sizeof(double));
    for (int j = 0; j < d->factor.count; j++) d->step[d->factor.order[j]] = x[j];
    const double way = free_way(d, 1, &stop);
    descent_take(d, way, stop);
    d->run->iterations++;
    if (stop >= 0) {
      leave_row(d, stop);
    } else if (full++ > 0) { /* the second full step only refines */
      return;
    }
  }
}

/* by how much row i, outside of F, wants to move: > 0 up, < 0 down */
/* scaled by the root of the diagonal: rows of different units compare */
static double pull_of_row(const descent *d, int i) {
  const double y = -d->run->w[i] * d->rows->s[i];
  if (y > 0) return d->run->z[i] < d->rows->upper[i] ? y : 0;
  return d->run->z[i] > d->rows->lower[i] ? y : 0;
}

/* the row that pulls most; the first that pulls at all once moves have come to nothing */
/* The steepest row converges in the fewest moves. After many moves of length zero the first row is
 * taken instead, which cannot cycle (Bland 1977). */
static int row_to_enter(const descent *d) {
  double most = SLACK * d->solver->options.tolerance * flg_rows_magnitude(d->rows, d->run->z);
  const int first = d->idle > d->rows->n;
  int row = -1;
  for (int i = 0; i < d->rows->n; i++) {
    if (d->inside[i] || d->barred[i]) continue;
    const double size = fabs(pull_of_row(d, i));
    if (!(size > most)) continue;
    row = i, most = size;
    if (first) break;
  }
  return row;
}

/* step: e_i and what keeps w of the active rows at zero meanwhile */
static void null_direction(descent *d, int i, double sign) {
  const flg_rows *rows = d->rows;
  const int m = d->factor.count;
  double *x = d->solver->work;
  for (int k = 0; k < m; k++) {
    x[k] = rows->a[(size_t)d->factor.order[k] + (size_t)i * (size_t)rows->lda];
  }
  flg_active_factor_solve(&d->factor, x);
  memset(d->step, 0, (size_t)rows->n * sizeof(double));
  for (int k = 0; k < m; k++) d->step[d->factor.order[k]] = -sign * x[k];
  d->step[i] = sign;
}

/* Rounding in the direction must not look like an obstacle. Returns its length^2, by that of e_i.
 */
static double clean_direction(descent *d, int i) {
  const double unit = fabs(d->step[i]) * d->rows->root[i];
  double sum = 0;
  for (int k = 0; k < d->rows->n; k++) {
    const double size = fabs(d->step[k]) * d->rows->root[k] / unit;
    if (size < NO_STEP) d->step[k] = 0;
    sum += size * size;
  }
  return sum;
}

static void enter_row(descent *d, int i) {
  d->inside[i] = 1;
  d->run->position[i] = FLG_ROW_ACTIVE;
}

/* Row i depends on the active ones: along the null direction to the first bound. */
static flg_complementarity_outcome exchange_row(descent *d, int i) {
  const double left = d->factor.left;
  null_direction(d, i, pull_of_row(d, i) > 0 ? 1 : -1);
  const double length = clean_direction(d, i);
  int stop;
  const double way = free_way(d, HUGE_VAL, &stop);
  if (stop < 0) {
    if (d->factor.indefinite) {
      d->barred[i] = 1;
      return FLG_OUTCOME_STALLED;
    }
    const int resisted = left > NO_RESISTANCE * length * d->rows->reference[i];
    if (flg_rows_is_ray(d->rows, d->step, d->solver->options.tolerance, d->solver->product))
      return FLG_OUTCOME_UNSOLVABLE;
    if (resisted && flg_active_factor_add(&d->factor, i, 1)) {
      enter_row(d, i);
    } else {
      d->barred[i] = 1;
    }
    return FLG_OUTCOME_SOLVED;
  }
  descent_take(d, way, stop);
  if (stop == i) {
    d->run->position[i] = d->step[i] < 0 ? FLG_ROW_LOWER : FLG_ROW_UPPER;
    return FLG_OUTCOME_SOLVED;
  }
  leave_row(d, stop);
  if (flg_active_factor_add(&d->factor, i, 0)) {
    enter_row(d, i);
  } else {
    d->barred[stop] = 1; /* still dependent: another exchange follows, not back to the same row */
  }
  return FLG_OUTCOME_SOLVED;
}

/* A start much larger than the load is that of a step with a hit: from it, rounding would hide the
 * answer. */
static void begin_descent(descent *d) {
  flg_run *run = d->run;
  const flg_rows *rows = d->rows;
  double largest = 0;
  for (int i = 0; i < rows->n; i++) largest = flg_larger(largest, fabs(rows->q[i]) * rows->s[i]);
  const int forget = !run->keep || !(flg_rows_magnitude(rows, run->z) <= FAR * largest);
  memset(d->barred, 0, (size_t)rows->n);
  for (int i = 0; i < rows->n; i++) {
    const double low = rows->lower[i], high = rows->upper[i];
    const double z = forget ? flg_rows_rest(rows, i, FLG_ROW_LOWER) : run->z[i];
    run->z[i] = flg_clip(z, low, high);
    run->position[i] = FLG_ROW_ACTIVE;
    if (run->z[i] >= high) run->position[i] = FLG_ROW_UPPER;
    if (run->z[i] <= low) run->position[i] = FLG_ROW_LOWER;
  }
  d->factor.count = 0;
  flg_active_factor_update(&d->factor, run->position, d->inside);
  flg_rows_apply(rows, run->z, run->w);
}

static flg_complementarity_outcome conclude_descent(descent *d) {
  flg_run *run = d->run;
  run->dependent_rows = 0;
  for (int i = 0; i < d->rows->n; i++) {
    if (d->inside[i]) continue;
    const double z = run->z[i];
    run->position[i] = z <= d->rows->lower[i] ? FLG_ROW_LOWER : FLG_ROW_ACTIVE;
    if (z > d->rows->lower[i] && z >= d->rows->upper[i]) run->position[i] = FLG_ROW_UPPER;
    run->dependent_rows += run->position[i] == FLG_ROW_ACTIVE;
  }
  run->residual = flg_rows_residual(d->rows, run->z, run->w);
  run->indefinite |= d->factor.indefinite;
  return run->residual <= d->solver->options.tolerance ? FLG_OUTCOME_SOLVED : FLG_OUTCOME_STALLED;
}

flg_complementarity_outcome flg_descend(flg_complementarity *solver, const flg_rows *rows,
                                        flg_run *run) {
  descent d = {.solver = solver,
               .rows = rows,
               .run = run,
               .factor = flg_active_factor_on(solver, rows),
               .inside = solver->mark,
               .barred = solver->mark + solver->capacity,
               .step = solver->step};
  /* more means that rounding makes moves go in circles */
  const int limit = run->iterations + 20 * rows->n + 50;
  begin_descent(&d);
  settle_active(&d);
  while (run->iterations++ < limit) {
    const int i = row_to_enter(&d);
    if (i < 0) break;
    const double before = run->z[i];
    if (flg_active_factor_add(&d.factor, i, 0)) {
      enter_row(&d, i);
    } else if (exchange_row(&d, i) == FLG_OUTCOME_UNSOLVABLE) {
      run->residual = flg_rows_residual(rows, run->z, run->w);
      run->indefinite |= d.factor.indefinite;
      return FLG_OUTCOME_UNSOLVABLE;
    }
    settle_active(&d);
    if (!d.inside[i] && run->z[i] == before) d.barred[i] = 1; /* rounding: it came to nothing */
  }
  return conclude_descent(&d);
}
