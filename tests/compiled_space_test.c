/* Steps in space by generated code: those of the interpreter, bit for bit. */
#include "allocations.h"
#include "assembly/assembly_inner.h"
#include "cache_folder.h"
#include "check.h"
#include "code_twins.h"
#include "compile/space_source.h"
#include "component/assembly_contract.h"
#include "flat_mechanisms.h"
#include "four_bars.h"
#include "scenarios.h"
#include "space_loops.h"

static void tell_counts(const code_twins *twins) {
  const flg_step_code counts = counts_of(twins);
  print_message("%d steps compiled, %d interpreted\n", (int)counts.taken, (int)counts.declined);
}

/* --- mechanisms ---------------------------------------------------------------------------------
 */

static void random_loops_step_bit_for_bit(void **state) {
  (void)state;
  random_source source = {7};
  step_sums sums = {0};
  for (int k = 0; k < REPEATS(4); k++) {
    parts *p = parts_new(12);
    add_random_loop(p, &source, random_integer(&source, 5, 9));
    code_twins twins =
        make_twins(p, flg_vec3_scale(random_vector(&source), 9.81), random_integer(&source, 0, 1));
    run_and_count(&twins, 400, &sums);
    parts_drop(p);
  }
  tell_sums(&sums);
  assert_true(sums.taken > 8 * sums.declined);
}

/* all links of one length lie in one line twice a turn: there the interpreter steps */
static void four_bars_in_space_pass_flat_poses_bit_for_bit(void **state) {
  (void)state;
  parts *p = four_bars(2);
  code_twins twins = make_twins(p, vec(0, -9.81, 0), false);
  run_twins(&twins, 6000);
  tell_counts(&twins);
  assert_true(counts_of(&twins).declined > 0 && counts_of(&twins).taken > 5000);
  assert_int_equal(counts_of(&twins).taken + counts_of(&twins).declined, 6000);
  drop_twins(&twins);
  parts_drop(p);
}

/* Joints hold the four-bars in their plane, and the pendulum pulls out of it. */
static void flat_bodies_under_a_tilted_pendulum_step_bit_for_bit(void **state) {
  (void)state;
  parts *p = four_bars(3);
  const flg_vec3 top = {0, 1, 0}, end = {0.2, 1.5, 0.1};
  const int rod = add_rod(p, 0.4, top, end);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, 0, rod, top, flg_vec3_normalise(vec(0.3, 0.2, 0.9)));
  code_twins twins = make_twins(p, vec(0.3, -9.81, 1), true);
  assert_true(twins.compiled->scratch.has_flat);
  run_twins(&twins, 1500);
  tell_counts(&twins);
  assert_true(counts_of(&twins).taken > 1000);
  drop_twins(&twins);
  parts_drop(p);
}

/* the state has turns of angles in it */
static void turns_of_a_spatial_crank_are_counted_bit_for_bit(void **state) {
  (void)state;
  parts *p = spatial_crank(25);
  code_twins twins = make_twins(p, vec(0, -9.81, 0), true);
  const double start = twins.compiled->state.angles[0];
  run_twins(&twins, 3000);
  tell_counts(&twins);
  print_message("turned by %.3g rad\n", twins.compiled->state.angles[0] - start);
  assert_true(fabs(twins.compiled->state.angles[0] - start) > 20);
  assert_true(counts_of(&twins).taken > 2900);
  drop_twins(&twins);
  parts_drop(p);
}

static void many_unlike_loops_step_bit_for_bit_by_tables(void **state) {
  (void)state;
  random_source source = {19}; /* rows of most such mechanisms are too close to dependent */
  parts *p = parts_new(200);
  for (int k = 0; k < 25; k++) add_random_loop(p, &source, random_integer(&source, 4, 7));
  code_twins twins = make_twins(p, vec(0, 0, -9.81), false);
  run_twins(&twins, 40);
  tell_counts(&twins);
  assert_true(counts_of(&twins).taken > 30);
  drop_twins(&twins);
  parts_drop(p);
}

static size_t source_length(int count) {
  parts *p = four_bars(count);
  flg_assembly *assembly = build_twin(p, vec(0, -9.81, 0), false);
  flg_region region = {0};
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  flg_space_source_write_alone(flg_space_source_build(assembly, false, &region), "bars", out);
  fclose(out);
  free(text);
  flg_region_release(&region);
  flg_assembly_release(assembly);
  parts_drop(p);
  return length;
}

/* loops over equal shapes: only tables grow */
static void sources_grow_by_their_tables_alone(void **state) {
  (void)state;
  const size_t ten = source_length(10), hundred = source_length(100);
  print_message("10 four-bars: %zu bytes, 100: %zu\n", ten, hundred);
  assert_true(hundred - ten < 90 * 400);
}

/* --- around steps -------------------------------------------------------------------------------
 */

static void a_state_from_outside_is_stepped_bit_for_bit(void **state) {
  (void)state;
  parts *p = spatial_crank(4);
  code_twins twins = make_twins(p, vec(0, -9.81, 0), true);
  run_twins(&twins, 30);
  put_twins_back(&twins, 50);
  run_twins(&twins, 50);
  drop_twins(&twins);
  parts_drop(p);
}

/* masses, gravity and start differ; what is joined to what does not */
static void one_library_serves_all_of_a_structure(void **state) {
  (void)state;
  empty_cache();
  parts *one = spatial_crank(3), *other = spatial_crank(-2);
  for (int k = 0; k < 3; k++) other->component.bodies[k].mass *= 1.5 + k;
  code_twins first = make_twins(one, vec(0, -9.81, 0), true);
  code_twins second = make_twins(other, vec(3, 4, 1), true);
  run_twins(&first, 100), run_twins(&second, 100);
  assert_int_equal(count_cached(NULL), 1);
  assert_true(memcmp(first.compiled->state.q, second.compiled->state.q, 7 * sizeof(double)) != 0);
  drop_twins(&first), drop_twins(&second);
  parts_drop(one), parts_drop(other);
}

static void steps_allocate_nothing(void **state) {
  (void)state;
  if (!allocations_counted()) skip();
  parts *p = spatial_crank(3);
  code_twins twins = make_twins(p, vec(0, -9.81, 0), true);
  run_twins(&twins, 10);
  allocations_begin();
  assert_int_equal(flg_assembly_advance(twins.compiled, 0, STEP, 10, 100), FLG_OK);
  assert_int_equal(allocations_end(), 0);
  drop_twins(&twins);
  parts_drop(p);
}

/* --- scenarios ----------------------------------------------------------------------------------
 */

static const char crank[] =
    "flange-component: 1\nbodies:\n"
    "  crank: {mass: 1, inertia: [0.02, 0.01, 0.02], at: [0, 0.15, 0]}\n"
    "  rod: {mass: 0.5, inertia: [0.01, 0.1, 0.1], at: [0.75, 0.6, 0.2]}\n"
    "  rocker: {mass: 2, inertia: [0.2, 0.01, 0.2], at: [1.5, 0.45, 0.4]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [world, crank], at: [0, 0, 0]}\n"
    "  b: {kind: spherical, between: [crank, rod], at: [0, 0.3, 0]}\n"
    "  c: {kind: universal, between: [rod, rocker], at: [1.5, 0.9, 0.4], axis: [0, 1, 0], axis2: "
    "[0, 0, 1]}\n"
    "  d: {kind: revolute, between: [rocker, world], at: [1.5, 0, 0.4], axis: [0.2, 0.1, 1]}\n";

static flg_simulation *load_as(bool compiled, const char *more) {
  char text[1000];
  snprintf(text, sizeof text,
           "flange: 1\ntime: {end: 1, macro: 0.01}\ngravity: [1, -9.81, 0.3]\nsubsystems:\n"
           "  crank: {model: model.yaml, step: 0.001, compiled: %s%s}\n"
           "record: [crank/rod.position, crank/energy]\n",
           compiled ? "true" : "false", more);
  return load_texts(text, crank);
}

static void scenarios_end_with_the_same_bits(void **state) {
  (void)state;
  static const char *const more[] = {"", ", at: [1, 2, 3], turn: [0.3, -0.2, 1]", ", reduce: none"};
  for (size_t k = 0; k < sizeof more / sizeof more[0]; k++) {
    flg_simulation *ours = load_as(true, more[k]), *theirs = load_as(false, more[k]);
    int64_t taken, declined;
    assert_null(flg_simulation_notice(ours, 0));
    run_to_end(ours), run_to_end(theirs);
    assert_true(flg_simulation_hash(ours) == flg_simulation_hash(theirs));
    const flg_assembly *assembly = flg_subsystem_assembly(&ours->subsystems[0]);
    assert_true(flg_compiled_mechanism_steps(assembly, &taken, &declined));
    assert_int_equal(taken + declined, 1000);
    assert_true(taken > 900);
    flg_simulation_release(ours), flg_simulation_release(theirs);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_loops_step_bit_for_bit),
      cmocka_unit_test(four_bars_in_space_pass_flat_poses_bit_for_bit),
      cmocka_unit_test(flat_bodies_under_a_tilted_pendulum_step_bit_for_bit),
      cmocka_unit_test(turns_of_a_spatial_crank_are_counted_bit_for_bit),
      cmocka_unit_test(many_unlike_loops_step_bit_for_bit_by_tables),
      cmocka_unit_test(sources_grow_by_their_tables_alone),
      cmocka_unit_test(a_state_from_outside_is_stepped_bit_for_bit),
      cmocka_unit_test(one_library_serves_all_of_a_structure),
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(scenarios_end_with_the_same_bits),
  };
  return cmocka_run_group_tests(tests, open_cache, close_cache);
}
