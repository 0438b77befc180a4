/* RATTLE, on rotations.
 *
 *     p* = p + h/2 f(q) + G(q)^T l        q+ = q moved by p*, l such that g(q+) = 0
 *     p+ = p* + h/2 f(q+) + G(q+)^T m     m such that G(q+) v+ = 0
 *
 * p: momenta of bodies, in world axes, so that a free body keeps them exactly. The turn of a body
 * in a step is the unit quaternion (s, u) with
 *
 *     h P = 2 (s I u + u x I u)           P = R^T p*, angular, in the body's axes
 *
 * which is the discrete Euler-Lagrange equation of the rigid body (Moser and Veselov 1991): the
 * step is symplectic and reversible. Robots, whose mass matrix depends on q, take
 *
 *     v* = v + h/2 a(q, v)      q+ = q (+) h v*      v+ = v* + h/2 a(q+, v* + (v* - v))
 *
 * in their place: order 2, not symplectic. Forces that depend on velocities are treated likewise.
 *
 * Steps in which something may touch, or a joint of a robot end, are taken apart (assembly_kick.c).
 */
#include <math.h>
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_signals.h"

enum { TURN_STEPS_MAX = 30, CLOSE_STEPS_MAX = 100 };
/* Corrections that leave more than this of the error are given up: close to singular poses soon,
 * because they do not lead on there. Elsewhere late: what takes their place is another step, and
 * which of both is taken must not depend on rounding at a rate that is common. */
static const double SLOW = 0.3, SLOWEST = 0.8;

/* --- the free flight of a body ------------------------------------------------------------------
 */

/* M^-1 r for a 3 x 3 matrix by columns, by Cramer's rule */
static flg_vec3 solve3(flg_vec3 a, flg_vec3 b, flg_vec3 c, flg_vec3 r) {
  const flg_vec3 bc = flg_vec3_cross(b, c);
  const double scale = 1 / flg_vec3_dot(a, bc);
  return (flg_vec3){scale * flg_vec3_dot(r, bc), scale * flg_vec3_dot(r, flg_vec3_cross(c, a)),
                    scale * flg_vec3_dot(r, flg_vec3_cross(a, b))};
}

/* the columns of [v]x */
static flg_vec3 skew_column(flg_vec3 v, int k) {
  const flg_mat3 skew = flg_mat3_skew(v);
  return flg_mat3_column(&skew, k);
}

/* u of the turn by Newton's method; false if the body turns too far in the step */
static bool find_turn(flg_sym3 inertia, flg_sym3 inverse, flg_vec3 moment, flg_quat *turn) {
  const flg_mat3 I = flg_sym3_full(inertia);
  flg_vec3 u = flg_vec3_scale(flg_sym3_apply(inverse, moment), 0.5);
  double before = INFINITY;
  for (int k = 0; k < TURN_STEPS_MAX; k++) {
    const double rest = 1 - flg_vec3_dot(u, u);
    if (!(rest > 0.01)) return false;
    const double s = sqrt(rest);
    const flg_vec3 Iu = flg_sym3_apply(inertia, u);
    const flg_vec3 sum = flg_vec3_add_scaled(flg_vec3_cross(u, Iu), s, Iu);
    const flg_vec3 left = flg_vec3_add_scaled(flg_vec3_scale(moment, 0.5), -1, sum);
    const double error = flg_vec3_norm(left);
    *turn = (flg_quat){s, u.x, u.y, u.z};
    if (error == 0 || (k > 1 && error >= 0.5 * before)) return true; /* as good as numbers are */
    before = error;
    flg_vec3 column[3];
    const double share[3] = {u.x, u.y, u.z};
    for (int j = 0; j < 3; j++) {
      const flg_vec3 Ij = flg_mat3_column(&I, j);
      column[j] = flg_vec3_subtract(flg_vec3_cross(u, Ij), skew_column(Iu, j));
      column[j] = flg_vec3_add_scaled(column[j], s, Ij);
      column[j] = flg_vec3_add_scaled(column[j], -share[j] / s, Iu);
    }
    u = flg_vec3_add(u, solve3(column[0], column[1], column[2], left));
  }
  return true;
}

static bool fly(const flg_assembly *assembly, int index, double h, double *q_next) {
  const flg_solid *solid = &assembly->solids[index];
  const flg_spatial momentum = assembly->motions[index].momentum;
  const double *q = assembly->q + FLG_BODY_POSITIONS * index;
  double *to = q_next + FLG_BODY_POSITIONS * index;
  const flg_quat at = {q[3], q[4], q[5], q[6]};
  const flg_vec3 moment = flg_quat_rotate(flg_quat_conjugate(at), momentum.angular);
  flg_quat turn;
  if (!find_turn(solid->inertia, solid->inverse, flg_vec3_scale(moment, h), &turn)) return false;
  turn = flg_quat_normalise(flg_quat_multiply(at, turn));
  flg_vec3_store(flg_vec3_add_scaled(flg_vec3_load(q), h / solid->mass, momentum.linear), to);
  to[3] = turn.w, to[4] = turn.x, to[5] = turn.y, to[6] = turn.z;
  return true;
}

/* q+ of everything, from momenta and from the robots' velocities in stage_v */
static bool fly_all(flg_assembly *assembly, double h) {
  assembly->spun = -1;
  for (int k = 0; k < assembly->solid_count; k++) {
    if (fly(assembly, k, h, assembly->stage_q)) continue;
    assembly->spun = k;
    return false;
  }
  for (int k = 0; k < assembly->robot_count; k++) {
    const flg_robot_part *part = &assembly->robots[k];
    flg_robot_integrate(&part->robot->robot, assembly->q + part->position,
                        assembly->stage_v + part->velocity, h, assembly->stage_q + part->position);
  }
  return true;
}

/* --- the first half -----------------------------------------------------------------------------
 */

/* momenta after the first push, and the mean velocities of the step that they lead to */
static void push_first(flg_assembly *assembly, double h) {
  for (int k = 0; k < assembly->solid_count; k++) {
    const flg_solid *solid = &assembly->solids[k];
    flg_solid_motion *motion = &assembly->motions[k];
    const flg_vec3 spin = motion->velocity.angular, own = flg_sym3_apply(motion->inertia, spin);
    const flg_spatial start = {flg_vec3_scale(motion->velocity.linear, solid->mass), own};
    motion->start = start;
    motion->momentum = flg_spatial_add_scaled(start, h / 2, motion->force);
    const flg_vec3 mean =
        flg_vec3_add_scaled(motion->momentum.angular, -h / 2, flg_vec3_cross(spin, own));
    double *v = assembly->stage_v + FLG_BODY_VELOCITIES * k;
    flg_vec3_store(flg_vec3_scale(motion->momentum.linear, 1 / solid->mass), v);
    flg_vec3_store(flg_sym3_apply(motion->inverse, mean), v + 3);
  }
  for (int k = 0; k < assembly->robot_count; k++) {
    const flg_robot_part *part = &assembly->robots[k];
    for (int i = 0; i < part->count; i++) {
      assembly->stage_v[part->velocity + i] =
          assembly->v[part->velocity + i] + h / 2 * part->free[i];
    }
  }
}

/* momenta and velocities before any correction are remembered */
static void remember(flg_assembly *assembly) {
  for (int k = 0; k < assembly->solid_count; k++) {
    assembly->motions[k].aimed = assembly->motions[k].momentum;
  }
  memcpy(assembly->sum_v, assembly->stage_v, (size_t)assembly->velocity_count * sizeof(double));
}

/* the impulses of the last solve, on bodies; robots have theirs in stage_v */
static void add_impulses(flg_assembly *assembly) {
  for (int k = 0; k < assembly->solid_count; k++) {
    flg_spatial *momentum = &assembly->motions[k].momentum;
    *momentum = flg_spatial_add(*momentum, flg_spatial_load(assembly->views[k].force));
  }
  flg_watch_note(assembly, 1, 1, 0);
}

/* one more impulse on everything, with the factors of q: towards the joints at the flight's end */
static flg_status correct(flg_assembly *assembly, double h) {
  const flg_status status =
      flg_assembly_solve(assembly, NULL, (flg_aim){.left = 1 / h}, assembly->change);
  if (status != FLG_OK) return status;
  add_impulses(assembly);
  flg_signals_kick(assembly, false);
  flg_limits_collect(assembly);
  for (int k = FLG_BODY_VELOCITIES * assembly->solid_count; k < assembly->velocity_count; k++) {
    assembly->stage_v[k] += assembly->change[k];
  }
  return FLG_OK;
}

/* of joints, limits and springs; or of joints alone, where there are no forces */
static flg_status push_joints(flg_assembly *assembly, double h) {
  double *v = assembly->stage_v;
  const flg_aim joints = {.bias = h / 2, .soft = FLG_SOFT_RATE};
  return assembly->is_forceless ? flg_assembly_solve(assembly, v, joints, v)
                                : flg_limits_push(assembly, assembly->q, h / 2, h, v);
}

/* the first impulses, with the factors of q */
static flg_status set_off(flg_assembly *assembly, double h) {
  push_first(assembly, h);
  const flg_status status = push_joints(assembly, h);
  if (status != FLG_OK) return status;
  assembly->elapsed = h;
  add_impulses(assembly);
  flg_signals_kick(assembly, true);
  flg_limits_collect(assembly);
  remember(assembly);
  return FLG_OK;
}

/* The step begins again without the rows that are nearly redundant at q: what they ask for there is
 * rounding over their pivot, and their directions have turned by the end of the flight. */
static flg_status set_off_again(flg_assembly *assembly, double h) {
  const bool is_singular = assembly->least < FLG_SINGULAR;
  flg_watch_recall(assembly);
  if (!assembly->is_forceless) flg_limits_forget(assembly);
  assembly->elapsed = 0;
  assembly->is_factored = false;
  flg_assembly_place_rows(assembly, assembly->q, assembly->v);
  if (is_singular) flg_plan_tolerate(assembly->plan, flg_assembly_singular(assembly->least));
  flg_status status = flg_assembly_factor(assembly, assembly->q, FLG_PIVOTS_CHOOSE);
  if (status == FLG_OK) status = set_off(assembly, h);
  if (status == FLG_OK && is_singular) {
    if (!fly_all(assembly, h)) return FLG_ERR_DIVERGED;
    flg_assembly_place_left(assembly, assembly->stage_q);
    status = correct(assembly, h);
  }
  flg_plan_tolerate(assembly->plan, 0);
  assembly->is_factored = false;
  return status;
}

/* what positions were moved by at the end of the flight, momenta have to follow */
static void follow(flg_assembly *assembly, const double *moved, double h) {
  for (int k = 0; k < assembly->solid_count; k++) {
    const flg_spatial change = flg_spatial_load(moved + FLG_BODY_VELOCITIES * k);
    flg_solid_motion *motion = &assembly->motions[k];
    const flg_spatial kick = {
        flg_vec3_scale(change.linear, assembly->solids[k].mass / h),
        flg_vec3_scale(flg_sym3_apply(motion->inertia, change.angular), 1 / h)};
    motion->momentum = flg_spatial_add(motion->momentum, kick);
  }
  for (int k = 0; k < assembly->robot_count; k++) {
    const flg_robot_part *part = &assembly->robots[k];
    for (int i = part->velocity; i < part->velocity + part->count; i++) {
      assembly->stage_v[i] += moved[i] / h;
    }
  }
}

/* Where corrections with the factors of q do not close the joints (q is close to a singular pose,
 * or the step is long), they are taken back: positions are projected at the flight's end, and
 * momenta follow. */
static flg_status project_flight(flg_assembly *assembly, double h) {
  double *moved = assembly->rate_v;
  flg_status status = set_off_again(assembly, h);
  if (status != FLG_OK) return status;
  if (!fly_all(assembly, h)) return FLG_ERR_DIVERGED;
  flg_assembly_place_stage(assembly, assembly->stage_q, assembly->stage_v);
  status = flg_assembly_factor(assembly, assembly->stage_q, FLG_PIVOTS_CHOOSE);
  if (status == FLG_OK) {
    status = flg_assembly_project(assembly, assembly->stage_q, assembly->stage_v, moved);
  }
  if (status == FLG_OK) follow(assembly, moved, h);
  return status;
}

/* impulses at the start such that the flight ends on all joints */
static flg_status close_flight(flg_assembly *assembly, double h) {
  double before = INFINITY;
  flg_watch_remember(assembly);
  const double slow = flg_assembly_is_near_singular(assembly) ? SLOW : SLOWEST;
  flg_status status = set_off(assembly, h);
  for (int k = 0; k < CLOSE_STEPS_MAX && status == FLG_OK; k++) {
    if (!fly_all(assembly, h)) break; /* impulses of rows that are nearly redundant have no bound */
    flg_assembly_place_left(assembly, assembly->stage_q);
    const double left = flg_assembly_left(assembly);
    if (left <= flg_assembly_enough(assembly)) return FLG_OK;
    const bool is_slow = !(left < slow * before);
    if (is_slow && left <= flg_assembly_bearable(assembly)) return FLG_OK;
    if (is_slow) break;
    before = left;
    status = correct(assembly, h);
  }
  return status == FLG_OK ? project_flight(assembly, h) : status;
}

/* --- the second half ----------------------------------------------------------------------------
 */

/* I^-1 p, refined: the rounding of I^-1 is the same in every step, and momentum would drift by it
 */
static flg_vec3 spin_of(const flg_solid_motion *motion, flg_vec3 momentum) {
  const flg_vec3 spin = flg_sym3_apply(motion->inverse, momentum);
  const flg_vec3 left = flg_vec3_subtract(momentum, flg_sym3_apply(motion->inertia, spin));
  return flg_vec3_add(spin, flg_sym3_apply(motion->inverse, left));
}

static void take_velocity(const flg_assembly *assembly, int index, flg_spatial momentum,
                          double *v) {
  double *to = v + FLG_BODY_VELOCITIES * index;
  flg_vec3_store(flg_vec3_scale(momentum.linear, 1 / assembly->solids[index].mass), to);
  flg_vec3_store(spin_of(&assembly->motions[index], momentum.angular), to + 3);
}

/* Velocities at the end for forces that depend on them: as far again from the start as the first
 * impulses led. Corrections of the flight are left out: near singular poses they are no motion. */
static void look_ahead(const flg_assembly *assembly, double *aimed) {
  for (int k = 0; k < assembly->solid_count; k++) {
    const flg_solid_motion *motion = &assembly->motions[k];
    const flg_spatial change = flg_spatial_subtract(motion->aimed, motion->start);
    take_velocity(assembly, k, flg_spatial_add(motion->aimed, change), aimed);
  }
  for (int k = FLG_BODY_VELOCITIES * assembly->solid_count; k < assembly->velocity_count; k++) {
    aimed[k] = 2 * aimed[k] - assembly->v[k];
  }
}

static void push_second(flg_assembly *assembly, double h) {
  for (int k = 0; k < assembly->solid_count; k++) {
    flg_solid_motion *motion = &assembly->motions[k];
    motion->momentum = flg_spatial_add_scaled(motion->momentum, h / 2, motion->force);
    take_velocity(assembly, k, motion->momentum, assembly->v);
  }
  for (int k = 0; k < assembly->robot_count; k++) {
    const flg_robot_part *part = &assembly->robots[k];
    for (int i = 0; i < part->count; i++) {
      assembly->v[part->velocity + i] =
          assembly->stage_v[part->velocity + i] + h / 2 * part->free[i];
    }
  }
}

/* Positions that were closed with the factors of a pose farther away may not do where the step has
 * led: close to a singular pose, they are closed again. Velocities will be brought there, too. */
static flg_status factor_second(flg_assembly *assembly, const double *ahead) {
  flg_status status = flg_assembly_factor(assembly, assembly->q, FLG_PIVOTS_CHOOSE);
  if (status != FLG_OK || flg_assembly_left(assembly) <= flg_assembly_enough(assembly)) {
    return status;
  }
  status = flg_assembly_project(assembly, assembly->q, ahead, NULL);
  flg_assembly_place_rows(assembly, assembly->q, ahead);
  return status == FLG_OK ? flg_assembly_factor(assembly, assembly->q, FLG_PIVOTS_CHOOSE) : status;
}

/* to the end of the flight, with the velocities that are foreseen there */
static void arrive(flg_assembly *assembly, double *ahead) {
  memcpy(assembly->q, assembly->stage_q, (size_t)assembly->position_count * sizeof(double));
  look_ahead(assembly, ahead);
  flg_assembly_place_rows(assembly, assembly->q, ahead);
}

static flg_status step(flg_assembly *assembly, double time, double h) {
  double *q = assembly->q, *v = assembly->v, *ahead = assembly->sum_v; /* as remembered */
  assembly->kick = h / 2, assembly->horizon = h;
  flg_assembly_begin(assembly);
  flg_signals_begin(assembly, time, h);
  flg_status status = flg_assembly_factor(assembly, q, FLG_PIVOTS_CHOOSE);
  if (status != FLG_OK) return status;
  flg_assembly_forces(assembly, time, q, v);
  flg_assembly_depart(assembly);
  flg_watch_pull(assembly, h / 2);
  status = close_flight(assembly, h);
  if (status != FLG_OK) return status;
  arrive(assembly, ahead);
  flg_signals_enter(assembly, 3);
  flg_assembly_forces(assembly, time + h, q, ahead);
  flg_watch_pull(assembly, h / 2);
  status = factor_second(assembly, ahead);
  if (status != FLG_OK) return status;
  push_second(assembly, h);
  status = flg_limits_push(assembly, q, 0, 0, v);
  flg_limits_note(assembly, h);
  flg_watch_note(assembly, 1, 0, 1);
  flg_assembly_keep_angles(assembly);
  if (status == FLG_OK) flg_assembly_arrive(assembly, time, h);
  return status == FLG_OK ? flg_signals_end(assembly) : status;
}

flg_status flg_assembly_rattle(flg_assembly *assembly, double time, double h) {
  bool is_near = false;
  const flg_status status = flg_assembly_touch_near(assembly, h, &is_near);
  if (status != FLG_OK) return status;
  return is_near ? flg_assembly_kick(assembly, time, h) : step(assembly, time, h);
}

/* --- without forces -----------------------------------------------------------------------------
 */

/* robots move on by themselves, bodies by their momenta */
static void let_go(flg_assembly *assembly, const double *q, const double *v) {
  for (int k = 0; k < assembly->solid_count; k++) {
    assembly->motions[k].force = (flg_spatial){{0}, {0}};
  }
  for (int k = 0; k < assembly->robot_count; k++) {
    const flg_robot_part *part = &assembly->robots[k];
    memset(part->load, 0, (size_t)part->count * sizeof(double));
    flg_dynamics_forward_held(part->robot->dynamics, q + part->position, v + part->velocity,
                              part->load, (flg_vec3){0}, NULL, part->robot->held, part->free);
    flg_mimics_project(&part->robot->mimics, part->robot->dynamics, part->free);
  }
}

static flg_status drift(flg_assembly *assembly, double h) {
  double *q = assembly->q, *v = assembly->v, *ahead = assembly->sum_v; /* as remembered */
  let_go(assembly, q, v);
  flg_status status = close_flight(assembly, h);
  if (status != FLG_OK) return status;
  arrive(assembly, ahead);
  let_go(assembly, q, ahead);
  status = factor_second(assembly, ahead);
  if (status != FLG_OK) return status;
  push_second(assembly, h);
  status = flg_assembly_solve(assembly, v, (flg_aim){.soft = FLG_SOFT_RATE}, v);
  flg_watch_note(assembly, 1, 0, 1);
  return status;
}

flg_status flg_assembly_coast(flg_assembly *assembly, double h) {
  if (flg_assembly_is_loose(assembly)) {
    flg_assembly_fly(assembly, h, assembly->q, assembly->v);
    return FLG_OK;
  }
  assembly->is_forceless = true;
  const flg_status status = drift(assembly, h);
  assembly->is_forceless = false;
  return status;
}
