#include "parts/trees.h"

#include <math.h>
#include <string.h>

#include "math/larger.h"
#include "parts/trees_inner.h"

/* --- a model of each tree -----------------------------------------------------------------------
 * The frame of a body of the model is at its joint, in the axes of the body of the component: at
 * the start all coordinates are zero.
 */

static flg_pose joint_pose(const flg_tree_body *body) {
  return (flg_pose){body->body->pose.rotation, body->at};
}

static flg_body model_body(const flg_tree_body *from) {
  const flg_pose frame = joint_pose(from);
  const flg_vec3 centre = flg_pose_apply(&from->body->pose, from->body->centre);
  return (flg_body){.name = from->body->name,
                    .place = from->body->place,
                    .mass = from->body->mass,
                    .centre = flg_pose_apply_inverse(&frame, centre),
                    .inertia = from->body->inertia};
}

static flg_joint model_joint(const flg_stretch *tree, int index) {
  const flg_tree_body *from = &tree->bodies[index];
  const flg_pose frame = joint_pose(from);
  flg_joint joint = {.name = from->body->name,
                     .place = from->body->place,
                     .kind = from->kind,
                     .parent = from->parent,
                     .child = index,
                     .origin = frame,
                     .axis = flg_mat3_apply_transposed(&frame.rotation, from->axis),
                     .axis2 = flg_mat3_apply_transposed(&frame.rotation, from->axis2),
                     .pitch = from->pitch,
                     .lower = -INFINITY,
                     .upper = INFINITY,
                     .effort_limit = INFINITY,
                     .speed_limit = INFINITY,
                     .mimic = {.joint = -1}};
  if (from->parent == FLG_WORLD) return joint;
  const flg_pose carrier = joint_pose(&tree->bodies[from->parent]);
  const flg_pose inverse = flg_pose_inverse(&carrier);
  joint.origin = flg_pose_compose(&inverse, &frame);
  return joint;
}

static bool make_model(const flg_stretch *tree, flg_model *model, flg_region *region) {
  const size_t count = (size_t)tree->count;
  *model = (flg_model){.name = tree->bodies[0].body->name,
                       .bodies = flg_region_take(region, count, sizeof *model->bodies),
                       .joints = flg_region_take(region, count, sizeof *model->joints),
                       .body_count = tree->count,
                       .joint_count = tree->count};
  if (region->failed) return false;
  for (int k = 0; k < tree->count; k++) {
    model->bodies[k] = model_body(&tree->bodies[k]);
    model->joints[k] = model_joint(tree, k);
  }
  return true;
}

static bool compile_tree(flg_tree_part *part, const flg_model *model, flg_region *region) {
  return flg_robot_build(&part->robot, model, region, NULL) == FLG_OK &&
         flg_dynamics_build(&part->ports.dynamics, &part->robot, region, NULL) == FLG_OK &&
         flg_dynamics_build(&part->start, &part->robot, region, NULL) == FLG_OK;
}

/* --- set-up -------------------------------------------------------------------------------------
 */

static const flg_part_ops trees_ops;

static void take_links(flg_tree_part *part, flg_region *region) {
  const size_t count = (size_t)part->robot.link_count;
  part->frames = flg_region_take(region, count, sizeof *part->frames);
  part->weights = flg_region_take(region, count, sizeof *part->weights);
  part->forces = flg_region_take(region, count, sizeof *part->forces);
  part->targets = flg_region_take(region, count, sizeof *part->targets);
  part->lacks = flg_region_take(region, count, sizeof *part->lacks);
  part->left = flg_region_take(region, count, sizeof *part->left);
  part->spin_changes = flg_region_take(region, count, sizeof *part->spin_changes);
  part->spins = flg_region_take(region, count, sizeof *part->spins);
  part->links = flg_region_take(region, count, sizeof *part->links);
  part->flying = flg_region_take(region, count, sizeof *part->flying);
  part->ways = flg_region_take(region, count, sizeof *part->ways);
  part->ports.ports = flg_region_take(region, count, sizeof *part->ports.ports);
  part->given = flg_region_take(region, count, sizeof *part->given);
}

static void take_numbers(flg_tree_part *part, flg_region *region) {
  const size_t n = (size_t)part->robot.velocity_count;
  double **const pieces[] = {&part->v, &part->none, &part->mean, &part->aimed, &part->change};
  part->q = flg_region_take(region, (size_t)part->robot.position_count, sizeof(double));
  for (size_t k = 0; k < sizeof pieces / sizeof pieces[0]; k++) {
    *pieces[k] = flg_region_take(region, n, sizeof(double));
  }
}

static void make_tree(flg_tree_parts *set, int index, const flg_stretch *tree, flg_region *region) {
  flg_tree_part *part = &set->list[index];
  flg_model model;
  *part = (flg_tree_part){.bodies = tree->bodies, .body_count = tree->count, .group = tree->group};
  if (!make_model(tree, &model, region) || !compile_tree(part, &model, region)) {
    region->failed = true;
    return;
  }
  const flg_robot *robot = &part->robot;
  part->ports.slice = (flg_part_slice){set->all.parts.position_count, robot->position_count,
                                       set->all.parts.velocity_count, robot->velocity_count};
  set->all.parts.position_count += robot->position_count;
  set->all.parts.velocity_count += robot->velocity_count;
  set->all.parts.other_count += 2 + 3 * robot->velocity_count;
  part->ports.count = robot->velocity_count, part->ports.robot = robot;
  set->all.ports[index] = &part->ports;
  take_links(part, region);
  take_numbers(part, region);
  if (region->failed) return;
  flg_momentum_step_build(robot, part->links);
  flg_momentum_step_build(robot, part->flying);
  for (int k = 0; k < tree->count; k++) {
    const flg_tree_body *body = &tree->bodies[k];
    const flg_pose frame = joint_pose(body), inverse = flg_pose_inverse(&frame);
    const flg_pose own = flg_pose_compose(&inverse, &body->body->pose);
    const flg_link_anchor anchor = flg_robot_anchor(robot, k, &own, NULL);
    set->anchors[body->number] = anchor;
    part->weights[anchor.link].linear = flg_vec3_scale(body->gravity, body->body->mass);
  }
}

flg_parts *flg_trees_make(const flg_stretch *trees, int count, int body_count, flg_region *region) {
  flg_tree_parts *set = flg_region_take(region, 1, sizeof *set);
  if (set == NULL) return NULL;
  *set = (flg_tree_parts){
      .all = {.parts = {.ops = &trees_ops, .count = count},
              .ports = flg_region_take(region, (size_t)count, sizeof *set->all.ports)},
      .list = flg_region_take(region, (size_t)count, sizeof *set->list),
      .anchors = flg_region_take(region, (size_t)body_count, sizeof *set->anchors)};
  for (int k = 0; k < count && !region->failed; k++) make_tree(set, k, &trees[k], region);
  return region->failed ? NULL : &set->all.parts;
}

void flg_trees_share(flg_parts *parts, int body, int with) {
  flg_link_anchor *anchors = ((flg_tree_parts *)parts)->anchors;
  anchors[body] = anchors[with];
}

static const flg_link *link_of_tree_body(const flg_parts *parts, int part, int body) {
  return &flg_tree_of(parts, part)
              ->robot.links[((const flg_tree_parts *)parts)->anchors[body].link];
}

void flg_trees_find_slide(const flg_parts *parts, int part, int body, int *position,
                          int *velocity) {
  const flg_part_slice *slice = &flg_tree_of(parts, part)->ports.slice;
  const flg_link *link = link_of_tree_body(parts, part, body);
  *position = slice->position + link->position;
  *velocity = slice->velocity + link->velocity;
}

void flg_trees_find_angle(const flg_parts *parts, int part, int body, int *position,
                          int *velocity) {
  const int after = link_of_tree_body(parts, part, body)->displacement_count;
  flg_trees_find_slide(parts, part, body, position, velocity);
  *position += after, *velocity += after;
}

void flg_trees_couple(flg_parts *parts, int part, int count, double *G, flg_region *region) {
  flg_tree_part *of = flg_tree_of(parts, part);
  flg_mimics *mimics = flg_region_take(region, 1, sizeof *mimics);
  if (mimics == NULL) return;
  if (!flg_mimics_of_rows(mimics, count, of->robot.velocity_count, G, region)) return;
  of->ports.mimics = mimics;
}

const flg_robot *flg_trees_robot(const flg_parts *parts, int part) {
  return &flg_tree_of(parts, part)->robot;
}

bool flg_trees_have_gravity(const flg_parts *parts, int part, flg_vec3 *gravity) {
  const flg_tree_part *of = flg_tree_of(parts, part);
  *gravity = of->bodies[0].gravity;
  for (int k = 1; k < of->body_count; k++) {
    const flg_vec3 other = of->bodies[k].gravity;
    if (other.x != gravity->x || other.y != gravity->y || other.z != gravity->z) return false;
  }
  return true;
}

const flg_mimics *flg_trees_coupled(const flg_parts *parts, int part) {
  return flg_tree_of(parts, part)->ports.mimics;
}

bool flg_parts_are_trees(const flg_parts *parts) {
  return parts->ops == &trees_ops;
}

static flg_part_anchor trees_anchor(flg_parts *parts, int part, int body, flg_pose pose) {
  const flg_link_anchor *anchor = &((const flg_tree_parts *)parts)->anchors[body];
  return (flg_part_anchor){.on = &flg_tree_of(parts, part)->frames[anchor->link],
                           .of = parts,
                           .part = part,
                           .link = anchor->link,
                           .port = -1,
                           .pose = flg_pose_compose(&anchor->pose, &pose)};
}

static void trees_equip(flg_parts *parts, flg_region *region) {
  for (int k = 0; k < parts->count; k++) {
    flg_articulated_equip(&flg_tree_of(parts, k)->ports, parts->mode->is_root, region);
  }
}

static flg_part_label trees_label(const flg_parts *parts, int part) {
  const flg_tree_part *tree = flg_tree_of(parts, part);
  return (flg_part_label){tree->bodies[0].body->name, tree->bodies[0].body->place, tree->group};
}

/* at the start, as of bodies */
static double trees_extent(const flg_parts *parts, const double *q) {
  double most = 0;
  (void)q;
  for (int k = 0; k < parts->count; k++) {
    const flg_tree_part *part = flg_tree_of(parts, k);
    for (int i = 0; i < part->body_count; i++) {
      const flg_component_body *body = part->bodies[i].body;
      most = flg_larger(most, flg_vec3_norm(flg_pose_apply(&body->pose, body->centre)));
    }
  }
  return most;
}

static bool trees_is_linear(const flg_parts *parts, int velocity) {
  int part = parts->count - 1;
  while (flg_tree_of(parts, part)->ports.slice.velocity > velocity) part--;
  const flg_tree_part *of = flg_tree_of(parts, part);
  const int own = velocity - of->ports.slice.velocity;
  int link = of->robot.link_count - 1;
  while (of->robot.links[link].velocity > own) link--;
  return own < of->robot.links[link].velocity + of->robot.links[link].displacement_count;
}

/* --- where they are -----------------------------------------------------------------------------
 */

static void place_tree(flg_tree_part *part, const double *q, const double *v) {
  flg_dynamics *dynamics = part->ports.dynamics;
  memcpy(part->q, q, (size_t)part->ports.slice.position_count * sizeof *q);
  memcpy(part->v, v, (size_t)part->ports.slice.velocity_count * sizeof *v);
  if (part->ports.port_count > 0) {
    flg_dynamics_kinematics(dynamics, q, v);
  } else {
    flg_dynamics_move(dynamics, q, v);
  }
  for (int i = 0; i < part->robot.link_count; i++) {
    part->frames[i] = *flg_dynamics_link_frame(dynamics, i);
  }
}

static void trees_place(flg_parts *parts, const double *q, const double *v, flg_part_placing how) {
  for (int k = 0; k < parts->count; k++) {
    flg_tree_part *part = flg_tree_of(parts, k);
    const bool weighs = how.weighs || part->is_elsewhere;
    if (how.is_same && !weighs) continue;
    place_tree(part, q + part->ports.slice.position, v + part->ports.slice.velocity);
    if (weighs) flg_momentum_step_weigh(part->ports.dynamics, part->links);
    part->is_elsewhere = false;
  }
}

/* --- forces -------------------------------------------------------------------------------------
 */

static void trees_load(flg_parts *parts) {
  for (int k = 0; k < parts->count; k++) {
    const flg_tree_part *part = flg_tree_of(parts, k);
    const bool falls = !parts->mode->is_forceless;
    for (int i = 0; i < part->robot.link_count; i++) {
      part->forces[i] = falls ? flg_momentum_step_at_origin(&part->links[i], part->weights[i])
                              : (flg_spatial){{0, 0, 0}, {0, 0, 0}};
    }
  }
}

static void trees_push(flg_parts *parts, const flg_part_anchor *on, flg_spatial force) {
  const flg_vec3 arm = flg_mat3_apply(&on->on->pose.rotation, on->pose.position);
  flg_spatial *sum = &flg_tree_of(parts, on->part)->forces[on->link];
  *sum = flg_spatial_add(*sum, flg_spatial_shift_force(force, flg_vec3_negate(arm)));
}

/* what is folded, after forward or factor */
static void close_tree_gears(const flg_tree_part *part, double *a) {
  flg_mimics *gears = part->ports.mimics;
  if (gears == NULL) return;
  flg_mimics_project(gears, part->ports.dynamics, a);
  flg_mimics_follow(gears, a);
}

/* under forces alone, without what velocities do */
static void accelerate_plain(const flg_tree_part *part, double *a) {
  flg_dynamics_factor(part->ports.dynamics, part->none);
  flg_dynamics_solve_links(part->ports.dynamics, part->forces, a);
  close_tree_gears(part, a);
}

void flg_tree_accelerate(flg_tree_part *part, double *a) {
  flg_dynamics_forward(part->ports.dynamics, part->q, part->v, part->none, (flg_vec3){0},
                       part->forces, part->none, a);
  close_tree_gears(part, a);
}

static void trees_accelerate(const flg_parts *parts, bool flies, double *a) {
  for (int k = 0; k < parts->count; k++) {
    flg_tree_part *part = flg_tree_of(parts, k);
    double *own = a + part->ports.slice.velocity;
    if (parts->mode->is_coasting) {
      accelerate_plain(part, own);
    } else {
      flg_tree_accelerate(part, own);
    }
  }
  (void)flies; /* gyroscopic moments of a tree do work on its joints */
}

/* --- in the plan --------------------------------------------------------------------------------
 */

static flg_status trees_fill(flg_parts *parts) {
  for (int k = 0; k < parts->count; k++) {
    const flg_tree_part *part = flg_tree_of(parts, k);
    if (part->ports.port_count == 0) continue;
    flg_dynamics_factor(part->ports.dynamics, part->none);
    flg_articulated_fill(&part->ports, parts->mode, &parts->views[k]);
  }
  return FLG_OK;
}

/* --- energy -------------------------------------------------------------------------------------
 */

static double trees_energy(const flg_parts *parts, int part) {
  const flg_tree_part *of = flg_tree_of(parts, part);
  double sum = flg_articulated_kinetic_energy(parts, part);
  for (int i = 0; i < of->robot.link_count; i++) {
    const flg_vec3 centre = flg_pose_apply(&of->frames[i].pose, of->links[i].centre);
    sum -= flg_vec3_dot(of->weights[i].linear, centre);
  }
  return sum;
}

static flg_spatial trees_drift(const flg_parts *parts, const flg_part_anchor *on) {
  const flg_tree_part *part = flg_tree_of(parts, on->part);
  const flg_link_anchor anchor = {on->link, on->pose};
  /* without ports placing left the biases out */
  if (part->ports.port_count == 0) {
    flg_dynamics_kinematics(part->ports.dynamics, part->q, part->v);
  }
  return flg_dynamics_frame_bias(part->ports.dynamics, &anchor);
}

/* --- where they start --------------------------------------------------------------------------
 */

/* the turn about z that takes one vector to another, seen along z */
static double angle_about_z(flg_vec3 from, flg_vec3 to) {
  return atan2(from.x * to.y - from.y * to.x, from.x * to.x + from.y * to.y);
}

static void store_turn_of_base(const flg_mat3 *turn, double *q) {
  const flg_quat at = flg_quat_from_matrix(turn);
  q[0] = at.w, q[1] = at.x, q[2] = at.y, q[3] = at.z;
}

/* two turns, about z and about the second axis that it carries */
static void find_universal(const flg_link *link, const flg_mat3 *turn, double *q) {
  q[0] = angle_about_z(link->axis2, flg_mat3_apply(turn, link->axis2));
  const flg_mat3 back = flg_mat3_from_axis((flg_vec3){0, 0, 1}, -sin(q[0]), cos(q[0]));
  const flg_mat3 second = flg_mat3_multiply(&back, turn);
  q[1] = flg_vec3_dot(link->axis2, flg_quat_log(flg_quat_from_matrix(&second)));
}

/* coordinates of a joint from the pose of its link in its anchor, z along the axis */
static void find_position(const flg_link *link, const flg_pose *pose, double *q) {
  const flg_vec3 travel = pose->position;
  const double angle = angle_about_z((flg_vec3){1, 0, 0}, flg_mat3_column(&pose->rotation, 0));
  switch (link->kind) {
    case FLG_JOINT_PRISMATIC:
      q[0] = travel.z;
      break;
    case FLG_JOINT_CYLINDRICAL:
      q[0] = travel.z, q[1] = angle;
      break;
    case FLG_JOINT_UNIVERSAL:
      find_universal(link, &pose->rotation, q);
      break;
    case FLG_JOINT_PLANAR:
      q[0] = travel.x, q[1] = travel.y, q[2] = angle;
      break;
    case FLG_JOINT_BALL:
      store_turn_of_base(&pose->rotation, q);
      break;
    case FLG_JOINT_FLOATING:
      flg_vec3_store(travel, q);
      store_turn_of_base(&pose->rotation, q + 3);
      break;
    default:
      q[0] = angle;
      break;
  }
}

/* from the poses of the bodies to those of links, and on to the joints between them */
static void find_positions(const flg_tree_parts *set, const flg_tree_part *part, double *q) {
  flg_moving_frame *frames = part->frames; /* work space */
  for (int k = 0; k < part->body_count; k++) {
    const flg_link_anchor *anchor = &set->anchors[part->bodies[k].number];
    const flg_link *link = &part->robot.links[anchor->link];
    const flg_pose inverse = flg_pose_inverse(&anchor->pose);
    frames[anchor->link].pose = flg_pose_compose(&part->given[anchor->link].pose, &inverse);
    flg_pose joint_frame = link->placement;
    if (link->parent != FLG_WORLD) {
      joint_frame = flg_pose_compose(&frames[link->parent].pose, &link->placement);
    }
    const flg_pose back = flg_pose_inverse(&joint_frame);
    const flg_pose moved = flg_pose_compose(&back, &frames[anchor->link].pose);
    find_position(link, &moved, q + link->position);
  }
}

/* Velocities of the bodies, projected onto the joints in the mass norm: those with the same
 * momentum, M v = J^T p. */
static void find_velocities(const flg_tree_parts *set, flg_tree_part *part, double *v) {
  double energy = 0;
  for (int k = 0; k < part->body_count; k++) {
    const int at = set->anchors[part->bodies[k].number].link;
    const flg_momentum_link *link = &part->links[at];
    const flg_moving_frame *given = &part->given[at];
    const flg_vec3 arm = flg_mat3_apply(&given->pose.rotation, part->bodies[k].body->centre);
    const flg_spatial motion = flg_spatial_shift_motion(given->velocity, arm);
    const flg_spatial momentum_k = {flg_vec3_scale(motion.linear, link->mass),
                                    flg_sym3_apply(link->turned, motion.angular)};
    part->forces[at] = flg_momentum_step_at_origin(link, momentum_k);
    energy += flg_spatial_dot(momentum_k, motion) / 2;
  }
  accelerate_plain(part, v);
  flg_dynamics_move(part->ports.dynamics, part->q, v);
  part->lost = energy - flg_dynamics_kinetic_energy(part->ports.dynamics);
}

void flg_trees_put(flg_parts *parts, int part, int body, const flg_moving_frame *at) {
  flg_tree_of(parts, part)->given[((const flg_tree_parts *)parts)->anchors[body].link] = *at;
}

static void follow_given(flg_parts *parts, int index, double *q, double *v) {
  flg_tree_part *part = flg_tree_of(parts, index);
  place_tree(part, q + part->ports.slice.position, part->none);
  flg_momentum_step_weigh(part->ports.dynamics, part->links);
  find_velocities((const flg_tree_parts *)parts, part, v + part->ports.slice.velocity);
  /* the assembly may have been there before, and will not place it again */
  place_tree(part, q + part->ports.slice.position, v + part->ports.slice.velocity);
}

void flg_trees_follow(flg_parts *parts, double *q, double *v) {
  for (int k = 0; k < parts->count; k++) {
    const flg_tree_part *part = flg_tree_of(parts, k);
    find_positions((const flg_tree_parts *)parts, part, q + part->ports.slice.position);
    follow_given(parts, k, q, v);
  }
}

static void trees_start(flg_parts *parts, double *q, double *v, double *other) {
  for (int k = 0; k < parts->count; k++) {
    flg_tree_part *part = flg_tree_of(parts, k);
    const int count = part->ports.slice.velocity_count;
    part->past =
        (flg_tree_past){other, other + 1, other + 2, other + 2 + count, other + 2 + 2 * count};
    other += 2 + 3 * count;
    for (int i = 0; i < part->body_count; i++) {
      const flg_component_body *body = part->bodies[i].body;
      flg_trees_put(parts, k, part->bodies[i].number,
                    &(flg_moving_frame){body->pose, body->velocity});
    }
    flg_robot_zero(&part->robot, q + part->ports.slice.position);
    for (int i = 0; i < part->robot.link_count; i++) part->spins[i].x = NAN; /* not known */
    follow_given(parts, k, q, v);
  }
}

double flg_trees_lost_energy(const flg_parts *parts) {
  double sum = 0;
  for (int k = 0; k < parts->count; k++) sum += flg_tree_of(parts, k)->lost;
  return sum;
}

/* --- what they cost -----------------------------------------------------------------------------
 */

double flg_trees_flops(const flg_parts *parts) {
  /* by count, of links that turn: kinematics, factors and momenta of a step; one answer of all
   * coordinates to forces; six unit forces on a port on their way over one link */
  const double LINK = 900, ANSWER = 110, WAY = 200;
  double sum = 0;
  for (int k = 0; k < parts->count; k++) {
    const flg_tree_part *part = flg_tree_of(parts, k);
    const double n = part->robot.link_count, p = part->ports.port_count;
    const double m = FLG_PORT_NUMBERS * p;
    const double gears = part->ports.mimics == NULL ? 0 : part->ports.mimics->count;
    sum += n * LINK + m * n * ANSWER + WAY * p * n + 36 * p * (p + 1) * n;
    sum += gears * (n * ANSWER + gears * gears / 3);
  }
  return sum;
}

static const flg_part_ops trees_ops = {.kind = "tree",
                                       .has_jacobian = true,
                                       .anchor = trees_anchor,
                                       .open = flg_articulated_open,
                                       .ports = flg_articulated_ports,
                                       .equip = trees_equip,
                                       .start = trees_start,
                                       .slice = flg_articulated_slice,
                                       .label = trees_label,
                                       .extent = trees_extent,
                                       .is_linear = trees_is_linear,
                                       .place = trees_place,
                                       .displace = flg_articulated_displace,
                                       .rate = flg_articulated_rate,
                                       .normalise = flg_articulated_normalise,
                                       .load = trees_load,
                                       .push = trees_push,
                                       .accelerate = trees_accelerate,
                                       .drift = trees_drift,
                                       .fill = trees_fill,
                                       .see = flg_articulated_see,
                                       .collect = flg_articulated_collect,
                                       .pull_back = flg_articulated_pull_back,
                                       .mobility = flg_articulated_mobility,
                                       .yield = flg_articulated_yield,
                                       .energy = trees_energy,
                                       .kinetic_energy = flg_articulated_kinetic_energy,
                                       .momentum = flg_articulated_momentum,
                                       .free_step = &flg_trees_free_step,
                                       .depart = flg_trees_depart,
                                       .arrive = flg_trees_arrive,
                                       .turn = flg_trees_turn,
                                       .spin_changes = flg_trees_spin_changes};
