/* Micro steps of subsystems that leap (coupled.h), of order 2 with contacts:
 *
 *     half a step of free motion, a kick, half a step of free motion
 *
 * The kick takes no time, and has all forces of h and all contacts, where things are then:
 *
 *     free motion   own  w' = t_own                     rest  u' = t
 *     kick          own  w+ = w + h (r - t_own) + D L   rest  u+ = u + h (s - t) + E K
 *     rows          G_own (w+ + h/2 t_own) + G_rest (u+ + h/2 t) + h/2 G' v = 0
 *
 * (t: the velocity bias). Interfaces are closed at the end of the step, as they are at its start:
 * what they part by in the first half they come back by in the second. Contacts are closed at the
 * kick: from kick to kick it is a row of semi-implicit steps, and rules of contacts for a step of h
 * hold. Springs of interfaces have the mean of the rates before the kick and after it. The frames
 * of the rest go on in free motion, by the mean of their velocities.
 */
#include <string.h>

#include "macro/macro_run.h"

enum { PORT_ROWS = 6 };

/* rows from first up to last: bias += factor t, of own or rest */
static void lean_rows(flg_macro_run *run, int side, int first, int last, double factor) {
  for (int k = first; k < last; k++) {
    run->bias[side][k] += factor * run->velocity_bias[side][k];
  }
}

void flg_macro_run_lean(flg_macro_run *run, double h) {
  const int joined = PORT_ROWS * run->joined_count, rest = run->rest->rows;
  const int touching = run->contacts == NULL ? 0 : PORT_ROWS * run->contacts->rest_ports;
  lean_rows(run, 0, 0, joined, h / 2);
  lean_rows(run, 1, 0, joined < rest ? joined : rest, h / 2);
  lean_rows(run, 1, joined + touching, rest,
            h / 2); /* anchors of elements that are no ports of ours */
}

/* half a step of the rest without forces */
static void coast_rest_model(flg_macro_run *run, double duration) {
  const int n = run->rest->rows;
  double *u = flg_interface_model_velocity(run->rest), *mean = run->bias[1];
  for (int k = 0; k < n; k++) {
    const double before = u[k];
    u[k] += duration * run->velocity_bias[1][k];
    mean[k] = (before + u[k]) / 2;
  }
  flg_macro_run_move_rest(run, mean, duration, true);
}

flg_status flg_macro_run_leap(flg_macro_run *run, double time, double h, int index,
                              flg_macro_drive *drive, void *context, flg_error *error) {
  const flg_subsystem *subsystem = run->subsystem;
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  double *to = run->record + (size_t)index * PORT_ROWS * (size_t)run->port_count;
  double *counter = run->counter[0] + (size_t)index * (size_t)run->rest->rows;
  const double *driven = drive != NULL ? run->driven : NULL;
  if (run->contacts != NULL) run->contacts->expected_count = run->contacts->struck_count = 0;
  flg_macro_elements_begin(&run->elements, index);
  flg_status status = ops->leap(subsystem->self, time, h, index, error);
  if (status != FLG_OK) return status;
  coast_rest_model(run, h / 2);
  if (drive != NULL) {
    status = flg_macro_run_take_drive(run, time + index * h, index, drive, context, error);
  }
  if (status == FLG_OK) {
    status = flg_macro_run_find_agreed(run, time, h, index, driven, to, error);
  }
  if (status != FLG_OK) return status;
  flg_macro_elements_note(&run->elements, false);
  flg_macro_run_record(run, driven, to, counter);
  flg_macro_run_push_rest(run, h);
  coast_rest_model(run, h / 2);
  flg_macro_run_expect(run, index);
  status = ops->push(subsystem->self, time, h, index, to, error);
  flg_macro_run_expect_nothing(run);
  if (status == FLG_OK) flg_touch_account_add(run->account, subsystem, h);
  return status;
}
