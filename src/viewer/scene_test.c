/* A scene changes no bit of a run, and holds what the subsystems themselves say of their bodies. */
#include "viewer/scene.h"

#include "check.h"
#include "viewer/capture.h"

static flg_simulation *load(const char *path, const char *const *overrides, int count) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, overrides, count, &mistakes);
  if (simulation == NULL) fail_msg("%s", mistakes.list[0].message);
  return simulation;
}

static uint64_t run(flg_simulation *simulation, flg_scene *scene) {
  flg_error error;
  double *values = calloc(scene == NULL ? 1 : (size_t)flg_scene_width(scene), sizeof *values);
  assert_non_null(values);
  int64_t row = 0;
  while (!flg_simulation_ended(simulation)) {
    if (scene != NULL) {
      int count;
      flg_scene_contacts(scene, row++, &count);
      flg_scene_record(scene, values);
    }
    if (flg_simulation_step(simulation, &error) != FLG_OK) fail_msg("%s", error.message);
  }
  free(values);
  return flg_simulation_hash(simulation);
}

static void recording_a_scene_changes_no_bit(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"examples/capture/capture.yaml", "coupling.scheme=sequential"},
      {"examples/capture/capture.yaml", "coupling.scheme=parallel"},
      {"examples/capture/friction.yaml", "coupling.scheme=monolithic"},
      {"examples/wrist/wrist.yaml", "coupling.scheme=neighbour"},
      {"examples/flexible-arm/wrist.yaml", "coupling.scheme=sequential"},
      {"examples/ssrms/poses.yaml", "time.end=2"},
      {"examples/spbot/spbot.yaml", "time.end=0.05"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const char *overrides[] = {cases[k][1], "time.end=2"};
    const int count = k < 5 ? 2 : 1;
    flg_simulation *plain = load(cases[k][0], overrides, count);
    flg_simulation *seen = load(cases[k][0], overrides, count);
    flg_scene *scene;
    assert_int_equal(flg_scene_build(&scene, seen, NULL), FLG_OK);
    assert_true(run(plain, NULL) == run(seen, scene));
    flg_scene_release(scene);
    flg_simulation_release(plain);
    flg_simulation_release(seen);
  }
}

/* the number of the frame of a body, read from the text of the scene */
static int frame_of(const flg_scene *scene, const char *name) {
  char key[100];
  snprintf(key, sizeof key, "\"name\": \"%s\"", name);
  const char *at = strstr(flg_scene_text(scene), key);
  assert_non_null(at);
  at = strstr(at, "\"frame\": ");
  assert_non_null(at);
  return atoi(at + strlen("\"frame\": "));
}

/* with every coupling bodies have the same names, and are where their signals say */
static void poses_are_those_of_the_signals(void **state) {
  (void)state;
  static const char *const schemes[] = {"sequential", "parallel", "monolithic"};
  for (int k = 0; k < 3; k++) {
    char scheme[60];
    snprintf(scheme, sizeof scheme, "coupling.scheme=%s", schemes[k]);
    const char *overrides[] = {
        scheme, "time.end=1",
        "record=[hand/box.position, hand/box.orientation, arm/link5.position, "
        "arm/link5.orientation]"};
    flg_simulation *simulation = load("examples/capture/capture.yaml", overrides, 3);
    flg_scene *scene;
    assert_int_equal(flg_scene_build(&scene, simulation, NULL), FLG_OK);
    const int frames[] = {frame_of(scene, "hand/box"), frame_of(scene, "arm/link5")};
    double *seen = calloc((size_t)flg_scene_width(scene), sizeof *seen), told[14];
    assert_non_null(seen);
    while (!flg_simulation_ended(simulation)) {
      assert_int_equal(flg_simulation_step(simulation, NULL), FLG_OK);
      flg_simulation_record(simulation, told);
      flg_scene_record(scene, seen);
      for (int i = 0; i < 2; i++) {
        assert_true(max_difference(seen + FLG_SCENE_POSE * frames[i], told + 7 * i, 7) == 0);
      }
    }
    free(seen);
    flg_scene_release(scene);
    flg_simulation_release(simulation);
  }
}

/* the box stands on four vertices: their forces carry its weight */
static void contacts_carry_the_weight(void **state) {
  (void)state;
  const char *overrides[] = {"time.end=1"};
  flg_simulation *simulation = load("examples/capture/capture.yaml", overrides, 1);
  flg_scene *scene;
  assert_int_equal(flg_scene_build(&scene, simulation, NULL), FLG_OK);
  while (!flg_simulation_ended(simulation)) {
    assert_int_equal(flg_simulation_step(simulation, NULL), FLG_OK);
  }
  int count;
  const double *entries = flg_scene_contacts(scene, 17, &count);
  assert_int_equal(count, 4);
  double force = 0;
  for (int k = 0; k < count; k++) {
    const double *entry = entries + FLG_SCENE_CONTACT * k;
    assert_true(entry[0] == 17);
    assert_near(entry[6], 0, 1e-12);
    force += entry[9];
  }
  assert_near(fabs(force), 20 * 9.81, 1e-11);
  flg_scene_release(scene);
  flg_simulation_release(simulation);
}

static void captures_hold_every_row(void **state) {
  (void)state;
  const char *overrides[] = {"time.end=0.5"};
  flg_simulation *simulation = load("examples/capture/capture.yaml", overrides, 1);
  flg_capture *capture;
  assert_int_equal(flg_capture_build(&capture, simulation, NULL), FLG_OK);
  while (!flg_simulation_ended(simulation)) {
    assert_int_equal(flg_simulation_step(simulation, NULL), FLG_OK);
    flg_capture_take(capture);
  }
  const flg_recording recording = flg_capture_recording(capture, "complete");
  assert_int_equal(recording.rows, 31);
  double times[4], last[3], told[40];
  assert_int_equal(recording.read(&recording, FLG_RECORDING_TIME, 0, 4, 10, times, NULL), FLG_OK);
  assert_near(times[3], 0.5, 1e-12);
  const int signal = flg_recording_find(&recording, "hand/box/U.position");
  assert_int_equal(recording.read(&recording, signal, 30, 1, 1, last, NULL), FLG_OK);
  flg_simulation_record(simulation, told);
  assert_true(max_difference(last, told, 3) == 0);
  assert_int_equal(recording.list_rows % 4, 0);
  flg_capture_release(capture);
  flg_simulation_release(simulation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recording_a_scene_changes_no_bit),
      cmocka_unit_test(poses_are_those_of_the_signals),
      cmocka_unit_test(contacts_carry_the_weight),
      cmocka_unit_test(captures_hold_every_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
