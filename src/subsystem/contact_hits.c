/* Hits: rows that are reached in the step turn around, one after the other, until none approaches.
 * See contact_law.h for when, how much, and what becomes of energy. */
#include <math.h>
#include <string.h>

#include "math/larger.h"
#include "subsystem/contact_law_inner.h"

/* In the second half of the rounds nothing bounces: balls between walls would without end. */
enum { ROUNDS = 40, ROUNDS_A_TOUCH = 8 };

static const double OUTLASTS = 0.5;   /* of a step: shorter bounces are none */
static const double TOGETHER = 1e-3;  /* of a step: hits within it are one */
static const double STANDING = 1e-12; /* of the largest speed: an approach that is rounding */

static double acceleration(const flg_touch_problem *problem, int row) {
  return (problem->free[row] - problem->before[row]) / problem->h;
}

/* When a row is reached, not before `earliest`; HUGE_VAL: not in this step. The gap is
 * gap - lag + w t + a (h t + t^2)/2, half a step ahead of what semi-implicit velocities say. */
static double time_of_hit(const flg_contact_law *law, const flg_touch_problem *problem,
                          const flg_touch *touch, double earliest) {
  const double a = acceleration(problem, touch->row), h = problem->h;
  const double gap = touch->gap - law->lags[touch->row];
  if (gap <= 0) return earliest;
  const double speed = law->speeds[touch->row] + 0.5 * h * a;
  const double root = speed * speed - 2 * a * gap;
  if (!(root >= 0)) return HUGE_VAL;
  const double divisor = sqrt(root) - speed;
  const double time = divisor > 0 ? 2 * gap / divisor : HUGE_VAL;
  return time < h ? fmax(time, earliest) : HUGE_VAL;
}

/* Speeds that do not bounce: of what falls in the step, or is rounding. Boxes of a stack would all
 * fall alike, so it is the largest acceleration of all that counts. */
static double least_speed(const flg_contact_law *law, const flg_touch_problem *problem,
                          double *standing) {
  double fastest = 0, largest = 0;
  for (int k = 0; k < problem->touch_count; k++) {
    const int row = problem->touches[k].row;
    fastest = flg_larger(fastest, fabs(law->speeds[row]));
    largest = flg_larger(largest, fabs(acceleration(problem, row)));
  }
  *standing = STANDING * fastest;
  return OUTLASTS * problem->h * largest;
}

/* Rows that may be hit next: touches in law->hit, with law->times. */
static int list_candidates(flg_contact_law *law, const flg_touch_problem *problem,
                           double earliest) {
  double standing;
  const double least = least_speed(law, problem, &standing);
  int count = 0;
  for (int k = 0; k < problem->touch_count; k++) {
    const flg_touch *touch = &problem->touches[k];
    const double speed = law->speeds[touch->row];
    if (!(speed < -standing) || !(touch->restitution * -speed > least)) continue;
    const double time = time_of_hit(law, problem, touch, earliest);
    if (!(time < problem->h)) continue;
    law->hit[count] = k, law->times[count++] = time;
  }
  return count;
}

/* Of them those that are hit first, and with them; their normals in law->rows. */
static int list_hits(flg_contact_law *law, const flg_touch_problem *problem, double *earliest) {
  const int candidates = list_candidates(law, problem, *earliest);
  double first = HUGE_VAL;
  int count = 0;
  for (int k = 0; k < candidates; k++) first = fmin(first, law->times[k]);
  for (int k = 0; k < candidates; k++) {
    if (law->times[k] > first + TOGETHER * problem->h) continue;
    law->rows[count] = problem->touches[law->hit[k]].row;
    law->hit[count] = law->hit[k], law->times[count++] = law->times[k];
  }
  if (count > 0) *earliest = first;
  return count;
}

/* Impulses that stop the rows, into law->stop, and what turns them around, into law->back; with
 * what they do to speeds. Rows that were hit before have no flight to look ahead in. */
static bool stop_rows(flg_contact_law *law, const flg_touch_problem *problem, int count) {
  const size_t bytes = (size_t)problem->row_count * sizeof(double);
  const flg_complementarity_matrix matrix = flg_touch_part(law, problem, count, false);
  for (int k = 0; k < count; k++) {
    const int row = law->rows[k];
    const bool in_flight = law->speeds[row] == problem->before[row];
    const double ahead = in_flight ? law->times[k] + 0.5 * problem->h : 0;
    law->q[k] = law->speeds[row] + ahead * acceleration(problem, row);
    law->states[k] = FLG_ROW_NEW;
  }
  flg_complementarity_statistics told;
  const flg_status status = flg_complementarity_linear(flg_contact_law_solver(law, count), &matrix,
                                                       law->q, law->states, law->z, law->w, &told);
  if (!flg_contact_law_is_near(law, status, &told)) return false;
  memset(law->stop, 0, bytes), memset(law->back, 0, bytes);
  memset(law->stop_speeds, 0, bytes), memset(law->back_speeds, 0, bytes);
  for (int k = 0; k < count; k++) {
    law->stop[law->rows[k]] = law->z[k];
    law->back[law->rows[k]] = problem->touches[law->hit[k]].restitution * law->z[k];
  }
  flg_touch_apply(law, problem, law->stop, law->stop_speeds);
  flg_touch_apply(law, problem, law->back, law->back_speeds);
  return true;
}

/* The largest part <= 1 with constant + part linear + part^2 square / 2 <= most. */
static double largest_part(double constant, double linear, double square, double most) {
  const double room = most - constant;
  if (linear + 0.5 * square <= room) return 1;
  if (!(room > 0)) return 0;
  return fmin(1, 2 * room / (sqrt(linear * linear + 2 * square * room) + linear));
}

/* The part of law->back that leaves the energy as it is. */
static double find_part(flg_contact_law *law, const flg_touch_problem *problem, int count,
                        bool generous) {
  double constant = 0, linear = 0, square = 0, resistance = 0, force = 0;
  for (int k = 0; k < count; k++) {
    const int row = law->rows[k];
    const double stop = law->stop[row], back = law->back[row], a = acceleration(problem, row);
    const double speed = law->speeds[row] + law->times[k] * a;
    constant += stop * (0.5 * law->stop_speeds[row] + speed);
    linear += stop * law->back_speeds[row] + back * speed;
    square += back * law->back_speeds[row];
    resistance += (stop + back) * (law->stop_speeds[row] + law->back_speeds[row]);
    force += problem->h * a * (stop + back);
  }
  const double most = generous && resistance > 0 ? 0.5 * force * force / resistance : 0;
  const double part = largest_part(constant, linear, square, most);
  law->was_generous = law->was_generous || constant + part * (linear + 0.5 * part * square) > 0;
  return part;
}

static void add_hits(flg_contact_law *law, const flg_touch_problem *problem, int count,
                     double part) {
  for (int i = 0; i < problem->row_count; i++) {
    law->stop[i] += part * law->back[i];
    law->hits[i] += law->stop[i];
    law->speeds[i] += law->stop_speeds[i] + part * law->back_speeds[i];
  }
  for (int k = 0; k < count; k++) {
    const int row = law->rows[k];
    law->stop[row] *= law->times[k];
    problem->moves[row] -= law->stop[row];
  }
  flg_touch_apply(law, problem, law->stop, law->lags);
}

/* Tangents under the normals of the hits, as far as Coulomb's law lets them stick. */
static void rub(flg_contact_law *law, const flg_touch_problem *problem) {
  int count = 0;
  for (int k = 0; k < problem->touch_count; k++) {
    const flg_touch *touch = &problem->touches[k];
    if (touch->rows < 3 || law->hits[touch->row] == 0) continue;
    law->contacts[count / 3] =
        (flg_friction_contact){count, {count + 1, count + 2}, touch->friction};
    for (int i = 0; i < 3; i++) law->rows[count + i] = touch->row + i;
    count += 3;
  }
  if (count == 0) return;
  const flg_complementarity_matrix matrix = flg_touch_part(law, problem, count, true);
  for (int k = 0; k < count; k++) {
    const int row = law->rows[k];
    law->q[k] = k % 3 == 0 ? -flg_touch_own(problem, row) * law->hits[row] : law->speeds[row];
    law->states[k] = FLG_ROW_NEW;
  }
  flg_complementarity_statistics told;
  const flg_status status = flg_contact_law_rub(law, &matrix, count / 3, law->states, &told);
  if (!flg_contact_law_is_near(law, status, &told)) return;
  const size_t bytes = (size_t)problem->row_count * sizeof(double);
  memset(law->stop, 0, bytes), memset(law->back, 0, bytes);
  for (int k = 0; k < count; k++) {
    const int row = law->rows[k], normal = row - k % 3;
    if (row == normal) continue;
    law->hits[row] = law->stop[row] = law->z[k];
    problem->moves[row] = law->z[k] * (problem->moves[normal] / law->hits[normal]);
    law->back[row] = -problem->moves[row];
  }
  flg_touch_apply(law, problem, law->stop, law->speeds);
  flg_touch_apply(law, problem, law->back, law->lags);
}

static bool can_bounce(const flg_touch_problem *problem) {
  for (int k = 0; k < problem->touch_count; k++) {
    if (problem->touches[k].restitution > 0) return true;
  }
  return false;
}

void flg_contact_hit(flg_contact_law *law, const flg_touch_problem *problem, bool generous,
                     flg_contact_law_report *report) {
  const size_t bytes = (size_t)problem->row_count * sizeof(double);
  const int most = ROUNDS + ROUNDS_A_TOUCH * problem->touch_count;
  double earliest = 0;
  report->hits = report->reflections = 0;
  law->was_generous = false;
  memset(problem->moves, 0, bytes);
  if (!can_bounce(problem)) return;
  memcpy(law->speeds, problem->before, bytes);
  memset(law->hits, 0, bytes), memset(law->lags, 0, bytes);
  for (; report->reflections < most; report->reflections++) {
    const int count = list_hits(law, problem, &earliest);
    if (count == 0 || !stop_rows(law, problem, count)) break;
    const bool first = report->reflections == 0;
    const bool bounces = report->reflections < most / 2;
    const double part = bounces ? find_part(law, problem, count, generous && first) : 0;
    add_hits(law, problem, count, part);
  }
  if (report->reflections == 0) return;
  for (int k = 0; k < problem->touch_count; k++)
    report->hits += law->hits[problem->touches[k].row] > 0;
  rub(law, problem);
}
