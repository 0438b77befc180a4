#include "model/robot_flex.h"

#include <math.h>
#include <string.h>

#include "math/dense_small.h"
#include "math/wide_vectors.h"
#include "model/beam.h"

/* of the distance from the origin of a body: places that are nearer are one */
static const double SAME_PLACE = 1e-9;

/* --- sizes --------------------------------------------------------------------------------------
 */

/* frames that can ride on a body, and the end of a beam */
static size_t riders(const flg_model *model, int body) {
  size_t count = 1;
  for (int k = 0; k < model->joint_count; k++) count += model->joints[k].parent == body;
  for (int k = 0; k < model->frame_count; k++) count += model->frames[k].body == body;
  for (int k = 0; k < model->shape_count; k++) count += model->shapes[k].body == body;
  for (int k = 0; k < model->station_count; k++) count += model->stations[k].body == body;
  return count;
}

size_t flg_robot_node_limit(const flg_model *model) {
  size_t count = 0;
  for (int k = 0; k < model->body_count; k++) {
    if (model->bodies[k].flexible != NULL) count += riders(model, k);
  }
  return count;
}

static size_t flex_count(const flg_model *model) {
  size_t count = 0;
  for (int k = 0; k < model->body_count; k++) count += model->bodies[k].flexible != NULL;
  return count;
}

static void *copy_of(const void *from, size_t count, size_t bytes, flg_region *region) {
  void *copy = flg_region_take(region, count, bytes);
  return copy == NULL ? NULL : memcpy(copy, from, count * bytes);
}

static void lay_out_body(flg_modal_body *body, const flg_modal_body *of, flg_region *region) {
  const size_t n = (size_t)of->modes;
  *body = *of;
  body->mass = copy_of(of->mass, n * n, sizeof(double), region);
  body->stiffness = copy_of(of->stiffness, n * n, sizeof(double), region);
  body->damping = copy_of(of->damping, n * n, sizeof(double), region);
  body->travel = copy_of(of->travel, n, sizeof(flg_vec3), region);
  body->swing = copy_of(of->swing, n, sizeof(flg_vec3), region);
  body->travel_pairs = copy_of(of->travel_pairs, n * n, sizeof(flg_vec3), region);
  body->swing_pairs = copy_of(of->swing_pairs, n * n, sizeof(flg_vec3), region);
  body->inertias = copy_of(of->inertias, n, sizeof(flg_sym3), region);
  body->inertia_pairs = copy_of(of->inertia_pairs, n * n, sizeof(flg_sym3), region);
}

/* Flexes and nodes come in the order of the bodies until their links are known. */
void flg_robot_flex_lay_out(flg_robot *robot, const flg_model *model, flg_region *region) {
  if (flex_count(model) == 0) return;
  robot->flexes = flg_region_take(region, flex_count(model), sizeof(flg_flex));
  robot->nodes = flg_region_take(region, flg_robot_node_limit(model), sizeof(flg_flex_node));
  flg_flex_node *node = robot->nodes;
  for (int k = 0; k < model->body_count && !region->failed; k++) {
    const flg_modal_body *of = model->bodies[k].flexible;
    if (of == NULL) continue;
    flg_flex *flex = &robot->flexes[robot->flex_count++];
    lay_out_body(&flex->body, of, region);
    flex->spin_pairs =
        flg_region_take(region, (size_t)of->modes * (size_t)of->modes, sizeof(flg_vec3));
    flex->link = -1;
    for (size_t r = riders(model, k); r > 0; r--, node++) {
      const size_t n = (size_t)of->modes;
      node->flex = robot->flex_count - 1;
      node->shapes = flg_region_take(region, n, sizeof(flg_spatial));
      node->pairs = flg_region_take(region, n * n, sizeof(flg_vec3));
    }
  }
}

static int flex_of_body(const flg_model *model, int body) {
  int flex = 0;
  for (int k = 0; k < body; k++) flex += model->bodies[k].flexible != NULL;
  return flex;
}

/* --- links --------------------------------------------------------------------------------------
 */

void flg_robot_make_flexible(flg_robot *robot, const flg_model *model, int body) {
  const flg_modal_body *of = model->bodies[body].flexible;
  if (of == NULL) return;
  flg_link *link = &robot->links[robot->link_count - 1];
  link->flex = flex_of_body(model, body);
  link->elastic_count = of->modes;
  flg_flex *flex = &robot->flexes[link->flex];
  flex->link = robot->link_count - 1;
  flex->position = robot->position_count;
  flex->velocity = robot->velocity_count;
  /* Dynamics works in the inner frame of the link, whose z is the axis of the joint: all vectors of
   * the body are turned once, here, rather than in every step. */
  flg_modal_turn(&flex->body, &robot->anchors[body].pose.rotation);
  const flg_vec3 *swing = flex->body.swing_pairs;
  for (int k = 0; k < of->modes; k++) {
    for (int j = 0; j < of->modes; j++) {
      /* Only the skew part of the pairs makes a gyroscopic force. */
      flex->spin_pairs[k + of->modes * j] =
          flg_vec3_subtract(swing[k + of->modes * j], swing[j + of->modes * k]);
    }
  }
  robot->position_count += of->modes;
  robot->velocity_count += of->modes;
}

/* Swaps a node that is not taken yet into the place after those that are. */
/* Nodes come in the order in which links are made, since links are numbered from the root outwards.
 */
static flg_flex_node *take_node(flg_robot *robot, int flex) {
  int k = robot->node_count;
  while (robot->nodes[k].flex != flex) k++;
  const flg_flex_node node = robot->nodes[k];
  robot->nodes[k] = robot->nodes[robot->node_count];
  robot->nodes[robot->node_count] = node;
  return &robot->nodes[robot->node_count++];
}

static int add_node(flg_robot *robot, const flg_modal_body *of, int body, int flex,
                    flg_vec3 station) {
  const flg_mat3 *turn = &robot->anchors[body].pose.rotation;
  const int n = of->modes;
  flg_flex_node *node = take_node(robot, flex);
  node->link = robot->link_count;
  node->first = robot->direction_count;
  node->station = flg_mat3_apply(turn, station);
  flg_modal_shapes(of, station, node->shapes, node->pairs);
  for (int k = 0; k < n; k++) node->shapes[k] = flg_spatial_rotate(node->shapes[k], turn);
  for (int k = 0; k < n * n; k++) node->pairs[k] = flg_mat3_apply(turn, node->pairs[k]);
  robot->direction_count += n;
  const flg_link *parent = &robot->links[robot->flexes[flex].link];
  /* A node is a link without velocities: frames on flexible bodies then need no case of their own
   * in dynamics, contacts and ports. */
  robot->links[robot->link_count++] =
      (flg_link){.parent = robot->flexes[flex].link,
                 .joint = parent->joint,
                 .kind = FLG_JOINT_FIXED,
                 .position = robot->position_count,
                 .velocity = robot->velocity_count,
                 .flex = -1,
                 .node = robot->node_count - 1,
                 .placement = {.rotation = flg_mat3_identity(), .position = node->station}};
  return robot->node_count - 1;
}

/* the nearest node of a flexible link to a place in its inner frame, or -1 */
static int nearest_link_node(const flg_robot *robot, int flex, flg_vec3 place, double *distance) {
  int nearest = -1;
  *distance = INFINITY;
  for (int k = 0; k < robot->node_count; k++) {
    if (robot->nodes[k].flex != flex) continue;
    const double apart = flg_vec3_norm(flg_vec3_subtract(robot->nodes[k].station, place));
    if (apart < *distance) nearest = k, *distance = apart;
  }
  return nearest;
}

static flg_link_anchor on_node(const flg_robot *robot, int node, const flg_pose *inner) {
  flg_link_anchor anchor = {robot->nodes[node].link, *inner};
  anchor.pose.position = flg_vec3_subtract(inner->position, robot->nodes[node].station);
  return anchor;
}

flg_link_anchor flg_robot_add_anchor(flg_robot *robot, const flg_model *model, int body,
                                     const flg_pose *pose) {
  const flg_modal_body *of = model->bodies[body].flexible;
  const flg_link_anchor own = robot->anchors[body];
  const flg_pose inner = flg_pose_compose(&own.pose, pose);
  if (of == NULL) return (flg_link_anchor){own.link, inner};
  const flg_vec3 station = flg_modal_station(of, pose->position);
  const int flex = robot->links[own.link].flex;
  double distance;
  int node = nearest_link_node(robot, flex, flg_mat3_apply(&own.pose.rotation, station), &distance);
  /* Frames at one section share a node: each node costs work in every step. */
  if (!(distance <= SAME_PLACE * flg_vec3_norm(station))) {
    node = add_node(robot, of, body, flex, station);
  }
  return on_node(robot, node, &inner);
}

void flg_robot_add_frames(flg_robot *robot, const flg_model *model) {
  for (int k = 0; k < model->frame_count; k++) {
    const flg_frame *frame = &model->frames[k];
    if (frame->body == FLG_WORLD || model->bodies[frame->body].flexible == NULL) continue;
    (void)flg_robot_add_anchor(robot, model, frame->body, &frame->pose);
  }
  for (int k = 0; k < model->shape_count; k++) {
    const flg_shape *shape = &model->shapes[k];
    if (shape->body == FLG_WORLD || model->bodies[shape->body].flexible == NULL) continue;
    (void)flg_robot_add_anchor(robot, model, shape->body, &shape->pose);
  }
  for (int k = 0; k < model->station_count; k++) {
    const flg_pose at = {flg_mat3_identity(), model->stations[k].at};
    (void)flg_robot_add_anchor(robot, model, model->stations[k].body, &at);
  }
  /* The end of a beam has a node even if nothing is attached there: it is what users record and
   * draw. */
  for (int k = 0; k < model->body_count; k++) {
    const flg_modal_body *of = model->bodies[k].flexible;
    if (of == NULL || of->line == NULL) continue;
    const flg_pose end = flg_beam_line_end(of->line);
    (void)flg_robot_add_anchor(robot, model, k, &end);
  }
}

flg_link_anchor flg_robot_anchor(const flg_robot *robot, int body, const flg_pose *pose,
                                 double *gap) {
  const flg_link_anchor own = robot->anchors[body];
  const flg_pose inner = flg_pose_compose(&own.pose, pose);
  const int flex = own.link == FLG_WORLD ? -1 : robot->links[own.link].flex;
  if (gap != NULL) *gap = 0;
  if (flex < 0) return (flg_link_anchor){own.link, inner};
  const flg_vec3 station = flg_modal_station(
      &robot->flexes[flex].body, flg_mat3_apply_transposed(&own.pose.rotation, inner.position));
  double distance;
  const int node =
      nearest_link_node(robot, flex, flg_mat3_apply(&own.pose.rotation, station), &distance);
  if (gap != NULL) *gap = distance;
  return node < 0 ? (flg_link_anchor){own.link, inner} : on_node(robot, node, &inner);
}

/* --- elastic forces -----------------------------------------------------------------------------
 */

/* f -= K e + C u */
FLG_SMALL void pull_back(int n, const flg_modal_body *body, const double *e, const double *u,
                         double *restrict f) {
  const double *K = body->stiffness, *C = body->damping;
  for (int j = 0; j < n; j++, K += n, C += n) {
    for (int k = 0; k < n; k++) f[k] -= K[k] * e[j] + C[k] * u[j];
  }
}

FLG_WIDE_VECTORS
void flg_robot_elastic_force(const flg_robot *robot, const double *q, const double *v, double *f) {
  for (int i = 0; i < robot->flex_count; i++) {
    const flg_flex *flex = &robot->flexes[i];
    const double *e = q + flex->position, *u = v + flex->velocity;
    double *own = f + flex->velocity;
    if (flex->body.modes == FLG_BEAM_MODES) { /* loops of constant length */
      pull_back(FLG_BEAM_MODES, &flex->body, e, u, own);
    } else {
      pull_back(flex->body.modes, &flex->body, e, u, own);
    }
  }
}

void flg_robot_stiffness_force(const flg_robot *robot, double factor, const double *v, double *f) {
  for (int i = 0; i < robot->flex_count; i++) {
    const flg_flex *flex = &robot->flexes[i];
    const int n = flex->body.modes;
    const double *u = v + flex->velocity, *K = flex->body.stiffness;
    for (int j = 0; j < n; j++, K += n) {
      for (int k = 0; k < n; k++) f[flex->velocity + k] -= factor * K[k] * u[j];
    }
  }
}

double flg_flex_energy(const flg_flex *flex, const double *q) {
  const int n = flex->body.modes;
  const double *e = q + flex->position, *K = flex->body.stiffness;
  double energy = 0;
  for (int j = 0; j < n; j++, K += n) {
    for (int k = 0; k < n; k++) energy += 0.5 * e[k] * K[k] * e[j];
  }
  return energy;
}

double flg_robot_elastic_energy(const flg_robot *robot, const double *q) {
  double energy = 0;
  for (int i = 0; i < robot->flex_count; i++) energy += flg_flex_energy(&robot->flexes[i], q);
  return energy;
}
