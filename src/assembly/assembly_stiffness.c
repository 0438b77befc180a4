/* How stiff the explicit springs of an assembly are for its steps.
 *
 * Springs and dampers whose forces are those of the start of a step bound it: with W the admittance
 * of all bodies under all joints, K the stiffness and C the damping of the springs,
 *
 *     h sqrt(lambda(W K)) <= 2,   h lambda(W C) <= 2          semi-implicit and rattle
 *                            2.83,                2.78        rk4
 *
 * lambda the largest eigenvalue, by power iteration: W K y is what springs do to bodies that move
 * by y. Both are known at the start, before a run wastes its time.
 */
#include <math.h>

#include "assembly/assembly_inner.h"
#include "assembly/assembly_start.h"

enum { ITERATIONS = 60 };
static const double SETTLED = 1e-4; /* of lambda: eigenvalues next to it do no harm */

typedef struct stiffness {
  double largest; /* eigenvalue [1/s^2], of damping [1/s] */
  int force;      /* the element that works most in its mode, -1: none does */
} stiffness;

static double norm_of(const double *y, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += y[k] * y[k];
  return sqrt(sum);
}

/* y = -W K y, or -W C y */
static flg_status apply(flg_assembly *assembly, bool damping, double *y, int *stiffest) {
  flg_assembly_place_rows(assembly, assembly->state.q, y);
  flg_assembly_unload(assembly);
  *stiffest = flg_assembly_push_resistance(assembly, damping);
  flg_status status = flg_assembly_gather(assembly, 0, assembly->state.q, y);
  if (status != FLG_OK) return status;
  flg_assembly_accelerate_free(assembly, y);
  return flg_assembly_solve(assembly, y, (flg_aim){.soft = FLG_SOFT_NOTHING}, y);
}

static flg_status find_largest(flg_assembly *assembly, bool damping, double *y, stiffness *found) {
  const int n = assembly->model.velocity_count;
  double before = 0;
  for (int k = 0; k < n; k++) y[k] = 1 + 0.1 * (k * 7 % 11); /* no symmetry that a mode lacks */
  for (int i = 0; i < ITERATIONS; i++) {
    const double size = norm_of(y, n);
    if (size == 0 || !isfinite(size)) return FLG_OK;
    for (int k = 0; k < n; k++) y[k] /= size;
    const flg_status status = apply(assembly, damping, y, &found->force);
    if (status != FLG_OK) return status;
    found->largest = norm_of(y, n);
    if (fabs(found->largest - before) <= SETTLED * found->largest) return FLG_OK;
    before = found->largest;
  }
  return FLG_OK;
}

/* joints alone, without forces: limits are open, implicit springs yield, nothing turns */
static flg_status look(flg_assembly *assembly, bool damping, double *y, stiffness *found) {
  const flg_part_mode mode = assembly->scratch.mode;
  assembly->scratch.kick = assembly->scratch.horizon = 0;
  assembly->state.limits.idle = true;
  assembly->scratch.mode.is_forceless = assembly->scratch.mode.is_coasting = true;
  flg_assembly_place_rows(assembly, assembly->state.q, assembly->state.v);
  flg_status status = flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE);
  if (status == FLG_OK) status = find_largest(assembly, damping, y, found);
  assembly->scratch.mode = mode;
  assembly->state.limits.idle = false;
  return status;
}

static bool has_explicit(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.force_count; k++) {
    const flg_running_force *own = &assembly->model.forces[k];
    if (own->closing < 0 && own->force.kind->law != NULL) return true;
  }
  return false;
}

static void tell(const flg_assembly *assembly, const stiffness *found, double most, double h,
                 bool damping, flg_notices *notices) {
  const flg_force *force = &assembly->model.forces[found->force].force;
  const bool staged = assembly->model.options.scheme == FLG_SCHEME_RK4;
  flg_notice_add(
      notices, assembly->model.options.name,
      "the %s of %s '%s' is too large for steps of %.3g s, which will not be stable: "
      "take %ssteps of at most %.2g s",
      damping ? "damping" : "stiffness", force->kind->name, flg_force_head_of(force)->name, h,
      staged ? "'integrator: rattle' with 'implicit: true', or " : "'implicit: true' for it, or ",
      most);
}

flg_status flg_assembly_tell_stiffness(flg_assembly *assembly, double h, double slack,
                                       flg_notices *notices) {
  const bool staged = assembly->model.options.scheme == FLG_SCHEME_RK4;
  if (!has_explicit(assembly) || assembly->model.velocity_count == 0) return FLG_OK;
  flg_region region = {0};
  double *y = flg_region_take(&region, (size_t)assembly->model.velocity_count, sizeof *y);
  flg_status status = y == NULL ? FLG_ERR_MEMORY : FLG_OK;
  for (int damping = 0; damping < 2 && status == FLG_OK; damping++) {
    stiffness found = {.force = -1};
    status = look(assembly, damping == 1, y, &found);
    if (status != FLG_OK || found.force < 0) continue;
    const double speed = damping == 1 ? found.largest : sqrt(found.largest);
    const double most = (staged ? damping == 1 ? 2.78 : 2.83 : 2) / speed;
    if (h > slack * most) tell(assembly, &found, most, h, damping == 1, notices);
  }
  flg_region_release(&region);
  return status == FLG_ERR_MEMORY ? status : FLG_OK; /* others are told when a step is taken */
}
