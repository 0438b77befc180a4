/* Trees (structure/trees.h): stretches of bodies without loops as parts in joint coordinates. */
#include <math.h>
#include <string.h>

#include "assembly/assembly_build.h"
#include "parts/trees.h"
#include "structure/tree_rows.h"

/* --- which bodies -------------------------------------------------------------------------------
 */

/* bodies that events weld, and those that are joined to others */
static void mark_ports(const flg_assembly *assembly, bool *has_port) {
  const flg_assembly_options *options = &assembly->model.options;
  for (int k = 0; k < 2 * options->weld_count; k++) {
    const flg_anchor *end = &options->welds[k / 2].end[k % 2];
    if (end->robot < 0 && end->body != FLG_WORLD) has_port[end->body] = true;
  }
  for (int k = 0; k < options->outer_port_count; k++) {
    const flg_anchor *at = &options->outer_ports[k];
    if (at->robot < 0 && at->body != FLG_WORLD) has_port[at->body] = true;
  }
}

void flg_assembly_find_trees(flg_assembly *assembly) {
  const flg_component *component = assembly->model.component;
  flg_region scratch = {0};
  if (!assembly->model.options.has_trees) return;
  bool *has_port = flg_region_take(&scratch, (size_t)component->body_count, sizeof *has_port);
  if (has_port != NULL) mark_ports(assembly, has_port);
  const flg_trees_question question = {
      .component = component,
      .is_asked = assembly->model.options.is_asked,
      .has_port = has_port,
      .is_staged = assembly->model.options.scheme == FLG_SCHEME_RK4};
  if (has_port == NULL ||
      flg_trees_find(&question, &assembly->model.structure, &assembly->model.trees,
                     &assembly->model.region) != FLG_OK) {
    assembly->model.region.failed = true;
  }
  flg_region_release(&scratch);
}

/* --- what they are ------------------------------------------------------------------------------
 */

static flg_pose end_pose(const flg_component *component, const flg_anchor *end) {
  if (end->body == FLG_WORLD) return end->pose;
  return flg_pose_compose(&component->bodies[end->body].pose, &end->pose);
}

static flg_joint_kind trees_kind_of(flg_constraint_kind kind) {
  switch (kind) {
    case FLG_CONSTRAINT_PRISMATIC:
      return FLG_JOINT_PRISMATIC;
    case FLG_CONSTRAINT_CYLINDRICAL:
      return FLG_JOINT_CYLINDRICAL;
    case FLG_CONSTRAINT_SPHERICAL:
      return FLG_JOINT_BALL;
    case FLG_CONSTRAINT_UNIVERSAL:
      return FLG_JOINT_UNIVERSAL;
    case FLG_CONSTRAINT_PLANAR:
      return FLG_JOINT_PLANAR;
    case FLG_CONSTRAINT_SCREW:
      return FLG_JOINT_SCREW;
    default:
      return FLG_JOINT_CONTINUOUS;
  }
}

/* a joint from its carrier to the body, whichever of its ends that is */
static void trees_set_joint(const flg_assembly *assembly, int joint, flg_tree_body *to) {
  const flg_component_joint *from = &assembly->model.component->joints[joint];
  const flg_anchor *last = &from->end[1];
  const bool is_last =
      last->body != FLG_WORLD && assembly->model.structure.lead[last->body] == to->number;
  const flg_pose child = end_pose(assembly->model.component, &from->end[is_last]);
  const flg_pose carrier = end_pose(assembly->model.component, &from->end[!is_last]);
  to->kind = trees_kind_of(from->kind);
  to->at = child.position;
  to->axis = flg_mat3_column(&carrier.rotation, 2);
  to->pitch = from->constant;
  if (from->kind != FLG_CONSTRAINT_UNIVERSAL) return;
  /* x of the first end and y of the second carry the cross */
  to->axis = flg_mat3_column(&carrier.rotation, is_last ? 0 : 1);
  to->axis2 = flg_mat3_column(&child.rotation, is_last ? 1 : 0);
}

static flg_tree_body trees_body_of(const flg_assembly *assembly, const flg_tree_link *link) {
  const flg_component_body *body = flg_assembly_whole_body(assembly, link->body);
  flg_tree_body made = {.body = body,
                        .number = link->body,
                        .parent = FLG_WORLD,
                        .gravity = flg_assembly_gravity(assembly, body),
                        .kind = FLG_JOINT_FLOATING,
                        .at = flg_pose_apply(&body->pose, body->centre),
                        .axis = {0, 0, 1},
                        .axis2 = {1, 0, 0}};
  if (link->joint != FLG_NO_JOINT) trees_set_joint(assembly, link->joint, &made);
  return made;
}

static void own_tree_parts(flg_assembly *assembly, flg_parts *parts) {
  const flg_trees *trees = &assembly->model.trees;
  for (int k = 0; k < trees->count; k++) {
    for (int i = trees->first[k]; i < trees->first[k + 1]; i++) {
      const int body = trees->links[i].body;
      assembly->model.owners[body] = (flg_owner){.of = parts, .part = k, .body = body};
    }
  }
}

/* --- gears that are folded ----------------------------------------------------------------------
 */

bool flg_assembly_tree_row(const flg_assembly *assembly, int coordinate, double factor,
                           double *work, double *row) {
  const flg_trees *trees = &assembly->model.trees;
  const int links = trees->count == 0 ? 0 : trees->first[trees->count];
  double *slide = work, *turn = work + links;
  for (int k = 0; k < 2 * links; k++) work[k] = 0;
  if (!flg_tree_row_add(trees, &assembly->model.structure, assembly->model.component, coordinate,
                        factor, slide, turn)) {
    return false;
  }
  for (int k = 0; k < links; k++) {
    const int body = trees->links[k].body;
    const flg_owner *owner = &assembly->model.owners[body];
    int position, velocity;
    if (slide[k] != 0) {
      flg_trees_find_slide(owner->of, owner->part, body, &position, &velocity);
      row[owner->of->velocity + velocity] += slide[k];
    }
    if (turn[k] != 0) {
      flg_trees_find_angle(owner->of, owner->part, body, &position, &velocity);
      row[owner->of->velocity + velocity] += turn[k];
    }
  }
  return true;
}

/* the set has no place in v of the assembly so far: its numbers start at 0 */
static void couple_gears(flg_assembly *assembly, flg_parts *parts) {
  const flg_trees *trees = &assembly->model.trees;
  const flg_component *component = assembly->model.component;
  if (trees->folded_count == 0) return;
  const flg_part_slice slice = parts->ops->slice(parts, trees->folded_tree);
  const size_t velocities = (size_t)parts->velocity_count, own = (size_t)slice.velocity_count;
  flg_region *region = &assembly->model.region;
  double *G = flg_region_take(region, (size_t)trees->folded_count * own, sizeof *G);
  double *row = flg_region_take(region, velocities, sizeof *row);
  double *work = flg_region_take(region, 2 * (size_t)trees->first[trees->count], sizeof *work);
  int count = 0;
  for (int k = 0; k < component->joint_count && !region->failed; k++) {
    if (assembly->model.structure.roles[k] != FLG_JOINT_FOLDED) continue;
    double factor[2];
    flg_component_joint_factors(&component->joints[k], factor);
    memset(row, 0, velocities * sizeof *row);
    for (int s = 0; s < 2; s++) {
      flg_assembly_tree_row(assembly, component->joints[k].coordinate[s], factor[s], work, row);
    }
    memcpy(G + (size_t)count++ * own, row + slice.velocity, own * sizeof *G);
  }
  if (!region->failed) flg_trees_couple(parts, trees->folded_tree, count, G, region);
}

flg_parts *flg_assembly_make_trees(flg_assembly *assembly) {
  const flg_trees *trees = &assembly->model.trees;
  const flg_component *component = assembly->model.component;
  flg_region *region = &assembly->model.region;
  if (trees->count == 0) return NULL;
  flg_stretch *list = flg_region_take(region, (size_t)trees->count, sizeof *list);
  flg_tree_body *bodies =
      flg_region_take(region, (size_t)trees->first[trees->count], sizeof *bodies);
  int *place = flg_region_take(region, (size_t)component->body_count, sizeof *place);
  if (region->failed) return NULL;
  for (int k = 0; k < trees->count; k++) {
    const int first = trees->first[k], count = trees->first[k + 1] - first;
    list[k] = (flg_stretch){.count = count, .bodies = bodies + first};
    for (int i = 0; i < count; i++) {
      const flg_tree_link *link = &trees->links[first + i];
      flg_tree_body *made = &bodies[first + i];
      *made = trees_body_of(assembly, link);
      place[link->body] = i;
      if (link->parent != FLG_WORLD) made->parent = place[link->parent];
      list[k].group = i == 0
                          ? made->body->group
                          : flg_assembly_common_group(component, list[k].group, made->body->group);
    }
  }
  flg_parts *parts = flg_trees_make(list, trees->count, component->body_count, region);
  if (parts != NULL) own_tree_parts(assembly, parts);
  if (parts != NULL) couple_gears(assembly, parts);
  return parts;
}

/* --- angles -------------------------------------------------------------------------------------
 */

/* How the angle of the second end about z of the first grows with the coordinate, which is the turn
 * of the body about z of what carries it. */
static double trees_sign_of(const flg_assembly *assembly, const flg_tree_link *link) {
  const flg_component_joint *joint = &assembly->model.component->joints[link->joint];
  const flg_anchor *last = &joint->end[1];
  if (last->body != FLG_WORLD && assembly->model.structure.lead[last->body] == link->body) return 1;
  const flg_pose a = end_pose(assembly->model.component, &joint->end[0]);
  const flg_pose b = end_pose(assembly->model.component, &joint->end[1]);
  return flg_vec3_dot(flg_mat3_column(&a.rotation, 2), flg_mat3_column(&b.rotation, 2)) > 0 ? -1
                                                                                            : 1;
}

void flg_assembly_mark_tree_angles(flg_assembly *assembly) {
  const flg_trees *trees = &assembly->model.trees;
  const flg_component *component = assembly->model.component;
  for (int k = 0; trees->count > 0 && k < trees->first[trees->count]; k++) {
    const flg_tree_link *link = &trees->links[k];
    const flg_owner owner = assembly->model.owners[link->body];
    for (int c = 0; c < 2 && link->joint != FLG_NO_JOINT; c++) {
      const int coordinate = component->joints[link->joint].coordinate[c];
      if (coordinate < 0 || component->coordinates[coordinate].kind != FLG_COORDINATE_ANGLE)
        continue;
      flg_tree_angle *angle = &assembly->model.coordinates[coordinate].joint;
      flg_trees_find_angle(owner.of, owner.part, link->body, &angle->position, &angle->velocity);
      angle->position += owner.of->position, angle->velocity += owner.of->velocity;
      angle->sign = trees_sign_of(assembly, link), angle->zero = NAN;
    }
  }
}

void flg_assembly_start_tree_angles(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.coordinate_count; k++) {
    const flg_running_coordinate *running = &assembly->model.coordinates[k];
    if (running->joint.position < 0) continue;
    assembly->model.coordinates[k].joint.zero =
        assembly->state.angles[running->angle] -
        running->joint.sign * assembly->state.q[running->joint.position];
  }
}

/* --- where they start --------------------------------------------------------------------------
 */

/* NULL: there are none */
static flg_parts *set_of_trees(const flg_assembly *assembly) {
  if (assembly->model.trees.count == 0) return NULL;
  return assembly->model.owners[assembly->model.trees.links[0].body].of;
}

double flg_assembly_lost_in_trees(const flg_assembly *assembly) {
  const flg_parts *parts = set_of_trees(assembly);
  return parts == NULL ? 0 : flg_trees_lost_energy(parts);
}

void flg_assembly_put_in_tree(flg_assembly *assembly, int body, const flg_assembly *larger,
                              int there) {
  const flg_owner owner = assembly->model.owners[body];
  const flg_anchor frame = {.robot = -1, .body = there, .pose = flg_pose_identity()};
  const flg_moving_frame at = {flg_assembly_pose(larger, &frame),
                               flg_assembly_velocity(larger, &frame)};
  flg_trees_put(owner.of, owner.part, body, &at);
}

void flg_assembly_follow_trees(flg_assembly *assembly) {
  flg_parts *parts = set_of_trees(assembly);
  if (parts == NULL) return;
  flg_trees_follow(parts, assembly->state.q + parts->position, assembly->state.v + parts->velocity);
}
