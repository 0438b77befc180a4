/* Clusters (structure/structure.h): one part for several bodies, which keep their names, and their
 * shares of energy and momentum. A part has the frame of the first body of its cluster. */
#include <math.h>

#include "assembly/assembly_build.h"
#include "base/growing.h"
#include "model/mass_properties.h"
#include "parts/trees.h"

/* --- set-up -------------------------------------------------------------------------------------
 */

static void add_member_pair(flg_growing *list, const flg_anchor *a, const flg_anchor *b,
                            flg_region *region) {
  if (a->robot >= 0 || (b != NULL && b->robot >= 0)) return;
  int *pair = flg_growing_add(list, sizeof(int[2]), region);
  if (pair != NULL) pair[0] = a->body, pair[1] = b == NULL ? FLG_WORLD : b->body;
}

/* Bodies that events weld together, or that are joined to other subsystems, have to be able to
 * move. */
/* Each weld in three pairs: its bodies may not be one from the start, nor be fixed to the ground,
 * or there would be nothing left to weld. */
static flg_growing list_apart(const flg_assembly *assembly, flg_region *region) {
  const flg_assembly_options *options = &assembly->model.options;
  flg_growing list = {0};
  for (int k = 0; k < options->weld_count; k++) {
    const flg_anchor *end = options->welds[k].end;
    add_member_pair(&list, &end[0], &end[1], region);
    add_member_pair(&list, &end[0], NULL, region);
    add_member_pair(&list, &end[1], NULL, region);
  }
  for (int k = 0; k < options->outer_port_count; k++) {
    add_member_pair(&list, &options->outer_ports[k], NULL, region);
  }
  return list;
}

static flg_status members_find(flg_assembly *assembly, flg_region *scratch) {
  const flg_growing apart = list_apart(assembly, scratch);
  const flg_structure_question question = {.component = assembly->model.component,
                                           .gravity = assembly->model.options.gravity,
                                           .is_asked = assembly->model.options.is_asked,
                                           .apart = (const int(*)[2])apart.items,
                                           .apart_count = apart.count};
  if (scratch->failed) return FLG_ERR_MEMORY;
  return flg_structure_find(&question, &assembly->model.structure, &assembly->model.region);
}

flg_vec3 flg_assembly_gravity(const flg_assembly *assembly, const flg_component_body *body) {
  return isnan(body->gravity.x) ? assembly->model.options.gravity : body->gravity;
}

/* of a body in the frame of the first of its cluster */
static flg_pose pose_in_lead(const flg_assembly *assembly, int body) {
  const flg_component_body *bodies = assembly->model.component->bodies;
  const flg_pose inverse = flg_pose_inverse(&bodies[assembly->model.structure.lead[body]].pose);
  return flg_pose_compose(&inverse, &bodies[body].pose);
}

/* groups come after those around them */
int flg_assembly_common_group(const flg_component *component, int a, int b) {
  while (a != b) {
    if (a > b) {
      a = component->groups[a].parent;
    } else {
      b = component->groups[b].parent;
    }
  }
  return a;
}

static void members_add_body(const flg_assembly *assembly, flg_component_body *whole, int index) {
  const flg_component_body *body = &assembly->model.component->bodies[index];
  const flg_pose pose = pose_in_lead(assembly, index);
  const flg_mass_properties own = {body->mass, body->centre, body->inertia};
  const flg_mass_properties others = {whole->mass, whole->centre, whole->inertia};
  const flg_mass_properties moved = flg_mass_moved(&own, &pose);
  const flg_mass_properties sum = flg_mass_sum(&others, &moved);
  whole->mass = sum.mass, whole->centre = sum.centre, whole->inertia = sum.inertia;
  whole->group = flg_assembly_common_group(assembly->model.component, whole->group, body->group);
}

/* A copy of the first body, made when a second one joins it: components are const. */
static flg_component_body *whole_of(flg_assembly *assembly, int lead) {
  flg_component_body **whole = &assembly->model.wholes[lead];
  if (*whole == NULL) {
    *whole = flg_region_take(&assembly->model.region, 1, sizeof **whole);
    if (*whole != NULL) **whole = assembly->model.component->bodies[lead];
  }
  return *whole;
}

/* Bodies that cannot move against each other become one: their rows would be redundant, and their
 * masses would be inverted apart. */
static void merge(flg_assembly *assembly) {
  const int count = assembly->model.component->body_count, *lead = assembly->model.structure.lead;
  assembly->model.wholes =
      flg_region_take(&assembly->model.region, (size_t)count, sizeof *assembly->model.wholes);
  for (int k = 0; k < count && !assembly->model.region.failed; k++) {
    if (lead[k] == k || lead[k] == FLG_WORLD) continue;
    flg_component_body *whole = whole_of(assembly, lead[k]);
    if (whole != NULL) members_add_body(assembly, whole, k);
  }
}

void flg_assembly_find_structure(flg_assembly *assembly) {
  flg_region scratch = {0};
  const flg_status status =
      assembly->model.options.reduces
          ? members_find(assembly, &scratch)
          : flg_structure_plain(assembly->model.component, &assembly->model.structure,
                                &assembly->model.region);
  flg_region_release(&scratch);
  if (status != FLG_OK) assembly->model.region.failed = true;
  if (!assembly->model.region.failed && assembly->model.structure.cluster_count > 0)
    merge(assembly);
}

const flg_component_body *flg_assembly_whole_body(const flg_assembly *assembly, int lead) {
  const flg_component_body *whole =
      assembly->model.wholes == NULL ? NULL : assembly->model.wholes[lead];
  return whole == NULL ? &assembly->model.component->bodies[lead] : whole;
}

flg_pose flg_assembly_pose_in_part(const flg_assembly *assembly, const flg_anchor *anchor) {
  if (anchor->robot >= 0 || assembly->model.structure.lead[anchor->body] == anchor->body) {
    return anchor->pose;
  }
  const flg_pose pose = pose_in_lead(assembly, anchor->body);
  return flg_pose_compose(&pose, &anchor->pose);
}

/* --- members ------------------------------------------------------------------------------------
 */

static bool is_member(const flg_assembly *assembly, int body) {
  const int lead = assembly->model.structure.lead[body];
  if (assembly->model.component->bodies[body].fixed) return false;
  if (lead != body || flg_assembly_is_in_tree(assembly, body)) return true;
  return assembly->model.wholes != NULL && assembly->model.wholes[lead] != NULL;
}

static void add_member(flg_assembly *assembly, int body) {
  const flg_anchor centre = {
      .robot = -1,
      .body = body,
      .pose = {flg_mat3_identity(), assembly->model.component->bodies[body].centre}};
  const flg_part_anchor anchor = flg_assembly_anchor(assembly, &centre);
  assembly->model.members[assembly->model.member_count++] = (flg_member){body, anchor};
  if (anchor.of != NULL) assembly->model.is_cluster[anchor.of->first + anchor.part] = true;
}

void flg_assembly_anchor_members(flg_assembly *assembly) {
  const flg_structure *structure = &assembly->model.structure;
  const int in_trees = assembly->model.trees.count == 0
                           ? 0
                           : assembly->model.trees.first[assembly->model.trees.count];
  const int count = structure->merged_count + structure->cluster_count + in_trees;
  if (count == 0) return;
  for (int k = 0; k < assembly->model.component->body_count; k++) {
    const int lead = structure->lead[k];
    if (lead != k && lead != FLG_WORLD) {
      assembly->model.owners[k] = assembly->model.owners[lead];
      assembly->model.owners[k].body = k;
      if (flg_assembly_is_in_tree(assembly, lead)) {
        flg_trees_share(assembly->model.owners[k].of, k, lead);
      }
    }
  }
  assembly->model.members =
      flg_region_take(&assembly->model.region, (size_t)count, sizeof *assembly->model.members);
  assembly->model.is_cluster =
      flg_region_take(&assembly->model.region, (size_t)assembly->model.part_count,
                      sizeof *assembly->model.is_cluster);
  if (assembly->model.region.failed) return;
  for (int k = 0; k < assembly->model.component->body_count; k++) {
    if (is_member(assembly, k)) add_member(assembly, k);
  }
}

/* --- after place --------------------------------------------------------------------------------
 */

static flg_sym3 inertia_of(const flg_assembly *assembly, const flg_member *member,
                           const flg_moving_frame *at) {
  return flg_sym3_rotate(assembly->model.component->bodies[member->body].inertia,
                         &at->pose.rotation);
}

double flg_assembly_member_energy(const flg_assembly *assembly, int index) {
  const flg_member *member = &assembly->model.members[index];
  const flg_component_body *body = &assembly->model.component->bodies[member->body];
  const flg_moving_frame at = flg_part_anchor_frame(&member->centre);
  const flg_vec3 v = at.velocity.linear, w = at.velocity.angular;
  const flg_vec3 gravity = flg_assembly_gravity(assembly, body);
  return body->mass * (flg_vec3_dot(v, v) / 2 - flg_vec3_dot(gravity, at.pose.position)) +
         flg_vec3_dot(w, flg_sym3_apply(inertia_of(assembly, member, &at), w)) / 2;
}

flg_spatial flg_assembly_member_momentum(const flg_assembly *assembly, int index) {
  const flg_member *member = &assembly->model.members[index];
  const flg_moving_frame at = flg_part_anchor_frame(&member->centre);
  const flg_vec3 linear =
      flg_vec3_scale(at.velocity.linear, assembly->model.component->bodies[member->body].mass);
  const flg_vec3 own = flg_sym3_apply(inertia_of(assembly, member, &at), at.velocity.angular);
  return (flg_spatial){linear, flg_vec3_add(own, flg_vec3_cross(at.pose.position, linear))};
}

/* q of a cluster is that of its centre of mass, not of the body that leads it. */
void flg_assembly_recentre(flg_assembly *assembly, int body, const flg_assembly *larger,
                           int there) {
  const flg_owner owner = flg_assembly_owner(assembly, -1, body);
  if (assembly->model.wholes == NULL || assembly->model.wholes[body] == NULL) return;
  const flg_anchor centre = {.robot = -1,
                             .body = there,
                             .pose = {flg_mat3_identity(), assembly->model.wholes[body]->centre}};
  const flg_part_slice slice = owner.of->ops->slice(owner.of, owner.part);
  flg_vec3_store(flg_assembly_pose(larger, &centre).position,
                 assembly->state.q + owner.of->position + slice.position);
  flg_vec3_store(flg_assembly_velocity(larger, &centre).linear,
                 assembly->state.v + owner.of->velocity + slice.velocity);
}
