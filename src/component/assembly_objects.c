#include "component/assembly_objects.h"

#include <string.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_watch.h"
#include "contract/contact_objects.h"

enum { POSITION, VELOCITY, EFFORT, SPRING_QUANTITIES, COORDINATE_QUANTITIES = EFFORT };
static const flg_quantity slide_quantities[SPRING_QUANTITIES] = {
    [POSITION] = {"position", "m", 1, NULL},
    [VELOCITY] = {"velocity", "m/s", 1, NULL},
    [EFFORT] = {"effort", "N", 1, NULL},
};
static const flg_quantity angle_quantities[SPRING_QUANTITIES] = {
    [POSITION] = {"position", "rad", 1, NULL},
    [VELOCITY] = {"velocity", "rad/s", 1, NULL},
    [EFFORT] = {"effort", "N m", 1, NULL},
};
static const char *const slide_angle[] = {"slide", "angle"};
enum { JOINT_FORCE = COORDINATE_QUANTITIES, JOINT_MOMENT, JOINT_QUANTITIES };
static const char *const axes[] = {"x", "y", "z"};
static const flg_quantity slide_joint_quantities[JOINT_QUANTITIES] = {
    [POSITION] = {"position", "m", 1, NULL},
    [VELOCITY] = {"velocity", "m/s", 1, NULL},
    [JOINT_FORCE] = {"force", "N", 3, axes},
    [JOINT_MOMENT] = {"moment", "N m", 3, axes},
};
static const flg_quantity angle_joint_quantities[JOINT_QUANTITIES] = {
    [POSITION] = {"position", "rad", 1, NULL},
    [VELOCITY] = {"velocity", "rad/s", 1, NULL},
    [JOINT_FORCE] = {"force", "N", 3, axes},
    [JOINT_MOMENT] = {"moment", "N m", 3, axes},
};
static const flg_quantity both_joint_quantities[JOINT_QUANTITIES] = {
    [POSITION] = {"position", "", 2, slide_angle},
    [VELOCITY] = {"velocity", "", 2, slide_angle},
    [JOINT_FORCE] = {"force", "N", 3, axes},
    [JOINT_MOMENT] = {"moment", "N m", 3, axes},
};
enum { FRAMED_FORCE = FLG_FORCE_QUANTITIES_MAX, FRAMED_MOMENT, FRAMED_QUANTITIES };
static const flg_quantity signal_quantity = {NULL, "", 1, NULL};
enum { CURRENT, TORQUE, VOLTAGE, MOTOR_QUANTITIES };
static const flg_quantity slide_motor_quantities[MOTOR_QUANTITIES] = {
    [CURRENT] = {"current", "A", 1, NULL},
    [TORQUE] = {"torque", "N", 1, NULL},
    [VOLTAGE] = {"voltage", "V", 1, NULL},
};
static const flg_quantity angle_motor_quantities[MOTOR_QUANTITIES] = {
    [CURRENT] = {"current", "A", 1, NULL},
    [TORQUE] = {"torque", "N m", 1, NULL},
    [VOLTAGE] = {"voltage", "V", 1, NULL},
};
static const flg_quantity energy_quantity = {NULL, "J", 1, NULL};

/* ---- set-up ---- */

/* list and sources grow together: the number of an object is its place in both */
static void add_assembly_object(flg_assembly_objects *to, const char *path,
                                const flg_quantity *quantities, int quantity_count,
                                flg_source source) {
  to->list[to->count] = (flg_object){path, quantities, quantity_count, false};
  to->sources[to->count++] = source;
}

static const flg_quantity *quantities_of(const flg_component *component, int coordinate) {
  const bool turns = component->coordinates[coordinate].kind == FLG_COORDINATE_ANGLE;
  return turns ? angle_quantities : slide_quantities;
}

static void add_frame_object(flg_assembly *assembly, const char *path, const flg_anchor *anchor) {
  const flg_source source = {FLG_SOURCE_FRAME, -1, -1, flg_assembly_anchor(assembly, anchor)};
  add_assembly_object(assembly->model.objects, path, flg_frame_quantities, FLG_FRAME_QUANTITIES,
                      source);
}

/* what touches has contact forces as well */
static void add_bodies(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.component->body_count; k++) {
    const flg_anchor anchor = {.robot = -1, .body = k, .pose = flg_pose_identity()};
    add_frame_object(assembly, assembly->model.component->bodies[k].name, &anchor);
    if (!flg_assembly_touches(assembly, flg_assembly_owner(assembly, -1, k))) continue;
    flg_assembly_objects *objects = assembly->model.objects;
    objects->list[objects->count - 1].quantity_count = FLG_TOUCHED_QUANTITIES;
    objects->sources[objects->count - 1].first = k;
  }
}

/* of the component, by its number among those that can touch */
/* shapes that are only drawn are not among them */
static const flg_shape *shape_of_touch(const flg_assembly *assembly, int shape) {
  return &assembly->model.component->shapes[assembly->model.touch->shapes.sources[shape]];
}

/* what a joint has before its force: coordinates, if it has some */
static int first_force(const flg_component_joint *joint) {
  return flg_constraint_kinds[joint->kind].coordinate_count > 0 ? JOINT_FORCE : 0;
}

/* joints have coordinates of their own, or none; gears only couple those of others */
static void add_joint_objects(flg_assembly *assembly, bool *is_told) {
  const flg_component *component = assembly->model.component;
  for (int k = 0; k < component->joint_count; k++) {
    const flg_component_joint *joint = &component->joints[k];
    const int own = flg_constraint_kinds[joint->kind].coordinate_count;
    for (int i = 0; i < own; i++) is_told[joint->coordinate[i]] = true;
    const flg_quantity *quantities = angle_joint_quantities;
    if (own == 2) quantities = both_joint_quantities;
    if (own == 1 && component->coordinates[joint->coordinate[0]].kind != FLG_COORDINATE_ANGLE) {
      quantities = slide_joint_quantities;
    }
    /* one table for joints with and without coordinates: the latter begin at their force */
    const int skipped = JOINT_FORCE - first_force(joint);
    const int count = flg_constraint_kinds[joint->kind].couples ? JOINT_FORCE - skipped
                                                                : JOINT_QUANTITIES - skipped;
    add_assembly_object(assembly->model.objects, joint->name, quantities + skipped, count,
                        (flg_source){.kind = FLG_SOURCE_JOINT, .first = k});
  }
}

/* an element between two frames: what its kind names, then force and moment on its second end */
static void add_framed(flg_assembly *assembly, int index) {
  const flg_force *force = &assembly->model.forces[index].force;
  flg_quantity *list = flg_region_take(&assembly->model.region, FRAMED_QUANTITIES, sizeof *list);
  if (list == NULL) return;
  for (int k = 0; k < FLG_FORCE_QUANTITIES_MAX; k++) {
    const flg_force_quantity *from = &force->kind->quantities[k];
    list[k] = (flg_quantity){from->name, from->unit, 3, axes};
  }
  list[FRAMED_FORCE] = slide_joint_quantities[JOINT_FORCE];
  list[FRAMED_MOMENT] = slide_joint_quantities[JOINT_MOMENT];
  add_assembly_object(assembly->model.objects, flg_force_head_of(force)->name, list,
                      FRAMED_QUANTITIES, (flg_source){.kind = FLG_SOURCE_FRAMED, .first = index});
}

/* elements with a name of their own, besides those that signals drive (add_signals) and loads */
static void add_springs(flg_assembly *assembly, bool *is_told) {
  const flg_component *component = assembly->model.component;
  for (int k = 0; k < assembly->model.force_count; k++) {
    const flg_running_force *own = &assembly->model.forces[k];
    const char *name = flg_force_head_of(&own->force)->name;
    if (own->force.kind->ends == 2) add_framed(assembly, k);
    const bool is_told_of = own->force.kind->energy != NULL || own->force.kind->target != NULL;
    if (!is_told_of || own->coordinate < 0) continue;
    if (strcmp(component->coordinates[own->coordinate].name, name) == 0) {
      is_told[own->coordinate] = true;
    }
    add_assembly_object(assembly->model.objects, name, quantities_of(component, own->coordinate),
                        SPRING_QUANTITIES, (flg_source){.kind = FLG_SOURCE_SPRING, .first = k});
  }
}

/* coordinates that belong to nothing else */
/* last, as what is left over: coordinates of joints and springs are reported under those names */
static void add_sensors(flg_assembly *assembly, const bool *is_told) {
  const flg_component *component = assembly->model.component;
  for (int k = 0; k < component->coordinate_count; k++) {
    if (is_told[k]) continue;
    add_assembly_object(assembly->model.objects, component->coordinates[k].name,
                        quantities_of(component, k), COORDINATE_QUANTITIES,
                        (flg_source){.kind = FLG_SOURCE_COORDINATES, .first = k});
  }
}

/* the first objects of some parts are bodies; the assembly knows what they touch */
static bool touches(const flg_assembly *assembly, flg_owner object) {
  const flg_part_ops *ops = object.of->ops;
  return ops->body_name != NULL && ops->body_name(object.of, object.part, object.body) != NULL &&
         flg_assembly_touches(assembly, object);
}

/* The path of an object of a part; of one that is a body, those of that body alone: NULL otherwise.
 */
static const char *path_in_part(flg_assembly *assembly, const flg_parts *parts, int part,
                                const char *path) {
  const char *name = parts->ops->label(parts, part).name;
  if (!flg_parts_is_body(parts, part)) {
    return flg_region_format(&assembly->model.region, "%s/%s", name, path);
  }
  const char *body = parts->ops->body_name(parts, part, 0);
  const size_t length = strlen(body);
  if (strncmp(path, body, length) != 0) return NULL;
  if (path[length] != '/' && path[length] != '\0') return NULL;
  return flg_region_format(&assembly->model.region, "%s%s", name, path + length);
}

/* of parts that are subsystems, under their names */
static void add_part_objects(flg_assembly *assembly, flg_parts *parts, int part) {
  const flg_subsystem *subsystem = parts->ops->subsystem(parts, part);
  int count;
  const flg_object *list = subsystem->ops->objects(subsystem->self, &count);
  for (int k = 0; k < count; k++) {
    const bool is_touched = touches(assembly, (flg_owner){parts, part, k});
    const char *path = path_in_part(assembly, parts, part, list[k].path);
    if (path == NULL) continue;
    add_assembly_object(
        assembly->model.objects, path, list[k].quantities,
        is_touched ? FLG_TOUCHED_QUANTITIES : list[k].quantity_count,
        (flg_source){.kind = FLG_SOURCE_PART, .first = parts->first + part, .second = k});
    assembly->model.objects->list[assembly->model.objects->count - 1].is_alias = list[k].is_alias;
  }
}

static void add_parts(flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    for (int i = 0; i < parts->count && parts->ops->subsystem != NULL; i++) {
      add_part_objects(assembly, parts, i);
    }
  }
}

/* "body/marker" of a marker that is called "component/marker"; NULL: it is on the ground */
static const char *path_on_body(flg_assembly *assembly, const flg_component_frame *frame) {
  const flg_anchor *at = &frame->anchor;
  const char *slash = strrchr(frame->name, '/'), *name = slash == NULL ? frame->name : slash + 1;
  flg_region *region = &assembly->model.region;
  if (at->body == FLG_WORLD) return NULL;
  const char *part, *body = flg_assembly_body_name(assembly, at->robot, at->body, &part);
  return part == NULL ? flg_region_format(region, "%s/%s", body, name)
                      : flg_region_format(region, "%s/%s/%s", part, body, name);
}

static void add_frames(flg_assembly *assembly) {
  const flg_assembly_objects *objects = assembly->model.objects;
  for (int k = 0; k < assembly->model.component->frame_count; k++) {
    const flg_component_frame *frame = &assembly->model.component->frames[k];
    const char *path = path_on_body(assembly, frame);
    add_frame_object(assembly, frame->name, &frame->anchor);
    objects->list[objects->count - 1].is_alias = path != NULL;
    if (path != NULL) add_frame_object(assembly, path, &frame->anchor);
  }
}

/* "body/shape/point" of those that have a name */
static void add_points(flg_assembly *assembly, int shape, const char *path) {
  const flg_shape *source = shape_of_touch(assembly, shape);
  for (int k = 0; source->point_names != NULL && k < source->value_count / 3; k++) {
    if (source->point_names[k] == NULL) continue;
    add_assembly_object(
        assembly->model.objects,
        flg_region_format(&assembly->model.region, "%s/%s", path, source->point_names[k]),
        flg_touch_quantities, FLG_TOUCH_POINTS, (flg_source){FLG_SOURCE_SHAPE, shape, k, {0}});
  }
}

/* "body/shape" of all that have a name */
static void add_contacts(flg_assembly *assembly) {
  const flg_assembly_touch *touch = assembly->model.touch;
  if (touch == NULL) return;
  add_assembly_object(assembly->model.objects, "contacts", flg_contacts_quantities,
                      FLG_CONTACTS_QUANTITIES, (flg_source){.kind = FLG_SOURCE_CONTACTS});
  for (int k = 0; k < touch->shapes.count; k++) {
    const flg_touch_owner *owner = &touch->owners[k];
    if (owner->shape == NULL) continue;
    const char *part, *body = flg_assembly_body_name(assembly, owner->robot, owner->body, &part);
    const char *path =
        flg_region_format(&assembly->model.region, "%s%s%s/%s", part == NULL ? "" : part,
                          part == NULL ? "" : "/", body, owner->shape);
    add_assembly_object(assembly->model.objects, path, flg_touch_quantities, FLG_TOUCH_QUANTITIES,
                        (flg_source){FLG_SOURCE_SHAPE, k, -1, {0}});
    add_points(assembly, k, path);
  }
}

/* "word" of the whole, "group/word" of a component in it */
static const char *group_path(flg_assembly *assembly, int group, const char *word) {
  if (group == FLG_TOP) return word;
  const char *name = assembly->model.component->groups[group].name;
  return flg_region_format(&assembly->model.region, "%s/%s", name, word);
}

/* whether the momentum of all parts of a group is known; inserts are groups of their own */
static bool has_momentum(const flg_assembly *assembly, int group) {
  const flg_assembly_options *options = &assembly->model.options;
  for (int k = 0; k < options->insert_count; k++) {
    if (group == FLG_TOP || options->inserts[k].group == group) return false;
  }
  return true;
}

static void add_groups(flg_assembly *assembly) {
  for (int k = FLG_TOP; k < assembly->model.component->group_count; k++) {
    add_assembly_object(assembly->model.objects, group_path(assembly, k, "energy"),
                        &energy_quantity, 1, (flg_source){.kind = FLG_SOURCE_ENERGY, .first = k});
    if (!has_momentum(assembly, k)) continue;
    add_assembly_object(assembly->model.objects, group_path(assembly, k, "momentum"),
                        flg_momentum_quantities, FLG_MOMENTUM_QUANTITIES,
                        (flg_source){.kind = FLG_SOURCE_MOMENTUM, .first = k});
  }
}

/* numbered as flg_assembly_signal_view does */
static void add_signals(flg_assembly *assembly) {
  const flg_component *component = assembly->model.component;
  flg_source source = {.kind = FLG_SOURCE_SIGNAL, .first = 0};
  for (int k = 0; k < component->block_count; k++, source.first++) {
    add_assembly_object(assembly->model.objects, component->blocks[k].name, &signal_quantity, 1,
                        source);
  }
  for (int k = 0; k < component->motor_count; k++, source.first += MOTOR_QUANTITIES) {
    const flg_motor *motor = &component->motors[k];
    const bool turns = component->coordinates[motor->coordinate].kind == FLG_COORDINATE_ANGLE;
    add_assembly_object(assembly->model.objects, motor->name,
                        turns ? angle_motor_quantities : slide_motor_quantities, MOTOR_QUANTITIES,
                        source);
  }
  for (int k = 0; k < component->effort_count; k++, source.first++) {
    const flg_effort *effort = &component->efforts[k];
    add_assembly_object(assembly->model.objects, effort->name,
                        quantities_of(component, effort->coordinate) + EFFORT, 1, source);
  }
}

/* all contacts, shapes, and points of sets */
static int count_touched_objects(const flg_assembly *assembly) {
  int count = 1 + assembly->model.touch->shapes.count;
  for (int k = 0; k < assembly->model.touch->shapes.count; k++) {
    const flg_shape *shape = shape_of_touch(assembly, k);
    if (shape->point_names != NULL) count += shape->value_count / 3;
  }
  return count;
}

static int count_inside(const flg_parts *parts) {
  int sum = 0;
  for (int k = 0; k < parts->count && parts->ops->subsystem != NULL; k++) {
    const flg_subsystem *subsystem = parts->ops->subsystem(parts, k);
    int count;
    (void)subsystem->ops->objects(subsystem->self, &count);
    sum += count;
  }
  return sum;
}

static size_t count_most_objects(const flg_assembly *assembly) {
  const flg_component *component = assembly->model.component;
  int count = component->body_count + component->joint_count + component->spring_count +
              component->element_count + component->coordinate_count + 2 * component->frame_count +
              flg_signal_node_count(component) + 2 * (component->group_count + 1);
  if (assembly->model.touch != NULL) count += count_touched_objects(assembly);
  for (int k = 0; k < assembly->model.set_count; k++)
    count += count_inside(assembly->model.sets[k]);
  return (size_t)count;
}

flg_status flg_assembly_objects_build(flg_assembly *assembly, flg_error *error) {
  flg_region *region = &assembly->model.region;
  const size_t most = count_most_objects(assembly);
  flg_assembly_objects *objects = flg_region_take(region, 1, sizeof *objects);
  flg_object *list = flg_region_take(region, most, sizeof *list);
  flg_source *sources = flg_region_take(region, most, sizeof *sources);
  bool *is_told =
      flg_region_take(region, (size_t)assembly->model.coordinate_count, sizeof *is_told);
  if (!region->failed) {
    *objects = (flg_assembly_objects){.list = list, .sources = sources};
    assembly->model.objects = objects;
    add_bodies(assembly);
    add_joint_objects(assembly, is_told);
    add_springs(assembly, is_told);
    add_sensors(assembly, is_told);
    add_parts(assembly);
    add_frames(assembly);
    add_signals(assembly);
    add_contacts(assembly);
    add_groups(assembly);
  }
  if (!region->failed) return FLG_OK;
  return flg_fail(error, FLG_ERR_MEMORY,
                  "there is no memory for the names of its joints, bodies and signals");
}

/* ---- step ---- */

static double read_coordinate(const flg_assembly *assembly, int coordinate, int quantity) {
  const flg_coordinate_row *row = flg_assembly_read(assembly, coordinate);
  return quantity == POSITION ? row->value : row->rate;
}

static void read_spring(const flg_assembly *assembly, int force, int quantity, double *values) {
  values[0] = quantity == EFFORT
                  ? flg_assembly_effort(assembly, force)
                  : read_coordinate(assembly, assembly->model.forces[force].coordinate, quantity);
}

static void read_framed(const flg_assembly *assembly, int index, int quantity, double *values) {
  double value[FLG_FORCE_ROWS_MAX];
  const flg_spatial force = flg_assembly_force_between(assembly, index, value);
  if (quantity >= FRAMED_FORCE) {
    flg_vec3_store(quantity == FRAMED_FORCE ? force.linear : force.angular, values);
  } else {
    const int first = assembly->model.forces[index].force.kind->quantities[quantity].first;
    memcpy(values, value + first, 3 * sizeof *values);
  }
}

static void object_read_joint(const flg_assembly *assembly, int index, int quantity,
                              double *values) {
  const flg_component_joint *joint = &assembly->model.component->joints[index];
  const int force = first_force(joint);
  double numbers[FLG_PORT_NUMBERS];
  if (quantity < force) {
    for (int i = 0; i < flg_constraint_kinds[joint->kind].coordinate_count; i++) {
      values[i] = read_coordinate(assembly, joint->coordinate[i], quantity);
    }
    return;
  }
  flg_assembly_joint_force(assembly, index, numbers);
  memcpy(values, numbers + 3 * (quantity - force), 3 * sizeof *values);
}

static void object_read_shape(const flg_assembly *assembly, const flg_source *source, int quantity,
                              double *values) {
  flg_touch_read(assembly->model.touch->contacts, source->first,
                 shape_of_touch(assembly, source->first), source->second, quantity, values);
}

/* contacts of a part are the assembly's */
static void read_part(const flg_assembly *assembly, const flg_source *source, int quantity,
                      double *values) {
  int part = source->first;
  flg_parts *parts = flg_assembly_set_of(assembly, &part);
  const flg_subsystem *subsystem = parts->ops->subsystem(parts, part);
  const flg_owner object = {parts, part, source->second};
  if (quantity == FLG_CONTACT_FORCE && touches(assembly, object)) {
    flg_vec3_store(flg_assembly_contact_force(assembly, object), values);
  } else {
    subsystem->ops->read(subsystem->self, source->second, quantity, values);
  }
}

void flg_assembly_objects_read(const void *self, int object, int quantity, double *values) {
  const flg_assembly *assembly = self;
  const flg_source *source = &assembly->model.objects->sources[object];
  switch (source->kind) {
    case FLG_SOURCE_FRAME: {
      const flg_moving_frame frame = flg_part_anchor_frame(&source->anchor);
      if (quantity == FLG_CONTACT_FORCE) {
        const flg_owner body = flg_assembly_owner(assembly, -1, source->first);
        flg_vec3_store(flg_assembly_contact_force(assembly, body), values);
      } else {
        flg_frame_read(&frame, quantity, values);
      }
      break;
    }
    case FLG_SOURCE_JOINT:
      object_read_joint(assembly, source->first, quantity, values);
      break;
    case FLG_SOURCE_MOMENTUM:
      flg_momentum_read(flg_assembly_group_momentum(assembly, source->first), quantity, values);
      break;
    case FLG_SOURCE_COORDINATES:
      values[0] = read_coordinate(assembly, source->first, quantity);
      if (assembly->model.objects->list[object].quantities[quantity].width == 2) {
        values[1] = read_coordinate(assembly, source->second, quantity);
      }
      break;
    case FLG_SOURCE_SPRING:
      read_spring(assembly, source->first, quantity, values);
      break;
    case FLG_SOURCE_FRAMED:
      read_framed(assembly, source->first, quantity, values);
      break;
    case FLG_SOURCE_PART:
      read_part(assembly, source, quantity, values);
      break;
    case FLG_SOURCE_SIGNAL:
      values[0] = flg_assembly_signal_view(assembly, source->first + quantity).value;
      break;
    case FLG_SOURCE_CONTACTS:
      flg_contacts_read(assembly->model.touch->contacts, quantity, values);
      break;
    case FLG_SOURCE_SHAPE:
      object_read_shape(assembly, source, quantity, values);
      break;
    case FLG_SOURCE_ENERGY:
    default:
      values[0] = flg_assembly_group_energy(assembly, source->first);
      break;
  }
}

static flg_status ask_part(const flg_assembly *assembly, const flg_source *source, int quantity) {
  int part = source->first;
  flg_parts *parts = flg_assembly_set_of(assembly, &part);
  const flg_subsystem *subsystem = parts->ops->subsystem(parts, part);
  if (subsystem->ops->ask == NULL) return FLG_OK;
  return subsystem->ops->ask(subsystem->self, source->second, quantity);
}

flg_status flg_assembly_objects_ask(void *self, int object, int quantity) {
  flg_assembly *assembly = self;
  const flg_source *source = &assembly->model.objects->sources[object];
  if (source->kind == FLG_SOURCE_PART) return ask_part(assembly, source, quantity);
  if (source->kind != FLG_SOURCE_JOINT) return FLG_OK;
  const flg_component_joint *joint = &assembly->model.component->joints[source->first];
  return quantity < first_force(joint) ? FLG_OK : flg_assembly_ask_force(assembly, source->first);
}
