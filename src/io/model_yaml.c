#include "io/model_yaml.h"

#include <math.h>
#include <string.h>

#include "base/closest.h"
#include "base/name_index.h"
#include "define/given.h"
#include "flatten/surface_table.h"
#include "io/contact_keys.h"
#include "io/flexible_keys.h"
#include "text/document.h"

/* --- what a file may say ------------------------------------------------------------------- */

typedef struct body_keys {
  flg_origin origin;
  double mass, centre[3];
  flg_numbers inertia;
  flg_items shapes;
  flg_flexible_keys flexible;
} body_keys;

typedef struct limits_keys {
  flg_origin origin;
  double lower, upper, effort, speed;
} limits_keys;

typedef struct mimic_keys {
  flg_origin origin;
  const char *joint;
  double multiplier, offset;
} mimic_keys;

typedef struct joint_keys {
  flg_origin origin;
  int kind;
  const char *parent, *child;
  flg_placement_keys placement;
  double axis[3], axis2[3], pitch, damping, friction, armature;
  limits_keys limits;
  mimic_keys mimic;
} joint_keys;

typedef struct frame_keys {
  flg_origin origin;
  const char *body;
  flg_placement_keys placement;
} frame_keys;

typedef struct model_keys {
  flg_origin origin;
  int version;
  const char *name;
  flg_items bodies, joints, ports, markers, shapes, materials, configurations;
  flg_touching_keys contacts;
} model_keys;

#define JOINT_WORD(kind, name, velocities, positions, displacements) name,
static const char *const joint_words[] = {FLG_JOINT_KIND_LIST(JOINT_WORD) NULL};
#define PLACEMENT(type) FLG_PLACEMENT_FIELDS(type, "where its frame is on the body")

static const flg_field body_fields[] = {
    FLG_MASS_FIELDS(body_keys, "0 is allowed where something heavy is fixed to the body"),
    FLG_KEY(body_keys, shapes, LIST, "what it looks like and touches with",
            .section = &flg_shape_section),
    FLG_KEY(body_keys, flexible, SECTION,
            "how it deforms (docs/flexible.md); if absent: it is rigid",
            .section = &flg_flexible_section),
};
static const flg_section body_section =
    FLG_SECTION("body", body_keys, body_fields, "A body.", "{mass: 2, inertia: [0.1, 0.1, 0.2]}");

static const flg_field limits_fields[] = {
    FLG_KEY(limits_keys, lower, NUMBER, "least position, rad or m"),
    FLG_KEY(limits_keys, upper, NUMBER, "largest position, rad or m"),
    FLG_KEY(limits_keys, effort, NUMBER, "largest moment or force, N m or N",
            .range = FLG_RANGE_NOT_NEGATIVE),
    FLG_KEY(limits_keys, speed, NUMBER, "largest speed, rad/s or m/s",
            .range = FLG_RANGE_NOT_NEGATIVE),
};
static const flg_section limits_section =
    FLG_SECTION("limits section", limits_keys, limits_fields,
                "How far, how hard, how fast. A run respects the effort limit; positions and "
                "speeds are respected where motions are made (flange trajectory).",
                "{lower: -90 deg, upper: 90 deg}");

static const flg_field mimic_fields[] = {
    FLG_KEY(mimic_keys, joint, TEXT, "the joint to follow"),
    FLG_KEY(mimic_keys, multiplier, NUMBER,
            "position = multiplier * position of that joint + offset", .fallback = "1"),
    FLG_KEY(mimic_keys, offset, NUMBER, "see multiplier", .fallback = "0"),
};
static const flg_section mimic_section =
    FLG_SECTION("mimic section", mimic_keys, mimic_fields, "A joint that follows another.",
                "{joint: left_finger}");

static const flg_field joint_fields[] = {
    FLG_KEY(joint_keys, kind, CHOICE, "how the child can move", .required = true,
            .choices = joint_words, .aliases = flg_joint_aliases),
    FLG_KEY(joint_keys, parent, TEXT, "the body that carries it, or world", .fallback = "world"),
    FLG_KEY(joint_keys, child, TEXT, "the body that it moves", .required = true),
    PLACEMENT(joint_keys),
    FLG_KEY(joint_keys, axis, VECTOR, "in the joint's frame, of any length", .size = 3,
            .fallback = "[0, 0, 1]"),
    FLG_KEY(joint_keys, axis2, VECTOR, "second axis of a universal joint", .size = 3,
            .fallback = "[1, 0, 0]"),
    FLG_KEY(joint_keys, pitch, NUMBER, "advance of a screw", .unit = "m/rad", .fallback = "0"),
    FLG_KEY(joint_keys, damping, NUMBER, "N m s/rad or N s/m", .range = FLG_RANGE_NOT_NEGATIVE,
            .fallback = "0"),
    FLG_KEY(joint_keys, friction, NUMBER,
            "dry friction, N m or N; it sticks. Where the robot is coupled and takes rk4 steps, "
            "a joint that sticks creeps by 3e-5 of the speed that friction takes in a step",
            .range = FLG_RANGE_NOT_NEGATIVE, .fallback = "0"),
    FLG_KEY(joint_keys, armature, NUMBER,
            "rotor inertia, as the joint feels it: that of the rotor times the gear ratio squared, "
            "kg m^2 or kg; of joints with one coordinate",
            .range = FLG_RANGE_NOT_NEGATIVE, .fallback = "0"),
    FLG_KEY(joint_keys, limits, SECTION, "how far, how hard, how fast", .section = &limits_section),
    FLG_KEY(joint_keys, mimic, SECTION,
            "a joint that it follows; forces and controllers on either act on both, by the gear",
            .section = &mimic_section),
};
static const flg_section joint_section =
    FLG_SECTION("joint", joint_keys, joint_fields, "What leaves a child free to move on a parent.",
                "{kind: revolute, child: arm, axis: [0, 1, 0]}");

static const flg_field frame_fields[] = {
    FLG_KEY(frame_keys, body, TEXT, "the body that it is fixed to", .required = true),
    PLACEMENT(frame_keys),
};
static const flg_section port_section =
    FLG_SECTION("port", frame_keys, frame_fields, "Where the model is joined to others.",
                "{body: arm, at: [0.5, 0, 0]}");
static const flg_section marker_section = FLG_SECTION(
    "marker", frame_keys, frame_fields, "A point to look at.", "{body: arm, at: [0.5, 0, 0]}");

static const flg_field model_fields[] = {
    FLG_KEY_AT(model_keys, version, "flange-model", INTEGER, "version of the format",
               .required = true, .range = FLG_RANGE_BETWEEN, .least = 1, .most = 1),
    FLG_KEY(model_keys, name, TEXT, "for people"),
    FLG_KEY(model_keys, bodies, MAP, "bodies by name", .required = true, .size = 1,
            .section = &body_section),
    FLG_KEY(model_keys, joints, MAP, "joints by name", .section = &joint_section),
    FLG_KEY(model_keys, ports, MAP, "where it is joined to others", .section = &port_section),
    FLG_KEY(model_keys, markers, MAP, "points to look at", .section = &marker_section),
    FLG_KEY(model_keys, configurations, VALUE_MAPS,
            "positions by joint under names of their own, for `initial: home` and the like, as in "
            "{home: {elbow: 90 deg}}"),
    FLG_KEY(model_keys, shapes, LIST, "what stands on the ground", .section = &flg_shape_section),
    FLG_KEY(model_keys, materials, MAP, "what shapes are made of, by name",
            .section = &flg_material_section),
    FLG_KEY(model_keys, contacts, SECTION, "which shapes touch, and how",
            .section = &flg_touching_section),
};
const flg_section flg_model_section =
    FLG_SECTION("model", model_keys, model_fields, "A mechanical model: bodies and joints.",
                "{flange-model: 1, bodies: {arm: {mass: 2, inertia: [0.1, 0.1, 0.2]}}}");

/* --- from keys to a model ------------------------------------------------------------------ */

typedef struct maker {
  flg_model *model;
  flg_region *region;
  flg_mistakes *mistakes;
  flg_name_index body_index, joint_index;
  const char **body_names; /* for suggestions */
  flg_surface_table surfaces;
} maker;

static int body_named(const maker *make, const char *name, flg_place place) {
  if (name == NULL || strcmp(name, "world") == 0) return FLG_WORLD;
  const int body = flg_name_index_find(&make->body_index, name);
  if (body != FLG_NAME_UNKNOWN) return body;
  char hint[FLG_HINT_TEXT] = "";
  if (make->mistakes->count < FLG_MISTAKES_LISTED) { /* the search takes its time */
    flg_closest_hint(name, make->body_names, make->model->body_count, hint);
  }
  flg_mistake_add(make->mistakes, FLG_ERR_INPUT, place, "there is no body '%s'%s", name, hint);
  return FLG_WORLD;
}

/* mass and inertia of a body come first: a beam may take its density from them */
static void make_flexible(const maker *make, const body_keys *keys, flg_body *body) {
  flg_flexible_keys flexible = keys->flexible;
  const int before = make->mistakes->count;
  if (!flg_flexible_is_given(&flexible)) return;
  flg_flexible_resolve(&flexible, make->region, make->mistakes);
  if (make->mistakes->count > before) return;
  flg_flexible_apply(&flexible, body, make->region, make->mistakes);
}

static void make_body(const maker *make, const body_keys *keys, int index) {
  make->model->bodies[index] =
      (flg_body){.name = keys->origin.name,
                 .place = keys->origin.place,
                 .mass = keys->mass,
                 .centre = flg_vec3_load(keys->centre),
                 .inertia = flg_inertia_of_keys(&keys->inertia, &keys->origin, make->mistakes)};
  make->body_names[index] = keys->origin.name;
  make_flexible(make, keys, &make->model->bodies[index]);
}

static void yaml_make_joint(const maker *make, const joint_keys *keys, flg_joint *joint) {
  const flg_place place = keys->origin.place;
  const limits_keys *limits = &keys->limits;
  *joint = (flg_joint){
      .name = keys->origin.name,
      .place = place,
      .kind = (flg_joint_kind)keys->kind,
      .parent = body_named(make, keys->parent, place),
      .child = body_named(make, keys->child, place),
      .origin = flg_placement_pose(&keys->placement),
      .axis = flg_vec3_normalise(flg_vec3_load(keys->axis)),
      .axis2 = flg_vec3_normalise(flg_vec3_load(keys->axis2)),
      .pitch = keys->pitch,
      .damping = keys->damping,
      .armature = keys->armature,
      .friction = keys->friction,
      .lower = flg_given_or(limits->lower, -INFINITY),
      .upper = flg_given_or(limits->upper, INFINITY),
      .effort_limit = flg_given_or(limits->effort, INFINITY),
      .speed_limit = flg_given_or(limits->speed, INFINITY),
      .mimic = {.joint = -1, .multiplier = keys->mimic.multiplier, .offset = keys->mimic.offset}};
}

/* after all joints are there, since a joint may follow a later one */
static void link_mimic(const maker *make, const joint_keys *keys, flg_joint *joint) {
  if (keys->mimic.joint == NULL) return;
  joint->mimic.joint = flg_name_index_find(&make->joint_index, keys->mimic.joint);
  if (joint->mimic.joint >= 0) return;
  flg_mistake_add(make->mistakes, FLG_ERR_INPUT, keys->mimic.origin.place,
                  "mimic: there is no joint '%s'", keys->mimic.joint);
}

static void make_frame(const maker *make, const frame_keys *keys, bool port, flg_frame *frame) {
  *frame = (flg_frame){.name = keys->origin.name,
                       .place = keys->origin.place,
                       .body = body_named(make, keys->body, keys->origin.place),
                       .port = port,
                       .pose = flg_placement_pose(&keys->placement)};
}

static bool model_yaml_lay_out(const maker *make, const model_keys *keys) {
  flg_model *model = make->model;
  const body_keys *bodies = keys->bodies.items;
  model->shape_count = keys->shapes.count;
  for (int k = 0; k < keys->bodies.count; k++) model->shape_count += bodies[k].shapes.count;
  model->body_count = keys->bodies.count;
  model->joint_count = keys->joints.count;
  model->frame_count = keys->ports.count + keys->markers.count;
  model->bodies = flg_region_take(make->region, (size_t)model->body_count, sizeof(flg_body));
  model->joints = flg_region_take(make->region, (size_t)model->joint_count, sizeof(flg_joint));
  model->shapes = flg_region_take(make->region, (size_t)model->shape_count, sizeof(flg_shape));
  model->frames = flg_region_take(make->region, (size_t)model->frame_count, sizeof(flg_frame));
  return !make->region->failed;
}

/* returns where the next shape goes */
static flg_shape *make_shapes(maker *make, const flg_items *items, int body, flg_shape *shape) {
  const flg_shape_keys *keys = items->items;
  for (int k = 0; k < items->count; k++, shape++) {
    *shape = flg_shape_of_keys(&keys[k], body, make->region, make->mistakes);
    flg_surface_table_shape(&make->surfaces, &keys[k], shape);
  }
  return shape;
}

static void make_contacts(maker *make, const flg_touching_keys *keys) {
  flg_model *model = make->model;
  const char **paths = flg_region_take(make->region, (size_t)model->shape_count, sizeof *paths);
  for (int k = 0; k < model->shape_count && paths != NULL; k++) {
    const int body = model->shapes[k].body;
    paths[k] = body == FLG_WORLD ? "world" : model->bodies[body].name;
  }
  const flg_named_shapes named = {model->shapes, paths, paths == NULL ? 0 : model->shape_count, ""};
  flg_surface_table_touching(&make->surfaces, keys, &named);
  model->surfaces = flg_surface_table_view(&make->surfaces);
}

static void yaml_make_model(maker *make, const model_keys *keys) {
  flg_model *model = make->model;
  const body_keys *bodies = keys->bodies.items;
  flg_surface_table_materials(&make->surfaces, &keys->materials);
  flg_shape *shape = make_shapes(make, &keys->shapes, FLG_WORLD, model->shapes);
  for (int k = 0; k < model->body_count; k++) {
    make_body(make, &bodies[k], k);
    flg_name_index_add(&make->body_index, bodies[k].origin.name, k, make->region);
    shape = make_shapes(make, &bodies[k].shapes, k, shape);
  }
  const joint_keys *joints = keys->joints.items;
  for (int k = 0; k < model->joint_count; k++) {
    yaml_make_joint(make, &joints[k], &model->joints[k]);
    flg_name_index_add(&make->joint_index, joints[k].origin.name, k, make->region);
  }
  for (int k = 0; k < model->joint_count; k++) link_mimic(make, &joints[k], &model->joints[k]);
  const frame_keys *ports = keys->ports.items, *markers = keys->markers.items;
  for (int k = 0; k < keys->ports.count; k++) make_frame(make, &ports[k], true, &model->frames[k]);
  for (int k = 0; k < keys->markers.count; k++) {
    make_frame(make, &markers[k], false, &model->frames[keys->ports.count + k]);
  }
  make_contacts(make, &keys->contacts);
  model->configurations = keys->configurations;
}

void flg_model_from_node(flg_model *model, const char *file, bool floats, const flg_node *root,
                         flg_region *region, flg_mistakes *mistakes) {
  const int before = mistakes->count;
  *model = (flg_model){.file = file, .name = file};
  if (root->kind == FLG_NODE_MAP && flg_node_find(root, "flange-component") != NULL) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, (flg_place){.file = file},
                    "this is a component, not a model; a component names it among its components");
    return;
  }
  model_keys keys;
  if (!flg_schema_read(&flg_model_section, root, &keys, region, mistakes)) return;
  if (keys.name != NULL) model->name = keys.name;
  maker make = {.model = model,
                .region = region,
                .mistakes = mistakes,
                .surfaces = {.region = region, .mistakes = mistakes}};
  make.body_names = flg_region_take(region, (size_t)keys.bodies.count, sizeof(char *));
  if (make.body_names == NULL || !model_yaml_lay_out(&make, &keys)) return;
  yaml_make_model(&make, &keys);
  if (mistakes->count == before) flg_model_check(model, mistakes);
  if (floats && mistakes->count == before) flg_model_float(model, mistakes);
}

void flg_model_read_yaml(flg_model *model, const char *path, flg_reading reading,
                         flg_place asked_at, flg_region *region, flg_mistakes *mistakes) {
  *model = (flg_model){.file = path};
  const flg_node *root = flg_document_read(region, path, asked_at, NULL, 0, mistakes);
  if (root != NULL) flg_model_from_node(model, path, reading.floats, root, region, mistakes);
}
