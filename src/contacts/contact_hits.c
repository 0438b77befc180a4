/* Hits: rows that are reached in the step turn around, one after the other, until none approaches.
 * See contact_law.h for when, how much, and what becomes of energy. */
#include <math.h>
#include <string.h>

#include "contacts/contact_law_inner.h"
#include "math/larger.h"

/* In the second half of the rounds nothing bounces: balls between walls would without end. */
enum { ROUNDS = 40, ROUNDS_A_TOUCH = 8 };
/* To find how much bounces where all of it would give energy, or cannot be solved. */
enum { NARROWINGS = 12, HALVINGS = 6 };

static const double OUTLASTS = 0.5;   /* of a step: shorter bounces are none */
static const double FALLS = 4;        /* of the speeds of such bounces: slower landings are none */
static const double TOGETHER = 1e-3;  /* of a step: hits within it are one */
static const double LEANS = 2;        /* slops: from one below to one above */
static const double STANDING = 1e-12; /* of the largest speed: an approach that is rounding */

static const double ROUNDING = 1e-14; /* of the work of a hit */

/* True if a touch may be hit without a bounce: many are iterated, and stop in two steps. */
static bool can_touch_land(const flg_touch_problem *problem, const flg_touch *touch) {
  return touch->lands && problem->row_count <= FLG_CONTACT_MANY;
}

static double acceleration(const flg_touch_problem *problem, int row) {
  return (problem->free[row] - problem->before[row]) / problem->h;
}

/* When a row is reached, not before `earliest`; HUGE_VAL: not in this step. The gap is
 * gap - lag + w t + a (h t + t^2)/2, half a step ahead of what semi-implicit velocities say. */
static double time_of_hit(const flg_contact_law *law, const flg_touch_problem *problem,
                          const flg_touch *touch, double earliest) {
  const double a = acceleration(problem, touch->row), h = problem->h;
  const double gap = touch->gap - law->lags[touch->row];
  if (!flg_touch_is_open(law, touch, gap)) return earliest;
  const double speed = law->speeds[touch->row] + 0.5 * h * a;
  const double root = speed * speed - 2 * a * gap;
  if (!(root >= 0)) return HUGE_VAL;
  const double divisor = sqrt(root) - speed;
  const double time = divisor > 0 ? 2 * gap / divisor : HUGE_VAL;
  return time < h ? fmax(time, earliest) : HUGE_VAL;
}

/* Speeds that do not bounce: of what falls in the step, or is rounding. Boxes of a stack would all
 * fall alike, so it is the largest acceleration of all that counts; but not that of touches that
 * are out of reach in this step: whether they are listed at all is up to the search. */
static double least_speed(flg_contact_law *law, const flg_touch_problem *problem) {
  double fastest = 0, largest = 0;
  for (int k = 0; k < problem->touch_count; k++) {
    const int row = problem->touches[k].row;
    if (!(time_of_hit(law, problem, &problem->touches[k], 0) < problem->h)) continue;
    fastest = flg_larger(fastest, fabs(law->speeds[row]));
    largest = flg_larger(largest, fabs(acceleration(problem, row)));
  }
  law->standing = STANDING * fastest;
  return OUTLASTS * problem->h * largest;
}

/* Slower landings are none, `least` being what falls in the step. */
static double least_landing(const flg_contact_law *law, const flg_touch_problem *problem,
                            const flg_touch *touch, double least) {
  return flg_larger(FALLS * least, flg_touch_standing(law, touch, problem->h));
}

/* Rows that may be hit next: touches in law->hit, with law->times. */
static int list_candidates(flg_contact_law *law, const flg_touch_problem *problem,
                           double earliest) {
  const double least = least_speed(law, problem);
  int count = 0;
  for (int k = 0; k < problem->touch_count; k++) {
    const flg_touch *touch = &problem->touches[k];
    const double speed = law->speeds[touch->row];
    const bool bounces = touch->restitution * -speed > least;
    const bool lands =
        can_touch_land(problem, touch) && -speed > least_landing(law, problem, touch, least);
    if (!(speed < -law->standing) || !(bounces || lands)) continue;
    const double time = time_of_hit(law, problem, touch, earliest);
    if (!(time < problem->h)) continue;
    law->bounces[count] = bounces ? touch->restitution : 0;
    law->hit[count] = k, law->times[count++] = time;
  }
  return count;
}

/* True if a candidate is hit with the first: at once with it, or no farther from it than edges that
 * rest on a surface may lean, so that no step tells which corner of a face that lands is first. */
static bool is_hit_with(const flg_contact_law *law, const flg_touch_problem *problem, int candidate,
                        double first) {
  const flg_touch *touch = &problem->touches[law->hit[candidate]];
  const double later = law->times[candidate] - first;
  return later <= TOGETHER * problem->h ||
         later * -law->speeds[touch->row] <= LEANS * flg_touch_slop(law, touch);
}

/* Of them those that are hit first, and with them. They are hit at one time: impulses along an edge
 * are not unique, so their sum over times of their own would not be, either. */
static int list_hits(flg_contact_law *law, const flg_touch_problem *problem, double *earliest) {
  const int candidates = list_candidates(law, problem, *earliest);
  double first = HUGE_VAL;
  int count = 0;
  for (int k = 0; k < candidates; k++) first = fmin(first, law->times[k]);
  for (int k = 0; k < candidates; k++) {
    if (!is_hit_with(law, problem, k, first)) continue;
    law->bounces[count] = law->bounces[k];
    law->hit[count] = law->hit[k], law->times[count++] = first;
  }
  if (count > 0) *earliest = first;
  return count;
}

static bool is_hit(const flg_contact_law *law, int count, int touch) {
  for (int k = 0; k < count; k++) {
    if (law->hit[k] == touch) return true;
  }
  return false;
}

/* Touches that are closed and at rest carry while others land: they are one problem. At rest is
 * what would be no landing by itself: points of a body that turns on its edge approach in arcs.
 * How many touches it has then. */
static int list_closed(flg_contact_law *law, const flg_touch_problem *problem, int landing) {
  if (landing == 0) return 0;
  const double least = least_speed(law, problem);
  int count = landing;
  for (int k = 0; k < landing; k++) {
    if (law->bounces[k] > 0) return landing;
  }
  for (int k = 0; k < problem->touch_count; k++) {
    const flg_touch *touch = &problem->touches[k];
    const double gap = touch->gap - law->lags[touch->row];
    const bool rests = law->speeds[touch->row] >= -least_landing(law, problem, touch, least);
    if (touch->restitution > 0 || !rests || gap > flg_touch_slop(law, touch)) continue;
    if (is_hit(law, landing, k)) continue;
    law->bounces[count] = 0, law->times[count] = law->times[0];
    law->hit[count++] = k;
  }
  return count;
}

/* --- impulses of one hit -----------------------------------------------------------------------
 */

/* Speeds that the hit meets. Rows that were hit before have no flight to look ahead in, and those
 * that do not bounce end with the speed zero anyhow. */
static void find_met_speeds(flg_contact_law *law, const flg_touch_problem *problem, int count) {
  for (int k = 0; k < count; k++) {
    const flg_touch *touch = &problem->touches[law->hit[k]];
    const bool in_flight = law->speeds[touch->row] == problem->before[touch->row];
    const double ahead = in_flight && law->bounces[k] > 0 ? law->times[k] + 0.5 * problem->h : 0;
    for (int i = touch->row; i < touch->row + touch->rows; i++) {
      law->met[i] = law->speeds[i] + ahead * acceleration(problem, i);
    }
  }
}

/* Rows of the touches that are hit, or of those that rub alone, into law->rows, and their contacts;
 * how many rows. */
static int gather_hit_rows(flg_contact_law *law, const flg_touch_problem *problem, int count,
                           bool rubbing, int *contact_count) {
  int rows = 0;
  *contact_count = 0;
  for (int k = 0; k < count; k++) {
    const flg_touch *touch = &problem->touches[law->hit[k]];
    if (touch->rows < 3 && rubbing) continue;
    if (touch->rows == 3) {
      law->contacts[(*contact_count)++] =
          (flg_friction_contact){rows, {rows + 1, rows + 2}, touch->friction};
    }
    for (int i = 0; i < touch->rows; i++) law->rows[rows++] = touch->row + i;
  }
  return rows;
}

/* law->q to law->z, over the rows that were gathered: evenly, where that can be. */
static bool solve_rows(flg_contact_law *law, const flg_touch_problem *problem, int rows,
                       int contact_count, bool normals_apart) {
  flg_complementarity_statistics told;
  const bool shared = contact_count > 1 || flg_contact_rows_depend(law, problem, rows);
  memset(law->states, FLG_ROW_NEW, (size_t)rows);
  if (shared) {
    const flg_complementarity_matrix soft = flg_touch_part(law, problem, rows, normals_apart);
    if (flg_contact_even(law, problem, &soft, contact_count, &told)) return true;
  }
  const flg_complementarity_matrix matrix = flg_touch_part(law, problem, rows, normals_apart);
  memset(law->states, FLG_ROW_NEW, (size_t)rows);
  const flg_status status = flg_contact_law_answer(law, &matrix, contact_count, law->states, &told);
  return flg_contact_law_is_near(law, status, &told);
}

static void find_changes(flg_contact_law *law, const flg_touch_problem *problem,
                         flg_hit_impulse *of) {
  memset(of->changes, 0, (size_t)problem->row_count * sizeof(double));
  flg_touch_apply(law, problem, of->impulses, of->changes);
}

/* Newton: normals end with -part e times what they met, under the friction of the hit. */
static bool hit_newton(flg_contact_law *law, const flg_touch_problem *problem, int count,
                       double part, flg_hit_impulse *to) {
  int contact_count;
  const int rows = gather_hit_rows(law, problem, count, false, &contact_count);
  for (int k = 0; k < rows; k++) law->q[k] = law->met[law->rows[k]];
  for (int k = 0, row = 0; k < count; k++) {
    const flg_touch *touch = &problem->touches[law->hit[k]];
    law->q[row] *= 1 + part * law->bounces[k];
    row += touch->rows;
  }
  if (!solve_rows(law, problem, rows, contact_count, false)) return false;
  memset(to->impulses, 0, (size_t)problem->row_count * sizeof(double));
  for (int k = 0; k < rows; k++) to->impulses[law->rows[k]] = law->z[k];
  find_changes(law, problem, to);
  to->part = part;
  return true;
}

/* Tangents under the given normals of `to`, which come after those of `stopped`. */
static bool hits_rub(flg_contact_law *law, const flg_touch_problem *problem, int count,
                     const flg_hit_impulse *stopped, flg_hit_impulse *to) {
  int contact_count;
  const int rows = gather_hit_rows(law, problem, count, true, &contact_count);
  if (rows == 0) return true;
  find_changes(law, problem, to);
  for (int k = 0; k < rows; k++) {
    const int row = law->rows[k];
    law->q[k] = k % 3 == 0 ? -flg_touch_own(problem, row) * to->impulses[row]
                           : law->met[row] + stopped->changes[row] + to->changes[row];
  }
  if (!solve_rows(law, problem, rows, contact_count, true)) return false;
  for (int k = 0; k < rows; k++) to->impulses[law->rows[k]] = law->z[k];
  return true;
}

/* Poisson: normals give back part e of what stopped them, and rub meanwhile. */
static bool hit_poisson(flg_contact_law *law, const flg_touch_problem *problem, int count,
                        double part, flg_hit_impulse *to) {
  const flg_hit_impulse *stopped = &law->stopped;
  memset(to->impulses, 0, (size_t)problem->row_count * sizeof(double));
  for (int k = 0; k < count; k++) {
    const flg_touch *touch = &problem->touches[law->hit[k]];
    to->impulses[touch->row] = part * law->bounces[k] * stopped->impulses[touch->row];
  }
  if (!hits_rub(law, problem, count, stopped, to)) return false;
  for (int i = 0; i < problem->row_count; i++) to->impulses[i] += stopped->impulses[i];
  find_changes(law, problem, to);
  to->part = part;
  return true;
}

/* --- as much of it as energy allows ------------------------------------------------------------
 */

/* Sums over the rows of a hit. */
typedef struct hit_work {
  double speed;      /* of impulses on the speeds that they start from, w + tau a */
  double resistance; /* P W P */
  double force;      /* h a P */
} hit_work;

static hit_work hits_work_of(const flg_contact_law *law, const flg_touch_problem *problem,
                             int count, const flg_hit_impulse *of) {
  hit_work sum = {0, 0, 0};
  for (int k = 0; k < count; k++) {
    const flg_touch *touch = &problem->touches[law->hit[k]];
    for (int i = touch->row; i < touch->row + touch->rows; i++) {
      const double a = acceleration(problem, i), p = of->impulses[i];
      sum.speed += p * (law->speeds[i] + law->times[k] * a);
      sum.resistance += p * of->changes[i];
      sum.force += problem->h * a * p;
    }
  }
  return sum;
}

static double gain_of(const hit_work *work) {
  return work->speed + 0.5 * work->resistance;
}

/* The energy that the step loses in any case. */
static double spare_of(const hit_work *work, bool generous) {
  if (!generous || !(work->resistance > 0)) return 0;
  return 0.5 * work->force * work->force / work->resistance;
}

/* The largest part <= 1 with constant + part linear + part^2 square / 2 <= most. */
static double largest_part(double constant, double linear, double square, double most) {
  const double room = most - constant;
  if (linear + 0.5 * square <= room) return 1;
  if (!(room > 0)) return 0;
  return fmin(1, 2 * room / (sqrt(linear * linear + 2 * square * room) + linear));
}

/* The largest step from `low` towards `high` that energy allows. Between the two, what the step
 * loses anyhow is not below both of its ends. */
static double hits_find_part(const flg_contact_law *law, const flg_touch_problem *problem,
                             int count, bool generous) {
  const hit_work low = hits_work_of(law, problem, count, &law->low);
  const hit_work high = hits_work_of(law, problem, count, &law->high);
  double mixed = 0; /* low W high */
  for (int k = 0; k < count; k++) {
    const flg_touch *touch = &problem->touches[law->hit[k]];
    for (int i = touch->row; i < touch->row + touch->rows; i++)
      mixed += law->low.impulses[i] * law->high.changes[i];
  }
  const double linear = high.speed - low.speed + mixed - low.resistance;
  const double square = high.resistance - 2 * mixed + low.resistance;
  return largest_part(gain_of(&low), linear, square,
                      fmin(spare_of(&low, generous), spare_of(&high, generous)));
}

static void move_low(flg_contact_law *law, const flg_touch_problem *problem, double part) {
  flg_hit_impulse *low = &law->low;
  const flg_hit_impulse *high = &law->high;
  for (int i = 0; i < problem->row_count; i++) {
    low->impulses[i] += part * (high->impulses[i] - low->impulses[i]);
    low->changes[i] += part * (high->changes[i] - low->changes[i]);
  }
  low->part += part * (high->part - low->part);
}

static void swap_impulses(flg_hit_impulse *a, flg_hit_impulse *b) {
  const flg_hit_impulse kept = *a;
  *a = *b, *b = kept;
}

static bool hit_by_law(flg_contact_law *law, const flg_touch_problem *problem, int count,
                       double part, flg_hit_impulse *to) {
  return law->options.impact == FLG_IMPACT_POISSON ? hit_poisson(law, problem, count, part, to)
                                                   : hit_newton(law, problem, count, part, to);
}

static bool gains(const flg_contact_law *law, const flg_touch_problem *problem, int count,
                  const flg_hit_impulse *of, bool generous) {
  const hit_work work = hits_work_of(law, problem, count, of);
  return gain_of(&work) > spare_of(&work, generous) + ROUNDING * fabs(work.speed);
}

/* Impulses are linear in the part between sets of rows that stick or slide; a few steps find the
 * right set, and the rest of the way is a line. */
static void narrow(flg_contact_law *law, const flg_touch_problem *problem, int count,
                   bool generous) {
  for (int k = 0; k < NARROWINGS; k++) {
    const double step = hits_find_part(law, problem, count, generous);
    const double part = law->low.part + step * (law->high.part - law->low.part);
    if (!(part > law->low.part) || !(part < law->high.part)) return;
    if (!hit_by_law(law, problem, count, part, &law->trial)) return;
    const hit_work work = hits_work_of(law, problem, count, &law->trial);
    const double over = gain_of(&work) - spare_of(&work, generous);
    swap_impulses(over > 0 ? &law->high : &law->low, &law->trial);
    if (fabs(over) <= ROUNDING * fabs(work.speed)) return;
  }
}

/* True if impulses grow with e alone, without another solve: no contact has friction, and all
 * bounce alike. */
static bool hits_is_plain(const flg_contact_law *law, const flg_touch_problem *problem, int count) {
  for (int k = 0; k < count; k++) {
    const flg_touch *touch = &problem->touches[law->hit[k]];
    if (touch->rows > 1 || law->bounces[k] != law->bounces[0]) return false;
  }
  return true;
}

static void scale_high(flg_contact_law *law, const flg_touch_problem *problem) {
  const double scale = 1 + law->bounces[0];
  for (int i = 0; i < problem->row_count; i++) {
    law->high.impulses[i] = scale * law->low.impulses[i];
    law->high.changes[i] = scale * law->low.changes[i];
  }
  law->high.part = 1;
}

/* The whole hit, or half of it and so on where rows that rub cannot all be turned around. */
static bool hit_most(flg_contact_law *law, const flg_touch_problem *problem, int count) {
  double part = 1;
  for (int k = 0; k < HALVINGS; k++) {
    if (hit_by_law(law, problem, count, part, &law->high)) return true;
    part /= 2;
  }
  return false;
}

static bool stop_rows(flg_contact_law *law, const flg_touch_problem *problem, int count,
                      flg_hit_impulse *to) {
  return hit_newton(law, problem, count, 0, to);
}

/* Impulses of the hit into law->low. */
static bool find_hit(flg_contact_law *law, const flg_touch_problem *problem, int count,
                     bool bounces, bool generous) {
  find_met_speeds(law, problem, count);
  if (!bounces) return stop_rows(law, problem, count, &law->low);
  if (hits_is_plain(law, problem, count)) {
    if (!stop_rows(law, problem, count, &law->low)) return false;
    scale_high(law, problem);
    move_low(law, problem, hits_find_part(law, problem, count, generous));
    return true;
  }
  if (law->options.impact == FLG_IMPACT_POISSON && !stop_rows(law, problem, count, &law->stopped)) {
    return false;
  }
  if (!hit_most(law, problem, count)) return stop_rows(law, problem, count, &law->low);
  if (!gains(law, problem, count, &law->high, generous)) {
    swap_impulses(&law->low, &law->high);
    return true;
  }
  if (!stop_rows(law, problem, count, &law->low)) return false;
  narrow(law, problem, count, generous);
  move_low(law, problem, hits_find_part(law, problem, count, generous));
  return true;
}

/* --- all hits of a step ------------------------------------------------------------------------
 */

/* Landings end on the surface, to rounding: the time at which gaps are used up at the speeds that
 * the hit takes away, of rows that it stops. */
static void time_landing(flg_contact_law *law, const flg_touch_problem *problem, int landing,
                         int count) {
  double first = HUGE_VAL;
  for (int k = 0; k < landing; k++) {
    const int row = problem->touches[law->hit[k]].row;
    const double gap = fmax(0, problem->touches[law->hit[k]].gap - law->lags[row]);
    if (law->bounces[k] > 0) return;
    if (!(law->low.impulses[row] > 0) || !(law->low.changes[row] > 0)) continue;
    first = fmin(first, gap / law->low.changes[row]);
  }
  for (int k = 0; k < count && first < HUGE_VAL; k++) law->times[k] = first;
}

static void add_hits(flg_contact_law *law, const flg_touch_problem *problem, int count) {
  double *late = law->trial.impulses; /* tau P */
  memset(late, 0, (size_t)problem->row_count * sizeof(double));
  for (int k = 0; k < count; k++) {
    const flg_touch *touch = &problem->touches[law->hit[k]];
    for (int i = touch->row; i < touch->row + touch->rows; i++) {
      late[i] = law->times[k] * law->low.impulses[i];
      problem->moves[i] -= late[i];
    }
  }
  for (int i = 0; i < problem->row_count; i++) {
    law->hits[i] += law->low.impulses[i];
    law->speeds[i] += law->low.changes[i];
  }
  flg_touch_apply(law, problem, late, law->lags);
}

static void note_generosity(flg_contact_law *law, const flg_touch_problem *problem, int count) {
  const hit_work work = hits_work_of(law, problem, count, &law->low);
  law->was_generous = law->was_generous || gain_of(&work) > 0;
}

/* Rounds until hits end. It is those that were hit that count: which touches are listed besides is
 * up to the search. */
static int most_rounds(const flg_contact_law *law, const flg_touch_problem *problem) {
  int hit = 0;
  for (int k = 0; k < problem->touch_count; k++) hit += law->hits[problem->touches[k].row] > 0;
  return ROUNDS + ROUNDS_A_TOUCH * hit;
}

/* True if a touch may be hit: one that bounces approaches, or one that lands is faster than
 * rounding (list_candidates asks for more). */
static bool approaches_any(const flg_contact_law *law, const flg_touch_problem *problem) {
  for (int k = 0; k < problem->touch_count; k++) {
    const flg_touch *touch = &problem->touches[k];
    const double approach = -problem->before[touch->row];
    if (touch->restitution > 0 && !(approach <= 0)) return true;
    if (can_touch_land(problem, touch) && !(approach <= flg_touch_standing(law, touch, problem->h)))
      return true;
  }
  return false;
}

void flg_contact_hit(flg_contact_law *law, const flg_touch_problem *problem, bool generous,
                     flg_contact_law_report *report) {
  const size_t bytes = (size_t)problem->row_count * sizeof(double);
  double earliest = 0;
  report->hits = report->reflections = 0;
  law->was_generous = false;
  memset(problem->moves, 0, bytes);
  if (!approaches_any(law, problem)) return;
  memcpy(law->speeds, problem->before, bytes);
  memset(law->hits, 0, bytes), memset(law->lags, 0, bytes);
  for (int most = ROUNDS; report->reflections < most; report->reflections++) {
    const int landing = list_hits(law, problem, &earliest);
    const int count = list_closed(law, problem, landing);
    const bool first = report->reflections == 0, bounces = report->reflections < most / 2;
    if (landing == 0 || !find_hit(law, problem, count, bounces, generous && first)) break;
    note_generosity(law, problem, count);
    time_landing(law, problem, landing, count);
    add_hits(law, problem, count);
    most = most_rounds(law, problem);
  }
  if (report->reflections == 0) return;
  for (int k = 0; k < problem->touch_count; k++)
    report->hits += law->hits[problem->touches[k].row] > 0;
}
