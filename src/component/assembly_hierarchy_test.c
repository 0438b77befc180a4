/* Groups and threads change nothing; a step allocates nothing and needs nothing but the state. */
#include "allocations.h"
#include "assembly/assembly_inner.h"
#include "component/assembly_freedom.h"
#include "leaves.h"
#include "parts/bodies.h"

static const double STEP = 1e-3;
enum { CELLS = 24, STEPS = 40 };
static const flg_scheme SCHEMES[3] = {FLG_SCHEME_RATTLE, FLG_SCHEME_RK4, FLG_SCHEME_SEMI_IMPLICIT};

static flg_vec3 foot(int k) {
  return vec(k + 0.2 * sin(k), 0, 0);
}

static flg_vec3 top(int k) {
  return vec(k + 0.2 * sin(k), 1 + 0.1 * sin(1.7 * k), 0);
}

/* unequal four-bars side by side, with springs of both kinds and a gear that spans several */
static parts *ladder(bool implicit) {
  const flg_vec3 z = {0, 0, 1};
  parts *p = parts_new(2 * CELLS + 4);
  for (int k = 0; k <= CELLS; k++) {
    const int rod = add_rod(p, 1 + 0.3 * sin(k), foot(k), top(k));
    p->component.bodies[rod].velocity = (flg_spatial){{0.1, 0, 0}, {0, 0, -0.2 / top(k).y}};
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, rod, foot(k), z);
  }
  for (int k = 0; k < CELLS; k++) {
    const int rod = add_rod(p, 1 + 0.3 * cos(k), top(k), top(k + 1));
    p->component.bodies[rod].velocity.linear = vec(0.2, 0, 0);
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, k, rod, top(k), z);
    /* pins, so that not all rows are redundant */
    add_joint(p, k % 2 == 0 ? FLG_CONSTRAINT_REVOLUTE : FLG_CONSTRAINT_SPHERICAL, k + 1, rod,
              top(k + 1), z);
  }
  const int disc = add_body(p, 1, flg_sym3_diagonal(0.3), vec(3, 3, 0), flg_quat_identity());
  const int hinge = add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, disc, vec(3, 3, 0), z);
  flg_component_joint *joints = p->component.joints;
  add_gear(p, joints[7].coordinate[0], 2, joints[hinge].coordinate[0], 1);
  add_strut(p, 2, top(2), 9, foot(9), 1000, 10, NAN)->implicit = implicit;
  return p;
}

/* nested: halves of the ladder, and in them threes of cells */
static void group(parts *p) {
  flg_component *c = &p->component;
  const int half = CELLS / 2;
  for (int k = 0; k < 2; k++) {
    c->groups[c->group_count++] = (flg_component_group){.name = "half", .parent = FLG_TOP};
  }
  for (int k = 0; k < CELLS / 3; k++) {
    c->groups[c->group_count++] =
        (flg_component_group){.name = "three", .parent = 3 * k < half ? 0 : 1};
  }
  for (int k = 0; k < CELLS; k++) {
    c->bodies[k].group = 2 + k / 3;
    c->bodies[CELLS + 1 + k].group = k % 3 == 2 ? (k < half ? 0 : 1) : 2 + k / 3;
  }
}

static flg_assembly_options options_of(flg_scheme scheme) {
  flg_assembly_options options = flg_assembly_default();
  options.scheme = scheme;
  options.gravity = vec(0, -9.81, 0);
  return options;
}

static void advance(flg_assembly *assembly, int steps) {
  assert_int_equal(flg_assembly_advance(assembly, 0, STEP, 0, steps), FLG_OK);
}

/* --- groups -------------------------------------------------------------------------------------
 */

static void groups_do_not_change_the_motion(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    parts *flat = ladder(SCHEMES[k] != FLG_SCHEME_RK4),
          *deep = ladder(SCHEMES[k] != FLG_SCHEME_RK4);
    group(deep);
    const flg_assembly_options options = options_of(SCHEMES[k]);
    flg_assembly *a = assemble(flat, &options), *b = assemble(deep, &options);
    assert_int_equal(flg_assembly_settle(a), FLG_OK);
    assert_int_equal(flg_assembly_settle(b), FLG_OK);
    flg_freedom freedom[2];
    flg_assembly_freedom(a, &freedom[0]);
    flg_assembly_freedom(b, &freedom[1]);
    assert_int_equal(freedom[0].rank, freedom[1].rank);
    assert_int_equal(freedom[0].velocities - freedom[0].rank, 1);
    advance(a, STEPS);
    advance(b, STEPS);
    assert_true(fabs(a->state.v[0]) > 0.05); /* it moves */
    assert_near(max_difference(a->state.q, b->state.q, a->model.position_count), 0, 1e-14);
    assert_near(max_difference(a->state.v, b->state.v, a->model.velocity_count), 0, 3e-14);
    flg_assembly_release(a), flg_assembly_release(b);
    parts_drop(flat), parts_drop(deep);
  }
}

static bool is_within(const flg_component *component, int group, int around) {
  while (group != FLG_TOP && group != around) group = component->groups[group].parent;
  return group == around;
}

/* one by one: bodies are the parts here, in their order */
static void groups_add_up_what_lies_inside(void **state) {
  (void)state;
  parts *p = ladder(false);
  group(p);
  p->component.groups[p->component.group_count++] =
      (flg_component_group){.name = "empty", .parent = 1};
  const flg_assembly_options options = options_of(FLG_SCHEME_RK4);
  flg_assembly *assembly = assemble(p, &options);
  advance(assembly, STEPS);
  flg_assembly_refresh(assembly, 0);
  const flg_component *component = &p->component;
  const flg_parts *bodies = assembly->model.sets[0];
  assert_int_equal(bodies->count, component->body_count);
  for (int g = FLG_TOP; g < component->group_count; g++) {
    double energy = 0, most = 0;
    flg_spatial momentum = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < bodies->count; k++) {
      if (!is_within(component, component->bodies[k].group, g)) continue;
      energy += bodies->ops->energy(bodies, k), most += fabs(bodies->ops->energy(bodies, k));
      momentum = flg_spatial_add(momentum, bodies->ops->momentum(bodies, k));
    }
    for (int k = 0; k < assembly->model.force_count; k++) {
      const int own = flg_force_head_of(&assembly->model.forces[k].force)->group;
      if (is_within(component, own, g)) energy += flg_assembly_force_energy(assembly, k);
    }
    const flg_spatial found = flg_assembly_group_momentum(assembly, g);
    assert_near(flg_assembly_group_energy(assembly, g), energy, 1e-13 * most);
    assert_near(flg_vec3_norm(flg_vec3_subtract(found.linear, momentum.linear)), 0, 1e-13);
    assert_near(flg_vec3_norm(flg_vec3_subtract(found.angular, momentum.angular)), 0, 1e-12);
  }
  flg_assembly_release(assembly);
  parts_drop(p);
}

/* --- threads ------------------------------------------------------------------------------------
 */

static void any_number_of_threads_gives_the_same_bits(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    parts *p = ladder(SCHEMES[k] != FLG_SCHEME_RK4);
    group(p);
    flg_assembly_options options = options_of(SCHEMES[k]);
    flg_assembly *alone = assemble(p, &options);
    advance(alone, STEPS);
    for (int count = 1; count <= 8; count++) {
      assert_int_equal(flg_threads_build(&options.threads, count, NULL), FLG_OK);
      flg_assembly *shared = assemble(p, &options);
      advance(shared, STEPS);
      const size_t bytes = (size_t)alone->model.state_count * sizeof(double);
      assert_memory_equal(alone->state.numbers, shared->state.numbers, bytes);
      flg_assembly_release(shared);
      flg_threads_release(options.threads);
    }
    flg_assembly_release(alone);
    parts_drop(p);
  }
}

/* --- memory -------------------------------------------------------------------------------------
 */

static void a_step_allocates_nothing(void **state) {
  (void)state;
  if (!allocations_counted()) skip();
  random_source source = {51};
  for (int k = 0; k < 6; k++) {
    flg_assembly_options options = options_of(SCHEMES[k % 3]);
    options.norm = k < 3 ? FLG_NORM_MASS : FLG_NORM_EUCLIDEAN;
    options.form = k < 3 ? FLG_FORM_ADMITTANCE : FLG_FORM_ROOT;
    leaves *of = leaves_new();
    const leaf_end body = {-1, add_free(&source, of)};
    add_leaf(&source, of, FLG_JOINT_FLOATING, FLG_JOINT_REVOLUTE, 4, -1);
    join_leaves(of, FLG_CONSTRAINT_REVOLUTE, body, (leaf_end){0, 3}, end_pose(of, body));
    join_leaves(of, FLG_CONSTRAINT_SPHERICAL, ON_WORLD, body, end_pose(of, body));
    flg_assembly *assembly = assemble_leaves(of, &options, false);
    allocations_begin();
    const flg_status status = flg_assembly_advance(assembly, 0, STEP, 0, 20);
    flg_assembly_refresh(assembly, 0.02);
    flg_assembly_settle(assembly);
    assert_int_equal(allocations_end(), 0);
    assert_int_equal(status, FLG_OK);
    flg_assembly_release(assembly);
    leaves_drop(of);
  }
}

static void spoil(double *from, size_t count) {
  for (size_t k = 0; k < count; k++) from[k] = NAN;
}

/* all that is recomputed: the plan's matrices, motions, rows, stages */
static void spoil_scratch(flg_assembly *assembly) {
  size_t count;
  double *scratch = flg_plan_scratch(assembly->scratch.plan, &count);
  spoil(scratch, count);
  double *const positions[] = {assembly->scratch.stage_q, assembly->scratch.sum_q,
                               assembly->scratch.rate_q};
  double *const velocities[] = {assembly->scratch.stage_v, assembly->scratch.sum_v,
                                assembly->scratch.rate_v, assembly->scratch.change};
  for (int k = 0; k < 3; k++) spoil(positions[k], (size_t)assembly->model.position_count);
  for (int k = 0; k < 4; k++) spoil(velocities[k], (size_t)assembly->model.velocity_count);
  flg_rigid_motion *motions = flg_bodies_of(assembly->model.sets[0])->motions;
  for (int k = 0; k < assembly->model.sets[0]->count; k++) {
    spoil((double *)&motions[k], sizeof motions[k] / sizeof(double));
  }
  for (int k = 0; k < assembly->model.row_set_count; k++) {
    flg_row_set *row_set = &assembly->model.row_sets[k];
    spoil(row_set->left, FLG_CONSTRAINT_ROWS_MAX);
    spoil(row_set->rate, FLG_CONSTRAINT_ROWS_MAX);
    spoil(row_set->bias, FLG_CONSTRAINT_ROWS_MAX);
  }
  for (int k = 0; k < assembly->model.coordinate_count; k++) {
    flg_running_coordinate *running = &assembly->model.coordinates[k];
    spoil((double *)&running->row, sizeof running->row / sizeof(double));
    running->start_rate = running->arm_bias = NAN;
  }
  assembly->scratch.stamps = (flg_stamps){0}; /* nothing is known */
  assembly->scratch.factors.last = false;
}

static void a_step_needs_nothing_but_the_state(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    parts *p = ladder(SCHEMES[k] != FLG_SCHEME_RK4);
    const flg_assembly_options options = options_of(SCHEMES[k]);
    flg_assembly *plain = assemble(p, &options), *spoilt = assemble(p, &options);
    for (int i = 0; i < STEPS; i++) {
      advance(plain, 1);
      spoil_scratch(spoilt);
      advance(spoilt, 1);
      const size_t bytes = (size_t)plain->model.state_count * sizeof(double);
      assert_memory_equal(plain->state.numbers, spoilt->state.numbers, bytes);
    }
    flg_assembly_release(plain), flg_assembly_release(spoilt);
    parts_drop(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups_do_not_change_the_motion),
      cmocka_unit_test(groups_add_up_what_lies_inside),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(a_step_allocates_nothing),
      cmocka_unit_test(a_step_needs_nothing_but_the_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
