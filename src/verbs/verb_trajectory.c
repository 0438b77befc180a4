/* flange trajectory - positions of joints that take a tool along a path. */
#include <stdio.h>
#include <sysexits.h>

#include "cli/console.h"
#include "cli/table_work.h"
#include "io/load.h"
#include "io/trajectory.h"
#include "verbs/verbs.h"

static flg_status trajectory_make_row(void *maker, double *row, flg_error *error) {
  return flg_trajectory_step(maker, row, error);
}

static void print_trajectory_json(const flg_trajectory *trajectory, const flg_joint_table *table,
                                  const char *output) {
  const flg_reach *worst = &trajectory->path.worst;
  flg_json json = flg_console_json("trajectory");
  flg_console_outcome_json(&json, FLG_OK, NULL);
  flg_json_put(&json,
               "samples:g sample:g joints:d position_error_max:g turn_error_max:g steps_max:d "
               "speed_max:g file:s",
               (double)table->rows, table->sample, table->count, worst->position, worst->turn,
               worst->steps, flg_joint_table_rate(table).rate, output);
  flg_json_end(&json);
}

static void print_trajectory_summary(const flg_trajectory *trajectory, const flg_joint_table *table,
                                     const char *output) {
  const flg_reach *worst = &trajectory->path.worst;
  printf("'%s': %.0f samples of %.6g s for %d joints\n", trajectory->path.name, (double)table->rows,
         table->sample, table->count);
  printf("largest errors: %.2g m, %.2g rad; largest joint speed: %.4g\n", worst->position,
         worst->turn, flg_joint_table_rate(table).rate);
  if (output != NULL) printf("trajectory: %s\n", output);
}

static void warn_of_speed(const flg_arguments *arguments, const flg_joint_table *table) {
  const flg_joint_rate rate = flg_joint_table_rate(table);
  if (rate.joint < 0 || rate.excess <= 1) return;
  const flg_joint *joint = &table->subsystem->model->joints[rate.joint];
  flg_log_write(&arguments->log, FLG_LOG_WARNING,
                "joint '%s' moves at %.4g at t = %.6g s, over its speed limit of %.4g", joint->name,
                rate.excess * joint->speed_limit, rate.time, joint->speed_limit);
}

static int trajectory_work(const flg_arguments *arguments, const flg_simulation *simulation,
                           flg_trajectory *trajectory) {
  const char *output = flg_arguments_value(arguments, "output");
  flg_joint_table table = {.subsystem = trajectory->subsystem,
                           .count = trajectory->count,
                           .velocities = trajectory->velocities,
                           .quantity = FLG_JOINT_POSITIONS,
                           .sample = trajectory->sample,
                           .rows = trajectory->samples};
  flg_error error = {0};
  int code = EX_OK;
  if (flg_table_work(arguments, &table, trajectory_make_row, trajectory, simulation->name,
                     &error) != FLG_OK) {
    code = flg_console_fail(arguments, &error);
  } else {
    warn_of_speed(arguments, &table);
    (arguments->json ? print_trajectory_json : print_trajectory_summary)(trajectory, &table,
                                                                         output);
  }
  flg_joint_table_release(&table);
  return code;
}

/* what the command line says of the file of targets, as keys of it; returns how many */
static int trajectory_override(const flg_arguments *arguments, char texts[2][1000],
                               const char **overrides) {
  const char *lock = flg_arguments_value(arguments, "lock");
  const char *sample = flg_arguments_value(arguments, "sample");
  int count = 0;
  if (lock != NULL) {
    snprintf(texts[count], sizeof texts[0], "--lock lock=[%s]", lock);
    overrides[count] = texts[count], count++;
  }
  if (sample != NULL) {
    snprintf(texts[count], sizeof texts[0], "--sample sample=%s", sample);
    overrides[count] = texts[count], count++;
  }
  return count;
}

static int run_trajectory(const flg_arguments *arguments) {
  static flg_mistakes mistakes;
  static char texts[2][1000];
  const char *targets = flg_arguments_value(arguments, "targets");
  const char *settings[FLG_ARGUMENTS_MAX], *overrides[2];
  const int setting_count = flg_arguments_values(arguments, "set", settings);
  const int override_count = trajectory_override(arguments, texts, overrides);
  if (targets == NULL) {
    flg_error error;
    flg_fail(&error, FLG_ERR_USAGE, "needs --targets FILE");
    return flg_console_fail(arguments, &error);
  }
  flg_simulation *simulation = NULL;
  flg_trajectory trajectory = {0};
  int code;
  if (flg_simulation_load_as(&simulation, arguments->positionals[0], settings, setting_count,
                             (flg_load_options){.compose.undriven = true}, &mistakes) != FLG_OK ||
      flg_trajectory_read(&trajectory, simulation, targets, overrides, override_count, &mistakes) !=
          FLG_OK) {
    code = flg_console_refuse(arguments, &mistakes);
  } else {
    code = trajectory_work(arguments, simulation, &trajectory);
  }
  flg_simulation_release(simulation);
  return code;
}

static const flg_option options[] = {
    {"targets", 't', "FILE", "Where the tool shall be, and when: see 'flange schema trajectory'"},
    {"output", 'o', "FILE", "Write the positions of the joints to FILE.csv"},
    {"sample", 0, "SECONDS", "Interval between two rows, as in 1/60, instead of the file's"},
    {"lock", 0, "JOINTS", "Joints that stay where they are, as in joint1,joint2"},
    {"set", 's', "KEY=VALUE", "Change a key of the scenario; may be repeated"},
    {"machine-progress", 0, NULL, "Print '@progress FRACTION TIME END SECONDS_TO_GO' lines"},
};

const flg_verb flg_verb_trajectory = {
    .name = "trajectory",
    .summary = "make a trajectory of joints from targets of a tool",
    .positional = "SCENARIO",
    .least = 1,
    .most = 1,
    .reads_file = true,
    .description =
        "Takes a frame of a robot from target to target, on straight lines or arcs or joint by\n"
        "joint, from rest to rest, and writes the positions of all joints over time as CSV, which\n"
        "controllers follow (`file:`) and 'flange inverse' reads. Inverse kinematics by damped\n"
        "least squares: of all ways a short one, within the limits of the joints. If a target\n"
        "cannot be reached it says when and by how much, and writes nothing.\n\n"
        "example: flange trajectory examples/ssrms/reach.yaml -t examples/ssrms/targets.yaml \\\n"
        "             -o trajectory.csv",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_trajectory,
};
