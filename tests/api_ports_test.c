/* Interface models of running simulations, and what becomes of them when they are joined
 * (flange/ports.h): the model of a joined system is that of its parts, joined by hand. */
#include "flange/ports.h"

#include "allocations.h"
#include "flange/access.h"
#include "plugins.h"
#include "scenarios.h"

static const char arm[] =
    "flange-model: 1\n"
    "bodies: {upper: {mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]},\n"
    "  middle: {mass: 1, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]},\n"
    "  lower: {mass: 2, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}\n"
    "joints: {shoulder: {kind: revolute, child: upper, axis: [0, 1, 0], damping: 0.2},\n"
    "  elbow: {kind: revolute, parent: upper, child: middle, at: [1, 0, 0], axis: [0, 0, 1]},\n"
    "  wrist: {kind: ball, parent: middle, child: lower, at: [1, 0, 0]}}\n"
    "ports: {end: {body: lower, at: [1, 0, 0]}}\n";

static const char hand[] =
    "flange-component: 1\n"
    "bodies: {box: {mass: 3, inertia: [0.1, 0.2, 0.3], at: [3.2, 0, 0.1]},\n"
    "  ball: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [3, 0, -1]}}\n"
    "joints: {hinge: {kind: revolute, between: [box, ball], at: [3, 0, -0.5], axis: [0, 1, 0]}}\n"
    "ports: {mount: {body: box, at: [-0.2, 0, -0.1]}, grip: {body: ball, at: [0.1, 0.2, 0.3]}}\n";

#define HEAD "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 1, macro: 1/100}\n"
#define ARM  "arm: {model: robot.yaml, initial_velocity: {shoulder: 1, elbow: -2, wrist: [1, 2, 3]}}"
#define JOINED(scheme)                  \
  HEAD "subsystems: {" ARM              \
       ", hand: {model: model.yaml}}\n" \
       "interfaces: {hold: {between: [arm/end, hand/mount]}}\ncoupling: {scheme: " scheme "}\n"

static const double TAU = 1e-9; /* nothing gives way over so little */
enum { MOST = 24 };

typedef struct model {
  int rows;
  double D[MOST * MOST], r[MOST], w[MOST];
} model;

static model look(flg_simulation *simulation, const char *const *names, int count) {
  static flg_error error;
  flg_ports ports;
  model of = {.rows = 6 * count};
  if (flg_ports_find(simulation, names, count, &ports, &error) != FLG_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(flg_ports_rows(simulation, ports), of.rows);
  const uint64_t hash = flg_simulation_hash(simulation);
  if (flg_ports_reduce(simulation, ports, TAU, of.rows, of.D, of.r, of.w, &error) != FLG_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(flg_simulation_hash(simulation), hash);
  return of;
}

static model look_at(flg_simulation *simulation, const char *name) {
  return look(simulation, &name, 1);
}

/* a free body: D = diag(1/m, I^-1) at its centre, r the gravity */
static void free_body_is_mass_and_inertia(void **state) {
  (void)state;
  flg_simulation *one =
      load_texts(HEAD "subsystems: {hand: {model: model.yaml}}\n",
                 "flange-component: 1\nbodies: {box: {mass: 3, inertia: [0.1, 0.2, 0.3]}}\n");
  const double yields[6] = {1. / 3, 1. / 3, 1. / 3, 10, 5, 1 / 0.3};
  const model of = look_at(one, "hand/box");
  for (int i = 0; i < 6; i++) {
    assert_near(of.r[i], i == 2 ? -9.81 : 0, 1e-13);
    for (int j = 0; j < 6; j++) assert_near(of.D[6 * i + j], i == j ? yields[i] : 0, 1e-13);
  }
  flg_simulation_release(one);
}

/* the tip of a pendulum of length l: it yields across with l^2/I, and not along; while it swings it
 * is drawn to the pivot by w^2 l */
static void pendulum_yields_across_alone(void **state) {
  (void)state;
  flg_simulation *one = load_three_texts(
      HEAD "subsystems: {arm: {model: robot.yaml, initial_velocity: {pivot: 2}}}\n", NULL,
      "flange-model: 1\n"
      "bodies: {rod: {mass: 2, centre: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}\n"
      "joints: {pivot: {kind: revolute, child: rod, axis: [0, 1, 0]}}\n"
      "markers: {tip: {body: rod, at: [1.5, 0, 0]}}\n");
  const double inertia = 0.1 + 2 * 0.25, turn = 9.81 * 2 * 0.5 / inertia;
  const double expected[6] = {-4 * 1.5, 0, -turn * 1.5, 0, turn, 0};
  double work[100];
  flg_error error;
  flg_admittance_figures figures;
  const model of = look_at(one, "arm/tip");
  assert_near(max_difference(of.r, expected, 6), 0, 1e-13);
  assert_near(of.D[6 * 2 + 2], 1.5 * 1.5 / inertia, 1e-13);
  assert_near(of.D[6 * 4 + 4], 1 / inertia, 1e-13);
  assert_near(of.D[6 * 2 + 4], -1.5 / inertia, 1e-13);
  assert_near(of.D[0], 0, 1e-15);
  assert_true(flg_admittance_numbers(6) <= 1000);
  double *room = malloc(flg_admittance_numbers(6) * sizeof *room);
  assert_int_equal(flg_admittance_measure(6, of.D, room, &figures, &error), FLG_OK);
  assert_int_equal(figures.rank, 1);
  assert_true(isinf(figures.condition));
  assert_int_equal(flg_admittance_mass(6, of.D, room, work, &error), FLG_ERR_PHYSICS);
  const double up[6] = {0, 0, 3, 0, 0, 0}, along[6] = {1, 0, 0, 0, 0, 0};
  assert_near(flg_admittance_along(6, of.D, up), inertia / 2.25, 1e-13);
  assert_true(isinf(flg_admittance_along(6, of.D, along)));
  free(room);
  flg_simulation_release(one);
}

/* what a wrench does to the velocity of a frame in a short step is what the model says */
static void step_does_what_the_model_says(const char *scenario, const char *name) {
  enum { STEPS = 1 };
  const double x[6] = {20, -10, 30, 4, 5, -6}, h = 1e-6;
  char wrench[60];
  double velocity[2][6];
  model of = {0};
  for (int k = 0; k < 2; k++) {
    flg_simulation *one = load_three_texts(scenario, hand, arm);
    flg_error error;
    flg_input input;
    if (k == 0) of = look_at(one, name);
    snprintf(wrench, sizeof wrench, "%s.wrench", name);
    assert_int_equal(flg_input_find(one, wrench, &input, &error), FLG_OK);
    if (k == 1) assert_int_equal(flg_input_write(one, input, x, 6, &error), FLG_OK);
    assert_int_equal(flg_simulation_step(one, &error), FLG_OK);
    const model after = look_at(one, name);
    memcpy(velocity[k], after.w, sizeof velocity[k]);
    flg_simulation_release(one);
  }
  for (int i = 0; i < 6; i++) {
    double a = 0;
    for (int j = 0; j < 6; j++) a += of.D[6 * i + j] * x[j];
    assert_near((velocity[0][i] - of.w[i]) / h, of.r[i], 4.5e-4 * (1 + fabs(of.r[i])));
    assert_near((velocity[1][i] - velocity[0][i]) / h, a, 1e-3 * (1 + fabs(a)));
  }
}

#define SHORT(scheme)                                                   \
  "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 1e-3, macro: 1e-6}\n" \
  "subsystems: {" ARM                                                   \
  ", hand: {model: model.yaml}}\n"                                      \
  "interfaces: {hold: {between: [arm/end, hand/mount]}}\ncoupling: {scheme: " scheme "}\n"

static void models_foretell_short_steps(void **state) {
  (void)state;
  step_does_what_the_model_says(SHORT("monolithic"), "hand/grip");
  step_does_what_the_model_says(SHORT("monolithic"), "arm/middle");
  step_does_what_the_model_says(
      "flange: 1\ntime: {end: 1e-3, macro: 1e-6}\nsubsystems: {" ARM "}\n", "arm/end");
  step_does_what_the_model_says(
      "flange: 1\ngravity: [1, 2, 3]\ntime: {end: 1e-3, macro: 1e-6}\n"
      "subsystems: {hand: {model: model.yaml}}\n",
      "hand/box");
}

/* two rods that turn as one about y with 2 rad/s; a four-bar whose cranks turn with 2 rad/s */
static const char rods[] =
    "flange-component: 1\n"
    "bodies: {upper: {mass: 1, inertia: [0.01, 0.1, 0.1], at: [0.5, 0, 0], velocity: [0, 0, -1],\n"
    "    angular_velocity: [0, 2, 0]},\n"
    "  lower: {mass: 2, inertia: [0.01, 0.2, 0.2], at: [1.5, 0, 0], velocity: [0, 0, -3],\n"
    "    angular_velocity: [0, 2, 0]}}\n"
    "joints: {shoulder: {kind: revolute, between: [world, upper], axis: [0, 1, 0], damping: 0.3},\n"
    "  elbow: {kind: universal, between: [upper, lower], at: [1, 0, 0], axis: [0, 1, 0],\n"
    "    axis2: [0, 0, 1]}}\n"
    "ports: {grip: {body: lower, at: [0.5, 0.1, 0.2]}}\n";
static const char bars[] =
    "flange-component: 1\n"
    "bodies: {left: {mass: 1, inertia: [0.02, 0.02, 0.01], at: [0, 0, 0.25],\n"
    "    velocity: [0.5, 0, 0], angular_velocity: [0, 2, 0]},\n"
    "  rod: {mass: 2, inertia: [0.02, 0.1, 0.1], at: [0.5, 0, 0.5], velocity: [1, 0, 0]},\n"
    "  right: {mass: 1.5, inertia: [0.02, 0.05, 0.05], at: [1, 0, 0.25], velocity: [0.5, 0, 0],\n"
    "    angular_velocity: [0, 2, 0]}}\n"
    "joints: {a: {kind: revolute, between: [world, left], axis: [0, 1, 0]},\n"
    "  b: {kind: revolute, between: [left, rod], at: [0, 0, 0.5], axis: [0, 1, 0]},\n"
    "  c: {kind: revolute, between: [rod, right], at: [1, 0, 0.5], axis: [0, 1, 0]},\n"
    "  d: {kind: revolute, between: [world, right], at: [1, 0, 0], axis: [0, 1, 0]}}\n"
    "ports: {grip: {body: rod, at: [0.1, 0.3, 0.05]}}\n";

/* D, r and w do not depend on the coordinates that a component is computed in */
static void models_are_the_same_in_joint_coordinates(void **state) {
  (void)state;
  static const char *const texts[] = {rods, bars};
  /* the rod of the four-bar turns about nothing: all of it is drawn down by w^2 l = 2 m/s^2 */
  for (int k = 0; k < 2; k++) {
    model of[2];
    for (int c = 0; c < 2; c++) {
      flg_simulation *one = load_texts(
          c == 0 ? HEAD "subsystems: {hand: {model: model.yaml, coordinates: absolute}}\n"
                 : HEAD "subsystems: {hand: {model: model.yaml, coordinates: joint}}\n",
          texts[k]);
      of[c] = look_at(one, "hand/grip");
      flg_simulation_release(one);
    }
    assert_near(max_difference(of[0].D, of[1].D, 36), 0, 1e-12);
    assert_near(max_difference(of[0].r, of[1].r, 6), 0, 1e-11);
    assert_near(max_difference(of[0].w, of[1].w, 6), 0, 1e-13);
    if (k == 1) assert_near(of[1].r[2], -2, 1e-12);
  }
}

/* a mass at the head of a chain of a plug-in: 1/m in all directions of space, and no turn */
static void plug_in_answers_at_its_ports(void **state) {
  (void)state;
  flg_simulation *one = load_texts(plugin_chain, NULL);
  const model of = look_at(one, "a/head");
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      assert_near(of.D[6 * i + j], i == j && i < 3 ? 0.5 : 0, 1e-9);
    }
  }
  flg_ports ports;
  flg_error error;
  const char *const nowhere = "a/tail";
  assert_int_equal(flg_ports_find(one, &nowhere, 1, &ports, &error), FLG_ERR_INPUT);
  assert_non_null(strstr(error.message, "no port 'tail'"));
  flg_simulation_release(one);
}

/* Keeps one end; closes all six rows of the other with those of the arm. */
static void join(const model *first, const model *second, int joined, int kept, model *to,
                 double *reaction) {
  int pairs[6][2], keep[6];
  flg_error error;
  for (int i = 0; i < 6; i++) {
    pairs[i][0] = i, pairs[i][1] = 6 * joined + i;
    keep[i] = first->rows + 6 * kept + i;
  }
  flg_stack stack = flg_stack_default();
  stack.rows[0] = first->rows, stack.rows[1] = second->rows;
  stack.admittance[0] = first->D, stack.admittance[1] = second->D;
  stack.bias[0] = first->r, stack.bias[1] = second->r;
  stack.constraints = 6, stack.pairs = (const int(*)[2])pairs;
  stack.kept = 6, stack.keep = keep;
  const size_t bytes = flg_eliminate_bytes(&stack);
  assert_true(bytes > 0);
  void *memory = malloc(bytes);
  int rank;
  to->rows = 6;
  if (flg_eliminate(&stack, memory, bytes, to->D, to->r, &rank, &error) != FLG_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(flg_eliminate_back(memory, NULL, reaction, NULL, &error), FLG_OK);
  /* the same rows written out as a matrix */
  const int n = first->rows + second->rows;
  double *G = calloc((size_t)(6 * n), sizeof *G), again[36], bias[6];
  for (int i = 0; i < 6; i++) G[i * n + i] = 1, G[i * n + first->rows + 6 * joined + i] = -1;
  stack.pairs = NULL, stack.matrix = G;
  allocations_begin();
  assert_int_equal(flg_eliminate(&stack, memory, bytes, again, bias, NULL, &error), FLG_OK);
  assert_int_equal(allocations_end(), 0);
  assert_near(max_difference(again, to->D, 36), 0, 0);
  free(G);
  free(memory);
}

static void joined_models_are_the_model_of_the_joined(void **state) {
  (void)state;
  flg_simulation *whole = load_three_texts(JOINED("monolithic"), hand, arm);
  flg_simulation *parts = load_three_texts(JOINED("sequential"), hand, arm);
  const char *const both[] = {"hand/mount", "hand/grip"};
  const model one = look_at(parts, "arm/end"), other = look(parts, both, 2);
  const model expected = look_at(whole, "hand/grip");
  model joined;
  double reaction[6];
  join(&one, &other, 0, 1, &joined, reaction);
  assert_near(max_difference(joined.D, expected.D, 36), 0, 1e-11);
  /* damping gives way over TAU, to forces that the joint makes */
  assert_near(max_difference(joined.r, expected.r, 6), 0, TAU);
  flg_simulation_release(whole);
  flg_simulation_release(parts);
}

/* the same frames whichever way they are asked for */
static void models_do_not_depend_on_the_order_of_ports(void **state) {
  (void)state;
  flg_simulation *one = load_three_texts(JOINED("monolithic"), hand, arm);
  const char *const way[] = {"arm/end", "hand/grip"}, *const back[] = {"hand/grip", "arm/end"};
  const model first = look(one, way, 2), second = look(one, back, 2);
  for (int i = 0; i < 12; i++) {
    const int m = (i + 6) % 12;
    assert_near(first.r[i], second.r[m], 1e-10);
    for (int j = 0; j < 12; j++) {
      assert_near(first.D[12 * i + j], second.D[12 * m + (j + 6) % 12], 1e-12);
      assert_near(first.D[12 * i + j], first.D[12 * j + i], 1e-13);
    }
  }
  flg_simulation_release(one);
}

#define STILL                                                          \
  "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: 0.3, macro: 1/50}\n" \
  "subsystems: {" ARM                                                  \
  ", hand: {model: model.yaml, step: 1/200}}\n"                        \
  "interfaces: {hold: {between: [arm/end, hand/mount]}}\ncoupling: {scheme: %s}\n"

/* looking at a simulation between steps changes no bit of what it does */
static void looking_changes_no_bit(void **state) {
  (void)state;
  static const char *const schemes[] = {"monolithic", "sequential", "parallel", "hold"};
  const char *const names[] = {"hand/grip", "arm/middle"};
  for (int k = 0; k < 4; k++) {
    char text[700];
    snprintf(text, sizeof text, STILL, schemes[k]);
    flg_simulation *one = load_three_texts(text, hand, arm);
    flg_simulation *other = load_three_texts(text, hand, arm);
    flg_ports ports[2];
    flg_error error;
    for (int i = 0; i < 2; i++) {
      assert_int_equal(flg_ports_find(one, &names[i], 1, &ports[i], &error), FLG_OK);
    }
    for (int i = 0; i < 15; i++) {
      double D[36], r[6], w[6];
      flg_ports_reduce(one, ports[i % 2], 0.01, 6, D, r, w, &error);
      assert_int_equal(flg_simulation_step(one, &error), flg_simulation_step(other, &error));
      assert_int_equal(flg_simulation_hash(one), flg_simulation_hash(other));
    }
    flg_simulation_release(one);
    flg_simulation_release(other);
  }
}

/* the same with signals, a motor, a planar mechanism, contacts and robots that stand on the world
 */
static void looking_changes_no_bit_of_examples(void **state) {
  (void)state;
  static const char *const runs[][2] = {
      {"examples/spbot/spbot.yaml", ""},       {"examples/four-bars/four-bars.yaml", ""},
      {"examples/governor/governor.yaml", ""}, {"examples/tower/tower.yaml", ""},
      {"examples/capture/capture.yaml", ""},   {"examples/flexible-arm/flexible-arm.yaml", ""},
      {"examples/ssrms/poses.yaml", ""},       {"examples/slider-crank/slider-crank.yaml", ""}};
  static flg_mistakes mistakes;
  for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
    flg_simulation *both[2] = {NULL, NULL};
    flg_error error;
    flg_ports ports[40];
    int count, found = 0;
    for (int i = 0; i < 2; i++) {
      assert_int_equal(flg_simulation_load(&both[i], runs[k][0], NULL, 0, &mistakes), FLG_OK);
    }
    /* every frame that there is, and names of what is none */
    const flg_signal *list = flg_output_list(both[0], &count);
    for (int i = 0; i < count && found < 40; i++) {
      char name[200];
      const char *dot = strrchr(list[i].name, '.'), *const start = name;
      if (dot == NULL || strcmp(dot, ".orientation") != 0) continue;
      snprintf(name, sizeof name, "%.*s", (int)(dot - list[i].name), list[i].name);
      if (flg_ports_find(both[0], &start, 1, &ports[found], &error) == FLG_OK) found++;
    }
    assert_true(found > 0);
    for (int i = 0; i < 4; i++) {
      double D[36], r[6], w[6];
      for (int p = 0; p < found; p++) {
        const flg_status status = flg_ports_reduce(both[0], ports[p], 0.01, 6, D, r, w, &error);
        if (status != FLG_OK) fail_msg("%s: %s", runs[k][0], error.message);
        for (int j = 0; j < 6; j++) assert_true(isfinite(r[j]) && D[7 * j] >= 0);
      }
      assert_int_equal(flg_simulation_step(both[0], &error), flg_simulation_step(both[1], &error));
      if (flg_simulation_hash(both[0]) != flg_simulation_hash(both[1])) {
        fail_msg("%s: another state after step %d", runs[k][0], i);
      }
    }
    flg_simulation_release(both[0]);
    flg_simulation_release(both[1]);
  }
}

/* what stands on the world does not yield, and a push on it does nothing */
static void ground_does_not_yield(void **state) {
  (void)state;
  static const char text[] =
      HEAD "subsystems: {arm: {model: robot.yaml}, hand: {model: model.yaml}}\n";
  flg_simulation *one = load_three_texts(
      text,
      "flange-component: 1\nbodies: {wall: {fixed: true}, box: {mass: 1, inertia: [1, 1, 1]}}\n"
      "markers: {corner: {body: world, at: [1, 2, 3]}}\n",
      "flange-model: 1\nbodies: {foot: {mass: 1, inertia: [1, 1, 1]}, leg: {mass: 1, inertia: [1, "
      "1, 1]}}\n"
      "joints: {glue: {kind: fixed, child: foot}, knee: {kind: revolute, parent: foot, child: "
      "leg}}\n"
      "markers: {nail: {body: world, at: [0, 0, 1]}}\n");
  static const char *const names[] = {"arm/foot", "arm/nail", "hand/wall", "hand/corner"};
  const double push[6] = {1, 2, 3, 4, 5, 6};
  for (int k = 0; k < 4; k++) {
    char wrench[40];
    flg_input input;
    flg_error error;
    const model of = look_at(one, names[k]);
    for (int i = 0; i < 36; i++) assert_near(of.D[i], 0, 0);
    for (int i = 0; i < 6; i++) assert_near(of.r[i], 0, 0);
    snprintf(wrench, sizeof wrench, "%s.wrench", names[k]);
    assert_int_equal(flg_input_find(one, wrench, &input, &error), FLG_OK);
    assert_int_equal(flg_input_write(one, input, push, 6, &error), FLG_OK);
    assert_int_equal(flg_simulation_step(one, &error), FLG_OK);
  }
  flg_simulation_release(one);
}

/* two carts that are coupled: 1 and 3 kg, 8 N on the first */
static void carts_share_a_force(void **state) {
  (void)state;
  const double D0 = 1, D1 = 1. / 3, b0 = 8;
  const int pairs[1][2] = {{0, 0}}, keep[2] = {1, 0};
  double D[4], r[2], reaction, all[2];
  int rank;
  flg_error error;
  flg_stack stack = flg_stack_default();
  stack.rows[0] = stack.rows[1] = 1;
  stack.admittance[0] = &D0, stack.admittance[1] = &D1;
  stack.bias[0] = &b0;
  stack.constraints = 1, stack.pairs = pairs;
  stack.kept = 2, stack.keep = keep;
  double memory[1000];
  const size_t bytes = flg_eliminate_bytes(&stack);
  assert_true(bytes <= sizeof memory);
  assert_int_equal(flg_eliminate(&stack, memory, bytes, D, r, &rank, &error), FLG_OK);
  assert_int_equal(rank, 1);
  for (int k = 0; k < 4; k++) assert_near(D[k], 0.25, 1e-15);
  for (int k = 0; k < 2; k++) assert_near(r[k], 2, 1e-15);
  assert_int_equal(flg_eliminate_back(memory, NULL, &reaction, all, &error), FLG_OK);
  assert_near(reaction, -6, 1e-14);
  assert_near(all[1], 6, 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_body_is_mass_and_inertia),
      cmocka_unit_test(pendulum_yields_across_alone),
      cmocka_unit_test(models_foretell_short_steps),
      cmocka_unit_test(models_are_the_same_in_joint_coordinates),
      cmocka_unit_test(plug_in_answers_at_its_ports),
      cmocka_unit_test(joined_models_are_the_model_of_the_joined),
      cmocka_unit_test(models_do_not_depend_on_the_order_of_ports),
      cmocka_unit_test(carts_share_a_force),
      cmocka_unit_test(looking_changes_no_bit),
      cmocka_unit_test(looking_changes_no_bit_of_examples),
      cmocka_unit_test(ground_does_not_yield),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
