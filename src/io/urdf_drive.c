#include "io/urdf_drive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- tags that are passed over ----------------------------------------------------------------
 */

enum { TAGS_MOST = 8, TAGS_TEXT = 400 };

typedef struct passed {
  int count;
  struct tag {
    const char *name;
    int times;
  } tags[TAGS_MOST];
} passed;

static void pass(passed *all, const char *name) {
  for (int k = 0; k < all->count; k++) {
    if (strcmp(all->tags[k].name, name) != 0) continue;
    all->tags[k].times++;
    return;
  }
  if (all->count < TAGS_MOST) all->tags[all->count++] = (struct tag){name, 1};
}

/* children of an element that are none of the words, NULL at the end */
static void pass_others(passed *all, const flg_element *parent, const char *const *words) {
  for (const flg_element *child = parent->first; child != NULL; child = child->next) {
    int k = 0;
    while (words[k] != NULL && !flg_element_is(child, words[k])) k++;
    if (words[k] == NULL) pass(all, child->name);
  }
}

static void tell_passed(const passed *all, const char *file, flg_notices *notices) {
  char text[TAGS_TEXT] = "";
  size_t length = 0;
  for (int k = 0; k < all->count && length < TAGS_TEXT; k++) {
    length += (size_t)snprintf(text + length, TAGS_TEXT - length, "%s<%.30s> (%d)",
                               k == 0 ? "" : ", ", all->tags[k].name, all->tags[k].times);
  }
  if (all->count > 0) flg_notice_add(notices, file, "tags without effect: %s", text);
}

/* --- rotors ------------------------------------------------------------------------------------
 */

/* without a prefix */
static const char *plain_name(const flg_element *element) {
  const char *colon = strrchr(element->name, ':');
  return colon == NULL ? element->name : colon + 1;
}

/* the number of the first child that has one of the names (NULL at the end) */
static bool find_number(const flg_element *parent, const char *const *names, double *number) {
  for (const flg_element *child = parent->first; child != NULL; child = child->next) {
    for (int k = 0; names[k] != NULL; k++) {
      if (strcmp(plain_name(child), names[k]) == 0) return flg_element_content(child, number);
    }
  }
  return false;
}

/* in the transmission itself, its actuator, or its joint */
static bool urdf_find_in(const flg_element *transmission, const char *const *names,
                         double *number) {
  const flg_element *actuator = flg_element_child(transmission, "actuator"),
                    *joint = flg_element_child(transmission, "joint");
  return find_number(transmission, names, number) ||
         (actuator != NULL && find_number(actuator, names, number)) ||
         (joint != NULL && find_number(joint, names, number));
}

static bool has_rotor(const flg_joint *joint) {
  return flg_joint_kind_velocities(joint->kind) == 1;
}

/* The rotor of a transmission; false: it says nothing of one. */
static bool read_rotor(const flg_element *transmission, double *armature) {
  static const char *const inertias[] = {"rotor_inertia", "rotorInertia", "motorInertia", NULL};
  static const char *const ratios[] = {"mechanicalReduction", "gear_ratio", NULL};
  double inertia, ratio = 1;
  if (!urdf_find_in(transmission, inertias, &inertia)) return false;
  urdf_find_in(transmission, ratios, &ratio);
  *armature = inertia * ratio * ratio;
  return isfinite(*armature);
}

static bool read_transmission(const flg_element *transmission, const flg_name_index *joints,
                              flg_model *model) {
  const flg_element *named = flg_element_child(transmission, "joint");
  const char *name = named == NULL ? NULL : flg_element_text(named, "name");
  const int joint = name == NULL ? FLG_NAME_UNKNOWN : flg_name_index_find(joints, name);
  double armature;
  if (joint == FLG_NAME_UNKNOWN || !read_rotor(transmission, &armature)) return false;
  if (has_rotor(&model->joints[joint])) model->joints[joint].armature = armature;
  return true;
}

static void read_armature(const flg_element *joint, flg_joint *to, flg_mistakes *mistakes) {
  const flg_element *dynamics = flg_element_child(joint, "dynamics");
  if (dynamics == NULL || !has_rotor(to)) return;
  flg_element_numbers(dynamics, "armature", 1, &to->armature, mistakes);
}

void flg_urdf_read_drives(const flg_element *robot, const flg_name_index *joints, flg_model *model,
                          flg_notices *notices, flg_mistakes *mistakes) {
  static const char *const of_robot[] = {"link", "joint", "material", "transmission", NULL};
  static const char *const of_link[] = {"inertial", "visual", "collision", NULL};
  static const char *const of_joint[] = {"origin", "parent",   "child", "axis",
                                         "limit",  "dynamics", "mimic", NULL};
  passed others = {0};
  flg_joint *to = model->joints;
  for (const flg_element *child = robot->first; child != NULL; child = child->next) {
    if (flg_element_is(child, "link")) pass_others(&others, child, of_link);
    if (flg_element_is(child, "joint")) {
      read_armature(child, to++, mistakes);
      pass_others(&others, child, of_joint);
    }
  }
  const flg_element *transmission = flg_element_child(robot, "transmission");
  for (; transmission != NULL; transmission = flg_element_again(transmission)) {
    if (!read_transmission(transmission, joints, model)) pass(&others, "transmission");
  }
  pass_others(&others, robot, of_robot);
  tell_passed(&others, model->file, notices);
}
