/* scene_links.c - what joins bodies: joints, springs, bushings and gears, of assemblies and of
 * interfaces that couple subsystems. */
#include "forces/force.h"
#include "viewer/scene_inner.h"

static flg_vec3 axis_of_anchor(const flg_scene_anchor *anchor) {
  return flg_mat3_column(&anchor->pose.rotation, 2);
}

static void add_spring(flg_scene *scene, const char *name, const char *kind,
                       const flg_scene_anchor end[2]) {
  flg_scene_link *added = FLG_SCENE_ADD(springs, flg_scene_link, scene);
  if (added == NULL) return;
  *added = (flg_scene_link){
      .name = name, .kind = kind, .end = {end[0], end[1]}, .axis = axis_of_anchor(&end[0])};
}

/* A coordinate that is damped alone is a joint like others; a rope or a damper between two points
 * is drawn. The teeth of a gear are no spring. */
static bool is_drawn(flg_coordinate_kind kind, const flg_component_spring *spring) {
  if (kind == FLG_COORDINATE_SUM) return false;
  return kind == FLG_COORDINATE_DISTANCE || spring->stiffness > 0;
}

static const char *kind_of_spring(flg_coordinate_kind kind, const flg_component_spring *spring) {
  return spring->stiffness == 0 && spring->damping > 0 ? "damper" : flg_coordinate_kind_name(kind);
}

/* --- assemblies ------------------------------------------------------------------------------ */

static void anchors_of(const flg_scene_part *part, const flg_anchor from[2],
                       flg_scene_anchor to[2]) {
  for (int e = 0; e < 2; e++) to[e] = flg_scene_anchor_in(part, &from[e]);
}

static void add_gear(const flg_scene_part *part, const char *name, const int of[2],
                     const double factor[2]) {
  flg_scene_gear *added = FLG_SCENE_ADD(gears, flg_scene_gear, part->scene);
  if (added == NULL) return;
  added->name = flg_scene_path(part, name, "");
  for (int k = 0; k < 2; k++) {
    const flg_component_coordinate *on = &part->component->coordinates[of[k]];
    added->of[k].turns = on->kind == FLG_COORDINATE_ANGLE;
    added->of[k].factor = factor[k];
    anchors_of(part, on->end, added->of[k].end);
  }
}

static void collect_joint(const flg_scene_part *part, const flg_component_joint *joint) {
  if (flg_constraint_kinds[joint->kind].couples) {
    add_gear(part, joint->name, joint->coordinate, joint->factor);
    return;
  }
  flg_scene_link *added = FLG_SCENE_ADD(joints, flg_scene_link, part->scene);
  if (added == NULL) return;
  *added = (flg_scene_link){.name = flg_scene_path(part, joint->name, ""),
                            .kind = flg_constraint_kind_name(joint->kind)};
  anchors_of(part, joint->end, added->end);
  added->axis = axis_of_anchor(&added->end[0]);
}

static void collect_spring(const flg_scene_part *part, const flg_component_spring *spring) {
  const flg_component_coordinate *on = &part->component->coordinates[spring->coordinate];
  if (!is_drawn(on->kind, spring)) return;
  flg_scene_anchor end[2];
  anchors_of(part, on->end, end);
  add_spring(part->scene, flg_scene_path(part, spring->name, ""), kind_of_spring(on->kind, spring),
             end);
}

static void collect_element(const flg_scene_part *part, const flg_component_element *element) {
  if (element->kind->ends != 2) return;
  flg_scene_anchor end[2];
  anchors_of(part, element->end, end);
  add_spring(part->scene, flg_scene_path(part, element->name, ""), element->kind->name, end);
}

void flg_scene_collect_links(const flg_scene_part *part) {
  const flg_component *component = part->component;
  for (int k = 0; k < component->joint_count; k++) collect_joint(part, &component->joints[k]);
  for (int k = 0; k < component->spring_count; k++) collect_spring(part, &component->springs[k]);
  for (int k = 0; k < component->element_count; k++) {
    collect_element(part, &component->elements[k]);
  }
  /* teeth that are soft or have play: a sum of two coordinates */
  for (int k = 0; k < component->coordinate_count; k++) {
    const flg_component_coordinate *sum = &component->coordinates[k];
    if (sum->kind == FLG_COORDINATE_SUM) add_gear(part, sum->name, sum->of, sum->factor);
  }
}

/* --- interfaces ------------------------------------------------------------------------------ */

/* of the ground where it is, of a subsystem its port */
static flg_scene_anchor link_anchor_of(const flg_scene_part *parts, const flg_interface_end *end) {
  if (end->subsystem < 0) return (flg_scene_anchor){parts[0].world, end->pose};
  return flg_scene_port_anchor(&parts[end->subsystem], end->port);
}

typedef struct carried {
  flg_scene *scene;
  const flg_scene_part *parts;
  const flg_interface *interface;
} carried;

static bool link_find_ends(const carried *by, const int anchors[2], flg_scene_anchor end[2]) {
  for (int e = 0; e < 2; e++)
    end[e] = link_anchor_of(by->parts, &by->interface->anchors[anchors[e]]);
  return end[0].body >= 0 && end[1].body >= 0;
}

static void add_carried_gear(const carried *by, const flg_element *element) {
  flg_scene_gear gear = {.name = by->interface->name};
  for (int k = 0; k < 2; k++) {
    gear.of[k].turns = element->of[k].kind == FLG_COORDINATE_ANGLE;
    gear.of[k].factor = element->of[k].factor;
    if (!link_find_ends(by, element->of[k].anchor, gear.of[k].end)) return;
  }
  flg_scene_gear *added = FLG_SCENE_ADD(gears, flg_scene_gear, by->scene);
  if (added != NULL) *added = gear;
}

/* one that keeps its teeth together, whichever of these it has */
static bool link_is_gear(const flg_element *element) {
  return element->count == 2 && element->kind != FLG_ELEMENT_FRICTION;
}

static void add_carried(const carried *by, const flg_element *element) {
  flg_scene_anchor end[2];
  if (element->kind != FLG_ELEMENT_SPRING || element->count != 1) return;
  if (element->framed == NULL && !is_drawn(element->of[0].kind, element->spring)) return;
  if (!link_find_ends(by, element->of[0].anchor, end)) return;
  add_spring(by->scene, by->interface->name,
             element->framed != NULL ? element->framed->name
                                     : kind_of_spring(element->of[0].kind, element->spring),
             end);
}

void flg_scene_collect_carried(flg_scene *scene, const flg_scene_part *parts,
                               const flg_interface *interface) {
  const carried by = {scene, parts, interface};
  bool has_gear = false;
  for (int k = 0; k < interface->element_count; k++) {
    const flg_element *element = &interface->elements[k];
    if (link_is_gear(element) && !has_gear) {
      add_carried_gear(&by, element);
      has_gear = true;
    }
    const bool is_told = k > 0 && element->framed != NULL; /* a bushing is drawn once */
    if (!is_told) add_carried(&by, element);
  }
  flg_scene_interface *last =
      (flg_scene_interface *)scene->interfaces.items + (scene->interfaces.count - 1);
  if (scene->region.failed || !flg_interface_has_ends(interface)) return;
  for (int e = 0; e < 2; e++) last->end[e] = link_anchor_of(parts, &interface->end[e]);
}
