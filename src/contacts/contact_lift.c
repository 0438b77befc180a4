/* Position pass: takes part of the penetrations out, and pushes no body into another. */
#include <math.h>
#include <string.h>

#include "contacts/contact_law_inner.h"
#include "math/larger.h"

/* The gap that a contact will have at the end of the step, without moves. */
static double gap_after(const flg_touch_problem *problem, const flg_touch *touch) {
  return touch->gap + problem->h * problem->after[touch->row];
}

/* Of the slop: over this everything is moved out at once, where there are many contacts. */
static const double DEEP = 100;

/* The room that is left (> 0), or the overlap to move out (< 0): a part of the overlap at the
 * start, and all of what hits of this step add to it, which act later than others that push back.
 */
static double room(const flg_contact_law *law, const flg_touch *touch, double gap, double fall) {
  const double own = flg_touch_slop(law, touch), slop = fmax(own, fall);
  if (gap >= 0) return gap;
  if (gap >= -slop) return 0;
  const double old = fmax(fmin(touch->gap + slop, 0), gap + slop);
  const double all = slop > own ? fmin(0, gap + DEEP * own) : 0;
  return fmin(gap + slop - (1 - law->options.correction) * old, all);
}

/* The overlap that heaps leave alone besides the slop. */
static double fall_of(const flg_touch_problem *problem) {
  double fastest = 0;
  if (problem->row_count <= FLG_CONTACT_MANY) return 0;
  for (int k = 0; k < problem->touch_count; k++) {
    const int row = problem->touches[k].row;
    fastest = flg_larger(fastest, fabs(problem->free[row] - problem->before[row]));
  }
  return 0.5 * problem->h * fastest;
}

/* Gaps at the end, with the moves that there are, into law->w by contact. 1 if one is to be lifted.
 */
static bool find_gaps(flg_contact_law *law, const flg_touch_problem *problem, bool moved,
                      double fall) {
  bool deep = false;
  if (moved) {
    memset(law->q, 0, (size_t)problem->row_count * sizeof(double));
    flg_touch_apply(law, problem, problem->moves, law->q);
  }
  for (int k = 0; k < problem->touch_count; k++) {
    const flg_touch *touch = &problem->touches[k];
    law->w[k] = gap_after(problem, touch) + (moved ? law->q[touch->row] : 0);
    if (problem->bends != NULL) law->w[k] += problem->bends[k];
    deep = deep || law->w[k] < -flg_larger(flg_touch_slop(law, touch), fall);
  }
  return deep;
}

/* Normals, and what they have of room. */
static int lift_gather(flg_contact_law *law, const flg_touch_problem *problem, double fall) {
  for (int k = 0; k < problem->touch_count; k++) {
    law->rows[k] = problem->touches[k].row;
    law->q[k] = room(law, &problem->touches[k], law->w[k], fall);
    law->states[k] = law->q[k] > 0 ? FLG_ROW_LOWER : FLG_ROW_ACTIVE;
    law->z[k] = 0;
  }
  return problem->touch_count;
}

bool flg_contact_law_overlaps(flg_contact_law *law, const flg_touch_problem *problem) {
  return law->options.correction > 0 && find_gaps(law, problem, false, fall_of(problem));
}

bool flg_contact_law_lift(flg_contact_law *law, const flg_touch_problem *problem,
                          flg_contact_law_report *report) {
  if (law->options.correction == 0 || problem->after == NULL) return false;
  const double fall = fall_of(problem);
  if (!find_gaps(law, problem, report->moves, fall)) return false;
  const int count = lift_gather(law, problem, fall);
  const flg_complementarity_matrix matrix = flg_touch_part(law, problem, count, false);
  const flg_status status = flg_complementarity_linear(flg_contact_law_solver(law, count), &matrix,
                                                       law->q, law->states, law->z, law->w, NULL);
  /* no gap is worse without: bodies that are wedged stay where they are */
  if (status != FLG_OK && status != FLG_ERR_DIVERGED) return false;
  for (int k = 0; k < count; k++) problem->moves[law->rows[k]] += law->z[k];
  return report->moves = true;
}
