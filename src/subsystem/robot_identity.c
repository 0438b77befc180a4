/* robot_identity.c - numbers are hashed one by one, since structs have padding. */
#include "subsystem/robot_identity.h"

#include <string.h>

#include "flange/hash.h"

static uint64_t hash_reals(uint64_t hash, const double *values, size_t count) {
  return values == NULL ? hash : flg_hash(hash, values, count * sizeof *values);
}

static uint64_t hash_integers(uint64_t hash, const int *values, size_t count) {
  return values == NULL ? hash : flg_hash(hash, values, count * sizeof *values);
}

static uint64_t hash_text(uint64_t hash, const char *text) {
  return flg_hash(hash, text, strlen(text) + 1);
}

static uint64_t hash_pose(uint64_t hash, const flg_pose *pose) {
  const double position[] = {pose->position.x, pose->position.y, pose->position.z};
  return hash_reals(hash_reals(hash, pose->rotation.m, 9), position, 3);
}

static uint64_t hash_link(uint64_t hash, const flg_link *link) {
  const flg_inertia *inertia = &link->inertia;
  const flg_sym3 *I = &inertia->rotation;
  const int numbers[] = {link->parent, (int)link->kind, link->position, link->velocity};
  const double reals[] = {inertia->mass,
                          inertia->moment.x,
                          inertia->moment.y,
                          inertia->moment.z,
                          I->xx,
                          I->yy,
                          I->zz,
                          I->xy,
                          I->xz,
                          I->yz,
                          link->axis2.x,
                          link->axis2.y,
                          link->axis2.z,
                          link->pitch,
                          link->damping};
  hash = hash_integers(hash, numbers, sizeof numbers / sizeof numbers[0]);
  hash = hash_reals(hash, reals, sizeof reals / sizeof reals[0]);
  return hash_pose(hash, &link->placement);
}

static uint64_t hash_joint(uint64_t hash, const flg_joint *joint) {
  const double reals[] = {joint->friction, joint->effort_limit, joint->mimic.multiplier,
                          joint->mimic.offset};
  hash = hash_text(hash, joint->name);
  hash = hash_integers(hash, &joint->mimic.joint, 1);
  return hash_reals(hash, reals, sizeof reals / sizeof reals[0]);
}

static uint64_t hash_controller(uint64_t hash, const flg_controller *controller) {
  const flg_curve *curve = &controller->curve;
  const size_t count = (size_t)controller->count, knots = (size_t)curve->knots;
  const int numbers[] = {(int)controller->kind, controller->count, (int)curve->kind, curve->knots};
  hash = hash_text(hash, controller->name);
  hash = hash_integers(hash, numbers, sizeof numbers / sizeof numbers[0]);
  hash = hash_integers(hash, controller->velocities, count);
  hash = hash_reals(hash, &controller->sample, 1);
  hash = hash_reals(hash, curve->times, knots);
  hash = hash_reals(hash, curve->values, knots * (size_t)curve->width);
  hash = hash_reals(hash, controller->stiffness, count);
  return hash_reals(hash, controller->damping, count);
}

static uint64_t hash_push(uint64_t hash, const flg_push *push) {
  double force[6];
  flg_spatial_store(push->force, force);
  hash = hash_text(hash, push->name);
  hash = hash_integers(hash, &push->frame.link, 1);
  return hash_pose(hash_reals(hash, force, 6), &push->frame.pose);
}

uint64_t flg_robot_identity(const flg_robot_subsystem *subsystem, uint64_t seed) {
  const flg_robot_options *options = &subsystem->options;
  const int kind = (int)options->integrator.kind;
  const double reals[] = {options->gravity.x, options->gravity.y, options->gravity.z,
                          options->integrator.relative, options->integrator.absolute};
  uint64_t hash = hash_text(seed, options->name);
  hash = hash_integers(hash, &kind, 1);
  hash = hash_reals(hash, reals, sizeof reals / sizeof reals[0]);
  const flg_robot *robot = &subsystem->robot;
  for (int k = 0; k < robot->link_count; k++) hash = hash_link(hash, &robot->links[k]);
  const flg_model *model = subsystem->model;
  for (int k = 0; k < model->joint_count; k++) hash = hash_joint(hash, &model->joints[k]);
  for (int k = 0; k < subsystem->controller_count; k++) {
    hash = hash_controller(hash, &subsystem->controllers[k]);
  }
  for (int k = 0; k < subsystem->push_count; k++) hash = hash_push(hash, &subsystem->pushes[k]);
  return hash;
}
