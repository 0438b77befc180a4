#include "robot/robot_identity.h"

#include "math/identity.h"
#include "robot/robot_contacts.h"

/* Compiled links rather than the model: two files that say the same in other words are the same
 * robot. */
static uint64_t hash_link(uint64_t hash, const flg_link *link) {
  const flg_inertia *inertia = &link->inertia;
  const int numbers[] = {link->parent, (int)link->kind, link->position, link->velocity};
  const double reals[] = {link->pitch, link->damping, link->armature};
  hash = flg_identity_integers(hash, numbers, sizeof numbers / sizeof numbers[0]);
  hash = flg_identity_reals(hash, &inertia->mass, 1);
  hash = flg_identity_vector(hash, inertia->moment);
  hash = flg_identity_sym3(hash, &inertia->rotation);
  hash = flg_identity_vector(hash, link->axis2);
  hash = flg_identity_reals(hash, reals, sizeof reals / sizeof reals[0]);
  return flg_identity_pose(hash, &link->placement);
}

/* all integrals of the modes: bodies of other meshes may have the same frequencies */
static uint64_t hash_flex(uint64_t hash, const flg_flex *flex) {
  const flg_modal_body *body = &flex->body;
  const size_t n = (size_t)body->modes;
  const int numbers[] = {flex->link, flex->position, flex->velocity, body->modes, body->stiffens};
  hash = flg_identity_integers(hash, numbers, sizeof numbers / sizeof numbers[0]);
  hash = flg_identity_reals(hash, body->mass, n * n);
  hash = flg_identity_reals(hash, body->stiffness, n * n);
  hash = flg_identity_reals(hash, body->damping, n * n);
  for (size_t k = 0; k < n; k++) {
    hash = flg_identity_vector(flg_identity_vector(hash, body->travel[k]), body->swing[k]);
    hash = flg_identity_sym3(hash, &body->inertias[k]);
  }
  for (size_t k = 0; k < n * n; k++) hash = flg_identity_sym3(hash, &body->inertia_pairs[k]);
  return hash;
}

static uint64_t hash_node(uint64_t hash, const flg_robot *robot, const flg_flex_node *node) {
  const int numbers[] = {node->link, node->flex};
  hash = flg_identity_integers(hash, numbers, sizeof numbers / sizeof numbers[0]);
  for (int k = 0; k < robot->flexes[node->flex].body.modes; k++) {
    hash = flg_identity_spatial(hash, node->shapes[k]);
  }
  return flg_identity_vector(hash, node->station);
}

/* what links do not have: friction and followers belong to joints of the model */
static uint64_t hash_robot_joint(uint64_t hash, const flg_joint *joint) {
  const double reals[] = {joint->friction, joint->effort_limit, joint->mimic.multiplier,
                          joint->mimic.offset};
  hash = flg_identity_text(hash, joint->name);
  hash = flg_identity_integers(hash, &joint->mimic.joint, 1);
  return flg_identity_reals(hash, reals, sizeof reals / sizeof reals[0]);
}

static uint64_t hash_payload(uint64_t hash, const flg_payload *payload) {
  /* Without a mass there is no payload, and its frame was never set. */
  if (payload->mass == 0) return hash;
  hash = flg_identity_integers(hash, &payload->frame.link, 1);
  hash = flg_identity_pose(hash, &payload->frame.pose);
  hash = flg_identity_reals(hash, &payload->mass, 1);
  return flg_identity_sym3(hash, &payload->inertia);
}

static uint64_t hash_force(uint64_t hash, const flg_controller *controller) {
  if (controller->kind != FLG_CONTROLLER_FORCE) return hash;
  hash = flg_identity_integers(hash, &controller->point.link, 1);
  hash = flg_identity_pose(hash, &controller->point.pose);
  return flg_identity_spatial(hash, controller->push);
}

static uint64_t hash_controller(uint64_t hash, const flg_controller *controller) {
  const flg_curve *curve = &controller->curve;
  const size_t count = (size_t)controller->count, knots = (size_t)curve->knots;
  const int numbers[] = {(int)controller->kind, controller->count, (int)curve->kind, curve->knots};
  hash = flg_identity_text(hash, controller->name);
  hash = flg_identity_integers(hash, numbers, sizeof numbers / sizeof numbers[0]);
  hash = flg_identity_integers(hash, controller->velocities, count);
  hash = flg_identity_reals(hash, &controller->sample, 1);
  hash = flg_identity_reals(hash, curve->times, knots);
  hash = flg_identity_reals(hash, curve->values, knots * (size_t)curve->width);
  hash = flg_identity_reals(hash, controller->stiffness, count);
  hash = hash_force(hash, controller);
  hash = hash_payload(hash, &controller->payload);
  if (controller->plugin != NULL) hash = flg_identity_bits(hash, controller->plugin->identity);
  return flg_identity_reals(hash, controller->damping, count);
}

/* Order of names and forces matters: checkpoints hold switches by number. */
static uint64_t hash_push(uint64_t hash, const flg_push *push) {
  hash = flg_identity_text(hash, push->name);
  hash = flg_identity_integers(hash, &push->frame.link, 1);
  return flg_identity_pose(flg_identity_spatial(hash, push->force), &push->frame.pose);
}

/* Everything that changes a trajectory, and nothing else: checkpoints of runs that differ are
 * refused. */
uint64_t flg_robot_identity(const void *self, uint64_t seed) {
  const flg_robot_subsystem *subsystem = self;
  const flg_robot_options *options = &subsystem->options;
  const int kind = (int)options->integrator.kind;
  const double reals[] = {options->gravity.x, options->gravity.y, options->gravity.z,
                          options->integrator.relative, options->integrator.absolute};
  uint64_t hash = flg_identity_text(seed, options->name);
  hash = flg_identity_integers(hash, &kind, 1);
  hash = flg_identity_reals(hash, reals, sizeof reals / sizeof reals[0]);
  const flg_robot *robot = &subsystem->robot;
  for (int k = 0; k < robot->link_count; k++) hash = hash_link(hash, &robot->links[k]);
  for (int k = 0; k < robot->flex_count; k++) hash = hash_flex(hash, &robot->flexes[k]);
  for (int k = 0; k < robot->node_count; k++) hash = hash_node(hash, robot, &robot->nodes[k]);
  const flg_model *model = subsystem->model;
  for (int k = 0; k < model->joint_count; k++) hash = hash_robot_joint(hash, &model->joints[k]);
  for (int k = 0; k < subsystem->controller_count; k++) {
    hash = hash_controller(hash, &subsystem->controllers[k]);
  }
  for (int k = 0; k < subsystem->push_count; k++) hash = hash_push(hash, &subsystem->pushes[k]);
  return flg_robot_contacts_identity(subsystem, hash);
}
