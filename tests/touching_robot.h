/* touching_robot.h - robots with shapes and limits that are put together in a few lines. */
#ifndef FLG_TESTS_TOUCHING_ROBOT_H
#define FLG_TESTS_TOUCHING_ROBOT_H

#include "check.h"
#include "robot/robot_contacts.h"
#include "sample.h"

enum { TOUCHING_SHAPES = 8 };
static const flg_vec3 DOWN = {0, 0, -9.81}, WEIGHTLESS = {0, 0, 0};

typedef struct touching_robot {
  sample *s;
  flg_shape shapes[TOUCHING_SHAPES];
  flg_surface surface; /* all shapes are of it */
  flg_robot_options options;
  flg_contacts_options contacts;
  flg_robot_subsystem robot;
} touching_robot;

static inline touching_robot *touching_new(int bodies, double friction, double restitution,
                                           flg_vec3 gravity) {
  touching_robot *made = calloc(1, sizeof *made);
  assert_non_null(made);
  made->s = sample_build(bodies);
  made->s->model.shapes = made->shapes;
  made->surface = (flg_surface){"all", {0}, friction, restitution};
  made->s->model.surfaces = (flg_surfaces){.surfaces = &made->surface, .surface_count = 1};
  made->options = (flg_robot_options){
      .name = "robot", .integrator = flg_integrator_default(), .gravity = gravity};
  made->contacts = flg_contacts_default();
  return made;
}

static inline flg_shape *add_shape(touching_robot *to, int body, flg_shape_kind kind, double size0,
                                   double size1, double size2) {
  flg_model *model = &to->s->model;
  assert_true(model->shape_count < TOUCHING_SHAPES);
  flg_shape *shape = &model->shapes[model->shape_count++];
  *shape = (flg_shape){.body = body,
                       .place = {"sample", 100 + model->shape_count, 1},
                       .collision = true,
                       .kind = kind,
                       .size = {size0, size1, size2},
                       .pose = flg_pose_identity(),
                       .surface = 1};
  return shape;
}

static inline flg_shape *add_floor(touching_robot *to) {
  return add_shape(to, FLG_WORLD, FLG_SHAPE_PLANE, 1, 1, 1);
}

/* values: x, y, z of each, borrowed */
static inline flg_shape *add_points(touching_robot *to, int body, const double *values, int count) {
  flg_shape *shape = add_shape(to, body, FLG_SHAPE_POINTS, 1, 1, 1);
  shape->values = values, shape->value_count = 3 * count;
  return shape;
}

/* compiled, equipped, at zero */
static inline void touching_start(touching_robot *of) {
  flg_error error = {0};
  flg_mistakes mistakes = {0};
  flg_robot_subsystem_build(&of->robot, &of->s->model, &of->options, &mistakes);
  if (mistakes.count > 0) fail_msg("%s", mistakes.list[0].message);
  assert_int_equal(flg_robot_subsystem_equip(&of->robot, NULL, 0, NULL, 0, &error), FLG_OK);
}

/* from where it is now on */
static inline void touching_finish(touching_robot *of) {
  flg_mistakes mistakes = {0};
  flg_robot_contacts_build(&of->robot, &of->contacts, &mistakes);
  if (mistakes.count > 0) fail_msg("%s", mistakes.list[0].message);
}

static inline void touching_drop(touching_robot *of) {
  flg_robot_subsystem_release(&of->robot);
  of->s->model.shapes = NULL;
  sample_release(of->s);
  free(of);
}

static inline void touching_step(touching_robot *of, double h, int count) {
  flg_error error = {0};
  if (flg_robot_subsystem_advance(&of->robot, 0, h, 0, count, &error) != FLG_OK) {
    fail_msg("%s", error.message);
  }
}

static inline double touching_energy(touching_robot *of) {
  flg_robot_subsystem_refresh(&of->robot, 0);
  return flg_robot_subsystem_energy(&of->robot);
}

static inline flg_contacts_report touching_report(const touching_robot *of) {
  return flg_contacts_report_view(flg_robot_contacts_view(&of->robot));
}

/* its point in the world */
static inline flg_vec3 body_point(const touching_robot *of, int body, flg_vec3 point) {
  const flg_pose pose = flg_dynamics_frame_pose(of->robot.dynamics, &of->robot.robot.anchors[body]);
  return flg_pose_apply(&pose, point);
}

/* a rod of 1 m and 1 kg that swings about the world's y axis, hanging down along -z at zero */
static inline int hang_rod(touching_robot *to, int parent, flg_pose origin) {
  const int body = sample_add(to->s, parent, FLG_JOINT_REVOLUTE, origin);
  to->s->model.joints[body].axis = (flg_vec3){0, 1, 0};
  to->s->model.bodies[body].centre = (flg_vec3){0, 0, -0.5};
  to->s->model.bodies[body].inertia = (flg_sym3){1. / 12, 1. / 12, 1e-3, 0, 0, 0};
  return body;
}

static inline void limit(touching_robot *of, int joint, double lower, double upper) {
  of->s->model.joints[joint].lower = lower;
  of->s->model.joints[joint].upper = upper;
}

/* two such rods in a row whose joints end, at zero */
static inline touching_robot *limited_arm(bool limited, flg_vec3 gravity) {
  touching_robot *of = touching_new(2, 0, 0, gravity);
  const int upper = hang_rod(of, FLG_WORLD, flg_pose_identity());
  const int lower = hang_rod(of, upper, sample_shift(0, 0, -1));
  limit(of, upper, -0.6, 0.7);
  limit(of, lower, -1, 0.4);
  of->options.ignores_limits = !limited;
  touching_start(of);
  return of;
}

static const double PI = 3.14159265358979323846;

/* two such rods, held up over their ends, on which they come to rest */
static inline touching_robot *lifted_arm(flg_vec3 gravity) {
  touching_robot *of = touching_new(2, 0, 0, gravity);
  const int upper = hang_rod(of, FLG_WORLD, flg_pose_identity());
  const int lower = hang_rod(of, upper, sample_shift(0, 0, -1));
  limit(of, upper, PI / 2, INFINITY);
  limit(of, lower, 0, INFINITY);
  touching_start(of);
  of->robot.q[0] = PI / 2 + 0.3, of->robot.q[1] = 0.4;
  return of;
}

#endif
