#include "io/urdf_inertia.h"

#include <math.h>

#include "io/mesh_import.h"
#include "model/part_check.h"

/* --- links that move ------------------------------------------------------------------------- */

/* Marks bodies that some joint moves. What is welded to the ground has no use for an inertia. */
static void mark_moving(const flg_model *model, bool *moves) {
  bool changed = true;
  for (int pass = 0; changed && pass <= model->joint_count; pass++) {
    changed = false;
    for (int k = 0; k < model->joint_count; k++) {
      const flg_joint *joint = &model->joints[k];
      if (joint->child < 0 || moves[joint->child]) continue;
      const bool carried = joint->parent >= 0 && moves[joint->parent];
      if (joint->kind == FLG_JOINT_FIXED && !carried) continue;
      moves[joint->child] = changed = true;
    }
  }
}

/* --- the nearest inertia --------------------------------------------------------------------- */

static bool is_physical(const flg_body *body) {
  const flg_part_head head = {body->name, body->place};
  double unused[3];
  return flg_part_check_inertia(&head, body->inertia, unused, NULL);
}

static void repair(flg_model *model, const bool *moves, flg_notices *notices) {
  flg_some_names changed = {0}, dropped = {0};
  for (int k = 0; k < model->body_count; k++) {
    flg_body *body = &model->bodies[k];
    const double size = body->inertia.xx + body->inertia.yy + body->inertia.zz;
    if (!isfinite(size)) continue; /* told as a mistake */
    if (body->mass == 0 && size != 0) {
      body->inertia = (flg_sym3){0};
      if (moves[k]) flg_some_names_add(&dropped, body->name);
    } else if (!is_physical(body)) {
      body->inertia = flg_inertia_nearest(body->inertia);
      if (moves[k]) flg_some_names_add(&changed, body->name);
    }
  }
  if (changed.count > 0) {
    flg_notice_add(notices, model->file,
                   "the inertia of %d link%s (%s) belongs to no body and was replaced by the "
                   "nearest that does; 'inertia: strict' refuses such files, 'trust' takes them",
                   changed.count, changed.count == 1 ? "" : "s", flg_some_names_text(&changed));
  }
  if (dropped.count > 0) {
    flg_notice_add(notices, model->file, "the inertia of %d link%s without mass (%s) is left out",
                   dropped.count, dropped.count == 1 ? "" : "s", flg_some_names_text(&dropped));
  }
}

/* --- from shapes ----------------------------------------------------------------------------- */

static bool mass_of_mesh(const flg_shape *shape, flg_region *region,
                         flg_mass_properties *properties) {
  flg_mesh_triangles mesh;
  flg_error unread;
  flg_region scratch = {.limit = region->limit};
  bool found = flg_mesh_import(&mesh, shape->mesh, &scratch, &unread) == FLG_OK;
  if (found) {
    for (size_t k = 0; k < 9 * mesh.count; k++) mesh.corners[k] *= shape->size[k % 3];
    found = flg_mass_of_triangles(mesh.corners, mesh.count, FLG_SHAPE_DENSITY, properties);
  }
  flg_region_release(&scratch);
  if (found) *properties = flg_mass_moved(properties, &shape->pose);
  return found;
}

/* The shapes for contact of a body together, or else those to be seen; false: there are none. */
static bool mass_of_shapes(const flg_model *model, int body, bool collision, flg_region *region,
                           flg_mass_properties *sum) {
  bool found = false;
  *sum = (flg_mass_properties){0};
  for (int k = 0; k < model->shape_count; k++) {
    const flg_shape *shape = &model->shapes[k];
    flg_mass_properties one;
    if (shape->body != body || shape->collision != collision) continue;
    const bool has_mass = shape->kind == FLG_SHAPE_MESH
                              ? mass_of_mesh(shape, region, &one)
                              : flg_mass_of_shape(shape, FLG_SHAPE_DENSITY, &one);
    if (!has_mass) continue;
    *sum = flg_mass_sum(sum, &one);
    found = true;
  }
  return found;
}

static void fill_from_shapes(flg_model *model, const bool *moves, flg_notices *notices) {
  flg_some_names filled = {0};
  for (int k = 0; k < model->body_count; k++) {
    flg_body *body = &model->bodies[k];
    flg_mass_properties from;
    if (body->mass != 0 || !moves[k]) continue;
    if (!mass_of_shapes(model, k, true, notices->region, &from) &&
        !mass_of_shapes(model, k, false, notices->region, &from)) {
      continue;
    }
    body->mass = from.mass, body->centre = from.centre, body->inertia = from.inertia;
    flg_some_names_add(&filled, body->name);
  }
  if (filled.count == 0) return;
  flg_notice_add(notices, model->file,
                 "%d link%s without mass (%s) got that of their shapes, at %d kg/m^3", filled.count,
                 filled.count == 1 ? "" : "s", flg_some_names_text(&filled), FLG_SHAPE_DENSITY);
}

void flg_urdf_mend_inertia(flg_model *model, flg_reading reading, flg_notices *notices) {
  const flg_inertia_rule rule = reading.inertia;
  bool *moves = flg_region_take(notices->region, (size_t)model->body_count, sizeof *moves);
  if (moves == NULL) return;
  for (int k = 0; k < model->body_count; k++) moves[k] = reading.floats;
  if (!reading.floats) mark_moving(model, moves);
  model->trusts_inertia = rule == FLG_INERTIA_TRUST;
  if (rule == FLG_INERTIA_STRICT || rule == FLG_INERTIA_TRUST) return;
  if (rule == FLG_INERTIA_FROM_SHAPES) fill_from_shapes(model, moves, notices);
  repair(model, moves, notices);
}
