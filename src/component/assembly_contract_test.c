/* Assemblies as subsystems, besides what all subsystems owe (subsystem_contract_test.c): what they
 * record, what events do to them, and what they say when they fail. */
#include "component/assembly_contract.h"
#include "assemblies.h"
#include "assembly/assembly_inner.h"

enum { MOST = 400 };
static const double H = 0.004;

typedef struct machine {
  const char *name;
  parts *(*make)(void);
  flg_scheme scheme;
} machine;

static const machine machines[] = {
    {"four-bar, rattle", four_bar, FLG_SCHEME_RATTLE},
    {"four-bar, rk4", four_bar, FLG_SCHEME_RK4},
    {"four-bar, semi-implicit", four_bar, FLG_SCHEME_SEMI_IMPLICIT},
    {"arm, rattle", five_bar, FLG_SCHEME_RATTLE},
    {"arm, rk4", five_bar, FLG_SCHEME_RK4},
    {"arm, semi-implicit", five_bar, FLG_SCHEME_SEMI_IMPLICIT},
    {"gearbox, rattle", gearbox, FLG_SCHEME_RATTLE},
    {"gearbox, semi-implicit", gearbox, FLG_SCHEME_SEMI_IMPLICIT},
};
enum { MACHINES = sizeof machines / sizeof machines[0] };

static flg_simulation *start(const machine *of) {
  print_message("%s\n", of->name);
  return simulate(of->make(), options_of(of->scheme));
}

static flg_subsystem_state state_of(const flg_subsystem *subsystem) {
  return subsystem->ops->state(subsystem->self);
}

static void save(const flg_subsystem *subsystem, double numbers[MOST]) {
  const flg_subsystem_state state = state_of(subsystem);
  assert_true(state.count <= MOST);
  memcpy(numbers, state.values, (size_t)state.count * sizeof *numbers);
}

static void restore(const flg_subsystem *subsystem, const double numbers[MOST]) {
  const flg_subsystem_state state = state_of(subsystem);
  memcpy(state.values, numbers, (size_t)state.count * sizeof *numbers);
}

static void assert_state(const flg_subsystem *subsystem, const double numbers[MOST]) {
  const flg_subsystem_state state = state_of(subsystem);
  assert_memory_equal(state.values, numbers, (size_t)state.count * sizeof *numbers);
}

static void advance(const flg_subsystem *subsystem, double h, int first, int count) {
  flg_error error = {0};
  const flg_status status = subsystem->ops->advance(subsystem->self, 0, h, first, count, &error);
  if (status != FLG_OK) fail_msg("%s", error.message);
}

static void act(const flg_subsystem *subsystem, flg_action action, const char *path, int count,
                double value) {
  int target = -1;
  flg_error error = {0};
  if (flg_subsystem_aim(subsystem, action, path, count, &target, &error) != FLG_OK) {
    fail_msg("%s", error.message);
  }
  subsystem->ops->act(subsystem->self, action, target, &value);
}

/* values of a quantity by its name, as "crank" and "position" */
static int read_values(const flg_subsystem *subsystem, const char *path, const char *word,
                       double *values) {
  int count = 0;
  const flg_object *objects = subsystem->ops->objects(subsystem->self, &count);
  for (int k = 0; k < count; k++) {
    for (int j = 0; j < objects[k].quantity_count && strcmp(objects[k].path, path) == 0; j++) {
      if (objects[k].quantities[j].word == NULL
              ? word != NULL
              : strcmp(objects[k].quantities[j].word, word) != 0) {
        continue;
      }
      subsystem->ops->read(subsystem->self, k, j, values);
      return objects[k].quantities[j].width;
    }
  }
  fail_msg("there is no %s.%s", path, word);
  return 0;
}

static double read_one(const flg_subsystem *subsystem, const char *path, const char *word) {
  double values[7];
  assert_int_equal(read_values(subsystem, path, word, values), 1);
  return values[0];
}

static flg_vec3 read_vector(const flg_subsystem *subsystem, const char *path, const char *word) {
  double values[7];
  assert_int_equal(read_values(subsystem, path, word, values), 3);
  return flg_vec3_load(values);
}

static void assert_vector(flg_vec3 a, flg_vec3 b, double tolerance) {
  assert_true(flg_vec3_norm(flg_vec3_subtract(a, b)) <= tolerance);
}

/* ---- factors that are kept over steps ---- */

static void a_way_aside_and_back_does_not_change_a_bit(void **unused) {
  (void)unused;
  for (int i = 0; i < MACHINES; i++) {
    flg_simulation *straight = start(&machines[i]), *roundabout = start(&machines[i]);
    flg_subsystem *one = &straight->subsystems[0], *two = &roundabout->subsystems[0];
    double here[MOST];
    for (int k = 0; k < 20; k++) {
      save(two, here);
      assert_state(one, here);
      if (k % 3 == 1) advance(two, H / 2, k, 1);
      if (k % 3 == 2) two->ops->refresh(two->self, k * H);
      restore(two, here);
      advance(one, H, k, 1);
      advance(two, H, k, 1);
    }
    flg_simulation_release(straight), flg_simulation_release(roundabout);
  }
}

/* one has locked the joint and knows no factors; two has those of the same q without the lock */
static void a_snapshot_may_bring_a_lock_along(void **unused) {
  (void)unused;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    flg_simulation *acting = simulate(five_bar(), options_of((flg_scheme)scheme));
    flg_simulation *restored = simulate(five_bar(), options_of((flg_scheme)scheme));
    flg_subsystem *one = &acting->subsystems[0], *two = &restored->subsystems[0];
    double here[MOST];
    advance(one, H, 0, 5), advance(two, H, 0, 5);
    act(one, FLG_ACTION_LOCK, "arm/elbow", 0, 0);
    save(one, here);
    restore(two, here);
    advance(one, H, 5, 5), advance(two, H, 5, 5);
    save(one, here);
    assert_state(two, here);
    flg_simulation_release(acting), flg_simulation_release(restored);
  }
}

/* a change of the step at the very q that has factors */
static void steps_may_change_from_one_to_the_next(void **unused) {
  (void)unused;
  for (int i = 0; i < MACHINES; i++) {
    flg_simulation *warm = start(&machines[i]), *cold = start(&machines[i]);
    flg_subsystem *one = &warm->subsystems[0], *two = &cold->subsystems[0];
    double here[MOST], there[MOST];
    advance(one, H, 0, 5);
    save(one, here);
    advance(two, H / 4, 0, 3); /* elsewhere: nothing that it has fits */
    restore(two, here);
    advance(one, H / 2, 0, 3);
    advance(two, H / 2, 0, 3);
    save(one, there);
    assert_state(two, there);
    flg_simulation_release(warm), flg_simulation_release(cold);
  }
}

static void a_run_that_diverged_can_be_taken_back(void **unused) {
  (void)unused;
  for (int i = 0; i < MACHINES; i++) {
    flg_simulation *simulation = start(&machines[i]);
    flg_subsystem *subsystem = &simulation->subsystems[0];
    double here[MOST], there[MOST];
    flg_error error;
    advance(subsystem, H, 0, 3);
    save(subsystem, here);
    advance(subsystem, H, 3, 3);
    save(subsystem, there);
    const flg_subsystem_state state = state_of(subsystem);
    for (int k = 0; k < state.motion; k++) state.values[k] = NAN;
    const flg_status status = subsystem->ops->advance(subsystem->self, 0, H, 0, 2, &error);
    assert_int_equal(status, FLG_ERR_DIVERGED);
    subsystem->ops->refresh(subsystem->self, 0);
    restore(subsystem, here);
    advance(subsystem, H, 3, 3);
    assert_state(subsystem, there);
    flg_simulation_release(simulation);
  }
}

/* rods on ball joints, and every other one held up by an implicit spring */
static parts *chain(int count) {
  parts *p = parts_new(count + 1);
  for (int k = 0; k < count; k++) {
    const flg_vec3 from = vec(k, 0, 0), end = vec(k + 1, 0.1 * (k % 3), 0);
    const int rod = add_rod(p, 1, from, end);
    add_joint(p, FLG_CONSTRAINT_SPHERICAL, k == 0 ? FLG_WORLD : rod - 1, rod, from, vec(0, 0, 1));
    if (k % 2 == 0) continue;
    add_strut(p, FLG_WORLD, vec(k, 3, 0), rod, from, 500, 1, NAN)->implicit = true;
  }
  return p;
}

static void threads_do_not_change_a_bit_of_a_long_chain(void **unused) {
  (void)unused;
  static const flg_scheme schemes[] = {FLG_SCHEME_RATTLE, FLG_SCHEME_SEMI_IMPLICIT};
  static double alone[4000];
  for (int i = 0; i < 2; i++) {
    for (int count = 0; count <= 8; count++) {
      flg_simulation *simulation = simulate(chain(200), options_of(schemes[i]));
      flg_subsystem *subsystem = &simulation->subsystems[0];
      flg_threads *threads = NULL;
      if (count > 0) assert_int_equal(flg_threads_build(&threads, count, NULL), FLG_OK);
      subsystem->ops->share(subsystem->self, threads);
      advance(subsystem, H, 0, 10);
      const flg_subsystem_state state = state_of(subsystem);
      const size_t bytes = (size_t)state.count * sizeof(double);
      assert_true(bytes <= sizeof alone);
      if (count == 0) memcpy(alone, state.values, bytes);
      assert_memory_equal(alone, state.values, bytes);
      flg_simulation_release(simulation);
      flg_threads_release(threads);
    }
  }
}

/* ---- robots as parts ---- */

static int add_link(parts *p, flg_vec3 from, flg_vec3 end) {
  const flg_vec3 x = flg_vec3_subtract(end, from); /* 1 m long */
  const flg_sym3 inertia =
      flg_sym3_add_scaled(flg_sym3_diagonal(0.1), 0.01 - 0.1, flg_sym3_outer(x));
  const flg_vec3 middle = flg_vec3_scale(flg_vec3_add(from, end), 0.5);
  return add_body(p, 1, inertia, middle, flg_quat_identity());
}

/* the arm of the five bars, from bodies */
static parts *five_bodies(void) {
  static const flg_vec3 z = {0, 0, 1};
  parts *p = five_bar();
  flg_component *c = &p->component;
  c->robot_count = 0, c->frame_count = 0;
  const int upper = add_link(p, vec(0.3, 0, 0), vec(0.3, 1, 0));
  const int lower = add_link(p, vec(0.3, 1, 0), vec(1.3, 1, 0));
  const int shoulder = add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, upper, vec(0.3, 0, 0), z);
  const int elbow = add_joint(p, FLG_CONSTRAINT_REVOLUTE, upper, lower, vec(0.3, 1, 0), z);
  const flg_pose grip = frame_along(vec(1.3, 1, 0), z);
  c->joints[0].end[0] = anchor_at(p, lower, &grip);
  c->coordinates[c->joints[0].coordinate[0]].end[0] = c->joints[0].end[0];
  add_spring(p, c->joints[shoulder].coordinate[0], 0, 0.05, 0);
  add_spring(p, c->joints[elbow].coordinate[0], 0, 0.05, 0);
  return p;
}

static void an_arm_in_a_loop_moves_as_its_bodies_would(void **unused) {
  (void)unused;
  static const struct {
    flg_scheme scheme;
    double tolerance;
  } cases[] = {{FLG_SCHEME_RK4, 1e-9}, {FLG_SCHEME_RATTLE, 2e-6}, {FLG_SCHEME_SEMI_IMPLICIT, 2e-3}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    flg_simulation *with = simulate(five_bar(), options_of(cases[i].scheme));
    flg_simulation *without = simulate(five_bodies(), options_of(cases[i].scheme));
    flg_subsystem *one = &with->subsystems[0], *two = &without->subsystems[0];
    act(one, FLG_ACTION_DISABLE, "arm/pd", 0, 0);
    advance(one, 1e-3, 0, 300), advance(two, 1e-3, 0, 300);
    one->ops->refresh(one->self, 0.3), two->ops->refresh(two->self, 0.3);
    static const char *const bodies[] = {"near", "far"};
    for (int k = 0; k < 2; k++) {
      const flg_vec3 a = read_vector(one, bodies[k], "position");
      const flg_vec3 b = read_vector(two, bodies[k], "position");
      print_message("%g\n", flg_vec3_norm(flg_vec3_subtract(a, b)));
      assert_vector(a, b, cases[i].tolerance);
    }
    flg_simulation_release(with), flg_simulation_release(without);
  }
}

static void a_robot_on_its_own_runs_as_if_it_were_no_part(void **unused) {
  (void)unused;
  static const struct {
    flg_scheme scheme;
    flg_integrator_kind kind;
  } cases[] = {{FLG_SCHEME_RK4, FLG_INTEGRATOR_RK4},
               {FLG_SCHEME_SEMI_IMPLICIT, FLG_INTEGRATOR_SEMI_IMPLICIT}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    parts *p = five_bar();
    p->component.joint_count = p->component.coordinate_count = 0;
    p->component.robots[0].pose = flg_pose_identity();
    flg_simulation *simulation = simulate(p, options_of(cases[i].scheme));
    flg_subsystem *part = &simulation->subsystems[0];
    flg_robot_subsystem alone;
    equip_arm(&alone, options_of(cases[i].scheme).gravity, cases[i].kind);
    advance(part, H, 0, 100);
    assert_int_equal(flg_robot_subsystem_advance(&alone, 0, H, 0, 100, NULL), FLG_OK);
    part->ops->refresh(part->self, 0.4);
    assert_near(read_one(part, "arm/shoulder", "position"), alone.q[0], 1e-11);
    assert_near(read_one(part, "arm/elbow", "position"), alone.q[1], 2e-13);
    assert_near(read_one(part, "arm/elbow", "velocity"), alone.v[1], 6e-13);
    flg_robot_subsystem_release(&alone);
    flg_simulation_release(simulation);
  }
}

/* implicit damping stands in the robot's mass, also where joints push */
static void a_joint_with_much_damping_is_as_good_as_locked(void **unused) {
  (void)unused;
  flg_simulation *stiff = simulate(five_bar(), options_of(FLG_SCHEME_SEMI_IMPLICIT));
  flg_simulation *locked = simulate(five_bar(), options_of(FLG_SCHEME_SEMI_IMPLICIT));
  flg_subsystem *one = &stiff->subsystems[0], *two = &locked->subsystems[0];
  act(one, FLG_ACTION_SET_VELOCITY, "arm/elbow", 1, 0);
  double here[MOST];
  save(one, here);
  restore(two, here);
  act(two, FLG_ACTION_LOCK, "arm/elbow", 0, 0);
  flg_subsystem_robot(flg_assembly_guest(assembly_of(stiff), 0))->robot.links[1].damping = 1e9;
  advance(one, H, 0, 50), advance(two, H, 0, 50);
  one->ops->refresh(one->self, 0.2), two->ops->refresh(two->self, 0.2);
  assert_vector(read_vector(one, "far", "position"), read_vector(two, "far", "position"), 1e-7);
  assert_vector(read_vector(one, "near", "velocity"), read_vector(two, "near", "velocity"), 1e-6);
  flg_simulation_release(stiff), flg_simulation_release(locked);
}

/* ---- what is recorded ---- */

static void frames_of_robots_stand_where_the_component_has_them(void **unused) {
  (void)unused;
  flg_simulation *simulation = simulate(five_bar(), options_of(FLG_SCHEME_RATTLE));
  flg_subsystem *subsystem = &simulation->subsystems[0];
  subsystem->ops->refresh(subsystem->self, 0);
  assert_vector(read_vector(subsystem, "arm/upper", "position"), vec(0.3, 0, 0), 1e-12);
  assert_vector(read_vector(subsystem, "arm/lower", "position"), vec(0.3, 1, 0), 1e-12);
  assert_vector(read_vector(subsystem, "arm/tool", "position"), vec(1.3, 1, 0), 1e-12);
  assert_vector(read_vector(subsystem, "arm/lower/tool", "position"), vec(1.3, 1, 0), 1e-12);
  assert_vector(read_vector(subsystem, "tip", "position"), vec(2, 1.2, 0), 1e-12);
  assert_vector(read_vector(subsystem, "far/tip", "position"), vec(2, 1.2, 0), 1e-12);
  advance(subsystem, H, 0, 40);
  subsystem->ops->refresh(subsystem->self, 0.16);
  /* the tip is where the knee is, seen from the other rod */
  const flg_assembly *assembly = assembly_of(simulation);
  const flg_component *component = flg_assembly_component(assembly);
  const flg_pose near_end = flg_assembly_pose(assembly, &component->joints[1].end[0]);
  assert_vector(read_vector(subsystem, "tip", "position"), near_end.position, 1e-11);
  assert_vector(read_vector(subsystem, "far/tip", "velocity"),
                flg_assembly_velocity(assembly, &component->joints[1].end[0]).linear, 1e-10);
  flg_simulation_release(simulation);
}

static void coordinates_are_recorded_by_the_names_of_joints(void **unused) {
  (void)unused;
  flg_simulation *simulation = simulate(four_bar(), options_of(FLG_SCHEME_RK4));
  flg_subsystem *subsystem = &simulation->subsystems[0];
  advance(subsystem, H, 0, 100);
  subsystem->ops->refresh(subsystem->self, 0.4);
  double turn[4];
  assert_int_equal(read_values(subsystem, "left", "orientation", turn), 4);
  const double angle = read_one(subsystem, "crank", "position");
  assert_near(angle, 2 * atan2(turn[3], turn[0]), 1e-12);
  const flg_vec3 spin = read_vector(subsystem, "left", "angular_velocity");
  assert_near(read_one(subsystem, "crank", "velocity"), spin.z, 1e-12);
  const flg_vec3 centre = read_vector(subsystem, "left", "position");
  assert_vector(centre, vec(-0.5 * sin(angle), 0.5 * cos(angle), 0), 1e-12);
  /* the coupler stays level: what the knee turns, the crank turns back */
  assert_near(read_one(subsystem, "knee", "position"), -angle, 3e-14);
  flg_simulation_release(simulation);
}

static void springs_sensors_and_screws_have_their_numbers(void **unused) {
  (void)unused;
  flg_simulation *simulation = simulate(gearbox(), options_of(FLG_SCHEME_RATTLE));
  flg_subsystem *subsystem = &simulation->subsystems[0];
  advance(subsystem, H, 0, 50);
  subsystem->ops->refresh(subsystem->self, 0.2);
  double screw[2], rate[2];
  assert_int_equal(read_values(subsystem, "screw", "position", screw), 2);
  assert_int_equal(read_values(subsystem, "screw", "velocity", rate), 2);
  assert_true(fabs(screw[1]) > 0.01);
  assert_near(screw[0], 0.1 * screw[1], 1e-14);
  assert_near(rate[0], 0.1 * rate[1], 1e-11);
  const double first = read_one(subsystem, "first", "position");
  const double second = read_one(subsystem, "second", "position");
  assert_near(first, -2 * second, 1e-14);
  assert_near(read_one(subsystem, "coil", "position"), second, 0);
  assert_near(read_one(subsystem, "coil", "effort"),
              0.3 - 3 * (second - 0.2) - 0.1 * read_one(subsystem, "coil", "velocity"), 1e-14);
  const flg_vec3 ring = read_vector(subsystem, "ring", "position");
  assert_near(read_one(subsystem, "gauge", "position"), flg_vec3_norm(ring), 1e-12);
  flg_simulation_release(simulation);
}

/* ---- events ---- */

/* kinetic energy of velocities that are put in place of those of the state */
static double energy_with(const flg_subsystem *subsystem, const double *v, int count) {
  double here[MOST];
  const flg_subsystem_state state = state_of(subsystem);
  save(subsystem, here);
  memcpy(state.values + state.motion - count, v, (size_t)count * sizeof *v);
  subsystem->ops->refresh(subsystem->self, 0);
  const double energy = subsystem->ops->energy(subsystem->self);
  restore(subsystem, here);
  return energy;
}

/* the nearest velocity in the mass norm: what is taken away is perpendicular to what is left */
static void a_lock_stops_all_that_hangs_on_the_joint(void **unused) {
  (void)unused;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    flg_assembly_options options = options_of((flg_scheme)scheme);
    options.gravity = vec(0, 0, 0);
    flg_simulation *simulation = simulate(five_bar(), options);
    flg_subsystem *subsystem = &simulation->subsystems[0];
    enum { V = 14 };
    double before[V], after[V], taken[V];
    advance(subsystem, H, 0, 30);
    const flg_subsystem_state state = state_of(subsystem);
    memcpy(before, state.values + state.motion - V, sizeof before);
    act(subsystem, FLG_ACTION_LOCK, "arm/elbow", 0, 0);
    memcpy(after, state.values + state.motion - V, sizeof after);
    for (int k = 0; k < V; k++) taken[k] = before[k] - after[k];
    const double whole = energy_with(subsystem, before, V), left = energy_with(subsystem, after, V);
    assert_true(left > 1e-4 && left < whole - 1e-4);
    assert_near(energy_with(subsystem, taken, V) + left, whole, 3e-14 * whole);
    subsystem->ops->refresh(subsystem->self, 30 * H);
    assert_true(subsystem->ops->constraints(subsystem->self).velocity < 1e-12);
    const double elbow = read_one(subsystem, "arm/elbow", "position");
    assert_true(read_one(subsystem, "arm/elbow", "velocity") == 0);
    advance(subsystem, H, 30, 50);
    subsystem->ops->refresh(subsystem->self, 80 * H);
    assert_true(read_one(subsystem, "arm/elbow", "position") == elbow);
    assert_true(subsystem->ops->constraints(subsystem->self).position < 1e-11);
    flg_simulation_release(simulation);
  }
}

static void what_is_set_stays_and_all_else_follows(void **unused) {
  (void)unused;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    flg_simulation *simulation = simulate(five_bar(), options_of((flg_scheme)scheme));
    flg_subsystem *subsystem = &simulation->subsystems[0];
    act(subsystem, FLG_ACTION_SET, "arm/shoulder", 1, 0.2);
    act(subsystem, FLG_ACTION_SET_VELOCITY, "arm/shoulder", 1, -0.7);
    subsystem->ops->refresh(subsystem->self, 0);
    const flg_constraint_errors errors = subsystem->ops->constraints(subsystem->self);
    assert_true(errors.position < 1e-11 && errors.velocity < 1e-11);
    assert_true(read_one(subsystem, "arm/shoulder", "position") == 0.2);
    assert_true(read_one(subsystem, "arm/shoulder", "velocity") == -0.7);
    flg_simulation_release(simulation);
  }
}

/* the rods are too short for it: the joint gives way, and everything stays closed */
static void what_cannot_be_set_comes_as_near_as_it_can(void **unused) {
  (void)unused;
  flg_simulation *simulation = simulate(five_bar(), options_of(FLG_SCHEME_RATTLE));
  flg_subsystem *subsystem = &simulation->subsystems[0];
  act(subsystem, FLG_ACTION_LOCK, "arm/elbow", 0, 0);
  act(subsystem, FLG_ACTION_SET, "arm/shoulder", 1, 2.0);
  subsystem->ops->refresh(subsystem->self, 0);
  assert_true(subsystem->ops->constraints(subsystem->self).position < 1e-9);
  assert_true(read_one(subsystem, "arm/shoulder", "position") < 1.9);
  advance(subsystem, H, 0, 10);
  flg_simulation_release(simulation);
}

/* ---- words ---- */

static void assert_says(const flg_error *error, const char *first, const char *second) {
  print_message("%s\n", error->message);
  assert_non_null(strstr(error->message, first));
  assert_non_null(strstr(error->message, second));
}

static void joints_between_bodies_are_told_from_those_of_robots(void **unused) {
  (void)unused;
  flg_simulation *simulation = simulate(five_bar(), options_of(FLG_SCHEME_RATTLE));
  flg_subsystem *subsystem = &simulation->subsystems[0];
  int target;
  flg_error error;
  assert_int_equal(flg_subsystem_aim(subsystem, FLG_ACTION_LOCK, "knee", 0, &target, &error),
                   FLG_ERR_INPUT);
  assert_says(&error, "knee", "between bodies");
  assert_int_equal(flg_subsystem_aim(subsystem, FLG_ACTION_LOCK, "arm/elbo", 0, &target, &error),
                   FLG_ERR_INPUT);
  assert_says(&error, "elbo", "did you mean 'elbow'");
  assert_int_equal(flg_subsystem_aim(subsystem, FLG_ACTION_ENABLE, "gusto", 0, &target, &error),
                   FLG_ERR_INPUT);
  assert_says(&error, "gusto", "did you mean 'gust'");
  assert_int_equal(flg_subsystem_aim(subsystem, FLG_ACTION_SET, "arm/elbow", 2, &target, &error),
                   FLG_ERR_INPUT);
  assert_says(&error, "elbow", "1 positions, found 2");
  flg_simulation_release(simulation);
}

static void too_fast_a_spin_is_told(void **unused) {
  (void)unused;
  parts *p = four_bar();
  const int top = add_body(p, 1, (flg_sym3){1, 2, 2.5, 0, 0, 0}, vec(0, 0, 0), flg_quat_identity());
  name_body(p, top, "spinner");
  p->component.bodies[top].velocity.angular = vec(0, 0, 900);
  flg_simulation *simulation = simulate(p, options_of(FLG_SCHEME_RATTLE));
  flg_subsystem *subsystem = &simulation->subsystems[0];
  flg_error error;
  assert_int_equal(subsystem->ops->advance(subsystem->self, 2, H, 0, 1, &error), FLG_ERR_DIVERGED);
  assert_says(&error, "body 'spinner' turns", "shorter step");
  advance(subsystem, H / 4, 0, 1);
  flg_simulation_release(simulation);
}

static void what_is_not_finite_is_blamed(void **unused) {
  (void)unused;
  flg_simulation *simulation = simulate(five_bar(), options_of(FLG_SCHEME_RATTLE));
  flg_subsystem *subsystem = &simulation->subsystems[0];
  double here[MOST];
  char text[FLG_BLAME_TEXT];
  flg_error error;
  const flg_subsystem_state state = state_of(subsystem);
  save(subsystem, here);
  state.values[8] = NAN; /* of the second body */
  subsystem->ops->blame(subsystem->self, text);
  assert_string_equal(text, "body 'far'");
  assert_int_equal(subsystem->ops->advance(subsystem->self, 0, H, 0, 1, &error), FLG_ERR_DIVERGED);
  assert_says(&error, "body ", "no longer");
  restore(subsystem, here);
  state.values[15] = INFINITY; /* of the arm */
  subsystem->ops->blame(subsystem->self, text);
  assert_string_equal(text, "robot 'arm'");
  restore(subsystem, here);
  flg_simulation_release(simulation);
}

/* a ball on two rods of 1 m, whose other ends are 10 m apart */
static void joints_out_of_reach_are_told(void **unused) {
  (void)unused;
  for (int scheme = 0; scheme < FLG_SCHEME_COUNT; scheme++) {
    parts *p = parts_new(4);
    const int ball =
        add_body(p, 1, (flg_sym3){1, 1, 1, 0, 0, 0}, vec(0.5, 1, 0), flg_quat_identity());
    for (int k = 0; k < 2; k++) {
      const int rod =
          add_joint(p, FLG_CONSTRAINT_DISTANCE, FLG_WORLD, ball, vec(0.5, 1, 0), vec(0, 0, 1));
      flg_component_joint *joint = &p->component.joints[rod];
      joint->constant = 1, joint->end[0].pose.position = vec(10 * k, 0, 0);
      p->component.coordinates[joint->coordinate[0]].end[0] = joint->end[0];
      name_joint(p, rod, k == 0 ? "rod" : "other");
    }
    const flg_assembly_options options = options_of((flg_scheme)scheme);
    flg_assembly *assembly = assemble(p, &options);
    flg_subsystem subsystem = {0};
    flg_error error;
    assert_int_equal(flg_assembly_register(assembly, "a", &subsystem, &error), FLG_OK);
    double here[MOST];
    save(&subsystem, here);
    assert_int_equal(flg_assembly_close(assembly, &error), FLG_ERR_INPUT);
    assert_says(&error, "joint 'other' is open widest, by 8.55", "cannot be closed");
    assert_state(&subsystem, here);
    const flg_status status = subsystem.ops->advance(subsystem.self, 0, H, 0, 5, &error);
    assert_int_equal(status, FLG_ERR_DIVERGED);
    assert_says(&error, "cannot be closed", "m or rad");
    flg_subsystem_release(&subsystem);
    parts_drop(p);
  }
}

/* ---- identity ---- */

static uint64_t identity_of(parts *p, flg_assembly_options options) {
  flg_simulation *simulation = simulate(p, options);
  const flg_subsystem *subsystem = &simulation->subsystems[0];
  const uint64_t identity = subsystem->ops->identity(subsystem->self, 1);
  flg_simulation_release(simulation);
  return identity;
}

static void every_number_counts_for_the_identity(void **unused) {
  (void)unused;
  const flg_assembly_options options = options_of(FLG_SCHEME_RATTLE);
  uint64_t seen[8];
  int count = 0;
  seen[count++] = identity_of(gearbox(), options);
  parts *p = gearbox();
  p->component.springs[1].stiffness = 3.5;
  seen[count++] = identity_of(p, options);
  p = gearbox();
  p->component.joints[2].constant = 0.11;
  seen[count++] = identity_of(p, options);
  p = gearbox();
  p->component.loads[0].force.linear.z = 6;
  seen[count++] = identity_of(p, options);
  p = gearbox();
  p->component.bodies[3].mass = 0.6;
  seen[count++] = identity_of(p, options);
  seen[count++] = identity_of(gearbox(), options_of(FLG_SCHEME_SEMI_IMPLICIT));
  seen[count++] = identity_of(five_bar(), options);
  p = five_bar();
  p->component.robots[0].pose.position.x += 1e-12;
  seen[count++] = identity_of(p, options);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < i; k++) assert_true(seen[i] != seen[k]);
  }
  p = gearbox();
  p->component.bodies[0].velocity.angular.z = 4; /* only the state */
  assert_true(identity_of(p, options) == seen[0]);
}

/* a gearbox whose first coordinate rubs and stops */
static uint64_t identity_with_limits(double coulomb, double upper) {
  static flg_component_friction friction;
  static flg_component_stop stop;
  friction = (flg_component_friction){
      .name = "rub", .group = FLG_TOP, .coulomb = coulomb, .stiction = 3, .efficiency = 1};
  stop = (flg_component_stop){.name = "stop", .group = FLG_TOP, .lower = -9, .upper = upper};
  parts *p = gearbox();
  p->component.frictions = &friction, p->component.friction_count = 1;
  p->component.stops = &stop, p->component.stop_count = 1;
  return identity_of(p, options_of(FLG_SCHEME_RATTLE));
}

static void friction_and_stops_count_for_the_identity(void **unused) {
  (void)unused;
  const uint64_t identity = identity_with_limits(1, 9);
  assert_true(identity == identity_with_limits(1, 9));
  assert_true(identity != identity_with_limits(2, 9));
  assert_true(identity != identity_with_limits(1, 8));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_way_aside_and_back_does_not_change_a_bit),
      cmocka_unit_test(a_snapshot_may_bring_a_lock_along),
      cmocka_unit_test(steps_may_change_from_one_to_the_next),
      cmocka_unit_test(a_run_that_diverged_can_be_taken_back),
      cmocka_unit_test(threads_do_not_change_a_bit_of_a_long_chain),
      cmocka_unit_test(an_arm_in_a_loop_moves_as_its_bodies_would),
      cmocka_unit_test(a_robot_on_its_own_runs_as_if_it_were_no_part),
      cmocka_unit_test(a_joint_with_much_damping_is_as_good_as_locked),
      cmocka_unit_test(frames_of_robots_stand_where_the_component_has_them),
      cmocka_unit_test(coordinates_are_recorded_by_the_names_of_joints),
      cmocka_unit_test(springs_sensors_and_screws_have_their_numbers),
      cmocka_unit_test(a_lock_stops_all_that_hangs_on_the_joint),
      cmocka_unit_test(what_is_set_stays_and_all_else_follows),
      cmocka_unit_test(what_cannot_be_set_comes_as_near_as_it_can),
      cmocka_unit_test(joints_between_bodies_are_told_from_those_of_robots),
      cmocka_unit_test(too_fast_a_spin_is_told),
      cmocka_unit_test(what_is_not_finite_is_blamed),
      cmocka_unit_test(joints_out_of_reach_are_told),
      cmocka_unit_test(every_number_counts_for_the_identity),
      cmocka_unit_test(friction_and_stops_count_for_the_identity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
