#include "robot/robot_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "robot/robot_contacts.h"
#include "robot/robot_coupled.h"
#include "robot/robot_forces.h"
#include "robot/robot_friction.h"

/* of all energies of a tree: less is rounding */
static const double ROUNDING = 64 * DBL_EPSILON;
/* of the kinetic energy: more is left to later steps, as at a turning point */
static const double MOST = 0.1;

/* Knowledge of the energy: none, and it is computed at the start of the next step, or at its end if
 * contacts pushed in the last; or the number of steps since it was right.
 */
enum { PAST_PUSHED = -1, PAST_NONE = 0, PAST_BALANCED = 1, PAST_DUE = 4 };

/* --- set-up -------------------------------------------------------------------------------------
 */

static bool is_leapfrog(const flg_robot_subsystem *robot) {
  return robot->options.integrator.kind == FLG_INTEGRATOR_LEAPFROG;
}

/* joints that follow others tie trees together */
static int tree_count(const flg_robot_subsystem *robot) {
  int count = 0;
  for (int i = 0; i < robot->robot.link_count; i++) {
    count += robot->robot.links[i].parent == FLG_WORLD;
  }
  return flg_mimics_count(robot->model) > 0 && count > 1 ? 1 : count;
}

size_t flg_robot_past_numbers(const flg_robot_subsystem *robot) {
  if (!is_leapfrog(robot)) return 0;
  return 1 + 4 * (size_t)tree_count(robot) + (size_t)robot->robot.position_count +
         4 * (size_t)robot->robot.velocity_count;
}

void flg_robot_past_build(flg_robot_subsystem *robot, flg_region *region) {
  flg_robot_trees *trees = &robot->trees;
  const int links = robot->robot.link_count;
  trees->count = tree_count(robot);
  trees->of_link = flg_region_take(region, (size_t)links, sizeof(int));
  trees->floating = flg_region_take(region, (size_t)trees->count, sizeof(int));
  trees->sums = flg_region_take(region, (size_t)trees->count, sizeof(flg_tree_sum));
  trees->gains = flg_region_take(region, (size_t)trees->count, sizeof(flg_tree_gain));
  trees->masses = flg_region_take(region, (size_t)trees->count, sizeof(double));
  trees->free = flg_region_take(region, (size_t)robot->robot.velocity_count, sizeof(double));
  int found = 0;
  for (int i = 0; i < links && !region->failed; i++) {
    const flg_link *link = &robot->robot.links[i];
    const bool is_first = link->parent == FLG_WORLD;
    trees->of_link[i] = trees->count == 1 ? 0 : is_first ? found : trees->of_link[link->parent];
    trees->masses[trees->of_link[i]] += link->inertia.mass;
    if (!is_first) continue;
    trees->floating[trees->of_link[i]] =
        link->kind == FLG_JOINT_FLOATING && flg_mimics_count(robot->model) == 0 ? i : -1;
    found++;
  }
}

/* --- how the last step ended --------------------------------------------------------------------
 */

typedef struct past {
  double *steps;    /* PAST_NONE .. */
  double *energies; /* (trees) that there should be ... */
  double *momenta;  /* (3 trees) ... with this momentum, of those that float */
  double *q, *v;    /* at the end */
  double *gain;     /* (velocities) by forces */
  double *guess;    /* (velocities) of the next gain */
  double *struck;   /* (velocities) gain by contacts and limits */
} past;

static past past_of(const flg_robot_subsystem *robot) {
  double *at = robot->past;
  past of = {.steps = at, .energies = at + 1};
  of.momenta = of.energies + robot->trees.count;
  of.q = of.momenta + 3 * robot->trees.count;
  of.v = of.q + robot->robot.position_count;
  of.gain = of.v + robot->robot.velocity_count;
  of.guess = of.gain + robot->robot.velocity_count;
  of.struck = of.guess + robot->robot.velocity_count;
  return of;
}

static void remember_past(const flg_robot_subsystem *robot) {
  const past of = past_of(robot);
  memcpy(of.q, robot->q, (size_t)robot->robot.position_count * sizeof(double));
  memcpy(of.v, robot->v, (size_t)robot->robot.velocity_count * sizeof(double));
}

static void sum_trees(flg_robot_subsystem *robot) {
  flg_dynamics_move(robot->dynamics, robot->q, robot->v);
  flg_dynamics_sum_trees(robot->dynamics, robot->options.gravity, robot->trees.of_link,
                         robot->trees.count, robot->trees.sums);
}

static void take_energies(flg_robot_subsystem *robot, const past *of) {
  sum_trees(robot);
  for (int k = 0; k < robot->trees.count; k++) {
    of->energies[k] = robot->trees.sums[k].kinetic + robot->trees.sums[k].potential;
    flg_vec3_store(robot->trees.sums[k].momentum, of->momenta + 3 * k);
  }
  *of->steps = PAST_BALANCED;
}

/* the mean velocities go to controllers and to dry friction as well */
static bool is_inertial(const flg_robot_subsystem *robot) {
  return robot->controller_count == 0 && !robot->rubs;
}

/* The past is that of this very state, or is made up for it: without a guess. */
static void recall_past(flg_robot_subsystem *robot) {
  const size_t nq = (size_t)robot->robot.position_count, nv = (size_t)robot->robot.velocity_count;
  const past of = past_of(robot);
  robot->trees.guess = (flg_kick_guess){true, is_inertial(robot), of.guess, of.struck};
  if (*of.steps != PAST_NONE && memcmp(of.q, robot->q, nq * sizeof(double)) == 0 &&
      memcmp(of.v, robot->v, nv * sizeof(double)) == 0) {
    return;
  }
  take_energies(robot, &of);
  memset(of.gain, 0, 3 * nv * sizeof(double)); /* and what follows it */
  robot->trees.guess.is_good = false;
  remember_past(robot);
}

/* --- the balance --------------------------------------------------------------------------------
 */

/* of a link that carries a tree, the forces on its first three coordinates are those on all of it
 */
static void add_force(flg_robot_subsystem *robot, int link, int coordinate, double force) {
  const flg_robot_trees *trees = &robot->trees;
  const int tree = trees->of_link[link];
  if (trees->floating[tree] != link || coordinate > 2) return;
  flg_tree_gain *gain = &trees->gains[tree];
  const flg_vec3 axis = flg_mat3_column(&robot->robot.links[link].placement.rotation, coordinate);
  gain->impulse = flg_vec3_add_scaled(gain->impulse, force, axis);
}

static void add_ports(flg_robot_subsystem *robot, double h, const double *mean) {
  for (int k = 0; k < robot->ports.count; k++) {
    const flg_link_anchor *anchor = &robot->ports.anchors[k];
    if (anchor->link == FLG_WORLD) continue;
    const flg_spatial force = flg_spatial_load(robot->ports.forces + 6 * k);
    flg_tree_gain *gain = &robot->trees.gains[robot->trees.of_link[anchor->link]];
    gain->impulse = flg_vec3_add_scaled(gain->impulse, h, force.linear);
    gain->work +=
        h * flg_spatial_dot(force, flg_dynamics_frame_motion(robot->dynamics, anchor, mean));
  }
}

/* Of forces on elastic coordinates, but those of stiffness, which store energy. Efforts are those
 * of the kick: -K e - C v of its start besides what pushes; damping acts by the mean velocities. */
static void add_flex_work(flg_robot_subsystem *robot, int i, double h, const double *mean) {
  const flg_flex *flex = &robot->robot.flexes[i];
  const past of = past_of(robot);
  const int n = flex->body.modes;
  const double *K = flex->body.stiffness, *C = flex->body.damping;
  double work = 0;
  for (int k = 0; k < n; k++) {
    double force = robot->effort[flex->velocity + k];
    for (int j = 0; j < n; j++) {
      const double u = of.v[flex->velocity + j], e = of.q[flex->position + j] + 0.5 * h * u;
      force += K[k + n * j] * e + C[k + n * j] * (u - mean[flex->velocity + j]);
    }
    work += h * force * mean[flex->velocity + k];
  }
  robot->trees.gains[robot->trees.of_link[flex->link]].work += work;
}

/* Of all forces but gravity, by the mean velocities: at the kick, whose efforts are still there.
 * (M + added) a = f: what is added to the mass resists as a force. */
static void find_work(flg_robot_subsystem *robot, double h, const double *gain,
                      const double *mean) {
  const flg_robot_trees *trees = &robot->trees;
  for (int k = 0; k < trees->count; k++) {
    trees->gains[k] =
        (flg_tree_gain){.impulse = flg_vec3_scale(robot->options.gravity, h * trees->masses[k])};
  }
  for (int i = 0; i < robot->robot.link_count; i++) {
    const flg_link *link = &robot->robot.links[i];
    for (int j = 0; j < link->velocity_count; j++) {
      const int k = link->velocity + j;
      if (isinf(robot->locked[k])) continue;
      const double force = h * robot->effort[k] - robot->added[k] * gain[k];
      trees->gains[trees->of_link[i]].work += force * mean[k];
      add_force(robot, i, j, force);
    }
  }
  for (int i = 0; i < robot->robot.flex_count; i++) add_flex_work(robot, i, h, mean);
  if (robot->ports.is_pushed) add_ports(robot, h, mean);
}

/* A tree that floats as a whole: the link that does; NULL: it hangs on the ground. */
static const flg_link *float_of(const flg_robot_subsystem *robot, int tree) {
  const int root = robot->trees.floating[tree];
  if (root < 0) return NULL;
  const flg_link *link = &robot->robot.links[root];
  for (int k = 0; k < 3; k++) {
    if (isinf(robot->locked[link->velocity + k])) return NULL;
  }
  return link;
}

static void scale_tree(flg_robot_subsystem *robot, int tree, double factor) {
  for (int i = 0; i < robot->robot.link_count; i++) {
    if (robot->trees.of_link[i] != tree) continue;
    const flg_link *link = &robot->robot.links[i];
    const int count = link->velocity_count + link->elastic_count;
    for (int k = 0; k < count; k++) robot->v[link->velocity + k] *= factor;
  }
}

/* v of a link that floats += by [m/s], in world axes */
static void shift_floating(flg_robot_subsystem *robot, const flg_link *link, flg_vec3 by) {
  double *v = robot->v + link->velocity;
  const flg_vec3 own = flg_mat3_apply_transposed(&link->placement.rotation, by);
  flg_vec3_store(flg_vec3_add(flg_vec3_load(v), own), v);
}

/* of kinetic energy, where there is a rest that has to come out */
static double factor_of(double inner, double missing, double rounding) {
  if (!(fabs(missing) > rounding) || !(inner > rounding)) return 1;
  return sqrt(1 + fmax(-MOST, fmin(MOST, missing / inner)));
}

/* The sums are those of the end of the step. What floats does so as its centre of mass should, and
 * moves about that with the energy that is left. */
static void balance_tree(flg_robot_subsystem *robot, int tree, double energy,
                         const double *momentum) {
  const flg_tree_sum *sum = &robot->trees.sums[tree];
  const double rounding = ROUNDING * (fabs(energy) + sum->kinetic + fabs(sum->potential));
  const flg_link *base = float_of(robot, tree);
  if (base == NULL) {
    const double missing = energy - sum->kinetic - sum->potential;
    scale_tree(robot, tree, factor_of(sum->kinetic, missing, rounding));
    return;
  }
  const flg_vec3 drift = flg_vec3_scale(sum->momentum, 1 / sum->mass);
  const flg_vec3 wanted = flg_vec3_scale(flg_vec3_load(momentum), 1 / sum->mass);
  const double inner = sum->kinetic - 0.5 * sum->mass * flg_vec3_dot(drift, drift);
  const double carried = 0.5 * sum->mass * flg_vec3_dot(wanted, wanted);
  const double factor = factor_of(inner, energy - carried - inner - sum->potential, rounding);
  scale_tree(robot, tree, factor);
  shift_floating(robot, base, flg_vec3_add_scaled(wanted, -factor, drift));
}

/* after the step, which took the work of the trees and was not pushed */
static void balance(flg_robot_subsystem *robot, const past *of) {
  if (*of->steps == PAST_PUSHED) {
    take_energies(robot, of);
    return;
  }
  for (int k = 0; k < robot->trees.count; k++) {
    const flg_tree_gain *gain = &robot->trees.gains[k];
    double *momentum = of->momenta + 3 * k;
    of->energies[k] += gain->work;
    flg_vec3_store(flg_vec3_add(flg_vec3_load(momentum), gain->impulse), momentum);
  }
  if ((*of->steps)++ < PAST_DUE) return;
  sum_trees(robot);
  for (int k = 0; k < robot->trees.count; k++) {
    balance_tree(robot, k, of->energies[k], of->momenta + 3 * k);
  }
  *of->steps = PAST_BALANCED;
}

/* --- the step -----------------------------------------------------------------------------------
 */

const flg_kick_guess *flg_robot_guess(const flg_robot_subsystem *robot) {
  return is_leapfrog(robot) ? &robot->trees.guess : NULL;
}

/* v after the kick, where nothing touches, and the rest of the step */
static void kick_freely(flg_robot_subsystem *robot, double time, double h, double left) {
  double *free = robot->trees.free;
  flg_robot_friction_kick(robot, time, h, flg_robot_guess(robot), free);
  memcpy(robot->v, free, (size_t)robot->robot.velocity_count * sizeof *free);
  flg_robot_integrate(&robot->robot, robot->q, robot->v, left, robot->q);
}

/* The velocities that forces and that impulses have added, for the next guess: hits do not repeat.
 * free: v after forces alone; it becomes the mean velocity. */
static void split_gain(const flg_robot_subsystem *robot, const past *of, double *free) {
  const bool hits = robot->touch != NULL && flg_robot_contacts_hit(robot);
  for (int k = 0; k < robot->robot.velocity_count; k++) {
    const double gain = free[k] - of->v[k], last = of->gain[k];
    of->gain[k] = gain;
    of->guess[k] = last == 0 ? gain : 2 * gain - last;
    of->struck[k] = hits ? 0 : robot->v[k] - free[k];
    free[k] = 0.5 * (of->v[k] + robot->v[k]);
  }
}

static void finish_step(flg_robot_subsystem *robot, double h) {
  const past of = past_of(robot);
  split_gain(robot, &of, robot->trees.free);
  if (robot->touch != NULL && flg_robot_contacts_push(robot)) {
    *of.steps = PAST_PUSHED;
  } else {
    find_work(robot, h, of.gain, robot->trees.free); /* before anything moves on from the kick */
    balance(robot, &of);
  }
  remember_past(robot);
}

flg_status flg_robot_leap(flg_robot_subsystem *robot, double time, double h, flg_error *error) {
  const double lead = flg_integrator_lead(robot->integrator, h);
  const flg_status status =
      robot->touch == NULL ? FLG_OK : flg_robot_contacts_guard(robot, time, lead, error);
  if (status != FLG_OK) return status;
  recall_past(robot);
  flg_robot_integrate(&robot->robot, robot->q, robot->v, lead, robot->q);
  return FLG_OK;
}

/* Impulses of others before the kick: the step goes on from there, and has their energy. */
static void take_impulses(flg_robot_subsystem *robot) {
  const past of = past_of(robot);
  const size_t bytes = (size_t)robot->robot.velocity_count * sizeof(double);
  if (memcmp(of.v, robot->v, bytes) == 0) return;
  memcpy(of.v, robot->v, bytes);
  *of.steps = PAST_PUSHED;
}

static flg_status land_somewhere(flg_robot_subsystem *robot, double time, double h, double left,
                                 flg_error *error) {
  if (robot->touch != NULL) {
    return flg_robot_contacts_kick(robot, time, h, left, robot->trees.free, error);
  }
  kick_freely(robot, time, h, left);
  return FLG_OK;
}

flg_status flg_robot_land(flg_robot_subsystem *robot, double time, double h, flg_error *error) {
  const double lead = flg_integrator_lead(robot->integrator, h);
  take_impulses(robot);
  const flg_status status = land_somewhere(robot, time, h, h - lead, error);
  if (status == FLG_OK) {
    finish_step(robot, h);
  } else {
    memcpy(robot->q, past_of(robot).q, (size_t)robot->robot.position_count * sizeof(double));
  }
  return status;
}

flg_status flg_robot_step(flg_robot_subsystem *robot, double time, double h, flg_error *error) {
  if (!is_leapfrog(robot)) return land_somewhere(robot, time, h, h, error);
  const flg_status status = flg_robot_leap(robot, time, h, error);
  return status == FLG_OK ? flg_robot_land(robot, time, h, error) : status;
}
