/* Lemke's method with the lexicographic rule, on a full tableau of the problem in nonnegative
 * variables,
 *
 *     v = M u + p      0 <= u  ⟂  v >= 0
 *
 * A row of the caller is one variable (one-sided), two (free: u+ and u-; boxed: u and the
 * multiplier of its upper bound) or three (friction, which is free with a multiplier that bounds
 * u+ + u- by mu times the normal: Stewart and Trinkle). M is copositive: the path ends in a
 * solution, or in a ray. Without friction a ray proves that there is no solution.
 *
 * Only the last basis is believed: its equations are solved again. Where rounding spoilt the way,
 * or a path with friction ends in a ray, another covering vector and another basis to start from
 * may lead around (path). */
#include <math.h>
#include <string.h>

#include "complementarity/solver.h"
#include "math/larger.h"

static const double TINY = 1e-10;    /* elements that are not pivots */
static const double CLEAR = 1e-3;    /* a pivot that does no harm */
static const double NOTHING = 1e-13; /* of what the covering variable was at first */

/* columns: v (m), u (m), the covering variable, right-hand side; row-major */
typedef struct tableau {
  int m, width;
  double *t;
  int *basis; /* column of the basic variable of each row */
} tableau;

typedef struct lemke_problem {
  const flg_rows *rows;
  const flg_coupling *coupling; /* NULL: no friction */
  const flg_lemke_variable *variables;
  int m;
} lemke_problem;

static double *tableau_row(const tableau *t, int i) {
  return t->t + (size_t)i * (size_t)t->width;
}

static int is_lemke_tangent(const flg_coupling *coupling, int i) {
  return coupling != NULL && coupling->normal[i] >= 0;
}

/* Variables of row i into list (3) if there is one; returns how many. */
static int list_row(const flg_rows *rows, const flg_coupling *coupling, int i,
                    flg_lemke_variable *list) {
  const int below = rows->lower[i] > -HUGE_VAL, above = rows->upper[i] < HUGE_VAL;
  const int tangent = is_lemke_tangent(coupling, i), both = tangent || (!below && !above);
  list[0] = (flg_lemke_variable){i, tangent || below || !above ? 1 : -1};
  list[1] = (flg_lemke_variable){i, both ? -1 : 0};
  list[2] = (flg_lemke_variable){i, 0};
  return tangent ? 3 : both || (below && above) ? 2 : 1;
}

static int list_variables(const flg_rows *rows, const flg_coupling *coupling, int most,
                          flg_lemke_variable *variables) {
  int m = 0;
  for (int i = 0; i < rows->n; i++) {
    flg_lemke_variable list[3];
    const int count = list_row(rows, coupling, i, list);
    if (m + count > most) return -1;
    memcpy(variables + m, list, (size_t)count * sizeof *list);
    m += count;
  }
  return m;
}

/* z_i/s_i where all variables are zero */
static double base_of(const lemke_problem *p, int i) {
  if (is_lemke_tangent(p->coupling, i)) return 0;
  const double low = p->rows->lower[i], high = p->rows->upper[i];
  return p->rows->root[i] * (low > -HUGE_VAL ? low : high < HUGE_VAL ? high : 0);
}

static double lemke_element(const lemke_problem *p, flg_lemke_variable u, flg_lemke_variable v) {
  const flg_rows *rows = p->rows;
  const int i = u.row, j = v.row;
  if (u.sign != 0 && v.sign != 0) {
    return u.sign * v.sign * rows->s[i] * rows->s[j] *
           rows->a[(size_t)i + (size_t)j * (size_t)rows->lda];
  }
  if (u.sign == v.sign) return 0; /* two multipliers */
  if (i == j) return u.sign != 0 ? 1 : -1;
  if (u.sign != 0 || !is_lemke_tangent(p->coupling, i) || p->coupling->normal[i] != j) return 0;
  return p->coupling->slope[i] * rows->s[j] * rows->root[i];
}

static double right_side(const lemke_problem *p, flg_lemke_variable u) {
  const flg_rows *rows = p->rows;
  const int i = u.row;
  if (u.sign == 0) {
    if (is_lemke_tangent(p->coupling, i)) return 0;
    return (rows->upper[i] - rows->lower[i]) * rows->root[i];
  }
  double force = rows->q[i];
  for (int j = 0; j < rows->n; j++) {
    force += rows->a[(size_t)i + (size_t)j * (size_t)rows->lda] * rows->s[j] * base_of(p, j);
  }
  return u.sign * force * rows->s[i];
}

/* ones on the first path, then from 0.01 to 1 without a pattern */
static double cover(int path, int i) {
  const double x = 0.6180339887498949 * (i + 1) * path;
  return path == 0 ? 1 : pow(100, floor(x) - x);
}

static void fill_tableau(const lemke_problem *p, int path, tableau *t) {
  const int m = p->m;
  memset(t->t, 0, (size_t)m * (size_t)t->width * sizeof(double));
  for (int i = 0; i < m; i++) {
    double *row = tableau_row(t, i);
    row[i] = 1;
    for (int j = 0; j < m; j++) row[m + j] = -lemke_element(p, p->variables[i], p->variables[j]);
    row[2 * m] = -cover(path, i);
    row[2 * m + 1] = right_side(p, p->variables[i]);
    t->basis[i] = i;
  }
}

/* < 0 if row i, divided by its element in the column, is lexicographically less than row k */
static int compare_ratios(const tableau *t, int i, int k, int column) {
  const double *a = tableau_row(t, i), *b = tableau_row(t, k);
  const double u = fabs(a[column]), v = fabs(b[column]);
  const double x = a[2 * t->m + 1] / u, y = b[2 * t->m + 1] / v;
  if (fabs(x - y) > TINY * (fabs(x) + fabs(y))) return x < y ? -1 : 1;
  for (int j = 0; j < t->m; j++) {
    const double p = a[j] / u, q = b[j] / v;
    if (fabs(p - q) > TINY * (fabs(p) + fabs(q))) return p < q ? -1 : 1;
  }
  return 0;
}

static int leaving_row(const tableau *t, int column, int first) {
  int best = -1;
  for (int i = 0; i < t->m; i++) {
    if (!first && tableau_row(t, i)[column] <= TINY) continue;
    if (best < 0 || compare_ratios(t, i, best, column) < 0) best = i;
  }
  return best;
}

static void pivot(tableau *t, int row, int column) {
  double *p = tableau_row(t, row);
  const double inverse = 1 / p[column];
  for (int j = 0; j < t->width; j++) p[j] *= inverse;
  p[column] = 1;
  for (int i = 0; i < t->m; i++) {
    double *x = tableau_row(t, i);
    const double factor = x[column];
    if (i == row || factor == 0) continue;
    for (int j = 0; j < t->width; j++) x[j] -= factor * p[j];
    x[column] = 0;
  }
  t->basis[row] = column;
}

/* Another complementary basis to start from: each pair changes places or not, by chance. */
static void start_elsewhere(tableau *t, int path) {
  unsigned seed = (unsigned)path;
  for (int i = 0; i < t->m; i++) {
    const double size = fabs(tableau_row(t, i)[t->m + i]);
    if (flg_draw(&seed) % 2 == 0 && size > CLEAR) pivot(t, i, t->m + i);
  }
  for (int i = 0; i < t->m; i++) tableau_row(t, i)[2 * t->m] = -cover(path, i);
}

/* what the covering variable has to make up for: the most negative right-hand side */
static double covering_depth(const tableau *t) {
  double least = 0;
  for (int i = 0; i < t->m; i++) least = flg_smaller(least, tableau_row(t, i)[2 * t->m + 1]);
  return -least;
}

/* Done as soon as the covering variable is nothing: where it ties with others at zero, rounding
 * would let another one leave, and the path would go on into a ray that is not there. */
static flg_complementarity_outcome follow_path_of_pivots(tableau *t, int *iterations, int *ray) {
  const int m = t->m, limit = 20 * m + 20;
  const double nothing = NOTHING * covering_depth(t);
  int entering = 2 * m, cover_row = -1;
  if (nothing == 0) return FLG_OUTCOME_SOLVED;
  for (int k = 0; k < limit; k++, ++*iterations) {
    const int row = leaving_row(t, entering, k == 0);
    *ray = entering;
    if (row < 0) return FLG_OUTCOME_UNSOLVABLE;
    const int left = t->basis[row];
    pivot(t, row, entering);
    if (k == 0) cover_row = row;
    if (left == 2 * m || tableau_row(t, cover_row)[2 * m + 1] <= nothing) return FLG_OUTCOME_SOLVED;
    entering = left < m ? left + m : left - m;
  }
  return FLG_OUTCOME_STALLED;
}

/* the ray of the entering column, as a direction of z */
static void read_ray(const lemke_problem *p, const tableau *t, int entering, double *d) {
  memset(d, 0, (size_t)p->rows->n * sizeof *d);
  for (int k = -1; k < p->m; k++) {
    const int column = k < 0 ? entering : t->basis[k];
    if (column < p->m || column == 2 * p->m) continue;
    const flg_lemke_variable u = p->variables[column - p->m];
    const double move = k < 0 ? 1 : -tableau_row(t, k)[entering];
    if (fabs(move) > TINY) d[u.row] += u.sign * move * p->rows->s[u.row];
  }
}

static double basic_element(const lemke_problem *p, int i, int column, int path) {
  if (column < p->m) return i == column;
  if (column == 2 * p->m) return -cover(path, i);
  return -lemke_element(p, p->variables[i], p->variables[column - p->m]);
}

/* The basic variables from their equations, in x (m); the tableau's space is used up. */
static void solve_basis(const lemke_problem *p, const tableau *t, int path, double *x) {
  const int m = p->m;
  for (int k = 0; k < m; k++) {
    for (int i = 0; i < m; i++) {
      t->t[(size_t)k + (size_t)i * (size_t)m] = basic_element(p, i, t->basis[k], path);
    }
    x[k] = right_side(p, p->variables[k]);
  }
  flg_lu_solve(m, t->t, x);
}

static void read_solution(const lemke_problem *p, const tableau *t, const double *x, double *z) {
  const flg_rows *rows = p->rows;
  for (int i = 0; i < rows->n; i++) z[i] = base_of(p, i) * rows->s[i];
  for (int k = 0; k < p->m; k++) {
    if (t->basis[k] < p->m || t->basis[k] == 2 * p->m) continue;
    const flg_lemke_variable u = p->variables[t->basis[k] - p->m];
    z[u.row] += u.sign * x[k] * rows->s[u.row];
  }
}

flg_complementarity_outcome flg_lemke(flg_complementarity *solver, const flg_rows *rows,
                                      const flg_coupling *coupling, int path, flg_run *run) {
  const int m = list_variables(rows, coupling, solver->tableau_size, solver->variables);
  if (m < 0) return FLG_OUTCOME_STALLED;
  const lemke_problem p = {rows, coupling, solver->variables, m};
  tableau t = {.m = m, .width = 2 * m + 2, .t = solver->tableau, .basis = solver->pivots};
  int ray;
  fill_tableau(&p, path, &t);
  if (path % 2 == 1) start_elsewhere(&t, path);
  const flg_complementarity_outcome outcome = follow_path_of_pivots(&t, &run->iterations, &ray);
  if (outcome == FLG_OUTCOME_SOLVED) {
    double *x = solver->tableau + (size_t)m * (size_t)m;
    solve_basis(&p, &t, path, x);
    read_solution(&p, &t, x, run->z);
  } else if (outcome == FLG_OUTCOME_UNSOLVABLE && coupling == NULL) {
    read_ray(&p, &t, ray, solver->step);
    if (flg_rows_is_ray(rows, solver->step, solver->options.tolerance, solver->product))
      return outcome;
  }
  return outcome == FLG_OUTCOME_SOLVED ? outcome : FLG_OUTCOME_STALLED;
}
