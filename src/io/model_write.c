#include "io/model_write.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/region.h"
#include "base/replaced_file.h"
#include "io/flexible_keys.h"
#include "io/model_file.h"
#include "io/section_write.h"
#include "text/mesh_file.h"
#include "text/quantity.h"
#include "text/yaml_text.h"

enum { WIDTH = 100, ENTRIES_MOST = 16 };

typedef struct writer {
  const flg_model *model;
  FILE *out;
  const char *path;   /* of the file that is written, NULL if it is not known */
  flg_region scratch; /* texts of what is being written */
  int *first, *next; /* (bodies + 1), (shapes) shapes by body, those of the ground first; -1: end */
} writer;

/* a map, before it is known whether it fits on a line */
typedef struct entries {
  int count;
  struct entry {
    const char *key, *value;
  } list[ENTRIES_MOST];
} entries;

/* without memory texts are empty, and the region remembers that it has failed */
static const char *or_empty(const char *text) {
  return text == NULL ? "" : text;
}

static void add_entry(entries *to, const char *key, const char *value) {
  to->list[to->count++] = (struct entry){key, or_empty(value)};
}

/* --- values ---------------------------------------------------------------------------------- */

typedef const char *number_writer(double value, char text[FLG_NUMBER_TEXT]);

static void add_number(writer *write, entries *to, const char *key, double value, double fallback) {
  char text[FLG_NUMBER_TEXT];
  if (value == fallback) return;
  add_entry(to, key, flg_region_format(&write->scratch, "%s", flg_number_write(value, text)));
}

static void add_list(writer *write, entries *to, const char *key, const double *values, int count,
                     number_writer *number) {
  const size_t most = (size_t)count * (FLG_NUMBER_TEXT + sizeof ", ") + sizeof "[]";
  char *list = flg_region_take(&write->scratch, most, 1);
  if (list == NULL) return; /* the region remembers */
  size_t used = 0;
  list[used++] = '[';
  for (int k = 0; k < count; k++) {
    char text[FLG_NUMBER_TEXT];
    const char *value = number(values[k] + 0, text); /* never -0 */
    used += (size_t)snprintf(list + used, most - used, "%s%s", k == 0 ? "" : ", ", value);
  }
  snprintf(list + used, most - used, "]");
  add_entry(to, key, list);
}

static void add_vector(writer *write, entries *to, const char *key, flg_vec3 vector,
                       flg_vec3 fallback) {
  const double values[3] = {vector.x, vector.y, vector.z};
  if (vector.x == fallback.x && vector.y == fallback.y && vector.z == fallback.z) return;
  add_list(write, to, key, values, 3, flg_number_write);
}

static void add_pose(writer *write, entries *to, const flg_pose *pose) {
  double angles[3];
  flg_mat3_to_roll_pitch_yaw(&pose->rotation, angles);
  add_vector(write, to, "at", pose->position, (flg_vec3){0, 0, 0});
  if (angles[0] == 0 && angles[1] == 0 && angles[2] == 0) return;
  add_list(write, to, "turn", angles, 3, flg_angle_write);
}

static const char *quoted(writer *write, const char *text) {
  return or_empty(flg_yaml_text(&write->scratch, or_empty(text)));
}

static void add_body(writer *write, entries *to, const char *key, int body) {
  add_entry(to, key, quoted(write, body == FLG_WORLD ? "world" : write->model->bodies[body].name));
}

/* {a: 1, b: 2} */
static const char *flow_of(writer *write, const entries *map) {
  const char *text = "{";
  for (int k = 0; k < map->count; k++) {
    text = flg_region_format(&write->scratch, "%s%s%s: %s", or_empty(text), k == 0 ? "" : ", ",
                             map->list[k].key, map->list[k].value);
  }
  return or_empty(flg_region_format(&write->scratch, "%s}", or_empty(text)));
}

/* --- lines ----------------------------------------------------------------------------------- */

/* the entries from `first` on, each on its own line */
static void put_lines(const writer *write, int indent, const entries *map, int first) {
  for (int k = first; k < map->count; k++) {
    fprintf(write->out, "%*s%s: %s\n", indent, "", map->list[k].key, map->list[k].value);
  }
}

/* `key: {...}` on one line if it fits, else a line an entry */
static void put_named(writer *write, int indent, const char *key, const entries *map) {
  const char *flow = flow_of(write, map);
  if (map->count == 0 || (size_t)indent + strlen(key) + strlen(": ") + strlen(flow) <= WIDTH) {
    fprintf(write->out, "%*s%s: %s\n", indent, "", key, flow);
  } else {
    fprintf(write->out, "%*s%s:\n", indent, "", key);
    put_lines(write, indent + 2, map, 0);
  }
}

/* the same in a list; of several lines, the first stands after the dash */
static void put_item(writer *write, int indent, const entries *map) {
  const char *flow = flow_of(write, map);
  if ((size_t)indent + strlen("- ") + strlen(flow) <= WIDTH) {
    fprintf(write->out, "%*s- %s\n", indent, "", flow);
  } else {
    fprintf(write->out, "%*s- %s: %s\n", indent, "", map->list[0].key, map->list[0].value);
    put_lines(write, indent + 2, map, 1);
  }
}

/* --- parts ----------------------------------------------------------------------------------- */

/* whether shapes of that kind are for contact if nothing is said */
static bool is_for_contact(flg_shape_kind kind) {
  return kind == FLG_SHAPE_PLANE || flg_shape_kind_has_values(kind);
}

static const char *groups_of(writer *write, uint32_t bits) {
  const flg_surfaces *surfaces = &write->model->surfaces;
  const char *text = NULL;
  for (int k = 0; k < surfaces->group_count; k++) {
    if ((bits >> k & 1) == 0) continue;
    const char *name = quoted(write, surfaces->groups[k]);
    text = text == NULL ? name : or_empty(flg_region_format(&write->scratch, "%s, %s", text, name));
  }
  return or_empty(text);
}

/* what it touches, and what it is made of */
static void add_touch(writer *write, entries *to, const flg_shape *shape) {
  const flg_surface *surfaces = write->model->surfaces.surfaces;
  const flg_surface *surface = shape->surface > 0 ? &surfaces[shape->surface - 1] : NULL;
  const bool says_how = surface != NULL || shape->group != 0 || shape->collides != 0;
  if (shape->collision != (says_how || is_for_contact(shape->kind))) {
    add_entry(to, "collision", shape->collision ? "true" : "false");
  }
  if (surface != NULL && surface->name != NULL)
    add_entry(to, "material", quoted(write, surface->name));
  if (surface != NULL && surface->name == NULL) {
    add_number(write, to, "friction", surface->friction, NAN);
    add_number(write, to, "restitution", surface->restitution, NAN);
  }
  if (shape->group != 0) add_entry(to, "group", groups_of(write, shape->group));
  if (shape->collides == 0) return;
  const char *list = groups_of(write, shape->collides);
  add_entry(to, "collides", or_empty(flg_region_format(&write->scratch, "[%s]", list)));
}

/* {U: [1, 2, 3], V: [...]} */
static void write_mesh_points(writer *write, entries *to, const flg_shape *shape) {
  const char *text = "{";
  for (int k = 0; k < shape->value_count / 3; k++) {
    entries one = {0};
    const char *name = quoted(write, shape->point_names[k]);
    add_list(write, &one, name, shape->values + 3 * (size_t)k, 3, flg_number_write);
    text = flg_region_format(&write->scratch, "%s%s%s: %s", or_empty(text), k == 0 ? "" : ", ",
                             one.list[0].key, one.list[0].value);
  }
  add_entry(to, "points", or_empty(flg_region_format(&write->scratch, "%s}", or_empty(text))));
}

static void write_model_shape(writer *write, int indent, const flg_shape *shape) {
  entries map = {0};
  add_entry(&map, "kind", flg_shape_kind_name(shape->kind));
  if (shape->name != NULL) add_entry(&map, "name", quoted(write, shape->name));
  if (shape->kind == FLG_SHAPE_MESH) {
    const char *name = flg_mesh_name(&write->scratch, write->path, shape->mesh);
    add_entry(&map, "mesh", quoted(write, name));
  }
  const bool plain_mesh = shape->kind == FLG_SHAPE_MESH && shape->size[0] == 1 &&
                          shape->size[1] == 1 && shape->size[2] == 1;
  if (!plain_mesh && flg_shape_kind_sizes(shape->kind) > 0) {
    add_list(write, &map, "size", shape->size, flg_shape_kind_sizes(shape->kind), flg_number_write);
  }
  if (shape->point_names != NULL) {
    write_mesh_points(write, &map, shape);
  } else if (shape->value_count > 0 && shape->kind != FLG_SHAPE_MESH) {
    add_list(write, &map, "values", shape->values, shape->value_count, flg_number_write);
  }
  if (shape->columns > 0)
    add_entry(&map, "columns", flg_region_format(&write->scratch, "%d", shape->columns));
  add_pose(write, &map, &shape->pose);
  add_touch(write, &map, shape);
  if (!isnan(shape->colour[0])) {
    add_list(write, &map, "colour", shape->colour, 4, flg_number_write);
  }
  put_item(write, indent, &map);
}

static void write_shapes(writer *write, int indent, int body) {
  const int first = write->first[body + 1];
  if (first < 0) return;
  fprintf(write->out, "%*sshapes:\n", indent, "");
  for (int k = first; k >= 0; k = write->next[k]) {
    write_model_shape(write, indent + 2, &write->model->shapes[k]);
  }
}

static void write_inertia(writer *write, entries *to, flg_sym3 I) {
  const double values[6] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
  const bool diagonal = I.xy == 0 && I.xz == 0 && I.yz == 0;
  if (diagonal && I.xx == 0 && I.yy == 0 && I.zz == 0) return;
  add_list(write, to, "inertia", values, diagonal ? 3 : 6, flg_number_write);
}

static void write_body(writer *write, int index) {
  const flg_body *body = &write->model->bodies[index];
  entries map = {0};
  add_number(write, &map, "mass", body->mass, 0);
  add_vector(write, &map, "centre", body->centre, (flg_vec3){0, 0, 0});
  write_inertia(write, &map, body->inertia);
  if (body->said != NULL) {
    add_entry(&map, "flexible",
              flg_section_write(&flg_flexible_section, body->said, &write->scratch));
  }
  const char *key = quoted(write, body->name);
  if (write->first[index + 1] < 0) {
    put_named(write, 2, key, &map);
  } else {
    fprintf(write->out, "  %s:\n", key);
    put_lines(write, 4, &map, 0);
    write_shapes(write, 4, index);
  }
}

static bool turns(flg_joint_kind kind) {
  return kind == FLG_JOINT_REVOLUTE || kind == FLG_JOINT_CONTINUOUS || kind == FLG_JOINT_SCREW;
}

static void write_limit(writer *write, entries *to, const char *key, double value, bool angle) {
  char text[FLG_NUMBER_TEXT];
  if (isinf(value)) return;
  const char *number = (angle ? flg_angle_write : flg_number_write)(value, text);
  add_entry(to, key, flg_region_format(&write->scratch, "%s", number));
}

static void add_limits(writer *write, entries *to, const flg_joint *joint) {
  entries limits = {0};
  write_limit(write, &limits, "lower", joint->lower, turns(joint->kind));
  write_limit(write, &limits, "upper", joint->upper, turns(joint->kind));
  write_limit(write, &limits, "effort", joint->effort_limit, false);
  write_limit(write, &limits, "speed", joint->speed_limit, false);
  if (limits.count > 0) add_entry(to, "limits", flow_of(write, &limits));
}

static void add_mimic(writer *write, entries *to, const flg_mimic *mimic) {
  if (mimic->joint < 0) return;
  entries map = {0};
  add_entry(&map, "joint", quoted(write, write->model->joints[mimic->joint].name));
  add_number(write, &map, "multiplier", mimic->multiplier, 1);
  add_number(write, &map, "offset", mimic->offset, 0);
  add_entry(to, "mimic", flow_of(write, &map));
}

static void write_joint(writer *write, int index) {
  const flg_joint *joint = &write->model->joints[index];
  entries map = {0};
  add_entry(&map, "kind", flg_joint_kind_name(joint->kind));
  if (joint->parent != FLG_WORLD) add_body(write, &map, "parent", joint->parent);
  add_body(write, &map, "child", joint->child);
  add_pose(write, &map, &joint->origin);
  add_vector(write, &map, "axis", joint->axis, (flg_vec3){0, 0, 1});
  add_vector(write, &map, "axis2", joint->axis2, (flg_vec3){1, 0, 0});
  add_number(write, &map, "pitch", joint->pitch, 0);
  add_number(write, &map, "damping", joint->damping, 0);
  add_number(write, &map, "friction", joint->friction, 0);
  add_number(write, &map, "armature", joint->armature, 0);
  add_limits(write, &map, joint);
  add_mimic(write, &map, &joint->mimic);
  put_named(write, 2, quoted(write, joint->name), &map);
}

static void write_configuration(writer *write, int index) {
  const flg_value_map *maps = write->model->configurations.items;
  const flg_value *values = maps[index].values.items;
  fprintf(write->out, "  %s:\n", quoted(write, maps[index].origin.name));
  for (int k = 0; k < maps[index].values.count; k++) {
    entries one = {0};
    add_list(write, &one, quoted(write, values[k].origin.name), values[k].numbers.values,
             values[k].numbers.count, flg_number_write);
    put_lines(write, 4, &one, 0);
  }
}

static void write_frame(writer *write, const flg_frame *frame) {
  entries map = {0};
  add_body(write, &map, "body", frame->body);
  add_pose(write, &map, &frame->pose);
  put_named(write, 2, quoted(write, frame->name), &map);
}

/* --- the model ------------------------------------------------------------------------------- */

typedef void part_writer(writer *write, int index);

/* a section of the file; what a part needed of the scratch is free again after it */
static bool write_parts(writer *write, const char *head, int count, part_writer *part) {
  if (count > 0) fprintf(write->out, "\n%s:\n", head);
  bool complete = true;
  for (int k = 0; k < count; k++) {
    part(write, k);
    complete = complete && !write->scratch.failed;
    flg_region_release(&write->scratch);
  }
  return complete;
}

static bool write_frames(writer *write, bool ports) {
  const flg_model *model = write->model;
  bool any = false;
  for (int k = 0; k < model->frame_count; k++) {
    if (model->frames[k].port != ports) continue;
    if (!any) fprintf(write->out, "\n%s:\n", ports ? "ports" : "markers");
    any = true;
    write_frame(write, &model->frames[k]);
  }
  const bool complete = !write->scratch.failed;
  flg_region_release(&write->scratch);
  return complete;
}

static void write_head(writer *write) {
  const flg_model *model = write->model;
  fprintf(write->out, "flange-model: 1\n");
  const bool named = model->name != NULL && model->name[0] != '\0' &&
                     (model->file == NULL || strcmp(model->name, model->file) != 0);
  if (named) fprintf(write->out, "name: %s\n", quoted(write, model->name));
}

static void write_materials(writer *write) {
  const flg_surfaces *surfaces = &write->model->surfaces;
  bool begun = false;
  for (int k = 0; k < surfaces->surface_count; k++) {
    const flg_surface *surface = &surfaces->surfaces[k];
    if (surface->name == NULL) continue;
    entries map = {0};
    add_number(write, &map, "friction", surface->friction, NAN);
    add_number(write, &map, "restitution", surface->restitution, NAN);
    if (!begun) fprintf(write->out, "materials:\n");
    begun = true;
    put_named(write, 2, quoted(write, surface->name), &map);
  }
}

static const char *material_name(writer *write, int surface) {
  return quoted(write, write->model->surfaces.surfaces[surface - 1].name);
}

static void write_pairs(writer *write) {
  const flg_surfaces *surfaces = &write->model->surfaces;
  if (surfaces->pair_count > 0) fprintf(write->out, "  pairs:\n");
  for (int k = 0; k < surfaces->pair_count; k++) {
    const flg_surface_pair *pair = &surfaces->pairs[k];
    entries map = {0};
    const char *between =
        flg_region_format(&write->scratch, "[%s, %s]", material_name(write, pair->first),
                          material_name(write, pair->second));
    add_entry(&map, "between", or_empty(between));
    add_number(write, &map, "friction", pair->friction, NAN);
    add_number(write, &map, "restitution", pair->restitution, NAN);
    put_item(write, 4, &map);
  }
}

/* by body and name where it has one; shapes without a name stand for all of their body */
static const char *shape_label(writer *write, int shape) {
  const flg_shape *at = &write->model->shapes[shape];
  const char *body = at->body == FLG_WORLD ? "world" : write->model->bodies[at->body].name;
  const char *text =
      at->name == NULL ? body : flg_region_format(&write->scratch, "%s/%s", body, at->name);
  return quoted(write, text);
}

static const char *apart_label(writer *write, int index) {
  const int *pair = write->model->surfaces.apart[index];
  const char *first = shape_label(write, pair[0]), *second = shape_label(write, pair[1]);
  return or_empty(flg_region_format(&write->scratch, "[%s, %s]", first, second));
}

/* two bodies are many pairs of shapes */
static void write_apart(writer *write) {
  const int count = write->model->surfaces.apart_count;
  const char **labels = flg_region_take(&write->scratch, (size_t)count, sizeof *labels);
  if (count == 0 || labels == NULL) return;
  fprintf(write->out, "  apart:\n");
  for (int k = 0; k < count; k++) {
    labels[k] = apart_label(write, k);
    int same = 0;
    while (strcmp(labels[same], labels[k]) != 0) same++;
    if (same == k) fprintf(write->out, "    - %s\n", labels[k]);
  }
}

static void write_contacts(writer *write) {
  const flg_surfaces *surfaces = &write->model->surfaces;
  if (surfaces->pair_count + surfaces->apart_count == 0) return;
  fprintf(write->out, "contacts:\n");
  write_pairs(write);
  write_apart(write);
}

static bool write_model(writer *write) {
  const flg_model *model = write->model;
  write_head(write);
  bool complete = write_parts(write, "bodies", model->body_count, write_body);
  complete = write_parts(write, "joints", model->joint_count, write_joint) && complete;
  complete =
      write_parts(write, "configurations", model->configurations.count, write_configuration) &&
      complete;
  complete = write_frames(write, true) && complete;
  complete = write_frames(write, false) && complete;
  if (write->first[FLG_WORLD + 1] >= 0) fprintf(write->out, "\n");
  write_shapes(write, 0, FLG_WORLD);
  write_materials(write);
  write_contacts(write);
  complete = !write->scratch.failed && complete;
  flg_region_release(&write->scratch);
  return complete;
}

/* from the last shape to the first, so that the lists have the order of the model */
static bool list_shapes(writer *write, flg_region *region) {
  const flg_model *model = write->model;
  write->first = flg_region_take(region, (size_t)model->body_count + 1, sizeof *write->first);
  write->next = flg_region_take(region, (size_t)model->shape_count, sizeof *write->next);
  if (region->failed) return false;
  for (int k = 0; k <= model->body_count; k++) write->first[k] = -1;
  for (int k = model->shape_count - 1; k >= 0; k--) {
    int *first = &write->first[model->shapes[k].body + 1];
    write->next[k] = *first;
    *first = k;
  }
  return true;
}

/* the first flexible body whose modes are not written down in keys, or NULL */
static const char *flexible_body(const flg_model *model) {
  for (int k = 0; k < model->body_count; k++) {
    const flg_body *body = &model->bodies[k];
    if (body->flexible != NULL && body->said == NULL) return body->name;
  }
  return NULL;
}

flg_status flg_model_write_yaml(const flg_model *model, FILE *out, const char *path,
                                flg_error *error) {
  const char *flexible = flexible_body(model);
  if (flexible != NULL) {
    return flg_fail(error, FLG_ERR_INPUT,
                    "Body '%s' is flexible by modes that no keys describe; they cannot be written.",
                    flexible);
  }
  flg_region region = {0};
  writer write = {.model = model, .out = out, .path = path};
  const bool complete = list_shapes(&write, &region) && write_model(&write);
  flg_region_release(&region);
  if (!complete) return flg_fail(error, FLG_ERR_MEMORY, "There is no memory to write the model.");
  if (fflush(out) == 0 && !ferror(out)) return FLG_OK;
  return flg_fail(error, FLG_ERR_OUTPUT, "The model cannot be written%s%s: %s.",
                  path == NULL ? "" : " to ", path == NULL ? "" : path, strerror(errno));
}

flg_status flg_model_save_yaml(const flg_model *model, const char *path, flg_error *error) {
  if (!flg_path_is_yaml(path)) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "'%s' is not the name of a model that can be written; expected .yaml at its "
                    "end.",
                    path);
  }
  static const char written[] = "# written by flange convert\n"; /* not by hand */
  const flg_file_kind kind = {"model of 'flange convert'", written};
  if (!flg_file_may_replace(path, kind, error)) return FLG_ERR_OUTPUT;
  FILE *out = fopen(path, "w");
  if (out == NULL) {
    return flg_fail(error, FLG_ERR_OUTPUT, "The model '%s' cannot be created: %s.", path,
                    strerror(errno));
  }
  fputs(written, out);
  const flg_status status = flg_model_write_yaml(model, out, path, error);
  if (fclose(out) == 0 || status != FLG_OK) return status;
  return flg_fail(error, FLG_ERR_OUTPUT, "The model '%s' cannot be written: %s.", path,
                  strerror(errno));
}
