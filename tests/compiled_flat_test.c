/* Steps in the plane by generated code: those of the interpreter, bit for bit. */
#include "allocations.h"
#include "assembly/assembly_planar.h"
#include "cache_folder.h"
#include "check.h"
#include "code_twins.h"
#include "compile/pattern_source.h"
#include "component/assembly_contract.h"
#include "flat_mechanisms.h"
#include "four_bars.h"
#include "scenarios.h"

/* --- mechanisms ---------------------------------------------------------------------------------
 */

static flg_assembly *build(parts *p, flg_vec3 gravity) {
  return build_twin(p, gravity, true);
}

static code_twins make_flat_twins(parts *p, flg_vec3 gravity) {
  return make_twins(p, gravity, true);
}

/* some have all their bodies welded, or no joint with a normal */
static bool is_planar(parts *p) {
  flg_assembly *assembly = build(p, vec(0, 0, 0));
  const bool is_planar = assembly->model.planar != NULL;
  flg_assembly_release(assembly);
  return is_planar;
}

static void random_mechanisms_step_bit_for_bit(void **state) {
  (void)state;
  random_source source = {5};
  step_sums sums = {0};
  for (int k = 0; k < REPEATS(12); k++) {
    const flat_plane in = random_flat_plane(&source);
    parts *p = random_flat_mechanism(&source, &in);
    const flg_vec3 gravity = flg_vec3_scale(random_vector(&source), 9.81);
    if (is_planar(p)) {
      code_twins twins = make_flat_twins(p, gravity);
      run_and_count(&twins, 300, &sums);
    }
    parts_drop(p);
  }
  tell_sums(&sums);
  assert_true(sums.taken > 8 * sums.declined);
}

/* all links of one length lie in one line twice a turn: there the interpreter steps */
static void four_bars_pass_flat_poses_bit_for_bit(void **state) {
  (void)state;
  parts *p = four_bars(1);
  code_twins twins = make_flat_twins(p, vec(0, -9.81, 0));
  run_twins(&twins, 10000);
  const flg_step_code counts = counts_of(&twins);
  print_message("%d steps compiled, %d interpreted\n", (int)counts.taken, (int)counts.declined);
  assert_true(counts.declined > 0 && counts.taken > 9000);
  assert_int_equal(counts.taken + counts.declined, 10000);
  drop_twins(&twins);
  parts_drop(p);
}

/* crank and rod of one length: the slider passes the crank's axis, where it has two ways to go */
static void slider_crank_with_equal_arms_steps_bit_for_bit(void **state) {
  (void)state;
  const flg_vec3 Z = {0, 0, 1}, X = {1, 0, 0}, top = {0.6, 0.8, 0}, end = {1.2, 0, 0};
  parts *p = parts_new(5);
  const int crank = add_rod(p, 1, vec(0, 0, 0), top), rod = add_rod(p, 1, top, end);
  const int slider =
      add_body(p, 0.5, (flg_sym3){0.01, 0.01, 0.01, 0, 0, 0}, end, flg_quat_identity());
  p->component.bodies[crank].velocity.angular = vec(0, 0, 4);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, FLG_WORLD, crank, vec(0, 0, 0), Z);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, crank, rod, top, Z);
  add_joint(p, FLG_CONSTRAINT_REVOLUTE, rod, slider, end, Z);
  add_joint(p, FLG_CONSTRAINT_PRISMATIC, FLG_WORLD, slider, end, X);
  code_twins twins = make_flat_twins(p, vec(0, -9.81, 0));
  run_twins(&twins, 5000);
  const flg_step_code counts = counts_of(&twins);
  print_message("%d steps compiled, %d interpreted\n", (int)counts.taken, (int)counts.declined);
  assert_true(counts.declined > 0 && counts.taken > 4000);
  drop_twins(&twins);
  parts_drop(p);
}

/* bodies that hang on any of those before them: columns of S of many shapes */
static parts *random_tree(int bodies, bool is_regular) {
  random_source source = {9};
  const flat_plane in = {vec(1, 0, 0), vec(0, 1, 0), vec(0, 0, 1)};
  parts *p = parts_new(2 * bodies + 2);
  for (int k = 0; k < bodies; k++) {
    add_flat_body(p, &source, &in);
    const int on = is_regular || k == 0 ? k - 1 : random_integer(&source, k > 9 ? k - 9 : 0, k - 1);
    add_joint(p, FLG_CONSTRAINT_REVOLUTE, on, k, random_point(&source, &in, 0), in.n);
  }
  return p;
}

static int operations_of(parts *p, int *runs) {
  flg_assembly *assembly = build(p, vec(0, -9.81, 0));
  flg_region work = {0};
  flg_pattern_source code;
  assert_true(flg_pattern_source_find(&code, &assembly->model.planar->S.pattern, NULL, &work));
  *runs = code.run_count;
  flg_region_release(&work);
  flg_assembly_release(assembly);
  return code.operations;
}

static void large_trees_step_bit_for_bit_by_tables(void **state) {
  (void)state;
  parts *p = random_tree(400, false);
  int runs;
  const int operations = operations_of(p, &runs);
  print_message("%d runs, %d operations would be spelt out\n", runs, operations);
  assert_true(operations > 600);
  code_twins twins = make_flat_twins(p, vec(0, -9.81, 0));
  run_twins(&twins, 40);
  assert_int_equal(counts_of(&twins).taken, 40);
  drop_twins(&twins);
  parts_drop(p);
}

static void long_chains_are_loops_and_step_bit_for_bit(void **state) {
  (void)state;
  parts *shorter = random_tree(40, true), *longer = random_tree(400, true);
  int runs[2];
  const int of_shorter = operations_of(shorter, &runs[0]),
            of_longer = operations_of(longer, &runs[1]);
  print_message("40 bodies: %d operations, 400: %d\n", of_shorter, of_longer);
  assert_true(of_longer < 600);
  code_twins twins = make_flat_twins(longer, vec(0, -9.81, 0));
  run_twins(&twins, 40);
  assert_int_equal(counts_of(&twins).taken, 40);
  drop_twins(&twins);
  parts_drop(shorter), parts_drop(longer);
}

/* --- around steps -------------------------------------------------------------------------------
 */

static void a_state_from_outside_is_stepped_bit_for_bit(void **state) {
  (void)state;
  parts *p = four_bars(2);
  code_twins twins = make_flat_twins(p, vec(0, -9.81, 0));
  run_twins(&twins, 30);
  put_twins_back(&twins, 50);
  run_twins(&twins, 50);
  drop_twins(&twins);
  parts_drop(p);
}

/* masses, lengths, gravity and start differ; what is joined to what does not */
static void one_library_serves_all_of_a_structure(void **state) {
  (void)state;
  empty_cache();
  parts *one = random_tree(6, true), *other = random_tree(6, true);
  for (int k = 0; k < 6; k++) other->component.bodies[k].mass *= 1.5 + k;
  code_twins first = make_flat_twins(one, vec(0, -9.81, 0)),
             second = make_flat_twins(other, vec(3, 4, 0));
  run_twins(&first, 100), run_twins(&second, 100);
  assert_int_equal(count_cached(NULL), 1);
  assert_true(memcmp(first.compiled->state.q, second.compiled->state.q, 7 * sizeof(double)) != 0);
  drop_twins(&first), drop_twins(&second);
  parts_drop(one), parts_drop(other);
}

static void steps_allocate_nothing(void **state) {
  (void)state;
  if (!allocations_counted()) skip();
  parts *p = four_bars(2);
  code_twins twins = make_flat_twins(p, vec(0, -9.81, 0));
  run_twins(&twins, 10);
  allocations_begin();
  assert_int_equal(flg_assembly_advance(twins.compiled, 0, STEP, 10, 100), FLG_OK);
  assert_int_equal(allocations_end(), 0);
  drop_twins(&twins);
  parts_drop(p);
}

/* --- scenarios ----------------------------------------------------------------------------------
 */

static const char bars[] =
    "flange-component: 1\nbodies:\n"
    "  left: {mass: 1, inertia: [0.1, 0.01, 0.1], at: [0, 0.5, 0]}\n"
    "  top: {mass: 2, inertia: [0.01, 0.2, 0.2], at: [0.6, 1.1, 0], turn: [0, 0, 0.165]}\n"
    "  right: {mass: 1, inertia: [0.1, 0.01, 0.1], at: [1.2, 0.6, 0]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [world, left], at: [0, 0, 0]}\n"
    "  b: {kind: revolute, between: [left, top], at: [0, 1, 0]}\n"
    "  c: {kind: revolute, between: [top, right], at: [1.2, 1.2, 0]}\n"
    "  d: {kind: revolute, between: [right, world], at: [1.2, 0, 0]}\n"
    "ports: {mid: {body: top}}\n";
#define SCENARIO(more)                                                              \
  "flange: 1\ntime: {end: 1, macro: 0.01}\ngravity: [1, -9.81, 0.3]\nsubsystems:\n" \
  "  bars: {model: model.yaml, step: 0.001, compiled: @" more "}\nrecord: [bars/mid.position]\n"

static flg_simulation *load_as(const char *scenario, bool compiled, const char *model) {
  char text[2000];
  const char *mark = strchr(scenario, '@');
  snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - scenario), scenario,
           compiled ? "true" : "false", mark + 1);
  return load_texts(text, model);
}

static void run_scenario(const char *scenario, int64_t *taken, int64_t *declined) {
  flg_simulation *ours = load_as(scenario, true, bars), *theirs = load_as(scenario, false, bars);
  assert_null(flg_simulation_notice(ours, 0));
  run_to_end(ours), run_to_end(theirs);
  assert_true(flg_simulation_hash(ours) == flg_simulation_hash(theirs));
  const flg_assembly *assembly = flg_subsystem_assembly(&ours->subsystems[0]);
  assert_true(flg_compiled_mechanism_steps(assembly, taken, declined));
  flg_simulation_release(ours), flg_simulation_release(theirs);
}

static void scenarios_end_with_the_same_bits(void **state) {
  (void)state;
  static const char *const scenarios[] = {SCENARIO(""),
                                          SCENARIO(", at: [1, 2, 3], turn: [0.3, -0.2, 1]"),
                                          SCENARIO(", gravity: [0, 0, -2]")};
  for (size_t k = 0; k < sizeof scenarios / sizeof scenarios[0]; k++) {
    int64_t taken, declined;
    run_scenario(scenarios[k], &taken, &declined);
    assert_int_equal(taken + declined, 1000);
    assert_true(taken > 900);
  }
}

static void notice_of(const char *scenario, const char *model, const char *about) {
  flg_simulation *simulation = load_as(scenario, true, model);
  const char *notice = flg_simulation_notice(simulation, 0);
  int64_t taken, declined;
  assert_non_null(notice);
  if (strstr(notice, about) == NULL) fail_msg("%s", notice);
  assert_false(flg_compiled_mechanism_steps(flg_subsystem_assembly(&simulation->subsystems[0]),
                                            &taken, &declined));
  run_to_end(simulation);
  flg_simulation_release(simulation);
}

static void what_is_not_compiled_is_interpreted_with_a_notice(void **state) {
  (void)state;
  char sprung[2000];
  snprintf(sprung, sizeof sprung,
           "%ssprings: {s: {between: [left, right], stiffness: 10, implicit: true}}\n", bars);
  notice_of(SCENARIO(", integrator: rk4"), bars, "joints without loops");
  notice_of(SCENARIO(""), sprung, "not stiff for the step");
}

static void without_a_compiler_components_are_interpreted(void **state) {
  (void)state;
  empty_cache();
  assert_int_equal(setenv("CC", "/no/such/compiler", 1), 0);
  notice_of(SCENARIO(""), bars, "/no/such/compiler");
  assert_int_equal(unsetenv("CC"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_mechanisms_step_bit_for_bit),
      cmocka_unit_test(four_bars_pass_flat_poses_bit_for_bit),
      cmocka_unit_test(slider_crank_with_equal_arms_steps_bit_for_bit),
      cmocka_unit_test(large_trees_step_bit_for_bit_by_tables),
      cmocka_unit_test(long_chains_are_loops_and_step_bit_for_bit),
      cmocka_unit_test(a_state_from_outside_is_stepped_bit_for_bit),
      cmocka_unit_test(one_library_serves_all_of_a_structure),
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(scenarios_end_with_the_same_bits),
      cmocka_unit_test(what_is_not_compiled_is_interpreted_with_a_notice),
      cmocka_unit_test(without_a_compiler_components_are_interpreted),
  };
  return cmocka_run_group_tests(tests, open_cache, close_cache);
}
