#include "component/assembly_identity.h"

#include "assembly/assembly_contacts.h"
#include "math/identity.h"

/* a fixed body has no mass that matters; where a moving one starts is part of the state */
static uint64_t hash_body(uint64_t hash, const flg_component_body *body) {
  const int numbers[] = {body->group, body->fixed};
  hash = flg_identity_text(hash, body->name);
  hash = flg_identity_integers(hash, numbers, 2);
  if (body->fixed) return flg_identity_pose(hash, &body->pose);
  hash = flg_identity_reals(hash, &body->mass, 1);
  hash = flg_identity_vector(hash, body->centre);
  hash = flg_identity_sym3(hash, &body->inertia);
  return flg_identity_vector(hash, body->gravity);
}

static uint64_t hash_anchor(uint64_t hash, const flg_anchor *anchor) {
  const int numbers[] = {anchor->robot, anchor->body};
  return flg_identity_pose(flg_identity_integers(hash, numbers, 2), &anchor->pose);
}

static uint64_t hash_coordinate(uint64_t hash, const flg_component_coordinate *coordinate) {
  const int kind = (int)coordinate->kind;
  hash = flg_identity_integers(hash, &kind, 1);
  for (int e = 0; e < 2; e++) hash = hash_anchor(hash, &coordinate->end[e]);
  if (coordinate->kind != FLG_COORDINATE_SUM) return hash;
  return flg_identity_reals(flg_identity_integers(hash, coordinate->of, 2), coordinate->factor, 2);
}

/* a constant that was measured at the start is in the row set */
static uint64_t hash_component_joint(uint64_t hash, const flg_component_joint *joint,
                                     const flg_row_set *row_set) {
  const int numbers[] = {joint->group, (int)joint->kind, joint->coordinate[0],
                         joint->coordinate[1]};
  const double reals[] = {joint->factor[0], joint->factor[1], joint->constant, row_set->constant};
  hash = flg_identity_text(hash, joint->name);
  hash = flg_identity_integers(hash, numbers, sizeof numbers / sizeof numbers[0]);
  for (int e = 0; e < 2; e++) hash = hash_anchor(hash, &joint->end[e]);
  return flg_identity_reals(hash, reals, sizeof reals / sizeof reals[0]);
}

static uint64_t hash_curve(uint64_t hash, const flg_curve *curve) {
  const int numbers[] = {(int)curve->kind, curve->knots, curve->width};
  const size_t count = (size_t)curve->knots * (size_t)curve->width;
  hash = flg_identity_integers(hash, numbers, 3);
  hash = flg_identity_reals(hash, curve->times, (size_t)curve->knots);
  return flg_identity_reals(hash, curve->values, count);
}

/* member by member: the struct has padding and pointers */
static uint64_t hash_block(uint64_t hash, const flg_block *block) {
  const int numbers[] = {(int)block->kind, (int)block->windup, block->order};
  const double reals[] = {block->at,
                          block->until,
                          block->from,
                          block->to,
                          block->slope,
                          block->amplitude,
                          block->frequency,
                          block->phase,
                          block->offset,
                          block->kp,
                          block->ki,
                          block->kd,
                          block->tracking,
                          block->time_constant,
                          block->derivative_filter,
                          block->damping,
                          block->initial,
                          block->limit[0],
                          block->limit[1],
                          block->sample};
  hash = flg_identity_text(hash, block->name);
  hash = flg_identity_integers(hash, numbers, sizeof numbers / sizeof numbers[0]);
  hash = flg_identity_reals(hash, reals, sizeof reals / sizeof reals[0]);
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
  hash = flg_identity_text(hash, weld->name);
  return hash_anchor(hash_anchor(hash, &weld->end[0]), &weld->end[1]);
}

static uint64_t hash_assembly_options(uint64_t hash, const flg_assembly_options *options) {
  const int numbers[] = {(int)options->scheme, (int)options->norm, (int)options->form};
  hash = flg_identity_text(hash, options->name);
  hash = flg_identity_integers(hash, numbers, sizeof numbers / sizeof numbers[0]);
  return flg_identity_vector(hash, options->gravity);
}

/* robots and plug-ins have identities of their own */
static uint64_t hash_subsystems(uint64_t hash, const flg_parts *parts) {
  for (int k = 0; k < parts->count && parts->ops->subsystem != NULL; k++) {
    const flg_subsystem *subsystem = parts->ops->subsystem(parts, k);
    const int group = parts->ops->label(parts, k).group;
    hash = flg_identity_text(hash, parts->ops->label(parts, k).name);
    hash = flg_identity_integers(hash, &group, 1);
    hash = subsystem->ops->identity(subsystem->self, hash);
  }
  return hash;
}

/* which bodies are one decides on the layout of the state */
static uint64_t hash_structure(uint64_t hash, const flg_structure *structure,
                               const flg_trees *trees, const flg_component *of) {
  if (structure->merged_count + structure->repeated_count + trees->joint_count == 0) return hash;
  hash = flg_identity_integers(hash, structure->lead, (size_t)of->body_count);
  for (int k = 0; k < of->joint_count; k++) {
    const int role = (int)structure->roles[k];
    hash = flg_identity_integers(hash, &role, 1);
  }
  const int links = trees->count == 0 ? 0 : trees->first[trees->count];
  for (int k = 0; k < links; k++) {
    const int numbers[] = {trees->links[k].body, trees->links[k].parent, trees->links[k].joint};
    hash = flg_identity_integers(hash, numbers, sizeof numbers / sizeof numbers[0]);
  }
  return hash;
}

/* Everything that changes a trajectory, in a fixed order. Checkpoints of other models are refused
 * by it. */
uint64_t flg_assembly_identity(const void *self, uint64_t seed) {
  const flg_assembly *assembly = self;
  const flg_component *of = assembly->model.component;
  uint64_t hash = hash_assembly_options(seed, &assembly->model.options);
  hash = flg_identity_reals(hash, &assembly->model.length, 1);
  for (int k = 0; k < of->group_count; k++) {
    hash = flg_identity_integers(hash, &of->groups[k].parent, 1);
  }
  for (int k = 0; k < of->body_count; k++) hash = hash_body(hash, &of->bodies[k]);
  for (int k = 0; k < of->coordinate_count; k++) {
    hash = hash_coordinate(hash, &of->coordinates[k]);
  }
  for (int k = 0; k < of->joint_count; k++) {
    hash = hash_component_joint(hash, &of->joints[k], &assembly->model.row_sets[k]);
  }
  for (int k = 0; k < assembly->model.force_count; k++) {
    const flg_force *force = &assembly->model.forces[k].force;
    hash = flg_identity_text(hash, flg_force_head_of(force)->name);
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
