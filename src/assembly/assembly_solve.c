/* The plan of an assembly at work: factors, right-hand sides, projections. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_signals.h"
#include "base/for_each.h"
#include "math/dense.h"
#include "math/larger.h"
#include "math/pivoted_cholesky.h"

/* Joints are closed when less than this is left of them (flg_assembly_left). */
static const double CLOSED = 1e-12;
/* Near a singular pose, at an angle a from it, what is left turns the directions in which the
 * joints let go by left / a^2, and velocities are bent by that: there it has to be rounding. The
 * least pivot is about a^2, or less. */
static const double NEAR = 1e-6;
static const double TIGHT = 1e-15;
/* Rounding allows less than TIGHT, but more than this. */
static const double ROUNDED = 2e-14;
/* ... and not worse than this in large systems */
static const double NEARLY_CLOSED = 1e-9;
/* With less than this left, redundant rows do not look independent: their pivots are about its
 * square. With more, rows have to exceed so many times that square. */
static const double FAINT = 1e-6, CLEAR = 100;
/* steps of Newton's method; factors are renewed when a step leaves more than this of the error */
enum { PROJECTIONS_MAX = 40 };
static const double SLOW = 0.2;

/* --- parts --------------------------------------------------------------------------------------
 */

static void store_block(const flg_mat3 *block, double *to) {
  for (int j = 0; j < 3; j++) flg_vec3_store(flg_mat3_column(block, j), to + 6 * j);
}

/* a mass of 1 turns by this under a unit moment, by the root of it, or by 1 */
static double unit_turn(const flg_assembly *assembly, bool is_root) {
  if (assembly->arm == 0) return 1;
  return is_root ? 1 / assembly->arm : 1 / (assembly->arm * assembly->arm);
}

/* H = diag(1/m, I^-1), a root of it, or that of a unit mass */
static void fill_solid(void *context, int index) {
  const flg_assembly *assembly = context;
  const flg_solid *solid = &assembly->solids[index];
  const flg_solid_motion *motion = &assembly->motions[index];
  double *H = assembly->views[index].matrix;
  const bool is_root = assembly->options.form == FLG_FORM_ROOT;
  double linear = is_root ? 1 / sqrt(solid->mass) : 1 / solid->mass;
  flg_mat3 angular = is_root ? flg_mat3_multiply(&motion->pose.rotation, &solid->root)
                             : flg_sym3_full(motion->inverse);
  if (assembly->is_unit)
    linear = 1, angular = flg_sym3_full(flg_sym3_diagonal(unit_turn(assembly, is_root)));
  memset(H, 0, 36 * sizeof *H);
  for (int k = 0; k < 3; k++) H[7 * k] = linear;
  store_block(&angular, H + 21);
}

/* Z with Z Z^T = D, by Cholesky with pivoting: columns past the rank are zero */
static void take_root(const flg_robot_part *part, double *Z) {
  const int n = FLG_PORT_NUMBERS * part->port_count;
  const size_t size = (size_t)n;
  const int rank = flg_pivoted_cholesky_factor(n, part->admittance, n, NULL, DBL_EPSILON,
                                               part->order, part->lower, n);
  memset(Z, 0, size * size * sizeof *Z);
  for (size_t j = 0; (int)j < rank; j++) {
    for (size_t i = j; i < size; i++)
      Z[(size_t)part->order[i] + j * size] = part->lower[i + j * size];
  }
  if (rank == FLG_PIVOT_FAILED) Z[0] = NAN; /* the plan will tell */
}

/* J of all ports, one below the other; work (6 velocities) */
static void find_jacobian(const flg_robot_part *part, double *work) {
  const int n = part->count, m = FLG_PORT_NUMBERS * part->port_count;
  for (int k = 0; k < part->port_count; k++) {
    flg_dynamics_frame_jacobian(part->robot->dynamics, &part->ports[k], work);
    for (int j = 0; j < n; j++) {
      memcpy(part->jacobian + (size_t)j * (size_t)m + FLG_PORT_NUMBERS * k,
             work + (size_t)j * FLG_PORT_NUMBERS, FLG_PORT_NUMBERS * sizeof(double));
    }
  }
}

/* D and M^-1 J^T, column by column: what unit forces do */
static void find_response(const flg_robot_part *part) {
  flg_dynamics *dynamics = part->robot->dynamics;
  const int n = part->count, m = FLG_PORT_NUMBERS * part->port_count;
  flg_dynamics_admittance_shares(dynamics, part->ports, part->port_count, part->ways,
                                 part->admittance, part->shares);
  memset(part->unit, 0, (size_t)m * sizeof(double));
  for (int i = 0; i < m; i++) {
    part->unit[i] = 1;
    flg_dynamics_respond(dynamics, part->shares, part->port_count, part->unit,
                         part->response + (size_t)i * (size_t)n);
    part->unit[i] = 0;
  }
  flg_mimics_reduce(&part->robot->mimics, dynamics, m, part->response, part->admittance);
}

/* Joint j for all ports by its length, where inertias have an arm; locked ones do not move. */
static void measure_joint(const flg_assembly *assembly, const flg_robot_part *part, int j) {
  const int m = FLG_PORT_NUMBERS * part->port_count;
  double *column = part->jacobian + (size_t)j * (size_t)m, sum = 0;
  for (int i = 0; i < m; i++) {
    const double arm = i % FLG_PORT_NUMBERS < 3 ? 1 : assembly->arm;
    sum += column[i] * arm * column[i] * arm;
  }
  const double part_of = sum > 0 && !isinf(part->robot->held[j]) ? 1 / sqrt(sum) : 0;
  for (int i = 0; i < m; i++) column[i] *= part_of;
}

/* the same of a mass of 1 */
static void find_response_of_unit(const flg_assembly *assembly, const flg_robot_part *part) {
  const int n = part->count, m = FLG_PORT_NUMBERS * part->port_count;
  for (int j = 0; j < n && assembly->arm > 0; j++) measure_joint(assembly, part, j);
  for (int i = 0; i < m; i++) {
    double *column = part->response + (size_t)i * (size_t)n;
    for (int j = 0; j < n; j++) column[j] = part->jacobian[i + (size_t)j * (size_t)m];
  }
  memset(part->admittance, 0, (size_t)m * (size_t)m * sizeof(double));
  flg_dense_multiply_right_transposed(m, m, n, 1, part->jacobian, m, part->jacobian, m,
                                      part->admittance, m);
}

/* J, M^-1 J^T and D; kinematics at this q have run */
static void reduce_robot(const flg_assembly *assembly, const flg_robot_part *part) {
  flg_dynamics_factor(part->robot->dynamics, part->robot->added);
  find_jacobian(part, part->response);
  /* joints that follow others are measured by masses in any case */
  if (assembly->is_unit && part->robot->mimics.count == 0) {
    find_response_of_unit(assembly, part);
  } else {
    find_response(part);
  }
}

static void fill_robot(flg_assembly *assembly, int index) {
  const flg_robot_part *part = &assembly->robots[index];
  const int m = FLG_PORT_NUMBERS * part->port_count;
  double *H = assembly->views[assembly->solid_count + index].matrix;
  if (!assembly->is_damped) {
    memcpy(part->robot->added, part->robot->held, (size_t)part->count * sizeof(double));
  }
  if (m == 0) return;
  reduce_robot(assembly, part);
  if (assembly->options.form == FLG_FORM_ROOT) {
    take_root(part, H);
  } else {
    memcpy(H, part->admittance, (size_t)m * (size_t)m * sizeof *H);
  }
}

/* --- implicit force elements ----------------------------------------------------------------
 * An impulse l over the kick, from an effort that looks ahead by the horizon,
 *     l = kick (effort - k horizon w - d w)              effort, k, d: the law (forces/force.h)
 * is the soft row w + l / b = kick effort / b with b = kick (k horizon + d).
 */

static double stiffness_of(const flg_assembly *assembly, const flg_law *law) {
  return assembly->kick * (law->stiffness * assembly->horizon + law->damping);
}

static void soften(flg_assembly *assembly) {
  for (int k = assembly->rigid_count; k < assembly->limits.first; k++) {
    const flg_closing *closing = &assembly->closings[k];
    flg_law law[FLG_FORCE_ROWS_MAX];
    double rate[FLG_FORCE_ROWS_MAX];
    flg_assembly_law(assembly, closing->force, law, rate);
    for (int i = 0; i < closing->rows; i++) {
      const double b = stiffness_of(assembly, &law[i]);
      closing->view.compliance[i] =
          b > 0 && !assembly->is_unit ? 1 / b : flg_assembly_slack(assembly);
    }
  }
  for (int k = assembly->limits.first; k < assembly->closing_count; k++) {
    assembly->closings[k].view.compliance[0] = flg_limit_compliance(assembly, k);
  }
}

static double soft_side(const flg_assembly *assembly, const flg_law *law) {
  const double b = stiffness_of(assembly, law);
  const double impulse = assembly->kick * law->effort;
  return impulse * (b > 0 ? 1 / b : flg_assembly_slack(assembly)); /* it may be slack */
}

/* --- factor -------------------------------------------------------------------------------------
 */

/* where a robot's locks are among those of all robots */
static double *factored_held(const flg_assembly *assembly, const flg_robot_part *part) {
  return assembly->factored_held + part->velocity - FLG_BODY_VELOCITIES * assembly->solid_count;
}

bool flg_assembly_resists(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->robot_count; k++) {
    const flg_robot_subsystem *robot = assembly->robots[k].robot;
    if (robot->resists || robot->robot.flex_count > 0) return true;
  }
  return false;
}

/* all that factors depend on: an event or a snapshot may change any of it between two steps */
bool flg_assembly_knows_factors(const flg_assembly *assembly, const double *q) {
  if (!assembly->is_factored || assembly->is_damped || assembly->is_unit) return false;
  if (assembly->limits.count > 0) return false; /* rows open and close */
  if (!flg_welds_are_kept(assembly, assembly->welds.factored)) return false;
  const bool is_soft = assembly->rigid_count < assembly->closing_count;
  if (is_soft && assembly->kick != assembly->factored_kick) return false;
  if (is_soft && assembly->horizon != assembly->factored_horizon) return false;
  for (int k = 0; k < assembly->robot_count; k++) {
    const flg_robot_part *part = &assembly->robots[k];
    const size_t bytes = (size_t)part->count * sizeof *q;
    if (memcmp(factored_held(assembly, part), part->robot->held, bytes) != 0) return false;
  }
  return memcmp(assembly->factored_q, q, (size_t)assembly->position_count * sizeof *q) == 0;
}

static void keep_factors(flg_assembly *assembly, const double *q) {
  assembly->is_factored = !assembly->is_unit && !assembly->is_damped;
  assembly->factored_kick = assembly->kick, assembly->factored_horizon = assembly->horizon;
  flg_welds_keep(assembly, assembly->welds.factored);
  for (int k = 0; k < assembly->robot_count; k++) {
    const flg_robot_part *part = &assembly->robots[k];
    memcpy(factored_held(assembly, part), part->robot->held, (size_t)part->count * sizeof *q);
  }
  memcpy(assembly->factored_q, q, (size_t)assembly->position_count * sizeof *q);
}

/* the most that a port of a robot yields, linear or angular, over lengths of 1 m */
static double reach_of(const flg_robot_part *part, int port) {
  const size_t n = FLG_PORT_NUMBERS * (size_t)part->port_count;
  double most = 0;
  for (int k = FLG_PORT_NUMBERS * port; k < FLG_PORT_NUMBERS * (port + 1); k++) {
    most = flg_larger(most, part->admittance[(size_t)k * (n + 1)]);
  }
  return most;
}

static void add_scale(const flg_closing *closing, int end, double reach) {
  const double *side = closing->view.side[end];
  const int leading = closing->view.leading;
  for (int i = 0; i < closing->rows; i++) {
    double sum = 0;
    for (int j = 0; j < FLG_PORT_NUMBERS; j++) sum += side[i + j * leading] * side[i + j * leading];
    closing->view.scale[i] += reach * sum;
  }
}

/* A robot blocks directions by its own joints, but for rounding: rows there would be measured by
 * that alone, and be closed with forces beyond measure. What counts is all that its port yields. */
static void measure_by_robots(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->rigid_count; k++) {
    const flg_closing *closing = &assembly->closings[k];
    for (int e = 0; e < closing->ends; e++) {
      const int robot = closing->port[e].part - assembly->solid_count;
      if (robot < 0) continue;
      add_scale(closing, e, reach_of(&assembly->robots[robot], closing->port[e].port));
    }
  }
}

flg_status flg_assembly_factor(flg_assembly *assembly, const double *q, flg_pivots pivots) {
  if (flg_assembly_knows_factors(assembly, q)) return FLG_OK;
  flg_threads *threads = assembly->options.threads;
  flg_for_each(threads, assembly->solid_count, fill_solid, assembly);
  for (int k = 0; k < assembly->robot_count; k++) fill_robot(assembly, k);
  soften(assembly);
  if (pivots == FLG_PIVOTS_CHOOSE) {
    flg_plan_scale(assembly->plan, threads);
    measure_by_robots(assembly);
  }
  const flg_status status = flg_plan_factor_alone(assembly->plan, pivots, threads);
  assembly->is_factored = assembly->has_answers = false;
  if (status == FLG_OK && pivots == FLG_PIVOTS_CHOOSE) keep_factors(assembly, q);
  if (status == FLG_OK) assembly->least = flg_plan_least(assembly->plan);
  return status;
}

/* --- solve --------------------------------------------------------------------------------------
 */

/* Of accelerations: with w+ = w + horizon a the same law reads a + l / b = ... - w / horizon. */
static void aim_softly(const flg_assembly *assembly, const flg_closing *closing,
                       flg_softness soft) {
  flg_law law[FLG_FORCE_ROWS_MAX];
  double rate[FLG_FORCE_ROWS_MAX], *gamma = closing->view.gamma;
  const bool is_law = soft == FLG_SOFT_LAW || soft == FLG_SOFT_FORCE;
  if (is_law) flg_assembly_law(assembly, closing->force, law, rate);
  for (int i = 0; i < closing->rows; i++) {
    gamma[i] = soft == FLG_SOFT_RATE ? closing->rate[i] : 0;
    if (is_law) gamma[i] = soft_side(assembly, &law[i]);
    if (soft != FLG_SOFT_FORCE) continue;
    gamma[i] = assembly->horizon == 0 ? 0 : (gamma[i] - closing->rate[i]) / assembly->horizon;
  }
}

static void aim_at_nothing(flg_assembly *assembly) {
  for (int k = 0; k < assembly->closing_count; k++) {
    const flg_closing *closing = &assembly->closings[k];
    memset(closing->view.gamma, 0, (size_t)closing->rows * sizeof(double));
  }
}

static void aim_joints(flg_assembly *assembly, flg_aim aim) {
  if (aim.soft == FLG_SOFT_NOTHING) {
    aim_at_nothing(assembly);
    return;
  }
  for (int k = 0; k < assembly->rigid_count; k++) {
    const flg_closing *closing = &assembly->closings[k];
    double *gamma = closing->view.gamma;
    for (int i = 0; i < closing->rows; i++) gamma[i] = 0;
    for (int i = 0; i < closing->rows && aim.left != 0; i++)
      gamma[i] -= aim.left * closing->left[i];
    for (int i = 0; i < closing->rows && aim.bias != 0; i++)
      gamma[i] -= aim.bias * closing->bias[i];
  }
  for (int k = assembly->rigid_count; k < assembly->limits.first; k++) {
    aim_softly(assembly, &assembly->closings[k], aim.soft);
  }
  for (int k = assembly->limits.first; k < assembly->closing_count; k++) {
    const bool is_force = aim.soft == FLG_SOFT_FORCE;
    assembly->closings[k].view.gamma[0] =
        flg_limit_side(assembly, k, aim.left, aim.bias, is_force || aim.soft == FLG_SOFT_LAW,
                       is_force ? assembly->horizon : 0);
  }
}

/* J y for a robot's ports */
static void see_robot(const flg_assembly *assembly, int index, const double *y) {
  const flg_robot_part *part = &assembly->robots[index];
  const int m = FLG_PORT_NUMBERS * part->port_count;
  double *bias = assembly->views[assembly->solid_count + index].bias;
  memset(bias, 0, (size_t)m * sizeof *bias);
  if (y != NULL) flg_dense_apply(m, part->count, 1, part->jacobian, m, y, bias);
}

/* y + M^-1 J^T x */
static void move_robot(const flg_assembly *assembly, int index, const double *from, double *y) {
  const flg_robot_part *part = &assembly->robots[index];
  const size_t bytes = (size_t)part->count * sizeof *y;
  if (from == NULL) {
    memset(y, 0, bytes);
  } else {
    memmove(y, from, bytes);
  }
  flg_dense_apply(part->count, FLG_PORT_NUMBERS * part->port_count, 1, part->response, part->count,
                  assembly->views[assembly->solid_count + index].force, y);
}

static void collect(const flg_assembly *assembly, const double *from, double *y) {
  for (int k = 0; k < assembly->solid_count; k++) {
    memcpy(y + FLG_BODY_VELOCITIES * k, assembly->views[k].motion, FLG_BODY_VELOCITIES * sizeof *y);
  }
  for (int k = 0; k < assembly->robot_count; k++) {
    const int first = assembly->robots[k].velocity;
    move_robot(assembly, k, from == NULL ? NULL : from + first, y + first);
  }
}

/* What the plan sees of a robot besides J y, where rows turn with the bodies they are on: J' v. */
static void add_turning(const flg_robot_part *part, double share, double *bias) {
  for (int k = 0; k < part->port_count; k++) {
    double turning[FLG_PORT_NUMBERS];
    flg_spatial_store(flg_dynamics_frame_bias(part->robot->dynamics, &part->ports[k]), turning);
    for (int i = 0; i < FLG_PORT_NUMBERS; i++) bias[FLG_PORT_NUMBERS * k + i] += share * turning[i];
  }
}

/* y without joints, as the plan sees it (NULL: zeros); turning: the share of J' v, as of G' v */
static void see(flg_assembly *assembly, const double *y, double turning) {
  for (int k = 0; k < assembly->solid_count; k++) {
    double *bias = assembly->views[k].bias;
    if (y == NULL) {
      memset(bias, 0, FLG_BODY_VELOCITIES * sizeof *bias);
    } else {
      memcpy(bias, y + FLG_BODY_VELOCITIES * k, FLG_BODY_VELOCITIES * sizeof *bias);
    }
  }
  for (int k = 0; k < assembly->robot_count; k++) {
    const flg_robot_part *part = &assembly->robots[k];
    see_robot(assembly, k, y == NULL ? NULL : y + part->velocity);
    if (turning != 0) {
      add_turning(part, turning, assembly->views[assembly->solid_count + k].bias);
    }
  }
}

/* whether anybody reads what joints do: robots, rattle, limits, motors, and those who watch */
static bool asks_for_forces(const flg_assembly *assembly) {
  return assembly->robot_count > 0 || assembly->watch_count > 0 ||
         (assembly->options.scheme == FLG_SCHEME_RATTLE && assembly->closing_count > 0) ||
         assembly->closing_count > assembly->rigid_count;
}

static flg_status descend(flg_assembly *assembly) {
  flg_threads *threads = assembly->options.threads;
  return asks_for_forces(assembly) ? flg_plan_solve(assembly->plan, NULL, NULL, threads)
                                   : flg_plan_move(assembly->plan, threads);
}

flg_status flg_assembly_solve_under(flg_assembly *assembly, const double *from, flg_aim aim,
                                    flg_root_push *push, const double *x, double *y) {
  see(assembly, from, aim.bias);
  aim_joints(assembly, aim);
  flg_status status = flg_plan_refresh(assembly->plan, assembly->options.threads);
  if (status == FLG_OK && push != NULL) status = push(assembly, x);
  if (status == FLG_OK) status = descend(assembly);
  if (status == FLG_OK) collect(assembly, from, y);
  return status;
}

flg_status flg_assembly_solve(flg_assembly *assembly, const double *from, flg_aim aim, double *y) {
  return flg_assembly_solve_under(assembly, from, aim, NULL, NULL, y);
}

/* f/m and I^-1 (n - w x I w); without w x I w where the flight of bodies takes care of it */
static void accelerate_free(const flg_assembly *assembly, bool flies, double *a) {
  for (int k = 0; k < assembly->solid_count; k++) {
    const flg_solid_motion *motion = &assembly->motions[k];
    const flg_vec3 spin = motion->velocity.angular;
    flg_vec3 moment = motion->force.angular;
    if (!flies) {
      moment =
          flg_vec3_subtract(moment, flg_vec3_cross(spin, flg_sym3_apply(motion->inertia, spin)));
    }
    double *to = a + FLG_BODY_VELOCITIES * k;
    flg_vec3_store(flg_vec3_scale(motion->force.linear, 1 / assembly->solids[k].mass), to);
    flg_vec3_store(flg_sym3_apply(motion->inverse, moment), to + 3);
  }
  for (int k = 0; k < assembly->robot_count; k++) {
    const flg_robot_part *part = &assembly->robots[k];
    memcpy(a + part->velocity, part->free, (size_t)part->count * sizeof *a);
  }
}

void flg_assembly_accelerate_free(const flg_assembly *assembly, double *a) {
  accelerate_free(assembly, flg_assembly_flies(assembly) || assembly->is_coasting, a);
}

/* Right-hand sides of accelerations, and up to the roots; a: those without joints. Without what
 * velocities do it is as the step has it. */
static flg_status reach(flg_assembly *assembly, double *a, flg_aim aim) {
  accelerate_free(assembly, flg_assembly_flies(assembly) && aim.bias == 0, a);
  see(assembly, a, aim.bias);
  aim_joints(assembly, aim);
  return flg_plan_refresh(assembly->plan, assembly->options.threads);
}

flg_status flg_assembly_reach(flg_assembly *assembly) {
  return reach(assembly, assembly->change, (flg_aim){.bias = 1, .soft = FLG_SOFT_FORCE});
}

flg_status flg_assembly_reach_plain(flg_assembly *assembly) {
  return reach(assembly, assembly->change, (flg_aim){.soft = FLG_SOFT_FORCE});
}

flg_status flg_assembly_accelerate(flg_assembly *assembly, double *a) {
  flg_status status = reach(assembly, a, (flg_aim){.bias = 1, .soft = FLG_SOFT_LAW});
  if (status == FLG_OK) status = descend(assembly);
  if (status == FLG_OK) collect(assembly, a, a);
  return status;
}

/* --- projection of positions --------------------------------------------------------------------
 */

bool flg_assembly_is_near_singular(const flg_assembly *assembly) {
  return assembly->least < NEAR;
}

double flg_assembly_enough(const flg_assembly *assembly) {
  return flg_assembly_is_near_singular(assembly) ? TIGHT : CLOSED;
}

double flg_assembly_bearable(const flg_assembly *assembly) {
  return flg_assembly_is_near_singular(assembly) ? ROUNDED : CLOSED;
}

/* Factors for positions that joints are open at. The rows stay those that were chosen, unless these
 * do not lead on: where they were chosen, some of those that count here may have been redundant. */
static flg_status renew(flg_assembly *assembly, const double *q, const double *v, double left,
                        bool is_renewed) {
  const bool chooses = left < FAINT || is_renewed;
  if (chooses && left >= FAINT) flg_plan_tolerate(assembly->plan, fmin(CLEAR * left * left, 0.01));
  flg_assembly_place_stage(assembly, q, v);
  assembly->is_factored = false;
  const flg_status status =
      flg_assembly_factor(assembly, q, chooses ? FLG_PIVOTS_CHOOSE : FLG_PIVOTS_FROZEN);
  flg_plan_tolerate(assembly->plan, 0);
  return status;
}

flg_status flg_assembly_project(flg_assembly *assembly, double *q, const double *v, double *moved) {
  double before = INFINITY;
  bool is_renewed = false;
  if (moved != NULL) memset(moved, 0, (size_t)assembly->velocity_count * sizeof *moved);
  for (int k = 0; k < PROJECTIONS_MAX; k++) {
    flg_assembly_place_left(assembly, q);
    const double left = flg_assembly_left(assembly);
    if (left <= flg_assembly_enough(assembly)) return FLG_OK;
    if (!isfinite(left)) return FLG_ERR_DIVERGED;
    if (left > SLOW * before) {
      if (left <= flg_assembly_bearable(assembly)) return FLG_OK;
      if (left <= NEARLY_CLOSED && left >= before && is_renewed) return FLG_OK;
      const flg_status status = renew(assembly, q, v, left, is_renewed);
      if (status != FLG_OK) return status;
      is_renewed = true;
    }
    before = left;
    const flg_status status =
        flg_assembly_solve(assembly, NULL, (flg_aim){.left = 1}, assembly->change);
    if (status != FLG_OK) return status;
    flg_assembly_displace(assembly, q, assembly->change, 1, q);
    if (moved == NULL) continue;
    for (int i = 0; i < assembly->velocity_count; i++) moved[i] += assembly->change[i];
    flg_watch_note(assembly, 1 / assembly->horizon, 0, 0); /* momenta follow, over the step */
  }
  return before <= NEARLY_CLOSED ? FLG_OK : FLG_ERR_DIVERGED;
}
