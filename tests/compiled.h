/* compiled.h - robots and their compiled twins behind the same contract, for tests. */
#ifndef FLG_TESTS_COMPILED_H
#define FLG_TESTS_COMPILED_H

#include "compile/robot_library.h"
#include "files.h"
#include "plugin/plugin_subsystem.h"
#include "random_tree.h"
#include "robot/robot_coupled.h"

enum { TWIN_PORTS = 3, TWIN_ROWS = 6 * TWIN_PORTS };

/* Two subsystems that should do the same; both are joined at the model's ports. */
typedef struct compiled_twins {
  test_folder folder;
  flg_robot_subsystem *robot;
  flg_subsystem interpreted, compiled;
  flg_interface_model *models[2];
  void *memory[2];
  int rows;
} compiled_twins;

static inline flg_subsystem *twin_of(compiled_twins *twins, int k) {
  return k == 0 ? &twins->interpreted : &twins->compiled;
}

static inline const char *compile_model(test_folder *folder, const flg_model *model,
                                        flg_compiled_integrator integrator) {
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  const char *path = make_file(folder, "twin.so", "");
  const flg_robot_library library = {.source = {.model = model, .integrator = integrator},
                                     .library = {.output = path}};
  flg_robot_library_made made;
  const flg_status status = flg_robot_library_build(&library, &made, &mistakes);
  if (status != FLG_OK) fail_msg("%s", mistakes.list[0].message);
  return path;
}

static inline void interpret_twin(compiled_twins *twins, const flg_model *model,
                                  flg_compiled_integrator integrator, flg_vec3 gravity,
                                  const flg_pose *pose) {
  flg_error error;
  flg_mistakes *mistakes = calloc(1, sizeof *mistakes);
  flg_robot_options options = {.name = "robot",
                               .integrator = flg_integrator_default(),
                               .gravity = gravity,
                               .ignores_limits = true};
  options.integrator.kind =
      integrator == FLG_COMPILED_RK4 ? FLG_INTEGRATOR_RK4 : FLG_INTEGRATOR_SEMI_IMPLICIT;
  twins->robot = calloc(1, sizeof *twins->robot);
  flg_link_anchor anchors[TWIN_PORTS];
  assert_int_equal(flg_robot_subsystem_register(twins->robot, "robot", &twins->interpreted, &error),
                   FLG_OK);
  assert_int_equal(flg_robot_subsystem_build(twins->robot, model, &options, mistakes), FLG_OK);
  assert_int_equal(flg_robot_subsystem_equip(twins->robot, NULL, 0, NULL, 0, &error), FLG_OK);
  flg_robot_subsystem_place(twins->robot, pose);
  for (int k = 0; k < model->frame_count; k++) {
    anchors[k] =
        flg_robot_anchor(&twins->robot->robot, model->frames[k].body, &model->frames[k].pose, NULL);
  }
  assert_int_equal(flg_robot_ports_build(twins->robot, anchors, model->frame_count, &error),
                   FLG_OK);
  free(mistakes);
}

static inline void load_twin(compiled_twins *twins, const char *path, flg_vec3 gravity,
                             const flg_pose *pose) {
  flg_error error;
  flg_plugin_setup setup = {.size = sizeof setup, .name = "compiled"};
  flg_plugin_outer_port outer_ports[TWIN_PORTS];
  flg_vec3_store(gravity, setup.gravity);
  flg_vec3_store(pose->position, setup.position);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) setup.rotation[3 * i + j] = pose->rotation.m[i + 3 * j];
  }
  if (flg_plugged_subsystem_build(&twins->compiled, path, &setup, &error) != FLG_OK) {
    fail_msg("%s", error.message);
  }
  for (int k = 0; k < TWIN_PORTS; k++)
    outer_ports[k] = (flg_plugin_outer_port){k, flg_mat3_identity()};
  assert_int_equal(flg_plugged_subsystem_join(flg_subsystem_plugin(&twins->compiled), outer_ports,
                                              twins->rows / 6, &error),
                   FLG_OK);
}

/* Of a model with at most TWIN_PORTS frames, all of them ports. */
static inline compiled_twins *compiled_twins_build(const flg_model *model,
                                                   flg_compiled_integrator integrator,
                                                   flg_vec3 gravity, const flg_pose *pose) {
  compiled_twins *twins = calloc(1, sizeof *twins);
  twins->folder = make_folder();
  twins->rows = 6 * model->frame_count;
  const char *path = compile_model(&twins->folder, model, integrator);
  interpret_twin(twins, model, integrator, gravity, pose);
  load_twin(twins, path, gravity, pose);
  for (int k = 0; k < 2; k++) {
    twins->memory[k] = malloc(flg_interface_model_bytes(twins->rows));
    assert_int_equal(flg_interface_model_build(twins->memory[k], twins->rows, twins->rows,
                                               &twins->models[k], NULL),
                     FLG_OK);
  }
  return twins;
}

static inline void compiled_twins_release(compiled_twins *twins) {
  flg_subsystem_release(&twins->interpreted);
  flg_subsystem_release(&twins->compiled);
  free(twins->robot);
  free(twins->memory[0]), free(twins->memory[1]);
  remove_folder(&twins->folder);
  free(twins);
}

/* Positions and velocities: the first numbers of both states. */
static inline double *twin_state(const compiled_twins *twins, int k) {
  const flg_subsystem *of = k == 0 ? &twins->interpreted : &twins->compiled;
  return of->ops->state(of->self).values;
}

#endif
