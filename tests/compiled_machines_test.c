/* Libraries of components in joint coordinates, with gears, motors and signals, that step by rk4,
 * against the interpreter. */
#include <math.h>

#include "allocations.h"
#include "component_library.h"
#include "geared_models.h"
#include "math/larger.h"

enum { VALUES = 40, SIGNALS_MAX = 16 };

static char library[128];

/* --- machines -----------------------------------------------------------------------------------
 */

/* A text, and the names of what is recorded, as "a.position b.current u", of subsystem s. */
typedef struct machine {
  const char *text, *told;
} machine;

static const machine machines[] = {
    {RACK_AND_WHEEL "ports: {tip: {body: wheel, at: [0.1, 0, 0.2]}}\n",
     "fast.position fast.velocity guide.position wheel.position coil.effort"},
    {DIFFERENTIAL "ports: {tip: {body: left, at: [0.1, 0.05, 0]}}\n",
     "swing.position cage.velocity sun1.position right.orientation turn2.position"},
    {LIFT "ports: {tip: {body: load}}\n",
     "shaft.position rail.velocity coil.current coil.torque coil.voltage u smooth goal "
     "brake.effort rope.position"},
    {CHAIN "ports: {tip: {body: c, at: [0, 0.1, 0.2]}}\n",
     "first.position b.angular_velocity c.velocity stay.effort"},
    {SAMPLED "ports: {tip: {body: two}}\n",
     "left.position right.velocity u slow way kick lean.position"},
};
enum { MACHINES = sizeof machines / sizeof *machines };

static const char load[] =
    "flange-component: 1\nbodies: {load: {mass: 0.5, inertia: [0.02, 0.01, 0.03]}}\n"
    "ports: {eye: {body: load}}\n";

/* the names of `told`, each for itself; returns how many */
static int split(const char *told, char text[400], const char *names[SIGNALS_MAX]) {
  int count = 0;
  snprintf(text, 400, "%s", told);
  for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
    names[count++] = word;
  }
  return count;
}

static void compile(const machine *of) {
  char text[400];
  const char *names[SIGNALS_MAX];
  const int count = split(of->told, text, names);
  name_library(library, sizeof library);
  must_make_component_library(
      of->text, (flg_mechanism_source){.signals = names, .signal_count = count, .is_staged = true},
      library);
}

/* --- how they run -------------------------------------------------------------------------------
 */

/* steps, keys of the subsystem, and what follows it in the scenario */
typedef struct way {
  int rate;
  double end;
  const char *keys, *rest;
} way;

static flg_simulation *load_machine(const machine *of, const way *how, bool is_compiled) {
  char scenario[3000], text[400];
  const char *names[SIGNALS_MAX];
  const int count = split(of->told, text, names);
  char *to = scenario;
  to += sprintf(to,
                "flange: 1\ntime: {end: %g, macro: 0.01}\ngravity: [1, 0.5, -9.81]\nsubsystems:\n"
                "  s: {%s%s, step: 1/%d%s}\n%s",
                how->end, is_compiled ? "plugin: " : "model: model.yaml, integrator: rk4",
                is_compiled ? library : "", how->rate, how->keys, how->rest);
  to += sprintf(to, "record: [s/energy, s/tip.position, s/tip.velocity, s/tip.orientation");
  for (int k = 0; k < count; k++) to += sprintf(to, ", s/%s", names[k]);
  sprintf(to, "]\n");
  return load_three_texts(scenario, of->text, load);
}

/* the largest difference of all that is recorded, at any communication point, of numbers over 1 as
 * a share of them */
static double apart(const machine *of, const way *how) {
  flg_simulation *ours = load_machine(of, how, true), *theirs = load_machine(of, how, false);
  flg_error error;
  double mine[VALUES], others[VALUES], most = 0;
  while (!flg_simulation_ended(ours)) {
    if (flg_simulation_step(ours, &error) != FLG_OK) fail_msg("%s", error.message);
    if (flg_simulation_step(theirs, &error) != FLG_OK) fail_msg("%s", error.message);
    flg_simulation_record(ours, mine);
    flg_simulation_record(theirs, others);
    for (int k = 0; k < flg_simulation_width(ours); k++) {
      const double off = fabs(mine[k] - others[k]) / fmax(1, fabs(others[k]));
      most = flg_larger(most, off);
    }
  }
  flg_simulation_release(ours), flg_simulation_release(theirs);
  return most;
}

/* --- tests --------------------------------------------------------------------------------------
 */

static const char elsewhere[] = ", at: [1, -2, 3], turn: [0.3, -0.2, 1]";

static void machines_move_as_interpreted(void **state) {
  (void)state;
  const way ways[] = {{200, 0.5, "", ""}, {2000, 0.5, "", ""}, {1000, 0.3, elsewhere, ""}};
  for (int k = 0; k < MACHINES; k++) {
    compile(&machines[k]);
    for (int i = 0; i < 3; i++) {
      const double off = apart(&machines[k], &ways[i]);
      print_message("machine %d, 1/%d s%s: %.2g\n", k, ways[i].rate, ways[i].keys, off);
      assert_near(off, 0, 1e-11);
    }
    unlink(library);
  }
}

/* In couplings the interpreter steps the model in absolute coordinates, with projections: both are
 * of order 4. */
static void coupled_they_converge_to_the_interpreter(void **state) {
  (void)state;
  static const char *const places[MACHINES] = {"[0.6, 0, 0.2]", "[1.1, -0.15, 0]", "[0.5, 0, 0]",
                                               "[1.5, 0.1, 0.6]", "[1, 0.1, -0.5]"};
  static const char *const schemes[] = {"sequential", "parallel", "neighbour"};
  for (int k = 0; k < MACHINES; k++) {
    compile(&machines[k]);
    for (int i = 0; i < 3; i++) {
      char rests[2][400];
      double off[2];
      for (int fine = 0; fine < 2; fine++) {
        const int rate = fine ? 4000 : 1000;
        snprintf(rests[fine], sizeof rests[fine],
                 "  b: {model: robot.yaml, step: 1/%d, at: %s}\n"
                 "interfaces: {knot: {between: [s/tip, b/eye], joint: %s}}\n"
                 "coupling: {scheme: %s, pose: none}\n",
                 rate, places[k], i == 1 ? "spherical" : "weld", schemes[i]);
        off[fine] = apart(&machines[k], &(way){rate, 0.05, "", rests[fine]});
      }
      print_message("machine %d, %s: %.2g, %.2g\n", k, schemes[i], off[0], off[1]);
      assert_true(off[0] < 1e-8 && off[1] < fmax(off[0] / 50, 1e-13));
    }
    unlink(library);
  }
}

static void resumed_runs_have_the_same_bits(void **state) {
  (void)state;
  const way how = {500, 0.2, "", ""};
  for (int k = 0; k < MACHINES; k++) {
    compile(&machines[k]);
    resume_bit_for_bit(load_machine(&machines[k], &how, true),
                       load_machine(&machines[k], &how, true));
    unlink(library);
  }
}

static void steps_allocate_nothing(void **state) {
  (void)state;
  flg_error error;
  if (!allocations_counted()) skip();
  for (int k = 0; k < MACHINES; k++) {
    compile(&machines[k]);
    flg_simulation *simulation = load_machine(&machines[k], &(way){500, 0.2, "", ""}, true);
    assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
    allocations_begin();
    assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
    assert_int_equal(allocations_end(), 0);
    flg_simulation_release(simulation);
    unlink(library);
  }
}

/* --- machines at random -------------------------------------------------------------------------
 */

static double draw(unsigned *seed, double least, double most) {
  *seed = *seed * 1664525u + 1013904223u;
  return least + (most - least) * (*seed >> 8) / 16777216.0;
}

static int pick(unsigned *seed, int count) {
  return (int)draw(seed, 0, count - 1e-9);
}

static void draw_axis(unsigned *seed, double axis[3]) {
  static const double units[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int plain = pick(seed, 4);
  for (int i = 0; i < 3; i++) {
    axis[i] = plain < 3 ? units[plain][i] : draw(seed, 0.1, 1) * (pick(seed, 2) ? 1 : -1);
  }
}

enum { REVOLUTE, PRISMATIC, CYLINDRICAL, SPHERICAL, SCREW, KINDS, MOST_BODIES = 5 };

typedef struct drawn {
  unsigned seed;
  int bodies, kind[MOST_BODIES];
  double at[MOST_BODIES][3];
  char *to; /* what is written next */
} drawn;

static void draw_bodies(drawn *of) {
  unsigned *seed = &of->seed;
  of->bodies = 2 + pick(seed, MOST_BODIES - 1);
  for (int k = 0; k < of->bodies; k++) {
    double *at = of->at[k];
    for (int i = 0; i < 3; i++) at[i] = draw(seed, -1, 1);
    const double inertia = draw(seed, 0.1, 0.2), arm = draw(seed, -0.2, 0.2);
    of->to += sprintf(of->to,
                      "  b%d: {mass: %g, inertia: [%g, %g, %g], at: [%.17g, %.17g, %.17g], "
                      "centre: [%g, %g, 0.1]}\n",
                      k, draw(seed, 0.5, 3), inertia, 1.2 * inertia, 1.1 * inertia, at[0], at[1],
                      at[2], arm, -2 * arm);
  }
}

/* each on one before it or on the ground, named in either order */
static void draw_joints(drawn *of) {
  static const char *const kinds[KINDS] = {"revolute", "prismatic", "cylindrical", "spherical",
                                           "screw"};
  for (int k = 0; k < of->bodies; k++) {
    const int carrier = pick(&of->seed, k + 1) - 1, is_swapped = pick(&of->seed, 2);
    const double *at = of->at[k];
    char names[2][8];
    double axis[3];
    draw_axis(&of->seed, axis);
    of->kind[k] = pick(&of->seed, KINDS);
    sprintf(names[is_swapped], carrier < 0 ? "world" : "b%d", carrier);
    sprintf(names[!is_swapped], "b%d", k);
    of->to += sprintf(of->to,
                      "  j%d: {kind: %s, between: [%s, %s], at: [%.17g, %.17g, %.17g], "
                      "axis: [%.17g, %.17g, %.17g]%s}\n",
                      k, kinds[of->kind[k]], names[0], names[1], at[0], at[1], at[2], axis[0],
                      axis[1], axis[2], of->kind[k] == SCREW ? ", pitch: 0.05" : "");
  }
}

static void draw_forces(drawn *of) {
  unsigned *seed = &of->seed;
  const int last = of->bodies - 1;
  of->to += sprintf(of->to,
                    "springs:\n"
                    "  stay: {between: [world, b%d], stiffness: %g, damping: 0.3, length: 0.7}\n"
                    "  rope: {between: [b%d, b0], stiffness: %g, preload: 0.5}\n",
                    last, draw(seed, 5, 40), last, draw(seed, 1, 9));
  for (int k = 0; k < of->bodies; k++) {
    if (of->kind[k] > PRISMATIC) continue;
    of->to += sprintf(of->to, "  t%d: {on: j%d, stiffness: %g, damping: 0.2, rest: 0.1}\n", k, k,
                      draw(seed, 1, 5));
  }
  of->to += sprintf(of->to,
                    "forces:\n"
                    "  wind: {body: b0, at: [0.1, 0, 0.2], force: [1, %g, 0.5]}\n"
                    "  jet: {body: b%d, force: [0, 1, %g], moment: [0.1, 0, 0.2], axes: body}\n",
                    draw(seed, -2, 2), last, draw(seed, -1, 1));
}

/* a motor and an effort on each joint with one coordinate */
static void draw_signals(drawn *of, char told[400]) {
  char *name = told + sprintf(told, "b0.position stay.effort b0.angular_velocity"), motors[1000];
  char signals[1500], *motor = motors, *signal = signals;
  for (int k = 0; k < of->bodies; k++) {
    if (of->kind[k] > PRISMATIC) continue;
    const char *sample = pick(&of->seed, 2) ? ", sample: 0.005" : "";
    motor += sprintf(motor,
                     "  m%d: {on: j%d, voltage: u%d, resistance: %g, inductance: %g, "
                     "torque_constant: 0.3, limit: 20}\n",
                     k, k, k, draw(&of->seed, 0.5, 2), pick(&of->seed, 2) * 0.004);
    signal += sprintf(signal,
                      "  g%d: {kind: quintic, points: [{at: 0, value: 0}, {at: 0.2, value: 0.5}]}\n"
                      "  f%d: {kind: filter, input: j%d.velocity, time_constant: 0.02, order: %d}\n"
                      "  u%d: {kind: pid, input: j%d, target: g%d + 0.1*sin(9*time), kp: 9, ki: 5, "
                      "kd: 0.2,\n      filter: 0.01, feed_forward: 0.1*f%d, limit: [-9, 9]%s}\n",
                      k, k, k, 1 + pick(&of->seed, 2), k, k, k, k, sample);
    name += sprintf(name, " j%d.position m%d.current u%d", k, k, k);
  }
  if (motor == motors) return;
  of->to += sprintf(of->to, "motors:\n%ssignals:\n%s", motors, signals);
}

static void draw_machine(unsigned seed, char text[8000], char told[400]) {
  drawn of = {.seed = seed * 7919u + 17u, .to = text};
  of.to += sprintf(of.to, "flange-component: 1\nbodies:\n");
  draw_bodies(&of);
  of.to += sprintf(of.to, "joints:\n");
  draw_joints(&of);
  draw_forces(&of);
  draw_signals(&of, told);
  sprintf(of.to, "ports: {tip: {body: b%d, at: [0, 0.1, 0.2]}}\n", of.bodies - 1);
}

/* FLANGE_SEEDS: how many; else few */
static void machines_at_random_move_as_interpreted(void **state) {
  (void)state;
  static char text[8000], told[400];
  const char *asked = getenv("FLANGE_SEEDS");
  const int seeds = asked == NULL ? 6 : atoi(asked);
  for (int k = 0; k < seeds; k++) {
    draw_machine((unsigned)k, text, told);
    const machine of = {text, told};
    compile(&of);
    const double off = apart(&of, &(way){500, 0.2, "", ""});
    const double moved = apart(&of, &(way){500, 0.2, elsewhere, ""});
    print_message("seed %d: %.2g, elsewhere %.2g\n", k, off, moved);
    if (!(off < 1e-10 && moved < 1e-10)) fail_msg("seed %d:\n%s", k, text);
    unlink(library);
  }
}

static flg_simulation *load_texts_of_library(double h) {
  char scenario[400];
  snprintf(scenario, sizeof scenario,
           "flange: 1\ntime: {end: %g, macro: %g}\nsubsystems: {s: {plugin: %s}}\n", 5 * h, h,
           library);
  return load_texts(scenario, NULL);
}

/* --- what is refused ----------------------------------------------------------------------------
 */

static void a_motion_without_numbers_ends_with_a_sentence(void **state) {
  (void)state;
  static const machine spun = {
      "flange-component: 1\nbodies: {wheel: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {axle: {kind: revolute, between: [world, wheel], at: [0, 0, 0]}}\n"
      "efforts: {push: {on: axle, effort: sqrt(0.1 - time)}}\nports: {tip: {body: wheel}}\n",
      "axle.position"};
  flg_error error;
  compile(&spun);
  flg_simulation *simulation = load_machine(&spun, &(way){500, 0.5, "", ""}, true);
  assert_int_not_equal(run_and_judge(simulation, &error), FLG_OK);
  if (strstr(error.message, "is no longer a finite number") == NULL) fail_msg("%s", error.message);
  flg_simulation_release(simulation);
  unlink(library);
}

/* of one mass, h^2 k = 2.83^2 m */
static void steps_that_are_not_stable_are_refused(void **state) {
  (void)state;
  static const machine bouncer = {
      "flange-component: 1\nbodies: {ball: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {rail: {kind: prismatic, between: [world, ball]}}\n"
      "springs: {s: {on: rail, stiffness: 10000, rest: 0.1}}\nports: {tip: {body: ball}}\n",
      "s.effort"};
  static const char said[] = "too long for its springs and dampers: take steps of at most 0.0286 s";
  flg_error error;
  compile(&bouncer);
  for (int k = 0; k < 2; k++) {
    flg_simulation *simulation = load_texts_of_library(k == 0 ? 0.028 : 0.0287);
    const flg_status status = flg_simulation_step(simulation, &error);
    assert_int_equal(status == FLG_OK, k == 0);
    if (k == 1 && strstr(error.message, said) == NULL) fail_msg("%s", error.message);
    flg_simulation_release(simulation);
  }
  unlink(library);
}

/* keys: more of the joint; more: of the component */
static void refuse(const char *keys, const char *more) {
  static const char why[] = "only bodies on joints without loops are";
  static flg_mistakes mistakes;
  static const char *const signals[] = {"axle.position"};
  char text[1000];
  snprintf(text, sizeof text,
           "flange-component: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]}}\n"
           "joints: {axle: {kind: revolute, between: [world, a], at: [0, 0, 0]%s}}\n%s",
           keys, more);
  name_library(library, sizeof library);
  const flg_status status = make_component_library(
      text, (flg_mechanism_source){.signals = signals, .signal_count = 1, .is_staged = true},
      library, &mistakes);
  assert_int_not_equal(status, FLG_OK);
  if (strstr(mistakes.list[0].message, why) == NULL) fail_msg("%s", mistakes.list[0].message);
}

static void what_cannot_be_compiled_is_refused(void **state) {
  (void)state;
  refuse(", friction: {coulomb: 1}", "");
  refuse(", stops: {upper: 1}", "");
  refuse("", "motions: {turn: {on: axle, follows: 0.1*time}}\n");
  refuse("", "bushings: {pad: {between: [world, a], stiffness: [1, 1, 1]}}\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(machines_move_as_interpreted),
      cmocka_unit_test(coupled_they_converge_to_the_interpreter),
      cmocka_unit_test(resumed_runs_have_the_same_bits),
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(machines_at_random_move_as_interpreted),
      cmocka_unit_test(a_motion_without_numbers_ends_with_a_sentence),
      cmocka_unit_test(steps_that_are_not_stable_are_refused),
      cmocka_unit_test(what_cannot_be_compiled_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
