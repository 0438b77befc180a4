/* Subsystems that each touch the ground, joined by interfaces: a plate on legs of which each is a
 * subsystem of its own. However the load is shared, what stands stays where it is, and what lands
 * or slides does as the monolithic system at the same micro step.
 */
#include <math.h>
#include <stdarg.h>

#include "check.h"
#include "coupling_marks.h"

enum { LEGS_MAX = 6, TEXT = 1 << 14 };

/* A plate on legs. */
typedef struct table {
  int legs;
  double friction, plate; /* mu; mass of the plate, legs have 1 kg */
  double restitution;
  const char *joint;
  double lift, tilt; /* height over the ground [m]; slope of the ground [rad] */
  double speed;      /* along x, at the start [m/s] */
  bool is_robot;     /* legs are */
  bool is_swapped;   /* ends of every second interface are */
  bool is_last;      /* the plate, among the subsystems */
  bool leaps;        /* legs take rattle steps, with contacts in their middle; the plate as it is */
  double macro, end; /* [s]; micro steps are 1 ms */
} table;

static const double feet[LEGS_MAX + 1][LEGS_MAX][2] = {
    [2] = {{-.5, 0}, {.5, 0}},
    [3] = {{-.5, -.3}, {.5, -.3}, {0, .5}},
    [4] = {{-.5, -.5}, {.5, -.5}, {-.5, .5}, {.5, .5}},
    [5] = {{.48, .15}, {.01, .5}, {-.47, .16}, {-.3, -.4}, {.28, -.41}},
    [6] = {{-.5, -.4}, {0, -.4}, {.5, -.4}, {-.5, .4}, {0, .4}, {.5, .4}}};

static const table plain = {
    .legs = 2, .friction = .5, .plate = 10, .joint = "weld", .macro = .01, .end = .5};

static void write_leg(const table *with, char text[TEXT]) {
  if (with->is_robot) {
    snprintf(text, TEXT,
             "flange-model: 1\n"
             "bodies: {leg: {mass: 1, centre: [0, 0, .25], inertia: [.02, .02, .005],\n"
             "  shapes: [{kind: box, size: [.1, .1, .5], at: [0, 0, .25], friction: %g,\n"
             "    restitution: %g}]}}\n"
             "joints: {free: {kind: floating, child: leg}}\n"
             "ports: {top: {body: leg, at: [0, 0, .5]}}\n",
             with->friction, with->restitution);
    return;
  }
  snprintf(text, TEXT,
           "flange-component: 1\n"
           "bodies: {leg: {mass: 1, inertia: [.02, .02, .005], at: [0, 0, .25],\n"
           "  velocity: [%g, 0, 0],\n"
           "  shapes: [{kind: box, size: [.1, .1, .5], friction: %g, restitution: %g}]}}\n"
           "ports: {top: {body: leg, at: [0, 0, .25]}}\n",
           with->speed, with->friction, with->restitution);
}

static int add(char text[TEXT], int used, const char *format, ...) {
  va_list list;
  va_start(list, format);
  used += vsnprintf(text + used, TEXT - (size_t)used, format, list);
  va_end(list);
  assert_true(used < TEXT);
  return used;
}

static void write_plate(const table *with, char text[TEXT]) {
  const double m = with->plate;
  int used = add(text, 0,
                 "flange-component: 1\n"
                 "bodies: {plate: {mass: %g, inertia: [%g, %g, %g], at: [0, 0, .5],\n"
                 "  velocity: [%g, 0, 0]}}\n"
                 "ports:\n",
                 m, .3 * m, .3 * m, .5 * m, with->speed);
  for (int k = 0; k < with->legs; k++) {
    const double *at = feet[with->legs][k];
    used = add(text, used, "  p%d: {body: plate, at: [%g, %g, 0]}\n", k, at[0], at[1]);
  }
}

/* those of what touches, which the plate would not take by itself */
static const char steps[] = "step: 1/1000, integrator: semi-implicit", leaping[] = "step: 1/1000";

static void write_scenario(const table *with, char text[TEXT]) {
  int used = add(text, 0,
                 "flange: 1\n"
                 "time: {end: %g, macro: %g}\n"
                 "gravity: [%.12g, 0, %.12g]\n"
                 "ground: {shapes: [{kind: plane, friction: %g, restitution: %g}]}\n"
                 "subsystems:\n",
                 with->end, with->macro, 9.81 * sin(with->tilt), -9.81 * cos(with->tilt),
                 with->friction, with->restitution);
  const int place = with->is_last ? with->legs : 0;
  const char *taken = with->leaps ? leaping : steps;
  for (int k = 0; k <= with->legs; k++) {
    if (k == place) {
      used =
          add(text, used, "  plate: {model: plate.yaml, %s, at: [0, 0, %g]}\n", taken, with->lift);
    }
    if (k == with->legs) break;
    const double *at = feet[with->legs][k];
    used = add(text, used, "  l%d: {model: leg.yaml, %s, at: [%g, %g, %g]}\n", k, taken, at[0],
               at[1], with->lift);
  }
  used = add(text, used, "interfaces:\n");
  for (int k = 0; k < with->legs; k++) {
    const char *format = with->is_swapped && k % 2 == 0
                             ? "  w%d: {between: [l%d/top, plate/p%d], joint: %s}\n"
                             : "  w%d: {between: [plate/p%d, l%d/top], joint: %s}\n";
    used = add(text, used, format, k, k, k, with->joint);
  }
  add(text, used, "record: [plate/plate.position, l0/leg.position, l%d/leg.position, w0.force]\n",
      with->legs - 1);
}

enum { POSITIONS = 9, FORCE = POSITIONS };

static marked_run run_table(const table *with, const char *scheme) {
  test_folder folder = make_folder();
  char text[TEXT], override[OVERRIDE_TEXT];
  write_leg(with, text);
  make_file(&folder, "leg.yaml", text);
  write_plate(with, text);
  make_file(&folder, "plate.yaml", text);
  write_scenario(with, text);
  const char *path = make_file(&folder, "scenario.yaml", text);
  snprintf(override, sizeof override, "coupling.scheme=%s", scheme);
  marked_run run = run_marked(path, (const char *[]){override, NULL});
  remove_folder(&folder);
  if (run.diverged_at >= 0) fail_msg("%s", run.error.message);
  return run;
}

/* how far a run is from the monolithic one, at any time [m]; no run says that it is unsolved */
static double miss(const table *with, const char *scheme) {
  marked_run whole = run_table(with, "monolithic"), run = run_table(with, scheme);
  double most = 0;
  assert_int_equal(run.rows, whole.rows);
  for (int k = 0; k < run.rows; k++) {
    const size_t at = (size_t)k * (size_t)run.width;
    for (int i = 0; i < POSITIONS; i++) {
      most = flg_larger(most, fabs(run.values[at + (size_t)i] - whole.values[at + (size_t)i]));
    }
  }
  if (run.is_unsolved) fail_msg("%s", run.error.message);
  free(run.values), free(whole.values);
  print_message("%d legs, mu %g, plate %g kg, %s, lift %g, tilt %g, H %g: %s %.1e m\n", with->legs,
                with->friction, with->plate, with->joint, with->lift, with->tilt, with->macro,
                scheme, most);
  return most;
}

static const char *const schemes[] = {"parallel", "sequential"};

static void stands(table with) {
  for (int s = 0; s < 2; s++) assert_true(miss(&with, schemes[s]) <= 1e-8);
}

static void a_plate_stands_on_its_legs(void **state) {
  (void)state;
  for (int legs = 2; legs <= 4; legs++) {
    table with = plain;
    with.legs = legs;
    stands(with);
    with.friction = 0;
    stands(with);
  }
}

static void a_plate_that_is_light_or_heavy_stands(void **state) {
  (void)state;
  table with = plain;
  with.plate = .1;
  stands(with);
  with.plate = 1000;
  stands(with);
}

static void a_plate_stands_on_joints_of_any_kind(void **state) {
  (void)state;
  table with = plain;
  with.legs = 4;
  with.joint = "revolute";
  stands(with);
  with.joint = "spherical";
  stands(with);
}

static void order_and_ends_do_not_matter(void **state) {
  (void)state;
  table with = plain;
  with.legs = 3, with.is_swapped = true;
  stands(with);
  with.is_last = true;
  stands(with);
  with.is_robot = true;
  stands(with);
}

static void a_plate_on_a_slope_sticks(void **state) {
  (void)state;
  table with = plain;
  with.tilt = .4, with.friction = .5; /* tan .4 = .42 */
  stands(with);
}

static void macro_steps_of_any_length_let_it_stand(void **state) {
  (void)state;
  static const double macros[] = {.001, .005, .02};
  table with = plain;
  with.legs = 4, with.end = .2;
  for (int k = 0; k < 3; k++) {
    with.macro = macros[k];
    stands(with);
  }
}

static void a_plate_lands_on_its_legs(void **state) {
  (void)state;
  table with = plain;
  with.lift = .05, with.end = .2;
  for (int legs = 2; legs <= 4; legs++) {
    with.legs = legs;
    assert_true(miss(&with, "parallel") <= 1e-6);
  }
}

/* An impact is felt by all that is joined: a leg that turned around alone would be pulled back, and
 * so would one that took an impact for a force of the step after it. Up to the second bounce: legs
 * that come down one after the other bounce in another way than those that come down at once,
 * however little they are apart. */
static void bounces(table with, double lift) {
  with.lift = lift, with.end = .2;
  for (int legs = 2; legs <= 4; legs++) {
    with.legs = legs, with.is_swapped = legs == 3, with.is_last = legs == 4;
    for (int k = 0; k < 4; k++) {
      with.macro = k % 2 == 0 ? .001 : .01, with.restitution = k < 2 ? .6 : 1;
      for (int s = 0; s < 2; s++) assert_true(miss(&with, schemes[s]) <= 5e-12);
    }
  }
}

static void a_plate_bounces_on_its_legs(void **state) {
  (void)state;
  table with = plain;
  bounces(with, .05);
  with.lift = .05, with.end = .2, with.restitution = .6, with.is_robot = true, with.macro = .005;
  for (int s = 0; s < 2; s++) assert_true(miss(&with, schemes[s]) <= 1e-4);
}

/* Hits of legs act in the middle of their steps, those of the plate at the start of its own. The
 * first lift lets them land in the second half of a step, the other in the first half of the next
 * one, which the last kick of a macro step has to foresee. */
static void a_plate_that_takes_other_steps_bounces_on_its_legs(void **state) {
  (void)state;
  table with = plain;
  with.leaps = true;
  bounces(with, .05);
  bounces(with, .0502);
}

/* Impulses of 20 points with friction can be shared in many ways: all sides take the same. */
static void a_light_plate_that_slides_bounces_on_many_feet(void **state) {
  (void)state;
  table with = plain;
  with.legs = 5, with.plate = .1, with.speed = .5, with.restitution = .9, with.lift = .02;
  with.end = .2, with.leaps = with.is_swapped = with.is_last = true;
  for (int k = 0; k < 2; k++) {
    with.macro = k == 0 ? .001 : .002;
    for (int s = 0; s < 2; s++) assert_true(miss(&with, schemes[s]) <= 5e-12);
  }
}

/* One leg lands after the other: the landing of each is felt by all. */
static void a_plate_that_is_not_over_its_legs_lands(void **state) {
  (void)state;
  table with = plain;
  with.legs = 3, with.lift = .05, with.end = .2; /* the mean of its feet is not below its centre */
  for (int k = 0; k < 4; k++) {
    with.leaps = k % 2 == 1, with.is_swapped = with.is_last = k >= 2;
    for (int s = 0; s < 2; s++) assert_true(miss(&with, schemes[s]) <= 1e-11);
  }
}

static void a_plate_slides_down_a_slope(void **state) {
  (void)state;
  table with = plain;
  with.tilt = .4, with.friction = .3;
  for (int legs = 2; legs <= 4; legs++) {
    with.legs = legs;
    for (int s = 0; s < 2; s++) assert_true(miss(&with, schemes[s]) <= 1e-6);
  }
}

/* Loads that points of feet exchange at communication points change nothing: they are no sign that
 * subsystems do not agree. */
static void feet_that_exchange_loads_are_solved(void **state) {
  (void)state;
  table with = plain;
  with.legs = 5, with.friction = 0, with.speed = .5, with.macro = .001, with.end = .1;
  with.joint = "revolute, axis: [0, 1, 0]";
  for (int k = 0; k < 2; k++) {
    with.plate = k == 0 ? .1 : 50, with.tilt = k == 0 ? 0 : .4;
    for (int s = 0; s < 2; s++) assert_true(miss(&with, schemes[s]) <= 1e-11);
  }
}

/* Each side has shares of the load of its own, with friction that communication points give back.
 */
static void six_legs_that_slide_give_no_energy(void **state) {
  (void)state;
  table with = plain;
  with.legs = 6, with.plate = 50, with.friction = .8, with.macro = .002, with.end = .2;
  for (int k = 0; k < 2; k++) {
    with.speed = k == 0 ? 1 : .5, with.leaps = k == 1;
    for (int s = 0; s < 2; s++) assert_true(miss(&with, schemes[s]) <= 4e-9);
  }
}

/* Feet that friction drags under their hinges press themselves against the ground: each leg can be
 * one of those that jam, while the others come off. In `parallel` each leg waits for the others,
 * and none pushes: the plate slides on without friction. That must not be called complete. */
static void legs_that_wait_for_each_other_are_told(void **state) {
  (void)state;
  table with = plain;
  with.legs = 5, with.plate = 2, with.joint = "revolute, axis: [0, 1, 0]";
  with.macro = .001, with.end = .1;
  for (int k = 0; k < 4; k++) {
    with.speed = k % 2 == 0 ? 1 : -1, with.is_swapped = with.is_last = k >= 2;
    marked_run whole = run_table(&with, "monolithic"), run = run_table(&with, "parallel");
    const mark off = compare_marked(&run, &whole, 0, 3);
    print_message("off by %.2g m: %s\n", off.max, run.is_unsolved ? run.error.message : "solved");
    assert_false(whole.is_unsolved);
    assert_true(off.max < 1e-3 || run.is_unsolved);
    free(run.values), free(whole.values);
  }
}

/* Legs that friction drags under a joint: which of them press themselves fast is not unique, at
 * whatever step, and each scheme takes others (A of macro/contact_jams.c is no P-matrix). */
static void legs_that_jam_are_told(void **state) {
  (void)state;
  static const char hinge[] = "revolute, axis: [0, 1, 0]", ball[] = "spherical";
  const table tables[] = {
      {.legs = 5, .friction = .5, .plate = 2, .restitution = .6, .joint = ball, .lift = .02},
      {.legs = 6, .friction = .3, .plate = 2, .joint = hinge},
      {.legs = 4, .friction = 1, .plate = 10, .restitution = .3, .joint = ball},
  };
  for (int k = 0; k < 3; k++) {
    table with = tables[k];
    with.speed = k == 0 ? -1 : 1, with.leaps = with.is_last = k == 0, with.macro = .002;
    with.end = .2;
    marked_run whole = run_table(&with, "monolithic");
    for (int s = 0; s < 2; s++) {
      marked_run run = run_table(&with, schemes[s]);
      const mark off = compare_marked(&run, &whole, 0, 3);
      print_message("off by %.2g m: %s\n", off.max, run.is_unsolved ? run.error.message : "solved");
      assert_true(off.max < 1e-3 || run.is_unsolved);
      free(run.values);
    }
    assert_false(whole.is_unsolved);
    free(whole.values);
  }
}

/* The force is that on the second end: with ends swapped it is the opposite. */
static void forces_do_not_depend_on_the_order_of_ends(void **state) {
  (void)state;
  table with = plain;
  with.friction = 0, with.legs = 3, with.end = .2;
  for (int s = 0; s < 2; s++) {
    with.lift = s == 0 ? .05 : 0;
    with.is_swapped = false;
    marked_run straight = run_table(&with, schemes[s]);
    with.is_swapped = true;
    marked_run swapped = run_table(&with, schemes[s]);
    double most = 0;
    for (int k = 1; k < straight.rows; k++) {
      const size_t at = (size_t)k * (size_t)straight.width + FORCE;
      for (size_t i = 0; i < 3; i++) {
        most = flg_larger(most, fabs(straight.values[at + i] + swapped.values[at + i]));
      }
    }
    print_message("%s: %.1e N\n", schemes[s], most);
    assert_true(most <= 1e-3);
    free(straight.values), free(swapped.values);
  }
}

enum { BOXES = 20 }; /* 80 contact points */

/* Boxes that slide side by side; on the first a body of another subsystem is welded. */
static marked_run run_boxes(const char *scheme, const char *contacts) {
  test_folder folder = make_folder();
  char text[TEXT], with_scheme[OVERRIDE_TEXT], with_contacts[OVERRIDE_TEXT];
  int used =
      add(text, 0, "flange-component: 1\nports: {top: {body: b0, at: [0, 0, .1]}}\nbodies:\n");
  for (int k = 0; k < BOXES; k++) {
    used = add(text, used,
               "  b%d: {mass: 1, inertia: [.01, .01, .01], at: [0, %g, .1], velocity: [1, 0, 0],\n"
               "    shapes: [{kind: box, size: [.2, .2, .2], friction: .3}]}\n",
               k, .5 * k);
  }
  make_file(&folder, "boxes.yaml", text);
  make_file(
      &folder, "load.yaml",
      "flange-component: 1\n"
      "bodies: {load: {mass: 1, inertia: [.01, .01, .01], at: [0, 0, .3], velocity: [1, 0, 0]}}\n"
      "ports: {foot: {body: load, at: [0, 0, -.1]}}\n");
  add(text, 0,
      "flange: 1\n"
      "time: {end: .2, macro: 1/100}\n"
      "gravity: [0, 0, -9.81]\n"
      "ground: {shapes: [{kind: plane, friction: .3}]}\n"
      "subsystems: {load: {model: load.yaml, %s}, boxes: {model: boxes.yaml, %s}}\n"
      "interfaces: {weld: {between: [load/foot, boxes/top], joint: weld}}\n"
      "record: [boxes/b0.position, boxes/b19.position]\n",
      steps, steps);
  const char *path = make_file(&folder, "scenario.yaml", text);
  snprintf(with_scheme, sizeof with_scheme, "coupling.scheme=%s", scheme);
  snprintf(with_contacts, sizeof with_contacts, "coupling.contacts=%s", contacts);
  marked_run run =
      run_marked(path, (const char *[]){with_scheme, contacts[0] ? with_contacts : NULL, NULL});
  remove_folder(&folder);
  if (run.diverged_at >= 0) fail_msg("%s", run.error.message);
  return run;
}

static void models_take_as_many_contacts_as_bodies_can_have(void **state) {
  (void)state;
  marked_run whole = run_boxes("monolithic", "");
  const char *const contacts[] = {"nonsmooth", "smooth"};
  for (int k = 0; k < 4; k++) {
    marked_run run = run_boxes(schemes[k / 2], contacts[k % 2]);
    const mark first = compare_marked(&run, &whole, 0, 3);
    const mark last = compare_marked(&run, &whole, 3, 3);
    print_message("%s, %s: %.1e and %.1e m\n", schemes[k / 2], contacts[k % 2], first.max,
                  last.max);
    /* smooth models do not know of friction that slides: 0.43 mm are theirs */
    assert_true(first.max <= (k % 2 == 0 ? 1e-12 : 4e-3) && last.max <= 1e-12);
    free(run.values);
  }
  free(whole.values);
}

enum { FEET = 20 }; /* of one body: 80 contact points */

/* A plate whose legs are its own shapes, with a load of another subsystem welded on. */
static const char *write_feet(test_folder *folder) {
  char text[TEXT];
  int used = add(text, 0,
                 "flange-component: 1\nports: {top: {body: plate, at: [.1, 0, 0]}}\n"
                 "bodies: {plate: {mass: 10, inertia: [2, 2, 3], at: [0, 0, .5], shapes: [\n");
  for (int k = 0; k < FEET; k++) {
    const double turn = 2 * 3.14159265358979 * k / FEET, reach = k % 2 == 0 ? .5 : .8;
    used = add(text, used,
               "  {kind: box, size: [.05, .05, .5], at: [%.3g, %.3g, -.25], friction: .5},\n",
               reach * cos(turn), reach * sin(turn));
  }
  add(text, used, "  ]}}\n");
  make_file(folder, "plate.yaml", text);
  make_file(folder, "load.yaml",
            "flange-component: 1\n"
            "bodies: {load: {mass: 5, inertia: [.1, .1, .1], at: [.1, 0, .7]}}\n"
            "ports: {foot: {body: load, at: [0, 0, -.2]}}\n");
  add(text, 0,
      "flange: 1\n"
      "time: {end: .2, macro: 1/100}\n"
      "gravity: [1, 0, -9.81]\n"
      "ground: {shapes: [{kind: plane, friction: .5}]}\n"
      "subsystems: {plate: {model: plate.yaml, %s}, load: {model: load.yaml, %s}}\n"
      "interfaces: {weld: {between: [load/foot, plate/top], joint: weld}}\n"
      "record: [plate/plate.position, load/load.position]\n",
      steps, steps);
  return make_file(folder, "scenario.yaml", text);
}

static marked_run run_feet(const char *path, const char *scheme, const char *contacts) {
  char with_scheme[OVERRIDE_TEXT], with_contacts[OVERRIDE_TEXT];
  snprintf(with_scheme, sizeof with_scheme, "coupling.scheme=%s", scheme);
  snprintf(with_contacts, sizeof with_contacts, "coupling.contacts=%s", contacts);
  marked_run run = run_marked(path, (const char *[]){with_scheme, with_contacts, NULL});
  if (run.diverged_at >= 0) fail_msg("%s", run.error.message);
  return run;
}

/* More than eight a body, and more than 64 in all. */
static void one_body_may_stand_on_many_legs(void **state) {
  (void)state;
  static const char *const contacts[] = {"nonsmooth", "smooth"};
  static const double bounds[2][2] = {{3e-13, 3e-13}, {1e-4, 3e-13}};
  test_folder folder = make_folder();
  const char *path = write_feet(&folder);
  marked_run whole = run_feet(path, "monolithic", "nonsmooth");
  const double *end = whole.values + (size_t)whole.width * (size_t)(whole.rows - 1);
  assert_near(end[0], 0, 1e-12), assert_near(end[2], .5, 1e-12); /* it stands */
  for (int k = 0; k < 4; k++) {
    marked_run run = run_feet(path, schemes[k / 2], contacts[k % 2]);
    const mark apart = compare_marked(&run, &whole, 0, 6);
    print_message("%s, %s: %.1e m\n", schemes[k / 2], contacts[k % 2], apart.max);
    assert_true(apart.max <= bounds[k % 2][k / 2]);
    free(run.values);
  }
  remove_folder(&folder);
  free(whole.values);
}

enum { HEAPED = 15, COLUMNS = 3 }; /* 60 contact points a heap */

static void write_boxes(test_folder *folder, const char *name, double x) {
  char text[TEXT];
  int used =
      add(text, 0, "flange-component: 1\nports: {foot: {body: b0, at: [0, 0, 0]}}\nbodies:\n");
  for (int k = 0; k < HEAPED; k++) {
    used = add(text, used,
               "  b%d: {mass: 1, inertia: [.0067, .0067, .0067], at: [%g, %g, %g],\n"
               "    shapes: [{kind: box, size: [.2, .2, .2], friction: .5}]}\n",
               k, x, .5 * (k % COLUMNS), .1 + .2 * (k / COLUMNS));
  }
  make_file(folder, name, text);
}

/* Two heaps, with a beam between the feet of their first columns. */
static const char *write_heaps(test_folder *folder) {
  char text[TEXT];
  write_boxes(folder, "a.yaml", 0), write_boxes(folder, "b.yaml", 1);
  make_file(folder, "beam.yaml",
            "flange-component: 1\n"
            "bodies: {beam: {mass: 1, inertia: [.01, .1, .1], at: [.5, 0, .1]}}\n"
            "ports: {l: {body: beam, at: [-.5, 0, 0]}, r: {body: beam, at: [.5, 0, 0]}}\n");
  add(text, 0,
      "flange: 1\n"
      "time: {end: .02, macro: 1/100}\n"
      "ground: {shapes: [{kind: plane, friction: .5}]}\n"
      "subsystems: {a: {model: a.yaml, %s}, b: {model: b.yaml, %s}, beam: {model: beam.yaml, %s}}\n"
      "interfaces:\n"
      "  l: {between: [beam/l, a/foot], joint: weld}\n"
      "  r: {between: [beam/r, b/foot], joint: weld}\n"
      "record: [a/b0.position, b/b%d.position]\n",
      steps, steps, steps, HEAPED - 1);
  return make_file(folder, "scenario.yaml", text);
}

enum { BALLS = 100, SIDE = 10 };

/* A robot lets a tray of balls fall along its axis, and brakes it by a damper. */
static const char *write_tray(test_folder *folder) {
  char text[TEXT];
  int used = add(text, 0,
                 "flange-component: 1\nports: {grip: {body: tray, at: [0, 0, 0]}}\nbodies:\n"
                 "  tray: {mass: 5, inertia: [1, 1, 2], at: [0, 0, 1],\n"
                 "    shapes: [{kind: box, size: [1.4, 1.4, .05], friction: .5}]}\n");
  for (int k = 0; k < BALLS; k++) {
    used = add(text, used,
               "  b%d: {mass: .1, inertia: [1e-4, 1e-4, 1e-4], at: [%g, %g, 1.075],\n"
               "    shapes: [{kind: sphere, size: [.05], friction: .5}]}\n",
               k, .11 * (k % SIDE - 4.5), .11 * (k / SIDE - 4.5));
  }
  make_file(folder, "tray.yaml", text);
  make_file(folder, "robot.yaml",
            "flange-model: 1\n"
            "bodies: {lift: {mass: 5, inertia: [.1, .1, .1]}}\n"
            "joints: {up: {kind: prismatic, parent: world, child: lift, axis: [0, 0, 1],\n"
            "  at: [0, 0, 1], damping: 1000}}\n"
            "ports: {tool: {body: lift}}\n");
  add(text, 0,
      "flange: 1\n"
      "time: {end: .02, macro: 1/500}\n"
      "subsystems: {robot: {model: robot.yaml, %s}, tray: {model: tray.yaml, %s}}\n"
      "interfaces: {grip: {between: [robot/tool, tray/grip], joint: weld}}\n"
      "record: [tray/tray.position, tray/b%d.position]\n",
      steps, steps, BALLS - 1);
  return make_file(folder, "scenario.yaml", text);
}

static void many_bodies_touch_as_the_whole(void **state) {
  (void)state;
  static const char *(*const systems[])(test_folder *) = {write_heaps, write_tray};
  for (int k = 0; k < 4; k++) {
    test_folder folder = make_folder();
    const char *path = systems[k / 2](&folder);
    marked_run whole = run_feet(path, "monolithic", "nonsmooth");
    marked_run run = run_feet(path, schemes[k % 2], "nonsmooth");
    const mark first = compare_marked(&run, &whole, 0, 3),
               last = compare_marked(&run, &whole, 3, 3);
    print_message("%s, %s: %.1e and %.1e m\n", k < 2 ? "heaps" : "tray", schemes[k % 2], first.max,
                  last.max);
    const double bound = k < 2 ? 1e-13 : 2e-5; /* the damper of the robot is stiff for H */
    assert_true(first.max <= bound && last.max <= bound);
    remove_folder(&folder);
    free(run.values), free(whole.values);
  }
}

static void too_many_contacts_are_told_with_the_key_that_raises_them(void **state) {
  (void)state;
  test_folder folder = make_folder();
  const char *path = write_feet(&folder);
  for (int k = 0; k < 4; k++) {
    char scheme[OVERRIDE_TEXT];
    snprintf(scheme, sizeof scheme, "coupling.scheme=%s", schemes[k / 2]);
    const char *capacity = k % 2 == 0 ? "coupling.capacity=80" : "coupling.capacity=79";
    flg_simulation *simulation = load_with(path, (const char *[]){scheme, capacity, NULL});
    flg_error error = {0};
    const flg_status status = flg_simulation_step(simulation, &error);
    assert_int_equal(status, k % 2 == 0 ? FLG_OK : FLG_ERR_CAPACITY);
    if (k % 2 == 1) {
      assert_non_null(strstr(error.message, "it and the subsystems that it meets have more"));
      assert_non_null(strstr(error.message, "than the 79 that there is room for"));
      assert_non_null(strstr(error.message, "raise 'capacity' of the coupling"));
    }
    flg_simulation_release(simulation);
  }
  remove_folder(&folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models_take_as_many_contacts_as_bodies_can_have),
      cmocka_unit_test(one_body_may_stand_on_many_legs),
      cmocka_unit_test(many_bodies_touch_as_the_whole),
      cmocka_unit_test(too_many_contacts_are_told_with_the_key_that_raises_them),
      cmocka_unit_test(a_plate_stands_on_its_legs),
      cmocka_unit_test(a_plate_that_is_light_or_heavy_stands),
      cmocka_unit_test(a_plate_stands_on_joints_of_any_kind),
      cmocka_unit_test(order_and_ends_do_not_matter),
      cmocka_unit_test(a_plate_on_a_slope_sticks),
      cmocka_unit_test(macro_steps_of_any_length_let_it_stand),
      cmocka_unit_test(a_plate_lands_on_its_legs),
      cmocka_unit_test(a_plate_bounces_on_its_legs),
      cmocka_unit_test(a_plate_that_takes_other_steps_bounces_on_its_legs),
      cmocka_unit_test(a_light_plate_that_slides_bounces_on_many_feet),
      cmocka_unit_test(a_plate_that_is_not_over_its_legs_lands),
      cmocka_unit_test(feet_that_exchange_loads_are_solved),
      cmocka_unit_test(six_legs_that_slide_give_no_energy),
      cmocka_unit_test(a_plate_slides_down_a_slope),
      cmocka_unit_test(legs_that_wait_for_each_other_are_told),
      cmocka_unit_test(legs_that_jam_are_told),
      cmocka_unit_test(forces_do_not_depend_on_the_order_of_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
