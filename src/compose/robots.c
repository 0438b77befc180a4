#include "compose/robots.h"

#include <math.h>
#include <string.h>

#include "base/input_limits.h"
#include "compose/compiled.h"
#include "compose/contact_options.h"
#include "flatten/joint_values.h"
#include "flatten/stations.h"
#include "robot/robot_contacts.h"

/* of the length of the robot: sections of a beam that are nearer are one */
static const double SAME_SECTION = 1e-6;

static flg_jointed jointed_of(const flg_loader *loader, const flg_robot_subsystem *subsystem) {
  return (flg_jointed){.name = subsystem->options.name,
                       .model = subsystem->model,
                       .robot = &subsystem->robot,
                       .region = loader->region,
                       .mistakes = loader->mistakes,
                       .ignores_limits = subsystem->options.ignores_limits};
}

void flg_compose_check_memory(const flg_loader *loader) {
  if (!loader->region->failed) return;
  flg_mistake_add(loader->mistakes, FLG_ERR_MEMORY, (flg_place){0}, "no memory left");
}

int flg_compose_joint(const flg_loader *loader, const flg_robot_subsystem *subsystem,
                      const char *name, flg_place place) {
  const flg_jointed jointed = jointed_of(loader, subsystem);
  return flg_jointed_find(&jointed, name, place);
}

void flg_compose_values(const flg_loader *loader, const flg_robot_subsystem *subsystem,
                        const flg_items *items, bool positions, double *to) {
  const flg_jointed jointed = jointed_of(loader, subsystem);
  flg_jointed_values(&jointed, items, positions, to);
}

static void robot_load_push(const flg_loader *loader, const flg_force_keys *keys,
                            const flg_robot_subsystem *subsystem, flg_push *push) {
  const int body = flg_model_body(subsystem->model, keys->body);
  if (body < 0) {
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "'%s' has no body '%s' to push", subsystem->options.name, keys->body);
    return;
  }
  const flg_pose point = {flg_mat3_identity(), flg_vec3_load(keys->at)};
  double gap;
  *push = (flg_push){.name = keys->origin.name,
                     .enabled = keys->enabled,
                     .frame = flg_robot_anchor(&subsystem->robot, body, &point, &gap),
                     .force = {flg_vec3_load(keys->force), flg_vec3_load(keys->moment)}};
  if (gap > SAME_SECTION * flg_robot_length(&subsystem->robot)) {
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "at: body '%s' is flexible, and nothing marks the section that force '%s' acts "
                    "on (%.3g m from the nearest that is): give the model a marker there",
                    keys->body, keys->origin.name, gap);
  }
}

/* Angles of several turns are rather degrees. */
static void warn_of_degrees(const flg_loader *loader, const flg_subsystem_keys *keys,
                            const flg_robot_subsystem *subsystem, const double *q) {
  const double turn = 2 * acos(-1);
  for (int k = 0; k < subsystem->model->joint_count; k++) {
    const flg_joint *joint = &subsystem->model->joints[k];
    if (joint->kind != FLG_JOINT_REVOLUTE && joint->kind != FLG_JOINT_CONTINUOUS) continue;
    const double angle = q[subsystem->robot.links[subsystem->robot.joint_links[k]].position];
    if (!(fabs(angle) > turn * (1 + 1e-9))) continue;
    flg_notice_add(loader->notices, keys->origin.name,
                   "joint '%s' starts at %.6g rad, %.3g turns; degrees are written '%.6g deg'",
                   joint->name, angle, angle / turn, angle);
  }
}

/* what the state starts from, before there is one */
typedef struct start {
  double *q, *v;
} start;

static bool robot_load_start(const flg_loader *loader, const flg_subsystem_keys *keys,
                             const flg_robot_subsystem *subsystem, start *at) {
  const flg_robot *robot = &subsystem->robot;
  at->q = flg_region_take(loader->region, (size_t)robot->position_count, sizeof *at->q);
  at->v = flg_region_take(loader->region, (size_t)robot->velocity_count, sizeof *at->v);
  if (at->q == NULL || at->v == NULL) return false;
  flg_jointed jointed = jointed_of(loader, subsystem);
  jointed.place = keys->origin.place;
  flg_some_names moved = {0};
  flg_jointed_start(&jointed, &keys->robot, at->q, at->v, &moved);
  if (moved.count > 0) {
    flg_notice_add(loader->notices, keys->origin.name,
                   "%d joint%s (%s) cannot start at 0 and start%s at the nearest end of "
                   "the range; 'initial:' says otherwise",
                   moved.count, moved.count == 1 ? "" : "s", flg_some_names_text(&moved),
                   moved.count == 1 ? "s" : "");
  }
  warn_of_degrees(loader, keys, subsystem, at->q);
  return true;
}

/* Each controller holds forces on all velocities, and some compute the motion of the whole robot.
 */
static bool check_drives(const flg_loader *loader, const flg_subsystem_keys *keys,
                         const flg_robot *robot) {
  const double most = flg_input_limit_value(FLG_LIMIT_DRIVES);
  const double drives = (double)keys->controllers.count * robot->velocity_count;
  if (drives <= most) return true;
  flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys->origin.place,
                  "'%s' has %d controllers, each of which knows all %d velocities of the robot; "
                  "%.0f such numbers are held, or more with --limit %s=%.0f; one controller may "
                  "drive many joints",
                  keys->origin.name, keys->controllers.count, robot->velocity_count, most,
                  flg_input_limit_name(FLG_LIMIT_DRIVES), drives);
  return false;
}

/* They are closed at once, in a time that grows with the cube of their number. */
static bool check_followers(const flg_loader *loader, const flg_subsystem_keys *keys,
                            const flg_model *model) {
  const double most = flg_input_limit_value(FLG_LIMIT_ROWS);
  const int count = flg_mimics_count(model);
  if (count <= most) return true;
  flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys->origin.place,
                  "'%s' has %d joints that follow others and are closed at once, over %.0f; raise "
                  "it with --limit %s=%d",
                  keys->origin.name, count, most, flg_input_limit_name(FLG_LIMIT_ROWS), count);
  return false;
}

static void equip_robot(const flg_loader *loader, const flg_subsystem_keys *keys, const start *at,
                        flg_robot_subsystem *subsystem) {
  const int controller_count = keys->controllers.count, push_count = keys->forces.count;
  if (!check_drives(loader, keys, &subsystem->robot)) return;
  if (!check_followers(loader, keys, subsystem->model)) return;
  flg_controller *controllers =
      flg_region_take(loader->region, (size_t)controller_count, sizeof *controllers);
  flg_push *pushes = flg_region_take(loader->region, (size_t)push_count, sizeof *pushes);
  if (controllers == NULL || pushes == NULL) return;
  const int before = loader->mistakes->count;
  const flg_controller_keys *controls = keys->controllers.items;
  for (int k = 0; k < controller_count; k++) {
    flg_compose_controller(loader, &controls[k], subsystem, at->q, &controllers[k]);
  }
  const flg_force_keys *forces = keys->forces.items;
  const flg_name_index names = FLG_INDEX(controls, controller_count, loader->region);
  for (int k = 0; k < push_count; k++) {
    robot_load_push(loader, &forces[k], subsystem, &pushes[k]);
    if (flg_name_index_find(&names, forces[k].origin.name) >= 0) {
      flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, forces[k].origin.place,
                      "a controller is called '%s', too; events could not tell them apart",
                      forces[k].origin.name);
    }
  }
  if (loader->mistakes->count > before) return;
  flg_error error;
  const flg_status status = flg_robot_subsystem_equip(subsystem, controllers, controller_count,
                                                      pushes, push_count, &error);
  if (status != FLG_OK) {
    flg_mistake_add(loader->mistakes, status, keys->origin.place, "%s", error.message);
    return;
  }
  memcpy(subsystem->q, at->q, (size_t)subsystem->robot.position_count * sizeof *at->q);
  memcpy(subsystem->v, at->v, (size_t)subsystem->robot.velocity_count * sizeof *at->v);
  flg_robot_subsystem_settle(subsystem);
}

static bool any_collides(const flg_model *model, bool on_ground) {
  for (int k = 0; k < model->shape_count; k++) {
    const flg_shape *shape = &model->shapes[k];
    if (shape->collision && (shape->body == FLG_WORLD) == on_ground) return true;
  }
  return false;
}

/* Contacts in couplings are closed in kicks, or else by rules for semi-implicit steps. */
static flg_integrator_kind automatic(const flg_loader *loader, const flg_subsystem_keys *keys,
                                     const flg_model *model) {
  const bool touches =
      any_collides(model, false) && (any_collides(model, true) || keys->robot.self_collision);
  const bool leaps = !loader->is_coupled || !touches || loader->leaps;
  return leaps ? FLG_INTEGRATOR_LEAPFROG : FLG_INTEGRATOR_SEMI_IMPLICIT;
}

static flg_integrator_kind integrator_of(const flg_loader *loader, const flg_subsystem_keys *keys,
                                         const flg_model *model) {
  switch ((flg_stepping)keys->integrator) {
    case FLG_STEPPING_RK4:
      return FLG_INTEGRATOR_RK4;
    case FLG_STEPPING_ADAPTIVE:
      return FLG_INTEGRATOR_ADAPTIVE;
    case FLG_STEPPING_RATTLE:
      flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys->origin.place,
                      "integrator: rattle is for components; '%s' is a robot: take leapfrog, "
                      "semi-implicit, rk4 or adaptive",
                      keys->origin.name);
      return FLG_INTEGRATOR_SEMI_IMPLICIT;
    case FLG_STEPPING_SEMI_IMPLICIT:
      return FLG_INTEGRATOR_SEMI_IMPLICIT;
    case FLG_STEPPING_LEAPFROG:
      return FLG_INTEGRATOR_LEAPFROG;
    case FLG_STEPPING_AUTO:
    default:
      return automatic(loader, keys, model);
  }
}

void flg_compose_robot_model(const flg_loader *loader, const flg_subsystem_keys *keys,
                             const flg_model *model, flg_robot_subsystem *robot) {
  const double *gravity = isnan(keys->gravity[0]) ? loader->scenario->gravity : keys->gravity;
  const flg_robot_options options = {.name = keys->origin.name,
                                     .integrator = {.kind = integrator_of(loader, keys, model),
                                                    .relative = keys->relative_tolerance,
                                                    .absolute = keys->absolute_tolerance},
                                     .gravity = flg_vec3_load(gravity),
                                     .self_collision = keys->robot.self_collision,
                                     .ignores_limits = keys->robot.limits == FLG_LIMITS_IGNORED};
  if (flg_robot_subsystem_build(robot, model, &options, loader->mistakes) != FLG_OK) return;
  start at;
  if (robot_load_start(loader, keys, robot, &at)) equip_robot(loader, keys, &at, robot);
  flg_compose_check_memory(loader);
}

static void build_robot(const flg_loader *loader, const flg_subsystem_keys *keys,
                        const flg_anchor *outer_ports, int outer_port_count,
                        flg_robot_subsystem *robot) {
  const int before = loader->mistakes->count;
  if (keys->parameters.count > 0) {
    flg_mistake_add(loader->mistakes, FLG_ERR_INPUT, keys->origin.place,
                    "parameters: '%s' is a robot; only components have parameters",
                    keys->origin.name);
  }
  const flg_source *from = &loader->source;
  const flg_model *read = from->ops->model(from->self, keys->model, flg_robot_reading(&keys->robot),
                                           keys->origin.place);
  if (read == NULL || loader->mistakes->count > before) return;
  flg_model *model = flg_robot_overlay(&keys->robot, read, loader->region, loader->mistakes);
  if (model == NULL) return;
  flg_model_add_stations(model, 0, outer_ports, outer_port_count, loader->region);
  const flg_pose pose = flg_placement_pose(&keys->placement);
  flg_compose_surround(loader, keys, &pose, model);
  if (loader->mistakes->count > before) return;
  flg_compose_robot_model(loader, keys, model, robot);
  if (loader->mistakes->count > before) return;
  flg_robot_subsystem_place(robot, &pose);
  const flg_contacts_options options = flg_compose_contacts_options(loader, keys);
  flg_robot_contacts_build(robot, &options, loader->mistakes);
  if (loader->mistakes->count == before) flg_compose_compiled_robot(loader, keys, robot);
}

void flg_compose_robot(const flg_loader *loader, const flg_subsystem_keys *keys,
                       const flg_anchor *outer_ports, int outer_port_count,
                       flg_subsystem *subsystem) {
  flg_robot_subsystem *robot = flg_region_take(loader->region, 1, sizeof *robot);
  if (robot == NULL) return;
  flg_error error;
  if (flg_robot_subsystem_register(robot, keys->origin.name, subsystem, &error) == FLG_OK) {
    build_robot(loader, keys, outer_ports, outer_port_count, robot);
  } else {
    flg_mistake_add(loader->mistakes, error.status, keys->origin.place, "%s", error.message);
  }
}
