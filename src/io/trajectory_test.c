/* Files of targets: what follows from them, and what is refused. */
#include "io/trajectory.h"

#include "files.h"
#include "io/joint_table.h"
#include "io/load.h"
#include "text/csv.h"

/* two links of 1 m in the plane x y, and a slide that carries them */
static const char model[] =
    "flange-model: 1\n"
    "bodies: {sled: {mass: 1}, upper: {mass: 1}, lower: {mass: 1, inertia: [1, 1, 1]}}\n"
    "joints:\n"
    "  slide: {kind: prismatic, child: sled, axis: [0, 0, 1], limits: {lower: -1, upper: 1}}\n"
    "  shoulder: {kind: revolute, parent: sled, child: upper, axis: [0, 0, 1]}\n"
    "  elbow: {kind: revolute, parent: upper, child: lower, at: [1, 0, 0], axis: [0, 0, 1],\n"
    "    limits: {lower: 0, upper: 3, speed: 1}}\n"
    "markers: {tip: {body: lower, at: [1, 0, 0]}}\n";
static const char scenario[] =
    "flange: 1\n"
    "time: {end: 1, macro: 0.1}\n"
    "subsystems: {a: {model: model.yaml, initial: {elbow: 1},\n"
    "  controllers: {c: {kind: table, file: not-there.csv}}}}\n";

#define HEAD "flange-trajectory: 1\nframe: tip\nposition_only: true\nsample: 0.1\n"

static flg_mistakes mistakes;

/* a file of targets, read */
typedef struct reading {
  test_folder folder;
  flg_simulation *simulation;
  flg_trajectory trajectory;
} reading;

static reading read_targets(const char *targets, const char *override) {
  reading r = {.folder = make_folder()};
  make_file(&r.folder, "model.yaml", model);
  const char *path = make_file(&r.folder, "scenario.yaml", scenario);
  const char *file = make_file(&r.folder, "targets.yaml", targets);
  mistakes = (flg_mistakes){0};
  flg_simulation_load_as(&r.simulation, path, NULL, 0, (flg_load_options){.compose.undriven = true},
                         &mistakes);
  if (r.simulation == NULL) fail_msg("%s", mistakes.list[0].message);
  flg_trajectory_read(&r.trajectory, r.simulation, file, &override, override != NULL, &mistakes);
  return r;
}

static void finish(reading *r) {
  flg_simulation_release(r->simulation);
  remove_folder(&r->folder);
}

static void assert_refused(const char *targets, const char *because) {
  reading r = read_targets(targets, NULL);
  assert_true(mistakes.count > 0);
  if (strstr(mistakes.list[0].message, because) == NULL) fail_msg("%s", mistakes.list[0].message);
  finish(&r);
}

static void last_row(reading *r, double row[3]) {
  flg_error error = {0};
  assert_int_equal(mistakes.count, 0);
  while (r->trajectory.done < r->trajectory.samples) {
    if (flg_trajectory_step(&r->trajectory, row, &error) != FLG_OK) fail_msg("%s", error.message);
  }
}

static void the_tip_is_where_the_last_target_says(void **state) {
  (void)state;
  reading r = read_targets(HEAD
                           "path:\n"
                           "  - {at: 0.4, position: [1, 1, 0.5]}\n"
                           "  - {at: 0.55, joints: [0.1, 0.2, 0.9]}\n"
                           "  - {at: 0.98, position: [0, 1.5, -0.3]}\n",
                           NULL);
  double row[3];
  last_row(&r, row);
  assert_int_equal(r.trajectory.samples, 11);
  assert_near(row[0], -0.3, 1e-12);
  assert_near(cos(row[1]) + cos(row[1] + row[2]), 0, 1e-12);
  assert_near(sin(row[1]) + sin(row[1] + row[2]), 1.5, 1e-12);
  finish(&r);
}

static void locked_joints_and_the_start_come_from_the_file(void **state) {
  (void)state;
  reading r = read_targets(HEAD "start: {slide: 0.5}\npath: [{at: 1, position: [1, 1, 0.5]}]\n",
                           "lock=[slide]");
  double row[3];
  last_row(&r, row);
  assert_near(row[0], 0.5, 0);
  assert_near(row[2], acos(0), 1e-12);
  finish(&r);
}

static void a_target_out_of_reach_is_told(void **state) {
  (void)state;
  reading r = read_targets(HEAD "path: [{at: 1, position: [1, 1, 3]}]\n", NULL);
  flg_error error = {0};
  flg_status status = FLG_OK;
  double row[3];
  assert_int_equal(mistakes.count, 0);
  while (status == FLG_OK) status = flg_trajectory_step(&r.trajectory, row, &error);
  assert_int_equal(status, FLG_ERR_RANGE);
  assert_non_null(strstr(error.message, "joint 'slide' stands at its limit"));
  assert_non_null(strstr(error.message, "t = 1 s, it is 2 m"));
  finish(&r);
}

static void mistakes_in_targets_are_told_with_their_place(void **state) {
  (void)state;
  assert_refused("flange-trajectory: 1\nframe: tpi\npath: [{at: 1}]\n", "did you mean 'tip'");
  assert_refused("flange-trajectory: 1\nframe: world\npath: [{at: 1}]\n", "no joint moves it");
  assert_refused(HEAD "subsystem: b\npath: [{at: 1}]\n", "no subsystem 'b'");
  assert_refused(HEAD "lock: knee\npath: [{at: 1}]\n", "no moving joint 'knee'");
  assert_refused(HEAD "start: {elbow: 4}\npath: [{at: 1}]\n",
                 "joint 'elbow' cannot be at 4; its limits are 0 and 3");
  assert_refused(HEAD "path: [{at: 1, joints: [0, 0]}]\n", "has 3 joints with one coordinate");
  assert_refused(HEAD "path: [{at: 1, joints: [0, 0, 4]}]\n", "'elbow' cannot be at 4");
  assert_refused(HEAD "lock: elbow\npath: [{at: 1, joints: [0, 0, 2]}]\n", "is locked at 1");
  assert_refused(HEAD "path: [{at: 1}, {at: 1}]\n", "1 s does not come after");
  assert_refused(HEAD "path: [{at: 1, position: [1, 1, 0], joints: [0, 0, 1]}]\n",
                 "give one of these");
  assert_refused(HEAD "path: [{at: 1, around: {axis: [0, 0, 1], angle: 1}}]\n",
                 "needs a point, an axis that is not zero, and an angle");
  assert_int_equal(mistakes.list[0].line, 5);
}

/* ---- tables of joints ---- */

static void a_table_reads_back_with_units_and_rates(void **state) {
  (void)state;
  reading r = read_targets(HEAD "path: [{at: 0.2}]\n", NULL);
  const char *path = make_file(&r.folder, "joints.csv", "");
  flg_joint_table table = {.subsystem = r.trajectory.subsystem,
                           .count = 3,
                           .velocities = r.trajectory.velocities,
                           .sample = 0.1,
                           .rows = 2};
  assert_int_equal(flg_joint_table_build(&table, NULL), FLG_OK);
  const double rows[] = {0.1, 1. / 3, 1, 0.2, 1. / 3, 1.25};
  memcpy(table.values, rows, sizeof rows);
  const flg_joint_rate rate = flg_joint_table_rate(&table);
  assert_near(rate.rate, 2.5, 1e-12);
  assert_near(rate.excess, 2.5, 1e-12);
  assert_int_equal(rate.joint, 2);
  flg_error error = {0};
  assert_int_equal(flg_joint_table_write(&table, path, "x", &error), FLG_OK);
  flg_csv_table read;
  const flg_csv_options options = flg_csv_default();
  assert_int_equal(flg_csv_read(path, &options, &read, &error), FLG_OK);
  assert_string_equal(read.units[1], "m");
  assert_string_equal(read.units[2], "rad");
  for (size_t k = 0; k < 3; k++) assert_near(read.values[5 + k], rows[3 + k], 0);
  flg_csv_release(&read);
  flg_joint_table_release(&table);
  finish(&r);
}

static void tables_too_large_or_with_other_names_are_refused(void **state) {
  (void)state;
  reading r = read_targets(HEAD "path: [{at: 0.2}]\n", NULL);
  flg_joint_table table = {
      .subsystem = r.trajectory.subsystem, .count = 3, .rows = INT64_C(1) << 50};
  flg_error error = {0};
  assert_int_equal(flg_joint_table_build(&table, &error), FLG_ERR_USAGE);
  assert_non_null(strstr(error.message, "choose a longer sample"));
  table.rows = 0;
  assert_int_equal(flg_joint_table_write(&table, "joints.h5", "x", &error), FLG_ERR_USAGE);
  assert_non_null(strstr(error.message, "expected one that ends in .csv"));
  finish(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_tip_is_where_the_last_target_says),
      cmocka_unit_test(locked_joints_and_the_start_come_from_the_file),
      cmocka_unit_test(a_target_out_of_reach_is_told),
      cmocka_unit_test(mistakes_in_targets_are_told_with_their_place),
      cmocka_unit_test(a_table_reads_back_with_units_and_rates),
      cmocka_unit_test(tables_too_large_or_with_other_names_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
