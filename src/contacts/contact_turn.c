/* Friction of contacts that slide through a kick, and turn in it.
 *
 * A solve finds friction against w+: where the direction of sliding turns that is right to order 1.
 * Against (w- + w+) / 2, the velocity in the middle of the kick, it is right to order 2, and its
 * work z (w- + w+) / 2 is the kinetic energy that is lost. The solver finds it with w- added to
 * what tangents have without impulses: w- + w+ = (f + w-) + W z.
 *
 * Contacts that may stop in the kick keep the first answer: to stick is w+ = 0, and w- + w+ = 0
 * would be a bounce.
 */
#include <math.h>
#include <string.h>

#include "contacts/contact_law_inner.h"

/* Of w-, what a kick has to leave of it: what slides on for another kick does not stop in this. */
static const double SLIDES_ON = 0.5;
/* An angle in a kick that is rounding [rad]: both answers are the same. */
static const double TURNS = 1e-12;

static double turn_product(const double *a, const double *b) {
  return a[1] * b[1] + a[2] * b[2];
}

static bool slides_and_turns(const flg_contact_law *law, const flg_touch_problem *problem,
                             const flg_touch *touch) {
  if (touch->rows < 3 || !(law->z[touch->row] > 0)) return false;
  const double *before = problem->before + touch->row, *after = law->w + touch->row;
  const double kept = turn_product(before, after);
  const double turned = fabs(before[1] * after[2] - before[2] * after[1]);
  return kept > SLIDES_ON * turn_product(before, before) && turned > TURNS * kept;
}

bool flg_contact_lean(flg_contact_law *law, const flg_touch_problem *problem) {
  bool any = false;
  memset(law->leans, 0, (size_t)problem->row_count * sizeof(double));
  for (int k = 0; k < problem->touch_count; k++) {
    const flg_touch *touch = &problem->touches[k];
    if (!slides_and_turns(law, problem, touch)) continue;
    for (int i = touch->row + 1; i < touch->row + 3; i++) {
      law->leans[i] = problem->before[i];
      law->q[i] += law->leans[i];
    }
    any = true;
  }
  return any;
}

/* w+ is law->w less what was added, and goes on along that. */
bool flg_contact_slides_on(const flg_contact_law *law, const flg_touch_problem *problem) {
  for (int k = 0; k < problem->touch_count; k++) {
    const int row = problem->touches[k].row;
    const double *lean = law->leans + row, *both = law->w + row;
    if (problem->touches[k].rows < 3) continue;
    if (!(turn_product(both, lean) >= turn_product(lean, lean))) return false;
  }
  return true;
}
