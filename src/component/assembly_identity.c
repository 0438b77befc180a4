#include "component/assembly_identity.h"

#include "assembly/assembly_contacts.h"
#include "math/identity.h"

/* a fixed body has no mass that matters; where a moving one starts is part of the state */
static uint64_t hash_body(uint64_t hash, const flg_component_body *body) {
  hash = flg_identity(hash, "tii", body->name, body->group, (int)body->fixed);
  if (body->fixed) return flg_identity(hash, "p", &body->pose);
  return flg_identity(hash, "rvsv", body->mass, body->centre, &body->inertia, body->gravity);
}

static uint64_t hash_anchor(uint64_t hash, const flg_anchor *anchor) {
  return flg_identity(hash, "iip", anchor->robot, anchor->body, &anchor->pose);
}

static uint64_t hash_coordinate(uint64_t hash, const flg_component_coordinate *coordinate) {
  hash = flg_identity(hash, "i", (int)coordinate->kind);
  for (int e = 0; e < 2; e++) hash = hash_anchor(hash, &coordinate->end[e]);
  if (coordinate->kind != FLG_COORDINATE_SUM) return hash;
  return flg_identity(hash, "IR", coordinate->of, 2, coordinate->factor, 2);
}

/* a constant that was measured at the start is in the row set */
static uint64_t hash_component_joint(uint64_t hash, const flg_component_joint *joint,
                                     const flg_row_set *row_set) {
  hash = flg_identity(hash, "tii I", joint->name, joint->group, (int)joint->kind, joint->coordinate,
                      2);
  for (int e = 0; e < 2; e++) hash = hash_anchor(hash, &joint->end[e]);
  return flg_identity(hash, "Rrr", joint->factor, 2, joint->constant, row_set->constant);
}

static uint64_t hash_curve(uint64_t hash, const flg_curve *curve) {
  return flg_identity(hash, "iii RR", (int)curve->kind, curve->knots, curve->width, curve->times,
                      curve->knots, curve->values, curve->knots * curve->width);
}

/* member by member: the struct has padding and pointers */
static uint64_t hash_block(uint64_t hash, const flg_block *block) {
  hash = flg_identity(hash, "t iii rrrrr rrrr rrrrrrr r Rr", block->name, (int)block->kind,
                      (int)block->windup, block->order, block->at, block->until, block->from,
                      block->to, block->slope, block->amplitude, block->frequency, block->phase,
                      block->offset, block->kp, block->ki, block->kd, block->tracking,
                      block->time_constant, block->derivative_filter, block->damping,
                      block->initial, block->limit, 2, block->sample);
  hash = hash_curve(hash, &block->curve);
  hash = flg_formula_identity(&block->input, hash);
  hash = flg_formula_identity(&block->target, hash);
  return flg_formula_identity(&block->feed_forward, hash);
}

static uint64_t hash_signals(uint64_t hash, const flg_component *of) {
  for (int k = 0; k < of->block_count; k++) hash = hash_block(hash, &of->blocks[k]);
  return hash;
}

static uint64_t hash_weld(uint64_t hash, const flg_weld *weld) {
  hash = flg_identity(hash, "t", weld->name);
  return hash_anchor(hash_anchor(hash, &weld->end[0]), &weld->end[1]);
}

static uint64_t hash_assembly_options(uint64_t hash, const flg_assembly_options *options) {
  return flg_identity(hash, "t iii v", options->name, (int)options->scheme, (int)options->norm,
                      (int)options->form, options->gravity);
}

/* robots and plug-ins have identities of their own */
static uint64_t hash_subsystems(uint64_t hash, const flg_parts *parts) {
  for (int k = 0; k < parts->count && parts->ops->subsystem != NULL; k++) {
    const flg_subsystem *subsystem = parts->ops->subsystem(parts, k);
    const flg_part_label label = parts->ops->label(parts, k);
    hash = flg_identity(hash, "ti", label.name, label.group);
    hash = subsystem->ops->identity(subsystem->self, hash);
  }
  return hash;
}

/* which bodies are one decides on the layout of the state */
static uint64_t hash_structure(uint64_t hash, const flg_structure *structure,
                               const flg_trees *trees, const flg_component *of) {
  if (structure->merged_count + structure->repeated_count + trees->joint_count == 0) return hash;
  hash = flg_identity(hash, "I", structure->lead, of->body_count);
  for (int k = 0; k < of->joint_count; k++) {
    hash = flg_identity(hash, "i", (int)structure->roles[k]);
  }
  const int links = trees->count == 0 ? 0 : trees->first[trees->count];
  for (int k = 0; k < links; k++) {
    const flg_tree_link *link = &trees->links[k];
    hash = flg_identity(hash, "iii", link->body, link->parent, link->joint);
  }
  return hash;
}

/* Everything that changes a trajectory, in a fixed order. Checkpoints of other models are refused
 * by it. */
uint64_t flg_assembly_identity(const void *self, uint64_t seed) {
  const flg_assembly *assembly = self;
  const flg_component *of = assembly->model.component;
  uint64_t hash = hash_assembly_options(seed, &assembly->model.options);
  hash = flg_identity(hash, "r", assembly->model.length);
  for (int k = 0; k < of->group_count; k++) hash = flg_identity(hash, "i", of->groups[k].parent);
  for (int k = 0; k < of->body_count; k++) hash = hash_body(hash, &of->bodies[k]);
  for (int k = 0; k < of->coordinate_count; k++) {
    hash = hash_coordinate(hash, &of->coordinates[k]);
  }
  for (int k = 0; k < of->joint_count; k++) {
    hash = hash_component_joint(hash, &of->joints[k], &assembly->model.row_sets[k]);
  }
  for (int k = 0; k < assembly->model.force_count; k++) {
    const flg_force *force = &assembly->model.forces[k].force;
    hash = flg_identity(hash, "t", flg_force_head_of(force)->name);
    hash = force->kind->identity(force, hash);
  }
  for (int k = 0; k < assembly->model.options.weld_count; k++) {
    hash = hash_weld(hash, &assembly->model.options.welds[k]);
  }
  for (int k = 0; k < assembly->model.set_count; k++)
    hash = hash_subsystems(hash, assembly->model.sets[k]);
  hash = hash_structure(hash, &assembly->model.structure, &assembly->model.trees, of);
  return flg_assembly_touch_identity(assembly, hash_signals(hash, of));
}
