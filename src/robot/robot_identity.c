#include "robot/robot_identity.h"

#include "math/identity.h"
#include "robot/robot_contacts.h"

/* Compiled links rather than the model: two files that say the same in other words are the same
 * robot. */
static uint64_t hash_link(uint64_t hash, const flg_link *link) {
  const flg_inertia *inertia = &link->inertia;
  return flg_identity(hash, "iiii rvs vrrr p", link->parent, (int)link->kind, link->position,
                      link->velocity, inertia->mass, inertia->moment, &inertia->rotation,
                      link->axis2, link->pitch, link->damping, link->armature, &link->placement);
}

/* all integrals of the modes: bodies of other meshes may have the same frequencies */
static uint64_t hash_flex(uint64_t hash, const flg_flex *flex) {
  const flg_modal_body *body = &flex->body;
  const int n = body->modes;
  hash = flg_identity(hash, "iiiii RRR", flex->link, flex->position, flex->velocity, n,
                      (int)body->stiffens, body->mass, n * n, body->stiffness, n * n, body->damping,
                      n * n);
  for (int k = 0; k < n; k++) {
    hash = flg_identity(hash, "vvs", body->travel[k], body->swing[k], &body->inertias[k]);
  }
  for (int k = 0; k < n * n; k++) hash = flg_identity(hash, "s", &body->inertia_pairs[k]);
  return hash;
}

static uint64_t hash_node(uint64_t hash, const flg_robot *robot, const flg_flex_node *node) {
  hash = flg_identity(hash, "ii", node->link, node->flex);
  for (int k = 0; k < robot->flexes[node->flex].body.modes; k++) {
    hash = flg_identity(hash, "w", node->shapes[k]);
  }
  return flg_identity(hash, "v", node->station);
}

/* what links do not have: friction and followers belong to joints of the model */
static uint64_t hash_robot_joint(uint64_t hash, const flg_joint *joint) {
  const flg_mimic *mimic = &joint->mimic;
  return flg_identity(hash, "ti rrrr", joint->name, mimic->joint, joint->friction,
                      joint->effort_limit, mimic->multiplier, mimic->offset);
}

static uint64_t hash_payload(uint64_t hash, const flg_payload *payload) {
  /* Without a mass there is no payload, and its frame was never set. */
  if (payload->mass == 0) return hash;
  return flg_identity(hash, "ip rs", payload->frame.link, &payload->frame.pose, payload->mass,
                      &payload->inertia);
}

static uint64_t hash_force(uint64_t hash, const flg_controller *controller) {
  if (controller->kind != FLG_CONTROLLER_FORCE) return hash;
  return flg_identity(hash, "ip w", controller->point.link, &controller->point.pose,
                      controller->push);
}

static uint64_t hash_controller(uint64_t hash, const flg_controller *controller) {
  const flg_curve *curve = &controller->curve;
  const int count = controller->count, knots = curve->knots;
  hash = flg_identity(hash, "t iiii Ir RRR", controller->name, (int)controller->kind, count,
                      (int)curve->kind, knots, controller->velocities, count, controller->sample,
                      curve->times, knots, curve->values, knots * curve->width,
                      controller->stiffness, count);
  hash = hash_force(hash, controller);
  hash = hash_payload(hash, &controller->payload);
  if (controller->plugin != NULL) hash = flg_identity(hash, "u", controller->plugin->identity);
  return flg_identity(hash, "R", controller->damping, count);
}

/* Order of names and forces matters: checkpoints hold switches by number. */
static uint64_t hash_push(uint64_t hash, const flg_push *push) {
  return flg_identity(hash, "ti wp", push->name, push->frame.link, push->force, &push->frame.pose);
}

/* Everything that changes a trajectory, and nothing else: checkpoints of runs that differ are
 * refused. */
uint64_t flg_robot_identity(const void *self, uint64_t seed) {
  const flg_robot_subsystem *subsystem = self;
  const flg_robot_options *options = &subsystem->options;
  uint64_t hash =
      flg_identity(seed, "ti v rr", options->name, (int)options->integrator.kind, options->gravity,
                   options->integrator.relative, options->integrator.absolute);
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
