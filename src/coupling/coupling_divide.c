/* Macro steps that are too long for a scheme are taken again in parts.
 *
 * After a macro step the ends of an interface have drifted apart by what models that were frozen
 * missed. That is little against the way which they went together; where it is not, the scheme has
 * lost the interface, whatever is then closed by force: masses that differ by much, rings. Then,
 * and where a step fails, the state before it is restored and the same time is taken in n macro
 * steps of H/n, n up to the number of micro steps. What n = that does not cure is reported as an
 * error.
 *
 * Models are made before a step, and have what sticks and what pushes then as joints. Where a
 * friction breaks away in the step, or a stop lets go, it is taken again from a state in which they
 * are loose: a ring that was locked would have loads without measure. All schemes do this.
 *
 * So it is where interfaces give or take energy (coupling_balance.c), where joints of robots are
 * put past their ends, where several subsystems meet the same stop, and where interfaces stay open
 * that the communication point was to close: rows that repeated others at the start and no longer
 * do, as in a ring whose hinges a beam tilts.
 *
 * Only schemes that bring poses together at each communication point have such a drift.
 */
#include <math.h>
#include <string.h>

#include "coupling/coupling_inner.h"
#include "math/larger.h"

/* Of the way of an end in the macro step, and of the size of the system: drifts that are too
 * large. Those of sound steps are some percent of the way at most, and a thousandth of the size. */
static const double WAY = 0.25, SIZE = 0.01;
static const double TURN = 0.1; /* [rad] the same of turns, besides WAY */
static const double PAST = 0.1; /* of a joint's range: past its end; in sound steps 1e-3 at most */
/* So many times that where a step can be divided no more: what is stopped inside of a subsystem
 * within a step leaves others to go on for the whole of it. */
static const double UNDIVIDED = 8;

/* The error that the communication point may leave at interfaces: relative to the size, as in
 * components that are solved as one (NEARLY_CLOSED of assembly_solve.c); to the error before; and
 * to its square, of which a step of Newton's method leaves up to 1e3 times as much, and rows that
 * are left out 1e5 times and more. */
static const double CLOSED = 1e-9, HARDLY = 0.5, SQUARE = 1e4;

enum { PORT_ROWS = 6, LOOSENINGS = 3 };

static int common_divisor(int a, int b) {
  while (b != 0) {
    const int rest = a % b;
    a = b, b = rest;
  }
  return a;
}

void flg_division_build(flg_coupling *coupling) {
  const flg_coupled_system *system = &coupling->system;
  const size_t n = (size_t)system->subsystem_count, m = (size_t)system->interface_count;
  flg_region *region = &coupling->region;
  flg_division *division = &coupling->division;
  division->is_on =
      coupling->options.scheme->is_divided && coupling->options.pose == FLG_POSE_RESYNCHRONISE;
  division->macro = system->macro;
  division->parts = 1;
  division->steps = flg_region_take(region, n, sizeof *division->steps);
  for (int i = 0; i < 2; i++) {
    division->states[i] = flg_region_take(region, n, sizeof *division->states[i]);
    division->own[i] = flg_region_take(region, (size_t)coupling->state_count, sizeof(double));
  }
  division->speeds = flg_region_take(region, 2 * m, sizeof *division->speeds);
  division->past = flg_region_take(region, n, sizeof *division->past);
  division->blows = flg_region_take(region, n, sizeof *division->blows);
  division->sums = flg_region_take(region, m, sizeof *division->sums);
  if (region->failed) return;
  for (int k = 0; k < system->subsystem_count; k++) {
    const flg_subsystem *subsystem = &system->subsystems[k];
    const size_t count = (size_t)subsystem->ops->state(subsystem->self).count;
    division->steps[k] = system->micro_steps[k];
    division->most = common_divisor(system->micro_steps[k], division->most);
    for (int i = 0; i < 2; i++)
      division->states[i][k] = flg_region_take(region, count, sizeof(double));
  }
}

/* --- the state before --------------------------------------------------------------------------
 */

/* what is kept: the state before a macro step, or before a part of it */
enum { WHOLE, PART };

static void save(flg_coupling *coupling, int kept) {
  const flg_division *division = &coupling->division;
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_subsystem *subsystem = &coupling->system.subsystems[k];
    const flg_subsystem_state state = subsystem->ops->state(subsystem->self);
    memcpy(division->states[kept][k], state.values, (size_t)state.count * sizeof(double));
  }
  memcpy(division->own[kept], coupling->state, (size_t)coupling->state_count * sizeof(double));
}

/* what was counted in vain is forgotten */
static void restore_macro_step(flg_coupling *coupling, int kept, double time) {
  const flg_division *division = &coupling->division;
  memcpy(coupling->state, division->own[kept], (size_t)coupling->state_count * sizeof(double));
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_subsystem *subsystem = &coupling->system.subsystems[k];
    const flg_subsystem_ops *ops = subsystem->ops;
    const flg_subsystem_state state = ops->state(subsystem->self);
    flg_contacts *contacts = ops->contacts == NULL ? NULL : ops->contacts(subsystem->self);
    memcpy(state.values, division->states[kept][k], (size_t)state.count * sizeof(double));
    ops->refresh(subsystem->self, time);
    if (contacts != NULL) flg_contacts_take_totals(contacts);
  }
}

/* what has come loose in the step is so in the state before it; how much that is */
static int loosen_subsystems(flg_coupling *coupling) {
  int count = 0;
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_subsystem *subsystem = &coupling->system.subsystems[k];
    const flg_coupled_ops *ops = subsystem->ops->coupled;
    if (ops->loosen == NULL) continue;
    const double *after = subsystem->ops->state(subsystem->self).values;
    count += ops->loosen(subsystem->self, after, coupling->division.states[PART][k]);
  }
  return count;
}

/* --- drifts ------------------------------------------------------------------------------------
 */

/* the farthest that two interfaces are apart, or the radius of gyration behind one [m]; 0: there is
 * one interface, and nothing turns */
static double divide_size_of(const flg_coupling *coupling) {
  const flg_coupled_system *system = &coupling->system;
  double size = 0;
  flg_vec3 first = {0, 0, 0};
  for (int k = 0; k < system->interface_count && system->interface_count > 1; k++) {
    const flg_moving_frame at = flg_interface_frame(&system->interfaces[k], 0, system->subsystems);
    if (k == 0) first = at.pose.position;
    size = flg_larger(size, flg_vec3_norm(flg_vec3_subtract(at.pose.position, first)));
  }
  for (int k = 0; k < system->subsystem_count; k++) {
    flg_interface_model *model = coupling->reduced[k].model;
    const double *D = flg_interface_model_admittance(model);
    for (int row = 0; row < model->rows; row += PORT_ROWS) {
      double shift = 0, turn = 0;
      for (int i = row; i < row + 3; i++) {
        shift += D[(size_t)i * (size_t)(model->rows + 1)];
        turn += D[(size_t)(i + 3) * (size_t)(model->rows + 1)];
      }
      if (shift > 0 && turn > 0) size = flg_larger(size, sqrt(shift / turn));
    }
  }
  return size;
}

double flg_coupling_length(const flg_coupling *coupling) {
  const flg_coupled_system *system = &coupling->system;
  const double size = divide_size_of(coupling);
  if (size > 0) return size;
  const double away = flg_vec3_norm(
      flg_interface_frame(&system->interfaces[0], 0, system->subsystems).pose.position);
  return away > 0 ? away : 1;
}

/* the speed of the slower end that moves: where the other one is lost, this one is not */
static void find_slower_speed(const flg_coupling *coupling, int index, double speed[2]) {
  const flg_interface *interface = &coupling->system.interfaces[index];
  speed[0] = speed[1] = HUGE_VAL;
  for (int e = 0; e < 2; e++) {
    if (interface->end[e].subsystem < 0) continue;
    const flg_moving_frame at = flg_interface_frame(interface, e, coupling->system.subsystems);
    speed[0] = fmin(speed[0], flg_vec3_norm(at.velocity.linear));
    speed[1] = fmin(speed[1], flg_vec3_norm(at.velocity.angular));
  }
}

static double past_ends_of_subsystem(const flg_coupling *coupling, int subsystem,
                                     const char **joint) {
  const flg_subsystem *of = &coupling->system.subsystems[subsystem];
  const flg_coupled_ops *ops = of->ops->coupled;
  return ops->past_ends == NULL ? 0 : ops->past_ends(of->self, joint);
}

static long blows_in_subsystem(const flg_coupling *coupling, int subsystem) {
  const flg_subsystem *of = &coupling->system.subsystems[subsystem];
  const flg_coupled_ops *ops = of->ops->coupled;
  return ops->blows == NULL ? 0 : ops->blows(of->self);
}

static void note_speeds(flg_coupling *coupling) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    coupling->division.past[k] = past_ends_of_subsystem(coupling, k, NULL);
    coupling->division.blows[k] = blows_in_subsystem(coupling, k);
  }
  for (int k = 0; k < coupling->system.interface_count; k++) {
    if (!flg_interface_has_ends(&coupling->system.interfaces[k])) continue;
    find_slower_speed(coupling, k, coupling->division.speeds + 2 * (size_t)k);
  }
}

static bool is_finest(const flg_coupling *coupling) {
  const flg_division *division = &coupling->division;
  return division->macro / coupling->system.macro > division->most - 0.5;
}

/* the first interface that was lost, or NULL; NaN is lost */
static const flg_interface *find_lost(const flg_coupling *coupling) {
  const double macro = coupling->system.macro, size = divide_size_of(coupling);
  const double part = is_finest(coupling) ? UNDIVIDED : 1;
  const double least = size > 0 ? SIZE * size : CLOSED * flg_coupling_length(coupling);
  for (int k = 0; k < coupling->system.interface_count; k++) {
    const flg_interface *interface = &coupling->system.interfaces[k];
    const flg_interface_report *report = &coupling->reports[k];
    const double *before = coupling->division.speeds + 2 * (size_t)k;
    double after[2];
    if (!flg_interface_has_ends(interface)) continue;
    find_slower_speed(coupling, k, after);
    const double way = macro * fmax(before[0], after[0]), turn = macro * fmax(before[1], after[1]);
    if (!(report->pose_error <= part * fmax(WAY * way, least))) return interface;
    if (!(report->turn_error <= part * fmax(WAY * turn, TURN))) return interface;
  }
  return NULL;
}

/* How far an interface is open, of the size and in radians; and all of them at most. */
static double opening_of(const flg_coupling *coupling, int index, double size) {
  double open[2];
  flg_interface_openings(&coupling->system.interfaces[index], coupling->system.subsystems, open);
  return flg_larger(open[0] / size, open[1]);
}

double flg_coupling_opening(const flg_coupling *coupling) {
  const double size = flg_coupling_length(coupling);
  double most = 0;
  for (int k = 0; k < coupling->system.interface_count; k++) {
    most = flg_larger(most, opening_of(coupling, k, size));
  }
  return most;
}

const char *flg_coupling_widest(const flg_coupling *coupling) {
  const double size = flg_coupling_length(coupling);
  int found = 0;
  for (int k = 1; k < coupling->system.interface_count; k++) {
    if (opening_of(coupling, k, size) > opening_of(coupling, found, size)) found = k;
  }
  return coupling->system.interfaces[found].name;
}

/* Errors from an earlier macro step are not the fault of the parts of this one. */
const flg_interface *flg_coupling_find_open(const flg_coupling *coupling, double *left) {
  const flg_coupled_system *system = &coupling->system;
  const double size = flg_coupling_length(coupling);
  double before = 0;
  for (int k = 0; k < system->interface_count; k++) {
    const flg_interface_report *report = &coupling->reports[k];
    before = flg_larger(before, flg_larger(report->pose_error / size, report->turn_error));
  }
  const double newton = fmin(HARDLY, SQUARE * before) * before;
  const double most = fmax(fmax(CLOSED, newton), coupling->division.open);
  for (int k = 0; k < system->interface_count; k++) {
    *left = opening_of(coupling, k, size);
    if (!(*left <= most)) return &system->interfaces[k];
  }
  return NULL;
}

static flg_status tell_open(const flg_coupling *coupling, const flg_interface *interface,
                            double left, flg_error *error) {
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "Coupling '%s' cannot close interface '%s' after t = %.6g s: %.3g (of the size, "
                  "or rad) is left. Is it out of reach, or part of a loop that locks?",
                  coupling->options.scheme->name, interface->name, coupling->time, left);
}

static flg_status tell_lost(const flg_coupling *coupling, const flg_interface *interface,
                            flg_error *error) {
  const flg_interface_report *report = &coupling->reports[interface - coupling->system.interfaces];
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "Coupling '%s' loses interface '%s' in the macro step from t = %.6g s: its ends "
                  "part by %.3g m and %.3g rad in %.3g s. Try a smaller macro step, or another "
                  "scheme or order.",
                  coupling->options.scheme->name, interface->name, coupling->time,
                  report->pose_error, report->turn_error, coupling->system.macro);
}

static flg_status tell_gain(const flg_coupling *coupling, flg_error *error) {
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "Coupling '%s' gains %.3g J at interfaces in the macro step from t = %.6g s.",
                  coupling->options.scheme->name, coupling->balance.gain, coupling->time);
}

/* The first subsystem that was put past ends of its joints, or -1: what is given back at the
 * communication point turns light links as if nothing stopped them. */
static int find_past(const flg_coupling *coupling) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const double past = past_ends_of_subsystem(coupling, k, NULL);
    if (past > PAST && past > coupling->division.past[k]) return k;
  }
  return -1;
}

static flg_status tell_past(const flg_coupling *coupling, int subsystem, flg_error *error) {
  const char *joint = "";
  const double past = past_ends_of_subsystem(coupling, subsystem, &joint);
  return flg_fail(
      error, FLG_ERR_DIVERGED,
      "Coupling '%s' puts joint '%s' of '%s' past its end, by %.3g of its range, in the "
      "macro step from t = %.6g s (%.3g s). Try a smaller macro step, or another scheme.",
      coupling->options.scheme->name, joint, coupling->system.subsystems[subsystem].name, past,
      coupling->time, coupling->system.macro);
}

/* --- steps -------------------------------------------------------------------------------------
 */

/* True if a macro run has met a stop of an interface in the macro step. */
static bool met_stops(const flg_macro_elements *elements) {
  for (int k = 0; k < elements->count; k++) {
    if (elements->list[k].was_hit) return true;
  }
  return false;
}

/* True if a subsystem that has run pushes one which has not, when another one meets the model of
 * it: the model is pushed by the mean over the macro step. */
static bool pushes_models(const flg_coupling *coupling) {
  const int *order = coupling->order, count = coupling->system.subsystem_count;
  for (int next = 1; next < count; next++) {
    for (int i = 0; i < next; i++) {
      for (int j = next + 1; j < count; j++) {
        if (flg_coupling_are_joined(&coupling->system, order[i], order[j])) return true;
      }
    }
  }
  return false;
}

/* True if stops inside of subsystems were hit in the part. */
static bool has_blows(const flg_coupling *coupling) {
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    if (blows_in_subsystem(coupling, k) != coupling->division.blows[k]) return true;
  }
  return false;
}

/* True if something was hit in the macro step: models that were frozen before it miss what turns
 * until then, by more than what they miss of forces, and all of a blow on a stop that they do not
 * know. Also true if contacts have changed inside of it, and a model has the mean of that. */
static bool spreads_hits(const flg_coupling *coupling) {
  const bool spreads = coupling->options.scheme->runs_in_order && pushes_models(coupling);
  if (has_blows(coupling)) return true;
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_macro_run *macro_run = &coupling->macro_runs[k];
    if (macro_run->has_hits) return true;
    if (spreads && macro_run->contacts != NULL && macro_run->contacts->changed_inside) return true;
  }
  return false;
}

/* True if a stop was met that several subsystems see. In a sequence, models that are driven have
 * the mean over the macro step of what the first of them did about it. Those that run at once meet
 * it each by itself, in other micro steps and against other models. */
static bool shares_hits(const flg_coupling *coupling) {
  const bool are_apart = !coupling->options.scheme->runs_in_order;
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    const flg_macro_elements *elements = &coupling->macro_runs[k].elements;
    if (are_apart ? met_stops(elements) : elements->took_hits) return true;
  }
  return false;
}

static flg_status tell_shared(const flg_coupling *coupling, flg_error *error) {
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "Coupling '%s' spreads a hit over the macro step from t = %.6g s.",
                  coupling->options.scheme->name, coupling->time);
}

/* one part, and whether it kept its interfaces */
static flg_status step_once(flg_coupling *coupling, double time, flg_threads *threads,
                            flg_error *error) {
  note_speeds(coupling);
  const flg_status status = flg_coupling_step_once(coupling, time, threads, error);
  if (status != FLG_OK || coupling->system.interface_count == 0) return status;
  const int past = find_past(coupling);
  if (past >= 0) return tell_past(coupling, past, error);
  if (!coupling->division.is_on) return FLG_OK;
  const flg_interface *lost = find_lost(coupling);
  if (lost != NULL) return tell_lost(coupling, lost, error);
  double left;
  const flg_interface *open = flg_coupling_find_open(coupling, &left);
  if (open != NULL) return tell_open(coupling, open, left, error);
  if (is_finest(coupling)) return FLG_OK;
  coupling->division.spreads = shares_hits(coupling) || spreads_hits(coupling);
  if (coupling->division.spreads) return tell_shared(coupling, error);
  return flg_balance_is_kept(coupling) ? FLG_OK : tell_gain(coupling, error);
}

/* True if something was hit that several subsystems have found, each against its own models. */
static bool has_shared_hits(const flg_coupling *coupling) {
  const flg_coupling_scheme *scheme = coupling->options.scheme;
  bool any = false, shared = false;
  if (scheme->runs_in_order || scheme->ignores_rest || !coupling->division.is_on) return false;
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    any = any || coupling->macro_runs[k].has_hits;
    shared = shared || (coupling->deciders[k] != k && coupling->macro_runs[k].closes_hits);
  }
  return any && shared && is_finest(coupling);
}

/* again where something came loose, or where each side has found hits of its own */
static flg_status step_part(flg_coupling *coupling, double time, flg_threads *threads,
                            flg_error *error) {
  save(coupling, PART);
  flg_status status = step_once(coupling, time, threads, error);
  if (has_shared_hits(coupling)) {
    restore_macro_step(coupling, PART, time);
    coupling->division.is_decided = true;
    status = step_once(coupling, time, threads, error);
  }
  for (int k = 0; k < LOOSENINGS && loosen_subsystems(coupling) > 0; k++) {
    restore_macro_step(coupling, PART, time);
    status = step_once(coupling, time, threads, error);
  }
  coupling->division.is_decided = false;
  if (has_blows(coupling)) flg_balance_forgive(coupling);
  return status;
}

static void set_parts(flg_coupling *coupling, int parts) {
  flg_division *division = &coupling->division;
  coupling->system.macro = division->macro / parts;
  for (int k = 0; k < coupling->system.subsystem_count; k++) {
    division->steps[k] = coupling->system.micro_steps[k] / parts;
    coupling->macro_runs[k].steps = division->steps[k];
  }
}

/* means of forces, largest errors, sums of energies */
static void add_reports(flg_coupling *coupling, int parts) {
  for (int k = 0; k < coupling->system.interface_count; k++) {
    const flg_interface_report *from = &coupling->reports[k];
    flg_interface_report *to = &coupling->division.sums[k];
    to->force = flg_spatial_add_scaled(to->force, 1. / parts, from->force);
    to->pose_error = flg_larger(to->pose_error, from->pose_error);
    to->turn_error = flg_larger(to->turn_error, from->turn_error);
    to->energy += from->energy;
  }
}

static flg_status step_in_parts(flg_coupling *coupling, double time, int parts,
                                flg_threads *threads, flg_error *error) {
  flg_division *division = &coupling->division;
  const size_t bytes = (size_t)coupling->system.interface_count * sizeof *division->sums;
  flg_status status = FLG_OK;
  double gain = 0;
  memset(division->sums, 0, bytes);
  set_parts(coupling, parts);
  division->open = flg_coupling_opening(coupling);
  for (int k = 0; k < parts && status == FLG_OK; k++) {
    status = step_part(coupling, time + k * coupling->system.macro, threads, error);
    add_reports(coupling, parts);
    gain += coupling->balance.gain;
  }
  coupling->balance.gain = gain;
  division->open = 0;
  set_parts(coupling, 1);
  memcpy(coupling->reports, division->sums, bytes);
  division->parts = parts;
  return status;
}

/* the next number of parts, at least twice as many; the most last, and then 0 */
static int more_parts(const flg_division *division, int parts) {
  if (parts == division->most) return 0;
  for (int n = 2 * parts; n < division->most; n++) {
    if (division->most % n == 0) return n;
  }
  return division->most;
}

flg_status flg_coupling_step(flg_coupling *coupling, double time, flg_threads *threads,
                             flg_error *error) {
  flg_division *division = &coupling->division;
  if (!division->is_on) return step_part(coupling, time, threads, error);
  flg_error unread;
  if (error == NULL) error = &unread;
  *error = (flg_error){0};
  division->parts = 1;
  division->spreads = false;
  save(coupling, WHOLE);
  flg_status status = step_part(coupling, time, threads, error);
  const flg_error first = *error;
  const bool spreads = division->spreads;
  int parts = status == FLG_ERR_DIVERGED ? more_parts(division, 1) : 0;
  for (; parts > 0; parts = status == FLG_ERR_DIVERGED ? more_parts(division, parts) : 0) {
    restore_macro_step(coupling, WHOLE, time);
    status = step_in_parts(coupling, time, parts, threads, error);
  }
  /* of the macro step as the scenario has it, if it had failed for more than hits in it */
  if (status == FLG_ERR_DIVERGED && !spreads) *error = first;
  return status;
}

int flg_coupling_parts(const flg_coupling *coupling) {
  return coupling->division.parts;
}
