/* Integrators and states: orders, tolerances, energy of the seven-joint arm, and runs that go on
 * bit for bit from where they were saved. */
#include <unistd.h>

#include "results/checkpoint.h"
#include "scenarios.h"

/* the arm in free motion, fast */
static flg_simulation *load_arm(const char *integrator, const char *step, const char *end,
                                const char *more) {
  char root[512], text[2048];
  assert_non_null(getcwd(root, sizeof root));
  snprintf(text, sizeof text,
           "flange: 1\ngravity: [0, 0, -9.81]\ntime: {end: %s, macro: %s}\n"
           "subsystems:\n"
           "  arm:\n"
           "    model: %s/examples/ssrms/models/ssrms.urdf\n"
           "    integrator: %s\n    step: %s\n%s"
           "    initial: {joint1: 0.3, joint2: 1, joint3: 1.4, joint4: -1.9, joint5: -1.5, "
           "joint6: 0.9, joint7: -0.5}\n"
           "    initial_velocity: {joint1: 0.4, joint2: -0.3, joint3: 0.5, joint4: 0.2, "
           "joint5: -0.6, joint6: 0.7, joint7: 1}\n"
           "record: [arm/tool.position, arm/energy]\n",
           end, end, root, integrator, step, more);
  return load_texts(text, NULL);
}

static double tool_error(const char *integrator, const char *step, const char *more,
                         const double *reference) {
  flg_simulation *simulation = load_arm(integrator, step, "0.2", more);
  double values[4];
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
  return hypot(hypot(values[0] - reference[0], values[1] - reference[1]), values[2] - reference[2]);
}

/* Runge-Kutta with a step so fine that only rounding is left */
static void reference_of(double *values) {
  flg_simulation *simulation = load_arm("rk4", "1/4000", "0.2", "");
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  flg_simulation_release(simulation);
}

static void runge_kutta_keeps_the_energy_of_the_arm(void **state) {
  (void)state;
  flg_simulation *simulation = load_arm("rk4", "1/4000", "0.2", "");
  run_to_end(simulation);
  const flg_energy energy = flg_simulation_energy(simulation);
  print_message("energy: relative error %.2g\n",
                fabs(energy.final - energy.initial) / fabs(energy.initial));
  assert_near(energy.final, energy.initial, 1e-14 * fabs(energy.initial)); /* 800 roundings */
  flg_simulation_release(simulation);
}

static void integrators_converge_with_their_orders(void **state) {
  (void)state;
  double reference[4];
  reference_of(reference);
  const double euler = tool_error("semi-implicit", "1/1000", "", reference) /
                       tool_error("semi-implicit", "1/2000", "", reference);
  const double runge =
      tool_error("rk4", "1/100", "", reference) / tool_error("rk4", "1/200", "", reference);
  print_message("observed orders: semi-implicit %.3f, rk4 %.3f\n", log2(euler), log2(runge));
  assert_near(log2(euler), 1, 1e-3);
  assert_near(log2(runge), 4, 2e-2);
}

static void the_adaptive_integrator_meets_its_tolerance(void **state) {
  (void)state;
  double reference[4];
  reference_of(reference);
  const struct {
    const char *text;
    double tolerance;
  } cases[] = {{"    relative_tolerance: 1e-6\n    absolute_tolerance: 1e-6\n", 1e-6},
               {"    relative_tolerance: 1e-9\n    absolute_tolerance: 1e-9\n", 1e-9},
               {"    relative_tolerance: 1e-11\n    absolute_tolerance: 1e-11\n", 1e-11}};
  for (int k = 0; k < 3; k++) {
    const double error = tool_error("adaptive", "0.2", cases[k].text, reference);
    print_message("tolerance %g: tool off by %.2g m\n", cases[k].tolerance, error);
    /* the tool is 14 m away: an error of the joints is 14 times larger there */
    assert_true(error < 14 * cases[k].tolerance);
  }
}

static const char driven[] =
    "flange: 1\ntime: {end: 4, macro: 0.01}\n"
    "subsystems:\n  a:\n    model: model.yaml\n    step: 0.0025\n    initial: {hinge: 1}\n"
    "    controllers: {c: {kind: pd, stiffness: 3, damping: 0.1, sample: 0.03},\n"
    "      g: {kind: gravity, enabled: false}}\n"
    "    forces: {f: {body: free, force: [1, 0, 0], enabled: false}}\n"
    "events: [{at: 1, enable: a/g}, {at: 1.5, enable: a/f}, {at: 2, lock: a/hinge},\n"
    "  {at: 3, unlock: a/hinge}]\n"
    "record: [a/energy]\n";

static const char mixed_model[] =
    "flange-model: 1\n"
    "bodies: {arm: {mass: 1, centre: [0, 0, -1], inertia: [1, 1, 1]},\n"
    "  free: {mass: 3, inertia: [1, 2, 2.5]}}\n"
    "joints:\n"
    "  hinge: {kind: revolute, child: arm, axis: [0, 1, 0], friction: 0.2}\n"
    "  sky: {kind: floating, child: free, at: [0, 0, -1]}\n";

static void a_restored_run_goes_on_bit_for_bit(void **state) {
  (void)state;
  flg_simulation *one = load_texts(driven, mixed_model), *two = load_texts(driven, mixed_model);
  assert_true(flg_simulation_identity(one) == flg_simulation_identity(two));
  void *saved = malloc(flg_simulation_state_bytes(one));
  assert_non_null(saved);
  for (int step = 0; step < 400; step++) {
    assert_int_equal(flg_simulation_step(one, NULL), FLG_OK);
    if (step % 100 == 17) {
      flg_simulation_save(one, saved);
      flg_simulation_restore(two, saved);
      assert_true(flg_simulation_hash(one) == flg_simulation_hash(two));
    } else if (step > 17) {
      assert_int_equal(flg_simulation_step(two, NULL), FLG_OK);
      assert_true(flg_simulation_hash(one) == flg_simulation_hash(two));
    }
  }
  const flg_energy energy = flg_simulation_energy(one), again = flg_simulation_energy(two);
  assert_memory_equal(&energy, &again, sizeof energy);
  free(saved);
  flg_simulation_release(one);
  flg_simulation_release(two);
}

static void checkpoints_of_something_else_are_refused(void **state) {
  (void)state;
  test_folder folder = make_folder();
  const char *path = make_file(&folder, "a.checkpoint", "");
  flg_simulation *one = load_texts(driven, mixed_model);
  flg_simulation *arm = load_arm("rk4", "0.1", "0.2", "");
  flg_error error = {0};
  for (int k = 0; k < 50; k++) flg_simulation_step(one, NULL);
  assert_int_equal(flg_checkpoint_write(one, path, &error), FLG_OK);
  assert_int_equal(flg_checkpoint_read(arm, path, &error), FLG_ERR_INPUT);
  assert_non_null(strstr(error.message, "another system"));
  char rougher[sizeof mixed_model];
  memcpy(rougher, mixed_model, sizeof mixed_model);
  strstr(rougher, "friction: 0.2")[12] = '3'; /* the last digit: 0.3 */
  flg_simulation *rough = load_texts(driven, rougher);
  assert_int_equal(flg_checkpoint_read(rough, path, &error), FLG_ERR_INPUT);
  flg_simulation_release(rough);
  assert_int_equal(
      flg_checkpoint_write(one, make_file(&folder, "mine.yaml", "precious: 1\n"), &error),
      FLG_ERR_OUTPUT);
  const uint64_t hash = flg_simulation_hash(one);
  flg_simulation_step(one, NULL);
  assert_int_equal(flg_checkpoint_read(one, path, &error), FLG_OK);
  assert_true(flg_simulation_hash(one) == hash);
  FILE *file = fopen(path, "r+b");
  fseek(file, 100, SEEK_SET);
  fputc(0x55, file);
  fclose(file);
  assert_int_equal(flg_checkpoint_read(one, path, &error), FLG_ERR_INPUT);
  assert_non_null(strstr(error.message, "damaged"));
  make_file(&folder, "b.checkpoint",
            "hello, this is no checkpoint but a text of some length .....");
  assert_int_equal(flg_checkpoint_read(one, folder.names[2], &error), FLG_ERR_INPUT);
  assert_int_equal(flg_checkpoint_read(one, "/no/such/file", &error), FLG_ERR_MISSING);
  assert_true(flg_simulation_hash(one) == hash);
  flg_simulation_release(one);
  flg_simulation_release(arm);
  remove_folder(&folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runge_kutta_keeps_the_energy_of_the_arm),
      cmocka_unit_test(integrators_converge_with_their_orders),
      cmocka_unit_test(the_adaptive_integrator_meets_its_tolerance),
      cmocka_unit_test(a_restored_run_goes_on_bit_for_bit),
      cmocka_unit_test(checkpoints_of_something_else_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
