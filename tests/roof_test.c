/* A box on its edge on the edge of another one: it stands, bounces and falls as if there were no
 * first and second body. */
#include "scenarios.h"

typedef struct roof {
  double tilt[2]; /* of the lower and the upper box, about y */
  double gap, friction, restitution;
  bool upper_first;
  bool along_x; /* edges along x instead of y */
} roof;

typedef struct motion {
  double position[3], velocity[3], spin[3], energy;
} motion;

static const double HALF = 0.1;

/* the edge of a box that is tilted about y, farthest up (1) or down (-1) */
static void edge_of(double tilt, double up, double *x, double *z) {
  double most = -HUGE_VAL;
  for (int corner = 0; corner < 4; corner++) {
    const double u = corner & 1 ? HALF : -HALF, v = corner & 2 ? HALF : -HALF;
    const double height = up * (v * cos(tilt) - u * sin(tilt));
    if (height < most + 1e-9) continue;
    most = height;
    *x = u * cos(tilt) + v * sin(tilt), *z = v * cos(tilt) - u * sin(tilt);
  }
}

static void put_box(char *text, size_t size, const roof *of, bool upper) {
  double x[2], z[2];
  edge_of(of->tilt[0], 1, &x[0], &z[0]), edge_of(of->tilt[1], -1, &x[1], &z[1]);
  const double across = upper ? x[0] - x[1] : 0, up = upper ? z[0] - z[1] + of->gap : 0;
  /* the same turned by a quarter about z: y is then -x, and the tilt is about x */
  const double tilt = of->tilt[upper] * (of->along_x ? -1 : 1);
  const size_t used = strlen(text);
  snprintf(text + used, size - used,
           "  %s: {mass: 1, inertia: [0.01, 0.01, 0.01], fixed: %s, at: [%.17g, %.17g, %.17g], "
           "turn: [%.17g, %.17g, 0], shapes: [{kind: box, size: [0.2, 0.2, 0.2], friction: %g, "
           "restitution: %g}]}\n",
           upper ? "up" : "low", upper ? "false" : "true", of->along_x ? 0 : across,
           of->along_x ? across : 0, up, of->along_x ? tilt : 0, of->along_x ? 0 : tilt,
           of->friction, of->restitution);
}

static motion run_roof(const roof *of, double end) {
  static flg_mistakes mistakes;
  char model[2048] = "flange-component: 1\nbodies:\n", scenario[512];
  mistakes = (flg_mistakes){0};
  put_box(model, sizeof model, of, of->upper_first);
  put_box(model, sizeof model, of, !of->upper_first);
  snprintf(scenario, sizeof scenario,
           "flange: 1\ntime: {end: %g, macro: 1/1000}\nsubsystems: {s: {model: model.yaml, step: "
           "1/1000}}\nrecord: [s/up.position, s/up.velocity, s/up.angular_velocity, s/energy]\n",
           end);
  test_folder folder = make_folder();
  make_file(&folder, "model.yaml", model);
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, make_file(&folder, "scenario.yaml", scenario), NULL, 0,
                      &mistakes);
  remove_folder(&folder);
  if (simulation == NULL) fail_msg("%s", mistakes.list[0].message);
  flg_error error = {0};
  motion at;
  while (!flg_simulation_ended(simulation)) {
    if (flg_simulation_step(simulation, &error) != FLG_OK) fail_msg("%s", error.message);
  }
  flg_simulation_record(simulation, &at.position[0]);
  flg_simulation_release(simulation);
  return at;
}

static const double EIGHTH = 0.78539816339744831;

static void a_roof_stands_on_a_roof(void **state) {
  (void)state;
  static const double gaps[] = {0, 1e-12, -1e-12, 1e-9, -1e-10, -1e-6};
  for (int k = 0; k < 6; k++) {
    for (int way = 0; way < 4; way++) {
      const roof of = {.tilt = {EIGHTH, EIGHTH},
                       .gap = gaps[k],
                       .friction = way & 1 ? 0.5 : 0,
                       .upper_first = way & 2,
                       .along_x = k & 1};
      const motion at = run_roof(&of, 0.2);
      assert_near(at.position[0], 0, 1e-13);
      assert_near(at.position[1], 0, 1e-13);
      assert_near(at.position[2], 2 * HALF * sqrt(2), 2e-6);
      for (int i = 0; i < 3; i++) assert_near(at.velocity[i], 0, 1e-11);
    }
  }
}

/* straight up, with e times the speed */
static void a_roof_bounces_off_a_roof(void **state) {
  (void)state;
  const double g = 9.81, height = 0.05, e = 0.6, fall = sqrt(2 * height / g), end = 0.15;
  for (int way = 0; way < 8; way++) {
    const roof of = {.tilt = {EIGHTH, EIGHTH},
                     .gap = height,
                     .friction = way & 1 ? 0.5 : 0,
                     .restitution = e,
                     .upper_first = way & 2,
                     .along_x = way & 4};
    const motion at = run_roof(&of, end);
    const double t = end - fall, up = e * g * fall * t - 0.5 * g * t * t;
    assert_near(at.position[2] - 2 * HALF * sqrt(2), up, 1e-5);
    for (int i = 0; i < 2; i++) assert_near(at.position[i], 0, 1e-12);
    for (int i = 0; i < 3; i++) assert_near(at.spin[i], 0, 1e-10);
  }
}

/* other tilts: whichever comes first, the same motion */
static void the_order_of_bodies_does_not_matter(void **state) {
  (void)state;
  random_source source = {9};
  for (int k = 0; k < REPEATS(24); k++) {
    roof of = {.tilt = {random_uniform(&source, 0.2, 1.3), random_uniform(&source, 0.2, 1.3)},
               .gap = k % 3 == 0 ? 0 : 1e-3 * (k % 3),
               .friction = 0.3 * (k % 4),
               .restitution = k % 2 ? 0 : 0.5};
    const motion one = run_roof(&of, 0.05);
    of.upper_first = true;
    const motion two = run_roof(&of, 0.05);
    assert_true(max_difference(&one.position[0], &two.position[0], 3) < 1e-7);
    assert_true(max_difference(&one.velocity[0], &two.velocity[0], 3) < 1e-6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_roof_stands_on_a_roof),
      cmocka_unit_test(a_roof_bounces_off_a_roof),
      cmocka_unit_test(the_order_of_bodies_does_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
