/* Every kind of element in every scheme, interpreted and with `compiled: true`: the same motion, to
 * 1e-9 at all communication points; how many steps the library takes, and where it takes none. */
#include "cache_folder.h"
#include "check.h"
#include "compile/compiled_mechanism.h"
#include "component/assembly_contract.h"
#include "math/larger.h"
#include "scenarios.h"

/* What becomes of its steps. */
typedef enum share {
  MOST,   /* are the library's; signals cut some to pieces that are too short */
  SOME,   /* where something sticks, touches, or is at an end the interpreter goes on */
  NOTHING /* the component is interpreted, and the run says so */
} share;

typedef struct feature {
  const char *name;
  share share, joined; /* alone, or solved as one with others; co-simulated with them */
  const char *on_joint, *on_body, *sections, *events;
  const char *last; /* the joint between rocker and ground; NULL: a hinge */
} feature;

#define HINGE "kind: revolute, between: [rocker, world], at: [1.5, 0, 0.4], axis: [0.2, 0.1, 1]"
#define AT    "between: [rocker, world], at: [1.5, 0, 0.4], axis: [0.2, 0.1, 1]"

static const feature features[] = {
    {.name = "nothing", MOST, MOST},
    {.name = "weld", MOST, MOST, .last = "kind: weld, " AT},
    {.name = "prismatic", MOST, MOST, .last = "kind: prismatic, " AT},
    {.name = "cylindrical", MOST, MOST, .last = "kind: cylindrical, " AT},
    {.name = "spherical", MOST, MOST, .last = "kind: spherical, " AT},
    {.name = "universal", MOST, MOST, .last = "kind: universal, " AT ", axis2: [1, 0, -0.2]"},
    {.name = "planar", MOST, MOST, .last = "kind: planar, " AT},
    {.name = "point-on-line", MOST, MOST, .last = "kind: point-on-line, " AT},
    {.name = "screw", NOTHING, NOTHING, .last = "kind: screw, pitch: 0.1, " AT},
    {.name = "distance", NOTHING, NOTHING, .last = "kind: distance, between: [rocker, world]"},
    {.name = "gear", NOTHING, NOTHING, .sections = "gears", .on_joint = ""},
    {.name = "spring", MOST, MOST, .sections = "springs: {s: {on: d, stiffness: 3, rest: 0.1}}\n"},
    {.name = "damper", MOST, MOST, .sections = "springs: {s: {on: d, damping: 0.2}}\n"},
    {.name = "strut",
     MOST,
     MOST,
     .sections = "springs: {s: {between: [world, rod], stiffness: 40, damping: 1, length: 0.5}}\n"},
    {.name = "stiff spring",
     NOTHING,
     NOTHING,
     .sections = "springs: {s: {on: d, stiffness: 1e7, damping: 10}}\n"},
    {.name = "implicit spring",
     NOTHING,
     NOTHING,
     .sections = "springs: {s: {on: d, stiffness: 3, implicit: true}}\n"},
    {.name = "bushing",
     MOST,
     MOST,
     .sections = "bushings: {m: {between: [world, rocker], at: [1.5, 0.3, 0.4],\n"
                 "  stiffness: [30, 20, 10], angular_stiffness: [1, 2, 3]}}\n"},
    {.name = "load",
     MOST,
     MOST,
     .sections = "forces: {w: {body: rod, force: [1, 2, 3], moment: [0, 0.1, 0]}}\n"},
    {.name = "switched load",
     MOST,
     MOST,
     .sections = "forces: {w: {body: rod, force: [1, 2, 3]}}\n",
     .events = "events: [{at: 0.1, disable: m/w}, {at: 0.2, enable: m/w}]\n"},
    {.name = "signal",
     MOST,
     MOST,
     .sections = "signals:\n"
                 "  u: {kind: sine, amplitude: 2, frequency: 1.3}\n"
                 "  w: {kind: pid, target: u, input: a.position, kp: 5, ki: 2, kd: 0.3,\n"
                 "    sample: 1/250}\n"
                 "  l: {kind: filter, input: w, time_constant: 0.02}\n"
                 "efforts: {e: {on: a, effort: l, limit: 20}}\n"},
    {.name = "motor",
     NOTHING,
     NOTHING,
     .sections = "motors: {e: {on: a, voltage: 3, resistance: 1, inductance: 1e-3,\n"
                 "  torque_constant: 0.3}}\n"},
    {.name = "play",
     MOST,
     MOST,
     .sections = "gears",
     .on_joint = ", stiffness: 2, damping: 0.05, backlash: 0.05"},
    {.name = "stop",
     SOME,
     SOME,
     .on_joint = ", stops: {lower: -0.08, upper: 0.4, restitution: 0.6}"},
    {.name = "friction", SOME, SOME, .on_joint = ", friction: {coulomb: 0.2}"},
    {.name = "stiction",
     SOME,
     SOME,
     .on_joint = ", friction: {coulomb: 0.1, stiction: 0.25, stribeck: 0.1}"},
    {.name = "viscous friction",
     NOTHING,
     NOTHING,
     .on_joint = ", friction: {coulomb: 0.2, viscous: 0.1}"},
    {.name = "motion",
     NOTHING,
     NOTHING,
     .sections = "motions: {f: {on: a, follows: 0.2*sin(4*time)}}\n"},
    /* the ball falls on the ground; joined to others it kicks in every step */
    {.name = "contact",
     SOME,
     NOTHING,
     .on_body = ", shapes: [{kind: sphere, size: 0.1, restitution: 0.4, friction: 0.3}]"},
    {.name = "weld of events",
     SOME,
     SOME,
     .events = "events: [{at: 0.1, weld: [m/crank, m/rod], name: w}, {at: 0.2, release: m/w}]\n"},
    {.name = "all",
     SOME,
     SOME,
     .on_joint = ", stops: {lower: -0.08, upper: 0.4, restitution: 0.6}, friction: {coulomb: 0.1}",
     .sections =
         "springs: {s: {between: [world, rod], stiffness: 40, damping: 1, length: 0.5}}\n"
         "forces: {w: {body: rod, force: [1, 2, 3]}}\n"
         "signals: {p: {kind: pid, input: a.position, kp: 5, ki: 2, kd: 0.3, sample: 1/250}}\n"
         "efforts: {e: {on: d, effort: p}}\n",
     .events = "events: [{at: 0.1, disable: m/w}]\n"},
};
enum { FEATURES = sizeof features / sizeof features[0] };

static const char *const schemes[] = {NULL, "monolithic", "sequential", "parallel", "neighbour"};
enum { SCHEMES = sizeof schemes / sizeof schemes[0], SEQUENTIAL = 2 };

/* --- machines -----------------------------------------------------------------------------------
 */

static const char *write_model(const feature *of) {
  static char text[3000];
  const bool is_geared = of->sections != NULL && strcmp(of->sections, "gears") == 0;
  const char *extra = of->on_joint == NULL ? "" : of->on_joint;
  const char *body = of->on_body == NULL ? "" : of->on_body;
  char *to = text;
  to += sprintf(to,
                "flange-component: 1\nbodies:\n"
                "  crank: {mass: 1, inertia: [0.02, 0.01, 0.02], at: [0, 0.15, 0]%s}\n"
                "  rod: {mass: 0.5, inertia: [0.01, 0.1, 0.1], at: [0.75, 0.6, 0.2]}\n"
                "  rocker: {mass: 2, inertia: [0.2, 0.01, 0.2], at: [1.5, 0.45, 0.4]}\n"
                "joints:\n"
                "  a: {kind: revolute, between: [world, crank], at: [0, 0, 0]%s}\n"
                "  b: {kind: spherical, between: [crank, rod], at: [0, 0.3, 0]}\n"
                "  c: {kind: spherical, between: [rod, rocker], at: [1.5, 0.9, 0.4]}\n"
                "  d: {%s}\n",
                body, is_geared ? "" : extra, of->last == NULL ? HINGE : of->last);
  if (is_geared) {
    to += sprintf(to, "  g: {kind: gear, drive: a, driven: d, ratio: 3%s}\n", extra);
  } else if (of->sections != NULL) {
    to += sprintf(to, "%s", of->sections);
  }
  sprintf(to, "ports: {tip: {body: rod}}\n");
  return text;
}

static const char load[] =
    "flange-component: 1\n"
    "bodies: {load: {mass: 0.4, inertia: [0.1, 0.1, 0.1], at: [0.8, 0.5, 0.1]}}\n"
    "ports: {eye: {body: load, at: [-0.05, 0.1, 0.1]}}\n";

static flg_simulation *load_feature(const feature *of, const char *scheme, bool is_compiled) {
  static char text[3000];
  static flg_mistakes mistakes;
  test_folder folder = make_folder();
  mistakes = (flg_mistakes){0};
  make_file(&folder, "m.yaml", write_model(of));
  make_file(&folder, "load.yaml", load);
  char *to = text;
  to += sprintf(to,
                "flange: 1\ntime: {end: 0.3, macro: 1/100}\ngravity: [4, -9.81, 0.3]\n%s"
                "record: [m/rod.position, m/crank.velocity, m/energy%s]\n"
                "subsystems:\n  m: {model: m.yaml, step: 1/1000, compiled: %s}\n",
                of->events == NULL ? "" : of->events, scheme == NULL ? "" : ", i.force, l/energy",
                is_compiled ? "true" : "false");
  if (scheme != NULL) {
    to += sprintf(to,
                  "  l: {model: load.yaml, step: 1/1000%s}\ncoupling: {scheme: %s}\n"
                  "interfaces: {i: {between: [m/tip, l/eye], joint: spherical}}\n",
                  is_compiled ? ", compiled: true" : "", scheme);
  }
  if (of->on_body != NULL) {
    sprintf(to, "ground: {shapes: [{kind: plane, at: [0, 0.01, 0], turn: [-1.5707963, 0, 0]}]}\n");
  }
  const char *path = make_file(&folder, "scenario.yaml", text);
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, NULL, 0, &mistakes);
  remove_folder(&folder);
  if (simulation == NULL) {
    fail_msg("%s: %s:%d: %s", of->name, mistakes.list[0].file, mistakes.list[0].line,
             mistakes.list[0].message);
  }
  return simulation;
}

/* --- runs ---------------------------------------------------------------------------------------
 */

enum { NUMBERS = 16 };

/* One macro step of both; false: it failed in both. `neighbour` diverges where others do not. */
static bool step_alike(flg_simulation *ours, flg_simulation *theirs) {
  flg_error error[2];
  const flg_status status[2] = {flg_simulation_step(ours, &error[0]),
                                flg_simulation_step(theirs, &error[1])};
  if (status[0] != status[1]) fail_msg("%s", error[status[0] == FLG_OK].message);
  return status[0] == FLG_OK;
}

/* the largest difference at all communication points, of the largest number */
static double run_apart(flg_simulation *ours, flg_simulation *theirs) {
  double off = 0, size = 1, a[NUMBERS], b[NUMBERS];
  const int width = flg_simulation_width(ours);
  assert_true(width <= NUMBERS);
  while (!flg_simulation_ended(ours) && step_alike(ours, theirs)) {
    flg_simulation_record(ours, a), flg_simulation_record(theirs, b);
    for (int k = 0; k < width; k++) {
      assert_true(isnan(a[k]) == isnan(b[k])); /* forces that redundant rows leave open */
      if (isnan(b[k])) continue;
      off = flg_larger(off, fabs(a[k] - b[k])), size = flg_larger(size, fabs(b[k]));
    }
  }
  return off / size;
}

static bool is_said_interpreted(const flg_simulation *simulation) {
  const char *notice;
  for (int k = 0; (notice = flg_simulation_notice(simulation, k)) != NULL; k++) {
    if (strstr(notice, "m: it is interpreted, not compiled") == notice) return true;
  }
  return false;
}

typedef struct counts {
  bool is_equipped; /* else all steps are interpreted */
  int64_t taken, declined;
} counts;

static bool is_as_expected(const feature *of, int scheme, counts made) {
  const share expected = scheme < SEQUENTIAL ? of->share : of->joined;
  if (expected == NOTHING) return made.taken == 0;
  if (!made.is_equipped || made.taken + made.declined < 300) return false;
  if (expected == MOST) return made.taken > 10 * made.declined;
  return made.taken > 50 && made.declined > 0;
}

/* false, and said: another motion, or other steps than expected */
static bool moves_alike(const feature *of, int scheme) {
  flg_simulation *ours = load_feature(of, schemes[scheme], true);
  flg_simulation *theirs = load_feature(of, schemes[scheme], false);
  const double off = run_apart(ours, theirs);
  counts made = {.taken = 0};
  made.is_equipped = flg_compiled_mechanism_steps(flg_subsystem_assembly(&ours->subsystems[0]),
                                                  &made.taken, &made.declined);
  const bool is_right = off <= 1e-9 && is_as_expected(of, scheme, made) &&
                        (made.is_equipped || is_said_interpreted(ours));
  print_message("%-16s %-10s %4d compiled, %4d interpreted: %.2g%s\n", of->name,
                schemes[scheme] == NULL ? "alone" : schemes[scheme], (int)made.taken,
                (int)made.declined, off, is_right ? "" : " (wrong)");
  flg_simulation_release(ours), flg_simulation_release(theirs);
  return is_right;
}

static void every_element_moves_alike_in_every_scheme(void **state) {
  (void)state;
  int wrong = 0;
  for (int k = 0; k < FEATURES; k++) {
    for (int scheme = 0; scheme < SCHEMES; scheme++) wrong += !moves_alike(&features[k], scheme);
  }
  assert_int_equal(wrong, 0);
}

/* The last feature has all that changes from step to step. */
static void resumed_runs_have_the_same_bits(void **state) {
  (void)state;
  const feature *all = &features[FEATURES - 1];
  for (int scheme = 0; scheme < SCHEMES; scheme++) {
    resume_bit_for_bit(load_feature(all, schemes[scheme], true),
                       load_feature(all, schemes[scheme], true));
  }
}

/* --- singular poses -----------------------------------------------------------------------------
 */

/* A four-bar of equal arms that falls through its flat pose, where rounding grows: with stops that
 * are hit, or never. */
static flg_simulation *load_flat(bool is_hit, int steps, const char *at, bool is_compiled) {
  char model[1500], scenario[600];
  snprintf(model, sizeof model,
           "flange-component: 1\nbodies:\n"
           "  crank: {mass: 1, centre: [0.5, 0, 0], inertia: [0.02, 0.1, 0.1]}\n"
           "  rod: {mass: 1, centre: [1, 0, 0], inertia: [0.02, 0.3, 0.3], at: [0, 0, 1]}\n"
           "  rocker: {mass: 1, centre: [0, 0, 0.5], inertia: [0.1, 0.1, 0.02], at: [2, 0, 0]}\n"
           "joints:\n"
           "  a: {kind: revolute, between: [world, crank], at: [0, 0, 0], axis: [0, 1, 0],\n"
           "    stops: {lower: -%d, upper: 3, restitution: 0.7}}\n"
           "  b: {kind: revolute, between: [crank, rod], at: [0, 0, 1], axis: [0, 1, 0]}\n"
           "  c: {kind: revolute, between: [rod, rocker], at: [2, 0, 1], axis: [0, 1, 0]}\n"
           "  d: {kind: revolute, between: [rocker, world], at: [2, 0, 0], axis: [0, 1, 0]}\n",
           is_hit ? 2 : 20);
  snprintf(scenario, sizeof scenario,
           "flange: 1\ntime: {end: 3, macro: 1/50}\ngravity: [2, 0, -9.81]\n"
           "subsystems: {m: {model: model.yaml, step: 1/%d, compiled: %s%s}}\n",
           steps, is_compiled ? "true" : "false", at);
  return load_texts(scenario, model);
}

static void flat_poses_are_passed_bit_for_bit_with_stops(void **state) {
  (void)state;
  static const int steps[] = {200, 1000};
  static const char *const at[] = {"", ", at: [1, 2, 3], turn: [0.3, -0.2, 1]"};
  for (int k = 0; k < 8; k++) {
    const int rate = steps[k / 4];
    flg_simulation *ours = load_flat(k % 2, rate, at[k / 2 % 2], true);
    flg_simulation *theirs = load_flat(k % 2, rate, at[k / 2 % 2], false);
    int64_t taken = 0, declined = 0;
    run_to_end(ours), run_to_end(theirs);
    assert_true(flg_simulation_hash(ours) == flg_simulation_hash(theirs));
    assert_true(flg_compiled_mechanism_steps(flg_subsystem_assembly(&ours->subsystems[0]), &taken,
                                             &declined));
    assert_true(taken > 2 * rate && declined > 0);
    flg_simulation_release(ours), flg_simulation_release(theirs);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_element_moves_alike_in_every_scheme),
      cmocka_unit_test(resumed_runs_have_the_same_bits),
      cmocka_unit_test(flat_poses_are_passed_bit_for_bit_with_stops),
  };
  return cmocka_run_group_tests(tests, open_cache, close_cache);
}
