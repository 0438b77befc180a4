/* trajectory.h - a file of targets, and the positions of joints that follow from it.
 *
 *     targets.yaml --schema--> legs --subsystem/tool_path--> q at 0, T, 2 T, ...
 */
#ifndef FLG_TRAJECTORY_H
#define FLG_TRAJECTORY_H

#include "control/tool_path.h"
#include "cosim/simulation.h"
#include "robot/robot_subsystem.h"

typedef struct flg_trajectory {
  const flg_robot_subsystem *subsystem;
  flg_tool_path path;
  int count;             /* joints with one coordinate that mimic none, in the model's order */
  const int *positions;  /* (count) in q */
  const int *velocities; /* (count) in v */
  double sample;         /* T [s] */
  int64_t samples;       /* in all; the last is where the path has ended */
  int64_t done;
  double *q; /* (positions) now */
} flg_trajectory;

/* Set-up: reads the targets for a simulation, which is borrowed, with overrides `key=value`. All
 * mistakes are reported at once. What is read lives as long as the simulation. */
flg_status flg_trajectory_read(flg_trajectory *trajectory, flg_simulation *simulation,
                               const char *file, const char *const *overrides, int override_count,
                               flg_mistakes *mistakes);
/* Step: the joints (count) at the next sample. FLG_ERR_RANGE, with the time and by how much, if a
 * target cannot be reached. */
flg_status flg_trajectory_step(flg_trajectory *trajectory, double *joints, flg_error *error);

#endif
