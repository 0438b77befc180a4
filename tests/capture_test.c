/* The capture of a box, solved as one at 60 Hz with its contacts: the ground takes the forces that
 * the torques were made for. */
#include "check.h"
#include "cosim/simulation.h"

static flg_simulation *load(const char *scenario) {
  static const char *const overrides[] = {"coupling.scheme=monolithic", "coupling.step=1/60",
                                          "record=[hand/box/U.position]"};
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  flg_simulation *simulation = NULL;
  flg_simulation_load(&simulation, scenario, overrides, 3, &mistakes);
  if (simulation == NULL) fail_msg("%s", mistakes.list[0].message);
  return simulation;
}

static void step(flg_simulation *simulation) {
  flg_error error;
  if (flg_simulation_step(simulation, &error) != FLG_OK) fail_msg("%s", error.message);
}

static double smooth(double from, double to, double time) {
  const double s = fmin(fmax((time - from) / (to - from), 0), 1);
  return s * s * s * (10 - 15 * s + 6 * s * s);
}

/* Contacts close rows of the start of a step, A_k v+ = 0, under which a vertex still moves by
 * h^2 A' v / 2: 4e-5 m where the box turns fastest. That takes the box along a little. */
static void the_edge_follows_its_path_on_the_ground(void **state) {
  (void)state;
  flg_simulation *simulation = load("examples/capture/capture.yaml");
  for (int k = 1; k <= 720; k++) {
    double u[3];
    step(simulation);
    flg_simulation_record(simulation, u);
    assert_near(u[0], 8 - 2 * smooth(8, 12, k / 60.0), 6e-4);
    assert_near(u[1], 2, 1e-4);
    assert_near(u[2], 0, k <= 270 ? 1e-11 : 5e-5); /* joints 9 m away close to 9e-12 each */
  }
  flg_simulation_release(simulation);
}

/* before and after the weld, while the edge is in the air, and on the ground */
static void it_goes_on_bit_for_bit_from_any_snapshot(void **state) {
  (void)state;
  static const int points[] = {239, 240, 241, 400, 560, 600};
  flg_simulation *through = load("examples/capture/hop.yaml");
  flg_simulation *resumed = load("examples/capture/hop.yaml");
  void *kept = malloc(flg_simulation_state_bytes(through));
  int done = 0;
  for (size_t k = 0; k < sizeof points / sizeof points[0]; k++) {
    for (; done < points[k]; done++) step(through);
    flg_simulation_save(through, kept);
    flg_simulation_restore(resumed, kept);
    for (int i = 0; i < 5; i++) step(resumed);
    for (; done < points[k] + 5; done++) step(through);
    assert_true(flg_simulation_hash(through) == flg_simulation_hash(resumed));
    flg_simulation_restore(through, kept);
    done = points[k];
  }
  free(kept);
  flg_simulation_release(through), flg_simulation_release(resumed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_edge_follows_its_path_on_the_ground),
      cmocka_unit_test(it_goes_on_bit_for_bit_from_any_snapshot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
