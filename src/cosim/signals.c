#include "cosim/signals.h"

#include <string.h>

#include "base/closest.h"

typedef struct flg_quantity {
  const char *word;
  const char *unit; /* NULL: depends on the joint */
  int width;        /* 0: depends on the joint */
  const char *const *components;
  void (*read)(const flg_recorded *recorded, double *values);
} flg_quantity;

static const char *const xyz[] = {"x", "y", "z"};
static const char *const wxyz[] = {"w", "x", "y", "z"};

static void read_position(const flg_recorded *recorded, double *values) {
  const flg_pose pose = flg_dynamics_frame_pose(recorded->subsystem->dynamics, &recorded->frame);
  flg_vec3_store(pose.position, values);
}

static void read_orientation(const flg_recorded *recorded, double *values) {
  const flg_pose pose = flg_dynamics_frame_pose(recorded->subsystem->dynamics, &recorded->frame);
  const flg_quat turn = flg_quat_from_matrix(&pose.rotation);
  values[0] = turn.w, values[1] = turn.x, values[2] = turn.y, values[3] = turn.z;
}

static void read_velocity(const flg_recorded *recorded, double *values) {
  flg_vec3_store(
      flg_dynamics_frame_velocity(recorded->subsystem->dynamics, &recorded->frame).linear, values);
}

static void read_angular_velocity(const flg_recorded *recorded, double *values) {
  flg_vec3_store(
      flg_dynamics_frame_velocity(recorded->subsystem->dynamics, &recorded->frame).angular, values);
}

static const flg_link *link_of(const flg_recorded *recorded) {
  const flg_robot *robot = &recorded->subsystem->robot;
  return &robot->links[robot->joint_links[recorded->joint]];
}

static void read_joint_position(const flg_recorded *recorded, double *values) {
  const flg_link *link = link_of(recorded);
  memcpy(values, recorded->subsystem->q + link->position,
         (size_t)flg_joint_kind_positions(link->kind) * sizeof *values);
}

static void read_joint_velocity(const flg_recorded *recorded, double *values) {
  const flg_link *link = link_of(recorded);
  memcpy(values, recorded->subsystem->v + link->velocity,
         (size_t)flg_joint_kind_velocities(link->kind) * sizeof *values);
}

static void read_joint_effort(const flg_recorded *recorded, double *values) {
  const flg_link *link = link_of(recorded);
  memcpy(values, recorded->subsystem->actuation + link->velocity,
         (size_t)flg_joint_kind_velocities(link->kind) * sizeof *values);
}

static void read_energy(const flg_recorded *recorded, double *values) {
  values[0] = flg_robot_subsystem_energy(recorded->subsystem);
}

static const flg_quantity body_quantities[] = {
    {"position", "m", 3, xyz, read_position},
    {"orientation", "", 4, wxyz, read_orientation},
    {"velocity", "m/s", 3, xyz, read_velocity},
    {"angular_velocity", "rad/s", 3, xyz, read_angular_velocity},
};
static const flg_quantity joint_quantities[] = {
    {"position", NULL, 0, NULL, read_joint_position},
    {"velocity", NULL, 0, NULL, read_joint_velocity},
    {"effort", NULL, 0, NULL, read_joint_effort},
};
static const flg_quantity energy_quantity = {"energy", "J", 1, NULL, read_energy};

/* the parts of a name: sub / object [/ marker] . quantity */
typedef struct name_parts {
  const char *subsystem, *object, *marker, *quantity; /* NULL where absent */
} name_parts;

/* what is being looked for, and where to complain */
typedef struct search {
  const char *name;
  flg_place place;
  flg_region *region;
  flg_mistakes *mistakes;
} search;

static bool split(const search *look, name_parts *parts) {
  const size_t bytes = strlen(look->name) + 1;
  char *text = flg_region_take(look->region, bytes, 1);
  if (text == NULL) return false;
  memcpy(text, look->name, bytes);
  *parts = (name_parts){.subsystem = text};
  char *slash = strchr(text, '/');
  if (slash == NULL) return false;
  *slash = '\0';
  parts->object = slash + 1;
  char *dot = strrchr(slash + 1, '.');
  if (dot != NULL) *dot = '\0', parts->quantity = dot + 1;
  char *second = strchr(slash + 1, '/');
  if (second != NULL) *second = '\0', parts->marker = second + 1;
  return true;
}

/* "there is no WHAT 'written' in 'where'; did you mean ..?" */
static flg_status unknown(const search *look, const char *what, const char *written,
                          const char *where, const char *const *words, int count) {
  const char *close = flg_closest_word(written, words, count);
  return flg_mistake_add(look->mistakes, FLG_ERR_INPUT, look->place,
                         "record: '%s': there is no %s '%s' in %s%s%s%s", look->name, what, written,
                         where, close == NULL ? "" : "; did you mean '", close == NULL ? "" : close,
                         close == NULL ? "" : "'?");
}

static flg_status unknown_object(const search *look, const flg_model *model, const char *object,
                                 const char *subsystem) {
  const int count = model->body_count + model->joint_count;
  const char **words = flg_region_take(look->region, (size_t)count, sizeof *words);
  if (words == NULL) return FLG_ERR_MEMORY;
  for (int k = 0; k < model->body_count; k++) words[k] = model->bodies[k].name;
  for (int k = 0; k < model->joint_count; k++) words[model->body_count + k] = model->joints[k].name;
  return unknown(look, "body or joint", object, subsystem, words, count);
}

static const flg_quantity *quantity_named(const search *look, const char *word,
                                          const flg_quantity *table, int count) {
  const char *words[8];
  for (int k = 0; k < count; k++) {
    words[k] = table[k].word;
    if (word != NULL && strcmp(word, table[k].word) == 0) return &table[k];
  }
  unknown(look, "quantity", word == NULL ? "" : word, "this signal", words, count);
  return NULL;
}

static flg_status find_marker(const search *look, const flg_model *model, int body,
                              const char *marker, flg_mount *frame) {
  const int index = flg_model_frame(model, marker);
  if (index < 0 || model->frames[index].body != body) {
    const char *words[64];
    int count = 0;
    for (int k = 0; k < model->frame_count && count < 64; k++) {
      if (model->frames[k].body == body) words[count++] = model->frames[k].name;
    }
    return unknown(look, "marker", marker, "this body", words, count);
  }
  frame->pose = flg_pose_compose(&frame->pose, &model->frames[index].pose);
  return FLG_OK;
}

static void describe_joint(const flg_joint *joint, const flg_quantity *quantity,
                           flg_signal *signal) {
  static const char *const turns[] = {"rad", "rad/s", "N m"}, *const slides[] = {"m", "m/s", "N"};
  const ptrdiff_t which = quantity - joint_quantities;
  const bool mixed = joint->kind == FLG_JOINT_CYLINDRICAL || joint->kind == FLG_JOINT_PLANAR ||
                     joint->kind == FLG_JOINT_BALL || joint->kind == FLG_JOINT_FLOATING;
  signal->width =
      which == 0 ? flg_joint_kind_positions(joint->kind) : flg_joint_kind_velocities(joint->kind);
  signal->unit = mixed ? "" : (joint->kind == FLG_JOINT_PRISMATIC ? slides : turns)[which];
}

static flg_status find_joint(const search *look, const name_parts *parts, flg_recorded *recorded,
                             flg_signal *signal) {
  recorded->quantity = quantity_named(look, parts->quantity, joint_quantities, 3);
  if (recorded->quantity == NULL) return FLG_ERR_INPUT;
  const flg_joint *joint = &recorded->subsystem->model->joints[recorded->joint];
  if (joint->kind == FLG_JOINT_FIXED) {
    return flg_mistake_add(look->mistakes, FLG_ERR_INPUT, look->place,
                           "record: '%s': joint '%s' is fixed and has no %s", look->name,
                           joint->name, parts->quantity);
  }
  describe_joint(joint, recorded->quantity, signal);
  return FLG_OK;
}

static flg_status find_body(const search *look, const name_parts *parts, int body,
                            flg_recorded *recorded) {
  recorded->quantity = quantity_named(look, parts->quantity, body_quantities, 4);
  if (recorded->quantity == NULL) return FLG_ERR_INPUT;
  recorded->frame = recorded->subsystem->robot.mounts[body];
  if (parts->marker == NULL) return FLG_OK;
  return find_marker(look, recorded->subsystem->model, body, parts->marker, &recorded->frame);
}

static flg_status find_object(const search *look, const name_parts *parts, flg_recorded *recorded,
                              flg_signal *signal) {
  const flg_model *model = recorded->subsystem->model;
  if (parts->quantity == NULL && strcmp(parts->object, "energy") == 0) {
    recorded->quantity = &energy_quantity;
    return FLG_OK;
  }
  const int body = flg_model_body(model, parts->object);
  recorded->joint = flg_model_joint(model, parts->object);
  const bool effort = parts->quantity != NULL && strcmp(parts->quantity, "effort") == 0;
  if (body >= 0 && !(effort && recorded->joint >= 0)) {
    recorded->joint = -1;
    return find_body(look, parts, body, recorded);
  }
  if (recorded->joint >= 0) return find_joint(look, parts, recorded, signal);
  return unknown_object(look, model, parts->object, parts->subsystem);
}

static flg_status find_subsystem(const search *look, const name_parts *parts,
                                 flg_robot_subsystem *subsystems, int count,
                                 flg_recorded *recorded) {
  const char **words = flg_region_take(look->region, (size_t)count, sizeof *words);
  if (words == NULL) return FLG_ERR_MEMORY;
  for (int k = 0; k < count; k++) {
    words[k] = subsystems[k].options.name;
    if (strcmp(words[k], parts->subsystem) == 0) recorded->subsystem = &subsystems[k];
  }
  if (recorded->subsystem != NULL) return FLG_OK;
  return unknown(look, "subsystem", parts->subsystem, "the scenario", words, count);
}

flg_status flg_recorded_find(flg_recorded *recorded, flg_signal *signal, const char *name,
                             flg_place place, flg_robot_subsystem *subsystems, int subsystem_count,
                             flg_region *region, flg_mistakes *mistakes) {
  const search look = {name, place, region, mistakes};
  name_parts parts;
  *recorded = (flg_recorded){.joint = -1};
  if (!split(&look, &parts)) {
    return flg_mistake_add(mistakes, FLG_ERR_INPUT, place,
                           "record: '%s' is no signal; expected a name such as "
                           "subsystem/body.position or subsystem/energy",
                           name);
  }
  flg_status status = find_subsystem(&look, &parts, subsystems, subsystem_count, recorded);
  if (status == FLG_OK) status = find_object(&look, &parts, recorded, signal);
  if (status != FLG_OK) return status;
  signal->name = name;
  if (recorded->quantity->width == 0) return FLG_OK;
  signal->unit = recorded->quantity->unit;
  signal->width = recorded->quantity->width;
  signal->components = recorded->quantity->components;
  return FLG_OK;
}

void flg_recorded_read(const flg_recorded *recorded, double *values) {
  recorded->quantity->read(recorded, values);
}
