/* Steps of rattle by generated code with forces of springs, loads and signals: those of the
 * interpreter, bit for bit. */
#include "allocations.h"
#include "assembly/assembly_inner.h"
#include "cache_folder.h"
#include "check.h"
#include "code_twins.h"
#include "component/assembly_contract.h"
#include "four_bars.h"
#include "scenarios.h"
#include "space_loops.h"

/* --- random mechanisms --------------------------------------------------------------------------
 */

/* springs, dampers and loads that are soft for the step */
static void add_random_forces(parts *p, random_source *source) {
  flg_component *component = &p->component;
  const int bodies = component->body_count, coordinates = component->coordinate_count;
  for (int k = 0; k < 3; k++) {
    const int a = random_integer(source, -1, bodies - 1), b = random_integer(source, 0, bodies - 1);
    if (a == b) continue;
    add_strut(p, a < 0 ? FLG_WORLD : a, random_vector(source), b, random_vector(source),
              random_uniform(source, 0, 50), random_uniform(source, 0, 2),
              random_uniform(source, 0, 1));
  }
  if (coordinates > 0) {
    add_spring(p, random_integer(source, 0, coordinates - 1), random_uniform(source, 0, 5),
               random_uniform(source, 0, 0.2), random_uniform(source, -1, 1));
  }
  flg_component_load *load = &component->loads[component->load_count++];
  const flg_pose at = {flg_mat3_identity(), random_vector(source)};
  const int on = random_integer(source, 0, bodies - 1);
  *load = (flg_component_load){.name = "load",
                               .group = FLG_TOP,
                               .at = anchor_at(p, on, &at),
                               .follows = random_integer(source, 0, 1) == 1,
                               .enabled = true,
                               .force = {random_vector(source), random_vector(source)}};
}

static void random_loops_with_forces_step_bit_for_bit(void **state) {
  (void)state;
  random_source source = {11};
  step_sums sums = {0};
  for (int k = 0; k < REPEATS(4); k++) {
    parts *p = parts_new(12);
    add_random_loop(p, &source, random_integer(&source, 5, 9));
    add_random_forces(p, &source);
    code_twins twins =
        make_twins(p, flg_vec3_scale(random_vector(&source), 9.81), random_integer(&source, 0, 1));
    assert_true(twins.compiled->model.code.is_pushed);
    run_and_count(&twins, 400, &sums);
    parts_drop(p);
  }
  tell_sums(&sums);
  assert_true(sums.taken > 3 * sums.declined);
}

/* They fall through flat poses, where the interpreter steps; samples and angles go on. */
static void four_bars_with_springs_pass_flat_poses_bit_for_bit(void **state) {
  (void)state;
  parts *p = four_bars(2);
  add_spring(p, 0, 0.3, 0.01, 0.2);
  add_strut(p, FLG_WORLD, vec(0.2, 2, 0.1), 1, vec(1, 1, 0), 2, 0.02, 0.5);
  code_twins twins = make_twins(p, vec(0, -9.81, 0), false);
  run_twins(&twins, 6000);
  print_message("%d steps compiled, %d interpreted\n", (int)counts_of(&twins).taken,
                (int)counts_of(&twins).declined);
  assert_true(counts_of(&twins).declined > 0 && counts_of(&twins).taken > 5000);
  drop_twins(&twins);
  parts_drop(p);
}

static void a_state_from_outside_is_stepped_bit_for_bit(void **state) {
  (void)state;
  parts *p = spatial_crank(4);
  add_spring(p, 0, 5, 0.1, 0.2);
  code_twins twins = make_twins(p, vec(0, -9.81, 0), true);
  run_twins(&twins, 30);
  put_twins_back(&twins, 50);
  run_twins(&twins, 50);
  drop_twins(&twins);
  parts_drop(p);
}

static void steps_allocate_nothing(void **state) {
  (void)state;
  if (!allocations_counted()) skip();
  parts *p = spatial_crank(3);
  add_spring(p, 0, 5, 0.1, 0.2);
  code_twins twins = make_twins(p, vec(0, -9.81, 0), true);
  run_twins(&twins, 10);
  allocations_begin();
  assert_int_equal(flg_assembly_advance(twins.compiled, 0, STEP, 10, 100), FLG_OK);
  assert_int_equal(allocations_end(), 0);
  drop_twins(&twins);
  parts_drop(p);
}

/* --- machines -----------------------------------------------------------------------------------
 * The world of a scenario: lengths times `scale`, mirrored in y if `hand` is -1, bodies in their
 * order or backwards.
 */

typedef struct machine {
  double scale, hand;
  bool is_backwards;
  const char *forces;
} machine;

static const char springs[] =
    "springs:\n"
    "  s: {between: [world, rod], stiffness: 40, damping: 1, length: 0.5}\n"
    "  t: {on: d, stiffness: 3, damping: 0.2}\n"
    "forces: {w: {body: rod, force: [1, 2, 3]}}\n";
static const char bushings[] =
    "bushings:\n"
    "  m: {between: [world, rocker], at: [1.5, 0.3, 0.4], stiffness: [30, 20, 10],\n"
    "    damping: [0.1, 0.2, 0.3], angular_stiffness: [1, 2, 3]}\n";
static const char driven[] =
    "signals:\n"
    "  u: {kind: sine, amplitude: 2, frequency: 1.3}\n"
    "  w: {kind: pid, target: u, input: a.position, kp: 5, ki: 2, kd: 0.3, sample: 1/250}\n"
    "  l: {kind: filter, input: w, time_constant: 0.02}\n"
    "efforts: {e: {on: a, effort: l, limit: 20}, f: {on: d, effort: u}}\n";

static const char *write_machine(const machine *of) {
  static char text[3000];
  static const char *const names[3] = {"crank", "rod", "rocker"};
  static const double numbers[3][7] = {{0.02, 0.01, 0.02, 0, 0.15, 0, 1},
                                       {0.01, 0.1, 0.1, 0.75, 0.6, 0.2, 0.5},
                                       {0.2, 0.01, 0.2, 1.5, 0.45, 0.4, 2}};
  const double s = of->scale, y = of->scale * of->hand;
  char *to = text + sprintf(text, "flange-component: 1\nbodies:\n");
  for (int k = 0; k < 3; k++) {
    const int b = of->is_backwards ? 2 - k : k;
    const double *n = numbers[b];
    to += sprintf(to, "  %s: {mass: %g, inertia: [%g, %g, %g], at: [%g, %g, %g]}\n", names[b], n[6],
                  s * s * n[0], s * s * n[1], s * s * n[2], s * n[3], y * n[4], s * n[5]);
  }
  sprintf(
      to,
      "joints:\n"
      "  a: {kind: revolute, between: [world, crank], at: [0, 0, 0]}\n"
      "  b: {kind: spherical, between: [crank, rod], at: [0, %g, 0]}\n"
      "  c: {kind: universal, between: [rod, rocker], at: [%g, %g, %g], axis: [0, 1, 0], "
      "axis2: [0, 0, 1]}\n"
      "  d: {kind: revolute, between: [rocker, world], at: [%g, 0, %g], axis: [0.2, %g, 1]}\n%s",
      0.3 * y, 1.5 * s, 0.9 * y, 0.4 * s, 1.5 * s, 0.4 * s, 0.1 * of->hand, of->forces);
  return text;
}

static flg_simulation *load_machine(const machine *of, bool compiled, const char *more) {
  char text[1000];
  snprintf(text, sizeof text,
           "flange: 1\ntime: {end: 1, macro: 0.01}\ngravity: [1, -9.81, 0.3]\nsubsystems:\n"
           "  crank: {model: model.yaml, step: 0.001, compiled: %s%s}\n"
           "record: [crank/rod.position, crank/energy, crank/a.position]\n",
           compiled ? "true" : "false", more);
  return load_texts(text, write_machine(of));
}

static void compare_runs(const machine *of, const char *more) {
  flg_simulation *ours = load_machine(of, true, more), *theirs = load_machine(of, false, more);
  int64_t taken, declined;
  if (flg_simulation_notice(ours, 0) != NULL) fail_msg("%s", flg_simulation_notice(ours, 0));
  run_to_end(ours), run_to_end(theirs);
  assert_true(flg_simulation_hash(ours) == flg_simulation_hash(theirs));
  const flg_assembly *assembly = flg_subsystem_assembly(&ours->subsystems[0]);
  assert_true(flg_compiled_mechanism_steps(assembly, &taken, &declined));
  print_message("%d steps compiled, %d interpreted\n", (int)taken, (int)declined);
  assert_true(taken + declined >= 1000); /* signals that jump cut steps */
  assert_true(taken > 900);
  flg_simulation_release(ours), flg_simulation_release(theirs);
}

static void machines_and_their_neighbours_end_with_the_same_bits(void **state) {
  (void)state;
  static const char *const forces[] = {springs, bushings, driven};
  for (size_t k = 0; k < sizeof forces / sizeof forces[0]; k++) {
    compare_runs(&(machine){1, 1, false, forces[k]}, "");
    compare_runs(&(machine){1, 1, false, forces[k]}, ", at: [1, 2, 3], turn: [0.3, -0.2, 1]");
    compare_runs(&(machine){1, 1, false, forces[k]}, ", reduce: none");
    compare_runs(&(machine){1, -1, false, forces[k]}, "");
    compare_runs(&(machine){1, 1, true, forces[k]}, "");
    compare_runs(&(machine){3, 1, false, forces[k]}, "");
  }
}

static void resumed_runs_have_the_same_bits(void **state) {
  (void)state;
  const machine of = {1, 1, false, driven};
  resume_bit_for_bit(load_machine(&of, true, ""), load_machine(&of, true, ""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_loops_with_forces_step_bit_for_bit),
      cmocka_unit_test(four_bars_with_springs_pass_flat_poses_bit_for_bit),
      cmocka_unit_test(a_state_from_outside_is_stepped_bit_for_bit),
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(machines_and_their_neighbours_end_with_the_same_bits),
      cmocka_unit_test(resumed_runs_have_the_same_bits),
  };
  return cmocka_run_group_tests(tests, open_cache, close_cache);
}
