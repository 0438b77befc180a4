#include "cosim/simulation.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "math/larger.h"

/* [m, rad, m/s, rad/s]: a double beyond has no digit left below 0.1 */
static const double FARTHEST = 1e15;
enum { STEPS_BETWEEN_LOOKS = 4096 }; /* some milliseconds */

int64_t flg_steps_in(double whole, double step, const char *what, const char *of, flg_place place,
                     flg_mistakes *mistakes) {
  const double most = 1e15, ratio = whole / step, nearest = nearbyint(ratio);
  if (ratio > most) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, place, "%s of %g s is too small for %s of %g s", what,
                    step, of, whole);
    return 0;
  }
  if (nearest >= 1 && fabs(ratio - nearest) <= FLG_EVEN_TOLERANCE * ratio) return (int64_t)nearest;
  const double fewer = floor(ratio) < 1 ? 1 : floor(ratio);
  flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                  "%s of %.9g s does not divide %s of %.9g s evenly; the nearest that do are "
                  "%.9g and %.9g s",
                  what, step, of, whole, whole / fewer, whole / (fewer + 1));
  return 0;
}

void flg_simulation_refresh(const flg_simulation *simulation) {
  const double time = flg_simulation_time(simulation);
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &simulation->subsystems[k];
    subsystem->ops->refresh(subsystem->self, time);
  }
}

static double total_energy(const flg_simulation *simulation) {
  double energy = 0;
  flg_simulation_refresh(simulation);
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &simulation->subsystems[k];
    energy += subsystem->ops->energy(subsystem->self);
  }
  if (simulation->coupling != NULL) energy += flg_coupling_energy(simulation->coupling);
  return energy;
}

double flg_simulation_kinetic_energy(const flg_simulation *simulation) {
  double sum = 0;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &simulation->subsystems[k];
    if (subsystem->ops->kinetic_energy == NULL) continue;
    sum += subsystem->ops->kinetic_energy(subsystem->self);
  }
  return sum;
}

/* after the energies, for which everything was refreshed */
static void take_constraints(flg_simulation *simulation) {
  flg_constraint_errors *largest = &simulation->clock.constraints;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &simulation->subsystems[k];
    if (subsystem->ops->constraints == NULL) continue;
    const flg_constraint_errors errors = subsystem->ops->constraints(subsystem->self);
    largest->position = flg_larger(largest->position, errors.position);
    largest->velocity = flg_larger(largest->velocity, errors.velocity);
  }
}

static flg_contacts *contacts_at(const flg_subsystem *subsystem) {
  return subsystem->ops->contacts == NULL ? NULL : subsystem->ops->contacts(subsystem->self);
}

static void simulation_take_contacts(flg_simulation *simulation) {
  flg_contact_outcome *sum = &simulation->clock.contacts;
  bool inside = false;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    flg_contacts *contacts = contacts_at(&simulation->subsystems[k]);
    if (contacts == NULL) continue;
    const flg_contacts_totals totals = flg_contacts_take_totals(contacts);
    sum->switches += totals.changes;
    sum->hits += totals.hits;
    sum->iterations += totals.iterations;
    sum->unsolved += totals.unsolved;
    sum->residual = flg_larger(sum->residual, totals.residual);
    sum->penetration = flg_larger(sum->penetration, totals.penetration);
    if (totals.steps > 0) sum->method = totals.method;
    inside = inside || totals.inside;
  }
  sum->inside_macro_step += inside;
}

bool flg_simulation_contacts(const flg_simulation *simulation, flg_contact_outcome *outcome) {
  if (outcome != NULL) *outcome = (flg_contact_outcome){0};
  if (simulation == NULL || outcome == NULL) return false;
  *outcome = simulation->clock.contacts;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    if (contacts_at(&simulation->subsystems[k]) != NULL) return true;
  }
  return false;
}

void flg_simulation_start(flg_simulation *simulation) {
  flg_simulation_refresh(simulation);
  if (simulation->coupling != NULL) flg_coupling_start(simulation->coupling);
  const double energy = total_energy(simulation);
  simulation->clock.energy = (flg_energy){energy, energy, energy, energy};
  if (simulation->coupling == NULL) {
    simulation->clock.kinetic = flg_simulation_kinetic_energy(simulation);
  }
  take_constraints(simulation);
  simulation_take_contacts(simulation);
  simulation->clock.contacts = (flg_contact_outcome){0};
  simulation->wall_time = NAN;
  for (int k = 0; k < simulation->telemetry_count; k++) {
    simulation->telemetry[k] = flg_telemetry_begin();
  }
}

void flg_simulation_share(flg_simulation *simulation, flg_threads *threads) {
  if (simulation == NULL) return;
  simulation->threads = threads;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &simulation->subsystems[k];
    if (subsystem->ops->share != NULL) subsystem->ops->share(subsystem->self, threads);
  }
}

void flg_simulation_release(flg_simulation *simulation) {
  if (simulation == NULL || atomic_load(&simulation->is_stepping)) return;
  flg_coupling_release(simulation->coupling);
  for (int k = 0; k < simulation->subsystem_count; k++) {
    flg_subsystem_release(&simulation->subsystems[k]);
  }
  flg_region_release(&simulation->region);
  free(simulation);
}

/* false if one is NaN, too */
static bool all_below(const double *values, int count, double bound) {
  for (int k = 0; k < count; k++) {
    if (!(fabs(values[k]) < bound)) return false;
  }
  return true;
}

/* the largest, NAN if one is */
static double largest_state_of(const double *values, int count) {
  double largest = 0;
  for (int k = 0; k < count; k++) largest = flg_larger(largest, fabs(values[k]));
  return largest;
}

static flg_status check_finite(const flg_simulation *simulation, flg_error *error) {
  const double time = flg_simulation_time(simulation);
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &simulation->subsystems[k];
    const flg_subsystem_state state = subsystem->ops->state(subsystem->self);
    if (all_below(state.values, state.motion, FARTHEST)) continue;
    const double largest = largest_state_of(state.values, state.motion);
    if (isfinite(largest)) {
      return flg_fail(error, FLG_ERR_DIVERGED,
                      "Subsystem '%s' diverged at t = %.6g s: a position or velocity is %.3g (m, "
                      "rad, m/s or rad/s). Try a smaller step.",
                      subsystem->name, time, largest);
    }
    char blamed[FLG_BLAME_TEXT] = "";
    if (subsystem->ops->blame != NULL) subsystem->ops->blame(subsystem->self, blamed);
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "Subsystem '%s' diverged at t = %.6g s: its state is no longer finite%s%s. Try "
                    "a smaller step.",
                    subsystem->name, time, blamed[0] == '\0' ? "" : ", first of all ", blamed);
  }
  return FLG_OK;
}

/* The subsystem that first computed a number that is not finite: a step that fails for it would
 * name another. */
static flg_status check_answers(const flg_simulation *simulation, flg_error *error) {
  const double time = flg_simulation_time(simulation);
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *of = &simulation->subsystems[k];
    flg_error found;
    if (of->ops->check == NULL || of->ops->check(of->self, time, &found) == FLG_OK) continue;
    return flg_fail(error, FLG_ERR_DIVERGED, "Subsystem '%s': %s", of->name, found.message);
  }
  return FLG_OK;
}

/* a state can be finite where its energy is not */
static flg_status check_energy(const flg_simulation *simulation, double total, flg_error *error) {
  const double time = flg_simulation_time(simulation);
  if (isfinite(total)) return FLG_OK;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &simulation->subsystems[k];
    const double energy = subsystem->ops->energy(subsystem->self);
    if (isfinite(energy)) continue;
    if (simulation->clock.done == 0) {
      return flg_fail(error, FLG_ERR_DIVERGED,
                      "Subsystem '%s' starts with an energy of %g J: a mass, a speed, a stiffness "
                      "or a place is too large.",
                      subsystem->name, energy);
    }
    return flg_fail(
        error, FLG_ERR_DIVERGED,
        "Subsystem '%s' diverged at t = %.6g s: its energy is %g J. Try a smaller step.",
        subsystem->name, time, energy);
  }
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "The run diverged at t = %.6g s: the energy of the whole is %g J. Try a smaller "
                  "step.",
                  time, total);
}

flg_status flg_simulation_apply(flg_simulation *simulation, const flg_event *events, int count,
                                double time, flg_error *error) {
  return flg_events_apply(events, count, simulation->is_apart ? NULL : simulation->coupling, time,
                          error);
}

static flg_status apply_events(flg_simulation *simulation, double time, flg_error *error) {
  flg_simulation_clock *clock = &simulation->clock;
  const int64_t first = clock->next_event;
  const double now = time + FLG_EVEN_TOLERANCE * simulation->macro;
  while (clock->next_event < simulation->event_count &&
         simulation->events[clock->next_event].at <= now) {
    clock->next_event++;
  }
  if (clock->next_event == first) return FLG_OK;
  return flg_simulation_apply(simulation, &simulation->events[first],
                              (int)(clock->next_event - first), time, error);
}

/* all micro steps of a subsystem; a run that is to stop is not kept waiting for the end of them */
static void advance_one(flg_simulation *simulation, int index) {
  const flg_subsystem *subsystem = &simulation->subsystems[index];
  const double time = flg_simulation_time(simulation);
  const int steps = simulation->micro_steps[index];
  const double h = simulation->macro / steps;
  flg_advanced *to = &simulation->advanced[index];
  to->status = FLG_OK;
  to->done = 0;
  while (to->done < steps && to->status == FLG_OK) {
    if (simulation->stop != NULL && *simulation->stop != 0) {
      to->status = FLG_ERR_INTERRUPTED;
      return;
    }
    const int left = steps - to->done;
    const int count = left < STEPS_BETWEEN_LOOKS ? left : STEPS_BETWEEN_LOOKS;
    to->status = subsystem->ops->advance(subsystem->self, time, h, to->done, count, &to->error);
    if (to->status == FLG_OK) to->done += count;
  }
}

static bool shares(const flg_simulation *simulation, int index) {
  return simulation->subsystems[index].ops->share != NULL;
}

static void advance_beside(void *context, int index) {
  if (!shares(context, index)) advance_one(context, index);
}

/* Those that can use the threads inside of a step do so one after the other, the rest goes side by
 * side. All advance even if one fails: what they do must not depend on their order. */
static void advance_all(flg_simulation *simulation) {
  flg_threads_for(simulation->threads, simulation->subsystem_count, advance_beside, simulation);
  for (int k = 0; k < simulation->subsystem_count; k++) {
    if (shares(simulation, k)) advance_one(simulation, k);
    simulation->clock.micro_done += simulation->advanced[k].done;
  }
}

static flg_status tell_stopped(const flg_simulation *simulation, double time, flg_error *error) {
  return flg_fail(error, FLG_ERR_INTERRUPTED, "Stopped after t = %.6g s of %.6g s.", time,
                  flg_simulation_end(simulation));
}

static flg_status advance_subsystems(flg_simulation *simulation, double time, flg_error *error) {
  advance_all(simulation);
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_advanced *one = &simulation->advanced[k];
    if (one->status == FLG_OK) continue;
    if (one->status == FLG_ERR_INTERRUPTED) return tell_stopped(simulation, time, error);
    return flg_fail(error, one->status, "Subsystem '%s': %s", simulation->subsystems[k].name,
                    one->error.message);
  }
  return FLG_OK;
}

static flg_status advance_coupled(flg_simulation *simulation, double time, flg_error *error) {
  if (simulation->stop != NULL && *simulation->stop != 0) {
    return tell_stopped(simulation, time, error);
  }
  for (int k = 0; k < simulation->subsystem_count; k++) {
    simulation->clock.micro_done += simulation->micro_steps[k];
  }
  const flg_status status =
      flg_coupling_step(simulation->coupling, time, simulation->threads, error);
  const int parts = flg_coupling_parts(simulation->coupling);
  simulation->clock.divided += parts > 1;
  if (parts > simulation->clock.most_parts) simulation->clock.most_parts = parts;
  return status == FLG_ERR_INTERRUPTED ? tell_stopped(simulation, time, error) : status;
}

static void take_telemetry(flg_simulation *simulation) {
  if (simulation->coupling == NULL) {
    if (simulation->telemetry_count > 0) flg_telemetry_take_whole(simulation);
    return;
  }
  for (int k = 0; k < simulation->telemetry_count; k++) {
    flg_telemetry_take(&simulation->telemetry[k], simulation, k);
  }
}

static void take_balance(flg_simulation *simulation) {
  flg_simulation_clock *clock = &simulation->clock;
  /* where a program pushes, energy tells nothing (energy_law) */
  if (simulation->coupling == NULL && simulation->input_width > 0) return;
  const double kinetic = flg_simulation_kinetic_energy(simulation);
  clock->kinetic = flg_larger(clock->kinetic, kinetic);
  if (simulation->coupling == NULL) return;
  clock->gained = flg_coupling_gain(simulation->coupling, clock->gained, kinetic);
}

static flg_status step_simulation(flg_simulation *simulation, flg_error *error) {
  const double time = flg_simulation_time(simulation);
  flg_status status = FLG_OK;
  if (simulation->clock.done == 0) {
    status = check_energy(simulation, simulation->clock.energy.initial, error);
  }
  if (status == FLG_OK) status = apply_events(simulation, time, error);
  if (status != FLG_OK) return status;
  status = simulation->coupling == NULL ? advance_subsystems(simulation, time, error)
                                        : advance_coupled(simulation, time, error);
  if (status == FLG_ERR_INTERRUPTED) return status;
  simulation->clock.done++;
  if (status == FLG_OK) status = check_finite(simulation, error);
  if (status == FLG_ERR_DIVERGED) (void)check_answers(simulation, error);
  if (status != FLG_OK) return status;
  flg_energy *energy = &simulation->clock.energy;
  energy->final = total_energy(simulation);
  status = check_answers(simulation, error);
  if (status == FLG_OK) status = check_energy(simulation, energy->final, error);
  if (status != FLG_OK) return status;
  energy->least = flg_smaller(energy->least, energy->final);
  energy->most = flg_larger(energy->most, energy->final);
  take_constraints(simulation);
  simulation_take_contacts(simulation);
  take_telemetry(simulation);
  take_balance(simulation);
  if (simulation->coupling == NULL) return FLG_OK;
  return flg_coupling_judge(simulation->coupling, flg_simulation_time(simulation), energy->final,
                            error);
}

flg_status flg_simulation_step(flg_simulation *simulation, flg_error *error) {
  if (simulation == NULL) return flg_fail(error, FLG_ERR_USAGE, "The simulation is NULL.");
  if (atomic_exchange_explicit(&simulation->is_stepping, true, memory_order_acquire)) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "The simulation steps already: another thread, or a function that the step "
                    "calls, steps it again.");
  }
  const double start = simulation->is_timed ? flg_clock() : 0;
  const flg_status status = step_simulation(simulation, error);
  if (simulation->is_timed) simulation->wall_time = flg_clock() - start;
  atomic_store_explicit(&simulation->is_stepping, false, memory_order_release);
  return status;
}

void flg_simulation_record(flg_simulation *simulation, double *values) {
  if (simulation == NULL || values == NULL) return;
  for (int k = 0; k < simulation->signal_count; k++) {
    flg_recorded_read(&simulation->recorded[k], values);
    values += simulation->signals[k].width;
  }
}

void flg_simulation_watch(flg_simulation *simulation, const volatile int *stop) {
  if (simulation == NULL) return;
  simulation->stop = stop;
  if (simulation->coupling != NULL) flg_coupling_watch(simulation->coupling, stop);
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &simulation->subsystems[k];
    if (subsystem->ops->watch != NULL) subsystem->ops->watch(subsystem->self, stop);
  }
}

int flg_simulation_stepper_count(const flg_simulation *simulation) {
  if (simulation == NULL) return 0;
  return simulation->subsystem_count;
}

/* one of those that step by themselves */
static bool is_stepper(const flg_simulation *simulation, int index) {
  return simulation != NULL && index >= 0 && index < simulation->subsystem_count;
}

const char *flg_simulation_stepper(const flg_simulation *simulation, int index) {
  if (!is_stepper(simulation, index)) return NULL;
  return simulation->subsystems[index].name;
}

const char *flg_simulation_integrator(const flg_simulation *simulation, int index) {
  if (!is_stepper(simulation, index)) return NULL;
  const flg_subsystem *subsystem = &simulation->subsystems[index];
  const char *word = NULL;
  if (subsystem->ops->integrator != NULL) word = subsystem->ops->integrator(subsystem->self);
  return word == NULL ? "unknown" : word;
}

const char *flg_simulation_notice(const flg_simulation *simulation, int index) {
  if (simulation == NULL) return NULL;
  if (index < 0) return NULL;
  const int made = simulation->notices.texts.count;
  if (index < made) return flg_notice_text(&simulation->notices, index);
  index -= made;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &simulation->subsystems[k];
    const char *text =
        subsystem->ops->warning == NULL ? NULL : subsystem->ops->warning(subsystem->self);
    if (text != NULL && index-- == 0) return text;
  }
  return NULL;
}

const char *flg_simulation_name(const flg_simulation *simulation) {
  if (simulation == NULL) return NULL;
  return simulation->name;
}

const char *flg_simulation_coupling(const flg_simulation *simulation) {
  if (simulation == NULL) return NULL;
  if (simulation->coupling == NULL) return flg_coupling_monolithic.name;
  return flg_coupling_settings(simulation->coupling)->scheme->name;
}

const char *flg_simulation_text(const flg_simulation *simulation) {
  if (simulation == NULL) return NULL;
  return simulation->text;
}

double flg_simulation_time(const flg_simulation *simulation) {
  if (simulation == NULL) return NAN;
  return (double)simulation->clock.done * simulation->macro;
}

double flg_simulation_end(const flg_simulation *simulation) {
  if (simulation == NULL) return NAN;
  return (double)simulation->macro_steps * simulation->macro;
}

double flg_simulation_macro(const flg_simulation *simulation) {
  if (simulation == NULL) return NAN;
  return simulation->macro;
}

bool flg_simulation_ended(const flg_simulation *simulation) {
  if (simulation == NULL) return true;
  return simulation->clock.done >= simulation->macro_steps;
}

int64_t flg_simulation_macro_steps(const flg_simulation *simulation) {
  if (simulation == NULL) return 0;
  return simulation->clock.done;
}

int64_t flg_simulation_divided_steps(const flg_simulation *simulation, int *most) {
  if (most != NULL) *most = 1;
  if (simulation == NULL || most == NULL) return 0;
  *most = simulation->clock.most_parts > 1 ? (int)simulation->clock.most_parts : 1;
  return simulation->clock.divided;
}

int64_t flg_simulation_micro_steps(const flg_simulation *simulation) {
  if (simulation == NULL) return 0;
  return simulation->clock.micro_done;
}

flg_energy flg_simulation_energy(const flg_simulation *simulation) {
  if (simulation == NULL) return (flg_energy){0};
  return simulation->clock.energy;
}

bool flg_simulation_constraints(const flg_simulation *simulation, double *position,
                                double *velocity) {
  bool any = false;
  if (simulation == NULL || position == NULL || velocity == NULL) return false;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    any = any || simulation->subsystems[k].ops->constraints != NULL;
  }
  *position = simulation->clock.constraints.position;
  *velocity = simulation->clock.constraints.velocity;
  return any;
}

int flg_simulation_interface_count(const flg_simulation *simulation) {
  if (simulation == NULL) return 0;
  return simulation->telemetry_count;
}

flg_interface_outcome flg_simulation_interface(const flg_simulation *simulation, int interface) {
  if (simulation == NULL || interface < 0 || interface >= simulation->telemetry_count) {
    return (flg_interface_outcome){.rank = NAN, .condition = NAN};
  }
  const flg_telemetry *telemetry = &simulation->telemetry[interface];
  return (flg_interface_outcome){.name = simulation->interface_names[interface],
                                 .pose_drift = telemetry->pose_error_most,
                                 .energy_residual = telemetry->energy_residual_most,
                                 .rank = telemetry->rank_least,
                                 .condition = telemetry->condition_most,
                                 .is_unique = telemetry->unique == 1};
}

int flg_simulation_signal_count(const flg_simulation *simulation) {
  if (simulation == NULL) return 0;
  return simulation->signal_count;
}

const flg_signal *flg_simulation_signals(const flg_simulation *simulation) {
  if (simulation == NULL) return NULL;
  return simulation->signals;
}

int flg_simulation_width(const flg_simulation *simulation) {
  if (simulation == NULL) return 0;
  return simulation->width;
}
