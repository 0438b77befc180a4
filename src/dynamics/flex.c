#include "dynamics/flex.h"

#include <math.h>
#include <string.h>

#include "dynamics/inertia.h"
#include "dynamics/wide.h"
#include "math/wide_vectors.h"
#include "model/robot_flex.h"

/* --- set-up -------------------------------------------------------------------------------------
 */

void flg_flex_lay_out(flg_dynamics *dynamics, flg_region *region) {
  const flg_robot *robot = dynamics->robot;
  if (robot->flex_count == 0) return;
  dynamics->flexes = flg_region_take(region, (size_t)robot->flex_count, sizeof(flg_flex_motion));
  /* lanes read a number behind the last */
  dynamics->directions =
      flg_region_take(region, (size_t)robot->direction_count + 1, sizeof(flg_spatial));
  dynamics->bends = flg_region_take(region, (size_t)robot->node_count + 1, sizeof(flg_vec3));
  dynamics->sleeps = flg_region_take(region, (size_t)robot->link_count, sizeof(bool));
  for (int k = 0; k < robot->flex_count; k++) {
    const size_t n = (size_t)robot->flexes[k].body.modes;
    const flg_flex_motion motion = {.momentum = flg_region_take(region, n, sizeof(flg_spatial)),
                                    .travel = flg_region_take(region, n, sizeof(flg_vec3)),
                                    .swing = flg_region_take(region, n, sizeof(flg_vec3)),
                                    .sums = flg_region_take(region, n, sizeof(flg_vec3)),
                                    .inertias = flg_region_take(region, n, sizeof(flg_sym3)),
                                    .pull = flg_region_take(region, n, sizeof(double)),
                                    .force = flg_region_take(region, n, sizeof(double)),
                                    .block = flg_region_take(region, n * n, sizeof(double))};
    if (dynamics->flexes != NULL) dynamics->flexes[k] = motion;
  }
}

void flg_dynamics_set_elastic(flg_dynamics *dynamics, flg_elastic_share share) {
  /* Rigid robots must not lose their factors by a share that does not concern them. */
  if (dynamics->robot->flex_count > 0) dynamics->elastic = share;
}

/* --- kinematics ---------------------------------------------------------------------------------
 */

/* y_k = sum_j pairs[k + modes j] x_j, of all k at once: those of one j lie together, `width`
 * numbers each */
FLG_SMALL void sum_pairs(const double *pairs, int width, int n, const double *x, double *y) {
  const int rows = width * n;
  for (int i = 0; i < rows; i++) y[i] = 0;
  for (int j = 0; j < n; j++, pairs += rows) {
    const double factor = x[j];
    for (int i = 0; i < rows; i++) y[i] += factor * pairs[i];
  }
}

FLG_SMALL void sum_vectors(const flg_vec3 *pairs, int n, const double *x, flg_vec3 *y) {
  _Static_assert(sizeof(flg_vec3) == 3 * sizeof(double), "three numbers without gaps");
  sum_pairs(&pairs->x, 3, n, x, &y->x);
}

/* t_k(e), c_k(e), dI/de_k, and what they make of h and I; n: modes of the body */
FLG_SMALL void deform_modes(int n, const flg_modal_body *body, const double *e, flg_flex_motion *to,
                            flg_inertia *deformed) {
  _Static_assert(sizeof(flg_sym3) == 6 * sizeof(double), "six numbers without gaps");
  sum_vectors(body->swing_pairs, n, e, to->swing);
  sum_pairs(&body->inertia_pairs->xx, 6, n, e, &to->inertias->xx);
  if (body->stiffens) sum_vectors(body->travel_pairs, n, e, to->travel);
  for (int k = 0; k < n; k++) {
    to->swing[k] = flg_vec3_add(body->swing[k], to->swing[k]);
    flg_vec3 travel = body->travel[k];
    if (body->stiffens) travel = flg_vec3_add(travel, to->travel[k]);
    to->travel[k] = travel;
    /* The moment is quadratic in e: half of the sum of both ends' derivatives is exact. */
    deformed->moment =
        flg_vec3_add_scaled(deformed->moment, 0.5 * e[k], flg_vec3_add(travel, body->travel[k]));
    const flg_sym3 sum = to->inertias[k], first = body->inertias[k];
    deformed->rotation = flg_sym3_add_scaled(deformed->rotation, e[k], flg_sym3_add(first, sum));
    to->inertias[k] = flg_sym3_add_scaled(first, 2, sum);
  }
}

FLG_WIDE_VECTORS static void deform(const flg_modal_body *body, const double *e,
                                    flg_flex_motion *to, flg_inertia *deformed) {
  /* Beams of the usual number of modes get loops of constant length, which compilers unroll. */
  if (body->modes == FLG_BEAM_MODES) {
    deform_modes(FLG_BEAM_MODES, body, e, to, deformed);
  } else {
    deform_modes(body->modes, body, e, to, deformed);
  }
}

FLG_WIDE_VECTORS void flg_flex_deform(flg_dynamics *dynamics, int flex, const double *q) {
  const flg_flex *of = &dynamics->robot->flexes[flex];
  const flg_mat3 *turn = &dynamics->motions[of->link].rotation;
  flg_flex_motion *to = &dynamics->flexes[flex];
  flg_inertia deformed = dynamics->robot->links[of->link].inertia;
  deform(&of->body, q + of->position, to, &deformed);
  to->own = (flg_inertia){.mass = deformed.mass,
                          .moment = flg_mat3_apply(turn, deformed.moment),
                          .rotation = flg_inertia_turn(deformed.rotation, turn)};
  for (int k = 0; k < of->body.modes; k++) {
    to->momentum[k] =
        (flg_spatial){flg_mat3_apply(turn, to->travel[k]), flg_mat3_apply(turn, to->swing[k])};
    dynamics->coordinates[of->velocity + k].direction = (flg_spatial){{0}, {0}};
  }
}

/* Forces of velocities in the link's axes, in which it spins with w. */
FLG_SMALL flg_spatial hurry_modes(int n, const flg_flex *of, flg_vec3 w, const double *u,
                                  flg_flex_motion *to) {
  const flg_modal_body *body = &of->body;
  flg_vec3 travel = {0, 0, 0}, swing = {0, 0, 0}, force = {0, 0, 0}, moment = {0, 0, 0};
  sum_vectors(of->spin_pairs, n, u, to->sums);
  for (int k = 0; k < n; k++) {
    const flg_vec3 turned = flg_sym3_apply(to->inertias[k], w);
    travel = flg_vec3_add_scaled(travel, u[k], to->travel[k]);
    swing = flg_vec3_add_scaled(swing, u[k], to->swing[k]);
    moment = flg_vec3_add_scaled(moment, u[k], turned);
    to->pull[k] = flg_vec3_dot(w, to->sums[k]) - 0.5 * flg_vec3_dot(w, turned);
  }
  if (body->stiffens) {
    sum_vectors(body->travel_pairs, n, u, to->sums);
    for (int k = 0; k < n; k++) force = flg_vec3_add_scaled(force, u[k], to->sums[k]);
    sum_vectors(body->swing_pairs, n, u, to->sums);
    for (int k = 0; k < n; k++) moment = flg_vec3_add_scaled(moment, u[k], to->sums[k]);
  }
  return (flg_spatial){flg_vec3_add_scaled(force, 2, flg_vec3_cross(w, travel)),
                       flg_vec3_add(moment, flg_vec3_cross(w, swing))};
}

FLG_WIDE_VECTORS static flg_spatial hurry(const flg_flex *of, flg_vec3 w, const double *u,
                                          flg_flex_motion *to) {
  return of->body.modes == FLG_BEAM_MODES ? hurry_modes(FLG_BEAM_MODES, of, w, u, to)
                                          : hurry_modes(of->body.modes, of, w, u, to);
}

/* Coriolis and centrifugal forces of a body that bends, from integrals over its undeformed shape
 * (docs/flexible.md). */
static void hurry_flex(flg_dynamics *dynamics, int flex, const double *v) {
  const flg_flex *of = &dynamics->robot->flexes[flex];
  const flg_motion *motion = &dynamics->motions[of->link];
  /* In the link's own axes the integrals of the body are constants; only the result is turned. */
  const flg_vec3 w = flg_mat3_apply_transposed(&motion->rotation, motion->velocity.angular);
  flg_flex_motion *to = &dynamics->flexes[flex];
  to->bias = flg_spatial_rotate(hurry(of, w, v + of->velocity, to), &motion->rotation);
}

/* --- nodes --------------------------------------------------------------------------------------
 */

/* Displacement of a node and half of its slopes, in the axes of its flexible link. */
typedef struct ride {
  flg_vec3 at, g;
} ride;

/* sums: work space, NULL without second-order shapes */
FLG_SMALL ride ride_of(const flg_flex_node *node, int n, const double *e, flg_vec3 *sums,
                       flg_spatial *shapes) {
  ride is = {.at = node->station};
  for (int k = 0; k < n; k++) {
    /* Half slopes are a Rodrigues vector: adding modes up makes a proper rotation, at any slope. */
    shapes[k] = (flg_spatial){node->shapes[k].linear, flg_vec3_scale(node->shapes[k].angular, 0.5)};
    is.g = flg_vec3_add_scaled(is.g, e[k], shapes[k].angular);
  }
  if (sums != NULL) {
    sum_vectors(node->pairs, n, e, sums);
    for (int k = 0; k < n; k++) {
      is.at = flg_vec3_add_scaled(is.at, -0.5 * e[k], sums[k]);
      shapes[k].linear = flg_vec3_add(shapes[k].linear, sums[k]);
    }
  }
  for (int k = 0; k < n; k++) is.at = flg_vec3_add_scaled(is.at, e[k], shapes[k].linear);
  return is;
}

/* 1 + factor ([g]x + [g]x [g]x), factor = 2/(1 + g.g) */
/* a rational formula, without sines: small slopes keep all their digits */
static flg_mat3 turn_by_rodrigues(flg_vec3 g, double factor) {
  const double f = factor, x = g.x, y = g.y, z = g.z;
  return (flg_mat3){{1 - f * (y * y + z * z), f * (x * y + z), f * (x * z - y), f * (x * y - z),
                     1 - f * (x * x + z * z), f * (y * z + x), f * (x * z + y), f * (y * z - x),
                     1 - f * (x * x + y * y)}};
}

/* what rates u do by second-order shapes, in the axes of the flexible link */
FLG_SMALL flg_vec3 drift_of(const flg_flex_node *node, int n, const double *u, flg_vec3 *sums) {
  flg_vec3 drift = {0, 0, 0};
  sum_vectors(node->pairs, n, u, sums);
  for (int k = 0; k < n; k++) drift = flg_vec3_add_scaled(drift, u[k], sums[k]);
  return drift;
}

/* J x of a node, by elastic coordinates alone */
FLG_SMALL flg_spatial carried(int n, const flg_spatial *directions, const double *x) {
  flg_spatial sum = {{0}, {0}};
  for (int k = 0; k < n; k++) sum = flg_spatial_add_scaled(sum, x[k], directions[k]);
  return sum;
}

/* the same in lanes */
FLG_SMALL flg_wide_spatial carried_wide(int n, const flg_spatial *directions, const double *x) {
  flg_wide_spatial sum = flg_wide_load(&directions[0]);
  sum.linear *= x[0], sum.angular *= x[0];
  for (int k = 1; k < n; k++) {
    const flg_wide_spatial direction = flg_wide_load(&directions[k]);
    flg_wide_add_scaled(&sum, x[k], &direction);
  }
  return sum;
}

FLG_SMALL void ride_on(int n, const flg_dynamics *dynamics, int i, const double *v) {
  const flg_robot *robot = dynamics->robot;
  const int number = robot->links[i].node;
  const flg_flex_node *node = &robot->nodes[number];
  const flg_flex *flex = &robot->flexes[node->flex];
  const flg_motion *parent = &dynamics->motions[flex->link];
  flg_motion *own = &dynamics->motions[i];
  const flg_wide_spatial rate =
      carried_wide(n, dynamics->directions + node->first, v + flex->velocity);
  const flg_three w = flg_three_load(&parent->velocity.angular.x), u = rate.linear,
                  turning = rate.angular;
  const flg_three relative = flg_three_cross(w, flg_three_load(&own->arm.x)) + u;
  flg_three drift = flg_three_cross(w, relative + u);
  if (flex->body.stiffens) {
    const double *m = parent->rotation.m;
    drift +=
        flg_three_combine(flg_three_load(m), flg_three_load(m + 3), flg_three_load(m + 6),
                          drift_of(node, n, v + flex->velocity, dynamics->flexes[node->flex].sums));
  }
  /* The rate of `factor` in the rotation by g, which is not constant while the node turns. */
  const double slowing = -flg_three_sum(flg_three_load(&dynamics->bends[number].x) * turning);
  own->velocity.linear = flg_three_vector(flg_three_load(&parent->velocity.linear.x) + relative);
  own->velocity.angular = flg_three_vector(w + turning);
  own->drift.linear = flg_three_vector(drift);
  own->drift.angular = flg_three_vector(flg_three_cross(w, turning) + turning * slowing);
}

FLG_SMALL void ride_with(int n, const flg_dynamics *dynamics, int i, const double *q,
                         const double *v) {
  const flg_robot *robot = dynamics->robot;
  const flg_flex_node *node = &robot->nodes[robot->links[i].node];
  const flg_flex *flex = &robot->flexes[node->flex];
  const flg_motion *parent = &dynamics->motions[flex->link];
  flg_motion *own = &dynamics->motions[i];
  flg_spatial *directions = dynamics->directions + node->first;
  flg_vec3 *sums = flex->body.stiffens ? dynamics->flexes[node->flex].sums : NULL;
  const ride is = ride_of(node, n, q + flex->position, sums, directions);
  const double factor = 2 / (1 + flg_vec3_dot(is.g, is.g));
  const double *m = parent->rotation.m;
  const flg_three x = flg_three_load(m), y = flg_three_load(m + 3), z = flg_three_load(m + 6);
  const flg_three g = flg_three_combine(x, y, z, is.g);
  for (int k = 0; k < n; k++) { /* in world axes, in which g spins as well */
    const flg_three slope = flg_three_combine(x, y, z, directions[k].angular);
    directions[k].linear = flg_three_vector(flg_three_combine(x, y, z, directions[k].linear));
    directions[k].angular = flg_three_vector((slope + flg_three_cross(g, slope)) * factor);
  }
  const flg_mat3 turn = turn_by_rodrigues(is.g, factor);
  const flg_three arm = flg_three_combine(x, y, z, is.at);
  for (int k = 0; k < 3; k++) {
    const flg_vec3 column = flg_three_vector(flg_three_combine(x, y, z, flg_mat3_column(&turn, k)));
    flg_vec3_store(column, own->rotation.m + 3 * k);
  }
  own->arm = flg_three_vector(arm);
  own->position = flg_three_vector(flg_three_load(&parent->position.x) + arm);
  dynamics->bends[robot->links[i].node] = flg_three_vector(g);
  ride_on(n, dynamics, i, v);
}

/* of the flexible link that link i is a node of */
FLG_SMALL const flg_flex *flex_of(const flg_dynamics *dynamics, int i) {
  const flg_robot *robot = dynamics->robot;
  return &robot->flexes[robot->nodes[robot->links[i].node].flex];
}

FLG_WIDE_VECTORS void flg_flex_ride_on(const flg_dynamics *dynamics, int i, const double *v) {
  const int n = flex_of(dynamics, i)->body.modes;
  if (n == FLG_BEAM_MODES) {
    ride_on(FLG_BEAM_MODES, dynamics, i, v);
  } else {
    ride_on(n, dynamics, i, v);
  }
}

FLG_WIDE_VECTORS void flg_flex_ride(const flg_dynamics *dynamics, int i, const double *q,
                                    const double *v) {
  const int n = flex_of(dynamics, i)->body.modes;
  if (n == FLG_BEAM_MODES) {
    ride_with(FLG_BEAM_MODES, dynamics, i, q, v);
  } else {
    ride_with(n, dynamics, i, q, v);
  }
}

void flg_flex_send_to_sleep(flg_dynamics *dynamics) {
  for (int i = 0; i < dynamics->robot->link_count && dynamics->sleeps != NULL; i++) {
    dynamics->sleeps[i] = flg_flex_is_idle(dynamics, i);
  }
}

void flg_flex_wake(const flg_dynamics *dynamics, int i) {
  const flg_dynamics_known *known = &dynamics->known;
  const int parent = dynamics->robot->links[i].parent;
  flg_motion *own = &dynamics->motions[i];
  dynamics->sleeps[i] = false;
  flg_flex_ride(dynamics, i, known->q, known->v);
  dynamics->biases[i] = flg_motion_carried(own, dynamics->biases[parent]);
  own->acceleration =
      flg_spatial_add(flg_motion_carried(own, dynamics->motions[parent].acceleration),
                      flg_flex_carried(dynamics, i, known->a));
}

FLG_WIDE_VECTORS flg_spatial flg_flex_carried(const flg_dynamics *dynamics, int i,
                                              const double *x) {
  const flg_flex *flex = flex_of(dynamics, i);
  const flg_flex_node *node = &dynamics->robot->nodes[dynamics->robot->links[i].node];
  const flg_spatial *directions = dynamics->directions + node->first;
  const double *own = x + flex->velocity;
  return flex->body.modes == FLG_BEAM_MODES ? carried(FLG_BEAM_MODES, directions, own)
                                            : carried(flex->body.modes, directions, own);
}

void flg_flex_load(const flg_dynamics *dynamics, int i, flg_spatial force, double *f) {
  const flg_flex_node *node = &dynamics->robot->nodes[dynamics->robot->links[i].node];
  const flg_flex *flex = &dynamics->robot->flexes[node->flex];
  for (int k = 0; k < flex->body.modes; k++) {
    f[flex->velocity + k] += flg_spatial_dot(dynamics->directions[node->first + k], force);
  }
}

void flg_flex_columns(const flg_dynamics *dynamics, int i, flg_vec3 offset, double *J) {
  const flg_flex_node *node = &dynamics->robot->nodes[dynamics->robot->links[i].node];
  const flg_flex *flex = &dynamics->robot->flexes[node->flex];
  for (int k = 0; k < flex->body.modes; k++) {
    const flg_spatial direction = dynamics->directions[node->first + k];
    flg_spatial_store(flg_spatial_shift_motion(direction, offset),
                      J + 6 * (size_t)(flex->velocity + k));
  }
}

/* --- factors ------------------------------------------------------------------------------------
 */

void flg_flex_factor_begin(flg_dynamics *dynamics) {
  for (int i = 0; i < dynamics->robot->flex_count; i++) {
    const flg_flex *flex = &dynamics->robot->flexes[i];
    const flg_modal_body *body = &flex->body;
    flg_flex_motion *to = &dynamics->flexes[i];
    const flg_elastic_share share = dynamics->elastic;
    for (int k = 0; k < body->modes; k++) {
      dynamics->coordinates[flex->velocity + k].load = to->momentum[k];
    }
    for (int k = 0; k < body->modes * body->modes; k++) {
      to->block[k] =
          body->mass[k] + share.damping * body->damping[k] + share.stiffness * body->stiffness[k];
    }
  }
}

FLG_SMALL void hand_inertia(int n, flg_dynamics *dynamics, int i, const flg_articulated *inertia) {
  const flg_flex_node *node = &dynamics->robot->nodes[dynamics->robot->links[i].node];
  const flg_flex *flex = &dynamics->robot->flexes[node->flex];
  const flg_spatial *directions = dynamics->directions + node->first;
  const flg_vec3 back = flg_vec3_negate(dynamics->motions[i].arm);
  double *block = dynamics->flexes[node->flex].block;
  for (int k = 0; k < n; k++) {
    const flg_spatial U = flg_articulated_resist(inertia, directions[k]);
    flg_spatial *load = &dynamics->coordinates[flex->velocity + k].load;
    *load = flg_spatial_add(*load, flg_spatial_shift_force(U, back));
    /* The lower half alone: the block is symmetric, and its factors read no more. */
    for (int j = 0; j <= k; j++) block[k + n * j] += flg_spatial_dot(directions[j], U);
  }
}

FLG_WIDE_VECTORS void flg_flex_hand_inertia(flg_dynamics *dynamics, int i,
                                            const flg_articulated *inertia) {
  const int n = flex_of(dynamics, i)->body.modes;
  if (n == FLG_BEAM_MODES) {
    hand_inertia(FLG_BEAM_MODES, dynamics, i, inertia);
  } else {
    hand_inertia(n, dynamics, i, inertia);
  }
}

FLG_SMALL void free_modes(int n, flg_dynamics *dynamics, int flex, const double *added,
                          flg_articulated *inertia) {
  const flg_flex *of = &dynamics->robot->flexes[flex];
  flg_coordinate *coordinates = dynamics->coordinates + of->velocity;
  double *block = dynamics->flexes[flex].block;
  /* Modes are eliminated one by one, as joints are: the link then has what an articulated body
   * has. */
  for (int k = n - 1; k >= 0; k--) {
    flg_coordinate *own = &coordinates[k];
    own->yield = 1 / (block[k + n * k] + (added == NULL ? 0 : added[of->velocity + k]));
    flg_articulated_yield(inertia, own->load, own->yield);
    for (int j = 0; j < k; j++) {
      const double weight = own->yield * block[k + n * j];
      coordinates[j].load = flg_spatial_add_scaled(coordinates[j].load, -weight, own->load);
      for (int l = 0; l <= j; l++) block[j + n * l] -= weight * block[k + n * l];
    }
  }
}

FLG_WIDE_VECTORS void flg_flex_free(flg_dynamics *dynamics, int flex, const double *added,
                                    flg_articulated *inertia) {
  const int n = dynamics->robot->flexes[flex].body.modes;
  if (n == FLG_BEAM_MODES) {
    free_modes(FLG_BEAM_MODES, dynamics, flex, added, inertia);
  } else {
    free_modes(n, dynamics, flex, added, inertia);
  }
}

/* --- forces -------------------------------------------------------------------------------------
 */

void flg_flex_forces_begin(flg_dynamics *dynamics, const double *f, bool moves) {
  flg_dynamics_known *known = &dynamics->known;
  for (int i = 0; i < dynamics->robot->flex_count; i++) {
    const flg_flex *flex = &dynamics->robot->flexes[i];
    flg_flex_motion *to = &dynamics->flexes[i];
    /* Forces of velocities are found once for a state, however often forces are asked for. */
    if (moves && !known->pulls) hurry_flex(dynamics, i, known->v);
    for (int k = 0; k < flex->body.modes; k++) {
      to->force[k] = (f == NULL ? 0 : f[flex->velocity + k]) - (moves ? to->pull[k] : 0);
    }
  }
  known->pulls = known->pulls || moves;
}

FLG_WIDE_VECTORS void flg_flex_hand_force(flg_dynamics *dynamics, int i, flg_spatial force) {
  const flg_flex_node *node = &dynamics->robot->nodes[dynamics->robot->links[i].node];
  double *left = dynamics->flexes[node->flex].force;
  for (int k = 0; k < dynamics->robot->flexes[node->flex].body.modes; k++) {
    left[k] -= flg_spatial_dot(dynamics->directions[node->first + k], force);
  }
}

FLG_WIDE_VECTORS flg_spatial flg_flex_drive(flg_dynamics *dynamics, int flex, flg_spatial p) {
  const flg_flex *of = &dynamics->robot->flexes[flex];
  const int n = of->body.modes;
  flg_coordinate *coordinates = dynamics->coordinates + of->velocity;
  const double *block = dynamics->flexes[flex].block;
  double *left = dynamics->flexes[flex].force;
  for (int k = n - 1; k >= 0; k--) {
    coordinates[k].drive = left[k];
    const double answer = coordinates[k].yield * left[k];
    p = flg_spatial_add_scaled(p, answer, coordinates[k].load);
    for (int j = 0; j < k; j++) left[j] -= answer * block[k + n * j];
  }
  return p;
}

FLG_WIDE_VECTORS void flg_flex_answer(const flg_dynamics *dynamics, int flex, flg_spatial link,
                                      double *a) {
  const flg_flex *of = &dynamics->robot->flexes[flex];
  const int n = of->body.modes;
  const flg_coordinate *coordinates = dynamics->coordinates + of->velocity;
  const double *block = dynamics->flexes[flex].block;
  double *own = a + of->velocity;
  for (int k = 0; k < n; k++) {
    double drive = coordinates[k].drive - flg_spatial_dot(coordinates[k].load, link);
    for (int j = 0; j < k; j++) drive -= block[k + n * j] * own[j];
    own[k] = coordinates[k].yield * drive;
  }
}

flg_spatial flg_flex_need(flg_dynamics *dynamics, int flex, const double *a, double *f) {
  const flg_flex *of = &dynamics->robot->flexes[flex];
  flg_flex_motion *at = &dynamics->flexes[flex];
  const flg_spatial motion = dynamics->motions[of->link].acceleration;
  const int n = of->body.modes;
  const double *b = a + of->velocity;
  flg_spatial force = at->bias;
  for (int k = 0; k < n; k++) {
    double need = flg_spatial_dot(at->momentum[k], motion) - at->force[k];
    for (int j = 0; j < n; j++) need += of->body.mass[k + n * j] * b[j];
    at->force[k] = need;
    force = flg_spatial_add_scaled(force, b[k], at->momentum[k]);
  }
  memcpy(f + of->velocity, at->force, (size_t)n * sizeof *f); /* a may be the same array */
  return force;
}

/* --- sums ---------------------------------------------------------------------------------------
 */

flg_spatial flg_flex_momentum(const flg_dynamics *dynamics, int flex) {
  const flg_flex *of = &dynamics->robot->flexes[flex];
  const flg_flex_motion *at = &dynamics->flexes[flex];
  const double *u = dynamics->known.v + of->velocity;
  flg_spatial sum = flg_inertia_resist(&at->own, dynamics->motions[of->link].velocity);
  for (int k = 0; k < of->body.modes; k++) {
    sum = flg_spatial_add_scaled(sum, u[k], at->momentum[k]);
  }
  return sum;
}

double flg_flex_kinetic_energy(const flg_dynamics *dynamics, int flex) {
  const flg_flex *of = &dynamics->robot->flexes[flex];
  const flg_flex_motion *at = &dynamics->flexes[flex];
  const flg_spatial velocity = dynamics->motions[of->link].velocity;
  const double *u = dynamics->known.v + of->velocity;
  const int n = of->body.modes;
  double energy = 0.5 * flg_spatial_dot(velocity, flg_inertia_resist(&at->own, velocity));
  for (int k = 0; k < n; k++) {
    energy += u[k] * flg_spatial_dot(velocity, at->momentum[k]);
    for (int j = 0; j < n; j++) energy += 0.5 * u[k] * of->body.mass[k + n * j] * u[j];
  }
  return energy;
}

double flg_flex_stored_energy(const flg_dynamics *dynamics, int flex) {
  return flg_flex_energy(&dynamics->robot->flexes[flex], dynamics->known.q);
}
