/* assembly_failures.c - why a step failed: what is not finite, or which joint is open. */
#include <math.h>
#include <stdio.h>

#include "assembly/assembly_contacts.h"
#include "assembly/assembly_signals.h"

static bool failures_is_finite(const double *values, int count) {
  for (int k = 0; k < count; k++) {
    if (!isfinite(values[k])) return false;
  }
  return true;
}

static bool is_lost(const flg_assembly *assembly, const flg_parts *parts, int part) {
  const flg_part_slice slice = parts->ops->slice(parts, part);
  return !failures_is_finite(assembly->state.q + parts->position + slice.position,
                             slice.position_count) ||
         !failures_is_finite(assembly->state.v + parts->velocity + slice.velocity,
                             slice.velocity_count);
}

/* the first part that is not finite; false if all are */
bool flg_assembly_find_lost(const flg_assembly *assembly, char text[FLG_BLAME_TEXT]) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    for (int i = 0; i < parts->count; i++) {
      if (!is_lost(assembly, parts, i)) continue;
      snprintf(text, FLG_BLAME_TEXT, "%s '%s'", parts->ops->kind, parts->ops->label(parts, i).name);
      return true;
    }
  }
  return false;
}

void flg_assembly_blame(const flg_assembly *assembly, char text[FLG_BLAME_TEXT]) {
  if (flg_assembly_find_lost(assembly, text)) return;
  const flg_closure widest = flg_assembly_closure(assembly);
  if (widest.joint < 0) return;
  snprintf(text, FLG_BLAME_TEXT, "joint '%s'", flg_assembly_joint_name(assembly, widest.joint));
}

/* of a part that says why it failed; NULL: none does */
const char *flg_assembly_complaint(const flg_assembly *assembly) {
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    if (parts->ops->complaint == NULL) continue;
    const char *text = parts->ops->complaint(parts);
    if (text[0] != '\0') return text;
  }
  return NULL;
}

/* The prescribed motion that has no value or rate where it was last asked. Some steps use its
 * acceleration, too: `failed` says that one of them may have. */
static flg_status check_motions(const flg_assembly *assembly, double time, bool failed,
                                flg_error *error) {
  for (int k = assembly->model.rigid_count - assembly->model.motion_count;
       k < assembly->model.rigid_count; k++) {
    const flg_jet *target = &assembly->model.row_sets[k].target;
    if (isfinite(target->value) && isfinite(target->rate) && (!failed || isfinite(target->rise))) {
      continue;
    }
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "motion '%s' has no finite value, rate or acceleration near t = %.6g s: look "
                    "at the signal that it follows.",
                    flg_assembly_joint_name(assembly, k), time);
  }
  return FLG_OK;
}

/* a signal, a motion, or a robot or plug-in in it, that computed a number that is not finite */
flg_status flg_assembly_check(const flg_assembly *assembly, double time, flg_error *error) {
  double since;
  const char *undefined = flg_signals_undefined(assembly, &since);
  if (undefined != NULL) {
    return flg_fail(
        error, FLG_ERR_DIVERGED,
        "'%s' has no value at t = %.6g s: its formula takes the square root, logarithm, "
        "arc sine or quotient of numbers for which there is none, or grows too large.",
        undefined, since);
  }
  if (check_motions(assembly, time, false, error) != FLG_OK) return FLG_ERR_DIVERGED;
  for (int k = 0; k < assembly->model.set_count; k++) {
    const flg_parts *parts = assembly->model.sets[k];
    for (int i = 0; parts->ops->subsystem != NULL && i < parts->count; i++) {
      const flg_subsystem *part = parts->ops->subsystem(parts, i);
      if (part->ops->check == NULL) continue;
      flg_error own;
      const flg_status status = part->ops->check(part->self, time, &own);
      if (status != FLG_OK) return flg_fail(error, status, "'%s': %s", part->name, own.message);
    }
  }
  return FLG_OK;
}

/* From causes to symptoms: a signal without a value makes a body not finite, which leaves a joint
 * open. The first sentence that fits is the one that users can act on. */
static flg_status explain_step(const flg_assembly *assembly, flg_status status, double time,
                               double h, flg_error *error) {
  char lost[FLG_BLAME_TEXT];
  const flg_assembly_touch *touch = assembly->model.touch;
  if (touch != NULL && touch->error.message[0] != '\0') {
    return flg_fail(error, status, "after t = %.6g s: %s", time, touch->error.message);
  }
  const char *complaint = flg_assembly_complaint(assembly);
  if (complaint != NULL) return flg_fail(error, status, "%s", complaint);
  if (flg_assembly_check(assembly, time, error) != FLG_OK) return FLG_ERR_DIVERGED;
  if (check_motions(assembly, time, true, error) != FLG_OK) return FLG_ERR_DIVERGED;
  if (flg_assembly_find_lost(assembly, lost)) {
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "%s is no longer at a finite place or speed after t = %.6g s. Try a smaller "
                    "step.",
                    lost, time);
  }
  const char *signal = flg_signals_lost(assembly);
  if (signal != NULL) {
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "the state of '%s' is no longer finite after t = %.6g s: look at its input, or "
                    "try a smaller step.",
                    signal, time);
  }
  if (assembly->scratch.spun != NULL) {
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "body '%s' turns by about half a turn or more in a step of %.6g s, after t = "
                    "%.6g s. Take a shorter step.",
                    assembly->scratch.spun, h, time);
  }
  /* all numbers are finite: what is left is a joint that does not close */
  const flg_closure widest = flg_assembly_closure(assembly);
  if (!(widest.position > 0)) { /* ... unless none is open */
    return flg_fail(error, FLG_ERR_DIVERGED,
                    "numbers became infinite within the step of %.6g s after t = %.6g s: a "
                    "stiffness, a force or a speed is too large for it. Take a shorter step.",
                    h, time);
  }
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "joint '%s' cannot be closed after t = %.6g s: %.3g (m or rad) is left. Is it "
                  "out of reach, or the step of %.6g s too long?",
                  flg_assembly_joint_name(assembly, widest.joint), time, widest.position, h);
}

flg_status flg_assembly_advance_or_say(flg_assembly *assembly, double time, double h, int first,
                                       int count, flg_error *error) {
  const flg_status status = flg_assembly_advance(assembly, time, h, first, count);
  return status == FLG_OK ? FLG_OK : explain_step(assembly, status, time + first * h, h, error);
}

flg_status flg_assembly_leap_or_say(flg_assembly *assembly, double time, double h, int index,
                                    flg_error *error) {
  const flg_status status = flg_assembly_leap(assembly, time, h, index);
  return status == FLG_OK ? FLG_OK : explain_step(assembly, status, time + index * h, h, error);
}

flg_status flg_assembly_land_or_say(flg_assembly *assembly, double time, double h, int index,
                                    flg_error *error) {
  const flg_status status = flg_assembly_land(assembly, time, h, index);
  return status == FLG_OK ? FLG_OK : explain_step(assembly, status, time + index * h, h, error);
}
