/* Who of a robot can touch whom, and which joints end: laid out once. */
#include <math.h>
#include <stdio.h>

#include "contacts/contact_identity.h"
#include "contract/contact_objects.h"
#include "math/identity.h"
#include "robot/robot_contacts_inner.h"
#include "robot/robot_stages.h"

/* links are numbered from 0 on */
enum { FIXED = FLG_WORLD, GROUND = FLG_WORLD - 1 };

typedef struct making {
  flg_robot_subsystem *robot;
  struct flg_robot_touch *touch;
  flg_mistakes *mistakes;
  int *owners;     /* (shapes of the model that collide) link, FIXED to the ground, GROUND */
  int *numbers;    /* (the same) in the scene, -1: it can touch nothing */
  int *link_ports; /* (links) -1: none */
  int (*apart)[2]; /* pairs of the scene that never touch */
  int apart_count;
  flg_scene_shape *scene; /* (shape_count) */
} making;

static void *take(making *make, int count, size_t bytes) {
  return flg_region_take(&make->touch->region, (size_t)count, bytes);
}

/* --- who can touch whom -------------------------------------------------------------------------
 */

/* nodes are places on their flexible link */
static int whole_link(const flg_robot *robot, int link) {
  return link >= 0 && robot->links[link].node >= 0 ? robot->links[link].parent : link;
}

static bool is_child(const flg_robot *robot, int child, int parent) {
  return child >= 0 && whole_link(robot, robot->links[child].parent) == parent;
}

static bool is_connected(const flg_robot *robot, int a, int b) {
  const int first = whole_link(robot, a), second = whole_link(robot, b);
  return first == second || is_child(robot, first, second) || is_child(robot, second, first);
}

static bool owners_may_touch(const making *make, int a, int b) {
  if (a == b || (a < 0 && b < 0)) return false;
  if (a == GROUND || b == GROUND) return true;
  return make->robot->options.self_collision && !is_connected(&make->robot->robot, a, b);
}

static bool are_listed_apart(const flg_touch_shapes *shapes, int a, int b) {
  for (int k = 0; k < shapes->apart_count; k++) {
    const int *pair = shapes->apart[k];
    if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a)) return true;
  }
  return false;
}

/* planes and fields do not meet, nor do points */
static bool shapes_may_touch(const flg_contact_shape *a, const flg_contact_shape *b) {
  const bool is_flat = a->kind <= FLG_CONTACT_HEIGHT_FIELD && b->kind <= FLG_CONTACT_HEIGHT_FIELD;
  return !is_flat && !(a->kind == FLG_CONTACT_POINTS && b->kind == FLG_CONTACT_POINTS);
}

static bool may_touch(const making *make, int i, int j) {
  const flg_scene_shape *a = &make->touch->shapes.shapes[i], *b = &make->touch->shapes.shapes[j];
  return owners_may_touch(make, make->owners[i], make->owners[j]) &&
         shapes_may_touch(a->shape, b->shape) && a->family == b->family &&
         (a->group & b->collides) != 0 && (b->group & a->collides) != 0 &&
         !are_listed_apart(&make->touch->shapes, i, j);
}

static bool can_touch(const making *make, int shape) {
  for (int k = 0; k < make->touch->shapes.count; k++) {
    if (may_touch(make, shape, k)) return true;
  }
  return false;
}

static flg_mount mount_of(const making *make, int shape) {
  const flg_scene_shape *of = &make->touch->shapes.shapes[shape];
  return flg_robot_mount(&make->robot->robot, of->body, &of->pose, NULL);
}

static void find_owners(making *make) {
  const flg_touch_shapes *shapes = &make->touch->shapes;
  for (int k = 0; k < shapes->count; k++) {
    const int body = shapes->shapes[k].body;
    make->owners[k] = body == FLG_WORLD ? GROUND : mount_of(make, k).link;
  }
}

/* links are ports in the order of their shapes */
static void find_ports(making *make) {
  struct flg_robot_touch *touch = make->touch;
  for (int k = 0; k < make->robot->robot.link_count; k++) make->link_ports[k] = -1;
  for (int k = 0; k < touch->shapes.count; k++) {
    const int owner = make->owners[k];
    make->numbers[k] = can_touch(make, k) ? touch->shape_count++ : -1;
    if (make->numbers[k] < 0 || owner < 0 || make->link_ports[owner] >= 0) continue;
    make->link_ports[owner] = touch->port_count;
    touch->ports[touch->port_count++] = (flg_mount){owner, flg_pose_identity()};
  }
}

/* --- the scene ----------------------------------------------------------------------------------
 */

static void place_shape(const making *make, int k, flg_scene_shape *shape) {
  const flg_robot_subsystem *robot = make->robot;
  const int owner = make->owners[k];
  *shape = make->touch->shapes.shapes[k];
  make->touch->shape_bodies[make->numbers[k]] = shape->body;
  make->touch->shape_sources[make->numbers[k]] = make->touch->shapes.sources[k];
  shape->pose =
      owner == GROUND ? flg_pose_compose(&robot->ground, &shape->pose) : mount_of(make, k).pose;
  shape->body = owner < 0 ? FLG_WORLD : make->link_ports[owner];
}

static void add_apart(making *make, int i, int j) {
  const int *number = make->numbers;
  if (number[i] < 0 || number[j] < 0 || may_touch(make, i, j)) return;
  if (make->scene[number[i]].body == make->scene[number[j]].body) return;
  make->apart[make->apart_count][0] = number[j];
  make->apart[make->apart_count++][1] = number[i];
}

static void make_scene(making *make) {
  struct flg_robot_touch *touch = make->touch;
  const int n = touch->shape_count;
  make->scene = take(make, n, sizeof *make->scene);
  make->apart = take(make, n * (n - 1) / 2, sizeof *make->apart);
  touch->shape_bodies = take(make, n, sizeof *touch->shape_bodies);
  touch->shape_sources = take(make, n, sizeof *touch->shape_sources);
  if (touch->region.failed) return;
  for (int k = 0; k < touch->shapes.count; k++) {
    if (make->numbers[k] >= 0) place_shape(make, k, &make->scene[make->numbers[k]]);
  }
  for (int i = 0; i < touch->shapes.count; i++) {
    for (int j = 0; j < i; j++) add_apart(make, i, j);
  }
}

static const char *name_of(const making *make, int shape) {
  const flg_model *model = make->robot->model;
  const int body = make->touch->shapes.shapes[shape].body;
  return body == FLG_WORLD ? "the ground" : model->bodies[body].name;
}

/* says which, once */
static void refuse_integrator(const making *make) {
  const flg_touch_shapes *shapes = &make->touch->shapes;
  for (int i = 0; i < shapes->count; i++) {
    for (int j = 0; j < shapes->count; j++) {
      if (make->owners[i] < 0 || !may_touch(make, i, j)) continue;
      flg_mistake_add(make->mistakes, FLG_ERR_INPUT,
                      make->robot->model->shapes[shapes->sources[i]].place,
                      "'%s' can touch %s%s%s, and contacts need 'integrator: leapfrog' or "
                      "'semi-implicit'; write that, or let their shapes not collide",
                      name_of(make, i), make->owners[j] == GROUND ? "" : "'", name_of(make, j),
                      make->owners[j] == GROUND ? "" : "'");
      return;
    }
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
  make->owners = take(make, touch->shapes.count, sizeof *make->owners);
  make->numbers = take(make, touch->shapes.count, sizeof *make->numbers);
  make->link_ports = take(make, make->robot->robot.link_count, sizeof *make->link_ports);
  touch->ports = take(make, make->robot->robot.link_count, sizeof *touch->ports);
  if (touch->region.failed) return;
  find_owners(make);
  find_ports(make);
  if (touch->port_count == 0) return;
  if (!flg_integrator_kicks(make->robot->integrator)) refuse_integrator(make);
  make_scene(make);
}

/* --- limits -------------------------------------------------------------------------------------
 */

/* Of the length of a joint's range: a start that is further outside is a mistake; rounded angles
 * are not. */
static const double OUTSIDE = 1e-3;

/* Angles have 1 rad, slides the way between their ends. */
static double length_of(const flg_joint *joint) {
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
    ranges[count] = (flg_joint_range){joint->name,    joint->place,    k,
                                      link->position, link->velocity,  joint->lower,
                                      joint->upper,   length_of(joint)};
    check_start(robot, &ranges[count++], mistakes);
  }
  return count;
}

static void find_limits(making *make) {
  struct flg_robot_touch *touch = make->touch;
  const flg_robot_subsystem *robot = make->robot;
  touch->limits = take(make, robot->model->joint_count, sizeof *touch->limits);
  if (touch->limits == NULL) return;
  touch->limit_count = flg_robot_ranges_find(robot, touch->limits, make->mistakes);
}

/* --- memory -------------------------------------------------------------------------------------
 */

static void lay_out(making *make) {
  struct flg_robot_touch *touch = make->touch;
  const int ports = touch->port_count, rows = flg_robot_touch_rows(touch);
  const int velocities = make->robot->robot.velocity_count;
  touch->poses = take(make, ports, sizeof *touch->poses);
  touch->velocities = take(make, ports, sizeof *touch->velocities);
  touch->seats = take(make, ports, sizeof *touch->seats);
  touch->active = take(make, ports, sizeof *touch->active);
  touch->ways = take(make, ports, sizeof *touch->ways);
  touch->stops = take(make, 2 * touch->limit_count, sizeof *touch->stops);
  touch->stop_rows = take(make, touch->limit_count, sizeof *touch->stop_rows);
  touch->resting = take(make, touch->limit_count, sizeof *touch->resting);
  touch->ends = take(make, touch->limit_count, sizeof *touch->ends);
  touch->response = take(make, velocities, sizeof(double));
  touch->starts = take(
      make, flg_robot_stages_starts(make->robot) * (make->robot->robot.position_count + velocities),
      sizeof(double));
  touch->admittance = flg_region_take(&touch->region, (size_t)rows * (size_t)rows, sizeof(double));
  touch->shares =
      flg_region_take(&touch->region, (size_t)rows * (size_t)velocities, sizeof(double));
  touch->rows_before = take(make, rows, sizeof(double));
  touch->rows_free = take(make, rows, sizeof(double));
  touch->impulses = take(make, rows, sizeof(double));
  touch->moves = take(make, rows, sizeof(double));
}

/* the state, with room for what contacts remember at its end */
static void extend_state(making *make) {
  flg_robot_subsystem *robot = make->robot;
  struct flg_robot_touch *touch = make->touch;
  const int before = robot->state_count, count = before + flg_contacts_numbers(touch->contacts);
  double *state = take(make, count, sizeof *state);
  if (state == NULL) return;
  double *v = state + robot->robot.position_count;
  flg_robot_subsystem_move(robot, state, v, v + robot->robot.velocity_count);
  robot->state = state, robot->state_count = count;
  flg_contacts_remember(touch->contacts, state + before);
}

static flg_status build_contacts(making *make, const flg_contacts_options *options,
                                 flg_error *error) {
  struct flg_robot_touch *touch = make->touch;
  touch->options = options == NULL ? flg_contacts_default() : *options;
  touch->options.gravity = flg_vec3_norm(make->robot->options.gravity);
  if (touch->port_count == 0) touch->options.capacity = 1; /* for limits alone */
  const flg_scene_input input = {.shapes = make->scene,
                                 .materials = &touch->shapes.materials,
                                 .shapes_apart = (const int(*)[2])make->apart,
                                 .shape_count = touch->shape_count,
                                 .shapes_apart_count = make->apart_count,
                                 .body_count = touch->port_count};
  for (int k = 0; k < touch->port_count; k++) touch->seats[k] = (flg_touch_seat){0, 6 * k};
  const flg_status status = flg_contacts_build(&touch->contacts, &input, touch->seats, 1,
                                               2 * touch->limit_count, &touch->options, error);
  if (status == FLG_OK) touch->options.law = *flg_contacts_law(touch->contacts);
  return status;
}

/* FLG_OK, too, where there is nothing to build: contacts are NULL */
static flg_status build(making *make, const flg_contacts_options *options, flg_error *error) {
  struct flg_robot_touch *touch = make->touch;
  const int before = make->mistakes->count;
  find_shapes(make);
  find_limits(make);
  if (make->mistakes->count > before) return FLG_OK;
  const bool is_needed = touch->port_count + touch->limit_count > 0;
  if (is_needed && !touch->region.failed) lay_out(make);
  if (is_needed && !touch->region.failed) {
    const flg_status status = build_contacts(make, options, error);
    if (status != FLG_OK) return status;
    extend_state(make);
  }
  if (!touch->region.failed) return FLG_OK;
  return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for the contacts of '%s'",
                  make->robot->options.name);
}

static void release(struct flg_robot_touch *touch) {
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
  const flg_status status = build(&make, options, &error);
  if (status != FLG_OK) flg_mistake_add(mistakes, status, place, "%s", error.message);
  if (mistakes->count == before && touch->contacts != NULL) {
    robot->touch = touch;
    flg_robot_objects_touch(robot);
    if (!touch->region.failed) return FLG_OK;
    flg_mistake_add(mistakes, FLG_ERR_MEMORY, place,
                    "there is no memory for the names of contacts");
    robot->touch = NULL;
  }
  release(touch);
  return mistakes->count == before ? FLG_OK : mistakes->status;
}

void flg_robot_contacts_release(flg_robot_subsystem *robot) {
  if (robot->touch != NULL) release(robot->touch);
  robot->touch = NULL;
}

/* --- what others ask ----------------------------------------------------------------------------
 */

int flg_robot_touch_ports(const flg_robot_subsystem *robot, const flg_mount **mounts) {
  if (robot->touch == NULL) return 0;
  *mounts = robot->touch->ports;
  return robot->touch->port_count;
}

flg_contacts *flg_robot_contacts_view(const flg_robot_subsystem *robot) {
  return robot->touch == NULL ? NULL : robot->touch->contacts;
}

flg_touched flg_robot_touched(const flg_robot_subsystem *robot, int shape) {
  const flg_shape *source = &robot->model->shapes[robot->touch->shape_sources[shape]];
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
  const int self = robot->options.self_collision;
  uint64_t hash = flg_contact_identity(seed, &touch->shapes, &touch->options);
  hash = flg_identity_pose(flg_identity_integers(hash, &self, 1), &robot->ground);
  return flg_joint_ranges_identity(touch->limits, touch->limit_count, hash);
}
