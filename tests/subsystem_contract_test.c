/* What every subsystem owes to those who run it (contract/subsystem.h), tried on all of them. Add
 * an implementation to `implementations`: a simulation whose first subsystem it is. */
#include "allocations.h"
#include "assemblies.h"
#include "beads.h"
#include "plugins.h"
#include "scenarios.h"

static const double H = 0.004;
enum { STEPS = 12, MOST_NUMBERS = 2000, MOST_VALUES = 16, MOST_DEEDS = 10 };

/* ---- implementations ---- */

#define ROBOT(integrator)                                                                  \
  "flange: 1\ntime: {end: 1, macro: 0.04}\n"                                               \
  "subsystems:\n  a:\n    model: model.yaml\n    step: 0.004\n    integrator: " integrator \
  "\n"                                                                                     \
  "    initial: {hinge: 1, sky: [0, 0, 0, 1, 0.2, 0.1, 0]}\n"                              \
  "    initial_velocity: {hinge: -2, sky: [1, 0, 0, 3, 2, 1]}\n"                           \
  "    controllers: {pd: {kind: pd, joints: [hinge], stiffness: 3, damping: 0.1,\n"        \
  "        sample: 0.012, points: [{at: 0, position: [1]}, {at: 1, position: [0]}]},\n"    \
  "      weight: {kind: gravity, enabled: false}}\n"                                       \
  "    forces: {wind: {body: free, force: [1, 0, 0], enabled: false}}\n"

static const char robot_model[] =
    "flange-model: 1\n"
    "bodies: {arm: {mass: 1, centre: [0, 0, -1], inertia: [1, 1, 1]},\n"
    "  tip: {mass: 1, centre: [0, 0, -1], inertia: [1, 1, 1]},\n"
    "  nail: {mass: 1, inertia: [1, 1, 1]}, plate: {mass: 1, inertia: [1, 1, 1]},\n"
    "  free: {mass: 3, inertia: [1, 2, 2.5]}}\n"
    "joints:\n"
    "  hinge: {kind: revolute, child: arm, axis: [0, 1, 0], friction: 0.2, damping: 0.1}\n"
    "  elbow: {kind: revolute, parent: arm, child: tip, at: [0, 0, -2], axis: [0, 1, 0]}\n"
    "  follower: {kind: revolute, parent: arm, child: nail, axis: [0, 1, 0],\n"
    "    mimic: {joint: elbow, multiplier: 2}}\n"
    "  glue: {kind: fixed, parent: tip, child: plate, at: [0, 0, -1]}\n"
    "  sky: {kind: floating, child: free, at: [0, 0, -1]}\n"
    "markers: {mark: {body: plate, at: [1, 0, 0]}}\n"
    "ports: {port: {body: arm, at: [0, 0, -1]}}\n";

static flg_simulation *make_semi_implicit(void) {
  return load_texts(ROBOT("semi-implicit"), robot_model);
}

static flg_simulation *make_leapfrog(void) {
  return load_texts(ROBOT("leapfrog"), robot_model);
}

static flg_simulation *make_rk4(void) {
  return load_texts(ROBOT("rk4"), robot_model);
}

static flg_simulation *make_adaptive(void) {
  return load_texts(ROBOT("adaptive"), robot_model);
}

/* the same, whose hinge reaches its end and whose free body lands on the ground and slides */
#define TOUCHING_ROBOT(name)   \
  ROBOT(name)                  \
  "    self_collision: true\n" \
  "ground: {shapes: [{kind: plane, at: [0, 0, -2.001]}]}\n"

static const char touching_model[] =
    "flange-model: 1\n"
    "bodies: {arm: {mass: 1, centre: [0, 0, -1], inertia: [1, 1, 1]},\n"
    "  tip: {mass: 1, centre: [0, 0, -1], inertia: [1, 1, 1],\n"
    "    shapes: [{kind: points, values: [0, 0, -1]}]},\n"
    "  nail: {mass: 1, inertia: [1, 1, 1]}, plate: {mass: 1, inertia: [1, 1, 1]},\n"
    "  free: {mass: 3, inertia: [1, 2, 2.5],\n"
    "    shapes: [{kind: sphere, size: 1, collision: true, friction: 0.3, restitution: 0.5}]}}\n"
    "joints:\n"
    "  hinge: {kind: revolute, child: arm, axis: [0, 1, 0], friction: 0.2, damping: 0.1,\n"
    "    limits: {lower: 0.95, upper: 2}}\n"
    "  elbow: {kind: revolute, parent: arm, child: tip, at: [0, 0, -2], axis: [0, 1, 0]}\n"
    "  follower: {kind: revolute, parent: arm, child: nail, axis: [0, 1, 0],\n"
    "    mimic: {joint: elbow, multiplier: 2}}\n"
    "  glue: {kind: fixed, parent: tip, child: plate, at: [0, 0, -1]}\n"
    "  sky: {kind: floating, child: free, at: [0, 0, -1]}\n"
    "markers: {mark: {body: plate, at: [1, 0, 0]}}\n"
    "ports: {port: {body: arm, at: [0, 0, -1]}}\n";

static flg_simulation *make_touching_robot(void) {
  return load_texts(TOUCHING_ROBOT("semi-implicit"), touching_model);
}

static flg_simulation *make_touching_leapfrog(void) {
  return load_texts(TOUCHING_ROBOT("leapfrog"), touching_model);
}

static flg_simulation *make_two_beads(void) {
  return make_beads(1, 2);
}

static flg_simulation *make_rattle(void) {
  return simulate(four_bar(), options_of(FLG_SCHEME_RATTLE));
}

static flg_simulation *make_projected(void) {
  return simulate(four_bar(), options_of(FLG_SCHEME_RK4));
}

static flg_simulation *make_euler(void) {
  return simulate(four_bar(), options_of(FLG_SCHEME_SEMI_IMPLICIT));
}

static flg_simulation *make_euclidean(void) {
  flg_assembly_options options = options_of(FLG_SCHEME_RK4);
  options.norm = FLG_NORM_EUCLIDEAN, options.form = FLG_FORM_ROOT;
  return simulate(four_bar(), options);
}

/* events weld its top to its sides: either leaves no freedom, the second repeats the first */
static flg_simulation *make_welded(flg_scheme scheme, flg_elimination_form form) {
  static flg_weld welds[2] = {{.name = "grip"}, {.name = "again"}};
  for (int k = 0; k < 2; k++) {
    welds[k].end[0] = (flg_anchor){-1, k, flg_pose_identity()};
    welds[k].end[1] = (flg_anchor){-1, 2, flg_pose_identity()};
  }
  flg_assembly_options options = options_of(scheme);
  options.welds = welds, options.weld_count = 2, options.form = form;
  return simulate(four_bar(), options);
}

static flg_simulation *make_welded_rattle(void) {
  return make_welded(FLG_SCHEME_RATTLE, FLG_FORM_ADMITTANCE);
}

static flg_simulation *make_welded_rk4(void) {
  return make_welded(FLG_SCHEME_RK4, FLG_FORM_ROOT);
}

static flg_simulation *make_welded_euler(void) {
  return make_welded(FLG_SCHEME_SEMI_IMPLICIT, FLG_FORM_ADMITTANCE);
}

static flg_simulation *make_arm_rattle(void) {
  return simulate(five_bar(), options_of(FLG_SCHEME_RATTLE));
}

static flg_simulation *make_arm_rk4(void) {
  return simulate(five_bar(), options_of(FLG_SCHEME_RK4));
}

static flg_simulation *make_arm_euler(void) {
  return simulate(five_bar(), options_of(FLG_SCHEME_SEMI_IMPLICIT));
}

/* its top comes down onto a floor, which it can touch with a ball */
static flg_simulation *make_bar_over_floor(flg_scheme scheme) {
  static flg_shape shapes[2];
  static flg_contacts_options contacts;
  parts *p = four_bar();
  shapes[0] = (flg_shape){.name = "floor",
                          .body = FLG_WORLD,
                          .collision = true,
                          .kind = FLG_SHAPE_PLANE,
                          .pose = frame_along(vec(0, 0.9498, 0), vec(0, 1, 0))};
  shapes[1] = (flg_shape){.name = "ball",
                          .body = 2,
                          .collision = true,
                          .kind = FLG_SHAPE_SPHERE,
                          .size = {0.05, 1, 1},
                          .pose = flg_pose_identity()};
  p->component.shapes = shapes, p->component.shape_count = 2;
  contacts = flg_contacts_default();
  contacts.capacity = 4;
  flg_assembly_options options = options_of(scheme);
  options.contacts = &contacts;
  return simulate(p, options);
}

static flg_simulation *make_bar_on_floor(void) {
  return make_bar_over_floor(FLG_SCHEME_SEMI_IMPLICIT);
}

static flg_simulation *make_rattle_on_floor(void) {
  return make_bar_over_floor(FLG_SCHEME_RATTLE);
}

/* an arm whose hinge reaches its end, with a box welded to it that lands on the ground */
static const char ending_scenario[] =
    "flange: 1\ntime: {end: 1, macro: 0.04}\n"
    "subsystems: {a: {model: model.yaml, step: 0.004, assemble: true, integrator: "
    "semi-implicit}}\n";
static const char ending_component[] =
    "flange-component: 1\n"
    "robots: {arm: {model: robot.yaml, initial: {hinge: 1, elbow: 0.2},\n"
    "  initial_velocity: {hinge: -2, elbow: 1}}}\n"
    "bodies: {box: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [-2.6, 0, -1.4], turn: [0, 1.2, 0],\n"
    "  shapes: [{kind: box, name: case, size: [0.2, 0.2, 0.2], friction: 0.3, collision: true}]}}\n"
    "joints: {grip: {kind: weld, between: [arm/tip, box]}}\n"
    "shapes: [{kind: plane, name: floor, at: [0, 0, -1.6]}]\n"
    "forces: {wind: {body: box, force: [1, 0, 0], enabled: false}}\n";
static const char ending_robot[] =
    "flange-model: 1\n"
    "bodies: {upper: {mass: 1, centre: [0, 0, -1], inertia: [1, 1, 1]},\n"
    "  lower: {mass: 1, centre: [0, 0, -0.5], inertia: [1, 1, 1]}}\n"
    "joints:\n"
    "  hinge: {kind: revolute, child: upper, axis: [0, 1, 0], friction: 0.2, damping: 0.1,\n"
    "    limits: {lower: 0.95, upper: 2}}\n"
    "  elbow: {kind: revolute, parent: upper, child: lower, at: [0, 0, -2], axis: [0, 1, 0]}\n"
    "ports: {tip: {body: lower, at: [0, 0, -1]}}\n";

static flg_simulation *make_ending_arm(void) {
  return load_three_texts(ending_scenario, ending_component, ending_robot);
}

static flg_simulation *make_gearbox(void) {
  return simulate(gearbox(), options_of(FLG_SCHEME_RATTLE));
}

static flg_simulation *make_gearbox_euler(void) {
  return simulate(gearbox(), options_of(FLG_SCHEME_SEMI_IMPLICIT));
}

static flg_simulation *make_plugin(void) {
  return load_texts(plugin_chain, NULL);
}

static flg_simulation *make_touching_plugin(void) {
  return load_texts(plugin_cube, NULL);
}

/* what an event may do to it */
typedef struct deed {
  flg_action action;
  const char *path;
  int value_count;
  double values[7];
} deed;

static const deed robot_deeds[] = {
    {FLG_ACTION_LOCK, "elbow"},
    {FLG_ACTION_UNLOCK, "elbow"},
    {FLG_ACTION_ENABLE, "weight"},
    {FLG_ACTION_ENABLE, "wind"},
    {FLG_ACTION_DISABLE, "pd"},
    {FLG_ACTION_SET, "sky", 7, {1, 2, 3, 2, 0, 0, 1}},
    {FLG_ACTION_SET_VELOCITY, "hinge", 1, {0.5}},
};
static const deed bead_deeds[] = {{FLG_ACTION_SET_VELOCITY, "right/bead", 2, {1, 1}}};
static const deed bar_deeds[] = {{FLG_ACTION_ENABLE, "wind"}, {FLG_ACTION_DISABLE, "wind"}};
static const deed weld_deeds[] = {
    {FLG_ACTION_WELD, "grip"},     {FLG_ACTION_WELD, "again"}, {FLG_ACTION_RELEASE, "grip"},
    {FLG_ACTION_RELEASE, "again"}, {FLG_ACTION_WELD, "again"},
};
static const deed arm_deeds[] = {
    {FLG_ACTION_LOCK, "arm/elbow"},
    {FLG_ACTION_UNLOCK, "arm/elbow"},
    {FLG_ACTION_DISABLE, "gust"},
    {FLG_ACTION_ENABLE, "arm/weight"},
    {FLG_ACTION_ENABLE, "arm/wind"},
    {FLG_ACTION_DISABLE, "arm/pd"},
    {FLG_ACTION_SET, "arm/shoulder", 1, {0.1}},
    {FLG_ACTION_SET_VELOCITY, "arm/shoulder", 1, {0.5}},
};
static const deed ending_deeds[] = {
    {FLG_ACTION_LOCK, "arm/hinge"},
    {FLG_ACTION_UNLOCK, "arm/hinge"},
    {FLG_ACTION_ENABLE, "wind"},
    {FLG_ACTION_SET_VELOCITY, "arm/hinge", 1, {-0.5}},
};
static const deed gear_deeds[] = {{FLG_ACTION_ENABLE, "wind"}, {FLG_ACTION_DISABLE, "jet"}};

#define DEEDS(list) (list), sizeof(list) / sizeof(list)[0]
static const struct implementation {
  const char *name, *part; /* part: a name of the scenario that leads to it */
  flg_simulation *(*make)(void);
  const deed *deeds;
  size_t deed_count;
} implementations[] = {
    {"robot, semi-implicit", "a", make_semi_implicit, DEEDS(robot_deeds)},
    {"robot, leapfrog", "a", make_leapfrog, DEEDS(robot_deeds)},
    {"robot, rk4", "a", make_rk4, DEEDS(robot_deeds)},
    {"robot, adaptive", "a", make_adaptive, DEEDS(robot_deeds)},
    {"robot that touches", "a", make_touching_robot, DEEDS(robot_deeds)},
    {"robot that touches, leapfrog", "a", make_touching_leapfrog, DEEDS(robot_deeds)},
    {"four-bar, rattle", "a", make_rattle, DEEDS(bar_deeds)},
    {"four-bar, rk4", "a", make_projected, DEEDS(bar_deeds)},
    {"four-bar, semi-implicit", "a", make_euler, DEEDS(bar_deeds)},
    {"four-bar on a floor", "a", make_bar_on_floor, DEEDS(bar_deeds)},
    {"four-bar on a floor, rattle", "a", make_rattle_on_floor, DEEDS(bar_deeds)},
    {"four-bar, rk4, Euclidean, roots", "a", make_euclidean, DEEDS(bar_deeds)},
    {"four-bar and welds, rattle", "a", make_welded_rattle, DEEDS(weld_deeds)},
    {"four-bar and welds, rk4, roots", "a", make_welded_rk4, DEEDS(weld_deeds)},
    {"four-bar and welds, semi-implicit", "a", make_welded_euler, DEEDS(weld_deeds)},
    {"arm in a loop, rattle", "a", make_arm_rattle, DEEDS(arm_deeds)},
    {"arm in a loop, rk4", "a", make_arm_rk4, DEEDS(arm_deeds)},
    {"arm in a loop, semi-implicit", "a", make_arm_euler, DEEDS(arm_deeds)},
    {"arm that ends and touches", "a", make_ending_arm, DEEDS(ending_deeds)},
    {"gears and springs, rattle", "a", make_gearbox, DEEDS(gear_deeds)},
    {"gears and springs, semi-implicit", "a", make_gearbox_euler, DEEDS(gear_deeds)},
    {"beads", "left", make_two_beads, DEEDS(bead_deeds)},
    {"plug-in", "a", make_plugin, NULL, 0},
    {"plug-in that touches", "a", make_touching_plugin, NULL, 0},
};
enum { IMPLEMENTATIONS = sizeof implementations / sizeof implementations[0] };

/* ---- two of the same, side by side ---- */

typedef struct pair {
  const struct implementation *of;
  flg_simulation *simulations[2];
  flg_subsystem *one, *two;
} pair;

static pair make_pair(int index) {
  pair p = {.of = &implementations[index]};
  print_message("%s\n", p.of->name);
  for (int k = 0; k < 2; k++) p.simulations[k] = p.of->make();
  p.one = &p.simulations[0]->subsystems[0], p.two = &p.simulations[1]->subsystems[0];
  return p;
}

static void release_pair(pair *p) {
  for (int k = 0; k < 2; k++) flg_simulation_release(p->simulations[k]);
}

static flg_subsystem_state state_of(const flg_subsystem *subsystem) {
  const flg_subsystem_state state = subsystem->ops->state(subsystem->self);
  assert_true(state.count > 0 && state.count <= MOST_NUMBERS);
  assert_true(state.motion > 0 && state.motion <= state.count);
  return state;
}

static void save(const flg_subsystem *subsystem, double numbers[MOST_NUMBERS]) {
  const flg_subsystem_state state = state_of(subsystem);
  memcpy(numbers, state.values, (size_t)state.count * sizeof *numbers);
}

static void restore(const flg_subsystem *subsystem, const double numbers[MOST_NUMBERS]) {
  const flg_subsystem_state state = state_of(subsystem);
  memcpy(state.values, numbers, (size_t)state.count * sizeof *numbers);
}

static void assert_same(const flg_subsystem *one, const flg_subsystem *two) {
  const flg_subsystem_state a = state_of(one), b = state_of(two);
  assert_int_equal(a.count, b.count);
  assert_memory_equal(a.values, b.values, (size_t)a.count * sizeof *a.values);
}

static void advance(const flg_subsystem *subsystem, double time, int first, int count) {
  flg_error error = {0};
  const flg_status status = subsystem->ops->advance(subsystem->self, time, H, first, count, &error);
  if (status != FLG_OK) fail_msg("%s", error.message);
}

static void apply(const flg_subsystem *subsystem, const deed *done) {
  int target = -1;
  flg_error error = {0};
  const flg_status status =
      flg_subsystem_aim(subsystem, done->action, done->path, done->value_count, &target, &error);
  if (status != FLG_OK) fail_msg("%s", error.message);
  subsystem->ops->act(subsystem->self, done->action, target, done->values);
}

/* ---- steps ---- */

static void steps_in_pieces_are_those_in_one_go(void **state) {
  (void)state;
  for (int i = 0; i < IMPLEMENTATIONS; i++) {
    pair p = make_pair(i);
    double before[MOST_NUMBERS];
    save(p.one, before);
    assert_same(p.one, p.two);
    advance(p.one, 0.04, 0, STEPS);
    advance(p.two, 0.04, 0, 5);
    advance(p.two, 0.04, 5, 1);
    advance(p.two, 0.04, 6, STEPS - 6);
    assert_same(p.one, p.two);
    const flg_subsystem_state after = state_of(p.one);
    assert_memory_not_equal(before, after.values, (size_t)after.motion * sizeof *before);
    release_pair(&p);
  }
}

static void refreshing_changes_nothing_of_the_motion(void **state) {
  (void)state;
  for (int i = 0; i < IMPLEMENTATIONS; i++) {
    pair p = make_pair(i);
    double before[MOST_NUMBERS], once[MOST_NUMBERS];
    for (int macro = 0; macro < 3; macro++) {
      const double time = macro * STEPS * H;
      const flg_subsystem_state now = state_of(p.one);
      save(p.one, before);
      p.one->ops->refresh(p.one->self, time);
      assert_memory_equal(before, now.values, (size_t)now.motion * sizeof *before);
      save(p.one, once);
      p.one->ops->refresh(p.one->self, time);
      assert_memory_equal(once, now.values, (size_t)now.count * sizeof *once);
      advance(p.one, time, 0, STEPS);
      advance(p.two, time, 0, STEPS);
      assert_same(p.one, p.two);
    }
    release_pair(&p);
  }
}

static void a_saved_state_repeats_every_bit(void **state) {
  (void)state;
  for (int i = 0; i < IMPLEMENTATIONS; i++) {
    pair p = make_pair(i);
    double start[MOST_NUMBERS], end[MOST_NUMBERS];
    const double *place = state_of(p.one).values;
    advance(p.one, 0, 0, STEPS);
    save(p.one, start);
    advance(p.one, STEPS * H, 0, STEPS);
    save(p.one, end);
    restore(p.one, start);
    advance(p.one, STEPS * H, 0, STEPS);
    const flg_subsystem_state now = state_of(p.one);
    assert_memory_equal(end, now.values, (size_t)now.count * sizeof *end);
    assert_ptr_equal(place, now.values);
    release_pair(&p);
  }
}

/* the scratch of the other one is full of another time, motion and history */
static void only_the_state_counts_not_what_scratch_holds(void **state) {
  (void)state;
  for (int i = 0; i < IMPLEMENTATIONS; i++) {
    pair p = make_pair(i);
    for (size_t k = 0; k < p.of->deed_count; k++) {
      apply(p.two, &p.of->deeds[k]);
      advance(p.two, 7 * (double)k, 0, 50);
      p.two->ops->refresh(p.two->self, 3);
    }
    restore(p.two, state_of(p.one).values);
    advance(p.one, 0, 0, STEPS);
    advance(p.two, 0, 0, STEPS);
    assert_same(p.one, p.two);
    release_pair(&p);
  }
}

/* three steps, of which the last starts from NaN, leave nothing behind */
static void steps_that_fail_leave_nothing_in_scratch(void **state) {
  (void)state;
  for (int i = 0; i < IMPLEMENTATIONS; i++) {
    pair p = make_pair(i);
    double start[MOST_NUMBERS];
    advance(p.one, 0, 0, STEPS);
    advance(p.two, 0, 0, STEPS);
    save(p.one, start);
    advance(p.one, STEPS * H, 0, 2);
    const flg_subsystem_state now = state_of(p.one);
    for (int k = 0; k < now.motion; k++) now.values[k] = NAN;
    (void)p.one->ops->advance(p.one->self, 7, H, 0, 1, NULL);
    p.one->ops->refresh(p.one->self, 7);
    restore(p.one, start);
    advance(p.one, STEPS * H, 0, STEPS);
    advance(p.two, STEPS * H, 0, STEPS);
    assert_same(p.one, p.two);
    release_pair(&p);
  }
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  for (int i = 0; i < IMPLEMENTATIONS; i++) {
    for (int count = 1; count <= 8; count++) {
      pair p = make_pair(i);
      flg_threads *threads = NULL;
      assert_int_equal(flg_threads_build(&threads, count, NULL), FLG_OK);
      if (p.one->ops->share != NULL) p.one->ops->share(p.one->self, threads);
      advance(p.one, 0, 0, STEPS);
      advance(p.two, 0, 0, STEPS);
      assert_same(p.one, p.two);
      release_pair(&p);
      flg_threads_release(threads);
    }
  }
}

/* ---- what it tells ---- */

static void assert_energy_is_finite(const flg_subsystem *subsystem) {
  assert_true(isfinite(subsystem->ops->energy(subsystem->self)));
  if (subsystem->ops->constraints == NULL) return;
  const flg_constraint_errors errors = subsystem->ops->constraints(subsystem->self);
  assert_true(isfinite(errors.position) && errors.position >= 0);
  assert_true(isfinite(errors.velocity) && errors.velocity >= 0);
}

static void assert_readable(const flg_subsystem *subsystem, int object, int quantity, int width) {
  double values[MOST_VALUES + 1];
  assert_true(width > 0 && width <= MOST_VALUES);
  for (int k = 0; k <= MOST_VALUES; k++) values[k] = k == width ? 12345 : NAN;
  subsystem->ops->read(subsystem->self, object, quantity, values);
  for (int k = 0; k < width; k++) assert_true(isfinite(values[k]));
  assert_true(values[width] == 12345);
  if (subsystem->ops->locate == NULL) return;
  const double *stand = subsystem->ops->locate(subsystem->self, object, quantity);
  if (stand != NULL) assert_memory_equal(stand, values, (size_t)width * sizeof *values);
}

static void all_that_is_offered_can_be_read(void **state) {
  (void)state;
  for (int i = 0; i < IMPLEMENTATIONS; i++) {
    pair p = make_pair(i);
    advance(p.one, 0, 0, STEPS);
    p.one->ops->refresh(p.one->self, STEPS * H);
    assert_energy_is_finite(p.one);
    int count = 0;
    const flg_object *objects = p.one->ops->objects(p.one->self, &count);
    assert_true(count > 0);
    for (int k = 0; k < count; k++) {
      assert_non_null(objects[k].path);
      for (int j = 0; j < objects[k].quantity_count; j++) {
        assert_non_null(objects[k].quantities[j].unit);
        assert_readable(p.one, k, j, objects[k].quantities[j].width);
      }
    }
    release_pair(&p);
  }
}

/* of the signal sub/path.quantity; prefix: of the part that leads there */
static flg_status find(const flg_simulation *simulation, const char *name, flg_recorded *recorded,
                       flg_mistakes *mistakes) {
  flg_region region = {0};
  flg_signal signal = {0};
  *mistakes = (flg_mistakes){0};
  const flg_status status =
      flg_recorded_find(recorded, &signal, name, (flg_place){0}, simulation, &region, mistakes);
  flg_region_release(&region);
  return status;
}

/* an object of the part as the scenario would write it; false if it belongs to another part */
static bool write_name(const pair *p, const char *path, const char *word, char name[200]) {
  const flg_part *part = flg_part_find(p->simulations[0], p->of->part, strlen(p->of->part));
  assert_non_null(part);
  const size_t length = strlen(part->prefix);
  if (length > 0 && (strncmp(path, part->prefix, length) != 0 || path[length] != '/')) return false;
  snprintf(name, 200, "%s/%s%s%s", part->name, path + length + (length > 0),
           word == NULL ? "" : ".", word == NULL ? "" : word);
  return true;
}

static void signals_are_found_by_the_names_of_objects(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  for (int i = 0; i < IMPLEMENTATIONS; i++) {
    pair p = make_pair(i);
    char name[200];
    int count = 0;
    const flg_object *objects = p.one->ops->objects(p.one->self, &count);
    for (int k = 0; k < count; k++) {
      for (int j = 0; j < objects[k].quantity_count; j++) {
        flg_recorded recorded;
        if (!write_name(&p, objects[k].path, objects[k].quantities[j].word, name)) continue;
        assert_int_equal(find(p.simulations[0], name, &recorded, &mistakes), FLG_OK);
        assert_string_equal(objects[recorded.object].path, objects[k].path);
        assert_true(recorded.object < k || recorded.quantity == j);
      }
    }
    release_pair(&p);
  }
}

static void unknown_names_are_mistakes(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  static const char *const rests[] = {"no-such-thing.position", "no/such/thing.position", "nothing",
                                      ".position", ""};
  for (int i = 0; i < IMPLEMENTATIONS; i++) {
    pair p = make_pair(i);
    for (size_t k = 0; k < sizeof rests / sizeof rests[0]; k++) {
      char name[200];
      flg_recorded recorded;
      snprintf(name, sizeof name, "%s/%s", p.of->part, rests[k]);
      assert_int_equal(find(p.simulations[0], name, &recorded, &mistakes), FLG_ERR_INPUT);
      assert_int_equal(mistakes.count, 1);
      assert_non_null(strstr(mistakes.list[0].message, "there is no"));
    }
    release_pair(&p);
  }
}

static void equal_systems_have_one_identity(void **state) {
  (void)state;
  for (int i = 0; i < IMPLEMENTATIONS; i++) {
    pair p = make_pair(i);
    const uint64_t one = p.one->ops->identity(p.one->self, 1);
    advance(p.one, 0, 0, STEPS);
    assert_true(p.one->ops->identity(p.one->self, 1) == one);
    assert_true(p.two->ops->identity(p.two->self, 1) == one);
    assert_true(p.two->ops->identity(p.two->self, 2) != one);
    release_pair(&p);
  }
}

/* ---- events ---- */

static void events_depend_on_the_state_alone(void **state) {
  (void)state;
  for (int i = 0; i < IMPLEMENTATIONS; i++) {
    pair p = make_pair(i);
    advance(p.one, 0, 0, STEPS);
    restore(p.two, state_of(p.one).values);
    for (size_t k = 0; k < p.of->deed_count; k++) {
      apply(p.one, &p.of->deeds[k]);
      apply(p.two, &p.of->deeds[k]);
      assert_same(p.one, p.two);
      advance(p.one, STEPS * H * (double)(k + 1), 0, STEPS);
      advance(p.two, STEPS * H * (double)(k + 1), 0, STEPS);
      assert_same(p.one, p.two);
    }
    release_pair(&p);
  }
}

static void what_events_cannot_do_is_told_in_a_sentence(void **state) {
  (void)state;
  for (int i = 0; i < IMPLEMENTATIONS; i++) {
    pair p = make_pair(i);
    for (int action = 0; action < FLG_ACTION_COUNT; action++) {
      int target = -7;
      flg_error error = {0};
      const flg_status status =
          flg_subsystem_aim(p.one, (flg_action)action, "no-such-thing", 1, &target, &error);
      assert_int_equal(status, FLG_ERR_INPUT);
      const bool able = (p.one->ops->actions & 1u << action) != 0;
      assert_true(strlen(error.message) > 10);
      assert_true(able != (strstr(error.message, "cannot") != NULL));
    }
    release_pair(&p);
  }
}

/* ---- memory ---- */

static void steps_allocate_nothing(void **state) {
  (void)state;
  if (!allocations_counted()) skip();
  for (int i = 0; i < IMPLEMENTATIONS; i++) {
    pair p = make_pair(i);
    double values[MOST_VALUES];
    int targets[MOST_DEEDS];
    const deed *deeds = p.of->deeds;
    assert_true(p.of->deed_count <= MOST_DEEDS);
    for (size_t k = 0; k < p.of->deed_count; k++) {
      assert_int_equal(flg_subsystem_aim(p.one, deeds[k].action, deeds[k].path,
                                         deeds[k].value_count, &targets[k], NULL),
                       FLG_OK);
    }
    allocations_begin();
    p.one->ops->advance(p.one->self, 0, H, 0, STEPS, NULL);
    for (size_t k = 0; k < p.of->deed_count; k++) {
      p.one->ops->act(p.one->self, deeds[k].action, targets[k], deeds[k].values);
      p.one->ops->advance(p.one->self, STEPS * H * (double)(k + 1), H, 0, STEPS, NULL);
    }
    p.one->ops->refresh(p.one->self, 2 * STEPS * H);
    p.one->ops->energy(p.one->self);
    if (p.one->ops->constraints != NULL) p.one->ops->constraints(p.one->self);
    p.one->ops->read(p.one->self, 0, 0, values);
    assert_int_equal(allocations_end(), 0);
    release_pair(&p);
  }
}

static void it_can_be_released_again(void **state) {
  (void)state;
  for (int i = 0; i < IMPLEMENTATIONS; i++) {
    pair p = make_pair(i);
    flg_subsystem_release(p.one);
    assert_null(p.one->ops);
    flg_subsystem_release(p.one);
    release_pair(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_in_pieces_are_those_in_one_go),
      cmocka_unit_test(refreshing_changes_nothing_of_the_motion),
      cmocka_unit_test(a_saved_state_repeats_every_bit),
      cmocka_unit_test(only_the_state_counts_not_what_scratch_holds),
      cmocka_unit_test(steps_that_fail_leave_nothing_in_scratch),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(all_that_is_offered_can_be_read),
      cmocka_unit_test(signals_are_found_by_the_names_of_objects),
      cmocka_unit_test(unknown_names_are_mistakes),
      cmocka_unit_test(equal_systems_have_one_identity),
      cmocka_unit_test(events_depend_on_the_state_alone),
      cmocka_unit_test(what_events_cannot_do_is_told_in_a_sentence),
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(it_can_be_released_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
