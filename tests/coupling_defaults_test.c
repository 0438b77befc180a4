/* What a scenario does not say of its coupling: the step of all that is solved as one, and the
 * dampers of regularised contacts. */
#include "cosim/simulation.h"
#include "coupling/coupling_inner.h"
#include "scenarios.h"

static const char foot[] =
    "flange-component: 1\n"
    "bodies: {leg: {mass: 1, inertia: [0.02, 0.02, 0.005], at: [0, 0, 0.25], shapes: [{kind: box, "
    "size: [0.3, 0.3, 0.5], friction: 0.5}]}}\n"
    "ports: {top: {body: leg, at: [0, 0, 0.25]}}\n";

static const char plate[] =
    "flange-model: 1\n"
    "bodies: {plate: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
    "joints: {free: {kind: floating, child: plate}}\n"
    "ports: {under: {body: plate, at: [0, 0, -0.25]}}\n";

/* a plate on a foot; `steps`: keys of the two subsystems, `coupling`: keys of the coupling */
static flg_simulation *stand(const char *foot_step, const char *plate_step, const char *coupling) {
  char text[800];
  snprintf(text, sizeof text,
           "flange: 1\n"
           "time: {end: 0.2, macro: 1/50}\n"
           "ground: {shapes: [{kind: plane, friction: 0.5}]}\n"
           "subsystems:\n"
           "  foot: {model: model.yaml%s}\n"
           "  plate: {model: robot.yaml%s, at: [0, 0, 0.75]}\n"
           "interfaces: {weld: {between: [foot/top, plate/under]}}\n"
           "coupling: {%s}\n"
           "record: [foot/leg.position, plate/plate.velocity]\n",
           foot_step, plate_step, coupling);
  return load_three_texts(text, foot, plate);
}

static int64_t steps_in_a_macro_step(const char *foot_step, const char *plate_step,
                                     const char *coupling) {
  flg_simulation *simulation = stand(foot_step, plate_step, coupling);
  flg_error error;
  assert_int_equal(flg_simulation_step(simulation, &error), FLG_OK);
  const int64_t count = flg_simulation_micro_steps(simulation);
  flg_simulation_release(simulation);
  return count;
}

static void the_whole_takes_the_shortest_step_of_its_subsystems(void **state) {
  (void)state;
  assert_int_equal(steps_in_a_macro_step(", step: 1/500", ", step: 1/100", "scheme: monolithic"),
                   10);
  assert_int_equal(steps_in_a_macro_step(", step: 1/100", ", step: 1/500", "scheme: monolithic"),
                   10);
  assert_int_equal(steps_in_a_macro_step("", ", step: 1/100", "scheme: monolithic"), 2);
  assert_int_equal(steps_in_a_macro_step("", "", "scheme: monolithic"), 1);
  assert_int_equal(steps_in_a_macro_step(", step: 1/500", ", step: 1/100", "step: 1/200"), 4);
}

/* damping: what the scenario says; NaN: nothing. Returns what is taken, and the end of the run. */
static double damping_of(const char *coupling, double values[6]) {
  flg_simulation *simulation = stand(", step: 1/500", ", step: 1/500", coupling);
  const double damping = flg_coupling_settings(simulation->coupling)->damping;
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
  return damping;
}

static void dampers_of_regularised_contacts_are_1e_4_of_their_springs(void **state) {
  (void)state;
  double left_out[6], said[6], more[6];
  assert_near(damping_of("scheme: parallel, contacts: regularised", left_out), 1e3, 0);
  assert_near(
      damping_of("scheme: parallel, contacts: regularised, stiffness: 1e7, damping: 1e3", said),
      1e3, 0);
  assert_memory_equal(left_out, said, sizeof said);
  damping_of("scheme: parallel, contacts: regularised, damping: 1e5", more);
  assert_true(max_difference(left_out, more, 6) > 0);
  assert_near(damping_of("scheme: parallel, contacts: regularised, stiffness: 2e5", said), 20,
              1e-13);
}

/* room for micro steps: of a driven subsystem those of its driver, if they are more; of others
 * their own */
static void driven_subsystems_have_room_for_the_steps_of_their_drivers(void **state) {
  (void)state;
  static const char *const steps[] = {", step: 1/500", ", step: 1/100"};
  static const int counts[] = {10, 2};
  for (int k = 0; k < 8; k++) {
    const int of_foot = k % 2, of_plate = k / 2 % 2;
    const bool is_foot_first = k / 4;
    flg_simulation *simulation = stand(steps[of_foot], steps[of_plate],
                                       is_foot_first ? "scheme: sequential, order: [foot, plate]"
                                                     : "scheme: sequential, order: [plate, foot]");
    const flg_macro_run *runs = simulation->coupling->macro_runs;
    const int first = is_foot_first ? counts[of_foot] : counts[of_plate];
    const int second = is_foot_first ? counts[of_plate] : counts[of_foot];
    assert_int_equal(runs[is_foot_first ? 0 : 1].steps_most, first);
    assert_int_equal(runs[is_foot_first ? 1 : 0].steps_most, second > first ? second : first);
    assert_int_equal(runs[0].steps, counts[of_foot]);
    assert_int_equal(runs[1].steps, counts[of_plate]);
    flg_simulation_release(simulation);
  }
}

/* A rest of one rigid body turns within a macro step, if its contacts are not part of its model;
 * robots do not. */
static void rests_of_one_rigid_body_turn(void **state) {
  (void)state;
  static const struct coupling {
    const char *keys;
    bool is_turning; /* the foot, as the plate sees it */
  } couplings[] = {{"scheme: parallel", true},
                   {"scheme: parallel, contacts: smooth", false},
                   {"scheme: parallel, contacts: regularised", false}};
  for (size_t k = 0; k < sizeof couplings / sizeof couplings[0]; k++) {
    flg_simulation *simulation = stand("", "", couplings[k].keys);
    const flg_macro_run *runs = simulation->coupling->macro_runs;
    assert_false(runs[0].rest_turns);
    assert_int_equal(runs[1].rest_turns, couplings[k].is_turning);
    flg_simulation_release(simulation);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_whole_takes_the_shortest_step_of_its_subsystems),
      cmocka_unit_test(dampers_of_regularised_contacts_are_1e_4_of_their_springs),
      cmocka_unit_test(driven_subsystems_have_room_for_the_steps_of_their_drivers),
      cmocka_unit_test(rests_of_one_rigid_body_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
