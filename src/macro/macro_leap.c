/* Micro steps of subsystems that leap (coupled.h), of order 2 with contacts. A macro step of N:
 *
 *     coast(h/2), kick, coast(h), kick, .. coast(h), kick, coast(h/2)
 *
 * A coast of c has no forces but those of the interfaces; a kick takes no time, and has all forces
 * of h and all contacts, where things are then:
 *
 *     coast   own  w+ = w + c t_own + D L          rest  u+ = u + c t + E K       rows turn by c G'
 * v kick    own  w+ = w + h (r - t_own) + D L    rest  u+ = u + h (s - t) + E K
 *
 * (t: the velocity bias). From kick to kick it is a row of semi-implicit steps: rules of contacts
 * for a step of h hold. The frames of the rest move in coasts, by the mean of their velocities.
 *
 * Recorded are impulses of kicks, and before each but the first those of the coast (as kicks of
 * subsystems that use start rows). Those of the first and the last half are recorded with the
 * first and the last kick: each comes h/4 too late or too early, which cancels.
 */
#include <string.h>

#include "macro/macro_run.h"
#include "math/dense.h"

enum { PORT_ROWS = 6 };

/* to = a + factor b */
static void sum_with_factor(int count, const double *a, double factor, const double *b,
                            double *to) {
  for (int k = 0; k < count; k++) to[k] = a[k] + factor * b[k];
}

static flg_status reduce_for_leap(flg_macro_run *run, double duration, double h,
                                  const double *known, flg_error *error) {
  const flg_subsystem *subsystem = run->subsystem;
  const flg_status status = subsystem->ops->coupled->reduce_coast(subsystem->self, h, run->own);
  if (status != FLG_OK) return flg_fail(error, status, "%s", flg_subsystem_complaint(subsystem));
  const int n = run->own->rows;
  sum_with_factor(n, flg_interface_model_velocity(run->own), duration,
                  flg_interface_model_bias(run->own), run->bias[0]);
  if (known != NULL) {
    flg_dense_apply(n, n, 1, flg_interface_model_admittance(run->own), n, known, run->bias[0]);
  }
  sum_with_factor(run->rest->rows, flg_interface_model_velocity(run->rest), duration,
                  run->velocity_bias[1], run->bias[1]);
  return FLG_OK;
}

/* impulses of interfaces in a coast, and what is known, are added to what is recorded */
static void note_coast(flg_macro_run *run, const double *known, double *to, double *counter) {
  double *now = run->coasted[0];
  for (int k = 0; k < PORT_ROWS * run->port_count; k++) {
    const bool is_joined = k < PORT_ROWS * run->joined_count;
    now[k] = is_joined ? run->forces[0][k] + (known == NULL ? 0 : known[k]) : 0;
    to[k] += now[k], run->sum[k] += now[k];
    run->work[k] += now[k] * flg_interface_model_velocity(run->own)[k];
  }
  for (int k = 0; k < run->rest->rows; k++) {
    counter[k] += run->forces[1][k], run->counter_sum[k] += run->forces[1][k];
  }
}

static void coast_rest(flg_macro_run *run, double duration) {
  const int n = run->rest->rows;
  double *u = flg_interface_model_velocity(run->rest), *mean = run->bias[1];
  memcpy(mean, u, (size_t)n * sizeof *u);
  sum_with_factor(n, u, duration, run->velocity_bias[1], u);
  flg_macro_run_push_rest(run, 0);
  for (int k = 0; k < n; k++) mean[k] = (mean[k] + u[k]) / 2;
  flg_macro_run_move_rest(run, mean, duration, true);
}

static flg_status coast_macro(flg_macro_run *run, double duration, double h, const double *known,
                              double *to, double *counter, flg_error *error) {
  const flg_subsystem *subsystem = run->subsystem;
  flg_status status = reduce_for_leap(run, duration, h, known, error);
  if (status != FLG_OK) return status;
  flg_macro_run_write_rows(run, duration);
  run->is_factored = run->has_rows = false;
  if (run->row_count > 0) status = flg_macro_run_eliminate(run, 0, error);
  if (status != FLG_OK) return status;
  note_coast(run, known, to, counter);
  coast_rest(run, duration);
  status = subsystem->ops->coupled->coast(subsystem->self, duration, h, run->coasted[0]);
  return status == FLG_OK ? FLG_OK : flg_fail(error, status, "its free motion is not finite");
}

/* the same equations as in a step that uses start rows, but nothing moves */
static flg_status kick_leap(flg_macro_run *run, double time, double h, int index,
                            const double *driven, double *to, double *counter, flg_error *error) {
  const flg_subsystem *subsystem = run->subsystem;
  run->uses_start_rows = true;
  flg_status status = flg_macro_run_find_agreed(run, time + h / 2, h, index, driven, to, error);
  run->uses_start_rows = false;
  if (status != FLG_OK) return status;
  flg_macro_run_record(run, driven, to, counter);
  flg_macro_run_push_rest(run, h);
  run->has_rows = false;
  flg_macro_run_expect(run, index);
  status = subsystem->ops->coupled->kick(subsystem->self, time + (index + 0.5) * h, h, to, error);
  flg_macro_run_expect_nothing(run);
  if (status == FLG_OK) flg_touch_account_add(run->account, subsystem, h);
  return status;
}

flg_status flg_macro_run_leap(flg_macro_run *run, double time, double h, int index,
                              flg_macro_drive *drive, void *context, flg_error *error) {
  const size_t n = PORT_ROWS * (size_t)run->port_count, m = (size_t)run->rest->rows;
  double *to = run->record + (size_t)index * n, *before = run->kicks + (size_t)index * n;
  double *counter = run->counter[0] + (size_t)index * m;
  double *counter_before = run->counter[1] + (size_t)index * m;
  const bool is_first = index == 0;
  flg_status status = FLG_OK;
  if (run->contacts != NULL) run->contacts->expected_count = run->contacts->struck_count = 0;
  if (drive != NULL) {
    status = flg_macro_run_take_drive(run, time + index * h, index, drive, context, error);
  }
  if (status != FLG_OK) return status;
  memset(before, 0, n * sizeof *before), memset(counter_before, 0, m * sizeof *counter_before);
  double *first = run->coasted[1], *first_counter = run->coasted[2];
  memset(first, 0, n * sizeof *first), memset(first_counter, 0, m * sizeof *first_counter);
  const double *known = drive != NULL && !is_first ? run->kicked : NULL;
  status = coast_macro(run, is_first ? h / 2 : h, h, known, is_first ? first : before,
                       is_first ? first_counter : counter_before, error);
  if (status != FLG_OK) return status;
  status = kick_leap(run, time, h, index, drive != NULL ? run->driven : NULL, to, counter, error);
  if (status != FLG_OK) return status;
  sum_with_factor((int)n, to, 1, first, to),
      sum_with_factor((int)m, counter, 1, first_counter, counter);
  return index + 1 < run->steps ? FLG_OK : coast_macro(run, h / 2, h, NULL, to, counter, error);
}
