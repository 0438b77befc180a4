/* A model whose base floats, and rotors for all of its joints. */
#include <string.h>

#include "model/model.h"

enum { NAMES = 10 };

static bool is_root(const flg_joint *joint, flg_joint_kind kind) {
  return joint->parent == FLG_WORLD && joint->kind == kind;
}

/* the first joint of a kind on the world, or -1 */
static int model_base_root_of(const flg_model *model, flg_joint_kind kind) {
  for (int k = 0; k < model->joint_count; k++) {
    if (is_root(&model->joints[k], kind)) return k;
  }
  return -1;
}

/* a name that no other joint has */
static const char *model_base_name(const flg_model *model, int base) {
  static const char *const names[NAMES] = {"base",  "base2", "base3", "base4", "base5",
                                           "base6", "base7", "base8", "base9", "base10"};
  for (int k = 0; k < NAMES; k++) {
    const int used = flg_model_joint(model, names[k]);
    if (used < 0 || used == base) return names[k];
  }
  return model->joints[base].name;
}

/* hangs it on the base, where it is while that rests at its origin */
static void model_base_hand_over(flg_joint *joint, const flg_joint *base) {
  const flg_pose back = flg_pose_inverse(&base->origin);
  joint->origin = flg_pose_compose(&back, &joint->origin);
  joint->parent = base->child;
}

void flg_model_float(flg_model *model, flg_mistakes *mistakes) {
  const int index = model_base_root_of(model, FLG_JOINT_FIXED);
  if (index < 0 && model_base_root_of(model, FLG_JOINT_FLOATING) >= 0) return;
  if (index < 0) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, (flg_place){.file = model->file},
                    "base: floating: no body of '%s' is fixed to the world. Give the model a base "
                    "with a mass, fixed to the world, and let it carry the joints that hang on "
                    "the world",
                    model->name);
    return;
  }
  flg_joint *base = &model->joints[index];
  base->name = model_base_name(model, index);
  base->kind = FLG_JOINT_FLOATING;
  for (int k = 0; k < model->joint_count; k++) {
    flg_joint *joint = &model->joints[k];
    if (joint->parent == FLG_WORLD && joint->kind != FLG_JOINT_FLOATING)
      model_base_hand_over(joint, base);
  }
}

void flg_model_give_armature(flg_model *model, double armature) {
  for (int k = 0; k < model->joint_count; k++) {
    flg_joint *joint = &model->joints[k];
    if (joint->armature == 0 && flg_joint_kind_velocities(joint->kind) == 1) {
      joint->armature = armature;
    }
  }
}
