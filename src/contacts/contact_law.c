#include "contacts/contact_law_inner.h"

#include <math.h>
#include <string.h>

#include "complementarity/soft_cones.h"
#include "math/larger.h"

/* Of a penetration, in a step: a fifth does not throw bodies out. Of the length of a touch: far
 * over the rounding of gaps, and not to be seen. */
static const double CORRECTION = 0.2, SLOP = 1e-6;
/* Of the fastest row: speeds that may be left over, in a hurry, and by rounding. */
static const double EXACT = 1e-8, NEARLY_EXACT = 1e-7, ROUNDED = 1e-5;
/* The same of impulses of the last step: by how much speeds change under them, rounding, and what
 * that may add up to; and of impulses that another solve has found, which may have started
 * from those of the last step. */
static const double STEADY = 1e-12, STANDING = 1e-11, AGREED = 2e-11;
static const double CREEP = 0.1; /* of the slop, in a step */
/* Of the fastest row, or of what friction can hold: farther from a change than rounding leads. */
static const double CLEARLY = 1e-6;
/* Of the slop: what is so near need not come nearer. Of four corners it would be those that do that
 * carry all, and others in the next step. */
static const double LANDED = 0.01;
/* The same of a point beside one of the same two shapes that has landed: rounding tilts what slides
 * by a hundredth of the slop within a second. */
static const double LEANT = 0.2;
static const double THE_SAME = 1e-9;      /* of the largest impulse: what Newton steps leave open */
static const double ROUNDED_PUSH = 1e-12; /* of the largest hit */
/* Speeds that die out end here, before their products leave the range of numbers [m/s]. */
static const double STANDS = 1e-150;

flg_contact_law_options flg_contact_law_default(void) {
  return (flg_contact_law_options){.friction = FLG_FRICTION_CONE,
                                   .correction = CORRECTION,
                                   .slop = SLOP,
                                   .length = 1,
                                   .solver = flg_complementarity_default()};
}

/* Direct methods leave what is hard to the others; rows between bodies are many, and a step must
 * end. Iterations are not cut in pieces: they take few gradient steps at first, and more later. */
enum { DIRECT_ITERATIONS = 100, ITERATIONS = 500, SPARSE_ITERATIONS = 1000 };
/* The same in a hurry, and residuals that will do then: of direct methods that are caught, and, by
 * the largest speed, of what they leave to iterations. */
static const double CAUGHT = 1e-8, ITERATED = 1e-6;
enum { HURRIED_ITERATIONS = 6 };

/* --- set-up ---------------------------------------------------------------------------------- */

static flg_complementarity_options for_few(const flg_contact_law_options *options) {
  flg_complementarity_options few = options->solver;
  const int most = options->hurries ? HURRIED_ITERATIONS : DIRECT_ITERATIONS;
  if (few.iterations > most) few.iterations = most;
  few.enough = options->hurries ? CAUGHT : 0;
  return few;
}

static flg_complementarity_options for_many(const flg_contact_law_options *options) {
  flg_complementarity_options many = options->solver;
  many.method = FLG_METHOD_ITERATIVE, many.direct_limit = 0;
  const int most = many.bodies > 0 ? SPARSE_ITERATIONS : ITERATIONS;
  if (many.iterations > most) many.iterations = most;
  if (options->hurries && many.enough < ITERATED) many.enough = ITERATED;
  return many;
}

static bool is_sound(int capacity, const flg_contact_law_options *options) {
  return capacity >= 0 && capacity <= FLG_COMPLEMENTARITY_MAX && options->correction >= 0 &&
         options->correction <= 1 && options->slop >= 0 && isfinite(options->slop) &&
         options->length > 0 && isfinite(options->length) &&
         (options->friction == FLG_FRICTION_CONE || options->friction == FLG_FRICTION_BOX) &&
         (options->impact == FLG_IMPACT_NEWTON || options->impact == FLG_IMPACT_POISSON);
}

enum { NUMBERS = 24 }; /* arrays that have one for each row */

static void lay_out_row_arrays(flg_contact_law *law, flg_region *region) {
  const size_t n = (size_t)law->capacity, bodies = (size_t)law->options.solver.bodies;
  if (bodies == 0) {
    law->part = flg_region_take_scratch(region, n * n, sizeof(double));
    return;
  }
  law->body = flg_region_take(region, 2 * n, sizeof(int));
  law->jacobian = flg_region_take(region, 12 * n, sizeof(double));
  law->softness = flg_region_take(region, n, sizeof(double));
  law->motion = flg_region_take(region, 12 * bodies, sizeof(double));
}

static void law_lay_out(flg_contact_law *law, flg_region *region) {
  const size_t n = (size_t)law->capacity;
  double **const numbers[NUMBERS] = {&law->q,
                                     &law->z,
                                     &law->w,
                                     &law->hits,
                                     &law->speeds,
                                     &law->lags,
                                     &law->times,
                                     &law->bounces,
                                     &law->met,
                                     &law->low.impulses,
                                     &law->low.changes,
                                     &law->high.impulses,
                                     &law->high.changes,
                                     &law->trial.impulses,
                                     &law->trial.changes,
                                     &law->stopped.impulses,
                                     &law->stopped.changes,
                                     &law->kept_z,
                                     &law->kept_w,
                                     &law->kept_q,
                                     &law->yields,
                                     &law->first_z,
                                     &law->first_w,
                                     &law->leans};
  for (int k = 0; k < NUMBERS; k++) *numbers[k] = flg_region_take(region, n, sizeof(double));
  law->rows = flg_region_take(region, n, sizeof(int));
  law->hit = flg_region_take(region, n, sizeof(int));
  law->states = flg_region_take(region, n, 1);
  law->contacts = flg_region_take(region, n / 3 + 1, sizeof *law->contacts);
  lay_out_row_arrays(law, region);
}

flg_status flg_contact_law_build(flg_contact_law **law, int row_capacity,
                                 const flg_contact_law_options *options, flg_region *region,
                                 flg_error *error) {
  if (!is_sound(row_capacity, options)) {
    return flg_fail(error, FLG_ERR_RANGE,
                    "A law for contacts with %d rows, a correction of %g and a slop of %g of %g m "
                    "is out of range.",
                    row_capacity, options->correction, options->slop, options->length);
  }
  flg_contact_law *made = flg_region_take(region, 1, sizeof *made);
  if (made == NULL) return flg_region_check(region, "contacts", error);
  made->options = *options, made->capacity = row_capacity;
  law_lay_out(made, region);
  const flg_complementarity_options few = for_few(options), many = for_many(options);
  flg_status status = flg_complementarity_build(&made->solver, row_capacity, &few, region, error);
  if (status == FLG_OK) {
    status = flg_complementarity_build(&made->iterative, row_capacity, &many, region, error);
  }
  if (status == FLG_OK) *law = made;
  return status;
}

bool flg_touch_slides_along(const double *free, int row) {
  static const double HARDLY = 1e-8; /* what rows that repeat others leave is a hundredth of it */
  const double most = flg_larger(flg_larger(fabs(free[0]), fabs(free[1])), fabs(free[2]));
  return fabs(free[row]) > HARDLY * most;
}

/* --- step ------------------------------------------------------------------------------------ */

/* contacts with friction, as the solver has them */
static int list_contacts(flg_contact_law *law, const flg_touch_problem *problem) {
  int count = 0;
  for (int k = 0; k < problem->touch_count; k++) {
    const flg_touch *touch = &problem->touches[k];
    if (touch->rows < 3) continue;
    law->contacts[count++] =
        (flg_friction_contact){touch->row, {touch->row + 1, touch->row + 2}, touch->friction};
  }
  return count;
}

static flg_status rub_with(flg_contact_law *law, flg_complementarity *solver,
                           const flg_complementarity_matrix *matrix, int contact_count,
                           unsigned char *states, flg_complementarity_statistics *statistics) {
  if (law->options.friction == FLG_FRICTION_BOX) {
    return flg_complementarity_box(solver, matrix, law->q, contact_count, law->contacts, states,
                                   law->z, law->w, statistics);
  }
  return flg_complementarity_cone(solver, matrix, law->q, contact_count, law->contacts, states,
                                  law->z, law->w, statistics);
}

bool flg_contact_law_is_near(const flg_contact_law *law, flg_status status,
                             const flg_complementarity_statistics *statistics) {
  const bool iterated = statistics->method == FLG_METHOD_ITERATIVE;
  const double enough = iterated ? for_many(&law->options).enough : for_few(&law->options).enough;
  return status == FLG_OK || (status == FLG_ERR_DIVERGED && statistics->residual <= enough);
}

flg_complementarity *flg_contact_law_solver(const flg_contact_law *law, int rows) {
  return rows <= law->options.solver.direct_limit ? law->solver : law->iterative;
}

/* Friction of the first contacts in law->contacts, as the options have it: law->q to z, w. */
static flg_status law_rub(flg_contact_law *law, const flg_complementarity_matrix *matrix,
                          int contact_count, unsigned char *states,
                          flg_complementarity_statistics *statistics) {
  flg_complementarity_statistics round = {.residual = HUGE_VAL};
  flg_status status = FLG_ERR_DIVERGED;
  int iterations = 0;
  if (matrix->n <= FLG_CONTACT_MANY || matrix->brief) {
    status = rub_with(law, law->solver, matrix, contact_count, states, &round);
    iterations = round.iterations;
  }
  const bool caught = matrix->brief || (law->options.hurries && round.residual <= CAUGHT);
  if (status == FLG_ERR_DIVERGED && !caught) {
    status = rub_with(law, law->iterative, matrix, contact_count, states, &round);
    iterations += round.iterations;
  }
  round.iterations = iterations;
  if (statistics != NULL) *statistics = round;
  return status;
}

flg_status flg_contact_law_answer(flg_contact_law *law, const flg_complementarity_matrix *matrix,
                                  int contact_count, unsigned char *states,
                                  flg_complementarity_statistics *statistics) {
  if (contact_count > 0) return law_rub(law, matrix, contact_count, states, statistics);
  return flg_complementarity_linear(flg_contact_law_solver(law, matrix->n), matrix, law->q, states,
                                    law->z, law->w, statistics);
}

/* Impulses that are not quite solved may do work on what they end with. All of them times one
 * number are as good, and do none: z (W z + q) = 0. Cones stay cones. */
static void take_back_work(flg_contact_law *law, int n) {
  double work = 0, push = 0;
  for (int i = 0; i < n; i++) work += law->z[i] * law->w[i], push += law->z[i] * law->q[i];
  if (!(work > 0) || !(push < 0)) return;
  const double part = push / (push - work); /* z W z = work - push */
  for (int i = 0; i < n; i++) {
    law->w[i] = law->q[i] + part * (law->w[i] - law->q[i]);
    law->z[i] *= part;
  }
}

/* The fastest row before the step, and of the step, with what it would be without contacts: what
 * speeds that are left over are measured by. A light body under a heavy one counts as much as that.
 */
typedef struct pace {
  double before, all;
} pace;

static double least_slop(const flg_contact_law *law, const flg_touch_problem *problem) {
  double least = HUGE_VAL;
  for (int k = 0; k < problem->touch_count; k++)
    least = flg_smaller(least, flg_touch_slop(law, &problem->touches[k]));
  return problem->touch_count > 0 ? least : 0;
}

/* Speeds of bodies at rest are rounding: less than a tenth of the slop in a step is no speed. */
static pace pace_of(const flg_contact_law *law, const flg_touch_problem *problem) {
  pace most = {0, problem->h > 0 ? CREEP * least_slop(law, problem) / problem->h : 0};
  for (int i = 0; i < problem->row_count; i++) {
    most.before = flg_larger(most.before, fabs(problem->before[i]));
    most.all = flg_larger(most.all, fabs(problem->free[i]));
  }
  most.all = flg_larger(most.all, most.before);
  return most;
}

/* Interior points take long where there are many freedoms, as in heaps. */
enum { HURRIED_INTERIOR = 72 };

static bool has_interior(const flg_contact_law *law, const flg_touch_problem *problem) {
  const bool rubs = problem->row_count > problem->touch_count;
  const bool is_box = rubs && law->options.friction == FLG_FRICTION_BOX;
  const int limit = law->options.solver.direct_limit;
  const int most = law->options.hurries && limit > HURRIED_INTERIOR ? HURRIED_INTERIOR : limit;
  return !is_box && problem->row_count <= most;
}

/* Of speeds before: what may be left. Pieces of heaps are iterated as heaps are. */
static double enough_of(const flg_contact_law *law, const flg_touch_problem *problem,
                        bool iterated) {
  const double enough = iterated ? for_many(&law->options).enough : for_few(&law->options).enough;
  return problem->moves_on ? fmax(enough, FLG_CONTACT_MOVING) : enough;
}

/* Iterations that cannot be followed by anything better may leave more; and so may rounding, where
 * masses are very far apart. */
static double most_left(const flg_contact_law *law, const flg_touch_problem *problem, pace speed,
                        bool iterated) {
  const double enough = enough_of(law, problem, iterated);
  const double moving = has_interior(law, problem) ? speed.before : speed.all;
  const double least = law->options.hurries ? NEARLY_EXACT : EXACT;
  return fmax(enough * moving, least * speed.all);
}

static bool is_exact(const flg_contact_law *law, const flg_touch_problem *problem, pace speed,
                     const flg_complementarity_statistics *statistics) {
  const bool iterated = statistics->method == FLG_METHOD_ITERATIVE;
  const double most = most_left(law, problem, speed, iterated);
  return statistics->excess <= most && statistics->speed <= fmax(most, ROUNDED * speed.all);
}

/* Solves the problem from law->z, or from anywhere. */
typedef flg_status second_method(flg_contact_law *law, const flg_complementarity_matrix *matrix,
                                 int contact_count, flg_complementarity_statistics *statistics);

/* From where iterations ended: they come near, and Newton steps have the digits. */
static flg_status by_newton(flg_contact_law *law, const flg_complementarity_matrix *matrix,
                            int contact_count, flg_complementarity_statistics *statistics) {
  flg_complementarity_matrix from_here = *matrix;
  from_here.brief = true;
  return rub_with(law, law->solver, &from_here, contact_count, law->states, statistics);
}

/* Interior points are slower, and take bad scales better. */
static flg_status by_interior(flg_contact_law *law, const flg_complementarity_matrix *matrix,
                              int contact_count, flg_complementarity_statistics *statistics) {
  return flg_complementarity_interior(law->solver, matrix, law->q, contact_count, law->contacts,
                                      law->states, law->z, law->w, statistics);
}

/* By another method; the better answer stays. */
static void solve_by_second(flg_contact_law *law, const flg_touch_problem *problem,
                            second_method *method, const flg_complementarity_matrix *matrix,
                            int contact_count, flg_complementarity_statistics *statistics) {
  const size_t bytes = (size_t)problem->row_count * sizeof(double);
  const size_t rows = (size_t)problem->row_count;
  flg_complementarity_statistics found = {.speed = HUGE_VAL, .excess = HUGE_VAL};
  memcpy(law->kept_z, law->z, bytes), memcpy(law->kept_w, law->w, bytes);
  memcpy(law->states, problem->states, rows);
  const flg_status status = method(law, matrix, contact_count, &found);
  const int iterations = statistics->iterations;
  if (status != FLG_ERR_RANGE && found.excess < statistics->excess) {
    *statistics = found;
    memcpy(problem->states, law->states, rows);
  } else {
    memcpy(law->z, law->kept_z, bytes), memcpy(law->w, law->kept_w, bytes);
  }
  statistics->iterations = iterations + (status == FLG_ERR_RANGE ? 0 : found.iterations);
}

/* Where there are many answers, the even one takes the place of the first. */
static void share_evenly(flg_contact_law *law, const flg_touch_problem *problem, bool is_brief,
                         int contact_count, flg_complementarity_statistics *statistics) {
  const int n = problem->row_count;
  const size_t bytes = (size_t)n * sizeof(double);
  flg_complementarity_statistics found = {.speed = HUGE_VAL, .excess = HUGE_VAL};
  memcpy(law->first_z, law->z, bytes), memcpy(law->first_w, law->w, bytes);
  memcpy(law->states, problem->states, (size_t)n);
  for (int i = 0; i < n; i++) law->rows[i] = i;
  flg_complementarity_matrix part = flg_touch_part(law, problem, n, false);
  part.brief = is_brief;
  if (!flg_contact_even(law, problem, &part, contact_count, &found)) {
    memcpy(law->z, law->first_z, bytes), memcpy(law->w, law->first_w, bytes);
    return;
  }
  memcpy(problem->states, law->states, (size_t)n);
  memcpy(law->w, law->q, bytes);
  flg_touch_apply(law, problem, law->z, law->w);
  found.iterations += statistics->iterations;
  *statistics = found;
}

/* Solves what iterations and Newton steps have not solved. */
static void solve_the_rest(flg_contact_law *law, const flg_touch_problem *problem,
                           flg_complementarity_matrix *matrix, pace speed, int contact_count,
                           flg_complementarity_statistics *statistics) {
  if (!has_interior(law, problem) || is_exact(law, problem, speed, statistics)) return;
  matrix->left = most_left(law, problem, speed, false), matrix->brief = problem->in_heap;
  if (contact_count > 0 && problem->row_count > FLG_CONTACT_MANY && problem->admittance != NULL) {
    solve_by_second(law, problem, by_newton, matrix, contact_count, statistics);
    if (!is_exact(law, problem, speed, statistics))
      share_evenly(law, problem, true, contact_count, statistics);
  }
  if (!is_exact(law, problem, speed, statistics))
    solve_by_second(law, problem, by_interior, matrix, contact_count, statistics);
}

/* Of a box that slides on its face: it does not turn aside, however fast it is, and all digits are
 * found. */
enum { FEW_ROWS = 12 };
/* Of the fastest row: springs under the contacts that yield by no more are as good as none. What
 * moves on has the speed that iterations may leave. */
static const double SOFTLY = 1e-7;

static bool is_even_enough(flg_contact_law *law, const flg_touch_problem *problem,
                           const flg_complementarity_matrix *matrix, int contact_count,
                           double yielded, flg_complementarity_statistics *found) {
  double fastest = 0;
  for (int i = 0; i < matrix->n; i++) fastest = flg_larger(fastest, fabs(law->q[i]));
  const double most = problem->moves_on ? matrix->left : SOFTLY * fastest;
  if (!(yielded <= most)) return false;
  const flg_status status =
      flg_complementarity_judge(law->solver, matrix, law->q, contact_count, law->contacts,
                                law->states, law->z, law->w, found);
  return status != FLG_ERR_RANGE && found->excess <= most;
}

/* Springs under the contacts, ever stiffer, and Newton steps where these leave something: of many
 * answers one that does not know the past. */
static bool find_evenly(flg_contact_law *law, const flg_touch_problem *problem,
                        const flg_complementarity_matrix *matrix, int contact_count,
                        flg_complementarity_statistics *statistics) {
  const int n = problem->row_count;
  const size_t bytes = (size_t)n * sizeof(double);
  flg_complementarity_statistics found = {0};
  memcpy(law->first_z, law->z, bytes), memcpy(law->first_w, law->w, bytes);
  memset(law->states, FLG_ROW_UPPER, (size_t)n); /* known, and not stuck */
  const double yielded = flg_contact_start_evenly(law, problem, contact_count, matrix->left);
  const bool is_small = problem->row_count <= FEW_ROWS;
  const bool is_found =
      yielded >= 0 &&
      ((!is_small && is_even_enough(law, problem, matrix, contact_count, yielded, &found)) ||
       (matrix->dense != NULL &&
        rub_with(law, law->solver, matrix, contact_count, law->states, &found) == FLG_OK));
  statistics->iterations += found.iterations;
  if (!is_found) {
    memcpy(law->z, law->first_z, bytes), memcpy(law->w, law->first_w, bytes);
    return false;
  }
  memcpy(problem->states, law->states, (size_t)n);
  found.iterations = statistics->iterations;
  *statistics = found;
  return true;
}

static bool has_cones(const flg_contact_law *law, int contact_count) {
  return contact_count > 0 && law->options.friction == FLG_FRICTION_CONE;
}

/* A few contacts of a heap of many bodies. */
static bool is_piece(const flg_contact_law *law, const flg_touch_problem *problem,
                     int contact_count) {
  return problem->in_heap && has_cones(law, contact_count) && problem->admittance != NULL &&
         problem->sparse != NULL && problem->row_count <= FLG_CONTACT_MANY;
}

/* Contacts at rest keep the impulses of the last step, which were shared then. */
static bool is_last(const flg_contact_law *law, const flg_touch_problem *problem) {
  double change = 0, size = 0;
  for (int i = 0; i < problem->row_count; i++) {
    change = flg_larger(change, fabs(law->z[i] - problem->impulses[i]));
    size = flg_larger(size, fabs(law->z[i]));
  }
  return change <= THE_SAME * size;
}

/* Bodies that move have other impulses than in the last step: the springs of soft cones find them
 * soonest. Where Newton steps are caught, it iterates. */
static flg_status solve_piece(flg_contact_law *law, const flg_touch_problem *problem,
                              flg_complementarity_matrix *matrix, int contact_count,
                              flg_complementarity_statistics *statistics) {
  matrix->brief = true, statistics->iterations = 0;
  const bool by_springs = problem->moves_on && problem->row_count > FEW_ROWS;
  if (by_springs && find_evenly(law, problem, matrix, contact_count, statistics)) return FLG_OK;
  flg_status status =
      rub_with(law, law->solver, matrix, contact_count, problem->states, statistics);
  if (status != FLG_OK && status != FLG_ERR_DIVERGED) return status;
  if (status == FLG_OK &&
      (is_last(law, problem) || !flg_contact_is_shared(law, problem, statistics)))
    return status;
  if (!by_springs && find_evenly(law, problem, matrix, contact_count, statistics)) return FLG_OK;
  const bool has_time = !problem->moves_on || problem->row_count <= FEW_ROWS;
  if (status == FLG_OK && has_time) share_evenly(law, problem, true, contact_count, statistics);
  if (status == FLG_OK) return status;
  const int iterations = statistics->iterations;
  matrix->brief = false;
  status = problem->moves_on
               ? rub_with(law, law->iterative, matrix, contact_count, problem->states, statistics)
               : law_rub(law, matrix, contact_count, problem->states, statistics);
  statistics->iterations += iterations;
  return status;
}

/* More contacts of a heap, of bodies that have fewer freedoms than rows. While they move, those
 * that interior points would be taken for. */
enum { MOVING_FREEDOMS = 48 };

static bool is_wide_piece(const flg_contact_law *law, const flg_touch_problem *problem,
                          int contact_count) {
  const int most = problem->moves_on ? HURRIED_INTERIOR : FLG_SOFT_MOST;
  const int freedoms = problem->moves_on ? MOVING_FREEDOMS : FLG_SOFT_FREEDOMS;
  return problem->in_heap && has_cones(law, contact_count) && problem->admittance == NULL &&
         problem->row_count <= most && 6 * problem->sparse->body_count <= freedoms;
}

/* A few sweeps, and springs where they do not do. */
static flg_status solve_wide_piece(flg_contact_law *law, const flg_touch_problem *problem,
                                   flg_complementarity_matrix *matrix, pace speed,
                                   int contact_count, flg_complementarity_statistics *statistics) {
  const double most = problem->moves_on ? matrix->left : NEARLY_EXACT * speed.all;
  matrix->brief = true;
  flg_status status =
      rub_with(law, law->iterative, matrix, contact_count, problem->states, statistics);
  if (status != FLG_ERR_DIVERGED || statistics->excess <= most) return status;
  if (find_evenly(law, problem, matrix, contact_count, statistics)) return FLG_OK;
  const int iterations = statistics->iterations;
  matrix->brief = false;
  status = rub_with(law, law->iterative, matrix, contact_count, problem->states, statistics);
  statistics->iterations += iterations;
  return status;
}

/* Whatever the methods say: an answer is solved if no row moves that should not. The residual is
 * from here on the largest such speed by the fastest. */
static flg_status law_judge(const flg_contact_law *law, const flg_touch_problem *problem,
                            pace speed, flg_status status,
                            flg_complementarity_statistics *statistics) {
  if (status != FLG_OK && status != FLG_ERR_DIVERGED) return status;
  const double residual = statistics->speed > 0 ? statistics->speed / speed.all : 0;
  statistics->residual = residual == residual ? residual : HUGE_VAL;
  return is_exact(law, problem, speed, statistics) ? FLG_OK : FLG_ERR_DIVERGED;
}

static flg_status solve_forces(flg_contact_law *law, const flg_touch_problem *problem, pace speed,
                               flg_complementarity_statistics *statistics) {
  flg_complementarity_matrix matrix = flg_touch_all(problem);
  const int count = list_contacts(law, problem), n = problem->row_count;
  matrix.left = enough_of(law, problem, true) * speed.before;
  const bool in_pieces = is_piece(law, problem, count);
  flg_status status = FLG_OK;
  if (in_pieces) {
    status = solve_piece(law, problem, &matrix, count, statistics);
  } else if (is_wide_piece(law, problem, count)) {
    status = solve_wide_piece(law, problem, &matrix, speed, count, statistics);
  } else {
    status = flg_contact_law_answer(law, &matrix, count, problem->states, statistics);
  }
  const bool has_answer = status == FLG_OK || status == FLG_ERR_DIVERGED;
  if (has_answer) solve_the_rest(law, problem, &matrix, speed, count, statistics);
  const bool may_share = status == FLG_OK && !problem->stays && !in_pieces;
  if (may_share && flg_contact_is_shared(law, problem, statistics))
    share_evenly(law, problem, problem->in_heap, count, statistics);
  const flg_status judged = law_judge(law, problem, speed, status, statistics);
  if (statistics->speed > law->options.solver.tolerance * speed.all) take_back_work(law, n);
  return judged;
}

/* The gap of a touch, less what hits use up before they act. */
static double gap_left(const flg_contact_law *law, const flg_touch *touch, bool hit) {
  if (!hit) return touch->gap;
  const bool is_open = flg_touch_is_open(law, touch, touch->gap);
  return (is_open ? touch->gap : fmin(touch->gap, 0)) - law->lags[touch->row];
}

/* A gap that is rounding is none, and where one point of two shapes has landed, neither is one that
 * an edge may lean by: else rounding of its tilt would say which points carry. */
static bool has_landed(const flg_contact_law *law, const flg_touch_problem *problem, int k,
                       bool hit) {
  const flg_touch *touch = &problem->touches[k];
  const double slop = flg_touch_slop(law, touch), gap = gap_left(law, touch, hit);
  if (gap <= LANDED * slop) return true;
  if (touch->pair == 0 || gap > LEANT * slop) return false;
  int j = k;
  while (j > 0 && problem->touches[j - 1].pair == touch->pair) j--;
  for (; j < problem->touch_count && problem->touches[j].pair == touch->pair; j++) {
    if (gap_left(law, &problem->touches[j], hit) <= LANDED * slop) return true;
  }
  return false;
}

/* The speed with which a touch may approach: its gap. Hits late in the step open it until they act,
 * unless it would have closed by then. */
static double law_room_of(const flg_contact_law *law, const flg_touch_problem *problem, int k,
                          bool hit) {
  const flg_touch *touch = &problem->touches[k];
  const double left = gap_left(law, touch, hit);
  if (!hit) return left > 0 && !has_landed(law, problem, k, hit) ? left / problem->h : 0;
  const double gap = has_landed(law, problem, k, hit) ? fmin(left, 0) : left;
  /* what was hit itself leaves at first, and may come back */
  const bool was_hit = law->hits[touch->row] > 0;
  const bool is_open = flg_touch_is_open(law, touch, touch->gap);
  const double approach = is_open || was_hit ? 0 : fmin(problem->before[touch->row], 0);
  return fmax(0, gap / problem->h + approach);
}

/* Where joints carry all weight, all rows of an island have rounding for speeds, of either sign: it
 * must not call for impulses along rows that nothing resists. */
static bool all_stand(const flg_contact_law *law, const flg_touch_problem *problem) {
  double most = 0;
  if (!(problem->h > 0)) return false;
  for (int i = 0; i < problem->row_count; i++) most = flg_larger(most, fabs(law->q[i]));
  return most < FLG_TOUCH_STANDS * least_slop(law, problem) / problem->h;
}

/* Velocities at the end without forces of contacts; open ones may close until then. */
static void load_forces(flg_contact_law *law, const flg_touch_problem *problem, bool hit) {
  const int n = problem->row_count;
  memcpy(law->q, problem->free, (size_t)n * sizeof(double));
  memcpy(law->z, problem->impulses, (size_t)n * sizeof(double));
  for (int i = 0; i < n && hit; i++) law->q[i] += law->speeds[i] - problem->before[i];
  for (int k = 0; k < problem->touch_count; k++)
    law->q[problem->touches[k].row] += law_room_of(law, problem, k, hit);
  const bool stand = all_stand(law, problem);
  for (int i = 0; i < n; i++) law->q[i] = stand || fabs(law->q[i]) < STANDS ? 0 : law->q[i];
}

/* --- impulses that are known -------------------------------------------------------------------
 */

static flg_complementarity_statistics as_known(double left, double fastest) {
  return (flg_complementarity_statistics){.outcome = FLG_OUTCOME_SOLVED,
                                          .method = FLG_METHOD_SMALL,
                                          .iterations = 1,
                                          .residual = left > 0 ? left / fastest : 0,
                                          .speed = left,
                                          .excess = left};
}

/* True if a touch stands, and law->z holds it so clearly that rounding changes nothing; or is open,
 * and leaves as clearly. */
static bool is_touch_clear(const flg_contact_law *law, const flg_touch_problem *problem,
                           const flg_touch *touch, double fastest) {
  const int n = touch->row, s = n + 1, t = n + 2;
  const double *z = law->z;
  if (problem->states[n] == FLG_ROW_LOWER) return z[n] == 0 && law->w[n] > CLEARLY * fastest;
  if (!(z[n] > 0) || problem->states[n] != FLG_ROW_ACTIVE) return false;
  if (touch->rows < 3) return true;
  const bool sticks = problem->states[s] == FLG_ROW_ACTIVE && problem->states[t] == FLG_ROW_ACTIVE;
  const double bound = (1 - CLEARLY) * touch->friction * z[n];
  return sticks && z[s] * z[s] + z[t] * z[t] < bound * bound;
}

/* Under law->z no row of a touch that stands changes its speed, nor has added one up; the fastest
 * is noted. */
static bool is_steady(const flg_contact_law *law, const flg_touch_problem *problem,
                      const flg_touch *touch, double fastest, double *left) {
  if (law->z[touch->row] == 0) return true;
  for (int i = touch->row; i < touch->row + touch->rows; i++) {
    *left = flg_larger(*left, fabs(law->w[i]));
    if (!(fabs(law->w[i] - problem->before[i]) <= STEADY * fastest)) return false;
  }
  return *left <= STANDING * fastest;
}

/* Bodies at rest under constant loads keep their impulses, to rounding: nothing is solved. They
 * were shared evenly when they were found, and so they still are. */
static bool go_on_with_loads(flg_contact_law *law, const flg_touch_problem *problem, double fastest,
                             flg_complementarity_statistics *statistics) {
  const int n = problem->row_count;
  double left = 0;
  if (problem->admittance == NULL || n == 0 || n > FLG_CONTACT_MANY) return false;
  for (int k = 0; k < problem->touch_count; k++) {
    if ((problem->states[problem->touches[k].row] & FLG_ROW_POSITION) == FLG_ROW_NEW) return false;
  }
  memcpy(law->w, law->q, (size_t)n * sizeof(double));
  flg_touch_apply(law, problem, law->z, law->w);
  for (int k = 0; k < problem->touch_count; k++) {
    const flg_touch *touch = &problem->touches[k];
    if (!is_touch_clear(law, problem, touch, fastest)) return false;
    if (!is_steady(law, problem, touch, fastest, &left)) return false;
  }
  *statistics = as_known(left, fastest);
  return true;
}

/* --- hits, then forces -------------------------------------------------------------------------
 */

/* True if forces push besides the hits, more than rounding does. */
static bool pushes(const flg_contact_law *law, const flg_touch_problem *problem) {
  double hit = 0, push = 0;
  for (int k = 0; k < problem->touch_count; k++) {
    hit = flg_larger(hit, law->hits[problem->touches[k].row]);
    push = flg_larger(push, law->z[problem->touches[k].row]);
  }
  return push > ROUNDED_PUSH * hit;
}

/* Hits, then forces. What energy the step loses can be taken back by hits or by forces: once. */
static flg_status hit_and_push(flg_contact_law *law, const flg_touch_problem *problem,
                               flg_contact_law_report *report) {
  const pace speed = pace_of(law, problem);
  flg_contact_hit(law, problem, true, report);
  load_forces(law, problem, report->reflections > 0);
  if (report->reflections == 0 && go_on_with_loads(law, problem, speed.all, &report->statistics))
    return FLG_OK;
  flg_status status = solve_forces(law, problem, speed, &report->statistics);
  if (!law->was_generous || status == FLG_ERR_RANGE || !pushes(law, problem)) return status;
  flg_contact_hit(law, problem, false, report);
  load_forces(law, problem, report->reflections > 0);
  return solve_forces(law, problem, speed, &report->statistics);
}

/* True if friction is against the mean of the velocities before and after a kick. Where that is not
 * solved, the answer without it is found again. */
static bool push_and_turn(flg_contact_law *law, const flg_touch_problem *problem,
                          flg_contact_law_report *report) {
  const bool may =
      problem->is_kick && report->reflections == 0 && law->options.friction == FLG_FRICTION_CONE;
  if (!may || !flg_contact_lean(law, problem)) return false;
  const pace speed = pace_of(law, problem);
  const flg_status status = solve_forces(law, problem, speed, &report->statistics);
  if (status == FLG_OK && flg_contact_slides_on(law, problem)) return true;
  load_forces(law, problem, false);
  (void)solve_forces(law, problem, speed, &report->statistics);
  return false;
}

/* w+ = f + W L: what the solver has, where it has nothing added to it. */
static void find_after_impulses(flg_contact_law *law, const flg_touch_problem *problem, bool hit) {
  const size_t bytes = (size_t)problem->row_count * sizeof(double);
  bool same = !hit;
  for (int k = 0; k < problem->touch_count && same; k++) same = !(problem->touches[k].gap > 0);
  memcpy(problem->after, same ? law->w : problem->free, bytes);
  if (!same) flg_touch_apply(law, problem, problem->impulses, problem->after);
}

flg_status flg_contact_law_solve(flg_contact_law *law, const flg_touch_problem *problem,
                                 flg_contact_law_report *report) {
  *report = (flg_contact_law_report){.hits = 0};
  if (problem->row_count < 0 || problem->row_count > law->capacity) return FLG_ERR_RANGE;
  const flg_status status = hit_and_push(law, problem, report);
  report->is_near = status == FLG_OK;
  if (status == FLG_ERR_RANGE) return status;
  const bool turns = status == FLG_OK && push_and_turn(law, problem, report);
  report->moves = report->reflections > 0;
  memcpy(problem->impulses, law->z, (size_t)problem->row_count * sizeof(double));
  for (int i = 0; i < problem->row_count && report->reflections > 0; i++)
    problem->impulses[i] += law->hits[i];
  for (int i = 0; i < problem->row_count && problem->hits != NULL; i++)
    problem->hits[i] = report->reflections > 0 ? law->hits[i] : 0;
  if (problem->after == NULL) return status;
  find_after_impulses(law, problem, turns || report->reflections > 0);
  return status;
}

/* How fast a row moves that should not, under an impulse that others have found. */
static double speed_left(const flg_contact_law *law, const flg_touch_problem *problem, int k) {
  const int row = problem->touches[k].row;
  const double impulse = problem->impulses[row];
  const double speed = problem->after[row] + law_room_of(law, problem, k, false);
  if (impulse > 0) return fabs(speed);
  return impulse == 0 ? -speed : HUGE_VAL;
}

bool flg_contact_law_accepts(const flg_contact_law *law, const flg_touch_problem *problem,
                             flg_contact_law_report *report) {
  double left = 0;
  if (problem->row_count > problem->touch_count) return false;
  for (int k = 0; k < problem->touch_count; k++) {
    if (problem->touches[k].restitution > 0) return false;
    left = flg_larger(left, speed_left(law, problem, k));
  }
  const double most = pace_of(law, problem).all;
  if (!(left <= AGREED * most)) return false;
  *report = (flg_contact_law_report){.is_near = true};
  report->statistics = as_known(left, most);
  return true;
}
