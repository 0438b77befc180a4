#include <float.h>
#include <string.h>

#include "model/checked.h"

/* Of the largest principal moment: below that, the smallest is rounding. */
static const double DEFINITE_TOLERANCE = 1e-12;

/* --- bodies, robots ----------------------------------------------------------------------------
 */

static void check_mass(const flg_checked *own, const flg_component_body *body) {
  /* of less the inverse is infinite */
  if (!(body->mass >= DBL_MIN) || !isfinite(body->mass)) {
    flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                    "the mass of body '%s' is %g kg, but what moves must have a positive one%s",
                    own->head.name, body->mass, body->mass > 0 ? ", of 2.3e-308 kg at least" : "");
  }
  double moment[3];
  /* Point masses have three freedoms, and no inertia to check. */
  if (body->is_point) return;
  if (!flg_part_check_inertia(&own->head, body->inertia, moment, own->mistakes)) return;
  if (moment[0] > DEFINITE_TOLERANCE * moment[2] && moment[0] >= DBL_MIN) return;
  flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                  "body '%s' has no inertia about some axis: its principal moments are %g, %g and "
                  "%g kg m^2, and what moves must have three positive ones (small ones will do)",
                  own->head.name, moment[0], moment[1], moment[2]);
}

/* The last word of a path, or NULL of nothing. */
static const char *last_word(const char *path) {
  if (path == NULL) return NULL;
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static void check_component_body(const flg_component *component, int index,
                                 flg_mistakes *mistakes) {
  const flg_component_body *body = &component->bodies[index];
  const flg_checked own = {component, "body", {body->name, body->place}, mistakes};
  const char *word = last_word(body->name);
  if (word != NULL && strcmp(word, "world") == 0) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, body->place,
                    "no body may be called 'world': that is the name of the ground");
  }
  /* Fixed bodies are part of the ground: their mass is not used. */
  if (!body->fixed) check_mass(&own, body);
  flg_checked_pose(&own, "pose", &body->pose);
  flg_checked_vector(&own, "velocity", body->velocity.linear);
  flg_checked_vector(&own, "angular velocity", body->velocity.angular);
}

static void check_robot(const flg_component *component, int index, flg_mistakes *mistakes) {
  const flg_component_robot *robot = &component->robots[index];
  const flg_checked own = {component, "robot", {robot->name, robot->place}, mistakes};
  flg_checked_pose(&own, "pose", &robot->pose);
}

/* --- joints ------------------------------------------------------------------------------------
 */

/* Two different coordinates, in any order of those that the kind couples. */
static void check_coupled(const flg_checked *own, const flg_component_joint *joint) {
  const flg_component_coordinate *list = own->component->coordinates;
  const int first = joint->coordinate[0], second = joint->coordinate[1];
  const flg_coordinate_kind *of = flg_constraint_kinds[joint->kind].coupled;
  const flg_coordinate_kind kinds[2] = {list[first].kind, list[second].kind};
  const bool fits =
      (kinds[0] == of[0] && kinds[1] == of[1]) || (kinds[0] == of[1] && kinds[1] == of[0]);
  if (first == second) {
    flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                    "%s '%s' couples the %s of '%s' with itself", own->what, own->head.name,
                    flg_coordinate_kind_name(list[first].kind), list[first].name);
  } else if (!fits) {
    flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                    "%s '%s' couples the %s of '%s' with the %s of '%s', but must couple %s",
                    own->what, own->head.name, flg_coordinate_kind_name(list[first].kind),
                    list[first].name, flg_coordinate_kind_name(list[second].kind),
                    list[second].name, of[0] == of[1] ? "two angles" : "a slide with an angle");
  }
}

static void check_factors(const flg_checked *own, const flg_component_joint *joint) {
  for (int k = 0; k < 2; k++) {
    if (isfinite(joint->factor[k]) && joint->factor[k] != 0) continue;
    flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                    "factor %d of %s '%s' is %g, but must be a finite number other than zero",
                    k + 1, own->what, own->head.name, joint->factor[k]);
  }
}

static void check_constant(const flg_checked *own, const flg_component_joint *joint) {
  if (joint->kind != FLG_CONSTRAINT_DISTANCE) return;
  if (isfinite(joint->constant) && joint->constant > 0) return;
  flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                  "the distance of joint '%s' is %g m, but must be positive (a spherical joint "
                  "makes points meet)",
                  own->head.name, joint->constant);
}

static void component_check_joint(const flg_component *component, int index,
                                  flg_mistakes *mistakes) {
  const flg_component_joint *joint = &component->joints[index];
  const flg_checked own = {component, "joint", {joint->name, joint->place}, mistakes};
  /* Gears and racks join coordinates of other joints and have no frames of their own. */
  if (flg_constraint_kinds[joint->kind].couples) {
    check_factors(&own, joint);
    check_coupled(&own, joint);
    return;
  }
  check_constant(&own, joint);
  flg_checked_poses(&own, joint->end);
  flg_checked_ends(&own, joint->end);
}

/* --- coordinates, frames -------------------------------------------------------
 */

static void check_sum(const flg_component *component, int index, flg_mistakes *mistakes) {
  const flg_component_coordinate *sum = &component->coordinates[index];
  const flg_checked own = {component, "sum", {sum->name, sum->place}, mistakes};
  for (int k = 0; k < 2; k++) {
    if (!(isfinite(sum->factor[k]) && sum->factor[k] != 0)) {
      flg_checked_tell_number(&own, k == 0 ? "first factor" : "second factor", sum->factor[k],
                              "a finite number other than zero");
    }
    /* Sums of sums could go round in circles, and efforts would have to be handed on many times. */
    if (component->coordinates[sum->of[k]].kind != FLG_COORDINATE_SUM) continue;
    flg_mistake_add(mistakes, FLG_ERR_INPUT, sum->place,
                    "sum '%s' is one of sums; it must be one of angles, slides and distances",
                    sum->name);
  }
}

static void check_coordinate(const flg_component *component, int index, flg_mistakes *mistakes) {
  const flg_component_coordinate *coordinate = &component->coordinates[index];
  const flg_checked own = {
      component, "coordinate", {coordinate->name, coordinate->place}, mistakes};
  if (coordinate->kind == FLG_COORDINATE_SUM) {
    check_sum(component, index, mistakes);
  } else {
    flg_checked_poses(&own, coordinate->end);
  }
}

static void check_component_frame(const flg_component *component, int index,
                                  flg_mistakes *mistakes) {
  const flg_component_frame *frame = &component->frames[index];
  const flg_checked own = {component, "frame", {frame->name, frame->place}, mistakes};
  flg_checked_pose(&own, "anchor", &frame->anchor.pose);
}

static void check_component_shape(const flg_component *component, int index,
                                  flg_mistakes *mistakes) {
  const flg_shape *shape = &component->shapes[index];
  const flg_component_robot *robots = component->robots;
  const int bodies =
      shape->robot > 0 ? robots[shape->robot - 1].model->body_count : component->body_count;
  flg_part_check_shape(shape, bodies, mistakes);
}

/* --- all of it ---------------------------------------------------------------------------------
 */

/* Coordinates are called like the joint, spring or sensor that they belong to; so may several. */
static void check_names(const flg_component *component, flg_mistakes *mistakes) {
  const flg_component *c = component;
  flg_part_check_names("component", c->groups, sizeof *c->groups, c->group_count, mistakes);
  flg_part_check_names("body", c->bodies, sizeof *c->bodies, c->body_count, mistakes);
  flg_part_check_names("robot", c->robots, sizeof *c->robots, c->robot_count, mistakes);
  flg_part_check_names("joint", c->joints, sizeof *c->joints, c->joint_count, mistakes);
  flg_part_check_names("frame", c->frames, sizeof *c->frames, c->frame_count, mistakes);
}

void flg_component_check(const flg_component *component, flg_mistakes *mistakes) {
  const struct check {
    void (*run)(const flg_component *component, int index, flg_mistakes *mistakes);
    int count;
  } checks[] = {{check_component_body, component->body_count},
                {check_robot, component->robot_count},
                {check_coordinate, component->coordinate_count},
                {component_check_joint, component->joint_count},
                {check_component_frame, component->frame_count},
                {check_component_shape, component->shape_count}};
  check_names(component, mistakes);
  for (size_t k = 0; k < sizeof checks / sizeof checks[0]; k++) {
    for (int index = 0; index < checks[k].count; index++) {
      checks[k].run(component, index, mistakes);
    }
  }
  flg_component_check_signals(component, mistakes);
}
