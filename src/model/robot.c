#include "model/robot.h"

#include <math.h>

#include "model/body_tree.h"
#include "model/robot_flex.h"

/* of the largest inertia of a link: below this, a joint direction counts as having none */
static const double LEAST_INERTIA = 1e-12;

/* Of the speed that friction takes from a joint in a step: more would be seen as creep, less makes
 * a joint late when it comes loose, by log(1/CREEP) / log(load/friction) steps. */
static const double CREEP = 3e-5;

/* A body that its joint makes a link of. */
static bool has_link(const flg_model *model, const flg_joint *joint) {
  /* A fixed joint needs no link, unless its body bends. */
  if (joint->kind != FLG_JOINT_FIXED) return true;
  return joint->child >= 0 && joint->child < model->body_count &&
         model->bodies[joint->child].flexible != NULL;
}

static size_t count_links(const flg_model *model) {
  size_t count = flg_robot_node_limit(model);
  for (int k = 0; k < model->joint_count; k++) count += has_link(model, &model->joints[k]);
  return count;
}

/* --- compiling ---------------------------------------------------------------------------------
 */

/* The inner frame has its z along the axis: kernels of forward dynamics then know that entries are
 * zero, and skip them. */
static flg_mat3 turn_of_joint(const flg_joint *joint) {
  if (joint->kind == FLG_JOINT_BALL || joint->kind == FLG_JOINT_FLOATING ||
      joint->kind == FLG_JOINT_FIXED) {
    return flg_mat3_identity();
  }
  return flg_mat3_from_z_to(flg_vec3_normalise(joint->axis));
}

/* where a joint's frame is: flexible parents get a node for it */
static flg_link_anchor origin_of(flg_robot *robot, const flg_model *model, const flg_joint *joint) {
  if (joint->parent == FLG_WORLD) return (flg_link_anchor){FLG_WORLD, joint->origin};
  return flg_robot_add_anchor(robot, model, joint->parent, &joint->origin);
}

/* A link for the joint; the body's frame is turned back by what the inner frame was turned. */
static void robot_add_link(flg_robot *robot, const flg_model *model, int index) {
  const flg_joint *joint = &model->joints[index];
  const flg_link_anchor parent = origin_of(robot, model, joint);
  const flg_mat3 turn = turn_of_joint(joint);
  flg_pose placement = parent.pose;
  placement.rotation = flg_mat3_multiply(&placement.rotation, &turn);
  const flg_vec3 axis2 = flg_vec3_normalise(joint->axis2);
  const int velocities = flg_joint_kind_velocities(joint->kind);
  robot->links[robot->link_count] =
      (flg_link){.parent = parent.link,
                 .joint = index,
                 .kind = joint->kind,
                 .position = robot->position_count,
                 .velocity = robot->velocity_count,
                 .velocity_count = velocities,
                 .displacement_count = flg_joint_kind_displacements(joint->kind),
                 .flex = -1,
                 .node = -1,
                 .placement = placement,
                 .axis2 = flg_mat3_apply_transposed(&turn, axis2),
                 .pitch = joint->kind == FLG_JOINT_SCREW ? joint->pitch : 0,
                 .damping = joint->damping,
                 .armature = joint->armature};
  robot->position_count += flg_joint_kind_positions(joint->kind);
  robot->velocity_count += velocities;
  if (joint->kind != FLG_JOINT_FIXED) robot->joint_links[index] = robot->link_count;
  robot->anchors[joint->child] = (flg_link_anchor){.link = robot->link_count++,
                                                   .pose = {.rotation = flg_mat3_transpose(&turn)}};
  flg_robot_make_flexible(robot, model, joint->child);
}

/* Bodies on fixed joints are merged into the link before them: a link of their own would cost as
 * much as one that moves. */
static void weld_body(flg_robot *robot, const flg_model *model, const flg_joint *joint) {
  robot->anchors[joint->child] = origin_of(robot, model, joint);
}

/* Bodies that are welded to the world cannot move: their mass does not matter. */
static void add_inertia(flg_robot *robot, const flg_body *body, const flg_link_anchor *anchor) {
  if (anchor->link == FLG_WORLD) return;
  const flg_inertia own = flg_inertia_from_centre(body->mass, body->centre, body->inertia);
  const flg_inertia moved = flg_inertia_to_parent(&own, &anchor->pose);
  flg_link *link = &robot->links[anchor->link];
  link->inertia = flg_inertia_add(&link->inertia, &moved);
}

/* In the order of the tree: a joint finds its parent's anchor already made. */
static void compile_links(flg_robot *robot, const flg_model *model, const flg_body_tree *tree) {
  for (int k = 0; k < model->joint_count; k++) robot->joint_links[k] = -1;
  for (int k = 0; k < tree->count; k++) {
    const int body = tree->order[k], index = tree->carrier[body];
    if (has_link(model, &model->joints[index])) {
      robot_add_link(robot, model, index);
    } else {
      weld_body(robot, model, &model->joints[index]);
    }
    add_inertia(robot, &model->bodies[body], &robot->anchors[body]);
  }
  flg_robot_add_frames(robot, model);
}

/* --- masses ------------------------------------------------------------------------------------
 */

static const flg_vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

static flg_spatial robot_along(flg_vec3 axis) {
  return (flg_spatial){.linear = axis};
}

static flg_spatial turn_about(flg_vec3 axis) {
  return (flg_spatial){.angular = axis};
}

/* The directions in which the joint lets its link move at zero, in the inner frame. */
static int directions_of(const flg_link *link, flg_spatial directions[6]) {
  const flg_spatial all[6] = {robot_along(X), robot_along(Y), robot_along(Z),
                              turn_about(X),  turn_about(Y),  turn_about(Z)};
  int count = 0;
  switch (link->kind) {
    case FLG_JOINT_PRISMATIC:
      directions[count++] = robot_along(Z);
      break;
    case FLG_JOINT_CYLINDRICAL:
      directions[count++] = robot_along(Z);
      directions[count++] = turn_about(Z);
      break;
    case FLG_JOINT_SCREW:
      directions[count++] = (flg_spatial){flg_vec3_scale(Z, link->pitch), Z};
      break;
    case FLG_JOINT_UNIVERSAL:
      directions[count++] = turn_about(Z);
      directions[count++] = turn_about(link->axis2);
      break;
    case FLG_JOINT_PLANAR:
      directions[count++] = robot_along(X);
      directions[count++] = robot_along(Y);
      directions[count++] = turn_about(Z);
      break;
    case FLG_JOINT_BALL:
      while (count < 3) directions[count] = all[3 + count], count++;
      break;
    case FLG_JOINT_FLOATING:
      while (count < 6) directions[count] = all[count], count++;
      break;
    default:
      directions[count++] = turn_about(Z);
  }
  return count;
}

/* Takes one direction after the other out of the inertia: what is left must stay positive. */
static int resists_every_direction(const flg_link *link) {
  flg_spatial directions[6];
  const int count = directions_of(link, directions);
  flg_articulated left = flg_articulated_from_inertia(&link->inertia);
  const flg_sym3 I = link->inertia.rotation;
  for (int k = 0; k < count; k++) {
    const flg_vec3 turn = directions[k].angular;
    /* Mass and moment are scaled apart, so that the judgement is the same in any unit of length. */
    const double scale =
        link->inertia.mass * flg_vec3_dot(directions[k].linear, directions[k].linear) +
        (I.xx + I.yy + I.zz) * flg_vec3_dot(turn, turn);
    const flg_spatial load = flg_articulated_apply(&left, directions[k]);
    const double inertia = flg_spatial_dot(directions[k], load) + link->armature;
    if (!(inertia > LEAST_INERTIA * scale)) return 0;
    left = flg_articulated_downdate(&left, load, 1 / inertia);
  }
  return 1;
}

static void check_leaf(const flg_link *link, const flg_model *model, flg_mistakes *mistakes) {
  if (resists_every_direction(link)) return;
  const char *hint =
      link->kind == FLG_JOINT_FLOATING
          ? "; a floating link needs a mass of its own, a URDF robot perhaps 'inertia: "
            "from-shapes'"
      : link->velocity_count == 1 ? "; the joint may have an armature, of its rotor"
                                  : "";
  const flg_joint *joint = &model->joints[link->joint];
  const flg_body *body = &model->bodies[joint->child];
  flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place,
                  "body '%s' has no inertia against the motion that joint '%s' (%s) allows%s",
                  body->name, joint->name, flg_joint_kind_name(joint->kind), hint);
}

/* Branches from their ends on. The moment about a parent's origin, at the distance d: in the norm
 * of mass sqrt(I) + d sqrt(m) is a bound of sqrt(I'), in any pose of the joints further out. */
static void weigh_branches(flg_robot *robot) {
  for (int i = robot->link_count - 1; i >= 0; i--) {
    flg_link *link = &robot->links[i];
    const flg_sym3 I = link->inertia.rotation;
    link->branch_mass += link->inertia.mass;
    link->branch_inertia += 0.5 * (I.xx + I.yy + I.zz); /* of all distances, whatever the axis */
    if (link->parent == FLG_WORLD) continue;
    flg_link *parent = &robot->links[link->parent];
    const double distance = flg_vec3_norm(link->placement.position);
    const double root = sqrt(link->branch_inertia) + distance * sqrt(link->branch_mass);
    parent->branch_mass += link->branch_mass;
    parent->branch_inertia += root * root;
  }
}

double flg_robot_length(const flg_robot *robot) {
  double between = 0, most = 0;
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    const double moment = flg_vec3_norm(link->inertia.moment);
    /* Where the robot stands says nothing of its size. */
    if (link->parent != FLG_WORLD) between += flg_vec3_norm(link->placement.position);
    if (moment > 0) most = fmax(most, moment / link->inertia.mass);
  }
  return between + most > 0 ? between + most : 1;
}

/* The inertia that a joint moves along one of its velocities, at most: mass where it slides, moment
 * of inertia where it turns; the rotor included [kg, kg m^2]. */
static double load_of(const flg_link *link, int velocity) {
  if (velocity < link->displacement_count) return link->branch_mass + link->armature;
  return link->branch_inertia + link->armature + link->pitch * link->pitch * link->branch_mass;
}

double flg_robot_creep(const flg_link *link, int velocity, double friction) {
  return friction > 0 ? CREEP * friction / load_of(link, velocity) : 0;
}

/* A link whose branch has mass moves with finite acceleration, save in rare poses if the mass is
 * further out; a link at the end must resist by itself, and so must one that floats: joints further
 * out may take up any of its motions. */
static flg_status check_masses(const flg_robot *robot, const flg_model *model, double *carried,
                               flg_mistakes *mistakes) {
  const int before = mistakes->count;
  for (int i = 0; i < robot->link_count; i++) carried[i] = 0;
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const flg_link *link = &robot->links[i];
    const int is_leaf = carried[i] == 0;
    carried[i] += link->inertia.mass;
    if (link->parent != FLG_WORLD) carried[link->parent] += carried[i];
    if (link->velocity_count == 0) continue;
    if (carried[i] > 0 || link->armature > 0) {
      if (is_leaf || link->kind == FLG_JOINT_FLOATING) check_leaf(link, model, mistakes);
      continue;
    }
    const flg_joint *joint = &model->joints[link->joint];
    const flg_body *body = &model->bodies[joint->child];
    flg_mistake_add(mistakes, FLG_ERR_PHYSICS, body->place,
                    "body '%s' has no mass, and nothing with mass is attached to it: joint '%s' "
                    "would have nothing to move; give it a mass, to a URDF robot 'inertia: "
                    "from-shapes', or to the joint the inertia of its rotor, 'armature: {%s: ..}'",
                    body->name, joint->name, joint->name);
  }
  return mistakes->count == before ? FLG_OK : mistakes->status;
}

/* --- building ----------------------------------------------------------------------------------
 */

static flg_status no_memory_for(const flg_model *model, flg_mistakes *mistakes) {
  return flg_mistake_add(mistakes, FLG_ERR_MEMORY, (flg_place){.file = model->file},
                         "there is no memory for the model '%s'", model->name);
}

/* scratch: for what serves the building alone */
static flg_status build_robot_in(flg_robot *robot, const flg_model *model, flg_region *region,
                                 flg_region *scratch, flg_mistakes *mistakes) {
  const size_t links = count_links(model);
  flg_robot built = {.body_count = model->body_count, .joint_count = model->joint_count};
  built.links = flg_region_take(region, links, sizeof(flg_link));
  built.anchors = flg_region_take(region, (size_t)model->body_count, sizeof(flg_link_anchor));
  built.joint_links = flg_region_take(region, (size_t)model->joint_count, sizeof(int));
  double *masses = flg_region_take(scratch, links, sizeof *masses);
  flg_robot_flex_lay_out(&built, model, region);
  if (region->failed || scratch->failed) return no_memory_for(model, mistakes);
  flg_body_tree tree;
  flg_status status = flg_body_tree_build(&tree, model, scratch, mistakes);
  if (status != FLG_OK) return status;
  compile_links(&built, model, &tree);
  weigh_branches(&built);
  status = check_masses(&built, model, masses, mistakes);
  if (status == FLG_OK) *robot = built;
  return status;
}

flg_status flg_robot_build(flg_robot *robot, const flg_model *model, flg_region *region,
                           flg_mistakes *mistakes) {
  flg_mistakes unread; /* for callers that pass no list */
  if (mistakes == NULL) {
    unread.count = 0;
    mistakes = &unread;
  }
  flg_region scratch = {0};
  const flg_status status = build_robot_in(robot, model, region, &scratch, mistakes);
  flg_region_release(&scratch);
  return status;
}
