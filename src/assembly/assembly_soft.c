/* Force elements that a scheme takes implicitly, as soft rows of the plan.
 *
 * Over a kick of length s, with the law at the start of the row's motion (forces/force.h), w the
 * rate of the row before and w+ after it, the impulse is
 *
 *     l = s (effort - k (ahead w+ - behind w) - d (after w+ + before w))
 *
 * which is the soft row  w+ + l / b = ...  with  b = s (k ahead + d after). A step of h:
 *
 *                        ahead   behind   after  before
 *     semi-implicit      a h     (a - f) h  1    0        f the share of the law at the end of the
 *                                                         step, see below; also where rattle kicks
 *                                                         with dampers by the mean of both ends,
 *                                                         unless they stop within the step
 *     rattle, first      h/2     0        1      0        w+: mean velocity of the free step
 *     models for ports   h/4     -h/4     1/2    1/2      the mean of both ends, of accelerations
 *
 * In a semi-implicit step a mode with z = h^2 k / m keeps 1 - f z / (1 + a z) of its area in phase
 * space, and is stable at any z if 4 a >= 1 + 2 f, also where several elements share a mode, each
 * with an f of its own. With a = (1 + 3 f) / 4, f = z / (z + 1): vibrations that steps resolve keep
 * their energy (damping ratio z^(3/2) / 2), those that they do not are damped within a few steps,
 * and f = 1 is the law at the end of the step. m is what the row feels of parts without joints.
 *
 * In the first half of rattle corrections of the free step (assembly_rattle.c) go on until
 *
 *     l = h/2 ((effort(c0) + effort(c1)) / 2 - d (c1 - c0) / h)       c0, c1: at both ends of it
 *
 * and the second half pushes with the same l where the free step has led. That is the integrator of
 * the discrete action with the potential V((c0 + c1) / 2) (Stern and Grinspun, 2009): symplectic,
 * of order 2, symmetric in time, stable at any stiffness, and without damping of its own:
 * vibrations that steps do not resolve keep their energy and amplitude, and are seen at a lower
 * frequency. In the limit it is a joint. Dampers that stop within a step would throw back there: in
 * the second half they take the share x / (x + 1), x = (h d / m)^2, by the velocity at its end.
 *
 * Springs with play and motors are not even: their law changes within a step, and they stay with
 * the law at its end, f = 1, over both halves. Steps with contacts are kicks (assembly_kick.c): a
 * hit would find vibrations that are not resolved at a wrong phase, and give them energy, so they
 * are damped.
 */
#include <float.h>
#include <math.h>

#include "assembly/assembly_inner.h"
#include "math/larger.h"

/* Corrections go on down to rounding: what is left of an impulse adds up over all steps, where what
 * is left of a joint is closed in the next. */
static const double ROUNDING = 64 * DBL_EPSILON;

/* z at which a law counts half by its value at the end of a semi-implicit step: a radian in a step;
 * from there on a spring never stores more energy than there was */
static const double RESOLVED = 1;

static bool soft_is_even(const flg_assembly *assembly, const flg_row_set *row_set) {
  return row_set->is_even && assembly->scratch.phase != FLG_PHASE_WHOLE &&
         assembly->scratch.phase != FLG_PHASE_COAST;
}

typedef struct looks {
  double ahead, behind, after, before;
} looks;

/* of a whole step; z = h^2 k / m of the row */
static looks looks_of_whole(double h, double z) {
  const double f = z / (z + RESOLVED);
  return (looks){.ahead = h * (1 + 3 * f) / 4, .behind = h * (1 - f) / 4, .after = 1};
}

static bool is_kick(const flg_assembly *assembly) {
  const flg_soft_phase phase = assembly->scratch.phase;
  return assembly->model.options.scheme == FLG_SCHEME_RATTLE &&
         (phase == FLG_PHASE_WHOLE || phase == FLG_PHASE_COAST);
}

/* Of a damper: the share from 0 to 1 by which it stops what it acts on within a kick. It counts by
 * the velocity at the end of the kick, and half of the rest; around the kick it alone resists. */
static looks looks_of_damper(const flg_assembly *assembly, const flg_row_set *row_set,
                             const flg_law *law, int i, looks look) {
  if (!is_kick(assembly) || !(law->damping > 0)) return look;
  const double x = assembly->scratch.kick * law->damping * row_set->yield[i];
  const double stops = x * x / (x * x + 1);
  if (assembly->scratch.phase == FLG_PHASE_COAST) {
    look.after = stops;
  } else {
    look.after = (1 + stops) / 2, look.before = (1 - stops) / 2;
  }
  return look;
}

static looks looks_of(const flg_assembly *assembly, const flg_row_set *row_set, const flg_law *law,
                      int i) {
  const double h = assembly->scratch.horizon;
  if (!row_set->is_even) {
    return looks_of_damper(assembly, row_set, law, i, (looks){.ahead = h, .after = 1});
  }
  switch (assembly->scratch.phase) {
    case FLG_PHASE_FIRST:
      return (looks){.ahead = h / 2, .after = 1};
    case FLG_PHASE_MODEL:
      return (looks){.ahead = h / 4, .behind = -h / 4, .after = 0.5, .before = 0.5};
    case FLG_PHASE_WHOLE:
    case FLG_PHASE_COAST:
      return looks_of_damper(assembly, row_set, law, i,
                             looks_of_whole(h, h * h * law->stiffness * row_set->yield[i]));
    case FLG_PHASE_SECOND: /* has a row of its own */
    default:
      return (looks){.ahead = h, .after = 1};
  }
}

/* b of row i */
static double resistance(const flg_assembly *assembly, const flg_row_set *row_set,
                         const flg_law *law, int i) {
  const double kick = assembly->scratch.kick;
  if (soft_is_even(assembly, row_set) && assembly->scratch.phase == FLG_PHASE_SECOND) {
    const double damped = assembly->scratch.horizon * law->damping * row_set->yield[i];
    return kick * law->damping * damped * damped / (damped * damped + 1);
  }
  const looks look = looks_of(assembly, row_set, law, i);
  return kick * (law->stiffness * look.ahead + law->damping * look.after);
}

/* side^T H side of a port; with roots, the matrix is Z of H = Z Z^T */
static double port_yield(const flg_assembly *assembly, const flg_graph_port *port,
                         const double *side, int leading) {
  const flg_plan_part *view = &assembly->scratch.views[port->part];
  const bool is_root = assembly->model.options.form == FLG_FORM_ROOT;
  const double *rows = view->matrix + FLG_PORT_NUMBERS * port->port;
  const int first = is_root ? 0 : FLG_PORT_NUMBERS * port->port;
  const int end = is_root ? view->rows : first + FLG_PORT_NUMBERS;
  double sum = 0;
  for (int j = first; j < end; j++) {
    double column = 0;
    for (int i = 0; i < FLG_PORT_NUMBERS; i++) {
      column += side[i * leading] * rows[i + (size_t)j * (size_t)view->rows];
    }
    sum += column * (is_root ? column : side[(j - first) * leading]);
  }
  return sum;
}

/* what row i yields by itself: parts without joints */
static double soft_yield_of(const flg_assembly *assembly, const flg_row_set *row_set, int i) {
  double sum = 0;
  for (int e = 0; e < row_set->ends; e++) {
    sum +=
        port_yield(assembly, &row_set->port[e], row_set->view.side[e] + i, row_set->view.leading);
  }
  return flg_larger(sum, 0);
}

/* Phases that have no free step before them ask for what rows yield when parts are factored. */
static void feel(const flg_assembly *assembly, flg_row_set *row_set) {
  const bool is_whole = row_set->is_even && assembly->scratch.phase == FLG_PHASE_WHOLE;
  if (!is_whole && !is_kick(assembly)) return;
  for (int i = 0; i < row_set->rows; i++) row_set->yield[i] = soft_yield_of(assembly, row_set, i);
}

static double row_compliance(const flg_assembly *assembly, const flg_row_set *row_set,
                             const flg_law *law, int i) {
  const double b = resistance(assembly, row_set, law, i);
  return b > 0 ? 1 / b : flg_assembly_slack(assembly, row_set, i);
}

void flg_soft_soften(const flg_assembly *assembly, flg_row_set *row_set, const flg_law *law) {
  const bool is_unit = assembly->scratch.mode.is_unit;
  if (!is_unit) feel(assembly, row_set);
  for (int i = 0; i < row_set->rows; i++) {
    row_set->view.compliance[i] = is_unit ? flg_assembly_slack(assembly, row_set, i)
                                          : row_compliance(assembly, row_set, &law[i], i);
  }
}

/* impulse of the row while it does not move: over b it is its right-hand side */
static double impulse_at_rest(const flg_assembly *assembly, const flg_row_set *row_set,
                              const flg_law *law, int i, double b) {
  if (soft_is_even(assembly, row_set) && assembly->scratch.phase == FLG_PHASE_SECOND) {
    return row_set->impulse[i] + b * row_set->mean[i];
  }
  const looks look = looks_of(assembly, row_set, law, i);
  const double push = look.behind == 0 && look.before == 0
                          ? 0
                          : law->stiffness * look.behind - law->damping * look.before;
  return assembly->scratch.kick * (law->effort + push * row_set->rate[i]);
}

double flg_soft_side(const flg_assembly *assembly, const flg_row_set *row_set, const flg_law *law,
                     int i) {
  const double b = resistance(assembly, row_set, law, i);
  const double impulse = impulse_at_rest(assembly, row_set, law, i, b);
  return impulse * (b > 0 ? 1 / b : flg_assembly_slack(assembly, row_set, i)); /* it may be slack */
}

/* --- free steps of rattle
 * --------------------------------------------------------------------------
 */

static bool has_even(const flg_assembly *assembly) {
  return assembly->model.even_count > 0;
}

/* the rows of an element where it is placed */
static int soft_measure(const flg_assembly *assembly, const flg_row_set *row_set, flg_law *law,
                        double *value) {
  double rate[FLG_FORCE_ROWS_MAX];
  return flg_assembly_law(assembly, row_set->force, law, value, rate);
}

void flg_soft_depart(flg_assembly *assembly) {
  if (!has_even(assembly)) return;
  for (int k = assembly->model.rigid_count; k < assembly->state.limits.first; k++) {
    flg_row_set *row_set = &assembly->model.row_sets[k];
    flg_law law[FLG_FORCE_ROWS_MAX];
    if (!row_set->is_even) continue;
    const int rows = soft_measure(assembly, row_set, law, row_set->start);
    for (int i = 0; i < rows; i++) row_set->effort[i] = law[i].effort;
  }
}

void flg_soft_collect(flg_assembly *assembly, bool is_first) {
  if (!has_even(assembly)) return;
  for (int k = assembly->model.rigid_count; k < assembly->state.limits.first; k++) {
    flg_row_set *row_set = &assembly->model.row_sets[k];
    for (int i = 0; i < row_set->rows && row_set->is_even; i++) {
      const double impulse = row_set->view.reactions[i];
      row_set->impulse[i] = is_first ? impulse : row_set->impulse[i] + impulse;
      if (is_first) row_set->yield[i] = soft_yield_of(assembly, row_set, i);
    }
  }
}

/* what row i lacks of its impulse; value: at the end of the free step */
static double lack(const flg_assembly *assembly, const flg_row_set *row_set, const flg_law *law,
                   double value, int i) {
  const double mean = (value - row_set->start[i]) / assembly->scratch.horizon;
  const double effort = (row_set->effort[i] + law->effort) / 2;
  return assembly->scratch.kick * (effort - law->damping * mean) - row_set->impulse[i];
}

/* what rounding leaves of that */
static double rounding(const flg_assembly *assembly, const flg_row_set *row_set, const flg_law *law,
                       double value, int i) {
  const double values = fabs(row_set->start[i]) + fabs(value);
  const double efforts = fabs(row_set->effort[i]) + fabs(law->effort);
  const double stretch = law->stiffness + law->damping / assembly->scratch.horizon;
  return ROUNDING * assembly->scratch.kick * (efforts + stretch * values);
}

void flg_soft_close(const flg_assembly *assembly, const flg_row_set *row_set) {
  flg_law law[FLG_FORCE_ROWS_MAX];
  double value[FLG_FORCE_ROWS_MAX];
  const int rows = soft_measure(assembly, row_set, law, value);
  for (int i = 0; i < rows; i++) {
    const double b = resistance(assembly, row_set, &law[i], i);
    row_set->view.gamma[i] = b > 0 ? lack(assembly, row_set, &law[i], value[i], i) / b : 0;
  }
}

double flg_soft_left(const flg_assembly *assembly) {
  const double h = assembly->scratch.horizon;
  double most = 0;
  if (!has_even(assembly)) return 0;
  for (int k = assembly->model.rigid_count; k < assembly->state.limits.first; k++) {
    const flg_row_set *row_set = &assembly->model.row_sets[k];
    flg_law law[FLG_FORCE_ROWS_MAX];
    double value[FLG_FORCE_ROWS_MAX];
    if (!row_set->is_even) continue;
    const int rows = soft_measure(assembly, row_set, law, value);
    for (int i = 0; i < rows; i++) {
      const double b = resistance(assembly, row_set, &law[i], i), W = row_set->yield[i];
      const double unit = row_set->displacements & 1u << i ? assembly->model.length : 1;
      const double left = fabs(lack(assembly, row_set, &law[i], value[i], i));
      if (left <= rounding(assembly, row_set, &law[i], value[i], i)) continue;
      most = flg_larger(most, h * left * W / (1 + b * W) / unit);
    }
  }
  return most;
}

void flg_soft_arrive(flg_assembly *assembly) {
  if (!has_even(assembly)) return;
  for (int k = assembly->model.rigid_count; k < assembly->state.limits.first; k++) {
    flg_row_set *row_set = &assembly->model.row_sets[k];
    flg_law law[FLG_FORCE_ROWS_MAX];
    double value[FLG_FORCE_ROWS_MAX];
    if (!row_set->is_even) continue;
    const int rows = soft_measure(assembly, row_set, law, value);
    for (int i = 0; i < rows; i++) {
      row_set->mean[i] = (value[i] - row_set->start[i]) / assembly->scratch.horizon;
    }
  }
}
