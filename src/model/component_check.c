#include <string.h>

#include "model/component.h"
#include "model/component_limits.h"
#include "model/part_check.h"

/* Of the largest principal moment: below that, the smallest is rounding. */
static const double DEFINITE_TOLERANCE = 1e-12;

/* What is being looked at, for the sentences. */
typedef struct part {
  const flg_component *component;
  const char *what; /* "joint", "spring", ... */
  flg_part_head head;
  flg_mistakes *mistakes;
} part;

static void check_finite(const part *own, const char *quantity, double value) {
  if (isfinite(value)) return;
  flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                  "the %s of %s '%s' is %g, but must be a finite number", quantity, own->what,
                  own->head.name, value);
}

static void check_finite_vector(const part *own, const char *quantity, flg_vec3 value) {
  if (flg_part_is_finite(value)) return;
  flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                  "the %s of %s '%s' is (%g, %g, %g), but must be finite", quantity, own->what,
                  own->head.name, value.x, value.y, value.z);
}

static void check_pose(const part *own, const char *quantity, const flg_pose *pose) {
  if (flg_part_is_place(pose)) return;
  flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                  "the %s of %s '%s' is not a place in space: its rotation must be one, and all "
                  "numbers finite",
                  quantity, own->what, own->head.name);
}

static void check_group(const part *own, int group) {
  if (group >= FLG_TOP && group < own->component->group_count) return;
  flg_mistake_add(own->mistakes, FLG_ERR_INPUT, own->head.place,
                  "%s '%s' belongs to inner component %d, which does not exist", own->what,
                  own->head.name, group);
}

/* --- anchors -----------------------------------------------------------------------------------
 */

static bool is_on_something(const flg_component *component, const flg_anchor *anchor) {
  if (anchor->robot == -1) {
    return anchor->body >= FLG_WORLD && anchor->body < component->body_count;
  }
  if (anchor->robot < -1 || anchor->robot >= component->robot_count) return false;
  const flg_model *model = component->robots[anchor->robot].model;
  return model != NULL && flg_model_has_body(model, anchor->body);
}

static bool check_anchor(const part *own, const char *frame, const flg_anchor *anchor) {
  check_pose(own, frame, &anchor->pose);
  if (is_on_something(own->component, anchor)) return true;
  flg_mistake_add(own->mistakes, FLG_ERR_INPUT, own->head.place,
                  "the %s of %s '%s' is on no body of the component", frame, own->what,
                  own->head.name);
  return false;
}

/* Of a robot, whatever is not its ground: which of its bodies can move is for robot.h to say. */
static bool moves(const flg_component *component, const flg_anchor *anchor) {
  if (anchor->body == FLG_WORLD) return false;
  return anchor->robot >= 0 || !component->bodies[anchor->body].fixed;
}

static const char *body_name(const flg_component *component, const flg_anchor *anchor) {
  if (anchor->body == FLG_WORLD) return "world";
  if (anchor->robot < 0) return component->bodies[anchor->body].name;
  return component->robots[anchor->robot].model->bodies[anchor->body].name;
}

/* Between two ends of which at least one moves, and not with the other. */
static void check_ends(const part *own, const flg_anchor end[2]) {
  const flg_component *component = own->component;
  if (!moves(component, &end[0]) && !moves(component, &end[1])) {
    flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                    "%s '%s' is between '%s' and '%s', neither of which can move", own->what,
                    own->head.name, body_name(component, &end[0]), body_name(component, &end[1]));
  } else if (end[0].robot == end[1].robot && end[0].body == end[1].body) {
    flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                    "%s '%s' is between body '%s' and itself", own->what, own->head.name,
                    body_name(component, &end[0]));
  }
}

/* --- bodies, robots, groups --------------------------------------------------------------------
 */

static void check_group_order(const flg_component *component, int index, flg_mistakes *mistakes) {
  const flg_component_group *group = &component->groups[index];
  if (group->parent >= FLG_TOP && group->parent < index) return;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, group->place,
                  "component '%s' is inside of component %d, which does not come before it",
                  group->name, group->parent);
}

static void check_mass(const part *own, const flg_component_body *body) {
  if (!(body->mass > 0) || !isfinite(body->mass)) {
    flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                    "the mass of body '%s' is %g kg, but what moves must have a positive one",
                    own->head.name, body->mass);
  }
  check_finite_vector(own, "centre of mass", body->centre);
  double moment[3];
  if (!flg_part_check_inertia(&own->head, body->inertia, moment, own->mistakes)) return;
  if (moment[0] > DEFINITE_TOLERANCE * moment[2]) return;
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

/* NaNs are a value: that of the subsystem. */
static void check_gravity(const part *own, flg_vec3 gravity) {
  if (isnan(gravity.x) && isnan(gravity.y) && isnan(gravity.z)) return;
  check_finite_vector(own, "gravity", gravity);
}

static void check_body(const flg_component *component, int index, flg_mistakes *mistakes) {
  const flg_component_body *body = &component->bodies[index];
  const part own = {component, "body", {body->name, body->place}, mistakes};
  const char *word = last_word(body->name);
  if (word != NULL && strcmp(word, "world") == 0) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, body->place,
                    "no body may be called 'world': that is the name of the ground");
  }
  check_group(&own, body->group);
  if (!body->fixed) check_mass(&own, body);
  check_gravity(&own, body->gravity);
  check_pose(&own, "pose", &body->pose);
  check_finite_vector(&own, "velocity", body->velocity.linear);
  check_finite_vector(&own, "angular velocity", body->velocity.angular);
}

static void check_robot(const flg_component *component, int index, flg_mistakes *mistakes) {
  const flg_component_robot *robot = &component->robots[index];
  const part own = {component, "robot", {robot->name, robot->place}, mistakes};
  check_group(&own, robot->group);
  check_pose(&own, "pose", &robot->pose);
  if (robot->model != NULL) return;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, robot->place, "robot '%s' has no model", robot->name);
}

/* --- joints ------------------------------------------------------------------------------------
 */

static bool couples_coordinates(flg_constraint_kind kind) {
  return kind == FLG_CONSTRAINT_GEAR || kind == FLG_CONSTRAINT_RACK;
}

static bool check_coordinate_index(const part *own, int index) {
  if (index >= 0 && index < own->component->coordinate_count) return true;
  flg_mistake_add(own->mistakes, FLG_ERR_INPUT, own->head.place,
                  "%s '%s' needs a coordinate that the component does not have (number %d of %d)",
                  own->what, own->head.name, index, own->component->coordinate_count);
  return false;
}

/* Two different coordinates: of a gear angles, of a rack a slide and an angle. */
static void check_coupled(const part *own, const flg_component_joint *joint) {
  const flg_component_coordinate *list = own->component->coordinates;
  const int first = joint->coordinate[0], second = joint->coordinate[1];
  const bool rack = joint->kind == FLG_CONSTRAINT_RACK;
  int slides = 0, angles = 0;
  for (int k = 0; k < 2; k++) {
    slides += list[joint->coordinate[k]].kind == FLG_COORDINATE_SLIDE;
    angles += list[joint->coordinate[k]].kind == FLG_COORDINATE_ANGLE;
  }
  if (first == second) {
    flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                    "%s '%s' couples the %s of '%s' with itself", own->what, own->head.name,
                    flg_coordinate_kind_name(list[first].kind), list[first].name);
  } else if (slides != (rack ? 1 : 0) || angles != (rack ? 1 : 2)) {
    flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                    "%s '%s' couples the %s of '%s' with the %s of '%s', but must couple %s",
                    own->what, own->head.name, flg_coordinate_kind_name(list[first].kind),
                    list[first].name, flg_coordinate_kind_name(list[second].kind),
                    list[second].name, rack ? "a slide with an angle" : "two angles");
  }
}

static void check_factors(const part *own, const flg_component_joint *joint) {
  for (int k = 0; k < 2; k++) {
    if (isfinite(joint->factor[k]) && joint->factor[k] != 0) continue;
    flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                    "factor %d of %s '%s' is %g, but must be a finite number other than zero",
                    k + 1, own->what, own->head.name, joint->factor[k]);
  }
}

static void check_constant(const part *own, const flg_component_joint *joint) {
  if (joint->kind == FLG_CONSTRAINT_SCREW) check_finite(own, "pitch", joint->constant);
  if (joint->kind != FLG_CONSTRAINT_DISTANCE) return;
  if (isfinite(joint->constant) && joint->constant > 0) return;
  flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                  "the distance of joint '%s' is %g m, but must be positive (a spherical joint "
                  "makes points meet)",
                  own->head.name, joint->constant);
}

static void check_joint(const flg_component *component, int index, flg_mistakes *mistakes) {
  const flg_component_joint *joint = &component->joints[index];
  const part own = {component, "joint", {joint->name, joint->place}, mistakes};
  check_group(&own, joint->group);
  if ((int)joint->kind < 0 || joint->kind >= FLG_CONSTRAINT_KIND_COUNT) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, joint->place, "joint '%s' is of no known kind",
                    joint->name);
    return;
  }
  const bool coupling = couples_coordinates(joint->kind);
  const int needed = coupling ? 2 : flg_constraint_kind_coordinates(joint->kind);
  bool good = true;
  for (int k = 0; k < needed; k++) good &= check_coordinate_index(&own, joint->coordinate[k]);
  if (coupling) {
    check_factors(&own, joint);
    if (good) check_coupled(&own, joint);
    return;
  }
  check_constant(&own, joint);
  const bool first = check_anchor(&own, "first frame", &joint->end[0]);
  const bool second = check_anchor(&own, "second frame", &joint->end[1]);
  if (first && second) check_ends(&own, joint->end);
}

/* --- coordinates, springs, loads, frames -------------------------------------------------------
 */

static void check_coordinate(const flg_component *component, int index, flg_mistakes *mistakes) {
  const flg_component_coordinate *coordinate = &component->coordinates[index];
  const part own = {component, "coordinate", {coordinate->name, coordinate->place}, mistakes};
  check_group(&own, coordinate->group);
  if ((int)coordinate->kind < 0 || coordinate->kind >= FLG_COORDINATE_KIND_COUNT) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, coordinate->place,
                    "coordinate '%s' is of no known kind", coordinate->name);
  }
  if (coordinate->kind == FLG_COORDINATE_SUM) {
    flg_component_check_sum(component, index, mistakes);
    return;
  }
  check_anchor(&own, "first frame", &coordinate->end[0]);
  check_anchor(&own, "second frame", &coordinate->end[1]);
}

static void check_not_negative(const part *own, const char *quantity, double value) {
  if (isfinite(value) && value >= 0) return;
  flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                  "the %s of %s '%s' is %g, but must be zero or positive", quantity, own->what,
                  own->head.name, value);
}

static void check_spring(const flg_component *component, int index, flg_mistakes *mistakes) {
  const flg_component_spring *spring = &component->springs[index];
  const part own = {component, "spring", {spring->name, spring->place}, mistakes};
  check_group(&own, spring->group);
  check_not_negative(&own, "stiffness", spring->stiffness);
  check_not_negative(&own, "damping", spring->damping);
  check_finite(&own, "preload", spring->preload);
  if (!isnan(spring->rest)) check_finite(&own, "rest", spring->rest);
  check_not_negative(&own, "slack", spring->slack);
  if (!check_coordinate_index(&own, spring->coordinate)) return;
  if (component->coordinates[spring->coordinate].kind == FLG_COORDINATE_SUM) return;
  const flg_anchor *end = component->coordinates[spring->coordinate].end;
  if (is_on_something(component, &end[0]) && is_on_something(component, &end[1])) {
    check_ends(&own, end);
  }
}

static void check_load(const flg_component *component, int index, flg_mistakes *mistakes) {
  const flg_component_load *load = &component->loads[index];
  const part own = {component, "load", {load->name, load->place}, mistakes};
  check_group(&own, load->group);
  check_anchor(&own, "frame", &load->at);
  check_finite_vector(&own, "force", load->force.linear);
  check_finite_vector(&own, "moment", load->force.angular);
}

static void check_frame(const flg_component *component, int index, flg_mistakes *mistakes) {
  const flg_component_frame *frame = &component->frames[index];
  const part own = {component, "frame", {frame->name, frame->place}, mistakes};
  check_group(&own, frame->group);
  check_anchor(&own, "anchor", &frame->anchor);
}

static void check_shape(const flg_component *component, int index, flg_mistakes *mistakes) {
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
  flg_part_check_names("spring", c->springs, sizeof *c->springs, c->spring_count, mistakes);
  flg_part_check_names("friction", c->frictions, sizeof *c->frictions, c->friction_count, mistakes);
  flg_part_check_names("stop", c->stops, sizeof *c->stops, c->stop_count, mistakes);
  flg_part_check_names("load", c->loads, sizeof *c->loads, c->load_count, mistakes);
  flg_part_check_names("frame", c->frames, sizeof *c->frames, c->frame_count, mistakes);
}

void flg_component_check(const flg_component *component, flg_mistakes *mistakes) {
  const struct check {
    void (*run)(const flg_component *component, int index, flg_mistakes *mistakes);
    int count;
  } checks[] = {{check_group_order, component->group_count},
                {check_body, component->body_count},
                {check_robot, component->robot_count},
                {check_coordinate, component->coordinate_count},
                {check_joint, component->joint_count},
                {check_spring, component->spring_count},
                {flg_component_check_friction, component->friction_count},
                {flg_component_check_stop, component->stop_count},
                {check_load, component->load_count},
                {check_frame, component->frame_count},
                {check_shape, component->shape_count}};
  check_names(component, mistakes);
  for (size_t k = 0; k < sizeof checks / sizeof checks[0]; k++) {
    for (int index = 0; index < checks[k].count; index++) {
      checks[k].run(component, index, mistakes);
    }
  }
  flg_component_check_signals(component, mistakes);
}
