#include "model/curve.h"

#include <stdbool.h>

static const double KNOT_SLACK = 1e-6; /* of the interval before the knot */

/* With h_i the intervals, d_i the slopes and m_i the second derivatives, row i of the knots is
 *     h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (d_i - d_{i-1})
 * where beyond the ends h = d = 0, which is the spline at rest. */
typedef struct row {
  double lower, pivot, upper, right;
} row;

static double interval(const flg_curve *curve, int i) {
  const double *t = curve->times;
  return i < 0 || i + 1 >= curve->knots ? 0 : t[i + 1] - t[i];
}

static double curve_slope(const flg_curve *curve, int column, int i) {
  const int w = curve->width;
  const double h = interval(curve, i);
  return h == 0 ? 0 : (curve->values[(i + 1) * w + column] - curve->values[i * w + column]) / h;
}

static row curve_row_of(const flg_curve *curve, int column, int i) {
  const double before = interval(curve, i - 1), after = interval(curve, i);
  return (row){before, 2 * (before + after), after,
               6 * (curve_slope(curve, column, i) - curve_slope(curve, column, i - 1))};
}

/* Free ends: the first two intervals share one cubic, and so do the last two. m_0 follows from m_1
 * and m_2 and is put into row 1; the same at the other end. */
static row free_end_row(const flg_curve *curve, int column, int i) {
  const int last = curve->knots - 1;
  /* Ends follow from their neighbours: their rows stand here for the shape of the system alone. */
  if (i == 0 || i == last) return (row){0, 1, 0, 0};
  row at = curve_row_of(curve, column, i);
  if (i == 1) {
    const double h = at.lower, next = at.upper;
    at.lower = 0, at.pivot += h * (h + next) / next, at.upper -= h * h / next;
  }
  if (i == last - 1) {
    const double h = interval(curve, i), next = interval(curve, i - 1);
    at.upper = 0, at.pivot += h * (h + next) / next, at.lower -= h * h / next;
  }
  return at;
}

static void finish_free_ends(const flg_curve *curve, int column, double *m) {
  const int w = curve->width, last = curve->knots - 1;
  const double first = interval(curve, 0), second = interval(curve, 1);
  const double end = interval(curve, last - 1), before = interval(curve, last - 2);
  double *at = m + column;
  at[0] = ((first + second) * at[w] - first * at[2 * w]) / second;
  at[last * w] = ((end + before) * at[(last - 1) * w] - end * at[(last - 2) * w]) / before;
}

/* elimination along the knots; free ends take four knots */
static void prepare_column(const flg_curve *curve, flg_spline_ends ends, int column, double *m,
                           double *upper, double *right) {
  const int n = curve->knots, w = curve->width;
  /* With two or three knots one cubic has more freedom than they fix: curvatures at the ends are
   * zero then. */
  const bool is_free = ends == FLG_SPLINE_FREE && n >= 4;
  for (int i = 0; i < n; i++) {
    row at = is_free ? free_end_row(curve, column, i) : curve_row_of(curve, column, i);
    if (ends == FLG_SPLINE_FREE && !is_free && (i == 0 || i == n - 1)) at = (row){0, 1, 0, 0};
    const double carried = i == 0 ? 0 : at.lower;
    const double pivot = at.pivot - (i == 0 ? 0 : carried * upper[i - 1]);
    upper[i] = at.upper / pivot;
    right[i] = (at.right - (i == 0 ? 0 : carried * right[i - 1])) / pivot;
  }
  for (int i = n - 1; i >= 0; i--) {
    m[i * w + column] = right[i] - (i + 1 < n ? upper[i] * m[(i + 1) * w + column] : 0);
  }
  if (is_free) finish_free_ends(curve, column, m);
}

void flg_curve_prepare(const flg_curve *curve, flg_spline_ends ends, double *curvatures,
                       double *work) {
  for (int k = 0; k < curve->width; k++) {
    if (curve->knots > 1) {
      prepare_column(curve, ends, k, curvatures, work, work + curve->knots);
    } else {
      curvatures[k] = 0;
    }
  }
}

/* the last knot that the time has reached, -1 if none */
static int knot_before(const flg_curve *curve, double time) {
  const double *t = curve->times;
  /* Bisection: recorded trajectories have many thousand knots, and each step asks. */
  int low = -1, high = curve->knots;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    const double reach = middle > 0 ? t[middle] - t[middle - 1] : 0;
    if (time >= t[middle] - KNOT_SLACK * reach) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/* value, rate and acceleration of one quantity */
typedef struct sample {
  double value, rate, acceleration;
} sample;

static sample between_lines(double y0, double y1, double h, double s) {
  return (sample){y0 + s * (y1 - y0), (y1 - y0) / h, 0};
}

/* s^3 (10 - 15 s + 6 s^2): no velocity and no acceleration at either end */
static sample between_rests(double y0, double y1, double h, double s) {
  const double rise = y1 - y0;
  return (sample){y0 + rise * s * s * s * (10 + s * (6 * s - 15)),
                  rise / h * 30 * s * s * (1 - s) * (1 - s),
                  rise / (h * h) * 60 * s * (1 - s) * (1 - 2 * s)};
}

static sample between_splines(double y0, double y1, double m0, double m1, double h, double s) {
  const double r = 1 - s, hh = h * h / 6;
  return (sample){r * y0 + s * y1 + hh * (m0 * r * (r * r - 1) + m1 * s * (s * s - 1)),
                  (y1 - y0) / h + h / 6 * (m1 * (3 * s * s - 1) - m0 * (3 * r * r - 1)),
                  r * m0 + s * m1};
}

static sample evaluate_between(const flg_curve *curve, int knot, double time, int column) {
  const int at = knot * curve->width + column, next = at + curve->width;
  const double y0 = curve->values[at], y1 = curve->values[next];
  const double h = curve->times[knot + 1] - curve->times[knot];
  double s = (time - curve->times[knot]) / h;
  if (s < 0) s = 0; /* within the slack of the knot */
  switch (curve->kind) {
    case FLG_CURVE_LINEAR:
      return between_lines(y0, y1, h, s);
    case FLG_CURVE_SPLINE:
      return between_splines(y0, y1, curve->curvatures[at], curve->curvatures[next], h, s);
    case FLG_CURVE_QUINTIC:
      return between_rests(y0, y1, h, s);
    default:
      return (sample){y0, 0, 0};
  }
}

void flg_curve_evaluate(const flg_curve *curve, double time, double *value, double *rate,
                        double *acceleration) {
  const int knot = knot_before(curve, time), last = curve->knots - 1;
  for (int k = 0; k < curve->width; k++) {
    const int rest = knot < 0 ? 0 : last;
    const sample now = knot < 0 || knot == last
                           ? (sample){curve->values[rest * curve->width + k], 0, 0}
                           : evaluate_between(curve, knot, time, k);
    value[k] = now.value;
    if (rate != NULL) rate[k] = now.rate;
    if (acceleration != NULL) acceleration[k] = now.acceleration;
  }
}
