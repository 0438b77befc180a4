#include "cosim/landing.h"

#include <math.h>
#include <string.h>

#include "base/tolerances.h"
#include "component/assembly_actions.h"
#include "math/larger.h"
#include "math/pivoted_qr.h"
#include "robot/robot_actions.h"
#include "robot/robot_inverse.h"

/* of angles in rad, and of displacements by the length of the robot */
static const double GOAL = 1e-15;      /* rounding */
static const double ENOUGH = 1e-10;    /* what is accepted where rounding is coarser */
static const double SHRINK = 0.3;      /* what a step with the approximate derivative must do */
static const double DEPENDENT = 1e-14; /* of columns of the derivative: rounding */
static const double NUDGE = 1e-7;      /* for differences: the root of rounding */
static const double STEADY = 1. / 20;  /* b + 1/(2 n): velocity errors shrink by 9/11 a sample */
enum { MOST_STEPS = 40, MOST_HALVINGS = 20 };

static size_t pressed_numbers(const flg_lander *lander) {
  return lander->pressures == NULL ? 0 : 3 * (size_t)lander->pressures->count;
}

static flg_subsystem_state state_of_lander(const flg_lander *lander) {
  return lander->part->ops->state(lander->part->self);
}

static double *landing_take(flg_region *region, size_t count) {
  return flg_region_take(region, count, sizeof(double));
}

static void landing_lay_out(flg_landing *landing, flg_region *region) {
  const flg_lander *lander = &landing->lander;
  const size_t n = (size_t)lander->followed->count;
  landing->free = flg_region_take(region, n, sizeof(int));
  landing->coordinates = flg_region_take(region, n, sizeof(int));
  landing->order = flg_region_take(region, n, sizeof(int));
  landing->value = landing_take(region, n), landing->rate = landing_take(region, n);
  landing->unit_of = landing_take(region, n);
  landing->residual = landing_take(region, n), landing->best = landing_take(region, n),
  landing->step = landing_take(region, n);
  landing->probe = landing_take(region, n), landing->tau = landing_take(region, n);
  landing->matrix = landing_take(region, n * n);
  landing->work = landing_take(
      region, (size_t)flg_pivoted_qr_workspace(lander->followed->count, lander->followed->count));
  landing->unit = landing_take(region, (size_t)lander->subsystem->robot.velocity_count);
  landing->saved = landing_take(region, (size_t)state_of_lander(lander).count);
  landing->pressed = landing_take(region, pressed_numbers(lander));
}

static double landing_unit_of(const flg_robot *robot, int velocity) {
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    const int first = link->velocity, end = first + link->displacement_count;
    if (velocity >= first && velocity < end) return flg_robot_length(robot);
  }
  return 1;
}

void flg_landing_build(flg_landing *landing, flg_simulation *simulation, const flg_lander *lander,
                       double *forces, flg_region *region) {
  const int index = (int)(lander->part - simulation->subsystems);
  *landing = (flg_landing){.simulation = simulation,
                           .lander = *lander,
                           .state = state_of_lander(lander),
                           .macro = simulation->macro,
                           .micro = simulation->macro / simulation->micro_steps[index],
                           .per_macro = simulation->micro_steps[index],
                           .forces = forces};
  landing_lay_out(landing, region);
  for (int k = 0; k < lander->followed->count && !region->failed; k++) {
    landing->unit_of[k] =
        landing_unit_of(&lander->subsystem->robot, lander->followed->velocities[k]);
  }
}

void flg_landing_hold(flg_landing *landing, int64_t micro_steps) {
  const double span = landing->micro * (double)micro_steps;
  const flg_lander *lander = &landing->lander;
  const bool euler =
      lander->assembly == NULL
          ? flg_integrator_uses_start_rows(lander->subsystem->integrator)
          : flg_assembly_settings(lander->assembly)->scheme == FLG_SCHEME_SEMI_IMPLICIT;
  const double own = euler ? 0.5 / (double)micro_steps : 0;
  landing->per_sample = micro_steps;
  landing->lookahead = fmax(STEADY - own, 0) * span;
  landing->gain = span * span * (0.5 + own) + landing->lookahead * span;
}

/* ---- events ---- */

static bool concerns(const flg_landing *landing, const flg_event *event) {
  const flg_lander *lander = &landing->lander;
  if (event->subsystem != lander->part) return false;
  const int target = lander->assembly == NULL ? event->target
                                              : flg_assembly_guest_target(
                                                    lander->assembly, event->target, lander->robot);
  return target < 0 ||
         !flg_robot_action_switches_controller(lander->subsystem, event->action, target);
}

bool flg_landing_next_event(flg_landing *landing, double *time) {
  const flg_simulation *simulation = landing->simulation;
  while (landing->next_event < simulation->event_count &&
         !concerns(landing, &simulation->events[landing->next_event])) {
    landing->next_event++;
  }
  if (landing->next_event == simulation->event_count) return false;
  const double steps = simulation->events[landing->next_event].at / landing->macro;
  *time = ceil(steps - FLG_TIME_SLACK) * landing->macro;
  return true;
}

void flg_landing_apply(flg_landing *landing, double time) {
  double due;
  while (flg_landing_next_event(landing, &due) && due <= time + FLG_TIME_SLACK * landing->macro) {
    flg_events_apply(&landing->simulation->events[landing->next_event++], 1, NULL, due, NULL);
  }
}

/* ---- trials ---- */

static size_t landing_state_bytes(const flg_landing *landing) {
  return (size_t)landing->state.count * sizeof *landing->saved;
}

static void landing_go_back(const flg_landing *landing) {
  memcpy(landing->state.values, landing->saved, landing_state_bytes(landing));
}

static void press(const flg_landing *landing, double time) {
  const flg_pressures *pressures = landing->lander.pressures;
  if (pressures == NULL) return;
  flg_curve_evaluate(&pressures->curve, time, landing->pressed, NULL, NULL);
  for (int k = 0; k < pressures->count; k++) {
    flg_assembly_set_pressure(landing->lander.assembly, k, flg_vec3_load(landing->pressed + 3 * k));
  }
}

static double time_of(const flg_landing *landing, int64_t micro) {
  const int64_t macro = micro / landing->per_macro;
  return (double)macro * landing->macro + (double)(micro % landing->per_macro) * landing->micro;
}

/* over the sample from the saved state; what happens on the way happens, as in a run */
static bool advance_sample(flg_landing *landing) {
  bool advanced = true;
  landing->next_event = landing->first_event;
  const flg_subsystem *part = landing->lander.part;
  flg_error unread;
  landing_go_back(landing);
  for (int64_t k = 0; k < landing->per_sample && advanced; k++) {
    const int64_t micro = landing->done + k;
    const double time = time_of(landing, micro);
    if (k > 0 && micro % landing->per_macro == 0) flg_landing_apply(landing, time);
    press(landing, time);
    advanced = part->ops->advance(part->self, time, landing->micro, 0, 1, &unread) == FLG_OK;
  }
  return advanced;
}

/* residuals of the free coordinates under the forces as they are; returns the largest by its unit,
 * NaN if it is not finite */
static double attempt(flg_landing *landing, flg_landed *landed) {
  const flg_controller *followed = landing->lander.followed;
  const bool advanced = advance_sample(landing);
  double largest = advanced ? 0 : NAN;
  landed->trials++;
  landed->position = landed->velocity = 0;
  for (int i = 0; i < landing->free_count; i++) {
    const int k = landing->free[i];
    const double missing = landing->value[k] - landing->lander.subsystem->q[followed->positions[k]];
    const double slower = landing->rate[k] - landing->lander.subsystem->v[followed->velocities[k]];
    landing->residual[i] = missing + landing->lookahead * slower;
    const double size = fabs(landing->residual[i]) / landing->unit_of[k];
    if (flg_exceeds(size, largest)) landed->velocity_index = followed->velocities[k];
    largest = flg_larger(largest, size);
    landed->position = flg_larger(landed->position, fabs(missing));
    landed->velocity = flg_larger(landed->velocity, fabs(slower));
  }
  return largest;
}

static void landing_keep_forces(flg_landing *landing) {
  for (int i = 0; i < landing->free_count; i++) {
    landing->best[i] = landing->forces[landing->coordinates[i]];
  }
}

/* best + factor step */
static void landing_set_forces(flg_landing *landing, double factor) {
  for (int i = 0; i < landing->free_count; i++) {
    landing->forces[landing->coordinates[i]] = landing->best[i] + factor * landing->step[i];
  }
}

static void no_step(flg_landing *landing) {
  memset(landing->step, 0, (size_t)landing->free_count * sizeof *landing->step);
}

/* ---- Newton ---- */

static void factor(flg_landing *landing) {
  const int n = landing->free_count;
  landing->rank = flg_pivoted_qr_factor(n, n, landing->matrix, n, DEPENDENT, landing->tau,
                                        landing->order, landing->work);
}

/* the step that takes the residual out, by the factors; spends the residual */
static void solve_landing(flg_landing *landing) {
  const int n = landing->free_count;
  flg_pivoted_qr_solve(n, n, landing->rank < 0 ? 0 : landing->rank, landing->matrix, n,
                       landing->tau, landing->order, landing->residual, landing->step);
}

/* dr/df = -gain (M + diag(added))^-1, as if mass and damping stayed what they are */
static void derive_by_mass(flg_landing *landing) {
  const int n = landing->free_count;
  landing_go_back(landing);
  flg_robot_subsystem_response(landing->lander.subsystem, time_of(landing, landing->done),
                               landing->micro, landing->coordinates, n, landing->unit,
                               landing->matrix);
  for (int k = 0; k < n * n; k++) landing->matrix[k] *= landing->gain;
  for (int k = 0; k < n; k++) {
    landing->probe[k] = NUDGE * landing->unit_of[landing->free[k]] / landing->matrix[k + k * n];
  }
  factor(landing);
}

/* residuals at the best forces are in `step` meanwhile */
static void derive_by_differences(flg_landing *landing, flg_landed *landed) {
  const int n = landing->free_count;
  memcpy(landing->step, landing->residual, (size_t)n * sizeof *landing->step);
  for (int j = 0; j < n; j++) {
    double *force = &landing->forces[landing->coordinates[j]];
    *force = landing->best[j] + landing->probe[j];
    attempt(landing, landed);
    *force = landing->best[j];
    for (int i = 0; i < n; i++) {
      landing->matrix[i + j * n] = (landing->step[i] - landing->residual[i]) / landing->probe[j];
    }
  }
  memcpy(landing->residual, landing->step, (size_t)n * sizeof *landing->step);
  factor(landing);
}

/* what hangs on the robot counts as well: differences */
static void derive(flg_landing *landing, flg_landed *landed) {
  derive_by_mass(landing);
  landing_keep_forces(landing);
  if (landing->lander.assembly == NULL) return;
  attempt(landing, landed);
  derive_by_differences(landing, landed);
}

/* as long as it contracts well; returns the residual of the best forces */
static double approach_landing(flg_landing *landing, flg_landed *landed) {
  double best = INFINITY, last = INFINITY;
  derive(landing, landed);
  for (int k = 0; k < MOST_STEPS; k++) {
    const double size = attempt(landing, landed);
    const bool contracts = size < SHRINK * last;
    if (size < best) best = size, landing_keep_forces(landing);
    if (!contracts || size <= GOAL) break;
    last = size;
    solve_landing(landing);
    landing_set_forces(landing, 1);
  }
  return best;
}

/* the same with exact derivatives, and steps that are halved until they help */
static double insist(flg_landing *landing, double best, flg_landed *landed) {
  bool helped = isfinite(best);
  for (int k = 0; k < MOST_STEPS && best > ENOUGH && helped; k++) {
    no_step(landing);
    landing_set_forces(landing, 0);
    attempt(landing, landed);
    derive_by_differences(landing, landed);
    solve_landing(landing);
    helped = false;
    for (int half = 0; half < MOST_HALVINGS && !helped; half++) {
      landing_set_forces(landing, ldexp(1, -half));
      const double size = attempt(landing, landed);
      if (!(size < best)) continue;
      best = size, helped = true;
      landing_keep_forces(landing);
    }
  }
  return best;
}

/* ---- samples ---- */

static bool is_geared(const flg_landing *landing, int velocity) {
  const flg_mimics *mimics = &landing->lander.subsystem->mimics;
  for (int r = 0; r < mimics->count; r++) {
    if (mimics->followers[r] == velocity) return true;
  }
  return false;
}

/* a joint that is locked, or gets locked during the sample, or goes with another has force 0 */
static void find_free(flg_landing *landing, double end) {
  const flg_controller *followed = landing->lander.followed;
  const flg_robot_subsystem *robot = landing->lander.subsystem;
  const ptrdiff_t locked = robot->locked - landing->state.values;
  double due;
  if (flg_landing_next_event(landing, &due) && due < end) advance_sample(landing);
  landing->free_count = 0;
  for (int k = 0; k < followed->count; k++) {
    const int velocity = followed->velocities[k];
    if (landing->saved[locked + velocity] > 0 || robot->locked[velocity] > 0 ||
        is_geared(landing, velocity)) {
      landing->forces[velocity] = 0;
    } else {
      landing->free[landing->free_count] = k;
      landing->coordinates[landing->free_count++] = velocity;
    }
  }
}

flg_landed flg_landing_solve(flg_landing *landing, double end) {
  flg_landed landed = {0};
  if (landing->done % landing->per_macro == 0) {
    flg_landing_apply(landing, time_of(landing, landing->done));
  }
  landing->first_event = landing->next_event;
  memcpy(landing->saved, landing->state.values, landing_state_bytes(landing));
  flg_curve_evaluate(&landing->lander.followed->curve, end, landing->value, landing->rate, NULL);
  find_free(landing, end);
  double best = approach_landing(landing, &landed);
  if (!(best <= ENOUGH)) best = insist(landing, best, &landed);
  no_step(landing);
  landing_set_forces(landing, 0);
  attempt(landing, &landed); /* and stays there */
  landing->done += landing->per_sample;
  landed.found = best <= ENOUGH;
  return landed;
}
