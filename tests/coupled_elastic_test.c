/* Models of flexible arms with elastic coordinates as rows: against the model that takes elastic
 * forces implicitly, and against what the arm itself does in a micro step. */
#include "check.h"
#include "cosim/simulation.h"
#include "coupling_marks.h"
#include "macro/macro_elastic.h"
#include "robot/robot_subsystem.h"

enum { PORT_ROWS = 6, MODES = 8, ELASTIC = 12, ROWS = PORT_ROWS + ELASTIC, BYTES = 65536 };
static const double STEP = 1.0 / 600;

/* An arm on its way, its model with elastic rows, and the one that has elastic forces inside. */
typedef struct subject {
  flg_simulation *simulation;
  const flg_subsystem *subsystem;
  double time;
  flg_interface_model *wide, *plain;
  flg_macro_elastic elastic;
  char memory[2][BYTES] __attribute__((aligned(16)));
  double numbers[8][ROWS * ROWS];
  double stiffness[MODES * MODES], damping[MODES * MODES], deflections[MODES];
} subject;

/* two seconds into the manoeuvre, when the booms swing */
static void set_off(subject *of, const char *integrator) {
  char text[OVERRIDE_TEXT];
  const char *overrides[] = {text, NULL};
  flg_error error;
  memset(of, 0, sizeof *of);
  snprintf(text, sizeof text, "subsystems.arm.integrator=%s", integrator);
  of->simulation = load_with("examples/wall-push/manoeuvre1-flexible.yaml", overrides);
  while (flg_simulation_time(of->simulation) < 2) {
    assert_int_equal(flg_simulation_step(of->simulation, &error), FLG_OK);
  }
  of->subsystem = &of->simulation->subsystems[0];
  of->time = flg_simulation_time(of->simulation);
  flg_interface_model **const models[2] = {&of->wide, &of->plain};
  for (int k = 0; k < 2; k++) {
    assert_int_equal(flg_interface_model_build(of->memory[k], ROWS, ROWS, models[k], &error),
                     FLG_OK);
  }
  double(*room)[ROWS * ROWS] = of->numbers;
  of->elastic = (flg_macro_elastic){.rows = ELASTIC,
                                    .all = ROWS,
                                    .block = {room[0], room[1], room[2]},
                                    .factor = room[3],
                                    .system = room[4],
                                    .through = room[5],
                                    .plain = room[6],
                                    .forces = room[7],
                                    .numbers = room[7] + ELASTIC};
}

/* the model with elastic rows, in the first micro step of its user */
static void reduce(subject *of, flg_elastic_rule rule) {
  const flg_coupled_ops *ops = of->subsystem->ops->coupled;
  const flg_elastic_block block = {of->stiffness, of->damping, of->deflections};
  assert_int_equal(ops->elastic_count(of->subsystem->self), MODES);
  assert_int_equal(ops->reduce_elastic(of->subsystem->self, of->time, STEP, of->wide, &block),
                   FLG_OK);
  assert_int_equal(of->wide->rows, ROWS);
  for (int k = 0; k < ELASTIC; k++) of->elastic.block.stiffness[k * (ELASTIC + 1)] = 1;
  for (int j = 0; j < MODES; j++) {
    for (int i = 0; i < MODES; i++) {
      of->elastic.block.stiffness[i + ELASTIC * j] = of->stiffness[i + MODES * j];
      of->elastic.block.damping[i + ELASTIC * j] = of->damping[i + MODES * j];
    }
    of->elastic.block.deflections[j] = of->deflections[j];
  }
  assert_int_equal(flg_macro_elastic_begin(&of->elastic, STEP, rule, of->wide, NULL), FLG_OK);
  flg_macro_elastic_bend(&of->elastic, of->wide);
}

/* elastic forces that the user of a model adds are those of the model that has them inside */
static void forces_may_be_added_later(void **state) {
  (void)state;
  static const char *const integrators[2] = {"semi-implicit", "leapfrog"};
  static subject of;
  for (int k = 0; k < 2; k++) {
    set_off(&of, integrators[k]);
    const flg_coupled_ops *ops = of.subsystem->ops->coupled;
    reduce(&of, k == 0 ? FLG_ELASTIC_FROM_START : FLG_ELASTIC_MIDWAY);
    assert_int_equal(ops->reduce(of.subsystem->self, of.time, STEP, of.plain), FLG_OK);
    const double *D = flg_interface_model_admittance(of.wide),
                 *r = flg_interface_model_bias(of.wide);
    for (int j = 0; j < PORT_ROWS; j++) {
      for (int i = 0; i < PORT_ROWS; i++) {
        assert_near(D[i + ROWS * j], flg_interface_model_admittance(of.plain)[i + PORT_ROWS * j],
                    1e-12);
      }
      assert_near(r[j], flg_interface_model_bias(of.plain)[j], 1e-11);
      assert_near(flg_interface_model_velocity(of.wide)[j],
                  flg_interface_model_velocity(of.plain)[j], 0);
    }
    flg_simulation_release(of.simulation);
  }
}

/* after a micro step under an impulse, elastic coordinates are where the arm has them */
static void coordinates_go_as_those_of_the_arm(void **state) {
  (void)state;
  static subject of;
  flg_error error;
  const double push[PORT_ROWS] = {1, -2, 0.5, 0.3, 0.1, -0.2};
  set_off(&of, "semi-implicit");
  reduce(&of, FLG_ELASTIC_FROM_START);
  double *u = flg_interface_model_velocity(of.wide);
  const double *D = flg_interface_model_admittance(of.wide), *s = flg_interface_model_bias(of.wide);
  for (int i = PORT_ROWS; i < ROWS; i++) {
    u[i] += STEP * s[i];
    for (int j = 0; j < PORT_ROWS; j++) u[i] += D[i + ROWS * j] * push[j];
  }
  flg_macro_elastic_move(&of.elastic, u, STEP);
  const flg_coupled_ops *ops = of.subsystem->ops->coupled;
  assert_int_equal(ops->push(of.subsystem->self, of.time, STEP, 0, push, &error), FLG_OK);
  const flg_robot_subsystem *robot = flg_subsystem_robot(of.subsystem);
  int row = 0;
  for (int k = 0; k < robot->robot.flex_count; k++) {
    const flg_flex *flex = &robot->robot.flexes[k];
    for (int i = 0; i < flex->body.modes; i++, row++) {
      assert_near(u[PORT_ROWS + row], robot->v[flex->velocity + i], 1e-11);
      assert_near(of.elastic.block.deflections[row], robot->q[flex->position + i], 1e-13);
      assert_true(fabs(robot->q[flex->position + i]) > 1e-9);
    }
  }
  assert_int_equal(row, MODES);
  for (int i = PORT_ROWS + MODES; i < ROWS; i++) assert_near(u[i], 0, 0);
  flg_simulation_release(of.simulation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_may_be_added_later),
      cmocka_unit_test(coordinates_go_as_those_of_the_arm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
