/* Free flight of bodies between two contacts, without gain or loss.
 *
 * With P = R^T I w, the angular momentum in the body's axes, and the mean spin of the step
 *
 *     w_m = I^-1 (P + P+) / 2       P+ = exp(h w_m)^T P       R+ = R exp(h w_m)
 *
 * the momentum in world axes, R P, stays as it is by the last two. A turn about w_m leaves w_m . P
 * as it is, so (P+ - P) . I^-1 (P+ + P) = 0: energy stays, too. Spins about a principal axis are
 * exact. Explicit gyroscopic moments, -w x I w, would feed energy to everything that tumbles.
 */
#include <float.h>
#include <math.h>

#include "assembly/assembly_contacts.h"
#include "base/for_each.h"

enum { TURN_STEPS_MAX = 40 };

/* M^-1 r for a 3 x 3 matrix by columns, by Cramer's rule */
static flg_vec3 solve3(const flg_vec3 m[3], flg_vec3 r) {
  const flg_vec3 bc = flg_vec3_cross(m[1], m[2]);
  const double scale = 1 / flg_vec3_dot(m[0], bc);
  return (flg_vec3){scale * flg_vec3_dot(r, bc),
                    scale * flg_vec3_dot(r, flg_vec3_cross(m[2], m[0])),
                    scale * flg_vec3_dot(r, flg_vec3_cross(m[0], m[1]))};
}

/* d/dP+ of P+ - exp(h w_m)^T P, but for terms of (h w)^2: 1 + h/2 ([w]x - [P]x I^-1) */
static void find_slope(const flg_solid *solid, flg_vec3 moment, flg_vec3 spin, double h,
                       flg_vec3 slope[3]) {
  const flg_mat3 inverse = flg_sym3_full(solid->inverse);
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

static turned turn_by(flg_vec3 spin, double h, flg_vec3 moment) {
  const flg_quat turn = flg_quat_exp(flg_vec3_scale(spin, h));
  return (turned){turn, flg_quat_rotate(flg_quat_conjugate(turn), moment)};
}

/* P+ to first order, of steps that are short enough for it */
static flg_vec3 guess(flg_vec3 moment, flg_vec3 spin, flg_vec3 pull, double h) {
  const double SHORT = 0.01; /* of the square of the angle */
  return h * h * flg_vec3_dot(spin, spin) < SHORT ? flg_vec3_add_scaled(moment, h, pull) : moment;
}

/* with w_m of P+ as it is guessed */
static turned turn_to(const flg_solid *solid, flg_vec3 moment, flg_vec3 after, double h) {
  const flg_vec3 mean = flg_vec3_scale(flg_vec3_add(moment, after), 0.5);
  return turn_by(flg_sym3_apply(solid->inverse, mean), h, moment);
}

/* Where a step is so long that the search does not end, momentum is kept all the same. About a
 * principal axis there is nothing to find. */
static turned turn_freely(const flg_solid *solid, flg_vec3 moment, double h) {
  const flg_vec3 spin = flg_sym3_apply(solid->inverse, moment);
  const double enough = DBL_EPSILON * flg_vec3_norm(moment);
  flg_vec3 after = guess(moment, spin, flg_vec3_cross(moment, spin), h), slope[3];
  turned found = turn_to(solid, moment, after, h);
  double before = INFINITY;
  for (int k = 0; k < TURN_STEPS_MAX; k++) {
    const flg_vec3 left = flg_vec3_subtract(found.after, after);
    const double error = flg_vec3_norm(left);
    if (error <= enough || (k > 2 && !(error < before))) break;
    before = error;
    if (k == 0) find_slope(solid, moment, spin, h, slope);
    after = flg_vec3_add(after, solve3(slope, left));
    found = turn_to(solid, moment, after, h);
  }
  return found;
}

/* I^-1 p in the body's axes, refined: rounding that is the same in every step would add up */
static flg_vec3 spin_of(const flg_solid *solid, flg_vec3 moment) {
  const flg_vec3 spin = flg_sym3_apply(solid->inverse, moment);
  const flg_vec3 left = flg_vec3_subtract(moment, flg_sym3_apply(solid->inertia, spin));
  return flg_vec3_add(spin, flg_sym3_apply(solid->inverse, left));
}

/* --- displacements ------------------------------------------------------------------------------
 */

/* What is turned by a displacement keeps its momentum; where that would give it more energy, T = L
 * . I^-1 L / 2, it is turned back along the gradient, w x L, until it does not; never by more than
 * it was turned at a time: of what has one moment of inertia about all axes, a gradient is
 * rounding.
 */
static flg_vec3 settle_turn(const flg_solid *solid, flg_vec3 momentum, double energy, double most,
                            flg_quat *at) {
  enum { STEPS_MAX = 8 };
  const double ROUNDING = 16 * DBL_EPSILON;
  for (int k = 0;; k++) {
    const flg_vec3 own = flg_quat_rotate(flg_quat_conjugate(*at), momentum);
    const flg_vec3 spin = flg_quat_rotate(*at, spin_of(solid, own));
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
static double spare_energy(const flg_solid *solid, const flg_solid_motion *start, const double *q,
                           const double *v, double turning) {
  const flg_vec3 spin = start->velocity.angular, speed = start->velocity.linear;
  const flg_vec3 way = flg_vec3_subtract(flg_vec3_load(q), start->pose.position);
  const flg_vec3 linear = flg_vec3_load(v);
  const double before = solid->mass * flg_vec3_dot(speed, speed) +
                        flg_vec3_dot(spin, flg_sym3_apply(start->inertia, spin));
  const double after = solid->mass * flg_vec3_dot(linear, linear) + turning;
  return fmax(0, 0.5 * (before - after) + flg_vec3_dot(start->force.linear, way));
}

static void shift(const flg_solid *solid, const flg_solid_motion *start, const double *by,
                  double *q, double *v) {
  for (int i = 0; i < 3; i++) q[i] += by[i];
  const flg_vec3 turn = flg_vec3_load(by + 3), spin = flg_vec3_load(v + 3);
  if (flg_vec3_dot(turn, turn) == 0) return;
  flg_quat at = flg_quat_normalise((flg_quat){q[3], q[4], q[5], q[6]});
  const flg_vec3 own =
      flg_sym3_apply(solid->inertia, flg_quat_rotate(flg_quat_conjugate(at), spin));
  const flg_vec3 momentum = flg_quat_rotate(at, own);
  at = flg_quat_normalise(flg_quat_integrate_world(at, turn, 1));
  const double turning = flg_vec3_dot(momentum, spin);
  const double most = turning + spare_energy(solid, start, q, v, turning);
  const flg_vec3 after = settle_turn(solid, momentum, most, flg_vec3_norm(turn), &at);
  q[3] = at.w, q[4] = at.x, q[5] = at.y, q[6] = at.z;
  flg_vec3_store(after, v + 3);
}

void flg_assembly_shift(flg_assembly *assembly, const double *by, double *q, double *v) {
  for (int k = 0; k < assembly->solid_count; k++) {
    shift(&assembly->solids[k], &assembly->motions[k], by + FLG_BODY_VELOCITIES * k,
          q + FLG_BODY_POSITIONS * k, v + FLG_BODY_VELOCITIES * k);
  }
  for (int k = 0; k < assembly->robot_count; k++) {
    const flg_robot_part *part = &assembly->robots[k];
    flg_robot_integrate(&part->robot->robot, q + part->position, by + part->velocity, 1,
                        q + part->position);
  }
}

/* --- flight -------------------------------------------------------------------------------------
 */

typedef struct flight {
  const flg_assembly *assembly;
  double h, *q, *v;
} flight;

static void fly(void *context, int index) {
  const flight *in = context;
  const flg_solid *solid = &in->assembly->solids[index];
  double *q = in->q + FLG_BODY_POSITIONS * index, *v = in->v + FLG_BODY_VELOCITIES * index;
  for (int i = 0; i < 3; i++) q[i] += in->h * v[i];
  const flg_vec3 spin = flg_vec3_load(v + 3);
  if (flg_vec3_dot(spin, spin) == 0) return;
  const flg_quat at = flg_quat_normalise((flg_quat){q[3], q[4], q[5], q[6]});
  const flg_quat back = flg_quat_conjugate(at);
  const flg_vec3 moment = flg_sym3_apply(solid->inertia, flg_quat_rotate(back, spin));
  const turned found = turn_freely(solid, moment, in->h);
  const flg_quat to = flg_quat_normalise(flg_quat_multiply(at, found.turn));
  q[3] = to.w, q[4] = to.x, q[5] = to.y, q[6] = to.z;
  flg_vec3_store(flg_quat_rotate(to, spin_of(solid, found.after)), v + 3);
}

void flg_assembly_fly(flg_assembly *assembly, double h, double *q, double *v) {
  flight in = {assembly, h, q, v};
  flg_for_each(assembly->options.threads, assembly->solid_count, fly, &in);
  for (int k = 0; k < assembly->robot_count; k++) {
    const flg_robot_part *part = &assembly->robots[k];
    flg_robot_integrate(&part->robot->robot, q + part->position, v + part->velocity, h,
                        q + part->position);
  }
}
