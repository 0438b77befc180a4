/* flexible_tree.h - trees with flexible links of every kind, with states to put them in. */
#ifndef FLG_TESTS_FLEXIBLE_TREE_H
#define FLG_TESTS_FLEXIBLE_TREE_H

#include "model/beam.h"
#include "random_tree.h"

enum { FLEXIBLE_BODIES = 7, FLEXIBLE_SIZE = 7 * FLEXIBLE_BODIES + 8 * FLEXIBLE_BODIES };

typedef struct flexible_scene {
  sample *s;
  flg_region region;
  flg_beam_piece pieces[FLEXIBLE_BODIES];
  flg_beam beams[FLEXIBLE_BODIES];
  flg_modal_body bodies[FLEXIBLE_BODIES];
  int n; /* velocities */
  double q[FLEXIBLE_SIZE], v[FLEXIBLE_SIZE], a[FLEXIBLE_SIZE], f[FLEXIBLE_SIZE];
} flexible_scene;

/* A slender beam of random direction through the body, bending both ways, twisting, stretching. */
static inline void random_beam(random_source *source, bool stiffens, flg_beam_piece *piece,
                               flg_beam *beam) {
  const flg_vec3 start = random_vector(source, 0.2);
  const flg_vec3 end =
      flg_vec3_add_scaled(start, random_uniform(source, 0.5, 1.5), random_direction(source));
  *piece = (flg_beam_piece){.length = flg_vec3_norm(flg_vec3_subtract(end, start)),
                            .section = flg_beam_rectangle(random_uniform(source, 0.01, 0.05),
                                                          random_uniform(source, 0.01, 0.05)),
                            .young = 1e9,
                            .shear = 4e8,
                            .density = 2000};
  *beam = (flg_beam){.start = start,
                     .end = end,
                     .side = random_direction(source),
                     .pieces = piece,
                     .piece_count = 1,
                     .ends = (flg_beam_ends)random_integer(source, 0, 2),
                     .counts = {random_integer(source, 1, 2), random_integer(source, 0, 2),
                                random_integer(source, 0, 1), random_integer(source, 0, 1)},
                     .stiffens = stiffens};
}

static inline void make_flexible(random_source *source, bool stiffens, int k, flexible_scene *x) {
  flg_body *body = &x->s->model.bodies[k];
  flg_modal_body *modal = &x->bodies[k];
  random_beam(source, stiffens, &x->pieces[k], &x->beams[k]);
  sample_require(flg_beam_build(&x->beams[k], modal, &x->region) == FLG_OK, "beam");
  body->flexible = modal;
  body->mass = modal->rigid.mass;
  body->centre = flg_vec3_scale(modal->rigid.moment, 1 / body->mass);
  const flg_inertia point = flg_inertia_from_centre(body->mass, body->centre, (flg_sym3){0});
  body->inertia = flg_sym3_add_scaled(modal->rigid.rotation, -1, point.rotation);
}

/* About half of the bodies flexible, by joints of the given kinds. */
static inline flexible_scene *flexible_scene_build(random_source *source, bool stiffens,
                                                   const flg_joint_kind *kinds, int kind_count) {
  flexible_scene *x = calloc(1, sizeof *x);
  const int count = random_integer(source, 1, FLEXIBLE_BODIES);
  x->s = sample_build(count);
  for (int k = 0; k < count; k++) {
    const int low = random_integer(source, 0, 1) ? k - 1 : -1;
    const flg_joint_kind kind = kinds[random_integer(source, 0, kind_count - 1)];
    sample_add(x->s, random_integer(source, low, k - 1), kind, random_pose(source));
    flg_joint *joint = &x->s->model.joints[k];
    joint->axis = random_direction(source);
    joint->axis2 = random_direction(source);
    joint->pitch = random_uniform(source, -0.5, 0.5);
    random_body(source, &x->s->model.bodies[k]);
    if (k == 0 || random_integer(source, 0, 1)) make_flexible(source, stiffens, k, x);
  }
  sample_finish(x->s);
  const flg_robot *robot = &x->s->robot;
  x->n = robot->velocity_count;
  random_position(source, robot, x->q);
  random_numbers(source, 2, x->v, x->n);
  random_numbers(source, 5, x->a, x->n);
  random_numbers(source, 50, x->f, x->n);
  for (int k = 0; k < robot->flex_count; k++) {
    random_numbers(source, 0.005, x->q + robot->flexes[k].position, robot->flexes[k].body.modes);
  }
  return x;
}

static inline void flexible_scene_release(flexible_scene *x) {
  sample_release(x->s);
  flg_region_release(&x->region);
  free(x);
}

/* Joints whose velocities are the rates of their positions. */
static const flg_joint_kind PLAIN_KINDS[] = {
    FLG_JOINT_REVOLUTE,  FLG_JOINT_PRISMATIC, FLG_JOINT_SCREW, FLG_JOINT_CYLINDRICAL,
    FLG_JOINT_UNIVERSAL, FLG_JOINT_PLANAR,    FLG_JOINT_FIXED};
enum { PLAIN_KIND_COUNT = sizeof PLAIN_KINDS / sizeof PLAIN_KINDS[0] };

/* A frame on any link of the robot, nodes among them. */
static inline flg_link_anchor random_frame(random_source *source, const flg_robot *robot) {
  const int link = random_integer(source, 0, robot->link_count - 1);
  return (flg_link_anchor){link, random_pose(source)};
}

#endif
