/* Pairs of shapes of a robot that can touch, and joints that have ends: laid out once. */
#include <math.h>
#include <stdio.h>

#include "base/input_limits.h"
#include "contacts/contact_identity.h"
#include "contract/contact_objects.h"
#include "math/identity.h"
#include "robot/robot_contacts_inner.h"
#include "robot/robot_friction.h"
#include "robot/robot_stages.h"

/* links are numbered from 0 on */
enum { FIXED = FLG_WORLD, GROUND = FLG_WORLD - 1 };

typedef struct making {
  flg_robot_subsystem *robot;
  struct flg_robot_touch *touch;
  flg_mistakes *mistakes;
  int *owners;  /* (shapes) link, FIXED to the ground, GROUND */
  int *port_of; /* (links) its number, from 1 on; 0: it has none yet */
} making;

static void *robot_contacts_build_take(making *make, int count, size_t bytes) {
  return flg_region_take(&make->touch->region, (size_t)count, bytes);
}

/* --- which shapes can touch ---------------------------------------------------------------------
 */

/* nodes are places on their flexible link */
static int whole_link(const flg_robot *robot, int link) {
  return link >= 0 && robot->links[link].node >= 0 ? robot->links[link].parent : link;
}

/* from 1 on; what is fixed to the ground is the first one */
static int piece_of_link(const flg_robot *robot, int link) {
  return whole_link(robot, link) + 2;
}

/* Links do not touch their parents, or do not touch each other at all. The ground is no neighbour:
 * a base link may stand on it and touch it. */
static void connect_links(making *make) {
  const flg_robot *robot = &make->robot->robot;
  flg_touch_shapes *shapes = &make->touch->shapes;
  const bool any = make->robot->options.self_collision;
  for (int k = 0; k < shapes->count; k++) {
    if (make->owners[k] == GROUND) continue;
    shapes->shapes[k].owner = any ? 0 : 1;
    shapes->shapes[k].piece = piece_of_link(robot, make->owners[k]);
  }
  for (int k = 0; k < robot->link_count && any; k++) {
    if (whole_link(robot, k) != k) continue;
    flg_pair_set_add(&shapes->pieces_apart, piece_of_link(robot, k),
                     piece_of_link(robot, robot->links[k].parent), &shapes->region);
  }
  flg_pair_set_sort(&shapes->pieces_apart);
  make->touch->region.failed |= shapes->region.failed;
}

static flg_link_anchor anchor_of(const making *make, int shape) {
  const flg_scene_shape *of = &make->touch->shapes.shapes[shape];
  return flg_robot_anchor(&make->robot->robot, of->body, &of->pose, NULL);
}

static void find_owners(making *make) {
  const flg_touch_shapes *shapes = &make->touch->shapes;
  for (int k = 0; k < shapes->count; k++) {
    const int body = shapes->shapes[k].body;
    make->owners[k] = body == FLG_WORLD ? GROUND : anchor_of(make, k).link;
  }
}

/* --- the scene ----------------------------------------------------------------------------------
 */

/* the touch port of a link, which is made for the first of its shapes */
static int open_port(making *make, int link) {
  struct flg_robot_touch *touch = make->touch;
  if (make->port_of[link] == 0) {
    touch->ports[touch->port_count++] = (flg_link_anchor){link, flg_pose_identity()};
    make->port_of[link] = touch->port_count;
  }
  return make->port_of[link] - 1;
}

/* into the frame of its port, or of the world */
static void place_link_shape(making *make, int k) {
  const int owner = make->owners[k];
  flg_scene_shape *shape = &make->touch->shapes.shapes[k];
  make->touch->shape_bodies[k] = shape->body;
  /* Scenes know ports and the world alone: links that cannot move belong to the world. */
  shape->pose = owner == GROUND ? flg_pose_compose(&make->robot->ground, &shape->pose)
                                : anchor_of(make, k).pose;
  shape->body = owner < 0 ? FLG_WORLD : open_port(make, owner);
}

static const char *name_of_shape_body(const making *make, int shape) {
  const flg_model *model = make->robot->model;
  const int body = make->touch->shapes.shapes[shape].body;
  return body == FLG_WORLD ? "the ground" : model->bodies[body].name;
}

/* says which, once */
static void refuse_integrator(const making *make) {
  const flg_touch_shapes *shapes = &make->touch->shapes;
  for (int i = 0; i < shapes->count; i++) {
    if (make->owners[i] < 0) continue;
    const int j = flg_touch_shapes_partner(shapes, make->owners, i); /* each that is kept has one */
    const char *quote = make->owners[j] == GROUND ? "" : "'";
    flg_mistake_add(make->mistakes, FLG_ERR_INPUT,
                    make->robot->model->shapes[shapes->sources[i]].place,
                    "'%s' can touch %s%s%s, and contacts need 'integrator: leapfrog' or "
                    "'semi-implicit'; write that, or let their shapes not collide",
                    name_of_shape_body(make, i), quote, name_of_shape_body(make, j), quote);
    return;
  }
}

/* without a ground links have nothing to touch but each other */
static bool has_ground(const flg_model *model) {
  for (int k = 0; k < model->shape_count; k++) {
    if (model->shapes[k].collision && model->shapes[k].body == FLG_WORLD) return true;
  }
  return false;
}

static void find_shapes(making *make) {
  struct flg_robot_touch *touch = make->touch;
  const flg_model *model = make->robot->model;
  if (!has_ground(model) && !make->robot->options.self_collision) return;
  if (flg_touch_shapes_build(&touch->shapes, model->shapes, model->shape_count, &model->surfaces,
                             make->mistakes) != FLG_OK) {
    return;
  }
  make->owners = robot_contacts_build_take(make, touch->shapes.count, sizeof *make->owners);
  touch->shape_bodies =
      robot_contacts_build_take(make, touch->shapes.count, sizeof *touch->shape_bodies);
  touch->ports =
      robot_contacts_build_take(make, make->robot->robot.link_count, sizeof *touch->ports);
  make->port_of =
      robot_contacts_build_take(make, make->robot->robot.link_count, sizeof *make->port_of);
  if (touch->region.failed) return;
  find_owners(make);
  connect_links(make);
  flg_touch_shapes_keep(&touch->shapes, make->owners, &touch->region);
  if (touch->region.failed) return;
  if (!flg_integrator_kicks(make->robot->integrator)) refuse_integrator(make);
  for (int k = 0; k < touch->shapes.count; k++) place_link_shape(make, k);
}

/* --- limits -------------------------------------------------------------------------------------
 */

/* Of the length of a joint's range: a start that is further outside is a mistake; rounded angles
 * are not. */
static const double OUTSIDE = 1e-3;

/* Angles have 1 rad, slides the way between their ends. */
static double length_of_range(const flg_joint *joint) {
  const double range = joint->upper - joint->lower;
  if (joint->kind != FLG_JOINT_PRISMATIC) return 1;
  return isfinite(range) ? range : 0;
}

static bool has_end(const flg_joint *joint) {
  return flg_joint_kind_velocities(joint->kind) == 1 &&
         flg_joint_kind_positions(joint->kind) == 1 &&
         (isfinite(joint->lower) || isfinite(joint->upper));
}

static void check_start(const flg_robot_subsystem *robot, const flg_joint_range *range,
                        flg_mistakes *mistakes) {
  const flg_joint *joint = &robot->model->joints[range->joint];
  const double q = robot->q[range->position];
  const double outside = OUTSIDE * (range->length > 0 ? range->length : 1);
  if (q >= range->lower - outside && q <= range->upper + outside) return;
  const double angle = q * acos(-1) / 180;
  char degrees[64] = "";
  /* A start that would fit in degrees was probably meant so: the message says how to write them. */
  if (joint->kind != FLG_JOINT_PRISMATIC && angle >= range->lower && angle <= range->upper) {
    snprintf(degrees, sizeof degrees, " (degrees are written '%.6g deg')", q);
  }
  flg_mistake_add(mistakes, FLG_ERR_INPUT, joint->place,
                  "joint '%s' of '%s' starts at %.6g%s, outside of its limits %.6g .. %.6g; give "
                  "another 'initial:', or write 'limits: ignored'",
                  joint->name, robot->options.name, q, degrees, range->lower, range->upper);
}

int flg_robot_ranges_find(const flg_robot_subsystem *robot, flg_joint_range *ranges,
                          flg_mistakes *mistakes) {
  int count = 0;
  if (robot->options.ignores_limits) return 0;
  for (int k = 0; k < robot->model->joint_count; k++) {
    const flg_joint *joint = &robot->model->joints[k];
    if (!has_end(joint)) continue;
    const flg_link *link = &robot->robot.links[robot->robot.joint_links[k]];
    ranges[count] = (flg_joint_range){joint->name,    joint->place,          k,
                                      link->position, link->velocity,        joint->lower,
                                      joint->upper,   length_of_range(joint)};
    check_start(robot, &ranges[count++], mistakes);
  }
  return count;
}

static void find_limits(making *make) {
  struct flg_robot_touch *touch = make->touch;
  const flg_robot_subsystem *robot = make->robot;
  touch->limits = robot_contacts_build_take(make, robot->model->joint_count, sizeof *touch->limits);
  if (touch->limits == NULL) return;
  touch->limit_count = flg_robot_ranges_find(robot, touch->limits, make->mistakes);
}

/* --- memory -------------------------------------------------------------------------------------
 */

static void robot_contacts_build_lay_out(making *make) {
  struct flg_robot_touch *touch = make->touch;
  const int ports = touch->port_count, rows = flg_robot_touch_rows(touch);
  const int velocities = make->robot->robot.velocity_count;
  touch->poses = robot_contacts_build_take(make, ports, sizeof *touch->poses);
  touch->velocities = robot_contacts_build_take(make, ports, sizeof *touch->velocities);
  touch->places = robot_contacts_build_take(make, ports, sizeof *touch->places);
  touch->active = robot_contacts_build_take(make, ports, sizeof *touch->active);
  touch->ways = robot_contacts_build_take(make, ports, sizeof *touch->ways);
  touch->stops = robot_contacts_build_take(make, 2 * touch->limit_count, sizeof *touch->stops);
  touch->stop_rows = robot_contacts_build_take(make, touch->limit_count, sizeof *touch->stop_rows);
  touch->resting = robot_contacts_build_take(make, touch->limit_count, sizeof *touch->resting);
  touch->ends = robot_contacts_build_take(make, touch->limit_count, sizeof *touch->ends);
  touch->response = robot_contacts_build_take(make, velocities, sizeof(double));
  touch->after = robot_contacts_build_take(make, velocities, sizeof(double));
  touch->starts = robot_contacts_build_take(
      make, flg_robot_stages_starts(make->robot) * (make->robot->robot.position_count + velocities),
      sizeof(double));
  touch->admittance = flg_region_take(&touch->region, (size_t)rows * (size_t)rows, sizeof(double));
  touch->shares =
      flg_region_take(&touch->region, (size_t)rows * (size_t)velocities, sizeof(double));
  touch->rows_before = robot_contacts_build_take(make, rows, sizeof(double));
  touch->rows_free = robot_contacts_build_take(make, rows, sizeof(double));
  touch->impulses = robot_contacts_build_take(make, rows, sizeof(double));
  touch->moves = robot_contacts_build_take(make, rows, sizeof(double));
}

/* the state, with room for what contacts remember at its end */
static void extend_state(making *make) {
  flg_robot_subsystem *robot = make->robot;
  struct flg_robot_touch *touch = make->touch;
  const int before = robot->state_count, count = before + flg_contacts_numbers(touch->contacts);
  double *state = robot_contacts_build_take(make, count, sizeof *state);
  if (state == NULL) return;
  double *v = state + robot->robot.position_count;
  flg_robot_subsystem_move(robot, state, v, v + robot->robot.velocity_count);
  robot->state = state, robot->state_count = count;
  flg_contacts_remember(touch->contacts, state + before);
}

static flg_status build_robot_contacts(making *make, const flg_contacts_options *options,
                                       flg_error *error) {
  struct flg_robot_touch *touch = make->touch;
  touch->options = options == NULL ? flg_contacts_default() : *options;
  touch->options.gravity = flg_vec3_norm(make->robot->options.gravity);
  /* Ends of joints are rows of the contact solver: it is needed even where nothing can touch. */
  if (touch->port_count == 0) touch->options.capacity = 1; /* for limits alone */
  const flg_scene_input input = flg_touch_shapes_scene(&touch->shapes, touch->port_count, NULL);
  for (int k = 0; k < touch->port_count; k++) touch->places[k] = (flg_touch_place){0, 6 * k};
  const flg_status status = flg_contacts_build(&touch->contacts, &input, touch->places, 1,
                                               2 * touch->limit_count, &touch->options, error);
  if (status != FLG_OK) return status;
  touch->options.law = *flg_contacts_law(touch->contacts);
  flg_contacts_kick(touch->contacts,
                    make->robot->options.integrator.kind == FLG_INTEGRATOR_LEAPFROG);
  return FLG_OK;
}

/* D of all that can touch grows with the square of its rows. */
static flg_status check_touch_rows(const making *make, flg_error *error) {
  const struct flg_robot_touch *touch = make->touch;
  const int rows = flg_robot_touch_rows(touch);
  const double most = FLG_KEPT_ROWS * flg_input_limit_value(FLG_LIMIT_ROWS);
  if (rows <= most) return FLG_OK;
  return flg_fail(
      error, FLG_ERR_RANGE,
      "robot '%s' has %d rows of contacts, over %.0f: six for each of %d links that can "
      "touch, one for each of %d joints with ends; let fewer shapes collide, or raise "
      "it with --limit %s=%d",
      make->robot->options.name, rows, most, touch->port_count, touch->limit_count,
      flg_input_limit_name(FLG_LIMIT_ROWS), (rows + FLG_KEPT_ROWS - 1) / FLG_KEPT_ROWS);
}

/* FLG_OK, too, where there is nothing to build: contacts are NULL */
static flg_status build_robot_touch(making *make, const flg_contacts_options *options,
                                    flg_error *error) {
  struct flg_robot_touch *touch = make->touch;
  const int before = make->mistakes->count;
  find_shapes(make);
  find_limits(make);
  if (make->mistakes->count > before) return FLG_OK;
  flg_status status = check_touch_rows(make, error);
  if (status != FLG_OK) return status;
  const bool is_needed = touch->port_count + touch->limit_count > 0;
  if (is_needed && !touch->region.failed) robot_contacts_build_lay_out(make);
  if (is_needed && !touch->region.failed) {
    status = build_robot_contacts(make, options, error);
    if (status != FLG_OK) return status;
    extend_state(make);
  }
  if (!touch->region.failed) return FLG_OK;
  return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for the contacts of '%s'",
                  make->robot->options.name);
}

static void release_touch(struct flg_robot_touch *touch) {
  /* Copied before the release: the struct lies in the region that it releases. */
  flg_region region = touch->region; /* which the touch is in */
  flg_contacts_release(touch->contacts);
  flg_touch_shapes_release(&touch->shapes);
  flg_region_release(&region);
}

flg_status flg_robot_contacts_build(flg_robot_subsystem *robot, const flg_contacts_options *options,
                                    flg_mistakes *mistakes) {
  const flg_place place = {.file = robot->model->file};
  const int before = mistakes->count;
  flg_error error = {0};
  flg_region region = {0};
  struct flg_robot_touch *touch = flg_region_take(&region, 1, sizeof *touch);
  if (touch == NULL) {
    flg_region_release(&region);
    return flg_mistake_add(mistakes, FLG_ERR_MEMORY, place, "there is no memory for contacts");
  }
  touch->region = region;
  making make = {.robot = robot, .touch = touch, .mistakes = mistakes};
  const flg_status status = build_robot_touch(&make, options, &error);
  if (status != FLG_OK) flg_mistake_add(mistakes, status, place, "%s", error.message);
  if (mistakes->count == before && touch->contacts != NULL) {
    robot->touch = touch;
    if (touch->port_count > 0) flg_robot_friction_join(robot);
    flg_robot_objects_touch(robot);
    if (!touch->region.failed) return FLG_OK;
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, place,
                    "there is no memory for the names of contacts");
    robot->touch = NULL;
  }
  release_touch(touch);
  return mistakes->count == before ? FLG_OK : mistakes->status;
}

void flg_robot_contacts_release(flg_robot_subsystem *robot) {
  if (robot->touch != NULL) release_touch(robot->touch);
  robot->touch = NULL;
}

/* --- what others ask ----------------------------------------------------------------------------
 */

int flg_robot_touch_ports(const flg_robot_subsystem *robot, const flg_link_anchor **anchors) {
  if (robot->touch == NULL) return 0;
  *anchors = robot->touch->ports;
  return robot->touch->port_count;
}

flg_contacts *flg_robot_contacts_view(const void *self) {
  const flg_robot_subsystem *robot = self;
  return robot->touch == NULL ? NULL : robot->touch->contacts;
}

flg_touched flg_robot_touched(const void *self, int shape) {
  const flg_robot_subsystem *robot = self;
  const flg_shape *source = &robot->model->shapes[robot->touch->shapes.sources[shape]];
  const bool ground = source->body == FLG_WORLD;
  return (flg_touched){.shape = source,
                       .body = ground ? "world" : robot->model->bodies[source->body].name};
}

flg_vec3 flg_robot_contact_force(const flg_robot_subsystem *robot, int body) {
  return flg_contacts_force(robot->touch->contacts, robot->touch->shape_bodies, body);
}

uint64_t flg_robot_contacts_identity(const flg_robot_subsystem *robot, uint64_t seed) {
  const struct flg_robot_touch *touch = robot->touch;
  if (touch == NULL) return seed;
  uint64_t hash = flg_contact_identity(seed, &touch->shapes, &touch->options);
  hash = flg_identity(hash, "ip", (int)robot->options.self_collision, &robot->ground);
  return flg_joint_ranges_identity(touch->limits, touch->limit_count, hash);
}
