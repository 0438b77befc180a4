/* smooth.h - closed contacts as joints of a subsystem's model: the smooth interface model.
 *
 *     D' = D - D J^T (J D J^T)^+ J D        J: normals of closed contacts, tangents where they
 * stick
 *
 * by `eliminate` (nonsmooth-rim, Eq. 17 and 18, without the inverse of Eq. 18): D' has whatever
 * rank is left, 4 for a captured box on its edge. It holds until the next communication point
 * whether contacts open or not.
 *
 * Regularised, they are springs and dampers that act both ways (nonsmooth-rim, Eq. 23 - 25): J D
 * J^T gets Omega = 1/(K h^2 + C h) on its diagonal, velocities are those after the damper, A (1 -
 * P) v, and gaps Phi are taken back by Gamma Phi/h^2, Gamma = 1/(1 + C/(K h)).
 */
#ifndef FLG_COUPLING_SMOOTH_H
#define FLG_COUPLING_SMOOTH_H

#include "macro/potential.h"
#include "macro/rest_model.h"

typedef struct flg_smooth flg_smooth;

/* K [N/m], C [N s/m], and the micro step [s] for which they are meant; K = 0: closed contacts are
 * rigid. */
typedef struct flg_softness {
  double stiffness, damping, step;
} flg_softness;

/* Which contacts: of the subsystem of that number, all that are closed but for those that stay open
 * in its model (open: NULL: none does). */
typedef struct flg_smooth_scope {
  int index;
  const flg_potential *open; /* borrowed */
} flg_smooth_scope;

/* Set-up: NULL where the subsystem cannot touch. Release with flg_smooth_release. */
flg_status flg_smooth_build(flg_smooth **smooth, const flg_subsystem *subsystem,
                            flg_smooth_scope scope, flg_softness softness, flg_error *error);
void flg_smooth_release(flg_smooth *smooth); /* NULL is allowed */
/* Step, after reduce and velocity_bias: both under the closed contacts. Does nothing if smooth is
 * NULL.
 */
flg_status flg_smooth_apply(flg_smooth *smooth, const flg_subsystem *subsystem,
                            flg_reduced *reduced, flg_error *error);

#endif
