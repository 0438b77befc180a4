#include "io/urdf.h"

#include <math.h>
#include <string.h>

#include "base/closest.h"
#include "base/name_index.h"
#include "io/srdf.h"
#include "io/urdf_drive.h"
#include "io/urdf_inertia.h"
#include "io/urdf_shape.h"
#include "text/document.h"
#include "text/xml.h"

/* names become keys of YAML, which may not be longer than 1024 bytes */
enum { UNKNOWN_BODY = -2 };

static const char *const GROUND = "world";

typedef struct maker {
  const flg_element *robot;
  const flg_element *ground; /* the link that is the ground; NULL: there is none */
  flg_model *model;
  flg_region *region;
  flg_mistakes *mistakes;
  flg_reading reading;
  flg_notices notices;
  flg_name_index bodies, joints;
  flg_materials materials;
  const char **body_names; /* for suggestions */
  int *carriers;           /* (bodies) how many joints have it as child */
  int *carried;            /* (bodies) how many joints have it as parent */
} maker;

/* a name for messages and signals; "" with a mistake if there is none */
static const char *name_of_element(const maker *make, const flg_element *element) {
  const char *name = flg_element_need_text(element, "name", make->mistakes);
  if (name == NULL) return "";
  if (strlen(name) <= FLG_NAME_MOST) return name;
  flg_mistake_add(make->mistakes, FLG_ERR_INPUT, element->place,
                  "the name of this <%s> has %zu bytes; at most %d are read", element->name,
                  strlen(name), FLG_NAME_MOST);
  return "";
}

/* --- links ----------------------------------------------------------------------------------- */

static bool urdf_is_ground(const flg_element *link) {
  const char *name = flg_element_text(link, "name");
  return name != NULL && strcmp(name, GROUND) == 0;
}

static flg_sym3 read_inertia(const flg_element *inertia, flg_mistakes *mistakes) {
  flg_sym3 I = {0};
  flg_element_need_number(inertia, "ixx", &I.xx, mistakes);
  flg_element_need_number(inertia, "iyy", &I.yy, mistakes);
  flg_element_need_number(inertia, "izz", &I.zz, mistakes);
  flg_element_numbers(inertia, "ixy", 1, &I.xy, mistakes);
  flg_element_numbers(inertia, "ixz", 1, &I.xz, mistakes);
  flg_element_numbers(inertia, "iyz", 1, &I.yz, mistakes);
  return I;
}

static void read_inertial(const maker *make, const flg_element *link, flg_body *body) {
  const flg_element *inertial = flg_element_only(link, "inertial", make->mistakes);
  if (inertial == NULL) return;
  const flg_pose pose = flg_urdf_origin(inertial, make->mistakes);
  const flg_element *mass = flg_element_need(inertial, "mass", make->mistakes);
  const flg_element *inertia = flg_element_need(inertial, "inertia", make->mistakes);
  body->centre = pose.position;
  if (mass != NULL) flg_element_need_number(mass, "value", &body->mass, make->mistakes);
  if (inertia != NULL) {
    body->inertia = flg_sym3_rotate(read_inertia(inertia, make->mistakes), &pose.rotation);
  }
}

/* none of its lengths is 0; the cylindrical part of a capsule may be */
static bool has_size(const flg_shape *shape) {
  const int count = shape->kind == FLG_SHAPE_CAPSULE ? 1 : flg_shape_kind_sizes(shape->kind);
  for (int k = 0; k < count; k++) {
    if (shape->size[k] == 0) return false;
  }
  return true;
}

static flg_shape *read_shapes(maker *make, const flg_element *link, int body, flg_shape *shape) {
  const int count = flg_urdf_shape_count(link);
  const flg_element *visual = flg_element_child(link, "visual");
  for (; visual != NULL; visual = flg_element_again(visual)) {
    const flg_element *material = flg_element_child(visual, "material");
    if (material == NULL || flg_element_again(material) == NULL) continue;
    flg_notice_add(&make->notices, make->model->file,
                   "link '%s' has a <visual> with two materials; the first counts",
                   flg_element_text(link, "name"));
  }
  flg_urdf_shapes(link, body, &make->materials, shape, make->region, make->mistakes);
  int kept = 0;
  for (int k = 0; k < count; k++) {
    if (has_size(&shape[k])) shape[kept++] = shape[k];
  }
  if (kept < count) {
    make->model->shape_count -= count - kept;
    flg_notice_add(&make->notices, make->model->file, "%d shape%s of link '%s' of size 0 left out",
                   count - kept, count - kept == 1 ? "" : "s", flg_element_text(link, "name"));
  }
  return shape + kept;
}

static flg_shape *read_ground(maker *make, flg_shape *shape) {
  if (make->ground == NULL) return shape;
  flg_body unused = {0};
  read_inertial(make, make->ground, &unused);
  if (unused.mass != 0) {
    flg_mistake_add(make->mistakes, FLG_ERR_INPUT, make->ground->place,
                    "link 'world' is the ground and has no mass, found %g kg; name the link "
                    "otherwise if it is a part of the robot",
                    unused.mass);
  }
  return read_shapes(make, make->ground, FLG_WORLD, shape);
}

static void read_links(maker *make) {
  flg_model *model = make->model;
  flg_shape *shape = read_ground(make, model->shapes);
  const flg_element *link = flg_element_child(make->robot, "link");
  for (int k = 0; link != NULL; link = flg_element_again(link)) {
    if (link == make->ground) continue;
    flg_body *body = &model->bodies[k];
    *body = (flg_body){.name = name_of_element(make, link), .place = link->place};
    read_inertial(make, link, body);
    shape = read_shapes(make, link, k, shape);
    flg_name_index_add(&make->bodies, body->name, k, make->region);
    make->body_names[k++] = body->name;
  }
}

/* --- joints ---------------------------------------------------------------------------------- */

static const flg_joint_kind KINDS[] = {FLG_JOINT_FIXED,      FLG_JOINT_REVOLUTE,
                                       FLG_JOINT_CONTINUOUS, FLG_JOINT_PRISMATIC,
                                       FLG_JOINT_PLANAR,     FLG_JOINT_FLOATING};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

static flg_joint_kind read_kind(const flg_element *from, flg_mistakes *mistakes) {
  const char *type = flg_element_need_text(from, "type", mistakes);
  if (type == NULL) return FLG_JOINT_FIXED;
  const char *words[KIND_COUNT];
  for (int k = 0; k < KIND_COUNT; k++) {
    words[k] = flg_joint_kind_name(KINDS[k]);
    if (strcmp(type, words[k]) == 0) return KINDS[k];
  }
  char hint[FLG_HINT_TEXT];
  flg_closest_hint(type, words, KIND_COUNT, hint);
  flg_mistake_add(mistakes, FLG_ERR_INPUT, from->place, "a joint of type '%.60s' is not known%s",
                  type,
                  hint[0] != '\0' ? hint
                                  : "; expected fixed, revolute, continuous, prismatic, planar or "
                                    "floating");
  return FLG_JOINT_FIXED;
}

/* the link that <parent link="..."/> or <child link="..."/> names */
static int read_end(const maker *make, const flg_element *joint, const char *which) {
  const flg_element *end = flg_element_need(joint, which, make->mistakes);
  const char *name = end == NULL ? NULL : flg_element_need_text(end, "link", make->mistakes);
  if (name == NULL) return UNKNOWN_BODY;
  if (make->ground != NULL && strcmp(name, GROUND) == 0) return FLG_WORLD;
  const int body = flg_name_index_find(&make->bodies, name);
  if (body != FLG_NAME_UNKNOWN) return body;
  char hint[FLG_HINT_TEXT] = "";
  if (make->mistakes->count < FLG_MISTAKES_LISTED) { /* the search takes its time */
    flg_closest_hint(name, make->body_names, make->model->body_count, hint);
  }
  flg_mistake_add(make->mistakes, FLG_ERR_INPUT, end->place, "there is no link '%s'%s", name, hint);
  return UNKNOWN_BODY;
}

static void read_ends(const maker *make, const flg_element *from, flg_joint *joint) {
  joint->parent = read_end(make, from, "parent");
  joint->child = read_end(make, from, "child");
  if (joint->child == FLG_WORLD) {
    flg_mistake_add(make->mistakes, FLG_ERR_INPUT, from->place,
                    "joint '%s' has the link 'world' as its child, which is the ground and cannot "
                    "move",
                    joint->name);
  }
  if (joint->parent >= 0) make->carried[joint->parent]++;
  if (joint->child >= 0) make->carriers[joint->child]++;
}

static void read_axis(maker *make, const flg_element *from, flg_joint *joint) {
  const flg_element *axis = flg_element_only(from, "axis", make->mistakes);
  double xyz[3] = {1, 0, 0};
  if (axis != NULL && flg_element_text(axis, "xyz") == NULL) {
    flg_notice_add(&make->notices, make->model->file,
                   "the <axis> of joint '%s' has no xyz; it is taken as 1 0 0", joint->name);
  } else if (axis != NULL && flg_element_need_text(axis, "xyz", make->mistakes) != NULL) {
    flg_element_numbers(axis, "xyz", 3, xyz, make->mistakes);
  }
  if (joint->kind == FLG_JOINT_FIXED || joint->kind == FLG_JOINT_FLOATING) return;
  joint->axis = flg_vec3_normalise(flg_vec3_load(xyz));
}

/* some files write -1 for 'none' */
static void read_bound(maker *make, const flg_element *limit, const char *name,
                       const flg_joint *joint, double *bound) {
  flg_element_numbers(limit, name, 1, bound, make->mistakes);
  if (*bound >= 0) return;
  flg_notice_add(&make->notices, make->model->file,
                 "the %s limit of joint '%s' is %g, below zero: it has none", name, joint->name,
                 *bound);
  *bound = INFINITY;
}

static void read_limit(maker *make, const flg_element *from, flg_joint *joint) {
  flg_mistakes *mistakes = make->mistakes;
  const flg_element *limit = flg_element_only(from, "limit", mistakes);
  if (limit == NULL) return;
  read_bound(make, limit, "effort", joint, &joint->effort_limit);
  read_bound(make, limit, "velocity", joint, &joint->speed_limit);
  double lower = 0, upper = 0;
  const bool has_lower = flg_element_numbers(limit, "lower", 1, &lower, mistakes);
  const bool has_upper = flg_element_numbers(limit, "upper", 1, &upper, mistakes);
  const bool limited = joint->kind == FLG_JOINT_REVOLUTE || joint->kind == FLG_JOINT_PRISMATIC;
  if (!limited || (!has_lower && !has_upper)) return;
  joint->lower = lower;
  joint->upper = upper;
}

static void read_dynamics(const flg_element *from, flg_joint *joint, flg_mistakes *mistakes) {
  const flg_element *dynamics = flg_element_only(from, "dynamics", mistakes);
  if (dynamics == NULL) return;
  flg_element_numbers(dynamics, "damping", 1, &joint->damping, mistakes);
  flg_element_numbers(dynamics, "friction", 1, &joint->friction, mistakes);
}

/* what holds of a joint that says nothing else: fixed, without limits */
static flg_joint blank_joint(const char *name, flg_place place) {
  return (flg_joint){.name = name,
                     .place = place,
                     .kind = FLG_JOINT_FIXED,
                     .parent = FLG_WORLD,
                     .origin = flg_pose_identity(),
                     .axis = {0, 0, 1},
                     .axis2 = {1, 0, 0},
                     .lower = -INFINITY,
                     .upper = INFINITY,
                     .effort_limit = INFINITY,
                     .speed_limit = INFINITY,
                     .mimic = {.joint = -1, .multiplier = 1}};
}

static void urdf_read_joint(maker *make, const flg_element *from, flg_joint *joint) {
  *joint = blank_joint(name_of_element(make, from), from->place);
  joint->kind = read_kind(from, make->mistakes);
  joint->origin = flg_urdf_origin(from, make->mistakes);
  read_ends(make, from, joint);
  read_axis(make, from, joint);
  read_limit(make, from, joint);
  read_dynamics(from, joint, make->mistakes);
}

/* after all joints are there, since a joint may follow a later one */
static void read_mimic(maker *make, const flg_element *from, flg_joint *joint) {
  const flg_element *mimic = flg_element_only(from, "mimic", make->mistakes);
  if (mimic == NULL) return;
  if (joint->kind == FLG_JOINT_FIXED) return; /* it does not move */
  flg_element_numbers(mimic, "multiplier", 1, &joint->mimic.multiplier, make->mistakes);
  flg_element_numbers(mimic, "offset", 1, &joint->mimic.offset, make->mistakes);
  const char *name = flg_element_need_text(mimic, "joint", make->mistakes);
  if (name == NULL) return;
  joint->mimic.joint = flg_name_index_find(&make->joints, name);
  if (joint->mimic.joint != FLG_NAME_UNKNOWN) return;
  joint->mimic.joint = -1;
  flg_notice_add(&make->notices, make->model->file,
                 "joint '%s' mimics '%s', which is not there: it moves freely", joint->name, name);
}

static void read_joints(maker *make) {
  flg_joint *joints = make->model->joints;
  const flg_element *first = flg_element_child(make->robot, "joint"), *from = first;
  for (int k = 0; from != NULL; from = flg_element_again(from), k++) {
    urdf_read_joint(make, from, &joints[k]);
    flg_name_index_add(&make->joints, joints[k].name, k, make->region);
  }
  from = first;
  for (int k = 0; from != NULL; from = flg_element_again(from), k++) {
    read_mimic(make, from, &joints[k]);
  }
}

/* --- the robot ------------------------------------------------------------------------------- */

/* a name that no joint of the file has */
static const char *ground_joint_name(const maker *make) {
  const char *name = "ground";
  for (int k = 2; name != NULL && flg_name_index_find(&make->joints, name) >= 0; k++) {
    name = flg_region_format(make->region, "ground%d", k);
  }
  return name;
}

static void fix_to_ground(const maker *make, int root) {
  flg_model *model = make->model;
  flg_joint *joint = &model->joints[model->joint_count++];
  *joint = blank_joint(ground_joint_name(make), model->bodies[root].place);
  joint->child = root;
}

/* the one link that is no joint's child, if the ground is not it; loops are found later */
static void find_root(const maker *make) {
  const char *root = make->ground == NULL ? NULL : GROUND;
  for (int k = 0; k < make->model->body_count; k++) {
    if (make->carriers[k] > 0) continue;
    const flg_body *body = &make->model->bodies[k];
    if (root == NULL) {
      root = body->name;
      fix_to_ground(make, k);
    } else {
      flg_mistake_add(make->mistakes, FLG_ERR_INPUT, body->place,
                      "link '%s' is the child of no joint, and neither is '%s': a robot has one "
                      "root",
                      body->name, root);
    }
  }
}

/* Links that only name a place are ports too (see the header). */
static void urdf_add_ports(const maker *make) {
  flg_model *model = make->model;
  bool *bare = flg_region_take(make->region, (size_t)model->body_count, sizeof *bare);
  model->frames = flg_region_take(make->region, (size_t)model->body_count, sizeof *model->frames);
  if (bare == NULL || model->frames == NULL) return;
  for (int k = 0; k < model->joint_count; k++) {
    const flg_joint *joint = &model->joints[k];
    if (make->carriers[joint->child] == 1) bare[joint->child] = joint->kind == FLG_JOINT_FIXED;
  }
  for (int k = 0; k < model->shape_count; k++) {
    if (model->shapes[k].body >= 0) bare[model->shapes[k].body] = false;
  }
  for (int k = 0; k < model->body_count; k++) {
    const flg_body *body = &model->bodies[k];
    if (!bare[k] || body->mass != 0 || make->carried[k] > 0) continue;
    model->frames[model->frame_count++] = (flg_frame){.name = body->name,
                                                      .place = body->place,
                                                      .body = k,
                                                      .port = true,
                                                      .pose = flg_pose_identity()};
  }
}

/* counts and finds the ground; false if the robot has no links, or the memory is exhausted */
static bool urdf_lay_out(maker *make) {
  flg_model *model = make->model;
  const flg_element *element = flg_element_child(make->robot, "link");
  for (; element != NULL; element = flg_element_again(element)) {
    model->shape_count += flg_urdf_shape_count(element);
    if (make->ground == NULL && urdf_is_ground(element)) {
      make->ground = element;
    } else {
      model->body_count++;
    }
  }
  element = flg_element_child(make->robot, "joint");
  for (; element != NULL; element = flg_element_again(element)) model->joint_count++;
  if (model->body_count == 0) {
    flg_mistake_add(make->mistakes, FLG_ERR_INPUT, make->robot->place, "the robot has no links%s",
                    make->ground == NULL ? "" : " besides the ground");
    return false;
  }
  const size_t bodies = (size_t)model->body_count, joints = (size_t)model->joint_count;
  model->bodies = flg_region_take(make->region, bodies, sizeof *model->bodies);
  model->joints = flg_region_take(make->region, joints + 1, sizeof *model->joints);
  model->shapes = flg_region_take(make->region, (size_t)model->shape_count, sizeof *model->shapes);
  make->body_names = flg_region_take(make->region, bodies, sizeof *make->body_names);
  make->carriers = flg_region_take(make->region, bodies, sizeof *make->carriers);
  make->carried = flg_region_take(make->region, bodies, sizeof *make->carried);
  return !make->region->failed;
}

/* what stands at the top and cannot be read: not a robot, or one that is yet to be generated */
static bool is_robot(const flg_element *root, flg_mistakes *mistakes) {
  if (!flg_element_is(root, "robot")) {
    flg_mistake_add(mistakes, FLG_ERR_INPUT, root->place,
                    "this is not URDF: expected <robot> at the top, found <%.60s>", root->name);
    return false;
  }
  for (const flg_element *child = root->first; child != NULL; child = child->next) {
    if (strncmp(child->name, "xacro:", strlen("xacro:")) != 0) continue;
    flg_mistake_add(mistakes, FLG_ERR_INPUT, child->place,
                    "<%.60s> is a macro: run the file through xacro first", child->name);
    return false;
  }
  return true;
}

static void read_robot(maker *make) {
  const int before = make->mistakes->count;
  flg_materials_build(&make->materials, make->robot, make->region, make->mistakes);
  if (make->region->failed) return;
  read_links(make);
  read_joints(make);
  flg_urdf_read_drives(make->robot, &make->joints, make->model, &make->notices, make->mistakes);
  /* before roots are looked for: of two links with one name the second would be taken for one */
  if (make->mistakes->count == before) {
    flg_urdf_mend_inertia(make->model, make->reading, &make->notices);
    flg_model_check(make->model, make->mistakes);
  }
  if (make->mistakes->count == before) find_root(make);
  if (make->mistakes->count == before) urdf_add_ports(make);
  if (make->reading.floats && make->mistakes->count == before) {
    flg_model_float(make->model, make->mistakes);
  }
}

/* of the robot, or else of its file */
static const char *robot_name(maker *make, const char *file) {
  if (flg_element_text(make->robot, "name") != NULL) return name_of_element(make, make->robot);
  const char *slash = strrchr(file, '/');
  flg_notice_add(&make->notices, make->model->file,
                 "<robot> has no name; it is called by its file");
  return slash == NULL ? file : slash + 1;
}

void flg_model_from_element(flg_model *model, const char *file, flg_reading reading,
                            const flg_element *root, flg_region *region, flg_mistakes *mistakes) {
  maker make = {.robot = root,
                .model = model,
                .region = region,
                .mistakes = mistakes,
                .reading = reading,
                .notices = {.region = region}};
  *model = (flg_model){.file = file, .name = file};
  if (!is_robot(root, mistakes)) return;
  model->name = robot_name(&make, file);
  if (urdf_lay_out(&make)) read_robot(&make);
  model->notices = make.notices.texts.items;
  model->notice_count = make.notices.texts.count;
  if (region->failed) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, root->place, "no memory left to read the file");
  }
}

void flg_model_read_urdf(flg_model *model, const char *path, flg_reading reading,
                         flg_place asked_at, flg_region *region, flg_mistakes *mistakes) {
  *model = (flg_model){.file = path};
  const int before = mistakes->count;
  size_t length = 0;
  const char *text = flg_file_read(region, path, FLG_LIMIT_TEXT, asked_at, &length, mistakes);
  if (text == NULL) return;
  const flg_element *root = flg_xml_parse(region, path, text, length, mistakes);
  if (root != NULL) flg_model_from_element(model, path, reading, root, region, mistakes);
  if (root == NULL || mistakes->count > before) return;
  flg_notices notices = {.region = region};
  flg_notices_take(&notices, model->notices, model->notice_count);
  flg_srdf_read(path, model, &notices);
  model->notices = notices.texts.items;
  model->notice_count = notices.texts.count;
  if (region->failed) {
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, root->place, "no memory left to read the file");
  }
}
