/* Any number of a component that its motion depends on changes the identity of its assembly; where
 * moving bodies start does not, nor what a kind of coordinate has no use for. */
#include "component/assembly_identity.h"

#include "assembly/assembly_inner.h"
#include "signals.h"

/* a fixed body, two wheels geared to each other, and signals that drive one of them */
static const char TEXT[] =
    "flange-component: 1\n"
    "bodies:\n"
    "  base: {fixed: true, at: [0, 0, 1]}\n"
    "  wheel: {mass: 2, inertia: [1, 1, 1]}\n"
    "  disc: {mass: 3, inertia: [2, 2, 3], at: [1, 0, 0]}\n"
    "joints:\n"
    "  axle: {kind: revolute, between: [base, wheel], axis: [0, 0, 1]}\n"
    "  shaft: {kind: revolute, between: [base, disc], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "  teeth: {kind: gear, drive: axle, driven: shaft, ratio: -2}\n"
    "signals:\n"
    "  wanted: {kind: table, interpolation: linear, points: [{at: 0, value: 1}, {at: 2, value: "
    "3}]}\n"
    "  pid: {kind: pid, input: axle.velocity, target: wanted, kp: 2, ki: 3, sample: 0.01}\n"
    "efforts: {push: {on: axle, effort: pid}}\n";

static uint64_t identity_of(const plant *of) {
  return flg_assembly_identity(of->assembly, 7);
}

/* changed by the last bit it is another, and put back the same */
static void expect_to_count(const plant *of, double *numbers, size_t bytes, const char *what) {
  const uint64_t identity = identity_of(of);
  for (size_t k = 0; k < bytes / sizeof *numbers; k++) {
    const double kept = numbers[k];
    numbers[k] = isfinite(kept) ? nextafter(kept, 1e9) : 1;
    if (identity_of(of) == identity) fail_msg("number %zu of %s", k, what);
    numbers[k] = kept;
    assert_true(identity_of(of) == identity);
  }
}

static void expect_to_matter(const plant *of, int *numbers, int count, const char *what) {
  const uint64_t identity = identity_of(of);
  for (int k = 0; k < count; k++) {
    numbers[k]++;
    if (identity_of(of) == identity) fail_msg("integer %d of %s", k, what);
    numbers[k]--;
  }
}

static void look_at_anchor(const plant *of, flg_anchor *anchor) {
  expect_to_count(of, (double *)&anchor->pose, sizeof anchor->pose, "an anchor");
  expect_to_matter(of, &anchor->robot, 1, "an anchor");
  expect_to_matter(of, &anchor->body, 1, "an anchor");
}

static void bodies_and_joints_count(void **state) {
  (void)state;
  plant of;
  plant_build(&of, TEXT, FLG_SCHEME_RATTLE, 1e-3);
  flg_component *component = &of.component;
  for (int k = 0; k < component->body_count; k++) {
    flg_component_body *body = &component->bodies[k];
    expect_to_matter(&of, &body->group, 1, body->name);
    if (body->fixed) {
      expect_to_count(&of, (double *)&body->pose, sizeof body->pose, "a fixed body");
      continue;
    }
    expect_to_count(&of, &body->mass, sizeof body->mass, "a mass");
    expect_to_count(&of, (double *)&body->centre, sizeof body->centre, "a centre");
    expect_to_count(&of, (double *)&body->inertia, sizeof body->inertia, "an inertia");
    expect_to_count(&of, (double *)&body->gravity, sizeof body->gravity, "a gravity");
  }
  for (int k = 0; k < component->joint_count; k++) {
    flg_component_joint *joint = &component->joints[k];
    for (int e = 0; e < 2; e++) look_at_anchor(&of, &joint->end[e]);
    expect_to_matter(&of, &joint->group, 1, joint->name);
    expect_to_matter(&of, joint->coordinate, 2, joint->name);
    expect_to_count(&of, joint->factor, sizeof joint->factor, joint->name);
    expect_to_count(&of, &joint->constant, sizeof joint->constant, joint->name);
    expect_to_count(&of, &of.assembly->model.row_sets[k].constant, sizeof(double), "a row");
  }
  expect_to_count(&of, &of.assembly->model.length, sizeof(double), "the length");
  expect_to_count(&of, (double *)&of.assembly->model.options.gravity, sizeof(flg_vec3), "gravity");
  plant_drop(&of);
}

/* sums have coordinates and factors, all others have none */
static void coordinates_count_by_their_kind(void **state) {
  (void)state;
  plant of;
  plant_build(&of, TEXT, FLG_SCHEME_RATTLE, 1e-3);
  assert_true(of.component.coordinate_count >= 2);
  for (int k = 0; k < of.component.coordinate_count; k++) {
    flg_component_coordinate *coordinate = &of.component.coordinates[k];
    const flg_coordinate_kind kind = coordinate->kind;
    for (int e = 0; e < 2; e++) look_at_anchor(&of, &coordinate->end[e]);
    const uint64_t identity = identity_of(&of);
    coordinate->kind = FLG_COORDINATE_SUM;
    assert_true(identity_of(&of) != identity);
    expect_to_matter(&of, coordinate->of, 2, "a sum");
    expect_to_count(&of, coordinate->factor, sizeof coordinate->factor, "a sum");
    coordinate->kind = kind;
    if (kind == FLG_COORDINATE_SUM) continue;
    coordinate->of[0]++, coordinate->factor[1] += 1;
    assert_true(identity_of(&of) == identity);
  }
  plant_drop(&of);
}

static void signals_count(void **state) {
  (void)state;
  plant of;
  plant_build(&of, TEXT, FLG_SCHEME_RATTLE, 1e-3);
  for (int k = 0; k < of.component.block_count; k++) {
    flg_block *block = &of.component.blocks[k];
    double *const numbers[] = {&block->at,
                               &block->until,
                               &block->from,
                               &block->to,
                               &block->slope,
                               &block->amplitude,
                               &block->frequency,
                               &block->phase,
                               &block->offset,
                               &block->kp,
                               &block->ki,
                               &block->kd,
                               &block->tracking,
                               &block->time_constant,
                               &block->derivative_filter,
                               &block->damping,
                               &block->initial,
                               &block->sample};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
      expect_to_count(&of, numbers[i], sizeof(double), block->name);
    expect_to_count(&of, block->limit, sizeof block->limit, "a limit");
    expect_to_matter(&of, &block->order, 1, block->name);
    /* as many as the curve has, wherever they are */
    const flg_curve kept = block->curve;
    double times[4] = {0}, values[8] = {0};
    block->curve =
        (flg_curve){.kind = kept.kind, .knots = 4, .width = 2, .times = times, .values = values};
    expect_to_count(&of, times, sizeof times, "times");
    expect_to_count(&of, values, sizeof values, "values");
    block->curve = kept;
  }
  plant_drop(&of);
}

static void starts_and_names_of_others_do_not_count(void **state) {
  (void)state;
  plant of, twin;
  plant_build(&of, TEXT, FLG_SCHEME_RATTLE, 1e-3);
  plant_build(&twin, TEXT, FLG_SCHEME_RATTLE, 1e-3);
  const uint64_t identity = identity_of(&of);
  assert_true(identity == identity_of(&twin));
  assert_true(identity != flg_assembly_identity(of.assembly, 8));
  of.component.bodies[1].pose.position.x += 1, of.component.bodies[1].velocity.linear.x += 1;
  of.component.bodies[0].mass += 1;
  assert_true(identity == identity_of(&of));
  of.component.bodies[1].name = "other";
  assert_true(identity != identity_of(&of));
  plant_drop(&of), plant_drop(&twin);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_and_joints_count),
      cmocka_unit_test(coordinates_count_by_their_kind),
      cmocka_unit_test(signals_count),
      cmocka_unit_test(starts_and_names_of_others_do_not_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
