#include "viewer/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "component/assembly_contract.h"
#include "viewer/scene_inner.h"

enum { PROBES = 250 }; /* looks at admittances in a run */

static const char *const contact_components[FLG_SCENE_CONTACT] = {
    "row", "a", "b", "point", "x", "y", "z", "fx", "fy", "fz", "gap", "state"};
static const flg_signal contact_list = {"@view/contacts", NULL, FLG_SCENE_CONTACT,
                                        contact_components};

/* --- set-up ---------------------------------------------------------------------------------- */

static void scene_add_signal(flg_scene *scene, const char *name, const char *unit, int width) {
  if (width == 0 || scene->width > INT32_MAX - width) return;
  scene->signals[scene->signal_count++] = (flg_signal){name, unit, width, NULL};
  scene->width += width;
}

static void list_scene_signals(flg_scene *scene) {
  scene_add_signal(scene, "@view/poses", NULL, FLG_SCENE_POSE * scene->frames.count);
  scene_add_signal(scene, "@view/energy", "J", 1);
  scene_add_signal(scene, "@view/wall_time", "s", 1);
  scene_add_signal(scene, "@view/interfaces", NULL, FLG_SCENE_INTERFACE * scene->interfaces.count);
  scene_add_signal(scene, "@view/admittances", "1/kg", FLG_SCENE_SIDE * scene->sides.count);
}

static void prepare_contacts(flg_scene *scene) {
  const flg_simulation *simulation = scene->simulation;
  flg_region *region = &scene->region;
  const size_t most = (size_t)flg_touching_most(simulation) + 1;
  scene->touching = flg_region_take(region, most, sizeof *scene->touching);
  scene->contacts = flg_region_take(region, most * FLG_SCENE_CONTACT, sizeof *scene->contacts);
  scene->first_shape =
      flg_region_take(region, (size_t)simulation->subsystem_count, sizeof *scene->first_shape);
  int count = 0;
  for (int k = 0; k < simulation->subsystem_count && scene->first_shape != NULL; k++) {
    scene->first_shape[k] = count;
    count += flg_touched_count(&simulation->subsystems[k]);
  }
}

flg_status flg_scene_build(flg_scene **scene, flg_simulation *simulation, flg_error *error) {
  flg_scene *built = calloc(1, sizeof *built);
  if (built == NULL) return flg_fail(error, FLG_ERR_MEMORY, "There is no memory for the view.");
  built->simulation = simulation;
  flg_scene_collect(built);
  list_scene_signals(built);
  prepare_contacts(built);
  built->probe_every = 1 + simulation->macro_steps * built->sides.count / PROBES;
  simulation->is_timed = true;
  flg_status status = FLG_OK;
  if (built->region.failed) {
    status = flg_fail(error, FLG_ERR_MEMORY, "There is no memory for the view.");
  } else if (built->frames.count > INT32_MAX / 16) {
    status = flg_fail(error, FLG_ERR_CAPACITY, "There are too many bodies for the view.");
  } else {
    status = flg_scene_write(built, error);
  }
  if (status == FLG_OK) {
    *scene = built;
  } else {
    flg_scene_release(built);
  }
  return status;
}

void flg_scene_release(flg_scene *scene) {
  if (scene == NULL) return;
  free(scene->text);
  flg_region_release(&scene->region);
  free(scene);
}

const char *flg_scene_text(const flg_scene *scene) {
  return scene->text;
}

const flg_signal *flg_scene_signals(const flg_scene *scene, int *count) {
  *count = scene->signal_count;
  return scene->signals;
}

const flg_signal *flg_scene_list(const flg_scene *scene) {
  (void)scene;
  return &contact_list;
}

int flg_scene_width(const flg_scene *scene) {
  return scene->width;
}

/* --- step ------------------------------------------------------------------------------------ */

static flg_pose robot_pose(const flg_scene_frame *frame) {
  const flg_pose body = flg_dynamics_frame_pose(frame->robot->dynamics, &frame->link_anchor);
  if (frame->station == NULL) return body;
  const flg_pose local = flg_scene_station_pose(frame->station, frame->robot->q);
  return flg_pose_compose(&body, &local);
}

static flg_pose scene_pose_of(const flg_scene_frame *frame) {
  const flg_subsystem *subsystem = frame->subsystem;
  switch (frame->kind) {
    case FLG_FRAME_OF_ROBOT:
      return robot_pose(frame);
    case FLG_FRAME_OF_ASSEMBLY:
      return flg_assembly_pose(flg_subsystem_assembly(subsystem), &frame->anchor);
    case FLG_FRAME_OF_PLUGIN:
      return flg_plugged_subsystem_frame(flg_subsystem_plugin(subsystem), frame->port).pose;
    case FLG_FRAME_OF_PORT:
    default:
      return subsystem->ops->coupled->frame(subsystem->self, frame->port).pose;
  }
}

static double *record_poses(const flg_scene *scene, double *values) {
  const flg_scene_frame *frames = scene->frames.items;
  for (int k = 0; k < scene->frames.count; k++, values += FLG_SCENE_POSE) {
    const flg_pose pose = scene_pose_of(&frames[k]);
    const flg_quat turn = flg_quat_from_matrix(&pose.rotation);
    flg_vec3_store(pose.position, values);
    values[3] = turn.w, values[4] = turn.x, values[5] = turn.y, values[6] = turn.z;
  }
  return values;
}

static double *record_interfaces(const flg_scene *scene, double *values) {
  for (int k = 0; k < scene->interfaces.count; k++, values += FLG_SCENE_INTERFACE) {
    const flg_telemetry *from = &scene->simulation->telemetry[k];
    memcpy(values, from->force, sizeof from->force);
    memcpy(values + 6, from->pose_error, sizeof from->pose_error);
    values[8] = from->energy_residual, values[9] = from->rank, values[10] = from->condition;
  }
  return values;
}

/* D for tau = 0 changes nothing of the run: no controller takes a sample */
static void record_side(const flg_scene_side *side, double time, double *values) {
  flg_interface_model *model = side->model;
  for (int k = 0; k < FLG_SCENE_SIDE; k++) values[k] = NAN;
  if (side->subsystem->ops->coupled->reduce(side->subsystem->self, time, 0, model) != FLG_OK)
    return;
  const size_t rows = (size_t)model->rows;
  const double *D = flg_interface_model_admittance(model) + 6 * (size_t)side->port * (rows + 1);
  values[0] = D[0], values[1] = D[rows + 1], values[2] = D[2 * rows + 2];
  values[3] = D[rows], values[4] = D[2 * rows], values[5] = D[2 * rows + 1];
}

static void record_sides(const flg_scene *scene, double *values) {
  const flg_simulation *simulation = scene->simulation;
  const flg_scene_side *sides = scene->sides.items;
  const bool is_due = simulation->clock.done % scene->probe_every == 0;
  for (int k = 0; k < scene->sides.count; k++, values += FLG_SCENE_SIDE) {
    if (is_due) {
      record_side(&sides[k], flg_simulation_time(simulation), values);
    } else {
      for (int j = 0; j < FLG_SCENE_SIDE; j++) values[j] = NAN;
    }
  }
}

void flg_scene_record(flg_scene *scene, double *values) {
  values = record_poses(scene, values);
  *values++ = flg_simulation_energy(scene->simulation).final;
  *values++ = scene->simulation->wall_time;
  values = record_interfaces(scene, values);
  record_sides(scene, values);
}

static void scene_write_contact(const flg_scene *scene, const flg_touching *point, int64_t row,
                                double *values) {
  const flg_contact *contact = point->contact;
  const flg_vec3 at = flg_vec3_scale(flg_vec3_add(contact->point_a, contact->point_b), 0.5);
  const int first = scene->first_shape[point->subsystem];
  values[0] = (double)row;
  values[1] = first + point->shapes[0], values[2] = first + point->shapes[1];
  values[3] = point->number;
  flg_vec3_store(at, values + 4);
  flg_vec3_store(point->force, values + 7);
  values[10] = contact->gap, values[11] = point->state;
}

const double *flg_scene_contacts(flg_scene *scene, int64_t row, int *count) {
  const int near = flg_touching_list(scene->simulation, scene->touching);
  *count = 0;
  for (int k = 0; k < near; k++) {
    const flg_touching *point = &scene->touching[k];
    if (point->state == FLG_CONTACT_OPEN && point->press == 0) continue;
    scene_write_contact(scene, point, row,
                        scene->contacts + FLG_SCENE_CONTACT * (size_t)(*count)++);
  }
  return scene->contacts;
}
