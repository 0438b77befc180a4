#include "robot/robot_inverse.h"

#include <string.h>

#include "robot/robot_forces.h"

/* Efforts that drives have to give for the accelerations a: inverse dynamics, less all that acts
 * without them (springs, damping, friction, forces on bodies). */
void flg_robot_subsystem_inverse(flg_robot_subsystem *subsystem, const double *a, double *f) {
  const double *q = subsystem->q, *v = subsystem->v;
  subsystem->implicit = 0;
  flg_robot_acceleration(subsystem, 0, q, v, v,
                         f);         /* for the efforts; what it gives is not needed */
  flg_robot_rub_begin(subsystem, 0); /* for dry friction, which is not among them */
  flg_dynamics_inverse(subsystem->dynamics, q, v, a, subsystem->options.gravity, NULL, f);
  for (int k = 0; k < subsystem->robot.velocity_count; k++) {
    const double friction = -subsystem->rubbing[k] * v[k];
    const double passive = subsystem->effort[k] - subsystem->actuation[k] + friction;
    f[k] -= passive;
  }
  /* a follower has no drive: its effort is felt at the leader */
  flg_mimics_gather(&subsystem->mimics, f);
  for (int k = 0; k < subsystem->robot.velocity_count; k++) {
    if (subsystem->locked[k] > 0) f[k] = 0;
  }
}

/* Column by column of M^-1, with the damping of the step: what a unit of effort changes until its
 * end. A caller solves for efforts with it, instead of differences of whole steps. */
void flg_robot_subsystem_response(flg_robot_subsystem *subsystem, double time, double h,
                                  const int *coordinates, int count, double *work,
                                  double *response) {
  flg_robot_set_impulse_step(subsystem, h);
  flg_robot_acceleration(subsystem, time, subsystem->q, subsystem->v, subsystem->v,
                         work); /* for its factors */
  for (int j = 0; j < count; j++) {
    memset(work, 0, (size_t)subsystem->robot.velocity_count * sizeof *work);
    work[coordinates[j]] = 1;
    flg_dynamics_solve(subsystem->dynamics, work, work);
    flg_mimics_project(&subsystem->mimics, subsystem->dynamics, work);
    for (int i = 0; i < count; i++) response[i + j * count] = work[coordinates[i]];
  }
}
