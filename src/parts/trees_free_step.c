/* How trees fly in steps of rattle (dynamics/momentum_step.h): u such that J^T (p - p*(u)) = 0, p
 * the momenta with which the bodies set off. Found by steps with M of the start,
 *
 *     u += M^-1 J^T (p - p*(u))
 *
 * each of which leaves about h times the spin of what is left. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/larger.h"
#include "parts/trees_inner.h"

enum { STEPS_MAX = 60 };
/* Of the largest velocity: what is left when a step ends, and what rounding may make of it. */
static const double ENOUGH = 1e-11, ROUNDED = 1e-9;
/* The share of its error that a first step is assumed to leave. */
static const double SLOWEST = 0.1;

static double largest_velocity(const double *x, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) most = flg_larger(most, fabs(x[k]));
  return most;
}

static void trees_set_off(flg_parts *parts, double h, const double *v, double *v_mean) {
  for (int k = 0; k < parts->count; k++) {
    flg_tree_part *part = flg_tree_of(parts, k);
    const int first = part->ports.slice.velocity, count = part->ports.slice.velocity_count;
    flg_momentum_step_take_momenta(part->ports.dynamics, part->links);
    flg_dynamics_factor(part->ports.dynamics, part->none);
    for (int i = 0; i < part->robot.link_count; i++) {
      const flg_spatial own = flg_momentum_step_at_origin(&part->links[i], part->links[i].momentum);
      part->targets[i] = flg_spatial_add_scaled(own, h / 2, part->forces[i]);
    }
    part->departs = true;
    memcpy(v_mean + first, v + first, (size_t)count * sizeof *v);
    if (part->ports.port_count == 0) continue;
    /* rows ask for the mean velocities of the step */
    flg_tree_accelerate(part, part->change);
    for (int i = 0; i < count; i++) v_mean[first + i] += h / 2 * part->change[i];
  }
}

static void trees_free_step_push(flg_parts *parts, const double *change, double *v_mean) {
  for (int k = 0; k < parts->count; k++) {
    const flg_tree_part *part = flg_tree_of(parts, k);
    const double *force = parts->views[k].force;
    for (int i = 0; i < part->ports.port_count; i++) {
      flg_spatial *target = &part->targets[part->ports.ports[i].link];
      *target = flg_spatial_add(*target, flg_spatial_load(force + (size_t)FLG_PORT_NUMBERS * i));
    }
    for (int i = 0; i < part->ports.slice.velocity_count && change != NULL; i++) {
      part->mean[i] += change[part->ports.slice.velocity + i];
      v_mean[part->ports.slice.velocity + i] += change[part->ports.slice.velocity + i];
    }
  }
}

static void trees_remember(flg_parts *parts) {
  for (int k = 0; k < parts->count; k++) flg_tree_of(parts, k)->aims = true;
}

/* Guesses the change of velocities in the free step, from the steps before: it grows
 * with the step, where these are velocities of the start, and with its square, where they are
 * means. */
static void guess_tree_step(const flg_tree_part *part, double h) {
  const flg_tree_past *past = &part->past;
  const double ratio = *past->step > 0 ? h / *past->step : 0;
  const double share = part->ports.port_count == 0 ? ratio : ratio * ratio;
  for (int i = 0; i < part->ports.slice.velocity_count; i++) {
    part->mean[i] += share * (3 * (past->last[i] - past->before[i]) + past->first[i]);
  }
}

static void remember_free_step(const flg_tree_part *part, double h, const double *v_mean) {
  const flg_tree_past *past = &part->past;
  const bool is_first = *past->step == 0;
  *past->step = h;
  for (int i = 0; i < part->ports.slice.velocity_count; i++) {
    const double made = part->mean[i] - v_mean[i];
    past->first[i] = is_first ? made : past->before[i];
    past->before[i] = is_first ? made : past->last[i];
    past->last[i] = made;
  }
}

/* from now on parts are placed elsewhere, and the start stays as it is */
static void depart(flg_tree_part *part, double h, const double *v_mean) {
  flg_dynamics *placed = part->ports.dynamics;
  flg_momentum_link *links = part->links;
  part->ports.dynamics = part->start, part->start = placed;
  part->links = part->flying, part->flying = links;
  memcpy(part->mean, v_mean, (size_t)part->ports.slice.velocity_count * sizeof *v_mean);
  guess_tree_step(part, h);
  part->is_elsewhere = true;
}

/* what u still lacks; false if a body turns too far */
static bool find_change(flg_tree_part *part, double h) {
  if (!flg_momentum_step_miss(part->start, part->flying, part->mean, h, part->ways, part->targets,
                              part->lacks)) {
    return false;
  }
  flg_dynamics_solve_links(part->start, part->lacks, part->change);
  return true;
}

/* Velocities that the bodies would set off with if no joint held them: where joints take nearly all
 * of that away, rounding of it is what is left. */
static double fastest_free_body(const flg_tree_part *part) {
  double most = 0;
  for (int i = 0; i < part->robot.link_count; i++) {
    const flg_momentum_link *link = &part->flying[i];
    const flg_spatial own = flg_spatial_shift_force(part->targets[i], link->arm);
    const double inertia = link->inertia.xx + link->inertia.yy + link->inertia.zz;
    most = flg_larger(most, flg_vec3_norm(own.linear) / link->mass);
    most = flg_larger(most, flg_vec3_norm(own.angular) / inertia);
  }
  return most;
}

static void add_change(const flg_tree_part *part) {
  for (int i = 0; i < part->ports.slice.velocity_count; i++) part->mean[i] += part->change[i];
}

/* what the first step of a search leaves: so much more as bodies turn further */
static double expected(const flg_tree_part *part, double turn) {
  const double MARGIN = 2, rate = MARGIN * *part->past.rate * turn;
  return rate > 0 && rate < SLOWEST ? rate : SLOWEST;
}

/* mean velocities of the free step; false if the step is too long for them */
static bool find_mean(flg_tree_part *part, double h) {
  const int count = part->ports.slice.velocity_count;
  double before = INFINITY;
  for (int k = 0; k < STEPS_MAX; k++) {
    if (!find_change(part, h)) return false;
    const double size = largest_velocity(part->change, count),
                 most = largest_velocity(part->mean, count);
    const double rate = k > 0 ? size / before : expected(part, h * most);
    if (k == 1) *part->past.rate = rate / (h * most);
    if (size <= ENOUGH * most) return true;
    if (k > 0 && rate > 0.5 && size <= ROUNDED * flg_larger(most, fastest_free_body(part)))
      return true;
    if (k > 3 && !(rate < 2)) return false;
    add_change(part);
    if (rate * size <= ENOUGH * most) {
      flg_momentum_step_add_answer(part->start, part->flying);
      return true;
    }
    before = size;
  }
  return false;
}

static int trees_fly(flg_parts *parts, double h, const double *q, const double *v_mean,
                     double *q_next) {
  for (int k = 0; k < parts->count; k++) {
    flg_tree_part *part = flg_tree_of(parts, k);
    const double *own = v_mean + part->ports.slice.velocity;
    if (part->departs) depart(part, h, own);
    if (!find_mean(part, h)) return k;
    if (part->departs) remember_free_step(part, h, own);
    part->departs = false;
    if (part->aims) memcpy(part->aimed, part->mean, (size_t)part->ports.count * sizeof(double));
    part->aims = false;
    flg_robot_integrate(&part->robot, q + part->ports.slice.position, part->mean, h,
                        q_next + part->ports.slice.position);
  }
  return -1;
}

static void trees_follow(flg_parts *parts, const double *moved, double h, double *v_mean) {
  (void)v_mean;
  for (int k = 0; k < parts->count; k++) {
    const flg_tree_part *part = flg_tree_of(parts, k);
    for (int i = 0; i < part->ports.slice.velocity_count; i++) {
      part->mean[i] += moved[part->ports.slice.velocity + i] / h;
    }
    flg_momentum_step_miss(part->start, part->flying, part->mean, h, part->ways, part->targets,
                           part->lacks);
  }
}

static void trees_look_ahead(const flg_parts *parts, const double *v, double *ahead) {
  for (int k = 0; k < parts->count; k++) {
    const flg_tree_part *part = flg_tree_of(parts, k);
    for (int i = 0; i < part->ports.slice.velocity_count; i++) {
      const int at = part->ports.slice.velocity + i;
      ahead[at] = 2 * part->aimed[i] - v[at];
    }
  }
}

static void trees_arrive(flg_parts *parts, double h, const double *v_mean, double *v) {
  (void)v_mean;
  for (int k = 0; k < parts->count; k++) {
    flg_tree_part *part = flg_tree_of(parts, k);
    for (int i = 0; i < part->robot.link_count; i++) {
      const flg_spatial own =
          flg_momentum_step_at_origin(&part->links[i], part->flying[i].momentum);
      part->lacks[i] = flg_spatial_add_scaled(own, h / 2, part->forces[i]);
    }
    flg_dynamics_factor(part->ports.dynamics, part->none);
    flg_dynamics_solve_links(part->ports.dynamics, part->lacks, v + part->ports.slice.velocity);
  }
}

const flg_part_free_step flg_trees_free_step = {.set_off = trees_set_off,
                                                .push = trees_free_step_push,
                                                .remember = trees_remember,
                                                .fly = trees_fly,
                                                .follow = trees_follow,
                                                .look_ahead = trees_look_ahead,
                                                .arrive = trees_arrive};
