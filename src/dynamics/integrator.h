/* integrator.h - steps of a robot that nothing constrains.
 *
 *     semi-implicit   v+ = v + h a(t, q, v),  q+ = q (+) h v+        order 1, symplectic
 *     rk4             classical Runge-Kutta on (q, v)                 order 4
 *
 * Positions on rotations advance by exact turns (semi-implicit) or as quaternions that are
 * renormalised after the step (rk4). Step calls: they neither fail, allocate nor lock.
 */
#ifndef FLG_INTEGRATOR_H
#define FLG_INTEGRATOR_H

#include "model/robot.h"

/* a(t, q, v) of the system that is integrated. */
typedef void flg_acceleration(void *system, double time, const double *q, const double *v,
                              double *a);

typedef struct flg_integrator {
  const char *name;
  int order;
  /* Advances q, v from time by h; scratch as flg_integrator_scratch says. */
  void (*step)(const flg_robot *robot, flg_acceleration *acceleration, void *system, double time,
               double h, double *q, double *v, double *scratch);
} flg_integrator;

enum { FLG_INTEGRATOR_COUNT = 2 };
extern const flg_integrator flg_integrators[FLG_INTEGRATOR_COUNT];
/* Their names, NULL at the end. */
extern const char *const flg_integrator_names[];

/* Numbers of scratch that any of them needs. */
size_t flg_integrator_scratch(const flg_robot *robot);

#endif
