/* Stations along flexible bodies are where the elastic coordinates put them, and interfaces show
 * what they carry. */
#include <math.h>

#include "check.h"
#include "files.h"
#include "viewer/scene.h"

enum { SEEN = 4000 };

typedef struct seen {
  flg_simulation *simulation;
  flg_scene *scene;
  double told[64];     /* recorded signals */
  double values[SEEN]; /* of the scene */
} seen;

static void open_scene(seen *of, const char *path, const char *const *overrides, int count) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  of->simulation = NULL;
  flg_simulation_load(&of->simulation, path, overrides, count, &mistakes);
  if (of->simulation == NULL) fail_msg("%s", mistakes.list[0].message);
  assert_int_equal(flg_scene_build(&of->scene, of->simulation, NULL), FLG_OK);
  assert_true(flg_scene_width(of->scene) <= SEEN);
}

static void look(seen *of) {
  flg_simulation_record(of->simulation, of->told);
  flg_scene_record(of->scene, of->values);
}

static void close_scene(seen *of) {
  flg_scene_release(of->scene);
  flg_simulation_release(of->simulation);
}

/* what follows `key` after the name of a body in the text of the scene */
static const char *text_of(const flg_scene *scene, const char *body, const char *key) {
  char name[100];
  snprintf(name, sizeof name, "\"name\": \"%s\"", body);
  const char *at = strstr(flg_scene_text(scene), name);
  assert_non_null(at);
  at = strstr(at, key);
  assert_non_null(at);
  return at + strlen(key);
}

typedef struct stations {
  int frame, count;
  double at[300];
} stations;

static void read_stations(const flg_scene *scene, const char *body, stations *to) {
  const char *at = text_of(scene, body, "\"bend\": {");
  to->frame = atoi(strstr(at, "\"frame\": ") + strlen("\"frame\": "));
  at = strchr(strstr(at, "\"at\": "), '[') + 1;
  int count = 0;
  for (char *end; count < 300; count++, at = end + 1) {
    to->at[count] = strtod(at, &end);
    while (*end == ' ' || *end == '\n') end++;
    if (*end == ']') break;
  }
  to->count = (count + 1) / 3;
}

static const double *pose_of(const seen *of, const stations *on, int station) {
  return of->values + FLG_SCENE_POSE * (size_t)(on->frame + station);
}

/* a frame that the model itself has at the end of a beam is that of the last station, with every
 * coupling, and of a robot that an assembly holds */
static void the_last_station_is_the_tip(void **state) {
  (void)state;
  static const char *const schemes[] = {"sequential", "parallel", "monolithic"};
  for (int k = 0; k < 3; k++) {
    char scheme[60];
    snprintf(scheme, sizeof scheme, "coupling.scheme=%s", schemes[k]);
    const char *overrides[] = {scheme, "time.end=0.5",
                               "record=[arm/link4/tip.position, arm/link4/tip.orientation]"};
    seen of;
    stations on;
    open_scene(&of, "examples/flexible-arm/wrist.yaml", overrides, 3);
    read_stations(of.scene, "arm/link4", &on);
    assert_true(on.count >= 9);
    assert_near(on.at[3 * on.count - 3], 6.85, 1e-12);
    while (!flg_simulation_ended(of.simulation)) {
      assert_int_equal(flg_simulation_step(of.simulation, NULL), FLG_OK);
      look(&of);
      assert_true(max_difference(pose_of(&of, &on, on.count - 1), of.told, 7) < 1e-13);
    }
    close_scene(&of);
  }
}

/* The clamped-free mode as textbooks have it, 1 at the end. */
static double clamped_free(double wave, double x) {
  const double ratio = (sinh(wave) - sin(wave)) / (cosh(wave) + cos(wave)), b = wave * x;
  return 0.5 * (cosh(b) - cos(b) - ratio * (sinh(b) - sin(b))) /
         (0.5 * (cosh(wave) - cos(wave) - ratio * (sinh(wave) - sin(wave))));
}

static void sections_follow_the_mode_shapes(void **state) {
  (void)state;
  static const double waves[2] = {1.8751040687119611, 4.6940911329741746};
  const char *overrides[] = {"time.end=1", "record=[boom/boom/elastic.position]"};
  seen of;
  stations on;
  open_scene(&of, "examples/flexible-arm/cantilever.yaml", overrides, 2);
  read_stations(of.scene, "boom/boom", &on);
  while (!flg_simulation_ended(of.simulation)) {
    assert_int_equal(flg_simulation_step(of.simulation, NULL), FLG_OK);
  }
  look(&of);
  assert_true(fabs(of.told[0]) > 1e-3); /* it bends along y, by millimetres */
  for (int k = 0; k < on.count; k++) {
    double y = 0;
    for (int n = 0; n < 2; n++) y += of.told[n] * clamped_free(waves[n], on.at[3 * k] / 6.85);
    assert_near(pose_of(&of, &on, k)[1], y, 1e-12);
    assert_true(pose_of(&of, &on, k)[0] <= on.at[3 * k]);
  }
  close_scene(&of);
}

/* nodes of a finite-element model move by their shapes, off a frame that is turned */
static void nodes_follow_their_shapes(void **state) {
  (void)state;
  test_folder folder = make_folder();
  make_file(&folder, "plate.yaml",
            "flange-model: 1\n"
            "bodies:\n"
            "  plate: {flexible: {nodes: [{at: [0, 0, 0], mass: 1, shapes: [0, 0, 0, 0, 0, 0]},\n"
            "    {at: [1, 0, 0], mass: 1, shapes: [0, 0.5, 0, 0, 0, 0.7]},\n"
            "    {at: [1, 1, 0], mass: 1, shapes: [0, 0.2, 1, 0, 0, 0.1]}], stiffness: [500]}}\n"
            "joints: {hinge: {kind: revolute, child: plate, axis: [0, 0, 1]}}\n");
  const char *path = make_file(&folder, "run.yaml",
                               "flange: 1\n"
                               "time: {end: 0.1, macro: 1/100}\n"
                               "subsystems: {p: {model: plate.yaml, step: 1/1000,\n"
                               "  initial: {plate: [0.02], hinge: 0.3}}}\n"
                               "record: [p/plate/elastic.position, p/hinge.position]\n");
  seen of;
  stations on;
  open_scene(&of, path, NULL, 0);
  read_stations(of.scene, "p/plate", &on);
  assert_int_equal(on.count, 3);
  for (int step = 0; step < 5; step++)
    assert_int_equal(flg_simulation_step(of.simulation, NULL), 0);
  look(&of);
  const double e = of.told[0], c = cos(of.told[1]), s = sin(of.told[1]);
  for (int k = 0; k < 3; k++) {
    const bool far = on.at[3 * k + 1] > 0.5, near = on.at[3 * k] < 0.5;
    const double x = on.at[3 * k], y = on.at[3 * k + 1] + e * (near ? 0 : far ? 0.2 : 0.5);
    assert_near(pose_of(&of, &on, k)[0], c * x - s * y, 1e-12);
    assert_near(pose_of(&of, &on, k)[1], s * x + c * y, 1e-12);
    assert_near(pose_of(&of, &on, k)[2], far ? e : 0, 1e-12);
    const double turn = of.told[1] + 2 * atan(0.5 * e * (near ? 0 : far ? 0.1 : 0.7));
    assert_near(pose_of(&of, &on, k)[6], sin(turn / 2), 1e-12);
  }
  close_scene(&of);
  remove_folder(&folder);
}

/* the part of the text from the springs to the markers */
static void carried_text(const char *path, const char *scheme, char *text, size_t size) {
  char option[60];
  seen of;
  snprintf(option, sizeof option, "coupling.scheme=%s", scheme);
  open_scene(&of, path, (const char *const[]){option}, 1);
  const char *from = strstr(flg_scene_text(of.scene), "\"springs\": [");
  const char *to = strstr(from, "\"markers\"");
  assert_non_null(from);
  snprintf(text, size, "%.*s", (int)(to - from), from);
  close_scene(&of);
}

/* springs, gears and racks of interfaces are the same, coupled or solved as one */
static void interfaces_show_what_they_carry(void **state) {
  (void)state;
  test_folder folder = make_folder();
  make_file(&folder, "slide.yaml",
            "flange-component: 1\n"
            "bodies: {a: {mass: 1, inertia: [0.1, 0.2, 0.3]}}\n"
            "joints: {rail: {kind: prismatic, between: [world, a], axis: [1, 0, 0]}}\n"
            "ports: {p: {body: a, at: [0.1, 0, 0]}}\n");
  make_file(&folder, "wheel.yaml",
            "flange-component: 1\n"
            "bodies: {w: {mass: 1, inertia: [0.1, 0.1, 0.2], at: [0, 1, 0]}}\n"
            "joints: {axle: {kind: revolute, between: [world, w], at: [0, 1, 0]}}\n"
            "ports: {p: {body: w}}\n");
  const char *path = make_file(
      &folder, "run.yaml",
      "flange: 1\n"
      "gravity: [0, 0, 0]\n"
      "time: {end: 0.1, macro: 1/100}\n"
      "subsystems:\n"
      "  l: {model: slide.yaml, step: 1/1000}\n"
      "  r: {model: slide.yaml, step: 1/1000, at: [1, 0, 0]}\n"
      "  u: {model: wheel.yaml, step: 1/1000}\n"
      "  v: {model: wheel.yaml, step: 1/1000, at: [0.6, 0, 0]}\n"
      "interfaces:\n"
      "  coil: {between: [l/p, r/p], joint: prismatic, axis: [1, 0, 0], stiffness: 10}\n"
      "  twist: {between: [world, v/p], joint: revolute, stiffness: 5}\n"
      "  mesh: {joint: gear, drive: [world, u/p], driven: [world, v/p], ratio: -2,\n"
      "         stiffness: 1e4}\n"
      "  rack: {joint: rack, drive: [world, u/p], driven: [world, l/p], driven_axis: [1, 0, 0],\n"
      "         radius: 0.2}\n"
      "coupling: {scheme: sequential}\n");
  char whole[4000], coupled[4000];
  carried_text(path, "monolithic", whole, sizeof whole);
  static const char *const schemes[] = {"sequential", "parallel", "neighbour"};
  static const char *const words[] = {"\"name\": \"coil\"",  "\"kind\": \"slide\"",
                                      "\"name\": \"twist\"", "\"kind\": \"angle\"",
                                      "\"name\": \"mesh\"",  "\"name\": \"rack\""};
  for (int k = 0; k < 6; k++) assert_non_null(strstr(whole, words[k]));
  for (int k = 0; k < 3; k++) {
    carried_text(path, schemes[k], coupled, sizeof coupled);
    for (int i = 0; i < 6; i++) assert_non_null(strstr(coupled, words[i]));
    assert_int_equal(strlen(coupled), strlen(whole));
  }
  remove_folder(&folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_station_is_the_tip),
      cmocka_unit_test(sections_follow_the_mode_shapes),
      cmocka_unit_test(nodes_follow_their_shapes),
      cmocka_unit_test(interfaces_show_what_they_carry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
