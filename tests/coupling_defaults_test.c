/* What a scenario does not say of its coupling: the step of all that is solved as one, and the
 * dampers of regularised contacts. */
#include "cosim/simulation.h"
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_whole_takes_the_shortest_step_of_its_subsystems),
      cmocka_unit_test(dampers_of_regularised_contacts_are_1e_4_of_their_springs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
