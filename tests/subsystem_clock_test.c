/* The clock, with a subsystem that it knows nothing about but the contract. */
#include "beads.h"
#include "cosim/inverse.h"
#include "io/load.h"
#include "scenarios.h"

static beads *beads_of(const flg_simulation *simulation) {
  return simulation->subsystems[0].self;
}

static void a_table_without_a_required_entry_is_refused(void **state) {
  (void)state;
  flg_subsystem_ops ops = beads_ops;
  flg_subsystem subsystem = {0};
  flg_error error = {0};
  ops.energy = NULL;
  assert_int_equal(flg_subsystem_build(&subsystem, "x", &ops, NULL, &error), FLG_ERR_RANGE);
  assert_non_null(strstr(error.message, "'energy'"));
  assert_null(subsystem.ops);
  ops = beads_ops, ops.act = NULL;
  assert_int_equal(flg_subsystem_build(&subsystem, "x", &ops, NULL, &error), FLG_ERR_RANGE);
  assert_non_null(strstr(error.message, "'act'"));
  ops.actions = 0, ops.aim = NULL;
  assert_int_equal(flg_subsystem_build(&subsystem, "x", &ops, NULL, &error), FLG_OK);
}

static int no_ports(const void *self) {
  (void)self;
  return 0;
}

static bool never(const void *self) {
  (void)self;
  return false;
}

static void a_table_of_coupled_entries_is_looked_at_too(void **state) {
  (void)state;
  flg_simulation *robot =
      load_texts("flange: 1\ntime: {end: 1, macro: 0.1}\nsubsystems: {a: {model: model.yaml}}\n",
                 "flange-model: 1\nbodies: {arm: {mass: 1, inertia: [1, 1, 1]}}\n"
                 "joints: {hinge: {kind: revolute, child: arm, axis: [0, 1, 0]}}\n");
  const flg_subsystem_ops *with_contacts = robot->subsystems[0].ops;
  const flg_coupled_ops whole = *with_contacts->coupled;
  flg_simulation_release(robot);
  flg_coupled_ops lacking[7] = {whole, whole, whole, whole, {.ports = no_ports}, whole, whole};
  lacking[0].push = NULL;
  lacking[2].contacts = NULL;
  lacking[3].velocity_bias = NULL, lacking[3].uses_start_rows = never;
  lacking[5].reduce_elastic = NULL, lacking[6].elastic = NULL;
  static const char *const entries[] = {"'coupled.push'",     "'contacts'",
                                        "'coupled.contacts'", "'coupled.turning'",
                                        "'coupled.frame'",    "'coupled.reduce_elastic'",
                                        "'coupled.elastic'"};
  flg_subsystem_ops ops = beads_ops;
  flg_subsystem subsystem = {0};
  for (int k = 0; k < 7; k++) {
    flg_error error = {0};
    ops.contacts = k == 1 ? NULL : with_contacts->contacts, ops.touched = with_contacts->touched;
    ops.coupled = &lacking[k];
    assert_int_equal(flg_subsystem_build(&subsystem, "x", &ops, NULL, &error), FLG_ERR_RANGE);
    assert_non_null(strstr(error.message, entries[k]));
  }
  ops.coupled = &whole;
  assert_int_equal(flg_subsystem_build(&subsystem, "x", &ops, NULL, NULL), FLG_OK);
}

static void what_it_cannot_do_is_told_with_its_name(void **state) {
  (void)state;
  flg_simulation *simulation = make_beads(1, 2);
  flg_error error = {0};
  int target = -1;
  assert_int_equal(flg_subsystem_aim(&simulation->subsystems[0], FLG_ACTION_LOCK, "left/bead", 0,
                                     &target, &error),
                   FLG_ERR_INPUT);
  assert_string_equal(error.message, "'beads' cannot lock joints");
  flg_simulation_release(simulation);
}

/* after a second the right bead, at 2 m/s, is at (1, 2): sqrt 5 from the middle */
static void violations_of_constraints_are_the_largest_of_all_steps(void **state) {
  (void)state;
  flg_simulation *simulation = make_beads(1, 2);
  double position, velocity;
  assert_true(flg_simulation_constraints(simulation, &position, &velocity));
  assert_true(position == 0 && velocity == 0);
  run_to_end(simulation);
  assert_true(flg_simulation_constraints(simulation, &position, &velocity));
  assert_near(position, sqrt(5) - 1, 1e-14);
  assert_near(velocity, 4 / sqrt(5), 1e-14);
  double *s = beads_of(simulation)->state;
  s[BEAD_Y] = s[BEAD_VY] = s[BEAD_NUMBERS + BEAD_Y] = s[BEAD_NUMBERS + BEAD_VY] = 0;
  assert_int_equal(flg_simulation_step(simulation, NULL), FLG_OK);
  flg_simulation_constraints(simulation, &position, &velocity);
  assert_near(position, sqrt(5) - 1, 1e-14);
  flg_simulation_release(simulation);
}

static void they_are_part_of_a_snapshot(void **state) {
  (void)state;
  flg_simulation *one = make_beads(1, 2), *two = make_beads(1, 2);
  void *saved = malloc(flg_simulation_state_bytes(one));
  assert_non_null(saved);
  run_to_end(one);
  flg_simulation_save(one, saved);
  flg_simulation_restore(two, saved);
  double a[2], b[2];
  flg_simulation_constraints(one, &a[0], &a[1]);
  flg_simulation_constraints(two, &b[0], &b[1]);
  assert_memory_equal(a, b, sizeof a);
  assert_true(flg_simulation_hash(one) == flg_simulation_hash(two));
  free(saved);
  flg_simulation_release(one);
  flg_simulation_release(two);
}

static void a_robot_alone_has_no_constraints(void **state) {
  (void)state;
  flg_simulation *simulation = load_texts(
      "flange: 1\ntime: {end: 1, macro: 0.1}\nsubsystems: {a: {model: model.yaml}}\n"
      "record: [a/energy]\n",
      "flange-model: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {j: {kind: floating, child: b}}\n");
  double position = 7, velocity = 7;
  assert_false(flg_simulation_constraints(simulation, &position, &velocity));
  assert_true(position == 0 && velocity == 0);
  flg_simulation_release(simulation);
}

static void divergence_is_told_with_who_is_to_blame(void **state) {
  (void)state;
  flg_simulation *simulation = make_beads(1, 2);
  flg_error error = {0};
  beads_of(simulation)->state[BEAD_NUMBERS + BEAD_VY] = INFINITY;
  assert_int_equal(flg_simulation_step(simulation, &error), FLG_ERR_DIVERGED);
  assert_string_equal(error.message,
                      "Subsystem 'beads' diverged at t = 0.1 s: its state is no longer finite, "
                      "first of all bead 'right'. Try a smaller step.");
  flg_simulation_release(simulation);
}

static void a_step_that_fails_is_told_with_its_reason(void **state) {
  (void)state;
  flg_simulation *simulation = make_beads(1, 2);
  flg_error error = {0};
  assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
  beads_of(simulation)->state[BEAD_VX] = -1;
  assert_int_equal(flg_simulation_step(simulation, &error), FLG_ERR_DIVERGED);
  assert_string_equal(error.message, "Subsystem 'beads': a bead turned back after t = 0.1 s.");
  flg_simulation_release(simulation);
}

static void what_needs_a_robot_says_so(void **state) {
  (void)state;
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  flg_simulation *simulation = make_beads(1, 2);
  assert_null(flg_subsystem_robot(&simulation->subsystems[0]));
  assert_null(flg_compose_subsystem(simulation, "left", (flg_place){0}, &mistakes));
  assert_non_null(strstr(mistakes.list[0].message, "'left' is no robot"));
  flg_inverse *inverse = NULL;
  const flg_inverse_options options = {.subsystem = 0};
  assert_int_equal(flg_inverse_build(&inverse, simulation, &options, &mistakes), FLG_ERR_INPUT);
  assert_non_null(strstr(mistakes.list[1].message, "'beads' is no robot"));
  flg_simulation_release(simulation);
}

/* ---- parts that share a subsystem ---- */

static const char *mistake_of(const flg_simulation *simulation, const char *name) {
  static flg_mistakes mistakes;
  flg_region region = {0};
  flg_recorded recorded;
  flg_signal signal;
  mistakes = (flg_mistakes){0};
  flg_recorded_find(&recorded, &signal, name, (flg_place){0}, simulation, &region, &mistakes);
  flg_region_release(&region);
  return mistakes.count == 0 ? "" : mistakes.list[0].message;
}

static void names_of_parts_lead_into_the_subsystem_that_they_share(void **state) {
  (void)state;
  flg_simulation *simulation = make_beads(1, 2);
  flg_recorded recorded;
  flg_signal signal;
  double values[2];
  assert_int_equal(flg_recorded_find(&recorded, &signal, "right/bead.velocity", (flg_place){0},
                                     simulation, &simulation->region, NULL),
                   FLG_OK);
  assert_string_equal(signal.name, "right/bead.velocity");
  assert_int_equal(signal.width, 2);
  flg_recorded_read(&recorded, values);
  assert_true(values[0] == 0 && values[1] == 2);
  assert_string_equal(mistake_of(simulation, "left/bed.velocity"),
                      "record: 'left/bed.velocity': there is no body or joint 'bed' in left; did "
                      "you mean 'bead'?");
  assert_string_equal(mistake_of(simulation, "left/bead/rim.velocity"),
                      "record: 'left/bead/rim.velocity': there is no marker 'rim' in this body");
  assert_string_equal(mistake_of(simulation, "lft/bead.velocity"),
                      "record: 'lft/bead.velocity': there is no subsystem 'lft' in the scenario; "
                      "did you mean 'left'?");
  assert_non_null(strstr(mistake_of(simulation, "left/energy"), "no body or joint 'energy'"));
  flg_simulation_release(simulation);
}

/* ---- threads ---- */

static const char three[] =
    "flange: 1\ntime: {end: 1, macro: 0.1}\n"
    "subsystems:\n"
    "  a: {model: model.yaml, step: 0.001, initial_velocity: {j: [1, 2, 3, 4, 5, 6]}}\n"
    "  b: {model: model.yaml, step: 0.01, integrator: rk4, initial_velocity: {j: [1, 2, 3, 4, 5, "
    "6]}}\n"
    "  c: {model: model.yaml, integrator: adaptive, initial_velocity: {j: [1, 2, 3, 4, 5, 6]}}\n"
    "events: [{at: 0.5, set: {b/j: [0, 0, 0, 1, 0, 0, 0]}}]\n"
    "record: [a/energy]\n";
static const char three_model[] =
    "flange-model: 1\nbodies: {b: {mass: 1, centre: [0, 0, 1], inertia: [1, 2, 2.5]}}\n"
    "joints: {j: {kind: floating, child: b}}\n";

static uint64_t hash_with(int count) {
  flg_simulation *simulation = load_texts(three, three_model);
  flg_threads *threads = NULL;
  if (count > 0) assert_int_equal(flg_threads_build(&threads, count, NULL), FLG_OK);
  flg_simulation_share(simulation, threads);
  run_to_end(simulation);
  assert_int_equal(flg_simulation_micro_steps(simulation), 1000 + 100 + 10);
  const uint64_t hash = flg_simulation_hash(simulation);
  flg_simulation_release(simulation);
  flg_threads_release(threads);
  return hash;
}

static void robots_side_by_side_give_the_same_bits(void **state) {
  (void)state;
  const uint64_t alone = hash_with(0);
  for (int count = 1; count <= 4; count++) assert_true(hash_with(count) == alone);
}

/* beads advance by themselves, with the threads inside */
static void threads_reach_the_inside_of_a_subsystem(void **state) {
  (void)state;
  flg_simulation *one = make_beads(1, 2), *two = make_beads(1, 2);
  flg_threads *threads = NULL;
  assert_int_equal(flg_threads_build(&threads, 2, NULL), FLG_OK);
  flg_simulation_share(one, threads);
  assert_ptr_equal(beads_of(one)->threads, threads);
  run_to_end(one);
  run_to_end(two);
  assert_true(flg_simulation_hash(one) == flg_simulation_hash(two));
  flg_simulation_release(one);
  flg_simulation_release(two);
  flg_threads_release(threads);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_without_a_required_entry_is_refused),
      cmocka_unit_test(a_table_of_coupled_entries_is_looked_at_too),
      cmocka_unit_test(what_it_cannot_do_is_told_with_its_name),
      cmocka_unit_test(violations_of_constraints_are_the_largest_of_all_steps),
      cmocka_unit_test(they_are_part_of_a_snapshot),
      cmocka_unit_test(a_robot_alone_has_no_constraints),
      cmocka_unit_test(divergence_is_told_with_who_is_to_blame),
      cmocka_unit_test(a_step_that_fails_is_told_with_its_reason),
      cmocka_unit_test(what_needs_a_robot_says_so),
      cmocka_unit_test(names_of_parts_lead_into_the_subsystem_that_they_share),
      cmocka_unit_test(robots_side_by_side_give_the_same_bits),
      cmocka_unit_test(threads_reach_the_inside_of_a_subsystem),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
