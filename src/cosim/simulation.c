#include "cosim/simulation.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "math/larger.h"

/* of the impulses of contacts: more corrections of them put the results in doubt; 0.3 are found
 * where legs bounce, 1 where all subsystems wait for others */
static const double CORRECTED = 0.5;
/* of the same: a single hit that jams decides which way a body goes */
static const double JAMMED = 0.01;
/* of the kinetic energy: interfaces that do more work put the results in doubt */
static const double INTERFACE_WORK = 0.05;
/* of the size of the system, or rad: ends of interfaces that are as far apart are not joined */
static const double DRIFTED = 0.1;
/* of the kinetic energy: changes of energy that nothing explains put the results in doubt; steps of
 * Euler make the energy of springs swing by less */
static const double UNEXPLAINED = 0.5;
/* of the kinetic energy: changes of more than that are no motion of a system that steps as one */
static const double NO_MOTION = 3;
/* ... and of more than that are the rounding of a huge stiffness */
static const double ABSURD = 1e12;
/* [J] of one freedom at room temperature, a constant of nature rather than a size of the model:
 * what starts at rest has no energy of its own to compare with, and less than this is no motion.
 * Only a message depends on it. */
static const double THERMAL = 4e-21;
/* of the energy: a million steps may round by that */
static const double ROUNDED = 1e-10;
/* times the energy at the start: more of it comes of springs that the steps cannot follow */
static const double STIFF_GROWTH = 10;
/* log 1e8: rounding alone has grown over half of the digits, and what moves the mode has grown more
 */
static const double ROUNDING_LOST = 18.4;
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

/* Steps that were too long for springs from the start may have gone well all the same: springs that
 * let go, bodies that grew heavier. Energy tells. */
static flg_status judge_stiffness(const flg_simulation *simulation, flg_error *error) {
  const flg_energy *energy = &simulation->clock.energy;
  const double most = flg_larger(fabs(energy->least), fabs(energy->most));
  if (!simulation->is_stiff || !(most > STIFF_GROWTH * fabs(energy->initial))) return FLG_OK;
  return flg_fail(error, FLG_ERR_UNSOLVED,
                  "Energy went from %.3g J to %.3g J with steps that are too long for springs or "
                  "controllers, as was warned before: take shorter steps, or do as the warning "
                  "says.",
                  energy->initial, energy->final);
}

/* Steps that were not stable for signals from the start have made everything of rounding. */
static flg_status judge_signals(const flg_simulation *simulation, flg_error *error) {
  if (!(simulation->growth * (double)simulation->clock.done > ROUNDING_LOST)) return FLG_OK;
  return flg_fail(
      error, FLG_ERR_UNSOLVED,
      "Steps are not stable for the gains of signals, as was warned before: errors grow "
      "by %.3g in a macro step. Do as the warning says.",
      exp(simulation->growth));
}

static flg_energy_law lesser(flg_energy_law a, flg_energy_law b) {
  return a < b ? a : b;
}

/* Locks and welds take energy; what is set, and springs that are enabled, may bring some. */
static flg_energy_law law_of_event(flg_action action) {
  const bool brings =
      action == FLG_ACTION_SET || action == FLG_ACTION_SET_VELOCITY || action == FLG_ACTION_ENABLE;
  return brings ? FLG_ENERGY_DRIVEN : FLG_ENERGY_FALLS;
}

/* of the whole; programs that open inputs may push, and couplings lose what their models miss */
static flg_energy_law system_energy_law(const flg_simulation *simulation) {
  flg_energy_law law = simulation->coupling == NULL ? FLG_ENERGY_STAYS : FLG_ENERGY_FALLS;
  if (simulation->input_width > 0) return FLG_ENERGY_DRIVEN;
  for (int k = 0; k < simulation->event_count; k++) {
    law = lesser(law, law_of_event(simulation->events[k].action));
  }
  for (int k = 0; k < simulation->subsystem_count; k++) {
    law = lesser(law, flg_subsystem_energy_law(&simulation->subsystems[k]));
  }
  return law;
}

/* a share of the kinetic energy that puts results in doubt, and that motion can have made */
static bool is_in_doubt(double change, double kinetic) {
  return change > UNEXPLAINED * kinetic && change < NO_MOTION * kinetic;
}

/* rounding of energies, or of what is at rest */
static bool is_rounding(const flg_simulation *simulation, double energy) {
  const double whole = fabs(simulation->clock.energy.initial);
  return !(fabs(energy) > fmax(THERMAL, ROUNDED * whole));
}

/* Where nothing drives a system its energy cannot rise, and not fall either where nothing takes of
 * it, however well joints are closed. Potential energy alone may rise: shapes that overlap at the
 * start are lifted apart, and stiff springs stretched for a step, so that the end counts. */
static flg_status judge_motion(const flg_simulation *simulation, flg_error *error) {
  const flg_energy *energy = &simulation->clock.energy;
  const double kinetic = simulation->clock.kinetic;
  if (simulation->coupling != NULL) return FLG_OK; /* judge_coupled_motion does it */
  const flg_energy_law law = system_energy_law(simulation);
  const double rise = energy->final - energy->initial, fall = -rise;
  if (is_rounding(simulation, rise)) return FLG_OK;
  /* beyond all digits nothing is lifted: it is the rounding of a huge stiffness */
  const double all = fmax(kinetic, THERMAL) + fabs(energy->initial);
  const bool is_absurd = kinetic > 0 && rise > ABSURD * all;
  const bool rises = law > FLG_ENERGY_SWINGS && (is_in_doubt(rise, kinetic) || is_absurd);
  const bool falls = law == FLG_ENERGY_STAYS && is_in_doubt(fall, kinetic);
  if (!rises && !falls) return FLG_OK;
  return flg_fail(error, FLG_ERR_UNSOLVED,
                  "Energy %s from %.3g J to %.3g J, by %.2g of the kinetic energy, though nothing "
                  "%s it: steps are too long for the motion. Check the results, or take shorter "
                  "ones.",
                  rises ? "rose" : "fell", energy->initial, energy->final, fabs(rise) / kinetic,
                  rises ? "adds to" : "takes of");
}

/* Judges the energy that steps lose, also where dampers and contacts dissipate. Couplings repeat
 * steps. */
static flg_status judge_wear(const flg_simulation *simulation, flg_error *error) {
  const double kinetic = simulation->clock.kinetic;
  if (simulation->coupling != NULL || system_energy_law(simulation) == FLG_ENERGY_DRIVEN)
    return FLG_OK;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *of = &simulation->subsystems[k];
    const double wear = of->ops->wear == NULL ? 0 : of->ops->wear(of->self);
    if (is_rounding(simulation, wear) || !(wear > UNEXPLAINED * kinetic)) continue;
    return flg_fail(error, FLG_ERR_UNSOLVED,
                    "Semi-implicit steps of '%s' took %.3g J where its joints turn, %.2g of the "
                    "kinetic energy: they are too long for the motion. Take shorter ones, or "
                    "'integrator: rattle', which keeps energy.",
                    of->name, wear, wear / kinetic);
  }
  return FLG_OK;
}

static flg_status judge_interfaces(const flg_simulation *simulation, flg_error *error) {
  const flg_simulation_clock *clock = &simulation->clock;
  const flg_coupling *coupling = simulation->coupling;
  const bool is_rough = coupling != NULL && flg_coupling_is_rough(coupling);
  const double most = is_rough ? UNEXPLAINED : INTERFACE_WORK;
  if (!(fabs(clock->gained) > most * clock->kinetic)) return FLG_OK;
  return flg_fail(error, FLG_ERR_UNSOLVED,
                  "Interfaces of coupling '%s' %s %.3g J, %.3g of the kinetic energy: its macro "
                  "steps are too long for the motion. Check the results, or take shorter ones.",
                  flg_simulation_coupling(simulation), clock->gained > 0 ? "gave" : "took",
                  fabs(clock->gained), fabs(clock->gained) / clock->kinetic);
}

/* With friction, the contacts of several subsystems may have several answers. Where each subsystem
 * takes those of others for closed, and none its own, communication points alone hold bodies up,
 * and know no friction. */
static flg_status judge_corrections(const flg_simulation *simulation, flg_error *error) {
  const flg_coupling *coupling = simulation->coupling;
  const double share = coupling == NULL ? 0 : flg_coupling_corrected_share(coupling);
  if (!(share > CORRECTED)) return FLG_OK;
  return flg_fail(error, FLG_ERR_UNSOLVED,
                  "With coupling '%s', %.0f %% of all contact impulses were found at communication "
                  "points: subsystems do not agree which of their contacts push. Check the "
                  "results, or take 'scheme: sequential' or 'monolithic'.",
                  flg_simulation_coupling(simulation), 100 * share);
}

/* Schemes that bring no poses together let interfaces drift, but not out of each other's reach:
 * a side that yields a billion times as much as the other is none that a model can hold. */
static flg_status judge_openings(const flg_simulation *simulation, flg_error *error) {
  const flg_coupling *coupling = simulation->coupling;
  const double open = coupling == NULL ? 0 : flg_coupling_opening(coupling);
  if (!(open > DRIFTED)) return FLG_OK;
  return flg_fail(error, FLG_ERR_UNSOLVED,
                  "With coupling '%s' interface '%s' is open at the end, by %.3g of the size of "
                  "the system or rad. Take shorter macro steps, or 'scheme: monolithic'.",
                  flg_simulation_coupling(simulation), flg_coupling_widest(coupling), open);
}

/* Each subsystem decides with models of the others which of the contacts that friction jams push.
 */
static flg_status judge_jams(const flg_simulation *simulation, flg_error *error) {
  const flg_coupling *coupling = simulation->coupling;
  const double share = coupling == NULL ? 0 : flg_coupling_jammed_share(coupling);
  if (!(share > JAMMED)) return FLG_OK;
  return flg_fail(
      error, FLG_ERR_UNSOLVED,
      "With coupling '%s', %.2g %% of all contact impulses act while friction jams what "
      "slides: the laws of contact have several solutions then, and subsystems may take "
      "another than the whole. Compare with 'scheme: monolithic', or lower the friction "
      "of what is dragged.",
      flg_simulation_coupling(simulation), 100 * share);
}

/* Energy that frozen models add counts at any time, and potential energy, too. */
static flg_status judge_coupled_motion(const flg_simulation *simulation, flg_error *error) {
  const flg_energy *energy = &simulation->clock.energy;
  const flg_coupling *coupling = simulation->coupling;
  const double kinetic = simulation->clock.kinetic;
  const double rise = flg_larger(energy->most - energy->initial, energy->final - energy->least);
  if (coupling == NULL || !(rise > UNEXPLAINED * kinetic)) return FLG_OK;
  if (!flg_coupling_moves(coupling, kinetic)) return FLG_OK; /* rounding */
  if (system_energy_law(simulation) == FLG_ENERGY_DRIVEN) return FLG_OK;
  return flg_fail(error, FLG_ERR_UNSOLVED,
                  "With coupling '%s' the energy of the whole grew by %.3g J, %.3g of the kinetic "
                  "energy, though nothing in it gives energy. Take shorter macro steps, or another "
                  "scheme.",
                  flg_simulation_coupling(simulation), rise, rise / kinetic);
}

flg_status flg_simulation_judge(const flg_simulation *simulation, flg_error *error) {
  if (simulation == NULL) return flg_fail(error, FLG_ERR_USAGE, "The simulation is NULL.");
  flg_contact_outcome outcome;
  if (flg_simulation_contacts(simulation, &outcome) && outcome.unsolved > 0) {
    return flg_fail(error, FLG_ERR_UNSOLVED,
                    "%ld contact problems were not solved to the tolerance, the residual is at "
                    "most %.2g: check the results, or take a shorter step.",
                    (long)outcome.unsolved, outcome.residual);
  }
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *of = &simulation->subsystems[k];
    const flg_status status = of->ops->judge == NULL ? FLG_OK : of->ops->judge(of->self, error);
    if (status != FLG_OK) return status;
  }
  flg_status status = judge_stiffness(simulation, error);
  if (status == FLG_OK) status = judge_signals(simulation, error);
  if (status == FLG_OK) status = judge_corrections(simulation, error);
  if (status == FLG_OK) status = judge_jams(simulation, error);
  if (status == FLG_OK) status = judge_interfaces(simulation, error);
  if (status == FLG_OK) status = judge_coupled_motion(simulation, error);
  if (status == FLG_OK) status = judge_openings(simulation, error);
  if (status == FLG_OK) status = judge_motion(simulation, error);
  return status == FLG_OK ? judge_wear(simulation, error) : status;
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
