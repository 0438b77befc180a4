/* snapshot.c - a simulation's state as bytes: the clock, what is known of interfaces, then the
 * state of every subsystem. The hash is of what steps depend on: the first two are not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cosim/simulation.h"

/* the subsystems, then what the coupling remembers; inputs come last, if there are any */
static int lasting_pieces(const flg_simulation *simulation) {
  return simulation->subsystem_count + (simulation->coupling != NULL);
}

static int pieces_of(const flg_simulation *simulation) {
  return lasting_pieces(simulation) + (simulation->input_width > 0);
}

static flg_subsystem_state state_at(const flg_simulation *simulation, int index) {
  if (index == lasting_pieces(simulation)) {
    return (flg_subsystem_state){simulation->inputs, simulation->input_width, 0};
  }
  if (index == simulation->subsystem_count) {
    flg_subsystem_state state = {0};
    state.values = flg_coupling_state(simulation->coupling, &state.count);
    return state;
  }
  const flg_subsystem *subsystem = &simulation->subsystems[index];
  return subsystem->ops->state(subsystem->self);
}

static size_t bytes_of_state(flg_subsystem_state state) {
  return (size_t)state.count * sizeof *state.values;
}

static size_t telemetry_bytes(const flg_simulation *simulation) {
  return (size_t)simulation->telemetry_count * sizeof *simulation->telemetry;
}

size_t flg_simulation_state_bytes(const flg_simulation *simulation) {
  size_t bytes = sizeof simulation->clock + telemetry_bytes(simulation);
  for (int k = 0; k < pieces_of(simulation); k++) bytes += bytes_of_state(state_at(simulation, k));
  return bytes;
}

static void save_pieces(const flg_simulation *simulation, int pieces, void *state) {
  unsigned char *to = state;
  memcpy(to, &simulation->clock, sizeof simulation->clock);
  to += sizeof simulation->clock;
  if (simulation->telemetry_count > 0) {
    memcpy(to, simulation->telemetry, telemetry_bytes(simulation));
    to += telemetry_bytes(simulation);
  }
  for (int k = 0; k < pieces; k++) {
    const flg_subsystem_state from = state_at(simulation, k);
    memcpy(to, from.values, bytes_of_state(from));
    to += bytes_of_state(from);
  }
}

static void restore_pieces(flg_simulation *simulation, int pieces, const void *state) {
  const unsigned char *from = state;
  memcpy(&simulation->clock, from, sizeof simulation->clock);
  from += sizeof simulation->clock;
  if (simulation->telemetry_count > 0) {
    memcpy(simulation->telemetry, from, telemetry_bytes(simulation));
    from += telemetry_bytes(simulation);
  }
  for (int k = 0; k < pieces; k++) {
    const flg_subsystem_state to = state_at(simulation, k);
    memcpy(to.values, from, bytes_of_state(to));
    from += bytes_of_state(to);
  }
  flg_inputs_apply(simulation);
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *subsystem = &simulation->subsystems[k];
    subsystem->ops->refresh(subsystem->self, flg_simulation_time(simulation));
  }
}

void flg_simulation_save(const flg_simulation *simulation, void *state) {
  save_pieces(simulation, pieces_of(simulation), state);
}

void flg_simulation_restore(flg_simulation *simulation, const void *state) {
  restore_pieces(simulation, pieces_of(simulation), state);
}

/* no input is open at the start */
void flg_simulation_keep_start(flg_simulation *simulation) {
  const size_t bytes = flg_simulation_state_bytes(simulation);
  simulation->start = flg_region_take(&simulation->region, bytes, 1);
  if (simulation->start != NULL) flg_simulation_save(simulation, simulation->start);
}

void flg_simulation_rewind(flg_simulation *simulation) {
  flg_inputs_clear(simulation);
  restore_pieces(simulation, lasting_pieces(simulation), simulation->start);
}

/* ---- states from files ---- */

/* Of the largest error of joints that the clock of a state has: more is no rounding, but a state
 * that no step has left. */
static const double OPEN = 2;

/* how many events steps so far have made happen, as apply_events counts them */
static int64_t events_before(const flg_simulation *simulation, int64_t done) {
  const double last = ((double)(done - 1) + FLG_EVEN_TOLERANCE) * simulation->macro;
  int64_t count = 0;
  while (done > 0 && count < simulation->event_count && simulation->events[count].at <= last) {
    count++;
  }
  return count;
}

static bool are_counts(const int64_t *numbers, int count, int64_t most) {
  for (int k = 0; k < count; k++) {
    if (numbers[k] < 0 || numbers[k] > most) return false;
  }
  return true;
}

/* what of the clock cannot be; NULL: nothing */
static const char *wrong_clock(const flg_simulation *simulation) {
  const flg_simulation_clock *clock = &simulation->clock;
  const flg_energy *energy = &clock->energy;
  const flg_contact_outcome *contacts = &clock->contacts;
  const int64_t most = INT64_C(1) << 53;
  int64_t steps = 0;
  for (int k = 0; k < simulation->subsystem_count; k++) steps += simulation->micro_steps[k];
  if (clock->done < 0 || clock->done > most / (steps + 1)) return "its number of macro steps";
  if (clock->micro_done != clock->done * steps) return "its number of micro steps";
  if (clock->next_event != events_before(simulation, clock->done)) return "its next event";
  if (!are_counts((const int64_t[]){clock->divided}, 1, clock->done) ||
      !are_counts(&clock->most_parts, 1, most)) {
    return "its number of divided steps";
  }
  if (!isfinite(energy->initial) || !isfinite(energy->final) || !(energy->least <= energy->most) ||
      !isfinite(clock->gained) || !(clock->kinetic >= 0)) {
    return "its energies";
  }
  if (!(clock->constraints.position >= 0) || !(clock->constraints.velocity >= 0)) {
    return "the largest errors of its joints";
  }
  const int64_t counts[] = {contacts->switches, contacts->inside_macro_step, contacts->hits,
                            contacts->iterations, contacts->unsolved};
  if (!are_counts(counts, 5, most) || !are_counts(&contacts->method, 1, 100) ||
      !(contacts->residual >= 0) || !(contacts->penetration >= 0)) {
    return "its counts of contacts";
  }
  return NULL;
}

/* Motion is finite; no other number is NaN where none was at the start. */
static bool is_state(const flg_subsystem_state *now, const double *start) {
  for (int i = 0; i < now->count; i++) {
    if (i < now->motion && !isfinite(now->values[i])) return false;
    if (isnan(now->values[i]) && !isnan(start[i])) return false;
  }
  return true;
}

static const char *wrong_state(const flg_simulation *simulation, const unsigned char *start) {
  start += sizeof simulation->clock + telemetry_bytes(simulation);
  for (int k = 0; k < pieces_of(simulation); k++) {
    const flg_subsystem_state now = state_at(simulation, k);
    if (!is_state(&now, (const double *)(const void *)start)) {
      return k < simulation->subsystem_count ? simulation->subsystems[k].name : "the coupling";
    }
    start += bytes_of_state(now);
  }
  return NULL;
}

static void tell_open_joints(flg_simulation *simulation) {
  const double most = OPEN * simulation->clock.constraints.position;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    const flg_subsystem *of = &simulation->subsystems[k];
    if (of->ops->constraints == NULL) continue;
    const flg_constraint_errors errors = of->ops->constraints(of->self);
    if (errors.position <= most && isfinite(errors.velocity)) continue;
    flg_notice_add(&simulation->notices, of->name,
                   "its state does not fulfil its joints: %.3g (m or rad) is left",
                   errors.position);
  }
}

flg_status flg_simulation_adopt(flg_simulation *simulation, const void *state, flg_error *error) {
  unsigned char *before = malloc(flg_simulation_state_bytes(simulation));
  if (before == NULL) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for its state");
  flg_status status = FLG_OK;
  flg_simulation_save(simulation, before);
  flg_simulation_restore(simulation, state);
  const char *clock = wrong_clock(simulation);
  const char *of = clock == NULL ? wrong_state(simulation, before) : NULL;
  if (clock != NULL) status = flg_fail(error, FLG_ERR_INPUT, "%s cannot be", clock);
  if (of != NULL) status = flg_fail(error, FLG_ERR_INPUT, "numbers of '%s' are not finite", of);
  if (status == FLG_OK) {
    tell_open_joints(simulation);
  } else {
    flg_simulation_restore(simulation, before);
  }
  free(before);
  return status;
}

uint64_t flg_simulation_hash(const flg_simulation *simulation) {
  if (simulation == NULL) return 0;
  uint64_t hash = flg_hash(FLG_HASH_SEED, &simulation->clock.done, sizeof simulation->clock.done);
  for (int k = 0; k < pieces_of(simulation); k++) {
    const flg_subsystem_state state = state_at(simulation, k);
    hash = flg_hash(hash, state.values, bytes_of_state(state));
  }
  return hash;
}
