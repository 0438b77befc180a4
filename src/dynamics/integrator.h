/* integrator.h - steps of a robot that nothing constrains.
 *
 *     semi-implicit   v+ = v + h a(t, q, v),  q+ = q (+) h v+      order 1, symplectic
 *     rk4             classical Runge-Kutta on (q, v)               order 4
 *     adaptive        embedded Runge-Kutta of order 6 with error control, on SUNDIALS (ARKODE):
 *                     as many steps of its own inside h as the tolerances ask for
 *
 * Positions on rotations advance by exact turns (semi-implicit) or as quaternions that are
 * renormalised after the step (the others). semi-implicit is *linearly implicit* in what damps: the
 * system adds h times its damping to the mass (flg_integrator_is_implicit).
 *
 * Every step starts from (t, q, v) alone: nothing is remembered, so that a run can be resumed.
 */
#ifndef FLG_INTEGRATOR_H
#define FLG_INTEGRATOR_H

#include "model/robot.h"

/* a(t, q, v) of the system that is integrated. */
typedef void flg_acceleration(void *system, double time, const double *q, const double *v,
                              double *a);

typedef enum flg_integrator_kind {
  FLG_INTEGRATOR_SEMI_IMPLICIT,
  FLG_INTEGRATOR_RK4,
  FLG_INTEGRATOR_ADAPTIVE,
  FLG_INTEGRATOR_KIND_COUNT
} flg_integrator_kind;

typedef struct flg_integrator_options {
  flg_integrator_kind kind;
  double relative, absolute; /* tolerances of the adaptive one, on q and v */
} flg_integrator_options;

typedef struct flg_integrated {
  const flg_robot *robot;
  flg_acceleration *acceleration;
  void *system;
} flg_integrated;

typedef struct flg_integrator flg_integrator;

/* Their names, NULL at the end. */
extern const char *const flg_integrator_names[];
/* semi-implicit; tolerances 1e-10 and 1e-12. */
flg_integrator_options flg_integrator_default(void);

/* Set-up: bytes that a build takes from the arena; the adaptive one asks SUNDIALS for more. */
size_t flg_integrator_bytes(const flg_robot *robot);
flg_status flg_integrator_build(flg_integrator **integrator, const flg_integrator_options *options,
                                const flg_integrated *system, flg_arena *arena, flg_error *error);
/* Frees what SUNDIALS holds; NULL is allowed. */
void flg_integrator_release(flg_integrator *integrator);
/* Whether the system should add h times its damping to its mass. */
bool flg_integrator_is_implicit(const flg_integrator *integrator);

/* Step: advances q, v from time by h. FLG_ERR_DIVERGED if the adaptive one cannot meet its
 * tolerances; the others never fail. */
flg_status flg_integrator_step(flg_integrator *integrator, double time, double h, double *q,
                               double *v);

#endif
