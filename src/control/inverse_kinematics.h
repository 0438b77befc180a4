/* inverse_kinematics.h - positions of the joints that bring a frame of a robot to a pose.
 *
 *     e(q) = [(p_d - p)/l; log(R_d R^T)]      l the length of the robot; in world axes
 *     dq   = J^T (J J^T + d^2 1)^-1 e         q <- q + dq, until |e| is round-off
 *
 * Damped least squares from the position that is handed in: of all ways to the pose a short one,
 * for arms with any number of joints. d^2 is in proportion to |e|^2 and grows until a step brings
 * the frame closer: the last steps are those of Newton, and at singular poses steps stay bounded.
 *
 * A joint that stands at its limit and would leave it takes no part in a step; one that would pass
 * its limit stops there. Locked joints, and joints with several coordinates, stay where they are;
 * joints that mimic others go with them.
 */
#ifndef FLG_INVERSE_KINEMATICS_H
#define FLG_INVERSE_KINEMATICS_H

#include "dynamics/dynamics.h"

typedef struct flg_reach_options {
  flg_link_anchor frame; /* that is to be brought somewhere */
  bool position_only;    /* its orientation does not matter */
  const bool *locked;    /* (joints of the model), NULL: none; needed during build only */
} flg_reach_options;

/* How far a search came. */
typedef struct flg_reach {
  double position; /* what is missing [m] */
  double turn;     /* what is missing [rad]; 0 if it does not matter */
  int steps;
  int limit; /* joint of the model that stands at a limit, -1: none does */
} flg_reach;

typedef struct flg_inverse_kinematics flg_inverse_kinematics;

/* Set-up: model, robot and dynamics are borrowed; the scratch of the dynamics is used. */
flg_status flg_inverse_kinematics_build(flg_inverse_kinematics **kinematics, const flg_model *model,
                                        const flg_robot *robot, flg_dynamics *dynamics,
                                        const flg_reach_options *options, flg_region *region,
                                        flg_error *error);
/* Step: where the frame is. */
flg_pose flg_inverse_kinematics_pose(flg_inverse_kinematics *kinematics, const double *q);
/* Step: moves q (positions) until the frame is at the target, to 2e-14 of the robot's length and
 * rad. FLG_ERR_RANGE, with q as near as it gets on the way down, if more than 1e-10 is missing. For
 * a target further than 100 lengths from the origin both grow with its distance. */
flg_status flg_inverse_kinematics_solve(flg_inverse_kinematics *kinematics, const flg_pose *target,
                                        double *q, flg_reach *reach);

#endif
