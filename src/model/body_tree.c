#include "model/body_tree.h"

#include <stdbool.h>

enum { NONE = -1, VISITED = -2, ON_THIS_WAY = -3 };

/* `first` has an entry more than there are bodies: entry 0 is the list of the world, which is body
 * -1. */
static void body_tree_lay_out(flg_body_tree *tree, const flg_model *model, flg_region *region) {
  const size_t bodies = (size_t)model->body_count, joints = (size_t)model->joint_count;
  *tree = (flg_body_tree){.order = flg_region_take(region, bodies, sizeof(int)),
                          .carrier = flg_region_take(region, bodies, sizeof(int)),
                          .first = flg_region_take(region, bodies + 1, sizeof(int)),
                          .next = flg_region_take(region, joints, sizeof(int)),
                          .stack = flg_region_take(region, bodies, sizeof(int))};
  for (int k = 0; k < model->body_count && !region->failed; k++) tree->carrier[k] = NONE;
  for (int k = 0; k <= model->body_count && !region->failed; k++) tree->first[k] = NONE;
}

/* Adds a mistake and returns false for a joint that cannot be hung up. */
/* Programs build models without a reader that would have checked numbers: all of them are looked
 * at. */
static bool joint_is_hangable(const flg_body_tree *tree, const flg_model *model, int index,
                              flg_mistakes *mistakes) {
  const flg_joint *joint = &model->joints[index];
  if (!flg_model_has_body(model, joint->parent) || !flg_model_has_body(model, joint->child) ||
      joint->child == FLG_WORLD) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, joint->place,
                    "joint '%s' does not connect two bodies of the model", joint->name);
    return false;
  }
  const char *child = model->bodies[joint->child].name;
  if (joint->parent == joint->child) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, joint->place,
                    "joint '%s' connects body '%s' with itself", joint->name, child);
    return false;
  }
  const int other = tree->carrier[joint->child];
  if (other == NONE) return true;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, joint->place,
                  "body '%s' has two parents: it is the child of joint '%s' and of joint '%s'",
                  child, model->joints[other].name, joint->name);
  return false;
}

/* From the last joint to the first, so that each list begins with the first; names of mistakes come
 * in the order of the file, hence the two loops. */
static void hang_joints(flg_body_tree *tree, const flg_model *model, flg_mistakes *mistakes) {
  for (int k = 0; k < model->joint_count; k++) {
    if (joint_is_hangable(tree, model, k, mistakes)) tree->carrier[model->joints[k].child] = k;
  }
  for (int k = model->joint_count - 1; k >= 0; k--) {
    const flg_joint *joint = &model->joints[k];
    if (!flg_model_has_body(model, joint->child) || joint->child == FLG_WORLD) continue;
    if (tree->carrier[joint->child] != k) continue;
    tree->next[k] = tree->first[joint->parent + 1];
    tree->first[joint->parent + 1] = k;
  }
}

/* Depth first: a body is put in order when it is taken off the stack, and its children are pushed
 * so that the first comes off first. */
static void sort_bodies(flg_body_tree *tree, const flg_model *model) {
  int height = 0, parent = FLG_WORLD;
  for (;;) {
    const int bottom = height;
    for (int k = tree->first[parent + 1]; k != NONE; k = tree->next[k]) {
      tree->stack[height++] = model->joints[k].child;
    }
    for (int low = bottom, high = height - 1; low < high; low++, high--) {
      const int body = tree->stack[low];
      tree->stack[low] = tree->stack[high];
      tree->stack[high] = body;
    }
    if (height == 0) return;
    parent = tree->stack[--height];
    tree->order[tree->count++] = parent;
  }
}

/* Follows the parents of a body that was not reached until they end or come round. `mark` is
 * VISITED for all that is known. */
static void report_way_up(const flg_body_tree *tree, const flg_model *model, int start, int *mark,
                          flg_mistakes *mistakes) {
  int body = start;
  while (body != FLG_WORLD && mark[body] == NONE && tree->carrier[body] != NONE) {
    mark[body] = ON_THIS_WAY;
    body = model->joints[tree->carrier[body]].parent;
  }
  if (body != FLG_WORLD && mark[body] == ON_THIS_WAY) {
    const flg_joint *joint = &model->joints[tree->carrier[body]];
    flg_mistake_add(mistakes, FLG_ERR_INPUT, joint->place,
                    "joint '%s' closes a loop: body '%s' hangs on itself", joint->name,
                    model->bodies[body].name);
  }
  for (body = start; body != FLG_WORLD && mark[body] == ON_THIS_WAY;) {
    mark[body] = VISITED;
    body = model->joints[tree->carrier[body]].parent;
  }
}

static void report_unreached(flg_body_tree *tree, const flg_model *model, flg_mistakes *mistakes) {
  int *mark = tree->stack; /* empty by now */
  for (int k = 0; k < model->body_count; k++) mark[k] = NONE;
  for (int k = 0; k < tree->count; k++) mark[tree->order[k]] = VISITED;
  for (int k = 0; k < model->body_count; k++) {
    if (mark[k] != NONE) continue;
    const flg_body *body = &model->bodies[k];
    if (tree->carrier[k] != NONE) {
      report_way_up(tree, model, k, mark, mistakes);
    } else {
      flg_mistake_add(mistakes, FLG_ERR_INPUT, body->place,
                      "body '%s' hangs on nothing: it is the child of no joint (a floating joint "
                      "on the world leaves it free)",
                      body->name);
    }
  }
}

flg_status flg_body_tree_build(flg_body_tree *tree, const flg_model *model, flg_region *region,
                               flg_mistakes *mistakes) {
  const int before = mistakes->count;
  body_tree_lay_out(tree, model, region);
  if (region->failed) {
    return flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){.file = model->file},
                           "there is no memory for the model '%s'", model->name);
  }
  hang_joints(tree, model, mistakes);
  sort_bodies(tree, model);
  /* bodies whose joint was refused are reported by that joint */
  if (mistakes->count == before) report_unreached(tree, model, mistakes);
  return mistakes->count == before ? FLG_OK : mistakes->status;
}
