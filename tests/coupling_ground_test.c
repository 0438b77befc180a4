/* Subsystems on the ground, of which some touch it and others do not: they neither sink at
 * communication points nor drift. */
#include <math.h>

#include "check.h"
#include "coupling_marks.h"
#include "math/larger.h"

enum { TEXT = 2000 };
static const char *const schemes[] = {"parallel", "sequential"};

/* --- a rod that leads a ball --------------------------------------------------------------------
 */

typedef struct rod_and_ball {
  const char *ends, *order; /* of the interface; of the subsystems */
  double rod, friction, rate;
} rod_and_ball;

static const char *write_rod(test_folder *folder, const rod_and_ball *with) {
  char text[TEXT];
  snprintf(text, sizeof text,
           "flange-model: 1\n"
           "bodies: {rod: {mass: %g, centre: [0.5, 0, 0], inertia: [1e-3, %.17g, %.17g]}}\n"
           "joints: {hinge: {kind: revolute, child: rod, axis: [0, 1, 0]}}\n"
           "ports: {hand: {body: rod, at: [1, 0, 0]}}\n",
           with->rod, with->rod / 12, with->rod / 12);
  make_file(folder, "arm.yaml", text);
  snprintf(text, sizeof text,
           "flange-component: 1\n"
           "bodies: {ball: {mass: 0.5, inertia: [0.01, 0.01, 0.01],\n"
           "  shapes: [{kind: sphere, size: 0.1, friction: %g}]}}\n"
           "ports: {top: {body: ball}}\n",
           with->friction);
  make_file(folder, "ball.yaml", text);
  snprintf(text, sizeof text,
           "flange: 1\n"
           "time: {end: 1, macro: 1/%g}\n"
           "ground: {shapes: [{kind: plane, at: [0, 0, -0.2], friction: %g}]}\n"
           "subsystems:\n%s"
           "interfaces: {hook: {between: [%s], joint: weld}}\n"
           "record: [ball/ball.position]\n",
           with->rate, with->friction, with->order, with->ends);
  return make_file(folder, "run.yaml", text);
}

/* how deep the ball is in the ground at most [m] */
static double sink(const rod_and_ball *with, const char *scheme) {
  test_folder folder = make_folder();
  char override[OVERRIDE_TEXT];
  snprintf(override, sizeof override, "coupling.scheme=%s", scheme);
  const char *path = write_rod(&folder, with);
  marked_run run = run_marked(path, (const char *[]){override, NULL});
  remove_folder(&folder);
  double deep = 0;
  for (int k = 0; k < run.rows; k++) {
    deep = flg_larger(deep, -0.1 - run.values[(size_t)k * (size_t)run.width + 2]);
  }
  assert_true(run.diverged_at < 0);
  assert_near(run.values[(size_t)(run.rows - 1) * (size_t)run.width + 2], -0.1, 1e-6); /* it lies */
  free(run.values);
  return deep;
}

#define ARM  "  arm: {model: arm.yaml, step: 1/600}\n"
#define BALL "  ball: {model: ball.yaml, step: 1/600, at: [1, 0, 0]}\n"

static void what_touches_is_not_pushed_into_the_ground(void **state) {
  static const rod_and_ball all[] = {
      {"arm/hand, ball/top", ARM BALL, 1, 0, 60},  {"ball/top, arm/hand", ARM BALL, 1, 0, 60},
      {"arm/hand, ball/top", BALL ARM, 1, 0, 60},  {"arm/hand, ball/top", ARM BALL, 1, 0.5, 60},
      {"arm/hand, ball/top", ARM BALL, 20, 0, 60}, {"arm/hand, ball/top", ARM BALL, 0.05, 0, 60},
      {"arm/hand, ball/top", ARM BALL, 1, 0, 20},  {"arm/hand, ball/top", ARM BALL, 1, 0, 200}};
  (void)state;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    for (int s = 0; s < 2; s++) {
      const double deep = sink(&all[k], schemes[s]);
      print_message("rod %g kg, friction %g, H 1/%g, %s: %.2g m deep\n", all[k].rod,
                    all[k].friction, all[k].rate, schemes[s], deep);
      assert_true(deep <= 2e-6);
    }
  }
}

/* --- a car --------------------------------------------------------------------------------------
 */

static const char spheres[] = "{kind: sphere, size: 0.3, friction: 0.8}";
static const char cylinders[] =
    "{kind: cylinder, size: [0.3, 0.2], turn: [90 deg, 0, 0], friction: 0.8}";

static const char *write_car(test_folder *folder, const char *shape, const char *macro,
                             const char *first) {
  static const char wheel[] =
      "flange-component: 1\n"
      "bodies: {wheel: {mass: 20, inertia: [0.6, 0.9, 0.6], velocity: [10, 0, 0],\n"
      "  angular_velocity: [0, 100/3, 0], shapes: [%s]}}\n"
      "ports: {hub: {body: wheel, turn: [-90 deg, 0, 0]}}\n";
  static const char chassis[] =
      "flange-component: 1\n"
      "bodies: {box: {mass: 1000, inertia: [300, 1200, 1300], velocity: [10, 0, 0]}}\n"
      "ports:\n"
      "  fl: {body: box, at: [1.3, 0.8, -0.3], turn: [-90 deg, 0, 0]}\n"
      "  fr: {body: box, at: [1.3, -0.8, -0.3], turn: [-90 deg, 0, 0]}\n"
      "  rl: {body: box, at: [-1.3, 0.8, -0.3], turn: [-90 deg, 0, 0]}\n"
      "  rr: {body: box, at: [-1.3, -0.8, -0.3], turn: [-90 deg, 0, 0]}\n";
  static const char car[] =
      "flange: 1\n"
      "gravity: [0, 0, -9.81]\n"
      "time: {end: 2, macro: %s}\n"
      "ground: {shapes: [{kind: plane, friction: 0.8}]}\n"
      "subsystems:\n"
      "  car: {model: chassis.yaml, step: 1/1000, integrator: semi-implicit, at: [0, 0, 0.6]}\n"
      "  fl: {model: wheel.yaml, step: 1/1000, integrator: semi-implicit, at: [1.3, 0.8, 0.3]}\n"
      "  fr: {model: wheel.yaml, step: 1/1000, integrator: semi-implicit, at: [1.3, -0.8, 0.3]}\n"
      "  rl: {model: wheel.yaml, step: 1/1000, integrator: semi-implicit, at: [-1.3, 0.8, 0.3]}\n"
      "  rr: {model: wheel.yaml, step: 1/1000, integrator: semi-implicit, at: [-1.3, -0.8, 0.3]}\n"
      "interfaces:\n"
      "  a: {joint: revolute, between: [%s]}\n"
      "  b: {joint: revolute, between: [car/fr, fr/hub]}\n"
      "  c: {joint: revolute, between: [car/rl, rl/hub]}\n"
      "  d: {joint: revolute, between: [car/rr, rr/hub]}\n"
      "record: [car/box.position]\n";
  char text[TEXT];
  snprintf(text, sizeof text, wheel, shape);
  make_file(folder, "wheel.yaml", text);
  make_file(folder, "chassis.yaml", chassis);
  snprintf(text, sizeof text, car, macro, first);
  return make_file(folder, "car.yaml", text);
}

/* how far it is from 20 m ahead, after 2 s at 10 m/s [m], or -1: it ended early, and says why;
 * first: ends of the first interface */
static double drive_off(const char *shape, const char *macro, const char *first,
                        const char *scheme) {
  test_folder folder = make_folder();
  char override[OVERRIDE_TEXT];
  snprintf(override, sizeof override, "coupling.scheme=%s", scheme);
  const char *path = write_car(&folder, shape, macro, first);
  marked_run run = run_marked(path, (const char *[]){override, NULL});
  remove_folder(&folder);
  const double *end = run.values + (size_t)(run.rows - 1) * (size_t)run.width;
  const bool is_told = run.diverged_at >= 0;
  const double off = is_told ? -1 : distance_of(end, (const double[]){20, 0, 0.6}, 3);
  print_message("%.14s, H %s s, %s, %s: %.2g m off%s\n", shape + 1, macro, first, scheme, off,
                is_told ? ", told" : "");
  if (is_told) assert_true(strlen(run.error.message) > 0);
  free(run.values);
  return off;
}

static void drive(const char *shape, const char *macro, const char *first, const char *scheme,
                  double most) {
  const double off = drive_off(shape, macro, first, scheme);
  assert_true(off >= 0 && off <= most);
}

/* the wheels of the rest roll in a macro step, whichever end of their hinge stands first */
static void a_car_rolls_on_straight(void **state) {
  static const char *const shapes[] = {spheres, cylinders};
  static const char *const macros[] = {"1/1000", "1/100", "1/50"};
  static const char plain[] = "car/fl, fl/hub", swapped[] = "fl/hub, car/fl";
  (void)state;
  for (int k = 0; k < 2; k++) {
    for (int m = 0; m < 3; m++) {
      drive(shapes[k], macros[m], plain, "parallel", 1e-9);
      drive(shapes[k], macros[m], swapped, "parallel", 1e-9);
    }
    drive(shapes[k], macros[0], plain, "sequential", 1e-9);
    drive(shapes[k], macros[0], swapped, "sequential", 1e-9);
    drive(shapes[k], macros[1], plain, "sequential", 1e-7);
  }
  drive(spheres, macros[1], swapped, "sequential", 1e-5);
}

/* The load on four wheels of two points each can be shared in many ways, and with one hinge the
 * other way round rounding shares it. */
static void a_car_on_cylinders_rolls_straight_or_says_that_it_cannot(void **state) {
  static const char *const macros[] = {"1/100", "1/50"};
  (void)state;
  for (int m = 0; m < 2; m++) {
    const double off = drive_off(cylinders, macros[m], "fl/hub, car/fl", "sequential");
    assert_true(off == -1 || off <= 1e-4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_touches_is_not_pushed_into_the_ground),
      cmocka_unit_test(a_car_rolls_on_straight),
      cmocka_unit_test(a_car_on_cylinders_rolls_straight_or_says_that_it_cannot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
