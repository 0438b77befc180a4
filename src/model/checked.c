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

void flg_checked_positive(const flg_checked *own, const char *quantity, double value) {
  if (!(value > 0)) flg_checked_tell_number(own, quantity, value, "positive");
}

/* infinite limits are none, and pass; NaN fails */
void flg_checked_limit(const flg_checked *own, const double limit[2]) {
  if (limit[0] <= limit[1]) return;
  flg_mistake_add(own->mistakes, FLG_ERR_INPUT, own->head.place,
                  "the limits of %s '%s' are %g and %g, but the first is the lower one", own->what,
                  own->head.name, limit[0], limit[1]);
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

/* --- ends --------------------------------------------------------------------------------------
 */

void flg_checked_poses(const flg_checked *own, const flg_anchor end[2]) {
  flg_checked_pose(own, "first frame", &end[0].pose);
  flg_checked_pose(own, "second frame", &end[1].pose);
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
