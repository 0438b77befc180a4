/* Steps that do not resolve a motion: rigid joints did work in them or slipped, or the spin of a
 * part turned back from one to the next.
 *
 * The work of joints in a step (parts/bodies_free_step.c) is of order h^3, or the step is too long.
 *
 * A four-bar whose lengths differ little from those of a change point turns over there within a
 * time that may be shorter than a step. Its energy is then wrong, whatever the integrator.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_inner.h"
#include "math/larger.h"

/* A step in which joints do more of the kinetic energy does not resolve the motion: one of a
 * rotation by 0.2 rad does 1e-3 of it. */
static const double RESOLVED = 0.01;
/* Where less of the kinetic energy is left than there was before, this share of that counts. */
static const double AT_REST = 1e-3;

/* The same of many steps, of which each does less, as a share of the most kinetic energy. */
static const double DRIFTED = 0.02;

/* what else works on parts is not told apart from joints */
static bool is_passage_judged(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    if (assembly->model.sets[k]->ops->depart == NULL) return false;
  }
  return assembly->model.touch == NULL && assembly->model.rigid_rows > 0 &&
         assembly->model.motion_count == 0 &&
         assembly->model.row_set_count == assembly->model.rigid_count &&
         assembly->model.outer_port_count == 0;
}

void flg_assembly_depart(flg_assembly *assembly) {
  if (!is_passage_judged(assembly)) return;
  for (int k = 0; k < assembly->model.set_count; k++) {
    flg_parts *parts = assembly->model.sets[k];
    parts->ops->depart(parts, assembly->state.v + parts->velocity);
  }
}

static void passage_note(flg_passages *passages, double time, double work, double scale) {
  const double share = fabs(work) / scale;
  passages->sum += work;
  if (share > RESOLVED) passages->count++, passages->worst = fmax(passages->worst, share);
  const bool drifts = fabs(passages->sum) > DRIFTED * passages->kinetic;
  if (drifts) passages->most = fmax(passages->most, fabs(passages->sum));
  if (!(drifts || share > RESOLVED)) return;
  if (!passages->is_noted) passages->first = time;
  passages->is_noted = true;
  passages->changed = true;
}

/* Work that rigid joints did in steps that do not resolve a motion, as a share of the most kinetic
 * energy there was; 0: none. */
static double joint_work(const flg_assembly *assembly) {
  const flg_passages *passages = &assembly->scratch.passages;
  if (!passages->is_noted || !(passages->kinetic > 0)) return 0;
  return fmax(passages->most, fabs(passages->sum)) / passages->kinetic;
}

void flg_assembly_note_work(flg_assembly *assembly, const flg_part_work *work, double time,
                            double h) {
  if (!is_passage_judged(assembly)) return;
  flg_passages *passages = &assembly->scratch.passages;
  /* what forces make of a rest in one step: below it there is only rounding */
  const double least = work->least * (h * h / 8), most = fmax(work->before, work->after);
  passages->kinetic = fmax(passages->kinetic, fmax(most, least));
  const double scale = fmax(most, fmax(least, AT_REST * passages->kinetic));
  if (scale > 0) passage_note(passages, time, work->joints, scale);
}

void flg_assembly_arrive(flg_assembly *assembly, double time, double h) {
  if (!is_passage_judged(assembly)) return;
  flg_part_work work = {0};
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    parts->ops->arrive(parts, assembly->state.v + parts->velocity, h, &work);
  }
  flg_assembly_note_work(assembly, &work, time, h);
}

void flg_assembly_tell_passages(flg_assembly *assembly) {
  flg_passages *passages = &assembly->scratch.passages;
  if (!passages->changed) return;
  passages->changed = false;
  snprintf(
      passages->text, sizeof passages->text,
      "rigid joints of '%s' did work from t = %.6g s on: up to %.3g of the kinetic energy in a "
      "step (%d step%s with more than 0.01), %.3g of it in all; the mechanism passes a singular "
      "pose or moves too fast for its step: take a shorter one",
      assembly->model.options.name, passages->first, passages->worst, passages->count,
      passages->count == 1 ? "" : "s", joint_work(assembly));
}

const char *flg_assembly_warning(const flg_assembly *assembly) {
  return assembly->scratch.passages.text[0] == '\0' ? NULL : assembly->scratch.passages.text;
}

/* --- wear ---------------------------------------------------------------------------------------
 *
 * At the end of a semi-implicit step velocities are projected onto joints that have turned by an
 * angle a in it. That takes a^2 of the kinetic energy: order 1, and no other force explains it.
 */

void flg_assembly_note_wear(flg_assembly *assembly, double before) {
  if (assembly->model.options.scheme != FLG_SCHEME_SEMI_IMPLICIT) return;
  flg_assembly_place_parts(assembly, assembly->state.q, assembly->state.v);
  assembly->scratch.passages.worn += before - flg_assembly_kinetic_energy(assembly);
}

/* --- rows that are left out ---------------------------------------------------------------------
 *
 * Rows that repeat others are left out, and fulfilled by them. Between those and rows that count
 * are some that rounding does not tell apart: those of two joints on a beam that hardly bends
 * between them, or that locks them when it bends. Left out, they slip and drift open.
 */

/* Of the speeds of joints: what rounding leaves of rows that repeat others is 1e-10 at most. */
static const double SLIPS = 1e-8;
/* Of the length: projections close joints to a tenth of it, also where they repeat each other. */
static const double DRIFTS = 1e-10;
/* Times what joints slip whose rows all count: the step ends with velocities that fulfil those, so
 * that no scheme explains the difference. Redundant rows slip ten times as fast at most. */
static const double LOOSE = 1e3;

static double speed_at(const flg_assembly *assembly, const flg_part_anchor *anchor) {
  const flg_spatial velocity = flg_part_anchor_frame(anchor).velocity;
  return flg_vec3_norm(velocity.linear) + assembly->model.length * flg_vec3_norm(velocity.angular);
}

static bool leaves_out(const flg_assembly *assembly, int joint) {
  for (int i = 0; i < assembly->model.row_sets[joint].rows; i++) {
    if (flg_plan_is_redundant(assembly->scratch.plan, joint, i)) return true;
  }
  return false;
}

void flg_assembly_note_slip(flg_assembly *assembly) {
  flg_passages *passages = &assembly->scratch.passages;
  double slip = 0, speed = 0, counted = -1; /* there is no such joint */
  int slipping = 0;
  for (int k = 0; k < assembly->model.rigid_count; k++) {
    const flg_row_set *row_set = &assembly->model.row_sets[k];
    if (!flg_weld_holds(assembly, k) || row_set->coordinate[0] >= 0) continue;
    const flg_closure closure = flg_assembly_joint_closure(assembly, k);
    for (int e = 0; e < 2; e++) speed = flg_larger(speed, speed_at(assembly, &row_set->anchor[e]));
    passages->open = flg_larger(passages->open, closure.position);
    if (!leaves_out(assembly, k)) counted = flg_larger(counted, closure.velocity);
    if (closure.velocity > slip) slip = closure.velocity, slipping = k;
  }
  /* Slower than what moves the system by a unit in the last place it is rounding of what rests. */
  if (!(slip * assembly->scratch.clock > DBL_EPSILON * assembly->model.length)) return;
  if (!(slip * passages->speed > passages->slip * speed) && passages->speed > 0) return;
  passages->slip = slip, passages->speed = speed;
  passages->counted = counted < 0 ? slip : counted;
  passages->slipping = slipping;
}

static flg_status judge_slip(const flg_assembly *assembly, flg_error *error) {
  const flg_passages *passages = &assembly->scratch.passages;
  if (!(passages->slip > SLIPS * passages->speed)) return FLG_OK;
  const bool is_loose = passages->slip > LOOSE * passages->counted;
  if (!(passages->open > DRIFTS * assembly->model.length) && !is_loose) return FLG_OK;
  return flg_fail(
      error, FLG_ERR_UNSOLVED,
      "Joint '%s' of '%s' slips by %.3g (m/s or rad/s), and joints are open by %.3g (m or rad): "
      "its "
      "rows repeat those of others so nearly that rounding decides whether they count. Check the "
      "results, take 'elimination: root', or leave out joints that repeat others.",
      flg_assembly_joint_name(assembly, passages->slipping), assembly->model.options.name,
      passages->slip, passages->open);
}

/* --- turns --------------------------------------------------------------------------------------
 *
 * A light link between heavy ones whips round where the joints that hold it are nearly singular,
 * and its energy is too small a share of all to be seen. But its spin is seen: steps h that resolve
 * a motion of frequency w change a speed V by V (w h)^2 / 2 to both sides of its peak.
 */

/* Of the largest spin: w h is 0.45 rad, of rk4 0.63. Random mechanisms that converge stay under
 * 0.06.
 */
static const double TURNED_BACK[FLG_SCHEME_COUNT] = {
    [FLG_SCHEME_RATTLE] = 0.1, [FLG_SCHEME_RK4] = 0.2, [FLG_SCHEME_SEMI_IMPLICIT] = 0.1};
/* Less in a step is no matter, however often: chatter of what is at rest [rad]. */
static const double SMALL_TURN = 2e-3;
/* Of the kinetic energy: rigid joints that do more work put the results in doubt. */
static const double DOUBTFUL_WORK = 0.05;

/* Hits turn speeds back, too, and impulses from outside may be those of hits. */
static bool is_watched(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->state.limits.count; k++) {
    if (assembly->state.limits.list[k].stop >= 0) return false;
  }
  return assembly->model.touch == NULL && assembly->model.outer_port_count == 0;
}

void flg_assembly_keep_speeds(flg_assembly *assembly) {
  memcpy(assembly->scratch.start_v, assembly->state.v,
         (size_t)assembly->model.velocity_count * sizeof(double));
}

void flg_assembly_note_turns(flg_assembly *assembly, double h) {
  for (int k = 0; k < assembly->model.set_count && is_watched(assembly); k++) {
    flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->turn == NULL) continue;
    parts->ops->turn(parts, assembly->scratch.clock, h, assembly->scratch.start_v + parts->velocity,
                     assembly->state.v + parts->velocity);
  }
}

/* (w h)^2 of vibrations, and c h / m of dampers, from which on a step may be longer than a motion
 * on implicit elements: the motion that TURNED_BACK tells */
static const double UNRESOLVED = 0.2;

/* in the last step */
static bool is_unresolved(const flg_assembly *assembly, const flg_row_set *row_set) {
  const double h = assembly->scratch.horizon;
  flg_law law[FLG_FORCE_ROWS_MAX];
  double value[FLG_FORCE_ROWS_MAX], rate[FLG_FORCE_ROWS_MAX];
  if (!row_set->is_even) return true;
  const int rows = flg_assembly_law(assembly, row_set->force, law, value, rate);
  for (int i = 0; i < rows; i++) {
    const double resists = h * h * law[i].stiffness + h * law[i].damping;
    if (!(resists * row_set->yield[i] < UNRESOLVED)) return true;
  }
  return false;
}

static bool has_unresolved(const flg_assembly *assembly) {
  for (int k = 0; k < flg_forces_count(assembly->model.component); k++) {
    const flg_force force = flg_forces_at(assembly->model.component, k);
    const bool is_soft = force.kind->is_soft != NULL && force.kind->is_soft(force.of, true);
    const int row_set = assembly->model.forces[k].row_set;
    if (is_soft && row_set < 0) return true;
    if (is_soft && is_unresolved(assembly, &assembly->model.row_sets[row_set])) return true;
  }
  return false;
}

static flg_status judge_turns(const flg_assembly *assembly, const flg_parts *parts,
                              flg_error *error) {
  for (int part = 0; part < parts->count; part++) {
    const flg_spin_changes *of = parts->ops->spin_changes(parts, part);
    const double most = TURNED_BACK[assembly->model.options.scheme] * of->most;
    if (!(of->back > most && of->angle > SMALL_TURN)) continue;
    return flg_fail(
        error, FLG_ERR_UNSOLVED,
        "The spin of '%s' in '%s' changed by %.3g rad/s within a step, and back at once, "
        "at t = %.6g s; it is at most %.3g rad/s: the motion is faster than the step. "
        "Check the results, or take a shorter step.",
        parts->ops->label(parts, part).name, assembly->model.options.name, of->back, of->at,
        of->most);
  }
  return FLG_OK;
}

flg_status flg_assembly_judge(const flg_assembly *assembly, flg_error *error) {
  const double work = joint_work(assembly);
  if (work > DOUBTFUL_WORK) {
    return flg_fail(
        error, FLG_ERR_UNSOLVED,
        "Rigid joints of '%s' did work, %.3g of its kinetic energy: it passes a singular "
        "pose, or moves too fast, for its step. Check the results, or take a shorter step.",
        assembly->model.options.name, work);
  }
  const flg_status slips = judge_slip(assembly, error);
  if (slips != FLG_OK) return slips;
  const bool watched = is_watched(assembly) && !has_unresolved(assembly);
  for (int k = 0; k < assembly->model.set_count && watched; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    const flg_status status =
        parts->ops->turn == NULL ? FLG_OK : judge_turns(assembly, parts, error);
    if (status != FLG_OK) return status;
  }
  return FLG_OK;
}
