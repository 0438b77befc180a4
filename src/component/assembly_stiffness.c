/* How stiff the explicit springs of an assembly are for its steps.
 *
 * Springs and dampers whose forces are those of the start of a step bound it: with W the admittance
 * of all bodies under all joints, K the stiffness and C the damping of the springs,
 *
 *     h^2 lambda(W (K + 2 C / h)) <= 4                                 semi-implicit and rattle
 *     h sqrt(lambda(W K)) <= 2.83,  h lambda(W C) <= 2.78              rk4
 *
 * lambda the largest eigenvalue, by power iteration: W K y is what springs do to bodies that move
 * by y. Pieces that nothing connects (stiffness_pieces.h) have eigenvalues of their own, which are
 * found together. Both are known at the start, before a run wastes its time. Elements that work in
 * modes that are too fast, or nearly, become rows of the plan (assembly_soft.c). Steps with both
 * kinds are stable as long as
 *
 *     rattle         h^2 K <= 4 M                as without the rows Ki
 *     semi-implicit  h^2 K <= 4 M + h^2 Ki       rows resist like masses: W has M + h^2 Ki in it,
 *                                                and h sqrt(lambda(W K)) <= 1 is enough
 */
#include <math.h>

#include "assembly/assembly_inner.h"
#include "component/assembly_start.h"
#include "component/stiffness_pieces.h"

enum { ITERATIONS = 60, GLANCES = 20, PASSES = 20 };
static const double SETTLED = 1e-4; /* of lambda: eigenvalues next to it do no harm */
/* Steps up to this share of the limit are explicit. Poses change, and rattle loses nothing by being
 * implicit where nothing touches; elsewhere it has damping, as semi-implicit always has. Beside
 * rows the limit of semi-implicit is 1 instead of 2. */
static const double EVEN_SHARE = 0.5, DAMPED_SHARE = 0.7, BESIDE_ROWS = 0.45;
/* Elements that work less than this share of the first do not make a mode fast. */
static const double WORKS = 0.01;

/* Modes that are slower than this share of the fastest (of eigenvalues) are looked at again when
 * the elements of those are rows. */
static const double SLOWER = 1. / 16;
/* of the longest stable step: some thirty to a period */
static const double RESOLVED = 0.1;

/* The fastest mode of a piece. */
typedef struct fastest_mode {
  double size;    /* of y, or its square while it is summed */
  double largest; /* eigenvalue */
  double first;   /* of the first mode that was found of it */
  int force;      /* the element that works most in it, -1: none does */
  bool is_found;  /* then: it is too fast */
  bool is_told;   /* it is beyond the limit, and its elements are named */
} fastest_mode;

typedef struct stiffness {
  flg_assembly *assembly;
  double h;         /* [s] */
  double weight[2]; /* of stiffness and damping */
  double *y;        /* (velocities) */
  double *taken;    /* (elements) power in the mode of its piece */
  bool *left_out;   /* (elements) */
  flg_stiffness_pieces pieces;
  fastest_mode *modes; /* (pieces) */
} stiffness;

/* the size of y in each piece */
static void measure_pieces(stiffness *of) {
  const int n = of->assembly->model.velocity_count;
  for (int p = 0; p < of->pieces.count; p++) of->modes[p].size = 0;
  for (int k = 0; k < n; k++) of->modes[of->pieces.of_velocity[k]].size += of->y[k] * of->y[k];
  for (int p = 0; p < of->pieces.count; p++) of->modes[p].size = sqrt(of->modes[p].size);
}

/* y of size 1 in each piece; pieces that no element acts on rest. False if all do. */
static bool normalise_pieces(stiffness *of) {
  const int n = of->assembly->model.velocity_count;
  bool any = false;
  measure_pieces(of);
  for (int p = 0; p < of->pieces.count; p++) {
    fastest_mode *mode = &of->modes[p];
    const bool moves = mode->size > 0 && isfinite(mode->size);
    if (!moves) mode->is_found = true, mode->size = INFINITY;
    any = any || moves;
  }
  for (int k = 0; k < n; k++) {
    const double size = of->modes[of->pieces.of_velocity[k]].size;
    of->y[k] = isfinite(size) ? of->y[k] / size : 0;
  }
  return any;
}

/* the element that works most in the mode of each piece */
static void find_workers(stiffness *of) {
  for (int p = 0; p < of->pieces.count; p++) of->modes[p].force = -1;
  for (int k = 0; k < of->assembly->model.force_count; k++) {
    const int piece = of->pieces.of_force[k];
    if (piece < 0) continue;
    int *force = &of->modes[piece].force;
    if (of->taken[k] > (*force < 0 ? 0 : of->taken[*force])) *force = k;
  }
}

/* y = -W K y, or -W C y */
static flg_status apply_stiffness(stiffness *of) {
  flg_assembly *assembly = of->assembly;
  flg_assembly_place_rows(assembly, assembly->state.q, of->y);
  flg_assembly_unload(assembly);
  flg_assembly_push_resistance(assembly, of->weight[0], of->weight[1], of->left_out, of->taken);
  flg_status status = flg_assembly_gather(assembly, 0, assembly->state.q, of->y);
  if (status != FLG_OK) return status;
  flg_assembly_accelerate_free(assembly, of->y);
  return flg_assembly_solve(assembly, of->y, (flg_aim){.soft = FLG_SOFT_NOTHING}, of->y);
}

/* Takes the new sizes as eigenvalues; true if those of all pieces are found. */
static bool settle_modes(stiffness *of, bool glances, double enough) {
  bool all = true;
  measure_pieces(of);
  for (int p = 0; p < of->pieces.count; p++) {
    fastest_mode *mode = &of->modes[p];
    const double before = mode->largest;
    if (mode->size > 0) mode->largest = mode->size;
    if (fabs(mode->largest - before) <= SETTLED * mode->largest) mode->is_found = true;
    if (!glances && mode->largest > enough) mode->is_found = true;
    all = all && mode->is_found;
  }
  return all;
}

/* enough: an eigenvalue that is large enough after a few iterations; INFINITY: none is */
static flg_status find_largest(stiffness *of, double enough) {
  const int n = of->assembly->model.velocity_count;
  for (int k = 0; k < n; k++) of->y[k] = 1 + 0.1 * (k * 7 % 11); /* no symmetry that a mode lacks */
  for (int i = 0; i < ITERATIONS; i++) {
    if (!normalise_pieces(of)) return FLG_OK;
    const flg_status status = apply_stiffness(of);
    if (status != FLG_OK) return status;
    if (settle_modes(of, i < GLANCES, enough)) return FLG_OK;
  }
  return FLG_OK;
}

/* joints alone, without forces: limits are open, nothing turns */
static flg_status look_at_modes(stiffness *of, double enough) {
  flg_assembly *assembly = of->assembly;
  const flg_part_mode mode = assembly->scratch.mode;
  for (int p = 0; p < of->pieces.count; p++) {
    of->modes[p] = (fastest_mode){.force = -1, .first = of->modes[p].first};
  }
  const bool resists = assembly->model.options.scheme == FLG_SCHEME_SEMI_IMPLICIT;
  assembly->scratch.kick = assembly->scratch.horizon = resists ? of->h : 0;
  assembly->scratch.phase = FLG_PHASE_WHOLE;
  assembly->state.limits.idle = true;
  assembly->scratch.mode.is_forceless = assembly->scratch.mode.is_coasting = true;
  flg_assembly_place_rows(assembly, assembly->state.q, assembly->state.v);
  flg_status status = flg_assembly_factor(assembly, assembly->state.q, FLG_PIVOTS_CHOOSE);
  if (status == FLG_OK) status = find_largest(of, enough);
  if (status == FLG_OK) find_workers(of);
  assembly->scratch.mode = mode;
  assembly->state.limits.idle = false;
  return status;
}

static bool has_explicit(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.force_count; k++) {
    const flg_running_force *own = &assembly->model.forces[k];
    if (own->row_set < 0 && own->force.kind->law != NULL) return true;
  }
  return false;
}

/* false: there is nothing to look at, or no memory (*status) */
static bool prepare_stiffness(stiffness *of, flg_assembly *assembly, double h, flg_region *region,
                              flg_status *status) {
  const size_t forces = (size_t)assembly->model.force_count;
  *status = FLG_OK;
  if (!has_explicit(assembly) || assembly->model.velocity_count == 0) return false;
  *of = (stiffness){.assembly = assembly, .h = h};
  of->y = flg_region_take(region, (size_t)assembly->model.velocity_count, sizeof *of->y);
  of->taken = flg_region_take(region, forces, sizeof *of->taken);
  of->left_out = flg_region_take(region, forces, sizeof *of->left_out);
  if (flg_stiffness_pieces_find(&of->pieces, assembly, region)) {
    of->modes = flg_region_take(region, (size_t)of->pieces.count, sizeof *of->modes);
  }
  if (region->failed) *status = FLG_ERR_MEMORY;
  return *status == FLG_OK;
}

/* The share of damping in the eigenvalue, by the element that works most in its mode. */
static double damping_share(const stiffness *of, const fastest_mode *mode) {
  flg_law law[FLG_FORCE_ROWS_MAX];
  double value[FLG_FORCE_ROWS_MAX], rate[FLG_FORCE_ROWS_MAX], sum[2] = {0};
  const int rows = flg_assembly_law(of->assembly, mode->force, law, value, rate);
  for (int i = 0; i < rows; i++) {
    sum[0] += of->weight[0] * law[i].stiffness;
    sum[1] += of->weight[1] * law[i].damping;
  }
  return sum[1] > 0 ? sum[1] / (sum[0] + sum[1]) : 0;
}

/* the longest stable step for what was found [s] */
static double longest_stable_step(const stiffness *of, const fastest_mode *mode) {
  const double r = damping_share(of, mode), k = (1 - r) * mode->largest;
  const double c = r > 0 ? r * mode->largest / of->weight[1] : 0;
  if (of->assembly->model.options.scheme == FLG_SCHEME_RK4) {
    return r > 0 ? 2.78 / c : 2.83 / sqrt(k);
  }
  return 4 / (c + sqrt(c * c + 4 * k)); /* h^2 k + 2 h c = 4 */
}

static const char *name_of_force(const stiffness *of, int force) {
  return flg_force_head_of(&of->assembly->model.forces[force].force)->name;
}

static const char *word_of(const stiffness *of, const fastest_mode *mode) {
  return damping_share(of, mode) > 0.5 ? "damping" : "stiffness";
}

/* --- telling ------------------------------------------------------------------------------------
 */

static void tell_stiff_mode(const stiffness *of, const fastest_mode *mode, flg_notices *notices) {
  const bool staged = of->assembly->model.options.scheme == FLG_SCHEME_RK4;
  flg_notice_add(notices, of->assembly->model.options.name,
                 "the %s of %s '%s' is too large for steps of %.3g s, which will not be stable: "
                 "take %ssteps of at most %.2g s",
                 word_of(of, mode), of->assembly->model.forces[mode->force].force.kind->name,
                 name_of_force(of, mode->force), of->h,
                 staged ? "'integrator: rattle', which is implicit in it, or " : "",
                 longest_stable_step(of, mode));
}

/* of all pieces; NULL: no element works */
static const fastest_mode *fastest_of_all(const stiffness *of) {
  const fastest_mode *most = NULL;
  for (int p = 0; p < of->pieces.count; p++) {
    const fastest_mode *mode = &of->modes[p];
    if (mode->force >= 0 && (most == NULL || mode->largest > most->largest)) most = mode;
  }
  return most;
}

flg_status flg_assembly_tell_stiffness(flg_assembly *assembly, double h, double slack,
                                       flg_notices *notices) {
  flg_region region = {0};
  stiffness of;
  flg_status status;
  const bool looks = prepare_stiffness(&of, assembly, h, &region, &status);
  const bool staged = assembly->model.options.scheme == FLG_SCHEME_RK4;
  for (int k = 0; k < 1 + staged && looks && status == FLG_OK; k++) {
    of.weight[0] = k == 0, of.weight[1] = k == 1 ? 1 : staged ? 0 : 2 / h;
    status = look_at_modes(&of, INFINITY);
    const fastest_mode *mode = status == FLG_OK ? fastest_of_all(&of) : NULL;
    if (mode != NULL && h > slack * longest_stable_step(&of, mode))
      tell_stiff_mode(&of, mode, notices);
  }
  flg_region_release(&region);
  return status == FLG_ERR_MEMORY ? status : FLG_OK; /* others are reported when a step is taken */
}

double flg_assembly_longest_stage_step(flg_assembly *assembly) {
  flg_region region = {0};
  stiffness of;
  flg_status status;
  double longest = INFINITY;
  const bool looks = prepare_stiffness(&of, assembly, 1, &region, &status);
  for (int k = 0; k < 2 && looks && status == FLG_OK; k++) {
    of.weight[0] = k == 0, of.weight[1] = k == 1;
    status = look_at_modes(&of, INFINITY);
    const fastest_mode *mode = status == FLG_OK ? fastest_of_all(&of) : NULL;
    if (mode != NULL && mode->largest > 0) longest = fmin(longest, longest_stable_step(&of, mode));
  }
  flg_region_release(&region);
  return status == FLG_ERR_MEMORY ? (double)NAN : longest;
}

/* --- choosing -----------------------------------------------------------------------------------
 */

/* whether an element works in the mode of its piece, which is too fast */
static bool works(const stiffness *of, const fastest_mode *mode, int force) {
  return of->taken[force] > WORKS * of->taken[mode->force];
}

/* Modes that are beyond the limit, and not much slower than the first of their piece. */
static bool is_too_fast(const fastest_mode *mode, double enough) {
  return mode->force >= 0 && mode->largest > enough && mode->largest >= SLOWER * mode->first;
}

/* elements of modes beyond the limit, for a sentence */
typedef struct beyond {
  flg_some_names names;
  double most; /* the shortest of their stable steps [s] */
  const char *word;
} beyond;

/* false: it is not */
static bool note_beyond(const stiffness *of, const fastest_mode *mode, beyond *found) {
  const double most = longest_stable_step(of, mode);
  if (most >= of->h) return false;
  if (found->word == NULL || most < found->most) {
    found->most = most, found->word = word_of(of, mode);
  }
  return true;
}

static void tell_implicit(const stiffness *of, beyond *found, flg_notices *notices) {
  if (found->names.count == 0) return;
  flg_notice_add(notices, of->assembly->model.options.name,
                 "steps of %.3g s are too long for the %s of %s, which %s taken implicitly: forces "
                 "and slow motions are right, fast vibrations are not resolved; steps of %.2g s "
                 "would resolve them",
                 of->h, found->word, flg_some_names_text(&found->names),
                 found->names.count == 1 ? "is" : "are", found->most * RESOLVED);
}

/* Modes of pieces that are too fast; whether there are any. */
static bool choose_modes(stiffness *of, double enough, beyond *found) {
  bool any = false;
  for (int p = 0; p < of->pieces.count; p++) {
    fastest_mode *mode = &of->modes[p];
    mode->is_found = is_too_fast(mode, enough);
    if (!mode->is_found) continue;
    mode->first = fmax(mode->first, mode->largest);
    mode->is_told = note_beyond(of, mode, found);
    any = true;
  }
  return any;
}

/* Elements that work in modes that are too fast are stiff, in the last pass all elements of their
 * pieces: these have so many modes that one after another would take too long. True if any are. */
static bool mark(stiffness *of, bool is_last, bool *stiff, beyond *found) {
  bool any = false;
  for (int k = 0; k < of->assembly->model.force_count; k++) {
    const int piece = of->pieces.of_force[k];
    const fastest_mode *mode = piece < 0 ? NULL : &of->modes[piece];
    if (mode == NULL || !mode->is_found) continue;
    if (is_last ? !(of->taken[k] > 0) : !works(of, mode, k)) continue;
    if (mode->is_told) flg_some_names_add(&found->names, name_of_force(of, k));
    of->left_out[k] = true;
    stiff[k] = of->assembly->model.forces[k].force.kind->is_soft != NULL;
    any = any || stiff[k];
  }
  return any;
}

static double share_of(const flg_assembly *assembly) {
  const bool has_rows = assembly->state.limits.first > assembly->model.rigid_count;
  if (assembly->model.options.scheme == FLG_SCHEME_RATTLE) {
    return assembly->model.touch == NULL ? EVEN_SHARE : DAMPED_SHARE;
  }
  return has_rows ? BESIDE_ROWS : DAMPED_SHARE;
}

/* modes that are too fast, one after another */
static void choose_stiff(stiffness *of, bool *stiff, bool *any, flg_notices *notices) {
  const double fastest = 2 * share_of(of->assembly) / of->h, enough = fastest * fastest;
  beyond found = {0};
  for (int pass = 0; pass < PASSES; pass++) {
    const flg_status status = look_at_modes(of, enough);
    if (status != FLG_OK || !choose_modes(of, enough, &found)) break;
    if (!mark(of, pass == PASSES - 1, stiff, &found)) break;
    *any = true;
  }
  tell_implicit(of, &found, notices);
}

flg_status flg_assembly_find_stiff(flg_assembly *assembly, double h, bool *stiff, bool *any,
                                   flg_notices *notices) {
  flg_region region = {0};
  stiffness of;
  flg_status status;
  *any = false;
  if (assembly->model.options.scheme == FLG_SCHEME_RK4) return FLG_OK;
  const bool looks = prepare_stiffness(&of, assembly, h, &region, &status);
  of.weight[0] = 1, of.weight[1] = 2 / h;
  if (looks) choose_stiff(&of, stiff, any, notices);
  flg_region_release(&region);
  return status;
}
