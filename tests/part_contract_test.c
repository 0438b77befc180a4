/* What every kind of part keeps (parts/part.h). Add yours to SUBJECTS. */
#include "assembly/assembly_inner.h"
#include "component/assembly_contract.h"
#include "contract/coupled_part.h"
#include "cosim/simulation.h"
#include "leaves.h"
#include "parts/kinds.h"
#include "parts/trees.h"
#include "plugin/plugin_subsystem.h"
#include "plugins.h"
#include "scenarios.h"

enum { NUMBERS_MAX = 200, ROWS_MAX = 24, PARTS_MAX = 4 };
static const double EPSILON = 1e-6; /* of derivatives, which are then good to its square */
static const double DERIVED = 1e-7, ROUNDING = 1e-11;

typedef struct subject {
  leaves *from;
  flg_simulation *simulation; /* in place of leaves, or NULL */
  flg_assembly *assembly;
  flg_parts *parts;
  double q[NUMBERS_MAX], v[NUMBERS_MAX];
  flg_plan_part views[PARTS_MAX];
  double matrix[PARTS_MAX][ROWS_MAX * ROWS_MAX];
  double bias[PARTS_MAX][ROWS_MAX], force[PARTS_MAX][ROWS_MAX], motion[PARTS_MAX][ROWS_MAX];
  flg_part_anchor anchor; /* a frame away from a port of the first part */
} subject;

/* --- subjects -----------------------------------------------------------------------------------
 */

/* matrices of its own, in place of the plan's */
static void give_views(subject *of) {
  for (int k = 0; k < of->parts->count; k++) {
    const int ports = of->parts->ops->ports == NULL ? 1 : of->parts->ops->ports(of->parts, k);
    of->views[k] = (flg_plan_part){.rows = 6 * ports,
                                   .matrix = of->matrix[k],
                                   .bias = of->bias[k],
                                   .force = of->force[k],
                                   .motion = of->motion[k]};
    assert_true(of->views[k].rows <= ROWS_MAX);
  }
  of->parts->views = of->views;
}

static void place(subject *of, const double *q, const double *v) {
  of->parts->ops->place(of->parts, q, v, (flg_part_placing){.weighs = true});
}

static subject *take_set(subject *of, int set, flg_anchor at) {
  of->parts = of->assembly->model.sets[set];
  of->anchor = flg_assembly_anchor(of->assembly, &at);
  if (of->parts->ops->open != NULL) {
    of->anchor.port = of->parts->ops->open(of->parts, of->anchor.part, of->anchor.link);
  }
  memcpy(of->q, of->assembly->state.q + of->parts->position,
         (size_t)of->parts->position_count * sizeof(double));
  memcpy(of->v, of->assembly->state.v + of->parts->velocity,
         (size_t)of->parts->velocity_count * sizeof(double));
  give_views(of);
  place(of, of->q, of->v);
  return of;
}

/* points, bodies and a robot with some ports: the set of one of them */
static subject *subject_of(int set, flg_anchor at) {
  subject *of = calloc(1, sizeof *of);
  random_source source = {7};
  of->from = leaves_new();
  for (int k = 0; k < 4; k++) add_free(&source, of->from);
  for (int k = 2; k < 4; k++) of->from->joined->component.bodies[k].is_point = true;
  add_leaf(&source, of->from, FLG_JOINT_FLOATING, FLG_JOINT_REVOLUTE, 3, -1);
  flg_assembly_options options = flg_assembly_default();
  const flg_anchor outer_ports[2] = {{.robot = 0, .body = 0, .pose = flg_pose_identity()},
                                     {.robot = 0, .body = 2, .pose = flg_pose_identity()}};
  options.outer_ports = outer_ports, options.outer_port_count = 2;
  options.gravity = vec(0.3, -2, 9);
  flg_mistakes mistakes = {0};
  const flg_part_guests guests = flg_robot_guests(of->from->robots);
  if (flg_assembly_build(&of->assembly, &of->from->joined->component, &guests, &options,
                         &mistakes) != FLG_OK) {
    fail_msg("%s", mistakes.list[0].message);
  }
  of->from->count = 0; /* the assembly releases the robot */
  return take_set(of, set, at);
}

static flg_pose away(void) {
  return (flg_pose){flg_quat_to_matrix(flg_quat_exp(vec(0.4, -0.3, 0.2))), vec(0.3, -0.5, 0.2)};
}

static subject *points(void) {
  return subject_of(0, (flg_anchor){.robot = -1, .body = 3, .pose = away()});
}

static subject *bodies(void) {
  return subject_of(1, (flg_anchor){.robot = -1, .body = 0, .pose = away()});
}

static subject *robot(void) {
  return subject_of(2, (flg_anchor){.robot = 0, .body = 2, .pose = away()});
}

/* joined at its middle and at its end, and the anchor is at the end */
static subject *flexible(void) {
  static const char scenario[] =
      "flange: 1\ngravity: [0.3, -2, 9]\ntime: {end: 1, macro: 1}\n"
      "subsystems: {s: {model: model.yaml}}\n";
  static const char component[] =
      "flange-component: 1\n"
      "bodies:\n"
      "  beam:\n"
      "    at: [0.3, 0.1, -0.2]\n"
      "    turn: [0.2, -0.3, 0.5]\n"
      "    velocity: [0.3, 0.1, 0.4]\n"
      "    angular_velocity: [0.5, -0.7, 0.3]\n"
      "    elastic: [0.03, -0.02, 0.01, 0.02, 0.05, 0.01]\n"
      "    elastic_velocity: [0.3, 0.1, -0.2, 0.4, -0.3, 0.1]\n"
      "    flexible: {start: [-0.5, 0, 0], end: [1.5, 0.2, 0.1], young: 100, density: 1, bending: "
      "2,\n"
      "               twist: 1, axial: 1, ends: free-free, section: {kind: rectangle, size: [1, "
      "0.9]}}\n"
      "  rider: {mass: 1, inertia: [1, 1, 1]}\n"
      "  weight: {mass: 1, inertia: [1, 1, 1]}\n"
      "joints:\n"
      "  middle: {kind: spherical, between: [beam, rider], at: [0.7, 0.2, 0]}\n"
      "  end: {kind: spherical, between: [tip, weight]}\n"
      "ports: {tip: {body: beam, at: [1.5, 0.2, 0.1]}}\n";
  subject *of = calloc(1, sizeof *of);
  of->simulation = load_texts(scenario, component);
  of->assembly = flg_subsystem_assembly(&of->simulation->subsystems[0]);
  assert_non_null(of->assembly);
  flg_pose at = away();
  at.position = flg_vec3_add(at.position, vec(1.5, 0.2, 0.1));
  return take_set(of, 1, (flg_anchor){.robot = 0, .body = 0, .pose = at});
}

/* a floating one that branches, and one on the ground, of several kinds of joints; between them a
 * joint that closes a loop of rows */
static subject *trees(void) {
  static const char scenario[] =
      "flange: 1\ngravity: [0.3, -2, 9]\ntime: {end: 1, macro: 1}\n"
      "subsystems: {s: {model: model.yaml, coordinates: joint}}\n";
  static const char component[] =
      "flange-component: 1\n"
      "bodies:\n"
      "  a: {mass: 2, inertia: [1, 0.8, 0.6], at: [0.3, 0.1, -0.2], turn: [0.2, -0.3, 0.5],\n"
      "      velocity: [0.3, 0.1, 0.4], angular_velocity: [0.5, -0.7, 0.3]}\n"
      "  b: {mass: 1, inertia: [0.3, 0.4, 0.6], at: [1, 0, 0], centre: [0.1, 0.2, 0.3]}\n"
      "  c: {mass: 1, inertia: [0.3, 0.4, 0.6], at: [1, 1, 0], velocity: [0.2, 0.3, 0.1]}\n"
      "  d: {mass: 1, inertia: [0.3, 0.4, 0.6], at: [2, 1, 0], angular_velocity: [0.4, 0.3, 1]}\n"
      "  e: {mass: 1, inertia: [0.3, 0.4, 0.6], at: [3, 1, 0], angular_velocity: [0.4, 0.3, 1]}\n"
      "joints:\n"
      "  ab: {kind: universal, between: [a, b], at: [0.6, 0, 0], axis: [1, 0, 0], axis2: [0, 1, "
      "0]}\n"
      "  ac: {kind: cylindrical, between: [c, a], at: [0.6, 0.5, 0], axis: [0.6, 0, 0.8]}\n"
      "  d: {kind: planar, between: [world, d], axis: [0.1, 0.2, 1]}\n"
      "  de: {kind: screw, between: [d, e], at: [2.5, 1, 0], axis: [1, 0, 0], pitch: 0.1}\n"
      "  cd: {kind: distance, between: [c, d]}\n";
  subject *of = calloc(1, sizeof *of);
  of->simulation = load_texts(scenario, component);
  of->assembly = flg_subsystem_assembly(&of->simulation->subsystems[0]);
  assert_non_null(of->assembly);
  assert_int_equal(of->assembly->model.set_count, 1);
  return take_set(of, 0, (flg_anchor){.robot = -1, .body = 2, .pose = away()});
}

typedef subject *subject_maker(void);
static subject_maker *const SUBJECTS[] = {points, bodies, robot, flexible, trees};
enum { SUBJECT_COUNT = sizeof SUBJECTS / sizeof SUBJECTS[0] };

static void drop(subject *of) {
  if (of->simulation != NULL) {
    flg_simulation_release(of->simulation);
    free(of);
    return;
  }
  sample *model = of->from->models[0];
  flg_assembly_release(of->assembly);
  leaves_drop(of->from);
  sample_release(model);
  free(of);
}

/* --- at work ------------------------------------------------------------------------------------
 */

static double dot(const double *a, const double *b, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += a[k] * b[k];
  return sum;
}

static double most_between(const double *a, const double *b, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) most = flg_larger(most, fabs(a[k] - b[k]));
  return most;
}

static void assert_vector(flg_vec3 a, flg_vec3 b, double tolerance) {
  assert_true(flg_vec3_norm(flg_vec3_subtract(a, b)) <= tolerance);
}

static void fill(subject *of) {
  assert_int_equal(of->parts->ops->fill(of->parts), FLG_OK);
}

/* W J^T x of the first part, as the plan would have it solved */
static void answer(subject *of, const double *x, double *y) {
  const flg_part_ops *ops = of->parts->ops;
  for (int k = 0; k < of->parts->count; k++) {
    const int n = of->views[k].rows;
    for (int i = 0; i < n; i++) of->force[k][i] = k == of->anchor.part ? x[i] : 0;
    for (int i = 0; i < n; i++) {
      of->motion[k][i] = 0;
      for (int j = 0; j < n; j++) of->motion[k][i] += of->matrix[k][i + n * j] * of->force[k][j];
    }
  }
  ops->collect(of->parts, NULL, y);
}

/* the force on the anchor as its port has it */
static void at_port(const subject *of, flg_spatial force, double *x) {
  const flg_vec3 arm = flg_mat3_apply(&of->anchor.on->pose.rotation, of->anchor.pose.position);
  memset(x, 0, ROWS_MAX * sizeof *x);
  flg_spatial_store(flg_spatial_shift_force(force, flg_vec3_negate(arm)), x + 6 * of->anchor.port);
}

static const flg_spatial FORCE = {{0.7, -1.1, 0.4}, {0.2, 0.5, -0.6}};

/* accelerations under a force on the anchor */
static void accelerate(subject *of, flg_spatial force, double *a) {
  const flg_part_ops *ops = of->parts->ops;
  ops->load(of->parts);
  ops->push(of->parts, &of->anchor, force);
  if (ops->gather != NULL) {
    assert_int_equal(ops->gather(of->parts, 0, of->q, of->v), FLG_OK);
  }
  ops->accelerate(of->parts, false, a);
}

/* at q moved along v for a time, with v + time a */
static void place_after(subject *of, double time, const double *a) {
  double q[NUMBERS_MAX], v[NUMBERS_MAX];
  of->parts->ops->displace(of->parts, of->q, of->v, time, q);
  for (int k = 0; k < of->parts->velocity_count; k++) v[k] = of->v[k] + time * a[k];
  place(of, q, v);
}

#define FOR_EACH_SUBJECT(of)                                \
  for (int number_ = 0; number_ < SUBJECT_COUNT; number_++) \
    for (subject *of = SUBJECTS[number_](); of != NULL; drop(of), of = NULL)

/* --- the contract -------------------------------------------------------------------------------
 */

static void admittances_are_symmetric_and_take_no_energy(void **state) {
  (void)state;
  FOR_EACH_SUBJECT(of) {
    random_source source = {3};
    fill(of);
    const int n = of->views[of->anchor.part].rows;
    const double *D = of->matrix[of->anchor.part];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) assert_near(D[i + n * j], D[j + n * i], ROUNDING);
    }
    for (int k = 0; k < 20; k++) {
      double x[ROWS_MAX], own[6], sum = 0;
      for (int i = 0; i < n; i++) x[i] = random_uniform(&source, -1, 1);
      for (int i = 0; i < n; i++) sum += x[i] * dot(D + n * i, x, n);
      assert_true(sum > -ROUNDING);
      const int first = 6 * of->anchor.port;
      memcpy(own, x + first, sizeof own);
      sum = 0;
      for (int i = 0; i < 6; i++) sum += own[i] * dot(D + n * (first + i) + first, own, 6);
      assert_near(of->parts->ops->mobility(of->parts, of->anchor.part, of->anchor.port, own), sum,
                  ROUNDING);
    }
  }
}

/* see has J, pull_back J^T, collect W J^T, fill all three */
static void the_plan_is_told_one_and_the_same_part(void **state) {
  (void)state;
  FOR_EACH_SUBJECT(of) {
    fill(of);
    const int n = of->views[of->anchor.part].rows;
    double w[ROWS_MAX], y[NUMBERS_MAX];
    of->parts->ops->see(of->parts, of->v, 0);
    memcpy(w, of->bias[of->anchor.part], sizeof w);
    for (int i = 0; i < n; i++) {
      double x[ROWS_MAX] = {0}, pulled[NUMBERS_MAX] = {0};
      x[i] = 1;
      of->parts->ops->pull_back(of->parts, of->anchor.part, i / 6, x + 6 * (i / 6), pulled);
      assert_near(dot(pulled, of->v, of->parts->velocity_count), w[i], ROUNDING);
      answer(of, x, y);
      of->parts->ops->see(of->parts, y, 0);
      assert_true(most_between(of->bias[of->anchor.part], of->matrix[of->anchor.part] + n * i, n) <
                  ROUNDING);
    }
    double port[6];
    flg_spatial_store(of->anchor.on->velocity, port);
    assert_true(most_between(port, w + 6 * of->anchor.port, 6) < ROUNDING);
  }
}

static void pushes_do_what_the_plan_says(void **state) {
  (void)state;
  FOR_EACH_SUBJECT(of) {
    double without[NUMBERS_MAX], with[NUMBERS_MAX], change[NUMBERS_MAX], x[ROWS_MAX];
    accelerate(of, (flg_spatial){{0}, {0}}, without);
    accelerate(of, FORCE, with);
    fill(of);
    at_port(of, FORCE, x);
    answer(of, x, change);
    for (int k = 0; k < of->parts->velocity_count; k++) without[k] += change[k];
    assert_true(most_between(with, without, of->parts->velocity_count) < ROUNDING);
  }
}

static void frames_move_as_their_poses_do(void **state) {
  (void)state;
  FOR_EACH_SUBJECT(of) {
    double zero[NUMBERS_MAX] = {0};
    flg_pose pose[2];
    const flg_spatial velocity = flg_part_anchor_frame(&of->anchor).velocity;
    for (int k = 0; k < 2; k++) {
      place_after(of, k == 0 ? -EPSILON : EPSILON, zero);
      pose[k] = flg_part_anchor_pose(&of->anchor);
    }
    const flg_vec3 way = flg_vec3_subtract(pose[1].position, pose[0].position);
    const flg_mat3 back = flg_mat3_transpose(&pose[0].rotation);
    const flg_mat3 turned = flg_mat3_multiply(&pose[1].rotation, &back);
    const double *m = turned.m;
    const flg_vec3 turn = vec((m[5] - m[7]) / 2, (m[6] - m[2]) / 2, (m[1] - m[3]) / 2);
    assert_vector(flg_vec3_scale(way, 0.5 / EPSILON), velocity.linear, DERIVED);
    assert_vector(flg_vec3_scale(turn, 0.5 / EPSILON), velocity.angular, DERIVED);
  }
}

static void rates_lead_where_displacements_do(void **state) {
  (void)state;
  FOR_EACH_SUBJECT(of) {
    double rate[NUMBERS_MAX], there[NUMBERS_MAX], back[NUMBERS_MAX];
    const int count = of->parts->position_count;
    of->parts->ops->rate(of->parts, of->q, of->v, rate);
    of->parts->ops->displace(of->parts, of->q, of->v, EPSILON, there);
    of->parts->ops->displace(of->parts, of->q, of->v, -EPSILON, back);
    for (int k = 0; k < count; k++) there[k] = (there[k] - back[k]) / (2 * EPSILON);
    assert_true(most_between(there, rate, count) < DERIVED);
    if (of->parts->ops->normalise != NULL) {
      of->parts->ops->normalise(of->parts, of->q); /* as it is */
    }
    place(of, of->q, of->v);
  }
}

/* J a + J' v is how fast velocities of ports change */
static void ports_accelerate_as_their_velocities_change(void **state) {
  (void)state;
  FOR_EACH_SUBJECT(of) {
    const int n = of->views[of->anchor.part].rows;
    double a[NUMBERS_MAX], bias[ROWS_MAX], w[2][ROWS_MAX];
    accelerate(of, FORCE, a);
    fill(of);
    place(of, of->q, of->v);
    of->parts->ops->see(of->parts, a, 1);
    memcpy(bias, of->bias[of->anchor.part], sizeof bias);
    for (int k = 0; k < 2; k++) {
      double v[NUMBERS_MAX];
      const double time = k == 0 ? -EPSILON : EPSILON;
      place_after(of, time, a);
      fill(of);
      for (int i = 0; i < of->parts->velocity_count; i++) v[i] = of->v[i] + time * a[i];
      of->parts->ops->see(of->parts, v, 0);
      memcpy(w[k], of->bias[of->anchor.part], sizeof w[k]);
    }
    for (int i = 0; i < n; i++) assert_near((w[1][i] - w[0][i]) / (2 * EPSILON), bias[i], 2e-9);
  }
}

/* power of the force is what energy grows by; momentum of what floats, too, by forces and gravity
 */
static void energy_grows_by_the_work_of_forces(void **state) {
  (void)state;
  FOR_EACH_SUBJECT(of) {
    double a[NUMBERS_MAX], energy[2] = {0}, kinetic = 0;
    const flg_spatial velocity = flg_part_anchor_frame(&of->anchor).velocity;
    const double power = flg_spatial_dot(velocity, FORCE);
    accelerate(of, FORCE, a);
    for (int k = 0; k < 2; k++) {
      place_after(of, k == 0 ? -EPSILON : EPSILON, a);
      for (int i = 0; i < of->parts->count; i++) {
        energy[k] += of->parts->ops->energy(of->parts, i);
        kinetic += of->parts->ops->kinetic_energy(of->parts, i) / 2;
      }
    }
    assert_near((energy[1] - energy[0]) / (2 * EPSILON), power, 3e-8);
    assert_true(kinetic > 0);
  }
}

static void slices_cover_all_numbers(void **state) {
  (void)state;
  FOR_EACH_SUBJECT(of) {
    int positions = 0, velocities = 0;
    for (int k = 0; k < of->parts->count; k++) {
      const flg_part_slice slice = of->parts->ops->slice(of->parts, k);
      assert_int_equal(slice.position, positions);
      assert_int_equal(slice.velocity, velocities);
      positions += slice.position_count, velocities += slice.velocity_count;
      assert_non_null(of->parts->ops->label(of->parts, k).name);
    }
    assert_int_equal(positions, of->parts->position_count);
    assert_int_equal(velocities, of->parts->velocity_count);
  }
}

/* --- subsystems of other kinds ------------------------------------------------------------------
 */

typedef struct chain {
  flg_simulation *simulation;
  flg_region region;
  flg_subsystem_insert insert;
  flg_part_mode mode;
  subject of;
} chain;

static chain *chain_new(void) {
  chain *made = calloc(1, sizeof *made);
  made->simulation = load_texts(plugin_chain, NULL);
  const flg_plugin_outer_port outer_port = {0, flg_mat3_identity()};
  made->insert.subsystem = &made->simulation->subsystems[0];
  assert_int_equal(flg_plugged_subsystem_join(flg_subsystem_plugin(made->insert.subsystem),
                                              &outer_port, 1, NULL),
                   FLG_OK);
  subject *of = &made->of;
  of->parts = flg_coupled_parts_make(&made->insert, 1, &made->region);
  of->parts->mode = &made->mode;
  give_views(of);
  of->parts->ops->start(of->parts, of->q, of->v, NULL);
  const flg_pose pose = away();
  of->anchor = of->parts->ops->anchor(of->parts, 0, 0, pose);
  place(of, of->q, of->v);
  return made;
}

static void chain_drop(chain *of) {
  flg_region_release(&of->region);
  flg_simulation_release(of->simulation);
  free(of);
}

/* v+ of a step is v + h a + D L, and its state is all that it depends on */
static void steps_of_a_subsystem_do_what_the_plan_says(void **state) {
  (void)state;
  const double h = 0.01;
  chain *made = chain_new();
  subject *of = &made->of;
  const flg_part_ops *ops = of->parts->ops;
  for (int k = 0; k < 5; k++) {
    double a[6], q[NUMBERS_MAX], v[6], again[NUMBERS_MAX];
    made->mode.span = h, made->mode.is_damped = true;
    ops->sample(of->parts, k * h, h);
    accelerate(of, FORCE, a);
    fill(of);
    for (int i = 0; i < 6; i++) of->force[0][i] = 0.1 * i - 0.2 * k;
    memcpy(q, of->q, sizeof q), memcpy(v, of->v, sizeof v);
    for (int i = 0; i < 6; i++) {
      v[i] += h * a[i];
      for (int j = 0; j < 6; j++) v[i] += of->matrix[0][i + 6 * j] * of->force[0][j];
    }
    assert_int_equal(ops->advance(of->parts, h, of->q, of->v), FLG_OK);
    assert_true(most_between(v, of->v, 6) < ROUNDING);
    memcpy(again, q, sizeof again);
    assert_int_equal(ops->advance(of->parts, h, again, v), FLG_OK);
    assert_memory_equal(again, of->q, (size_t)of->parts->position_count * sizeof(double));
    place(of, of->q, of->v);
  }
  chain_drop(made);
}

/* velocities and poses that are changed at once: D x */
static void a_subsystem_is_moved_at_once_as_the_plan_says(void **state) {
  (void)state;
  chain *made = chain_new();
  subject *of = &made->of;
  const flg_part_ops *ops = of->parts->ops;
  double v[6], expected[6];
  made->mode.span = 0;
  fill(of);
  for (int i = 0; i < 6; i++) of->force[0][i] = 0.1 * i - 0.2;
  for (int i = 0; i < 6; i++) {
    expected[i] = of->v[i];
    for (int j = 0; j < 6; j++) expected[i] += of->matrix[0][i + 6 * j] * of->force[0][j];
  }
  assert_int_equal(ops->take_velocities(of->parts, of->q, of->v), FLG_OK);
  assert_true(most_between(expected, of->v, 6) < ROUNDING);
  const flg_vec3 before = of->anchor.on->pose.position;
  memcpy(v, of->v, sizeof v);
  ops->displace(of->parts, of->q, v, 1, of->q);
  ops->carry(of->parts, of->q, v);
  place(of, of->q, v);
  const flg_vec3 moved = flg_vec3_subtract(of->anchor.on->pose.position, before);
  double way[3];
  for (int i = 0; i < 3; i++) way[i] = dot(of->matrix[0] + 6 * i, of->force[0], 6);
  assert_vector(moved, flg_vec3_load(way), ROUNDING);
  assert_true(most_between(v, of->v, 6) < ROUNDING); /* masses on springs: J is constant */
  chain_drop(made);
}

static void tables_with_gaps_are_refused(void **state) {
  (void)state;
#define ENTRY(member) \
  { offsetof(flg_part_ops, member), "'" #member "'" }
  static const struct {
    size_t at;
    const char *word;
  } required[] = {ENTRY(kind), ENTRY(anchor), ENTRY(start), ENTRY(slice), ENTRY(label),
                  ENTRY(extent), ENTRY(place), ENTRY(displace), ENTRY(load), ENTRY(push),
                  ENTRY(accelerate), ENTRY(fill), ENTRY(see), ENTRY(collect), ENTRY(pull_back),
                  ENTRY(mobility), ENTRY(energy), ENTRY(kinetic_energy),
                  /* those that go with others which a robot or a body has */
                  ENTRY(ports), ENTRY(parent), ENTRY(touches_itself), ENTRY(body_name),
                  ENTRY(ends_most), ENTRY(know_frictions), ENTRY(resist), ENTRY(gather),
                  ENTRY(locked), ENTRY(respond), ENTRY(spin_changes), ENTRY(arrive)};
#undef ENTRY
  subject *made[] = {bodies(), robot()};
  flg_error error;
  for (size_t k = 0; k < sizeof required / sizeof required[0]; k++) {
    int refused = 0;
    for (int i = 0; i < 2; i++) {
      flg_part_ops ops = *made[i]->parts->ops;
      assert_int_equal(flg_part_ops_check(&ops, NULL), FLG_OK);
      memset((char *)&ops + required[k].at, 0, sizeof(void *));
      if (flg_part_ops_check(&ops, &error) == FLG_OK) continue;
      refused++;
      assert_non_null(strstr(error.message, required[k].word));
    }
    if (refused == 0) fail_msg("%s is not asked for", required[k].word);
  }
  drop(made[0]), drop(made[1]);
}

static void gaps_in_steps_are_refused(void **state) {
  (void)state;
  subject *of = bodies();
  flg_error error;
  flg_part_ops ops = *of->parts->ops;
  ops.rate = NULL; /* rk4 would call it */
  assert_int_equal(flg_part_ops_check(&ops, &error), FLG_ERR_RANGE);
  assert_non_null(strstr(error.message, "'refused_schemes'"));
  for (size_t k = 0; k < sizeof(flg_part_free_step) / sizeof(void *); k++) {
    flg_part_free_step free_step = *of->parts->ops->free_step;
    memset((char *)&free_step + k * sizeof(void *), 0, sizeof(void *));
    ops = *of->parts->ops;
    ops.free_step = &free_step;
    assert_int_equal(flg_part_ops_check(&ops, &error), FLG_ERR_RANGE);
    assert_non_null(strstr(error.message, "'free_step."));
  }
  drop(of);
}

/* --- trees and their bodies ---------------------------------------------------------------------
 */

enum { ARM_BODIES = 8 };

/* one branch of all kinds of joints, about axes that are not those of the bodies */
static subject *arm_of_all_kinds(void) {
  static const char scenario[] =
      "flange: 1\ntime: {end: 1, macro: 1}\n"
      "subsystems: {s: {model: model.yaml, coordinates: joint}}\n";
  static const char *const joints[ARM_BODIES] = {
      "kind: planar, axis: [0.1, 0.2, 1]",
      "kind: universal, axis: [1, 0.2, 0], axis2: [-0.2, 1, 0.5]",
      "kind: cylindrical, axis: [0.6, 0, 0.8]",
      "kind: spherical",
      "kind: revolute, axis: [0.3, 0.3, 1]",
      "kind: prismatic, axis: [1, 0.5, 0]",
      "kind: universal, axis: [0, 0, 1], axis2: [0, 1, 0]",
      "kind: screw, axis: [1, 0, 0.4], pitch: 0.1"};
  char component[4000] = "flange-component: 1\nbodies:\n";
  size_t end = strlen(component);
  for (int k = 0; k < ARM_BODIES; k++)
    end += (size_t)snprintf(component + end, sizeof component - end,
                            "  b%d: {mass: %d, inertia: [0.3, 0.4, 0.6], at: [%d, 0, 0.1], turn: "
                            "[0.1, %g, 0.2], centre: [0.1, 0.2, 0.3]}\n",
                            k, 1 + k, k, 0.1 * k);
  end += (size_t)snprintf(component + end, sizeof component - end, "joints:\n");
  for (int k = 0; k < ARM_BODIES; k++) {
    char parent[8] = "world";
    if (k > 0) snprintf(parent, sizeof parent, "b%d", k - 1);
    end += (size_t)snprintf(component + end, sizeof component - end,
                            "  j%d: {between: [%s, b%d], at: [%g, 0, 0], %s}\n", k, parent, k,
                            k - 0.4, joints[k]);
  }
  subject *of = calloc(1, sizeof *of);
  of->simulation = load_texts(scenario, component);
  of->assembly = flg_subsystem_assembly(&of->simulation->subsystems[0]);
  assert_non_null(of->assembly);
  assert_int_equal(of->assembly->model.set_count, 1);
  return take_set(of, 0, (flg_anchor){.robot = -1, .body = 2, .pose = away()});
}

static void see_bodies(const flg_assembly *assembly, flg_moving_frame *frames) {
  for (int k = 0; k < ARM_BODIES; k++) {
    const flg_anchor at = {.robot = -1, .body = k, .pose = flg_pose_identity()};
    frames[k].pose = flg_assembly_pose(assembly, &at);
    frames[k].velocity = flg_assembly_velocity(assembly, &at);
  }
}

/* What a tree has of coordinates when it is given its bodies: they are where they were, and move as
 * they did. */
static void trees_find_their_coordinates_from_their_bodies(void **state) {
  (void)state;
  random_source source = {12};
  subject *of = arm_of_all_kinds();
  flg_assembly *assembly = of->assembly;
  for (int trial = 0; trial < 20; trial++) {
    flg_moving_frame given[ARM_BODIES], found[ARM_BODIES];
    double way[NUMBERS_MAX];
    for (int k = 0; k < of->parts->velocity_count; k++) {
      way[k] = random_uniform(&source, -1.5, 1.5);
      assembly->state.v[k] = random_uniform(&source, -1, 1);
    }
    of->parts->ops->displace(of->parts, of->q, way, 1, assembly->state.q);
    flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
    see_bodies(assembly, given);
    for (int k = 0; k < ARM_BODIES; k++)
      flg_trees_put(of->parts, assembly->model.owners[k].part, k, &given[k]);
    memset(assembly->state.q, 0, (size_t)of->parts->position_count * sizeof(double));
    memset(assembly->state.v, 0, (size_t)of->parts->velocity_count * sizeof(double));
    flg_trees_follow(of->parts, assembly->state.q, assembly->state.v);
    flg_assembly_place(assembly, assembly->state.q, assembly->state.v);
    see_bodies(assembly, found);
    for (int k = 0; k < ARM_BODIES; k++) {
      assert_near(max_difference((const double *)&found[k], (const double *)&given[k], 18), 0,
                  2e-12);
    }
    assert_near(flg_trees_lost_energy(of->parts), 0, 1e-11);
  }
  drop(of);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(admittances_are_symmetric_and_take_no_energy),
      cmocka_unit_test(the_plan_is_told_one_and_the_same_part),
      cmocka_unit_test(pushes_do_what_the_plan_says),
      cmocka_unit_test(frames_move_as_their_poses_do),
      cmocka_unit_test(rates_lead_where_displacements_do),
      cmocka_unit_test(ports_accelerate_as_their_velocities_change),
      cmocka_unit_test(energy_grows_by_the_work_of_forces),
      cmocka_unit_test(slices_cover_all_numbers),
      cmocka_unit_test(steps_of_a_subsystem_do_what_the_plan_says),
      cmocka_unit_test(a_subsystem_is_moved_at_once_as_the_plan_says),
      cmocka_unit_test(trees_find_their_coordinates_from_their_bodies),
      cmocka_unit_test(tables_with_gaps_are_refused),
      cmocka_unit_test(gaps_in_steps_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
