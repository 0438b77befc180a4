#include "robot/robot_stages.h"

#include <math.h>
#include <string.h>

#include "robot/robot_contacts.h"
#include "robot/robot_contacts_inner.h"
#include "robot/robot_friction.h"

enum { HALVINGS = 4 }; /* of the adaptive one */

static flg_status tell_adaptive(flg_status status, double time, double h, flg_error *error) {
  if (status == FLG_ERR_INTERRUPTED) return flg_fail(error, status, "it was stopped");
  if (status == FLG_ERR_CAPACITY) {
    return flg_fail(
        error, FLG_ERR_DIVERGED,
        "the adaptive integrator needs more than %d steps of its own for the %.6g s "
        "from t = %.6g s on. Is a controller or a flexible body stiff? Take 'integrator: "
        "leapfrog', or wider tolerances.",
        FLG_ADAPTIVE_STEPS, h, time);
  }
  return flg_fail(error, FLG_ERR_DIVERGED,
                  "the adaptive integrator cannot meet its tolerances after t = %.6g s. Is "
                  "something discontinuous or stiff?",
                  time);
}

/* Friction acts by impulses before and after: stages would see it jump with the sign of the
 * velocity. */
static flg_status step_freely(flg_robot_subsystem *robot, double time, double h, flg_error *error) {
  if (robot->rubs) flg_robot_friction_begin(robot, time, h);
  const flg_status status = flg_integrator_step(robot->integrator, time, h, robot->q, robot->v);
  if (robot->rubs) flg_robot_friction_end(robot, h);
  if (status != FLG_OK) return tell_adaptive(status, time, h, error);
  return FLG_OK;
}

/* whether a joint went outwards beyond an end since q */
/* Only outwards: a joint that starts beyond an end and comes back needs no help. */
static bool passes_end(const flg_robot_subsystem *robot, const double *q) {
  const struct flg_robot_touch *touch = robot->touch;
  for (int k = 0; k < touch->limit_count; k++) {
    const flg_joint_range *limit = &touch->limits[k];
    const double before = q[limit->position], after = robot->q[limit->position];
    if (isinf(robot->locked[limit->velocity])) continue;
    if (after > limit->upper && after > before) return true;
    if (after < limit->lower && after < before) return true;
  }
  return false;
}

/* as a semi-implicit step, with damping and friction in the mass */
static flg_status step_closing(flg_robot_subsystem *robot, double time, double h,
                               flg_error *error) {
  robot->implicit = h;
  const flg_status status = flg_robot_contacts_kick(robot, time, h, h, robot->trees.free, error);
  robot->implicit = 0;
  return status;
}

/* A free step is tried first, as most steps touch no end, and taken back if it does. Halving finds
 * the time of the hit; the last piece, of order 1, is then short. */
static flg_status step_within(flg_robot_subsystem *robot, double time, double h, int halvings,
                              flg_error *error) {
  const size_t nq = (size_t)robot->robot.position_count, nv = (size_t)robot->robot.velocity_count;
  double *q = robot->touch->starts + (size_t)halvings * (nq + nv), *v = q + nq;
  memcpy(q, robot->q, nq * sizeof *q);
  memcpy(v, robot->v, nv * sizeof *v);
  flg_status status = step_freely(robot, time, h, error);
  if (status == FLG_OK && !passes_end(robot, q)) return FLG_OK;
  memcpy(robot->q, q, nq * sizeof *q);
  memcpy(robot->v, v, nv * sizeof *v);
  if (status != FLG_OK) return status;
  if (halvings == 0) return step_closing(robot, time, h, error);
  status = step_within(robot, time, 0.5 * h, halvings - 1, error);
  if (status != FLG_OK) return status;
  return step_within(robot, time + 0.5 * h, 0.5 * h, halvings - 1, error);
}

int flg_robot_stages_starts(const flg_robot_subsystem *robot) {
  if (flg_integrator_kicks(robot->integrator)) return 0;
  return 1 + (robot->options.integrator.kind == FLG_INTEGRATOR_ADAPTIVE ? HALVINGS : 0);
}

flg_status flg_robot_stages(flg_robot_subsystem *robot, double time, double h, flg_error *error) {
  if (robot->touch == NULL) return step_freely(robot, time, h, error);
  return step_within(robot, time, h, flg_robot_stages_starts(robot) - 1, error);
}
