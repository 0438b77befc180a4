/* What contract/coupled.h says of a model, against one dense system for each implementation:
 *
 *     (M  G^T) ( a)   (f - c )
 *     (G   0 ) (-l) = (-G' v )      r = J a + J' v      D = J W J^T      r - t = J a with G a = 0
 *
 * M from kinetic energies, J and G from how frames move with unit velocities, J' v and G' v by
 * differences along the motion, f - c from energies and Newton's and Lagrange's laws: nothing of it
 * by the code that is checked. */
#include "assembly/assembly_inner.h"
#include "check.h"
#include "component/assembly_contract.h"
#include "component/assembly_freedom.h"
#include "cosim/simulation.h"
#include "coupling_marks.h"
#include "parts/bodies.h"
#include "plugin/plugin_subsystem.h"
#include "plugins.h"
#include "robot/robot_step.h"
#include "structure/trees.h"

enum { MOST = 40, STATE_MAX = 256, ROWS_MAX = 12 };
static const flg_vec3 GRAVITY = {0, 1, -9.81}; /* of all subsystems */

typedef struct subject {
  const flg_subsystem *subsystem;
  const flg_robot_subsystem *robot; /* one of these is there, or it is a plug-in */
  flg_assembly *assembly;
  double time;
  int nq, nv, ports; /* rows of ports */
  double *q, *v;     /* in its state */
  double start[STATE_MAX];
  char memory[65536] __attribute__((aligned(16)));
  flg_interface_model *model;
} subject;

/* --- states -------------------------------------------------------------------------------------
 */

static void refresh(const subject *of) {
  of->subsystem->ops->refresh(of->subsystem->self, of->time);
}

static void go_back(const subject *of) {
  const flg_subsystem_state state = of->subsystem->ops->state(of->subsystem->self);
  memcpy(state.values, of->start, (size_t)state.count * sizeof(double));
  refresh(of);
}

/* q of the start moved along its velocity for a time; velocities stay */
static void move_along(const subject *of, double time) {
  const double *q = of->start, *v = of->start + of->nq;
  if (of->robot != NULL) {
    flg_robot_integrate(&of->robot->robot, q, v, time, of->q);
  } else if (of->assembly != NULL) {
    flg_assembly_displace(of->assembly, q, v, time, of->q);
  } else {
    for (int k = 0; k < of->nq; k++) of->q[k] = q[k] + time * v[k];
  }
}

static double energy_with(const subject *of, const double *v) {
  memcpy(of->v, v, (size_t)of->nv * sizeof *v);
  refresh(of);
  return of->subsystem->ops->energy(of->subsystem->self);
}

/* --- the dense system ---------------------------------------------------------------------------
 */

typedef struct dense {
  int n, m, p; /* velocities, rows of joints, rows of ports */
  double M[MOST][MOST], G[MOST][MOST], J[MOST][MOST];
  double turning_G[MOST], turning_J[MOST]; /* G' v, J' v */
  double force[MOST];                      /* f - c */
} dense;

/* velocities of ports, then rates of joints' rows, at the state as it is */
static void look(const subject *of, double *ports, double *rates) {
  refresh(of);
  for (int k = 0; k < of->ports / 6; k++) {
    const flg_coupled_ops *ops = of->subsystem->ops->coupled;
    flg_spatial_store(ops->frame(of->subsystem->self, k).velocity, ports + 6 * k);
  }
  if (of->robot != NULL) { /* locked joints are rows */
    for (int k = 0; k < of->nv; k++) {
      if (of->robot->locked[k] > 0) *rates++ = of->v[k];
    }
  }
  if (of->assembly == NULL) return;
  const flg_component *component = flg_assembly_component(of->assembly);
  for (int k = 0; k < component->joint_count; k++) {
    const flg_component_joint *joint = &component->joints[k];
    flg_moving_frame end[2];
    flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX];
    for (int e = 0; e < 2; e++) {
      end[e] = (flg_moving_frame){flg_assembly_pose(of->assembly, &joint->end[e]),
                                  flg_assembly_velocity(of->assembly, &joint->end[e])};
    }
    const int count = flg_constraint_evaluate(joint->kind, end, rows);
    for (int i = 0; i < count; i++) *rates++ = rows[i].rate;
  }
}

static int count_rows(const subject *of) {
  int rows = 0;
  for (int k = 0; of->robot != NULL && k < of->nv; k++) rows += of->robot->locked[k] > 0;
  for (int k = 0; of->assembly != NULL && k < of->assembly->model.joint_count; k++) {
    rows += of->assembly->model.row_sets[k].rows;
  }
  return rows;
}

static void find_rows(const subject *of, dense *d) {
  for (int j = 0; j < d->n; j++) {
    double ports[MOST] = {0}, rates[MOST] = {0};
    for (int k = 0; k < d->n; k++) of->v[k] = k == j;
    look(of, ports, rates);
    for (int i = 0; i < d->p; i++) d->J[i][j] = ports[i];
    for (int i = 0; i < d->m; i++) d->G[i][j] = rates[i];
  }
  go_back(of);
}

static void find_velocity_bias(const subject *of, dense *d) {
  const double step = 1e-5;
  double ports[2][MOST], rates[2][MOST];
  for (int s = 0; s < 2; s++) {
    move_along(of, s == 0 ? -step : step);
    look(of, ports[s], rates[s]);
  }
  for (int i = 0; i < d->p; i++) d->turning_J[i] = (ports[1][i] - ports[0][i]) / (2 * step);
  for (int i = 0; i < d->m; i++) d->turning_G[i] = (rates[1][i] - rates[0][i]) / (2 * step);
  go_back(of);
}

/* kinetic energies of e_i, e_j and their sum, at the positions that there are */
static void find_mass(const subject *of, int n, double M[MOST][MOST]) {
  double own[MOST], v[MOST] = {0};
  const double rest = energy_with(of, v);
  for (int i = 0; i < n; i++) {
    v[i] = 1;
    own[i] = energy_with(of, v) - rest;
    v[i] = 0;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      v[i] = 1, v[j] = 1;
      M[i][j] = M[j][i] = i == j ? 2 * own[i] : energy_with(of, v) - rest - own[i] - own[j];
      v[i] = v[j] = 0;
    }
  }
}

/* -dV/dq of the first `count` of q, at rest */
static void find_pull(const subject *of, int count, double step, double *f) {
  const double rest[MOST] = {0};
  for (int k = 0; k < count; k++) {
    double energy[2];
    for (int s = 0; s < 2; s++) {
      go_back(of);
      of->q[k] += s == 0 ? -step : step;
      energy[s] = energy_with(of, rest);
    }
    f[k] = -(energy[1] - energy[0]) / (2 * step);
  }
  go_back(of);
}

/* Lagrange: c_i = sum over j, k of (dM_ij/dq_k - dM_jk/dq_i / 2) v_j v_k */
static void find_force_of_robot(const subject *of, dense *d) {
  static double change[MOST][MOST][MOST], M[2][MOST][MOST];
  const double step = 1e-4, *v = of->start + of->nq;
  for (int k = 0; k < d->n; k++) {
    for (int s = 0; s < 2; s++) {
      go_back(of);
      of->q[k] += s == 0 ? -step : step;
      find_mass(of, d->n, M[s]);
    }
    for (int i = 0; i < d->n; i++) {
      for (int j = 0; j < d->n; j++) change[k][i][j] = (M[1][i][j] - M[0][i][j]) / (2 * step);
    }
  }
  find_pull(of, d->n, 1e-4, d->force);
  for (int i = 0; i < d->n; i++) {
    for (int j = 0; j < d->n; j++) {
      for (int k = 0; k < d->n; k++) {
        d->force[i] -= (change[k][i][j] - change[i][j][k] / 2) * v[j] * v[k];
      }
    }
  }
}

/* of the centre of mass of a body, at the state as it is */
static flg_moving_frame frame_of_body(const subject *of, int body) {
  const flg_anchor centre = {
      .robot = -1,
      .body = body,
      .pose = {flg_mat3_identity(), flg_assembly_component(of->assembly)->bodies[body].centre}};
  return (flg_moving_frame){flg_assembly_pose(of->assembly, &centre),
                            flg_assembly_velocity(of->assembly, &centre)};
}

/* Newton and Euler of one body: force += J^T (m g - m s; -w x I w - I t), s and t what J' v is */
static void add_force_of_body(const subject *of, int body, dense *d) {
  const double step = 1e-5;
  const flg_component_body *own = &flg_assembly_component(of->assembly)->bodies[body];
  const flg_moving_frame at = frame_of_body(of, body);
  const flg_sym3 inertia = flg_sym3_rotate(own->inertia, &at.pose.rotation);
  const flg_vec3 w = at.velocity.angular, L = flg_sym3_apply(inertia, w);
  flg_spatial velocity[2];
  for (int s = 0; s < 2; s++) {
    move_along(of, s == 0 ? -step : step);
    refresh(of);
    velocity[s] = frame_of_body(of, body).velocity;
  }
  go_back(of);
  const flg_spatial bias =
      flg_spatial_scale(flg_spatial_subtract(velocity[1], velocity[0]), 1 / (2 * step));
  const flg_vec3 lacks = flg_vec3_subtract(GRAVITY, bias.linear);
  const flg_spatial force = {
      flg_vec3_scale(lacks, own->mass),
      flg_vec3_subtract(flg_vec3_cross(L, w), flg_sym3_apply(inertia, bias.angular))};
  for (int j = 0; j < d->n; j++) {
    for (int k = 0; k < d->n; k++) of->v[k] = k == j;
    refresh(of);
    d->force[j] += flg_spatial_dot(frame_of_body(of, body).velocity, force);
  }
  go_back(of);
}

/* in absolute coordinates J' v is zero, and J one */
static void find_force_of_bodies(const subject *of, dense *d) {
  for (int k = 0; k < flg_assembly_component(of->assembly)->body_count; k++) {
    add_force_of_body(of, k, d);
  }
}

static void find_all(const subject *of, dense *d) {
  *d = (dense){.n = of->nv, .m = count_rows(of), .p = of->ports};
  assert_true(d->n + d->m <= MOST);
  find_mass(of, d->n, d->M);
  go_back(of);
  find_rows(of, d);
  find_velocity_bias(of, d);
  if (of->robot != NULL) {
    find_force_of_robot(of, d);
  } else if (of->assembly != NULL) {
    find_force_of_bodies(of, d);
  } else {
    find_pull(of, d->n, 1e-4, d->force);
  }
}

/* a of the dense system, by elimination with pivots; aim: what G a is to be */
static void solve(const dense *d, const double *force, const double *aim, double *a) {
  const int size = d->n + d->m;
  static double K[MOST][MOST + 1];
  memset(K, 0, sizeof K);
  for (int i = 0; i < d->n; i++) {
    for (int j = 0; j < d->n; j++) K[i][j] = d->M[i][j];
    for (int j = 0; j < d->m; j++) K[i][d->n + j] = K[d->n + j][i] = d->G[j][i];
    K[i][size] = force[i];
  }
  for (int j = 0; j < d->m; j++) K[d->n + j][size] = aim[j];
  for (int k = 0; k < size; k++) {
    int best = k;
    for (int i = k + 1; i < size; i++) best = fabs(K[i][k]) > fabs(K[best][k]) ? i : best;
    for (int j = 0; j <= size; j++) {
      const double kept = K[k][j];
      K[k][j] = K[best][j], K[best][j] = kept;
    }
    for (int i = 0; i < size; i++) {
      const double factor = i == k ? 0 : K[i][k] / K[k][k];
      for (int j = k; j <= size && factor != 0; j++) K[i][j] -= factor * K[k][j];
    }
  }
  for (int i = 0; i < d->n; i++) a[i] = K[i][size] / K[i][i];
}

static void through_ports(const dense *d, const double *a, double *to) {
  for (int i = 0; i < d->p; i++) {
    to[i] = 0;
    for (int j = 0; j < d->n; j++) to[i] += d->J[i][j] * a[j];
  }
}

/* W J^T x, over all velocities */
static void answer(const dense *d, const double *x, double *a) {
  const double closed[MOST] = {0};
  double force[MOST] = {0};
  for (int j = 0; j < d->n; j++) {
    for (int i = 0; i < d->p; i++) force[j] += d->J[i][j] * x[i];
  }
  solve(d, force, closed, a);
}

/* --- the checks ---------------------------------------------------------------------------------
 */

static void assert_close(const char *what, const double *a, const double *b, int n, double error) {
  double most = 0;
  for (int k = 0; k < n; k++) most = flg_larger(most, fabs(b[k]));
  const double off = max_difference(a, b, n);
  if (!(off <= error * (1 + most))) fail_msg("%s: off by %g of %g", what, off, most);
}

static void reduce(subject *of, double tau) {
  assert_int_equal(
      of->subsystem->ops->coupled->reduce(of->subsystem->self, of->time, tau, of->model), FLG_OK);
}

/* nothing of this has controllers that could sample: not a bit of the state changes */
static void reduce_changes_no_bit(subject *of) {
  const flg_subsystem_state state = of->subsystem->ops->state(of->subsystem->self);
  const double taus[] = {0, 1e-3, 0.1};
  double velocity_bias[ROWS_MAX];
  for (int k = 0; k < 3; k++) {
    reduce(of, taus[k]);
    if (taus[k] > 0) of->subsystem->ops->coupled->velocity_bias(of->subsystem->self, velocity_bias);
    assert_memory_equal(state.values, of->start, (size_t)state.count * sizeof(double));
  }
}

static void model_is_that_of_the_dense_system(subject *of, const dense *d) {
  double aim[MOST], a[MOST], r[ROWS_MAX], plain[ROWS_MAX], t[ROWS_MAX] = {0}, unit[ROWS_MAX] = {0};
  const double none[MOST] = {0};
  for (int tau = 0; tau < 2; tau++) {
    reduce(of, tau * 1e-3);
    for (int j = 0; j < d->p; j++) {
      double column[ROWS_MAX];
      unit[j] = 1;
      answer(d, unit, a);
      unit[j] = 0;
      through_ports(d, a, column);
      assert_close("D", flg_interface_model_admittance(of->model) + j * d->p, column, d->p, 1e-9);
    }
  }
  for (int i = 0; i < d->m; i++) aim[i] = -d->turning_G[i];
  solve(d, d->force, aim, a);
  through_ports(d, a, r);
  for (int i = 0; i < d->p; i++) r[i] += d->turning_J[i];
  assert_close("r", flg_interface_model_bias(of->model), r, d->p, 1e-6);
  solve(d, d->force, none, a);
  through_ports(d, a, plain);
  assert_int_equal(of->subsystem->ops->coupled->velocity_bias(of->subsystem->self, t), FLG_OK);
  for (int i = 0; i < d->p; i++) r[i] -= plain[i];
  assert_close("t", t, r, d->p, 1e-6);
}

static void impulse_is_felt_everywhere(subject *of, const dense *d) {
  random_source source = {9};
  double L[ROWS_MAX], a[MOST], before[ROWS_MAX], after[ROWS_MAX], rates[MOST], felt[ROWS_MAX];
  for (int k = 0; k < d->p; k++) L[k] = random_uniform(&source, -1, 1);
  answer(d, L, a);
  through_ports(d, a, felt);
  look(of, before, rates);
  assert_int_equal(of->subsystem->ops->coupled->impulse(of->subsystem->self, L), FLG_OK);
  assert_memory_equal(of->q, of->start, (size_t)of->nq * sizeof(double));
  for (int k = 0; k < d->n; k++) of->v[k] -= of->start[of->nq + k];
  assert_close("velocities after an impulse", of->v, a, d->n, 1e-9);
  for (int k = 0; k < d->n; k++) of->v[k] += of->start[of->nq + k];
  look(of, after, rates);
  for (int k = 0; k < d->p; k++) after[k] -= before[k];
  assert_close("ports after an impulse", after, felt, d->p, 1e-9);
  go_back(of);
}

/* positions follow W J^T x, velocities stay to the last bit */
static void displacement_leaves_velocities_alone(subject *of, const dense *d) {
  random_source source = {4};
  double x[ROWS_MAX], a[MOST], expected[STATE_MAX];
  for (int k = 0; k < d->p; k++) x[k] = random_uniform(&source, -1e-6, 1e-6);
  answer(d, x, a);
  assert_int_equal(of->subsystem->ops->coupled->displace(of->subsystem->self, x), FLG_OK);
  assert_memory_equal(of->v, of->start + of->nq, (size_t)of->nv * sizeof(double));
  double moved[STATE_MAX];
  memcpy(moved, of->q, (size_t)of->nq * sizeof(double));
  static subject other;
  other = *of;
  memcpy(other.start + of->nq, a, (size_t)of->nv * sizeof(double));
  move_along(&other, 1);
  memcpy(expected, of->q, (size_t)of->nq * sizeof(double));
  assert_close("positions", moved, expected, of->nq, 1e-10);
  go_back(of);
}

/* J_k v+ = w + h (r - t) + D L to the last digits, where no joints of its own are closed again */
static void push_is_what_the_model_foretells(subject *of, const dense *d) {
  const flg_coupled_ops *ops = of->subsystem->ops->coupled;
  random_source source = {6};
  const double h = 1e-2;
  double L[ROWS_MAX], t[ROWS_MAX], foretold[ROWS_MAX], made[ROWS_MAX];
  flg_error error;
  if (of->assembly != NULL || (of->robot != NULL && !ops->uses_start_rows(of->subsystem->self)))
    return;
  reduce(of, h);
  assert_int_equal(ops->velocity_bias(of->subsystem->self, t), FLG_OK);
  for (int k = 0; k < d->p; k++) L[k] = random_uniform(&source, -1, 1);
  for (int i = 0; i < d->p; i++) {
    foretold[i] = flg_interface_model_velocity(of->model)[i] +
                  h * (flg_interface_model_bias(of->model)[i] - t[i]);
    for (int j = 0; j < d->p; j++) {
      foretold[i] += flg_interface_model_admittance(of->model)[i + j * d->p] * L[j];
    }
  }
  assert_int_equal(ops->push(of->subsystem->self, of->time, h, 0, L, &error), FLG_OK);
  through_ports(d, of->v, made);
  assert_close("velocities after a push", made, foretold, d->p, 1e-11);
  go_back(of);
}

static void check_all(subject *of) {
  static dense d;
  find_all(of, &d);
  reduce_changes_no_bit(of);
  model_is_that_of_the_dense_system(of, &d);
  impulse_is_felt_everywhere(of, &d);
  displacement_leaves_velocities_alone(of, &d);
  push_is_what_the_model_foretells(of, &d);
}

/* --- the subsystems -----------------------------------------------------------------------------
 */

static const char arm_text[] =
    "flange-model: 1\n"
    "bodies:\n"
    "  post: {mass: 4, centre: [0.05, 0, 0.2], inertia: [0.3, 0.2, 0.1]}\n"
    "  upper: {mass: 3, centre: [0.3, 0, 0.1], inertia: [0.02, 0.1, 0.11]}\n"
    "  fore: {mass: 2, centre: [0.2, 0.1, 0], inertia: [0.01, 0.05, 0.06]}\n"
    "joints:\n"
    "  turn: {kind: revolute, child: post, axis: [0.1, 0, 1]}\n"
    "  shoulder: {kind: revolute, parent: post, child: upper, at: [0, 0, 0.5], axis: [0, 1, 0.2]}\n"
    "  elbow: {kind: revolute, parent: upper, child: fore, at: [0.6, 0, 0], axis: [0.3, 1, 0]}\n"
    "ports: {tip: {body: fore, at: [0.5, 0, 0.1]}, side: {body: upper, at: [0.3, 0.1, 0]}}\n";
static const char parts_text[] =
    "flange-component: 1\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.02, 0.03, 0.04], at: [1.3, 0, 0.6]}\n"
    "  b: {mass: 2, inertia: [0.05, 0.03, 0.06], at: [1.6, 0.1, 0.6]}\n"
    "  c: {mass: 3, inertia: [0.03, 0.08, 0.07], at: [1.9, 0, 0.5]}\n"
    "joints:\n"
    "  ab: {kind: revolute, between: [a, b], at: [1.45, 0, 0.6], axis: [0, 1, 0.4]}\n"
    "  bc: {kind: universal, between: [b, c], at: [1.75, 0, 0.6], axis: [1, 0, 0], axis2: [0, 0.6, "
    "0.8]}\n"
    "ports: {left: {body: a, at: [-0.2, 0, 0]}, right: {body: c, at: [0.2, 0, 0.1]}}\n";
static const char side_text[] =
    "flange-component: 1\n"
    "bodies: {block: {mass: 2, inertia: [0.04, 0.05, 0.06], at: [0.3, 0.3, 0.5]}}\n"
    "ports: {face: {body: block, at: [0, -0.2, 0]}}\n";
static const char scenario_text[] =
    "flange: 1\n"
    "gravity: [0, 1, -9.81]\n"
    "time: {end: 1, macro: 1/200}\n"
    "subsystems:\n"
    "  arm: {model: arm.yaml, step: 1/1000, initial_velocity: {turn: 2, shoulder: 1, elbow: -3}}\n"
    "  parts: {model: parts.yaml, step: 1/1000}\n"
    "  side: {model: side.yaml, step: 1/1000}\n"
    "  chain:\n"
    "    plugin: " PLUGIN("mass_spring") "\n"
    "    step: 1/1000\n"
    "    at: [2.1, 0, 0.6]\n"
    "    parameters: {masses: 3, mass: 2, stiffness: 500, damping: 0, length: 0.3}\n"
    "interfaces:\n"
    "  tip: {between: [arm/tip, parts/left], joint: spherical}\n"
    "  side: {between: [arm/side, side/face], joint: weld}\n"
    "  hook: {between: [parts/right, chain/head], joint: spherical}\n"
    "coupling: {scheme: sequential}\n"
    "record: [arm/energy]\n";

static flg_simulation *load_all(const char *override, const char *other) {
  test_folder folder = make_folder();
  make_file(&folder, "arm.yaml", arm_text);
  make_file(&folder, "parts.yaml", parts_text);
  make_file(&folder, "side.yaml", side_text);
  const char *path = make_file(&folder, "scenario.yaml", scenario_text);
  flg_simulation *simulation = load_with(path, (const char *[]){override, other, NULL});
  remove_folder(&folder);
  return simulation;
}

static void take(subject *of, flg_simulation *simulation, const char *name) {
  flg_error error;
  const flg_part *part = flg_part_find(simulation, name, strlen(name));
  *of = (subject){.subsystem = &simulation->subsystems[part->subsystem]};
  of->time = flg_simulation_time(simulation);
  of->robot = flg_subsystem_robot(of->subsystem);
  of->assembly = flg_subsystem_assembly(of->subsystem);
  const flg_subsystem_state state = of->subsystem->ops->state(of->subsystem->self);
  of->nv = of->robot != NULL      ? of->robot->robot.velocity_count
           : of->assembly != NULL ? of->assembly->model.velocity_count
                                  : state.motion / 2;
  of->nq = state.motion - of->nv;
  if (of->assembly != NULL) of->nq = of->assembly->model.position_count;
  of->q = state.values, of->v = state.values + of->nq;
  assert_true(state.count <= STATE_MAX);
  /* the last macro step ended with a displacement: velocities are no longer quite on own joints */
  const double nothing[ROWS_MAX] = {0};
  assert_int_equal(of->subsystem->ops->coupled->impulse(of->subsystem->self, nothing), FLG_OK);
  memcpy(of->start, state.values, (size_t)state.count * sizeof(double));
  of->ports = 6 * of->subsystem->ops->coupled->ports(of->subsystem->self);
  assert_int_equal(flg_interface_model_build(of->memory, of->ports, of->ports, &of->model, &error),
                   FLG_OK);
}

/* after it has run for a while, so that nothing is aligned any more; trees: how many it has */
static void check_trees(const char *name, const char *override, const char *other, int trees) {
  static subject of;
  flg_error error;
  flg_simulation *simulation = load_all(override, other);
  for (int k = 0; k < 40; k++) assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
  take(&of, simulation, name);
  if (of.assembly != NULL) assert_int_equal(flg_assembly_trees(of.assembly)->count, trees);
  check_all(&of);
  flg_simulation_release(simulation);
}

static void check_named(const char *name, const char *override) {
  check_trees(name, override, NULL, 0);
}

static void a_robot_is_what_lagrange_says(void **state) {
  (void)state;
  check_named("arm", "subsystems.arm.integrator=semi-implicit");
  check_named("arm", "subsystems.arm.integrator=leapfrog");
  check_named("arm", "subsystems.arm.integrator=rk4");
}

static void a_robot_with_a_locked_joint_has_a_row_more(void **state) {
  (void)state;
  check_named("arm", "events=[{at: 0.1, lock: [arm/shoulder]}]");
}

static void an_assembly_is_what_newton_and_euler_say(void **state) {
  (void)state;
  check_named("parts", "subsystems.parts.integrator=rattle");
  check_named("parts", "subsystems.parts.integrator=rk4");
  check_named("parts", "subsystems.parts.integrator=semi-implicit");
  check_named("parts", "subsystems.parts.elimination=root");
  check_named("side", "subsystems.side.integrator=rattle");
}

static void an_assembly_in_joint_coordinates_is_what_newton_and_euler_say(void **state) {
  (void)state;
  const char *joint = "subsystems.parts.coordinates=joint";
  check_trees("parts", joint, "subsystems.parts.integrator=rattle", 1);
  check_trees("parts", joint, "subsystems.parts.integrator=rk4", 1);
  check_trees("parts", joint, "subsystems.parts.integrator=semi-implicit", 1);
}

static void a_plug_in_is_what_its_energy_says(void **state) {
  (void)state;
  check_named("chain", "time.end=1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_robot_is_what_lagrange_says),
      cmocka_unit_test(a_robot_with_a_locked_joint_has_a_row_more),
      cmocka_unit_test(an_assembly_is_what_newton_and_euler_say),
      cmocka_unit_test(an_assembly_in_joint_coordinates_is_what_newton_and_euler_say),
      cmocka_unit_test(a_plug_in_is_what_its_energy_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
