/* Parts of an assembly: made, found again by the numbers of the component, checked. */
#include "assembly/assembly_build.h"
#include "contract/coupled_part.h"
#include "parts/kinds.h"

static void *parts_take(flg_assembly *assembly, int count, size_t element) {
  return flg_region_take(&assembly->model.region, (size_t)count, element);
}

/* --- parts --------------------------------------------------------------------------------------
 */

static void add_set(flg_assembly *assembly, flg_parts *parts) {
  if (parts == NULL || parts->count == 0) return;
  parts->mode = &assembly->scratch.mode;
  parts->first = assembly->model.part_count;
  parts->position = assembly->model.position_count,
  parts->velocity = assembly->model.velocity_count;
  assembly->model.part_count += parts->count;
  assembly->model.position_count += parts->position_count;
  assembly->model.velocity_count += parts->velocity_count;
  assembly->model.sets[assembly->model.set_count++] = parts;
}

static bool is_of_kind(const flg_assembly *assembly, int index, int kind) {
  const flg_component_body *body = &assembly->model.component->bodies[index];
  if (assembly->model.structure.lead[index] != index) return false;
  return assembly->model.owners[index].of == NULL && flg_part_kind_of(body) == kind;
}

/* bodies of the component that are of that kind */
static void make_kind(flg_assembly *assembly, int index) {
  const flg_component *component = assembly->model.component;
  const flg_part_kind *kind = flg_part_kinds[index];
  int count = 0;
  for (int k = 0; k < component->body_count; k++) count += is_of_kind(assembly, k, index);
  if (count == 0) return;
  flg_parts *parts = kind->make(&assembly->model.region, count);
  if (parts == NULL) return;
  count = 0;
  for (int k = 0; k < component->body_count; k++) {
    if (!is_of_kind(assembly, k, index)) continue;
    const flg_component_body *body = flg_assembly_whole_body(assembly, k);
    assembly->model.owners[k] = (flg_owner){.of = parts, .part = count, .body = k};
    kind->add(parts, count++, body, flg_assembly_gravity(assembly, body));
  }
  add_set(assembly, parts);
}

/* subsystems of other kinds; bodies that stand in for their ports are not of any other */
static flg_parts *make_inserts(flg_assembly *assembly) {
  const flg_assembly_options *options = &assembly->model.options;
  if (options->insert_count == 0) return NULL;
  flg_parts *parts =
      flg_coupled_parts_make(options->inserts, options->insert_count, &assembly->model.region);
  for (int k = 0; k < options->insert_count && parts != NULL; k++) {
    for (int i = 0; i < parts->ops->ports(parts, k); i++) {
      assembly->model.owners[options->inserts[k].first_body + i] =
          (flg_owner){.of = parts, .part = k, .body = i};
    }
  }
  return parts;
}

void flg_assembly_make_parts(flg_assembly *assembly, const flg_part_guests *guests) {
  const flg_component *component = assembly->model.component;
  int kinds = 0;
  while (flg_part_kinds[kinds] != NULL) kinds++;
  assembly->model.owner_count = component->body_count + component->robot_count;
  assembly->model.owners =
      parts_take(assembly, assembly->model.owner_count, sizeof *assembly->model.owners);
  assembly->model.sets = parts_take(assembly, kinds + 3, sizeof *assembly->model.sets);
  if (!assembly->model.region.failed) flg_assembly_find_structure(assembly);
  if (!assembly->model.region.failed) flg_assembly_find_trees(assembly);
  if (assembly->model.region.failed) return;
  for (int k = 0; k < component->body_count; k++) assembly->model.owners[k].body = k; /* if fixed */
  flg_parts *inserts = make_inserts(assembly), *trees = flg_assembly_make_trees(assembly);
  for (int k = 0; k < kinds && !assembly->model.region.failed; k++) make_kind(assembly, k);
  if (component->robot_count > 0) {
    flg_parts *made = guests->make(component, guests->list, &assembly->model.region);
    for (int k = component->body_count; k < assembly->model.owner_count; k++) {
      assembly->model.owners[k] = (flg_owner){.of = made, .part = k - component->body_count};
    }
    add_set(assembly, made);
  }
  add_set(assembly, trees);
  add_set(assembly, inserts);
  if (!assembly->model.region.failed) flg_assembly_anchor_members(assembly);
}

/* once all ports are known */
void flg_assembly_equip_parts(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->equip != NULL) parts->ops->equip(parts, &assembly->model.region);
    for (int i = 0; i < parts->count && parts->ops->locked != NULL; i++) {
      int count;
      (void)parts->ops->locked(parts, i, &count);
      assembly->model.locked_count += count;
    }
  }
}

/* --- anchors
 * --------------------------------------------------------------------------------------
 */

int flg_assembly_owner_number(const flg_assembly *assembly, int robot, int body) {
  return robot < 0 ? body : assembly->model.component->body_count + robot;
}

flg_owner flg_assembly_owner(const flg_assembly *assembly, int robot, int body) {
  if (robot < 0 && body == FLG_WORLD) return (flg_owner){NULL, 0, FLG_WORLD};
  flg_owner owner = assembly->model.owners[flg_assembly_owner_number(assembly, robot, body)];
  if (robot >= 0) owner.body = body;
  return owner;
}

const char *flg_assembly_body_name(const flg_assembly *assembly, int robot, int body,
                                   const char **part) {
  const flg_owner owner = flg_assembly_owner(assembly, robot, body);
  const bool is_own = owner.of != NULL && owner.of->ops->body_name != NULL;
  *part = is_own ? owner.of->ops->label(owner.of, owner.part).name : NULL;
  if (body == FLG_WORLD) return "world";
  if (is_own && flg_parts_is_body(owner.of, owner.part)) {
    const char *name = *part;
    *part = NULL;
    return name;
  }
  return is_own ? owner.of->ops->body_name(owner.of, owner.part, body)
                : assembly->model.component->bodies[body].name;
}

flg_part_anchor flg_assembly_anchor(const flg_assembly *assembly, const flg_anchor *anchor) {
  const flg_owner owner = flg_assembly_owner(assembly, anchor->robot, anchor->body);
  if (owner.of != NULL) {
    const flg_pose pose = flg_assembly_pose_in_part(assembly, anchor);
    return owner.of->ops->anchor(owner.of, owner.part, owner.body, pose);
  }
  if (anchor->body == FLG_WORLD) return flg_part_anchor_on_ground(&anchor->pose);
  const flg_pose pose =
      flg_pose_compose(&assembly->model.component->bodies[anchor->body].pose, &anchor->pose);
  return flg_part_anchor_on_ground(&pose);
}

/* --- what is refused ----------------------------------------------------------------------------
 */

/* what a scheme cannot do with a force element */
static void check_forces(const flg_assembly *assembly, flg_mistakes *mistakes) {
  const flg_component *component = assembly->model.component;
  const bool is_explicit = assembly->model.options.scheme == FLG_SCHEME_RK4;
  for (int k = 0; k < flg_forces_count(component) && is_explicit; k++) {
    const flg_force force = flg_forces_at(component, k);
    if (force.kind->is_soft == NULL || !force.kind->is_soft(force.of, true)) continue;
    const flg_force_head *head = flg_force_head_of(&force);
    flg_mistake_add(mistakes, FLG_ERR_INPUT, head->place,
                    "%s '%s' is implicit, which rk4 cannot do; use rattle or semi-implicit",
                    force.kind->name, head->name);
  }
}

/* all steps are semi-implicit where a part asks for that, unless the user asked for others */
static void check_part_scheme(flg_assembly *assembly, const flg_parts *parts, int part,
                              flg_mistakes *mistakes) {
  const char *reason = "";
  const unsigned refused = parts->ops->refused_schemes(parts, part, &reason);
  if ((refused >> assembly->model.options.scheme & 1) == 0) return;
  if (assembly->model.options.adapts) {
    assembly->model.options.scheme = FLG_SCHEME_SEMI_IMPLICIT;
    return;
  }
  flg_mistake_add(mistakes, FLG_ERR_INPUT, parts->ops->label(parts, part).place,
                  "%s '%s' %s; use the integrator semi-implicit", parts->ops->kind,
                  parts->ops->label(parts, part).name, reason);
}

/* --- parts that do not turn --------------------------------------------------------------------
 */

/* a part that has no axes at an end of a joint or a coordinate that needs them */
static void refuse_axes(const flg_assembly *assembly, const flg_anchor *end, const char *what,
                        const char *name, flg_place place, flg_mistakes *mistakes) {
  const flg_owner owner = flg_assembly_owner(assembly, end->robot, end->body);
  if (owner.of == NULL || !owner.of->ops->has_no_axes) return;
  flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                  "%s '%s' needs axes that turn with %s '%s', which has none; it takes part in "
                  "spherical joints, distances, and as the second end of point-on-line",
                  what, name, owner.of->ops->kind, owner.of->ops->label(owner.of, owner.part).name);
}

static flg_status check_joint_axes(const flg_assembly *assembly, flg_mistakes *mistakes) {
  const flg_component *component = assembly->model.component;
  const int before = mistakes->count;
  for (int k = 0; k < component->joint_count; k++) {
    const flg_component_joint *joint = &component->joints[k];
    for (int e = 0; e < 2; e++) {
      if ((flg_constraint_kinds[joint->kind].axes >> e & 1) == 0) continue;
      refuse_axes(assembly, &joint->end[e], "joint", joint->name, joint->place, mistakes);
    }
  }
  if (mistakes->count > before) return FLG_ERR_INPUT; /* their coordinates say the same */
  for (int k = 0; k < component->coordinate_count; k++) {
    const flg_component_coordinate *of = &component->coordinates[k];
    for (int e = 0; e < 2; e++) {
      const bool slides = of->kind == FLG_COORDINATE_SLIDE && e == 0;
      if (!slides && of->kind != FLG_COORDINATE_ANGLE) continue;
      refuse_axes(assembly, &of->end[e], "coordinate", of->name, of->place, mistakes);
    }
  }
  return mistakes->count > before ? FLG_ERR_INPUT : FLG_OK;
}

static flg_status settle_part_schemes(flg_assembly *assembly, flg_mistakes *mistakes) {
  const int before = mistakes->count;
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    for (int i = 0; i < parts->count && parts->ops->refused_schemes != NULL; i++) {
      check_part_scheme(assembly, parts, i, mistakes);
    }
  }
  check_forces(assembly, mistakes);
  return mistakes->count > before ? FLG_ERR_INPUT : FLG_OK;
}

flg_status flg_assembly_check_parts(flg_assembly *assembly, flg_mistakes *mistakes) {
  const flg_status status = settle_part_schemes(assembly, mistakes);
  return status == FLG_OK ? check_joint_axes(assembly, mistakes) : status;
}
