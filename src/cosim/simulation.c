#include "cosim/simulation.h"

#include <math.h>
#include <stdlib.h>

/* times are kept as step counts: no error adds up */
static const double EVEN_TOLERANCE = 1e-9;
enum { STEPS_BETWEEN_LOOKS = 4096 }; /* some milliseconds */

int64_t flg_steps_in(double whole, double step, const char *what, const char *of, flg_place place,
                     flg_mistakes *mistakes) {
  const double most = 1e15, ratio = whole / step, nearest = nearbyint(ratio);
  if (ratio > most) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, place, "%s of %g s is too small for %s of %g s", what,
                    step, of, whole);
    return 0;
  }
  if (nearest >= 1 && fabs(ratio - nearest) <= EVEN_TOLERANCE * ratio) return (int64_t)nearest;
  const double fewer = floor(ratio) < 1 ? 1 : floor(ratio);
  flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                  "%s of %.9g s does not divide %s of %.9g s evenly; the nearest that do are "
                  "%.9g and %.9g s",
                  what, step, of, whole, whole / fewer, whole / (fewer + 1));
  return 0;
}

static double total_energy(flg_simulation *simulation) {
  const double time = flg_simulation_time(simulation);
  double energy = 0;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    flg_robot_subsystem_refresh(&simulation->subsystems[k], time);
    energy += flg_robot_subsystem_energy(&simulation->subsystems[k]);
  }
  return energy;
}

void flg_simulation_start(flg_simulation *simulation) {
  const double energy = total_energy(simulation);
  simulation->clock.energy = (flg_energy){energy, energy, energy, energy};
}

void flg_simulation_release(flg_simulation *simulation) {
  if (simulation == NULL) return;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    flg_robot_subsystem_release(&simulation->subsystems[k]);
  }
  flg_region_release(&simulation->region);
  free(simulation);
}

static bool is_finite(const double *values, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += values[k] * 0; /* NaN if any is NaN or infinite */
  return sum == 0;
}

static flg_status check_finite(const flg_simulation *simulation, flg_error *error) {
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_robot_subsystem *subsystem = &simulation->subsystems[k];
    if (is_finite(subsystem->q, subsystem->robot.position_count + subsystem->robot.velocity_count))
      continue;
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "Subsystem '%s' diverged at t = %.6g s: its state is no longer finite. Try a "
                    "smaller step.",
                    subsystem->options.name, flg_simulation_time(simulation));
  }
  return FLG_OK;
}

static void apply_events(flg_simulation *simulation, double time) {
  flg_simulation_clock *clock = &simulation->clock;
  const double now = time + EVEN_TOLERANCE * simulation->macro;
  while (clock->next_event < simulation->event_count &&
         simulation->events[clock->next_event].at <= now) {
    flg_event_apply(&simulation->events[clock->next_event++]);
  }
}

/* all micro steps of a subsystem; a run that is to stop is not kept waiting for the end of them */
static flg_status advance_one(flg_simulation *simulation, int index, double time) {
  const int steps = simulation->micro_steps[index];
  const double h = simulation->macro / steps;
  for (int first = 0; first < steps; first += STEPS_BETWEEN_LOOKS) {
    if (simulation->stop != NULL && *simulation->stop != 0) return FLG_ERR_INTERRUPTED;
    const int left = steps - first, count = left < STEPS_BETWEEN_LOOKS ? left : STEPS_BETWEEN_LOOKS;
    const flg_status status =
        flg_robot_subsystem_advance(&simulation->subsystems[index], time, h, first, count);
    if (status != FLG_OK) return status;
    simulation->clock.micro_done += count;
  }
  return FLG_OK;
}

static flg_status advance(flg_simulation *simulation, double time, flg_error *error) {
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_status status = advance_one(simulation, k, time);
    if (status == FLG_OK) continue;
    if (status == FLG_ERR_INTERRUPTED) {
      return flg_fail(error, status, "Stopped after t = %.6g s of %.6g s.", time,
                      flg_simulation_end(simulation));
    }
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "Subsystem '%s': the adaptive integrator cannot meet its tolerances after "
                    "t = %.6g s. Is something discontinuous or stiff?",
                    simulation->subsystems[k].options.name, time);
  }
  return FLG_OK;
}

flg_status flg_simulation_step(flg_simulation *simulation, flg_error *error) {
  const double time = flg_simulation_time(simulation);
  apply_events(simulation, time);
  flg_status status = advance(simulation, time, error);
  if (status == FLG_ERR_INTERRUPTED) return status;
  simulation->clock.done++;
  if (status == FLG_OK) status = check_finite(simulation, error);
  if (status != FLG_OK) return status;
  flg_energy *energy = &simulation->clock.energy;
  energy->final = total_energy(simulation);
  energy->least = fmin(energy->least, energy->final);
  energy->most = fmax(energy->most, energy->final);
  return FLG_OK;
}

void flg_simulation_record(flg_simulation *simulation, double *values) {
  for (int k = 0; k < simulation->signal_count; k++) {
    flg_recorded_read(&simulation->recorded[k], values);
    values += simulation->signals[k].width;
  }
}

void flg_simulation_watch(flg_simulation *simulation, const volatile int *stop) {
  simulation->stop = stop;
}

const char *flg_simulation_name(const flg_simulation *simulation) {
  return simulation->name;
}

const char *flg_simulation_text(const flg_simulation *simulation) {
  return simulation->text;
}

double flg_simulation_time(const flg_simulation *simulation) {
  return (double)simulation->clock.done * simulation->macro;
}

double flg_simulation_end(const flg_simulation *simulation) {
  return (double)simulation->macro_steps * simulation->macro;
}

bool flg_simulation_ended(const flg_simulation *simulation) {
  return simulation->clock.done >= simulation->macro_steps;
}

int64_t flg_simulation_macro_steps(const flg_simulation *simulation) {
  return simulation->clock.done;
}

int64_t flg_simulation_micro_steps(const flg_simulation *simulation) {
  return simulation->clock.micro_done;
}

flg_energy flg_simulation_energy(const flg_simulation *simulation) {
  return simulation->clock.energy;
}

int flg_simulation_signal_count(const flg_simulation *simulation) {
  return simulation->signal_count;
}

const flg_signal *flg_simulation_signals(const flg_simulation *simulation) {
  return simulation->signals;
}

int flg_simulation_width(const flg_simulation *simulation) {
  return simulation->width;
}
