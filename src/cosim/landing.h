/* landing.h - the inside of inverse: a subsystem, the trajectory that it follows, and the forces,
 * held over a sample, with which it lands on it.
 *
 *     r(f) = q_d(t + T) - q(t + T; f) + b T (v_d(t + T) - v(t + T; f)) = 0
 *
 * T: the sample; q and v: where the subsystem's own micro steps lead. Newton's method with the
 * derivative of a motion with constant mass, gain (M + diag(added))^-1; where that does not
 * contract (dry friction, long samples), with differences. Trials start from a saved state.
 *
 * b = 0 lands on the positions, which is what a trajectory says. But the velocities follow from
 * them: their errors are multiplied by p = (c - 1/2) / (c + 1/2) from sample to sample, c = 1/(2 n)
 * for n semi-implicit micro steps, 0 for accurate integrators, whose forces would ring with p = -1
 * for ever. Hence c = b + 1/(2 n) is made at least 1/20, p = -9/11: up to ten semi-implicit steps
 * have b = 0; others miss positions by what the velocity of a held force differs from v_d, b T
 * times (1e-8 to 1e-7 rad for the seven-joint arm at 60 Hz).
 *
 * The robot is a subsystem of its own, or one of an assembly that moves with it: whatever hangs on
 * it, is welded to it on the way, or is pressed from outside. Its mass then says little, and
 * derivatives are differences from the start.
 */
#ifndef FLG_LANDING_H
#define FLG_LANDING_H

#include "assembly/assembly.h"
#include "cosim/simulation.h"
#include "robot/robot_subsystem.h"

/* Forces on points of an assembly over time: what contacts would do. */
typedef struct flg_pressures {
  int count;
  const flg_anchor *points; /* (count) */
  flg_curve curve;          /* x, y, z of each in world axes [N] */
} flg_pressures;

/* The robot that lands, and where it stands. */
typedef struct flg_lander {
  const flg_subsystem *part;
  flg_assembly *assembly; /* that it is; NULL: it is the robot */
  int robot;              /* of the assembly */
  flg_robot_subsystem *subsystem;
  const flg_controller *followed; /* borrowed */
  const flg_pressures *pressures; /* on the assembly; NULL: none; borrowed */
} flg_lander;

typedef struct flg_landing {
  flg_simulation *simulation;
  flg_lander lander;
  flg_subsystem_state state;
  double macro, micro;            /* steps [s] */
  int64_t per_macro, per_sample;  /* micro steps */
  int64_t done;                   /* micro steps so far */
  int next_event, first_event;    /* that has not happened: now, at the start of the sample */
  double lookahead, gain;         /* b T [s]; see above [s^2] */
  double *forces;                 /* (velocities) applied to the subsystem, borrowed */
  int free_count;                 /* coordinates of the trajectory that are not locked */
  int *free;                      /* (free_count) which of the trajectory */
  int *coordinates;               /* (free_count) in v */
  double *value, *rate;           /* (followed) of the trajectory */
  double *unit_of;                /* (followed) 1 of angles, of displacements the robot's length */
  double *residual, *best, *step; /* (followed) */
  double *probe;                  /* (followed) forces that move by a little, for differences */
  double *matrix;                 /* (followed x followed) its factors */
  double *tau, *work, *unit;      /* for factors, and (velocities) */
  int *order, rank;
  double *saved;   /* the state at the start of the sample */
  double *pressed; /* (3 pressures) */
} flg_landing;

typedef struct flg_landed {
  bool found;
  double position, velocity; /* largest miss, rad or m, rad/s or m/s */
  int velocity_index;        /* of the coordinate that misses most */
  int trials;
} flg_landed;

/* Set-up: `lander` is copied. Without memory the region has failed. */
void flg_landing_build(flg_landing *landing, flg_simulation *simulation, const flg_lander *lander,
                       double *forces, flg_region *region);

/* Set-up: for how many micro steps forces are held. */
void flg_landing_hold(flg_landing *landing, int64_t micro_steps);

/* The macro step at which the next event of the subsystem takes place; false if there is none.
 * Events that switch controllers are passed over. */
bool flg_landing_next_event(flg_landing *landing, double *time);
/* Lets happen what is due at a time. */
void flg_landing_apply(flg_landing *landing, double time);
/* Step: finds the forces of the next sample, which ends at a time, and advances over it. */
flg_landed flg_landing_solve(flg_landing *landing, double end);

#endif
