#include "model/checked.h"

void flg_checked_tell(const flg_checked *own, const char *sentence) {
  flg_mistake_add(own->mistakes, FLG_ERR_INPUT, own->head.place, "%s '%s' %s", own->what,
                  own->head.name, sentence);
}

void flg_checked_tell_number(const flg_checked *own, const char *quantity, double value,
                             const char *must) {
  flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                  "the %s of %s '%s' is %g, but must be %s", quantity, own->what, own->head.name,
                  value, must);
}

void flg_checked_finite(const flg_checked *own, const char *quantity, double value) {
  if (!isfinite(value)) flg_checked_tell_number(own, quantity, value, "a finite number");
}

/* Comparisons are written so that NaN fails them. */
void flg_checked_not_negative(const flg_checked *own, const char *quantity, double value) {
  if (isfinite(value) && value >= 0) return;
  flg_checked_tell_number(own, quantity, value, "zero or positive");
}

void flg_checked_positive(const flg_checked *own, const char *quantity, double value) {
  if (isfinite(value) && value > 0) return;
  flg_checked_tell_number(own, quantity, value, "positive");
}

void flg_checked_vector(const flg_checked *own, const char *quantity, flg_vec3 value) {
  if (flg_part_is_finite(value)) return;
  flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                  "the %s of %s '%s' is (%g, %g, %g), but must be finite", quantity, own->what,
                  own->head.name, value.x, value.y, value.z);
}

void flg_checked_pose(const flg_checked *own, const char *quantity, const flg_pose *pose) {
  if (flg_part_is_place(pose)) return;
  flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                  "the %s of %s '%s' is not a place in space: its rotation must be one, and all "
                  "numbers finite",
                  quantity, own->what, own->head.name);
}

/* Numbers of files are right by construction; these checks are for components that programs
 * build. */
void flg_checked_group(const flg_checked *own, int group) {
  if (group >= FLG_TOP && group < own->component->group_count) return;
  flg_mistake_add(own->mistakes, FLG_ERR_INPUT, own->head.place,
                  "%s '%s' belongs to inner component %d, which does not exist", own->what,
                  own->head.name, group);
}

bool flg_checked_coordinate(const flg_checked *own, int index) {
  if (index >= 0 && index < own->component->coordinate_count) return true;
  flg_mistake_add(own->mistakes, FLG_ERR_INPUT, own->head.place,
                  "%s '%s' needs a coordinate that the component does not have (number %d of %d)",
                  own->what, own->head.name, index, own->component->coordinate_count);
  return false;
}

/* --- anchors -----------------------------------------------------------------------------------
 */

/* -1 is the component itself; a robot whose model is missing was told of already. */
static bool is_on_something(const flg_component *component, const flg_anchor *anchor) {
  if (anchor->robot == -1) {
    return anchor->body >= FLG_WORLD && anchor->body < component->body_count;
  }
  if (anchor->robot < -1 || anchor->robot >= component->robot_count) return false;
  const flg_model *model = component->robots[anchor->robot].model;
  return model != NULL && flg_model_has_body(model, anchor->body);
}

bool flg_checked_anchor(const flg_checked *own, const char *frame, const flg_anchor *anchor) {
  flg_checked_pose(own, frame, &anchor->pose);
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

static const char *checked_body_name(const flg_component *component, const flg_anchor *anchor) {
  if (anchor->body == FLG_WORLD) return "world";
  if (anchor->robot < 0) return component->bodies[anchor->body].name;
  return component->robots[anchor->robot].model->bodies[anchor->body].name;
}

void flg_checked_ends(const flg_checked *own, const flg_anchor end[2]) {
  const flg_component *component = own->component;
  if (!is_on_something(component, &end[0]) || !is_on_something(component, &end[1])) return;
  if (!moves(component, &end[0]) && !moves(component, &end[1])) {
    flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                    "%s '%s' is between '%s' and '%s', neither of which can move", own->what,
                    own->head.name, checked_body_name(component, &end[0]),
                    checked_body_name(component, &end[1]));
    /* told only where one of them moves: a joint of the world with itself has one fault, not two */
  } else if (end[0].robot == end[1].robot && end[0].body == end[1].body) {
    flg_mistake_add(own->mistakes, FLG_ERR_PHYSICS, own->head.place,
                    "%s '%s' is between body '%s' and itself", own->what, own->head.name,
                    checked_body_name(component, &end[0]));
  }
}
