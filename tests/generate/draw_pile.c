/* Piles: boxes, balls and capsules on each other on the floor, each with a surface of its own. They
 * stand, slide, roll, topple and bounce. A share of all seeds is such. */
#include <math.h>
#include <string.h>

#include "chance.h"
#include "mechanism.h"

enum { DRAW_PILE = 3, HIGHEST = 3 };

static const double SHARE = 0.05; /* of all seeds */

/* a pose in which it can lie: boxes on a face, capsules along the floor */
static flg_mat3 lying_axes(chance *from, shape_kind shape) {
  static const double quarter = 1.57079632679489661923;
  const double angles[3] = {shape == CAPSULE ? quarter : 0, 0, random_uniform(from, -3, 3)};
  return flg_mat3_from_roll_pitch_yaw(angles);
}

static double height_of(const solid *of) {
  return of->shape == BOX ? 0.5 * of->size[2] : of->size[0];
}

/* of a homogeneous box, or of a ball that is as large; about its middle */
static flg_sym3 inertia_of(const solid *of) {
  const double m = of->mass, *s = of->size;
  if (of->shape != BOX) return flg_sym3_diagonal(0.4 * m * s[0] * s[0]);
  return (flg_sym3){.xx = m / 12 * (s[1] * s[1] + s[2] * s[2]),
                    .yy = m / 12 * (s[0] * s[0] + s[2] * s[2]),
                    .zz = m / 12 * (s[0] * s[0] + s[1] * s[1])};
}

static void draw_surface(chance *from, solid *of) {
  const bool smooth = happens(from, 0.2), bounces = happens(from, 0.4);
  const double friction = random_uniform(from, 0.1, 1), restitution = random_uniform(from, 0, 1);
  of->friction = smooth ? 0 : friction, of->restitution = bounces ? restitution : 0;
}

/* on top of what reaches up to `top`; where it reaches up to */
static double draw_solid(chance *from, double ratio, bool moving, double top, solid *of) {
  of->shape = (shape_kind)random_integer(from, BOX, CAPSULE);
  for (int k = 0; k < 3; k++) of->size[k] = random_uniform(from, 0.1, 0.3);
  of->mass = log_uniform(from, 1, ratio);
  of->inertia = inertia_of(of);
  const double gap = happens(from, 0.5) ? 0 : random_uniform(from, 0, 0.02);
  const double x = random_uniform(from, -0.03, 0.03), y = random_uniform(from, -0.03, 0.03);
  const double height = height_of(of);
  of->pose =
      (flg_pose){.position = {x, y, top + gap + height}, .rotation = lying_axes(from, of->shape)};
  const flg_vec3 velocity = random_point(from, 1), spin = random_point(from, 3);
  if (moving) of->velocity = (flg_vec3){velocity.x, velocity.y, 0}, of->spin = spin;
  draw_surface(from, of);
  return top + gap + 2 * height;
}

bool draw_pile(mechanism *machine, uint64_t seed) {
  static const double RATIOS[] = {1, 10, 1000}, STEPS[] = {1. / 2000, 1. / 1000, 1. / 250};
  chance from = chance_for(seed, DRAW_PILE);
  double top = 0;
  if (!happens(&from, SHARE)) return false;
  memset(machine, 0, sizeof *machine);
  machine->seed = seed, machine->pile = machine->ground = true;
  machine->step = STEPS[random_integer(&from, 0, 2)];
  machine->micro = 1 << random_integer(&from, 0, 3), machine->macro = 48 / machine->micro;
  machine->integrator = happens(&from, 0.5) ? AUTO : SEMI_IMPLICIT;
  machine->gravity = (flg_vec3){0, 0, -9.81};
  machine->floor = flg_pose_identity();
  machine->friction = random_uniform(&from, 0, 1);
  machine->restitution = happens(&from, 0.5) ? random_uniform(&from, 0, 1) : 0;
  machine->body_count = random_integer(&from, 1, HIGHEST), machine->part_count = 1;
  const double ratio = RATIOS[random_integer(&from, 0, 2)];
  const bool moving = happens(&from, 0.6);
  for (int k = 0; k < machine->body_count; k++)
    top = draw_solid(&from, ratio, moving, top, &machine->bodies[k]);
  for (int k = 0; k < BODIES; k++) machine->body_order[k] = k;
  for (int k = 0; k < JOINTS; k++) machine->joint_order[k] = k;
  for (int k = 0; k < PARTS; k++) {
    machine->part_order[k] = k;
    machine->parts[k].pose = flg_pose_identity();
  }
  return true;
}
