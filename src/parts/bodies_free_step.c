/* How rigid bodies fly.
 *
 * Between two contacts, without gain or loss.
 *
 * With P = R^T I w, the angular momentum in the body's axes, and the mean spin of the step
 *
 *     w_m = I^-1 (P + P+) / 2       P+ = exp(h w_m)^T P       R+ = R exp(h w_m)
 *
 * the momentum in world axes, R P, stays as it is by the last two. A turn about w_m leaves w_m . P
 * as it is, so (P+ - P) . I^-1 (P+ + P) = 0: energy stays, too. Spins about a principal axis are
 * exact. Explicit gyroscopic moments, -w x I w, would feed energy to everything that tumbles.
 *
 * In steps of rattle, with P = R^T p, p the angular momentum, the turn is the unit quaternion (s,
 * u) with
 *
 *     h P = 2 (s I u + u x I u)
 *
 * which is the discrete Euler-Lagrange equation of the rigid body (Moser and Veselov 1991): the
 * step is symplectic and reversible.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/for_each.h"
#include "math/dense_small.h"
#include "math/larger.h"
#include "math/wide_vectors.h"
#include "parts/bodies.h"
#include "parts/body_kernels.h"
#include "parts/body_lanes.h"

static const flg_bodies *free_bodies(const flg_parts *parts) {
  return (const flg_bodies *)parts;
}

/* --- free step
 * --------------------------------------------------------------------------------
 */

enum { TURN_STEPS_MAX = 40 };

/* d/dP+ of P+ - exp(h w_m)^T P, but for terms of (h w)^2: 1 + h/2 ([w]x - [P]x I^-1) */
static void find_slope(const flg_rigid_body *rigid_body, flg_vec3 moment, flg_vec3 spin, double h,
                       flg_vec3 slope[3]) {
  const flg_mat3 inverse = flg_sym3_full(rigid_body->inverse);
  for (int k = 0; k < 3; k++) {
    const flg_vec3 unit = {k == 0, k == 1, k == 2};
    const flg_vec3 turn = flg_vec3_subtract(flg_vec3_cross(spin, unit),
                                            flg_vec3_cross(moment, flg_mat3_column(&inverse, k)));
    slope[k] = flg_vec3_add_scaled(unit, h / 2, turn);
  }
}

/* The turn exp(h w_m), and P+ by it; both in the body's axes. */
typedef struct turned {
  flg_quat turn;
  flg_vec3 after;
} turned;

FLG_SMALL turned turn_body_by(flg_vec3 spin, double h, flg_vec3 moment) {
  const flg_quat turn = flg_quat_exp(flg_vec3_scale(spin, h));
  return (turned){turn, flg_quat_rotate(flg_quat_conjugate(turn), moment)};
}

/* P+ to first order, of steps that are short enough for it */
static flg_vec3 guess_moment(flg_vec3 moment, flg_vec3 spin, flg_vec3 pull, double h) {
  const double SHORT = 0.01; /* of the square of the angle */
  return h * h * flg_vec3_dot(spin, spin) < SHORT ? flg_vec3_add_scaled(moment, h, pull) : moment;
}

/* with w_m of P+ as it is guessed */
FLG_SMALL turned turn_to(const flg_rigid_body *rigid_body, flg_vec3 moment, flg_vec3 after,
                         double h) {
  const flg_vec3 mean = flg_vec3_scale(flg_vec3_add(moment, after), 0.5);
  return turn_body_by(flg_sym3_apply(rigid_body->inverse, mean), h, moment);
}

/* Where a step is so long that the search does not end, momentum is kept all the same. About a
 * principal axis there is nothing to find. */
FLG_WIDE_VECTORS
static turned turn_freely(const flg_rigid_body *rigid_body, flg_vec3 moment, double h) {
  const flg_vec3 spin = flg_sym3_apply(rigid_body->inverse, moment);
  const double enough = DBL_EPSILON * flg_vec3_norm(moment);
  flg_vec3 after = guess_moment(moment, spin, flg_vec3_cross(moment, spin), h), slope[3];
  turned found = turn_to(rigid_body, moment, after, h);
  double before = INFINITY;
  for (int k = 0; k < TURN_STEPS_MAX; k++) {
    const flg_vec3 left = flg_vec3_subtract(found.after, after);
    const double error = flg_vec3_norm(left);
    if (error <= enough || (k > 2 && !(error < before))) break;
    before = error;
    if (k == 0) find_slope(rigid_body, moment, spin, h, slope);
    after = flg_vec3_add(after, flg_body_solve3(slope, left));
    found = turn_to(rigid_body, moment, after, h);
  }
  return found;
}

/* I^-1 p in the body's axes, refined: rounding that is the same in every step would add up */
static flg_vec3 spin_of_moment(const flg_rigid_body *rigid_body, flg_vec3 moment) {
  const flg_vec3 spin = flg_sym3_apply(rigid_body->inverse, moment);
  const flg_vec3 left = flg_vec3_subtract(moment, flg_sym3_apply(rigid_body->inertia, spin));
  return flg_vec3_add(spin, flg_sym3_apply(rigid_body->inverse, left));
}

/* --- displacements ------------------------------------------------------------------------------
 */

/* A body that a displacement turns keeps its momentum; where that would give it more energy, T = L
 * . I^-1 L / 2, it is turned back along the gradient, w x L, until it does not; never by more than
 * it was turned at a time: of what has one moment of inertia about all axes, a gradient is
 * rounding.
 */
static flg_vec3 settle_turn(const flg_rigid_body *rigid_body, flg_vec3 momentum, double energy,
                            double most, flg_quat *at) {
  enum { STEPS_MAX = 8 };
  const double ROUNDING = 16 * DBL_EPSILON;
  for (int k = 0;; k++) {
    const flg_vec3 own = flg_quat_rotate(flg_quat_conjugate(*at), momentum);
    const flg_vec3 spin = flg_quat_rotate(*at, spin_of_moment(rigid_body, own));
    const double gain = flg_vec3_dot(momentum, spin) - energy;
    const flg_vec3 slope = flg_vec3_cross(spin, momentum);
    const double steep = flg_vec3_norm(slope);
    if (k == STEPS_MAX || !(gain > ROUNDING * energy) || !(steep > 0)) return spin;
    const double angle = fmin(gain / (2 * steep), most);
    const flg_quat back = flg_quat_exp(flg_vec3_scale(slope, -angle / steep));
    *at = flg_quat_normalise(flg_quat_multiply(back, *at));
  }
}

/* Half of what a body has lost in the step, twice as energies are here: hits take far more than it
 * costs to put the body where it would have been. start: where the step began. */
static double spare_energy(const flg_rigid_body *rigid_body, const flg_rigid_motion *start,
                           const double *q, const double *v, double spin_energy) {
  const flg_vec3 spin = start->at.velocity.angular, speed = start->at.velocity.linear;
  const flg_vec3 way = flg_vec3_subtract(flg_vec3_load(q), start->at.pose.position);
  const flg_vec3 linear = flg_vec3_load(v);
  const double before = rigid_body->mass * flg_vec3_dot(speed, speed) +
                        flg_vec3_dot(spin, flg_sym3_apply(start->inertia, spin));
  const double after = rigid_body->mass * flg_vec3_dot(linear, linear) + spin_energy;
  return fmax(0, 0.5 * (before - after) + flg_vec3_dot(start->force.linear, way));
}

static void shift_body(const flg_rigid_body *rigid_body, const flg_rigid_motion *start,
                       const double *by, double *q, double *v) {
  for (int i = 0; i < 3; i++) q[i] += by[i];
  const flg_vec3 turn = flg_vec3_load(by + 3), spin = flg_vec3_load(v + 3);
  if (flg_vec3_dot(turn, turn) == 0) return;
  flg_quat at = flg_quat_normalise((flg_quat){q[3], q[4], q[5], q[6]});
  const flg_vec3 own =
      flg_sym3_apply(rigid_body->inertia, flg_quat_rotate(flg_quat_conjugate(at), spin));
  const flg_vec3 momentum = flg_quat_rotate(at, own);
  at = flg_quat_normalise(flg_quat_integrate_world(at, turn, 1));
  const double spin_energy = flg_vec3_dot(momentum, spin);
  const double most = spin_energy + spare_energy(rigid_body, start, q, v, spin_energy);
  const flg_vec3 after = settle_turn(rigid_body, momentum, most, flg_vec3_norm(turn), &at);
  q[3] = at.w, q[4] = at.x, q[5] = at.y, q[6] = at.z;
  flg_vec3_store(after, v + 3);
}

/* --- bodies that move as one --------------------------------------------------------------------
 *
 * Bodies that are welded to each other (flg_part_mode.members) are one rigid body, which starts a
 * step with the axes of the world; what it does is then handed back to them. So they fly exactly,
 * and their welds stay closed but for rounding.
 */

typedef struct whole {
  flg_rigid_body rigid_body;    /* mass and inertia alone, in its axes */
  double q[FLG_BODY_POSITIONS]; /* its centre of mass, and how it has turned in the step */
  double v[FLG_BODY_VELOCITIES];
} whole;

static bool flies_alone(const flg_parts *parts, int index) {
  const flg_plan_member *members = parts->mode->members;
  return members == NULL || members[members[index].first].count == 1;
}

static bool is_first_member(const flg_parts *parts, int index) {
  return parts->mode->members[index].first == index;
}

/* the next body after k of those that fly with `first`; -1: there is none */
static int next_member(const flg_parts *parts, int first, int k) {
  for (k++; k < parts->count; k++) {
    if (parts->mode->members[k].first == first) return k;
  }
  return -1;
}

/* from the motion of its first body, with which all others move as one */
static whole whole_at(const flg_parts *parts, int first, flg_quat turn, const double *q,
                      const double *v) {
  const flg_plan_member *member = &parts->mode->members[first];
  const double *at = q + FLG_BODY_POSITIONS * first, *speed = v + FLG_BODY_VELOCITIES * first;
  const flg_vec3 arm = flg_quat_rotate(turn, member->arm), spin = flg_vec3_load(speed + 3);
  whole made = {.rigid_body = {.mass = 1 / member->lightness,
                               .inertia = member->resists,
                               .inverse = member->yields},
                .q = {0, 0, 0, turn.w, turn.x, turn.y, turn.z}};
  flg_vec3_store(flg_vec3_subtract(flg_vec3_load(at), arm), made.q);
  flg_vec3_store(flg_vec3_add(flg_vec3_load(speed), flg_vec3_cross(arm, spin)), made.v);
  flg_vec3_store(spin, made.v + 3);
  return made;
}

/* Where it is now, having come from the centre of mass `from` by a turn. */
FLG_WIDE_VECTORS
static void spread_whole(const flg_parts *parts, int first, const whole *now, flg_vec3 from,
                         flg_quat turn, double *q, double *v) {
  const flg_vec3 centre = flg_vec3_load(now->q), speed = flg_vec3_load(now->v);
  const flg_vec3 spin = flg_vec3_load(now->v + 3);
  for (int k = first; k >= 0; k = next_member(parts, first, k)) {
    double *at = q + FLG_BODY_POSITIONS * k, *velocity = v + FLG_BODY_VELOCITIES * k;
    const flg_vec3 arm = flg_quat_rotate(turn, flg_vec3_subtract(flg_vec3_load(at), from));
    const flg_quat own =
        flg_quat_normalise(flg_quat_multiply(turn, (flg_quat){at[3], at[4], at[5], at[6]}));
    flg_vec3_store(flg_vec3_add(centre, arm), at);
    at[3] = own.w, at[4] = own.x, at[5] = own.y, at[6] = own.z;
    flg_vec3_store(flg_vec3_add(speed, flg_vec3_cross(spin, arm)), velocity);
    flg_vec3_store(spin, velocity + 3);
  }
}

/* the motion of the whole at the start of the step, when its members were placed */
static flg_rigid_motion whole_start(const flg_parts *parts, int first) {
  const flg_rigid_motion *motions = free_bodies(parts)->motions;
  const flg_plan_member *member = &parts->mode->members[first];
  flg_rigid_motion start = {.at = motions[first].at, .inertia = member->resists};
  const flg_spatial speed = start.at.velocity;
  start.at.pose.position = flg_vec3_subtract(start.at.pose.position, member->arm);
  start.at.velocity.linear = flg_vec3_add(speed.linear, flg_vec3_cross(member->arm, speed.angular));
  for (int k = first; k >= 0; k = next_member(parts, first, k)) {
    start.force.linear = flg_vec3_add(start.force.linear, motions[k].force.linear);
  }
  return start;
}

/* by: displacements of the members, which are those of one rigid body to first order */
static void shift_whole(const flg_parts *parts, int first, const double *by, double *q, double *v) {
  const flg_quat before = free_bodies(parts)->motions[first].turn;
  whole one = whole_at(parts, first, before, q, v);
  const flg_vec3 from = flg_vec3_load(one.q), arm = parts->mode->members[first].arm;
  const flg_rigid_motion start = whole_start(parts, first);
  flg_spatial moved = flg_spatial_load(by + FLG_BODY_VELOCITIES * first);
  moved.linear = flg_vec3_add(moved.linear, flg_vec3_cross(arm, moved.angular));
  shift_body(&one.rigid_body, &start, flg_spatial_numbers(&moved), one.q, one.v);
  const flg_quat now = {one.q[3], one.q[4], one.q[5], one.q[6]};
  spread_whole(parts, first, &one, from, flg_quat_multiply(now, flg_quat_conjugate(before)), q, v);
}

void flg_bodies_shift(flg_parts *parts, const double *by, double *q, double *v) {
  const flg_bodies *bodies = free_bodies(parts);
  for (int k = 0; k < parts->count; k++) {
    if (flies_alone(parts, k)) {
      shift_body(&bodies->rigid_bodies[k], &bodies->motions[k], by + FLG_BODY_VELOCITIES * k,
                 q + FLG_BODY_POSITIONS * k, v + FLG_BODY_VELOCITIES * k);
    } else if (is_first_member(parts, k)) {
      shift_whole(parts, k, by, q, v);
    }
  }
}

/* --- free step
 * -------------------------------------------------------------------------------------
 */

static void fly_body(const flg_rigid_body *rigid_body, double h, double *q, double *v) {
  for (int i = 0; i < 3; i++) q[i] += h * v[i];
  const flg_vec3 spin = flg_vec3_load(v + 3);
  if (flg_vec3_dot(spin, spin) == 0) return;
  const flg_quat at = flg_quat_normalise((flg_quat){q[3], q[4], q[5], q[6]});
  const flg_quat back = flg_quat_conjugate(at);
  const flg_vec3 moment = flg_sym3_apply(rigid_body->inertia, flg_quat_rotate(back, spin));
  const turned found = turn_freely(rigid_body, moment, h);
  const flg_quat to = flg_quat_normalise(flg_quat_multiply(at, found.turn));
  q[3] = to.w, q[4] = to.x, q[5] = to.y, q[6] = to.z;
  flg_vec3_store(flg_quat_rotate(to, spin_of_moment(rigid_body, found.after)), v + 3);
}

/* as fly_body, from the axes of the world */
static flg_quat fly_from_rest(whole *one, double h) {
  for (int i = 0; i < 3; i++) one->q[i] += h * one->v[i];
  const flg_vec3 spin = flg_vec3_load(one->v + 3);
  if (flg_vec3_dot(spin, spin) == 0) return flg_quat_identity();
  const turned found =
      turn_freely(&one->rigid_body, flg_sym3_apply(one->rigid_body.inertia, spin), h);
  flg_vec3_store(flg_quat_rotate(found.turn, spin_of_moment(&one->rigid_body, found.after)),
                 one->v + 3);
  return found.turn;
}

static void fly_whole(const flg_parts *parts, int first, double h, double *q, double *v) {
  whole one = whole_at(parts, first, flg_quat_identity(), q, v);
  const flg_vec3 from = flg_vec3_load(one.q);
  const flg_quat turn = fly_from_rest(&one, h);
  spread_whole(parts, first, &one, from, turn, q, v);
  free_bodies(parts)->motions[first].turn = turn;
}

typedef struct free_step {
  const flg_parts *parts;
  double h, *q, *v;
} free_step;

static void fly_on(void *context, int index) {
  const free_step *in = context;
  if (flies_alone(in->parts, index)) {
    fly_body(&free_bodies(in->parts)->rigid_bodies[index], in->h,
             in->q + FLG_BODY_POSITIONS * index, in->v + FLG_BODY_VELOCITIES * index);
  } else if (is_first_member(in->parts, index)) {
    fly_whole(in->parts, index, in->h, in->q, in->v);
  }
}

void flg_bodies_fly(flg_parts *parts, double h, double *q, double *v) {
  free_step in = {parts, h, q, v};
  flg_for_each(parts->mode->threads, parts->count, fly_on, &in);
}

/* --- rattle -------------------------------------------------------------------------------------
 */

/* one at a time: those that are left over, and where one of four turns too far */
FLG_SMALL int fly_some(const flg_bodies *bodies, int first, int end, double h, const double *q,
                       double *q_next) {
  for (int k = first; k < end; k++) {
    const flg_rigid_body *body = &bodies->rigid_bodies[k];
    const int at = FLG_BODY_POSITIONS * k;
    if (!flg_body_fly(body->mass, body->inertia, body->inverse, bodies->motions[k].momentum, h,
                      q + at, q_next + at)) {
      return k;
    }
  }
  return -1;
}

FLG_WIDE_VECTORS
static int bodies_fly(flg_parts *parts, double h, const double *q, const double *v_mean,
                      double *q_next) {
  (void)v_mean;
  const flg_bodies *bodies = free_bodies(parts);
  int k = 0;
  for (; k + FLG_LANES <= parts->count; k += FLG_LANES) {
    const int at = FLG_BODY_POSITIONS * k;
    if (flg_body_fly_lanes(&bodies->rigid_bodies[k], &bodies->motions[k], h, q + at, q_next + at))
      continue;
    const int spun = fly_some(bodies, k, k + FLG_LANES, h, q, q_next);
    if (spun >= 0) return spun;
  }
  return fly_some(bodies, k, parts->count, h, q, q_next);
}

/* momenta after the first push, and the mean velocities of the step that they lead to */
FLG_WIDE_VECTORS
static void bodies_set_off(flg_parts *parts, double h, const double *v, double *v_mean) {
  (void)v;
  const flg_bodies *bodies = free_bodies(parts);
  for (int k = 0; k < parts->count; k++) {
    const flg_rigid_body *rigid_body = &bodies->rigid_bodies[k];
    flg_rigid_motion *motion = &bodies->motions[k];
    const flg_spatial start =
        flg_body_momentum(rigid_body->mass, motion->inertia, motion->at.velocity);
    motion->start = start;
    motion->momentum = flg_spatial_add_scaled(start, h / 2, motion->force);
    flg_spatial_store(flg_body_set_off(rigid_body->mass, motion->inverse,
                                       motion->at.velocity.angular, start, motion->momentum, h),
                      v_mean + FLG_BODY_VELOCITIES * k);
  }
}

static void bodies_free_step_push(flg_parts *parts, const double *change, double *v_mean) {
  (void)change, (void)v_mean;
  for (int k = 0; k < parts->count; k++) {
    flg_spatial *momentum = &free_bodies(parts)->motions[k].momentum;
    *momentum = flg_spatial_add(*momentum, flg_spatial_load(parts->views[k].force));
  }
}

static void bodies_remember(flg_parts *parts) {
  flg_rigid_motion *motions = free_bodies(parts)->motions;
  for (int k = 0; k < parts->count; k++) motions[k].aimed = motions[k].momentum;
}

static void bodies_follow(flg_parts *parts, const double *moved, double h, double *v_mean) {
  (void)v_mean;
  const flg_bodies *bodies = free_bodies(parts);
  for (int k = 0; k < parts->count; k++) {
    const flg_spatial change = flg_spatial_load(moved + FLG_BODY_VELOCITIES * k);
    flg_rigid_motion *motion = &bodies->motions[k];
    const flg_spatial kick = {
        flg_vec3_scale(change.linear, bodies->rigid_bodies[k].mass / h),
        flg_vec3_scale(flg_sym3_apply(motion->inertia, change.angular), 1 / h)};
    motion->momentum = flg_spatial_add(motion->momentum, kick);
  }
}

FLG_SMALL void take_velocity(const flg_bodies *bodies, int index, flg_spatial momentum, double *v) {
  const flg_rigid_motion *motion = &bodies->motions[index];
  flg_spatial_store(flg_body_velocity(bodies->rigid_bodies[index].mass, motion->inertia,
                                      motion->inverse, momentum),
                    v + FLG_BODY_VELOCITIES * index);
}

FLG_WIDE_VECTORS
static void bodies_look_ahead(const flg_parts *parts, const double *v, double *ahead) {
  (void)v;
  for (int k = 0; k < parts->count; k++) {
    const flg_rigid_motion *motion = &free_bodies(parts)->motions[k];
    const flg_spatial change = flg_spatial_subtract(motion->aimed, motion->start);
    take_velocity(free_bodies(parts), k, flg_spatial_add(motion->aimed, change), ahead);
  }
}

FLG_WIDE_VECTORS
static void bodies_arrive(flg_parts *parts, double h, const double *v_mean, double *v) {
  (void)v_mean;
  for (int k = 0; k < parts->count; k++) {
    flg_rigid_motion *motion = &free_bodies(parts)->motions[k];
    motion->momentum = flg_spatial_add_scaled(motion->momentum, h / 2, motion->force);
    take_velocity(free_bodies(parts), k, motion->momentum, v);
  }
}

const flg_part_free_step flg_bodies_free_step = {.set_off = bodies_set_off,
                                                 .push = bodies_free_step_push,
                                                 .remember = bodies_remember,
                                                 .fly = bodies_fly,
                                                 .follow = bodies_follow,
                                                 .look_ahead = bodies_look_ahead,
                                                 .arrive = bodies_arrive};

/* --- work of joints -----------------------------------------------------------------------------
 */

FLG_SMALL flg_spatial momentum_of(const flg_bodies *bodies, int index, flg_spatial velocity) {
  return flg_body_momentum(bodies->rigid_bodies[index].mass, bodies->motions[index].inertia,
                           velocity);
}

FLG_WIDE_VECTORS
void flg_bodies_depart(flg_parts *parts, const double *v) {
  for (int k = 0; k < parts->count; k++) {
    flg_rigid_motion *motion = &free_bodies(parts)->motions[k];
    motion->left = flg_spatial_load(v + FLG_BODY_VELOCITIES * k);
    motion->start = momentum_of(free_bodies(parts), k, motion->left);
    motion->pushed = motion->force;
  }
}

FLG_WIDE_VECTORS
void flg_bodies_arrive(const flg_parts *parts, const double *v, double h, flg_part_work *work) {
  const flg_bodies *bodies = free_bodies(parts);
  for (int k = 0; k < parts->count; k++) {
    const flg_rigid_motion *motion = &bodies->motions[k];
    const flg_spatial velocity = flg_spatial_load(v + FLG_BODY_VELOCITIES * k);
    const flg_part_motion start = {motion->left, motion->start, motion->pushed};
    const flg_part_motion end = {velocity, momentum_of(bodies, k, velocity), motion->force};
    flg_part_work_add(work, bodies->rigid_bodies[k].mass, h, &start, &end);
  }
}

/* --- turns --------------------------------------------------------------------------------------
 */

void flg_bodies_turn(flg_parts *parts, double time, double h, const double *before,
                     const double *v) {
  for (int k = 0; k < parts->count; k++) {
    const int at = FLG_BODY_VELOCITIES * k + 3;
    const flg_vec3 spin = flg_vec3_load(v + at);
    const flg_vec3 change = flg_vec3_subtract(spin, flg_vec3_load(before + at));
    flg_spin_changes_add(&free_bodies(parts)->spin_changes[k], time, h, change, spin);
  }
}

const flg_spin_changes *flg_bodies_spin_changes(const flg_parts *parts, int part) {
  return &free_bodies(parts)->spin_changes[part];
}
