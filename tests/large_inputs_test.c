/* Files with tens of thousands of names are read in proportion to their length, whether they are
 * right or wrong. What was quadratic once took 20 s and more here, and takes a second at most. */
#include <time.h>

#include "check.h"
#include "files.h"
#include "flange/simulation.h"

enum { COUNT = REPEATS(40000), NUMBERS = 2, LONGEST = 100, TRIES = 3 };
static const double MOST_SECONDS = 8; /* of CPU */

#define BODY     "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
#define SCENARIO "flange: 1\ntime: {end: 1, macro: 1}\nsubsystems: {c: {model: model.yaml"

/* `before`, `each` for all k from 0 on, `after`; # stands for k and for k + 1 in turn */
typedef struct listed {
  const char *before, *each, *after;
} listed;

static const listed plain = {SCENARIO "}}\n", "", ""};

/* `each` for all k; returns the end of the text */
static char *write_each(char *end, const char *each, int count) {
  for (int k = 0; k < count; k++) {
    int numbers = 0;
    for (const char *at = each; *at != '\0'; at++) {
      if (*at == '#') {
        end += sprintf(end, "%d", k + numbers++ % NUMBERS);
      } else {
        *end++ = *at;
      }
    }
  }
  *end = '\0';
  return end;
}

static char *text_of(const listed *from, int count) {
  char *text = malloc(strlen(from->before) + strlen(from->after) + (size_t)LONGEST * (size_t)count);
  assert_non_null(text);
  char *end = text + sprintf(text, "%s", from->before);
  sprintf(write_each(end, from->each, count), "%s", from->after);
  return text;
}

static const char *write_listed(test_folder *folder, const char *name, const listed *from,
                                int count) {
  char *text = text_of(from, count);
  const char *path = make_file(folder, name, text);
  free(text);
  return path;
}

/* loads it in time; message: of the first mistake, NULL: there is none */
static void load_file(const char *path, const char *message) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  flg_simulation *simulation = NULL;
  const clock_t start = clock();
  flg_simulation_load(&simulation, path, NULL, 0, &mistakes);
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  flg_simulation_release(simulation);
  const char *told = mistakes.count == 0 ? "" : mistakes.list[0].message;
  if (message == NULL ? mistakes.count > 0 : strstr(told, message) == NULL) {
    fail_msg("'%s', not '%s'", told, message == NULL ? "" : message);
  }
  if (seconds > MOST_SECONDS) fail_msg("%.1f s", seconds);
}

static void load(const listed *model, const listed *scenario, const char *message) {
  test_folder folder = make_folder();
  write_listed(&folder, "model.yaml", model, COUNT);
  load_file(write_listed(&folder, "scenario.yaml", scenario, COUNT), message);
  remove_folder(&folder);
}

/* --- growth: four times as many take four times as long, not sixteen --- */

static double seconds_of(void (*run)(int count), int count) {
  const clock_t start = clock();
  run(count);
  return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* a busy machine can slow one of two runs down, not one of each pair */
static void check_growth(void (*run)(int count), int count) {
  static const double MOST = 8;
  double few, many;
  int tries = 0;
  do {
    few = seconds_of(run, count), many = seconds_of(run, 4 * count);
  } while (many > MOST * few && ++tries < TRIES);
  if (many > MOST * few) fail_msg("%d: %.3f s, %d: %.3f s", count, few, 4 * count, many);
}

/* loads it, takes a macro step and reads all that is recorded */
static void run_file(const char *path) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  flg_error error;
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, path, NULL, 0, &mistakes);
  if (mistakes.count > 0) fail_msg("%s", mistakes.list[0].message);
  double *values = malloc((size_t)flg_simulation_width(simulation) * sizeof *values);
  assert_non_null(values);
  assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
  flg_simulation_record(simulation, values);
  free(values);
  flg_simulation_release(simulation);
}

/* --- names --- */

static void signals_go_in_any_order(void **state) {
  (void)state;
  char last[64];
  snprintf(last, sizeof last, "  s%d: {value: time}\n", COUNT);
  const listed backwards = {"flange-component: 1\n" BODY "signals:\n", "  s#: {value: s# + 1}\n",
                            last};
  load(&backwards, &plain, NULL);
  const listed unknown = {"flange-component: 1\n" BODY "signals:\n",
                          "  signal#: {value: sognal#}\n", ""};
  load(&unknown, &plain, "there is no signal or parameter 'sognal1'; did you mean 'signal1'?");
}

static void parameters_are_found_by_name(void **state) {
  (void)state;
  const listed model = {"flange-component: 1\nparameters:\n  p0: 1\n", "  q#: 1\n  p#: =q0 + 1\n",
                        BODY};
  load(&model, &plain, NULL);
  const listed last = {"flange-component: 1\nparameters:\n  p0: 1\n", "  q#: 1\n  p#: =p# + 1\n",
                       BODY};
  load(&last, &plain, NULL);
  load(&model, &(listed){SCENARIO ", parameters: {", "q#: 2, ", "p0: 3}}}\n"}, NULL);
  load(&model, &(listed){SCENARIO ", parameters: {", "r#: 2, ", "p0: 3}}}\n"},
       "has no parameter 'r0'; did you mean");
}

static void recorded_names_are_found_by_name(void **state) {
  (void)state;
  const listed model = {"flange-component: 1\nbodies:\n", "  b#: {mass: 1, inertia: [1, 1, 1]}\n",
                        ""};
  load(&model, &(listed){SCENARIO "}}\nrecord: [", "c/b#.position, ", "c/energy]\n"}, NULL);
  load(&model, &(listed){SCENARIO "}}\nrecord: [", "c/a#x.position, ", "c/energy]\n"},
       "there is no body or joint 'a0x'");
}

static void events_find_what_they_name(void **state) {
  (void)state;
  const listed model = {"flange-component: 1\nbodies:\n",
                        "  a#: {mass: 1, inertia: [1, 1, 1]}\n"
                        "  b#: {mass: 1, inertia: [1, 1, 1]}\n",
                        ""};
#define EVENTS SCENARIO "}}\nevents:\n"
  load(&model, &(listed){EVENTS, "- {at: 0.5, weld: [c/a#, c/b#]}\n", ""}, NULL);
  load(&model,
       &(listed){EVENTS, "- {at: 0.5, name: w#, weld: [c/a#, c/b1]}\n- {at: 0.6, release: c/w#}\n",
                 "- {at: 0.5, weld: [c/a0, c/a1]}\n- {at: 0.6, release: [c/a1, c/a0]}\n"},
       "there is no body, marker or port 'a");
  load(&model, &(listed){EVENTS, "- {at: 0.5, weld: [c/x#, c/y#]}\n", ""},
       "there is no body, marker or port 'x0'; did you mean 'a0'?");
  load(&model, &(listed){EVENTS, "- {at: 0.5, release: c/w#}\n", ""}, "no event welds 'c/w0'");
  const listed pushed = {"flange-component: 1\n" BODY "forces:\n", "  f#: {body: b}\n", ""};
  load(&pushed, &(listed){EVENTS, "- {at: 0.5, disable: c/f#}\n", ""}, NULL);
  load(&pushed, &(listed){EVENTS, "- {at: 0.5, enable: c/g#}\n", ""},
       "'c' has no force or controller 'g0'; did you mean 'f0'?");
}

/* A pattern is tried on all signals; names are parts of longer ones. */
static void patterns_and_long_names_are_bounded(void **state) {
  (void)state;
  const listed model = {"flange-component: 1\n" BODY, "", ""};
  load(&model, &(listed){SCENARIO "}}\nrecord: [", "'*x#*', ", "c/energy]\n"},
       "more with --limit patterns=");
  static char line[200000], text[250000];
  memset(line, 'a', sizeof line - 1);
  snprintf(text, sizeof text, SCENARIO "}}\nrecord: ['*%s']\n", line);
  load(&model, &(listed){text, "", ""}, "names and patterns have at most");
  snprintf(text, sizeof text, "flange-component: 1\ncomponents: {%s: {file: model.yaml}}\n", line);
  load(&(listed){text, "", ""}, &plain, "has 199999 bytes; at most 500 are read");
}

/* Planes of the ground touch nothing of it. */
static void planes_of_the_ground_are_not_paired(void **state) {
  (void)state;
  enum { PLANES = REPEATS(32000), BYTES = 60 };
  char *text = malloc((size_t)PLANES * BYTES);
  assert_non_null(text);
  char *end =
      text + sprintf(text,
                     "flange-component: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1], "
                     "at: [0, 0, 3], shapes: [{kind: sphere, size: 0.5, collision: true}]}\n"
                     "shapes:\n");
  write_each(end, "  - {kind: plane, at: [0, 0, -#]}\n", PLANES);
  load(&(listed){text, "", ""}, &plain, NULL);
  free(text);
}

/* Pairs of shapes on one body need not be kept apart. */
static void shapes_of_one_body_are_not_paired(void **state) {
  (void)state;
  enum { SHAPES = REPEATS(4000), BYTES = 100 };
  char *text = malloc((size_t)SHAPES * BYTES);
  assert_non_null(text);
  int length = sprintf(text,
                       "flange-component: 1\nshapes: [{kind: plane}]\nbodies:\n"
                       "  b:\n    mass: 1\n    inertia: [1, 1, 1]\n    shapes:\n");
  for (int k = 0; k < SHAPES; k++) {
    length += sprintf(text + length,
                      "    - {kind: sphere, size: 0.1, at: [%d, 0, 2], "
                      "collision: true}\n",
                      k);
  }
  load(&(listed){text, "", ""}, &plain, NULL);
  free(text);
}

#define BALLS "flange-component: 1\nshapes: [{kind: plane}]\nbodies:\n"

/* Bodies alone, and kept apart by the file. */
static void shapes_of_many_bodies_are_not_paired(void **state) {
  (void)state;
  enum { BODIES = REPEATS(16000), BYTES = 200 };
  char *text = malloc((size_t)BODIES * BYTES);
  assert_non_null(text);
  char *end = write_each(text + sprintf(text, BALLS),
                         "  b#: {mass: 1, inertia: [1, 1, 1], at: [#, 0, 2], "
                         "shapes: [{kind: sphere, size: 0.3, collision: true}]}\n",
                         BODIES);
  load(&(listed){text, "", ""}, &plain, NULL);
  end += sprintf(end, "contacts:\n  apart:\n");
  write_each(end, "  - [b#, b#]\n", BODIES - 1);
  load(&(listed){text, "", ""}, &plain, NULL);
  free(text);
}

/* All pairs of the shapes of two bodies are too many to be listed. */
static void pairs_that_are_apart_are_bounded(void **state) {
  (void)state;
  enum { SHAPES = 1200, BYTES = 100 };
  char *text = malloc((size_t)SHAPES * 2 * BYTES);
  assert_non_null(text);
  char *end = text + sprintf(text, BALLS);
  for (int body = 0; body < 2; body++) {
    end += sprintf(end, "  b%d:\n    mass: 1\n    inertia: [1, 1, 1]\n    shapes:\n", body);
    end = write_each(end, "    - {kind: sphere, size: 0.1, at: [#, 0, 2], collision: true}\n",
                     SHAPES);
  }
  sprintf(end, "contacts: {apart: [[b0, b1]]}\n");
  load(&(listed){text, "", ""}, &plain, "or raise it with --limit apart=");
  free(text);
}

/* `bodies` of them, then `count` lines each of what joins them */
static void load_joined(int bodies, const char *section, const char *each, int count,
                        const listed *scenario, const char *message) {
  enum { BYTES = 200 };
  char *text = malloc((size_t)(bodies + count + 2) * BYTES);
  assert_non_null(text);
  char *end = text + sprintf(text, "flange-component: 1\nbodies:\n");
  end = write_each(end, "  b#: {mass: 1, inertia: [1, 1, 1], at: [#, 0, 2]}\n", bodies);
  end += sprintf(end, "%s:\n", section);
  write_each(end, each, count);
  load(&(listed){text, "", ""}, scenario, message);
  free(text);
}

#define BUSHING ", stiffness: [100, 100, 100], damping: [1, 1, 1]}\n"

/* Bodies far from their bushings have modes of all sizes. */
static void bushings_are_looked_at_piece_by_piece(void **state) {
  (void)state;
  enum { BUSHINGS = REPEATS(4000) };
  load_joined(BUSHINGS, "bushings", "  u#: {between: [world, b#]" BUSHING, BUSHINGS - 1, &plain,
              NULL);
  load_joined(BUSHINGS, "bushings", "  u#: {between: [b#, b#]" BUSHING, BUSHINGS - 1, &plain, NULL);
}

/* memory for one of them more each time was quadratic */
static void forces_of_many_joints_are_recorded(void **state) {
  (void)state;
  enum { JOINTS = REPEATS(16000) };
  load_joined(JOINTS, "joints", "  j#: {kind: revolute, between: [world, b#]}\n", JOINTS - 1,
              &(listed){SCENARIO "}}\nrecord: ['*']\n", "", ""}, NULL);
}

#define STEP_OF "flange: 1\ntime: {end: 1e-3, macro: 1e-3}\nsubsystems:\n"

static void run_components(int count) {
  test_folder folder = make_folder();
  make_file(&folder, "body.yaml", "flange-component: 1\n" BODY);
  const listed model = {"flange-component: 1\ncomponents:\n", "  c#: {file: body.yaml}\n", ""};
  write_listed(&folder, "model.yaml", &model, count);
  run_file(make_file(&folder, "scenario.yaml",
                     STEP_OF "  c: {model: model.yaml, step: 1e-3}\nrecord: ['*']\n"));
  remove_folder(&folder);
}

/* Energy and momentum of each are sums of what lies inside. */
static void components_in_one_are_recorded(void **state) {
  (void)state;
  check_growth(run_components, REPEATS(4000));
}

/* Bodies of a chain that can touch have a dense model. */
static void bodies_that_touch_on_joints_are_bounded(void **state) {
  (void)state;
  enum { BODIES = 700, BYTES = 300 };
  char *text = malloc((size_t)BODIES * BYTES);
  assert_non_null(text);
  char *end = write_each(text + sprintf(text, BALLS),
                         "  b#: {mass: 1, inertia: [1, 1, 1], at: [#, 0, 2], "
                         "shapes: [{kind: sphere, size: 0.3, collision: true}]}\n",
                         BODIES);
  end += sprintf(end, "joints:\n");
  write_each(end, "  j#: {kind: spherical, between: [b#, b#]}\n", BODIES - 1);
  load(&(listed){text, "", ""}, &plain, "rows, over 4000: six for each body of both");
  free(text);
}

/* Springs between two bodies are solved as one. */
static void stiff_springs_between_two_bodies_are_bounded(void **state) {
  (void)state;
  const char *each = "  s#: {between: [b0, b1], stiffness: 1e9, length: 0.9, implicit: true}\n";
  load_joined(2, "springs", each, 1000, &plain, NULL);
  load_joined(2, "springs", each, 1001, &plain,
              "closes 1001 rows at once, over 1000: joints, motors, and springs that are stiff for "
              "the step; raise it with --limit rows=1001");
  load_joined(2, "springs", each, 5000, &plain, "closes 5000, over 4096");
}

/* each read computes them again */
static void motions_of_signals_of_signals_are_bounded(void **state) {
  (void)state;
  static const char head[] = "flange-component: 1\n" BODY
                             "joints: {j: {kind: revolute, between: [world, b]}}\n"
                             "motions: {m: {on: j, follows: s0}}\nsignals:\n";
  char last[64], wide[4000];
  snprintf(last, sizeof last, "  s%d: {value: time}\n", COUNT);
  load(&(listed){head, "  s#: {value: s# + 1}\n", last}, &plain, "more than 100 deep");
  int length = snprintf(wide, sizeof wide, "%s  s40: {value: time}\n", head);
  for (int k = 0; k < 40; k++) {
    length += snprintf(wide + length, sizeof wide - (size_t)length,
                       "  s%d: {value: s%d - 0.5*s%d}\n", k, k + 1, k + 1);
  }
  load(&(listed){wide, "", ""}, &plain, "more than 10,000 signals");
}

/* a chain of links; `of_link` and `of_joint`: more of each */
static char *write_links(char *end, int links, const char *of_link, const char *of_joint) {
  static const char joint[] =
      "<joint name='j%d' type='continuous'><parent link='l%d'/>"
      "<child link='l%d'/><axis xyz='0 1 0'/>%s</joint>\n";
  static const char link[] =
      "<link name='l%d'><inertial><mass value='1'/><inertia ixx='1' "
      "iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>%s</link>\n";
  end += sprintf(end, "<robot name='r'><link name='l0'/>\n");
  for (int k = 1; k <= links; k++) {
    end += sprintf(end, link, k, of_link);
    end += sprintf(end, joint, k, k - 1, k, k == 1 ? "" : of_joint);
  }
  return end + sprintf(end, "</robot>\n");
}

/* Rows of a robot that are closed, or can touch, at once. */
static void load_links(int links, const char *of_link, const char *of_joint, const char *message) {
  enum { BYTES = 500 };
  char *model = malloc((size_t)(links + 2) * BYTES);
  assert_non_null(model);
  write_links(model, links, of_link, of_joint);
  test_folder folder = make_folder();
  make_file(&folder, "r.urdf", model);
  load_file(make_file(&folder, "scenario.yaml",
                      "flange: 1\ntime: {end: 1, macro: 1}\nsubsystems:\n"
                      "  r: {model: r.urdf, self_collision: true}\n"),
            message);
  remove_folder(&folder);
  free(model);
}

static void joints_of_a_robot_that_follow_are_bounded(void **state) {
  (void)state;
  static const char follows[] = "<mimic joint='j1' multiplier='2'/>";
  load_links(1001, "", follows, NULL);
  load_links(1002, "", follows, "has 1001 joints that follow others");
}

static void links_of_a_robot_that_touch_are_bounded(void **state) {
  (void)state;
  static const char ball[] = "<collision><geometry><sphere radius='0.1'/></geometry></collision>";
  load_links(100, ball, "", NULL);
  load_links(667, ball, "", "six for each of 667 links that can touch");
}

/* a chain of links, and what a scenario says of it */
static void load_chain(int links, const char *control, const char *message) {
  enum { BYTES = 400 };
  char *model = malloc((size_t)(links + 2) * BYTES),
       *scenario = malloc((size_t)(links + 2) * BYTES);
  assert_non_null(model);
  assert_non_null(scenario);
  write_links(model, links, "", "");
  char *said = scenario + sprintf(scenario,
                                  "flange: 1\ntime: {end: 1, macro: 1}\nsubsystems:\n"
                                  "  r:\n    model: r.urdf\n    controllers:\n");
  for (int k = 1; k <= links; k++) {
    said += sprintf(said, "      c%d: {kind: pd, joints: [j%d], %s}\n", k, k, control);
  }
  test_folder folder = make_folder();
  make_file(&folder, "r.urdf", model);
  load_file(make_file(&folder, "scenario.yaml", scenario), message);
  remove_folder(&folder);
  free(model);
  free(scenario);
}

static void controllers_are_judged_in_one_pass(void **state) {
  (void)state;
  load_chain(REPEATS(3000), "stiffness: 1, damping: 1", NULL);
  load_chain(REPEATS(3000), "stiffness: 1e9, damping: 1", NULL);
}

static void controllers_of_a_robot_are_bounded(void **state) {
  (void)state;
  load_chain(3200, "stiffness: 1, damping: 1", "more with --limit drives=10240000");
}

/* carts in a row; or all on the first one */
static void load_carts(int count, bool in_a_row, const char *scheme, const char *message) {
  enum { BYTES = 120 };
  char *text = malloc((size_t)(count + 2) * BYTES);
  assert_non_null(text);
  char *end = text + sprintf(text, "flange: 1\ntime: {end: 1, macro: 1}\nsubsystems:\n");
  for (int k = 0; k < count; k++) end += sprintf(end, "  s%d: {model: model.yaml}\n", k);
  end += sprintf(end, "interfaces:\n");
  for (int k = 1; k < count; k++) {
    end += sprintf(end, "  i%d: {between: [s%d/p, s%d/p], joint: spherical}\n", k,
                   in_a_row ? k - 1 : 0, k);
  }
  sprintf(end, "coupling: {scheme: %s}\n", scheme);
  test_folder folder = make_folder();
  make_file(&folder, "model.yaml", "flange-component: 1\n" BODY "ports: {p: {body: b}}\n");
  load_file(make_file(&folder, "scenario.yaml", text), message);
  remove_folder(&folder);
  free(text);
}

/* boxes on the ground under a plate, all in each other's models */
static void load_legs(int count, const char *scheme, const char *message) {
  enum { BYTES = 120 };
  char *text = malloc((size_t)(count + 2) * BYTES), *plate = malloc((size_t)(count + 2) * BYTES);
  assert_true(text != NULL && plate != NULL);
  char *end = text + sprintf(text,
                             "flange: 1\ntime: {end: 1, macro: 1/100}\n"
                             "ground: {shapes: [{kind: plane}]}\nsubsystems:\n");
  char *ports = plate + sprintf(plate, "flange-component: 1\n" BODY "ports:\n");
  end += sprintf(end, "  plate: {model: plate.yaml, at: [0, 0, 1], step: 1/1000}\n");
  for (int k = 0; k < count; k++) {
    end += sprintf(end, "  s%d: {model: leg.yaml, at: [%d, 0, 0.5], step: 1/1000}\n", k, k);
    ports += sprintf(ports, "  p%d: {body: b, at: [%d, 0, 0]}\n", k, k);
  }
  end += sprintf(end, "interfaces:\n");
  for (int k = 0; k < count; k++) {
    end += sprintf(end, "  i%d: {between: [plate/p%d, s%d/p], joint: weld}\n", k, k, k);
  }
  sprintf(end, "coupling: {scheme: %s}\n", scheme);
  test_folder folder = make_folder();
  make_file(&folder, "plate.yaml", plate);
  make_file(&folder, "leg.yaml",
            "flange-component: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1], shapes: [{kind: box, "
            "size: [0.1, 0.1, 1], friction: 0.5}]}}\nports: {p: {body: b, at: [0, 0, 0.5]}}\n");
  load_file(make_file(&folder, "scenario.yaml", text), message);
  remove_folder(&folder);
  free(text);
  free(plate);
}

/* a chain; `robot`: of links with a joint of their own, not of bodies; friction opens and closes
 * rows */
static void run_chain(int count, bool robot, const char *more) {
  enum { BYTES = 160 };
  char *text = malloc((size_t)(count + 2) * BYTES);
  assert_non_null(text);
  char *end = text + sprintf(text, STEP_OF);
  end = write_each(end, "  s#: {model: model.yaml, step: 1e-3, at: [#, 0, 0]}\n", count);
  end += sprintf(end, "interfaces:\n");
  for (int k = 1; k < count; k++) {
    end += sprintf(end, "  i%d: {between: [s%d/q, s%d/p], joint: revolute, axis: [0, 1, 0]%s}\n", k,
                   k - 1, k, more);
  }
  sprintf(end, "record: [i1.condition]\n");
  test_folder folder = make_folder();
  make_file(&folder, "model.yaml",
            robot ? "flange-model: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\n"
                    "  c: {mass: 1, inertia: [1, 1, 1]}\njoints:\n"
                    "  f: {kind: floating, child: b}\n  j: {kind: revolute, parent: b, child: c}\n"
                    "ports: {p: {body: b, at: [-0.5, 0, 0]}, q: {body: c, at: [0.5, 0, 0]}}\n"
                  : "flange-component: 1\n" BODY
                    "ports: {p: {body: b, at: [-0.5, 0, 0]}, q: {body: b, at: [0.5, 0, 0]}}\n");
  run_file(make_file(&folder, "scenario.yaml", text));
  remove_folder(&folder);
  free(text);
}

static void run_bodies(int count) {
  run_chain(count, false, "");
}

static void run_robots(int count) {
  run_chain(count, true, "");
}

static void run_frictions(int count) {
  run_chain(count, false, ", friction: {coulomb: 1}");
}

/* Each is probed: by the eliminations above it, or at once with all others. */
static void interfaces_that_are_solved_as_one_are_probed(void **state) {
  (void)state;
  check_growth(run_bodies, REPEATS(2000));
  check_growth(run_robots, REPEATS(1000));
  check_growth(run_frictions, REPEATS(1000));
}

static void models_of_others_are_bounded(void **state) {
  (void)state;
  load_legs(20, "parallel", NULL);
  load_legs(80, "parallel", "over 2048 for all: raise it with --limit models=");
}

static void subsystems_of_couplings_are_bounded(void **state) {
  (void)state;
  load_carts(401, true, "parallel", "more with --limit coupled=401, or any number with 'scheme");
  load_carts(202, false, "sequential", "201 ends of interfaces are on subsystem 's0'");
  load_carts(100, true, "parallel", NULL);
  load_carts(REPEATS(8000), true, "monolithic", NULL);
  load_carts(REPEATS(8000), false, "monolithic", NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(signals_go_in_any_order),
      cmocka_unit_test(parameters_are_found_by_name),
      cmocka_unit_test(recorded_names_are_found_by_name),
      cmocka_unit_test(events_find_what_they_name),
      cmocka_unit_test(patterns_and_long_names_are_bounded),
      cmocka_unit_test(planes_of_the_ground_are_not_paired),
      cmocka_unit_test(shapes_of_one_body_are_not_paired),
      cmocka_unit_test(shapes_of_many_bodies_are_not_paired),
      cmocka_unit_test(pairs_that_are_apart_are_bounded),
      cmocka_unit_test(motions_of_signals_of_signals_are_bounded),
      cmocka_unit_test(controllers_are_judged_in_one_pass),
      cmocka_unit_test(joints_of_a_robot_that_follow_are_bounded),
      cmocka_unit_test(links_of_a_robot_that_touch_are_bounded),
      cmocka_unit_test(controllers_of_a_robot_are_bounded),
      cmocka_unit_test(subsystems_of_couplings_are_bounded),
      cmocka_unit_test(models_of_others_are_bounded),
      cmocka_unit_test(interfaces_that_are_solved_as_one_are_probed),
      cmocka_unit_test(bushings_are_looked_at_piece_by_piece),
      cmocka_unit_test(forces_of_many_joints_are_recorded),
      cmocka_unit_test(components_in_one_are_recorded),
      cmocka_unit_test(bodies_that_touch_on_joints_are_bounded),
      cmocka_unit_test(stiff_springs_between_two_bodies_are_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
