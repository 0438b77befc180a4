/* touching_part.h - a robot of touching_robot.h as a part of an assembly, with bodies welded to it.
 */
#ifndef FLG_TESTS_TOUCHING_PART_H
#define FLG_TESTS_TOUCHING_PART_H

#include "assembly/assembly_contacts.h"
#include "robot/robot_part.h"
#include "touching_robot.h"

enum { PART_BODIES = 4 };

typedef struct touching_part {
  touching_robot *of;
  flg_component component;
  flg_component_robot robot;
  flg_component_body bodies[PART_BODIES];
  flg_component_joint joints[PART_BODIES];
  flg_assembly_options options;
  flg_assembly *assembly;
} touching_part;

/* takes the robot, which is where it starts; its shapes become the component's */
static inline touching_part *part_new(touching_robot *of) {
  touching_part *made = calloc(1, sizeof *made);
  assert_non_null(made);
  made->of = of;
  made->robot = (flg_component_robot){
      .name = "robot", .group = FLG_TOP, .model = &of->s->model, .pose = flg_pose_identity()};
  made->component = (flg_component){.name = "one",
                                    .file = "one.yaml",
                                    .robots = &made->robot,
                                    .robot_count = 1,
                                    .bodies = made->bodies,
                                    .joints = made->joints};
  made->component.shapes = of->shapes, made->component.shape_count = of->s->model.shape_count;
  made->component.surfaces = of->s->model.surfaces;
  for (int k = 0; k < made->component.shape_count; k++) {
    of->shapes[k].robot = of->shapes[k].body == FLG_WORLD ? 0 : 1;
  }
  made->options = flg_assembly_default();
  made->options.scheme = FLG_SCHEME_SEMI_IMPLICIT;
  made->options.gravity = of->options.gravity;
  return made;
}

/* a body whose centre of mass is at a point of a body of the robot, and moves with it */
static inline void part_weld(touching_part *to, int on, flg_vec3 point, double mass,
                             flg_sym3 inertia) {
  flg_robot_subsystem *robot = &to->of->robot;
  flg_dynamics_kinematics(robot->dynamics, robot->q, robot->v);
  flg_link_anchor anchor = robot->robot.anchors[on];
  const flg_pose shift = {flg_mat3_identity(), point};
  anchor.pose = flg_pose_compose(&anchor.pose, &shift);
  const int body = to->component.body_count++;
  to->bodies[body] =
      (flg_component_body){.name = "load",
                           .group = FLG_TOP,
                           .mass = mass,
                           .inertia = inertia,
                           .gravity = {NAN, NAN, NAN},
                           .pose = flg_dynamics_frame_pose(robot->dynamics, &anchor),
                           .velocity = flg_dynamics_frame_velocity(robot->dynamics, &anchor)};
  to->joints[to->component.joint_count++] =
      (flg_component_joint){.name = "weld",
                            .group = FLG_TOP,
                            .kind = FLG_CONSTRAINT_WELD,
                            .coordinate = {-1, -1},
                            .end = {{.robot = 0, .body = on, .pose = shift},
                                    {.robot = -1, .body = body, .pose = flg_pose_identity()}}};
}

static inline flg_assembly *part_finish(touching_part *of) {
  flg_mistakes mistakes = {0};
  const flg_part_guests guests = flg_robot_guests(&of->of->robot);
  flg_assembly_build(&of->assembly, &of->component, &guests, &of->options, &mistakes);
  if (of->assembly == NULL) fail_msg("%s", mistakes.list[0].message);
  return of->assembly;
}

static inline void part_step(touching_part *of, double h, int first, int count) {
  flg_error error = {0};
  if (flg_assembly_advance_or_say(of->assembly, 0, h, first, count, &error) != FLG_OK) {
    fail_msg("%s", error.message);
  }
}

static inline void part_drop(touching_part *of) {
  flg_assembly_release(of->assembly);
  of->of->s->model.shapes = NULL;
  sample_release(of->of->s);
  free(of->of);
  free(of);
}

#endif
