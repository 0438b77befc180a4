#include "robot/robot_part.h"

#include <math.h>
#include <string.h>

#include "math/larger.h"
#include "parts/articulated.h"
#include "robot/robot_actions.h"
#include "robot/robot_contacts.h"
#include "robot/robot_forces.h"
#include "robot/robot_friction.h"

/* A robot, and how it answers at its ports. */
typedef struct robot_part {
  const flg_component_robot *source;
  flg_robot_subsystem *robot;
  flg_subsystem subsystem;
  flg_articulated_part ports;
  double *free;   /* (count) accelerations without joints */
  double *load;   /* (count) generalised forces of springs and loads */
  double *change; /* (count) work space */
} robot_part;

typedef struct robots {
  flg_articulated_set all;
  robot_part *list; /* (count) */
} robots;

static robot_part *robot_at(const flg_parts *parts, int part) {
  return &((const robots *)parts)->list[part];
}

static int count_of(const robot_part *part) {
  return part->ports.count; /* velocities */
}

static int rows_of_robot(const robot_part *part) {
  return flg_articulated_rows(&part->ports);
}

/* --- set-up -------------------------------------------------------------------------------------
 */

static const flg_part_ops robots_ops;

static void make_robot_part(robots *set, const flg_component_robot *source,
                            flg_robot_subsystem *robot, int index, flg_region *region) {
  const flg_robot *model = &robot->robot;
  robot_part *part = &set->list[index];
  *part = (robot_part){.source = source,
                       .robot = robot,
                       .ports = {.robot = model,
                                 .dynamics = robot->dynamics,
                                 .mimics = &robot->mimics,
                                 .count = model->velocity_count,
                                 .slice = {set->all.parts.position_count, model->position_count,
                                           set->all.parts.velocity_count, model->velocity_count},
                                 .ports = flg_region_take(region, (size_t)model->link_count,
                                                          sizeof(flg_link_anchor))}};
  set->all.ports[index] = &part->ports;
  flg_robot_subsystem_place(robot, &source->pose);
  /* Joint friction is solved with the rows of the assembly, not by the robot for itself. */
  flg_robot_friction_join(robot);
  flg_robot_subsystem_register(robot, source->name, &part->subsystem, NULL);
  /* The assembly owns the state: positions and velocities of all parts lie one after the other
   * in it. */
  set->all.parts.position_count += model->position_count;
  set->all.parts.velocity_count += model->velocity_count;
  set->all.parts.other_count += robot->state_count - model->position_count - model->velocity_count;
}

static flg_parts *robots_make(const flg_component *component, void *list, flg_region *region) {
  const int count = component->robot_count;
  robots *set = flg_region_take(region, 1, sizeof *set);
  if (set == NULL) return NULL;
  *set = (robots){.all = {.parts = {.ops = &robots_ops, .count = count},
                          .ports = flg_region_take(region, (size_t)count, sizeof *set->all.ports)},
                  .list = flg_region_take(region, (size_t)count, sizeof *set->list)};
  for (int k = 0; k < count && !region->failed; k++) {
    make_robot_part(set, &component->robots[k], (flg_robot_subsystem *)list + k, k, region);
  }
  return region->failed ? NULL : &set->all.parts;
}

flg_part_guests flg_robot_guests(flg_robot_subsystem *list) {
  return (flg_part_guests){robots_make, list};
}

static void robots_release(flg_parts *parts) {
  for (int k = 0; k < parts->count; k++) {
    flg_robot_subsystem_release(robot_at(parts, k)->robot);
  }
}

static flg_part_anchor robots_anchor(flg_parts *parts, int part, int body, flg_pose pose) {
  const robot_part *of = robot_at(parts, part);
  flg_link_anchor anchor = {FLG_WORLD, of->source->pose};
  if (body == FLG_WORLD) {
    anchor.pose = flg_pose_compose(&anchor.pose, &pose);
  } else {
    anchor = flg_robot_anchor(&of->robot->robot, body, &pose, NULL);
  }
  /* A body that is welded to the robot's base stands still: it needs no port. */
  if (anchor.link == FLG_WORLD) return flg_part_anchor_on_ground(&anchor.pose);
  return (flg_part_anchor){.on = flg_dynamics_link_frame(of->robot->dynamics, anchor.link),
                           .of = parts,
                           .part = part,
                           .link = anchor.link,
                           .port = -1,
                           .pose = anchor.pose};
}

static void robots_equip(flg_parts *parts, flg_region *region) {
  for (int k = 0; k < parts->count; k++) {
    robot_part *part = robot_at(parts, k);
    const size_t n = (size_t)count_of(part);
    flg_articulated_equip(&part->ports, parts->mode->is_root, region);
    part->free = flg_region_take(region, n, sizeof(double));
    part->load = flg_region_take(region, n, sizeof(double));
    part->change = flg_region_take(region, n, sizeof(double));
  }
}

static void robots_start(flg_parts *parts, double *q, double *v, double *other) {
  for (int k = 0; k < parts->count; k++) {
    robot_part *part = robot_at(parts, k);
    /* The robot steps in the assembly's memory, so that nothing is copied between the two. */
    flg_robot_subsystem_move(part->robot, q + part->ports.slice.position,
                             v + part->ports.slice.velocity, other);
    part->ports.locked = part->robot->locked;
    other += part->robot->state_count - part->ports.slice.position_count -
             part->ports.slice.velocity_count;
  }
}

static flg_part_label robots_label(const flg_parts *parts, int part) {
  const flg_component_robot *robot = robot_at(parts, part)->source;
  return (flg_part_label){robot->name, robot->place, robot->group};
}

/* stretched out, from where the base is at the start */
/* An upper bound but for slides: rounding is judged by it, which may be a few times too large. */
static double extent_of_robot(const robot_part *part, const double *q) {
  const flg_robot *robot = &part->robot->robot;
  double sum = 0;
  for (int k = 0; k < robot->link_count; k++) {
    const flg_link *link = &robot->links[k];
    sum += flg_vec3_norm(link->placement.position);
    if (link->kind == FLG_JOINT_FLOATING) {
      sum += flg_vec3_norm(flg_vec3_load(q + part->ports.slice.position + link->position));
    }
  }
  return sum;
}

static double robots_extent(const flg_parts *parts, const double *q) {
  double most = 0;
  for (int k = 0; k < parts->count; k++)
    most = flg_larger(most, extent_of_robot(robot_at(parts, k), q));
  return most;
}

static unsigned robot_refused_schemes(const flg_parts *parts, int part, const char **reason) {
  *reason = "has joints with dry friction";
  /* Dry friction jumps with the sign of a velocity: only semi-implicit steps can hold it. */
  const bool rubs = robot_at(parts, part)->robot->rubs;
  return rubs ? ~(1u << FLG_SCHEME_SEMI_IMPLICIT) : 0;
}

static const flg_subsystem *robot_subsystem_of(const flg_parts *parts, int part) {
  return &robot_at(parts, part)->subsystem;
}

static int links(const flg_parts *parts, int part) {
  return robot_at(parts, part)->robot->robot.link_count;
}

static int parent(const flg_parts *parts, int part, int link) {
  return robot_at(parts, part)->robot->robot.links[link].parent;
}

static bool robots_is_body(const flg_parts *parts, int part) {
  return robot_at(parts, part)->source->is_body;
}

static const char *robots_body_name(const flg_parts *parts, int part, int body) {
  const flg_model *model = robot_at(parts, part)->source->model;
  return body < model->body_count ? model->bodies[body].name : NULL;
}

/* a link on a flexible body moves with its modes: its frame is no rigid function of joints */
static bool rides(const flg_parts *parts, int part, int link) {
  return robot_at(parts, part)->robot->robot.links[link].node >= 0;
}

static bool touches_itself(const flg_parts *parts, int part) {
  return robot_at(parts, part)->robot->options.self_collision;
}

static int ends_most(const flg_parts *parts, int part) {
  return robot_at(parts, part)->robot->model->joint_count;
}

static int ends(const flg_parts *parts, int part, flg_joint_range *found, flg_mistakes *mistakes) {
  return flg_robot_ranges_find(robot_at(parts, part)->robot, found, mistakes);
}

/* called with NULL first: memory is taken for as many as there are */
static int frictions(const flg_parts *parts, int part, flg_inner_friction *found) {
  flg_robot_subsystem *robot = robot_at(parts, part)->robot;
  int count = 0;
  for (int k = 0; k < robot->robot.velocity_count; k++) {
    const flg_inner_friction friction = flg_robot_friction_of(robot, k);
    if (!(friction.bound > 0)) continue;
    if (found != NULL) found[count] = friction;
    count++;
  }
  return count;
}

/* Until the assembly has found which joints slip, friction in models is a secant
 * (robot_friction.h). */
static void know_frictions(flg_parts *parts, bool are_known) {
  for (int k = 0; k < parts->count; k++) robot_at(parts, k)->robot->knows_slips = are_known;
}

/* --- where they are -----------------------------------------------------------------------------
 */

static void robot_part_place(flg_parts *parts, const double *q, const double *v,
                             flg_part_placing how) {
  (void)how; /* the dynamics know */
  for (int k = 0; k < parts->count; k++) {
    const robot_part *part = robot_at(parts, k);
    flg_dynamics_kinematics(part->robot->dynamics, q + part->ports.slice.position,
                            v + part->ports.slice.velocity);
  }
}

/* --- forces -------------------------------------------------------------------------------------
 */

static void robots_load(flg_parts *parts) {
  for (int k = 0; k < parts->count; k++) {
    const robot_part *part = robot_at(parts, k);
    memset(part->load, 0, (size_t)count_of(part) * sizeof(double));
  }
}

static void robot_part_push(flg_parts *parts, const flg_part_anchor *on, flg_spatial force) {
  const robot_part *part = robot_at(parts, on->part);
  const flg_link_anchor anchor = {on->link, on->pose};
  flg_dynamics_frame_force(part->robot->dynamics, &anchor, force, part->load);
}

/* velocities that masses turn with */
static const double *gyro_velocity_of(const flg_parts *parts, const robot_part *part,
                                      const double *v) {
  const flg_part_mode *mode = parts->mode;
  /* Gyroscopic forces belong to free steps (part.h): here nothing turns the masses. */
  if (mode->is_coasting) return memset(part->change, 0, (size_t)count_of(part) * sizeof(double));
  return mode->mean == NULL ? v : mode->mean + parts->velocity + part->ports.slice.velocity;
}

/* its own forces, and the accelerations that all of them together make */
static void gather_one(const flg_parts *parts, const robot_part *part, double time, const double *q,
                       const double *v) {
  flg_robot_subsystem *robot = part->robot;
  const double lead = parts->mode->lead, *gyro_velocity = gyro_velocity_of(parts, part, v);
  /* Elastic forces are those after `lead`; a step in halves damps by the mean velocities. */
  robot->elastic_lead = lead, robot->is_halved = lead != 0;
  flg_robot_effort(robot, time, q, lead < 0 ? gyro_velocity : v, v);
  robot->elastic_lead = 0;
  for (int i = 0; i < count_of(part); i++) robot->effort[i] += part->load[i];
  flg_dynamics_forward(robot->dynamics, q, gyro_velocity, robot->effort, robot->options.gravity,
                       NULL, robot->added, part->free);
  flg_mimics_project(&robot->mimics, robot->dynamics, part->free);
  /* Rows of joints are written for v: forward dynamics has left the other velocities behind. */
  if (gyro_velocity != v) flg_dynamics_kinematics(robot->dynamics, q, v);
}

/* masses as they are, but for the step that elastic forces are part of */
static void stiffen(const robot_part *part, double h) {
  flg_dynamics_set_elastic(part->robot->dynamics, (flg_elastic_share){0, 0.25 * h * h});
}

/* No force but those of the load: the same mass, without gravity and efforts, as projections of
 * velocities need it. */
static void let_go(const flg_parts *parts, const robot_part *part, const double *q,
                   const double *v) {
  flg_dynamics *dynamics = part->robot->dynamics;
  const double *gyro_velocity = gyro_velocity_of(parts, part, v);
  stiffen(part, parts->mode->bends);
  flg_dynamics_forward(dynamics, q, gyro_velocity, part->load, (flg_vec3){0}, NULL,
                       part->robot->locked, part->free);
  flg_mimics_project(&part->robot->mimics, dynamics, part->free);
  if (gyro_velocity != v) flg_dynamics_kinematics(dynamics, q, v);
}

static flg_status robots_gather(flg_parts *parts, double time, const double *q, const double *v) {
  for (int k = 0; k < parts->count; k++) {
    const robot_part *part = robot_at(parts, k);
    const double *own_q = q + part->ports.slice.position, *own_v = v + part->ports.slice.velocity;
    if (parts->mode->is_forceless) {
      let_go(parts, part, own_q, own_v);
    } else {
      gather_one(parts, part, time, own_q, own_v);
    }
  }
  return FLG_OK;
}

static void robot_part_accelerate(const flg_parts *parts, bool flies, double *a) {
  (void)flies;
  for (int k = 0; k < parts->count; k++) {
    const robot_part *part = robot_at(parts, k);
    memcpy(a + part->ports.slice.velocity, part->free, (size_t)count_of(part) * sizeof *a);
  }
}

/* --- in the plan --------------------------------------------------------------------------------
 */

static flg_status robot_part_fill(flg_parts *parts) {
  const flg_part_mode *mode = parts->mode;
  for (int k = 0; k < parts->count; k++) {
    const robot_part *part = robot_at(parts, k);
    if (!mode->is_damped) {
      /* no damping in the mass of an undamped solve; locked coordinates stay locked */
      memcpy(part->robot->added, part->robot->locked, (size_t)count_of(part) * sizeof(double));
      stiffen(part, mode->bends);
    }
    /* A robot on which no joint of the assembly acts needs no admittance. */
    if (rows_of_robot(part) == 0) continue;
    flg_dynamics_factor(part->robot->dynamics, part->robot->added);
    flg_articulated_fill(&part->ports, mode, &parts->views[k]);
  }
  return FLG_OK;
}

static flg_spatial robots_drift(const flg_parts *parts, const flg_part_anchor *on) {
  const flg_link_anchor anchor = {on->link, on->pose};
  return flg_dynamics_frame_bias(robot_at(parts, on->part)->robot->dynamics, &anchor);
}

static void robot_part_respond(const flg_parts *parts, int part, double *y) {
  const robot_part *of = robot_at(parts, part);
  flg_dynamics_solve(of->robot->dynamics, y, y);
  flg_mimics_project(&of->robot->mimics, of->robot->dynamics, y);
}

static const double *locked(const flg_parts *parts, int part, int *count) {
  *count = count_of(robot_at(parts, part));
  return robot_at(parts, part)->robot->locked;
}

/* Elastic modes resist like damping does: both make the mass of a step depend on h. */
static bool robot_resists(const flg_parts *parts) {
  for (int k = 0; k < parts->count; k++) {
    const flg_robot_subsystem *robot = robot_at(parts, k)->robot;
    if (robot->resists || robot->robot.flex_count > 0) return true;
  }
  return false;
}

static bool robots_bend(const flg_parts *parts) {
  for (int k = 0; k < parts->count; k++) {
    if (robot_at(parts, k)->robot->robot.flex_count > 0) return true;
  }
  return false;
}

/* of the joint's own link alone, which is less than what it moves */
/* h c > m: an explicit step would reverse the velocity. */
static bool stops(const flg_parts *parts, double h) {
  for (int k = 0; k < parts->count; k++) {
    const flg_robot_subsystem *of = robot_at(parts, k)->robot;
    for (int i = 0; i < of->robot.link_count; i++) {
      const flg_link *link = &of->robot.links[i];
      for (int j = link->velocity; j < link->velocity + link->velocity_count; j++) {
        if (h * link->damping > of->inertias[j]) return true;
      }
    }
  }
  return false;
}

/* --- energy -------------------------------------------------------------------------------------
 */

static double robot_part_energy(const flg_parts *parts, int part) {
  return flg_robot_subsystem_energy(robot_at(parts, part)->robot);
}

/* --- steps --------------------------------------------------------------------------------------
 */

static void robots_set_impulse_step(flg_parts *parts, double h) {
  for (int k = 0; k < parts->count; k++) {
    flg_robot_subsystem *robot = robot_at(parts, k)->robot;
    robot->implicit = h;
    robot->is_midway = true;
  }
}

/* h before: what is sampled may depend on the step that follows */
static void robot_sample(flg_parts *parts, double time, double h) {
  for (int k = 0; k < parts->count; k++) {
    flg_robot_subsystem *robot = robot_at(parts, k)->robot;
    robot->implicit = h;
    flg_robot_sample(robot, time);
  }
}

static void resist(flg_parts *parts, double h) {
  for (int k = 0; k < parts->count; k++) {
    flg_robot_subsystem *robot = robot_at(parts, k)->robot;
    robot->implicit = h;
    flg_robot_resist(robot, robot->v, robot->v);
  }
}

static bool robots_samples_within(const flg_parts *parts, double time) {
  for (int k = 0; k < parts->count; k++) {
    if (flg_robot_samples_within(robot_at(parts, k)->robot, time)) return true;
  }
  return false;
}

static void robot_part_refresh(flg_parts *parts, double time) {
  for (int k = 0; k < parts->count; k++) {
    flg_robot_subsystem_refresh(robot_at(parts, k)->robot, time);
  }
}

static void robots_settle(flg_parts *parts) {
  for (int k = 0; k < parts->count; k++) {
    flg_robot_subsystem_settle(robot_at(parts, k)->robot);
  }
}

static void resample(flg_parts *parts) {
  for (int k = 0; k < parts->count; k++) {
    flg_robot_subsystem_resample(robot_at(parts, k)->robot);
  }
}

static const flg_part_ops robots_ops = {.kind = "robot",
                                        .has_jacobian = true,
                                        .anchor = robots_anchor,
                                        .open = flg_articulated_open,
                                        .ports = flg_articulated_ports,
                                        .equip = robots_equip,
                                        .start = robots_start,
                                        .slice = flg_articulated_slice,
                                        .label = robots_label,
                                        .extent = robots_extent,
                                        .refused_schemes = robot_refused_schemes,
                                        .subsystem = robot_subsystem_of,
                                        .release = robots_release,
                                        .links = links,
                                        .parent = parent,
                                        .rides = rides,
                                        .touches_itself = touches_itself,
                                        .body_name = robots_body_name,
                                        .is_body = robots_is_body,
                                        .place = robot_part_place,
                                        .displace = flg_articulated_displace,
                                        .rate = flg_articulated_rate,
                                        .normalise = flg_articulated_normalise,
                                        .load = robots_load,
                                        .push = robot_part_push,
                                        .gather = robots_gather,
                                        .accelerate = robot_part_accelerate,
                                        .drift = robots_drift,
                                        .fill = robot_part_fill,
                                        .see = flg_articulated_see,
                                        .collect = flg_articulated_collect,
                                        .pull_back = flg_articulated_pull_back,
                                        .mobility = flg_articulated_mobility,
                                        .yield = flg_articulated_yield,
                                        .respond = robot_part_respond,
                                        .locked = locked,
                                        .resists = robot_resists,
                                        .bends = robots_bend,
                                        .stops = stops,
                                        .energy = robot_part_energy,
                                        .kinetic_energy = flg_articulated_kinetic_energy,
                                        .momentum = flg_articulated_momentum,
                                        .free_step = &flg_plain_free_step,
                                        .sample = robot_sample,
                                        .set_impulse_step = robots_set_impulse_step,
                                        .resist = resist,
                                        .samples_within = robots_samples_within,
                                        .refresh = robot_part_refresh,
                                        .settle = robots_settle,
                                        .resample = resample,
                                        .ends = ends,
                                        .ends_most = ends_most,
                                        .frictions = frictions,
                                        .know_frictions = know_frictions};
