/* Bodies that are welded to each other, against the elimination of their welds. */
#include "interface/plan_wholes.h"

#include <stdlib.h>
#include <string.h>

#include "interface/test_systems.h"

enum { BODIES = 5, WELDS = 3, PORT = 6 };

/* 0, 2 and 4 are one, 1 and 3 another; or one of the welds is open */
static const int ends[WELDS][2] = {{2, 0}, {4, 2}, {1, 3}};
static const int firsts[2][BODIES] = {{0, 1, 0, 1, 0}, {0, 1, 0, 1, 4}};

static flg_plan *plan_of_welds(void) {
  flg_graph_part parts[BODIES];
  flg_graph_joint joints[WELDS];
  flg_graph_port outers[BODIES];
  for (int k = 0; k < BODIES; k++) {
    parts[k] = (flg_graph_part){.ports = 1, .group = FLG_NO_GROUP};
    outers[k] = (flg_graph_port){k, 0};
  }
  for (int k = 0; k < WELDS; k++) {
    joints[k] = (flg_graph_joint){PORT, 2, {{ends[k][0], 0}, {ends[k][1], 0}}};
  }
  const flg_graph graph = {.part_count = BODIES,
                           .joint_count = WELDS,
                           .outer_count = BODIES,
                           .parts = parts,
                           .joints = joints,
                           .outers = outers};
  flg_plan *plan = NULL;
  flg_error error = {0};
  if (flg_plan_build(&plan, &graph, NULL, &error) != FLG_OK) fail_msg("%s", error.message);
  return plan;
}

static flg_vec3 random_vector(random_source *source) {
  return (flg_vec3){random_uniform(source, -1, 1), random_uniform(source, -1, 1),
                    random_uniform(source, -1, 1)};
}

static void random_members(random_source *source, const int *first, flg_plan_member *members) {
  const flg_vec3 spins[2] = {random_vector(source), random_vector(source)};
  for (int k = 0; k < BODIES; k++) {
    const double mass = random_uniform(source, 0.5, 5);
    flg_sym3 inertia = flg_sym3_diagonal(random_uniform(source, 0.1, 1));
    for (int i = 0; i < 3; i++) {
      inertia = flg_sym3_add(inertia, flg_sym3_outer(random_vector(source)));
    }
    members[k] = (flg_plan_member){.first = first[k],
                                   .mass = mass,
                                   .inertia = inertia,
                                   .centre = random_vector(source),
                                   .spin = spins[first[k] % 2]};
  }
}

static void fill_parts(flg_plan *plan, random_source *source, const flg_plan_member *members) {
  for (int k = 0; k < BODIES; k++) {
    const flg_plan_part view = flg_plan_part_view(plan, k);
    const flg_mat3 yields = flg_sym3_full(flg_sym3_inverse(members[k].inertia));
    memset(view.matrix, 0, PORT * PORT * sizeof(double));
    for (int j = 0; j < 3; j++) {
      view.matrix[j * (PORT + 1)] = 1 / members[k].mass;
      for (int i = 0; i < 3; i++) view.matrix[3 + i + (3 + j) * PORT] = yields.m[i + 3 * j];
    }
    for (int i = 0; i < PORT; i++) view.bias[i] = random_uniform(source, -1, 1);
  }
}

/* both sides at a point between the bodies; the second end moves as the first does */
static void fill_weld(flg_plan *plan, const flg_plan_member *members, int joint, bool swings) {
  const flg_plan_joint view = flg_plan_joint_view(plan, joint);
  const flg_plan_member *body[2] = {&members[ends[joint][0]], &members[ends[joint][1]]};
  const flg_vec3 point = flg_vec3_scale(flg_vec3_add(body[0]->centre, body[1]->centre), 0.5);
  const bool is_closed = body[0]->first == body[1]->first;
  flg_vec3 parting = {0, 0, 0};
  for (int s = 0; s < 2; s++) {
    const double sign = s == 0 ? -1 : 1;
    const flg_vec3 arm = flg_vec3_subtract(point, body[s]->centre);
    const flg_mat3 lever = flg_mat3_skew(arm);
    for (int j = 0; j < PORT; j++) {
      for (int i = 0; i < PORT; i++) {
        double g = i == j;
        if (i < 3 && j >= 3) g = -lever.m[i + 3 * (j - 3)];
        view.side[s][i + j * view.leading] = is_closed ? sign * g : 0;
      }
    }
    const flg_vec3 swing = flg_vec3_cross(body[s]->spin, flg_vec3_cross(body[s]->spin, arm));
    parting = flg_vec3_add_scaled(parting, sign, swing);
  }
  memset(view.gamma, 0, PORT * sizeof(double));
  if (swings && is_closed) flg_vec3_store(flg_vec3_negate(parting), view.gamma);
}

/* the roots, one after the other: H, then b */
static size_t copy_roots(const flg_plan *plan, double *to) {
  double *start = to;
  for (int k = 0; k < flg_plan_root_count(plan); k++) {
    const flg_plan_root root = flg_plan_root_view(plan, k);
    const size_t n = (size_t)root.rows;
    memcpy(to, root.admittance, n * n * sizeof *to), to += n * n;
    memcpy(to, root.bias, n * sizeof *to), to += n;
  }
  return (size_t)(to - start);
}

static void wholes_answer_as_their_welds_do(void **state) {
  (void)state;
  random_source source = {11};
  flg_plan *plan = plan_of_welds();
  assert_true(flg_plan_may_be_wholes(plan));
  for (int trial = 0; trial < REPEATS(40); trial++) {
    flg_plan_member members[BODIES];
    double eliminated[1000], found[1000];
    const bool swings = trial % 2 != 0;
    random_members(&source, firsts[trial / 2 % 2], members);
    fill_parts(plan, &source, members);
    for (int k = 0; k < WELDS; k++) fill_weld(plan, members, k, swings);
    flg_plan_scale(plan, NULL);
    assert_int_equal(flg_plan_factor(plan, FLG_PIVOTS_CHOOSE, NULL), FLG_OK);
    assert_false(flg_plan_is_of_wholes(plan));
    const size_t count = copy_roots(plan, eliminated);
    assert_true(count <= 1000);
    flg_plan_swing(plan, swings);
    assert_int_equal(flg_plan_factor_wholes(plan, members), FLG_OK);
    assert_true(flg_plan_is_of_wholes(plan));
    assert_int_equal(flg_plan_refresh(plan, NULL), FLG_OK);
    copy_roots(plan, found);
    assert_near(max_difference(found, eliminated, (int)count), 0, 2e-14);
  }
  flg_plan_release(plan);
}

static void members_that_are_not_finite_are_told(void **state) {
  (void)state;
  random_source source = {12};
  flg_plan *plan = plan_of_welds();
  flg_plan_member members[BODIES];
  random_members(&source, firsts[0], members);
  fill_parts(plan, &source, members);
  for (int k = 0; k < BODIES; k++) {
    flg_plan_member *of = &members[k];
    double *const numbers[] = {&of->mass,       &of->centre.x,   &of->centre.y,   &of->centre.z,
                               &of->inertia.xx, &of->inertia.yy, &of->inertia.zz, &of->inertia.xy,
                               &of->inertia.xz, &of->inertia.yz};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
      const double was = *numbers[i];
      *numbers[i] = NAN;
      assert_int_equal(flg_plan_factor_wholes(plan, members), FLG_ERR_DIVERGED);
      *numbers[i] = was;
    }
  }
  random_members(&source, firsts[1], members); /* the last body is alone, by its matrix */
  for (int i = 0; i < PORT; i++) {
    double *number = &flg_plan_part_view(plan, BODIES - 1).matrix[i * (PORT + 1)], was = *number;
    *number = NAN;
    assert_int_equal(flg_plan_factor_wholes(plan, members), FLG_ERR_DIVERGED);
    *number = was;
  }
  assert_int_equal(flg_plan_factor_wholes(plan, members), FLG_OK);
  flg_plan_part_view(plan, 3).bias[1] = INFINITY;
  assert_int_equal(flg_plan_refresh(plan, NULL), FLG_ERR_DIVERGED);
  flg_plan_release(plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(wholes_answer_as_their_welds_do),
                                     cmocka_unit_test(members_that_are_not_finite_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
