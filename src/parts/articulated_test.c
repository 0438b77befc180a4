/* Parts in joint coordinates against dense matrices: J, M^-1 J^T and J M^-1 J^T of random trees at
 * random places, with masses and without. */
#include "parts/articulated.h"

#include <lapacke.h>

#include "check.h"
#include "math/larger.h"
#include "random_tree.h"

enum { PORTS = 3, TRIES = 100, MOST = 6 * PORTS };

typedef struct world {
  scene x;
  flg_region region;
  flg_articulated_part part;
  flg_articulated_part *list[1];
  flg_articulated_set set;
  flg_link_anchor ports[SCENE_BODIES];
  double locked[SCENE_SIZE];
  double matrix[MOST * MOST], bias[MOST], force[MOST];
  flg_plan_part view;
  /* dense: J (m x n), M (n x n), M^-1 J^T (n x m), D (m x m) */
  double J[MOST * SCENE_SIZE], M[SCENE_SIZE * SCENE_SIZE], R[SCENE_SIZE * MOST], D[MOST * MOST];
  int m, n;
} world;

/* --- dense ----------------------------------------------------------------------------------- */

static void find_jacobian(world *of) {
  double own[6 * SCENE_SIZE];
  for (int k = 0; k < of->part.port_count; k++) {
    flg_dynamics_frame_jacobian(of->x.s->dynamics, &of->ports[k], own);
    for (int j = 0; j < 6 * of->n; j++) of->J[6 * k + j % 6 + of->m * (j / 6)] = own[j];
  }
}

/* D = J R */
static void multiply(world *of) {
  for (int i = 0; i < of->m * of->m; i++) {
    of->D[i] = 0;
    for (int k = 0; k < of->n; k++)
      of->D[i] += of->J[i % of->m + of->m * k] * of->R[k + of->n * (i / of->m)];
  }
}

static void transpose(world *of) {
  for (int k = 0; k < of->n * of->m; k++) of->R[k] = of->J[k / of->n + of->m * (k % of->n)];
}

static void answer_with_masses(world *of) {
  flg_dynamics_mass(of->x.s->dynamics, of->M);
  transpose(of);
  assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', of->n, of->m, of->M, of->n, of->R, of->n),
                   0);
  multiply(of);
}

/* Each joint moves its ports by a length of 1, turns times the arm; what is locked does not. */
static void answer_of_unit(world *of, double arm) {
  for (int j = 0; j < of->n && arm > 0; j++) {
    double square = 0;
    for (int i = 0; i < of->m; i++) square += pow(of->J[i + of->m * j] * (i / 3 % 2 ? arm : 1), 2);
    const bool is_still = square == 0 || of->locked[j] > 0;
    for (int i = 0; i < of->m; i++) of->J[i + of->m * j] *= is_still ? 0 : 1 / sqrt(square);
  }
  transpose(of);
  multiply(of);
}

/* --- the part -------------------------------------------------------------------------------- */

/* some ports twice: each link has one */
static world *world_new(random_source *source, bool is_root) {
  world *made = calloc(1, sizeof *made);
  assert_non_null(made);
  do {
    if (made->x.s != NULL) sample_release(made->x.s);
    made->x = random_scene(source, ALL_KINDS, ALL_KIND_COUNT);
  } while (made->x.n == 0);
  const flg_robot *robot = &made->x.s->robot;
  made->part = (flg_articulated_part){
      .robot = robot, .dynamics = made->x.s->dynamics, .count = made->x.n, .ports = made->ports};
  made->n = made->x.n;
  made->list[0] = &made->part;
  made->set = (flg_articulated_set){
      .parts = {.count = 1, .velocity_count = made->n, .views = &made->view}, .ports = made->list};
  for (int k = 0; k < PORTS; k++) {
    const int link = random_integer(source, 0, robot->link_count - 1);
    const int port = flg_articulated_open(&made->set.parts, 0, link);
    assert_int_equal(flg_articulated_open(&made->set.parts, 0, link), port);
    assert_int_equal(made->ports[port].link, link);
  }
  flg_articulated_equip(&made->part, is_root, &made->region);
  assert_false(made->region.failed);
  made->m = 6 * flg_articulated_ports(&made->set.parts, 0);
  made->view = (flg_plan_part){.matrix = made->matrix, .bias = made->bias, .force = made->force};
  flg_dynamics_kinematics(made->x.s->dynamics, made->x.q, made->x.v);
  flg_dynamics_factor(made->x.s->dynamics, NULL);
  find_jacobian(made);
  return made;
}

static void world_drop(world *of) {
  sample_release(of->x.s);
  flg_region_release(&of->region);
  free(of);
}

static double distance(const double *a, const double *b, int count) {
  double worst = 0, size = 1;
  for (int k = 0; k < count; k++) {
    worst = flg_larger(worst, fabs(a[k] - b[k]));
    size = flg_larger(size, fabs(b[k]));
  }
  return worst / size;
}

/* --- cases ----------------------------------------------------------------------------------- */

static void answers_are_those_of_the_mass_matrix(void **state) {
  (void)state;
  random_source source = {21};
  for (int k = 0; k < TRIES; k++) {
    world *of = world_new(&source, false);
    const flg_part_mode mode = {0};
    flg_articulated_fill(&of->part, &mode, &of->view);
    answer_with_masses(of);
    assert_true(distance(of->part.jacobian, of->J, of->m * of->n) == 0);
    assert_near(distance(of->part.response, of->R, of->m * of->n), 0, 1.5e-12);
    assert_near(distance(of->matrix, of->D, of->m * of->m), 0, 3e-13);
    world_drop(of);
  }
}

static void answers_of_unit_masses_are_those_of_the_jacobian(void **state) {
  (void)state;
  random_source source = {22};
  for (int k = 0; k < TRIES; k++) {
    world *of = world_new(&source, false);
    const double arm = k % 4 == 0 ? 0 : random_uniform(&source, 0.1, 3);
    const flg_part_mode mode = {.is_unit = true, .arm = arm};
    for (int j = 0; j < of->n && k % 2; j++) of->locked[j] = j % 3 == 1 ? INFINITY : 0;
    if (k % 2) of->part.locked = of->locked;
    flg_articulated_fill(&of->part, &mode, &of->view);
    answer_of_unit(of, arm);
    assert_near(distance(of->part.response, of->R, of->m * of->n), 0, 3e-15);
    assert_near(distance(of->matrix, of->D, of->m * of->m), 0, 4e-15);
    world_drop(of);
  }
}

static void roots_are_of_the_same_answers(void **state) {
  (void)state;
  random_source source = {23};
  for (int k = 0; k < TRIES; k++) {
    world *of = world_new(&source, true);
    const flg_part_mode mode = {.is_root = true};
    double square[MOST * MOST] = {0};
    flg_articulated_fill(&of->part, &mode, &of->view);
    answer_with_masses(of);
    for (int i = 0; i < of->m * of->m; i++) {
      for (int j = 0; j < of->m; j++)
        square[i] += of->matrix[i % of->m + of->m * j] * of->matrix[i / of->m + of->m * j];
    }
    assert_near(distance(square, of->D, of->m * of->m), 0, 1.3e-12);
    world_drop(of);
  }
}

/* J y and J' v as ports see them, M^-1 J^T x and J^T x as joints do */
static void motion_goes_out_and_forces_come_in(void **state) {
  (void)state;
  random_source source = {24};
  for (int k = 0; k < TRIES; k++) {
    world *of = world_new(&source, false);
    const flg_part_mode mode = {0};
    const int m = of->m, n = of->n;
    double seen[MOST] = {0}, answer[SCENE_SIZE], pulled[SCENE_SIZE], exact[SCENE_SIZE];
    flg_articulated_fill(&of->part, &mode, &of->view);
    answer_with_masses(of);
    random_numbers(&source, 1, of->force, m);
    for (int i = 0; i < m; i++) {
      const flg_spatial rate = flg_dynamics_frame_bias(of->x.s->dynamics, &of->ports[i / 6]);
      double bias[6];
      flg_spatial_store(rate, bias);
      for (int j = 0; j < n; j++) seen[i] += of->J[i + m * j] * of->x.a[j];
      seen[i] += 0.5 * bias[i % 6];
    }
    flg_articulated_see(&of->set.parts, of->x.a, 0.5);
    assert_near(distance(of->bias, seen, m), 0, 1e-15);
    for (int j = 0; j < n; j++) {
      exact[j] = k % 2 ? of->x.f[j] : 0, pulled[j] = of->x.v[j];
      for (int i = 0; i < m; i++) exact[j] += of->R[j + n * i] * of->force[i];
    }
    flg_articulated_collect(&of->set.parts, k % 2 ? of->x.f : NULL, answer);
    assert_near(distance(answer, exact, n), 0, 4e-12);
    const int port = random_integer(&source, 0, m / 6 - 1);
    for (int j = 0; j < n; j++) {
      exact[j] = of->x.v[j];
      for (int i = 0; i < 6; i++) exact[j] += of->J[6 * port + i + m * j] * of->force[i];
    }
    flg_articulated_pull_back(&of->set.parts, 0, port, of->force, pulled);
    assert_near(distance(pulled, exact, n), 0, 1e-15);
    double mobility = 0;
    for (int i = 0; i < 36; i++)
      mobility +=
          of->force[i % 6] * of->D[6 * port + i % 6 + m * (6 * port + i / 6)] * of->force[i / 6];
    const double found = flg_articulated_mobility(&of->set.parts, 0, port, of->force);
    assert_near(distance(&found, &mobility, 1), 0, 1e-13);
    world_drop(of);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_are_those_of_the_mass_matrix),
      cmocka_unit_test(answers_of_unit_masses_are_those_of_the_jacobian),
      cmocka_unit_test(roots_are_of_the_same_answers),
      cmocka_unit_test(motion_goes_out_and_forces_come_in),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
