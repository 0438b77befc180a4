/* Results that a program writes and reads (flange/recordings.h), in both formats. */
#include "flange/recordings.h"

#include "scenarios.h"

static const char scenario[] =
    "flange: 1\ntime: {end: 1, macro: 1/10}\nsubsystems: {a: {model: robot.yaml}}\n"
    "record: [a/swing.position, a/rod.position]\n";
static const char robot[] =
    "flange-model: 1\nbodies: {rod: {mass: 1, centre: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
    "joints: {swing: {kind: revolute, child: rod, axis: [0, 1, 0]}}\n";

static void rows_read_back_bitwise(void **state) {
  (void)state;
  static const char *const names[] = {"run.h5", "run.csv"};
  for (int k = 0; k < 2; k++) {
    test_folder folder = make_folder();
    const char *path = make_file(&folder, names[k], "");
    flg_simulation *one = load_three_texts(scenario, NULL, robot);
    flg_writer *writer = NULL;
    flg_error error;
    double rows[11][4], read[33], times[11];
    if (flg_writer_open(&writer, path, one, &error) != FLG_OK) fail_msg("%s", error.message);
    flg_simulation_record(one, rows[0]);
    for (int i = 1; i < 11; i++) {
      assert_int_equal(flg_simulation_step(one, &error), FLG_OK);
      flg_simulation_record(one, rows[i]);
      assert_int_equal(flg_writer_record(writer, one, &error), FLG_OK);
    }
    assert_int_equal(flg_writer_close(writer, "complete", &error), FLG_OK);
    flg_reader *reader = NULL;
    if (flg_reader_open(&reader, path, &error) != FLG_OK) fail_msg("%s", error.message);
    assert_int_equal(flg_reader_rows(reader), 11);
    assert_string_equal(flg_reader_status(reader), k == 0 ? "complete" : "");
    const int angle = flg_reader_find(reader, "a/swing.position");
    assert_true(angle >= 0);
    assert_int_equal(flg_reader_read(reader, angle, 1, 10, read, &error), FLG_OK);
    for (int i = 0; i < 10; i++) assert_near(read[i], rows[i + 1][0], 0);
    assert_int_equal(flg_reader_read(reader, flg_reader_find(reader, "time"), 0, 11, times, &error),
                     FLG_OK);
    assert_near(times[10], 1, 1e-15);
    assert_int_equal(flg_reader_find(reader, "a/swing.positio"), -2);
    flg_reader_close(reader);
    flg_simulation_release(one);
    remove_folder(&folder);
  }
}

/* poses of the one body, x y z and a quaternion, are those that the simulation has */
static void view_has_the_poses_of_bodies(void **state) {
  (void)state;
  test_folder folder = make_folder();
  const char *path = make_file(&folder, "view.h5", "");
  flg_simulation *one = load_three_texts(scenario, NULL, robot);
  flg_writer *writer = NULL;
  flg_reader *reader = NULL;
  flg_error error;
  double row[4], poses[11 * 70];
  if (flg_writer_open_view(&writer, path, one, &error) != FLG_OK) fail_msg("%s", error.message);
  for (int i = 1; i < 11; i++) {
    assert_int_equal(flg_simulation_step(one, &error), FLG_OK);
    assert_int_equal(flg_writer_record(writer, one, &error), FLG_OK);
  }
  flg_simulation_record(one, row);
  assert_int_equal(flg_writer_row(writer, 1, row, 4, &error), FLG_ERR_USAGE);
  assert_int_equal(flg_writer_close(writer, "complete", &error), FLG_OK);
  if (flg_reader_open(&reader, path, &error) != FLG_OK) fail_msg("%s", error.message);
  const int number = flg_reader_find(reader, "@view/poses");
  int count;
  assert_true(number >= 0);
  const int width = flg_reader_signals(reader, &count)[number].width;
  assert_true(width % 7 == 0 && width <= 70);
  assert_int_equal(flg_reader_read(reader, number, 0, 11, poses, &error), FLG_OK);
  const double *last = poses + 10 * width + width - 7;
  for (int i = 0; i < 3; i++) assert_near(last[i], row[1 + i], 1e-15);
  assert_near(fabs(last[3]), fabs(cos(row[0] / 2)), 1e-12);
  flg_reader_close(reader);
  flg_simulation_release(one);
  remove_folder(&folder);
}

static void own_signals_are_written(void **state) {
  (void)state;
  test_folder folder = make_folder();
  const char *path = make_file(&folder, "own.csv", "");
  const flg_signal signals[] = {{"force", "N", 3, NULL}, {"count", "", 1, NULL}};
  const double row[4] = {1, 2, 3, 4};
  double read[4];
  flg_writer *writer = NULL;
  flg_reader *reader = NULL;
  flg_error error;
  assert_int_equal(flg_writer_open_signals(&writer, path, "own", signals, 2, &error), FLG_OK);
  assert_int_equal(flg_writer_row(writer, 0.5, row, 4, &error), FLG_OK);
  assert_int_equal(flg_writer_row(writer, 0.5, row, 3, &error), FLG_ERR_USAGE);
  assert_int_equal(flg_writer_close(writer, "complete", &error), FLG_OK);
  assert_int_equal(flg_reader_open(&reader, path, &error), FLG_OK);
  assert_int_equal(flg_reader_rows(reader), 1);
  assert_int_equal(flg_reader_read(reader, flg_reader_find(reader, "count"), 0, 1, read, &error),
                   FLG_OK);
  assert_near(read[0], 4, 0);
  flg_reader_close(reader);
  remove_folder(&folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_read_back_bitwise),
      cmocka_unit_test(view_has_the_poses_of_bodies),
      cmocka_unit_test(own_signals_are_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
