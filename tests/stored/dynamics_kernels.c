/* Trees of rigid and of flexible links in random states, and the rows of joints between frames. */
#include "dynamics/constraint.h"
#include "dynamics/momentum_step.h"
#include "flexible_tree.h"
#include "stored/kernels.h"

enum { TREES = 12, MOVES_MOST = 200, LINKS_MOST = 64, NUMBERS = 4 * MOVES_MOST, PORTS = 2 };

static const flg_vec3 GRAVITY = {1, -2, -9.81};

/* what motion and forces are of each other, with and without locked and loaded joints */
static void add_motion(random_source *source, flg_dynamics *dynamics, const flg_robot *robot,
                       const double *q, const double *v, const double *f, digest *to) {
  const int n = robot->velocity_count;
  double a[MOVES_MOST], back[MOVES_MOST], added[MOVES_MOST];
  flg_spatial external[LINKS_MOST];
  for (int i = 0; i < robot->link_count; i++)
    external[i] = (flg_spatial){random_vector(source, 10), random_vector(source, 10)};
  for (int k = 0; k < n; k++) added[k] = random_integer(source, 0, 3) == 0 ? HUGE_VAL : 0.1;
  flg_dynamics_forward(dynamics, q, v, f, GRAVITY, external, NULL, a);
  add_numbers(to, OTHERS, n, a);
  flg_dynamics_inverse(dynamics, q, v, a, GRAVITY, external, back);
  add_numbers(to, FORCES, n, back);
  flg_dynamics_forward(dynamics, q, v, f, GRAVITY, NULL, added, a);
  add_numbers(to, OTHERS, n, a);
  flg_dynamics_kinematics(dynamics, q, v);
  flg_dynamics_factor(dynamics, NULL);
  flg_dynamics_solve(dynamics, f, a);
  add_numbers(to, OTHERS, n, a);
  add_number(to, OTHERS, flg_dynamics_kinetic_energy(dynamics));
  add_number(to, OTHERS, flg_dynamics_potential_energy(dynamics, GRAVITY));
  add_spatial(to, OTHERS, flg_dynamics_momentum(dynamics));
}

/* two ports on links, or the base: where they are, how they move, and how they yield */
static void add_ports(random_source *source, flg_dynamics *dynamics, const flg_robot *robot,
                      const double *x, digest *to) {
  static double J[6 * MOVES_MOST], shares[NUMBERS * 6], D[36 * PORTS * PORTS], a[MOVES_MOST];
  flg_port_way ways[PORTS];
  flg_link_anchor ports[PORTS];
  const int n = robot->velocity_count;
  for (int k = 0; k < PORTS; k++) {
    ports[k] = random_frame(source, robot);
    const flg_pose pose = flg_dynamics_frame_pose(dynamics, &ports[k]);
    add_pose(to, &pose);
    add_spatial(to, SPEEDS, flg_dynamics_frame_velocity(dynamics, &ports[k]));
    add_spatial(to, OTHERS, flg_dynamics_frame_bias(dynamics, &ports[k]));
    add_spatial(to, OTHERS, flg_dynamics_frame_motion(dynamics, &ports[k], x));
    flg_dynamics_frame_jacobian(dynamics, &ports[k], J);
    add_numbers(to, OTHERS, 6 * n, J);
    memset(a, 0, sizeof a);
    flg_dynamics_frame_force(dynamics, &ports[k], (flg_spatial){{1, 2, 3}, {4, 5, 6}}, a);
    add_numbers(to, FORCES, n, a);
  }
  const double pushes[6 * PORTS] = {1, -2, 3, 0.5, 0.1, -1, -3, 1, 2, 0.2, 1, 0.3};
  flg_dynamics_admittance(dynamics, ports, PORTS, ways, D, shares);
  add_numbers(to, OTHERS, 36 * PORTS * PORTS, D);
  flg_dynamics_respond(dynamics, shares, PORTS, pushes, a);
  add_numbers(to, OTHERS, n, a);
}

/* mass, momenta in a step, and what only rigid robots are asked */
static void add_rigid(random_source *source, const scene *x, digest *to) {
  static double M[MOVES_MOST * MOVES_MOST];
  const flg_robot *robot = &x->s->robot;
  flg_dynamics *dynamics = x->s->dynamics;
  flg_momentum_link links[LINKS_MOST];
  flg_momentum_path paths[LINKS_MOST];
  flg_spatial targets[LINKS_MOST] = {{{0}, {0}}}, lacks[LINKS_MOST] = {{{0}, {0}}};
  double end[SCENE_SIZE];
  const double h = pow(10, random_uniform(source, -3, -0.8));
  flg_dynamics_mass(dynamics, M);
  add_numbers(to, OTHERS, x->n * x->n, M);
  flg_momentum_step_build(robot, links);
  flg_momentum_step_weigh(dynamics, links);
  flg_momentum_step_take_momenta(dynamics, links);
  add_count(to, flg_momentum_step_miss(dynamics, links, x->v, h, paths, targets, lacks));
  for (int i = 0; i < robot->link_count; i++) {
    add_spatial(to, OTHERS, links[i].momentum), add_spatial(to, OTHERS, lacks[i]);
  }
  flg_dynamics_factor(dynamics, NULL);
  flg_dynamics_solve_links(dynamics, x->external, end);
  add_numbers(to, OTHERS, x->n, end);
  flg_robot_integrate(robot, x->q, x->v, h, end);
  add_numbers(to, PLACES, robot->position_count, end);
}

static void run_rigid(random_source *source, digest *to) {
  for (int k = 0; k < TREES; k++) {
    const scene x = random_moving_scene(source);
    add_motion(source, x.s->dynamics, &x.s->robot, x.q, x.v, x.f, to);
    add_ports(source, x.s->dynamics, &x.s->robot, x.a, to);
    add_rigid(source, &x, to);
    sample_release(x.s);
  }
}

static void run_flexible(random_source *source, digest *to) {
  for (int k = 0; k < TREES / 2; k++) {
    flexible_scene *x = flexible_scene_build(source, k % 2 == 0, PLAIN_KINDS, PLAIN_KIND_COUNT);
    if (k % 3 == 0) flg_dynamics_set_elastic(x->s->dynamics, (flg_elastic_share){1e-3, 1e-6});
    add_motion(source, x->s->dynamics, &x->s->robot, x->q, x->v, x->f, to);
    add_ports(source, x->s->dynamics, &x->s->robot, x->a, to);
    flexible_scene_release(x);
  }
}

static flg_moving_frame random_moving_frame(random_source *source) {
  const flg_pose pose = random_pose(source);
  return (flg_moving_frame){pose, {random_vector(source, 1), random_vector(source, 1)}};
}

static void run_rows(random_source *source, digest *to) {
  for (int k = 0; k < 400; k++) {
    flg_moving_frame end[2] = {random_moving_frame(source), random_moving_frame(source)};
    if (k % 5 == 0) end[1].pose = end[0].pose;
    flg_constraint_row rows[FLG_CONSTRAINT_ROWS_MAX];
    double left[FLG_CONSTRAINT_ROWS_MAX];
    const flg_constraint_kind of = (flg_constraint_kind)(k % FLG_CONSTRAINT_KIND_COUNT);
    const int count = flg_constraint_evaluate(of, end, rows);
    const flg_pose poses[2] = {end[0].pose, end[1].pose};
    for (int i = 0; i < count; i++) {
      add_spatial(to, OTHERS, rows[i].side[0]), add_spatial(to, OTHERS, rows[i].side[1]);
      add_number(to, PLACES, rows[i].left), add_number(to, SPEEDS, rows[i].rate);
      add_number(to, OTHERS, rows[i].bias);
    }
    add_numbers(to, PLACES, flg_constraint_measure(of, poses, left), left);
    for (int c = FLG_COORDINATE_DISTANCE; c <= FLG_COORDINATE_ANGLE; c++) {
      flg_coordinate_row row;
      flg_coordinate_evaluate((flg_coordinate_kind)c, end, 0.3, &row);
      add_spatial(to, OTHERS, row.side[0]), add_spatial(to, OTHERS, row.side[1]);
      add_number(to, PLACES, row.value), add_number(to, SPEEDS, row.rate);
      add_number(to, OTHERS, row.bias);
    }
  }
}

const kernel dynamics_kernels[] = {{"rigid", run_rigid, 12},
                                   {"flexible", run_flexible, 8},
                                   {"rows", run_rows, 2},
                                   {NULL, NULL, 0}};
