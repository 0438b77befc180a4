/* Components without loops in joint coordinates by rk4: gears are folded into the coordinates, and
 * the motion is that of rows in absolute coordinates. */
#include <math.h>

#include "check.h"
#include "component/assembly_contract.h"
#include "component/assembly_freedom.h"
#include "geared_models.h"
#include "math/larger.h"
#include "scenarios.h"

static int run_model(const geared_model *model, int rate, const char *keys, double *values) {
  char text[800];
  geared_scenario(model, rate, keys, text);
  flg_simulation *simulation = load_texts(text, model->text);
  run_to_end(simulation);
  flg_simulation_record(simulation, values);
  const int count = flg_simulation_width(simulation);
  flg_simulation_release(simulation);
  return count;
}

static double apart(const double *a, const double *b, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) {
    most = flg_larger(most, fabs(a[k] - b[k]) / (1 + fabs(b[k])));
  }
  return most;
}

/* both tend to the same motion, with the fourth power of the step */
static void folded_gears_move_as_rows_do(void **state) {
  (void)state;
  for (int k = 0; k < GEARED_MODEL_COUNT; k++) {
    const geared_model *model = &GEARED_MODELS[k];
    double rows[2][GEARED_VALUES], folded[2][GEARED_VALUES];
    int count = 0;
    if (model->events != NULL) continue; /* jumps inside of steps leave order 1 */
    for (int i = 0; i < 2; i++) {
      count = run_model(model, 200 << i, ", coordinates: absolute", rows[i]);
      run_model(model, 200 << i, ", coordinates: joint", folded[i]);
    }
    const double off = apart(folded[0], rows[0], count), half = apart(folded[1], rows[1], count);
    print_message("%s: %.1e apart, with half the step %.1e\n", model->name, off, half);
    assert_true(half < off / 10 || half < 1e-12);
    assert_true(half < 1e-7);
  }
}

static void coordinates_that_follow_are_no_freedoms(void **state) {
  (void)state;
  for (int k = 0; k < GEARED_MODEL_COUNT; k++) {
    char text[800];
    geared_scenario(&GEARED_MODELS[k], 500, "", text);
    flg_simulation *simulation = load_texts(text, GEARED_MODELS[k].text);
    flg_assembly *assembly = flg_subsystem_assembly(&simulation->subsystems[0]);
    flg_freedom freedom;
    assert_int_equal(flg_assembly_freedom(assembly, &freedom), FLG_OK);
    assert_int_equal(freedom.velocities, GEARED_MODELS[k].freedoms);
    assert_int_equal(freedom.rows, 0);
    flg_simulation_release(simulation);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(folded_gears_move_as_rows_do),
      cmocka_unit_test(coordinates_that_follow_are_no_freedoms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
