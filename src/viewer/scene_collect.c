/* scene_collect.c - bodies, shapes, joints and frames of all subsystems, in one list each. */
#include <string.h>

#include "viewer/scene_inner.h"

/* what is being collected, of one subsystem */
typedef struct collector {
  flg_scene *scene;
  const flg_subsystem *subsystem;
  const char *prefix; /* of names: that of the subsystem, "": they have it already */
  int world;          /* the body that is the ground */
} collector;

#define ADD(list, type, scene) \
  ((type *)flg_growing_add(&(scene)->list, sizeof(type), &(scene)->region))

static flg_pose at_origin(void) {
  return (flg_pose){flg_mat3_identity(), {0, 0, 0}};
}

static const char *join_path(const collector *of, const char *first, const char *second) {
  flg_region *region = &of->scene->region;
  const bool both = first[0] != '\0' && second[0] != '\0';
  return flg_region_format(region, "%s%s%s%s%s", of->prefix, of->prefix[0] == '\0' ? "" : "/",
                           first, both ? "/" : "", second);
}

/* the subsystem of the scenario is the first word of a name */
static const char *first_word(flg_region *region, const char *name) {
  return name == NULL ? NULL : flg_region_text(region, name, strcspn(name, "/"));
}

static int add_frame(flg_scene *scene, flg_scene_frame frame) {
  flg_scene_frame *added = ADD(frames, flg_scene_frame, scene);
  if (added != NULL) *added = frame;
  return scene->frames.count - 1;
}

static int add_body(const collector *of, flg_scene_body body) {
  flg_scene *scene = of->scene;
  body.subsystem = first_word(&scene->region, body.name);
  flg_scene_body *added = ADD(bodies, flg_scene_body, scene);
  if (added != NULL) *added = body;
  return scene->bodies.count - 1;
}

static void add_shape(const collector *of, int body, const flg_shape *shape) {
  const int mesh = shape->kind == FLG_SHAPE_MESH ? flg_scene_find_mesh(of->scene, shape) : -1;
  flg_scene_drawn *added = ADD(drawn, flg_scene_drawn, of->scene);
  if (added != NULL) *added = (flg_scene_drawn){body, shape, mesh};
}

static void add_joint(const collector *of, const flg_scene_link *joint) {
  flg_scene_link *added = ADD(joints, flg_scene_link, of->scene);
  if (added != NULL) *added = *joint;
}

static void add_marker(const collector *of, const char *name, bool port, flg_scene_anchor at) {
  flg_scene_marker *added = ADD(markers, flg_scene_marker, of->scene);
  if (added != NULL) *added = (flg_scene_marker){name, port, at};
}

/* --- robots ---------------------------------------------------------------------------------- */

/* a robot, alone or as a part of an assembly: number `index` there, else -1 */
typedef struct robot_part {
  const flg_robot_subsystem *robot;
  const char *path;
  int index;
  int first; /* number of its first body */
  int base;  /* the body that is the ground of its model */
} robot_part;

static int robot_body(const robot_part *part, int body) {
  return body == FLG_WORLD ? part->base : part->first + body;
}

static void add_robot_body(const collector *of, const robot_part *part, int k) {
  const flg_body *body = &part->robot->model->bodies[k];
  const flg_mount *mount = &part->robot->robot.mounts[k];
  const bool fixed = mount->link == FLG_WORLD;
  flg_scene_frame frame = {.subsystem = of->subsystem, .kind = FLG_FRAME_OF_ROBOT, .mount = *mount};
  if (part->index >= 0) {
    frame.kind = FLG_FRAME_OF_ASSEMBLY;
    frame.anchor = (flg_anchor){part->index, k, at_origin()};
  }
  add_body(of,
           (flg_scene_body){
               .name = join_path(of, part->path, body->name),
               .frame = fixed ? -1 : add_frame(of->scene, frame),
               .pose = fixed ? flg_dynamics_frame_pose(part->robot->dynamics, mount) : at_origin(),
               .mass = body->mass,
               .centre = body->centre,
               .inertia = body->inertia});
}

static void add_robot_joint(const collector *of, const robot_part *part, const flg_joint *joint) {
  const flg_scene_link link = {.name = join_path(of, part->path, joint->name),
                               .kind = flg_joint_kind_name(joint->kind),
                               .end = {{robot_body(part, joint->parent), joint->origin},
                                       {robot_body(part, joint->child), at_origin()}},
                               .axis = flg_mat3_apply(&joint->origin.rotation, joint->axis)};
  add_joint(of, &link);
}

static void collect_robot(const collector *of, robot_part *part) {
  const flg_model *model = part->robot->model;
  part->base = add_body(of, (flg_scene_body){.name = join_path(of, part->path, "world"),
                                             .frame = -1,
                                             .pose = part->robot->ground});
  part->first = of->scene->bodies.count;
  for (int k = 0; k < model->body_count; k++) add_robot_body(of, part, k);
  for (int k = 0; k < model->shape_count && part->index < 0; k++) {
    add_shape(of, robot_body(part, model->shapes[k].body), &model->shapes[k]);
  }
  for (int k = 0; k < model->joint_count; k++) add_robot_joint(of, part, &model->joints[k]);
  for (int k = 0; k < model->frame_count; k++) {
    const flg_frame *frame = &model->frames[k];
    const flg_scene_anchor at = {robot_body(part, frame->body), frame->pose};
    add_marker(of, join_path(of, part->path, frame->name), frame->port, at);
  }
}

/* --- assemblies ------------------------------------------------------------------------------ */

typedef struct assembly_parts {
  const flg_assembly *assembly;
  const flg_component *component;
  int first;          /* number of the first body */
  robot_part *robots; /* (robots) */
} assembly_parts;

static void add_component_body(const collector *of, const assembly_parts *parts, int k) {
  const flg_component_body *body = &parts->component->bodies[k];
  const flg_scene_frame frame = {
      .subsystem = of->subsystem, .kind = FLG_FRAME_OF_ASSEMBLY, .anchor = {-1, k, at_origin()}};
  add_body(of, (flg_scene_body){.name = join_path(of, body->name, ""),
                                .frame = body->fixed ? -1 : add_frame(of->scene, frame),
                                .pose = body->pose,
                                .mass = body->fixed ? 0 : body->mass,
                                .centre = body->centre,
                                .inertia = body->inertia});
}

static flg_scene_anchor anchor_in(const collector *of, const assembly_parts *parts,
                                  const flg_anchor *anchor) {
  if (anchor->body == FLG_WORLD) return (flg_scene_anchor){of->world, anchor->pose};
  const int first = anchor->robot >= 0 ? parts->robots[anchor->robot].first : parts->first;
  return (flg_scene_anchor){first + anchor->body, anchor->pose};
}

static void collect_component_joints(const collector *of, const assembly_parts *parts) {
  const flg_component *component = parts->component;
  for (int k = 0; k < component->joint_count; k++) {
    const flg_component_joint *joint = &component->joints[k];
    if (joint->kind == FLG_CONSTRAINT_GEAR || joint->kind == FLG_CONSTRAINT_RACK) continue;
    const flg_scene_link link = {
        .name = join_path(of, joint->name, ""),
        .kind = flg_constraint_kind_name(joint->kind),
        .end = {anchor_in(of, parts, &joint->end[0]), anchor_in(of, parts, &joint->end[1])},
        .axis = flg_mat3_column(&joint->end[0].pose.rotation, 2)};
    add_joint(of, &link);
  }
}

/* those that are drawn from point to point; the others are inside of joints */
static void collect_springs(const collector *of, const assembly_parts *parts) {
  const flg_component *component = parts->component;
  for (int k = 0; k < component->spring_count; k++) {
    const flg_component_spring *spring = &component->springs[k];
    const flg_component_coordinate *on = &component->coordinates[spring->coordinate];
    if (on->kind != FLG_COORDINATE_DISTANCE && on->kind != FLG_COORDINATE_SLIDE) continue;
    flg_scene_link *added = ADD(springs, flg_scene_link, of->scene);
    if (added == NULL) return;
    *added = (flg_scene_link){
        .name = join_path(of, spring->name, ""),
        .kind = flg_coordinate_kind_name(on->kind),
        .end = {anchor_in(of, parts, &on->end[0]), anchor_in(of, parts, &on->end[1])},
        .axis = flg_mat3_column(&on->end[0].pose.rotation, 2)};
  }
}

static void collect_component_shapes(const collector *of, const assembly_parts *parts) {
  const flg_component *component = parts->component;
  for (int k = 0; k < component->shape_count; k++) {
    const flg_shape *shape = &component->shapes[k];
    const flg_anchor on = {shape->robot - 1, shape->body, at_origin()};
    add_shape(of, anchor_in(of, parts, &on).body, shape);
  }
}

static void collect_assembly(const collector *of, const flg_assembly *assembly) {
  const flg_component *component = flg_assembly_component(assembly);
  assembly_parts parts = {
      .assembly = assembly,
      .component = component,
      .first = of->scene->bodies.count,
      .robots = flg_region_take(&of->scene->region, (size_t)component->robot_count,
                                sizeof *parts.robots)};
  if (parts.robots == NULL && component->robot_count > 0) return;
  for (int k = 0; k < component->body_count; k++) add_component_body(of, &parts, k);
  for (int k = 0; k < component->robot_count; k++) {
    parts.robots[k] = (robot_part){
        .robot = flg_assembly_robot(assembly, k), .path = component->robots[k].name, .index = k};
    collect_robot(of, &parts.robots[k]);
  }
  collect_component_shapes(of, &parts);
  collect_component_joints(of, &parts);
  collect_springs(of, &parts);
  for (int k = 0; k < component->frame_count; k++) {
    const flg_component_frame *frame = &component->frames[k];
    add_marker(of, join_path(of, frame->name, ""), frame->port,
               anchor_in(of, &parts, &frame->anchor));
  }
}

/* --- others ---------------------------------------------------------------------------------- */

/* of a plug-in its ports are all that is known: bodies without a shape */
static void collect_plugin(const collector *of, const flg_plugin_subsystem *plugin) {
  int count;
  const char *const *ports = flg_plugin_subsystem_ports(plugin, &count);
  for (int k = 0; k < count; k++) {
    const flg_scene_frame frame = {
        .subsystem = of->subsystem, .kind = FLG_FRAME_OF_PLUGIN, .port = k};
    add_body(of, (flg_scene_body){.name = join_path(of, ports[k], ""),
                                  .frame = add_frame(of->scene, frame),
                                  .pose = at_origin()});
  }
}

/* as flg_touching_name has it: parts that are solved as one have their name in all paths */
static const char *prefix_of(const flg_simulation *simulation, int subsystem) {
  for (int k = 0; k < simulation->part_count; k++) {
    const flg_part *part = &simulation->parts[k];
    if (part->subsystem == subsystem && part->prefix[0] == '\0') return part->name;
  }
  return "";
}

static void collect_subsystem(flg_scene *scene, int index, int world) {
  const flg_subsystem *subsystem = &scene->simulation->subsystems[index];
  const collector of = {scene, subsystem, prefix_of(scene->simulation, index), world};
  const flg_robot_subsystem *robot = flg_subsystem_robot(subsystem);
  const flg_assembly *assembly = flg_subsystem_assembly(subsystem);
  const flg_plugin_subsystem *plugin = flg_subsystem_plugin(subsystem);
  if (robot != NULL) collect_robot(&of, &(robot_part){.robot = robot, .path = "", .index = -1});
  if (assembly != NULL) collect_assembly(&of, assembly);
  if (plugin != NULL) collect_plugin(&of, plugin);
}

/* --- interfaces ------------------------------------------------------------------------------ */

static void add_interface(flg_scene *scene, const char *name, int frame) {
  flg_scene_interface *added = ADD(interfaces, flg_scene_interface, scene);
  if (added != NULL) *added = (flg_scene_interface){name, frame};
}

static void add_side(flg_scene *scene, const flg_subsystem *subsystem, int port) {
  const int rows = 6 * subsystem->ops->coupled->ports(subsystem->self);
  const size_t bytes = flg_interface_model_bytes(rows);
  void *memory = bytes == 0 ? NULL : flg_region_take(&scene->region, 1, bytes);
  flg_scene_side side = {scene->interfaces.count - 1, subsystem, port, NULL};
  if (memory == NULL ||
      flg_interface_model_build(memory, rows, rows, &side.model, NULL) != FLG_OK) {
    return;
  }
  flg_scene_side *added = ADD(sides, flg_scene_side, scene);
  if (added != NULL) *added = side;
}

/* the frame of the second end, of the first where that is the ground */
static void collect_coupled(flg_scene *scene, const flg_interface *interface) {
  const flg_simulation *simulation = scene->simulation;
  int frame = -1;
  for (int e = 1; e >= 0 && frame < 0 && flg_interface_has_ends(interface); e--) {
    const flg_interface_end *end = &interface->end[e];
    if (end->subsystem < 0) continue;
    frame = add_frame(scene, (flg_scene_frame){.subsystem = &simulation->subsystems[end->subsystem],
                                               .kind = FLG_FRAME_OF_PORT,
                                               .port = end->port});
  }
  add_interface(scene, interface->name, frame);
  for (int e = 0; e < 2 && frame >= 0; e++) {
    const flg_interface_end *end = &interface->end[e];
    if (end->subsystem < 0) continue;
    add_side(scene, &simulation->subsystems[end->subsystem], end->port);
  }
}

/* all solved as one: an interface is a joint of the assembly */
static void collect_whole(flg_scene *scene, const char *name) {
  const flg_subsystem *subsystem = &scene->simulation->subsystems[0];
  const flg_assembly *assembly = flg_subsystem_assembly(subsystem);
  const flg_component *component = assembly == NULL ? NULL : flg_assembly_component(assembly);
  const int joint = component == NULL ? -1 : flg_component_find_joint(component, name);
  int frame = -1;
  if (joint >= 0 && component->joints[joint].kind != FLG_CONSTRAINT_GEAR &&
      component->joints[joint].kind != FLG_CONSTRAINT_RACK) {
    frame = add_frame(scene, (flg_scene_frame){.subsystem = subsystem,
                                               .kind = FLG_FRAME_OF_ASSEMBLY,
                                               .anchor = component->joints[joint].end[1]});
  }
  add_interface(scene, name, frame);
}

void flg_scene_collect(flg_scene *scene) {
  const flg_simulation *simulation = scene->simulation;
  const collector ground = {.scene = scene, .prefix = ""};
  const int world =
      add_body(&ground, (flg_scene_body){.name = "world", .frame = -1, .pose = at_origin()});
  for (int k = 0; k < simulation->subsystem_count; k++) collect_subsystem(scene, k, world);
  for (int k = 0; k < simulation->telemetry_count; k++) {
    if (simulation->coupling != NULL) {
      collect_coupled(scene, &simulation->interfaces[k]);
    } else {
      collect_whole(scene, simulation->interface_names[k]);
    }
  }
}
