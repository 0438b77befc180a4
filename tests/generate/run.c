#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "io/load.h"
#include "math/larger.h"

static char folder[64];
static flg_threads *shared;
static flg_mistakes mistakes; /* of the last that was loaded */

static const char *make_files(const mechanism *machine) {
  static text_files files;
  static char path[100];
  if (folder[0] == 0) {
    const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, sizeof folder, "%s/flange-generate-XXXXXX", base);
    if (mkdtemp(folder) == NULL) abort();
  }
  write_files(machine, &files);
  if (!keep_files(&files, folder)) abort();
  snprintf(path, sizeof path, "%s/scenario.yaml", folder);
  return path;
}

void forget_runs(void) {
  char path[100];
  static const text_files none = {.count = 1, .list = {{.name = "scenario.yaml"}}};
  if (folder[0] != 0 && keep_files(&none, folder)) {
    snprintf(path, sizeof path, "%s/scenario.yaml", folder);
    remove(path), rmdir(folder);
  }
  flg_threads_release(shared);
  folder[0] = 0, shared = NULL;
}

static flg_status load_with(const mechanism *machine, const char *const *overrides, int count,
                            flg_load_options options, flg_simulation **to, char message[400]) {
  mistakes = (flg_mistakes){0};
  const char *path = make_files(machine);
  const flg_status status = flg_simulation_load_as(to, path, overrides, count, options, &mistakes);
  message[0] = 0;
  if (status != FLG_OK) flg_mistake_text(&mistakes.list[0], message, 400);
  return status;
}

static flg_status load(const mechanism *machine, flg_load_options options, flg_simulation **to,
                       char message[400]) {
  return load_with(machine, NULL, 0, options, to, message);
}

/* what is not known is a mistake that names it; nothing else may be wrong */
bool find_names(const mechanism *machine, scheme by, const char *const *names, int count,
                bool *known) {
  flg_simulation *simulation = NULL;
  char first[64], second[2000], message[400];
  const char *const overrides[2] = {first, second};
  int length = snprintf(second, sizeof second, "record=[");
  snprintf(first, sizeof first, "coupling.scheme=%s", scheme_name(by));
  for (int k = 0; k < count; k++)
    length += snprintf(second + length, sizeof second - (size_t)length, "%s%s", k > 0 ? ", " : "",
                       names[k]);
  snprintf(second + length, sizeof second - (size_t)length, "]");
  load_with(machine, overrides, 2, (flg_load_options){0}, &simulation, message);
  flg_simulation_release(simulation);
  for (int k = 0; k < count; k++) known[k] = true;
  for (int m = 0; m < mistakes.count; m++) {
    bool named = false;
    for (int k = 0; k < count; k++) {
      char text[80];
      snprintf(text, sizeof text, "record: '%s'", names[k]);
      if (strstr(mistakes.list[m].message, text) == NULL) continue;
      known[k] = false, named = true;
    }
    if (!named) return false;
  }
  return true;
}

flg_status read_mechanism(const mechanism *machine, bool checked, char message[400]) {
  flg_simulation *simulation = NULL;
  const flg_status status =
      load(machine, (flg_load_options){.compare = checked}, &simulation, message);
  flg_simulation_release(simulation);
  return status;
}

flg_status load_mechanism(const mechanism *machine, const char *override, flg_simulation **to,
                          char message[400]) {
  return load_with(machine, &override, override != NULL, (flg_load_options){0}, to, message);
}

static void look(flg_simulation *simulation, const mechanism *machine, outcome *to) {
  double values[BODIES * (BODY_NUMBERS + FORCE_NUMBERS)];
  const double *forces = values + machine->body_count * BODY_NUMBERS;
  flg_simulation_record(simulation, values);
  for (int k = 0; k < machine->body_count; k++) {
    const double *v = values + k * BODY_NUMBERS;
    const flg_quat turn = {v[3], v[4], v[5], v[6]};
    to->seen[to->rows][k] = (sight){.position = flg_vec3_load(v),
                                    .rotation = flg_quat_to_matrix(turn),
                                    .velocity = flg_vec3_load(v + 7),
                                    .spin = flg_vec3_load(v + 10)};
    to->touch[to->rows][k] = (flg_vec3){0, 0, 0};
    if (!can_touch(machine, k)) continue;
    to->touch[to->rows][k] = flg_vec3_load(forces), forces += FORCE_NUMBERS;
  }
  to->energy[to->rows++] = flg_simulation_energy(simulation).final;
}

/* geometry that does not agree, which the program takes for rounded, moves by next to nothing;
 * which bodies move is not unique */
static bool was_adjusted(const flg_simulation *simulation) {
  const char *text;
  for (int k = 0; (text = flg_simulation_notice(simulation, k)) != NULL; k++)
    if (strstr(text, "frames of joints were moved") != NULL) return true;
  return false;
}

static void take_totals(const flg_simulation *simulation, outcome *to) {
  to->energies = flg_simulation_energy(simulation);
  flg_simulation_constraints(simulation, &to->open, &to->slipping);
  to->touches = flg_simulation_contacts(simulation, &to->contacts);
  to->drift = 0;
  for (int k = 0; k < flg_simulation_interface_count(simulation); k++) {
    to->drift = flg_larger(to->drift, flg_simulation_interface(simulation, k).pose_drift);
  }
  to->hash = flg_simulation_hash(simulation);
}

static flg_status load_as(const mechanism *machine, manner how, flg_simulation **to,
                          char message[400]) {
  if (!how.built) return load(machine, (flg_load_options){.compare = how.checked}, to, message);
  const flg_status status = build_by_calls(machine, to, &mistakes);
  message[0] = 0;
  if (status != FLG_OK) flg_mistake_text(&mistakes.list[0], message, 400);
  return status;
}

/* the state goes on in a simulation that was made anew */
static flg_simulation *move_on(flg_simulation *from, const mechanism *machine, manner how,
                               outcome *to) {
  flg_simulation *next = NULL;
  void *state = malloc(flg_simulation_state_bytes(from));
  flg_simulation_save(from, state);
  to->load = load_as(machine, (manner){.built = how.built}, &next, to->message);
  if (to->load == FLG_OK) flg_simulation_restore(next, state);
  free(state);
  flg_simulation_release(from);
  return next;
}

void keep_outcome(outcome *to, const outcome *from) {
  const size_t rows = (size_t)from->rows;
  memcpy(to, from, offsetof(outcome, seen));
  memcpy(to->seen, from->seen, rows * sizeof *from->seen);
  memcpy(to->touch, from->touch, rows * sizeof *from->touch);
  memcpy(to->energy, from->energy, rows * sizeof *from->energy);
}

static void share(flg_simulation *simulation, int threads) {
  flg_error error;
  if (shared == NULL && flg_threads_build(&shared, threads, &error) != FLG_OK) abort();
  flg_simulation_share(simulation, shared);
}

void run_mechanism(const mechanism *machine, manner how, outcome *to) {
  flg_simulation *simulation = NULL;
  memset(to, 0, offsetof(outcome, seen));
  to->macro = machine->micro * machine->step;
  to->load = load_as(machine,
                     (manner){.checked = how.checked, .built = how.built && how.interrupt_at == 0},
                     &simulation, to->message);
  to->status = to->load;
  if (to->load != FLG_OK) return;
  to->adjusted = was_adjusted(simulation);
  if (how.threads > 1) share(simulation, how.threads);
  look(simulation, machine, to);
  while (to->status == FLG_OK && !flg_simulation_ended(simulation) && to->rows < ROWS) {
    flg_error error = {0};
    to->status = flg_simulation_step(simulation, &error);
    if (to->status != FLG_OK) {
      snprintf(to->message, sizeof to->message, "%.390s", error.message);
    } else {
      look(simulation, machine, to);
    }
    if (to->rows == how.interrupt_at + 1 && to->status == FLG_OK && how.interrupt_at > 0) {
      simulation = move_on(simulation, machine, how, to);
      if (simulation == NULL) return;
      if (how.threads > 1) share(simulation, how.threads);
    }
  }
  take_totals(simulation, to);
  flg_error doubt = {0};
  if (to->status == FLG_OK && to->contacts.unsolved == 0) {
    to->status = flg_simulation_judge(simulation, &doubt);
    if (to->status != FLG_OK) snprintf(to->message, sizeof to->message, "%.390s", doubt.message);
  }
  flg_simulation_release(simulation);
}
