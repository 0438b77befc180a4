#include "compile/smooth_part.h"

#include <string.h>

#include "component/assembly_start.h"
#include "parts/bodies.h"

static void release_smooth_part(void *what) {
  flg_assembly_release(what);
}

/* Rows are those of joints, and of what can be told apart from them. */
static bool has_smooth_part(const flg_assembly *assembly) {
  const struct flg_assembly_model *model = &assembly->model;
  return model->options.scheme == FLG_SCHEME_RATTLE && model->set_count == 1 &&
         model->sets[0]->ops->free_step == &flg_bodies_free_step &&
         model->options.insert_count == 0 && model->component->robot_count == 0 &&
         !model->was_fitted &&
         model->row_set_count ==
             model->joint_count + assembly->state.welds.count + assembly->state.limits.count &&
         flg_limits_are_forces(model->component);
}

/* Names and bodies are shared: only what is left out differs. */
static flg_assembly *build_smooth(const flg_assembly *assembly, flg_region *region) {
  flg_component *component = flg_region_take(region, 1, sizeof *component);
  flg_assembly_options options = assembly->model.options;
  flg_mistakes mistakes = {0};
  flg_assembly *made = NULL;
  if (component == NULL) return NULL;
  *component = *assembly->model.component;
  component->friction_count = component->stop_count = component->shape_count = 0;
  options.stiff = NULL;
  options.outer_port_count = options.weld_count = 0;
  const flg_status status = flg_assembly_build(&made, component, NULL, &options, &mistakes);
  if (status == FLG_ERR_MEMORY) region->failed = true;
  if (status != FLG_OK) return NULL;
  flg_region_owe(region, release_smooth_part, made);
  return made;
}

static bool same_pose(const flg_pose *a, const flg_pose *b) {
  for (int k = 0; k < 9; k++) {
    if (a->rotation.m[k] != b->rotation.m[k]) return false;
  }
  return a->position.x == b->position.x && a->position.y == b->position.y &&
         a->position.z == b->position.z;
}

static bool same_anchor(const flg_part_anchor *a, const flg_part_anchor *b) {
  return (a->on == NULL) == (b->on == NULL) && (a->on == NULL || a->part == b->part) &&
         same_pose(&a->pose, &b->pose);
}

/* Steps of one are steps of the other: the same parts, joints and angles in the same order. */
static bool is_laid_out_alike(const flg_assembly *one, const flg_assembly *other) {
  const struct flg_assembly_model *a = &one->model, *b = &other->model;
  if (a->set_count != b->set_count || a->position_count != b->position_count ||
      a->part_count != b->part_count || a->angle_count != b->angle_count ||
      a->joint_count != b->joint_count || a->length != b->length) {
    return false;
  }
  for (int k = 0; k < a->joint_count; k++) {
    const flg_row_set *of = &a->row_sets[k], *as = &b->row_sets[k];
    if (of->kind != as->kind || of->rows != as->rows) return false;
    for (int e = 0; e < 2 && of->rows > 0; e++) {
      if (!same_anchor(&of->anchor[e], &as->anchor[e])) return false;
    }
  }
  return true;
}

/* where the other starts, with rows that are chosen there */
static bool start_smooth(const flg_assembly *assembly, bool is_asked, flg_assembly *made) {
  const struct flg_assembly_model *model = &assembly->model;
  const int count = model->position_count + model->velocity_count + model->angle_count;
  memcpy(made->state.numbers, assembly->state.numbers, (size_t)count * sizeof(double));
  flg_assembly_place(made, made->state.q, made->state.v);
  if (is_asked) made->model.options.reduces = false; /* no rows of flat bodies are left out */
  return flg_assembly_freeze(made) == FLG_OK;
}

const flg_assembly *flg_smooth_part_of(const flg_assembly *assembly, bool is_asked,
                                       flg_region *region) {
  const bool is_plain = assembly->state.limits.count == 0 && assembly->state.welds.count == 0 &&
                        assembly->model.touch == NULL && assembly->model.outer_port_count == 0;
  const bool is_whole = !is_asked || !assembly->scratch.has_flat;
  if (is_whole && (is_plain || assembly->model.planar != NULL)) return assembly;
  if (!has_smooth_part(assembly)) return NULL;
  flg_assembly *made = build_smooth(assembly, region);
  if (made == NULL || region->failed || !is_laid_out_alike(assembly, made)) return NULL;
  if (!start_smooth(assembly, is_asked, made)) region->failed = true;
  return region->failed ? NULL : made;
}
