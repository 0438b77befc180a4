/* scene_collect.c - bodies, shapes and frames of all subsystems, in one list each. */
#include <string.h>

#include "component/assembly_contract.h"
#include "viewer/scene_inner.h"

const char *flg_scene_path(const flg_scene_part *part, const char *first, const char *second) {
  flg_region *region = &part->scene->region;
  const bool both = first[0] != '\0' && second[0] != '\0';
  return flg_region_format(region, "%s%s%s%s%s", part->prefix, part->prefix[0] == '\0' ? "" : "/",
                           first, both ? "/" : "", second);
}

/* the subsystem of the scenario is the first word of a name */
static const char *first_word(flg_region *region, const char *name) {
  return name == NULL ? NULL : flg_region_text(region, name, strcspn(name, "/"));
}

int flg_scene_add_frame(flg_scene *scene, flg_scene_frame frame) {
  flg_scene_frame *added = FLG_SCENE_ADD(frames, flg_scene_frame, scene);
  if (added != NULL) *added = frame;
  return scene->frames.count - 1;
}

static int scene_add_body(flg_scene *scene, flg_scene_body body) {
  body.subsystem = first_word(&scene->region, body.name);
  flg_scene_body *added = FLG_SCENE_ADD(bodies, flg_scene_body, scene);
  if (added != NULL) *added = body;
  return scene->bodies.count - 1;
}

static void add_scene_shape(flg_scene *scene, int body, const flg_shape *shape) {
  const int mesh = shape->kind == FLG_SHAPE_MESH ? flg_scene_find_mesh(scene, shape) : -1;
  flg_scene_drawn *added = FLG_SCENE_ADD(drawn, flg_scene_drawn, scene);
  if (added != NULL) *added = (flg_scene_drawn){body, shape, mesh};
}

static void scene_add_marker(flg_scene *scene, const char *name, bool port, flg_scene_anchor at) {
  flg_scene_marker *added = FLG_SCENE_ADD(markers, flg_scene_marker, scene);
  if (added != NULL) *added = (flg_scene_marker){name, port, at};
}

/* --- robots ---------------------------------------------------------------------------------- */

static int robot_body(const flg_scene_robot *of, int body) {
  return body == FLG_WORLD ? of->base : of->first + body;
}

static void add_robot_body(const flg_scene_part *part, const flg_scene_robot *of, int k) {
  const flg_body *body = &of->robot->model->bodies[k];
  const flg_link_anchor *link_anchor = &of->robot->robot.anchors[k];
  const bool fixed = link_anchor->link == FLG_WORLD;
  const flg_scene_frame frame = {.subsystem = part->subsystem,
                                 .kind = FLG_FRAME_OF_ROBOT,
                                 .robot = of->robot,
                                 .link_anchor = *link_anchor};
  scene_add_body(
      part->scene,
      (flg_scene_body){.name = flg_scene_path(part, of->path, of->is_body ? "" : body->name),
                       .frame = fixed ? -1 : flg_scene_add_frame(part->scene, frame),
                       .pose = fixed ? flg_dynamics_frame_pose(of->robot->dynamics, link_anchor)
                                     : flg_pose_identity(),
                       .mass = body->mass,
                       .centre = body->centre,
                       .inertia = body->inertia});
  flg_scene_bend_body(part, of, k);
}

static void add_robot_joint(const flg_scene_part *part, const flg_scene_robot *of,
                            const flg_joint *joint) {
  flg_scene_link *added = FLG_SCENE_ADD(joints, flg_scene_link, part->scene);
  if (added == NULL) return;
  *added = (flg_scene_link){.name = flg_scene_path(part, of->path, joint->name),
                            .kind = flg_joint_kind_name(joint->kind),
                            .end = {{robot_body(of, joint->parent), joint->origin},
                                    {robot_body(of, joint->child), flg_pose_identity()}},
                            .axis = flg_mat3_apply(&joint->origin.rotation, joint->axis)};
}

/* shapes of a robot in an assembly are among those of the assembly */
static void collect_robot(const flg_scene_part *part, flg_scene_robot *of) {
  const flg_model *model = of->robot->model;
  flg_scene *scene = part->scene;
  of->base = scene_add_body(scene, (flg_scene_body){.name = flg_scene_path(part, of->path, "world"),
                                                    .frame = -1,
                                                    .pose = of->robot->ground});
  of->first = scene->bodies.count;
  for (int k = 0; k < model->body_count; k++) add_robot_body(part, of, k);
  for (int k = 0; k < model->shape_count && part->component == NULL; k++) {
    add_scene_shape(scene, robot_body(of, model->shapes[k].body), &model->shapes[k]);
  }
  for (int k = 0; k < model->joint_count && !of->is_body; k++) {
    add_robot_joint(part, of, &model->joints[k]);
  }
  for (int k = 0; k < model->frame_count; k++) {
    const flg_frame *frame = &model->frames[k];
    const flg_scene_anchor at = {robot_body(of, frame->body), frame->pose};
    scene_add_marker(scene, flg_scene_path(part, of->path, frame->name), frame->port, at);
  }
}

/* the body on whose link the frame is, of several on one link the first; on a node, its beam */
static flg_scene_anchor scene_robot_anchor(const flg_scene_robot *of,
                                           const flg_link_anchor *link_anchor) {
  const flg_robot *robot = &of->robot->robot;
  flg_pose pose = link_anchor->pose;
  int link = link_anchor->link;
  if (link == FLG_WORLD) return (flg_scene_anchor){of->base, pose};
  if (robot->links[link].node >= 0) {
    const flg_flex_node *node = &robot->nodes[robot->links[link].node];
    link = robot->flexes[node->flex].link;
    pose.position = flg_vec3_add(pose.position, node->station);
  }
  for (int k = 0; k < robot->body_count; k++) {
    const flg_link_anchor *own = &robot->anchors[k];
    if (own->link != link) continue;
    const flg_pose back = flg_pose_inverse(&own->pose);
    return (flg_scene_anchor){of->first + k, flg_pose_compose(&back, &pose)};
  }
  return (flg_scene_anchor){.body = -1};
}

/* --- assemblies ------------------------------------------------------------------------------ */

static void add_component_body(const flg_scene_part *part, int k) {
  const flg_component_body *body = &part->component->bodies[k];
  const flg_scene_frame frame = {.subsystem = part->subsystem,
                                 .kind = FLG_FRAME_OF_ASSEMBLY,
                                 .anchor = {-1, k, flg_pose_identity()}};
  scene_add_body(
      part->scene,
      (flg_scene_body){.name = flg_scene_path(part, body->name, ""),
                       .frame = body->fixed ? -1 : flg_scene_add_frame(part->scene, frame),
                       .pose = body->pose,
                       .mass = body->fixed ? 0 : body->mass,
                       .centre = body->centre,
                       .inertia = body->inertia});
}

flg_scene_anchor flg_scene_anchor_in(const flg_scene_part *part, const flg_anchor *anchor) {
  if (anchor->body == FLG_WORLD) return (flg_scene_anchor){part->world, anchor->pose};
  const int first = anchor->robot >= 0 ? part->robots[anchor->robot].first : part->first;
  return (flg_scene_anchor){first + anchor->body, anchor->pose};
}

static void collect_component_shapes(const flg_scene_part *part) {
  const flg_component *component = part->component;
  for (int k = 0; k < component->shape_count; k++) {
    const flg_shape *shape = &component->shapes[k];
    const flg_anchor on = {shape->robot - 1, shape->body, flg_pose_identity()};
    add_scene_shape(part->scene, flg_scene_anchor_in(part, &on).body, shape);
  }
}

static void collect_assembly(flg_scene_part *part) {
  const flg_component *component = part->component;
  part->first = part->scene->bodies.count;
  part->robots =
      flg_region_take(&part->scene->region, (size_t)component->robot_count, sizeof *part->robots);
  if (part->robots == NULL && component->robot_count > 0) return;
  for (int k = 0; k < component->body_count; k++) add_component_body(part, k);
  for (int k = 0; k < component->robot_count; k++) {
    part->robots[k] =
        (flg_scene_robot){.robot = flg_subsystem_robot(flg_assembly_guest(part->assembly, k)),
                          .path = component->robots[k].name,
                          .is_body = component->robots[k].is_body};
    collect_robot(part, &part->robots[k]);
  }
  collect_component_shapes(part);
  flg_scene_collect_links(part);
  for (int k = 0; k < component->frame_count; k++) {
    const flg_component_frame *frame = &component->frames[k];
    scene_add_marker(part->scene, flg_scene_path(part, frame->name, ""), frame->port,
                     flg_scene_anchor_in(part, &frame->anchor));
  }
}

/* --- others ---------------------------------------------------------------------------------- */

/* of a plug-in its ports are all that is known: bodies without a shape */
static void collect_plugin(flg_scene_part *part, const flg_plugged_subsystem *plugin) {
  int count;
  const char *const *ports = flg_plugged_subsystem_ports(plugin, &count);
  part->first = part->scene->bodies.count;
  for (int k = 0; k < count; k++) {
    const flg_scene_frame frame = {
        .subsystem = part->subsystem, .kind = FLG_FRAME_OF_PLUGIN, .port = k};
    scene_add_body(part->scene, (flg_scene_body){.name = flg_scene_path(part, ports[k], ""),
                                                 .frame = flg_scene_add_frame(part->scene, frame),
                                                 .pose = flg_pose_identity()});
  }
}

flg_scene_anchor flg_scene_port_anchor(const flg_scene_part *part, int port) {
  if (part->alone.robot != NULL) {
    return scene_robot_anchor(&part->alone, &part->alone.robot->ports.anchors[port]);
  }
  if (part->assembly != NULL) {
    return flg_scene_anchor_in(part, &flg_assembly_settings(part->assembly)->outer_ports[port]);
  }
  const flg_plugged_subsystem *plugin = flg_subsystem_plugin(part->subsystem);
  if (plugin == NULL) return (flg_scene_anchor){-1, flg_pose_identity()};
  const flg_plugin_outer_port *outer_port = flg_plugged_subsystem_outer_port(plugin, port);
  return (flg_scene_anchor){part->first + outer_port->port, {outer_port->turn, {0, 0, 0}}};
}

/* as flg_touching_name has it: parts that are solved as one have their name in all paths */
static const char *scene_prefix_of(const flg_simulation *simulation, int subsystem) {
  for (int k = 0; k < simulation->part_count; k++) {
    const flg_part *part = &simulation->parts[k];
    if (part->subsystem == subsystem && part->prefix[0] == '\0') return part->name;
  }
  return "";
}

static void collect_subsystem(flg_scene *scene, int index, int world, flg_scene_part *part) {
  const flg_subsystem *subsystem = &scene->simulation->subsystems[index];
  const flg_plugged_subsystem *plugin = flg_subsystem_plugin(subsystem);
  *part = (flg_scene_part){
      .scene = scene,
      .subsystem = subsystem,
      .prefix = scene_prefix_of(scene->simulation, index),
      .world = world,
      .alone = {.robot = flg_subsystem_robot(subsystem), .path = ""},
      .assembly = flg_subsystem_assembly(subsystem),
  };
  if (part->alone.robot != NULL) collect_robot(part, &part->alone);
  if (part->assembly != NULL) {
    part->component = flg_assembly_component(part->assembly);
    collect_assembly(part);
  }
  if (plugin != NULL) collect_plugin(part, plugin);
}

/* --- interfaces ------------------------------------------------------------------------------ */

static void add_interface(flg_scene *scene, const char *name, int frame) {
  flg_scene_interface *added = FLG_SCENE_ADD(interfaces, flg_scene_interface, scene);
  if (added == NULL) return;
  *added = (flg_scene_interface){.name = name, .frame = frame, .end = {{.body = -1}, {.body = -1}}};
}

static void scene_add_side(flg_scene *scene, const flg_subsystem *subsystem, int port) {
  const int rows = 6 * subsystem->ops->coupled->ports(subsystem->self);
  const size_t bytes = flg_interface_model_bytes(rows);
  void *memory = bytes == 0 ? NULL : flg_region_take(&scene->region, 1, bytes);
  flg_scene_side side = {scene->interfaces.count - 1, subsystem, port, NULL};
  if (memory == NULL ||
      flg_interface_model_build(memory, rows, rows, &side.model, NULL) != FLG_OK) {
    return;
  }
  flg_scene_side *added = FLG_SCENE_ADD(sides, flg_scene_side, scene);
  if (added != NULL) *added = side;
}

/* the frame of the second end, of the first where that is the ground */
static void collect_coupled(flg_scene *scene, const flg_scene_part *parts,
                            const flg_interface *interface) {
  const flg_simulation *simulation = scene->simulation;
  int frame = -1;
  for (int e = 1; e >= 0 && frame < 0 && flg_interface_has_ends(interface); e--) {
    const flg_interface_end *end = &interface->end[e];
    if (end->subsystem < 0) continue;
    frame = flg_scene_add_frame(
        scene, (flg_scene_frame){.subsystem = &simulation->subsystems[end->subsystem],
                                 .kind = FLG_FRAME_OF_PORT,
                                 .port = end->port});
  }
  add_interface(scene, interface->name, frame);
  flg_scene_collect_carried(scene, parts, interface);
  for (int e = 0; e < 2 && frame >= 0; e++) {
    const flg_interface_end *end = &interface->end[e];
    if (end->subsystem < 0) continue;
    scene_add_side(scene, &simulation->subsystems[end->subsystem], end->port);
  }
}

/* all solved as one: an interface is a joint of the assembly */
static void collect_whole(flg_scene *scene, const char *name) {
  const flg_subsystem *subsystem = &scene->simulation->subsystems[0];
  const flg_assembly *assembly = flg_subsystem_assembly(subsystem);
  const flg_component *component = assembly == NULL ? NULL : flg_assembly_component(assembly);
  const int joint = component == NULL ? -1 : flg_component_find_joint(component, name);
  int frame = -1;
  if (joint >= 0 && !flg_constraint_kinds[component->joints[joint].kind].couples) {
    frame =
        flg_scene_add_frame(scene, (flg_scene_frame){.subsystem = subsystem,
                                                     .kind = FLG_FRAME_OF_ASSEMBLY,
                                                     .anchor = component->joints[joint].end[1]});
  }
  add_interface(scene, name, frame);
}

void flg_scene_collect(flg_scene *scene) {
  const flg_simulation *simulation = scene->simulation;
  flg_scene_part *parts =
      flg_region_take(&scene->region, (size_t)simulation->subsystem_count, sizeof *parts);
  if (parts == NULL) return;
  const int world = scene_add_body(
      scene, (flg_scene_body){.name = "world", .frame = -1, .pose = flg_pose_identity()});
  for (int k = 0; k < simulation->subsystem_count; k++) {
    collect_subsystem(scene, k, world, &parts[k]);
  }
  for (int k = 0; k < simulation->telemetry_count; k++) {
    if (simulation->coupling != NULL) {
      collect_coupled(scene, parts, &simulation->interfaces[k]);
    } else {
      collect_whole(scene, simulation->interface_names[k]);
    }
  }
}
