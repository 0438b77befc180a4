/* Whether steps follow what signals do to an assembly.
 *
 * Controllers without a period are explicit: gains that are too large for a step make it unstable,
 * though the motion is stable. A step of h takes a small difference d of two states to J d. The
 * largest eigenvalue of J is found by the power method on steps themselves, all from the start:
 *
 *     g_n = log of the largest growth of d in 2^n steps of h / 2^n
 *
 * What the motion itself does, shorter steps do as well. g_0 > 0 is the step's own doing if some
 * g_n is less than half of it. Relays and other jumps are told apart by larger differences d.
 *
 * Limits are open meanwhile, nothing touches, no signal is cut to its range, and sampled blocks
 * hold: what they do is exact.
 */
#include <math.h>
#include <string.h>

#include "assembly/assembly_signals.h"
#include "component/assembly_start.h"

/* Iterations until the fastest mode leads, and over which its growth is measured: enough for growth
 * that is fast, and for growth that is slow. Where nothing holds a body d grows like the number of
 * steps, and near the limit the norm of d goes up and down by a factor of ten or so. */
enum { BEFORE = 30, MEASURED = 60, MEASURED_SLOW = 600, HALVINGS = 6 };
static const double SLOW = 0.5;
/* of the system's length: far above what joints leave open, far below where motions curve */
static const double SMALL = 1e-5;
/* less growth in a step is none: rounding takes 2000 steps to show */
static const double NOTICED = 0.02;
/* velocities times steps: some seconds. Where it does not do, nothing is reported. Joints that are
 * solved as one take longer, with their cube: so many operations count as a velocity. */
static const double WORK_MOST = 3e6, OPERATIONS = 3e3;
/* of slow growth: two half steps that do the same follow the motion */
static const double ALIKE = 0.2;
/* a growth from which on no motion has it */
static const double VAST = 2;
/* how much larger d is when growth is seen again: that of jumps falls by its logarithm. Joints that
 * are closed only where they are open by more than their tolerance jump as well. */
static const double LARGER = 16, FALLS = 1;

typedef struct stability {
  flg_assembly *assembly;
  int count;     /* numbers that differ: of q, v and the states of signals */
  double *start; /* (state) */
  double *even;  /* (count) where steps without a difference end, v times h */
  double *apart; /* (count) the difference at the start, the same way; of norm 1 */
  double size;   /* of the difference [m] */
  int measured;  /* iterations */
  double left;   /* steps that there is time for */
  double slack;  /* steps are this much longer than those that are tried */
} stability;

/* --- steps --------------------------------------------------------------------------------------
 */

static void write_numbers(const stability *of, double h, double *to) {
  const flg_assembly *assembly = of->assembly;
  const int positions = assembly->model.position_count, speeds = assembly->model.velocity_count;
  memcpy(to, assembly->state.q, (size_t)positions * sizeof *to);
  for (int k = 0; k < speeds; k++) to[positions + k] = h * assembly->state.v[k];
  memcpy(to + positions + speeds, assembly->model.signals->state,
         (size_t)assembly->model.signals->state_count * sizeof *to);
}

static void begin_stability(const stability *of) {
  memcpy(of->assembly->state.numbers, of->start,
         (size_t)of->assembly->model.state_count * sizeof *of->start);
}

static void add_difference(const stability *of, double h) {
  flg_assembly *assembly = of->assembly;
  const int positions = assembly->model.position_count, speeds = assembly->model.velocity_count;
  const double *d = of->apart;
  for (int k = 0; k < positions; k++) assembly->state.q[k] += of->size * *d++;
  for (int k = 0; k < speeds; k++) assembly->state.v[k] += of->size * *d++ / h;
  for (int k = 0; k < assembly->model.signals->state_count; k++) {
    assembly->model.signals->state[k] += of->size * *d++;
  }
  flg_assembly_normalise(assembly, assembly->state.q);
}

static flg_status take_steps(stability *of, double h, int halvings) {
  const int count = 1 << halvings;
  flg_status status = of->left < count ? FLG_ERR_CAPACITY : FLG_OK;
  of->left -= count;
  for (int k = 0; k < count && status == FLG_OK; k++) {
    status = flg_assembly_try(of->assembly, k * h / count, h / count);
  }
  return status;
}

/* the difference after steps takes the place of that before; by how much it grew, NaN: not known */
static double grow_difference(stability *of, double h, int halvings, double *work) {
  double sum = 0;
  begin_stability(of);
  add_difference(of, h);
  if (take_steps(of, h, halvings) != FLG_OK) return NAN;
  write_numbers(of, h, work);
  for (int k = 0; k < of->count; k++) {
    work[k] -= of->even[k];
    sum += work[k] * work[k];
  }
  const double norm = sqrt(sum);
  if (!(norm > 0) || !isfinite(norm)) return NAN;
  for (int k = 0; k < of->count; k++) of->apart[k] = work[k] / norm;
  return log(norm / of->size);
}

/* g_n, NaN: not known */
static double growth(stability *of, double h, int halvings, double *work) {
  const int positions = of->assembly->model.position_count;
  double sum = 0;
  begin_stability(of);
  if (take_steps(of, h, halvings) != FLG_OK) return NAN;
  write_numbers(of, h, of->even);
  for (int k = 0; k < of->count; k++) { /* no symmetry that a mode lacks; joints stay closed */
    of->apart[k] = k < positions ? 0 : (1 + 0.1 * (k * 7 % 11)) / sqrt(of->count);
  }
  for (int k = 0; k < BEFORE + of->measured; k++) {
    const double grown = grow_difference(of, h, halvings, work);
    if (isnan(grown)) return NAN;
    if (k >= BEFORE) sum += grown;
  }
  return sum / of->measured;
}

/* --- telling ------------------------------------------------------------------------------------
 */

/* efforts of motors and of what signals drive, times the rates that they work on */
static const char *drive_power(const flg_assembly *assembly, int index, double *effort,
                               double *rate) {
  const flg_signals *signals = assembly->model.signals;
  const flg_component *component = assembly->model.component;
  const bool is_motor = index < signals->motor_count;
  const int k = is_motor ? index : index - signals->motor_count;
  const int coordinate =
      is_motor ? component->motors[k].coordinate : component->efforts[k].coordinate;
  *effort =
      signals->values[is_motor ? signals->first_motor + 3 * k + 1 : signals->first_effort + k];
  *rate = flg_assembly_read(assembly, coordinate)->rate;
  return is_motor ? component->motors[k].name : component->efforts[k].name;
}

/* The drive that works most in the mode that was found last; NULL: none does. */
static const char *find_drive(const stability *of, double h) {
  flg_assembly *assembly = of->assembly;
  const flg_signals *signals = assembly->model.signals;
  const char *found = NULL;
  double most = 0;
  for (int k = 0; k < signals->motor_count + signals->effort_count; k++) {
    double effort[2], rate[2];
    begin_stability(of);
    flg_assembly_refresh(assembly, 0);
    (void)drive_power(assembly, k, &effort[0], &rate[0]);
    add_difference(of, h);
    flg_assembly_refresh(assembly, 0);
    const char *name = drive_power(assembly, k, &effort[1], &rate[1]);
    const double power = fabs((effort[1] - effort[0]) * (rate[1] - rate[0]));
    if (power > most) most = power, found = name;
  }
  return found;
}

/* of a step of h */
static double measure_growth(stability *of, double h, double *work) {
  of->measured = MEASURED;
  const double grown = growth(of, h, 0, work);
  if (!(grown > NOTICED && grown < SLOW)) return grown;
  of->measured = MEASURED_SLOW;
  return growth(of, h, 0, work);
}

/* how often steps have to be halved until their growth is that of the motion; HALVINGS + 1: more,
 * or it is that already */
static int find_halvings(stability *of, double h, double grown, double *work) {
  for (int n = 1; n <= HALVINGS; n++) {
    if (n > 2) of->measured = MEASURED;
    const double shorter = growth(of, h, n, work);
    if (shorter < grown / 2) return n;
    if (grown < SLOW && fabs(shorter - grown) < ALIKE * grown) break;
  }
  return HALVINGS + 1;
}

static bool is_growth_linear(stability *of, double h, double grown, double *work) {
  of->size *= LARGER;
  const bool is = growth(of, h, 0, work) > grown - fmin(FALLS, grown / 2);
  of->size /= LARGER;
  return is;
}

static double look_at_growth(stability *of, double h, flg_notices *notices, double *work) {
  const double grown = measure_growth(of, h, work);
  if (!(grown > NOTICED)) return 0;
  const char *drive = find_drive(of, h);
  if (drive == NULL) return 0;
  if (!is_growth_linear(of, h, grown, work)) return 0;
  const int halvings = find_halvings(of, h, grown, work);
  const bool is_found = halvings <= HALVINGS;
  if (!is_found && grown < VAST) return 0;
  flg_notice_add(
      notices, of->assembly->model.options.name,
      "the gains of the signals that drive '%s' are too large for steps of %.3g s, which "
      "will not be stable: take smaller gains, a sample period, or steps of %s%.2g s",
      drive, of->slack * h, is_found ? "" : "less than ",
      ldexp(h, -(is_found ? halvings : HALVINGS)));
  return grown;
}

/* Looks at growth over trial steps, then restores what steps change besides the state. */
static void look_aside(stability *of, double h, flg_notices *notices, double *work, double *grown) {
  flg_assembly *assembly = of->assembly;
  flg_signals *signals = assembly->model.signals;
  const flg_passages passages = assembly->scratch.passages;
  struct flg_assembly_touch *touch = assembly->model.touch;
  assembly->model.touch = NULL;
  assembly->state.limits.idle = true;
  signals->is_unlimited = true;
  const size_t bytes = (size_t)assembly->model.state_count * sizeof *of->start;
  double *kept = of->start + assembly->model.state_count;
  memcpy(kept, assembly->state.numbers, bytes);
  flg_assembly_refresh(assembly, 0);
  flg_signals_sample(assembly, 0);
  memcpy(of->start, assembly->state.numbers, bytes);
  *grown = look_at_growth(of, h, notices, work);
  memcpy(assembly->state.numbers, kept, bytes);
  signals->is_unlimited = false;
  signals->undefined = signals->lost = -1;
  assembly->state.limits.idle = false;
  assembly->model.touch = touch;
  assembly->scratch.passages = passages;
  flg_assembly_refresh(assembly, 0);
}

/* Parts that are code of others are not asked to step before the run. */
static bool has_plugins(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    for (int i = 0; parts->ops->subsystem != NULL && i < parts->count; i++) {
      const flg_subsystem *part = parts->ops->subsystem(parts, i);
      if (part != NULL && strcmp(part->ops->kind, "plug-in") == 0) {
        return true;
      }
    }
  }
  return false;
}

static double work_of_step(const flg_assembly *assembly) {
  return fmax(assembly->model.velocity_count, flg_plan_flops(assembly->scratch.plan) / OPERATIONS);
}

flg_status flg_assembly_tell_signals(flg_assembly *assembly, double h, double slack,
                                     flg_notices *notices, double *grown) {
  const flg_signals *signals = assembly->model.signals;
  *grown = 0;
  if (signals == NULL || signals->motor_count + signals->effort_count == 0) return FLG_OK;
  if (assembly->model.velocity_count == 0 || has_plugins(assembly)) return FLG_OK;
  flg_region region = {0};
  const int count =
      assembly->model.position_count + assembly->model.velocity_count + signals->state_count;
  stability of = {.assembly = assembly,
                  .count = count,
                  .size = SMALL * assembly->model.length,
                  .slack = slack,
                  .left = WORK_MOST / work_of_step(assembly)};
  of.start = flg_region_take(&region, 2 * (size_t)assembly->model.state_count, sizeof *of.start);
  of.even = flg_region_take(&region, (size_t)count, sizeof *of.even);
  of.apart = flg_region_take(&region, (size_t)count, sizeof *of.apart);
  double *work = flg_region_take(&region, (size_t)count, sizeof *work);
  const bool failed = region.failed;
  if (!failed) look_aside(&of, h / slack, notices, work, grown);
  flg_region_release(&region);
  return failed ? FLG_ERR_MEMORY : FLG_OK;
}
