#include "subsystem/contact_law_inner.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"

static const double CORRECTION = 0.2, SLOP = 1e-10;

flg_contact_law_options flg_contact_law_default(void) {
  return (flg_contact_law_options){.friction = FLG_FRICTION_CONE,
                                   .correction = CORRECTION,
                                   .slop = SLOP,
                                   .solver = flg_complementarity_default()};
}

/* --- set-up ---------------------------------------------------------------------------------- */

static bool is_sound(int capacity, const flg_contact_law_options *options) {
  return capacity >= 0 && capacity <= FLG_COMPLEMENTARITY_MAX && options->correction >= 0 &&
         options->correction <= 1 && options->slop >= 0 && isfinite(options->slop) &&
         (options->friction == FLG_FRICTION_CONE || options->friction == FLG_FRICTION_BOX);
}

size_t flg_contact_law_bytes(int row_capacity, const flg_contact_law_options *options) {
  if (!is_sound(row_capacity, options)) return 0;
  const size_t n = (size_t)row_capacity;
  const size_t solver = flg_complementarity_bytes(row_capacity, &options->solver);
  if (solver == 0) return 0;
  return solver + flg_arena_bytes(1, sizeof(flg_contact_law)) +
         3 * flg_arena_bytes(n, sizeof(double)) + flg_arena_bytes(n * n, sizeof(double)) +
         flg_arena_bytes(n, sizeof(int)) + flg_arena_bytes(n, 1) +
         flg_arena_bytes(n / 3 + 1, sizeof(flg_friction_contact));
}

static flg_contact_law *lay_out(int row_capacity, flg_arena *arena) {
  const size_t n = (size_t)row_capacity;
  flg_contact_law *law = flg_arena_take(arena, 1, sizeof *law);
  law->capacity = row_capacity;
  law->q = flg_arena_take(arena, n, sizeof(double));
  law->z = flg_arena_take(arena, n, sizeof(double));
  law->w = flg_arena_take(arena, n, sizeof(double));
  law->part = flg_arena_take(arena, n * n, sizeof(double));
  law->rows = flg_arena_take(arena, n, sizeof(int));
  law->states = flg_arena_take(arena, n, 1);
  law->contacts = flg_arena_take(arena, n / 3 + 1, sizeof *law->contacts);
  return law;
}

flg_status flg_contact_law_build(flg_contact_law **law, int row_capacity,
                                 const flg_contact_law_options *options, flg_arena *arena,
                                 flg_error *error) {
  const size_t bytes = flg_contact_law_bytes(row_capacity, options), used = arena->used;
  if (bytes == 0) {
    return flg_fail(error, FLG_ERR_RANGE,
                    "A law for contacts with %d rows, a correction of %g and a slop of %g m is out "
                    "of range.",
                    row_capacity, options->correction, options->slop);
  }
  if (flg_arena_left(arena) < bytes)
    return flg_fail(error, FLG_ERR_MEMORY, "Contacts with %d rows need %zu bytes.", row_capacity,
                    bytes);
  flg_contact_law *made = lay_out(row_capacity, arena);
  made->options = *options;
  const flg_status status =
      flg_complementarity_build(&made->solver, row_capacity, &options->solver, arena, error);
  if (status != FLG_OK) {
    flg_arena_rewind(arena, used);
    return status;
  }
  *law = made;
  return FLG_OK;
}

/* --- step ------------------------------------------------------------------------------------ */

void flg_touch_apply(const flg_touch_problem *problem, const double *x, double *y) {
  const int n = problem->row_count;
  for (int j = 0; j < n; j++) {
    if (x[j] == 0) continue;
    flg_dense_apply(n, 1, 1, problem->admittance + (size_t)j * (size_t)n, n, &x[j], y);
  }
}

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

static flg_status solve_forces(flg_contact_law *law, const flg_touch_problem *problem,
                               flg_complementarity_statistics *statistics) {
  const flg_complementarity_matrix matrix = {
      .n = problem->row_count, .dense = problem->admittance, .leading = problem->row_count};
  const int count = list_contacts(law, problem);
  if (count == 0) {
    return flg_complementarity_linear(law->solver, &matrix, law->q, problem->states, law->z, law->w,
                                      statistics);
  }
  return (law->options.friction == FLG_FRICTION_BOX ? flg_complementarity_box
                                                    : flg_complementarity_cone)(
      law->solver, &matrix, law->q, NULL, NULL, count, law->contacts, problem->states, law->z,
      law->w, statistics);
}

/* Forces over the step: contacts that are open at its start may close until its end. */
static flg_status push(flg_contact_law *law, const flg_touch_problem *problem,
                       flg_contact_law_report *report) {
  const size_t bytes = (size_t)problem->row_count * sizeof(double);
  memcpy(law->q, problem->free, bytes);
  for (int k = 0; k < problem->touch_count; k++) {
    const flg_touch *touch = &problem->touches[k];
    if (touch->gap > 0) law->q[touch->row] += touch->gap / problem->h;
  }
  memcpy(law->z, problem->impulses, bytes);
  const flg_status status = solve_forces(law, problem, &report->statistics);
  if (status == FLG_ERR_RANGE) return status;
  memcpy(problem->impulses, law->z, bytes);
  return status;
}

/* w+ = f + W L */
static void find_after(const flg_touch_problem *problem) {
  memcpy(problem->after, problem->free, (size_t)problem->row_count * sizeof(double));
  flg_touch_apply(problem, problem->impulses, problem->after);
}

flg_status flg_contact_law_solve(flg_contact_law *law, const flg_touch_problem *problem,
                                 flg_contact_law_report *report) {
  *report = (flg_contact_law_report){.hits = 0};
  if (problem->row_count < 0 || problem->row_count > law->capacity) return FLG_ERR_RANGE;
  memset(problem->moves, 0, (size_t)problem->row_count * sizeof(double));
  flg_status status = push(law, problem, report);
  if (status == FLG_ERR_RANGE) return status;
  find_after(problem);
  const flg_status lifted = flg_contact_lift(law, problem, &report->moves);
  return status == FLG_OK ? lifted : status;
}
