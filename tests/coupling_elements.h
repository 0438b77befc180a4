/* coupling_elements.h - systems whose interfaces carry springs, friction, stops and gears. */
#ifndef FLG_TESTS_COUPLING_ELEMENTS_H
#define FLG_TESTS_COUPLING_ELEMENTS_H

#include "coupling_marks.h"
#include "scenarios.h"

enum { ELEMENTS_TEXT = 2000 };

static const char *const exact_schemes[] = {"sequential", "parallel", "neighbour",
                                            "paper-nonsmooth"};
enum { EXACT_SCHEMES = sizeof exact_schemes / sizeof exact_schemes[0] };
static const char *const element_integrators[] = {"rattle", "rk4", "semi-implicit"};
enum { ELEMENT_INTEGRATORS = 3 };

/* Two masses on rails along x, the first with a speed of 1 m/s; what joins them; how it runs. */
typedef struct two_masses {
  double masses[2];
  const char *joint;   /* keys of the interface besides its ends */
  const char *between; /* NULL: first and second */
  const char *scheme, *integrator;
  double end, macro;  /* [s]; micro steps are a tenth of the macro step */
  double pull;        /* acceleration of the second by gravity [m/s^2] */
  const char *record; /* NULL: positions of both */
  bool has_trees;     /* in joint coordinates */
} two_masses;

static inline void write_mass(test_folder *folder, const char *name, double mass, double speed) {
  char text[ELEMENTS_TEXT];
  snprintf(text, sizeof text,
           "flange-component: 1\n"
           "bodies: {a: {mass: %.9g, inertia: [0.1, 0.2, 0.3], velocity: [%.9g, 0, 0]}}\n"
           "joints: {rail: {kind: prismatic, between: [world, a], axis: [1, 0, 0]}}\n"
           "ports: {p: {body: a}}\n",
           mass, speed);
  make_file(folder, name, text);
}

/* Two masses joined by an interface with these keys are refused, with a sentence about a line. */
static inline void assert_refused(const char *keys, const char *scheme, const char *sentence,
                                  int line) {
  test_folder folder = make_folder();
  char text[ELEMENTS_TEXT];
  flg_mistakes mistakes = {0};
  flg_simulation *simulation = NULL;
  write_mass(&folder, "l.yaml", 1, 1);
  write_mass(&folder, "r.yaml", 1, 0);
  snprintf(text, sizeof text,
           "flange: 1\ntime: {end: 1, macro: 0.01}\n"
           "subsystems: {l: {model: l.yaml}, r: {model: r.yaml}}\n"
           "interfaces: {cut: {between: [l/p, r/p], %s}}\n"
           "coupling: {scheme: %s}\n",
           keys, scheme);
  const char *path = make_file(&folder, "scenario.yaml", text);
  assert_int_not_equal(flg_simulation_load(&simulation, path, NULL, 0, &mistakes), FLG_OK);
  if (strstr(mistakes.list[0].message, sentence) == NULL) fail_msg("%s", mistakes.list[0].message);
  assert_int_equal(mistakes.list[0].line, line);
  remove_folder(&folder);
}

static inline flg_simulation *load_masses(const two_masses *of) {
  char text[ELEMENTS_TEXT];
  const char *coordinates = of->has_trees ? "joint" : "absolute";
  test_folder folder = make_folder();
  write_mass(&folder, "l.yaml", of->masses[0], 1);
  write_mass(&folder, "r.yaml", of->masses[1], 0);
  snprintf(text, sizeof text,
           "flange: 1\n"
           "gravity: [0, 0, 0]\n"
           "time: {end: %.9g, macro: %.9g}\n"
           "subsystems:\n"
           "  l: {model: l.yaml, step: %.9g, integrator: %s, coordinates: %s}\n"
           "  r: {model: r.yaml, step: %.9g, integrator: %s, coordinates: %s, gravity: [%.9g, 0, "
           "0]}\n"
           "interfaces: {cut: {between: [%s], axis: [1, 0, 0], %s}}\n"
           "coupling: {scheme: %s}\n"
           "record: [%s]\n",
           of->end, of->macro, of->macro / 10, of->integrator, coordinates, of->macro / 10,
           of->integrator, coordinates, of->pull, of->between == NULL ? "l/p, r/p" : of->between,
           of->joint, of->scheme, of->record == NULL ? "l/a.position, r/a.position" : of->record);
  flg_simulation *simulation = load_with(make_file(&folder, "scenario.yaml", text), NULL);
  remove_folder(&folder);
  return simulation;
}

/* Three boxes that hang from a hook: what their interfaces are, in the order of `names`. */
typedef struct three_boxes {
  const char *joints[3]; /* ball, hinge, slide: keys besides their ends */
  const char *scheme, *integrator;
  const char *names[3]; /* of subsystems, in their order in the file; NULL: one, two, three */
  double end, macro;
  int steps;          /* micro steps a macro step */
  bool are_swapped;   /* the ends of interfaces */
  const char *record; /* NULL: positions of all */
} three_boxes;

static inline flg_simulation *load_boxes(const three_boxes *of) {
  static const char *const known[3] = {"one", "two", "three"};
  static const char *const places[3] = {"[0, 0, 0.7]", "[-0.2, 0, 0.1]", "[-0.4, 0, -0.5]"};
  static const char *const ends[2][3] = {
      {"world, one/top", "one/low, two/top", "two/low, three/top"},
      {"one/top, world", "two/top, one/low", "three/top, two/low"}};
  char text[ELEMENTS_TEXT];
  test_folder folder = make_folder();
  make_file(&folder, "box.yaml",
            "flange-component: 1\n"
            "bodies: {box: {mass: 3, inertia: [0.01, 0.02, 0.025]}}\n"
            "ports: {top: {body: box, at: [0.2, 0, 0.3]}, low: {body: box, at: [0, 0, -0.3]}}\n");
  int at = snprintf(text, sizeof text,
                    "flange: 1\ngravity: [9, 5, -2]\ntime: {end: %.9g, macro: %.9g}\n"
                    "coupling: {scheme: %s}\nsubsystems:\n",
                    of->end, of->macro, of->scheme);
  for (int k = 0; k < 3; k++) {
    const char *name = of->names[k] == NULL ? known[k] : of->names[k];
    int place = 0;
    while (strcmp(known[place], name) != 0) place++;
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "  %s: {model: box.yaml, at: %s, step: %.9g, integrator: %s}\n", name,
                   places[place], of->macro / of->steps, of->integrator);
  }
  const char *const *between = ends[of->are_swapped];
  snprintf(
      text + at, sizeof text - (size_t)at,
      "interfaces:\n"
      "  ball: {between: [%s], at: [0.2, 0, 1], %s}\n"
      "  hinge: {between: [%s], %s}\n"
      "  slide: {between: [%s], %s}\n"
      "record: [%s]\n",
      between[0], of->joints[0], between[1], of->joints[1], between[2], of->joints[2],
      of->record == NULL ? "one/box.position, two/box.position, three/box.position" : of->record);
  flg_simulation *simulation = load_with(make_file(&folder, "scenario.yaml", text), NULL);
  remove_folder(&folder);
  return simulation;
}

/* Two discs on pins, both with 1 rad/s, and the teeth between them. */
typedef struct two_discs {
  const char *teeth; /* keys of the interface besides its sides */
  const char *scheme, *integrator;
  double end, macro;
  bool are_swapped; /* who drives and who is driven */
} two_discs;

static inline flg_simulation *load_discs(const two_discs *of) {
  char text[ELEMENTS_TEXT];
  test_folder folder = make_folder();
  make_file(&folder, "disc.yaml",
            "flange-component: 1\n"
            "bodies: {a: {mass: 1, inertia: [0.1, 0.1, 0.1], angular_velocity: [0, 0, 1]}}\n"
            "joints: {pin: {kind: revolute, between: [world, a], axis: [0, 0, 1]}}\n"
            "ports: {p: {body: a}}\n");
  snprintf(text, sizeof text,
           "flange: 1\ngravity: [0, 0, 0]\ntime: {end: %.9g, macro: %.9g}\n"
           "subsystems:\n"
           "  l: {model: disc.yaml, step: %.9g, integrator: %s}\n"
           "  r: {model: disc.yaml, step: %.9g, integrator: %s}\n"
           "interfaces: {mesh: {drive: [world, %s], driven: [world, %s], axis: [0, 0, 1], %s}}\n"
           "coupling: {scheme: %s}\n"
           "record: [l/a.angular_velocity, r/a.angular_velocity]\n",
           of->end, of->macro, of->macro / 10, of->integrator, of->macro / 10, of->integrator,
           of->are_swapped ? "r/p" : "l/p", of->are_swapped ? "l/p" : "r/p", of->teeth, of->scheme);
  flg_simulation *simulation = load_with(make_file(&folder, "scenario.yaml", text), NULL);
  remove_folder(&folder);
  return simulation;
}

/* Runs to the end, and releases; values (its width) are the last ones, and the energies. */
static inline flg_energy finish_run(flg_simulation *simulation, double *values) {
  flg_error error;
  while (!flg_simulation_ended(simulation)) {
    if (flg_simulation_step(simulation, &error) != FLG_OK) fail_msg("%s", error.message);
  }
  flg_simulation_record(simulation, values);
  const flg_energy energy = flg_simulation_energy(simulation);
  flg_simulation_release(simulation);
  return energy;
}

/* Runs masses that record `l/a.velocity, r/a.velocity, cut.force`: the force is what the second end
 * of the interface gains, which is the mass on the left where they are flipped. */
static inline void check_force_of_cut(const two_masses *of, bool is_flipped) {
  flg_simulation *simulation = load_masses(of);
  const int steps = (int)lround(of->end / of->macro);
  double before[12], values[12];
  flg_error error;
  flg_simulation_record(simulation, before);
  for (int step = 0; step < steps; step++) {
    assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
    flg_simulation_record(simulation, values);
    const double gained = (values[3] - before[3]) / of->macro; /* of the mass on the right */
    assert_near(values[6], is_flipped ? -gained : gained, 1e-11);
    memcpy(before, values, sizeof before);
  }
  assert_true(fabs(values[6]) > 0.1);
  flg_simulation_release(simulation);
}

#endif
