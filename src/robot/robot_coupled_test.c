/* Models of flexible robots with several ports, against the dense mass matrix: with R = M^-1 (J;
 * E)^T, J of the ports and E of the elastic coordinates, D = (J; E) R and stiffnesses R_J^T K R_J.
 */
#include "robot/robot_coupled.h"

#include "check.h"
#include "flexible_tree.h"
#include "math/larger.h"
#include "plain_mass.h"

/* last: it defines I */
#include <lapacke.h>

enum { PORTS = 3, ELASTIC = 8 * FLEXIBLE_BODIES, ROWS = 6 * PORTS + ELASTIC + 6, TRIES = 60 };
static const double TAU = 1e-3;

typedef struct world {
  flexible_scene *x;
  flg_robot_subsystem robot;
  flg_link_anchor ports[PORTS];
  int n, m, elastic; /* velocities, rows of ports, elastic coordinates */
  int elastic_velocity[ELASTIC], elastic_position[ELASTIC];
  double J[ROWS * FLEXIBLE_SIZE], M[FLEXIBLE_SIZE * FLEXIBLE_SIZE], R[FLEXIBLE_SIZE * ROWS];
  double K[2][ELASTIC * ELASTIC]; /* stiffness and damping of all flexible links */
  double found[2][ROWS * ROWS], deflections[ELASTIC];
  flg_interface_model *model;
} world;

static void list_elastic(world *of) {
  const flg_robot *robot = &of->robot.robot;
  for (int k = 0; k < robot->flex_count; k++) {
    for (int i = 0; i < robot->flexes[k].body.modes; i++, of->elastic++) {
      of->elastic_velocity[of->elastic] = robot->flexes[k].velocity + i;
      of->elastic_position[of->elastic] = robot->flexes[k].position + i;
    }
  }
  for (int k = 0, first = 0; k < robot->flex_count; k++) {
    const int n = robot->flexes[k].body.modes;
    const double *const own[2] = {robot->flexes[k].body.stiffness, robot->flexes[k].body.damping};
    for (int i = 0; i < 2 * n * n; i++) {
      const int row = first + i / 2 % n, column = first + i / 2 / n;
      of->K[i % 2][row + of->elastic * column] = own[i % 2][i / 2];
    }
    first += n;
  }
}

/* (J; E), column by column, and R */
static void find_dense(world *of) {
  double own[6 * FLEXIBLE_SIZE];
  flg_dynamics *dynamics = of->x->s->dynamics;
  const int rows = of->m + of->elastic;
  flg_dynamics_kinematics(dynamics, of->x->q, of->x->v);
  for (int k = 0; k < PORTS; k++) {
    flg_dynamics_frame_jacobian(dynamics, &of->ports[k], own);
    for (int j = 0; j < 6 * of->n; j++) of->J[6 * k + j % 6 + rows * (j / 6)] = own[j];
  }
  for (int k = 0; k < of->elastic; k++) of->J[of->m + k + rows * of->elastic_velocity[k]] = 1;
  plain_mass(dynamics, of->M);
  for (int k = 0; k < of->n * rows; k++) of->R[k] = of->J[k / of->n + rows * (k % of->n)];
  assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', of->n, rows, of->M, of->n, of->R, of->n),
                   0);
}

static world *world_new(random_source *source) {
  world *made = calloc(1, sizeof *made);
  assert_non_null(made);
  made->x = flexible_scene_build(source, false, PLAIN_KINDS, PLAIN_KIND_COUNT);
  const flg_robot_options options = {.name = "arm", .integrator = flg_integrator_default()};
  flg_mistakes mistakes = {0};
  flg_error error = {.status = FLG_OK};
  flg_robot_subsystem *robot = &made->robot;
  assert_int_equal(flg_robot_subsystem_build(robot, &made->x->s->model, &options, &mistakes),
                   FLG_OK);
  for (int k = 0; k < robot->robot.flex_count; k++)
    flg_modal_damp_rayleigh(&robot->robot.flexes[k].body, 0.1, 1e-4);
  assert_int_equal(flg_robot_subsystem_equip(robot, NULL, 0, NULL, 0, &error), FLG_OK);
  made->n = made->x->n, made->m = 6 * PORTS;
  memcpy(robot->q, made->x->q, (size_t)robot->robot.position_count * sizeof(double));
  memcpy(robot->v, made->x->v, (size_t)made->n * sizeof(double));
  for (int k = 0; k < PORTS; k++) made->ports[k] = random_frame(source, &robot->robot);
  assert_int_equal(flg_robot_ports_build(robot, made->ports, PORTS, &error), FLG_OK);
  list_elastic(made);
  find_dense(made);
  void *memory = malloc(flg_interface_model_bytes(ROWS));
  assert_int_equal(flg_interface_model_build(memory, ROWS, ROWS, &made->model, NULL), FLG_OK);
  return made;
}

static void world_drop(world *of) {
  free(of->model);
  flg_robot_subsystem_release(&of->robot);
  flexible_scene_release(of->x);
  free(of);
}

/* of the largest number, if that is more than 1 */
static double distance(const double *a, const double *b, int count) {
  double worst = 0, size = 1;
  for (int k = 0; k < count; k++) {
    worst = flg_larger(worst, fabs(a[k] - b[k]));
    size = flg_larger(size, fabs(b[k]));
  }
  return worst / size;
}

static void reduce(world *of) {
  const flg_elastic_block block = {of->found[0], of->found[1], of->deflections};
  assert_int_equal(flg_robot_coupled_ops.reduce_elastic(&of->robot, 0, TAU, of->model, &block),
                   FLG_OK);
}

/* --- cases ----------------------------------------------------------------------------------- */

static void elastic_coordinates_are_rows_like_those_of_ports(void **state) {
  (void)state;
  random_source source = {31};
  for (int k = 0; k < TRIES; k++) {
    world *of = world_new(&source);
    const int rows = of->m + of->elastic, all = (rows + 5) / 6 * 6;
    assert_int_equal(flg_robot_coupled_ops.elastic_count(&of->robot), of->elastic);
    reduce(of);
    assert_int_equal(of->model->rows, all);
    const double *D = flg_interface_model_admittance(of->model);
    const double *w = flg_interface_model_velocity(of->model);
    for (int j = 0; j < all; j++) {
      double exact[ROWS] = {0}, velocity = 0;
      for (int i = 0; i < rows && j < rows; i++) {
        for (int c = 0; c < of->n; c++) exact[i] += of->J[i + rows * c] * of->R[c + of->n * j];
      }
      assert_near(distance(D + all * j, exact, all), 0, 3e-10);
      for (int c = 0; c < of->n && j < rows; c++) velocity += of->J[j + rows * c] * of->x->v[c];
      assert_near(w[j], velocity, 1.2e-13);
    }
    for (int i = 0; i < 2; i++)
      assert_true(distance(of->found[i], of->K[i], of->elastic * of->elastic) == 0);
    for (int i = 0; i < of->elastic; i++)
      assert_true(of->deflections[i] == of->x->q[of->elastic_position[i]]);
    world_drop(of);
  }
}

static void links_yield_at_all_ports(void **state) {
  (void)state;
  random_source source = {32};
  for (int k = 0; k < TRIES; k++) {
    world *of = world_new(&source);
    const int m = of->m;
    reduce(of);
    assert_true(flg_robot_coupled_ops.elastic(&of->robot, NULL, NULL));
    assert_true(flg_robot_coupled_ops.elastic(&of->robot, of->found[0], of->found[1]));
    for (int which = 0; which < 2; which++) {
      double exact[36 * PORTS * PORTS] = {0};
      for (int c = 0; c < m * m; c++) {
        const double *a = of->R + of->n * (c % m), *b = of->R + of->n * (c / m);
        for (int e = 0; e < of->elastic * of->elastic; e++) {
          exact[c] += a[of->elastic_velocity[e % of->elastic]] * of->K[which][e] *
                      b[of->elastic_velocity[e / of->elastic]];
        }
      }
      assert_near(distance(of->found[which], exact, m * m), 0, 6e-12);
    }
    world_drop(of);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elastic_coordinates_are_rows_like_those_of_ports),
      cmocka_unit_test(links_yield_at_all_ports),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
