/* flange analyze - how easily the sides of an interface move: admittance, rank, effective mass. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "base/closest.h"
#include "cli/console.h"
#include "cli/output_file.h"
#include "cosim/simulation.h"
#include "io/load.h"
#include "robot/robot_subsystem.h"
#include "text/csv.h"
#include "text/quantity.h"
#include "verbs/verbs.h"
#include "viewer/ellipsoid_svg.h"

enum { SIDES = 2, WORD = 200 };

typedef struct session {
  const flg_arguments *arguments;
  flg_simulation *simulation;
  const flg_interface *interface;
  int ends[SIDES], side_count; /* of the interface that are looked at */
  flg_drawn_side sides[SIDES];
  flg_csv_table table; /* of --along */
  bool is_smooth;      /* closed contacts are joints */
  flg_mistakes mistakes;
} session;

static bool analyze_wrong(session *run, const char *option, const char *value, const char *what) {
  flg_mistake_add(&run->mistakes, FLG_ERR_USAGE, (flg_place){0}, "--%s '%s': %s", option, value,
                  what);
  return false;
}

/* --- what is asked for ------------------------------------------------------------------------ */

static bool analyze_find_interface(session *run) {
  const flg_simulation *simulation = run->simulation;
  const char *name = flg_arguments_value(run->arguments, "interface");
  if (simulation->interface_count == 0) {
    flg_mistake_add(&run->mistakes, FLG_ERR_INPUT,
                    (flg_place){.file = run->arguments->positionals[0]},
                    "the scenario has no interfaces");
    return false;
  }
  if (name == NULL && simulation->interface_count == 1) {
    run->interface = &simulation->interfaces[0];
    return true;
  }
  char hint[FLG_HINT_TEXT], text[FLG_HINT_TEXT + 128];
  if (name == NULL) {
    flg_mistake_add(&run->mistakes, FLG_ERR_USAGE, (flg_place){0},
                    "the scenario has %d interfaces: say which, as in --interface %s",
                    simulation->interface_count, simulation->interfaces[0].name);
    return false;
  }
  flg_closest closest = flg_closest_begin(name);
  for (int k = 0; k < simulation->interface_count; k++) {
    run->interface = &simulation->interfaces[k];
    if (strcmp(run->interface->name, name) == 0) return true;
    flg_closest_offer(&closest, run->interface->name);
  }
  snprintf(text, sizeof text, "there is no such interface%s", flg_closest_text(&closest, hint));
  return analyze_wrong(run, "interface", name, text);
}

/* a gear or a rack has teeth, and no frame of its own */
static bool has_sides(session *run) {
  if (flg_interface_has_ends(run->interface)) return true;
  flg_mistake_add(&run->mistakes, FLG_ERR_INPUT, (flg_place){0},
                  "interface '%s' is a %s, which joins no frames: there is no side to analyze",
                  run->interface->name, run->interface->word);
  return false;
}

static const char *end_name(const session *run, int end) {
  const int subsystem = run->interface->end[end].subsystem;
  return subsystem < 0 ? "world" : run->simulation->subsystems[subsystem].name;
}

static bool wrong_side(session *run, const char *side) {
  char hint[FLG_HINT_TEXT];
  flg_closest closest = flg_closest_begin(side);
  for (int e = 0; e < 2; e++) flg_closest_offer(&closest, end_name(run, e));
  flg_mistake_add(&run->mistakes, FLG_ERR_USAGE, (flg_place){0},
                  "--side '%s': interface '%s' joins %s and %s%s", side, run->interface->name,
                  end_name(run, 0), end_name(run, 1), flg_closest_text(&closest, hint));
  return false;
}

static bool find_sides(session *run) {
  const char *side = flg_arguments_value(run->arguments, "side");
  for (int e = 0; e < SIDES; e++) {
    const int subsystem = run->interface->end[e].subsystem;
    if (subsystem < 0) continue;
    const char *name = run->simulation->subsystems[subsystem].name;
    if (side != NULL && strcmp(side, name) != 0) continue;
    run->sides[run->side_count].name = name;
    run->ends[run->side_count++] = e;
  }
  return run->side_count > 0 || wrong_side(run, side);
}

static flg_subsystem *subsystem_of_side(const session *run, int side) {
  return &run->simulation->subsystems[run->interface->end[run->ends[side]].subsystem];
}

/* tries an action on each side that is looked at; the first that knows the name takes it */
static bool act(session *run, flg_action action, const char *option, const char *name,
                const double *value) {
  flg_error error = {0};
  for (int k = 0; k < run->side_count; k++) {
    flg_subsystem *subsystem = subsystem_of_side(run, k);
    int target;
    if (flg_subsystem_aim(subsystem, action, name, value == NULL ? 0 : 1, &target, &error) !=
        FLG_OK) {
      continue;
    }
    const flg_event event = {.action = action,
                             .subsystem = subsystem,
                             .target = target,
                             .value_count = value != NULL,
                             .values = value};
    const double time = flg_simulation_time(run->simulation);
    if (flg_simulation_apply(run->simulation, &event, 1, time, &error) == FLG_OK) return true;
    break;
  }
  return analyze_wrong(run, option, name, error.message);
}

/* the name of the number-th moving joint of the first robot that is looked at */
static const char *joint_by_number(const session *run, int number) {
  for (int k = 0; k < run->side_count; k++) {
    const flg_robot_subsystem *robot = flg_subsystem_robot(subsystem_of_side(run, k));
    for (int j = 0; robot != NULL && j < robot->model->joint_count; j++) {
      if (robot->robot.joint_links[j] < 0) continue;
      if (number-- == 0) return robot->model->joints[j].name;
    }
    if (robot != NULL) return NULL;
  }
  return NULL;
}

/* one word of --pose: name=angle, or the angle of the next joint */
static bool analyze_set_joint(session *run, char *word, int number) {
  char *equal = strchr(word, '=');
  const char *name = equal == NULL ? joint_by_number(run, number) : word;
  const char *text = equal == NULL ? word : equal + 1;
  double value;
  if (equal != NULL) *equal = '\0';
  if (name == NULL) return analyze_wrong(run, "pose", text, "there are more numbers than joints");
  const char *fault = flg_quantity_parse(text, NULL, &value);
  if (fault != NULL) return analyze_wrong(run, "pose", text, fault);
  return act(run, FLG_ACTION_SET, "pose", name, &value);
}

/* each word of a list a,b,c */
static bool for_words(session *run, const char *option, bool (*use)(session *, char *, int)) {
  const char *at = flg_arguments_value(run->arguments, option);
  for (int number = 0; at != NULL && *at != '\0'; number++) {
    char word[WORD];
    const size_t length = strcspn(at, ",");
    if (length >= sizeof word) return analyze_wrong(run, option, at, "this word is too long");
    memcpy(word, at, length);
    word[length] = '\0';
    if (!use(run, word, number)) return false;
    at += length + (at[length] == ',');
  }
  return true;
}

static bool lock_joint(session *run, char *word, int number) {
  (void)number;
  return act(run, FLG_ACTION_LOCK, "lock", word, NULL);
}

static bool choose_contacts(session *run) {
  const char *word = flg_arguments_value(run->arguments, "contacts");
  run->is_smooth = word != NULL && strcmp(word, "smooth") == 0;
  if (word == NULL || run->is_smooth || strcmp(word, "nonsmooth") == 0) return true;
  return analyze_wrong(run, "contacts", word, "expected smooth or nonsmooth");
}

/* runs up to the communication point at or after --at */
static bool go_to(session *run, const char *text) {
  double time;
  char what[WORD];
  const char *fault = flg_quantity_parse(text, "s", &time);
  const double end = flg_simulation_end(run->simulation);
  if (fault != NULL) return analyze_wrong(run, "at", text, fault);
  if (!(time >= 0 && time <= end)) {
    snprintf(what, sizeof what, "the time is from 0 to %.6g s", end);
    return analyze_wrong(run, "at", text, what);
  }
  flg_error error;
  while (flg_simulation_time(run->simulation) < time * (1 - 1e-12)) {
    if (flg_simulation_step(run->simulation, &error) == FLG_OK) continue;
    flg_mistake_add(&run->mistakes, error.status, (flg_place){0}, "%s", error.message);
    return false;
  }
  return true;
}

/* --- looking ---------------------------------------------------------------------------------- */

static bool look_at_sides(session *run) {
  for (int k = 0; k < run->side_count; k++) {
    flg_error error;
    if (flg_side_analyse(run->interface, run->ends[k], run->simulation->subsystems, run->is_smooth,
                         &run->sides[k].analysis, &error) == FLG_OK) {
      continue;
    }
    flg_mistake_add(&run->mistakes, error.status, (flg_place){0}, "%s", error.message);
    return false;
  }
  return true;
}

/* --- along a recorded run --------------------------------------------------------------------- */

/* the joint that a column is of: arm/joint1.position in results, joint1 in trajectories */
static bool joint_of_column(const char *column, const char *subsystem, char joint[WORD]) {
  const size_t length = strlen(subsystem);
  if (strncmp(column, subsystem, length) == 0 && column[length] == '/') column += length + 1;
  const char *dot = strrchr(column, '.');
  const size_t end = dot == NULL ? strlen(column) : (size_t)(dot - column);
  if ((dot != NULL && strcmp(dot, ".position") != 0) || end == 0 || end >= WORD) return false;
  memcpy(joint, column, end);
  joint[end] = '\0';
  return true;
}

/* the pose of one row; how many joints it told of */
static int analyze_take_row(session *run, const flg_csv_table *table, size_t row) {
  const double *values = table->values + row * table->columns;
  int found = 0;
  for (int k = 0; k < run->side_count; k++) {
    flg_subsystem *subsystem = subsystem_of_side(run, k);
    for (size_t j = 1; j < table->columns; j++) {
      char joint[WORD];
      int target;
      flg_error unread;
      if (!joint_of_column(table->names[j], subsystem->name, joint) ||
          flg_subsystem_aim(subsystem, FLG_ACTION_SET, joint, 1, &target, &unread) != FLG_OK) {
        continue;
      }
      subsystem->ops->act(subsystem->self, FLG_ACTION_SET, target, &values[j]);
      found++;
    }
  }
  return found;
}

static void print_row(const session *run, double time, flg_json *json) {
  if (json == NULL) printf("%10.4f", time);
  if (json != NULL) {
    flg_json_put(json, "{ time:g", time);
  }
  for (int k = 0; k < run->side_count; k++) {
    const flg_side_analysis *of = &run->sides[k].analysis;
    if (json == NULL) {
      printf("  %4d  %10.4g  %9.4g %9.4g %9.4g", of->rank, of->condition, of->masses[0],
             of->masses[1], of->masses[2]);
      continue;
    }
    flg_json_put(json, "*{ rank:d condition:g masses:v }", run->sides[k].name, of->rank,
                 of->condition, of->masses, 3);
  }
  if (json == NULL) printf("\n");
  if (json != NULL) flg_json_put(json, "}");
}

static bool print_rows(session *run, const flg_csv_table *table, flg_json *json) {
  for (size_t row = 0; row < table->rows; row++) {
    if (analyze_take_row(run, table, row) == 0) {
      const flg_place place = {.file = flg_arguments_value(run->arguments, "along")};
      flg_mistake_add(
          &run->mistakes, FLG_ERR_INPUT, place,
          "no column is the position of a joint of these sides, as in arm/joint1.position");
      return false;
    }
    if (!look_at_sides(run)) return false;
    print_row(run, table->values[row * table->columns], json);
  }
  return true;
}

/* rows come before it is known how it ends */
static void print_outcome(const session *run, flg_json *json) {
  char text[FLG_MISTAKE_TEXT];
  const bool is_good = run->mistakes.count == 0;
  if (!is_good) flg_mistake_text(&run->mistakes.list[0], text, sizeof text);
  flg_console_outcome_json(json, is_good ? FLG_OK : run->mistakes.status, is_good ? NULL : text);
}

static bool read_along(session *run, const char *path) {
  flg_error error;
  if (path == NULL || flg_csv_read(path, NULL, &run->table, &error) == FLG_OK) return true;
  flg_mistake_add(&run->mistakes, error.status, (flg_place){0}, "%s", error.message);
  return false;
}

static bool go_along(session *run) {
  bool is_good;
  if (run->arguments->json) {
    flg_json json = flg_console_json("analyze");
    flg_json_put(&json, "interface:s along[", run->interface->name);
    is_good = print_rows(run, &run->table, &json);
    flg_json_put(&json, "]");
    print_outcome(run, &json);
    flg_json_end(&json);
  } else {
    printf("%10s", "time [s]");
    for (int k = 0; k < run->side_count; k++) {
      printf("  %s: rank, condition, effective masses [kg]", run->sides[k].name);
    }
    printf("\n");
    is_good = print_rows(run, &run->table, NULL);
  }
  return is_good;
}

/* --- telling ---------------------------------------------------------------------------------- */

static void print_matrix(flg_json *json, const char *key, const double *matrix) {
  flg_json_put(json, "*[", key);
  for (int i = 0; i < FLG_ANALYSIS_ROWS; i++) {
    double row[FLG_ANALYSIS_ROWS];
    for (int j = 0; j < FLG_ANALYSIS_ROWS; j++) row[j] = matrix[i + FLG_ANALYSIS_ROWS * j];
    flg_json_put(json, ":v", row, FLG_ANALYSIS_ROWS);
  }
  flg_json_put(json, "]");
}

static void print_side_json(const flg_drawn_side *side, flg_json *json) {
  const flg_side_analysis *of = &side->analysis;
  const char *const unknown = NULL; /* becomes null */
  flg_json_put(json,
               "*{ closed_contacts:d rank:d condition:g singular_values:v translation{ rank:d "
               "condition:g } rotation{ rank:d condition:g }",
               side->name, of->closed, of->rank, of->condition, of->singular, FLG_ANALYSIS_ROWS,
               of->rank_linear, of->condition_linear, of->rank_angular, of->condition_angular);
  print_matrix(json, "admittance", of->admittance);
  if (of->rank == FLG_ANALYSIS_ROWS) {
    print_matrix(json, "effective_mass", of->effective_mass);
  } else {
    flg_json_put(json, "effective_mass:s", unknown);
  }
  if (of->bends && of->rank == FLG_ANALYSIS_ROWS) {
    print_matrix(json, "effective_stiffness", of->stiffness);
    print_matrix(json, "effective_damping", of->damping);
  } else {
    flg_json_put(json, "effective_stiffness:s effective_damping:s", unknown, unknown);
  }
  flg_json_put(json, "ellipsoid{ masses:v axes[", of->masses, 3);
  for (int k = 0; k < 3; k++) {
    double axis[3];
    flg_vec3_store(of->axes[k], axis);
    flg_json_put(json, ":v", axis, 3);
  }
  flg_json_put(json, "] } }");
}

static void print_analysis_json(const session *run) {
  flg_json json = flg_console_json("analyze");
  flg_console_outcome_json(&json, FLG_OK, NULL);
  flg_json_put(&json, "interface:s sides{", run->interface->name);
  for (int k = 0; k < run->side_count; k++) print_side_json(&run->sides[k], &json);
  flg_json_put(&json, "}");
  flg_json_end(&json);
}

static void print_condition(const char *what, int rank, int rows, double condition) {
  printf("  %-12s rank %d of %d", what, rank, rows);
  if (isfinite(condition)) {
    printf(", condition %.4g\n", condition);
  } else {
    printf(": it cannot move in %d direction%s\n", rows - rank, flg_plural(rows - rank));
  }
}

/* of the six rows, the diagonals: [linear; angular] in world axes */
static void print_elastic(const flg_side_analysis *of) {
  if (!of->bends || of->rank < FLG_ANALYSIS_ROWS) return;
  const char *const words[] = {"effective stiffness", "effective damping"};
  const double *const matrices[] = {of->stiffness, of->damping};
  for (int k = 0; k < 2; k++) {
    printf("  %s, diagonal", words[k]);
    for (int i = 0; i < FLG_ANALYSIS_ROWS; i++) {
      printf(" %.4g", matrices[k][i * (FLG_ANALYSIS_ROWS + 1)]);
    }
    printf("\n");
  }
}

static void print_analysis_text(const session *run) {
  printf("interface %s\n", run->interface->name);
  for (int k = 0; k < run->side_count; k++) {
    const flg_side_analysis *of = &run->sides[k].analysis;
    printf("%s, at (%.4g, %.4g, %.4g)\n", run->sides[k].name, of->place.x, of->place.y,
           of->place.z);
    if (of->closed > 0) {
      printf("  %d closed contact%s: %s\n", of->closed, flg_plural(of->closed),
             run->is_smooth ? "joints (smooth)" : "left open (nonsmooth)");
    }
    print_condition("admittance", of->rank, 6, of->condition);
    print_condition("translation", of->rank_linear, 3, of->condition_linear);
    print_condition("rotation", of->rank_angular, 3, of->condition_angular);
    print_elastic(of);
    for (int i = 0; i < 3; i++) {
      printf("  effective mass %.5g kg along (%.3f, %.3f, %.3f)\n", of->masses[i], of->axes[i].x,
             of->axes[i].y, of->axes[i].z);
    }
  }
}

static bool draw_ellipsoids(session *run, const char *path) {
  flg_error error = {0};
  FILE *file = flg_output_open(path, FLG_KIND_PICTURE, &error);
  if (file != NULL) {
    flg_ellipsoid_svg(run->sides, run->side_count, run->interface->name, file);
    if (flg_output_close(file, path, &error) == FLG_OK) return true;
  }
  flg_mistake_add(&run->mistakes, FLG_ERR_OUTPUT, (flg_place){0}, "%s", error.message);
  return false;
}

/* with --at the scenario runs: one subsystem after the other, unless --set says otherwise */
static bool load_analyzed(session *of, const char *at) {
  const char *overrides[FLG_ARGUMENTS_MAX + 1] = {"coupling.scheme=sequential"};
  const int count = flg_arguments_values(of->arguments, "set", overrides + 1);
  const flg_load_options looked = {.compose = {.undriven = true, .apart = true}}, running = {0};
  return flg_simulation_load_as(&of->simulation, of->arguments->positionals[0],
                                at == NULL ? overrides + 1 : overrides, count + (at != NULL),
                                at == NULL ? looked : running, &of->mistakes) == FLG_OK;
}

static bool prepare_analysis(session *of) {
  const char *at = flg_arguments_value(of->arguments, "at");
  if (!load_analyzed(of, at) || !analyze_find_interface(of) || !has_sides(of)) return false;
  if (!find_sides(of) || !choose_contacts(of)) return false;
  if (at != NULL && !go_to(of, at)) return false;
  return for_words(of, "pose", analyze_set_joint) && for_words(of, "lock", lock_joint) &&
         look_at_sides(of);
}

/* their JSON is part of what was printed */
static int tell_mistakes(const session *run) {
  flg_console_mistakes(&run->mistakes);
  return flg_console_mistakes_code(&run->mistakes);
}

static int run_analyze(const flg_arguments *arguments) {
  static session of;
  of.arguments = arguments;
  const char *along = flg_arguments_value(arguments, "along");
  const char *picture = flg_arguments_value(arguments, "svg");
  int code = EX_OK;
  const bool is_ready = prepare_analysis(&of) && read_along(&of, along);
  if (is_ready && along != NULL) {
    if (!go_along(&of)) code = tell_mistakes(&of);
  } else if (!is_ready || (picture != NULL && !draw_ellipsoids(&of, picture))) {
    code = flg_console_refuse(arguments, &of.mistakes);
  } else {
    (arguments->json ? print_analysis_json : print_analysis_text)(&of);
    if (picture != NULL && !arguments->json) flg_output_tell("picture", picture);
  }
  flg_csv_release(&of.table);
  flg_simulation_release(of.simulation);
  return code;
}

static const flg_option options[] = {
    {"interface", 'i', "NAME", "Which interface (default: the only one)"},
    {"side", 0, "SUBSYSTEM", "Only this side of it"},
    {"pose", 0, "A,B,...", "Positions of joints in their order, as in 45deg, or joint=value"},
    {"lock", 0, "JOINTS", "Joints that do not move, as in joint1,joint2"},
    {"at", 0, "TIME", "Run to that time first, events and all"},
    {"contacts", 0, "KIND",
     "Closed contacts: nonsmooth, left open (default), or smooth, as joints"},
    {"along", 0, "FILE.csv", "Row by row at the positions of joints that a run recorded"},
    {"svg", 0, "FILE", "Draw the ellipsoids of effective mass"},
    {"set", 's', "KEY=VALUE", "Change a key of the scenario; may be repeated"},
};

const flg_verb flg_verb_analyze = {
    .name = "analyze",
    .summary = "show how easily the sides of an interface move: rank, condition, effective mass",
    .positional = "SCENARIO",
    .least = 1,
    .most = 1,
    .reads_file = true,
    .description =
        "Looks at an interface between two subsystems from either side, in the pose of the start\n"
        "or in another: the admittance D of a = D x + r, its rank and condition by singular\n"
        "values (and those of its blocks for translation and rotation), the effective mass D^-1\n"
        "where it exists, and the effective mass of translation along three axes. With --svg the\n"
        "latter is drawn as belted ellipsoids, both sides overlaid, seen along z, y and x. With\n"
        "--along rank, condition and masses are printed for each row of a recorded run.\n\n"
        "With --at the scenario first runs to a time, one subsystem after the other. What is "
        "closed\n"
        "there are joints with --contacts smooth: a box that is held on its edge then yields in\n"
        "four directions, where a model that leaves contacts open yields in all six.\n\n"
        "example: flange analyze examples/wrist/wrist.yaml --interface wrist --side arm \\\n"
        "             --lock joint1,joint2\n"
        "         flange analyze examples/capture/capture.yaml --side hand --at 6 --contacts "
        "smooth",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_analyze,
};
