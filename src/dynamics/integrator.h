/* integrator.h - steps of a robot that nothing constrains.
 *
 *     semi-implicit   v+ = v + h a(t, q, v),  q+ = q (+) h v+      order 1
 *     leapfrog        q_m = q (+) h/2 v,  q+ = q_m (+) h/2 v+       order 2, reversible
 *                     v+ = v + h a(t + h/2, q_m, (v + v+)/2)
 *     rk4             classical Runge-Kutta on (q, v)               order 4
 *     adaptive        embedded Runge-Kutta of order 6 with error control, on SUNDIALS (ARKODE):
 *                     as many steps of its own inside h as the tolerances ask for
 *
 * Positions on rotations advance by exact turns (semi-implicit, leapfrog) or as quaternions that
 * are renormalised after the step (the others).
 *
 * The first two let all forces of a step act at once, at one position: they *kick*. Code that
 * closes contacts does so there, between flg_integrator_lead, flg_integrator_kick and the drift
 * that is left of the step. A row of kicks of leapfrog is a row of semi-implicit steps, from one
 * kick to the next: rules for a step of one are rules for a step of the other. They are *linearly
 * implicit* in what damps: the system adds a share of h times its damping to the mass.
 *
 * The mean velocity of leapfrog is found by repeating a with the positions, and so the factors, of
 * the first time; a good guess leaves nothing to repeat. With it the step does not know the
 * direction of time: energy stays near where it was, and a free ball joint keeps its own exactly.
 *
 * Every step starts from (t, q, v) alone: nothing is remembered, so that a run can be resumed.
 */
#ifndef FLG_INTEGRATOR_H
#define FLG_INTEGRATOR_H

#include "model/robot.h"

/* a(t, q, v) of the system that is integrated. mean: v, but in a kick of leapfrog the mean velocity
 * of the step, as far as it is known, at which all forces act but damping: of that, the part of v
 * is reported here and the part of v+ - v stands in the mass. */
typedef void flg_acceleration(void *system, double time, const double *q, const double *v,
                              const double *mean, double *a);

typedef enum flg_integrator_kind {
  FLG_INTEGRATOR_SEMI_IMPLICIT,
  FLG_INTEGRATOR_RK4,
  FLG_INTEGRATOR_ADAPTIVE,
  FLG_INTEGRATOR_LEAPFROG,
  FLG_INTEGRATOR_KIND_COUNT
} flg_integrator_kind;

typedef struct flg_integrator_options {
  flg_integrator_kind kind;
  /* Tolerances of the adaptive one: of q and v; and what counts as 0 [rad], displacements by the
   * length of the robot, velocities by that in the time of the system. */
  double relative, absolute;
} flg_integrator_options;

typedef struct flg_integrated {
  const flg_robot *robot;
  flg_acceleration *acceleration;
  void *system;
  double time; /* in which it moves by its own length, or a radian [s]; 0: not known, 1 s */
} flg_integrated;

typedef struct flg_integrator flg_integrator;

/* Their names, NULL at the end. */
extern const char *const flg_integrator_names[];
/* semi-implicit; tolerances 1e-10 and 1e-12. */
flg_integrator_options flg_integrator_default(void);

/* Set-up: the adaptive one asks SUNDIALS for memory, too. */
flg_status flg_integrator_build(flg_integrator **integrator, const flg_integrator_options *options,
                                const flg_integrated *system, flg_region *region, flg_error *error);
/* Frees what SUNDIALS holds; NULL is allowed. */
void flg_integrator_release(flg_integrator *integrator);
/* semi-implicit: velocities are those of half a step before the positions, and joints close with
 * the rows of the start of a step. */
bool flg_integrator_uses_start_rows(const flg_integrator *integrator);
/* semi-implicit and leapfrog: all forces of a step act at one position, and the system adds its
 * damping to its mass. */
bool flg_integrator_kicks(const flg_integrator *integrator);
/* Of those: how long positions move with v before the kick; h less this is left after it. */
double flg_integrator_lead(const flg_integrator *integrator, double h);
/* A guess of a kick before it: the velocities that forces will add, and those that impulses of
 * others will add, which count in the mean as well (velocities). */
typedef struct flg_kick_guess {
  bool is_good; /* within terms of h^2; else the mean velocity is computed again at least once */
  bool is_inertial; /* no forces but those of inertia depend on the mean */
  const double *gain, *struck;
} flg_kick_guess;
/* Step, of those: the velocities v + h a after a kick at q, of the step that began at time; free
 * must not be v. guess: of leapfrog, NULL: none. */
void flg_integrator_kick(flg_integrator *integrator, double time, double h, const double *q,
                         const double *v, const flg_kick_guess *guess, double *free);
/* Step: the same with the mean velocities that the last kick ended with, and forces as they are
 * now. */
void flg_integrator_kick_again(flg_integrator *integrator, double time, double h, const double *q,
                               const double *v, double *free);

/* Steps that the adaptive one takes inside one step, at most. */
enum { FLG_ADAPTIVE_STEPS = 100000 };
/* Step: advances q, v from time by h. Of the adaptive one FLG_ERR_DIVERGED if it cannot meet its
 * tolerances, FLG_ERR_CAPACITY if it would need more steps than it has, FLG_ERR_INTERRUPTED if it
 * is watched and was stopped; the others never fail. */
flg_status flg_integrator_step(flg_integrator *integrator, double time, double h, double *q,
                               double *v);
/* Set-up: *stop that is not 0 ends a step of the adaptive one early. */
void flg_integrator_watch(flg_integrator *integrator, const volatile int *stop);

#endif
