/* robot_subsystem.h - a robot with its state, its forces and its integrator: a part that runs.
 *
 * State: one flat block, q then v. Everything else can be recomputed from it.
 */
#ifndef FLG_ROBOT_SUBSYSTEM_H
#define FLG_ROBOT_SUBSYSTEM_H

#include "dynamics/dynamics.h"
#include "dynamics/integrator.h"

typedef struct flg_robot_options {
  const char *name;                 /* in messages and signals; borrowed */
  const flg_integrator *integrator; /* one of flg_integrators */
  flg_vec3 gravity;                 /* [m/s^2] */
} flg_robot_options;

typedef struct flg_robot_subsystem {
  flg_robot_options options;
  const flg_model *model; /* borrowed */
  flg_robot robot;
  flg_dynamics *dynamics;
  double *state;      /* q (position_count), then v (velocity_count) */
  double *effort;     /* generalised forces (velocity_count), scratch */
  double *scratch;    /* of the integrator */
  flg_arena compiled; /* holds the robot */
  flg_arena running;  /* holds the rest */
} flg_robot_subsystem;

/* Set-up: compiles the model and lays everything out; starts at rest with all joints at zero.
 * What is wrong with the model goes to mistakes. It stays where it was built: it must not be moved
 * or copied. */
flg_status flg_robot_subsystem_build(flg_robot_subsystem *subsystem, const flg_model *model,
                                     const flg_robot_options *options, flg_mistakes *mistakes);
void flg_robot_subsystem_release(flg_robot_subsystem *subsystem);

/* The state's two halves. */
double *flg_robot_subsystem_positions(const flg_robot_subsystem *subsystem);
double *flg_robot_subsystem_velocities(const flg_robot_subsystem *subsystem);
/* How many numbers the state has. */
int flg_robot_subsystem_state_count(const flg_robot_subsystem *subsystem);

/* Step: count micro steps of h from time. */
void flg_robot_subsystem_advance(flg_robot_subsystem *subsystem, double time, double h, int count);
/* Step: brings the kinematics up to date with the state, for energies and signals. */
void flg_robot_subsystem_refresh(flg_robot_subsystem *subsystem);
/* Kinetic plus potential, after refresh [J]. */
double flg_robot_subsystem_energy(const flg_robot_subsystem *subsystem);

#endif
