/* inverse.h - the forces that make a subsystem follow a trajectory, sample by sample.
 *
 *     continuous   f(t) = M a + c - (damping, friction, forces on bodies)    at the sample's time
 *     discrete     f, held over the sample, such that the subsystem's own integrator with its own
 *                  micro steps is at the trajectory's positions when the sample ends (or, with
 *                  accurate integrators, so close to them that forces do not ring: landing.h)
 *
 * The robot may be one of an assembly, joined to whatever hangs on it, which moves with it
 * (discrete alone). Forces on points then take the place of contacts, which are closed with the
 * step and depend on the forces that are wanted: if a run with contacts finds the same motion, it
 * finds these forces, or others that do the same.
 *
 * Discrete forces are found by Newton's method on trial advances; the subsystem then really goes
 * there, so that errors do not add up and a run with these forces repeats every bit.
 *
 * Controllers of the subsystem are out of action; its events are not: a locked joint stays where it
 * is with force 0, and forces on bodies act while they are enabled. Joints that the trajectory does
 * not name have force 0 and move as they may (discrete), or are refused (continuous).
 */
#ifndef FLG_INVERSE_H
#define FLG_INVERSE_H

#include "control/controller.h"
#include "cosim/landing.h"

typedef struct flg_inverse_options {
  int subsystem;                  /* of the simulation; a robot or an assembly */
  int robot;                      /* of the assembly */
  const flg_controller *followed; /* its joints and its curve, the trajectory; borrowed */
  bool discrete;
  double sample;                  /* for how long forces are held [s] */
  flg_place sample_at;            /* where it is given; file NULL: nowhere */
  const flg_pressures *pressures; /* on the assembly; NULL: none; borrowed */
} flg_inverse_options;

/* How it went so far. */
typedef struct flg_inverse_outcome {
  double position;     /* largest miss at the end of a sample, discrete [rad or m] */
  double velocity;     /* the same of velocities [rad/s or m/s] */
  int trials;          /* most advances that a sample took */
  double force;        /* largest force [N m or N] */
  double excess;       /* largest force over its joint's effort limit; over 1: no run follows it */
  int excess_joint;    /* of the model, -1: no joint has a limit */
  double excess_time;  /* [s] */
  double excess_force; /* [N m or N] */
} flg_inverse_outcome;

typedef struct flg_inverse flg_inverse;

/* Set-up: at the start of a simulation, which is borrowed and may not be stepped meanwhile. What is
 * wrong (a sample that no micro steps make up, a trajectory that starts elsewhere) goes to
 * mistakes. Release with flg_inverse_release. */
flg_status flg_inverse_build(flg_inverse **inverse, flg_simulation *simulation,
                             const flg_inverse_options *options, flg_mistakes *mistakes);
void flg_inverse_release(flg_inverse *inverse); /* NULL is allowed */

/* Samples in all: the last begins where the trajectory has ended, and holds it there. */
int64_t flg_inverse_samples(const flg_inverse *inverse);
flg_inverse_outcome flg_inverse_result(const flg_inverse *inverse);
/* Step: the forces (joints of the trajectory, in its order) of the next sample. FLG_ERR_DIVERGED,
 * with the time and by how much, if no held forces lead to the trajectory. */
flg_status flg_inverse_step(flg_inverse *inverse, double *forces, flg_error *error);

#endif
