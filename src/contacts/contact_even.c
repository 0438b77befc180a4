/* Where more rows touch than bodies have ways to move, impulses are not unique, and with friction
 * the motion is not, either: which solution a method finds depends on the order of rows and on the
 * past. This one does not:
 *
 *     0 <= (W + Y) z+ + q - Y z  ⟂  z+        from z = 0, until z+ = z
 *
 * Each of these has one solution, as if contacts were springs, and the last is a solution of the
 * rows as they are. Where all stick, it is the one with the least sum of Y z^2. */
#include <math.h>
#include <string.h>

#include "complementarity/soft_cones.h"
#include "contacts/contact_law_inner.h"
#include "math/larger.h"
#include "math/pivoted_cholesky.h"

/* Y, of W_ii, in the first round, and in each round by that of the one before: large, so that the
 * first is easily found, then smaller, so that few do. After four rounds it is 1e-6, which leaves
 * 1e-10 of z to rounding. */
static const double YIELD = 1e-2, LESS = 0.1;
/* Of the speeds without impulses: what is as good as none, and what will do. */
static const double EVENED = 1e-13, NEARLY_EVENED = 1e-10;
enum { ROUNDS = 12, SMALLER = 4 };
/* Rows that depend on each other have speeds that differ by rounding, and no impulse takes that
 * away: rounds that leave more than this of what the last one left would only move load by it. */
static const double STALLED = 0.5;
/* The same in heaps: Y is 1e-5 in the end, and its rounding 1e-9 of z. */
static const double SOFTLY_EVENED = 1e-10;
/* Of what moves on: Y by that of the round before, and what Newton steps leave; mostly two rounds
 * do. Of the speeds that may be left over: what springs may yield by. */
static const double MOVING_LESS = 0.01, MOVING_SOLVED = 1e-7, MOVING_EVENED = 0.3;
static const double DEPENDENT = 1e-10; /* pivots, of W_ii */

/* --- whether there are many answers ---------------------------------------------------------- */

/* Rows that hardly leave or slide stand, too: they may carry what others do. */
static bool even_stands(unsigned char state) {
  return (state & FLG_ROW_POTENTIAL) || (state & FLG_ROW_POSITION) == FLG_ROW_ACTIVE;
}

/* Rows that impulses may act along independently, into law->rows: normals that are closed, and
 * tangents that stick; those that slide follow their normals. */
static int list_standing(flg_contact_law *law, const flg_touch_problem *problem) {
  int count = 0;
  for (int k = 0; k < problem->touch_count; k++) {
    const flg_touch *touch = &problem->touches[k];
    if (!even_stands(problem->states[touch->row])) continue;
    law->rows[count++] = touch->row;
    for (int i = touch->row + 1; i < touch->row + touch->rows; i++) {
      if (even_stands(problem->states[i]) && flg_touch_own(problem, i) > 0) law->rows[count++] = i;
    }
  }
  return count;
}

bool flg_contact_rows_depend(flg_contact_law *law, const flg_touch_problem *problem, int count) {
  double factor[FLG_CONTACT_MANY * FLG_CONTACT_MANY];
  int order[FLG_CONTACT_MANY];
  if (count < 2 || count > FLG_CONTACT_MANY) return false;
  if (problem->admittance == NULL) return true; /* bodies on each other */
  const flg_complementarity_matrix part = flg_touch_part(law, problem, count, false);
  const int rank =
      flg_pivoted_cholesky_factor(count, part.dense, count, NULL, DEPENDENT, order, factor, count);
  return rank > 0 && rank < count;
}

/* Rows that push alone are solved with independent ones active; others of the same then stand
 * without carrying anything. */
static bool some_stand_idle(const flg_touch_problem *problem) {
  for (int i = 0; i < problem->row_count; i++) {
    const unsigned char state = problem->states[i];
    if (even_stands(state) && (state & FLG_ROW_POSITION) != FLG_ROW_ACTIVE) return true;
  }
  return false;
}

bool flg_contact_is_shared(flg_contact_law *law, const flg_touch_problem *problem,
                           const flg_complementarity_statistics *statistics) {
  const bool rubs = problem->row_count > problem->touch_count;
  if (problem->row_count > FLG_CONTACT_MANY || statistics->even) return false;
  if (!rubs && statistics->dependent_rows == 0 && !some_stand_idle(problem)) return false;
  return flg_contact_rows_depend(law, problem, list_standing(law, problem));
}

/* --- the even one ---------------------------------------------------------------------------- */

/* Y of the rows of a part: for all of a contact the same, since its tangents have no directions of
 * their own. */
static void find_yields(flg_contact_law *law, const flg_touch_problem *problem, int rows,
                        int contact_count) {
  for (int k = 0; k < rows; k++) law->yields[k] = YIELD * flg_touch_own(problem, law->rows[k]);
  for (int c = 0; c < contact_count; c++) {
    const flg_friction_contact *contact = &law->contacts[c];
    const int at[3] = {contact->normal, contact->tangent[0], contact->tangent[1]};
    const double mean = (law->yields[at[0]] + law->yields[at[1]] + law->yields[at[2]]) / 3;
    for (int i = 0; i < 3; i++) law->yields[at[i]] = mean;
  }
}

/* From z to the next one; by how much rows yield in it, Y |z+ - z|, or a negative number: it was
 * not solved. */
static double find_next(flg_contact_law *law, const flg_complementarity_matrix *matrix,
                        int contact_count, flg_complementarity_statistics *statistics) {
  const int rows = matrix->n;
  for (int i = 0; i < rows; i++) law->q[i] = law->kept_q[i] - law->yields[i] * law->kept_z[i];
  const flg_status status =
      flg_contact_law_answer(law, matrix, contact_count, law->states, statistics);
  if (!flg_contact_law_is_near(law, status, statistics)) return -1;
  double most = 0;
  for (int i = 0; i < rows; i++) {
    most = flg_larger(most, law->yields[i] * fabs(law->z[i] - law->kept_z[i]));
    law->kept_z[i] = law->z[i];
  }
  return most;
}

/* Y of the next round. */
static void yield_less(flg_contact_law *law, const flg_complementarity_matrix *part) {
  double *changes = law->kept_w;
  for (int i = 0; i < part->n; i++) {
    changes[i] = (LESS - 1) * law->yields[i];
    law->yields[i] *= LESS;
  }
  flg_touch_soften(law, part, changes);
}

bool flg_contact_even(flg_contact_law *law, const flg_touch_problem *problem,
                      const flg_complementarity_matrix *part, int contact_count,
                      flg_complementarity_statistics *statistics) {
  const int rows = part->n;
  const size_t bytes = (size_t)rows * sizeof(double);
  double fastest = 0, yielded = HUGE_VAL;
  bool goes_on = true;
  find_yields(law, problem, rows, contact_count);
  flg_touch_soften(law, part, law->yields);
  memcpy(law->kept_q, law->q, bytes);
  memset(law->kept_z, 0, bytes);
  for (int i = 0; i < rows; i++) fastest = flg_larger(fastest, fabs(law->q[i]));
  for (int k = 0; k < ROUNDS && goes_on && yielded > EVENED * fastest; k++) {
    const double before = yielded;
    if (k > 0 && k <= SMALLER) yield_less(law, part);
    yielded = find_next(law, part, contact_count, statistics);
    goes_on = !(yielded <= NEARLY_EVENED * fastest && yielded > STALLED * before);
  }
  memcpy(law->q, law->kept_q, bytes);
  if (!(yielded >= 0 && yielded <= NEARLY_EVENED * fastest)) return false;
  statistics->speed += yielded, statistics->excess += yielded;
  return true;
}

/* --- the same in fewer digits ----------------------------------------------------------------- */

/* The springs of a heap, rounds of which end with them yielding by no more than `even`. */
typedef struct soft_rounds {
  double less, solved, even;
} soft_rounds;

static soft_rounds rounds_of(const flg_touch_problem *problem, double fastest, double left) {
  if (problem->moves_on) return (soft_rounds){MOVING_LESS, MOVING_SOLVED, MOVING_EVENED * left};
  return (soft_rounds){LESS, FLG_SOFT_SOLVED, SOFTLY_EVENED * fastest};
}

double flg_contact_start_evenly(flg_contact_law *law, const flg_touch_problem *problem,
                                int contact_count, double left) {
  const int rows = problem->row_count;
  const size_t bytes = (size_t)rows * sizeof(double);
  const double *yields = law->yields;
  double fastest = 0, yielded = HUGE_VAL;
  flg_soft_cones soft;
  if (!flg_soft_cones_load(&soft, rows, problem->sparse, contact_count, law->contacts)) return -1;
  for (int i = 0; i < rows; i++) law->rows[i] = i;
  find_yields(law, problem, rows, contact_count);
  for (int i = 0; i < rows; i++) fastest = flg_larger(fastest, fabs(law->q[i]));
  const soft_rounds of = rounds_of(problem, fastest, left);
  memset(law->kept_z, 0, bytes);
  if (flg_soft_cones_solve(&soft, law->q, yields, law->kept_z, of.solved, law->z) < 0) return -1;
  for (int k = 1; k < ROUNDS && yielded > of.even; k++) {
    for (int i = 0; i < rows && k < SMALLER; i++) law->yields[i] *= of.less;
    memcpy(law->kept_z, law->z, bytes);
    if (flg_soft_cones_solve(&soft, law->q, yields, law->z, of.solved, law->z) < 0) return HUGE_VAL;
    yielded = 0;
    for (int i = 0; i < rows; i++)
      yielded = flg_larger(yielded, yields[i] * fabs(law->z[i] - law->kept_z[i]));
  }
  return fastest > 0 ? yielded : 0;
}
