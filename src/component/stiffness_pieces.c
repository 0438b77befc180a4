#include "component/stiffness_pieces.h"

/* Union and find over the parts of the plan, with paths halved on the way. */
static int lead_of(int *parent, int part) {
  while (parent[part] != part) part = parent[part] = parent[parent[part]];
  return part;
}

/* Connects a part with the one before; returns it, or that one if it is the ground. */
static int connect(int *parent, int before, int part) {
  if (part < 0) return before;
  if (before >= 0) parent[lead_of(parent, part)] = lead_of(parent, before);
  return part;
}

static void connect_row_set(const flg_row_set *row_set, int *parent) {
  int last = -1;
  for (int e = 0; e < row_set->ends; e++) last = connect(parent, last, row_set->port[e].part);
}

static int connect_anchors(const flg_part_anchor anchor[2], int *parent, int last) {
  for (int s = 0; s < 2; s++) {
    if (anchor[s].of == NULL) continue;
    last = connect(parent, last, anchor[s].of->first + anchor[s].part);
  }
  return last;
}

/* One of its parts; -1: it has none. A sum of two coordinates acts on the frames of both. */
static int connect_force(const flg_assembly *assembly, const flg_running_force *force,
                         int *parent) {
  int of[2], last = -1;
  double factor[2];
  if (force->coordinate < 0) return connect_anchors(force->anchor, parent, last);
  flg_limits_couple(assembly->model.component, force->coordinate, of, factor);
  for (int s = 0; s < 2; s++) {
    if (of[s] < 0) continue;
    last = connect_anchors(assembly->model.coordinates[of[s]].anchor, parent, last);
  }
  return last;
}

/* Parts are numbered by pieces, in place of the part that leads each. */
static void number_parts(flg_stiffness_pieces *pieces, const int *parent, int *number, int parts) {
  for (int p = 0; p < parts; p++) {
    if (parent[p] == p) number[p] = pieces->count++;
  }
}

static void number_velocities(flg_stiffness_pieces *pieces, const flg_parts *parts, int *parent,
                              const int *number) {
  for (int p = 0; p < parts->count; p++) {
    const flg_part_slice slice = parts->ops->slice(parts, p);
    int *of = pieces->of_velocity + parts->velocity + slice.velocity;
    const int piece = number[lead_of(parent, parts->first + p)];
    for (int k = 0; k < slice.velocity_count; k++) of[k] = piece;
  }
}

bool flg_stiffness_pieces_find(flg_stiffness_pieces *pieces, const flg_assembly *assembly,
                               flg_region *region) {
  const struct flg_assembly_model *model = &assembly->model;
  const int parts = model->part_count;
  *pieces = (flg_stiffness_pieces){
      .of_velocity = flg_region_take(region, (size_t)model->velocity_count, sizeof(int)),
      .of_force = flg_region_take(region, (size_t)model->force_count, sizeof(int))};
  int *parent = flg_region_take(region, (size_t)parts, sizeof *parent);
  int *number = flg_region_take(region, (size_t)parts, sizeof *number);
  if (region->failed) return false;
  for (int p = 0; p < parts; p++) parent[p] = p;
  for (int k = 0; k < model->row_set_count; k++) connect_row_set(&model->row_sets[k], parent);
  for (int k = 0; k < model->force_count; k++) {
    pieces->of_force[k] = connect_force(assembly, &model->forces[k], parent);
  }
  number_parts(pieces, parent, number, parts);
  for (int k = 0; k < model->set_count; k++) {
    number_velocities(pieces, model->sets[k], parent, number);
  }
  for (int k = 0; k < model->force_count; k++) {
    const int part = pieces->of_force[k];
    if (part >= 0) pieces->of_force[k] = number[lead_of(parent, part)];
  }
  return true;
}
