/* flange run - simulates a scenario, writes its results, and tells how it went. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sysexits.h>

#include "base/clock.h"
#include "base/growing.h"
#include "cli/console.h"
#include "cli/contact_log.h"
#include "cli/interrupts.h"
#include "cli/output_file.h"
#include "cli/pace.h"
#include "cli/progress.h"
#include "compile/compiled_mechanism.h"
#include "component/assembly_contract.h"
#include "cosim/simulation.h"
#include "coupling/scheme.h"
#include "flange/simulation.h"
#include "io/compared_coupling.h"
#include "io/load.h"
#include "results/checkpoint.h"
#include "results/results.h"
#include "robot/robot_subsystem.h"
#include "text/json.h"
#include "text/quantity.h"
#include "verbs/verbs.h"
#include "viewer/scene_results.h"

enum { WARNINGS_MAX = 64 };
/* part of the energy: more is no longer the error of a step */
static const double GROWTH = 0.02;

/* one run from its files to its summary */
typedef struct session {
  const flg_arguments *arguments;
  flg_simulation *simulation;
  flg_threads *threads;
  flg_results *results; /* NULL: nothing is written */
  flg_scene *scene;     /* what the viewer needs, NULL: it is not recorded */
  int64_t rows;         /* written so far */
  double *values;       /* the last recorded row: signals, then those of the scene */
  double begun;         /* simulated time at the start of the loop [s] */
  double reached;       /* simulated time of the values: a macro step that fails leaves none [s] */
  double energy;        /* at that time [J] */
  double wall;          /* seconds that the loop took */
  const char *checkpoint; /* file, NULL: none are written */
  int claim;              /* on it (results/checkpoint.h) */
  double every;           /* simulated seconds between two */
  double next_checkpoint; /* when the next is due [s] */
  double speed;           /* simulated seconds to one on the clock; 0: as fast as it goes */
  flg_pace pace;          /* if there is a speed */
  flg_contact_log contacts;
  const char *warned[WARNINGS_MAX]; /* what was reported already */
  int warned_count;
  flg_status status;
  flg_error error;
} session;

static void record_step(session *run) {
  flg_simulation_record(run->simulation, run->values);
  run->reached = flg_simulation_time(run->simulation);
  run->energy = flg_simulation_energy(run->simulation).final;
  run->status = flg_contact_log_take(&run->contacts, &run->error);
  if (run->results == NULL || run->status != FLG_OK) return;
  if (run->scene != NULL) {
    double *seen = run->values + flg_simulation_width(run->simulation);
    run->status = flg_scene_store(run->scene, run->results, run->rows, seen, &run->error);
  }
  if (run->status != FLG_OK) return;
  run->status = flg_results_write(run->results, flg_simulation_time(run->simulation), run->values,
                                  &run->error);
  run->rows++;
}

/* slack for a time that is a sum of rounded steps */
static void write_checkpoint(session *run) {
  const double time = flg_simulation_time(run->simulation);
  const bool last = flg_simulation_ended(run->simulation);
  if (run->checkpoint == NULL || (time < run->next_checkpoint * (1 - 1e-12) && !last)) return;
  const double periods = floor((time * (1 + 1e-12) - run->next_checkpoint) / run->every) + 1;
  run->next_checkpoint = fmax(run->next_checkpoint + periods * run->every, time);
  run->status = flg_checkpoint_keep(run->simulation, run->checkpoint, &run->claim, &run->error);
}

static void run_simulate(session *run) {
  const bool machine = flg_arguments_has(run->arguments, "machine-progress");
  flg_simulation *simulation = run->simulation;
  flg_progress progress = flg_progress_begin(flg_simulation_end(simulation), machine);
  const double start = flg_clock();
  run->begun = flg_simulation_time(simulation);
  record_step(run);
  if (run->speed > 0) run->pace = flg_pace_begin(flg_simulation_macro(simulation) / run->speed);
  while (run->status == FLG_OK && !flg_simulation_ended(simulation)) {
    if (flg_interrupted) {
      run->status = flg_fail(&run->error, FLG_ERR_INTERRUPTED, "Stopped at t = %.6g s of %.6g s.",
                             flg_simulation_time(simulation), flg_simulation_end(simulation));
      break;
    }
    run->status = flg_simulation_step(simulation, &run->error);
    if (run->status == FLG_OK) record_step(run);
    if (run->status == FLG_OK) write_checkpoint(run);
    flg_progress_show(&progress, flg_simulation_time(simulation));
    if (run->speed > 0 && run->status == FLG_OK) flg_pace_wait(&run->pace);
  }
  run->wall = flg_clock() - start;
  flg_progress_end(&progress, flg_simulation_time(simulation));
}

static void print_constraints(const flg_simulation *simulation, flg_json *json) {
  double position, velocity;
  if (!flg_simulation_constraints(simulation, &position, &velocity)) return;
  flg_json_put(json, "constraints{ position_max:g velocity_max:g }", position, velocity);
}

static void print_run_interfaces(const flg_simulation *simulation, flg_json *json) {
  const int count = flg_simulation_interface_count(simulation);
  const char *const unknown = NULL; /* becomes null */
  if (count == 0) return;
  flg_json_put(json, "interfaces{");
  for (int k = 0; k < count; k++) {
    const flg_interface_outcome outcome = flg_simulation_interface(simulation, k);
    flg_json_put(json, "*{ pose_drift_max:g energy_residual_max:g rank_min:g condition_max:g",
                 outcome.name, outcome.pose_drift, outcome.energy_residual, outcome.rank,
                 outcome.condition);
    if (isnan(outcome.rank)) { /* nothing is known of its rows */
      flg_json_put(json, "force_unique:s }", unknown);
    } else {
      flg_json_put(json, "force_unique:b }", outcome.is_unique);
    }
  }
  flg_json_put(json, "}");
}

static void print_pace(const session *run, flg_json *json) {
  const flg_pace *pace = &run->pace;
  if (run->speed == 0) return;
  flg_json_put(json,
               "real_time{ factor:g overruns:g jitter_p50:g jitter_p99:g jitter_max:g margin_min:g "
               "margin_mean:g }",
               run->speed, (double)pace->overruns, flg_pace_jitter(pace, 0.5),
               flg_pace_jitter(pace, 0.99), pace->waits == 0 ? (double)NAN : pace->jitter,
               pace->margin_min, pace->margin_sum / (double)pace->steps);
}

/* by which methods subsystems have stepped: 'auto' may be any */
static void print_integrators(const flg_simulation *simulation, flg_json *json) {
  flg_json_put(json, "integrators{");
  for (int k = 0; k < flg_simulation_stepper_count(simulation); k++) {
    flg_json_put(json, "*:s", flg_simulation_stepper(simulation, k),
                 flg_simulation_integrator(simulation, k));
  }
  flg_json_put(json, "}");
}

/* The share of generated code in a stepper: accelerations of robots, steps of components. */
typedef struct compiled_share {
  const char *unit;
  const char *reason; /* what the interpreter was left with: after a number */
  int64_t taken, declined;
} compiled_share;

/* false: all of it is interpreted */
static bool find_share(const flg_simulation *simulation, int index, compiled_share *share) {
  const flg_subsystem *subsystem = &simulation->subsystems[index];
  const flg_robot_subsystem *robot = flg_subsystem_robot(subsystem);
  const flg_assembly *assembly = robot == NULL ? flg_subsystem_assembly(subsystem) : NULL;
  if (robot != NULL && robot->accelerator.accelerate != NULL) {
    *share = (compiled_share){"accelerations", "with locked joints or pushed at ports ",
                              robot->accelerator.taken, robot->accelerator.declined};
    return true;
  }
  *share = (compiled_share){.unit = "steps", .reason = ""};
  return assembly != NULL &&
         flg_compiled_mechanism_steps(assembly, &share->taken, &share->declined);
}

/* what generated code has made, and what was left to the interpreter */
static void print_compiled(const flg_simulation *simulation, flg_json *json) {
  bool is_open = false;
  compiled_share share;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    if (!find_share(simulation, k, &share)) continue;
    if (!is_open) flg_json_put(json, "compiled{");
    is_open = true;
    flg_json_put(json, "*{ *:g interpreted:g }", simulation->subsystems[k].name, share.unit,
                 (double)share.taken, (double)share.declined);
  }
  if (is_open) flg_json_put(json, "}");
}

static void print_compiled_text(const flg_simulation *simulation) {
  compiled_share share;
  for (int k = 0; k < simulation->subsystem_count; k++) {
    if (!find_share(simulation, k, &share)) continue;
    printf("compiled: %s, %" PRId64 " %s", simulation->subsystems[k].name, share.taken, share.unit);
    if (share.declined > 0) {
      printf(", %" PRId64 " more %sinterpreted", share.declined, share.reason);
    }
    printf("\n");
  }
}

static void run_print_warnings(const flg_simulation *simulation, flg_json *json) {
  const char *text;
  flg_json_put(json, "warnings[");
  for (int k = 0; (text = flg_simulation_notice(simulation, k)) != NULL; k++) {
    flg_json_put(json, ":s", text);
  }
  flg_json_put(json, "]");
}

/* of what this run has simulated: one that was resumed began later */
static double real_time_factor(const session *run) {
  return (run->reached - run->begun) / run->wall;
}

static void write_outcome(const session *run, flg_json *json) {
  const flg_simulation *simulation = run->simulation;
  const flg_energy energy = flg_simulation_energy(simulation);
  const flg_signal *signals = flg_simulation_signals(simulation);
  flg_console_outcome_json(json, run->status, run->status == FLG_OK ? NULL : run->error.message);
  flg_json_put(json, "coupling:s", flg_simulation_coupling(simulation));
  print_integrators(simulation, json);
  print_compiled(simulation, json);
  run_print_warnings(simulation, json);
  flg_json_put(json, "end_time:g macro_steps:g", run->reached,
               (double)flg_simulation_macro_steps(simulation));
  int parts = 1;
  flg_json_put(json, "micro_steps:g divided_steps:g wall_seconds:g real_time_factor:g",
               (double)flg_simulation_micro_steps(simulation),
               (double)flg_simulation_divided_steps(simulation, &parts), run->wall,
               real_time_factor(run));
  print_pace(run, json);
  flg_json_put(json, "final{");
  const double *values = run->values;
  for (int k = 0; k < flg_simulation_signal_count(simulation); k++) {
    flg_json_put(json, "*:v", signals[k].name, values, signals[k].width);
    values += signals[k].width;
  }
  flg_json_put(json, "}");
  print_run_interfaces(simulation, json);
  print_constraints(simulation, json);
  flg_contact_log_json(&run->contacts, json);
  flg_json_put(json, "energy{ initial:g final:g min:g max:g }", energy.initial, run->energy,
               energy.least, energy.most);
  char hash[20];
  snprintf(hash, sizeof hash, "%016" PRIx64, flg_simulation_hash(simulation));
  flg_json_put(json, "state_hash:s", hash);
}

static void print_run_json(const session *run) {
  flg_json json = flg_console_json(run->arguments->verb->name);
  write_outcome(run, &json);
  flg_json_end(&json);
}

/* the same, stored in the results file */
static void summarise(session *run) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return;
  flg_json json = flg_json_begin(out);
  write_outcome(run, &json);
  flg_json_end(&json);
  if (fclose(out) == 0 && text != NULL) flg_results_summarise(run->results, text, NULL);
  free(text);
}

static void close_results(session *run) {
  flg_error unwritten = {0};
  const char *ended = run->status == FLG_ERR_OUTPUT ? NULL : flg_console_status_word(run->status);
  if (flg_contact_log_close(&run->contacts, ended, &unwritten) != FLG_OK && run->status == FLG_OK) {
    run->status = unwritten.status;
    run->error = unwritten;
  }
  const bool whole = run->status != FLG_ERR_OUTPUT;
  flg_error error = {0};
  if (run->scene != NULL && run->results != NULL && whole) summarise(run);
  const flg_status closed =
      flg_results_close(run->results, whole ? flg_console_status_word(run->status) : NULL, &error);
  if (!whole || closed == FLG_OK) return;
  run->status = closed;
  run->error = error;
}

static void print_pace_text(const flg_pace *pace) {
  if (pace->steps == 0) return;
  printf(
      "real time: %.0f of %.0f macro steps late; free: %.0f %% of a step at least, %.0f %% on "
      "average\n",
      (double)pace->overruns, (double)pace->steps, 100 * pace->margin_min,
      100 * pace->margin_sum / (double)pace->steps);
  if (pace->waits == 0) return;
  printf("jitter: half of the waits ended at most %.2g s late, 99 %% %.2g s, all %.2g s\n",
         flg_pace_jitter(pace, 0.5), flg_pace_jitter(pace, 0.99), pace->jitter);
}

/* what is printed for a force of which redundant rows leave some open */
static void print_open_forces(const flg_simulation *simulation) {
  const flg_signal *signals = flg_simulation_signals(simulation);
  for (int k = 0; k < flg_simulation_interface_count(simulation); k++) {
    const flg_interface_outcome outcome = flg_simulation_interface(simulation, k);
    const size_t length = strlen(outcome.name);
    for (int j = 0; j < flg_simulation_signal_count(simulation) && !outcome.is_unique; j++) {
      if (strncmp(signals[j].name, outcome.name, length) != 0) continue;
      if (strcmp(signals[j].name + length, ".force") != 0) continue;
      printf("%s: not unique, since rows of the interface are redundant\n", signals[j].name);
    }
  }
}

static void print_integrators_text(const flg_simulation *simulation) {
  printf("integrator:");
  for (int k = 0; k < flg_simulation_stepper_count(simulation); k++) {
    printf("%s %s of %s", k == 0 ? "" : ",", flg_simulation_integrator(simulation, k),
           flg_simulation_stepper(simulation, k));
  }
  printf("\n");
}

/* macro steps that were too long for the scheme */
static void print_divided(const flg_simulation *simulation) {
  int most = 1;
  const int64_t count = flg_simulation_divided_steps(simulation, &most);
  if (count == 0) return;
  printf("coupling: %" PRId64 " of %" PRId64
         " macro steps divided, into up to %d: '%s' lost an interface or failed in them; a smaller "
         "macro step is safer\n",
         count, flg_simulation_macro_steps(simulation), most, flg_simulation_coupling(simulation));
}

/* Told where the coupling can have made the energy that has come in: what it makes in its worst
 * macro step, in all of them, is as much. Motors bring energy in with small residuals. */
static void print_growth(const flg_simulation *simulation, const flg_energy *energy) {
  const double grown = energy->final - energy->initial;
  const double scale = fmax(fabs(energy->initial), energy->most - energy->least);
  double made = 0;
  for (int k = 0; k < flg_simulation_interface_count(simulation); k++) {
    made += flg_simulation_interface(simulation, k).energy_residual;
  }
  made *= (double)flg_simulation_macro_steps(simulation);
  if (!(grown > GROWTH * scale) || !(made > grown)) return;
  printf(
      "coupling: energy grew by %.3g J, and '%s' may have made it: a macro step shorter than %.6g "
      "s "
      "is safer\n",
      grown, flg_simulation_coupling(simulation), flg_simulation_macro(simulation));
}

/* rank and condition of an interface at which no model is met */
static bool is_of_no_model(const flg_signal *signal, double value) {
  const char *dot = strrchr(signal->name, '.');
  return dot != NULL && isnan(value) &&
         (strcmp(dot, ".rank") == 0 || strcmp(dot, ".condition") == 0);
}

static void print_final_values(const session *run) {
  const flg_signal *signals = flg_simulation_signals(run->simulation);
  const double *values = run->values;
  for (int k = 0; k < flg_simulation_signal_count(run->simulation); k++) {
    const char *unit = signals[k].unit;
    const double *of = values;
    values += signals[k].width;
    if (is_of_no_model(&signals[k], of[0])) continue;
    printf("%s%s%s%s =", signals[k].name, unit[0] == '\0' ? "" : " [", unit,
           unit[0] == '\0' ? "" : "]");
    for (; of < values; of++) printf(" %.9g", *of);
    printf("\n");
  }
}

static void print_run_summary(const session *run, const char *output) {
  const flg_simulation *simulation = run->simulation;
  flg_energy energy = flg_simulation_energy(simulation);
  energy.final = run->energy;
  const bool has_failed = flg_simulation_time(simulation) > run->reached;
  printf("%s: %s %s t = %.6g s, %.3g s on the clock, %.3g times real time\n",
         flg_simulation_name(simulation), flg_console_status_word(run->status),
         has_failed ? "after" : "at", run->reached, run->wall, real_time_factor(run));
  if (run->speed > 0) print_pace_text(&run->pace);
  print_integrators_text(simulation);
  print_compiled_text(simulation);
  print_divided(simulation);
  printf("energy: %.9g J at the start, %.9g J at the end\n", energy.initial, energy.final);
  print_growth(simulation, &energy);
  flg_contact_log_text(&run->contacts, run->status == FLG_OK);
  print_final_values(run);
  print_open_forces(simulation);
  if (output != NULL) printf("results: %s\n", output);
}

/* tables have no place for a scene */
static bool wants_scene(const session *run, const char *output) {
  const char *dot = output == NULL ? NULL : strrchr(output, '.');
  return dot != NULL && strcasecmp(dot, ".csv") != 0 &&
         !flg_arguments_has(run->arguments, "signals-only");
}

static void open_results(session *run, const char *output) {
  flg_results_header header = {.name = flg_simulation_name(run->simulation),
                               .scenario = flg_simulation_text(run->simulation),
                               .signals = flg_simulation_signals(run->simulation),
                               .signal_count = flg_simulation_signal_count(run->simulation),
                               .writes_over = flg_arguments_has(run->arguments, "force")};
  flg_signal *all = NULL;
  if (run->scene != NULL) {
    run->status = flg_scene_announce(run->scene, &header, &all, &run->error);
    if (run->status != FLG_OK) return;
  }
  run->status = flg_results_open(&run->results, output, &header, &run->error);
  free(all);
}

static void prepare_values(session *run, const char *output) {
  if (wants_scene(run, output)) {
    run->status = flg_scene_build(&run->scene, run->simulation, &run->error);
    if (run->status != FLG_OK) return;
  }
  const int seen = run->scene == NULL ? 0 : flg_scene_width(run->scene);
  const size_t count = (size_t)flg_simulation_width(run->simulation) + (size_t)seen + 1;
  run->values = calloc(count, sizeof *run->values);
  if (run->values != NULL) return;
  run->status = flg_fail(&run->error, FLG_ERR_MEMORY, "There is no memory left.");
}

static bool was_told(const session *run, const char *text) {
  for (int k = 0; k < run->warned_count; k++) {
    if (run->warned[k] == text) return true;
  }
  return run->warned_count == WARNINGS_MAX;
}

/* what is new since the last time; texts stay where they are */
static void run_warn(session *run) {
  const char *text;
  for (int k = 0; (text = flg_simulation_notice(run->simulation, k)) != NULL; k++) {
    if (was_told(run, text)) continue;
    flg_log_write(&run->arguments->log, FLG_LOG_WARNING, "%s", text);
    run->warned[run->warned_count++] = text;
  }
}

/* A run that came to its end is complete only if all was solved. */
static void judge_run(session *run) {
  if (run->status == FLG_OK) run->status = flg_simulation_judge(run->simulation, &run->error);
}

/* nothing else goes there */
static bool is_table_on_stdout(const char *output) {
  return output != NULL && flg_output_is_standard(output);
}

static int finish_run(session *run, const char *output) {
  judge_run(run);
  close_results(run);
  run_warn(run);
  if (run->arguments->json) {
    print_run_json(run);
  } else if (run->status != FLG_ERR_OUTPUT && !is_table_on_stdout(output)) {
    print_run_summary(run, output);
  }
  if (run->status != FLG_OK) fprintf(stderr, "flange run: %s\n", run->error.message);
  return flg_console_exit_code(run->status);
}

/* what the command line says of checkpoints */
static void prepare_checkpoints(session *run) {
  const char *every = flg_arguments_value(run->arguments, "every");
  const char *resume = flg_arguments_value(run->arguments, "resume");
  run->checkpoint = flg_arguments_value(run->arguments, "checkpoint");
  run->every = 1;
  const char *wrong = every == NULL ? NULL : flg_quantity_parse(every, "s", &run->every);
  if (wrong != NULL || !(run->every > 0)) {
    run->status = flg_fail(&run->error, FLG_ERR_USAGE,
                           "--every '%s' is no time; expected seconds, greater than 0.", every);
    return;
  }
  if (every != NULL && run->checkpoint == NULL) {
    run->status = flg_fail(&run->error, FLG_ERR_USAGE, "--every needs --checkpoint FILE.");
    return;
  }
  if (resume != NULL) run->status = flg_checkpoint_read(run->simulation, resume, &run->error);
  if (resume != NULL && run->status == FLG_OK && flg_simulation_ended(run->simulation)) {
    run->status =
        flg_fail(&run->error, FLG_ERR_USAGE,
                 "--resume: the checkpoint is at t = %.6g s, and the scenario ends at %.6g "
                 "s: nothing is left to simulate; '--set time.end=' makes it longer.",
                 flg_simulation_time(run->simulation), flg_simulation_end(run->simulation));
    return;
  }
  /* the first at once: a file that cannot be written is better told now */
  if (run->status == FLG_OK && run->checkpoint != NULL) {
    run->status = flg_checkpoint_keep(run->simulation, run->checkpoint, &run->claim, &run->error);
  }
  run->next_checkpoint = flg_simulation_time(run->simulation) + run->every;
}

static void prepare_pace(session *run) {
  const char *text = flg_arguments_value(run->arguments, "real-time");
  if (!flg_arguments_has(run->arguments, "real-time")) return;
  run->speed = 1;
  const char *wrong = text == NULL ? NULL : flg_quantity_parse(text, NULL, &run->speed);
  if (wrong == NULL && run->speed >= 1e-6 && run->speed <= 1e9) return;
  run->status = flg_fail(&run->error, FLG_ERR_USAGE,
                         "--real-time '%s' is no factor; expected a number from 1e-6 to 1e9, as in "
                         "--real-time=2 for twice as fast.",
                         text);
}

static void prepare_threads(session *run) {
  if (!flg_arguments_has(run->arguments, "threads")) return;
  run->status = flg_arguments_threads(run->arguments, 1, &run->threads, &run->error);
  if (run->status == FLG_OK) flg_simulation_share(run->simulation, run->threads);
}

static int run_loaded(session *run) {
  const char *output = flg_arguments_value(run->arguments, "output");
  if (run->arguments->json && is_table_on_stdout(output)) {
    run->status = flg_fail(&run->error, FLG_ERR_USAGE,
                           "--json and '-o -' both want standard output; write the results to a "
                           "file.");
  }
  if (run->status == FLG_OK) prepare_threads(run);
  if (run->status == FLG_OK) prepare_pace(run);
  if (run->status == FLG_OK) prepare_checkpoints(run);
  if (run->status == FLG_OK) prepare_values(run, output);
  if (run->status == FLG_OK) {
    const char *table = flg_arguments_value(run->arguments, "contacts");
    const bool writes_over = flg_arguments_has(run->arguments, "force");
    run->status = flg_contact_log_open(&run->contacts, run->simulation, table, writes_over,
                                       &run->arguments->log, &run->error);
  }
  if (run->status == FLG_OK && output != NULL) open_results(run, output);
  if (run->status != FLG_OK) {
    flg_contact_log_close(&run->contacts, NULL, NULL);
    return flg_console_fail(run->arguments, &run->error);
  }
  flg_interrupts_listen();
  flg_simulation_watch(run->simulation, &flg_interrupted);
  run_simulate(run);
  return finish_run(run, output);
}

static void add_override(flg_growing *to, const char *text, flg_region *region) {
  const char **place = flg_growing_add(to, sizeof *place, region);
  if (place != NULL) *place = text;
}

/* what the command line changes in the scenario: --set, then --coupling with its options */
static flg_growing choose_overrides(const flg_arguments *arguments, flg_region *region,
                                    flg_mistakes *mistakes) {
  static const flg_place place = {.file = "--coupling"};
  flg_growing overrides = {0};
  const char *settings[FLG_ARGUMENTS_MAX];
  const int count = flg_arguments_values(arguments, "set", settings);
  for (int k = 0; k < count; k++) add_override(&overrides, settings[k], region);
  const char *text = flg_arguments_value(arguments, "coupling");
  flg_compared_coupling coupling;
  if (text == NULL || !flg_compared_coupling_read(&coupling, text, place, region, mistakes)) {
    return overrides;
  }
  add_override(&overrides,
               flg_region_format(region, "%s coupling.scheme=%s", place.file, coupling.scheme),
               region);
  for (int k = 0; k < coupling.settings.count; k++) {
    add_override(&overrides,
                 flg_region_format(region, "%s %s", place.file, coupling.settings.items[k].name),
                 region);
  }
  return overrides;
}

static int run_scenario(const flg_arguments *arguments) {
  static flg_mistakes mistakes;
  session run = {.arguments = arguments, .claim = -1};
  flg_region region = {0};
  const char *path = arguments->positionals[0];
  flg_growing overrides = choose_overrides(arguments, &region, &mistakes);
  if (region.failed) flg_mistake_add(&mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
  if (mistakes.count == 0) {
    const flg_load_options how = {.compose.compiles = flg_arguments_has(arguments, "compile")};
    flg_simulation_load_as(&run.simulation, path, overrides.items, overrides.count, how, &mistakes);
  }
  flg_region_release(&region);
  if (mistakes.count > 0) return flg_console_refuse(arguments, &mistakes);
  flg_log_write(&arguments->log, FLG_LOG_INFO, "%s: read", path);
  run_warn(&run);
  const int code = run_loaded(&run);
  free(run.values);
  flg_scene_release(run.scene);
  flg_simulation_release(run.simulation);
  flg_threads_release(run.threads);
  return code;
}

static const flg_option options[] = {
    {"output", 'o', "FILE",
     "Write the results to FILE.h5 (HDF5) or FILE.csv; - is CSV on standard output"},
    {"force", 0, NULL, "Write over FILE also if it holds no results"},
    {"signals-only", 0, NULL, "Leave out of FILE.h5 what 'report' and 'view' draw in space"},
    {"contacts", 0, "FILE", "Write all contact points at every recorded time to FILE (.csv, .h5)"},
    {"coupling", 'c', "NAME", "The coupling, with options of the scenario's section 'coupling'",
     flg_coupling_words},
    {"set", 's', "KEY=VALUE", "Change a key of the scenario, as in time.end=5; may be repeated"},
    {"compile", 0, NULL, "Step robots by code that is generated for them and kept in the cache"},
    {"checkpoint", 0, "FILE", "Keep the state in FILE while running, and at the end"},
    {"every", 0, "SECONDS", "Simulated time between two checkpoints (default: 1)"},
    {"resume", 0, "FILE", "Go on from a checkpoint, bit for bit"},
    {"threads", 0, "N", "Share the work among N threads, 0: one on each core (default: 1)"},
    {"real-time", 0, "[=FACTOR]", "Keep in step with the clock, or FACTOR times as fast"},
    {"machine-progress", 0, NULL, "Print '@progress FRACTION TIME END SECONDS_TO_GO' lines"},
};

const flg_verb flg_verb_run = {
    .name = "run",
    .summary = "simulate a scenario",
    .positional = "SCENARIO",
    .least = 1,
    .most = 1,
    .reads_file = true,
    .description =
        "Simulates the scenario file from its start to its end, writes what it records at every\n"
        "macro step, and prints the last values. On a terminal a bar shows how far it has come.\n"
        "Ctrl-C ends the run cleanly: the results so far are kept, and say so.\n\n"
        "Subsystems that interfaces join are brought together by the coupling of the scenario, or\n"
        "by --coupling. Options may follow, as in --coupling 'parallel contacts=smooth'; 'flange\n"
        "schema scenario' says what each coupling and option does. '-' as SCENARIO is standard\n"
        "input.\n\n"
        "With --real-time a macro step that is done too early waits for the clock; at the end the\n"
        "run tells how many were late (overruns), by how much waits ended too late (jitter), and\n"
        "which share of a macro step was free (margin).\n\n"
        "example: flange run examples/pendulum/pendulum.yaml -o pendulum.h5 --set time.end=5",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_scenario,
};
