/* flange inverse - the forces that make a robot follow a trajectory. */
#include <stdio.h>
#include <sysexits.h>

#include "cli/console.h"
#include "cli/table_work.h"
#include "cosim/inverse.h"
#include "io/load.h"
#include "text/quantity.h"
#include "verbs/verbs.h"

/* from a scenario and a trajectory to forces */
typedef struct session {
  const flg_arguments *arguments;
  flg_simulation *simulation;
  flg_robot_subsystem *subsystem;
  flg_controller followed; /* the trajectory */
  flg_pressures pressures;
  flg_inverse_options options;
  flg_inverse *inverse;
} session;

static flg_status inverse_make_row(void *maker, double *row, flg_error *error) {
  return flg_inverse_step(maker, row, error);
}

static void print_inverse_json(const session *run, const flg_joint_table *table) {
  const flg_inverse_outcome outcome = flg_inverse_result(run->inverse);
  const bool discrete = run->options.discrete;
  flg_json json = flg_console_json("inverse");
  flg_console_outcome_json(&json, FLG_OK, NULL);
  flg_json_put(&json, "forces:s samples:g sample:g joints:d force_max:g",
               discrete ? "discrete" : "continuous", (double)table->rows, table->sample,
               table->count, outcome.force);
  if (discrete) {
    flg_json_put(&json, "position_error_max:g velocity_error_max:g trials_max:d", outcome.position,
                 outcome.velocity, outcome.trials);
  }
  flg_json_put(&json, "effort_limit_used:g file:s", outcome.excess,
               flg_arguments_value(run->arguments, "output"));
  flg_json_end(&json);
}

static void print_inverse_summary(const session *run, const flg_joint_table *table) {
  const flg_inverse_outcome outcome = flg_inverse_result(run->inverse);
  const char *output = flg_arguments_value(run->arguments, "output");
  printf("'%s': %s forces, %.0f samples of %.6g s for %d joints; the largest is %.6g\n",
         run->subsystem->options.name, run->options.discrete ? "discrete" : "continuous",
         (double)table->rows, table->sample, table->count, outcome.force);
  if (run->options.discrete) {
    printf("largest errors at the ends of samples: %.2g in position, %.2g in velocity\n",
           outcome.position, outcome.velocity);
  }
  if (output != NULL) printf("forces: %s\n", output);
}

static void warn_of_limits(const session *run) {
  const flg_inverse_outcome outcome = flg_inverse_result(run->inverse);
  if (outcome.excess_joint < 0 || outcome.excess <= 1) return;
  const flg_joint *joint = &run->subsystem->model->joints[outcome.excess_joint];
  flg_log_write(&run->arguments->log, FLG_LOG_WARNING,
                "joint '%s' needs %.6g at t = %.6g s, over its effort limit of %.6g; a run will "
                "not follow",
                joint->name, outcome.excess_force, outcome.excess_time, joint->effort_limit);
}

static int inverse_work(const session *run) {
  flg_joint_table table = {.subsystem = run->subsystem,
                           .count = run->followed.count,
                           .velocities = run->followed.velocities,
                           .quantity = FLG_JOINT_FORCES,
                           .sample = run->options.sample,
                           .rows = flg_inverse_samples(run->inverse)};
  flg_error error = {0};
  int code = EX_OK;
  if (flg_table_work(run->arguments, &table, inverse_make_row, run->inverse, run->simulation->name,
                     &error) != FLG_OK) {
    code = flg_console_fail(run->arguments, &error);
  } else {
    warn_of_limits(run);
    (run->arguments->json ? print_inverse_json : print_inverse_summary)(run, &table);
  }
  flg_joint_table_release(&table);
  return code;
}

static bool load_inverse(session *run, flg_mistakes *mistakes) {
  const char *overrides[FLG_ARGUMENTS_MAX];
  const int count = flg_arguments_values(run->arguments, "set", overrides);
  const char *pressures = flg_arguments_value(run->arguments, "contact-forces");
  const flg_load_options options = {.compose.undriven = true};
  if (flg_simulation_load_as(&run->simulation, run->arguments->positionals[0], overrides, count,
                             options, mistakes) != FLG_OK) {
    return false;
  }
  flg_follower place;
  if (!flg_compose_follower(run->simulation, flg_arguments_value(run->arguments, "subsystem"),
                            (flg_place){.file = "--subsystem"}, &place, mistakes)) {
    return false;
  }
  run->subsystem = place.subject;
  flg_followed_load(&run->followed, run->simulation,
                    flg_arguments_value(run->arguments, "trajectory"), run->subsystem, mistakes);
  if (pressures != NULL && place.assembly != NULL) {
    flg_pressures_load(&run->pressures, run->simulation, pressures, place.assembly, mistakes);
  }
  if (mistakes->count > 0) return false;
  run->options.subsystem = place.subsystem, run->options.robot = place.robot;
  run->options.followed = &run->followed;
  if (pressures != NULL) run->options.pressures = &run->pressures;
  return flg_inverse_build(&run->inverse, run->simulation, &run->options, mistakes) == FLG_OK;
}

/* what the command line asks for; false with a sentence if it does not make sense */
static bool choose_inverse(session *run, flg_error *error) {
  const char *sample = flg_arguments_value(run->arguments, "sample");
  run->options.discrete = flg_arguments_has(run->arguments, "discrete");
  run->options.sample = 1.0 / 60;
  if (flg_arguments_value(run->arguments, "trajectory") == NULL) {
    return flg_fail(error, FLG_ERR_USAGE, "needs --trajectory FILE") == FLG_OK;
  }
  const char *wrong = sample == NULL ? NULL : flg_quantity_parse(sample, "s", &run->options.sample);
  if (sample != NULL) run->options.sample_at.file = "--sample";
  if (wrong == NULL && run->options.sample > 0) return true;
  return flg_fail(error, FLG_ERR_USAGE,
                  "--sample '%s' is no time; expected seconds, greater than 0", sample) == FLG_OK;
}

static int run_inverse(const flg_arguments *arguments) {
  static flg_mistakes mistakes;
  session run = {.arguments = arguments};
  flg_error error;
  if (!choose_inverse(&run, &error)) return flg_console_fail(arguments, &error);
  const int code =
      load_inverse(&run, &mistakes) ? inverse_work(&run) : flg_console_refuse(arguments, &mistakes);
  flg_inverse_release(run.inverse);
  flg_simulation_release(run.simulation);
  return code;
}

static const flg_option options[] = {
    {"trajectory", 't', "FILE", "CSV with a column time and one for each joint: its positions"},
    {"output", 'o', "FILE", "Write the forces on the joints to FILE.csv"},
    {"discrete", 'd', NULL, "Held forces that make the scenario's own integrator land there"},
    {"sample", 0, "SECONDS", "For how long forces are held (default: 1/60)"},
    {"subsystem", 0, "NAME", "Which subsystem follows it (default: the only one)"},
    {"contact-forces", 'c', "FILE", "CSV with forces that take the place of contacts"},
    {"set", 's', "KEY=VALUE", "Change a key of the scenario; may be repeated"},
    {"machine-progress", 0, NULL, "Print '@progress FRACTION TIME END SECONDS_TO_GO' lines"},
};

const flg_verb flg_verb_inverse = {
    .name = "inverse",
    .summary = "find the forces that make a robot follow a trajectory",
    .positional = "SCENARIO",
    .least = 1,
    .most = 1,
    .reads_file = true,
    .description =
        "Reads a trajectory of joints, as 'flange trajectory' writes it, lays a spline through "
        "it,\n"
        "and writes forces on the joints over time, which a controller of kind table applies with\n"
        "the same sample. Gravity, damping, friction, forces on bodies and events of the scenario\n"
        "act; its controllers do not, and their files need not exist.\n\n"
        "Continuous forces are those at the time of each sample. Discrete ones are such that the\n"
        "integrator of the scenario, with its steps, is on the trajectory when the sample ends: "
        "to\n"
        "rounding for up to ten semi-implicit steps a sample. Finer and more accurate integrators\n"
        "are led a little ahead, since their forces would ring, and miss by some 1e-8 rad.\n\n"
        "A robot that interfaces join to others moves with all of them: discrete, and with\n"
        "coupling.scheme=monolithic. Welds of events close on the way. Contacts depend on the\n"
        "forces that are wanted: --contact-forces gives those of contacts, and nothing touches: a\n"
        "column time, and columns such as 'hand/U.z [N]', forces in world axes on bodies and\n"
        "markers, on straight lines between the rows.\n\n"
        "example: flange inverse examples/ssrms/reach.yaml -t trajectory.csv -o torques.csv "
        "--discrete",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_inverse,
};
