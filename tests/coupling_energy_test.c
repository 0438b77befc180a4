/* The energy of the whole, by which a coupling without sources is judged, whatever its scheme. */
#include "check.h"
#include "coupling_marks.h"
#include "scenarios.h"

enum { TEXT = 200 };

typedef struct swing {
  const char *scheme, *end; /* [s] */
  bool is_pulled;           /* a load of 0 N might give energy */
} swing;

/* The oscillator of the examples with 0.7 of its first mass on the left, H = 5 ms. */
static flg_status judge(const swing *with, flg_error *error) {
  char scheme[TEXT], end[TEXT];
  snprintf(scheme, sizeof scheme, "coupling.scheme=%s", with->scheme);
  snprintf(end, sizeof end, "time.end=%s", with->end);
  test_folder folder = make_folder();
  const char *pulled = make_file(&folder, "left.yaml",
                                 "flange-component: 1\n"
                                 "bodies: {half: {mass: 0.7, inertia: [0.1, 0.1, 0.1],\n"
                                 "  velocity: [100, 0, 0]}}\n"
                                 "joints: {rail: {kind: prismatic, between: [world, half],\n"
                                 "  axis: [1, 0, 0], stiffness: 10}}\n"
                                 "forces: {pull: {body: half, force: [0, 0, 0]}}\n"
                                 "ports: {face: {body: half}}\n");
  char model[TEXT];
  snprintf(model, sizeof model, "subsystems.left.model=%.150s", pulled);
  const char *const overrides[] = {
      scheme,
      end,
      "time.macro=1/200",
      "subsystems.right.parameters={share: 0.7}",
      with->is_pulled ? model : "subsystems.left.parameters={share: 0.7}",
      NULL};
  flg_simulation *simulation = load_with("examples/oscillator/oscillator.yaml", overrides);
  remove_folder(&folder);
  const flg_status status = run_and_judge(simulation, error);
  flg_simulation_release(simulation);
  return status;
}

static void energy_from_nothing_is_told_with_every_scheme(void **state) {
  (void)state;
  static const swing sound[] = {{"sequential", "1", false},
                                {"parallel", "1", false},
                                {"neighbour", "1", false},
                                {"jacobi", "1", false},
                                {"hold", "0.05", false}};
  flg_error error;
  for (size_t k = 0; k < sizeof sound / sizeof *sound; k++) {
    if (judge(&sound[k], &error) != FLG_OK) fail_msg("%s", error.message);
  }
  assert_int_equal(judge(&(swing){"hold", "0.1", false}, &error), FLG_ERR_UNSOLVED);
  assert_non_null(strstr(error.message, "though nothing in it gives energy"));
  /* where a load may pull fifty times the energy is no fault, but the interface is open by then */
  assert_int_equal(judge(&(swing){"hold", "0.1", true}, &error), FLG_ERR_UNSOLVED);
  assert_non_null(strstr(error.message, "is open at the end, by"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_from_nothing_is_told_with_every_scheme),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
